/* source_python.c : see source_escape.h; Python. */
#include "io/paste/dump_fields.h"
#include "io/paste/param.h"
#include "io/paste/source_escape.h"

#include <ctype.h>
#include <string.h>

static const char *line_of(const struct io_source *s, const char *at)
{
    while (at > s->text && at[-1] != '\n' && at[-1] != ';') at--;
    return at;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

/* "global K", "nonlocal K", "with ... as K", "for K in": what is before the name in its line. */
static bool is_bound(const struct io_source *s, const char *at, const char *behind)
{
    const char *line = line_of(s, at), *p = at;

    while (line < at && *line == ' ') line++;
    if (strncmp(line, "global ", 7) == 0 || strncmp(line, "nonlocal ", 9) == 0 ||
        strncmp(line, "del ", 4) == 0 || strncmp(line, "from ", 5) == 0 ||
        strncmp(line, "import ", 7) == 0)
        return true;
    const char *lambda = io_dump_word(line, at, "lambda"); /* its parameter */
    if (lambda && lambda < at && !memchr(lambda, ':', (size_t)(at - lambda))) return true;
    if (io_param_is_local(s, at)) return false;
    if (s->end - behind > 1 && behind[0] == ':' && behind[1] == '=') return true;
    while (p > line && (io_dump_is_word(p[-1]) || strchr(", ()*", p[-1]))) p--;
    const char *as = io_dump_word(p, at, "as"), *loop = io_dump_word(p, at, "for");
    if (as && as + 3 == at && as < at) return true;
    return loop && loop < at && !memchr(loop, ':', (size_t)(at - loop)) &&
           !(io_dump_word(loop, at, "in") && io_dump_word(loop, at, "in") < at);
}

/* "(M, K) = ", "[M, K] = ", "M, *K = ": several that are set together in a form that has no value
 * here. */
static bool is_unpacked(const struct io_source *s, const char *at, const char *behind)
{
    const char *line = line_of(s, at), *p = line, *q = behind;
    bool several = false;

    for (; p < at; p++) {
        if (!io_dump_is_word(*p) && !strchr(" ,\t()[]*", *p)) return false;
        if (strchr("([", *p) && p > line && (io_dump_is_word(p[-1]) || strchr(")]", p[-1])))
            return false; /* a call, a "def", an entry */
        several |= *p && strchr("([*", *p);
    }
    while (q < s->end && (io_dump_is_word(*q) || strchr(" ,\t()[]*", *q))) {
        several |= *q == '*';
        q++;
    }
    return several && s->end - q > 1 && *q == '=' && q[1] != '=' && !io_param_is_local(s, at);
}

/* A list's methods that change it, a tensor's that change its shape in place, and what is set. */
static bool method_changes(const struct io_source *s, const char *behind)
{
    static const char *const names[] = {
        "append",    "__setitem__", "__iadd__",   "extend",     "insert", "pop",
        "remove",    "reverse",     "sort",       "clear",      "resize", "resize_",
        "t_",        "transpose_",  "squeeze_",   "unsqueeze_", "set_",   "as_strided_",
        "swapaxes_", "swapdims_",   "resize_as_", NULL};
    static const char *const members[] = {"data", "shape", "strides", "dtype", NULL};
    char name[IO_SOURCE_NAME];
    const char *p = behind;

    if (p == s->end || *p++ != '.' || !io_source_word(&p, s->end, name)) return false;
    while (p < s->end && *p == ' ') p++;
    if (is_one_of(name, names)) return p < s->end && *p == '(';
    return is_one_of(name, members) && s->end - p > 1 && *p == '=' && p[1] != '=';
}

/* Whether a call begins its line: it is made for what it does, not for its value. */
static bool is_statement(const struct io_source *s, const char *call)
{
    const char *line = line_of(s, call);

    while (line < call && (*line == ' ' || *line == '\t')) line++;
    while (line < call && (io_dump_is_word(*line) || *line == '.')) line++;
    return line == call;
}

/* "other = name", "f(name)" of a list: another may change it. */
static bool list_escapes(const struct io_source *s, const char *at, const char *behind)
{
    static const char *const readers[] = {
        "view",      "reshape",  "expand", "permute", "full", "new_zeros", "new_full",
        "tuple",     "list",     "len",    "print",   "min",  "max",       "sum",
        "str",       "range",    "zip",    "map",     "prod", "repr",      "sorted",
        "enumerate", "reversed", "type",   "all",     "any",  NULL};
    const char *p = at, *word;
    char name[IO_SOURCE_NAME];

    while (p > s->text && p[-1] == ' ') p--;
    if (p == s->text || !strchr("=(,", p[-1]) || (behind < s->end && !strchr("\n,);", *behind)))
        return false;
    if (p[-1] == '=') { /* "other = name", but no argument by its name */
        const char *line = line_of(s, at);
        return p - s->text > 1 && p[-2] != '=' && !memchr(line, '(', (size_t)(at - line));
    }
    int depth = 0;
    while (p > s->text && depth <= 0) {
        p--;
        depth += (*p && strchr("([{", *p)) - (*p && strchr(")]}", *p));
    }
    for (word = p; word > s->text && io_dump_is_word(word[-1]);) word--;
    if (depth <= 0 || *p != '(') return false;
    if (word == p) return p > s->text && p[-1] == ')'; /* what a call or a lambda gave */
    if (!islower((unsigned char)*word)) return false;
    if (!io_source_word(&word, p, name)) return false;
    if (strcmp(name, "shuffle") == 0) return true;
    const char *head = p - strlen(name);
    if (head > s->text && head[-1] == '.' && !is_statement(s, head)) return false;
    return !is_one_of(name, readers) && !strstr(name, "descriptor") && !strstr(name, "empty") &&
           !strstr(name, "ncode");
}

bool io_source_python_changes(const struct io_source *s, const char *at, const char *behind,
                              bool list)
{
    const bool out = at - s->text > 3 && memcmp(at - 4, "out=", 4) == 0;

    return out || is_bound(s, at, behind) || is_unpacked(s, at, behind) ||
           method_changes(s, behind) || (list && list_escapes(s, at, behind));
}
