/* The check evaluates all rows at once, by code specialised on kind and rank. Here the same rows
 * are asked one by one, of subjects near every row's bounds, of every kind and rank and of some
 * that are none. */
#include "core/checker.h"
#include "core/derive.h"
#include "support/vectors.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define OF_A_ROW 1200u
#define MOST 128

static struct vector_plan plan;

/* Violations one by one, in the order of the table. Of a kind that no call has only the row that
 * says so means anything. */
static size_t one_by_one(const struct tmap_checker *c, const struct subject *s,
                         struct tmap_violation *out)
{
    size_t n = 0;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        if (row_subject_of(row) != SUBJECT_DESC || !row_set_has(c->active, row)) continue;
        if ((unsigned)s->desc->kind > TMAP_IM2COL_WIDE && row != ROW_TMA001) continue;
        const uint32_t places = vector_violates(row, s);
        for (uint32_t left = places; left && n < MOST; left &= left - 1) {
            const int at = row_table[row].span == SPAN_ONCE ? -1 : __builtin_ctz(left);
            out[n++] = (struct tmap_violation){row, (int16_t)at};
        }
    }
    return n;
}

static bool agrees(const struct vector *v, enum tmap_contract contract)
{
    struct tmap_violation all[MOST], each[MOST];
    const struct subject s = vector_subject(v);
    struct tmap_checker c;
    enum tmap_verdict verdict;
    size_t found;
    assert_int_equal(tmap_checker_prepare(&v->target, contract, &c), TMAP_OK);
    assert_int_equal(tmap_check_with(&c, &v->desc, all, MOST, &found, &verdict), TMAP_OK);
    if (tmap_verdict_of(&c, &v->desc) != verdict) return false;
    if (c.covered != TMAP_OK) return found == 0 && verdict == TMAP_UNKNOWN;
    const size_t n = one_by_one(&c, &s, each);
    if (n != found || (n > 0) != (verdict == TMAP_ILLEGAL)) return false;
    for (size_t i = 0; i < n; i++)
        if (all[i].row != each[i].row || all[i].index != each[i].index) return false;
    return true;
}

static bool violates(tmap_row row, const struct vector *v)
{
    const struct subject s = vector_subject(v);
    return vector_violates(row, &s) != 0;
}

static void all_at_once_is_one_by_one(void **state)
{
    unsigned long compared = 0, illegal = 0, kinds[3] = {0}, ranks[8] = {0};
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        if (row_subject_of(row) != SUBJECT_DESC) continue;
        plan = vector_plan_of(row);
        for (uint32_t k = 0; k < OF_A_ROW; k++) {
            struct vector v;
            vector_make(&plan, k, &v);
            derive_extent(&v.desc, &v.derived); /* not drawn, here */
            if (!agrees(&v, k % 2 ? TMAP_CONTRACT_SAFE : TMAP_CONTRACT_DRIVER))
                fail_msg("%s, subject %u", row_table[row].id, k);
            compared++;
            illegal += violates(row, &v);
            kinds[(unsigned)v.desc.kind < 2 ? v.desc.kind : 2]++;
            ranks[v.desc.rank < 7 ? v.desc.rank : 7]++;
        }
    }
    print_message("# %lu subjects, %lu violate the row they are drawn for\n", compared, illegal);
    for (int i = 0; i < 3; i++) assert_true(kinds[i] > compared / 50);
    for (int i = 0; i < 7; i++) assert_true(ranks[i] > compared / 500);
}

/* Both witnesses of each row, taken as of each kind and rank: where the verdict alone is asked, the
 * first violated row ends the search, and each is the first of something. */
static void witnesses_of_every_kind_and_rank(void **state)
{
    unsigned long illegal = 0;
    (void)state;
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++)
        for (int kind = TMAP_TILED; kind <= TMAP_IM2COL_WIDE; kind++)
            for (uint32_t rank = 1; rank <= TMAP_MAX_RANK; rank++) {
                struct vector v;
                for (int legal = 0; legal < 2; legal++) {
                    vector_start(row, legal, &v);
                    vector_fill(&v.desc);
                    v.desc.kind = kind;
                    v.desc.rank = rank;
                    derive_extent(&v.desc, &v.derived);
                    if (!agrees(&v, TMAP_CONTRACT_SAFE))
                        fail_msg("%s, kind %d, rank %u", row_table[row].id, kind, rank);
                    illegal += violates(row, &v);
                }
            }
    assert_true(illegal > 2 * SUBJECT_DESC_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_at_once_is_one_by_one),
        cmocka_unit_test(witnesses_of_every_kind_and_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
