/* The rows of desc.def on a plain descriptor, which most are: tiled, without interleave, flags and
 * NaN fill, element strides of 1, no packed type and no swizzle of larger atoms. The words name
 * those values here, so that what rows say of other modes is not compiled: a third of the
 * instructions is left. Included by check.c after all else that expands rows. */
#include "core/native_rows.h"
#include "rules/sets.def"

#include <string.h>

#define LEAST(set) ((uint32_t)__builtin_ctzll(set))

INLINE bool is_plain(const struct tmap_desc *d, const uint32_t rank)
{
    static const uint32_t ones[TMAP_MAX_RANK] = {1, 1, 1, 1, 1};
    return (d->flags | (uint32_t)d->interleave | (uint32_t)d->oob_fill) == 0 &&
           (uint32_t)d->dtype < LEAST(PACKED) && (uint32_t)d->swizzle < LEAST(ATOM_SWIZZLES) &&
           memcmp(d->elem_stride, ones, rank * sizeof ones[0]) == 0;
}

INLINE int64_t known_below(int32_t value, uint32_t end)
{
    if ((uint32_t)value >= end) __builtin_unreachable();
    return value;
}

#undef DTYPE
#undef SWIZZLE
#undef INTERLEAVE
#undef OOB
#undef ESTRIDE
#undef FLAG
#undef IN
#define DTYPE known_below(d->dtype, LEAST(PACKED))
#define SWIZZLE known_below(d->swizzle, LEAST(ATOM_SWIZZLES))
#define INTERLEAVE ((int64_t)TMAP_INTERLEAVE_NONE)
#define OOB ((int64_t)TMAP_OOB_NONE)
#define ESTRIDE(i) ((int64_t)1)
#define FLAG(bit) ((int64_t)0)
#define IN(x, set) ((int)((x) >= LEAST(set) && ((set) >> (x)&1))) /* x is one of the two above */

/* A row leaves at the first place that fails: most ask one comparison. */
#undef BAD_PLACE
#define BAD_PLACE(c, m, j, limit)                                                                  \
    if ((rank) > (limit)) {                                                                        \
        enum { i = j };                                                                            \
        if (__builtin_expect(!(m), 0) && (c)) return true;                                         \
    }
#define PLAIN_ONCE(c, m) BAD_PLACE(c, m, 0, 0)
#define PLAIN_DIMS(c, m) BAD_DIMS(c, m)
#define PLAIN_OUTER(c, m) BAD_OUTER(c, m)
#define PLAIN_STRIDES(c, m) BAD_STRIDES(c, m)
#define PLAIN_SPATIALS(c, m)

INLINE bool any_plain_row(const struct tmap_desc *d, const struct tmap_target *tg,
                          const uint32_t rank)
{
    const int kind = TMAP_TILED;
    const struct derived none = {0}, *dv = &none; /* of an allocation, which there is none of */
#define ROW(id, name, kinds, span, needs, when, must, effect, ...)                                 \
    if (EFFECT_##effect == EFFECT_VIOLATION && ((KINDS_##kinds >> kind) & 1)) {                    \
        PLAIN_##span(when, must)                                                                   \
    }
#include "rules/desc.def"
#undef ROW
    return false;
}
