/* view_im2col.c : the one view of an im2col map: swizzle, equal pieces of the channels, strides
 * of size-1 dimensions, a padded copy. Pixels and corners stay, so a copy's rows are a number. */
#include "core/arith.h"
#include "symbolic/certify/view_query.h"

static void free_slots(const struct sym_fields *f, bool *unknown)
{
    const struct tmap_desc *d = &f->view->desc;
    unknown[F_SWIZZLE] = unknown[F_CHANNELS] = true;
    unknown[F_ADDRESS] = unknown[F_DIM] = f->copied;
    for (uint32_t i = 0; i + 1 < d->rank; i++)
        unknown[F_STRIDE + i] = f->copied || d->dim[i + 1] == 1;
}

/* Stores bring no other channels, but where they are all there are: nothing is written beyond the
 * tensor, if its rows are whole units. */
static bool ends_exactly(const struct sym_fields *f)
{
    enum { UNIT_BITS = 128 };
    const struct sym_view *v = f->view;
    const unsigned bits = table_at(TABLE_SIZE_BITS, v->desc.dtype);
    return f->objective->stores &&
           (v->grain[0] || v->tile[0] < v->desc.dim[0] || sym_row_elements(f) * bits % UNIT_BITS);
}

/* N pieces, each needed; under interleave one, of whatever channels. */
static void put_pieces(struct sym_script *q, const struct sym_fields *f, uint64_t most)
{
    const unsigned long long need = f->view->tile[0] + sym_rounding(f);
    struct sym_text *t = &q->text;
    sym_put(t, "(declare-const N Int)\n(assert (or false");
    for (unsigned long long v = 1; v <= most && v <= need; v++) {
        if (v > 1 && (v - 1) * ceil_div(need, v) >= need) continue; /* so many have an idle one */
        sym_put(t, " (and (= N %llu) (%s (* %llu channels) %llu))", v,
                ends_exactly(f) ? "=" : ">=", v, need);
    }
    sym_put(t, "))\n");
    if (sym_rounding(f) && f->objective->stores) sym_put(t, "(assert false)\n");
}

static void put_bytes(struct sym_script *q, const struct sym_fields *f)
{
    const unsigned slice = table_at(TABLE_SLICE, f->view->desc.interleave);
    struct sym_text *t = &q->text;
    sym_put(t, "(define-fun rows () Int %llu)\n", (unsigned long long)f->rows);
    sym_put(t, "(define-fun e_0 () Int channels)\n(declare-const bytes Int)\n");
    if (slice)
        sym_put(t, "(assert (= bytes (* %u rows)))\n", slice);
    else
        sym_put(t, "(assert (= bytes (div (* %llu channels) 8)))\n",
                (unsigned long long)f->rows * table_at(TABLE_SIZE_BITS, f->view->desc.dtype));
}

/* kind and bytes copied are the same: instructions, then the shared layout, then what is wasted. */
static void put_below(struct sym_script *q, const struct sym_fields *f)
{
    const struct tmap_cost *c = &f->plan->cost;
    const unsigned long long n = c->extra_instructions + 1, useful = f->objective->useful_bytes;
    struct sym_text *t = &q->text;
    if (!f->copied && c->copied_bytes) return; /* whatever is legal without a copy costs less */
    sym_put(t, "(assert (or (< N %llu) (and (= N %llu) (or (< layouts %u) (and (= layouts %u) ", n,
            n, c->layout_changes, c->layout_changes);
    sym_put(t, "(let ((tx (* %llu bytes)) (sh (+ footprint (* %llu slot)))) (or false", n, n - 1);
    if (c->wasted_traffic_bytes) sym_put(t, " (< tx %llu)", c->wasted_traffic_bytes + useful);
    if (c->wasted_shared_bytes)
        sym_put(t, " (and (<= tx %llu) (< sh %llu))", c->wasted_traffic_bytes + useful,
                c->wasted_shared_bytes + useful);
    sym_put(t, ")))))))\n");
}

/* Whether the tile lies elsewhere than requested: before the swizzle, whose rows lie a span apart,
 * or their own whole units, and beyond a span in slabs of that width. */
static void put_moved(struct sym_script *q, const struct sym_fields *f)
{
    const int32_t dtype = f->view->desc.dtype;
    const unsigned bits = table_at(TABLE_SIZE_BITS, dtype);
    const unsigned span = table_at(TABLE_SPAN, f->objective->swizzle);
    const uint64_t row = round_up(f->view->tile[0], sym_row_unit(dtype)) * bits / 8;
    struct sym_text *t = &q->text;
    sym_put(t, "(define-fun moved () Bool (or %s", sym_rounding(f) ? "true" : "false");
    if (f->rows > 1)
        sym_put(t, " (and (= N 1) (not (= pitched %llu)))",
                (unsigned long long)(f->rows * (span ? span : row)));
    sym_put(t, " (and (> N 1) (not (and (= slot bytes)");
    if (f->rows > 1) sym_put(t, " (= row_bytes %u)", span);
    sym_put(t, ")))))\n");
}

void sym_im2col_question(struct sym_script *q, const struct sym_fields *f)
{
    const bool interleaved = f->view->desc.interleave != 0;
    bool unknown[FIELD_SLOTS] = {false};
    struct sym_text *t = &q->text;
    free_slots(f, unknown);
    sym_fields_desc(q, f, unknown);
    if (f->copied) sym_put(t, "(assert (= dim_0 %llu))\n", (unsigned long long)sym_row_elements(f));
    sym_fields_rows(q, f, SUBJECT_DESC_FIRST, SUBJECT_DESC_END);
    if (f->objective->keep_swizzle) sym_put(t, "(assert (= swizzle %d))\n", f->objective->swizzle);
    if (interleaved)
        sym_put(t, "(define-fun N () Int 1)\n");
    else
        put_pieces(q, f, f->plan->cost.extra_instructions + 1);
    put_bytes(q, f);
    sym_fields_shared(q, f);
    if (interleaved)
        sym_put(t, "(define-fun moved () Bool false)\n");
    else
        put_moved(q, f);
    sym_put(t, "(define-fun layouts () Int (+ (ite (= swizzle %d) 0 1) (ite moved 1 0)))\n",
            f->objective->swizzle);
    put_below(q, f);
}
