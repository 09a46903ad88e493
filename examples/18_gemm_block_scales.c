/* 18_gemm_block_scales : e4m3 with a scale for each 1 x 128 of A and each 128 x 128 of B, as
 * DeepGEMM has them. A row of scales of A is a tensor map's row: whole 16 bytes.
 * libs: tmap-cuda
 * link: -ldl -lpthread -lm */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tmap/kernels.h>

enum { M = 96, N = 200, K = 300, BLOCK = 128, DEEP = (K + BLOCK - 1) / BLOCK, WIDE = 2 };
enum { LD = 304 }; /* of A and B: rows of whole 16 bytes */
static uint8_t a[M * LD], b[N * LD];
static float a_scale[DEEP * M], b_scale[WIDE * DEEP], d[M * N];
static const uint8_t code[] = {0xb8, 0x00, 0x38}; /* -1, 0 and 1 in e4m3 */

int main(void)
{
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal refusal;
    struct tmap_gemm_problem problem = {
        .kind = TMAP_GEMM_E4M3, .out = TMAP_GEMM_OUT_F32, .alpha = 1};
    struct tmap_gemm_block_scale *s = &problem.block_scale;
    double wanted = 0;
    problem.m = M, problem.n = N, problem.k = K, problem.batch = 1;
    problem.a.ld = problem.b.ld = LD, problem.d.ld = N, s->lda = M, s->ldb = DEEP;
    if (tmap_gemm_open(NULL, &suite, NULL, 0) != TMAP_OK) {
        printf("there is no GPU for it here\n");
        return 0;
    }
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2");
    *(void **)&copy = dlsym(cuda, "cuMemcpy");
    for (int i = 0; i < M * LD; i++) a[i] = code[i * 7 % 3];
    for (int i = 0; i < N * LD; i++) b[i] = code[i * 5 % 3];
    for (int i = 0; i < DEEP * M; i++) a_scale[i] = (float)(1 + i % 4) / 4;
    for (int i = 0; i < WIDE * DEEP; i++) b_scale[i] = (float)(1 + i);
    allocate(&problem.a.address, sizeof a), allocate(&problem.b.address, sizeof b);
    allocate(&problem.d.address, sizeof d);
    allocate(&s->a, sizeof a_scale), allocate(&s->b, sizeof b_scale);
    copy(problem.a.address, (uint64_t)(uintptr_t)a, sizeof a);
    copy(problem.b.address, (uint64_t)(uintptr_t)b, sizeof b);
    copy(s->a, (uint64_t)(uintptr_t)a_scale, sizeof a_scale);
    copy(s->b, (uint64_t)(uintptr_t)b_scale, sizeof b_scale);
    if (tmap_gemm_make_plan(suite, &problem, NULL, &plan, &refusal) != TMAP_OK ||
        tmap_gemm_run(&plan, NULL) != TMAP_OK)
        return 1;
    copy((uint64_t)(uintptr_t)d, problem.d.address, sizeof d); /* waits */
    const int i = 5, j = 150;
    for (int k = 0; k < K; k++) {
        const int x = (i * LD + k) * 7 % 3 - 1, y = (j * LD + k) * 5 % 3 - 1;
        wanted += (double)(x * y) * (double)a_scale[k / BLOCK * M + i] *
                  (double)b_scale[j / BLOCK * DEEP + k / BLOCK];
    }
    printf("D has %g, the plain sum is %g\n", (double)d[i * N + j], wanted);
    tmap_gemm_close(suite);
    return fabs(wanted - (double)d[i * N + j]) > 1e-4 * (1 + fabs(wanted));
}
