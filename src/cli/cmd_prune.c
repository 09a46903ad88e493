/* cmd_prune.c : which kernel configurations can exist, and how they rank. */
#include "cli/each.h"
#include "io/plan/plan.h"
#include "io/report/report.h"

#include <inttypes.h>
#include <stdlib.h>

struct prune {
    struct cli *cli;
    struct tmap_checker checker;
    bool possible_only;
};

/* A configuration with its answer and its place in the ranking. */
struct judged {
    struct tmap_config config;
    struct tmap_config_answer answer;
    size_t index, rank;
};

static int by_time(const void *a, const void *b)
{
    const struct judged *x = *(const struct judged *const *)a,
                        *y = *(const struct judged *const *)b;
    if (x->answer.verdict != y->answer.verdict)
        return x->answer.verdict < y->answer.verdict ? -1 : 1;
    if (x->answer.time_us != y->answer.time_us)
        return x->answer.time_us < y->answer.time_us ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static bool rank_all(struct judged *list, size_t n)
{
    struct judged **order = malloc((n ? n : 1) * sizeof *order);
    if (!order) return false;
    for (size_t i = 0; i < n; i++) order[i] = &list[i];
    qsort(order, n, sizeof *order, by_time);
    for (size_t i = 0; i < n; i++)
        order[i]->rank = order[i]->answer.verdict == TMAP_LEGAL ? i + 1 : 0;
    free(order);
    return true;
}

static json_t *answer_json(const struct judged *j)
{
    const struct tmap_config_answer *a = &j->answer;
    json_t *rules = io_rules_json(a->rows, a->row_count);
    json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:I, s:I}", "BLOCK_M",
                          (json_int_t)j->config.block_m, "BLOCK_N", (json_int_t)j->config.block_n,
                          "BLOCK_K", (json_int_t)j->config.block_k, "num_stages",
                          (json_int_t)j->config.stages, "num_warps", (json_int_t)j->config.warps,
                          "verdict", io_verdict_name(a->verdict), "rules", rules, "shared_bytes",
                          (json_int_t)a->shared_bytes, "max_stages", (json_int_t)a->max_stages);
    if (a->registers) json_object_set_new(o, "registers", json_integer(a->registers));
    json_object_set_new(o, "rank", j->rank ? json_integer((json_int_t)j->rank) : json_null());
    json_object_set_new(o, "terms",
                        json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "tiles",
                                  (json_int_t)a->tiles, "l2_bytes", (json_int_t)a->l2_bytes,
                                  "dram_bytes", (json_int_t)a->dram_bytes, "intensity",
                                  a->intensity, "waves", a->waves, "wave_efficiency",
                                  a->wave_efficiency, "flop_us", a->flop_us, "dram_us", a->dram_us,
                                  "l2_us", a->l2_us, "time_us", a->time_us));
    return o;
}

static void answer_text(const struct judged *j)
{
    const struct tmap_config_answer *a = &j->answer;
    printf("  %4u x %4u x %4u, %u stages, %2u warps: %-8s %8" PRIu64 " bytes", j->config.block_m,
           j->config.block_n, j->config.block_k, j->config.stages, j->config.warps,
           a->verdict == TMAP_LEGAL ? "possible" : "no", a->shared_bytes);
    if (a->verdict == TMAP_LEGAL)
        printf("  rank %zu, %.1f us, intensity %.0f, %.2f waves\n", j->rank, a->time_us,
               a->intensity, a->waves);
    for (uint32_t i = 0; a->verdict != TMAP_LEGAL && i < a->row_count; i++)
        printf("%s %s %s", i ? "," : " ", tmap_row_id(a->rows[i]), tmap_row_name(a->rows[i]));
    if (a->verdict != TMAP_LEGAL) printf("; at most %" PRIu64 " stages fit\n", a->max_stages);
}

static void print_one(const struct prune *p, const struct judged *j)
{
    if (p->possible_only && j->answer.verdict != TMAP_LEGAL) return;
    if (p->cli->format == IO_TEXT)
        answer_text(j);
    else
        io_print_json(stdout, answer_json(j), 0);
}

static void print_counts(const struct prune *p, uint64_t before, uint64_t after)
{
    if (p->cli->format == IO_TEXT)
        printf("  %" PRIu64 " of %" PRIu64 " can exist\n", after, before);
    else
        io_print_json(
            stdout,
            json_pack("{s:I, s:I}", "configs", (json_int_t)before, "possible", (json_int_t)after),
            0);
}

static enum cli_exit prune_list(struct prune *p, const struct io_prune *in)
{
    struct judged *list = calloc(in->count, sizeof *list);
    uint64_t possible = 0;
    if (!list) return cli_status(p->cli, TMAP_E_MEMORY, "prune");
    for (size_t i = 0; i < in->count; i++) {
        list[i].config = in->configs[i];
        list[i].index = i;
        const enum tmap_status s =
            tmap_prune(&p->checker, &in->problem, &list[i].config, 1, &list[i].answer);
        if (s != TMAP_OK) {
            free(list);
            return cli_status(p->cli, s, "prune");
        }
        possible += list[i].answer.verdict == TMAP_LEGAL;
    }
    const bool ranked = rank_all(list, in->count);
    for (size_t i = 0; ranked && i < in->count; i++) print_one(p, &list[i]);
    print_counts(p, in->count, possible);
    free(list);
    if (!ranked) return cli_status(p->cli, TMAP_E_MEMORY, "prune");
    return possible == in->count ? CLI_OK : CLI_ILLEGAL;
}

/* A space is streamed: each configuration is judged when it is printed, and has no rank. */
static enum cli_exit prune_space(struct prune *p, const struct io_prune *in)
{
    const uint64_t n = tmap_space_size(&in->space);
    uint64_t possible = 0;
    for (uint64_t i = 0; i < n && !ferror(stdout); i++) {
        struct judged j = {.index = (size_t)i};
        tmap_space_at(&in->space, i, &j.config);
        const enum tmap_status s = tmap_prune(&p->checker, &in->problem, &j.config, 1, &j.answer);
        if (s != TMAP_OK) return cli_status(p->cli, s, "prune");
        possible += j.answer.verdict == TMAP_LEGAL;
        print_one(p, &j);
    }
    print_counts(p, n, possible);
    return possible ? CLI_OK : CLI_ILLEGAL;
}

static enum cli_exit prune_record(void *user, struct io_record *record)
{
    struct prune *p = user;
    struct io_prune in;
    enum cli_exit code;
    if (!io_prune_from(record, &in)) {
        code = cli_unreadable(p->cli, record);
    } else {
        if (p->cli->format == IO_TEXT)
            printf("model %s: %s\n", tmap_model_name(in.problem.model),
                   tmap_model_about(in.problem.model));
        code = in.configs ? prune_list(p, &in) : prune_space(p, &in);
    }
    io_prune_free(&in);
    return code;
}

static enum cli_exit run(struct cli *cli)
{
    struct prune p = {.cli = cli, .possible_only = cli_has(cli, "possible")};
    const enum tmap_status s = tmap_checker_prepare(&cli->target, cli->contract, &p.checker);
    if (s != TMAP_OK) return cli_status(cli, s, "prune");
    cli_each(cli, false, prune_record, &p);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"possible", 'p', NULL, "only the configurations that can exist"}, {NULL, 0, NULL, NULL}};

const struct cli_command cli_prune = {
    .name = "prune",
    .summary = "which kernel configurations can exist, and why not the others",
    .operands = "[OPTION...] [FILE...]",
    .examples = "  tmap prune configs.json\n"
                "  tmap prune --possible --arch sm_121a configs.json\n",
    .about = "{\"op\":\"gemm\", \"dtype\":\"BFLOAT16\", \"M\":4096, \"N\":4096, \"K\":4096, "
             "\"model\":\"ring\",\n"
             "\"configs\":[{\"BLOCK_M\":128, \"BLOCK_N\":128, \"BLOCK_K\":64, \"num_stages\":4, "
             "\"num_warps\":8}]}\n"
             "or, instead of configs, \"space\":{\"BLOCK_M\":[64,128], ...}. The ranking is a "
             "roofline with\nnominal rates: it orders, and decides nothing.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
