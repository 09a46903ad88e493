/* test_source.c : what pasted source says of a number and of a tensor; what is not plain has no
 * value. */
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

enum { LOOKS = 200, TEXT = 400 };

/* The text with the expression as its last line, where it is used; freed by the caller. */
static struct io_source source_of(const char *text, const char *expression, bool python,
                                  const char **at)
{
    const size_t n = strlen(text), m = strlen(expression);
    char *whole = malloc(n + m + 2); /* exact: a sanitizer sees a read behind it */
    assert_non_null(whole);
    memcpy(whole, text, n);
    whole[n] = '\n';
    memcpy(whole + n + 1, expression, m);
    *at = whole + n + 1;
    return (struct io_source){.text = whole,
                              .end = *at + m,
                              .use = *at,
                              .python = python,
                              .looks = LOOKS,
                              .attribute = io_tensor_attribute};
}

/* A number as text, "none" where there is none. */
struct value_row {
    const char *text, *expression, *says;
};

static void expect_values(const struct value_row *rows, size_t n, bool python, enum values which)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        const char *at;
        char said[32] = "none";
        int64_t value = 0;
        struct io_source s = source_of(rows[i].text, rows[i].expression, python, &at);
        if (io_source_value(&s, at, s.end, which, &value))
            snprintf(said, sizeof said, "%" PRId64, value);
        if (strcmp(said, rows[i].says) != 0)
            bad++, print_message("'%s' with '%s': %s, not %s\n", rows[i].expression, rows[i].text,
                                 said, rows[i].says);
        free((char *)(uintptr_t)s.text);
    }
    assert_int_equal(bad, 0);
}
#define VALUES(rows, python, which) expect_values(rows, sizeof rows / sizeof rows[0], python, which)

static const struct value_row in_c[] = {
    {"", "64", "64"},
    {"", "0x40", "64"},
    {"", "0", "0"},
    {"", "0100", "none"}, /* 64 in C, 100 in Rust */
    {"", "8 * (010 + 1)", "none"},
    {"", "64ull", "64"},
    {"", "64u32", "64"},
    {"", "64i", "64"},
    {"", "64.5", "none"},
    {"", "64f", "none"},
    {"", "-64", "-64"},
    {"", "-K", "none"},
    {"", "", "none"},
    {"", "2 * 3 + 4", "10"},
    {"", "2 + 3 * 4", "14"},
    {"", "7 / 2", "3"},
    {"", "7 / 0", "none"},
    {"", "(0 - 9223372036854775807 - 1) / -1", "none"},
    {"", "-9223372036854775808 / -1", "none"},
    {"", "(4611686018427387904 * -2) / -1", "none"},
    {"", "9223372036854775807 + 1", "none"},
    {"", "18446744073709551616", "none"},
    {"", "18446744073709551623", "none"},
    {"", "0x10000000000000000", "none"},
    {"", "0 - 9223372036854775807 - 2", "none"},
    {"", "4611686018427387904 * 2", "none"},
    {"", "2 * ", "none"},
    {"", "2 + ", "none"},
    {"", "2 3", "none"},
    {"", "(2", "none"},
    {"", "()", "none"},
    {"", "1 << 3", "8"},
    {"", "1 << 3 << 1", "16"},
    {"", "1 << 63", "none"},
    {"", "1 << -1", "none"},
    {"", "1 << ", "none"},
    {"", "-1 << 3", "none"},
    {"", "3 << 62", "none"},
    {"", "(int)64", "64"},
    {"", "(const uint64_t *)64", "64"},
    {"", "(unsigned long)(64)", "64"},
    {"", "(64)", "64"},
    {"", "uint32_t(64)", "64"},
    {"", "uint32_t(64", "none"},
    {"", "uint32_t{64}", "64"},
    {"", "uint32_t{64", "none"},
    {"", "uint32_t{}", "none"},
    {"", "static_cast<uint64_t>(64) * 2", "128"},
    {"", "static_cast<uint64_t", "none"},
    {"", "sizeof(float)", "4"},
    {"", "sizeof(float", "none"},
    {"", "sizeof float", "none"},
    {"", "sizeof(4)", "none"},
    {"", "sizeof(struct_of_mine)", "none"},
    {"", "pow(2, 10)", "1024"},
    {"", "pow(2, -1)", "none"},
    {"", "pow(2, 65)", "none"},
    {"", "pow(2, 63)", "none"},
    {"", "pow(2)", "none"},
    {"", "pow(2, 3", "none"},
    {"", "pow 2", "none"},
    {"", "M as u64", "none"},
    {"const M: u64 = 64;", "M as u64", "64"},
    {"const M: u64 = 64;", "M as", "none"},
    {"let M: [u64; 2] = 64;", "M", "64"},
    {"#define M 64\n", "M", "64"},
    {"# define M\t64\n", "M * 2", "128"},
    {"#define M\n", "M", "none"},
    {"#define M(x) 64\n", "M", "none"},
    {"undefine M 64\n", "M", "none"},
    {"int M = 64;", "M", "64"},
    {"int M = 64; M = 64;", "M", "64"},
    {"int M = 64; M = 65;", "M", "none"},
    {"int M == 64;", "M", "none"},
    {"int M{64};", "M", "64"},
    {"int M = {64};", "M", "64"},
    {"int M = N; int N = 64;", "M", "64"},
    {"int M = N; int N = M;", "M", "none"},
    {"{ int M = 64; }", "M", "none"},
    {"{ int M = 64; } int M = 32;", "M", "32"},
    {"x.M = 64;", "M", "none"},
    {"p->M = 64;", "M", "none"},
    {"int M[2] = {1, 2};", "M[0]", "none"},
    {"", "f(64)", "none"},
    {"", "a.b", "none"},
};

static void numbers_in_c(void **state)
{
    (void)state;
    VALUES(in_c, false, VALUES_NUMBER);
}

static const struct value_row in_python[] = {
    {"", "2 ** 10", "1024"},
    {"", "0100", "none"},
    {"", "2 ** -1", "none"},
    {"", "2 **", "none"},
    {"", "7 // 2", "3"},
    {"", "-7 // 2", "-4"},
    {"M = 64", "M", "64"},
    {"M = N = 64", "M", "64"},
    {"M = N = 64", "N", "64"},
    {"M == 64", "M", "none"},
    {"M: tl.constexpr = 64", "M", "64"},
    {"M: tl.constexpr", "M", "none"},
    {"M, N = 64, 32", "M", "64"},
    {"M, N = 64, 32", "N", "32"},
    {"M, N = 64", "M", "none"},
    {"M, N = 64", "N", "none"},
    {"M, N == 64, 32", "N", "none"},
    {"M, N", "N", "none"},
    {"M, f(N) = 64, 32", "M", "none"},
    {"f(M), N = 64, 32", "N", "none"},
    {"self.M, N = 64, 32", "N", "none"},
    {"f(a, b)\nN = 64", "N", "64"},
    {"def f(a, N=64):\n    return N\n", "N", "none"},
    {"7 // 2; M = 7 // -2", "M", "-4"},
    {"", "-8 // 2", "-4"},
    {"", "-7 // -2", "3"},
    {"x = torch.empty(64, 32)", "x.shape[0]", "64"},
    {"x = torch.empty(64, 32)", "x.shape[-1]", "32"},
    {"x = torch.empty(64, 32)", "x.shape[2]", "none"},
    {"x = torch.empty(64, 32)", "x.shape[-3]", "none"},
    {"x = torch.empty(64, 32)", "x.shape[100]", "none"},
    {"x = torch.empty(64, 32)", "x.shape[0", "none"},
    {"x = torch.empty(64, 32)", "x.shape", "none"},
    {"x = torch.empty(64, 32)", "x.size(1)", "32"},
    {"x = torch.empty(64, 32)", "x.size()[1]", "32"},
    {"x = torch.empty(64, 32)", "x.size()[1", "none"},
    {"x = torch.empty(64, 32)", "x.size()", "none"},
    {"x = torch.empty(64, 32)", "x.stride(0)", "32"},
    {"x = torch.empty(64, 32)", "x.ndim[0]", "none"},
    {"x = torch.empty(64, n)", "x.stride(0)", "none"},
    {"x = torch.empty(64, n)", "x.shape[1]", "none"},
    {"x = torch.empty(64, 32)", "x.element_size()", "4"},
    {"x = torch.empty(64, 32)", "x.element_size", "none"},
    {"x = torch.empty(64, 32)", "x.itemsize", "4"},
    {"x = torch.empty(64, 32)", "x.dtype.itemsize", "4"},
    {"x = torch.empty(64, 32)", "x.dtype", "none"},
    {"x = torch.tensor(v)", "x.itemsize", "none"},
    {"x = torch.empty(64, 32)\nM, N = x.shape", "N", "32"},
    {"x = torch.empty(64, 32)\nM, N, L = x.shape", "L", "none"},
    {"x = torch.empty(64, 32)\nM, N = x.T.shape", "N", "none"},
    {"x = torch.empty(64, 32)\ny = torch.empty(64, 16)\nM, N = x.shape\nM, N = y.shape", "N",
     "none"},
    {"M, N = 5.shape", "N", "none"},
    {"f(M=64)", "M", "none"},
    {"f(a, M=64)", "M", "none"},
    {"M[0] = 64", "M", "none"},
};

static void numbers_in_python(void **state)
{
    (void)state;
    VALUES(in_python, true, VALUES_NUMBER);
}

static void values_of_enumerations(void **state)
{
    static const struct value_row rows[] = {
        {"", "CU_TENSOR_MAP_SWIZZLE_128B", "3"},
        {"", "k128B", "3"},
        {"", "Swizzle.SWIZZLE_128B", "3"},
        {"", "CUtensorMapSwizzle(3)", "3"},
        {"", "CUtensorMapSwizzle(3", "none"},
        {"", "a.b.c", "none"},
        {"", "s128B", "3"},
        {"", "z128B", "none"},
        {"", "a.", "none"},
    };
    static const struct value_row oob[] = {
        {"", "kZeros", "0"}, {"", "kOnes", "none"}, {"", "FLOAT_OOB_FILL_NONE", "0"}};
    (void)state;
    VALUES(rows, true, VALUES_SWIZZLE);
    VALUES(oob, true, VALUES_OOB);
}

/* "TYPE [dims] [strides] @offset", "?" for what has no value; outermost first. */
static void tensor_text(const struct io_tensor *t, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%d [", (int)t->dtype);
    for (int i = 0; i < 2 * t->rank; i++) {
        const int k = i % t->rank;
        const bool strides = i >= t->rank;
        const char *space = k ? " " : strides ? "] [" : "";
        if ((strides ? t->stride_unknown : t->unknown) >> k & 1)
            used += (size_t)snprintf(out + used, size - used, "%s?", space);
        else
            used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, space,
                                     strides ? t->stride[k] : t->dim[k]);
    }
    used += (size_t)snprintf(out + used, size - used, "]");
    if (t->offset) snprintf(out + used, size - used, " @%" PRId64, t->offset);
    if (t->bytes) snprintf(out + used, size - used, " %" PRId64 " bytes", t->bytes);
}

/* FLOAT16 6, FLOAT32 7, FLOAT64 8, BFLOAT16 9, INT64 5 */
static const struct value_row made[] = {
    {"", "torch.empty(64, 32)", "7 [64 32] [32 1]"},
    {"", "torch.empty((64, 32), dtype=torch.float16)", "6 [64 32] [32 1]"},
    {"", "torch.empty(size=(64, 32), dtype='bfloat16')", "9 [64 32] [32 1]"},
    {"", "torch.empty((64, 32), dtype=mine)", "-1 [64 32] [32 1]"},
    {"", "np.zeros((64, 32))", "8 [64 32] [32 1]"},
    {"", "np.zeros(shape=(64, 32), dtype=\"float16\")", "6 [64 32] [32 1]"},
    {"", "torch.empty(n, 32)", "7 [? 32] [32 1]"},
    {"", "torch.empty(64, n)", "7 [64 ?] [? 1]"},
    {"", "torch.empty(8, 64, n)", "7 [8 64 ?] [? ? 1]"},
    {"", "torch.empty(2, 3, 4, 5, 6, 7)", "none"},
    {"", "torch.empty((2, 3, 4, 5, 6, 7))", "none"},
    {"", "torch.empty()", "none"},
    {"", "torch.empty(dtype=torch.float16)", "none"},
    {"", "torch.empty(64, 32", "none"},
    {"", "torch.empty", "none"},
    {"", "torch.solve(64, 32)", "none"},
    {"", "torch.empty(2, 4611686018427387904, 4)", "7 [2 4611686018427387904 4] [? 4 1]"},
    {"", "torch.full((64, 32), 1.0)", "-1 [64 32] [32 1]"},
    {"", "torch.full((64, 32), 1.0, dtype=torch.half)", "6 [64 32] [32 1]"},
    {"", "torch.tensor(x)", "-1 []"},
    {"", "torch.empty_strided((64, 32), (40, 1))", "7 [64 32] [40 1]"},
    {"", "torch.empty_strided((64, 32), (1, n))", "7 [64 32] [1 ?]"},
    {"", "torch.empty_strided((64, 32), (40,))", "none"},
    {"", "torch.empty_strided((64, 32))", "none"},
    {"", "torch.empty_strided((64, 32), 40)", "none"},
    {"", "torch.arange(64)", "5 [64] [1]"},
    {"", "torch.arange(8, 64, dtype=torch.float16)", "6 [56] [1]"},
    {"", "torch.arange(8, 64, 2)", "none"},
    {"", "torch.arange(64, 8)", "none"},
    {"", "torch.arange(n)", "none"},
    {"", "torch.arange(0, n)", "none"},
    {"", "torch.arange()", "none"},
    {"", "torch.randint(0, 10, (64, 32))", "5 [64 32] [32 1]"},
    {"", "torch.randint(10, size=(64, 32), dtype=torch.float16)", "6 [64 32] [32 1]"},
    {"", "torch.randint(0, 10)", "none"},
    {"", "cute.make_fake_tensor(torch.float16, (64, 32), (32, 1))", "6 [64 32] [32 1]"},
    {"", "cute.make_fake_tensor(torch.float16, (64, 32))", "none"},
    {"", "cute.make_fake_tensor(torch.float16, (64, 32), (32,))", "none"},
    {"", "device.allocate(4096)", "-1 [] 4096 bytes"},
    {"", "device.allocate(n)", "none"},
    {"", "device.allocate()", "none"},
    {"x = torch.empty(64, 32)", "torch.empty_like(x)", "7 [64 32] [32 1]"},
    {"x = torch.empty(64, 32)", "torch.empty_like(x, dtype=torch.half)", "6 [64 32] [32 1]"},
    {"", "torch.empty_like()", "none"},
    {"", "torch.empty_like(y)", "none"},
    {"", "torch.empty(64, 32).half()", "6 [64 32] [32 1]"},
    {"", "torch.empty(64, 32).float().cuda()", "7 [64 32] [32 1]"},
    {"", "torch.empty(64, 32).to(torch.bfloat16)", "9 [64 32] [32 1]"},
    {"", "torch.empty(64, 32).to(dtype=torch.bfloat16, device=\"cuda\")", "9 [64 32] [32 1]"},
    {"", "torch.empty(64, 32).to('cuda')", "7 [64 32] [32 1]"},
    {"", "torch.empty(64, 32).to(\"cuda\")", "7 [64 32] [32 1]"},
    {"", "torch.empty(64, 32).to(device)", "7 [64 32] [32 1]"},
    {"", "torch.empty(64, 32).half().new_empty((8, 16))", "6 [8 16] [16 1]"},
    {"", "torch.empty(64, 32).new_zeros(8, 16, dtype=torch.half)", "6 [8 16] [16 1]"},
    {"", "torch.empty(64, 32).new_zeros()", "none"},
    {"", "torch.empty(64, 32).view(32, 64)", "7 [32 64] [64 1]"},
    {"", "torch.empty(64, 32).view(-1, 16)", "7 [128 16] [16 1]"},
    {"", "torch.empty(64, 100)[:, 4:68].view(64, 8, 8)", "7 [64 8 8] [100 8 1] @4"},
    {"", "torch.empty(64, 100)[:, 4:68].reshape(64, 8, 8)", "7 [64 8 8] [100 8 1] @4"},
    {"", "torch.empty(64, 100)[:, 4:68].view(8, 8, 64)", "7 [8 8 64] [800 100 1] @4"},
    {"", "torch.empty(64, 100)[:, 4:68].view(32, 128)", "none"},
    {"", "torch.empty(64, 100)[:, 4:68].reshape(32, 128)", "7 [32 128] [128 1]"},
    {"", "torch.empty(64, 100)[:, 4:5].view(1, 64)", "7 [1 64] [6400 100] @4"},
    {"", "torch.empty(64, 32).T.view(-1)", "none"},
    {"", "torch.empty(64, 32).T.reshape(-1)", "7 [2048] [1]"},
    {"", "torch.empty(64, 32).view(32, 65)", "none"},
    {"", "torch.empty(64, 100)[:, 4:68].half()", "6 [64 64] [64 1]"},
    {"", "torch.empty(64, 100)[:, 4:68].float()", "7 [64 64] [100 1] @4"},
    {"", "torch.empty(64, 100)[:, 4:68].to(torch.bfloat16)", "9 [64 64] [64 1]"},
    {"", "torch.empty(64, 32).reshape(8, -1)", "7 [8 256] [256 1]"},
    {"", "torch.empty(64, n).view(-1, 16)", "7 [? 16] [16 1]"},
    {"", "torch.empty(64, 32).view(n, -1)", "7 [? ?] [? 1]"},
    {"", "torch.empty(64, 32).view(-2, 16)", "none"},
    {"", "torch.empty(64, 32).view(-1, -1)", "none"},
    {"", "torch.empty(64, 32)[:, 8:].reshape(-1)", "7 [1536] [1]"},
    {"", "torch.empty(64, 32)[8:].reshape(-1)", "7 [1792] [1] @256"},
    {"", "torch.empty(64, 32).view(-1, 0)", "none"},
    {"", "torch.empty(64, 32).view(-1, 48)", "none"},
    {"", "torch.empty(64, 32).view()", "none"},
    {"", "torch.empty(64, 32).T", "7 [32 64] [1 32]"},
    {"", "torch.empty(64, 32).t()", "7 [32 64] [1 32]"},
    {"", "torch.empty(8, 64, 32).mT", "7 [8 32 64] [2048 1 32]"},
    {"", "torch.empty(8, 64, 32).T", "7 [32 64 8] [1 32 2048]"},
    {"", "torch.empty(64, n).T", "7 [? 64] [1 ?]"},
    {"", "torch.empty(64).T", "none"},
    {"", "torch.empty(8, 64, 32).t()", "none"},
    {"", "torch.empty(64, 32).transpose(0, 1)", "7 [32 64] [1 32]"},
    {"", "torch.empty(8, 64, 32).transpose(-1, 0)", "7 [32 64 8] [1 32 2048]"},
    {"", "torch.empty(8, 64, 32).swapaxes(1, 2)", "7 [8 32 64] [2048 1 32]"},
    {"", "torch.empty(64, 32).transpose(0)", "none"},
    {"", "torch.empty(64, 32).transpose(0, n)", "none"},
    {"", "torch.empty(64, 32).transpose(n, 0)", "none"},
    {"", "torch.empty(64, 32).transpose(0, 2)", "none"},
    {"", "torch.empty(64, 32).transpose(2, 0)", "none"},
    {"", "torch.empty(64, 32).transpose(-3, 0)", "none"},
    {"", "torch.empty(64, 32).transpose(0, -3)", "none"},
    {"", "torch.empty(64, n).transpose(0, 1)", "7 [? 64] [1 ?]"},
    {"", "torch.empty(8, 64, 32).permute(2, 0, 1)", "7 [32 8 64] [1 2048 32]"},
    {"", "torch.empty(8, 64, 32).permute((1, 0, 2))", "7 [64 8 32] [32 2048 1]"},
    {"", "torch.empty(8, 64, 32).permute(0, 0, 1)", "none"},
    {"", "torch.empty(8, 64, 32).permute(0, 1, 3)", "none"},
    {"", "torch.empty(8, 64, 32).permute(0, 1)", "none"},
    {"", "torch.empty(8, 64, 32).permute(0, 1, n)", "none"},
    {"", "torch.empty(8, 64, n).permute(0, -1, 1)", "7 [8 ? 64] [? 1 ?]"},
    {"", "torch.empty(8, 64, 32).permute(0, 1, -4)", "none"},
    {"", "torch.empty(64, 32).flip(0)", "none"},
    {"", "torch.empty(64, 32)[8:]", "7 [56 32] [32 1] @256"},
    {"", "torch.empty(64, 32)[:, 8:24]", "7 [64 16] [32 1] @8"},
    {"", "torch.empty(64, 32)[-8:]", "7 [8 32] [32 1] @1792"},
    {"", "torch.empty(64, 32)[:-8]", "7 [56 32] [32 1]"},
    {"", "torch.empty(64, 32)[:-200]", "7 [0 32] [32 1]"},
    {"", "torch.empty(64, 32)[40:8]", "7 [0 32] [32 1] @1280"},
    {"", "torch.empty(64, 32)[-100:]", "7 [64 32] [32 1]"},
    {"", "torch.empty(64, 32)[:100]", "7 [64 32] [32 1]"},
    {"", "torch.empty(64, 32)[8:4]", "7 [0 32] [32 1] @256"},
    {"", "torch.empty(64, 32)[::2]", "none"},
    {"", "torch.empty(64, 32)[n:]", "7 [? 32] [32 1]"},
    {"", "torch.empty(64, 32)[:n]", "7 [? 32] [32 1]"},
    {"", "torch.empty(n, 32)[:8]", "7 [8 32] [32 1]"},
    {"", "torch.empty(n, 32)[:-8]", "none"},
    {"", "torch.empty(n, 32)[-8:]", "none"},
    {"", "torch.empty(n, 32)[8:]", "7 [? 32] [32 1] @256"},
    {"", "torch.empty(8, 64, 32)[2]", "7 [64 32] [32 1] @4096"},
    {"", "torch.empty(8, 64, 32)[:, 2]", "7 [8 32] [2048 1] @64"},
    {"", "torch.empty(8, 64, 32)[..., :16]", "7 [8 64 16] [2048 32 1]"},
    {"", "torch.empty(8, 64, 32)[0, ..., 8:16]", "7 [64 8] [32 1] @8"},
    {"", "torch.empty(8, 64, 32)[2][3]", "7 [32] [1] @4192"},
    {"", "torch.empty(8, 64, 32)[..., 0, 0, 0, 0]", "none"},
    {"", "torch.empty(64)[0]", "none"},
    {"", "torch.empty(64, 32)[8:", "none"},
    {"", "torch.empty(64, 32)[8:}", "none"},
    {"", "torch.empty(64, 32)[0, 0, 0]", "none"},
    {"", "torch.empty(64, n)[8:]", "7 [56 ?] [? 1]"},
    {"", "torch.empty(64, n, 32)[3]", "7 [? 32] [32 1]"},
    {"", "torch.empty(64, 32)[:, 8:].contiguous()", "7 [64 24] [24 1]"},
    {"", "torch.empty(64, 32)[8:].contiguous()", "7 [56 32] [32 1] @256"},
    {"", "torch.empty(64, 32)[8:].clone()", "7 [56 32] [32 1]"},
    {"", "torch.empty(64, 100)[:, 4:68].clone()", "7 [64 64] [64 1]"},
    {"", "torch.empty(64, 128)[:, :32].T.clone()", "7 [32 64] [1 32]"},
    {"", "torch.empty(64, 32).T.clone()", "7 [32 64] [1 32]"},
    {"", "torch.empty(64, 32)[:1, :16].clone()", "7 [1 16] [32 1]"},
    {"", "torch.empty(64, 32) * 3.0", "7 [64 32] [32 1]"},
    {"", "torch.empty(64, 32) / 3e-1 ", "7 [64 32] [32 1]"},
    {"", "torch.empty(64, 32) * y", "none"},
    {"", "torch.empty(64, 32) *", "none"},
    {"", "torch.empty(64, 32) * ", "none"},
    {"", "torch.empty(64, 32) @ 3", "none"},
    {"", "torch.empty(64, 32) * 3 + y", "none"},
    {"x = torch.empty(64, 32)", "x", "7 [64 32] [32 1]"},
    {"x = torch.empty(64, 32)\nx = torch.empty(64, 16)", "x", "none"},
    {"x = torch.empty(64, 32)\ny = x.T", "y", "7 [32 64] [1 32]"},
    {"x = x", "x", "none"},
    {"", "5", "none"},
    {"", "", "none"},
    {"x = torch.empty(64, 32)", "x.", "none"},
    {"x = torch.empty(64, 32)", "x y", "none"},
    {"def f(a):\n    return a\nx = torch.empty(64, 32)\nf(x)\n", "torch.asarray(x)",
     "7 [64 32] [32 1]"},
};

static void tensors(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        const char *at;
        char said[TEXT] = "none";
        struct io_tensor t;
        struct io_source s = source_of(made[i].text, made[i].expression, true, &at);
        if (io_tensor_of(&s, at, s.end, &t)) tensor_text(&t, said, sizeof said);
        if (strcmp(said, made[i].says) != 0)
            bad++, print_message("'%s' with '%s': %s, not %s\n", made[i].expression, made[i].text,
                                 said, made[i].says);
        free((char *)(uintptr_t)s.text);
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_c),
        cmocka_unit_test(numbers_in_python),
        cmocka_unit_test(values_of_enumerations),
        cmocka_unit_test(tensors),
    };
    return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
