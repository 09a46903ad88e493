/* Each row against what it said when its line of expectations.txt was last accepted: over the
 * subjects of tests/support/vectors.h, at how many it was violated, and a hash of the places. A
 * change to a condition, a need, a span, a kind or a shared set shows here (make mutate proves
 * that); where it is meant, TMAP_BLESS=1 writes the file anew and the diff is the review. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/vectors.h"

#define EXPECTATIONS "tests/rules/expectations.txt"
#define LINE 160

struct line {
    unsigned violated;
    char text[LINE];
};
static struct line lines[ROW_COUNT];

static void line_of(tmap_row row, struct line *out)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a over words */
    const struct vector_plan plan = vector_plan_of(row);
    out->violated = 0;
    for (uint32_t n = 0; n < VECTORS_PER_ROW; n++) {
        struct vector v;
        vector_make(&plan, n, &v);
        const struct subject s = vector_subject(&v);
        const uint32_t places = vector_violates(row, &s);
        out->violated += places != 0;
        hash = (hash ^ places) * UINT64_C(0x100000001b3);
    }
    snprintf(out->text, LINE, "%s %s violated %u of %u, %016llx\n", row_table[row].id,
             row_table[row].name, out->violated, VECTORS_PER_ROW, (unsigned long long)hash);
}

static int measure(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) line_of(row, &lines[row]);
    return 0;
}

static void bless(void)
{
    FILE *f = fopen(EXPECTATIONS, "w");
    assert_non_null(f);
    for (tmap_row row = 0; row < ROW_COUNT; row++) fputs(lines[row].text, f);
    fclose(f);
}

static void rows_say_what_they_said(void **state)
{
    (void)state;
    char expected[LINE];
    if (getenv("TMAP_BLESS")) bless();
    FILE *f = fopen(EXPECTATIONS, "r");
    assert_non_null(f);
    int wrong = 0;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        if (!fgets(expected, sizeof expected, f)) expected[0] = '\0';
        if (strcmp(lines[row].text, expected) == 0) continue;
        fprintf(stderr, "is       %sexpected %s", lines[row].text, expected);
        wrong++;
    }
    assert_null(fgets(expected, sizeof expected, f));
    fclose(f);
    assert_int_equal(wrong, 0);
}

/* A row that is never violated, or always, tells nothing. */
static void every_row_is_sometimes_violated(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++)
        if (lines[row].violated < 400 || lines[row].violated > VECTORS_PER_ROW - 400)
            fail_msg("%s is violated %u times", row_table[row].id, lines[row].violated);
}

/* A slot that vector_write does not know would stay at the witness's value. */
static void every_slot_moves(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        const struct vector_plan plan = vector_plan_of(row);
        struct vector v;
        for (int k = 0; k < plan.slots; k++) {
            int128 at0 = 0, at1 = 0;
            const struct subject s = vector_subject(&v);
            vector_make(&plan, 0, &v);
            vector_write(&v, plan.slot[k].number, 0);
            assert_true(field_read(&s, plan.slot[k].number, &at0));
            vector_write(&v, plan.slot[k].number, 1);
            assert_true(field_read(&s, plan.slot[k].number, &at1));
            if (at0 != 0 || at1 != 1)
                fail_msg("%s: slot %d", row_table[row].id, plan.slot[k].number);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_what_they_said),
        cmocka_unit_test(every_row_is_sometimes_violated),
        cmocka_unit_test(every_slot_moves),
    };
    return cmocka_run_group_tests(tests, measure, NULL);
}
