/* source_args.h : the arguments of a call in pasted source. */
#ifndef TMAP_IO_SOURCE_ARGS_H
#define TMAP_IO_SOURCE_ARGS_H

#include "io/paste/source_text.h"

enum { IO_SOURCE_ARGS = 40 }; /* a kernel's launch has many */

struct io_source_args {
    const char *at[IO_SOURCE_ARGS], *end[IO_SOURCE_ARGS];
    char name[IO_SOURCE_ARGS][IO_SOURCE_NAME]; /* "name=value"; "" for one without */
    int count;
};

/* io_source_args() : from behind "(" on; *behind is then behind ")". raw: the text of s before its
 *  comments were taken out, for labels ("name=" in a comment before the value); NULL for none.
 * False where the call does not end or has more than IO_SOURCE_ARGS. */
bool io_source_args(const struct io_source *s, const char *at, const char *end, const char *raw,
                    struct io_source_args *out, const char **behind);

/* io_source_arg() : the argument of that name, or at that place (-1: at none); -1 for none. */
int io_source_arg(const struct io_source_args *args, const char *name, int place);

#endif
