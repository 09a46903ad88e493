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
        whole; /* bits: 1 as wished, 2 no piece, nor pairs of another */
};
static struct state {
    u64 id, steps, rank, set, pairs;
    struct dim dim[6];
    u64 judged, expanded, bound[COSTS];
} states[STATES];
static struct limits {
    u64 set, known, box, unit, coord, inner[7];
} limits[8];
static u64 count, aim[7]; /* its third number is the swizzle wished, its fifth that it stays */

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

static bool split_met(const struct state *s, u64 i, u64 size, u64 place)
{
    struct dim d[6];
    for (u64 k = 0; k <= s->rank; k++) d[k] = s->dim[k < place ? k : k - 1];
    d[place] = s->dim[i];
    d[place].size /= size, d[place].tile /= size, d[place].stride *= size;
    d[i].size = d[i].tile = size;
    return met(d, s->rank + 1);
}

static u64 gcd(u64 a, u64 b)
{
    return b ? gcd(b, a % b) : a;
}

/* Every piece was followed; or, where `most` is given, the greatest one that no box is too small
 * for, if that leaves few enough of them. */
static bool pieces_met(const struct state *s, u64 i, u64 unit, u64 most)
{
    const struct dim *d = &s->dim[i];
    const u64 all = gcd(gcd(d->size, d->tile), d->grain);
    for (u64 n = most ? most : MOST_PIECE; n >= 1; n--)
        for (int other = 0; all % n == 0 && other < (most ? 1 : 2); other++) {
            const u64 size = other ? all / n : n;
            if (size < 2 || size % unit || size == d->size) continue;
            if (most && d->tile / size > limits[s->set].box) return false;
            if (!split_met(s, i, size, i + 1) || (i == 0 && !split_met(s, i, size, s->rank)))
                return false;
            if (most) return true;
        }
    return !most;
}

static bool splits_met(const struct state *s)
{
    const struct limits *l = &limits[s->set];
    bool settled = true;
    if (s->rank == 5 || !l->known) return true;
    for (u64 i = 1; i < s->rank; i++)
        if (s->dim[i].es == 1 && s->dim[i].tile > l->box && !pieces_met(s, i, 1, l->box) &&
            !pieces_met(s, i, 1, 0))
            return false;
    if (s->dim[0].es != 1) return true;
    if (s->dim[0].grain % l->coord) return pieces_met(s, 0, 1, 0);
    for (int w = 0; w < 7; w++)
        if (l->inner[w] && s->dim[0].tile > l->inner[w] && (!aim[4] || aim[2] == (u64)w))
            settled = settled && pieces_met(s, 0, l->unit, l->inner[w]);
    return settled || pieces_met(s, 0, l->unit, 0);
}

/* Dimension i left out, or merged with the next, exchanged with the first, or its stride longer. */
static bool dimension_met(const struct state *s, u64 i)
{
    struct dim d[6], e[6], f[6];
    for (u64 k = 0; k < s->rank; k++) e[k] = f[k] = s->dim[k], d[k] = s->dim[k < i ? k : k + 1];
    const bool plain = (e[i].whole & 1) && e[i].es == 1,
               all = e[i].tile == e[i].size && !e[i].grain;
    if (i && all && e[i].size == 1 && !met(d, s->rank - 1)) return false;
    d[i] = (struct dim){e[i].size * d[i].size, e[i].stride, e[i].size * d[i].tile, 0, 1, 1};
    if (i + 1 < s->rank && plain && all && (e[i + 1].whole & 1) && e[i + 1].es == 1 &&
        e[i].stride && e[i].size * e[i].stride == e[i + 1].stride && !met(d, s->rank - 1))
        return false;
    f[0] = e[i], f[i] = e[0];
    if (i && plain && e[0].size == 1 && (e[0].whole & 2) && e[0].es == 1 &&
        e[i].stride == e[0].stride && !met(f, s->rank))
        return false;
    const u64 es = e[i].es ? e[i].es : 1, grain = e[i].grain;
    e[i] =
        (struct dim){(e[i].size - 1) / es + 1, e[i].stride * es, (e[i].tile - 1) / es + 1, 0, 1, 1};
    return i == 0 || es == 1 || !(f[0].whole & 1) || grain % es || met(e, s->rank);
}

static const char *successors_met(const struct state *s)
{
    struct dim pair[6];
    memcpy(pair, s->dim, sizeof pair);
    pair[0].size /= 2, pair[0].tile /= 2, pair[0].stride *= 2;
    if (s->pairs > 1) { /* slices of so many bytes: a dimension of their own, or no successor */
        const u64 size = s->pairs / (s->dim[0].stride ? s->dim[0].stride : 1);
        memcpy(pair + 1, s->dim, 5 * sizeof *pair);
        pair[0] = (struct dim){size, s->dim[0].stride, size, 0, 1, 1};
        pair[1].stride = s->pairs;
        return s->pairs == 2 || met(pair, s->rank + 1) ? NULL : "slices were not followed";
    }
    if (s->pairs && !met(pair, s->rank)) return "a wider type was not followed";
    for (u64 i = 0; i < s->rank; i++)
        if (!dimension_met(s, i)) return "a drop, merge, exchange or stride was not followed";
    return splits_met(s) ? NULL : "a split was not followed";
}

/* A state, the limits of its type, a plan's cost, or what became of a state. */
static const char *read_line(const char *line, u64 *best)
{
    u64 n[40] = {0};
    if (numbers(line, "state", n) == 5 + 6 * (int)n[2] && n[0] == count && count < STATES) {
        memcpy(&states[count++], n, sizeof n);
        return n[3] < 8 ? NULL : "a state without limits";
    }
    if (numbers(line, "aim", n) == 7) memcpy(aim, n, sizeof aim);
    if (numbers(line, "limits", n) == 12 && n[0] < 8) memcpy(&limits[n[0]], n, sizeof limits[0]);
    if (numbers(line, "plan", n) == COSTS + 1 && compare(n + 1, best) < 0)
        memcpy(best, n + 1, COSTS * sizeof *best);
    const bool view = numbers(line, "view", n) > 0;
    if (!view && numbers(line, "pruned", n) < 0 && numbers(line, "leaf", n) < 0) return NULL;
    if (n[0] >= count || (view && states[n[0]].judged)) return "a state judged twice, or unknown";
    states[n[0]].judged = 1;
    states[n[0]].expanded = view;
    memcpy(states[n[0]].bound, n + 1, sizeof states[0].bound);
    return NULL;
}

const char *log_is_wrong(const char *log)
{
    u64 best[COSTS] = {~0ULL};
    const char *wrong = NULL;
    memset(states, 0, sizeof states);
    count = 0;
    for (const char *l = log; l && *l && !wrong; l = strchr(l, '\n') ? strchr(l, '\n') + 1 : NULL)
        wrong = read_line(l, best);
    for (const struct state *s = states; s < states + count && !wrong; s++) {
        if (!s->judged) wrong = "a state was never looked at";
        if (s->judged && !s->expanded && compare(s->bound, best) < 0)
            wrong = "a state was pruned too early";
        if (s->expanded && s->steps < MOST_REWRITES) wrong = successors_met(s);
    }
    return count ? wrong : "no states";
}
