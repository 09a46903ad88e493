/* ir.h : tensor maps in pasted MLIR: Triton's tt.make_tensor_descriptor and LLVM's
 * nvgpu.tma.create.descriptor, whose operands are constants by definition or by name. */
#ifndef TMAP_IO_IR_H
#define TMAP_IO_IR_H

#include "io/json/record.h"

/* io_ir_any() : whether the text holds such an operation. io_ir_next() : the next one as a record,
 * as io_source_next() (source.h). */
bool io_ir_any(const struct io_stream *stream);
bool io_ir_next(struct io_stream *stream, struct io_record *out);

#endif
