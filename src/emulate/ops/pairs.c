// Two floats in 64 bits: add, sub, mul and fma of .f32x2 (PTX ISA 8.6, from sm_100 on).
#include "emulate/ops/float.h"
#include "emulate/ops/small.h"

#include <fenv.h>
#include <math.h>

static const int host_rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static float one(const struct emu_insn *in, float a, float b, float c)
{
    const bool flushes = in->bytes;
    if (flushes) a = emu_flush(a), b = emu_flush(b), c = emu_flush(c);
    const float r = in->count == FLOAT_ADD   ? a + b
                    : in->count == FLOAT_SUB ? a - b
                    : in->count == FLOAT_MUL ? a * b
                                             : fmaf(a, b, c);
    return emu_canonical(flushes ? emu_flush(r) : r);
}

EXEC(pair)
{
    const uint64_t *a = emu_u64(w, in->a), *b = emu_u64(w, in->b), *c = emu_u64(w, in->c);
    if (in->space) fesetround(host_rounding[in->space]);
    EACH_LANE(l, mask)
    {
        uint64_t r = 0;
        for (uint32_t half = 0; half < 64; half += 32) {
            const float v =
                one(in, emu_float((uint32_t)(a[l] >> half)), emu_float((uint32_t)(b[l] >> half)),
                    emu_float((uint32_t)(c[l] >> half)));
            r |= (uint64_t)emu_bits(v) << half;
        }
        emu_u64(w, in->d)[l] = r;
    }
    if (in->space) fesetround(FE_TONEAREST);
    return EMU_NEXT;
}

bool dec_float_pair(struct decoder *d, enum float_operation op)
{
    struct emu_insn *out = d->out;
    const int rounding = dec_one_of(d, "rn|rz|rm|rp");
    out->bytes = dec_has(d, "ftz");
    out->count = (uint8_t)op;
    out->space = (uint8_t)(rounding > 0 ? rounding : 0);
    out->exec = pair;
    if (d->module->ptx.arch < TMAP_ARCH(100, 0))
        return dec_fail(d, "'%s' is not on this target", d->inst->op);
    if (!dec_dest(d, 64, &out->d) || !dec_source(d, PTX_B64, &out->a) ||
        !dec_source(d, PTX_B64, &out->b))
        return false;
    out->c = out->b;
    return op != FLOAT_FMA || dec_source(d, PTX_B64, &out->c);
}
