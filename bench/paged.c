/* Decode attention's rate on this GPU: bytes of K and V, each counted once, over the median time of
 * a launch, beside the driver's copy of as many bytes. Pages lie in random order.
 *
 *   paged [RUNS]     launches of each (15); one line a case, separated by tabs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/rng.h"
#include "kernels/paged/suite.h"

enum { MOST_RUNS = 101 };

struct shape {
    const char *name;
    int32_t requests, heads, kv_heads, dim, tokens;
    bool drawn; /* lengths from 1 to tokens */
};

struct memory {
    struct tmap_paged *suite;
    const struct tmap_libcuda *api;
    uint64_t caches, query, output, lengths, table, workspace;
    uint64_t cache_bytes;
    int runs;
};

static const struct {
    enum tmap_paged_layout layout;
    const char *name;
} layouts[] = {
    {TMAP_PAGED_NHD, "NHD"}, {TMAP_PAGED_HND, "HND"}, {TMAP_PAGED_JOINED_NHD, "joined NHD"}};

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Microseconds; plan NULL: a copy of `bytes` in all, read and written. */
static double median_us(const struct memory *m, const struct tmap_paged_plan *plan, uint64_t bytes)
{
    float us[MOST_RUNS];
    tmap_cu_event begin, end;
    m->api->event_create(&begin, 0), m->api->event_create(&end, 0);
    for (int i = -2; i < m->runs; i++) {
        float ms = 0;
        m->api->event_record(begin, NULL);
        if (plan)
            tmap_paged_run(plan, NULL);
        else
            m->api->memcpy_dtod_async(m->caches + bytes / 2, m->caches, bytes / 2, NULL);
        m->api->event_record(end, NULL);
        if (m->api->event_synchronize(end) || m->api->event_elapsed_time(&ms, begin, end)) exit(1);
        if (i >= 0) us[i] = ms * 1000;
    }
    m->api->event_destroy(begin), m->api->event_destroy(end);
    qsort(us, (size_t)m->runs, sizeof *us, by_size);
    return (double)us[m->runs / 2];
}

/* Lengths and pages; bytes of K and V that are read. */
static uint64_t deal(const struct memory *m, const struct shape *s, struct tmap_paged_problem *p)
{
    uint64_t state = 1, all = 0;
    int32_t *lengths = malloc((size_t)s->requests * 4), *table = malloc((size_t)p->pages * 4);
    for (int32_t i = 0; i < s->requests; i++) {
        lengths[i] = s->drawn ? 1 + (int32_t)(rng_step(&state) % (uint32_t)s->tokens) : s->tokens;
        all += (uint64_t)lengths[i];
    }
    for (int32_t i = 0; i < p->pages; i++) {
        const int32_t other = (int32_t)(rng_step(&state) % (uint32_t)(i + 1));
        table[i] = table[other], table[other] = i;
    }
    m->api->memcpy_htod(m->lengths, lengths, (size_t)s->requests * 4);
    m->api->memcpy_htod(m->table, table, (size_t)p->pages * 4);
    free(lengths), free(table);
    return all * 4 * (uint64_t)(s->kv_heads * s->dim);
}

static void measure(const struct memory *m, const struct shape *s, int32_t page_size, int which,
                    const struct tmap_paged_config *request)
{
    struct tmap_paged_problem p = {.requests = s->requests,
                                   .heads = s->heads,
                                   .kv_heads = s->kv_heads,
                                   .dim = s->dim,
                                   .page_size = page_size,
                                   .table_pages = (s->tokens - 1) / page_size + 1,
                                   .query = m->query,
                                   .output = m->output,
                                   .lengths = m->lengths,
                                   .table = m->table,
                                   .workspace = m->workspace};
    struct tmap_paged_plan plan;
    struct tmap_paged_refusal why = {0};
    p.pages = p.requests * p.table_pages;
    p.k.address = m->caches, p.v.address = m->caches + m->cache_bytes / 2;
    tmap_paged_lay_out(&p, layouts[which].layout);
    if (tmap_paged_make_plan(m->suite, &p, request, &plan, &why) != TMAP_OK) {
        printf("%s\t%d\t%s\t%s\n", s->name, page_size, layouts[which].name, why.text);
        return;
    }
    const uint64_t bytes = deal(m, s, &p);
    const double us = median_us(m, &plan, 0), copy_us = median_us(m, NULL, bytes / 32 * 32);
    printf("%s\t%d\t%s\t%u\t%u\t%.1f\t%.0f\t%.0f\t%.3f\n", s->name, page_size, layouts[which].name,
           plan.config.splits, plan.config.stages, us, (double)bytes / us / 1e3,
           (double)bytes / copy_us / 1e3, copy_us / us);
    fflush(stdout);
}

static const struct shape usual = {"64 x 4096, 32 on 8", 64, 32, 8, 128, 4096, false};
static const struct shape others[] = {
    {"64 x 4096 drawn, 32 on 8", 64, 32, 8, 128, 4096, true},
    {"1 x 131072, 32 on 8", 1, 32, 8, 128, 131072, false},
    {"8 x 8192, 32 on 8", 8, 32, 8, 128, 8192, false},
    {"8 x 8192 drawn, 32 on 8", 8, 32, 8, 128, 8192, true},
    {"256 x 1024, 32 on 8", 256, 32, 8, 128, 1024, false},
    {"16 x 4096, 32 on 32", 16, 32, 32, 128, 4096, false},
    {"64 x 4096, 128 on 8", 64, 128, 8, 128, 4096, false},
    {"64 x 4096, 64 on 8 of 64", 64, 64, 8, 64, 4096, false},
    {"1 x 1024, 32 on 8", 1, 32, 8, 128, 1024, false},
};

static void all(const struct memory *m)
{
    static const int32_t page_sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 24, 48, 96, 7};
    printf("shape\tpage\tlayout\tsplits\tstages\tus\tGB/s\tcopy GB/s\tof the copy\n");
    for (size_t i = 0; i < sizeof page_sizes / sizeof *page_sizes; i++)
        for (int which = 0; which < (int)(sizeof layouts / sizeof *layouts); which++)
            measure(m, &usual, page_sizes[i], which, NULL);
    for (uint32_t splits = 1; splits <= 4; splits++)
        for (uint32_t stages = 1; stages <= 6; stages++) {
            const struct tmap_paged_config request = {.splits = splits, .stages = stages};
            measure(m, &usual, 16, 0, &request);
        }
    for (int32_t policy = 1; policy <= 3; policy++) {
        const struct tmap_paged_config request = {.load_policy = policy};
        printf("policy %d: ", policy);
        measure(m, &usual, 16, 0, &request);
    }
    for (uint32_t splits = 1; splits <= 16; splits *= 2) {
        const struct tmap_paged_config request = {.splits = splits};
        measure(m, &others[0], 16, 0, &request);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (int32_t page = 16; page <= 64; page *= 4) measure(m, &others[i], page, 0, NULL);
}

/* Numbers of a few bits, so that nothing is infinite. */
static void fill(struct memory *m)
{
    const size_t block = (size_t)64 << 20;
    uint16_t *numbers = malloc(block);
    uint64_t state = 7;
    for (size_t i = 0; i < block / 2; i++)
        numbers[i] = (uint16_t)(0x3f00 | (rng_step(&state) & 0x80ff));
    for (uint64_t at = 0; at < m->cache_bytes; at += block)
        m->api->memcpy_htod(m->caches + at, numbers, block);
    m->api->memcpy_htod(m->query, numbers, (size_t)4 << 20);
    free(numbers);
}

int main(int argc, char **argv)
{
    struct memory m = {.runs = argc > 1 ? atoi(argv[1]) : 15, .cache_bytes = (uint64_t)9 << 27};
    char why[200] = "";
    if (m.runs < 1 || m.runs > MOST_RUNS) return 3;
    if (tmap_paged_open(NULL, &m.suite, why, sizeof why) != TMAP_OK) {
        fprintf(stderr, "paged: %s\n", why);
        return 1;
    }
    m.api = &m.suite->gpu.api;
    const size_t small = (size_t)64 << 20;
    if (m.api->mem_alloc(&m.caches, m.cache_bytes) || m.api->mem_alloc(&m.query, small) ||
        m.api->mem_alloc(&m.output, small) || m.api->mem_alloc(&m.lengths, small) ||
        m.api->mem_alloc(&m.table, small) || m.api->mem_alloc(&m.workspace, 8 * small))
        return 1;
    m.api->memset_d8_async(m.workspace, 0, 8 * small, NULL);
    fill(&m);
    all(&m);
    tmap_paged_close(m.suite);
    return 0;
}
