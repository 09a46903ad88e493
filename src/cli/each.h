/* each.h : one answer per record of the command's files. */
#ifndef TMAP_CLI_EACH_H
#define TMAP_CLI_EACH_H

#include "cli/cli.h"
#include "io/json/record.h"

/* cli_each() : calls answer for every record of the operands (or standard input): read as a
 *  descriptor, or only parsed. Unreadable records are reported here. */
void cli_each(struct cli *cli, bool descriptors,
              enum cli_exit (*answer)(void *user, struct io_record *record), void *user);

/* cli_unreadable() : reports a record that could not be read; returns CLI_INPUT. */
enum cli_exit cli_unreadable(struct cli *cli, const struct io_record *record);

#endif
