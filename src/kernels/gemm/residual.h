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

/* What is asked of a configuration; its cost is the model's. view: as its kernel sees the problem.
 */
void gemm_residual_features(const struct tmap_gemm *suite, const struct gemm_view *view,
                            const struct gemm_choice *choice, int32_t x[GEMM_RESIDUAL_FEATURES]);

/* Whether the errors were measured: on a device like this, of products like this. */
bool gemm_has_residuals(const struct tmap_gemm *suite, const struct gemm_view *view);

/* What a configuration takes of what the model says, beside others of the same product. */
double gemm_residual(const struct tmap_gemm *suite, const struct gemm_view *view,
                     const struct gemm_choice *choice);

#endif
