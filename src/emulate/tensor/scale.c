// Scale factors of block-scaled products in tensor memory (PTX ISA 9.0, "block scaling" of
// tcgen05.mma). A word has the factors of four blocks of a row, a byte each; the words of rows r, r
// + 32, … are neighbours on lane r % 32 of each of the four partitions, which all hold the same.
// K of 96 has three or six factors a row, which go on into the next word wherever they begin: so
// CUTLASS's collective for sm_103 steps through them (its fragments have one byte a step, and its
// products begin three or six bytes apart). The ISA's text agrees; its figures were not read.
#include "emulate/ops/small.h"
#include "emulate/tensor/tcgen05.h"

enum { PARTITIONS = TMEM_LANES / WARP_LANES, WORD_BLOCKS = 4 };

double tensor_scale_value(bool ue4m3, uint32_t byte)
{
    return (double)(ue4m3 ? emu_from_small(SMALL_E4M3, byte & 0x7f)
                          : emu_from_small(SMALL_UE8M0, byte));
}

bool tensor_scale_id_is_legal(uint32_t blocks, uint32_t id)
{
    switch (blocks) {
    case 1:
    case 3: // K of 96: the next word has the rest
        return true;
    case 4:
        return id == 0;
    default:
        return id % 2 == 0;
    }
}

// A row's word from every partition; false with a fault.
static bool word_of(const struct emu_actor *actor, struct emu_cta *cta, uint32_t row,
                    uint32_t column, uint32_t bytes, uint32_t *out)
{
    for (uint32_t p = 0; p < PARTITIONS; p++) {
        const uint32_t lane = p * WARP_LANES + row % WARP_LANES;
        const uint32_t *cell = tensor_cells(actor, cta, lane, column, 1, EMU_READ);
        if (!cell) return false;
        if (p == 0) *out = *cell;
        if (((*cell ^ *out) & bytes) == 0) continue;
        emu_fault(TMAP_EMULATE_ILLEGAL, actor->warp, actor->in, actor->lane, lane << 16 | column,
                  "scale factors of row %u differ: column %u has 0x%08x on lane %u, 0x%08x on %u",
                  row, column, *out, row % WARP_LANES, *cell, lane);
        return false;
    }
    return true;
}

bool tensor_scales(const struct emu_actor *actor, struct emu_cta *cta,
                   const struct tensor_scaling *s, uint32_t rows, double *out)
{
    const uint32_t group = rows > TMEM_LANES ? 2 * WORD_BLOCKS : WORD_BLOCKS;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < s->blocks; i++) {
            const uint32_t at = s->id + i, shift = at % WORD_BLOCKS * 8;
            const uint32_t column = s->column + at / WORD_BLOCKS * group + row / WARP_LANES;
            uint32_t word;
            if (!word_of(actor, cta, row, column, 0xffu << shift, &word)) return false;
            out[row * s->blocks + i] = tensor_scale_value(s->ue4m3, word >> shift & 0xff);
        }
    return true;
}

void tensor_scale_rows(const double *scale, uint32_t blocks, uint32_t rows, uint32_t k, double *m)
{
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < k; i++) m[row * k + i] *= scale[row * blocks + i * blocks / k];
}

void tensor_scale_columns(const double *scale, uint32_t blocks, uint32_t cols, uint32_t k,
                          double *m)
{
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t c = 0; c < cols; c++) m[i * cols + c] *= scale[c * blocks + i * blocks / k];
}
