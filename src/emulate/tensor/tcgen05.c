// tcgen05 of one CTA: tensor memory, products into it, commits, loads and stores. Descriptors,
// instruction descriptor and layouts of the accumulator: PTX ISA 9.0, "5th generation TensorCore".
// No GPU was asked: every run that comes here is inferred.
#include "emulate/tensor/tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TMEM_LANES = 128, TMEM_COLUMNS = 512, UNIT = 32, WARP_LANES = 32 };

struct emu_tmem {
    uint32_t cell[TMEM_LANES][TMEM_COLUMNS];
    uint8_t taken[TMEM_COLUMNS / UNIT];
    struct emu_region region; // for its shadow
};

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
    if (cta->tmem) emu_shadow_free(cta->tmem->region.shadow);
    free(cta->tmem);
}

static void tmem_left(struct emu_cta *cta)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; cta->tmem && i < TMEM_COLUMNS / UNIT; i++)
        columns += cta->tmem->taken[i] ? UNIT : 0;
    if (columns)
        emu_find_report(cta->m, TMAP_EMULATE_LEAK, &cta->warp[0], NULL, 0, 0,
                        "the CTA leaves %u columns of tensor memory allocated", columns);
}

// Row and columns of 32 bits, of which every one has to be allocated.
static uint32_t *cells(const struct emu_actor *actor, struct emu_cta *cta, uint32_t lane,
                       uint32_t column, uint32_t count, unsigned access)
{
    struct emu_tmem *t = tmem_of(cta);
    if (!t) return NULL;
    bool good = lane < TMEM_LANES && column + count <= TMEM_COLUMNS && count;
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

static struct emu_actor warp_actor(struct emu_warp *w, const struct emu_insn *in, uint32_t lane)
{
    return (struct emu_actor){w->agent, emu_now(w), PROXY_GENERIC, emu_clock_of(w), w, in, lane};
}

// --- allocation

EXEC(alloc)
{
    const struct emu_place *p = in->more;
    const uint32_t l = (uint32_t)emu_lane(mask), columns = emu_u32(w, in->b)[l];
    struct emu_tmem *t = tmem_of(w->cta);
    enum emu_step step;
    uint32_t at = 0, run = 0;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    if (!t) return EMU_STOP;
    if (columns < UNIT || columns > TMEM_COLUMNS || (columns & (columns - 1)))
        return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, columns,
                         "%u columns of tensor memory: a power of two from 32 to 512", columns);
    for (at = 0; at < TMEM_COLUMNS / UNIT && run * UNIT < columns; at++)
        run = t->taken[at] ? 0 : run + 1;
    if (run * UNIT < columns) return emu_wait_for(w, WAIT_TENSOR, columns, 0);
    memset(&t->taken[at - run], 1, run);
    const uint32_t address = (at - run) * UNIT;
    // Which proxy writes is not documented: no fence is asked for.
    uint8_t *to =
        emu_memory(w, in, l, PTX_GENERIC, emu_place_at(w, p, l), 4, EMU_ATOMIC | EMU_STRONG);
    if (!to) return EMU_STOP;
    memcpy(to, &address, 4);
    w->m->result.basis = TMAP_INFERRED;
    return EMU_NEXT;
}

EXEC(dealloc)
{
    const uint32_t l = (uint32_t)emu_lane(mask);
    const uint32_t at = emu_u32(w, in->a)[l] & 0xffff, columns = emu_u32(w, in->b)[l];
    struct emu_tmem *t = tmem_of(w->cta);
    enum emu_step step;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    if (!t) return EMU_STOP;
    for (uint32_t i = at / UNIT; i < (at + columns) / UNIT; i++) {
        if (i >= TMEM_COLUMNS / UNIT || !t->taken[i])
            return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, at,
                             "%u columns from %u on are given back, but not allocated", columns,
                             at);
        t->taken[i] = 0;
    }
    emu_something(w->cta->cluster);
    return EMU_NEXT;
}

static bool one_cta(struct decoder *d)
{
    return dec_has(d, "cta_group::1") ||
           dec_fail(d, "'%s': pairs of CTAs are not supported", d->inst->op);
}

bool decode_tcgen05_alloc(struct decoder *d)
{
    struct emu_place *p = dec_alloc(d, sizeof *p);
    if (!p || !one_cta(d)) return false;
    dec_has(d, "sync");
    dec_has(d, "aligned");
    const enum ptx_space space = dec_space(d);
    d->out->exec = alloc;
    d->out->more = p;
    return dec_has(d, "b32") && dec_place(d, dec_operand(d), space, p) &&
           dec_source(d, PTX_U32, &d->out->b);
}

bool decode_tcgen05_dealloc(struct decoder *d)
{
    if (!one_cta(d)) return false;
    dec_has(d, "sync");
    dec_has(d, "aligned");
    d->out->exec = dealloc;
    return dec_has(d, "b32") && dec_source(d, PTX_U32, &d->out->a) &&
           dec_source(d, PTX_U32, &d->out->b);
}

EXEC(nothing)
{
    (void)w, (void)in, (void)mask;
    return EMU_NEXT;
}

// relinquish_alloc_permit, and the fences and waits: loads and stores are done when they are
// issued.
bool decode_tcgen05_plain(struct decoder *d)
{
    dec_has(d, "cta_group::1");
    dec_has(d, "sync");
    dec_has(d, "aligned");
    d->out->exec = nothing;
    return true;
}

// --- loads and stores: which lane and column register r of thread l is

enum tmem_shape { SHAPE_32X32, SHAPE_16X128, SHAPE_16X256, SHAPE_16X32X2 };

static void where(enum tmem_shape shape, uint32_t l, uint32_t r, int64_t split, uint32_t *lane,
                  uint32_t *column)
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
    default:
        *lane = l % 16, *column = r + (l < 16 ? 0 : (uint32_t)split);
    }
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
    for (uint32_t r = 0; r < in->lists; r++)
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t lane, column;
            where((enum tmem_shape)in->count, l, r, in->flags, &lane, &column);
            const struct emu_actor actor = warp_actor(w, in, l);
            uint32_t *cell = cells(&actor, w->cta, (base >> 16) + lane, (base & 0xffff) + column, 1,
                                   in->bytes ? EMU_WRITE : EMU_READ);
            if (!cell) return EMU_STOP;
            if (in->bytes)
                *cell = emu_u32(w, in->list[r])[l];
            else
                emu_u32(w, in->list[r])[l] = *cell;
        }
    return EMU_NEXT;
}

static bool cells_of(struct decoder *d, bool store)
{
    static const uint32_t per[] = {1, 2, 4, 1};
    int64_t split = 0;
    if (!dec_has(d, "sync") || !dec_has(d, "aligned")) return false;
    const int shape = dec_one_of(d, "32x32b|16x128b|16x256b|16x32bx2");
    const int times = dec_one_of(d, "x1|x2|x4|x8|x16|x32|x64|x128");
    if (shape < 0 || times < 0 || !dec_has(d, "b32"))
        return dec_fail(d, "'%s' is not supported", d->inst->op);
    d->out->exec = move_cells;
    d->out->count = (uint8_t)shape;
    d->out->bytes = store;
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

// --- products

enum mma_kind { KIND_F16, KIND_TF32, KIND_F8F6F4, KIND_I8 };

struct mma_insn {
    enum mma_kind kind;
    emu_at a, b, descriptor;
    emu_at d, enable, a_place;
    int64_t d_plus, a_plus;
    bool a_tensor, not_enable;
};

struct mma_call {
    uint64_t a, b;
    uint32_t d, descriptor;
    bool adds;
};

struct shape {
    uint32_t m, n, k, lane_step; // rows of a quarter of the lanes
    enum tensor_type a, b;
    bool a_mn, b_mn, a_negated, b_negated, integer;
};

static bool element(enum mma_kind kind, uint32_t code, enum tensor_type *out)
{
    static const int8_t types[4][6] = {
        {TENSOR_F16, TENSOR_BF16, -1, -1, -1, -1},
        {-1, -1, TENSOR_TF32, -1, -1, -1},
        {TENSOR_E4M3, TENSOR_E5M2, -1, TENSOR_E2M3, TENSOR_E3M2, TENSOR_E2M1},
        {TENSOR_U8, TENSOR_S8, -1, -1, -1, -1}};
    if (code > 5 || types[kind][code] < 0) return false;
    *out = (enum tensor_type)types[kind][code];
    return true;
}

static bool decode_shape(const struct mma_insn *i, uint32_t d, struct shape *s)
{
    static const uint32_t k[] = {16, 8, 32, 32};
    const uint32_t out = d >> 4 & 3;
    s->n = (d >> 17 & 0x3f) * 8;
    s->m = (d >> 24 & 0x1f) * 16;
    s->k = k[i->kind];
    s->a_negated = d >> 13 & 1;
    s->b_negated = d >> 14 & 1;
    s->a_mn = d >> 15 & 1;
    s->b_mn = d >> 16 & 1;
    s->integer = out == 2;
    s->lane_step = s->m / 4;
    return (s->m == 64 || s->m == 128) && s->n >= 8 && s->n <= TENSOR_COLS &&
           out == (i->kind == KIND_I8 ? 2u : 1u) && element(i->kind, d >> 7 & 7, &s->a) &&
           element(i->kind, d >> 10 & 7, &s->b) && !(d & 4);
}

static struct tensor_view view(uint64_t d, uint32_t bits, bool mn_major)
{
    static const int32_t layout[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_128B_ATOM_32B,
                                     TMAP_SWIZZLE_128B, -1,
                                     TMAP_SWIZZLE_64B,  -1,
                                     TMAP_SWIZZLE_32B,  -1};
    return (struct tensor_view){.start = (uint32_t)(d & 0x3fff) << 4,
                                .lead = (uint32_t)(d >> 16 & 0x3fff) << 4,
                                .stride = (uint32_t)(d >> 32 & 0x3fff) << 4,
                                .swizzle = layout[d >> 61],
                                .mn_major = mn_major,
                                .bits = bits};
}

struct scratch {
    double a[TENSOR_ROWS * 32], b[32 * TENSOR_COLS], d[TENSOR_ROWS * TENSOR_COLS];
};

static uint32_t lane_of(const struct shape *s, uint32_t row)
{
    return row / s->lane_step * WARP_LANES + row % s->lane_step;
}

static bool a_from_tensor(const struct emu_actor *actor, struct emu_cta *cta, const struct shape *s,
                          uint32_t at, double *out)
{
    const uint32_t bits = tensor_bits(s->a), per = 32 / bits;
    for (uint32_t row = 0; row < s->m; row++) {
        const uint32_t *cell =
            cells(actor, cta, (at >> 16) + lane_of(s, row), at & 0xffff, s->k / per, EMU_READ);
        if (!cell) return false;
        for (uint32_t k = 0; k < s->k; k++) {
            const uint64_t v = (uint64_t)cell[k / per] >> (k % per * bits);
            out[row * s->k + k] = tensor_value(s->a, bits == 32 ? v : v & ((1u << bits) - 1));
        }
    }
    return true;
}

static bool operands(const struct emu_actor *smem, const struct emu_actor *tensor,
                     struct emu_op *op, const struct shape *s, struct scratch *x)
{
    const struct mma_insn *i = op->in->more;
    const struct mma_call *c = op->data;
    const struct tensor_view a = view(c->a, tensor_bits(s->a), s->a_mn);
    const struct tensor_view b = view(c->b, tensor_bits(s->b), s->b_mn);
    if ((!i->a_tensor && a.swizzle < 0) || b.swizzle < 0) {
        emu_fault(TMAP_EMULATE_ILLEGAL, op->warp, op->in, op->lane, c->b,
                  "a matrix descriptor with a reserved swizzle");
        return false;
    }
    if (!tensor_read(smem, op->cta, &b, s->b, s->n, s->k, true, x->b)) return false;
    if (i->a_tensor ? !a_from_tensor(tensor, op->cta, s, (uint32_t)c->a, x->a)
                    : !tensor_read(smem, op->cta, &a, s->a, s->m, s->k, false, x->a))
        return false;
    for (uint32_t e = 0; s->a_negated && e < s->m * s->k; e++) x->a[e] = -x->a[e];
    for (uint32_t e = 0; s->b_negated && e < s->n * s->k; e++) x->b[e] = -x->b[e];
    return true;
}

static bool accumulate(const struct emu_actor *tensor, struct emu_op *op, const struct shape *s,
                       struct scratch *x, bool store)
{
    const struct mma_call *c = op->data;
    for (uint32_t row = 0; row < s->m; row++) {
        uint32_t *cell = cells(tensor, op->cta, (c->d >> 16) + lane_of(s, row), c->d & 0xffff, s->n,
                               store ? EMU_WRITE : EMU_READ);
        if (!cell) return false;
        for (uint32_t n = 0; n < s->n; n++) {
            double *d = &x->d[row * s->n + n];
            if (store)
                cell[n] = s->integer ? (uint32_t)(int32_t)*d : emu_bits((float)*d);
            else
                *d = s->integer ? (double)(int32_t)cell[n] : (double)emu_float(cell[n]);
        }
    }
    return true;
}

static bool run_mma(struct emu_machine *m, struct emu_op *op)
{
    const struct mma_call *c = op->data;
    struct shape s;
    struct scratch *x = malloc(sizeof *x);
    if (!x) return m->status = TMAP_E_MEMORY, m->stop = true, true;
    const struct emu_actor smem = {.agent = op->agent,
                                   .now = op->now,
                                   .proxy = PROXY_ASYNC,
                                   .clock = &op->clock,
                                   .warp = op->warp,
                                   .in = op->in,
                                   .lane = op->lane};
    struct emu_actor tensor = smem;
    tensor.proxy = PROXY_GENERIC; // tensor memory has no proxies
    if (!decode_shape(op->in->more, c->descriptor, &s)) {
        emu_fault(TMAP_EMULATE_ILLEGAL, op->warp, op->in, op->lane, c->descriptor,
                  "instruction descriptor 0x%08x", c->descriptor);
    } else if (operands(&smem, &tensor, op, &s, x) &&
               (!c->adds || accumulate(&tensor, op, &s, x, false))) {
        const struct tensor_product p = {.rows = s.m,
                                         .cols = s.n,
                                         .k = s.k,
                                         .adds = c->adds,
                                         .integer = s.integer,
                                         .type = s.a,
                                         .arch = m->module->ptx.arch,
                                         .a = x->a,
                                         .b = x->b,
                                         .d = x->d};
        tensor_multiply(&p);
        accumulate(&tensor, op, &s, x, true);
        m->result.counts.multiply_adds += (uint64_t)s.m * s.n * s.k;
    }
    free(x);
    return true;
}

static void drop(struct emu_op *op)
{
    free(op->data);
}

// One engine of a CTA, in the order of the issues.
static uint64_t queue_of(const struct emu_warp *w)
{
    return UINT64_C(1) << 48 | w->cta->number;
}

EXEC(mma)
{
    const struct mma_insn *i = in->more;
    EACH_LANE(l, mask)
    {
        struct mma_call *c = malloc(sizeof *c);
        if (!c) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
        *c = (struct mma_call){.a = i->a_tensor ? emu_u32(w, i->a_place)[l] + (uint64_t)i->a_plus
                                                : emu_u64(w, i->a)[l],
                               .b = emu_u64(w, i->b)[l],
                               .d = emu_u32(w, i->d)[l] + (uint32_t)i->d_plus,
                               .descriptor = emu_u32(w, i->descriptor)[l],
                               .adds = (emu_pred(w, i->enable) >> l & 1) != i->not_enable};
        w->m->result.counts.multiplies++;
        const struct emu_op op = {.run = run_mma,
                                  .drop = drop,
                                  .class = OP_TENSOR,
                                  .in = in,
                                  .lane = l,
                                  .group = w->tensor_open,
                                  .agent = emu_agent(w->cta, AGENT_TENSOR, w->index),
                                  .now = w->tensor_open + 1,
                                  .queue = queue_of(w),
                                  .data = c};
        const enum emu_step step = emu_issue(w, &op);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

static bool tensor_place(struct decoder *d, const struct ptx_operand *o, emu_at *at, int64_t *plus)
{
    d->out->flags = 0;
    return o && dec_address_of(d, o, PTX_PARAM, at, plus) &&
           (!(d->out->flags & DEC_WIDE_ADDRESS) || dec_fail(d, "an address of 64 bits"));
}

bool decode_tcgen05_mma(struct decoder *d)
{
    struct mma_insn *i = dec_alloc(d, sizeof *i);
    if (!i || !one_cta(d)) return false;
    const int kind = dec_one_of(d, "kind::f16|kind::tf32|kind::f8f6f4|kind::i8");
    if (kind < 0) return dec_fail(d, "'%s' is not supported", d->inst->op);
    i->kind = (enum mma_kind)kind;
    d->out->exec = mma;
    d->out->more = i;
    if (!tensor_place(d, dec_operand(d), &i->d, &i->d_plus)) return false;
    const struct ptx_operand *a = dec_operand(d);
    if (!a) return false;
    i->a_tensor = a->kind == PTX_OP_MEM;
    if (i->a_tensor ? !tensor_place(d, a, &i->a_place, &i->a_plus)
                    : !dec_source_of(d, a, PTX_B64, &i->a))
        return false;
    return dec_source(d, PTX_B64, &i->b) && dec_source(d, PTX_B32, &i->descriptor) &&
           dec_predicate(d, &i->enable, &i->not_enable);
}

// --- commit: an arrival when all that this CTA has issued before is done

struct commit_call {
    uint64_t barrier;
    uint32_t mask;
};

struct commit_insn {
    struct emu_place barrier;
    emu_at mask;
    bool multicast;
};

static bool run_commit(struct emu_machine *m, struct emu_op *op)
{
    const struct commit_call *c = op->data;
    for (uint32_t rank = 0; rank < op->cta->cluster->ctas; rank++) {
        struct emu_cta *where_;
        uint64_t at = c->barrier;
        if (c->mask && !(c->mask >> rank & 1)) continue;
        if (c->mask) at = (at & ~(0xffull << EMU_RANK_SHIFT)) | (uint64_t)rank << EMU_RANK_SHIFT;
        struct emu_mbarrier *b = emu_barrier(op->warp, op->in, op->lane, at, &where_);
        if (!b) return true;
        if (b->pending == 0)
            return emu_fault(TMAP_EMULATE_BARRIER, op->warp, op->in, op->lane, b->offset,
                             "a commit arrives at an mbarrier that awaits nobody"),
                   true;
        emu_release_epoch(m, op->agent, op->now, b->gather);
        emu_barrier_arrive(where_, b, 1);
        if (!c->mask) break;
    }
    return true;
}

EXEC(commit)
{
    const struct commit_insn *i = in->more;
    EACH_LANE(l, mask)
    {
        struct commit_call *c = malloc(sizeof *c);
        if (!c) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
        *c = (struct commit_call){emu_place_at(w, &i->barrier, l),
                                  i->multicast ? emu_u32(w, i->mask)[l] & 0xffff : 0};
        const struct emu_op op = {.run = run_commit,
                                  .drop = drop,
                                  .class = OP_TENSOR,
                                  .in = in,
                                  .lane = l,
                                  .group = w->tensor_open,
                                  .agent = emu_agent(w->cta, AGENT_TENSOR, w->index),
                                  .now = w->tensor_open + 1,
                                  .queue = queue_of(w),
                                  .data = c};
        const enum emu_step step = emu_issue(w, &op);
        w->tensor_open++;
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

bool decode_tcgen05_commit(struct decoder *d)
{
    struct commit_insn *i = dec_alloc(d, sizeof *i);
    if (!i || !one_cta(d) || !dec_has(d, "mbarrier::arrive::one")) return false;
    dec_space(d); // without one, programs pass a shared address all the same
    i->multicast = dec_has(d, "multicast::cluster");
    d->out->exec = commit;
    d->out->more = i;
    return dec_has(d, "b64") && dec_place(d, dec_operand(d), PTX_SHARED, &i->barrier) &&
           (!i->multicast || dec_source(d, PTX_U16, &i->mask));
}
