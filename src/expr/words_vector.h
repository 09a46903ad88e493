/* The words of the row language on vectors of descriptors, a lane each: what tmap_check_columns()
 * runs, written with the compiler's vector types, so that each processor's instructions come from
 * this one text. A condition is 0 in the lanes where it holds, and anything else where it does not:
 * what is wrong with a number, its bits below an alignment, is the condition itself, and those of
 * many rows are joined by or without a comparison of each. Fields of 64 bits are unsigned, as in
 * words_native.h.
 *
 * Rows that read a field of 64 bits have lanes of 64, in which 32-bit fields are widened to signed;
 * the others have lanes of 32, twice as many: a row's needs keep its sums and products below 2^31,
 * and without its needs nobody looks.
 *
 * In scope where rows are expanded: lane, v_i, v_u, v_f (a lane's type and vectors of it, unsigned,
 * in floating point), OF (a vector of a column), OF_TABLE (what a table says of one), w (struct
 * columns_view), and constants: NATIVE_KIND, NATIVE_RANK, and never_0, whether the row's needs keep
 * the numbers that it bounds from 0. */
#define ALL(n) ((v_i){0} + (lane)(n))
/* C's rule for two operands: unsigned where either is */
#define BY_SIGN(a, b, u, s)                                                                        \
    _Generic((a), v_u : (u), default : _Generic((b), v_u : (u), default : (s)))
#define FAILS(a, op, b) BY_SIGN(a, b, (v_i)((v_u)(a)op(v_u)(b)), (v_i)((v_i)(a)op(v_i)(b)))
/* all ones where a condition holds; in the lower half of a lane at least, where it does not */
#ifndef HOLDS
#define HOLDS(c) ((v_i)((c) == ALL(0)))
#endif
#ifndef BROKEN
#define BROKEN(c) ((v_i)((c) != ALL(0)))
#endif
#define WRAPPING(a, op, b) BY_SIGN(a, b, (v_u)(a)op(v_u)(b), (v_i)((v_u)(a)op(v_u)(b)))
#define CHOOSE(c, a, b) (((c) & (a)) | (~(c) & (b)))

/* integers */
#define K(n) ALL(n)
#define CUDA ALL(w->target.cuda)
#define SM ALL(w->target.arch >> 2)
#define KIND ALL(NATIVE_KIND)
#define RANK ALL(NATIVE_RANK)
#define FLAG(bit) ALL((w->flags >> (bit)) & 1)
#define MAP_ADDRESS ((v_u)ALL(w->map_address))
#define DTYPE OF(dtype)
#define ADDRESS OF(address)
#define DIM(i) OF(dim[i])
#define STRIDE(i) OF(stride_bytes[i])
#define BOX(i) OF(box[i])
#define ESTRIDE(i) OF(elem_stride[i])
#define INTERLEAVE OF(interleave)
#define SWIZZLE OF(swizzle)
#define L2 OF(l2_promotion)
#define OOB OF(oob_fill)
#define CORNER_OF(corner, i) ((i) > 0 && (NATIVE_KIND) == TMAP_IM2COL_WIDE ? ALL(0) : OF(corner[i]))
#define LOWER(i) CORNER_OF(lower, i)
#define UPPER(i) CORNER_OF(upper, i)
#define CHANNELS OF(channels)
#define PIXELS OF(pixels)
#define MODE OF(mode)
#define SIZE_BITS OF_TABLE(table_size_bits, dtype)
#define GMEM_BITS ALL(0) /* only advice reads it */
#define SPAN OF_TABLE(table_span, swizzle)
#define BY_RANK(r3, r4, r5) ALL((NATIVE_RANK) == 3 ? (r3) : (NATIVE_RANK) == 4 ? (r4) : (r5))
/* Spatial dimensions begin at 1, with an interleave at 0 (as words_native.h has it). */
#define SPATIAL_DIM(i)                                                                             \
    ((v_u)CHOOSE(HOLDS(EQ(INTERLEAVE, K(TMAP_INTERLEAVE_NONE))), (v_i)DIM((i) + 1), (v_i)DIM(i)))
/* A table with allocations is judged one by one, and what only advises is not judged. */
#define ALLOC_BASE ((v_u)ALL(0))
#define ALLOC_BYTES ((v_u)ALL(0))
#define LAST ((v_u)ALL(0))
#define NESTED ALL(0)

#define ADD(a, b) WRAPPING(a, +, b)
#define SUB(a, b) WRAPPING(a, -, b)
#define MUL(a, b) WRAPPING(a, *, b)
#define NUM(x) ((v_i)(x))
#define LANE_BITS ((int)sizeof(lane) * 8)
#define WRAP32(x) ((v_i)((v_u)(x) << (LANE_BITS - 32)) >> (LANE_BITS - 32))
#define BIT(n) (UINT64_C(1) << (n))

/* conditions */
#define ALWAYS ALL(0)
/* Of 2^n, where the compiler knows it: what of one less is above n bits; or if 0 is possible, 2^n -
 * 1 more carries beyond bit n, unless it wraps. No comparison, whose masks gcc 12 joins in general
 * registers. */
#define ABOVE(a, b)                                                                                \
    (__extension__({                                                                               \
        const v_u x = (a), most = (b);                                                             \
        !(__builtin_constant_p(most[0]) && most[0] && (most[0] & (most[0] - 1)) == 0)              \
            ? (v_i)(x > most)                                                                      \
        : never_0 ? (v_i)((x - 1) & ~(most - 1))                                                   \
                  : (v_i)((x | (x + (most - 1))) & ~(most + most - 1));                            \
    }))
/* What is unsigned is of a column, and no constant. */
#define UP_TO(a, b)                                                                                \
    _Generic((b), v_u : (v_i)((v_u)(a) > (v_u)(b)), default : ABOVE((v_u)(a), (v_u)(b)))
#define LE(a, b) BY_SIGN(a, b, UP_TO(a, b), FAILS(a, >, b))
#define LT(a, b) BY_SIGN(a, b, BELOW((v_u)(a), (v_u)(b)), FAILS(a, >=, b))
#define EQ(a, b) ((v_i)(a) ^ (v_i)(b))
#define NE(a, b) HOLDS(EQ(a, b))
/* Of 2^n numbers, where the compiler knows how many: what of the distance is above n bits. (It asks
 * of a variable: of an expression with vectors gcc says that it is no constant.) */
#define WITHIN(distance, most)                                                                     \
    (__extension__({                                                                               \
        const v_u above = (distance), end = (most);                                                \
        __builtin_constant_p(end[0]) && (end[0] & (end[0] + 1)) == 0 ? (v_i)(above & ~end)         \
                                                                     : (v_i)(above > end);         \
    }))
#define BELOW(x, end) ((v_i)WITHIN(x, (end) - (v_u)ALL(1)) | (v_i)((end) == (v_u)ALL(0)))
#define BETWEEN(lo, x, hi) WITHIN((v_u)(x) - (v_u)(lo), (v_u)(hi) - (v_u)(lo))
#define DIVIDES(m, x) ((v_i)((v_u)(x) % (v_u)(m)))
/* a set of small numbers: its bits above a lane's are none */
#define IN(x, set)                                                                                 \
    ((v_i)(((v_u)(x) / LANE_BITS) |                                                                \
           (~((v_u)ALL(set) >> ((v_u)(x) & (LANE_BITS - 1))) & (v_u)ALL(1))))
#define AND(a, b) ((a) | (b))
#define OR(a, b) (BROKEN(a) & BROKEN(b))
#define NOT(a) HOLDS(a)

/* A product of what the row's needs bound, in floating point, which every vector multiplies. Exact
 * to 2^24, beyond which no cap lies; a factor of 1 or more cannot bring a greater one back below
 * it, and 0 makes it 0. */
#define FLOATING(x) __builtin_convertvector((v_i)(x), v_f)
#define FACTOR(j, x) ((j) < (NATIVE_RANK) ? FLOATING(x) : FLOATING(ALL(1)))
/* The quotient of numbers below 2^12 rounds to its own whole number; by 0, to something. QUOTIENT,
 * a processor's own, need be right only for what the row's needs allow. */
#ifndef QUOTIENT
#define QUOTIENT(a, b) (FLOATING(a) / FLOATING((v_i)(b) - (v_i)((v_i)(b) == ALL(0))))
#endif
#define BOX_STEPS(j) __builtin_convertvector(QUOTIENT(BOX(j), ESTRIDE(j)), v_i)
#define PROD_LE(cap, first, f)                                                                     \
    ((v_i)(FLOATING(first) * FACTOR(0, f(0)) * FACTOR(1, f(1)) * FACTOR(2, f(2)) *                 \
               FACTOR(3, f(3)) * FACTOR(4, f(4)) >                                                 \
           FLOATING(cap)))
