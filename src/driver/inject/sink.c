/* sink.c : one write per record into the parent's pipe.
 *
 * State stands in statics because an injected library has nowhere else: nobody passes it a context.
 * It is one file descriptor and the process that said hello, both atomic. */
#define _GNU_SOURCE
#include "driver/inject/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic int pipe_fd = -1;
static _Atomic uint64_t pipe_inode; /* of the pipe: a program may close or reuse our number */
static _Atomic int greeted;         /* the process that said hello; a forked child is another */

static bool is_ours(int fd)
{
    struct stat s;
    return fd >= 0 && fstat(fd, &s) == 0 && S_ISFIFO(s.st_mode) &&
           (uint64_t)s.st_ino == atomic_load(&pipe_inode);
}

static int open_pipe(void)
{
    struct stat s;
    const char *path = getenv(TRACE_PIPE);
    const int fd = path ? open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0) return -1; /* the parent is gone */
    if (fstat(fd, &s) != 0 || !S_ISFIFO(s.st_mode)) {
        close(fd);
        return -1;
    }
    /* Opened without waiting for a reader; written with waiting, so that nothing is lost. */
    fcntl(fd, F_SETFL, 0);
    atomic_store(&pipe_inode, (uint64_t)s.st_ino);
    atomic_store(&pipe_fd, fd);
    return fd;
}

/* A parent that went away must not kill the program: a SIGPIPE that we caused is taken back. */
static void write_quietly(int fd, const void *data, size_t size)
{
    const struct timespec now = {0, 0};
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t written;
    do written = write(fd, data, size);
    while (written < 0 && errno == EINTR);
    /* Where the program blocks the signal itself, one may have been pending before: it stays. */
    if (written < 0 && errno == EPIPE && !sigismember(&before, SIGPIPE))
        sigtimedwait(&pipe_signal, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The thread's number, asked for once; a forked child's thread is another. */
static uint32_t thread_number(int pid)
{
    static _Thread_local int of_pid;
    static _Thread_local uint32_t number;
    if (of_pid != pid) {
        number = (uint32_t)syscall(SYS_gettid);
        of_pid = pid;
    }
    return number;
}

static void put(struct trace_record *record, int pid)
{
    _Alignas(8) char slot[TRACE_RECORD_BYTES] = {0};
    struct timespec t;
    int fd = atomic_load(&pipe_fd);
    if (!is_ours(fd)) fd = open_pipe();
    if (fd < 0) return;
    clock_gettime(CLOCK_MONOTONIC, &t);
    record->magic = TRACE_MAGIC;
    record->pid = (uint32_t)pid;
    record->tid = thread_number(pid);
    record->time_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    memcpy(slot, record, sizeof *record);
    write_quietly(fd, slot, sizeof slot);
}

static void read_command_line(char *out, size_t cap)
{
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, out, cap - 1) : 0;
    if (fd >= 0) close(fd);
    out[n > 0 ? n : 0] = '\0';
    for (ssize_t i = 0; i + 1 < n; i++)
        if (out[i] == '\0') out[i] = ' ';
}

static void hello(int pid, enum trace_how how, int cupti_result)
{
    struct trace_record record = {.what = TRACE_PROCESS, .how = how, .result = cupti_result};
    atomic_store(&greeted, pid);
    read_command_line(record.of.text, sizeof record.of.text);
    put(&record, pid);
}

void sink_hello(enum trace_how how, int cupti_result)
{
    const int kept_errno = errno;
    hello((int)getpid(), how, cupti_result);
    errno = kept_errno;
}

void sink_send(struct trace_record *record)
{
    const int kept_errno = errno, pid = (int)getpid();
    if (atomic_load(&greeted) != pid) hello(pid, (enum trace_how)record->how, 0);
    put(record, pid);
    errno = kept_errno;
}
