/* given.h : a descriptor said by options: --dtype bf16 --dim 4096,8192 --box 64,128; or a requested
 * tile: --dtype bf16 --dim 4096,8192 --tile 64,128 --consumer wgmma_k_major. */
#ifndef TMAP_CLI_GIVEN_H
#define TMAP_CLI_GIVEN_H

#include "cli/cli.h"
#include "io/json/stream.h"

/* cli_is_given() : whether an option says a field of a descriptor, or a tile. */
bool cli_is_given(const struct cli *cli);

/* cli_given() : the options as one JSON object, so that what JSON may leave out, options may too,
 *  and a mistake is said in the same words. False with the exit code noted where there is no
 *  memory. io_stream_close() the stream. */
bool cli_given(struct cli *cli, struct io_stream *stream);

#endif
