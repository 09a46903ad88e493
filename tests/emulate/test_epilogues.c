/* The products with an epilogue on the emulator, against plain sums in double: every instance, with
 * drawn steps of epilogue.def, shapes, configurations and orientations, under all three schedules.
 * No finding is a right answer too.
 *
 * TMAP_EMULATE_SHAPES says how many shapes of each instance (3). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_instances.h"
#include "support/epilogue_case.h"
#include "support/epilogue_fault.h"

static struct tmap_gemm *suite;

static void one(const struct gemm_instance *g, uint64_t seed)
{
    if (!epilogue_case(suite, g, seed)) fail_msg("%s: see above", g->name);
}

static void instances(void **state)
{
    const uint64_t shapes = emulated_shapes(3);
    emulated_unload(); /* what one that failed has left */
    assert_true(emulated_ptx(*state));
    const size_t seen = emulated_each_instance(suite, shapes, one);
    print_message("# %s: %zu instances, %u shapes each\n", (const char *)*state, seen,
                  (unsigned)shapes);
    assert_true(seen > 0);
    emulated_unload();
}

/* Without a fault (0) or with one. */
static bool right_with(uint32_t fault, enum epilogue_fixture fixture, uint64_t seed)
{
    const struct tmap_gemm_config request = {.tile_m = 64,
                                             .tile_n = fixture == GATED_BY_ROWS ? 128 : 64,
                                             .swapped = -1,
                                             .pingpong = -1,
                                             .direct = -1,
                                             .split_k = fixture == QUICK ? 2 : 0};
    const char *kernel = fixture == GATED_BY_ROWS ? "gemm_faulty_1x128_gated_01"
                         : fixture == GATED       ? "gemm_faulty_1x64_gated"
                         : fixture == QUICK       ? "gemm_faulty_1x64_quick"
                                                  : "gemm_faulty_1x64_epilogue";
    return epilogue_right_with(suite, kernel, &request, fault, fixture, seed);
}

static void every_fault_is_found(void **state)
{
    (void)state;
    emulated_unload();
    assert_true(emulated_ptx("src/kernels/gemm/sm90/bf16_epilogue"));
    assert_true(emulated_ptx("src/kernels/gemm/sm90/bf16_gated"));
    assert_true(emulated_ptx("src/kernels/gemm/sm90/bf16_gated_majors"));
    assert_true(emulated_ptx("src/kernels/gemm/sm90/bf16_quick"));
    assert_true(emulated_ptx("tests/device/gemm/faults"));
    memset(suite->functions, 0, sizeof suite->functions);
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int fixture = 0; fixture < FIXTURES; fixture++)
            if (!right_with(0, (enum epilogue_fixture)fixture, seed))
                fail_msg("fixture %d: the control is not right", fixture);
    for (size_t i = 0; i < EPILOGUE_FAULTS; i++) {
        const struct epilogue_fault *f = &epilogue_faults[i];
        for (uint64_t seed = 0; seed < 3; seed++) {
            if (right_with(f->id, f->fixture, seed)) fail_msg("not found: %s", f->name);
            const uint32_t control = epilogue_control(f->id);
            if (control && !right_with(control, f->fixture, seed))
                fail_msg("%s: the control is not right", f->name);
        }
    }
    emulated_unload();
}

#define SOURCE(name)                                                                               \
    cmocka_unit_test_prestate(instances, (void *)(uintptr_t) "src/kernels/gemm/sm90/" name)

int main(void)
{
    struct CMUnitTest tests[] = {SOURCE("bf16_epilogue"),
                                 SOURCE("f16_epilogue"),
                                 SOURCE("e4m3_epilogue"),
                                 SOURCE("bf16_gated"),
                                 SOURCE("f16_gated"),
                                 SOURCE("e4m3_gated"),
                                 SOURCE("bf16_quick"),
                                 SOURCE("f16_quick"),
                                 SOURCE("bf16_epilogue_majors"),
                                 SOURCE("f16_epilogue_majors"),
                                 SOURCE("bf16_gated_majors"),
                                 SOURCE("f16_gated_majors"),
                                 SOURCE("bf16_quick_majors"),
                                 SOURCE("f16_quick_majors"),
                                 cmocka_unit_test(every_fault_is_found)};
    static const char *const names[] = {"bf16",
                                        "f16",
                                        "e4m3",
                                        "bf16 gated",
                                        "f16 gated",
                                        "e4m3 gated",
                                        "bf16 quick",
                                        "f16 quick",
                                        "bf16 by rows",
                                        "f16 by rows",
                                        "bf16 gated, by rows",
                                        "f16 gated, by rows",
                                        "bf16 quick, by rows",
                                        "f16 quick, by rows"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) tests[i].name = names[i];
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    if (!emulated_ptx("src/kernels/gemm/sm90/bf16_epilogue"))
        return emulated_skip("emulated epilogues");
    emulated_unload();
    const int failed = cmocka_run_group_tests_name("emulated epilogues", tests, NULL, NULL);
    emulated_close();
    return failed;
}
