/* Lookups by enum value, from src/rules/enums.def. Total: an index outside the enum reads a 0,
 * which no row relies on, since rows about the value need the row that says the enum is known. */
#ifndef TMAP_EXPR_TABLES_H
#define TMAP_EXPR_TABLES_H

#include <stdint.h>

enum table_id { TABLE_SIZE_BITS, TABLE_GMEM_BITS, TABLE_SPAN, TABLE_SLICE, TABLE_COUNT };
#define TABLE_ENTRIES 16

static const uint8_t table_size_bits[TABLE_ENTRIES] = {
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, tf32)   \
    [value] = smem_bits,
#include "rules/enums.def"
};
static const uint8_t table_gmem_bits[TABLE_ENTRIES] = {
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, tf32)   \
    [value] = gmem_bits,
#include "rules/enums.def"
};
static const uint8_t table_span[TABLE_ENTRIES] = {
#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) [value] = span_bytes,
#include "rules/enums.def"
};
static const uint8_t table_slice[TABLE_ENTRIES] = {
#define INTERLEAVE(id, json, value, since, slice_bytes) [value] = slice_bytes,
#include "rules/enums.def"
};

static inline uint32_t table_at(enum table_id table, int64_t index)
{
    const unsigned i = (unsigned)index & (TABLE_ENTRIES - 1);
    switch (table) {
    case TABLE_SIZE_BITS:
        return table_size_bits[i];
    case TABLE_GMEM_BITS:
        return table_gmem_bits[i];
    case TABLE_SPAN:
        return table_span[i];
    case TABLE_SLICE:
        return table_slice[i];
    default:
        return 0;
    }
}

#endif
