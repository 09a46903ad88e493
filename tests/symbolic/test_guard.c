// Guards: the emitted C, C++ and Python compile without a warning and agree with the native check
// on arguments of the whole 64-bit range, also where sums and products come round to what is legal.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/random_desc.h"

#include <dlfcn.h>
#include <unistd.h>

typedef int guard_call(const int64_t *values);

struct workshop {
    char dir[64];
    struct tmap_symbolic *s;
    struct symbolic_case c;
    struct tmap_condition *condition;
};

static bool have(const char *tool)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", tool);
    return system(command) == 0;
}

static void open_workshop(struct workshop *w, const char *path)
{
    snprintf(w->c.path, sizeof w->c.path, "%s", path);
    assert_true(case_open(&w->c));
    assert_int_equal(tmap_condition_of(w->s, &w->c.checker, w->c.desc, w->c.n, w->c.assume,
                                       w->c.n_assume, &w->condition),
                     TMAP_OK);
}

static void close_workshop(struct workshop *w)
{
    tmap_condition_free(w->condition);
    case_close(&w->c);
}

static void write_guard(const struct workshop *w, enum tmap_guard_language language,
                        const char *name, FILE *out)
{
    static char text[1 << 16];
    size_t length;
    if (tmap_guard_c(w->s, w->condition, language, name, text, sizeof text, &length) != TMAP_OK)
        fail_msg("%s: %s", w->c.path, tmap_symbolic_why(w->s));
    assert_true(length < sizeof text);
    fputs(text, out);
}

static void write_call(const struct workshop *w, const char *name, FILE *out)
{
    fprintf(out, "int call_%s(const int64_t *v);\nint call_%s(const int64_t *v)\n{\n", name, name);
    fprintf(out, "    (void)v;\n    return %s(", name);
    for (size_t i = 0; i < tmap_condition_param_count(w->condition); i++) {
        fprintf(out, "%sv[%zu]", i ? ", " : "", i);
    }
    fprintf(out, ");\n}\n");
}

// The guard and its two callers, appended to a source.
static void write_unit(const struct workshop *w, const char *name, FILE *out)
{
    char assumes[80];
    snprintf(assumes, sizeof assumes, "%s_assumes", name);
    write_guard(w, TMAP_GUARD_C, name, out);
    fputs("#ifdef __cplusplus\nextern \"C\" {\n#endif\n", out);
    write_call(w, name, out);
    write_call(w, assumes, out);
    fputs("#ifdef __cplusplus\n}\n#endif\n", out);
}

static void compile(const char *compiler, const char *source, const char *output)
{
    char command[512];
    snprintf(command, sizeof command,
             "%s -O2 -Wall -Wextra -Wpedantic -Wno-unused-function -Werror -shared -fPIC -o %s %s",
             compiler, output, source);
    int status = system(command);
    if (status != 0) fail_msg("status %d: %s", status, command);
}

static void any_point(const struct workshop *w, uint64_t *random, long i, int64_t *values)
{
    size_t n = tmap_condition_param_count(w->condition);
    if (i % 3 == 1 && n)
        wrapping_point(random, n, values);
    else if (i % 16 == 2)
        for (size_t k = 0; k < n; k++) values[k] = (int64_t)next_random(random);
    else
        random_point(random, n, values);
}

struct called {
    guard_call *guard, *assumes;
    long assumed, legal;
};

static void compare_at(const struct workshop *w, struct called *c, const int64_t *values)
{
    int given = c->assumes(values), answer = c->guard(values);
    assert_in_range(answer, 0, 1);
    if (given != tmap_condition_assumed(w->condition, values)) fail_msg("%s", w->c.path);
    int truth = given && native_legal(w->condition, &w->c, values);
    if (answer != truth) fail_msg("%s: guard %d, check %d", w->c.path, answer, truth);
    c->assumed += given;
    c->legal += truth;
}

// Each parameter at the ends of its type and around 0, the others 1 or 64.
static void compare_corners(const struct workshop *w, struct called *c)
{
    static const int64_t corners[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 7, INT64_MAX};
    const size_t n = tmap_condition_param_count(w->condition);
    int64_t values[CASE_PARAMS];
    for (size_t i = 0; i < 2 * n * (sizeof corners / sizeof corners[0]); i++) {
        for (size_t k = 0; k < n; k++) values[k] = i % 2 ? 1 : 64;
        values[i / 2 % n] = corners[i / 2 / n];
        compare_at(w, c, values);
    }
}

static void compare(const struct workshop *w, void *library, const char *name, long n)
{
    struct called c = {0};
    char symbol[96];
    int64_t values[CASE_PARAMS];
    uint64_t random = 0x2545f4914f6cdd1du;
    snprintf(symbol, sizeof symbol, "call_%s", name);
    *(void **)&c.guard = dlsym(library, symbol);
    snprintf(symbol, sizeof symbol, "call_%s_assumes", name);
    *(void **)&c.assumes = dlsym(library, symbol);
    compare_corners(w, &c);
    for (long i = 0; i < n; compare_at(w, &c, values), i++) any_point(w, &random, i, values);
    if (c.legal == 0 && n >= 20000) fail_msg("%s: no legal point among %ld", w->c.path, c.assumed);
}

static int make_dir(void **state)
{
    static struct workshop w;
    snprintf(w.dir, sizeof w.dir, "/tmp/tmap-guards-XXXXXX");
    if (!mkdtemp(w.dir)) return -1;
    *state = &w;
    return tmap_symbolic_open(NULL, &w.s) == TMAP_OK ? 0 : -1;
}

static int remove_dir(void **state)
{
    struct workshop *w = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", w->dir);
    tmap_symbolic_close(w->s);
    return system(command);
}

// All cases of a list in one source, compiled and compared.
static void compile_and_compare(struct workshop *w, const char *compiler, const char *file,
                                const struct symbolic_case *cases, size_t n, long points)
{
    char source[128], library[160], name[32];
    snprintf(source, sizeof source, "%s/%s", w->dir, file);
    snprintf(library, sizeof library, "%s.so", source);
    FILE *out = fopen(source, "w");
    assert_non_null(out);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "guard%zu", i);
        open_workshop(w, cases[i].path);
        write_unit(w, name, out);
        close_workshop(w);
    }
    fclose(out);
    compile(compiler, source, library);
    void *at = dlopen(library, RTLD_NOW);
    assert_non_null(at);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "guard%zu", i);
        open_workshop(w, cases[i].path);
        compare(w, at, name, points);
        close_workshop(w);
    }
    dlclose(at);
}

static void guards_in_c_agree_with_the_check(void **state)
{
    static struct symbolic_case cases[CASE_MAX];
    size_t n = case_list(cases);
    assert_in_range(n, 30, CASE_MAX);
    compile_and_compare(*state, "cc -std=c99", "guard.c", cases, n, points_wanted(20000));
}

static void guards_compile_elsewhere(void **state)
{
    static struct symbolic_case cases[CASE_MAX];
    size_t n = case_list(cases);
    if (have("clang")) {
        compile_and_compare(*state, "clang -std=c99", "clang.c", cases, n, 1000);
    }
    if (have("g++")) compile_and_compare(*state, "g++", "gcc.cpp", cases, n, 1000);
}

static void guards_in_cuda_compile_for_host_and_device(void **state)
{
    struct workshop *w = *state;
    char source[128], command[512];
    const char *nvcc = have("nvcc") ? "nvcc" : "/usr/local/cuda/bin/nvcc";
    if (!have(nvcc)) skip();
    snprintf(source, sizeof source, "%s/guard.cu", w->dir);
    open_workshop(w, "examples/symbolic/attention_rank5.json");
    FILE *out = fopen(source, "w");
    assert_non_null(out);
    write_guard(w, TMAP_GUARD_CUDA, "guard", out);
    fputs("__global__ void kernel(const int64_t *v, int *out)\n{\n"
          "    *out = guard(v[0], v[1], v[2], v[3], v[4]) & "
          "guard_assumes(v[0], v[1], v[2], v[3], v[4]);\n}\n",
          out);
    fclose(out);
    close_workshop(w);
    snprintf(command, sizeof command, "%s -Werror all-warnings -arch=sm_90 -c -o %s/guard.o %s",
             nvcc, w->dir, source);
    assert_int_equal(system(command), 0);
}

// Points as bytes: the parameters, then what assumes() and the guard must answer.
static void write_points(const struct workshop *w, const char *file, long n)
{
    uint64_t random = 88172645463325252u;
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    for (long i = 0; i < n; i++) {
        int64_t values[CASE_PARAMS + 2];
        size_t params = tmap_condition_param_count(w->condition);
        any_point(w, &random, i, values);
        values[params] = tmap_condition_assumed(w->condition, values);
        values[params + 1] = values[params] && native_legal(w->condition, &w->c, values);
        assert_int_equal(fwrite(values, sizeof values[0], params + 2, out), params + 2);
    }
    assert_int_equal(fclose(out), 0);
}

static void write_python_test(const struct workshop *w, const char *points, FILE *out)
{
    write_guard(w, TMAP_GUARD_PYTHON, "guard", out);
    fprintf(out,
            "import array\nv = array.array('q')\nv.frombytes(open('%s', 'rb').read())\n"
            "n = %zu\nfor i in range(0, len(v), n):\n"
            "    a = v[i:i + n]\n"
            "    assert guard_assumes(*a[:-2]) == a[-2], list(a)\n"
            "    assert guard(*a[:-2]) == a[-1], list(a)\n",
            points, tmap_condition_param_count(w->condition) + 2);
}

static void guards_in_python_agree_with_the_check(void **state)
{
    static struct symbolic_case cases[CASE_MAX];
    struct workshop *w = *state;
    size_t n = case_list(cases);
    char file[128], points[128], command[256];
    if (!have("python3")) skip();
    snprintf(file, sizeof file, "%s/guard.py", w->dir);
    snprintf(points, sizeof points, "%s/points", w->dir);
    for (size_t i = 0; i < n; i++) {
        FILE *out = fopen(file, "w");
        assert_non_null(out);
        open_workshop(w, cases[i].path);
        write_python_test(w, points, out);
        write_points(w, points, points_wanted(2000));
        fclose(out);
        snprintf(command, sizeof command, "python3 %s", file);
        if (system(command) != 0) fail_msg("%s", cases[i].path);
        close_workshop(w);
    }
}

// --- random conditions ------------------------------------------------------------------------

enum { RANDOM_GUARDS = 60 };

static bool random_workshop(struct workshop *w, struct random_symbolic *m, uint64_t *random)
{
    static const char *const assume[] = {"P0 >= 1", "P0 % 8 == 0", "P0 <= 4096", "P0*P1 <= 65536",
                                         "1 <= P1"};
    struct tmap_target target = tmap_default_target();
    static char text[1 << 16];
    size_t length, from = below(random, 5);
    random_desc(m, random);
    snprintf(w->c.path, sizeof w->c.path, "a random condition");
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &w->c.checker);
    w->c.n = 1;
    w->c.desc[0] = m->d;
    if (tmap_condition_of(w->s, &w->c.checker, w->c.desc, 1, assume + from, below(random, 6 - from),
                          &w->condition) != TMAP_OK) {
        return false;
    }
    if (tmap_guard_c(w->s, w->condition, TMAP_GUARD_C, "f", text, sizeof text, &length) == TMAP_OK)
        return true;
    tmap_condition_free(w->condition);
    return false;
}

static void guards_of_random_conditions_agree_with_the_check(void **state)
{
    static struct random_symbolic m[RANDOM_GUARDS];
    static struct workshop all[RANDOM_GUARDS];
    struct workshop *w = *state;
    char source[128], library[160], name[32];
    uint64_t random = 77;
    int n = 0;
    snprintf(source, sizeof source, "%s/random.c", w->dir);
    snprintf(library, sizeof library, "%s.so", source);
    FILE *out = fopen(source, "w");
    assert_non_null(out);
    for (int tries = 0; n < RANDOM_GUARDS && tries < 4 * RANDOM_GUARDS; tries++) {
        all[n] = (struct workshop){.s = w->s};
        if (!random_workshop(&all[n], &m[n], &random)) continue;
        snprintf(name, sizeof name, "guard%d", n);
        snprintf(name, sizeof name, "random_guard_%d", n);
        write_unit(&all[n++], name, out);
    }
    fclose(out);
    assert_int_equal(n, RANDOM_GUARDS);
    compile("cc -std=c99", source, library);
    void *at = dlopen(library, RTLD_NOW);
    assert_non_null(at);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "random_guard_%d", i);
        compare(&all[i], at, name, points_wanted(20000) < 20000 ? points_wanted(20000) : 19999);
        tmap_condition_free(all[i].condition);
    }
    dlclose(at);
}

// --- names ------------------------------------------------------------------------------------

static void names_that_a_language_reserves_are_refused(void **state)
{
    static const char *const bad[] = {
        "int",     "2x",   "a b",    "",      "lambda",   "x;",          "nullptr", "constexpr",
        "_Bool",   "main", "typeof", "linux", "and_eq",   "int64_t",     "a__b",    "f_",
        "INT64_C", "I",    "p_x",    "print", "f\nprint", "static_cast", "12"};
    struct workshop *w = *state;
    char text[4096];
    size_t length = 77;
    open_workshop(w, "examples/symbolic/gemm_a_bf16.json");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(
            tmap_guard_c(w->s, w->condition, TMAP_GUARD_C, bad[i], text, sizeof text, &length),
            TMAP_E_ARGUMENT);
    }
    assert_int_equal(length, 77);
    close_workshop(w);
}

// Parameters that a language reserves or predefines, that a helper is named, that hold line breaks.
static void no_text_of_the_callers_becomes_code(void **state)
{
    static const char *const hostile[] = {"int",   "nullptr", "constexpr", "_Bool", "typeof",
                                          "linux", "f_mul",   "f_floor",   "f",     "lambda",
                                          "print", "p_int",   "__file__",  "I",     "None"};
    struct workshop *w = *state;
    char source[128], library[160], command[256];
    snprintf(source, sizeof source, "%s/hostile.c", w->dir);
    snprintf(library, sizeof library, "%s.so", source);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        char rows[40], assume[80];
        const char *assumed[] = {assume};
        struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_BFLOAT16,
                                                .rank = 2,
                                                .address = 0x7f0000000000,
                                                .dim = {64, 64},
                                                .stride_bytes = {128},
                                                .box = {64, 8},
                                                .elem_stride = {1, 1},
                                                .swizzle = TMAP_SWIZZLE_128B}};
        snprintf(rows, sizeof rows, "%s * M", hostile[i]);
        snprintf(assume, sizeof assume, "0 <=\nM\r\n<= %s", hostile[i]);
        d.dim[1] = rows;
        w->c.n = 1;
        w->c.desc[0] = d;
        snprintf(w->c.path, sizeof w->c.path, "a parameter %s", hostile[i]);
        assert_int_equal(tmap_condition_of(w->s, &w->c.checker, &d, 1, assumed, 1, &w->condition),
                         TMAP_OK);
        FILE *out = fopen(source, "w");
        write_unit(w, "f", out);
        fclose(out);
        compile("cc", source, library);
        void *at = dlopen(library, RTLD_NOW);
        compare(w, at, "f", 1000);
        dlclose(at);
        out = fopen(source, "w");
        write_guard(w, TMAP_GUARD_PYTHON, "f", out);
        fputs("f(1, 2)\n", out);
        fclose(out);
        snprintf(command, sizeof command, "python3 %s", source);
        if (have("python3")) assert_int_equal(system(command), 0);
        tmap_condition_free(w->condition);
    }
}

/* Assumptions, and what they mean: worked out here, in 128 bits where that is enough. */
__extension__ typedef __int128 wide;

static wide floor_of(wide a, wide b)
{
    return a / b - (a % b < 0);
}

static wide mod_of(wide a, wide b)
{
    return a - b * floor_of(a, b);
}

/* K * M * N <= most, all of them 0 or more, which may not fit 128 bits. */
static bool at_most(int64_t K, int64_t M, int64_t N, wide most)
{
    if (K == 0 || M == 0 || N == 0) return true;
    return K <= most && M <= most / K && N <= most / ((wide)K * M);
}

#define ASSUMPTIONS(X)                                                                             \
    X(a1, "K % 3 == 0", mod_of(K, 3) == 0)                                                         \
    X(a2, "K % 5 != 2", mod_of(K, 5) != 2)                                                         \
    X(a3, "(K*M + 3) % 7 == 1", mod_of((wide)K *M + 3, 7) == 1)                                    \
    X(a4, "(2*K - 3*M + N) % 10 == 0", mod_of((wide)2 * K - (wide)3 * M + N, 10) == 0)             \
    X(a5, "K*M*N % 2147483647 == 0",                                                               \
      mod_of(mod_of((wide)K *M, 2147483647) * mod_of(N, 2147483647), 2147483647) == 0)             \
    X(a6, "K*M <= 65536 and 0 <= K and 0 <= M", K >= 0 && M >= 0 && (wide)K * M <= 65536)          \
    X(a7, "0 <= K and 0 <= M and 0 <= N and K*M*N <= 1000000",                                     \
      K >= 0 && M >= 0 && N >= 0 && at_most(K, M, N, 1000000))                                     \
    X(a8, "0 <= K and 0 <= M and 0 <= N and K*M*N + 7*K*K*K <= 1000000",                           \
      K >= 0 && M >= 0 && N >= 0 && K < 100 && at_most(K, M, N, 1000000 - (wide)7 * K * K * K))    \
    X(a9, "K >= -9223372036854775808 and K <= 9223372036854775807", true)                          \
    X(a10, "K >= 9223372036854775808", false)                                                      \
    X(a11, "K < -9223372036854775808", false)                                                      \
    X(a12, "M <= 100", M <= 100)                                                                   \
    X(a13, "M >= 100", M >= 100)                                                                   \
    X(a14, "M >= 100 and M <= 64", false)                                                          \
    X(a15, "M == 64 or N == 64", M == 64 || N == 64)                                               \
    X(a16, "K/3 >= M", floor_of(K, 3) >= M)                                                        \
    X(a17, "K/5 % 2 == 0", mod_of(floor_of(K, 5), 2) == 0)                                         \
    X(a18, "min(K, M) <= max(N, 7)", (K < M ? K : M) <= (N > 7 ? N : 7))                           \
    X(a19, "K*M - N*N >= 0", (wide)K *M - (wide)N * N >= 0)                                        \
    X(a20, "K*M == N", (wide)K *M == N)                                                            \
    X(a21, "K + M != N", (wide)K + M != N)                                                         \
    X(a22, "4*K - 3*K == K", true)                                                                 \
    X(a23, "(K % 3 == 0 or M % 3 == 0) and N % 3 != 0",                                            \
      (mod_of(K, 3) == 0 || mod_of(M, 3) == 0) && mod_of(N, 3) != 0)                               \
    X(a24, "max(K, 0) + min(M, 0) <= N", (K > 0 ? K : 0) + (wide)(M < 0 ? M : 0) <= N)

#define HOLDS(name, text, value)                                                                   \
    static bool name(int64_t K, int64_t M, int64_t N)                                              \
    {                                                                                              \
        (void)K, (void)M, (void)N;                                                                 \
        return value;                                                                              \
    }
ASSUMPTIONS(HOLDS)

static const struct {
    const char *text;
    bool (*holds)(int64_t K, int64_t M, int64_t N);
} assumptions[] = {
#define ENTRY(name, text, value) {text, name},
    ASSUMPTIONS(ENTRY)};
enum { ASSUMED = sizeof assumptions / sizeof assumptions[0] };

static enum tmap_status assume(struct workshop *w, const char *text)
{
    const char *const assumed[] = {text, "K + M + N == K + M + N"};
    struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_UINT8,
                                            .rank = 4,
                                            .address = 0x7f0000000000,
                                            .stride_bytes = {1 << 20, 1 << 20, 1 << 20},
                                            .box = {16, 8, 1, 1},
                                            .elem_stride = {1, 1, 1, 1},
                                            .dim = {64}},
                                   .dim = {NULL, "K", "M", "N"}};
    snprintf(w->c.path, sizeof w->c.path, "%s", text);
    w->c.n = 1;
    w->c.desc[0] = d;
    return tmap_condition_of(w->s, &w->c.checker, &d, 1, assumed, 2, &w->condition);
}

/* It answers -1 where a product exceeds 128 bits. */
static bool assumed_wrongly(const struct tmap_condition *condition, const int64_t *v, bool truth)
{
    const int said = tmap_condition_assumed(condition, v);
    return said >= 0 && said != truth;
}

/* The values of K, M and N in the order of the condition's own parameters. */
static void compare_assumption(const struct workshop *w, void *library, size_t i)
{
    guard_call *call;
    char symbol[64];
    uint64_t random = 77 + i;
    snprintf(symbol, sizeof symbol, "call_a%zu_assumes", i);
    *(void **)&call = dlsym(library, symbol);
    for (int k = 0; k < 3000; k++) {
        int64_t v[CASE_PARAMS] = {0}, named[3] = {0};
        any_point(w, &random, k, v);
        for (size_t p = 0; p < tmap_condition_param_count(w->condition); p++)
            named[*tmap_condition_param(w->condition, p) == 'K'   ? 0
                  : *tmap_condition_param(w->condition, p) == 'M' ? 1
                                                                  : 2] = v[p];
        const bool truth = assumptions[i].holds(named[0], named[1], named[2]);
        if (call(v) != truth || assumed_wrongly(w->condition, v, truth))
            fail_msg("%s: guard %d, condition %d at %lld %lld %lld", w->c.path, call(v),
                     tmap_condition_assumed(w->condition, v), (long long)named[0],
                     (long long)named[1], (long long)named[2]);
    }
}

static void assumptions_mean_what_they_say_in_c(void **state)
{
    struct workshop *w = *state;
    char source[128], library[160], name[32];
    snprintf(source, sizeof source, "%s/assumed.c", w->dir);
    snprintf(library, sizeof library, "%s.so", source);
    FILE *out = fopen(source, "w");
    assert_non_null(out);
    for (size_t i = 0; i < ASSUMED; i++) {
        if (assume(w, assumptions[i].text) != TMAP_OK) fail_msg("%s", assumptions[i].text);
        snprintf(name, sizeof name, "a%zu", i);
        write_unit(w, name, out);
        tmap_condition_free(w->condition);
    }
    fclose(out);
    compile("cc", source, library);
    void *at = dlopen(library, RTLD_NOW);
    assert_non_null(at);
    for (size_t i = 0; i < ASSUMED; i++) {
        assert_int_equal(assume(w, assumptions[i].text), TMAP_OK);
        compare_assumption(w, at, i);
        tmap_condition_free(w->condition);
    }
    dlclose(at);
}

/* What would need more than 128 bits is refused, with the words that help. */
static void what_c_cannot_say_is_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"K*M*N >= 5", "a product that may exceed 128 bits"},
        {"K % 4294967295 == 0", "a congruence modulo 2^31 or more"},
        {"K*M/4 >= N", "a quotient that may exceed 64 bits"},
        {"min(K*M, N) >= 0", "a quotient that may exceed 64 bits"},
        {"min(N, K*M) >= 0", "a quotient that may exceed 64 bits"},
        {"K*M/4 % 3 == 0", "a quotient that may exceed 64 bits"},
        {"0 <= K and 0 <= M and 0 <= N and K*M/4*N <= 5", "a quotient that may exceed 64 bits"},
        {"0 <= K and 0 <= M and 0 <= N and K*M*N >= 5", "a product that may exceed 128 bits"},
        {"0 <= K and 0 <= M and 0 <= N and K*M*N == 5", "a product that may exceed 128 bits"},
        {"0 <= K and 0 <= M and 0 <= N and K*M*N + 5 <= 0", "a product that may exceed 128 bits"},
        {"0 <= K and 0 <= M and 0 <= N and K*M*N <= 2*18446744073709551615",
         "a product that may exceed 128 bits"},
        {"0 <= K and 0 <= M and 0 <= N and 2*18446744073709551615*K*M*N + K*N*N <= 9",
         "a product that may exceed 128 bits"},
        {"0 <= K and 0 <= M and K*M*N <= 5", "a product that may exceed 128 bits"},
        {"0 <= N and K*M*N/4*N <= 5", "a product that may exceed 128 bits"},
        {"M == 3 or K*M*N == 5", "a product that may exceed 128 bits"},
        {"0 <= K and K <= 16 and 18446744073709551615*2*K <= M", "a coefficient beyond 64 bits"}};
    struct workshop *w = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[4096] = "as it was";
        size_t length = 77;
        if (assume(w, rows[i].text) != TMAP_OK) fail_msg("%s", tmap_symbolic_why(w->s));
        const enum tmap_status said =
            tmap_guard_c(w->s, w->condition, TMAP_GUARD_C, "f", text, sizeof text, &length);
        const char *why = tmap_symbolic_why(w->s);
        if (said != TMAP_E_BUDGET || !strstr(why, rows[i].says))
            fail_msg("%s: %d, %s\n%s", rows[i].text, (int)said, why, text);
        assert_int_equal(length, 77);
        tmap_condition_free(w->condition);
    }
}

int main(void)
{
    if (lacks_isl("guards")) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_in_c_agree_with_the_check),
        cmocka_unit_test(guards_compile_elsewhere),
        cmocka_unit_test(guards_in_cuda_compile_for_host_and_device),
        cmocka_unit_test(guards_in_python_agree_with_the_check),
        cmocka_unit_test(guards_of_random_conditions_agree_with_the_check),
        cmocka_unit_test(names_that_a_language_reserves_are_refused),
        cmocka_unit_test(no_text_of_the_callers_becomes_code),
        cmocka_unit_test(assumptions_mean_what_they_say_in_c),
        cmocka_unit_test(what_c_cannot_say_is_refused),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
