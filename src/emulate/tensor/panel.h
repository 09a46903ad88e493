// Operands of Hopper's products in single precision, and the sums of those whose numbers are near
// each other: what numerics.c says, at some times its speed.
#ifndef TMAP_EMULATE_PANEL_H
#define TMAP_EMULATE_PANEL_H

#include "emulate/tensor/tensor.h"

// An instruction's K is 256 bits; its columns are stored by eights, first the even and then the odd
// ones, as a row's accumulators lie in registers (PTX ISA, D fragment of wgmma.m64n*).
enum { PANEL_K_BYTES = 32, PANEL_ROWS = 16, PANEL_CELLS = PANEL_K_BYTES * TENSOR_COLS };
enum { PANEL_STEP = 16, PANEL_NO_EXPONENT = -8000 };
static inline uint32_t panel_column(uint32_t c)
{
    return (c & ~7u) | (c & 1) << 2 | (c >> 1 & 3);
}
// From one line of B or D to the next; what lies between is 0.
static inline uint32_t panel_pitch(uint32_t n)
{
    return (n + PANEL_STEP - 1) / PANEL_STEP * PANEL_STEP;
}

// A panel is plain when each of its numbers is 0 or has an exponent within +-50.
struct panel {
    enum tensor_type type;
    uint32_t lines, length; // of raw: as they lie in memory
    bool mn_major, plain;
    uint8_t raw[PANEL_CELLS];
    float value[PANEL_CELLS]; // A: [row][k]; B: [k][pitch], panel_column(col)
    int16_t exponent[PANEL_CELLS];
};

// Decodes raw; n: of M or N. By columns: for B.
void panel_decode(struct panel *p, uint32_t n, uint32_t k, bool by_columns);

// The panel of B's bytes, from the last ones of this machine or decoded; NULL: no memory. raw has
// room for PANEL_CELLS.
const struct panel *panel_of(struct emu_machine *m, enum tensor_type type, uint32_t n, uint32_t k,
                             bool mn_major, const uint8_t *raw);

// Exponents as numerics.c counts them, PANEL_NO_EXPONENT of 0; true when all are within +-near.
bool panel_exponents(const float *restrict v, uint32_t n, int least, int near,
                     int16_t *restrict out);

// d[16][panel_pitch(n)] += a b, d by panel_column(), as float or int32_t. False, and nothing done,
// when some number is too far from 1 for single precision.
struct panel_product {
    uint32_t n, k;
    bool half_result, saturates;
    const struct panel *a, *b;
    union panel_cell {
        float f;
        int32_t s;
    } * d;
};
bool panel_multiply(const struct panel_product *p);

#endif
