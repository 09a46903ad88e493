/* param.c : see param.h. */
#include "io/paste/param.h"

#include "io/paste/dump_fields.h"
#include "io/paste/source_args.h"

#include <ctype.h>
#include <string.h>

/* A function's definition: its name, what stands in its brackets and in its template's. */
struct function {
    char name[IO_SOURCE_NAME];
    const char *at;       /* the name */
    const char *params;   /* behind "(" */
    const char *template; /* behind "<"; NULL: it is none */
};

static const char *back_over_space(const char *text, const char *at)
{
    while (at > text && isspace((unsigned char)at[-1])) at--;
    return at;
}

/* The bracket that the one before `at` closes; NULL for none. */
static const char *opening_of(const char *text, const char *at)
{
    int depth = 0;
    while (at-- > text) {
        depth += (*at == ')') - (*at == '(');
        if (depth == 0) return at;
    }
    return NULL;
}

/* The word that ends before `at`. */
static bool word_before(const char *text, const char *at, char name[IO_SOURCE_NAME],
                        const char **begin)
{
    const char *end = back_over_space(text, at), *p = end;

    while (p > text && io_dump_is_word(p[-1])) p--;
    *begin = p;
    return p < end && io_source_word(&p, end, name);
}

/* "template <int M, class T>" before the declaration that `at` stands in. */
static const char *template_of(const char *text, const char *at)
{
    const char *p = at, *found;

    while (p > text && !strchr(";}", p[-1])) p--;
    found = io_dump_word(p, at, "template");
    while (found && found < at && *found != '<') found++;
    return found && found < at ? found + 1 : NULL;
}

static bool is_statement(const char *name)
{
    static const char *const names[] = {"if", "for", "while", "switch", "catch"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Behind a function's closing bracket, before "const noexcept -> void". */
static const char *back_over_suffix(const char *text, const char *at)
{
    const char *end = back_over_space(text, at), *p = end;

    while (p > text && (io_dump_is_word(p[-1]) || strchr(" \t\n:*&<>-", p[-1]))) p--;
    return p > text && p[-1] == ')' ? p : end;
}

/* C++: the nearest block around the use that a function's brackets stand before. */
static bool block_function(const struct io_source *s, struct function *out)
{
    int depth = 0;

    for (const char *p = s->use; p-- > s->text;) {
        depth += (*p == '}') - (*p == '{');
        if (depth >= 0) continue;
        depth = 0;
        const char *end = back_over_suffix(s->text, p);
        const char *open = end > s->text && end[-1] == ')' ? opening_of(s->text, end) : NULL;
        if (!open || !word_before(s->text, open, out->name, &out->at) || is_statement(out->name))
            continue;
        out->params = open + 1;
        out->template = template_of(s->text, out->at);
        return true;
    }
    return false;
}

/* Of a line that is not blank to the text's end. */
static int indentation(const char *line)
{
    const char *p = line;
    while (*p == ' ' || *p == '\t') p++;
    return (int)(p - line);
}

/* Whether `at` stands in the body that a line before it opens: what is between is indented more. */
static bool in_body(const char *line, const char *at)
{
    const int outer = indentation(line);
    int open = 0; /* brackets: what stands in them may be indented as it likes */

    for (const char *p = line; p < at; p++) {
        open += (*p && strchr("([{", *p)) - (*p && strchr(")]}", *p));
        if (*p != '\n' || open > 0) continue;
        const int inner = indentation(p + 1);
        if (inner <= outer && p[1 + inner] != '\n') return false;
    }
    return true;
}

/* Python: the innermost "def" whose body `at` stands in. */
static bool def_function(const struct io_source *s, const char *at, struct function *out)
{
    bool found = false;

    for (const char *p = s->text; (p = io_dump_word(p, at, "def")); p += 3) {
        const char *begin = p, *name = p + 3;
        struct function f = {.template = NULL};
        while (begin > s->text && begin[-1] != '\n') begin--;
        if (indentation(begin) != p - begin || !in_body(begin, at)) continue;
        while (name < at && *name == ' ') name++;
        f.at = name;
        if (!io_source_word(&name, at, f.name) || *name != '(') continue;
        f.params = name + 1;
        *out = f;
        found = true;
    }
    return found;
}

bool io_param_is_local(const struct io_source *s, const char *at)
{
    struct function f, other;
    const char *use = s->use;

    if (!def_function(s, at, &f)) return false;
    while (def_function(s, use, &other)) {
        if (other.at == f.at) return false;
        for (use = other.at; use > s->text && use[-1] != '\n';) use--;
    }
    return true;
}

/* What a parameter is called: in C++ the last word before "=" or "[", in Python the first. */
static bool param_is(const struct io_source *s, const char *at, const char *stop, const char *name)
{
    char last[IO_SOURCE_NAME] = "", word[IO_SOURCE_NAME];

    while (at < stop && *at != '=' && *at != '[' && !(s->python && *at == ':')) {
        if (io_source_word(&at, stop, word))
            memcpy(last, word, sizeof last);
        else
            at++;
    }
    return strcmp(last, name) == 0;
}

/* Which of the list's entries, that ends with `close`, the name is; -1 for none. */
static int place_of(const struct io_source *s, const char *at, char close, const char *name)
{
    for (int i = 0;; i++) {
        const char *stop = io_source_piece(at, s->end), *end = stop;
        if (close == '>')
            for (end = at; end < stop && *end != '>'; end++) continue;
        if (param_is(s, at, end, name)) return i;
        if (end < stop || stop == s->end || *stop != ',') return -1;
        at = stop + 1;
    }
}

/* The i-th piece of "a, b>", whose entries hold no "<" of their own. */
static bool template_piece(const char *at, int i, const char **from, const char **to)
{
    for (;; at = *to + 1) {
        for (*from = at, *to = at; !strchr(",<>(;", **to);) ++*to;
        if (!strchr(",>", **to)) return false;
        if (i-- == 0) return true;
        if (**to == '>') return false;
    }
}

/* Behind "<...>" or, in Python, "[...]" at `at`, where a call's bracket opens; NULL for none. */
static const char *call_bracket(const struct io_source *s, const char *at)
{
    if (at < s->end && *at == (s->python ? '[' : '<')) {
        const char *p = at + 1;
        if (s->python)
            while ((p = io_source_piece(p, s->end)) < s->end && *p != ']') p++;
        else
            while (p < s->end && !strchr(">;{", *p)) p++;
        if (p == s->end || *p != (s->python ? ']' : '>')) return NULL;
        at = p + 1;
    }
    return at < s->end && *at == '(' ? at : NULL;
}

/* C++: a parameter of a lambda around the use. */
static bool lambda_hides(const struct io_source *s, const char *name, const char *at)
{
    int depth = 0;

    for (const char *p = s->use; p-- > at;) {
        depth += (*p == '}') - (*p == '{');
        if (depth >= 0) continue;
        depth = 0;
        const char *end = back_over_suffix(s->text, p);
        const char *open = end[-1] == ')' ? opening_of(s->text, end) : NULL; /* behind the name */
        if (!open || open < at) continue;
        const char *list = back_over_space(s->text, open);
        if (list[-1] == ']' && place_of(s, open + 1, ')', name) >= 0) return true;
    }
    return false;
}

bool io_param_hides(const struct io_source *s, const char *name, const char *at)
{
    struct function f;

    if (!s->python && lambda_hides(s, name, at)) return true;
    if (!(s->python ? def_function(s, s->use, &f) : block_function(s, &f))) return false;
    const char *first = f.template ? f.template : f.params;
    return at < first && ((f.template && place_of(s, f.template, '>', name) >= 0) ||
                          place_of(s, f.params, ')', name) >= 0);
}

/* Python: the arguments that "compile(f, a, b" or "compile(f)(a, b" gives for the function `here`,
 * from a comma or a bracket on; NULL where it is not compiled there. */
static const char *compiled_args(const struct io_source *s, const char *here, const char *behind)
{
    char name[IO_SOURCE_NAME];
    const char *open = back_over_space(s->text, here), *begin;

    if (!s->python || open == s->text || *--open != '(' ||
        !word_before(s->text, open, name, &begin) || strcmp(name, "compile") != 0)
        return NULL;
    const char *close = io_source_behind(open, s->end);
    if (close && close < s->end && *close == '(') return close;
    return behind < s->end && *behind == ',' ? behind : NULL;
}

/* Its argument of that place. */
static bool compiled_arg(const struct io_source *s, const char *here, const char *behind, int place,
                         const char **from, const char **to)
{
    const char *p = compiled_args(s, here, behind);

    for (; p && *p != ')'; p = *to) {
        for (*from = p + 1; *from < s->end && isspace((unsigned char)**from);) ++*from;
        *to = io_source_piece(*from, s->end);
        if (*to == s->end || !strchr(",)", **to)) return false;
        if (place-- == 0) return *to > *from && !memchr(*from, '=', (size_t)(*to - *from));
    }
    return false;
}

bool io_param_given(struct io_source *s, const char *name, const char **at, const char **from,
                    const char **to)
{
    struct function f;
    struct io_source_args args;
    const char *behind;

    if (!(s->python ? def_function(s, s->use, &f) : block_function(s, &f))) return false;
    const int typed = f.template ? place_of(s, f.template, '>', name) : -1;
    const int place = typed < 0 ? place_of(s, f.params, ')', name) : -1;
    if (typed < 0 && place < 0) return false;
    const char *p = *at ? *at : s->text;
    while (s->looks-- > 0 && (p = io_dump_word(p, s->end, f.name))) {
        const char *here = p, *open = call_bracket(s, p += strlen(f.name));
        if (!open && place >= 0 && compiled_arg(s, here, p, place, from, to))
            return *at = *to, true;
        if (!open || here == f.at) continue;
        if (typed >= 0) {
            if (*p != '<' || !template_piece(p + 1, typed, from, to)) continue;
            return *at = open, true;
        }
        if (!io_source_args(s, open + 1, s->end, NULL, &args, &behind)) continue;
        const int arg = io_source_arg(&args, name, place);
        if (arg < 0) continue;
        *from = args.at[arg], *to = args.end[arg], *at = open;
        return true;
    }
    return false;
}
