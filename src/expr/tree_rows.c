/* The rows' conditions as trees: src/rules expanded with the builders of words_tree.h. */
#include "expr/row.h"
#include "expr/words_tree.h"

#define WHEN(c) (c)
#define MUST(c) (c)

tnode row_when_tree(struct tree *t, tmap_row row, int index)
{
    const int i = index < 0 ? 0 : index;
    (void)i;
    switch (row) {
/* clang-format off */
#define ROW(id, name, kinds, span, needs, when, ...)                                               \
    case ROW_##id: {                                                                               \
        const tnode kind_holds = KINDS_##kinds == KINDS_ANY ? ALWAYS : IN(KIND, KINDS_##kinds);    \
        return AND(kind_holds, when);                                                              \
    }
#include "rules/rows.def"
        /* clang-format on */
    default:
        return TREE_BAD;
    }
}

tnode row_must_tree(struct tree *t, tmap_row row, int index)
{
    const int i = index < 0 ? 0 : index;
    (void)i;
    switch (row) {
/* clang-format off */
#define ROW(id, name, kinds, span, needs, when, must, ...)                                         \
    case ROW_##id: return must;
#include "rules/rows.def"
        /* clang-format on */
    default:
        return TREE_BAD;
    }
}

tnode row_tree(struct tree *t, tmap_row row, int index)
{
    const tnode when = row_when_tree(t, row, index);
    bool holds;
    if (tree_is_bool(t, when, &holds) && !holds) return tree_bool(t, true);
    return tree_or(t, tree_not(t, when), row_must_tree(t, row, index));
}
