/* What the rows allow a type on a target, found by asking them about a plain descriptor. */
#include "solve/limits.h"

#include "core/layout.h"

#include <string.h>

#define PROBE_SIZE 1024u

_Static_assert(SWIZZLES ==
#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) +1
#include "rules/enums.def"
               , "one for each swizzle of enums.def");

static struct tmap_desc plain(const struct tmap_desc *d)
{
    struct tmap_desc p = {.kind = TMAP_TILED,
                          .dtype = d->dtype,
                          .rank = 3,
                          .address = UINT64_C(1) << 30,
                          .interleave = d->interleave};
    for (uint32_t i = 0; i < p.rank; i++) {
        p.dim[i] = PROBE_SIZE;
        p.box[i] = p.elem_stride[i] = 1;
        if (i) p.stride_bytes[i - 1] = (uint64_t)PROBE_SIZE << (10 * i);
    }
    return p;
}

static bool legal(const struct tmap_checker *c, const struct tmap_desc *d)
{
    return tmap_verdict_of(c, d) == TMAP_LEGAL;
}

/* The least power of two that *field may be, the rest of d being fine. */
static uint32_t unit_of(const struct tmap_checker *c, struct tmap_desc *d, uint64_t *field,
                        uint64_t base)
{
    const uint64_t was = *field;
    uint32_t unit = 1;
    for (; unit < PROBE_SIZE; unit *= 2) {
        *field = base + unit;
        if (legal(c, d)) break;
    }
    *field = was;
    return unit;
}

static bool find_inner_unit(const struct tmap_checker *c, struct tmap_desc *d, struct limits *l)
{
    for (int32_t w = 0; w < SWIZZLES; w++)
        for (uint32_t unit = 1; unit <= PROBE_SIZE; unit *= 2) {
            d->swizzle = w;
            d->box[0] = unit;
            if (!legal(c, d)) continue;
            l->inner_unit = unit;
            return true;
        }
    return false;
}

/* The greatest k in 1..most for which box[dim] = k * unit is legal; 0 when 1 is not. */
static uint32_t most_legal(const struct tmap_checker *c, struct tmap_desc *d, uint32_t dim,
                           uint32_t unit, uint32_t most)
{
    uint32_t low = 0, high = most + 1;
    while (low + 1 < high) {
        const uint32_t mid = low + (high - low) / 2;
        d->box[dim] = mid * unit;
        if (legal(c, d))
            low = mid;
        else
            high = mid;
    }
    return low;
}

static uint32_t coord_unit(const struct tmap_checker *c, const struct tmap_desc *d)
{
    struct tmap_use use = {.op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord_count = d->rank};
    struct tmap_violation v[1];
    size_t found = 1;
    for (uint32_t unit = 1; unit < PROBE_SIZE; unit *= 2) {
        use.coord[0] = (int32_t)unit;
        tmap_check_use(c, d, &use, v, 1, &found, NULL);
        if (found == 0) return unit;
    }
    return PROBE_SIZE;
}

void limits_of(const struct tmap_checker *c, const struct tmap_desc *desc, struct limits *l)
{
    struct tmap_desc d = plain(desc);
    memset(l, 0, sizeof *l);
    if (!find_inner_unit(c, &d, l)) return;
    l->known = true;
    l->max_box = most_legal(c, &d, 1, 1, PROBE_SIZE);
    d.box[1] = l->max_box;
    d.box[0] = l->inner_unit;
    l->max_bytes = (most_legal(c, &d, 2, 1, PROBE_SIZE) + 1) * (uint64_t)l->max_box *
                   l->inner_unit * layout_smem_bits(d.dtype) / 8;
    d.box[1] = d.box[2] = 1;
    l->dim_unit = unit_of(c, &d, &d.dim[0], d.dim[0]);
    l->stride_unit = unit_of(c, &d, &d.stride_bytes[0], d.stride_bytes[0]);
    l->address_unit = unit_of(c, &d, &d.address, d.address);
    l->coord_unit = coord_unit(c, &d);
    d.box[0] = l->inner_unit;
    l->plain = d;
    for (int32_t w = 0; w < SWIZZLES; w++) l->max_inner[w] = UINT32_MAX;
}

bool limits_usable(const struct objective *objective, const struct tmap_desc *desc)
{
    struct tmap_use use = {.op = objective->stores ? TMAP_OP_STORE : TMAP_OP_LOAD};
    struct tmap_violation v[1];
    size_t found = 1; /* and stays so where the question is refused */
    if (objective->reader) use = *objective->reader;
    use.flags = TMAP_USE_COORD | TMAP_USE_SMEM;
    use.coord_count = desc->rank;
    tmap_check_use(objective->checker, desc, &use, v, 1, &found, NULL);
    return found == 0;
}

/* The greatest box[0] up to most whose rows the reader takes, as many rows as a box has. */
static uint32_t taken_whole(const struct objective *objective, const struct limits *l,
                            struct tmap_desc *d, uint32_t most)
{
    d->box[1] = l->max_box;
    for (d->box[0] = most; d->box[0] > 0; d->box[0] -= l->inner_unit)
        if (legal(objective->checker, d) && limits_usable(objective, d)) break;
    return d->box[0];
}

uint32_t limits_inner(const struct objective *objective, struct limits *l, int32_t swizzle)
{
    uint32_t *most = &l->max_inner[swizzle];
    if (*most != UINT32_MAX) return *most;
    struct tmap_desc d = l->plain;
    d.swizzle = swizzle;
    *most = l->inner_unit *
            most_legal(objective->checker, &d, 0, l->inner_unit, PROBE_SIZE / l->inner_unit);
    if (objective->exact && *most) *most = taken_whole(objective, l, &d, *most);
    return *most;
}
