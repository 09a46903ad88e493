/* A chain of products, each launched while the one before may still run (programmatic dependent
 * launch): D2 = D1 B with D1 = A B. With its griddepcontrol.wait it is right and nothing is found;
 * with the wait deleted from the PTX, every launch that follows another reads what that may not
 * have written, and every schedule says so. The same of kernels that load B before the wait, on the
 * word of the caller that nobody writes it; and where the launch before does write it, that is
 * found. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_suites.h"

enum { N = 128, SCHEDULES = 3 };
static const char wait[] = "griddepcontrol.wait;";
static const struct kernels {
    const char *source;
    bool promise; /* about B */
    struct tmap_gemm_config request;
} plain = {"src/kernels/gemm/sm90/bf16", false, {.tile_m = 128, .tile_n = 128}},
  early = {"src/kernels/gemm/sm90/bf16_early", true, {.tile_m = 64, .tile_n = 64}};
enum operand { A, B };
static struct tmap_gemm *suite;
static struct emulated *emulator;

/* The module, without its waits when `broken`. */
static bool load(const struct kernels *which, bool broken)
{
    const char *source = which->source;
    char path[300];
    const char *build = getenv("B");
    snprintf(path, sizeof path, "%s/%s.ptx", build ? build : "build", source);
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    fseek(f, 0, SEEK_END);
    const size_t bytes = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(1, bytes + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, bytes, f), bytes);
    fclose(f);
    size_t waits = 0;
    for (char *at = text; (at = strstr(at, wait)); waits++) {
        if (broken)
            memset(at, ' ', strlen(wait));
        else
            at += strlen(wait);
    }
    assert_true(waits > 0);
    emulated_unload();
    memset(suite->functions, 0, sizeof suite->functions);
    const bool good = emulated_load_text(text, bytes, path);
    free(text);
    return good;
}

/* written: by the launch before, B is. */
static void launch(const struct kernels *which, const struct tmap_gemm_problem *p, bool written,
                   uint64_t seed)
{
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    if (tmap_gemm_make_plan(suite, p, &which->request, &plan, &why) != TMAP_OK)
        fail_msg("%s", why.text);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % SCHEDULES);
    emulator->how.seed = seed;
    emulator->how.ready = p->b.address;
    emulator->how.ready_bytes = p->b_ready && !written ? emulated_bytes(p->b.address) : 0;
    tmap_gemm_run(&plan, NULL);
}

/* Findings of the second launch, which reads the first one's D as its A or as its B; *wrong:
 * elements of its result. */
static size_t chain(const struct kernels *which, enum operand read, uint64_t seed, uint64_t *wrong)
{
    const struct tmap_gemm_problem shape = {.kind = TMAP_GEMM_BF16,
                                            .m = N,
                                            .n = N,
                                            .k = N,
                                            .batch = 1,
                                            .alpha = 1,
                                            .b_ready = which->promise};
    struct emulated_product first, second;
    assert_true(emulated_product_make(suite, &shape, seed, &first));
    assert_true(emulated_product_make(suite, &shape, seed + 1, &second));
    launch(which, &first.problem, false, seed);
    *wrong = emulated_product_wrong(&first);
    struct tmap_gemm_matrix *x = read == A ? &second.problem.a : &second.problem.b;
    const struct tmap_gemm_matrix own = *x;
    for (int64_t row = 0; row < N; row++) // so that its plain sums are known
        memcpy((uint16_t *)(uintptr_t)first.problem.d.address + row * first.problem.d.ld,
               (const uint16_t *)(uintptr_t)own.address + row * own.ld, 2 * N);
    x->ld = first.problem.d.ld;
    x->address = first.problem.d.address;
    launch(which, &second.problem, read == B, seed);
    *wrong += emulated_product_wrong(&second);
    *x = own;
    emulated_product_free(suite, &first);
    emulated_product_free(suite, &second);
    return emulator->findings;
}

static void is_clean(const struct kernels *which)
{
    uint64_t wrong;
    assert_true(load(which, false));
    for (uint64_t seed = 0; seed < 2 * SCHEDULES; seed++) {
        const size_t findings = chain(which, A, seed, &wrong);
        if (findings) emulated_print();
        assert_int_equal(findings, 0);
        assert_int_equal(wrong, 0);
    }
}

/* Every schedule says that something is read too early. */
static void is_found(const struct kernels *which, enum operand read, bool broken)
{
    uint64_t wrong;
    assert_true(load(which, broken));
    for (uint64_t seed = 0; seed < 2 * SCHEDULES; seed++) {
        bool said = false;
        if (chain(which, read, seed, &wrong) == 0)
            fail_msg("seed %u: nothing is found", (unsigned)seed);
        for (size_t i = 0; i < emulator->findings && i < EMULATED_FINDINGS; i++)
            said |= emulator->finding[i].kind == TMAP_EMULATE_RACE &&
                    strstr(emulator->finding[i].text, "before griddepcontrol.wait") &&
                    strstr(emulator->finding[i].text, "read of");
        assert_true(said);
    }
}

static void with_its_wait(void **state)
{
    (void)state;
    is_clean(&plain);
}

static void without_it(void **state)
{
    (void)state;
    is_found(&plain, A, true);
}

static void early_with_its_wait(void **state)
{
    (void)state;
    is_clean(&early);
}

static void early_without_it(void **state)
{
    (void)state;
    is_found(&early, A, true);
}

static void early_of_what_is_written(void **state)
{
    (void)state;
    is_found(&early, B, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_its_wait), cmocka_unit_test(without_it),
        cmocka_unit_test(early_with_its_wait), cmocka_unit_test(early_without_it),
        cmocka_unit_test(early_of_what_is_written)};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!load(&plain, false)) return emulated_skip("a chain of emulated products");
    const int failed = cmocka_run_group_tests_name("a chain of products", tests, NULL, NULL);
    emulated_close();
    return failed;
}
