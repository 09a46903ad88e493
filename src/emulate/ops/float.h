// Floating operations that have a decoder in arithmetic.c.
#ifndef TMAP_EMULATE_FLOAT_H
#define TMAP_EMULATE_FLOAT_H

#include "emulate/ops/ops.h"

enum float_operation {
    FLOAT_ADD,
    FLOAT_SUB,
    FLOAT_MUL,
    FLOAT_FMA,
    FLOAT_DIV,
    FLOAT_RCP,
    FLOAT_SQRT,
    FLOAT_RSQRT,
    FLOAT_EX2,
    FLOAT_LG2,
    FLOAT_SIN,
    FLOAT_COS,
    FLOAT_TANH
};
bool dec_float(struct decoder *d, enum float_operation op);
bool dec_float_pair(struct decoder *d, enum float_operation op); // .f32x2, which is taken
bool dec_float_min_max(struct decoder *d, bool max);
bool dec_float_sign(struct decoder *d, bool negates);
bool dec_is_float(const struct decoder *d);
bool dec_integer(struct decoder *d, const char *name);
bool dec_integer_mul(struct decoder *d, bool adds);
bool dec_carry(struct decoder *d, bool subtracts);

#endif
