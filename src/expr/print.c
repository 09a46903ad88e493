/* Conditions as text: what a row needs, in the user's own numbers. */
#include "expr/print.h"
#include "expr/tables.h"

#include <string.h>

void print_text(struct print *p, const char *text)
{
    for (; *text; text++, p->length++)
        if (p->length + 1 < p->size) p->out[p->length] = *text;
    if (p->size) p->out[p->length < p->size ? p->length : p->size - 1] = '\0';
}

void print_number(struct print *p, int128 value)
{
    char digits[48];
    size_t at = sizeof digits - 1;
    uint128 rest = value < 0 ? -(uint128)value : (uint128)value;
    digits[at] = '\0';
    do digits[--at] = (char)('0' + (int)(rest % 10));
    while (rest /= 10);
    if (value < 0) digits[--at] = '-';
    print_text(p, digits + at);
}

/* What a flag is about: whether a pointer is NULL, or an optional part is given. */
static const char *flag_name(enum field f, int bit)
{
    static const char *const of_desc[] = {
        [BIT_NULL_MAP] = "null(map)",
        [BIT_NULL_DIM] = "null(dim)",
        [BIT_NULL_STRIDE] = "null(stride)",
        [BIT_NULL_BOX] = "null(box)",
        [BIT_NULL_ESTRIDE] = "null(elem_stride)",
        [BIT_NULL_LOWER] = "null(lower)",
        [BIT_NULL_UPPER] = "null(upper)",
        [BIT_HAS_MAP_ADDRESS] = "given(map_address)",
        [BIT_HAS_ALLOCATION] = "given(allocation)",
    };
    static const char *const of_use[] = {
        [BIT_COORD] = "given(coord)",         [BIT_SMEM] = "given(smem)",
        [BIT_EXPECT_TX] = "given(expect_tx)", [BIT_MBARRIER] = "given(mbarrier)",
        [BIT_OFFSET] = "given(offset)",       [BIT_CTA_DST] = "cta_destination",
    };
    if (f == FIELD_FLAG && bit <= BIT_HAS_ALLOCATION) return of_desc[bit];
    return f == FIELD_USE_FLAG && bit <= BIT_CTA_DST ? of_use[bit] : NULL;
}

void print_slot(struct print *p, int slot)
{
    const enum field field = field_of_slot(slot);
    const struct field_info *info = field_info_of(field);
    const char *flag = flag_name(field, slot - info->first_slot);
    if (flag) {
        print_text(p, flag);
        return;
    }
    print_text(p, info->json);
    if (info->count == 1) return;
    print_text(p, "[");
    print_number(p, slot - info->first_slot);
    print_text(p, "]");
}

/* As people read it. */
static void print_address(struct print *p, int128 value)
{
    char digits[40], *at = digits + sizeof digits - 1;
    *at = '\0';
    for (uint64_t v = (uint64_t)value; v > 0 || *at == '\0'; v >>= 4)
        *--at = "0123456789abcdef"[v & 15];
    print_text(p, "0x");
    print_text(p, at);
}

void print_value(struct print *p, int slot, int128 value)
{
    const enum values values = field_info_of(field_of_slot(slot))->values;
    const char *name = value == (int64_t)value ? value_name(values, (int64_t)value) : NULL;
    if (name)
        print_text(p, name);
    else if (values == VALUES_ADDRESS)
        print_address(p, value);
    else
        print_number(p, value);
}

/* index: of an array's slot from here on the text is [i], [i+1] ...; none where it is -1. */
struct printer {
    struct print p;
    const struct tree *t;
    int index;
};

static void term(struct printer *w, tnode n);
static void condition(struct printer *w, tnode n);
static void either(struct printer *w, tnode n);

/* The slot of a free field; -1 for anything else. */
static int var_slot(const struct tree *t, tnode n)
{
    return t->node[n].op == T_VAR ? (int)t->node[n].k : -1;
}

/* 12.8, 8.6, sm_90: what is compared with a toolkit, a PTX version or an architecture. */
static bool version(struct printer *w, int slot, int128 value)
{
    const int unit = slot == F_CUDA ? 100 : slot == F_PTX ? 10 : 0;
    if (unit == 0 && slot != F_SM) return false;
    if (unit == 0) print_text(&w->p, "sm_");
    print_number(&w->p, unit ? value / unit : value);
    if (unit) print_text(&w->p, ".");
    if (unit) print_number(&w->p, value % unit);
    return true;
}

static void operand(struct printer *w, tnode n, tnode other)
{
    int128 k;
    if (!tree_is_const(w->t, n, &k) || !version(w, var_slot(w->t, other), k)) term(w, n);
}

static void compared(struct printer *w, tnode a, const char *op, tnode b)
{
    operand(w, a, b);
    print_text(&w->p, op);
    operand(w, b, a);
}

static void binary(struct printer *w, tnode a, const char *op, tnode b)
{
    term(w, a);
    print_text(&w->p, op);
    term(w, b);
}

static void grouped(struct printer *w, tnode a, const char *op, tnode b)
{
    print_text(&w->p, "(");
    binary(w, a, op, b);
    print_text(&w->p, ")");
}

static void choice(struct printer *w, const struct tree_node *e)
{
    print_text(&w->p, "(if ");
    either(w, e->a);
    print_text(&w->p, " then ");
    term(w, e->b);
    print_text(&w->p, " else ");
    term(w, e->c);
    print_text(&w->p, ")");
}

static const char *table_call(int128 table)
{
    static const char *const name[TABLE_COUNT] = {[TABLE_SIZE_BITS] = "bits(",
                                                  [TABLE_GMEM_BITS] = "memory bits(",
                                                  [TABLE_SPAN] = "span bytes(",
                                                  [TABLE_SLICE] = "slice bytes("};
    return table >= 0 && table < TABLE_COUNT ? name[table] : "?(";
}

static void call(struct printer *w, const char *name, tnode a)
{
    print_text(&w->p, name);
    term(w, a);
    print_text(&w->p, ")");
}

static void var(struct printer *w, int slot)
{
    const struct field_info *info = field_info_of(field_of_slot(slot));
    const int at = slot - info->first_slot;
    if (w->index < 0 || at < w->index || info->count == 1) {
        print_slot(&w->p, slot);
        return;
    }
    print_text(&w->p, info->json);
    print_text(&w->p, at == w->index ? "[i]" : "[i+1]");
}

/* 2^40 rather than its thirteen digits. */
static void constant(struct printer *w, int128 k)
{
    const bool power = k >= (int128)1 << 31 && (k & (k - 1)) == 0;
    int log = 0;
    while (power && k >> log > 1) log++;
    if (power) print_text(&w->p, "2^");
    print_number(&w->p, power ? log : k);
}

static void difference(struct printer *w, const struct tree_node *e)
{
    int128 k;
    if (tree_is_const(w->t, e->a, &k) && k == 0) {
        print_text(&w->p, "-");
        term(w, e->b);
    } else
        grouped(w, e->a, " - ", e->b);
}

static void term(struct printer *w, tnode n)
{
    const struct tree_node *e = &w->t->node[n];
    switch ((enum tree_op)e->op) {
    case T_CONST:
        constant(w, e->k);
        break;
    case T_VAR:
        var(w, (int)e->k);
        break;
    case T_PARAM:
        print_text(&w->p, "p");
        print_number(&w->p, e->k);
        break;
    case T_ADD:
        grouped(w, e->a, " + ", e->b);
        break;
    case T_SUB:
        difference(w, e);
        break;
    case T_MUL:
        binary(w, e->a, " * ", e->b);
        break;
    case T_QUOT:
        print_text(&w->p, "floor(");
        binary(w, e->a, " / ", e->b);
        print_text(&w->p, ")");
        break;
    case T_WRAP32:
        call(w, "int32(", e->a);
        break;
    case T_TABLE:
        call(w, table_call(e->k), e->a);
        break;
    case T_ITE:
        choice(w, e);
        break;
    default:
        condition(w, n);
        break;
    }
}

static void member(struct printer *w, const struct tree_node *e)
{
    const int slot = var_slot(w->t, e->a);
    const bool one = (e->k & (e->k - 1)) == 0;
    const char *comma = "";
    term(w, e->a);
    print_text(&w->p, one ? " = " : " in {");
    for (int v = 0; v < 64; v++)
        if (((uint64_t)e->k >> v) & 1) {
            print_text(&w->p, comma);
            comma = ", ";
            if (slot >= 0)
                print_value(&w->p, slot, v);
            else
                print_number(&w->p, v);
        }
    if (!one) print_text(&w->p, "}");
}

/* A flag is or is not: given(coord), not null(dim). */
static bool flag(struct printer *w, const struct tree_node *e, bool equal)
{
    const int slot = var_slot(w->t, e->a);
    int128 k;
    if (slot < 0 || !tree_is_const(w->t, e->b, &k)) return false;
    const enum field f = field_of_slot(slot);
    if (!flag_name(f, slot - field_info_of(f)->first_slot)) return false;
    if ((k == 0) == equal) print_text(&w->p, "not ");
    print_slot(&w->p, slot);
    return true;
}

static void equal(struct printer *w, const struct tree_node *e, const char *op)
{
    const int slot = var_slot(w->t, e->a);
    int128 k;
    if (flag(w, e, op[1] == '=')) return;
    term(w, e->a);
    print_text(&w->p, op);
    if (slot < 0 || !tree_is_const(w->t, e->b, &k))
        term(w, e->b);
    else if (!version(w, slot, k))
        print_value(&w->p, slot, k);
}

/* c <= x reads as x >= c; x + 1 <= c as x < c. */
static void less_equal(struct printer *w, const struct tree_node *e)
{
    const struct tree_node *a = &w->t->node[e->a];
    int128 k;
    if (a->op == T_CONST)
        compared(w, e->b, " >= ", e->a);
    else if (a->op == T_ADD && tree_is_const(w->t, a->b, &k) && k == 1)
        compared(w, a->a, " < ", e->b);
    else
        compared(w, e->a, " <= ", e->b);
}

/* lo <= x and x <= hi reads as lo <= x <= hi. */
static bool interval(struct printer *w, const struct tree_node *e)
{
    const struct tree_node *l = &w->t->node[e->a], *r = &w->t->node[e->b];
    if (l->op != T_LE || r->op != T_LE) return false;
    const struct tree_node *x = &w->t->node[l->b], *y = &w->t->node[r->a];
    if (x->op != T_VAR || y->op != T_VAR || x->k != y->k) return false;
    compared(w, l->a, " <= ", l->b);
    print_text(&w->p, " <= ");
    operand(w, r->b, l->b);
    return true;
}

static void both(struct printer *w, const struct tree_node *e)
{
    condition(w, e->a);
    print_text(&w->p, " and ");
    condition(w, e->b);
}

/* a or b or c, without parentheses around it or in between. */
static void either(struct printer *w, tnode n)
{
    const struct tree_node *e = &w->t->node[n];
    if (e->op != T_OR) {
        condition(w, n);
        return;
    }
    either(w, e->a);
    print_text(&w->p, " or ");
    either(w, e->b);
}

static void negation(struct printer *w, tnode n)
{
    const struct tree_node *e = &w->t->node[n];
    if (e->op == T_EQ) {
        equal(w, e, " != ");
        return;
    }
    print_text(&w->p, "not (");
    either(w, n);
    print_text(&w->p, ")");
}

static void condition(struct printer *w, tnode n)
{
    const struct tree_node *e = &w->t->node[n];
    switch ((enum tree_op)e->op) {
    case T_TRUE:
        print_text(&w->p, "always");
        break;
    case T_FALSE:
        print_text(&w->p, "never");
        break;
    case T_LE:
        less_equal(w, e);
        break;
    case T_EQ:
        equal(w, e, " = ");
        break;
    case T_DIVIDES:
        binary(w, e->b, " % ", e->a);
        print_text(&w->p, " = 0");
        break;
    case T_IN:
        member(w, e);
        break;
    case T_AND:
        if (!interval(w, e)) both(w, e);
        break;
    case T_OR:
        print_text(&w->p, "(");
        either(w, n);
        print_text(&w->p, ")");
        break;
    case T_NOT:
        negation(w, e->a);
        break;
    default:
        term(w, n);
        break;
    }
}

size_t tree_print(const struct tree *t, tnode n, char *out, size_t size)
{
    return tree_print_from(t, n, -1, out, size);
}

size_t tree_print_from(const struct tree *t, tnode n, int index, char *out, size_t size)
{
    struct printer w = {{out, size, 0}, t, index};
    if (size) out[0] = '\0';
    if (n == TREE_BAD)
        print_text(&w.p, "?");
    else
        either(&w, n);
    return w.p.length;
}
