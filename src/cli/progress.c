/* progress.c : see progress.h. */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void tell(const struct cli_progress *p, unsigned seconds)
{
    const unsigned long long done = atomic_load(&p->done), of = atomic_load(&p->of);
    char count[64] = "";

    if (of)
        snprintf(count, sizeof count, ", %llu of %llu", done, of);
    else if (done)
        snprintf(count, sizeof count, ", %llu done", done);
    fprintf(stderr, "%stmap %s: %u s%s%s", p->terminal ? "\r" : "", p->command, seconds, count,
            p->terminal ? "\033[K" : "\n");
    fflush(stderr);
}

/* False when the command ended before the next tick. */
static bool sleep_on(struct cli_progress *p, struct timespec *until)
{
    int how = 0;

    until->tv_sec += CLI_PROGRESS_SECONDS;
    while (!p->ended && how == 0) how = pthread_cond_timedwait(&p->wake, &p->lock, until);
    return !p->ended;
}

static void *tick(void *argument)
{
    struct cli_progress *p = argument;
    struct timespec until;
    unsigned seconds = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&p->lock);
    while (sleep_on(p, &until)) tell(p, seconds += CLI_PROGRESS_SECONDS);
    if (seconds && p->terminal) fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void cli_progress_begin(struct cli_progress *p, const char *command)
{
    pthread_condattr_t clock;

    p->command = command;
    p->terminal = isatty(STDERR_FILENO);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, &clock);
    pthread_condattr_destroy(&clock);
    p->ticking = pthread_create(&p->thread, NULL, tick, p) == 0;
}

void cli_progress_end(struct cli_progress *p)
{
    if (!p->ticking) return;
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    p->ticking = false;
}
