/* bench/check : how long a verdict takes, beside the driver's own encode call where there is one.
 *
 * The set: 4096 descriptors of ranks 1 to 5, all kinds of use, half legal and half with one to
 * three fields wrong, drawn by the seed below and shuffled by it; its hash is printed, and
 * tests/core asserts it, so that no run is over another set. Aim on one core: 25 ns for the verdict
 * of a legal one, 60 ns for all violations of an illegal one; by columns 4 ns, at every rank.
 * Medians over repeats, of columns the least too; nothing is allocated. */
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

/* How a table lies: its length, so that it fits a second-level cache or does not, and the alignment
 * of its columns, 0 as malloc has them. */
static const struct lie {
    size_t n, align;
} lies[] = {{4096, 64}, {4096, 0}, {16384, 64}, {16384, 0}, {65536, 64}, {65536, 0}};
#define LONGEST 65536

/* A verdict of a table's, in nanoseconds: least and median over repeats. */
struct column_ns {
    double least, median;
};

static struct column_ns time_table(const struct tmap_checker *c, const struct table *t,
                                   enum columns_isa isa)
{
    static enum tmap_verdict verdicts[LONGEST];
    double ns[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        const double start = now_ns();
        columns_check(columns_rows_of(isa), c, &t->column, t->n, verdicts);
        ns[r] = (now_ns() - start) / (double)t->n;
    }
    qsort(ns, REPEATS, sizeof ns[0], by_value);
    return (struct column_ns){ns[0], ns[REPEATS / 2]};
}

/* The set by columns, a rank a table, by the rows of a vector width. */
static void by_columns(const struct tmap_checker *c, const struct tmap_desc *set, bool all,
                       const struct lie *lie, enum columns_isa isa)
{
    static const char *const names[COLUMNS_ISAS] = {"base", "AVX2", "AVX-512"};
    static struct tmap_desc d[LONGEST];
    struct column_ns of[TMAP_MAX_RANK];
    for (uint32_t rank = 1; rank <= TMAP_MAX_RANK; rank++) {
        struct table t;
        size_t n = 0;
        for (size_t i = 0; n < lie->n; i++)
            if (set[i % CHECK_SET].rank == rank) d[n++] = set[i % CHECK_SET];
        table_place(d, n, lie->align, &t);
        if (!all) table_keep_shape(&t);
        of[rank - 1] = time_table(c, &t, isa);
        table_free(&t);
    }
    printf("%-7s %-25s %5zu, %-7s  median", names[isa],
           all ? "every member" : "address, dim, stride, box", lie->n,
           lie->align ? "aligned" : "malloc");
    for (int k = 0; k < TMAP_MAX_RANK; k++) printf(" %5.2f", of[k].median);
    printf("  least");
    for (int k = 0; k < TMAP_MAX_RANK; k++) printf(" %5.2f", of[k].least);
    printf("\n");
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
    printf("by columns, so many descriptors: nanoseconds at rank 1 to 5\n");
    for (int isa = COLUMNS_ISAS; isa-- > 0;)
        for (size_t k = 0; k < 2 * sizeof lies / sizeof lies[0]; k++)
            if (columns_rows_of((enum columns_isa)isa) != NULL)
                by_columns(&c, set, k % 2 == 0, &lies[k / 2], (enum columns_isa)isa);
    driver_beside();
    return 0;
}
