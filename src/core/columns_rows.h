/* The rows of desc.def compiled for vectors of VECTOR_BYTES, under the name COLUMNS_ROWS: the body
 * of columns_base.c, columns_avx2.c and columns_avx512.c. */
#include "core/bad_places.h"
#include "core/columns.h"
#include "expr/tables.h"
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
        wrong |= (m);                                                                              \
    }
#define BAD_ONCE(c, m) BAD_PLACE(c, m, 0, 0)

/* The places are summed up before the question whether the row applies, which no row asks of a
 * place (tests/core/test_columns.c would show one). */
#define ADD_ROW(span, when, must)                                                                  \
    {                                                                                              \
        v_i wrong = ALL(0);                                                                        \
        BAD_##span(when, must)                                                                     \
        {                                                                                          \
            enum { i = 0 };                                                                        \
            here |= HOLDS(when) & wrong;                                                           \
        }                                                                                          \
    }

#define OVER_BLOCK for (size_t at = 0; at < COLUMNS_BLOCK; at += VECTOR_BYTES / sizeof(lane))

/* A row at the lanes from `at` on: the rows share what they read. */
#define ROW_USUAL(id, span, when, must)                                                            \
    if (!RARE_##id) {                                                                              \
        ADD_ROW(span, when, must)                                                                  \
    }
#define ROW_ALWAYS(id, span, when, must)                                                           \
    if (ALWAYS_##id) {                                                                             \
        ADD_ROW(span, when, must)                                                                  \
    }
/* A row over the block, where it counts: its class to the descriptors that violate it. */
#define ROW_DONE(id) (how == ROWS_EVERY ? !RARE_##id : WIDE && how == ROWS_LEFT && ALWAYS_##id)
#define ROW_SOME(id, span, when, must)                                                             \
    if (class[ROW_##id] && !ROW_DONE(id)) {                                                        \
        const v_i says = ALL(class[ROW_##id]);                                                     \
        OVER_BLOCK                                                                                 \
        {                                                                                          \
            v_i here = ALL(0);                                                                     \
            ADD_ROW(span, when, must)                                                              \
            *(v_i *)(bad + at) |= BROKEN(here) & says;                                             \
        }                                                                                          \
    }
/* Rows are looked at by their span, so that what those of a part read stays in the registers; or
 * all together where there are registers enough (ROWS_AT_ONCE). */
enum {
    PART_ONCE = 1,
    PART_DIMS = 2,
    PART_OUTER = PART_DIMS,
    PART_STRIDES = 4,
    PART_SPATIALS = 8,
    ANY_PART = 15
};
#define ROW(id, name, kinds, span, needs, when, must, effect, ...)                                 \
    if (WIDE_##id == WIDE && EFFECT_##effect == EFFECT_VIOLATION &&                                \
        ((KINDS_##kinds >> kind) & 1) && (part & PART_##span)) {                                   \
        ROW_OF(id, span, when, must)                                                               \
    }

#ifdef ROWS_AT_ONCE
#define EVERY_PART(rows) rows(w, kind, rank, ANY_PART, bad);
#else
/* Of 64 bits, strides ask of types and interleaves as single rows do. */
#define EVERY_PART(rows)                                                                           \
    rows(w, kind, rank, PART_ONCE | (WIDE ? PART_STRIDES : 0), bad);                               \
    rows(w, kind, rank, PART_DIMS | (WIDE ? 0 : PART_STRIDES), bad);                               \
    if (kind != TMAP_TILED) rows(w, kind, rank, PART_SPATIALS, bad);
#endif

#ifndef LOOK_UP
#define LOOKED_UP 1
#define LOOK_UP(table, index, out) (*(out) = (table)[(unsigned)*(index) & (TABLE_ENTRIES - 1)])
#endif
#ifndef WIDE_U32 /* gcc 12 makes five instructions of what some processors have one for */
#define WIDE_U32(p) __builtin_convertvector(*(const u32_there *)(p), v_i)
#define WIDE_I32(p) __builtin_convertvector(*(const i32_there *)(p), v_i)
#endif

#define WIDE 1
#define WORD uint64_t
#define EVERY_OF every_of_64
#define ROWS_OF rows_of_64
#define OF_U64(column) ((v_u) * (const u64_there *)((column) + at))
#define OF_U32(column) WIDE_U32((column) + at)
#define OF_I32(column) WIDE_I32((column) + at)
#define TYPES                                                                                      \
    typedef int64_t lane;                                                                          \
    typedef VECTOR(int64_t, VECTOR_BYTES) v_i;                                                     \
    typedef VECTOR(uint64_t, VECTOR_BYTES) v_u;                                                    \
    typedef VECTOR(double, VECTOR_BYTES) v_f;                                                      \
    typedef IN_COLUMN(uint64_t, VECTOR_BYTES) u64_there;                                           \
    typedef IN_COLUMN(uint32_t, VECTOR_BYTES / 2) u32_there;                                       \
    typedef IN_COLUMN(int32_t, VECTOR_BYTES / 2) i32_there
#include "core/columns_lanes.h"

#define WIDE 0
#define WORD uint32_t
#define EVERY_OF every_of_32
#define ROWS_OF rows_of_32
#define OF_U64(column) ((v_u)ALL(0)) /* none of these rows' */
#define OF_U32(column) ((v_u) * (const u32_there *)((column) + at))
#define OF_I32(column) ((v_i) * (const i32_there *)((column) + at))
#define TYPES                                                                                      \
    typedef int32_t lane;                                                                          \
    typedef VECTOR(int32_t, VECTOR_BYTES) v_i;                                                     \
    typedef VECTOR(uint32_t, VECTOR_BYTES) v_u;                                                    \
    typedef VECTOR(float, VECTOR_BYTES) v_f;                                                       \
    typedef IN_COLUMN(uint32_t, VECTOR_BYTES) u32_there;                                           \
    typedef IN_COLUMN(int32_t, VECTOR_BYTES) i32_there
#include "core/columns_lanes.h"

/* What the tables say of the block's types and swizzles. */
ALWAYS_INLINE void look_up(const struct columns_view *w)
{
    for (size_t at = 0; at < COLUMNS_BLOCK && w->types_differ; at += LOOKED_UP)
        LOOK_UP(table_size_bits, w->column.dtype + at, w->size_bits + at);
    for (size_t at = 0; at < COLUMNS_BLOCK && w->swizzles_differ; at += LOOKED_UP)
        LOOK_UP(table_span, w->column.swizzle + at, w->span + at);
}

/* The values of a block's column, as struct columns_seen has them. */
ALWAYS_INLINE uint32_t values_of(const int32_t *column)
{
    typedef int32_t lane;
    typedef VECTOR(int32_t, VECTOR_BYTES) v_i;
    typedef VECTOR(uint32_t, VECTOR_BYTES) v_u;
    typedef IN_COLUMN(uint32_t, VECTOR_BYTES) u32_there;
    v_u set = (v_u)ALL(0), beyond = (v_u)ALL(0);
    uint32_t all = 0, any_beyond = 0;
    OVER_BLOCK
    {
        const v_u x = *(const u32_there *)(column + at);
        set |= (v_u)ALL(1) << (x & 31);
        beyond |= x >> 5;
    }
    for (size_t k = 0; k < sizeof set / sizeof(lane); k++) all |= set[k], any_beyond |= beyond[k];
    return any_beyond ? UINT32_MAX : all;
}

/* Whether any row is violated, of each descriptor; the classes of all of these rows. */
ALWAYS_INLINE uint32_t verdicts_of(struct columns_bad *bad, uint32_t of_all,
                                   enum tmap_verdict *verdicts)
{
    typedef int32_t lane;
    typedef VECTOR(int32_t, VECTOR_BYTES) v_i;
    typedef VECTOR(uint32_t, VECTOR_BYTES) v_u;
    typedef VECTOR(uint64_t, VECTOR_BYTES * 2) v_twice;
    typedef IN_COLUMN(int32_t, VECTOR_BYTES) i32_there;
    v_u any = (v_u)ALL(0);
    uint32_t classes = 0;
    OVER_BLOCK
    {
        v_u *here = (v_u *)(bad->of_32 + at);
        *here |= (v_u)ALL(of_all);
        *here |= __builtin_convertvector(*(const v_twice *)(bad->of_64 + at), v_u);
        *(i32_there *)(verdicts + at) = (v_i)(*here != (v_u)ALL(0)) & ALL(1);
        any |= *here;
    }
    for (size_t k = 0; k < sizeof any / sizeof(lane); k++) classes |= any[k];
    return classes;
}

#define OF_KIND_AND_RANK(k, r)                                                                     \
    case 8 * (k) + (r):                                                                            \
        rows_of_64(w, how, class, (k), (r), bad->of_64);                                           \
        rows_of_32(w, how, class, (k), (r), bad->of_32);                                           \
        break;

COLUMNS_TARGET uint32_t COLUMNS_ROWS(const struct columns_view *view, enum columns_how how,
                                     const uint8_t *class, uint32_t of_all, struct columns_bad *bad,
                                     enum tmap_verdict *verdicts)
{
    const struct columns_view own = *view, *w = &own; /* no store of a lane can change it */
    uint8_t applies[SUBJECT_DESC_END];
    look_up(w);
    if (how == ROWS_EVERY) {
        const struct columns_seen seen = {
            .dtype = values_of(w->column.dtype),
            .interleave = values_of(w->column.interleave),
            .swizzle = values_of(w->column.swizzle),
            .oob_fill = values_of(w->column.oob_fill),
        };
        columns_narrow(w, &seen, class, applies);
        class = applies;
    }
    switch (8 * w->kind + (int)w->rank) {
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
    return verdicts_of(bad, of_all, verdicts);
}
