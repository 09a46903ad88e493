/* Repair against brute force on small instances: every way of seeing the tensor within a few
 * rewrites, any order of them, every piece; in each every swizzle, copied or not, every number of
 * boxes along every dimension, equal or with a smaller last one. Nothing of src/solve is used but
 * the answer; the checker alone says what is legal. TMAP_BRUTE=N instances. */
#include "core/layout.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define DEPTH 3
#define MOST_COPIES 12
#define VIEWS 40000
#define ROW 16u /* bytes: strides and addresses of what is tried are multiples */

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

/* One way to see the wish. whole: no piece of a split; piece: dimension 0 is one. */
struct seen {
    uint32_t rank, depth, layouts, bytes;
    int32_t dtype, interleave;
    struct {
        uint64_t size, stride, tile, grain, es, whole;
    } d[6];
    bool piece;
    uint32_t pairs; /* elements of the wish in one of dimension 0; 0: of another dimension */
};

struct brute {
    struct tmap_checker c;
    struct tmap_desc wish;
    bool stores;
    uint64_t useful, tensor;
    struct tmap_cost best;
    bool any;
    struct seen *list;
    size_t count;
};

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b * b;
}

static struct tmap_desc small_desc(uint64_t *s)
{
    static const int32_t types[] = {TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32, TMAP_UINT64};
    struct tmap_desc d = {.kind = TMAP_TILED, .address = 1 << 20};
    d.dtype = types[next_random(s) % 4];
    d.rank = 1 + (uint32_t)(next_random(s) % 3);
    d.swizzle = (int32_t)(next_random(s) % 4);
    if (next_random(s) % 4 == 0) d.address += next_random(s) % 16;
    if (d.rank == 3 && next_random(s) % 12 == 0) d.interleave = 1 + (int32_t)(next_random(s) % 2);
    uint64_t at = layout_gmem_bits(d.dtype) / 8;
    if (d.interleave) at = layout_slice_bytes(d.interleave);
    for (uint32_t i = 0; i < d.rank; i++) {
        d.dim[i] = next_random(s) % 4 ? 1 + next_random(s) % 24 : 1;
        d.box[i] = (uint32_t)(next_random(s) % 3 ? 1 + next_random(s) % 12 : d.dim[i]);
        if (next_random(s) % 24 == 0) d.box[i] = 257 + (uint32_t)(next_random(s) % 260);
        d.elem_stride[i] = i && next_random(s) % 10 == 0 ? 2 + (uint32_t)(next_random(s) % 9) : 1;
        at *= d.dim[i];
        if (next_random(s) % 2) at = up(at, ROW);
        if (i + 1 < d.rank) d.stride_bytes[i] = d.dim[i] == 1 && next_random(s) % 2 ? 6 : at;
        if (i + 1 < d.rank && d.dim[i] == 1 && next_random(s) % 4 == 0)
            d.stride_bytes[i] = layout_gmem_bits(d.dtype) / 8;
    }
    return d;
}

/* --- fields of one view ---------------------------------------------------------------------*/

/* Along one dimension n boxes, of `tail` the last one unless 0. */
struct boxes {
    uint64_t n, tail;
};

static struct tmap_cost cost_of(const struct brute *b, const struct seen *v,
                                const struct tmap_desc *d, const struct boxes *x, bool copied,
                                uint32_t layouts)
{
    struct tmap_cost c = {.kind = copied, .copied_bytes = copied ? b->tensor : 0};
    struct tmap_desc last = *d;
    struct tmap_layout l, end;
    uint64_t copies = 1, outer = 1, maps = 1, cells = 1;
    for (uint32_t i = 0; i < d->rank; i++) {
        if (x[i].tail) last.box[i] = (uint32_t)x[i].tail;
        maps *= x[i].tail ? 2 : 1;
        copies *= x[i].n;
        outer *= i + 1 < d->rank ? x[i].n : 1;
    }
    layout_of(d, &l);
    layout_of(&last, &end);
    for (uint32_t i = 0; i < d->rank; i++) cells *= (x[i].n - 1) * l.extent[i] + end.extent[i];
    const uint64_t slot = up(l.footprint_bytes, l.align_bytes);
    const uint64_t moved = cells * (d->interleave ? l.row_bytes : v->bytes);
    const uint64_t shared = (copies - 1) * slot + end.footprint_bytes;
    c.extra_instructions = copies - 1;
    c.extra_maps = (uint32_t)maps - 1;
    c.layout_changes = layouts + (v->piece && d->box[0] != v->d[0].tile) +
                       (outer > 1 || (copies > 1 && slot != l.rows * l.pitch_bytes));
    c.wasted_traffic_bytes = moved > b->useful ? moved - b->useful : 0;
    c.wasted_shared_bytes = shared > b->useful ? shared - b->useful : 0;
    return c;
}

static bool legal(const struct brute *b, const struct tmap_desc *d, uint64_t coord_step)
{
    struct tmap_use use = {.flags = TMAP_USE_COORD | TMAP_USE_SMEM,
                           .coord_count = d->rank,
                           .op = b->stores ? TMAP_OP_STORE : TMAP_OP_LOAD};
    struct tmap_violation violation[1];
    size_t found;
    use.coord[0] = (int32_t)coord_step;
    return tmap_verdict_of(&b->c, d) == TMAP_LEGAL &&
           tmap_check_use(&b->c, d, &use, violation, 1, &found, NULL) == TMAP_OK && found == 0;
}

struct place {
    const struct seen *v;
    uint64_t tile[6], step;
    struct boxes x[6];
    uint32_t layouts;
    bool copied;
};

static void consider(struct brute *b, struct tmap_desc *d, struct place *p)
{
    const struct tmap_cost c = cost_of(b, p->v, d, p->x, p->copied, p->layouts);
    struct tmap_desc last = *d;
    if (b->any && tmap_cost_compare(&c, &b->best) >= 0) return;
    for (uint32_t i = 0; i < d->rank; i++)
        if (p->x[i].tail) last.box[i] = (uint32_t)p->x[i].tail;
    if (!legal(b, d, p->step) || !legal(b, &last, p->step)) return;
    b->best = c;
    b->any = true;
}

/* Whether what is known beats all with so many copies. */
static bool too_many(const struct brute *b, const struct place *p, uint64_t copies)
{
    struct tmap_cost c = {.kind = p->copied, .copied_bytes = p->copied ? b->tensor : 0};
    c.extra_instructions = copies - 1;
    c.layout_changes = p->layouts;
    return b->any && tmap_cost_compare(&c, &b->best) > 0;
}

/* Boxes longer than the least that may serve: for whole units of 16 bytes, or for copies that lie
 * end to end. */
static uint64_t slack(uint32_t dim, uint64_t n, uint64_t whole)
{
    const uint64_t unit = dim == 0 ? 16 : 1;
    return n > 1 && whole > unit ? whole : unit;
}

/* Every number of copies along each dimension, each with the boxes that cover the tile so: the
 * least, and where a longer one may serve, those up to a whole unit more. */
static void boxes(struct brute *b, struct tmap_desc *d, struct place *p, uint32_t dim,
                  uint64_t copies)
{
    if (dim == d->rank) {
        consider(b, d, p);
        return;
    }
    const uint64_t tile = p->tile[dim], es = p->v->d[dim].es;
    const uint64_t whole = b->stores ? 256 : dim + 1 < d->rank ? es : dim == 0 ? 128 : 8 * es;
    for (uint64_t n = 1; n * copies <= MOST_COPIES && n <= tile && !too_many(b, p, n * copies); n++)
        for (uint64_t box = (tile + n - 1) / n, k = 0; k < slack(dim, n, whole); box++, k++) {
            const uint64_t before = (n - 1) * box;
            if (box > 256 || before >= tile || (n > 1 && box % es)) continue;
            p->x[dim] = (struct boxes){n, 0};
            if (b->stores && before + box != tile) p->x[dim].tail = tile - before;
            if (b->stores && n == 1 && box != tile) continue;
            d->box[dim] = (uint32_t)box;
            boxes(b, d, p, dim + 1, copies * n);
        }
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    return b ? gcd(b, a % b) : a;
}

static struct tmap_desc desc_of(const struct brute *b, const struct seen *v)
{
    struct tmap_desc d = b->wish;
    d.rank = v->rank;
    d.dtype = v->dtype;
    d.interleave = v->interleave;
    memset(d.stride_bytes, 0, sizeof d.stride_bytes);
    for (uint32_t i = 0; i < 5; i++) {
        d.dim[i] = i < v->rank ? v->d[i].size : 0;
        d.elem_stride[i] = i < v->rank ? (uint32_t)v->d[i].es : 0;
        if (i && i < v->rank) d.stride_bytes[i - 1] = v->d[i].stride;
    }
    return d;
}

static void fields(struct brute *b, const struct seen *v, int32_t swizzle, bool copied)
{
    struct tmap_desc d = desc_of(b, v);
    struct place p = {.v = v, .step = v->d[0].grain, .copied = copied};
    const uint64_t unit = v->bytes < ROW ? ROW / v->bytes : 1, off = copied ? 0 : d.address % ROW;
    uint64_t at = v->interleave ? layout_slice_bytes(v->interleave) : v->bytes;
    p.layouts = v->layouts + (swizzle != b->wish.swizzle);
    d.swizzle = swizzle;
    for (uint32_t i = 0; i < d.rank; i++) p.tile[i] = v->d[i].tile;
    for (uint32_t i = 0; i + 1 < d.rank; i++) {
        at = up(at * d.dim[i], 2 * ROW);
        if (copied && (d.stride_bytes[i] || d.dim[i + 1] == 1)) d.stride_bytes[i] = at;
        if (!copied && d.dim[i + 1] == 1) d.stride_bytes[i] = up(d.stride_bytes[i], 2 * ROW);
    }
    if (copied) d.address = up(d.address, 256);
    const bool moves = !b->stores && !v->interleave && !v->piece;
    if (off && (!moves || off % v->bytes)) return;
    if (off) {
        p.tile[0] += off / v->bytes;
        d.dim[0] += off / v->bytes;
        d.address -= off;
    }
    if (moves && p.step % unit) {
        p.tile[0] += unit - gcd(p.step, unit);
        p.layouts += off == 0;
        p.step = 0;
    }
    p.layouts += off != 0;
    boxes(b, &d, &p, 0, 1);
}

/* --- ways to see a tensor ------------------------------------------------------------------- */

static void add(struct brute *b, struct seen v)
{
    v.depth++;
    if (v.depth > DEPTH || v.rank > TMAP_MAX_RANK || v.rank == 0) return;
    for (uint32_t i = v.rank; i < 6; i++) memset(&v.d[i], 0, sizeof v.d[i]);
    for (size_t i = 0; i < b->count; i++) {
        struct seen other = b->list[i];
        other.depth = v.depth;
        if (memcmp(&other, &v, sizeof v) == 0) return;
    }
    assert_true(b->count < VIEWS);
    b->list[b->count++] = v;
}

static void without(struct seen *v, uint32_t dim)
{
    for (uint32_t i = dim; i < 5; i++) v->d[i] = v->d[i + 1];
    v->rank--;
}

static void in_pieces(struct brute *b, const struct seen *v, uint32_t i, uint64_t size)
{
    const bool slabs = i == 0 && b->wish.swizzle && v->rank > 1;
    for (uint32_t place = i + 1; place <= v->rank && v->rank < TMAP_MAX_RANK; place++) {
        struct seen w = *v;
        for (uint32_t k = v->rank; k > place; k--) w.d[k] = v->d[k - 1];
        w.rank++;
        w.d[place] = v->d[i];
        w.d[place].size /= size;
        w.d[place].tile /= size;
        w.d[place].grain /= size;
        w.d[place].stride *= size;
        w.d[i].size = w.d[i].tile = size;
        w.d[i].grain = 0;
        w.d[i].whole = w.d[place].whole = 0;
        if (i == 0) w.piece = true;
        if (w.d[place].tile > 1 && (place != i + 1) != slabs) w.layouts++;
        add(b, w);
    }
}

static void one_dimension(struct brute *b, const struct seen *v, uint32_t i)
{
    struct seen w = *v;
    const bool plain = v->d[i].whole && v->d[i].es == 1;
    if (i && v->d[i].size == 1 && v->d[i].tile == 1 && v->d[i].grain == 0) {
        without(&w, i);
        add(b, w);
    }
    for (uint64_t s = 2; v->d[i].es == 1 && s < v->d[i].size && s <= v->d[i].tile; s++)
        if (v->d[i].size % s == 0 && v->d[i].tile % s == 0 && v->d[i].grain % s == 0)
            in_pieces(b, v, i, s);
    w = *v;
    if (i && v->d[i].es > 1 && v->d[i].grain % v->d[i].es == 0) {
        w.d[i].size = (w.d[i].size - 1) / w.d[i].es + 1;
        w.d[i].tile = (w.d[i].tile - 1) / w.d[i].es + 1;
        w.d[i].grain /= w.d[i].es;
        w.d[i].stride *= w.d[i].es;
        w.d[i].es = 1;
        w.d[i].whole = 0;
        add(b, w);
    }
    w = *v;
    if (i && plain && v->d[0].size == 1 && v->d[0].whole && v->pairs &&
        v->d[i].stride == v->bytes) {
        bool moves = v->d[0].tile > 1;
        for (uint32_t k = 1; k < i; k++) moves = moves || v->d[k].tile > 1;
        w.d[0] = v->d[i];
        w.d[i] = v->d[0];
        w.layouts += moves;
        w.pairs = v->pairs > 1 ? 0 : 1;
        add(b, w);
    }
    if (i + 1 == v->rank || !plain || !v->d[i + 1].whole || v->d[i + 1].es != 1 ||
        v->d[i].tile != v->d[i].size || v->d[i].grain || v->d[i].stride == 0 ||
        v->d[i].size * v->d[i].stride != v->d[i + 1].stride)
        return;
    w = *v;
    w.d[i].size *= v->d[i + 1].size;
    w.d[i].tile *= v->d[i + 1].tile;
    w.d[i].grain = v->d[i].size * v->d[i + 1].grain;
    without(&w, i + 1);
    add(b, w);
}

static void rewrites(struct brute *b, struct seen v)
{
    const uint64_t slice = layout_slice_bytes(v.interleave);
    struct seen w = v;
    if (v.interleave) {
        for (uint32_t i = v.rank; i > 0; i--) w.d[i] = v.d[i - 1];
        w.d[0].size = w.d[0].tile = slice / v.bytes;
        w.d[0].stride = v.bytes;
        w.d[0].grain = 0;
        w.d[0].es = w.d[0].whole = 1;
        w.d[1].stride = slice;
        w.rank++;
        w.interleave = 0;
        w.layouts += layout_swizzle_span(b->wish.swizzle) > slice;
        add(b, w);
        return;
    }
    for (uint32_t i = 0; i < v.rank; i++) one_dimension(b, &v, i);
    if (v.pairs && v.bytes < 8 && v.d[0].size % 2 == 0 && v.d[0].tile % 2 == 0 &&
        v.d[0].grain % 2 == 0) {
        w.pairs *= 2;
        w.bytes *= 2;
        w.dtype = w.bytes == 2 ? TMAP_UINT16 : w.bytes == 4 ? TMAP_UINT32 : TMAP_UINT64;
        w.d[0].size /= 2;
        w.d[0].tile /= 2;
        w.d[0].grain /= 2;
        w.d[0].stride *= 2;
        add(b, w);
    }
}

static void solve(struct brute *b)
{
    const struct tmap_desc *d = &b->wish;
    struct seen v;
    struct tmap_layout l;
    memset(&v, 0, sizeof v);
    v.pairs = 1;
    v.rank = d->rank;
    v.dtype = d->dtype;
    v.interleave = d->interleave;
    v.bytes = layout_gmem_bits(d->dtype) / 8;
    layout_of(d, &l);
    b->useful = l.tx_bytes;
    b->tensor = d->interleave ? layout_slice_bytes(d->interleave) : v.bytes;
    for (uint32_t i = 0; i < d->rank; i++) {
        const bool one = d->interleave && i + 2 == d->rank;
        v.d[i].size = d->dim[i];
        v.d[i].stride = i ? d->stride_bytes[i - 1] : v.bytes;
        v.d[i].tile = one ? 1 : d->box[i];
        v.d[i].grain = d->box[i] >= d->dim[i] ? 0 : d->box[i];
        v.d[i].es = i || d->interleave ? d->elem_stride[i] : 1;
        v.d[i].whole = 1;
        b->tensor *= i && d->stride_bytes[i - 1] == 0 ? 1 : d->dim[i];
    }
    b->any = false;
    b->list[0] = v;
    b->count = 1;
    for (size_t i = 0; i < b->count; i++)
        if (b->list[i].depth < DEPTH) rewrites(b, b->list[i]);
    for (size_t i = 0; i < b->count; i++)
        for (int k = 0; k < 8; k++) fields(b, &b->list[i], k / 2, k % 2);
}

/* --- the comparison ------------------------------------------------------------------------- */

/* Rewrites of the view alone: what brute force counts by depth. */
static unsigned rewrites_of(const struct tmap_plan *p)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < p->step_count; i++)
        n +=
            (p->step[i].rewrite >= TMAP_REWRITE_DROP && p->step[i].rewrite <= TMAP_REWRITE_BYTES) ||
            (p->step[i].rewrite >= TMAP_REWRITE_SWAP && p->step[i].rewrite <= TMAP_REWRITE_SLICES);
    return n;
}

static void say(const char *who, const struct tmap_cost *c)
{
    print_error("  %s: kind %u, copied %llu, %llu more copies, %u maps, layout %u, traffic %llu, "
                "shared %llu\n",
                who, c->kind, (unsigned long long)c->copied_bytes,
                (unsigned long long)c->extra_instructions, c->extra_maps, c->layout_changes,
                (unsigned long long)c->wasted_traffic_bytes,
                (unsigned long long)c->wasted_shared_bytes);
}

static void say_wish(const struct tmap_desc *d, const struct tmap_plan *p)
{
    char text[200];
    print_error("  type %d, address %llx, swizzle %d, interleave %d\n", d->dtype,
                (unsigned long long)d->address, d->swizzle, d->interleave);
    for (uint32_t i = 0; i < d->rank; i++)
        print_error(
            "  dim %llu stride %llu box %u element stride %u\n", (unsigned long long)d->dim[i],
            (unsigned long long)(i ? d->stride_bytes[i - 1] : 0), d->box[i], d->elem_stride[i]);
    for (uint32_t i = 0; i < p->step_count; i++) {
        tmap_plan_step_text(&p->step[i], text, sizeof text);
        print_error("    %s\n", text);
    }
}

struct tally {
    long equal, deeper, unreachable, open;
};

/* The search may only be better, and only by what brute force does not try. */
static bool compare_one(struct brute *b, struct tally *t)
{
    const struct tmap_wish wish = {.op = b->stores ? TMAP_OP_STORE : TMAP_OP_LOAD};
    struct tmap_plan p;
    struct tmap_repair_report r;
    const enum tmap_status s =
        tmap_repair(&b->c, &b->wish, &wish, workspace, sizeof workspace, &p, 1, &r, NULL);
    if (s == TMAP_E_NO_PLAN && !b->any) {
        t->unreachable++;
        return true;
    }
    if (s == TMAP_OK && p.cost.kind == TMAP_PLAN_DECISION) return true;
    if (s == TMAP_OK && !r.closed) {
        t->open++;
        return true;
    }
    p.cost.steps = b->best.steps;
    const int order = s != TMAP_OK ? 1 : b->any ? tmap_cost_compare(&p.cost, &b->best) : -1;
    const bool beyond = s == TMAP_OK && (p.copies > MOST_COPIES || rewrites_of(&p) > DEPTH);
    if (order == 0) t->equal++;
    if (order < 0 && beyond) t->deeper++;
    if (order == 0 || (order < 0 && beyond)) return true;
    say("search", &p.cost);
    if (b->any) say("brute force", &b->best);
    say_wish(&b->wish, &p);
    return false;
}

static void test_equals_brute_force(void **state)
{
    const char *wanted = getenv("TMAP_BRUTE"), *from = getenv("TMAP_SEED");
    const long n = wanted ? atol(wanted) : 1000;
    const struct tmap_target t = tmap_default_target();
    struct brute b = {.list = malloc(VIEWS * sizeof *b.list)};
    struct tally tally = {0};
    uint64_t seed = from ? strtoull(from, NULL, 0) : 77;
    (void)state;
    assert_non_null(b.list);
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &b.c), TMAP_OK);
    for (long i = 0; i < n;) {
        b.wish = small_desc(&seed);
        b.stores = next_random(&seed) % 3 == 0;
        if (tmap_verdict_of(&b.c, &b.wish) == TMAP_LEGAL) continue;
        i++;
        solve(&b);
        if (!compare_one(&b, &tally)) fail_msg("instance %ld", i);
    }
    print_message("# %ld instances: cost equal in %ld; %ld need more rewrites or copies than brute "
                  "force tries, %ld have no plan, %ld searches not closed\n",
                  n, tally.equal, tally.deeper, tally.unreachable, tally.open);
    assert_true(tally.equal * 10 > n * 8 && tally.open * 50 <= n);
    free(b.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equals_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
