// Plans as copies that can be run; see plan_case.h.
#include "device/plan_case.h"

#include <string.h>

#include "core/layout.h"
#include "core/simulate.h"
#include "support/repair_support.h"
#include "support/splitmix.h"
#include "support/tile_walk.h"

#define CHOICES 4u
#define UNIT_BYTES 16u        // what a store writes whole: docs/SIMULATOR.md
#define WINDOW_GUARD 4096u    // before the tensor in a window, and after it
#define FROM_BYTES (2u << 20) // where tensors begin in the arena: plans may begin earlier
#define MOST_CELLS 100000u    // of a tile
#define NEAR 0x3ffu           // bits of an address that the draws choose
#define DRAWN_AT (1ull << 40) // where random_desc and random_im2col_pieces put tensors

const char *plan_class_name(uint32_t cls)
{
    static const char *const names[] = {
#define X(id, name) name,
        PLAN_CLASSES(X)
#undef X
    };
    return cls < PLAN_CLASS_COUNT ? names[cls] : NULL;
}

bool plan_stores(uint32_t cls)
{
    return cls == PLAN_PIECES_STORE || cls == PLAN_REPAIR_STORE || cls == PLAN_SOLVE_STORE;
}

static bool solves(uint32_t cls)
{
    return cls == PLAN_SOLVE || cls == PLAN_SOLVE_STORE;
}

bool plan_tools_open(struct plan_tools *t)
{
    const struct tmap_target target = tmap_default_target();
    return tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &t->checker) == TMAP_OK;
}

// --- drawing ------------------------------------------------------------------------------------
static uint64_t below(uint64_t *s, uint64_t n)
{
    return splitmix(s) % n;
}

static int32_t any_type(uint64_t *s)
{
    static const int32_t types[] = {TMAP_UINT8,   TMAP_BFLOAT16, TMAP_FLOAT16,
                                    TMAP_FLOAT32, TMAP_INT32,    TMAP_FLOAT64};
    return types[below(s, sizeof types / sizeof *types)];
}

// Dimensions 1 and up, with a gap after some.
static void lay_out(uint64_t *s, struct tmap_desc *d, uint64_t row_bytes)
{
    for (uint32_t i = 0; i + 1 < d->rank; i++) {
        if (below(s, 3) == 0) row_bytes += UNIT_BYTES * (1 + below(s, 8));
        d->stride_bytes[i] = row_bytes;
        row_bytes *= d->dim[i + 1];
    }
}

static struct tmap_desc long_tile(uint64_t *s)
{
    struct tmap_desc d = {.dtype = any_type(s), .rank = 1 + (uint32_t)below(s, 3)};
    const uint64_t bytes = layout_gmem_bits(d.dtype) / 8;
    const uint32_t along = d.rank == 1 ? 0 : 1 + (uint32_t)below(s, d.rank - 1);
    d.swizzle = (int32_t)below(s, 4);
    for (uint32_t i = 0; i < d.rank; i++) {
        const uint64_t units = UNIT_BYTES / bytes * (1 + below(s, 8));
        d.dim[i] = i == 0 ? units : 1 + below(s, 6);
        d.box[i] = i == 0 ? (uint32_t)units : 1;
        d.elem_stride[i] = 1;
    }
    d.dim[along] = 257 + below(s, 2000);
    d.box[along] = 257 + (uint32_t)below(s, 800);
    lay_out(s, &d, (d.dim[0] * bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES);
    return d;
}

static struct tmap_desc requested_tile(uint64_t *s, bool small)
{
    struct tmap_desc d = {.dtype = any_type(s), .rank = 1 + (uint32_t)below(s, 3)};
    const uint64_t bytes = layout_gmem_bits(d.dtype) / 8;
    uint64_t row_bytes = UNIT_BYTES << below(s, small ? 4 : 6);
    if (below(s, 3) == 0) row_bytes += UNIT_BYTES * below(s, 20);
    for (uint32_t i = 0; i < d.rank; i++) {
        d.box[i] = (uint32_t)(i == 0   ? row_bytes / bytes
                              : i == 1 ? 8 * (1 + below(s, small ? 4 : 30)) + below(s, 2)
                                       : 1 + below(s, 3));
        d.dim[i] = d.box[i] * (1 + below(s, i < 2 && !small ? 5 : 2));
        d.elem_stride[i] = 1;
    }
    lay_out(s, &d, d.dim[0] * bytes);
    if (below(s, 5) == 0) d.address = bytes * below(s, 16);
    return d;
}

static struct tmap_desc request_of(enum plan_class cls, uint64_t *s)
{
    struct tmap_desc d;
    switch (cls) {
    case PLAN_WALK:
        return long_tile(s);
    case PLAN_SOLVE:
    case PLAN_SOLVE_STORE:
        return requested_tile(s, cls == PLAN_SOLVE_STORE);
    case PLAN_REPAIR:
    case PLAN_REPAIR_STORE:
        return random_desc(s, cls == PLAN_REPAIR ? 64ull << 20 : PLAN_WINDOW_BYTES / 2);
    default:
        d = random_im2col_pieces(s);
    }
    for (uint32_t i = 1; cls == PLAN_PIECES_STORE && i < d.rank; i++) {
        d.dim[0] = d.dim[0] > 64 ? 64 : d.dim[0];
        d.channels = d.channels > 64 ? 1 + d.channels % 64 : d.channels;
        d.dim[i] = 1 + d.dim[i] % (i == 1 ? 10 : 3);
        d.stride_bytes[i - 1] = i == 1 ? d.dim[0] * layout_gmem_bits(d.dtype) / 8
                                       : d.stride_bytes[i - 2] * d.dim[i - 1];
        d.stride_bytes[i - 1] = (d.stride_bytes[i - 1] + 15) / 16 * 16;
        if (i + 1 < d.rank) d.lower[i - 1] = d.upper[i - 1] = 0;
    }
    return d;
}

static void draw_consumer(uint64_t *s, struct plan_case *c)
{
    do
        if (!tmap_consumer_at(below(s, 8), &c->consumer, &c->major))
            c->consumer = TMAP_CONSUMER_NONE, c->major = TMAP_K_MAJOR;
    while (c->consumer == TMAP_CONSUMER_TCGEN05);
}

void plan_draw(enum plan_class cls, uint64_t seed, uint64_t index, uint64_t base,
               struct plan_case *c)
{
    uint64_t s = executor_hash(executor_hash(seed, cls), index);
    memset(c, 0, sizeof *c);
    c->cls = cls;
    c->op = plan_stores(cls) ? TMAP_OP_STORE : TMAP_OP_LOAD;
    c->seed = splitmix(&s);
    c->request = request_of(cls, &s);
    if (solves(cls)) draw_consumer(&s, c);
    c->choice = below(&s, 2) ? 0 : (uint32_t)below(&s, CHOICES); // the best, or another
    if (c->request.address >= DRAWN_AT) c->request.address -= DRAWN_AT;
    c->request.address = plan_stores(cls) ? base + WINDOW_GUARD + (c->request.address & NEAR)
                                          : base + FROM_BYTES + c->request.address;
}

// --- making -------------------------------------------------------------------------------------
static bool repaired(struct plan_tools *t, struct plan_case *c)
{
    const struct tmap_request how = {.op = c->op};
    struct tmap_plan plans[CHOICES];
    struct tmap_repair_report r;
    if (tmap_repair(&t->checker, &c->request, &how, t->workspace, sizeof t->workspace, plans,
                    CHOICES, &r, NULL) != TMAP_OK)
        return false;
    c->plan = plans[c->choice % r.found];
    return true;
}

static bool solved(struct plan_tools *t, struct plan_case *c)
{
    struct tmap_tile_request w = {
        .tensor = c->request, .op = c->op, .consumer = c->consumer, .major = c->major};
    struct tmap_tile_plan plans[CHOICES];
    char reason[160];
    size_t found;
    memcpy(w.tile, c->request.box, sizeof w.tile);
    if (tmap_solve(&t->checker, &w, t->workspace, sizeof t->workspace, plans, CHOICES, &found,
                   reason, sizeof reason) != TMAP_OK)
        return false;
    c->plan = plans[c->choice % found].plan;
    return true;
}

static bool copies_tensor(const struct tmap_plan *p)
{
    for (uint32_t i = 0; i < p->step_count; i++)
        if (p->step[i].rewrite == TMAP_REWRITE_COPY) return true;
    return false;
}

// TF32 loads round; of a store, elements must not share bytes, and rows be whole units.
static bool comparable(const struct plan_case *c)
{
    const struct tmap_desc *d = &c->request;
    uint64_t bytes = d->dim[0] * tile_unit_bytes(d);
    if (d->dtype == TMAP_TFLOAT32 || d->dtype == TMAP_TFLOAT32_FTZ) return false;
    if (c->op != TMAP_OP_STORE) return true;
    if (bytes % UNIT_BYTES) return false;
    for (uint32_t i = 1; i < d->rank; i++) {
        if (d->dim[i] > 1 && d->stride_bytes[i - 1] < bytes) return false;
        bytes += (d->dim[i] - 1) * d->stride_bytes[i - 1];
    }
    return true;
}

static uint64_t cells_of(const struct tmap_desc *d)
{
    uint64_t cells = d->kind == TMAP_IM2COL ? (uint64_t)d->channels * d->pixels : 1;
    for (uint32_t i = 0; i < d->rank && d->kind == TMAP_TILED; i++) cells *= d->box[i];
    return cells;
}

bool plan_make(struct plan_tools *t, struct plan_case *c)
{
    if (!(solves(c->cls) ? solved(t, c) : repaired(t, c))) return false;
    const struct tmap_plan *p = &c->plan;
    if (p->skip || copies_tensor(p) || p->copies > PLAN_COPIES) return false;
    if (p->copies * p->slot_bytes > EXECUTOR_HASHED_BYTES || p->slot_bytes % 16) return false;
    c->request = decided_request(&c->request, p);
    return comparable(c) && cells_of(&c->request) <= MOST_CELLS;
}

void plan_aim(struct plan_case *c)
{
    const struct tmap_desc *d = &c->request;
    const bool stores = c->op == TMAP_OP_STORE;
    uint64_t s = c->seed;
    for (uint32_t i = 0; i < d->rank; i++) {
        const bool spatial = d->kind == TMAP_IM2COL && i > 0 && i + 1 < d->rank;
        const int64_t from = spatial ? d->lower[i - 1] : 0;
        const int64_t end = (int64_t)d->dim[i] + (spatial ? d->upper[i - 1] : 0);
        const uint64_t grain = c->plan.grain[i];
        const uint64_t places = grain ? (uint64_t)(end - from) / grain + !(stores || spatial) : 0;
        c->coord[i] = from + (int64_t)(places ? below(&s, places) * grain : 0);
    }
}

static uint64_t span_of(const struct tmap_desc *d)
{
    uint64_t bytes = d->dim[0] * tile_unit_bytes(d);
    for (uint32_t i = 1; i < d->rank; i++) bytes += (d->dim[i] - 1) * d->stride_bytes[i - 1];
    return bytes;
}

bool plan_within(const struct plan_case *c, uint64_t from, uint64_t bytes)
{
    const struct tmap_desc *d = &c->plan.desc;
    const uint64_t guard = c->op == TMAP_OP_STORE ? WINDOW_GUARD : 0, span = span_of(d);
    return d->address >= from && span + guard <= bytes && d->address - from <= bytes - span - guard;
}

// --- running ------------------------------------------------------------------------------------
void plan_copy_of(const struct plan_case *c, uint32_t n, const struct tmap_desc *desc,
                  uint64_t window, struct device_case *out)
{
    const bool stores = c->op == TMAP_OP_STORE, im2col = desc->kind != TMAP_TILED;
    struct tmap_layout l;
    memset(out, 0, sizeof *out);
    out->desc = *desc;
    out->seed = c->seed;
    out->use = (struct tmap_use){.op = c->op,
                                 .flags = TMAP_USE_COORD | TMAP_USE_SMEM,
                                 .coord_count = desc->rank,
                                 .smem = n * c->plan.slot_bytes};
    out->exec_op = stores   ? im2col ? EXECUTOR_STORE_IM2COL : EXECUTOR_STORE
                   : im2col ? EXECUTOR_LOAD_IM2COL
                            : EXECUTOR_LOAD;
    if (stores) {
        out->window = window + (uint64_t)n * PLAN_WINDOW_BYTES;
        out->window_bytes = PLAN_WINDOW_BYTES;
        out->desc.address += (uint64_t)n * PLAN_WINDOW_BYTES;
        return;
    }
    layout_of(desc, &l);
    out->expect_tx = (uint32_t)l.tx_bytes;
    out->image_from = (uint32_t)(n * c->plan.slot_bytes);
    out->image_bytes = (uint32_t)c->plan.slot_bytes;
}

void plan_copy(const struct plan_case *c, uint32_t n, uint64_t window, struct device_case *out)
{
    struct tmap_desc desc;
    int64_t at[TMAP_MAX_RANK];
    tmap_plan_desc(&c->plan, n, &desc);
    tmap_plan_coords(&c->plan, c->coord, n, at);
    plan_copy_of(c, n, &desc, window, out);
    for (uint32_t i = 0; i < desc.rank; i++) out->use.coord[i] = (int32_t)at[i];
}

const char *plan_refused(const struct plan_tools *t, const struct device_case *copy)
{
    struct tmap_violation v[1];
    size_t found;
    if (tmap_check_with(&t->checker, &copy->desc, v, 1, &found, NULL) != TMAP_OK)
        return "the descriptor cannot be checked";
    if (found) return tmap_row_id(v[0].row);
    if (tmap_check_use(&t->checker, &copy->desc, &copy->use, v, 1, &found, NULL) != TMAP_OK)
        return "the use cannot be checked";
    return found ? tmap_row_id(v[0].row) : NULL;
}

// --- comparing ----------------------------------------------------------------------------------
static uint8_t hash_byte(uint64_t seed, uint64_t at)
{
    return (uint8_t)(executor_hash(seed, at / 8) >> at % 8 * 8);
}

static uint8_t loaded_byte(const struct plan_case *c, bool in, uint64_t at, uint64_t seed,
                           uint32_t b)
{
    const uint32_t bytes = layout_gmem_bits(c->request.dtype) / 8;
    return in ? hash_byte(seed, at + b) : (uint8_t)(sim_fill(&c->request) >> b % bytes * 8);
}

// Where byte b of the element lies; of a slice every element has a place of its own.
static bool place_of(const struct plan_case *c, const struct tile_walk *w, uint32_t b, uint32_t *n,
                     uint64_t *offset)
{
    const uint32_t bytes = layout_gmem_bits(c->request.dtype) / 8;
    const bool has =
        tmap_plan_place_in_slice(&c->plan, &c->request, c->coord, w->tile, b / bytes, n, offset);
    *offset += b % bytes;
    return has;
}

static const char *load_differs(const struct plan_case *c, uint64_t arena, uint64_t seed,
                                const uint8_t *const images[])
{
    const uint64_t unit = tile_unit_bytes(&c->request);
    struct tile_walk w;
    tile_walk_start(&w, &c->request, c->coord);
    do {
        uint64_t address = arena, offset;
        uint32_t n;
        const bool in = tile_address(&c->request, w.x, &address);
        for (uint32_t b = 0; b < unit; b++) {
            if (!place_of(c, &w, b, &n, &offset)) return "an element has no place";
            const uint64_t place = tmap_swizzle_address(c->plan.desc.swizzle, offset);
            if (images[n][place - n * c->plan.slot_bytes] !=
                loaded_byte(c, in, address - arena, seed, b))
                return "a loaded byte is not the tensor's";
        }
    } while (tile_walk_next(&w));
    return NULL;
}

static const char *store_differs(struct plan_tools *t, const struct plan_case *c,
                                 const uint8_t *const images[])
{
    const uint64_t unit = tile_unit_bytes(&c->request),
                   window = c->request.address / PLAN_WINDOW_BYTES * PLAN_WINDOW_BYTES;
    struct tile_walk w;
    memset(t->wanted, 0, c->plan.copies * sizeof t->wanted[0]);
    tile_walk_start(&w, &c->request, c->coord);
    do {
        uint64_t address, offset;
        uint32_t n;
        if (!tile_address(&c->request, w.x, &address)) continue;
        for (uint32_t b = 0; b < unit; b++) {
            if (!place_of(c, &w, b, &n, &offset)) return "an element has no place";
            const uint64_t at = address - window + b;
            const uint64_t place = tmap_swizzle_address(c->plan.desc.swizzle, offset);
            if (images[n][at] != hash_byte(c->seed, place)) return "an element was not stored";
            t->wanted[n][at] = 1;
        }
    } while (tile_walk_next(&w));
    for (uint32_t n = 0; n < c->plan.copies; n++)
        for (uint32_t at = 0; at < PLAN_WINDOW_BYTES; at++)
            if (!t->wanted[n][at] && images[n][at] != hash_byte(c->seed + 1, at))
                return "a byte beside the tile was written";
    return NULL;
}

const char *plan_differs(struct plan_tools *t, const struct plan_case *c, uint64_t arena,
                         uint64_t arena_seed, const uint8_t *const images[])
{
    return c->op == TMAP_OP_STORE ? store_differs(t, c, images)
                                  : load_differs(c, arena, arena_seed, images);
}
