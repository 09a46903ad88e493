/* The verdicts of a whole space: what depends on a few of a configuration's words is judged once.
 *
 * A configuration is legal when its tiles' copies are, when the sums of its stages are and when the
 * rest of it (threads, registers, tensor memory, shapes) is. No row speaks of both a stage's sums
 * and the rest, and none of more than one block's odd part; tests/solve/test_prune_space.c holds
 * every verdict to tmap_prune()'s, and would show a row that does. */
#include "core/arith.h"
#include "core/check_use.h"
#include "solve/config.h"

#include <string.h>

#define CACHED 8192u /* sums of stages kept, by the bytes of one */

struct cached {
    uint64_t stage_bytes, staging_bytes; /* staging_bytes UINT64_MAX: empty */
    uint64_t any;                        /* some number of stages is legal */
};

struct run {
    struct config_judge j;
    const struct tmap_space *s;
    uint64_t *a_bytes, *b_bytes; /* of the tiles */
    uint64_t *staging;           /* of C's tile by block_n, of the present block_m */
    uint8_t *a, *b,
        *k;        /* legal: tile of A by block_m, block_k; of B by block_n; block_k by itself */
    uint8_t *rest; /* by block_n, warps, of the present block_m */
    uint8_t *some; /* by block_n: some number of warps is legal there */
    struct cached *cached;
    uint8_t *sums;  /* by entry of cached, stages */
    size_t present; /* block_m of rest; SIZE_MAX: none */
    /* what is known of an operand's boxes, by span and rows: 1 + legal */
    uint8_t boxes[3][CONFIG_SPANS][CONFIG_BOX_ROWS + 1];
};

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

size_t tmap_space_workspace(const struct tmap_space *s)
{
    if (!s) return 0;
    const size_t tiles = at_least_one(s->block_k_count) *
                         (at_least_one(s->block_m_count) + at_least_one(s->block_n_count));
    const size_t tables = at_least_one(s->block_m_count) * at_least_one(s->block_k_count) +
                          at_least_one(s->block_n_count) * at_least_one(s->block_k_count) +
                          at_least_one(s->block_k_count) +
                          at_least_one(s->block_n_count) * (at_least_one(s->warps_count) + 1);
    return (tiles + at_least_one(s->block_n_count)) * sizeof(uint64_t) + tables +
           CACHED * (sizeof(struct cached) + at_least_one(s->stages_count)) + sizeof(uint64_t);
}

static bool tile_is_legal(const struct run *r, const struct config_tile *t)
{
    struct tmap_config_answer a;
    memset(&a, 0, sizeof a);
    config_judge_tile(&r->j, t, &a);
    return a.verdict == TMAP_LEGAL;
}

static bool box_is_legal(struct run *r, const struct config_tile *t, const struct config_boxes *b,
                         uint32_t rows)
{
    uint8_t *known = &r->boxes[t->operand][b->span16][rows];
    struct config_tile box = *t;
    box.block_rows = rows;
    box.block_columns = b->columns;
    box.smem = 0;
    if (!*known) *known = 1 + tile_is_legal(r, &box);
    return *known == 2;
}

static bool tile_by_boxes(struct run *r, const struct config_tile *t)
{
    const struct config_boxes b = config_tile_boxes(t, r->j.capacity);
    if (b.span16 == 0) return tile_is_legal(r, t);
    return (b.rows[0] == 0 || box_is_legal(r, t, &b, b.rows[0])) &&
           box_is_legal(r, t, &b, b.rows[1]);
}

/* The facts of a configuration without those of its stages, or with nothing else. */
static bool rest_is_legal(const struct run *r, struct tmap_config c)
{
    struct pipeline_facts f;
    c.block_k = c.stages = 1;
    config_facts(&r->j, &c, &f);
    f.stage_bytes = f.stage_tx_bytes = f.shared_bytes = 0;
    return pipeline_is_legal(r->j.checker, &r->j.derived, &f);
}

static bool stages_are_legal(const struct run *r, const struct tmap_config *c)
{
    struct pipeline_facts f;
    config_facts(&r->j, c, &f);
    const struct pipeline_facts only = {.stages = f.stages,
                                        .stage_bytes = f.stage_bytes,
                                        .stage_tx_bytes = f.stage_tx_bytes,
                                        .shared_bytes = f.shared_bytes,
                                        .arrivals = 1,
                                        .cta_group = 1};
    return pipeline_is_legal(r->j.checker, &r->j.derived, &only);
}

/* A block's odd part, alone. */
static bool block_is_legal(const struct run *r, uint32_t block)
{
    struct pipeline_facts f;
    const struct tmap_config c = {.block_m = 1, .block_n = 1, .block_k = block, .warps = 1};
    config_facts(&r->j, &c, &f);
    const struct pipeline_facts only = {.stages = 1,
                                        .arrivals = 1,
                                        .cta_group = 1,
                                        .model = f.model,
                                        .odd_block = f.odd_block,
                                        .odd_warps = 1};
    return pipeline_is_legal(r->j.checker, &r->j.derived, &only);
}

/* Tiles of operand 0 or 1, by its blocks of M or N and by block_k. */
static void fill_tiles(struct run *r, uint32_t operand, const uint32_t *blocks, size_t count,
                       uint8_t *legal, uint64_t *bytes)
{
    const struct tmap_space *s = r->s;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < s->block_k_count; k++) {
            struct tmap_config c = {.block_k = s->block_k[k]};
            *(operand ? &c.block_n : &c.block_m) = blocks[i];
            const struct config_tile t = config_tile_of(r->j.p, &c, operand, 0);
            legal[i * s->block_k_count + k] = tile_by_boxes(r, &t);
            bytes[i * s->block_k_count + k] = config_tile_bytes(&t);
        }
}

/* Verdicts by block_n and warps for one block_m. */
static void fill_rest(struct run *r, size_t m)
{
    const struct tmap_space *s = r->s;
    struct tmap_config c = {.block_m = s->block_m[m]};
    r->present = m;
    for (size_t n = 0; n < s->block_n_count; n++) {
        c.block_n = s->block_n[n];
        const struct config_tile out = config_tile_of(r->j.p, &c, 2, 0);
        r->staging[n] = r->j.p->model == TMAP_MODEL_TRITON ? config_tile_bytes(&out) : 0;
        const bool stored = r->j.p->model != TMAP_MODEL_TRITON || tile_by_boxes(r, &out);
        r->some[n] = false;
        for (size_t w = 0; w < s->warps_count; w++) {
            c.warps = s->warps[w];
            const bool legal = stored && rest_is_legal(r, c);
            r->rest[n * s->warps_count + w] = legal ? TMAP_LEGAL : TMAP_ILLEGAL;
            r->some[n] |= legal;
        }
    }
}

/* Where a tile stands in the lists, and which number it has there. */
struct tile {
    size_t m, n, k;
    uint64_t a_bytes, b_bytes;
};

static struct tmap_config config_of(const struct tmap_space *s, const struct tile *t)
{
    return (struct tmap_config){
        .block_m = s->block_m[t->m], .block_n = s->block_n[t->n], .block_k = s->block_k[t->k]};
}

/* Whether the copies of B, which lie behind A, are legal there. At an aligned place within what a
 * block can have they are what they are at the beginning. */
static bool b_is_legal(const struct run *r, const struct tile *t)
{
    if (t->a_bytes % 128 == 0 && t->b_bytes && sum_add(t->a_bytes, t->b_bytes) <= r->j.capacity)
        return r->b[t->n * r->s->block_k_count + t->k];
    const struct tmap_config c = config_of(r->s, t);
    const struct config_tile b = config_tile_of(r->j.p, &c, 1, t->a_bytes);
    return tile_is_legal(r, &b);
}

/* Legal or not by stages, from the sums alone: they depend on the bytes of a stage and of C. NULL:
 * none is. */
static const uint8_t *sums_of(struct run *r, const struct tile *t)
{
    const uint64_t stage = sum_add(t->a_bytes, t->b_bytes), staging = r->staging[t->n];
    const uint64_t hash = (stage ^ staging << 7) * UINT64_C(0x9e3779b97f4a7c15);
    const size_t at = hash >> 51; /* below CACHED */
    struct cached *e = &r->cached[at];
    uint8_t *sums = r->sums + at * r->s->stages_count;
    if (e->stage_bytes == stage && e->staging_bytes == staging) return e->any ? sums : NULL;
    struct tmap_config c = config_of(r->s, t);
    *e = (struct cached){stage, staging, 0};
    for (size_t i = 0; i < r->s->stages_count; i++) {
        c.stages = r->s->stages[i];
        sums[i] = stages_are_legal(r, &c);
        e->any |= sums[i];
    }
    return e->any ? sums : NULL;
}

/* Part of a tile's configurations that may be legal: those numbered from .. to of its stages and
 * warps. Returns how many are. */
static uint64_t spread(const struct run *r, const uint8_t *sums, const uint8_t *rest, uint64_t from,
                       uint64_t to, uint8_t *out)
{
    const size_t warps = r->s->warps_count;
    uint64_t possible = 0;
    size_t stage = from ? (size_t)(from / warps) : 0, w = from ? (size_t)(from % warps) : 0;
    for (uint64_t i = from; i < to; w = 0, stage++) {
        const size_t here = warps - w < to - i ? warps - w : (size_t)(to - i);
        for (size_t x = 0; x < here; x++) {
            const uint8_t verdict = sums[stage] ? rest[w + x] : TMAP_ILLEGAL;
            possible += verdict == TMAP_LEGAL;
            if (out) *out++ = verdict;
        }
        i += here;
    }
    return possible;
}

/* How many of them are legal; out has the verdicts of those, and is as it was where none is. */
static uint64_t judge_tile(struct run *r, struct tile *t, uint64_t from, uint64_t to, uint8_t *out)
{
    const struct tmap_space *s = r->s;
    const size_t mk = t->m * s->block_k_count + t->k;
    if (r->present != t->m) fill_rest(r, t->m);
    if (!r->a[mk] || !r->k[t->k] || !r->some[t->n]) return 0;
    t->a_bytes = r->a_bytes[mk];
    t->b_bytes = r->b_bytes[t->n * s->block_k_count + t->k];
    const uint8_t *sums = sums_of(r, t);
    if (!sums || !b_is_legal(r, t)) return 0;
    return spread(r, sums, r->rest + t->n * s->warps_count, from, to, out);
}

static void next_tile(const struct tmap_space *s, struct tile *t)
{
    if (++t->k < s->block_k_count) return;
    t->k = 0;
    if (++t->n < s->block_n_count) return;
    t->n = 0;
    t->m++;
}

static void lay_out(struct run *r, void *workspace)
{
    const struct tmap_space *s = r->s;
    r->cached = workspace;
    for (size_t i = 0; i < CACHED; i++) r->cached[i].staging_bytes = UINT64_MAX;
    r->a_bytes = (uint64_t *)(r->cached + CACHED);
    r->b_bytes = r->a_bytes + s->block_m_count * s->block_k_count;
    r->staging = r->b_bytes + s->block_n_count * s->block_k_count;
    r->sums = (uint8_t *)(r->staging + s->block_n_count);
    r->a = r->sums + CACHED * s->stages_count;
    r->b = r->a + s->block_m_count * s->block_k_count;
    r->k = r->b + s->block_n_count * s->block_k_count;
    r->rest = r->k + s->block_k_count;
    r->some = r->rest + s->block_n_count * s->warps_count;
    r->present = SIZE_MAX;
}

enum tmap_status tmap_prune_space(const struct tmap_checker *checker, const struct tmap_problem *p,
                                  const struct tmap_space *space, uint64_t first, uint64_t n,
                                  uint8_t *verdicts, uint64_t counts[3], void *workspace,
                                  size_t workspace_bytes)
{
    struct run r = {.s = space};
    const uint64_t size = tmap_space_size(space);
    if (!checker || !p || !space || !counts || p->model >= TMAP_MODEL_COUNT || first > size ||
        n > size - first)
        return TMAP_E_ARGUMENT;
    if (!workspace || workspace_bytes < tmap_space_workspace(space) ||
        (uintptr_t)workspace % sizeof(uint64_t))
        return TMAP_E_ROOM;
    const enum tmap_status status = config_judge_init(checker, p, &r.j);
    if (status != TMAP_OK) return status;
    counts[0] = counts[1] = counts[2] = 0;
    if (checker->covered != TMAP_OK) {
        counts[TMAP_UNKNOWN] = n;
        if (verdicts) memset(verdicts, TMAP_UNKNOWN, (size_t)n);
        return TMAP_OK;
    }
    if (n == 0) return TMAP_OK;
    lay_out(&r, workspace);
    if (verdicts) memset(verdicts, TMAP_ILLEGAL, (size_t)n);
    for (size_t k = 0; k < space->block_k_count; k++)
        r.k[k] = block_is_legal(&r, space->block_k[k]);
    fill_tiles(&r, 0, space->block_m, space->block_m_count, r.a, r.a_bytes);
    fill_tiles(&r, 1, space->block_n, space->block_n_count, r.b, r.b_bytes);
    const uint64_t each = (uint64_t)space->stages_count * space->warps_count;
    const uint64_t tile = first / each, mn = tile / space->block_k_count;
    struct tile t = {.m = (size_t)(mn / space->block_n_count),
                     .n = (size_t)(mn % space->block_n_count),
                     .k = (size_t)(tile % space->block_k_count)};
    for (uint64_t i = first, from = first % each; i < first + n; from = 0) {
        const uint64_t left = first + n - i, to = each - from < left ? each : from + left;
        uint8_t *out = verdicts ? verdicts + (i - first) : NULL;
        counts[TMAP_LEGAL] += judge_tile(&r, &t, from, to, out);
        i += to - from;
        next_tile(space, &t);
    }
    counts[TMAP_ILLEGAL] = n - counts[TMAP_LEGAL];
    return TMAP_OK;
}
