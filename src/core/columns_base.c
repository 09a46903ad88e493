/* Rows on vectors of two, which every processor has: SSE2, NEON. */
#define VECTOR_BYTES 16
#define COLUMNS_TARGET
#define COLUMNS_ROWS columns_rows_base
#define LOOKED_UP(table, p, k) (table)[(unsigned)(p)[k] & (TABLE_ENTRIES - 1)]
#define LOOK_UP(table, of, p)                                                                      \
    ((v_u){LOOKED_UP(table, p, 0), LOOKED_UP(table, p, 1), LOOKED_UP(table, p, 2),                 \
           LOOKED_UP(table, p, 3)})
#ifdef __SSE2__ /* which compares no lanes of 64 bits: by what either half has, in the lower one   \
                 */
#define BROKEN(c)                                                                                  \
    (__extension__({                                                                               \
        const v_i it = (c);                                                                        \
        sizeof(lane) == 8                                                                          \
            ? (v_i)((VECTOR(int32_t, VECTOR_BYTES))(it | (v_i)((v_u)it >> (LANE_BITS / 2))) !=     \
                    (VECTOR(int32_t, VECTOR_BYTES)){0}) &                                          \
                  ALL(UINT32_MAX)                                                                  \
            : (v_i)(it != ALL(0));                                                                 \
    }))
#endif
#include "core/columns_rows.h"
