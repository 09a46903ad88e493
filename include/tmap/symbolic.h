/* symbolic.h : legality of descriptors whose numbers are expressions over named parameters.
 *
 * A symbolic descriptor is a tmap_desc in which some numbers are replaced by text such as "2*K" or
 * "K + 8". The rows of src/rules/ then say for which parameter values it is legal: an exact
 * formula, computed with isl and printed as text, JSON, isl's syntax, or code. Differences between
 * targets, and proofs, come from Z3, which is loaded when it is first needed and not before.
 *
 * Contexts: isl and Z3 keep state, so there is a context; use one per thread. Everything else is a
 * value: a condition is read only, by any number of threads at once, each with its own context.
 * Ownership is marked as in isl: TMAP_GIVE results belong to the caller, TMAP_TAKE arguments are
 * consumed, the others are only read. The functions that free accept NULL.
 *
 * Text outputs follow snprintf: at most cap bytes with the final NUL, and the length that was
 * wanted in *length (not counting the NUL); at may be NULL when cap is 0. Solvers run under
 * operation budgets, never under wall time, so answers do not depend on the machine's load. When a
 * budget runs out the answer is unknown, with a reason, and never shown as legal.
 *
 * Errors beyond those named: TMAP_E_ARGUMENT (NULL or unreadable text; tmap_symbolic_why says
 * where), TMAP_E_MEMORY, TMAP_E_BUDGET, TMAP_E_NOT_BUILT (isl or Z3 is absent). On an error outputs
 * are untouched.
 *
 * When memory runs out: this library's own allocations fail with TMAP_E_MEMORY, and neither solver
 * is started unless there is enough memory for its start. What the solvers do later is beyond its
 * control: isl allocates through GMP, which aborts the process, and Z3 may end it with exit code
 * 101, abort it, or leave its heap broken. A program that must survive that asks in a child
 * process, as the tmap command does (`tmap condition`, `tmap check --prove`). Conditions need isl;
 * certificates and differences Z3; a condition's accessors, tmap_condition_holds() among them, and
 * the guards need neither.
 */
#ifndef TMAP_SYMBOLIC_H
#define TMAP_SYMBOLIC_H

#include "tmap/tmap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_GIVE
#define TMAP_TAKE

/* --- contexts --------------------------------------------------------------------------------- */

struct tmap_symbolic;

/* Memory of ours (not isl's or Z3's). Both members NULL: malloc and free. */
struct tmap_allocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
};

struct tmap_symbolic_options {
    uint64_t isl_operations; /* per question; 0: the default, 5 million */
    uint64_t z3_rlimit;      /* per query, Z3's own unit; 0: the default, 20 million */
    struct tmap_allocator allocator;
};

/* tmap_symbolic_open() : a context for one thread at a time. options may be NULL. Neither isl nor
 * Z3 is started before a question needs it. */
TMAP_API enum tmap_status tmap_symbolic_open(const struct tmap_symbolic_options *options,
                                             TMAP_GIVE struct tmap_symbolic **out);
TMAP_API void tmap_symbolic_close(TMAP_TAKE struct tmap_symbolic *context);

/* tmap_symbolic_cancel() : ends the question that runs in another thread, which then answers
 *  TMAP_E_BUDGET, "cancelled". Does nothing if no question runs, and does not affect the next one.
 *  Returns when the question has ended, or after a tenth of a second; the question then ends soon
 *  after. The only function that may be called while another uses the context; not from within a
 *  question of the same thread. */
TMAP_API void tmap_symbolic_cancel(struct tmap_symbolic *context);

/* tmap_symbolic_budget() : other budgets from the next question on; 0: the defaults. */
TMAP_API void tmap_symbolic_budget(struct tmap_symbolic *context, uint64_t isl_operations,
                                   uint64_t z3_rlimit);

enum tmap_proof {
    TMAP_PROVED = 0,    /* unsatisfiable: the claim holds */
    TMAP_REFUTED = 1,   /* satisfiable: it does not hold */
    TMAP_UNDECIDED = 2, /* the budget ran out, or the check itself says unknown */
};

/* A question to a solver, as text that can be asked again. For "Z3" it is SMT-LIB, which any SMT
 * solver reads. For "isl" it is a comment line, "M := " and a map in isl's syntax; with "B := " and
 * a set behind it the question is whether M's range and B are disjoint, without it whether M is
 * injective. The text lives as long as the call, which must not use the context. */
struct tmap_question {
    const char *solver; /* "Z3", "isl" */
    const char *text;
    enum tmap_proof answer;
};
typedef void tmap_record(void *user, const struct tmap_question *question);

/* tmap_symbolic_record() : from now on calls record with each question of a proof and its answer:
 *  the certificates of everything that the context proves. NULL: stop. */
TMAP_API void tmap_symbolic_record(struct tmap_symbolic *context, tmap_record *record, void *user);

/* tmap_symbolic_why() : one sentence about the last failure; "" when there was none. Valid until
 * the context is used again. */
TMAP_API const char *tmap_symbolic_why(const struct tmap_symbolic *context);

/* tmap_symbolic_solvers() : "isl 0.25, Z3 4.8.12"; names what is absent. Loads Z3. */
TMAP_API const char *tmap_symbolic_solvers(struct tmap_symbolic *context);

/* --- conditions ------------------------------------------------------------------------------- */

/* A descriptor with expressions. A text that is not NULL replaces the number of the same name in
 * desc; units are tmap_desc's. Expressions: integers (decimal, 0x), names, + - * and parentheses,
 * e.g. "2*K", "H*D + 8"; "K/2" and "K//2" round down, "ceildiv(K, 8)" up, both by a positive
 * integer. The enumerations, rank and kind are always known. */
struct tmap_symbolic_desc {
    struct tmap_desc desc;
    const char *address;
    const char *dim[TMAP_MAX_RANK];
    const char *stride[TMAP_MAX_RANK - 1];
    const char *box[TMAP_MAX_RANK];
    const char *elem_stride[TMAP_MAX_RANK];
    const char *lower[TMAP_MAX_SPATIAL], *upper[TMAP_MAX_SPATIAL];
    const char *channels, *pixels;
    const char *map_address, *allocation_base, *allocation_bytes;
    const struct tmap_symbolic_use *uses; /* legal is the descriptor with all of them */
    size_t use_count;
};

/* A use of that descriptor, likewise. */
struct tmap_symbolic_use {
    struct tmap_use use;
    const char *coord[TMAP_MAX_RANK], *offset[TMAP_MAX_SPATIAL];
    const char *smem, *expect_tx, *mbarrier, *multicast;
};

struct tmap_condition;

/* tmap_condition_of() : when all n descriptors are legal at once, given the assumptions.
 *  Assumptions are comparisons of expressions: "K % 8 == 0", "1 <= N", "N <= 4096", "M == 2*N";
 *  operators == = != <= < >= >, chains allowed, and "%" by an integer on the left of == or !=; and,
 *  or (also && and ||) and parentheses between them.
 *  The result is exact or the call fails with TMAP_E_BUDGET and a reason: it is never approximate.
 *  Parameters are integers; the guards take them as int64_t. At most 32 of them.
 *  Uses count. A use's rules about a box that is an expression give TMAP_E_BUDGET, and so does a
 *  map that tensormap.replace has changed.
 *  The checker gives target and contract; one that covers nothing gives TMAP_E_TARGET. */
TMAP_API enum tmap_status tmap_condition_of(struct tmap_symbolic *context,
                                            const struct tmap_checker *checker,
                                            const struct tmap_symbolic_desc *descs, size_t n,
                                            const char *const *assume, size_t n_assume,
                                            TMAP_GIVE struct tmap_condition **out);
TMAP_API void tmap_condition_free(TMAP_TAKE struct tmap_condition *condition);

/* tmap_condition_verdict() : LEGAL for all values that the assumptions allow; ILLEGAL when some are
 *  illegal (there is a counterexample); UNKNOWN when neither was shown, or when the check itself
 *  answers unknown for some values. The condition describes LEGAL: it never holds for a value whose
 *  verdict is unknown. */
TMAP_API enum tmap_verdict tmap_condition_verdict(const struct tmap_condition *condition);
/* Whether no value at all is legal, and whether the assumptions admit no value. */
TMAP_API bool tmap_condition_is_never(const struct tmap_condition *condition);
TMAP_API bool tmap_condition_is_vacuous(const struct tmap_condition *condition);
/* tmap_condition_reason() : why the verdict is UNKNOWN; "" when it is not. */
TMAP_API const char *tmap_condition_reason(const struct tmap_condition *condition);

/* Parameters in the order of first mention. NULL when i is out of range. */
TMAP_API size_t tmap_condition_param_count(const struct tmap_condition *condition);
TMAP_API const char *tmap_condition_param(const struct tmap_condition *condition, size_t i);

/* tmap_condition_holds() : legal at these parameter values? 1, 0; -1: a number beyond 128 bits, or
 *  NULL.
 *  Exact where the assumptions hold. */
TMAP_API int tmap_condition_holds(const struct tmap_condition *condition, const int64_t *values);
TMAP_API int tmap_condition_assumed(const struct tmap_condition *condition, const int64_t *values);

/* tmap_condition_at() : descriptor number i with these values put in. False when one does not fit
 *  its field (such values are not legal). */
TMAP_API bool tmap_condition_at(const struct tmap_condition *condition, size_t i,
                                const int64_t *values, struct tmap_desc *out);

/* tmap_condition_use_at() : use number k of descriptor number i likewise. */
TMAP_API bool tmap_condition_use_at(const struct tmap_condition *condition, size_t i, size_t k,
                                    const int64_t *values, struct tmap_use *out);

/* tmap_condition_counterexample() : values that the assumptions allow and that are illegal; all
 *  parameters, in order. False when there is none or none is known. Checked natively. */
TMAP_API bool tmap_condition_counterexample(const struct tmap_condition *condition,
                                            int64_t *values);

/* tmap_condition_undecided() : values that the assumptions allow and for which the check answers
 *  unknown, because a rule that decides needs one that does not hold. False when none is known. */
TMAP_API bool tmap_condition_undecided(const struct tmap_condition *condition, int64_t *values);

/* tmap_condition_rows() : the rows that the assumptions do not already satisfy: where the condition
 *  comes from. index as in tmap_violation. Output rules as tmap_check_with(). */
TMAP_API enum tmap_status tmap_condition_rows(const struct tmap_condition *condition,
                                              struct tmap_violation *rows, size_t cap,
                                              size_t *found);

enum tmap_formula_form {
    TMAP_FORM_TEXT = 0,   /* K % 8 = 0 and K <= 4096 */
    TMAP_FORM_ISL = 1,    /* [K] -> { : K mod 8 = 0 and K <= 4096 } */
    TMAP_FORM_C = 2,      /* one C expression over int64_t; with the assumptions, as a guard */
    TMAP_FORM_PYTHON = 3, /* one Python expression over int */
    TMAP_FORM_JSON = 4    /* the whole answer as one JSON object */
};

/* tmap_condition_text() : the formula, simplified against the assumptions: "true" when they
 *  suffice. isl's syntax has no products of parameters: there a product is a parameter of its own,
 *  named for its factors (N_K), and constrained as one. */
TMAP_API enum tmap_status tmap_condition_text(struct tmap_symbolic *context,
                                              const struct tmap_condition *condition,
                                              enum tmap_formula_form form, char *at, size_t cap,
                                              size_t *length);

/* tmap_condition_padding() : the least amounts to add to the parameters so that the descriptors
 *  become legal: for each parameter an expression in the parameters ("(-K) mod 8"), the first
 *  parameter's least, then the second's, and so on, as a piecewise quasi-affine function in isl's
 *  syntax when form is TMAP_FORM_ISL and in text else. Never negative. Where no padding helps (a
 *  bound is exceeded) the function is undefined, and its domain says so.
 *  Errors: TMAP_E_BUDGET also when the condition has products of parameters that padding would have
 *  to meet; TMAP_E_NO_PLAN when no padding helps anywhere. */
TMAP_API enum tmap_status tmap_condition_padding(struct tmap_symbolic *context,
                                                 const struct tmap_condition *condition,
                                                 enum tmap_formula_form form, char *at, size_t cap,
                                                 size_t *length);

/* --- guards ----------------------------------------------------------------------------------- */

enum tmap_guard_language {
    TMAP_GUARD_C = 0,     /* C99 and C++, no includes but stdint.h */
    TMAP_GUARD_CUDA = 1,  /* the same, __host__ __device__ */
    TMAP_GUARD_PYTHON = 2 /* a def */
};

/* tmap_guard_c() : a self-contained function `int name(int64_t K, …)` that is 1 exactly when the
 *  assumptions hold and the descriptors are legal, for every value of its arguments. A comment
 *  states condition, assumptions and target, all as tmap understood them: nothing of the caller's
 *  text is copied. A second function, name_assumes, tests the assumptions alone. name: two words or
 *  more joined by single underscores, a letter with digits, or one of guard, ok, legal, check,
 *  valid, fits, usable, allowed, with a number or without; what a language reserves is refused. A
 *  parameter of another form than the first two is spelt with p_ before it. */
TMAP_API enum tmap_status tmap_guard_c(struct tmap_symbolic *context,
                                       const struct tmap_condition *condition,
                                       enum tmap_guard_language language, const char *name,
                                       char *at, size_t cap, size_t *length);

/* --- certificates ----------------------------------------------------------------------------- */

/* What a change of one field costs: `changed` once, and `per_unit` for each unit of distance. field
 * is JSON's name ("box", "stride", "swizzle"), index -1 for a scalar. */
struct tmap_field_cost {
    const char *field;
    int index;
    uint32_t changed, per_unit;
};

/* "No descriptor that differs from desc in these fields only, at a total cost below `below`, is
 * legal." below 0 means at any cost; without fields it says that desc itself is illegal. With
 * is_legal set, it says instead that desc itself is legal. If desc's verdict is unknown, neither
 * claim is proved or refuted. */
struct tmap_claim {
    const struct tmap_desc *desc;
    const struct tmap_field_cost *fields;
    size_t field_count;
    uint64_t below;
    bool is_legal;
};

/* tmap_certify() : asks Z3 for a proof of the claim. The query, in SMT-LIB with one named assertion
 *  per row instance, unfolded, goes to text (as snprintf; for another solver to replay). When the
 *  claim is proved, core lists a smallest reason: rows that exclude each other, none of which can
 * be dropped; output rules as tmap_check_with(). rank and kind cannot be among the fields. Errors:
 * TMAP_E_TARGET, TMAP_E_NOT_BUILT, TMAP_E_ARGUMENT (an unknown field). */
TMAP_API enum tmap_status tmap_certify(struct tmap_symbolic *context,
                                       const struct tmap_checker *checker,
                                       const struct tmap_claim *claim, enum tmap_proof *proof,
                                       struct tmap_violation *core, size_t cap, size_t *found,
                                       char *text, size_t text_cap, size_t *length);

struct tmap_plan;
struct tmap_request;
struct tmap_search_log;

/* tmap_certify_moves() : whether the plan's copies move what desc requests, for every tile on the
 * grid that starts inside the tensor, of any coordinates: each element of the tile is in or out of
 * bounds as requested, comes from its address (or, from a padded copy, from a place of its own),
 * lands in the box of a copy at a place of its own, copies start at legal coordinates, and a store
 * writes nothing else. isl decides it. request may be NULL, as tmap_repair()'s. Errors:
 * TMAP_E_ARGUMENT, also for a plan without copies; TMAP_E_NOT_BUILT. */
TMAP_API enum tmap_status tmap_certify_moves(struct tmap_symbolic *context,
                                             const struct tmap_checker *checker,
                                             const struct tmap_desc *desc,
                                             const struct tmap_request *request,
                                             const struct tmap_plan *plan, enum tmap_proof *proof);

/* Z3's answers about the views of a search: one query a view, or two where the tensor may be
 * copied. proved: no fields of the view cost less; refuted: some do; undecided: the budget ran out.
 */
struct tmap_minimal {
    size_t views, proved, refuted, undecided;
};

/* tmap_certify_minimal() : whether any view that tmap_repair() named in its account of desc has
 *  fields (swizzle, boxes, equal copies, base, strides of size-1 dimensions, a padded copy) for
 * which all rows hold and which cost less than the plan, not counting steps. That the account names
 * every view is checked elsewhere. Im2col searches have one view and no account of it: views 0.
 * Errors: TMAP_E_ARGUMENT for an account that cannot be read or was cut off; TMAP_E_TARGET;
 *  TMAP_E_NOT_BUILT. */
TMAP_API enum tmap_status
tmap_certify_minimal(struct tmap_symbolic *context, const struct tmap_checker *checker,
                     const struct tmap_desc *desc, const struct tmap_plan *plan,
                     const struct tmap_search_log *log, struct tmap_minimal *out);

struct tmap_tile_request;
struct tmap_tile_plan;

/* tmap_certify_tile() : whether tmap_solve()'s first plan for a request is least: for each swizzle,
 * in each view that a search for it names, no fields that the consumer can read give a plan without
 * a copy (where it has one), with fewer instructions or maps, fewer bank conflicts, less shared
 * memory or whole sectors of memory instead of parts, in this order. The later terms of solve's
 * order are not asked about. Also undecided: a view in which ldmatrix reads rows in pieces or
 * through several dimensions, if only fewer conflicts, which are not stated for it, would be
 * better.
 * workspace as tmap_repair()'s; log: memory for the searches' accounts. Errors as
 * tmap_certify_minimal(). */
TMAP_API enum tmap_status tmap_certify_tile(struct tmap_symbolic *context,
                                            const struct tmap_checker *checker,
                                            const struct tmap_tile_request *request,
                                            const struct tmap_tile_plan *plan, void *workspace,
                                            size_t workspace_bytes, struct tmap_search_log *log,
                                            struct tmap_minimal *out);

/* --- differences between targets -------------------------------------------------------------- */

/* A region of descriptors that changes its verdict: those of one kind for which `row` makes the
 * difference: broken where the verdict is illegal, else where it is unknown. */
struct tmap_difference {
    tmap_row row;
    int32_t kind;               /* enum tmap_kind; 3: any other number */
    enum tmap_verdict from, to; /* never equal */
    struct tmap_desc witness;   /* checked natively: the verdicts differ as said */
    char set[256];              /* what the row excludes: "not (map_address % 128 = 0)" */
};

struct tmap_diff_proof {
    enum tmap_proof nothing_else; /* no descriptor outside the regions changes its verdict */
    size_t rows_compared;
};

/* tmap_diff() : every region in which the verdicts of two checkers differ, for all kinds and ranks,
 *  each with a witness; and Z3's proof that there is nothing else. Writes at most cap regions and
 *  how many there are to *found. Errors: TMAP_E_TARGET when no source covers one of the two. */
TMAP_API enum tmap_status tmap_diff(struct tmap_symbolic *context, const struct tmap_checker *from,
                                    const struct tmap_checker *to, struct tmap_difference *out,
                                    size_t cap, size_t *found, struct tmap_diff_proof *proof);

#ifdef __cplusplus
}
#endif
#endif
