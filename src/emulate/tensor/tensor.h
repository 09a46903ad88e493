// Products of small matrices: where operands lie, and what their sums are.
#ifndef TMAP_EMULATE_TENSOR_H
#define TMAP_EMULATE_TENSOR_H

#include "emulate/async/async.h"
#include "emulate/ops/ops.h"

// The most that one instruction multiplies: 256 rows (a pair's two halves are two calls), 256
// columns, 96 of K (mxf4's 64, fp8's 32 and the sparse forms' double).
enum { TENSOR_ROWS = 128, TENSOR_COLS = 256, TENSOR_K = 256 };

enum tensor_type {
    TENSOR_BF16,
    TENSOR_F16,
    TENSOR_TF32,
    TENSOR_E4M3,
    TENSOR_E5M2,
    TENSOR_E2M3,
    TENSOR_E3M2,
    TENSOR_E2M1,
    TENSOR_S8,
    TENSOR_U8,
    TENSOR_F64,
    TENSOR_B1,
    TENSOR_S4,
    TENSOR_U4
};
uint32_t tensor_bits(enum tensor_type type); // of an element where it lies
double tensor_value(enum tensor_type type, uint64_t bits);
bool tensor_type_named(const char *name, size_t length, enum tensor_type *out);

// d[rows][cols] (+)= a[rows][k] b[k][cols], all as doubles that hold what their types hold; d as
// float (or int32 for integers). See numerics.c for how the sums are made.
struct tensor_product {
    uint32_t rows, cols, k;
    bool adds, integer, half_result, saturates;
    enum tensor_type type, b_type; // b_type: counts where type and it may differ, on Hopper
    tmap_arch arch;
    const double *a, *b;
    double *d;
};
bool tensor_is_hopper(tmap_arch arch); // its numbers are known
void tensor_multiply(const struct tensor_product *p);

// A matrix in shared memory, as a matrix descriptor says: its 16 bytes pieces, touched and read.
// element (row, k): row counts M or N.
struct tensor_view {
    uint32_t start, lead, stride; // bytes
    int32_t swizzle;              // enum tmap_swizzle
    bool mn_major;
    uint32_t bits; // of an element
};
uint32_t tensor_address(const struct tensor_view *v, uint32_t row, uint32_t k);
struct tensor_view tensor_wgmma_view(uint64_t descriptor, uint32_t bits, bool mn_major);

// Reads rows x k elements into out[row * k + …] (transposed: out[k * rows + row]) as doubles.
// False with a fault when the matrix leaves the CTA's shared memory.
bool tensor_read(const struct emu_actor *actor, struct emu_cta *cta, const struct tensor_view *v,
                 enum tensor_type type, uint32_t rows, uint32_t k, bool transposed, double *out);

#endif
