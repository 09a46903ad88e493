/* 21_gemm_gate : the first half of a SwiGLU layer in one launch: SiLU(A B1) times A B2, as e4m3.
 * libs: tmap-cuda
 * link: -ldl -lpthread -lm */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <tmap/kernels.h>

enum { M = 96, WIDE = 200, N = 2 * WIDE, K = 64, LD = 208 };
static uint16_t a[M * K], b[N * K]; /* B1's rows, then B2's */
enum { D_BYTES = M * LD };
static const uint16_t code[] = {0xbf00, 0, 0x3f00}; /* -1/2, 0, 1/2 in bf16 */

static float sum_at(int i, int j)
{
    float sum = 0;
    for (int k = 0; k < K; k++) sum += (float)(((i + k) % 3 - 1) * ((j + 2 * k) % 3 - 1)) / 4;
    return sum;
}

int main(void)
{
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal refusal;
    struct tmap_gemm_problem problem = {
        .kind = TMAP_GEMM_BF16, .out = TMAP_GEMM_OUT_E4M3, .alpha = 1};
    struct tmap_gemm_epilogue *e = &problem.epilogue;
    const float scale = 2; /* of D: what it holds is twice the layer's */
    float most = 0, worst = 0;
    problem.m = M, problem.n = N, problem.k = K, problem.batch = 1;
    problem.a.ld = problem.b.ld = K, problem.d.ld = LD;
    e->gate = TMAP_GEMM_GATE_HALVES, e->activation = TMAP_GEMM_SILU;
    if (tmap_gemm_open(NULL, &suite, NULL, 0) != TMAP_OK)
        return !printf("there is no GPU for it here\n");
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2"), *(void **)&copy = dlsym(cuda, "cuMemcpy");
    for (int i = 0; i < M * K; i++) a[i] = code[(i / K + i % K) % 3];
    for (int j = 0; j < N * K; j++) b[j] = code[(j / K + 2 * (j % K)) % 3];
    allocate(&problem.a.address, sizeof a), allocate(&problem.b.address, sizeof b);
    allocate(&problem.d.address, D_BYTES), allocate(&e->d_scale, sizeof scale);
    allocate(&e->amax, sizeof most);
    copy(problem.a.address, (uint64_t)(uintptr_t)a, sizeof a);
    copy(problem.b.address, (uint64_t)(uintptr_t)b, sizeof b);
    copy(e->d_scale, (uint64_t)(uintptr_t)&scale, sizeof scale);
    copy(e->amax, (uint64_t)(uintptr_t)&most, sizeof most);
    if (tmap_gemm_make_plan(suite, &problem, NULL, &plan, &refusal) || tmap_gemm_run(&plan, NULL))
        return 1;
    copy((uint64_t)(uintptr_t)&most, e->amax, sizeof most); /* waits */
    for (int i = 0; i < M * WIDE; i++) {
        const float x = sum_at(i / WIDE, i % WIDE), y = sum_at(i / WIDE, WIDE + i % WIDE);
        worst = fmaxf(worst, fabsf(x / (1 + expf(-x)) * y));
    }
    printf("the largest is %g, the plain sum's %g\n", (double)most, (double)worst);
    tmap_gemm_close(suite);
    return fabsf(most - worst) > 0.01f * worst;
}
