/* symbolic_input.h : the symbolic descriptors of a command's files. */
#ifndef TMAP_CLI_SYMBOLIC_INPUT_H
#define TMAP_CLI_SYMBOLIC_INPUT_H

#include "cli/paths.h"
#include "cli/cli.h"
#include "io/json/symbolic.h"

enum { CLI_MAX_SYMBOLIC = 64 };

/* All records; unreadable ones are reported and noted, and keep their place with their error. */
struct cli_symbolic {
    struct cli_paths *paths; /* of each operand */
    size_t n_paths;
    bool too_many; /* descriptors: said, and no more are read */
    size_t n, n_streams, n_assume;
    struct io_stream *stream;
    struct io_record *record; /* [n] */
    struct tmap_symbolic_desc *desc;
    const char **assume; /* [n_assume]; the first n_own are the records', then those of --assume */
    size_t n_own, assume_room;
};

/* cli_symbolic_read() : operands, or standard input. False: nothing to work on (the exit code is
 *  noted). Either way cli_symbolic_free() is called. */
bool cli_symbolic_read(struct cli *cli, struct cli_symbolic *out);
void cli_symbolic_free(struct cli_symbolic *input);
/* cli_symbolic_compact() : only the readable records stay. */
void cli_symbolic_compact(struct cli_symbolic *input);

/* cli_symbolic_context() : a context with --budget; NULL with the exit code noted. */
struct tmap_symbolic *cli_symbolic_context(struct cli *cli);

/* cli_symbolic_trouble() : says why a question of the context failed and notes its exit code. */
void cli_symbolic_trouble(struct cli *cli, const struct tmap_symbolic *context,
                          enum tmap_status status, const char *what);

/* cli_symbolic_text() : the text that write() gives, in memory that the caller frees; NULL with the
 *  trouble noted. write follows snprintf. */
char *cli_symbolic_text(struct cli *cli, struct tmap_symbolic *context,
                        enum tmap_status (*write)(void *user, char *at, size_t cap, size_t *length),
                        void *user, const char *what);

#endif
