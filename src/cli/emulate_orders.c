#include "cli/emulate_orders.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TURNS = 1 << 16 };

/* A turn that has gone from a state, and what it touched there. */
struct gone {
    uint64_t name;
    struct tmap_emulate_touched touched;
};

/* A state: what could go, what went (the last of it is what goes now), what need not go. */
struct node {
    uint64_t *name;
    uint32_t names;
    struct gone *went, *sleeps;
    uint32_t wents, sleeping;
};

struct orders {
    struct node *node;
    size_t depth, room, at; /* at: of the run */
    bool lost, beyond;
};

static bool meet(const struct tmap_emulate_touched *a, const struct tmap_emulate_touched *b)
{
    for (int i = 0; i < TMAP_EMULATE_TOUCHED; i++)
        if ((a->written[i] & (b->read[i] | b->written[i])) | (a->read[i] & b->written[i]))
            return true;
    return false;
}

static bool among(const struct gone *g, uint32_t n, uint64_t name)
{
    for (uint32_t i = 0; i < n; i++)
        if (g[i].name == name) return true;
    return false;
}

static bool more(void *array, uint32_t n, size_t size)
{
    void **a = array;
    if (n & (n - 1)) return true;
    void *larger = realloc(*a, (n ? 2 * (size_t)n : 1) * size);
    if (larger) *a = larger;
    return larger;
}

static bool keep(struct gone **to, uint32_t *n, const struct gone *g)
{
    if (!more(to, *n, sizeof *g)) return false;
    (*to)[(*n)++] = *g;
    return true;
}

static void drop(struct node *n)
{
    free(n->name);
    free(n->went);
    free(n->sleeps);
    *n = (struct node){0};
}

/* What sleeps after a turn: what slept or went before it, and does not meet it. */
static bool inherit(struct node *to, const struct node *from)
{
    const struct gone *now = &from->went[from->wents - 1];
    for (uint32_t i = 0; i < from->sleeping + from->wents - 1; i++) {
        const struct gone *g =
            i < from->sleeping ? &from->sleeps[i] : &from->went[i - from->sleeping];
        if ((now->touched.nothing || !meet(&g->touched, &now->touched)) &&
            !keep(&to->sleeps, &to->sleeping, g))
            return false;
    }
    return true;
}

/* The first option that neither sleeps nor has gone goes now. What it touches is not known yet. */
static bool go(struct node *n)
{
    struct gone g = {0};
    memset(g.touched.written, 0xff, sizeof g.touched.written);
    for (uint32_t i = 0; i < n->names; i++) {
        g.name = n->name[i];
        if (!among(n->sleeps, n->sleeping, g.name) && !among(n->went, n->wents, g.name))
            return keep(&n->went, &n->wents, &g);
    }
    return false;
}

static bool push(struct orders *o, const uint64_t *name, uint32_t names)
{
    if (o->depth == o->room) {
        const size_t room = o->room ? 2 * o->room : 64;
        struct node *larger = realloc(o->node, room * sizeof *larger);
        if (!larger) return false;
        o->node = larger;
        o->room = room;
    }
    struct node *n = &o->node[o->depth];
    *n = (struct node){.name = malloc(names * sizeof *name), .names = names};
    if (!n->name) return false;
    memcpy(n->name, name, names * sizeof *name);
    o->depth++;
    return o->depth < 2 || inherit(n, n - 1);
}

static uint32_t number_of(const struct node *n, const uint64_t *name, uint32_t names)
{
    for (uint32_t i = 0; i < names; i++)
        if (name[i] == n->went[n->wents - 1].name) return i;
    return names;
}

static uint32_t choose(void *self, const uint64_t *name, uint32_t names,
                       const struct tmap_emulate_touched *last)
{
    struct orders *o = self;
    if (last && o->at == o->depth) {
        struct node *before = &o->node[o->at - 1];
        before->went[before->wents - 1].touched = *last;
    }
    if (o->at == MOST_TURNS) return o->beyond = true, names;
    if (o->at == o->depth) {
        if (!push(o, name, names)) return o->lost = true, names;
        if (!go(&o->node[o->at])) return names; /* all that could go has been seen */
    }
    return number_of(&o->node[o->at++], name, names);
}

/* To the last state where something else can go; false when there is none. After a turn that only
 * waited on, the state is the same, so that what else could go has gone from there. */
static bool next(struct orders *o)
{
    while (o->depth > 0) {
        struct node *n = &o->node[o->depth - 1];
        const bool same = n->wents && n->went[n->wents - 1].touched.nothing;
        if (!same && n->wents && go(n)) return true;
        drop(n);
        o->depth--;
    }
    return false;
}

enum tmap_status emulate_orders(const struct tmap_emulate_module *module,
                                const struct tmap_emulate_launch *launch, uint64_t runs,
                                const struct emulate_looks *looks, struct emulate_seen *seen)
{
    enum { MOST_FINDINGS = 16 };
    struct tmap_emulate_launch how = *launch;
    struct tmap_emulate_finding finding[MOST_FINDINGS];
    struct tmap_emulate_result result;
    struct orders o = {0};
    enum tmap_status status = TMAP_OK;
    bool again = true;
    size_t found;
    how.schedule = TMAP_EMULATE_CHOSEN;
    *seen = (struct emulate_seen){0};
    for (; again && status == TMAP_OK && seen->runs < runs; again = again && next(&o)) {
        const struct tmap_emulate_watch watch = {
            .size = sizeof watch, .self = &o, .choose = choose};
        o.at = 0;
        looks->before(looks->self);
        status =
            tmap_emulate_run_watched(module, &how, &watch, finding, MOST_FINDINGS, &found, &result);
        seen->runs++;
        seen->orders += result.finished || found;
        if (o.lost) status = TMAP_E_MEMORY;
        if (status == TMAP_OK && (result.finished || found))
            again = looks->each(looks->self, finding, found < MOST_FINDINGS ? found : MOST_FINDINGS,
                                &result);
    }
    seen->all = !again && !o.depth && !o.beyond;
    while (o.depth > 0) drop(&o.node[--o.depth]);
    free(o.node);
    return status;
}
