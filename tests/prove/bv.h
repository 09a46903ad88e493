/* bv.h : C expressions over 64-bit integers, as SMT-LIB bit-vector terms with C's types. */
#ifndef TESTS_PROVE_BV_H
#define TESTS_PROVE_BV_H

#include "symbolic/smt/tree_text.h"

enum bv_type { BV_BOOL, BV_SIGNED, BV_UNSIGNED };

struct bv {
    enum bv_type type;
    const char *text;
};

struct bv_builder {
    struct sym_work *w;
    /* What C demands of the signed operations met so far: none of them overflows. */
    const char *defined;
    bool opaque;           /* products are unknown numbers of 64 bits, nothing else is abstract */
    bool abstract;         /* quotients are the constants quot_0 … (see bv_steps) */
    struct bv quotient[5]; /* what they stand for */
    struct bv table[TABLE_COUNT]; /* likewise, of table_0 … */
    int n_products;               /* and of prod_0 …, in the order of the text */
    struct {
        struct bv x, y;
    } product[8];
    const int *product_bits; /* [8] */
};

enum { QUOT_BITS = 9, TABLE_BITS = 8 }; /* of quot_j; a lemma proves that they suffice */

struct bv bv_field(struct bv_builder *b, int slot);
struct bv bv_corner(struct bv_builder *b, int first_slot, int i);
struct bv bv_const(struct bv_builder *b, int64_t value);
struct bv bv_true(struct bv_builder *b);
struct bv bv_signed(struct bv_builder *b, struct bv x);
struct bv bv_unsigned(struct bv_builder *b, struct bv x);
struct bv bv_table(struct bv_builder *b, enum table_id table, struct bv index);
struct bv bv_arithmetic(struct bv_builder *b, const char *op, struct bv x, struct bv y);
struct bv bv_quot(struct bv_builder *b, struct bv x, struct bv y);
/* bv_steps() : the quotient of dimension j, or the constant that stands for it. */
struct bv bv_steps(struct bv_builder *b, int j, struct bv quotient);
struct bv bv_wrap32(struct bv_builder *b, struct bv x);
struct bv bv_if(struct bv_builder *b, struct bv c, struct bv x, struct bv y);
struct bv bv_compare(struct bv_builder *b, const char *op, struct bv x, struct bv y);
struct bv bv_equal(struct bv_builder *b, struct bv x, struct bv y);
struct bv bv_divides(struct bv_builder *b, struct bv m, struct bv x);
struct bv bv_in(struct bv_builder *b, struct bv x, uint64_t set);
struct bv bv_bool(struct bv_builder *b, const char *op, struct bv x, struct bv y);
struct bv bv_not(struct bv_builder *b, struct bv x);

/* bv_violated() : `when` and not `must` of a row at an index, as native.c computes them. */
struct bv bv_violated(struct bv_builder *b, tmap_row row, int index);

#endif
