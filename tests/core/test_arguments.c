/* Calls that lack what they need: refused, their outputs untouched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/check_use.h"
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

static int begin(void **state)
{
    const struct tmap_target target = tmap_default_target();
    (void)state;
    return tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checks_of_uses),
                                       cmocka_unit_test(checks_of_pipelines),
                                       cmocka_unit_test(folds)};
    return cmocka_run_group_tests_name("arguments", tests, begin, NULL);
}
