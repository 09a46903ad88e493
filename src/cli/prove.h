/* prove.h : --prove, for commands that judge descriptors. */
#ifndef TMAP_CLI_PROVE_H
#define TMAP_CLI_PROVE_H

#include "cli/cli.h"
#include "tmap/solve.h"
#include "tmap/symbolic.h"

/* Proofs of one command. Zeroed at first; cli_prover_close() frees it. */
struct cli_prover {
    struct tmap_symbolic *context; /* NULL until the first proof */
    struct cli *cli;
    const char *name, *dir; /* of what is proved; --keep's */
    size_t kept;            /* certificates written so far */
};
void cli_prover_close(struct cli_prover *prover);

/* cli_prove_verdict() : asks Z3 for a proof of the native verdict of desc and says on stderr what
 *  came of it. Notes CLI_INTERNAL when Z3 refutes the verdict, CLI_UNDECIDED when it cannot tell.
 * With
 *  --keep DIR each question of this and the following is left there, numbered. */
void cli_prove_verdict(struct cli *cli, struct cli_prover *prover,
                       const struct tmap_checker *checker, const struct tmap_desc *desc,
                       const char *name);

/* cli_prove_repair() : what of a repair solvers can judge, on stderr: that the descriptor is
 * illegal, and why; over the fields that are no part of the tensor (the strides too where the plan
 * pads), that fewer changed fields do not suffice or, where the plan rewrites the tensor, that no
 * change of those fields alone would; that the plan's descriptor is legal; that its copies move
 * what was requested, for every tile; and that no fields of any view in the search's account cost
 * less. plan: NULL where there is none. */
void cli_prove_repair(struct cli *cli, struct cli_prover *prover,
                      const struct tmap_checker *checker, const struct tmap_desc *desc,
                      const struct tmap_request *request, const struct tmap_plan *plan,
                      const struct tmap_search_log *log, const char *name);

/* cli_prove_tile() : the same of solve's first plan: legal; its copies move the tile; and no
 * swizzle gives it, readable by the consumer, in fewer instructions. */
void cli_prove_tile(struct cli *cli, struct cli_prover *prover, const struct tmap_checker *checker,
                    const struct tmap_tile_request *request, const struct tmap_tile_plan *plan,
                    void *workspace, struct tmap_search_log *log, const char *name);

#endif
