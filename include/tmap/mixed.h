/* mixed.h : products of activations of 16 bits by weights of 4 or 8, which become numbers of 16
 * bits in registers: D = A W, where element (k, j) of W is
 *   (q - zero[k / group][j]) scale[k / group][j]
 * of the stored number q. Sums are in fp32: those of each group by itself, then times its scale.
 *
 * Weights are N rows of K, one number after the other, without any shuffle; two of 4 bits to a
 * byte, the first in its lower half. Scales are rows of N for every group of K, of the activations'
 * type, zeros rows of N bytes likewise: integers of the weights' range. The copy engine loads all
 * of them by tensor maps, whose rows say what is possible. On compute capability 9.0. Thread rule
 * and errors as in kernels.h. */
#ifndef TMAP_MIXED_H
#define TMAP_MIXED_H

#include "tmap/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tmap_mixed_weight {
    TMAP_MIXED_U4 = 0,  /* 0 .. 15; a zero that is not given is 8 */
    TMAP_MIXED_S8 = 1,  /* -128 .. 127; a zero that is not given is 0 */
    TMAP_MIXED_E4M3 = 2 /* without zeros; a NaN counts as 480 */
};

/* Addresses of device memory. ld: elements from one row to the next, of weights in their own.
 *   activations  M rows of K      weights  N rows of K      d  M rows of N
 *   scales, zeros  a row of N for every `group` of K, which is 32, 64 or 128
 * A group of 0 is the whole row of weights: scales are then N floats, or 0 for none, and there are
 * no zeros. zeros 0: none. N is a multiple of 8, K of two numbers of 4 bits; d and its rows begin
 * at multiples of 16 bytes.
 *
 * next: the problem that runs after this one on the same stream, or NULL. While a launch multiplies
 * its last slots and adds up its parts, memory would rest: it then brings the first of next's
 * weights, scales and zeros to the L2 cache, for up to 8 % less time (docs/MIXED.md). What is first
 * follows from a plan of next by the same request, which is also what it is refused by, in a text
 * that begins with "next: ". It is read while the plan is made, and its own next is not. Its
 * weights, scales and zeros must be device memory until the launch has ended; what is in them does
 * not count yet. */
struct tmap_mixed_problem {
    int32_t kind, out; /* of the activations: BF16 or F16; enum tmap_gemm_out, not s32 */
    int32_t weight;    /* enum tmap_mixed_weight */
    int32_t m, n, k, group;
    uint64_t activations, weights, scales, zeros, d;
    int64_t activations_ld, weights_ld, scales_ld, zeros_ld, d_ld;
    uint64_t workspace; /* as struct tmap_gemm_problem's */
    const struct tmap_mixed_problem *next;
};

/* tmap_mixed_make_plan() : a plan that tmap_gemm_run() runs. Of the request (NULL: nothing) tile_n,
 *  which are rows of activations, 8, 16, 32 or 64, stages, clusters and overlap count; an overlap
 * of 1 says that nothing that still runs writes the weights, scales and zeros: the first of them
 * are then loaded before the launch's predecessor has ended, if that lets it (tmap_gemm_run()); 2
 * is refused. Of the plan desc are the maps of the weights, the activations and the scales, and
 * cost_us is what reading all of it once takes at 4.3 TB/s, which an H200 reaches. The refusal's
 * operand is 'W' (weights), 'A' (activations), 'S' (scales), 'Z' (zeros) or 0. Errors: as
 * tmap_gemm_make_plan(). */
TMAP_API enum tmap_status tmap_mixed_make_plan(struct tmap_gemm *suite,
                                               const struct tmap_mixed_problem *problem,
                                               const struct tmap_gemm_config *request,
                                               struct tmap_gemm_plan *plan,
                                               struct tmap_gemm_refusal *refusal);

#ifdef __cplusplus
}
#endif
#endif
