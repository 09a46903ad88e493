/* value.c : one JSON value at a time, with the errors that name its place. */
#include "io/json/number.h"
#include "io/json/record.h"
#include "io/report/suggest.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void io_path_of(const char *base, const char *key, int index, char *path, size_t size)
{
    int used = snprintf(path, size, "%s%s%s", base, key ? "." : "", key ? key : "");
    if (index >= 0 && used >= 0 && (size_t)used < size)
        snprintf(path + used, size - (size_t)used, "[%d]", index);
}

bool io_fail(struct io_record *record, const char *path, const char *format, ...)
{
    size_t offset, size;
    va_list args;

    va_start(args, format);
    vsnprintf(record->error, sizeof record->error, format, args);
    va_end(args);
    snprintf(record->path, sizeof record->path, "%s", path);
    record->error_line = record->line;
    if (record->text && io_locate(record->text, record->length, path, &offset, &size))
        for (size_t i = 0; i < offset; i++) record->error_line += record->text[i] == '\n';
    return false;
}

const char *io_type_name(const json_t *value)
{
    if (!value) return "nothing";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number with a fraction or an exponent";
    case JSON_NULL:
        return "null";
    default:
        return "a boolean";
    }
}

static bool wrong(const struct io_at *at, const char *key, int index, const char *wanted,
                  const json_t *value)
{
    char path[96];
    io_path_of(at->path, key, index, path, sizeof path);
    return io_fail(at->record, path, "expected %s, not %s", wanted, io_type_name(value));
}

/* Printable, and short enough for a message. */
static const char *quoted(const char *text, char out[40])
{
    size_t i = 0;
    for (; text[i] && i < 32; i++) out[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
    snprintf(out + i, 40 - i, "%s", text[i] ? "..." : "");
    return out;
}

/* -1, 0, 1 as a is below, equal to or above b. */
static int compare(struct tmap_number a, struct tmap_number b)
{
    if (a.negative != b.negative) return a.negative ? -1 : 1;
    if (a.magnitude == b.magnitude) return 0;
    return (a.magnitude < b.magnitude) != a.negative ? -1 : 1;
}

static bool parse(const struct io_at *at, const char *key, int index, json_t *value,
                  struct tmap_number *out)
{
    char path[96], shown[40];

    if (json_is_integer(value)) {
        *out = io_number_of(json_integer_value(value));
        return true;
    }
    if (!json_is_string(value)) return wrong(at, key, index, "an integer", value);
    if (io_parse_number(json_string_value(value), out)) return true;
    if (at->flags & IO_SYMBOLIC) {
        at->record->flags |= IO_HAS_SYMBOLS;
        *out = (struct tmap_number){true, false, 0};
        return true;
    }
    io_path_of(at->path, key, index, path, sizeof path);
    return io_fail(at->record, path, "\"%s\" is no decimal or hexadecimal number below 2^64",
                   quoted(json_string_value(value), shown));
}

bool io_get_number(const struct io_at *at, const char *key, int index, json_t *value,
                   struct tmap_number low, struct tmap_number high, struct tmap_number *out)
{
    char path[96], text[22], low_text[22], high_text[22];
    struct tmap_number number = {0};

    if (!parse(at, key, index, value, &number)) return false;
    if (compare(number, low) >= 0 && compare(number, high) <= 0) {
        *out = number;
        return true;
    }
    io_path_of(at->path, key, index, path, sizeof path);
    return io_fail(at->record, path, "%s does not fit: its field holds %s to %s",
                   io_number_text(number, text), io_number_text(low, low_text),
                   io_number_text(high, high_text));
}

static uint64_t two_complement(struct tmap_number number)
{
    return number.negative ? 0 - number.magnitude : number.magnitude;
}

bool io_get_i32(const struct io_at *at, const char *key, int index, json_t *value, int32_t *out)
{
    static const struct tmap_number low = {true, true, (uint64_t)INT32_MAX + 1};
    static const struct tmap_number high = {true, false, INT32_MAX};
    struct tmap_number number = {0};
    if (!io_get_number(at, key, index, value, low, high, &number)) return false;
    *out = (int32_t)(uint32_t)two_complement(number);
    return true;
}

bool io_get_u32(const struct io_at *at, const char *key, int index, json_t *value, uint32_t *out)
{
    static const struct tmap_number low = {true, false, 0}, high = {true, false, UINT32_MAX};
    struct tmap_number number = {0};
    if (!io_get_number(at, key, index, value, low, high, &number)) return false;
    *out = (uint32_t)number.magnitude;
    return true;
}

bool io_get_u64(const struct io_at *at, const char *key, int index, json_t *value, uint64_t *out)
{
    static const struct tmap_number low = {true, false, 0}, high = {true, false, UINT64_MAX};
    struct tmap_number number = {0};
    if (!io_get_number(at, key, index, value, low, high, &number)) return false;
    *out = number.magnitude;
    return true;
}

static bool is_known(const char *key, const char *const known[])
{
    for (size_t i = 0; known[i]; i++)
        if (strcmp(key, known[i]) == 0) return true;
    return false;
}

static bool unknown_key(const struct io_at *at, const char *path, const char *key,
                        const char *const known[])
{
    struct io_suggestion s = {.wanted = key};
    char meant[64];

    for (size_t i = 0; known[i]; i++) io_suggest(&s, known[i]);
    return io_fail(at->record, path, "unknown key%s", io_meant(&s, meant, sizeof meant));
}

bool io_check_keys(const struct io_at *at, json_t *object, const char *const known[])
{
    char path[96], shown[40];
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (is_known(key, known) || strcmp(key, "$schema") == 0) continue; /* editors want it */
        io_path_of(at->path, quoted(key, shown), -1, path, sizeof path);
        return unknown_key(at, path, key, known);
    }
    return true;
}
