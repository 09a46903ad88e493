/* How fast the emulator is, on one core of whatever machine this is: shipped bf16 products, whole
 * and of the main loop alone (two of K apart by a half), with the search for races and without. Of
 * wgmma, of mma.sync, and of tensor memory.
 *
 *   speed [K [SECONDS [CHIP [races | plain]]]]     2048, 1, all of 9 12 10, both */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/emulated_suites.h"

enum { N = 256 };

struct rate {
    double s, threads, adds; /* of a product */
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The fastest of some runs. */
static struct rate runs_of(const struct tmap_gemm_plan *plan, struct emulated *emulator,
                           double least_s)
{
    struct rate r = {.s = 1e9};
    const double begin = now_s();
    while (now_s() - begin < least_s) {
        const double start = now_s();
        if (tmap_gemm_run(plan, NULL) != TMAP_OK || emulator->findings) emulated_print();
        const double s = now_s() - start;
        if (s < r.s) r.s = s;
        r.threads = (double)emulator->result.counts.thread_instructions;
        r.adds = (double)emulator->result.counts.multiply_adds;
    }
    return r;
}

static bool measure(struct tmap_gemm *suite, int32_t k, bool races, double least_s,
                    struct rate *out)
{
    const struct tmap_gemm_problem shape = {.kind = GEMM_BF16,
                                            .out = TMAP_GEMM_OUT_BF16,
                                            .m = N,
                                            .n = N,
                                            .k = k,
                                            .batch = 1,
                                            .alpha = 1};
    const struct tmap_gemm_config request = {.tile_m = 128, .tile_n = 128, .swapped = -1};
    struct emulated *emulator = emulated_state();
    struct emulated_product product;
    struct tmap_gemm_refusal why = {0};
    struct tmap_gemm_plan plan;
    if (!emulated_product_fill(suite, &shape, 1, EMULATED_NORMAL, &product)) return false;
    const bool planned =
        tmap_gemm_make_plan(suite, &product.problem, &request, &plan, &why) == TMAP_OK;
    if (!planned) fprintf(stderr, "no plan: %s\n", why.text);
    emulator->how.schedule = TMAP_EMULATE_LATEST;
    emulator->how.no_races = !races;
    if (planned) *out = runs_of(&plan, emulator, least_s);
    emulated_product_free(suite, &product);
    return planned;
}

static void print(const char *what, bool races, struct rate r)
{
    printf("  %-22s %-8s %7.1f ms, %6.1f million thread instructions/s, %6.0f million products/s\n",
           what, races ? "races" : "no races", r.s * 1e3, r.threads / r.s * 1e-6,
           r.adds / r.s * 1e-6);
}

struct request {
    int32_t k;
    double least_s;
    int chip;         /* 0: all */
    const char *only; /* with the search, or without; NULL: both */
};

static bool measure_chip(int major, const char *source, const struct request *request)
{
    const int32_t k = request->k;
    const double least_s = request->least_s;
    if (request->chip && request->chip != major) return true;
    struct tmap_gemm *suite = emulated_gemm_suite_for(major, 0);
    if (!suite || !emulated_ptx(source)) return false;
    printf("%s, M = N = %d\n", source, N);
    for (int races = 1; races >= 0; races--) {
        struct rate whole, half;
        if (request->only && strcmp(request->only, races ? "races" : "plain") != 0) continue;
        if (!measure(suite, N, races, least_s, &whole)) return false;
        print("K = 256", races, whole);
        if (!measure(suite, k / 2, races, least_s, &half) ||
            !measure(suite, k, races, least_s, &whole))
            return false;
        print("a whole product", races, whole);
        print(
            "its main loop", races,
            (struct rate){whole.s - half.s, whole.threads - half.threads, whole.adds - half.adds});
    }
    emulated_close();
    return true;
}

int main(int argc, char **argv)
{
    const struct request r = {.k = argc > 1 ? atoi(argv[1]) : 2048,
                              .least_s = argc > 2 ? atof(argv[2]) : 1,
                              .chip = argc > 3 ? atoi(argv[3]) : 0,
                              .only = argc > 4 ? argv[4] : NULL};
    return !measure_chip(9, "src/kernels/gemm/sm90/bf16", &r) |
           !measure_chip(12, "src/kernels/gemm/sm120/bf16", &r) |
           !measure_chip(10, "src/kernels/gemm/sm100/f16", &r);
}
