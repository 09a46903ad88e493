/* source_list.c : arrays in pasted source, see source_value.h. */
#include "io/paste/source_value.h"
#include "io/paste/source_width.h"

#include "io/paste/dump_fields.h"
#include "io/paste/param.h"

#include <ctype.h>
#include <string.h>

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

/* Entries from behind their opening bracket on. */
static bool entries(struct io_source *s, const char *at, const char *end, int64_t *out, int cap,
                    int *count, unsigned *unknown)
{
    for (*count = 0, *unknown = 0;; at++) {
        const char *stop = io_source_piece(at, end);
        at = skip_space(at, stop);
        if (at == stop) return stop < end && strchr(")]}", *stop); /* {} or a comma at the end */
        if (*count < cap) {
            out[*count] = 0;
            if (!io_source_value(s, at, stop, VALUES_NUMBER, &out[*count]))
                *unknown |= 1u << *count;
        }
        ++*count;
        at = stop;
        if (at == end) return false;
        if (strchr(")]}", *at)) return true;
        if (*at != ',') return false;
    }
}

/* The bracket that a list opens with: "{", "{{", "[", "vec![", and in Python "("; NULL for none. */
static const char *opening(const struct io_source *s, const char *at, const char *end)
{
    at = skip_space(at, end);
    if (end - at > 4 && memcmp(at, "vec!", 4) == 0) at += 4;
    if (at < end && (*at == '[' || (s->python && *at == '('))) return at;
    if (s->python) return NULL;
    while (at < end && *at != '{') at++;
    while (at + 1 < end && at[1] == '{') at++; /* std::array's */
    return at < end ? at : NULL;
}

/* The first entries away. Those beyond the cap were not read, and what moves up of them is not
 * known. */
static bool drop(int64_t *out, int cap, int *count, unsigned *unknown, int64_t first)
{
    if (first < 0 || first > *count || first > cap) return false;
    *count -= (int)first;
    memmove(out, out + first, (size_t)(cap - first) * sizeof *out);
    *unknown >>= first;
    for (int i = cap - (int)first; i < cap; i++) {
        out[i] = 0;
        if (i < *count) *unknown |= 1u << i;
    }
    return true;
}

/* A list from its bracket on, in Python perhaps with "[1:]" behind it. */
static bool written(struct io_source *s, const char *open, const char *end, int64_t *out, int cap,
                    int *count, unsigned *unknown)
{
    const char close = *open == '(' ? ')' : ']', *p = open + 1;
    int64_t first;

    if (!entries(s, open + 1, end, out, cap, count, unknown)) return false;
    if (!s->python) return true;
    while ((p = io_source_piece(p, end)) < end && *p != close) p++;
    p = p < end ? skip_space(p + 1, end) : end;
    if (p == end || *p++ != '[') return true;
    return io_dump_number(&p, end, &first) && drop(out, cap, count, unknown, first);
}

/* "name[0] = 1; name[1] = 2;": entries that are set to one thing each. */
static bool by_entry(struct io_source *s, const char *name, int64_t *out, int cap, int *count,
                     unsigned *unknown)
{
    for (*count = 0, *unknown = 0; *count < cap; ++*count) {
        const char *at = s->text, *from, *to, *again = NULL;
        if (s->looks-- <= 0 || !io_source_setting(s, name, *count, &at, &from, &to)) break;
        const char *first = from, *first_end = to;
        if (io_source_setting(s, name, *count, &at, &again, &to) ||
            !io_source_value(s, first, first_end, VALUES_NUMBER, &out[*count])) {
            *unknown |= 1u << *count;
            out[*count] = 0;
            io_source_miss(s, name);
        }
    }
    return *count > 0;
}

/* A parameter, where the function is called once. */
static bool by_param(struct io_source *s, const char *name, int64_t *out, int cap, int *count,
                     unsigned *unknown)
{
    const char *use = s->use, *at = NULL, *from, *to, *again_from, *again_to;

    if (s->looks-- <= 0 || !io_param_given(s, name, &at, &from, &to) ||
        io_param_given(s, name, &at, &again_from, &again_to))
        return false;
    s->use = from;
    const bool good = io_source_list(s, from, to, out, cap, count, unknown);
    s->use = use;
    return good;
}

/* Entries of a written list that are set to something else somewhere are not known. */
static void forget_set(struct io_source *s, const char *name, int cap, const int *count,
                       unsigned *unknown)
{
    for (int i = 0; i < *count && i < cap; i++) {
        const char *at = s->text, *from, *to;
        if (s->looks-- > 0 && !io_source_setting(s, name, i, &at, &from, &to)) continue;
        *unknown |= 1u << i;
        io_source_miss(s, name);
    }
}

static bool by_name(struct io_source *s, const char *name, int64_t *out, int cap, int *count,
                    unsigned *unknown)
{
    const char *place = s->text, *from, *to;
    int found = 0;

    if (s->looks-- <= 0 || io_source_changes(s, name, true)) return io_source_miss(s, name), false;
    while (s->looks-- > 0 && io_source_setting(s, name, -1, &place, &from, &to)) {
        const char *open = opening(s, from, to);
        if (!open || found++ > 0 || !written(s, open, s->end, out, cap, count, unknown))
            return io_source_miss(s, name), false;
    }
    if (found) forget_set(s, name, cap, count, unknown);
    if (found || by_entry(s, name, out, cap, count, unknown) ||
        by_param(s, name, out, cap, count, unknown))
        return true;
    io_source_miss(s, name);
    return false;
}

/* What follows an array's name and changes nothing: "[0]" and the containers' pointers. */
static const char *behind_pointer(const char *at, const char *end)
{
    static const char *const tails[] = {"[0]", ".data()", ".as_ptr()", ".begin()", ".as_mut_ptr()"};
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        const size_t n = strlen(tails[i]);
        if ((size_t)(end - at) >= n && memcmp(at, tails[i], n) == 0) return at + n;
    }
    return at;
}

bool io_source_list(struct io_source *s, const char *at, const char *end, int64_t *out, int cap,
                    int *count, unsigned *unknown)
{
    char name[IO_SOURCE_NAME];
    int64_t skipped = 0;
    const int looks = s->looks;

    at = io_source_cast(at, end);
    const char *start = at;
    const bool pointer = at > s->text && at[-1] == '&';
    if (at < end && (*at == '{' || *at == '[' || (s->python && *at == '('))) {
        const char *open = opening(s, at, end); /* no list: "[])" */
        return open && written(s, open, end, out, cap, count, unknown);
    }
    if (!io_source_word(&at, end, name)) return false;
    at = skip_space(at, end);
    if (at < end && *at == '(' && s->python) /* list(...), torch.Size(...) */
        return io_source_list(s, at + 1, io_source_piece(at + 1, end), out, cap, count, unknown);
    at = behind_pointer(at, end);
    at = skip_space(at, end);
    if (at < end && *at == '+' && !io_source_value(s, at + 1, end, VALUES_NUMBER, &skipped))
        return false;
    if (at < end && *at != '+') return io_source_miss(s, name), false;
    if (pointer && io_source_value(s, start, end, VALUES_NUMBER, out)) /* of one variable */
        return *count = 1, *unknown = 0, true;
    if (!by_name(s, name, out, cap, count, unknown) || io_source_is_spent(s, looks)) return false;
    return drop(out, cap, count, unknown, skipped);
}
