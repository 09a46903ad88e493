/* statement.h : what a pasted text states, by who states it: the exception that a program ended
 * with says more than a message on the way there, and that more than a line of source. */
#ifndef TMAP_IO_STATEMENT_H
#define TMAP_IO_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* The heavier first. */
enum io_speaker {
    IO_EXCEPTION, /* of Python, C++ or Rust, with the lines that it goes on for; the last first */
    IO_ASSERTION, /* what abort() or a library's check printed */
    IO_COMPILER,  /* an error of a compiler or an assembler */
    IO_TOOL,      /* of compute-sanitizer or a debugger */
    IO_PRINTED,   /* another line about a failure */
    IO_PROSE,     /* any other line but those below */
    IO_CHECK,     /* a condition in source */
    IO_SPEAKERS,
    IO_REMARK = IO_SPEAKERS, /* a warning, or what a logger says of itself */
    IO_CODE,
    IO_SILENT /* empty, a traceback's frame, advice that stands in every log */
};

struct io_statement {
    size_t at, length;
    enum io_speaker by;
};

/* A text's statements, the heaviest first. */
struct io_statements {
    struct io_statement *list;
    size_t count;
};

/* io_statements_of() : false without memory; free them with io_statements_free(). */
bool io_statements_of(const char *text, size_t size, struct io_statements *out);
void io_statements_free(struct io_statements *statements);

/* io_statement_frame() : the traceback's frame right before an exception, where it was raised;
 * false where there is none. */
bool io_statement_frame(const char *text, const struct io_statement *exception,
                        struct io_statement *out);

/* io_speaker_of() : of one line, without its end. */
enum io_speaker io_speaker_of(const char *line, size_t size);

/* io_speaker_next() : the same of a text's next line, which may be in the middle of source. */
struct io_code;
enum io_speaker io_speaker_next(struct io_code *code, const char *line, size_t size);

/* io_statement_is_source() : whether a text is nothing but source and its comments. */
bool io_statement_is_source(const char *text, size_t size);

/* io_statement_mask() : blanks out the source in `out`, a copy of the text, and in nothing but
 * source comments that do not tell of a failure; strings: all but the strings of source that are
 * messages to fail with. */
void io_statement_mask(const char *text, size_t size, bool strings, char *out);

#endif
