/* Rows on vectors of four, for processors with AVX2. */
#ifdef __x86_64__
#include <immintrin.h>
#define VECTOR_BYTES 32
#define COLUMNS_TARGET __attribute__((target("avx2")))
#define COLUMNS_ROWS columns_rows_avx2
#define WIDE_U32(p) ((v_i)_mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(p))))
#define WIDE_I32(p) ((v_i)_mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(p))))
#include "core/columns_rows.h"
#else
typedef int columns_avx2; /* a file of C has at least one declaration */
#endif
