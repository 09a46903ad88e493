// ldmatrix and stmatrix: 8x8 matrices of 16 bits (or 16x16, 8x16 of 8, 6 and 4), a row of 16 bytes
// for each address.
#include "emulate/tensor/tensor.h"

#include <string.h>

enum { ROW_BYTES = 16, ROWS = 8 };

// Lanes 8i to 8i + 7 hold the addresses of matrix i.
static bool rows(struct emu_warp *w, const struct emu_insn *in, uint32_t matrix, bool store,
                 uint8_t *row[ROWS])
{
    const struct emu_place *p = in->more;
    for (uint32_t r = 0; r < ROWS; r++) {
        const uint32_t l = matrix * ROWS + r;
        row[r] = emu_memory(w, in, l, PTX_GENERIC, emu_place_at(w, p, l), ROW_BYTES,
                            store ? EMU_WRITE : EMU_READ);
        if (!row[r]) return false;
    }
    return true;
}

EXEC(move_matrices)
{
    enum emu_step step;
    uint8_t *row[ROWS];
    const bool store = in->flags & 1, trans = in->flags & 2;
    (void)mask;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    if (w->live != UINT32_MAX)
        return emu_fault(TMAP_EMULATE_CONVERGED, w, in, 0, 0, "some lanes of the warp have left");
    for (uint32_t i = 0; i < in->lists; i++) {
        if (!rows(w, in, i, store, row)) return EMU_STOP;
        uint32_t *v = emu_u32(w, in->list[i]);
        for (uint32_t l = 0; l < LANES; l++)
            for (uint32_t e = 0; e < 2; e++) {
                const uint32_t r = trans ? l % 4 * 2 + e : l / 4, c = trans ? l / 4 : l % 4 * 2 + e;
                uint16_t half;
                if (store) {
                    half = (uint16_t)(v[l] >> (16 * e));
                    memcpy(row[r] + 2 * c, &half, 2);
                } else {
                    memcpy(&half, row[r] + 2 * c, 2);
                    v[l] = e ? (v[l] & 0xffff) | (uint32_t)half << 16 : half;
                }
            }
    }
    return EMU_NEXT;
}

static bool matrices(struct decoder *d, bool store)
{
    struct emu_place *p = dec_alloc(d, sizeof *p);
    if (!p || !dec_has(d, "sync") || !dec_has(d, "aligned") || !dec_has(d, "m8n8"))
        return dec_fail(d, "'%s' is not supported", d->inst->op);
    const int count = dec_one_of(d, "x1|x2|x4");
    d->out->flags = (store ? 1 : 0) | (dec_has(d, "trans") ? 2 : 0);
    const enum ptx_space space = dec_space(d);
    if (count < 0 || !dec_has(d, "b16")) return false;
    d->out->exec = move_matrices;
    d->out->more = p;
    const struct ptx_operand *first = dec_operand(d), *second = first ? dec_operand(d) : NULL;
    if (!second || !dec_list(d, store ? second : first, PTX_B32, !store)) return false;
    for (uint32_t i = 0; i < d->out->lists; i++)
        if (d->out->wide[i]) return dec_fail(d, "a matrix in registers of 64 bits");
    if (d->out->lists != 1u << count)
        return dec_fail(d, "'%s' with %u registers", d->inst->op, d->out->lists);
    return dec_place(d, store ? first : second, space, p);
}

bool decode_ldmatrix(struct decoder *d)
{
    return matrices(d, false);
}
bool decode_stmatrix(struct decoder *d)
{
    return matrices(d, true);
}
