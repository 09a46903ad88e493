/* Every fault that can be planted in a product's kernel, on the emulator: each is reported, as a
 * race or misuse, or, where it breaks no rule of PTX, as wrong bytes with the instruction that
 * wrote them; and the same kernel without it, over the same seeds and schedules, is right and says
 * nothing. Among them is one that the hardware cannot show: no fence after mbarrier.init.
 *
 * TMAP_EMULATE_SEEDS says how many seeds of each control: then it runs nothing else (make
 * controls-emulate; TMAP_EMULATE_SHARD=I/N runs one of N parts). Seeds 0 and 1 are the extreme
 * schedules, earliest and latest. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "device/gemm/planted.h"
#include "support/emulated_suites.h"

enum { N = 320, K = 448, SPARE_BYTES = 4096 };

static struct tmap_gemm *suite;
static struct emulated *emulator;

static void plant(struct tmap_gemm_plan *plan, uint32_t id)
{
    struct gemm_params p;
    struct tmap_desc desc = plan->desc[0];
    struct tmap_map map;
    memcpy(&p, plan->params, sizeof p);
    p.fault = id < HOST_SWIZZLE ? id : 0;
    if (id == HOST_SWIZZLE) desc.swizzle = TMAP_SWIZZLE_64B, desc.box[0] = 32;
    if (id == HOST_BOX) desc.box[1]--;
    if (id == HOST_TILE) p.tile_n *= 2;
    if (id == HOST_TX) p.tx_bytes -= 128;
    assert_int_equal(tmap_encode(&suite->checker, &desc, &map), TMAP_OK);
    memcpy(p.a.word, map.word, sizeof map);
    memcpy(plan->params, &p, sizeof p);
    plan->smem_bytes += SPARE_BYTES;
}

static struct emulated_outcome run(const struct fault *f, uint32_t id, uint64_t seed)
{
    struct tmap_gemm_problem shape = {.kind = TMAP_GEMM_BF16, .batch = 1, .alpha = 1};
    size_of(f->shape, N, K, &shape);
    const struct tmap_gemm_config request = request_of(f->shape, 4, 2);
    struct emulated_product product;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    struct emulated_outcome o = {0};
    assert_true(emulated_product_make(suite, &shape, seed, &product));
    if (tmap_gemm_make_plan(suite, &product.problem, &request, &plan, &why) != TMAP_OK)
        fail_msg("%s: %s", f->name, why.text);
    plant(&plan, id);
    plan.function = emulated_function(f->shape == PINGPONG ? "gemm_faulty_pingpong_1x128"
                                                           : "gemm_faulty_2x128");
    assert_non_null(plan.function);
    emulator->how.schedule =
        seed < TMAP_EMULATE_RANDOM ? (enum tmap_emulate_schedule)seed : TMAP_EMULATE_RANDOM;
    emulator->how.seed = seed;
    emulator->how.budget = 6000000;
    size_t bytes;
    uint8_t *expected = emulated_product_bytes(&product, &bytes);
    assert_non_null(expected);
    emulator->expected = (struct tmap_emulate_expected){product.problem.d.address, bytes, expected};
    for (int turn = 0; turn < 2 && !o.findings && !o.failed; turn++) {
        const bool failed = tmap_gemm_run(&plan, NULL) != TMAP_OK;
        emulated_add(&o, failed, emulated_product_wrong(&product) != 0);
    }
    if (id == 0 && !emulated_is_right(&o)) emulated_print();
    emulated_zero(suite->workspaces);
    emulator->expected.bytes = 0;
    free(expected);
    emulated_product_free(suite, &product);
    return o;
}

enum { SEEDS = 3 };

static void controls_are_silent(void **state)
{
    uint64_t seeds = SEEDS, first = 0, step = 1, runs = 0;
    (void)state;
    emulated_seeds(&seeds, &first, &step);
    for (uint64_t seed = first; seed < seeds; seed += step)
        for (enum shape s = PAIR; s <= PINGPONG; s++, runs++) {
            const struct fault control = {.shape = s, .name = "control"};
            const struct emulated_outcome o = run(&control, 0, seed);
            if (!emulated_is_right(&o))
                fail_msg("shape %d seed %u: the control is not right: %s", s, (unsigned)seed,
                         o.text);
        }
    print_message("# %llu runs of products, none with a finding\n", (unsigned long long)runs);
}

static void every_fault_is_found(void **state)
{
    int missed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *f = &faults[i];
        bool found = false;
        struct emulated_outcome last = {0};
        for (uint64_t seed = 0; seed < SEEDS && !found; seed++) {
            last = run(f, f->id, seed);
            found = last.findings && (f->values || strncmp(last.text, "wrong", 5) != 0);
        }
        print_message("# %s: %.230s\n", f->name, last.text);
        missed += !found;
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(controls_are_silent),
                                       cmocka_unit_test(every_fault_is_found)};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("tests/device/gemm/faults") || !emulated_ptx("src/kernels/gemm/sm90/bf16"))
        return emulated_skip("faults of emulated products");
    if (getenv("TMAP_EMULATE_SEEDS")) cmocka_set_test_filter("controls*");
    const int failed =
        cmocka_run_group_tests_name("faults of emulated products", tests, NULL, NULL);
    emulated_close();
    return failed;
}
