/* stream.h : an input cut into the texts of its records.
 *
 * A file holds one object, an array of objects, or one object a line; cutting needs only strings
 * and brackets, so a record that is no JSON does not take its neighbours with it: reading goes on
 * behind its last bracket or, where its brackets do not close, on the next line that starts a
 * record in the same column. */
#ifndef TMAP_IO_STREAM_H
#define TMAP_IO_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#define IO_ERROR_SIZE 512
#define IO_MAX_INPUT ((size_t)1 << 29)  /* bytes of one file */
#define IO_MAX_RECORD ((size_t)1 << 20) /* bytes of one descriptor */
#define IO_MAX_DEPTH 32                 /* brackets inside brackets */

/* An input, read whole. Do not touch the members. */
struct io_stream {
    const char *file; /* as the user named it; "-" is standard input */
    char *text;       /* behind its size a zero byte */
    size_t size, at, line, line_start, record;
    int state;
    bool in_array, no_memory; /* no_memory: a reader of the whole text had none for its own */
};

/* The text of one record, or why there is none. text points into the stream. */
struct io_piece {
    const char *file, *text;
    size_t length, offset;     /* bytes; offset of text in the file */
    size_t record;             /* from 1 */
    size_t line, column;       /* of the record, from 1 */
    size_t error_line;         /* of the error, from 1 */
    char error[IO_ERROR_SIZE]; /* "" when the text is whole */
};

/* io_stream_open() : reads path ("-": standard input) whole. False with a message in error, and
 *  then there is nothing to close. path is kept. */
bool io_stream_open(struct io_stream *stream, const char *path, char error[IO_ERROR_SIZE]);

/* io_stream_from() : the same over a copy of text; file is what messages call it. */
bool io_stream_from(struct io_stream *stream, const char *file, const char *text, size_t size,
                    char error[IO_ERROR_SIZE]);

/* io_stream_next() : the next record, or what stands in its place; false at the end. An input
 *  without any record (not even an empty array) is one piece with an error. */
bool io_stream_next(struct io_stream *stream, struct io_piece *out);

/* io_stream_line() : the source line that holds offset, without its newline and at most `most`
 * bytes to either side, and at which byte of it offset is; for diagnostics. */
const char *io_stream_line(const struct io_stream *stream, size_t offset, size_t most,
                           size_t *length, size_t *within);

void io_stream_close(struct io_stream *stream);

#endif
