/* What a field's numbers are: plain, an address, or of an enumeration whose names JSON, messages
 * and options share (src/rules/enums.def, and the call's own below). */
#ifndef TMAP_EXPR_VALUES_H
#define TMAP_EXPR_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum values {
    VALUES_NUMBER,
    VALUES_ADDRESS,
    VALUES_KIND,
    VALUES_DTYPE,
    VALUES_INTERLEAVE,
    VALUES_SWIZZLE,
    VALUES_L2,
    VALUES_OOB,
    VALUES_MODE,
    VALUES_OP,       /* of a use */
    VALUES_FIELD,    /* of tensormap.replace */
    VALUES_CONSUMER, /* who reads the box */
    VALUES_MAJOR,
    VALUES_END
};

/* Whether the numbers are an enumeration's. */
static inline bool values_are_named(enum values which)
{
    return which >= VALUES_KIND;
}

/* value_find() : value of a name or an alias, whatever its case, with or without cuda.h's prefix or
 * a type's module (torch.bfloat16), and of a width without its unit ("128" for "128B"; as a number,
 * 128 is the enumeration's raw value); false when there is none. value_spelling() : the i-th of all
 * names and aliases; NULL at the end. */
bool value_find(enum values which, const char *name, int32_t *out);
const char *value_spelling(enum values which, size_t i);

/* value_name() : the name that JSON uses; NULL for a value that has none. */
const char *value_name(enum values which, int64_t value);

/* value_count() : how many names there are, aliases not counted; 0 for plain numbers. */
int value_count(enum values which);

#endif
