/* hint.h : what a program says of a descriptor in words alone, without its numbers: the rule that
 * those words stand for, or that they are about something else. A text with nothing more is no
 * descriptor, and no verdict is given on it. Where there is no memory to look for it, a function
 * that takes the stream says none and leaves stream->no_memory. */
#ifndef TMAP_IO_HINT_H
#define TMAP_IO_HINT_H

#include "io/json/stream.h"
#include "io/paste/statement.h"
#include "tmap/tmap.h"

/* io_hint_in() : what to tell the user of the first known message in the text; NULL where there is
 *  none. where (may be NULL): its place. */
const char *io_hint_in(struct io_stream *stream, size_t *where);

/* io_hint_cause() : why a call with legal numbers failed, as the input's error code says; NULL
 * where it says nothing. */
const char *io_hint_cause(const struct io_stream *stream);

/* io_hint_arch() : the target that a pasted text is about where that is not the default one: of the
 *  first GPU that it names (gpus.def), or, where it names none, of the first that has the
 *  descriptor's type. why: "the text speaks of B200". 0 for the default target, which it also is
 * where the text names one of its GPUs. */
tmap_arch io_hint_arch(const struct io_stream *stream, const struct tmap_desc *desc, char *why,
                       size_t size);

/* io_hint_gpu() : the architecture of a GPU by its name ("B200", "rtx 5090"); NULL for any other.
 */
const char *io_hint_gpu(const char *name);

/* io_hint_rule() : the rule that the input's words name, for its first record; or `otherwise`. */
const char *io_hint_rule(struct io_stream *stream, size_t record, const char *otherwise);

/* io_hint_is_open() : whether such a text names neither a rule nor another cause. */
bool io_hint_is_open(const char *told);

/* io_hint_stated() : the descriptor's rule that a program's own message about a failure states, and
 * not the source that would print it; TMAP_NO_ROW where there is none. */
tmap_row io_hint_stated(struct io_stream *stream);

/* io_hint_or() : io_hint_in() of a whole input, or `otherwise`; line: where it stands, from 1. */
const char *io_hint_or(struct io_stream *stream, const char *otherwise, size_t *line);

/* io_hint_others() : "; it also names TMA014: ..., TMA025: ...": the rules that other messages and
 * sentences of the text name, where `told` is none that a program ended with; else "". */
void io_hint_others(struct io_stream *stream, const char *told, char *out, size_t size);

/* io_hint_names() : the same, whatever the text's messages say. */
void io_hint_names(struct io_stream *stream, const char *told, char *out, size_t size);

/* io_hint_unknown() : the first line of the heaviest message of a text in which no hint is; line:
 * where it stands, from 1. False where the text has no message. */
bool io_hint_unknown(struct io_stream *stream, struct io_statement *out, size_t *line);

#endif
