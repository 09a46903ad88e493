/* join.c : the parts that formulas are put together from. */
#include "symbolic/poly/form.h"

#include <string.h>

static struct sym_form *room(struct sym_work *w, enum sym_kind kind)
{
    struct sym_form *f = sym_take(w, sizeof *f);
    if (f) f->kind = kind;
    return f;
}

const struct sym_form *sym_atom(struct sym_work *w, enum sym_kind kind, const struct sym_poly *p,
                                sym_int modulus)
{
    struct sym_form *f = p ? room(w, kind) : NULL;
    if (f) {
        f->poly = p;
        f->modulus = modulus;
    }
    return f;
}

const struct sym_form *sym_bool(struct sym_work *w, bool value)
{
    return room(w, value ? SYM_TRUE : SYM_FALSE);
}

/* How many entries an argument adds, and their copy. */
static size_t splice(enum sym_kind kind, const struct sym_form *f, const struct sym_form **to)
{
    if (f->kind == (kind == SYM_AND ? SYM_TRUE : SYM_FALSE)) return 0;
    if (f->kind == kind) {
        if (to) memcpy(to, f->arg, f->n * sizeof *to);
        return f->n;
    }
    if (to) *to = f;
    return 1;
}

const struct sym_form *sym_join(struct sym_work *w, enum sym_kind kind, size_t n,
                                const struct sym_form *const *arg)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        if (!arg[i]) return NULL;
        if (arg[i]->kind == (kind == SYM_AND ? SYM_FALSE : SYM_TRUE)) return arg[i];
        total += splice(kind, arg[i], NULL);
    }
    if (total == 0) return sym_bool(w, kind == SYM_AND);
    if (total > SYM_MAX_CONJUNCTS) {
        return sym_fail(w, TMAP_E_BUDGET, "more than %d cases", SYM_MAX_CONJUNCTS);
    }
    const struct sym_form **all = sym_take(w, total * sizeof *all);
    if (!all) return NULL;
    for (size_t i = 0, at = 0; i < n; i++) at += splice(kind, arg[i], all + at);
    if (total == 1) return all[0];
    struct sym_form *f = room(w, kind);
    if (f) {
        f->n = total;
        f->arg = all;
    }
    return f;
}

const struct sym_form *sym_and(struct sym_work *w, const struct sym_form *a,
                               const struct sym_form *b)
{
    const struct sym_form *both[] = {a, b};
    return sym_join(w, SYM_AND, 2, both);
}

const struct sym_form *sym_or(struct sym_work *w, const struct sym_form *a,
                              const struct sym_form *b)
{
    const struct sym_form *both[] = {a, b};
    return sym_join(w, SYM_OR, 2, both);
}
