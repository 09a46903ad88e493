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

bool count_generations(struct said *said, struct fold *f)
{
    int32_t last[TMAP_PROTOCOL_BUFFERS];
    struct counters *c = calloc(1, sizeof *c);
    memset(last, -1, sizeof last);
    if (!c) return fold_memory(f);
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
        const uint32_t generation = *n;
        if (s->op != TMAP_STEP_BEGIN) (*n)++;
        if (s->op == TMAP_STEP_WAIT) tell_wait(s, generation);
        s->index = (int32_t)(generation * depth + slot);
        const bool uses = s->op == TMAP_STEP_READ || s->op == TMAP_STEP_LOAD;
        if (uses && s->index > last[s->x]) last[s->x] = s->index;
    }
    free(c);
    return true;
}
