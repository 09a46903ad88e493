/* hog.c : products while another process holds the GPU for seconds at a time. The neighbour runs a
 * kernel that spins on every SM for 3 s, again and again; the driver deals time slices to both.
 * With no watchdog, and with one of 20 s, the results are right; one of a millisecond ends the
 * context, which shows that the waits really were interrupted (that one runs in a process of its
 * own). Prints TAP; skips where there is no GPU.
 *
 *   hog [SECONDS]     a phase, 10
 */
#include "device/gemm/rig.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { M = 4096, N = 4096, K = 4096, SPIN_S = 3 };

/* Every block spins until so many nanoseconds have gone by. */
static const char spin_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry spin(.param .u64 ns) {\n"
    ".reg .pred %p; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [ns]; mov.u64 %rd2, %globaltimer; add.u64 %rd3, %rd2, %rd1;\n"
    "again: mov.u64 %rd4, %globaltimer; setp.lt.u64 %p, %rd4, %rd3; @%p bra again; ret; }\n";

/* Tells through the pipe that the first kernel runs, and goes on until it is ended. */
static void spin_for_ever(int tell)
{
    struct rig r = {0};
    tmap_cu_module module;
    struct tmap_launch what = {.grid = 132, .threads = 1024, .cluster = 1};
    uint64_t ns = (uint64_t)SPIN_S * 1000000000u;
    void *params[] = {&ns};
    if (!rig_open(&r, 0, 0, "hog") || r.api->module_load_data(&module, spin_ptx) ||
        r.api->module_get_function(&what.function, module, "spin"))
        _exit(1);
    for (;;) {
        if (tmap_libcuda_launch(r.api, &what, params, NULL)) _exit(1);
        if (tell >= 0 && write(tell, "x", 1) == 1) tell = -1;
        if (r.api->ctx_synchronize()) _exit(1);
    }
}

/* Runs for so long: right, wrong, or the context lost. */
enum outcome { RIGHT = 0, WRONG = 1, LOST = 2, CANNOT = 3 };

static enum outcome work(uint32_t watchdog_ms, double seconds, long *runs, double *longest)
{
    struct rig r = {0};
    struct tmap_gemm_plan plan;
    const size_t bytes = (size_t)M * N * 4;
    if (!rig_open(&r, 0, watchdog_ms, "hog")) return CANNOT;
    const uint64_t a = rig_operand(&r, (size_t)M * K, 1), b = rig_operand(&r, (size_t)N * K, 3),
                   d = rig_memory(&r, bytes);
    const struct tmap_gemm_problem p = rig_problem(TMAP_GEMM_OUT_F32, M, N, K, a, b, d);
    if (!d || tmap_gemm_make_plan(r.gemm, &p, NULL, &plan, NULL) != TMAP_OK) return CANNOT;
    void *want = NULL;
    for (const double from = rig_seconds(); rig_seconds() - from < seconds; ++*runs) {
        const double start = rig_seconds();
        if (tmap_gemm_run(&plan, NULL) != TMAP_OK || r.api->ctx_synchronize()) return LOST;
        if (rig_seconds() - start > *longest) *longest = rig_seconds() - start;
        if (!want) want = rig_read(&r, d, bytes);
        if (*runs % 8 == 0 && !rig_same(&r, d, want, bytes)) return WRONG;
        rig_poison(&r, d, bytes);
    }
    free(want);
    rig_close(&r);
    return RIGHT;
}

/* In a process of its own, since a lost context stays lost; prints what it saw. */
static enum outcome apart(uint32_t watchdog_ms, double seconds)
{
    int status = 0;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        long runs = 0;
        double longest = 0;
        const enum outcome o = work(watchdog_ms, seconds, &runs, &longest);
        printf("# watchdog %u ms: outcome %d after %ld runs, the longest took %.3f s\n",
               watchdog_ms, o, runs, longest);
        fflush(stdout);
        _exit((int)o);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return CANNOT;
    return (enum outcome)WEXITSTATUS(status);
}

static pid_t start_hog(void)
{
    int ends[2];
    char c;
    if (pipe(ends)) return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        spin_for_ever(ends[1]);
    }
    close(ends[1]);
    const bool spins = pid > 0 && read(ends[0], &c, 1) == 1;
    close(ends[0]);
    return spins ? pid : -1;
}

int main(int argc, char **argv)
{
    struct rig r = {0};
    const double seconds = argc > 1 ? atof(argv[1]) : 10;
    const enum outcome alone = apart(0, 1);
    if (alone == CANNOT) return 0; /* it has said SKIP, and why */
    rig_tap(&r, alone == RIGHT, "alone");
    const pid_t hog = start_hog();
    rig_tap(&r, hog > 0, "a second process spins on the GPU, 3 s at a time");
    if (hog > 0) {
        rig_tap(&r, apart(0, seconds) == RIGHT, "beside it, with the default: no watchdog");
        rig_tap(&r, apart(20000, seconds) == RIGHT, "beside it, with a watchdog of 20 s");
        const enum outcome o = apart(1, seconds);
        printf("# a watchdog of 1 ms %s\n",
               o == LOST ? "ends the context" : "sees no wait so long");
        rig_tap(&r, o == LOST || o == RIGHT, "a watchdog of 1 ms ends in a report or not at all");
        kill(hog, SIGKILL);
        waitpid(hog, NULL, 0);
    }
    printf("1..%d\n", r.number);
    return r.failed != 0;
}
