#include "device/gemm/rig.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void rig_tap(struct rig *r, bool good, const char *name)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++r->number, name);
    fflush(stdout);
    r->failed += !good;
}

bool rig_has_turns(struct rig *r, const char *name)
{
    const struct tmap_gemm_config pairs = {
        .cluster_m = 2, .cluster_n = 1, .split_k = 1, .clusters = r->gemm->gpu.sm_count / 2};
    if (gemm_has_turns(r->gemm, &pairs)) return true;
    printf("ok %d # SKIP %s: it is not known in which order this device starts clusters\n",
           ++r->number, name);
    return false;
}

static bool load_graphs(struct rig *r)
{
    static const char *const names[] = {"cuStreamBeginCapture_v2",     "cuStreamEndCapture",
                                        "cuGraphInstantiateWithFlags", "cuGraphLaunch",
                                        "cuGraphExecDestroy",          "cuGraphDestroy"};
    void *at[6];
    for (int i = 0; i < 6; i++)
        if ((at[i] = dlsym(r->api->library, names[i])) == NULL) return false;
    memcpy(&r->graph, at, sizeof at);
    return true;
}

bool rig_open(struct rig *r, int ordinal, uint32_t watchdog_ms, const char *name)
{
    const struct tmap_open how = {.ordinal = ordinal, .watchdog_ms = watchdog_ms};
    char why[200] = "";
    if (tmap_gemm_open(&how, &r->gemm, why, sizeof why) != TMAP_OK) {
        printf("ok 1 # SKIP %s: %s\n1..1\n", name, why);
        return false;
    }
    r->api = &r->gemm->gpu.api;
    if (load_graphs(r)) return true;
    printf("not ok 1 - %s: the driver has no graphs\n1..1\n", name);
    return false;
}

void rig_close(struct rig *r)
{
    tmap_gemm_close(r->gemm);
    r->gemm = NULL;
}

tmap_cu_deviceptr rig_memory(struct rig *r, size_t bytes)
{
    tmap_cu_deviceptr at = 0;
    return r->api->mem_alloc(&at, bytes) ? 0 : at;
}

tmap_cu_deviceptr rig_operand(struct rig *r, size_t elements, uint32_t seed)
{
    uint16_t *x = malloc(elements * 2);
    const tmap_cu_deviceptr at = rig_memory(r, elements * 2);
    if (!x || !at) exit(2);
    for (size_t i = 0; i < elements; i++)
        x[i] = (uint16_t[]){0xc000, 0xbf80, 0, 0x3f80}[(uint32_t)((i + seed) * 2654435761u) >> 30];
    if (r->api->memcpy_htod(at, x, elements * 2)) exit(2);
    free(x);
    return at;
}

struct tmap_gemm_problem rig_problem(int32_t out, int32_t m, int32_t n, int32_t k, uint64_t a,
                                     uint64_t b, uint64_t d)
{
    return (struct tmap_gemm_problem){.kind = TMAP_GEMM_BF16,
                                      .out = out,
                                      .m = m,
                                      .n = n,
                                      .k = k,
                                      .batch = 1,
                                      .alpha = 1,
                                      .a = {.address = a, .ld = k},
                                      .b = {.address = b, .ld = k},
                                      .d = {.address = d, .ld = n}};
}

void *rig_read(struct rig *r, tmap_cu_deviceptr at, size_t bytes)
{
    void *to = malloc(bytes);
    if (!to || r->api->ctx_synchronize() || r->api->memcpy_dtoh(to, at, bytes)) {
        free(to);
        return NULL;
    }
    return to;
}

bool rig_same(struct rig *r, tmap_cu_deviceptr at, const void *want, size_t bytes)
{
    void *got = rig_read(r, at, bytes);
    const bool same = got && want && memcmp(got, want, bytes) == 0;
    free(got);
    return same;
}

void rig_poison(struct rig *r, tmap_cu_deviceptr at, size_t bytes)
{
    r->api->memset_d8_async(at, 0xff, bytes, NULL);
    r->api->ctx_synchronize();
}

double rig_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
