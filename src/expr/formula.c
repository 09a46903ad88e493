/* A row's conditions as formulas in which every field is free. */
#include "expr/row.h"

/* A row that is asked once for each dimension is printed at this one, as [i]. No such row names a
 * dimension by number beyond it, and all arrays have room for the one after. */
enum { INDEX = 1, NODES = 1000 };

static tnode free_but_kind(struct tree *t, int slot, void *user)
{
    const uint8_t kinds = *(const uint8_t *)user;
    int kind = 0;
    while (kinds >> kind > 1) kind++;
    return slot == F_KIND && kinds == 1 << kind ? tree_const(t, kind) : tree_var(t, slot);
}

/* `when` begins with the kinds that the row is about. */
static tnode without_kinds(struct tree *t, tmap_row row, tnode when)
{
    bool always;
    if (when == TREE_BAD || tree_is_bool(t, when, &always)) return when;
    const uint8_t kinds = row_table[row].kinds;
    if (kinds == KINDS_ANY || (kinds & (kinds - 1)) == 0) return when;
    return t->node[when].op == T_AND ? t->node[when].b : tree_bool(t, true);
}

size_t row_print(tmap_row row, enum row_part part, char *out, size_t size)
{
    struct tree_node nodes[NODES];
    struct tree t;
    uint8_t kinds = row_table[row].kinds;
    const int index = row_table[row].span == SPAN_ONCE ? -1 : INDEX;
    tree_init(&t, nodes, NODES, free_but_kind, &kinds);
    const tnode n = part == ROW_MUST ? row_must_tree(&t, row, index)
                                     : without_kinds(&t, row, row_when_tree(&t, row, index));
    return tree_print_from(&t, n, index, out, size);
}
