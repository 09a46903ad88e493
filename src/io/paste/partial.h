/* partial.h : a descriptor of which a text says only a part. What it does not say is tried out:
 * where every choice violates the same rule, the descriptor is illegal whatever it is. */
#ifndef TMAP_IO_PARTIAL_H
#define TMAP_IO_PARTIAL_H

#include "io/json/record.h"

/* What a text does not say: single fields, and entries of lists by a bit each. */
struct io_unsaid {
    bool dtype, swizzle;
    unsigned dim, stride, box, elem_stride;
};

/* io_partial_settle() : of record->desc, which has zeros where it is unsaid: a legal one's values
 *  there, and IO_PARTIAL, where the rest alone is illegal; else the record is an error that names
 *  what is missing, or says `why` (may be NULL). Nothing unsaid: nothing to do. */
void io_partial_settle(struct io_record *record, const struct io_unsaid *unsaid, const char *why);

/* io_unsaid_names() : "dtype, dim[1], box"; "" where nothing is. rank: how long lists are. */
void io_unsaid_names(const struct io_unsaid *unsaid, uint32_t rank, char *out, size_t size);

#endif
