/* cmd_pipeline.c : shared memory and barriers of a ring of loads, and its protocol. */
#include "cli/each.h"
#include "io/plan/plan.h"
#include "io/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REGIONS 512
#define MOST_RULES 16
#define WORKSPACE ((size_t)64 << 20)
#define TRACE_SIZE ((size_t)1 << 16)

struct pipeline {
    struct cli *cli;
    struct tmap_checker checker;
    void *workspace;
    char *trace;
};

struct answer {
    struct tmap_budget budget;
    struct tmap_region region[MOST_REGIONS];
    tmap_row rules[MOST_RULES];
    size_t rule_count;
    struct tmap_protocol_result protocol;
    uint32_t ctas, explored_stages, proved_stages; /* fewer, where the states of all are too many */
    bool explored;
};

static enum tmap_status budget_of(const struct tmap_checker *c, const struct tmap_pipeline *p,
                                  struct answer *a)
{
    struct tmap_violation v[MOST_RULES];
    size_t found = 0;
    const enum tmap_status s =
        tmap_pipeline_budget(c, p, &a->budget, a->region, MOST_REGIONS, v, MOST_RULES, &found);
    a->rule_count = found < MOST_RULES ? found : MOST_RULES;
    for (size_t i = 0; i < a->rule_count; i++) a->rules[i] = v[i].row;
    return s;
}

static uint32_t tx_of(const struct pipeline *p, const struct tmap_pipeline *in, uint64_t mask)
{
    struct tmap_layout l;
    uint64_t bytes = 0;
    for (size_t i = 0; i < in->load_count && i < 64; i++)
        if (mask >> i & 1 && tmap_layout(&p->checker, &in->loads[i], &l) == TMAP_OK)
            bytes += l.tx_bytes;
    return (uint32_t)bytes;
}

/* What the kernel does with its barriers; more stages than the automaton has are taken as eight. */
static struct tmap_design_options design_of(const struct pipeline *p, const struct io_pipeline *in,
                                            const struct tmap_budget *b)
{
    struct tmap_design_options o = {.design = TMAP_DESIGN_RING, .consumers = 1};
    o.stages = b->stages < TMAP_PROTOCOL_DEPTH ? b->stages : TMAP_PROTOCOL_DEPTH;
    if (in->pipeline.consumers && in->pipeline.consumers <= 8) o.consumers = in->pipeline.consumers;
    o.stage_tx_bytes = (uint32_t)b->stage_tx_bytes;
    o.expect_bytes = in->pipeline.expect_tx ? (uint32_t)in->pipeline.expect_tx : o.stage_tx_bytes;
    if (in->cluster[0] * in->cluster[1] == 1) return o;
    o.design = TMAP_DESIGN_GEMM_SM90;
    o.ctas = in->cluster[0] * in->cluster[1];
    o.a_ctas = in->cluster[1];
    o.b_tx_bytes = tx_of(p, &in->pipeline, in->shared[0]);
    o.a_tx_bytes = tx_of(p, &in->pipeline, in->shared[1]);
    return o;
}

static bool explore_at(const struct pipeline *p, const struct tmap_design_options *o,
                       struct tmap_protocol_result *result)
{
    struct tmap_protocol protocol;
    p->trace[0] = 0;
    return tmap_protocol_design(o, &protocol) == TMAP_OK &&
           tmap_protocol_explore(&protocol, p->workspace, WORKSPACE, result, p->trace,
                                 TRACE_SIZE) == TMAP_OK;
}

/* Where the states are too many, what two stages do is said too. */
static void explore(const struct pipeline *p, const struct io_pipeline *in, struct answer *a)
{
    struct tmap_design_options o = design_of(p, in, &a->budget);
    struct tmap_protocol_result fewer;
    a->ctas = o.ctas ? o.ctas : 1;
    a->explored_stages = o.stages;
    a->explored = explore_at(p, &o, &a->protocol);
    if (!a->explored || a->protocol.verdict != TMAP_UNKNOWN || o.stages <= 2) return;
    o.stages = 2;
    if (explore_at(p, &o, &fewer) && fewer.verdict == TMAP_LEGAL) a->proved_stages = o.stages;
}

/* The most stages of each architecture that has a capacity. */
static json_t *by_arch(const struct pipeline *p, const struct tmap_pipeline *in)
{
    json_t *o = json_object();
    for (size_t i = 0; tmap_arch_at(i); i++) {
        struct tmap_target t = p->cli->target;
        struct tmap_checker c;
        struct tmap_budget b;
        size_t found;
        t.arch = tmap_arch_at(i);
        if (tmap_checker_prepare(&t, p->cli->contract, &c) != TMAP_OK) continue;
        if (tmap_pipeline_budget(&c, in, &b, NULL, 0, NULL, 0, &found) == TMAP_OK)
            json_object_set_new(o, tmap_arch_name(t.arch), json_integer(b.max_stages));
    }
    return o;
}

static const char *region_name(const struct tmap_region *r, char *text, size_t size)
{
    static const char *const names[] = {"load", "store", "barriers", "rest"};
    if (r->kind == TMAP_REGION_LOAD)
        snprintf(text, size, "load %u, stage %u", r->index, r->stage);
    else if (r->kind == TMAP_REGION_STORE)
        snprintf(text, size, "store, buffer %u", r->stage);
    else
        snprintf(text, size, "%s", names[r->kind & 3]);
    return text;
}

static size_t regions_listed(const struct answer *a)
{
    return a->budget.region_count < MOST_REGIONS ? a->budget.region_count : MOST_REGIONS;
}

static json_t *regions_json(const struct answer *a)
{
    json_t *list = json_array();
    char text[48];
    for (size_t i = 0; i < regions_listed(a); i++)
        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I}", "what",
                                              region_name(&a->region[i], text, sizeof text),
                                              "offset", (json_int_t)a->region[i].offset_bytes,
                                              "bytes", (json_int_t)a->region[i].bytes, "align",
                                              (json_int_t)a->region[i].align_bytes));
    return list;
}

static json_t *protocol_json(const struct pipeline *p, const struct answer *a)
{
    json_t *o =
        json_pack("{s:s, s:s, s:i}", "verdict", io_verdict_name(a->protocol.verdict), "hazard",
                  tmap_hazard_name(a->protocol.fault), "states", (int)a->protocol.states);
    if (a->ctas > 1) json_object_set_new(o, "ctas", json_integer(a->ctas));
    if (a->proved_stages) json_object_set_new(o, "proved_stages", json_integer(a->proved_stages));
    if (a->protocol.fault == TMAP_HAZARD_NONE) return o;
    json_object_set_new(o, "detail", json_string(a->protocol.detail));
    json_object_set_new(o, "steps", json_integer(a->protocol.steps));
    json_object_set_new(o, "trace", json_string(p->trace));
    return o;
}

/* What would fit: a smaller box of one load. */
static json_t *nearest_json(const struct pipeline *p, const struct tmap_pipeline *in,
                            const struct tmap_budget *b)
{
    struct tmap_pipeline_box box;
    if (b->max_stages >= b->stages || tmap_pipeline_nearest(&p->checker, in, &box) != TMAP_OK)
        return NULL;
    return json_pack("{s:i, s:i, s:i, s:I}", "load", (int)box.load, "dim", (int)box.dim, "box",
                     (int)box.box, "shared_bytes", (json_int_t)box.shared_bytes);
}

static void nearest_text(const struct pipeline *p, const struct tmap_pipeline *in,
                         const struct tmap_budget *b)
{
    struct tmap_pipeline_box box;
    if (b->max_stages >= b->stages) return;
    printf("  nearest:");
    if (b->max_stages) printf(" %u stages;", b->max_stages);
    if (tmap_pipeline_nearest(&p->checker, in, &box) == TMAP_OK)
        printf(" %u with box[%u] of load %u at most %u: %" PRIu64 " bytes\n", b->stages, box.dim,
               box.load, box.box, box.shared_bytes);
    else
        printf(" no smaller box of one load will do\n");
}

static void print_json(const struct pipeline *p, const struct io_record *record,
                       const struct tmap_pipeline *in, const struct answer *a)
{
    const struct tmap_budget *b = &a->budget;
    json_t *o = json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "verdict",
        io_verdict_name(b->verdict), "rules", io_rules_json(a->rules, a->rule_count), "stages",
        (json_int_t)b->stages, "max_stages", (json_int_t)b->max_stages, "stage_bytes",
        (json_int_t)b->stage_bytes, "stage_align", (json_int_t)b->stage_align_bytes, "expect_tx",
        (json_int_t)b->stage_tx_bytes, "shared_bytes", (json_int_t)b->shared_bytes, "capacity",
        (json_int_t)b->capacity_bytes, "max_stages_by_arch", by_arch(p, in), "regions",
        regions_json(a));
    if (record->name) json_object_set_new(o, "name", json_string(record->name));
    json_t *nearest = nearest_json(p, in, b);
    if (nearest) json_object_set_new(o, "nearest", nearest);
    if (b->tmem_columns) json_object_set_new(o, "tmem_columns", json_integer(b->tmem_columns));
    if (a->explored) json_object_set_new(o, "protocol", protocol_json(p, a));
    io_print_json(stdout, o, p->cli->format == IO_JSON ? 2 : 0);
}

static void protocol_text(const struct pipeline *p, const struct answer *a)
{
    printf("protocol");
    if (a->ctas > 1) printf(" of %u CTAs", a->ctas);
    if (!a->explored)
        printf(": not explored: more agents than there can be, or parts that are not equal\n");
    else if (a->protocol.verdict == TMAP_LEGAL)
        printf(": proved for any number of iterations (%u states)\n", a->protocol.states);
    else if (a->protocol.verdict == TMAP_ILLEGAL)
        printf(": %s: %s\n%s", tmap_hazard_name(a->protocol.fault), a->protocol.detail, p->trace);
    else if (a->proved_stages)
        printf(": proved at %u stages; the states of %u are too many\n", a->proved_stages,
               a->explored_stages);
    else
        printf(": undecided, the states are too many\n");
}

static void print_text(const struct pipeline *p, const struct tmap_pipeline *in,
                       const struct answer *a)
{
    const struct tmap_budget *b = &a->budget;
    char text[48];
    printf("%u stages of %" PRIu64 " bytes, aligned to %" PRIu64 ": %" PRIu64 " of %" PRIu64
           " bytes of shared memory; at most %u stages\n",
           b->stages, b->stage_bytes, b->stage_align_bytes, b->shared_bytes, b->capacity_bytes,
           b->max_stages);
    for (size_t i = 0; i < a->rule_count; i++)
        printf("  %s %s\n", tmap_row_id(a->rules[i]), tmap_row_name(a->rules[i]));
    nearest_text(p, in, b);
    printf("expect_tx %" PRIu64 " bytes a stage\n", b->stage_tx_bytes);
    if (in->expect_tx && in->expect_tx != b->stage_tx_bytes)
        printf("  the kernel expects %" PRIu64 ": not what lands\n", in->expect_tx);
    for (size_t i = 0; i < regions_listed(a); i++)
        printf("  %8" PRIu64 "  %8" PRIu64 "  %s\n", a->region[i].offset_bytes, a->region[i].bytes,
               region_name(&a->region[i], text, sizeof text));
    protocol_text(p, a);
}

static enum cli_exit code_of(const struct answer *a)
{
    if (a->budget.verdict == TMAP_ILLEGAL) return CLI_ILLEGAL;
    if (!a->explored || a->protocol.verdict == TMAP_UNKNOWN) return CLI_UNDECIDED;
    return a->protocol.verdict == TMAP_ILLEGAL ? CLI_ILLEGAL : CLI_OK;
}

static enum cli_exit pipeline_record(void *user, struct io_record *record)
{
    struct pipeline *p = user;
    struct io_pipeline in;
    struct answer *a = calloc(1, sizeof *a);
    enum cli_exit code;
    if (!a) return cli_status(p->cli, TMAP_E_MEMORY, "pipeline");
    if (!io_pipeline_from(record, &in)) {
        code = cli_unreadable(p->cli, record);
    } else {
        const enum tmap_status s = budget_of(&p->checker, &in.pipeline, a);
        if (s == TMAP_E_ILLEGAL)
            cli_message(p->cli, "a descriptor is illegal: tmap check says why");
        code = s == TMAP_E_ILLEGAL ? CLI_ILLEGAL
               : s != TMAP_OK      ? cli_status(p->cli, s, "pipeline")
                                   : CLI_OK;
        if (s == TMAP_OK) {
            explore(p, &in, a);
            if (p->cli->format == IO_TEXT)
                print_text(p, &in.pipeline, a);
            else
                print_json(p, record, &in.pipeline, a);
            code = code_of(a);
        }
    }
    io_pipeline_free(&in);
    free(a);
    return code;
}

static enum cli_exit run(struct cli *cli)
{
    struct pipeline p = {.cli = cli};
    const enum tmap_status s = tmap_checker_prepare(&cli->target, cli->contract, &p.checker);
    if (s != TMAP_OK) return cli_status(cli, s, "pipeline");
    p.workspace = malloc(WORKSPACE);
    p.trace = malloc(TRACE_SIZE);
    if (p.workspace && p.trace)
        cli_each(cli, false, pipeline_record, &p);
    else
        cli_note(cli, cli_status(cli, TMAP_E_MEMORY, "pipeline"));
    free(p.workspace);
    free(p.trace);
    return CLI_OK;
}

const struct cli_command cli_pipeline = {
    .name = "pipeline",
    .summary = "shared memory, barrier bytes and protocol of a ring of loads",
    .operands = "[OPTION...] [FILE...]",
    .examples = "  tmap pipeline ring.json\n"
                "  tmap pipeline --arch sm_120a -f json ring.json\n",
    .about =
        "{\"stages\":4, \"loads\":[descriptor, ...], \"store\":descriptor, "
        "\"reserve_bytes\":0}; also\n"
        "consumers, store_stages, cta_group, tmem_columns, and expect_tx: what the kernel\n"
        "expects per stage, which is then held against what lands. stages 0: as many as fit.\n"
        "\"cluster\":[2], \"shared\":[[1]] : two CTAs fill load 1 together, each its half, by\n"
        "multicast, and keep one group of MMAs in flight, as the products of this suite do;\n"
        "[2,2], [[1],[0]] : four, load 1 shared along one direction and load 0 along the other.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .run = run};
