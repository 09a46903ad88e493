/* each.c : the loop over files and records that every command shares. */
#include "cli/each.h"

#include "cli/given.h"
#include "cli/paths.h"
#include "cli/progress.h"
#include "cli/shard.h"
#include "io/paste/clean.h"
#include "io/report/report.h"

#include <stdlib.h>
#include <string.h>

/* What one call of cli_each() carries from file to file. */
struct each {
    struct cli *cli;
    unsigned flags;
    cli_answer *answer;
    void *user;
    uint64_t number, first, end; /* of records: the next one's, and those to answer */
    bool counting;               /* a first time over the input, which answers none */
};

enum cli_exit cli_unreadable(struct cli *cli, const struct io_record *record)
{
    char text[IO_ERROR_SIZE + 256];
    if (cli->format == IO_TEXT) {
        io_error_text(record, text, sizeof text);
        cli_message(cli, "%s", text);
    } else {
        io_print_json(stdout, io_error_json(record), 0);
    }
    return CLI_INPUT;
}

bool cli_is_log(const struct cli *cli, struct io_stream *stream, enum io_dump *from)
{
    const char *program = cli_get(cli, "from");
    if (!(cli->command->groups & CLI_DESC)) return false;
    if (program) io_clean(stream);
    return program ? io_dump_find(program, from) : io_dump_guess(stream, from);
}

/* The input as records of one sort. */
struct source {
    struct io_stream *stream;
    bool dump;
    enum io_dump from;
};

/* Past the next record, which is not parsed. */
static bool skip(struct source *in)
{
    struct io_piece piece;
    struct io_record record;

    if (!in->dump) return io_stream_next(in->stream, &piece);
    if (!io_dump_next(in->stream, in->from, &record)) return false;
    io_record_free(&record);
    return true;
}

static bool answer_next(struct each *e, struct source *in)
{
    const unsigned reading = e->flags & CLI_EACH_NEEDS_ADDRESS ? IO_NEEDS_ADDRESS : 0;
    struct io_record record;

    if (!(in->dump                         ? io_dump_next(in->stream, in->from, &record)
          : e->flags & CLI_EACH_DESCRIPTOR ? io_record_next(in->stream, reading, &record)
                                           : io_json_next(in->stream, &record)))
        return false;
    if (e->flags & CLI_EACH_NEEDS_ADDRESS && in->dump && record.flags & IO_NO_ADDRESS &&
        !record.error[0])
        io_fail(&record, "", "the text does not say the address");
    if (record.flags & IO_PARTIAL && !(e->flags & CLI_EACH_PARTIAL))
        io_fail(&record, "", "not in this text: %s (tmap check says what is wrong with the rest)",
                record.absent);
    const bool reported = record.error[0] && !(e->flags & CLI_EACH_ERRORS);
    cli_note(e->cli,
             reported ? cli_unreadable(e->cli, &record) : e->answer(e->user, in->stream, &record));
    io_record_free(&record);
    return true;
}

static void each_record(struct each *e, struct io_stream *stream)
{
    struct source in = {stream, false, IO_DUMP_TRITON};

    in.dump = cli_is_log(e->cli, stream, &in.from);
    while (!ferror(stdout) && e->number < e->end &&
           (e->counting || e->number < e->first ? skip(&in) : answer_next(e, &in))) {
        e->number++;
        e->cli->progress->done += !e->counting;
    }
    io_stream_close(stream);
}

static void no_file(const struct each *e, const char *path, const char *why)
{
    if (e->first > 0 || e->end < UINT64_MAX) return; /* said when it was counted */
    cli_message(e->cli, "%s: %s", path, why);
    cli_note(e->cli, CLI_INPUT);
}

static void each_file(struct each *e, const char *path)
{
    struct io_stream stream;
    char error[IO_ERROR_SIZE];

    if (io_stream_open(&stream, path, error))
        each_record(e, &stream);
    else
        no_file(e, path, error);
}

static void each_path(struct each *e, const char *operand)
{
    struct cli_paths paths;
    const char *why = NULL;
    const enum tmap_status status = cli_paths_of(e->cli, operand, &paths, &why);

    if (status == TMAP_E_MEMORY)
        cli_note(e->cli, cli_status(e->cli, status, operand));
    else if (status != TMAP_OK)
        no_file(e, operand, why);
    for (size_t i = 0; i < paths.count; i++) each_file(e, paths.path[i]);
}

bool cli_input_makes_sense(const struct cli *cli)
{
    const char *program = cli_get(cli, "from");
    enum io_dump from;

    if (!(cli->command->groups & (CLI_DESC | CLI_TILE))) return true;
    if (program && !io_dump_find(program, &from))
        cli_no_value(cli, "--from", "triton, cutlass, tilelang or flashinfer", program);
    else if (cli_is_given(cli) && (cli->operand_count || program))
        cli_usage(cli, "%s comes from options or from files, not both",
                  cli->command->groups & CLI_DESC ? "a descriptor" : "a tile");
    else
        return true;
    return false;
}

static void each_operand(struct each *e)
{
    if (e->cli->operand_count == 0) each_file(e, "-");
    for (size_t i = 0; i < e->cli->operand_count; i++) each_path(e, e->cli->operand[i]);
}

/* The records of this part: all inputs are cut once to count them. */
static bool choose_part(struct each *e, const struct cli_shard *shard)
{
    for (size_t i = 0; i < e->cli->operand_count; i++)
        if (strcmp(e->cli->operand[i], "-") == 0) {
            cli_shard_piped(e->cli);
            return false;
        }
    e->counting = true;
    each_operand(e);
    cli_shard_range(shard, e->number, &e->first, &e->end);
    e->counting = false;
    e->number = 0;
    return true;
}

void cli_each(struct cli *cli, unsigned flags, cli_answer *answer, void *user)
{
    struct each e = {.cli = cli, .flags = flags, .answer = answer, .user = user, .end = UINT64_MAX};
    struct io_stream stream;
    struct cli_shard shard = {0, 0};

    if (flags & CLI_EACH_SHARD && !cli_shard_get(cli, &shard)) {
        cli_note(cli, CLI_USAGE);
    } else if (cli_is_given(cli)) {
        if (cli_given(cli, &stream)) each_record(&e, &stream);
    } else if (!shard.count || choose_part(&e, &shard)) {
        each_operand(&e);
    } else {
        cli_note(cli, CLI_USAGE);
    }
}
