// The clock: a case, its plain reference, its conservative shape and cuMemcpyDtoDAsync in turns.
#include <stdlib.h>
#include <string.h>

#include "kernels/copy/fixture.h"

#define MAX_REPEATS 101u
#define SMALL_ROW_BYTES 64u // the conservative shape: 64-byte rows, 32 of them, one stage
#define SMALL_ROWS 32u

struct clock {
    tmap_cu_event from, to;
    double ms[4][MAX_REPEATS];
};

static enum tmap_status one(struct fixture *b, int which, const struct tmap_copy_plan plans[2],
                            uint64_t half)
{
    switch (which) {
    case 0:
        return tmap_copy_run(&plans[0], NULL);
    case 1:
        return fixture_reference(b, b->ref);
    case 2:
        return tmap_copy_run(&plans[1], NULL);
    default:
        return b->suite->gpu.api.memcpy_dtod_async(b->ref, b->src, half, NULL) ? TMAP_E_DRIVER
                                                                               : TMAP_OK;
    }
}

static enum tmap_status time_one(struct fixture *b, struct clock *c, int which, uint32_t rep,
                                 const struct tmap_copy_plan plans[2], uint64_t half)
{
    const struct tmap_libcuda *cu = &b->suite->gpu.api;
    float ms = 0;
    if (cu->event_record(c->from, NULL)) return TMAP_E_DRIVER;
    const enum tmap_status s = one(b, which, plans, half);
    if (s != TMAP_OK) return s;
    if (cu->event_record(c->to, NULL) || cu->event_synchronize(c->to) ||
        cu->event_elapsed_time(&ms, c->from, c->to))
        return TMAP_E_DRIVER;
    c->ms[which][rep] = ms;
    return TMAP_OK;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// In turns, so that heat and clocks touch all alike; the first round only warms up.
static enum tmap_status time_all(struct fixture *b, struct clock *c, uint32_t repeats,
                                 const struct tmap_copy_plan plans[2], uint64_t half)
{
    for (uint32_t rep = 0; rep <= repeats; rep++)
        for (int which = 0; which < 4; which++) {
            if (which == 2 && plans[1].suite == NULL) continue;
            if (which == 3 && half == 0) continue;
            const enum tmap_status s = time_one(b, c, which, rep ? rep - 1 : 0, plans, half);
            if (s != TMAP_OK) return s;
        }
    for (int which = 0; which < 4; which++) qsort(c->ms[which], repeats, sizeof(double), by_size);
    return TMAP_OK;
}

static double rate(uint64_t bytes, double ms)
{
    return ms > 0 ? (double)bytes / ms * 1e-6 : 0;
}

static void conclude(const struct clock *c, uint32_t n, uint64_t half, struct tmap_copy_result *out)
{
    const uint64_t bytes = out->moved_bytes;
    out->copy_gbs = rate(bytes, c->ms[0][n / 2]);
    out->copy_low_gbs = rate(bytes, c->ms[0][n * 9 / 10]);
    out->copy_high_gbs = rate(bytes, c->ms[0][n / 10]);
    out->reference_gbs = rate(bytes, c->ms[1][n / 2]);
    out->conservative_gbs = rate(bytes, c->ms[2][n / 2]);
    out->memcpy_gbs = rate(2 * half, c->ms[3][n / 2]);
}

// The conservative shape: what one uses who is not sure what is legal.
static void plan_conservative(struct fixture *b, size_t i, struct tmap_copy_plan *conservative)
{
    struct tmap_copy_config c = {.stages = 1, .keep_type = 1, .swizzle = 0};
    const uint32_t size = b->problem.dtype == TMAP_UINT64    ? 8
                          : b->problem.dtype == TMAP_FLOAT32 ? 4
                                                             : 2;
    c.box[0] = SMALL_ROW_BYTES / size, c.box[1] = SMALL_ROWS;
    if (!fixture_has_conservative(i) ||
        tmap_copy_make_plan(b->suite, &b->problem, &c, conservative, NULL) != TMAP_OK)
        conservative->suite = NULL;
}

static enum tmap_status measure(struct fixture *b, size_t i, uint32_t repeats,
                                struct tmap_copy_plan plans[2], struct tmap_copy_result *out)
{
    const struct tmap_libcuda *cu = &b->suite->gpu.api;
    struct clock *c = calloc(1, sizeof *c);
    if (c == NULL) return TMAP_E_MEMORY;
    plan_conservative(b, i, &plans[1]);
    out->moved_bytes = plans[0].moved_bytes;
    uint64_t half = out->moved_bytes / 2;
    if (half > b->src_bytes || half > b->dst_bytes) half = 0;
    enum tmap_status s = fixture_verify(b, &plans[0], &out->wrong_words);
    if (s == TMAP_OK && (cu->event_create(&c->from, 0) || cu->event_create(&c->to, 0)))
        s = TMAP_E_DRIVER;
    if (s == TMAP_OK && repeats) s = time_all(b, c, repeats, plans, half);
    if (s == TMAP_OK && repeats) conclude(c, repeats, half, out);
    if (c->from) cu->event_destroy(c->from);
    if (c->to) cu->event_destroy(c->to);
    free(c);
    return s;
}

enum tmap_status tmap_copy_measure(struct tmap_copy *suite, size_t i, uint64_t bytes,
                                   uint32_t repeats, const struct tmap_copy_config *request,
                                   struct tmap_copy_result *out)
{
    if (suite == NULL || out == NULL || tmap_copy_case(i) == NULL || repeats > MAX_REPEATS)
        return TMAP_E_ARGUMENT;
    struct fixture b;
    struct tmap_copy_plan plans[2];
    struct tmap_copy_config c = {0};
    memset(plans, 0, sizeof plans);
    memset(out, 0, sizeof *out);
    if (request) c = *request;
    enum tmap_status s = fixture_open(&b, suite, i, bytes, &c);
    if (s == TMAP_OK) s = tmap_copy_make_plan(suite, &b.problem, &c, &plans[0], NULL);
    if (s == TMAP_OK) s = measure(&b, i, repeats, plans, out);
    out->name = tmap_copy_case(i), out->kernel = plans[0].kernel, out->reference = b.reference;
    out->plan = plans[0];
    tmap_copy_release(&plans[0]);
    tmap_copy_release(&plans[1]);
    out->plan.buffer = 0;
    fixture_close(&b);
    return s;
}
