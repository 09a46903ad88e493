#include "mutate/mutants.h"

#include "expr/native.h"
#include "expr/words_native.h"
#include "rules/sets.def"

#define NEEDS(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__, ROW_END                                                                       \
    }
#define NATIVE_KIND d->kind
#define NATIVE_RANK d->rank

const struct mutant mutants[] = {
#define MUTANT(number, id, what, kinds, span, when, must, needs) {ROW_##id, #id, what, needs},
#include "mutants.def"
#undef MUTANT
};
const size_t mutant_count = sizeof mutants / sizeof mutants[0];

#define AT(c, m, j) ((uint32_t)((c) & !(m)) << (j))
#define PLACE(c, m, j, limit)                                                                      \
    {                                                                                              \
        enum { i = j };                                                                            \
        if (d->rank > (limit)) bad |= AT(c, m, i);                                                 \
    }
#define PLACES_ONCE(c, m)                                                                          \
    {                                                                                              \
        enum { i = 0 };                                                                            \
        bad = AT(c, m, i);                                                                         \
    }
#define PLACES_OUTER(c, m) PLACE(c, m, 1, 1) PLACE(c, m, 2, 2) PLACE(c, m, 3, 3) PLACE(c, m, 4, 4)
#define PLACES_DIMS(c, m) PLACE(c, m, 0, 0) PLACES_OUTER(c, m)
#define PLACES_STRIDES(c, m) PLACE(c, m, 0, 1) PLACE(c, m, 1, 2) PLACE(c, m, 2, 3) PLACE(c, m, 3, 4)
#define PLACES_SPATIALS(c, m) PLACE(c, m, 0, 2) PLACE(c, m, 1, 3) PLACE(c, m, 2, 4)
#define IN_KINDS(k) ((k) == KINDS_ANY || ((unsigned)d->kind < 3 && (((k) >> d->kind) & 1)))

uint32_t mutant_native(size_t number, const struct subject *s)
{
    const struct tmap_target *tg = s->target;
    const struct tmap_desc *d = s->desc;
    const struct tmap_use *u = s->use;
    const struct derived *dv = s->derived;
    const struct pipeline_facts *pl = s->pipeline;
    uint32_t bad = 0;
    switch (number) {
/* clang-format off */
#define MUTANT(number, id, what, kinds, span, when, must, needs)                                   \
    case number:                                                                                   \
        if (IN_KINDS(KINDS_##kinds)) {                                                             \
            PLACES_##span(when, must)                                                              \
        }                                                                                          \
        break;
#include "mutants.def"
    /* clang-format on */
    default:
        break;
    }
    return bad;
}

uint32_t mutant_violates(size_t number, const struct subject *s)
{
    for (const tmap_row *n = mutants[number].needs; *n != ROW_END; n++)
        if (row_native(*n, s)) return 0;
    return mutant_native(number, s);
}
