/* time.c : what a call costs, the driver's and ours in one run. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "driver/call.h"
#include "driver/driver.h"
#include "driver/generate.h"

#define SAMPLES 256
#define MAX_ROUNDS 4096

struct timing {
    const struct tmap_libcuda *api;
    struct tmap_checker checker;
    struct tmap_desc legal[SAMPLES], illegal[SAMPLES];
    _Alignas(128) struct tmap_map map;
    uint64_t sink; /* keeps the results alive */
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Only the tiled call, with its arguments as they lie: nothing of ours is in the figure. */
static void call_tiled(struct timing *t, const struct tmap_desc *d)
{
    t->sink += (uint64_t)t->api->tensor_map_encode_tiled(
        &t->map, d->dtype, d->rank, (void *)(uintptr_t)d->address, d->dim, d->stride_bytes, d->box,
        d->elem_stride, d->interleave, d->swizzle, d->l2_promotion, d->oob_fill);
}
static void driver_legal(struct timing *t, int i)
{
    call_tiled(t, &t->legal[i]);
}
static void driver_refused(struct timing *t, int i)
{
    call_tiled(t, &t->illegal[i]);
}
static void verdict(struct timing *t, int i)
{
    t->sink += (uint64_t)tmap_verdict_of(&t->checker, &t->legal[i]);
}
static void encode(struct timing *t, int i)
{
    t->sink += (uint64_t)tmap_encode_unchecked(&t->legal[i], &t->map) + t->map.word[1];
}
static void checked_encode(struct timing *t, int i)
{
    t->sink += (uint64_t)tmap_encode(&t->checker, &t->legal[i], &t->map) + t->map.word[1];
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ns(struct timing *t, unsigned rounds, void (*once)(struct timing *, int))
{
    double ns[MAX_ROUNDS];
    for (unsigned r = 0; r < rounds; r++) {
        const double start = now_ns();
        for (int i = 0; i < SAMPLES; i++) once(t, i);
        ns[r] = (now_ns() - start) / SAMPLES;
    }
    qsort(ns, rounds, sizeof ns[0], by_value);
    return ns[rounds / 2];
}

static void fill(struct timing *t)
{
    struct rng rng = rng_of(11, 0);
    for (int i = 0; i < SAMPLES; i++) {
        while (!generate_legal(&t->checker, &rng, TMAP_TILED, &t->legal[i])) continue;
        t->illegal[i] = t->legal[i];
        t->illegal[i].address += 1;
    }
}

enum tmap_status tmap_driver_time(struct tmap_driver *driver, unsigned rounds,
                                  struct tmap_driver_times *out)
{
    if (!driver || !out || rounds == 0) return TMAP_E_ARGUMENT;
    struct timing *t = aligned_alloc(128, (sizeof *t + 127) / 128 * 128);
    if (!t) return TMAP_E_MEMORY;
    if (rounds > MAX_ROUNDS) rounds = MAX_ROUNDS;
    t->api = &driver->gpu.api;
    t->checker = driver->checker;
    t->sink = 0;
    fill(t);
    *out = (struct tmap_driver_times){.driver_legal_ns = median_ns(t, rounds, driver_legal),
                                      .driver_refused_ns = median_ns(t, rounds, driver_refused),
                                      .verdict_ns = median_ns(t, rounds, verdict),
                                      .encode_ns = median_ns(t, rounds, encode),
                                      .checked_encode_ns = median_ns(t, rounds, checked_encode)};
    free(t);
    return TMAP_OK;
}
