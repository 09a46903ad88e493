/* outside.c : see outside.h. Codes: Unicode 15, general categories Cc, Zl and Zp, and the property
 * Bidi_Control; the marks U+FEFF and U+FFF9 to U+FFFB show as nothing as well. */
#include "io/report/outside.h"

#include <string.h>

static bool in(uint32_t code, uint32_t first, uint32_t last)
{
    return code >= first && code <= last;
}

static bool is_harmless(uint32_t code)
{
    return !(code < 0x20 || in(code, 0x7f, 0x9f) || code == 0x61c || in(code, 0x200e, 0x200f) ||
             in(code, 0x2028, 0x202e) || in(code, 0x2066, 0x2069) || code == 0xfeff ||
             in(code, 0xfff9, 0xfffb));
}

/* Bytes of a character by its first one; 0 where none begins so. */
static size_t length_of(unsigned char first)
{
    return first < 0x80            ? 1
           : in(first, 0xc2, 0xdf) ? 2
           : in(first, 0xe0, 0xef) ? 3
           : in(first, 0xf0, 0xf4) ? 4
                                   : 0;
}

size_t io_next_char(const char *text, size_t length, uint32_t *code, bool *harmless)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)text[0];
    const size_t n = length_of(first);
    uint32_t value = n == 1 ? first : first & (0x7fu >> n);

    *code = first;
    *harmless = false;
    if (n == 0 || n > length) return 1;
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 1;
        value = value << 6 | ((unsigned char)text[i] & 0x3f);
    }
    if (value < least[n] || in(value, 0xd800, 0xdfff) || value > 0x10ffff) return 1;
    *code = value;
    *harmless = is_harmless(value);
    return n;
}

/* Of a character of n bytes: the byte itself where it begins none. */
static void put_escape(FILE *out, size_t n, uint32_t code)
{
    fprintf(out, n == 1 && code >= 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
}

void io_put(FILE *out, const char *text)
{
    const char *from = text; /* what is harmless goes out in one piece */
    uint32_t code;
    bool harmless;

    for (size_t n, left = strlen(text); left > 0; text += n, left -= n) {
        n = io_next_char(text, left, &code, &harmless);
        if (harmless) continue;
        fwrite(from, 1, (size_t)(text - from), out);
        put_escape(out, n, code);
        from = text + n;
    }
    fwrite(from, 1, (size_t)(text - from), out);
}

void io_put_columns(FILE *out, const char *text, size_t length)
{
    uint32_t code;
    bool harmless;

    for (size_t n; length > 0; text += n, length -= n) {
        n = io_next_char(text, length, &code, &harmless);
        if (harmless)
            fwrite(text, 1, n, out);
        else
            fputc(code == '\t' ? ' ' : '?', out);
    }
}

static const char *entity_of(uint32_t code)
{
    return code == '&'   ? "&amp;"
           : code == '<' ? "&lt;"
           : code == '>' ? "&gt;"
           : code == '"' ? "&quot;"
                         : NULL;
}

void io_put_markup(FILE *out, const char *text, size_t length)
{
    uint32_t code;
    bool harmless;

    for (size_t n; length > 0; text += n, length -= n) {
        n = io_next_char(text, length, &code, &harmless);
        const char *entity = entity_of(code);
        if (entity)
            fputs(entity, out);
        else if (harmless)
            fwrite(text, 1, n, out);
        else if (code == '\t')
            fputc(' ', out);
        else
            put_escape(out, n, code);
    }
}

void io_put_markup_text(FILE *out, const char *text)
{
    io_put_markup(out, text, strlen(text));
}
