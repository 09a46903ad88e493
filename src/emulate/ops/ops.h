// What the files of ops/ share: loops over lanes, and numbers of 16 bits.
#ifndef TMAP_EMULATE_OPS_H
#define TMAP_EMULATE_OPS_H

#include "emulate/decode.h"

#define EXEC(name)                                                                                 \
    static enum emu_step name(struct emu_warp *w, const struct emu_insn *in, uint32_t mask)

// A full warp is one loop that the compiler makes vectors of.
#define OVER_LANES(mask, statement)                                                                \
    do {                                                                                           \
        if ((mask) == UINT32_MAX)                                                                  \
            for (uint32_t l = 0; l < LANES; l++) {                                                 \
                statement;                                                                         \
            }                                                                                      \
        else                                                                                       \
            EACH_LANE(l, mask)                                                                     \
            {                                                                                      \
                statement;                                                                         \
            }                                                                                      \
    } while (0)

// d = expression of a, b, c, lane by lane; D, A, B, C are the lanes' types.
#define LANEWISE(name, D, A, B, C, expression)                                                     \
    EXEC(name)                                                                                     \
    {                                                                                              \
        D *d_ = emu_lanes(w, in->d);                                                               \
        const A *a_ = emu_lanes(w, in->a);                                                         \
        const B *b_ = emu_lanes(w, in->b);                                                         \
        const C *c_ = emu_lanes(w, in->c);                                                         \
        OVER_LANES(mask, const A a = a_[l]; const B b = b_[l]; const C c = c_[l]; (void)a;         \
                   (void)b; (void)c; d_[l] = (D)(expression));                                     \
        return EMU_NEXT;                                                                           \
    }

// The executing functions of one operation, by type; NULL where it has none.
typedef emu_exec *const emu_by_type[PTX_TYPES];

bool dec_fence_tensormap(struct decoder *d); // fence.proxy.tensormap (async/)
bool dec_red_async(struct decoder *d);       // red.async: signals an mbarrier (async/)

// {u32, s32, u64, …} of `d.a, b [, c]`: takes the type and `sources` operands after the result.
bool dec_lanewise(struct decoder *d, emu_by_type table, uint32_t sources);

float emu_from_bfloat(uint32_t bits);
uint32_t emu_to_half(float value);        // to nearest even; a NaN is 0x7fff
uint32_t emu_to_bfloat(float value);      //   likewise
uint32_t emu_to_bfloat_zero(float value); // toward zero
uint32_t emu_to_half_zero(float value);

// A format with subnormals and infinities, of at most 16 bits beside its sign.
struct emu_format {
    uint32_t exponent, mantissa; // bits of each
};
enum emu_rounding { EMU_NEAREST, EMU_ZERO, EMU_DOWN, EMU_UP, EMU_AWAY /* nearest, ties away */ };
// The code of a number that is exact or rounded to odd; finite: what is too large is the largest.
uint32_t emu_round(struct emu_format f, double value, enum emu_rounding rounding, bool finite);

static inline uint32_t emu_bits(float f)
{
    union {
        float f;
        uint32_t u;
    } v = {.f = f};
    return v.u;
}
static inline float emu_float(uint32_t u)
{
    union {
        uint32_t u;
        float f;
    } v = {.u = u};
    return v.f;
}
// Without a branch, for loops in vectors: the exponents differ by 112, and infinities keep theirs.
static inline float emu_from_half(uint32_t h)
{
    const uint32_t magnitude = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    const uint32_t bits = emu_bits(emu_float(magnitude) * 0x1p112f);
    return emu_float(sign | (magnitude < 0x0f800000 ? bits : magnitude | 0x7f800000));
}
static inline uint64_t emu_bits64(double f)
{
    union {
        double f;
        uint64_t u;
    } v = {.f = f};
    return v.u;
}
static inline double emu_double(uint64_t u)
{
    union {
        uint64_t u;
        double f;
    } v = {.u = u};
    return v.f;
}
static inline float emu_flush(float f)
{
    return (emu_bits(f) & 0x7f800000) == 0 ? emu_float(emu_bits(f) & 0x80000000) : f;
}
// Arithmetic that makes a NaN makes this one (PTX ISA, single precision).
static inline float emu_canonical(float f)
{
    return f != f ? emu_float(0x7fffffff) : f;
}

#endif
