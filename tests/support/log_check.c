/* Reads the log alone: no line of the search, the views or the rules is used here. */
#include "support/log_check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define STATES 4096
#define COSTS 8 /* kind, copied, instructions, maps, layout, traffic, shared, steps, in order */
#define MOST_REWRITES 6
#define MOST_PIECE 1000 /* of a split, or its cofactor */

typedef unsigned long long u64;
struct dim {
    u64 size, stride, tile, grain, es,
        whole; /* bits: 1 as requested, 2 no piece, nor another's pairs */
};
static struct state {
    u64 id, steps, rank, set, pairs;
    struct dim dim[6];
    u64 fate, bound[COSTS]; /* 1: pruned by that bound, 2: expanded */
} states[STATES];
static struct limits {
    u64 set, known, box, unit, coord, inner[7];
} limits[8];
static u64 count,
    objective[7]; /* its third number is the swizzle requested, its fifth that it stays */

/* The numbers after a line's first word, at most 40, if that is `word`. */
static int numbers(const char *line, const char *word, u64 *n)
{
    int k = 0;
    const size_t length = strlen(word);
    if (strncmp(line, word, length)) return -1;
    for (line += length; k < 40 && *line == ' ' && line[1] != '|'; k++)
        n[k] = strtoull(line, (char **)&line, 10);
    return k;
}

static int compare(const u64 *a, const u64 *b)
{
    for (int i = 0; i < COSTS; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Whether dimensions d, n of them, were met as a state. */
static bool met(const struct dim *d, u64 n)
{
    for (const struct state *s = states; s < states + count; s++) {
        u64 i = s->rank == n ? 0 : n + 1;
        while (i < n && memcmp(&d[i], &s->dim[i], 3 * sizeof(u64)) == 0) i++;
        if (i == n) return true;
    }
    return false;
}

/* The pieces next to the dimension; those of the first also outside of all others. */
static bool split_met(const struct state *s, u64 i, u64 size, u64 place)
{
    struct dim d[6];
    for (u64 k = 0; k <= s->rank; k++) d[k] = s->dim[k < place ? k : k - 1];
    d[place] = s->dim[i];
    d[place].size /= size, d[place].tile /= size, d[place].stride *= size;
    d[i].size = d[i].tile = size;
    return met(d, s->rank + 1) && (i || place == s->rank || split_met(s, i, size, s->rank));
}

static u64 gcd(u64 a, u64 b)
{
    return b ? gcd(b, a % b) : a;
}

/* The greatest piece of at most `most` was followed, if it leaves few enough; or every piece was.
 */
static bool pieces_met(const struct state *s, u64 i, u64 unit, u64 most)
{
    const struct dim d = s->dim[i];
    const u64 all = gcd(gcd(d.size, d.tile), d.grain);
    while (most > 1 && (all % most || most % unit || most == d.size)) most--;
    if (most > 1 && d.tile / most <= limits[s->set].box && split_met(s, i, most, i + 1))
        return true;
    for (u64 n = 1; n <= MOST_PIECE; n++)
        for (u64 size = n, k = 0; all % n == 0 && k < 2; k++, size = all / n)
            if (size > 1 && size % unit == 0 && size != d.size && !split_met(s, i, size, i + 1))
                return false;
    return true;
}

static bool splits_met(const struct state *s)
{
    const struct limits *l = &limits[s->set];
    const struct dim *d = s->dim;
    if (s->rank == 5 || !l->known) return true;
    for (u64 i = 1; i < s->rank; i++)
        if (d[i].es == 1 && d[i].tile > l->box && !pieces_met(s, i, 1, l->box)) return false;
    if (d->es != 1 || d->grain % l->coord) return d->es != 1 || pieces_met(s, 0, 1, 0);
    for (int w = 0; w < 7; w++)
        if (l->inner[w] && d->tile > l->inner[w] && (!objective[4] || objective[2] == (u64)w) &&
            !pieces_met(s, 0, l->unit, l->inner[w]))
            return false;
    return true;
}

/* Dimension i left out, or merged with the next, exchanged with the first, or its stride longer. */
static bool dimension_met(const struct state *s, u64 i)
{
    const struct dim x = s->dim[i], y = s->dim[i + 1], first = s->dim[0];
    const bool plain = (x.whole & 1) && x.es == 1, all = x.tile == x.size && !x.grain;
    const u64 es = x.es ? x.es : 1;
    struct dim d[6], e[6];
    for (u64 k = 0; k < s->rank; k++) d[k] = s->dim[k < i ? k : k + 1], e[k] = s->dim[k];
    if (i && all && x.size == 1 && !met(d, s->rank - 1)) return false;
    d[i] = x, d[i].size *= y.size, d[i].tile = x.size * y.tile;
    if (plain && all && (y.whole & 1) && y.es == 1 && x.stride && x.size * x.stride == y.stride &&
        !met(d, s->rank - 1))
        return false;
    e[i].size = (x.size - 1) / es + 1, e[i].tile = (x.tile - 1) / es + 1, e[i].stride *= es;
    if (i && es > 1 && (x.whole & 1) && x.grain % es == 0 && !met(e, s->rank)) return false;
    e[0] = x, e[i] = first;
    return i == 0 || !plain || first.size != 1 || !(first.whole & 2) || first.es != 1 ||
           x.stride != first.stride || met(e, s->rank);
}

/* The slices of an interleaved state, s->pairs bytes each (2: it has no successor), or two elements
 * as one; and for each dimension what it alone gives. */
static const char *successors_met(const struct state *s)
{
    const u64 slices = s->pairs > 1, bytes = s->dim[0].stride;
    struct dim d[6];
    memcpy(d + slices, s->dim, 5 * sizeof *d);
    d[0].size = slices ? s->pairs / (bytes ? bytes : 1) : d->size / 2;
    d[0].tile = slices ? d->size : d->tile / 2, d[0].stride = bytes * (2 - slices);
    if (slices) d[1].stride = s->pairs;
    if (s->pairs && s->pairs != 2 && !met(d, s->rank + slices))
        return "slices or a wider type were not followed";
    for (u64 i = 0; i < s->rank && !slices; i++)
        if (!dimension_met(s, i)) return "a drop, merge, exchange or stride was not followed";
    return slices || splits_met(s) ? NULL : "a split was not followed";
}

/* A state, the limits of its type, a plan's cost, or what became of a state. */
static const char *read_line(const char *line, u64 *best)
{
    u64 n[40] = {0};
    if (numbers(line, "state", n) == 5 + 6 * (int)n[2] && n[0] == count && count < STATES) {
        memcpy(&states[count++], n, sizeof n);
        return n[3] < 8 ? NULL : "a state without limits";
    }
    if (numbers(line, "objective", n) == 7) memcpy(objective, n, sizeof objective);
    if (numbers(line, "limits", n) == 12 && n[0] < 8) memcpy(&limits[n[0]], n, sizeof limits[0]);
    if (numbers(line, "plan", n) == COSTS + 1 && compare(n + 1, best) < 0)
        memcpy(best, n + 1, COSTS * sizeof *best);
    const bool view = numbers(line, "view", n) > 0;
    if (!view && numbers(line, "pruned", n) < 0 && numbers(line, "leaf", n) < 0) return NULL;
    if (n[0] >= count || (view && states[n[0]].fate)) return "a state judged twice, or unknown";
    states[n[0]].fate = 1 + view;
    memcpy(states[n[0]].bound, n + 1, sizeof states[0].bound);
    return NULL;
}

const char *log_is_wrong(const char *log)
{
    u64 best[COSTS] = {~0ULL};
    const char *wrong = NULL;
    memset(states, 0, sizeof states), count = 0;
    for (const char *l = log; l && *l && !wrong; l = strchr(l, '\n') ? strchr(l, '\n') + 1 : NULL)
        wrong = read_line(l, best);
    for (const struct state *s = states; s < states + count && !wrong; s++) {
        if (!s->fate) return "a state was never looked at";
        if (s->fate == 1 && compare(s->bound, best) < 0) return "a state was pruned too early";
        if (s->fate == 2 && s->steps < MOST_REWRITES) wrong = successors_met(s);
    }
    return count ? wrong : "no states";
}

bool log_text(const struct tmap_search_log *log, char *out, size_t size)
{
    size_t at = 0;
    if (log->count > log->capacity || size == 0) return false;
    for (size_t i = 0; i < log->count; i++) {
        at += tmap_search_text(&log->events[i], out + at, size - at);
        if (at + 1 >= size) return false;
        out[at++] = '\n';
    }
    out[at] = 0;
    return true;
}
