// Warps that take turns with the tiles: each waits for the slots of its own tiles alone and passes
// over the others'. Which phase a wait is for is only known once it is known whose tiles lie
// between: they are folded by their own tiles first, their waits of no phase in particular, and
// then placed among the tiles of all.
#include "emulate/protocol/fold.h"

#include <string.h>

enum { MOST_TURNS = 4 };

struct turns {
    struct program *of[MOST_TURNS]; // in the order in which they come
    uint32_t count;
};

static bool is_wait(const struct symbol *s)
{
    return s->op == TMAP_STEP_WAIT || s->op == TMAP_STEP_WAIT_FREE;
}

static uint32_t waits_of(const struct program *p, size_t run, uint32_t barrier)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->said[run].count; i++)
        n += is_wait(&p->said[run].symbol[i]) && p->said[run].symbol[i].x == barrier;
    return n;
}

// Phases that the barrier completed in that CTA.
static uint32_t phases_of(const struct fold *f, size_t run, uint32_t barrier, uint8_t cta)
{
    uint32_t arrivals = 0;
    for (uint32_t i = 0; i < f->programs; i++) {
        const struct said *said = &f->program[i].said[run];
        for (uint32_t k = 0; k < said->count; k++) {
            const struct symbol *s = &said->symbol[k];
            const bool arrives = s->op == TMAP_STEP_ARRIVE || s->op == TMAP_STEP_EXPECT;
            if (!(s->ctas >> cta & 1)) continue;
            if (arrives && s->x == barrier) arrivals += s->count;
            if (s->op == TMAP_STEP_COMMIT && s->y == barrier) arrivals++;
        }
    }
    return arrivals / f->barrier[barrier].arrivals;
}

// When in the first record the warp first passes a wait on the barrier; who begins at the ring's
// first slot comes before the others.
static size_t first_wait(const struct fold *f, const struct program *p, uint32_t barrier)
{
    const size_t acts = f->run[0]->count;
    uint8_t array = 0, slot = 0;
    for (size_t i = 0; i < acts; i++) {
        const struct act *a = &f->run[0]->act[i];
        const bool waits = a->op == ACT_WAIT || (a->op == ACT_LOOK && a->bytes);
        if (!waits || a->by_cta != p->cta || a->by_warp != p->warp) continue;
        barrier_named(f, a, &array, &slot);
        if (array == barrier) return slot || a->value ? acts + i : i;
    }
    return 2 * acts;
}

static bool waits_for_some(const struct fold *f, const struct program *p, uint32_t barrier)
{
    bool any = false, some = false;
    for (size_t r = 0; r < f->runs; r++) {
        const uint32_t waits = waits_of(p, r, barrier);
        any = any || waits;
        some = some || waits < phases_of(f, r, barrier, p->cta);
    }
    return any && some;
}

static void insert(const struct fold *f, struct turns *t, struct program *p, uint32_t barrier)
{
    uint32_t i = t->count++;
    for (; i > 0 && first_wait(f, t->of[i - 1], barrier) > first_wait(f, p, barrier); i--)
        t->of[i] = t->of[i - 1];
    t->of[i] = p;
}

// Those of the CTA that wait for some of the barrier's phases each, and for all of them together.
static bool turns_at(const struct fold *f, uint32_t barrier, uint8_t cta, struct turns *t)
{
    t->count = 0;
    for (uint32_t i = 0; i < f->programs; i++) {
        struct program *p = &f->program[i];
        if (p->cta != cta || p->every || !waits_for_some(f, p, barrier)) continue;
        if (t->count == MOST_TURNS) return false;
        insert(f, t, p, barrier);
    }
    for (size_t r = 0; r < f->runs; r++) {
        uint32_t waits = 0;
        for (uint32_t i = 0; i < t->count; i++) waits += waits_of(t->of[i], r, barrier);
        if (waits != phases_of(f, r, barrier, cta)) return false;
    }
    return t->count > 1;
}

static void forget_phases(const struct fold *f, struct program *p)
{
    for (size_t r = 0; r < f->runs; r++)
        for (uint32_t i = 0; i < p->said[r].count; i++)
            if (is_wait(&p->said[r].symbol[i])) p->said[r].symbol[i].op = TMAP_STEP_WAIT;
}

void find_turns(struct fold *f)
{
    struct turns t;
    for (uint8_t b = 0; b < f->barriers; b++) // of a staging area there are none
        for (uint8_t cta = 0; cta < TMAP_PROTOCOL_CTAS; cta++) {
            if (!turns_at(f, b, cta, &t)) continue;
            for (uint32_t i = 0; i < t.count; i++) {
                t.of[i]->every = (uint8_t)t.count;
                t.of[i]->turn = (uint8_t)i;
                t.of[i]->at = b;
                forget_phases(f, t.of[i]);
            }
        }
}

// --- placed among all tiles

// That turn is somebody's.
static struct program *in_turn(const struct fold *f, const struct program *p, uint32_t turn)
{
    struct program *q = f->program;
    while (!q->every || q->cta != p->cta || q->at != p->at || q->turn != turn) q++;
    return q;
}

struct word {
    uint32_t blocks[MOST_TILES], tiles;
};

// The tiles of all who take turns, one after another.
static bool merge_words(struct fold *f, const struct program *p, size_t run, struct word *w)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < p->every; i++) all += in_turn(f, p, i)->tiles[run];
    for (w->tiles = 0; w->tiles < all && w->tiles < MOST_TILES; w->tiles++) {
        const struct program *q = in_turn(f, p, w->tiles % p->every);
        const uint32_t own = w->tiles / p->every;
        if (own >= q->tiles[run]) break;
        w->blocks[w->tiles] = q->word[run][own];
    }
    if (w->tiles == all) return true;
    return fold_fail(f, line_of(p),
                     all > MOST_TILES ? "warps take turns with %u tiles, which are too many"
                                      : "warps take turns with %u tiles in no order",
                     all);
}

static uint32_t depth_of(const struct fold *f, uint32_t object)
{
    return object < TMAP_PROTOCOL_BARRIERS ? f->barrier[object].depth
                                           : f->buffer[object - TMAP_PROTOCOL_BARRIERS].depth;
}

static bool is_of_blocks(const struct program *p, uint8_t object)
{
    uint8_t of[2];
    for (uint32_t i = 0; i < p->length[PART_BLOCK]; i++) {
        const struct symbol *s = &p->part[PART_BLOCK][i];
        const uint32_t n = s->index < 0 ? 0 : objects_of(s, of);
        for (uint32_t k = 0; k < n; k++)
            if (of[k] == object) return true;
    }
    return false;
}

// After so many blocks of all tiles: the last place in the ring that is that slot. What goes by
// tiles is counted rightly, each slot being always the same warp's.
static bool place(struct fold *f, const struct program *p, struct symbol *s, uint32_t blocks)
{
    uint8_t object[2];
    if (s->index < 0) return true;
    objects_of(s, object);
    const uint32_t depth = depth_of(f, object[0]), slot = (uint32_t)s->index % depth;
    if (is_of_blocks(p, object[0]))
        s->index = (int32_t)blocks - (int32_t)((blocks % depth + depth - slot) % depth);
    if (s->index < 0) return fold_fail(f, s->line, "is of no tile of its warp's turn");
    if (!is_wait(s)) return true;
    const uint32_t generation = (uint32_t)s->index / depth;
    s->op = s->parity == (generation & 1) ? TMAP_STEP_WAIT : TMAP_STEP_WAIT_FREE;
    return true;
}

static bool place_part(struct fold *f, const struct program *p, enum fold_part part,
                       struct symbol **next, uint32_t blocks, bool first)
{
    for (uint32_t i = 0; i < p->length[part]; i++)
        if (!(first && p->skipped[i]) && !place(f, p, (*next)++, blocks)) return false;
    return true;
}

// Of the warp's own tiles.
static bool place_run(struct fold *f, struct program *p, size_t run, const struct word *w)
{
    struct symbol *next = p->said[run].symbol + p->length[PART_START];
    uint32_t blocks = 0;
    for (uint32_t t = 0; t < w->tiles; t++) {
        const uint32_t end = blocks + w->blocks[t];
        const bool own = t % p->every == p->turn;
        if (own && !place_part(f, p, PART_TILE, &next, blocks, false)) return false;
        for (uint32_t b = blocks; own && b < end; b++)
            if (!place_part(f, p, PART_BLOCK, &next, b, b == blocks)) return false;
        if (own && !place_part(f, p, PART_FLUSH, &next, end, false)) return false;
        blocks = end;
    }
    return true;
}

static void keep_word(struct program *p, size_t run, const struct word *w)
{
    p->tiles[run] = w->tiles;
    memcpy(p->word[run], w->blocks, w->tiles * sizeof w->blocks[0]);
}

// Those who take turns with the first: their words are all made of each other's, before any
// changes.
static bool place_all(struct fold *f, const struct program *first)
{
    struct word words[MOST_RUNS];
    for (size_t r = 0; r < f->runs; r++)
        if (!merge_words(f, first, r, &words[r])) return false;
    for (uint32_t i = 0; i < first->every; i++) {
        struct program *p = in_turn(f, first, i);
        for (size_t r = 0; r < f->runs; r++)
            if (!place_run(f, p, r, &words[r])) return false;
        if (!fold_warp(f, p)) return false;
        for (size_t r = 0; r < f->runs; r++) keep_word(p, r, &words[r]);
    }
    return true;
}

bool place_turns(struct fold *f)
{
    for (uint32_t i = 0; i < f->programs; i++) {
        const struct program *p = &f->program[i];
        if (p->every && p->looks_ahead)
            return fold_fail(f, p->looks_ahead, "takes turns, and looks before it waits");
        if (p->every && p->turn == 0 && !place_all(f, p)) return false;
    }
    return true;
}
