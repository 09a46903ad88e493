// mma.sync: a warp's own product of 16 rows, 8 columns and some K, from registers to registers
// (PTX ISA, matrix fragments for mma.m16n8k*).
#include "emulate/tensor/tensor.h"

#include <string.h>

enum { ROWS = 16, COLS = 8, MOST_K = 64, EIGHT_K = 32, MOST_BLOCKS = 4 };

// Scale factors of A or B: words of some lanes, and selectors of which (PTX ISA, "block scaling for
// mma.sync").
struct scales {
    emu_at word, byte, thread;
};

struct mma {
    enum tensor_type a_type, b_type;
    enum ptx_type d_type, c_type;
    uint32_t k, a_regs, b_regs;
    emu_at a[4], b[2], c[4], d[4];
    uint32_t d_regs, c_regs;
    bool saturates, four; // four: numbers of 4 bits are packed
    uint32_t blocks;      // that have scale factors of their own; 0: none
    bool ue4m3;
    struct scales scale[2]; // of A and B
};

static uint32_t bits_of(const struct mma *g, enum tensor_type type)
{
    return g->four ? 4 : tensor_bits(type);
}

// 64 numbers of 16 bits: a register's lanes.
IN_VECTORS static void widen(const uint32_t *restrict v, bool brain, double *restrict out)
{
    uint16_t bits[2 * LANES];
    memcpy(bits, v, sizeof bits);
    if (brain)
        for (int i = 0; i < 2 * LANES; i++) out[i] = (double)emu_float((uint32_t)bits[i] << 16);
    else
        for (int i = 0; i < 2 * LANES; i++) out[i] = (double)emu_from_half(bits[i]);
}

// A register has eight neighbours along K of each of eight rows of A or columns of B.
static void fragment_16(const struct emu_warp *w, const struct mma *g, bool is_a, double *out)
{
    const bool brain = (is_a ? g->a_type : g->b_type) == TENSOR_BF16;
    double some[2 * LANES];
    for (uint32_t i = 0; i < (is_a ? g->a_regs : g->b_regs); i++) {
        widen(emu_u32(w, is_a ? g->a[i] : g->b[i]), brain, some);
        for (uint32_t l = 0; is_a && l < 8; l++)
            memcpy(out + (size_t)(l + i % 2 * 8) * g->k + (size_t)i / 2 * 8, some + (size_t)l * 8,
                   8 * sizeof *some);
        for (uint32_t l = 0; !is_a && l < 8; l++)
            for (uint32_t k = 0; k < 8; k++) out[(i * 8 + k) * COLS + l] = some[l * 8 + k];
    }
}

static void fragment(const struct emu_warp *w, const struct mma *g, bool is_a, double *out)
{
    const emu_at *reg = is_a ? g->a : g->b;
    const enum tensor_type type = is_a ? g->a_type : g->b_type;
    const uint32_t regs = is_a ? g->a_regs : g->b_regs, k = g->k;
    const uint32_t bits = bits_of(g, type), per = 32 / bits, rows = is_a ? 2 : 1;
    if (type == TENSOR_BF16 || type == TENSOR_F16) {
        fragment_16(w, g, is_a, out);
        return;
    }
    for (uint32_t i = 0; i < regs; i++)
        for (uint32_t l = 0; l < LANES; l++)
            for (uint32_t e = 0; e < per; e++) {
                const uint32_t line = l / 4 + i % rows * 8;
                const uint32_t at = l % 4 * per + e + i / rows * 4 * per;
                const uint64_t v = (uint64_t)emu_u32(w, reg[i])[l] >> (e * bits);
                const uint64_t number = bits == 32 ? v : v & ((1u << bits) - 1);
                const double x =
                    g->four ? tensor_value(type, number) : tensor_contained(type, number);
                out[is_a ? line * k + at : at * COLS + line] = x;
            }
}

// Two registers are eight rows: a lane's two neighbours come after the last lane's.
IN_VECTORS static void two_to(const float *restrict v, const float *restrict next,
                              double *restrict d)
{
    for (int l = 0; l < LANES; l++) d[2 * l] = (double)v[l], d[2 * l + 1] = (double)next[l];
}

IN_VECTORS static void two_from(float *restrict v, float *restrict next, const double *restrict d)
{
    for (int l = 0; l < LANES; l++) v[l] = (float)d[2 * l], next[l] = (float)d[2 * l + 1];
}

static void floats(const struct emu_warp *w, const emu_at *reg, bool store, double *d)
{
    for (uint32_t i = 0; i < 4; i += 2, d += 8 * COLS)
        if (store)
            two_from(emu_f32(w, reg[i]), emu_f32(w, reg[i + 1]), d);
        else
            two_to(emu_f32(w, reg[i]), emu_f32(w, reg[i + 1]), d);
}

static void accumulators(const struct emu_warp *w, const emu_at *reg, uint32_t regs,
                         enum ptx_type type, bool store, double *d)
{
    const bool half = type == PTX_F16;
    if (type == PTX_F32) {
        floats(w, reg, store, d);
        return;
    }
    for (uint32_t i = 0; i < regs; i++)
        for (uint32_t l = 0; l < LANES; l++)
            for (uint32_t e = 0; e < (half ? 2u : 1u); e++) {
                const uint32_t n = half ? 2 * i + e : i;
                double *x = &d[(l / 4 + n / 2 * 8) * COLS + l % 4 * 2 + n % 2];
                uint32_t *v = &emu_u32(w, reg[i])[l];
                if (!store)
                    *x =
                        half ? (double)emu_from_half(*v >> (16 * e) & 0xffff) : (double)(int32_t)*v;
                else if (half)
                    *v = e ? (*v & 0xffff) | emu_to_half((float)*x) << 16 : emu_to_half((float)*x);
                else
                    *v = (uint32_t)(int32_t)*x;
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

// Row r's factors are in a word of quad r % 8: of A in the first or second lane of the pair that is
// selected, of B in the one lane that is.
static void scale_of(const struct emu_warp *w, const struct mma *g, bool is_a, double *out)
{
    const struct scales *s = &g->scale[!is_a];
    for (uint32_t r = 0; r < (is_a ? ROWS : COLS); r++) {
        const uint32_t thread = emu_u32(w, s->thread)[r % 8 * 4] & 0xffff;
        const uint32_t lane = r % 8 * 4 + (is_a ? thread * 2 + r / 8 : thread);
        const uint32_t first = emu_u32(w, s->byte)[r % 8 * 4] & 0xffff;
        const uint32_t word = emu_u32(w, s->word)[lane];
        for (uint32_t i = 0; i < g->blocks; i++)
            out[r * g->blocks + i] = tensor_scale_value(g->ue4m3, word >> 8 * (first + i) & 0xff);
    }
}

static bool selectors_are_legal(const struct emu_warp *w, const struct mma *g)
{
    for (int n = 0; n < 2; n++)
        for (uint32_t l = 0; l < LANES; l++) {
            const uint32_t byte = emu_u32(w, g->scale[n].byte)[l] & 0xffff;
            const uint32_t thread = emu_u32(w, g->scale[n].thread)[l] & 0xffff;
            if (byte % g->blocks || byte >= MOST_BLOCKS || thread >= (n ? 4 : 2)) return false;
        }
    return true;
}

static void scale_operands(const struct emu_warp *w, const struct mma *g, double *a, double *b)
{
    double scale[ROWS * MOST_BLOCKS];
    scale_of(w, g, true, scale);
    tensor_scale_rows(scale, g->blocks, ROWS, g->k, a);
    scale_of(w, g, false, scale);
    tensor_scale_columns(scale, g->blocks, COLS, g->k, b);
}

EXEC(mma)
{
    const struct mma *g = in->more;
    double a[ROWS * MOST_K], b[MOST_K * COLS], d[ROWS * COLS];
    enum emu_step step;
    (void)mask;
    if (!emu_together(w, in, UINT32_MAX, &step)) return step;
    fragment(w, g, true, a);
    fragment(w, g, false, b);
    if (g->blocks && !selectors_are_legal(w, g))
        return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, 0, 0,
                         "a selector of scale factors that its size of blocks does not have");
    if (g->blocks) scale_operands(w, g, a, b);
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

// .kind, .block_scale, .scale_vec and the type of the factors; true without a kind, too.
static bool scaling(struct decoder *d, struct mma *g)
{
    const int kind = dec_one_of(d, "kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4");
    if (kind < 0) return true;
    const int size = dec_one_of(d, "scale_vec::1X|scale_vec::2X|scale_vec::4X");
    const int type = dec_has(d, "block_scale") ? dec_one_of(d, "ue8m0|ue4m3") : -1;
    g->four = kind > 0;
    g->blocks = size < 0 ? kind + 1u : 1u << size;
    g->ue4m3 = type == 1;
    if (type < 0 || (kind == 2 && size < 0) || (g->ue4m3 && g->blocks != 4)) return false;
    return kind == 2 ? g->blocks >= 2 : g->blocks == kind + 1u;
}

// word, {byte, thread} of A and B.
static bool scale_operand(struct decoder *d, struct scales *s)
{
    if (!dec_source(d, PTX_B32, &s->word)) return false;
    const struct ptx_operand *o = dec_operand(d);
    if (!o || o->kind != PTX_OP_VECTOR || o->parts != 2)
        return dec_fail(d, "'%s' takes {byte, thread} here", d->inst->op);
    return dec_source_of(d, &o->part[0], PTX_U16, &s->byte) &&
           dec_source_of(d, &o->part[1], PTX_U16, &s->thread);
}

static bool types(struct decoder *d, struct mma *g)
{
    static const uint32_t ks[] = {4, 8, 16, 32, 64};
    const int k = dec_one_of(d, "m16n8k4|m16n8k8|m16n8k16|m16n8k32|m16n8k64");
    if (k < 0 || !dec_has(d, "row") || !dec_has(d, "col")) return false;
    g->k = ks[k];
    g->saturates = dec_has(d, "satfinite");
    const bool narrow = dec_has(d, "kind::f8f6f4");
    if (!scaling(d, g)) return false;
    g->d_type = dec_type(d);
    if (!element_type(d, &g->a_type) || !element_type(d, &g->b_type)) return false;
    g->c_type = dec_type(d);
    const uint32_t bits = bits_of(g, g->a_type);
    const bool integer = g->a_type >= TENSOR_S8;
    const bool less = tensor_width(g->a_type) < 8 || tensor_width(g->b_type) < 8;
    if (bits != bits_of(g, g->b_type) || g->c_type != g->d_type) return false;
    if (g->saturates && !integer) return false;
    if (less && !integer && !narrow && !g->blocks) return false;
    if (g->blocks && g->k * bits != 0x100) return false;
    if (g->four && (g->a_type != TENSOR_E2M1 || g->b_type != TENSOR_E2M1)) return false;
    g->a_regs = ROWS * g->k * bits / 1024;
    g->b_regs = COLS * g->k * bits / 1024;
    return tensor_types_meet(g->a_type, g->b_type, g->d_type) && g->a_regs >= 1 && g->a_regs <= 4 &&
           g->b_regs >= 1;
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
    for (int n = 0; g->blocks && n < 2; n++)
        if (!scale_operand(d, &g->scale[n])) return false;
    const uint32_t sums = g->d_type == PTX_F16 ? 2 : 4;
    return (a == g->a_regs && b == g->b_regs && g->d_regs == sums && g->c_regs == sums) ||
           dec_fail(d, "'%s' with another number of registers", d->inst->op);
}
