// What every plan is made of; see draft.h.
#include "kernels/copy/draft.h"

#include <string.h>

#include "tmap/solve.h"

#define RING_STAGES 4u     // more in flight only scatters the rows of memory that are open
#define SYSTEM_BYTES 1024u // of shared memory, that each of several blocks gives up
#define MAX_LOADS 4u

uint32_t draft_size(int32_t dtype)
{
    switch (dtype) {
// clang-format off
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, tf32) \
    case value: return gmem_bits / 8;
#include "rules/enums.def"
    // clang-format on
    default:
        return 0;
    }
}

uint32_t draft_span(int32_t swizzle)
{
    switch (swizzle) {
// clang-format off
#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) \
    case value: return span_bytes;
#include "rules/enums.def"
    // clang-format on
    default:
        return 0;
    }
}

uint64_t draft_blocks(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit;
}

// For t below 2^31: with shift = 31 + ceil(log2 d), the multiplier fits 32 bits and the quotient is
// exact (Granlund and Montgomery 1994, theorem 4.2).
struct copy_divisor draft_divisor(uint64_t d)
{
    uint32_t log = 0;
    while ((1ull << log) < d) log++;
    const uint32_t shift = 31 + log;
    return (struct copy_divisor){(uint32_t)d, (uint32_t)(((1ull << shift) + d - 1) / d), shift};
}

// The widest plain integer type that the innermost extent and both addresses allow.
void draft_widen(struct tmap_copy_problem *p, bool keep)
{
    static const int32_t types[] = {TMAP_UINT64, TMAP_UINT32, TMAP_UINT16, TMAP_UINT8};
    const uint32_t size = draft_size(p->dtype);
    const uint64_t bytes = p->dim[0] * size;
    if (keep || size == 0) return;
    for (int i = 0; i < 4; i++) {
        const uint32_t wide = draft_size(types[i]);
        if (wide < size || bytes % wide != 0) continue;
        p->dtype = types[i];
        p->dim[0] = bytes / wide;
        return;
    }
}

void draft_dense(const struct tmap_copy_problem *p, uint32_t rank, uint64_t stride[])
{
    uint64_t bytes = p->dim[0] * (draft_size(p->dtype));
    for (uint32_t i = 0; i + 1 < rank; i++) {
        stride[i] = bytes;
        bytes *= p->dim[i + 1];
    }
}

uint32_t draft_inner(const struct tmap_desc *d, uint64_t dim)
{
    const uint32_t size = draft_size(d->dtype), span = draft_span(d->swizzle);
    uint64_t most = span ? span / size : BOX_LIMIT;
    const uint64_t whole = draft_blocks(dim * size, GRAIN_BYTES) * GRAIN_BYTES / size;
    if (most > whole) most = whole;
    return (uint32_t)most;
}

// Fills dimension after dimension until the slot is full.
void draft_box(struct tmap_desc *d, const struct tmap_copy_config *c)
{
    const uint32_t size = draft_size(d->dtype);
    d->box[0] = c->box[0] ? c->box[0] : draft_inner(d, d->dim[0]);
    uint64_t room = c->slot_bytes / ((uint64_t)d->box[0] * size);
    for (uint32_t i = 1; i < d->rank; i++) {
        uint64_t n = room < d->dim[i] ? room : d->dim[i];
        if (n > BOX_LIMIT) n = BOX_LIMIT;
        if (n == 0) n = 1;
        d->box[i] = c->box[i] ? c->box[i] : (uint32_t)n;
        room /= d->box[i];
    }
}

struct tmap_desc draft_tensor(const struct tmap_copy_problem *p, uint32_t rank, uint64_t address,
                              const uint64_t stride[])
{
    struct tmap_desc d;
    memset(&d, 0, sizeof d);
    d.dtype = p->dtype;
    d.rank = rank;
    d.address = address;
    for (uint32_t i = 0; i < rank; i++) {
        d.dim[i] = p->dim[i];
        if (i) d.stride_bytes[i - 1] = stride[i - 1];
    }
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) d.elem_stride[i] = 1;
    d.l2_promotion = TMAP_L2_256B;
    return d;
}

// Legal by every row, then the 128 bytes.
enum tmap_status draft_encode(struct draft *f, int which, struct copy_map *map)
{
    const struct tmap_checker *c = &f->plan->suite->checker;
    enum tmap_verdict verdict;
    struct tmap_map out;
    size_t found = 0;
    struct tmap_violation v = {TMAP_NO_ROW, -1};
    const struct tmap_desc *d = &f->plan->desc[which];
    enum tmap_status s = tmap_check_with(c, d, &v, 1, &found, &verdict);
    if (s != TMAP_OK) return s;
    if (verdict != TMAP_LEGAL) {
        f->violation = v;
        return draft_refuse(f, TMAP_E_ILLEGAL, "%s: %s %s", which ? "dst" : "src",
                            tmap_row_id(v.row), tmap_row_name(v.row));
    }
    s = tmap_encode(c, d, &out);
    if (s == TMAP_OK) memcpy(map->word, out.word, sizeof out.word);
    return s;
}

enum tmap_status draft_encode_both(struct draft *f)
{
    const enum tmap_status s = draft_encode(f, 0, &f->k.src);
    return s == TMAP_OK ? draft_encode(f, 1, &f->k.dst) : s;
}

uint32_t draft_tiles(uint64_t a, uint64_t b)
{
    return b && a < INT32_MAX / b ? (uint32_t)(a * b) : 0;
}

void draft_cover(struct draft *f, const struct tmap_desc *d)
{
    uint64_t total = 1;
    for (uint32_t i = 0; i < d->rank; i++) {
        const uint64_t n = draft_blocks(d->dim[i], d->box[i]);
        f->k.tiles[i] = draft_divisor(n);
        f->k.step[i] = d->box[i];
        total = draft_tiles(total, n);
    }
    f->plan->tiles = (uint32_t)total;
}

// What one of several blocks of a multiprocessor may have, less what the kernel keeps for itself.
static uint32_t room(const struct tmap_copy_plan *plan)
{
    const uint32_t all = plan->suite->smem_bytes, n = plan->config.blocks_per_sm;
    const uint32_t system = n > 1 || plan->problem.kind == TMAP_COPY_PATCHED ? SYSTEM_BYTES : 0;
    return all / n > system ? all / n - system : 0;
}

static enum tmap_status budget(struct draft *f, struct tmap_pipeline *p, struct tmap_budget *b)
{
    size_t found = 0;
    return tmap_pipeline_budget(&f->plan->suite->checker, p, b, NULL, 0, &f->violation, 1, &found);
}

enum tmap_status draft_ring(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_config *c = &plan->config;
    struct tmap_desc loads[MAX_LOADS];
    struct tmap_budget b;
    struct tmap_pipeline p = {.loads = loads,
                              .load_count = f->loads,
                              .store = f->store_stages ? &plan->desc[1] : NULL,
                              .store_stages = f->store_stages,
                              .reserve_bytes = plan->suite->smem_bytes - room(plan)};
    if (plan->tiles == 0 || f->loads > MAX_LOADS)
        return draft_refuse(f, TMAP_E_NO_PLAN, "no tiles, or more than 2^31");
    for (uint32_t i = 0; i < f->loads; i++) loads[i] = f->slot.rank ? f->slot : plan->desc[0];
    enum tmap_status s = budget(f, &p, &b);
    if (s != TMAP_OK) return s;
    const uint32_t fit = b.max_stages < COPY_MAX_STAGES ? b.max_stages : COPY_MAX_STAGES;
    if (c->stages == 0) c->stages = fit < RING_STAGES ? fit : RING_STAGES;
    if (fit == 0 || c->stages > fit)
        return draft_refuse(f, TMAP_E_NO_PLAN, "stages is %u, and shared memory holds %u",
                            c->stages, fit);
    p.stages = c->stages;
    s = budget(f, &p, &b);
    if (s == TMAP_OK && b.verdict != TMAP_LEGAL) s = TMAP_E_NO_PLAN;
    f->k.stages = c->stages;
    f->k.stage_bytes = (uint32_t)b.stage_bytes;
    plan->tx_bytes = (uint32_t)b.stage_tx_bytes;
    plan->smem_bytes = (uint32_t)(b.shared_bytes - p.reserve_bytes);
    return s;
}
