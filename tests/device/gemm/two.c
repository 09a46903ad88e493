/* two.c : two GPUs from one program that never switches contexts: a suite each, threads that run
 * plans of both in turn, a graph on each. Every result has the bytes of the first run. Prints TAP;
 * skips where there are fewer than two GPUs. */
#include "device/gemm/rig.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS = 2, THREADS = 8, ROUNDS = 60, M = 2048, N = 2176, K = 4096 };

struct lane {
    struct tmap_gemm_plan plan;
    tmap_cu_stream stream;
    tmap_cu_deviceptr d;
};

struct gpu {
    struct rig rig;
    struct lane lane[THREADS];
    void *want;
    size_t bytes;
};

static tmap_cu_context enter(struct gpu *g)
{
    tmap_cu_context before = NULL;
    g->rig.api->ctx_get_current(&before);
    g->rig.api->ctx_set_current(g->rig.gemm->gpu.context);
    return before;
}

static void leave(struct gpu *g, tmap_cu_context before)
{
    g->rig.api->ctx_set_current(before);
}

/* Operands and plans; half of the plans need a workspace. */
static bool prepare(struct gpu *g)
{
    const struct tmap_gemm_config request = {.stream_k = TMAP_GEMM_STREAM_K_ANY};
    struct rig *r = &g->rig;
    const tmap_cu_context before = enter(g);
    const uint64_t a = rig_operand(r, (size_t)M * K, 1), b = rig_operand(r, (size_t)N * K, 5);
    bool good = true;
    g->bytes = (size_t)M * N * 4;
    for (int i = 0; i < THREADS && good; i++) {
        struct lane *l = &g->lane[i];
        l->d = rig_memory(r, g->bytes);
        const struct tmap_gemm_problem p = rig_problem(TMAP_GEMM_OUT_F32, M, N, K, a, b, l->d);
        good = l->d && !r->api->stream_create(&l->stream, TMAP_CU_STREAM_NON_BLOCKING);
        good = good &&
               tmap_gemm_make_plan(r->gemm, &p, i % 2 ? &request : NULL, &l->plan, NULL) == TMAP_OK;
    }
    good = good && tmap_gemm_run(&g->lane[0].plan, g->lane[0].stream) == TMAP_OK;
    g->want = good ? rig_read(r, g->lane[0].d, g->bytes) : NULL;
    leave(g, before);
    return good && g->want;
}

static void poison(struct gpu *g)
{
    const tmap_cu_context before = enter(g);
    for (int i = 0; i < THREADS; i++) rig_poison(&g->rig, g->lane[i].d, g->bytes);
    leave(g, before);
}

static bool all_good(struct gpu *g)
{
    const tmap_cu_context before = enter(g);
    bool good = true;
    for (int i = 0; i < THREADS; i++)
        good = rig_same(&g->rig, g->lane[i].d, g->want, g->bytes) && good;
    leave(g, before);
    return good;
}

struct worker {
    struct gpu *gpu;
    int i;
    bool good;
};

/* Both devices in turn, with no context of the thread's own. */
static void *work(void *of)
{
    struct worker *w = of;
    tmap_cu_context after = NULL;
    w->good = true;
    for (int round = 0; round < ROUNDS && w->good; round++)
        for (int g = 0; g < GPUS && w->good; g++)
            w->good =
                tmap_gemm_run(&w->gpu[g].lane[w->i].plan, w->gpu[g].lane[w->i].stream) == TMAP_OK;
    w->gpu->rig.api->ctx_get_current(&after);
    w->good = w->good && after == NULL;
    return NULL;
}

static void threads(struct gpu *gpu)
{
    pthread_t thread[THREADS];
    struct worker w[THREADS];
    bool good = true;
    for (int g = 0; g < GPUS; g++) poison(&gpu[g]);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct worker){gpu, i, false};
        if (pthread_create(&thread[i], NULL, work, &w[i])) exit(2);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        good = good && w[i].good;
    }
    for (int g = 0; g < GPUS; g++) good = all_good(&gpu[g]) && good;
    rig_tap(&gpu->rig, good, "eight threads run plans of both devices in turn");
}

/* A graph on each device, replayed in turn. */
static void graphs(struct gpu *gpu)
{
    void *graph[GPUS] = {NULL}, *exec[GPUS] = {NULL};
    bool good = true;
    for (int g = 0; g < GPUS; g++) {
        const struct rig *r = &gpu[g].rig;
        poison(&gpu[g]);
        const tmap_cu_context before = enter(&gpu[g]);
        void *stream = gpu[g].lane[0].stream;
        good = good && !r->graph.begin(stream, 0);
        for (int i = 0; i < THREADS; i++)
            good = good && tmap_gemm_run(&gpu[g].lane[i].plan, stream) == TMAP_OK;
        good = !r->graph.end(stream, &graph[g]) && good;
        good = good && !r->graph.instantiate(&exec[g], graph[g], 0);
        leave(&gpu[g], before);
    }
    for (int i = 0; i < ROUNDS && good; i++)
        for (int g = 0; g < GPUS && good; g++) {
            const tmap_cu_context before = enter(&gpu[g]);
            good = !gpu[g].rig.graph.launch(exec[g], gpu[g].lane[0].stream);
            leave(&gpu[g], before);
        }
    for (int g = 0; g < GPUS; g++) good = good && all_good(&gpu[g]);
    rig_tap(&gpu->rig, good, "a graph on each device, replayed in turn");
}

int main(void)
{
    static struct gpu gpu[GPUS];
    tmap_cu_context first = NULL, now = NULL;
    if (!rig_open(&gpu[0].rig, 0, 0, "two GPUs")) return 0;
    if (gpu[0].rig.gemm->gpu.count < GPUS) {
        printf("ok 1 # SKIP two GPUs: this machine has %d\n1..1\n", gpu[0].rig.gemm->gpu.count);
        return 0;
    }
    if (!rig_open(&gpu[1].rig, 1, 0, "two GPUs")) return 0;
    struct rig *r = &gpu[0].rig;
    r->api->ctx_get_current(&first);
    const bool ready = prepare(&gpu[0]) && prepare(&gpu[1]);
    rig_tap(r, ready, "a suite and plans on each of two devices");
    if (ready) {
        rig_tap(r, memcmp(gpu[0].want, gpu[1].want, gpu[0].bytes) == 0,
                "both devices give the same bytes");
        threads(gpu);
        graphs(gpu);
    }
    rig_close(&gpu[1].rig);
    r->api->ctx_get_current(&now);
    rig_tap(r, first && now == first, "opening and closing the second leaves the first current");
    if (ready) {
        poison(&gpu[0]);
        bool good = true;
        for (int i = 0; i < THREADS; i++)
            good = tmap_gemm_run(&gpu[0].lane[i].plan, gpu[0].lane[i].stream) == TMAP_OK && good;
        rig_tap(r, good && all_good(&gpu[0]), "the first still works when the second is closed");
    }
    printf("1..%d\n", r->number);
    rig_close(r);
    return r->failed != 0;
}
