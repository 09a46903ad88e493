/* oracle.c : the differential run. Chunks are handed out by a counter; what a chunk holds depends
 * on the seed and its number alone, so threads change the order of work and nothing else. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/compare.h"
#include "driver/driver.h"
#include "driver/generate.h"

#define LEARN_EFFORT 200000
#define MAX_THREADS 256
#define TABLE_BITS_A_DESCRIPTOR 64 /* few enough hashes fall together */

/* A set of hashes as one bit each. A set bit stands for at least one distinct hash, so the number
 * of set bits never overstates. */
struct hash_set {
    _Atomic uint64_t *words;
    uint64_t mask; /* of bit numbers */
};

/* What workers share: all threads of a process, or the processes of a run. */
struct counters {
    _Atomic uint64_t next_chunk, done, disagreements;
    _Atomic bool failed;
};

struct shared {
    struct tmap_driver *driver;
    const struct tmap_oracle_options *options;
    struct generator generator;
    struct hash_set seen;
    uint64_t chunks;
    double start, deadline;
    struct counters *counters;
};

struct worker {
    pthread_t thread;
    struct shared *shared;
    struct item *items;
    struct tmap_oracle_result tally;
    enum agreement kept_how[TMAP_ORACLE_KEPT];
    bool first;
};

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Memory that children see too, all zeros; pages nobody touches cost nothing. */
static void *shared_memory(size_t size)
{
    void *at =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static bool hash_set_open(struct hash_set *set, uint64_t descriptors)
{
    uint64_t bits = UINT64_C(1) << 20;
    while (bits < descriptors * TABLE_BITS_A_DESCRIPTOR && bits < UINT64_C(1) << 36) bits *= 2;
    set->mask = bits - 1;
    set->words = shared_memory(bits / 8);
    return set->words != NULL;
}

static void hash_set_close(struct hash_set *set)
{
    if (set->words) munmap((void *)set->words, (set->mask + 1) / 8);
}

static bool hash_set_add(struct hash_set *set, uint64_t hash)
{
    const uint64_t at = hash & set->mask, bit = UINT64_C(1) << (at & 63);
    return !(atomic_fetch_or_explicit(&set->words[at / 64], bit, memory_order_relaxed) & bit);
}

static void keep(struct worker *w, const struct item *item, enum agreement how, uint64_t number)
{
    struct tmap_oracle_result *t = &w->tally;
    atomic_fetch_add_explicit(&w->shared->counters->disagreements, 1, memory_order_relaxed);
    if (how == DIFFERENT_VERDICT)
        t->verdict_disagreements++;
    else
        t->byte_disagreements++;
    if (t->kept_count == TMAP_ORACLE_KEPT) return;
    w->kept_how[t->kept_count] = how;
    t->kept[t->kept_count++] = (struct tmap_disagreement){.desc = item->desc, .number = number};
}

static void count_bound(struct worker *w, const struct item *item, bool accepted, bool fresh)
{
    struct tmap_oracle_result *t = &w->tally;
    if (item->side == SIDE_NONE || accepted != item->legal) return;
    t->bound_count++;
    t->bound_distinct_at_least += fresh;
    if (item->row < TMAP_ORACLE_ROWS) t->row_side[item->row][item->side]++;
}

static void try_one(struct worker *w, const struct item *item, uint64_t number)
{
    struct shared *s = w->shared;
    struct tmap_oracle_result *t = &w->tally;
    struct comparison c;
    const uint64_t hash = desc_hash(&item->desc);
    const uint8_t dirt = (uint8_t)(hash >> 56); /* a buffer nobody cleared */
    const enum agreement how =
        compare(&s->driver->gpu.api, &s->generator.driver, &item->desc, dirt, &c);
    const bool accepted = c.driver.code == TMAP_CU_SUCCESS;
    if (c.driver.code == CALL_NOT_ASKED) {
        t->not_asked++;
        return;
    }
    /* Of those asked alone: bits of others would make the sum depend on the order. */
    const bool fresh = hash_set_add(&s->seen, hash);
    t->count++;
    t->distinct_at_least += fresh;
    t->by_kind[item->desc.kind][!accepted]++;
    t->by_source[item->source]++;
    if (!accepted && !(item->desc.flags & TMAP_NULL_MAP) && !call_left_alone(&c.driver, dirt))
        t->refused_but_written++;
    if (!accepted && c.driver.code != TMAP_CU_INVALID_VALUE) t->other_codes++;
    count_bound(w, item, accepted, fresh);
    if (how != AGREE) keep(w, item, how, number);
}

static void report_progress(struct shared *s)
{
    const struct tmap_oracle_progress p = {
        atomic_load(&s->counters->done), s->chunks * GENERATE_CHUNK,
        atomic_load(&s->counters->disagreements), now_seconds() - s->start};
    if (s->options->progress) s->options->progress(s->options->user, &p);
}

static bool finished(struct shared *s)
{
    const uint64_t limit = s->options->stop_after;
    if (atomic_load(&s->counters->failed)) return true;
    if (limit && atomic_load(&s->counters->disagreements) >= limit) return true;
    return s->deadline > 0 && now_seconds() > s->deadline;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct shared *s = w->shared;
    double said = s->start;
    if (s->driver->gpu.api.ctx_set_current(s->driver->gpu.context) != TMAP_CU_SUCCESS) {
        atomic_store(&s->counters->failed, true);
        return NULL;
    }
    while (!finished(s)) {
        const uint64_t chunk = atomic_fetch_add(&s->counters->next_chunk, 1);
        if (chunk >= s->chunks) break;
        generator_chunk(&s->generator, chunk, w->items);
        for (int i = 0; i < GENERATE_CHUNK; i++)
            try_one(w, &w->items[i], chunk * GENERATE_CHUNK + (uint64_t)i);
        atomic_fetch_add(&s->counters->done, GENERATE_CHUNK);
        if (!w->first || now_seconds() - said < 5) continue;
        said = now_seconds();
        report_progress(s);
    }
    return NULL;
}

static void add_up(struct tmap_oracle_result *out, const struct tmap_oracle_result *t)
{
    out->count += t->count;
    out->distinct_at_least += t->distinct_at_least;
    out->bound_count += t->bound_count;
    out->bound_distinct_at_least += t->bound_distinct_at_least;
    out->verdict_disagreements += t->verdict_disagreements;
    out->byte_disagreements += t->byte_disagreements;
    out->refused_but_written += t->refused_but_written;
    out->other_codes += t->other_codes;
    out->not_asked += t->not_asked;
    for (int i = 0; i < 6; i++) out->by_kind[i / 2][i % 2] += t->by_kind[i / 2][i % 2];
    for (int i = 0; i < SOURCES; i++) out->by_source[i] += t->by_source[i];
    for (int i = 0; i < 2 * TMAP_ORACLE_ROWS; i++)
        out->row_side[i / 2][i % 2] += t->row_side[i / 2][i % 2];
}

static void describe(const struct tmap_libcuda *api, const struct tmap_checker *checker,
                     const struct tmap_desc *desc, enum agreement how,
                     struct tmap_disagreement *out)
{
    struct comparison c;
    out->desc = *desc;
    out->shrunk = shrink(api, checker, desc, how);
    compare(api, checker, &out->shrunk, 0, &c);
    out->result = c.driver.code;
    out->verdict = c.verdict;
    out->bytes = how == DIFFERENT_BYTES;
    out->driver_map = c.driver.map;
    out->tmap_map = c.map;
}

static bool same_shape(const struct tmap_disagreement *a, const struct tmap_disagreement *b)
{
    return a->bytes == b->bytes && a->result == b->result &&
           desc_hash(&a->shrunk) == desc_hash(&b->shrunk);
}

/* The worker whose next kept one has the lowest number; each worker's are in order. NULL: no more.
 */
static struct worker *lowest(struct worker *workers, unsigned n, const size_t *at)
{
    struct worker *best = NULL;
    uint64_t number = UINT64_MAX;
    for (unsigned i = 0; i < n; i++) {
        const struct tmap_oracle_result *t = &workers[i].tally;
        if (at[i] == t->kept_count || t->kept[at[i]].number >= number) continue;
        number = t->kept[at[i]].number;
        best = &workers[i];
    }
    return best;
}

/* The first few of all threads, shrunk, without repeats. */
static void collect_kept(struct shared *s, struct worker *workers, unsigned n,
                         struct tmap_oracle_result *out)
{
    /* With one thread the first few are all that is known: a block must not depend on threads. */
    size_t at[MAX_THREADS] = {0}, left = s->options->each ? TMAP_ORACLE_KEPT : SIZE_MAX;
    struct worker *w;
    for (; out->kept_count < TMAP_ORACLE_KEPT && left && (w = lowest(workers, n, at)); left--) {
        const size_t k = at[w - workers]++;
        struct tmap_disagreement d;
        bool repeated = false;
        describe(&s->driver->gpu.api, &s->generator.driver, &w->tally.kept[k].desc, w->kept_how[k],
                 &d);
        d.number = w->tally.kept[k].number;
        for (size_t j = 0; j < out->kept_count; j++)
            repeated = repeated || same_shape(&out->kept[j], &d);
        if (!repeated) out->kept[out->kept_count++] = d;
    }
}

static enum tmap_status run_workers(struct shared *s, struct worker *workers, unsigned n)
{
    unsigned started = 0;
    enum tmap_status status = TMAP_OK;
    for (; started < n; started++) {
        struct worker *w = &workers[started];
        w->shared = s;
        w->first = started == 0;
        w->items = calloc(GENERATE_CHUNK, sizeof *w->items);
        if (!w->items || pthread_create(&w->thread, NULL, work, w) != 0) {
            free(w->items);
            status = TMAP_E_MEMORY;
            atomic_store(&s->counters->failed, true);
            break;
        }
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        free(workers[i].items);
    }
    return status == TMAP_OK && atomic_load(&s->counters->failed) ? TMAP_E_DRIVER : status;
}

static unsigned thread_count(unsigned wanted)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned n = wanted ? wanted : processors > 0 ? (unsigned)processors : 1;
    return n < MAX_THREADS ? n : MAX_THREADS;
}

static enum tmap_status run(struct shared *s, unsigned threads, struct tmap_oracle_result *out)
{
    struct worker *workers = calloc(threads, sizeof *workers);
    if (!workers) return TMAP_E_MEMORY;
    s->start = now_seconds();
    if (s->options->seconds > 0) s->deadline = s->start + s->options->seconds;
    const enum tmap_status status = run_workers(s, workers, threads);
    if (status == TMAP_OK) {
        out->seconds = now_seconds() - s->start;
        out->threads = threads;
        for (unsigned i = 0; i < threads; i++) add_up(out, &workers[i].tally);
        s->driver->gpu.api.ctx_set_current(s->driver->gpu.context);
        collect_kept(s, workers, threads, out);
        report_progress(s);
    }
    free(workers);
    return status;
}

/* From which chunk to before which. */
static void begin(struct shared *s)
{
    const uint64_t first = s->options->first / GENERATE_CHUNK;
    s->chunks = first + (s->options->count + GENERATE_CHUNK - 1) / GENERATE_CHUNK;
    atomic_store(&s->counters->next_chunk, first);
}

/* Block after block, each told on its own. */
static enum tmap_status run_blocks(struct shared *s, unsigned threads,
                                   struct tmap_oracle_result *out)
{
    const struct tmap_oracle_options *o = s->options;
    const uint64_t end = s->chunks, size = (o->block + GENERATE_CHUNK - 1) / GENERATE_CHUNK;
    uint64_t at = o->first / GENERATE_CHUNK;
    enum tmap_status status = TMAP_OK;
    for (; at < end && status == TMAP_OK; at += size) {
        struct tmap_oracle_result part = {0};
        atomic_store(&s->counters->next_chunk, at);
        s->chunks = end - at < size ? end : at + size;
        status = run(s, threads, &part);
        if (status != TMAP_OK) break;
        add_up(out, &part);
        out->seconds += part.seconds;
        out->threads = threads;
        o->each(o->user, at / size, &part);
    }
    return status;
}

enum tmap_status tmap_oracle_run(struct tmap_driver *driver,
                                 const struct tmap_oracle_options *options,
                                 struct tmap_oracle_result *out)
{
    if (!driver || !options || !out) return TMAP_E_ARGUMENT;
    struct counters counters = {0};
    struct shared s = {.driver = driver, .options = options, .counters = &counters};
    struct tmap_oracle_result result = {0};
    const double start = now_seconds();
    enum tmap_status status = generator_open(&s.generator, &driver->target, options->seed,
                                             LEARN_EFFORT, options->real, options->real_count);
    if (status != TMAP_OK) return status;
    result.learn_seconds = now_seconds() - start;
    begin(&s);
    status = hash_set_open(&s.seen, options->count) ? TMAP_OK : TMAP_E_MEMORY;
    if (status == TMAP_OK)
        status = (options->each && options->block ? run_blocks : run)(
            &s, thread_count(options->threads), &result);
    hash_set_close(&s.seen);
    generator_close(&s.generator);
    if (status == TMAP_OK) *out = result;
    return status;
}

/* --- processes -------------------------------------------------------------------------------*/

/* What parent and children share. A driver that locks inside a refused call lets one thread of a
 * process at it at a time; processes do not wait for each other. */
struct block {
    struct counters counters;
    char why[TMAP_DRIVER_TEXT];
    struct tmap_oracle_result tally[];
};

static enum tmap_status child_run(struct shared *s, const char *path, int ordinal,
                                  struct block *block, unsigned number)
{
    struct tmap_oracle_result *out = &block->tally[number];
    struct worker w = {.shared = s, .items = calloc(GENERATE_CHUNK, sizeof *w.items)};
    enum tmap_status status = tmap_driver_open(path, ordinal, &s->driver, block->why);
    if (status != TMAP_OK || !w.items) return status != TMAP_OK ? status : TMAP_E_MEMORY;
    const double start = now_seconds();
    status = generator_open(&s->generator, &s->driver->target, s->options->seed, LEARN_EFFORT,
                            s->options->real, s->options->real_count);
    if (status != TMAP_OK) return status;
    w.tally.learn_seconds = now_seconds() - start;
    work(&w);
    *out = w.tally;
    out->kept_count = 0;
    collect_kept(s, &w, 1, out);
    return TMAP_OK;
}

/* _exit: a forked child must not run what the parent registered for its end. */
static pid_t start_child(struct shared *s, const char *path, int ordinal, struct block *block,
                         unsigned number)
{
    const pid_t child = fork();
    if (child != 0) return child;
    const enum tmap_status status = child_run(s, path, ordinal, block, number);
    if (status != TMAP_OK) atomic_store(&block->counters.failed, true);
    _exit((int)status);
}

/* The first child that failed gives the status; one that was killed is a driver's doing. */
static enum tmap_status wait_for_children(struct shared *s, unsigned running)
{
    enum tmap_status first = TMAP_OK;
    double said = now_seconds();
    while (running > 0) {
        int how = 0;
        const pid_t ended = waitpid(-1, &how, WNOHANG);
        if (ended > 0) {
            const int code = WIFEXITED(how) ? WEXITSTATUS(how) : TMAP_E_DRIVER;
            if (code != 0) atomic_store(&s->counters->failed, true);
            if (first == TMAP_OK) first = (enum tmap_status)code;
            running--;
            continue;
        }
        usleep(20000);
        if (now_seconds() - said < 5) continue;
        said = now_seconds();
        report_progress(s);
    }
    return first;
}

static void add_children(struct shared *s, const struct block *block, unsigned n,
                         struct tmap_oracle_result *out)
{
    memset(out, 0, sizeof *out);
    out->seconds = now_seconds() - s->start;
    out->threads = n;
    for (unsigned i = 0; i < n; i++) {
        add_up(out, &block->tally[i]);
        out->learn_seconds = block->tally[i].learn_seconds;
        for (size_t k = 0; k < block->tally[i].kept_count; k++)
            if (out->kept_count < TMAP_ORACLE_KEPT)
                out->kept[out->kept_count++] = block->tally[i].kept[k];
    }
    report_progress(s);
}

enum tmap_status tmap_oracle_run_processes(const char *path, int ordinal,
                                           const struct tmap_oracle_options *options,
                                           struct tmap_oracle_result *out,
                                           char why[TMAP_DRIVER_TEXT])
{
    if (!options || !out || !why) return TMAP_E_ARGUMENT;
    const unsigned n = thread_count(options->threads);
    const size_t size = sizeof(struct block) + n * sizeof(struct tmap_oracle_result);
    struct block *block = shared_memory(size);
    struct shared s = {.options = options, .start = now_seconds()};
    why[0] = '\0';
    if (!block) return TMAP_E_MEMORY;
    s.counters = &block->counters;
    begin(&s);
    if (options->seconds > 0) s.deadline = s.start + options->seconds;
    enum tmap_status status = hash_set_open(&s.seen, options->count) ? TMAP_OK : TMAP_E_MEMORY;
    unsigned started = 0;
    while (status == TMAP_OK && started < n && start_child(&s, path, ordinal, block, started) > 0)
        started++;
    if (status == TMAP_OK && started == 0) status = TMAP_E_DRIVER;
    const enum tmap_status ended = wait_for_children(&s, started);
    if (status == TMAP_OK) status = ended;
    if (status == TMAP_OK) add_children(&s, block, n, out);
    memcpy(why, block->why, sizeof block->why);
    hash_set_close(&s.seen);
    munmap(block, size);
    return status;
}

enum tmap_status tmap_oracle_shrink(struct tmap_driver *driver, const struct tmap_desc *desc,
                                    struct tmap_disagreement *out)
{
    if (!driver || !desc || !out) return TMAP_E_ARGUMENT;
    struct comparison c;
    const enum agreement how = compare(&driver->gpu.api, &driver->checker, desc, 0, &c);
    if (how == AGREE) return TMAP_E_ARGUMENT;
    memset(out, 0, sizeof *out);
    describe(&driver->gpu.api, &driver->checker, desc, how, out);
    return TMAP_OK;
}
