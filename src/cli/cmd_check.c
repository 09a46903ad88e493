/* cmd_check.c : verdict and every violated row of each descriptor and its uses. */
#define _GNU_SOURCE /* memmem */
#include "cli/baseline.h"
#include "cli/each.h"
#include "cli/prove.h"
#include "cli/shard.h"
#include "io/paste/hint.h"
#include "io/ptx/ptx.h"
#include "io/report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What one run of the command carries from record to record. */
struct check {
    struct cli *cli;
    struct tmap_checker checker;
    const struct io_writer *writer;
    struct io_run run;
    unsigned flags;                /* enum io_judge_flag */
    struct cli_prover prover;      /* --prove */
    struct cli_baseline *baseline; /* --baseline; else NULL */
    char why[64];                  /* a text is judged for another target */
};

/* An expectation decides where there is one; allowed rows do not count. */
static enum cli_exit code_of(const struct io_result *result)
{
    bool suite = result->record->flags & (IO_HAS_EXPECT | IO_HAS_EXPECT_RULES);

    if (result->unmet) return CLI_ILLEGAL;
    if (suite && !result->arch) return CLI_OK;
    if (result->accepted) return CLI_OK;
    if (result->verdict == TMAP_ILLEGAL) return CLI_ILLEGAL;
    return result->verdict == TMAP_UNKNOWN ? CLI_UNDECIDED : CLI_OK;
}

/* Of a log's call, which failed, and whose numbers are legal. */
static void say_other_cause(const struct check *c, const struct io_stream *stream,
                            const struct io_record *record)
{
    const char *cause = io_hint_cause(stream);

    if (!record->desc.address && !(record->flags & IO_NO_ADDRESS))
        cause = "perhaps that the address is 0, which driver 580 takes and no copy can use";
    /* a dump is printed because its call failed; a listing or a piece of source need not be */
    cli_message(c->cli, "%s:%zu: legal: %s for another reason: %s", record->file, record->line,
                record->text ? "the call failed" : "if the call failed, it did",
                cause ? cause : "perhaps an earlier asynchronous fault");
}

/* Judges the record, a pasted text's for the GPU that the text is about. */
static enum tmap_status judge(struct check *c, const struct io_stream *stream,
                              const struct io_record *record, struct io_result *out)
{
    struct tmap_target target = c->cli->target;
    struct tmap_checker own;

    if (!record->json && !c->cli->all_arches && !cli_has(c->cli, "arch"))
        target.arch = io_hint_arch(stream, &record->desc, c->why, sizeof c->why);
    if (target.arch == c->cli->target.arch || !target.arch)
        return io_judge(&c->checker, record, stream, c->flags, out);
    tmap_checker_prepare(&target, c->cli->contract, &own);
    const enum tmap_status status = io_judge(&own, record, stream, c->flags, out);
    out->judged_for = target.arch;
    out->judged_as = c->why;
    return status;
}

static enum cli_exit check_record(void *user, const struct io_stream *stream,
                                  struct io_record *record)
{
    struct check *c = user;
    struct io_result result;
    enum tmap_status status;
    enum cli_exit code;

    if (record->error[0]) {
        const bool stated = record->flags & IO_STATED;
        if (stated)
            c->run.records++, c->run.illegal++;
        else
            c->run.unreadable++;
        c->writer->unreadable(&c->run, record);
        return stated ? CLI_ILLEGAL : CLI_INPUT;
    }
    status = judge(c, stream, record, &result);
    if (status != TMAP_OK) return cli_status(c->cli, status, "check");
    if (record->flags & IO_PARTIAL && (result.arch || result.verdict != TMAP_ILLEGAL)) {
        io_result_free(&result); /* of a part, only that it is illegal can be said */
        io_fail(record, "", "not in this text: %s", record->absent);
        return check_record(user, stream, record);
    }
    if (c->baseline) cli_baseline_apply(c->baseline, &result);
    io_count(&c->run, &result);
    c->writer->result(&c->run, &result);
    code = code_of(&result);
    if (!record->json && code == CLI_OK) say_other_cause(c, stream, record);
    if (c->cli->prove && !c->cli->all_arches) {
        /* the proof is of the descriptor; what uses it is judged beside it */
        const char *what = record->use_count ? ", the descriptor alone" : "";
        char name[160];
        snprintf(name, sizeof name, "%.100s%s", record->name ? record->name : "", what);
        if (!record->name) snprintf(name, sizeof name, "record_%zu%s", record->record, what);
        cli_prove_verdict(c->cli, &c->prover, &c->checker, &record->desc, name);
    }
    io_result_free(&result);
    return code;
}

/* --- PTX ---------------------------------------------------------------------------------------*/

/* The file's own .target and .version, where the command line does not say otherwise. */
static void adopt(struct check *c, const struct io_ptx_module *module)
{
    const struct cli *cli = c->cli;
    struct tmap_target *target = &c->run.target;

    if (!cli_has(cli, "arch") && module->arch) target->arch = module->arch;
    if (!cli_has(cli, "cuda") && !cli_has(cli, "ptx") && module->version)
        target->ptx = module->version;
    tmap_checker_prepare(target, cli->contract, &c->checker);
    c->run.basis = c->checker.basis;
}

static enum cli_exit check_instruction(struct check *c, const struct io_stream *stream,
                                       const struct io_ptx_instruction *instruction, size_t i)
{
    struct io_record record;
    struct io_result result;
    enum tmap_status status =
        io_judge_ptx(&c->checker, stream, instruction, c->flags | IO_ADVISE, &record, &result);
    char name[128];
    enum cli_exit code;

    if (status != TMAP_OK) return cli_status(c->cli, status, "check");
    snprintf(name, sizeof name, "%.*s", (int)instruction->length, instruction->text);
    record.name = name;
    record.record = i + 1;
    io_count(&c->run, &result);
    c->writer->result(&c->run, &result);
    code = code_of(&result);
    io_result_free(&result);
    return code;
}

/* The writer's end; what it kept in a temporary file may be lost with that. */
static void end_run(struct check *c)
{
    c->writer->end(&c->run);
    if (!c->run.lost) return;
    cli_message(c->cli, "a temporary file cannot be written: findings are missing");
    cli_note(c->cli, CLI_INPUT);
}

static void check_instructions(struct check *c, const struct io_stream *stream,
                               const struct io_ptx_instruction *list, size_t count)
{
    if (!c->writer->begin(&c->run)) {
        cli_note(c->cli, cli_status(c->cli, TMAP_E_MEMORY, "check"));
        return;
    }
    for (size_t i = 0; i < count && !ferror(stdout); i++)
        cli_note(c->cli, check_instruction(c, stream, &list[i], i));
    end_run(c);
}

static void check_module(struct check *c, const struct io_stream *stream)
{
    struct io_ptx_module module;
    struct io_ptx_instruction *list;
    size_t found = 0;
    uint32_t min_ptx;
    enum tmap_status status = io_ptx_read(stream->text, stream->size, &module, NULL, 0, &found);

    list = calloc(found ? found : 1, sizeof *list);
    if (status == TMAP_OK && !list) status = TMAP_E_MEMORY;
    if (status == TMAP_OK)
        status = io_ptx_read(stream->text, stream->size, &module, list, found, &found);
    if (status != TMAP_OK) {
        cli_note(c->cli, cli_status(c->cli, status, "check"));
        free(list);
        return;
    }
    adopt(c, &module);
    if (io_ptx_check_module(&module, &min_ptx) == TMAP_ILLEGAL) {
        cli_message(c->cli, "%s:%u: .target %s needs .version %u.%u", stream->file,
                    module.target_line, module.target, min_ptx / 10, min_ptx % 10);
        cli_note(c->cli, CLI_ILLEGAL);
    }
    check_instructions(c, stream, list, found);
    free(list);
}

static enum cli_exit check_ptx(struct check *c, const char *path)
{
    struct io_stream stream;
    char error[IO_ERROR_SIZE];

    if (c->cli->operand_count > 1) return cli_usage(c->cli, "a PTX file is checked alone");
    if (c->cli->all_arches) return cli_usage(c->cli, "a PTX file is checked on one --arch");
    if (cli_has(c->cli, "shard")) return cli_usage(c->cli, "a PTX file has no parts");
    if (!io_stream_open(&stream, path, error)) {
        cli_message(c->cli, "%s: %s", path, error);
        return CLI_INPUT;
    }
    c->run.things = "TMA instruction";
    check_module(c, &stream);
    io_stream_close(&stream);
    return CLI_OK;
}

/* Whether a text is a PTX module: behind comments and blank lines it begins with its version. */
static bool is_ptx(const char *text, size_t size)
{
    static const char word[] = ".version";
    size_t i = 0;

    while (i < size && (strchr(" \t\r\n", text[i]) || (i + 1 < size && text[i] == '/'))) {
        const char *end = text[i] != '/'       ? text + i
                          : text[i + 1] == '/' ? memchr(text + i, '\n', size - i)
                          : size - i > 3       ? memmem(text + i + 2, size - i - 2, "*/", 2)
                                               : NULL;
        if (!end) return false;
        i = (size_t)(end - text) + (*end == '*' ? 2 : 1);
    }
    return size - i > sizeof word && memcmp(text + i, word, sizeof word - 1) == 0;
}

/* Told by how it begins, or by its name where that cannot be read: check_ptx() then says why. */
static bool is_ptx_file(const char *path)
{
    char head[4096];
    struct stat info;
    const size_t length = strlen(path);

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    FILE *in = fopen(path, "rb");
    const size_t got = in ? fread(head, 1, sizeof head, in) : 0;
    const bool failed = !in || ferror(in);
    if (in) fclose(in);
    if (failed) return length > 4 && strcmp(path + length - 4, ".ptx") == 0;
    return is_ptx(head, got);
}

/* A PTX file among the operands. */
static const char *ptx_operand(const struct cli *cli)
{
    for (size_t i = 0; i < cli->operand_count; i++)
        if (is_ptx_file(cli->operand[i])) return cli->operand[i];
    return NULL;
}

static enum cli_exit run(struct cli *cli)
{
    struct check c = {.cli = cli, .writer = io_writer_of(cli->format)};

    tmap_checker_prepare(&cli->target, cli->contract, &c.checker);
    c.run = (struct io_run){.out = stdout,
                            .command = "check",
                            .things = "descriptor",
                            .target = cli->target,
                            .contract = cli->contract,
                            .basis = c.checker.basis,
                            .color = cli->color,
                            .quiet = cli_has(cli, "quiet"),
                            .all_arches = cli->all_arches};
    if (cli_has(cli, "advise")) c.flags |= IO_ADVISE;
    if (cli->all_arches) c.flags |= IO_ALL_ARCHES;
    c.flags |= cli->format == IO_JSONL ? IO_BRIEF : IO_FIX;
    const char *ptx = ptx_operand(cli);
    if (ptx) return check_ptx(&c, ptx);
    if (cli_has(cli, "baseline")) {
        c.baseline = cli_baseline_read(cli, cli_get(cli, "baseline"));
        if (!c.baseline) return CLI_INPUT;
    }
    if (!c.writer->begin(&c.run)) {
        cli_baseline_free(c.baseline);
        return cli_status(cli, TMAP_E_MEMORY, "check");
    }
    cli_each(cli, CLI_EACH_DESCRIPTOR | CLI_EACH_ERRORS | CLI_EACH_SHARD | CLI_EACH_PARTIAL,
             check_record, &c);
    end_run(&c);
    cli_prover_close(&c.prover);
    cli_baseline_free(c.baseline);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"keep", 0, "DIR", "with --prove: leave each certificate there, in SMT-LIB"},
    {"baseline", 0, "FILE", "what check -f jsonl printed before: only new findings fail"},
    CLI_SHARD_OPTION,
    {"advise", 'a', NULL, "also what is legal but slow or fragile"},
    {"quiet", 'q', NULL, "text: leave out what is legal"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_check = {
    .name = "check",
    .summary = "verdict and every violated rule of descriptors and their uses",
    .operands = "[OPTION...] [FILE or DIRECTORY...]",
    .examples =
        "  tmap check gemm.json                     everything wrong with it, and the nearest fix\n"
        "  tmap check --dtype bf16 --dim 4096,8192 --box 64,128    a descriptor without a file\n"
        "  tmap check --arch all gemm.json          where it is legal\n"
        "  tmap check --contract driver gemm.json   only what the encode call refuses\n"
        "  tmap check --arch sm_90a kernel.ptx      every TMA instruction of a PTX file\n"
        "  tmap check -f sarif *.json >check.sarif  for code scanning\n",
    .about =
        "A descriptor: {\"dtype\":\"bf16\", \"address\":\"0x7f0000000000\", \"dim\":[4096,8192],\n"
        "\"stride\":[8192], \"box\":[64,128], \"swizzle\":\"128B\"}, innermost first; dim and box "
        "in\n"
        "elements, strides in bytes. With \"expect\":\"illegal\" or \"expect_rules\":[\"TMA014\"] "
        "the\n"
        "exit code says whether that is so; \"allow\":{\"TMA021\":\"why\"} grants an exception.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_DESC | CLI_PROVE | CLI_BUDGET,
    .formats = IO_ALL_FORMATS,
    .options = options,
    .ptx_files = true,
    .many_arches = true,
    .run = run};
