// wgmma: a warpgroup's asynchronous products. Each warp multiplies its own 16 rows when its time
// comes: operands and accumulators are read as late as the group that is waited for allows. A group
// is the warpgroup's: who waits for it waits for the work of all four warps (CUTLASS gives a slot
// back by one thread of them).
#include "emulate/protocol/record.h"
#include "emulate/tensor/panel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARP_ROWS = PANEL_ROWS, CORE_ROWS = 8, GROUP_WARPS = 4 };

struct wgmma {
    uint32_t n, k;
    enum tensor_type a_type, b_type;
    enum ptx_type d_type;
    bool a_registers, a_mn, b_mn, a_negated, b_negated, saturates, not_scale;
    emu_at a_descriptor, b_descriptor, scale;
    emu_at a[4];
    uint32_t scale_immediate; // 1 + value; 0: a predicate
};

static uint32_t leader(const struct emu_warp *w)
{
    return w->index / GROUP_WARPS * GROUP_WARPS;
}

struct call {
    uint64_t a, b;
    bool adds;
};

// Two columns in a register of halves: four registers' lanes are eight neighbours.
static void halves(uint32_t *v, union panel_cell *d, bool store)
{
    for (uint32_t q = 0; q < 4; q++)
        if (store) {
            v[q] = emu_to_half(d[q].f) | emu_to_half(d[q + 4].f) << 16;
        } else {
            d[q].f = emu_from_half(v[q] & 0xffff);
            d[q + 4].f = emu_from_half(v[q] >> 16);
        }
}

// Eight rows of four numbers.
static inline void core_rows(uint32_t *v, union panel_cell *d, uint32_t pitch, bool store)
{
    for (uint32_t r = 0; r < CORE_ROWS; r++, v += 4, d += pitch)
        memcpy(store ? (void *)v : d, store ? (void *)d : v, 4 * sizeof *v);
}

// A row's accumulators: four lanes of each register are neighbours in panel_column()'s order.
static void move_d(const struct emu_warp *w, const struct emu_insn *in, const struct wgmma *g,
                   union panel_cell *d, bool store)
{
    const bool half = g->d_type == PTX_F16;
    const uint32_t pitch = panel_pitch(g->n);
    for (uint32_t i = 0; i < in->lists; i++) {
        const uint32_t high = half ? i & 1 : i >> 1 & 1;
        const uint32_t first = half ? i / 2 * 8 : (i / 4 * 2 + (i & 1)) * 4;
        uint32_t *v = emu_u32(w, in->list[i]);
        union panel_cell *to = d + (size_t)high * CORE_ROWS * pitch + first;
        for (uint32_t r = 0; half && r < CORE_ROWS; r++)
            halves(v + (size_t)r * 4, to + (size_t)r * pitch, store);
        if (half) continue;
        if (store)
            core_rows(v, to, pitch, true);
        else
            core_rows(v, to, pitch, false);
    }
}

// Fragments of A: each register has the four bytes of one row.
static void registers_a(const struct emu_warp *w, const struct wgmma *g, uint8_t *raw)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t l = 0; l < LANES; l++)
            memcpy(raw + (l / 4 + (i & 1) * CORE_ROWS) * PANEL_K_BYTES + l % 4 * 4 + i / 2 * 16,
                   &emu_u32(w, g->a[i])[l], 4);
}

// Of one operation at a time; too large to be asked for each time.
struct emu_scratch {
    struct panel a;
    uint8_t raw[PANEL_CELLS];
    union panel_cell d[WARP_ROWS * TENSOR_COLS];
};

// 16 rows further: two groups, or along the span of M.
static struct tensor_view rows_of_warp(const struct wgmma *g, const struct call *c, uint32_t warp)
{
    struct tensor_view a = tensor_wgmma_view(c->a, tensor_bits(g->a_type), g->a_mn);
    const uint32_t first = warp % GROUP_WARPS * WARP_ROWS, step = first * a.bits / 8;
    const uint32_t width = a.swizzle == TMAP_SWIZZLE_128B  ? 128
                           : a.swizzle == TMAP_SWIZZLE_64B ? 64
                                                           : 32;
    if (!a.mn_major)
        a.start += first / CORE_ROWS * a.stride;
    else if (a.swizzle == TMAP_SWIZZLE_NONE)
        a.start += step / 16 * a.stride;
    else
        a.start += step / width * a.lead + step % width;
    return a;
}

static bool read_a(const struct emu_actor *actor, struct emu_op *op, const struct wgmma *g,
                   const struct call *c, struct panel *a)
{
    const struct tensor_view view = rows_of_warp(g, c, op->warp->index);
    a->type = g->a_type;
    a->mn_major = !g->a_registers && g->a_mn;
    a->lines = a->mn_major ? g->k : WARP_ROWS;
    a->length = a->mn_major ? WARP_ROWS : g->k;
    if (g->a_registers)
        registers_a(op->warp, g, a->raw);
    else if (!tensor_pieces(actor, op->cta, &view, WARP_ROWS, g->k, a->raw))
        return false;
    panel_decode(a, WARP_ROWS, g->k, false);
    for (uint32_t i = 0; g->a_negated != g->b_negated && i < WARP_ROWS * g->k; i++)
        a->value[i] = -a->value[i];
    return true;
}

static const struct panel *operands(struct emu_machine *m, struct emu_op *op, const struct wgmma *g,
                                    const struct call *c, struct emu_scratch *s)
{
    const struct emu_actor actor = {.agent = emu_agent(op->cta, AGENT_TENSOR, leader(op->warp)),
                                    .now = op->now,
                                    .proxy = PROXY_ASYNC,
                                    .clock = &op->clock,
                                    .warp = op->warp,
                                    .in = op->in,
                                    .lane = op->lane};
    const struct tensor_view view = tensor_wgmma_view(c->b, tensor_bits(g->b_type), g->b_mn);
    if (!tensor_pieces(&actor, op->cta, &view, g->n, g->k, s->raw)) return NULL;
    const struct panel *b = panel_of(m, g->b_type, g->n, g->k, g->b_mn, s->raw);
    if (!b) m->status = TMAP_E_MEMORY, m->stop = true;
    return b && read_a(&actor, op, g, c, &s->a) ? b : NULL;
}

// Numbers that are far from each other, infinities and NaN among them: in double precision.
static bool multiply_far(const struct emu_machine *m, const struct panel_product *q)
{
    struct {
        double a[WARP_ROWS * PANEL_K_BYTES], b[PANEL_CELLS], d[WARP_ROWS * TENSOR_COLS];
    } *s = malloc(sizeof *s);
    const uint32_t pitch = panel_pitch(q->n);
    if (!s) return false;
    for (uint32_t i = 0; i < WARP_ROWS * q->k; i++) s->a[i] = (double)q->a->value[i];
    for (uint32_t i = 0; i < pitch * q->k; i++) s->b[i] = (double)q->b->value[i];
    for (uint32_t i = 0; i < WARP_ROWS * pitch; i++) s->d[i] = (double)q->d[i].f;
    const struct tensor_product p = {.rows = WARP_ROWS,
                                     .cols = pitch,
                                     .k = q->k,
                                     .adds = true,
                                     .half_result = q->half_result,
                                     .type = q->a->type,
                                     .b_type = q->b->type,
                                     .arch = m->module->ptx.arch,
                                     .a = s->a,
                                     .b = s->b,
                                     .d = s->d};
    tensor_multiply(&p);
    for (uint32_t i = 0; i < WARP_ROWS * pitch; i++) q->d[i].f = (float)s->d[i];
    free(s);
    return true;
}

static bool run_wgmma(struct emu_machine *m, struct emu_op *op)
{
    const struct wgmma *g = op->in->more;
    const struct call *c = op->data;
    if (!m->scratch) m->scratch = malloc(sizeof *m->scratch);
    struct emu_scratch *s = m->scratch;
    if (!s) return m->status = TMAP_E_MEMORY, m->stop = true, true;
    const struct panel *b = operands(m, op, g, c, s);
    if (b) {
        const struct panel_product p = {.n = g->n,
                                        .k = g->k,
                                        .half_result = g->d_type == PTX_F16,
                                        .saturates = g->saturates,
                                        .a = &s->a,
                                        .b = b,
                                        .d = s->d};
        if (!c->adds || panel_pitch(g->n) != g->n)
            memset(s->d, 0, sizeof *s->d * WARP_ROWS * panel_pitch(g->n));
        if (c->adds) move_d(op->warp, op->in, g, s->d, false);
        if (!panel_multiply(&p) && !multiply_far(m, &p)) m->status = TMAP_E_MEMORY, m->stop = true;
        move_d(op->warp, op->in, g, s->d, true);
        m->result.counts.multiply_adds += (uint64_t)WARP_ROWS * g->n * g->k;
    }
    return true;
}

static void drop(struct emu_op *op)
{
    free(op->data);
}

// The lanes of this warp; of the other three that its CTA has them.
static bool group_together(struct emu_warp *w, const struct emu_insn *in, enum emu_step *step)
{
    if (leader(w) + GROUP_WARPS <= w->cta->warps) return emu_together(w, in, 0, step);
    *step = emu_fault(TMAP_EMULATE_CONVERGED, w, in, (uint32_t)emu_lane(emu_here(w)->mask), 0,
                      "%s is for four warps, and from warp %u on the CTA has only %u", in->name,
                      leader(w), w->cta->warps - leader(w));
    return false;
}

EXEC(wgmma)
{
    const struct wgmma *g = in->more;
    enum emu_step step;
    if (!group_together(w, in, &step)) return step;
    struct call *c = malloc(sizeof *c);
    if (!c) return w->m->status = TMAP_E_MEMORY, w->m->stop = true, EMU_STOP;
    *c = (struct call){.a = g->a_registers ? 0 : emu_u64(w, g->a_descriptor)[emu_lane(mask)],
                       .b = emu_u64(w, g->b_descriptor)[emu_lane(mask)]};
    c->adds = g->scale_immediate ? g->scale_immediate - 1
                                 : ((emu_pred(w, g->scale) >> emu_lane(mask)) & 1) != g->not_scale;
    if (w->index % GROUP_WARPS == 0) w->m->result.counts.multiplies++;
    const struct emu_op op = {.run = run_wgmma,
                              .drop = drop,
                              .class = OP_TENSOR,
                              .in = in,
                              .lane = (uint32_t)emu_lane(mask),
                              .group = w->tensor_open,
                              .now = w->tensor_open + 1,
                              .queue = (uint64_t)w->cta->number * w->m->warps + w->index + 1,
                              .data = c};
    return emu_issue(w, &op);
}

// --- decoding

static bool shape(struct decoder *d, struct wgmma *g)
{
    char text[16];
    for (g->n = 8; g->n <= TENSOR_COLS; g->n += 8)
        for (g->k = 8; g->k <= TENSOR_K; g->k *= 2) {
            snprintf(text, sizeof text, "m64n%uk%u", g->n, g->k);
            if (dec_has(d, text)) return true;
        }
    return false;
}

// Sums that are whole numbers alone saturate, and of more than 32 columns have N by 16.
static bool types(struct decoder *d, struct wgmma *g)
{
    enum tensor_type *const slot[] = {&g->a_type, &g->b_type};
    g->d_type = dec_type(d);
    for (int i = 0; i < 2; i++) {
        bool found = false;
        for (uint32_t q = 0; q < d->words && !found; q++)
            if (!(d->taken >> q & 1) && tensor_type_named(d->word[q], d->length[q], slot[i])) {
                d->taken |= 1u << q;
                found = true;
            }
        if (!found) return false;
    }
    g->saturates = dec_has(d, "satfinite");
    const bool whole = g->d_type == PTX_S32;
    const uint32_t bits = tensor_bits(g->a_type);
    if (whole ? g->n > 32 && g->n % 16 : g->saturates) return false;
    if (tensor_width(g->a_type) < 8 || tensor_width(g->b_type) < 8 ||
        tensor_bits(g->b_type) != bits || g->k * bits != 0x100)
        return false;
    return tensor_types_meet(g->a_type, g->b_type, g->d_type);
}

static bool sign(struct decoder *d, bool *negated)
{
    int64_t v;
    if (!dec_immediate(d, &v)) return false;
    *negated = v == -1;
    return v == 1 || v == -1 || dec_fail(d, "a scale of %lld", (long long)v);
}

static bool flag(struct decoder *d, bool *out)
{
    int64_t v;
    if (!dec_immediate(d, &v)) return false;
    *out = v == 1;
    return v == 0 || v == 1 || dec_fail(d, "a flag of %lld", (long long)v);
}

static bool scale(struct decoder *d, struct wgmma *g)
{
    const struct ptx_operand *o = dec_operand(d);
    if (!o) return false;
    if (o->kind == PTX_OP_INT) {
        g->scale_immediate = 1 + (o->value != 0);
        return true;
    }
    d->next--;
    return dec_predicate(d, &g->scale, &g->not_scale);
}

static bool multiplicands(struct decoder *d, struct wgmma *g)
{
    const struct ptx_operand *a = dec_operand(d);
    if (!a) return false;
    g->a_registers = a->kind == PTX_OP_VECTOR;
    if (g->a_registers) {
        if (a->parts != 4) return dec_fail(d, "wgmma with %u registers of A", a->parts);
        for (int i = 0; i < 4; i++)
            if (!dec_source_of(d, &a->part[i], PTX_B32, &g->a[i])) return false;
    } else if (!dec_source_of(d, a, PTX_B64, &g->a_descriptor)) {
        return false;
    }
    return dec_source(d, PTX_B64, &g->b_descriptor);
}

bool decode_wgmma(struct decoder *d)
{
    struct wgmma *g = dec_alloc(d, sizeof *g);
    if (!g || !dec_has(d, "sync") || !dec_has(d, "aligned")) return false;
    if (!shape(d, g) || !types(d, g))
        return dec_fail(d, "'%s' has no such shape or type", d->inst->op);
    d->out->exec = wgmma;
    d->out->more = g;
    const struct ptx_operand *list = dec_operand(d);
    if (!list || !dec_list(d, list, PTX_B32, true)) return false;
    for (uint32_t i = 0; i < d->out->lists; i++)
        if (d->out->wide[i]) return dec_fail(d, "accumulators of 64 bits");
    if (d->out->lists != g->n / (g->d_type == PTX_F16 ? 4 : 2))
        return dec_fail(d, "wgmma with %u accumulators", d->out->lists);
    if (!multiplicands(d, g) || !scale(d, g)) return false;
    if (g->d_type == PTX_S32) return true;
    if (!sign(d, &g->a_negated) || !sign(d, &g->b_negated)) return false;
    if (tensor_bits(g->a_type) != 16) return true;
    return (g->a_registers || flag(d, &g->a_mn)) && flag(d, &g->b_mn);
}

EXEC(commit)
{
    enum emu_step step;
    (void)mask;
    if (!group_together(w, in, &step)) return step;
    w->tensor_open++;
    w->cta->tensor_steps++;
    NOTE(w, in, .op = ACT_GROUP);
    emu_something(w->cta->cluster);
    return EMU_NEXT;
}

EXEC(wait)
{
    enum emu_step step;
    (void)mask;
    if (!group_together(w, in, &step)) return step;
    const int64_t last = (int64_t)w->tensor_open - 1 - in->imm;
    if (last < 0) return EMU_NEXT;
    for (uint32_t i = leader(w); i < leader(w) + GROUP_WARPS; i++) {
        const struct emu_warp *other = &w->cta->warp[i];
        if ((other->live && (int64_t)other->tensor_open <= last) ||
            emu_pending(other, OP_TENSOR, UINT32_MAX, last, false))
            return emu_watch_for(w, WAIT_TENSOR, 0, 0, &w->cta->tensor_steps);
    }
    emu_observe(w, emu_agent(w->cta, AGENT_TENSOR, leader(w)), (uint32_t)last + 1);
    NOTE(w, in, .op = ACT_GROUPS_DONE, .value = (uint32_t)in->imm);
    return EMU_NEXT;
}

EXEC(order)
{
    enum emu_step step;
    (void)mask;
    return group_together(w, in, &step) ? EMU_NEXT : step;
}

static bool aligned(struct decoder *d, emu_exec *exec)
{
    d->out->exec = exec;
    return dec_has(d, "sync") && dec_has(d, "aligned");
}

bool decode_wgmma_fence(struct decoder *d)
{
    return aligned(d, order);
}
bool decode_wgmma_commit(struct decoder *d)
{
    return aligned(d, commit);
}
bool decode_wgmma_wait(struct decoder *d)
{
    return aligned(d, wait) && dec_groups(d);
}
