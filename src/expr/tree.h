/* The rows' conditions as trees over ideal integers, folded while they are built.
 *
 * A tree is built for one row at one index, under an environment that says of each field slot
 * whether it is a constant, free, or an expression of the caller's own (parameters of a symbolic
 * shape). What is known folds away: under a known rank, type and swizzle every row of desc.def is
 * affine, a congruence, or a product of bounded fields. The same conditions are compiled natively
 * (native.h); src/symbolic lowers these trees to isl and Z3.
 *
 * No allocation: the caller owns the node array. Running out of nodes gives TREE_BAD, which every
 * builder passes on, so one test of the root is enough. */
#ifndef TMAP_EXPR_TREE_H
#define TMAP_EXPR_TREE_H

#include "expr/field.h"
#include "expr/tables.h"

typedef int32_t tnode; /* index of a node; TREE_BAD when there was no room */
#define TREE_BAD ((tnode)-1)

enum tree_op {
    /* integers */
    T_CONST,  /* k */
    T_VAR,    /* a free field: slot k */
    T_PARAM,  /* the caller's parameter number k */
    T_ADD,    /* a + b */
    T_SUB,    /* a - b */
    T_MUL,    /* a * b */
    T_QUOT,   /* floor(a / b), b >= 1; a quotient by 0 is 0 */
    T_WRAP32, /* a modulo 2^32, in [-2^31, 2^31) */
    T_ITE,    /* a (boolean) ? b : c */
    T_TABLE,  /* table k at index a */
    /* booleans */
    T_TRUE,
    T_FALSE,
    T_LE,      /* a <= b */
    T_EQ,      /* a = b */
    T_DIVIDES, /* b is a multiple of a; a is a T_CONST >= 1 */
    T_IN,      /* 0 <= a < 64 and bit a of k is set */
    T_AND,
    T_OR,
    T_NOT
};

struct tree_node {
    uint8_t op;
    tnode a, b, c;
    int128 k;
};

struct tree {
    struct tree_node *node;
    int count, capacity;
    /* Gives the node for a field slot: usually tree_bind_subject. */
    tnode (*bind)(struct tree *t, int slot, void *user);
    void *user;
};

/* The usual environment: fields are the subject's own values, but those whose bit in `free` is set
 * become T_VAR. */
struct tree_binding {
    const struct subject *subject;
    uint64_t free[(FIELD_SLOTS + 63) / 64];
};
tnode tree_bind_subject(struct tree *t, int slot, void *binding);
void tree_binding_free(struct tree_binding *binding, int slot);

/* Makes t empty, over the caller's nodes. */
void tree_init(struct tree *t, struct tree_node *nodes, int capacity,
               tnode (*bind)(struct tree *, int, void *), void *user);

/* Builders; all fold constants and the neutral and absorbing elements. */
tnode tree_const(struct tree *t, int128 k);
tnode tree_var(struct tree *t, int slot);
tnode tree_field(struct tree *t, int slot); /* through bind */
tnode tree_add(struct tree *t, tnode a, tnode b);
tnode tree_sub(struct tree *t, tnode a, tnode b);
tnode tree_mul(struct tree *t, tnode a, tnode b);
tnode tree_quot(struct tree *t, tnode a, tnode b);
tnode tree_wrap32(struct tree *t, tnode a);
tnode tree_ite(struct tree *t, tnode c, tnode a, tnode b);
tnode tree_table(struct tree *t, enum table_id table, tnode a);
tnode tree_bool(struct tree *t, bool value);
tnode tree_le(struct tree *t, tnode a, tnode b);
tnode tree_eq(struct tree *t, tnode a, tnode b);
tnode tree_divides(struct tree *t, tnode m, tnode a);
tnode tree_in(struct tree *t, tnode a, uint64_t set);
tnode tree_between(struct tree *t, tnode lo, tnode x, tnode hi);
tnode tree_and(struct tree *t, tnode a, tnode b);
tnode tree_or(struct tree *t, tnode a, tnode b);
tnode tree_not(struct tree *t, tnode a);

bool tree_is_const(const struct tree *t, tnode n, int128 *k);
bool tree_is_bool(const struct tree *t, tnode n, bool *value);

/* The value of a tree when slot (or parameter) number p has value of(p, user). Integers and
 * booleans (0, 1) alike; sums and products saturate at +-2^126, beyond every bound a row can state.
 */
int128 tree_eval(const struct tree *t, tnode n, int128 (*of)(enum tree_op kind, int number, void *),
                 void *user);

/* tree_nearest() : the least value >= from (direction 1), or the greatest <= from (direction -1),
 * in [lo, hi], at which boolean tree n holds, n having one variable, slot; another is 0. False when
 * there is none, or where a product or a quotient would have to be equal to something. */
bool tree_nearest(const struct tree *t, tnode n, int slot, int128 from, int direction, int128 lo,
                  int128 hi, int128 *out);

/* tree_print() : the tree in the words a user reads: "stride[0] % 16 = 0 and box[1] <= 256". Writes
 * at most size bytes, always terminated; returns the length it wanted. */
size_t tree_print(const struct tree *t, tnode n, char *out, size_t size);
/* The same with [i] for what stands at index of an array, and [i+1] for what stands beyond. */
size_t tree_print_from(const struct tree *t, tnode n, int index, char *out, size_t size);

#endif
