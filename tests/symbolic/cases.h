/* cases.h : the example cases, and points at which conditions are compared with the native check.
 */
#ifndef TESTS_SYMBOLIC_CASES_H
#define TESTS_SYMBOLIC_CASES_H

#include "io/json/symbolic.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_RECORDS = 8, CASE_MAX = 64, CASE_PARAMS = 32 };

/* A file of examples/symbolic: its descriptors jointly, on the target its name asks for. */
struct symbolic_case {
    char path[256];
    struct io_stream stream;
    struct io_record record[CASE_RECORDS];
    struct tmap_symbolic_desc desc[CASE_RECORDS];
    const char *assume[16];
    size_t n, n_assume;
    struct tmap_checker checker;
};

static inline bool case_open(struct symbolic_case *c)
{
    char error[IO_ERROR_SIZE];
    bool blackwell = strstr(c->path, "blackwell") != NULL;
    struct tmap_target target;
    c->n = c->n_assume = 0;
    if (tmap_target_from(NULL, NULL, NULL, blackwell ? "sm_100a" : "sm_90a", &target) != TMAP_OK ||
        tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c->checker) != TMAP_OK ||
        !io_stream_open(&c->stream, c->path, error)) {
        return false;
    }
    while (c->n < CASE_RECORDS && io_record_next(&c->stream, IO_SYMBOLIC, &c->record[c->n])) {
        if (c->record[c->n].error[0]) return false;
        io_symbolic_of(&c->record[c->n], &c->desc[c->n]);
        c->n_assume +=
            io_assumptions_of(&c->record[c->n], c->assume + c->n_assume, 16 - c->n_assume);
        c->n++;
    }
    return c->n > 0;
}

static inline void case_close(struct symbolic_case *c)
{
    for (size_t i = 0; i < c->n; i++) io_record_free(&c->record[i]);
    io_stream_close(&c->stream);
}

static int case_by_path(const void *a, const void *b)
{
    return strcmp(((const struct symbolic_case *)a)->path, ((const struct symbolic_case *)b)->path);
}

/* The paths of all cases, sorted. */
static inline size_t case_list(struct symbolic_case *out)
{
    DIR *dir = opendir("examples/symbolic");
    size_t n = 0;
    for (struct dirent *e; dir && (e = readdir(dir)) && n < CASE_MAX;) {
        size_t length = strlen(e->d_name);
        if (length < 6 || length > 200 || strcmp(e->d_name + length - 5, ".json") != 0) continue;
        snprintf(out[n++].path, sizeof out->path, "examples/symbolic/%.200s", e->d_name);
    }
    if (dir) closedir(dir);
    qsort(out, n, sizeof *out, case_by_path);
    return n;
}

/* xorshift64* : the same sequence everywhere. */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* A value where rules change their mind: small, round, next to a power of two, or anything. */
static inline int64_t interesting(uint64_t *state)
{
    uint64_t r = next_random(state);
    int64_t small = (int64_t)((r >> 32) % 300);
    unsigned shift = (unsigned)(r >> 24) % 63;
    int64_t step = INT64_C(1) << ((r >> 16) % 9);
    switch (r % 8) {
    case 0:
        return small;
    case 1:
        return small * step;
    case 2:
        return (INT64_C(1) << (shift % 42)) + (small % 5 - 2) * step;
    case 3:
        return (INT64_C(1) << shift) - step;
    case 4:
        return (int64_t)next_random(state);
    case 5:
        return -small;
    case 6:
        return (int64_t)(next_random(state) >> 24) & -step;
    default:
        return 1 + small % 16;
    }
}

/* Mostly plausible values: a legal point needs all of them to be. */
static inline int64_t plausible(uint64_t *state)
{
    uint64_t r = next_random(state);
    int64_t small = (int64_t)((r >> 8) % 16), size = (int64_t)(1 + (r >> 8) % 64);
    switch (r % 4) {
    case 0:
        return small;
    case 1:
        return size << ((r >> 20) % 12);
    default:
        return size << ((r >> 20) % 6);
    }
}

static inline void random_point(uint64_t *state, size_t n, int64_t *values)
{
    bool tame = next_random(state) % 4 != 0;
    for (size_t i = 0; i < n; i++) {
        bool plain = tame && next_random(state) % 8;
        values[i] = plain ? plausible(state) : interesting(state);
    }
}

/* b with a*b = 1 modulo 2^64, for odd a. */
static inline uint64_t inverse_of(uint64_t a)
{
    uint64_t b = a;
    for (int i = 0; i < 6; i++) b *= 2 - a * b;
    return b;
}

/* Values whose products and sums come round at 2^64 to something plausible. */
static inline void wrapping_point(uint64_t *state, size_t n, int64_t *values)
{
    random_point(state, n, values);
    if (n < 2) {
        values[0] = (int64_t)next_random(state);
        return;
    }
    size_t i = (next_random(state) >> 20) % n,
           j = (i + 1 + (next_random(state) >> 20) % (n - 1)) % n;
    uint64_t odd = next_random(state) | 1, small = (uint64_t)plausible(state);
    unsigned shift = (unsigned)(next_random(state) >> 20) % 40;
    switch ((next_random(state) >> 20) % 3) {
    case 0: /* v_i * v_j = small */
        values[i] = (int64_t)odd;
        values[j] = (int64_t)(inverse_of(odd) * small);
        break;
    case 1: /* a power of two takes the high bits away */
        values[i] = INT64_C(1) << shift;
        values[j] = (int64_t)(((next_random(state) | 1) << (64 - (shift ? shift : 1))) + small);
        break;
    default: /* v_i + v_j = small */
        values[i] = (int64_t)odd;
        values[j] = (int64_t)(small - odd);
        break;
    }
}

/* 1 when every descriptor is legal natively at the values; values that do not fit are not. */
static inline int native_legal(const struct tmap_condition *condition,
                               const struct symbolic_case *c, const int64_t *values)
{
    struct tmap_desc desc;
    for (size_t i = 0; i < c->n; i++) {
        if (!tmap_condition_at(condition, i, values, &desc)) return 0;
        if (tmap_verdict_of(&c->checker, &desc) != TMAP_LEGAL) return 0;
    }
    return 1;
}

/* How many points a test takes: TMAP_POINTS, or fewer where nobody asks. */
static inline long points_wanted(long otherwise)
{
    const char *text = getenv("TMAP_POINTS");
    return text ? atol(text) : otherwise;
}

#endif
