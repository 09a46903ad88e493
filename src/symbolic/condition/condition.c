/* condition.c : from descriptors and assumptions to the formula of their legality. */
#include "symbolic/condition/condition.h"
#include "symbolic/isl/session.h"
#include "symbolic/poly/parse.h"

#include <stdlib.h>
#include <string.h>

/* A parameter of which the assumptions leave one value is that value: K*ES under ES == 2 is 2*K.
 * The equality itself stays an assumption. */
static bool fix_assumed(struct tmap_condition *c)
{
    struct sym_work *w = &c->w;
    struct sym_facts *facts = sym_take(w, sizeof *facts);
    if (!facts) return false;
    sym_learn(w, facts, c->assume);
    c->assume = sym_and(w, sym_fixed(w, facts), sym_fix_form(w, facts, c->assume));
    return c->assume != NULL;
}

static bool read_input(struct tmap_condition *c, const struct tmap_symbolic_desc *descs, size_t n,
                       const char *const *assume, size_t n_assume)
{
    struct sym_work *w = &c->w;
    const char **copy = sym_take(w, (n_assume + 1) * sizeof *copy);
    c->descs = sym_take(w, n * sizeof *c->descs);
    c->assume = sym_bool(w, true);
    if (!copy || !c->descs) return false;
    c->n_descs = n;
    for (size_t i = 0; i < n; i++) {
        if (!sym_read_desc(w, &descs[i], &c->descs[i])) return false;
    }
    for (size_t i = 0; i < n_assume; i++) {
        const char *text = assume[i] ? assume[i] : "";
        copy[i] = sym_copy(w, text, strlen(text));
        c->assume = sym_and(w, c->assume, sym_parse_assumption(w, text));
        if (!c->assume) return false;
    }
    c->assumed = copy;
    c->n_assumed = n_assume;
    return fix_assumed(c);
}

/* The conjunction of row instances as they come, and which of them the assumptions leave open. */
struct gather {
    struct tmap_condition *c;
    size_t n, n_rows;
    const struct sym_form *form[SYM_MAX_CONJUNCTS];
    struct tmap_violation row[SYM_MAX_CONJUNCTS];
};

static bool keep(void *user, tmap_row row, int index, const struct sym_form *f)
{
    struct gather *g = user;
    struct sym_work *w = &g->c->w;
    if (g->n == SYM_MAX_CONJUNCTS) {
        return sym_fail(w, TMAP_E_BUDGET, "more than %d row instances", SYM_MAX_CONJUNCTS), false;
    }
    g->form[g->n++] = f;
    if (row != TMAP_NO_ROW && !((g->c->checker.active[row / 64] >> (row % 64)) & 1)) {
        g->c->needed = sym_and(w, g->c->needed, f);
    }
    const struct sym_form *open = row == TMAP_NO_ROW ? NULL : sym_simplify(w, f, g->c->assume);
    if (row == TMAP_NO_ROW || !open) return row == TMAP_NO_ROW;
    if (open->kind != SYM_TRUE) {
        g->row[g->n_rows++] = (struct tmap_violation){row, (int16_t)index};
    }
    return true;
}

static bool keep_rows(struct tmap_condition *c, const struct gather *g)
{
    c->rows = sym_take(&c->w, (g->n_rows + 1) * sizeof *c->rows);
    for (size_t i = 0; c->rows && i < g->n_rows; i++) {
        bool seen = false;
        for (size_t j = 0; j < c->n_rows; j++) {
            seen |= c->rows[j].row == g->row[i].row && c->rows[j].index == g->row[i].index;
        }
        if (!seen) c->rows[c->n_rows++] = g->row[i];
    }
    return c->rows != NULL;
}

static bool gather_rows(struct tmap_condition *c)
{
    struct sym_work *w = &c->w;
    struct gather *g = sym_take(w, sizeof *g);
    struct sym_facts *facts = sym_take(w, sizeof *facts);
    struct sym_desc *fixed = sym_take(w, sizeof *fixed);
    if (!g || !facts || !fixed) return false;
    g->c = c;
    c->full = c->needed = sym_bool(w, true);
    for (size_t i = 0; i < c->n_descs; i++) {
        struct sym_rows rows = {w, &c->checker, fixed, facts, keep, g};
        g->n = 0;
        memset(facts, 0, sizeof *facts);
        sym_learn(w, facts, c->assume);
        sym_learn_products(w, facts);
        if (!sym_fix_desc(w, facts, &c->descs[i], fixed) || !sym_rows_of(&rows)) return false;
        for (size_t k = 0; k < c->descs[i].n_uses; k++) {
            if (!sym_use_rows_of(&rows, k)) return false;
        }
        const struct sym_form *all = sym_join(w, SYM_AND, g->n, g->form);
        c->full = sym_and(w, c->full, sym_simplify(w, all, sym_bool(w, true)));
    }
    c->full = sym_simplify(w, c->full, sym_bool(w, true));
    return c->full && c->needed && keep_rows(c, g);
}

const struct sym_form *sym_guarded(struct tmap_condition *c)
{
    return sym_simplify(&c->w, sym_and(&c->w, c->assume, c->result), sym_bool(&c->w, true));
}

static enum tmap_status check_arguments(struct tmap_symbolic *s, const struct tmap_checker *checker,
                                        const void *descs, size_t n, const void *assume,
                                        size_t n_assume, void *out)
{
    if (!s) return TMAP_E_ARGUMENT;
    if (!checker || !out || !descs || n == 0 || (n_assume && !assume)) {
        return sym_report(s, TMAP_E_ARGUMENT, "a pointer is NULL, or there is no descriptor");
    }
    if (checker->covered != TMAP_OK) {
        return sym_report(s, checker->covered, "no source covers this target");
    }
    return TMAP_OK;
}

static struct tmap_condition *new_condition(struct tmap_symbolic *s,
                                            const struct tmap_checker *checker)
{
    struct tmap_condition *c = sym_allocate(s, sizeof *c);
    if (!c) return NULL;
    c->allocator = s->allocator;
    c->checker = *checker;
    if (sym_open(&c->w, &c->allocator)) return c;
    tmap_condition_free(c);
    return NULL;
}

enum tmap_status tmap_condition_of(struct tmap_symbolic *context,
                                   const struct tmap_checker *checker,
                                   const struct tmap_symbolic_desc *descs, size_t n,
                                   const char *const *assume, size_t n_assume,
                                   struct tmap_condition **out)
{
    enum tmap_status st = check_arguments(context, checker, descs, n, assume, n_assume, out);
    if (st == TMAP_OK) st = sym_isl_begin(context);
    if (st != TMAP_OK) return st;
    struct tmap_condition *c = new_condition(context, checker);
    if (!c) return sym_report(context, TMAP_E_MEMORY, "out of memory");
    if (read_input(c, descs, n, assume, n_assume) && gather_rows(c)) {
        sym_decide_condition(context, c);
    }
    st = c->w.status;
    sym_isl_end(context);
    if (st == TMAP_OK) {
        *out = c;
        return st;
    }
    sym_report(context, st, c->w.why);
    tmap_condition_free(c);
    return st;
}

void tmap_condition_free(struct tmap_condition *condition)
{
    if (!condition) return;
    struct tmap_allocator a = condition->allocator;
    condition->w.allocator = &a;
    sym_close(&condition->w);
    if (a.release) {
        a.release(a.user, condition);
    } else {
        free(condition);
    }
}

/* --- what a condition says ------------------------------------------------------------------ */

enum tmap_verdict tmap_condition_verdict(const struct tmap_condition *condition)
{
    return condition ? condition->verdict : TMAP_UNKNOWN;
}

bool tmap_condition_is_never(const struct tmap_condition *condition)
{
    return condition && condition->never;
}

bool tmap_condition_is_vacuous(const struct tmap_condition *condition)
{
    return condition && condition->vacuous;
}

const char *tmap_condition_reason(const struct tmap_condition *condition)
{
    return condition && condition->verdict == TMAP_UNKNOWN ? condition->w.why : "";
}

size_t tmap_condition_param_count(const struct tmap_condition *condition)
{
    return condition ? condition->w.n_params : 0;
}

const char *tmap_condition_param(const struct tmap_condition *condition, size_t i)
{
    return condition && i < condition->w.n_params ? condition->w.var[i].name : NULL;
}

static void widen(const struct tmap_condition *c, const int64_t *values, sym_int *out)
{
    for (size_t i = 0; i < c->w.n_params; i++) out[i] = values[i];
}

/* Of no parameters the values may be NULL. */
static bool has_values(const struct tmap_condition *c, const int64_t *values)
{
    return c && (values || c->w.n_params == 0);
}

int tmap_condition_holds(const struct tmap_condition *condition, const int64_t *values)
{
    sym_int wide[SYM_MAX_PARAMS];
    if (!has_values(condition, values)) return -1;
    widen(condition, values, wide);
    return sym_holds(&condition->w, condition->result, wide);
}

int tmap_condition_assumed(const struct tmap_condition *condition, const int64_t *values)
{
    sym_int wide[SYM_MAX_PARAMS];
    if (!has_values(condition, values)) return -1;
    widen(condition, values, wide);
    return sym_holds(&condition->w, condition->assume, wide);
}

bool tmap_condition_at(const struct tmap_condition *condition, size_t i, const int64_t *values,
                       struct tmap_desc *out)
{
    sym_int wide[SYM_MAX_PARAMS];
    if (!has_values(condition, values) || !out || i >= condition->n_descs) return false;
    widen(condition, values, wide);
    return sym_desc_at(&condition->w, &condition->descs[i], wide, out);
}

bool tmap_condition_use_at(const struct tmap_condition *condition, size_t i, size_t k,
                           const int64_t *values, struct tmap_use *out)
{
    sym_int wide[SYM_MAX_PARAMS];
    if (!has_values(condition, values) || !out || i >= condition->n_descs) return false;
    widen(condition, values, wide);
    const struct sym_desc *d = &condition->descs[i];
    return k < d->n_uses && sym_use_at(&condition->w, &d->uses[k], wide, out);
}

bool tmap_condition_counterexample(const struct tmap_condition *condition, int64_t *values)
{
    if (!has_values(condition, values) || !condition->has_counterexample) return false;
    if (values) memcpy(values, condition->counterexample, condition->w.n_params * sizeof *values);
    return true;
}

bool tmap_condition_undecided(const struct tmap_condition *condition, int64_t *values)
{
    if (!has_values(condition, values) || !condition->has_undecided) return false;
    if (values) memcpy(values, condition->undecided, condition->w.n_params * sizeof *values);
    return true;
}

enum tmap_status tmap_condition_rows(const struct tmap_condition *condition,
                                     struct tmap_violation *rows, size_t cap, size_t *found)
{
    if (!condition || !found || (cap && !rows)) return TMAP_E_ARGUMENT;
    for (size_t i = 0; i < condition->n_rows && i < cap; i++) rows[i] = condition->rows[i];
    *found = condition->n_rows;
    return TMAP_OK;
}
