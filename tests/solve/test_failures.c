/* Every descriptor in the public failure reports: the plan of docs/REPAIRS.md, and that it is
 * right. */
#include "io/json/record.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static const struct failure {
    const char *file, *name;
    const char *kind, *steps; /* "": there is no plan, and a reason */
} failures[] = {
    {"burn-4445", "weight-gradient-of-a-wide-input", "", ""},
    {"cudnn-frontend-853", "batch-stride-2pow27-elements", "", ""},
    {"cutlass-2042", "workspace-plus-16", "free", "without_effect"},
    {"cutlass-2042", "workspace-plus-32", "free", "without_effect"},
    {"cutlass-2905", "desc-in-params", "free", "without_effect"},
    {"deepgemm-96", "lhs-stride-1000", "padding", "copy"},
    {"flaggems-2489", "gapped-view", "padding", "copy"},
    {"flaggems-2489", "odd-storage-offset", "free", "swizzle shift_base grow_box"},
    {"flaggems-2489", "transposed-operand-M-1", "free", "swap canonical_stride"},
    {"flash-attention-1296", "dq-accum-box-384", "free", "split"},
    {"flash-attention-1343", "k-empty", "free", "skip"},
    {"flashinfer-2150", "q-seqlen-1", "free", "canonical_stride"},
    {"flashinfer-2150", "k-seqlen-1", "free", "canonical_stride"},
    {"flashinfer-2232", "kv-one-head", "free", "canonical_stride"},
    {"pytorch-167892", "xblock-1", "free", "round_coordinate grow_box"},
    {"pytorch-184563", "x-from-1", "free", "shift_base split_box"},
    {"pytorch-184714", "bf16-slice-2-as-f32", "free", "shift_base grow_box"},
    {"recsys-examples-86", "jagged-batch-empty", "free", "skip"},
    {"sglang-13775", "gmem-0x7b4cc0000000", "free", "canonical_stride"},
    {"sglang-13775", "gmem-0x74df40000000", "free", "canonical_stride"},
    {"sglang-16327", "hidden-states", "free", "swizzle shift_base grow_box"},
    {"tilelang-2578", "im2col-128-channels", "free", "swizzle"},
    {"tilelang-2630", "atomic-add-48-columns", "free", "split"},
    {"tilelang-460", "B-f32-N1733", "padding", "copy"},
    {"tilelang-460", "B-f16-N1732", "padding", "copy"},
    {"triton-10927", "A-K511", "padding", "copy"},
    {"triton-6354", "block-512", "free", "split"},
    {"triton-9439", "slot-64-mod-128", "free", "without_effect"},
    {"vllm-49922", "k-empty-long-context", "free", "skip"},
    {"vllm-56563", "rope-head-dim-0", "free", "skip"},
};

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static void check_plan(const struct failure *f, const struct tmap_checker *c,
                       const struct tmap_desc *d)
{
    struct tmap_plan p;
    struct tmap_repair_report r;
    char steps[256] = "";
    uint64_t seed = 3;
    const enum tmap_status s =
        tmap_repair(c, d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL);
    if (!f->kind[0]) {
        assert_int_equal(s, TMAP_E_NO_PLAN);
        assert_true(strlen(r.reason) > 10);
        return;
    }
    assert_int_equal(s, TMAP_OK);
    for (uint32_t i = 0; i < p.step_count; i++) {
        if (i) strcat(steps, " ");
        strcat(steps, tmap_rewrite_name(p.step[i].rewrite));
    }
    assert_string_equal(steps, f->steps);
    assert_string_equal(tmap_plan_kind_name(p.cost.kind), f->kind);
    if (p.skip) return;
    assert_int_equal(tmap_verdict_of(c, &p.desc), TMAP_LEGAL);
    const char *wrong = d->kind == TMAP_TILED ? plan_is_wrong(c, d, &p, &seed, 6, 512) : NULL;
    if (wrong) fail_msg("%s, %s: %s", f->file, f->name, wrong);
}

static void one_failure(const struct failure *f)
{
    struct tmap_checker c;
    const struct tmap_target t = tmap_default_target();
    struct io_stream stream;
    struct io_record record;
    char path[128], error[IO_ERROR_SIZE];
    bool seen = false;
    assert_int_equal(tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    snprintf(path, sizeof path, "examples/descriptors/failures/%s.json", f->file);
    assert_true(io_stream_open(&stream, path, error));
    while (io_record_next(&stream, 0, &record)) {
        if (record.name && strcmp(record.name, f->name) == 0) {
            seen = true;
            assert_int_equal(tmap_verdict_of(&c, &record.desc), TMAP_ILLEGAL);
            check_plan(f, &c, &record.desc);
        }
        io_record_free(&record);
    }
    io_stream_close(&stream);
    assert_true(seen);
}

static void test_every_failure_has_its_plan(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) one_failure(&failures[i]);
}

/* At least four of five cost nothing, or a padded copy. */
static void test_most_need_no_decision(void **state)
{
    size_t cheap = 0;
    const size_t all = sizeof failures / sizeof *failures;
    (void)state;
    for (size_t i = 0; i < all; i++)
        cheap += strcmp(failures[i].kind, "free") == 0 || strcmp(failures[i].kind, "padding") == 0;
    print_message("# %zu of %zu failures have a free plan or a padded copy\n", cheap, all);
    assert_true(cheap * 5 >= all * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_failure_has_its_plan),
        cmocka_unit_test(test_most_need_no_decision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
