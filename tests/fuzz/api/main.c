/* main.c : draws sequences, runs them in child processes, shrinks the one that fails.
 *
 *   api [--seconds N | --calls N] [--seed N] [--shard I/N] [--threads N] [--isl] [--plant]
 *       [--slow N] [--failures N]   a sequence may take so many seconds (10); ends after so many
 * (3) api --replay FILE         a sequence from its text, one step a line: "NAME SEED DRAWS"
 *
 * Ends with one line: calls, sequences, statuses. Exit code 1: a sequence failed; its shortest form
 * and what it ends in are printed. --plant makes "decode after encode" a failure, to show that one
 * is found and shrunk. */
#include "fuzz/api/calls.h"

#include "driver/rng.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 24, THREADS = 64, BATCH = 400, ALL = 1 << 20 };

const struct call calls[] = {
#define CALL(name, weight, statuses) {#name, weight, try_##name, statuses},
#include "fuzz/api/calls.def"
#undef CALL
};
const unsigned call_count = sizeof calls / sizeof *calls;

/* What parent and children share. */
struct shared {
    _Atomic uint64_t done, sequence[THREADS], calls[64], statuses[64];
    char where[300];
    _Atomic unsigned step; /* of the sequence of thread 0 */
};
static struct shared *shared;

static struct options {
    double seconds;
    uint64_t calls, seed, shard, shards;
    unsigned threads, slow, failures;
    bool isl, plant;
    const char *replay;
} options = {.shards = 1, .threads = 1, .seed = 1, .slow = 10, .failures = 3};

void api_broken(const char *file, int line, const char *property)
{
    snprintf(shared->where, sizeof shared->where, "%s:%d: %s", file, line, property);
    _exit(99);
}

enum tmap_status noted(struct world *w, enum tmap_status status)
{
    w->statuses |= UINT64_C(1) << (status & 63);
    atomic_fetch_add(&shared->done, 1);
    return status;
}

/* --- sequences ---------------------------------------------------------------------------------
 */

static uint32_t pick_call(uint64_t *state)
{
    unsigned all = 0, i = 0;
    for (unsigned k = 0; k < call_count; k++) all += calls[k].weight;
    unsigned at = (unsigned)(rng_step(state) % all);
    while (at >= calls[i].weight) at -= calls[i++].weight;
    return i;
}

static size_t sequence_of(uint64_t number, struct step steps[STEPS])
{
    struct rng r = rng_of(options.seed, number);
    const size_t n = 1 + rng_below(&r, STEPS);
    for (size_t i = 0; i < n; i++) steps[i] = (struct step){pick_call(&r.state), ALL, rng_next(&r)};
    return n;
}

static void statuses_hold(const struct call *call, const struct world *w)
{
    char word[8];
    for (unsigned s = 0; s < 64; s++) {
        if (!(w->statuses >> s & 1)) continue;
        snprintf(word, sizeof word, "%u ", s);
        const char *at = strstr(call->statuses, word);
        if (!at || (at > call->statuses && at[-1] != ' ')) {
            snprintf(word, sizeof word, "%u", s);
            api_broken(call->name, (int)s, "a status that the header does not name");
        }
        atomic_fetch_add(&shared->statuses[s], 1);
    }
}

static void run_steps(struct world *w, struct step *steps, size_t n)
{
    bool encoded = false;
    world_reset(w);
    w->isl = options.isl;
    for (size_t i = 0; i < n; i++) {
        const struct call *call = &calls[steps[i].call];
        w->random = steps[i].seed;
        w->draws = steps[i].draws;
        w->drawn = 0;
        w->statuses = 0;
        if (w->thread == 0) atomic_store(&shared->step, (unsigned)i);
        call->run(w);
        statuses_hold(call, w);
        atomic_fetch_add(&shared->calls[steps[i].call], 1);
        if (call->run == try_encode) encoded = true;
        if (options.plant && encoded && call->run == try_decode && w->map[0].word[0])
            api_broken("planted", 0, "decode after encode");
    }
}

/* --- children ----------------------------------------------------------------------------------
 */

static void limit_cpu(unsigned seconds)
{
    const struct itimerval t = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &t, NULL);
}

struct part {
    uint64_t first, skip;
    unsigned thread;
};

static void *run_part(void *of)
{
    const struct part *p = of;
    struct world w;
    struct step steps[STEPS];
    world_open(&w);
    w.thread = p->thread;
    for (uint64_t i = p->skip + p->thread; i < BATCH; i += options.threads) {
        atomic_store(&shared->sequence[p->thread], p->first + i);
        if (options.threads == 1) limit_cpu(options.slow);
        run_steps(&w, steps, sequence_of(p->first + i, steps));
    }
    world_close(&w);
    return NULL;
}

static void run_batch(uint64_t first, uint64_t skip)
{
    struct part part[THREADS];
    pthread_t thread[THREADS];
    for (unsigned t = 0; t < options.threads; t++) part[t] = (struct part){first, skip, t};
    if (options.threads == 1) {
        run_part(&part[0]);
        return;
    }
    for (unsigned t = 0; t < options.threads; t++)
        if (pthread_create(&thread[t], NULL, run_part, &part[t])) abort();
    for (unsigned t = 0; t < options.threads; t++) pthread_join(thread[t], NULL);
}

/* Runs n steps, or without any the sequences of a batch from the skip-th on. 0: all held. Else the
 * child's wait status. */
static int in_child(struct step *steps, size_t n, uint64_t first, uint64_t skip)
{
    int status = 0;
    shared->where[0] = 0;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0) abort();
    if (pid == 0) {
        struct world w;
        if (!steps) {
            run_batch(first, skip);
            exit(0); /* so that leaks are looked for */
        }
        if (!options.replay && !freopen("/dev/null", "w", stderr)) _exit(98);
        limit_cpu(options.slow);
        world_open(&w);
        run_steps(&w, steps, n);
        world_close(&w);
        exit(0);
    }
    waitpid(pid, &status, 0);
    return status;
}

/* --- shrinking ---------------------------------------------------------------------------------
 */

/* Leaves out runs of steps, longest first, as long as what is left still fails. */
static size_t fewer_steps(struct step *steps, size_t n)
{
    struct step less[STEPS];
    for (size_t run = n; run > 0; run /= 2) {
        for (size_t at = 0; at + run <= n;) {
            memcpy(less, steps, at * sizeof *less);
            memcpy(less + at, steps + at + run, (n - at - run) * sizeof *less);
            if (n > run && in_child(less, n - run, 0, 0) != 0) {
                n -= run;
                memcpy(steps, less, n * sizeof *less);
            } else {
                at += run;
            }
        }
    }
    return n;
}

/* As few draws a step as fail; what is not drawn is plain. */
static void fewer_draws(struct step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t low = 0, high = 512;
        steps[i].draws = high;
        if (in_child(steps, n, 0, 0) == 0) {
            steps[i].draws = ALL;
            continue;
        }
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            steps[i].draws = middle;
            if (in_child(steps, n, 0, 0) != 0)
                high = middle;
            else
                low = middle + 1;
        }
        steps[i].draws = high;
        if (in_child(steps, n, 0, 0) == 0) steps[i].draws = 512; /* not monotone */
    }
}

static void print_steps(const struct step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%s 0x%llx %u\n", calls[steps[i].call].name, (unsigned long long)steps[i].seed,
               steps[i].draws);
}

/* A search that took its time is no failure; which one it was is said. */
static bool is_slow(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
}

static void report(uint64_t number, int status)
{
    struct step steps[STEPS];
    size_t n = sequence_of(number, steps);
    if (is_slow(status)) {
        printf("# sequence %llu of seed %llu takes more than %u s of a processor\n",
               (unsigned long long)number, (unsigned long long)options.seed, options.slow);
        const unsigned last = atomic_load(&shared->step);
        if (last < n && options.threads == 1) print_steps(steps, last + 1);
        return;
    }
    printf("# sequence %llu of seed %llu fails (wait status 0x%x)\n", (unsigned long long)number,
           (unsigned long long)options.seed, (unsigned)status);
    if (in_child(steps, n, 0, 0) == 0) {
        printf("# ... but not alone: memory lost, threads, or what came before it\n");
        return;
    }
    n = fewer_steps(steps, n);
    fewer_draws(steps, n);
    n = fewer_steps(steps, n);
    const int last = in_child(steps, n, 0, 0);
    printf("# shortest: %s (wait status 0x%x)\n",
           shared->where[0] ? shared->where : "a crash, a sanitizer's report, or no end",
           (unsigned)last);
    print_steps(steps, n);
}

/* --- the run -----------------------------------------------------------------------------------
 */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool enough(double from)
{
    if (options.calls && atomic_load(&shared->done) >= options.calls) return true;
    return options.seconds > 0 && now() - from >= options.seconds;
}

static int explore(void)
{
    const double from = now();
    uint64_t batch = options.shard, skip = 0;
    unsigned failures = 0, slow = 0;
    while (!enough(from) && failures < options.failures) {
        const int status = in_child(NULL, 0, batch * BATCH, skip);
        for (unsigned t = 0; status != 0 && t < options.threads; t++)
            report(atomic_load(&shared->sequence[t]), status);
        failures += status != 0 && !is_slow(status);
        slow += is_slow(status);
        fflush(stdout);
        skip = is_slow(status) ? atomic_load(&shared->sequence[0]) - batch * BATCH + 1 : 0;
        if (skip == 0 || skip >= BATCH || options.threads > 1) batch += options.shards, skip = 0;
    }
    printf("# statuses:");
    for (unsigned s = 0; s < 64; s++)
        if (shared->statuses[s])
            printf(" %u: %llu", s, (unsigned long long)atomic_load(&shared->statuses[s]));
    printf("\n# steps:");
    for (unsigned c = 0; c < call_count; c++)
        printf(" %s %llu", calls[c].name, (unsigned long long)atomic_load(&shared->calls[c]));
    printf("\napi: seed %llu shard %llu/%llu: %llu calls in %.0f s, %u slow, %u failed\n",
           (unsigned long long)options.seed, (unsigned long long)options.shard,
           (unsigned long long)options.shards, (unsigned long long)atomic_load(&shared->done),
           now() - from, slow, failures);
    return failures > 0;
}

static int replay(void)
{
    struct step steps[STEPS];
    char name[40];
    unsigned long long seed;
    size_t n = 0;
    FILE *f = fopen(options.replay, "r");
    if (!f) return 2;
    while (n < STEPS && fscanf(f, " %39s %llx %u", name, &seed, &steps[n].draws) == 3) {
        steps[n].seed = seed;
        steps[n].call = call_count;
        for (unsigned c = 0; c < call_count; c++)
            if (strcmp(calls[c].name, name) == 0) steps[n].call = c;
        if (steps[n].call == call_count) return 2;
        n++;
    }
    fclose(f);
    const int status = in_child(steps, n, 0, 0);
    printf("api: %zu steps, %s %s\n", n, status ? "FAILED" : "held", shared->where);
    return status != 0;
}

static bool read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : "";
        unsigned long long shard, shards;
        if (!strcmp(a, "--isl"))
            options.isl = true;
        else if (!strcmp(a, "--plant"))
            options.plant = true;
        else if (i++, !strcmp(a, "--seconds"))
            options.seconds = atof(v);
        else if (!strcmp(a, "--calls"))
            options.calls = strtoull(v, NULL, 0);
        else if (!strcmp(a, "--seed"))
            options.seed = strtoull(v, NULL, 0);
        else if (!strcmp(a, "--threads"))
            options.threads = (unsigned)atoi(v);
        else if (!strcmp(a, "--slow"))
            options.slow = (unsigned)atoi(v);
        else if (!strcmp(a, "--failures"))
            options.failures = (unsigned)atoi(v);
        else if (!strcmp(a, "--replay"))
            options.replay = v;
        else if (!strcmp(a, "--shard") && sscanf(v, "%llu/%llu", &shard, &shards) == 2)
            options.shard = shard, options.shards = shards;
        else
            return false;
    }
    return options.threads >= 1 && options.threads <= THREADS && options.shard < options.shards &&
           options.slow > 0 && (options.calls || options.seconds > 0 || options.replay);
}

int main(int argc, char **argv)
{
    if (!read_options(argc, argv)) {
        fprintf(stderr, "usage: api (--seconds N | --calls N) [--seed N] [--shard I/N] "
                        "[--threads N] [--slow N] [--failures N] [--isl] [--plant] | "
                        "--replay FILE\n");
        return 3;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    draw_prepare();
    return options.replay ? replay() : explore();
}
