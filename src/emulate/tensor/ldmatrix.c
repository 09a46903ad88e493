// ldmatrix and stmatrix: matrices of 8 x 8 numbers of 16 bits, of 16 x 16, 8 x 16 and 16 x 8 of 8
// bits, or of 4 and 6 that a load unpacks to 8; rows of 16 bytes, an address for each. Which byte a
// lane gets: PTX ISA; of 16 x 16 and 16 x 8, where it has only pictures, what others measured on
// sm_120 and CUTLASS's traits.
#include "emulate/tensor/tensor.h"

#include <string.h>

enum { ROW_BYTES = EMU_PIECE, MOST_ROWS = 16 };

enum matrix_form { FORM_8X8, FORM_8X16, FORM_16X16, FORM_16X8 };

struct matrix {
    struct emu_place place;
    enum matrix_form form;
    bool store, trans;
    uint32_t width, registers; // of packed numbers, 0: none; of a matrix
};

static uint32_t rows_of(const struct matrix *x)
{
    return x->form == FORM_16X16 ? 16 : 8;
}

// Row and byte in it of byte e of lane l's register r of a matrix.
static void byte_of(const struct matrix *x, uint32_t l, uint32_t r, uint32_t e, uint32_t *row,
                    uint32_t *byte)
{
    switch (x->form) {
    case FORM_16X16: // transposed: a register is four rows of a column
        *row = l % 4 * 4 + e, *byte = l / 4 + r * 8;
        return;
    case FORM_16X8: // transposed: as mma.sync leaves its sums
        *row = l % 4 * 2 + e % 2, *byte = l / 4 + e / 2 * 8;
        return;
    default: // a store of 8 x 8, transposed
        *row = l % 4 * 2 + e / 2, *byte = l / 4 * 2 + e % 2;
    }
}

// Lanes hold the addresses of the matrices' rows, one after the other. Of a load the rows' bytes
// are copied, of a store the rows themselves given.
static bool take_rows(struct emu_warp *w, const struct emu_insn *in, uint32_t matrix,
                      uint8_t *row[MOST_ROWS], uint8_t bytes[MOST_ROWS][ROW_BYTES])
{
    const struct matrix *x = in->more;
    const uint32_t rows = rows_of(x);
    if (!emu_memory_pieces(w, in, matrix * rows, rows, &x->place, x->store ? EMU_WRITE : EMU_READ,
                           row))
        return false;
    for (uint32_t r = 0; !x->store && r < rows; r++) {
        if (x->width)
            tensor_unpack(x->width, row[r], bytes[r]);
        else
            memcpy(bytes[r], row[r], ROW_BYTES);
        row[r] = bytes[r];
    }
    return true;
}

// The plain forms: a lane's four bytes of a row, or two numbers of a column.
static bool move_words(const struct matrix *x, uint32_t *v, uint8_t *const row[MOST_ROWS])
{
    if (x->form != FORM_8X8 && x->form != FORM_8X16) return false;
    if (x->trans && x->store) return false;
    for (uint32_t l = 0; l < LANES; l++) {
        if (x->trans) {
            memcpy(&v[l], &row[l % 4 * 2][l / 4 * 2], 2);
            memcpy((uint8_t *)&v[l] + 2, &row[l % 4 * 2 + 1][l / 4 * 2], 2);
        } else if (x->store) {
            memcpy(&row[l / 4][l % 4 * 4], &v[l], 4);
        } else {
            memcpy(&v[l], &row[l / 4][l % 4 * 4], 4);
        }
    }
    return true;
}

static void move(const struct matrix *x, uint32_t *v, uint32_t r, uint8_t *const row[MOST_ROWS])
{
    if (move_words(x, v, row)) return;
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t e = 0; e < 4; e++) {
            uint32_t line, byte;
            byte_of(x, l, r, e, &line, &byte);
            if (x->store)
                row[line][byte] = (uint8_t)(v[l] >> 8 * e);
            else
                v[l] = (v[l] & ~(0xffu << 8 * e)) | (uint32_t)row[line][byte] << 8 * e;
        }
}

EXEC(move_matrices)
{
    const struct matrix *x = in->more;
    enum emu_step step;
    uint8_t *row[MOST_ROWS], bytes[MOST_ROWS][ROW_BYTES];
    (void)mask;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    if (w->live != UINT32_MAX)
        return emu_fault(TMAP_EMULATE_CONVERGED, w, in, 0, 0, "some lanes of the warp have left");
    for (uint32_t i = 0; i < in->lists; i++) {
        const uint32_t r = i % x->registers;
        if (r == 0 && !take_rows(w, in, i / x->registers, row, bytes)) return EMU_STOP;
        move(x, emu_u32(w, in->list[i]), r, row);
    }
    return EMU_NEXT;
}

// The shape, and the types that it has.
static bool form_of(struct decoder *d, struct matrix *x)
{
    const int form = dec_one_of(d, "m8n8|m8n16|m16n16|m16n8");
    if (form < 0) return false;
    x->form = (enum matrix_form)form;
    x->registers = x->form == FORM_16X16 ? 2 : 1;
    x->trans = dec_has(d, "trans");
    if (x->form == FORM_8X8) return dec_has(d, "b16");
    if (x->store != (x->form == FORM_16X8) || x->trans != (x->form != FORM_8X16)) return false;
    if (dec_has(d, "b8")) return x->form != FORM_8X16;
    const int source = dec_has(d, "b8x16") ? dec_one_of(d, "b4x16_p64|b6x16_p32") : -1;
    x->width = source ? 6 : 4;
    return source >= 0 && !x->store;
}

static bool matrices(struct decoder *d, bool store)
{
    struct matrix *x = dec_alloc(d, sizeof *x);
    if (!x) return false;
    x->store = store;
    if (!dec_has(d, "sync") || !dec_has(d, "aligned") || !form_of(d, x))
        return dec_fail(d, "'%s' is not supported", d->inst->op);
    const int count = dec_one_of(d, "x1|x2|x4");
    const enum ptx_space space = dec_space(d);
    if (count < 0 || (count == 2 && x->form == FORM_16X16)) return false;
    d->out->exec = move_matrices;
    d->out->more = x;
    const struct ptx_operand *first = dec_operand(d), *second = first ? dec_operand(d) : NULL;
    if (!second || !dec_list(d, store ? second : first, PTX_B32, !store)) return false;
    for (uint32_t i = 0; i < d->out->lists; i++)
        if (d->out->wide[i]) return dec_fail(d, "a matrix in registers of 64 bits");
    if (d->out->lists != x->registers << count)
        return dec_fail(d, "'%s' with %u registers", d->inst->op, d->out->lists);
    return dec_place(d, store ? first : second, space, &x->place);
}

bool decode_ldmatrix(struct decoder *d)
{
    return matrices(d, false);
}
bool decode_stmatrix(struct decoder *d)
{
    return matrices(d, true);
}
