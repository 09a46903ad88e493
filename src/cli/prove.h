/* prove.h : --prove, for commands that judge descriptors. */
#ifndef TMAP_CLI_PROVE_H
#define TMAP_CLI_PROVE_H

#include "cli/cli.h"
#include "tmap/symbolic.h"

/* cli_prove_verdict() : asks Z3 for a proof of the native verdict of desc and says on stderr what
 *  came of it; with --keep DIR the SMT-LIB file is left there. Notes CLI_INTERNAL when Z3 refutes
 *  the verdict, CLI_UNDECIDED when it cannot tell. context is made at the first call; the caller
 *  closes it. */
void cli_prove_verdict(struct cli *cli, struct tmap_symbolic **context,
                       const struct tmap_checker *checker, const struct tmap_desc *desc,
                       const char *name);

#endif
