/* 03_use : what the encode call cannot see. The descriptor is legal; the load is not. */
#include <stdio.h>
#include <tmap/tmap.h>

static void check(const struct tmap_checker *checker, const struct tmap_desc *desc,
                  const struct tmap_use *use)
{
    struct tmap_violation violations[16];
    size_t found = 0;

    /* without a place for the verdict, a status other than TMAP_OK says that it is unknown */
    if (tmap_check_use(checker, desc, use, violations, 16, &found, NULL) != TMAP_OK) return;
    printf("column %d, %llu bytes expected: %zu violated\n", use->coord[0],
           (unsigned long long)use->expect_tx, found);
    for (size_t i = 0; i < found && i < 16; i++)
        printf("  %s %s\n", tmap_row_id(violations[i].row), tmap_row_name(violations[i].row));
}

int main(void)
{
    struct tmap_desc desc = {
        .kind = TMAP_TILED,
        .dtype = TMAP_BFLOAT16,
        .rank = 2,
        .address = 0x7f0000000000,
        .dim = {4096, 4096},
        .stride_bytes = {8192},
        .box = {64, 16},
        .elem_stride = {1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
    };
    struct tmap_use use = {
        .op = TMAP_OP_LOAD,
        .flags = TMAP_USE_COORD | TMAP_USE_SMEM | TMAP_USE_EXPECT_TX,
        .coord = {128, 0},
        .coord_count = 2,
        .smem = 0x400,
        .expect_tx = 2048,
    };
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
    check(&checker, &desc, &use);
    use.coord[0] = 130; /* 260 bytes in: not a multiple of 16 */
    check(&checker, &desc, &use);
    use.coord[0] = 128;
    use.expect_tx = 1024; /* the box brings 2048 */
    check(&checker, &desc, &use);
    return 0;
}
