/* Reads the log alone: no line of the search, the views or the rules is used here. */
#include "support/log_check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define STATES 4096
#define COSTS                                                                                      \
    7 /* kind, copied, instructions, layout, traffic, shared, steps: compared in order             \
       */
#define MOST_REWRITES 6

struct dim {
    unsigned long long size, stride, tile, grain;
    int plain;
};

struct state {
    unsigned steps, rank;
    struct dim dim[5];
    bool there, judged, expanded;
};

static struct state states[STATES];
static unsigned count;

static int compare(const unsigned long long *a, const unsigned long long *b)
{
    for (int i = 0; i < COSTS; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static bool read_costs(const char *line, unsigned *id, unsigned long long *c)
{
    return sscanf(line, "%*s %u %llu %llu %llu %llu %llu %llu %llu", id, &c[0], &c[1], &c[2], &c[3],
                  &c[4], &c[5], &c[6]) == 8;
}

static bool read_state(const char *line)
{
    struct state s = {.there = true};
    unsigned id;
    int at = 0, used;
    if (sscanf(line, "state %u %u %u%n", &id, &s.steps, &s.rank, &at) != 3) return false;
    if (id != count || id >= STATES || s.rank > 5) return false;
    for (unsigned i = 0; i < s.rank; i++, at += used)
        if (sscanf(line + at, " %llu %llu %llu %llu %d%n", &s.dim[i].size, &s.dim[i].stride,
                   &s.dim[i].tile, &s.dim[i].grain, &s.dim[i].plain, &used) != 5)
            return false;
    states[count++] = s;
    return true;
}

static bool same(const struct state *a, const struct state *b)
{
    if (a->rank != b->rank) return false;
    for (unsigned i = 0; i < a->rank; i++)
        if (a->dim[i].size != b->dim[i].size || a->dim[i].stride != b->dim[i].stride ||
            a->dim[i].tile != b->dim[i].tile)
            return false;
    return true;
}

static bool known(const struct state *s)
{
    for (unsigned i = 0; i < count; i++)
        if (same(s, &states[i])) return true;
    return false;
}

static struct state without(const struct state *s, unsigned dim)
{
    struct state t = *s;
    for (unsigned i = dim; i + 1 < t.rank; i++) t.dim[i] = t.dim[i + 1];
    t.rank--;
    return t;
}

/* Dropping and merging, from their laws. */
static const char *successors_there(const struct state *s)
{
    for (unsigned i = 0; i < s->rank; i++) {
        const struct dim *d = &s->dim[i];
        if (i > 0 && d->size == 1 && d->tile == 1 && d->grain == 0) {
            const struct state t = without(s, i);
            if (!known(&t)) return "a dropped dimension was not followed";
        }
        if (i + 1 == s->rank || !d->plain || !d[1].plain || d->tile != d->size || d->grain ||
            d->stride == 0 || d->size * d->stride != d[1].stride)
            continue;
        struct state t = without(s, i + 1);
        t.dim[i].size = d->size * d[1].size;
        t.dim[i].tile = d->size * d[1].tile;
        if (!known(&t)) return "a merge was not followed";
    }
    return NULL;
}

static const char *next_line(const char *line)
{
    line = strchr(line, '\n');
    return line && line[1] ? line + 1 : NULL;
}

const char *log_is_wrong(const char *log)
{
    unsigned long long best[COSTS], c[COSTS];
    bool any = false;
    unsigned id;
    count = 0;
    for (const char *l = log; l; l = next_line(l)) {
        if (strncmp(l, "state", 5) == 0 && !read_state(l)) return "a state out of order";
        if (strncmp(l, "plan", 4)) continue;
        if (!read_costs(l, &id, c)) return "a plan without its cost";
        if (!any || compare(c, best) < 0) memcpy(best, c, sizeof best);
        any = true;
    }
    for (const char *l = log; l; l = next_line(l)) {
        const bool view = strncmp(l, "view", 4) == 0, pruned = strncmp(l, "pruned", 6) == 0;
        if (!view && !pruned) continue;
        if (!read_costs(l, &id, c) || id >= count || states[id].judged)
            return "a state judged twice";
        states[id].judged = true;
        states[id].expanded = view;
        if (pruned && any && compare(c, best) < 0) return "a state was pruned too early";
    }
    for (unsigned i = 0; i < count; i++) {
        if (!states[i].judged) return "a state was never looked at";
        const char *e = states[i].expanded && states[i].steps < MOST_REWRITES
                            ? successors_there(&states[i])
                            : NULL;
        if (e) return e;
    }
    return count ? NULL : "no states";
}
