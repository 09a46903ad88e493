/* 02_explain : every violated rule of a descriptor, with the values that would do. */
#include <inttypes.h>
#include <stdio.h>
#include <tmap/tmap.h>

static void print_number(const char *what, const struct tmap_number *number)
{
    if (number->known)
        printf(", %s %s%" PRIu64, what, number->negative ? "-" : "", number->magnitude);
}

int main(void)
{
    /* Reported as flashinfer-ai/flashinfer#2150: one token, and a stride of 2 bytes. */
    struct tmap_desc desc = {
        .kind = TMAP_TILED,
        .dtype = TMAP_BFLOAT16,
        .rank = 3,
        .address = 0x7f4c49e08800,
        .dim = {128, 1, 32},
        .stride_bytes = {2, 256},
        .box = {64, 128, 1},
        .elem_stride = {1, 1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
        .l2_promotion = TMAP_L2_128B,
    };
    struct tmap_target target = tmap_default_target();
    struct tmap_violation violations[16];
    size_t found = 0;

    if (tmap_check(&desc, &target, TMAP_CONTRACT_SAFE, violations, 16, &found) != TMAP_OK) return 1;
    for (size_t i = 0; i < found && i < 16; i++) {
        struct tmap_detail detail;
        if (tmap_detail_of(&target, &desc, NULL, &violations[i], &detail) != TMAP_OK) return 1;
        printf("%s: %s\n", tmap_row_id(violations[i].row), detail.message);
        printf("  %s[%d]", detail.field, detail.index);
        print_number("is", &detail.value);
        print_number("nearest below", &detail.below);
        print_number("nearest above", &detail.above);
        printf("\n");
    }
    return 0;
}
