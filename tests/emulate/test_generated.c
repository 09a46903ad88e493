/* PTX that pip's Triton (3.6) made without a GPU of one source, for Hopper, Blackwell and its
 * consumer parts: wgmma, tcgen05 and mma.sync of the same product, against a plain sum. The source:
 *
 *   acc = tl.dot(a_desc.load([pm * BM, k]), b_desc.load([pn * BN, k]).T, acc), over k by BK;
 *   tl.store(c + rm[:, None] * N + rn[None, :], acc)      with BM = BN = BK = 64, 4 warps, 3 stages
 *
 * Triton does not fence its mbarrier.init before the copy engine uses the barrier; nothing else may
 * be found. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tmap/emulate.h"

enum { TILE = 64, M = 128, N = 128, K = 192, FINDINGS = 64 };
#define A_AT 0x100000000u
#define B_AT 0x200000000u
#define C_AT 0x300000000u

static int8_t a[M * K], b[N * K];
static uint16_t a_bf16[M * K], b_bf16[N * K];
static float c[M * N];

static struct tmap_emulate_module *load(const char *path)
{
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_error error;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = malloc(1 << 18);
    const size_t bytes = fread(text, 1, 1 << 18, f);
    fclose(f);
    if (tmap_emulate_load(text, bytes, &module, &error) != TMAP_OK)
        fail_msg("%s:%u: %s", path, error.line, error.text);
    free(text);
    return module;
}

static void fill(int8_t *values, uint16_t *bits, uint32_t count, uint32_t factor)
{
    static const uint16_t bf16[] = {0xc000, 0xbf80, 0, 0x3f80};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = (i * factor) >> 30;
        values[i] = (int8_t)((int)k - 2);
        bits[i] = bf16[k];
    }
}

static struct tmap_map map_of(uint64_t address, uint64_t rows)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_map map;
    const struct tmap_desc d = {.dtype = TMAP_BFLOAT16,
                                .rank = 2,
                                .address = address,
                                .dim = {K, rows},
                                .stride_bytes = {K * 2},
                                .box = {TILE, TILE},
                                .elem_stride = {1, 1},
                                .swizzle = TMAP_SWIZZLE_128B};
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    assert_int_equal(tmap_encode(&checker, &d, &map), TMAP_OK);
    return map;
}

/* Each descriptor is its 128 bytes, then shape and strides; then c, N, K, and scratch memory. */
static size_t parameters(const struct tmap_emulate_module *module, uint8_t *block)
{
    const uint64_t rest[] = {C_AT, N, K, 0, 0};
    uint32_t offset, bytes, end = 0, maps = 0, after = 0, next = 0;
    for (size_t i = 0; tmap_emulate_param(module, "mmd", i, &offset, &bytes, NULL); i++) {
        end = offset + bytes;
        if (bytes == sizeof(struct tmap_map)) {
            const struct tmap_map m = map_of(maps ? B_AT : A_AT, maps ? N : M);
            memcpy(block + offset, &m, sizeof m);
            maps++, after = 4;
        } else if (after) {
            const uint64_t shape[] = {1, K, K, maps == 1 ? M : N};
            memcpy(block + offset, &shape[--after], bytes < 8 ? bytes : 8);
        } else {
            memcpy(block + offset, &rest[next++], bytes);
        }
    }
    return end;
}

static uint64_t wrong(void)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < M * N; i++) {
        int32_t sum = 0;
        for (uint32_t k = 0; k < K; k++) sum += a[i / N * K + k] * b[i % N * K + k];
        n += c[i] != (float)sum;
    }
    return n;
}

static void product(void **state)
{
    static struct tmap_emulate_finding finding[FINDINGS];
    static uint8_t block[4096];
    struct tmap_emulate_module *module = load(*state);
    const struct tmap_emulate_buffer buffers[] = {{A_AT, sizeof a_bf16, a_bf16, "A"},
                                                  {B_AT, sizeof b_bf16, b_bf16, "B"},
                                                  {C_AT, sizeof c, c, "C"}};
    struct tmap_emulate_launch launch = {.kernel = "mmd",
                                         .grid = {2, 2, 1},
                                         .block = {128, 1, 1},
                                         .smem_bytes = 65536,
                                         .params = block,
                                         .buffers = buffers,
                                         .buffer_count = 3,
                                         .budget = 20000000};
    launch.param_bytes = parameters(module, block);
    for (int s = TMAP_EMULATE_EARLIEST; s <= TMAP_EMULATE_RANDOM; s++) {
        struct tmap_emulate_result result;
        size_t found = 0;
        memset(c, 0xff, sizeof c);
        launch.schedule = (enum tmap_emulate_schedule)s;
        launch.seed = 7;
        assert_int_equal(tmap_emulate_run(module, &launch, finding, FINDINGS, &found, &result),
                         TMAP_OK);
        for (size_t i = 0; i < found && i < FINDINGS; i++)
            if (finding[i].kind != TMAP_EMULATE_PROXY || !strstr(finding[i].text, "mbarrier.init"))
                fail_msg("schedule %d: %s", s, finding[i].text);
        assert_true(result.finished);
        assert_true(result.counts.multiplies > 0);
        assert_int_equal(wrong(), 0);
    }
    tmap_emulate_free(module);
}

#define TARGET(name)                                                                               \
    cmocka_unit_test_prestate(product,                                                             \
                              (void *)(uintptr_t) "tests/data/ptx/triton_product_" name ".ptx")

int main(void)
{
    struct CMUnitTest tests[] = {TARGET("sm_90"), TARGET("sm_100"), TARGET("sm_120")};
    static const char *const names[] = {"wgmma, sm_90a", "tcgen05, sm_100a", "mma.sync, sm_120a"};
    for (size_t i = 0; i < 3; i++) tests[i].name = names[i];
    fill(a, a_bf16, M * K, 2654435761u);
    fill(b, b_bf16, N * K, 2246822519u);
    return cmocka_run_group_tests_name("generated kernels", tests, NULL, NULL);
}
