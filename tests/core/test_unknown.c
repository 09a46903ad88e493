/* One meaning of unknown: every call that judges gives the same answer, and none of them lets an
 * unknown one pass for legal. Over all contracts, over targets that sources cover and that none
 * does, and over subjects drawn near every row's bounds. */
#include "core/checker.h"
#include "support/vectors.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define OF_A_ROW 400u
#define MOST 256

static const struct {
    const char *cuda, *ptx, *driver, *arch;
    bool covered;
} targets[] = {
    {"13.0", NULL, NULL, "sm_90a", true},    {"12.0", NULL, NULL, "sm_90", true},
    {"12.8", NULL, NULL, "sm_100a", true},   {"12.8", NULL, NULL, "sm_101a", true},
    {"13.5", NULL, NULL, "sm_120f", true},   {"13.4", NULL, NULL, "sm_107", true},
    {"12.6", "8.7", "570", "sm_100a", true}, {"13.0", NULL, "9999", "sm_90a", false},
    {"12.0", NULL, NULL, "sm_100a", false},  {"13.0", NULL, NULL, "sm_107", false},
    {"12.8", NULL, "550", "sm_100a", false}, {"13.0", NULL, "500", "sm_90a", false},
    {"13.0", "9.9", NULL, "sm_90a", false},  {"12.7", NULL, NULL, "sm_90a", false},
    {"12.8", NULL, NULL, "sm_103a", false},  {"12.4", NULL, NULL, "sm_90a", true},
};
#define TARGETS (sizeof targets / sizeof targets[0])

static struct tmap_checker checker_of(size_t target, enum tmap_contract contract)
{
    struct tmap_target t;
    struct tmap_checker c;
    assert_int_equal(tmap_target_from(targets[target].cuda, targets[target].ptx,
                                      targets[target].driver, targets[target].arch, &t),
                     TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&t, contract, &c), TMAP_OK);
    return c;
}

/* What a call without a place for the verdict says. */
static enum tmap_verdict said(enum tmap_status status, size_t found)
{
    if (status == TMAP_E_TARGET || status == TMAP_E_UNDECIDED) {
        assert_int_equal(found, 0);
        return TMAP_UNKNOWN;
    }
    assert_int_equal(status, TMAP_OK);
    return found > 0 ? TMAP_ILLEGAL : TMAP_LEGAL;
}

static void descriptor_agrees(const struct tmap_checker *c, const struct tmap_desc *d,
                              unsigned long count[3])
{
    struct tmap_violation v[MOST];
    enum tmap_verdict with, many;
    size_t found = 77, waiting = 77;
    const enum tmap_verdict verdict = tmap_verdict_of(c, d);
    assert_int_equal(tmap_check_with(c, d, v, MOST, &found, &with), TMAP_OK);
    assert_int_equal(with, verdict);
    assert_int_equal(found > 0, verdict == TMAP_ILLEGAL);
    assert_int_equal(tmap_check_many(c, d, 1, &many), TMAP_OK);
    assert_int_equal(many, verdict);
    enum tmap_status status = tmap_check_with(c, d, v, MOST, &found, NULL);
    assert_int_equal(said(status, found), verdict);
    status = tmap_check(d, &c->target, c->contract, v, MOST, &found);
    assert_int_equal(said(status, found), verdict);
    assert_int_equal(tmap_not_evaluated(c, d, NULL, 0, &waiting), TMAP_OK);
    if (c->covered != TMAP_OK)
        assert_int_equal(verdict, TMAP_UNKNOWN);
    else if (found == 0 && waiting > 0) /* a row that decides could not be evaluated */
        assert_int_equal(verdict, TMAP_UNKNOWN);
    count[verdict]++;
}

static void use_agrees(const struct tmap_checker *c, const struct vector *s, unsigned long count[3])
{
    enum tmap_verdict verdict;
    size_t found = 77, again = 77;
    assert_int_equal(tmap_check_use(c, &s->desc, &s->use, NULL, 0, &found, &verdict), TMAP_OK);
    assert_int_equal(found > 0, verdict == TMAP_ILLEGAL);
    const enum tmap_status status = tmap_check_use(c, &s->desc, &s->use, NULL, 0, &again, NULL);
    assert_int_equal(said(status, again), verdict);
    if (c->covered != TMAP_OK || (unsigned)s->desc.kind > TMAP_IM2COL_WIDE)
        assert_int_equal(verdict, TMAP_UNKNOWN);
    count[verdict]++;
}

static void calls_agree(void **state)
{
    static struct vector_plan plan;
    unsigned long descs[3] = {0}, uses[3] = {0};
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        if (row_subject_of(row) == SUBJECT_PIPELINE) continue;
        plan = vector_plan_of(row);
        for (uint32_t k = 0; k < OF_A_ROW; k++) {
            struct vector v;
            vector_make(&plan, k, &v);
            if (k % 7 == 3) v.desc.dtype = 99 - (int)(k % 5) * 40;
            const struct tmap_checker c =
                checker_of((k / 4 + row) % TARGETS, (enum tmap_contract)(k % 4));
            descriptor_agrees(&c, &v.desc, descs);
            use_agrees(&c, &v, uses);
        }
    }
    print_message("# descriptors: %lu legal, %lu illegal, %lu unknown; uses: %lu, %lu, %lu\n",
                  descs[0], descs[1], descs[2], uses[0], uses[1], uses[2]);
    for (int i = 0; i < 3; i++) assert_true(descs[i] > 500 && uses[i] > 500);
}

/* README's own call, with a type that no toolkit has: the hardware's rows cannot be asked. */
static void a_type_that_does_not_exist(void **state)
{
    (void)state;
    const struct tmap_target t = tmap_default_target();
    struct tmap_violation v[16];
    struct tmap_desc d;
    struct tmap_use use;
    struct pipeline_facts none;
    size_t found = 77;
    row_witness_make(ROW_TMA001, true, &d, &use, &none);
    d.dtype = 99;
    assert_int_equal(tmap_check(&d, &t, TMAP_CONTRACT_HARDWARE, v, 16, &found), TMAP_E_UNDECIDED);
    assert_int_equal(found, 0);
    assert_int_equal(tmap_check(&d, &t, TMAP_CONTRACT_SAFE, v, 16, &found), TMAP_OK);
    assert_true(found > 0);
}

static void sources_cover_what_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < TARGETS; i++)
        for (int contract = 0; contract <= TMAP_CONTRACT_HARDWARE; contract++) {
            const struct tmap_checker c = checker_of(i, (enum tmap_contract)contract);
            assert_int_equal(c.covered == TMAP_OK, targets[i].covered);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_agree),
        cmocka_unit_test(a_type_that_does_not_exist),
        cmocka_unit_test(sources_cover_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
