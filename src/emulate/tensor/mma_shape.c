// Instruction descriptors of tcgen05.mma, and where its sums lie in tensor memory (PTX ISA 9.0,
// "5th generation TensorCore"). No GPU was asked.
#include "emulate/tensor/mma_shape.h"

enum { WIDE_K = 96 };

static bool element(enum mma_kind kind, uint32_t code, enum tensor_type *out)
{
    static const int8_t types[KINDS][6] = {
        {TENSOR_F16, TENSOR_BF16, -1, -1, -1, -1},
        {-1, -1, TENSOR_TF32, -1, -1, -1},
        {TENSOR_E4M3, TENSOR_E5M2, -1, TENSOR_E2M3, TENSOR_E3M2, TENSOR_E2M1},
        {TENSOR_U8, TENSOR_S8, -1, -1, -1, -1},
        {TENSOR_E4M3, TENSOR_E5M2, -1, TENSOR_E2M3, TENSOR_E3M2, TENSOR_E2M1},
        {-1, TENSOR_E2M1, -1, -1, -1, -1},
        {-1, TENSOR_E2M1, -1, -1, -1, -1}};
    if (code > 5 || types[kind][code] < 0) return false;
    *out = (enum tensor_type)types[kind][code];
    return true;
}

// N goes by 8, and a pair's by 16; of whole numbers by twice as much, but the first of one CTA's.
static bool known_columns(const struct mma_insn *i, uint32_t n)
{
    const bool doubled = i->kind == KIND_I8 && (i->ctas == 2 || n > 32);
    return n > 0 && n <= TENSOR_COLS && n % (8 * i->ctas * (doubled ? 2 : 1)) == 0;
}

// M and N ("matrix shape"): .ws takes few, and a sparse pair with scale factors 256 rows alone.
static bool known_size(const struct mma_insn *i, const struct mma_shape *s)
{
    if (i->stationary)
        return (s->m == 32 || s->m == 64 || s->m == 128) &&
               (s->n == 64 || s->n == 128 || (s->n == 256 && !i->sparse));
    const bool whole = i->shifts || (i->block && i->sparse);
    return (s->m == 128 || (s->m == 64 && !whole)) && known_columns(i, s->n);
}

// Bits that descriptors with and without block scaling have in common. Numbers of less than 8 bits
// have K innermost.
static bool decode_common(const struct mma_insn *i, uint32_t d, struct mma_shape *s)
{
    static const uint32_t k[KINDS] = {16, 8, 32, 32, 32, 64, 64};
    const bool four = i->kind == KIND_MXF4 || i->kind == KIND_MXF4NVF4;
    s->n = (d >> 17 & 0x3f) * 8;
    s->ctas = i->ctas;
    s->m = (d >> 24 & 0x1f) * 16 / i->ctas;
    s->a_k = k[i->kind];
    s->k = s->a_k * (i->sparse ? 2 : 1);
    s->sparse = i->sparse;
    s->stationary = i->stationary;
    s->a_negated = d >> 13 & 1;
    s->b_negated = d >> 14 & 1;
    s->a_mn = d >> 15 & 1;
    s->b_mn = d >> 16 & 1;
    if (!element(i->kind, d >> 7 & 7, &s->a) || !element(i->kind, d >> 10 & 7, &s->b)) return false;
    s->a_bits = four ? 4 : tensor_bits(s->a);
    s->b_bits = four ? 4 : tensor_bits(s->b);
    return known_size(i, s) && (d >> 2 & 1) == i->sparse && !(s->a_mn && tensor_width(s->a) < 8) &&
           !(s->b_mn && tensor_width(s->b) < 8);
}

// The metadata of 16 bits a row lie two rows a word: those of an even column, or of the one after
// it.
static bool known_selector(const struct mma_insn *i, const struct mma_shape *s)
{
    return s->selector <= (i->sparse && i->kind <= KIND_TF32 ? 1u : 0u);
}

static bool decode_shape(const struct mma_insn *i, uint32_t d, struct mma_shape *s)
{
    const uint32_t out = d >> 4 & 3;
    const bool half = i->kind == KIND_F16 || i->kind == KIND_F8F6F4;
    *s = (struct mma_shape){.integer = out == 2,
                            .half = out == 0,
                            .saturates = d >> 3 & 1,
                            .selector = d & 3,
                            .most_shift = d >> 30 ? 4u << (d >> 30) : 0};
    if (!decode_common(i, d, s) || !known_selector(i, s)) return false;
    if (s->saturates && !s->integer) return false;
    if (i->kind == KIND_I8) return out == 2 && !s->a_negated && !s->b_negated;
    return out == 1 || (out == 0 && half && s->a != TENSOR_BF16 && s->b != TENSOR_BF16);
}

// K of 96 is sm_103's. Scale factors are ue8m0, or, of blocks of 16, ue4m3.
static bool decode_scaled_shape(const struct mma_insn *i, uint32_t d, tmap_arch arch,
                                struct mma_shape *s)
{
    const bool wide = d >> 31;
    *s = (struct mma_shape){.scale_id = {d >> 29 & 3, d >> 4 & 3}, .ue4m3 = !(d >> 23 & 1)};
    if (!decode_common(i, d, s) || s->m * s->ctas < 128) return false;
    if (wide) s->a_k = s->k = WIDE_K;
    s->blocks = s->a_k / i->block; // of A and of B: a sparse block of B is twice as long
    return (!wide || !i->sparse) && (d & 3) == 0 &&
           (!wide || (s->a_bits == 4 && arch - TMAP_ARCH(103, 0) < TMAP_ARCH(1, 0))) &&
           (!s->ue4m3 || i->block == 16) && tensor_scale_id_is_legal(s->blocks, s->scale_id[0]) &&
           tensor_scale_id_is_legal(s->blocks, s->scale_id[1]);
}

bool mma_shape_of(const struct mma_insn *i, uint32_t descriptor, tmap_arch arch,
                  struct mma_shape *out)
{
    return i->block ? decode_scaled_shape(i, descriptor, arch, out)
                    : decode_shape(i, descriptor, out);
}

// Of one CTA's 64 rows every quarter has 16, and of a pair's 128 sparse ones; of 64 of a pair's
// dense 128, lanes 64 on have the second half of the columns, and .ws has 32 and 64 rows with a
// fourth or a half of the columns each (layouts A to G of D: PTX ISA, "data path").
static bool halves(const struct mma_shape *s)
{
    return s->m == 64 && !s->stationary && (s->ctas == 1 || s->sparse);
}
uint32_t mma_lane(const struct mma_shape *s, uint32_t row)
{
    return halves(s) ? row / 16 * WARP_LANES + row % 16 : row;
}
uint32_t mma_runs(const struct mma_shape *s)
{
    return halves(s) ? 1 : TMEM_LANES / s->m;
}
uint32_t mma_copies(const struct mma_shape *s)
{
    return s->stationary ? TMEM_LANES / s->m : 1;
}
