/* kernels_gemm.h : the matrix products, listed and verified. */
#ifndef TMAP_CLI_KERNELS_GEMM_H
#define TMAP_CLI_KERNELS_GEMM_H

#include "cli/cli.h"

#define CLI_WATCHDOG_MS 2000u /* a wrong kernel must not hang the command */

/* cli_gemm_case() : the name of case i; NULL at the end. */
const char *cli_gemm_case(size_t i);

/* cli_gemm_verify() : case i on that device, against plain sums there. */
enum cli_exit cli_gemm_verify(struct cli *cli, int device, size_t i);

/* cli_gemm_bench() : how case i is timed: the clock is another program's, which needs cublasLt. */
void cli_gemm_bench(const struct cli *cli, size_t i);

#endif
