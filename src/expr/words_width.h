/* The words of the row language as some bits each: does what is said read a field of 64 bits,
 * compare anything, and ask for a value other than 0, the usual one of every enumeration? Constants
 * of the compiler's: a row of 32-bit fields is compiled for twice as many lanes, and rows that
 * always or mostly apply are evaluated together. words_vector.h has the same words. */
#define READS_64 1
#define COMPARES 2
#define RARE 4
#define NONZERO 8
#define BOTH(a, b) ((a) | (b))
#define K(n) ((n) != 0 ? NONZERO : 0)
#define CUDA 0
#define SM 0
#define KIND 0
#define RANK 0
#define FLAG(bit) 0
#define MAP_ADDRESS READS_64
#define DTYPE 0
#define ADDRESS READS_64
#define DIM(i) READS_64
#define STRIDE(i) READS_64
#define BOX(i) 0
#define ESTRIDE(i) 0
#define INTERLEAVE 0
#define SWIZZLE 0
#define L2 0
#define OOB 0
#define LOWER(i) 0
#define UPPER(i) 0
#define CHANNELS 0
#define PIXELS 0
#define MODE 0
#define SIZE_BITS 0
#define GMEM_BITS 0
#define SPAN 0
#define BY_RANK(r3, r4, r5) 0
#define SPATIAL_DIM(i) READS_64
#define ALLOC_BASE READS_64
#define ALLOC_BYTES READS_64
#define LAST READS_64
#define NESTED 0
#define ADD(a, b) BOTH(a, b)
#define SUB(a, b) BOTH(a, b)
#define MUL(a, b) BOTH(a, b)
#define NUM(x) (x)
#define WRAP32(x) (x)
#define BIT(n) 0
#define ALWAYS 0
#define LE(a, b) (COMPARES | BOTH(a, b))
#define LT(a, b) (COMPARES | BOTH(a, b))
#define EQ(a, b) (COMPARES | BOTH(a, b) | (BOTH(a, b) & NONZERO ? RARE : 0))
#define NE(a, b) (COMPARES | BOTH(a, b))
#define BETWEEN(lo, x, hi) (COMPARES | BOTH(BOTH(lo, x), hi))
#define DIVIDES(m, x) (COMPARES | BOTH(m, x))
#define IN(x, set) (COMPARES | RARE | (x))
#define AND(a, b) BOTH(a, b)
#define OR(a, b) BOTH(a, b)
#define NOT(a) (a)
#define BOX_STEPS 0
#define PROD_LE(cap, first, f) (COMPARES | BOTH(BOTH(cap, first), f))

#define WHEN(c) (c)
#define MUST(c) (c)
#define ROW(id, name, kinds, span, needs, when, must, ...)                                         \
    WIDE_##id = BOTH(when, must) & READS_64, ALWAYS_##id = !((when)&COMPARES),                     \
    RARE_##id = (when)&RARE,
enum row_width {
#include "rules/desc.def"
};
#undef ROW
#undef WHEN
#undef MUST

#undef BOTH
#undef K
#undef CUDA
#undef SM
#undef KIND
#undef RANK
#undef FLAG
#undef MAP_ADDRESS
#undef DTYPE
#undef ADDRESS
#undef DIM
#undef STRIDE
#undef BOX
#undef ESTRIDE
#undef INTERLEAVE
#undef SWIZZLE
#undef L2
#undef OOB
#undef LOWER
#undef UPPER
#undef CHANNELS
#undef PIXELS
#undef MODE
#undef SIZE_BITS
#undef GMEM_BITS
#undef SPAN
#undef BY_RANK
#undef SPATIAL_DIM
#undef ALLOC_BASE
#undef ALLOC_BYTES
#undef LAST
#undef NESTED
#undef ADD
#undef SUB
#undef MUL
#undef NUM
#undef WRAP32
#undef BIT
#undef ALWAYS
#undef LE
#undef LT
#undef EQ
#undef NE
#undef BETWEEN
#undef DIVIDES
#undef IN
#undef AND
#undef OR
#undef NOT
#undef BOX_STEPS
#undef PROD_LE
#undef READS_64
#undef COMPARES
#undef RARE
#undef NONZERO
