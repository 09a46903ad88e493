/* disjunctions.c : bounds that follow from disjunctions, and their common factors. */
#include "symbolic/poly/simplify.h"

static void hull(struct sym_range *a, const struct sym_range *b)
{
    a->has_lo &= b->has_lo;
    a->has_hi &= b->has_hi;
    if (b->lo < a->lo) a->lo = b->lo;
    if (b->hi > a->hi) a->hi = b->hi;
}

static void from_choice(struct sym_work *w, struct sym_facts *facts, const struct sym_form *f)
{
    struct sym_facts *arm = sym_take(w, 2 * sizeof *arm), *all = arm + 1;
    if (!arm) return;
    for (size_t i = 0; i < f->n; i++) {
        *arm = *facts;
        sym_learn(w, arm, f->arg[i]);
        if (i == 0) *all = *arm;
        for (int v = 0; v < SYM_MAX_VARS; v++) hull(&all->range[v], &arm->range[v]);
    }
    for (int v = 0; v < SYM_MAX_VARS; v++) facts->range[v] = all->range[v];
}

void sym_learn_choices(struct sym_work *w, struct sym_facts *facts, const struct sym_form *f)
{
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&f, &arg);
    for (size_t i = 0; i < n; i++) {
        if (arg[i]->kind == SYM_OR) from_choice(w, facts, arg[i]);
    }
}

static bool has(const struct sym_form *arm, const struct sym_form *f)
{
    const struct sym_form *const *arg = NULL;
    size_t n = sym_conjuncts(&arm, &arg);
    for (size_t i = 0; i < n; i++) {
        if (sym_same_form(arg[i], f)) return true;
    }
    return false;
}

static bool all_have(const struct sym_form *f, const struct sym_form *part)
{
    for (size_t i = 0; i < f->n; i++) {
        if (!has(f->arg[i], part)) return false;
    }
    return true;
}

/* The conjuncts of arm that all arms of f share, or those that they do not. */
static const struct sym_form *select(struct sym_work *w, const struct sym_form *f,
                                     const struct sym_form *arm, bool shared)
{
    const struct sym_form *const *arg = NULL;
    const struct sym_form *out = sym_bool(w, true);
    size_t n = sym_conjuncts(&arm, &arg);
    for (size_t i = 0; i < n; i++) {
        if (all_have(f, arg[i]) == shared) out = sym_and(w, out, arg[i]);
    }
    return out;
}

const struct sym_form *sym_factor(struct sym_work *w, const struct sym_form *f)
{
    if (!f || f->kind != SYM_OR) return f;
    const struct sym_form *common = select(w, f, f->arg[0], true), *rest = sym_bool(w, false);
    for (size_t i = 0; i < f->n; i++) rest = sym_or(w, rest, select(w, f, f->arg[i], false));
    return sym_and(w, common, rest);
}
