/* tree_text.c : one printer for both theories, so that what Z3 and cvc5 see is the rows' own tree.
 */
#include "symbolic/smt/tree_text.h"

#include <ctype.h>

tnode sym_bind_free(struct tree *t, int slot, void *unused)
{
    (void)unused;
    return tree_var(t, slot);
}

const char *sym_smt_name(int slot, char name[48])
{
    const struct field_info *f = field_info_of(field_of_slot(slot));
    struct sym_text t = {name, 48, 0};
    if (f->count > 1) {
        sym_put(&t, "%s_%d", f->json, slot - f->first_slot);
    } else {
        sym_put(&t, "%s", f->json);
    }
    for (char *p = name; *p; p++) {
        if (!isalnum((unsigned char)*p)) *p = '_';
    }
    return name;
}

struct sym_width sym_width_of(int slot)
{
    const struct field_info *f = field_info_of(field_of_slot(slot));
    return (struct sym_width){f->width, f->is_signed};
}

struct printer {
    struct sym_text *t;
    const struct tree *tree;
    int bits;
};

static void node(struct printer *p, tnode n);

static void put_constant(struct printer *p, int128 k)
{
    if (p->bits) {
        sym_put(p->t, k < 0 ? "(bvneg (_ bv" : "(_ bv");
        sym_put_int(p->t, k < 0 ? -k : k);
        sym_put(p->t, k < 0 ? " %d))" : " %d)", p->bits);
    } else {
        sym_put(p->t, k < 0 ? "(- " : "");
        sym_put_int(p->t, k < 0 ? -k : k);
        sym_put(p->t, k < 0 ? ")" : "");
    }
}

static void put_variable(struct printer *p, int slot)
{
    char name[48];
    struct sym_width w = sym_width_of(slot);
    sym_smt_name(slot, name);
    if (p->bits) {
        sym_put(p->t, "((_ %s_extend %d) %s)", w.is_signed ? "sign" : "zero", p->bits - w.bits,
                name);
    } else {
        sym_put(p->t, "%s", name);
    }
}

static void apply(struct printer *p, const char *name, tnode a, tnode b)
{
    sym_put(p->t, "(%s ", name);
    node(p, a);
    if (b >= 0) {
        sym_put(p->t, " ");
        node(p, b);
    }
    sym_put(p->t, ")");
}

/* floor(a / b), b >= 0, and 0 for b = 0. Bit-vectors: rows divide no negative numbers. */
static void put_quotient(struct printer *p, const struct tree_node *e)
{
    sym_put(p->t, "(ite (= ");
    node(p, e->b);
    sym_put(p->t, " ");
    put_constant(p, 0);
    sym_put(p->t, ") ");
    put_constant(p, 0);
    sym_put(p->t, " ");
    apply(p, p->bits ? "bvsdiv" : "div", e->a, e->b);
    sym_put(p->t, ")");
}

static void put_wrap32(struct printer *p, tnode a)
{
    if (p->bits) {
        sym_put(p->t, "((_ sign_extend %d) ((_ extract 31 0) ", p->bits - 32);
        node(p, a);
        sym_put(p->t, "))");
    } else {
        sym_put(p->t, "(- (mod (+ ");
        node(p, a);
        sym_put(p->t, " 2147483648) 4294967296) 2147483648)");
    }
}

static void put_divides(struct printer *p, const struct tree_node *e)
{
    int128 m = p->tree->node[e->a].k;
    int low = 0;
    while (((int128)1 << low) < m) low++;
    if (p->bits && ((int128)1 << low) == m) {
        sym_put(p->t, "(= ((_ extract %d 0) ", low - 1);
        node(p, e->b);
        sym_put(p->t, ") (_ bv0 %d))", low);
        return;
    }
    sym_put(p->t, "(= ");
    apply(p, p->bits ? "bvsrem" : "mod", e->b, e->a);
    sym_put(p->t, " ");
    put_constant(p, 0);
    sym_put(p->t, ")");
}

static void put_in(struct printer *p, const struct tree_node *e)
{
    sym_put(p->t, "(or false");
    for (int k = 0; k < 64; k++) {
        if (!(((uint64_t)e->k >> k) & 1)) continue;
        sym_put(p->t, " (= ");
        node(p, e->a);
        sym_put(p->t, " ");
        put_constant(p, k);
        sym_put(p->t, ")");
    }
    sym_put(p->t, ")");
}

static void put_table(struct printer *p, const struct tree_node *e)
{
    int open = 0;
    for (int k = 0; k < TABLE_ENTRIES; k++) {
        uint32_t value = table_at((enum table_id)e->k, k);
        if (!value) continue;
        sym_put(p->t, "(ite (= ");
        node(p, e->a);
        sym_put(p->t, " ");
        put_constant(p, k);
        sym_put(p->t, ") ");
        put_constant(p, value);
        sym_put(p->t, " ");
        open++;
    }
    put_constant(p, 0);
    while (open--) sym_put(p->t, ")");
}

static void put_choice(struct printer *p, const struct tree_node *e)
{
    sym_put(p->t, "(ite ");
    node(p, e->a);
    sym_put(p->t, " ");
    node(p, e->b);
    sym_put(p->t, " ");
    node(p, e->c);
    sym_put(p->t, ")");
}

/* Operations that are one word with their operands: over integers, and over bits. */
static const struct {
    const char *name, *bits_name;
} words[] = {
    [T_ADD] = {"+", "bvadd"},       [T_SUB] = {"-", "bvsub"}, [T_MUL] = {"*", "bvmul"},
    [T_LE] = {"<=", "bvsle"},       [T_EQ] = {"=", "="},      [T_AND] = {"and", "and"},
    [T_OR] = {"or", "or"},          [T_NOT] = {"not", "not"}, [T_TRUE] = {"true", "true"},
    [T_FALSE] = {"false", "false"},
};

static void word(struct printer *p, const struct tree_node *e)
{
    const char *name = p->bits ? words[e->op].bits_name : words[e->op].name;
    if (e->op == T_TRUE || e->op == T_FALSE)
        sym_put(p->t, "%s", name);
    else
        apply(p, name, e->a, e->op == T_NOT ? TREE_BAD : e->b);
}

static void node(struct printer *p, tnode n)
{
    const struct tree_node *e = &p->tree->node[n];
    switch ((enum tree_op)e->op) {
    case T_CONST:
        put_constant(p, e->k);
        return;
    case T_VAR:
        put_variable(p, (int)e->k);
        return;
    case T_PARAM:
        sym_put(p->t, "param_%d", (int)e->k);
        return;
    case T_QUOT:
        put_quotient(p, e);
        return;
    case T_WRAP32:
        put_wrap32(p, e->a);
        return;
    case T_ITE:
        put_choice(p, e);
        return;
    case T_TABLE:
        put_table(p, e);
        return;
    case T_DIVIDES:
        put_divides(p, e);
        return;
    case T_IN:
        put_in(p, e);
        return;
    case T_ADD:
    case T_SUB:
    case T_MUL:
    case T_TRUE:
    case T_FALSE:
    case T_LE:
    case T_EQ:
    case T_AND:
    case T_OR:
    case T_NOT:
        word(p, e);
    }
}

void sym_smt_tree(struct sym_text *t, const struct tree *tree, tnode n, int bits)
{
    struct printer p = {t, tree, bits};
    node(&p, n);
}
