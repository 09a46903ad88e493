/* Brute force over maps for a tile; see brute.h. */
#include "support/brute.h"

#include "core/layout.h"

#include <stdlib.h>
#include <string.h>

#define ROW 16u /* bytes: strides and addresses of what is tried are multiples */

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b * b;
}

/* --- fields of one view ---------------------------------------------------------------------*/

static bool stores(const struct brute *b)
{
    return b->op == TMAP_OP_STORE;
}

bool brute_legal(const struct brute *b, const struct candidate *c, const struct tmap_use *how)
{
    struct tmap_use use = {.op = b->op};
    struct tmap_violation violation[1];
    size_t found;
    if (how) use = *how;
    use.flags = TMAP_USE_COORD | TMAP_USE_SMEM;
    use.coord_count = c->desc->rank;
    use.coord[0] = (int32_t)c->p->step;
    const struct tmap_desc *both[] = {c->desc, c->last};
    for (int i = 0; i < 2; i++)
        if (tmap_verdict_of(&b->c, both[i]) != TMAP_LEGAL ||
            tmap_check_use(&b->c, both[i], &use, violation, 1, &found, NULL) != TMAP_OK || found)
            return false;
    return true;
}

/* Whether the tile has more than one element along some dimension above this one. */
static bool has_above(const struct place *p, uint32_t rank, uint32_t dim)
{
    for (uint32_t k = dim + 1; k < rank; k++)
        if (p->tile[k] > p->v->d[k].es) return true;
    return false;
}

static void measure(struct brute *b, const struct tmap_desc *d, const struct place *p)
{
    struct tmap_desc last = *d;
    struct tmap_layout l, end;
    struct candidate c = {.p = p, .desc = d, .last = &last, .copies = 1, .maps = 1};
    uint64_t cells = 1;
    for (uint32_t i = 0; i < d->rank; i++) {
        if (p->x[i].tail) last.box[i] = (uint32_t)p->x[i].tail;
        c.maps *= p->x[i].tail ? 2 : 1;
        c.copies *= p->x[i].n;
    }
    layout_of(d, &l);
    end = l;
    if (c.maps > 1) layout_of(&last, &end);
    for (uint32_t i = 0; i < d->rank; i++) cells *= (p->x[i].n - 1) * l.extent[i] + end.extent[i];
    const uint64_t slot = up(l.footprint_bytes, l.align_bytes);
    c.moved_bytes = cells * (d->interleave ? l.row_bytes : p->v->bytes);
    c.shared_bytes = (c.copies - 1) * slot + end.footprint_bytes;
    c.layout = &l;
    c.slot_bytes = slot;
    b->consider(b, &c);
}

/* Boxes longer than the least that may serve: for whole units of 16 bytes, or for copies that lie
 * end to end. */
static uint64_t slack(uint32_t dim, uint64_t n, uint64_t whole)
{
    const uint64_t unit = dim == 0 ? 16 : 1;
    return n > 1 && whole > unit ? whole : unit;
}

/* Every number of copies along each dimension, each with the boxes that cover the tile so: the
 * least, and where a longer one may serve, those up to a whole unit more. */
static void boxes(struct brute *b, struct tmap_desc *d, struct place *p, uint32_t dim,
                  uint64_t copies)
{
    if (dim == d->rank) {
        measure(b, d, p);
        return;
    }
    const uint64_t es = p->v->d[dim].es, requested = p->tile[dim];
    /* up to the last element that is taken, where that makes a difference */
    const uint64_t tile = requested > 256 ? (requested + es - 1) / es * es - es + 1 : requested;
    /* a store must not write beside the tile, but beyond the tensor nothing is: of rows that are
     * whole units */
    const bool exact = stores(b) && (p->v->d[dim].grain || p->v->d[dim].tile < p->v->d[dim].size ||
                                     (dim == 0 && d->dim[0] * p->v->bytes % ROW));
    const uint64_t whole = stores(b) && b->every_box    ? 256
                           : has_above(p, d->rank, dim) ? (b->every_row ? 8 : es)
                           : dim == 0                   ? 128
                                                        : 8 * es;
    for (uint64_t n = 1; n * copies <= BRUTE_COPIES && n <= tile && !b->skip(b, p, n * copies); n++)
        for (uint64_t box = (tile + n - 1) / n, k = 0; k < slack(dim, n, whole); box++, k++) {
            const uint64_t before = (n - 1) * box;
            if (box > 256 || before >= tile || (n > 1 && box % es)) continue;
            p->x[dim] = (struct boxes){n, 0};
            /* of the elements that are taken as many */
            const bool more = n * ((box + es - 1) / es) != (tile + es - 1) / es;
            if (exact && more) p->x[dim].tail = tile - before;
            if (exact && n == 1 && more) continue;
            d->box[dim] = (uint32_t)box;
            boxes(b, d, p, dim + 1, copies * n);
        }
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    return b ? gcd(b, a % b) : a;
}

static struct tmap_desc desc_of(const struct brute *b, const struct seen *v)
{
    struct tmap_desc d = b->request;
    d.rank = v->rank;
    d.dtype = v->dtype;
    d.interleave = v->interleave;
    memset(d.stride_bytes, 0, sizeof d.stride_bytes);
    for (uint32_t i = 0; i < 5; i++) {
        d.dim[i] = i < v->rank ? v->d[i].size : 0;
        d.elem_stride[i] = i < v->rank ? (uint32_t)v->d[i].es : 0;
        if (i && i < v->rank) d.stride_bytes[i - 1] = v->d[i].stride;
    }
    return d;
}

static void fields(struct brute *b, const struct seen *v, int32_t swizzle, bool copied)
{
    struct tmap_desc d = desc_of(b, v);
    struct place p = {.v = v, .step = v->d[0].grain, .copied = copied};
    const uint64_t unit = v->bytes < ROW ? ROW / v->bytes : 1, off = copied ? 0 : d.address % ROW;
    uint64_t at = v->interleave ? layout_slice_bytes(v->interleave) : v->bytes;
    d.swizzle = swizzle;
    for (uint32_t i = 0; i < d.rank; i++) p.tile[i] = v->d[i].tile;
    for (uint32_t i = 0; i + 1 < d.rank; i++) {
        at = up(at * d.dim[i], 2 * ROW);
        if (copied && (d.stride_bytes[i] || d.dim[i + 1] == 1)) d.stride_bytes[i] = at;
        if (!copied && d.dim[i + 1] == 1) d.stride_bytes[i] = up(d.stride_bytes[i], 2 * ROW);
    }
    if (copied) d.address = up(d.address, 256);
    const bool moves = !stores(b) && !v->interleave && !v->piece;
    if (off && (!moves || off % v->bytes)) return;
    if (off) {
        p.tile[0] += off / v->bytes;
        d.dim[0] += off / v->bytes;
        d.address -= off;
    }
    if (moves && p.step % unit) {
        p.tile[0] += unit - gcd(p.step, unit);
        p.moved = true;
        p.step = 0;
    }
    p.moved = p.moved || off != 0;
    boxes(b, &d, &p, 0, 1);
}

/* --- ways to see a tensor ------------------------------------------------------------------- */

static void add(struct brute *b, struct seen v)
{
    v.depth++;
    if (v.depth > b->depth || v.rank > TMAP_MAX_RANK || v.rank == 0) return;
    for (uint32_t i = v.rank; i < 6; i++) memset(&v.d[i], 0, sizeof v.d[i]);
    for (size_t i = 0; i < b->count; i++) {
        struct seen other = b->list[i];
        other.depth = v.depth;
        if (memcmp(&other, &v, sizeof v) == 0) return;
    }
    if (b->count == BRUTE_VIEWS) abort();
    b->list[b->count++] = v;
}

static void without(struct seen *v, uint32_t dim)
{
    for (uint32_t i = dim; i < 5; i++) v->d[i] = v->d[i + 1];
    v->rank--;
}

static void in_pieces(struct brute *b, const struct seen *v, uint32_t i, uint64_t size)
{
    for (uint32_t place = i + 1; place <= v->rank && v->rank < TMAP_MAX_RANK; place++) {
        struct seen w = *v;
        for (uint32_t k = v->rank; k > place; k--) w.d[k] = v->d[k - 1];
        w.rank++;
        w.d[place] = v->d[i];
        w.d[place].size /= size;
        w.d[place].tile /= size;
        w.d[place].grain /= size;
        w.d[place].stride *= size;
        w.d[i].size = w.d[i].tile = size;
        w.d[i].grain = 0;
        w.d[i].whole = w.d[place].whole = 0;
        if (i == 0) w.piece = true;
        w.d[place].at *= size;
        add(b, w);
    }
}

static void one_dimension(struct brute *b, const struct seen *v, uint32_t i)
{
    struct seen w = *v;
    const bool plain = v->d[i].whole && v->d[i].es == 1;
    if (i && v->d[i].size == 1 && v->d[i].tile == 1 && v->d[i].grain == 0) {
        without(&w, i);
        add(b, w);
    }
    for (uint64_t s = 2; v->d[i].es == 1 && s < v->d[i].size && s <= v->d[i].tile; s++)
        if (v->d[i].size % s == 0 && v->d[i].tile % s == 0 && v->d[i].grain % s == 0)
            in_pieces(b, v, i, s);
    w = *v;
    if (i && v->d[i].es > 1 && v->d[i].grain % v->d[i].es == 0) {
        w.d[i].size = (w.d[i].size - 1) / w.d[i].es + 1;
        w.d[i].tile = (w.d[i].tile - 1) / w.d[i].es + 1;
        w.d[i].grain /= w.d[i].es;
        w.d[i].stride *= w.d[i].es;
        w.d[i].es = 1;
        w.d[i].whole = 0;
        add(b, w);
    }
    w = *v;
    if (i && plain && v->d[0].size == 1 && v->d[0].whole && v->pairs &&
        v->d[i].stride == v->bytes) {
        w.d[0] = v->d[i];
        w.d[i] = v->d[0];
        w.pairs = v->pairs > 1 ? 0 : 1;
        add(b, w);
    }
    if (i + 1 == v->rank || !plain || !v->d[i + 1].whole || v->d[i + 1].es != 1 ||
        v->d[i].tile != v->d[i].size || v->d[i].grain || v->d[i].stride == 0 ||
        v->d[i].size * v->d[i].stride != v->d[i + 1].stride)
        return;
    w = *v;
    if (v->d[i].tile == 1)
        w.d[i].at = v->d[i + 1].at;
    else if (v->d[i + 1].tile > 1 && v->d[i + 1].at != v->d[i].at * v->d[i].tile)
        w.jumbled = true;
    w.d[i].size *= v->d[i + 1].size;
    w.d[i].tile *= v->d[i + 1].tile;
    w.d[i].grain = v->d[i].size * v->d[i + 1].grain;
    without(&w, i + 1);
    add(b, w);
}

static void rewrites(struct brute *b, struct seen v)
{
    const uint64_t slice = layout_slice_bytes(v.interleave);
    struct seen w = v;
    if (v.interleave) {
        for (uint32_t i = v.rank; i > 0; i--) w.d[i] = v.d[i - 1];
        w.d[0].size = w.d[0].tile = slice / v.bytes;
        w.d[0].stride = v.bytes;
        w.d[0].grain = 0;
        w.d[0].es = w.d[0].whole = w.d[0].at = 1;
        w.d[1].stride = slice;
        w.rank++;
        w.interleave = 0;
        add(b, w);
        return;
    }
    for (uint32_t i = 0; i < v.rank; i++) one_dimension(b, &v, i);
    if (v.pairs && v.bytes < 8 && v.d[0].size % 2 == 0 && v.d[0].tile % 2 == 0 &&
        v.d[0].grain % 2 == 0) {
        w.pairs *= 2;
        w.bytes *= 2;
        w.dtype = w.bytes == 2 ? TMAP_UINT16 : w.bytes == 4 ? TMAP_UINT32 : TMAP_UINT64;
        w.d[0].size /= 2;
        w.d[0].tile /= 2;
        w.d[0].grain /= 2;
        w.d[0].stride *= 2;
        w.d[0].at *= 2;
        add(b, w);
    }
}

void brute_run(struct brute *b)
{
    const struct tmap_desc *d = &b->request;
    struct seen v;
    struct tmap_layout l;
    memset(&v, 0, sizeof v);
    v.pairs = 1;
    v.rank = d->rank;
    v.dtype = d->dtype;
    v.interleave = d->interleave;
    v.bytes = layout_gmem_bits(d->dtype) / 8;
    layout_of(d, &l);
    b->useful = l.tx_bytes;
    uint64_t at = d->interleave ? layout_slice_bytes(d->interleave) / v.bytes : 1;
    b->tensor = d->interleave ? layout_slice_bytes(d->interleave) : v.bytes;
    for (uint32_t i = 0; i < d->rank; i++) {
        const bool one = d->interleave && i + 2 == d->rank;
        v.d[i].size = d->dim[i];
        v.d[i].stride = i ? d->stride_bytes[i - 1] : v.bytes;
        v.d[i].tile = one ? 1 : d->box[i];
        v.d[i].grain = d->box[i] >= d->dim[i] ? 0 : d->box[i];
        v.d[i].es = i || d->interleave ? d->elem_stride[i] : 1;
        v.d[i].whole = 1;
        v.d[i].at = at;
        at *= (v.d[i].tile + v.d[i].es - 1) / v.d[i].es;
        b->tensor *= i && d->stride_bytes[i - 1] == 0 ? 1 : d->dim[i];
    }
    b->list[0] = v;
    b->count = 1;
    for (size_t i = 0; i < b->count; i++)
        if (b->list[i].depth < b->depth) rewrites(b, b->list[i]);
    for (size_t i = 0; i < b->count; i++)
        for (int k = 0; k < 2 * b->swizzles; k++) fields(b, &b->list[i], k / 2, k % 2);
}

unsigned brute_rewrites(const struct tmap_plan *p)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < p->step_count; i++)
        n +=
            (p->step[i].rewrite >= TMAP_REWRITE_DROP && p->step[i].rewrite <= TMAP_REWRITE_BYTES) ||
            (p->step[i].rewrite >= TMAP_REWRITE_SWAP && p->step[i].rewrite <= TMAP_REWRITE_SLICES);
    return n;
}

/* --- the shared layout -------------------------------------------------------------------------
 */

/* Where the request's box puts element m of its tile, bytes: rows one under the other, of whole
 * units; under a swizzle a span apart, or in slabs of that width. */
static uint64_t requested_place(const struct tmap_desc *d, uint64_t m)
{
    const uint64_t bytes = layout_gmem_bits(d->dtype) / 8, span = layout_swizzle_span(d->swizzle);
    const uint64_t slice = layout_slice_bytes(d->interleave);
    if (slice) return m * bytes; /* of whole slices, end to end */
    const uint64_t x = m % d->box[0], row = m / d->box[0], wide = up(d->box[0] * bytes, ROW);
    uint64_t rows = 1;
    for (uint32_t i = 1; i < d->rank; i++)
        rows *= (d->box[i] + d->elem_stride[i] - 1) / d->elem_stride[i];
    if (!span || wide <= span) return row * (span ? span : wide) + x * bytes;
    return (x * bytes / span * rows + row) * span + x * bytes % span;
}

/* Where the candidate's copies put it. */
static uint64_t candidate_place(const struct brute *b, const struct candidate *c,
                                const struct tmap_layout pitch[2], uint64_t m)
{
    const uint64_t bytes = layout_gmem_bits(b->request.dtype) / 8;
    const struct seen *v = c->p->v;
    const bool sliced = v->interleave != 0;
    uint64_t copy = 0, row = 0, inner = 0;
    bool last0 = false;
    for (uint32_t i = v->rank; i-- > 0;) {
        const struct boxes *x = &c->p->x[i];
        const uint64_t es = v->d[i].es, count = (v->d[i].tile + es - 1) / es;
        const uint64_t in = m / v->d[i].at % count * es, box = c->desc->box[i];
        const bool last = x->tail && in / box + 1 == x->n;
        const uint64_t taken = last ? x->tail : box, k = in / box;
        copy = copy * x->n + k;
        if (i == 0) last0 = last;
        if (i == 0 && !sliced) inner = in % box * v->bytes;
        if ((i || sliced) && !(sliced && i + 2 == v->rank))
            row = row * ((taken + es - 1) / es) + in % box / es;
    }
    /* which of the elements that became one; of a slice */
    uint64_t part = 0;
    if (sliced)
        part = m * bytes % layout_slice_bytes(v->interleave);
    else if (v->bytes > bytes)
        part = m % (v->bytes / bytes) * bytes;
    return copy * c->slot_bytes + row * pitch[last0].pitch_bytes + inner + part;
}

bool brute_keeps_layout(const struct brute *b, const struct candidate *c)
{
    const uint64_t bytes = layout_gmem_bits(b->request.dtype) / 8;
    struct tmap_layout pitch[2];
    layout_of(c->desc, &pitch[0]);
    layout_of(c->last, &pitch[1]);
    if (c->p->moved || c->p->v->jumbled) return false;
    for (uint64_t m = 0; m < b->useful / bytes; m++)
        if (requested_place(&b->request, m) != candidate_place(b, c, pitch, m)) return false;
    return true;
}
