/* kernels_code.h : what the kernels' machine code holds, printed. */
#ifndef TMAP_CLI_KERNELS_CODE_H
#define TMAP_CLI_KERNELS_CODE_H

#include "cli/cli.h"

/* cli_code_list() : every image of the library, its kernels and what they hold. CLI_ILLEGAL when a
 *  kernel does not meet an expectation. */
enum cli_exit cli_code_list(struct cli *cli);
/* cli_code_has() : whether an image of the library has the word in its name. */
bool cli_code_has(const char *word);

/* cli_code_scan() : the same of the files that the command line names. */
enum cli_exit cli_code_scan(struct cli *cli);

/* cli_code_table() : tab-separated, one line a kernel: tests/kernels/images.tsv. */
enum cli_exit cli_code_table(struct cli *cli);

#endif
