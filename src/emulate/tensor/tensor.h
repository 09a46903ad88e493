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
    TENSOR_S4,
    TENSOR_U4
};
uint32_t tensor_bits(enum tensor_type type);  // of an element where it lies: 4 and 6 bits take 8
uint32_t tensor_width(enum tensor_type type); // of its number
// Whether a product of the two has sums of that type: whole numbers among themselves, formats of 8
// bits and less too, others with their own kind alone.
bool tensor_types_meet(enum tensor_type a, enum tensor_type b, enum ptx_type sum);
double tensor_value(enum tensor_type type, uint64_t bits);
// The number of a container of tensor_bits(): e2m1 is in the middle of its byte.
double tensor_contained(enum tensor_type type, uint64_t bits);
// 16 packed numbers of `width` (4 or 6) bits to 16 containers.
void tensor_unpack(uint32_t width, const uint8_t packed[16], uint8_t out[16]);
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
// Block scaling: a scale factor's value; m[row][k] and m[k][col] times those of their blocks of K,
// scale[row or col][block].
double tensor_scale_value(bool ue4m3, uint32_t byte);
void tensor_scale_rows(const double *scale, uint32_t blocks, uint32_t rows, uint32_t k, double *m);
void tensor_scale_columns(const double *scale, uint32_t blocks, uint32_t cols, uint32_t k,
                          double *m);

bool tensor_is_hopper(tmap_arch arch); // its numbers are known
// Of Hopper's sums: the bits behind the point of a term and of a float result; the exponent of a
// type's subnormal numbers; a half sum's rounding.
void tensor_widths(enum tensor_type type, int *fraction, int *result);
int tensor_least_exponent(enum tensor_type type);
double tensor_to_half(double v);
void tensor_multiply(const struct tensor_product *p);

// A matrix in shared memory, as a matrix descriptor says: its 16 bytes pieces, touched and read.
// element (row, k): row counts M or N. Numbers of 4 and 6 bits are packed in their piece, which has
// 16 of them and is filled up (bits 8, as f8f6f4 takes them), or 32 (bits 4).
struct tensor_view {
    uint32_t start, lead, stride; // bytes
    int32_t swizzle;              // enum tmap_swizzle
    bool mn_major;
    uint32_t bits; // of an element
};
uint32_t tensor_address(const struct tensor_view *v, uint32_t row, uint32_t k);
struct tensor_view tensor_wgmma_view(uint64_t descriptor, uint32_t bits, bool mn_major);

// A piece at `at` is outside the CTA's shared memory: with a fault.
bool tensor_outside(const struct emu_actor *a, const struct emu_cta *cta, uint32_t at);
// Copies the pieces of rows x k elements, k of 256 bits, line after line to raw: rows by 8, which
// of numbers of 16 bits alone lie along a line, so pieces are whole. False as tensor_read().
bool tensor_pieces(const struct emu_actor *actor, struct emu_cta *cta, const struct tensor_view *v,
                   uint32_t rows, uint32_t k, uint8_t *raw);
// Reads rows x k elements into out[row * k + …] (transposed: out[k * rows + row]) as doubles.
// False with a fault when the matrix leaves the CTA's shared memory.
bool tensor_read(const struct emu_actor *actor, struct emu_cta *cta, const struct tensor_view *v,
                 enum tensor_type type, uint32_t rows, uint32_t k, bool transposed, double *out);

#endif
