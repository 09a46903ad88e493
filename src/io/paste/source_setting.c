/* source_setting.c : where a name is set in a piece of source, and to what (source_value.h). */
#include "io/paste/source_value.h"

#include "io/paste/dump_fields.h"
#include "io/paste/param.h"

#include <ctype.h>
#include <string.h>

enum { NAME = IO_SOURCE_NAME };

/* The end of what stands at `at`: Python's statement ends with its line. */
static const char *value_end(const struct io_source *s, const char *at)
{
    const char *end = io_source_piece(at, s->end);
    int depth = 0;

    if (!s->python) return end;
    for (const char *p = at; p < end; p++) {
        depth += (*p && strchr("([{", *p)) - (*p && strchr(")]}", *p));
        if (*p == '\n' && depth == 0) return p;
    }
    return end;
}

static const char *line_of(const struct io_source *s, const char *at)
{
    while (at > s->text && at[-1] != '\n' && at[-1] != ';') at--;
    return at;
}

/* "#define NAME value" */
static bool defined(const struct io_source *s, const char *at, size_t length, const char **from,
                    const char **to)
{
    const char *define = io_dump_word(line_of(s, at), at, "define");
    const char *p = at + length, *stop;

    if (!define || strspn(define + 6, " \t") != (size_t)(at - define - 6)) return false;
    while (p < s->end && (*p == ' ' || *p == '\t')) p++;
    stop = memchr(p, '\n', (size_t)(s->end - p));
    *from = p;
    *to = stop ? stop : s->end;
    return *from < *to && at[length] != '(';
}

/* Behind ": tl.constexpr" (Python) or ": [u64; 2]" (Rust's let), which "=" follows; p itself where
 * that does not stand there. */
static const char *behind_type(const struct io_source *s, const char *at, const char *p)
{
    const char *q = p, *line = line_of(s, at);

    if (q == s->end || *q != ':' || (q + 1 < s->end && q[1] == ':')) return p;
    if (!s->python && !io_dump_word(line, at, "let") && !io_dump_word(line, at, "const")) return p;
    for (q++; q < s->end && *q != '\n' && *q != '=' && !(s->python && *q == ','); q++)
        if (!io_dump_is_word(*q) && !strchr(" .[];<>&,", *q)) return p;
    return q < s->end && *q == '=' ? q : p;
}

/* Which of the names of "M, N = ..." the one at `at` is, and behind the "="; -1 where it is no
 * statement of that form. */
static int place_in_tuple(const struct io_source *s, const char *at, size_t length,
                          const char **behind)
{
    const char *p = line_of(s, at);
    int before = 0, after = 0;

    for (; p < at; p++) {
        if (!io_dump_is_word(*p) && !strchr(" ,\t", *p)) return -1;
        before += *p == ',';
    }
    for (p = at + length; p < s->end && *p != '=' && *p != '\n'; p++) {
        if (!io_dump_is_word(*p) && !strchr(" ,\t", *p)) return -1;
        after += *p == ',';
    }
    if (before + after == 0 || s->end - p < 2 || *p != '=' || p[1] == '=') return -1;
    *behind = p + 1;
    return before;
}

/* "M, N = 64, 32": of N, the second. */
static bool in_tuple(const struct io_source *s, const char *p, int place, const char **from,
                     const char **to)
{
    for (int i = 0;; i++, p++) {
        *from = p;
        *to = value_end(s, p);
        if (i == place) return i > 0 || (*to < s->end && **to == ',');
        if (*to == s->end || **to != ',') return false;
        p = *to;
    }
}

bool io_source_tuple_attribute(struct io_source *s, const char *name, int64_t *out)
{
    const char *at = s->text, *p, *end;
    const size_t length = strlen(name);
    bool found = false;

    for (; (at = io_dump_word(at, s->end, name)); at += length) {
        char tensor[NAME], attribute[NAME];
        int64_t value;
        const int place = place_in_tuple(s, at, length, &p);
        if (place < 0) continue;
        end = value_end(s, p);
        if (!io_source_word(&p, end, tensor) || p == end || *p++ != '.' ||
            !io_source_word(&p, end, attribute) ||
            !s->attribute(s, tensor, attribute, place, &value) || (found && value != *out))
            return false;
        *out = value;
        found = true;
    }
    return found;
}

/* Of Python's "M = N = 64", behind the last "=". */
static const char *behind_chain(const struct io_source *s, const char *at)
{
    char name[NAME];
    const char *p = at;

    while (s->python && io_source_word(&p, s->end, name)) {
        while (p < s->end && *p == ' ') p++;
        if (s->end - p < 2 || *p != '=' || p[1] == '=') break;
        at = ++p;
    }
    return at;
}

/* Of Python: whether a comma before the name makes it one of several that are set together, of
 * which place_in_tuple() does not know the form: "self.M, N = 64, 32". */
static bool is_one_of_several(const struct io_source *s, const char *at)
{
    int depth = 0;
    bool comma = false;

    for (const char *p = line_of(s, at); p < at; p++) {
        depth += (*p && strchr("([{", *p)) - (*p && strchr(")]}", *p));
        comma |= *p == ',' && depth == 0;
    }
    return comma && depth == 0;
}

/* What the name at `at` is set to there: behind "=", "{" or "#define NAME"; false where it is not.
 */
static bool setting(const struct io_source *s, const char *at, size_t length, int index,
                    const char **from, const char **to)
{
    const char *p = at + length, *tuple;

    if (!s->python && index < 0 && defined(s, at, length, from, to)) return true;
    while (p < s->end && (*p == ' ' || *p == '\t' || (!s->python && *p == '\n'))) p++;
    const int place = s->python && index < 0 ? place_in_tuple(s, at, length, &tuple) : -1;
    if (place >= 0) return in_tuple(s, tuple, place, from, to);
    if (s->python && index < 0 && is_one_of_several(s, at)) return false;
    while (p < s->end && *p == '[') { /* an array's size, or the entry */
        const char *close = io_source_behind(p, s->end);
        int64_t entry;
        const char *number = p + 1;
        if (!close) return false;
        if (index >= 0 &&
            (!io_dump_number(&number, close, &entry) || entry != index || number + 1 != close))
            return false;
        if (index < 0 && s->python) return false;
        for (p = close; p < s->end && isspace((unsigned char)*p);) p++;
    }
    p = behind_type(s, at, p);
    const bool brace = index < 0 && p < s->end && *p == '{' && at > s->text && at[-1] == ' ';
    if (!brace && (s->end - p < 2 || *p != '=' || p[1] == '=')) return false;
    *from = brace ? p : behind_chain(s, p + 1);
    *to = value_end(s, *from);
    return true;
}

/* Whether an entry's setting is asked for, "name[i] = ", and the whole's is not, or the reverse. */
static bool is_entry(const struct io_source *s, const char *at, size_t length)
{
    const char *p = at + length, *line = line_of(s, at);

    while (p < s->end && isspace((unsigned char)*p)) p++;
    while (line < at && isspace((unsigned char)*line)) line++;
    return p < s->end && *p == '[' && line == at; /* a declaration has its type before it */
}

/* Whether the block of C or function of Python that `at` stands in has ended before the use, or
 * begins behind it. */
static bool is_elsewhere(const struct io_source *s, const char *at)
{
    int depth = 0;

    if (s->python) return io_param_is_local(s, at);
    if (!io_source_declares(s, at)) return false;
    if (at > s->use) return true;
    for (const char *p = at; p < s->use; p++) {
        depth += (*p == '{') - (*p == '}');
        if (depth < 0) return true;
    }
    return false;
}

/* Of Python: "name=value" among a call's arguments, or a lambda's, sets nothing; a default does. */
static bool is_argument(const struct io_source *s, const char *at)
{
    const char *p = at;
    int depth = 0;

    while (p > s->text && isspace((unsigned char)p[-1])) p--;
    if (!s->python || p == s->text || !strchr("(,", p[-1])) return false;
    while (p > s->text && depth <= 0) {
        p--;
        depth += (*p && strchr("([{", *p)) - (*p && strchr(")]}", *p));
    }
    const char *line = line_of(s, p);
    return depth > 0 && !io_dump_word(line, p, "def");
}

bool io_source_setting(struct io_source *s, const char *name, int index, const char **at,
                       const char **from, const char **to)
{
    const size_t length = strlen(name);
    while ((*at = io_dump_word(*at, s->end, name))) {
        const char *here = *at;
        *at += length;
        if (here > s->text && (here[-1] == '.' || here[-1] == '>')) continue;
        if (is_entry(s, here, length) != (index >= 0)) continue;
        if (index < 0 && is_elsewhere(s, here)) continue;
        if (index < 0 && (is_argument(s, here) || io_param_hides(s, name, here))) continue;
        if (setting(s, here, length, index, from, to)) return true;
    }
    return false;
}
