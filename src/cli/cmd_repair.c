/* cmd_repair.c : plans that make an illegal descriptor legal. */
#include "cli/each.h"
#include "cli/shard.h"
#include "cli/prove.h"
#include "io/plan/plan.h"
#include "io/report/outside.h"
#include "io/report/report.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PLANS 16
#define LOG_EVENTS ((size_t)1 << 15)

struct repair {
    struct cli *cli;
    struct tmap_checker checker;
    struct tmap_request request;
    void *workspace;
    uint64_t plans;
    bool patch;
    json_t *patches; /* of the array that is being read, not yet printed */
    bool folded;     /* the record is a tensor that no descriptor holds: */
    struct io_tensor tensor;
    struct tmap_fold fold;
    struct cli_prover prover;   /* --prove */
    struct tmap_search_log log; /* the search's account, for proofs */
};

/* Whether the tile lies as the record would have it, not only as what it was folded to. */
static bool keeps_layout(const struct repair *r, const struct tmap_plan *plan)
{
    const bool other = r->folded && (r->fold.moved || r->fold.longer_rows);
    return plan->cost.layout_changes == 0 && !other;
}

static json_t *plan_json(const struct repair *r, const struct tmap_plan *plan,
                         const struct tmap_desc *request)
{
    const bool kept = keeps_layout(r, plan);
    json_t *o = io_plan_json(plan, request);
    if (!plan->skip)
        json_object_set_new(o, "shared_layout", json_string(kept ? "as_requested" : "changed"));
    return o;
}

static void print_json(const struct repair *r, const struct io_record *record,
                       const struct tmap_plan *plans, const struct tmap_repair_report *report,
                       enum tmap_verdict verdict)
{
    json_t *o = json_object(), *list = json_array();
    json_object_set_new(o, "name", record->name ? json_string(record->name) : json_null());
    json_object_set_new(o, "verdict", json_string(io_verdict_name(verdict)));
    for (size_t i = 0; i < report->found; i++)
        json_array_append_new(list, plan_json(r, &plans[i], &record->desc));
    json_object_set_new(o, "plans", list);
    json_object_set_new(o, "minimal", json_boolean(report->closed && report->found));
    json_object_set_new(o, "states", json_integer(report->states));
    if (report->reason[0]) json_object_set_new(o, "reason", json_string(report->reason));
    if (r->folded && report->found)
        json_object_set_new(o, "fold", io_fold_json(&r->tensor, &r->fold));
    io_print_json(stdout, o, r->cli->format == IO_JSON ? 2 : 0);
}

static void print_text(const struct repair *r, const struct io_record *record,
                       const struct tmap_plan *plans, const struct tmap_repair_report *report)
{
    io_put(stdout, record->name ? record->name : "record");
    puts(":");
    if (report->found == 0) printf("  no plan: %s\n", report->reason);
    if (r->folded && report->found) io_fold_text(stdout, &r->tensor, &r->fold);
    for (size_t i = 0; i < report->found; i++) {
        printf("  plan %zu: ", i + 1);
        io_plan_text(stdout, &plans[i], &record->desc);
        if (plans[i].skip || !keeps_layout(r, &plans[i])) continue;
        puts("    shared-memory layout: as requested, element for element");
    }
    if (report->found)
        printf("  %u view%s of the tensor searched%s\n", report->states,
               report->states == 1 ? "" : "s", report->closed ? "; no plan costs less" : "");
}

static const char *name_of(const struct io_record *record)
{
    return record->name ? record->name : "record";
}

/* What was gathered for an array is one patch. */
static void flush_patches(struct repair *r)
{
    if (r->patches) io_print_json(stdout, r->patches, r->cli->format == IO_JSONL ? 0 : 2);
    r->patches = NULL;
}

/* A patch applies to a document: to a file that is an array as one, else to each record by itself.
 * plan: NULL where there is nothing to change, or no way to. */
static void add_patch(struct repair *r, const struct io_record *record,
                      const struct tmap_plan *plan)
{
    char base[32] = "";
    const char *file = record->text - record->offset;
    while (file < record->text && strchr(" \t\r\n", *file)) file++;
    const bool array = *file == '[';
    if (!array || record->record == 1) flush_patches(r);
    if (array) snprintf(base, sizeof base, "/%zu", record->record - 1);
    json_t *patch = plan && !plan->skip ? io_plan_patch(plan, record, base) : json_array();
    if (!r->patches) r->patches = json_array();
    json_array_extend(r->patches, patch);
    json_decref(patch);
    if (!array) flush_patches(r);
}

static uint64_t gcd_of(uint64_t a, uint64_t b)
{
    return b ? gcd_of(b, a % b) : a;
}

/* What the record's uses ask of a plan: copies to where they start, stored where one stores, and
 * readable by who reads. Coordinates that all are multiples of the box are what is assumed anyway.
 */
static struct tmap_request request_of(const struct repair *r, const struct io_record *record)
{
    struct tmap_request w = r->request;
    const struct tmap_desc *d = &record->desc;
    for (size_t k = 0; k < record->use_count; k++) {
        const struct tmap_use *u = &record->uses[k];
        if (u->op == TMAP_OP_STORE) w.op = TMAP_OP_STORE;
        if (u->consumer) w.consumer = u->consumer, w.major = u->major;
        for (uint32_t i = 0; i < u->coord_count && i < TMAP_MAX_RANK; i++)
            if ((u->flags & TMAP_USE_COORD) && u->op <= TMAP_OP_STORE && d->kind == TMAP_TILED &&
                i < d->rank && d->box[i] && u->coord[i] > 0)
                w.grain[i] = gcd_of(w.grain[i] ? w.grain[i] : d->box[i], (uint64_t)u->coord[i]);
    }
    return w;
}

/* The first use that the rows refuse, of a legal descriptor. */
static bool illegal_use(const struct repair *r, const struct io_record *record, size_t *which,
                        struct tmap_violation *v)
{
    for (size_t k = 0; k < record->use_count; k++) {
        size_t found = 0;
        if (tmap_check_use(&r->checker, &record->desc, &record->uses[k], v, 1, &found, NULL) ==
                TMAP_OK &&
            found) {
            *which = k;
            return true;
        }
    }
    return false;
}

/* Nothing to repair in the descriptor: but a use of it may be illegal, which a plan cannot repair.
 */
static enum cli_exit answer_legal(struct repair *r, struct io_record *record)
{
    struct tmap_repair_report report = {0};
    struct tmap_violation v;
    struct tmap_detail detail;
    size_t which = 0;
    const bool refused = illegal_use(r, record, &which, &v);
    if (refused) {
        tmap_detail_of(&r->checker.target, &record->desc, &record->uses[which], &v, &detail);
        snprintf(report.reason, sizeof report.reason,
                 "the descriptor is legal, uses[%zu] is not: %s: %.100s", which, tmap_row_id(v.row),
                 detail.message);
    }
    if (r->patch)
        add_patch(r, record, NULL);
    else if (r->cli->format != IO_TEXT)
        print_json(r, record, NULL, &report, refused ? TMAP_ILLEGAL : TMAP_LEGAL);
    else {
        io_put(stdout, name_of(record));
        printf(": %s\n", refused ? report.reason : "legal, nothing to repair");
    }
    if (r->patch && refused) cli_message(r->cli, "%s: %s", name_of(record), report.reason);
    return refused ? CLI_ILLEGAL : CLI_OK;
}

/* Whether the plans are printed for a descriptor that is illegal by itself, or by a use that a plan
 * can mend: one that starts between two units, or whose reader needs another box. */
static bool to_repair(const struct repair *r, const struct io_record *record)
{
    struct tmap_violation v;
    size_t which;
    return tmap_verdict_of(&r->checker, &record->desc) != TMAP_LEGAL ||
           illegal_use(r, record, &which, &v);
}

static void print_plans(struct repair *r, struct io_record *record, const struct tmap_plan *plans,
                        const struct tmap_repair_report *report, enum tmap_verdict verdict)
{
    if (r->patch) {
        add_patch(r, record, report->found ? &plans[0] : NULL);
        if (!report->found) cli_message(r->cli, "%s: no plan: %s", name_of(record), report->reason);
    } else if (r->cli->format != IO_TEXT) {
        print_json(r, record, plans, report, verdict);
    } else {
        print_text(r, record, plans, report);
    }
}

/* Whether the plan changes anything: of a legal descriptor a use may be all that is wrong. */
static bool changes_nothing(const struct tmap_repair_report *report, const struct tmap_plan *plans)
{
    return report->found == 0 || plans[0].step_count == 0;
}

/* More dimensions than a map has, or a stride beyond: as a request that a map can say, or the
 * reason why there is none. A patch cannot say how the coordinates change, and uses have them. */
static bool fold_record(struct repair *r, struct io_record *record, char *reason, size_t size)
{
    struct tmap_desc *d = &record->desc;
    r->folded = !r->patch && record->use_count == 0 && io_is_tensor(record->json) &&
                io_tensor_from(record, record->json, "$", json_object_get(record->json, "box"),
                               "$.box", &r->tensor);
    if (!r->folded) return true;
    const enum tmap_status s = tmap_fold_tensor(&r->tensor.tensor, &r->fold);
    io_fold_given(d, &r->fold);
    snprintf(reason, size, "%.159s", r->fold.reason);
    if (s != TMAP_OK || *reason) return false;
    *d = r->fold.desc;
    return true;
}

static enum cli_exit no_fold(struct repair *r, struct io_record *record,
                             const struct tmap_repair_report *report)
{
    print_plans(r, record, NULL, report, TMAP_ILLEGAL);
    return CLI_ILLEGAL;
}

static enum cli_exit repair_record(void *user, const struct io_stream *stream,
                                   struct io_record *record)
{
    (void)stream;
    struct repair *r = user;
    struct tmap_plan plans[MOST_PLANS];
    struct tmap_repair_report report = {0};
    const struct tmap_request request = request_of(r, record);
    const enum tmap_verdict verdict = tmap_verdict_of(&r->checker, &record->desc);
    if (!to_repair(r, record)) return answer_legal(r, record);
    if (!fold_record(r, record, report.reason, sizeof report.reason))
        return no_fold(r, record, &report);
    r->log.count = 0;
    const enum tmap_status s =
        tmap_repair(&r->checker, &record->desc, &request, r->workspace, TMAP_REPAIR_WORKSPACE,
                    plans, (size_t)r->plans, &report, r->cli->prove ? &r->log : NULL);
    if (verdict == TMAP_LEGAL && (s != TMAP_OK || changes_nothing(&report, plans)))
        return answer_legal(r, record);
    if (s != TMAP_OK && s != TMAP_E_NO_PLAN && s != TMAP_E_BUDGET)
        return cli_status(r->cli, s, "repair");
    if (report.dropped) cli_note(r->cli, cli_status(r->cli, TMAP_E_INTERNAL, "repair"));
    print_plans(r, record, plans, &report, verdict == TMAP_LEGAL ? TMAP_ILLEGAL : verdict);
    if (r->cli->prove && r->folded) {
        cli_message(r->cli, "%s: not proved: not a descriptor", name_of(record));
        cli_note(r->cli, CLI_UNDECIDED);
    } else if (r->cli->prove && verdict != TMAP_LEGAL && !request.consumer)
        cli_prove_repair(r->cli, &r->prover, &r->checker, &record->desc, &request,
                         report.found ? &plans[0] : NULL, &r->log, name_of(record));
    return report.found ? CLI_OK : s == TMAP_E_BUDGET ? CLI_UNDECIDED : CLI_ILLEGAL;
}

static enum cli_exit run(struct cli *cli)
{
    struct repair r = {.cli = cli, .patch = cli_has(cli, "patch")};
    const char *op = cli_get(cli, "op");
    tmap_checker_prepare(&cli->target, cli->contract, &r.checker);
    if (!cli_number_in(cli, "plans", 3, 1, MOST_PLANS, &r.plans)) return CLI_USAGE;
    if (op && strcmp(op, "load") && strcmp(op, "store"))
        return cli_no_value(cli, "--op", "load or store", op);
    r.request.op = op && strcmp(op, "store") == 0 ? TMAP_OP_STORE : TMAP_OP_LOAD;
    r.request.keep_swizzle = cli_has(cli, "keep-swizzle");
    r.request.no_copy = cli_has(cli, "no-copy");
    r.request.no_im2col = cli_has(cli, "no-im2col");
    r.workspace = malloc(TMAP_REPAIR_WORKSPACE);
    r.log.capacity = cli->prove ? LOG_EVENTS : 0;
    r.log.events = cli->prove ? malloc(LOG_EVENTS * sizeof *r.log.events) : NULL;
    const bool ready = r.workspace && (r.log.events || !cli->prove);
    if (ready) cli_each(cli, CLI_EACH_DESCRIPTOR | CLI_EACH_SHARD, repair_record, &r);
    flush_patches(&r);
    free(r.workspace);
    free(r.log.events);
    if (!ready) return cli_status(cli, TMAP_E_MEMORY, "repair");
    cli_prover_close(&r.prover);
    return CLI_OK;
}

static const struct cli_option options[] = {
    CLI_SHARD_OPTION,
    {"plans", 'n', "N", "at most N plans, best first (3)"},
    {"op", 0, "OP", "load (the default) or store: a store must not write beside the tile"},
    {"keep", 0, "DIR", "with --prove: leave each question there, in SMT-LIB or isl's syntax"},
    {"keep-swizzle", 0, NULL, "the consumer needs this swizzle"},
    {"no-copy", 0, NULL, "the tensor cannot be copied into padded rows"},
    {"no-im2col", 0, NULL, "tiled copies stay tiled: no walk by an im2col map"},
    {"patch", 0, NULL, "the first plan as a JSON patch (RFC 6902) of the input"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_repair = {
    .name = "repair",
    .summary = "ranked plans that make an illegal descriptor legal",
    .operands = "[OPTION...] [FILE...]",
    .examples = "  tmap repair weights.json\n"
                "  tmap repair --op store --plans 1 out.json\n"
                "  tmap repair --patch weights.json\n",
    .about = "free: no byte of the tensor moves. padding: the tensor is copied once into padded\n"
             "rows. decision: the request itself was undefined, and the plan chose a value.\n"
             "Plans hold for tiles on the box's own grid (coordinates are multiples of the box).\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_DESC | CLI_PROVE | CLI_BUDGET,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
