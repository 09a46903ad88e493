// Tensor memory: allocation, loads and stores (tcgen05.alloc, dealloc, ld, st; PTX ISA 9.0, "5th
// generation TensorCore"). No GPU was asked: every run that comes here is inferred.
#include "emulate/protocol/record.h"
#include "emulate/tensor/tcgen05.h"

#include <stdlib.h>
#include <string.h>

static void tmem_free(struct emu_cta *cta);
static void tmem_left(struct emu_cta *cta);

static struct emu_tmem *tmem_of(struct emu_cta *cta)
{
    if (cta->tmem) return cta->tmem;
    cta->tmem = calloc(1, sizeof *cta->tmem);
    if (!cta->tmem) return cta->m->status = TMAP_E_MEMORY, cta->m->stop = true, NULL;
    cta->tmem_free = tmem_free;
    cta->tmem_left = tmem_left;
    memset(cta->tmem->cell, 0xff, sizeof cta->tmem->cell);
    cta->tmem->region =
        (struct emu_region){.bytes = sizeof cta->tmem->cell, .name = "tensor memory"};
    return cta->tmem;
}

static void tmem_free(struct emu_cta *cta)
{
    emu_shadow_free(cta->m, cta->tmem->region.shadow);
    tensor_threads_free(cta->m, cta->tmem->thread, cta->warps);
    free(cta->tmem);
}

static void tmem_left(struct emu_cta *cta)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; i < TMEM_COLUMNS / UNIT; i++) columns += cta->tmem->taken[i] ? UNIT : 0;
    if (columns)
        emu_find_report(cta->m, TMAP_EMULATE_LEAK, &cta->warp[0], NULL, 0, 0,
                        "the CTA leaves %u columns of tensor memory allocated", columns);
}

// Row and columns of 32 bits, of which every one has to be allocated.
uint32_t *tensor_cells(const struct emu_actor *actor, struct emu_cta *cta, uint32_t lane,
                       uint32_t column, uint32_t count, unsigned access)
{
    struct emu_tmem *t = cta->tmem;
    bool good = t && lane < TMEM_LANES && column < TMEM_COLUMNS && count <= TMEM_COLUMNS - column;
    for (uint32_t i = column / UNIT; good && i <= (column + count - 1) / UNIT; i++)
        good = t->taken[i];
    if (!good) {
        emu_fault(TMAP_EMULATE_ACCESS, actor->warp, actor->in, actor->lane, lane << 16 | column,
                  "lane %u, columns %u to %u of tensor memory are not allocated", lane, column,
                  column + count - 1);
        return NULL;
    }
    emu_touch(cta->m, actor, NULL, &t->region, ((uint64_t)lane * TMEM_COLUMNS + column) * 4,
              4ull * count, access);
    return &t->cell[lane][column];
}

// --- allocation

// So many columns that are free here and, of a pair, in the peer; their first, or -1.
static int32_t room_for(const struct emu_tmem *t, const struct emu_tmem *peer, uint32_t columns)
{
    uint32_t run = 0;
    for (uint32_t at = 0; at < TMEM_COLUMNS / UNIT; at++) {
        run = t->taken[at] || (peer && peer->taken[at]) ? 0 : run + 1;
        if (run * UNIT == columns) return (int32_t)(at + 1 - run);
    }
    return -1;
}

struct emu_cta *tensor_peer(struct emu_warp *w, const struct emu_insn *in, uint32_t lane)
{
    const uint32_t rank = w->cta->rank ^ 1;
    const bool there = rank < w->cta->cluster->ctas;
    struct emu_cta *peer = &w->cta->cluster->cta[rank];
    if (there && !peer->done) return peer;
    emu_fault(TMAP_EMULATE_ILLEGAL, w, in, lane, rank,
              there ? "%s: the pair's other CTA has left"
                    : "%s: the cluster has no CTA for the pair",
              in->name);
    return NULL;
}

// Both CTAs of a pair ask, and get the same columns.
static enum emu_step grant_pair(struct emu_warp *w, const struct emu_insn *in, uint32_t l,
                                uint32_t columns, uint32_t *address)
{
    struct emu_cta *peer = tensor_peer(w, in, l);
    struct emu_tmem *t = w->cta->tmem, *other = peer ? tmem_of(peer) : NULL;
    if (!other) return EMU_STOP;
    if (!t->granted) {
        t->request = columns;
        if (other->request && other->request != columns)
            return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, columns,
                             "%u columns of tensor memory, and %u in the pair's other CTA", columns,
                             other->request);
        const int32_t at = other->request ? room_for(t, other, columns) : -1;
        if (at < 0) return emu_wait_for(w, WAIT_TENSOR, columns, 0);
        memset(&t->taken[at], 1, columns / UNIT);
        memset(&other->taken[at], 1, columns / UNIT);
        t->granted = other->granted = (uint32_t)at * UNIT + 1;
        t->request = other->request = 0;
        emu_something(w->cta->cluster);
    }
    *address = t->granted - 1;
    t->granted = 0;
    return EMU_NEXT;
}

static bool columns_are_legal(struct emu_warp *w, const struct emu_insn *in, uint32_t l,
                              uint32_t columns)
{
    if (columns >= UNIT && columns <= TMEM_COLUMNS && !(columns & (columns - 1))) return true;
    emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, columns,
              "%u columns of tensor memory: a power of two from 32 to 512", columns);
    return false;
}

EXEC(alloc)
{
    const struct emu_place *p = in->more;
    const uint32_t l = (uint32_t)emu_lane(mask), columns = emu_u32(w, in->b)[l];
    struct emu_tmem *t = tmem_of(w->cta);
    enum emu_step step;
    uint32_t address = 0;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    if (!t || !columns_are_legal(w, in, l, columns)) return EMU_STOP;
    if (w->cta->tmem_closed)
        return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, columns,
                         "the CTA has given up its permit to allocate tensor memory");
    if (in->count == 2) {
        if ((step = grant_pair(w, in, l, columns, &address)) != EMU_NEXT) return step;
    } else {
        const int32_t at = room_for(t, NULL, columns);
        if (at < 0) return emu_wait_for(w, WAIT_TENSOR, columns, 0);
        memset(&t->taken[at], 1, columns / UNIT);
        address = (uint32_t)at * UNIT;
    }
    // Which proxy writes is not documented: no fence is asked for.
    uint8_t *to =
        emu_memory(w, in, l, PTX_GENERIC, emu_place_at(w, p, l), 4, EMU_ATOMIC | EMU_STRONG);
    if (!to) return EMU_STOP;
    memcpy(to, &address, 4);
    w->m->result.basis = TMAP_INFERRED;
    return EMU_NEXT;
}

// Both CTAs of a pair give the same columns back.
static enum emu_step return_pair(struct emu_warp *w, const struct emu_insn *in, uint32_t l,
                                 uint32_t what)
{
    struct emu_tmem *t = w->cta->tmem;
    if (t->returned) return t->returned = false, EMU_NEXT;
    struct emu_cta *peer = tensor_peer(w, in, l);
    if (!peer) return EMU_STOP;
    struct emu_tmem *other = peer->tmem; // NULL: it has allocated none
    t->returning = what;
    if (!other || other->returning == 0) return emu_wait_for(w, WAIT_TENSOR, what, 0);
    if (other->returning != what)
        return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, what,
                         "the CTAs of a pair give other columns of tensor memory back");
    t->returning = other->returning = 0;
    other->returned = true;
    emu_something(w->cta->cluster);
    return EMU_NEXT;
}

// Who gives columns back ends every use of them: what nothing orders before it is a race.
static void end_of_use(struct emu_warp *w, const struct emu_insn *in, uint32_t l, uint32_t at,
                       uint32_t columns)
{
    const struct emu_actor actor = tensor_actor(w, in, l, true);
    for (uint32_t lane = 0; lane < TMEM_LANES; lane++)
        tensor_cells(&actor, w->cta, lane, at, columns, EMU_WRITE);
}

EXEC(dealloc)
{
    const uint32_t l = (uint32_t)emu_lane(mask);
    const uint32_t at = emu_u32(w, in->a)[l] & 0xffff, columns = emu_u32(w, in->b)[l];
    struct emu_tmem *t = w->cta->tmem;
    enum emu_step step;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    if (!columns_are_legal(w, in, l, columns)) return EMU_STOP;
    for (uint32_t i = at / UNIT; i < (at + columns) / UNIT; i++)
        if (at % UNIT || i >= TMEM_COLUMNS / UNIT || !t || !t->taken[i])
            return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, at,
                             "%u columns from %u on are given back, but not allocated", columns,
                             at);
    if (in->count == 2 && (step = return_pair(w, in, l, at << 10 | columns)) != EMU_NEXT)
        return step;
    end_of_use(w, in, l, at, columns);
    for (uint32_t i = at / UNIT; i < (at + columns) / UNIT; i++) t->taken[i] = 0;
    emu_something(w->cta->cluster);
    return EMU_NEXT;
}

bool tensor_group(struct decoder *d, uint32_t *ctas)
{
    const int group = dec_one_of(d, "cta_group::1|cta_group::2");
    *ctas = (uint32_t)group + 1;
    return group >= 0 || dec_fail(d, "'%s' without .cta_group", d->inst->op);
}

bool decode_tcgen05_alloc(struct decoder *d)
{
    struct emu_place *p = dec_alloc(d, sizeof *p);
    uint32_t ctas;
    if (!p || !tensor_group(d, &ctas) || !dec_aligned(d)) return false;
    d->out->count = (uint8_t)ctas;
    const enum ptx_space space = dec_space(d);
    d->out->exec = alloc;
    d->out->more = p;
    return dec_has(d, "b32") && dec_place(d, dec_operand(d), space, p) &&
           dec_source(d, PTX_U32, &d->out->b);
}

bool decode_tcgen05_dealloc(struct decoder *d)
{
    uint32_t ctas;
    if (!tensor_group(d, &ctas) || !dec_aligned(d)) return false;
    d->out->count = (uint8_t)ctas;
    d->out->exec = dealloc;
    return dec_has(d, "b32") && dec_source(d, PTX_U32, &d->out->a) &&
           dec_source(d, PTX_U32, &d->out->b);
}

EXEC(relinquish)
{
    enum emu_step step;
    (void)mask;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    w->cta->tmem_closed = true;
    return EMU_NEXT;
}

bool decode_tcgen05_relinquish(struct decoder *d)
{
    uint32_t ctas;
    d->out->exec = relinquish;
    return tensor_group(d, &ctas) && dec_aligned(d);
}

// --- loads and stores: which lane and column register r of thread l is

enum tmem_shape { SHAPE_32X32, SHAPE_16X128, SHAPE_16X256, SHAPE_16X32X2, SHAPE_16X64 };

static void where(enum tmem_shape shape, uint32_t l, uint32_t r, uint32_t *lane, uint32_t *column)
{
    switch (shape) {
    case SHAPE_32X32:
        *lane = l, *column = r;
        return;
    case SHAPE_16X128:
        *lane = l / 4 + r % 2 * 8, *column = r / 2 * 4 + l % 4;
        return;
    case SHAPE_16X256:
        *lane = l / 4 + r / 2 % 2 * 8, *column = r / 4 * 8 + l % 4 * 2 + r % 2;
        return;
    case SHAPE_16X64:
        *lane = l / 4 + l % 2 * 8, *column = r * 2 + l / 2 % 2;
        return;
    default:
        *lane = l % 16, *column = r;
    }
}

// Packed, a register has the lower halves of two columns.
static uint32_t *cells(struct emu_warp *w, const struct emu_insn *in, uint32_t base, uint32_t l,
                       uint32_t r)
{
    const enum tmem_shape shape = (enum tmem_shape)in->count;
    const uint32_t width = in->space ? 2 : 1;
    const struct emu_actor actor = tensor_actor(w, in, l, in->bytes);
    uint32_t lane, column;
    where(shape, l, r, &lane, &column);
    column *= width;
    if (shape == SHAPE_16X32X2 && l >= 16) column += in->flags;
    return tensor_cells(&actor, w->cta, (base >> 16) + lane, (base & 0xffff) + column, width,
                        in->bytes ? EMU_WRITE : EMU_READ);
}

static uint32_t tensor_column(const struct emu_cta *cta, const uint32_t *cell)
{
    return (uint32_t)(cell - &cta->tmem->cell[0][0]) % TMEM_COLUMNS;
}

EXEC(move_cells)
{
    const uint32_t base = emu_u32(w, in->a)[emu_lane(mask)] + (uint32_t)in->imm;
    const uint32_t quarter = w->index % 4 * WARP_LANES;
    enum emu_step step;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    if ((base >> 16) / WARP_LANES * WARP_LANES != quarter)
        return emu_fault(TMAP_EMULATE_ACCESS, w, in, (uint32_t)emu_lane(mask), base,
                         "warp %u reaches lane %u of tensor memory; its quarter begins at %u",
                         w->index, base >> 16, quarter);
    for (uint32_t r = 0; r < in->lists; r++) {
        uint32_t value[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            const uint32_t v = emu_u32(w, in->list[r])[l];
            uint32_t *cell = cells(w, in, base, l, r);
            if (!cell) return EMU_STOP;
            if (w->m->watch.record && !in->bytes)
                emu_note_touch(w, in, ACT_FETCH, w->cta, tensor_column(w->cta, cell), 1);
            value[l] = in->space ? (cell[0] & 0xffff) | cell[1] << 16 : cell[0];
            if (in->bytes) cell[0] = in->space ? v & 0xffff : v;
            if (in->bytes && in->space) cell[1] = v >> 16;
        }
        if (!in->bytes && !tensor_load_late(w, in, in->list[r], value)) return EMU_STOP;
    }
    return EMU_NEXT;
}

static bool cells_of(struct decoder *d, bool store)
{
    static const uint32_t per[] = {1, 2, 4, 1, 1};
    int64_t split = 0;
    if (!dec_aligned(d)) return false;
    const int shape = dec_one_of(d, "32x32b|16x128b|16x256b|16x32bx2|16x64b");
    const int times = dec_one_of(d, "x1|x2|x4|x8|x16|x32|x64|x128");
    if (shape < 0 || times < 0 || !dec_has(d, "b32"))
        return dec_fail(d, "'%s' is not supported", d->inst->op);
    d->out->exec = move_cells;
    d->out->count = (uint8_t)shape;
    d->out->bytes = store;
    d->out->space = dec_has(d, store ? "unpack::16b" : "pack::16b");
    const struct ptx_operand *list = store ? NULL : dec_operand(d);
    const struct ptx_operand *at = dec_operand(d);
    if (!at || !dec_address_of(d, at, PTX_PARAM, &d->out->a, &d->out->imm)) return false;
    if (d->out->flags & DEC_WIDE_ADDRESS) return dec_fail(d, "an address of 64 bits");
    if (shape == SHAPE_16X32X2 && !dec_immediate(d, &split)) return false;
    if (store) list = dec_operand(d);
    if (!list || !dec_list(d, list, PTX_B32, !store)) return false;
    for (uint32_t i = 0; i < d->out->lists; i++)
        if (d->out->wide[i]) return dec_fail(d, "registers of 64 bits");
    d->out->flags = (uint32_t)split;
    return d->out->lists == per[shape] << times ||
           dec_fail(d, "'%s' with %u registers", d->inst->op, d->out->lists);
}

bool decode_tcgen05_ld(struct decoder *d)
{
    return cells_of(d, false);
}
bool decode_tcgen05_st(struct decoder *d)
{
    return cells_of(d, true);
}
