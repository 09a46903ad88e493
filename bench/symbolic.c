/* symbolic.c : how long conditions, guards, paddings, differences and certificates take.
 *
 * Medians of fresh questions in a warm context; the cold starts of isl and Z3 apart. Prints a line
 * a figure, with its budget where one is set; exit code 1 when a budget is exceeded by a factor of
 * 3 (a shared machine is no reason to fail). */
#include "tmap/symbolic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { RUNS = 101 };

static const struct tmap_symbolic_desc gemm = {.desc = {.dtype = TMAP_BFLOAT16,
                                                        .rank = 2,
                                                        .address = 0x7f0000000000,
                                                        .box = {64, 128},
                                                        .elem_stride = {1, 1},
                                                        .swizzle = TMAP_SWIZZLE_128B},
                                               .dim = {"K", "M"},
                                               .stride = {"2*K"}};

static const struct tmap_symbolic_desc rank5 = {.desc = {.dtype = TMAP_BFLOAT16,
                                                         .rank = 5,
                                                         .box = {64, 8, 4, 1, 1},
                                                         .elem_stride = {1, 1, 1, 1, 1},
                                                         .swizzle = TMAP_SWIZZLE_128B},
                                                .address = "A",
                                                .dim = {"D0", "D1", "D2", "D3", "D4"},
                                                .stride = {"S0", "S1", "S2", "S3"}};

static const struct tmap_symbolic_desc attention = {
    .desc = {.dtype = TMAP_BFLOAT16,
             .rank = 5,
             .box = {64, 1, 64, 1, 1},
             .elem_stride = {1, 1, 1, 1, 1},
             .swizzle = TMAP_SWIZZLE_128B},
    .dim = {"D", "H", "S", "B", "L"},
    .stride = {"2*D", "2*D*H", "2*D*H*S", "2*D*H*S*B"}};

static const struct tmap_symbolic_desc nhwc = {.desc = {.kind = TMAP_IM2COL,
                                                        .dtype = TMAP_BFLOAT16,
                                                        .rank = 4,
                                                        .elem_stride = {1, 1, 1, 1},
                                                        .lower = {-1, -1},
                                                        .upper = {-1, -1},
                                                        .channels = 64,
                                                        .pixels = 128,
                                                        .swizzle = TMAP_SWIZZLE_128B},
                                               .dim = {"C", "W", "H", "N"},
                                               .stride = {"2*C", "2*C*W", "2*C*W*H"}};

struct bench {
    struct tmap_symbolic *s;
    struct tmap_checker checker;
    struct tmap_condition *condition;
    const struct tmap_symbolic_desc *desc;
    int slow;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(struct bench *b, const char *what, double ms, double budget_ms)
{
    printf("%-44s %9.3f ms", what, ms);
    if (budget_ms > 0) printf("   budget %7.1f ms%s", budget_ms, ms > budget_ms ? "  OVER" : "");
    putchar('\n');
    b->slow |= budget_ms > 0 && ms > 3 * budget_ms;
}

static void median(struct bench *b, const char *what, double budget_ms, void (*run)(struct bench *))
{
    static double took[RUNS];
    for (int i = 0; i < RUNS; i++) {
        double start = now_ms();
        run(b);
        took[i] = now_ms() - start;
    }
    qsort(took, RUNS, sizeof *took, by_value);
    report(b, what, took[RUNS / 2], budget_ms);
}

static void fail(const struct bench *b)
{
    fprintf(stderr, "bench/symbolic: %s\n", tmap_symbolic_why(b->s));
    exit(2);
}

static void condition(struct bench *b)
{
    struct tmap_condition *c;
    if (tmap_condition_of(b->s, &b->checker, b->desc, 1, NULL, 0, &c) != TMAP_OK) fail(b);
    tmap_condition_free(c);
}

static void guard(struct bench *b)
{
    static char text[1 << 15];
    size_t length;
    if (tmap_guard_c(b->s, b->condition, TMAP_GUARD_C, "f", text, sizeof text, &length) !=
        TMAP_OK) {
        fail(b);
    }
}

static void padding(struct bench *b)
{
    static char text[1 << 15];
    size_t length;
    if (tmap_condition_padding(b->s, b->condition, TMAP_FORM_TEXT, text, sizeof text, &length) !=
        TMAP_OK) {
        fail(b);
    }
}

/* That 8 units and one change are the least that mends a box of 72 under swizzle 128B. */
static void certificate(struct bench *b)
{
    static const struct tmap_field_cost box[] = {{"box", 0, 5, 1}, {"swizzle", -1, 20, 0}};
    struct tmap_desc desc = gemm.desc;
    struct tmap_claim claim = {&desc, box, 2, 13, false};
    enum tmap_proof proof;
    struct tmap_violation core[8];
    size_t found;
    desc.dim[0] = desc.dim[1] = 4096;
    desc.stride_bytes[0] = 8192;
    desc.box[0] = 72;
    if (tmap_certify(b->s, &b->checker, &claim, &proof, core, 8, &found, NULL, 0, NULL) !=
            TMAP_OK ||
        proof != TMAP_PROVED) {
        fail(b);
    }
}

static void difference(struct bench *b)
{
    struct tmap_target target = b->checker.target;
    struct tmap_checker to;
    struct tmap_diff_proof proof;
    size_t n;
    target.arch = tmap_arch_find("sm_100");
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &to);
    if (tmap_diff(b->s, &b->checker, &to, NULL, 0, &n, &proof) != TMAP_OK ||
        proof.nothing_else != TMAP_PROVED) {
        fail(b);
    }
}

static void measure(struct bench *b, const char *name, const struct tmap_symbolic_desc *desc,
                    double budget_ms, double guard_ms)
{
    char what[64];
    b->desc = desc;
    snprintf(what, sizeof what, "condition, %s", name);
    median(b, what, budget_ms, condition);
    if (tmap_condition_of(b->s, &b->checker, desc, 1, NULL, 0, &b->condition) != TMAP_OK) fail(b);
    snprintf(what, sizeof what, "guard, %s", name);
    median(b, what, guard_ms, guard);
    snprintf(what, sizeof what, "least padding, %s", name);
    median(b, what, 0, padding);
    tmap_condition_free(b->condition);
}

static long peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

int main(void)
{
    struct tmap_target target = tmap_default_target();
    struct bench b = {.desc = &gemm};
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &b.checker);
    if (tmap_symbolic_open(NULL, &b.s) != TMAP_OK) return 2;
    double start = now_ms();
    condition(&b);
    report(&b, "first condition (isl starts)", now_ms() - start, 0);
    measure(&b, "2 parameters", &gemm, 0.5, 1);
    measure(&b, "rank 5, 5 parameters and their products", &attention, 1, 10);
    measure(&b, "NHWC im2col", &nhwc, 1, 10);
    measure(&b, "rank 5, 10 parameters", &rank5, 10, 10);
    printf("%-44s %6ld    MiB\n", "peak memory before Z3", peak_mib());
    start = now_ms();
    const char *solvers = tmap_symbolic_solvers(b.s);
    if (strstr(solvers, "no Z3")) {
        printf("SKIP certificates: %s\n", solvers);
    } else {
        report(&b, "Z3 starts", now_ms() - start, 60);
        median(&b, "certificate with its smallest core", 10, certificate);
        median(&b, "difference sm_90 to sm_100, proved", 2000, difference);
    }
    printf("%-44s %6ld    MiB   budget     100\n%s\n", "peak memory", peak_mib(), solvers);
    tmap_symbolic_close(b.s);
    return b.slow;
}
