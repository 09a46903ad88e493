/* 08_guard : the same condition as code, for a generator to put before its launch.
 * libs: tmap-symbolic
 * link: -lisl -ldl */
#include <stdio.h>
#include <tmap/symbolic.h>

int main(void)
{
    const struct tmap_symbolic_desc operand = {
        .desc = {.kind = TMAP_TILED,
                 .dtype = TMAP_BFLOAT16,
                 .rank = 2,
                 .address = 0x7f0000000000,
                 .box = {64, 128},
                 .elem_stride = {1, 1},
                 .swizzle = TMAP_SWIZZLE_128B},
        .dim = {"K", "M"},
        .stride = {"2*K"},
    };
    const char *const assume[] = {"1 <= K", "1 <= M"};
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_symbolic *context = NULL;
    struct tmap_condition *condition = NULL;
    static char code[8192];
    size_t length;

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
    if (tmap_symbolic_open(NULL, &context) != TMAP_OK) return 1;
    if (tmap_condition_of(context, &checker, &operand, 1, assume, 2, &condition) == TMAP_OK &&
        tmap_guard_c(context, condition, TMAP_GUARD_C, "operand_a_is_legal", code, sizeof code,
                     &length) == TMAP_OK)
        fputs(code, stdout);
    tmap_condition_free(condition);
    tmap_symbolic_close(context);
    return 0;
}
