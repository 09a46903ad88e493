// Operations that integers and floating numbers share the name of.
#include "emulate/ops/float.h"

bool decode_add(struct decoder *d)
{
    if (dec_has(d, "f32x2")) return dec_float_pair(d, FLOAT_ADD);
    if (dec_is_float(d)) return dec_float(d, FLOAT_ADD);
    for (uint32_t i = 0; i < d->words; i++)
        if (d->length[i] == 2 && d->word[i][0] == 'c') return dec_carry(d, false);
    return dec_integer(d, "add");
}
bool decode_sub(struct decoder *d)
{
    if (dec_has(d, "f32x2")) return dec_float_pair(d, FLOAT_SUB);
    if (dec_is_float(d)) return dec_float(d, FLOAT_SUB);
    for (uint32_t i = 0; i < d->words; i++)
        if (d->length[i] == 2 && d->word[i][0] == 'c') return dec_carry(d, true);
    return dec_integer(d, "sub");
}
bool decode_mul(struct decoder *d)
{
    if (dec_has(d, "f32x2")) return dec_float_pair(d, FLOAT_MUL);
    return dec_is_float(d) ? dec_float(d, FLOAT_MUL) : dec_integer_mul(d, false);
}
bool decode_mad(struct decoder *d)
{
    return dec_is_float(d) ? dec_float(d, FLOAT_FMA) : dec_integer_mul(d, true);
}
bool decode_fma(struct decoder *d)
{
    if (dec_has(d, "f32x2")) return dec_float_pair(d, FLOAT_FMA);
    return dec_float(d, FLOAT_FMA);
}
bool decode_div(struct decoder *d)
{
    return dec_is_float(d) ? dec_float(d, FLOAT_DIV) : dec_integer(d, "div");
}
bool decode_neg(struct decoder *d)
{
    return dec_is_float(d) ? dec_float_sign(d, true) : dec_integer(d, "neg");
}
bool decode_abs(struct decoder *d)
{
    return dec_is_float(d) ? dec_float_sign(d, false) : dec_integer(d, "abs");
}
bool decode_min(struct decoder *d)
{
    return dec_is_float(d) ? dec_float_min_max(d, false) : dec_integer(d, "min");
}
bool decode_max(struct decoder *d)
{
    return dec_is_float(d) ? dec_float_min_max(d, true) : dec_integer(d, "max");
}
bool decode_rcp(struct decoder *d)
{
    return dec_float(d, FLOAT_RCP);
}
bool decode_sqrt(struct decoder *d)
{
    return dec_float(d, FLOAT_SQRT);
}
bool decode_rsqrt(struct decoder *d)
{
    return dec_float(d, FLOAT_RSQRT);
}
bool decode_ex2(struct decoder *d)
{
    return dec_float(d, FLOAT_EX2);
}
bool decode_lg2(struct decoder *d)
{
    return dec_float(d, FLOAT_LG2);
}
bool decode_sin(struct decoder *d)
{
    return dec_float(d, FLOAT_SIN);
}
bool decode_cos(struct decoder *d)
{
    return dec_float(d, FLOAT_COS);
}
bool decode_tanh(struct decoder *d)
{
    return dec_float(d, FLOAT_TANH);
}
