/* 20_gemm_routed : tokens sorted by the expert that has them, every expert's in one launch; where
 * each one's tokens end only the device knows. TMAP_GEMM_FORM_K does the weights' gradients so.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <tmap/kernels.h>

enum { EXPERTS = 4, TOKENS = 100, N = 64, K = 32 };

static float x[TOKENS * K], w[EXPERTS * N * K], y[TOKENS * N];

int main(void)
{
    static const int32_t ends[EXPERTS] = {37, 37, 42, 90}; /* what a router would leave there */
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_group group;
    uint64_t memory, routed, at[3];
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
    for (int i = 0; i < TOKENS * K; i++) x[i] = (float)(1 + i % 7);
    for (int i = 0; i < EXPERTS * N * K; i++) w[i] = i % K == i / (N * K); /* expert e picks x[e] */
    const uint64_t from[3] = {(uintptr_t)x, (uintptr_t)w, (uintptr_t)y};   /* y: zeros */
    const size_t bytes[3] = {sizeof x, sizeof w, sizeof y};
    for (int i = 0; i < 3; i++) allocate(&at[i], bytes[i]), copy(at[i], from[i], bytes[i]);
    allocate(&memory, tmap_gemm_group_bytes(EXPERTS));
    allocate(&routed, sizeof ends);
    const struct tmap_gemm_problem all = {.kind = TMAP_GEMM_TF32,
                                          .out = TMAP_GEMM_OUT_F32,
                                          .m = TOKENS,
                                          .n = N,
                                          .k = K,
                                          .batch = EXPERTS,
                                          .a = {.address = at[0], .ld = K},
                                          .b = {.address = at[1], .ld = K, .batch_stride = N * K},
                                          .d = {.address = at[2], .ld = N},
                                          .alpha = 1};
    const struct tmap_gemm_routing how = {.form = TMAP_GEMM_FORM_ROWS, .ends = routed};
    if (tmap_gemm_make_routed(suite, &all, &how, memory, NULL, &group, NULL) != TMAP_OK) return 1;
    copy(routed, (uintptr_t)ends, sizeof ends); /* before any run; a kernel may write them too */
    if (tmap_gemm_group_run(&group, NULL) != TMAP_OK) return 1;
    copy((uintptr_t)y, at[2], sizeof y); /* waits */
    for (int i = 0, e = 0; i < TOKENS * N; i++) {
        while (e < EXPERTS && i / N >= ends[e]) e++;
        wrong += y[i] != (e < EXPERTS ? x[i / N * K + e] : 0);
    }
    printf("%d tokens of %d experts: %d wrong\n", ends[EXPERTS - 1], EXPERTS, wrong);
    tmap_gemm_close(suite);
    return wrong != 0;
}
