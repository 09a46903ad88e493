/* dump_text.c : bytes from the lines that dump programs print. */
#include "io/map/bytes.h"

#include <string.h>

/* A line, from its first character to its end. */
struct line {
    const char *at, *end;
};

/* What repeated lines ("*") need: where the dump is, in its own counting. */
struct dump {
    struct bytes *bytes;
    unsigned radix;         /* of the offsets; 0 until one tells */
    bool any, repeats;      /* a line was read; a * stands since */
    unsigned char last[64]; /* the line before */
    size_t last_size;
};

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Digits of a group up to the next blank; 0 where it is no group. */
static size_t group_length(const struct line *l, int radix)
{
    size_t n = 0;
    while (l->at + n < l->end && digit_of(l->at[n]) < radix) n++;
    if (l->at + n < l->end && l->at[n] != ' ' && l->at[n] != '\t' && l->at[n] != '\r') return 0;
    return n;
}

static uint64_t value_of(const char *digits, size_t n, unsigned radix)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) v = v * radix + (uint64_t)digit_of(digits[i]);
    return v;
}

static bool are_digits(const char *at, const char *end, int radix)
{
    while (at < end && digit_of(*at) < radix) at++;
    return at == end;
}

static void skip_blanks(struct line *l)
{
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r')) l->at++;
}

/* Digits in memory order: two a byte. */
static bool take_digits(struct bytes *b, struct line *l)
{
    for (skip_blanks(l); l->at < l->end && *l->at != '#'; skip_blanks(l)) {
        const size_t n = group_length(l, 16);
        if (n == 0 || n % 2) return false;
        for (size_t i = 0; i < n; i += 2) bytes_add(b, value_of(l->at + i, 2, 16), 1);
        l->at += n;
    }
    return true;
}

/* xxd: groups of bytes in memory order, two blanks, then the characters. */
static bool take_xxd(struct bytes *b, struct line *l)
{
    while (l->at + 1 < l->end && l->at[0] == ' ' && l->at[1] != ' ') {
        l->at++;
        const size_t n = group_length(l, 16);
        if (n == 0 || n % 2) return false;
        for (size_t i = 0; i < n; i += 2) bytes_add(b, value_of(l->at + i, 2, 16), 1);
        l->at += n;
    }
    return true;
}

/* gdb: words with 0x, as wide as they are written. */
static bool take_gdb(struct bytes *b, struct line *l)
{
    for (skip_blanks(l); l->at < l->end; skip_blanks(l)) {
        if (l->end - l->at < 3 || l->at[0] != '0' || l->at[1] != 'x') return false;
        l->at += 2;
        const size_t n = group_length(l, 16);
        if (n != 2 && n != 4 && n != 8 && n != 16) return false;
        bytes_add(b, value_of(l->at, n, 16), n / 2);
        l->at += n;
    }
    return true;
}

/* hexdump and od: words as the processor reads them, the lowest byte first; |the characters|. od's
 * own choice is octal words of two bytes. */
static bool take_words(struct bytes *b, struct line *l)
{
    for (skip_blanks(l); l->at < l->end && *l->at != '|' && *l->at != '>'; skip_blanks(l)) {
        const size_t n = group_length(l, 16);
        if (n == 6)
            bytes_add(b, value_of(l->at, n, 8), 2);
        else if (n == 2 || n == 4 || n == 8 || n == 16)
            bytes_add(b, value_of(l->at, n, 16), n / 2);
        else
            return false;
        l->at += n;
    }
    return true;
}

/* The length of the offset that begins the line, 0 where none does: six or seven digits, or eight
 * before bytes of two (hexdump -C). Eight digits before words of eight are bare digits. */
static size_t offset_length(const struct line *l)
{
    const size_t n = group_length(l, 16);
    struct line rest = {l->at + n, l->end};

    if (n < 6 || n > 8) return 0;
    skip_blanks(&rest);
    const size_t next = group_length(&rest, 16);
    return n < 8 || next == 2 || rest.at == rest.end ? n : 0;
}

/* The radix of the offsets: the second line's tells, 16 bytes after the first. */
static unsigned radix_of(const struct dump *d, const char *digits, size_t n)
{
    if (d->radix) return d->radix;
    return value_of(digits, n, 8) == d->bytes->count && are_digits(digits, digits + n, 8) ? 8 : 16;
}

/* What a * left out: the line before it, until this line's offset. */
static void repeat(struct dump *d, uint64_t offset)
{
    while (d->repeats && d->last_size && d->bytes->count + d->last_size <= offset &&
           !d->bytes->no_memory)
        for (size_t i = 0; i < d->last_size; i++) bytes_add(d->bytes, d->last[i], 1);
    d->repeats = false;
}

static bool take_with_offset(struct dump *d, struct line *l, size_t n)
{
    enum { LARGEST = 1 << 26 };
    const unsigned radix = d->any ? radix_of(d, l->at, n) : 0;
    const uint64_t offset = d->any ? value_of(l->at, n, radix) : 0;

    if (d->any && !d->repeats && d->bytes->count) d->radix = radix;
    if (offset > LARGEST) return false;
    repeat(d, offset);
    l->at += n;
    return take_words(d->bytes, l);
}

static bool take_line(struct dump *d, struct line *l)
{
    const char *colon = memchr(l->at, ':', (size_t)(l->end - l->at));

    if (l->end - l->at > 2 && l->at[0] == '0' && l->at[1] == 'x') {
        if (colon) l->at = colon + 1;
        return take_gdb(d->bytes, l);
    }
    if (colon && are_digits(l->at, colon, 16)) {
        l->at = colon + 1;
        return take_xxd(d->bytes, l);
    }
    const size_t n = offset_length(l);
    return n ? take_with_offset(d, l, n) : take_digits(d->bytes, l);
}

/* A debugger's or a shell's prompt, with the command whose output follows. */
static bool is_prompt(const struct line *l)
{
    static const char *const prompts[] = {"(gdb)", "(cuda-gdb)", "(lldb)", "$ ", ">>> "};
    for (size_t i = 0; i < sizeof prompts / sizeof prompts[0]; i++) {
        const size_t n = strlen(prompts[i]);
        if ((size_t)(l->end - l->at) >= n && memcmp(l->at, prompts[i], n) == 0) return true;
    }
    return false;
}

static bool read_line(struct dump *d, struct line *l)
{
    skip_blanks(l);
    while (l->end > l->at && strchr(" \t\r", l->end[-1])) l->end--;
    if (l->at == l->end || *l->at == '#' || is_prompt(l)) return true;
    if (l->end - l->at == 1 && *l->at == '*') {
        d->repeats = d->any;
        return d->any;
    }
    const size_t from = d->bytes->count;
    if (!take_line(d, l)) return false;
    d->any = true;
    const size_t size = d->bytes->count - from;
    if (d->bytes->no_memory || size == 0 || size > sizeof d->last) return true;
    d->last_size = size;
    memcpy(d->last, d->bytes->data + from, size);
    return true;
}

bool bytes_of_dump(struct bytes *b, const char *text, size_t size, size_t *line)
{
    struct dump d = {.bytes = b};
    const char *end = text + size;

    for (*line = 1; text < end; ++*line) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        struct line l = {text, stop ? stop : end};
        if (!read_line(&d, &l)) return false;
        text = stop ? stop + 1 : end;
    }
    return true;
}
