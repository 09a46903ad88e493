/* Shared memory of a ring of stages: where every buffer lies, what fits, what the barriers expect.
 */
#include "core/check_use.h"
#include "expr/row.h"
#include "tmap/solve.h"

#include <string.h>

#define BARRIER_BYTES 8u /* PTX ISA: an mbarrier object */
#define BARRIERS_A_STAGE 2u

static uint64_t round_up(uint64_t v, uint64_t align)
{
    return align ? (v + align - 1) / align * align : v;
}

/* One stage, and what stands once. */
struct sums {
    uint64_t stage_bytes, align_bytes, tx_bytes;
    uint64_t store_bytes, store_align_bytes;
    uint64_t reserve_bytes;
    uint32_t store_stages;
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
        s->stage_bytes = round_up(s->stage_bytes, align) + l.footprint_bytes;
        s->tx_bytes += l.tx_bytes;
    }
    s->stage_bytes = round_up(s->stage_bytes, s->align_bytes);
    if (p->cta_group == 2) s->tx_bytes *= 2; /* the leader counts what lands in both CTAs */
    return TMAP_OK;
}

static enum tmap_status sum_up(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                               struct sums *s)
{
    struct tmap_layout l;
    memset(s, 0, sizeof *s);
    s->reserve_bytes = p->reserve_bytes;
    if (p->store) {
        const enum tmap_status status = tmap_layout(checker, p->store, &l);
        if (status != TMAP_OK) return status;
        s->store_align_bytes = buffer_align(&l);
        s->store_bytes = round_up(l.footprint_bytes, s->store_align_bytes);
        s->store_stages = p->store_stages ? p->store_stages : 1;
    }
    return sum_loads(checker, p, s);
}

/* Ring, staging, barriers, rest: in that order, since alignment falls. */
static uint64_t shared_bytes(const struct sums *s, uint64_t stages)
{
    uint64_t at = stages * s->stage_bytes;
    at = round_up(at, s->store_align_bytes) + s->store_bytes * s->store_stages;
    at = round_up(at, BARRIER_BYTES) + stages * BARRIERS_A_STAGE * BARRIER_BYTES;
    return at + s->reserve_bytes;
}

static struct pipeline_facts facts_of(const struct tmap_pipeline *p, const struct sums *s,
                                      uint64_t stages)
{
    const uint64_t tx = p->expect_tx ? p->expect_tx : s->tx_bytes;
    return (struct pipeline_facts){.stages = stages,
                                   .stage_bytes = s->stage_bytes,
                                   .stage_align_bytes = s->align_bytes,
                                   .stage_tx_bytes = tx,
                                   .shared_bytes = shared_bytes(s, stages),
                                   .tmem_columns = p->tmem_columns,
                                   .arrivals = p->consumers ? p->consumers : 1};
}

static bool fits(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                 const struct sums *s, uint64_t stages)
{
    struct tmap_violation v[8];
    size_t n;
    const struct pipeline_facts f = facts_of(p, s, stages);
    if (check_pipeline(checker, &f, v, 8, &n) != TMAP_OK) return false;
    for (size_t i = 0; i < n && i < 8; i++)
        if (v[i].row == ROW_TMA181 || v[i].row == ROW_TMA180) return false;
    return true;
}

/* The most stages whose sums the rows accept: doubled, then halved in. */
static uint32_t most_stages(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                            const struct sums *s)
{
    uint32_t low = 0, high = 1;
    if (s->stage_bytes == 0) return 0;
    while (high < (1u << 20) && fits(checker, p, s, high)) {
        low = high;
        high *= 2;
    }
    while (low + 1 < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (fits(checker, p, s, mid))
            low = mid;
        else
            high = mid;
    }
    return low;
}

struct region_list {
    struct tmap_region *out;
    size_t cap, count;
};

static void add_region(struct region_list *list, struct tmap_region r)
{
    if (list->count < list->cap) list->out[list->count] = r;
    list->count++;
}

static void list_regions(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                         const struct sums *s, uint32_t stages, struct region_list *list)
{
    struct tmap_layout l;
    for (uint32_t k = 0; k < stages; k++) {
        uint64_t at = k * s->stage_bytes;
        for (size_t i = 0; i < p->load_count; i++) {
            tmap_layout(checker, &p->loads[i], &l);
            at = round_up(at, buffer_align(&l));
            add_region(list, (struct tmap_region){TMAP_REGION_LOAD, (uint32_t)i, k, at,
                                                  l.footprint_bytes, buffer_align(&l)});
            at += l.footprint_bytes;
        }
    }
    uint64_t at = round_up(stages * s->stage_bytes, s->store_align_bytes);
    for (uint32_t k = 0; k < s->store_stages; k++, at += s->store_bytes)
        add_region(list, (struct tmap_region){TMAP_REGION_STORE, 0, k, at, s->store_bytes,
                                              s->store_align_bytes});
    const uint64_t barriers = (uint64_t)stages * BARRIERS_A_STAGE * BARRIER_BYTES;
    at = round_up(at, BARRIER_BYTES);
    add_region(list, (struct tmap_region){TMAP_REGION_BARRIERS, 0, 0, at, barriers, BARRIER_BYTES});
    if (s->reserve_bytes)
        add_region(
            list, (struct tmap_region){TMAP_REGION_REST, 0, 0, at + barriers, s->reserve_bytes, 1});
}

/* The next number of columns that tcgen05.alloc takes, found by asking the rows. */
static uint32_t columns_rounded(const struct tmap_checker *checker, uint32_t wanted)
{
    struct pipeline_facts f = {.stages = 1, .arrivals = 1};
    struct tmap_violation v[8];
    size_t n;
    for (uint64_t c = wanted; wanted && c < 2 * (uint64_t)wanted + 64; c++) {
        f.tmem_columns = c;
        if (check_pipeline(checker, &f, v, 8, &n) == TMAP_OK && n == 0) return (uint32_t)c;
    }
    return wanted;
}

enum tmap_status tmap_pipeline_budget(const struct tmap_checker *checker,
                                      const struct tmap_pipeline *p, struct tmap_budget *budget,
                                      struct tmap_region *regions, size_t region_cap,
                                      struct tmap_violation *violations, size_t cap, size_t *found)
{
    struct sums s;
    uint32_t capacity = 0;
    struct region_list list = {regions, region_cap, 0};
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
    b.max_stages = most_stages(checker, p, &s);
    b.stages = p->stages ? p->stages : (b.max_stages ? b.max_stages : 1);
    b.barriers = b.stages * BARRIERS_A_STAGE;
    b.shared_bytes = shared_bytes(&s, b.stages);
    b.tmem_columns = columns_rounded(checker, p->tmem_columns);
    const struct pipeline_facts f = facts_of(p, &s, b.stages);
    status = check_pipeline(checker, &f, violations, cap, found);
    if (status != TMAP_OK) return status;
    b.verdict = *found ? TMAP_ILLEGAL : TMAP_LEGAL;
    if (p->expect_tx && p->expect_tx != s.tx_bytes) b.verdict = TMAP_ILLEGAL;
    list_regions(checker, p, &s, b.stages, &list);
    b.region_count = list.count;
    *budget = b;
    return TMAP_OK;
}

/* Whether the pipeline fits with so many stages, and what it takes. */
static bool fits_with(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                      uint64_t *shared)
{
    struct tmap_budget b;
    size_t found;
    if (tmap_pipeline_budget(checker, p, &b, NULL, 0, NULL, 0, &found) != TMAP_OK) return false;
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
