/* progress.h : a sign of life on stderr while a command runs for more than two seconds: on a
 * terminal, or with --progress always. Results are not touched. */
#ifndef TMAP_CLI_PROGRESS_H
#define TMAP_CLI_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CLI_PROGRESS_SECONDS 2

/* What a command has done; zeroed before. The ticking thread only reads the counters. */
struct cli_progress {
    _Atomic uint64_t done, of; /* of what the command counts: records, runs; of 0: not known */
    const char *command;
    bool terminal, ticking, ended;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/* cli_progress_begin() : starts to tick; without a thread there is no progress, and no error. */
void cli_progress_begin(struct cli_progress *progress, const char *command);
/* cli_progress_end() : stops, and clears the terminal's line. Without a begin it does nothing. */
void cli_progress_end(struct cli_progress *progress);

#endif
