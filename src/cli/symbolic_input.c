/* symbolic_input.c : reads what condition and guard work on. */
#include "cli/symbolic_input.h"

#include "cli/each.h"
#include "cli/given.h"

#include <stdlib.h>
#include <string.h>

/* Room for more assumptions, and for those of --assume behind them. */
static bool more_assumptions(struct cli *cli, struct cli_symbolic *in, size_t more)
{
    const size_t need = in->n_assume + more + CLI_MAX_OPTIONS;
    if (need <= in->assume_room) return true;
    const char **larger = realloc(in->assume, 2 * need * sizeof *larger);
    if (!larger) return cli_note(cli, cli_status(cli, TMAP_E_MEMORY, "reading")), false;
    in->assume = larger;
    in->assume_room = 2 * need;
    return true;
}

static void take_assumptions(struct cli *cli, struct cli_symbolic *in,
                             const struct io_record *record)
{
    const size_t n = io_assumptions_of(record, NULL, 0);
    if (!more_assumptions(cli, in, n)) return;
    in->n_assume += io_assumptions_of(record, in->assume + in->n_assume, n);
}

static void take_uses(struct cli *cli, struct cli_symbolic *in, const struct io_record *record)
{
    struct tmap_symbolic_desc *d = &in->desc[in->n];
    io_symbolic_of(record, d);
    if (!record->use_count) return;
    struct tmap_symbolic_use *uses = calloc(record->use_count, sizeof *uses);
    if (!uses) {
        cli_note(cli, cli_status(cli, TMAP_E_MEMORY, "reading"));
        return;
    }
    io_symbolic_uses_of(record, uses);
    d->uses = uses;
    d->use_count = record->use_count;
}

/* An unreadable record keeps its place, and its error, so that it can be answered there. */
static void take_record(struct cli *cli, struct cli_symbolic *in, struct io_record *record)
{
    char text[512];
    if (record->error[0]) {
        io_error_text(record, text, sizeof text);
        cli_message(cli, "%s", text);
        cli_note(cli, CLI_INPUT);
    }
    if (in->n == CLI_MAX_SYMBOLIC) {
        if (!in->too_many) cli_message(cli, "more than %d descriptors", CLI_MAX_SYMBOLIC);
        in->too_many = true;
        cli_note(cli, CLI_INPUT);
        io_record_free(record);
        return;
    }
    if (!record->error[0]) {
        take_uses(cli, in, record);
        take_assumptions(cli, in, record);
    }
    in->record[in->n++] = *record;
}

void cli_symbolic_compact(struct cli_symbolic *in)
{
    size_t n = 0;
    for (size_t i = 0; i < in->n; i++) {
        if (in->record[i].error[0]) {
            io_record_free(&in->record[i]);
            continue;
        }
        in->record[n] = in->record[i];
        in->desc[n++] = in->desc[i];
    }
    in->n = n;
}

/* A log's descriptors have no parameters: legal for all values, or never. */
static void read_stream(struct cli *cli, struct cli_symbolic *in, struct io_stream *stream)
{
    struct io_record record;
    enum io_dump from;
    const bool log = cli_is_log(cli, stream, &from);
    in->n_streams++;
    while (!in->too_many && (log ? io_dump_next(stream, from, &record)
                                 : io_record_next(stream, IO_SYMBOLIC, &record))) {
        if (record.flags & IO_PARTIAL) io_fail(&record, "", "not in this text: %s", record.absent);
        take_record(cli, in, &record);
    }
}

static void read_file(struct cli *cli, struct cli_symbolic *in, const char *path)
{
    char error[IO_ERROR_SIZE];
    struct io_stream *stream = &in->stream[in->n_streams];
    if (io_stream_open(stream, path, error)) {
        read_stream(cli, in, stream);
        return;
    }
    cli_message(cli, "%s: %s", path, error);
    cli_note(cli, CLI_INPUT);
}

static void take_assume_options(const struct cli *cli, struct cli_symbolic *in)
{
    for (size_t i = 0; i < cli->value_count; i++) {
        if (strcmp(cli->value[i].name, "assume") != 0) continue;
        in->assume[in->n_assume++] = cli->value[i].text;
    }
}

/* The files that the operands are, with those of directories; returns how many. */
static size_t list_files(struct cli *cli, struct cli_symbolic *in)
{
    size_t files = 0;

    in->paths = calloc(cli->operand_count + 1, sizeof *in->paths);
    for (; in->paths && in->n_paths < cli->operand_count; in->n_paths++) {
        const char *operand = cli->operand[in->n_paths], *why = NULL;
        const enum tmap_status s = cli_paths_of(cli, operand, &in->paths[in->n_paths], &why);
        if (s == TMAP_E_MEMORY) cli_note(cli, cli_status(cli, s, operand));
        if (s == TMAP_E_ARGUMENT) {
            cli_message(cli, "%s: %s", operand, why);
            cli_note(cli, CLI_INPUT);
        }
        files += in->paths[in->n_paths].count;
    }
    return files;
}

bool cli_symbolic_read(struct cli *cli, struct cli_symbolic *out)
{
    memset(out, 0, sizeof *out);
    size_t files = list_files(cli, out);
    out->stream = calloc(files + 1, sizeof *out->stream);
    out->record = calloc(CLI_MAX_SYMBOLIC, sizeof *out->record);
    out->desc = calloc(CLI_MAX_SYMBOLIC, sizeof *out->desc);
    if (!out->paths || !out->stream || !out->record || !out->desc) {
        cli_note(cli, cli_status(cli, TMAP_E_MEMORY, "reading"));
        return false;
    }
    if (!more_assumptions(cli, out, 0)) return false;
    if (cli_is_given(cli)) {
        if (cli_given(cli, out->stream)) read_stream(cli, out, out->stream);
    } else if (!cli->operand_count) {
        read_file(cli, out, "-");
    }
    for (size_t i = 0; i < out->n_paths; i++)
        for (size_t k = 0; k < out->paths[i].count; k++) read_file(cli, out, out->paths[i].path[k]);
    out->n_own = out->n_assume;
    take_assume_options(cli, out);
    return out->n > 0;
}

void cli_symbolic_free(struct cli_symbolic *input)
{
    for (size_t i = 0; i < input->n; i++) free((void *)input->desc[i].uses);
    for (size_t i = 0; i < input->n; i++) io_record_free(&input->record[i]);
    for (size_t i = 0; i < input->n_streams; i++) io_stream_close(&input->stream[i]);
    free(input->paths);
    free(input->stream);
    free(input->record);
    free(input->desc);
    free(input->assume);
}

struct tmap_symbolic *cli_symbolic_context(struct cli *cli)
{
    struct tmap_symbolic_options options = {cli->budget, cli->budget, {NULL, NULL, NULL}};
    struct tmap_symbolic *context = NULL;
    enum tmap_status status = tmap_symbolic_open(&options, &context);
    if (status != TMAP_OK) cli_note(cli, cli_status(cli, status, "starting"));
    return context;
}

void cli_symbolic_trouble(struct cli *cli, const struct tmap_symbolic *context,
                          enum tmap_status status, const char *what)
{
    enum cli_exit code = status == TMAP_E_ARGUMENT                               ? CLI_INPUT
                         : status == TMAP_E_BUDGET || status == TMAP_E_TARGET    ? CLI_UNDECIDED
                         : status == TMAP_E_NOT_BUILT || status == TMAP_E_MEMORY ? CLI_UNDECIDED
                         : status == TMAP_E_NO_PLAN                              ? CLI_ILLEGAL
                                                                                 : CLI_INTERNAL;
    cli_message(cli, "%s: %s", what, tmap_symbolic_why(context));
    cli_note(cli, code);
}

char *cli_symbolic_text(struct cli *cli, struct tmap_symbolic *context,
                        enum tmap_status (*write)(void *user, char *at, size_t cap, size_t *length),
                        void *user, const char *what)
{
    size_t length = 0, room = 0;
    char *text = NULL;
    enum tmap_status status = write(user, NULL, 0, &length);
    while (status == TMAP_OK && length >= room) { /* asked again, it may be longer */
        free(text);
        room = length + 1;
        text = malloc(room);
        if (!text) return cli_note(cli, cli_status(cli, TMAP_E_MEMORY, what)), NULL;
        status = write(user, text, room, &length);
    }
    if (status == TMAP_OK) return text;
    cli_symbolic_trouble(cli, context, status, what);
    free(text);
    return NULL;
}
