/* Plans where the library that has the quickest kernel is not there: of the kernels that are; and
 * the words where none is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "support/emulated_suites.h"
#include "tmap/code.h"

/* In place of the libraries' own: no image is anywhere. What the suite has loaded it keeps. */
bool tmap_code_embedded_at(size_t i, struct tmap_code_embedded *image)
{
    (void)i;
    memset(image, 0, sizeof *image);
    return false;
}

/* Of the driver, whatever is asked of a module: only plans are made here. */
static tmap_cu_result a_function(tmap_cu_function *function, tmap_cu_module module,
                                 const char *name)
{
    static int some;
    (void)module, (void)name;
    *function = (tmap_cu_function)&some;
    return 0;
}
static tmap_cu_result an_attribute(tmap_cu_function function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return 0;
}

static struct tmap_gemm *suite;

/* Whether a plan's tile is of an image, by the table of kernels. */
static bool is_of(const struct tmap_gemm_plan *plan, enum gemm_image image)
{
    for (size_t i = 0; i < gemm_instance_count; i++) {
        const struct gemm_instance *g = &gemm_instances[i];
        if (g->family == GEMM_SM90 && g->kind == GEMM_S8 && g->image == image &&
            gemm_tile_m(g) == plan->config.tile_m && g->bn == plan->config.tile_n &&
            g->pingpong == (plan->config.pingpong > 0))
            return true;
    }
    return false;
}

static struct tmap_gemm_problem product(enum tmap_gemm_kind kind, enum tmap_gemm_out out, int32_t m,
                                        int32_t n, int32_t k)
{
    return (struct tmap_gemm_problem){
        .kind = kind, .out = out, .m = m, .n = n, .k = k, .batch = 1, .alpha = 1};
}

static void test_other_kernels_do(void **state)
{
    /* One round of 132 tiles of 128 x 144. */
    const struct tmap_gemm_problem p = product(TMAP_GEMM_S8, TMAP_GEMM_OUT_S32, 1536, 1456, 4096);
    struct tmap_gemm_plan with, without;
    struct tmap_gemm_refusal why;
    (void)state;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &with, &why), TMAP_OK);
    assert_true(is_of(&with, GEMM_WIDTHS));
    const struct tmap_gemm_config same = {.tile_m = with.config.tile_m,
                                          .tile_n = with.config.tile_n,
                                          .pingpong = with.config.pingpong};

    memset(suite->functions, 0, sizeof suite->functions);
    suite->modules[GEMM_S8][GEMM_WIDTHS] = NULL;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &without, &why), TMAP_OK);
    assert_true(is_of(&without, GEMM_COMMON));
    assert_string_equal(why.text, "");
    assert_int_equal(tmap_gemm_make_plan(suite, &p, &same, &without, &why), TMAP_E_NOT_BUILT);
    assert_non_null(strstr(why.text, "library"));
}

static void test_none_is_there(void **state)
{
    const struct tmap_gemm_problem p = product(TMAP_GEMM_E5M2, TMAP_GEMM_OUT_BF16, 512, 512, 512);
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why;
    (void)state;
    memset(suite->functions, 0, sizeof suite->functions);
    for (int image = 0; image < GEMM_IMAGES; image++) suite->modules[GEMM_E5M2][image] = NULL;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_NOT_BUILT);
    assert_non_null(strstr(why.text, "library"));
}

int main(void)
{
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulated_as_h200(suite);
    suite->gpu.api.module_get_function = a_function;
    suite->gpu.api.func_set_attribute = an_attribute;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_kernels_do),
                                       cmocka_unit_test(test_none_is_there)};
    return cmocka_run_group_tests_name("a library that is not there", tests, NULL, NULL);
}
