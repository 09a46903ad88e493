// Looks at a phase that is waited for later, if at all (mbarrier.test_wait): a warp looks at the
// next slot, does more, and waits for the slot unless it was there. That is settled as the wait,
// where it is or would be; the look is left out. It is the same protocol: who has seen the phase
// end would pass the wait, and who waits has not. A look cannot take an earlier phase for the one
// meant, since the warp has waited for all of these before: between the look and its wait it asks
// for no other slot of those barriers, and it neither meets others nor makes barriers.
//
// What follows an answer is what the runs show (record.h): a yes stands for a wait where the warp
// does the same after a no, but for that wait; and after a no it may wait where it does the same
// after a yes, too. A wait that is left out after a look at another phase is none.
#include "emulate/protocol/fold.h"

enum { MOST_SITES = MOST_LOOKING };
#define NOWHERE UINT32_MAX

// An instruction that looks at phases of an array of barriers.
struct site {
    uint32_t line;
    uint8_t array;
    bool waits;  // after a no, for that phase
    bool passes; // after a no it uses the slot all the same
    bool skips;  // a yes saves a wait for another phase
};

struct looks {
    struct fold *f;
    struct program *p;
    struct site site[MOST_SITES];
    uint32_t sites;
};

// One of the warp's looks; next: where the warp then asks for a slot of the same barriers, or meets
// others, or makes barriers; last: the same, once all looks at that phase have been answered.
struct look {
    const struct said *said;
    uint32_t at, next, last;
};

static bool is_look(const struct symbol *s)
{
    return s->op == SYMBOL_LOOK;
}

static bool is_no(const struct symbol *s)
{
    return is_look(s) && s->count == 0;
}

static const struct symbol *symbol_of(const struct look *l)
{
    return &l->said->symbol[l->at];
}

static bool asks(const struct symbol *s)
{
    return is_look(s) || s->op == TMAP_STEP_WAIT;
}

static uint32_t next_ask(const struct said *d, uint32_t i)
{
    for (uint32_t k = i + 1; k < d->count; k++) {
        const struct symbol *s = &d->symbol[k];
        if ((asks(s) && s->x == d->symbol[i].x) || is_meeting(s)) return k;
        if (s->op == TMAP_STEP_INIT || s->op == TMAP_STEP_FENCE_INIT) return k;
    }
    return d->count;
}

static bool asks_at(const struct look *l, uint32_t k)
{
    return k < l->said->count && asks(&l->said->symbol[k]);
}

// For the phase that it looks at.
static bool asks_same(const struct look *l, uint32_t k)
{
    const struct symbol *a = symbol_of(l), *b = &l->said->symbol[k];
    return asks_at(l, k) && b->index == a->index && b->y == a->y;
}

// Lanes that have parted look each for themselves: an answer to some is none to the others.
static bool leaves_open(const struct look *l, const struct symbol *later)
{
    return is_no(later) || (is_look(later) && later->ctas != symbol_of(l)->ctas);
}

static struct look look_at(const struct said *d, uint32_t i)
{
    struct look l = {d, i, next_ask(d, i), 0};
    l.last = l.next;
    while (asks_same(&l, l.last) && leaves_open(&l, &d->symbol[l.last]))
        l.last = next_ask(d, l.last);
    return l;
}

// NULL: there are too many.
static struct site *site_of(struct looks *l, const struct symbol *look)
{
    uint32_t i = 0;
    while (i < l->sites && (l->site[i].line != look->line || l->site[i].array != look->x)) i++;
    if (i == MOST_SITES) return NULL;
    if (i == l->sites) l->site[l->sites++] = (struct site){.line = look->line, .array = look->x};
    return &l->site[i];
}

// Where the look's warp first does what follows the ask after another look, if it does the same
// until then and does not ask; NOWHERE otherwise.
static uint32_t place_like(const struct look *l, const struct look *other)
{
    const struct said *d = l->said, *o = other->said;
    uint32_t j = l->at;
    for (uint32_t k = other->at + 1; k < o->count; k++) {
        if (is_look(&o->symbol[k]) || k == other->last) continue;
        do j++;
        while (j < l->next && is_look(&d->symbol[j]));
        if (j >= l->next || !same_symbol(&d->symbol[j], &o->symbol[k])) return NOWHERE;
        if (k > other->last) return j;
    }
    return NOWHERE;
}

// Whether both warps do the same up to the next ask.
static bool go_on_alike(const struct look *a, const struct look *b)
{
    uint32_t i = a->at + 1, k = b->at + 1;
    while (true) {
        while (i < a->next && is_look(&a->said->symbol[i])) i++;
        while (k < b->next && is_look(&b->said->symbol[k])) k++;
        if (i == a->next || k == b->next) return i == a->next && k == b->next;
        if (!same_symbol(&a->said->symbol[i++], &b->said->symbol[k++])) return false;
    }
}

// Goes through the warp's looks by the same instruction that were answered so.
struct finder {
    const struct program *p;
    size_t runs, run;
    uint32_t at;
    const struct symbol *like;
    bool no;
};

static struct finder find_looks(const struct looks *l, const struct look *like, bool no)
{
    return (struct finder){l->p, l->f->runs, 0, 0, symbol_of(like), no};
}

static bool next_look(struct finder *n, struct look *out)
{
    for (; n->run < n->runs; n->run++, n->at = 0) {
        const struct said *d = &n->p->said[n->run];
        while (n->at < d->count) {
            const struct symbol *s = &d->symbol[n->at++];
            if (!is_look(s) || s->line != n->like->line || s->x != n->like->x) continue;
            if (is_no(s) != n->no) continue;
            *out = look_at(d, n->at - 1);
            return true;
        }
    }
    return false;
}

// --- what follows each answer

// Whether the warp has just waited for that phase: lanes that have parted look one after another.
static bool has_waited(const struct look *l)
{
    for (uint32_t k = l->at; k-- > 0;) {
        const struct symbol *s = &l->said->symbol[k];
        if (!is_look(s))
            return s->op == TMAP_STEP_WAIT && s->x == symbol_of(l)->x && asks_same(l, k);
    }
    return false;
}

// The place of the wait that a yes stands for, or NOWHERE: it stands for none.
static uint32_t wait_of(const struct looks *l, const struct look *yes)
{
    struct finder n = find_looks(l, yes, true);
    struct look no;
    uint32_t at;
    if (has_waited(yes)) return NOWHERE;
    while (next_look(&n, &no))
        if (asks_same(&no, no.last) && (at = place_like(yes, &no)) != NOWHERE) return at;
    return NOWHERE;
}

// Whether after a no the warp does the same, but waits for another phase.
static bool skips_other(const struct looks *l, const struct look *yes)
{
    struct finder n = find_looks(l, yes, true);
    struct look no;
    while (next_look(&n, &no)) {
        if (!asks_at(&no, no.last) || asks_same(&no, no.last)) continue;
        if (!is_look(&no.said->symbol[no.last]) && place_like(yes, &no) != NOWHERE) return true;
    }
    return false;
}

static bool uses(const struct symbol *s)
{
    return s->op != TMAP_STEP_DONE && s->op != TMAP_STEP_ARRIVE && !asks(s);
}

// Whether the warp does anything with a slot before it asks again: with the one it looks at, or
// any.
static bool uses_slot(const struct look *l, bool any)
{
    for (uint32_t j = l->at + 1; j < l->next; j++) {
        const struct symbol *s = &l->said->symbol[j];
        if (uses(s) && (any || s->index == symbol_of(l)->index)) return true;
    }
    return false;
}

static bool fills(const struct fold *f, const struct act *a, uint8_t array, uint8_t buffer)
{
    uint8_t of = 0, slot = 0;
    if (a->op != ACT_LOAD || !barrier_named(f, a, &of, &slot) || of != array) return false;
    for (uint32_t i = 0; i < f->ranges; i++) {
        const struct range *g = &f->range[i];
        if (g->buffer == buffer && g->cta == a->cta && g->from <= a->at && a->at < g->to)
            return true;
    }
    return false;
}

static bool guards(const struct fold *f, uint8_t array, uint8_t buffer)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++)
            if (fills(f, &f->run[r]->act[i], array, buffer)) return true;
    return false;
}

// Whether the warp ends a read of the slot that it looks at only after the look: no copy to it can
// have landed by then, or it overwrites what is being read, which is found.
static bool holds_slot(const struct fold *f, const struct look *l)
{
    for (uint32_t j = l->at + 1; j < l->last; j++) {
        const struct symbol *s = &l->said->symbol[j];
        if (s->op == TMAP_STEP_DONE && s->index == symbol_of(l)->index &&
            guards(f, symbol_of(l)->x, s->x))
            return true;
    }
    return false;
}

// Whether the runs show what the warp does after a yes in the no's place.
static bool shows_yes(const struct looks *l, const struct look *no)
{
    struct finder n = find_looks(l, no, false);
    struct look yes;
    while (next_look(&n, &yes)) {
        if (place_like(&yes, no) != NOWHERE) return true;
        if (asks_at(&yes, yes.next) && asks_same(&yes, yes.next) == asks_same(no, no->next) &&
            go_on_alike(&yes, no))
            return true;
    }
    return false;
}

// Whether the warp does nothing before it asks for the last time.
static bool at_once(const struct look *l)
{
    for (uint32_t k = l->at + 1; k < l->last; k++)
        if (!is_look(&l->said->symbol[k])) return false;
    return true;
}

static bool note_no(struct looks *l, struct site *t, const struct look *no)
{
    const bool waits = asks_same(no, no->last);
    if (waits) t->waits = true;
    if (waits && !at_once(no)) l->p->looks_ahead = t->line;
    if (uses_slot(no, false)) t->passes = true;
    if (!asks_at(no, no->last) || holds_slot(l->f, no) || shows_yes(l, no)) return true;
    return fold_fail(l->f, t->line, "a look is answered no in all runs");
}

static bool note_yes(struct looks *l, struct site *t, const struct look *yes)
{
    const uint32_t place = wait_of(l, yes);
    const bool stands = place != NOWHERE;
    const bool skips = !stands && !asks_same(yes, yes->next) && skips_other(l, yes);
    if (stands) yes->said->symbol[yes->at].bytes = place;
    if (skips) t->skips = true;
    if (stands || skips || t->passes || has_waited(yes)) return true;
    if (asks_same(yes, yes->next) || !uses_slot(yes, true)) return true;
    return fold_fail(l->f, t->line, "a look is answered yes in all runs");
}

// Before the barriers are made nothing can be said of a look.
static bool has_begun(const struct look *l)
{
    for (uint32_t i = 0; i < l->at; i++) {
        const struct symbol *s = &l->said->symbol[i];
        const bool makes = s->op == TMAP_STEP_INIT || s->op == TMAP_STEP_FENCE_INIT;
        if (!is_look(s) && !is_meeting(s) && !makes) return true;
    }
    return false;
}

static bool note_look(struct looks *l, const struct look *k, bool no)
{
    struct site *t = site_of(l, symbol_of(k));
    if (!t)
        return fold_fail(l->f, symbol_of(k)->line, "more than %d instructions look", MOST_SITES);
    if (k->next < k->said->count && !asks_at(k, k->next) && !has_begun(k))
        return fold_fail(l->f, t->line, "looks at a barrier before the warps have met");
    if (is_no(symbol_of(k)) != no) return true;
    return no ? note_no(l, t, k) : note_yes(l, t, k);
}

static bool note_looks(struct looks *l, bool no)
{
    for (size_t r = 0; r < l->f->runs; r++) {
        const struct said *d = &l->p->said[r];
        for (uint32_t i = 0; i < d->count; i++) {
            if (!is_look(&d->symbol[i])) continue;
            const struct look k = look_at(d, i);
            if (!note_look(l, &k, no)) return false;
        }
    }
    return true;
}

// --- settled

// Whether a yes is about another phase than the wait that it saves.
static bool is_wrong(const struct site *t)
{
    return t->skips && !t->waits;
}

// What is waited for after a no alone.
static void drop_waits(struct looks *l, struct said *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        if (!is_no(&d->symbol[i]) || !is_wrong(site_of(l, &d->symbol[i]))) continue;
        const struct look k = look_at(d, i);
        if (asks_at(&k, k.last) && !is_look(&d->symbol[k.last])) d->symbol[k.last].bytes = 1;
    }
}

// Waits that stand for looks, by where they come: of each array one, since that is before the next
// ask.
struct pending {
    struct symbol wait[TMAP_PROTOCOL_BARRIERS];
    uint32_t at[TMAP_PROTOCOL_BARRIERS], count;
};

static void await(struct looks *l, struct pending *w, const struct symbol *yes)
{
    if (is_no(yes) || yes->bytes == 0 || site_of(l, yes)->passes) return;
    w->at[w->count] = yes->bytes;
    w->wait[w->count] = *yes;
    w->wait[w->count].op = TMAP_STEP_WAIT;
    w->wait[w->count].count = w->wait[w->count].bytes = 0;
    w->count++;
}

// No wait comes before its look: what is written over has been read.
static void settle(struct looks *l, struct said *d)
{
    struct pending w = {.count = 0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct symbol s = d->symbol[i];
        const bool dropped = is_look(&s) || (s.op == TMAP_STEP_WAIT && s.bytes);
        for (uint32_t k = 0; k < w.count;) {
            if (w.at[k] != i) {
                k++;
                continue;
            }
            d->symbol[kept++] = w.wait[k];
            w.wait[k] = w.wait[--w.count];
            w.at[k] = w.at[w.count];
        }
        if (is_look(&s)) await(l, &w, &s);
        if (!dropped) d->symbol[kept++] = s;
    }
    d->count = kept;
}

bool settle_looks(struct fold *f, struct program *p)
{
    struct looks l = {.f = f, .p = p};
    if (!note_looks(&l, true) || !note_looks(&l, false)) return false;
    for (size_t r = 0; r < f->runs; r++) drop_waits(&l, &p->said[r]);
    for (size_t r = 0; r < f->runs; r++) settle(&l, &p->said[r]);
    return true;
}
