/* bv.c : terms are texts in the workspace's arena. */
#include "prove/bv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct bv make(struct bv_builder *b, enum bv_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static struct bv make(struct bv_builder *b, enum bv_type type, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = sym_take(b->w, (size_t)n + 1);
    if (text) vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return (struct bv){type, text ? text : "false"};
}

static void demand(struct bv_builder *b, const char *text)
{
    if (!strstr(b->defined, text)) {
        b->defined = make(b, BV_BOOL, "%s %s", b->defined, text).text;
    }
}

/* 32-bit fields and single bits are widened to int64_t, 64-bit fields stay unsigned. */
struct bv bv_field(struct bv_builder *b, int slot)
{
    char name[48];
    struct sym_width w = sym_width_of(slot);
    sym_smt_name(slot, name);
    if (w.bits == 64) return make(b, BV_UNSIGNED, "%s", name);
    return make(b, BV_SIGNED, "((_ %s_extend %d) %s)", w.is_signed ? "sign" : "zero", 64 - w.bits,
                name);
}

struct bv bv_corner(struct bv_builder *b, int first_slot, int i)
{
    struct bv field = bv_field(b, first_slot + i);
    if (i == 0) return field;
    return bv_if(b, bv_equal(b, bv_field(b, F_KIND), bv_const(b, TMAP_IM2COL_WIDE)), bv_const(b, 0),
                 field);
}

struct bv bv_const(struct bv_builder *b, int64_t value)
{
    return make(b, BV_SIGNED, "#x%016llx", (unsigned long long)value);
}

struct bv bv_true(struct bv_builder *b)
{
    return make(b, BV_BOOL, "true");
}

struct bv bv_signed(struct bv_builder *b, struct bv x)
{
    (void)b;
    return (struct bv){BV_SIGNED, x.text};
}

struct bv bv_unsigned(struct bv_builder *b, struct bv x)
{
    (void)b;
    return (struct bv){BV_UNSIGNED, x.text};
}

/* table[(unsigned)index & 15] */
struct bv bv_table(struct bv_builder *b, enum table_id table, struct bv index)
{
    struct bv sum = bv_const(b, 0);
    for (int k = TABLE_ENTRIES - 1; k >= 0; k--) {
        sum = make(b, BV_SIGNED, "(ite (= ((_ extract 3 0) %s) (_ bv%d 4)) %s %s)", index.text, k,
                   bv_const(b, table_at(table, k)).text, sum.text);
    }
    b->table[table] = sum;
    if (!b->abstract) return sum;
    return make(b, BV_SIGNED, "((_ zero_extend %d) table_%d)", 64 - TABLE_BITS, table);
}

static enum bv_type common(struct bv x, struct bv y)
{
    return x.type == BV_UNSIGNED || y.type == BV_UNSIGNED ? BV_UNSIGNED : BV_SIGNED;
}

struct bv bv_arithmetic(struct bv_builder *b, const char *op, struct bv x, struct bv y)
{
    enum bv_type type = common(x, y);
    if ((b->abstract || b->opaque) && !strcmp(op, "bvmul") && x.text[0] != '#' &&
        y.text[0] != '#' && b->n_products < 8) {
        int n = b->n_products++;
        b->product[n].x = x;
        b->product[n].y = y;
        if (b->opaque) return make(b, type, "prod_%d", n);
        return make(b, type, "((_ zero_extend %d) prod_%d)", 64 - b->product_bits[n], n);
    }
    struct bv r = make(b, type, "(%s %s %s)", op, x.text, y.text);
    if (type == BV_SIGNED) {
        demand(b, make(b, BV_BOOL,
                       "(= ((_ sign_extend 64) %s) (%s ((_ sign_extend 64) %s) "
                       "((_ sign_extend 64) %s)))",
                       r.text, op, x.text, y.text)
                      .text);
    }
    return r;
}

/* ((uint64_t)x * reciprocal[y & 15]) >> 16: native.h's table, read there by a division. */
struct bv bv_quot(struct bv_builder *b, struct bv x, struct bv y)
{
    struct bv factor = bv_const(b, 0);
    for (int k = 8; k >= 1; k--) {
        factor = make(b, BV_UNSIGNED, "(ite (= ((_ extract 3 0) %s) (_ bv%d 4)) %s %s)", y.text, k,
                      bv_const(b, (65536 + k - 1) / k).text, factor.text);
    }
    return make(b, BV_SIGNED, "(bvlshr (bvmul %s %s) #x0000000000000010)", x.text, factor.text);
}

struct bv bv_steps(struct bv_builder *b, int j, struct bv quotient)
{
    b->quotient[j] = quotient;
    if (!b->abstract) return quotient;
    return make(b, BV_SIGNED, "((_ zero_extend %d) quot_%d)", 64 - QUOT_BITS, j);
}

struct bv bv_wrap32(struct bv_builder *b, struct bv x)
{
    return make(b, BV_SIGNED, "((_ sign_extend 32) ((_ extract 31 0) %s))", x.text);
}

struct bv bv_if(struct bv_builder *b, struct bv c, struct bv x, struct bv y)
{
    return make(b, common(x, y), "(ite %s %s %s)", c.text, x.text, y.text);
}

struct bv bv_compare(struct bv_builder *b, const char *op, struct bv x, struct bv y)
{
    return make(b, BV_BOOL, "(bv%c%s %s %s)", common(x, y) == BV_UNSIGNED ? 'u' : 's', op, x.text,
                y.text);
}

struct bv bv_equal(struct bv_builder *b, struct bv x, struct bv y)
{
    return make(b, BV_BOOL, "(= %s %s)", x.text, y.text);
}

struct bv bv_divides(struct bv_builder *b, struct bv m, struct bv x)
{
    return make(b, BV_BOOL, "(= (bvurem %s %s) #x0000000000000000)", x.text, m.text);
}

/* ((uint64_t)x < 64) & (set >> ((unsigned)x & 63)) & 1 */
struct bv bv_in(struct bv_builder *b, struct bv x, uint64_t set)
{
    return make(b, BV_BOOL,
                "(and (bvult %s #x0000000000000040) (= ((_ extract 0 0) (bvlshr #x%016llx "
                "((_ zero_extend 58) ((_ extract 5 0) %s)))) #b1))",
                x.text, (unsigned long long)set, x.text);
}

struct bv bv_bool(struct bv_builder *b, const char *op, struct bv x, struct bv y)
{
    return make(b, BV_BOOL, "(%s %s %s)", op, x.text, y.text);
}

struct bv bv_not(struct bv_builder *b, struct bv x)
{
    return make(b, BV_BOOL, "(not %s)", x.text);
}
