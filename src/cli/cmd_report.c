/* cmd_report.c : one page about a suite. */
#include "cli/cli.h"
#include "cli/each.h"
#include "cli/given.h"
#include "cli/paths.h"
#include "io/json/record.h"
#include "io/report/page_plans.h"
#include "io/report/write_html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct report {
    struct cli *cli;
    struct tmap_checker checker;
    struct io_page *page;
    struct io_run run;
};

/* A place of the page, and the words on stderr, too: the page may be read by nobody at once. */
static enum cli_exit unreadable(struct report *r, const struct io_record *record)
{
    char text[512];
    io_error_text(record, text, sizeof text);
    cli_message(r->cli, "%s", text);
    r->run.unreadable++;
    return io_page_unreadable(r->page, record) ? CLI_INPUT
                                               : cli_status(r->cli, TMAP_E_MEMORY, "report");
}

static enum cli_exit add(struct report *r, const struct io_stream *stream,
                         const struct io_record *record)
{
    struct io_result result, arches;
    enum cli_exit code;

    if (record->error[0]) return unreadable(r, record);
    if (io_judge(&r->checker, record, stream, IO_ADVISE | IO_FIX, &result) != TMAP_OK)
        return cli_status(r->cli, TMAP_E_MEMORY, "report");
    if (io_judge(&r->checker, record, stream, IO_ALL_ARCHES | IO_BRIEF, &arches) != TMAP_OK) {
        io_result_free(&result);
        return cli_status(r->cli, TMAP_E_MEMORY, "report");
    }
    io_count(&r->run, &result);
    code = io_page_add(r->page, &r->checker, &result, &arches)
               ? CLI_OK
               : cli_status(r->cli, TMAP_E_MEMORY, "report");
    if (result.unmet) code = CLI_ILLEGAL;
    if (!(record->flags & (IO_HAS_EXPECT | IO_HAS_EXPECT_RULES)) && !result.accepted &&
        result.verdict != TMAP_LEGAL)
        code = result.verdict == TMAP_ILLEGAL ? CLI_ILLEGAL : CLI_UNDECIDED;
    io_result_free(&result);
    io_result_free(&arches);
    return code;
}

/* A ring or a product: no descriptor, but a part of the page. */
static enum cli_exit add_plan(struct report *r, struct io_record *record)
{
    enum tmap_verdict verdict = TMAP_UNKNOWN;

    if (!io_page_plan(r->page, &r->checker, record, &verdict)) return unreadable(r, record);
    return verdict == TMAP_ILLEGAL ? CLI_ILLEGAL : CLI_OK;
}

/* The next record, by what it holds: reading begins again where it is a descriptor. */
static bool add_next(struct report *r, struct io_stream *stream)
{
    const struct io_stream before = *stream;
    struct io_record record;

    if (!io_json_next(stream, &record)) return false;
    if (io_is_plan(record.json)) {
        cli_note(r->cli, add_plan(r, &record));
        io_record_free(&record);
        return true;
    }
    io_record_free(&record);
    *stream = before;
    if (!io_record_next(stream, 0, &record)) return false;
    cli_note(r->cli, add(r, stream, &record));
    io_record_free(&record);
    return true;
}

static void add_stream(struct report *r, struct io_stream *stream)
{
    struct io_record record;
    enum io_dump from;

    if (!cli_is_log(r->cli, stream, &from)) {
        while (add_next(r, stream)) continue;
        return;
    }
    while (io_dump_next(stream, from, &record)) {
        if (record.flags & IO_PARTIAL) io_fail(&record, "", "not in this text: %s", record.absent);
        cli_note(r->cli, add(r, stream, &record));
        io_record_free(&record);
    }
}

static void add_file(struct report *r, const char *path)
{
    struct io_stream stream;
    char error[IO_ERROR_SIZE];

    if (!io_stream_open(&stream, path, error)) {
        cli_message(r->cli, "%s: %s", path, error);
        cli_note(r->cli, CLI_INPUT);
        return;
    }
    add_stream(r, &stream);
    io_stream_close(&stream);
}

static void add_operand(struct report *r, const char *operand)
{
    struct cli_paths paths;
    const char *why = NULL;
    const enum tmap_status status = cli_paths_of(r->cli, operand, &paths, &why);

    if (status == TMAP_E_MEMORY) cli_note(r->cli, cli_status(r->cli, status, operand));
    if (status == TMAP_E_ARGUMENT) {
        cli_message(r->cli, "%s: %s", operand, why);
        cli_note(r->cli, CLI_INPUT);
    }
    for (size_t i = 0; i < paths.count; i++) add_file(r, paths.path[i]);
}

/* What the options say, or the operands, or standard input. */
static void add_all(struct report *r)
{
    struct io_stream stream;

    if (cli_is_given(r->cli)) {
        if (cli_given(r->cli, &stream)) {
            add_stream(r, &stream);
            io_stream_close(&stream);
        }
        return;
    }
    if (r->cli->operand_count == 0) add_file(r, "-");
    for (size_t i = 0; i < r->cli->operand_count; i++) add_operand(r, r->cli->operand[i]);
}

static enum cli_exit run(struct cli *cli)
{
    const char *path = cli_get(cli, "output");
    struct report r = {.cli = cli};

    tmap_checker_prepare(&cli->target, cli->contract, &r.checker);
    r.run = (struct io_run){.target = cli->target,
                            .contract = cli->contract,
                            .basis = r.checker.basis,
                            .command = "report"};
    r.page = io_page_open();
    if (!r.page) return cli_status(cli, TMAP_E_MEMORY, "report");
    add_all(&r);
    r.run.out = path && strcmp(path, "-") != 0 ? fopen(path, "w") : stdout;
    if (!r.run.out) {
        cli_message(cli, "%s: %s", path, strerror(errno));
        io_page_close(r.page, NULL);
        return CLI_INPUT;
    }
    if (cli_has(cli, "format")) io_page_numbers(r.page, &r.run, cli->format);
    const bool whole = io_page_close(r.page, cli_has(cli, "format") ? NULL : &r.run);
    if (!whole) cli_message(cli, "a temporary file cannot be written");
    if (r.run.out == stdout) return whole ? CLI_OK : CLI_INPUT; /* main() says the rest */
    bool good = !ferror(r.run.out);
    if (fclose(r.run.out) != 0) good = false;
    if (!good) cli_message(cli, "%s: %s", path, strerror(errno));
    return good && whole ? CLI_OK : CLI_INPUT;
}

static const struct cli_option options[] = {{"output", 'o', "FILE", "the page (standard output)"},
                                            {NULL, 0, NULL, NULL}};

const struct cli_command cli_report = {
    .name = "report",
    .summary = "one page about a suite: verdicts by file and target, findings, layouts",
    .operands = "[OPTION...] [FILE or DIRECTORY...]",
    .examples = "  tmap report -o report.html descriptors/*.json\n"
                "  tmap report -f json descriptors         the numbers of its table alone\n",
    .about = "One HTML file without external parts, light or dark, printable. Records of "
             "descriptors, and\n"
             "of `tmap pipeline` and `tmap prune`: rings in time, products on the roofline. With "
             "--format\n"
             "the verdicts by file and target, and no page. Exit code as check's.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_DESC,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
