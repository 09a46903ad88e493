/* Rows on vectors of two, which every processor has: SSE2, NEON. */
#define VECTOR_BYTES 16
#define COLUMNS_TARGET
#define COLUMNS_ROWS columns_rows_base
#include "core/columns_rows.h"
