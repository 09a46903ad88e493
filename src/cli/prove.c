/* prove.c : proofs of verdicts, with the certificate kept on request. */
#include "cli/prove.h"
#include "cli/symbolic_input.h"
#include "tmap/solve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CORE = 64, NAME_BYTES = 96 };

/* --- certificates that are kept -----------------------------------------------------------------
 */

/* What a file may be called after: letters, digits, - and _; anything else is _. */
static void put_file_name(const char *name, char out[NAME_BYTES])
{
    size_t n = 0;
    for (; name[n] && n + 1 < NAME_BYTES; n++) {
        const char c = name[n];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_';
        out[n] = plain ? c : '_';
    }
    out[n] = 0;
}

/* DIR/0001-NAME.smt2: numbered, so that records of one name keep a file each. */
static void keep(void *user, const struct tmap_question *question)
{
    struct cli_prover *p = user;
    const char *ending = strcmp(question->solver, "isl") == 0 ? "isl" : "smt2";
    char name[NAME_BYTES];
    put_file_name(p->name, name);
    const size_t size = strlen(p->dir) + NAME_BYTES + 40;
    char *path = malloc(size);
    if (!path) {
        cli_note(p->cli, cli_status(p->cli, TMAP_E_MEMORY, "keeping a certificate"));
        return;
    }
    snprintf(path, size, "%s/%04zu-%s.%s", p->dir, ++p->kept, name, ending);
    FILE *out = fopen(path, "w");
    bool ok = out && fputs(question->text, out) >= 0;
    if (out && fclose(out) != 0) ok = false;
    if (!ok) {
        cli_message(p->cli, "cannot write %s: %s", path, strerror(errno));
        cli_note(p->cli, CLI_INPUT);
    }
    free(path);
}

/* The context, made at the first proof; NULL with the exit code noted. */
static struct tmap_symbolic *context_of(struct cli *cli, struct cli_prover *p, const char *name)
{
    p->cli = cli;
    p->name = name;
    p->dir = cli_get(cli, "keep");
    if (!p->context) p->context = cli_symbolic_context(cli);
    if (p->context && p->dir) tmap_symbolic_record(p->context, keep, p);
    return p->context;
}

void cli_prover_close(struct cli_prover *prover)
{
    tmap_symbolic_close(prover->context);
}

/* --- verdicts ----------------------------------------------------------------------------------
 */

static void say(struct cli *cli, enum tmap_proof proof, bool legal, const char *name,
                const struct tmap_violation *core, size_t found, const char *solvers)
{
    char rows[256] = "";
    for (size_t i = 0; i < found && i < MAX_CORE; i++) {
        size_t used = strlen(rows);
        snprintf(rows + used, sizeof rows - used, "%s%s", i ? ", " : ": ",
                 tmap_row_id(core[i].row));
    }
    if (proof == TMAP_PROVED) {
        cli_message(cli, "%s: proved %s%s (%s)", name, legal ? "legal" : "illegal", rows, solvers);
    } else if (proof == TMAP_REFUTED) {
        cli_message(cli, "%s: the solver refutes the verdict: a defect of tmap", name);
        cli_note(cli, CLI_INTERNAL);
    } else {
        cli_message(cli, "%s: not proved: the budget ran out", name);
        cli_note(cli, CLI_UNDECIDED);
    }
}

void cli_prove_verdict(struct cli *cli, struct cli_prover *prover,
                       const struct tmap_checker *checker, const struct tmap_desc *desc,
                       const char *name)
{
    enum tmap_verdict verdict = tmap_verdict_of(checker, desc);
    struct tmap_claim claim = {desc, NULL, 0, 0, verdict == TMAP_LEGAL};
    struct tmap_violation core[MAX_CORE];
    enum tmap_proof proof;
    size_t found = 0;
    if (verdict == TMAP_UNKNOWN) {
        cli_message(cli, "%s: not proved: the verdict is unknown", name);
        cli_note(cli, CLI_UNDECIDED);
        return;
    }
    struct tmap_symbolic *context = context_of(cli, prover, name);
    if (!context) return;
    enum tmap_status status =
        tmap_certify(context, checker, &claim, &proof, core, MAX_CORE, &found, NULL, 0, NULL);
    if (status == TMAP_OK) {
        say(cli, proof, claim.is_legal, name, core, found, tmap_symbolic_solvers(context));
    } else {
        cli_symbolic_trouble(cli, context, status, name);
    }
}

/* --- repairs ---------------------------------------------------------------------------------- */

enum { MAX_FREED = 24 };

static size_t free_list(struct tmap_field_cost *out, size_t n, const char *field, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < TMAP_MAX_RANK; i++) {
        out[n++] = (struct tmap_field_cost){field, (int)i, 1, 0};
    }
    return n;
}

/* The fields that are no part of the tensor; a change of any costs 1. */
static size_t freed(const struct tmap_desc *d, bool pads, struct tmap_field_cost *out)
{
    size_t n = 0;
    out[n++] = (struct tmap_field_cost){"swizzle", -1, 1, 0};
    out[n++] = (struct tmap_field_cost){"l2_promotion", -1, 1, 0};
    out[n++] = (struct tmap_field_cost){"oob_fill", -1, 1, 0};
    n = free_list(out, n, "elem_stride", d->rank);
    if (pads) n = free_list(out, n, "stride", d->rank ? d->rank - 1 : 0);
    if (d->kind == TMAP_TILED) return free_list(out, n, "box", d->rank);
    out[n++] = (struct tmap_field_cost){"channels", -1, 1, 0};
    out[n++] = (struct tmap_field_cost){"pixels", -1, 1, 0};
    return n;
}

/* How many of those fields the plan changes; 0 when it changes anything else. */
static uint64_t changes(const struct tmap_desc *a, const struct tmap_desc *b, bool pads)
{
    uint64_t n = 0;
    struct tmap_desc rest = *b;
#define TAKE(field) (n += rest.field != a->field, rest.field = a->field)
    TAKE(swizzle), TAKE(l2_promotion), TAKE(oob_fill), TAKE(channels), TAKE(pixels);
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) {
        bool used = i < a->rank;
        n += used && rest.elem_stride[i] != a->elem_stride[i];
        n += used && a->kind == TMAP_TILED && rest.box[i] != a->box[i];
        rest.elem_stride[i] = a->elem_stride[i];
        rest.box[i] = a->box[i];
        if (i + 1 == TMAP_MAX_RANK || !(pads || i + 1 >= a->rank)) continue;
        n += i + 1 < a->rank && rest.stride_bytes[i] != a->stride_bytes[i];
        rest.stride_bytes[i] = a->stride_bytes[i];
    }
#undef TAKE
    bool same = rest.kind == a->kind && rest.dtype == a->dtype && rest.rank == a->rank &&
                rest.interleave == a->interleave && (pads || rest.address == a->address);
    for (uint32_t i = 0; i < TMAP_MAX_RANK && i < a->rank; i++) {
        same = same && rest.dim[i] == a->dim[i];
        if (i + 1 < a->rank) same = same && rest.stride_bytes[i] == a->stride_bytes[i];
    }
    return same ? n : 0;
}

static void say_repair(struct cli *cli, enum tmap_proof proof, uint64_t below, const char *name)
{
    if (proof == TMAP_UNDECIDED) {
        cli_message(cli, "%s: not proved: the budget ran out", name);
        cli_note(cli, CLI_UNDECIDED);
    } else if (below == 0 && proof == TMAP_PROVED) {
        cli_message(cli, "%s: proved that no change of box, element strides and modes alone helps",
                    name);
    } else if (proof == TMAP_PROVED) {
        cli_message(cli, "%s: proved that fewer than %llu changed field%s would not do", name,
                    (unsigned long long)below, below == 1 ? "" : "s");
    } else {
        cli_message(cli, "%s: fewer or other changed fields would do too, at a higher cost", name);
    }
}

/* What isl says about the copies of a plan, for tiles of any coordinates on its grid. */
static void prove_moves(struct cli *cli, struct tmap_symbolic *context,
                        const struct tmap_checker *checker, const struct tmap_desc *desc,
                        const struct tmap_request *request, const struct tmap_plan *plan,
                        const char *name)
{
    enum tmap_proof proof;
    const enum tmap_status status =
        tmap_certify_moves(context, checker, desc, request, plan, &proof);
    if (status != TMAP_OK) {
        cli_symbolic_trouble(cli, context, status, name);
    } else if (proof == TMAP_PROVED) {
        cli_message(cli, "%s: proved that the copies move what was requested, for every tile",
                    name);
    } else if (proof == TMAP_REFUTED) {
        cli_message(cli, "%s: a tile exists that the plan copies wrongly: a defect of tmap", name);
        cli_note(cli, CLI_INTERNAL);
    } else {
        cli_message(cli, "%s: what the copies move is not proved: the budget ran out", name);
        cli_note(cli, CLI_UNDECIDED);
    }
}

static void say_minimal(struct cli *cli, struct tmap_symbolic *context,
                        const struct tmap_minimal *m, const char *what, const char *name)
{
    if (m->refuted) {
        cli_message(cli, "%s: in %zu of %zu views some fields %s: a defect of tmap", name,
                    m->refuted, m->views, what);
        cli_note(cli, CLI_INTERNAL);
    } else if (m->undecided) {
        cli_message(cli, "%s: no fields %s in %zu of %zu views; %zu undecided", name, what,
                    m->proved, m->views, m->undecided);
        cli_note(cli, CLI_UNDECIDED);
    } else if (m->views) {
        cli_message(cli, "%s: proved that no fields of any of %zu views %s (%s)", name, m->views,
                    what, tmap_symbolic_solvers(context));
    }
}

/* What Z3 says about the views that the search looked at. */
static void prove_minimal(struct cli *cli, struct tmap_symbolic *context,
                          const struct tmap_checker *checker, const struct tmap_desc *desc,
                          const struct tmap_plan *plan, const struct tmap_search_log *log,
                          const char *name)
{
    struct tmap_minimal m;
    const enum tmap_status status = tmap_certify_minimal(context, checker, desc, plan, log, &m);
    if (status != TMAP_OK) {
        cli_symbolic_trouble(cli, context, status, name);
        return;
    }
    say_minimal(cli, context, &m, "cost less", name);
}

void cli_prove_tile(struct cli *cli, struct cli_prover *prover, const struct tmap_checker *checker,
                    const struct tmap_tile_request *request, const struct tmap_tile_plan *plan,
                    void *workspace, struct tmap_search_log *log, const char *name)
{
    const struct tmap_request how = {.op = request->op};
    struct tmap_desc desc = request->tensor;
    struct tmap_minimal m;
    memcpy(desc.box, request->tile, sizeof desc.box);
    for (uint32_t i = 0; i < desc.rank && i < TMAP_MAX_RANK; i++) desc.elem_stride[i] = 1;
    cli_prove_verdict(cli, prover, checker, &plan->plan.desc, name);
    struct tmap_symbolic *context = context_of(cli, prover, name);
    if (!context) return;
    prove_moves(cli, context, checker, &desc, &how, &plan->plan, name);
    const enum tmap_status status = tmap_certify_tile(context, checker, request, plan, workspace,
                                                      TMAP_REPAIR_WORKSPACE, log, &m);
    if (status == TMAP_OK) {
        say_minimal(cli, context, &m, "rank before it", name);
    } else {
        cli_symbolic_trouble(cli, context, status, name);
    }
}

void cli_prove_repair(struct cli *cli, struct cli_prover *prover,
                      const struct tmap_checker *checker, const struct tmap_desc *desc,
                      const struct tmap_request *request, const struct tmap_plan *plan,
                      const struct tmap_search_log *log, const char *name)
{
    struct tmap_field_cost field[MAX_FREED];
    bool pads = plan && plan->cost.kind == TMAP_PLAN_PADDING;
    size_t n = freed(desc, pads, field), found;
    uint64_t below = plan && !plan->skip ? changes(desc, &plan->desc, pads) : 0;
    struct tmap_claim claim = {desc, field, n, below, false};
    enum tmap_proof proof;
    cli_prove_verdict(cli, prover, checker, desc, name);
    struct tmap_symbolic *context = context_of(cli, prover, name);
    if (!context) return;
    enum tmap_status status =
        tmap_certify(context, checker, &claim, &proof, NULL, 0, &found, NULL, 0, NULL);
    if (status == TMAP_OK) {
        say_repair(cli, proof, below, name);
    } else {
        cli_symbolic_trouble(cli, context, status, name);
    }
    if (plan && !plan->skip) {
        char label[200];
        snprintf(label, sizeof label, "%s, repaired", name);
        cli_prove_verdict(cli, prover, checker, &plan->desc, label);
        context_of(cli, prover, name);
        if (desc->interleave != TMAP_INTERLEAVE_NONE) return;
        prove_moves(cli, context, checker, desc, request, plan, name);
        prove_minimal(cli, context, checker, desc, plan, log, name);
    }
}
