/* What is asked of a kind of product: the lines of kinds.def. */
#include "kernels/gemm/suite.h"

static const struct {
    int32_t element_bits, operand[2], scale_block;
} kinds[GEMM_KINDS] = {
#define KIND(word, NAME, element_bits, a, b, dtype, out, scale_block)                              \
    {element_bits, {GEMM_##a, GEMM_##b}, scale_block},
#include "kernels/gemm/kinds.def"
};

int32_t gemm_element_bits(int32_t kind)
{
    return kinds[kind].element_bits;
}

int32_t gemm_out_bytes(int32_t out)
{
    static const int32_t bytes[GEMM_OUTS] = {2, 2, 4, 4, 1, 1};
    return bytes[out];
}

bool gemm_is_narrow(int32_t out)
{
    return gemm_out_bytes(out) == 1;
}

int32_t gemm_operand_kind(int32_t kind, int32_t operand)
{
    return kinds[kind].operand[operand];
}

int32_t gemm_exchanged_kind(int32_t kind)
{
    const bool alike = kinds[kind].operand[0] == kinds[kind].operand[1];
    for (int32_t i = 0; i < GEMM_KINDS && !alike; i++)
        if (kinds[i].scale_block == kinds[kind].scale_block &&
            kinds[i].operand[0] == kinds[kind].operand[1] &&
            kinds[i].operand[1] == kinds[kind].operand[0])
            return i;
    return kind;
}

int32_t gemm_scale_block(int32_t kind)
{
    return kinds[kind].scale_block;
}

int32_t gemm_scale_tiles(int32_t kind, int32_t k)
{
    const int32_t each = 4 * kinds[kind].scale_block;
    return k / each + (k % each != 0);
}

bool gemm_is_scaled(int32_t kind)
{
    return kinds[kind].scale_block != 0;
}

bool gemm_is_fp8(int32_t kind)
{
    return kinds[kind].operand[0] == GEMM_E4M3 || kinds[kind].operand[0] == GEMM_E5M2;
}
