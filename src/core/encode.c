/* encode.c : the 128 bytes of a descriptor, without a driver. */
#include "core/bits.h"
#include "core/checker.h"

#include <string.h>

#include "core/layout.h"

#define BITS(member, json, index, when, word, low, width, shift, bias, sign)                       \
    {json, index, MAP_##when, word, low, width, shift, bias, sign},
const struct map_bits map_bits[] = {
#include "rules/bits.def"
};
const size_t map_bits_count = sizeof map_bits / sizeof map_bits[0];

enum map_layout map_layout_of(bool im2col, uint32_t rank)
{
    if (!im2col) return MAP_TILED;
    return rank <= 3 ? MAP_IM2COL3 : rank == 4 ? MAP_IM2COL4 : MAP_IM2COL5;
}

/* Type codes. No driver was seen encoding the packed types: the one of the record refuses them on
 * sm_90. Their first 64 bytes are as the host code of CUTLASS's Python DSL 4.7 writes them for
 * sm_100 (2026-11-22), every field in the place and the units of the other types'; it leaves the
 * rest, which no copy reads, to chance. There the bytes of a box are taken to be those that a load
 * counts. */
struct type_code {
    uint8_t code, tf32, bits;
};
static const struct type_code type_codes[] = {
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, tf32)   \
    [value] = {code, tf32, gmem_bits},
#include "rules/enums.def"
};

/* What the driver notes as the shared memory's alignment: eight spans, sixteen bytes without. */
static uint64_t align_of_swizzle(uint32_t swizzle)
{
    static const uint16_t bytes[] = {16, 256, 512, 1024};
    return bytes[swizzle & 3];
}

/* box / element stride, rounded down as the driver does (the hardware signals the ceiling). Values
 * that fit their fields take a multiplication: 2^16 / e rounded up is exact for a box of 9 bits. */
static inline uint32_t strided(uint32_t box, uint32_t elem_stride)
{
    static const uint32_t inverse[] = {65536, 65536, 32768, 21846, 16384, 13108, 10923, 9363, 8192};
    if (elem_stride >= sizeof inverse / sizeof inverse[0] || (box >> 9 && elem_stride))
        return box / elem_stride;
    return box * inverse[elem_stride] >> 16;
}

/* Loops over all dimensions with a choice inside, not over the rank: nothing to mispredict. */
static void fill_tiled(const struct tmap_desc *d, uint32_t rank, struct map_fields *f)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) {
        f->box[i] = i < rank ? d->box[i] : 1;
        elements *= i < rank ? strided(d->box[i], d->elem_stride[i]) : 1;
    }
    f->box_bytes = elements;
}

static void fill_im2col(const struct tmap_desc *d, uint32_t rank, struct map_fields *f)
{
    const uint32_t corners = d->kind == TMAP_IM2COL_WIDE ? 1 : rank > 2 ? rank - 2 : 0;
    f->im2col = 1;
    f->channels = d->channels;
    f->pixels = d->pixels;
    for (uint32_t i = 0; i < TMAP_MAX_SPATIAL; i++) {
        f->lower[i] = i < corners ? d->lower[i] : 0;
        f->upper[i] = i < corners ? d->upper[i] : 0;
    }
    f->box_bytes = (uint64_t)d->channels * d->pixels;
}

bool map_fields_of_desc(const struct tmap_desc *d, struct map_fields *f)
{
    const uint32_t type = (uint32_t)d->dtype, swizzle = (uint32_t)d->swizzle;
    if (type >= sizeof type_codes / sizeof type_codes[0]) return false;
    if (swizzle > TMAP_SWIZZLE_128B) return false;
    const uint32_t rank = d->rank < TMAP_MAX_RANK ? d->rank : TMAP_MAX_RANK;
    f->im2col = f->atomicity = f->bit85 = f->swizzle_96b = 0;
    f->address = d->address;
    f->rank = d->rank;
    f->type_code = type_codes[type].code;
    f->tf32 = type_codes[type].tf32;
    f->interleave = (uint32_t)d->interleave;
    f->swizzle = swizzle;
    f->oob_fill = (uint32_t)d->oob_fill;
    f->l2_promotion = (uint32_t)d->l2_promotion;
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) {
        f->dim[i] = i < rank ? d->dim[i] : 1;
        f->elem_stride[i] = i < rank ? d->elem_stride[i] : 1;
        if (i > 0) f->stride_bytes[i - 1] = i < rank ? d->stride_bytes[i - 1] : 0;
    }
    if (d->kind == TMAP_TILED)
        fill_tiled(d, rank, f);
    else
        fill_im2col(d, rank, f);
    f->box_bytes = f->box_bytes * type_codes[type].bits / 8;
    f->align_bytes = align_of_swizzle(swizzle);
    return true;
}

static inline uint64_t stored(uint64_t value, unsigned shift, unsigned bias, unsigned width)
{
    return ((value >> shift) - bias) & map_bits_mask(width);
}

void map_write(const struct map_fields *f, struct tmap_map *out)
{
    const enum map_layout layout = map_layout_of(f->im2col != 0, f->rank);
    uint64_t w[16] = {0};
#define BITS(member, json, index, when, at, low, width, shift, bias, sign)                         \
    if (MAP_HAS(layout, when)) w[at] |= stored((uint64_t)f->member, shift, bias, width) << (low);
#include "rules/bits.def"
    memcpy(out->word, w, sizeof w);
}

bool tmap_encode_unchecked(const struct tmap_desc *desc, struct tmap_map *out)
{
    struct map_fields fields;
    if (!map_fields_of_desc(desc, &fields)) return false;
    map_write(&fields, out);
    return true;
}

enum tmap_status tmap_encode(const struct tmap_checker *checker, const struct tmap_desc *desc,
                             struct tmap_map *out)
{
    if (!checker || !desc || !out) return TMAP_E_ARGUMENT;
    const enum tmap_status status = checker_permits(checker, checker_encode_verdict(checker, desc));
    if (status != TMAP_OK) return status;
    return tmap_encode_unchecked(desc, out) ? TMAP_OK : TMAP_E_TARGET;
}
