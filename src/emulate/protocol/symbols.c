// What each warp did, as symbols: several copies to one slot are one, several touches of a slot one
// read (slots.c).
#include "emulate/protocol/reader.h"

#include <string.h>

enum { NO_BUFFER = UINT8_MAX };

// Objects that a symbol of a ring names.
uint32_t objects_of(const struct symbol *s, uint8_t out[2])
{
    switch (s->op) {
    case TMAP_STEP_WAIT:
    case TMAP_STEP_WAIT_FREE:
    case TMAP_STEP_ARRIVE:
    case TMAP_STEP_EXPECT:
        out[0] = s->x;
        return 1;
    case TMAP_STEP_COMMIT:
        out[0] = s->y;
        if (s->x == UINT8_MAX) return 1;
        out[1] = (uint8_t)object_of_buffer(s->x);
        return 2;
    case TMAP_STEP_LOAD:
        out[0] = s->y;
        out[1] = (uint8_t)object_of_buffer(s->x);
        return 2;
    default:
        out[0] = (uint8_t)object_of_buffer(s->x);
        return 1;
    }
}

bool same_symbol(const struct symbol *a, const struct symbol *b)
{
    return a->op == b->op && a->x == b->x && a->y == b->y && a->ctas == b->ctas &&
           a->signal == b->signal && a->count == b->count && a->bytes == b->bytes;
}

// The slot is kept in the index until generations are counted.
static void of_barrier(const struct reader *r, const struct act *a, struct symbol *s)
{
    uint8_t array = 0, slot = 0;
    barrier_named(r->f, a, &array, &slot);
    if (s->op == TMAP_STEP_LOAD || s->op == TMAP_STEP_COMMIT)
        s->y = array;
    else
        s->x = array;
    s->index = slot;
}

// Of the same slot, one after another: to other CTAs, or once more.
static bool arrive(struct reader *r, const struct act *a, uint8_t op)
{
    struct symbol s = {.op = op, .ctas = cta_bit(a->barrier_cta), .bytes = a->bytes};
    s.count = a->value;
    if (a->value == 0) return fold_fail(r->f, a->line, "expects bytes without arriving");
    end_plain_reads(r, a);
    of_barrier(r, a, &s);
    struct symbol *last = last_said(r);
    if (last && last->op == op && last->x == s.x && last->index == s.index &&
        last->bytes == s.bytes && last->line == a->line &&
        (last->ctas == s.ctas || (!(last->ctas & s.ctas) && last->count == s.count))) {
        if (last->ctas == s.ctas) last->count += s.count;
        last->ctas |= s.ctas;
        return true;
    }
    say_symbol(r, a, s);
    return true;
}

static void load(struct reader *r, const struct act *a)
{
    struct symbol s = {.op = TMAP_STEP_LOAD,
                       .ctas = cta_bit(a->cta),
                       .signal = a->barrier_cta == a->cta ? 0 : (uint8_t)(a->barrier_cta + 1),
                       .bytes = a->value};
    end_plain_reads(r, a);
    of_barrier(r, a, &s);
    for (uint32_t i = 0; i < r->f->ranges; i++) {
        const struct range *g = &r->f->range[i];
        if (g->slot == s.index && g->cta == a->cta && r->f->space[g->buffer] == SPACE_SHARED &&
            g->from <= a->at && a->at < g->to)
            s.x = g->buffer;
    }
    for (uint32_t i = r->said->count; i-- > 0 && r->said->symbol[i].op == TMAP_STEP_LOAD;) {
        struct symbol *o = &r->said->symbol[i];
        if (o->x != s.x || o->index != s.index || o->ctas != s.ctas || o->signal != s.signal)
            continue;
        o->bytes += s.bytes;
        return;
    }
    say_symbol(r, a, s);
}

// The CTAs whose columns the last sum is in: one is under way, and all are of one buffer.
static uint8_t sum_ctas(const struct reader *r)
{
    const struct symbol *s = last_said(r);
    while (s->op != TMAP_STEP_BEGIN) s--;
    return s->ctas;
}

// A commit ends the reads of its barrier's own slot; sums are whole at one that ends none.
static void commit(struct reader *r, const struct act *a)
{
    struct symbol s = {.op = TMAP_STEP_COMMIT, .x = NO_BUFFER, .ctas = cta_bit(a->barrier_cta)};
    struct symbol *last = last_said(r);
    of_barrier(r, a, &s);
    const bool same =
        last && last->op == TMAP_STEP_COMMIT && last->y == s.y && last->index == s.index;
    if (same && last->line == a->line && !(last->ctas & s.ctas)) { // to another CTA, too
        last->ctas |= s.ctas;
        return;
    }
    bool products = false;
    for (uint32_t i = 0; i < r->opens; i++) {
        const struct open_read o = r->open[i];
        if (!o.products) continue;
        products = true;
        if (o.slot != s.index || r->f->buffer[o.buffer].depth != r->f->barrier[s.y].depth) continue;
        s.x = o.buffer;
        memmove(&r->open[i], &r->open[i + 1], (--r->opens - i) * sizeof o);
        break;
    }
    // One more to a slot tells what the first one did.
    for (uint8_t b = 0; b < r->f->buffers && !products && !same; b++) {
        if (!r->is_sum_open[b]) continue;
        r->is_sum_open[b] = false;
        say_symbol(
            r, a,
            (struct symbol){
                .op = TMAP_STEP_WRITE, .x = b, .ctas = sum_ctas(r), .index = r->sum_slot[b]});
    }
    say_symbol(r, a, s);
}

// Lanes of a warp may pass one after another, and the first of them read before the last has
// passed.
static bool has_passed(const struct reader *r, const struct act *a, const struct symbol *wait)
{
    for (uint32_t i = r->said->count; i-- > 0;) {
        const struct symbol *s = &r->said->symbol[i];
        if (s->op == TMAP_STEP_READ || s->op == TMAP_STEP_DONE) continue;
        return same_symbol(s, wait) && s->index == wait->index &&
               (a->op == ACT_WAIT || s->line == a->line);
    }
    return false;
}

static bool wait(struct reader *r, const struct act *a)
{
    struct symbol s = {.op = a->op == ACT_LOOK ? SYMBOL_LOOK : TMAP_STEP_WAIT,
                       .y = (uint8_t)a->value,
                       .ctas = a->op == ACT_LOOK ? (uint8_t)a->at : 0,
                       .count = a->bytes};
    end_plain_reads(r, a);
    of_barrier(r, a, &s);
    if (!has_passed(r, a, &s)) say_symbol(r, a, s);
    return true;
}

// Of a whole CTA or cluster; of the group's warps, where it is its protocol.
static void meet(struct reader *r, const struct act *a)
{
    const bool whole = meets_whole(r->f, a), rewrites = r->f->rewrites && !r->rewrote;
    if (r->f->group ? whole == r->f->some_meet : !whole && !rewrites) return;
    const struct symbol s = {
        .op = a->cta ? TMAP_STEP_PASS : TMAP_STEP_SYNC, .x = (uint8_t)a->at, .index = -1};
    r->wrote = false;
    end_plain_reads(r, a);
    say_symbol(r, a, s);
}

static void meet_cluster(struct reader *r, const struct act *a)
{
    if (r->f->group) return;
    r->arrived_cluster = a->value == 0;
    if (a->value)
        say_symbol(r, a, (struct symbol){.op = TMAP_STEP_SYNC, .x = UINT8_MAX, .index = -1});
}

static void plain(struct reader *r, const struct act *a, uint8_t op)
{
    const struct symbol *last = last_said(r);
    if (!last || last->op != op) say_symbol(r, a, (struct symbol){.op = op, .index = -1});
}

// Several barriers one after another are one step. One that was made has been said before: there is
// a last symbol, though this one found no memory.
static void init(struct reader *r, const struct act *a)
{
    uint8_t array, slot;
    end_plain_reads(r, a);
    plain(r, a, TMAP_STEP_INIT);
    if (!barrier_named(r->f, a, &array, &slot)) return;
    if (r->made[array][slot]) last_said(r)->again = true;
    r->made[array][slot] = true;
}

static void end_group(struct reader *r)
{
    if (r->in_group == 0) return;
    r->uneven = r->uneven || (r->group_stores && r->group_stores != r->in_group);
    r->group_stores = r->in_group;
    r->in_group = 0;
}

// Of the automaton's stores each is a group.
static bool wait_read(struct reader *r, const struct act *a)
{
    struct symbol s = {.op = TMAP_STEP_WAIT_READ, .index = -1};
    if (a->value && r->uneven) return fold_fail(r->f, a->line, "groups of several sizes");
    s.bytes = a->value * (r->group_stores ? r->group_stores : 1);
    say_symbol(r, a, s);
    return true;
}

static bool read_staging(struct reader *r, const struct act *a)
{
    switch (a->op) {
    case ACT_FENCE:
        if (r->wrote) plain(r, a, TMAP_STEP_FENCE);
        return true;
    case ACT_STORES_END:
        end_group(r);
        return true;
    case ACT_WAIT_READ:
        return wait_read(r, a);
    default:
        return true;
    }
}

// What says something of the warp's, and never refuses.
static void read_plain(struct reader *r, const struct act *a)
{
    switch (a->op) {
    case ACT_INIT:
        init(r, a);
        break;
    case ACT_FENCE_INIT:
        plain(r, a, TMAP_STEP_FENCE_INIT);
        break;
    case ACT_LOAD:
        load(r, a);
        break;
    case ACT_COMMIT:
        commit(r, a);
        break;
    case ACT_FENCE:
        end_plain_reads(r, a);
        break;
    case ACT_FETCHED:
        end_fetches(r, a);
        break;
    case ACT_STORES_END:
        end_group(r);
        break;
    case ACT_GROUP:
        r->groups++;
        break;
    default: // ACT_GROUPS_DONE
        end_groups(r, a);
        break;
    }
}

static bool read_barriers(struct reader *r, const struct act *a)
{
    switch (a->op) {
    case ACT_WAIT:
    case ACT_LOOK:
        return wait(r, a);
    case ACT_ARRIVE:
        return arrive(r, a, TMAP_STEP_ARRIVE);
    case ACT_EXPECT:
        return arrive(r, a, TMAP_STEP_EXPECT);
    case ACT_DROP: // a protocol's barriers have as many arrivals in every phase
        return fold_fail(r->f, a->line, "drops out of the barrier's later phases");
    case ACT_SIGNAL: // which bytes it tells of is not recorded
        return fold_fail(r->f, a->line, "signals the barrier of bytes that no bulk copy brings");
    case ACT_WAIT_READ:
        return !r->stored || wait_read(r, a);
    default:
        read_plain(r, a);
        return true;
    }
}

// Of a ring's slots; its own writes and their stores are none.
static bool uses_ring(const struct act *a)
{
    switch (a->op) {
    case ACT_WAIT:
    case ACT_LOAD:
    case ACT_COMMIT:
    case ACT_EXPECT:
    case ACT_TENSOR_READ:
        return true;
    default:
        return false;
    }
}

static bool read_act(struct reader *r, const struct act *a)
{
    if (r->rewrote && uses_ring(a))
        return fold_fail(r->f, a->line, "has written where copies land, and goes on in the ring");
    if (r->arrived_cluster && a->op != ACT_MEET_CLUSTER)
        return fold_fail(r->f, a->line, "does more between arriving at the cluster and waiting");
    switch (a->op) {
    case ACT_MEET:
        meet(r, a);
        return true;
    case ACT_MEET_CLUSTER:
        meet_cluster(r, a);
        return true;
    case ACT_READ:
    case ACT_WRITE:
    case ACT_STORE:
    case ACT_FORWARD:
    case ACT_TENSOR_READ:
    case ACT_SUM:
    case ACT_FETCH:
        return touch_slots(r, a);
    default:
        return r->f->group ? read_staging(r, a) : read_barriers(r, a);
    }
}

bool read_warp(struct fold *f, struct program *p, size_t run)
{
    struct reader r = {.f = f, .said = &p->said[run]};
    const struct act *last = NULL;
    for (size_t i = 0; i < f->run[run]->count; i++) {
        const struct act *a = &f->run[run]->act[i];
        if (a->by_cta != p->cta || a->by_warp != p->warp) continue;
        if (!read_act(&r, a) || f->memory) return false;
        last = a;
    }
    // Who has left reads no more.
    if (last) end_plain_reads(&r, last);
    return !f->memory;
}
