/* What the model of a configuration's time knows of convolutions alone (model.c). Their loads are
 * not counted by bytes. */
#ifndef TMAP_KERNELS_GEMM_MODEL_CONV_H
#define TMAP_KERNELS_GEMM_MODEL_CONV_H

#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

/* Of convolutions the clocks of a row of an operand's box: of a pixel of an im2col box, of one of a
 * patch's, and of a filter; what the rest of the fit makes too little or too much of. Fitted to 250
 * drawn layers (bench/gemm/conv.py, H200, 2026-11-23); of pingpongs since made to pick what they
 * did before the products' constants moved. */
static const double PIXEL_CLOCKS = 4.8;
static const double PATCH_CLOCKS = 0.35;
static const double FILTER_CLOCKS = 1.03;
static const double CONV_PAIRS = 0.93;
static const double CONV_FOURS = 0.969;
static const double CONV_SQUARES = 0.84;
static const double CONV_EIGHTS = 0.89;
static const double PATCH_FIT = 1.066;
static const double CONV_TURN_FIT = 1.11;
/* Of 32 channels at once a multiply of fewer columns takes as long as of so many: fitted to 14
 * layers of the same device. */
static const double FEW_COLUMNS = 96;

/* What a convolution's copies of a k-block take. */
static inline double conv_clocks(const struct gemm_instance *instance,
                                 const struct tmap_gemm_config *c)
{
    const double filters = FILTER_CLOCKS * c->tile_n / c->cluster_m;
    if (instance->patch) return PATCH_CLOCKS * GEMM_PATCH_ROWS + GEMM_PATCH_TAPS * filters;
    return PIXEL_CLOCKS * c->tile_m / c->cluster_n + filters;
}

static inline double conv_fit(const struct tmap_gemm_config *c)
{
    const int32_t sharers = c->cluster_m * c->cluster_n;
    return (c->patch > 0 ? PATCH_FIT : 1) * (c->pingpong > 0 ? CONV_TURN_FIT : 1) *
           (sharers == 1                   ? 1
            : sharers == 2                 ? CONV_PAIRS
            : sharers == 8                 ? CONV_EIGHTS
            : c->cluster_m == c->cluster_n ? CONV_SQUARES
                                           : CONV_FOURS);
}

#endif
