/* Rows on vectors of two, which every processor has: SSE2, NEON. */
#define VECTOR_BYTES 16
#define COLUMNS_TARGET
#define COLUMNS_ROWS columns_rows_base
#define LOOKED_UP(table, p, k) (table)[(unsigned)(p)[k] & (TABLE_ENTRIES - 1)]
#define LOOK_UP(table, of, p)                                                                      \
    ((v_u){LOOKED_UP(table, p, 0), LOOKED_UP(table, p, 1), LOOKED_UP(table, p, 2),                 \
           LOOKED_UP(table, p, 3)})
#ifdef __SSE2__
/* It compares no lanes of 64 bits: by what either half has, in the lower one. */
typedef int of_32 __attribute__((vector_size(16)));
typedef long long of_64 __attribute__((vector_size(16)));
typedef unsigned long long of_u64 __attribute__((vector_size(16)));
static inline of_64 broken_64(of_64 c)
{
    return (of_64)((of_32)(c | (of_64)((of_u64)c >> 32)) != 0) & 0xffffffff;
}
static inline of_64 holds_64(of_64 c)
{
    const of_64 low = (of_64)((of_32)(c | (of_64)((of_u64)c >> 32)) == 0) & 0xffffffff;
    return low | low << 32;
}
#define BROKEN(c) (sizeof(lane) == 8 ? (v_i)broken_64((of_64)(c)) : (v_i)((c) != ALL(0)))
#define HOLDS(c) (sizeof(lane) == 8 ? (v_i)holds_64((of_64)(c)) : (v_i)((c) == ALL(0)))
#endif
#include "core/columns_rows.h"
