/* cmd_emulate.c : runs a kernel's PTX on the CPU, and says what is wrong with it in time. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/emulate_args.h"
#include "cli/progress.h"
#include "cli/shard.h"
#include "cli/emulate_report.h"
#include "cli/emulate_orders.h"
#include "cli/emulate_protocol.h"
#include "cli/emulate_watch.h"
#include "io/report/report.h"
#include "io/report/suggest.h"

enum { MAX_FINDINGS = 64 };
/* Each run's seed is a number of JSON. */
#define MOST_SEEDS UINT32_MAX
#define MOST_SEED (INT64_MAX - (uint64_t)MOST_SEEDS)

struct session {
    struct cli *cli;
    struct tmap_emulate_module *module;
    struct emulate_args args;
    struct tmap_emulate_buffer buffer[EMULATE_MAX_ARGS];
    struct tmap_emulate_launch launch;
    struct tmap_emulate_finding finding[MAX_FINDINGS];
    size_t findings;
    struct tmap_emulate_result result;
    struct emulate_report report; /* of the formats for machines that show findings */
    struct emulate_watch watch;
    uint32_t cta;      /* of the timeline */
    uint64_t recorded; /* runs for --protocol */
    bool bad;
};

static const char *const schedules[] = {"earliest", "latest", "random", "chosen"};

static json_t *finding_json(const struct tmap_emulate_finding *f)
{
    json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:s}", "kind",
                          tmap_emulate_kind_name(f->kind), "line", (json_int_t)f->line, "cta",
                          (json_int_t)f->cta, "warp", (json_int_t)f->warp, "lane",
                          (json_int_t)f->lane, "address", io_u64_json(f->address), "text", f->text);
    if (f->file) {
        json_object_set_new(o, "file", json_string(f->file));
        json_object_set_new(o, "source_line", json_integer(f->source_line));
    }
    return o;
}

static json_t *counts_json(const struct tmap_emulate_counts *c)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "warp_instructions",
        (json_int_t)c->warp_instructions, "thread_instructions", (json_int_t)c->thread_instructions,
        "copies", (json_int_t)c->copies, "copy_bytes", (json_int_t)c->copy_bytes, "multiplies",
        (json_int_t)c->multiplies, "multiply_adds", (json_int_t)c->multiply_adds, "barrier_phases",
        (json_int_t)c->barrier_phases, "dependents", (json_int_t)c->dependents);
}

static bool reports(const struct session *s)
{
    return s->report.results != NULL;
}

/* "random 7": which run a finding is of. */
static const char *run_name(const struct session *s, char text[40])
{
    if (s->launch.schedule == TMAP_EMULATE_RANDOM)
        snprintf(text, 40, "random %llu", (unsigned long long)s->launch.seed);
    else
        snprintf(text, 40, "%s", schedules[s->launch.schedule]);
    return text;
}

static void report_wrong(struct session *s, const char *what, const struct emulate_verdict *v)
{
    char text[300], name[40];
    snprintf(text, sizeof text, "%.120s: %llu of %llu elements are wrong, the first is number %llu",
             what, (unsigned long long)v->wrong, (unsigned long long)v->elements,
             (unsigned long long)v->first);
    emulate_report_wrong(&s->report, run_name(s, name), text);
}

/* JSON has no infinity and no NaN. */
static json_t *expectation_json(const char *text, const struct emulate_verdict *v)
{
    return json_pack("{s:o, s:I, s:I, s:o}", "expect", io_string_json(text), "elements",
                     (json_int_t)v->elements, "wrong", (json_int_t)v->wrong, "largest_difference",
                     isfinite(v->largest) ? json_real(v->largest) : json_null());
}

static void print_expectation(struct session *s, const char *text, json_t *list)
{
    struct emulate_verdict v;
    if (!emulate_expect(s->cli, &s->args, text, &v)) {
        cli_note(s->cli, CLI_USAGE);
        return;
    }
    if (v.wrong) s->bad = true;
    if (reports(s)) {
        if (v.wrong) report_wrong(s, text, &v);
    } else if (list) {
        json_array_append_new(list, expectation_json(text, &v));
    } else if (v.wrong) {
        printf("  %s: %llu of %llu elements are wrong, the first is number %llu: %g, not %g\n",
               text, (unsigned long long)v.wrong, (unsigned long long)v.elements,
               (unsigned long long)v.first, v.found, v.expected);
    } else {
        printf("  %s: all %llu elements are right\n", text, (unsigned long long)v.elements);
    }
}

static void expectations(struct session *s, json_t *list)
{
    for (size_t i = 0; i < s->cli->value_count; i++)
        if (strcmp(s->cli->value[i].name, "expect") == 0)
            print_expectation(s, s->cli->value[i].text, list);
}

static void print_text(struct session *s)
{
    const struct tmap_emulate_counts *c = &s->result.counts;
    printf("%s, %s, seed %llu: %s\n", s->launch.kernel, schedules[s->launch.schedule],
           (unsigned long long)s->launch.seed,
           s->result.finished ? "every thread left" : "the run was ended");
    printf(
        "  %llu warp instructions (%llu of threads), %llu copies of %llu bytes, %llu tensor core "
        "instructions, %llu phases\n",
        (unsigned long long)c->warp_instructions, (unsigned long long)c->thread_instructions,
        (unsigned long long)c->copies, (unsigned long long)c->copy_bytes,
        (unsigned long long)c->multiplies, (unsigned long long)c->barrier_phases);
    for (size_t i = 0; i < s->findings && i < MAX_FINDINGS; i++) {
        const struct tmap_emulate_finding *f = &s->finding[i];
        printf("  %s: line %u, CTA %u, warp %u, lane %u: %s\n", tmap_emulate_kind_name(f->kind),
               f->line, f->cta, f->warp, f->lane, f->text);
    }
    expectations(s, NULL);
}

static void print_json(struct session *s)
{
    json_t *findings = json_array(), *expected = json_array();
    for (size_t i = 0; i < s->findings && i < MAX_FINDINGS; i++)
        json_array_append_new(findings, finding_json(&s->finding[i]));
    expectations(s, expected);
    json_t *o =
        json_pack("{s:s, s:s, s:I, s:b, s:o, s:o, s:o}", "kernel", s->launch.kernel, "schedule",
                  schedules[s->launch.schedule], "seed", (json_int_t)s->launch.seed, "finished",
                  (int)s->result.finished, "counts", counts_json(&s->result.counts), "findings",
                  findings, "expected", expected);
    io_print_json(stdout, o, s->cli->format == IO_JSON ? 2 : 0);
}

static void print_report(struct session *s)
{
    const size_t before = s->report.cases;
    char name[40];
    for (size_t i = 0; i < s->findings && i < MAX_FINDINGS; i++)
        emulate_report_finding(&s->report, run_name(s, name), &s->finding[i]);
    expectations(s, NULL);
    if (s->report.cases == before) emulate_report_clean(&s->report, run_name(s, name));
}

static void show(struct session *s)
{
    if (s->findings) s->bad = true;
    if (reports(s))
        print_report(s);
    else if (s->cli->format == IO_TEXT)
        print_text(s);
    else
        print_json(s);
}

/* Why a run did not begin. */
static enum cli_exit no_run(const struct session *s, enum tmap_status status)
{
    const struct tmap_emulate_launch *l = &s->launch;
    if (status == TMAP_E_ROOM)
        return cli_usage(s->cli, "--smem %u: with what %s declares, more than a block has",
                         l->smem_bytes, l->kernel);
    if (status != TMAP_E_ARGUMENT) return cli_status(s->cli, status, l->kernel);
    return cli_usage(
        s->cli,
        "%s: no launch of --grid %u,%u,%u --block %u,%u,%u --cluster %u,%u,%u: a block "
        "has at most 1024 threads, and what the kernel asks for (.reqntid, .maxntid); "
        "a grid is whole clusters, of at most 16 blocks",
        l->kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
        l->cluster[0], l->cluster[1], l->cluster[2]);
}

/* False where it did not begin: another schedule will not either. */
static bool once(struct session *s, enum tmap_emulate_schedule schedule, uint64_t seed)
{
    const char *picture = cli_get(s->cli, "timeline");
    s->cli->progress->done++;
    emulate_watch_begin(&s->watch, picture != NULL, s->cta,
                        s->cli->progress->of == 1 ? s->cli->progress : NULL);
    s->launch.schedule = schedule;
    s->launch.seed = seed;
    s->findings = 0;
    emulate_args_reset(&s->args);
    const enum tmap_status status = tmap_emulate_run_watched(
        s->module, &s->launch, &s->watch.watch, s->finding, MAX_FINDINGS, &s->findings, &s->result);
    if (status != TMAP_OK) {
        cli_note(s->cli, no_run(s, status));
        return false;
    }
    show(s);
    if (picture && !emulate_watch_draw(s->cli, &s->watch, picture, s->launch.kernel))
        cli_note(s->cli, CLI_INPUT);
    return true;
}

/* --- every order */

static void before_order(void *self)
{
    struct session *s = self;
    s->cli->progress->done++;
    emulate_args_reset(&s->args);
}

static bool look_at_order(void *self, const struct tmap_emulate_finding *found, size_t findings,
                          const struct tmap_emulate_result *result)
{
    struct session *s = self;
    s->findings = findings;
    s->result = *result;
    memcpy(s->finding, found, findings * sizeof *found);
    if (findings) show(s);
    return findings == 0;
}

static enum cli_exit every_order(struct session *s)
{
    struct emulate_orders o = {0};
    struct emulate_seen seen;
    if (!cli_number(s->cli, "orders", 200, &o.runs)) return CLI_USAGE;
    s->launch.schedule = TMAP_EMULATE_CHOSEN;
    s->cli->progress->of += o.runs;
    const struct emulate_looks looks = {s, before_order, look_at_order};
    enum tmap_status status = emulate_orders(s->module, &s->launch, o.runs, &looks, &seen);
    if (status == TMAP_OK && !s->findings && !seen.all)
        status = emulate_explore(s->module, &s->launch, &o, look_at_order, before_order, s);
    if (status != TMAP_OK) return no_run(s, status);
    if (seen.all) o = (struct emulate_orders){.done = seen.runs, .all = true};
    if (s->cli->format != IO_TEXT || s->findings) return CLI_OK;
    printf("%s: %llu runs in chosen orders, no finding: ", s->launch.kernel,
           (unsigned long long)o.done);
    if (o.all)
        printf("there are no other orders\n");
    else
        printf("every order with up to %u choices other than the first\n", o.complete);
    return CLI_OK;
}

/* --grid 4,4: up to three numbers from 1 to most. */
static bool triple(struct cli *cli, const char *option, uint32_t most, uint32_t out[3])
{
    const char *text = cli_get(cli, option), *at = text;
    char *end = NULL;
    for (int i = 0; at && i < 3; i++, at = end + 1) {
        const unsigned long n = strtoul(at, &end, 0);
        if (*at < '0' || *at > '9' || n < 1 || n > most || (*end && *end != ',')) break;
        out[i] = (uint32_t)n;
        if (*end == 0) return true;
    }
    if (!text) return true;
    cli_usage(cli, "--%s takes one to three numbers from 1 to %u, such as 4,4,1, not '%s'", option,
              most, text);
    return false;
}

/* --kernel, or the file's first. */
static enum cli_exit find_kernel(struct session *s)
{
    const char *wanted = cli_get(s->cli, "kernel"), *name;
    struct io_suggestion near = {.wanted = wanted};
    char meant[160];
    s->launch.kernel = wanted ? wanted : tmap_emulate_kernel(s->module, 0);
    if (!tmap_emulate_kernel(s->module, 0)) return cli_usage(s->cli, "the file has no kernel");
    if (!wanted) return CLI_OK;
    for (size_t i = 0; (name = tmap_emulate_kernel(s->module, i)); i++) {
        if (strcmp(name, wanted) == 0) return CLI_OK;
        io_suggest(&near, name);
    }
    return cli_usage(s->cli, "the file has no kernel '%s'%s", wanted,
                     io_meant(&near, meant, sizeof meant));
}

static char *read_file(struct cli *cli, const char *path, size_t *bytes)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t room = 1 << 16, got = 0, n;
    char *text = f ? malloc(room) : NULL;
    while (text && (n = fread(text + got, 1, room - got, f)) > 0) {
        got += n;
        if (got < room) continue;
        char *larger = realloc(text, room *= 2);
        if (!larger) free(text);
        text = larger;
    }
    if (text && ferror(f)) {
        free(text);
        text = NULL;
    }
    if (!text) cli_message(cli, "%s: %s", path, strerror(errno));
    if (f && f != stdin) fclose(f);
    *bytes = got;
    return text;
}

static enum cli_exit load(struct session *s)
{
    struct tmap_emulate_error error;
    size_t bytes;
    const char *path = s->cli->operand_count ? s->cli->operand[0] : "-";
    char *text = read_file(s->cli, path, &bytes);
    if (!text) return CLI_INPUT;
    const enum tmap_status status = tmap_emulate_load(text, bytes, &s->module, &error);
    free(text);
    if (status == TMAP_OK) return CLI_OK;
    if (status == TMAP_E_MEMORY) return cli_status(s->cli, status, path);
    cli_message(s->cli, "%s:%u: %s", path, error.line, error.text);
    return CLI_INPUT;
}

static enum cli_exit prepare(struct session *s)
{
    struct cli *cli = s->cli;
    uint64_t smem, cta;
    enum cli_exit code = find_kernel(s);
    if (code != CLI_OK) return code;
    s->launch.grid[0] = s->launch.grid[1] = s->launch.grid[2] = 1;
    s->launch.block[0] = s->launch.block[1] = s->launch.block[2] = 1;
    if (!triple(cli, "grid", 0xffff, s->launch.grid) ||
        !triple(cli, "block", 1024, s->launch.block) ||
        !triple(cli, "cluster", 16, s->launch.cluster) ||
        !cli_number_in(cli, "smem", 0, 0, UINT32_MAX, &smem))
        return CLI_USAGE;
    const uint64_t blocks = (uint64_t)s->launch.grid[0] * s->launch.grid[1] * s->launch.grid[2];
    if (!cli_number_in(cli, "cta", 0, 0, blocks - 1, &cta)) return CLI_USAGE;
    for (int i = 0; s->launch.cluster[0] && i < 3; i++)
        if (s->launch.cluster[i] == 0) s->launch.cluster[i] = 1;
    s->launch.smem_bytes = (uint32_t)smem;
    s->launch.budget = cli->budget;
    s->cta = (uint32_t)cta;
    s->launch.no_races = cli_has(cli, "no-races");
    s->launch.overlap = cli_has(cli, "overlap");
    s->launch.tensor_fences = cli_has(cli, "tensor-fences");
    code = emulate_args_read(cli, s->module, s->launch.kernel, &s->args);
    if (code != CLI_OK) return code;
    for (size_t i = 0; i < s->args.buffers; i++) {
        const struct emulate_buffer *b = &s->args.buffer[i];
        static const uint32_t bytes[] = {2, 2, 4, 1, 1, 1, 1, 4, 4, 8};
        s->buffer[i] =
            (struct tmap_emulate_buffer){b->address, b->count * bytes[b->dtype], b->data, b->name};
    }
    s->launch.buffers = s->buffer;
    s->launch.buffer_count = s->args.buffers;
    s->launch.params = s->args.params;
    s->launch.param_bytes = s->args.param_bytes;
    return CLI_OK;
}

/* How many runs a schedule is. */
static uint64_t runs_of(int schedule, const char *name, uint64_t seeds)
{
    const bool asked = name ? strcmp(name, "all") == 0 || strcmp(name, schedules[schedule]) == 0
                            : schedule == TMAP_EMULATE_LATEST;
    return !asked ? 0 : schedule == TMAP_EMULATE_RANDOM ? seeds : 1;
}

static enum cli_exit run_all(struct session *s)
{
    const char *name = cli_get(s->cli, "schedule");
    struct cli_shard shard = {0, 0};
    uint64_t seeds, first, end, total = 0, number;
    if (!cli_number_in(s->cli, "seed", 1, 0, MOST_SEED, &number) ||
        !cli_number_in(s->cli, "seeds", 1, 1, MOST_SEEDS, &seeds) || !cli_shard_get(s->cli, &shard))
        return CLI_USAGE;
    for (int i = 0; i < 3; i++) total += runs_of(i, name, seeds);
    if (!total) return cli_no_value(s->cli, "--schedule", "earliest, latest, random or all", name);
    cli_shard_range(&shard, total, &first, &end);
    s->cli->progress->of = end - first;
    number = 0;
    for (int i = 0; i < 3; i++)
        for (uint64_t k = 0; k < runs_of(i, name, seeds); k++, number++)
            if (number >= first && number < end &&
                !once(s, (enum tmap_emulate_schedule)i, s->cli->seed + k))
                return CLI_OK;
    const bool all = name && strcmp(name, "all") == 0;
    const enum cli_exit code = all && first == 0 && !s->bad ? every_order(s) : CLI_OK;
    if (code != CLI_OK) return code;
    return s->bad ? CLI_ILLEGAL : CLI_OK;
}

/* A run for --protocol, with the options as they stand now. */
static bool record_launch(void *self, struct tmap_emulate_record *record)
{
    struct session *s = self;
    const struct tmap_emulate_watch watch = {.size = sizeof watch, .record = record};
    emulate_args_free(&s->args);
    memset(&s->args, 0, sizeof s->args);
    memset(&s->launch, 0, sizeof s->launch);
    const enum cli_exit code = prepare(s);
    cli_note(s->cli, code);
    if (code != CLI_OK) return false;
    s->launch.schedule = TMAP_EMULATE_EARLIEST;
    s->launch.seed = s->recorded++; /* odd and even: looks have other answers */
    s->launch.no_races = true;      /* a fault of order is for the proof to find */
    s->findings = 0;
    const enum tmap_status status = tmap_emulate_run_watched(
        s->module, &s->launch, &watch, s->finding, MAX_FINDINGS, &s->findings, &s->result);
    if (status != TMAP_OK)
        cli_note(s->cli, no_run(s, status));
    else if (s->findings || !s->result.finished)
        cli_message(s->cli, "%s: %s", s->launch.kernel,
                    s->findings ? s->finding[0].text : "the run was ended");
    return status == TMAP_OK && !s->findings && s->result.finished;
}

static enum cli_exit run(struct cli *cli)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s) return cli_status(cli, TMAP_E_MEMORY, "emulate");
    s->cli = cli;
    enum cli_exit code =
        cli->operand_count > 1 ? cli_usage(cli, "takes one FILE, not '%s' too", cli->operand[1])
        : (cli_has(cli, "run") || cli_has(cli, "part")) && !cli_has(cli, "protocol")
            ? cli_usage(cli, "--run and --part are of --protocol FILE")
            : load(s);
    if (code == CLI_OK) code = prepare(s);
    const char *file = cli->operand_count ? cli->operand[0] : "-";
    if (code == CLI_OK &&
        (cli->format == IO_SARIF || cli->format == IO_GITHUB || cli->format == IO_JUNIT) &&
        !emulate_report_begin(&s->report, cli->format, file, s->launch.kernel))
        code = cli_status(cli, TMAP_E_MEMORY, "emulate");
    if (code == CLI_OK)
        code = cli_has(cli, "protocol") ? emulate_protocol(cli, s->launch.kernel, record_launch, s)
                                        : run_all(s);
    if (reports(s)) emulate_report_end(&s->report, stdout);
    timeline_free(&s->watch.timeline);
    emulate_args_free(&s->args);
    tmap_emulate_free(s->module);
    free(s);
    return code;
}

static const struct cli_option options[] = {
    {"kernel", 0, "NAME", "which of the file's kernels (the first)"},
    {"grid", 0, "X,Y,Z", "blocks (1)"},
    {"block", 0, "X,Y,Z", "threads of a block (1)"},
    {"cluster", 0, "X,Y,Z", "blocks of a cluster (what the kernel asks for)"},
    {"smem", 0, "BYTES", "dynamic shared memory (0)"},
    {"arg", 0, "NAME=VALUE", "the next parameter: see below"},
    {"expect", 0, "D=WHAT", "copy(A), matmul(A,B) or matmul_nt(A,B); several are possible"},
    {"schedule", 0, "WHEN", "of what is asynchronous: earliest, latest, random or all (latest)"},
    {"seeds", 0, "NUMBER", "random schedules from --seed on (1)"},
    {"orders", 0, "NUMBER", "runs of --schedule all in chosen orders, fewest choices first (200)"},
    {"timeline", 0, "FILE", "draw a block's warps, copies, tensor cores and barriers as SVG"},
    {"cta", 0, "NUMBER", "the block of --timeline (0)"},
    {"protocol", 0, "FILE", "write what the warps do with barriers, for tmap pipeline to prove"},
    {"run", 0, "WORDS", "of --protocol, one more run: 'n=6 grid=8' instead of --arg n= and --grid"},
    {"part", 0, "WHAT", "of --protocol: all, ring:N or staging:N (all)"},
    {"no-races", 0, NULL, "leave the search for races out: faster"},
    {"tensor-fences", 0, NULL, "ask for tcgen05's fences, as the ISA does"},
    CLI_SHARD_OPTION,
    {"overlap", 0, NULL, "an earlier grid still runs until griddepcontrol.wait"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_emulate = {
    .name = "emulate",
    .summary = "run a kernel's PTX on the CPU: races, hangs and wrong bytes, with their place",
    .operands = "[OPTION...] [FILE]",
    .examples = "  tmap emulate k.ptx --block 128 --arg A=f32[256]:index --arg D=f32[256] --expect "
                "'D=copy(A)'\n"
                "  tmap emulate mm.ptx --kernel mm --grid 4,4 --block 128 --smem 65536 \\\n"
                "    --arg +A=bf16[128,64]:integers --arg 'a=map(A,box=64x128,swizzle=128B)' …\n"
                "  tmap emulate k.ptx --block 64 --arg A=u32[640] --arg n=3 --run n=5 --run n=8 "
                "--protocol p.json\n",
    .about =
        "A parameter is a buffer (TYPE[ROWS,COLUMNS]:FILL; its address is passed), a number, or "
        "a tensor map of a\n"
        "buffer (map(A,box=64x128,swizzle=128B)). FILL is zero, one, index, integers (-2 to "
        "1), random (-1 to 1) or\n"
        "a file. A name that begins with + makes a buffer that is no parameter. A finding or a "
        "wrong element: exit\n"
        "code 1. What Blackwell does is inferred from documents, not observed. --protocol takes "
        "runs of "
        "different lengths,\n"
        "of which one program for each warp must say all; that the kernel goes on like this is "
        "assumed, not read.\n",
    .groups = CLI_TARGET | CLI_FORMAT | CLI_SEED | CLI_BUDGET,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL) | IO_BIT(IO_SARIF) |
               IO_BIT(IO_GITHUB) | IO_BIT(IO_JUNIT),
    .options = options,
    .run = run};
