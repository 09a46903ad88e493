// Copies from shared to tensor memory and shifts of its rows (tcgen05.cp, shift; PTX ISA 9.0).
// Which lanes a shape's rows go to is as CUTLASS's traits of the same instructions have it. Of a
// pair each CTA copies from its own shared memory.
#include "emulate/protocol/record.h"
#include "emulate/tensor/tcgen05.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 16, PIECE_CELLS = PIECE / 4, SHIFT_CELLS = 8 };

// A row's lanes: `copies` of them, `apart` from each other.
static const struct cp_shape {
    const char *name;
    uint32_t rows, pieces, copies, apart;
} shapes[] = {{"128x256b", 128, 2, 1, 0},
              {"4x256b", 4, 2, 1, 0},
              {"128x128b", 128, 1, 1, 0},
              {"64x128b.warpx2::02_13", 64, 1, 2, 64},
              {"64x128b.warpx2::01_23", 64, 1, 2, 32},
              {"32x128b.warpx4", 32, 1, 4, 32}};

struct fill_insn {
    emu_at place, descriptor;
    int64_t plus;
    uint32_t ctas, width; // width: of packed numbers; 0: bytes as they are
    const struct cp_shape *shape;
};

struct fill_call {
    uint64_t descriptor;
    uint32_t place;
    struct emu_clock tensor;
};

static uint32_t lane_of(const struct cp_shape *s, uint32_t row, uint32_t copy)
{
    if (s->rows == 4) return row * WARP_LANES; // one of each partition
    if (s->apart == 32 && s->rows == 64) return row / 32 * 64 + row % 32 + copy * 32;
    return row + copy * s->apart;
}

static bool copy_piece(const struct tensor_hands *h, struct emu_cta *cta, const struct fill_insn *f,
                       const struct fill_call *c, uint32_t row, uint32_t piece)
{
    const struct tensor_view v = tensor_view(c->descriptor, 8, false);
    const uint32_t from = tensor_address(&v, row, piece * PIECE);
    uint8_t bytes[PIECE];
    if (tensor_outside(&h->smem, cta, from)) return false;
    emu_touch(cta->m, &h->smem, cta, NULL, from, PIECE, EMU_READ);
    if (cta->m->watch.record)
        emu_note_touch(h->smem.warp, h->smem.in, ACT_TENSOR_READ, cta, from, PIECE);
    if (f->width)
        tensor_unpack(f->width, cta->smem + from, bytes);
    else
        memcpy(bytes, cta->smem + from, PIECE);
    for (uint32_t copy = 0; copy < f->shape->copies; copy++) {
        uint32_t *cell =
            tensor_cells(&h->tensor, cta, (c->place >> 16) + lane_of(f->shape, row, copy),
                         (c->place & 0xffff) + piece * PIECE_CELLS, PIECE_CELLS, EMU_WRITE);
        if (!cell) return false;
        memcpy(cell, bytes, PIECE);
    }
    return true;
}

static bool copy_rows(const struct tensor_hands *h, struct emu_cta *cta, const struct fill_insn *f,
                      const struct fill_call *c)
{
    for (uint32_t row = 0; row < f->shape->rows; row++)
        for (uint32_t piece = 0; piece < f->shape->pieces; piece++)
            if (!copy_piece(h, cta, f, c, row, piece)) return false;
    return true;
}

// Every row of a partition but the last becomes the next one. A B200 is reported to shift each
// partition by itself, from the address's on.
static bool shift_rows(const struct tensor_hands *h, struct emu_cta *cta, const struct fill_insn *f,
                       const struct fill_call *c)
{
    (void)f;
    for (uint32_t lane = c->place >> 16; lane + 1 < TMEM_LANES; lane++) {
        if (lane % WARP_LANES == WARP_LANES - 1) continue;
        const uint32_t *from =
            tensor_cells(&h->tensor, cta, lane + 1, c->place & 0xffff, SHIFT_CELLS, EMU_READ);
        if (!from) return false;
        // Columns are allocated on all lanes or none.
        memcpy(tensor_cells(&h->tensor, cta, lane, c->place & 0xffff, SHIFT_CELLS, EMU_WRITE), from,
               SHIFT_CELLS * sizeof *from);
    }
    return true;
}

static bool run_fill(struct emu_machine *m, struct emu_op *op)
{
    const struct fill_insn *f = op->in->more;
    const struct fill_call *c = op->data;
    const struct tensor_hands h = tensor_hands(op, &c->tensor);
    struct emu_cta *cta[2] = {op->cta, NULL};
    (void)m;
    if (f->shape && !tensor_view_is_legal(op, c->descriptor)) return true;
    if (f->ctas == 2 && !(cta[1] = tensor_peer(op->warp, op->in, op->lane))) return true;
    for (uint32_t i = 0; i < f->ctas; i++)
        if (!(f->shape ? copy_rows : shift_rows)(&h, cta[i], f, c)) break;
    return true;
}

static void drop_fill(struct emu_op *op)
{
    struct fill_call *c = op->data;
    emu_clock_free(op->cta->m, &c->tensor);
    free(c);
}

EXEC(fill)
{
    const struct fill_insn *f = in->more;
    EACH_LANE(l, mask)
    {
        struct fill_call *c = calloc(1, sizeof *c);
        if (!c) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
        c->place = emu_u32(w, f->place)[l] + (uint32_t)f->plus;
        if (f->shape) c->descriptor = emu_u64(w, f->descriptor)[l];
        if (!f->shape && (c->place >> 16) % WARP_LANES) {
            const uint32_t place = c->place;
            free(c);
            return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, place,
                             "lane %u of tensor memory is shifted: a multiple of 32", place >> 16);
        }
        tensor_issue_clock(w, &c->tensor);
        const enum emu_step step = tensor_issue(w, in, l, run_fill, drop_fill, c);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

static const struct cp_shape *shape_named(struct decoder *d)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const char *dot = strchr(shapes[i].name, '.');
        char base[16] = "";
        if (!dot) {
            if (dec_has(d, shapes[i].name)) return &shapes[i];
            continue;
        }
        memcpy(base, shapes[i].name, (size_t)(dot - shapes[i].name));
        if (dec_has(d, dot + 1)) return dec_has(d, base) ? &shapes[i] : NULL;
    }
    return NULL;
}

bool decode_tcgen05_cp(struct decoder *d)
{
    struct fill_insn *f = dec_alloc(d, sizeof *f);
    if (!f || !tensor_group(d, &f->ctas)) return false;
    f->shape = shape_named(d);
    if (!f->shape) return dec_fail(d, "'%s' has no such shape", d->inst->op);
    if (dec_has(d, "b8x16")) {
        const int source = dec_one_of(d, "b4x16_p64|b6x16_p32");
        if (source < 0) return dec_fail(d, "'%s' from no format", d->inst->op);
        f->width = source ? 6 : 4;
    }
    d->out->exec = fill;
    d->out->more = f;
    return tensor_place(d, dec_operand(d), &f->place, &f->plus) &&
           dec_source(d, PTX_B64, &f->descriptor);
}

bool decode_tcgen05_shift(struct decoder *d)
{
    struct fill_insn *f = dec_alloc(d, sizeof *f);
    if (!f || !tensor_group(d, &f->ctas)) return false;
    d->out->exec = fill;
    d->out->more = f;
    return (dec_has(d, "down") || dec_fail(d, "'%s' without .down", d->inst->op)) &&
           tensor_place(d, dec_operand(d), &f->place, &f->plus);
}
