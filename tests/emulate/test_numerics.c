/* The examples of docs/NUMERICS.md: every row of its table is what the emulator's tensor core,
 * which leaves what an H200 left (test_recorded), makes of it; and its last column what fp32 does.
 * Infinities and NaN, and sums that are too large, beside a column of plain numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/ops/ops.h"
#include "emulate/tensor/tensor.h"

static const struct {
    const char *name;
    enum tensor_type type;
    uint32_t k;
} kinds[] = {{"bf16", TENSOR_BF16, 16},
             {"fp16", TENSOR_F16, 16},
             {"tf32", TENSOR_TF32, 8},
             {"e4m3", TENSOR_E4M3, 32},
             {"e5m2", TENSOR_E5M2, 32}};
enum { KINDS = sizeof kinds / sizeof *kinds, CELLS = 5, CELL = 80 };

/* 2^n, or a decimal number; *s moves past it. */
static double term(const char **s)
{
    char *end;
    const double v = strtod(*s, &end);
    assert_true(end != *s);
    *s = end;
    if (*end != '^') return v;
    const long n = strtol(end + 1, &end, 10);
    *s = end;
    return ldexp(v < 0 ? -1 : 1, (int)n);
}

/* Terms with + and - between. */
static double sum_of(const char *s)
{
    double v = term(&s);
    while (s[0] == ' ' && (s[1] == '+' || s[1] == '-')) {
        const double sign = s[1] == '+' ? 1 : -1;
        s += 3;
        v += sign * term(&s);
    }
    assert_int_equal(*s, 0);
    return v;
}

struct terms {
    double a[TENSOR_K], b[TENSOR_K];
    uint32_t n;
};

/* "1 x 1, 2 of 2^-12 x 2^-12" */
static void read_products(const char *s, uint32_t k, struct terms *t)
{
    memset(t, 0, sizeof *t);
    for (;;) {
        uint32_t times;
        int used = 0;
        if (sscanf(s, "%u of %n", &times, &used) < 1 || used == 0) times = 1;
        s += used;
        const double a = term(&s);
        assert_memory_equal(s, " x ", 3);
        s += 3;
        const double b = term(&s);
        assert_true(t->n + times <= k);
        for (uint32_t i = 0; i < times; i++) t->a[t->n] = a, t->b[t->n++] = b;
        if (*s == 0) return;
        assert_memory_equal(s, ", ", 2);
        s += 2;
    }
}

static void holds(char cell[CELLS][CELL])
{
    size_t kind = 0;
    struct terms t;
    while (kind < KINDS && strcmp(kinds[kind].name, cell[0]) != 0) kind++;
    assert_true(kind < KINDS);
    read_products(cell[2], kinds[kind].k, &t);
    double d = sum_of(cell[1]);
    float f = (float)d;
    const struct tensor_product p = {.rows = 1,
                                     .cols = 1,
                                     .k = kinds[kind].k,
                                     .adds = true,
                                     .type = kinds[kind].type,
                                     .b_type = kinds[kind].type,
                                     .arch = TMAP_ARCH(90, 1),
                                     .a = t.a,
                                     .b = t.b,
                                     .d = &d};
    tensor_multiply(&p);
    for (uint32_t i = 0; i < t.n; i++) f = fmaf((float)t.a[i], (float)t.b[i], f);
    if (d != sum_of(cell[3]) || (double)f != sum_of(cell[4]))
        fail_msg("%s %s, %s: the core leaves %.17g, not %s; fp32 %.17g, not %s", cell[0], cell[1],
                 cell[2], d, cell[3], (double)f, cell[4]);
}

/* A row of the examples: its cells, without the blanks around; false for any other line. */
static bool row_of(const char *line, char cell[CELLS][CELL])
{
    for (int i = 0; i < CELLS; i++) {
        int used = 0;
        if (sscanf(line, " | %79[^|]%n", cell[i], &used) != 1 || used == 0) return false;
        line += used;
        for (size_t n = strlen(cell[i]); n > 0 && cell[i][n - 1] == ' '; n--) cell[i][n - 1] = 0;
    }
    return true;
}

static void every_example_holds(void **state)
{
    char line[400], cell[CELLS][CELL];
    bool inside = false;
    int rows = 0;
    (void)state;
    FILE *page = fopen("docs/NUMERICS.md", "r");
    assert_non_null(page);
    while (fgets(line, sizeof line, page)) {
        if (strncmp(line, "## ", 3) == 0) inside = strcmp(line, "## Examples\n") == 0;
        if (!inside || line[0] != '|' || !row_of(line, cell)) continue;
        if (strcmp(cell[0], "kind") == 0 || strncmp(cell[0], "---", 3) == 0) continue;
        holds(cell);
        rows++;
    }
    fclose(page);
    print_message("# %d rows\n", rows);
    assert_true(rows >= 10);
}

/* --- infinities and NaN */

static const struct special {
    enum tensor_type type;
    bool half;
    double d;
    const char *products;
    double sum;
} specials[] = {
    {TENSOR_BF16, false, 1, "inf x 2, 1 x 1", (double)INFINITY},
    {TENSOR_BF16, false, 1, "inf x -2, 1 x 1", -(double)INFINITY},
    {TENSOR_BF16, false, 1, "2 x inf, 1 x 1", (double)INFINITY},
    {TENSOR_BF16, false, 1, "1 x 1, 2 x -inf", -(double)INFINITY},
    {TENSOR_BF16, false, 1, "2 x inf, 2 x -inf", (double)NAN},
    {TENSOR_BF16, false, 1, "0 x inf, 1 x 1", (double)NAN},
    {TENSOR_BF16, false, 1, "inf x 0, 1 x 1", (double)NAN},
    {TENSOR_BF16, false, 1, "nan x 1, 1 x 1", (double)NAN},
    {TENSOR_BF16, false, 1, "1 x nan, 1 x 1", (double)NAN},
    {TENSOR_BF16, false, (double)INFINITY, "1 x 1", (double)INFINITY},
    {TENSOR_BF16, false, -(double)INFINITY, "1 x 1", -(double)INFINITY},
    {TENSOR_BF16, false, (double)INFINITY, "inf x 1", (double)INFINITY},
    {TENSOR_BF16, false, (double)INFINITY, "inf x -1", (double)NAN},
    {TENSOR_BF16, false, (double)NAN, "1 x 1", (double)NAN},
    {TENSOR_BF16, false, (double)NAN, "inf x 1", (double)NAN},
    {TENSOR_BF16, false, 0, "2^127 x 2", (double)INFINITY},
    {TENSOR_BF16, false, 0, "2^127 x -2", -(double)INFINITY},
    {TENSOR_E5M2, false, 0, "inf x 1, 1 x inf", (double)INFINITY},
    {TENSOR_F16, true, 1, "1 x inf", (double)INFINITY},
    {TENSOR_F16, true, 1, "-1 x inf", -(double)INFINITY},
    {TENSOR_F16, true, (double)NAN, "1 x 1", (double)NAN},
    {TENSOR_F16, true, 65504, "256 x 256", (double)INFINITY},
};

static bool is(double v, double wanted, bool half)
{
    /* the one NaN that the core leaves */
    if (isnan(wanted)) return isnan(v) && (half || emu_bits((float)v) == 0x7fffffff);
    return v == wanted;
}

/* The sums of both columns of B, or of the second alone. */
static void multiply(const struct special *s, const struct terms *t, uint32_t from, double d[2])
{
    double b[2 * TENSOR_K];
    const uint32_t cols = 2 - from;
    for (uint32_t i = 0; i < t->n; i++) {
        if (from == 0) b[2 * i] = t->b[i];
        b[(i + 1) * cols - 1] = 1 + i;
    }
    const struct tensor_product p = {.rows = 1,
                                     .cols = cols,
                                     .k = t->n,
                                     .adds = true,
                                     .half_result = s->half,
                                     .type = s->type,
                                     .b_type = s->type,
                                     .arch = TMAP_ARCH(90, 1),
                                     .a = t->a,
                                     .b = b,
                                     .d = d + from};
    tensor_multiply(&p);
}

static void infinities(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const struct special *s = &specials[i];
        double both[2] = {s->d, 3}, other[2] = {0, 3};
        struct terms t;
        read_products(s->products, TENSOR_K, &t);
        multiply(s, &t, 0, both);
        multiply(s, &t, 1, other);
        if (!is(both[0], s->sum, s->half) || !is(both[1], other[1], s->half))
            fail_msg("row %zu: %g, not %g; beside it %g, not %g", i, both[0], s->sum, both[1],
                     other[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example_holds),
                                       cmocka_unit_test(infinities)};
    return cmocka_run_group_tests_name("the examples of NUMERICS", tests, NULL, NULL);
}
