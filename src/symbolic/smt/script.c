/* script.c : rows and fields as SMT-LIB. Nothing is folded: a known field is a named number. */
#include "symbolic/smt/script.h"

#include <string.h>

static tnode bind(struct tree *t, int slot, void *script)
{
    const struct sym_script *q = script;
    struct subject s = {.target = q->target};
    int128 value;
    if (q->target && field_read(&s, slot, &value)) return tree_const(t, value);
    return tree_var(t, slot);
}

bool sym_script_open(struct sym_script *q, struct sym_work *w, size_t capacity)
{
    struct tree_node *nodes = sym_take(w, SYM_MAX_NODES * sizeof *nodes);
    char *text = sym_take(w, capacity);
    *q = (struct sym_script){.w = w, .text = {text, capacity, 0}};
    tree_init(&q->tree, nodes, SYM_MAX_NODES, bind, q);
    return nodes && text;
}

bool sym_is_active(const struct tmap_checker *checker, tmap_row row)
{
    return (checker->active[row / 64] >> (row % 64)) & 1;
}

bool sym_is_gate(const struct tmap_checker *checker, tmap_row row)
{
    return (checker->gate[row / 64] >> (row % 64)) & 1;
}

void sym_script_known(struct sym_script *q, int slot, int128 value)
{
    char name[48];
    sym_put(&q->text, "(define-fun %s () Int %s", sym_smt_name(slot, name), value < 0 ? "(- " : "");
    sym_put_int(&q->text, value < 0 ? -value : value);
    sym_put(&q->text, value < 0 ? "))\n" : ")\n");
}

void sym_script_unknown(struct sym_script *q, int slot)
{
    char name[48];
    struct sym_width w = sym_width_of(slot);
    int128 top = (int128)1 << (w.bits - w.is_signed);
    sym_smt_name(slot, name);
    sym_put(&q->text, "(declare-const %s Int)\n(assert (and (<= ", name);
    if (w.is_signed) {
        sym_put(&q->text, "(- ");
        sym_put_int(&q->text, top);
        sym_put(&q->text, ")");
    } else {
        sym_put(&q->text, "0");
    }
    sym_put(&q->text, " %s) (< %s ", name, name);
    sym_put_int(&q->text, top);
    sym_put(&q->text, ")))\n");
}

/* The extent as src/core derives it, of the fields as they are in the script. */
static void put_extent(struct sym_script *q, const struct tmap_desc *desc)
{
    char dim[48], stride[48];
    sym_put(&q->text, "(define-fun extent () Int (+ 0 (div (+ (* %s %u) 7) 8)",
            sym_smt_name(F_DIM, dim),
            desc->dtype >= 0 ? table_at(TABLE_GMEM_BITS, desc->dtype) : 0);
    for (uint32_t i = 1; i < desc->rank && i < TMAP_MAX_RANK; i++) {
        sym_put(&q->text, " (* (- %s 1) %s)", sym_smt_name(F_DIM + (int)i, dim),
                sym_smt_name(F_STRIDE + (int)i - 1, stride));
    }
    sym_put(&q->text, "))\n(define-fun last_byte () Int (- extent 1))\n");
}

void sym_script_desc(struct sym_script *q, const struct tmap_target *target,
                     const struct tmap_desc *desc, const bool *unknown)
{
    struct subject s = {.target = target, .desc = desc};
    for (int slot = 0; slot <= F_ALLOC_BYTES; slot++) {
        int128 value = 0;
        field_read(&s, slot, &value);
        if (unknown[slot])
            sym_script_unknown(q, slot);
        else
            sym_script_known(q, slot, value);
    }
    if (desc->flags & TMAP_HAS_ALLOCATION) {
        put_extent(q, desc);
    } else {
        sym_script_unknown(q, F_EXTENT);
        sym_script_unknown(q, F_LAST);
    }
}

static int span_limit(enum row_span span, int index)
{
    switch (span) {
    case SPAN_DIMS:
    case SPAN_OUTER:
        return index + 1;
    case SPAN_STRIDES:
        return index + 2;
    case SPAN_SPATIALS:
        return index + 3;
    default:
        return 0;
    }
}

/* The row's tree where the rank has the index. */
static tnode at_rank(struct sym_script *q, tmap_row row, int index, uint32_t rank)
{
    struct tree *t = &q->tree;
    int least = span_limit((enum row_span)row_table[row].span, index);
    tnode holds = row_tree(t, row, index);
    if (rank || !least) return holds;
    return tree_or(t, tree_not(t, tree_le(t, tree_const(t, least), tree_field(t, F_RANK))), holds);
}

static tnode whole(struct sym_script *q, tmap_row row, uint32_t rank)
{
    int first,
        n = row_instances((enum row_span)row_table[row].span, rank ? rank : TMAP_MAX_RANK, &first);
    tnode all = tree_bool(&q->tree, true);
    for (int i = first; i < first + n; i++) {
        all = tree_and(&q->tree, all, at_rank(q, row, i, rank));
    }
    return all;
}

tnode sym_script_tree(struct sym_script *q, const struct tmap_checker *checker, tmap_row row,
                      int index, uint32_t rank)
{
    struct tree *t = &q->tree;
    tree_init(t, t->node, t->capacity, bind, q);
    tnode given = tree_bool(t, true);
    for (const tmap_row *need = row_table[row].needs; checker && *need != ROW_END; need++) {
        if (!sym_is_active(checker, *need)) given = tree_and(t, given, whole(q, *need, rank));
    }
    tnode f = tree_or(t, tree_not(t, given), at_rank(q, row, index < 0 ? 0 : index, rank));
    if (f == TREE_BAD)
        sym_fail(q->w, TMAP_E_BUDGET, "row %s has too many nodes", row_table[row].id);
    return f;
}

void sym_script_row(struct sym_script *q, const struct tmap_checker *checker, tmap_row row,
                    int index, uint32_t rank)
{
    tnode f = sym_script_tree(q, checker, row, index, rank);
    if (f != TREE_BAD) sym_smt_tree(&q->text, &q->tree, f, 0);
}
