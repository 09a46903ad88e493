/* Numbers for the fields of src/rules/fields.def. A slot is a field and an index: F_DIM + 2 is the
 * third dimension's. */
#ifndef TMAP_EXPR_FIELD_H
#define TMAP_EXPR_FIELD_H

#include "expr/subject.h"

/* An ideal integer: every field, and every sum that rows form of them, fits. */
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define FIELD(word, json, count, value, param, unit)                                               \
    F_##word, F_##word##_END = F_##word + (count)-1,
enum field_slot {
#include "rules/fields.def"
    FIELD_SLOTS
};
#undef FIELD

#define FIELD(word, json, count, value, param, unit) FIELD_##word,
enum field {
#include "rules/fields.def"
    FIELD_COUNT
};
#undef FIELD

struct field_info {
    const char *word, *json, *param, *unit;
    int first_slot, count;
};

const struct field_info *field_info_of(enum field field);
/* The field that a slot belongs to. */
enum field field_of_slot(int slot);
/* Reads a slot. False, and *out untouched, when the subject lacks the part it lives in. */
bool field_read(const struct subject *s, int slot, int128 *out);
/* Writes a slot of a descriptor or a use (witnesses, generators, nearest values). False when the
 * slot belongs to neither. */
bool field_write(struct tmap_desc *desc, struct tmap_use *use, int slot, int128 value);

#endif
