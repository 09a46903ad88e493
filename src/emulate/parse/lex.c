// From characters to tokens; the parser's table of names.
#include "emulate/parse/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_fail(struct parser *p, const char *format, ...)
{
    if (p->status != TMAP_OK) return false;
    p->status = TMAP_E_ARGUMENT;
    if (!p->error) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, args);
    va_end(args);
    p->error->line = p->token.line;
    return false;
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct parser *p)
{
    while (p->p < p->end) {
        if (*p->p == '\n')
            p->line++, p->p++;
        else if (*p->p == ' ' || *p->p == '\t' || *p->p == '\r' || *p->p == '\0')
            p->p++;
        else if (p->end - p->p > 1 && p->p[0] == '/' && p->p[1] == '/')
            while (p->p < p->end && *p->p != '\n') p->p++;
        else if (p->end - p->p > 1 && p->p[0] == '/' && p->p[1] == '*') {
            for (p->p += 2; p->end - p->p > 1 && !(p->p[0] == '*' && p->p[1] == '/'); p->p++)
                if (*p->p == '\n') p->line++;
            p->p = p->end - p->p > 1 ? p->p + 2 : p->end;
        } else {
            return;
        }
    }
}

// A word has dots inside, and "::" (but no single colon: that ends a label).
static void word(struct parser *p)
{
    p->token.kind = LEX_WORD;
    while (p->p < p->end) {
        if (letter(*p->p) || digit(*p->p) || *p->p == '.')
            p->p++;
        else if (p->end - p->p > 1 && p->p[0] == ':' && p->p[1] == ':')
            p->p += 2;
        else
            break;
    }
}

static int hex(char c)
{
    if (digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

static void digits(struct parser *p, int base)
{
    uint64_t v = 0;
    while (p->p < p->end && hex(*p->p) < base) v = v * (uint64_t)base + (uint64_t)hex(*p->p++);
    if (p->p < p->end && *p->p == 'U') p->p++;
    p->token.value = v;
}

// 12, 0x1f, 0b101, 017, 0f3F800000, 0d3FF0000000000000, 1.5 (a double)
static void number(struct parser *p)
{
    const char c = p->end - p->p > 1 && p->p[0] == '0' ? p->p[1] : 0;
    p->token.kind = LEX_INT;
    if (c == 'x' || c == 'X')
        p->p += 2, digits(p, 16);
    else if (c == 'b' || c == 'B')
        p->p += 2, digits(p, 2);
    else if (c == 'f' || c == 'F')
        p->p += 2, digits(p, 16), p->token.kind = LEX_F32;
    else if (c == 'd' || c == 'D')
        p->p += 2, digits(p, 16), p->token.kind = LEX_F64;
    else
        digits(p, digit(c) ? 8 : 10);
    if (p->p < p->end && *p->p == '.' && p->token.kind == LEX_INT) {
        char text[64];
        const char *start = p->token.at;
        while (p->p < p->end && (digit(*p->p) || letter(*p->p) || *p->p == '.')) p->p++;
        const size_t n = (size_t)(p->p - start) < sizeof text ? (size_t)(p->p - start) : 63;
        memcpy(text, start, n);
        text[n] = 0;
        const double v = strtod(text, NULL);
        memcpy(&p->token.value, &v, 8);
        p->token.kind = LEX_F64;
    }
}

static void string(struct parser *p)
{
    p->token.kind = LEX_STRING;
    p->token.at = ++p->p;
    while (p->p < p->end && *p->p != '"' && *p->p != '\n') p->p++;
    p->token.length = (uint32_t)(p->p - p->token.at);
    if (p->p < p->end) p->p++;
}

void lex_next(struct parser *p)
{
    skip_blanks(p);
    p->token = (struct lex_token){.kind = LEX_END, .at = p->p, .line = p->line};
    if (p->p >= p->end) return;
    const char c = *p->p;
    if (c == '"') {
        string(p);
        return;
    }
    if (letter(c) || (c == '.' && p->end - p->p > 1 && letter(p->p[1]))) {
        p->p++;
        word(p);
    } else if (digit(c)) {
        number(p);
    } else {
        p->token.kind = LEX_MARK;
        p->token.value = (uint8_t)c;
        p->p++;
    }
    p->token.length = (uint32_t)(p->p - p->token.at);
}

bool lex_is(const struct parser *p, char mark)
{
    return p->token.kind == LEX_MARK && p->token.value == (uint8_t)mark;
}

bool lex_word(const struct parser *p, const char *text)
{
    return p->token.kind == LEX_WORD && p->token.length == strlen(text) &&
           memcmp(p->token.at, text, p->token.length) == 0;
}

bool lex_take(struct parser *p, char mark)
{
    if (!lex_is(p, mark)) return false;
    lex_next(p);
    return true;
}

bool lex_expect(struct parser *p, char mark)
{
    if (lex_take(p, mark)) return true;
    return parse_fail(p, "'%c' expected, found '%.*s'", mark,
                      p->token.length > 40 ? 40 : (int)p->token.length, p->token.at);
}

const char *lex_copy(struct parser *p)
{
    char *copy = emu_alloc(&p->module->arena, (size_t)p->token.length + 1);
    if (!copy) {
        p->status = TMAP_E_MEMORY;
        return NULL;
    }
    memcpy(copy, p->token.at, p->token.length);
    return copy;
}

static uint32_t bucket_of(const char *name, uint32_t length)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < length; i++) h = (h ^ (uint8_t)name[i]) * 16777619u;
    return h % SYMBOL_BUCKETS;
}

static struct symbol *find(struct parser *p, const char *name, uint32_t length, bool range)
{
    for (struct symbol *s = p->bucket[bucket_of(name, length)]; s; s = s->older)
        if ((s->kind == SYMBOL_RANGE) == range && s->length == length &&
            memcmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

// %r12 is an own name, or number 12 of the range %r<n>; an inner name hides an outer one.
struct symbol *symbol_find(struct parser *p, const char *name, uint32_t length)
{
    struct symbol *own = find(p, name, length, false);
    uint32_t stem = length;
    while (stem > 1 && digit(name[stem - 1])) stem--;
    if (own || stem == length || length - stem > 6) return own;
    return find(p, name, stem, true);
}

struct symbol *symbol_add(struct parser *p, const char *name)
{
    struct symbol *s = emu_alloc(&p->module->arena, sizeof *s);
    if (!s) {
        p->status = TMAP_E_MEMORY;
        return NULL;
    }
    s->name = name;
    s->length = (uint32_t)strlen(name);
    s->depth = p->depth;
    struct symbol **bucket = &p->bucket[bucket_of(name, s->length)];
    s->older = *bucket;
    *bucket = s;
    s->before = p->newest;
    p->newest = s;
    return s;
}

void symbol_leave(struct parser *p, uint32_t depth)
{
    while (p->newest && p->newest->depth > depth) {
        struct symbol *s = p->newest;
        p->bucket[bucket_of(s->name, s->length)] = s->older;
        p->newest = s->before;
    }
}
