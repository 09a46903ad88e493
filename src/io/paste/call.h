/* call.h : calls in pasted source that describe a tensor map in a library's own terms: Triton's
 * and cuda.core's in Python, XLA's in C++ (calls.def). */
#ifndef TMAP_IO_CALL_H
#define TMAP_IO_CALL_H

#include "io/json/record.h"

/* io_call_any() : whether the text holds such a call. io_call_next() : the next one as a record, as
 *  io_source_next() (source.h). */
bool io_call_any(struct io_stream *stream);
bool io_call_next(struct io_stream *stream, struct io_record *out);

/* io_triton_place() : box and swizzle as Triton's compiler chooses them for a block: rows of at
 * most the widest swizzle that they fill, sides of at most 256; larger blocks become several
 * copies (lib/Dialect/TritonNvidiaGPU, getTMABlockShape). unsaid: bits of box without a value. */
void io_triton_place(struct tmap_desc *desc, unsigned unsaid, int element_bytes);

#endif
