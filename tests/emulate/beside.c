/* One product of tmap's own kernels on the emulator, of operands that somebody else made:
 *
 *   beside FOLDER KIND CC M N K PTX...
 *
 * FOLDER/a and FOLDER/b are M and N rows of K, FOLDER/sa and FOLDER/sb the scale factors of a kind
 * that has them (include/tmap/kernels.h), and FOLDER/d becomes M rows of N sums in 32 bits. The
 * exit code is 0 for a run without a finding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_suites.h"

static const char *const kinds[GEMM_KINDS] = {
#define KIND(word, ...) #word,
#include "kernels/gemm/kinds.def"
};

static int32_t kind_of(const char *word)
{
    int32_t kind = 0;
    while (kind < GEMM_KINDS && strcmp(kinds[kind], word)) kind++;
    return kind;
}

static FILE *file_of(const char *folder, const char *name, const char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, mode);
}

/* A file's bytes in device memory; 0 without it. */
static uint64_t filled(struct tmap_gemm *suite, const char *folder, const char *name)
{
    uint64_t address = 0;
    FILE *f = file_of(folder, name, "rb");
    if (!f) return 0;
    fseek(f, 0, SEEK_END);
    const long bytes = ftell(f);
    rewind(f);
    if (bytes <= 0 || suite->gpu.api.mem_alloc(&address, (uint64_t)bytes) ||
        fread((void *)(uintptr_t)address, 1, (size_t)bytes, f) != (size_t)bytes)
        address = 0;
    fclose(f);
    return address;
}

static bool run(struct tmap_gemm *suite, const char *folder, struct tmap_gemm_problem *p)
{
    const size_t elements = (size_t)p->m * (size_t)p->n;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    p->a = (struct tmap_gemm_matrix){.address = filled(suite, folder, "a"), .ld = p->k};
    p->b = (struct tmap_gemm_matrix){.address = filled(suite, folder, "b"), .ld = p->k};
    p->d.ld = p->n;
    if (gemm_is_scaled(p->kind)) {
        p->a_scales = filled(suite, folder, "sa");
        p->b_scales = filled(suite, folder, "sb");
    }
    if (suite->gpu.api.mem_alloc(&p->d.address, 4 * elements)) return false;
    if (tmap_gemm_make_plan(suite, p, NULL, &plan, &why) != TMAP_OK) {
        fprintf(stderr, "no plan: %s\n", why.text);
        return false;
    }
    emulated_state()->how.tensor_fences = true;
    const bool ran = tmap_gemm_run(&plan, NULL) == TMAP_OK && !emulated_state()->findings;
    emulated_print();
    FILE *f = file_of(folder, "d", "wb");
    if (!f) return false;
    const bool wrote = fwrite((void *)(uintptr_t)p->d.address, 4, elements, f) == elements;
    return (fclose(f) == 0) & wrote & ran;
}

int main(int argc, char **argv)
{
    if (argc < 8 || kind_of(argv[2]) == GEMM_KINDS) return 3;
    struct tmap_gemm_problem p = {.kind = kind_of(argv[2]),
                                  .m = atoi(argv[4]),
                                  .n = atoi(argv[5]),
                                  .k = atoi(argv[6]),
                                  .batch = 1,
                                  .alpha = 1};
    p.out = p.kind == GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32;
    struct tmap_gemm *suite = emulated_gemm_suite_for(atoi(argv[3]), 0);
    if (!suite) return 2;
    for (int i = 7; i < argc; i++)
        if (!emulated_ptx(argv[i])) return 2;
    const bool ran = run(suite, argv[1], &p);
    emulated_close();
    return !ran;
}
