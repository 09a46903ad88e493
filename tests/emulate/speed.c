/* How fast the emulator is: a bf16 product of N cubed by the shipped kernel, with the search for
 * races and without. A figure for one core of whatever machine this is.
 *
 *   speed [N [SECONDS]]     256, 2 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/emulated_suites.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(const struct tmap_gemm_plan *plan, struct emulated *emulator, bool races,
                    double least_s)
{
    const double start = now_s();
    uint64_t threads = 0, adds = 0;
    int runs = 0;
    emulator->how.no_races = !races;
    do {
        if (tmap_gemm_run(plan, NULL) != TMAP_OK) emulated_print();
        threads += emulator->result.counts.thread_instructions;
        adds += emulator->result.counts.multiply_adds;
        runs++;
    } while (now_s() - start < least_s);
    const double s = now_s() - start;
    printf("%-14s %.3f s a product, %.1f million thread instructions/s, %.0f million products/s\n",
           races ? "with races" : "without races", s / runs, (double)threads / s * 1e-6,
           (double)adds / s * 1e-6);
}

int main(int argc, char **argv)
{
    const int32_t n = argc > 1 ? atoi(argv[1]) : 256;
    const double least_s = argc > 2 ? atof(argv[2]) : 2;
    const struct tmap_gemm_problem shape = {.kind = GEMM_BF16,
                                            .out = TMAP_GEMM_OUT_BF16,
                                            .m = n,
                                            .n = n,
                                            .k = n,
                                            .batch = 1,
                                            .alpha = 1};
    const struct tmap_gemm_config request = {.tile_m = 128, .tile_n = 128, .swapped = -1};
    struct tmap_gemm *suite = emulated_gemm_suite();
    struct emulated_product product;
    struct tmap_gemm_plan plan;
    if (!suite || !emulated_ptx("src/kernels/gemm/sm90/bf16") ||
        !emulated_product_fill(suite, &shape, 1, EMULATED_NORMAL, &product) ||
        tmap_gemm_make_plan(suite, &product.problem, &request, &plan, NULL) != TMAP_OK)
        return 1;
    struct emulated *emulator = emulated_state();
    emulator->how.schedule = TMAP_EMULATE_LATEST;
    printf("%d cubed, tile %dx%d, stages %d\n", n, plan.config.tile_m, plan.config.tile_n,
           plan.config.stages);
    measure(&plan, emulator, true, least_s);
    measure(&plan, emulator, false, least_s);
    emulated_product_free(suite, &product);
    emulated_close();
    return 0;
}
