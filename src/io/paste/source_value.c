/* source_value.c : see source_value.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/source_value.h"

#include "io/paste/dump_fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DEEP = 12, NAME = 64 };

/* An expression as it is read. */
struct reader {
    struct io_source *source;
    const char *at, *end;
    enum values which;
    int depth; /* of names inside names */
};

static bool expression(struct reader *r, int64_t *out);
static bool look_up(struct reader *r, const char *name, int64_t *out);

static void space(struct reader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at)) r->at++;
}

static bool take_text(struct reader *r, const char *text)
{
    const size_t n = strlen(text);
    space(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0) return false;
    r->at += n;
    return true;
}

/* A name; of a qualified one ("a::b") the last part. */
static bool take_name(struct reader *r, char name[NAME])
{
    size_t n = 0;

    space(r);
    if (r->at == r->end || isdigit((unsigned char)*r->at) || !io_dump_is_word(*r->at)) return false;
    for (; r->at < r->end && io_dump_is_word(*r->at); r->at++)
        if (n + 1 < NAME) name[n++] = *r->at;
    name[n] = 0;
    return r->end - r->at > 2 && r->at[0] == ':' && r->at[1] == ':'
               ? (r->at += 2, take_name(r, name))
               : true;
}

/* Behind the bracket that closes the one at `at`; NULL where none does. */
static const char *behind(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        if (strchr("([{", *at) && *at) depth++;
        if (strchr(")]}", *at) && *at && --depth == 0) return at + 1;
    }
    return NULL;
}

const char *io_source_piece(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        if (*at && strchr("([{", *at)) depth++;
        if (*at && strchr(")]}", *at) && depth-- == 0) return at;
        if (depth == 0 && (*at == ',' || *at == ';')) return at;
    }
    return end;
}

/* --- types -------------------------------------------------------------------------------------*/

static const struct {
    const char *name;
    int bytes;
} types[] = {{"char", 1},          {"uint8_t", 1},       {"int8_t", 1},       {"bool", 1},
             {"__nv_fp8_e4m3", 1}, {"__nv_fp8_e5m2", 1}, {"float_e4m3_t", 1}, {"float_e5m2_t", 1},
             {"fp8e4m3", 1},       {"half", 2},          {"__half", 2},       {"half_t", 2},
             {"__nv_bfloat16", 2}, {"nv_bfloat16", 2},   {"bfloat16_t", 2},   {"bf16", 2},
             {"uint16_t", 2},      {"int16_t", 2},       {"short", 2},        {"float", 4},
             {"int", 4},           {"unsigned", 4},      {"uint32_t", 4},     {"int32_t", 4},
             {"cuuint32_t", 4},    {"double", 8},        {"uint64_t", 8},     {"int64_t", 8},
             {"cuuint64_t", 8},    {"size_t", 8},        {"fp16", 2},         {"tfloat32_t", 4}};

static int bytes_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) return types[i].bytes;
    return 0;
}

/* sizeof(T), where T may be set by "using T = half;" or "typedef half T;". */
static bool size_of(struct reader *r, int64_t *out)
{
    char name[NAME], text[NAME + 16];
    const char *using;

    if (!take_text(r, "(") || !take_name(r, name) || !take_text(r, ")")) return false;
    snprintf(text, sizeof text, "using %s", name);
    using = io_dump_word(r->source->text, r->source->end, text);
    if (using) {
        struct reader type = {.at = using + strlen(text), .end = r->source->end};
        if (!take_text(&type, "=") || !take_name(&type, name)) return false;
    }
    return (*out = bytes_of(name)) > 0;
}

/* Whether "(" begins a cast: names and stars up to ")", and an operand behind it. */
static bool skip_cast(struct reader *r)
{
    const char *p = r->at, *close;

    if (p == r->end || *p != '(' || !(close = behind(p, r->end))) return false;
    for (p++; p < close - 1; p++)
        if (!io_dump_is_word(*p) && !isspace((unsigned char)*p) && *p != '*' && *p != ':')
            return false;
    if (isdigit((unsigned char)r->at[1])) return false;
    p = close;
    while (p < r->end && isspace((unsigned char)*p)) p++;
    if (p == r->end || !(io_dump_is_word(*p) || *p == '(')) return false;
    r->at = close;
    return true;
}

/* --- expressions -------------------------------------------------------------------------------*/

static bool literal(struct reader *r, int64_t *out)
{
    if (!io_dump_number(&r->at, r->end, out)) return false;
    while (r->at < r->end && strchr("uUlLzZ", *r->at) && *r->at) r->at++;
    return r->at == r->end || !(io_dump_is_word(*r->at) || *r->at == '.');
}

static bool bracketed(struct reader *r, int64_t *out)
{
    return take_text(r, "(") && expression(r, out) && take_text(r, ")");
}

/* A named value: sizeof, a cast by its name, an enumeration's or somebody's own. */
static bool named(struct reader *r, int64_t *out)
{
    char name[NAME];
    int32_t value;

    if (!take_name(r, name)) return false;
    if (strcmp(name, "sizeof") == 0) return size_of(r, out);
    if (strstr(name, "_cast") && take_text(r, "<")) {
        while (r->at < r->end && *r->at != '>') r->at++;
        return take_text(r, ">") && bracketed(r, out);
    }
    space(r);
    if (bytes_of(name) && r->at < r->end && *r->at == '(') return bracketed(r, out);
    if (bytes_of(name) && take_text(r, "{")) return expression(r, out) && take_text(r, "}");
    if (values_are_named(r->which) && value_find(r->which, name, &value)) {
        *out = value;
        return true;
    }
    if (r->at < r->end && strchr("([.", *r->at)) return false; /* a call, an entry, a member */
    return look_up(r, name, out);
}

static bool operand(struct reader *r, int64_t *out)
{
    space(r);
    while (skip_cast(r)) space(r);
    if (r->at == r->end) return false;
    if (*r->at == '(') return bracketed(r, out);
    if (isdigit((unsigned char)*r->at) || *r->at == '-') return literal(r, out);
    return named(r, out);
}

static bool product(struct reader *r, int64_t *out)
{
    int64_t right;
    if (!operand(r, out)) return false;
    for (;;) {
        const bool times = take_text(r, "*"), over = !times && take_text(r, "/");
        if (!times && !over) return true;
        if (!operand(r, &right) || (over && right == 0)) return false;
        if (over)
            *out /= right;
        else if (__builtin_mul_overflow(*out, right, out))
            return false;
    }
}

static bool sum(struct reader *r, int64_t *out)
{
    int64_t right;
    if (!product(r, out)) return false;
    for (;;) {
        const bool plus = take_text(r, "+"), minus = !plus && take_text(r, "-");
        if (!plus && !minus) return true;
        if (!product(r, &right)) return false;
        if (plus ? __builtin_add_overflow(*out, right, out)
                 : __builtin_sub_overflow(*out, right, out))
            return false;
    }
}

static bool expression(struct reader *r, int64_t *out)
{
    int64_t right;
    if (!sum(r, out)) return false;
    while (take_text(r, "<<")) {
        if (!sum(r, &right) || right < 0 || right > 62 || *out < 0 || *out > INT64_MAX >> right)
            return false;
        *out <<= right;
    }
    return true;
}

/* An expression and nothing behind it. */
static bool whole(struct reader *r, int64_t *out)
{
    if (!expression(r, out)) return false;
    space(r);
    return r->at == r->end;
}

/* --- names -------------------------------------------------------------------------------------*/

static void miss(struct io_source *s, const char *name)
{
    const size_t used = strlen(s->missing);
    if (io_dump_word(s->missing, s->missing + used, name) ||
        used + strlen(name) + 3 > sizeof s->missing)
        return;
    snprintf(s->missing + used, sizeof s->missing - used, "%s%s", used ? ", " : "", name);
}

/* What the name at `at` is set to there: behind "=", "{" or "#define NAME"; false where it is not.
 */
static bool setting(const struct io_source *s, const char *at, size_t length, const char **from,
                    const char **to)
{
    const char *p = at + length, *line = at;

    while (line > s->text && at - line < NAME && line[-1] != '\n') line--;
    while (p < s->end && (*p == ' ' || *p == '\t')) p++;
    if (p == s->end) return false;
    const char *define = io_dump_word(line, at, "define");
    if (define && strspn(define + 6, " \t") == (size_t)(at - define - 6)) {
        const char *stop = memchr(p, '\n', (size_t)(s->end - p));
        *from = p;
        *to = stop ? stop : s->end;
        return *from < *to && at[length] != '(';
    }
    while (p < s->end && *p == '[') { /* an array's size */
        const char *close = behind(p, s->end);
        if (!close) return false;
        for (p = close; p < s->end && isspace((unsigned char)*p);) p++;
    }
    const bool brace = p < s->end && *p == '{' && at > s->text && (at[-1] == ' ' || at[-1] == '>');
    if (!brace && (s->end - p < 2 || *p != '=' || p[1] == '=')) return false;
    *from = brace ? p : p + 1;
    *to = io_source_piece(*from, s->end);
    return true;
}

/* Another setting of the name, from *at on. */
static bool next_setting(const struct io_source *s, const char *name, const char **at,
                         const char **from, const char **to)
{
    const size_t length = strlen(name);
    while ((*at = io_dump_word(*at, s->end, name))) {
        const char *here = *at;
        *at += length;
        if (here > s->text && (here[-1] == '.' || here[-1] == '>') && here[-1] != ' ') continue;
        if (setting(s, here, length, from, to)) return true;
    }
    return false;
}

static bool look_up(struct reader *r, const char *name, int64_t *out)
{
    struct io_source *s = r->source;
    const char *at = s->text, *from, *to;
    int64_t value;
    bool found = false;

    while (r->depth < DEEP && s->looks-- > 0 && next_setting(s, name, &at, &from, &to)) {
        while (from < to && isspace((unsigned char)*from)) from++;
        if (from < to && *from == '{') from++, to -= to > from && to[-1] == '}';
        struct reader inner = {s, from, to, r->which, r->depth + 1};
        if (!whole(&inner, &value) || (found && value != *out)) return miss(s, name), false;
        *out = value;
        found = true;
    }
    if (!found) miss(s, name);
    return found;
}

bool io_source_value(struct io_source *s, const char *at, const char *end, enum values which,
                     int64_t *out)
{
    struct reader r = {s, at, end, which, 0};
    return whole(&r, out);
}

/* --- arrays ------------------------------------------------------------------------------------*/

/* "{1, 2}" from behind its brace. */
static bool entries(struct io_source *s, const char *at, const char *end, int64_t *out, int cap,
                    int *count)
{
    for (*count = 0;; at++) {
        const char *stop = io_source_piece(at, end);
        while (at < stop && isspace((unsigned char)*at)) at++;
        if (at == stop) return stop < end && *stop == '}'; /* {} or a comma at the end */
        if (*count == cap || !io_source_value(s, at, stop, VALUES_NUMBER, &out[*count]))
            return false;
        ++*count;
        at = stop;
        if (at < end && *at == '}') return true;
        if (at == end || *at != ',') return false;
    }
}

bool io_source_list(struct io_source *s, const char *at, const char *end, int64_t *out, int cap,
                    int *count)
{
    struct reader r = {s, at, end, VALUES_NUMBER, 0};
    const char *place = s->text, *from, *to;
    char name[NAME];
    int64_t skipped = 0;
    int found = 0;

    space(&r);
    while (skip_cast(&r)) space(&r);
    take_text(&r, "&");
    if (!take_name(&r, name)) return false;
    if (take_text(&r, "+") && !expression(&r, &skipped)) return false;
    if (take_text(&r, "[0]") || take_text(&r, ".data()")) space(&r);
    space(&r);
    if (r.at < r.end) return false;
    for (int n; s->looks-- > 0 && next_setting(s, name, &place, &from, &to); found++) {
        while (from < to && *from != '{') from++;
        while (from + 1 < to && from[0] == '{' && from[1] == '{') from++; /* std::array's */
        if (from == to || found > 0 || !entries(s, from + 1, to, out, cap, &n))
            return miss(s, name), false;
        *count = n;
    }
    if (!found) return miss(s, name), false;
    if (skipped < 0 || skipped > *count) return false;
    *count -= (int)skipped;
    memmove(out, out + skipped, (size_t)*count * sizeof *out);
    return true;
}
