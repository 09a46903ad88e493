// A plan in the making: the problem, the descriptors so far, and the kernel's parameters. What a
// descriptor may be is not known here: every one is checked against the rows, and encoded by
// tmap_encode.
#ifndef TMAP_KERNELS_COPY_DRAFT_H
#define TMAP_KERNELS_COPY_DRAFT_H

#include "kernels/copy/suite.h"

#define GRAIN_BYTES 16u
#define BOX_LIMIT 256u // a request for a box; the rows decide whether it is legal

struct draft {
    struct tmap_copy_plan *plan;
    struct copy_params k;
    struct tmap_violation violation;
    struct tmap_desc slot; // one load's, where it is not desc[0]
    uint32_t loads;        // that fill one slot
    uint32_t store_stages; // slots beside the ring that stores leave from
};

// draft_refuse() : the same for the draft's suite.
#define draft_refuse(f, ...) copy_refuse((f)->plan->suite, __VA_ARGS__)

uint64_t draft_blocks(uint64_t n, uint64_t unit);
struct copy_divisor draft_divisor(uint64_t d);
uint32_t draft_size(int32_t dtype);   // bytes of an element; 0: not whole bytes
uint32_t draft_span(int32_t swizzle); // bytes

// draft_widen() : the widest plain integer type that the innermost extent allows, unless `keep`.
void draft_widen(struct tmap_copy_problem *p, bool keep);
// draft_dense() : strides without gaps.
void draft_dense(const struct tmap_copy_problem *p, uint32_t rank, uint64_t stride[]);
// draft_inner() : the widest innermost box. draft_box() : dimension after dimension, until the
// requested slot is full.
uint32_t draft_inner(const struct tmap_desc *d, uint64_t dim);
void draft_box(struct tmap_desc *d, const struct tmap_copy_config *c);
struct tmap_desc draft_tensor(const struct tmap_copy_problem *p, uint32_t rank, uint64_t address,
                              const uint64_t stride[]);

// draft_encode() : legal by every row, then the 128 bytes.
enum tmap_status draft_encode(struct draft *f, int which, struct copy_map *map);
enum tmap_status draft_encode_both(struct draft *f);

// draft_tiles() : a * b tiles; 0, which draft_ring() refuses, when 31 bits do not hold them.
uint32_t draft_tiles(uint64_t a, uint64_t b);

// draft_cover() : the tiles that cover a tensor in boxes.
void draft_cover(struct draft *f, const struct tmap_desc *d);

// draft_ring() : stages, their bytes, where they lie and what a barrier expects: the pipeline that
// solve.h makes of the descriptors. TMAP_E_NO_PLAN: not even one stage, or not as many as
// requested.
enum tmap_status draft_ring(struct draft *f);

// The kinds with more to them than a box (plan_more.c).
enum tmap_status plan_im2col(struct draft *f);
enum tmap_status plan_pages(struct draft *f);
enum tmap_status plan_broadcast(struct draft *f);
enum tmap_status plan_list(struct draft *f);

#endif
