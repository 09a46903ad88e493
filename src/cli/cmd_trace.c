/* cmd_trace.c : the encode calls of a program, checked and explained. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "io/report/report.h"
#include "tmap/driver.h"

#define JSON_ROOM 2048

/* One call, as often as it was made with the same arguments and the same answer. */
struct call {
    struct tmap_desc desc;
    int result;
    uint32_t pid;
    uint64_t times;
};

struct trace {
    struct cli *cli;
    FILE *out; /* the report: not the program's standard output */
    struct call *calls;
    size_t count, room, *slots, slot_count; /* open addressing over calls, 0 empty */
    uint64_t replaced, replace_failed;
    bool no_memory, by_cupti, interposed;
    int cupti_result;
};

/* --- collecting -------------------------------------------------------------------------------*/

static uint64_t hash_of(const struct tmap_desc *desc, int result)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(uint32_t)result;
    const unsigned char *bytes = (const unsigned char *)desc;
    for (size_t i = 0; i < sizeof *desc; i++) h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h;
}

static bool grow(struct trace *t)
{
    const size_t room = t->room ? 2 * t->room : 256;
    struct call *calls = realloc(t->calls, room * sizeof *calls);
    if (calls) t->calls = calls;
    size_t *slots = calloc(4 * room, sizeof *slots);
    if (!calls || !slots) {
        free(slots);
        return false;
    }
    free(t->slots);
    t->slots = slots;
    t->slot_count = 4 * room;
    t->room = room;
    for (size_t i = 0; i < t->count; i++) {
        size_t at = hash_of(&calls[i].desc, calls[i].result) % t->slot_count;
        while (slots[at]) at = (at + 1) % t->slot_count;
        slots[at] = i + 1;
    }
    return true;
}

static void add_call(struct trace *t, const struct tmap_trace_event *e)
{
    if (t->count == t->room && !grow(t)) {
        t->no_memory = true;
        return;
    }
    size_t at = hash_of(&e->desc, e->result) % t->slot_count;
    for (; t->slots[at]; at = (at + 1) % t->slot_count) {
        struct call *c = &t->calls[t->slots[at] - 1];
        if (c->result != e->result || memcmp(&c->desc, &e->desc, sizeof c->desc) != 0) continue;
        c->times++;
        return;
    }
    t->calls[t->count] = (struct call){e->desc, e->result, e->pid, 1};
    t->slots[at] = ++t->count;
}

static void on_event(void *user, const struct tmap_trace_event *e)
{
    struct trace *t = user;
    if (e->what == TMAP_TRACE_PROCESS) {
        t->by_cupti = t->by_cupti || e->by_cupti;
        t->interposed = t->interposed || !e->by_cupti;
        if (!e->by_cupti && e->result) t->cupti_result = e->result;
    }
    if (e->what == TMAP_TRACE_REPLACE_ADDRESS) {
        t->replaced++;
        t->replace_failed += e->result != 0;
    }
    if (e->what == TMAP_TRACE_ENCODE) add_call(t, e);
}

/* --- reporting --------------------------------------------------------------------------------*/

/* The calls as input for the reader that every command has: what it shows is then what `tmap check`
 * would show of the recorded file. Failed calls first. */
static void write_lines(const struct trace *t, FILE *out)
{
    char json[JSON_ROOM];
    for (int failed = 1; failed >= 0; failed--)
        for (size_t i = 0; i < t->count; i++) {
            const struct call *c = &t->calls[i];
            if ((c->result != 0) != failed) continue;
            io_desc_text(&c->desc, json, sizeof json);
            fprintf(out,
                    "{\"name\":\"call %zu, %llu times, pid %u: %s%d\", \"expect\":\"%s\", %s\n",
                    i + 1, (unsigned long long)c->times, c->pid, failed ? "refused with " : "",
                    c->result, failed ? "illegal" : "legal", json + 1);
        }
}

static bool write_file(const struct trace *t, const char *path)
{
    FILE *out = fopen(path, "w");
    bool ok = out != NULL;
    if (out) write_lines(t, out);
    if (out) ok = !ferror(out);
    if (out && fclose(out) != 0) ok = false;
    if (!ok) cli_message(t->cli, "%s: %s", path, strerror(errno));
    return ok;
}

static void list_calls(const struct trace *t)
{
    char json[JSON_ROOM];
    fprintf(t->out, "%6s %8s %6s  call\n", "number", "times", "answer");
    for (int failed = 1; failed >= 0; failed--)
        for (size_t i = 0; i < t->count; i++) {
            const struct call *c = &t->calls[i];
            if ((c->result != 0) != failed) continue;
            io_desc_text(&c->desc, json, sizeof json);
            fprintf(t->out, "%6zu %8llu %6d  %s\n", i + 1, (unsigned long long)c->times, c->result,
                    json);
        }
    fputc('\n', t->out);
}

/* A refused call that the rows find legal is not the arguments' fault. */
static void say_elsewhere(const struct trace *t, const struct tmap_checker *driver)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->calls[i].result && tmap_verdict_of(driver, &t->calls[i].desc) == TMAP_LEGAL)
            fprintf(t->out,
                    "call %zu was refused with %d, but its arguments are legal: look elsewhere (an "
                    "earlier asynchronous fault, the context)\n",
                    i + 1, t->calls[i].result);
}

static enum cli_exit report_stream(struct trace *t, struct io_stream *stream,
                                   const struct io_writer *writer, struct io_run *run,
                                   const struct tmap_checker *checker)
{
    struct io_record record;
    enum cli_exit code = CLI_OK;
    if (!writer->begin(run)) {
        t->no_memory = true;
        return CLI_INTERNAL;
    }
    while (t->count && io_record_next(stream, 0, &record)) { /* no call is no empty input */
        struct io_result result;
        record.flags &= ~(unsigned)IO_HAS_EXPECT; /* the answer is known, not expected */
        if (record.error[0]) {
            run->unreadable++;
            writer->unreadable(run, &record);
        } else if (io_judge(checker, &record, stream, IO_FIX, &result) == TMAP_OK) {
            io_count(run, &result);
            writer->result(run, &result);
            if (result.verdict == TMAP_ILLEGAL) code = CLI_ILLEGAL;
            io_result_free(&result);
        } else {
            t->no_memory = true;
        }
        io_record_free(&record);
    }
    writer->end(run);
    if (!run->lost) return code;
    cli_message(t->cli, "a temporary file cannot be written: findings are missing");
    return CLI_INPUT;
}

static enum cli_exit report_calls(struct trace *t)
{
    struct tmap_checker checker, driver;
    struct io_stream stream;
    char *text = NULL, error[IO_ERROR_SIZE];
    size_t size = 0;
    FILE *lines = open_memstream(&text, &size);
    if (!lines) return cli_status(t->cli, TMAP_E_MEMORY, "trace");
    write_lines(t, lines);
    fclose(lines);
    tmap_checker_prepare(&t->cli->target, t->cli->contract, &checker);
    tmap_checker_prepare(&t->cli->target, TMAP_CONTRACT_DRIVER, &driver);
    struct io_run run = {.out = t->out,
                         .command = "trace",
                         .things = "different call",
                         .target = t->cli->target,
                         .contract = t->cli->contract,
                         .basis = checker.basis};
    enum cli_exit code = CLI_OK;
    if (t->cli->format == IO_TEXT) list_calls(t);
    if (io_stream_from(&stream, "trace", text, size, error)) {
        code = report_stream(t, &stream, io_writer_of(t->cli->format), &run, &checker);
        io_stream_close(&stream);
    } else {
        t->no_memory = true;
    }
    if (t->cli->format == IO_TEXT) say_elsewhere(t, &driver);
    free(text);
    return code;
}

static void say_summary(const struct trace *t, const struct tmap_trace_result *r)
{
    fprintf(stderr,
            "tmap trace: %llu calls, %llu refused, %zu different, %llu processes, seen by %s",
            (unsigned long long)r->calls, (unsigned long long)r->failed, t->count,
            (unsigned long long)r->processes,
            t->by_cupti     ? "CUPTI"
            : t->interposed ? "interposed dlsym and cuGetProcAddress"
                            : "nothing: no process initialized CUDA");
    if (t->cupti_result == -1) fprintf(stderr, " (there is no libcupti)");
    if (t->cupti_result > 0) fprintf(stderr, " (CUPTI answered %d)", t->cupti_result);
    if (t->replaced)
        fprintf(stderr, "; %llu of the calls replaced an address, %llu of them refused",
                (unsigned long long)t->replaced, (unsigned long long)t->replace_failed);
    if (r->foreign) fprintf(stderr, "; %llu foreign bytes", (unsigned long long)r->foreign);
    fputc('\n', stderr);
}

static bool open_report(struct trace *t)
{
    const char *path = cli_get(t->cli, "output");
    t->out = path ? fopen(path, "w") : stderr;
    if (!t->out) cli_message(t->cli, "%s: %s", path, strerror(errno));
    return t->out != NULL;
}

/* A report that a full disk cut short is none, whatever the program's exit code. */
static bool close_report(struct trace *t)
{
    bool ok = !ferror(t->out);
    if (t->out == stderr) return ok;
    if (fclose(t->out) != 0) ok = false;
    if (!ok) cli_message(t->cli, "%s: %s", cli_get(t->cli, "output"), strerror(errno));
    return ok;
}

static enum cli_exit report(struct trace *t, const struct tmap_trace_result *r)
{
    const char *record = cli_get(t->cli, "record");
    enum cli_exit code = CLI_OK;
    if (record && !write_file(t, record)) return CLI_INPUT;
    if (!open_report(t)) return CLI_INPUT;
    /* an empty file is no JSON, and no report of no call */
    if (t->count || t->cli->format != IO_TEXT) code = report_calls(t);
    const bool written = close_report(t);
    say_summary(t, r);
    if (!written) return CLI_INPUT;
    if (t->no_memory) return cli_status(t->cli, TMAP_E_MEMORY, "trace");
    if (r->failed) code = CLI_ILLEGAL;
    if (cli_has(t->cli, "exit-code")) return code;
    t->cli->child_code = r->exit_code; /* main returns it as it is */
    return CLI_OK;
}

static bool is_mode(const char *name)
{
    static const char *const modes[] = {"auto", "cupti", "interpose"};
    for (size_t i = 0; name && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(name, modes[i]) == 0) return true;
    return !name;
}

static enum cli_exit run(struct cli *cli)
{
    struct trace t = {.cli = cli};
    struct tmap_trace_result result;
    const struct tmap_trace_options options = {.argv = cli->operand,
                                               .library = cli_get(cli, "library"),
                                               .mode = cli_get(cli, "mode"),
                                               .event = on_event,
                                               .user = &t};
    if (cli->operand_count == 0) return cli_usage(cli, "say what to run: tmap trace -- PROGRAM");
    if (!is_mode(options.mode))
        return cli_no_value(cli, "--mode", "auto, cupti or interpose", options.mode);
    const enum tmap_status status = tmap_trace_run(&options, &result);
    enum cli_exit code = CLI_INPUT;
    if (status == TMAP_OK)
        code = report(&t, &result);
    else
        cli_message(cli, "%s", result.why);
    free(t.calls);
    free(t.slots);
    return code;
}

static const struct cli_option options[] = {
    {"record", 0, "FILE", "keep the calls, one a line, as input for tmap check"},
    {"output", 'o', "FILE", "write the report there (standard error)"},
    {"exit-code", 0, NULL, "1 when a call was refused or is illegal; else the program's own"},
    {"mode", 0, "HOW", "auto, cupti or interpose (auto: CUPTI, else interposed functions)"},
    {"library", 0, "FILE", "libtmap-trace.so (beside tmap)"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_trace = {
    .name = "trace",
    .summary = "show, check and explain every descriptor that a program encodes",
    .operands = "[OPTION...] -- PROGRAM [ARGUMENT...]",
    .examples = "  tmap trace -- python3 train.py          what it encodes, refused calls first\n"
                "  tmap trace --record calls.jsonl -- ./gemm && tmap check calls.jsonl\n",
    .about = "The program runs unmodified and its output is its own; children count too. The exit\n"
             "code is the program's.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT,
    .formats = IO_ALL_FORMATS,
    .options = options,
    .stops_at_operand = true,
    .tells_itself = true,
    .run = run};
