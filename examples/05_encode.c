/* 05_encode : the 128 bytes that the driver would write, without a driver. */
#include <inttypes.h>
#include <stdio.h>
#include <tmap/tmap.h>

int main(void)
{
    struct tmap_desc desc = {
        .kind = TMAP_TILED,
        .dtype = TMAP_FLOAT16,
        .rank = 3,
        .address = 0x7f0000000000,
        .dim = {4096, 4096, 8},
        .stride_bytes = {8192, 8192 * 4096},
        .box = {64, 128, 1},
        .elem_stride = {1, 1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
        .l2_promotion = TMAP_L2_128B,
    };
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_map map;

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_DRIVER, &checker) != TMAP_OK) return 1;
    if (tmap_encode(&checker, &desc, &map) != TMAP_OK) return 1;
    for (int i = 0; i < 16; i++) printf("0x%016" PRIx64 "%s", map.word[i], i % 4 == 3 ? "\n" : " ");
    return 0;
}
