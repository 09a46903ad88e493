/* conv.h : convolutions on the kernel suite: an implicit matrix product whose A is an activation
 * tensor seen through an im2col map.
 *
 * Activations lie channels-last (NWC, NHWC, NDHWC), filters as filters x [D x] H x W x channels,
 * bf16, one element after another; axes are given in the order W, H, D. tmap_conv_product() makes a
 * problem of kernels.h of a convolution, and everything there works on it: plans, the tuner, runs,
 * the verifier, the epilogue (a column of D is an output channel: a bias is col_bias).
 *
 * The im2col map has rank 5 for images too, and its rows say what is possible (tmap explain TMA070,
 * TMA071, TMA160): padding of at most 16 pixels, (filter - 1) * dilation of at most 16 more than
 * the padding behind and at most 31, a stride of at most 8, channels in whole 16 bytes. A violated
 * row is in the refusal, with what would repair it. Thread rule and errors as in kernels.h. */
#ifndef TMAP_CONV_H
#define TMAP_CONV_H

#include "tmap/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tmap_conv_operation {
    TMAP_CONV_FORWARD = 0,      /* y = convolution of x with the filters */
    TMAP_CONV_DATA_GRADIENT = 1 /* x = the gradient of the data, from y's and the filters */
};

/* Addresses of device memory. ld: elements from one pixel to the next, 0 for as many as it has
 * channels. Forward writes y and reads x; the gradient writes x and reads y. Filters are dense.
 * The result is alpha times the sums, + beta times what `added` holds (of the result's shape and
 * type), or what the epilogue makes of it. */
struct tmap_conv_problem {
    int32_t operation; /* enum tmap_conv_operation */
    int32_t kind, out; /* enum tmap_gemm_kind, of the tensors read: BF16; enum tmap_gemm_out */
    int32_t groups;    /* 0 or 1: none. Others, depthwise among them, are refused */
    struct tmap_conv_shape shape;
    uint64_t x, y, filters;
    int64_t x_ld, y_ld;
    float alpha, beta;
    uint64_t added;
    int64_t added_ld;
    struct tmap_gemm_epilogue epilogue;
};

/* tmap_conv_output() : pixels of y along axis 0, 1 or 2 (W, H, D); 0 where the filter does not fit.
 */
TMAP_API int64_t tmap_conv_output(const struct tmap_conv_shape *shape, int axis);

/* tmap_conv_product() : the convolution as a product: M the result's pixels, N its channels. A
 *  1 x 1 filter with no stride and no padding becomes a product of two matrices, for which all
 *  kernels are there. refusal may be NULL.
 *  Errors: TMAP_E_ARGUMENT (a number out of its range, a filter larger than its padded axis),
 *  TMAP_E_NO_PLAN (groups; the data gradient of a stride: both refused by name). */
TMAP_API enum tmap_status tmap_conv_product(const struct tmap_conv_problem *problem,
                                            struct tmap_gemm_problem *product,
                                            struct tmap_gemm_refusal *refusal);

/* tmap_conv_make_plan() : tmap_conv_product() and tmap_gemm_make_plan(); the refusal's text ends
 *  with the repair where padding the channels is one. The plan is run by tmap_gemm_run(). */
TMAP_API enum tmap_status tmap_conv_make_plan(struct tmap_gemm *suite,
                                              const struct tmap_conv_problem *problem,
                                              const struct tmap_gemm_config *request,
                                              struct tmap_gemm_plan *plan,
                                              struct tmap_gemm_refusal *refusal);

#ifdef __cplusplus
}
#endif
#endif
