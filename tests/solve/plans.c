/* plans : the campaign of make prove-plans, for a machine of many cores.
 *
 *     plans [--repairs N] [--solves N] [--seed N] [--shard I/N] [--jobs N] [--seconds N]
 *
 * Tries requests 0 to N - 1 of each kind (support/plan_trial.h), shard I those whose number is I
 * modulo N, on so many processes, and stops where the seconds are over. One line at the end: what
 * was tried and how many requests have a wrong plan, which are named before it. Exit status 1 where
 * there is one, or a process died. */
#include "support/plan_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct options {
    uint64_t repairs, solves, seed, shard, shards, jobs, seconds;
};

struct counts {
    struct tally repairs, solves;
    long wrong;
};

static struct trials trials;

static bool over(const struct options *o, time_t begun)
{
    return o->seconds && (uint64_t)(time(NULL) - begun) >= o->seconds;
}

static void say(const struct options *o, const char *what, const char *wrong, long *count)
{
    if (!wrong) return;
    ++*count;
    printf("WRONG %s of seed %llu: %s\n", what, (unsigned long long)o->seed, wrong);
    fflush(stdout);
}

/* Every `by`-th request from `from`; requests of both kinds in the proportion asked for. */
static void work(const struct options *o, uint64_t from, uint64_t by, struct counts *c)
{
    const time_t begun = time(NULL);
    const uint64_t each = o->solves ? o->repairs / o->solves + 1 : 1;
    uint64_t solve = from;
    for (uint64_t n = 0, repair = from; repair < o->repairs || solve < o->solves; n++) {
        if (n % 16 == 0 && over(o, begun)) return;
        const bool tile = solve < o->solves && (n % each == 0 || repair >= o->repairs);
        trials.tally = tile ? c->solves : c->repairs;
        if (tile)
            say(o, "solve", try_tile(&trials, o->seed, solve), &c->wrong);
        else if (repair < o->repairs)
            say(o, "repair", try_repair(&trials, o->seed, repair), &c->wrong);
        *(tile ? &c->solves : &c->repairs) = trials.tally;
        *(tile ? &solve : &repair) += by;
    }
}

static void add(struct tally *a, const struct tally *b)
{
    a->requests += b->requests;
    a->without += b->without;
    a->plans += b->plans;
    a->kept += b->kept;
    a->stores_run += b->stores_run;
    for (int i = 0; i < 3; i++) a->kinds[i] += b->kinds[i];
}

/* All processes; the number of those that did not come to their end. */
static uint64_t work_in_processes(const struct options *o, struct counts *all)
{
    uint64_t done = 0;
    struct counts c;
    int pipes[2];
    if (pipe(pipes)) return o->jobs;
    for (uint64_t j = 0; j < o->jobs; j++) {
        if (fork() != 0) continue;
        memset(&c, 0, sizeof c);
        work(o, o->shard + o->shards * j, o->shards * o->jobs, &c);
        _exit(write(pipes[1], &c, sizeof c) == sizeof c ? 0 : 1);
    }
    close(pipes[1]);
    while (read(pipes[0], &c, sizeof c) == sizeof c) {
        add(&all->repairs, &c.repairs);
        add(&all->solves, &c.solves);
        all->wrong += c.wrong;
        done++;
    }
    while (wait(NULL) > 0) continue;
    return o->jobs - done;
}

static void print_tally(const char *what, const struct tally *t)
{
    printf("%ld %s: %ld plans (%ld free, %ld padding, %ld decision), %ld keep the layout, %ld "
           "stores run, %ld without a plan; ",
           t->requests, what, t->plans, t->kinds[0], t->kinds[1], t->kinds[2], t->kept,
           t->stores_run, t->without);
}

static bool read_option(struct options *o, const char *name, const char *value)
{
    const struct {
        const char *name;
        uint64_t *to;
    } all[] = {{"--repairs", &o->repairs},
               {"--solves", &o->solves},
               {"--seed", &o->seed},
               {"--jobs", &o->jobs},
               {"--seconds", &o->seconds}};
    char *end;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(name, all[i].name) != 0) continue;
        *all[i].to = strtoull(value, &end, 10);
        return *value && !*end;
    }
    if (strcmp(name, "--shard") != 0) return false;
    o->shard = strtoull(value, &end, 10);
    if (*end++ != '/') return false;
    o->shards = strtoull(end, &end, 10);
    return !*end && o->shard < o->shards;
}

int main(int argc, char **argv)
{
    struct options o = {1000000, 100000, 1, 0, 1, 1, 0};
    struct counts c = {0};
    const time_t begun = time(NULL);
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !read_option(&o, argv[i], argv[i + 1]) || o.jobs == 0) {
            fprintf(stderr, "plans: %s: see the head of tests/solve/plans.c\n", argv[i]);
            return 3;
        }
    const uint64_t died = work_in_processes(&o, &c);
    printf("seed %llu, shard %llu/%llu: ", (unsigned long long)o.seed, (unsigned long long)o.shard,
           (unsigned long long)o.shards);
    print_tally("repairs", &c.repairs);
    print_tally("solves", &c.solves);
    printf("%ld wrong, %llu processes died, %ld s\n", c.wrong, (unsigned long long)died,
           (long)(time(NULL) - begun));
    return c.wrong || died;
}
