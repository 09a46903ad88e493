/* What a plan says: coordinates, places, names. */
#include "core/layout.h"
#include "expr/field.h"
#include "tmap/solve.h"

#include <stdio.h>

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t value_of(const struct tmap_plan_dim *d, const int64_t *x, uint32_t part)
{
    int64_t sum = (int64_t)d->slice * part;
    for (int i = 0; i < TMAP_MAX_RANK; i++) sum += (int64_t)d->coef[i] * x[i];
    sum = floor_div(sum, (int64_t)d->div);
    return d->mod ? sum - floor_div(sum, (int64_t)d->mod) * (int64_t)d->mod : sum;
}

static int64_t first_of(const struct tmap_plan_dim *d, const int64_t *coord)
{
    return floor_div(value_of(d, coord, 0), d->round) * d->round;
}

/* One axis of the pixels' walk: `steps` further from *x in [lower, end). What is returned is how
 * many times its end was passed. */
static int64_t walk_axis(int64_t *x, int64_t lower, int64_t end, int64_t by, int64_t steps)
{
    const int64_t row = (end - lower - 1) / by + 1, left = *x < end ? (end - *x - 1) / by + 1 : 0;
    if (*x >= end) steps += (*x - end) / by;
    if (steps < left) {
        *x += steps * by;
        return 0;
    }
    *x = lower + (steps - left) % row * by;
    return 1 + (steps - left) / row;
}

/* `steps` pixels further along W, H and D, then over the images. */
static void walk_on(const struct tmap_desc *d, int64_t *x, int64_t steps)
{
    const uint32_t first = d->interleave ? 0 : 1;
    for (uint32_t j = 0; j + 2 < d->rank && d->kind == TMAP_IM2COL; j++)
        steps = walk_axis(&x[j + first], d->lower[j], (int64_t)d->dim[j + first] + d->upper[j],
                          d->elem_stride[j + first], steps);
    if (d->kind == TMAP_IM2COL) x[d->rank - 1] += steps * d->elem_stride[d->rank - 1];
}

void tmap_plan_coords(const struct tmap_plan *p, const int64_t *coord, uint32_t n,
                      int64_t out[TMAP_MAX_RANK])
{
    int64_t pixels = 0;
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) {
        out[i] = 0;
        if (i >= p->desc.rank) continue;
        const struct tmap_plan_dim *d = &p->dim[i];
        const int64_t later = (int64_t)(n % d->copies) * d->step;
        const bool walks = i == 1 && p->desc.kind != TMAP_TILED;
        out[i] = first_of(d, coord) + (walks ? 0 : later);
        if (walks) pixels = later;
        n /= d->copies;
    }
    walk_on(&p->desc, out, pixels);
}

/* What a copy takes along dimension i. */
static uint32_t *box_of(struct tmap_desc *d, uint32_t i)
{
    return d->kind == TMAP_TILED ? &d->box[i] : i ? &d->pixels : &d->channels;
}

void tmap_plan_desc(const struct tmap_plan *p, uint32_t n, struct tmap_desc *out)
{
    *out = p->desc;
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        if (p->dim[i].tail && n % p->dim[i].copies + 1 == p->dim[i].copies)
            *box_of(out, i) = p->dim[i].tail;
        n /= p->dim[i].copies;
    }
}

/* Elements of the request come in groups where the type was widened: which of its group x is. */
static uint64_t part_of(const struct tmap_plan *p, const int64_t *x, uint32_t part)
{
    int64_t sum = (int64_t)p->part_slice * part;
    if (p->part_of < 2) return 0;
    for (int i = 0; i < TMAP_MAX_RANK; i++) sum += (int64_t)p->part_coef[i] * x[i];
    return (uint64_t)(sum - floor_div(sum, (int64_t)p->part_of) * (int64_t)p->part_of);
}

bool tmap_plan_place(const struct tmap_plan *p, const struct tmap_desc *request,
                     const int64_t *coord, const uint32_t *tile, uint32_t *copy,
                     uint64_t *offset_bytes)
{
    return tmap_plan_place_in_slice(p, request, coord, tile, 0, copy, offset_bytes);
}

bool tmap_plan_place_in_slice(const struct tmap_plan *p, const struct tmap_desc *request,
                              const int64_t *coord, const uint32_t *tile, uint32_t part,
                              uint32_t *copy, uint64_t *offset_bytes)
{
    struct tmap_desc own;
    struct tmap_layout l;
    int64_t x[TMAP_MAX_RANK] = {0};
    uint64_t within[TMAP_MAX_RANK], row = 0, n = 0;
    for (uint32_t i = 0; i < request->rank; i++) x[i] = coord[i] + (int64_t)tile[i];
    for (uint32_t i = p->desc.rank; i-- > 0;) {
        const struct tmap_plan_dim *d = &p->dim[i];
        const int64_t in = value_of(d, x, part) + d->shift - first_of(d, coord);
        if (in < 0 || d->step == 0 || in >= (int64_t)d->copies * d->step) return false;
        within[i] = (uint64_t)in % d->step;
        n = n * d->copies + (uint64_t)in / d->step;
    }
    tmap_plan_desc(p, (uint32_t)n, &own);
    layout_of(&own, &l);
    for (uint32_t i = p->desc.rank; i-- > 0;) {
        const bool rows = i || own.interleave; /* of slices, then, is every index a row */
        const bool strided = rows && own.kind == TMAP_TILED && own.elem_stride[i];
        const uint32_t es = strided ? own.elem_stride[i] : 1;
        if (within[i] >= (own.kind != TMAP_TILED && i > 1 ? 1 : *box_of(&own, i)) || within[i] % es)
            return false; /* between those it takes */
        if (rows) row = row * l.extent[i] + within[i] / es;
    }
    const uint64_t inner = own.interleave ? 0 : within[0];
    const uint64_t beside = own.interleave ? part : part_of(p, x, part);
    *copy = (uint32_t)n;
    *offset_bytes = n * p->slot_bytes + row * l.pitch_bytes +
                    inner * layout_smem_bits(p->desc.dtype) / 8 +
                    beside * layout_gmem_bits(request->dtype) / 8;
    return true;
}

const char *tmap_plan_kind_name(uint32_t kind)
{
    static const char *const names[] = {"free", "padding", "decision"};
    return kind <= TMAP_PLAN_DECISION ? names[kind] : NULL;
}

static const struct {
    const char *name, *text; /* %i index, %f from, %t to, %n the field's name */
} rewrites[TMAP_REWRITE_COUNT] = {
    {"skip", "the tensor is empty: launch nothing"},
    {"choose", "%n is %f, which means nothing: choose, for instance %t"},
    {"canonical_stride", "stride of dimension %i, which has size 1: %f -> %t (any legal value)"},
    {"without_effect", "%n: %f -> %t (without effect on the copy)"},
    {"drop", "leave out dimension %i, which has size 1"},
    {"merge", "see dimensions %i and the next, which are contiguous, as one"},
    {"split", "see dimension %i of %f as pieces of %t, and a dimension of pieces"},
    {"widen", "copy elements of type %f as pairs of type %t"},
    {"bytes", "copy pairs of 4-bit elements as bytes"},
    {"swizzle", "swizzle %f -> %t: the tile lies otherwise in shared memory"},
    {"split_box", "several copies of %t along dimension %i instead of one of %f"},
    {"grow_box", "box of dimension %i: %f -> %t, the rest is not used"},
    {"shift_base", "begin the map %f bytes earlier; the tile starts %t elements into each row"},
    {"round_coordinate", "round coordinate 0 down to a multiple of %t; the tile starts inside"},
    {"copy", "copy the tensor once into rows of %t bytes instead of %f"},
    {"swap", "see dimension %i, whose elements are side by side, as the innermost"},
    {"unstride", "see every %f-th element of dimension %i as a dimension of stride %t"},
    {"slices", "see the slices of %f bytes as dimension 0, of %t elements each"},
    {"last_box",
     "the last copy along dimension %i has a descriptor of its own, of %t instead of %f"},
    {"im2col", "walk along dimension %i by an im2col map of rank %t, with offsets 0"},
    {"split_pixels", "several copies of %t pixels each instead of one of %f"},
};

const char *tmap_rewrite_name(uint32_t rewrite)
{
    return rewrite < TMAP_REWRITE_COUNT ? rewrites[rewrite].name : NULL;
}

size_t tmap_plan_step_text(const struct tmap_plan_step *step, char *out, size_t size)
{
    size_t at = 0;
    const char *t = step->rewrite < TMAP_REWRITE_COUNT ? rewrites[step->rewrite].text : "";
    if (size) out[0] = 0;
    for (; *t; t++) {
        char piece[40] = {*t, 0};
        if (*t == '%') {
            t++;
            if (*t == 'i')
                snprintf(piece, sizeof piece, "%d", step->index);
            else if (*t == 'n' && step->index >= 0)
                snprintf(piece, sizeof piece, "%s[%d]",
                         field_info_of((enum field)step->field)->json, step->index);
            else if (*t == 'n')
                snprintf(piece, sizeof piece, "%s", field_info_of((enum field)step->field)->json);
            else
                snprintf(piece, sizeof piece, "%llu",
                         (unsigned long long)(*t == 'f' ? step->from : step->to));
        }
        const int n = snprintf(at < size ? out + at : NULL, at < size ? size - at : 0, "%s", piece);
        at += n > 0 ? (size_t)n : 0;
    }
    return at;
}
