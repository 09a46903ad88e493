/* graphs.c : groups of products in CUDA graphs, batches that share an operand by a stride of 0, and
 * a chain of dependent products beside a copy that takes the memory and a second stream. Every
 * result has the bytes of the same work done alone. Prints TAP; skips where there is no GPU.
 *
 *   graphs [RERUNS]     of the chain, 200 a way of storing
 */
#include "device/gemm/rig.h"
#include "tmap/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 9, N = 1024, K = 512, REPLAYS = 100, BATCH = 4, CHAIN = 4096, CHAIN_K = 512 };

/* --- groups ------------------------------------------------------------------------------------
 */

struct grouped {
    struct tmap_gemm_group group;
    tmap_cu_deviceptr d, memory;
    size_t bytes;
};

static bool make_group(struct rig *r, struct grouped *g, uint64_t a, uint64_t b)
{
    struct tmap_gemm_member members[MEMBERS];
    const struct tmap_gemm_problem like = {
        .kind = TMAP_GEMM_BF16, .out = TMAP_GEMM_OUT_F32, .batch = 1, .alpha = 1};
    g->bytes = (size_t)MEMBERS * N * N * 4;
    g->d = rig_memory(r, g->bytes);
    g->memory = rig_memory(r, tmap_gemm_group_bytes(MEMBERS));
    for (int i = 0; i < MEMBERS; i++)
        members[i] = (struct tmap_gemm_member){.m = i == 4 ? 0 : N - 37 * i,
                                               .n = N,
                                               .k = K,
                                               .a = a + (uint64_t)i * 128 * K * 2,
                                               .b = b,
                                               .d = g->d + (uint64_t)i * N * N * 4,
                                               .lda = K,
                                               .ldb = K,
                                               .ldd = N};
    struct tmap_gemm_refusal refusal;
    if (!g->d || !g->memory) return false;
    const enum tmap_status s = tmap_gemm_make_group(r->gemm, &like, members, MEMBERS, g->memory,
                                                    NULL, &g->group, &refusal);
    if (s != TMAP_OK) printf("# group: status %d, %s\n", s, refusal.text);
    return s == TMAP_OK;
}

/* Captured, instantiated twice in turn, and replayed beside another group that runs eagerly. */
static bool replay_groups(struct rig *r, struct grouped *one, struct grouped *other)
{
    tmap_cu_stream stream = NULL, beside = NULL;
    void *graph = NULL, *exec = NULL;
    bool good = !r->api->stream_create(&stream, TMAP_CU_STREAM_NON_BLOCKING) &&
                !r->api->stream_create(&beside, TMAP_CU_STREAM_NON_BLOCKING);
    good = good && !r->graph.begin(stream, 0) &&
           tmap_gemm_group_run(&one->group, stream) == TMAP_OK &&
           tmap_gemm_group_run(&one->group, stream) == TMAP_OK;
    good = !r->graph.end(stream, &graph) && good;
    for (int again = 0; again < 2 && good; again++) {
        good = !r->graph.instantiate(&exec, graph, 0);
        for (int i = 0; i < REPLAYS && good; i++)
            good = !r->graph.launch(exec, stream) &&
                   tmap_gemm_group_run(&other->group, beside) == TMAP_OK;
        good = good && !r->api->ctx_synchronize();
        if (exec) r->graph.destroy_exec(exec);
    }
    if (graph) r->graph.destroy(graph);
    r->api->stream_destroy(stream);
    r->api->stream_destroy(beside);
    return good;
}

static void groups(struct rig *r, uint64_t a, uint64_t b)
{
    struct grouped one, other;
    bool good = make_group(r, &one, a, b) && make_group(r, &other, a, b);
    if (good) {
        rig_poison(r, one.d, one.bytes);
        rig_poison(r, other.d, other.bytes);
        good = tmap_gemm_group_run(&one.group, NULL) == TMAP_OK;
        void *want = good ? rig_read(r, one.d, one.bytes) : NULL;
        rig_poison(r, one.d, one.bytes);
        good = good && replay_groups(r, &one, &other) && rig_same(r, one.d, want, one.bytes) &&
               rig_same(r, other.d, want, other.bytes);
        free(want);
    }
    rig_tap(r, good, "groups in graphs, instantiated twice, beside a group that runs eagerly");
}

/* --- batches -----------------------------------------------------------------------------------
 */

/* One of the operands is the same for the whole batch: its stride is 0. */
static void shared_operand(struct rig *r, uint64_t a, uint64_t b, bool of_a)
{
    const size_t bytes = (size_t)N * N * 4;
    const tmap_cu_deviceptr d = rig_memory(r, bytes * BATCH), one = rig_memory(r, bytes);
    struct tmap_gemm_problem p = rig_problem(TMAP_GEMM_OUT_F32, N, N, K, a, b, d);
    struct tmap_gemm_plan plan;
    p.batch = BATCH;
    p.a.batch_stride = of_a ? 0 : 128 * K;
    p.b.batch_stride = of_a ? 128 * K : 0;
    p.d.batch_stride = (int64_t)N * N;
    bool good = d && one && tmap_gemm_make_plan(r->gemm, &p, NULL, &plan, NULL) == TMAP_OK;
    if (good) rig_poison(r, d, bytes * BATCH);
    good = good && tmap_gemm_run(&plan, NULL) == TMAP_OK;
    for (int i = 0; i < BATCH && good; i++) {
        const uint64_t step = (uint64_t)i * 128 * K * 2;
        const struct tmap_gemm_problem q =
            rig_problem(TMAP_GEMM_OUT_F32, N, N, K, of_a ? a : a + step, of_a ? b + step : b, one);
        rig_poison(r, one, bytes);
        good = tmap_gemm_make_plan(r->gemm, &q, NULL, &plan, NULL) == TMAP_OK &&
               tmap_gemm_run(&plan, NULL) == TMAP_OK;
        void *want = good ? rig_read(r, one, bytes) : NULL;
        good = good && rig_same(r, d + (uint64_t)i * bytes, want, bytes);
        free(want);
    }
    rig_tap(r, good, of_a ? "a batch that shares A, by a stride of 0" : "a batch that shares B");
}

/* --- the chain ---------------------------------------------------------------------------------
 */

struct chain {
    struct tmap_gemm_plan link[2], aside;
    struct tmap_copy_plan hog;
    tmap_cu_deviceptr d1, d2;
    size_t bytes;
};

/* D1 = A B, D2 = D1 C, and what runs beside them. */
static bool plan_chain(struct rig *r, struct tmap_copy *copy, struct chain *c, uint64_t a,
                       uint64_t b, const struct tmap_gemm_config *request)
{
    const uint64_t far = (uint64_t)1 << 30;
    const struct tmap_copy_problem moved = {.kind = TMAP_COPY_BULK,
                                            .dtype = TMAP_UINT8,
                                            .rank = 1,
                                            .dim = {far},
                                            .src = rig_memory(r, far),
                                            .dst = rig_memory(r, far)};
    struct tmap_gemm_problem p =
        rig_problem(TMAP_GEMM_OUT_BF16, CHAIN, CHAIN, CHAIN_K, a, b, c->d1);
    p.alpha = 1 / 64.0f;
    if (!moved.src || !moved.dst ||
        tmap_copy_make_plan(copy, &moved, NULL, &c->hog, NULL) != TMAP_OK ||
        tmap_gemm_make_plan(r->gemm, &p, request, &c->link[0], NULL) != TMAP_OK)
        return false;
    p = rig_problem(TMAP_GEMM_OUT_BF16, CHAIN, CHAIN, CHAIN, c->d1, b, c->d2);
    p.alpha = 1 / 64.0f;
    if (tmap_gemm_make_plan(r->gemm, &p, request, &c->link[1], NULL) != TMAP_OK) return false;
    p = rig_problem(TMAP_GEMM_OUT_F32, N, N, K, a, b, rig_memory(r, (size_t)N * N * 4));
    return tmap_gemm_make_plan(r->gemm, &p, NULL, &c->aside, NULL) == TMAP_OK;
}

static bool run_chain(struct rig *r, struct chain *c, tmap_cu_stream stream)
{
    r->api->memset_d8_async(c->d1, 0xff, c->bytes, stream);
    return tmap_gemm_run(&c->link[0], stream) == TMAP_OK &&
           tmap_gemm_run(&c->link[1], stream) == TMAP_OK;
}

static void chain(struct rig *r, struct tmap_copy *copy, uint64_t a, uint64_t b,
                  const struct tmap_gemm_config *request, int reruns)
{
    struct chain c = {.bytes = (size_t)CHAIN * CHAIN * 2};
    tmap_cu_stream stream[3] = {NULL, NULL, NULL};
    char name[120];
    c.d1 = rig_memory(r, c.bytes), c.d2 = rig_memory(r, c.bytes);
    bool good = c.d1 && c.d2 && plan_chain(r, copy, &c, a, b, request);
    for (int i = 0; i < 3 && good; i++)
        good = !r->api->stream_create(&stream[i], TMAP_CU_STREAM_NON_BLOCKING);
    good = good && run_chain(r, &c, NULL);
    void *want = good ? rig_read(r, c.d2, c.bytes) : NULL;
    for (int i = 0; i < reruns && good; i++) {
        good = tmap_copy_run(&c.hog, stream[1]) == TMAP_OK &&
               tmap_gemm_run(&c.aside, stream[2]) == TMAP_OK && run_chain(r, &c, stream[0]);
        if (i % 20 == 19 || i + 1 == reruns) good = good && rig_same(r, c.d2, want, c.bytes);
    }
    free(want);
    for (int i = 0; i < 3; i++)
        if (stream[i]) r->api->stream_destroy(stream[i]);
    snprintf(name, sizeof name,
             "a chain beside a copy and a stream, %d reruns: direct %d, store "
             "warp %d, overlap %d, cluster %d",
             reruns, request->direct, request->store_warp, request->overlap, request->cluster_m);
    rig_tap(r, good, name);
    r->api->mem_free(c.d1), r->api->mem_free(c.d2);
    r->api->mem_free(c.hog.problem.src), r->api->mem_free(c.hog.problem.dst);
    r->api->mem_free(c.aside.problem.d.address);
}

int main(int argc, char **argv)
{
    static const struct tmap_gemm_config ways[] = {
        {.overlap = 1},
        {.overlap = -1},
        {.cluster_m = 2, .split_k = 1, .stream_k = -1, .overlap = 2},
        {.direct = 1},
        {.direct = -1, .store_warp = 1, .cluster_m = 2},
        {.direct = -1, .store_warp = -1, .cluster_m = 2},
        {.direct = -1, .store_warp = 1, .overlap = -1},
    };
    struct rig r = {0};
    struct tmap_copy *copy = NULL;
    char why[100];
    const int reruns = argc > 1 ? atoi(argv[1]) : 200;
    if (!rig_open(&r, 0, 5000, "gemm graphs")) return 0;
    if (tmap_copy_open(&(struct tmap_open){0}, &copy, why, sizeof why) != TMAP_OK) {
        printf("not ok 1 - copies: %s\n1..1\n", why);
        return 1;
    }
    const uint64_t a = rig_operand(&r, (size_t)CHAIN * CHAIN, 1),
                   b = rig_operand(&r, (size_t)CHAIN * CHAIN, 7);
    groups(&r, a, b);
    shared_operand(&r, a, b, true);
    shared_operand(&r, a, b, false);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].overlap != GEMM_LATE || rig_has_turns(&r, "a chain of late launches"))
            chain(&r, copy, a, b, &ways[i], reruns);
    printf("1..%d\n", r.number);
    tmap_copy_close(copy);
    rig_close(&r);
    return r.failed != 0;
}
