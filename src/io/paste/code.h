/* code.h : which lines of a pasted text are source: what their names, includes and comments are
 * called says nothing of a failure, as a program's own message does. */
#ifndef TMAP_IO_CODE_H
#define TMAP_IO_CODE_H

#include "io/paste/statement.h"

enum io_line {
    IO_LINE_WORDS, /* what a program printed, or a person wrote */
    IO_LINE_CODE,
    IO_LINE_COMMENT, /* of source, a line of its own */
    IO_LINE_BLANK
};

/* What the lines before leave open; zeros at a text's beginning. */
struct io_code {
    int depth;   /* brackets of a statement that goes on, */
    int lines;   /* and for how long */
    char quotes; /* of a string in three of them; 0 outside */
    bool block;  /* in a comment of C */
    bool fence;  /* in a Markdown block of a language's */
};

/* io_code_next() : of a text's next line, without its end; by: who speaks in it if it is alone. */
enum io_line io_code_next(struct io_code *code, const char *line, size_t size, enum io_speaker by);

/* io_code_past() : behind the next character of source or the next string; at itself where a
 * comment begins. */
const char *io_code_past(const char *line, const char *at, const char *end);

#endif
