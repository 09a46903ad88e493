/* missing.h : what to tell of a text without a descriptor. */
#ifndef TMAP_IO_MISSING_H
#define TMAP_IO_MISSING_H

#include "io/json/record.h"

/* io_missing_all() : the record is an error that tells the rule or the other cause that the text
 * names, else the call that its source has, else what is missing. */
void io_missing_all(struct io_stream *stream, struct io_record *out);

#endif
