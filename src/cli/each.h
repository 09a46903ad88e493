/* each.h : one answer per record of the command's input. */
#ifndef TMAP_CLI_EACH_H
#define TMAP_CLI_EACH_H

#include "cli/cli.h"
#include "io/paste/dump.h"
#include "io/json/record.h"

enum cli_each_flag {
    CLI_EACH_DESCRIPTOR = 1u << 0,    /* records are descriptors; else they are only parsed */
    CLI_EACH_NEEDS_ADDRESS = 1u << 1, /* and may not leave "address" out */
    CLI_EACH_ERRORS = 1u << 2,        /* unreadable records are answered like the others */
    CLI_EACH_SHARD = 1u << 3,         /* with --shard, only the records of that part are read */
    CLI_EACH_PARTIAL = 1u << 4        /* records with IO_PARTIAL are answered like the others */
};

/* Answers a record; stream holds its text. Both live until it returns. */
typedef enum cli_exit cli_answer(void *user, const struct io_stream *stream,
                                 struct io_record *record);

/* cli_input_makes_sense() : false, with a message, where the options about the input contradict
 * each other or the files; asked before a command runs. */
bool cli_input_makes_sense(const struct cli *cli);

/* cli_is_log() : whether an input of a command with CLI_DESC is another program's log, and whose:
 *  as --from says, or what io_dump_guess() sees. */
bool cli_is_log(const struct cli *cli, struct io_stream *stream, enum io_dump *from);

/* cli_each() : calls answer for every record of the operands, in order: files, the *.json files of
 *  directories, standard input where there is no operand; for a command with CLI_DESC also the
 *  descriptor that its options say, and a log with the fields that another program prints (--from,
 *  or what io_dump_guess() sees). Unreadable records are reported here but for CLI_EACH_ERRORS.
 *  Exit codes are noted. Where there is a part to do, all inputs are cut into records twice, and
 *  only those of the part parsed: the first time counts. */
void cli_each(struct cli *cli, unsigned flags, cli_answer *answer, void *user);

/* cli_unreadable() : reports a record that could not be read; returns CLI_INPUT. */
enum cli_exit cli_unreadable(struct cli *cli, const struct io_record *record);

#endif
