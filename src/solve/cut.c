/* The boxes of a plan. Along one dimension the fewest boxes are a closed form; a bound on all of a
 * box's bytes can ask for more, and then every grid of boxes up to the best one is tried. */
#include "solve/cut.h"

#include "core/arith.h"
#include "core/layout.h"
#include "solve/reads.h"
#include "solve/tile_layout.h"

#include <string.h>

#define READ_ROWS 8u      /* of one matrix */
#define MOST_COPIES 4096u /* per tile: beyond, not a plan */
#define CHECK_ROWS 32u    /* placing so many takes as long as asking the rows about a box */

void cut_note(struct draft *d, enum tmap_rewrite rewrite, int index, uint64_t from, uint64_t to)
{
    struct tmap_plan *p = d->p;
    if (p->step_count < TMAP_PLAN_STEPS)
        p->step[p->step_count++] =
            (struct tmap_plan_step){(uint8_t)rewrite, (int8_t)index, 0, from, to};
    p->cost.steps++;
}

void cut_take_boxes(const struct draft *d, struct tmap_plan *p)
{
    for (uint32_t i = 0; i < d->v->desc.rank; i++) {
        struct tmap_plan_dim *dim = &p->dim[i];
        view_take_digit(d->v, i, dim);
        dim->copies = (uint32_t)d->cut[i].copies;
        dim->step = d->cut[i].box;
        dim->tail = d->cut[i].tail;
        if (dim->round == 0) dim->round = 1;
    }
}

static uint32_t estride_of(const struct draft *d, uint32_t i)
{
    return i || d->v->desc.interleave ? d->v->desc.elem_stride[i] : 1;
}

/* Elements of one box at most, and what it is a multiple of where there are several. */
static uint64_t most_of(const struct draft *d, uint32_t i)
{
    return i ? d->l->max_box : limits_inner(d->objective, d->l, d->p->desc.swizzle);
}
static uint32_t unit_of(const struct draft *d, uint32_t i)
{
    const uint32_t es = estride_of(d, i), unit = d->l->inner_unit;
    return i ? es : unit / (uint32_t)gcd(unit, es) * es;
}

/* Elements from the first that is taken to the last, where a box does not reach over all of the
 * tile. */
static uint64_t length_of(const struct draft *d, uint32_t i)
{
    const uint64_t tile = d->tile[i], es = estride_of(d, i);
    return tile <= most_of(d, i) || es == 1 ? tile : (ceil_div(tile, es) - 1) * es + 1;
}

/* What the hardware writes of a row's end: slices are whole units. A contract may ask for less of a
 * row's length. */
static bool ends_whole(const struct tmap_desc *d, uint32_t inner_unit)
{
    enum { UNIT_BITS = 128 };
    if (d->interleave) return true;
    return d->dim[0] % inner_unit == 0 && d->dim[0] * layout_gmem_bits(d->dtype) % UNIT_BITS == 0;
}

/* Whether a box may reach beyond the tile: of a load, and where the tile takes a whole dimension,
 * since nothing is written beyond the tensor; but of rows whole units are (docs/SIMULATOR.md). */
static bool may_pass(const struct draft *d, uint32_t i)
{
    const struct view *v = d->v;
    if (!d->objective->stores) return true;
    return v->grain[i] == 0 && v->tile[i] >= v->desc.dim[i] &&
           (i || ends_whole(&d->p->desc, d->l->inner_unit));
}

/* The smallest boxes, a multiple of unit, when the tile is cut into n. Where together they would
 * take more elements than the tile, and may not, the last one is smaller. */
static bool cut_into(const struct draft *d, uint32_t i, uint64_t n, uint64_t unit, struct cut *c)
{
    const uint64_t tile = length_of(d, i), most = most_of(d, i), es = estride_of(d, i);
    uint64_t box = round_up(ceil_div(tile, n), unit);
    /* a single box may end between two strided elements */
    if (n == 1 && tile <= most && (i || es > 1)) box = round_up(tile, i ? 1 : d->l->inner_unit);
    if (box > most || (n - 1) * box >= tile) return false;
    if (d->objective->exact && (box * n != tile || (i == 0 && box != most))) return false;
    *c = (struct cut){n, (uint32_t)box, 0};
    if (may_pass(d, i) || n * ceil_div(box, es) == ceil_div(tile, es)) return true;
    c->tail = (uint32_t)(tile - (n - 1) * box);
    return n > 1 && (i || c->tail % d->l->inner_unit == 0);
}

static bool fewest(const struct draft *d, uint32_t i, struct cut *c)
{
    const uint64_t unit = unit_of(d, i), most = most_of(d, i) / unit * unit;
    const uint64_t tile = length_of(d, i);
    if (tile > most_of(d, i) && most == 0) return false;
    const uint64_t n = tile <= most_of(d, i) ? 1 : ceil_div(tile, most);
    return n <= MOST_COPIES && cut_into(d, i, n, unit, c);
}

/* A legal map can still be of no use. */
static bool usable(const struct objective *objective, const struct tmap_desc *desc)
{
    return tmap_verdict_of(objective->checker, desc) == TMAP_LEGAL &&
           limits_usable(objective, desc);
}

static uint64_t product(const struct draft *d)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < d->v->desc.rank; i++) n = sum_mul(n, d->cut[i].copies);
    return n;
}

/* Bytes of one box, in whole elements: the rows' bound counts no more. */
static uint64_t box_bytes(const struct draft *d)
{
    uint64_t bits = layout_smem_bits(d->p->desc.dtype);
    for (uint32_t i = 0; i < d->v->desc.rank; i++) {
        const uint64_t cells = d->cut[i].box / estride_of(d, i);
        bits = sum_mul(bits, cells ? cells : 1);
    }
    return bits / 8;
}

static struct tmap_desc last_desc(const struct draft *d)
{
    struct tmap_desc last = d->p->desc;
    for (uint32_t i = 0; i < last.rank; i++)
        if (d->cut[i].tail) last.box[i] = d->cut[i].tail;
    return last;
}

/* All copies together: along each dimension so many boxes and perhaps a smaller one. */
uint64_t cut_bytes(const struct draft *d)
{
    const struct tmap_desc last = last_desc(d);
    struct tmap_layout l, end;
    uint64_t bytes;
    layout_of(&d->p->desc, &l);
    layout_of(&last, &end);
    bytes = l.row_bytes;
    for (uint32_t i = 0; i < d->v->desc.rank; i++) {
        const uint64_t cells = (d->cut[i].copies - 1) * l.extent[i] + end.extent[i];
        if (i == 0 && !d->v->desc.interleave)
            bytes = cells * layout_gmem_bits(d->p->desc.dtype) / 8;
        else
            bytes = sum_mul(bytes, cells);
    }
    return bytes;
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Whether the tile goes on above dimension i: several copies along it then lie apart. */
static bool goes_on(const struct draft *d, uint32_t i)
{
    for (uint32_t k = i + 1; k < d->v->desc.rank; k++)
        if (d->tile[k] > estride_of(d, k)) return true;
    return false;
}

/* The costs of the boxes alone, beside what the plan cost before. */
static struct tmap_cost cost_of(const struct draft *d, const struct tmap_cost *before)
{
    const struct tmap_desc last = last_desc(d);
    const uint64_t copies = product(d);
    struct tmap_cost c = *before;
    struct tmap_layout l, end;
    uint32_t tails = 0;
    layout_of(&d->p->desc, &l);
    layout_of(&last, &end);
    const uint64_t slot = round_up(l.footprint_bytes, l.align_bytes);
    for (uint32_t i = 0; i < d->v->desc.rank; i++) tails += d->cut[i].tail != 0;
    c.extra_instructions = copies - 1;
    c.extra_maps = (1u << tails) - 1;
    if (d->objective->any_layout)
        c.layout_changes = reads_rows(d->objective) ? reads_conflicts(d) : 0;
    c.wasted_traffic_bytes = above(cut_bytes(d), d->objective->useful_bytes);
    c.wasted_shared_bytes =
        above((copies - 1) * slot + end.footprint_bytes, d->objective->useful_bytes);
    return c;
}

/* An exact reader reads slabs, each the tile's rows of one piece: it must take a single one. */
static bool slab_usable(const struct draft *d)
{
    struct tmap_desc slab = d->p->desc;
    for (uint32_t i = 1; i < slab.rank; i++)
        if (d->v->digit[i].coef[0]) slab.box[i] = 1;
    return usable(d->objective, &slab);
}

static bool boxes_legal(struct draft *d)
{
    for (uint32_t i = 0; i < d->v->desc.rank; i++) d->p->desc.box[i] = d->cut[i].box;
    const struct tmap_desc last = last_desc(d);
    return usable(d->objective, &d->p->desc) && (!d->objective->exact || slab_usable(d)) &&
           (memcmp(last.box, d->p->desc.box, sizeof last.box) == 0 || usable(d->objective, &last));
}

/* The best found so far, while grids are tried. */
struct trial {
    struct tmap_cost before, cost;
    struct cut cut[TMAP_MAX_RANK];
    bool any;
};

static bool beats(const struct tmap_cost *c, const struct trial *t)
{
    return !t->any || tmap_cost_compare(c, &t->cost) < 0;
}

/* Whether these boxes leave the tile where it is requested. */
static bool keeps_layout(const struct draft *d)
{
    struct tmap_plan p = *d->p;
    struct tmap_layout l;
    layout_of(&p.desc, &l);
    p.slot_bytes = round_up(l.footprint_bytes, l.align_bytes);
    cut_take_boxes(d, &p);
    return tile_layout_kept(d->objective, &p);
}

static void try_cuts(struct draft *d, struct trial *t)
{
    if (!work_spend(d->objective, CHECK_ROWS) || !boxes_legal(d)) return;
    struct tmap_cost c = cost_of(d, &t->before);
    if (!beats(&c, t)) return;
    if (!d->objective->any_layout) c.layout_changes += !keeps_layout(d);
    if (!beats(&c, t)) return;
    t->any = true;
    t->cost = c;
    memcpy(t->cut, d->cut, sizeof t->cut);
}

/* Longer boxes, whose bytes are whole units of shared memory: copies along the tile's last
 * dimension then lie end to end, and before a smaller last box nothing is left unused. */
static void try_longer(struct draft *d, struct trial *t, uint32_t i)
{
    const struct cut was = d->cut[i];
    struct tmap_layout l;
    if (was.copies < 2 || (!d->objective->stores && goes_on(d, i))) return;
    layout_of(&d->p->desc, &l);
    const uint64_t unit = unit_of(d, i), cells = was.box / unit;
    /* rows shorter than a swizzle's span can fill it */
    const uint64_t bytes = l.rows * (i ? l.pitch_bytes : l.row_bytes);
    if (bytes % cells) return;
    const uint64_t step = unit * (l.align_bytes / gcd(l.align_bytes, bytes / cells));
    uint64_t box = round_up(was.box, step);
    for (; box <= most_of(d, i) && cut_into(d, i, was.copies, box, &d->cut[i]); box += step) {
        try_cuts(d, t);
        if (!d->objective->stores) break;
    }
    d->cut[i] = was;
}

/* Boxes of one span of the requested swizzle: the slabs in which the request has a longer row. */
static void try_slabs(struct draft *d, struct trial *t)
{
    const struct cut was = d->cut[0];
    const uint32_t slab = layout_span_elements(d->objective->desc->swizzle, d->p->desc.dtype);
    if (was.copies < 2 || d->v->desc.interleave || slab <= was.box || slab > most_of(d, 0)) return;
    if (slab % unit_of(d, 0) == 0 && cut_into(d, 0, was.copies, slab, &d->cut[0])) try_cuts(d, t);
    d->cut[0] = was;
}

static void try_boxes(struct draft *d, struct trial *t)
{
    try_cuts(d, t);
    try_slabs(d, t);
    for (uint32_t i = 0; i < d->v->desc.rank; i++) try_longer(d, t, i);
}

static bool collides(const struct draft *d, const struct trial *t)
{
    return reads_rows(d->objective) && t->any && t->cost.layout_changes > 0;
}

/* Where the eight rows of a read lie in two copies: longer boxes move those of the second. */
static void try_rows(struct draft *d, struct trial *t)
{
    try_boxes(d, t);
    for (uint32_t i = 1; i < d->v->desc.rank; i++) {
        const struct cut was = d->cut[i];
        const uint32_t es = estride_of(d, i); /* boxes step over no element that is wanted */
        for (uint32_t k = 1; k < READ_ROWS && was.copies > 1 && collides(d, t); k++)
            if (cut_into(d, i, was.copies, was.box + k * es, &d->cut[i])) try_cuts(d, t);
        d->cut[i] = was;
    }
}

/* Where rows lie side by side and eight of them collide, rows one unit longer do not. */
static void try_all(struct draft *d, struct trial *t)
{
    const struct cut was = d->cut[0];
    const uint64_t longer = was.box + unit_of(d, 0);
    try_rows(d, t);
    if (d->p->desc.swizzle != TMAP_SWIZZLE_NONE || longer > most_of(d, 0) || !collides(d, t))
        return;
    if (cut_into(d, 0, was.copies, longer, &d->cut[0])) try_rows(d, t);
    d->cut[0] = was;
}

/* Every number of copies along dimensions below dims, not fewer than `least` says. */
static void cut_further(struct draft *d, uint32_t dims, const struct cut *least, struct trial *t)
{
    const uint32_t i = dims - 1;
    for (uint64_t n = least[i].copies; n <= d->tile[i] && work_spend(d->objective, 1); n++) {
        const bool can = cut_into(d, i, n, unit_of(d, i), &d->cut[i]);
        if (!can) d->cut[i].copies = n;
        if (product(d) > (t->any ? t->cost.extra_instructions + 1 : MOST_COPIES)) break;
        if (!can) continue;
        if (dims > 1)
            cut_further(d, dims - 1, least, t);
        else if (box_bytes(d) <= d->l->max_bytes)
            try_all(d, t);
    }
    d->cut[i] = least[i];
}

/* Some cut that serves, found fast: the outermost dimension halved until it is 1, then the next. */
static void cut_somehow(struct draft *d, struct trial *t)
{
    for (uint32_t i = d->v->desc.rank; i-- > 0 && !t->any;)
        while (d->cut[i].copies < d->tile[i] && product(d) <= MOST_COPIES && !t->any) {
            const uint64_t n =
                d->cut[i].copies * 2 < d->tile[i] ? d->cut[i].copies * 2 : d->tile[i];
            const struct cut was = d->cut[i];
            if (!cut_into(d, i, n, unit_of(d, i), &d->cut[i]))
                d->cut[i] = (struct cut){n, was.box, was.tail};
            else if (box_bytes(d) <= d->l->max_bytes)
                try_cuts(d, t);
        }
}

/* A bound that no cut mends is met at once by the smallest boxes. */
static bool hopeless(const struct draft *d)
{
    struct tmap_desc least = d->p->desc;
    for (uint32_t i = 0; i < least.rank; i++) least.box[i] = i ? 1 : d->l->inner_unit;
    return !d->objective->reader && !usable(d->objective, &least); /* a reader may want more rows */
}

static bool beyond(const struct draft *d, uint64_t copies)
{
    struct tmap_cost c = d->p->cost;
    c.extra_instructions = copies - 1;
    return d->worst && tmap_cost_compare(&c, d->worst) >= 0;
}

bool cut_best(struct draft *d)
{
    struct trial t = {.before = d->p->cost};
    struct cut least[TMAP_MAX_RANK];
    for (uint32_t i = 0; i < d->v->desc.rank; i++)
        if (!fewest(d, i, &d->cut[i])) return false;
    if (product(d) > MOST_COPIES || beyond(d, product(d))) return false;
    try_all(d, &t);
    if (!t.any) {
        if (hopeless(d)) return false;
        memcpy(least, d->cut, sizeof least);
        cut_somehow(d, &t);
        memcpy(d->cut, least, sizeof least);
        cut_further(d, d->v->desc.rank, least, &t);
    }
    if (!t.any) return false;
    memcpy(d->cut, t.cut, sizeof t.cut);
    d->p->cost = t.cost;
    for (uint32_t i = 0; i < d->v->desc.rank; i++) d->p->desc.box[i] = d->cut[i].box;
    return true;
}
