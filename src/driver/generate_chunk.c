/* generate_chunk.c : what the generator learns about the rows, and the chunks it then makes. */
#include "driver/generate.h"

#include "driver/call.h"

#include <stdlib.h>
#include <string.h>

#define LEARN_STREAM UINT64_C(0x6c6561726e)
#define ADDRESS_KEPT UINT64_C(0xfff)          /* low bits that rows speak of stay as they are */
#define ADDRESS_FREE UINT64_C(0x7ffffffff000) /* bits that are redrawn for every descriptor */

/* Any descriptor that stands where this one does, elsewhere in memory. */
static void move(struct rng *rng, struct tmap_desc *d)
{
    d->address = (d->address & ~ADDRESS_FREE) | (rng_next(rng) & ADDRESS_FREE);
}

/* Entries that the call must not read hold garbage. */
static void soil(struct rng *rng, struct tmap_desc *d)
{
    for (int i = 1; i < SLOT_COUNT; i++)
        if (!slot_used(d, i)) slot_set(d, i, (int64_t)rng_next(rng));
}

static int32_t any_kind(struct rng *rng)
{
    const uint32_t pick = rng_below(rng, 10);
    return pick < 6 ? TMAP_TILED : pick < 8 ? TMAP_IM2COL : TMAP_IM2COL_WIDE;
}

/* A legal descriptor; half of them safe, the others merely what the driver accepts. */
struct tmap_desc generator_base(const struct generator *g, struct rng *rng, int32_t kind)
{
    struct tmap_desc d;
    if (rng_below(rng, 2) && kind != TMAP_IM2COL_WIDE && generate_legal(&g->safe, rng, kind, &d))
        return d;
    for (int i = 0; i < 16; i++)
        if (generate_legal(&g->driver, rng, kind, &d)) return d;
    return d; /* illegal then, and tried as such */
}

static int random_slot(struct rng *rng, const struct tmap_desc *d)
{
    for (int i = 0; i < 64; i++) {
        const int slot = 1 + (int)rng_below(rng, SLOT_COUNT - 1);
        if (slot_used(d, slot)) return slot;
    }
    return slot_of_field(F_ADDRESS);
}

static void remember(struct generator *g, struct rng *rng, const struct bound_pair *pair,
                     const struct recipe *recipe)
{
    struct row_knowledge *k = &g->rows[pair->row];
    if (!call_can_be_asked(&pair->outside)) return;
    const uint32_t at = k->seen < GENERATE_RECIPES ? k->seen : rng_below(rng, GENERATE_RECIPES);
    k->recipes[at] = *recipe;
    const uint32_t keep = k->seen < GENERATE_POOL ? k->seen : rng_below(rng, 4 * GENERATE_POOL);
    if (keep < GENERATE_POOL) k->pairs[keep] = *pair;
    k->seen++;
    if (k->pair_count < GENERATE_POOL) k->pair_count++;
}

/* One random change to a legal descriptor: which row alone does it break? */
static void learn_once(struct generator *g, struct rng *rng, const struct tmap_desc *base)
{
    struct bound_pair pair;
    struct tmap_desc d = *base;
    const int slot = random_slot(rng, base);
    const int64_t value = generate_value(rng, base, slot);
    slot_set(&d, slot, value);
    if (!generate_pair(&g->safe, base, &d, slot, &pair)) return;
    remember(g, rng, &pair, &(struct recipe){(int8_t)base->kind, (int8_t)slot, value, *base});
}

static void learn(struct generator *g, uint64_t effort)
{
    struct rng rng = rng_of(g->seed, LEARN_STREAM);
    struct tmap_desc base;
    for (uint64_t i = 0; i < effort; i++) {
        if (i % 32 == 0) base = generator_base(g, &rng, any_kind(&rng));
        learn_once(g, &rng, &base);
    }
    for (size_t r = 0; r < tmap_row_count() && g->known_count < GENERATE_ROWS; r++)
        if (g->rows[r].pair_count) g->known[g->known_count++] = (tmap_row)r;
}

enum tmap_status generator_open(struct generator *g, const struct tmap_target *target,
                                uint64_t seed, uint64_t effort, const struct tmap_desc *real,
                                size_t real_count)
{
    memset(g, 0, sizeof *g);
    g->seed = seed;
    g->real = real;
    g->real_count = real_count;
    enum tmap_status status = tmap_checker_prepare(target, TMAP_CONTRACT_SAFE, &g->safe);
    if (status == TMAP_OK) status = tmap_checker_prepare(target, TMAP_CONTRACT_DRIVER, &g->driver);
    if (status != TMAP_OK) return status;
    g->rows = calloc(tmap_row_count(), sizeof *g->rows);
    if (!g->rows) return TMAP_E_MEMORY;
    learn(g, effort);
    return TMAP_OK;
}

void generator_close(struct generator *g)
{
    free(g->rows);
    memset(g, 0, sizeof *g);
}

/* A new pair for the row: a recipe on its own base or on another one, else one of the pool. */
struct bound_pair generator_pair(const struct generator *g, struct rng *rng, tmap_row row)
{
    const struct row_knowledge *k = &g->rows[row];
    const uint32_t known = k->seen < GENERATE_RECIPES ? k->seen : GENERATE_RECIPES;
    struct bound_pair pair;
    for (int i = 0; i < 8; i++) {
        const struct recipe *recipe = &k->recipes[rng_below(rng, known)];
        struct tmap_desc base = i < 5 ? generator_base(g, rng, recipe->kind) : recipe->base,
                         d = base;
        slot_set(&d, recipe->slot,
                 i % 2 ? recipe->value : generate_value(rng, &base, recipe->slot));
        if (generate_pair(&g->safe, &base, &d, recipe->slot, &pair) && pair.row == row) return pair;
    }
    return k->pairs[rng_below(rng, k->pair_count)];
}

#define PAIRS_A_CHUNK 8

/* Elsewhere in memory, unless the bound is about just that: then with another stride or extent. */
static void vary(struct rng *rng, const struct bound_pair *pair, struct tmap_desc *d)
{
    if (!((pair->inside.address ^ pair->outside.address) & ~ADDRESS_KEPT)) {
        move(rng, d);
        return;
    }
    if (d->rank > 1)
        d->stride_bytes[0] ^= rng_next(rng) >> 40 << 12;
    else
        d->dim[0] ^= rng_next(rng) >> 40;
}

static void fill_pair(const struct generator *g, struct rng *rng, const struct bound_pair *pair,
                      struct item *out, int count)
{
    const bool legal[] = {tmap_verdict_of(&g->driver, &pair->inside) == TMAP_LEGAL,
                          tmap_verdict_of(&g->driver, &pair->outside) == TMAP_LEGAL};
    for (int i = 0; i < count; i++) {
        out[i].side = i % 2 ? SIDE_OUTSIDE : SIDE_INSIDE;
        out[i].legal = legal[i % 2];
        out[i].desc = i % 2 ? pair->outside : pair->inside;
        out[i].row = pair->row;
        out[i].slot = (int16_t)pair->slot;
        vary(rng, pair, &out[i].desc);
        soil(rng, &out[i].desc);
    }
}

static void fill_bounds(const struct generator *g, struct rng *rng, uint64_t turn, struct item *out)
{
    const int each = GENERATE_CHUNK / PAIRS_A_CHUNK;
    for (int p = 0; p < PAIRS_A_CHUNK; p++) {
        const tmap_row row = g->known[(turn * PAIRS_A_CHUNK + (unsigned)p) % g->known_count];
        const struct bound_pair pair = generator_pair(g, rng, row);
        fill_pair(g, rng, &pair, out + p * each, each);
    }
}

static void mutate(struct rng *rng, struct tmap_desc *d)
{
    static const uint8_t changes[8] = {0, 0, 1, 1, 1, 1, 2, 3};
    const int n = changes[rng_below(rng, 8)];
    move(rng, d);
    for (int i = 0; i < n; i++) {
        const int slot = random_slot(rng, d);
        slot_set(d, slot, generate_value(rng, d, slot));
    }
}

static void fill_random(const struct generator *g, struct rng *rng, struct item *out, bool real)
{
    struct tmap_desc base;
    for (int i = 0; i < GENERATE_CHUNK; i++) {
        if (real)
            base = g->real[rng_below(rng, (uint32_t)g->real_count)];
        else if (i % 128 == 0)
            base = generator_base(g, rng, any_kind(rng));
        out[i].desc = base;
        mutate(rng, &out[i].desc);
        soil(rng, &out[i].desc);
    }
}

/* Every combination of kind, rank and enum values in turn, one past each end included. */
static void fill_enums(const struct generator *g, struct rng *rng, uint64_t turn, struct item *out)
{
    struct tmap_desc base;
    uint64_t n = turn * GENERATE_CHUNK;
    for (int i = 0; i < GENERATE_CHUNK; i++, n++) {
        uint64_t rest = n;
        if (i % 64 == 0) base = generator_base(g, rng, (int32_t)(n / 64 % 3));
        out[i].desc = base;
        out[i].desc.rank = (uint32_t)(rest % (TMAP_MAX_RANK + 2));
        rest /= TMAP_MAX_RANK + 2;
        for (int s = 1; s < SLOT_COUNT; s++) {
            if (slot_class(s) != SLOT_ENUM) continue;
            slot_set(&out[i].desc, s, (int64_t)(rest % (slot_values(s) + 2u)) - 1);
            rest /= slot_values(s) + 2u;
        }
        move(rng, &out[i].desc);
        soil(rng, &out[i].desc);
    }
}

static int64_t extreme(struct rng *rng, const struct tmap_desc *d, int slot)
{
    static const int64_t ends[] = {0,         -1,        1,         INT32_MIN,
                                   INT32_MAX, INT64_MIN, INT64_MAX, UINT32_MAX};
    const int64_t power = INT64_C(1) << rng_below(rng, 63);
    if (slot_class(slot) == SLOT_FLAGS) return (int64_t)rng_below(rng, 128);
    if (slot_class(slot) == SLOT_RANK) return rng_below(rng, TMAP_MAX_RANK + 4);
    if (rng_below(rng, 3)) return power + (int64_t)(rng_below(rng, 3) - 1) * 16;
    if (rng_below(rng, 4)) return ends[rng_below(rng, sizeof ends / sizeof ends[0])];
    return generate_value(rng, d, slot);
}

/* The far ends: NULL pointers, negative enums, the largest numbers, no address, no pixels. */
static void fill_unusual(const struct generator *g, struct rng *rng, struct item *out)
{
    struct tmap_desc base;
    for (int i = 0; i < GENERATE_CHUNK; i++) {
        if (i % 128 == 0) base = generator_base(g, rng, any_kind(rng));
        struct tmap_desc *d = &out[i].desc;
        *d = base;
        if (rng_below(rng, 4)) move(rng, d);
        const int slot = random_slot(rng, d);
        slot_set(d, slot, extreme(rng, d, slot));
        soil(rng, d);
    }
}

/* Of PLAN chunks in a row, how many come from where. */
#define PLAN 20
static const uint8_t plan[PLAN] = {
    FROM_BOUND,  FROM_RANDOM, FROM_BOUND,   FROM_RANDOM,  FROM_ENUMS,  FROM_BOUND,  FROM_RANDOM,
    FROM_REAL,   FROM_BOUND,  FROM_RANDOM,  FROM_UNUSUAL, FROM_BOUND,  FROM_RANDOM, FROM_REAL,
    FROM_RANDOM, FROM_BOUND,  FROM_UNUSUAL, FROM_ENUMS,   FROM_RANDOM, FROM_RANDOM};

static enum generate_source source_of(const struct generator *g, uint64_t chunk)
{
    const enum generate_source source = (enum generate_source)plan[chunk % PLAN];
    if (source == FROM_REAL && g->real_count == 0) return FROM_RANDOM;
    if (source == FROM_BOUND && g->known_count == 0) return FROM_RANDOM;
    return source;
}

/* How many chunks of the same source came before. */
static uint64_t turn_of(uint64_t chunk)
{
    uint64_t before = 0, a_round = 0;
    for (unsigned i = 0; i < PLAN; i++) {
        a_round += plan[i] == plan[chunk % PLAN];
        before += i < chunk % PLAN && plan[i] == plan[chunk % PLAN];
    }
    return chunk / PLAN * a_round + before;
}

void generator_chunk(const struct generator *g, uint64_t chunk, struct item *out)
{
    const enum generate_source source = source_of(g, chunk);
    struct rng rng = rng_of(g->seed, chunk);
    for (int i = 0; i < GENERATE_CHUNK; i++) {
        out[i].row = TMAP_NO_ROW;
        out[i].side = SIDE_NONE;
        out[i].slot = -1;
        out[i].source = (uint8_t)source;
    }
    switch (source) {
    case FROM_BOUND:
        fill_bounds(g, &rng, turn_of(chunk), out);
        break;
    case FROM_ENUMS:
        fill_enums(g, &rng, turn_of(chunk), out);
        break;
    case FROM_UNUSUAL:
        fill_unusual(g, &rng, out);
        break;
    default:
        fill_random(g, &rng, out, source == FROM_REAL);
        break;
    }
}
