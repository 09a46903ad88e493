/* fuzz_cache.c : any bytes as the tuner's file. What is read for the key "k" is within its bounds,
 * is printed and read back the same, and makes a plan or a refusal; so does what is read of the
 * first line alone. */
#include "fuzz/fuzz.h"

#define assert_int_equal(a, b) FUZZ_CHECK((a) == (b))
#include "support/gemm_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Products that the configurations are planned for: of two families, in time and in space. */
static const struct tmap_gemm_problem problems[] = {
    {.kind = TMAP_GEMM_BF16, .m = 4096, .n = 4096, .k = 4096, .batch = 1},
    {.kind = TMAP_GEMM_E4M3, .m = 96, .n = 1000, .k = 16384, .batch = 3},
    {.kind = TMAP_GEMM_TF32, .m = 1, .n = 8, .k = 64, .batch = 1},
};

static void plan(const struct tmap_gemm_config *c)
{
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        struct tmap_gemm_problem p = problems[i];
        struct tmap_gemm_plan plan;
        struct tmap_gemm_refusal refusal;
        p.alpha = 1;
        p.a = (struct tmap_gemm_matrix){1 << 20, p.k, (int64_t)p.m * p.k, false};
        p.b = (struct tmap_gemm_matrix){1 << 30, p.k, (int64_t)p.n * p.k, false};
        p.d = (struct tmap_gemm_matrix){1 << 28, p.n, (int64_t)p.m * p.n, false};
        FUZZ_CHECK(gemm_validate_request(c, &refusal) == TMAP_OK);
        tmap_gemm_make_plan(pretend(), &p, c, &plan, &refusal);
    }
}

static void print_and_read(const struct tmap_gemm_config *c)
{
    struct tmap_gemm_config again;
    char printed[512];
    gemm_print_config(printed, sizeof printed, c);
    FUZZ_CHECK(gemm_read_config(printed, &again) == GEMM_CONFIG_MEMBERS);
    FUZZ_CHECK(memcmp(c, &again, sizeof again) == 0);
    plan(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tmap_gemm_config c;
    char *text = malloc(size + 1);
    FILE *f = size ? fmemopen((void *)data, size, "r") : NULL;
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    const size_t n = gemm_read_config(text, &c);
    FUZZ_CHECK(n <= GEMM_CONFIG_MEMBERS);
    if (n == GEMM_CONFIG_MEMBERS) print_and_read(&c);
    if (f && gemm_recall_from(f, "k", &c)) print_and_read(&c);
    if (f) fclose(f);
    free(text);
    return 0;
}
