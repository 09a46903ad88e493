/* 23_mixed : weights of 4 bits in groups of 64 with zeros, times activations of bf16; and rows of
 * weights that no map can be for.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <tmap/mixed.h>

enum { M = 5, N = 40, K = 256, GROUP = 64 };
static uint16_t x[M * K], scales[K / GROUP * N], code[] = {0xbf80, 0, 0x3f80}; /* -1, 0, 1 */
static uint8_t weights[N * K / 2], zeros[K / GROUP * 48]; /* whose rows are whole 16 bytes */
static float y[M * N];
/* By the definition: the scale of every other group is 2. */
static float expected(int i, int j)
{
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const int q = weights[(j * K + k) / 2] >> (k % 2 ? 4 : 0) & 15;
        const int zero = zeros[k / GROUP * 48 + j], scale = k / GROUP % 2 ? 2 : 1;
        sum += (float)(((i * K + k) * 7 % 3 - 1) * (q - zero) * scale);
    }
    return sum;
}

int main(void)
{
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal refusal;
    struct tmap_mixed_problem p = {.kind = TMAP_GEMM_BF16, .out = TMAP_GEMM_OUT_F32};
    p.weight = TMAP_MIXED_U4, p.m = M, p.n = N, p.k = K, p.group = GROUP;
    p.activations_ld = p.weights_ld = K, p.scales_ld = p.d_ld = N, p.zeros_ld = 48;
    if (tmap_gemm_open(NULL, &suite, NULL, 0) != TMAP_OK)
        return !printf("there is no GPU for it here\n");
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2"), *(void **)&copy = dlsym(cuda, "cuMemcpy");
    for (int i = 0; i < M * K; i++) x[i] = code[i * 7 % 3];
    for (int i = 0; i < N * K / 2; i++) weights[i] = (uint8_t)(i * 37);
    for (int i = 0; i < K / GROUP * N; i++) scales[i] = i / N % 2 ? 0x4000 : 0x3f80; /* 2, 1 */
    for (int i = 0; i < K / GROUP * 48; i++) zeros[i] = (uint8_t)(i * 5 % 16);
    allocate(&p.activations, sizeof x), allocate(&p.weights, sizeof weights);
    allocate(&p.scales, sizeof scales), allocate(&p.zeros, sizeof zeros), allocate(&p.d, sizeof y);
    copy(p.activations, (uint64_t)(uintptr_t)x, sizeof x);
    copy(p.weights, (uint64_t)(uintptr_t)weights, sizeof weights);
    copy(p.scales, (uint64_t)(uintptr_t)scales, sizeof scales);
    copy(p.zeros, (uint64_t)(uintptr_t)zeros, sizeof zeros);
    p.next = &p; /* what runs after it: here itself. So small a launch brings nothing of it to L2 */
    if (tmap_mixed_make_plan(suite, &p, NULL, &plan, &refusal) || tmap_gemm_run(&plan, NULL))
        return 1;
    copy((uint64_t)(uintptr_t)y, p.d, sizeof y); /* waits */
    int wrong = 0;
    for (int i = 0; i < M * N; i++) wrong += y[i] != expected(i / N, i % N);
    printf("%d of %d outputs wrong\n", wrong, M * N);
    p.weights_ld = K + 16; /* 8 bytes */
    const enum tmap_status status = tmap_mixed_make_plan(suite, &p, NULL, &plan, &refusal);
    printf("rows of weights 136 bytes apart: %s\n", status == TMAP_OK ? "" : refusal.text);
    tmap_gemm_close(suite);
    return wrong != 0 || status == TMAP_OK;
}
