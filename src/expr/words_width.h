/* The words of the row language as some bits each: does what is said read a field of 64 bits, and
 * which may be 0, and ask for a value other than 0, the usual one of every enumeration? Constants
 * of the compiler's: a row of 32-bit fields is compiled for twice as many lanes, rows that usually
 * apply are evaluated together, and where a row's needs keep what it reads from 0, a bound takes
 * fewer instructions. words_vector.h has the same words. */
#define READS_64 1
#define RARE 2
#define NONZERO 4
#define ONE 8
#define FROM_1 16 /* says that a number is at least 1 */
#define READS_DIM 32
#define READS_ANY 64 /* of the others, whether 0 or not is not followed */
#define BOTH(a, b) ((a) | (b))
#define K(n) ((n) == 1 ? NONZERO | ONE : (n) != 0 ? NONZERO : 0)
#define CUDA 0
#define SM 0
#define KIND 0
#define RANK 0
#define FLAG(bit) 0
#define MAP_ADDRESS (READS_64 | READS_ANY)
#define DTYPE 0
#define ADDRESS (READS_64 | READS_ANY)
#define DIM(i) (READS_64 | READS_DIM)
#define STRIDE(i) (READS_64 | READS_ANY)
#define BOX(i) READS_ANY
#define ESTRIDE(i) READS_ANY
#define INTERLEAVE 0
#define SWIZZLE 0
#define L2 0
#define OOB 0
#define LOWER(i) READS_ANY
#define UPPER(i) READS_ANY
#define CHANNELS READS_ANY
#define PIXELS READS_ANY
#define MODE 0
#define SIZE_BITS 0
#define GMEM_BITS 0
#define SPAN 0
#define BY_RANK(r3, r4, r5) 0
#define SPATIAL_DIM(i) (READS_64 | READS_ANY)
#define ALLOC_BASE (READS_64 | READS_ANY)
#define ALLOC_BYTES (READS_64 | READS_ANY)
#define LAST (READS_64 | READS_ANY)
#define NESTED 0
#define ADD(a, b) BOTH(a, b)
#define SUB(a, b) BOTH(a, b)
#define MUL(a, b) BOTH(a, b)
#define NUM(x) (x)
#define WRAP32(x) (x)
#define BIT(n) 0
#define ALWAYS 0
#define LE(a, b) BOTH(a, b)
#define LT(a, b) BOTH(a, b)
#define EQ(a, b) (BOTH(a, b) | (BOTH(a, b) & NONZERO ? RARE : 0))
#define NE(a, b) BOTH(a, b)
#define BETWEEN(lo, x, hi) (BOTH(BOTH(lo, x), hi) | ((lo)&ONE ? FROM_1 : 0))
#define DIVIDES(m, x) BOTH(m, x)
#define IN(x, set) (RARE | (x))
#define AND(a, b) BOTH(a, b)
#define OR(a, b) BOTH(a, b)
#define NOT(a) (a)
#define BOX_STEPS READS_ANY
#define PROD_LE(cap, first, f) BOTH(BOTH(cap, first), f)

#define WHEN(c) (c)
#define MUST(c) (c)
#define ROW(id, name, kinds, span, needs, when, must, ...)                                         \
    WIDE_##id = BOTH(when, must) & READS_64, RARE_##id = (when)&RARE,
enum row_width {
#include "rules/desc.def"
};
#undef ROW

/* The one row that keeps sizes from 0, and whether it is all that a row reads and among its needs.
 */
#define KEEPS_DIM(must) (((must)&FROM_1) && ((must) & (READS_DIM | READS_ANY)) == READS_DIM)
#define ROW(id, name, kinds, span, needs, when, must, ...) +(KEEPS_DIM(must) ? ROW_##id : 0)
enum {
    ROW_FROM_1 = 0
#include "rules/desc.def"
};
#undef ROW
#define ROW(id, name, kinds, span, needs, when, must, ...) +KEEPS_DIM(must)
_Static_assert(0
#include "rules/desc.def"
                   == 1,
               "ROW_FROM_1 is a sum");
#undef ROW
#define IS_IT(row) ((int)(row) == (int)ROW_FROM_1)
#define IS_AMONG(a, b, c, d, e, f, ...)                                                            \
    (IS_IT(a) || IS_IT(b) || IS_IT(c) || IS_IT(d) || IS_IT(e) || IS_IT(f))
#define NEEDS(...) IS_AMONG(__VA_ARGS__, ROW_END, ROW_END, ROW_END, ROW_END, ROW_END, ROW_END)
#define ROW(id, name, kinds, span, needs, when, must, ...)                                         \
    NEVER_0_##id = ((must) & (READS_DIM | READS_ANY)) == READS_DIM && (needs),
enum row_never_0 {
#include "rules/desc.def"
};
#undef ROW
#undef KEEPS_DIM
#undef IS_IT
#undef IS_AMONG
#undef NEEDS
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
#undef RARE
#undef NONZERO
#undef ONE
#undef FROM_1
#undef READS_DIM
#undef READS_ANY
