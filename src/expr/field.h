/* Numbers for the fields of src/rules/fields.def. A slot is a field and an index: F_DIM + 2 is the
 * third dimension's. */
#ifndef TMAP_EXPR_FIELD_H
#define TMAP_EXPR_FIELD_H

#include "expr/subject.h"
#include "expr/values.h"

#include <stddef.h>

/* An ideal integer: every field, and every sum that rows form of them, fits. */
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define FIELD(word, json, count, ...) F_##word, F_##word##_END = F_##word + (count)-1,
enum field_slot {
#include "rules/fields.def"
    FIELD_SLOTS
};
#undef FIELD

#define FIELD(word, ...) FIELD_##word,
enum field {
#include "rules/fields.def"
    FIELD_COUNT
};
#undef FIELD

enum row_kinds { /* bit 1 << enum tmap_kind */
                 KINDS_TILED = 1,
                 KINDS_IM2COL = 2,
                 KINDS_WIDE = 4,
                 KINDS_CONV = 6,
                 KINDS_NOT_WIDE = 3,
                 KINDS_ANY = 7
};

/* What an index counts: dimensions, strides, dimensions but the innermost, spatial axes. */
enum row_span { SPAN_ONCE, SPAN_DIMS, SPAN_STRIDES, SPAN_OUTER, SPAN_SPATIALS };

/* The members of struct subject. */
enum field_part { PART_target, PART_desc, PART_use, PART_derived, PART_pipeline };

struct field_info {
    const char *word, *json, *param, *unit;
    int first_slot, count;
    enum field_part part;
    enum values values;
    enum row_kinds kinds;
    enum row_span span;
    int null_bit;              /* of tmap_desc.flags; -1: the pointer to it cannot be NULL */
    size_t offset;             /* in the part's struct */
    bool is_signed;            /* of 32 bits */
    uint8_t bytes, low, width; /* of the member; the bits of it that entry 0 is */
};

const struct field_info *field_info_of(enum field field);
/* The field that a slot belongs to, and its entry: -1 for a scalar. */
enum field field_of_slot(int slot);
int field_index_of(int slot);
/* The first slot of the field that JSON calls so; -1 when there is none. */
int field_find(const char *json);
/* Reads a slot. False, and *out untouched, when the subject lacks the part it lives in. */
bool field_read(const struct subject *s, int slot, int128 *out);
/* Writes a slot of a struct (witnesses, generators, nearest values). False when the slot is of
 * another part. */
bool field_store(enum field_part part, void *base, int slot, int128 value);
/* The same of a descriptor or a use; either may be NULL. */
bool field_write(struct tmap_desc *desc, struct tmap_use *use, int slot, int128 value);
/* The numbers that the slot's C type holds. */
void field_range(int slot, int128 *low, int128 *high);
/* Whether the encode call of this kind and rank reads the slot; a kind that no call has reads its
 * own alone. */
bool field_is_read(const struct tmap_desc *desc, int slot);

#endif
