/* prove.c : for every row and all inputs: the native expression, as C's 64-bit arithmetic, says
 * what the row's tree says over ideal integers, wherever the rows it needs hold; and no signed
 * operation of it overflows there. Z3 answers; cvc5, where installed, answers the same questions
 * again.
 *
 * usage: prove [ROW]      exit code 1: a row is not proved
 */
#include "prove/bv.h"
#include "symbolic/smt/z3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NODES = 8192, TEXT_BYTES = 1 << 22, RLIMIT = 400000000 };

struct prover {
    struct tmap_symbolic *s;
    char dir[64]; /* of the dumped queries */
    bool has_cvc5;
    struct tree tree;
    struct tree_node *nodes;
    char *text;
    bool stepped[64][64]; /* step lemmas that hold */
    long rows, instances, queries, failed, unknown, disagreed, replayed, silent;
    double slowest_ms, slowest_row_ms;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* --- ideal integers in bit-vectors: as many bits as the largest number can need --------------- */

/* --- one instance ---------------------------------------------------------------------------- */

static int span_limit(enum row_span span, int index)
{
    switch (span) {
    case SPAN_DIMS:
    case SPAN_OUTER:
        return index;
    case SPAN_STRIDES:
        return index + 1;
    case SPAN_SPATIALS:
        return index + 2;
    default:
        return -1;
    }
}

static tnode in_span(struct tree *t, enum row_span span, int index)
{
    int limit = span_limit(span, index);
    if (limit < 0) return tree_bool(t, true);
    return tree_le(t, tree_const(t, limit + 1), tree_field(t, F_RANK));
}

/* All instances of the needed rows that the rank has. */
static tnode premise(struct tree *t, tmap_row row)
{
    tnode all = tree_bool(t, true);
    for (const tmap_row *need = row_table[row].needs; *need != ROW_END; need++) {
        enum row_span span = (enum row_span)row_table[*need].span;
        int first, n = row_instances(span, TMAP_MAX_RANK, &first);
        for (int i = first; i < first + n; i++) {
            tnode holds = tree_or(t, tree_not(t, in_span(t, span, i)), row_tree(t, *need, i));
            all = tree_and(t, all, holds);
        }
    }
    return all;
}

/* --- products -------------------------------------------------------------------------------
 * Equality of wide products is hard for any solver, and easy one bounded factor at a time (the step
 * lemma). Quotients, table entries and products become constants of few bits on both sides; lemmas
 * say that native and ideal value are that constant: for a product, that its operands are the same
 * numbers of so many bits, and that numbers of so many bits multiply alike in 64 and in more.
 * Fields that are factors are declared with the bits that the needed rows leave them (a lemma says
 * so). */

enum { WIDE_BITS = 17, MAX_PRODUCTS = 8, FIRST_TABLE = 5, FIRST_PRODUCT = 16 };

struct plan {
    tmap_row row;
    int index, rank; /* rank 0: any */
    bool product;
    bool opaque; /* the two sides' products have nothing to do with each other */
    enum { ANY_KIND, ITS_KINDS, OTHER_KINDS } kinds;
    uint8_t bits[FIELD_SLOTS];            /* declared bits; 0: the field's own */
    int wide;                             /* slot of a factor that may be large; 0: none */
    enum { ANY_SIZE, SMALL, LARGE } size; /* of that factor: below 2^WIDE_BITS, or not */
    bool factor[FIELD_SLOTS];
    bool has_quot[5], has_table[TABLE_COUNT];
    int n_products, product_bits[MAX_PRODUCTS];
    struct {
        tnode a, b;
    } operand[MAX_PRODUCTS];
};

static bool constant(const struct tree *t, tnode n)
{
    int128 k;
    return tree_is_const(t, n, &k);
}

static int bits_of(const struct plan *plan, const struct tree *t, tnode n);

static void find_product(struct tree *t, struct plan *plan, struct tree_node *e)
{
    int n = plan->n_products++;
    plan->product = true;
    if (n >= MAX_PRODUCTS) return;
    plan->operand[n].a = e->a;
    plan->operand[n].b = e->b;
    if (t->node[e->a].op == T_VAR) plan->factor[t->node[e->a].k] = true;
    if (t->node[e->b].op == T_VAR) plan->factor[t->node[e->b].k] = true;
    plan->product_bits[n] = bits_of(plan, t, e->a) + bits_of(plan, t, e->b);
    e->op = T_PARAM;
    e->k = FIRST_PRODUCT + n;
}

/* A factor that may be negative stays as it is: such products are of one factor and a constant of
 * few bits, which the solver can do. */
static bool is_negative(const struct tree *t, tnode n)
{
    const struct tree_node *e = &t->node[n];
    if (e->op == T_ITE) return is_negative(t, e->b) || is_negative(t, e->c);
    return e->op == T_VAR && sym_width_of((int)e->k).is_signed;
}

/* Turns table entries, quotients of boxes and products into parameters. */
static void find_factors(struct tree *t, struct plan *plan)
{
    plan->n_products = 0;
    for (int n = 0; n < t->count; n++) {
        struct tree_node *e = &t->node[n];
        if (e->op == T_TABLE && t->node[e->a].op == T_VAR && !plan->opaque) {
            plan->has_table[e->k] = true;
            e->op = T_PARAM;
            e->k += FIRST_TABLE;
        } else if (e->op == T_MUL && !constant(t, e->a) && !constant(t, e->b) &&
                   !is_negative(t, e->a) && !is_negative(t, e->b)) {
            find_product(t, plan, e);
        } else if (e->op == T_QUOT && t->node[e->a].op == T_VAR && !plan->opaque) {
            int j = (int)t->node[e->a].k - F_BOX;
            if (j < 0 || j >= 5) continue;
            e->op = T_PARAM;
            e->k = j;
            plan->has_quot[j] = true;
        }
    }
}

/* Bits that hold every value of a node, a sign included where there can be one. */
static int bits_of(const struct plan *plan, const struct tree *t, tnode n)
{
    const struct tree_node *e = &t->node[n];
    int a, b, own = 1;
    switch ((enum tree_op)e->op) {
    case T_CONST:
        for (int128 k = e->k < 0 ? -e->k : e->k; k; k >>= 1) own++;
        return own;
    case T_VAR:
        return plan->bits[e->k] ? plan->bits[e->k] : sym_width_of((int)e->k).bits + 1;
    case T_TABLE:
        return TABLE_BITS;
    case T_PARAM:
        return e->k < FIRST_TABLE     ? QUOT_BITS
               : e->k < FIRST_PRODUCT ? TABLE_BITS
                                      : plan->product_bits[e->k - FIRST_PRODUCT];
    case T_TRUE:
    case T_FALSE:
        return own;
    default:
        break;
    }
    a = bits_of(plan, t, e->a);
    b = e->op == T_NOT || e->op == T_IN || e->op == T_WRAP32 ? 0 : bits_of(plan, t, e->b);
    if (e->op == T_MUL) return a + b;
    if (e->op == T_ITE) {
        int c = bits_of(plan, t, e->c);
        return b > c ? b : c;
    }
    return (a > b ? a : b) + (e->op == T_ADD || e->op == T_SUB);
}

static int widest(const struct plan *plan, const struct tree *t)
{
    int most = 66;
    for (int n = 0; n < t->count; n++) {
        int bits = bits_of(plan, t, n) + 2;
        if (bits > most) most = bits;
    }
    return most;
}

/* A constant of so many bits, and the parameter that the ideal side reads it as. */
static void declare_small(struct sym_text *t, const char *name, int number, int parameter, int few,
                          int bits)
{
    sym_put(t, "(declare-const %s_%d (_ BitVec %d))\n", name, number, few);
    sym_put(t, "(define-fun param_%d () (_ BitVec %d) ((_ zero_extend %d) %s_%d))\n", parameter,
            bits, bits - few, name, number);
}

static void declare(struct sym_text *t, const struct plan *plan, int bits)
{
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        char name[48];
        int own = sym_width_of(slot).bits, few = plan->bits[slot];
        sym_smt_name(slot, name);
        if (slot == F_RANK && plan->rank) {
            sym_put(t, "(define-fun %s () (_ BitVec %d) (_ bv%d %d))\n", name, own, plan->rank,
                    own);
        } else if (few && few < own) {
            sym_put(t, "(declare-const few_%s (_ BitVec %d))\n", name, few);
            sym_put(t, "(define-fun %s () (_ BitVec %d) ((_ zero_extend %d) few_%s))\n", name, own,
                    own - few, name);
        } else {
            sym_put(t, "(declare-const %s (_ BitVec %d))\n", name, own);
        }
    }
    for (int j = 0; j < 5; j++) {
        if (plan->has_quot[j]) declare_small(t, "quot", j, j, QUOT_BITS, bits);
    }
    for (int k = 0; k < TABLE_COUNT; k++) {
        if (plan->has_table[k]) declare_small(t, "table", k, FIRST_TABLE + k, TABLE_BITS, bits);
    }
    for (int n = 0; n < plan->n_products && n < MAX_PRODUCTS; n++) {
        if (plan->opaque) {
            sym_put(t, "(declare-const prod_%d (_ BitVec 64))\n", n);
            sym_put(t, "(declare-const param_%d (_ BitVec %d))\n", FIRST_PRODUCT + n, bits);
            continue;
        }
        declare_small(t, "prod", n, FIRST_PRODUCT + n, plan->product_bits[n], bits);
    }
}

static void assert_node(struct prover *p, struct sym_text *t, tnode n, int bits)
{
    sym_put(t, "(assert ");
    sym_smt_tree(t, &p->tree, n, bits);
    sym_put(t, ")\n");
}

enum question { SAME, DEFINED, OPERANDS, STEP, STEP_BOUND, QUOTIENT, LOOKUP, FACTOR };

/* The needs, the span and the rank: what may be assumed. */
static tnode assumptions(struct prover *p, const struct plan *plan)
{
    struct tree *t = &p->tree;
    enum row_span span = (enum row_span)row_table[plan->row].span;
    tnode given = tree_and(t, premise(t, plan->row), in_span(t, span, plan->index));
    if (plan->kinds != ANY_KIND) {
        tnode its = tree_in(t, tree_field(t, F_KIND), row_table[plan->row].kinds);
        given = tree_and(t, given, plan->kinds == ITS_KINDS ? its : tree_not(t, its));
    }
    if (plan->size != ANY_SIZE) {
        tnode large = tree_le(t, tree_const(t, (int128)1 << WIDE_BITS), tree_field(t, plan->wide));
        given = tree_and(t, given, plan->size == LARGE ? large : tree_not(t, large));
    }
    if (!plan->rank) return given;
    return tree_and(t, given, tree_eq(t, tree_field(t, F_RANK), tree_const(t, plan->rank)));
}

/* That native and ideal quotient of dimension `at` are one number of QUOT_BITS bits. */
static void assert_quotient(struct prover *p, struct sym_text *t, const struct bv_builder *b,
                            int at)
{
    struct tree *tree = &p->tree;
    tnode ideal = tree_quot(tree, tree_field(tree, F_BOX + at), tree_field(tree, F_ESTRIDE + at));
    const char *native = b->quotient[at].text;
    sym_put(t, "(assert (not (and (bvult %s (_ bv%d 64)) (= ((_ zero_extend 16) %s) ", native,
            1 << QUOT_BITS, native);
    sym_smt_tree(t, tree, ideal, 80);
    sym_put(t, "))))\n");
}

/* The same of a table's entry. */
static void assert_lookup(struct prover *p, struct sym_text *t, const struct bv_builder *b, int at)
{
    struct tree *tree = &p->tree;
    int slot = at == TABLE_SPAN ? F_SWIZZLE : F_DTYPE;
    const char *native = b->table[at].text;
    sym_put(t, "(assert (not (and (bvult %s (_ bv%d 64)) (= ((_ zero_extend 16) %s) ", native,
            1 << TABLE_BITS, native);
    sym_smt_tree(t, tree, tree_table(tree, (enum table_id)at, tree_field(tree, slot)), 80);
    sym_put(t, "))))\n");
}

/* That the operands of product number `at` are the same numbers on both sides. */
static void assert_operands(struct prover *p, struct sym_text *t, const struct bv_builder *b,
                            const struct plan *plan, int at, int bits)
{
    const char *native[] = {b->product[at].x.text, b->product[at].y.text};
    tnode ideal[] = {plan->operand[at].a, plan->operand[at].b};
    sym_put(t, "(assert (not (and");
    for (int i = 0; i < 2; i++) {
        sym_put(t, " (= ((_ zero_extend %d) %s) ", bits - 64, native[i]);
        sym_smt_tree(t, &p->tree, ideal[i], bits);
        sym_put(t, ") (bvult %s (_ bv%llu 64))", native[i],
                1ull << bits_of(plan, &p->tree, ideal[i]));
    }
    sym_put(t, ")))\n");
}

/* That numbers of so many bits have one product, in 64 bits and in more; and that it has no more
 * than their bits together. Asked at once, these two easy questions are a hard one. */
static void assert_step(struct prover *p, struct sym_text *t, const struct plan *plan, int at,
                        int bits, bool bound)
{
    int a = bits_of(plan, &p->tree, plan->operand[at].a);
    int b = bits_of(plan, &p->tree, plan->operand[at].b);
    sym_put(t, "(declare-const u (_ BitVec %d))\n(declare-const v (_ BitVec %d))\n", a, b);
    sym_put(t,
            "(define-fun product () (_ BitVec 64) (bvmul ((_ zero_extend %d) u) "
            "((_ zero_extend %d) v)))\n",
            64 - a, 64 - b);
    if (bound) {
        sym_put(t, "(assert (not (bvult product (_ bv%llu 64))))\n", 1ull << (a + b));
    } else {
        sym_put(t,
                "(assert (not (= ((_ zero_extend %d) product) (bvmul ((_ zero_extend %d) u) "
                "((_ zero_extend %d) v)))))\n",
                bits - 64, bits - a, bits - b);
    }
}

static const char *write_query(struct prover *p, struct sym_work *w, struct plan *plan,
                               enum question question, int at)
{
    struct sym_text t = {p->text, TEXT_BYTES, 0};
    struct bv_builder b = {.w = w,
                           .defined = "",
                           .opaque = plan->opaque,
                           .abstract = plan->product && !plan->opaque && question <= STEP_BOUND};
    b.product_bits = plan->product_bits;
    struct plan plain = {.row = plan->row};
    struct bv native = bv_violated(&b, plan->row, plan->index);
    tree_init(&p->tree, p->nodes, MAX_NODES, sym_bind_free, NULL);
    tnode given = assumptions(p, plan),
          ideal = tree_not(&p->tree, row_tree(&p->tree, plan->row, plan->index));
    if (given == TREE_BAD || ideal == TREE_BAD) return NULL;
    if (b.abstract || b.opaque) find_factors(&p->tree, plan);
    int bits = question == QUOTIENT || question == LOOKUP ? 80 : widest(plan, &p->tree);
    plain.rank = plan->rank;
    bool step = question == STEP || question == STEP_BOUND;
    if (!step) declare(&t, question <= OPERANDS ? plan : &plain, bits);
    if (!step) assert_node(p, &t, given, bits);
    if (question == SAME) {
        sym_put(&t, "(assert (not (= %s ", native.text);
        sym_smt_tree(&t, &p->tree, ideal, bits);
        sym_put(&t, ")))\n");
    } else if (question == DEFINED) {
        sym_put(&t, "(assert (not (and true %s)))\n", b.defined);
    } else if (question == OPERANDS) {
        assert_operands(p, &t, &b, plan, at, bits);
    } else if (step) {
        assert_step(p, &t, plan, at, bits, question == STEP_BOUND);
    } else if (question == QUOTIENT) {
        assert_quotient(p, &t, &b, at);
    } else if (question == LOOKUP) {
        assert_lookup(p, &t, &b, at);
    } else {
        char name[48];
        sym_put(&t, "(assert (bvuge %s (_ bv%llu %d)))\n", sym_smt_name(at, name),
                1ull << plan->bits[at], sym_width_of(at).bits);
    }
    return t.length < TEXT_BYTES ? p->text : NULL;
}

/* --- the second opinion ---------------------------------------------------------------------- */

static void replay(struct prover *p, const char *text, enum sym_answer z3, const char *id)
{
    char file[160], command[300], answer[32] = "";
    snprintf(file, sizeof file, "%s/%s_%ld.smt2", p->dir, id, p->queries);
    FILE *out = fopen(file, "w");
    if (!out) return;
    fprintf(out, "(set-logic QF_BV)\n%s(check-sat)\n", text);
    fclose(out);
    snprintf(command, sizeof command, "cvc5 --tlimit=20000 %s 2>/dev/null", file);
    FILE *in = popen(command, "r");
    if (in && !fgets(answer, sizeof answer, in)) answer[0] = 0;
    if (in) pclose(in);
    unlink(file);
    bool unsat = strncmp(answer, "unsat", 5) == 0, sat = strncmp(answer, "sat", 3) == 0;
    p->replayed += unsat || sat;
    if ((unsat && z3 == SYM_SAT) || (sat && z3 == SYM_UNSAT)) {
        printf("%s: Z3 and cvc5 disagree\n", id);
        p->disagreed++;
    }
    p->silent += !unsat && !sat;
}

static enum sym_answer ask(struct prover *p, struct plan *plan, enum question question, int at)
{
    struct sym_work w;
    enum sym_answer answer = SYM_UNKNOWN;
    if (!sym_open(&w, NULL)) return SYM_UNKNOWN;
    const char *text = write_query(p, &w, plan, question, at), *id = row_table[plan->row].id;
    struct sym_query query = {text, "QF_BV", NULL, 0, NULL};
    double start = now_ms();
    if (!text || sym_z3_ask(p->s, &query, &answer) != TMAP_OK) {
        printf("%s[%d]: %s\n", id, plan->index,
               text ? tmap_symbolic_why(p->s) : "the query is too large");
        p->failed++;
    }
    double took = now_ms() - start;
    if (took > p->slowest_ms) p->slowest_ms = took;
    p->queries++;
    if (text && p->has_cvc5) replay(p, text, answer, id);
    sym_close(&w);
    return answer;
}

static bool judge(struct prover *p, struct plan *plan, enum question question, int at,
                  const char *what)
{
    enum sym_answer answer = ask(p, plan, question, at);
    if (answer == SYM_UNSAT) return true;
    printf("%s[%d] %s: %s: %s\n", row_table[plan->row].id, plan->index, row_table[plan->row].name,
           answer == SYM_SAT ? "NOT PROVED" : "unknown", what);
    if (answer == SYM_SAT) {
        p->failed++;
    } else {
        p->unknown++;
    }
    return false;
}

/* The fewest bits, of some, that hold every value of the field that the needs leave. */
static void narrow(struct prover *p, struct plan *plan, int slot)
{
    static const uint8_t some[] = {4, 9, 11, 17, 33};
    for (size_t i = 0; i < sizeof some && some[i] < sym_width_of(slot).bits; i++) {
        plan->bits[slot] = some[i];
        if (ask(p, plan, FACTOR, slot) == SYM_UNSAT) return;
    }
    plan->bits[slot] = 0;
}

static void prove_steps(struct prover *p, struct plan *plan)
{
    for (int j = 0; j < (plan->rank ? plan->rank : TMAP_MAX_RANK); j++) {
        if (plan->has_quot[j]) judge(p, plan, QUOTIENT, j, "a quotient differs");
    }
    for (int k = 0; k < TABLE_COUNT; k++) {
        if (plan->has_table[k]) judge(p, plan, LOOKUP, k, "a table's entry differs");
    }
    for (int n = 0; n < plan->n_products; n++) {
        if (n == MAX_PRODUCTS || plan->product_bits[n] > 62) {
            printf("%s: product %d is too wide for the step lemma\n", row_table[plan->row].id, n);
            p->failed++;
            return;
        }
        judge(p, plan, OPERANDS, n, "the operands of a product differ");
        int a = bits_of(plan, &p->tree, plan->operand[n].a);
        int b = bits_of(plan, &p->tree, plan->operand[n].b);
        if (!p->stepped[a][b]) {
            p->stepped[a][b] = judge(p, plan, STEP, n, "a product differs") &&
                               judge(p, plan, STEP_BOUND, n, "a product has more bits");
        }
    }
}

/* Where the products cannot matter: neither side may look at them. */
static void prove_opaque(struct prover *p, const struct plan *plan, const char *what)
{
    struct plan opaque = *plan;
    opaque.opaque = true;
    memset(opaque.bits, 0, sizeof opaque.bits);
    judge(p, &opaque, SAME, 0, what);
}

/* A factor that the needs leave unbounded is split in a small and a large part. */
static void narrow_all(struct prover *p, struct plan *plan)
{
    plan->size = ANY_SIZE;
    memset(plan->bits, 0, sizeof plan->bits);
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        if (!plan->factor[slot]) continue;
        narrow(p, plan, slot);
        if (plan->bits[slot] || plan->size != ANY_SIZE || sym_width_of(slot).bits != 64) continue;
        plan->wide = slot;
        plan->size = LARGE;
        prove_opaque(p, plan, "native and ideal differ where a factor is large");
        plan->size = SMALL;
        plan->bits[slot] = WIDE_BITS;
    }
}

static bool needs(tmap_row row, tmap_row what)
{
    for (const tmap_row *need = row_table[row].needs; *need != ROW_END; need++) {
        if (*need == what) return true;
    }
    return false;
}

static void prove_product(struct prover *p, struct plan *plan)
{
    plan->kinds = OTHER_KINDS;
    if (row_table[plan->row].kinds != KINDS_ANY) {
        prove_opaque(p, plan, "native and ideal differ for the kinds it is not about");
    }
    plan->kinds = row_table[plan->row].kinds == KINDS_ANY ? ANY_KIND : ITS_KINDS;
    bool split = needs(plan->row, ROW_TMA002); /* else the rank may be anything */
    for (plan->rank = split; plan->rank <= (split ? TMAP_MAX_RANK : 0); plan->rank++) {
        narrow_all(p, plan);
        tree_init(&p->tree, p->nodes, MAX_NODES, sym_bind_free, NULL);
        row_tree(&p->tree, plan->row, plan->index);
        find_factors(&p->tree, plan);
        prove_steps(p, plan);
        judge(p, plan, SAME, 0, "native and ideal differ");
        judge(p, plan, DEFINED, 0, "a signed operation overflows");
    }
}

static void prove_instance(struct prover *p, struct plan *plan)
{
    tree_init(&p->tree, p->nodes, MAX_NODES, sym_bind_free, NULL);
    row_tree(&p->tree, plan->row, plan->index);
    find_factors(&p->tree, plan);
    p->instances++;
    if (plan->product) {
        prove_product(p, plan);
    } else {
        judge(p, plan, SAME, 0, "native and ideal differ");
        judge(p, plan, DEFINED, 0, "a signed operation overflows");
    }
}

static void prove_row(struct prover *p, tmap_row row)
{
    int first, n = row_instances((enum row_span)row_table[row].span, TMAP_MAX_RANK, &first);
    double start = now_ms();
    for (int i = first; i < first + n; i++) {
        struct plan plan = {.row = row, .index = i};
        prove_instance(p, &plan);
    }
    p->rows++;
    double took = now_ms() - start;
    if (took > p->slowest_row_ms) p->slowest_row_ms = took;
    printf("%s %-42s %d instance%s %8.1f ms\n", row_table[row].id, row_table[row].name, n,
           n == 1 ? " " : "s", took);
}

static int run(struct prover *p, const char *only)
{
    double start = now_ms();
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        if (only && strcmp(only, row_table[row].id) != 0) continue;
        prove_row(p, row);
    }
    printf("\n%ld rows, %ld instances, %ld queries in %.1f s; slowest row %.0f ms, slowest query "
           "%.0f ms: %ld failed, %ld unknown\n",
           p->rows, p->instances, p->queries, (now_ms() - start) / 1e3, p->slowest_row_ms,
           p->slowest_ms, p->failed, p->unknown);
    if (p->has_cvc5) {
        printf("cvc5 answered %ld of them, gave up on %ld: %ld disagreements\n", p->replayed,
               p->silent, p->disagreed);
    } else {
        printf("SKIP cvc5: not installed\n");
    }
    return p->failed || p->unknown || p->disagreed;
}

int main(int argc, char **argv)
{
    struct tmap_symbolic_options options = {.z3_rlimit = RLIMIT};
    struct prover p = {.dir = "/tmp/tmap-prove-XXXXXX"};
    setvbuf(stdout, NULL, _IOLBF, 0);
    p.has_cvc5 =
        !getenv("TMAP_NO_CVC5") && system("command -v cvc5 >/dev/null 2>&1") == 0 && mkdtemp(p.dir);
    p.nodes = malloc(MAX_NODES * sizeof *p.nodes);
    p.text = malloc(TEXT_BYTES);
    if (!p.nodes || !p.text || tmap_symbolic_open(&options, &p.s) != TMAP_OK) return 2;
    if (sym_z3_start(p.s) != TMAP_OK) {
        printf("SKIP prove: %s\n", tmap_symbolic_why(p.s));
        return 0;
    }
    printf("%s\n", tmap_symbolic_solvers(p.s));
    int failed = run(&p, argc > 1 ? argv[1] : NULL);
    if (p.has_cvc5) rmdir(p.dir);
    tmap_symbolic_close(p.s);
    free(p.nodes);
    free(p.text);
    return failed;
}
