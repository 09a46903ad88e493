/* A space's verdicts against tmap_prune()'s, one configuration at a time, bit by bit. */
#include "support/checkers.h"
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define LIST 8

static uint64_t seed = 7;
static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* Sizes as people write them, odd ones, 0, and the largest there are. */
static uint32_t word(uint32_t most)
{
    switch (below(8)) {
    case 0:
        return below(most + 1);
    case 1:
        return 8 * below(most / 8 + 1);
    case 2:
        return below(8) ? 0 : UINT32_MAX - below(4);
    default:
        return 1u << below(10);
    }
}

struct drawn {
    uint32_t list[5][LIST];
    struct tmap_space space;
};

static void draw(struct drawn *d)
{
    size_t count[5];
    for (int k = 0; k < 5; k++) {
        count[k] = 1 + below(LIST);
        for (size_t i = 0; i < count[k]; i++)
            d->list[k][i] = k == 3 ? below(14) : k == 4 ? word(40) : word(512);
    }
    d->space = (struct tmap_space){d->list[0], d->list[1], d->list[2], d->list[3], d->list[4],
                                   count[0],   count[1],   count[2],   count[3],   count[4]};
}

static const char *const archs[] = {"sm_90a", "sm_100a", "sm_100", "sm_121a", "sm_103f"};
static const int32_t types[] = {TMAP_BFLOAT16, TMAP_UINT8,        TMAP_FLOAT64,
                                TMAP_TFLOAT32, TMAP_16U4_ALIGN8B, TMAP_16U4_ALIGN16B};

static struct tmap_problem problem(void)
{
    return (struct tmap_problem){.m = 1 + below(9000),
                                 .n = 1 + below(9000),
                                 .k = 16 * (1 + below(600)),
                                 .dtype = types[below(6)],
                                 .out_dtype = types[below(4)],
                                 .accumulators = below(3),
                                 .model = below(TMAP_MODEL_COUNT)};
}

static void test_verdicts_are_those_of_prune(void **state)
{
    static uint8_t verdicts[LIST * LIST * LIST * LIST * LIST];
    uint64_t seen[3] = {0}, all = 0;
    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        struct drawn d;
        draw(&d);
        struct tmap_target t = tmap_default_target();
        struct tmap_checker c;
        assert_int_equal(tmap_target_from(NULL, NULL, NULL, archs[below(5)], &t), TMAP_OK);
        assert_int_equal(tmap_checker_prepare(&t, below(TMAP_CONTRACT_HARDWARE + 1), &c), TMAP_OK);
        const struct tmap_problem p = problem();
        const uint64_t size = tmap_space_size(&d.space),
                       first = below(2) ? 0 : below((uint32_t)size);
        const uint64_t n = below(2) ? size - first : 1 + below((uint32_t)(size - first));
        const size_t bytes = tmap_space_workspace(&d.space);
        void *workspace = malloc(bytes);
        uint64_t counts[3], sums[3] = {0};
        assert_int_equal(
            tmap_prune_space(&c, &p, &d.space, first, n, verdicts, counts, workspace, bytes),
            TMAP_OK);
        for (uint64_t k = 0; k < n; k++, all++) {
            struct tmap_config config;
            struct tmap_config_answer a;
            tmap_space_at(&d.space, first + k, &config);
            assert_int_equal(tmap_prune(&c, &p, &config, 1, &a), TMAP_OK);
            if (a.verdict != verdicts[k])
                print_message("# model %u type %d: %u x %u x %u, %u stages, %u warps: %u not %u\n",
                              p.model, p.dtype, config.block_m, config.block_n, config.block_k,
                              config.stages, config.warps, verdicts[k], a.verdict);
            assert_int_equal(verdicts[k], a.verdict);
            sums[a.verdict]++;
            seen[a.verdict]++;
        }
        assert_memory_equal(counts, sums, sizeof sums);
        assert_int_equal(
            tmap_prune_space(&c, &p, &d.space, first, n, NULL, counts, workspace, bytes), TMAP_OK);
        assert_memory_equal(counts, sums, sizeof sums);
        free(workspace);
    }
    print_message("# %llu configurations: %llu legal\n", (unsigned long long)all,
                  (unsigned long long)seen[TMAP_LEGAL]);
    assert_true(seen[TMAP_LEGAL] > 1000 && seen[TMAP_ILLEGAL] > 1000);
}

static void test_misuse(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_problem p = {
        .m = 64, .n = 64, .k = 64, .dtype = TMAP_BFLOAT16, .out_dtype = TMAP_BFLOAT16};
    static uint64_t room[1 << 16];
    struct drawn d;
    uint64_t counts[3];
    (void)state;
    draw(&d);
    const uint64_t size = tmap_space_size(&d.space);
    assert_int_equal(tmap_prune_space(&c, &p, &d.space, 1, size, NULL, counts, room, sizeof room),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_prune_space(&c, &p, &d.space, 0, size, NULL, counts, room, 8),
                     TMAP_E_ROOM);
    assert_int_equal(tmap_prune_space(&c, &p, &d.space, size, 0, NULL, counts, room, sizeof room),
                     TMAP_OK);
    assert_int_equal(counts[0] + counts[1] + counts[2], 0);
    assert_int_equal(tmap_space_workspace(NULL), 0);
}

/* Where no source says anything nothing is known of any configuration. */
static void test_an_uncovered_target(void **state)
{
    const struct tmap_problem p = {
        .m = 64, .n = 64, .k = 64, .dtype = TMAP_BFLOAT16, .out_dtype = TMAP_BFLOAT16};
    static uint64_t room[1 << 16];
    struct tmap_target t = tmap_default_target();
    struct tmap_checker c;
    struct drawn d;
    uint64_t counts[3] = {1, 1, 1};
    uint8_t verdicts[3] = {TMAP_LEGAL, TMAP_LEGAL, TMAP_LEGAL};
    (void)state;
    draw(&d);
    t.driver = 9999;
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    for (int to = 0; to < 2; to++) {
        assert_int_equal(tmap_prune_space(&c, &p, &d.space, 0, 1, to ? verdicts : NULL, counts,
                                          room, sizeof room),
                         TMAP_OK);
        assert_true(counts[TMAP_UNKNOWN] == 1 && !counts[TMAP_LEGAL] && !counts[TMAP_ILLEGAL]);
    }
    assert_true(verdicts[0] == TMAP_UNKNOWN && verdicts[1] == TMAP_LEGAL);
    for (uint32_t i = 0; i < TMAP_MODEL_COUNT; i++)
        assert_true(tmap_model_name(i) && tmap_model_about(i));
    assert_true(!tmap_model_name(TMAP_MODEL_COUNT) && !tmap_model_about(TMAP_MODEL_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts_are_those_of_prune),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_an_uncovered_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
