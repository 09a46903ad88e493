/* source_escape.c : see source_escape.h; C and C++. */
#include "io/paste/source_escape.h"

#include "io/paste/dump_fields.h"

#include <ctype.h>
#include <string.h>

enum { NAME = IO_SOURCE_NAME };

static const char *back(const struct io_source *s, const char *at)
{
    while (at > s->text && isspace((unsigned char)at[-1])) at--;
    return at;
}

static const char *forth(const struct io_source *s, const char *at)
{
    while (at < s->end && isspace((unsigned char)*at)) at++;
    return at;
}

static char before(const struct io_source *s, const char *at)
{
    at = back(s, at);
    return at > s->text ? at[-1] : 0;
}

static char after(const struct io_source *s, const char *at)
{
    at = forth(s, at);
    return at < s->end ? *at : 0;
}

bool io_source_is_set(const char *at, const char *end)
{
    return end - at > 1 && *at == '=' && at[1] != '=';
}

static bool is_set(const struct io_source *s, const char *at)
{
    return io_source_is_set(forth(s, at), s->end);
}

bool io_source_is_compound(const char *at, const char *end)
{
    const char *p = at;

    while (p < end && *p && strchr("+-*/%<>&|^", *p)) p++;
    if (p == at || !io_source_is_set(p, end)) return false;
    return p - at > 1 || (*at != '<' && *at != '>');
}

/* Whether "=", "+=" or "++" is there. */
static bool is_changed(const struct io_source *s, const char *at)
{
    at = forth(s, at);
    return is_set(s, at) || io_source_is_compound(at, s->end) ||
           (s->end - at > 1 && *at == at[1] && strchr("+-", *at));
}

/* Behind "[2][4]". */
static const char *behind_brackets(const struct io_source *s, const char *at)
{
    const char *close;

    for (at = forth(s, at); at < s->end && *at == '['; at = forth(s, close + 1))
        if (!(close = memchr(at, ']', (size_t)(s->end - at)))) return s->end;
    return at;
}

/* The word before a call's bracket, templates' arguments left out: "" for none. */
static const char *callee(const struct io_source *s, const char *open, char name[NAME])
{
    const char *end = back(s, open), *p;
    int depth = 0;

    name[0] = 0;
    if (end > s->text && end[-1] == '>') {
        while (end > s->text && !strchr(";{}", end[-1])) {
            depth += (end[-1] == '>') - (end[-1] == '<');
            end--;
            if (depth == 0) break;
        }
        end = back(s, end);
    }
    for (p = end; p > s->text && io_dump_is_word(p[-1]);) p--;
    const size_t n = (size_t)(end - p) < NAME ? (size_t)(end - p) : NAME - 1;
    memcpy(name, p, n);
    name[n] = 0;
    return p;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

/* By its name a function from numbers to a number. */
static bool computes(const char *name)
{
    static const char *const parts[] = {"Div", "div_",  "_div",  "ceil", "CEIL",
                                        "DIV", "round", "align", NULL};
    for (int i = 0; parts[i]; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* Whether a call only reads what it is given. Of the name of an array few are known to. */
static bool only_reads(const char *name, bool list)
{
    static const char *const all[] = {"sizeof", "decltype", "alignof", "static_assert", "assert",
                                      "if",     "while",    "switch",  "size",          "for",
                                      "printf", "fprintf",  "puts",    "return",        NULL};
    static const char *const checks[] = {"print", "CHECK", "ASSERT", "EXPECT", NULL};
    static const char *const numbers[] = {"min", "max", "dim3", "malloc", "free",   "make_tuple",
                                          "abs", "pow", "div",  "catch",  "assert", NULL};

    if (is_one_of(name, all) || strstr(name, "ncodeTiled") || strstr(name, "ncodeIm2col"))
        return true;
    if (list) return false;
    for (int i = 0; checks[i]; i++)
        if (strstr(name, checks[i])) return true;
    return computes(name) || is_one_of(name, numbers) || strncmp(name, "cuda", 4) == 0 ||
           (strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2]));
}

/* Whether these are the arguments whose values are asked for, or an encode call's: wrappers have
 * names of their own, but pass its enumerations. */
static bool is_encode(const struct io_source *s, const char *open)
{
    const char *stop = open + 1, *word = open;

    if (io_source_around(s, s->use) == open) return true;
    while ((stop = io_source_piece(stop, s->end)) < s->end && *stop == ',') stop++;
    while (word < stop && strncmp(word, "CU_TENSOR_MAP_", 14) != 0) word++;
    return word < stop;
}

/* "Type name(N)", "kernel<<<1, 1>>>(N)", "object.method(N)" take numbers by their value. */
static bool takes_values(const struct io_source *s, const char *open, const char *word,
                         const char *name)
{
    static const char *const methods[] = {"resize",       "reserve", "assign", "at",   "push_back",
                                          "emplace_back", "view",    "size",   "fill", NULL};
    const char *end = back(s, open);

    if (end - s->text > 2 && memcmp(end - 3, ">>>", 3) == 0) return true;
    return (before(s, word) == '.' && is_one_of(name, methods)) ||
           (word == back(s, word) + 1 && word[-1] == ' ' && io_dump_is_word(before(s, word)));
}

static bool has_word(const char *from, const char *to, const char *word)
{
    const char *p = io_dump_word(from, to, word);
    return p && p < to;
}

static const char *statement_of(const struct io_source *s, const char *at)
{
    while (at > s->text && !strchr(";{}\n", at[-1])) at--;
    return at;
}

/* What is behind the name and reads an array: its size, an entry. True where that is all. */
static bool behind_methods(const struct io_source *s, const char **at, bool *escapes)
{
    static const char *const sizes[] = {"size", "length", "empty", "len", "rank", "capacity", NULL};
    static const char *const pointers[] = {"data", "begin",  "end",        "cbegin",
                                           "cend", "as_ptr", "as_mut_ptr", NULL};
    static const char *const entries[] = {"at",   "front", "back",   "get",
                                          "iter", "clone", "to_vec", NULL};
    char method[NAME];
    const char *p = *at;

    *escapes = false;
    if (p == s->end || *p != '.') return false;
    p++;
    if (!io_source_word(&p, s->end, method)) return false;
    if (is_one_of(method, sizes)) return true;
    const char *close = memchr(p, ')', (size_t)(s->end - p));
    *escapes = p == s->end || *p != '(' || !close || !is_one_of(method, pointers);
    if (!*escapes) return *at = close + 1, false;
    *escapes = !is_one_of(method, entries) || !close || is_set(s, close + 1);
    return true;
}

/* Whether ">>" before a name reads it: in a statement of its own or an "if" or "while". */
static bool is_streamed(const struct io_source *s, const char *at)
{
    const char *open = io_source_around(s, at);
    char name[NAME];

    if (!open || *open != '(') return true;
    callee(s, open, name);
    return strcmp(name, "if") == 0 || strcmp(name, "while") == 0;
}

/* Whether what is at `at` is an operand of what is before it, or the first: behind "]" and ")",
 * unless that ends a cast "(T *)", it is an operator or a call's bracket. */
static bool begins_operand(const struct io_source *s, const char *at)
{
    const char *p = back(s, at);
    return before(s, at) != ']' && (before(s, at) != ')' || before(s, p - 1) == '*');
}

/* The "=" on whose right side the name is, brackets that only group passed over: "p = (0, name)";
 * NULL for none, an argument or an entry. */
static const char *assigned_by(const struct io_source *s, const char *at)
{
    char name[NAME];
    int depth = 0;
    bool comma = false; /* in "(0, name)" it means nothing */

    for (const char *p = at; p-- > s->text;) {
        if (io_source_is_any(*p, ";{}")) return NULL;
        comma |= *p == ',' && depth == 0;
        depth += io_source_is_any(*p, ")]");
        if (io_source_is_any(*p, "([") && depth-- == 0) {
            if (*p == '[' || !begins_operand(s, p) || (callee(s, p, name), name[0])) return NULL;
            comma = false, depth = 0;
        }
        if (*p == '=' && depth == 0 && p[1] != '=' && (p == s->text || !strchr("=!<>", p[-1])))
            return comma ? NULL : p;
    }
    return NULL;
}

/* An address or array outside of calls: what "=" or ":" hands it to. */
static bool aliased(const struct io_source *s, const char *at, const char *behind, bool list)
{
    const char *line = statement_of(s, at), *p = back(s, at), *open = io_source_around(s, at), *set;
    const char sign = before(s, at);
    char name[NAME] = "";

    if (has_word(line, at, "const")) return false;
    if (p - s->text > 1 && p[-1] == '>' &&
        p[-2] == '>') /* "std::cin >> N", no shift's "= M >> N" */
        return !memchr(line, '=', (size_t)(at - line)) && is_streamed(s, at);
    if (open && *open == '(') callee(s, open, name);
    if (sign == ':' && strcmp(name, "for") == 0) return memchr(line, '&', (size_t)(at - line));
    if (list && io_source_is_any(sign, "?:") && io_source_is_any(after(s, behind), ":;"))
        return true;
    if (!(set = assigned_by(s, at))) return false;
    line = statement_of(s, set);
    return list || memchr(line, '&', (size_t)(set - line)) || has_word(line, set, "decltype");
}

/* Whether what stands before or behind a bracket's text changes it: "++(N)", "(a)[0] = 1". */
static bool changes_bracket(const struct io_source *s, const char *open)
{
    const char *close = io_source_piece(open + 1, s->end), *p = back(s, open);

    while (close < s->end && *close == ',') close = io_source_piece(close + 1, s->end);
    if (close == s->end || *close != ')') return false;
    if (p - s->text > 1 && p[-1] == p[-2] && strchr("+-", p[-1])) return true;
    return is_changed(s, behind_brackets(s, close + 1));
}

/* "align_up(N);": made for what it does, not for its value. */
static bool is_statement(const struct io_source *s, const char *word)
{
    const char *p = back(s, word);
    return p == s->text || strchr(";{}", p[-1]);
}

static bool escapes_call(const struct io_source *s, const char *at, const char *behind, bool list,
                         bool address)
{
    const char *from = back(s, at);
    char name[NAME];
    bool cast = false;

    behind = forth(s, behind);
    const bool alone =
        from > s->text && strchr("(,&", from[-1]) && behind < s->end && strchr(",)", *behind);
    const char *open = io_source_around(s, at);
    for (; open && *open != '['; open = io_source_around(s, open)) {
        const char *word = callee(s, open, name);
        if (*open == '{') /* "T &r{N}" */
            return list || address || before(s, word) == '&' ||
                   has_word(statement_of(s, open), open, "reference_wrapper");
        if (changes_bracket(s, open)) return true;
        if (!name[0] && word > s->text && strchr("]}", word[-1])) return true; /* "[](...) {}(a)" */
        if (!name[0] && (begins_operand(s, open) || (!list && !address))) continue;
        if (alone && is_statement(s, word) && computes(name)) return true;
        if (only_reads(name, list || address) || is_encode(s, open)) return false;
        cast |= strcmp(name, "const_cast") == 0;
        if (io_source_bytes(name) || strcmp(name, "static_cast") == 0 || cast) continue;
        if (!list && !address && (!alone || takes_values(s, open, word, name))) return false;
        if (strcmp(name, "memcpy") == 0) /* to, from, bytes */
            return io_source_piece(open + 1, s->end) > at;
        return true;
    }
    return cast || (list && open); /* "0[name]" */
}

/* A name that is declared as a constant, once or more, and no other way. */
static bool is_constant(const struct io_source *s, const char *at, const char *behind)
{
    char name[NAME];
    bool found = false;

    if (!io_source_word(&at, behind, name)) return false;
    for (const char *p = s->text; (p = io_dump_word(p, s->end, name)); p += strlen(name)) {
        const char *line = statement_of(s, p), *after = forth(s, p + strlen(name));
        if (!io_dump_is_word(before(s, p)) || after == s->end || !strchr("=[{", *after)) continue;
        if (!has_word(line, p, "const") && !has_word(line, p, "constexpr")) return false;
        found = true;
    }
    return found;
}

/* Of "(name)", whose brackets only group, the brackets. */
static void ungroup(const struct io_source *s, const char **at, const char **behind)
{
    char name[NAME];

    while (before(s, *at) == '(' && after(s, *behind) == ')') {
        const char *open = back(s, *at) - 1;
        callee(s, open, name);
        if (name[0] || !begins_operand(s, open)) return;
        *at = open;
        *behind = forth(s, *behind) + 1;
    }
}

bool io_source_escapes(const struct io_source *s, const char *at, const char *behind, bool list)
{
    const char *name = at, *name_end = behind;
    const bool entry = memchr(at, '[', (size_t)(behind - at)) != NULL;
    ungroup(s, &at, &behind);
    const char *p = back(s, at), *line = statement_of(s, at);
    const char sign = before(s, at), sign_2 = p - s->text > 1 ? p[-2] : 0;
    bool escapes, address = sign == '&' && sign_2 != '&';

    if (io_dump_is_word(sign) && has_word(line, at, "volatile")) return true;
    const char *define = io_dump_word(line, at, "define");
    if (list && define && io_dump_is_word(sign) && p - define > 7) return true;
    if (io_dump_is_word(sign)) { /* its declaration, but for "&mut name", "else name" */
        if (list && !entry && p - s->text > 5 && memcmp(p - 6, "return", 6) == 0) return true;
        return p - s->text > 3 && memcmp(p - 4, "&mut", 4) == 0;
    }
    if ((sign == '*' && list) || address) {
        const char far = before(s, p - 1);
        if (io_dump_is_word(far) || far == '>') return false; /* "int *name", "a & name" */
        address = address && begins_operand(s, p - 1);
        if (sign == '*' && (is_changed(s, behind) || (far && strchr("&+-", far)))) return true;
    }
    if (sign == ')' && before(s, p - 1) == '&') return true; /* "(int &)name" */
    if (!has_word(line, at, "const_cast") && is_constant(s, name, name_end)) return false;
    if (list && behind_methods(s, &behind, &escapes)) return escapes;
    const bool whole = list && !entry;
    if (whole && s->end - behind > 1 && strchr("<>", *behind) && *behind == behind[1]) return true;
    if (name == at) name_end = behind;
    return aliased(s, at, behind, whole) || escapes_call(s, name, name_end, whole, address) ||
           (address && aliased(s, p - 1, behind, true));
}

/* --- what hides a value ------------------------------------------------------------------------*/

/* Whether the declaration at `at` is in force where the values are used. */
static bool reaches(const struct io_source *s, const char *at)
{
    int depth = 0;

    for (const char *p = at; p < s->use && depth >= 0; p++) depth += (*p == '{') - (*p == '}');
    return at <= s->use && depth >= 0;
}

/* "auto [M, N] = ", "for (int N : sizes)", "int N;" */
static bool is_bare(const struct io_source *s, const char *at, size_t length)
{
    static const char *const no_types[] = {"return",  "case",  "else",   "goto", "undef",
                                           "define",  "ifdef", "ifndef", "in",   "new",
                                           "defined", "if",    "using",  NULL};
    const char *behind = forth(s, at + length), *open;
    char word[NAME];

    if (behind == s->end) return false;
    if (io_dump_is_word(before(s, at))) {
        callee(s, at, word);
        if (is_one_of(word, no_types) || isdigit((unsigned char)word[0])) return false;
        behind = behind_brackets(s, behind);
        open = io_source_around(s, at);
        if (behind == s->end) return false;
        if (open && *open == '(') return *behind == ':';
        return io_source_is_any(*behind, ";(,") || (*behind == ':' && after(s, behind + 1) != ':');
    }
    open = io_source_around(s, at);
    if (!open || *open != '[' || !strchr(",]", *behind)) return false;
    callee(s, open, word);
    return strcmp(word, "auto") == 0 || before(s, open) == '&';
}

bool io_source_is_hidden(const struct io_source *s, const char *name)
{
    const size_t length = strlen(name);
    bool bare = false, valued = false;

    for (const char *p = s->text; (p = io_dump_word(p, s->end, name)); p += length) {
        const char *behind = behind_brackets(s, p + length);
        if (!reaches(s, p)) continue;
        if (is_bare(s, p, length)) bare = true;
        valued |= io_source_declares(s, p) && behind < s->end && strchr("={", *behind);
    }
    return bare && valued;
}
