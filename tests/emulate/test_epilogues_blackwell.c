/* The products with an epilogue for the chips after Hopper on the emulator, against plain sums in
 * double: every instance, with drawn steps of epilogue.def, shapes, configurations and
 * orientations, under all three schedules. No finding is a right answer too. Then faults planted in
 * the steps: each is found, and the same kernel without it is right and says nothing.
 *
 * TMAP_EMULATE_SHAPES says how many shapes of each instance (1). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/emulated_instances.h"
#include "support/epilogue_case.h"

/* Faults of tensor memory's own way from the sums to both outputs: each shows at one of the
 * schedules. */
static const struct {
    uint32_t id;
    const char *name;
} staging[] = {{1, "no proxy fence before the store"},
               {8, "panels reused before the stores have read them"},
               {42, "sums used before the load from tensor memory has ended"},
               {55, "sums of another warp's rows"},
               {113, "stored before all rows are staged"},
               {171, "one panel awaited, two written"},
               {172, "both outputs staged in one panel"}};

/* What differs between the families: their images, and the kernels that faults are planted in. */
struct family {
    int cc_major;
    const char *name;
    const char *images[7];
    const char *faults; /* the image of the kernels with faults */
    const char *faulty[FIXTURES];
    int32_t tile_m, tile_n; /* theirs */
};

static struct tmap_gemm *suite;

static void one(const struct gemm_instance *g, uint64_t seed)
{
    if (!epilogue_case(suite, g, seed)) fail_msg("%s: see above", g->name);
}

static void load(const char *source)
{
    if (!emulated_ptx(source)) fail_msg("no PTX of %s", source);
}

static void instances_are_right(void **state)
{
    const struct family *f = *state;
    const uint64_t shapes = emulated_shapes(1);
    for (int i = 0; f->images[i]; i++) {
        emulated_unload();
        load(f->images[i]);
        const size_t seen = emulated_each_instance(suite, shapes, one);
        print_message("# %s: %zu instances, %u shapes each\n", f->images[i], seen,
                      (unsigned)shapes);
        assert_true(seen > 0);
    }
    emulated_unload();
}

static bool right_with(const struct family *f, uint32_t fault, int fixture, uint64_t seed)
{
    const struct tmap_gemm_config request = {
        .tile_m = f->tile_m, .tile_n = f->tile_n, .clusters = 1, .swapped = -1, .direct = -1};
    return epilogue_right_with(suite, f->faulty[fixture], &request, fault,
                               (enum epilogue_fixture)fixture, seed);
}

static void every_fault_is_found(void **state)
{
    const struct family *f = *state;
    int found = 0;
    emulated_unload();
    for (int i = 0; f->images[i]; i++) load(f->images[i]);
    load(f->faults);
    memset(suite->functions, 0, sizeof suite->functions);
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int fixture = 0; fixture < FIXTURES; fixture++)
            if (f->faulty[fixture] && !right_with(f, 0, fixture, seed))
                fail_msg("fixture %d: the control is not right", fixture);
    for (size_t i = 0; i < EPILOGUE_FAULTS; i++) {
        const struct epilogue_fault *x = &epilogue_faults[i];
        if (!f->faulty[x->fixture]) continue;
        for (uint64_t seed = 0; seed < 3; seed++)
            if (right_with(f, x->id, (int)x->fixture, seed)) fail_msg("not found: %s", x->name);
        found++;
    }
    print_message("# %s: %d faults found\n", f->name, found);
    emulated_unload();
}

static void staging_faults_are_found(void **state)
{
    const struct family *f = *state;
    emulated_unload();
    for (int i = 0; f->images[i]; i++) load(f->images[i]);
    load(f->faults);
    memset(suite->functions, 0, sizeof suite->functions);
    for (size_t i = 0; i < sizeof staging / sizeof *staging; i++) {
        bool right = true;
        for (uint64_t seed = 0; seed < 3; seed++)
            right = right && right_with(f, staging[i].id, ALL, seed);
        if (right) fail_msg("not found: %s", staging[i].name);
    }
    emulated_unload();
}

static int on(const struct family *f)
{
    void *state = (void *)(uintptr_t)f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(instances_are_right, state),
        cmocka_unit_test_prestate(every_fault_is_found, state),
        cmocka_unit_test_prestate(staging_faults_are_found, state),
    };
    const size_t count = sizeof tests / sizeof *tests - (f->cc_major == 10 ? 0 : 1);
    suite = emulated_gemm_suite_for(f->cc_major, 0);
    if (!suite) return 1;
    emulated_state()->how.tensor_fences = true;
    if (!emulated_ptx(f->images[0])) {
        printf("ok 1 # SKIP %s: no PTX of the kernels (nvcc)\n", f->name);
        return 0;
    }
    const int failed = _cmocka_run_group_tests(f->name, tests, count, NULL, NULL);
    emulated_close();
    return failed;
}

int main(void)
{
    static const struct family tensor = {.cc_major = 10,
                                         .name = "epilogues of tensor memory",
                                         .images = {"src/kernels/gemm/sm100/f16_epilogue",
                                                    "src/kernels/gemm/sm100/f8f6f4_epilogue",
                                                    "src/kernels/gemm/sm100/mx_epilogue"},
                                         .faults = "tests/device/gemm/faults_sm100",
                                         .faulty = {[ALL] = "tensor_faulty_1x128_epilogue",
                                                    [SMALL] = "tensor_faulty_1x128_epilogue",
                                                    [NARROW] = "tensor_faulty_1x128_epilogue",
                                                    [GATED] = "tensor_faulty_1x128_gated"},
                                         .tile_m = 128,
                                         .tile_n = 128};
    static const struct family warps = {
        .cc_major = 12,
        .name = "epilogues of mma.sync",
        .images = {"src/kernels/gemm/sm120/bf16_epilogue", "src/kernels/gemm/sm120/f16_epilogue",
                   "src/kernels/gemm/sm120/e4m3_epilogue", "src/kernels/gemm/sm120/e5m2_epilogue",
                   "src/kernels/gemm/sm120/e4m3e5m2_epilogue",
                   "src/kernels/gemm/sm120/mx_epilogue"},
        .faults = "tests/device/gemm/faults_sm120",
        .faulty = {[ALL] = "warps_faulty_1x64_epilogue",
                   [SMALL] = "warps_faulty_1x64_epilogue",
                   [NARROW] = "warps_faulty_1x64_epilogue",
                   [GATED] = "warps_faulty_1x64_gated"},
        .tile_m = 64,
        .tile_n = 64};
    return on(&tensor) + on(&warps);
}
