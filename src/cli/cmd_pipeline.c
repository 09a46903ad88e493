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
    struct exploration {
        struct tmap_pipeline_design design;
        struct tmap_protocol_result result;
        uint32_t proved_stages; /* fewer, where the states of all are too many */
        char *trace;
    } protocol[TMAP_PIPELINE_DESIGNS];
    size_t protocol_count;
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

static bool explore_protocol_of(const struct pipeline *p, const struct tmap_protocol *protocol,
                                struct tmap_protocol_result *result, char *trace)
{
    if (trace) trace[0] = 0;
    return tmap_protocol_explore(protocol, p->workspace, WORKSPACE, result, trace,
                                 trace ? TRACE_SIZE : 0) == TMAP_OK;
}

static bool explore_at(const struct pipeline *p, const struct tmap_design_options *o,
                       struct tmap_protocol_result *result, char *trace)
{
    struct tmap_protocol protocol;
    return tmap_protocol_design(o, &protocol) == TMAP_OK &&
           explore_protocol_of(p, &protocol, result, trace);
}

/* A proof of fewer stages or consumers than there are is none of all. Where the states are too
 * many, two stages are tried too. */
static void explore_design(const struct pipeline *p, struct exploration *e)
{
    struct tmap_design_options o = e->design.options;
    struct tmap_protocol_result fewer;
    e->result.verdict = TMAP_UNKNOWN;
    if (e->design.reason[0]) return;
    if (!explore_at(p, &o, &e->result, e->trace)) {
        snprintf(e->design.reason, sizeof e->design.reason,
                 "byte counts with too small a common divisor");
        return;
    }
    if (e->result.verdict == TMAP_LEGAL &&
        (o.stages < e->design.stages || o.consumers < e->design.consumers)) {
        e->result.verdict = TMAP_UNKNOWN;
        e->proved_stages = o.stages;
        return;
    }
    if (e->result.verdict != TMAP_UNKNOWN || o.stages <= 2) return;
    o.stages = 2;
    if (explore_at(p, &o, &fewer, NULL) && fewer.verdict == TMAP_LEGAL) e->proved_stages = 2;
}

/* The kernel's own protocol, whatever its loads look like. */
static void explore_own(const struct pipeline *p, const struct io_pipeline *in, struct answer *a)
{
    struct exploration *e = &a->protocol[0];
    a->protocol_count = 1;
    e->design.options.ctas = in->protocol.ctas;
    e->trace = p->trace;
    e->result.verdict = TMAP_UNKNOWN;
    if (!explore_protocol_of(p, &in->protocol, &e->result, e->trace))
        snprintf(e->design.reason, sizeof e->design.reason,
                 "byte counts without a common divisor, or a bound of the automaton");
}

static enum tmap_status explore(const struct pipeline *p, const struct io_pipeline *in,
                                struct answer *a)
{
    struct tmap_pipeline_design designs[TMAP_PIPELINE_DESIGNS];
    if (in->own_protocol) {
        explore_own(p, in, a);
        return TMAP_OK;
    }
    const enum tmap_status s = tmap_pipeline_designs(&p->checker, &in->pipeline, a->budget.stages,
                                                     designs, &a->protocol_count);
    for (size_t i = 0; s == TMAP_OK && i < a->protocol_count; i++) {
        a->protocol[i].design = designs[i];
        a->protocol[i].trace = p->trace + i * TRACE_SIZE;
        explore_design(p, &a->protocol[i]);
    }
    return s;
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
        tmap_checker_prepare(&t, p->cli->contract, &c);
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

static uint32_t ctas_of(const struct exploration *e)
{
    return e->design.options.ctas ? e->design.options.ctas : 1;
}

static json_t *protocol_json(const struct exploration *e)
{
    const struct tmap_protocol_result *r = &e->result;
    json_t *o = json_pack("{s:s, s:s, s:I}", "verdict", io_verdict_name(r->verdict), "hazard",
                          tmap_hazard_name(r->fault), "states", (json_int_t)r->states);
    if (ctas_of(e) > 1) json_object_set_new(o, "ctas", json_integer(ctas_of(e)));
    if (e->proved_stages) {
        json_object_set_new(o, "proved_stages", json_integer(e->proved_stages));
        json_object_set_new(o, "proved_consumers", json_integer(e->design.options.consumers));
    }
    if (e->design.reason[0]) json_object_set_new(o, "reason", json_string(e->design.reason));
    if (r->fault == TMAP_HAZARD_NONE) return o;
    json_object_set_new(o, "detail", json_string(r->detail));
    json_object_set_new(o, "steps", json_integer(r->steps));
    json_object_set_new(o, "trace", json_string(e->trace));
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

static void put_name(json_t *out, const struct io_record *record)
{
    json_t *name = json_object_get(record->json, "name");
    if (json_is_string(name)) json_object_set(out, "name", name);
}

static void print_json(const struct pipeline *p, const struct io_record *record,
                       const struct tmap_pipeline *in, const struct answer *a)
{
    const struct tmap_budget *b = &a->budget;
    json_t *o = json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "verdict",
        io_verdict_name(b->verdict), "basis", io_basis_name(p->checker.basis), "rules",
        io_rules_json(a->rules, a->rule_count), "stages", (json_int_t)b->stages, "max_stages",
        (json_int_t)b->max_stages, "stage_bytes", (json_int_t)b->stage_bytes, "stage_align",
        (json_int_t)b->stage_align_bytes, "expect_tx", (json_int_t)b->stage_tx_bytes,
        "shared_bytes", (json_int_t)b->shared_bytes, "capacity", (json_int_t)b->capacity_bytes,
        "max_stages_by_arch", by_arch(p, in), "regions", regions_json(a));
    put_name(o, record);
    json_t *nearest = nearest_json(p, in, b);
    if (nearest) json_object_set_new(o, "nearest", nearest);
    if (b->tmem_columns) json_object_set_new(o, "tmem_columns", json_integer(b->tmem_columns));
    if (b->tmem_needed) json_object_set_new(o, "tmem_needed", json_integer(b->tmem_needed));
    for (size_t i = 0; i < a->protocol_count; i++)
        json_object_set_new(o, i ? "accumulator_protocol" : "protocol",
                            protocol_json(&a->protocol[i]));
    io_print_json(stdout, o, p->cli->format == IO_JSON ? 2 : 0);
}

static void protocol_text(const struct exploration *e, const char *of)
{
    const struct tmap_protocol_result *r = &e->result;
    const struct tmap_pipeline_design *d = &e->design;
    printf("%s", of);
    if (ctas_of(e) > 1) printf(" of %u CTAs", ctas_of(e));
    if (d->reason[0])
        printf(": not explored: %s\n", d->reason);
    else if (r->verdict == TMAP_LEGAL)
        printf(": proved for any number of iterations (%u states)\n", r->states);
    else if (r->verdict == TMAP_ILLEGAL)
        printf(": %s: %s\n%s", tmap_hazard_name(r->fault), r->detail, e->trace);
    else if (e->proved_stages < d->options.stages && e->proved_stages)
        printf(": proved at %u stages; the states of %u are too many\n", e->proved_stages,
               d->options.stages);
    else if (e->proved_stages)
        printf(": unknown: proved with %u of %u stages and %u of %u consumers, the most that are "
               "explored\n",
               d->options.stages, d->stages, d->options.consumers, d->consumers);
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
    if (b->tmem_columns)
        printf("tensor memory: %u of %u columns allocated\n", b->tmem_needed, b->tmem_columns);
    for (size_t i = 0; i < a->protocol_count; i++)
        protocol_text(&a->protocol[i], i ? "protocol of the accumulators" : "protocol");
    if (p->checker.basis == TMAP_INFERRED)
        printf("%s, not observed on this target\n", io_basis_name(p->checker.basis));
}

static enum cli_exit code_of(const struct answer *a)
{
    bool undecided = a->budget.verdict == TMAP_UNKNOWN;
    if (a->budget.verdict == TMAP_ILLEGAL) return CLI_ILLEGAL;
    for (size_t i = 0; i < a->protocol_count; i++) {
        if (a->protocol[i].result.verdict == TMAP_ILLEGAL) return CLI_ILLEGAL;
        undecided = undecided || a->protocol[i].result.verdict == TMAP_UNKNOWN;
    }
    return undecided ? CLI_UNDECIDED : CLI_OK;
}

/* One descriptor that is illegal: why, by each row that it violates. */
struct refused {
    const char *what;
    const struct tmap_desc *desc;
    struct tmap_violation rows[MOST_RULES];
    size_t count;
};

static bool refuses(const struct pipeline *p, const char *what, const struct tmap_desc *desc,
                    struct refused *out)
{
    size_t found = 0;
    *out = (struct refused){.what = what, .desc = desc};
    tmap_check_with(&p->checker, desc, out->rows, MOST_RULES, &found, NULL);
    out->count = found < MOST_RULES ? found : MOST_RULES;
    return found > 0;
}

static void refused_text(const struct pipeline *p, const struct refused *r)
{
    struct tmap_detail detail;
    printf("%s is illegal\n", r->what);
    for (size_t i = 0; i < r->count; i++) {
        tmap_detail_of(&p->cli->target, r->desc, NULL, &r->rows[i], &detail);
        printf("  %s %s: %s\n", tmap_row_id(r->rows[i].row), tmap_row_name(r->rows[i].row),
               detail.message);
    }
}

static json_t *refused_json(const struct pipeline *p, const struct refused *r)
{
    struct tmap_detail detail;
    json_t *findings = json_array();
    for (size_t i = 0; i < r->count; i++) {
        tmap_detail_of(&p->cli->target, r->desc, NULL, &r->rows[i], &detail);
        json_array_append_new(findings, json_pack("{s:s, s:s}", "rule", tmap_row_id(r->rows[i].row),
                                                  "message", detail.message));
    }
    return json_pack("{s:s, s:o}", "what", r->what, "findings", findings);
}

/* Which of the descriptors are illegal, and why, in the answer's place. */
static enum cli_exit print_refused(const struct pipeline *p, const struct io_record *record,
                                   const struct tmap_pipeline *in)
{
    json_t *list = json_array();
    struct refused r;
    for (size_t i = 0; i <= in->load_count; i++) {
        const bool last = i == in->load_count;
        char what[40];
        if (last && !in->store) break;
        snprintf(what, sizeof what, last ? "store" : "load %zu", i);
        if (!refuses(p, what, last ? in->store : &in->loads[i], &r)) continue;
        if (p->cli->format == IO_TEXT)
            refused_text(p, &r);
        else
            json_array_append_new(list, refused_json(p, &r));
    }
    if (p->cli->format == IO_TEXT) {
        json_decref(list);
        return CLI_ILLEGAL;
    }
    json_t *o = json_pack("{s:s, s:s, s:o}", "verdict", io_verdict_name(TMAP_ILLEGAL), "basis",
                          io_basis_name(p->checker.basis), "refused", list);
    put_name(o, record);
    io_print_json(stdout, o, p->cli->format == IO_JSON ? 2 : 0);
    return CLI_ILLEGAL;
}

/* A record that has a protocol and no loads: no budget, and the protocol's verdict is all. */
static enum cli_exit protocol_record(const struct pipeline *p, const struct io_record *record,
                                     const struct io_pipeline *in, struct answer *a)
{
    explore_own(p, in, a);
    a->budget.verdict = a->protocol[0].result.verdict;
    if (p->cli->format == IO_TEXT) {
        protocol_text(&a->protocol[0], "protocol");
        return code_of(a);
    }
    json_t *o = json_pack("{s:s, s:o}", "verdict", io_verdict_name(a->budget.verdict), "protocol",
                          protocol_json(&a->protocol[0]));
    put_name(o, record);
    io_print_json(stdout, o, p->cli->format == IO_JSON ? 2 : 0);
    return code_of(a);
}

static enum cli_exit answer_record(struct pipeline *p, const struct io_record *record,
                                   const struct io_pipeline *in, struct answer *a)
{
    if (in->own_protocol && !in->pipeline.load_count) return protocol_record(p, record, in, a);
    enum tmap_status s = budget_of(&p->checker, &in->pipeline, a);
    if (s == TMAP_E_ILLEGAL) return print_refused(p, record, &in->pipeline);
    if (s == TMAP_OK) s = explore(p, in, a);
    if (s != TMAP_OK) return cli_status(p->cli, s, "pipeline");
    if (p->cli->format == IO_TEXT)
        print_text(p, &in->pipeline, a);
    else
        print_json(p, record, &in->pipeline, a);
    return code_of(a);
}

static enum cli_exit pipeline_record(void *user, const struct io_stream *stream,
                                     struct io_record *record)
{
    (void)stream;
    struct pipeline *p = user;
    struct io_pipeline in;
    struct answer *a = calloc(1, sizeof *a);
    enum cli_exit code;
    if (!a) return cli_status(p->cli, TMAP_E_MEMORY, "pipeline");
    code = io_pipeline_from(record, &in) ? answer_record(p, record, &in, a)
                                         : cli_unreadable(p->cli, record);
    io_pipeline_free(&in);
    free(a);
    return code;
}

static enum cli_exit run(struct cli *cli)
{
    struct pipeline p = {.cli = cli};
    tmap_checker_prepare(&cli->target, cli->contract, &p.checker);
    p.workspace = malloc(WORKSPACE);
    p.trace = calloc(TMAP_PIPELINE_DESIGNS, TRACE_SIZE);
    if (p.workspace && p.trace)
        cli_each(cli, 0, pipeline_record, &p);
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
                "  tmap pipeline --arch sm_120a -f json ring.json\n"
                "  tmap pipeline protocol.json\n",
    .about =
        "{\"stages\":4, \"loads\":[descriptor, ...], \"store\":descriptor, "
        "\"reserve_bytes\":0}; also\n"
        "consumers, store_stages, cta_group, tmem_columns, and expect_tx: what the kernel\n"
        "expects per stage, which is then compared with what lands. stages 0: as many as fit.\n"
        "\"cluster\":[2], \"shared\":[[1]] : two CTAs fill load 1 together, each its half, by\n"
        "multicast, and keep one group of MMAs in flight, as the products of this suite do;\n"
        "[2,2], [[1],[0]] : four, load 1 shared along one direction and load 0 along the other.\n"
        "\"mma\":{\"kind\":\"f16\", \"m\":256, \"n\":256, \"accumulators\":2} : tcgen05.mma, with "
        "the\n"
        "columns of tensor memory and the protocol of its accumulators.\n"
        "\"protocol\":{...} : the kernel's own barriers, agents and steps, with or without loads\n"
        "(docs/schema/pipeline-input.json), so that a wait, an arrival or a fence that is missing\n"
        "is found.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .run = run};
