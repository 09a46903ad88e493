/* How long answers take: repair, prune, layout, protocol. Median and 99th percentile of single
 * calls, processor time of the one thread: what else the machine does is not counted. */
#include "driver/rng.h"
#include "tmap/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLES 4000

static uint64_t seed = 42;
static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

static uint64_t rnd(uint64_t n)
{
    return rng_step(&seed) % n;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, double *us, size_t n, const char *bound)
{
    qsort(us, n, sizeof *us, by_value);
    printf("%-34s median %9.2f us   p99 %9.2f us   max %9.2f us   (%s)\n", name, us[n / 2],
           us[n * 99 / 100], us[n - 1], bound);
}

/* A matrix whose strides, base, box or swizzle are off, as users' are. */
static struct tmap_desc broken(bool needs_split)
{
    struct tmap_desc d = {.kind = TMAP_TILED, .dtype = TMAP_BFLOAT16, .address = 1 << 30};
    d.rank = 2 + (uint32_t)rnd(2);
    for (uint32_t i = 0; i < d.rank; i++) {
        d.dim[i] = 512 << rnd(4);
        d.box[i] = i ? 32u << rnd(3) : 64;
        d.elem_stride[i] = 1;
    }
    if (rnd(3) == 0) d.dim[0] += rnd(64);
    if (d.rank == 3 && rnd(2)) d.dim[2] = d.box[2] = 1;
    if (d.rank == 3) d.box[2] = 1;
    d.stride_bytes[0] = d.dim[0] * 2;
    d.stride_bytes[1] = d.rank == 3 && d.dim[2] == 1 ? 2 : d.stride_bytes[0] * d.dim[1];
    d.swizzle = (int32_t)rnd(4);
    if (rnd(4) == 0) d.address += 2 * rnd(8);
    if (needs_split) d.box[rnd(2)] = 512;
    return d;
}

static void bench_repair(const struct tmap_checker *c, bool split, size_t cap)
{
    static double us[SAMPLES];
    struct tmap_plan plans[4];
    struct tmap_repair_report r;
    size_t n = 0;
    while (n < SAMPLES) {
        const struct tmap_desc d = broken(split);
        if (tmap_verdict_of(c, &d) == TMAP_LEGAL) continue;
        const double start = now_us();
        tmap_repair(c, &d, NULL, workspace, sizeof workspace, plans, cap, &r, NULL);
        us[n++] = now_us() - start;
    }
    report(split ? (cap == 1 ? "repair, boxes to split" : "repair, split, 4 plans")
                 : (cap == 1 ? "repair, no split" : "repair, no split, 4 plans"),
           us, n, split ? "wanted 200 and 5000" : "wanted 20 and 1000");
}

/* Tiles of matrices as kernels request them; some need slabs, some nothing serves. */
static void bench_solve(const struct tmap_checker *c)
{
    static const struct {
        uint32_t consumer, major;
    } readers[] = {{TMAP_CONSUMER_NONE, TMAP_K_MAJOR},
                   {TMAP_CONSUMER_LDMATRIX, TMAP_K_MAJOR},
                   {TMAP_CONSUMER_WGMMA, TMAP_K_MAJOR},
                   {TMAP_CONSUMER_WGMMA, TMAP_MN_MAJOR}};
    static double us[SAMPLES];
    size_t served = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const uint64_t r = rnd(4);
        struct tmap_tile_request w = {.consumer = readers[r].consumer, .major = readers[r].major};
        struct tmap_tile_plan p;
        size_t found;
        char reason[160];
        w.tensor.dtype = rnd(3) ? TMAP_BFLOAT16 : TMAP_UINT8;
        w.tensor.rank = 2;
        w.tensor.address = 1 << 30;
        w.tensor.dim[0] = 512 << rnd(4);
        w.tensor.dim[1] = 512 << rnd(4);
        w.tensor.stride_bytes[0] = w.tensor.dim[0] * 2;
        w.tile[0] = 16u << rnd(5);
        w.tile[1] = 8u << rnd(6);
        w.op = r == 0 && rnd(2) ? TMAP_OP_STORE : TMAP_OP_LOAD;
        const double start = now_us();
        served += tmap_solve(c, &w, workspace, sizeof workspace, &p, 1, &found, reason,
                             sizeof reason) == TMAP_OK;
        us[i] = now_us() - start;
    }
    report("solve", us, SAMPLES, "wanted 50 and 2000");
    printf("%-34s %zu of %d requests have a plan\n", "", served, SAMPLES);
}

static void bench_prune(const struct tmap_checker *c)
{
    static const uint32_t m[] = {16, 32, 64, 128, 192, 256}, k[] = {16, 32, 64, 128, 256},
                          s[] = {1, 2, 3, 4, 5, 6, 7, 8}, w[] = {1, 2, 4, 8, 16, 32};
    const struct tmap_space space = {m, m, k, s, w, 6, 6, 5, 8, 6};
    const struct tmap_problem p = {
        .m = 4096, .n = 4096, .k = 4096, .dtype = TMAP_BFLOAT16, .out_dtype = TMAP_BFLOAT16};
    const uint64_t n = tmap_space_size(&space);
    struct tmap_config_answer a;
    uint64_t judged = 0, kept = 0;
    const double start = now_us();
    while (judged < 1000000)
        for (uint64_t i = 0; i < n; i++, judged++) {
            struct tmap_config config;
            tmap_space_at(&space, i, &config);
            tmap_prune(c, &p, &config, 1, &a);
            kept += a.verdict == TMAP_LEGAL;
        }
    const double one = now_us() - start;
    struct tmap_config *all = malloc(n * sizeof *all);
    struct tmap_config_answer *answers = malloc(n * sizeof *answers);
    if (!all || !answers) exit(1);
    for (uint64_t i = 0; i < n; i++) tmap_space_at(&space, i, &all[i]);
    const double again = now_us();
    uint64_t many = 0;
    for (; many < 1000000; many += n) tmap_prune(c, &p, all, n, answers);
    const double batch = now_us() - again;
    printf("%-34s %.2f million a second one by one, %.2f in one call; %llu of %llu can exist "
           "(wanted 1)\n",
           "prune", (double)judged / one, (double)many / batch,
           (unsigned long long)(kept * n / judged), (unsigned long long)n);
    free(all);
    free(answers);
}

/* Verdicts of spaces: of many stages and warps to a tile, and of one of each. */
static void bench_space(const struct tmap_checker *c)
{
    static uint32_t blocks[64], depths[16];
    static const uint32_t s[] = {1, 2, 3, 4, 5, 6, 7, 8}, w[] = {4, 8, 16};
    for (uint32_t i = 0; i < 64; i++) blocks[i] = 8 * (i + 1);
    for (uint32_t i = 0; i < 16; i++) depths[i] = 16 * (i + 1);
    const struct tmap_space spaces[] = {{blocks, blocks, depths, s, w, 64, 64, 16, 8, 3},
                                        {blocks, blocks, depths, s + 2, w, 64, 64, 16, 1, 1}};
    for (uint32_t model = 0; model < TMAP_MODEL_COUNT; model++)
        for (size_t i = 0; i < 2; i++) {
            const struct tmap_problem p = {.m = 4096,
                                           .n = 4096,
                                           .k = 4096,
                                           .dtype = TMAP_BFLOAT16,
                                           .out_dtype = TMAP_BFLOAT16,
                                           .model = model};
            const uint64_t n = tmap_space_size(&spaces[i]);
            const size_t bytes = tmap_space_workspace(&spaces[i]);
            uint8_t *verdicts = malloc(n);
            void *room = malloc(bytes);
            uint64_t counts[3], judged = 0;
            if (!verdicts || !room) exit(1);
            const double start = now_us();
            for (; judged < 20000000; judged += n)
                tmap_prune_space(c, &p, &spaces[i], 0, n, verdicts, counts, room, bytes);
            printf("%-34s %.0f million a second, %llu configurations, %llu a tile (wanted 50)\n",
                   tmap_model_name(model), (double)judged / (now_us() - start),
                   (unsigned long long)n,
                   (unsigned long long)(spaces[i].stages_count * spaces[i].warps_count));
            free(verdicts);
            free(room);
        }
}

static void bench_layout(const struct tmap_checker *c)
{
    static double us[SAMPLES];
    struct tmap_layout l;
    struct tmap_desc d;
    do d = broken(false);
    while (tmap_verdict_of(c, &d) != TMAP_LEGAL);
    for (size_t i = 0; i < SAMPLES; i++) {
        const double start = now_us();
        for (int k = 0; k < 100; k++) tmap_layout(c, &d, &l);
        us[i] = (now_us() - start) / 100;
    }
    report("layout", us, SAMPLES, "wanted 1");
}

int main(void)
{
    const struct tmap_target t = tmap_default_target();
    struct tmap_checker c;
    if (tmap_checker_prepare(&t, TMAP_CONTRACT_SAFE, &c) != TMAP_OK) return 1;
    bench_repair(&c, false, 1);
    bench_repair(&c, true, 1);
    bench_repair(&c, false, 4);
    bench_repair(&c, true, 4);
    bench_solve(&c);
    bench_space(&c);
    bench_prune(&c);
    bench_layout(&c);
    return 0;
}
