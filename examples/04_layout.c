/* 04_layout : what a copy moves, and how much shared memory it takes. */
#include <inttypes.h>
#include <stdio.h>
#include <tmap/tmap.h>

int main(void)
{
    /* 48-byte rows under a 128-byte swizzle stand 128 bytes apart. */
    struct tmap_desc desc = {
        .kind = TMAP_TILED,
        .dtype = TMAP_BFLOAT16,
        .rank = 2,
        .address = 0x7f0000000000,
        .dim = {4096, 4096},
        .stride_bytes = {8192},
        .box = {24, 64},
        .elem_stride = {1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
    };
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_layout layout;

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
    if (tmap_layout(&checker, &desc, &layout) != TMAP_OK) return 1;
    printf("expect_tx %" PRIu64 ", shared memory %" PRIu64 " bytes\n", layout.tx_bytes,
           layout.footprint_bytes);
    printf("rows of %" PRIu32 " bytes every %" PRIu32 ", pattern from multiples of %" PRIu32 "\n",
           layout.row_bytes, layout.pitch_bytes, layout.pattern_bytes);
    return 0;
}
