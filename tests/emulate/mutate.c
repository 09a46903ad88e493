/* Broken PTX by the million: files of PTX are cut into single kernels, and a kernel with a few
 * mistakes in it is loaded and run with random arguments and a small budget of instructions. Every
 * case has to end in an error, a finding or a result: a crash, a sanitizer's report or a case that
 * does not end is a failure, and its text is kept.
 *
 *   mutate [--seed N] [--seconds N] [--cases N] [--shard I/N] [--keep FOLDER] FILE...
 *   mutate --seed N --case I FILE...        prints the text of one case and runs it
 *
 * Case i of shard I is the same on every machine. Prints one line of totals; exit code 1: a
 * failure. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emulate/mutate.h"

enum { PATIENCE_S = 20, KINDS = TMAP_EMULATE_BUDGET + 1 };

/* Shared with the child that runs the cases. */
struct progress {
    volatile uint64_t next, loaded, ran, finished, findings[KINDS];
};

static struct progress *progress;
static struct mutate_corpus corpus;
static uint64_t seed = 1, cases = 1000000, shard, shards = 1;
static const char *folder = ".";

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024:detect_leaks=0";
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count(const struct mutate_outcome *o)
{
    progress->loaded += o->loaded;
    progress->ran += o->ran;
    progress->finished += o->finished;
    for (int k = 0; k < KINDS; k++) progress->findings[k] += o->kinds >> k & 1;
}

static uint64_t case_number(uint64_t i)
{
    return i * shards + shard;
}

static void child(double until)
{
    while (progress->next < cases && now_s() < until) {
        const struct mutate_outcome o = mutate_case(&corpus, seed, case_number(progress->next));
        count(&o);
        progress->next++;
    }
    _exit(0);
}

/* 0: all done; else what stopped it, a signal or exit code, and -1 for a case without an end. */
static int watch(pid_t pid)
{
    uint64_t last = UINT64_MAX;
    double since = now_s();
    int status;
    for (;;) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        if (progress->next != last) last = progress->next, since = now_s();
        if (now_s() - since > PATIENCE_S) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        usleep(20000);
    }
}

static void keep(uint64_t number)
{
    char path[600];
    snprintf(path, sizeof path, "%s/case-%llu-%llu.ptx", folder, (unsigned long long)seed,
             (unsigned long long)number);
    char *text = mutate_text(&corpus, seed, number);
    FILE *f = text ? fopen(path, "w") : NULL;
    if (f) {
        fputs(text, f);
        fclose(f);
    }
    free(text);
}

static int campaign(double seconds)
{
    const double start = now_s();
    unsigned long crashes = 0, endless = 0;
    while (progress->next < cases && now_s() - start < seconds) {
        fflush(stdout);
        const pid_t pid = fork();
        if (pid == 0) child(start + seconds);
        const int why = pid < 0 ? 0 : watch(pid);
        if (pid < 0 || why == 0) break;
        crashes += why > 0;
        endless += why < 0;
        printf("# case %llu of seed %llu: %s\n", (unsigned long long)case_number(progress->next),
               (unsigned long long)seed, why < 0 ? "does not end" : "crash");
        keep(case_number(progress->next));
        progress->next++;
    }
    printf("seed %llu shard %llu/%llu: %llu cases in %.0f s, %llu loaded, %llu ran, %llu to the "
           "end, %lu crashes, %lu without an end; findings:",
           (unsigned long long)seed, (unsigned long long)shard, (unsigned long long)shards,
           (unsigned long long)progress->next, now_s() - start,
           (unsigned long long)progress->loaded, (unsigned long long)progress->ran,
           (unsigned long long)progress->finished, crashes, endless);
    for (int k = 0; k < KINDS; k++)
        printf(" %s %llu", tmap_emulate_kind_name((enum tmap_emulate_kind)k),
               (unsigned long long)progress->findings[k]);
    printf("\n");
    return crashes || endless;
}

static int one(uint64_t number)
{
    char *text = mutate_text(&corpus, seed, number);
    if (text) fputs(text, stdout);
    free(text);
    fflush(stdout);
    const struct mutate_outcome o = mutate_case(&corpus, seed, number);
    printf("// loaded %d ran %d finished %d kinds 0x%x\n", o.loaded, o.ran, o.finished, o.kinds);
    return 0;
}

int main(int argc, char **argv)
{
    double seconds = 1e9;
    const char *single = NULL;
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        const char *option = argv[i] + 2, *value = argv[i + 1];
        char *end;
        if (strcmp(option, "seed") == 0) seed = strtoull(value, NULL, 0);
        if (strcmp(option, "seconds") == 0) seconds = strtod(value, NULL);
        if (strcmp(option, "cases") == 0) cases = strtoull(value, NULL, 0);
        if (strcmp(option, "keep") == 0) folder = value;
        if (strcmp(option, "case") == 0) single = value;
        if (strcmp(option, "shard") == 0) {
            shard = strtoull(value, &end, 0);
            shards = *end == '/' ? strtoull(end + 1, NULL, 0) : 1;
        }
    }
    for (; i < argc; i++) mutate_add(&corpus, argv[i]);
    if (corpus.count == 0 || shards == 0 || shard >= shards) return 3;
    if (single) return one(strtoull(single, NULL, 0));
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return progress == MAP_FAILED ? 2 : campaign(seconds);
}
