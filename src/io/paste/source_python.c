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

static bool ends_with(const char *from, const char *at, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(at - from) >= n && memcmp(at - n, word, n) == 0;
}

/* "as K", "as (M, K)" */
static bool is_as(const char *as, const char *at)
{
    const char *p = as + strlen("as");

    while (p < at && *p == ' ') p++;
    return p == at || (*p == '(' && !memchr(p, ')', (size_t)(at - p)));
}

/* "global K", "nonlocal K", "with ... as K", "for K in", "def K": what is before the name in its
 * line. */
static bool is_bound(const struct io_source *s, const char *at, const char *behind)
{
    static const char *const lines[] = {"global ", "nonlocal ", "del ", "from ",
                                        "import ", "case ",     NULL};
    const char *line = line_of(s, at), *p = at;

    while (line < at && *line == ' ') line++;
    for (int i = 0; lines[i]; i++)
        if (strncmp(line, lines[i], strlen(lines[i])) == 0) return true;
    const bool named = ends_with(line, at, "class ") || ends_with(line, at, "def ");
    if (named && behind < s->end && strchr("(:", *behind)) return true;
    const char *lambda = io_dump_word(line, at, "lambda"); /* its parameter */
    if (lambda && !memchr(lambda, ':', (size_t)(at - lambda))) return true;
    if (io_param_is_local(s, at)) return false;
    if (s->end - behind > 1 && behind[0] == ':' && behind[1] == '=') return true;
    while (p > line && (io_dump_is_word(p[-1]) || strchr(", ()*", p[-1]))) p--;
    const char *as = io_dump_word(p, at, "as"), *loop = io_dump_word(p, at, "for");
    return (as && is_as(as, at)) || (loop && !io_dump_word(loop, at, "in"));
}

/* "(M, K) = ", "[M, K] = ", "M, *K = ": several that are set together in a form that has no value
 * here. */
static bool is_unpacked(const struct io_source *s, const char *at, const char *behind)
{
    const char *line = line_of(s, at), *p = line, *q = behind;
    bool several = false;

    for (; p < at; p++) {
        if (!io_dump_is_word(*p) && !strchr(" ,\t()[]*.", *p)) return false;
        several |= strchr("([*.", *p) != NULL;
        if (strchr("([", *p) && p > line && (io_dump_is_word(p[-1]) || strchr(")]", p[-1]))) {
            const char *behind_it = io_source_behind(p, at); /* "f()[0], K = " */
            if (!behind_it) return false;                    /* a call, a "def", an entry */
            p = behind_it - 1;
        }
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

/* Whether a call behind "." begins its line: it is made for what it does, not for its value. */
static bool is_statement(const struct io_source *s, const char *call)
{
    const char *line = line_of(s, call);

    while (*line == ' ' || *line == '\t') line++;
    while (line < call && (io_dump_is_word(*line) || *line == '.')) line++;
    return line == call;
}

static const char *back(const struct io_source *s, const char *at)
{
    while (at > s->text && (at[-1] == ' ' || at[-1] == '\t')) at--;
    return at;
}

/* "K == y", "K + [1]", "*K", "in K": the list itself goes nowhere. */
static bool is_operand(const struct io_source *s, const char *at, const char *behind)
{
    const char *p = back(s, at);

    while (behind < s->end && *behind == ' ') behind++;
    if (io_source_is_any(behind < s->end ? *behind : 0, "=+*<>!")) return true;
    if (ends_with(s->text, p, " in") || ends_with(s->text, p, " is")) return true;
    return p > s->text && (io_source_is_any(p[-1], "+*<>!") ||
                           (p[-1] == '=' && p - s->text > 1 && io_source_is_any(p[-2], "=!<>")));
}

/* "y = K", "return K", "lambda: K", no brackets around it. */
static bool is_handed_on(const struct io_source *s, const char *at)
{
    const char *line = line_of(s, at);

    for (const char *p = line; p < at; p++)
        if (*p == '=' && p[1] != '=' && p > line && !io_source_is_any(p[-1], "=!<>")) return true;
    return io_dump_word(line, at, "return") || io_dump_word(line, at, "yield") ||
           io_dump_word(line, at, "lambda");
}

/* Whether a call may change the list that it is given. */
static bool call_changes(const struct io_source *s, const char *word, const char *open)
{
    static const char *const readers[] = {
        "view",      "reshape",  "expand", "permute", "full", "new_zeros", "new_full",
        "tuple",     "list",     "len",    "print",   "min",  "max",       "sum",
        "str",       "range",    "zip",    "map",     "prod", "repr",      "sorted",
        "enumerate", "reversed", "type",   "all",     "any",  NULL};
    char name[IO_SOURCE_NAME];

    if (!islower((unsigned char)*word) || !io_source_word(&word, open, name)) return false;
    if (strcmp(name, "shuffle") == 0) return true;
    const char *head = open - strlen(name);
    if (head > s->text && head[-1] == '.' && !is_statement(s, head)) return false;
    return !is_one_of(name, readers) && !strstr(name, "descriptor") && !strstr(name, "empty") &&
           !strstr(name, "ncode");
}

/* "other = name", "[name]", "f(name)" of a list: another may change it. */
static bool list_escapes(const struct io_source *s, const char *at, const char *behind)
{
    if (memchr(at, '[', (size_t)(behind - at))) return false; /* an entry */
    for (const char *open, *word; !is_operand(s, at, behind); at = open, behind++) {
        if (!(open = io_source_around(s, at))) return is_handed_on(s, at);
        for (word = open; word > s->text && io_dump_is_word(word[-1]);) word--;
        const char before = word > s->text ? word[-1] : 0;
        if (word < open && *open == '(') return call_changes(s, word, open);
        if (io_source_is_any(before, ")]"))
            return *open == '('; /* what a call gave, an entry's number */
        if (word < open) return false;
        while (behind < s->end && *behind == ' ') behind++;
        if (*open != '(' || back(s, at) != open + 1 || behind == s->end || *behind != ')')
            return true; /* of a tuple, a list, a dictionary */
    }
    return false;
}

bool io_source_python_changes(const struct io_source *s, const char *at, const char *behind,
                              bool list)
{
    const bool out = at - s->text > 3 && memcmp(at - 4, "out=", 4) == 0;

    if (io_dump_word(s->text, s->end, "globals")) return true; /* whatever it is called */
    return out || is_bound(s, at, behind) || is_unpacked(s, at, behind) ||
           method_changes(s, behind) || (list && list_escapes(s, at, behind));
}
