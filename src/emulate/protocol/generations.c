// Which time round its ring each symbol is of: counted of the same kind, object and slot, since the
// warp last made the barriers.
#include "emulate/protocol/fold.h"

#include <stdlib.h>
#include <string.h>

// Counted of each object's slot, for every kind of symbol by itself.
struct counters {
    uint16_t of[TMAP_STEP_BEGIN + 1][TMAP_PROTOCOL_BARRIERS][TMAP_PROTOCOL_CTAS + 1]
               [TMAP_PROTOCOL_DEPTH][1 << TMAP_PROTOCOL_CTAS];
};

static uint32_t depth_of(const struct fold *f, const struct symbol *s)
{
    switch (s->op) {
    case TMAP_STEP_WAIT:
    case TMAP_STEP_ARRIVE:
    case TMAP_STEP_EXPECT:
        return f->barrier[s->x].depth;
    case TMAP_STEP_COMMIT:
        return f->barrier[s->y].depth;
    default:
        return f->buffer[s->x].depth;
    }
}

// A parity is that of the phase meant, or of the one before it.
static void tell_wait(struct symbol *s, uint32_t generation)
{
    if (s->y != (generation & 1)) s->op = TMAP_STEP_WAIT_FREE;
    s->parity = s->y;
    s->y = 0;
}

// Of one kind, object and CTAs: how often a slot comes in a row before the next one does.
struct repeats {
    uint32_t run, each, runs;
    int32_t slot;
    bool uneven;
};
struct repeaters {
    struct repeats of[TMAP_STEP_BEGIN + 1][TMAP_PROTOCOL_BARRIERS][1 << TMAP_PROTOCOL_CTAS];
};

static bool may_repeat(const struct symbol *s)
{
    return s->op == TMAP_STEP_ARRIVE || s->op == TMAP_STEP_EXPECT || s->op == TMAP_STEP_COMMIT;
}

static struct repeats *repeats_of(struct repeaters *all, const struct symbol *s)
{
    return &all->of[s->op][s->op == TMAP_STEP_COMMIT ? s->y : s->x][s->ctas];
}

static void end_run(struct repeats *r)
{
    if (r->run == 0) return;
    if (r->runs++ == 0) r->each = r->run;
    if (r->each != r->run) r->uneven = true;
    r->run = 0;
}

// Before generations are counted an index is a slot.
static void find_repeats(const struct said *said, struct repeaters *all)
{
    for (uint32_t i = 0; i < said->count; i++) {
        const struct symbol *s = &said->symbol[i];
        if (!may_repeat(s) || s->index < 0) continue;
        struct repeats *r = repeats_of(all, s);
        if (r->slot != s->index) end_run(r);
        r->slot = s->index;
        r->run++;
    }
}

// As many of them are one generation of the slot. A slot that never gives way to another tells
// nothing.
static uint32_t each_of(struct repeaters *all, const struct symbol *s)
{
    if (!may_repeat(s)) return 1;
    struct repeats *r = repeats_of(all, s);
    end_run(r);
    return r->uneven || r->runs < 2 ? 1 : r->each;
}

bool count_generations(struct said *said, struct fold *f)
{
    int32_t last[TMAP_PROTOCOL_BUFFERS];
    struct counters *c = calloc(1, sizeof *c);
    struct repeaters *repeaters = calloc(1, sizeof *repeaters);
    memset(last, -1, sizeof last);
    if (!c || !repeaters) {
        free(c);
        free(repeaters);
        return fold_memory(f);
    }
    find_repeats(said, repeaters);
    for (uint32_t i = 0; i < said->count; i++) {
        struct symbol *s = &said->symbol[i];
        if (s->op == TMAP_STEP_INIT && s->again) memset(c, 0, sizeof *c);
        if (s->behind) s->index = last[s->x] + s->behind;
        if (s->index < 0 || s->behind) continue;
        const uint32_t depth = depth_of(f, s), slot = (uint32_t)s->index;
        const uint8_t object = s->op == TMAP_STEP_COMMIT ? s->y : s->x;
        // Sums begin, block after block, until they are written.
        const uint8_t op = s->op == TMAP_STEP_BEGIN ? TMAP_STEP_WRITE : s->op;
        const bool one = op == TMAP_STEP_WRITE || op == TMAP_STEP_READ;
        const uint8_t ctas = one ? 0 : s->ctas;
        uint16_t *n = &c->of[op][object][s->signal][slot][ctas];
        const uint32_t generation = *n / each_of(repeaters, s);
        if (s->op != TMAP_STEP_BEGIN) (*n)++;
        if (s->op == TMAP_STEP_WAIT) tell_wait(s, generation);
        s->index = (int32_t)(generation * depth + slot);
        const bool uses = s->op == TMAP_STEP_READ || s->op == TMAP_STEP_LOAD;
        if (uses && s->index > last[s->x]) last[s->x] = s->index;
    }
    free(c);
    free(repeaters);
    return true;
}
