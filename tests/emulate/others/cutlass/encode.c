/* The driver's encoder for programs that have no driver: by tmap's. */
#include <stdint.h>
#include <string.h>

#include "tmap/tmap.h"

int cuTensorMapEncodeTiled(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                           const uint64_t *stride, const uint32_t *box, const uint32_t *elem_stride,
                           int interleave, int swizzle, int l2, int oob);
int cuTensorMapEncodeTiled(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                           const uint64_t *stride, const uint32_t *box, const uint32_t *elem_stride,
                           int interleave, int swizzle, int l2, int oob)
{
    struct tmap_desc d = {.kind = TMAP_TILED,
                          .dtype = dtype,
                          .rank = rank,
                          .address = (uintptr_t)address,
                          .interleave = interleave,
                          .swizzle = swizzle,
                          .l2_promotion = l2,
                          .oob_fill = oob};
    struct tmap_map out;
    for (uint32_t i = 0; i < rank && i < TMAP_MAX_RANK; i++) {
        d.dim[i] = dim[i];
        d.box[i] = box[i];
        d.elem_stride[i] = elem_stride[i];
        if (i + 1 < rank) d.stride_bytes[i] = stride[i];
    }
    if (!tmap_encode_unchecked(&d, &out)) return 1;
    memcpy(map, &out, 128);
    return 0;
}
