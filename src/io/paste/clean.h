/* clean.h : what pasting leaves in a text: colours, line ends as "\n" inside a string, entities of
 * HTML, signs that no keyboard has. */
#ifndef TMAP_IO_CLEAN_H
#define TMAP_IO_CLEAN_H

#include "io/json/stream.h"

/* io_clean() : takes it out of the stream's text, which keeps its size and its lines: blanks stand
 *  there, and IO_CLEAN_LINE where a line ends inside a string. */
#define IO_CLEAN_LINE '\v'
void io_clean(struct io_stream *stream);

#endif
