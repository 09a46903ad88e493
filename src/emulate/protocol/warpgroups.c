// The warps of a warpgroup as one: each wgmma is an operation of all four (PTX ISA: every warp of
// the warpgroup must execute the same wgmma.mma_async), so none ends before all have begun it, and
// one warp may give the slot back for the four, and what they have read themselves before they
// began it. Whoever does the same as that warp but for such arrivals is left out, and what both
// arrive that warp arrives for both; it may also have made the barriers, before both met.
#include "emulate/protocol/fold.h"

enum { WARPS_OF_GROUP = 4 };

static bool multiplies(const struct fold *f, const struct program *p)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            if (a->op == ACT_GROUP && a->by_cta == p->cta && a->by_warp == p->warp) return true;
        }
    return false;
}

static bool is_same(const struct symbol *a, const struct symbol *b)
{
    return same_symbol(a, b) && a->index == b->index && a->own == b->own;
}

// Whether b did what a did, but for some arrivals of a's, and for barriers that a made.
static bool is_but_arrivals(const struct said *b, const struct said *a)
{
    const bool meets_first = b->count && b->symbol[0].op == TMAP_STEP_SYNC;
    bool has_read = false; // b, itself, and begun no product since: a knows nothing of it
    uint32_t i = 0;
    for (uint32_t k = 0; k < a->count; k++) {
        const uint8_t op = a->symbol[k].op;
        const bool makes = op == TMAP_STEP_INIT || op == TMAP_STEP_FENCE_INIT;
        if (i < b->count && is_same(&b->symbol[i], &a->symbol[k])) {
            if (op == TMAP_STEP_READ) has_read = b->symbol[i].own;
            i++;
        } else if (op == TMAP_STEP_ARRIVE ? has_read : !(makes && meets_first && i == 0))
            return false;
    }
    return i == b->count;
}

static bool goes_with(const struct fold *f, const struct program *b, const struct program *a)
{
    bool fewer = false;
    if (a == b || a->cta != b->cta || a->warp / WARPS_OF_GROUP != b->warp / WARPS_OF_GROUP)
        return false;
    for (size_t r = 0; r < f->runs; r++) {
        if (!is_but_arrivals(&b->said[r], &a->said[r])) return false;
        fewer = fewer || b->said[r].count < a->said[r].count;
    }
    return fewer;
}

// Whom b goes with: of those the one that does most, which goes with nobody.
static struct program *leader_of(struct fold *f, const struct program *b)
{
    struct program *leader = NULL;
    for (uint32_t i = 0; i < f->programs; i++) {
        struct program *a = &f->program[i];
        if (goes_with(f, b, a) && multiplies(f, a) && multiplies(f, b) &&
            (!leader || leader->said[0].count < a->said[0].count))
            leader = a;
    }
    return leader;
}

// a arrives for b, too, where both do; as is_but_arrivals() goes through them.
static void arrive_for(struct said *a, const struct said *b)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < a->count; k++) {
        if (i == b->count || !is_same(&b->symbol[i], &a->symbol[k])) continue;
        if (b->symbol[i].op == TMAP_STEP_ARRIVE) a->symbol[k].others += b->symbol[i].count;
        i++;
    }
}

static void count_others(struct said *a)
{
    for (uint32_t k = 0; k < a->count; k++) {
        a->symbol[k].count += a->symbol[k].others;
        a->symbol[k].others = 0;
    }
}

void join_warpgroups(struct fold *f)
{
    bool joins[MOST_WARPS] = {false};
    if (f->group) return;
    for (uint32_t b = 0; b < f->programs; b++) {
        struct program *leader = leader_of(f, &f->program[b]);
        joins[b] = leader != NULL;
        for (size_t r = 0; r < f->runs && leader; r++)
            arrive_for(&leader->said[r], &f->program[b].said[r]);
    }
    for (uint32_t b = f->programs; b-- > 0;) {
        for (size_t r = 0; r < f->runs; r++) count_others(&f->program[b].said[r]);
        if (joins[b]) drop_program(f, b);
    }
}
