/* What a plan's steps say, word for word; what a step of no search says; the names. */
#include "expr/field.h"
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void test_steps(void **state)
{
    static const struct {
        struct tmap_plan_step step;
        const char *text;
    } cases[] = {
        {{TMAP_REWRITE_SKIP, -1, 0, 0, 0}, "the tensor is empty: launch nothing"},
        {{TMAP_REWRITE_CHOOSE, 1, FIELD_BOX, 0, 1},
         "box[1] is 0, which means nothing: choose, for instance 1"},
        {{TMAP_REWRITE_CHOOSE, -1, FIELD_MODE, 7, 1},
         "mode is 7, which means nothing: choose, for instance 1"},
        {{TMAP_REWRITE_CHOOSE, -1, 999, 7, 1},
         "a field is 7, which means nothing: choose, for instance 1"},
        {{TMAP_REWRITE_SPLIT, 2, 0, 96, 8}, "split dimension 2 of 96 into one of 8 and one of 12"},
        {{TMAP_REWRITE_SPLIT, 2, 0, 96, 0}, "split dimension 2 of 96 into one of 0 and one of 0"},
        {{TMAP_REWRITE_COPY, -1, 0, 100, 112},
         "copy the tensor once into rows of 112 bytes instead of 100"},
        {{TMAP_REWRITE_COPY, -1, 0, 112, 112},
         "copy the tensor once to an aligned address, in rows of 112 bytes as before"},
        {{TMAP_REWRITE_COUNT, -1, 0, 0, 0}, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200], cut[8];
        const size_t n = tmap_plan_step_text(&cases[i].step, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(tmap_plan_step_text(&cases[i].step, cut, sizeof cut), n);
        assert_memory_equal(cut, text, n < sizeof cut ? n : sizeof cut - 1);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(tmap_plan_kind_name(TMAP_PLAN_PADDING), "padding");
    assert_null(tmap_plan_kind_name(TMAP_PLAN_DECISION + 1));
    assert_string_equal(tmap_rewrite_name(TMAP_REWRITE_DROP), "drop");
    assert_null(tmap_rewrite_name(TMAP_REWRITE_COUNT));
}

static void test_costs(void **state)
{
    const struct tmap_cost one = {1, 1, 1, 1, 1, 1, 1, 1};
    struct tmap_cost more[8] = {one, one, one, one, one, one, one, one};
    (void)state;
    more[0].kind++, more[1].copied_bytes++, more[2].extra_instructions++, more[3].extra_maps++;
    more[4].layout_changes++, more[5].wasted_traffic_bytes++, more[6].wasted_shared_bytes++;
    more[7].steps++;
    assert_int_equal(tmap_cost_compare(&one, &one), 0);
    for (int i = 0; i < 8; i++) {
        assert_true(tmap_cost_compare(&one, &more[i]) < 0);
        assert_true(tmap_cost_compare(&more[i], &one) > 0);
        for (int k = i + 1; k < 8; k++) assert_true(tmap_cost_compare(&more[k], &more[i]) < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
