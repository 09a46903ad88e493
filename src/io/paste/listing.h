/* listing.h : a descriptor's fields in lines of a program's own, which say where neither begins nor
 * ends: what of them is one, and what is left out. */
#ifndef TMAP_IO_LISTING_H
#define TMAP_IO_LISTING_H

#include "io/json/record.h"
#include "io/paste/dump_fields.h"
#include "io/paste/partial.h"

/* io_listing_type() : enum tmap_dtype, by its name or by the size of its elements; -1 for none. */
int32_t io_listing_type(const struct numbers f[FIELDS]);

/* io_listing_is_enough() : whether the fields are a tensor map's and no other thing's. */
bool io_listing_is_enough(const struct numbers f[FIELDS]);

/* io_listing_complete() : the fields as a dump has them: lists innermost first, strides in bytes,
 * swizzles as values; unsaid: what they leave out. */
void io_listing_complete(struct io_record *record, struct numbers f[FIELDS],
                         struct io_unsaid *unsaid);

#endif
