/* condition_text.c : a condition in the forms that users ask for. */
#include "symbolic/condition/condition.h"
#include "symbolic/condition/emit_c.h"
#include "symbolic/poly/print.h"

#include <string.h>

/* What was read as expressions has no quote and no backslash; white space it may have. */
static void put_string(struct sym_text *t, const char *text)
{
    sym_put(t, "\"");
    for (const char *p = text; *p; p++) {
        if ((unsigned char)*p < 0x20) {
            sym_put(t, "\\u%04x", (unsigned)(unsigned char)*p);
        } else {
            sym_put(t, "%c", *p);
        }
    }
    sym_put(t, "\"");
}

static void put_point(struct sym_text *t, const struct tmap_condition *c, bool known,
                      const int64_t *value)
{
    if (!known) {
        sym_put(t, "null");
        return;
    }
    sym_put(t, "{");
    for (size_t i = 0; i < c->w.n_params; i++) {
        sym_put(t, "%s\"%s\": %lld", i ? ", " : "", c->w.var[i].name, (long long)value[i]);
    }
    sym_put(t, "}");
}

static void put_rows(struct sym_text *t, const struct tmap_condition *c)
{
    sym_put(t, "[");
    for (size_t i = 0; i < c->n_rows; i++) {
        sym_put(t, "%s\"%s", i ? ", " : "", tmap_row_id(c->rows[i].row));
        if (c->rows[i].index >= 0) sym_put(t, "[%d]", c->rows[i].index);
        sym_put(t, "\"");
    }
    sym_put(t, "]");
}

static void put_names(struct sym_text *t, const struct tmap_condition *c)
{
    sym_put(t, "[");
    for (size_t i = 0; i < c->w.n_params; i++) {
        sym_put(t, "%s\"%s\"", i ? ", " : "", c->w.var[i].name);
    }
    sym_put(t, "], \"assume\": [");
    for (size_t i = 0; i < c->n_assumed; i++) {
        sym_put(t, i ? ", " : "");
        put_string(t, c->assumed[i]);
    }
    sym_put(t, "]");
}

static bool put_c(struct sym_text *t, struct tmap_condition *c)
{
    struct sym_c_text text = {t, &c->w, "tmap", 0};
    const struct sym_form *both = sym_guarded(c);
    return both && sym_emit_c(&text, both);
}

/* The padding whole, however long it is, in the arena. */
static enum tmap_status take_padding(struct tmap_symbolic *s, struct tmap_condition *c,
                                     enum tmap_formula_form form, const char **out)
{
    size_t cap = 0, length = 2047; /* most need no second call */
    while (length >= cap) {
        cap = length + 1;
        char *at = sym_take(&c->w, cap);
        if (!at) return c->w.status;
        enum tmap_status st = tmap_condition_padding(s, c, form, at, cap, &length);
        if (st != TMAP_OK) return st;
        *out = at;
    }
    return TMAP_OK;
}

/* False: no memory, which is no answer. */
static bool put_padding(struct tmap_symbolic *s, struct sym_text *t, struct tmap_condition *c)
{
    for (int isl = 0; isl < 2; isl++) {
        const char *text = NULL;
        enum tmap_status st = take_padding(s, c, isl ? TMAP_FORM_ISL : TMAP_FORM_TEXT, &text);
        if (st == TMAP_E_MEMORY) return sym_fail(&c->w, st, "%s", tmap_symbolic_why(s)), false;
        sym_put(t, isl ? ", \"padding_isl\": " : ", \"padding\": ");
        if (st == TMAP_OK) {
            put_string(t, text);
        } else {
            sym_put(t, "null");
        }
    }
    return true;
}

static void put_json(struct tmap_symbolic *s, struct sym_text *t, struct tmap_condition *c)
{
    static const char *const verdict[] = {"legal", "illegal", "unknown"};
    const bool open = c->result->kind > SYM_TRUE; /* then the verdict is not legal */
    sym_put(t, "{\"verdict\": \"%s\", \"forall\": \"%s\", ",
            open ? "conditional" : verdict[c->verdict], verdict[c->verdict]);
    sym_put(t, "\"basis\": \"%s\", \"never\": %s, \"vacuous\": %s, ",
            c->checker.basis == TMAP_OBSERVED ? "observed" : "inferred",
            c->never ? "true" : "false", c->vacuous ? "true" : "false");
    sym_put(t, "\"parameters\": ");
    put_names(t, c);
    sym_put(t, ", \"condition\": \"");
    sym_print_form(t, &c->w, SYM_TEXT, c->result);
    sym_put(t, "\", \"isl\": \"");
    sym_print_isl(t, &c->w, c->result);
    sym_put(t, "\", \"python\": \"");
    sym_print_form(t, &c->w, SYM_PYTHON, c->result);
    sym_put(t, "\", \"rows\": ");
    put_rows(t, c);
    sym_put(t, ", \"counterexample\": ");
    put_point(t, c, c->has_counterexample, c->counterexample);
    sym_put(t, ", \"undecided\": ");
    put_point(t, c, c->has_undecided, c->undecided);
    sym_put(t, ", \"reason\": ");
    put_string(t, tmap_condition_reason(c));
    if (put_padding(s, t, c)) sym_put(t, "}");
}

static bool put_form(struct tmap_symbolic *s, struct sym_text *t, struct tmap_condition *c,
                     enum tmap_formula_form form)
{
    switch (form) {
    case TMAP_FORM_TEXT:
        sym_print_form(t, &c->w, SYM_TEXT, c->result);
        break;
    case TMAP_FORM_ISL:
        sym_print_isl(t, &c->w, c->result);
        break;
    case TMAP_FORM_C:
        return put_c(t, c);
    case TMAP_FORM_PYTHON:
        sym_print_form(t, &c->w, SYM_PYTHON, c->result);
        break;
    case TMAP_FORM_JSON:
        put_json(s, t, c);
        break;
    }
    return c->w.status == TMAP_OK;
}

enum tmap_status tmap_condition_text(struct tmap_symbolic *context,
                                     const struct tmap_condition *condition,
                                     enum tmap_formula_form form, char *at, size_t cap,
                                     size_t *length)
{
    if (!context) return TMAP_E_ARGUMENT;
    if (!condition || !length || (cap && !at) || form > TMAP_FORM_JSON) {
        return sym_report(context, TMAP_E_ARGUMENT, "a pointer is NULL, or an unknown form");
    }
    struct tmap_condition local = *condition;
    struct sym_text t = {at, cap, 0};
    bool ok = sym_fork(&local.w, &condition->w, &context->allocator);
    if (ok) ok = put_form(context, &t, &local, form);
    sym_close(&local.w);
    if (!ok) return sym_report(context, local.w.status, local.w.why);
    *length = t.length;
    return TMAP_OK;
}
