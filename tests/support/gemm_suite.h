/* Products without a GPU: a suite that nobody opened. Include after cmocka.h. */
#ifndef TMAP_TESTS_GEMM_SUITE_H
#define TMAP_TESTS_GEMM_SUITE_H

#include <string.h>

#include "kernels/gemm/suite.h"

/* A suite as if opened on a 132-SM device. */
static inline struct tmap_gemm *pretend(void)
{
    static struct tmap_gemm suite;
    const struct tmap_target target = tmap_default_target();
    memset(&suite, 0, sizeof suite);
    suite.gpu.sm_count = 132;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &suite.checker), TMAP_OK);
    assert_int_equal(tmap_capacity(TMAP_ARCH(90, 1), &suite.smem_optin_bytes, NULL), TMAP_OK);
    for (int size = 1; size <= GEMM_MAX_CLUSTER; size++) suite.resident[size] = 132 / size;
    return &suite;
}

static inline struct tmap_gemm_problem product(int32_t kind, int32_t m, int32_t n, int32_t k)
{
    struct tmap_gemm_problem p;
    memset(&p, 0, sizeof p);
    p.kind = kind;
    p.out = kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32;
    p.m = m;
    p.n = n;
    p.k = k;
    p.batch = 1;
    p.alpha = 1;
    p.a.ld = p.b.ld = (k + 15) / 16 * 16;
    p.d.ld = (n + 15) / 16 * 16;
    p.a.address = 1 << 20;
    p.b.address = 2 << 20;
    p.d.address = 3 << 20;
    return p;
}

#endif
