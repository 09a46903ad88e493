/* Routed groups on the emulator: contiguous rows, padded rows and parts of K, of bf16, fp16 and
 * e4m3, with scales of blocks too, by every kernel of Hopper's groups: drawn as a router leaves its
 * tokens, with members that have none, tails of every length and numbers that no router leaves;
 * against plain sums, all that is no member's untouched, under all three schedules. Faults planted
 * in the way of the members, and refusals.
 *
 * TMAP_EMULATE_SHAPES says how many groups of each form and kind (4). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_instances.h"
#include "support/routed.h"

static struct tmap_gemm *suite;
static struct emulated *emulator;

static void fail_with(const struct routed *r, const char *name, uint64_t seed, long wrong,
                      int status)
{
    char text[400];
    routed_words(&r->draw, text, sizeof text);
    emulated_print();
    fail_msg("%s seed %u: status %d %s, %ld wrong, %zu findings, tile %dx%d: %s", name,
             (unsigned)seed, status, r->refusal.text, wrong, emulator->findings,
             r->group.config.tile_m, r->group.config.tile_n, text);
}

static void schedule(uint64_t seed, uint64_t budget)
{
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    emulator->how.budget = budget;
}

static void groups(void **state)
{
    static const struct routed_size size = {6, 330, 280};
    const uint64_t shapes = emulated_shapes(4);
    (void)state;
    for (size_t w = 0; w < routed_way_count; w++)
        for (uint64_t seed = 1; seed <= shapes; seed++) {
            uint64_t random = seed * 7919 + w;
            struct routed_draw draw;
            struct routed r;
            routed_draw(&routed_ways[w], &size, &random, &draw);
            assert_true(routed_make(suite, &draw, &random, &r));
            schedule(seed, 0);
            const enum tmap_status status = routed_plan(&r);
            long wrong = status == TMAP_OK ? routed_wrong(&r) : -1;
            if (wrong == 0 && seed % 4 == 0)
                wrong = routed_again(&r, &random) ? routed_wrong(&r) : -1;
            if (wrong != 0 || emulator->findings)
                fail_with(&r, routed_ways[w].name, seed, wrong, status);
            routed_free(&r);
        }
    print_message("# %zu ways, %u groups each\n", routed_way_count, (unsigned)shapes);
}

/* Whether a run with the fault is other than right; a control's must be right. */
static bool shows(const struct routed_fault *fault, uint32_t id, uint64_t seed)
{
    uint64_t random = seed;
    struct routed_draw draw;
    struct routed r;
    routed_draw_fault(fault, &random, &draw);
    assert_true(routed_make(suite, &draw, &random, &r));
    schedule(seed, 6000000);
    const enum tmap_status status = routed_plan(&r);
    if (status != TMAP_OK) fail_with(&r, fault->name, seed, -1, status);
    routed_plant(&r, id, emulated_function("make_routed_faulty"),
                 emulated_function(routed_fault_kernel(fault)));
    const long wrong = routed_wrong(&r);
    const bool shown = wrong != 0 || emulator->findings != 0;
    if (id == 0 && shown) fail_with(&r, fault->name, seed, wrong, status);
    routed_free(&r);
    return shown;
}

static void every_fault_is_found(void **state)
{
    (void)state;
    assert_true(emulated_ptx("tests/device/gemm/group_faults"));
    for (size_t i = 0; i < routed_fault_count; i++) {
        bool shown = false;
        for (uint64_t seed = 0; seed < 3; seed++) shows(&routed_faults[i], 0, seed);
        for (uint64_t seed = 0; seed < 6 && !shown; seed++)
            shown = shows(&routed_faults[i], routed_faults[i].id, seed);
        if (!shown) fail_msg("not found: %s", routed_faults[i].name);
    }
}

static void refused(struct routed *r, enum tmap_status status, const char *words)
{
    assert_int_equal(routed_plan(r), status);
    if (!strstr(r->refusal.text, words)) fail_msg("'%s' does not say %s", r->refusal.text, words);
}

/* A routing as it must not be, and back; what a row forbids is told with the member. */
static void what_cannot_be_is_refused(void **state)
{
    static const struct routed_fault rows = {0, TMAP_GEMM_FORM_ROWS, ROUTED_ROWS_OF_K, false, ""};
    uint64_t random = 1;
    struct routed_draw draw;
    struct routed r;
    (void)state;
    routed_draw_fault(&rows, &random, &draw);
    draw.request = (struct tmap_gemm_config){0};
    assert_true(routed_make(suite, &draw, &random, &r));
    struct tmap_gemm_problem *p = &r.draw.problem;
    struct tmap_gemm_routing *how = &r.draw.routing;
    const struct tmap_gemm_problem good = *p;
    const struct tmap_gemm_routing plain = *how;
    how->form = 3, refused(&r, TMAP_E_ARGUMENT, "routing: form is 3, not 0 to 2"), *how = plain;
    how->usual = -1, refused(&r, TMAP_E_ARGUMENT, "usual"), *how = plain;
    how->ends = 0, refused(&r, TMAP_E_ARGUMENT, "ends"), *how = plain;
    how->ends += 2, refused(&r, TMAP_E_ARGUMENT, "ends"), *how = plain;
    p->a.mn_major = true, refused(&r, TMAP_E_ARGUMENT, "A of routed rows"), *p = good;
    p->d.mn_major = true, refused(&r, TMAP_E_ARGUMENT, "D of routed rows"), *p = good;
    p->epilogue.activation = TMAP_GEMM_RELU, refused(&r, TMAP_E_NO_PLAN, "epilogue"), *p = good;
    p->b.batch_stride += 4, refused(&r, TMAP_E_ILLEGAL, "member 1: TMA"), *p = good;
    p->a.ld += 1, refused(&r, TMAP_E_ILLEGAL, "member 0: TMA"), *p = good;
    p->batch = 0, refused(&r, TMAP_E_ARGUMENT, "batch"), *p = good;
    p->n = 1 << 28, p->batch = 1 << 28, refused(&r, TMAP_E_ARGUMENT, "tiles"), *p = good;
    how->form = TMAP_GEMM_FORM_K;
    p->b.mn_major = true, refused(&r, TMAP_E_NO_PLAN, "both contiguous along K"), *p = good;
    p->kind = TMAP_GEMM_E4M3, p->a.mn_major = p->b.mn_major = true;
    refused(&r, TMAP_E_NO_PLAN, "not of 16 bits"), *p = good;
    p->kind = TMAP_GEMM_E4M3, p->block_scale = (struct tmap_gemm_block_scale){64, 64, 400, 400};
    refused(&r, TMAP_E_NO_PLAN, "scales of blocks"), *p = good, *how = plain;
    p->kind = TMAP_GEMM_E4M3, p->block_scale = (struct tmap_gemm_block_scale){64, 64, 401, 400};
    refused(&r, TMAP_E_ILLEGAL, "S, field"), *p = good;
    suite->family = GEMM_SM100, refused(&r, TMAP_E_NO_PLAN, "capability 9.0");
    suite->family = GEMM_SM90;
    assert_int_equal(routed_plan(&r), TMAP_OK);
    assert_true(tmap_gemm_group_rows(&r.group, 0) == 0);
    routed_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups),
                                       cmocka_unit_test(what_cannot_be_is_refused),
                                       cmocka_unit_test(every_fault_is_found)};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/gemm/sm90/groups") ||
        !emulated_ptx("src/kernels/gemm/sm90/groups_majors") ||
        !emulated_ptx("src/kernels/gemm/sm90/groups_blocks") ||
        !emulated_ptx("src/kernels/gemm/sm90/bf16"))
        return emulated_skip("routed groups");
    const int failed = cmocka_run_group_tests_name("routed groups", tests, NULL, NULL);
    emulated_close();
    return failed;
}
