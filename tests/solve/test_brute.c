/* Repair against brute force on small instances: every sequence of rewrites up to a depth, in any
 * order, without a table of states; every box, every swizzle, copied or not. Only the verdict of
 * the checker and the rewrites' laws are shared with the search. TMAP_BRUTE=N instances. */
#include "core/layout.h"
#include "solve/view.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define DEPTH 3

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

struct brute {
    struct tmap_checker c;
    struct tmap_desc wish;
    uint64_t useful, tensor;
    struct tmap_cost best;
    bool any;
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
    uint64_t at = layout_gmem_bits(d.dtype) / 8;
    for (uint32_t i = 0; i < d.rank; i++) {
        d.dim[i] = next_random(s) % 4 ? 1 + next_random(s) % 24 : 1;
        d.box[i] = (uint32_t)(next_random(s) % 3 ? 1 + next_random(s) % 12 : d.dim[i]);
        if (next_random(s) % 24 == 0) d.box[i] = 257 + (uint32_t)(next_random(s) % 260);
        d.elem_stride[i] = 1;
        at *= d.dim[i];
        if (next_random(s) % 2) at = up(at, 16);
        if (i + 1 < d.rank) d.stride_bytes[i] = d.dim[i] == 1 && next_random(s) % 2 ? 6 : at;
    }
    return d;
}

static bool consider(struct brute *b, const struct tmap_desc *d, uint64_t copies, uint32_t layouts,
                     bool cut, bool copied, uint64_t coord_step, const struct view *v)
{
    struct tmap_layout l;
    struct tmap_cost cost = {.kind = copied, .copied_bytes = copied ? b->tensor : 0};
    struct tmap_use use = {
        .flags = TMAP_USE_COORD | TMAP_USE_SMEM, .coord_count = d->rank, .op = TMAP_OP_LOAD};
    struct tmap_violation violation[1];
    size_t found;
    if (tmap_verdict_of(&b->c, d) != TMAP_LEGAL) return false;
    use.coord[0] = (int32_t)coord_step;
    if (tmap_check_use(&b->c, d, &use, violation, 1, &found, NULL) != TMAP_OK || found)
        return false;
    layout_of(d, &l);
    const uint64_t slot = up(l.footprint_bytes, l.align_bytes), tx = l.tx_bytes * copies;
    const uint64_t shared = (copies - 1) * slot + l.footprint_bytes;
    cost.extra_instructions = copies - 1;
    cost.wasted_traffic_bytes = tx > b->useful ? tx - b->useful : 0;
    cost.wasted_shared_bytes = shared > b->useful ? shared - b->useful : 0;
    cost.layout_changes = layouts + (v->digit[0].mod && d->box[0] != v->tile[0]) +
                          (cut || (copies > 1 && slot != l.tx_bytes));
    if (!b->any || tmap_cost_compare(&cost, &b->best) < 0) b->best = cost;
    b->any = true;
    return true;
}

/* Every number of copies along each dimension, each with the boxes that cover the tile so. */
static bool boxes(struct brute *b, struct tmap_desc *d, const struct view *v, const uint64_t *tile,
                  uint32_t dim, uint64_t copies, uint32_t layouts, bool cut, bool copied,
                  uint64_t coord_step)
{
    bool any = false;
    if (dim == d->rank) return consider(b, d, copies, layouts, cut, copied, coord_step, v);
    /* the smallest box that is legal: dimension 0 is rounded up by less than 16 elements */
    for (uint64_t n = 1; n * copies <= 12 && n <= tile[dim]; n++) {
        const uint64_t least = (tile[dim] + n - 1) / n;
        for (uint64_t box = least; box <= least + (dim ? 0 : 15); box++) {
            d->box[dim] = (uint32_t)box;
            if (!boxes(b, d, v, tile, dim + 1, copies * n, layouts,
                       cut || (n > 1 && dim + 1 < d->rank), copied, coord_step))
                continue;
            any = true;
            break;
        }
    }
    return any;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    return b ? gcd(b, a % b) : a;
}

/* One view with fields of every kind. */
static void fields(struct brute *b, const struct view *v, int32_t swizzle, bool copied)
{
    struct tmap_desc d = v->desc;
    uint64_t tile[TMAP_MAX_RANK], step = v->grain[0];
    const uint64_t bytes = layout_gmem_bits(d.dtype) / 8, unit = bytes < 16 ? 16 / bytes : 1;
    uint32_t layouts = v->layout_changes + (swizzle != b->wish.swizzle);
    memcpy(tile, v->tile, sizeof tile);
    d.swizzle = swizzle;
    if (copied) {
        uint64_t at = d.dim[0] * bytes;
        for (uint32_t i = 0; i + 1 < d.rank; i++) {
            d.stride_bytes[i] = up(at, 16);
            at = d.stride_bytes[i] * d.dim[i + 1];
        }
        d.address = up(d.address, 256);
    } else {
        for (uint32_t i = 0; i + 1 < d.rank; i++)
            if (d.dim[i + 1] == 1) d.stride_bytes[i] = up(d.stride_bytes[i], 16);
    }
    uint32_t moved = 0;
    if (d.address % 16 && (d.address % 16) % bytes == 0 && v->digit[0].mod == 0) {
        tile[0] += d.address % 16 / bytes;
        d.dim[0] += d.address % 16 / bytes;
        d.address -= d.address % 16;
        moved = 1;
    }
    if (step % unit && v->digit[0].mod == 0) {
        tile[0] += unit - gcd(step, unit);
        step = 0;
        moved = 1;
    }
    boxes(b, &d, v, tile, 0, 1, layouts + moved, false, copied, step);
}

static void explore(struct brute *b, const struct view *v, int depth)
{
    struct view next;
    for (int32_t w = 0; w < 4; w++)
        for (int copied = 0; copied < 2; copied++) fields(b, v, w, copied);
    if (depth == 0) return;
    for (uint32_t i = 0; i < v->desc.rank; i++) {
        if (view_drop(v, i, &next)) explore(b, &next, depth - 1);
        if (view_merge(v, i, &next)) explore(b, &next, depth - 1);
        for (uint64_t size = 2; size <= v->tile[i] && size <= 256; size++)
            for (uint32_t place = i + 1; place <= v->desc.rank; place++)
                if (view_split(v, i, size, place, &next)) explore(b, &next, depth - 1);
    }
    if (view_widen(v, &next)) explore(b, &next, depth - 1);
}

static void measure(struct brute *b)
{
    b->useful = b->tensor = layout_gmem_bits(b->wish.dtype) / 8;
    for (uint32_t i = 0; i < b->wish.rank; i++) {
        b->useful *= b->wish.box[i];
        b->tensor *= i && b->wish.stride_bytes[i - 1] == 0 ? 1 : b->wish.dim[i];
    }
}

static void test_equals_brute_force(void **state)
{
    const char *wanted = getenv("TMAP_BRUTE");
    const long n = wanted ? atol(wanted) : 150;
    struct brute b;
    const struct tmap_target t = tmap_default_target();
    uint64_t seed = 77;
    long beyond = 0;
    (void)state;
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &b.c), TMAP_OK);
    for (long i = 0; i < n;) {
        struct tmap_plan p;
        struct tmap_repair_report r;
        struct view v;
        b.wish = small_desc(&seed);
        if (tmap_verdict_of(&b.c, &b.wish) == TMAP_LEGAL) continue;
        i++;
        b.any = false;
        measure(&b);
        view_of(&b.wish, NULL, &v);
        explore(&b, &v, DEPTH);
        if (!b.any) { /* more than twelve copies: beyond what brute force tries */
            beyond++;
            continue;
        }
        assert_int_equal(
            tmap_repair(&b.c, &b.wish, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
            TMAP_OK);
        p.cost.steps = b.best.steps;
        if (tmap_cost_compare(&p.cost, &b.best) != 0) {
            print_error(
                "instance %ld: search %u %llu %llu %u %llu %llu, brute %u %llu %llu %u %llu "
                "%llu\n",
                i, p.cost.kind, (unsigned long long)p.cost.copied_bytes,
                (unsigned long long)p.cost.extra_instructions, p.cost.layout_changes,
                (unsigned long long)p.cost.wasted_traffic_bytes,
                (unsigned long long)p.cost.wasted_shared_bytes, b.best.kind,
                (unsigned long long)b.best.copied_bytes,
                (unsigned long long)b.best.extra_instructions, b.best.layout_changes,
                (unsigned long long)b.best.wasted_traffic_bytes,
                (unsigned long long)b.best.wasted_shared_bytes);
            fail();
        }
    }
    print_message("# %ld instances: the search's cost is that of brute force; %ld not tried\n",
                  n - beyond, beyond);
    assert_true(beyond * 20 <= n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equals_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
