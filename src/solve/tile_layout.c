/* The tile in shared memory, as requested and as a plan leaves it. Both places are sums over digits
 * of the tile's indices, linear between the places where a digit, a box or a slab begins anew: of
 * each such run the first element is compared. */
#include "solve/tile_layout.h"

#include "core/arith.h"
#include "core/layout.h"

#include <string.h>

#define UNIT_BITS 128u       /* of rows, where the target refuses the type */
#define MOST_RUNS (1u << 17) /* of 16 bytes each: eight times what shared memory has */

/* The request's tile: `count` positions along each dimension, `step` indices apart. */
struct tile {
    const struct tmap_desc *request;
    uint64_t count[TMAP_MAX_RANK], step[TMAP_MAX_RANK];
    uint64_t at[TMAP_MAX_RANK]; /* a position, below `compared` */
    uint64_t compared[TMAP_MAX_RANK];
    uint64_t rows, slab, pitch_bits;
    uint32_t parts, part;        /* of a slice */
    uint64_t plan_pitch_bits[2]; /* of the plan's boxes, and of the last along dimension 0 */
};

static uint64_t bits_of(int32_t dtype, uint64_t element)
{
    return element * layout_smem_bits(dtype);
}

/* The widest part of a row that lies in one piece, elements; and how far rows are apart. */
static void set_rows(struct tile *t, uint32_t inner_unit)
{
    const struct tmap_desc *d = t->request;
    const uint64_t span = layout_swizzle_span(d->swizzle) * UINT64_C(8);
    const uint64_t bits = layout_smem_bits(d->dtype);
    const uint64_t whole = inner_unit ? inner_unit : UNIT_BITS / bits;
    const uint64_t row = round_up(t->count[0], whole) * bits;
    t->slab = span && row > span ? layout_span_elements(d->swizzle, d->dtype) : UINT64_MAX;
    t->pitch_bits = span ? span : row;
}

static void set_tile(struct tile *t, const struct tmap_desc *d, uint32_t inner_unit)
{
    struct tmap_layout l;
    memset(t, 0, sizeof *t);
    t->request = d;
    t->parts = t->rows = 1;
    layout_of(d, &l);
    for (uint32_t i = 0; i < d->rank; i++) {
        const bool strided = d->kind == TMAP_TILED && (i || d->interleave);
        t->count[i] = l.extent[i];
        t->step[i] = strided ? d->elem_stride[i] : 1;
        if (i) t->rows *= t->count[i]; /* fits, as the tile's bits do */
    }
    set_rows(t, inner_unit);
    if (!d->interleave) return;
    t->pitch_bits = layout_slice_bytes(d->interleave) * UINT64_C(8);
    t->parts = (uint32_t)(t->pitch_bits / layout_gmem_bits(d->dtype));
}

/* Where the request puts the element. */
static uint64_t place_in_request(const struct tile *t)
{
    const struct tmap_desc *d = t->request;
    uint64_t row = 0;
    for (uint32_t i = d->rank; i-- > (d->interleave ? 0u : 1u);) row = row * t->count[i] + t->at[i];
    if (d->interleave) return row * t->pitch_bits + t->part * layout_gmem_bits(d->dtype);
    const uint64_t slab = t->at[0] / t->slab;
    return (slab * t->rows + row) * t->pitch_bits + bits_of(d->dtype, t->at[0] % t->slab);
}

/* The same of the plan, for the tile at the tensor's first element. */
static uint64_t digit_of(const struct tile *t, const uint64_t *coef, uint64_t slice, uint64_t div,
                         uint64_t mod)
{
    uint64_t sum = slice * t->part;
    for (uint32_t i = 0; i < t->request->rank; i++) sum += coef[i] * t->at[i] * t->step[i];
    if (div > 1) sum /= div;
    return mod ? sum % mod : sum;
}

static uint32_t box_of(const struct tmap_desc *d, uint32_t i)
{
    return d->kind == TMAP_TILED ? d->box[i] : i == 0 ? d->channels : i == 1 ? d->pixels : 1;
}

static uint64_t place_in_plan(const struct tile *t, const struct tmap_plan *p)
{
    uint64_t row = 0, copy = 0, within[TMAP_MAX_RANK] = {0};
    const bool sliced = p->desc.interleave != TMAP_INTERLEAVE_NONE;
    bool tail = false;
    for (uint32_t i = p->desc.rank; i-- > 0;) {
        const struct tmap_plan_dim *d = &p->dim[i];
        const uint64_t in = digit_of(t, d->coef, d->slice, d->div, d->mod) + d->shift;
        const uint32_t es =
            p->desc.kind == TMAP_TILED && (i || sliced) ? p->desc.elem_stride[i] : 1;
        const bool ends = d->tail && in / d->step + 1 == d->copies;
        const uint32_t box = ends ? d->tail : box_of(&p->desc, i);
        const uint64_t number = d->copies > 1 ? in / d->step : 0;
        within[i] = (in - number * d->step) / es;
        copy = copy * d->copies + number;
        tail = ends && i == 0;
        if (sliced && (p->desc.kind == TMAP_TILED ? i + 2 == p->desc.rank : i == 0)) continue;
        if (i || sliced) row = row * ceil_div(box, es) + within[i];
    }
    const uint64_t beside =
        sliced ? t->part
               : digit_of(t, p->part_coef, p->part_slice, 1, p->part_of > 1 ? p->part_of : 1);
    return copy * p->slot_bytes * 8 + row * t->plan_pitch_bits[tail] +
           (sliced ? 0 : bits_of(p->desc.dtype, within[0])) +
           beside * layout_gmem_bits(t->request->dtype);
}

/* Elements of dimension 0 after which either place may jump: the common divisor of all such. */
static uint64_t run_of(const struct tile *t, const struct tmap_plan *p)
{
    uint64_t run = t->slab == UINT64_MAX ? 0 : t->slab;
    if (t->request->interleave) return 1;
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        const struct tmap_plan_dim *d = &p->dim[i];
        if (d->coef[0] == 0) continue;
        if (d->coef[0] != 1) return 1;
        if (d->mod) run = gcd(run, d->div * d->mod);
        if (d->copies > 1) run = gcd(run, d->div * d->step);
        if (i) run = gcd(run, d->div); /* another row */
        for (uint32_t k = 1; k < t->request->rank; k++) run = gcd(run, d->coef[k] * t->step[k]);
    }
    return run ? run : t->count[0] ? t->count[0] : 1;
}

/* Whether the plan's place is linear in the position along dimension k, as the request's is for all
 * above 0. A dimension that keeps its element stride is the request's, a multiple of it at a time.
 */
static bool is_linear(const struct tmap_plan *p, uint32_t k)
{
    if (p->part_of > 1 && p->part_coef[k]) return false;
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        const struct tmap_plan_dim *d = &p->dim[i];
        if (d->coef[k] && (d->div != 1 || d->mod || d->copies > 1)) return false;
    }
    return true;
}

/* Two linear functions that agree at two places agree everywhere. */
static void skip_linear(struct tile *t, const struct tmap_plan *p)
{
    for (uint32_t k = 0; k < t->request->rank; k++) {
        const bool linear = k && t->count[k] > 2 && is_linear(p, k);
        t->compared[k] = linear ? 2 : t->count[k];
    }
}

/* The next run; false after the last. */
static bool next_run(struct tile *t, uint64_t run)
{
    if (++t->part < t->parts) return true;
    t->part = 0;
    for (uint32_t i = 0; i < t->request->rank; i++) {
        t->at[i] += i ? 1 : run;
        if (t->at[i] < t->compared[i]) return true;
        t->at[i] = 0;
    }
    return false;
}

static void set_pitches(struct tile *t, const struct tmap_plan *p)
{
    struct tmap_desc own = p->desc;
    struct tmap_layout l;
    layout_of(&own, &l);
    t->plan_pitch_bits[0] = l.pitch_bytes * UINT64_C(8);
    own.box[0] = own.channels = p->dim[0].tail;
    layout_of(&own, &l);
    t->plan_pitch_bits[1] = l.pitch_bytes * UINT64_C(8);
}

bool tile_layout_kept(const struct objective *objective, const struct tmap_plan *p)
{
    struct tile t;
    uint32_t runs = 0;
    set_tile(&t, objective->desc, objective->inner_unit);
    for (uint32_t i = 0; i < p->desc.rank; i++)
        if (p->dim[i].shift || p->dim[i].round > 1) return false;
    set_pitches(&t, p);
    if (p->desc.interleave) t.parts = 1; /* slices stay whole */
    skip_linear(&t, p);
    const uint64_t run = run_of(&t, p);
    do {
        if ((t.part == 0 && runs++ == MOST_RUNS) || !work_spend(objective, 1)) return false;
        if (place_in_request(&t) != place_in_plan(&t, p)) return false;
    } while (next_run(&t, run));
    return true;
}
