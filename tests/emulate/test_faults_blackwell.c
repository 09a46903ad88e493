/* Faults planted in the products for tensor memory, and in those of mma.sync, on the emulator: each
 * is found, and the same kernel without it, over the same seeds and schedules, is right and says
 * nothing.
 *
 * TMAP_EMULATE_SEEDS says how many seeds the control runs (3). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_suites.h"

enum shape { SINGLE, PAIR, SHARED, STREAM, DYNAMIC, SCALED, WARPS, WARPS_SCALED, SHAPES };

static struct tmap_gemm *suite;
static struct emulated *emulator;
static enum shape first, last; /* of the chip */

/* Ids are those of src/kernels/gemm/sm100. silent: only the values are wrong, or the kernel
 * refuses. */
static const struct fault {
    uint32_t id;
    enum shape shape;
    const char *name;
    bool silent;
} faults[] = {
    {1, SINGLE, "no proxy fence before the store", false},
    {2, PAIR, "no fence after mbarrier.init", false},
    {3, PAIR, "expects 16 bytes too few", false},
    {4, PAIR, "expects 16 bytes too many", false},
    {5, SINGLE, "parity not flipped at the ring's wrap", false},
    {6, SINGLE, "empty barrier waits for one commit too many", false},
    {7, SHARED, "multicast mask lacks a pair", false},
    {8, SINGLE, "panel reused before the store has read it", false},
    {9, PAIR, "blocks of a pair do not meet after mbarrier.init", false},
    {13, SINGLE, "slot given back by a commit before its multiplies", false},
    {14, SINGLE, "one k-block loaded twice, one never", true},
    {15, SINGLE, "stride of the matrix descriptor off by one atom", true},
    {16, SINGLE, "multiplies do not wait for the slot", false},
    {17, STREAM, "part added before it is there", false},
    {18, STREAM, "part's flag set before the part is written", false},
    {19, STREAM, "part's flag not cleared", false},
    {30, PAIR, "pair: each block tells its bytes to its own barrier", false},
    {31, SINGLE, "sums over sums that are still read", false},
    {32, SINGLE, "no fence::after_thread_sync before the multiplies", false},
    {33, SINGLE, "sums committed before the last multiplies", false},
    {34, SINGLE, "double buffer: parity not flipped", false},
    {35, SINGLE, "sums read before their commit", false},
    {36, SINGLE, "no fence::after_thread_sync before tcgen05.ld", false},
    {37, SINGLE, "no fence::before_thread_sync after tcgen05.ld", false},
    {38, PAIR, "pair: the odd block's sums are read on the wrong barrier", false},
    {39, SINGLE, "block leaves before its last store has read", false},
    {40, SINGLE, "tensor memory given back before the epilogue is done", false},
    {41, SINGLE, "tensor memory not given back", false},
    {42, SINGLE, "no tcgen05.wait::ld", true},
    {43, SINGLE, "accumulator given on before it is read", false},
    {44, SHARED, "blocks do not meet before they leave", false},
    {45, PAIR, "pair: the sums' commit tells one block", false},
    {46, PAIR, "pair: the slots' commit tells one block", false},
    {47, PAIR, "pair: both blocks multiply", false},
    {48, SINGLE, "the two accumulators overlap", false},
    {49, SINGLE, "first multiply adds to what was there", true},
    {50, SINGLE, "half of the columns allocated", false},
    {52, SINGLE, "instruction descriptor: type of A", true},
    {53, SINGLE, "instruction descriptor: N", false},
    {54, SINGLE, "instruction descriptor: order of B", true},
    {55, SINGLE, "a warp reads another quarter of the lanes", false},
    {56, SINGLE, "one warp too few gives the accumulator on", false},
    {58, PAIR, "pair: the bytes of one block expected", false},
    {59, PAIR, "pair: the odd block loads without waiting", false},
    {60, PAIR, "address of tensor memory read before the block meets", false},
    {61, SINGLE, "matrix descriptor without its constant", false},
    {62, SINGLE, "matrix descriptor with Hopper's number of the swizzle", true},
    {65, DYNAMIC, "tiles asked for before the last answer is read", false},
    {66, DYNAMIC, "answer given back before it is read", false},
    {67, DYNAMIC, "the answer's bytes are not expected", false},
    {68, DYNAMIC, "a cancelled cluster's tile never done, another's twice", true},
    {69, DYNAMIC, "one block of the cluster gets the answer", false},
    {71, DYNAMIC, "answer read before it is there", false},
    {3, SCALED, "scale factors: fewer bytes expected", false},
    {13, SCALED, "scale factors: slot given back before they are copied", false},
    {16, SCALED, "scale factors copied before they are there", false},
    {73, SCALED, "scale factors overwrite the sums", true},
    {74, SCALED, "B's scale factors overwrite A's", true},
    {75, SCALED, "scale factors of another k-block", true},
    {76, SCALED, "one scale factor for all four steps", true},
    {13, WARPS_SCALED, "mma.sync, scale factors: slot given back before they are read", false},
    {16, WARPS_SCALED, "mma.sync, scale factors read before they are there", false},
    {75, WARPS_SCALED, "mma.sync, scale factors of another k-block", true},
    {1, WARPS, "mma.sync: no proxy fence before the store", false},
    {2, WARPS, "mma.sync: no fence after mbarrier.init", false},
    {3, WARPS, "mma.sync: expects 16 bytes too few", false},
    {4, WARPS, "mma.sync: expects 16 bytes too many", false},
    {5, WARPS, "mma.sync: parity not flipped at the ring's wrap", false},
    {6, WARPS, "mma.sync: empty barrier waits for one arrival too many", false},
    {8, WARPS, "mma.sync: panel reused before the store has read it", false},
    {12, WARPS, "mma.sync: slots filled without waiting", false},
    {13, WARPS, "mma.sync: slot given back before it is read", false},
    {16, WARPS, "mma.sync: fragments read before they are there", false},
};

/* What runs in the plan's place, and what is asked of the plan. */
static const struct {
    const char *faulty;
    struct tmap_gemm_config request;
} of_shape[SHAPES] = {
    [SINGLE] = {"tensor_faulty_1x128", {.tile_m = 128, .tile_n = 128, .clusters = 1}},
    [PAIR] = {"tensor_faulty_2x128", {.tile_m = 256, .tile_n = 128, .clusters = 1}},
    [SHARED] = {"tensor_faulty_2x128", {.tile_m = 256, .tile_n = 128, .clusters = 1}},
    [STREAM] = {"tensor_faulty_1x128", {.tile_m = 128, .tile_n = 128, .clusters = 4}},
    [DYNAMIC] = {"tensor_dynamic_faulty_2x256", {.tile_m = 256, .tile_n = 256, .dynamic = 1}},
    [SCALED] = {"tensor_scaled_faulty_1x128", {.tile_m = 128, .tile_n = 128, .clusters = 1}},
    [WARPS] = {"warps_faulty_2x64", {.tile_m = 128, .tile_n = 64, .clusters = 1}},
    [WARPS_SCALED] = {"warps_scaled_faulty_2x128", {.tile_m = 128, .tile_n = 128, .clusters = 1}},
};

static struct tmap_gemm_config request_of(enum shape shape)
{
    struct tmap_gemm_config c = of_shape[shape].request;
    c.stages = shape == WARPS_SCALED ? 2 : 3; /* of the latter three are more than 99 KiB */
    c.cluster_m = shape == SHARED ? 2 : 1;
    c.cluster_n = c.panels = 1;
    c.swapped = -1;
    c.stream_k = shape == STREAM ? TMAP_GEMM_STREAM_K_ANY : -1;
    if (shape == SCALED || shape == WARPS_SCALED) c.panels = 2; /* of fp32 */
    return c;
}

struct outcome {
    size_t findings;
    bool wrong, failed;
    char text[440];
};

static struct outcome run(const struct fault *f, uint32_t id, uint64_t seed)
{
    /* More tiles than accumulators for one cluster, and more k-blocks than slots. */
    struct tmap_gemm_problem shape = {
        .kind = TMAP_GEMM_BF16, .m = 250, .n = 376, .k = 270, .batch = 1, .alpha = 1};
    const struct tmap_gemm_config request = request_of(f->shape);
    struct emulated_product product;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    struct outcome o = {0};
    struct gemm_params params;
    if (f->shape == SHARED) shape.m = 500;
    if (f->shape == DYNAMIC) shape.n = 1000;
    if (f->shape == SCALED || f->shape == WARPS_SCALED)
        shape.kind = TMAP_GEMM_MXF8, shape.out = TMAP_GEMM_OUT_F32, shape.k = 500;
    assert_true(emulated_product_make(suite, &shape, seed, &product));
    if (tmap_gemm_make_plan(suite, &product.problem, &request, &plan, &why) != TMAP_OK)
        fail_msg("%s: %s", f->name, why.text);
    memcpy(&params, plan.params, sizeof params);
    params.fault = id;
    memcpy(plan.params, &params, sizeof params);
    plan.function = emulated_function(of_shape[f->shape].faulty);
    emulator->how.residents = f->shape == DYNAMIC ? plan.cluster : 0;
    assert_non_null(plan.function);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    emulator->how.budget = 3000000;
    emulator->how.tensor_fences = true;
    for (int turn = 0; turn < (f->shape == STREAM ? 2 : 1) && !o.findings && !o.failed; turn++) {
        o.failed |= tmap_gemm_run(&plan, NULL) != TMAP_OK;
        o.wrong |= emulated_product_wrong(&product) != 0;
        o.findings += emulator->findings;
        if (emulator->findings)
            snprintf(o.text, sizeof o.text, "%s: %s",
                     tmap_emulate_kind_name(emulator->finding[0].kind), emulator->finding[0].text);
    }
    if (id == 0 && (o.findings || o.failed || o.wrong)) emulated_print();
    for (size_t i = 0; i < suite->workspaces->count;
         i++) /* a faulty launch leaves its flags raised */
        memset((void *)(uintptr_t)suite->workspaces->of[i].at, 0, GEMM_FLAG_BYTES);
    emulated_product_free(suite, &product);
    return o;
}

static void the_controls_are_right(void **state)
{
    const char *more = getenv("TMAP_EMULATE_SEEDS");
    const uint64_t seeds = more ? strtoull(more, NULL, 10) : 3;
    (void)state;
    for (enum shape s = first; s <= last; s++)
        for (uint64_t seed = 0; seed < seeds; seed++) {
            const struct fault control = {0, s, "control", false};
            const struct outcome o = run(&control, 0, seed);
            if (o.findings || o.failed || o.wrong)
                fail_msg("shape %d seed %u: the control is not right: %s", s, (unsigned)seed,
                         o.text);
        }
}

static void every_fault_is_found(void **state)
{
    int missed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *f = &faults[i];
        if (f->shape < first || f->shape > last) continue;
        uint64_t found = 0, shown = 0;
        struct outcome shown_as = {0};
        for (uint64_t seed = 0; seed < 3 && !found; seed++) {
            const struct outcome o = run(f, f->id, seed);
            found += o.findings != 0;
            shown += o.findings || o.failed || o.wrong;
            if (o.findings) shown_as = o;
        }
        const bool miss = f->silent ? shown == 0 : found == 0;
        print_message("# %u %s: %s%.230s\n", f->id, f->name,
                      miss    ? "MISSED "
                      : found ? ""
                              : "wrong values",
                      shown_as.text);
        missed += miss;
    }
    assert_int_equal(missed, 0);
}

static int on(int cc_major, const char *name, const char *const ptx[4], enum shape from,
              enum shape to)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_controls_are_right),
                                       cmocka_unit_test(every_fault_is_found)};
    suite = emulated_gemm_suite_for(cc_major, 0);
    if (!suite) return 1;
    emulator = emulated_state();
    first = from;
    last = to;
    for (int i = 0; i < 4 && ptx[i]; i++)
        if (!emulated_ptx(ptx[i])) {
            printf("ok 1 # SKIP %s: no PTX of the kernels (nvcc)\n", name);
            return 0;
        }
    const int failed = _cmocka_run_group_tests(name, tests, 2, NULL, NULL);
    emulated_close();
    return failed;
}

int main(void)
{
    /* A plan asks for the plain kernels. */
    static const char *const tensor[4] = {
        "tests/device/gemm/faults_sm100", "src/kernels/gemm/sm100/f16",
        "src/kernels/gemm/sm100/dynamic", "src/kernels/gemm/sm100/mxf8f6f4"};
    static const char *const warps[4] = {"tests/device/gemm/faults_sm120",
                                         "src/kernels/gemm/sm120/bf16",
                                         "src/kernels/gemm/sm120/mxf8"};
    return on(10, "faults of tensor memory", tensor, SINGLE, SCALED) +
           on(12, "faults of mma.sync", warps, WARPS, WARPS_SCALED);
}
