/* What a violation says: everything from the row, folded under the user's own numbers. */
#include "core/check_use.h"
#include "core/derive.h"
#include "expr/print.h"
#include "expr/row.h"

#include <string.h>

#define NODES 1024 /* the longest row takes about 60; at most a dozen blame one field */

static struct tmap_number number(bool known, int128 v)
{
    struct tmap_number n = {known, known && v < 0, 0};
    if (known) n.magnitude = (uint64_t)(v < 0 ? -v : v);
    return n;
}

/* An enum or a pointer has no neighbours worth naming: what it may be is in `needs`. */
static bool has_neighbours(int slot)
{
    const struct field_info *f = field_info_of(field_of_slot(slot));
    return !values_are_named(f->values) && f->width == 8 * f->bytes;
}

/* The nearest value in one direction that satisfies all, or, where there is none, must alone. */
static struct tmap_number neighbour(const struct tree *t, tnode must, tnode all, int slot,
                                    int128 value, int direction)
{
    int128 lo, hi, x = 0;
    field_range(slot, &lo, &hi);
    const bool known =
        (all != TREE_BAD && tree_nearest(t, all, slot, value, direction, lo, hi, &x)) ||
        tree_nearest(t, must, slot, value, direction, lo, hi, &x);
    return number(known, x);
}

/* must, and the other deciding rows of its subject that blame the same slot: what repairs one row
 * should not break the next. */
static tnode and_others(struct tree *t, tnode must, tmap_row row, int slot, const struct subject *s)
{
    struct tmap_checker c;
    tmap_checker_prepare(s->target, TMAP_CONTRACT_SAFE, &c);
    for (tmap_row r = 0; r < ROW_COUNT; r++) {
        if (row_subject_of(r) != row_subject_of(row) || !(c.active[r / 64] >> (r % 64) & 1))
            continue;
        int first = -1;
        const int count = row_instances(row_table[r].span, s->desc->rank, &first);
        for (int i = first; i < first + count; i++)
            if (row_blame(r, i, s->desc) == slot) must = tree_and(t, must, row_tree(t, r, i));
    }
    return must;
}

static void neighbours(struct tree *t, tnode must, tmap_row row, int slot, int128 value,
                       const struct subject *s, struct tmap_detail *out)
{
    if (!has_neighbours(slot)) return;
    const tnode all = and_others(t, must, row, slot, s);
    out->below = neighbour(t, must, all, slot, value, -1);
    out->above = neighbour(t, must, all, slot, value, 1);
}

/* A row may blame a field that stands in it only through a derived quantity. */
static bool mentions(const struct tree *t, int slot)
{
    for (int n = 0; n < t->count; n++)
        if (t->node[n].op == T_VAR && t->node[n].k == slot) return true;
    return false;
}

static bool starts(const char **at, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(*at, word, n) != 0) return false;
    *at += n;
    return true;
}

/* Fills the row's sentence. */
static void message(const struct subject *s, tmap_row row, int slot, int index, int128 value,
                    struct tmap_detail *out)
{
    struct print p = {out->message, sizeof out->message, 0};
    const struct tmap_desc *d = s->desc;
    out->message[0] = '\0';
    for (const char *m = row_table[row].message; *m;) {
        if (starts(&m, "{field}"))
            print_slot(&p, slot);
        else if (starts(&m, "{value}"))
            print_value(&p, slot, value);
        else if (starts(&m, "{dtype}"))
            print_value(&p, F_DTYPE, d->dtype);
        else if (starts(&m, "{span}"))
            print_number(&p, table_at(TABLE_SPAN, d->swizzle));
        else if (starts(&m, "{rank}"))
            print_number(&p, d->rank);
        else if (starts(&m, "{index}"))
            print_number(&p, index);
        else
            print_text(&p, (char[2]){*m++, '\0'});
    }
}

/* Of a descriptor, or of a use of one. */
static enum tmap_status detail_of_subject(const struct subject *s, const struct tmap_violation *v,
                                          struct tmap_detail *out)
{
    struct tree_node nodes[NODES];
    struct tree t;
    struct tree_binding binding = {s, {0}};
    int128 value = 0;
    const int slot = row_blame(v->row, v->index, s->desc);
    if (slot < 0) return TMAP_E_ARGUMENT;
    struct tmap_detail d;
    memset(&d, 0, sizeof d);
    d.field = field_info_of(field_of_slot(slot))->json;
    d.index = field_index_of(slot);
    d.slot = slot;
    const bool known = field_read(s, slot, &value);
    d.value = number(known, value);
    tree_binding_free(&binding, slot);
    tree_init(&t, nodes, NODES, tree_bind_subject, &binding);
    const tnode must = row_must_tree(&t, v->row, v->index);
    tree_print(&t, must, d.needs, sizeof d.needs);
    if (known && mentions(&t, slot)) neighbours(&t, must, v->row, slot, value, s, &d);
    message(s, v->row, slot, v->index, value, &d);
    *out = d;
    return TMAP_OK;
}

enum tmap_status tmap_detail_of(const struct tmap_target *target, const struct tmap_desc *desc,
                                const struct tmap_use *use, const struct tmap_violation *violation,
                                struct tmap_detail *out)
{
    if (target == NULL || desc == NULL || violation == NULL || out == NULL ||
        violation->row >= ROW_COUNT)
        return TMAP_E_ARGUMENT;
    struct derived derived;
    memset(&derived, 0, sizeof derived);
    if (use) {
        struct tmap_checker c;
        tmap_checker_prepare(target, TMAP_CONTRACT_SAFE, &c);
        derive_use(target, desc, use, &derived);
        derived.patched_illegal = patched_is_illegal(&c, desc, use);
    } else {
        derive_extent(desc, &derived);
        derive_nesting(desc, &derived);
    }
    const struct subject s = {target, desc, use, NULL, &derived};
    return detail_of_subject(&s, violation, out);
}
