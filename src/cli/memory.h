/* memory.h : what libraries of others do in this process when memory is gone. */
#ifndef TMAP_CLI_MEMORY_H
#define TMAP_CLI_MEMORY_H

/* cli_memory_begin() : before anything else: from here on jansson and GMP end the command with
 *  words and the exit code of a failure where they find no memory. */
void cli_memory_begin(void);

#endif
