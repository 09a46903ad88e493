// Runs random copies of every class on the GPU and compares every byte with the simulator. One line
// per class, and one per case that differs: its class and index with the seed draw it again.
#define _GNU_SOURCE
#include "device/verify.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/simulate.h"
#include "device/probes.h"
#include "device/executor_host.h"

#define BATCH 512u
#define IMAGE_CAP (48u << 20)
#define WINDOW_BYTES 65536u
#define MAX_SHOWN 40
#define LATE_NS 20000u // bytes that a barrier did not expect may land long after its phase

struct tally {
    atomic_ullong ran, refused, differ, bytes, tx_wrong, tx_bytes, stray, shown;
};

struct verify {
    struct executor ex;
    uint64_t seed, count;
    bool wanted[CASE_CLASS_COUNT];
    bool pairs;  // multicasts alone
    bool misuse; // break one rule of each case that does not fault
    atomic_ullong next;
    struct tally tally[CASE_CLASS_COUNT];
    atomic_int failed;
};

// Shares of a hundred.
static const uint32_t share[CASE_CLASS_COUNT] = {
    [CASE_TILED] = 30,      [CASE_TILED_FAR] = 14,   [CASE_TILED_NAN] = 8,
    [CASE_INTERLEAVE] = 10, [CASE_IM2COL] = 12,      [CASE_IM2COL_INTERLEAVE] = 5,
    [CASE_STORE] = 6,       [CASE_STORE_IM2COL] = 4, [CASE_STORE_INTERLEAVE] = 3,
    [CASE_REDUCE] = 5,      [CASE_PREFETCH] = 1,     [CASE_REDUCE_INTERLEAVE] = 2,
};

static enum case_class class_of(const struct verify *v, uint64_t index)
{
    uint32_t at = (uint32_t)(executor_hash(v->seed, index) % 100);
    if (v->pairs) return CASE_MULTICAST;
    for (int k = 0;; k = (k + 1) % CASE_CLASS_COUNT) {
        if (at < share[k] && v->wanted[k]) return (enum case_class)k;
        at = at < share[k] ? 0 : at - share[k];
    }
}

// Global memory as a case sees it: the arena's hashes, and its window as it changes.
struct view {
    const struct executor *ex;
    const struct device_case *c;
    uint8_t *window;
};

static bool view_read(void *user, uint64_t address, void *to, size_t bytes)
{
    const struct view *v = user;
    uint8_t *out = to;
    if (v->c->window) {
        if (address < v->c->window || address + bytes > v->c->window + v->c->window_bytes)
            return false;
        memcpy(to, v->window + (address - v->c->window), bytes);
        return true;
    }
    const uint64_t at = address - v->ex->arena;
    if (at >= v->ex->arena_bytes || at + bytes > v->ex->arena_bytes) return false;
    for (size_t i = 0; i < bytes;) {
        const uint64_t word = executor_hash(v->ex->arena_seed, (at + i) / 8);
        const size_t skip = (at + i) % 8, piece = 8 - skip < bytes - i ? 8 - skip : bytes - i;
        memcpy(out + i, (const uint8_t *)&word + skip, piece);
        i += piece;
    }
    return true;
}

static bool view_write(void *user, uint64_t address, const void *from, size_t bytes)
{
    const struct view *v = user;
    if (address < v->c->window || address + bytes > v->c->window + v->c->window_bytes) return false;
    memcpy(v->window + (address - v->c->window), from, bytes);
    return true;
}

static void hash_fill(const struct device_case *c, uint8_t *to, uint64_t from, uint64_t bytes,
                      uint64_t seed)
{
    for (uint64_t i = 0; i < bytes; i += 8) {
        const uint64_t w = executor_word(c->flags, seed, (from + i) / 8);
        memcpy(to + i, &w, 8);
    }
}

const uint8_t *verify_predict(const struct executor *ex, const struct device_case *c, uint8_t *smem,
                              uint8_t *window, struct tmap_outcome *out)
{
    struct view view = {ex, c, window};
    const bool store = c->window != 0;
    const uint64_t from = store ? 0 : c->image_from;
    const uint64_t bytes = store ? EXECUTOR_HASHED_BYTES : c->image_bytes;
    const struct tmap_memory memory = {view_read, view_write, &view, smem, from, bytes};
    hash_fill(c, smem, from, bytes, c->seed);
    if (store) hash_fill(c, window, 0, c->window_bytes, c->seed + 1);
    sim_run(&c->desc, &c->use, &memory, out);
    return store ? window : smem;
}

static void show(struct verify *v, const struct device_case *c, uint64_t index, const char *what,
                 long long at)
{
    if (atomic_fetch_add(&v->tally[c->cls].shown, 1) >= MAX_SHOWN) return;
    printf("  %s: class %s index %llu seed %llu: %s", "differs", case_class_name(c->cls),
           (unsigned long long)index, (unsigned long long)v->seed, what);
    if (at >= 0) printf(" at byte %lld", at);
    printf("\n");
    fflush(stdout);
}

static void judge(struct verify *v, const struct device_case *c, uint64_t index,
                  const struct executor_result *r, const uint8_t *image, uint8_t *smem,
                  uint8_t *window)
{
    struct tally *t = &v->tally[c->cls];
    struct tmap_outcome o;
    const uint32_t bytes = c->window ? c->window_bytes : c->image_bytes;
    const uint8_t *want = verify_predict(&v->ex, c, smem, window, &o);
    atomic_fetch_add(&t->ran, 1);
    atomic_fetch_add(&t->bytes, bytes);
    atomic_fetch_add(&t->tx_bytes, o.tx_bytes);
    if (r->stray_bytes8) {
        atomic_fetch_add(&t->stray, 1);
        show(v, c, index, "shared memory beyond the image changed", r->first_stray);
    }
    const bool exact = r->done && (c->use.op != TMAP_OP_LOAD || r->exact);
    if (exact != (c->expect_tx == o.tx_bytes || c->use.op != TMAP_OP_LOAD)) {
        atomic_fetch_add(&t->tx_wrong, 1);
        show(v, c, index, "the barrier did not complete with the predicted bytes", -1);
    }
    // A phase that ends early says nothing about what has landed by then.
    const bool settled = c->use.op != TMAP_OP_LOAD || c->expect_tx >= o.tx_bytes;
    if (o.fault != TMAP_FAULT_NONE || (settled && memcmp(want, image, bytes) != 0)) {
        long long at = 0;
        while (at < (long long)bytes && want[at] == image[at]) at++;
        atomic_fetch_add(&t->differ, 1);
        char what[160];
        const long long line = at / 16 * 16;
        int n = snprintf(what, sizeof what, "dtype %d op %u got ", c->desc.dtype, c->use.op);
        for (int k = 0; k < 16 && line + k < bytes; k++)
            n += snprintf(what + n, sizeof what - (size_t)n, "%02x", image[line + k]);
        n += snprintf(what + n, sizeof what - (size_t)n, " want ");
        for (int k = 0; k < 16 && line + k < bytes; k++)
            n += snprintf(what + n, sizeof what - (size_t)n, "%02x", want[line + k]);
        show(v, c, index, what, at);
    }
}

struct worker {
    struct verify *v;
    struct executor_slot slot;
    struct device_case *cases;
    uint64_t *index;
    uint8_t *smem, *window;
    tmap_cu_deviceptr windows;
    bool stop;
};

// One job, or two alike: one for either block of a cluster.
static void place(struct worker *w, uint32_t i, const uint64_t map[16], uint64_t index)
{
    for (uint32_t k = i; k <= i + w->v->pairs; k++) {
        w->cases[k] = w->cases[i];
        const struct device_case *c = &w->cases[k];
        struct executor_job *job =
            executor_place(&w->slot, c->window ? c->window_bytes : c->image_bytes);
        case_job(c, map, job);
        job->linger_ns = w->v->misuse ? LATE_NS : 300;
        w->index[k] = index;
    }
}

static void draw(struct worker *w)
{
    struct verify *v = w->v;
    w->slot.count = 0;
    w->slot.image_bytes = 0;
    while (w->slot.count < BATCH) {
        const uint64_t index = atomic_fetch_add(&v->next, 1);
        const uint32_t i = w->slot.count;
        struct device_case *c = &w->cases[i];
        uint64_t map[16] __attribute__((aligned(64)));
        w->stop = index >= v->count;
        if (w->stop) return;
        const struct case_room room = {
            v->ex.arena, v->ex.arena_bytes, w->windows + (uint64_t)i * WINDOW_BYTES,
            4096u << executor_hash(v->seed, ~index) % 5, EXECUTOR_HASHED_BYTES};
        const enum case_class cls = class_of(v, index);
        case_draw(cls, v->seed, index, &room, c);
        if (probe_encode(&v->ex.gpu.api, &c->desc, map) != 0) {
            atomic_fetch_add(&v->tally[cls].refused, 1);
            continue;
        }
        if (v->misuse) case_misuse(c, map, v->seed, index);
        place(w, i, map, index);
        if (w->slot.image_bytes + 2 * EXECUTOR_HASHED_BYTES > IMAGE_CAP) return;
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct executor *ex = &w->v->ex;
    ex->gpu.api.ctx_set_current(ex->gpu.context);
    while (!w->stop && !atomic_load(&w->v->failed)) {
        draw(w);
        if (executor_launch(ex, &w->slot) || executor_finish(ex, &w->slot)) {
            atomic_store(&w->v->failed, 1);
            printf("a batch with index %llu failed: %d\n", (unsigned long long)w->index[0],
                   ex->failed);
            return NULL;
        }
        for (uint32_t i = 0; i < w->slot.count; i++)
            judge(w->v, &w->cases[i], w->index[i], &w->slot.results[i], executor_image(&w->slot, i),
                  w->smem, w->window);
    }
    return NULL;
}

static bool worker_open(struct worker *w, struct verify *v)
{
    w->v = v;
    w->cases = calloc(BATCH, sizeof *w->cases);
    w->index = calloc(BATCH, sizeof *w->index);
    w->smem = aligned_alloc(1024, EXECUTOR_HASHED_BYTES + 4096);
    w->window = malloc(WINDOW_BYTES);
    return w->cases && w->index && w->smem && w->window &&
           executor_slot_open(&v->ex, BATCH, IMAGE_CAP, &w->slot) == TMAP_OK &&
           v->ex.gpu.api.mem_alloc(&w->windows, (size_t)BATCH * WINDOW_BYTES) == 0;
}

static int report(struct verify *v, double seconds)
{
    unsigned long long ran = 0, bad = 0, words = 0, first = 0, bytes = 0;
    printf("%-20s %9s %8s %14s %8s %8s %8s\n", "class", "ran", "refused", "tx bytes", "differ",
           "tx wrong", "stray");
    for (int k = 0; k < CASE_CLASS_COUNT; k++) {
        struct tally *t = &v->tally[k];
        printf("%-20s %9llu %8llu %14llu %8llu %8llu %8llu\n", case_class_name(k), t->ran,
               t->refused, t->tx_bytes, t->differ, t->tx_wrong, t->stray);
        ran += t->ran;
        bytes += t->bytes;
        bad += t->differ + t->tx_wrong + t->stray + t->refused;
    }
    uint64_t w = 0, f = 0;
    if (executor_scan(&v->ex, &w, &f) != TMAP_OK) bad++;
    words = w, first = f;
    printf("arena of %llu bytes: %llu words changed (first at %llu)\n",
           (unsigned long long)v->ex.arena_bytes, words, first);
    printf("%llu copies, %llu bytes compared, %llu wrong, seed %llu, %.1f s\n", ran, bytes, bad,
           (unsigned long long)v->seed, seconds);
    return bad + words + (unsigned)atomic_load(&v->failed) ? 1 : 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int verify_main(uint64_t count, uint64_t seed, uint64_t arena_bytes, int threads, bool misuse,
                char **classes)
{
    static struct verify v;
    char why[200] = "";
    const double start = now();
    v.count = count, v.seed = seed, v.misuse = misuse;
    for (int k = 0; k < CASE_CLASS_COUNT; k++) {
        v.wanted[k] = (!classes || !*classes) && k != CASE_MULTICAST;
        for (char **c = classes; c && *c; c++) v.wanted[k] |= !strcmp(*c, case_class_name(k));
    }
    v.pairs = v.wanted[CASE_MULTICAST];
    if (executor_open(&v.ex, arena_bytes, seed, why, sizeof why) != TMAP_OK) {
        printf("no executor: %s (%d)\n", why, v.ex.failed);
        return 2;
    }
    if (misuse) v.ex.limit_us = 20;
    struct worker *w = calloc((size_t)threads, sizeof *w);
    pthread_t *id = calloc((size_t)threads, sizeof *id);
    for (int i = 0; i < threads; i++)
        if (!worker_open(&w[i], &v)) return 2;
    printf("opened in %.1f s\n", now() - start);
    const double from = now();
    for (int i = 0; i < threads; i++) pthread_create(&id[i], NULL, work, &w[i]);
    for (int i = 0; i < threads; i++) pthread_join(id[i], NULL);
    return report(&v, now() - from);
}
