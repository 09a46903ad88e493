/* Groups of products against plain sums on the same GPU: random sizes, empty members among them,
 * and the maps that the device made against those that the host encodes. Prints TAP; skips where
 * there is no GPU.
 *
 *   groups [quick]     a tenth of the groups
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/rng.h"
#include "tmap/kernels.h"

static const char *const kind_name[] = {"bf16", "f16", "tf32", "e4m3", "e5m2", "s8"};

static int32_t extent(uint64_t *state)
{
    static const int32_t sizes[] = {1,   2,   7,   16,  17,  63,  64,  65,  100, 127,
                                    128, 129, 200, 255, 256, 257, 384, 500, 640, 1021};
    return sizes[rng_step(state) % (sizeof sizes / sizeof sizes[0])];
}

struct tally {
    unsigned long groups, members, wrong;
    double worst;
};

/* A trapped kernel ends the program, since the context is lost. */
static void hold(struct tmap_gemm *suite, struct tally *t, const struct tmap_gemm_case *cases,
                 size_t count, const struct tmap_gemm_config *request)
{
    struct tmap_gemm_outcome o;
    memset(&o, 0, sizeof o);
    const enum tmap_status status = tmap_gemm_verify_group(suite, cases, count, request, &o);
    t->groups++;
    t->members += count;
    if (o.worst > t->worst) t->worst = o.worst;
    if (status == TMAP_OK && o.checked > 0 && !o.wrong && !o.guard_wrong && !o.maps_wrong) return;
    if (t->wrong++ < 8)
        printf("# %s, %zu members, first %dx%dx%d, alpha %g beta %g, out %d, columns %d, tile "
               "%dx%d, pair %d, swapped %d: status %d (%s), wrong %llu of %llu, guard %llu, maps "
               "%llu, first %llu expected %.9g got %.9g\n",
               kind_name[cases->problem.kind], count, cases->problem.m, cases->problem.n,
               cases->problem.k, (double)cases->problem.alpha, (double)cases->problem.beta,
               cases->problem.out, cases->problem.d.mn_major, o.config.tile_m, o.config.tile_n,
               o.config.cluster_m, o.config.swapped, status, o.refusal.text,
               (unsigned long long)o.wrong, (unsigned long long)o.checked,
               (unsigned long long)o.guard_wrong, (unsigned long long)o.maps_wrong,
               (unsigned long long)o.first, o.expected, o.got);
    if (status != TMAP_E_DRIVER) return;
    const struct tmap_gemm_report r = tmap_gemm_last_report(suite);
    const char *barrier = tmap_gemm_barrier_name(r.barrier);
    printf("# report %u barrier %s slot %u parity %u block %u\nBail out! the device context is "
           "lost\n",
           r.what, barrier ? barrier : "-", r.slot, r.parity, r.block);
    exit(1);
}

static void random_group(struct tmap_gemm *suite, struct tally *t, int32_t kind, uint64_t *state)
{
    static const float alphas[] = {1, 1, 2, -1}, betas[] = {0, 0, 1, -2};
    static const int32_t tiles[] = {0, 0, 32, 128, 256};
    struct tmap_gemm_case cases[TMAP_GEMM_VERIFY_MEMBERS];
    const size_t count = 1 + rng_step(state) % TMAP_GEMM_VERIFY_MEMBERS;
    const bool fp8 = kind == TMAP_GEMM_E4M3 || kind == TMAP_GEMM_E5M2;
    struct tmap_gemm_config request = {.tile_n = tiles[rng_step(state) % 5],
                                       .cluster_m = (int32_t)(rng_step(state) % 3),
                                       .stages = rng_step(state) % 3 == 0 ? 3 : 0,
                                       .clusters = rng_step(state) % 4 == 0 ? 7 : 0};
    memset(cases, 0, sizeof cases);
    cases[0].problem = (struct tmap_gemm_problem){.kind = kind,
                                                  .out = (int32_t)(rng_step(state) % 3),
                                                  .batch = 1,
                                                  .alpha = alphas[rng_step(state) % 4],
                                                  .beta = betas[rng_step(state) % 4],
                                                  .precise = fp8 && rng_step(state) % 2};
    cases[0].problem.d.mn_major = rng_step(state) % 4 == 0;
    if (kind == TMAP_GEMM_S8 && rng_step(state) % 2) cases[0].problem.out = TMAP_GEMM_OUT_S32;
    const bool rounds = fp8 && !cases[0].problem.precise;
    const int32_t fill = rng_step(state) % 3 == 0 ? TMAP_GEMM_FILL_NORMAL
                         : rounds                 ? TMAP_GEMM_FILL_SIGNS
                                                  : TMAP_GEMM_FILL_INTEGERS;
    for (size_t i = 0; i < count; i++) {
        cases[i].problem = cases[0].problem;
        cases[i].problem.m = i > 0 && rng_step(state) % 8 == 0 ? 0 : extent(state);
        cases[i].problem.n = extent(state);
        cases[i].problem.k = extent(state);
        cases[i].fill_a = cases[i].fill_b = fill;
        cases[i].seed = rng_step(state);
    }
    hold(suite, t, cases, count, &request);
}

int main(int argc, char **argv)
{
    struct tmap_gemm *suite = NULL;
    char why[160] = "";
    const int groups = argc > 1 && !strcmp(argv[1], "quick") ? 4 : 40;
    int number = 0, failed = 0;
    if (tmap_gemm_open(&(struct tmap_open){.watchdog_ms = 2000}, &suite, why, sizeof why) !=
        TMAP_OK) {
        printf("ok 1 # SKIP gemm groups: %s\n1..1\n", why);
        return 0;
    }
    for (int32_t kind = TMAP_GEMM_BF16; kind <= TMAP_GEMM_S8; kind++) {
        struct tally t = {0};
        uint64_t state = 5u + (uint64_t)kind;
        for (int i = 0; i < groups; i++) random_group(suite, &t, kind, &state);
        printf("%s %d - groups: %s: %lu groups of %lu members, %lu wrong, worst error %.3f of the "
               "bound\n",
               t.wrong ? "not ok" : "ok", ++number, kind_name[kind], t.groups, t.members, t.wrong,
               t.worst);
        fflush(stdout);
        failed |= t.wrong != 0;
    }
    printf("1..%d\n", number);
    tmap_gemm_close(suite);
    return failed;
}
