/* parse.c : recursive descent over
 *
 *   assumption  side (compare side)+
 *   side        sum [% integer]
 *   sum         product ((+|-) product)*
 *   product     factor (* factor)*
 *   factor      - factor | integer | name | ( sum )
 */
#include "symbolic/poly/parse.h"

#include <string.h>

enum { MAX_DEPTH = 32, MAX_NAME = 31 };

struct parser {
    struct sym_work *w;
    const char *text, *at;
    int depth;
};

/* Letters are ASCII's, whatever the program's locale says: names become code. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip(struct parser *p)
{
    while (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r')) p->at++;
}

static void *expected(struct parser *p, const char *what)
{
    return sym_fail(p->w, TMAP_E_ARGUMENT, "\"%.60s\": expected %s at column %d", p->text, what,
                    (int)(p->at - p->text) + 1);
}

static bool eat(struct parser *p, const char *token)
{
    skip(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0) return false;
    p->at += n;
    return true;
}

static int digit(char c, int base)
{
    int d = is_digit(c) ? c - '0' : is_letter(c) ? (c | 32) - 'a' + 10 : 99;
    return d < base ? d : -1;
}

static bool integer(struct parser *p, sym_int *value)
{
    skip(p);
    int base = p->at[0] == '0' && (p->at[1] | 32) == 'x' ? 16 : 10;
    const char *at = p->at + (base == 16 ? 2 : 0);
    if (digit(*at, base) < 0) return expected(p, "a number"), false;
    for (*value = 0; digit(*at, base) >= 0; at++) {
        *value = *value * base + digit(*at, base);
        if (*value >> 64) return expected(p, "a number below 2^64"), false;
    }
    p->at = at;
    return true;
}

static const struct sym_poly *name(struct parser *p)
{
    const char *from = p->at;
    while (is_letter(*p->at) || is_digit(*p->at)) p->at++;
    size_t length = (size_t)(p->at - from);
    if (length > MAX_NAME) return expected(p, "a name of at most 31 characters");
    int var = sym_param(p->w, from, length);
    return var < 0 ? NULL : sym_of_var(p->w, var);
}

static const struct sym_poly *sum(struct parser *p);

static const struct sym_poly *factor(struct parser *p)
{
    const struct sym_poly *x;
    sym_int value;
    if (++p->depth > MAX_DEPTH) return expected(p, "fewer nested parentheses");
    if (eat(p, "-")) {
        x = factor(p);
        x = x ? sym_add(p->w, -1, x, 0, x) : NULL;
    } else if (eat(p, "(")) {
        x = sum(p);
        if (x && !eat(p, ")")) x = expected(p, "')'");
    } else if (is_letter(*p->at)) {
        x = name(p);
    } else {
        x = integer(p, &value) ? sym_const(p->w, value) : NULL;
    }
    p->depth--;
    return x;
}

static const struct sym_poly *product(struct parser *p)
{
    const struct sym_poly *x = factor(p);
    while (x && eat(p, "*")) x = sym_mul(p->w, x, factor(p));
    return x;
}

static const struct sym_poly *sum(struct parser *p)
{
    const struct sym_poly *x = product(p);
    for (;;) {
        if (!x) return NULL;
        if (eat(p, "+")) {
            x = sym_add(p->w, 1, x, 1, product(p));
        } else if (eat(p, "-")) {
            x = sym_add(p->w, 1, x, -1, product(p));
        } else {
            return x;
        }
    }
}

const struct sym_poly *sym_parse(struct sym_work *w, const char *text)
{
    struct parser p = {w, text, text, 0};
    const struct sym_poly *x = sum(&p);
    skip(&p);
    return x && *p.at ? expected(&p, "the end") : x;
}

/* A side of a comparison: x, or x % modulus. */
struct side {
    const struct sym_poly *x;
    sym_int modulus; /* 0: none */
};

static struct side side(struct parser *p)
{
    struct side s = {sum(p), 0};
    if (s.x && eat(p, "%")) {
        if (!integer(p, &s.modulus)) s.x = NULL;
        if (s.x && (s.modulus < 1 || s.modulus >> 62)) s.x = expected(p, "a modulus below 2^62");
    }
    return s;
}

enum compare { EQ, NE, LE, LT, GE, GT, NONE };

static enum compare compare(struct parser *p)
{
    static const char *const token[] = {"==", "!=", "<=", "<", ">=", ">"};
    for (int i = 0; i < NONE; i++) {
        if (eat(p, token[i])) return (enum compare)i;
    }
    return eat(p, "=") ? EQ : NONE;
}

/* x % m compared with an integer: the values 0 .. m-1 that x % m can have. */
static const struct sym_form *congruence(struct parser *p, struct side a, enum compare op,
                                         struct side b)
{
    sym_int r;
    if (b.modulus || (op != EQ && op != NE) || !sym_is_const(b.x, &r)) {
        return expected(p, "'== integer' or '!= integer' after a remainder");
    }
    const struct sym_form *f = sym_bool(p->w, false);
    if (r >= 0 && r < a.modulus) {
        const struct sym_poly *moved = sym_add(p->w, 1, a.x, -1, b.x);
        f = sym_mod(p->w, moved, a.modulus);
    }
    return op == NE ? sym_not(p->w, f) : f;
}

static const struct sym_form *comparison(struct parser *p, struct side a, enum compare op,
                                         struct side b)
{
    struct sym_work *w = p->w;
    if (a.modulus) return congruence(p, a, op, b);
    if (b.modulus) return expected(p, "the remainder on the left");
    sym_int sign = op == LE || op == LT ? -1 : 1, less = op == LT || op == GT;
    const struct sym_poly *d = sym_add(w, sign, a.x, -sign, b.x);
    if (op == EQ) return sym_eq(w, d);
    if (op == NE) return sym_not(w, sym_eq(w, d));
    return sym_ge(w, less ? sym_add(w, 1, d, -1, sym_const(w, 1)) : d);
}

const struct sym_form *sym_parse_assumption(struct sym_work *w, const char *text)
{
    struct parser p = {w, text, text, 0};
    const struct sym_form *all = sym_bool(w, true);
    struct side a = side(&p);
    for (int links = 0; a.x; links++) {
        enum compare op = compare(&p);
        skip(&p);
        if (op == NONE) {
            if (links == 0) return expected(&p, "a comparison");
            return *p.at ? expected(&p, "the end") : all;
        }
        struct side b = side(&p);
        if (!b.x) break;
        all = sym_and(w, all, comparison(&p, a, op, b));
        a = b;
    }
    return NULL;
}
