/* What runs at the same time and what follows at once: plans that need a workspace on eight
 * streams, such too whose blocks add a tile's parts together and begin one by one, copies and
 * products captured into graphs and replayed beside eager launches, threads that never set a
 * context, chains whose launches overlap or are late. Every result has the bytes of the same work
 * done alone. */
#include "device/gemm/rig.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/copy/suite.h"
#include "tmap/copy.h"

enum { STREAMS = 8, ROUNDS = 40, N = 2048, M2 = 2176, K = 8192, SIDE = 2048, REPLAYS = 100 };
enum { WATCHDOG_MS = 5000 };

struct streams {
    struct rig rig;
    struct tmap_copy *copy;
    tmap_cu_stream stream[STREAMS];
    tmap_cu_deviceptr a, b, want;
    struct tmap_gemm_plan plan[STREAMS];
    size_t bytes;
    uint8_t *host, *good;
};

static bool plan_of(struct streams *r, int i)
{
    const struct tmap_gemm_config request = {.stream_k = TMAP_GEMM_STREAM_K_ANY};
    struct tmap_gemm_problem p = rig_problem(TMAP_GEMM_OUT_F32, N, M2, K, r->a, r->b, 0);
    return !r->rig.api->mem_alloc(&p.d.address, r->bytes) &&
           tmap_gemm_make_plan(r->rig.gemm, &p, &request, &r->plan[i], NULL) == TMAP_OK &&
           r->plan[i].needs_workspace;
}

static bool set_up(struct streams *r)
{
    char why[200];
    const struct tmap_open how = {.watchdog_ms = WATCHDOG_MS};
    if (!rig_open(&r->rig, 0, WATCHDOG_MS, "streams")) exit(0);
    if (tmap_copy_open(&how, &r->copy, why, sizeof why) != TMAP_OK) {
        printf("ok 1 # SKIP streams: %s\n1..1\n", why);
        exit(0);
    }
    r->a = rig_operand(&r->rig, (size_t)N * K, 0);
    r->b = rig_operand(&r->rig, (size_t)M2 * K, 0);
    r->bytes = (size_t)N * M2 * 4;
    r->host = malloc(r->bytes);
    r->good = malloc(r->bytes);
    bool good = r->host && r->good;
    for (int i = 0; i < STREAMS && good; i++)
        good =
            !r->rig.api->stream_create(&r->stream[i], TMAP_CU_STREAM_NON_BLOCKING) && plan_of(r, i);
    return good && tmap_gemm_run(&r->plan[0], r->stream[0]) == TMAP_OK &&
           !r->rig.api->ctx_synchronize() &&
           !r->rig.api->memcpy_dtoh(r->good, r->plan[0].problem.d.address, r->bytes);
}

static bool is_good(struct streams *r, int i)
{
    return !r->rig.api->memcpy_dtoh(r->host, r->plan[i].problem.d.address, r->bytes) &&
           memcmp(r->host, r->good, r->bytes) == 0;
}

static bool all_good(struct streams *r)
{
    bool good = !r->rig.api->ctx_synchronize();
    for (int i = 0; i < STREAMS; i++) good = good && is_good(r, i);
    return good;
}

static void clear(struct streams *r)
{
    for (int i = 0; i < STREAMS; i++)
        r->rig.api->memset_d8_async(r->plan[i].problem.d.address, 0xff, r->bytes, NULL);
    r->rig.api->ctx_synchronize();
}

static void eight_streams(struct streams *r, const char *name)
{
    bool good = true;
    clear(r);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < STREAMS; i++)
            good = good && tmap_gemm_run(&r->plan[i], r->stream[i]) == TMAP_OK;
    rig_tap(&r->rig, good && all_good(r), name);
}

/* Sixteen tiles, each shared by so many clusters that they add its parts together: one launch's
 * blocks take most of the GPU, so the next one's begin when those end, some long before others. */
static void shared_together(struct streams *r)
{
    enum { TILES = 16 };
    const int32_t clusters = r->rig.gemm->gpu.sm_count / TILES * TILES;
    const struct tmap_gemm_config request = {.tile_m = 128,
                                             .tile_n = 64,
                                             .cluster_m = 1,
                                             .cluster_n = 1,
                                             .split_k = 1,
                                             .clusters = clusters,
                                             .swapped = -1,
                                             .stream_k = TMAP_GEMM_STREAM_K_ANY};
    static struct streams these;
    struct gemm_params params;
    if (r->rig.gemm->family != GEMM_SM90 || clusters < TILES * GEMM_TOGETHER) {
        printf(
            "ok %d # SKIP tiles whose sharers add their parts together: a Hopper GPU of 80 SMs\n",
            ++r->rig.number);
        return;
    }
    these = *r;
    these.bytes = (size_t)256 * 512 * 4;
    bool good = true;
    for (int i = 0; i < STREAMS && good; i++) {
        struct tmap_gemm_problem p =
            rig_problem(TMAP_GEMM_OUT_F32, 256, 512, K, r->a, r->b, r->plan[i].problem.d.address);
        good = tmap_gemm_make_plan(r->rig.gemm, &p, &request, &these.plan[i], NULL) == TMAP_OK;
    }
    memcpy(&params, these.plan[0].params, sizeof params);
    good = good && params.together > 0 &&
           tmap_gemm_run(&these.plan[0], these.stream[0]) == TMAP_OK &&
           !r->rig.api->ctx_synchronize() &&
           !r->rig.api->memcpy_dtoh(r->good, these.plan[0].problem.d.address, these.bytes);
    if (good)
        eight_streams(&these, "tiles whose sharers add their parts together, on eight streams");
    else
        rig_tap(&these.rig, false, "no plan whose sharers add their parts together");
    r->rig = these.rig;
}

struct worker {
    struct streams *r;
    int i;
    bool good;
};

/* No context is ever set here. */
static void *work(void *of)
{
    struct worker *w = of;
    tmap_cu_context after = NULL;
    w->good = true;
    for (int round = 0; round < ROUNDS; round++)
        w->good = w->good && tmap_gemm_run(&w->r->plan[w->i], w->r->stream[w->i]) == TMAP_OK;
    w->r->rig.api->ctx_get_current(&after);
    w->good = w->good && after == NULL;
    return NULL;
}

static void eight_threads(struct streams *r)
{
    pthread_t thread[STREAMS];
    struct worker w[STREAMS];
    bool good = true;
    clear(r);
    for (int i = 0; i < STREAMS; i++) {
        w[i] = (struct worker){r, i, false};
        if (pthread_create(&thread[i], NULL, work, &w[i])) exit(1);
    }
    for (int i = 0; i < STREAMS; i++) {
        pthread_join(thread[i], NULL);
        good = good && w[i].good;
    }
    rig_tap(&r->rig, good && all_good(r),
            "eight threads without a context of their own, which they keep");
}

/* Products and copies captured on stream 0, a graph replayed beside eager launches of the same
 * plans on other streams; instantiated again; and another capture of the same. */
static bool replay(struct streams *r, struct tmap_copy_plan *copy, struct tmap_copy_plan *beside)
{
    void *graph = NULL, *exec = NULL;
    bool good = r->rig.graph.begin(r->stream[0], 0) == 0;
    good = good && tmap_copy_run(copy, r->stream[0]) == TMAP_OK &&
           tmap_gemm_run(&r->plan[0], r->stream[0]) == TMAP_OK &&
           tmap_copy_run(copy, r->stream[0]) == TMAP_OK;
    good = r->rig.graph.end(r->stream[0], &graph) == 0 && good;
    for (int again = 0; again < 2 && good; again++) {
        good = r->rig.graph.instantiate(&exec, graph, 0) == 0;
        for (int i = 0; i < REPLAYS && good; i++) {
            good = r->rig.graph.launch(exec, r->stream[0]) == 0;
            for (int j = 0; j < 60 && good; j++)
                good = tmap_copy_run(beside, r->stream[1]) == TMAP_OK;
            good = good && tmap_gemm_run(&r->plan[2], r->stream[2]) == TMAP_OK;
        }
        good = good && !r->rig.api->ctx_synchronize();
        if (exec) r->rig.graph.destroy_exec(exec);
    }
    if (graph) r->rig.graph.destroy(graph);
    return good;
}

static bool plan_copy(struct streams *r, struct tmap_copy_plan *plan, uint64_t src, uint64_t *dst)
{
    const struct tmap_copy_problem p = {.kind = TMAP_COPY_TILE,
                                        .dtype = TMAP_BFLOAT16,
                                        .rank = 2,
                                        .dim = {SIDE, SIDE},
                                        .src = src,
                                        .dst = *dst};
    return tmap_copy_make_plan(r->copy, &p, NULL, plan, NULL) == TMAP_OK;
}

static bool copied(struct streams *r, uint64_t src, uint64_t dst)
{
    const size_t bytes = (size_t)SIDE * SIDE * 2;
    return !r->rig.api->memcpy_dtoh(r->host, dst, bytes) &&
           !r->rig.api->memcpy_dtoh(r->good + 0, src, bytes) &&
           memcmp(r->host, r->good, bytes) == 0;
}

static void graphs(struct streams *r)
{
    struct tmap_copy_plan copy, beside;
    tmap_cu_deviceptr one = 0, two = 0;
    const size_t bytes = (size_t)SIDE * SIDE * 2;
    clear(r);
    bool good = !r->rig.api->mem_alloc(&one, bytes) && !r->rig.api->mem_alloc(&two, bytes) &&
                plan_copy(r, &copy, r->a, &one) && plan_copy(r, &beside, r->b, &two);
    for (int capture = 0; capture < 2 && good; capture++) {
        r->rig.api->memset_d8_async(one, 0xff, bytes, NULL);
        r->rig.api->memset_d8_async(two, 0xff, bytes, NULL);
        r->rig.api->ctx_synchronize();
        good = replay(r, &copy, &beside) && is_good(r, 0) && is_good(r, 2);
    }
    uint8_t *whole = malloc(r->bytes);
    if (whole) memcpy(whole, r->good, r->bytes);
    good = good && whole && copied(r, r->a, one) && copied(r, r->b, two);
    if (whole) memcpy(r->good, whole, r->bytes);
    free(whole);
    rig_tap(&r->rig, good,
            "graphs of copies and products beside eager launches, captured and instantiated twice");
}

/* D2 = (A B) C where each launch begins before its predecessor has ended, or all are late, against
 * waiting ones. */
static void chain(struct streams *r, const struct tmap_gemm_config *way)
{
    const struct tmap_gemm_config waits = {.overlap = -1};
    struct tmap_gemm_problem p = rig_problem(TMAP_GEMM_OUT_BF16, N, N, N, r->a, r->b, 0);
    struct tmap_gemm_plan link[2][2];
    tmap_cu_deviceptr d1 = 0, d2 = 0;
    const size_t bytes = (size_t)N * N * 2;
    bool good = !r->rig.api->mem_alloc(&d1, bytes) && !r->rig.api->mem_alloc(&d2, bytes);
    for (int overlap = 0; overlap < 2 && good; overlap++) {
        const struct tmap_gemm_config *request = overlap ? way : &waits;
        p.alpha = 1 / 64.0f, p.a.address = r->a, p.d.address = d1;
        good = tmap_gemm_make_plan(r->rig.gemm, &p, request, &link[overlap][0], NULL) == TMAP_OK;
        p.a.address = d1, p.d.address = d2;
        good = good &&
               tmap_gemm_make_plan(r->rig.gemm, &p, request, &link[overlap][1], NULL) == TMAP_OK;
    }
    for (int i = 0; i < 2 && good; i++) good = tmap_gemm_run(&link[0][i], r->stream[0]) == TMAP_OK;
    good = good && !r->rig.api->ctx_synchronize() && !r->rig.api->memcpy_dtoh(r->good, d2, bytes);
    for (int round = 0; round < 300 && good; round++) {
        r->rig.api->memset_d8_async(d1, 0xff, bytes, r->stream[0]);
        for (int i = 0; i < 2 && good; i++)
            good = tmap_gemm_run(&link[1][i], r->stream[0]) == TMAP_OK;
        if (round % 30) continue;
        good = good && !r->rig.api->ctx_synchronize() &&
               !r->rig.api->memcpy_dtoh(r->host, d2, bytes) && memcmp(r->host, r->good, bytes) == 0;
    }
    rig_tap(&r->rig, good,
            way->overlap == 1 ? "a chain of overlapping launches gives what waiting ones do"
                              : "a chain of late launches gives what waiting ones do");
}

/* How long the driver takes over a fatbin: streams FILE... */
static void time_images(struct streams *r, int count, char **paths)
{
    for (int i = 0; i < count; i++) {
        tmap_cu_module module;
        FILE *f = fopen(paths[i], "rb");
        uint8_t *image = calloc(1, 32 << 20);
        const size_t bytes = f && image ? fread(image, 1, 32 << 20, f) : 0;
        const double from = 1e3 * rig_seconds();
        const int code = bytes ? r->rig.api->module_load_data(&module, image) : -1;
        printf("# %s: %zu bytes, %.2f ms, %d\n", paths[i], bytes, 1e3 * rig_seconds() - from, code);
        if (code == 0) r->rig.api->module_unload(module);
        if (f) fclose(f);
        free(image);
    }
}

int main(int argc, char **argv)
{
    static const struct tmap_gemm_config overlapping = {.overlap = 1}, late = {.cluster_m = 1,
                                                                               .cluster_n = 2,
                                                                               .split_k = 1,
                                                                               .stream_k = -1,
                                                                               .overlap = 2};
    static struct streams r;
    const double from = 1e3 * rig_seconds();
    if (!set_up(&r)) {
        printf("not ok 1 - set up\n1..1\n");
        return 1;
    }
    printf("# opened, planned and filled in %.1f ms\n", 1e3 * rig_seconds() - from);
    time_images(&r, argc - 1, argv + 1);
    eight_streams(&r, "plans that need a workspace on eight streams at once");
    eight_threads(&r);
    graphs(&r);
    chain(&r, &overlapping);
    if (rig_has_turns(&r.rig, "a chain of late launches")) chain(&r, &late);
    shared_together(&r);
    tmap_cu_context kept = NULL;
    tmap_copy_close(r.copy);
    struct tmap_libcuda api = *r.rig.api;
    api.ctx_get_current(&kept);
    rig_tap(&r.rig, kept != NULL, "closing one suite leaves the thread its context");
    printf("1..%d\n", r.rig.number);
    return r.rig.failed != 0;
}
