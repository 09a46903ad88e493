/* All rows of a subject at once: src/rules expanded natively into a set of row bits. Specialised on
 * the kind, a compile-time constant at each call, and branch-free, so that a check costs the same
 * whatever it finds. Included by the files of src/core that evaluate rows. */
#ifndef TMAP_CORE_NATIVE_ROWS_H
#define TMAP_CORE_NATIVE_ROWS_H

#include "core/checker.h"
#include "expr/native.h"
#include "expr/words_native.h"

#define NATIVE_KIND kind
#define WHEN(c) (c)
#define MUST(c) (c)
#define INLINE static inline __attribute__((always_inline))

#define SET_BIT(id, c, m) set->w[ROW_##id / 64] |= (uint64_t)((c) & !(m)) << (ROW_##id % 64);
#define SET_ONCE(id, c, m)                                                                         \
    {                                                                                              \
        enum { i = 0 };                                                                            \
        SET_BIT(id, c, m)                                                                          \
    }
#define SET_PLACE(id, c, m, j, limit)                                                              \
    {                                                                                              \
        enum { i = j };                                                                            \
        SET_BIT(id, (d->rank > (limit)) & (c), m)                                                  \
    }
#define SET_DIMS(id, c, m)                                                                         \
    SET_PLACE(id, c, m, 0, 0)                                                                      \
    SET_PLACE(id, c, m, 1, 1)                                                                      \
    SET_PLACE(id, c, m, 2, 2) SET_PLACE(id, c, m, 3, 3) SET_PLACE(id, c, m, 4, 4)
#define SET_OUTER(id, c, m)                                                                        \
    SET_PLACE(id, c, m, 1, 1)                                                                      \
    SET_PLACE(id, c, m, 2, 2) SET_PLACE(id, c, m, 3, 3) SET_PLACE(id, c, m, 4, 4)
#define SET_STRIDES(id, c, m)                                                                      \
    SET_PLACE(id, c, m, 0, 1)                                                                      \
    SET_PLACE(id, c, m, 1, 2) SET_PLACE(id, c, m, 2, 3) SET_PLACE(id, c, m, 3, 4)
#define SET_SPATIALS(id, c, m)                                                                     \
    SET_PLACE(id, c, m, 0, 2) SET_PLACE(id, c, m, 1, 3) SET_PLACE(id, c, m, 2, 4)

/* Expands to the rows of the included .def that are of `wanted` effect and of the constant kind. */
#define ROW_OF(wanted, id, kinds, span, when, must, effect)                                        \
    if ((int)EFFECT_##effect == (int)(wanted) && ((KINDS_##kinds >> kind) & 1)) {                  \
        SET_##span(id, when, must)                                                                 \
    }

#endif
