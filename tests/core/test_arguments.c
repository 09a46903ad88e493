/* Calls that lack what they need: refused, their outputs untouched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/check_use.h"
#include "core/forms.h"
#include "tmap/solve.h"

static struct tmap_checker checker;
static const struct tmap_desc desc = {.kind = TMAP_TILED, .rank = 1};
static const struct tmap_use use = {.op = TMAP_OP_LOAD};
static struct tmap_violation out[1];
static size_t found = 77;

static void checks_of_uses(void **state)
{
    const struct {
        const struct tmap_checker *c;
        const struct tmap_desc *desc;
        const struct tmap_use *use;
        struct tmap_violation *out;
        size_t cap, *found;
    } rows[] = {{NULL, &desc, &use, out, 1, &found},
                {&checker, NULL, &use, out, 1, &found},
                {&checker, &desc, NULL, out, 1, &found},
                {&checker, &desc, &use, NULL, 1, &found},
                {&checker, &desc, &use, out, 1, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum tmap_verdict verdict;
        assert_int_equal(tmap_check_use(rows[i].c, rows[i].desc, rows[i].use, rows[i].out,
                                        rows[i].cap, rows[i].found, &verdict),
                         TMAP_E_ARGUMENT);
        assert_int_equal(tmap_advise_use(rows[i].c, rows[i].desc, rows[i].use, rows[i].out,
                                         rows[i].cap, rows[i].found),
                         TMAP_E_ARGUMENT);
        assert_int_equal(found, 77);
    }
}

static void checks_of_pipelines(void **state)
{
    const struct pipeline_facts facts = {0};
    (void)state;
    assert_int_equal(check_pipeline(NULL, &facts, out, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(check_pipeline(&checker, NULL, out, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(check_pipeline(&checker, &facts, NULL, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(check_pipeline(&checker, &facts, out, 1, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(found, 77);
}

static void folds(void **state)
{
    struct tmap_fold fold;
    struct tmap_tensor t = {.dtype = TMAP_BFLOAT16,
                            .rank = 2,
                            .dim = {64, 64},
                            .box = {64, 64},
                            .stride_bits = {16, 1025}};
    (void)state;
    assert_int_equal(tmap_fold_tensor(NULL, &fold), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_fold_tensor(&t, NULL), TMAP_E_ARGUMENT);
    tmap_fold_tensor(&t, &fold);
    assert_string_equal(fold.reason, "a stride is not a whole number of bytes");
    t.rank = 0;
    assert_int_equal(tmap_fold_tensor(&t, &fold), TMAP_E_ARGUMENT);
    t.rank = TMAP_TENSOR_RANK + 1;
    assert_int_equal(tmap_fold_tensor(&t, &fold), TMAP_E_ARGUMENT);
    t.rank = 2;
    t.dtype = -1;
    assert_int_equal(tmap_fold_tensor(&t, &fold), TMAP_E_ARGUMENT);
}

static enum tmap_verdict verdict;
static struct tmap_map map;
static struct tmap_layout layout;
static struct tmap_target target;
static struct tmap_detail detail;
static char why[80];

static void checks_of_descriptors(void **state)
{
    const enum tmap_status refused[] = {
        tmap_check_with(NULL, &desc, out, 1, &found, &verdict),
        tmap_check_with(&checker, NULL, out, 1, &found, &verdict),
        tmap_check_with(&checker, &desc, NULL, 1, &found, &verdict),
        tmap_check_with(&checker, &desc, out, 1, NULL, &verdict),
        tmap_check(&desc, NULL, TMAP_CONTRACT_SAFE, out, 1, &found),
        tmap_check_many(NULL, &desc, 1, &verdict),
        tmap_check_many(&checker, NULL, 1, &verdict),
        tmap_check_many(&checker, &desc, 1, NULL),
        tmap_not_evaluated(NULL, &desc, out, 1, &found),
        tmap_not_evaluated(&checker, NULL, out, 1, &found),
        tmap_not_evaluated(&checker, &desc, NULL, 1, &found),
        tmap_not_evaluated(&checker, &desc, out, 1, NULL),
        tmap_advise(NULL, &desc, out, 1, &found),
        tmap_advise(&checker, NULL, out, 1, &found),
        tmap_advise(&checker, &desc, NULL, 1, &found),
        tmap_advise(&checker, &desc, out, 1, NULL),
        tmap_checker_prepare(NULL, TMAP_CONTRACT_SAFE, &checker),
        tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, NULL),
        tmap_checker_prepare(&target, (enum tmap_contract)99, &checker),
        tmap_layout(NULL, &desc, &layout),
        tmap_layout(&checker, NULL, &layout),
        tmap_layout(&checker, &desc, NULL),
    };
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (refused[i] != TMAP_E_ARGUMENT) fail_msg("call %zu", i);
    assert_int_equal(found, 77);
    assert_int_equal(tmap_check_many(&checker, NULL, 0, NULL), TMAP_OK);
    assert_int_equal(tmap_not_evaluated(&checker, &desc, NULL, 0, &found), TMAP_OK);
    found = 77;
}

static void maps_and_patches(void **state)
{
    const struct tmap_patch patch = {TMAP_REPLACE_RANK, 0, 1},
                            no_field = {(enum tmap_replace_field)99, 0, 0};
    const struct tmap_patch far = {TMAP_REPLACE_GLOBAL_STRIDE, 0, UINT64_MAX / 2};
    struct tmap_patch plan[2];
    const enum tmap_status refused[] = {
        tmap_patch_apply(NULL, &patch, 1300),
        tmap_patch_apply(&map, NULL, 1300),
        tmap_patch_apply(&map, &no_field, 1300),
        tmap_patch_apply(&map, &far, 1204), /* units of 16 bytes there */
        tmap_patch_plan(NULL, &map, 1300, plan, 2, &found, why, sizeof why),
        tmap_patch_plan(&map, NULL, 1300, plan, 2, &found, why, sizeof why),
        tmap_patch_plan(&map, &map, 1300, NULL, 2, &found, why, sizeof why),
        tmap_patch_plan(&map, &map, 1300, plan, 2, &found, NULL, sizeof why),
        tmap_replace_address(NULL, &map, 0),
        tmap_replace_address(&checker, NULL, 0),
    };
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (refused[i] != TMAP_E_ARGUMENT) fail_msg("call %zu", i);
    assert_int_equal(found, 77);
    assert_int_equal(tmap_patch_plan(&map, &map, 1300, NULL, 0, NULL, NULL, 0), TMAP_OK);
    struct tmap_map_field field;
    struct tmap_desc decoded;
    struct tmap_note note;
    assert_int_equal(tmap_map_fields(NULL, &field, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_map_fields(&map, NULL, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_map_diff(NULL, &map, &field, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_map_diff(&map, NULL, &field, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_map_diff(&map, &map, NULL, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_decode(NULL, &decoded, &note, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_decode(&map, NULL, &note, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_decode(&map, &decoded, NULL, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(found, 77);
    assert_string_equal(tmap_replace_field_name(TMAP_REPLACE_BOX_DIM), "box_dim");
    assert_null(tmap_replace_field_name((enum tmap_replace_field)99));
}

static void details(void **state)
{
    const struct tmap_violation v = {0, -1}, no_row = {TMAP_NO_ROW, -1};
    (void)state;
    assert_int_equal(tmap_detail_of(NULL, &desc, &use, &v, &detail), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_detail_of(&target, NULL, &use, &v, &detail), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_detail_of(&target, &desc, &use, NULL, &detail), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_detail_of(&target, &desc, &use, &v, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_detail_of(&target, &desc, &use, &no_row, &detail), TMAP_E_ARGUMENT);
}

static bool read_nothing(void *user, uint64_t address, void *to, size_t bytes)
{
    (void)user, (void)address, (void)to, (void)bytes;
    return true;
}

static void simulations(void **state)
{
    uint8_t smem[16];
    const struct tmap_memory whole = {.read = read_nothing, .smem = smem, .smem_bytes = 16};
    const struct tmap_memory no_smem = {.read = read_nothing}, no_read = {.smem = smem};
    const struct tmap_use replace = {.op = TMAP_OP_REPLACE};
    struct tmap_outcome o;
    const enum tmap_status refused[] = {
        tmap_simulate(NULL, &desc, &use, &whole, &o),
        tmap_simulate(&checker, NULL, &use, &whole, &o),
        tmap_simulate(&checker, &desc, NULL, &whole, &o),
        tmap_simulate(&checker, &desc, &use, NULL, &o),
        tmap_simulate(&checker, &desc, &use, &whole, NULL),
        tmap_simulate(&checker, &desc, &use, &no_smem, &o),
        tmap_simulate(&checker, &desc, &use, &no_read, &o),
        tmap_simulate(&checker, &desc, &replace, &whole, &o),
    };
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (refused[i] != TMAP_E_ARGUMENT) fail_msg("call %zu", i);
}

static void names_beyond_the_last(void **state)
{
    (void)state;
    assert_null(tmap_row_id(TMAP_NO_ROW));
    assert_null(tmap_row_name(TMAP_NO_ROW));
    assert_false(tmap_row_is_advisory(TMAP_NO_ROW));
    assert_null(tmap_form_name(TMAP_FORM_COUNT));
    assert_null(tmap_arch_name(0));
    assert_int_equal(tmap_arch_find(NULL), 0);
    assert_int_equal(tmap_arch_find("sm_1"), 0);
}

/* Of a kind that no call has nothing is advised, and of forms each says which ranks it takes. */
static void kinds_and_forms(void **state)
{
    (void)state;
    for (int32_t kind = -1; kind <= TMAP_IM2COL_WIDE + 1; kind++) {
        const struct tmap_desc d = {.kind = kind, .dtype = TMAP_UINT8, .rank = 7};
        const struct tmap_use prefetch = {.op = TMAP_OP_PREFETCH};
        size_t n = 9;
        assert_int_equal(tmap_advise(&checker, &d, NULL, 0, &n), TMAP_OK);
        assert_int_equal(tmap_advise_use(&checker, &d, &prefetch, NULL, 0, &n), TMAP_OK);
        assert_int_equal(tmap_check_use(&checker, &d, &prefetch, NULL, 0, &n, &verdict), TMAP_OK);
    }
    for (int f = 0; f < TMAP_FORM_COUNT; f++) {
        uint32_t taken = 0;
        for (uint32_t dim = 0; dim < 8; dim++) taken += tmap_form_takes_dim((enum tmap_form)f, dim);
        assert_in_range(taken, 1, 8);
    }
}

static int begin(void **state)
{
    (void)state;
    target = tmap_default_target();
    return tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_of_uses),
        cmocka_unit_test(checks_of_pipelines),
        cmocka_unit_test(folds),
        cmocka_unit_test(checks_of_descriptors),
        cmocka_unit_test(maps_and_patches),
        cmocka_unit_test(details),
        cmocka_unit_test(simulations),
        cmocka_unit_test(names_beyond_the_last),
        cmocka_unit_test(kinds_and_forms),
    };
    return cmocka_run_group_tests_name("arguments", tests, begin, NULL);
}
