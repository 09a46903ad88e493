/* bench/check : how long a verdict takes, beside the driver's own encode call where there is one.
 *
 * The set: 4096 descriptors of ranks 1 to 5, all kinds of use, half legal and half with one to
 * three fields wrong, drawn by the seed below and shuffled by it; its hash is printed, and
 * tests/core asserts it, so that no run is over another set. Aim on one core: 25 ns for the verdict
 * of a legal one, 60 ns for all violations of an illegal one; by columns 4 ns. Medians over
 * repeats; nothing is allocated. */
#include "tmap/driver.h"
#include "tmap/tmap.h"

#include "check_set.h"
#include "columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPEATS 201

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double verdicts(const struct tmap_checker *c, const struct tmap_desc *d, size_t n, int *sum)
{
    const double start = now_ns();
    for (size_t i = 0; i < n; i++) *sum += (int)tmap_verdict_of(c, &d[i]);
    return (now_ns() - start) / (double)n;
}

static double violations(const struct tmap_checker *c, const struct tmap_desc *d, size_t n,
                         int *sum)
{
    struct tmap_violation v[32];
    size_t found;
    const double start = now_ns();
    for (size_t i = 0; i < n; i++) {
        tmap_check_with(c, &d[i], v, 32, &found, NULL);
        *sum += (int)found;
    }
    return (now_ns() - start) / (double)n;
}

static void
report(const char *what, const struct tmap_checker *c, const struct tmap_desc *d, size_t n,
       double (*run)(const struct tmap_checker *, const struct tmap_desc *, size_t, int *))
{
    double ns[REPEATS];
    int sum = 0;
    for (int r = 0; r < REPEATS; r++) ns[r] = run(c, d, n, &sum);
    qsort(ns, REPEATS, sizeof ns[0], by_value);
    printf("%-44s %5zu descriptors  median %6.1f ns  p10 %6.1f  p90 %6.1f  (sum %d)\n", what, n,
           ns[REPEATS / 2], ns[REPEATS / 10], ns[REPEATS * 9 / 10], sum);
}

/* The set by columns, a rank a table: each 16384 long, so that what a call asks once is a small
 * part. By the rows of every vector width that this processor has. */
#define LONG 16384
static void by_columns(const struct tmap_checker *c, const struct tmap_desc *set, bool all,
                       enum columns_isa isa)
{
    static const char *const names[COLUMNS_ISAS] = {"base", "AVX2", "AVX-512"};
    static struct tmap_desc d[LONG];
    static enum tmap_verdict verdicts[LONG];
    for (uint32_t rank = 1; rank <= TMAP_MAX_RANK; rank++) {
        struct table t;
        double ns[REPEATS];
        size_t n = 0, asked = 0;
        for (size_t i = 0; n < LONG; i++)
            if (set[i % CHECK_SET].rank == rank) d[n++] = set[i % CHECK_SET];
        table_make(d, n, &t);
        if (!all) table_keep_shape(&t);
        for (int r = 0; r < REPEATS; r++) {
            const double start = now_ns();
            asked = columns_check(columns_rows_of(isa), c, &t.column, n, verdicts);
            ns[r] = (now_ns() - start) / (double)n;
        }
        qsort(ns, REPEATS, sizeof ns[0], by_value);
        printf("by columns, %-7s rank %u, %-24s %5zu descriptors  median %6.1f ns  p10 %6.1f  p90 "
               "%6.1f  "
               "(one by one %zu)\n",
               names[isa], rank, all ? "every member" : "address, dim, stride, box", n,
               ns[REPEATS / 2], ns[REPEATS / 10], ns[REPEATS * 9 / 10], asked);
        table_free(&t);
    }
}

/* The driver's encode call in the same run, where there is one to ask. */
static void driver_beside(void)
{
    struct tmap_driver *driver = NULL;
    struct tmap_driver_times t;
    if (tmap_driver_open(NULL, 0, &driver, NULL) != TMAP_OK) {
        printf("no driver here: its encode call is not timed beside\n");
        return;
    }
    if (tmap_driver_time(driver, 1000, &t) == TMAP_OK)
        printf("cuTensorMapEncodeTiled in the same run: %.1f ns for a legal one, %.1f ns for a "
               "refused one\n",
               t.driver_legal_ns, t.driver_refused_ns);
    tmap_driver_close(driver);
}

int main(int argc, char **argv)
{
    static struct tmap_desc set[CHECK_SET], legal[CHECK_SET], illegal[CHECK_SET];
    size_t legals = 0, illegals = 0;
    struct tmap_checker c;
    const struct tmap_target target = tmap_default_target();
    check_set_make(set);
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c);
    for (size_t i = 0; i < CHECK_SET; i++)
        if (tmap_verdict_of(&c, &set[i]) == TMAP_LEGAL)
            legal[legals++] = set[i];
        else
            illegal[illegals++] = set[i];
    printf(
        "set of %d, hash %016llx, %zu legal, %zu illegal; target 13.0/580/sm_90a, contract safe\n",
        CHECK_SET, (unsigned long long)check_set_hash(set), legals, illegals);
    if (argc > 2 && strcmp(argv[1], "--count") == 0) { /* for an instruction count: tests/core */
        int sum = 0;
        if (strcmp(argv[2], "legal") == 0) verdicts(&c, legal, legals, &sum);
        if (strcmp(argv[2], "illegal") == 0) violations(&c, illegal, illegals, &sum);
        return sum < 0; /* "setup": neither, to be subtracted */
    }
    report("verdict of a legal one", &c, legal, legals, verdicts);
    report("all violations of an illegal one", &c, illegal, illegals, violations);
    report("verdict, legal and illegal mixed", &c, set, CHECK_SET, verdicts);
    for (int isa = COLUMNS_ISAS; isa-- > 0;) {
        if (columns_rows_of((enum columns_isa)isa) == NULL) continue;
        by_columns(&c, set, true, (enum columns_isa)isa);
        by_columns(&c, set, false, (enum columns_isa)isa);
    }
    driver_beside();
    return 0;
}
