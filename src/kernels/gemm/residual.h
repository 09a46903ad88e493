/* What the model's errors on an H200 have in common (residual.c). */
#ifndef TMAP_KERNELS_GEMM_RESIDUAL_H
#define TMAP_KERNELS_GEMM_RESIDUAL_H

#include "kernels/gemm/suite.h"

enum gemm_residual_feature {
#define FEATURE(name, value) GEMM_RESIDUAL_##name,
#include "kernels/gemm/residual_features.def"
#undef FEATURE
    GEMM_RESIDUAL_FEATURES
};
extern const char *const gemm_residual_names[GEMM_RESIDUAL_FEATURES];

/* Of the cheapest configurations by the model at the most so many, and which cost at the most so
 * much more, have their order by it. More gain nothing: 0.9858 of the best measured by eight,
 * 0.9864 by all (docs/EXPERIMENTS.md). */
enum { GEMM_LIKELY = 8 };
static const double GEMM_LIKELY_WITHIN = 1.1;
/* Unless the cheapest takes longer than so many us. The slices of 1 ms that the errors were learnt
 * from do not bring longer products to the power limit, where other configurations are quicker:
 * beyond 2 ms what the trees pick takes 2 % more. */
static const double GEMM_SETTLES_US = 500;
/* No logarithm of a factor is taken for more than this. */
static const double GEMM_MOST_RESIDUAL = 0.1;

/* What is asked of a configuration; its cost is the model's. view: as its kernel sees the problem.
 */
void gemm_residual_features(const struct tmap_gemm *suite, const struct gemm_view *view,
                            const struct gemm_choice *choice, int32_t x[GEMM_RESIDUAL_FEATURES]);

/* Whether the errors are known: on a device like the one that was timed, of products like those. */
bool gemm_has_residuals(const struct tmap_gemm *suite, const struct gemm_view *view);

/* The factors by which the times of up to GEMM_LIKELY configurations differ from the model's,
 * beside others of the same product. */
void gemm_residuals(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                    const struct gemm_choice *choices, size_t count, double factors[]);

#endif
