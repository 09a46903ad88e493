/* 17_gemm_epilogue : a layer in one launch: GELU of A B plus a bias, with what GELU was given kept.
 * libs: tmap-cuda
 * link: -ldl -lpthread -lm */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tmap/kernels.h>

enum { M = 96, N = 200, K = 64 };

static uint16_t a[M * K], b[N * K];
static float bias[N], d[M * N], before[M * N];

static uint16_t bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return (uint16_t)(bits >> 16); /* of numbers that bf16 holds */
}

int main(void)
{
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal refusal;
    struct tmap_gemm_problem problem = {
        .kind = TMAP_GEMM_BF16, .out = TMAP_GEMM_OUT_F32, .alpha = 1};
    struct tmap_gemm_epilogue *e = &problem.epilogue;
    problem.m = M, problem.n = N, problem.k = K, problem.batch = 1;
    problem.a.ld = problem.b.ld = K, problem.d.ld = e->second.ld = N;
    e->activation = TMAP_GEMM_GELU_TANH, e->bias_type = TMAP_GEMM_OUT_F32;
    if (tmap_gemm_open(NULL, &suite, NULL, 0) != TMAP_OK) {
        printf("there is no GPU for it here\n");
        return 0;
    }
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2");
    *(void **)&copy = dlsym(cuda, "cuMemcpy");
    for (int i = 0; i < M * K; i++) a[i] = bf16((float)(i % 5) / 8);
    for (int i = 0; i < N * K; i++) b[i] = bf16((float)(i % 3) - 1);
    for (int j = 0; j < N; j++) bias[j] = (float)(j % 4) - 2;
    allocate(&problem.a.address, sizeof a), allocate(&problem.b.address, sizeof b);
    allocate(&problem.d.address, sizeof d), allocate(&e->second.address, sizeof before);
    allocate(&e->col_bias, sizeof bias);
    copy(problem.a.address, (uint64_t)(uintptr_t)a, sizeof a);
    copy(problem.b.address, (uint64_t)(uintptr_t)b, sizeof b);
    copy(e->col_bias, (uint64_t)(uintptr_t)bias, sizeof bias);
    if (tmap_gemm_make_plan(suite, &problem, NULL, &plan, &refusal) != TMAP_OK ||
        tmap_gemm_run(&plan, NULL) != TMAP_OK)
        return 1;
    copy((uint64_t)(uintptr_t)d, problem.d.address, sizeof d); /* waits */
    copy((uint64_t)(uintptr_t)before, e->second.address, sizeof before);
    const float x = before[5 * N + 7];
    const float y = 0.5f * x * (1 + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
    printf("x is %g, GELU of it %g, D has %g\n", (double)x, (double)y, (double)d[5 * N + 7]);
    tmap_gemm_close(suite);
    return fabsf(d[5 * N + 7] - y) > 1e-5f * (1 + fabsf(y));
}
