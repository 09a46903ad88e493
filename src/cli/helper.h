/* helper.h : what asks isl or Z3 runs in a process of its own. */
#ifndef TMAP_CLI_HELPER_H
#define TMAP_CLI_HELPER_H

#include "cli/cli.h"

/* cli_helper_begin() : false in the process that is to do the work: a child, or this one where no
 *  child can be had or TMAP_HELPER=no asks for none (a debugger, a tracer of system calls). True
 *  in the parent, once the child has ended: *code is how this process ends. A child that a solver
 *  ended, by an exit code of its own or a signal, is CLI_INTERNAL with words. Nothing may be
 *  printed and no thread begun before it. The child ends with its parent. */
bool cli_helper_begin(const struct cli *cli, int *code);

#endif
