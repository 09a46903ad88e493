/* bulk.c : see bulk.h. The calls: cuda::ptx and cuda::device::experimental (CCCL), TileLang's
 * tma_store_cluster(), CuTe's SM90_BULK_COPY_G2S; and the instruction, cp.async.bulk. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/bulk.h"

#include "io/paste/code.h"

#include <ctype.h>
#include <string.h>

enum {
    ARGUMENTS = 512, /* of a call's text that is looked at */
    RANKS = 16       /* blocks of a cluster: a smaller number may be one's rank */
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static bool has(const char *at, const char *end, const char *word)
{
    return memmem(at, (size_t)(end - at), word, strlen(word));
}

/* "cuda::ptx::cp_async_bulk" before a call's bracket. */
static bool is_bulk_call(const char *name, const char *open)
{
    if (has(name, open, "tensor") || has(name, open, "prefetch")) return false;
    return has(name, open, "cp_async_bulk") || has(name, open, "BULK_COPY_") ||
           has(name, open, "tma_store_cluster");
}

/* ".shared::cluster.global.mbarrier" and the like behind "cp.async.bulk". */
static bool is_bulk_copy(const char *name, const char *end)
{
    static const char *const others[] = {"tensor", "commit", "wait", "multicast", "prefetch"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (has(name, end, others[i])) return false;
    return end - name > 1;
}

/* Whether nothing but a cast stands before a constant: "static_cast<uint32_t>(", "(size_t)". */
static bool is_cast(const char *at, const char *end)
{
    static const char *const heads[] = {"static_cast<", "uint32_t(", "size_t(", "(uint32_t)",
                                        "(size_t)",     "unsigned(", "(int)",   "int("};
    const char *open = memchr(at, '(', (size_t)(end - at));

    if (!open || memchr(open + 1, '(', (size_t)(end - open - 1))) return false;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const size_t n = strlen(heads[i]);
        if ((size_t)(end - at) >= n && memcmp(at, heads[i], n) == 0) return true;
    }
    return false;
}

/* A decimal constant, perhaps in a cast: "508u", "static_cast<uint32_t>(508)", "uint32_t(508)". */
static bool is_constant(const char *at, const char *end, uint64_t *out, bool *cast)
{
    const char *p = at;

    while (p < end && isspace((unsigned char)*p)) p++;
    while (end > p && (isspace((unsigned char)end[-1]) || end[-1] == ')')) end--;
    while (end > p && memchr("uUlL", end[-1], 4)) end--;
    for (at = end; at > p && isdigit((unsigned char)at[-1]);) at--;
    if (at == end || end - at > 10) return false;
    *out = 0;
    for (const char *d = at; d < end; d++) *out = 10 * *out + (uint64_t)(*d - '0');
    *cast = at > p;
    return at == p || is_cast(p, at);
}

/* The first argument that is such a count; call: a small number may be a rank. */
static bool odd_argument(const char *at, const char *end, bool call, uint64_t *out)
{
    const char *first = at;
    bool cast;
    int depth = 0;

    for (;; at++) {
        if (at < end && memchr("([{", *at, 3)) depth++;
        if (at < end && memchr(")]}", *at, 3)) depth--;
        const bool stops = at == end || depth < 0 || *at == ';';
        if (!stops && (*at != ',' || depth > 0)) continue;
        if (is_constant(first, at, out, &cast) && *out % 16 && (cast || !call || *out > RANKS))
            return true;
        if (stops) return false;
        first = at + 1;
    }
    return false;
}

/* No number is cut. */
static const char *arguments_end(const char *at, const char *end)
{
    if (end - at <= ARGUMENTS) return end;
    for (end = at + ARGUMENTS; end > at && is_name(end[-1]);) end--;
    return end;
}

/* Whether a line of source has one; end: the text's. */
static bool odd_call(const char *line, size_t n, const char *end, uint64_t *out)
{
    const char *stop = line + n;

    for (const char *p = line, *next; p < stop && (next = io_code_past(line, p, stop)) != p;
         p = next) {
        const char *name = p;
        if (*p != '(') continue;
        while (name > line && is_name(name[-1])) name--;
        if (is_bulk_call(name, p) && odd_argument(p + 1, arguments_end(p + 1, end), true, out))
            return true;
    }
    return false;
}

/* The same of an instruction, also in a string. */
static bool odd_copy(const char *line, size_t n, uint64_t *out)
{
    static const char name[] = "cp.async.bulk.";
    const char *end = line + n, *at = memmem(line, n, name, sizeof name - 1), *from;

    if (!at) return false;
    for (from = at += sizeof name - 1; at < end && (is_name(*at) || *at == '.');) at++;
    return at < end && is_bulk_copy(from, at) &&
           odd_argument(at, arguments_end(at, end), false, out);
}

bool io_bulk_odd(const char *text, size_t size, struct io_bulk *out)
{
    const char *end = text + size;
    size_t number = 1;

    for (const char *line = text; line < end; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const size_t n = (size_t)((stop ? stop : end) - line);
        out->line = number;
        if (odd_call(line, n, end, &out->bytes) || odd_copy(line, n, &out->bytes)) return true;
        line += n + 1;
    }
    return false;
}
