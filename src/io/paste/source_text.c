/* source_text.c : see source_text.h. */
#include "io/paste/source_text.h"

#include "io/paste/dump_fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME = IO_SOURCE_NAME };

bool io_source_word(const char **at, const char *end, char name[NAME])
{
    const char *p = *at;
    size_t n = 0;

    while (p < end && isspace((unsigned char)*p)) p++;
    if (p == end || isdigit((unsigned char)*p) || !io_dump_is_word(*p)) return false;
    for (; p < end && io_dump_is_word(*p); p++)
        if (n + 1 < NAME) name[n++] = *p;
    name[n] = 0;
    *at = p;
    if (end - p <= 2 || p[0] != ':' || p[1] != ':') return true;
    *at += 2;
    return io_source_word(at, end, name);
}

bool io_source_declares(const struct io_source *s, const char *at)
{
    const char *p = at;

    while (p > s->text && isspace((unsigned char)p[-1])) p--;
    return p > s->text && (io_dump_is_word(p[-1]) || strchr(",*&>", p[-1]));
}

bool io_source_is_any(char c, const char *of)
{
    return c && strchr(of, c);
}

const char *io_source_around(const struct io_source *s, const char *at)
{
    int depth = 0;
    for (const char *p = at; p-- > s->text;) {
        depth += io_source_is_any(*p, ")]}");
        if (io_source_is_any(*p, "([{") && depth-- == 0) return p;
        if (*p == ';' && depth == 0 && !s->python) return NULL;
    }
    return NULL;
}

const char *io_source_piece(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        depth += io_source_is_any(*at, "([{");
        if (io_source_is_any(*at, ")]}") && depth-- == 0) return at;
        if (depth == 0 && (*at == ',' || *at == ';')) return at;
    }
    return end;
}

const char *io_source_behind(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        depth += io_source_is_any(*at, "([{");
        if (io_source_is_any(*at, ")]}") && --depth == 0) return at + 1;
    }
    return NULL;
}

bool io_source_is_call(const char *at, const char *end)
{
    const char *dot = NULL;

    for (; at < end && (io_dump_is_word(*at) || *at == '.'); at++) dot = *at == '.' ? at : dot;
    return dot && at < end && *at == '(';
}

/* Python: "import a.b as name", a module, which is no value; "from a import N" may be one. */
static bool is_imported(const struct io_source *s, const char *name)
{
    for (const char *p = s->text; s->python && (p = io_dump_word(p, s->end, "import")); p++) {
        const char *end = memchr(p, '\n', (size_t)(s->end - p));
        const bool whole = p == s->text || p[-1] == '\n';
        if (whole && io_dump_word(p, end ? end : s->end, name)) return true;
    }
    return false;
}

void io_source_miss(struct io_source *s, const char *name)
{
    const size_t used = strlen(s->missing);
    if (is_imported(s, name) || io_dump_word(s->missing, s->missing + used, name) ||
        used + strlen(name) + 3 > sizeof s->missing)
        return;
    snprintf(s->missing + used, sizeof s->missing - used, "%s%s", used ? ", " : "", name);
}

bool io_source_is_spent(const struct io_source *s, int before)
{
    return s->looks < 0 && s->looks < before;
}

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
             {"cuuint64_t", 8},    {"size_t", 8},        {"fp16", 2},         {"tfloat32_t", 4},
             {"c_uint64", 8},      {"c_uint32", 4},      {"u64", 8},          {"u32", 4},
             {"usize", 8},         {"f32", 4},           {"f16", 2},          {"index_t", 4}};

int io_source_bytes(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) return types[i].bytes;
    return 0;
}

/* "typedef half T;": name, T, becomes half. False where two of them differ. */
static bool defined(const struct io_source *s, char name[NAME])
{
    char type[NAME], alias[NAME], found[NAME] = "";
    const char *at = s->text;

    while ((at = io_dump_word(at, s->end, "typedef"))) {
        const char *p = at += sizeof "typedef" - 1;
        if (!io_source_word(&p, s->end, type) || !io_source_word(&p, s->end, alias)) continue;
        if (strcmp(alias, name) != 0) continue;
        if (found[0] && strcmp(found, type) != 0) return false;
        memcpy(found, type, sizeof found);
    }
    if (found[0]) memcpy(name, found, sizeof found);
    return true;
}

/* "using T = half;" */
static bool used(const struct io_source *s, char name[NAME])
{
    char text[NAME + 8];

    snprintf(text, sizeof text, "using %s", name);
    const char *p = io_dump_word(s->text, s->end, text);
    if (!p) return true;
    for (p += strlen(text); p < s->end && isspace((unsigned char)*p);) p++;
    return p < s->end && *p++ == '=' && io_source_word(&p, s->end, name);
}

bool io_source_type(const struct io_source *s, char name[NAME])
{
    return used(s, name) && defined(s, name);
}
