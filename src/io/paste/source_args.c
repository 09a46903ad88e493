/* source_args.c : see source_args.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/source_args.h"

#include <ctype.h>
#include <string.h>

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

/* The name in a comment between `from` and `to` that ends in "=" or ":". */
static void read_label(const char *from, const char *to, char name[IO_SOURCE_NAME])
{
    const char *comment = memmem(from, (size_t)(to - from), "/*", 2), *end;

    if (!comment) return;
    comment += 2;
    if (!io_source_word(&comment, to, name)) return;
    end = skip_space(comment, to);
    if (end == to || (*end != '=' && *end != ':' && *end != '*')) name[0] = 0;
}

/* "name = value", ".name = value" */
static const char *behind_keyword(const char *at, const char *stop, char name[IO_SOURCE_NAME])
{
    const char *p = at + (*at == '.');

    if (io_source_word(&p, stop, name)) {
        p = skip_space(p, stop);
        if (stop - p > 1 && *p == '=' && p[1] != '=') return skip_space(p + 1, stop);
    }
    name[0] = 0;
    return at;
}

bool io_source_args(const struct io_source *s, const char *at, const char *end, const char *raw,
                    struct io_source_args *out, const char **behind)
{
    for (out->count = 0;; at++) {
        const char *stop = io_source_piece(at, end), *from = at;
        at = skip_space(at, stop);
        if (stop == end) return false;
        if (at < stop) {
            const int i = out->count++;
            if (i == IO_SOURCE_ARGS) return false;
            out->at[i] = behind_keyword(at, stop, out->name[i]);
            out->end[i] = stop;
            if (raw && !out->name[i][0])
                read_label(raw + (from - s->text), raw + (at - s->text), out->name[i]);
        }
        at = stop;
        if (*stop == ')') return *behind = stop + 1, true;
        if (*stop != ',') return false;
    }
}

int io_source_arg(const struct io_source_args *args, const char *name, int place)
{
    for (int i = 0; i < args->count; i++)
        if (strcmp(args->name[i], name) == 0) return i;
    return place >= 0 && place < args->count && !args->name[place][0] ? place : -1;
}
