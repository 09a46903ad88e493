/* test_source_names.c : pasted source whose names, lists and calls stand before, around or behind
 * their use, or end with the text; and how much is looked at. What is not plain has no value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 200, TEXT = 200, ENTRIES = 5 };

struct row {
    const char *before, *use, *behind, *says;
};

/* The row's text in memory that ends with it, so that a sanitizer sees a look behind it. */
static struct io_source source_of(const struct row *row, bool python)
{
    const size_t n = strlen(row->before), m = strlen(row->use), k = strlen(row->behind);
    char *text = malloc(n + m + k + !(n + m + k));
    assert_non_null(text);
    memcpy(text, row->before, n);
    memcpy(text + n, row->use, m);
    memcpy(text + n + m, row->behind, k);
    return (struct io_source){.text = text,
                              .end = text + n + m + k,
                              .use = text + n,
                              .python = python,
                              .looks = LOOKS,
                              .attribute = io_tensor_attribute};
}

typedef void reader(struct io_source *s, const char *end, char *said);

static void number(struct io_source *s, const char *end, char *said)
{
    int64_t value;
    if (io_source_value(s, s->use, end, VALUES_NUMBER, &value))
        snprintf(said, TEXT, "%" PRId64, value);
}

static void swizzle(struct io_source *s, const char *end, char *said)
{
    int64_t value;
    if (io_source_value(s, s->use, end, VALUES_SWIZZLE, &value))
        snprintf(said, TEXT, "%" PRId64, value);
}

/* "[64 ? 2]", of more than there is room for "6 of [...]". */
static void list(struct io_source *s, const char *end, char *said)
{
    int64_t v[ENTRIES] = {0};
    unsigned unknown;
    int count, used = 0;
    if (!io_source_list(s, s->use, end, v, ENTRIES, &count, &unknown)) return;
    if (count > ENTRIES) used = snprintf(said, TEXT, "%d of ", count);
    used += snprintf(said + used, TEXT - (size_t)used, "[");
    for (int i = 0; i < count && i < ENTRIES; i++)
        used += unknown >> i & 1
                    ? snprintf(said + used, TEXT - (size_t)used, "%s?", i ? " " : "")
                    : snprintf(said + used, TEXT - (size_t)used, "%s%" PRId64, i ? " " : "", v[i]);
    snprintf(said + used, TEXT - (size_t)used, "]");
}

/* The sizes alone; test_source.c has the rest. */
static void tensor(struct io_source *s, const char *end, char *said)
{
    struct io_tensor t;
    int used = 0;
    if (!io_tensor_of(s, s->use, end, &t)) return;
    for (int i = 0; i < t.rank; i++)
        used += t.unknown >> i & 1 ? snprintf(said + used, TEXT - (size_t)used, "%s?", i ? " " : "")
                                   : snprintf(said + used, TEXT - (size_t)used, "%s%" PRId64,
                                              i ? " " : "", t.dim[i]);
    snprintf(said + used, TEXT - (size_t)used, " / %d", (int)t.dtype);
}

/* With all looks as the row says; with fewer so, or nothing. */
static void expect(const struct row *rows, size_t n, bool python, reader *reads)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++)
        for (int looks = LOOKS; looks >= 0; looks = looks == LOOKS ? 40 : looks - 1) {
            char said[TEXT] = "none";
            struct io_source s = source_of(&rows[i], python);
            s.looks = looks;
            reads(&s, s.use + strlen(rows[i].use), said);
            if (strcmp(said, rows[i].says) != 0 && (looks == LOOKS || strcmp(said, "none") != 0))
                bad++, print_message("%s[%s]%s with %d looks: %s, not %s\n", rows[i].before,
                                     rows[i].use, rows[i].behind, looks, said, rows[i].says);
            free((char *)(uintptr_t)s.text);
        }
    assert_int_equal(bad, 0);
}
#define EXPECT(rows, python, reads) expect(rows, sizeof rows / sizeof rows[0], python, reads)

static const struct row in_c[] = {
    {"", "static_cast<int> 64", "", "none"},
    {"", "my_cast(4)", "", "none"},
    {"", "pow(, 3)", "", "none"},
    {"", "pow(2, )", "", "none"},
    {"", "7 / -1", "", "-7"},
    {"const M: u64 = 64;\n", "M as ", "", "none"},
    {"const M: u64 = 64;\n", "M as 4", "", "none"},
    {"#define A M\n", "M", "", "none"},
    {"", "M", ";\n#define M 64", "none"},
    {"#define M 64 ", "M", "", "none"},
    {"#define ", "M", "", "none"},
    {"#define ", "M", " ", "none"},
    {"", "M", "; M", "none"},
    {"", "M", "; let (M:", "none"},
    {"", "M", "; let (M: u64", "none"},
    {"", "M", "; (M: 64", "none"},
    {"", "M", "; M::x = 64", "none"},
    {"", "M", "; M[2]", "none"},
    {"", "M", "; M[2] ", "none"},
    {"", "M", "; M[2", "none"},
    {"M{64}; ", "M", "", "none"},
    {"", "M", "; (M{64}", "none"},
    {"", "M", "; M", "none"},
    {"int<4>M{64}; ", "M", "", "none"},
    {"int xM{64}; ", "M", "", "none"},
    {"int M = ; ", "M", "", "none"},
    {"", "M", "; M = {", "none"},
    {"", "M", "; M = {64", "64"},
    {"int a=b, b=c, c=d, d=e, e=f, f=g, g=h, h=i, i=j, j=k, k=64; ", "a", "", "64"},
    {"int a=b, b=c, c=d, d=e, e=f, f=g, g=h, h=i, i=j, j=k, k=l, l=m, m=n, n=64; ", "a", "",
     "none"},
    {"typedef ; typedef half; typedef float T; ", "sizeof(T)", "", "4"},
    {"typedef float U; ", "sizeof(T)", "", "none"},
    {"typedef half T; typedef float T; ", "sizeof(T)", "", "none"},
    {"typedef half T; typedef half T; ", "sizeof(T)", "", "2"},
    {"using T = half; ", "sizeof(T)", "", "2"},
    {"", "sizeof(T)", "; using T", "none"},
    {"", "sizeof(T)", "; using T ", "none"},
    {"", "sizeof(T)", "; using T half;", "none"},
    {"", "sizeof(T)", "; using T = ", "none"},
    {"", "sizeof(T)", "; using T = 4", "none"},
    {"", "a_name_of_more_characters_than_there_is_room_for_in_the_readers_own_copy_of_it", "",
     "none"},
    {"int M = 64; M += 1; ", "M", "", "none"},
    {"int M = 64; M <<= 1; ", "M", "", "none"},
    {"int M = 64; a = M <= 1; ", "M", "", "64"},
    {"int M = 64; a = M >= 1; ", "M", "", "64"},
    {"int M = 64; a = M == 1; ", "M", "", "64"},
    {"int M = 64; a = M <== 1; ", "M", "", "64"},
    {"int M = 64; a = M +", "M", "", "64"},
    {"int M = 64; M++; ", "M", "", "none"},
    {"int M = 64; --M; ", "M", "", "none"},
    {"int M = 64; -M; ", "M", "", "64"},
    {"int M = 64; ", "M", " +", "64"},
    {"int M = 64; ", "M", " += ", "none"},
    {"int M = 64; ", "M", "; a = M*", "64"},
    {"uint8_t M = -1; ", "M", "", "none"},
    {"4 M = 64; ", "M", "", "64"},
    {"typedef half T; typedef float T; T M = 64; ", "M", "", "64"},
    {"#define M 65536\n", "M * M", "", "none"},
    {"unsigned const M = 64; ", "M", "", "64"},
    {"unsigned const M = -1; ", "M", "", "none"},
    {"a_name_of_more_characters_than_there_is_room_for_in_the_readers_own_copy_of_it M = 64; ", "M",
     "", "64"},
    {"", "uint8_t{64", "", "none"},
    {"", "uint8_t{64}", "", "64"},
    {"", "uint8_t{256}", "", "none"},
    {"const M: u64 = 300;\n", "M as u8", "", "none"},
    {"const M: u64 = 300;\n", "M as u16", "", "300"},
    {"", "2147483647 + 0", "", "2147483647"},
    {"", "2147483647 + 1", "", "none"},
    {"", "-2147483647 - 2", "", "none"},
    {"enum E { A, M = 65536 }; ", "M * M", "", "none"},
    {"auto M = 65536; ", "M * M", "", "none"},
};

static const struct row in_python[] = {
    {"x = torch.empty(64, 32)\n", "x.dtype.", "", "none"},
    {"x = torch.empty(64, 32)\n", "x.element_size(", "", "none"},
    {"x = torch.empty(64, 32)\n", "x.element_size)", "", "none"},
    {"x = torch.empty(64, 32)\n", "x.size()[n]", "", "none"},
    {"x = torch.empty(64, 32)\n", "x.size()[7]", "", "none"},
    {"x = torch.empty(64, 32)\n", "x.shape[n]", "", "none"},
    {"x = torch.empty(64, 32)\n", "x.shape[-9]", "", "none"},
    {"", "M", "\nM, N = 64", "none"},
    {"", "N", "\nM, N = 64", "none"},
    {"", "N", "\nM, N", "none"},
    {"", "N", "\nM, N =", "none"},
    {"M, N = x\n", "N", "", "none"},
    {"M, N = f(2)\n", "N", "", "none"},
    {"M, N = x.\n", "N", "", "none"},
    {"x = torch.empty(64, 32)\nM, N = x.shape\nM, N = x.shape\n", "N", "", "32"},
    {"", "M", "\nM = N", "none"},
    {"", "M", "\nM = N ", "none"},
    {"", "M", "\nM = N =", "none"},
    {"N = 4\nM = N == 4\n", "M", "", "none"},
    {"", "M", "\nM: int", "none"},
    {"", "M", "\nM:", "none"},
    {"a = b\nb = c\nc = d\nd = e\ne = f\nf = g\ng = h\nh = i\ni = j\nj = k\nk = l\nl = m\nm = n\n"
     "n = 64\n",
     "a", "", "none"},
    {"def f(M):\n    g(", "M", ")\nf(64)\n", "64"},
    {"def f(M):\n    g(", "M", ")\nf(64)\nf(64)\n", "64"},
    {"def f(M):\n    g(", "M", ")\nf(64)\nf(32)\n", "none"},
    {"def f(M):\n    g(", "M", ")\nf(64)\nf(n)\n", "none"},
    {"def f(M=64):\n    g(", "M", ")\nf()\n", "64"},
    {"def f(M=64):\n    g(", "M", ")\nf(64)\n", "64"},
    {"def f(M=64):\n    g(", "M", ")\nf(32)\n", "none"},
    {"def f(M=64):\n    g(", "M", ")\nf(n)\n", "none"},
    {"def f(M):\n    g(", "M", ")\nf()\nf(N=1)\n", "none"},
    {"def f(M):\n    g(", "M", ")\nf[grid](64)\n", "64"},
    {"def f(M):\n    g(", "M", ")\nf[grid, 2](64)\n", "64"},
    {"def f(M):\n    g(", "M", ")\nf[grid", "none"},
    {"def f(M):\n    g(", "M", ")\nf[grid](64", "none"},
    {"def f(M):\n    g(", "M", ")\nf", "none"},
    {"def f(M: int, N: int):\n    g(", "N", ")\nf(64, 32)\n", "32"},
    {"def f(M):\n    g(", "M", ")\ncute.compile(f, 64)\n", "64"},
    {"def f(x, M):\n    g(", "M", ")\ncompile(f,\n  x, 64)\n", "64"},
    {"def f(M):\n    g(", "M", ")\ncompile(f)(64)\n", "64"},
    {"def f(M):\n    g(", "M", ")\ncompile(f, M=64)\n", "none"},
    {"def f(x, M):\n    g(", "M", ")\ncompile(f, x)\n", "none"},
    {"def f(x, M):\n    g(", "M", ")\ncompile(f, x, )\n", "none"},
    {"def f(M):\n    g(", "M", ")\ncompile(f, 64]", "none"},
    {"def f(M):\n    g(", "M", ")\ncompile(f, ", "none"},
    {"def f(M):\n    g(", "M", ")\ncompile(f", "none"},
    {"def f(M):\n    g(", "M", ")\ncompile(f)", "none"},
    {"def f(M):\n    g(", "M", ")\ncompile(f);", "none"},
    {"def f(M):\n    g(", "M", ")\ncompile(f; 64)\n", "none"},
    {"def f(M):\n    g(", "M", ")\nx = (f, 64)\n", "none"},
    {"def f(M):\n    g(", "M", ")\nhand(f, 64)\n", "none"},
    {"f\ndef f(M):\n    g(", "M", ")\nx = f\n", "none"},
    {"def f(a):\n    def h(M):\n        g(", "M", ")\n    h(64)\n", "64"},
    {"def f(a):\n    def h(M):\n        g(a)\n", "M", "", "none"},
    {"def ", "M", " = 64", "64"},
    {"M = a.b\n", "M", "", "none"},
    {"M = a.b[0]\n", "M", "", "none"},
    {"M = a.b(0)\n", "M", "", "none"},
    {"M = b(0)\n", "M", "", "none"},
    {"def g(a):\n    h(", "M", ")\ndef f():\n    M = 64\n", "none"},
    {"def (M):\n    g(", "M", ")\n", "none"},
    {"def f M:\n    g(", "M", ")\nf(64)", "none"},
    {"def f(M", "M", "", "none"},
    {"if undef:\n    g(", "M", ")\n", "none"},
    {"x = def f(M):\n    g(", "M", ")\nf(64)\n", "none"},
    {"\tdef f(M):\n\t    g(", "M", ")\nf(64)\n", "64"},
    {"def f(M):\n    x = [\n1]\n    g(", "M", ")\nf(64)\n", "64"},
    {"def f(M):\n\n    g(", "M", ")\nf(64)\n", "64"},
};

static const struct row enumerations[] = {
    {"", "CUtensorMapSwizzle", "", "none"},
    {"", "CUtensorMapSwizzle x", "", "none"},
};

static void names(void **state)
{
    (void)state;
    EXPECT(in_c, false, number);
    EXPECT(in_python, true, number);
    EXPECT(enumerations, true, swizzle);
}

static const struct row parameters[] = {
    {"void f(int M) { g(", "M", "); } f(64);", "64"},
    {"void f(int M) { if (a) { g(", "M", "); } } f(64);", "64"},
    {"void f(int M) { while (a) { g(", "M", "); } } f(64); f(64);", "64"},
    {"void f(int M) { switch (a) { g(", "M", "); } } f(64); f(32);", "none"},
    {"void f(int M) { try { } catch (a) { g(", "M", "); } } f(64);", "64"},
    {"void f(int M) { struct s { g(", "M", "); } } f(64);", "64"},
    {"{ g(", "M", "); } f(64);", "none"},
    {"struct s { g(", "M", "); }; f(64);", "none"},
    {") { g(", "M", "); } f(64);", "none"},
    {"(int M) { g(", "M", "); } f(64);", "none"},
    {"4(int M) { g(", "M", "); } f(64);", "none"},
    {"void f(int N) { g(", "M", "); } f(64);", "none"},
    {"void f(int N, int M = 4) { g(", "M", "); } f(1, 64);", "none"},
    {"void f(int N, int M[2]) { g(", "M", "); } f(1, 64);", "64"},
    {"void f(int M) { g(", "M", "); } f<int>(64);", "64"},
    {"void f(int M) { g(", "M", "); } f<int", "none"},
    {"void f(int M) { g(", "M", "); } f<int;>(64)", "none"},
    {"void f(int M) { g(", "M", "); } f(64", "none"},
    {"void f(int M) { g(", "M", "); } f", "none"},
    {"template <int M> void f(int a) { g(", "M", "); } f<64>(1);", "64"},
    {"template <int M, int N> void f() { g(", "N", "); } f<64, 32>();", "32"},
    {"template <class T, int N = 4> void f() { g(", "N", "); } f<T, 32>();", "none"},
    {"template <int M, int N> void f() { g(", "N", "); } f<64>(); f();", "none"},
    {"template <int M, int N> void f() { g(", "N", "); } f<g(1), 2>();", "none"},
    {"template <int M, int N> void f() { g(", "N", "); } f<>();", "none"},
    {"template void f(int M) { g(", "M", "); } f(64);", "64"},
    {"; template <int L> void h(); void f(int M) { g(", "M", "); } f(64);", "64"},
};

static void what_a_function_is_given(void **state)
{
    (void)state;
    EXPECT(parameters, false, number);
}

static const struct row lists_in_c[] = {
    {"", "{64, 32}", "", "[64 32]"},
    {"", "{64, 32, }", "", "[64 32]"},
    {"", "{}", "", "[]"},
    {"", "{64, n}", "", "[64 ?]"},
    {"", "{64, 32", "", "none"},
    {"", "{64, ", "", "none"},
    {"", "{64; 32}", "", "none"},
    {"", "{64, ;}", "", "none"},
    {"", "f(64)", "", "none"},
    {"", "", "", "none"},
    {"", "5", "", "none"},
    {"int a[2] = {64, 32}; ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; ", " (const int *)a ", "", "[64 32]"},
    {"int a[2] = {64, 32}; ", "a + 1", "", "[32]"},
    {"int a[2] = {64, 32}; ", "a + 3", "", "none"},
    {"int a[2] = {64, 32}; ", "a + -1", "", "none"},
    {"int a[2] = {64, 32}; ", "a + n", "", "none"},
    {"int a[2] = {64, 32}; ", "a - 1", "", "none"},
    {"int a[2] = {64, 32}; ", "a[0]", "", "[64 32]"},
    {"int a[2] = {64, 32}; ", "&a[0]", "", "[64 32]"},
    {"int a[2] = {64, 32}; ", "a.data()", "", "[64 32]"},
    {"int a[7] = {1, 2, 3, 4, 5, 6, 7}; ", "a", "", "7 of [1 2 3 4 5]"},
    {"int a[7] = {1, 2, 3, 4, 5, 6, 7}; ", "a + 1", "", "6 of [2 3 4 5 ?]"},
    {"int a[7] = {1, 2, 3, 4, 5, 6, 7}; ", "a + 6", "", "none"},
    {"int a = 64; ", "&a", "", "[64]"},
    {"array<int, 2> a{{64, 32}}; ", "a", "", "[64 32]"},
    {"let a = vec![64, 32]; ", "a", "", "[64 32]"},
    {"let a = [64, 32]; ", "a", "", "[64 32]"},
    {"auto a = make<int>{64, 32}; ", "a", "", "[64 32]"},
    {"auto a = make(64, 32); ", "a", "", "none"},
    {"", "a", "; a = vec!", "none"},
    {"", "a", "; a = {", "none"},
    {"", "a", "; a = {{", "none"},
    {"", "a", "; a = ", "none"},
    {"int a[2] = {64, 32}; int a[2] = {64, 32}; ", "a", "", "none"},
    {"int a[2] = {64, 32}; a[1] = 16; ", "a", "", "[64 ?]"},
    {"int a[2] = {64, 32}; a[1] += 16; ", "a", "", "none"},
    {"int a[2]; a[0] = 64; a[1] = 32; ", "a", "", "[64 32]"},
    {"int a[2]; a[0] = 64; a[1] = n; ", "a", "", "[64 ?]"},
    {"int a[2]; a[0] = 64; a[1] = 32; a[1] = 32; ", "a", "", "[64 ?]"},
    {"int a[2]; a[0] = 64; a[i] = 32; ", "a", "", "none"},
    {"int a[2]; a[0] = 64; a[1 ] = 32; ", "a", "", "none"},
    {"int a[6]; a[0] = 1; a[1] = 1; a[2] = 1; a[3] = 1; a[4] = 1; a[5] = 1; ", "a", "",
     "[1 1 1 1 1]"},
    {"int a[2]; ", "a", "; a[0", "none"},
    {"int a[2]; ", "a", "", "none"},
};

static const struct row lists_in_python[] = {
    {"", "[64, 32]", "", "[64 32]"},
    {"", "(64, 32)", "", "[64 32]"},
    {"", "(64, 32)[1:]", "", "[32]"},
    {"", "(64, 32]", "", "[64 32]"},
    {"", "[64, 32][1:]", "", "[32]"},
    {"", "[64, 32] [1:]", "", "[32]"},
    {"", "[64, 32][n:]", "", "none"},
    {"", "[64, 32][3:]", "", "none"},
    {"", "[64, 32][-1:]", "", "none"},
    {"", "[64, 32] + a", "", "[64 32]"},
    {"", "list((64, 32))", "", "[64 32]"},
    {"", "torch.Size([64, 32])", "", "none"},
    {"", "Size([64, 32])", "", "[64 32]"},
    {"a = [64, 32]\n", "a", "", "[64 32]"},
    {"a = 64\n", "a", "", "none"},
    {"a = f(64)\n", "a", "", "none"},
    {"a = [64, 32]\na[0] += 1\n", "a", "", "none"},
    {"a = [64, 32]\na[0 += 1\n", "a", "", "[64 32]"},
};

static void lists(void **state)
{
    (void)state;
    EXPECT(lists_in_c, false, list);
    EXPECT(lists_in_python, true, list);
}

/* Whether a name keeps its value: "M" of C where something is done with it in between. */
static const struct row handed_on_in_c[] = {
    {"int M = 64; MY_CHECK(M); ", "M", "", "64"},
    {"int M = 64; k = max(M, 3); ", "M", "", "64"},
    {"int M = 64; cuMemAlloc(&p, M); ", "M", "", "64"},
    {"int M = 64; custom(M); ", "M", "", "none"},
    {"f(M); int M = 64; ", "M", "", "none"},
    {"int M = 64; x.set(M); ", "M", "", "none"},
    {"int M = 64; x.at(M); ", "M", "", "64"},
    {"int M = 64; Foo x(M); ", "M", "", "64"},
    {"int M = 64; y = f(M); ", "M", "", "none"},
    {"int M = 64; kernel<<<1, 2>>>(M); ", "M", "", "64"},
    {"k > (M); int M = 64; ", "M", "", "64"},
    {"int M = 64; b = k > (M); ", "M", "", "64"},
    {"int M = 64; f(M]; ", "M", "", "64"},
    {"int M = 64; { std::cin >> M; } ", "M", "", "none"},
    {"int M = 64; while (std::cin >> M) g(); ", "M", "", "none"},
    {"int M = 64; if (std::cin >> M) g(); ", "M", "", "none"},
    {"int M = 64; g(k >> M); ", "M", "", "64"},
    {"int M = 64; int k = 8 >> M; ", "M", "", "64"},
    {"int M = 64; k >\nM; ", "M", "", "64"},
    {"int M = 64; if (k & 1 && y == M) g(); ", "M", "", "64"},
    {"int M = 64; b = (k & 1) + M; ", "M", "", "64"},
    {"int M = 64; b = (k) & M; ", "M", "", "64"},
    {"int M = 64; b = k[0] & M; ", "M", "", "64"},
    {"int M = 64; int *q = (int *)&M; ", "M", "", "none"},
    {"int M = 64; int &r = c ? k : M; ", "M", "", "none"},
    {"int M = 64; int &r{M}; ", "M", "", "none"},
    {"int M = 64; Foo r{M}; ", "M", "", "64"},
    {"int M = 64; const int &r = M; ", "M", "", "64"},
    {"const int M = 64; *const_cast<int *>(&M) = 5; ", "M", "", "none"},
    {"const int M = 64; const_cast<int &>(M) += 1; ", "M", "", "none"},
    {"const int M = 64; f(M); ", "M", "; g M", "64"},
    {"int M = 64; ", "M", "; f(M", "64"},
    {"let mut M = 64; let r = &mut M; ", "M", "", "none"},
    {"let mut M = 64; g(&mut M); ", "M", "", "none"},
    {"let mut M = 64; match &mut M {} ", "M", "", "none"},
    {"int M = 64; this->M = 5; ", "M", "", "none"},
    {"int M = 64; k = this->M == 5; ", "M", "", "64"},
    {"int M = 64; ", "M", "; int M[2", "64"},
    {"int M = 64; ", "M", "; int M;", "64"},
    {"int M = 64; int ", "M", "", "64"},
    {"int M = 64; int ", "M", "[2", "64"},
    {"int M = 64; int ", "M", ":", "none"},
    {"int M = 64; int ", "M", "::x", "64"},
    {"int M = 64; ", "M", "; using x M::y;", "64"},
    {"[M, k] = f(); int M = 64; ", "M", "", "64"},
    {"int M = 64; auto &[M, k] = f(); ", "M", "", "none"},
    {"int M = 64; auto f = [](int k) { g(", "M", "); };", "64"},
    {"int M = 64; auto f = [](int M) { g(", "M", "); };", "none"},
    {"int M = 64; template <int k> void f() { g(", "M", "); }", "64"},
};

static const struct row lists_handed_on_in_c[] = {
    {"int a[2] = {64, 32}; MY_CHECK(a); ", "a", "", "none"},
    {"int a[2] = {64, 32}; sizeof(a); ", "a", "", "[64 32]"},
    {"*a; int a[2] = {64, 32}; ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; make(CU_TENSOR_MAP_SWIZZLE_NONE, a); ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; if (a < b) g(); ", "a", "", "[64 32]"},
    {"let a = [64, 32]; a.0; ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; a.size(); ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; ", "a", "; a.data", "none"},
    {"int a[2] = {64, 32}; ", "a", "; a.data(", "none"},
    {"int a[2] = {64, 32}; ", "a", "; a.at(", "none"},
    {"int a[2] = {64, 32}; a.data; ", "a", "", "none"},
    {"int a[2] = {64, 32}; a.at(0) = 5; ", "a", "", "none"},
    {"int a[2] = {64, 32}; k = a.at(0); ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; q = c ? a : b; ", "a", "", "none"},
    {"int a[2] = {64, 32}; return c ? a : b; ", "a", "", "none"},
    {"int a[2] = {64, 32}; for (int x : a) g(x); ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; for (int &x : a) g(x); ", "a", "", "none"},
    {"int a[2] = {64, 32}; ", "a", "; q = a", "none"},
    {"int a[2] = {64, 32}; if (q == a) g(); ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; q = (0, a); ", "a", "", "none"},
    {"int a[2] = {64, 32}; q = f(k = 1, 2) + a; ", "a", "", "none"},
    {"int a[2] = {64, 32}; g(c ? a + 1 : b); ", "a", "", "none"},
    {"int a[2] = {64, 32}; q = (int *)(a); ", "a", "", "none"},
    {"int a[2] = {64, 32}; q = b[a]; ", "a", "", "none"},
    {"int a[2] = {64, 32}; q = f()(a); ", "a", "", "none"},
    {"=a; int a[2] = {64, 32}; ", "a", "", "none"},
    {"int a[2] = {64, 32}; q[] = {a + 1}; ", "a", "", "none"},
    {"int a[2] = {64, 32}; 0[a] = 5; ", "a", "", "none"},
    {"#define a {64, 32}\n", "a", "", "[64 32]"},
    {"int a[2] = {64, 32};\n#define b a\n", "a", "", "none"},
    {"int a[2] = {64, 32};\n#define b (a)\n", "a", "", "none"},
    {"vector<int> a = {64, 32}; vector<int> &a; ", "a", "", "[64 32]"},
    {"int a[2] = {64, 32}; if (c) a[1] = {3}; ", "a", "", "none"},
    {"int a[2] = {64, 32}; ", "a", "; int a[2] = ", "none"},
    {"const int a[2] = {64, 32}; *const_cast<int *>(a) = 5; ", "a", "", "none"},
    {"const int a[2] = {64, 32}; f(const_cast<int *>(a)); ", "a", "", "none"},
};

static const struct row handed_on_in_python[] = {
    {"M = 64\ndef f():\n    nonlocal M\n", "M", "", "none"},
    {"M = 64\ndel M\n", "M", "", "none"},
    {"M = 64\nwith f() as M:\n    g()\n", "M", "", "none"},
    {"M = 64\nwith f() as (M, k):\n    g()\n", "M", "", "none"},
    {"M = 64\nwith f() as (k), g(M):\n    g()\n", "M", "", "64"},
    {"M = 64\nwith f() as k, g(M):\n    g()\n", "M", "", "64"},
    {"M = 64\nfor M in k:\n    g()\n", "M", "", "none"},
    {"M = 64\nfor k in M:\n    g()\n", "M", "", "64"},
    {"M = 64\nf()[0], M = 3, 4\n", "M", "", "none"},
    {"M = 64\na[0], M = 3, 4\n", "M", "", "none"},
    {"M = 64\na[0][M] = 3\n", "M", "", "64"},
    {"M = 64\nself.a, M = 3, 4\n", "M", "", "none"},
    {"M = 64\n(M, k) = f()\n", "M", "", "none"},
    {"M = 64\n(M, k) == f()\n", "M", "", "64"},
    {"M = 64\n(M, k)\n", "M", "", "64"},
    {"M = 64\n", "M", "\n(M, k)", "64"},
    {"def g():\n    *k, M = 1, 2\nM = 64\n", "M", "", "64"},
    {"M = 64\nclass M: pass\n", "M", "", "none"},
    {"M = 64\nclass ", "M", "", "64"},
};

static const struct row lists_handed_on_in_python[] = {
    {"f(a)\na = [64, 32]\n", "a", "", "none"},
    {"a = [64, 32]\n", "a", "\nf(a", "none"},
    {"a\na = [64, 32]\n", "a", "", "[64 32]"},
    {"a = [64, 32]\n", "a", "\na", "[64 32]"},
    {"a = [64, 32]\na.append\n", "a", "", "[64 32]"},
    {"a = [64, 32]\na.append(1)\n", "a", "", "none"},
    {"a = [64, 32]\n", "a", "\na.append", "[64 32]"},
    {"a = [64, 32]\na.shape == b\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nrandom.shuffle(a)\n", "a", "", "none"},
    {"a = [64, 32]\nx = make_descriptor(a)\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nx = Foo(a)\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nx = y.foo(a)\n", "a", "", "[64 32]"},
    {"a = [64, 32]\n y.foo(a)\n", "a", "", "none"},
    {"a = [64, 32]\nx = y[a]\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nx = f()[a]\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nx = f()(a)\n", "a", "", "none"},
    {"a = [64, 32]\nx = y{a}\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nx = ( a )\n", "a", "", "none"},
    {"a = [64, 32]\n( a )\n", "a", "", "[64 32]"},
    {"a = [64, 32]\n", "a", "\n(a", "none"},
    {"a = [64, 32]\nx = ((a) )\n", "a", "", "none"},
    {"a = [64, 32]\nx = (1, a)\n", "a", "", "none"},
    {"a = [64, 32]\nlambda: a\n", "a", "", "none"},
    {"a = [64, 32]\nx = [a]\n", "a", "", "none"},
    {"a = [64, 32]\nx = a[0]\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nx = a + [1]\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nx = y + a\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nif y == a: g()\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nif y is a: g()\n", "a", "", "[64 32]"},
    {"a = [64, 32]\nfor y in a: g()\n", "a", "", "[64 32]"},
    {"a = [64, 32]\ndef f():\n    yield a\n", "a", "", "none"},
    {"a = [64, 32]\nx == y, a\n", "a", "", "[64 32]"},
    {"=a\na = [64, 32]\n", "a", "", "[64 32]"},
};

static void what_is_handed_on(void **state)
{
    (void)state;
    EXPECT(handed_on_in_c, false, number);
    EXPECT(lists_handed_on_in_c, false, list);
    EXPECT(handed_on_in_python, true, number);
    EXPECT(lists_handed_on_in_python, true, list);
}

static const struct row tensors_in_python[] = {
    {"", "torch.empty(64, 32)", "", "64 32 / 7"},
    {"", "torch.zeros(n, 32).clone()", "", "? 32 / 7"},
    {"", "torch.zeros(n, 32).T.clone()", "", "32 ? / 7"},
    {"", "torch.zeros(n, 64)[:, :32].clone()", "", "? 32 / 7"},
    {"", "torch.zeros(64, 32, dtype= )", "", "64 32 / -1"},
    {"", "torch.zeros(64, 32, dtype='float16)", "", "64 32 / 6"},
    {"", "Tensor(v)", "", " / -1"},
    {"", "make_fake_tensor(torch.half, (), (32, 1))", "", "none"},
    {"", "torch.randint(0, 9, [64, 32])", "", "64 32 / 5"},
    {"", "torch.empty(64, 32)[", "", "none"},
    {"", "torch.empty(64, 32)[]", "", "64 32 / 7"},
    {"", "torch.empty(64, 32)[..., 1", "", "none"},
    {"", "torch.empty(64, 32)[n]", "", "32 / 7"},
    {"", "torch.empty(64, 32)[-1]", "", "32 / 7"},
    {"", "torch.empty(64, 32).permute(0, 1, 2, 3, 4, 5)", "", "none"},
    {"", "torch.empty(64, 32).permute()", "", "none"},
    {"", "torch.empty(1152921504606846976, 8).view(-1)", "", "? / 7"},
    {"", "torch.empty(1, 4)[:, 2:].view(2)", "", "2 / 7"},
    {"", "torch.empty_strided((2, 4), (4, 4611686018427387904)).view(8)", "", "none"},
    {"", "torch.empty(0, 8).view(0)", "", "0 / 7"},
    {"", "torch.tensor(v).half()", "", " / 6"},
    {"", "torch.empty(4).to(mine)", "", "4 / -1"},
    {"", "torch.empty(4).astype(np.float16)", "", "4 / 6"},
    {"", "torch.empty(4) * ", "", "none"},
    {"", "torch.empty(4)*", "", "none"},
    {"", "torch.tensor(v)[0]", "", "none"},
    {"def f(x):\n    g(", "x", ")\nf(torch.empty(4))\n", "4 / 7"},
    {"def f(x):\n    g(", "x", ")\nf(torch.empty(4))\nf(torch.empty(4))\n", "4 / 7"},
    {"def f(x):\n    g(", "x", ")\nf(torch.empty(4))\nf(torch.empty(8))\n", "none"},
    {"def f(x):\n    g(", "x", ")\nf(torch.empty(4))\nf(y)\n", "none"},
    {"x = torch.empty(4)\nx = torch.empty(4)\n", "x", "", "4 / 7"},
    {"x = torch.empty(4)\nx = y\n", "x", "", "none"},
    {"", "x", "", "none"},
    {"\n", "x.y", "", "none"},
};

static const struct row sizes_of_tensors[] = {
    {"x = device.allocate(4096)\n", "x.itemsize", "", "none"},
    {"x = torch.empty(64, dtype=99)\n", "x.itemsize", "", "none"},
};

static void tensors(void **state)
{
    (void)state;
    EXPECT(tensors_in_python, true, tensor);
    EXPECT(sizes_of_tensors, true, number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),   cmocka_unit_test(what_a_function_is_given),
        cmocka_unit_test(lists),   cmocka_unit_test(what_is_handed_on),
        cmocka_unit_test(tensors),
    };
    return cmocka_run_group_tests_name("source_names", tests, NULL, NULL);
}
