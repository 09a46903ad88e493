/* Faults planted in the products of a chip after Hopper, on that chip, one a process (a trapped
 * kernel costs the context). Those that any chip has to show must show, as wrong sums, a failed
 * launch or the watchdog's report; whether the others do is part of the record. Every control, the
 * same kernel without the fault, must be right.
 *
 *   faults_later [TEXT]     all, or those whose name has the text in it */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/gemm/planted_later.h"

extern const char image_tests_device_gemm_faults_sm100[], image_tests_device_gemm_faults_sm120[];

enum { RUNS = 20, PATIENCE_MS = 30000 };

struct told {
    int32_t family; /* -1: no usable GPU, or one with other kernels */
    struct later_outcome outcome;
};

/* In a process of its own: fault NULL asks for the family alone. */
static struct told child(const struct later_fault *fault, bool control)
{
    struct told t = {.family = -1};
    struct tmap_gemm *suite = NULL;
    char why[160];
    if (tmap_gemm_open(&(struct tmap_open){.watchdog_ms = 2000}, &suite, why, sizeof why) !=
            TMAP_OK ||
        suite->family == GEMM_SM90)
        return t;
    t.family = suite->family;
    suite->limit_ms = 300;
    if (fault)
        t.outcome = later_plant(suite,
                                t.family == GEMM_SM100 ? image_tests_device_gemm_faults_sm100
                                                       : image_tests_device_gemm_faults_sm120,
                                fault, control, RUNS);
    return t;
}

/* The parent has no device: it forks, and a forked context is no context. A child that says nothing
 * for too long is ended. */
static struct told apart(const struct later_fault *fault, bool control)
{
    struct told t = {.family = -1};
    int ends[2];
    if (pipe(ends)) return t;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        t = child(fault, control);
        const ssize_t n = write(ends[1], &t, sizeof t);
        _exit(n == (ssize_t)sizeof t ? 0 : 1);
    }
    close(ends[1]);
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    if (pid > 0 && poll(&wait, 1, PATIENCE_MS) < 1) kill(pid, SIGKILL);
    if (read(ends[0], &t, sizeof t) != (ssize_t)sizeof t) t.outcome.stage = -1;
    close(ends[0]);
    if (pid > 0) waitpid(pid, NULL, 0);
    return t;
}

int main(int argc, char **argv)
{
    const int32_t family = apart(NULL, true).family;
    int number = 0, failed = 0;
    if (family < 0) {
        printf("ok 1 # SKIP gemm faults: no GPU after Hopper or no kernels in this build\n1..1\n");
        return 0;
    }
    for (size_t i = 0; i < later_fault_count; i++) {
        const struct later_fault *f = &later_faults[i];
        if (!later_is_of(f, family) || (argc > 1 && !strstr(f->name, argv[1]))) continue;
        const struct told control = apart(f, true), found = apart(f, false);
        failed += !later_say(f, &control.outcome, &found.outcome, ++number);
    }
    printf("1..%d\n", number);
    return failed != 0;
}
