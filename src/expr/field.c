/* Fields by number: the one place that knows which struct member a word of the row language reads.
 */
#include "expr/field.h"

#include <string.h>

typedef struct tmap_target target;
typedef struct tmap_desc desc;
typedef struct tmap_use use;
typedef struct derived derived;
typedef struct pipeline_facts pipeline;

enum {
    BIT_NEVER = -1,
    BIT_DIM = BIT_NULL_DIM,
    BIT_STRIDE = BIT_NULL_STRIDE,
    BIT_BOX = BIT_NULL_BOX,
    BIT_ESTRIDE = BIT_NULL_ESTRIDE,
    BIT_LOWER = BIT_NULL_LOWER,
    BIT_UPPER = BIT_NULL_UPPER,
    BIT_MAP = BIT_NULL_MAP
};

/* is_signed, bytes, low, width */
#define TYPE_U64 false, 8, 0, 64
#define TYPE_U32 false, 4, 0, 32
#define TYPE_I32 true, 4, 0, 32
#define TYPE_BITS(low, width) false, 4, low, width
#define FIELD(word, json, count, span, part, member, type, values, kinds, null, param, unit)       \
    [FIELD_##word] = {#word,         json,        param,       unit,                               \
                      F_##word,      count,       PART_##part, VALUES_##values,                    \
                      KINDS_##kinds, SPAN_##span, BIT_##null,  offsetof(part, member),             \
                      TYPE_##type},
static const struct field_info infos[FIELD_COUNT] = {
#include "rules/fields.def"
};
#undef FIELD

const struct field_info *field_info_of(enum field field)
{
    return (unsigned)field < FIELD_COUNT ? &infos[field] : NULL;
}

enum field field_of_slot(int slot)
{
    int f = 0;
    if (slot < 0 || slot >= FIELD_SLOTS) return FIELD_COUNT;
    while (f + 1 < FIELD_COUNT && infos[f + 1].first_slot <= slot) f++;
    return (enum field)f;
}

int field_index_of(int slot)
{
    const struct field_info *f = &infos[field_of_slot(slot)];
    return f->count == 1 ? -1 : slot - f->first_slot;
}

int field_find(const char *json)
{
    for (int f = 0; json && f < FIELD_COUNT; f++)
        if (strcmp(infos[f].json, json) == 0) return infos[f].first_slot;
    return -1;
}

static const void *part_of(const struct subject *s, enum field_part part)
{
    switch (part) {
    case PART_target:
        return s->target;
    case PART_desc:
        return s->desc;
    case PART_use:
        return s->use;
    case PART_derived:
        return s->derived;
    default:
        return s->pipeline;
    }
}

/* Where a slot lies: entries of a field are members of an array, or bits side by side in one. */
struct place {
    size_t offset;
    unsigned low;
    uint64_t mask;
};

static struct place place_of(const struct field_info *f, int slot)
{
    const unsigned x = (unsigned)(slot - f->first_slot);
    const bool whole = f->width == 8 * f->bytes;
    const uint64_t mask = f->width == 64 ? UINT64_MAX : (UINT64_C(1) << f->width) - 1;
    return (struct place){f->offset + (whole ? x * f->bytes : 0),
                          f->low + (whole ? 0 : x * f->width), mask};
}

static uint64_t load(const char *at, size_t bytes)
{
    uint64_t wide;
    uint32_t narrow;
    memcpy(bytes == 8 ? (void *)&wide : (void *)&narrow, at, bytes);
    return bytes == 8 ? wide : narrow;
}

bool field_read(const struct subject *s, int slot, int128 *out)
{
    if (slot < 0 || slot >= FIELD_SLOTS) return false;
    const struct field_info *f = &infos[field_of_slot(slot)];
    const struct place at = place_of(f, slot);
    const char *part = part_of(s, f->part);
    if (part == NULL) return false;
    const uint64_t bits = load(part + at.offset, f->bytes) >> at.low & at.mask;
    *out = f->is_signed ? (int128)(int32_t)(uint32_t)bits : (int128)bits;
    return true;
}

bool field_store(enum field_part part, void *base, int slot, int128 value)
{
    const enum field field = field_of_slot(slot);
    if (field == FIELD_COUNT || infos[field].part != part) return false;
    const struct field_info *f = &infos[field];
    const struct place at = place_of(f, slot);
    char *member = (char *)base + at.offset;
    const uint64_t bits = f->width == 1 ? value != 0 : (uint64_t)value & at.mask;
    const uint64_t wide = (load(member, f->bytes) & ~(at.mask << at.low)) | bits << at.low;
    const uint32_t narrow = (uint32_t)wide;
    memcpy(member, f->bytes == 8 ? (const void *)&wide : (const void *)&narrow, f->bytes);
    return true;
}

bool field_write(struct tmap_desc *d, struct tmap_use *u, int slot, int128 value)
{
    return (d && field_store(PART_desc, d, slot, value)) ||
           (u && field_store(PART_use, u, slot, value));
}

void field_range(int slot, int128 *low, int128 *high)
{
    const struct field_info *f = &infos[field_of_slot(slot)];
    *low = f->is_signed ? INT32_MIN : 0;
    *high = f->is_signed ? (int128)INT32_MAX : ((int128)1 << f->width) - 1;
}

bool field_is_read(const struct tmap_desc *d, int slot)
{
    const struct field_info *f = &infos[field_of_slot(slot)];
    const uint32_t x = (uint32_t)(slot - f->first_slot);
    if ((unsigned)d->kind > TMAP_IM2COL_WIDE) return slot == F_KIND;
    if (!(f->kinds >> d->kind & 1)) return false;
    switch (f->span) {
    case SPAN_DIMS:
        return x < d->rank;
    case SPAN_STRIDES:
        return x + 1 < d->rank;
    case SPAN_SPATIALS: /* a wide call has one of each corner */
        return d->kind == TMAP_IM2COL_WIDE ? x == 0 : x + 2 < d->rank;
    default:
        return f->first_slot == F_MAP_ADDRESS ? (d->flags & TMAP_HAS_MAP_ADDRESS) != 0
               : f->first_slot == F_ALLOC_BASE || f->first_slot == F_ALLOC_BYTES
                   ? (d->flags & TMAP_HAS_ALLOCATION) != 0
                   : true;
    }
}
