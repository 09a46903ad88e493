/* 07_condition : for which K is this operand legal? Exact, and what to pad where it is not.
 * libs: tmap-symbolic
 * link: -lisl -ldl */
#include <inttypes.h>
#include <stdio.h>
#include <tmap/symbolic.h>

int main(void)
{
    /* A is M x K, fp8, row-major: nothing is known of M and K but that they are no zero. */
    const struct tmap_symbolic_desc operand = {
        .desc = {.kind = TMAP_TILED,
                 .dtype = TMAP_UINT8,
                 .rank = 2,
                 .address = 0x7f0000000000,
                 .box = {128, 128},
                 .elem_stride = {1, 1},
                 .swizzle = TMAP_SWIZZLE_128B},
        .dim = {"K", "M"},
        .stride = {"K"},
    };
    const char *const assume[] = {"1 <= K <= 65536", "1 <= M <= 65536"};
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_symbolic *context = NULL;
    struct tmap_condition *condition = NULL;
    char text[256];
    size_t length;
    int64_t values[2] = {0};

    if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) return 1;
    if (tmap_symbolic_open(NULL, &context) != TMAP_OK) return 1;
    if (tmap_condition_of(context, &checker, &operand, 1, assume, 2, &condition) == TMAP_OK) {
        tmap_condition_text(context, condition, TMAP_FORM_TEXT, text, sizeof text, &length);
        printf("legal if and only if %s\n", text);
        if (tmap_condition_counterexample(condition, values))
            printf("not at %s = %" PRId64 "\n", tmap_condition_param(condition, 0), values[0]);
        if (tmap_condition_padding(context, condition, TMAP_FORM_TEXT, text, sizeof text,
                                   &length) == TMAP_OK)
            printf("padded: %s\n", text);
    }
    tmap_condition_free(condition);
    tmap_symbolic_close(context);
    return 0;
}
