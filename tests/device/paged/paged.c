/* Decode attention on this GPU (tests/support/paged.h): drawn pages, layouts and lengths against
 * plain sums, and the faults that can be planted in it, each in a process of its own. Prints TAP;
 * skips where there is no GPU.
 *
 *   paged                     500 shapes, and the faults
 *   paged SHAPES SEED         so many, no faults
 *   paged fault ID            exit code 1: it was found; id 0 is the controls' */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fault_process.h"
#include "support/paged.h"

extern const char image_tests_device_paged_faults[];

static int number, failed;

static void tap(bool good, const char *name)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, name);
    fflush(stdout);
    failed += !good;
}

/* Wrong elements of one draw, of two runs; -1: it did not run. */
static long one(struct tmap_paged *suite, uint64_t *state)
{
    static const struct paged_size size = {PAGED_REQUESTS, 4, 1500};
    struct paged_draw draw;
    struct paged x;
    char text[400];
    paged_draw(&size, state, &draw);
    if (!paged_make(suite, &draw, state, &x)) return -1;
    const enum tmap_status status = paged_plan(&x);
    long wrong = status == TMAP_OK ? paged_wrong(&x) : -1;
    if (wrong == 0) wrong = paged_wrong(&x);
    paged_words(&x.draw, text, sizeof text);
    if (wrong != 0) printf("# %ld wrong, status %d %s: %s\n", wrong, status, x.refusal.text, text);
    paged_free(&x);
    return wrong;
}

static void shapes(struct tmap_paged *suite, int count, uint64_t seed)
{
    char text[200];
    uint64_t state = seed;
    int wrong = 0, broken = 0, done = 0;
    for (; done < count && broken < 3; done++) {
        const long found = one(suite, &state);
        wrong += found > 0, broken += found < 0;
    }
    const struct tmap_paged_report said = tmap_paged_last_report(suite);
    if (said.what)
        printf("# barrier %u slot %u parity %u block %u thread %u\n", said.barrier, said.slot,
               said.parity, said.block, said.thread);
    snprintf(text, sizeof text, "paged: seed %llu: %d shapes, %d wrong, %d not run",
             (unsigned long long)seed, done, wrong, broken);
    tap(wrong == 0 && broken == 0, text);
}

/* 0: the result is right with the fault, 1: it is wrong, 2: it could not be run. */
static int one_fault(struct tmap_paged *suite, uint32_t id, uint64_t seed)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    struct paged_draw draw;
    struct paged x;
    tmap_cu_module module;
    tmap_cu_function function;
    uint64_t state = seed;
    long wrong = 0;
    paged_draw_fault(&state, &draw);
    if (!paged_make(suite, &draw, &state, &x) || paged_plan(&x) != TMAP_OK ||
        api->module_load_data(&module, image_tests_device_paged_faults) ||
        suite_kernel(api, module, paged_fault_kernel(&x), suite->smem_bytes, &function) != TMAP_OK)
        return 2;
    paged_plant(&x, id, function);
    for (int run = 0; run < 2 && wrong == 0; run++) wrong = paged_wrong(&x);
    if (wrong >= 0) paged_free(&x);
    return wrong != 0;
}

static int fault_of(struct tmap_paged *suite, uint32_t id)
{
    int worst = 0;
    for (uint64_t seed = 0; seed < 6 && worst == 0; seed++) worst = one_fault(suite, id, seed);
    return worst;
}

static void faults(const char *self)
{
    char text[200];
    tap(fault_process(self, 0) == FAULT_NOT_FOUND, "paged: the controls are right");
    for (size_t i = 0; i < paged_fault_count; i++) {
        const bool shown = fault_process(self, paged_faults[i].id) == FAULT_FOUND,
                   blind = paged_faults[i].blind;
        snprintf(text, sizeof text, "paged: found: %s%s", paged_faults[i].name,
                 shown || !blind ? "" : " # SKIP it need not show on a chip");
        tap(shown || blind, text);
    }
}

int main(int argc, char **argv)
{
    const bool fault = argc > 2 && strcmp(argv[1], "fault") == 0;
    const int count = argc > 1 ? atoi(argv[1]) : 500;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261122;
    const struct tmap_open how = {.watchdog_ms = 2000};
    struct tmap_paged *suite;
    char why[200] = "";
    if (tmap_paged_open(&how, &suite, why, sizeof why) != TMAP_OK) {
        printf("ok 1 # SKIP paged attention: %s\n1..1\n", why);
        return 0;
    }
    if (fault) return fault_of(suite, (uint32_t)seed);
    shapes(suite, count, seed);
    if (argc < 3) faults(argv[0]);
    printf("1..%d\n", number);
    tmap_paged_close(suite);
    return failed != 0;
}
