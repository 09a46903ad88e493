/* trial.h : how a product would be computed, for whoever has its numbers alone: by the cost model
 * without a device, or by tmap_gemm_tune() on operands made for it. */
#ifndef TMAP_KERNELS_GEMM_TRIAL_H
#define TMAP_KERNELS_GEMM_TRIAL_H

#include "tmap/kernels.h"

/* How many configurations the tuner tries unless it is told (looks.c): their fastest is
 * within 0.3 % of the whole family's (docs/EXPERIMENTS.md, what the tuner sees). */
enum { GEMM_TRIALS = 48 };

/* gemm_by_model() : the configuration that the model ranks first on an H200, and its cost; the
 *  problem's addresses do not count. No device is asked. Errors: as tmap_gemm_make_plan(), but
 *  TMAP_E_ILLEGAL for an ld alone; TMAP_E_MEMORY. */
enum tmap_status gemm_by_model(const struct tmap_gemm_problem *problem,
                               struct tmap_gemm_config *config, double *cost_us,
                               struct tmap_gemm_refusal *refusal);

/* tmap_gemm_tune(), or tmap_gemm_tune_sustained(). */
typedef enum tmap_status gemm_tuner(struct tmap_gemm *suite,
                                    const struct tmap_gemm_problem *problem,
                                    const struct tmap_gemm_config *request, size_t most,
                                    const char *cache_path, struct tmap_gemm_plan *plan,
                                    struct tmap_gemm_refusal *refusal);

/* gemm_by_trial() : the tuner with operands of random bits, allocated for as long as it takes.
 *  Errors: its own; TMAP_E_MEMORY. */
enum tmap_status gemm_by_trial(struct tmap_gemm *suite, gemm_tuner *tuner,
                               const struct tmap_gemm_problem *problem, size_t most,
                               const char *cache_path, struct tmap_gemm_config *config,
                               double *cost_us, struct tmap_gemm_refusal *refusal);

#endif
