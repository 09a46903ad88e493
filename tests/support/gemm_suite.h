/* Products without a GPU: a suite that nobody opened. Include after cmocka.h. */
#ifndef TMAP_TESTS_GEMM_SUITE_H
#define TMAP_TESTS_GEMM_SUITE_H

#include <string.h>

#include "kernels/gemm/suite.h"

/* What a stream's workspace asks of a driver. */
static inline tmap_cu_result pretend_capture_info(tmap_cu_stream stream, int *status, uint64_t *id,
                                                  void **graph, const void **nodes, size_t *count)
{
    (void)graph, (void)nodes, (void)count;
    *status = (uintptr_t)stream >= 100; /* streams from 100 on are captured, each by itself */
    *id = (uintptr_t)stream / 100;
    return 0;
}
static inline tmap_cu_result pretend_capture_mode(int *mode)
{
    (void)mode;
    return 0;
}
static inline tmap_cu_result pretend_stream(tmap_cu_stream *stream, unsigned flags)
{
    (void)flags;
    *stream = NULL;
    return 0;
}
static inline tmap_cu_result pretend_stream_use(tmap_cu_stream stream)
{
    (void)stream;
    return 0;
}
static inline tmap_cu_result pretend_memset(tmap_cu_deviceptr at, unsigned char value, size_t bytes,
                                            tmap_cu_stream stream)
{
    (void)at, (void)value, (void)bytes, (void)stream;
    return 0;
}
static inline tmap_cu_result pretend_alloc(tmap_cu_deviceptr *at, size_t bytes)
{
    static tmap_cu_deviceptr next = (tmap_cu_deviceptr)1 << 40;
    *at = next;
    next += bytes;
    return 0;
}
static inline tmap_cu_result pretend_free(tmap_cu_deviceptr at)
{
    (void)at;
    return 0;
}
static inline void pretend_streams(struct tmap_libcuda *api)
{
    api->stream_get_capture_info = pretend_capture_info;
    api->thread_exchange_capture_mode = pretend_capture_mode;
    api->stream_create = pretend_stream;
    api->stream_destroy = api->stream_synchronize = pretend_stream_use;
    api->memset_d8_async = pretend_memset;
    api->mem_alloc = pretend_alloc;
    api->mem_free = pretend_free;
}

/* A suite as if opened on an H200 on which as many clusters fit as its SMs make. */
static inline struct tmap_gemm *pretend(void)
{
    static struct tmap_gemm suite;
    static struct stream_memory workspaces;
    const struct tmap_target target = tmap_default_target();
    memset(&suite, 0, sizeof suite);
    assert_int_equal(gemm_as_h200(&suite), TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &suite.checker), TMAP_OK);
    for (int size = 1; size <= GEMM_MAX_CLUSTER; size++)
        suite.resident[size] = suite.gpu.sm_count / size;
    pretend_streams(&suite.gpu.api);
    suite.workspaces = &workspaces;
    stream_memory_init(&workspaces, tmap_gemm_workspace_bytes(&suite), GEMM_FLAG_BYTES);
    return &suite;
}

/* One whose clusters fit as they do on an H200, where one part of the device takes a single cluster
 * of four whose SMs share no way into the cache. */
static inline struct tmap_gemm *pretend_h200(void)
{
    struct tmap_gemm *suite = pretend();
    memcpy(suite->resident, gemm_h200_resident, sizeof suite->resident);
    return suite;
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
