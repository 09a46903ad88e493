/* Decode attention over drawn pages, run by whatever driver the suite has, and compared with plain
 * sums in double. */
#ifndef TMAP_TESTS_PAGED_H
#define TMAP_TESTS_PAGED_H

#include "kernels/paged/suite.h"

enum { PAGED_REQUESTS = 16 };

/* What is drawn, all of it from a seed. */
struct paged_draw {
    struct tmap_paged_problem problem; /* addresses are filled in by paged_make() */
    struct tmap_paged_config request;
    int32_t layout; /* enum tmap_paged_layout */
    int32_t lengths[PAGED_REQUESTS];
    double spread; /* of the queries: how unequal weights are */
};

/* How large at most. */
struct paged_size {
    int32_t requests, kv_heads, tokens;
};
void paged_draw(const struct paged_size *size, uint64_t *state, struct paged_draw *out);

/* Its memory, and what the output has to be, within so much. */
struct paged {
    struct tmap_paged *suite;
    struct paged_draw draw;
    struct tmap_paged_plan plan;
    struct tmap_paged_refusal refusal;
    size_t output_elements;
    double *expected, *allowed; /* allowed below 0: no element of the output */
    uint64_t memory[6];
};
/* Behind a sequence's last token lie NaNs, in pages that nobody has too, and the table's entries
 * behind its last page are any. */
bool paged_make(struct tmap_paged *suite, const struct paged_draw *draw, uint64_t *state,
                struct paged *out);
void paged_free(struct paged *x);

enum tmap_status paged_plan(struct paged *x);
/* Poisons the output, runs, and compares all of it: elements that are wrong, or that are none and
 * were written; -1 when it did not run. */
long paged_wrong(struct paged *x);
void paged_words(const struct paged_draw *draw, char *text, size_t cap);

/* The faults that can be planted (paged_faults.def), and a draw in which they show. */
struct paged_fault {
    uint32_t id;
    bool blind; /* need not show on a chip */
    const char *name;
};
extern const struct paged_fault paged_faults[];
extern const size_t paged_fault_count;
void paged_draw_fault(uint64_t *state, struct paged_draw *out);
/* The kernel that carries them, for a planned draw; into the plan. */
const char *paged_fault_kernel(const struct paged *x);
void paged_plant(struct paged *x, uint32_t id, void *function);

#endif
