/* row_formulas.c : the rows that decide a descriptor, as formulas.
 *
 * Under the descriptor's constants a row's tree folds; what is left is lowered with the facts that
 * the rows before it establish, since a descriptor that breaks one of those is illegal anyway.
 */
#include "symbolic/condition/condition.h"

#include "core/derive.h"
#include "expr/row.h"

enum { MAX_NODES = 512 };

struct instances {
    struct sym_rows *rows;
    struct tree tree;
    struct tree_node *nodes;
    struct tree_binding binding;
    struct subject subject;
    struct derived derived; /* of a use */
    struct sym_lowering lowering;
    uint8_t known[SUBJECT_USE_END]; /* by row: 1 not broken by the constants, 2 broken */
};

/* Legal is what no deciding row forbids, nor one that a deciding row needs: where only such a one
 * does not hold, the check's verdict is unknown. */
static bool gates(const struct sym_rows *rows, tmap_row row)
{
    return (rows->checker->gate[row / 64] >> (row % 64)) & 1;
}

/* Of a kind that no call has, only the row that says so means anything. */
static bool concerns(const struct sym_rows *rows, tmap_row row)
{
    int32_t kind = rows->desc->desc.kind;
    if (kind < 0 || kind > TMAP_IM2COL_WIDE) return row == ROW_TMA001;
    return (row_table[row].kinds >> kind) & 1;
}

static const struct sym_poly *slot_value(struct sym_work *w, const struct sym_desc *d, int slot)
{
    struct subject s = {.desc = &d->desc};
    int128 k = 0;
    if (d->field[slot]) return d->field[slot];
    field_read(&s, slot, &k);
    return sym_const(w, k);
}

/* The last byte's address less the first's, plus one (src/core derives the same natively). */
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

/* Elements of the box along dimension i that are copied (src/core counts them so natively). */
static const struct sym_poly *copied(struct sym_work *w, const struct sym_desc *d, uint32_t i)
{
    const sym_int step = i ? d->desc.elem_stride[i] : 1;
    const struct sym_poly *box = slot_value(w, d, F_BOX + (int)i), *more = sym_const(w, step - 1);
    if (!box || !more || step < 1) return NULL;
    return sym_floor(w, sym_add(w, 1, box, 1, more), step);
}

/* Rows, and bytes to wait for, of a tiled box with symbolic sizes; and the shared memory that it
 * covers, where rows lie without gaps. Of other boxes nothing is said. */
static void measure(struct instances *in, const struct sym_desc *d, const struct sym_use *use)
{
    struct sym_work *w = in->rows->w;
    const struct tmap_desc *k = &d->desc;
    const bool by_row = use->use.op == TMAP_OP_GATHER4 || use->use.op == TMAP_OP_SCATTER4;
    const struct sym_poly *rows = sym_const(w, 1), *row = copied(w, d, 0);
    if (k->kind != TMAP_TILED || k->interleave != TMAP_INTERLEAVE_NONE || k->rank < 1 ||
        k->rank > TMAP_MAX_RANK || k->dtype < 0 || k->dtype >= TABLE_ENTRIES || !row)
        return;
    for (uint32_t i = 0; i < k->rank; i++)
        if (d->field[F_ESTRIDE + i]) return;
    for (uint32_t i = 1; i < k->rank; i++) rows = sym_mul(w, rows, copied(w, d, i));
    row = sym_mul(w, row, sym_const(w, table_at(TABLE_SIZE_BITS, k->dtype)));
    row = sym_floor(w, row, 8);
    const struct sym_poly *all = sym_mul(w, rows, row);
    all = all && by_row ? sym_add(w, 4, all, 0, all) : all;
    in->lowering.field[F_ROWS] = rows;
    in->lowering.field[F_TX_BYTES] = all;
    if (k->swizzle == TMAP_SWIZZLE_NONE) in->lowering.field[F_FOOTPRINT] = all;
}

/* What the core derives from numbers; of a symbolic box it is measured where that is simple, and
 * how a tensor of symbolic strides is nested is not known. What a tensormap.replace makes of the
 * map is in the lowering. */
static void derive(struct instances *in, const struct sym_rows *rows, const struct sym_use *use)
{
    static const int never[] = {F_EXTENT, F_LAST, F_NESTED, F_DENSE, F_PATCHED_BAD};
    static const int of_box[] = {F_TX_BYTES, F_FOOTPRINT, F_ROWS};
    const struct sym_desc *d = rows->desc;
    bool fixed = !d->field[F_CHANNELS] && !d->field[F_PIXELS];
    for (int i = 0; i < TMAP_MAX_RANK; i++) {
        fixed = fixed && !d->field[F_BOX + i] && !d->field[F_ESTRIDE + i];
        fixed = fixed && (i >= TMAP_MAX_SPATIAL || !use->field[F_OFFSET + i]);
    }
    tmap_derive_use(&rows->checker->target, &d->desc, &use->use, &in->derived);
    in->subject.use = &use->use;
    in->subject.derived = &in->derived;
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        tree_binding_free(&in->binding, never[i]);
    for (size_t i = 0; i < sizeof of_box / sizeof *of_box && !fixed; i++)
        tree_binding_free(&in->binding, of_box[i]);
    if (!fixed) measure(in, d, use);
    /* how many CTAs a copy goes to decides the instruction's form */
    if (use->field[F_MULTICAST]) tree_binding_free(&in->binding, F_FORM_PTX);
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        if (!use->field[slot]) continue;
        in->lowering.field[slot] = use->field[slot];
        tree_binding_free(&in->binding, slot);
    }
}

static bool open(struct instances *in, struct sym_rows *rows)
{
    *in = (struct instances){.rows = rows};
    in->nodes = sym_take(rows->w, MAX_NODES * sizeof *in->nodes);
    in->subject = (struct subject){.target = &rows->checker->target, .desc = &rows->desc->desc};
    in->binding.subject = &in->subject;
    in->lowering = (struct sym_lowering){rows->w, &in->tree, {NULL}, rows->facts, NULL};
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        in->lowering.field[slot] = rows->desc->field[slot];
        if (rows->desc->field[slot]) tree_binding_free(&in->binding, slot);
    }
    if (rows->desc->desc.flags & TMAP_HAS_ALLOCATION) {
        in->lowering.field[F_EXTENT] = extent(rows->w, rows->desc);
        if (!in->lowering.field[F_EXTENT]) return false;
        in->lowering.field[F_LAST] =
            sym_add(rows->w, 1, in->lowering.field[F_EXTENT], -1, sym_const(rows->w, 1));
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

/* A row that needs a broken one means nothing; the descriptor is not legal already. */
static bool is_moot(struct instances *in, tmap_row row)
{
    for (const tmap_row *need = row_table[row].needs; *need != ROW_END; need++) {
        if (is_broken(in, *need)) return true;
    }
    return false;
}

static bool one_instance(struct instances *in, tmap_row row, int index)
{
    struct sym_rows *rows = in->rows;
    const struct sym_form *f = instance(in, row, index);
    if (!f) return false;
    if (f->kind == SYM_TRUE) return true;
    if (!rows->each(rows->user, row, row_table[row].span == SPAN_ONCE ? -1 : index, f))
        return false;
    sym_learn(rows->w, rows->facts, f);
    return true;
}

static bool one_row(struct instances *in, tmap_row row)
{
    int first, n = row_instances(row_table[row].span, in->rows->desc->desc.rank, &first);
    for (int i = 0; i < n; i++) {
        if (!one_instance(in, row, first + i)) return false;
    }
    return true;
}

/* A row that lacks a fact waits for the rows behind it: their facts count as much. */
static bool may_wait(struct sym_work *w)
{
    if (w->status != TMAP_E_BUDGET) return false;
    w->status = TMAP_OK;
    w->why[0] = 0;
    return true;
}

/* The rows of a range that are asked for. */
static bool all_rows(struct instances *in, tmap_row first, tmap_row end)
{
    struct sym_rows *rows = in->rows;
    bool waiting[SUBJECT_USE_END] = {false};
    for (tmap_row row = first; row < end; row++) {
        if (!gates(rows, row) || !concerns(rows, row) || is_moot(in, row)) continue;
        if (one_row(in, row)) continue;
        if (!may_wait(rows->w)) return false;
        waiting[row] = true;
    }
    for (tmap_row row = first; row < end; row++) {
        if (waiting[row] && !one_row(in, row)) return false;
    }
    return true;
}

bool sym_rows_of(struct sym_rows *rows)
{
    struct instances in;
    return sym_desc_fits(rows) && open(&in, rows) &&
           all_rows(&in, SUBJECT_DESC_FIRST, SUBJECT_DESC_END);
}

static bool join(void *user, tmap_row row, int index, const struct sym_form *f)
{
    struct sym_lowering *l = user;
    (void)row;
    (void)index;
    l->patched_legal = sym_and(l->w, l->patched_legal, f);
    return l->patched_legal != NULL;
}

/* Whether every row that others need decides too: else a broken one makes the answer unknown, which
 * is not illegal, and no formula here says which it is. */
static bool all_decide(const struct tmap_checker *c)
{
    for (int k = 0; k < TMAP_ROW_WORDS; k++)
        if (c->gate[k] & ~c->active[k]) return false;
    return true;
}

/* That the map which a tensormap.replace leaves behind is legal: the rows of that descriptor. */
static bool patch(struct instances *in, const struct sym_rows *rows, const struct sym_use *use)
{
    struct sym_work *w = rows->w;
    if (use->use.op != TMAP_OP_REPLACE || !all_decide(rows->checker)) return true;
    struct sym_desc *after = sym_take(w, sizeof *after);
    struct sym_facts *facts = sym_take(w, sizeof *facts);
    if (!after || !facts) return false;
    *facts = *rows->facts;
    *after = *rows->desc;
    const int slot = tmap_patched_desc(&rows->desc->desc, &use->use, &after->desc);
    if (slot >= 0) after->field[slot] = NULL;
    struct sym_rows inner = {w, rows->checker, after, facts, join, &in->lowering};
    in->lowering.patched_legal = sym_bool(w, true);
    return sym_rows_of(&inner);
}

bool sym_use_rows_of(struct sym_rows *rows, size_t k)
{
    struct instances in;
    const struct sym_use *use = &rows->desc->uses[k];
    if (!sym_use_fits(rows, use) || !open(&in, rows) || !patch(&in, rows, use)) return false;
    derive(&in, rows, use);
    return all_rows(&in, SUBJECT_MAP_FIRST, SUBJECT_USE_END);
}
