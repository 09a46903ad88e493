/* slot.h : the arguments of an encode call by number, so that generators, the shrinker, the corpus
 * and the reports can go over them without knowing what they mean. */
#ifndef TMAP_DRIVER_SLOT_H
#define TMAP_DRIVER_SLOT_H

#include "tmap/tmap.h"

/* How a slot's values are drawn. */
enum slot_class { SLOT_KIND, SLOT_ENUM, SLOT_RANK, SLOT_FLAGS, SLOT_NUMBER, SLOT_CORNER };

struct slot {
    const char *name; /* JSON's */
    int index;        /* -1 for a scalar */
    enum slot_class class;
    uint8_t kinds;   /* bit per enum tmap_kind that has it */
    uint8_t bytes;   /* 4 or 8 */
    bool is_signed;  /* 4-byte slots only */
    uint8_t count;   /* SLOT_ENUM: enumerators */
    uint16_t offset; /* in struct tmap_desc */
};

#define SLOT_COUNT 37
extern const struct slot slots[SLOT_COUNT];

/* -1 when no argument is called that. */
int slot_find(const char *name, int index);
/* Signed slots sign-extended. */
int64_t slot_get(const struct tmap_desc *desc, int slot);
void slot_set(struct tmap_desc *desc, int slot, int64_t value);
/* Whether the call of this kind and rank reads the slot. */
bool slot_used(const struct tmap_desc *desc, int slot);

/* A hash of the arguments that the call reads; unused entries do not count. */
uint64_t desc_hash(const struct tmap_desc *desc);

/* The descriptor as one line of JSON (README), without a newline; as snprintf. */
size_t desc_json(const struct tmap_desc *desc, char *out, size_t cap);

#endif
