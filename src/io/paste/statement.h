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
    IO_SPEAKERS,
    IO_REMARK = IO_SPEAKERS, /* a warning, or what a logger says of itself */
    IO_CODE,
    IO_SILENT /* empty, a traceback's frame, advice that stands in every log */
};

struct io_statement {
    size_t at, length;
    enum io_speaker by;
};

/* A walk over a text's statements, the heaviest first. */
struct io_statements {
    const char *text;
    size_t size;
    enum io_speaker by; /* the next one's, and where its search goes on */
    size_t at;
};

/* io_statements() : at its beginning; the text must live as long. io_statement_next() : false at
 * the end. */
struct io_statements io_statements(const char *text, size_t size);
bool io_statement_next(struct io_statements *walk, struct io_statement *out);

/* io_statement_frame() : the traceback's frame right before an exception, where it was raised;
 * false where there is none. */
bool io_statement_frame(const char *text, const struct io_statement *exception,
                        struct io_statement *out);

/* io_speaker_of() : of one line, without its end. */
enum io_speaker io_speaker_of(const char *line, size_t size);

#endif
