/* The rows of desc.def compiled for vectors of VECTOR_BYTES, under the name COLUMNS_ROWS: the body
 * of columns_base.c, columns_avx2.c and columns_avx512.c. */
#include "core/bad_places.h"
#include "core/columns.h"
#include "expr/tables.h"
#include "expr/words_width.h"

#include "expr/words_vector.h"
#include "rules/sets.def"

#include <string.h>

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
#define ADD_ROW(id, span, when, must)                                                              \
    {                                                                                              \
        enum { never_0 = NEVER_0_##id };                                                           \
        v_i wrong = ALL(0);                                                                        \
        BAD_##span(when, must)                                                                     \
        {                                                                                          \
            enum { i = 0 };                                                                        \
            here |= HOLDS(when) & wrong;                                                           \
        }                                                                                          \
    }

#define LANES (VECTOR_BYTES / sizeof(lane))
#define OVER_BLOCK for (size_t at = 0; at < COLUMNS_BLOCK; at += LANES)
/* The lanes from `at` on of a column, and of all; what no row reads is not compiled. */
#define READ(member)                                                                               \
    _Generic(w->column->member,                                                                    \
             const uint64_t * : OF_U64((const uint64_t *)w->column->member),                       \
             const uint32_t * : OF_U32((const uint32_t *)w->column->member),                       \
             const int32_t * : OF_I32((const int32_t *)w->column->member))
#ifndef ONCE
#define ONCE(x) (x)
#endif
#define OF_ONE(word, member, type) __typeof__(READ(member)) member;
#define OF_MANY(word, member, type, count) __typeof__(READ(member[0])) member[TMAP_MAX_RANK];
#define READ_ONE(word, member, type) .member = ONCE(READ(member)),
#define READ_NTH(j, member, count) ONCE(READ(member[(j) < (count) ? (j) : 0]))
#define READ_MANY(word, member, type, count)                                                       \
    .member = {READ_NTH(0, member, count), READ_NTH(1, member, count), READ_NTH(2, member, count), \
               READ_NTH(3, member, count), READ_NTH(4, member, count)},
#define READ_COLUMNS                                                                               \
    __attribute__((unused)) const struct {                                                         \
        COLUMNS(OF_ONE, OF_MANY)                                                                   \
    } of = {COLUMNS(READ_ONE, READ_MANY)}

/* A row at the lanes from `at` on: the rows share what they read. */
#define ROW_USUAL(id, counts, span, when, must)                                                    \
    if ((counts) && !RARE_##id) {                                                                  \
        ADD_ROW(id, span, when, must)                                                              \
    }
/* A row over the block: its class to the descriptors that violate it. */
#define ROW_ALONE(id, counts, span, when, must)                                                    \
    case ROW_##id:                                                                                 \
        if (counts) {                                                                              \
            OVER_BLOCK                                                                             \
            {                                                                                      \
                v_i here = ALL(0);                                                                 \
                ADD_ROW(id, span, when, must)                                                      \
                *(v_i *)(bad + at) |= BROKEN(here) & says;                                         \
            }                                                                                      \
        }                                                                                          \
        break;
#define ROW(id, name, kinds, span, needs, when, must, effect, ...)                                 \
    ROW_OF(id,                                                                                     \
           WIDE_##id == WIDE && EFFECT_##effect == EFFECT_VIOLATION &&                             \
               ((KINDS_##kinds >> kind) & 1),                                                      \
           span, when, must)

#ifndef GREATER
#define GREATER(a, b) CHOOSE((v_i)((a) > (b)), a, b)
#endif

#ifndef WIDE_U32 /* gcc 12 makes five instructions of what some processors have one for */
#define WIDE_U32(p) __builtin_convertvector(*(const u32_there *)(p), v_i)
#define WIDE_I32(p) __builtin_convertvector(*(const i32_there *)(p), v_i)
#endif

#define WIDE 1
#define WORD uint64_t
#define EVERY_OF every_of_64
#define ALONE_OF alone_of_64
#define OF_U64(column) ((v_u) * (const u64_there *)((column) + at))
#define OF_U32(column) WIDE_U32((column) + at)
#define OF_I32(column) WIDE_I32((column) + at)
#define OF_TABLE(table, member) ALL(0) /* none of these rows' */
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
#define ALONE_OF alone_of_32
#define OF_U64(column) ((v_u)ALL(0)) /* none of these rows' */
#define OF_U32(column) ((v_u) * (const u32_there *)((column) + at))
#define OF_I32(column) ((v_i) * (const i32_there *)((column) + at))
#define OF_TABLE(table, member) LOOK_UP(table, OF(member), w->column->member + at)
#define TYPES                                                                                      \
    typedef int32_t lane;                                                                          \
    typedef VECTOR(int32_t, VECTOR_BYTES) v_i;                                                     \
    typedef VECTOR(uint32_t, VECTOR_BYTES) v_u;                                                    \
    typedef VECTOR(float, VECTOR_BYTES) v_f;                                                       \
    typedef IN_COLUMN(uint32_t, VECTOR_BYTES) u32_there;                                           \
    typedef IN_COLUMN(int32_t, VECTOR_BYTES) i32_there
#include "core/columns_lanes.h"

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
    for (size_t k = 0; k < LANES; k++) classes |= any[k];
    return classes;
}

ALWAYS_INLINE void rows_of(const struct columns_view *w, struct columns_view *view, const int kind,
                           const uint32_t rank, struct columns_bad *all)
{
    if (w->every) {
        every_of_32(w, view, kind, rank, all->of_32);
        every_of_64(w, view, kind, rank, all->of_64);
    } else {
        memset(all, 0, sizeof *all);
    }
    alone_of_32(w, &view->alone[0], kind, rank, all->of_32);
    alone_of_64(w, &view->alone[1], kind, rank, all->of_64);
}

#define OF_KIND_AND_RANK(k, r)                                                                     \
    case 8 * (k) + (r):                                                                            \
        rows_of(w, view, (k), (r), bad);                                                           \
        break;

COLUMNS_TARGET uint32_t COLUMNS_ROWS(struct columns_view *view, struct columns_bad *bad,
                                     enum tmap_verdict *verdicts)
{
    const struct columns_view own = *view, *w = &own; /* no store of a lane can change it */
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
    return verdicts_of(bad, w->of_all, verdicts);
}
