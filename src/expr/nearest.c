/* The nearest value at which a condition of one variable holds. Conditions of rows are intervals
 * and congruences of affine terms, sets of small numbers, and monotone products and quotients; each
 * has its step, and conjunctions alternate until both sides agree. */
#include "expr/tree.h"

#define MAX_ROUNDS                                                                                 \
    4096 /* of a conjunction: each round moves at least one unit, usually a period                 \
          */

struct search {
    const struct tree *tree;
    int slot;
    int128 lo, hi, x; /* x: the value of the variable in `value_of` */
};

static int128 value_of(enum tree_op kind, int number, void *user)
{
    const struct search *s = user;
    return kind == T_VAR && number == s->slot ? s->x : 0;
}

static bool holds_at(struct search *s, tnode n, int128 x)
{
    s->x = x;
    return tree_eval(s->tree, n, value_of, s) != 0;
}

/* The tree as p * x + q, when it is that; another field is 0, as in value_of(). */
static bool affine(const struct search *s, tnode n, int128 *p, int128 *q)
{
    const struct tree_node *e = &s->tree->node[n];
    int128 pa, qa, pb, qb;
    switch ((enum tree_op)e->op) {
    case T_CONST:
        *p = 0;
        *q = e->k;
        return true;
    case T_VAR:
        *p = e->k == s->slot;
        *q = 0;
        return true;
    case T_ADD:
    case T_SUB: {
        if (!affine(s, e->a, &pa, &qa) || !affine(s, e->b, &pb, &qb)) return false;
        const int sign = e->op == T_ADD ? 1 : -1;
        *p = pa + sign * pb;
        *q = qa + sign * qb;
        return true;
    }
    case T_MUL:
        if (!affine(s, e->a, &pa, &qa) || !affine(s, e->b, &pb, &qb) || (pa && pb)) return false;
        *p = pa * qb + pb * qa;
        *q = qa * qb;
        return true;
    default:
        return false;
    }
}

static int128 floor_div(int128 a, int128 b)
{
    const int128 q = a / b;
    return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

/* A condition that changes its value once on the way from x to the end of the range. */
static bool bisect(struct search *s, tnode n, int128 x, int dir, bool want, int128 *out)
{
    if (holds_at(s, n, x) == want) return *out = x, true;
    int128 bad = x, good = dir > 0 ? s->hi : s->lo;
    for (int128 step = 1;; step *= 2) { /* the near side first: wraps may lie further out */
        const int128 y = x + dir * step;
        if (dir > 0 ? y >= good : y <= good) break;
        if (holds_at(s, n, y) == want) {
            good = y;
            break;
        }
        bad = y;
    }
    if (holds_at(s, n, good) != want) return false;
    while (good - bad > 1 || bad - good > 1) {
        const int128 mid = bad + (good - bad) / 2;
        if (holds_at(s, n, mid) == want)
            good = mid;
        else
            bad = mid;
    }
    *out = good;
    return true;
}

/* p * x + q <= 0, or > 0 */
static bool step_le(struct search *s, tnode n, int128 x, int dir, bool want, int128 *out)
{
    const struct tree_node *e = &s->tree->node[n];
    int128 pa, qa, pb, qb;
    if (!affine(s, e->a, &pa, &qa) || !affine(s, e->b, &pb, &qb))
        return bisect(s, n, x, dir, want, out);
    if (holds_at(s, n, x) == want) return *out = x, true;
    const int128 p = pa - pb, q = qa - qb;
    if (p == 0) return false;
    /* the last x with p x + q <= 0 going up for p > 0, going down for p < 0 */
    const int128 edge = p > 0 ? floor_div(-q, p) : -floor_div(-q, -p);
    const int128 first = want ? edge : edge + (p > 0 ? 1 : -1);
    if (dir > 0 ? first < x : first > x) return false;
    *out = first;
    return true;
}

/* Where products or quotients are to be equal nothing is found: they may be so anywhere. */
static bool step_eq(struct search *s, tnode n, int128 x, int dir, bool want, int128 *out)
{
    const struct tree_node *e = &s->tree->node[n];
    int128 pa, qa, pb, qb;
    if (holds_at(s, n, x) == want) return *out = x, true;
    if (!affine(s, e->a, &pa, &qa) || !affine(s, e->b, &pb, &qb))
        return !want && bisect(s, n, x, dir, want, out);
    if (pa == pb) return false; /* at all x or at none */
    if (!want) return *out = x + dir, true;
    const int128 root = floor_div(qb - qa, pa - pb);
    if ((dir > 0 ? root < x : root > x) || !holds_at(s, n, root)) return false;
    *out = root;
    return true;
}

/* A condition that repeats every `period`, or lives within a few values of x. */
static bool scan(struct search *s, tnode n, int128 x, int dir, bool want, int128 period,
                 int128 *out)
{
    for (int128 k = 0; k <= period; k++)
        if (holds_at(s, n, x + dir * k) == want) return *out = x + dir * k, true;
    return false;
}

static bool step_in(struct search *s, tnode n, int128 x, int dir, bool want, int128 *out)
{
    if (want && dir > 0 && x < 0 && s->tree->node[s->tree->node[n].a].op == T_VAR) x = 0;
    if (want && dir < 0 && x > 63 && s->tree->node[s->tree->node[n].a].op == T_VAR) x = 63;
    return scan(s, n, x, dir, want, 256, out);
}

static bool step(struct search *s, tnode n, int128 x, int dir, bool want, int128 *out);

static bool step_both(struct search *s, tnode n, int128 x, int dir, bool want, int128 *out)
{
    const struct tree_node *e = &s->tree->node[n];
    for (int round = 0; round < MAX_ROUNDS; round++) {
        int128 a, b;
        if (!step(s, e->a, x, dir, want, &a) || !step(s, e->b, a, dir, want, &b)) return false;
        if (b == a) return *out = a, true;
        x = b;
    }
    return false;
}

static bool step_either(struct search *s, tnode n, int128 x, int dir, bool want, int128 *out)
{
    const struct tree_node *e = &s->tree->node[n];
    int128 a, b;
    const bool has_a = step(s, e->a, x, dir, want, &a), has_b = step(s, e->b, x, dir, want, &b);
    if (!has_a && !has_b) return false;
    *out = !has_b || (has_a && (dir > 0 ? a < b : a > b)) ? a : b;
    return true;
}

static bool step(struct search *s, tnode n, int128 x, int dir, bool want, int128 *out)
{
    if (x < s->lo || x > s->hi) return false;
    const struct tree_node *e = &s->tree->node[n];
    switch ((enum tree_op)e->op) {
    case T_TRUE:
        *out = x;
        return want;
    case T_FALSE:
        *out = x;
        return !want;
    case T_NOT:
        return step(s, e->a, x, dir, !want, out);
    case T_AND:
        return (want ? step_both : step_either)(s, n, x, dir, want, out);
    case T_OR:
        return (want ? step_either : step_both)(s, n, x, dir, want, out);
    case T_LE:
        return step_le(s, n, x, dir, want, out);
    case T_EQ:
        return step_eq(s, n, x, dir, want, out);
    case T_DIVIDES:
        return scan(s, n, x, dir, want, s->tree->node[e->a].k, out);
    case T_IN:
        return step_in(s, n, x, dir, want, out);
    default:
        return bisect(s, n, x, dir, want, out);
    }
}

bool tree_nearest(const struct tree *t, tnode n, int slot, int128 from, int direction, int128 lo,
                  int128 hi, int128 *out)
{
    if (n == TREE_BAD) return false;
    struct search s = {t, slot, lo, hi, 0};
    int128 x;
    if (from < lo) from = direction > 0 ? lo : lo - 1;
    if (from > hi) from = direction > 0 ? hi + 1 : hi;
    if (!step(&s, n, from, direction, true, &x) || x < lo || x > hi || !holds_at(&s, n, x))
        return false;
    *out = x;
    return true;
}
