/* Routed groups on this GPU (tests/support/routed.h): drawn forms, kinds, layouts and shapes, with
 * the tokens that a router leaves, each group planned once and run with two draws of them, against
 * plain sums; and the faults that can be planted in them, each in a process of its own. Prints TAP;
 * skips where there is no GPU.
 *
 *   routed [GROUPS [SEED]]     so many (500)
 *   routed fault ID            exit code 1: it was found; id 0 is the controls' */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gemm/rig.h"
#include "driver/rng.h"
#include "support/fault_process.h"
#include "support/routed.h"

extern const char image_tests_device_gemm_group_faults[];

/* Wrong elements of one draw; -1: it did not run. */
static long one(struct rig *g, const struct routed_way *way, uint64_t *state)
{
    static const struct routed_size size = {ROUTED_MEMBERS, 900, 290};
    struct routed_draw draw;
    struct routed r;
    char text[400];
    routed_draw(way, &size, state, &draw);
    if (!routed_make(g->gemm, &draw, state, &r)) return -1;
    const enum tmap_status status = routed_plan(&r);
    long wrong = status == TMAP_OK ? routed_wrong(&r) : -1;
    if (wrong == 0 && routed_again(&r, state)) wrong = routed_wrong(&r);
    routed_words(&r.draw, text, sizeof text);
    if (wrong != 0)
        printf("# %s: %ld wrong, status %d %s, tile %dx%d pair %d swapped %d: %s\n", way->name,
               wrong, status, r.refusal.text, r.group.config.tile_m, r.group.config.tile_n,
               r.group.config.cluster_m, r.group.config.swapped, text);
    routed_free(&r);
    return wrong;
}

static void groups(struct rig *g, int count, uint64_t seed)
{
    char text[200];
    bool lost = false;
    for (size_t w = 0; w < routed_way_count; w++) {
        const int mine = (count + (int)(routed_way_count - 1 - w)) / (int)routed_way_count;
        uint64_t state = seed + w;
        int wrong = 0, broken = 0;
        for (int i = 0; i < mine && !lost; i++) {
            const long found = one(g, &routed_ways[w], &state);
            wrong += found > 0, broken += found < 0;
            lost = found < 0 && tmap_gemm_last_report(g->gemm).what != 0;
        }
        snprintf(text, sizeof text, "routed: %s, seed %llu: %d groups, %d wrong, %d not run%s",
                 routed_ways[w].name, (unsigned long long)seed, mine, wrong, broken,
                 lost ? "; the context is lost" : "");
        rig_tap(g, wrong == 0 && broken == 0 && !lost, text);
        fflush(stdout);
    }
}

/* 0: the result is right with the fault, 1: it is wrong, 2: it could not be run. */
static int one_fault(struct rig *g, const struct routed_fault *fault, uint32_t id, uint64_t seed)
{
    struct routed_draw draw;
    struct routed r;
    tmap_cu_module module;
    tmap_cu_function make, multiply;
    uint64_t state = seed;
    routed_draw_fault(fault, &state, &draw);
    if (!routed_make(g->gemm, &draw, &state, &r) || routed_plan(&r) != TMAP_OK ||
        g->api->module_load_data(&module, image_tests_device_gemm_group_faults) ||
        g->api->module_get_function(&make, module, "make_routed_faulty") ||
        suite_kernel(g->api, module, routed_fault_kernel(fault), g->gemm->smem_optin_bytes,
                     &multiply) != TMAP_OK)
        return 2;
    routed_plant(&r, id, make, multiply);
    const long wrong = routed_wrong(&r);
    if (wrong >= 0) routed_free(&r);
    return wrong != 0;
}

static int fault_of(struct rig *g, uint32_t id)
{
    int worst = 0;
    for (size_t i = 0; i < routed_fault_count && worst == 0; i++)
        for (uint64_t seed = 0; seed < 6 && worst == 0; seed++)
            if (id == 0 || routed_faults[i].id == id)
                worst = one_fault(g, &routed_faults[i], id, seed);
    return worst;
}

static void faults(struct rig *g, const char *self)
{
    char text[200];
    rig_tap(g, fault_process(self, 0) == FAULT_NOT_FOUND, "routed: the controls are right");
    for (size_t i = 0; i < routed_fault_count; i++) {
        const bool shown = fault_process(self, routed_faults[i].id) == FAULT_FOUND,
                   blind = routed_faults[i].blind;
        snprintf(text, sizeof text, "routed: found: %s%s", routed_faults[i].name,
                 shown || !blind ? "" : " # SKIP it need not show on a chip");
        rig_tap(g, shown || blind, text);
    }
}

int main(int argc, char **argv)
{
    struct rig g = {0};
    const bool fault = argc > 2 && strcmp(argv[1], "fault") == 0;
    const int count = argc > 1 ? atoi(argv[1]) : 500;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261122;
    if (!rig_open(&g, 0, 2000, "routed groups")) return 0;
    if (fault) return fault_of(&g, (uint32_t)seed);
    groups(&g, count, seed);
    faults(&g, argv[0]);
    printf("1..%d\n", g.number);
    rig_close(&g);
    return g.failed != 0;
}
