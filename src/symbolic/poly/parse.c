/* parse.c : recursive descent over
 *
 *   assumption  choice (or choice)*        or, also ||
 *   choice      part (and part)*           and, also &&
 *   part        ( assumption ) | side (compare side)+
 *   side        sum [% integer]
 *   sum         product ((+|-) product)*
 *   product     factor ((* factor) | (/ integer))*
 *   factor      - factor | integer | name | ( sum ) | ceildiv(sum, integer)
 *               | min(sum, sum, ...) | max(sum, sum, ...)
 *
 * / and // round down, as Python's //; ceildiv rounds up.
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

static bool divisor(struct parser *p, sym_int *by)
{
    skip(p);
    const char *from = p->at;
    if (is_digit(*from) && integer(p, by) && *by >= 1 && !(*by >> 62)) return true;
    p->at = from;
    return expected(p, "a positive integer below 2^62"), false;
}

/* floor((x + by - 1) / by); behind "ceildiv". */
static const struct sym_poly *ceildiv(struct parser *p)
{
    sym_int by = 1;
    if (!eat(p, "(")) return expected(p, "'('");
    const struct sym_poly *x = sum(p);
    if (!x) return NULL;
    if (!eat(p, ",")) return expected(p, "','");
    if (!divisor(p, &by)) return NULL;
    if (!eat(p, ")")) return expected(p, "')'");
    return sym_floor(p->w, sym_add(p->w, 1, x, 1, sym_const(p->w, by - 1)), by);
}

/* The word at p is `word`, whole; not eaten. */
static bool at_word(const struct parser *p, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(p->at, word, n) && !is_letter(p->at[n]) && !is_digit(p->at[n]);
}

static bool eat_word(struct parser *p, const char *word)
{
    skip(p);
    if (!at_word(p, word)) return false;
    p->at += strlen(word);
    return true;
}

/* Of two or more; behind "min" or "max". */
static const struct sym_poly *extreme(struct parser *p, enum sym_var_kind kind)
{
    if (!eat(p, "(")) return expected(p, "'('");
    const struct sym_poly *x = sum(p);
    for (int n = 1; x; n++) {
        if (n > 1 && eat(p, ")")) return x;
        if (!eat(p, ",")) return expected(p, n > 1 ? "',' or ')'" : "','");
        x = sym_extreme(p->w, kind, x, sum(p));
    }
    return NULL;
}

static const struct sym_poly *named(struct parser *p)
{
    if (eat_word(p, "ceildiv")) return ceildiv(p);
    if (eat_word(p, "min")) return extreme(p, SYM_MIN);
    if (eat_word(p, "max")) return extreme(p, SYM_MAX);
    if (at_word(p, "and") || at_word(p, "or")) return expected(p, "a number or a name");
    return name(p);
}

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
        x = named(p);
    } else {
        x = integer(p, &value) ? sym_const(p->w, value) : NULL;
    }
    p->depth--;
    return x;
}

static const struct sym_poly *product(struct parser *p)
{
    const struct sym_poly *x = factor(p);
    sym_int by = 1;
    while (x) {
        if (eat(p, "*")) {
            x = sym_mul(p->w, x, factor(p));
        } else if (eat(p, "//") || eat(p, "/")) {
            x = divisor(p, &by) ? sym_floor(p->w, x, by) : NULL;
        } else {
            break;
        }
    }
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

static const struct sym_form *chain(struct parser *p)
{
    const struct sym_form *all = sym_bool(p->w, true);
    struct side a = side(p);
    for (int links = 0; a.x; links++) {
        enum compare op = compare(p);
        skip(p);
        if (op == NONE) return links ? all : expected(p, "a comparison");
        struct side b = side(p);
        if (!b.x) break;
        all = sym_and(p->w, all, comparison(p, a, op, b));
        a = b;
    }
    return NULL;
}

/* Whether the parenthesis at p holds comparisons: then it is a part, else it begins an expression.
 */
static bool is_group(const struct parser *p)
{
    int depth = 0;
    for (const char *at = p->at; *at; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (depth == 0) return false;
        if (strchr("<>=!", *at)) return true;
    }
    return false;
}

static const struct sym_form *assumption(struct parser *p);

static const struct sym_form *part(struct parser *p)
{
    skip(p);
    if (*p->at != '(' || !is_group(p)) return chain(p);
    if (++p->depth > MAX_DEPTH) return expected(p, "fewer nested parentheses");
    p->at++;
    const struct sym_form *f = assumption(p);
    p->depth--;
    return f && !eat(p, ")") ? expected(p, "')'") : f;
}

static const struct sym_form *choice(struct parser *p)
{
    const struct sym_form *f = part(p);
    while (f && (eat_word(p, "and") || eat(p, "&&"))) f = sym_and(p->w, f, part(p));
    return f;
}

static const struct sym_form *assumption(struct parser *p)
{
    const struct sym_form *f = choice(p);
    while (f && (eat_word(p, "or") || eat(p, "||"))) f = sym_or(p->w, f, choice(p));
    return f;
}

const struct sym_form *sym_parse_assumption(struct sym_work *w, const char *text)
{
    struct parser p = {w, text, text, 0};
    const struct sym_form *f = assumption(&p);
    skip(&p);
    return f && *p.at ? expected(&p, "the end") : f;
}
