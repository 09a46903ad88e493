/* One row at a time, natively, at run-time index: for tests, detail and the prover. The checker's
 * own expansion, all rows at once and specialised by kind, is in src/core/check.c; both come from
 * the same text. */
#include "expr/native.h"
#include "expr/row.h"
#include "expr/words_native.h"

#define NATIVE_KIND kind
#define NATIVE_RANK d->rank
#define WHEN(c) (c)
#define MUST(c) (c)
#define IN_KINDS(k) ((k) == KINDS_ANY || ((unsigned)d->kind < 3 && (((k) >> d->kind) & 1)))
/* Where a row is about one kind, its words ask for no other. */
#define KIND_OF(k) ((k) & ((k)-1) ? d->kind : __builtin_ctz(k))
#define AT(c, m, j) ((uint32_t)((c) & !(m)) << (j))

#define PLACES_ONCE(c, m)                                                                          \
    {                                                                                              \
        enum { i = 0 };                                                                            \
        bad = AT(c, m, i);                                                                         \
    }
#define PLACE(c, m, j, limit)                                                                      \
    {                                                                                              \
        enum { i = j };                                                                            \
        if (d->rank > (limit)) bad |= AT(c, m, i);                                                 \
    }
#define PLACES_DIMS(c, m)                                                                          \
    PLACE(c, m, 0, 0) PLACE(c, m, 1, 1) PLACE(c, m, 2, 2) PLACE(c, m, 3, 3) PLACE(c, m, 4, 4)
#define PLACES_OUTER(c, m) PLACE(c, m, 1, 1) PLACE(c, m, 2, 2) PLACE(c, m, 3, 3) PLACE(c, m, 4, 4)
#define PLACES_STRIDES(c, m) PLACE(c, m, 0, 1) PLACE(c, m, 1, 2) PLACE(c, m, 2, 3) PLACE(c, m, 3, 4)
#define PLACES_SPATIALS(c, m) PLACE(c, m, 0, 2) PLACE(c, m, 1, 3) PLACE(c, m, 2, 4)

uint32_t row_native(tmap_row row, const struct subject *s)
{
    const struct tmap_target *tg = s->target;
    const struct tmap_desc *d = s->desc;
    const struct tmap_use *u = s->use;
    const struct derived *dv = s->derived;
    const struct pipeline_facts *pl = s->pipeline;
    uint32_t bad = 0;
    (void)tg, (void)u, (void)dv, (void)pl;
    switch (row) {
/* clang-format off */
#define ROW(id, name, kinds, span, needs, when, must, ...)                                         \
    case ROW_##id:                                                                                 \
        if (IN_KINDS(KINDS_##kinds)) {                                                             \
            const int32_t kind = KIND_OF(KINDS_##kinds);                                           \
            (void)kind;                                                                            \
            PLACES_##span(when, must)                                                              \
        }                                                                                          \
        break;
#include "rules/rows.def"
        /* clang-format on */
    default:
        break;
    }
    return bad;
}
