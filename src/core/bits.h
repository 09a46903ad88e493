/* bits.h : the 128 bytes as fields. The positions are src/rules/bits.def's alone. */
#ifndef TMAP_CORE_BITS_H
#define TMAP_CORE_BITS_H

#include "tmap/tmap.h"

/* The values that the bytes hold, in the descriptor's units. Fields beyond the rank hold what is
 * stored as 0: 1 for a dimension, a box and an element stride, 0 for a stride and a corner. */
struct map_fields {
    uint64_t address;
    uint32_t im2col, rank, type_code, interleave, swizzle, oob_fill, tf32, l2_promotion;
    uint32_t atomicity, bit85, swizzle_96b;
    uint64_t stride_bytes[TMAP_MAX_RANK - 1];
    uint64_t dim[TMAP_MAX_RANK];
    uint32_t elem_stride[TMAP_MAX_RANK], box[TMAP_MAX_RANK];
    uint32_t channels;
    uint64_t pixels;
    int32_t lower[TMAP_MAX_SPATIAL], upper[TMAP_MAX_SPATIAL];
    uint64_t box_bytes, align_bytes;
};

/* Which fields share bits depends on the kind and, for im2col, on the rank. */
enum map_layout {
    MAP_TILED = 1,
    MAP_IM2COL3 = 2,
    MAP_IM2COL4 = 4,
    MAP_IM2COL5 = 8,
    MAP_IM2COL = MAP_IM2COL3 | MAP_IM2COL4 | MAP_IM2COL5,
    MAP_ALL = MAP_TILED | MAP_IM2COL
};

/* Whether a layout has a field of bits.def; those of all layouts are asked nothing. */
#define MAP_HAS(layout, when) (MAP_##when == MAP_ALL || (MAP_##when & (layout)))

/* One line of src/rules/bits.def. */
struct map_bits {
    const char *json;
    int index;
    enum map_layout when;
    unsigned word, low, width, shift, bias, sign;
};
extern const struct map_bits map_bits[];
extern const size_t map_bits_count;

enum map_layout map_layout_of(bool im2col, uint32_t rank);
enum map_layout map_layout_in(const struct tmap_map *map);

static inline uint64_t map_bits_mask(unsigned width)
{
    return width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}
/* The stored bits of one field, unshifted. */
static inline uint64_t map_bits_stored(const struct tmap_map *map, const struct map_bits *b)
{
    return map->word[b->word] >> b->low & map_bits_mask(b->width);
}
/* The stored bits as a value in the descriptor's units; negative ones as two's complement. */
static inline uint64_t map_bits_value(const struct tmap_map *map, const struct map_bits *b)
{
    uint64_t raw = map_bits_stored(map, b);
    if (b->sign && raw >> (b->width - 1)) raw |= ~map_bits_mask(b->width);
    return (raw + b->bias) << b->shift;
}

/* The fields of a descriptor, as this driver fills them. False when its type or swizzle is one that
 * no driver was seen encoding, so that its bytes are not known. */
bool map_fields_of_desc(const struct tmap_desc *desc, struct map_fields *out);
void map_write(const struct map_fields *fields, struct tmap_map *out);
void map_read(const struct tmap_map *map, struct map_fields *out);

#endif
