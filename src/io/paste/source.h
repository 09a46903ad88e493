/* source.h : calls of cuTensorMapEncodeTiled() and cuTensorMapEncodeIm2col() in pasted C or C++
 * whose arguments are constants. */
#ifndef TMAP_IO_SOURCE_H
#define TMAP_IO_SOURCE_H

#include "io/json/record.h"

/* io_source_has_call() : whether the text holds such a call, its arguments known or not. Here and
 * in io_source_next() false with stream->no_memory says nothing. */
bool io_source_has_call(struct io_stream *stream);

/* io_source_next() : the next call as a record (json stays NULL); false at the end. An argument
 * that is no constant makes it unreadable; the address is not known (IO_NO_ADDRESS). */
bool io_source_next(struct io_stream *stream, struct io_record *out);

#endif
