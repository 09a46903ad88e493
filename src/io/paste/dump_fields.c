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
    for (int i = 0; i < FIELDS; i++) fields[i] = (struct numbers){.count = -1};
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
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)hex_digit(*p), &value))
            return false;
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

    if (value == at || index != v->count) return;
    v->longer = index >= TMAP_MAX_RANK;
    if (v->longer) return;
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

static bool is_list(enum field field)
{
    return enumeration_of(field) == VALUES_NUMBER && field != ADDRESS && field != MAP_ADDRESS;
}

/* Behind what stands between a name and its value: signs, the rest of a label, a type's name before
 * a bracket ("torch.Size(["), a cast. */
static const char *behind_signs(const char *at, const char *end)
{
    for (const char *before = NULL; before != at;) {
        before = at;
        at = skip(at, end, " :\t|`'\"*/");
        if (end - at > 1 && (*at == '-' || *at == '=') && at[1] == '>')
            at += 2;
        else
            at = skip(at, end, "=");
    }
    return at;
}

static const char *behind_type(const char *at, const char *end)
{
    const char *p = at;
    while (p < end && (io_dump_is_word(*p) || *p == '.' || *p == ':')) p++;
    return p > at && !(*at >= '0' && *at <= '9') && p < end && strchr("([{", *p) ? p : at;
}

/* Behind "ULL", "u64" and the like. */
static const char *behind_suffix(const char *at, const char *end)
{
    const char *p = at;
    while (p < end && strchr("uUlLi", *p) && *p) p++;
    if (p > at && end - p >= 2 && (!memcmp(p, "64", 2) || !memcmp(p, "32", 2))) p += 2;
    return p < end && io_dump_is_word(*p) ? at : p;
}

/* Behind a separator of a list's numbers, "x" among them, which a number follows; at itself for
 * none. Without brackets a comma may be another field's. */
static const char *behind_separator(const char *at, const char *end, bool closes)
{
    const char *p = skip(at, end, " ");
    const bool sign = p < end && (*p == ',' || *p == ';' || *p == 'x' || *p == 'X');
    const char *next = sign ? skip(p + 1, end, " ") : p;
    int64_t number;
    const char *q = next;

    if (p < end && *p == '*') return at;
    if (next == at || q == end || !io_dump_number(&q, end, &number))
        return closes && sign ? next : at;
    return next;
}

/* Whether a list can end here: what is worked out ("64 * 2", "1.5") cannot be read. */
static bool may_end(const char *at, const char *end)
{
    if (at < end && *at == ',') at++; /* "256,(": lines that two processes wrote */
    if (at < end && (*at == '(' || *at == '[' || *at == '{')) return false;
    at = skip(at, end, " ");
    if (at == end || !*at || !strchr("*/+-%<.^", *at)) return true;
    if (*at == '.') return end - at < 2 || at[1] < '0' || at[1] > '9';
    return (*at == '/' && end - at > 1 && strchr("/*", at[1])) ||
           (*at == '<' && at + 1 < end && at[1] != '<') ||
           (*at == '-' && end - at > 1 && strchr(">-", at[1]));
}

/* "9 (NAME)", "(1,2,3)", "[1, 2]", "1 x 2" or "1 2 3" at `at`, perhaps behind "[3] =", or the
 * list's address; a list that does not close counts as nothing. */
static void read_values(enum field field, const char *at, const char *end, struct numbers *out)
{
    static const char opening[] = "([{", closings[] = ")]}";
    const bool list = is_list(field);
    struct numbers v = {.count = 0};
    const char *bracket;
    char closing = 0;
    int64_t ignored;

    at = behind_signs(at, end);
    at = behind_index(at, end, &ignored);
    at = behind_type(at, end);
    for (; at < end && *at && (bracket = strchr(opening, *at)); at++)
        closing = closings[bracket - opening];
    at = skip(at, end, " ");
    for (int64_t number; io_dump_number(&at, end, &number);) {
        v.longer = v.count == TMAP_MAX_RANK;
        if (!v.longer) v.number[v.count++] = number;
        at = behind_suffix(at, end);
        const char *next = list || closing ? behind_separator(at, end, closing) : at;
        if (next == at) {
            if (closing || v.count != 1 || !list) break;
            next = skip(at, end, " ");
            if (next == end || (*next != '[' && *next != '{')) break;
            closing = *next++ == '[' ? ']' : '}';
            v.count = 0;
        }
        at = next;
    }
    if (closing) at = skip(at, end, " ");
    if (field == DTYPE && v.count > 0 && at < end && (io_dump_is_word(*at) || *at == '-'))
        return; /* "16-bit" is none of the call's types */
    if (list && v.count == 1 && v.number[0] >> 44 > 0) return; /* where the list lies */
    if (closing ? at == end || *at != closing : list && !may_end(at, end)) return;
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

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Behind `name` at p, written in any case, its words joined by "_", "-", " " or nothing, perhaps in
 * the plural; NULL where it does not stand there. */
static const char *behind_name(const char *p, const char *end, const char *name)
{
    for (; *name; name++) {
        if (*name == '_') {
            if (p < end && (*p == '_' || *p == ' ' || *p == '-')) p++;
        } else if (p < end && lower(*p) == *name) {
            p++;
        } else {
            return NULL;
        }
    }
    if (p < end && lower(*p) == 's') p++;
    return p < end && io_dump_is_word(*p) && *p != '_' ? NULL : p;
}

/* Behind a digit that is a list's index ("dim0", "box_dim_1"); at itself for none. */
static const char *behind_digit(const char *p, const char *end, int *index)
{
    const char *q = p + (p < end && *p == '_');
    *index = -1;
    if (q == end || *q < '0' || *q > '9' || (q + 1 < end && io_dump_is_word(q[1]))) return p;
    *index = *q - '0';
    return q + 1;
}

/* The longest name of a listing that stands at p, and behind it. */
static const char *listed_name(const char *p, const char *end, enum field *field, int *index)
{
    static const struct {
        const char *name;
        enum field field;
    } list[] = {
#define LISTED(name, field) {name, field},
#include "io/paste/listed_names.def"
#undef LISTED
    };
    const char *best = NULL;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        int which;
        const size_t n = strlen(list[i].name);
        const char *q = behind_name(p, end, list[i].name);
        if (!q && (size_t)(end - p) > n) { /* "dim0" */
            const char *stem = p + n;
            bool same = true;
            for (size_t k = 0; k < n && same; k++) same = lower(p[k]) == list[i].name[k];
            q = same && behind_digit(stem, end, &which) != stem ? stem : NULL;
        }
        if (!q || (best && q <= best)) continue;
        const char *behind = behind_digit(q, end, &which);
        if (behind == q && q < end && io_dump_is_word(*q)) continue;
        best = behind;
        *field = list[i].field;
        *index = which;
    }
    return best;
}

/* "dim0 = 64": an entry of a list. */
static void read_entry(const char *at, const char *end, int index, struct numbers *v)
{
    int64_t number;

    at = behind_signs(at, end);
    if (index != (v->count < 0 ? 0 : v->count) || !io_dump_number(&at, end, &number)) return;
    at = behind_suffix(at, end);
    if (!may_end(at, end)) return;
    v->longer = index >= TMAP_MAX_RANK;
    if (v->longer) return;
    if (v->count < 0) v->count = 0;
    v->number[v->count++] = number;
}

static void listing_line(const char *line, const char *end, struct numbers fields[FIELDS])
{
    for (const char *p = line; p < end; p++) {
        enum field field = FIELDS;
        int index = -1;
        if (p > line && io_dump_is_word(p[-1]) && p[-1] != '_') continue;
        if (p > line && p[-1] == '_' && !io_dump_is_word(*p)) continue;
        const char *behind = io_dump_is_word(*p) ? listed_name(p, end, &field, &index) : NULL;
        if (!behind) continue;
        struct numbers *v = &fields[field];
        if (index >= 0 && is_list(field))
            read_entry(behind, end, index, v);
        else if (v->count < 0)
            read_values(field, behind, end, v);
        else
            read_next(behind, end, v);
        p = behind - 1;
    }
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
    if (from == IO_DUMP_LISTING) listing_line(line, end, fields);
}
