/* dump.h : the fields that other programs print when an encode call fails (`check --from`).
 *
 * CUTLASS and TileLang print "TMA Desc Addr:" and a field a line, Triton "elemType=... rank=..."
 * and lists in brackets, FlashInfer "tmaFormat: ..." and lists of five whatever the rank. A log
 * holds them among other lines, each perhaps behind a prefix of its own; fields are found by their
 * names, so the prefix, the order and what stands between do not matter. Lines that several
 * processes wrote over each other cannot be told apart: a dump in which a field is missing or cut
 * is an unreadable record. */
#ifndef TMAP_IO_DUMP_H
#define TMAP_IO_DUMP_H

#include "io/json/record.h"

enum io_dump {
    IO_DUMP_TRITON,
    IO_DUMP_CUTLASS,
    IO_DUMP_TILELANG,
    IO_DUMP_FLASHINFER, /* and TensorRT-LLM, whose code it is */
    IO_DUMP_LISTING,    /* the same fields with nothing that says where they begin */
    IO_DUMP_SOURCE,     /* calls with constants in C or C++ (source.h) */
    IO_DUMP_CALL,       /* a library's own calls (call.h) */
    IO_DUMP_IR,         /* MLIR (ir.h) */
    IO_DUMP_WORDS       /* a message without the numbers (hint.h) */
};

/* io_dump_find() : "triton"; false when there is none. */
bool io_dump_find(const char *name, enum io_dump *out);

/* io_dump_guess() : whether the input is such a log, and whose: it does not begin as JSON does, and
 *  one of its lines begins a dump, or says in words what a rule says. Cleans the text (clean.h). */
bool io_dump_guess(struct io_stream *stream, enum io_dump *out);

/* io_dump_next() : the next dump of the log as a record (json stays NULL); false at the end. A log
 *  without any dump is one unreadable record. */
bool io_dump_next(struct io_stream *stream, enum io_dump from, struct io_record *out);

/* io_dump_locate() : where the number of a field ("stride", index 0; -1 for a scalar) stands in the
 *  text of a dump. False when it is not there. */
bool io_dump_locate(const char *text, size_t length, const char *field, int index, size_t *offset,
                    size_t *size);

#endif
