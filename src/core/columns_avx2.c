/* Rows on vectors of four, for processors with AVX2. */
#ifdef __x86_64__
#include <immintrin.h>
#define VECTOR_BYTES 32
#define COLUMNS_TARGET __attribute__((target("avx2")))
#define COLUMNS_ROWS columns_rows_avx2
#define WIDE_U32(p) ((v_i)_mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(p))))
#define WIDE_I32(p) ((v_i)_mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(p))))
#define GREATER(a, b) ((v_i)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
/* a byte of the table to each lane's lowest, by the lowest four bits */
#define LOOK_UP(table, of, p)                                                                      \
    ((v_u)_mm256_shuffle_epi8(                                                                     \
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table))),                    \
        _mm256_or_si256(_mm256_and_si256((__m256i)(of), _mm256_set1_epi32(TABLE_ENTRIES - 1)),     \
                        _mm256_set1_epi32((int)0x80808000))))
/* Of element strides, which are 8 at most. A whole number up to 256 times one of these, truncated,
 * is the quotient (tests/core/test_columns.c tries all), without a division of 16 clocks. */
#define RECIPROCALS                                                                                \
    _mm256_setr_ps(1 / 8.0f, 1, 1 / 2.0f, 1 / 3.0f, 1 / 4.0f, 1 / 5.0f, 1 / 6.0f, 1 / 7.0f)
#define QUOTIENT(a, b) (FLOATING(a) * (v_f)_mm256_permutevar8x32_ps(RECIPROCALS, (__m256i)(b)))
#include "core/columns_rows.h"
#else
typedef int columns_avx2; /* a file of C has at least one declaration */
#endif
