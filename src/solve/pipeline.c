/* Shared memory of a ring of stages: where every buffer lies, what fits, what the barriers expect.
 */
#include "core/arith.h"
#include "core/check_use.h"
#include "tmap/solve.h"

#include <string.h>

#define BARRIER_BYTES 8u /* PTX ISA: an mbarrier object */
#define BARRIERS_A_STAGE 2u

/* One stage, and what stands once. */
struct sums {
    uint64_t stage_bytes, align_bytes, tx_bytes;
    uint64_t store_bytes, store_align_bytes;
    uint64_t reserve_bytes;
    uint32_t store_stages;
    uint64_t tmem_columns; /* allocated */
};

static uint64_t buffer_align(const struct tmap_layout *l)
{
    return l->pattern_bytes > l->align_bytes ? l->pattern_bytes : l->align_bytes;
}

static enum tmap_status sum_loads(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                                  struct sums *s)
{
    struct tmap_layout l;
    for (size_t i = 0; i < p->load_count; i++) {
        const enum tmap_status status = tmap_layout(checker, &p->loads[i], &l);
        if (status != TMAP_OK) return status;
        const uint64_t align = buffer_align(&l);
        if (align > s->align_bytes) s->align_bytes = align;
        s->stage_bytes = sum_add(sum_round_up(s->stage_bytes, align), l.footprint_bytes);
        s->tx_bytes = sum_add(s->tx_bytes, l.tx_bytes);
    }
    s->stage_bytes = sum_round_up(s->stage_bytes, s->align_bytes);
    /* the leader counts what lands in both CTAs */
    if (p->cta_group == 2) s->tx_bytes = sum_mul(s->tx_bytes, 2);
    return TMAP_OK;
}

/* Bits of an element of A in shared memory, K of one instruction, by kind. */
static const struct mma_kind {
    uint32_t bits, k;
} mma_kinds[] = {
#define MMA_KIND(id, text, bits, k) [TMAP_MMA_##id] = {bits, k},
#include "rules/mma.def"
};
#define MMA_KINDS (sizeof mma_kinds / sizeof *mma_kinds)
#define ROW_BITS (128u * 8u) /* of an operand's row of 128 bytes */

/* PTX ISA, scale factors in tensor memory: of 128 rows (or columns of B), four factors each lie in
 * four columns. */
#define SCALE_ROWS 128u
#define SCALES_A_COLUMN 4u

static struct tmap_tcgen05 mma_of(const struct tmap_pipeline *p)
{
    struct tmap_tcgen05 m = p->mma;
    if (m.kind == TMAP_MMA_NONE || m.kind >= MMA_KINDS) return m;
    if (m.k == 0) m.k = mma_kinds[m.kind].k;
    if (m.block_k == 0) m.block_k = ROW_BITS / mma_kinds[m.kind].bits;
    return m;
}

/* Columns of one accumulator of 32-bit cells in each CTA. A pair of 128 rows in all has 64 in a
 * CTA, which lie in all lanes: half the columns (PTX ISA, data path layout B). */
static uint64_t accumulator_columns(const struct tmap_pipeline *p, const struct tmap_tcgen05 *m)
{
    return p->cta_group == 2 && m->m <= SCALE_ROWS ? ceil_div(m->n, 2) : m->n;
}

static uint64_t scale_columns(const struct tmap_tcgen05 *m)
{
    if (m->scale_block == 0) return 0;
    const uint64_t groups = ceil_div(m->block_k, (uint64_t)m->scale_block * SCALES_A_COLUMN);
    const uint64_t blocks = 1 + ceil_div(m->n, SCALE_ROWS); /* of A, whose CTA has 128 rows; of B */
    return sum_mul(groups, blocks * SCALES_A_COLUMN);
}

static uint64_t tmem_needed(const struct tmap_pipeline *p)
{
    const struct tmap_tcgen05 m = mma_of(p);
    if (m.kind == TMAP_MMA_NONE) return 0;
    return sum_add(sum_mul(p->accumulators ? p->accumulators : 1, accumulator_columns(p, &m)),
                   sum_mul(p->scale_stages ? p->scale_stages : 1, scale_columns(&m)));
}

/* The least number of columns, from `needed` on, that tcgen05.alloc takes on the target: found by
 * asking the rows, also those that the caller's contract leaves out. Where none is, `needed`
 * itself, which a row then refuses. */
static uint64_t columns_for(const struct tmap_checker *checker, uint64_t needed)
{
    struct pipeline_facts f = {
        .stages = 1, .arrivals = 1, .cta_group = 1, .alloc_warps = 1, .alloc_group = 1};
    struct tmap_checker safe = *checker;
    uint32_t most = 0;
    size_t n = 1;
    tmap_checker_prepare(&checker->target, TMAP_CONTRACT_SAFE, &safe);
    tmap_capacity(checker->target.arch, NULL, &most);
    for (f.tmem_columns = needed; needed && f.tmem_columns <= most; f.tmem_columns++) {
        check_pipeline(&safe, &f, NULL, 0, &n);
        if (n == 0) return f.tmem_columns;
    }
    return needed;
}

static enum tmap_status sum_up(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                               struct sums *s)
{
    struct tmap_layout l;
    memset(s, 0, sizeof *s);
    s->reserve_bytes = sum_add(p->reserve_bytes, 0); /* at most SUM_MAX */
    s->tmem_columns = p->tmem_columns ? p->tmem_columns : columns_for(checker, tmem_needed(p));
    if (p->store) {
        const enum tmap_status status = tmap_layout(checker, p->store, &l);
        if (status != TMAP_OK) return status;
        s->store_align_bytes = buffer_align(&l);
        s->store_bytes = sum_round_up(l.footprint_bytes, s->store_align_bytes);
        s->store_stages = p->store_stages ? p->store_stages : 1;
    }
    return sum_loads(checker, p, s);
}

/* Ring, staging, barriers, rest: in that order, since alignment falls. */
static uint64_t shared_bytes(const struct sums *s, uint64_t stages)
{
    uint64_t at = sum_round_up(sum_mul(stages, s->stage_bytes), s->store_align_bytes);
    at = sum_round_up(sum_add(at, sum_mul(s->store_bytes, s->store_stages)), BARRIER_BYTES);
    at = sum_add(at, sum_mul(stages, BARRIERS_A_STAGE * BARRIER_BYTES));
    return sum_add(at, s->reserve_bytes);
}

static uint64_t group_of(const struct tmap_pipeline *p)
{
    return p->cta_group ? p->cta_group : 1;
}

static struct pipeline_facts facts_of(const struct tmap_pipeline *p, const struct sums *s,
                                      uint64_t stages)
{
    const uint64_t tx = sum_add(p->expect_tx ? p->expect_tx : s->tx_bytes, 0);
    const struct tmap_tcgen05 m = mma_of(p);
    return (struct pipeline_facts){.stages = stages,
                                   .stage_bytes = s->stage_bytes,
                                   .stage_align_bytes = s->align_bytes,
                                   .stage_tx_bytes = tx,
                                   .shared_bytes = shared_bytes(s, stages),
                                   .tmem_columns = s->tmem_columns,
                                   .arrivals = p->consumers ? p->consumers : 1,
                                   .cta_group = group_of(p),
                                   .mma_kind = m.kind,
                                   .mma_m = m.m,
                                   .mma_n = m.n,
                                   .mma_k = m.k,
                                   .a_type = m.a_type,
                                   .b_type = m.b_type,
                                   .d_type = m.d_type,
                                   .scale_block = m.scale_block,
                                   .scale_type = m.scale_type,
                                   .tmem_needed = tmem_needed(p),
                                   .alloc_warps = p->alloc_warps ? p->alloc_warps : 1,
                                   .alloc_group = p->alloc_group ? p->alloc_group : group_of(p)};
}

/* The most stages whose sums fit: doubled, then halved in. Each stage has barriers at least, so
 * that the doubling ends. */
static uint32_t most_stages(const struct sums *s, uint32_t capacity)
{
    uint32_t low = 0, high = 1;
    while (shared_bytes(s, high) <= capacity) {
        low = high;
        high *= 2;
    }
    while (low + 1 < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (shared_bytes(s, mid) <= capacity)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* The loads' buffers of stage k, of which `room` are written. */
static void stage_regions(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                          const struct sums *s, uint32_t k, struct tmap_region *out, size_t room)
{
    struct tmap_layout l;
    uint64_t at = sum_mul(k, s->stage_bytes);
    for (size_t i = 0; i < p->load_count && i < room; i++) {
        tmap_layout(checker, &p->loads[i], &l);
        at = sum_round_up(at, buffer_align(&l));
        out[i] = (struct tmap_region){TMAP_REGION_LOAD,  (uint32_t)i,     k, at,
                                      l.footprint_bytes, buffer_align(&l)};
        at = sum_add(at, l.footprint_bytes);
    }
}

/* Ring, staging, barriers and rest, as far as the caller's array goes; returns how many there are,
 * whose number need not be walked. */
static size_t list_regions(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                           const struct sums *s, uint32_t stages, struct tmap_region *out,
                           size_t cap)
{
    size_t n = 0;
    for (uint32_t k = 0; k < stages && n < cap; k++, n += p->load_count)
        stage_regions(checker, p, s, k, out + n, cap - n);
    n = (size_t)sum_mul(stages, p->load_count);
    uint64_t at = sum_round_up(sum_mul(stages, s->stage_bytes), s->store_align_bytes);
    for (uint32_t k = 0; k < s->store_stages && n + k < cap; k++)
        out[n + k] = (struct tmap_region){
            TMAP_REGION_STORE,   0, k, sum_add(at, sum_mul(k, s->store_bytes)), s->store_bytes,
            s->store_align_bytes};
    n = (size_t)sum_add(n, s->store_stages);
    at = sum_round_up(sum_add(at, sum_mul(s->store_stages, s->store_bytes)), BARRIER_BYTES);
    const uint64_t barriers = (uint64_t)stages * BARRIERS_A_STAGE * BARRIER_BYTES;
    if (n < cap)
        out[n] = (struct tmap_region){TMAP_REGION_BARRIERS, 0, 0, at, barriers, BARRIER_BYTES};
    n++;
    if (s->reserve_bytes && n < cap)
        out[n] = (struct tmap_region){TMAP_REGION_REST, 0, 0, sum_add(at, barriers),
                                      s->reserve_bytes, 1};
    return n + (s->reserve_bytes != 0);
}

enum tmap_status tmap_pipeline_budget(const struct tmap_checker *checker,
                                      const struct tmap_pipeline *p, struct tmap_budget *budget,
                                      struct tmap_region *regions, size_t region_cap,
                                      struct tmap_violation *violations, size_t cap, size_t *found)
{
    struct sums s;
    uint32_t capacity = 0;
    if (!checker || !p || !budget || !found || !p->loads || p->load_count == 0 ||
        (region_cap && !regions) || (cap && !violations))
        return TMAP_E_ARGUMENT;
    enum tmap_status status = tmap_capacity(checker->target.arch, &capacity, NULL);
    if (status != TMAP_OK) return status;
    if (capacity == 0) return TMAP_E_TARGET;
    status = sum_up(checker, p, &s);
    if (status != TMAP_OK) return status;
    struct tmap_budget b = {.stage_bytes = s.stage_bytes,
                            .stage_align_bytes = s.align_bytes,
                            .stage_tx_bytes = s.tx_bytes,
                            .capacity_bytes = capacity};
    b.max_stages = most_stages(&s, capacity);
    b.stages = p->stages ? p->stages : (b.max_stages ? b.max_stages : 1);
    b.barriers = (uint64_t)b.stages * BARRIERS_A_STAGE;
    b.shared_bytes = shared_bytes(&s, b.stages);
    b.tmem_columns = (uint32_t)columns_for(checker, s.tmem_columns);
    b.tmem_needed = (uint32_t)(tmem_needed(p) < UINT32_MAX ? tmem_needed(p) : UINT32_MAX);
    const struct pipeline_facts f = facts_of(p, &s, b.stages);
    check_pipeline(checker, &f, violations, cap, found); /* which its arguments do not refuse */
    b.verdict = *found ? TMAP_ILLEGAL : TMAP_LEGAL;
    if (p->expect_tx && p->expect_tx != s.tx_bytes) b.verdict = TMAP_ILLEGAL;
    b.region_count = list_regions(checker, p, &s, b.stages, regions, region_cap);
    *budget = b;
    return TMAP_OK;
}

/* Whether the pipeline fits with so many stages, and what it takes; a smaller box is as legal. */
static bool fits_with(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                      uint64_t *shared)
{
    struct tmap_budget b = {.stages = 1};
    size_t found;
    tmap_pipeline_budget(checker, p, &b, NULL, 0, NULL, 0, &found);
    *shared = b.shared_bytes;
    return b.max_stages >= b.stages;
}

/* The largest box in that dimension with which the pipeline fits; 0: none does. */
static uint32_t largest_box(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                            uint32_t *box, uint64_t *shared)
{
    const uint32_t was = *box;
    uint32_t low = 0, high = was;
    uint64_t bytes = 0;
    while (low + 1 < high) {
        *box = low + (high - low) / 2;
        if (fits_with(checker, p, &bytes)) {
            low = *box;
            *shared = bytes;
        } else {
            high = *box;
        }
    }
    *box = was;
    return low;
}

enum tmap_status tmap_pipeline_nearest(const struct tmap_checker *checker,
                                       const struct tmap_pipeline *pipeline,
                                       struct tmap_pipeline_box *out)
{
    struct tmap_desc loads[TMAP_PIPELINE_LOADS];
    struct tmap_pipeline_box best = {0, 0, 0, 0};
    struct tmap_budget b;
    size_t found;
    if (!checker || !pipeline || !out || pipeline->load_count > TMAP_PIPELINE_LOADS)
        return TMAP_E_ARGUMENT;
    const enum tmap_status s =
        tmap_pipeline_budget(checker, pipeline, &b, NULL, 0, NULL, 0, &found);
    if (s != TMAP_OK) return s;
    if (b.max_stages >= b.stages) return TMAP_E_NO_PLAN;
    struct tmap_pipeline p = *pipeline;
    memcpy(loads, pipeline->loads, p.load_count * sizeof *loads);
    p.loads = loads;
    for (uint32_t i = 0; i < p.load_count; i++)
        for (uint32_t d = 1; loads[i].kind == TMAP_TILED && d < loads[i].rank; d++) {
            uint64_t shared = 0;
            const uint32_t box = largest_box(checker, &p, &loads[i].box[d], &shared);
            if (box && shared > best.shared_bytes)
                best = (struct tmap_pipeline_box){i, d, box, shared};
        }
    if (best.box == 0) return TMAP_E_NO_PLAN;
    *out = best;
    return TMAP_OK;
}
