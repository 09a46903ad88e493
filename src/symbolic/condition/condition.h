/* condition.h : the inside of struct tmap_condition. */
#ifndef TMAP_SYMBOLIC_CONDITION_H
#define TMAP_SYMBOLIC_CONDITION_H

#include "symbolic/context.h"
#include "symbolic/condition/lower.h"

/* One descriptor: its constants, and a polynomial for each slot that has none. */
struct sym_desc {
    struct tmap_desc desc;
    const struct sym_poly *field[FIELD_SLOTS];
    size_t n_uses;
    struct sym_use *uses;
};
struct sym_use {
    struct tmap_use use;
    const struct sym_poly *field[FIELD_SLOTS]; /* its own slots alone */
};

struct tmap_condition {
    struct tmap_allocator allocator;
    struct sym_work w;
    struct tmap_checker checker;
    size_t n_descs, n_assumed;
    struct sym_desc *descs;
    const char *const *assumed; /* the assumptions as written */
    const struct sym_form *assume;
    const struct sym_form *full;   /* legality, whatever the assumptions */
    const struct sym_form *result; /* equal to full wherever assume holds, simplified */
    const struct sym_form *needed; /* of full: the rows that do not decide, but that others need */
    enum tmap_verdict verdict;
    bool never, vacuous, has_counterexample, has_undecided;
    int64_t counterexample[SYM_MAX_PARAMS];
    int64_t undecided[SYM_MAX_PARAMS]; /* a point at which the check itself says unknown */
    size_t n_rows;
    struct tmap_violation *rows;
};

/* sym_read_desc() : reads the texts of in; false: w says why. */
bool sym_read_desc(struct sym_work *w, const struct tmap_symbolic_desc *in, struct sym_desc *out);

/* sym_fix_desc() : in with the values of the parameters that facts leave one; what becomes a
 * constant that its field can hold is one of the descriptor's. */
bool sym_fix_desc(struct sym_work *w, const struct sym_facts *facts, const struct sym_desc *in,
                  struct sym_desc *out);

/* What the rows say of one descriptor. */
struct sym_rows {
    struct sym_work *w;
    const struct tmap_checker *checker;
    const struct sym_desc *desc;
    struct sym_facts *facts; /* grows with each row that decides */
    /* called with each instance of each row that decides and does not fold to true */
    bool (*each)(void *user, tmap_row row, int index, const struct sym_form *f);
    void *user;
};
/* sym_rows_of() : every deciding row instance of the descriptor, and its fields' C types. */
bool sym_rows_of(struct sym_rows *rows);

/* Its two halves: that the symbolic fields' values fit their C types; and the rows. */
bool sym_desc_fits(struct sym_rows *rows);
/* sym_use_rows_of() : the same of its use number k, beside the descriptor's own. */
bool sym_use_rows_of(struct sym_rows *rows, size_t k);
bool sym_use_fits(struct sym_rows *rows, const struct sym_use *use);

/* sym_desc_at() : the descriptor at parameter values; false when one does not fit its field. */
bool sym_desc_at(const struct sym_work *w, const struct sym_desc *desc, const sym_int *values,
                 struct tmap_desc *out);
bool sym_use_at(const struct sym_work *w, const struct sym_use *use, const sym_int *values,
                struct tmap_use *out);

/* sym_guarded() : the assumptions and the result: what a guard tests, for no argument may it say
 * yes to what is not legal. */
const struct sym_form *sym_guarded(struct tmap_condition *c);

/* sym_decide_condition() : fills result, verdict and what belongs to it, from full and assume. */
enum tmap_status sym_decide_condition(struct tmap_symbolic *s, struct tmap_condition *c);
/* sym_find_counterexample() : looks for values that assume allows and full forbids. */
bool sym_find_counterexample(struct tmap_condition *c);
/* sym_confirms() : keeps values as the counterexample where they are one, as the native check says;
 *  and as an undecided point where the check says unknown. */
bool sym_confirms(struct tmap_condition *c, const sym_int *values);

#endif
