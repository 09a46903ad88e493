/* source_width.c : see source_width.h. */
#include "io/paste/source_width.h"

#include "io/paste/dump_fields.h"

#include <ctype.h>
#include <string.h>

enum { NAME = IO_SOURCE_NAME };

/* least to most: the whole numbers that the type holds exactly. */
struct type {
    const char *name;
    int64_t least, most;
};

static const struct type types[] = {
    {"bool", 0, 1},
    {"char", 0, INT8_MAX}, /* with or without a sign */
    {"int8_t", INT8_MIN, INT8_MAX},
    {"uint8_t", 0, UINT8_MAX},
    {"u8", 0, UINT8_MAX},
    {"short", INT16_MIN, INT16_MAX},
    {"int16_t", INT16_MIN, INT16_MAX},
    {"uint16_t", 0, UINT16_MAX},
    {"u16", 0, UINT16_MAX},
    {"half", 0, 1 << 11},
    {"__half", 0, 1 << 11},
    {"float", 0, 1 << 24},
    {"int", INT32_MIN, INT32_MAX},
    {"int32_t", INT32_MIN, INT32_MAX},
    {"i32", INT32_MIN, INT32_MAX},
    {"unsigned", 0, UINT32_MAX},
    {"uint32_t", 0, UINT32_MAX},
    {"cuuint32_t", 0, UINT32_MAX},
    {"u32", 0, UINT32_MAX},
    {"uint", 0, UINT32_MAX},
    {"long", INT64_MIN, INT64_MAX},
};
enum { TYPES = sizeof types / sizeof types[0] };

static const struct type *find(const char *name)
{
    for (int i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

/* The first type in the text, "unsigned" by what follows it; NULL where none is known. */
static const struct type *type_in(const struct io_source *s, const char *at, const char *end)
{
    const struct type *found = NULL, *next;
    char name[NAME];

    for (const char *p = at; p < end; p++) {
        if (!io_dump_is_word(*p)) continue;
        if (!io_source_word(&p, end, name) || !io_source_type(s, name)) return found;
        next = find(name);
        if (found && !next) return found;
        if (next) found = next;
        if (next && strcmp(name, "unsigned") != 0) return next;
    }
    return found;
}

bool io_source_fits(const struct io_source *s, const char *at, const char *end, int64_t value)
{
    const struct type *type = s->python ? NULL : type_in(s, at, end);

    return !type || (value >= type->least && value <= type->most);
}

bool io_source_is_wide(const struct io_source *s, const char *at, const char *end)
{
    const struct type *type = type_in(s, at, end);

    return !type || type->most == INT64_MAX;
}

/* Where the statement begins that declares the name at `at`. */
static const char *statement_of(const struct io_source *s, const char *at)
{
    while (at > s->text && !strchr(";{}()\n", at[-1])) at--;
    return at;
}

bool io_source_holds(const struct io_source *s, const char *at, int64_t value)
{
    return io_source_fits(s, statement_of(s, at), at, value);
}

bool io_source_is_declared_wide(const struct io_source *s, const char *at, bool value)
{
    const char *from = statement_of(s, at);
    const struct type *type = type_in(s, from, at);

    if (type) return type->most == INT64_MAX;
    return value || (io_source_declares(s, at) && !io_dump_word(from, at, "auto") &&
                     !io_dump_word(from, at, "define"));
}

const char *io_source_behind_cast(const char *at, const char *end)
{
    const char *p = at, *close;

    if (p == end || *p != '(' || !(close = io_source_behind(p, end))) return at;
    if (isdigit((unsigned char)at[1])) return at;
    for (p++; p < close - 1; p++)
        if (!io_dump_is_word(*p) && !isspace((unsigned char)*p) && !strchr("*:[]", *p)) return at;
    for (p = close; p < end && isspace((unsigned char)*p);) p++;
    return p < end && (io_dump_is_word(*p) || *p == '(' || *p == '{' || *p == '&') ? close : at;
}

const char *io_source_cast(const char *at, const char *end)
{
    for (const char *before = NULL; before != at;) {
        before = at;
        while (at < end && (isspace((unsigned char)*at) || *at == '&')) at++;
        at = io_source_behind_cast(at, end);
    }
    return at;
}
