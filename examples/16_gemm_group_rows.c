/* 16_gemm_group_rows : experts planned for the most tokens they can get; how many each really has,
 * only the device knows, and the host never asks.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <tmap/kernels.h>

enum { EXPERTS = 4, MOST = 128, N = 64, K = 32 };

static float a[MOST * K], b[N * K], d[MOST * N];

int main(void)
{
    static const int32_t tokens[EXPERTS] = {128, 0, 5, 77}; /* what a router would leave there */
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_member member[EXPERTS];
    struct tmap_gemm_group group;
    const struct tmap_gemm_problem like = {
        .kind = TMAP_GEMM_TF32, .out = TMAP_GEMM_OUT_F32, .alpha = 1};
    uint64_t memory, routed;
    char why[200] = "";
    int wrong = 0;
    if (tmap_gemm_open(NULL, &suite, why, sizeof why) != TMAP_OK) { /* makes its context current */
        printf("there is no GPU for it here\n");
        return 0;
    }
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2");
    *(void **)&copy = dlsym(cuda, "cuMemcpy"); /* host or device, as the addresses say */
    for (int i = 0; i < MOST * K; i++) a[i] = (float)(1 + i % 7);
    for (int i = 0; i < N * K; i++) b[i] = i % K == 3; /* picks column 3 of A */
    for (int i = 0; i < EXPERTS; i++) {
        member[i] =
            (struct tmap_gemm_member){.m = MOST, .n = N, .k = K, .lda = K, .ldb = K, .ldd = N};
        allocate(&member[i].a, sizeof a), allocate(&member[i].b, sizeof b);
        allocate(&member[i].d, sizeof d);
        copy(member[i].a, (uint64_t)(uintptr_t)a, sizeof a);
        copy(member[i].b, (uint64_t)(uintptr_t)b, sizeof b);
        copy(member[i].d, (uint64_t)(uintptr_t)d, sizeof d); /* zeros */
    }
    allocate(&memory, tmap_gemm_group_bytes(EXPERTS));
    allocate(&routed, sizeof tokens);
    copy(routed, (uint64_t)(uintptr_t)tokens, sizeof tokens);
    if (tmap_gemm_make_group(suite, &like, member, EXPERTS, memory, NULL, &group, NULL) != TMAP_OK)
        return 1;
    for (size_t i = 0; i < EXPERTS; i++) /* from device to device; a kernel may write there too */
        copy(tmap_gemm_group_rows(&group, i), routed + i * sizeof(int32_t), sizeof(int32_t));
    if (tmap_gemm_group_run(&group, NULL) != TMAP_OK) return 1;
    for (int i = 0; i < EXPERTS; i++) {
        copy((uint64_t)(uintptr_t)d, member[i].d, sizeof d); /* waits */
        for (int j = 0; j < MOST * N; j++)
            wrong += d[j] != (j / N < tokens[i] ? a[j / N * K + 3] : 0);
    }
    printf("%d experts of up to %d tokens: %d wrong\n", EXPERTS, MOST, wrong);
    tmap_gemm_close(suite);
    return wrong != 0;
}
