/* Wrong rows against what a real driver answered: of the mutants of the rows that the driver is
 * seen to enforce, how many would the replay of tests/golden notice, because a recorded verdict
 * comes out otherwise? A mutant that drops a need is left out: it changes which rows are listed,
 * never whether one is. Prints the counts, and with `list` the mutants that no recorded answer
 * contradicts.
 *
 * usage: corpus FILE [count seed | list]    all mutants, or `count` drawn by seed */
#include "core/checker.h"
#include "mutate/mutants.h"
#include "support/splitmix.h"
#include "tmap/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CASES 100000

struct answer {
    struct tmap_desc desc;
    struct row_set raw; /* rows whose condition fails, needs not looked at */
    bool refused;
};

struct answers {
    struct tmap_target target;
    struct tmap_checker checker;
    struct derived none;
    struct answer *at;
    size_t count;
};

static struct subject subject_of(const struct answers *a, size_t n)
{
    return (struct subject){&a->target, &a->at[n].desc, NULL, NULL, &a->none};
}

static void set(struct row_set *s, tmap_row row, bool on)
{
    const uint64_t bit = UINT64_C(1) << (row % 64);
    s->w[row / 64] = on ? s->w[row / 64] | bit : s->w[row / 64] & ~bit;
}

static void measure(struct answers *a, const struct tmap_desc *desc)
{
    struct answer *x = &a->at[a->count];
    *x = (struct answer){*desc, {{0}}, false};
    const struct subject s = subject_of(a, a->count++);
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++) set(&x->raw, row, row_native(row, &s));
}

static bool load(const char *path, struct answers *a)
{
    struct tmap_corpus *corpus;
    static struct tmap_corpus_case c;
    if (tmap_corpus_open(path, &corpus) != TMAP_OK) return false;
    while (a->count < MOST_CASES && tmap_corpus_next(corpus, &c) == TMAP_OK) {
        if (c.op != TMAP_CORPUS_ENCODE) continue;
        measure(a, &c.desc);
        a->at[a->count - 1].refused = c.result != 0;
    }
    tmap_corpus_close(corpus);
    return a->count > 0;
}

static bool illegal(const struct answers *a, const struct row_set *raw)
{
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++)
        if (row_set_has(raw->w, row) && row_set_has(a->checker.active, row) &&
            row_needs_hold(row, raw))
            return true;
    return false;
}

/* The row's own subjects, each answered by the rows themselves. */
static void load_subjects(tmap_row row, struct answers *a)
{
    const struct vector_plan plan = vector_plan_of(row);
    a->count = 0;
    for (uint32_t n = 0; n < VECTORS_PER_ROW; n++) {
        struct vector v;
        vector_make(&plan, n, &v);
        measure(a, &v.desc);
        a->at[n].refused = illegal(a, &a->at[n].raw);
    }
}

static bool caught(size_t number, const struct answers *a)
{
    const tmap_row row = mutants[number].row;
    for (size_t n = 0; n < a->count; n++) {
        const struct subject s = subject_of(a, n);
        const bool fails = mutant_native(number, &s) != 0;
        if (fails == row_set_has(a->at[n].raw.w, row)) continue;
        struct row_set raw = a->at[n].raw;
        set(&raw, row, fails);
        if (illegal(a, &raw) != a->at[n].refused) return true;
    }
    return false;
}

static bool concerns(const struct answers *a, size_t number)
{
    return row_set_has(a->checker.active, mutants[number].row) &&
           mutants[number].row < SUBJECT_DESC_END && strncmp(mutants[number].what, "needs", 5) != 0;
}

/* The first `count` of list, in an order drawn by seed. */
static void shuffle(size_t *list, size_t n, uint64_t seed)
{
    for (size_t k = n; k > 1; k--) {
        const size_t other = splitmix(&seed) % k, kept = list[k - 1];
        list[k - 1] = list[other];
        list[other] = kept;
    }
}

static bool init(struct answers *a)
{
    *a = (struct answers){.target = {1300, 90, 580, TMAP_ARCH(90, 1)}};
    a->at = calloc(MOST_CASES, sizeof *a->at);
    return a->at && tmap_checker_prepare(&a->target, TMAP_CONTRACT_DRIVER, &a->checker) == TMAP_OK;
}

/* All that concern the driver, or some drawn. */
static size_t choose(const struct answers *a, size_t *list, int argc, char **argv)
{
    size_t n = 0;
    for (size_t m = 0; m < mutant_count; m++)
        if (concerns(a, m)) list[n++] = m;
    if (argc <= 3) return n;
    const size_t count = (size_t)strtoul(argv[2], NULL, 10);
    shuffle(list, n, strtoul(argv[3], NULL, 10));
    return count < n ? count : n;
}

int main(int argc, char **argv)
{
    static struct answers recorded, own;
    size_t *list = calloc(mutant_count, sizeof *list), dead = 0, hidden = 0;
    const bool all = argc > 2 && strcmp(argv[2], "list") == 0;
    tmap_row row = ROW_END;
    if (!init(&recorded) || !init(&own) || argc < 2 || !list || !load(argv[1], &recorded)) return 2;
    const size_t n = choose(&recorded, list, argc, argv);
    for (size_t k = 0; k < n; k++) {
        const struct mutant *m = &mutants[list[k]];
        if (caught(list[k], &recorded)) {
            dead++;
            continue;
        }
        if (m->row != row) load_subjects(row = m->row, &own);
        const bool seen = caught(list[k], &own);
        hidden += !seen;
        if (seen && all) printf("%s %s\n", m->id, m->what);
    }
    printf(
        "%zu of %zu wrong rows of the driver contradict one of %zu recorded answers; of the others "
        "%zu change no verdict, %zu are beyond the record\n",
        dead, n, recorded.count, hidden, n - dead - hidden);
    free(list);
    free(recorded.at);
    free(own.at);
    return 0;
}
