// Plans of copies without a GPU: a suite whose driver calls answer what a plan asks. What a plan
// says must follow from its descriptors alone.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/layout.h"
#include "kernels/copy/draft.h"
#include "kernels/copy/suite.h"

#define SOURCE 0x7f0000000000u
#define TARGET 0x7f4000000000u
#define BARRIERS_BYTES 16u // a stage
#define BLOCK_SYSTEM_BYTES 1024u

static int any_function(tmap_cu_function *f, tmap_cu_module m, const char *name)
{
    (void)m, (void)name;
    *f = (tmap_cu_function)(uintptr_t)1;
    return 0;
}
static int no_attribute(int *value, int attribute, tmap_cu_function f)
{
    (void)attribute, (void)f;
    *value = 0;
    return 0;
}
static int take_attribute(tmap_cu_function f, int attribute, int value)
{
    (void)f, (void)attribute, (void)value;
    return 0;
}
static int take_memory(tmap_cu_deviceptr *at, size_t bytes)
{
    *at = (tmap_cu_deviceptr)(uintptr_t)aligned_alloc(128, bytes);
    return *at == 0;
}
static int give_memory(tmap_cu_deviceptr at)
{
    free((void *)(uintptr_t)at);
    return 0;
}
static int copy_in(tmap_cu_deviceptr to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}
static int set_bytes(tmap_cu_deviceptr at, unsigned char v, size_t n, tmap_cu_stream s)
{
    (void)s;
    memset((void *)(uintptr_t)at, v, n);
    return 0;
}

static struct tmap_copy *make_suite(void)
{
    struct tmap_copy *s = calloc(1, sizeof *s);
    struct tmap_target target = tmap_default_target();
    assert_non_null(s);
    target.arch = TMAP_ARCH(90, 1);
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &s->checker), TMAP_OK);
    assert_int_equal(tmap_capacity(target.arch, &s->smem_bytes, NULL), TMAP_OK);
    s->gpu.sm_count = 132;
    s->gpu.api.module_get_function = any_function;
    s->gpu.api.func_get_attribute = no_attribute;
    s->gpu.api.func_set_attribute = take_attribute;
    s->gpu.api.mem_alloc = take_memory;
    s->gpu.api.mem_free = give_memory;
    s->gpu.api.memcpy_htod = copy_in;
    s->gpu.api.memset_d8_async = set_bytes;
    return s;
}

static const struct tmap_copy_matrix matrices[] = {{SOURCE, TARGET, 100},
                                                   {SOURCE + 1048576, TARGET + 1048576, 7}};

#define BASE .src = SOURCE, .dst = TARGET
static const struct problem {
    const char *kernel;
    struct tmap_copy_problem p;
    int32_t swizzle;
    uint32_t loads, staging; // of the source's map in a slot; slots beside the ring
} problems[] = {
    {"copy_bulk",
     {.kind = TMAP_COPY_BULK, .dtype = TMAP_UINT8, .rank = 1, .dim = {1 << 20}, BASE},
     0,
     0,
     0},
    {"copy_tile_2",
     {.kind = TMAP_COPY_TILE, .dtype = TMAP_BFLOAT16, .rank = 1, .dim = {1 << 20}, BASE},
     0,
     1,
     0},
    {"copy_tile_3",
     {.kind = TMAP_COPY_TILE, .dtype = TMAP_FLOAT32, .rank = 3, .dim = {1000, 50, 7}, BASE},
     0,
     1,
     0},
    {"copy_tile_5",
     {.kind = TMAP_COPY_TILE, .dtype = TMAP_UINT8, .rank = 5, .dim = {64, 9, 8, 7, 6}, BASE},
     0,
     1,
     0},
    {"copy_add_2",
     {.kind = TMAP_COPY_ADD, .dtype = TMAP_FLOAT32, .rank = 2, .dim = {256, 999}, BASE},
     0,
     1,
     0},
    {"copy_panels",
     {.kind = TMAP_COPY_TILE, .dtype = TMAP_BFLOAT16, .rank = 2, .dim = {4096, 512}, BASE},
     TMAP_SWIZZLE_64B,
     1,
     0},
    {"copy_tile_2",
     {.kind = TMAP_COPY_TILE, .dtype = TMAP_BFLOAT16, .rank = 2, .dim = {64, 512}, BASE},
     TMAP_SWIZZLE_128B,
     1,
     0},
    {"copy_transpose_4",
     {.kind = TMAP_COPY_TRANSPOSE, .dtype = TMAP_FLOAT32, .rank = 2, .dim = {512, 256}, BASE},
     0,
     1,
     2},
    {"copy_transpose_1",
     {.kind = TMAP_COPY_TRANSPOSE, .dtype = TMAP_UINT8, .rank = 2, .dim = {512, 256}, BASE},
     0,
     1,
     2},
    {"copy_im2col_4",
     {.kind = TMAP_COPY_IM2COL,
      .dtype = TMAP_BFLOAT16,
      .rank = 4,
      .dim = {64, 20, 20, 3},
      .lower = {-1, -1},
      .upper = {-1, -1},
      .taps = {3, 3},
      BASE},
     0,
     1,
     0},
    {"copy_gather_dim",
     {.kind = TMAP_COPY_PAGES,
      .dtype = TMAP_UINT64,
      .rank = 2,
      .dim = {8192, 100},
      .index = SOURCE,
      .page_count = 50,
      BASE},
     0,
     1,
     0},
    {"copy_gather_index",
     {.kind = TMAP_COPY_PAGES_AT,
      .dtype = TMAP_UINT64,
      .rank = 2,
      .dim = {8192, 100},
      .index = SOURCE,
      .page_count = 50,
      BASE},
     0,
     1,
     0},
    {"copy_multicast",
     {.kind = TMAP_COPY_BROADCAST,
      .dtype = TMAP_UINT64,
      .rank = 3,
      .dim = {256, 100, 4},
      .copies = 4,
      .copy_stride = 1 << 20,
      BASE},
     0,
     4,
     0},
    {"copy_list",
     {.kind = TMAP_COPY_LIST,
      .dtype = TMAP_FLOAT32,
      .rank = 2,
      .dim = {256},
      .list = matrices,
      .list_count = 2},
     0,
     1,
     0},
    {"copy_patched",
     {.kind = TMAP_COPY_PATCHED,
      .dtype = TMAP_FLOAT32,
      .rank = 2,
      .dim = {256},
      .list = matrices,
      .list_count = 2},
     0,
     1,
     0},
};
#define PROBLEMS (sizeof problems / sizeof *problems)

// tx, slot and shared memory, worked out again from the layout of the descriptors.
static void check_ring(const struct tmap_copy *s, const struct problem *q,
                       const struct tmap_copy_plan *plan)
{
    struct copy_params k;
    struct tmap_layout l = {0}, out = {0};
    memcpy(&k, plan->params, sizeof k);
    assert_string_equal(plan->kernel, q->kernel);
    if (q->loads) assert_int_equal(tmap_layout(&s->checker, &plan->desc[0], &l), TMAP_OK);
    if (q->staging) assert_int_equal(tmap_layout(&s->checker, &plan->desc[1], &out), TMAP_OK);
    if (q->loads) assert_int_equal(plan->tx_bytes, l.tx_bytes * q->loads);
    assert_true(k.stage_bytes >= plan->tx_bytes && k.stage_bytes >= l.footprint_bytes * q->loads);
    assert_int_equal(k.stage_bytes % 128, 0);
    if (l.pattern_bytes) assert_int_equal(k.stage_bytes % l.pattern_bytes, 0);
    assert_int_equal(k.stages, plan->config.stages);
    assert_int_equal(k.tx_bytes, plan->tx_bytes);
    assert_int_equal(plan->smem_bytes, k.stages * (k.stage_bytes + BARRIERS_BYTES) +
                                           q->staging * out.footprint_bytes);
    assert_true((plan->smem_bytes + BLOCK_SYSTEM_BYTES) * plan->config.blocks_per_sm <=
                s->smem_bytes + BLOCK_SYSTEM_BYTES);
    assert_true(plan->grid >= 1 && plan->grid <= 132 * plan->config.blocks_per_sm);
}

static void a_plan_follows_from_its_descriptors(void **state)
{
    (void)state;
    struct tmap_copy *s = make_suite();
    for (size_t i = 0; i < PROBLEMS; i++) {
        const struct tmap_copy_config request = {.swizzle = problems[i].swizzle,
                                                 .keep_type = problems[i].swizzle != 0};
        struct tmap_copy_plan plan;
        struct tmap_violation v;
        const enum tmap_status st = tmap_copy_make_plan(s, &problems[i].p, &request, &plan, &v);
        if (st != TMAP_OK) fail_msg("%s: status %d, row %d", problems[i].kernel, st, (int)v.row);
        check_ring(s, &problems[i], &plan);
        tmap_copy_release(&plan);
    }
    free(s);
}

// As many stages as are requested while they fit; one more is refused.
static void stages_end_where_shared_memory_does(void **state)
{
    (void)state;
    struct tmap_copy *s = make_suite();
    for (size_t i = 0; i < PROBLEMS; i++) {
        struct tmap_copy_config request = {.swizzle = problems[i].swizzle,
                                           .keep_type = problems[i].swizzle != 0,
                                           .blocks_per_sm = 1,
                                           .slot_bytes = 32768};
        struct tmap_copy_plan plan;
        for (request.stages = 1; request.stages <= COPY_MAX_STAGES; request.stages++) {
            if (tmap_copy_make_plan(s, &problems[i].p, &request, &plan, NULL) != TMAP_OK) break;
            check_ring(s, &problems[i], &plan);
            tmap_copy_release(&plan);
        }
        assert_true(request.stages > 1);
        struct copy_params k;
        memcpy(&k, plan.params, sizeof k);
        if (request.stages <= COPY_MAX_STAGES)
            assert_true(plan.smem_bytes + k.stage_bytes + BARRIERS_BYTES + BLOCK_SYSTEM_BYTES >
                        s->smem_bytes);
    }
    free(s);
}

// What no row lets pass is refused, with the row.
static void an_illegal_request_names_its_row(void **state)
{
    (void)state;
    struct tmap_copy *s = make_suite();
    struct tmap_copy_plan plan;
    struct tmap_violation v;
    struct tmap_copy_problem p = {.kind = TMAP_COPY_TILE,
                                  .dtype = TMAP_UINT8,
                                  .rank = 2,
                                  .dim = {64, 64},
                                  .src = SOURCE + 8,
                                  .dst = TARGET};
    assert_int_equal(tmap_copy_make_plan(s, &p, NULL, &plan, &v), TMAP_E_ILLEGAL);
    assert_true(v.row != TMAP_NO_ROW);
    p.src = SOURCE;
    p.dst_stride[0] = 72;
    assert_int_equal(tmap_copy_make_plan(s, &p, NULL, &plan, &v), TMAP_E_ILLEGAL);
    assert_true(v.row != TMAP_NO_ROW);
    free(s);
}

// Every number out of its bounds is named, with what it may be.
static void a_refusal_names_the_member(void **state)
{
    static const struct {
        struct tmap_copy_problem p;
        struct tmap_copy_config c;
        const char *says;
    } bad[] = {
        {{.kind = 99, .dim = {64}, .rank = 1}, {.stages = 0}, "kind is 99, not 0 to 9"},
        {{.kind = -1, .dim = {64}, .rank = 1}, {.stages = 0}, "kind is -1, not 0 to 9"},
        {{.kind = TMAP_COPY_TILE, .dim = {64}, .rank = 6}, {.stages = 0}, "rank is 6, not 0 to 5"},
        {{.kind = TMAP_COPY_TILE, .dim = {64}}, {.stages = 0}, "rank is 0, not 1 to 5"},
        {{.kind = TMAP_COPY_TILE, .dim = {64, 1ull << 41}, .rank = 2},
         {.stages = 0},
         "dim[1] is 2199023255552"},
        {{.kind = TMAP_COPY_TILE, .rank = 1}, {.stages = 0}, "dim[0] is 0"},
        {{.kind = TMAP_COPY_TILE, .dtype = 77, .dim = {64}, .rank = 1},
         {.stages = 0},
         "dtype is 77"},
        {{.kind = TMAP_COPY_TILE, .dim = {1 << 30, 1 << 30}, .rank = 2}, {.stages = 0}, "2^48"},
        {{.kind = TMAP_COPY_TILE, .dim = {64}, .rank = 1},
         {.stages = 1000},
         "stages is 1000, not 0 to"},
        {{.kind = TMAP_COPY_TILE, .dim = {64}, .rank = 1},
         {.load_policy = 1000000},
         "load_policy is"},
        {{.kind = TMAP_COPY_BULK, .dim = {15}, .rank = 1}, {.stages = 0}, "multiples of 16"},
        {{.kind = TMAP_COPY_TRANSPOSE, .dim = {64}, .rank = 1}, {.stages = 0}, "rank 1"},
        {{.kind = TMAP_COPY_TRANSPOSE, .dim = {64, 63}, .rank = 2},
         {.stages = 0},
         "multiples of 128"},
        {{.kind = TMAP_COPY_IM2COL, .dim = {64, 3}, .rank = 2},
         {.stages = 0},
         "rank is 2, not 3 to 5"},
        {{.kind = TMAP_COPY_PAGES, .dim = {2048, 9}, .rank = 2}, {.stages = 0}, "index is 0"},
        {{.kind = TMAP_COPY_BROADCAST, .dim = {64, 9, 2}, .rank = 3, .copies = 3},
         {.stages = 0},
         "copies is 3"},
        {{.kind = TMAP_COPY_LIST, .dim = {64}, .rank = 2}, {.stages = 0}, "list_count is 0"},
        {{.kind = TMAP_COPY_TILE, .src = SOURCE + 8, .dst = TARGET, .dim = {64, 64}, .rank = 2},
         {.stages = 0},
         "src: TMA0"}};
    (void)state;
    struct tmap_copy *s = make_suite();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tmap_copy_plan plan;
        assert_int_not_equal(tmap_copy_make_plan(s, &bad[i].p, &bad[i].c, &plan, NULL), TMAP_OK);
        if (!strstr(tmap_copy_refusal(s), bad[i].says))
            fail_msg("%zu: '%s', not '%s'", i, tmap_copy_refusal(s), bad[i].says);
    }
    struct tmap_copy_plan plan;
    assert_int_equal(tmap_copy_make_plan(s, &problems[1].p, NULL, &plan, NULL), TMAP_OK);
    assert_string_equal(tmap_copy_refusal(s), "");
    free(s);
}

/* The copy suite has the spans from the same table, without libtmap. */
static void spans_are_those_of_layouts(void **state)
{
    (void)state;
    for (int32_t swizzle = -1; swizzle <= TMAP_SWIZZLE_128B_ATOM_64B + 1; swizzle++)
        assert_int_equal(draft_span(swizzle), layout_swizzle_span(swizzle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_plan_follows_from_its_descriptors),
                                       cmocka_unit_test(stages_end_where_shared_memory_does),
                                       cmocka_unit_test(an_illegal_request_names_its_row),
                                       cmocka_unit_test(a_refusal_names_the_member),
                                       cmocka_unit_test(spans_are_those_of_layouts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
