/* cmd_solve.c : the best descriptors and the loop of copies for a requested tile. */
#include "cli/each.h"
#include "cli/shard.h"
#include "cli/prove.h"
#include "io/plan/plan.h"
#include "io/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLANS 16
#define LOG_EVENTS ((size_t)1 << 15)
#define LOOP_BYTES 2048

struct solve {
    struct cli *cli;
    struct tmap_checker checker;
    void *workspace;
    uint64_t plans;
    struct cli_prover prover; /* --prove */
    struct tmap_search_log log;
};

static void loop_of(const struct tmap_tile_plan *t, const struct tmap_tile_request *request,
                    char *out)
{
    io_plan_loop(&t->plan, &request->tensor, request->op == TMAP_OP_STORE, request->multicast, out,
                 LOOP_BYTES);
}

static json_t *plan_json(const struct tmap_tile_plan *t, const struct tmap_tile_request *request)
{
    char loop[LOOP_BYTES];
    json_t *o = io_plan_json(&t->plan, &request->tensor);
    loop_of(t, request, loop);
    json_object_set_new(o, "instructions", json_integer((json_int_t)t->instructions));
    json_object_set_new(o, "bank_conflicts", json_integer(t->conflicts));
    json_object_set_new(o, "shared_bytes", json_integer((json_int_t)t->shared_bytes));
    json_object_set_new(o, "partial_sectors", json_integer((json_int_t)t->partial_sectors));
    json_object_set_new(o, "loop", json_string(loop));
    return o;
}

static void print_json(const struct solve *s, const struct io_record *record,
                       const struct tmap_tile_plan *plans, size_t found,
                       const struct io_request *asked, const char *reason)
{
    const struct tmap_tile_request *request = &asked->request;
    json_t *o = json_object(), *list = json_array();
    json_t *name = json_object_get(record->json, "name");
    json_object_set(o, "name", name ? name : json_null());
    for (size_t i = 0; i < found; i++) json_array_append_new(list, plan_json(&plans[i], request));
    json_object_set_new(o, "plans", list);
    if (found && asked->folded)
        json_object_set_new(o, "fold", io_fold_json(&asked->tensor, &asked->fold));
    if (!found) json_object_set_new(o, "reason", json_string(reason));
    io_print_json(stdout, o, s->cli->format == IO_JSON ? 2 : 0);
}

static void print_loop(const struct tmap_tile_plan *t, const struct tmap_tile_request *request)
{
    char loop[LOOP_BYTES];
    loop_of(t, request, loop);
    for (const char *line = loop; *line;) {
        const size_t n = strcspn(line, "\n");
        printf("        %.*s\n", (int)n, line);
        line += n + (line[n] != 0);
    }
}

static void print_text(const struct tmap_tile_plan *plans, size_t found,
                       const struct io_request *asked, const char *reason)
{
    const struct tmap_tile_request *request = &asked->request;
    if (found && asked->folded) io_fold_text(stdout, &asked->tensor, &asked->fold);
    if (!found) printf("no plan: %s\n", reason);
    for (size_t i = 0; i < found; i++) {
        const struct tmap_tile_plan *t = &plans[i];
        printf("plan %zu: %" PRIu64 " instruction%s a tile, %" PRIu64
               " bytes of shared memory, %s; ",
               i + 1, t->instructions, t->instructions == 1 ? "" : "s", t->shared_bytes,
               t->conflicts ? "bank conflicts" : "no bank conflict");
        io_plan_text(stdout, &t->plan, &request->tensor);
        print_loop(t, request);
    }
}

static enum cli_exit solve_record(void *user, const struct io_stream *stream,
                                  struct io_record *record)
{
    (void)stream;
    struct solve *s = user;
    struct io_request asked;
    const struct tmap_tile_request *request = &asked.request;
    struct tmap_tile_plan plans[MOST_PLANS];
    size_t found = 0;
    char reason[240] = "";
    if (!io_request_from(record, &asked)) return cli_unreadable(s->cli, record);
    enum tmap_status status = TMAP_E_NO_PLAN;
    if (asked.fold.reason[0])
        snprintf(reason, sizeof reason, "%s", asked.fold.reason);
    else
        status = tmap_solve(&s->checker, request, s->workspace, TMAP_REPAIR_WORKSPACE, plans,
                            (size_t)s->plans, &found, reason, sizeof reason);
    const bool open = status == TMAP_E_BUDGET;
    if (status != TMAP_OK && status != TMAP_E_NO_PLAN && !open)
        return cli_status(s->cli, status, "solve");
    if (s->cli->format == IO_TEXT)
        print_text(plans, found, &asked, reason);
    else
        print_json(s, record, plans, found, &asked, reason);
    const json_t *name = json_object_get(record->json, "name");
    if (s->cli->prove && found)
        cli_prove_tile(s->cli, &s->prover, &s->checker, request, &plans[0], s->workspace, &s->log,
                       json_is_string(name) ? json_string_value(name) : "record");
    return found ? CLI_OK : open ? CLI_UNDECIDED : CLI_ILLEGAL;
}

static enum cli_exit run(struct cli *cli)
{
    struct solve s = {.cli = cli};
    tmap_checker_prepare(&cli->target, cli->contract, &s.checker);
    if (!cli_number_in(cli, "plans", 1, 1, MOST_PLANS, &s.plans)) return CLI_USAGE;
    s.workspace = malloc(TMAP_REPAIR_WORKSPACE);
    s.log.capacity = cli->prove ? LOG_EVENTS : 0;
    s.log.events = cli->prove ? malloc(LOG_EVENTS * sizeof *s.log.events) : NULL;
    const bool ready = s.workspace && (s.log.events || !cli->prove);
    if (ready) cli_each(cli, CLI_EACH_SHARD, solve_record, &s);
    free(s.workspace);
    free(s.log.events);
    cli_prover_close(&s.prover);
    if (!ready) return cli_status(cli, TMAP_E_MEMORY, "solve");
    return CLI_OK;
}

static const struct cli_option options[] = {
    CLI_SHARD_OPTION,
    {"plans", 'n', "N", "at most N plans, best first (1)"},
    {"keep", 0, "DIR", "with --prove: leave each question there, in SMT-LIB or isl's syntax"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_solve = {
    .name = "solve",
    .summary = "the best descriptors and copies for a requested tile",
    .operands = "[OPTION...] [FILE...]",
    .examples = "  tmap solve request.json\n"
                "  tmap solve --dtype bf16 --dim 4096,8192 --tile 64,128 --consumer wgmma_k_major\n"
                "  tmap solve --plans 5 -f json request.json\n",
    .about = "{\"tensor\":{\"dtype\":\"bf16\", \"dim\":[4096,8192], \"stride\":[8192]}, "
             "\"tile\":[64,128],\n"
             "\"op\":\"load\", \"consumer\":\"wgmma_k_major\"}. Fewest instructions first, then no "
             "bank\nconflicts, then least shared memory, then whole sectors of memory.\n"
             "Consumers: none, ldmatrix, wgmma_k_major, wgmma_mn_major, tcgen05_k_major,\n"
             "tcgen05_mn_major; or \"consumer\":\"wgmma\", \"major\":\"k\" as in uses. Also\n"
             "\"multicast\":2, the CTAs that get the tile.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_PROVE | CLI_BUDGET | CLI_TILE,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
