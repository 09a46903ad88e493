/* The fixed set of bench/check: drawn by one seed, the same on every machine. */
#ifndef TMAP_BENCH_CHECK_SET_H
#define TMAP_BENCH_CHECK_SET_H

#include "driver/rng.h"
#include "tmap/tmap.h"

#include <string.h>

#define CHECK_SET 4096
#define CHECK_SET_SEED UINT64_C(0x746d61702d636865)

/* What users encode: an inner row of 16 to 128 bytes, a swizzle that spans it, dense or padded
 * rows. */
static inline struct tmap_desc check_set_legal(uint64_t *s)
{
    static const int32_t types[] = {TMAP_BFLOAT16, TMAP_FLOAT16, TMAP_UINT8, TMAP_FLOAT32,
                                    TMAP_INT32};
    static const uint32_t bytes[] = {2, 2, 1, 4, 4};
    struct tmap_desc d;
    memset(&d, 0, sizeof d);
    const uint32_t t = (uint32_t)(rng_step(s) % 5), size = bytes[t];
    const uint32_t inner = 16u << (rng_step(s) % 4); /* bytes */
    d.dtype = types[t];
    d.rank = 1 + (uint32_t)(rng_step(s) % 5);
    d.address = UINT64_C(0x7f0000000000) + 16 * (rng_step(s) % (1u << 20));
    d.swizzle = inner <= 32 ? 1 : inner <= 64 ? 2 : 3;
    d.l2_promotion = (int32_t)(rng_step(s) % 4);
    uint64_t pitch = 16 * (1 + rng_step(s) % 4096);
    d.dim[0] = pitch / size;
    d.box[0] = inner / size;
    for (uint32_t i = 0; i < d.rank; i++) d.elem_stride[i] = 1;
    for (uint32_t i = 1; i < d.rank; i++) {
        d.dim[i] = 1 + rng_step(s) % (i == 1 ? 65536 : 64);
        d.box[i] = 1 + (uint32_t)(rng_step(s) % (i == 1 ? 128 : 4));
        d.stride_bytes[i - 1] = pitch;
        pitch *= d.dim[i];
        if (pitch >= UINT64_C(1) << 40) pitch = 16;
    }
    return d;
}

static inline void check_set_spoil(struct tmap_desc *d, uint64_t *s)
{
    const uint32_t i = (uint32_t)(rng_step(s) % d->rank);
    switch (rng_step(s) % 8) {
    case 0:
        d->address += 8;
        break;
    case 1:
        d->stride_bytes[i ? i - 1 : 0] += 2;
        break;
    case 2:
        d->dim[i] = 0;
        break;
    case 3:
        d->box[i] = 257;
        break;
    case 4:
        d->box[0] += 1;
        break;
    case 5:
        d->elem_stride[i] = 9;
        break;
    case 6:
        d->swizzle = 7;
        break;
    default:
        d->oob_fill = TMAP_OOB_NAN, d->dtype = TMAP_UINT16;
        break;
    }
}

static inline void check_set_make(struct tmap_desc out[CHECK_SET])
{
    uint64_t s = CHECK_SET_SEED;
    for (size_t i = 0; i < CHECK_SET; i++) {
        out[i] = check_set_legal(&s);
        const uint64_t wrong = i % 2 ? 1 + rng_step(&s) % 3 : 0;
        for (uint64_t k = 0; k < wrong; k++) check_set_spoil(&out[i], &s);
    }
    for (size_t i = CHECK_SET - 1; i > 0; i--) {
        const size_t j = (size_t)(rng_step(&s) % (i + 1));
        const struct tmap_desc t = out[i];
        out[i] = out[j];
        out[j] = t;
    }
}

static inline uint64_t check_set_hash(const struct tmap_desc *set) /* FNV-1a over the fields */
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < CHECK_SET; i++) {
        const uint64_t words[] = {(uint64_t)set[i].dtype,
                                  set[i].rank,
                                  set[i].address,
                                  set[i].dim[0],
                                  set[i].dim[4],
                                  set[i].stride_bytes[0],
                                  set[i].stride_bytes[3],
                                  set[i].box[0],
                                  set[i].elem_stride[0],
                                  (uint64_t)set[i].swizzle,
                                  (uint64_t)set[i].oob_fill};
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            h = (h ^ words[k]) * UINT64_C(0x100000001b3);
    }
    return h;
}

#endif
