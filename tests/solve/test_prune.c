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

static bool has_row(const struct tmap_config_answer *a, const char *id)
{
    for (uint32_t i = 0; i < a->row_count; i++)
        if (strcmp(tmap_row_id(a->rows[i]), id) == 0) return true;
    return false;
}

static const struct known {
    const char *arch;
    struct tmap_config config;
    uint64_t shared_bytes; /* of the ring model; 16 bytes of barriers a stage */
    enum tmap_verdict verdict;
} known[] = {
    {"sm_90a", {128, 128, 128, 4, 8, 0}, 262144 + 64, TMAP_ILLEGAL},
    {"sm_90a", {128, 128, 128, 3, 8, 0}, 196608 + 48, TMAP_LEGAL},
    {"sm_90a", {64, 64, 32, 1, 4, 0}, 8192 + 16, TMAP_LEGAL},
    {"sm_90a", {128, 128, 64, 4, 8, 0}, 131072 + 64, TMAP_LEGAL},
    {"sm_90a", {256, 256, 128, 5, 16, 0}, 655360 + 80, TMAP_ILLEGAL},
    {"sm_100a", {256, 256, 128, 5, 16, 0}, 655360 + 80, TMAP_ILLEGAL},
    {"sm_100a", {256, 256, 128, 1, 16, 0}, 131072 + 16, TMAP_LEGAL},
    {"sm_121a", {256, 256, 128, 5, 16, 0}, 655360 + 80, TMAP_ILLEGAL},
    {"sm_121a", {128, 128, 64, 3, 8, 0}, 98304 + 48, TMAP_LEGAL},
    {"sm_121a", {128, 128, 64, 4, 8, 0}, 131072 + 64, TMAP_ILLEGAL},
    {"sm_121a", {256, 128, 64, 2, 8, 0}, 98304 + 32, TMAP_LEGAL},
};

static void test_public_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct tmap_config_answer a =
            ask(known[i].arch, TMAP_MODEL_RING, TMAP_BFLOAT16, known[i].config);
        assert_int_equal(a.shared_bytes, known[i].shared_bytes);
        assert_int_equal(a.verdict, known[i].verdict);
        if (a.verdict == TMAP_ILLEGAL) assert_true(has_row(&a, "TMA181"));
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
        if (smem == 0 || checker_on(tmap_arch_name(tmap_arch_at(i))).covered != TMAP_OK) continue;
        const struct tmap_config c = {256, 256, 128, 5, 16, 0};
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
        const struct tmap_config c = {number(o, "BLOCK_M"),   number(o, "BLOCK_N"),
                                      number(o, "BLOCK_K"),   number(o, "num_stages"),
                                      number(o, "num_warps"), 0};
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
    const struct tmap_config small = {64, 64, 32, 1, 4, 0}, large = {128, 256, 64, 3, 8, 0};
    const struct tmap_config_answer a = ask("sm_90a", 0, TMAP_BFLOAT16, small);
    const struct tmap_config_answer b = ask("sm_90a", 0, TMAP_BFLOAT16, large);
    assert_int_equal(a.tiles, 64 * 64);
    assert_int_equal(a.l2_bytes, 4096ull * 128 * 4096 * 2);
    assert_int_equal(b.dram_bytes, 3ull * 4096 * 4096 * 2);
    assert_true(a.intensity == 32.0);
    assert_true(b.time_us < a.time_us);
}

/* More rows than an answer holds: the first of the table. */
static void test_more_rows_than_an_answer_holds(void **state)
{
    static const char *const first[TMAP_CONFIG_ROWS] = {
        "TMA013", "TMA014", "TMA022", "TMA023", "TMA026", "TMA028", "TMA052", "TMA181",
        "TMA182", "TMA183", "TMA185", "TMA188", "TMA190", "TMA191", "TMA195", "TMA198"};
    const struct tmap_checker c = checker_on("sm_90");
    const struct tmap_problem p = {.m = UINT64_C(1) << 32,
                                   .n = UINT64_C(1) << 40,
                                   .k = 4100,
                                   .dtype = TMAP_16U6_ALIGN16B,
                                   .out_dtype = TMAP_INT64,
                                   .accumulators = UINT32_MAX - 1,
                                   .model = TMAP_MODEL_TCGEN05};
    const struct tmap_config config = {UINT32_C(1) << 31, 257, 1, 128, 34, 2};
    struct tmap_config_answer a;
    (void)state;
    assert_int_equal(tmap_prune(&c, &p, &config, 1, &a), TMAP_OK);
    assert_int_equal(a.verdict, TMAP_ILLEGAL);
    assert_int_equal(a.row_count, TMAP_CONFIG_ROWS);
    for (int i = 0; i < TMAP_CONFIG_ROWS; i++)
        assert_string_equal(tmap_row_id(a.rows[i]), first[i]);
}

/* Sizes of nothing and of more than any tensor has: answered, with terms that are numbers. */
static void test_sizes_of_any_magnitude(void **state)
{
    static const uint64_t sizes[] = {0, 4096, UINT64_C(1) << 62, UINT64_MAX};
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_config config = {64, 64, 64, 2, 4, 0};
    (void)state;
    for (int i = 0; i < 4 * 4 * 4; i++) {
        const struct tmap_problem p = {.m = sizes[i % 4],
                                       .n = sizes[i / 4 % 4],
                                       .k = sizes[i / 16],
                                       .dtype = TMAP_BFLOAT16,
                                       .out_dtype = TMAP_BFLOAT16};
        const bool whole = p.m == 4096 && p.n == 4096 && p.k == 4096, none = !p.m || !p.n;
        struct tmap_config_answer a;
        assert_int_equal(tmap_prune(&c, &p, &config, 1, &a), TMAP_OK);
        assert_int_equal(a.verdict, whole ? TMAP_LEGAL : TMAP_ILLEGAL);
        assert_true(a.tiles <= INT64_MAX && a.l2_bytes <= INT64_MAX && a.dram_bytes <= INT64_MAX);
        assert_true(a.wave_efficiency > 0 && a.wave_efficiency <= 1);
        assert_true((a.intensity > 0) == (!none && p.k));
        assert_int_equal(a.tiles > 0, !none);
    }
}

/* The stride of rows that no tensor has stands where sums do. */
static void test_rows_of_any_length(void **state)
{
    const struct tmap_problem p = {.m = 64,
                                   .n = 64,
                                   .k = UINT64_C(1) << 62,
                                   .dtype = TMAP_BFLOAT16,
                                   .out_dtype = TMAP_BFLOAT16};
    const struct tmap_config config = {512, 64, 128, 2, 4, 0};
    struct tmap_config_copy copy[7], two[2] = {{.operand = 9}, {.operand = 9}};
    size_t n = 0, counted = 0;
    (void)state;
    assert_int_equal(tmap_config_copies(&p, &config, 0, copy, 7, &n), TMAP_OK);
    assert_int_equal(n, 6); /* two columns of boxes, of two for A and of one for B */
    assert_int_equal(copy[0].desc.stride_bytes[0], INT64_MAX);
    assert_int_equal(tmap_config_copies(&p, &config, 0, two, 1, &counted), TMAP_OK);
    assert_int_equal(counted, n);
    assert_memory_equal(&two[0], &copy[0], sizeof *copy);
    assert_int_equal(two[1].operand, 9);
}

/* Of a target that no source covers nothing is known, whatever the sums say. */
static void test_uncovered_target(void **state)
{
    struct tmap_target t = tmap_default_target();
    struct tmap_checker c;
    const struct tmap_problem p = {
        .m = 4096, .n = 4096, .k = 4096, .dtype = TMAP_BFLOAT16, .out_dtype = TMAP_BFLOAT16};
    const struct tmap_config configs[] = {{64, 64, 64, 2, 4, 0}, {64, 64, 64, 99, 4, 0}};
    struct tmap_config_answer a[2];
    (void)state;
    t.driver = 9999;
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    assert_int_equal(tmap_prune(&c, &p, configs, 2, a), TMAP_OK);
    assert_int_equal(a[0].verdict, TMAP_UNKNOWN);
    assert_int_equal(a[1].verdict, TMAP_UNKNOWN);
}

/* tcgen05 multiplies all 32-bit floats as tf32, 8 along K at once; no integers of 32 bits. */
static void test_types_of_32_bits(void **state)
{
    static const int32_t floats[] = {TMAP_FLOAT32, TMAP_FLOAT32_FTZ, TMAP_TFLOAT32,
                                     TMAP_TFLOAT32_FTZ};
    const struct tmap_config config = {128, 128, 32, 2, 4, 0};
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(ask("sm_100a", TMAP_MODEL_TCGEN05, floats[i], config).verdict, TMAP_LEGAL);
    const struct tmap_config_answer a = ask("sm_100a", TMAP_MODEL_TCGEN05, TMAP_INT32, config);
    assert_int_equal(a.verdict, TMAP_ILLEGAL);
    assert_true(has_row(&a, "TMA195"));
}

/* K = 4100 in 2-byte elements: no row of A starts at 16 bytes. */
static void test_rows_of_the_operands(void **state)
{
    const struct tmap_checker c = checker_on("sm_90a");
    const struct tmap_problem p = {.m = 64, .n = 64, .k = 4100, .dtype = TMAP_BFLOAT16};
    const struct tmap_config config = {64, 64, 64, 2, 4, 0};
    struct tmap_config_answer a;
    (void)state;
    assert_int_equal(tmap_prune(&c, &p, &config, 1, &a), TMAP_OK);
    assert_int_equal(a.verdict, TMAP_ILLEGAL);
    assert_string_equal(tmap_row_id(a.rows[0]), "TMA014");
    assert_int_equal(tmap_prune(&c, NULL, &config, 1, &a), TMAP_E_ARGUMENT);
}

/* One configuration for each row that a copy or a sum can violate. */
static const struct refused {
    const char *arch, *row;
    uint32_t model;
    struct tmap_config config;
} refused[] = {
    {"sm_90a", "TMA026", TMAP_MODEL_RING, {128, 128, 4, 2, 4, 0}},
    {"sm_90a", "TMA180", TMAP_MODEL_RING, {128, 128, 64, 0, 4, 0}},
    {"sm_90a", "TMA188", TMAP_MODEL_RING, {128, 128, 64, 2, 33, 0}},
    {"sm_90a", "TMA142", TMAP_MODEL_RING, {100, 128, 8, 1, 4, 0}},
    {"sm_90a", "TMA183", TMAP_MODEL_RING, {128, 100, 8, 2, 4, 0}},
    {"sm_90a", "TMA025", TMAP_MODEL_RING, {0, 128, 64, 2, 4, 0}},
    {"sm_90a", "TMA206", TMAP_MODEL_TRITON, {96, 64, 64, 2, 4, 0}},
    {"sm_90a", "TMA207", TMAP_MODEL_TRITON, {128, 64, 64, 2, 3, 0}},
    {"sm_90a", "TMA196", TMAP_MODEL_TCGEN05, {128, 128, 64, 2, 4, 0}},
    {"sm_100", "TMA191", TMAP_MODEL_TCGEN05, {128, 128, 64, 2, 4, 0}},
    {"sm_100a", "TMA185", TMAP_MODEL_TCGEN05, {256, 512, 32, 1, 4, 0}},
    {"sm_100a", "TMA197", TMAP_MODEL_TCGEN05, {96, 128, 64, 2, 4, 0}},
    {"sm_100a", "TMA197", TMAP_MODEL_TCGEN05, {64, 128, 64, 2, 4, 2}},
    {"sm_100a", "TMA205", TMAP_MODEL_TCGEN05, {256, 40, 64, 2, 4, 2}},
    {"sm_100a", "TMA189", TMAP_MODEL_TCGEN05, {256, 64, 64, 2, 4, 3}},
};

static void test_each_row_that_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct tmap_config_answer a =
            ask(refused[i].arch, refused[i].model, TMAP_BFLOAT16, refused[i].config);
        print_message("# %s %s\n", refused[i].arch, refused[i].row);
        assert_int_equal(a.verdict, TMAP_ILLEGAL);
        assert_true(has_row(&a, refused[i].row));
    }
}

/* What nobody ran is not called observed, and what the model does not say is unknown. */
static void test_basis_and_unknown(void **state)
{
    const struct tmap_config plain = {128, 128, 64, 3, 8, 0}, wide = {256, 256, 64, 4, 8, 2};
    const struct tmap_config spread = {128, 128, 64, 3, 8, 4};
    (void)state;
    assert_int_equal(ask("sm_90a", TMAP_MODEL_TRITON, TMAP_BFLOAT16, plain).basis, TMAP_OBSERVED);
    assert_int_equal(ask("sm_100a", TMAP_MODEL_TRITON, TMAP_BFLOAT16, plain).basis, TMAP_INFERRED);
    assert_int_equal(ask("sm_90a", TMAP_MODEL_TRITON, TMAP_BFLOAT16, spread).verdict, TMAP_UNKNOWN);
    const struct tmap_config_answer a = ask("sm_100a", TMAP_MODEL_TCGEN05, TMAP_BFLOAT16, wide);
    assert_int_equal(a.verdict, TMAP_LEGAL);
    assert_int_equal(a.basis, TMAP_INFERRED);
    assert_int_equal(a.tmem_columns, 256);
    assert_int_equal(a.shared_bytes, 4 * (2 * 128 * 64 * 2 + 16));
    assert_int_equal(ask("sm_100a", TMAP_MODEL_TRITON, TMAP_BFLOAT16, plain).tmem_columns, 128);
    assert_int_equal(ask("sm_100", TMAP_MODEL_TRITON, TMAP_BFLOAT16, plain).tmem_columns, 0);
}

static const struct drawn {
    const char *arch;
    uint32_t model;
    int32_t dtype;
} drawn[] = {
    {"sm_90a", TMAP_MODEL_RING, TMAP_BFLOAT16},      {"sm_90a", TMAP_MODEL_TRITON, TMAP_FLOAT16},
    {"sm_90a", TMAP_MODEL_RING, TMAP_UINT8},         {"sm_100a", TMAP_MODEL_TCGEN05, TMAP_BFLOAT16},
    {"sm_100a", TMAP_MODEL_RING, TMAP_16U4_ALIGN8B}, {"sm_103a", TMAP_MODEL_TCGEN05, TMAP_TFLOAT32},
    {"sm_121a", TMAP_MODEL_TRITON, TMAP_UINT8},      {"sm_90a", TMAP_MODEL_RING, TMAP_FLOAT64},
};

static uint64_t seed = 20261122;
static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* A size as people write them, and sometimes any. */
static uint32_t size_of(uint32_t most)
{
    const uint32_t grain[] = {64, 16, 8, 1};
    const uint32_t g = grain[below(4)];
    return below(3) ? 1u << below(10) : g * (1 + below(most / g));
}

/* Every copy of every stage is legal and lies within the shared bytes; together the boxes of an
 * operand's tile hold all of it, and none lies over another's bytes. */
static void check_expanded(const struct drawn *w, const struct tmap_problem *p,
                           const struct tmap_config *c, const struct tmap_config_answer *a)
{
    static struct tmap_config_copy copy[4096];
    static uint8_t used[1 << 18];
    const struct tmap_checker checker = checker_on(w->arch);
    memset(used, 0, sizeof used);
    for (uint32_t stage = 0; stage < c->stages; stage++) {
        size_t n, found;
        uint64_t elements[3] = {0};
        assert_int_equal(tmap_config_copies(p, c, stage, copy, 4096, &n), TMAP_OK);
        assert_in_range(n, 2, 4096);
        for (size_t i = 0; i < n; i++) {
            struct tmap_layout l;
            assert_int_equal(tmap_check_with(&checker, &copy[i].desc, NULL, 0, &found, NULL),
                             TMAP_OK);
            assert_int_equal(found, 0);
            assert_int_equal(
                tmap_check_use(&checker, &copy[i].desc, &copy[i].use, NULL, 0, &found, NULL),
                TMAP_OK);
            assert_int_equal(found, 0);
            assert_int_equal(tmap_layout(&checker, &copy[i].desc, &l), TMAP_OK);
            assert_true(copy[i].use.smem + l.footprint_bytes <= a->shared_bytes);
            elements[copy[i].operand] += (uint64_t)copy[i].desc.box[0] * copy[i].desc.box[1];
            for (uint64_t b = 0; copy[i].operand < 2 && b < l.footprint_bytes; b += 16)
                assert_int_equal(used[(copy[i].use.smem + b) / 16]++, 0);
        }
        const bool pair = p->model == TMAP_MODEL_TCGEN05 && c->ctas == 2;
        assert_int_equal(elements[0], (uint64_t)c->block_m * c->block_k / (pair ? 2 : 1));
        assert_int_equal(elements[1], (uint64_t)c->block_n * c->block_k / (pair ? 2 : 1));
        if (w->model == TMAP_MODEL_TRITON)
            assert_int_equal(elements[2], (uint64_t)c->block_m * c->block_n);
    }
}

#define DRAWN 100000
static void test_possible_ones_expand_to_legal_copies(void **state)
{
    unsigned possible[sizeof drawn / sizeof *drawn] = {0};
    (void)state;
    for (unsigned i = 0; i < DRAWN; i++) {
        const unsigned k = i % (sizeof drawn / sizeof *drawn);
        const struct tmap_checker checker = checker_on(drawn[k].arch);
        const struct tmap_problem p = {.m = 8 * (1 + below(4096)),
                                       .n = 8 * (1 + below(4096)),
                                       .k = 32 * (1 + below(512)),
                                       .dtype = drawn[k].dtype,
                                       .out_dtype = TMAP_BFLOAT16,
                                       .model = drawn[k].model};
        const struct tmap_config c = {size_of(512), size_of(512),   size_of(256),
                                      1 + below(6), 1u << below(5), 1 + below(2)};
        struct tmap_config_answer a;
        assert_int_equal(tmap_prune(&checker, &p, &c, 1, &a), TMAP_OK);
        if (a.verdict != TMAP_LEGAL) continue;
        possible[k]++;
        check_expanded(&drawn[k], &p, &c, &a);
    }
    for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++) {
        print_message("# %s, model %u, type %d: %u possible\n", drawn[k].arch, drawn[k].model,
                      drawn[k].dtype, possible[k]);
        assert_true(possible[k] > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_row_that_refuses),
        cmocka_unit_test(test_basis_and_unknown),
        cmocka_unit_test(test_possible_ones_expand_to_legal_copies),
        cmocka_unit_test(test_public_lists),
        cmocka_unit_test(test_impossible_anywhere),
        cmocka_unit_test(test_triton_recording),
        cmocka_unit_test(test_triton_holdout),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_ranking_terms),
        cmocka_unit_test(test_rows_of_the_operands),
        cmocka_unit_test(test_more_rows_than_an_answer_holds),
        cmocka_unit_test(test_sizes_of_any_magnitude),
        cmocka_unit_test(test_rows_of_any_length),
        cmocka_unit_test(test_uncovered_target),
        cmocka_unit_test(test_types_of_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
