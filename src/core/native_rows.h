/* All rows of a subject at once: src/rules expanded natively into a set of row bits. Specialised on
 * the kind and, where the caller says so, the rank, constants at each call, and branch-free, so
 * that a check costs the same whatever it finds. Included by the files of src/core that evaluate
 * rows. */
#ifndef TMAP_CORE_NATIVE_ROWS_H
#define TMAP_CORE_NATIVE_ROWS_H

#include "core/bad_places.h"
#include "core/checker.h"
#include "expr/native.h"
#include "expr/words_native.h"

#define NATIVE_KIND kind
#define NATIVE_RANK rank
#define WHEN(c) (c)
#define MUST(c) (c)
#define INLINE static inline __attribute__((always_inline))

#define SET_BIT(id, bad) set->w[ROW_##id / 64] |= (uint64_t)(bad) << (ROW_##id % 64);
#define SET_ONCE(id, c, m)                                                                         \
    {                                                                                              \
        enum { i = 0 };                                                                            \
        SET_BIT(id, (c) & !(m))                                                                    \
    }
/* The places of a row are summed up before the one shift. */
#define BAD_PLACE(c, m, j, limit)                                                                  \
    {                                                                                              \
        enum { i = j };                                                                            \
        bad |= ((rank) > (limit)) & (c) & !(m);                                                    \
    }
#define SET_PLACES(id, places)                                                                     \
    {                                                                                              \
        int bad = 0;                                                                               \
        places SET_BIT(id, bad)                                                                    \
    }
#define SET_DIMS(id, c, m) SET_PLACES(id, BAD_DIMS(c, m))
#define SET_OUTER(id, c, m) SET_PLACES(id, BAD_OUTER(c, m))
#define SET_STRIDES(id, c, m) SET_PLACES(id, BAD_STRIDES(c, m))
#define SET_SPATIALS(id, c, m) SET_PLACES(id, BAD_SPATIALS(c, m))

/* Expands to the rows of the included .def that are of `wanted` effect and of the constant kind. */
#define ROW_OF(wanted, id, kinds, span, when, must, effect)                                        \
    if ((int)EFFECT_##effect == (int)(wanted) && ((KINDS_##kinds >> kind) & 1)) {                  \
        SET_##span(id, when, must)                                                                 \
    }

#endif
