/* generate.c : values, legal descriptors, and the two sides of a bound. */
#include "driver/generate.h"

#include <string.h>

#define MENDINGS 48 /* changes tried before a random descriptor is given up */
#define VIOLATIONS 64

static int64_t number_value(struct rng *rng, int slot, int64_t now)
{
    const unsigned bits = slot_bytes(slot) * 8u;
    const uint64_t power = UINT64_C(1) << rng_below(rng, bits), u = (uint64_t)now; /* wraps */
    switch (rng_below(rng, 10)) {
    case 0:
        return rng_below(rng, 20);
    case 1:
        return (int64_t)(u + 1);
    case 2:
        return (int64_t)(u - 1);
    case 3:
        return (int64_t)(power + rng_below(rng, 3) - 1);
    case 4:
        return (int64_t)rng_log(rng, bits);
    case 5:
        return (int64_t)(u * 2);
    case 6:
        return now / 2;
    case 7:
        return (int64_t)(u + rng_log(rng, 8));
    default:
        return (int64_t)(rng_log(rng, bits / 2) << (3 + rng_below(rng, 4)));
    }
}

static int64_t corner_value(struct rng *rng, int64_t now)
{
    const int64_t power = INT64_C(1) << rng_below(rng, 32);
    switch (rng_below(rng, 6)) {
    case 0:
        return (int64_t)rng_below(rng, 9) - 4;
    case 1:
        return now + (int64_t)rng_below(rng, 3) - 1;
    case 2:
        return power + (int64_t)rng_below(rng, 3) - 1;
    case 3:
        return -power + (int64_t)rng_below(rng, 3) - 1;
    default:
        return (int64_t)rng_log(rng, 17) - (int64_t)rng_log(rng, 17);
    }
}

static int64_t enum_value(struct rng *rng, uint32_t count)
{
    static const int64_t wild[] = {INT32_MIN, -2, -1, 16, 255, 256, 65536, INT32_MAX};
    const uint32_t pick = rng_below(rng, 16);
    if (pick == 0) return wild[rng_below(rng, sizeof wild / sizeof wild[0])];
    if (pick == 1) return count;
    return rng_below(rng, count);
}

int64_t generate_value(struct rng *rng, const struct tmap_desc *desc, int slot)
{
    const int64_t now = slot_get(desc, slot);
    switch (slot_class(slot)) {
    case SLOT_KIND:
        return rng_below(rng, slot_values(slot));
    case SLOT_ENUM:
        return enum_value(rng, slot_values(slot));
    case SLOT_RANK:
        return rng_below(rng, 8) ? 1 + rng_below(rng, TMAP_MAX_RANK) : rng_below(rng, 9);
    case SLOT_FLAGS:
        return INT64_C(1) << rng_below(rng, 7);
    case SLOT_CORNER:
        return corner_value(rng, now);
    default:
        return number_value(rng, slot, now);
    }
}

/* A first draft: small enough that few changes make it legal. */
static void draft(struct rng *rng, int32_t kind, struct tmap_desc *d)
{
    memset(d, 0, sizeof *d);
    d->kind = kind;
    for (int i = 0; i < SLOT_COUNT; i++) {
        const enum slot_class class = slot_class(i);
        const bool wide = slot_bytes(i) == 8;
        int64_t value = 0;
        if (class == SLOT_ENUM) value = rng_below(rng, slot_values(i));
        if (class == SLOT_RANK) value = 1 + rng_below(rng, TMAP_MAX_RANK);
        if (class == SLOT_NUMBER && !wide) value = 1 + (int64_t)rng_log(rng, 7);
        if (class == SLOT_NUMBER && wide) value = (int64_t)rng_log(rng, 30) << 5;
        if (class == SLOT_CORNER) value = (int64_t)rng_below(rng, 7) - 3;
        if (class != SLOT_KIND && class != SLOT_FLAGS) slot_set(d, i, value);
    }
    for (int i = 0; i < TMAP_MAX_RANK; i++) {
        d->elem_stride[i] = rng_below(rng, 3) ? 1 : 1 + rng_below(rng, 8);
        d->dim[i] = 1 + rng_log(rng, 24);
    }
    if (rng_below(rng, 3)) d->interleave = 0;
    d->address = rng_next(rng) >> 18 << 12;
}

/* Moves the slot that the first violation blames to a nearest legal value. */
static void mend(const struct tmap_checker *checker, struct rng *rng,
                 const struct tmap_violation *violation, struct tmap_desc *d)
{
    struct tmap_detail detail;
    if (tmap_detail_of(&checker->target, d, NULL, violation, &detail) != TMAP_OK) return;
    const int slot = slot_of_field(detail.slot);
    if (slot <= 0) {
        d->flags = 0;
        return;
    }
    const bool up = detail.above.known && (!detail.below.known || rng_below(rng, 2));
    const struct tmap_number *to = up ? &detail.above : &detail.below;
    const int64_t value = (int64_t)(to->negative ? 0 - to->magnitude : to->magnitude);
    slot_set(d, slot, to->known ? value : generate_value(rng, d, slot));
}

bool generate_legal(const struct tmap_checker *checker, struct rng *rng, int32_t kind,
                    struct tmap_desc *out)
{
    draft(rng, kind, out);
    for (int i = 0; i < MENDINGS; i++) {
        struct tmap_violation first;
        size_t found = 0;
        enum tmap_verdict verdict;
        if (tmap_check_with(checker, out, &first, 1, &found, &verdict) != TMAP_OK) return false;
        if (verdict == TMAP_LEGAL) return true;
        if (verdict == TMAP_UNKNOWN || found == 0) return false;
        mend(checker, rng, &first, out);
        if (i % 16 == 15) draft(rng, kind, out);
    }
    return false;
}

/* Violations of d that base does not have; -1 rows when there are more than fit. */
static size_t new_violations(const struct tmap_checker *safe, const struct tmap_desc *base,
                             const struct tmap_desc *d, struct tmap_violation out[VIOLATIONS])
{
    struct tmap_violation before[VIOLATIONS], after[VIOLATIONS];
    size_t had = 0, has = 0, fresh = 0;
    tmap_check_with(safe, base, before, VIOLATIONS, &had, NULL);
    tmap_check_with(safe, d, after, VIOLATIONS, &has, NULL);
    for (size_t i = 0; i < has && i < VIOLATIONS; i++) {
        bool old = false;
        for (size_t j = 0; j < had && j < VIOLATIONS; j++)
            old = old || before[j].row == after[i].row;
        if (!old) out[fresh++] = after[i];
    }
    return fresh;
}

/* Breaks this row and no other that base keeps; several places of one row are one row. */
static bool alone(const struct tmap_checker *safe, const struct tmap_desc *base,
                  const struct tmap_desc *d, tmap_row row)
{
    struct tmap_violation fresh[VIOLATIONS];
    const size_t n = new_violations(safe, base, d, fresh);
    for (size_t i = 0; i < n; i++)
        if (fresh[i].row != row) return false;
    return n > 0;
}

/* The outside value nearest to the bound: one unit away, where the unit is the least power of two
 * at which this row alone fails. pair->outside is a descriptor that breaks the row. */
static bool nearest_outside(const struct tmap_checker *safe, const struct tmap_desc *base,
                            struct bound_pair *pair, const struct tmap_number *bound, bool up)
{
    const int64_t at = (int64_t)(bound->negative ? 0 - bound->magnitude : bound->magnitude);
    struct tmap_violation fresh[VIOLATIONS];
    pair->inside = pair->outside;
    slot_set(&pair->inside, pair->slot, at);
    if (new_violations(safe, base, &pair->inside, fresh) != 0) return false;
    for (int shift = 0; shift < 20; shift++) {
        const uint64_t unit = UINT64_C(1) << shift, from = (uint64_t)at;
        slot_set(&pair->outside, pair->slot, (int64_t)(up ? from + unit : from - unit));
        if (alone(safe, base, &pair->outside, pair->row)) return true;
    }
    return false;
}

bool generate_pair(const struct tmap_checker *safe, const struct tmap_desc *base,
                   const struct tmap_desc *desc, int slot, struct bound_pair *out)
{
    struct tmap_violation fresh[VIOLATIONS];
    struct tmap_detail detail;
    const size_t n = new_violations(safe, base, desc, fresh);
    if (n == 0 || !alone(safe, base, desc, fresh[0].row)) return false;
    out->row = fresh[0].row;
    if (tmap_detail_of(&safe->target, desc, NULL, &fresh[0], &detail) != TMAP_OK) return false;
    out->slot = slot_of_field(detail.slot);
    out->outside = *desc;
    const bool both = detail.below.known && detail.above.known;
    const bool up = detail.below.known && !(both && (detail.value.magnitude >> 1 & 1));
    const struct tmap_number *bound = up ? &detail.below : &detail.above;
    if (out->slot > 0 && bound->known && nearest_outside(safe, base, out, bound, up)) return true;
    /* No number lies nearest (a pointer, an enum): the legal one and this one are the sides. */
    out->slot = slot;
    out->inside = *base;
    out->outside = *desc;
    return true;
}
