/* tmap emulate --protocol: what a kernel's warps do with barriers, from recorded runs. */
#ifndef TMAP_CLI_EMULATE_PROTOCOL_H
#define TMAP_CLI_EMULATE_PROTOCOL_H

#include "cli/cli.h"
#include "tmap/emulate.h"

/* One launch with the options as they stand, recorded; false with a message. */
typedef bool emulate_recorded(void *self, struct tmap_emulate_record *record);

/* Runs the launch, and once more for every --run with what it says in the options' place; folds the
 * records, and writes the protocol of `kernel` to the file. */
enum cli_exit emulate_protocol(struct cli *cli, const char *kernel, emulate_recorded *launch,
                               void *self);

#endif
