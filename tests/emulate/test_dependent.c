/* A chain of products, each launched while the one before may still run (programmatic dependent
 * launch): D2 = D1 B with D1 = A B. With its griddepcontrol.wait it is right and nothing is found;
 * with the wait deleted from the PTX, every launch that follows another reads what that may not
 * have written, and every schedule says so. */
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
static const char source[] = "src/kernels/gemm/sm90/bf16", wait[] = "griddepcontrol.wait;";
static struct tmap_gemm *suite;
static struct emulated *emulator;

/* The module, without its waits when `broken`. */
static bool load(bool broken)
{
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

static void launch(const struct tmap_gemm_problem *p, uint64_t seed)
{
    const struct tmap_gemm_config request = {.tile_m = 128, .tile_n = 128, .overlap = 0};
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    if (tmap_gemm_make_plan(suite, p, &request, &plan, &why) != TMAP_OK) fail_msg("%s", why.text);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % SCHEDULES);
    emulator->how.seed = seed;
    tmap_gemm_run(&plan, NULL);
}

/* Findings of the second launch; *wrong: elements of its result. */
static size_t chain(uint64_t seed, uint64_t *wrong)
{
    const struct tmap_gemm_problem shape = {
        .kind = TMAP_GEMM_BF16, .m = N, .n = N, .k = N, .batch = 1, .alpha = 1};
    struct emulated_product first, second;
    assert_true(emulated_product_make(suite, &shape, seed, &first));
    assert_true(emulated_product_make(suite, &shape, seed + 1, &second));
    launch(&first.problem, seed);
    *wrong = emulated_product_wrong(&first);
    const struct tmap_gemm_matrix a = second.problem.a;
    for (int64_t row = 0; row < N; row++) // so that its plain sums are known
        memcpy((uint16_t *)(uintptr_t)first.problem.d.address + row * first.problem.d.ld,
               (const uint16_t *)(uintptr_t)a.address + row * a.ld, 2 * N);
    second.problem.a.ld = first.problem.d.ld;
    second.problem.a.address = first.problem.d.address;
    launch(&second.problem, seed);
    *wrong += emulated_product_wrong(&second);
    second.problem.a = a;
    emulated_product_free(suite, &first);
    emulated_product_free(suite, &second);
    return emulator->findings;
}

static void with_its_wait(void **state)
{
    uint64_t wrong;
    (void)state;
    assert_true(load(false));
    for (uint64_t seed = 0; seed < 2 * SCHEDULES; seed++) {
        const size_t findings = chain(seed, &wrong);
        if (findings) emulated_print();
        assert_int_equal(findings, 0);
        assert_int_equal(wrong, 0);
    }
}

static void without_it(void **state)
{
    uint64_t wrong;
    (void)state;
    assert_true(load(true));
    for (uint64_t seed = 0; seed < 2 * SCHEDULES; seed++) {
        bool said = false;
        if (chain(seed, &wrong) == 0) fail_msg("seed %u: nothing is found", (unsigned)seed);
        for (size_t i = 0; i < emulator->findings && i < EMULATED_FINDINGS; i++)
            said |= emulator->finding[i].kind == TMAP_EMULATE_RACE &&
                    strstr(emulator->finding[i].text, "before griddepcontrol.wait") &&
                    strstr(emulator->finding[i].text, "read of");
        assert_true(said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(with_its_wait),
                                       cmocka_unit_test(without_it)};
    suite = emulated_gemm_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!load(false)) {
        printf("1..1\nok 1 # SKIP a chain of emulated products: no PTX of the kernels (nvcc)\n");
        return 0;
    }
    const int failed = cmocka_run_group_tests_name("a chain of products", tests, NULL, NULL);
    emulated_close();
    return failed;
}
