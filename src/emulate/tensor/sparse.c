// Sparse products: A's numbers and where in K they belong (PTX ISA 9.0, "Sparse matrices" of
// tcgen05). Of every chunk of K the metadata has four bits: two places, or one of tf32. The ISA's
// figures show which lanes have them; here they are as CUTLASS's fragments of the metadata (128
// rows, and .ws) and others' runs on an sm_110 have them: two rows a word and an even column for 16
// and 32 bits.
#include "emulate/tensor/mma_shape.h"

#include <string.h>

enum { CHUNKS = 16, PAIRED_ROWS = 16, PAIRED_CHUNKS = 4, WORD_CHUNKS = 8 };

static bool pairs_rows(const struct mma_shape *s)
{
    return s->a_bits >= 16;
}

// The four bits of a chunk of a row of copy `copy`; -1 with a fault.
static int nibble(const struct emu_actor *actor, struct emu_cta *cta, const struct mma_shape *s,
                  uint32_t place, uint32_t row, uint32_t chunk, uint32_t copy)
{
    uint32_t lane = mma_lane(s, row), column = (place & 0xffff), shift = chunk % WORD_CHUNKS * 4;
    if (pairs_rows(s)) {
        lane = mma_lane(s, row / PAIRED_ROWS * PAIRED_ROWS) + row % 8 + chunk / PAIRED_CHUNKS * 8;
        shift = chunk % PAIRED_CHUNKS * 4 + row / 8 % 2 * 16;
        column += s->selector;
    } else {
        column += chunk / WORD_CHUNKS;
    }
    const uint32_t *cell =
        tensor_cells(actor, cta, (place >> 16) + lane + copy * s->m, column, 1, EMU_READ);
    return cell ? (int)(*cell >> shift & 0xf) : -1;
}

// The two places of a chunk, in numbers or pairs of them; of tf32 the one of two.
static bool places(const struct mma_shape *s, int bits, uint32_t at[2])
{
    at[0] = (uint32_t)bits & 3;
    at[1] = (uint32_t)bits >> 2;
    if (s->a == TENSOR_TF32) {
        at[0] = bits == 0xe;
        return bits == 0xe || bits == 4;
    }
    return at[0] < at[1] || bits == 6;
}

static bool undefined(const struct emu_actor *actor, uint32_t place, uint32_t row, int bits)
{
    emu_fault(TMAP_EMULATE_ILLEGAL, actor->warp, actor->in, actor->lane, place,
              "the metadata of row %u has 0x%x, which places no numbers", row, (unsigned)bits);
    return false;
}

static bool same_in_copies(const struct emu_actor *actor, struct emu_cta *cta,
                           const struct mma_shape *s, uint32_t place, uint32_t row, uint32_t chunk,
                           int bits)
{
    for (uint32_t copy = 1; copy < mma_copies(s); copy++) {
        const int other = nibble(actor, cta, s, place, row, chunk, copy);
        if (other == bits) continue;
        if (other >= 0)
            emu_fault(TMAP_EMULATE_ILLEGAL, actor->warp, actor->in, actor->lane, place,
                      "the metadata of row %u has 0x%x, and 0x%x in its copy %u lanes on", row,
                      (unsigned)bits, (unsigned)other, copy * s->m);
        return false;
    }
    return true;
}

static bool expand_row(const struct emu_actor *actor, struct emu_cta *cta,
                       const struct mma_shape *s, uint32_t place, uint32_t row, double *out)
{
    const uint32_t per = s->a == TENSOR_TF32 ? 2 : s->a_bits == 4 ? 8 : 4; // of K in a chunk
    const uint32_t kept = per / 2, together = s->a_bits == 4 ? 2 : 1;
    double stored[MOST_K];
    memcpy(stored, out, sizeof *out * s->a_k);
    memset(out, 0, sizeof *out * s->k);
    for (uint32_t chunk = 0; chunk < s->k / per; chunk++) {
        uint32_t at[2];
        const int bits = nibble(actor, cta, s, place, row, chunk, 0);
        if (bits < 0 || !same_in_copies(actor, cta, s, place, row, chunk, bits)) return false;
        if (!places(s, bits, at)) return undefined(actor, place, row, bits);
        for (uint32_t i = 0; i < kept; i++)
            out[chunk * per + at[i / together] * together + i % together] =
                stored[chunk * kept + i];
    }
    return true;
}

// From the last row on, as each grows towards the next.
bool mma_expand(const struct emu_actor *actor, struct emu_cta *cta, const struct mma_shape *s,
                uint32_t place, double *a)
{
    if (pairs_rows(s) && place & 1) {
        emu_fault(TMAP_EMULATE_ILLEGAL, actor->warp, actor->in, actor->lane, place,
                  "metadata at column %u of tensor memory: an even one", place & 0xffff);
        return false;
    }
    for (uint32_t row = s->m; row-- > 0;) {
        memmove(a + row * s->k, a + row * s->a_k, sizeof *a * s->a_k);
        if (!expand_row(actor, cta, s, place, row, a + row * s->k)) return false;
    }
    return true;
}
