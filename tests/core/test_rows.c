/* Every row: its witnesses, its needs, its tree against its native form, its evidence. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/check_use.h"
#include "core/checker.h"
#include "core/derive.h"
#include "expr/row.h"

struct witness {
    struct tmap_desc desc;
    struct tmap_use use;
    struct pipeline_facts pipeline;
};

static struct witness witness_of(tmap_row row, bool legal)
{
    struct witness w;
    row_witness_make(row, legal, &w.desc, &w.use, &w.pipeline);
    return w;
}

/* The contract under which the row decides. */
static enum tmap_contract contract_of(tmap_row row)
{
    for (int c = TMAP_CONTRACT_DOCUMENTED; c <= TMAP_CONTRACT_HARDWARE; c++) {
        struct tmap_checker k;
        tmap_checker_prepare(&row_table[row].witness.target, (enum tmap_contract)c, &k);
        if (row_set_has(k.active, row)) return (enum tmap_contract)c;
    }
    return TMAP_CONTRACT_SAFE;
}

/* All violated rows of the witness in the row's own subject. */
static size_t violated(tmap_row row, const struct witness *w, struct tmap_violation *out,
                       size_t cap)
{
    struct tmap_checker c;
    size_t found = 0;
    tmap_checker_prepare(&row_table[row].witness.target, contract_of(row), &c);
    const bool advisory = tmap_row_is_advisory(row);
    switch (row_subject_of(row)) {
    case SUBJECT_DESC:
    case SUBJECT_ERRATA:
        if (advisory)
            tmap_advise(&c, &w->desc, out, cap, &found);
        else
            tmap_check_with(&c, &w->desc, out, cap, &found, NULL);
        break;
    case SUBJECT_PIPELINE:
        check_pipeline(&c, &w->pipeline, out, cap, &found);
        break;
    default:
        if (advisory)
            tmap_advise_use(&c, &w->desc, &w->use, out, cap, &found);
        else
            tmap_check_use(&c, &w->desc, &w->use, out, cap, &found, NULL);
    }
    return found;
}

static bool decides(tmap_row row)
{
    if (tmap_row_is_advisory(row)) return true;
    struct tmap_checker c;
    tmap_checker_prepare(&row_table[row].witness.target, TMAP_CONTRACT_SAFE, &c);
    return row_set_has(c.active, row);
}

static void legal_witness_violates_nothing(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        struct tmap_violation v[32];
        const struct witness w = witness_of(row, true);
        if (!decides(row)) continue;
        const size_t n = violated(row, &w, v, 32);
        bool itself = false;
        for (size_t i = 0; i < n; i++) itself |= v[i].row == row;
        /* the witness of an advisory may carry another advisory; a verdict may not carry another
         * violation
         */
        if (tmap_row_is_advisory(row) ? itself : n != 0)
            fail_msg("%s: the legal witness violates %s", row_table[row].id,
                     row_table[v[0].row].id);
    }
}

static void illegal_witness_violates_this_row_alone(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        struct tmap_violation v[32];
        const struct witness w = witness_of(row, false);
        if (!decides(row)) continue;
        const size_t n = violated(row, &w, v, 32);
        bool itself = false;
        for (size_t i = 0; i < n; i++) itself |= v[i].row == row;
        if (!itself) fail_msg("%s: the illegal witness does not violate it", row_table[row].id);
        if (!tmap_row_is_advisory(row))
            for (size_t i = 0; i < n; i++)
                if (v[i].row != row)
                    fail_msg("%s: the witness also violates %s", row_table[row].id,
                             row_table[v[i].row].id);
    }
}

static void witnesses_differ_in_one_field(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        const struct row_witness *w = &row_table[row].witness;
        assert_true(w->legal != w->illegal);
    }
}

static bool lists(const struct row *r, tmap_row need)
{
    for (const tmap_row *n = r->needs; *n != ROW_END; n++)
        if (*n == need) return true;
    return false;
}

static void needs_are_transitively_complete(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++)
        for (const tmap_row *n = row_table[row].needs; *n != ROW_END; n++) {
            assert_true(*n < ROW_COUNT && *n != row);
            if (row < SUBJECT_DESC_END) assert_true(*n < SUBJECT_DESC_END);
            for (const tmap_row *m = row_table[*n].needs; *m != ROW_END; m++)
                if (!lists(&row_table[row], *m))
                    fail_msg("%s needs %s but not %s", row_table[row].id, row_table[*n].id,
                             row_table[*m].id);
        }
}

static void every_row_has_words_and_evidence(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        const struct row *r = &row_table[row];
        assert_true(r->message[0] && r->why[0] && r->fix[0]);
        assert_true(r->evidence[0].source != SOURCE_NONE && r->evidence[0].where[0]);
        assert_int_equal(tmap_row_find(r->id), row);
        assert_int_equal(tmap_row_find(r->name), row);
        for (tmap_row other = 0; other < row; other++)
            assert_string_not_equal(r->id, row_table[other].id);
    }
}

/* The detail of a violation names the field, says what is needed, and its neighbours satisfy the
 * row. */
static void neighbours_satisfy_the_row(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        const struct witness w = witness_of(row, false);
        struct tmap_violation v[32];
        if (!decides(row) || row_subject_of(row) == SUBJECT_PIPELINE) continue;
        const size_t n = violated(row, &w, v, 32);
        for (size_t i = 0; i < n && i < 32; i++) {
            if (v[i].row != row) continue;
            struct tmap_detail d;
            assert_int_equal(
                tmap_detail_of(&row_table[row].witness.target, &w.desc, &w.use, &v[i], &d),
                TMAP_OK);
            assert_true(d.message[0] && d.needs[0] && d.field);
            const int slot = row_blame(row, v[i].index, &w.desc);
            const struct tmap_number near[] = {d.below, d.above};
            for (int k = 0; k < 2; k++) {
                if (!near[k].known) continue;
                struct witness m = w;
                const int128 value =
                    near[k].negative ? -(int128)near[k].magnitude : near[k].magnitude;
                if (!field_write(&m.desc, &m.use, slot, value)) continue;
                struct tmap_violation again[32];
                const size_t left = violated(row, &m, again, 32);
                for (size_t j = 0; j < left; j++)
                    if (again[j].row == row && again[j].index == v[i].index)
                        fail_msg("%s: neighbour still violates it: %s", row_table[row].id, d.needs);
            }
        }
    }
}

/* What stands behind a NULL pointer is nothing, and no row judges it: one violation, whatever the
 * struct holds there. */
static void a_null_array_is_one_violation(void **state)
{
    static const struct {
        uint32_t flag;
        const char *row;
    } arrays[] = {{TMAP_NULL_DIM, "TMA040"},
                  {TMAP_NULL_STRIDE, "TMA041"},
                  {TMAP_NULL_BOX, "TMA042"},
                  {TMAP_NULL_ELEM_STRIDE, "TMA043"}};
    const struct tmap_target target = tmap_default_target();
    struct tmap_violation v[32];
    size_t found;
    (void)state;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        struct tmap_desc d = {.kind = TMAP_TILED,
                              .flags = arrays[i].flag,
                              .dtype = TMAP_BFLOAT16,
                              .rank = 2,
                              .address = UINT64_C(0x7f0000000000),
                              .dim = {64, 64},
                              .stride_bytes = {128},
                              .box = {64, 8},
                              .elem_stride = {1, 1}};
        if (arrays[i].flag == TMAP_NULL_DIM) memset(d.dim, 0, sizeof d.dim);
        if (arrays[i].flag == TMAP_NULL_BOX) memset(d.box, 0, sizeof d.box);
        assert_int_equal(tmap_check(&d, &target, TMAP_CONTRACT_SAFE, v, 32, &found), TMAP_OK);
        assert_int_equal(found, 1);
        assert_string_equal(tmap_row_id(v[0].row), arrays[i].row);
    }
}

/* Of a kind that a row is not about it says nothing, and of a rank nothing beyond its places: of
 * kinds and ranks too that no call takes. */
static void a_row_speaks_of_its_kinds_and_places(void **state)
{
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++)
        for (int legal = 0; legal < 2; legal++)
            for (int kind = -1; kind <= TMAP_IM2COL_WIDE + 1; kind++)
                for (uint32_t rank = 0; rank <= TMAP_MAX_RANK + 2; rank++) {
                    struct witness w = witness_of(row, legal);
                    const struct derived dv = {0};
                    const struct subject s = {&row_table[row].witness.target, &w.desc, &w.use,
                                              &w.pipeline, &dv};
                    const unsigned kinds = row_table[row].kinds;
                    const bool about =
                        kinds == KINDS_ANY || ((unsigned)kind < 3 && kinds >> kind & 1);
                    int first;
                    const int n = row_instances(row_table[row].span, rank, &first);
                    const uint32_t places = about ? ((1u << n) - 1) << first : 0;
                    w.desc.kind = kind;
                    w.desc.rank = rank;
                    if (row_native(row, &s) & ~places)
                        fail_msg("%s at kind %d, rank %u", row_table[row].id, kind, rank);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_array_is_one_violation),
        cmocka_unit_test(every_row_has_words_and_evidence),
        cmocka_unit_test(needs_are_transitively_complete),
        cmocka_unit_test(witnesses_differ_in_one_field),
        cmocka_unit_test(legal_witness_violates_nothing),
        cmocka_unit_test(illegal_witness_violates_this_row_alone),
        cmocka_unit_test(neighbours_satisfy_the_row),
        cmocka_unit_test(a_row_speaks_of_its_kinds_and_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
