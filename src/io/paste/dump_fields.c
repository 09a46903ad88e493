/* dump_fields.c : see dump_fields.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/dump_fields.h"

#include "expr/values.h"

#include <string.h>

enum where { BOTH, DUMP, LISTING };

static const struct {
    const char *name;
    enum field field;
    enum where where;
} names[] = {
#define NAME(name, field, where) {name, field, where},
#include "io/paste/dump_names.def"
#undef NAME
};

const char *io_dump_name(enum io_dump from, size_t i, enum field *field)
{
    const enum where other = from == IO_DUMP_LISTING ? DUMP : LISTING;
    static const size_t count = sizeof names / sizeof names[0];

    for (size_t k = 0; k < count; k++) {
        if (names[k].where == other || i-- > 0) continue;
        *field = names[k].field;
        return names[k].name;
    }
    return NULL;
}

void io_dump_none(struct numbers fields[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) fields[i].count = -1;
}

bool io_dump_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

bool io_dump_number(const char **at, const char *end, int64_t *out)
{
    const char *p = *at;
    bool negative = p < end && *p == '-';
    uint64_t value = 0;
    int base = 10;

    p += negative;
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        base = 16;
        p += 2;
    }
    if (p == end || hex_digit(*p) >= base) return false;
    for (; p < end && hex_digit(*p) < base; p++)
        value = value * (uint64_t)base + (uint64_t)hex_digit(*p);
    *out = (int64_t)(negative ? 0 - value : value);
    *at = p;
    return true;
}

static const char *skip(const char *at, const char *end, const char *what)
{
    while (at < end && *at && strchr(what, *at)) at++;
    return at;
}

/* Behind "[3] =", which is "[" to begin with; at itself where that does not stand there. */
static const char *behind_index(const char *at, const char *end, int64_t *index)
{
    const char *p = at + 1;
    if (at == end || *at != '[' || !io_dump_number(&p, end, index) || p == end || *p++ != ']')
        return at;
    p = skip(p, end, " \t");
    return p < end && (*p == '=' || *p == ':') ? skip(p, end, " \t=:") : at;
}

/* "[1] = 7" behind a list's name, where [0] was read: one more of the list. */
static void read_next(const char *at, const char *end, struct numbers *v)
{
    int64_t index, number;
    const char *value = behind_index(at, end, &index);

    if (value == at || index != v->count || index >= TMAP_MAX_RANK) return;
    if (io_dump_number(&value, end, &number)) v->number[v->count++] = number;
}

static enum values enumeration_of(enum field field)
{
    return field == DTYPE        ? VALUES_DTYPE
           : field == INTERLEAVE ? VALUES_INTERLEAVE
           : field == SWIZZLE    ? VALUES_SWIZZLE
           : field == L2         ? VALUES_L2
           : field == OOB        ? VALUES_OOB
                                 : VALUES_NUMBER;
}

/* "CU_TENSOR_MAP_SWIZZLE_128B", "torch.bfloat16" or "CUtensorMapSwizzle::CU_..." as its value. */
static void read_name(enum field field, const char *at, const char *end, struct numbers *out)
{
    char name[80];
    int32_t value;
    size_t n = 0;

    for (; at < end && (io_dump_is_word(*at) || *at == '.' || *at == ':'); at++) {
        if (*at == ':')
            n = 0;
        else if (n + 1 < sizeof name)
            name[n++] = *at;
    }
    name[n] = 0;
    if (n == 0 || enumeration_of(field) == VALUES_NUMBER) return;
    if (value_find(enumeration_of(field), name, &value))
        *out = (struct numbers){.number = {value}, .count = 1};
}

/* "9 (NAME)", "(1,2,3)", "[1, 2]" or "1 2 3" at `at`, perhaps behind "[3] =", or the list's
 * address; a list that does not close counts as nothing. */
static void read_values(enum field field, const char *at, const char *end, struct numbers *out)
{
    static const char opening[] = "([{", closings[] = ")]}";
    const bool list = enumeration_of(field) == VALUES_NUMBER && field != ADDRESS;
    struct numbers v = {.count = 0};
    const char *bracket;
    char closing = 0;
    int64_t ignored;

    at = skip(at, end, " =:\t");
    at = behind_index(at, end, &ignored);
    if (at < end && *at && (bracket = strchr(opening, *at))) closing = closings[bracket - opening];
    at += closing != 0;
    for (int64_t number; io_dump_number(&at, end, &number);) {
        if (v.count < TMAP_MAX_RANK) v.number[v.count++] = number;
        while (at < end && (*at == ' ' || (closing && *at == ','))) at++;
        if (list && !closing && v.count == 1 && at < end && (*at == '[' || *at == '{')) {
            closing = *at++ == '[' ? ']' : '}';
            v.count = 0;
        }
    }
    if (closing && (at == end || *at != closing)) return;
    if (v.count > 0 || closing)
        *out = v;
    else
        read_name(field, at, end, out);
}

const char *io_dump_word(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    const char *p = at;

    for (; (p = memmem(p, (size_t)(end - p), word, length)); p++) {
        if (p > at && io_dump_is_word(p[-1])) continue;
        if (p + length < end && io_dump_is_word(p[length])) continue;
        return p;
    }
    return NULL;
}

void io_dump_line(const char *line, const char *end, enum io_dump from,
                  struct numbers fields[FIELDS])
{
    const char *name;
    enum field field;

    for (size_t i = 0; (name = io_dump_name(from, i, &field)); i++) {
        struct numbers *v = &fields[field];
        const size_t length = strlen(name);
        for (const char *p = line; (p = io_dump_word(p, end, name)); p += length) {
            if (v->count < 0)
                read_values(field, p + length, end, v);
            else
                read_next(p + length, end, v);
        }
    }
}
