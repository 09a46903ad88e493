/* row_formulas.c : the rows that decide a descriptor, as formulas.
 *
 * Under the descriptor's constants a row's tree folds; what is left is lowered with the facts that
 * the rows before it establish, since a descriptor that breaks one of those is illegal anyway.
 */
#include "symbolic/condition/condition.h"

#include "expr/row.h"

enum { MAX_NODES = 512 };

struct instances {
    struct sym_rows *rows;
    struct tree tree;
    struct tree_node *nodes;
    struct tree_binding binding;
    struct subject subject;
    struct sym_lowering lowering;
    uint8_t known[SUBJECT_DESC_END]; /* by row: 1 not broken by the constants, 2 broken */
};

static bool is_active(const struct sym_rows *rows, tmap_row row)
{
    return (rows->checker->active[row / 64] >> (row % 64)) & 1;
}

static bool concerns(const struct sym_rows *rows, tmap_row row)
{
    int32_t kind = rows->desc->desc.kind;
    return row_table[row].kinds == KINDS_ANY ||
           (kind >= 0 && kind < 3 && ((row_table[row].kinds >> kind) & 1));
}

/* The last byte's address less the first's, plus one (src/core derives the same natively). */
static const struct sym_poly *slot_value(struct sym_work *w, const struct sym_desc *d, int slot)
{
    struct subject s = {.desc = &d->desc};
    int128 k = 0;
    if (d->field[slot]) return d->field[slot];
    return field_read(&s, slot, &k) ? sym_const(w, k) : NULL;
}

static const struct sym_poly *extent(struct sym_work *w, const struct sym_desc *d)
{
    const struct sym_poly *one = sym_const(w, 1), *sum;
    if (!one || d->desc.dtype < 0 || d->desc.dtype >= TABLE_ENTRIES) return one;
    sum = slot_value(w, d, F_DIM);
    sum = sum ? sym_add(w, table_at(TABLE_GMEM_BITS, d->desc.dtype), sum, 7, one) : NULL;
    sum = sum ? sym_floor(w, sum, 8) : NULL;
    for (uint32_t i = 1; i < d->desc.rank && i < TMAP_MAX_RANK; i++) {
        const struct sym_poly *dim = slot_value(w, d, F_DIM + (int)i);
        const struct sym_poly *stride = slot_value(w, d, F_STRIDE + (int)i - 1);
        if (!dim || !stride || !sum) return NULL;
        sum = sym_add(w, 1, sum, 1, sym_mul(w, sym_add(w, 1, dim, -1, one), stride));
    }
    return sum;
}

static bool open(struct instances *in, struct sym_rows *rows)
{
    *in = (struct instances){.rows = rows};
    in->nodes = sym_take(rows->w, MAX_NODES * sizeof *in->nodes);
    in->subject = (struct subject){.target = &rows->checker->target, .desc = &rows->desc->desc};
    in->binding.subject = &in->subject;
    in->lowering = (struct sym_lowering){rows->w, &in->tree, {NULL}, rows->facts};
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        in->lowering.field[slot] = rows->desc->field[slot];
        if (rows->desc->field[slot]) tree_binding_free(&in->binding, slot);
    }
    if (rows->desc->desc.flags & TMAP_HAS_ALLOCATION) {
        in->lowering.field[F_EXTENT] = extent(rows->w, rows->desc);
        if (!in->lowering.field[F_EXTENT]) return false;
    }
    return in->nodes != NULL;
}

static const struct sym_form *instance(struct instances *in, tmap_row row, int index)
{
    tree_init(&in->tree, in->nodes, MAX_NODES, tree_bind_subject, &in->binding);
    const struct sym_form *f = sym_lower(&in->lowering, row_tree(&in->tree, row, index));
    if (!f) sym_fail(in->rows->w, TMAP_E_INTERNAL, "row %s", row_table[row].id);
    return f;
}

/* All instances of a row at once. */
static const struct sym_form *whole(struct instances *in, tmap_row row)
{
    const struct sym_form *all = sym_bool(in->rows->w, true);
    int first, n = row_instances(row_table[row].span, in->rows->desc->desc.rank, &first);
    if (!concerns(in->rows, row)) return all;
    for (int i = 0; i < n && all; i++) {
        all = sym_and(in->rows->w, all, instance(in, row, first + i));
    }
    return all;
}

/* What must hold for the row to mean anything, beyond the rows that decide themselves. */
static const struct sym_form *premise(struct instances *in, tmap_row row)
{
    const struct sym_form *all = sym_bool(in->rows->w, true);
    for (const tmap_row *need = row_table[row].needs; *need != ROW_END && all; need++) {
        if (!is_active(in->rows, *need)) all = sym_and(in->rows->w, all, whole(in, *need));
    }
    return all;
}

/* Whether some instance of a row folds to false: the constants alone break it. */
static bool is_broken(struct instances *in, tmap_row row)
{
    bool value = true;
    int first, n = row_instances(row_table[row].span, in->rows->desc->desc.rank, &first);
    if (in->known[row]) return in->known[row] > 1;
    for (int i = 0; concerns(in->rows, row) && value && i < n; i++) {
        tree_init(&in->tree, in->nodes, MAX_NODES, tree_bind_subject, &in->binding);
        if (!tree_is_bool(&in->tree, row_tree(&in->tree, row, first + i), &value)) value = true;
    }
    in->known[row] = value ? 1 : 2;
    return !value;
}

/* A row that needs a broken one is not evaluated; the descriptor is illegal already. */
static bool is_moot(struct instances *in, tmap_row row)
{
    for (const tmap_row *need = row_table[row].needs; *need != ROW_END; need++) {
        if (is_active(in->rows, *need) && is_broken(in, *need)) return true;
    }
    return false;
}

static bool one_instance(struct instances *in, tmap_row row, int index,
                         const struct sym_form *unless)
{
    struct sym_rows *rows = in->rows;
    const struct sym_form *f = sym_or(rows->w, unless, instance(in, row, index));
    if (!f) return false;
    if (f->kind == SYM_TRUE) return true;
    if (!rows->each(rows->user, row, row_table[row].span == SPAN_ONCE ? -1 : index, f))
        return false;
    sym_learn(rows->w, rows->facts, f);
    return true;
}

static bool one_row(struct instances *in, tmap_row row)
{
    struct sym_rows *rows = in->rows;
    int first, n = row_instances(row_table[row].span, rows->desc->desc.rank, &first);
    const struct sym_form *given = premise(in, row), *unless = sym_not(rows->w, given);
    struct sym_facts *local = unless ? sym_take(rows->w, sizeof *local) : NULL;
    bool ok = local != NULL;
    if (!ok || given->kind == SYM_FALSE) return ok;
    *local = *rows->facts;
    if (given->kind > SYM_TRUE) sym_learn(rows->w, local, given);
    in->lowering.facts = given->kind > SYM_TRUE ? local : rows->facts;
    for (int i = 0; i < n && ok; i++) ok = one_instance(in, row, first + i, unless);
    in->lowering.facts = rows->facts;
    return ok;
}

/* A row that lacks a fact waits for the rows behind it: their facts count as much. */
static bool may_wait(struct sym_work *w)
{
    if (w->status != TMAP_E_BUDGET) return false;
    w->status = TMAP_OK;
    w->why[0] = 0;
    return true;
}

bool sym_rows_of(struct sym_rows *rows)
{
    struct instances in;
    bool waiting[SUBJECT_DESC_END] = {false};
    if (!sym_desc_fits(rows) || !open(&in, rows)) return false;
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        if (!is_active(rows, row) || !concerns(rows, row) || is_moot(&in, row)) continue;
        if (one_row(&in, row)) continue;
        if (!may_wait(rows->w)) return false;
        waiting[row] = true;
    }
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        if (waiting[row] && !one_row(&in, row)) return false;
    }
    return true;
}
