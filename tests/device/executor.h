// The executor: one launch runs thousands of tensor copies, one per block, each with its own
// descriptor, and hands back what every byte became. Plain C and CUDA both read this file.
//
// Memory before a copy is filled with position hashes, so that every byte says where it is from:
// executor_hash(seed, i) is the 64-bit word at byte 8 * i of shared memory or of a window, and of
// the arena with its own seed. A byte that no copy wrote still has its hash afterwards.
#ifndef TMAP_DEVICE_EXECUTOR_H
#define TMAP_DEVICE_EXECUTOR_H

#include <stdint.h>

#include "kernels/copy/reference.h"
#include "tmap/tmap.h"

#define EXECUTOR_FN REFERENCE_FN

EXECUTOR_FN uint64_t executor_hash(uint64_t seed, uint64_t i)
{
    return reference_hash(seed, i);
}

// The same with many of the values that floating-point arithmetic treats apart, in every width:
// NaNs, infinities, subnormals, signed zeros.
EXECUTOR_FN uint64_t executor_special(uint64_t seed, uint64_t i)
{
    const uint64_t w = executor_hash(seed, i), sign = w & 0x8000000000000000u;
    switch (w >> 7 & 15) {
    case 0:
        return w | 0x7ff0000000000000u; // NaN of 64 bits
    case 1:
        return sign | 0x7ff0000000000000u; // infinity of 64 bits
    case 2:
        return w & 0x800fffffffffffffu; // subnormal of 64 bits
    case 3:
        return (w & 0x8000000080000000u) | 0x7f8000007f800000u; // infinities of 32 bits, bf16
    case 4:
        return (w & 0x8000000080000000u) | (w & 0xffffffff) | 0x7f8000007f800000u;
    case 5:
        return w & 0x807fffff807fffffu; // subnormals of 32 bits
    case 6:
        return w & 0x80ff80ff80ff80ffu; // subnormals of f16, small bf16
    case 7:
        return (w & 0x8000800080008000u) | 0x7c007c007c007c00u; // infinities of f16
    case 8:
        return w | 0x7c007c0000000000u; // NaNs of f16
    case 9:
        return w & 0x8000800080008000u; // zeros
    case 10:
        return (w & 0x807f807f807f807fu); // subnormals of bf16
    case 11:
        return (w & 0xbfffbfffbfffbfffu) | 0x3c003c003c003c00u; // near one in f16: ties
    default:
        return w;
    }
}

#define EXECUTOR_SPECIALS 1u // a job's flag: fill with executor_special instead

EXECUTOR_FN uint64_t executor_word(uint32_t flags, uint64_t seed, uint64_t i)
{
    return flags & EXECUTOR_SPECIALS ? executor_special(seed, i) : executor_hash(seed, i);
}

enum executor_op {
    EXECUTOR_NOTHING, // arrives without a copy: the barrier word of an exact completion
    EXECUTOR_LOAD,
    EXECUTOR_LOAD_IM2COL,
    EXECUTOR_STORE,
    EXECUTOR_STORE_IM2COL,
    EXECUTOR_PREFETCH,
    EXECUTOR_REDUCE,                         // plus the operation: ADD MIN MAX INC DEC AND OR XOR
    EXECUTOR_MULTICAST = EXECUTOR_REDUCE + 8 // a tile load to both blocks of a cluster of two
};

// An op that completes on a barrier.
EXECUTOR_FN int executor_loads(uint32_t op)
{
    return op <= EXECUTOR_LOAD_IM2COL || op == EXECUTOR_MULTICAST;
}

// Shared memory of a block, from a 1024-byte aligned base: the hashed part, then the barrier.
#define EXECUTOR_HASHED_BYTES 231424u
#define EXECUTOR_SMEM_BYTES (EXECUTOR_HASHED_BYTES + 64u)
#define EXECUTOR_THREADS 256u

struct executor_job {
    uint64_t map[16]; // 128-byte aligned
    int32_t coord[5];
    uint32_t offset[3]; // im2col, W H D
    uint32_t op;        // enum executor_op
    uint32_t rank;      // of the instruction
    uint32_t smem;      // byte offset of the box
    uint32_t expect_tx;
    uint64_t seed;         // of shared memory; the window has seed + 1
    uint64_t window;       // global memory a store may touch, rewritten before it; 16-byte multiple
    uint32_t window_bytes; // 0: none
    uint32_t image_from;   // loads: the part of shared memory to hand back
    uint32_t image_bytes;  // its length, a multiple of 16; stores hand back the window
    uint32_t linger_ns;    // how long to let things land after the phase completed
    uint64_t image;        // where to put it
    uint64_t map_at;       // where the descriptor lies; 0: in this job
    uint32_t bar_shift;    // added to the barrier operand of the copy, to misplace it
    uint32_t flags;        // EXECUTOR_SPECIALS
    uint64_t spare[3];
};

struct executor_result {
    uint64_t exact;        // 1: afterwards no byte was owed to the barrier, nor by it
    uint32_t done;         // 1: the phase completed
    uint32_t stray_bytes8; // 8-byte words of shared memory outside the image that changed
    uint32_t first_stray;  // byte offset of the first of them
    uint32_t waited_ns;
};

// One tensormap.replace: a field (enum tmap_replace_field) with its ordinal, and the value.
#define EXECUTOR_FIELD(field, ordinal) ((field)*8 + (ordinal))
struct executor_edit {
    uint64_t map[16];
    uint32_t field; // EXECUTOR_FIELD
    uint32_t spare0;
    uint64_t value;
    uint64_t spare[14];
};

#endif
