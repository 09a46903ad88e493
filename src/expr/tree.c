/* Builders that fold: what is constant never becomes a node that an interpretation has to look at.
 */
#include "expr/tree.h"

#define HUGE                                                                                       \
    ((int128)1 << 126) /* sums and products saturate here; bounds of rows are below 2^64           \
                        */

static int128 clamp(int128 x)
{
    return x > HUGE ? HUGE : x < -HUGE ? -HUGE : x;
}

static int128 sat_add(int128 a, int128 b)
{
    return clamp(clamp(a) + clamp(b));
}

static int128 sat_mul(int128 a, int128 b)
{
    int128 r;
    if (__builtin_mul_overflow(a, b, &r)) return (a < 0) != (b < 0) ? -HUGE : HUGE;
    return clamp(r);
}

static int128 floor_quot(int128 a, int128 b)
{
    if (b == 0) return 0;
    const int128 q = a / b;
    return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

static int128 wrap32(int128 a)
{
    return (int128)(int32_t)(uint32_t)(uint128)a;
}

static bool multiple(int128 m, int128 a)
{
    return m != 0 && a % m == 0;
}

static bool in_set(int128 a, uint64_t set)
{
    return a >= 0 && a < 64 && ((set >> (int)a) & 1);
}

void tree_init(struct tree *t, struct tree_node *nodes, int capacity,
               tnode (*bind)(struct tree *, int, void *), void *user)
{
    t->node = nodes;
    t->count = 0;
    t->capacity = capacity;
    t->bind = bind;
    t->user = user;
}

static tnode push(struct tree *t, enum tree_op op, tnode a, tnode b, tnode c, int128 k)
{
    if (a == TREE_BAD || b == TREE_BAD || c == TREE_BAD || t->count == t->capacity) return TREE_BAD;
    t->node[t->count] = (struct tree_node){(uint8_t)op, a, b, c, k};
    return t->count++;
}

bool tree_is_const(const struct tree *t, tnode n, int128 *k)
{
    if (n == TREE_BAD || t->node[n].op != T_CONST) return false;
    *k = t->node[n].k;
    return true;
}

bool tree_is_bool(const struct tree *t, tnode n, bool *value)
{
    if (n == TREE_BAD || (t->node[n].op != T_TRUE && t->node[n].op != T_FALSE)) return false;
    *value = t->node[n].op == T_TRUE;
    return true;
}

static bool both_const(const struct tree *t, tnode a, tnode b, int128 *x, int128 *y)
{
    return tree_is_const(t, a, x) && tree_is_const(t, b, y);
}

static bool is_value(const struct tree *t, tnode n, int128 v)
{
    int128 k;
    return tree_is_const(t, n, &k) && k == v;
}

tnode tree_const(struct tree *t, int128 k)
{
    return push(t, T_CONST, 0, 0, 0, clamp(k));
}
tnode tree_var(struct tree *t, int slot)
{
    return push(t, T_VAR, 0, 0, 0, slot);
}
tnode tree_field(struct tree *t, int slot)
{
    return t->bind(t, slot, t->user);
}
tnode tree_bool(struct tree *t, bool v)
{
    return push(t, v ? T_TRUE : T_FALSE, 0, 0, 0, 0);
}

tnode tree_add(struct tree *t, tnode a, tnode b)
{
    int128 x, y;
    if (both_const(t, a, b, &x, &y)) return tree_const(t, sat_add(x, y));
    if (is_value(t, a, 0)) return b;
    if (is_value(t, b, 0)) return a;
    return push(t, T_ADD, a, b, 0, 0);
}

tnode tree_sub(struct tree *t, tnode a, tnode b)
{
    int128 x, y;
    if (both_const(t, a, b, &x, &y)) return tree_const(t, sat_add(x, -clamp(y)));
    if (is_value(t, b, 0)) return a;
    return push(t, T_SUB, a, b, 0, 0);
}

tnode tree_mul(struct tree *t, tnode a, tnode b)
{
    int128 x, y;
    if (both_const(t, a, b, &x, &y)) return tree_const(t, sat_mul(x, y));
    if (is_value(t, a, 1)) return b;
    if (is_value(t, b, 1)) return a;
    if (is_value(t, a, 0) || is_value(t, b, 0)) return tree_const(t, 0);
    return push(t, T_MUL, a, b, 0, 0);
}

tnode tree_quot(struct tree *t, tnode a, tnode b)
{
    int128 x, y;
    if (both_const(t, a, b, &x, &y)) return tree_const(t, floor_quot(x, y));
    if (is_value(t, b, 1)) return a;
    return push(t, T_QUOT, a, b, 0, 0);
}

tnode tree_wrap32(struct tree *t, tnode a)
{
    int128 x;
    return tree_is_const(t, a, &x) ? tree_const(t, wrap32(x)) : push(t, T_WRAP32, a, 0, 0, 0);
}

tnode tree_ite(struct tree *t, tnode c, tnode a, tnode b)
{
    bool v;
    if (tree_is_bool(t, c, &v)) return v ? a : b;
    return push(t, T_ITE, c, a, b, 0);
}

tnode tree_table(struct tree *t, enum table_id table, tnode a)
{
    int128 x;
    if (tree_is_const(t, a, &x))
        return tree_const(t, x < 0 || x >= TABLE_ENTRIES ? 0 : table_at(table, (int64_t)x));
    return push(t, T_TABLE, a, 0, 0, table);
}

tnode tree_le(struct tree *t, tnode a, tnode b)
{
    int128 x, y;
    return both_const(t, a, b, &x, &y) ? tree_bool(t, x <= y) : push(t, T_LE, a, b, 0, 0);
}

tnode tree_eq(struct tree *t, tnode a, tnode b)
{
    int128 x, y;
    return both_const(t, a, b, &x, &y) ? tree_bool(t, x == y) : push(t, T_EQ, a, b, 0, 0);
}

tnode tree_divides(struct tree *t, tnode m, tnode a)
{
    int128 x, y;
    if (both_const(t, m, a, &x, &y)) return tree_bool(t, multiple(x, y));
    if (is_value(t, m, 1)) return tree_bool(t, true);
    return push(t, T_DIVIDES, m, a, 0, 0);
}

tnode tree_in(struct tree *t, tnode a, uint64_t set)
{
    int128 x;
    if (tree_is_const(t, a, &x)) return tree_bool(t, in_set(x, set));
    return push(t, T_IN, a, 0, 0, (int128)set);
}

tnode tree_between(struct tree *t, tnode lo, tnode x, tnode hi)
{
    return tree_and(t, tree_le(t, lo, x), tree_le(t, x, hi));
}

tnode tree_and(struct tree *t, tnode a, tnode b)
{
    bool v;
    if (tree_is_bool(t, a, &v)) return v ? b : a;
    if (tree_is_bool(t, b, &v)) return v ? a : b;
    return push(t, T_AND, a, b, 0, 0);
}

tnode tree_or(struct tree *t, tnode a, tnode b)
{
    bool v;
    if (tree_is_bool(t, a, &v)) return v ? a : b;
    if (tree_is_bool(t, b, &v)) return v ? b : a;
    return push(t, T_OR, a, b, 0, 0);
}

tnode tree_not(struct tree *t, tnode a)
{
    bool v;
    if (tree_is_bool(t, a, &v)) return tree_bool(t, !v);
    if (a != TREE_BAD && t->node[a].op == T_NOT) return t->node[a].a;
    return push(t, T_NOT, a, 0, 0, 0);
}

int128 tree_eval(const struct tree *t, tnode n, int128 (*of)(enum tree_op, int, void *), void *user)
{
    const struct tree_node *e = &t->node[n];
#define VALUE(m) tree_eval(t, (m), of, user)
    switch ((enum tree_op)e->op) {
    case T_CONST:
        return e->k;
    case T_VAR:
    case T_PARAM:
        return of((enum tree_op)e->op, (int)e->k, user);
    case T_ADD:
        return sat_add(VALUE(e->a), VALUE(e->b));
    case T_SUB:
        return sat_add(VALUE(e->a), -clamp(VALUE(e->b)));
    case T_MUL:
        return sat_mul(VALUE(e->a), VALUE(e->b));
    case T_QUOT:
        return floor_quot(VALUE(e->a), VALUE(e->b));
    case T_WRAP32:
        return wrap32(VALUE(e->a));
    case T_ITE:
        return VALUE(e->a) ? VALUE(e->b) : VALUE(e->c);
    case T_TABLE: {
        const int128 i = VALUE(e->a);
        return i < 0 || i >= TABLE_ENTRIES ? 0 : table_at((enum table_id)e->k, (int64_t)i);
    }
    case T_TRUE:
        return 1;
    case T_FALSE:
        return 0;
    case T_LE:
        return VALUE(e->a) <= VALUE(e->b);
    case T_EQ:
        return VALUE(e->a) == VALUE(e->b);
    case T_DIVIDES:
        return multiple(VALUE(e->a), VALUE(e->b));
    case T_IN:
        return in_set(VALUE(e->a), (uint64_t)e->k);
    case T_AND:
        return VALUE(e->a) && VALUE(e->b);
    case T_OR:
        return VALUE(e->a) || VALUE(e->b);
    case T_NOT:
        return !VALUE(e->a);
    }
#undef VALUE
    return 0;
}

void tree_binding_free(struct tree_binding *binding, int slot)
{
    binding->free[slot / 64] |= UINT64_C(1) << (slot % 64);
}

tnode tree_bind_subject(struct tree *t, int slot, void *user)
{
    const struct tree_binding *b = user;
    int128 v;
    if ((b->free[slot / 64] >> (slot % 64)) & 1) return tree_var(t, slot);
    return field_read(b->subject, slot, &v) ? tree_const(t, v) : tree_var(t, slot);
}
