/* bv_rows.c : the rows' text under the words of words_bv.h. */
#include "prove/bv.h"

#include "prove/words_bv.h"

#define WHEN(c) (c)
#define MUST(c) (c)

static struct bv in_kinds(struct bv_builder *b, unsigned kinds)
{
    return kinds == KINDS_ANY ? bv_true(b) : IN(KIND, (uint64_t)kinds);
}

struct bv bv_violated(struct bv_builder *b, tmap_row row, int index)
{
    const int i = index < 0 ? 0 : index;
    (void)i;
    switch (row) {
/* clang-format off */
#define ROW(id, name, kinds, span, needs, when, must, ...)                                         \
    case ROW_##id:                                                                                 \
        return AND(in_kinds(b, KINDS_##kinds), AND(when, NOT(must)));
#include "rules/rows.def"
        /* clang-format on */
    default:
        return bv_true(b);
    }
}
