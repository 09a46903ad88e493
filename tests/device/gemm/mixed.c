/* Products of weights in 4 or 8 bits on this GPU: drawn shapes on all tails against sums by the
 * definition, larger ones by a sample; and the faults that can be planted in them, each in a
 * process of its own. Prints TAP; skips where there is no GPU.
 *
 *   mixed [SHAPES [SEED]]     so many (500)
 *   mixed fault ID            exit code 1: it was found */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gemm/rig.h"
#include "driver/rng.h"
#include "support/fault_process.h"
#include "support/mixed_fault.h"

extern const char image_tests_device_gemm_mixed_faults[];

enum { SAMPLE = 2000, RERUN_EVERY = 8 };

/* Whether it runs, leaves the right D, and leaves it again. */
static bool runs_right(struct rig *r, struct mixed_case *c, struct tmap_gemm_plan *plan, int runs,
                       uint64_t *wrong, int32_t first[2])
{
    *wrong = 0;
    for (int i = 0; i < runs && *wrong == 0; i++) {
        if (!mixed_case_poison(r->gemm, c) || tmap_gemm_run(plan, NULL) != TMAP_OK ||
            r->api->ctx_synchronize())
            return false;
        *wrong = mixed_case_wrong(r->gemm, c, SAMPLE, first);
    }
    return *wrong == 0;
}

static bool one(struct rig *r, uint64_t seed, uint64_t *state, bool *fatal)
{
    const struct tmap_mixed_problem shape = mixed_case_draw(state, 2e9);
    const struct tmap_gemm_config request = {
        .tile_n = rng_step(state) % 4 ? 0 : 8 << rng_step(state) % 4,
        .stages = rng_step(state) % 3 ? 0 : 1 + (int32_t)(rng_step(state) % 3),
        .clusters = rng_step(state) % 2 ? 0 : 1 + (int32_t)(rng_step(state) % 200),
        .overlap = (int32_t)(rng_step(state) % 3) - 1};
    struct tmap_gemm_refusal why = {0};
    struct tmap_gemm_plan plan = {0};
    struct mixed_case c;
    int32_t first[2] = {0};
    uint64_t wrong = 0;
    const bool made = mixed_case_make(r->gemm, &shape, (enum mixed_fill)(seed % 2), seed, &c);
    if (rng_step(state) % 2) c.problem.next = &c.problem; /* as if it came again */
    const bool planned =
        made && tmap_mixed_make_plan(r->gemm, &c.problem, &request, &plan, &why) == TMAP_OK;
    const bool right =
        planned && runs_right(r, &c, &plan, seed % RERUN_EVERY ? 1 : 4, &wrong, first);
    if (!right)
        printf("# kind %d weight %d out %d m %d n %d k %d group %d scales %d zeros %d, tile %d "
               "stages %d clusters %d: planned %d (%s), %llu wrong, first %d %d\n",
               shape.kind, shape.weight, shape.out, shape.m, shape.n, shape.k, shape.group,
               shape.scales != 0, shape.zeros != 0, plan.config.tile_n, plan.config.stages,
               plan.config.clusters, planned, why.text, (unsigned long long)wrong, first[0],
               first[1]);
    *fatal = planned && !right && wrong == 0;
    if (!*fatal) mixed_case_free(r->gemm, &c);
    return right;
}

static void shapes(struct rig *r, int count, uint64_t seed)
{
    char text[160];
    uint64_t state = seed;
    int wrong = 0, done = 0;
    bool fatal = false;
    for (; done < count && !fatal; done++) wrong += !one(r, seed + (uint64_t)done, &state, &fatal);
    snprintf(text, sizeof text, "products of few bits, seed %llu: %d shapes of %d, %d wrong",
             (unsigned long long)seed, done, count, wrong);
    rig_tap(r, wrong == 0 && done == count, text);
}

/* Whether the faulty kernel leaves a wrong D, or ends in an error. */
static int one_fault(struct rig *r, uint32_t id)
{
    int32_t weight = TMAP_MIXED_U4, first[2];
    for (size_t i = 0; i < sizeof mixed_faults / sizeof *mixed_faults; i++)
        if (mixed_faults[i].id == id) weight = mixed_faults[i].weight;
    const struct tmap_mixed_problem shape = mixed_fault_shape(weight);
    const struct tmap_gemm_config request = mixed_fault_request();
    struct tmap_gemm_plan plan;
    struct mixed_case c;
    tmap_cu_module module;
    tmap_cu_function faulty;
    uint64_t wrong;
    if (!mixed_case_make(r->gemm, &shape, MIXED_INTEGERS, 7, &c) ||
        tmap_mixed_make_plan(r->gemm, &c.problem, &request, &plan, NULL) != TMAP_OK ||
        r->api->module_load_data(&module, image_tests_device_gemm_mixed_faults) ||
        suite_kernel(r->api, module,
                     weight == TMAP_MIXED_U4 ? "mixed_faulty_u4_16" : "mixed_faulty_s8_16",
                     r->gemm->smem_optin_bytes, &faulty) != TMAP_OK ||
        !mixed_fault_plant(&r->gemm->checker, id, &plan))
        return 2;
    plan.function = faulty;
    return !runs_right(r, &c, &plan, 1, &wrong, first);
}

static void faults(struct rig *r, const char *self)
{
    char text[200];
    rig_tap(r, fault_process(self, 0) == FAULT_NOT_FOUND, "the control is right");
    for (size_t i = 0; i < sizeof mixed_faults / sizeof *mixed_faults; i++) {
        snprintf(text, sizeof text, "found: %s", mixed_faults[i].name);
        rig_tap(r, fault_process(self, mixed_faults[i].id) == FAULT_FOUND, text);
    }
}

int main(int argc, char **argv)
{
    struct rig r = {0};
    const bool fault = argc > 2 && strcmp(argv[1], "fault") == 0;
    const int count = argc > 1 ? atoi(argv[1]) : 500;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261122;
    if (!rig_open(&r, 0, 2000, "products of few bits")) return 0;
    if (fault) return one_fault(&r, (uint32_t)seed);
    shapes(&r, count, seed);
    faults(&r, argv[0]);
    printf("1..%d\n", r.number);
    rig_close(&r);
    return r.failed != 0;
}
