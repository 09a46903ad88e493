/* line.h : a line of a pasted text, in any case, without what stands before its message. */
#ifndef TMAP_IO_LINE_H
#define TMAP_IO_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { IO_LINE_LONGEST = 1000 };

/* A line of the text, and the same in lower case, if it is long its beginning. */
struct line {
    const char *at, *end;
    const char *lower;
    size_t length;
};

struct line_buffer {
    char lower[IO_LINE_LONGEST];
};

struct line io_line_in(struct line_buffer *buffer, const char *text, size_t size);

/* io_line_bare() : without the marks, times and levels of a log. */
struct line io_line_bare(struct line l);

/* io_line_skip() : without its first n characters. */
void io_line_skip(struct line *l, size_t n);
bool io_line_starts(struct line l, const char *word);

/* io_line_has() : in any case; word in lower case. */
bool io_line_has(struct line l, const char *word);
bool io_line_has_one(struct line l, const char *const *words);
bool io_line_starts_one(struct line l, const char *const *words);

/* io_line_is_exception() : "ValueError: message"; alone: the name by itself is one, too. */
bool io_line_is_exception(struct line l, bool alone);

#endif
