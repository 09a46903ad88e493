/* What each contract asks for, row by row, against what was last accepted (contracts.txt): a change
 * of a row's evidence or effect shows here (make mutate proves that), or where it is documentation
 * only, in docs/RULES.md. TMAP_BLESS=1 writes the file anew. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/checker.h"
#include "support/contracts.h"

#define CONTRACTS "tests/rules/contracts.txt"

static void bless(void)
{
    char line[CONTRACT_LINE];
    FILE *f = fopen(CONTRACTS, "w");
    assert_non_null(f);
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        contract_line(&row_table[row], line);
        fprintf(f, "%s\n", line);
    }
    fclose(f);
}

static void contracts_ask_what_they_asked(void **state)
{
    (void)state;
    char line[CONTRACT_LINE], expected[CONTRACT_LINE];
    int wrong = 0;
    if (getenv("TMAP_BLESS")) bless();
    FILE *f = fopen(CONTRACTS, "r");
    assert_non_null(f);
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        contract_line(&row_table[row], line);
        if (!fgets(expected, sizeof expected, f)) expected[0] = '\0';
        expected[strcspn(expected, "\n")] = '\0';
        if (strcmp(line, expected) == 0) continue;
        fprintf(stderr, "is       %s\nexpected %s\n", line, expected);
        wrong++;
    }
    assert_null(fgets(expected, sizeof expected, f));
    fclose(f);
    assert_int_equal(wrong, 0);
}

static void check_target(const struct tmap_target *t)
{
    for (int contract = 0; contract <= TMAP_CONTRACT_HARDWARE; contract++) {
        struct tmap_checker c;
        assert_int_equal(tmap_checker_prepare(t, (enum tmap_contract)contract, &c), TMAP_OK);
        for (tmap_row row = 0; row < ROW_COUNT; row++) {
            const struct row *r = &row_table[row];
            const bool advisory = r->effect == EFFECT_ADVISORY;
            assert_int_equal(row_set_has(c.advisory, row), advisory);
            assert_int_equal(row_set_has(c.active, row),
                             !advisory && row_counts(r, t, (enum tmap_contract)contract));
        }
    }
}

static void checkers_hold_the_rows_that_count(void **state)
{
    (void)state;
    static const struct tmap_target targets[] = {
#define CUDA(id, text, ptx, driver)                                                                \
    {id, ptx, driver, TMAP_ARCH(90, 1)}, {id, ptx, 580, TMAP_ARCH(90, 0)},                         \
        {id, ptx, driver, TMAP_ARCH(100, 1)}, {id, ptx, 580, TMAP_ARCH(120, 2)},
#include "rules/targets.def"
    };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) check_target(&targets[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contracts_ask_what_they_asked),
        cmocka_unit_test(checkers_hold_the_rows_that_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
