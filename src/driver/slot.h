/* slot.h : the arguments of an encode call by number, so that generators, the shrinker and the
 * corpus can go over them without knowing what they mean. They are the fields from KIND to MODE of
 * src/rules/fields.def, with the flags, as one number, behind the
 * rank: the order of the recorded corpora. */
#ifndef TMAP_DRIVER_SLOT_H
#define TMAP_DRIVER_SLOT_H

#include "expr/field.h"

/* How a slot's values are drawn. */
enum slot_class { SLOT_KIND, SLOT_ENUM, SLOT_RANK, SLOT_FLAGS, SLOT_NUMBER, SLOT_CORNER };

enum { SLOT_FLAG = F_RANK - F_KIND + 1, SLOT_COUNT = F_MODE - F_KIND + 2 };

/* The field's own number. */
static inline int slot_field(int slot)
{
    return slot == SLOT_FLAG ? F_FLAG : F_KIND + slot - (slot > SLOT_FLAG);
}

/* How the slot is drawn, its bytes (4 or 8), its enumerators. */
enum slot_class slot_class(int slot);
uint8_t slot_bytes(int slot);
uint8_t slot_values(int slot);

/* The slot of a field's number; -1 when it is no argument, or a single flag. */
int slot_of_field(int field_slot);
/* Signed slots sign-extended. */
int64_t slot_get(const struct tmap_desc *desc, int slot);
void slot_set(struct tmap_desc *desc, int slot, int64_t value);
/* Whether the call of this kind and rank reads the slot. */
bool slot_used(const struct tmap_desc *desc, int slot);

/* A hash of the arguments that the call reads; unused entries do not count. */
uint64_t desc_hash(const struct tmap_desc *desc);

#endif
