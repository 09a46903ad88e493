/* source_value.c : see source_value.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/source_value.h"

#include "io/paste/dump_fields.h"
#include "io/paste/param.h"
#include "io/paste/source_width.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DEEP = 12, NAME = IO_SOURCE_NAME };

/* An expression as it is read. */
struct reader {
    struct io_source *source;
    const char *at, *end;
    enum values which;
    int depth; /* of names inside names */
    bool wide; /* an operand has 64 bits, or may have: in C others wrap */
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

static bool take_name(struct reader *r, char name[NAME])
{
    return io_source_word(&r->at, r->end, name);
}

/* sizeof(T) */
static bool size_of(struct reader *r, int64_t *out)
{
    char name[NAME];

    if (!take_text(r, "(") || !take_name(r, name) || !take_text(r, ")")) return false;
    if (!io_source_type(r->source, name)) return false;
    r->wide = true;
    return (*out = io_source_bytes(name)) > 0;
}

/* --- expressions -------------------------------------------------------------------------------*/

/* "010" is 8 in C, 10 in Rust and nothing in Python. */
static bool literal(struct reader *r, int64_t *out)
{
    const char *start = r->at;
    if (r->end - start > 1 && *start == '0' && isdigit((unsigned char)start[1])) return false;
    if (!io_dump_number(&r->at, r->end, out)) return false;
    r->wide |= *out > INT32_MAX;
    for (; r->at < r->end && strchr("uUlLzZi", *r->at) && *r->at; r->at++)
        r->wide |= !strchr("uU", *r->at);
    if (strchr("ui", r->at[-1])) /* Rust's "64u32" */
        while (r->at < r->end && isdigit((unsigned char)*r->at)) r->at++;
    return r->at == r->end || !(io_dump_is_word(*r->at) || *r->at == '.');
}

static bool bracketed(struct reader *r, int64_t *out)
{
    return take_text(r, "(") && expression(r, out) && take_text(r, ")");
}

/* An enumeration's name as bindings spell it: "k32B", "SWIZZLE_128B", "NanRequestZeroFma". */
static bool find_value(enum values which, const char *name, int32_t *out)
{
    static const char *const heads[] = {
        "k",   "s",          "SWIZZLE_",  "INTERLEAVE_",    "L2_PROMOTION_",
        "L2_", "DATA_TYPE_", "OOB_FILL_", "FLOAT_OOB_FILL_"};

    if (value_find(which, name, out)) return true;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const size_t n = strlen(heads[i]);
        if (strncmp(name, heads[i], n) == 0 && value_find(which, name + n, out)) return true;
    }
    return which == VALUES_OOB && strcmp(name, "kZeros") == 0 && (*out = 0, true);
}

/* pow(2, 40) */
static bool power(int64_t base, int64_t exponent, int64_t *out)
{
    if (exponent < 0 || exponent > 64) return false;
    for (*out = 1; exponent > 0; exponent--)
        if (__builtin_mul_overflow(*out, base, out)) return false;
    return true;
}

static bool pow_of(struct reader *r, int64_t *out)
{
    int64_t base, exponent;
    return take_text(r, "(") && expression(r, &base) && take_text(r, ",") &&
           expression(r, &exponent) && take_text(r, ")") && power(base, exponent, out);
}

/* "x.shape[0]", "x.size(0)", "x.element_size()" of a tensor, behind its name. */
static bool attribute_of(struct reader *r, const char *name, int64_t *out)
{
    char attribute[NAME];
    int64_t index;
    bool bracket;

    r->at++; /* "." */
    r->wide = true;
    if (!take_name(r, attribute) || !r->source->attribute) return false;
    if (strcmp(attribute, "dtype") == 0 && (!take_text(r, ".") || !take_name(r, attribute)))
        return false;
    if (strcmp(attribute, "element_size") == 0 && !(take_text(r, "(") && take_text(r, ")")))
        return false;
    if (strcmp(attribute, "element_size") == 0 || strcmp(attribute, "itemsize") == 0)
        return r->source->attribute(r->source, name, "itemsize", 0, out);
    bracket = take_text(r, "[");
    if (!bracket && !take_text(r, "(")) return false;
    if (take_text(r, ")"))
        return take_text(r, "[") && expression(r, &index) && take_text(r, "]") &&
               r->source->attribute(r->source, name, attribute, (int)index, out);
    return expression(r, &index) && take_text(r, bracket ? "]" : ")") && index >= -8 && index < 8 &&
           r->source->attribute(r->source, name, attribute, (int)index, out);
}

/* Behind the dots of "driver.cuuint64_t" where that is a type or an enumeration's value. */
static void last_part(struct reader *r, char name[NAME])
{
    struct reader further = *r;
    char last[NAME];
    int32_t value;
    bool dotted = false;

    strcpy(last, name);
    while (further.at < further.end && *further.at == '.') {
        further.at++;
        if (!take_name(&further, last)) return;
        dotted = true;
    }
    if (!dotted || !(io_source_bytes(last) ||
                     (values_are_named(r->which) && find_value(r->which, last, &value))))
        return;
    r->at = further.at;
    strcpy(name, last);
}

/* Whether a value fits the type that it is made. */
static bool becomes(struct reader *r, const char *type, const char *end, int64_t value)
{
    r->wide |= io_source_is_wide(r->source, type, end);
    return io_source_fits(r->source, type, end, value);
}

/* A cast by its type's name, whose operand follows. */
static bool cast_of(struct reader *r, const char *name, int64_t *out, bool *cast)
{
    *cast = true;
    if (strstr(name, "_cast") && take_text(r, "<")) {
        const char *type = r->at;
        while (r->at < r->end && *r->at != '>') r->at++;
        const char *end = r->at;
        return take_text(r, ">") && bracketed(r, out) && becomes(r, type, end, *out);
    }
    space(r);
    const char *end = name + strlen(name);
    if (io_source_bytes(name) && r->at < r->end && *r->at == '(')
        return bracketed(r, out) && becomes(r, name, end, *out);
    if (io_source_bytes(name) && take_text(r, "{"))
        return expression(r, out) && take_text(r, "}") && becomes(r, name, end, *out);
    if (strncmp(name, "CUtensorMap", 11) == 0 && r->at < r->end && *r->at == '(')
        return bracketed(r, out); /* of an enumeration, in Python */
    *cast = false;
    return false;
}

/* A named value: sizeof, a cast by its name, an enumeration's or somebody's own. */
static bool named(struct reader *r, int64_t *out)
{
    const char *start = r->at;
    char name[NAME];
    int32_t value;
    bool cast;

    if (!take_name(r, name)) return false;
    if (strcmp(name, "sizeof") == 0) return size_of(r, out);
    if (strcmp(name, "pow") == 0) return pow_of(r, out);
    last_part(r, name);
    const bool good = cast_of(r, name, out, &cast);
    if (cast) return good;
    if (values_are_named(r->which) && find_value(r->which, name, &value)) {
        *out = value;
        return true;
    }
    if (r->at < r->end && *r->at == '.' && attribute_of(r, name, out)) return true;
    /* A call, an entry, a member; a scope's "a::N" is not the N that stands alone. */
    if ((r->at < r->end && strchr("([.", *r->at)) ||
        memmem(start, (size_t)(r->at - start), "::", 2))
        return io_source_miss(r->source, name), false;
    return look_up(r, name, out);
}

static bool operand(struct reader *r, int64_t *out)
{
    space(r);
    const char *type = r->at, *end = io_source_behind_cast(type, r->end);
    if (end != type) {
        r->at = end;
        return operand(r, out) && becomes(r, type, end, *out);
    }
    if (r->at == r->end) return false;
    if (*r->at == '(') return bracketed(r, out);
    if (isdigit((unsigned char)*r->at) || *r->at == '-') return literal(r, out);
    return named(r, out);
}

/* With Python's power and Rust's cast behind it. */
static bool factor(struct reader *r, int64_t *out)
{
    int64_t exponent;
    char type[NAME];

    if (!operand(r, out)) return false;
    if (r->source->python && take_text(r, "**"))
        return operand(r, &exponent) && power(*out, exponent, out);
    while (take_text(r, "as "))
        if (!take_name(r, type) || !becomes(r, type, type + strlen(type), *out)) return false;
    return true;
}

/* Python's "//" rounds down, C's "/" towards zero. */
static bool divide(const struct io_source *s, int64_t *out, int64_t by)
{
    if (by == 0 || (by == -1 && *out == INT64_MIN)) return false;
    const int64_t rest = *out % by;
    *out /= by;
    if (s->python && rest != 0 && (rest < 0) != (by < 0)) --*out;
    return true;
}

/* Whether C would not compute it so: of operands of 32 bits it is another value, or none. */
static bool wraps(const struct reader *r, int64_t value)
{
    return !r->source->python && !r->wide && (value > INT32_MAX || value < INT32_MIN);
}

static bool product(struct reader *r, int64_t *out)
{
    int64_t right;
    if (!factor(r, out)) return false;
    for (;;) {
        const bool times = take_text(r, "*");
        const bool over = !times && (take_text(r, "//") || take_text(r, "/"));
        if (!times && !over) return true;
        if (!factor(r, &right)) return false;
        if (over ? !divide(r->source, out, right)
                 : __builtin_mul_overflow(*out, right, out) || wraps(r, *out))
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
        if (wraps(r, *out)) return false;
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
        if (wraps(r, *out)) return false;
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

/* Of a parameter, what each call of the function gives for it, if that is one thing. */
static bool look_up_param(struct reader *r, const char *name, int64_t *out)
{
    struct io_source *s = r->source;
    const char *use = s->use, *at = NULL, *from, *to;
    int64_t value;
    bool found = false, one = true;

    while (one && r->depth < DEEP && io_param_given(s, name, &at, &from, &to)) {
        struct reader inner = {s, from, to, r->which, r->depth + 1, true};
        s->use = from;
        one = whole(&inner, &value) && (!found || value == *out);
        s->use = use;
        *out = one ? value : *out;
        found = true;
    }
    return found && one;
}

/* A parameter's default that a call does not leave in force. */
static bool is_given_another(struct reader *r, const char *name, int64_t value)
{
    struct io_source *s = r->source;
    const char *at = NULL, *from, *to;
    int64_t given;

    return s->looks-- > 0 && io_param_given(s, name, &at, &from, &to) &&
           (!look_up_param(r, name, &given) || given != value);
}

static bool look_up(struct reader *r, const char *name, int64_t *out)
{
    struct io_source *s = r->source;
    const char *at = s->text, *from, *to;
    int64_t value;
    bool found = false;

    if (s->looks-- <= 0 || io_source_changes(s, name, false)) return io_source_miss(s, name), false;
    while (r->depth < DEEP && s->looks-- > 0 && io_source_setting(s, name, -1, &at, &from, &to)) {
        while (from < to && isspace((unsigned char)*from)) from++;
        if (from < to && *from == '{') from++, to -= to > from && to[-1] == '}';
        struct reader inner = {s, from, to, r->which, r->depth + 1, false};
        const char *name_at = at - strlen(name);
        const size_t missing = strlen(s->missing);
        if (!whole(&inner, &value) || (found && value != *out) ||
            !io_source_holds(s, name_at, value)) {
            if (io_source_is_call(from, to)) s->missing[missing] = 0;
            return io_source_miss(s, name), false;
        }
        r->wide |= io_source_is_declared_wide(s, name_at, inner.wide);
        *out = value;
        found = true;
    }
    if (!found && s->python && r->depth < DEEP && s->looks-- > 0)
        found = io_source_tuple_attribute(s, name, out);
    if (!found)
        found = r->wide = look_up_param(r, name, out);
    else if (is_given_another(r, name, *out))
        found = false;
    if (!found) io_source_miss(s, name);
    return found;
}

bool io_source_value(struct io_source *s, const char *at, const char *end, enum values which,
                     int64_t *out)
{
    struct reader r = {s, at, end, which, 0, false};
    const int looks = s->looks;
    return whole(&r, out) && !io_source_is_spent(s, looks);
}
