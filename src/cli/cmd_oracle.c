/* cmd_oracle.c : the live driver against the rows: run, record, replay, probe, time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/oracle_report.h"
#include "cli/shard.h"
#include "io/report/report.h"

#define DEFAULT_COUNT 10000000
#define BLOCK 65536          /* descriptors that one line of -f jsonl is about */
enum { MOST_THREADS = 256 }; /* as many as tmap_oracle_run() starts */

/* Descriptors of real programs, from the operands. */
struct reals {
    struct tmap_desc *descs;
    size_t count, room;
};

static bool add_real(struct reals *r, const struct tmap_desc *desc)
{
    if (r->count == r->room) {
        const size_t room = r->room ? 2 * r->room : 64;
        struct tmap_desc *grown = realloc(r->descs, room * sizeof *grown);
        if (!grown) return false;
        r->descs = grown;
        r->room = room;
    }
    r->descs[r->count++] = *desc;
    return true;
}

static bool read_reals(struct cli *cli, const char *path, struct reals *r)
{
    struct io_stream stream;
    struct io_record record;
    char error[IO_ERROR_SIZE];
    bool room = true;
    if (!io_stream_open(&stream, path, error)) {
        cli_message(cli, "%s: %s", path, error);
        return false;
    }
    while (room && io_record_next(&stream, 0, &record)) {
        if (record.error[0]) {
            char text[IO_ERROR_SIZE + 256];
            io_error_text(&record, text, sizeof text);
            cli_message(cli, "%s", text);
            cli_note(cli, CLI_INPUT);
        } else if (!(record.flags & IO_HAS_SYMBOLS))
            room = add_real(r, &record.desc);
        io_record_free(&record);
    }
    io_stream_close(&stream);
    if (!room) cli_note(cli, cli_status(cli, TMAP_E_MEMORY, path));
    return room;
}

static bool read_all_reals(struct cli *cli, size_t first, struct reals *r)
{
    for (size_t i = first; i < cli->operand_count; i++)
        if (!read_reals(cli, cli->operand[i], r)) return false;
    return true;
}

static enum cli_exit open_driver(struct cli *cli, struct tmap_driver **driver)
{
    char why[TMAP_DRIVER_TEXT] = "";
    int32_t ordinal;
    if (!cli_device(cli, &ordinal)) return CLI_USAGE;
    const enum tmap_status status = tmap_driver_open(cli_get(cli, "libcuda"), ordinal, driver, why);
    if (status == TMAP_OK) return CLI_OK;
    cli_message(cli, "no driver to ask: %s", why);
    return CLI_INPUT;
}

/* --- run --------------------------------------------------------------------------------------*/

static void say_progress(void *user, const struct tmap_oracle_progress *p)
{
    const double rate = p->seconds > 0 ? (double)p->done / p->seconds : 0;
    (void)user;
    fprintf(stderr,
            "tmap oracle: %llu of %llu, %.1f million a second, %llu disagreements, %.0f s\n",
            llu(p->done), llu(p->of), rate * 1e-6, llu(p->disagreements), p->seconds);
}

/* -f jsonl is cut into blocks, and --shard takes some of them. */
static bool take_blocks(struct cli *cli, struct tmap_driver *driver, struct tmap_oracle_options *o)
{
    struct cli_shard shard = {0, 0};
    uint64_t first, end;
    if (!cli_shard_get(cli, &shard)) return false;
    if (shard.count && (o->seconds > 0 || o->stop_after))
        return cli_usage(cli, "--shard does its part to the end"), false;
    if (cli->format != IO_JSONL) return true;
    cli_shard_range(&shard, (o->count + BLOCK - 1) / BLOCK, &first, &end);
    o->first = first * BLOCK;
    o->count = (end * BLOCK < o->count ? end * BLOCK : o->count) - o->first;
    o->block = BLOCK;
    o->each = oracle_print_block;
    o->user = driver;
    o->progress = NULL;
    return true;
}

static bool run_options(const struct cli *cli, const struct reals *reals,
                        struct tmap_oracle_options *o)
{
    uint64_t threads, seconds;
    *o = (struct tmap_oracle_options){.seed = cli->seed,
                                      .real = reals->descs,
                                      .real_count = reals->count,
                                      .progress = say_progress};
    if (!cli_number_in(cli, "count", DEFAULT_COUNT, 0, INT64_MAX, &o->count) ||
        !cli_number_in(cli, "threads", 0, 0, MOST_THREADS, &threads) ||
        !cli_number(cli, "seconds", 0, &seconds) ||
        !cli_number(cli, "stop-after", 0, &o->stop_after))
        return false;
    o->threads = (unsigned)threads;
    o->seconds = (double)seconds;
    return true;
}

static enum cli_exit print_result(const struct cli *cli, const struct tmap_driver *driver,
                                  const struct tmap_oracle_result *r)
{
    if (cli->format == IO_JSON)
        oracle_print_json(driver, r, cli->seed);
    else if (cli->format == IO_TEXT)
        oracle_print_text(driver, r);
    return r->verdict_disagreements || r->byte_disagreements ? CLI_ILLEGAL : CLI_OK;
}

static enum cli_exit run_oracle(struct cli *cli, struct tmap_driver *driver,
                                const struct reals *reals)
{
    struct tmap_oracle_options o;
    if (!run_options(cli, reals, &o) || !take_blocks(cli, driver, &o)) return CLI_USAGE;
    if (o.each && o.count == 0) return CLI_OK; /* a part without work */
    struct tmap_oracle_result *r = calloc(1, sizeof *r);
    const enum tmap_status status = r ? tmap_oracle_run(driver, &o, r) : TMAP_E_MEMORY;
    enum cli_exit code = cli_status(cli, status, "oracle");
    if (status == TMAP_OK) code = print_result(cli, driver, r);
    free(r);
    return code;
}

/* The children open the driver; only afterwards may this process. */
static enum cli_exit run_processes(struct cli *cli, const struct reals *reals)
{
    struct tmap_oracle_options o;
    struct tmap_driver *driver;
    char why[TMAP_DRIVER_TEXT];
    int32_t ordinal;
    if (!run_options(cli, reals, &o) || !cli_device(cli, &ordinal)) return CLI_USAGE;
    struct tmap_oracle_result *r = calloc(1, sizeof *r);
    if (!r) return cli_status(cli, TMAP_E_MEMORY, "oracle");
    const enum tmap_status status =
        tmap_oracle_run_processes(cli_get(cli, "libcuda"), ordinal, &o, r, why);
    enum cli_exit code = CLI_INPUT;
    if (status != TMAP_OK)
        cli_message(cli, "no driver to ask: %s", why[0] ? why : "a process was killed");
    else if ((code = open_driver(cli, &driver)) == CLI_OK) {
        code = print_result(cli, driver, r);
        tmap_driver_close(driver);
    }
    free(r);
    return code;
}

/* --- record and replay ------------------------------------------------------------------------*/

static enum cli_exit record_corpus(struct cli *cli, struct tmap_driver *driver,
                                   const struct reals *reals)
{
    char date[16];
    const time_t now = time(NULL);
    const struct tm *day = gmtime(&now);
    uint64_t rows, legal;
    if (!day || strftime(date, sizeof date, "%Y-%m-%d", day) == 0) date[0] = '\0';
    if (!cli_number_in(cli, "rows", 1000, 0, UINT32_MAX, &rows) ||
        !cli_number_in(cli, "legal", 1000, 0, UINT32_MAX, &legal))
        return CLI_USAGE;
    const struct tmap_record_options o = {.path = cli_get(cli, "output"),
                                          .seed = cli->seed,
                                          .cases_a_row = (uint32_t)rows,
                                          .legal_maps = (uint32_t)legal,
                                          .real = reals->descs,
                                          .real_count = reals->count,
                                          .date = date};
    if (!o.path) return cli_usage(cli, "record needs --output FILE");
    const enum tmap_status status = tmap_corpus_record(driver, &o);
    if (status != TMAP_E_ARGUMENT) return cli_status(cli, status, o.path);
    cli_message(cli, "%s or %s.json: %s", o.path, o.path, strerror(errno));
    return CLI_INPUT;
}

static enum cli_exit not_whole(struct cli *cli, const char *path, enum tmap_status status)
{
    if (status == TMAP_E_MEMORY) return cli_status(cli, status, path);
    cli_message(cli, "%s: not a whole corpus", path);
    return CLI_INPUT;
}

static enum cli_exit open_corpus(struct cli *cli, const char *path, struct tmap_corpus **out)
{
    errno = 0;
    const enum tmap_status status = tmap_corpus_open(path, out);
    if (status == TMAP_OK) return CLI_OK;
    if (status == TMAP_E_MEMORY || !errno) return not_whole(cli, path, status);
    cli_message(cli, "%s: %s", path, strerror(errno));
    return CLI_INPUT;
}

/* One case of a corpus, as input for tmap check. */
static enum cli_exit show_case(struct cli *cli, const char *path)
{
    struct tmap_corpus *corpus;
    struct tmap_corpus_case c;
    enum tmap_status status;
    uint64_t wanted, count = 0;
    if (!cli_number(cli, "case", 0, &wanted)) return CLI_USAGE;
    enum cli_exit code = open_corpus(cli, path, &corpus);
    if (code != CLI_OK) return code;
    for (; (status = tmap_corpus_next(corpus, &c)) == TMAP_OK && c.number != wanted;) count++;
    if (status == TMAP_OK)
        oracle_print_case(&c);
    else if (status != TMAP_E_NO_PLAN)
        code = not_whole(cli, path, status);
    else
        code = cli_usage(cli, "%s: there is no case %llu, of %llu from 0 on", path, llu(wanted),
                         llu(count));
    tmap_corpus_close(corpus);
    return code;
}

static enum cli_exit replay_file(struct cli *cli, const char *path)
{
    struct tmap_corpus *corpus;
    uint64_t bytes;
    const enum cli_exit code = open_corpus(cli, path, &corpus);
    if (code != CLI_OK) return code;
    struct tmap_corpus_result *r = calloc(1, sizeof *r);
    const enum tmap_status status = r ? tmap_corpus_replay(corpus, &cli->target, r) : TMAP_E_MEMORY;
    if (status != TMAP_OK) {
        tmap_corpus_close(corpus);
        free(r);
        return not_whole(cli, path, status);
    }
    const uint64_t hash = tmap_corpus_hash(corpus, &bytes);
    if (cli->format != IO_TEXT)
        oracle_print_replay_json(cli, path, bytes, hash, r);
    else
        oracle_print_replay(path, bytes, hash, r);
    const bool differs = r->verdict_differences || r->byte_differences;
    tmap_corpus_close(corpus);
    free(r);
    return differs ? CLI_ILLEGAL : CLI_OK;
}

/* --- probe and time ---------------------------------------------------------------------------*/

static void say_answer(void *user, const char *question, const char *asked, const char *answer)
{
    const struct cli *cli = user;
    if (cli->format == IO_TEXT)
        printf("%-46s %-46s %s\n", question, asked, answer);
    else
        io_print_json(
            stdout,
            json_pack("{s:s, s:s, s:s}", "question", question, "asked", asked, "answer", answer),
            0);
    fflush(stdout);
}

/* One question a process: the ones that may end it are asked with --rash 1, 2, ... */
static enum cli_exit probe_driver(struct cli *cli, struct tmap_driver *driver)
{
    uint64_t rash;
    if (!cli_number_in(cli, "rash", 0, 0, UINT32_MAX, &rash)) return CLI_USAGE;
    const enum tmap_status status = tmap_driver_probe(driver, (unsigned)rash, say_answer, cli);
    if (status == TMAP_E_NO_PLAN) return cli_usage(cli, "there is no such question");
    return cli_status(cli, status, "probe");
}

static enum cli_exit print_times(struct cli *cli, struct tmap_driver *driver)
{
    struct tmap_driver_times t;
    const enum tmap_status status = tmap_driver_time(driver, 2000, &t);
    if (status != TMAP_OK) return cli_status(cli, status, "time");
    if (cli->format != IO_TEXT) {
        io_print_json(stdout,
                      json_pack("{s:f, s:f, s:f, s:f, s:f}", "driver_legal_ns", t.driver_legal_ns,
                                "driver_refused_ns", t.driver_refused_ns, "verdict_ns",
                                t.verdict_ns, "encode_ns", t.encode_ns, "checked_encode_ns",
                                t.checked_encode_ns),
                      cli_indent(cli));
        return CLI_OK;
    }
    printf("driver, accepted  %7.1f ns\ndriver, refused   %7.1f ns\ntmap, verdict     %7.1f ns\n"
           "tmap, encode      %7.1f ns\ntmap, both        %7.1f ns\n",
           t.driver_legal_ns, t.driver_refused_ns, t.verdict_ns, t.encode_ns, t.checked_encode_ns);
    return CLI_OK;
}

static enum cli_exit with_driver(struct cli *cli, const char *what)
{
    struct tmap_driver *driver;
    struct reals reals = {NULL, 0, 0};
    enum cli_exit code = open_driver(cli, &driver);
    if (code != CLI_OK) return code;
    if (!read_all_reals(cli, 1, &reals))
        code = CLI_INPUT;
    else if (strcmp(what, "run") == 0)
        code = run_oracle(cli, driver, &reals);
    else if (strcmp(what, "record") == 0)
        code = record_corpus(cli, driver, &reals);
    else if (strcmp(what, "probe") == 0)
        code = probe_driver(cli, driver);
    else
        code = print_times(cli, driver);
    free(reals.descs);
    tmap_driver_close(driver);
    return code;
}

static enum cli_exit without_driver(struct cli *cli)
{
    struct reals reals = {NULL, 0, 0};
    const enum cli_exit code =
        read_all_reals(cli, 1, &reals) ? run_processes(cli, &reals) : CLI_INPUT;
    free(reals.descs);
    return code;
}

static enum cli_exit run(struct cli *cli)
{
    static const char *const verbs[] = {"run", "record", "probe", "time"};
    const char *what = cli->operand_count ? cli->operand[0] : "";
    if (strcmp(what, "run") == 0 && cli_has(cli, "processes")) {
        if (cli->format != IO_JSONL) return without_driver(cli);
        return cli_usage(cli, "-f jsonl: --shard I/N in N processes, instead of --processes");
    }
    if (strcmp(what, "run") != 0 && cli_has(cli, "shard"))
        return cli_usage(cli, "--shard is for oracle run");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(what, verbs[i]) == 0) return with_driver(cli, what);
    if (strcmp(what, "replay") != 0)
        return cli_no_value(cli, "oracle", "run, record, replay, probe or time", what);
    if (cli->operand_count < 2) return cli_usage(cli, "replay needs a corpus");
    for (size_t i = 1; i < cli->operand_count; i++)
        cli_note(cli, cli_has(cli, "case") ? show_case(cli, cli->operand[i])
                                           : replay_file(cli, cli->operand[i]));
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"count", 'n', "NUMBER", "descriptors to compare (1e7)"},
    {"threads", 0, "NUMBER", "threads (one per processor)"},
    {"processes", 0, NULL, "run: processes instead of threads, for drivers that lock"},
    {"seconds", 0, "NUMBER", "stop after about so long"},
    {"stop-after", 0, "NUMBER", "stop after so many disagreements"},
    {"output", 'o', "FILE", "record: the corpus to write; FILE.json becomes its manifest"},
    {"rows", 0, "NUMBER", "record: cases in which a row alone is violated, each (1000)"},
    {"legal", 0, "NUMBER", "record: legal maps of each kind (1000)"},
    {"case", 0, "NUMBER", "replay: show this case instead"},
    {"rash", 0, "NUMBER", "probe: the one question of this number, which may end the process"},
    {"device", 0, "NUMBER", "which GPU (0)"},
    {"libcuda", 0, "FILE", "the driver's library (libcuda.so.1)"},
    CLI_SHARD_OPTION,
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_oracle = {
    .name = "oracle",
    .summary = "compare the live driver with the rules, record what it says, replay it",
    .operands = "run|record|probe|time [OPTION...] [FILE...]\n       tmap oracle replay CORPUS...",
    .examples = "  tmap oracle run --processes -n 1e9      verdicts and bytes, every processor\n"
                "  tmap oracle run -f jsonl --shard 3/64 -n 1e9    one of 64 parts\n"
                "  tmap oracle record -o corpus.bin        what this driver says, as data\n"
                "  tmap oracle replay tests/golden/h200-580.bin\n",
    .about = "run and record mutate the descriptors of FILE too. The same seed gives the same\n"
             "descriptors. Exit code 1: the driver and the rules disagree.\n",
    .groups = CLI_TARGET | CLI_FORMAT | CLI_SEED,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .tells_itself = true,
    .run = run};
