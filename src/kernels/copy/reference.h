// Parameters of the plain kernels that the copies are compared with; read by C and by CUDA.
#ifndef TMAP_KERNELS_COPY_REFERENCE_H
#define TMAP_KERNELS_COPY_REFERENCE_H

#include <stdint.h>

#if defined(__CUDACC__)
#define REFERENCE_FN static __device__ __forceinline__
#else
#define REFERENCE_FN static inline
#endif

// The word at byte 8 * i of a filled memory. Finalizer of SplitMix64 (Steele, Lea, Flood 2014):
// every bit of the input moves half the output.
REFERENCE_FN uint64_t reference_hash(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// What a reference copies: rows of row_bytes (a multiple of 16) at two pitches; index, when given,
// names the source row of each destination row.
struct reference_params {
    const uint8_t *src;
    uint8_t *dst;
    uint64_t rows, row_bytes, src_pitch, dst_pitch;
    const int32_t *index;
};

struct reference_im2col_params {
    const uint8_t *src;
    uint8_t *dst;
    uint32_t n, h, w, c_bytes, taps_h, taps_w, pad_h, pad_w;
};

struct fill_params {
    uint64_t *at;
    uint64_t words, seed, floats;
};

struct compare_params {
    const uint64_t *a, *b;
    uint64_t words;
    unsigned long long *found; // count, lowest index
};

#endif
