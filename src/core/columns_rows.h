/* The rows of desc.def compiled for vectors of VECTOR_BYTES, under the name COLUMNS_ROWS: the body
 * of columns_base.c, columns_avx2.c and columns_avx512.c. */
#include "core/bad_places.h"
#include "core/columns.h"
#include "expr/words_width.h"

#include "expr/words_vector.h"
#include "rules/sets.def"

#define NATIVE_KIND kind
#define NATIVE_RANK rank
#define WHEN(c) (c)
#define MUST(c) (c)
#define ALWAYS_INLINE static inline __attribute__((always_inline)) COLUMNS_TARGET
#define VECTOR(type, bytes) type __attribute__((vector_size(bytes)))
/* one where it lies in a column */
#define IN_COLUMN(type, bytes)                                                                     \
    __attribute__((unused)) type                                                                   \
        __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias))

#define BAD_PLACE(c, m, j, limit)                                                                  \
    if ((rank) > (limit)) {                                                                        \
        enum { i = j };                                                                            \
        here |= (c) & ~(m);                                                                        \
    }
#define BAD_ONCE(c, m) BAD_PLACE(c, m, 0, 0)

/* A row over the block, where it counts: its class to the descriptors that violate it. */
#define OVER_BLOCK(id, span, when, must)                                                           \
    if (class[ROW_##id]) {                                                                         \
        const v_i says = ALL(class[ROW_##id]);                                                     \
        for (size_t at = 0; at < COLUMNS_BLOCK; at += sizeof(v_i) / sizeof(lane)) {                \
            v_i here = ALL(0);                                                                     \
            BAD_##span(when, must) * (v_i *)(bad + at) |= here & says;                             \
        }                                                                                          \
    }
#define ROW(id, name, kinds, span, needs, when, must, effect, ...)                                 \
    if (WIDE_##id == WIDE && EFFECT_##effect == EFFECT_VIOLATION &&                                \
        ((KINDS_##kinds >> kind) & 1)) {                                                           \
        OVER_BLOCK(id, span, when, must)                                                           \
    }

#define WIDE 1
#define OF_U64(column) ((v_u) * (const u64_there *)((column) + at))
#define OF_U32(column) WIDE_U32((column) + at)
#define OF_I32(column) WIDE_I32((column) + at)
#ifndef WIDE_U32 /* gcc 12 makes five instructions of what some processors have one for */
#define WIDE_U32(p) __builtin_convertvector(*(const u32_there *)(p), v_i)
#define WIDE_I32(p) __builtin_convertvector(*(const i32_there *)(p), v_i)
#endif
ALWAYS_INLINE void rows_of_64(const struct columns_view *w, const uint8_t *class, const int kind,
                              const uint32_t rank, uint64_t *bad)
{
    typedef int64_t lane;
    typedef VECTOR(int64_t, VECTOR_BYTES) v_i;
    typedef VECTOR(uint64_t, VECTOR_BYTES) v_u;
    typedef VECTOR(double, VECTOR_BYTES) v_f;
    typedef IN_COLUMN(uint64_t, VECTOR_BYTES) u64_there;
    typedef IN_COLUMN(uint32_t, VECTOR_BYTES / 2) u32_there;
    typedef IN_COLUMN(int32_t, VECTOR_BYTES / 2) i32_there;
#include "rules/desc.def"
}
#undef WIDE
#undef OF_U64
#undef OF_U32
#undef OF_I32

#define WIDE 0
#define OF_U64(column) ((v_u)ALL(0)) /* none of these rows' */
#define OF_U32(column) ((v_u) * (const u32_there *)((column) + at))
#define OF_I32(column) ((v_i) * (const i32_there *)((column) + at))
ALWAYS_INLINE void rows_of_32(const struct columns_view *w, const uint8_t *class, const int kind,
                              const uint32_t rank, uint32_t *bad)
{
    typedef int32_t lane;
    typedef VECTOR(int32_t, VECTOR_BYTES) v_i;
    typedef VECTOR(uint32_t, VECTOR_BYTES) v_u;
    typedef VECTOR(float, VECTOR_BYTES) v_f;
    typedef IN_COLUMN(uint32_t, VECTOR_BYTES) u32_there;
    typedef IN_COLUMN(int32_t, VECTOR_BYTES) i32_there;
#include "rules/desc.def"
}

#define OF_KIND_AND_RANK(k, r)                                                                     \
    case 8 * (k) + (r):                                                                            \
        rows_of_64(w, class, (k), (r), bad->of_64);                                                \
        rows_of_32(w, class, (k), (r), bad->of_32);                                                \
        break;

COLUMNS_TARGET void COLUMNS_ROWS(const struct columns_view *w, const uint8_t *class,
                                 struct columns_bad *bad)
{
    switch (8 * w->common->kind + (int)w->common->rank) {
        OF_KIND_AND_RANK(TMAP_TILED, 1)
        OF_KIND_AND_RANK(TMAP_TILED, 2)
        OF_KIND_AND_RANK(TMAP_TILED, 3)
        OF_KIND_AND_RANK(TMAP_TILED, 4)
        OF_KIND_AND_RANK(TMAP_TILED, 5)
        OF_KIND_AND_RANK(TMAP_IM2COL, 3)
        OF_KIND_AND_RANK(TMAP_IM2COL, 4)
        OF_KIND_AND_RANK(TMAP_IM2COL, 5)
        OF_KIND_AND_RANK(TMAP_IM2COL_WIDE, 3)
        OF_KIND_AND_RANK(TMAP_IM2COL_WIDE, 4)
        OF_KIND_AND_RANK(TMAP_IM2COL_WIDE, 5)
    }
}
