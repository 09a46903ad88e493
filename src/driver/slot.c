#include "driver/slot.h"

static const struct field_info *info_of(int slot)
{
    return field_info_of(field_of_slot(slot_field(slot)));
}

enum slot_class slot_class(int slot)
{
    const struct field_info *f = info_of(slot);
    switch (f->first_slot) {
    case F_KIND:
        return SLOT_KIND;
    case F_RANK:
        return SLOT_RANK;
    case F_FLAG:
        return SLOT_FLAGS;
    default:
        return values_are_named(f->values) ? SLOT_ENUM
               : f->span == SPAN_SPATIALS  ? SLOT_CORNER
                                           : SLOT_NUMBER;
    }
}

uint8_t slot_bytes(int slot)
{
    return info_of(slot)->bytes;
}

uint8_t slot_values(int slot)
{
    return (uint8_t)value_count(info_of(slot)->values);
}

int slot_of_field(int field_slot)
{
    if (field_slot < F_KIND || field_slot > F_MODE) return -1;
    return field_slot - F_KIND + (field_slot > F_RANK);
}

int64_t slot_get(const struct tmap_desc *desc, int slot)
{
    const struct subject s = {.desc = desc};
    int128 value = 0;
    if (slot == SLOT_FLAG) return desc->flags;
    field_read(&s, slot_field(slot), &value);
    return (int64_t)(uint64_t)value;
}

void slot_set(struct tmap_desc *desc, int slot, int64_t value)
{
    if (slot == SLOT_FLAG)
        desc->flags = (uint32_t)value;
    else
        field_write(desc, NULL, slot_field(slot), value);
}

bool slot_used(const struct tmap_desc *desc, int slot)
{
    return field_is_read(desc, slot_field(slot));
}

uint64_t desc_hash(const struct tmap_desc *desc)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < SLOT_COUNT; i++) {
        if (!slot_used(desc, i)) continue;
        h ^= (uint64_t)slot_get(desc, i) + (uint64_t)i * UINT64_C(0xd6e8feb86659fd93);
        h *= UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 29;
}
