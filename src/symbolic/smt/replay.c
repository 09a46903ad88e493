/* replay.c : the logic that a text needs, read off the text itself. */
#include "symbolic/smt/replay.h"

#include <string.h>

static const char *skip_space(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\t') p++;
    return p;
}

/* Behind one term. */
static const char *skip_term(const char *p)
{
    int depth = 0;
    do {
        if (*p == ';') {
            p += strcspn(p, "\n");
        } else {
            depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
            p++;
        }
        if (depth == 0 && (*p == ' ' || *p == '\n' || *p == ')')) return p;
    } while (*p);
    return p;
}

static bool is_numeral(const char *p)
{
    if (*p == '(') { /* (- 5) */
        p = skip_space(p + 1);
        if (*p != '-') return false;
        p = skip_space(p + 1);
    }
    return *p >= '0' && *p <= '9';
}

/* The operands of * but one are numerals; of div and mod all but the first. */
static bool is_linear(const char *p, bool product)
{
    int unknown = 0;
    for (int i = 0; *(p = skip_space(p)) && *p != ')'; i++) {
        bool numeral = is_numeral(p);
        if (!product && i && !numeral) return false;
        unknown += !numeral;
        p = skip_term(p);
    }
    return !product || unknown <= 1;
}

bool sym_is_linear_text(const char *text)
{
    static const char *const words[] = {"(* ", "(div ", "(mod "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        for (const char *p = text; (p = strstr(p, words[i])); p++) {
            if (!is_linear(p + strlen(words[i]), i == 0)) return false;
        }
    }
    return true;
}

void sym_put_replay(struct sym_text *t, struct tmap_symbolic *s, const struct sym_query *query,
                    enum sym_answer answer)
{
    static const char *const expected[] = {"unsat", "sat", "unknown"};
    sym_put(t, "(set-info :source |tmap %s, Z3 %s|)\n(set-info :status %s)\n(set-logic %s)\n",
            tmap_version(), sym_z3_version(s), expected[answer],
            sym_is_linear_text(query->text) ? "QF_LIA" : "QF_NIA");
    sym_put(t, "%s", query->text);
    if (!query->n_assume) {
        sym_put(t, "(check-sat)\n");
        return;
    }
    sym_put(t, "(check-sat-assuming (");
    for (size_t i = 0; i < query->n_assume; i++) sym_put(t, "%s%s", i ? " " : "", query->assume[i]);
    sym_put(t, "))\n");
}

static enum tmap_status record(struct tmap_symbolic *s, const struct sym_query *query,
                               enum sym_answer answer)
{
    static const enum tmap_proof proof[] = {TMAP_PROVED, TMAP_REFUTED, TMAP_UNDECIDED};
    struct sym_text t = {NULL, 0, 0};
    sym_put_replay(&t, s, query, answer);
    t = (struct sym_text){sym_allocate(s, t.length + 1), t.length + 1, 0};
    if (!t.at) return sym_report(s, TMAP_E_MEMORY, "out of memory");
    sym_put_replay(&t, s, query, answer);
    const struct tmap_question question = {"Z3", t.at, proof[answer]};
    s->record(s->record_user, &question);
    sym_release(s, t.at);
    return TMAP_OK;
}

enum tmap_status sym_ask(struct tmap_symbolic *s, const struct sym_query *query,
                         enum sym_answer *answer)
{
    enum tmap_status st = sym_z3_ask(s, query, answer);
    return st == TMAP_OK && s->record ? record(s, query, *answer) : st;
}
