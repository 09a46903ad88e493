/* What comes from outside is refused at each bound of bounds.def, by the member's name, before
 * anything calculates with it; what is within them never leads out of a table or past 32 bits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../support/gemm_suite.h"
#include "support/splitmix.h"

static struct tmap_gemm *loaded(void)
{
    struct tmap_gemm *suite = pretend();
    for (size_t i = 0; i < gemm_instance_count; i++)
        suite->functions[i] = (tmap_cu_function)(uintptr_t)(i + 1);
    return suite;
}

static const struct tmap_gemm_config nothing;

/* That the request or the problem is refused, and says why in the member's name. */
static void refused(const struct tmap_gemm_problem *p, const struct tmap_gemm_config *request,
                    const char *member)
{
    struct tmap_gemm *suite = loaded();
    struct tmap_gemm_plan plan;
    struct tmap_gemm_config config;
    struct tmap_gemm_refusal why;
    assert_int_equal(tmap_gemm_make_plan(suite, p, request, &plan, &why), TMAP_E_ARGUMENT);
    if (!strstr(why.text, member)) fail_msg("'%s' does not name %s", why.text, member);
    assert_int_equal(tmap_gemm_tune(suite, p, request, 1, NULL, &plan, &why), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_gemm_configs(suite, p, request, &config, 1), 0);
}

static void each_number_has_its_bounds(void **state)
{
    (void)state;
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 512, 512);
    struct tmap_gemm_config c = nothing;
    struct tmap_gemm_problem q = p;
#define CONFIG(member, low, high)                                                                  \
    c.member = (low)-1, refused(&p, &c, #member " is"), c.member = INT32_MIN;                      \
    refused(&p, &c, #member " is"), c.member = (high) + 1, refused(&p, &c, #member " is");         \
    c.member = INT32_MAX, refused(&p, &c, #member " is"), c.member = 0;
#define PROBLEM(member, low, high)                                                                 \
    q.member = (low)-1, refused(&q, NULL, #member " is"), q.member = (high) + 1;                   \
    refused(&q, NULL, #member " is"), q.member = p.member;
#define MATRIX(member, low, high)                                                                  \
    q.a.member = (low)-1, refused(&q, NULL, "A's " #member), q.a.member = (high) + 1;              \
    refused(&q, NULL, "A's " #member), q.a = p.a, q.d.member = INT64_MAX;                          \
    refused(&q, NULL, "D's " #member), q.d = p.d;
#define EPILOGUE(member, low, high)                                                                \
    q.epilogue.member = (low)-1, refused(&q, NULL, "epilogue: " #member " is");                    \
    q.epilogue.member = (high) + 1, refused(&q, NULL, "epilogue: " #member " is");                 \
    q.epilogue.member = 0;
#define BLOCK_SCALE(member, low, high)                                                             \
    q.block_scale = (struct tmap_gemm_block_scale){4096, 4096, 512, 4};                            \
    q.block_scale.member = (low)-1, refused(&q, NULL, "block_scale: " #member " is");              \
    q.block_scale.member = (high) + 1, refused(&q, NULL, "block_scale: " #member " is");           \
    q.block_scale = p.block_scale;
#include "kernels/gemm/bounds.def"
}

/* Each address of an epilogue has its alignment, and the second output lies as D does. */
static void epilogues_that_go_together(void **state)
{
    (void)state;
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 512, 512);
    struct tmap_gemm_problem q = p;
#define STEP(word, member, bytes)                                                                  \
    q.epilogue.member = (bytes) > 1 ? 4096 + (bytes) / 2 : 0;                                      \
    if ((bytes) > 1) refused(&q, NULL, "epilogue: " #member " is not");                            \
    q.epilogue = p.epilogue;
#include "kernels/gemm/epilogue.def"
    q.epilogue.second = (struct tmap_gemm_matrix){.address = 4096, .ld = 511};
    refused(&q, NULL, "second's ld is less");
    q.epilogue.second.ld = 513;
    refused(&q, NULL, "second's ld in bytes is not a multiple of 16");
    q.epilogue.second.ld = 512, q.epilogue.second.mn_major = true;
    refused(&q, NULL, "second lies not as D does");
    q.epilogue.second.mn_major = false, q.batch = 2;
    q.epilogue.second.batch_stride = 512 * 511;
    refused(&q, NULL, "second's batch_stride is less");
    q = p, q.out = TMAP_GEMM_OUT_E4M3, q.beta = 1, q.c = q.d;
    refused(&q, NULL, "no C beside an out of 8 bits");
    q = p, q.out = TMAP_GEMM_OUT_E5M2;
    q.epilogue.second = (struct tmap_gemm_matrix){.address = 4096, .ld = 512};
    refused(&q, NULL, "no second beside an out of 8 bits");
    q = product(TMAP_GEMM_S8, 512, 512, 512), q.out = TMAP_GEMM_OUT_S32;
    q.epilogue.amax = 4096;
    refused(&q, NULL, "s32");
}

/* A gate makes half as many columns, and has neither C nor a second output. */
static void gates_that_go_together(void **state)
{
    (void)state;
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 512, 512);
    for (int32_t gate = TMAP_GEMM_GATE_HALVES; gate <= TMAP_GEMM_GATE_PAIRS; gate++) {
        struct tmap_gemm_problem q = p;
        q.epilogue.gate = gate, q.n = 511;
        refused(&q, NULL, "gate needs an even N");
        q.n = 512, q.beta = 1, q.c = q.d;
        refused(&q, NULL, "no C beside a gate");
        q.beta = 0;
        q.epilogue.second = (struct tmap_gemm_matrix){.address = 4096, .ld = 512};
        refused(&q, NULL, "no second beside a gate");
    }
}

/* B of a gate is a map of both halves, a tile's one after the other, in one box or in pieces of as
 * many sharers; D has half of N's columns. */
static void gates_have_maps_of_halves(void **state)
{
    (void)state;
    struct tmap_gemm *suite = loaded();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 1000, 512);
    struct tmap_gemm_plan plan;
    for (int32_t sharers = 1; sharers <= 4; sharers *= 2) {
        const struct tmap_gemm_config request = {
            .tile_m = 64, .tile_n = 64, .cluster_m = sharers, .cluster_n = 1};
        for (p.epilogue.gate = 1; p.epilogue.gate < GEMM_GATES; p.epilogue.gate++) {
            const bool pairs = p.epilogue.gate == TMAP_GEMM_GATE_PAIRS;
            assert_int_equal(tmap_gemm_make_plan(suite, &p, &request, &plan, NULL), TMAP_OK);
            const struct tmap_desc *b = &plan.desc[1];
            assert_int_equal(b->rank, 4);
            assert_int_equal(b->dim[1], 500), assert_int_equal(b->dim[2], 2);
            assert_int_equal(b->stride_bytes[0], pairs ? 2048 : 1024);
            assert_int_equal(b->stride_bytes[1], pairs ? 1024 : 500 * 1024);
            assert_int_equal(b->box[1] * b->box[2], 64 / sharers);
            assert_int_equal(b->box[2], sharers == 1 ? 2 : 1);
            assert_int_equal(plan.desc[2].dim[0], 500);
        }
    }
}

/* B by rows of N: a row is a row of both halves, in boxes of 64 of its columns that sharers deal
 * out; a half whose bytes are no stride of a map has none. */
static void gates_by_rows_have_maps_of_halves(void **state)
{
    (void)state;
    struct tmap_gemm *suite = loaded();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 1008, 448);
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    p.epilogue.gate = TMAP_GEMM_GATE_HALVES;
    p.b.mn_major = true, p.b.ld = 1024;
    for (int32_t sharers = 1; sharers <= 2; sharers++) {
        const struct tmap_gemm_config request = {
            .tile_m = 128, .tile_n = 128, .cluster_m = sharers, .cluster_n = 1, .pingpong = -1};
        assert_int_equal(tmap_gemm_make_plan(suite, &p, &request, &plan, NULL), TMAP_OK);
        const struct tmap_desc *b = &plan.desc[1];
        assert_int_equal(b->rank, 4);
        assert_int_equal(b->dim[0], 504), assert_int_equal(b->dim[1], 448);
        assert_int_equal(b->dim[2], 2);
        assert_int_equal(b->stride_bytes[0], 2048), assert_int_equal(b->stride_bytes[1], 1008);
        assert_int_equal(b->box[0], 64), assert_int_equal(b->box[1], 64);
        assert_int_equal(b->box[2], 1);
    }
    p.n = 1000;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_ILLEGAL);
    assert_non_null(strstr(why.text, "map of B"));
}

/* A kind without a kernel for it says so, and a request or a group. */
static void epilogues_that_have_no_kernel(void **state)
{
    (void)state;
    struct tmap_gemm *suite = loaded();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 512, 512);
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why;
    p.epilogue.activation = TMAP_GEMM_RELU;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_OK);
    p.b.mn_major = true;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_OK);
    p.kind = TMAP_GEMM_E5M2, p.b.mn_major = false;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_NO_PLAN);
    assert_non_null(strstr(why.text, "epilogue"));
    suite->gpu.sm_count = 132; /* the quickest tile that one may hope for is a pingpong's */
    for (int i = 1; i <= GEMM_MAX_CLUSTER; i++) suite->resident[i] = 132 / i;
    p = product(TMAP_GEMM_F16, 3001, 129, 256), p.out = TMAP_GEMM_OUT_F32, p.d.ld = 132;
    p.epilogue.activation = TMAP_GEMM_RELU;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_OK);
    for (int32_t n = 1; n <= 64; n += 9) { /* small ones have the smallest tile there is */
        p = product(TMAP_GEMM_BF16, n, 7, 191), p.epilogue.activation = TMAP_GEMM_RELU;
        assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_OK);
        p = product(TMAP_GEMM_E4M3, 65, n, 191);
        p.block_scale = (struct tmap_gemm_block_scale){4096, 4096, 68, 2};
        assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_OK);
    }
    const struct tmap_gemm_config turned = {.swapped = 1};
    p = product(TMAP_GEMM_BF16, 512, 512, 512), p.epilogue.gate = TMAP_GEMM_GATE_PAIRS;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_OK);
    assert_int_equal(tmap_gemm_make_plan(suite, &p, &turned, &plan, &why), TMAP_E_NO_PLAN);
    p = product(TMAP_GEMM_TF32, 512, 512, 512), p.out = TMAP_GEMM_OUT_E4M3;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_NO_PLAN);
    assert_non_null(strstr(why.text, "epilogue"));
    p = product(TMAP_GEMM_TF32, 512, 512, 512), p.epilogue.activation = TMAP_GEMM_RELU;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_NO_PLAN);
    assert_non_null(strstr(why.text, "epilogue"));
    const struct tmap_gemm_member member = {.m = 64, .n = 64, .k = 64};
    struct tmap_gemm_group group;
    assert_int_equal(tmap_gemm_make_group(suite, &p, &member, 1, 4096, NULL, &group, &why),
                     TMAP_E_NO_PLAN);
    assert_non_null(strstr(why.text, "epilogue"));
}

static void numbers_that_go_together(void **state)
{
    (void)state;
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 512, 512);
    p.out = TMAP_GEMM_OUT_S32;
    refused(&p, NULL, "s32");
    p = product(TMAP_GEMM_S8, 512, 512, 512);
    p.alpha = 0x1p31f;
    refused(&p, NULL, "alpha");
    p.alpha = (float)(0x1p60 * 0x1p60 * 0x1p60); /* infinity */
    refused(&p, NULL, "alpha");
    p = product(TMAP_GEMM_BF16, 512, 512, 512);
    p.beta = 1, p.c = p.d, p.c.address++;
    refused(&p, NULL, "C");
    p = product(TMAP_GEMM_BF16, 512, 512, 512);
    p.workspace = 128;
    refused(&p, NULL, "workspace");
}

/* 2^28 x 2^28 x 2^28 has too many tiles of any kind to count. */
static void the_largest_extents_are_counted(void **state)
{
    (void)state;
    struct tmap_gemm *suite = loaded();
    struct tmap_gemm_problem p = product(TMAP_GEMM_E4M3, 1 << 28, 1 << 28, 1 << 28);
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_NO_PLAN);
    assert_non_null(strstr(why.text, "tiles"));
    p = product(TMAP_GEMM_E4M3, 64, 1 << 28, 1 << 28);
    p.out = TMAP_GEMM_OUT_F32;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_OK);
}

static int32_t draw(uint64_t *dice, int32_t low, int32_t high)
{
    const uint64_t span = (uint64_t)((int64_t)high - low) + 1;
    switch (splitmix(dice) % 4) {
    case 0:
        return low < 0 || low == 0 ? 0 : low;
    case 1:
        return splitmix(dice) % 2 ? low : high;
    case 2:
        return (int32_t)(low + (int64_t)(splitmix(dice) % (span < 9 ? span : 9)));
    default:
        return (int32_t)(low + (int64_t)(splitmix(dice) % span));
    }
}

/* Any request within the bounds is met or refused; a plan fits the device. */
static void any_request_within_them_is_safe(void **state)
{
    (void)state;
    uint64_t dice = 16;
    int made = 0;
    for (int round = 0; round < 3000; round++) {
        struct tmap_gemm *suite = loaded();
        struct tmap_gemm_problem p = product(
            (int32_t)(splitmix(&dice) % (GEMM_S8 + 1)), 1 + (int32_t)(splitmix(&dice) % 5000),
            1 + (int32_t)(splitmix(&dice) % 5000), 1 + (int32_t)(splitmix(&dice) % 5000));
        struct tmap_gemm_config c = nothing;
        struct tmap_gemm_plan plan;
        if (splitmix(&dice) % 16 == 0) p.n = 1 << (splitmix(&dice) % 29), p.d.ld = p.n + 15;
#define CONFIG(member, low, high)                                                                  \
    if (splitmix(&dice) % 6 == 0) c.member = draw(&dice, low, high);
#include "kernels/gemm/bounds.def"
        if (tmap_gemm_make_plan(suite, &p, &c, &plan, NULL) != TMAP_OK) continue;
        made++;
        assert_in_range(plan.smem_bytes, 1, suite->smem_optin_bytes);
        assert_in_range(plan.grid, 1, 65535 * 8);
        const struct gemm_params *k = (const void *)plan.params;
        assert_true(k->total >= 1 && k->tiles_m >= 1 && k->tiles_n >= 1 && k->k_blocks >= 1);
        assert_true(k->group >= 1 && k->stages >= 2 && k->panels >= 1);
    }
    assert_true(made > 500);
}

/* The tuner's file is read by the same bounds; a line that is not whole is as if not there. */
static void a_configuration_is_read_as_it_was_printed(void **state)
{
    (void)state;
    struct tmap_gemm_config c, back;
    char text[256], longer[300];
    for (size_t i = 0; i < GEMM_CONFIG_MEMBERS; i++) ((int32_t *)&c)[i] = 1;
    c.swapped = -1, c.tile_m = 128, c.stream_k = 77;
    const int n = gemm_print_config(text, sizeof text, &c);
    assert_int_equal(n, strlen(text));
    assert_int_equal(gemm_read_config(text, &back), GEMM_CONFIG_MEMBERS);
    assert_memory_equal(&c, &back, sizeof c);
    assert_true(gemm_print_config(text, 7, &c) == n && strlen(text) == 6);
    gemm_print_config(text, sizeof text, &c);
    static const char *const spoiled[] = {"", "x", ",1", "1,,1", "1000000", "99999999999999999999"};
    for (size_t i = 0; i < sizeof spoiled / sizeof spoiled[0]; i++)
        assert_int_equal(gemm_read_config(spoiled[i], &back), 0);
    snprintf(longer, sizeof longer, "%s,1", text);
    assert_int_equal(gemm_read_config(longer, &back), 0);
    text[strlen(text) - 2] = 0; /* cut behind a comma's number */
    assert_true(gemm_read_config(text, &back) < GEMM_CONFIG_MEMBERS);
}

/* A remembered choice that is out of bounds (or of an older format) is passed over. */
static void a_spoiled_file_is_passed_over(void **state)
{
    (void)state;
    char path[] = "/tmp/tmap-bounds-XXXXXX", key[160];
    struct tmap_gemm *suite = loaded();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 512, 512, 512);
    struct tmap_gemm_plan plan;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(key, sizeof key, "%.40s sm%d k%d o%d %dx%dx%d b%d 000 p0 c0", "", 132, p.kind, p.out,
             p.m, p.n, p.k, p.batch);
    FILE *f = fdopen(file, "w");
    fprintf(f, "%s\t128 256 4 2 1 1 1 8 132 -1 -1 -1\n", key);
    fprintf(f, "%s\t128,256,4,2,1,1,8,132,-1,-1,0,1000000,0,0,2,-1,-1,-1\n", key);
    fclose(f);
    suite->gpu.api.event_create = NULL; /* nothing is timed: no candidates are asked for */
    assert_int_equal(tmap_gemm_tune(suite, &p, NULL, 0, path, &plan, NULL), TMAP_OK);
    unlink(path);
    assert_int_equal(plan.config.load_policy, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_has_its_bounds),
        cmocka_unit_test(epilogues_that_go_together),
        cmocka_unit_test(gates_that_go_together),
        cmocka_unit_test(gates_have_maps_of_halves),
        cmocka_unit_test(gates_by_rows_have_maps_of_halves),
        cmocka_unit_test(epilogues_that_have_no_kernel),
        cmocka_unit_test(numbers_that_go_together),
        cmocka_unit_test(the_largest_extents_are_counted),
        cmocka_unit_test(any_request_within_them_is_safe),
        cmocka_unit_test(a_configuration_is_read_as_it_was_printed),
        cmocka_unit_test(a_spoiled_file_is_passed_over),
    };
    return cmocka_run_group_tests_name("gemm_bounds", tests, NULL, NULL);
}
