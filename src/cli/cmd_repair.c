/* cmd_repair.c : plans that make an illegal descriptor legal. */
#include "cli/each.h"
#include "cli/prove.h"
#include "io/plan/plan.h"
#include "io/report/outside.h"
#include "io/report/report.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PLANS 16
#define LOG_BYTES ((size_t)1 << 21)

struct repair {
    struct cli *cli;
    struct tmap_checker checker;
    struct tmap_request request;
    void *workspace;
    uint64_t plans;
    bool patch;
    struct cli_prover prover;   /* --prove */
    struct tmap_search_log log; /* the search's account, for proofs */
};

static json_t *plan_json(const struct tmap_plan *plan, const struct tmap_desc *request)
{
    const bool kept = plan->cost.layout_changes == 0;
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
        json_array_append_new(list, plan_json(&plans[i], &record->desc));
    json_object_set_new(o, "plans", list);
    json_object_set_new(o, "minimal", json_boolean(report->closed && report->found));
    json_object_set_new(o, "states", json_integer(report->states));
    if (report->reason[0]) json_object_set_new(o, "reason", json_string(report->reason));
    io_print_json(stdout, o, r->cli->format == IO_JSON ? 2 : 0);
}

static void print_text(const struct io_record *record, const struct tmap_plan *plans,
                       const struct tmap_repair_report *report)
{
    io_put(stdout, record->name ? record->name : "record");
    puts(":");
    if (report->found == 0) printf("  no plan: %s\n", report->reason);
    for (size_t i = 0; i < report->found; i++) {
        printf("  plan %zu: ", i + 1);
        io_plan_text(stdout, &plans[i], &record->desc);
        if (plans[i].skip || plans[i].cost.layout_changes) continue;
        puts("    shared-memory layout: as requested, element for element");
    }
    if (report->found)
        printf("  %u views of the tensor were looked at%s\n", report->states,
               report->closed ? ": none gives a cheaper plan" : "");
}

/* The record's place in its file: an element of an array, or the file itself. */
static void print_patch(const struct io_record *record, const struct tmap_plan *plan)
{
    char base[32] = "";
    const char *file = record->text - record->offset;
    while (file < record->text && strchr(" \t\r\n", *file)) file++;
    if (*file == '[') snprintf(base, sizeof base, "/%zu", record->record - 1);
    io_print_json(stdout, io_plan_patch(plan, record, base), 2);
}

static enum cli_exit repair_record(void *user, struct io_record *record)
{
    struct repair *r = user;
    struct tmap_plan plans[MOST_PLANS];
    struct tmap_repair_report report = {0};
    const enum tmap_verdict verdict = tmap_verdict_of(&r->checker, &record->desc);
    if (verdict == TMAP_LEGAL) {
        if (r->patch)
            io_print_json(stdout, json_array(), 0);
        else if (r->cli->format != IO_TEXT)
            print_json(r, record, plans, &report, verdict);
        else {
            io_put(stdout, record->name ? record->name : "record");
            puts(": legal, nothing to repair");
        }
        return CLI_OK;
    }
    r->log.length = 0;
    const enum tmap_status s =
        tmap_repair(&r->checker, &record->desc, &r->request, r->workspace, TMAP_REPAIR_WORKSPACE,
                    plans, (size_t)r->plans, &report, r->cli->prove ? &r->log : NULL);
    if (s != TMAP_OK && s != TMAP_E_NO_PLAN) return cli_status(r->cli, s, "repair");
    if (report.dropped) cli_note(r->cli, cli_status(r->cli, TMAP_E_INTERNAL, "repair"));
    if (r->patch && report.found)
        print_patch(record, &plans[0]);
    else if (r->cli->format != IO_TEXT)
        print_json(r, record, plans, &report, verdict);
    else
        print_text(record, plans, &report);
    if (r->cli->prove)
        cli_prove_repair(r->cli, &r->prover, &r->checker, &record->desc, &r->request,
                         report.found ? &plans[0] : NULL, &r->log,
                         record->name ? record->name : "record");
    return report.found ? CLI_OK : CLI_ILLEGAL;
}

static enum cli_exit run(struct cli *cli)
{
    struct repair r = {.cli = cli, .patch = cli_has(cli, "patch")};
    const char *op = cli_get(cli, "op");
    const enum tmap_status s = tmap_checker_prepare(&cli->target, cli->contract, &r.checker);
    if (s != TMAP_OK) return cli_status(cli, s, "repair");
    if (!cli_number(cli, "plans", 3, &r.plans)) return CLI_USAGE;
    if (r.plans < 1 || r.plans > MOST_PLANS)
        return cli_usage(cli, "--plans is 1 to %d", MOST_PLANS);
    if (op && strcmp(op, "load") && strcmp(op, "store"))
        return cli_usage(cli, "--op is load or store");
    r.request.op = op && strcmp(op, "store") == 0 ? TMAP_OP_STORE : TMAP_OP_LOAD;
    r.request.keep_swizzle = cli_has(cli, "keep-swizzle");
    r.request.no_copy = cli_has(cli, "no-copy");
    r.request.no_im2col = cli_has(cli, "no-im2col");
    r.workspace = malloc(TMAP_REPAIR_WORKSPACE);
    r.log.size = cli->prove ? LOG_BYTES : 0;
    r.log.text = cli->prove ? malloc(LOG_BYTES) : NULL;
    const bool ready = r.workspace && (r.log.text || !cli->prove);
    if (ready) cli_each(cli, true, repair_record, &r);
    free(r.workspace);
    free(r.log.text);
    if (!ready) return cli_status(cli, TMAP_E_MEMORY, "repair");
    cli_prover_close(&r.prover);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"plans", 'n', "N", "at most so many plans, best first (3)"},
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
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_PROVE | CLI_BUDGET,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
