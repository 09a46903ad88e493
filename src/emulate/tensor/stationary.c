// Weight-stationary products (tcgen05.mma.ws): the zero-column mask descriptor (PTX ISA 9.0). Its
// table and its examples differ in which span is which; here it is as in the examples, whose spans
// are as their names say: columns that are used, then columns that are skipped.
#include "emulate/tensor/mma_shape.h"

static void sub_mask(uint64_t d, uint32_t part, uint32_t columns, bool *zero)
{
    const uint32_t start = d >> (8 * part) & 0xff;
    const uint32_t skipped = (d >> 40 & 0xff) + 1, used = (d >> 48 & 0xff) + 1;
    const bool skips_first = d >> (32 + part) & 1;
    for (uint32_t i = 0; i < columns; i++) {
        const uint32_t at = (start + i) % (skipped + used);
        zero[i] = skips_first ? at < skipped : at >= used;
    }
}

bool mma_zero_columns(const struct mma_shape *s, uint64_t d, struct mma_zeros *out)
{
    const uint32_t parts = TMEM_LANES / s->m, columns = s->n / parts;
    *out = (struct mma_zeros){.shift = d >> 56 & 0x3f};
    for (uint32_t part = 0; d >> 39 & 1 && part < parts; part++)
        sub_mask(d, part, columns, out->zero + part * columns);
    return (d >> 36 & 7) == 0 && d >> 62 == 0 && out->shift <= s->most_shift &&
           out->shift <= (s->m == 32 ? 16u : MOST_SHIFT);
}
