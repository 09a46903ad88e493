// What each warp did to slots, as symbols: several touches of a slot are one read, which ends where
// nothing can still be reading.
#include "emulate/protocol/reader.h"

#include <stdlib.h>
#include <string.h>

void say_symbol(struct reader *r, const struct act *a, struct symbol s)
{
    struct said *d = r->said;
    if (d->count == d->room) {
        const uint32_t room = d->room ? 2 * d->room : 64;
        struct symbol *larger = realloc(d->symbol, room * sizeof *larger);
        if (!larger) {
            r->f->memory = true;
            return;
        }
        d->symbol = larger;
        d->room = room;
    }
    s.line = a->line;
    d->symbol[d->count++] = s;
}

struct symbol *last_said(const struct reader *r)
{
    return r->said->count ? &r->said->symbol[r->said->count - 1] : NULL;
}

static void end_read(struct reader *r, const struct act *a, uint32_t i)
{
    const struct open_read o = r->open[i];
    memmove(&r->open[i], &r->open[i + 1], (--r->opens - i) * sizeof o);
    say_symbol(r, a, (struct symbol){.op = TMAP_STEP_DONE, .x = o.buffer, .index = o.slot});
}

// Reads by the warp itself have ended when it does anything else.
void end_plain_reads(struct reader *r, const struct act *a)
{
    for (uint32_t i = 0; i < r->opens;) {
        if (r->open[i].fetches || r->open[i].products)
            i++;
        else
            end_read(r, a, i);
    }
}

// The slot's read, which has been said, is a product's, too.
static void be_multiplied(struct reader *r, const struct range *g)
{
    struct symbol *s = last_said(r);
    while (s->op != TMAP_STEP_READ || s->x != g->buffer || s->index != g->slot) s--;
    s->own = false;
}

// A later read of a slot that is being read: a product's ends with the later one's group, and so
// does that of a warp that multiplies what it is reading itself.
static bool reads_on(struct reader *r, const struct range *g, bool products)
{
    for (uint32_t i = 0; i < r->opens; i++) {
        struct open_read *o = &r->open[i];
        if (o->buffer != g->buffer || o->slot != g->slot) continue;
        o->group = r->groups;
        o->products = o->products || products;
        if (products) be_multiplied(r, g);
        return true;
    }
    return false;
}

static bool begin_read(struct reader *r, const struct act *a, const struct range *g)
{
    const bool fetches = a->op == ACT_FETCH, products = a->op == ACT_TENSOR_READ;
    struct symbol *last = last_said(r);
    if (reads_on(r, g, products)) return true;
    if (r->opens == MOST_OPEN) return fold_fail(r->f, a->line, "reads too many slots at once");
    r->open[r->opens++] = (struct open_read){g->buffer, g->slot, r->groups, fetches, products};
    // What ended just now goes on.
    if (last && last->op == TMAP_STEP_DONE && last->x == g->buffer && last->index == g->slot) {
        r->said->count--;
        if (products) be_multiplied(r, g);
        return true;
    }
    const uint8_t ctas = a->cta == a->by_cta ? 0 : cta_bit(a->cta);
    say_symbol(r, a,
               (struct symbol){.op = TMAP_STEP_READ,
                               .x = g->buffer,
                               .ctas = ctas,
                               .index = g->slot,
                               .own = !products});
    return true;
}

// A product of a pair reads both blocks' slot, and sums into both blocks' columns.
static bool widen(struct reader *r, const struct act *a, uint8_t op, const struct range *g)
{
    for (uint32_t i = r->said->count; i-- > 0;) {
        struct symbol *s = &r->said->symbol[i];
        if (s->op != TMAP_STEP_READ && s->op != TMAP_STEP_BEGIN) return false;
        if (s->op != op || s->x != g->buffer || s->index != g->slot) continue;
        const uint8_t own = s->ctas ? s->ctas : cta_bit((uint8_t)a->by_cta);
        if ((own | cta_bit(a->cta)) != cta_bit((uint8_t)a->by_cta)) s->ctas = own | cta_bit(a->cta);
        return true;
    }
    return false;
}

static void begin_sum(struct reader *r, const struct act *a, const struct range *g)
{
    if (widen(r, a, TMAP_STEP_BEGIN, g)) return;
    r->is_sum_open[g->buffer] = true;
    r->sum_slot[g->buffer] = g->slot;
    const uint8_t ctas = a->cta == a->by_cta ? 0 : cta_bit(a->cta);
    say_symbol(
        r, a,
        (struct symbol){.op = TMAP_STEP_BEGIN, .x = g->buffer, .ctas = ctas, .index = g->slot});
}

// Warps that are done with a ring write where they like: into any of its slots, each of which would
// be filled next. The first time in a ring says it all.
static bool rewrite(struct reader *r, const struct act *a, uint8_t buffer)
{
    const uint32_t depth = r->f->buffer[buffer].depth;
    if (r->is_rewritten[buffer]) return true;
    if (a->cta != a->by_cta) return fold_fail(r->f, a->line, "writes into another CTA's slot");
    r->rewrote = r->is_rewritten[buffer] = true;
    for (uint8_t i = 0; i < depth; i++)
        say_symbol(r, a,
                   (struct symbol){
                       .op = TMAP_STEP_BEGIN, .x = buffer, .index = 0, .behind = (uint8_t)(1 + i)});
    return true;
}

static bool write(struct reader *r, const struct act *a, const struct range *g)
{
    if (!r->f->group) return rewrite(r, a, g->buffer);
    for (uint32_t i = r->said->count; i-- > 0 && r->said->symbol[i].op == TMAP_STEP_WRITE;)
        if (r->said->symbol[i].x == g->buffer && r->said->symbol[i].index == g->slot) return true;
    r->wrote = true;
    say_symbol(r, a, (struct symbol){.op = TMAP_STEP_WRITE, .x = g->buffer, .index = g->slot});
    return true;
}

// One slot may go to several places; a group of stores has read it once.
static bool is_in_group(const struct reader *r, const struct symbol *s)
{
    uint32_t left = r->in_group; // all of which have been said
    for (uint32_t i = r->said->count; left > 0;) {
        const struct symbol *o = &r->said->symbol[--i];
        if (o->op != TMAP_STEP_STORE) continue;
        if (o->x == s->x && o->index == s->index) return true;
        left--;
    }
    return false;
}

// What warps wrote there is staging.
static void store(struct reader *r, const struct act *a, const struct range *g)
{
    const struct symbol s = {.op = TMAP_STEP_STORE, .x = g->buffer, .index = g->slot};
    if (r->rewrote || is_in_group(r, &s)) return;
    r->stored = true;
    r->in_group++;
    say_symbol(r, a, s);
}

static bool touch_range(struct reader *r, const struct act *a, const struct range *g)
{
    switch (a->op) {
    case ACT_SUM:
        begin_sum(r, a, g);
        return true;
    case ACT_STORE:
        store(r, a, g);
        return true;
    case ACT_FORWARD: // when it has read, its own barrier alone tells
        if (r->rewrote) return true;
        return fold_fail(r->f, a->line, "a copy within shared memory reads a slot");
    case ACT_WRITE:
        return write(r, a, g);
    case ACT_TENSOR_READ:
        return widen(r, a, TMAP_STEP_READ, g) ? reads_on(r, g, true) : begin_read(r, a, g);
    default:
        return r->f->group ? true : begin_read(r, a, g);
    }
}

bool touch_slots(struct reader *r, const struct act *a)
{
    const uint8_t space = a->op == ACT_SUM || a->op == ACT_FETCH ? SPACE_TENSOR : SPACE_SHARED;
    for (uint32_t i = 0; i < r->f->ranges; i++) {
        const struct range *g = &r->f->range[i];
        if (r->f->space[g->buffer] != space || g->cta != a->cta || g->to <= a->at ||
            a->at + a->bytes <= g->from)
            continue;
        if (!touch_range(r, a, g) || r->f->memory) return false;
    }
    return true;
}

void end_groups(struct reader *r, const struct act *a)
{
    for (uint32_t i = 0; i < r->opens;) {
        const struct open_read *o = &r->open[i];
        if (o->products && o->group + a->value < r->groups)
            end_read(r, a, i);
        else
            i++;
    }
}

void end_fetches(struct reader *r, const struct act *a)
{
    for (uint32_t i = 0; i < r->opens;) {
        if (r->open[i].fetches)
            end_read(r, a, i);
        else
            i++;
    }
}
