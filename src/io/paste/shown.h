/* shown.h : what pasted Python shows to be wrong without a call whose numbers could be checked. */
#ifndef TMAP_IO_SHOWN_H
#define TMAP_IO_SHOWN_H

#include "io/json/stream.h"

/* io_shown() : what to tell, and its line from 1: of a slice that torch.compile() is to make a
 *  descriptor of, whose address is none that a map can have; of a buffer that copies use, with a
 *  barrier's layout. False where it shows neither, or there is no memory to look
 * (stream->no_memory). */
bool io_shown(struct io_stream *stream, char told[IO_ERROR_SIZE], size_t *line);

#endif
