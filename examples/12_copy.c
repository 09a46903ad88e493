/* 12_copy : a padded matrix moved by the copy engine, with descriptors that tmap makes and checks.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <tmap/copy.h>

enum { COLUMNS = 1000, ROWS = 3000, PITCH_BYTES = 4096, BYTES = ROWS * PITCH_BYTES };

static float from[BYTES / 4], to[BYTES / 4];

int main(void)
{
    struct tmap_copy *suite = NULL;
    struct tmap_copy_plan plan;
    struct tmap_violation row;
    struct tmap_copy_problem matrix = {.kind = TMAP_COPY_TILE,
                                       .dtype = TMAP_FLOAT32,
                                       .rank = 2,
                                       .dim = {COLUMNS, ROWS},
                                       .src_stride = {PITCH_BYTES},
                                       .dst_stride = {PITCH_BYTES}};
    char why[200] = "";
    if (tmap_copy_open(NULL, &suite, why, sizeof why) != TMAP_OK) { /* makes its context current */
        printf("there is no GPU for it here\n");
        return 0;
    }
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2");
    *(void **)&copy = dlsym(cuda, "cuMemcpy"); /* host or device, as the addresses say */
    for (int i = 0; i < BYTES / 4; i++) from[i] = (float)i, to[i] = -1;
    allocate(&matrix.src, BYTES), allocate(&matrix.dst, BYTES);
    copy(matrix.src, (uint64_t)(uintptr_t)from, BYTES);
    copy(matrix.dst, (uint64_t)(uintptr_t)to, BYTES);
    if (tmap_copy_make_plan(suite, &matrix, NULL, &plan, &row) != TMAP_OK ||
        tmap_copy_run(&plan, NULL) != TMAP_OK)
        return 1;
    copy((uint64_t)(uintptr_t)to, matrix.dst, BYTES); /* waits */
    printf("%s, %u stages of %u bytes: %g, then %g\n", plan.kernel, plan.config.stages,
           plan.tx_bytes, to[COLUMNS - 1], to[COLUMNS]);
    return to[COLUMNS - 1] != from[COLUMNS - 1] || to[COLUMNS] != -1;
}
