/* Rows on vectors of two, which every processor has: SSE2, NEON. */
#define VECTOR_BYTES 16
#define COLUMNS_TARGET
#define COLUMNS_ROWS columns_rows_base
#define LOOKED_UP(table, p, k) (table)[(unsigned)(p)[k] & (TABLE_ENTRIES - 1)]
#define LOOK_UP(table, of, p)                                                                      \
    ((v_u){LOOKED_UP(table, p, 0), LOOKED_UP(table, p, 1), LOOKED_UP(table, p, 2),                 \
           LOOKED_UP(table, p, 3)})
#include "core/columns_rows.h"
