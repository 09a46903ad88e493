/* baseline.h : findings that were there before: `check --baseline FILE` fails on new ones alone. */
#ifndef TMAP_CLI_BASELINE_H
#define TMAP_CLI_BASELINE_H

#include "cli/cli.h"
#include "io/report/report.h"

/* What an earlier `check -f jsonl` printed: rules by record name. */
struct cli_baseline;

/* cli_baseline_read() : NULL with a message when the file is no such output. */
struct cli_baseline *cli_baseline_read(struct cli *cli, const char *path);
void cli_baseline_free(struct cli_baseline *baseline);

/* cli_baseline_apply() : allows the findings that the baseline has for a record of this name; a
 * record without a name has none. Baseline and result stay apart: nothing is kept. */
void cli_baseline_apply(const struct cli_baseline *baseline, struct io_result *result);

#endif
