/* Each row violated alone, at each of its places, in legal descriptors of every kind and rank that
 * differ from it in the one field that it blames: the numbers of its witness, and those next to its
 * bounds. What the search for any violation, and what columns say of it, hangs on this row; columns
 * have it at every position of a block, behind and before descriptors that are legal, in tables of
 * every length up to a block and beyond, which begin anywhere. */
#include "../../bench/columns.h"
#include "support/vectors.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define BEHIND 150 /* legal ones after the violation: more than a block */
#define TABLE (COLUMNS_BLOCK + BEHIND)

struct lone {
    tmap_row row;
    int index; /* the place, -1 of a row that is evaluated once */
    struct tmap_target target;
    struct tmap_desc legal, illegal;
};

static struct tmap_checker checker_of(const struct tmap_target *t, enum tmap_contract contract)
{
    struct tmap_checker c;
    assert_int_equal(tmap_checker_prepare(t, contract, &c), TMAP_OK);
    return c;
}

static enum tmap_verdict verdict(const struct lone *l, const struct tmap_desc *d)
{
    const struct tmap_checker c = checker_of(&l->target, TMAP_CONTRACT_SAFE);
    return tmap_verdict_of(&c, d);
}

/* The legal witness of `from` as of this kind and rank, on a target of the row's that has the kind;
 * false where it is not legal so. */
static bool start(tmap_row row, tmap_row from, enum tmap_kind kind, uint32_t rank, struct lone *l)
{
    struct vector v;
    vector_start(from, true, &v);
    vector_fill(&v.desc);
    v.desc.kind = kind;
    v.desc.rank = rank;
    if (row == ROW_TMA030) { /* the largest rows, so that two dimensions can be too many bytes */
        v.desc.dtype = TMAP_FLOAT64;
        v.desc.swizzle = TMAP_SWIZZLE_NONE;
        for (int i = 0; i < TMAP_MAX_RANK; i++) v.desc.box[i] = i ? 1 : 256;
    }
    l->target = row_table[row].witness.target;
    if (kind == TMAP_IM2COL_WIDE && l->target.cuda >= 1208) l->target.arch = TMAP_ARCH(100, 1);
    l->row = row;
    l->legal = v.desc;
    return verdict(l, &l->legal) == TMAP_LEGAL;
}

/* Is what the field is set to the row's violation at this place, and no other's? */
static bool violates_alone(struct lone *l, int slot, int128 value)
{
    struct tmap_violation v[2];
    size_t found;
    l->illegal = l->legal;
    if (!field_write(&l->illegal, NULL, slot, value)) return false;
    const struct tmap_checker c = checker_of(&l->target, TMAP_CONTRACT_SAFE);
    assert_int_equal(tmap_check_with(&c, &l->illegal, v, 2, &found, NULL), TMAP_OK);
    return found == 1 && v[0].row == l->row && v[0].index == l->index;
}

/* The number nearest to the legal one that the row refuses, above or below. */
static int128 next_refused(const struct lone *l, int slot, int direction)
{
    struct tree_node nodes[512];
    struct tree t;
    const struct derived none = {0};
    const struct subject s = {.target = &l->target, .desc = &l->legal, .derived = &none};
    struct tree_binding binding = {&s, {0}};
    int128 from = 0, x = 0;
    tree_binding_free(&binding, slot);
    tree_init(&t, nodes, 512, tree_bind_subject, &binding);
    field_read(&s, slot, &from);
    const tnode refused = tree_not(&t, row_must_tree(&t, l->row, l->index < 0 ? 0 : l->index));
    const int128 most = (int128)1 << 62;
    if (!tree_nearest(&t, refused, slot, from, direction, INT32_MIN, most, &x)) return from;
    return x;
}

/* Kind, rank, flags and where the map lies are of a whole table. */
static bool is_column(int slot)
{
    const enum field f = field_of_slot(slot);
    return f != FIELD_KIND && f != FIELD_RANK && f != FIELD_FLAG && f != FIELD_MAP_ADDRESS &&
           f != FIELD_ALLOC_BASE && f != FIELD_ALLOC_BYTES;
}

static struct tmap_columns from_entry(const struct tmap_columns *c, size_t n)
{
    struct tmap_columns moved = *c;
#define ONE(word, member, type) moved.member += n;
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++) moved.member[j] += n;
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
    return moved;
}

/* The violation at position `at` of a table of n: that one alone is said to be illegal, or what it
 * is under a contract that does not have the row. */
static void at_a_position(columns_rows *rows, const struct lone *l, const struct tmap_checker *c,
                          const struct tmap_columns *columns, size_t at, size_t n)
{
    static enum tmap_verdict said[TABLE];
    const struct tmap_columns from = from_entry(columns, COLUMNS_BLOCK - at);
    const enum tmap_verdict alone = tmap_verdict_of(c, &l->illegal);
    columns_check(rows, c, &from, n, said);
    for (size_t i = 0; i < n; i++)
        if (said[i] != (i == at ? alone : TMAP_LEGAL))
            fail_msg("%s, place %d, kind %d, rank %u, position %zu of %zu: entry %zu is %d",
                     tmap_row_id(l->row), l->index, l->legal.kind, l->legal.rank, at, n, i,
                     said[i]);
}

static void in_columns(const struct lone *l)
{
    static struct tmap_desc d[TABLE + 1];
    struct tmap_checker checker[4];
    struct table t;
    for (int i = 0; i < 4; i++) checker[i] = checker_of(&l->target, (enum tmap_contract)i);
    for (size_t i = 0; i <= TABLE; i++) d[i] = i == COLUMNS_BLOCK ? l->illegal : l->legal;
    table_make(d, TABLE + 1, &t);
    for (int isa = 0; isa < COLUMNS_ISAS; isa++) {
        columns_rows *rows = columns_rows_of((enum columns_isa)isa);
        for (size_t at = 0; rows && at < COLUMNS_BLOCK; at++) {
            const struct tmap_checker *c = &checker[(at + at / 4) % 4];
            at_a_position(rows, l, c, &t.column, at, at + 1);
            at_a_position(rows, l, c, &t.column, at, at + BEHIND);
        }
    }
    table_free(&t);
}

/* How many descriptors violate the row alone at this place. */
static unsigned at_a_place(struct lone *l)
{
    const struct row_witness *w = &row_table[l->row].witness;
    const int slot = row_blame(l->row, l->index, &l->legal);
    const int128 value[] = {w->illegal, next_refused(l, slot, 1), next_refused(l, slot, -1)};
    unsigned n = 0;
    for (int k = 0; k < 3; k++) {
        if (!violates_alone(l, slot, value[k])) continue;
        assert_int_equal(verdict(l, &l->illegal), TMAP_ILLEGAL);
        if (is_column(slot)) in_columns(l);
        n++;
    }
    return n;
}

static unsigned of_a_row(tmap_row row, tmap_row from, enum tmap_kind kind, uint32_t rank)
{
    struct lone l;
    unsigned found = 0;
    int first;
    const int places = row_instances(row_table[row].span, rank, &first);
    if (!(row_table[row].kinds >> kind & 1) || !start(row, from, kind, rank, &l)) return 0;
    for (int i = first; i < first + places; i++) {
        l.index = row_table[row].span == SPAN_ONCE ? -1 : i;
        found += at_a_place(&l);
    }
    return found;
}

/* Is it ever violated alone, of a descriptor that encode calls of one kind and rank take? */
static bool can_be_alone(tmap_row row)
{
    return row != ROW_TMA072 &&
           row != ROW_TMA073 &&                    /* what leaves 16 bits leaves TMA074's, 075's */
           row != ROW_TMA087 && row != ROW_TMA088; /* of the kind itself */
}

static void each_row_is_seen_wherever_it_is_violated(void **state)
{
    unsigned of_kind[3] = {0}, of_rank[TMAP_MAX_RANK + 1] = {0};
    (void)state;
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++) {
        unsigned of_row = 0;
        if (row_table[row].effect != EFFECT_VIOLATION) continue;
        for (int kind = TMAP_TILED; kind <= TMAP_IM2COL_WIDE; kind++)
            for (uint32_t rank = kind == TMAP_TILED ? 1 : 3; rank <= TMAP_MAX_RANK; rank++)
                for (int plain = 0; plain < 2; plain++) {
                    const tmap_row from = !plain               ? row
                                          : kind == TMAP_TILED ? ROW_TMA014
                                                               : ROW_TMA070;
                    const unsigned n = of_a_row(row, from, (enum tmap_kind)kind, rank);
                    of_kind[kind] += n, of_rank[rank] += n, of_row += n;
                }
        if ((of_row > 0) != can_be_alone(row)) fail_msg("%s: %u", tmap_row_id(row), of_row);
    }
    for (int kind = 0; kind < 3; kind++) assert_true(of_kind[kind] > 400);
    for (int rank = 1; rank <= TMAP_MAX_RANK; rank++) assert_true(of_rank[rank] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_row_is_seen_wherever_it_is_violated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
