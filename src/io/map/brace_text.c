/* brace_text.c : bytes from numbers in brackets: an array in C, gdb's p and p/x, a list of
 * Python's; and from a string of bytes as Python shows it. */
#include "io/map/bytes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 128 };

struct numbers {
    uint64_t value[MAP_BYTES];
    size_t count;
};

/* A number and its suffix (ULL), at *at; false where none is. */
static bool take_number(const char **at, const char *end, uint64_t *out)
{
    char text[32], *stop;
    size_t n = 0;

    while (*at + n < end && n + 1 < sizeof text && isalnum((unsigned char)(*at)[n])) n++;
    memcpy(text, *at, n);
    text[n] = 0;
    errno = 0;
    *out = strtoull(text, &stop, 0);
    if (stop == text || errno || stop[strspn(stop, "uUlL")]) return false;
    *at += n;
    return true;
}

/* gdb writes equal members once: 0 <repeats 14 times>. */
static size_t take_repeats(const char **at, const char *end)
{
    static const char word[] = " <repeats ";
    uint64_t times;

    if ((size_t)(end - *at) < sizeof word || memcmp(*at, word, sizeof word - 1) != 0) return 1;
    const char *p = *at + sizeof word - 1;
    if (!take_number(&p, end, &times) || times > MAP_BYTES) return 1;
    while (p < end && *p != '>') p++;
    *at = p < end ? p + 1 : p;
    return (size_t)times;
}

/* Sixteen words, or 32 halves, or 128 bytes of one map; another count is none. */
static bool add_numbers(struct bytes *b, const struct numbers *n)
{
    if (n->count == 0) return true;
    if (n->count != 16 && n->count != 32 && n->count != MAP_BYTES) return false;
    const size_t size = MAP_BYTES / n->count;
    for (size_t i = 0; i < n->count; i++) {
        if (size < 8 && n->value[i] >> (8 * size)) return false;
        bytes_add(b, n->value[i], size);
    }
    return true;
}

/* One member and its comma. */
static bool take_member(struct numbers *n, const char **at, const char *end)
{
    uint64_t value;

    if (!take_number(at, end, &value)) return false;
    for (size_t times = take_repeats(at, end); times > 0; times--) {
        if (n->count == MAP_BYTES) return false;
        n->value[n->count++] = value;
    }
    return true;
}

/* One character behind a backslash, or a plain one; false at something else. */
static bool take_byte(const char **at, const char *end, unsigned *out)
{
    static const char letters[] = "nrt\\'\"abfv0", codes[] = "\n\r\t\\'\"\a\b\f\v\0";
    const char *p = *at;

    *out = (unsigned char)*p;
    *at = p + 1;
    if (*p != '\\') return true;
    if (end - p < 2) return false;
    *at = p + 2;
    if (p[1] == 'x' && end - p >= 4) {
        const char digits[] = {p[2], p[3], 0};
        char *stop;
        *out = (unsigned)strtoul(digits, &stop, 16);
        *at = p + 4;
        return stop == digits + 2;
    }
    const char *letter = strchr(letters, p[1]); /* the text has no zero byte */
    if (!letter) return false;
    *out = (unsigned char)codes[letter - letters];
    return true;
}

bool bytes_of_string(struct bytes *b, const char *text, size_t size, size_t *line)
{
    const char *end = text + size, *at = memchr(text, 'b', size);
    unsigned byte;

    *line = 1;
    while (at && (end - at < 2 || (at[1] != '\'' && at[1] != '"')))
        at = memchr(at + 1, 'b', (size_t)(end - at - 1));
    if (!at) return false;
    const char quote = at[1];
    for (at += 2; at < end && *at != quote;) {
        if (*at == '\n' || !take_byte(&at, end, &byte)) return false;
        bytes_add(b, byte, 1);
    }
    return at < end;
}

bool bytes_of_braces(struct bytes *b, const char *text, size_t size, size_t *line)
{
    const bool braces = memchr(text, '{', size) != NULL;
    const char open = braces ? '{' : '[', close = braces ? '}' : ']';
    struct numbers n = {.count = 0};
    const char *end = text + size;
    bool inside = false;

    for (*line = 1; text < end;) {
        if (*text == '\n') ++*line;
        if (*text == open || *text == close) {
            if (*text == close && !add_numbers(b, &n)) return false;
            n.count = 0;
            inside = *text == open;
        } else if (inside && isdigit((unsigned char)*text)) {
            if (!take_member(&n, &text, end)) return false;
            continue;
        } else if (inside && (isalpha((unsigned char)*text) || *text == '_')) {
            while (text < end && (isalnum((unsigned char)*text) || *text == '_')) text++;
            continue; /* a member's name: opaque = */
        }
        text++;
    }
    return n.count == 0;
}
