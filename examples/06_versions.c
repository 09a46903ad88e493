/* 06_versions : the same descriptor for several targets. Illegal, inferred and unknown differ. */
#include <stdio.h>
#include <tmap/tmap.h>

int main(void)
{
    static const struct {
        const char *cuda, *arch;
    } at[] = {{"12.4", "sm_90a"}, {"13.0", "sm_90a"}, {"13.0", "sm_100a"}, {"99.0", "sm_90a"}};
    static const char *const verdict[] = {"legal", "illegal", "unknown"};
    static const char *const basis[] = {"observed", "inferred"};
    struct tmap_desc desc = {
        .kind = TMAP_TILED,
        .dtype = TMAP_16U4_ALIGN8B, /* packed fp4, since CUDA 12.8 */
        .rank = 2,
        .address = 0x7f0000000000,
        .dim = {8192, 8192},
        .stride_bytes = {4096},
        .box = {256, 128},
        .elem_stride = {1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
    };

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct tmap_target target;
        struct tmap_checker checker;
        if (tmap_target_from(at[i].cuda, NULL, NULL, at[i].arch, &target) != TMAP_OK) return 1;
        if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
        printf("CUDA %s, %-8s %s (%s)\n", at[i].cuda, at[i].arch,
               verdict[tmap_verdict_of(&checker, &desc)], basis[checker.basis]);
    }
    return 0;
}
