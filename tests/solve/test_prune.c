/* Which kernel configurations can exist: the two lists of the public record, and 202 configurations
 * that Triton 3.6 compiled or refused on an H200 (tests/data/triton_configs.jsonl). */
#include "support/checkers.h"
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static struct tmap_config_answer ask(const char *arch, uint32_t model, int32_t dtype,
                                     struct tmap_config config)
{
    const struct tmap_checker c = checker_on(arch);
    const struct tmap_problem p = {.m = 4096,
                                   .n = 4096,
                                   .k = 4096,
                                   .dtype = dtype,
                                   .out_dtype = TMAP_BFLOAT16,
                                   .model = model};
    struct tmap_config_answer a;
    assert_int_equal(tmap_prune(&c, &p, &config, 1, &a), TMAP_OK);
    return a;
}

static const struct known {
    const char *arch;
    struct tmap_config config;
    uint64_t shared_bytes; /* of the ring model; 16 bytes of barriers a stage */
    enum tmap_verdict verdict;
} known[] = {
    {"sm_90a", {128, 128, 128, 4, 8}, 262144 + 64, TMAP_ILLEGAL},
    {"sm_90a", {128, 128, 128, 3, 8}, 196608 + 48, TMAP_LEGAL},
    {"sm_90a", {64, 64, 32, 1, 4}, 8192 + 16, TMAP_LEGAL},
    {"sm_90a", {128, 128, 64, 4, 8}, 131072 + 64, TMAP_LEGAL},
    {"sm_90a", {256, 256, 128, 5, 16}, 655360 + 80, TMAP_ILLEGAL},
    {"sm_100a", {256, 256, 128, 5, 16}, 655360 + 80, TMAP_ILLEGAL},
    {"sm_100a", {256, 256, 128, 1, 16}, 131072 + 16, TMAP_LEGAL},
    {"sm_121a", {256, 256, 128, 5, 16}, 655360 + 80, TMAP_ILLEGAL},
    {"sm_121a", {128, 128, 64, 3, 8}, 98304 + 48, TMAP_LEGAL},
    {"sm_121a", {128, 128, 64, 4, 8}, 131072 + 64, TMAP_ILLEGAL},
    {"sm_121a", {256, 128, 64, 2, 8}, 98304 + 32, TMAP_LEGAL},
};

static void test_public_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct tmap_config_answer a =
            ask(known[i].arch, TMAP_MODEL_RING, TMAP_BFLOAT16, known[i].config);
        assert_int_equal(a.shared_bytes, known[i].shared_bytes);
        assert_int_equal(a.verdict, known[i].verdict);
        if (a.verdict == TMAP_ILLEGAL) assert_string_equal(tmap_row_id(a.rows[0]), "TMA181");
        if (a.verdict == TMAP_LEGAL) assert_true(a.max_stages >= known[i].config.stages);
    }
}

/* 256x256x128 with 5 stages has no place on any architecture known. */
static void test_impossible_anywhere(void **state)
{
    size_t tried = 0;
    (void)state;
    for (size_t i = 0; tmap_arch_at(i); i++) {
        uint32_t smem = 0;
        tmap_capacity(tmap_arch_at(i), &smem, NULL);
        if (smem == 0) continue;
        const struct tmap_config c = {256, 256, 128, 5, 16};
        assert_int_equal(ask(tmap_arch_name(tmap_arch_at(i)), 0, TMAP_BFLOAT16, c).verdict,
                         TMAP_ILLEGAL);
        tried++;
    }
    assert_true(tried >= 15);
}

static uint32_t number(json_t *o, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(o, key));
}

static int32_t dtype_of(json_t *o)
{
    const char *name = json_string_value(json_object_get(o, "dtype"));
    return strcmp(name, "UINT8") == 0     ? TMAP_UINT8
           : strcmp(name, "FLOAT16") == 0 ? TMAP_FLOAT16
                                          : TMAP_BFLOAT16;
}

struct tally {
    unsigned ran, failed, predicted;
};

/* Nothing that ran may be called impossible; of what ran, the shared bytes are exact. */
static struct tally judge_recording(const char *path)
{
    unsigned ran = 0, failed = 0, predicted = 0;
    char line[2048];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        json_t *o = json_loads(line, 0, NULL);
        assert_non_null(o);
        const struct tmap_config c = {number(o, "BLOCK_M"), number(o, "BLOCK_N"),
                                      number(o, "BLOCK_K"), number(o, "num_stages"),
                                      number(o, "num_warps")};
        const struct tmap_config_answer a = ask("sm_90a", TMAP_MODEL_TRITON, dtype_of(o), c);
        if (strcmp(json_string_value(json_object_get(o, "status")), "ran") == 0) {
            ran++;
            assert_int_equal(a.verdict, TMAP_LEGAL);
            assert_int_equal(a.shared_bytes, number(o, "shared"));
        } else {
            failed++;
            predicted += a.verdict == TMAP_ILLEGAL;
        }
        json_decref(o);
    }
    fclose(f);
    print_message("# %s: %u ran, none called impossible; %u failed, %u of them predicted\n", path,
                  ran, failed, predicted);
    return (struct tally){ran, failed, predicted};
}

/* The runs that the model was fitted to. */
static void test_triton_recording(void **state)
{
    const struct tally t = judge_recording("tests/data/triton_configs.jsonl");
    (void)state;
    assert_int_equal(t.ran, 168);
    assert_int_equal(t.failed, 34);
    assert_int_equal(t.predicted, 34);
}

/* Runs with another seed, made when the model stood, none of them among those above. */
static void test_triton_holdout(void **state)
{
    const struct tally t = judge_recording("tests/data/triton_configs_holdout.jsonl");
    (void)state;
    assert_int_equal(t.ran, 128);
    assert_int_equal(t.failed, 39);
    assert_int_equal(t.predicted, 39);
}

static void test_space(void **state)
{
    const uint32_t m[] = {64, 128}, k[] = {32, 64, 128}, s[] = {1, 2, 3, 4}, w[] = {4, 8};
    const struct tmap_space space = {m, m, k, s, w, 2, 2, 3, 4, 2};
    struct tmap_config first, last;
    (void)state;
    assert_int_equal(tmap_space_size(&space), 2 * 2 * 3 * 4 * 2);
    tmap_space_at(&space, 0, &first);
    tmap_space_at(&space, 95, &last);
    assert_int_equal(first.block_m, 64);
    assert_int_equal(first.warps, 4);
    assert_int_equal(last.block_m, 128);
    assert_int_equal(last.stages, 4);
    assert_int_equal(last.warps, 8);
}

static void test_ranking_terms(void **state)
{
    (void)state;
    const struct tmap_config small = {64, 64, 32, 1, 4}, large = {128, 256, 64, 3, 8};
    const struct tmap_config_answer a = ask("sm_90a", 0, TMAP_BFLOAT16, small);
    const struct tmap_config_answer b = ask("sm_90a", 0, TMAP_BFLOAT16, large);
    assert_int_equal(a.tiles, 64 * 64);
    assert_int_equal(a.l2_bytes, 4096ull * 128 * 4096 * 2);
    assert_int_equal(b.dram_bytes, 3ull * 4096 * 4096 * 2);
    assert_true(a.intensity == 32.0);
    assert_true(b.time_us < a.time_us);
}

/* K = 4100 in 2-byte elements: no row of A starts at 16 bytes. */
static void test_rows_of_the_operands(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_problem p = {.m = 64, .n = 64, .k = 4100, .dtype = TMAP_BFLOAT16};
    const struct tmap_config config = {64, 64, 64, 2, 4};
    struct tmap_config_answer a;
    (void)state;
    assert_int_equal(tmap_prune(&c, &p, &config, 1, &a), TMAP_OK);
    assert_int_equal(a.verdict, TMAP_ILLEGAL);
    assert_string_equal(tmap_row_id(a.rows[0]), "TMA014");
    assert_int_equal(tmap_prune(&c, NULL, &config, 1, &a), TMAP_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_public_lists),
        cmocka_unit_test(test_impossible_anywhere),
        cmocka_unit_test(test_triton_recording),
        cmocka_unit_test(test_triton_holdout),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_ranking_terms),
        cmocka_unit_test(test_rows_of_the_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
