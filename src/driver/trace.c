/* trace.c : the parent of a traced program. It makes a named pipe (an inherited descriptor would
 * not survive a child that closes everything above 2), points the injection at it, and reads
 * records until the program ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/inject/wire.h"
#include "tmap/driver.h"

#define PATH_BYTES 1024
#define PIPE_BYTES (1 << 20)
#define WAKE_MS 20
#define NOT_EXECUTABLE 126
#define NOT_FOUND 127

struct trace {
    const struct tmap_trace_options *options;
    struct tmap_trace_result *result;
    char library[PATH_BYTES], directory[PATH_BYTES], pipe[PATH_BYTES + 32], link[PATH_BYTES + 32];
    int ended;     /* tells of signals that would end us: they are passed on */
    sigset_t mask; /* as it was before */
    int fd, keep;  /* our reading end, and a writing end so that it never sees the end */
    pid_t child;
    char buffer[64 * TRACE_RECORD_BYTES];
    size_t filled;
};

static enum tmap_status fail(struct trace *t, enum tmap_status status, const char *what,
                             const char *which)
{
    snprintf(t->result->why, sizeof t->result->why, "%s %.200s: %s", what, which, strerror(errno));
    return status;
}

static bool usable(char *out, const char *directory, const char *tail)
{
    const int n = snprintf(out, PATH_BYTES, "%s%s", directory, tail);
    return n > 0 && n < PATH_BYTES && access(out, R_OK) == 0;
}

static enum tmap_status find_library(struct trace *t)
{
    char self[PATH_BYTES - 64];
    if (t->options->library) {
        char *real = realpath(t->options->library, NULL);
        const bool ok = real && usable(t->library, real, "");
        free(real);
        return ok ? TMAP_OK : fail(t, TMAP_E_NOT_BUILT, "cannot read", t->options->library);
    }
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    if (usable(t->library, self, "/libtmap-trace.so") ||
        usable(t->library, self, "/../lib/libtmap-trace.so"))
        return TMAP_OK;
    return fail(t, TMAP_E_NOT_BUILT, "libtmap-trace.so is neither beside nor in ../lib of", self);
}

/* LD_PRELOAD takes spaces and colons for separators, and has no way to quote one. */
static bool separates(const char *path)
{
    return strpbrk(path, " :\t\n") != NULL;
}

/* A directory of our own, by its absolute path: the program may change its own. */
static bool make_directory(struct trace *t, const char *in)
{
    char made[PATH_BYTES];
    if (snprintf(made, sizeof made, "%s/tmap-trace-XXXXXX", in) >= (int)sizeof made) return false;
    if (!mkdtemp(made)) return false;
    char *real = realpath(made, NULL);
    const bool ok = real && !separates(real) && strlen(real) < sizeof t->directory;
    if (ok) memcpy(t->directory, real, strlen(real) + 1);
    free(real);
    if (!ok) rmdir(made);
    return ok;
}

/* A library whose path cannot stand in LD_PRELOAD is reached by a link from the directory. */
static enum tmap_status link_library(struct trace *t)
{
    if (!separates(t->library)) return TMAP_OK;
    snprintf(t->link, sizeof t->link, "%s/libtmap-trace.so", t->directory);
    char *real = realpath(t->library, NULL);
    const bool ok = real && symlink(real, t->link) == 0;
    free(real);
    return ok ? TMAP_OK : fail(t, TMAP_E_DRIVER, "cannot make", t->link);
}

static enum tmap_status make_pipe(struct trace *t)
{
    const char *temporary = getenv("TMPDIR");
    if (!(temporary && *temporary && make_directory(t, temporary)) && !make_directory(t, "/tmp"))
        return fail(t, TMAP_E_DRIVER, "cannot make a directory in", "/tmp");
    snprintf(t->pipe, sizeof t->pipe, "%s/pipe", t->directory);
    if (mkfifo(t->pipe, 0600) != 0) return fail(t, TMAP_E_DRIVER, "cannot make", t->pipe);
    t->fd = open(t->pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (t->fd >= 0) t->keep = open(t->pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (t->fd < 0 || t->keep < 0) return fail(t, TMAP_E_DRIVER, "cannot open", t->pipe);
    fcntl(t->fd, F_SETPIPE_SZ, PIPE_BYTES); /* less is slower, not wrong */
    return link_library(t);
}

/* Puts the library before what the variable already holds. */
static bool prepend(const char *variable, const char *library)
{
    const char *old = getenv(variable);
    char *joined = NULL;
    if (!old || !*old) return setenv(variable, library, 1) == 0;
    if (asprintf(&joined, "%s:%s", library, old) < 0) return false;
    const bool ok = setenv(variable, joined, 1) == 0;
    free(joined);
    return ok;
}

static void become_the_program(const struct trace *t)
{
    signal(SIGPIPE, SIG_DFL); /* the command ignores it; the program decides for itself */
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &t->mask, NULL);
    setenv(TRACE_PIPE, t->pipe, 1);
    setenv(TRACE_MODE, t->options->mode ? t->options->mode : "auto", 1);
    const char *library = t->link[0] ? t->link : t->library;
    setenv("CUDA_INJECTION64_PATH", library, 1);
    prepend("LD_PRELOAD", library);
    execvp(t->options->argv[0], t->options->argv);
    const int code = errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
    dprintf(STDERR_FILENO, "tmap trace: %s: %s\n", t->options->argv[0], strerror(errno));
    _exit(code);
}

static void deliver(struct trace *t, const struct trace_record *r)
{
    struct tmap_trace_event e = {.what = (enum tmap_trace_what)r->what,
                                 .by_cupti = r->how == TRACE_BY_CUPTI,
                                 .result = r->result,
                                 .pid = r->pid,
                                 .tid = r->tid,
                                 .time_ns = r->time_ns,
                                 .map_address = r->map_address,
                                 .map = r->map};
    if (r->what == TRACE_ENCODE) e.desc = r->of.desc;
    if (r->what == TRACE_REPLACE_ADDRESS) e.address = r->of.address;
    if (r->what == TRACE_PROCESS) e.command = r->of.text;
    t->result->processes += r->what == TRACE_PROCESS;
    t->result->calls += r->what != TRACE_PROCESS;
    t->result->failed += r->what != TRACE_PROCESS && r->result != 0;
    if (t->options->event) t->options->event(t->options->user, &e);
}

static bool valid(const struct trace_record *r)
{
    return r->magic == TRACE_MAGIC && r->what >= TRACE_PROCESS && r->what <= TRACE_REPLACE_ADDRESS;
}

static void take(struct trace *t, const char *slot)
{
    struct trace_record r;
    memcpy(&r, slot, sizeof r);
    if (!valid(&r)) {
        t->result->foreign += TRACE_RECORD_BYTES;
        return;
    }
    if (r.what == TRACE_PROCESS) r.of.text[TRACE_TEXT_BYTES - 1] = '\0';
    deliver(t, &r);
}

/* Everything that is in the pipe now. */
static void drain(struct trace *t)
{
    ssize_t n;
    while ((n = read(t->fd, t->buffer + t->filled, sizeof t->buffer - t->filled)) > 0) {
        size_t at = 0;
        t->filled += (size_t)n;
        while (t->filled - at >= TRACE_RECORD_BYTES) {
            take(t, t->buffer + at);
            at += TRACE_RECORD_BYTES;
        }
        memmove(t->buffer, t->buffer + at, t->filled - at);
        t->filled -= at;
    }
}

/* What would have ended us ends the program first, so that nothing of ours is left behind. */
static void pass_on(struct trace *t)
{
    struct signalfd_siginfo told;
    while (t->ended >= 0 && read(t->ended, &told, sizeof told) == (ssize_t)sizeof told)
        kill(t->child, (int)told.ssi_signo);
}

static void watch(struct trace *t)
{
    int status = 0;
    for (;;) {
        struct pollfd ready[] = {{.fd = t->fd, .events = POLLIN},
                                 {.fd = t->ended, .events = POLLIN}};
        poll(ready, 2, WAKE_MS);
        pass_on(t);
        const pid_t ended = waitpid(t->child, &status, WNOHANG);
        drain(t);
        if (ended == t->child || (ended < 0 && errno == ECHILD)) break;
    }
    t->result->exit_code = WIFEXITED(status)     ? WEXITSTATUS(status)
                           : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                                 : 0;
}

/* A terminal's ^C goes to the program too, and the program decides. */
static enum tmap_status run_program(struct trace *t)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigset_t endings;
    sigemptyset(&endings);
    sigaddset(&endings, SIGTERM);
    sigaddset(&endings, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &endings, &t->mask);
    t->ended = signalfd(-1, &endings, SFD_NONBLOCK | SFD_CLOEXEC);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    fflush(NULL);
    t->child = fork();
    if (t->child == 0) become_the_program(t);
    if (t->child > 0) watch(t);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (t->ended >= 0) close(t->ended);
    pthread_sigmask(SIG_SETMASK, &t->mask, NULL);
    return t->child > 0 ? TMAP_OK : fail(t, TMAP_E_DRIVER, "cannot start", t->options->argv[0]);
}

static void clean_up(struct trace *t)
{
    if (t->fd >= 0) close(t->fd);
    if (t->keep >= 0) close(t->keep);
    if (t->directory[0] == '\0') return;
    unlink(t->pipe);
    if (t->link[0]) unlink(t->link);
    rmdir(t->directory);
}

enum tmap_status tmap_trace_run(const struct tmap_trace_options *options,
                                struct tmap_trace_result *out)
{
    if (!options || !out || !options->argv || !options->argv[0]) return TMAP_E_ARGUMENT;
    struct trace *t = calloc(1, sizeof *t);
    memset(out, 0, sizeof *out);
    snprintf(out->why, sizeof out->why, "out of memory");
    if (!t) return TMAP_E_MEMORY;
    out->why[0] = '\0';
    t->options = options;
    t->result = out;
    t->fd = t->keep = t->ended = -1;
    enum tmap_status status = find_library(t);
    if (status == TMAP_OK) status = make_pipe(t);
    if (status == TMAP_OK) status = run_program(t);
    clean_up(t);
    free(t);
    return status;
}
