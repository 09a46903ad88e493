// Sums of products.
//
// Products are exact. A float sum is made in double precision and rounded once toward zero at the
// end, which is exact for integers that fit; tensor cores align the terms to the largest one and
// cut (arXiv 2512.07004), which differs in the last places.
#include "emulate/tensor/tensor.h"

#include <math.h>

static float cut(double v)
{
    const float f = (float)v;
    if (f != f) return emu_float(0x7fffffff);
    if (isinf(f) || fabs((double)f) <= fabs(v)) return f;
    return emu_float(emu_bits(f) - 1);
}

static void row(const struct tensor_product *p, uint32_t r)
{
    double *d = p->d + (size_t)r * p->cols;
    const double *a = p->a + (size_t)r * p->k;
    if (!p->adds)
        for (uint32_t c = 0; c < p->cols; c++) d[c] = 0;
    for (uint32_t k = 0; k < p->k; k++) {
        const double x = a[k];
        const double *b = p->b + (size_t)k * p->cols;
        for (uint32_t c = 0; c < p->cols; c++) d[c] += x * b[c];
    }
}

static double finish(const struct tensor_product *p, double v)
{
    if (p->integer) {
        if (p->saturates) return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
        return (double)(int32_t)(uint32_t)(int64_t)v;
    }
    if (p->type == TENSOR_F64) return v;
    return p->half_result ? (double)emu_from_half(emu_to_half((float)v)) : (double)cut(v);
}

void tensor_multiply(const struct tensor_product *p)
{
    for (uint32_t r = 0; r < p->rows; r++) {
        row(p, r);
        for (uint32_t c = 0; c < p->cols; c++)
            p->d[(size_t)r * p->cols + c] = finish(p, p->d[(size_t)r * p->cols + c]);
    }
}
