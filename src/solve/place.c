/* Where a plan puts things: the coordinates of its copies, and the place of each element. What a
 * caller gives may be anything: sums are of 128 bits, and of what is beyond FAR only the sign
 * counts. */
#include "core/layout.h"
#include "tmap/solve.h"

#include <string.h>

__extension__ typedef __int128 wide;
#define FAR ((wide)1 << 90) /* a walk that begins there stays in 128 bits */

/* Numbers of 128 bits are rare here, and dividing them is slow. */
static wide floor_div(wide a, uint64_t b)
{
    if (a >= 0 && a <= UINT64_MAX) return (uint64_t)a / b;
    return a / b - (a % b < 0);
}

/* The linear form of coordinates, its quotient and remainder. False: the plan has no such
 * dimension, or the sum does not fit. */
static bool value_of(const struct tmap_plan_dim *d, const int64_t *x, uint32_t part, wide *out)
{
    wide sum = (wide)d->slice * part;
    if (d->div == 0 || d->round == 0) return false;
    for (int i = 0; i < TMAP_MAX_RANK; i++)
        if (__builtin_add_overflow(sum, (wide)d->coef[i] * x[i], &sum)) return false;
    if (d->div > 1) sum = floor_div(sum, d->div);
    *out = d->mod ? sum - floor_div(sum, d->mod) * d->mod : sum;
    return true;
}

static bool first_of(const struct tmap_plan_dim *d, const int64_t *coord, wide *out)
{
    if (!value_of(d, coord, 0, out)) return false;
    const wide held = *out < -FAR ? -FAR : *out > FAR ? FAR : *out;
    *out = floor_div(held, d->round) * d->round;
    return true;
}

/* One axis of the pixels' walk: `steps` further from *x in [lower, end). What is returned is how
 * many times its end was passed. */
static wide walk_axis(wide *x, wide lower, wide end, uint32_t stride, wide steps)
{
    const wide by = stride ? stride : 1, left = *x < end ? (end - *x - 1) / by + 1 : 0;
    const wide row = end > lower ? (end - lower - 1) / by + 1 : 1;
    if (*x >= end) steps += (*x - end) / by;
    if (steps < left) {
        *x += steps * by;
        return 0;
    }
    *x = lower + (steps - left) % row * by;
    return 1 + (steps - left) / row;
}

/* `steps` pixels further along W, H and D, then over the images. */
static void walk_on(const struct tmap_desc *d, wide *x, wide steps)
{
    const uint32_t first = d->interleave ? 0 : 1;
    if (d->kind != TMAP_IM2COL || d->rank < 3) return;
    for (uint32_t j = 0; j + 2 < d->rank; j++)
        steps = walk_axis(&x[j + first], d->lower[j], (wide)d->dim[j + first] + d->upper[j],
                          d->elem_stride[j + first], steps);
    x[d->rank - 1] += steps * d->elem_stride[d->rank - 1];
}

static int64_t clamp(wide x)
{
    return x < INT64_MIN ? INT64_MIN : x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

/* A plan that launches nothing has no copies, and one that no search made may have any numbers. */
static bool has_copies(const struct tmap_plan *p)
{
    bool has = p && !p->skip && p->desc.rank <= TMAP_MAX_RANK;
    for (uint32_t i = 0; has && i < p->desc.rank; i++)
        has = p->dim[i].copies > 0 && p->dim[i].step > 0;
    return has;
}

void tmap_plan_coords(const struct tmap_plan *p, const int64_t *coord, uint32_t n,
                      int64_t out[TMAP_MAX_RANK])
{
    wide x[TMAP_MAX_RANK] = {0}, pixels = 0;
    if (!out) return;
    memset(out, 0, TMAP_MAX_RANK * sizeof *out);
    if (!has_copies(p) || !coord) return;
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        const struct tmap_plan_dim *d = &p->dim[i];
        const wide later = (wide)(n % d->copies) * d->step;
        const bool walks = i == 1 && p->desc.kind != TMAP_TILED;
        if (!first_of(d, coord, &x[i])) return;
        if (walks)
            pixels = later;
        else
            x[i] += later;
        n /= d->copies;
    }
    walk_on(&p->desc, x, pixels);
    for (uint32_t i = 0; i < p->desc.rank; i++) out[i] = clamp(x[i]);
}

/* What a copy takes along dimension i. */
static uint32_t *box_of(struct tmap_desc *d, uint32_t i)
{
    return d->kind == TMAP_TILED ? &d->box[i] : i ? &d->pixels : &d->channels;
}

void tmap_plan_desc(const struct tmap_plan *p, uint32_t n, struct tmap_desc *out)
{
    if (!p || !out) return;
    *out = p->desc;
    if (!has_copies(p)) return;
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        if (p->dim[i].tail && n % p->dim[i].copies + 1 == p->dim[i].copies)
            *box_of(out, i) = p->dim[i].tail;
        n /= p->dim[i].copies;
    }
}

/* Elements of the request come in groups where the type was widened: which of its group x is. */
static bool part_of(const struct tmap_plan *p, const int64_t *x, uint32_t part, uint64_t *out)
{
    struct tmap_plan_dim all = {
        .slice = p->part_slice, .div = 1, .round = 1, .mod = p->part_of > 1 ? p->part_of : 1};
    wide value;
    memcpy(all.coef, p->part_coef, sizeof all.coef);
    if (!value_of(&all, x, part, &value)) return false;
    *out = (uint64_t)value;
    return true;
}

/* Sixteen elements of a packed type start every 16 bytes of shared memory where they are padded,
 * and lie in them as in global memory. */
static uint64_t bits_of(int32_t dtype, uint64_t element)
{
    const uint64_t to = layout_smem_bits(dtype), from = layout_gmem_bits(dtype);
    return to == from ? element * to : element / 16 * 128 + element % 16 * from;
}

/* The element's index in its copy's box, per dimension, and the copy. */
static bool find_copy(const struct tmap_plan *p, const int64_t *coord, const int64_t *x,
                      uint32_t part, uint64_t *within, uint64_t *copy)
{
    *copy = 0;
    for (uint32_t i = p->desc.rank; i-- > 0;) {
        const struct tmap_plan_dim *d = &p->dim[i];
        wide value, first;
        if (!value_of(d, x, part, &value) || !first_of(d, coord, &first)) return false;
        if (value < -FAR / 2 || value > FAR / 2) return false;
        const wide in = value + d->shift - first;
        if (in < 0 || in >= (wide)d->copies * d->step) return false;
        within[i] = (uint64_t)in % d->step;
        *copy = *copy * d->copies + (uint64_t)in / d->step;
    }
    return *copy <= UINT32_MAX;
}

/* The row of the box that the element is in; false between those that the copy takes. */
static bool find_row(struct tmap_desc *own, const struct tmap_layout *l, const uint64_t *within,
                     uint64_t *row)
{
    *row = 0;
    for (uint32_t i = own->rank; i-- > 0;) {
        const bool rows = i || own->interleave; /* of slices, then, is every index a row */
        const bool strided = rows && own->kind == TMAP_TILED && own->elem_stride[i];
        const uint32_t es = strided ? own->elem_stride[i] : 1;
        if (within[i] >= (own->kind != TMAP_TILED && i > 1 ? 1 : *box_of(own, i)) || within[i] % es)
            return false;
        if (rows) *row = *row * l->extent[i] + within[i] / es;
    }
    return true;
}

bool tmap_plan_place_bits(const struct tmap_plan *p, const struct tmap_desc *request,
                          const int64_t *coord, const uint32_t *tile, uint32_t part, uint32_t *copy,
                          uint64_t *offset_bits)
{
    struct tmap_desc own;
    struct tmap_layout l;
    int64_t x[TMAP_MAX_RANK] = {0};
    uint64_t within[TMAP_MAX_RANK] = {0}, row, n, beside = part;
    if (!has_copies(p) || !request || !coord || !tile || !copy || !offset_bits ||
        request->rank > TMAP_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < request->rank; i++)
        if (__builtin_add_overflow(coord[i], (int64_t)tile[i], &x[i])) return false;
    if (!find_copy(p, coord, x, part, within, &n)) return false;
    tmap_plan_desc(p, (uint32_t)n, &own);
    layout_of(&own, &l);
    if (!find_row(&own, &l, within, &row)) return false;
    if (!own.interleave && !part_of(p, x, part, &beside)) return false;
    *copy = (uint32_t)n;
    *offset_bits = (n * p->slot_bytes + row * l.pitch_bytes) * 8 +
                   bits_of(p->desc.dtype, own.interleave ? 0 : within[0]) +
                   beside * layout_gmem_bits(request->dtype);
    return true;
}

bool tmap_plan_place_in_slice(const struct tmap_plan *p, const struct tmap_desc *request,
                              const int64_t *coord, const uint32_t *tile, uint32_t part,
                              uint32_t *copy, uint64_t *offset_bytes)
{
    uint64_t bits;
    if (!offset_bytes || !tmap_plan_place_bits(p, request, coord, tile, part, copy, &bits))
        return false;
    *offset_bytes = bits / 8;
    return true;
}

bool tmap_plan_place(const struct tmap_plan *p, const struct tmap_desc *request,
                     const int64_t *coord, const uint32_t *tile, uint32_t *copy,
                     uint64_t *offset_bytes)
{
    return tmap_plan_place_in_slice(p, request, coord, tile, 0, copy, offset_bytes);
}
