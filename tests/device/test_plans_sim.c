// Plans of repair and solve without a GPU. What an H200 did with some (tests/data/sim/plans.txt,
// made by `explore plans`) is replayed: each copy's bytes by the simulator, each plan made anew
// from its request; and fresh ones are simulated and compared with a plain walk over the request's
// tile.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device/plan_record.h"
#include "device/verify.h"
#include "support/tile_walk.h"

#define RECORDS "tests/data/sim/plans.txt"
#define ARENA_AT (1ull << 41)
#define WINDOW_AT (1ull << 42)
#define FRESH 700u

static struct plan_tools tools;
static const struct executor ex = {
    .arena = ARENA_AT, .arena_bytes = 16ull << 30, .arena_seed = 2026};
static uint8_t images[PLAN_COPIES][EXECUTOR_HASHED_BYTES];
static uint8_t smem[EXECUTOR_HASHED_BYTES + 4096] __attribute__((aligned(1024)));

static uint64_t base_of(uint32_t op)
{
    return op == TMAP_OP_STORE ? WINDOW_AT : ARENA_AT;
}

// What the copy leaves, into images[n].
static void simulate(const struct device_case *copy, uint32_t n)
{
    struct tmap_outcome o;
    const uint8_t *left = verify_predict(&ex, copy, smem, images[n], &o);
    assert_int_equal(o.fault, TMAP_FAULT_NONE);
    if (left == smem) memcpy(images[n], smem, copy->image_bytes);
}

static const char *differs(const struct plan_case *c)
{
    const uint8_t *left[PLAN_COPIES];
    for (uint32_t n = 0; n < c->plan.copies; n++) left[n] = images[n];
    return plan_differs(&tools, c, ex.arena, ex.arena_seed, left);
}

static bool fresh(uint64_t index, struct plan_case *c)
{
    const enum plan_class cls = (enum plan_class)(index % PLAN_CLASS_COUNT);
    const uint64_t at = base_of(plan_stores(cls) ? TMAP_OP_STORE : TMAP_OP_LOAD);
    plan_draw(cls, 7, index, at, c);
    if (!plan_make(&tools, c)) return false;
    plan_aim(c);
    return plan_within(c, at, plan_stores(cls) ? PLAN_WINDOW_BYTES : ex.arena_bytes);
}

// Every copy of the plan, simulated; then all of them against the request.
static const char *simulate_plan(const struct plan_case *c)
{
    for (uint32_t n = 0; n < c->plan.copies; n++) {
        struct device_case copy;
        plan_copy(c, n, WINDOW_AT, &copy);
        const char *row = plan_refused(&tools, &copy);
        if (row) return row;
        simulate(&copy, n);
    }
    return differs(c);
}

static void fresh_plans_serve_their_request(void **state)
{
    uint32_t ran[PLAN_CLASS_COUNT] = {0};
    (void)state;
    for (uint64_t i = 0; i < FRESH; i++) {
        struct plan_case c;
        if (!fresh(i, &c)) continue;
        const char *what = simulate_plan(&c);
        if (what) fail_msg("%s, index %u: %s", plan_class_name(c.cls), (unsigned)i, what);
        ran[c.cls]++;
    }
    for (uint32_t k = 0; k < PLAN_CLASS_COUNT; k++) {
        print_message("# %s: %u plans\n", plan_class_name(k), ran[k]);
        assert_true(ran[k] >= FRESH / PLAN_CLASS_COUNT / 10);
    }
}

// A comparison that cannot fail is none: one byte of an element, and one beside the tile.
static void one_wrong_byte_is_seen(void **state)
{
    uint32_t seen = 0;
    (void)state;
    for (uint64_t i = 0; i < FRESH / 4; i++) {
        struct plan_case c;
        uint64_t address, offset;
        uint32_t n;
        const uint32_t tile[TMAP_MAX_RANK] = {0};
        if (!fresh(i, &c) || !tile_address(&c.request, c.coord, &address)) continue;
        assert_null(simulate_plan(&c));
        assert_true(tmap_plan_place(&c.plan, &c.request, c.coord, tile, &n, &offset));
        const bool stores = c.op == TMAP_OP_STORE;
        const uint64_t at =
            stores ? address - WINDOW_AT
                   : tmap_swizzle_address(c.plan.desc.swizzle, offset) - n * c.plan.slot_bytes;
        images[n][at] ^= 1;
        assert_non_null(differs(&c));
        images[n][at] ^= 1;
        assert_null(differs(&c));
        if (stores) images[n][PLAN_WINDOW_BYTES - 1] ^= 1;
        if (stores) assert_string_equal(differs(&c), "a byte beside the tile was written");
        seen++;
    }
    assert_true(seen > FRESH / 4 / 4);
}

// --- records ------------------------------------------------------------------------------------
struct replayed {
    uint32_t plans, copies, differ, same;
};

static bool same_line(const struct plan_record *a, const struct plan_record *b)
{
    char *line[2] = {NULL};
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        FILE *f = open_memstream(&line[i], &bytes[i]);
        assert_non_null(f);
        plan_record_write(f, i ? b : a);
        fclose(f);
    }
    const bool same = strcmp(line[0], line[1]) == 0;
    free(line[0]);
    free(line[1]);
    return same;
}

// Whether the plan made today for the recorded request is the recorded one.
static bool made_again(const struct plan_record *r)
{
    static struct plan_record now;
    now.c = r->c;
    if (!plan_make(&tools, &now.c)) return false;
    if (simulate_plan(&now.c)) fail_msg("%s: today's plan fails", plan_class_name(r->c.cls));
    for (uint32_t n = 0; n < now.c.plan.copies; n++) {
        struct device_case copy;
        plan_copy(&now.c, n, base_of(r->c.op), &copy);
        plan_record_copy(&now, n, &copy, images[n]);
        now.seen[n].digest = r->seen[n].digest;
    }
    return same_line(r, &now);
}

static struct replayed replay(FILE *f)
{
    static struct plan_record r;
    struct replayed all = {0};
    for (; plan_record_read(f, &r); all.plans++) {
        plan_record_move(&r, base_of(r.c.op));
        for (uint32_t n = 0; n < r.c.plan.copies; n++, all.copies++) {
            struct device_case copy;
            plan_record_case(&r, n, WINDOW_AT, &copy);
            simulate(&copy, n);
            all.differ +=
                plan_digest(images[n], copy.window ? copy.window_bytes : copy.image_bytes) !=
                r.seen[n].digest;
        }
        all.same += made_again(&r);
    }
    assert_true(feof(f));
    return all;
}

static void records_come_back(void **state)
{
    FILE *f = tmpfile();
    uint32_t written = 0;
    (void)state;
    assert_non_null(f);
    for (uint64_t i = 0; i < FRESH / 7; i++) {
        static struct plan_record r;
        if (!fresh(i, &r.c)) continue;
        for (uint32_t n = 0; n < r.c.plan.copies; n++) {
            struct device_case copy;
            plan_copy(&r.c, n, WINDOW_AT, &copy);
            simulate(&copy, n);
            if (i % 2) images[n][1] ^= 1; // as if something else had been seen
            plan_record_copy(&r, n, &copy, images[n]);
        }
        plan_record_move(&r, 0 - base_of(r.c.op));
        plan_record_write(f, &r);
        written++;
    }
    rewind(f);
    const struct replayed all = replay(f);
    fclose(f);
    assert_int_equal(all.plans, written);
    assert_int_equal(all.same, written);
    assert_in_range(all.differ, written / 4, all.copies - written / 4);
}

// What the H200 left of each copy is what the simulator says; and the search still makes these
// plans, or most of them: a better one may come in the place of a recorded one, and is simulated.
static void the_gpu_did_this(void **state)
{
    FILE *f = fopen(RECORDS, "r");
    (void)state;
    if (f == NULL) fail_msg("%s cannot be read", RECORDS);
    const struct replayed all = replay(f);
    fclose(f);
    print_message("# %u plans, %u copies; %u are made today as they ran\n", all.plans, all.copies,
                  all.same);
    assert_int_equal(all.plans, 530);
    assert_int_equal(all.copies, 866);
    assert_int_equal(all.differ, 0);
    assert_in_range(all.same, all.plans * 9 / 10, all.plans);
}

int main(void)
{
    if (!plan_tools_open(&tools)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_plans_serve_their_request), cmocka_unit_test(one_wrong_byte_is_seen),
        cmocka_unit_test(records_come_back), cmocka_unit_test(the_gpu_did_this)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
