// Expressions and assumptions: what reads, what it means at points, and where what does not read is
// wrong.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbolic/poly/parse.h"
#include "symbolic/poly/print.h"

#include <string.h>

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

struct expression {
    const char *text;
    int64_t (*value)(int64_t K, int64_t M);
};

#define EXPRESSION(name, text, value)                                                              \
    static int64_t name(int64_t K, int64_t M)                                                      \
    {                                                                                              \
        (void)K, (void)M;                                                                          \
        return value;                                                                              \
    }
#define EXPRESSIONS(X)                                                                             \
    X(e1, "2*K + M", 2 * K + M)                                                                    \
    X(e2, "K/2 + M", floor_div(K, 2) + M)                                                          \
    X(e3, "K // 3", floor_div(K, 3))                                                               \
    X(e4, "2*K/4*3", floor_div(2 * K, 4) * 3)                                                      \
    X(e5, "8*K/4", 2 * K)                                                                          \
    X(e6, "ceildiv(K, 8)", floor_div(K + 7, 8))                                                    \
    X(e7, "ceildiv(K*M + 1, 0x10)*16", floor_div(K *M + 16, 16) * 16)                              \
    X(e8, "-(K - M)/2", floor_div(M - K, 2))                                                       \
    X(e9, "M + -M + K", K)                                                                         \
    X(e10, "min(K, M)", K < M ? K : M)                                                             \
    X(e11, "2*max(K, M + 1, 3) - K", 2 * (K > M + 1 ? K > 3 ? K : 3 : M > 2 ? M + 1 : 3) - K)      \
    X(e12, "min(K, K + 1) + max(7, 5)", K + 7)                                                     \
    X(e13, "min(K*M, 8)/2", floor_div(K *M < 8 ? K * M : 8, 2))                                    \
    X(e15, "min(K + 1, K) + max(5, 7)", K + 7)                                                     \
    X(e14, "max(min(K, 4), -min(M, 2))",                                                           \
      (K < 4 ? K : 4) > -(M < 2 ? M : 2) ? (K < 4 ? K : 4) : -(M < 2 ? M : 2))
EXPRESSIONS(EXPRESSION)

static void expressions_mean_what_they_say(void **state)
{
#define ENTRY(name, text, value) {text, name},
    static const struct expression table[] = {EXPRESSIONS(ENTRY)};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        sym_param(&w, "K", 1);
        sym_param(&w, "M", 1);
        const struct sym_poly *p = sym_parse(&w, table[i].text);
        if (!p) fail_msg("%s: %s", table[i].text, w.why);
        for (int64_t K = -20; K < 40; K++) {
            for (int64_t M = -5; M < 9; M++) {
                sym_int value = 0, at[2] = {K, M};
                assert_true(sym_eval(&w, p, at, &value));
                if ((int64_t)value != table[i].value(K, M)) {
                    fail_msg("%s at %d, %d", table[i].text, (int)K, (int)M);
                }
            }
        }
        sym_close(&w);
    }
}

#define ASSUMPTIONS(X)                                                                             \
    X(a1, "K % 8 == 0", K % 8 == 0)                                                                \
    X(a2, "1 <= K <= 9 and M != 3", 1 <= K && K <= 9 && M != 3)                                    \
    X(a3, "K == 4 or K == 7", K == 4 || K == 7)                                                    \
    X(a4, "K < 2 or K > 5 and M > 0", K < 2 || (K > 5 && M > 0))                                   \
    X(a5, "(K < 2 or K > 5) and M > 0", (K < 2 || K > 5) && M > 0)                                 \
    X(a6, "(K + 1) % 4 == 0 && M >= 1", floor_div(K + 1, 4) * 4 == K + 1 && M >= 1)                \
    X(a7, "K/2 <= M || ceildiv(K, 3) == 2", floor_div(K, 2) <= M || floor_div(K + 2, 3) == 2)      \
    X(a8, "((K == 1 or M == 1))", K == 1 || M == 1)                                                \
    X(a9, "K*K <= 10", K *K <= 10)                                                                 \
    X(a10, "K*K > 16", K *K > 16)                                                                  \
    X(a11, "3*K*K*K <= -100", 3 * K * K * K <= -100)                                               \
    X(a12, "K*K*K >= 28", K *K *K >= 28)                                                           \
    X(a13, "K*K == 16 or K*K*K == -27", K *K == 16 || K * K * K == -27)                            \
    X(a14, "K*K != 17 and K*K >= -1", true)                                                        \
    X(a15, "(K*K) % 8 == 0", (K * K) % 8 == 0)                                                     \
    X(a16, "(K*K + K) % 6 == 2", (K * K + K - 2) % 6 == 0)                                         \
    X(a17, "(K*K*K*K) % 5 != 1", (K * K * K * K) % 5 != 1)                                         \
    X(a18, "(K*K + M) % 4 == 0", (K * K + M) % 4 == 0)                                             \
    X(a20, "min(K, 8) >= M and max(K, M) != 4", (K < 8 ? K : 8) >= M && (K > M ? K : M) != 4)      \
    X(a19, "K*K*M <= 50", K *K *M <= 50)                                                           \
    X(a21, "K = 3 or (K) == 5", K == 3 || K == 5)                                                  \
    X(a22, "K % 8 == 9 or K % 8 == -1", false)                                                     \
    X(a23, "K % 1 == 0 and android > K or or2 < K", (0 > K) || (0 < K))                            \
    X(a24, "-K*K*K >= 27 or K*K <= -1", K <= -3)                                                   \
    X(a25, "K*K < 0 or -K*K*K == 8", K == -2)                                                      \
    X(a26, "(K*K) % 9 == 0 and (K*K + 2*K) % 15 != 0", K % 3 == 0 && (K * K + 2 * K) % 15 != 0)    \
    X(a27, "(5*K + 1) % 8 != 0 and (6*K) % 9 != 3", (5 * K + 1) % 8 != 0 && (6 * K - 3) % 9 != 0)
ASSUMPTIONS(EXPRESSION)

static void assumptions_mean_what_they_say(void **state)
{
    static const struct expression table[] = {ASSUMPTIONS(ENTRY)};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        sym_param(&w, "K", 1);
        sym_param(&w, "M", 1);
        const struct sym_form *f = sym_parse_assumption(&w, table[i].text);
        if (!f) fail_msg("%s: %s", table[i].text, w.why);
        for (int64_t K = -20; K < 40; K++) {
            for (int64_t M = -5; M < 9; M++) {
                const sym_int at[4] = {K, M}; /* others are 0 */
                if (sym_holds(&w, f, at) != table[i].value(K, M)) {
                    fail_msg("%s at %d, %d", table[i].text, (int)K, (int)M);
                }
            }
        }
        sym_close(&w);
    }
}

// Powers of one variable are said of the variable itself; congruences in lowest terms.
static void powers_disappear_where_they_can(void **state)
{
    static const struct {
        const char *text, *plain;
    } table[] = {
        {"(K*K) % 8 == 0", "K % 4 = 0"},
        {"(K*K) % 1024 == 0", "K % 32 = 0"},
        {"(K*K*K) % 16 == 0", "K % 4 = 0"},
        {"(2*K*K) % 16 == 0", "K % 4 = 0"},
        {"(K*K) % 8 == 4", "K % 4 = 2"},
        {"(K*K) % 8 == 1", "K % 2 = 1"},
        {"(K*K) % 8 != 0", "K % 4 != 0"},
        {"(K*K) % 12 == 0", "K % 6 = 0"},
        {"(K*K) % 4 == 3", "false"},
        {"(K*K + K) % 2 == 0", "true"},
        {"(K*K) % 5 == 1", "(K*K) % 5 = 1"},
        {"(K*M) % 8 == 0", "(K*M) % 8 = 0"},
        {"2*K*K <= 4294967296", "-46340 <= K <= 46340"},
        {"K*K >= 0", "true"},
        {"K*K == 17", "false"},
        {"K*K*K <= 1000", "K <= 10"},
        {"(K*K) % 8192 == 0", "(K*K) % 8192 = 0"},
        {"(K*K*K) % 9 == 8", "K % 3 = 2"},
        {"(K*K + K) % 6 == 0", "(K + K*K) % 6 = 0"},
        {"3*K*K == 12", "K = 2 or K = -2"},
        {"K*M*M <= 7", "K*M*M <= 7"},
        {"K*K == 0", "K = 0"},
        {"K*K == -4", "false"},
        {"K*K*K == 0", "K = 0"},
        {"(K*K) % 12 == 4", "(K*K) % 12 = 4"},
        {"(K*K + 3*K) % 4 == 2", "(3*K + K*K) % 4 = 2"},
        {"K*K*K <= 9223372036854775808*4611686018427387904", "K <= 3490731829165"},
        {"K*K <= 9223372036854775808*9223372036854775808",
         "K*K <= 85070591730234615865843651857942052864"},
        {"K*K >= -9223372036854775808*9223372036854775808 - 1",
         "K*K >= -85070591730234615865843651857942052865"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[128] = "";
        struct sym_text t = {text, sizeof text, 0};
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        const struct sym_form *f = sym_parse_assumption(&w, table[i].text);
        assert_non_null(f);
        sym_print_form(&t, &w, SYM_TEXT, f);
        assert_string_equal(text, table[i].plain);
        sym_close(&w);
    }
}

static void what_does_not_read_says_where(void **state)
{
    static const struct {
        const char *text, *why;
    } table[] = {
        {"K / M", "a positive integer"},
        {"K / 0", "a positive integer"},
        {"ceildiv(K)", "','"},
        {"ceildiv(K, M)", "a positive integer"},
        {"min(K)", "','"},
        {"K +", "a number"},
        {"max(K, 4", "',' or ')'"},
        {"min", "'('"},
        {"K and M", "the end"},
        {"\xc3\x9f", "a number"},
        {"K / 4611686018427387904", "a positive integer"},
        {"K / 18446744073709551616", "a number below 2^64"},
        {"ceildiv K", "'('"},
        {"ceildiv(K, 2", "')'"},
        {"K2345678901234567890123456789012", "a name of at most 31 characters"},
        {"18446744073709551616", "a number below 2^64"},
        {"((((((((((((((((((((((((((((((((K))))))))))))))))))))))))))))))))", "fewer nested"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        assert_null(sym_parse(&w, table[i].text));
        if (!strstr(w.why, table[i].why)) fail_msg("%s: %s", table[i].text, w.why);
        assert_int_equal(w.status, TMAP_E_ARGUMENT);
        sym_close(&w);
    }
    static const char *const bad[] = {
        "K",
        "K == 1 or",
        "(K == 1",
        "K == 1)",
        "K == 1 and or M == 1",
        "and",
        "K % 8",
        "() == 1",
        "K % 0 == 0",
        "K % 4611686018427387904 == 0",
        "K % 8 == 1 % 2",
        "K % 8 <= 1",
        "K % 8 == M",
        "K == M % 8",
        "K == 1 (",
        "((((((((((((((((((((((((((((((((((K == 1))))))))))))))))))))))))))))))))))",
        "(K"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sym_work w;
        assert_true(sym_open(&w, NULL));
        if (sym_parse_assumption(&w, bad[i])) fail_msg("%s reads", bad[i]);
        assert_int_equal(w.status, TMAP_E_ARGUMENT);
        sym_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_mean_what_they_say),
        cmocka_unit_test(assumptions_mean_what_they_say),
        cmocka_unit_test(powers_disappear_where_they_can),
        cmocka_unit_test(what_does_not_read_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
