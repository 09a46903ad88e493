/* Rows on vectors of eight, for processors with AVX-512's foundation and its double and quad words.
 */
#ifdef __x86_64__
#include <immintrin.h>
#define VECTOR_BYTES 64
#ifdef __clang__
#define COLUMNS_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
#else /* gcc halves the vectors unless told not to */
#define COLUMNS_TARGET                                                                             \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")))
#endif
/* A column that is read at each use is read twice where it does not begin at a multiple of a
 * vector.
 */
#define ONCE(x)                                                                                    \
    (__extension__({                                                                               \
        __typeof__(x) once = (x);                                                                  \
        __asm__("" : "+v"(once));                                                                  \
        once;                                                                                      \
    }))
#define COLUMNS_ROWS columns_rows_avx512
#define WIDE_U32(p) ((v_i)_mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(p))))
#define WIDE_I32(p) ((v_i)_mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(p))))
#define GREATER(a, b) ((v_i)_mm512_max_epi32((__m512i)(a), (__m512i)(b)))
#define LOOK_UP(table, of, p) /* by the lowest four bits */                                        \
    ((v_u)_mm512_permutexvar_epi32(                                                                \
        (__m512i)(of), _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(table)))))
/* Of element strides, which are 8 at most. A whole number up to 256 times one of these, truncated,
 * is the quotient (tests/core/test_columns.c tries all), without a division of 16 clocks. */
#define RECIPROCALS                                                                                \
    _mm512_setr_ps(0, 1, 1 / 2.0f, 1 / 3.0f, 1 / 4.0f, 1 / 5.0f, 1 / 6.0f, 1 / 7.0f, 1 / 8.0f, 0,  \
                   0, 0, 0, 0, 0, 0)
#define QUOTIENT(a, b) (FLOATING(a) * (v_f)_mm512_permutexvar_ps((__m512i)(b), RECIPROCALS))
#include "core/columns_rows.h"
#else
typedef int columns_avx512; /* a file of C has at least one declaration */
#endif
