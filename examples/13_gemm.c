/* 13_gemm : a matrix product on the tensor cores, planned, run, and refused when it is illegal.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <tmap/kernels.h>

enum { M = 300, N = 200, K = 512 };

static float a[M * K], b[N * K], d[M * N];

int main(void)
{
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal refusal;
    struct tmap_gemm_problem problem = {.kind = TMAP_GEMM_TF32, /* D = A B, B stored N by K */
                                        .out = TMAP_GEMM_OUT_F32,
                                        .m = M,
                                        .n = N,
                                        .k = K,
                                        .batch = 1,
                                        .a.ld = K,
                                        .b.ld = K,
                                        .d.ld = N,
                                        .alpha = 1};
    char why[200] = "";
    if (tmap_gemm_open(NULL, &suite, why, sizeof why) != TMAP_OK) { /* makes its context current */
        printf("there is no GPU for it here\n");
        return 0;
    }
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2");
    *(void **)&copy = dlsym(cuda, "cuMemcpy"); /* host or device, as the addresses say */
    for (int i = 0; i < M * K; i++) a[i] = (float)(i % 7);
    for (int i = 0; i < N * K; i++) b[i] = i % K == 3; /* picks column 3 of A */
    allocate(&problem.a.address, sizeof a), allocate(&problem.b.address, sizeof b);
    allocate(&problem.d.address, sizeof d);
    copy(problem.a.address, (uint64_t)(uintptr_t)a, sizeof a);
    copy(problem.b.address, (uint64_t)(uintptr_t)b, sizeof b);
    if (tmap_gemm_make_plan(suite, &problem, NULL, &plan, NULL) != TMAP_OK ||
        tmap_gemm_run(&plan, NULL) != TMAP_OK)
        return 1;
    copy((uint64_t)(uintptr_t)d, problem.d.address, sizeof d); /* waits */
    printf("tile %d x %d: D[5][7] is %g, A[5][3] is %g\n", plan.config.tile_m, plan.config.tile_n,
           d[5 * N + 7], a[5 * K + 3]);
    problem.a.ld = K + 1;
    if (tmap_gemm_make_plan(suite, &problem, NULL, &plan, &refusal) == TMAP_E_ILLEGAL)
        printf("with another stride: %s\n", refusal.text);
    tmap_gemm_close(suite);
    return d[5 * N + 7] != a[5 * K + 3];
}
