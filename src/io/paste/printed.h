/* printed.h : tensors that a program printed, by their strides: "A.stride()=(70, 1) bf16". */
#ifndef TMAP_IO_PRINTED_H
#define TMAP_IO_PRINTED_H

#include "io/json/stream.h"
#include "tmap/tmap.h"

/* io_printed_stride() : the first printed stride that no tensor map can have, as a text, and its
 * rule; TMAP_NO_ROW where every one is legal, or of a type that its line does not say. */
tmap_row io_printed_stride(const struct io_stream *stream, char *out, size_t size);

#endif
