/* each.c : the loop over files and records that the solving commands share. */
#include "cli/each.h"
#include "io/report/report.h"

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

static void each_in(struct cli *cli, const char *path, bool descriptors,
                    enum cli_exit (*answer)(void *, struct io_record *), void *user)
{
    struct io_stream stream;
    struct io_record record;
    char error[IO_ERROR_SIZE];
    if (!io_stream_open(&stream, path, 0, error)) {
        cli_message(cli, "%s: %s", path, error);
        cli_note(cli, CLI_INPUT);
        return;
    }
    while (!ferror(stdout) &&
           (descriptors ? io_record_next(&stream, 0, &record) : io_json_next(&stream, &record))) {
        cli_note(cli, record.error[0] ? cli_unreadable(cli, &record) : answer(user, &record));
        io_record_free(&record);
    }
    io_stream_close(&stream);
}

void cli_each(struct cli *cli, bool descriptors,
              enum cli_exit (*answer)(void *user, struct io_record *record), void *user)
{
    if (cli->operand_count == 0) each_in(cli, "-", descriptors, answer, user);
    for (size_t i = 0; i < cli->operand_count; i++)
        each_in(cli, cli->operand[i], descriptors, answer, user);
}
