/* version.h : what `tmap --version` prints. */
#ifndef TMAP_CLI_VERSION_H
#define TMAP_CLI_VERSION_H

#include <stdio.h>

/* cli_version() : the version, the number and hash of the rules, the default target, the solvers,
 *  and whether kernels are built in; a line each. */
void cli_version(FILE *out);

#endif
