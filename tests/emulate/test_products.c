/* The shipped matrix products on the emulator, against plain sums: every instance, with
 * configurations drawn from all that the host offers for it (clusters, split-K, stream-K, store
 * warps, pingpong), on random small shapes of small integers. No finding is a right answer too.
 *
 * TMAP_EMULATE_SHAPES says how many shapes of each instance (1). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_instances.h"

static struct tmap_gemm *suite;
static struct emulated *emulator;
static const char *source; /* of the kernels that are loaded */

static uint32_t draw(uint64_t *r, uint32_t below)
{
    *r = *r * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*r >> 33) % below;
}

static struct tmap_gemm_problem shape_of(const struct gemm_instance *g, uint64_t *r)
{
    const int32_t tile_m = 64 * g->wgs;
    const uint32_t far = draw(r, 4) ? 2 : 4; /* tiles, for the wider clusters */
    struct tmap_gemm_problem p = {.kind = g->kind,
                                  .m = 1 + (int32_t)draw(r, far * (uint32_t)tile_m),
                                  .n = 1 + (int32_t)draw(r, far * (uint32_t)g->bn),
                                  .k = 1 + (int32_t)draw(r, 200),
                                  .batch = 1 + (int32_t)(draw(r, 5) == 0),
                                  .alpha = 1,
                                  .a = {.mn_major = g->a_mn},
                                  .b = {.mn_major = g->b_mn},
                                  .precise = g->promote,
                                  .b_ready = g->image == GEMM_EARLY};
    const bool wide = draw(r, 2);
    p.out = g->kind == GEMM_S8    ? TMAP_GEMM_OUT_S32
            : wide                ? TMAP_GEMM_OUT_F32
            : g->kind == GEMM_F16 ? TMAP_GEMM_OUT_F16
                                  : TMAP_GEMM_OUT_BF16;
    p.d.mn_major = gemm_writes_columns(g) && draw(r, 3) == 0;
    /* Of widths between the multiples of 64 these store whole rows of 16 bits only. */
    if (!gemm_stores_itself(g) && g->bn % 64 != 0) {
        int32_t *inner = p.d.mn_major ? &p.m : &p.n;
        p.out = g->kind == GEMM_F16 ? TMAP_GEMM_OUT_F16 : TMAP_GEMM_OUT_BF16;
        *inner = (*inner + 7) / 8 * 8;
    }
    return p;
}

/* One of the configurations of this instance, made the request; false when there is none. */
static bool configure(const struct gemm_instance *g, const struct tmap_gemm_problem *p, uint64_t *r,
                      struct tmap_gemm_config *out)
{
    const struct tmap_gemm_config request = {.tile_m = 64 * g->wgs,
                                             .tile_n = g->bn,
                                             .swapped = -1,
                                             .pingpong = g->pingpong ? 1 : -1,
                                             .store_warp = draw(r, 3) ? 0 : -1};
    return emulated_gemm_pick(suite, p, &request, g, draw(r, 1u << 31), out);
}

static void one(const struct gemm_instance *g, uint64_t seed)
{
    uint64_t r = seed * 977 + (uint64_t)(g - gemm_instances);
    struct emulated_product product;
    struct tmap_gemm_config config;
    struct tmap_gemm_problem p = shape_of(g, &r);
    int tries = 0;
    if (!emulated_product_make(suite, &p, seed, &product)) fail_msg("memory");
    while (!configure(g, &product.problem, &r, &config) && tries++ < 20) {
        emulated_product_free(suite, &product);
        p = shape_of(g, &r);
        if (!emulated_product_make(suite, &p, seed, &product)) fail_msg("memory");
    }
    emulator->how.ready = product.problem.b.address; /* as a promise says */
    emulator->how.ready_bytes =
        product.problem.b_ready ? emulated_bytes(product.problem.b.address) : 0;
    const bool clean = emulated_gemm_clean(suite, &product.problem, &config,
                                           (enum tmap_emulate_schedule)(draw(&r, 3)), seed);
    const uint64_t wrong = emulated_product_wrong(&product);
    if (!clean || wrong) {
        fail_msg("%s %dx%dx%d seed %u: %llu wrong; cluster %dx%d split %d "
                 "stream %d store warp %d direct %d",
                 g->name, p.m, p.n, p.k, (unsigned)seed, (unsigned long long)wrong,
                 config.cluster_m, config.cluster_n, config.split_k, config.stream_k,
                 config.store_warp, config.direct);
    }
    emulated_product_free(suite, &product);
}

static void instances(void **state)
{
    const uint64_t shapes = emulated_shapes(1);
    source = *state;
    assert_true(emulated_ptx(source));
    const size_t seen = emulated_each_instance(suite, shapes, one);
    print_message("# %s: %zu instances, %u shapes each\n", source, seen, (unsigned)shapes);
    assert_true(seen > 0);
    emulated_unload();
}

#define SOURCE(name)                                                                               \
    cmocka_unit_test_prestate(instances, (void *)(uintptr_t) "src/kernels/gemm/sm90/" name)

int main(void)
{
    struct CMUnitTest tests[] = {
        SOURCE("bf16"),        SOURCE("bf16_majors"),   SOURCE("bf16_widths"),
        SOURCE("f16_widths"),  SOURCE("f16"),           SOURCE("f16_majors"),
        SOURCE("tf32"),        SOURCE("e4m3"),          SOURCE("e4m3_promoted"),
        SOURCE("e5m2"),        SOURCE("e5m2_promoted"), SOURCE("s8"),
        SOURCE("bf16_high"),   SOURCE("f16_high"),      SOURCE("e4m3_high"),
        SOURCE("e4m3_widths"), SOURCE("bf16_early"),    SOURCE("f16_early"),
        SOURCE("e5m2_widths"), SOURCE("e5m2_high"),     SOURCE("s8_widths")};
    static const char *const names[] = {
        "bf16",        "bf16_majors", "bf16_widths",   "f16_widths",  "f16",           "f16_majors",
        "tf32",        "e4m3",        "e4m3_promoted", "e5m2",        "e5m2_promoted", "s8",
        "bf16_high",   "f16_high",    "e4m3_high",     "e4m3_widths", "bf16_early",    "f16_early",
        "e5m2_widths", "e5m2_high",   "s8_widths"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) tests[i].name = names[i];
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/gemm/sm90/bf16")) return emulated_skip("emulated products");
    emulated_unload();
    const int failed = cmocka_run_group_tests_name("emulated products", tests, NULL, NULL);
    emulated_close();
    return failed;
}
