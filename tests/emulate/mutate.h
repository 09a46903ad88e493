/* Kernels with mistakes: made from a corpus and a number, and run. */
#ifndef TMAP_TESTS_EMULATE_MUTATE_H
#define TMAP_TESTS_EMULATE_MUTATE_H

#include "tmap/emulate.h"

enum { MUTATE_KERNELS = 256, MUTATE_WORDS = 4096 };

struct mutate_corpus {
    char *text[MUTATE_KERNELS]; /* a kernel with its file's head */
    size_t count;
    char *word[MUTATE_WORDS]; /* of all of them: names, qualifiers, numbers */
    size_t words;
};

/* Adds the kernels of a PTX file; those of one file that are very long are left out. */
void mutate_add(struct mutate_corpus *corpus, const char *path);

/* The text of a case, to be freed; NULL without memory. */
char *mutate_text(const struct mutate_corpus *corpus, uint64_t seed, uint64_t number);

struct mutate_outcome {
    bool loaded, ran, finished;
    uint32_t kinds; /* bits of enum tmap_emulate_kind */
};
struct mutate_outcome mutate_case(const struct mutate_corpus *corpus, uint64_t seed,
                                  uint64_t number);

#endif
