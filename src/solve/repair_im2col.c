/* Plans of im2col maps: of one as requested, and of a tiled tile along one dimension. Strides and
 * base are settled as for tiled maps; channels and pixels are copied in pieces where they are too
 * many. Corners say what a convolution reads: those of a request are not changed. */
#include "solve/im2col.h"
#include "solve/tile_layout.h"

#include "core/arith.h"
#include "core/layout.h"
#include "expr/field.h"

#include <string.h>

#define MOST_PIECES 64u /* per tile: beyond, not a plan */

/* --- pieces: `count` copies of `size` each along one dimension, of `tail` the last unless 0 ------
 */

struct pieces {
    uint32_t count, size, tail;
};

/* The tile in pieces, while the best are looked for. */
struct walk {
    struct draft *d;
    uint64_t channels, pixels; /* what they must cover */
    uint32_t unit;             /* of channels */
    bool channels_end;         /* nothing is written beyond the channels: pieces may pass them */
    struct pieces c, p, best_c, best_p;
    struct tmap_cost before, cost;
    bool any;
};

static struct tmap_desc last_of(const struct walk *w)
{
    struct tmap_desc last = w->d->p->desc;
    if (w->c.tail) last.channels = w->c.tail;
    if (w->p.tail) last.pixels = w->p.tail;
    return last;
}

static bool usable(const struct objective *objective, const struct tmap_desc *desc)
{
    struct tmap_use use = {.op = objective->stores ? TMAP_OP_STORE : TMAP_OP_LOAD,
                           .flags = TMAP_USE_SMEM};
    struct tmap_violation v[1];
    size_t found = 1; /* and stays so where the question is refused */
    if (tmap_verdict_of(objective->checker, desc) != TMAP_LEGAL) return false;
    tmap_check_use(objective->checker, desc, &use, v, 1, &found, NULL);
    return found == 0;
}

/* A tiled box that lies in shared memory as the walk does: channels, and as many rows modulo 8. */
static struct tmap_desc as_box(const struct tmap_desc *desc)
{
    enum { ROWS = 8 };
    struct tmap_desc d = *desc;
    d.kind = TMAP_TILED;
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) d.box[i] = d.elem_stride[i] = 1;
    d.box[0] = desc->channels;
    d.box[1] = desc->pixels < ROWS ? desc->pixels : ROWS + desc->pixels % ROWS;
    return d;
}

/* The same, and the reader takes the box: what an MMA reads, the rows say of tiled ones. */
static bool readable(const struct objective *objective, const struct tmap_desc *desc)
{
    const struct tmap_desc kinds[] = {*desc, as_box(desc)};
    struct tmap_violation v[1];
    if (!usable(objective, desc)) return false;
    for (int i = 0; i < 2 && objective->reader; i++) {
        size_t found = 1;
        tmap_check_use(objective->checker, &kinds[i], objective->reader, v, 1, &found, NULL);
        if (found) return false;
    }
    return true;
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t covered(const struct pieces *x)
{
    return (x->count - 1ull) * x->size + (x->tail ? x->tail : x->size);
}

static uint64_t with_tail(const struct pieces *x, bool tail)
{
    return tail ? x->tail != 0 : x->count - (x->tail != 0);
}

/* What all copies signal: those in the middle, and those at the ends with fewer channels or pixels.
 */
static uint64_t moved_bytes(const struct walk *w)
{
    struct tmap_desc own = w->d->p->desc;
    struct tmap_layout l;
    uint64_t sum = 0;
    layout_of(&own, &l);
    if (w->d->v->desc.interleave) return l.tx_bytes;
    for (int set = 0; set < 4; set++) {
        const bool c = set & 1, p = set >> 1;
        own.channels = c ? w->c.tail : w->c.size;
        own.pixels = p ? w->p.tail : w->p.size;
        layout_of(&own, &l);
        sum += with_tail(&w->c, c) * with_tail(&w->p, p) * l.tx_bytes;
    }
    return sum;
}

static struct tmap_cost cost_of(const struct walk *w)
{
    const struct objective *objective = w->d->objective;
    const struct tmap_desc last = last_of(w);
    const uint64_t copies = (uint64_t)w->c.count * w->p.count;
    struct tmap_cost c = w->before;
    struct tmap_layout l, end;
    layout_of(&w->d->p->desc, &l);
    layout_of(&last, &end);
    const uint64_t slot = round_up(l.footprint_bytes, l.align_bytes);
    c.extra_instructions = copies - 1;
    c.extra_maps = (1u << ((w->c.tail != 0) + (w->p.tail != 0))) - 1;
    if (objective->any_layout) c.layout_changes = 0;
    c.wasted_traffic_bytes = above(moved_bytes(w), objective->useful_bytes);
    c.wasted_shared_bytes =
        above((copies - 1) * slot + end.footprint_bytes, objective->useful_bytes);
    return c;
}

static void set_pieces(struct tmap_plan_dim *dim, const struct pieces *x)
{
    dim->copies = x->count;
    dim->step = x->size;
    dim->tail = x->tail;
}

/* Under interleave a step of dimension 0 is a slice, and channels say nothing. */
static void take_pieces(const struct walk *w, struct tmap_plan *p)
{
    set_pieces(&p->dim[0], &w->c);
    set_pieces(&p->dim[1], &w->p);
    if (p->desc.interleave) p->dim[0].step = 1;
}

static bool keeps_layout(const struct walk *w)
{
    const struct objective *a = w->d->objective;
    struct tmap_plan p = *w->d->p;
    struct tmap_layout l;
    layout_of(&p.desc, &l);
    p.slot_bytes = round_up(l.footprint_bytes, l.align_bytes);
    take_pieces(w, &p);
    return a->any_layout || tile_layout_kept(a, &p);
}

static bool beats(const struct tmap_cost *c, const struct walk *w)
{
    return !w->any || tmap_cost_compare(c, &w->cost) < 0;
}

/* No piece reaches beyond the tile. */
static bool is_the_tile(const struct walk *w)
{
    return covered(&w->c) == w->channels && covered(&w->p) == w->pixels;
}

static void try_pieces(struct walk *w)
{
    struct tmap_desc *desc = &w->d->p->desc;
    desc->channels = w->c.size;
    desc->pixels = w->p.size;
    const struct tmap_desc last = last_of(w);
    if (!readable(w->d->objective, desc) || !readable(w->d->objective, &last)) return;
    if (w->d->objective->exact && !is_the_tile(w)) return;
    struct tmap_cost cost = cost_of(w);
    if (!beats(&cost, w)) return;
    cost.layout_changes += !keeps_layout(w);
    if (!beats(&cost, w)) return;
    w->any = true;
    w->cost = cost;
    w->best_c = w->c;
    w->best_p = w->p;
}

/* `n` pieces, multiples of unit. Those of a store end where the tile does. */
static bool cut_into(uint64_t tile, uint64_t n, uint64_t unit, bool exact, struct pieces *out)
{
    const uint64_t size = round_up(ceil_div(tile, n), unit);
    if (size > UINT32_MAX || (n - 1) * size >= tile) return false;
    *out = (struct pieces){(uint32_t)n, (uint32_t)size, 0};
    if (exact && n * size != tile) out->tail = (uint32_t)(tile - (n - 1) * size);
    return !exact || n > 1 || size == tile;
}

/* Channels with which pieces lie as requested: in slabs of the requested swizzle's span, and of a
 * single pixel end to end, which copies that begin at whole lines do. 0: with none. */
static uint32_t slab_of(const struct walk *w)
{
    const int32_t dtype = w->d->p->desc.dtype; /* a whole line is the widest span */
    return layout_span_elements(w->pixels > 1 ? w->d->objective->desc->swizzle : TMAP_SWIZZLE_128B,
                                dtype);
}

/* Pieces of pixels whose bytes are whole units of shared memory lie end to end: 8 rows of any
 * length are. */
static void try_units(struct walk *w, uint32_t channels, uint32_t unit, uint32_t pixels)
{
    const bool stores = w->d->objective->stores;
    if (!cut_into(w->channels, channels, unit, stores && !w->channels_end, &w->c)) return;
    for (uint32_t whole = 1; whole <= (pixels > 1 ? 8 : 1); whole *= 2)
        if (cut_into(w->pixels, pixels, whole, stores, &w->p)) try_pieces(w);
}

static void try_counts(struct walk *w, uint32_t channels, uint32_t pixels)
{
    const uint32_t slab = slab_of(w);
    try_units(w, channels, w->unit, pixels);
    if (channels > 1 && slab && slab % w->unit == 0) try_units(w, channels, slab, pixels);
}

/* The least legal number of channels; false: a map that no pieces mend. */
static bool find_unit(struct walk *w)
{
    enum { MOST_CHANNELS = 128 }; /* tried, never trusted */
    struct tmap_desc least = w->d->p->desc;
    least.pixels = 1;
    for (least.channels = 1; least.channels <= MOST_CHANNELS; least.channels *= 2)
        if (least.channels * layout_smem_bits(least.dtype) % 8 == 0 && /* whole bytes a pixel */
            usable(w->d->objective, &least))
            break;
    w->unit = least.channels;
    return least.channels <= MOST_CHANNELS;
}

static void note_pieces(struct draft *d, int index, uint64_t from, const struct pieces *x)
{
    if (index == 0 && d->p->desc.interleave) {
        if (x->size == from) return;
        cut_note(d, TMAP_REWRITE_IGNORED, -1, from, x->size);
        d->p->step[d->p->step_count - 1].field = FIELD_CHANNELS;
    } else if (x->count > 1)
        cut_note(d, index ? TMAP_REWRITE_SPLIT_PIXELS : TMAP_REWRITE_SPLIT_BOX, index, from,
                 x->size);
    else if (x->size != from)
        cut_note(d, TMAP_REWRITE_GROW_BOX, index, from, x->size);
    if (x->tail) cut_note(d, TMAP_REWRITE_LAST_BOX, index, x->size, x->tail);
}

/* The fewest pieces, then the cheapest. Along W of an im2col::w map pixels stay in one piece, since
 * its halo follows the last one; under interleave, where channels count slices, all do. */
static bool cut_walk(struct walk *w)
{
    struct tmap_plan *p = w->d->p;
    struct tmap_layout l;
    w->before = p->cost;
    if (!find_unit(w)) return false;
    const uint32_t most = p->desc.interleave ? 1 : MOST_PIECES;
    for (uint32_t n = 1; n <= most && !w->any; n++)
        for (uint32_t pixels = 1; pixels <= n; pixels++)
            if (n % pixels == 0 && (pixels == 1 || p->desc.kind == TMAP_IM2COL))
                try_counts(w, n / pixels, pixels);
    if (!w->any) return false;
    w->c = w->best_c;
    w->p = w->best_p;
    p->desc.channels = w->c.size;
    p->desc.pixels = w->p.size;
    p->cost = w->cost;
    take_pieces(w, p);
    note_pieces(w->d, 0, w->d->v->tile[0], &w->c);
    note_pieces(w->d, 1, w->pixels, &w->p);
    layout_of(&p->desc, &l);
    p->copies = w->c.count * w->p.count;
    p->slot_bytes = round_up(l.footprint_bytes, l.align_bytes);
    p->tx_bytes = moved_bytes(w);
    return true;
}

static void take_digits(struct tmap_plan_dim *dim, const struct view *v, uint32_t i)
{
    view_take_digit(v, i, dim);
    dim->copies = dim->step = 1;
    if (dim->round == 0) dim->round = 1;
}

/* --- an im2col map as requested
 * ---------------------------------------------------------------------
 */

uint64_t im2col_grain(const struct objective *objective, uint32_t i)
{
    if (objective->request && objective->request->grain[i]) return objective->request->grain[i];
    if (i > 0 || objective->desc->interleave) return 1;
    return objective->desc->channels >= objective->desc->dim[0] ? 0 : objective->desc->channels;
}

bool im2col_best(const struct objective *objective, struct limits *l, int32_t swizzle, bool copy,
                 struct tmap_plan *p)
{
    struct view v;
    struct tmap_layout requested;
    view_of(objective->desc, objective->request, &v);
    layout_of(objective->desc, &requested);
    for (uint32_t i = 0; i < v.desc.rank; i++) v.grain[i] = im2col_grain(objective, i);
    v.tile[0] = objective->desc->channels;
    struct draft d = {.objective = objective, .l = l, .v = &v, .p = p};
    if (!fields_settle(&d, swizzle, copy)) return false;
    for (uint32_t i = 0; i < v.desc.rank; i++) {
        p->grain[i] = v.grain[i];
        take_digits(&p->dim[i], &v, i);
    }
    struct walk w = {.d = &d,
                     .channels = d.tile[0],
                     .pixels = v.desc.interleave ? v.desc.pixels : requested.extent[1],
                     .channels_end = v.grain[0] == 0 && v.desc.dim[0] % l->inner_unit == 0};
    if (cut_walk(&w)) return true;
    w.channels = w.unit; /* a copy brings one slice, whatever channels says */
    return v.desc.interleave && cut_walk(&w);
}

/* --- a tiled tile, along its one long dimension --------------------------------------------------
 */

/* The dimension that a walk would follow: longer than a box, and no other but the first has more
 * than one element in the tile. 0: there is none. */
static uint32_t long_dimension(const struct view *v, const struct limits *l)
{
    uint32_t along = 0;
    for (uint32_t i = 1; i < v->desc.rank; i++) {
        if (v->tile[i] > l->max_box && v->desc.elem_stride[i] == 1 && along == 0)
            along = i;
        else if (v->tile[i] != 1)
            return 0;
    }
    return along;
}

/* As the map's W. The walk leaves it at its end for the next index of a dimension of size 1, where
 * all is out of bounds, as it is for a tile there; of a rank that has images above, that dimension
 * gets as many more pixels as a tile that begins in W, or right behind it, can take. */
static bool turn_into_walk(struct draft *d, uint32_t along)
{
    struct tmap_desc *desc = &d->p->desc;
    const struct view *v = d->v;
    const struct tmap_desc was = *desc;
    const uint64_t w = was.dim[along], more = (w + v->tile[along] - 1) / w;
    const struct tmap_plan_dim first = d->p->dim[0];
    if (was.rank + 1 > 4 || more > INT32_MAX) return false;
    memset(d->p->dim, 0, sizeof d->p->dim);
    d->p->dim[0] = first;
    d->p->dim[2] = (struct tmap_plan_dim){.div = 1, .round = 1, .copies = 1, .step = 1};
    take_digits(&d->p->dim[0], v, 0);
    take_digits(&d->p->dim[1], v, along);
    desc->kind = TMAP_IM2COL;
    desc->rank = was.rank + 1;
    memset(desc->box, 0, sizeof desc->box);
    desc->dim[1] = w;
    desc->stride_bytes[0] = was.stride_bytes[along - 1];
    desc->dim[2] = 1;
    desc->stride_bytes[1] = d->l->stride_unit;
    if (was.rank == 3) {
        const uint32_t other = 3 - along;
        desc->dim[3] = was.dim[other];
        desc->stride_bytes[2] = was.stride_bytes[other - 1];
        desc->upper[1] = (int32_t)more;
        take_digits(&d->p->dim[3], v, other);
    }
    for (uint32_t i = 0; i < desc->rank; i++) desc->elem_stride[i] = 1;
    cut_note(d, TMAP_REWRITE_IM2COL, (int)along, was.rank, desc->rank);
    d->p->cost.steps++; /* another instruction, too */
    return true;
}

bool im2col_along(const struct objective *objective, struct limits *l, const struct view *v,
                  int32_t swizzle, bool copy, struct tmap_plan *p)
{
    const uint32_t along = long_dimension(v, l);
    struct draft d = {.objective = objective, .l = l, .v = v, .p = p};
    if (objective->stores || objective->reader ||
        (objective->request && objective->request->no_im2col) || along == 0 || v->desc.interleave ||
        !l->known || limits_inner(objective, l, swizzle) == 0)
        return false;
    if (!fields_settle(&d, swizzle, copy) || !turn_into_walk(&d, along)) return false;
    struct walk w = {.d = &d, .channels = d.tile[0], .pixels = v->tile[along]};
    return cut_walk(&w);
}
