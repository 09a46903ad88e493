/* 21_gemm_gate : the first half of a SwiGLU layer in one launch: SiLU(A B1) times A B2, as e4m3.
 * libs: tmap-cuda
 * link: -ldl -lpthread -lm */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tmap/kernels.h>

enum { M = 96, WIDE = 200, N = 2 * WIDE, K = 64, LD = 208 };

static uint16_t a[M * K], b[N * K]; /* B1's rows, then B2's */
static uint8_t d[M * LD];

static uint16_t bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return (uint16_t)(bits >> 16); /* of numbers that bf16 holds */
}

static float a_at(int i, int k)
{
    return (float)((i + k) % 5) / 8;
}

static float b_at(int j, int k)
{
    return (float)((j + 2 * k) % 3 - 1) / 2;
}

static float sum_at(int i, int j)
{
    float sum = 0;
    for (int k = 0; k < K; k++) sum += a_at(i, k) * b_at(j, k);
    return sum;
}

static float of_e4m3(uint8_t x)
{
    const int exponent = x >> 3 & 15, fraction = x & 7;
    const float v =
        exponent ? ldexpf((float)(8 + fraction), exponent - 10) : ldexpf((float)fraction, -9);
    return x & 128 ? -v : v;
}

int main(void)
{
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal refusal;
    struct tmap_gemm_problem problem = {
        .kind = TMAP_GEMM_BF16, .out = TMAP_GEMM_OUT_E4M3, .alpha = 1};
    struct tmap_gemm_epilogue *e = &problem.epilogue;
    const float scale = 16; /* of D: what it holds is 16 times the layer's */
    float most = 0, worst = 0;
    problem.m = M, problem.n = N, problem.k = K, problem.batch = 1;
    problem.a.ld = problem.b.ld = K, problem.d.ld = LD;
    e->gate = TMAP_GEMM_GATE_HALVES, e->activation = TMAP_GEMM_SILU;
    if (tmap_gemm_open(NULL, &suite, NULL, 0) != TMAP_OK) {
        printf("there is no GPU for it here\n");
        return 0;
    }
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2");
    *(void **)&copy = dlsym(cuda, "cuMemcpy");
    for (int i = 0; i < M * K; i++) a[i] = bf16(a_at(i / K, i % K));
    for (int j = 0; j < N * K; j++) b[j] = bf16(b_at(j / K, j % K));
    allocate(&problem.a.address, sizeof a), allocate(&problem.b.address, sizeof b);
    allocate(&problem.d.address, sizeof d);
    allocate(&e->d_scale, sizeof scale), allocate(&e->amax, sizeof most);
    copy(problem.a.address, (uint64_t)(uintptr_t)a, sizeof a);
    copy(problem.b.address, (uint64_t)(uintptr_t)b, sizeof b);
    copy(e->d_scale, (uint64_t)(uintptr_t)&scale, sizeof scale);
    copy(e->amax, (uint64_t)(uintptr_t)&most, sizeof most);
    if (tmap_gemm_make_plan(suite, &problem, NULL, &plan, &refusal) != TMAP_OK ||
        tmap_gemm_run(&plan, NULL) != TMAP_OK)
        return 1;
    copy((uint64_t)(uintptr_t)d, problem.d.address, sizeof d); /* waits */
    copy((uint64_t)(uintptr_t)&most, e->amax, sizeof most);
    for (int i = 0; i < M * WIDE; i++) {
        const float x = sum_at(i / WIDE, i % WIDE), y = sum_at(i / WIDE, WIDE + i % WIDE);
        const float want = x / (1 + expf(-x)) * y, got = of_e4m3(d[i / WIDE * LD + i % WIDE]);
        worst = fmaxf(worst, fabsf(got / scale - want) / (fabsf(want) + 0.01f));
    }
    printf("the largest is %g; the error at most %.3f of an element\n", (double)most,
           (double)worst);
    tmap_gemm_close(suite);
    return worst > 0.07f;
}
