/* The operands of a search by trial: copies that are taken in turn, so that runs find them where a
 * program's would be, and the time of runs on them. */
#ifndef TMAP_KERNELS_GEMM_ROTATE_H
#define TMAP_KERNELS_GEMM_ROTATE_H

#include "kernels/gemm/suite.h"

/* A product that reads twice the L2 cache's size. It reads, since lines that were written would
 * still be on their way to memory while a short product runs. */
struct gemm_sweep {
    tmap_cu_deviceptr at;
    bool wanted;
    struct tmap_gemm_plan plan;
};

/* Copies of the operands, taken in turn, so that a run finds its own where a program's would be: in
 * memory. As many as the L2 cache cannot hold; where so many would be too many to plan for, a sweep
 * before each round of them evicts them. A product larger than the cache, or one that there is no
 * memory for, has its own operands alone. */
enum { GEMM_MOST_SETS = 64 };
struct gemm_rotation {
    tmap_cu_deviceptr at;
    int32_t count, next;
    struct tmap_gemm_problem set[GEMM_MOST_SETS];
    struct gemm_sweep sweep;
};

/* Copies of the problem's operands, as far as there is memory for them; and back. */
void gemm_open_rotation(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                        struct gemm_rotation *r);
void gemm_close_rotation(const struct tmap_gemm *suite, struct gemm_rotation *r);

/* A configuration's plans, one a set of operands. */
enum tmap_status gemm_plan_sets(struct tmap_gemm *suite, const struct gemm_rotation *r,
                                const struct tmap_gemm_config *config, struct tmap_gemm_plan *plans,
                                struct tmap_gemm_refusal *refusal);

/* Microseconds a run, or 0 when the device objects. Each set is used once between two sweeps. */
double gemm_time_sets(const struct tmap_gemm *suite, const struct tmap_gemm_plan *plans,
                      struct gemm_rotation *r, int32_t runs);

#endif
