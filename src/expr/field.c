/* Fields by number: the one place that knows which struct member a word of the row language reads.
 */
#include "expr/field.h"

#define FIELD(word, json, count, value, param, unit)                                               \
    [FIELD_##word] = {#word, json, param, unit, F_##word, count},
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
    while (f + 1 < FIELD_COUNT && infos[f + 1].first_slot <= slot) f++;
    return (enum field)f;
}

static bool part_present(const struct subject *s, enum field f)
{
    if (f <= FIELD_SUFFIX) return s->target != NULL;
    if (f <= FIELD_ALLOC_BYTES) return s->desc != NULL;
    if (f <= FIELD_VALUE) return s->use != NULL;
    if (f <= FIELD_TMEM_CAPACITY) return s->derived != NULL;
    return s->pipeline != NULL;
}

bool field_read(const struct subject *s, int slot, int128 *out)
{
    if (slot < 0 || slot >= FIELD_SLOTS) return false;
    const enum field f = field_of_slot(slot);
    if (!part_present(s, f)) return false;
    const int x = slot - infos[f].first_slot;
    (void)x;
    switch (f) {
/* clang-format off */
#define FIELD(word, json, count, value, param, unit)                                               \
    case FIELD_##word:                                                                             \
        *out = (int128)(value);                                                                    \
        return true;
#include "rules/fields.def"
/* clang-format on */
#undef FIELD
    default:
        return false;
    }
}

static bool write_desc_entry(struct tmap_desc *d, enum field f, int x, int128 v)
{
    switch (f) {
    case FIELD_DIM:
        d->dim[x] = (uint64_t)v;
        return true;
    case FIELD_STRIDE:
        d->stride_bytes[x] = (uint64_t)v;
        return true;
    case FIELD_BOX:
        d->box[x] = (uint32_t)v;
        return true;
    case FIELD_ESTRIDE:
        d->elem_stride[x] = (uint32_t)v;
        return true;
    case FIELD_LOWER:
        d->lower[x] = (int32_t)v;
        return true;
    case FIELD_UPPER:
        d->upper[x] = (int32_t)v;
        return true;
    case FIELD_FLAG:
        d->flags = (d->flags & ~(1u << x)) | ((uint32_t)(v != 0) << x);
        return true;
    default:
        return false;
    }
}

static bool write_desc(struct tmap_desc *d, enum field f, int x, int128 v)
{
    switch (f) {
    case FIELD_KIND:
        d->kind = (int32_t)v;
        return true;
    case FIELD_DTYPE:
        d->dtype = (int32_t)v;
        return true;
    case FIELD_RANK:
        d->rank = (uint32_t)v;
        return true;
    case FIELD_ADDRESS:
        d->address = (uint64_t)v;
        return true;
    case FIELD_INTERLEAVE:
        d->interleave = (int32_t)v;
        return true;
    case FIELD_SWIZZLE:
        d->swizzle = (int32_t)v;
        return true;
    case FIELD_L2:
        d->l2_promotion = (int32_t)v;
        return true;
    case FIELD_OOB:
        d->oob_fill = (int32_t)v;
        return true;
    case FIELD_CHANNELS:
        d->channels = (uint32_t)v;
        return true;
    case FIELD_PIXELS:
        d->pixels = (uint32_t)v;
        return true;
    case FIELD_MODE:
        d->mode = (int32_t)v;
        return true;
    case FIELD_MAP_ADDRESS:
        d->map_address = (uint64_t)v;
        return true;
    case FIELD_ALLOC_BASE:
        d->allocation_base = (uint64_t)v;
        return true;
    case FIELD_ALLOC_BYTES:
        d->allocation_bytes = (uint64_t)v;
        return true;
    default:
        return write_desc_entry(d, f, x, v);
    }
}

static bool write_use(struct tmap_use *u, enum field f, int x, int128 v)
{
    switch (f) {
    case FIELD_OP:
        u->op = (uint32_t)v;
        return true;
    case FIELD_USE_FLAG:
        u->flags = (u->flags & ~(1u << x)) | ((uint32_t)(v != 0) << x);
        return true;
    case FIELD_COORD:
        u->coord[x] = (int32_t)v;
        return true;
    case FIELD_COORDS:
        u->coord_count = (uint32_t)v;
        return true;
    case FIELD_SMEM:
        u->smem = (uint64_t)v;
        return true;
    case FIELD_MBARRIER:
        u->mbarrier = (uint64_t)v;
        return true;
    case FIELD_EXPECT_TX:
        u->expect_tx = (uint64_t)v;
        return true;
    case FIELD_MULTICAST:
        u->multicast = (uint32_t)v;
        return true;
    case FIELD_CTA_GROUP:
        u->cta_group = (uint32_t)v;
        return true;
    case FIELD_OFFSET:
        u->offset[x] = (uint32_t)v;
        return true;
    case FIELD_CONSUMER:
        u->consumer = (uint32_t)v;
        return true;
    case FIELD_MAJOR:
        u->major = (uint32_t)v;
        return true;
    case FIELD_RFIELD:
        u->field = (uint32_t)v;
        return true;
    case FIELD_ORDINAL:
        u->ordinal = (uint32_t)v;
        return true;
    case FIELD_VALUE:
        u->value = (uint64_t)v;
        return true;
    default:
        return false;
    }
}

bool field_write(struct tmap_desc *desc, struct tmap_use *use, int slot, int128 value)
{
    if (slot < 0 || slot >= FIELD_SLOTS) return false;
    const enum field f = field_of_slot(slot);
    const int x = slot - infos[f].first_slot;
    if (f <= FIELD_SUFFIX) return false;
    if (f <= FIELD_ALLOC_BYTES) return desc != NULL && write_desc(desc, f, x, value);
    return use != NULL && write_use(use, f, x, value);
}
