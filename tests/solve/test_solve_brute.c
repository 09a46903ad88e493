/* Synthesis against brute force (tests/support/brute.h) on a grid of small requests: every view
 * within two rewrites, every swizzle, every box, ranked as solve.h says. TMAP_GRID=N of them;
 * of slots TMAP_FROM up to TMAP_TO. */
#include "core/layout.h"
#include "support/brute.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define DEPTH 2
#define SECTOR 32u

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

enum { KIND, COPIED, INSTRUCTIONS, MAPS, CONFLICTS, SHARED, SECTORS, TRAFFIC, ROWS, RANKS };
static const char *const names[RANKS] = {
    "kind",         "bytes copied",    "instructions",   "maps", "conflicts",
    "shared bytes", "partial sectors", "wasted traffic", "rows"};

struct best {
    const struct tmap_tile_request *request;
    uint64_t rank[RANKS];
    struct tmap_desc desc;
    bool any;
};

static int compare(const uint64_t *a, const uint64_t *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static uint64_t sectors_of(const struct tmap_desc *d)
{
    uint64_t run = (uint64_t)d->box[0] * layout_gmem_bits(d->dtype) / 8, odd = 0;
    for (uint32_t i = 0; i + 1 < d->rank; i++) { /* rows without a gap are one */
        const bool goes_on = d->stride_bytes[i] == run;
        odd |= goes_on ? 0 : d->stride_bytes[i] % SECTOR;
        run *= goes_on ? d->box[i + 1] : 1;
    }
    return odd || run % SECTOR || d->address % SECTOR ? 2 : 0;
}

/* --- how many cycles a read of 8 rows takes ------------------------------------------------------
 * ldmatrix reads rows of the tile, wherever they lie. Each dimension of a view takes its part of
 * the distance from the tile's first element, the longest stride first. */
static uint64_t lands_at(const struct candidate *c, uint64_t distance)
{
    const struct seen *v = c->p->v;
    const struct tmap_layout *l = c->layout;
    uint64_t in[TMAP_MAX_RANK] = {0}, copy = 0, row = 0;
    for (uint32_t todo = (1u << v->rank) - 1; todo;) {
        uint32_t far = 0;
        for (uint32_t i = 0; i < v->rank; i++)
            if (todo >> i & 1 && (!(todo >> far & 1) || v->d[i].stride > v->d[far].stride)) far = i;
        in[far] = distance / v->d[far].stride;
        distance %= v->d[far].stride;
        todo &= ~(1u << far);
    }
    for (uint32_t i = v->rank; i-- > 0;) {
        copy = copy * c->p->x[i].n + in[i] / c->desc->box[i];
        if (i) row = row * c->desc->box[i] + in[i] % c->desc->box[i];
    }
    const uint64_t slot =
        (l->footprint_bytes + l->align_bytes - 1) / l->align_bytes * l->align_bytes;
    return tmap_swizzle_address(c->desc->swizzle, copy * slot + row * l->pitch_bytes +
                                                      in[0] % c->desc->box[0] * v->bytes +
                                                      distance);
}

/* Of the worst read, or of the first beyond `enough`. */
static uint32_t ways_of_tile(const struct tmap_tile_request *w, const struct candidate *c,
                             uint64_t enough)
{
    const uint64_t row_bytes = (uint64_t)w->tile[0] * layout_gmem_bits(w->tensor.dtype) / 8;
    uint32_t most = 0;
    for (uint64_t at = 0; at < row_bytes && most <= enough; at += 16)
        for (uint32_t first = 0; first < w->tile[1] && most <= enough; first += 8) {
            uint32_t in[8] = {0};
            for (uint32_t y = first; y < first + 8 && y < w->tile[1]; y++) {
                const uint64_t to = lands_at(c, y * w->tensor.stride_bytes[0] + at);
                const uint32_t n = ++in[to / 16 % 8];
                most = n > most ? n : most;
            }
        }
    return most;
}

/* What reads whole rows needs the tile's own: begun where the tile begins. An MMA multiplies all of
 * them, so no box reaches beyond the tile, and the pieces of a row are slabs outside of the rows.
 */
static bool is_operand(const struct brute *b, const struct candidate *c, const struct tmap_use *use)
{
    const uint64_t tile = c->p->v->d[0].tile, row_bytes = b->request.stride_bytes[0];
    const uint32_t consumer = use->consumer;
    if (consumer == TMAP_CONSUMER_NONE) return true;
    if (c->p->tile[0] != tile) return false;
    if (consumer == TMAP_CONSUMER_LDMATRIX) return true;
    for (uint32_t i = 0; i < c->desc->rank; i++)
        if (c->desc->box[i] * c->p->x[i].n != c->p->v->d[i].tile) return false;
    struct tmap_desc slab = *c->desc;
    struct candidate one = *c;
    for (uint32_t i = 1; i < slab.rank; i++)
        if (c->p->v->d[i].stride < row_bytes) slab.box[i] = 1;
    one.desc = one.last = &slab;
    return c->p->v->pairs == 1 && c->p->v->d[1].stride >= row_bytes && brute_legal(b, &one, use);
}

static void consider(struct brute *b, const struct candidate *c)
{
    struct best *best = b->user;
    const struct tmap_use use = {.op = b->op,
                                 .multicast = best->request->multicast,
                                 .consumer = best->request->consumer,
                                 .major = best->request->major};
    uint64_t r[RANKS] = {c->p->copied, c->p->copied ? b->tensor : 0, c->copies, c->maps - 1};
    uint32_t ways = 1;
    if (best->any && compare(r, best->rank, CONFLICTS) > 0) return;
    r[SHARED] = c->shared_bytes;
    r[SECTORS] = sectors_of(c->desc);
    r[TRAFFIC] = c->moved_bytes > b->useful ? c->moved_bytes - b->useful : 0;
    r[ROWS] = c->layout->rows * c->copies;
    if (best->any && compare(r, best->rank, RANKS) >= 0) return; /* even without a conflict */
    if (!brute_legal(b, c, &use) || !is_operand(b, c, &use)) return;
    if (best->request->consumer == TMAP_CONSUMER_LDMATRIX) {
        const bool like = best->any && compare(r, best->rank, CONFLICTS) == 0;
        ways = ways_of_tile(best->request, c, like ? best->rank[CONFLICTS] + 1 : UINT64_MAX);
    } else if (best->request->consumer) {
        assert_int_equal(tmap_bank_conflicts(&b->c, c->desc, TMAP_ACCESS_MATRIX, &ways), TMAP_OK);
    }
    r[CONFLICTS] = ways ? ways - 1 : 0;
    if (best->any && compare(r, best->rank, RANKS) >= 0) return;
    memcpy(best->rank, r, sizeof r);
    best->desc = *c->desc;
    best->any = true;
}

static bool skip_it(const struct brute *b, const struct place *p, uint64_t copies)
{
    const struct best *best = b->user;
    const uint64_t r[RANKS] = {p->copied, p->copied ? b->tensor : 0, copies};
    if (best->request->consumer && p->tile[0] != p->v->d[0].tile)
        return true; /* see is_operand() */
    if (best->request->consumer == TMAP_CONSUMER_WGMMA &&
        (p->v->pairs != 1 || p->v->d[1].stride < b->request.stride_bytes[0]))
        return true;
    return best->any && compare(r, best->rank, MAPS) > 0;
}

/* --- the grid ------------------------------------------------------------------------------- */

static const int32_t types[] = {TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32};
static const uint32_t inners[] = {8, 16, 24, 32, 48, 64, 96, 128, 136, 200, 256, 264, 320};
static const uint32_t outers[] = {1, 7, 8, 16, 60, 64, 128, 250, 256, 257, 320, 384};
static const struct {
    uint32_t consumer, major, op, multicast;
} uses[] = {
    {TMAP_CONSUMER_NONE, TMAP_K_MAJOR, TMAP_OP_LOAD, 0},
    {TMAP_CONSUMER_NONE, TMAP_K_MAJOR, TMAP_OP_STORE, 0},
    {TMAP_CONSUMER_LDMATRIX, TMAP_K_MAJOR, TMAP_OP_LOAD, 0},
    {TMAP_CONSUMER_WGMMA, TMAP_K_MAJOR, TMAP_OP_LOAD, 2},
    {TMAP_CONSUMER_WGMMA, TMAP_MN_MAJOR, TMAP_OP_LOAD, 0},
};
/* How the tensor lies: rows of whole tiles or not, whole sectors or not, a base that is off. */
static const struct {
    uint32_t more, pad_bytes, off;
} lies[] = {{0, 0, 0}, {1, 0, 0}, {0, 16, 0}, {0, 0, 1}, {2, 8, 0}};

#define OF(a) (sizeof(a) / sizeof *(a))
#define GRID (OF(types) * OF(inners) * OF(outers) * OF(uses) * OF(lies))

static struct tmap_tile_request request_at(size_t i)
{
    const int32_t dtype = types[i % 3];
    const size_t in = i / 3 % OF(inners), out = i / 3 / OF(inners) % OF(outers);
    const size_t use = i / 3 / OF(inners) / OF(outers) % OF(uses);
    const size_t lie = i / 3 / OF(inners) / OF(outers) / OF(uses);
    const uint32_t bytes = layout_gmem_bits(dtype) / 8;
    struct tmap_tile_request w = {.tile = {inners[in], outers[out]},
                                  .op = uses[use].op,
                                  .consumer = uses[use].consumer,
                                  .major = uses[use].major,
                                  .multicast = uses[use].multicast};
    w.tensor.dtype = dtype;
    w.tensor.rank = 2;
    w.tensor.address = (1 << 20) + lies[lie].off * bytes;
    w.tensor.dim[0] = 4 * inners[in] + lies[lie].more * 4;
    w.tensor.dim[1] = 4 * outers[out] + lies[lie].more;
    w.tensor.stride_bytes[0] = w.tensor.dim[0] * bytes + lies[lie].pad_bytes;
    return w;
}

static void describe(const struct tmap_tile_request *w, const struct tmap_desc *d)
{
    print_error("  type %d, %llu x %llu, stride %llu, tile %u x %u, op %u, consumer %u %u\n",
                w->tensor.dtype, (unsigned long long)w->tensor.dim[0],
                (unsigned long long)w->tensor.dim[1], (unsigned long long)w->tensor.stride_bytes[0],
                w->tile[0], w->tile[1], w->op, w->consumer, w->major);
    print_error("  map: type %d swizzle %d box", d->dtype, d->swizzle);
    for (uint32_t i = 0; i < d->rank; i++) print_error(" %u", d->box[i]);
    print_error("\n");
}

static void ranks_of(const struct tmap_tile_plan *p, uint64_t *r)
{
    r[KIND] = p->kind;
    r[COPIED] = p->plan.cost.copied_bytes;
    r[INSTRUCTIONS] = p->instructions;
    r[MAPS] = p->plan.cost.extra_maps;
    r[CONFLICTS] = p->conflicts;
    r[SHARED] = p->shared_bytes;
    r[SECTORS] = p->partial_sectors;
    r[TRAFFIC] = p->plan.cost.wasted_traffic_bytes;
    r[ROWS] = p->rows;
}

static void as_request(struct brute *b, const struct tmap_tile_request *w)
{
    b->request = w->tensor;
    b->request.kind = TMAP_TILED;
    b->op = w->op;
    b->every_row = w->consumer == TMAP_CONSUMER_LDMATRIX;
    for (uint32_t i = 0; i < w->tensor.rank; i++) {
        b->request.box[i] = w->tile[i];
        b->request.elem_stride[i] = 1;
    }
}

/* 1 where both find the same, 0 where neither finds anything, 2 where solve finds better than brute
 * force tries, -1 where they differ. */
static int one(struct brute *b, const struct tmap_tile_request *w)
{
    struct best *best = b->user;
    struct tmap_tile_plan p;
    uint64_t r[RANKS];
    size_t found = 0;
    char reason[160];
    *best = (struct best){.request = w};
    as_request(b, w);
    brute_run(b);
    const enum tmap_status s =
        tmap_solve(&b->c, w, workspace, sizeof workspace, &p, 1, &found, reason, sizeof reason);
    if (s != TMAP_OK && !best->any) return 0;
    if (s != TMAP_OK) {
        print_error("  solve: %s\n", reason);
        describe(w, &best->desc);
        return -1;
    }
    ranks_of(&p, r);
    const int order = best->any ? compare(r, best->rank, RANKS) : -1;
    if (order == 0) return 1;
    if (order < 0 && (brute_rewrites(&p.plan) > DEPTH || p.plan.copies > BRUTE_COPIES)) return 2;
    for (int i = 0; i < RANKS; i++)
        print_error("  %-16s solve %llu, brute force %llu\n", names[i], (unsigned long long)r[i],
                    best->any ? (unsigned long long)best->rank[i] : 0);
    describe(w, &p.plan.desc);
    describe(w, &best->desc);
    return -1;
}

static void test_grid(void **state)
{
    const char *wanted = getenv("TMAP_GRID"), *from = getenv("TMAP_FROM"), *to = getenv("TMAP_TO");
    const size_t n = wanted ? (size_t)atol(wanted) : 100;
    const size_t step = n < GRID ? GRID / n | 1 : 1;
    const size_t first = from ? (size_t)atol(from) : 0, end = to ? (size_t)atol(to) : GRID;
    struct tmap_target t;
    struct best best;
    struct brute b = {.list = malloc(BRUTE_VIEWS * sizeof *b.list),
                      .depth = DEPTH,
                      .swizzles = 4,
                      .consider = consider,
                      .skip = skip_it,
                      .user = &best};
    long tally[4] = {0};
    (void)state;
    assert_non_null(b.list);
    assert_int_equal(tmap_target_from(NULL, NULL, NULL, "sm_90a", &t), TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &b.c), TMAP_OK);
    for (size_t i = first; i < GRID && i < end; i += step) {
        const struct tmap_tile_request w = request_at(i);
        if (w.major == TMAP_MN_MAJOR && w.tensor.dtype != TMAP_BFLOAT16) continue; /* no operand */
        const int same = one(&b, &w);
        if (same < 0) print_error("request %zu of %zu\n", i, (size_t)GRID);
        tally[same < 0 ? 3 : same]++;
    }
    print_message(
        "# %ld requests: the best of all fields; %ld that nothing serves; %ld whose plan has "
        "more rewrites or copies than brute force tries\n",
        tally[1], tally[0], tally[2]);
    assert_int_equal(tally[3], 0);
    /* enough are served for the comparison to mean something */
    if (!from && !to) assert_true(4 * tally[1] > tally[0] + tally[1] && tally[2] * 20 <= tally[1]);
    free(b.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
