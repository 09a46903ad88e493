// Runs plans of repair and solve on the GPU: every copy of a plan is a block of the executor, at
// its own place in shared memory, and what all of them left is compared byte for byte with the
// simulator and element for element with the request. A plan that differs is named by its class and
// index.
#include "device/plans.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/plan_record.h"
#include "device/probes.h"
#include "device/verify.h"

#define BATCH 256u
#define IMAGE_CAP (48u << 20)
#define MAX_SHOWN 20u

struct tally {
    atomic_ullong plans, passed, copies, bytes, refused, differ, tx_wrong, stray;
};

struct session {
    struct executor ex;
    uint64_t seed, count;
    atomic_ullong next, shown;
    atomic_int failed;
    struct tally tally[PLAN_CLASS_COUNT];
    pthread_mutex_t writing;
    FILE *record;
};

// A plan with its copies: jobs first to first + plan.copies of the batch.
struct entry {
    struct plan_case c;
    uint64_t index;
    uint32_t first;
};

struct worker {
    struct session *v;
    struct plan_tools *tools;
    struct executor_slot slot;
    struct device_case copies[BATCH];
    struct entry entries[BATCH];
    uint32_t count;
    uint8_t *smem, *window;
    tmap_cu_deviceptr windows;
    bool stop;
};

static void show(struct session *v, const struct entry *e, uint32_t n, const char *what)
{
    if (atomic_fetch_add(&v->shown, 1) >= MAX_SHOWN) return;
    printf("  differs: class %s index %llu seed %llu, copy %u of %u: %s\n",
           plan_class_name(e->c.cls), (unsigned long long)e->index, (unsigned long long)v->seed, n,
           e->c.plan.copies, what);
    fflush(stdout);
}

static uint64_t window_of(const struct worker *w, uint32_t job)
{
    return w->windows + (uint64_t)job * PLAN_WINDOW_BYTES;
}

static bool can_run(struct worker *w, struct entry *e)
{
    const enum plan_class cls = (enum plan_class)(e->index % PLAN_CLASS_COUNT);
    const bool stores = plan_stores(cls);
    const uint64_t from = stores ? window_of(w, e->first) : w->v->ex.arena;
    plan_draw(cls, w->v->seed, e->index, from, &e->c);
    if (!plan_make(w->tools, &e->c)) return false;
    plan_aim(&e->c);
    return plan_within(&e->c, from, stores ? PLAN_WINDOW_BYTES : w->v->ex.arena_bytes);
}

// The copies of one plan; what the rows or the driver refuse is not run.
static void place(struct worker *w, struct entry *e)
{
    struct tally *t = &w->v->tally[e->c.cls];
    uint64_t map[PLAN_COPIES][16] __attribute__((aligned(64)));
    for (uint32_t n = 0; n < e->c.plan.copies; n++) {
        struct device_case *copy = &w->copies[e->first + n];
        plan_copy(&e->c, n, window_of(w, e->first), copy);
        const char *row = plan_refused(w->tools, copy);
        if (!row && probe_encode(&w->v->ex.gpu.api, &copy->desc, map[n]) != 0) row = "the driver";
        if (!row) continue;
        atomic_fetch_add(&t->refused, 1);
        show(w->v, e, n, row);
        return;
    }
    for (uint32_t n = 0; n < e->c.plan.copies; n++) {
        const struct device_case *copy = &w->copies[e->first + n];
        struct executor_job *job =
            executor_place(&w->slot, copy->window ? copy->window_bytes : copy->image_bytes);
        case_job(copy, map[n], job);
        job->linger_ns = 300;
    }
    w->count++;
}

static void draw(struct worker *w)
{
    w->slot.count = w->count = 0;
    w->slot.image_bytes = 0;
    while (w->slot.count + PLAN_COPIES <= BATCH &&
           w->slot.image_bytes + 2 * PLAN_COPIES * PLAN_WINDOW_BYTES <= IMAGE_CAP) {
        struct entry *e = &w->entries[w->count];
        e->index = atomic_fetch_add(&w->v->next, 1);
        e->first = w->slot.count;
        w->stop = e->index >= w->v->count;
        if (w->stop) return;
        if (can_run(w, e))
            place(w, e);
        else
            atomic_fetch_add(&w->v->tally[e->index % PLAN_CLASS_COUNT].passed, 1);
    }
}

static void judge_copy(struct worker *w, const struct entry *e, uint32_t n)
{
    struct tally *t = &w->v->tally[e->c.cls];
    const struct device_case *copy = &w->copies[e->first + n];
    const struct executor_result *r = &w->slot.results[e->first + n];
    const uint32_t bytes = copy->window ? copy->window_bytes : copy->image_bytes;
    struct tmap_outcome o;
    const uint8_t *want = verify_predict(&w->v->ex, copy, w->smem, w->window, &o);
    atomic_fetch_add(&t->copies, 1);
    atomic_fetch_add(&t->bytes, bytes);
    if (r->stray_bytes8) {
        atomic_fetch_add(&t->stray, 1);
        show(w->v, e, n, "shared memory beyond its slot changed");
    }
    if (copy->use.op == TMAP_OP_LOAD && !(r->done && r->exact && o.tx_bytes == copy->expect_tx)) {
        atomic_fetch_add(&t->tx_wrong, 1);
        show(w->v, e, n, "the barrier did not complete with the predicted bytes");
    }
    if (o.fault || memcmp(want, executor_image(&w->slot, e->first + n), bytes) != 0) {
        atomic_fetch_add(&t->differ, 1);
        show(w->v, e, n, "not what the simulator says");
    }
}

static void keep(struct session *v, const struct worker *w, const struct entry *e)
{
    struct plan_record r = {.c = e->c};
    for (uint32_t n = 0; n < e->c.plan.copies; n++)
        plan_record_copy(&r, n, &w->copies[e->first + n], executor_image(&w->slot, e->first + n));
    plan_record_move(&r, 0 - (e->c.op == TMAP_OP_STORE ? window_of(w, e->first) : v->ex.arena));
    pthread_mutex_lock(&v->writing);
    plan_record_write(v->record, &r);
    pthread_mutex_unlock(&v->writing);
}

static void judge(struct worker *w, const struct entry *e)
{
    struct session *v = w->v;
    const uint8_t *images[PLAN_COPIES];
    for (uint32_t n = 0; n < e->c.plan.copies; n++) {
        judge_copy(w, e, n);
        images[n] = executor_image(&w->slot, e->first + n);
    }
    const char *what = plan_differs(w->tools, &e->c, v->ex.arena, v->ex.arena_seed, images);
    atomic_fetch_add(&v->tally[e->c.cls].plans, 1);
    if (what) {
        atomic_fetch_add(&v->tally[e->c.cls].differ, 1);
        show(v, e, 0, what);
    }
    if (v->record) keep(v, w, e);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct executor *ex = &w->v->ex;
    ex->gpu.api.ctx_set_current(ex->gpu.context);
    while (!w->stop && !atomic_load(&w->v->failed)) {
        draw(w);
        if (w->count == 0) continue;
        if (executor_launch(ex, &w->slot) || executor_finish(ex, &w->slot)) {
            atomic_store(&w->v->failed, 1);
            printf("a batch with index %llu failed: %d\n", (unsigned long long)w->entries[0].index,
                   ex->failed);
            return NULL;
        }
        for (uint32_t i = 0; i < w->count; i++) judge(w, &w->entries[i]);
    }
    return NULL;
}

static struct worker *worker_open(struct session *v)
{
    struct worker *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->v = v;
    w->tools = calloc(1, sizeof *w->tools);
    w->smem = aligned_alloc(1024, EXECUTOR_HASHED_BYTES + 4096);
    w->window = malloc(EXECUTOR_HASHED_BYTES);
    const bool open = w->tools && w->smem && w->window && plan_tools_open(w->tools) &&
                      executor_slot_open(&v->ex, BATCH, IMAGE_CAP, &w->slot) == TMAP_OK &&
                      v->ex.gpu.api.mem_alloc(&w->windows, BATCH * PLAN_WINDOW_BYTES) == 0;
    return open && w->windows % PLAN_WINDOW_BYTES == 0 ? w : NULL;
}

static int report(struct session *v)
{
    unsigned long long plans = 0, copies = 0, bytes = 0, bad = 0;
    uint64_t words = 0, first = 0;
    printf("%-14s %8s %8s %8s %12s %8s %8s %8s %8s\n", "class", "plans", "passed", "copies",
           "bytes", "refused", "differ", "tx wrong", "stray");
    for (uint32_t k = 0; k < PLAN_CLASS_COUNT; k++) {
        struct tally *t = &v->tally[k];
        printf("%-14s %8llu %8llu %8llu %12llu %8llu %8llu %8llu %8llu\n", plan_class_name(k),
               t->plans, t->passed, t->copies, t->bytes, t->refused, t->differ, t->tx_wrong,
               t->stray);
        plans += t->plans, copies += t->copies, bytes += t->bytes;
        bad += t->refused + t->differ + t->tx_wrong + t->stray;
    }
    if (executor_scan(&v->ex, &words, &first) != TMAP_OK) bad++;
    printf("arena of %llu bytes: %llu words changed (first at %llu)\n",
           (unsigned long long)v->ex.arena_bytes, (unsigned long long)words,
           (unsigned long long)first);
    printf("%llu plans, %llu copies, %llu bytes compared, %llu wrong, seed %llu\n", plans, copies,
           bytes, bad, (unsigned long long)v->seed);
    return bad + words + (unsigned)atomic_load(&v->failed) ? 1 : 0;
}

int plans_main(uint64_t count, uint64_t seed, uint64_t arena_bytes, int threads, const char *record)
{
    static struct session v;
    char why[200] = "";
    v.count = count, v.seed = seed;
    pthread_mutex_init(&v.writing, NULL);
    if (record && !(v.record = fopen(record, "w"))) return 2;
    if (executor_open(&v.ex, arena_bytes, seed, why, sizeof why) != TMAP_OK ||
        v.ex.arena % PLAN_WINDOW_BYTES) {
        printf("no executor: %s (%d)\n", why, v.ex.failed);
        return 2;
    }
    struct worker **w = calloc((size_t)threads, sizeof *w);
    pthread_t *id = calloc((size_t)threads, sizeof *id);
    for (int i = 0; w && id && i < threads; i++)
        if (!(w[i] = worker_open(&v))) return 2;
    for (int i = 0; w && id && i < threads; i++) pthread_create(&id[i], NULL, work, w[i]);
    for (int i = 0; w && id && i < threads; i++) pthread_join(id[i], NULL);
    if (v.record) fclose(v.record);
    return report(&v);
}
