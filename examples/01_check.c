/* 01_check : is this descriptor legal?
 * cc 01_check.c $(pkg-config --cflags --libs tmap) */
#include <stdio.h>
#include <tmap/tmap.h>

int main(void)
{
    /* A 4096 x 8192 bf16 matrix, loaded 128 rows of 64 columns at a time. */
    struct tmap_desc desc = {
        .kind = TMAP_TILED,
        .dtype = TMAP_BFLOAT16,
        .rank = 2,
        .address = 0x7f0000000000,
        .dim = {8192, 4096},
        .stride_bytes = {8192 * 2},
        .box = {64, 128},
        .elem_stride = {1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
    };
    static const char *const name[] = {"legal", "illegal", "unknown"};
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
    printf("swizzle 128B: %s\n", name[tmap_verdict_of(&checker, &desc)]);
    desc.swizzle = TMAP_SWIZZLE_64B; /* the inner box is 128 bytes wide */
    printf("swizzle 64B:  %s\n", name[tmap_verdict_of(&checker, &desc)]);
    return 0;
}
