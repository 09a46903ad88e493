/* Routed groups drawn as a router leaves them, run by whatever driver the suite has, and compared
 * with plain sums. */
#ifndef TMAP_TESTS_ROUTED_H
#define TMAP_TESTS_ROUTED_H

#include "kernels/gemm/suite.h"

enum { ROUTED_MEMBERS = 48 };

/* Kinds and forms that go together. */
struct routed_way {
    const char *name;
    int32_t kind, form;
    bool blocks;
};
extern const struct routed_way routed_ways[];
extern const size_t routed_way_count;

/* What is drawn, all of it from a seed. */
struct routed_draw {
    struct tmap_gemm_problem problem; /* addresses are filled in by routed_make() */
    struct tmap_gemm_routing routing;
    struct tmap_gemm_config request;
    int32_t ends[ROUTED_MEMBERS];
};

/* How large: the most members, tokens, and other extents. */
struct routed_size {
    int32_t members, tokens, extent;
};

/* Ends are a router's, of which some members
 * have none and one may have most; now and then the last tokens are nobody's, or the numbers are
 * any. */
void routed_draw(const struct routed_way *way, const struct routed_size *size, uint64_t *state,
                 struct routed_draw *out);

/* Its matrices in device memory, and what D has to be. */
struct routed {
    struct tmap_gemm *suite;
    struct routed_draw draw;
    struct tmap_gemm_group group;
    struct tmap_gemm_refusal refusal;
    int8_t *a, *b, *c; /* the numbers that device memory holds, at the same places */
    float *a_scale, *b_scale;
    int64_t a_count, b_count, d_count; /* elements */
    uint64_t memory;
};
bool routed_make(struct tmap_gemm *suite, const struct routed_draw *draw, uint64_t *state,
                 struct routed *out);
void routed_free(struct routed *r);

/* Plans the group. */
enum tmap_status routed_plan(struct routed *r);
/* Draws other ends, which the next run reads. */
bool routed_again(struct routed *r, uint64_t *state);
/* A draw in which a fault of routed_faults.def can show, and the kernels that carry it: of operands
 * contiguous along K, of neither (a tile by all warpgroups, or one each), or with scales of blocks.
 */
enum routed_kernels { ROUTED_ROWS_OF_K, ROUTED_MAJORS, ROUTED_TURNS, ROUTED_BLOCKS };
struct routed_fault {
    uint32_t id; /* 0: none, of the control */
    int32_t form;
    enum routed_kernels kernels;
    bool blind;
    const char *name;
};
extern const struct routed_fault routed_faults[];
extern const size_t routed_fault_count;
void routed_draw_fault(const struct routed_fault *fault, uint64_t *state, struct routed_draw *out);
const char *routed_fault_kernel(const struct routed_fault *fault);
/* Into a planned group. */
void routed_plant(struct routed *r, uint32_t id, void *make, void *multiply);

/* Poisons D, runs, and compares all of it: elements that are wrong, or that are no member's and
 * were written; -1 when it did not run. */
long routed_wrong(struct routed *r);
/* Of the draw, for messages: at most cap characters. */
void routed_words(const struct routed_draw *draw, char *text, size_t cap);

#endif
