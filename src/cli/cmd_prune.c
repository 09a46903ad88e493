/* cmd_prune.c : which kernel configurations can exist, and how they rank. */
#include "cli/each.h"
#include "cli/progress.h"
#include "cli/shard.h"
#include "io/plan/plan.h"
#include "io/report/report.h"

#include <inttypes.h>
#include <stdlib.h>

struct prune {
    struct cli *cli;
    struct tmap_checker checker;
    bool possible_only;
    struct cli_shard shard;
    size_t problems; /* read so far */
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

static json_t *terms_json(const struct tmap_config_answer *a)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "tiles",
                     (json_int_t)a->tiles, "l2_bytes", (json_int_t)a->l2_bytes, "dram_bytes",
                     (json_int_t)a->dram_bytes, "intensity", a->intensity, "waves", a->waves,
                     "wave_efficiency", a->wave_efficiency, "flop_us", a->flop_us, "dram_us",
                     a->dram_us, "l2_us", a->l2_us, "time_us", a->time_us);
}

static json_t *answer_json(const struct judged *j)
{
    const struct tmap_config_answer *a = &j->answer;
    json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:o, s:I, s:I}", "BLOCK_M",
                          (json_int_t)j->config.block_m, "BLOCK_N", (json_int_t)j->config.block_n,
                          "BLOCK_K", (json_int_t)j->config.block_k, "num_stages",
                          (json_int_t)j->config.stages, "num_warps", (json_int_t)j->config.warps,
                          "verdict", io_verdict_name(a->verdict), "basis", io_basis_name(a->basis),
                          "rules", io_rules_json(a->rows, a->row_count), "shared_bytes",
                          (json_int_t)a->shared_bytes, "max_stages", (json_int_t)a->max_stages);
    if (j->config.ctas) json_object_set_new(o, "num_ctas", json_integer(j->config.ctas));
    if (a->registers) json_object_set_new(o, "registers", json_integer(a->registers));
    if (a->tmem_columns) json_object_set_new(o, "tmem_columns", json_integer(a->tmem_columns));
    json_object_set_new(o, "rank", j->rank ? json_integer((json_int_t)j->rank) : json_null());
    json_object_set_new(o, "terms", terms_json(a));
    return o;
}

static void answer_text(const struct judged *j)
{
    static const char *const words[] = {"possible", "no", "unknown"};
    const struct tmap_config_answer *a = &j->answer;
    printf("  %4u x %4u x %4u, %u stages, %2u warps", j->config.block_m, j->config.block_n,
           j->config.block_k, j->config.stages, j->config.warps);
    if (j->config.ctas) printf(", %u CTAs", j->config.ctas);
    printf(": %-8s %8" PRIu64 " bytes", words[a->verdict], a->shared_bytes);
    if (a->tmem_columns) printf(", %u columns", a->tmem_columns);
    if (a->verdict == TMAP_LEGAL && j->rank) printf("  rank %zu,", j->rank);
    if (a->verdict == TMAP_LEGAL)
        printf(" predicted %.1f us, intensity %.0f, %.2f waves", a->time_us, a->intensity,
               a->waves);
    for (uint32_t i = 0; i < a->row_count; i++)
        printf("%s %s %s", i ? "," : " ", tmap_row_id(a->rows[i]), tmap_row_name(a->rows[i]));
    if (a->verdict == TMAP_ILLEGAL) printf("; at most %" PRIu64 " stages fit", a->max_stages);
    printf("\n");
}

static void print_one(const struct prune *p, const struct judged *j)
{
    if (p->possible_only && j->answer.verdict != TMAP_LEGAL) return;
    if (p->cli->format == IO_TEXT)
        answer_text(j);
    else
        io_print_json(stdout, answer_json(j), cli_indent(p->cli));
}

/* How many there were, by verdict. */
struct counts {
    uint64_t of[3];
    enum tmap_basis basis;
};

static uint64_t total(const struct counts *c)
{
    return c->of[TMAP_LEGAL] + c->of[TMAP_ILLEGAL] + c->of[TMAP_UNKNOWN];
}

static enum cli_exit print_counts(const struct prune *p, const struct counts *c)
{
    const uint64_t unknown = c->of[TMAP_UNKNOWN];
    if (p->shard.count) {
        /* the parts' totals are no lines of the whole */
    } else if (p->cli->format != IO_TEXT) {
        json_t *o = json_pack("{s:I, s:I}", "configs", (json_int_t)total(c), "possible",
                              (json_int_t)c->of[TMAP_LEGAL]);
        if (unknown) json_object_set_new(o, "unknown", json_integer((json_int_t)unknown));
        io_print_json(stdout, o, cli_indent(p->cli));
    } else {
        printf("  %" PRIu64 " of %" PRIu64 " can exist", c->of[TMAP_LEGAL], total(c));
        if (unknown) printf("; of %" PRIu64 " it is unknown", unknown);
        if (c->basis == TMAP_INFERRED) printf(" (%s, not observed)", io_basis_name(c->basis));
        printf("\n");
    }
    return c->of[TMAP_ILLEGAL] ? CLI_ILLEGAL : unknown ? CLI_UNDECIDED : CLI_OK;
}

static enum cli_exit prune_list(struct prune *p, const struct io_prune *in)
{
    struct judged *list = calloc(in->count, sizeof *list);
    struct counts counts = {{0}, TMAP_OBSERVED};
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
        counts.of[list[i].answer.verdict]++;
        counts.basis = list[i].answer.basis;
    }
    const bool ranked = rank_all(list, in->count);
    uint64_t first, end;
    cli_shard_range(&p->shard, in->count, &first, &end);
    for (uint64_t i = first; ranked && i < end; i++) print_one(p, &list[i]);
    free(list);
    if (!ranked) return cli_status(p->cli, TMAP_E_MEMORY, "prune");
    return print_counts(p, &counts);
}

#define CHUNK (UINT64_C(1) << 16) /* verdicts of a space at a time */

/* Those of one chunk that are asked for, judged in full. */
static enum tmap_status print_chunk(const struct prune *p, const struct io_prune *in,
                                    uint64_t first, uint64_t n, const uint8_t *verdicts,
                                    enum tmap_basis *basis)
{
    for (uint64_t i = 0; i < n && !ferror(stdout); i++) {
        struct judged j = {.index = (size_t)(first + i)};
        if (p->possible_only && verdicts[i] != TMAP_LEGAL && i) continue;
        tmap_space_at(&in->space, first + i, &j.config);
        const enum tmap_status s = tmap_prune(&p->checker, &in->problem, &j.config, 1, &j.answer);
        if (s != TMAP_OK) return s;
        *basis = j.answer.basis;
        print_one(p, &j);
    }
    return TMAP_OK;
}

/* A space is streamed: each configuration is judged when it is printed, and has no rank. */
static enum cli_exit prune_space(struct prune *p, const struct io_prune *in)
{
    uint64_t first, size;
    const size_t bytes = tmap_space_workspace(&in->space);
    uint8_t *verdicts = malloc(CHUNK);
    void *workspace = malloc(bytes);
    struct counts counts = {{0}, TMAP_OBSERVED};
    enum tmap_status s = verdicts && workspace ? TMAP_OK : TMAP_E_MEMORY;
    cli_shard_range(&p->shard, tmap_space_size(&in->space), &first, &size);
    p->cli->progress->of = size - first;
    for (uint64_t i = first; s == TMAP_OK && i < size && !ferror(stdout); i += CHUNK) {
        const uint64_t n = size - i < CHUNK ? size - i : CHUNK;
        uint64_t of[3];
        s = tmap_prune_space(&p->checker, &in->problem, &in->space, i, n, verdicts, of, workspace,
                             bytes);
        for (int k = 0; s == TMAP_OK && k < 3; k++) counts.of[k] += of[k];
        if (s == TMAP_OK) s = print_chunk(p, in, i, n, verdicts, &counts.basis);
        p->cli->progress->done += n;
    }
    free(verdicts);
    free(workspace);
    if (s != TMAP_OK) return cli_status(p->cli, s, "prune");
    const enum cli_exit code = print_counts(p, &counts);
    return code == CLI_ILLEGAL && counts.of[TMAP_LEGAL] ? CLI_OK : code;
}

static enum cli_exit prune_record(void *user, const struct io_stream *stream,
                                  struct io_record *record)
{
    (void)stream;
    struct prune *p = user;
    struct io_prune in;
    enum cli_exit code;
    if (p->shard.count && p->problems++)
        return cli_usage(p->cli, "--shard takes one problem at a time");
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
    tmap_checker_prepare(&cli->target, cli->contract, &p.checker);
    if (!cli_shard_get(cli, &p.shard)) return CLI_USAGE;
    cli_each(cli, 0, prune_record, &p);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"possible", 'p', NULL, "only the configurations that can exist"},
    CLI_SHARD_OPTION,
    {NULL, 0, NULL, NULL}};

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
             "model ring, triton or tcgen05 (accumulators in tensor memory; num_ctas 2: a pair);\n"
             "or, instead of configs, \"space\":{\"BLOCK_M\":[64,128], ...}. The ranking is a "
             "roofline with\nnominal rates: it orders, and decides nothing.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
