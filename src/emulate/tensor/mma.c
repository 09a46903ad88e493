// mma.sync: a warp's own product of 16 rows, 8 columns and some K, from registers to registers
// (PTX ISA, matrix fragments for mma.m16n8k*).
#include "emulate/tensor/tensor.h"

#include <string.h>

enum { ROWS = 16, COLS = 8, MOST_K = 64, EIGHT_K = 32 };

struct mma {
    enum tensor_type a_type, b_type;
    enum ptx_type d_type, c_type;
    uint32_t k, a_regs, b_regs;
    emu_at a[4], b[2], c[4], d[4];
    uint32_t d_regs, c_regs;
    bool saturates;
};

static void fragment(const struct emu_warp *w, const emu_at *reg, uint32_t regs, bool is_a,
                     enum tensor_type type, uint32_t k, double *out)
{
    const uint32_t bits = tensor_bits(type), per = 32 / bits, rows = is_a ? 2 : 1;
    for (uint32_t i = 0; i < regs; i++)
        for (uint32_t l = 0; l < LANES; l++)
            for (uint32_t e = 0; e < per; e++) {
                const uint32_t line = l / 4 + i % rows * 8;
                const uint32_t at = l % 4 * per + e + i / rows * 4 * per;
                const uint64_t v = (uint64_t)emu_u32(w, reg[i])[l] >> (e * bits);
                const double x = tensor_value(type, bits == 32 ? v : v & ((1u << bits) - 1));
                out[is_a ? line * k + at : at * COLS + line] = x;
            }
}

static void accumulators(const struct emu_warp *w, const emu_at *reg, uint32_t regs,
                         enum ptx_type type, bool store, double *d)
{
    const bool half = type == PTX_F16;
    for (uint32_t i = 0; i < regs; i++)
        for (uint32_t l = 0; l < LANES; l++)
            for (uint32_t e = 0; e < (half ? 2u : 1u); e++) {
                const uint32_t n = half ? 2 * i + e : i;
                double *x = &d[(l / 4 + n / 2 * 8) * COLS + l % 4 * 2 + n % 2];
                uint32_t *v = &emu_u32(w, reg[i])[l];
                if (!store)
                    *x = half              ? (double)emu_from_half(*v >> (16 * e) & 0xffff)
                         : type == PTX_S32 ? (double)(int32_t)*v
                                           : (double)emu_float(*v);
                else if (half)
                    *v = e ? (*v & 0xffff) | emu_to_half((float)*x) << 16 : emu_to_half((float)*x);
                else
                    *v = type == PTX_S32 ? (uint32_t)(int32_t)*x : emu_bits((float)*x);
            }
}

// Hopper has no mma.sync of 8-bit floats: two products of halves, of the first and the last two
// numbers of each register, then C is added. So an H200 leaves it, bit by bit.
static void by_halves(const struct tensor_product *p)
{
    double a[ROWS * EIGHT_K / 2], b[EIGHT_K / 2 * COLS], d[ROWS * COLS];
    struct tensor_product half = *p;
    half.type = half.b_type = TENSOR_F16;
    half.k = EIGHT_K / 2;
    half.a = a, half.b = b, half.d = d;
    for (uint32_t part = 0; part < 2; part++) {
        for (uint32_t k = 0; k < half.k; k++) {
            const uint32_t from = k / 2 * 4 + part * 2 + k % 2;
            for (uint32_t r = 0; r < ROWS; r++) a[r * half.k + k] = p->a[r * p->k + from];
            memcpy(b + (size_t)k * COLS, p->b + (size_t)from * COLS, COLS * sizeof *b);
        }
        half.adds = part > 0;
        tensor_multiply(&half);
    }
    for (uint32_t i = 0; i < ROWS * COLS; i++) {
        const float sum = (float)p->d[i] + (float)d[i];
        p->d[i] = (double)(sum == sum ? sum : emu_float(0x7fffffff));
    }
}

EXEC(mma)
{
    const struct mma *g = in->more;
    double a[ROWS * MOST_K], b[MOST_K * COLS], d[ROWS * COLS];
    enum emu_step step;
    (void)mask;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    fragment(w, g->a, g->a_regs, true, g->a_type, g->k, a);
    fragment(w, g->b, g->b_regs, false, g->b_type, g->k, b);
    accumulators(w, g->c, g->c_regs, g->c_type, false, d);
    const struct tensor_product p = {.rows = ROWS,
                                     .cols = COLS,
                                     .k = g->k,
                                     .adds = true,
                                     .integer = g->d_type == PTX_S32,
                                     .half_result = g->d_type == PTX_F16,
                                     .saturates = g->saturates,
                                     .type = g->a_type,
                                     .b_type = g->b_type,
                                     .arch = w->m->module->ptx.arch,
                                     .a = a,
                                     .b = b,
                                     .d = d};
    if (g->k == EIGHT_K && tensor_is_hopper(p.arch) && !p.integer)
        by_halves(&p);
    else
        tensor_multiply(&p);
    accumulators(w, g->d, g->d_regs, g->d_type, true, d);
    w->m->result.counts.multiplies++;
    w->m->result.counts.multiply_adds += (uint64_t)ROWS * COLS * g->k;
    return EMU_NEXT;
}

static bool element_type(struct decoder *d, enum tensor_type *out)
{
    for (uint32_t q = 0; q < d->words; q++)
        if (!(d->taken >> q & 1) && tensor_type_named(d->word[q], d->length[q], out)) {
            d->taken |= 1u << q;
            return true;
        }
    return false;
}

static bool registers(struct decoder *d, emu_at *out, uint32_t *count, uint32_t most, bool dest)
{
    const struct ptx_operand *o = dec_operand(d);
    const uint32_t n = !o ? 0 : o->kind == PTX_OP_VECTOR ? o->parts : 1;
    if (n == 0 || n > most) return dec_fail(d, "'%s' with %u registers", d->inst->op, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_operand *part = o->kind == PTX_OP_VECTOR ? &o->part[i] : o;
        if (!(dest ? dec_dest_of(d, part, 32, &out[i]) : dec_source_of(d, part, PTX_B32, &out[i])))
            return false;
    }
    *count = n;
    return true;
}

static bool types(struct decoder *d, struct mma *g)
{
    static const uint32_t ks[] = {4, 8, 16, 32, 64};
    const int k = dec_one_of(d, "m16n8k4|m16n8k8|m16n8k16|m16n8k32|m16n8k64");
    if (k < 0 || !dec_has(d, "row") || !dec_has(d, "col")) return false;
    g->k = ks[k];
    g->saturates = dec_has(d, "satfinite");
    dec_has(d, "kind::f8f6f4");
    g->d_type = dec_type(d);
    if (!element_type(d, &g->a_type) || !element_type(d, &g->b_type)) return false;
    g->c_type = dec_type(d);
    const uint32_t bits = tensor_bits(g->a_type);
    const bool integer = g->a_type >= TENSOR_S8 && g->a_type != TENSOR_F64;
    if (bits != tensor_bits(g->b_type) || bits > 32 || bits < 4 || g->c_type != g->d_type)
        return false;
    if (g->a_type >= TENSOR_E2M3 && g->a_type <= TENSOR_E2M1) return false;
    g->a_regs = ROWS * g->k * bits / 1024;
    g->b_regs = COLS * g->k * bits / 1024;
    return (g->d_type == PTX_S32 ? integer
                                 : !integer && (g->d_type == PTX_F32 || g->d_type == PTX_F16)) &&
           g->a_regs >= 1 && g->a_regs <= 4 && g->b_regs >= 1;
}

bool decode_mma(struct decoder *d)
{
    struct mma *g = dec_alloc(d, sizeof *g);
    uint32_t a, b;
    if (!g || !dec_has(d, "sync") || !dec_has(d, "aligned") || !types(d, g))
        return dec_fail(d, "'%s' has no such shape or type", d->inst->op);
    d->out->exec = mma;
    d->out->more = g;
    if (!registers(d, g->d, &g->d_regs, 4, true) || !registers(d, g->a, &a, 4, false) ||
        !registers(d, g->b, &b, 2, false) || !registers(d, g->c, &g->c_regs, 4, false))
        return false;
    const uint32_t sums = g->d_type == PTX_F16 ? 2 : 4;
    return (a == g->a_regs && b == g->b_regs && g->d_regs == sums && g->c_regs == sums) ||
           dec_fail(d, "'%s' with another number of registers", d->inst->op);
}
