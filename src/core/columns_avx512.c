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
#define COLUMNS_ROWS columns_rows_avx512
#define WIDE_U32(p) ((v_i)_mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(p))))
#define WIDE_I32(p) ((v_i)_mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(p))))
#include "core/columns_rows.h"
#else
typedef int columns_avx512; /* a file of C has at least one declaration */
#endif
