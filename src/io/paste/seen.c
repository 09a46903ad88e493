/* seen.c : see seen.h. Names tell what a call is about: every library has its own. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/seen.h"

#include "io/paste/code.h"

#include <ctype.h>
#include <string.h>

enum {
    NAME = 64,
    CALL = 512 /* of a call's text that is looked at */
};

/* How much a call tells of a descriptor. */
enum weight { NOTHING, PREFETCHES, IN_ARGUMENTS, USES, MAKES };

struct call {
    const char *name, *open; /* "a.b::c" and its bracket */
    const char *end;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_one(char c, const char *of)
{
    return c && strchr(of, c);
}

/* In any case; words in lower case. */
static bool has_one(const char *at, const char *end, const char *const *words)
{
    char lower[CALL];
    const size_t n = (size_t)(end - at) < CALL ? (size_t)(end - at) : CALL;

    for (size_t i = 0; i < n; i++) lower[i] = (char)tolower((unsigned char)at[i]);
    for (; *words; words++)
        if (memmem(lower, n, *words, strlen(*words))) return true;
    return false;
}

static bool is_about_maps(const char *at, const char *end)
{
    static const char *const words[] = {
        "tma_",       "_tma",        "tma.",       "tma::", "tensormap", "tensor_map",
        "tensordesc", "tensor_desc", "descriptor", "_desc", "desc_",     "desc.",
        "maketma",    "tmaload",     "tmastore",   NULL};
    return has_one(at, end, words);
}

static bool is_making(const char *at, const char *end)
{
    static const char *const words[] = {"make",  "creat", "init",  "fill", "encode",
                                        "build", "from_", "setup", NULL};
    return has_one(at, end, words);
}

/* Where the call's name begins: behind blanks and what is no part of a qualified name. */
static const char *name_of(const char *line, const char *open)
{
    const char *p = open;

    while (p > line &&
           (is_name(p[-1]) || p[-1] == '.' || p[-1] == ':' ||
            (p[-1] == '>' && p - 1 > line && p[-2] == '-') || (p[-1] == '-' && *p == '>')))
        p--;
    return p;
}

/* Whether a function is defined or declared here: "def f(", "void f(". */
static bool is_defined(const char *line, const char *name)
{
    static const char *const calls[] = {"return", "else", "await", "yield", "in",
                                        "and",    "or",   "not",   "if",    NULL};
    const char *end = name, *p;

    while (end > line && is_one(end[-1], " \t")) end--;
    if (end == line || (end == name && !is_one(end[-1], "*&"))) return false;
    if (is_one(end[-1], "*&>")) return end == line + 1 || end[-1] != '>' || end[-2] != '-';
    for (p = end; p > line && is_name(p[-1]);) p--;
    for (int i = 0; calls[i]; i++)
        if (strlen(calls[i]) == (size_t)(end - p) && memcmp(p, calls[i], (size_t)(end - p)) == 0)
            return false;
    return p < end;
}

/* Behind the call's arguments; the text's end where it is cut off. */
static const char *end_of(const char *open, const char *end)
{
    int depth = 0;

    if (end - open > CALL) end = open + CALL;
    for (const char *p = open; p < end; p++) {
        depth += is_one(*p, "([{") - is_one(*p, ")]}");
        if (depth == 0) return p + 1;
    }
    return end;
}

/* "get_tma_descriptor()": nothing becomes of the map in it. */
static bool is_getter(const struct call *c)
{
    return c->end - c->open == 2 && c->open[1] == ')';
}

static enum weight weight_of(const struct call *c)
{
    static const char *const copies[] = {"copy",   "load",    "store",  "partition",
                                         "gather", "scatter", "reduce", NULL};
    static const char *const waits[] = {"expect", "wait", "arrive", "fence", "commit", NULL};
    static const char *const prefetch[] = {"prefetch", NULL};
    static const char *const declared[] = {"__grid_constant__", "const&", " const ", NULL};
    const char *last = c->open;

    while (last > c->name && is_name(last[-1])) last--;
    if (has_one(last, c->open, waits) || has_one(c->open, c->end, declared)) return NOTHING;
    if (has_one(last, c->open, prefetch) && is_about_maps(c->name, c->end)) return PREFETCHES;
    if (is_about_maps(c->name, c->open) && !is_getter(c))
        return is_making(last, c->open) ? MAKES : USES;
    return has_one(last, c->open, copies) && is_about_maps(c->open, c->end) ? IN_ARGUMENTS
                                                                            : NOTHING;
}

/* The call's text on one line. */
static void write_call(const struct call *c, struct io_seen *out)
{
    size_t n = 0;

    for (const char *p = c->name; p < c->end && n + 5 < IO_SEEN; p++) {
        const bool blank = isspace((unsigned char)*p);
        if (!blank)
            out->call[n++] = *p;
        else if (!is_one(out->call[n - 1], " ([") && p + 1 < c->end && !is_one(p[1], " \t\n)]"))
            out->call[n++] = ' ';
    }
    out->call[n] = 0;
    if (n + 5 >= IO_SEEN || !is_one(out->call[n - 1], ")")) strcpy(out->call + n, "...");
}

/* The heaviest call of a line of source so far. */
static void look(const char *line, size_t n, const char *end, size_t number, enum weight *best,
                 struct io_seen *out)
{
    const char *stop = line + n;

    for (const char *p = line, *next; p < stop && (next = io_code_past(line, p, stop)) != p;
         p = next) {
        if (*p != '(') continue;
        const struct call c = {name_of(line, p), p, end_of(p, end)};
        if (c.name == p || is_defined(line, c.name)) continue;
        const enum weight weight = weight_of(&c);
        if (weight <= *best) continue;
        *best = weight;
        *out = (struct io_seen){
            .line = number, .makes = weight == MAKES, .prefetches = weight == PREFETCHES};
        write_call(&c, out);
    }
}

bool io_seen_call(const char *text, size_t size, struct io_seen *out)
{
    struct io_code code = {0};
    enum weight best = NOTHING;
    size_t number = 1;

    for (size_t at = 0, n; at < size && best < MAKES; at += n + 1, number++) {
        const char *end = memchr(text + at, '\n', size - at);
        n = end ? (size_t)(end - text) - at : size - at;
        if (io_code_next(&code, text + at, n, io_speaker_of(text + at, n)) == IO_LINE_CODE)
            look(text + at, n, text + size, number, &best, out);
    }
    return best > NOTHING;
}
