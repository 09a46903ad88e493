/* Sums of numbers that a user gives, at their ends, against the same sums in 128 bits: whatever is
 * called legal must fit. */
#include "support/checkers.h"
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

__extension__ typedef unsigned __int128 u128;

#define CAPACITY 232448 /* of a block on sm_90 */

static uint64_t seed = UINT64_C(88172645463325252);
static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* A number of any size, often a power of two or next to the end. */
static uint64_t extreme(unsigned bits)
{
    const uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    switch (draw() % 4) {
    case 0:
        return most & (UINT64_C(1) << draw() % bits);
    case 1:
        return most - draw() % 300000 % (most / 2);
    case 2:
        return draw() % 64;
    default:
        return most & draw() >> draw() % bits;
    }
}

static u128 ring_bytes(const struct tmap_config *c)
{
    return ((u128)c->block_m + c->block_n) * c->block_k * 2 * c->stages;
}

static void test_configurations(void **state)
{
    const struct tmap_checker checker = checker_on("sm_90a");
    unsigned legal = 0;
    (void)state;
    for (unsigned i = 0; i < 400000; i++) {
        struct tmap_problem p = {.m = extreme(64), .n = extreme(64), .k = extreme(64)};
        if (i % 2) p.m = p.n = p.k = 4096;
        p.dtype = p.out_dtype = TMAP_BFLOAT16;
        p.model = i % 3 ? TMAP_MODEL_RING : TMAP_MODEL_TRITON;
        const struct tmap_config c = {(uint32_t)extreme(32),
                                      (uint32_t)extreme(32),
                                      i % 4 ? 64 : (uint32_t)extreme(32),
                                      (uint32_t)extreme(32),
                                      draw() % 2 ? 4 : (uint32_t)extreme(32),
                                      0};
        struct tmap_config_answer a;
        assert_int_equal(tmap_prune(&checker, &p, &c, 1, &a), TMAP_OK);
        legal += a.verdict == TMAP_LEGAL;
        if (ring_bytes(&c) > CAPACITY) assert_int_equal(a.verdict, TMAP_ILLEGAL);
        if (ring_bytes(&c) > CAPACITY) assert_true(a.max_stages < c.stages);
        assert_true(a.shared_bytes >= (ring_bytes(&c) < INT64_MAX ? ring_bytes(&c) : INT64_MAX));
        assert_true(a.time_us >= 0 && a.waves >= 0);
    }
    print_message("# %u of 400000 configurations legal\n", legal);
    assert_true(legal > 100);
}

static void test_pipelines(void **state)
{
    const struct tmap_checker checker = checker_on("sm_90a");
    struct tmap_desc d = {.dtype = TMAP_BFLOAT16,
                          .rank = 2,
                          .address = 1 << 20,
                          .dim = {4096, 8192},
                          .stride_bytes = {8192},
                          .box = {64, 128},
                          .elem_stride = {1, 1},
                          .swizzle = TMAP_SWIZZLE_128B};
    unsigned legal = 0;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        const struct tmap_pipeline p = {.loads = &d,
                                        .load_count = 1,
                                        .stages = i % 3 ? (uint32_t)extreme(32) : 0,
                                        .store = i % 2 ? &d : NULL,
                                        .store_stages = (uint32_t)extreme(32),
                                        .consumers = (uint32_t)extreme(32),
                                        .tmem_columns = i % 5 ? 0 : (uint32_t)extreme(32),
                                        .expect_tx = i % 7 ? 0 : extreme(64),
                                        .reserve_bytes = extreme(64)};
        struct tmap_budget b;
        size_t found;
        assert_int_equal(tmap_pipeline_budget(&checker, &p, &b, NULL, 0, NULL, 0, &found), TMAP_OK);
        const u128 store = p.store ? (p.store_stages ? p.store_stages : 1) : 0;
        const u128 most = ((u128)b.max_stages + store) * 16384 + p.reserve_bytes;
        const u128 used = ((u128)b.stages + store) * 16384 + p.reserve_bytes;
        legal += b.verdict == TMAP_LEGAL;
        if (used > CAPACITY) assert_int_equal(b.verdict, TMAP_ILLEGAL);
        if (b.max_stages) assert_true(most <= CAPACITY);
        if (b.verdict == TMAP_LEGAL) assert_true(b.stages <= b.max_stages);
        if (p.expect_tx && p.expect_tx != 16384) assert_int_equal(b.verdict, TMAP_ILLEGAL);
        assert_true(b.region_count >= (size_t)b.stages);
    }
    print_message("# %u of 20000 pipelines legal\n", legal);
    assert_true(legal > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_pipelines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
