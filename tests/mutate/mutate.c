/* Which mutants of the rows would tests/rules/test_expectations.c not notice? A mutant is killed
 * when, on one of its row's subjects, the two differ in the places that are violated. A survivor
 * must be listed in survivors.txt with a proof that nothing can tell it from its row, and the proof
 * is run here; one that is listed and dies is an error too.
 *
 * usage: mutate survivors.txt [every [seed]]    runs each mutant, or one of `every`; prints the
 * counts */
#include "mutate/mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of the subject that tells the mutant from its row; VECTORS_PER_ROW when none does. */
static uint32_t killed_by(size_t number, const struct vector *vectors, const uint32_t *expected)
{
    uint32_t n = 0;
    for (; n < VECTORS_PER_ROW; n++) {
        const struct subject s = vector_subject(&vectors[n]);
        if (mutant_violates(number, &s) != expected[n]) break;
    }
    return n;
}

/* The subjects of a row, and the places at which each violates it. */
static void prepare(tmap_row row, struct vector *vectors, uint32_t *expected)
{
    const struct vector_plan plan = vector_plan_of(row);
    for (uint32_t n = 0; n < VECTORS_PER_ROW; n++) {
        vector_make(&plan, n, &vectors[n]);
        const struct subject s = vector_subject(&vectors[n]);
        expected[n] = vector_violates(row, &s);
    }
}

/* The reason in the list's line "TMA022 must: 1 -> 2 | reason"; false when there is none. */
static bool listed(const char *path, const struct mutant *m, char *reason, size_t size)
{
    char line[512], wanted[256];
    const int length = snprintf(wanted, sizeof wanted, "%s %s | ", m->id, m->what);
    FILE *f = fopen(path, "r");
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f))
        found = strncmp(line, wanted, (size_t)length) == 0;
    if (found) snprintf(reason, size, "%s", line + length);
    if (f) fclose(f);
    return found;
}

struct counts {
    size_t run, dead, proved, wrong;
    uint32_t latest; /* the highest number of a subject that killed */
};

static void judge(size_t m, const char *list, uint32_t by, struct counts *c)
{
    char reason[512] = "";
    const bool dead = by < VECTORS_PER_ROW,
               known = listed(list, &mutants[m], reason, sizeof reason);
    const char *wrong = NULL;
    if (dead && by > c->latest) c->latest = by;
    if (dead && known)
        wrong = "is listed, but killed";
    else if (!dead && !known)
        wrong = "survives";
    else if (!dead && !survivor_proved(m, reason))
        wrong = "survives, and its listed proof fails";
    c->run++;
    c->dead += dead;
    c->proved += !dead && !wrong;
    c->wrong += wrong != NULL;
    if (wrong) printf("%s %s: %s\n", mutants[m].id, mutants[m].what, wrong);
}

int main(int argc, char **argv)
{
    const size_t every = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 1;
    const size_t seed = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 0;
    struct vector *vectors = calloc(VECTORS_PER_ROW, sizeof *vectors);
    uint32_t *expected = calloc(VECTORS_PER_ROW, sizeof *expected);
    struct counts c = {0, 0, 0, 0, 0};
    tmap_row row = ROW_END;
    if (argc < 2 || vectors == NULL || expected == NULL || every == 0) return 2;
    for (size_t m = seed % every; m < mutant_count; m += every) {
        if (mutants[m].row != row) prepare(row = mutants[m].row, vectors, expected);
        judge(m, argv[1], killed_by(m, vectors, expected), &c);
    }
    printf("%zu of %zu mutants of %d rows: %zu killed (the last by subject %u of %u), "
           "%zu survivors proved equivalent, %zu wrong\n",
           c.run, mutant_count, (int)ROW_COUNT, c.dead, c.latest, VECTORS_PER_ROW, c.proved,
           c.wrong);
    free(vectors);
    free(expected);
    return c.wrong != 0;
}
