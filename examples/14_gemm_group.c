/* 14_gemm_group : products of different sizes in one launch; their maps are made on the device.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <tmap/kernels.h>

enum { MEMBERS = 3, N = 256, K = 128, MOST = 500 };

static float a[MOST * K], b[N * K], d[MOST * N];

int main(void)
{
    static const int32_t rows[MEMBERS] = {500, 3, 77}; /* as tokens of three experts */
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_member member[MEMBERS];
    struct tmap_gemm_group group;
    const struct tmap_gemm_problem like = {
        .kind = TMAP_GEMM_TF32, .out = TMAP_GEMM_OUT_F32, .alpha = 1};
    uint64_t memory;
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
    for (int i = 0; i < MOST * K; i++) a[i] = (float)(i % 7);
    for (int i = 0; i < N * K; i++) b[i] = i % K == 3; /* picks column 3 of A */
    for (int i = 0; i < MEMBERS; i++) {
        member[i] =
            (struct tmap_gemm_member){.m = rows[i], .n = N, .k = K, .lda = K, .ldb = K, .ldd = N};
        allocate(&member[i].a, sizeof a), allocate(&member[i].b, sizeof b);
        allocate(&member[i].d, sizeof d);
        copy(member[i].a, (uint64_t)(uintptr_t)a, sizeof a);
        copy(member[i].b, (uint64_t)(uintptr_t)b, sizeof b);
    }
    allocate(&memory, tmap_gemm_group_bytes(MEMBERS));
    if (tmap_gemm_make_group(suite, &like, member, MEMBERS, memory, NULL, &group, NULL) !=
            TMAP_OK ||
        tmap_gemm_group_run(&group, NULL) != TMAP_OK)
        return 1;
    for (int i = 0; i < MEMBERS; i++) {
        copy((uint64_t)(uintptr_t)d, member[i].d, (size_t)rows[i] * N * 4); /* waits */
        for (int j = 0; j < rows[i] * N; j++) wrong += d[j] != a[j / N * K + 3];
    }
    printf("%d products in %u blocks: %d wrong\n", MEMBERS, group.grid, wrong);
    tmap_gemm_close(suite);
    return wrong != 0;
}
