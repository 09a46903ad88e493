// Products into tensor memory, and commits (tcgen05.mma, commit). Descriptors, instruction
// descriptor and layouts of the accumulator: PTX ISA 9.0, "5th generation TensorCore". No GPU was
// asked: every run that comes here is inferred.
#include "emulate/ops/small.h"
#include "emulate/protocol/record.h"
#include "emulate/tensor/mma_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- products

struct mma_call {
    uint64_t a, b;
    uint32_t d, descriptor, scale[2]; // of A and B
    uint32_t meta, lanes[2 * LANE_WORDS];
    uint64_t zeros;
    bool adds;
    struct emu_clock tensor; // what is known of tensor memory
};

struct tensor_view tensor_view(uint64_t d, uint32_t bits, bool mn_major)
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

struct scratch { // one CTA's rows, every column
    double a[TENSOR_ROWS * MOST_K], b[MOST_K * TENSOR_COLS], d[TENSOR_ROWS * TENSOR_COLS];
    double scale[TENSOR_COLS * MOST_BLOCKS], other[TENSOR_COLS * MOST_BLOCKS];
    double part[MOST_K * (TENSOR_COLS + MOST_SHIFT)];
};

// A row from copy `copy`.
static bool row_from_tensor(const struct emu_actor *actor, struct emu_cta *cta,
                            const struct mma_shape *s, uint32_t at, uint32_t lane, double *out)
{
    const uint32_t bits = s->a_bits, per = 32 / bits;
    const uint32_t *cell =
        tensor_cells(actor, cta, (at >> 16) + lane, at & 0xffff, s->a_k / per, EMU_READ);
    for (uint32_t k = 0; cell && k < s->a_k; k++) {
        const uint64_t v = (uint64_t)cell[k / per] >> (k % per * bits);
        const uint64_t number = bits == 32 ? v : v & ((1u << bits) - 1);
        out[k] = bits == 4 ? tensor_value(s->a, number) : tensor_contained(s->a, number);
    }
    return cell;
}

// .ashift: every row is the next one's, but the last.
static bool a_from_tensor(const struct emu_actor *actor, struct emu_cta *cta,
                          const struct mma_shape *s, uint32_t at, bool shifts, double *out)
{
    double other[MOST_K];
    for (uint32_t row = 0; row < s->m; row++) {
        const uint32_t from = shifts && row + 1 < s->m ? row + 1 : row;
        double *to = out + (size_t)row * s->a_k;
        if (!row_from_tensor(actor, cta, s, at, mma_lane(s, from), to)) return false;
        for (uint32_t copy = 1; copy < mma_copies(s); copy++) {
            if (!row_from_tensor(actor, cta, s, at, from + copy * s->m, other)) return false;
            if (!memcmp(to, other, sizeof *to * s->a_k)) continue;
            emu_fault(TMAP_EMULATE_ILLEGAL, actor->warp, actor->in, actor->lane, at,
                      "row %u of A is another on lane %u of tensor memory", row,
                      from + copy * s->m);
            return false;
        }
    }
    return true;
}

struct tensor_hands tensor_hands(const struct emu_op *op, const struct emu_clock *tensor)
{
    struct tensor_hands h = {.smem = {.agent = op->agent,
                                      .now = op->now,
                                      .proxy = PROXY_ASYNC,
                                      .clock = &op->clock,
                                      .warp = op->warp,
                                      .in = op->in,
                                      .lane = op->lane}};
    h.tensor = h.smem;
    h.tensor.proxy = PROXY_GENERIC;
    h.tensor.clock = tensor;
    h.tensor.fences = op->cta->m->launch->tensor_fences;
    return h;
}

// B's columns are the pair's, half of them in each CTA.
static bool read_b(const struct tensor_hands *h, struct emu_cta *const cta[2],
                   const struct mma_shape *s, const struct tensor_view *b, struct scratch *x)
{
    const uint32_t cols = s->n / s->ctas;
    if (s->ctas == 1) return tensor_read(&h->smem, cta[0], b, s->b, cols, s->k, true, x->b);
    for (uint32_t c = 0; c < 2; c++) {
        if (!tensor_read(&h->smem, cta[c], b, s->b, cols, s->k, true, x->part)) return false;
        for (uint32_t k = 0; k < s->k; k++)
            memcpy(&x->b[k * s->n + c * cols], &x->part[k * cols], sizeof *x->part * cols);
    }
    return true;
}

// .ws with a zero-column mask: columns from `shift` on, some of them zero.
static bool read_masked_b(const struct tensor_hands *h, struct emu_op *op, struct emu_cta *cta,
                          const struct mma_shape *s, const struct tensor_view *b, struct scratch *x)
{
    const struct mma_call *c = op->data;
    struct mma_zeros z;
    if (!mma_zero_columns(s, c->zeros, &z))
        return emu_fault(TMAP_EMULATE_ILLEGAL, op->warp, op->in, op->lane, c->zeros,
                         "zero-column mask descriptor 0x%016llx", (unsigned long long)c->zeros),
               false;
    const uint32_t cols = s->n + z.shift;
    if (!tensor_read(&h->smem, cta, b, s->b, cols, s->k, true, x->part)) return false;
    for (uint32_t k = 0; k < s->k; k++)
        for (uint32_t n = 0; n < s->n; n++)
            x->b[k * s->n + n] = z.zero[n] ? 0 : x->part[k * cols + n + z.shift];
    return true;
}

static bool operand_b(const struct tensor_hands *h, struct emu_op *op, struct emu_cta *const cta[2],
                      const struct mma_shape *s, struct scratch *x)
{
    const struct mma_insn *i = op->in->more;
    const struct mma_call *c = op->data;
    const struct tensor_view b = tensor_view(c->b, s->b_bits, s->b_mn);
    if (i->has_zeros ? !read_masked_b(h, op, cta[0], s, &b, x) : !read_b(h, cta, s, &b, x))
        return false;
    for (uint32_t e = 0; s->b_negated && e < s->n * s->k; e++) x->b[e] = -x->b[e];
    return true;
}

static bool read_a(const struct tensor_hands *h, struct emu_op *op, struct emu_cta *cta,
                   const struct mma_shape *s, double *out)
{
    const struct mma_insn *i = op->in->more;
    const struct mma_call *c = op->data;
    const struct tensor_view a = tensor_view(c->a, s->a_bits, s->a_mn);
    if (i->a_tensor ? !a_from_tensor(&h->tensor, cta, s, (uint32_t)c->a, i->shifts, out)
                    : !tensor_read(&h->smem, cta, &a, s->a, s->m, s->a_k, false, out))
        return false;
    for (uint32_t e = 0; s->a_negated && e < s->m * s->a_k; e++) out[e] = -out[e];
    return !s->sparse || mma_expand(&h->tensor, cta, s, c->meta, out);
}

// A swizzle that is not reserved, and the constant 1 in bits 46 to 48.
bool tensor_view_is_legal(const struct emu_op *op, uint64_t descriptor)
{
    const bool constant = (descriptor >> 46 & 7) == 1;
    if (constant && tensor_view(descriptor, 8, false).swizzle >= 0) return true;
    emu_fault(TMAP_EMULATE_ILLEGAL, op->warp, op->in, op->lane, descriptor,
              constant ? "matrix descriptor 0x%016llx with a reserved swizzle"
                       : "matrix descriptor 0x%016llx without the constant 1 in bits 46 to 48",
              (unsigned long long)descriptor);
    return false;
}

static bool matrices_are_legal(struct emu_op *op)
{
    const struct mma_insn *i = op->in->more;
    const struct mma_call *c = op->data;
    return (i->a_tensor || tensor_view_is_legal(op, c->a)) && tensor_view_is_legal(op, c->b);
}

// disable-output-lane: a bit for each lane, the first CTA's and then, of a pair, its peer's.
static bool keeps_lane(const struct mma_insn *i, const struct mma_call *c,
                       const struct emu_cta *cta, uint32_t lane)
{
    const uint32_t first = i->lane_words > LANE_WORDS ? (cta->rank & 1) * LANE_WORDS : 0;
    return i->lane_words && c->lanes[first + lane / 32 % LANE_WORDS] >> lane % 32 & 1;
}

static double sum_in(const struct mma_shape *s, uint32_t cell)
{
    if (s->integer) return (double)(int32_t)cell;
    return s->half ? (double)emu_from_half(cell & 0xffff) : (double)emu_float(cell);
}

static uint32_t sum_out(const struct mma_shape *s, double d, uint32_t before)
{
    if (s->integer) return (uint32_t)(int32_t)d;
    return s->half ? (before & 0xffff0000) | emu_to_half((float)d) : emu_bits((float)d);
}

static bool accumulate(const struct tensor_hands *h, struct emu_op *op, struct emu_cta *cta,
                       const struct mma_shape *s, struct scratch *x, bool store)
{
    const struct mma_insn *insn = op->in->more;
    const struct mma_call *c = op->data;
    const uint32_t runs = mma_runs(s), cols = s->n / runs;
    for (uint32_t i = 0; i < s->m * runs; i++) {
        const uint32_t row = i % s->m, run = i / s->m;
        const uint32_t lane = (c->d >> 16) + mma_lane(s, row) + run * s->m;
        if (keeps_lane(insn, c, cta, lane)) {
            memset(&x->d[row * s->n + run * cols], 0, sizeof *x->d * cols);
            continue;
        }
        uint32_t *cell =
            tensor_cells(&h->tensor, cta, lane, c->d & 0xffff, cols, store ? EMU_WRITE : EMU_READ);
        if (!cell) return false;
        if (store && cta->m->watch.record)
            emu_note_touch(op->warp, op->in, ACT_SUM, cta, c->d & 0xffff, cols);
        for (uint32_t n = 0; n < cols; n++) {
            double *d = &x->d[row * s->n + run * cols + n];
            if (store)
                cell[n] = sum_out(s, *d, cell[n]);
            else
                *d = ldexp(sum_in(s, cell[n]), -(int)insn->d_halvings);
        }
    }
    return true;
}

// A's rows times their scale factors, or B's columns, which every CTA of a pair has for all of
// them.
static bool scale_operand(const struct tensor_hands *h, struct emu_op *op, struct emu_cta *cta,
                          const struct mma_shape *s, struct scratch *x, bool is_a, double *m)
{
    const struct mma_call *c = op->data;
    const uint32_t place = c->scale[!is_a], rows = is_a ? s->m : s->n;
    const struct tensor_scaling how = {
        .blocks = s->blocks, .id = s->scale_id[!is_a], .column = place & 0xffff, .ue4m3 = s->ue4m3};
    // Some compilers keep the byte in the address's two uppermost bits.
    if (place >> 16 & 0x3fff)
        return emu_fault(TMAP_EMULATE_ILLEGAL, op->warp, op->in, op->lane, place,
                         "scale factors of %c begin at lane %u of tensor memory, not at its first",
                         is_a ? 'A' : 'B', place >> 16 & 0x3fff),
               false;
    if (!tensor_scales(&h->tensor, cta, &how, rows, x->scale)) return false;
    (is_a ? tensor_scale_rows : tensor_scale_columns)(x->scale, s->blocks, rows, s->k, m);
    return true;
}

// Of a pair both CTAs have B's scale factors, of all columns.
static bool same_scales(const struct tensor_hands *h, struct emu_op *op, struct emu_cta *peer,
                        const struct mma_shape *s, struct scratch *x)
{
    const struct mma_call *c = op->data;
    const struct tensor_scaling how = {s->blocks, s->scale_id[1], c->scale[1] & 0xffff, s->ue4m3};
    if (!tensor_scales(&h->tensor, peer, &how, s->n, x->other)) return false;
    if (!memcmp(x->other, x->scale, sizeof *x->other * s->n * s->blocks)) return true;
    emu_fault(TMAP_EMULATE_ILLEGAL, op->warp, op->in, op->lane, c->scale[1],
              "the CTAs of a pair have other scale factors of B");
    return false;
}

static bool scaled_b(const struct tensor_hands *h, struct emu_op *op, struct emu_cta *const cta[2],
                     const struct mma_shape *s, struct scratch *x)
{
    return scale_operand(h, op, cta[0], s, x, false, x->b) &&
           (s->ctas == 1 || same_scales(h, op, cta[1], s, x));
}

// The rows of one CTA.
static bool multiply(struct emu_machine *m, const struct tensor_hands *h, struct emu_op *op,
                     struct emu_cta *cta, const struct mma_shape *s, struct scratch *x)
{
    const struct mma_call *c = op->data;
    if (!read_a(h, op, cta, s, x->a) || (c->adds && !accumulate(h, op, cta, s, x, false)) ||
        (s->blocks && !scale_operand(h, op, cta, s, x, true, x->a)))
        return false;
    const struct tensor_product p = {.rows = s->m,
                                     .cols = s->n,
                                     .k = s->k,
                                     .adds = c->adds,
                                     .integer = s->integer,
                                     .half_result = s->half,
                                     .saturates = s->saturates,
                                     .type = s->a,
                                     .arch = m->module->ptx.arch,
                                     .a = x->a,
                                     .b = x->b,
                                     .d = x->d};
    tensor_multiply(&p);
    m->result.counts.multiply_adds += (uint64_t)s->m * s->n * s->k;
    return accumulate(h, op, cta, s, x, true);
}

static bool run_mma(struct emu_machine *m, struct emu_op *op)
{
    const struct mma_insn *i = op->in->more;
    const struct mma_call *c = op->data;
    struct mma_shape s;
    struct scratch *x = malloc(sizeof *x);
    if (!x) return m->status = TMAP_E_MEMORY, m->stop = true, true;
    const struct tensor_hands h = tensor_hands(op, &c->tensor);
    // The pair's even CTA has the first rows and columns.
    struct emu_cta *const first = &op->cta->cluster->cta[op->cta->rank & ~1u];
    struct emu_cta *const pair[2] = {first, first + 1}, *const own[2] = {op->cta, NULL};
    if (!mma_shape_of(i, c->descriptor, m->module->ptx.arch, &s)) {
        emu_fault(TMAP_EMULATE_ILLEGAL, op->warp, op->in, op->lane, c->descriptor,
                  "instruction descriptor 0x%08x", c->descriptor);
    } else if (matrices_are_legal(op) && (s.ctas == 1 || tensor_peer(op->warp, op->in, op->lane))) {
        struct emu_cta *const *cta = s.ctas == 2 ? pair : own;
        if (operand_b(&h, op, cta, &s, x) && (!s.blocks || scaled_b(&h, op, cta, &s, x)))
            for (uint32_t n = 0; n < s.ctas && multiply(m, &h, op, cta[n], &s, x); n++) continue;
    }
    free(x);
    return true;
}

static void drop_mma(struct emu_op *op)
{
    struct mma_call *c = op->data;
    emu_clock_free(op->cta->m, &c->tensor);
    free(c);
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

enum emu_step tensor_issue(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                           bool (*run)(struct emu_machine *, struct emu_op *),
                           void (*drop_data)(struct emu_op *), void *data)
{
    const struct emu_op op = {.run = run,
                              .drop = drop_data,
                              .class = OP_TENSOR,
                              .in = in,
                              .lane = lane,
                              .group = w->tensor_open,
                              .agent = emu_agent(w->cta, AGENT_TENSOR, w->index),
                              .now = w->tensor_open + 1,
                              .queue = queue_of(w),
                              .data = data};
    return emu_issue(w, &op);
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
        for (int n = 0; i->block && n < 2; n++)
            c->scale[n] = emu_u32(w, i->scale_place[n])[l] + (uint32_t)i->scale_plus[n];
        if (i->sparse) c->meta = emu_u32(w, i->meta)[l] + (uint32_t)i->meta_plus;
        if (i->has_zeros) c->zeros = emu_u64(w, i->zeros)[l];
        for (uint32_t n = 0; n < i->lane_words; n++) c->lanes[n] = emu_u32(w, i->lanes[n])[l];
        tensor_issue_clock(w, &c->tensor);
        w->m->result.counts.multiplies++;
        const enum emu_step step = tensor_issue(w, in, l, run_mma, drop_mma, c);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

bool tensor_place(struct decoder *d, const struct ptx_operand *o, emu_at *at, int64_t *plus)
{
    d->out->flags = 0;
    return o && dec_address_of(d, o, PTX_PARAM, at, plus) &&
           (!(d->out->flags & DEC_WIDE_ADDRESS) || dec_fail(d, "an address of 64 bits"));
}

// Blocks of 32 numbers, or of 16: what each kind allows, and whether it has to be said.
static bool scale_block(struct decoder *d, struct mma_insn *i)
{
    const int size = dec_one_of(d, "scale_vec::1X|scale_vec::2X|scale_vec::4X|block32|block16");
    if (i->kind < KIND_MXF8F6F4) return size < 0 || dec_fail(d, "'%s' has no scales", d->inst->op);
    const bool sixteen = size == 2 || size == 4, plain = size < 0 || size == 3;
    const bool eight = i->kind == KIND_MXF8F6F4;
    i->block = sixteen ? 16 : 32;
    if (!dec_has(d, "block_scale")) return dec_fail(d, "'%s' without .block_scale", d->inst->op);
    return (i->kind == KIND_MXF4NVF4 ? size > 0 : plain || size == (eight ? 0 : 1)) ||
           dec_fail(d, "'%s' has no such size of blocks", d->inst->op);
}

// How long operands stay in the tensor core changes no number: A's, or of .ws one of four of B's.
// .ashift goes with neither ::fill nor ::use.
static bool collectors(struct decoder *d, const struct mma_insn *i)
{
    static const char buffers[][4] = {"a", "b0", "b1", "b2", "b3"};
    static const char *const use[] = {"fill", "use", "lastuse", "discard"};
    char text[32];
    for (uint32_t n = i->stationary; n < (i->stationary ? 5 : 1); n++)
        for (uint32_t u = 0; u < 4; u++) {
            snprintf(text, sizeof text, "collector::%s::%s", buffers[n], use[u]);
            if (!dec_has(d, text)) continue;
            return !i->shifts || u > 1 ||
                   dec_fail(d, "'%s' both fills or uses A and shifts it", d->inst->op);
        }
    return true;
}

static bool kind_and_form(struct decoder *d, struct mma_insn *i)
{
    i->stationary = dec_has(d, "ws");
    i->sparse = dec_has(d, "sp");
    i->shifts = dec_has(d, "ashift");
    if (!tensor_group(d, &i->ctas)) return false;
    const int kind = dec_one_of(d, "kind::f16|kind::tf32|kind::f8f6f4|kind::i8|kind::mxf8f6f4|"
                                   "kind::mxf4|kind::mxf4nvf4");
    if (kind < 0) return dec_fail(d, "'%s' is not supported", d->inst->op);
    i->kind = (enum mma_kind)kind;
    if (i->stationary && (i->ctas == 2 || i->kind >= KIND_MXF8F6F4 || i->shifts))
        return dec_fail(d, "'%s': there is no such weight-stationary form", d->inst->op);
    if (i->shifts && i->kind >= KIND_MXF8F6F4)
        return dec_fail(d, "'%s': A with scales is not shifted", d->inst->op);
    return scale_block(d, i) && collectors(d, i);
}

static bool operand_a(struct decoder *d, struct mma_insn *i)
{
    const struct ptx_operand *a = dec_operand(d);
    if (!a) return false;
    i->a_tensor = a->kind == PTX_OP_MEM;
    if (i->shifts && !i->a_tensor) return dec_fail(d, "A is shifted in tensor memory alone");
    return i->a_tensor ? tensor_place(d, a, &i->a_place, &i->a_plus)
                       : dec_source_of(d, a, PTX_B64, &i->a);
}

// { disable-output-lane }: four words, of a pair eight; not of .ws, nor with scales.
static bool disabled_lanes(struct decoder *d, struct mma_insn *i)
{
    const struct ptx_operand *o = dec_operand(d);
    if (!o) return false;
    if (o->kind != PTX_OP_VECTOR) return d->next--, true;
    if (i->stationary || i->block || o->parts != i->ctas * LANE_WORDS)
        return dec_fail(d, "'%s' with %u words of lanes", d->inst->op, o->parts);
    for (; i->lane_words < o->parts; i->lane_words++)
        if (!dec_source_of(d, &o->part[i->lane_words], PTX_B32, &i->lanes[i->lane_words]))
            return false;
    return true;
}

// scale-input-d, or of .ws the zero-column mask descriptor.
static bool last_operand(struct decoder *d, struct mma_insn *i)
{
    int64_t halvings;
    if (!dec_more(d)) return true;
    i->has_zeros = i->stationary;
    if (i->has_zeros) return dec_source(d, PTX_B64, &i->zeros);
    if (!dec_immediate(d, &halvings)) return false;
    i->d_halvings = (uint32_t)halvings;
    return (i->kind <= KIND_TF32 && halvings >= 0 && halvings <= 15) ||
           dec_fail(d, "'%s' scales D by %lld", d->inst->op, (long long)halvings);
}

bool decode_tcgen05_mma(struct decoder *d)
{
    struct mma_insn *i = dec_alloc(d, sizeof *i);
    if (!i || !kind_and_form(d, i)) return false;
    d->out->exec = mma;
    d->out->more = i;
    if (!tensor_place(d, dec_operand(d), &i->d, &i->d_plus) || !operand_a(d, i) ||
        !dec_source(d, PTX_B64, &i->b))
        return false;
    if (i->sparse && !tensor_place(d, dec_operand(d), &i->meta, &i->meta_plus)) return false;
    if (!dec_source(d, PTX_B32, &i->descriptor) || !disabled_lanes(d, i)) return false;
    for (int n = 0; i->block && n < 2; n++)
        if (!tensor_place(d, dec_operand(d), &i->scale_place[n], &i->scale_plus[n])) return false;
    return dec_predicate(d, &i->enable, &i->not_enable) && last_operand(d, i);
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
        if (!b || !emu_barrier_lacks(op->warp, op->in, op->lane, b, 1)) return true;
        NOTE(op->warp, op->in, .op = ACT_COMMIT, .barrier_cta = (uint8_t)where_->rank,
             .barrier = b->offset);
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
        const enum emu_step step = tensor_issue(w, in, l, run_commit, drop, c);
        w->tensor_open++;
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

bool decode_tcgen05_commit(struct decoder *d)
{
    struct commit_insn *i = dec_alloc(d, sizeof *i);
    uint32_t ctas;
    if (!i || !tensor_group(d, &ctas) || !dec_has(d, "mbarrier::arrive::one")) return false;
    dec_space(d); // without one, programs pass a shared address all the same
    i->multicast = dec_has(d, "multicast::cluster");
    d->out->exec = commit;
    d->out->more = i;
    return dec_has(d, "b64") && dec_place(d, dec_operand(d), PTX_SHARED, &i->barrier) &&
           (!i->multicast || dec_source(d, PTX_U16, &i->mask));
}
