/* paths.h : operands that are directories. */
#ifndef TMAP_CLI_PATHS_H
#define TMAP_CLI_PATHS_H

#include "cli/cli.h"

struct cli_paths {
    char **path;
    size_t count;
};

/* cli_paths_of() : the operand itself, or a directory's *.json files by name. They belong to cli:
 *  what is said of a file at the end of a run names it too. TMAP_E_ARGUMENT, with why, where it
 *  cannot be read or has none; TMAP_E_MEMORY; then *out is empty. */
enum tmap_status cli_paths_of(struct cli *cli, const char *operand, struct cli_paths *out,
                              const char **why);

/* cli_paths_free() : all that cli has. */
void cli_paths_free(struct cli *cli);

#endif
