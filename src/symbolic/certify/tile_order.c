/* tile_order.c : the order in which solve ranks plans, as terms: copies, maps, conflicts of eight
 * rows, shared memory, sectors of memory of which a part is used. Written from solve.h's words, not
 * from the search. */
#include "symbolic/certify/view_query.h"

enum { MATRIX_ROWS = 8, PIECE_BYTES = 16, PIECES = 8, SECTOR_BYTES = 32 };

/* Cycles beyond the first when 16 bytes of each of so many rows are read, which lie a pitch apart
 * under a swizzle: pieces of 16 bytes share all their banks or none. */
static unsigned conflicts_at(int swizzle, uint64_t pitch, uint64_t rows)
{
    unsigned in[PIECES] = {0}, most = 1;
    for (uint64_t k = 0; k < rows && k < MATRIX_ROWS; k++) {
        const uint64_t at = tmap_swizzle_address(swizzle, k * pitch) / PIECE_BYTES % PIECES;
        if (++in[at] > most) most = in[at];
    }
    return most - 1;
}

static bool by_mma(const struct sym_fields *f)
{
    return f->use->consumer == TMAP_CONSUMER_WGMMA || f->use->consumer == TMAP_CONSUMER_TCGEN05;
}

/* Whether the bank conflicts of a view's plans are stated, or left open. */
static bool knows_conflicts(const struct sym_fields *f)
{
    const struct sym_view *v = f->view;
    if (by_mma(f)) return true;
    /* the tile's rows are the box's, in their order */
    return f->tile_rank == 2 && v->desc.rank >= 2 && v->tile_rows && (v->whole[1] & 1);
}

/* Rows under a swizzle lie a span apart, and else their own length, whose pieces modulo 8 count. */
static void put_known(struct sym_text *t, const struct sym_fields *f)
{
    const uint64_t rows = by_mma(f) ? MATRIX_ROWS : f->view->tile[1];
    int open = 0;
    for (int w = 0; w < TABLE_ENTRIES; w++) {
        const uint64_t span = table_at(TABLE_SPAN, w);
        if (!span) continue;
        sym_put(t, "(ite (= swizzle %d) %u ", w, conflicts_at(w, span, rows));
        open++;
    }
    for (unsigned k = 0; k < PIECES; k++, open++)
        sym_put(t, "(ite (= (mod (div row_bytes %d) %d) %u) %u ", PIECE_BYTES, PIECES, k,
                conflicts_at(0, (uint64_t)k * PIECE_BYTES, rows));
    sym_put(t, "0");
    while (open--) sym_put(t, ")");
}

/* Where eight rows may lie in two copies, or in pieces, nothing is said: none are counted, or more
 * than the plan's. */
static void put_conflicts(struct sym_script *q, const struct sym_fields *f)
{
    const unsigned otherwise = f->many_conflicts ? f->best->conflicts + 1 : 0;
    struct sym_text *t = &q->text;
    sym_put(t, "(define-fun conflicts () Int ");
    if (f->use->consumer == TMAP_CONSUMER_NONE || !knows_conflicts(f)) {
        sym_put(t, "%u)\n", f->use->consumer == TMAP_CONSUMER_NONE ? 0 : otherwise);
        return;
    }
    if (!by_mma(f)) sym_put(t, "(ite (or (= n_1 1) (= (mod box_1 %d) 0)) ", MATRIX_ROWS);
    put_known(t, f);
    if (!by_mma(f)) sym_put(t, " %u)", otherwise);
    sym_put(t, ")\n");
}

/* Runs of memory are whole sectors, and begin where one does: rows that follow one another without
 * a gap are one run. Beyond the end of a dimension no memory is read. */
static void put_sectors(struct sym_script *q, const struct sym_fields *f)
{
    const struct tmap_desc *d = &f->view->desc;
    struct sym_text *t = &q->text;
    for (uint32_t i = 0; i < d->rank; i++)
        sym_put(t, "(define-fun read_%u () Int (ite (< e_%u dim_%u) e_%u dim_%u))\n", i, i, i, i,
                i);
    sym_put(t, "(define-fun run_0 () Int (div (* %u read_0) 8))\n",
            table_at(TABLE_GMEM_BITS, d->dtype));
    for (uint32_t i = 0; i + 1 < d->rank; i++)
        sym_put(t,
                "(define-fun run_%u () Int (ite (= stride_%u run_%u) (* run_%u read_%u) run_%u))\n",
                i + 1, i, i, i, i + 1, i);
    sym_put(t, "(define-fun whole_sectors () Bool (and (= (mod address %d) 0)", SECTOR_BYTES);
    for (uint32_t i = 0; i + 1 < d->rank; i++)
        sym_put(t, " (or (= stride_%u run_%u) (= (mod stride_%u %d) 0))", i, i, i, SECTOR_BYTES);
    sym_put(t, " (= (mod run_%u %d) 0)))\n", d->rank - 1, SECTOR_BYTES);
}

void sym_fields_better(struct sym_script *q, const struct sym_fields *f)
{
    const struct tmap_cost *c = &f->plan->cost;
    const unsigned long long n = c->extra_instructions + 1, shared = f->best->shared_bytes;
    struct sym_text *t = &q->text;
    if (!f->copied && c->copied_bytes) return; /* whatever is legal without a copy is better */
    if (f->objective->stores) {
        sym_fields_maps(q, f, n);
        if (c->extra_maps) return; /* what smaller last boxes cost is not compared */
    }
    if (f->linear) { /* as many copies and no more are the least that is asked of fields */
        sym_put(t, "(assert (<= N %llu))\n", n);
        return;
    }
    put_conflicts(q, f);
    put_sectors(q, f);
    sym_put(t, "(define-fun shared () Int (+ footprint (* %llu slot)))\n", n - 1);
    sym_put(t, "(assert (or (< N %llu) (and (= N %llu) (or (< conflicts %u) (and (<= conflicts %u)",
            n, n, f->best->conflicts, f->best->conflicts);
    sym_put(t, " (or (< shared %llu)", shared);
    if (f->best->partial_sectors) sym_put(t, " (and (<= shared %llu) whole_sectors)", shared);
    sym_put(t, "))))))\n");
}
