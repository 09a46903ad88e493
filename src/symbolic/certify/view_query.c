/* view_query.c : what a view's free fields cost, as integers that Z3 reasons about. Nothing of the
 * search is used: the rows decide what is legal, and the costs are written down again from their
 * definitions in solve.h.
 *
 * Products of unknowns are kept away from the solver where possible: the number of copies along a
 * dimension is one of a few, so products with it are cases; for the product of box sizes, which
 * only ties need, true lower bounds are stated beside its definition. */
#include "core/arith.h"
#include "symbolic/certify/view_query.h"

#include <stdio.h>

enum { SHIFT_BYTES = 32 }; /* the strictest alignment of a base */
_Static_assert(TABLE_ENTRIES == 16, "every entry of the tables is a type, and has bits");

/* Under interleave dimension 0 counts slices of so many bytes; else 0. */
static unsigned slice_of(const struct sym_fields *f)
{
    return table_at(TABLE_SLICE, f->view->desc.interleave);
}

static unsigned long long step_of(const struct sym_fields *f, uint32_t i)
{
    const uint32_t es = f->view->desc.elem_stride[i];
    return (i || slice_of(f)) && es ? es : 1;
}

/* Of the dimension of slices, the last but one, a copy takes one, whatever its box. */
static bool takes_one(const struct sym_fields *f, uint32_t i)
{
    return slice_of(f) && i + 2 == f->view->desc.rank;
}

/* Elements to cover along a dimension. Of dimension 0 more: what lies before the tile in the box.
 */
static unsigned long long need_of(const struct sym_fields *f, uint32_t i)
{
    return ceil_div(f->view->tile[i], step_of(f, i));
}

uint64_t sym_rounding(const struct sym_fields *f)
{
    const uint64_t grain = f->view->grain[0], unit = f->coord_unit;
    return grain % unit ? unit - gcd(grain, unit) : 0;
}

enum { GROUP = 128 }; /* elements of a padded type */
static bool is_padded(int32_t dtype)
{
    return table_at(TABLE_SIZE_BITS, dtype) != table_at(TABLE_GMEM_BITS, dtype);
}

uint64_t sym_row_elements(const struct sym_fields *f)
{
    enum { BYTE_BITS = 8 };
    const struct tmap_desc *d = &f->view->desc;
    const unsigned bits = table_at(TABLE_GMEM_BITS, d->dtype);
    const uint64_t whole = bits < BYTE_BITS ? BYTE_BITS / bits : 1;
    return f->copied ? round_up(d->dim[0], is_padded(d->dtype) ? GROUP : whole) : d->dim[0];
}

uint64_t sym_row_unit(int32_t dtype)
{
    enum { UNIT_BITS = 128 };
    return is_padded(dtype) ? GROUP : UNIT_BITS / table_at(TABLE_SIZE_BITS, dtype);
}

/* --- the fields --------------------------------------------------------------------------------
 */

static void free_slots(const struct sym_fields *f, bool *unknown)
{
    const struct tmap_desc *d = &f->view->desc;
    unknown[F_SWIZZLE] = unknown[F_ADDRESS] = unknown[F_DIM] = true;
    for (uint32_t i = 0; i < d->rank; i++) {
        unknown[F_BOX + i] = true;
        if (i + 1 < d->rank) unknown[F_STRIDE + i] = f->copied || d->dim[i + 1] == 1;
    }
}

/* A map may begin `shift` elements before the tensor, for loads of whole dimensions. */
static void put_shift(struct sym_script *q, const struct sym_fields *f)
{
    const struct tmap_desc *d = &f->view->desc;
    const unsigned bits = table_at(TABLE_GMEM_BITS, d->dtype);
    struct sym_text *t = &q->text;
    const bool fixed = f->copied || f->objective->stores || (f->use && f->use->consumer) ||
                       f->view->is_piece || slice_of(f);
    /* no further than the strictest alignment asks */
    const bool aligned = d->address % SHIFT_BYTES == 0;
    sym_put(t, "(declare-const shift Int)\n(assert (and (<= 0 shift) (< (* %u shift) %d)))\n", bits,
            fixed || aligned ? 1 : 8 * SHIFT_BYTES);
    sym_put(t, "(assert (= dim_0 (+ %llu shift)))\n", (unsigned long long)sym_row_elements(f));
    if (f->copied) return;
    sym_put(t, "(assert (= (* 8 (- %llu address)) (* %u shift)))\n", (unsigned long long)d->address,
            bits);
    if (d->flags & TMAP_HAS_ALLOCATION)
        sym_put(t, "(assert (>= address %llu))\n", (unsigned long long)d->allocation_base);
}

/* Of a copied tensor too, elements that were apart stay so: two rows are a row's bytes apart. */
static void put_rows_apart(struct sym_script *q, const struct sym_fields *f)
{
    const struct tmap_desc *d = &f->view->desc;
    const unsigned bits = table_at(TABLE_GMEM_BITS, d->dtype);
    const uint64_t row = ceil_div(d->dim[0] * (slice_of(f) ? 8 * slice_of(f) : bits), 8);
    for (uint32_t i = 0; i + 1 < d->rank; i++)
        if (f->copied && d->dim[i + 1] > 1 && d->stride_bytes[i] >= row)
            sym_put(&q->text, "(assert (>= stride_%u %llu))\n", i, (unsigned long long)row);
}

/* open: what stands before each row, "(let ...": closed again after it. */
static void put_rows_in(struct sym_script *q, const struct sym_fields *f, tmap_row from,
                        tmap_row to, const char *open)
{
    const uint32_t rank = f->view->desc.rank;
    for (tmap_row row = from; row < to; row++) {
        int first, n = row_instances((enum row_span)row_table[row].span, rank, &first);
        for (int i = first; sym_is_gate(f->checker, row) && i < first + n; i++) {
            sym_put(&q->text, "(assert %s", open);
            sym_script_row(q, NULL, row, i, rank);
            sym_put(&q->text, "%s ; %s\n", *open ? "))" : ")", row_table[row].id);
        }
    }
}

void sym_fields_rows(struct sym_script *q, const struct sym_fields *f, tmap_row from, tmap_row to)
{
    put_rows_in(q, f, from, to, "");
}

/* --- copies ------------------------------------------------------------------------------------
 */

/* An MMA multiplies all that a box brings: none reaches beyond the tile, and rows are the tile's.
 */
static bool is_mma(const struct sym_fields *f)
{
    return f->use &&
           (f->use->consumer == TMAP_CONSUMER_WGMMA || f->use->consumer == TMAP_CONSUMER_TCGEN05);
}

/* Where a store's tile takes a whole dimension its boxes may pass the end, as a load's may
 * anywhere: nothing is written there, if a row is whole units. */
static bool ends_exactly(const struct sym_fields *f, uint32_t i)
{
    enum { UNIT_BITS = 128 };
    const struct sym_view *v = f->view;
    const unsigned bits = table_at(TABLE_SIZE_BITS, v->desc.dtype);
    return f->objective->stores &&
           (v->grain[i] || v->tile[i] < v->desc.dim[i] ||
            (i == 0 && !v->desc.interleave && sym_row_elements(f) * bits % UNIT_BITS));
}

/* The least elements of dimension i that boxes cover, and the most: a base shifted for alignment
 * adds some to dimension 0. */
static uint64_t least_need(const struct sym_fields *f, uint32_t i)
{
    return need_of(f, i) + (i ? 0 : sym_rounding(f));
}
static uint64_t most_need(const struct sym_fields *f, uint32_t i)
{
    const unsigned bits = table_at(TABLE_GMEM_BITS, f->view->desc.dtype);
    return least_need(f, i) + (i ? 0 : 8 * SHIFT_BYTES / bits);
}

/* The least number of boxes above `v` that so many elements can need, none of more than `longest`
 * elements; `most` + 1: there is none. Those are few: at most one for each length of a box. */
static uint64_t next_count(const struct sym_fields *f, uint32_t i, uint64_t v, uint64_t most)
{
    const uint64_t low = least_need(f, i), high = most_need(f, i), longest = f->longest;
    uint64_t next = v + 1;
    if (next < ceil_div(low, longest)) next = ceil_div(low, longest);
    for (; next <= most; next++) { /* some e with low <= next * e and (next - 1) * e < high */
        const uint64_t e = ceil_div(low, next);
        if (next == 1 || (next - 1) * e < high) return next;
        next = ceil_div(low, e - (e > 1)) - 1; /* the next that a shorter box needs */
        if (e == 1) break;
    }
    return most + 1;
}

/* One number of boxes: they cover the dimension, and one less would not. */
static void put_case(struct sym_script *q, const struct sym_fields *f, uint32_t i, uint64_t count)
{
    struct sym_text *t = &q->text;
    const unsigned long long v = count;
    sym_put(t, " (and (= n_%u %llu) (%s (* %llu e_%u) need_%u)", i, v, is_mma(f) ? "=" : ">=", v, i,
            i);
    if (v > 1) sym_put(t, " (< (* %llu e_%u) need_%u)", v - 1, i, i);
    sym_put(t, " (= N_%u (* %llu ", i, v);
    sym_put(t, i ? "N_%u))" : "1))", i - 1);
    if (f->objective->stores && !ends_exactly(f, i)) sym_put(t, " x_%u (= tail_%u e_%u)", i, i, i);
    if (ends_exactly(f, i))
        sym_put(t, " (= x_%u (= (* %llu e_%u) need_%u)) (= tail_%u (- need_%u (* %llu e_%u)))", i,
                v, i, i, i, i, v - 1, i);
    sym_put(t, ")");
}

/* n_i boxes of e_i elements cover dimension i, each needed; x_i: exactly. Where they must and do
 * not, the last box is a smaller one. Of boxes longer than any legal one only that is said. */
static void put_cover(struct sym_script *q, const struct sym_fields *f, uint32_t i, uint64_t most)
{
    struct sym_text *t = &q->text;
    const unsigned long long es = step_of(f, i);
    sym_put(t, "(declare-const n_%u Int)\n(assert (and (<= 1 n_%u) (<= n_%u %llu)))\n", i, i, i,
            (unsigned long long)most);
    sym_put(t, "(declare-const e_%u Int)\n", i);
    if (takes_one(f, i))
        sym_put(t, "(assert (= e_%u 1))\n", i);
    else
        sym_put(t, "(assert (= e_%u (div (+ box_%u %llu) %llu)))\n", i, i, es - 1, es);
    sym_put(t, "(define-fun need_%u () Int %s%llu%s)\n", i, i ? "" : "(+ shift ",
            (unsigned long long)least_need(f, i), i ? "" : ")");
    sym_put(t, "(declare-const x_%u Bool)\n(declare-const tail_%u Int)\n", i, i);
    sym_put(t, "(declare-const N_%u Int)\n(assert (or (> e_%u %llu)", i, i,
            (unsigned long long)f->longest);
    for (uint64_t v = next_count(f, i, 0, most); v <= most; v = next_count(f, i, v, most))
        put_case(q, f, i, v);
    sym_put(t, "))\n(assert (<= 1 N_%u %llu))\n", i, (unsigned long long)most);
    if (f->objective->stores) sym_put(t, "(assert (or x_%u (> n_%u 1)))\n", i, i);
    /* each copy starts at an element that is taken */
    if (es > 1) sym_put(t, "(assert (or (= n_%u 1) (= (mod box_%u %llu) 0)))\n", i, i, es);
}

/* P_i is the product of e_0 .. e_i, R_i without e_0. Beside it: e_i is at least so much, and so is
 * the product; stated for the bounds that v copies give, and for the plan's own box. */
static void put_product(struct sym_script *q, const struct sym_fields *f, const char *name,
                        uint32_t i, const char *before, uint64_t most)
{
    struct sym_text *t = &q->text;
    const struct tmap_desc *d = &f->plan->desc;
    sym_put(t, "(declare-const %s_%u Int)\n(assert (= %s_%u (* %s e_%u)))\n", name, i, name, i,
            before, i);
    for (uint64_t v = next_count(f, i, 0, most); v <= most; v = next_count(f, i, v, most)) {
        const unsigned long long least = ceil_div(need_of(f, i), v);
        sym_put(t, "(assert (=> (>= e_%u %llu) (>= %s_%u (* %llu %s))))\n", i, least, name, i,
                least, before);
    }
    if (i < d->rank)
        sym_put(t, "(assert (=> (>= e_%u %u) (>= %s_%u (* %u %s))))\n", i, d->box[i], name, i,
                d->box[i], before);
}

static void put_products(struct sym_script *q, const struct sym_fields *f, uint64_t most)
{
    const uint32_t rank = f->view->desc.rank;
    char before[16] = "1";
    for (uint32_t i = 1; i < rank; i++) {
        struct sym_text t = {before, sizeof before, 0};
        put_product(q, f, "R", i, before, most);
        sym_put(&t, "R_%u", i);
    }
    sym_put(&q->text, "(declare-const rows Int)\n(assert (= rows %s))\n", before);
    put_product(q, f, "P", 0, "rows", most);
    sym_put(&q->text, "(declare-const bytes Int)\n(assert (= bytes (div (* %u P_0) 8)))\n",
            slice_of(f) ? 8 * slice_of(f) : table_at(TABLE_SIZE_BITS, f->view->desc.dtype));
}

static void put_copies(struct sym_script *q, const struct sym_fields *f, uint64_t most)
{
    const uint32_t rank = f->view->desc.rank;
    for (uint32_t i = 0; i < rank; i++) put_cover(q, f, i, most);
    sym_put(&q->text, "(declare-const N Int)\n(assert (= N N_%u))\n", rank - 1);
    /* the map of a smaller last box keeps the rows too; above dimension 0 any smaller box does */
    if (f->objective->stores)
        put_rows_in(q, f, SUBJECT_DESC_FIRST, SUBJECT_DESC_END, "(let ((box_0 tail_0)) ");
    if (f->linear)
        sym_put(&q->text, "(declare-const rows Int)\n(declare-const bytes Int)\n"
                          "(declare-const footprint Int)\n(assert (<= 0 bytes footprint))\n");
    else
        put_products(q, f, most);
}

/* --- shared memory -----------------------------------------------------------------------------
 */

/* Bytes that the last row of `pieces` 16-byte pieces reaches into its span, in line number `line`.
 */
static uint64_t reach(int swizzle, uint64_t line, uint64_t pieces)
{
    enum { PIECE_BYTES = 16, LINE_BYTES = 128 };
    const uint64_t span = table_at(TABLE_SPAN, swizzle);
    uint64_t most = 0;
    for (uint64_t at = 0; at < pieces * PIECE_BYTES; at++) {
        const uint64_t end = tmap_swizzle_address(swizzle, line * LINE_BYTES + at) % span + 1;
        if (end > most) most = end;
    }
    return most;
}

/* The last byte of what ends with `part` bytes in the span that begins at `start`: its pieces
 * change places within the span by the number of its line. */
static void put_last(struct sym_text *t, int swizzle, const char *start, const char *part)
{
    enum { PIECE_BYTES = 16, LINE_BYTES = 128, LINES = 8 };
    const unsigned span = table_at(TABLE_SPAN, swizzle);
    int open = 0;
    sym_put(t, "(+ %s ", start);
    for (unsigned k = 1; k < span / PIECE_BYTES; k++)
        for (unsigned line = 0; line < LINES; line++, open++)
            sym_put(t, "(ite (and (= %s %u) (= (mod (div %s %d) %d) %u)) %llu ", part,
                    k * PIECE_BYTES, start, LINE_BYTES, LINES, line,
                    (unsigned long long)reach(swizzle, line, k));
    sym_put(t, "%s)", part);
    while (open--) sym_put(t, ")");
}

/* Rows narrower than the span begin one each; slices lie end to end. */
static void put_narrow(struct sym_text *t, const struct sym_fields *f, int swizzle)
{
    char start[64], part[32] = "row_bytes";
    const unsigned span = table_at(TABLE_SPAN, swizzle);
    snprintf(start, sizeof start, "(* %u (- rows 1))", span);
    if (slice_of(f)) {
        snprintf(start, sizeof start, "(* %u (div bytes %u))", span, span);
        snprintf(part, sizeof part, "(mod bytes %u)", span);
    }
    put_last(t, swizzle, start, part);
}

/* Rows at their pitch, which is the span's where they are narrower; of slices their own. */
static void put_pitched(struct sym_text *t, const struct sym_fields *f)
{
    int open = 0;
    sym_put(t, "(define-fun pitched () Int ");
    for (int w = 0; w < TABLE_ENTRIES; w++) {
        if (!table_at(TABLE_SPAN, w) || slice_of(f)) continue;
        sym_put(t, "(ite (and (= swizzle %d) (< row_bytes %u)) (* %u rows) ", w,
                table_at(TABLE_SPAN, w), table_at(TABLE_SPAN, w));
        open++;
    }
    sym_put(t, "bytes");
    while (open--) sym_put(t, ")");
    sym_put(t, ")\n");
}

void sym_fields_shared(struct sym_script *q, const struct sym_fields *f)
{
    struct sym_text *t = &q->text;
    int open = 0;
    sym_put(t, "(declare-const row_bytes Int)\n(assert (= row_bytes ");
    if (slice_of(f))
        sym_put(t, "%u))\n", slice_of(f));
    else
        sym_put(t, "(div (* %u e_0) 8)))\n", table_at(TABLE_SIZE_BITS, f->view->desc.dtype));
    sym_put(t, "(declare-const footprint Int)\n(assert (= footprint ");
    for (int w = 0; w < TABLE_ENTRIES; w++) {
        if (!table_at(TABLE_SPAN, w)) continue;
        sym_put(t, "(ite (and (= swizzle %d) (< row_bytes %u)) ", w, table_at(TABLE_SPAN, w));
        put_narrow(t, f, w);
        sym_put(t, " ");
        open++;
    }
    sym_put(t, "bytes");
    while (open--) sym_put(t, ")");
    sym_put(t, "))\n(assert (<= footprint %u))\n", f->capacity);
    put_pitched(t, f);
    sym_put(t, "(declare-const slot Int)\n(assert (= slot (* %u (div (+ footprint %u) %u))))\n",
            f->shared_align, f->shared_align - 1, f->shared_align);
}

/* --- its use -----------------------------------------------------------------------------------
 */

/* The use's operands are known; of what the core derives, what boxes give. */
static void put_use(struct sym_script *q, const struct sym_fields *f)
{
    struct subject s = {.target = &f->checker->target, .use = f->use};
    const uint32_t rank = f->view->desc.rank;
    for (int slot = F_OP; slot < FIELD_SLOTS && slot <= F_VALUE; slot++) {
        int128 value = 0;
        field_read(&s, slot, &value);
        sym_script_known(q, slot, slot == F_COORDS ? rank : value);
    }
    sym_put(&q->text, "(define-fun tx_bytes () Int bytes)\n"
                      "(define-fun shared_footprint () Int footprint)\n");
    sym_script_known(q, F_SMEM_CAPACITY, f->capacity);
    for (int slot = F_PATTERN; slot <= F_TMEM_CAPACITY; slot++)
        if (slot != F_ROWS && slot != F_EXTENT && slot != F_LAST && slot != F_SMEM_CAPACITY)
            sym_script_unknown(q, slot);
    sym_fields_rows(q, f, SUBJECT_USE_FIRST, SUBJECT_USE_END);
}

/* --- costs -------------------------------------------------------------------------------------
 */

static bool has_above(const struct sym_fields *f, uint32_t i)
{
    for (uint32_t k = i + 1; k < f->view->desc.rank; k++)
        if (need_of(f, k) > 1) return true;
    return false;
}

/* Under a swizzle rows lie a span apart, longer ones in slabs of that width; else their own whole
 * units apart. That the plan's rows, not cut, do not lie as far apart as requested. */
static void put_other_pitch(struct sym_text *t, const struct sym_fields *f)
{
    const int32_t dtype = f->view->desc.dtype;
    const unsigned bits = table_at(TABLE_SIZE_BITS, dtype);
    const unsigned requested = table_at(TABLE_SPAN, f->objective->swizzle);
    const uint64_t row = round_up(need_of(f, 0), sym_row_unit(dtype)) * bits / 8;
    for (int w = TMAP_SWIZZLE_NONE; w < TABLE_ENTRIES; w++) {
        const unsigned span = table_at(TABLE_SPAN, w);
        if (!span && w != TMAP_SWIZZLE_NONE) continue;
        sym_put(t, " (and (= n_0 1) (= swizzle %d) (let ((row (div (* %u e_0) 8)))", w, bits);
        sym_put(t, " (not (= (ite (< row %u) %u row) %llu))))", span, span,
                (unsigned long long)(requested ? requested : row));
    }
}

/* That a row is not cut into slabs that lie end to end, one span of the request each. */
static void put_other_slabs(struct sym_text *t, const struct sym_fields *f)
{
    const unsigned bits = table_at(TABLE_SIZE_BITS, f->view->desc.dtype);
    sym_put(t, " (and (> n_0 1) (not (and (= N n_0) (= (* %u e_0) %u)%s)))", bits,
            8 * table_at(TABLE_SPAN, f->objective->swizzle), f->linear ? "" : " (= slot pitched)");
}

static void put_layouts(struct sym_script *q, const struct sym_fields *f)
{
    const struct sym_view *v = f->view;
    const bool rows = has_above(f, 0) && !slice_of(f);
    const unsigned unit = (unsigned)sym_row_unit(v->desc.dtype);
    struct sym_text *t = &q->text;
    sym_put(t, "(declare-const layouts Int)\n(assert (= layouts (+ (ite (= swizzle %d) 0 1)",
            f->objective->swizzle);
    sym_put(t, " (ite (or %s", v->layout_changes || sym_rounding(f) ? "true" : "(> shift 0)");
    if (v->is_piece) sym_put(t, " (not (= box_0 %llu))", v->tile[0]);
    if (!f->linear) sym_put(t, " (and (> N 1) (not (= slot pitched)))");
    if (rows) put_other_pitch(t, f);
    if (rows) put_other_slabs(t, f);
    /* pieces of a single row lie end to end if each is as long as copies lie apart */
    if (!rows && !slice_of(f) && !f->linear)
        sym_put(t, " (and (> n_0 1) (not (= slot row_bytes)))");
    /* a box longer than its dimension needs moves what lies above it apart, as several boxes do */
    for (uint32_t i = rows ? 1 : 0; i < v->desc.rank; i++)
        if (has_above(f, i))
            sym_put(t, " (> n_%u 1) (>= e_%u (+ need_%u %u))", i, i, i, i ? 1 : unit);
        else /* and what other copies bring as well */
            sym_put(t, " (and (> N 1) (>= e_%u (+ need_%u %u)))", i, i, i ? 1 : unit);
    sym_put(t, ") 1 0))))\n");
}

void sym_fields_desc(struct sym_script *q, const struct sym_fields *f, const bool *unknown)
{
    struct tmap_desc desc = f->view->desc;
    if (f->copied) desc.flags &= ~(uint32_t)TMAP_HAS_ALLOCATION;
    sym_script_desc(q, &f->checker->target, &desc, unknown);
}

void sym_fields_costs(struct sym_script *q, const struct sym_fields *f, uint64_t most)
{
    bool unknown[FIELD_SLOTS] = {false};
    struct sym_text *t = &q->text;
    free_slots(f, unknown);
    sym_fields_desc(q, f, unknown);
    put_shift(q, f);
    put_rows_apart(q, f);
    sym_fields_rows(q, f, SUBJECT_DESC_FIRST, SUBJECT_DESC_END);
    if (f->objective->keep_swizzle) sym_put(t, "(assert (= swizzle %d))\n", f->objective->swizzle);
    /* coordinates can be rounded only for loads of whole dimensions */
    if (sym_rounding(f) &&
        (f->objective->stores || f->view->is_piece || (f->use && f->use->consumer)))
        sym_put(t, "(assert false)\n");
    if (is_mma(f) && !f->view->tile_rows) sym_put(t, "(assert false)\n");
    put_copies(q, f, most);
    if (!f->linear) sym_fields_shared(q, f);
    if (f->use) put_use(q, f);
    put_layouts(q, f);
}

void sym_fields_maps(struct sym_script *q, const struct sym_fields *f, unsigned long long n)
{
    const uint32_t rank = f->view->desc.rank;
    struct sym_text *t = &q->text;
    unsigned tails = 0;
    while ((1u << tails) <= f->plan->cost.extra_maps) tails++;
    sym_put(t, "(define-fun tails () Int (+ 0");
    for (uint32_t i = 0; i < rank; i++) sym_put(t, " (ite x_%u 0 1)", i);
    sym_put(t, "))\n");
    if (tails)
        sym_put(t, "(assert (or (< N %llu) (and (= N %llu) (< tails %u))))\n", n, n, tails);
    else
        sym_put(t, "(assert (or (< N %llu) (= tails 0)))\n", n);
}

void sym_fields_below(struct sym_script *q, const struct sym_fields *f)
{
    const struct tmap_cost *c = &f->plan->cost;
    struct sym_text *t = &q->text;
    if (!f->copied && c->copied_bytes) return; /* whatever is legal without a copy costs less */
    const unsigned long long n = c->extra_instructions + 1;
    if (f->objective->stores) {
        sym_fields_maps(q, f, n);
        if (c->extra_maps) return; /* what smaller last boxes waste is not compared */
    }
    if (f->linear) {
        sym_put(t, "(assert (or (< N %llu) (and (= N %llu) (< layouts %u))))\n", n, n,
                c->layout_changes);
        return;
    }
    /* products with N only where N is known */
    sym_put(t, "(assert (or (< N %llu) (and (= N %llu) (or (< layouts %u) (and (= layouts %u) ", n,
            n, c->layout_changes, c->layout_changes);
    sym_put(t, "(let ((tx (* %llu bytes)) (sh (+ footprint (* %llu slot)))) ", n, n - 1);
    const unsigned long long tx = c->wasted_traffic_bytes + f->objective->useful_bytes;
    const unsigned long long sh = c->wasted_shared_bytes + f->objective->useful_bytes;
    sym_put(t, "(or %s", "false");
    if (c->wasted_traffic_bytes) sym_put(t, " (< tx %llu)", tx);
    if (c->wasted_shared_bytes) sym_put(t, " (and (<= tx %llu) (< sh %llu))", tx, sh);
    sym_put(t, ")))))))\n");
}
