/* claim.c : claims about descriptors, proved by Z3 or not. */
#include "symbolic/smt/replay.h"
#include "symbolic/smt/script.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 18 };

struct certificate {
    struct tmap_symbolic *s;
    const struct tmap_checker *checker;
    const struct tmap_claim *claim;
    struct sym_work w;
    struct sym_script script;
    bool unknown[FIELD_SLOTS];
    size_t n;
    struct tmap_violation row[SYM_MAX_INSTANCES];
    const char *name[SYM_MAX_INSTANCES];
    bool core[SYM_MAX_INSTANCES];
    enum sym_answer answer;
};

static int slot_of(const struct tmap_field_cost *cost)
{
    for (int f = FIELD_DTYPE; f <= FIELD_ALLOC_BYTES; f++) {
        const struct field_info *info = field_info_of((enum field)f);
        int index = cost->index < 0 ? 0 : cost->index;
        if (strcmp(info->json, cost->field) != 0) continue;
        if (f == FIELD_RANK || f == FIELD_FLAG || index >= info->count) return -1;
        return info->first_slot + index;
    }
    return -1;
}

static bool mark_unknown(struct certificate *c)
{
    for (size_t i = 0; i < c->claim->field_count; i++) {
        const struct tmap_field_cost *cost = &c->claim->fields[i];
        int slot = cost->field ? slot_of(cost) : -1;
        if (slot < 0) {
            sym_fail(&c->w, TMAP_E_ARGUMENT, "\"%.40s\" is no field that a claim can free",
                     cost->field ? cost->field : "");
            return false;
        }
        c->unknown[slot] = true;
    }
    return true;
}

/* changed, where the field differs, and per_unit times the distance. */
static void put_costs(struct certificate *c)
{
    struct sym_text *t = &c->script.text;
    struct subject s = {.target = &c->checker->target, .desc = c->claim->desc};
    sym_put(t, "(define-fun cost () Int (+ 0 0");
    for (size_t i = 0; i < c->claim->field_count; i++) {
        const struct tmap_field_cost *cost = &c->claim->fields[i];
        char name[48], was[64];
        int128 value = 0;
        int slot = slot_of(cost);
        field_read(&s, slot, &value);
        struct sym_text number = {was, sizeof was, 0};
        sym_put(&number, value < 0 ? "(- " : "");
        sym_put_int(&number, value < 0 ? -value : value);
        sym_put(&number, value < 0 ? ")" : "");
        sym_smt_name(slot, name);
        sym_put(t, " (ite (= %s %s) 0 (+ %u (* %u (ite (< %s %s) (- %s %s) (- %s %s)))))", name,
                was, cost->changed, cost->per_unit, name, was, was, name, name, was);
    }
    sym_put(t, "))\n");
    if (c->claim->below) {
        sym_put(t, "(assert (< cost %llu))\n", (unsigned long long)c->claim->below);
    }
}

static bool name_row(struct certificate *c, tmap_row row, int index, bool once)
{
    char name[32];
    snprintf(name, sizeof name, once ? "%s" : "%s_%d", row_table[row].id, index);
    c->name[c->n] = sym_copy(&c->w, name, strlen(name));
    c->row[c->n] = (struct tmap_violation){row, (int16_t)(once ? -1 : index)};
    return c->name[c->n] != NULL;
}

/* "Nothing is legal" and "this is legal" are about all rows of the gate. "This is illegal" is about
 * rows that decide, where what they need holds: with a need broken the verdict may be unknown. */
static bool says_illegal(const struct certificate *c)
{
    return !c->claim->is_legal && !c->claim->field_count;
}

static bool is_asserted(const struct certificate *c, tmap_row row)
{
    return says_illegal(c) ? sym_is_active(c->checker, row) : sym_is_gate(c->checker, row);
}

static void put_row(struct certificate *c, tmap_row row, int index)
{
    uint32_t rank = c->claim->desc->rank;
    sym_script_row(&c->script, says_illegal(c) ? c->checker : NULL, row, index, rank ? rank : 1);
}

/* (assert (=> TMA014_0 row)) for each row instance. */
static bool put_rows(struct certificate *c)
{
    struct sym_text *t = &c->script.text;
    uint32_t rank = c->claim->desc->rank;
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        bool once = row_table[row].span == SPAN_ONCE;
        int first, n = row_instances((enum row_span)row_table[row].span, rank, &first);
        for (int i = first; is_asserted(c, row) && i < first + n; i++) {
            if (!name_row(c, row, i, once)) return false;
            sym_put(t, "; %s\n(declare-const %s Bool)\n(assert (=> %s ", row_table[row].name,
                    c->name[c->n], c->name[c->n]);
            put_row(c, row, i);
            sym_put(t, "))\n");
            c->n++;
        }
    }
    return c->w.status == TMAP_OK;
}

/* A legal descriptor: that one of the rows is broken has no model. */
static void deny_rows(struct certificate *c)
{
    sym_put(&c->script.text, "(assert (not (and true");
    for (size_t i = 0; i < c->n; i++) sym_put(&c->script.text, " %s", c->name[i]);
    sym_put(&c->script.text, ")))\n");
    for (size_t i = 0; i < c->n; i++) {
        sym_put(&c->script.text, "(assert (=> (not %s) (not ", c->name[i]);
        put_row(c, c->row[i].row, c->row[i].index);
        sym_put(&c->script.text, ")))\n");
    }
}

static bool write_script(struct certificate *c)
{
    struct sym_text *t;
    if (!mark_unknown(c) || !sym_script_open(&c->script, &c->w, TEXT_BYTES)) return false;
    t = &c->script.text;
    sym_script_desc(&c->script, &c->checker->target, c->claim->desc, c->unknown);
    put_costs(c);
    if (!put_rows(c)) return false;
    if (c->claim->is_legal) deny_rows(c);
    if (t->length >= t->cap) {
        sym_fail(&c->w, TMAP_E_BUDGET, "the query exceeds %d bytes", TEXT_BYTES);
        return false;
    }
    return true;
}

/* Whether more than one factor of a product of boxes is unknown. */
static bool is_product(const struct certificate *c)
{
    int boxes = 0;
    for (int i = 0; i < TMAP_MAX_RANK; i++) {
        boxes += c->unknown[F_BOX + i] || c->unknown[F_ESTRIDE + i];
    }
    return boxes + c->unknown[F_DTYPE] + c->unknown[F_CHANNELS] + c->unknown[F_PIXELS] > 1;
}

static struct sym_query query_of(struct certificate *c)
{
    struct sym_query query = {c->script.text.at, is_product(c) ? "QF_NIA" : "QF_LIA", c->name, c->n,
                              c->core};
    if (c->claim->is_legal) query.n_assume = 0;
    return query;
}

static enum tmap_status ask(struct certificate *c, enum tmap_proof *proof)
{
    struct sym_query query = query_of(c);
    enum tmap_status st = sym_ask(c->s, &query, &c->answer);
    *proof = c->answer == SYM_UNSAT ? TMAP_PROVED
             : c->answer == SYM_SAT ? TMAP_REFUTED
                                    : TMAP_UNDECIDED;
    /* neither legal nor illegal: a rule that decides needs one that does not hold */
    if (*proof == TMAP_REFUTED && !c->claim->field_count &&
        tmap_verdict_of(c->checker, c->claim->desc) == TMAP_UNKNOWN) {
        *proof = TMAP_UNDECIDED;
    }
    return st;
}

static void put_result(const struct certificate *c, enum tmap_proof proof,
                       struct tmap_violation *core, size_t cap, size_t *found)
{
    *found = 0;
    for (size_t i = 0; i < c->n && proof == TMAP_PROVED && !c->claim->is_legal; i++) {
        if (!c->core[i]) continue;
        if (*found < cap) core[*found] = c->row[i];
        ++*found;
    }
}

static enum tmap_status bad_argument(struct tmap_symbolic *s, const struct tmap_checker *checker,
                                     const struct tmap_claim *claim)
{
    if (!checker || !claim || !claim->desc || (claim->field_count && !claim->fields)) {
        return sym_report(s, TMAP_E_ARGUMENT, "a pointer is NULL");
    }
    if (checker->covered != TMAP_OK) {
        return sym_report(s, checker->covered, "no source covers this target");
    }
    return TMAP_OK;
}

static enum tmap_status certify(struct tmap_symbolic *context, const struct tmap_checker *checker,
                                const struct tmap_claim *claim, enum tmap_proof *proof,
                                struct tmap_violation *core, size_t cap, size_t *found, char *text,
                                size_t text_cap, size_t *length)
{
    enum tmap_status st = bad_argument(context, checker, claim);
    if (st == TMAP_OK) st = sym_z3_start(context);
    struct certificate *c = st == TMAP_OK ? sym_allocate(context, sizeof *c) : NULL;
    if (!c) return st != TMAP_OK ? st : sym_report(context, TMAP_E_MEMORY, "out of memory");
    c->s = context;
    c->checker = checker;
    c->claim = claim;
    enum tmap_proof answer = TMAP_UNDECIDED;
    if (sym_open(&c->w, &context->allocator) && write_script(c)) st = ask(c, &answer);
    if (c->w.status != TMAP_OK) st = sym_report(context, c->w.status, c->w.why);
    if (st == TMAP_OK) {
        struct sym_text t = {text, text_cap, 0};
        *proof = answer;
        put_result(c, answer, core, cap, found);
        const struct sym_query query = query_of(c);
        sym_put_replay(&t, context, &query, c->answer);
        if (length) *length = t.length;
    }
    sym_close(&c->w);
    sym_release(context, c);
    return st;
}

enum tmap_status tmap_certify(struct tmap_symbolic *context, const struct tmap_checker *checker,
                              const struct tmap_claim *claim, enum tmap_proof *proof,
                              struct tmap_violation *core, size_t cap, size_t *found, char *text,
                              size_t text_cap, size_t *length)
{
    if (!context || !proof || !found || (cap && !core) || (text_cap && !text)) {
        return TMAP_E_ARGUMENT;
    }
    sym_begin(context);
    return sym_end(
        context, certify(context, checker, claim, proof, core, cap, found, text, text_cap, length));
}
