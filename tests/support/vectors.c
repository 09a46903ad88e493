#include "support/splitmix.h"
#include "support/vectors.h"

#include "core/derive.h"

#include <stdlib.h>
#include <string.h>

#define NODES 512

static uint64_t draw(uint64_t *state)
{
    return splitmix(state);
}

static uint64_t below(uint64_t *state, uint64_t n)
{
    return draw(state) % n;
}

/* --- writing a slot -----------------------------------------------------------------------------
 */

void vector_write(struct vector *v, int slot, int64_t value)
{
    if (field_write(&v->desc, &v->use, slot, value)) return;
    const struct field_info *f = field_info_of(field_of_slot(slot));
    if (field_store(PART_derived, &v->derived, slot, f && f->width == 1 ? value & 1 : value))
        return;
    if (!field_store(PART_target, &v->target, slot, value))
        field_store(PART_pipeline, &v->pipeline, slot, value);
}

/* --- what a row speaks of ------------------------------------------------------------------------
 */

static struct vector_slot *add_slot(struct vector_plan *p, int slot)
{
    for (int k = 0; k < p->slots; k++)
        if (p->slot[k].number == slot) return &p->slot[k];
    p->slot[p->slots] = (struct vector_slot){.number = slot};
    return &p->slot[p->slots++];
}

static void add_value(struct vector_slot *slot, int128 value)
{
    if (value > (INT64_C(1) << 62) || value < INT32_MIN || slot->values == VECTOR_VALUES) return;
    for (int k = 0; k < slot->values; k++)
        if (slot->value[k] == (int64_t)value) return;
    slot->value[slot->values++] = (int64_t)value;
}

/* The variables and the numbers of one comparison. */
struct terms {
    int slot[16], slots;
    int128 number[80];
    int numbers;
};

static int children(const struct tree_node *e)
{
    switch ((enum tree_op)e->op) {
    case T_CONST:
    case T_VAR:
    case T_PARAM:
    case T_TRUE:
    case T_FALSE:
        return 0;
    case T_WRAP32:
    case T_TABLE:
    case T_IN:
    case T_NOT:
        return 1;
    case T_ITE:
        return 3;
    default:
        return 2;
    }
}

static void add_terms(struct terms *out, const struct tree *t, tnode n)
{
    const struct tree_node *e = &t->node[n];
    const tnode child[] = {e->a, e->b, e->c};
    if (e->op == T_VAR && out->slots < 16) out->slot[out->slots++] = (int)e->k;
    if (e->op == T_CONST && out->numbers < 80) out->number[out->numbers++] = e->k;
    for (int bit = 0; e->op == T_IN && bit < 64; bit++)
        if (((uint64_t)e->k >> bit) & 1 && out->numbers < 80) out->number[out->numbers++] = bit;
    for (int k = 0; k < children(e); k++) add_terms(out, t, child[k]);
}

/* The numbers that a comparison states are values to try for the fields that it compares. */
static void add_condition(struct vector_plan *p, const struct tree *t)
{
    for (int n = 0; n < t->count; n++) {
        const enum tree_op op = (enum tree_op)t->node[n].op;
        if (op == T_VAR) add_slot(p, (int)t->node[n].k);
        if (op != T_LE && op != T_EQ && op != T_DIVIDES && op != T_IN) continue;
        struct terms terms = {.slots = 0, .numbers = 0};
        add_terms(&terms, t, n);
        for (int i = 0; i < terms.slots; i++)
            for (int k = 0; k < terms.numbers; k++)
                add_value(add_slot(p, terms.slot[i]), terms.number[k]);
    }
}

void vector_plan_add(struct vector_plan *p, tmap_row row, bool when, bool must)
{
    struct tree_node nodes[NODES];
    struct tree t;
    struct tree_binding all = {NULL, {0}};
    int first;
    const int n = row_instances(row_table[row].span, TMAP_MAX_RANK, &first);
    for (int k = 0; k < FIELD_SLOTS; k++) tree_binding_free(&all, k);
    for (int index = 0; index < first + n; index++) { /* 0 too: a mutant may start there */
        tree_init(&t, nodes, NODES, tree_bind_subject, &all);
        if (when) row_when_tree(&t, row, index);
        if (must) row_must_tree(&t, row, index);
        add_condition(p, &t);
    }
}

void vector_plan_clear(struct vector_plan *p, tmap_row row)
{
    memset(p, 0, sizeof *p);
    p->row = row;
}

static int by_number(const void *a, const void *b)
{
    return ((const struct vector_slot *)a)->number - ((const struct vector_slot *)b)->number;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The order in which a tree's nodes were made is the compiler's; the plan's is not. */
static void sort_slots(struct vector_slot *slot, int n)
{
    qsort(slot, (size_t)n, sizeof *slot, by_number);
    for (int k = 0; k < n; k++)
        qsort(slot[k].value, (size_t)slot[k].values, sizeof slot[k].value[0], by_value);
}

struct vector_plan vector_plan_of(tmap_row row)
{
    struct vector_plan p;
    vector_plan_clear(&p, row);
    vector_plan_add(&p, row, true, true);
    add_slot(&p, F_KIND);
    if (row_table[row].span != SPAN_ONCE) add_slot(&p, F_RANK);
    p.own = p.slots;
    for (const tmap_row *n = row_table[row].needs; *n != ROW_END; n++)
        vector_plan_add(&p, *n, true, true);
    sort_slots(p.slot, p.own);
    sort_slots(p.slot + p.own, p.slots - p.own);
    return p;
}

/* --- values
 * ---------------------------------------------------------------------------------------- */

/* The rows about these slots say the same bounds: a value too many costs a draw only. */
int vector_choices(int slot)
{
    switch (field_of_slot(slot)) {
        /* clang-format off */
    case FIELD_KIND: case FIELD_SUFFIX: case FIELD_OOB: case FIELD_MODE: case FIELD_MAJOR: return 4;
    case FIELD_INTERLEAVE: case FIELD_L2: case FIELD_CTA_GROUP: case FIELD_CONSUMER: return 5;
    case FIELD_RANK: case FIELD_COORDS: case FIELD_ORDINAL: return 8;
    case FIELD_SWIZZLE: return 9;
    case FIELD_RFIELD: return 13;
    case FIELD_DTYPE: case FIELD_OP: return 18;
    case FIELD_FLAG: case FIELD_USE_FLAG: case FIELD_DENSE: case FIELD_NESTED:
    case FIELD_PATCHED_BAD: return 2;
    default: return 0;
        /* clang-format on */
    }
}

static int64_t edge(uint64_t *s)
{
    const unsigned bit = (unsigned)below(s, 63);
    const int64_t power = INT64_C(1) << bit;
    switch (below(s, 8)) {
    case 0:
        return INT64_MIN;
    case 1:
        return -1;
    case 2:
        return bit < 33 ? -power : power;
    default:
        return power + (int64_t)below(s, 3) - 1;
    }
}

/* A number that the conditions compare the field with, one beside it, or a divisor: products meet a
 * bound exactly when their factors divide it. */
static int64_t stated(const struct vector_slot *slot, uint64_t *s)
{
    if (slot->values == 0) return edge(s);
    const int64_t n = slot->value[below(s, (uint64_t)slot->values)];
    const int tries = n > 16 && below(s, 3) == 0 ? 32 : 0;
    for (int k = 0; k < tries; k++) {
        const int64_t d = 2 + (int64_t)below(s, 255);
        if (n % d == 0) return d;
    }
    return below(s, 2) ? n : n + (int64_t)below(s, 3) - 1;
}

/* Where the row's condition changes, seen from the slot's present value, or the last value before.
 */
static int64_t boundary(tmap_row row, const struct vector *v, int slot, uint64_t *s)
{
    struct tree_node nodes[NODES];
    struct tree t;
    const struct subject subject = vector_subject(v);
    struct tree_binding binding = {&subject, {0}};
    int128 from = 0, x = 0;
    int first;
    const int n = row_instances(row_table[row].span, v->desc.rank, &first);
    const int index = n > 0 ? first + (int)below(s, (uint64_t)n) : 0;
    tree_binding_free(&binding, slot);
    tree_init(&t, nodes, NODES, tree_bind_subject, &binding);
    const tnode c = below(s, 4) ? row_must_tree(&t, row, index) : row_when_tree(&t, row, index);
    const int direction = below(s, 2) ? 1 : -1;
    const int128 lo = INT32_MIN, hi = INT64_C(1) << 62;
    field_read(&subject, slot, &from);
    if (tree_nearest(&t, c, slot, from, direction, lo, hi, &x) && x == from)
        tree_nearest(&t, tree_not(&t, c), slot, from, direction, lo, hi, &x);
    return (int64_t)x - (below(s, 3) == 0 ? direction : 0);
}

static int64_t value_for(tmap_row row, const struct vector *v, const struct vector_slot *slot,
                         uint64_t *s)
{
    const int n = vector_choices(slot->number);
    if (slot->number == F_RANK && below(s, 8)) return 1 + (int64_t)below(s, TMAP_MAX_RANK);
    if (slot->number == F_DTYPE && below(s, 12) == 0) return (int64_t)below(s, 3 * TABLE_ENTRIES);
    if (n && slot->values && below(s, 3) == 0) return stated(slot, s);
    if (n && below(s, 8)) return (int64_t)below(s, (uint64_t)n);
    if (slot->number == F_SM && below(s, 4)) return 88 + (int64_t)below(s, 36);
    switch (below(s, 8)) {
    case 0:
        return edge(s);
    case 1:
        return (int64_t)below(s, 18);
    case 2:
    case 3:
    case 4:
        return stated(slot, s);
    default:
        return boundary(row, v, slot->number, s);
    }
}

/* --- subjects
 * -------------------------------------------------------------------------------------- */

void vector_fill(struct tmap_desc *d)
{
    for (uint32_t i = d->rank; i < TMAP_MAX_RANK; i++) {
        d->dim[i] = 8;
        d->stride_bytes[i - 1] = i > 1 ? d->stride_bytes[i - 2] * d->dim[i - 1] : 4096;
        d->elem_stride[i] = d->box[i] = 1;
    }
    for (int i = 0; i < TMAP_MAX_RANK; i++)
        if (d->box[i] == 0) d->box[i] = 1;
    if (d->channels == 0) d->channels = 64;
    if (d->pixels == 0) d->pixels = 16;
}

/* Lays the setup of another row's illegal witness over v. */
static void overlay(struct vector *v, tmap_row row)
{
    const struct row_witness *w = &row_table[row].witness;
    for (size_t i = 1; i < sizeof w->setup / sizeof w->setup[0] && w->setup[i].slot != 0; i++)
        vector_write(v, w->setup[i].slot, w->setup[i].value);
    vector_write(v, w->slot, w->illegal);
}

static int needs_of(tmap_row row)
{
    int n = 0;
    while (row_table[row].needs[n] != ROW_END) n++;
    return n;
}

void vector_start(tmap_row row, bool legal, struct vector *v)
{
    memset(v, 0, sizeof *v);
    row_witness_make(row, legal, &v->desc, &v->use, &v->pipeline);
    v->target = row_table[row].witness.target;
}

/* Moves the own slots that choose (kind, rank, type, ...) now and then; quantities come after. */
static void choose(const struct vector_plan *p, struct vector *v, uint64_t *s)
{
    for (int k = 0; k < p->own; k++)
        if (vector_choices(p->slot[k].number) && below(s, p->slot[k].number == F_RANK ? 2 : 4) == 0)
            vector_write(v, p->slot[k].number, value_for(p->row, v, &p->slot[k], s));
}

static void move(const struct vector_plan *p, struct vector *v, uint64_t *s)
{
    const bool own = p->own == p->slots || below(s, 4);
    const struct vector_slot *slot = own ? p->slot : p->slot + p->own;
    slot += below(s, (uint64_t)(own ? p->own : p->slots - p->own));
    vector_write(v, slot->number, value_for(p->row, v, slot, s));
}

/* The witness; now and then with a need of the row broken, and with other choices; then up to three
 * slots moved. What the core derives is derived between the moves, and is moved itself. */
void vector_make(const struct vector_plan *p, uint32_t number, struct vector *v)
{
    uint64_t s = number;
    for (const char *c = row_table[p->row].id; *c; c++) s = s * 257 + (unsigned char)*c;
    vector_start(p->row, number < 2 ? number == 0 : below(&s, 2), v);
    if (number >= 2) vector_fill(&v->desc);
    const int needs = needs_of(p->row);
    if (number >= 2 && needs > 0 && below(&s, 4) == 0)
        overlay(v, row_table[p->row].needs[below(&s, (uint64_t)needs)]);
    if (number >= 2 && below(&s, 4)) choose(p, v, &s);
    derive_use(&v->target, &v->desc, &v->use, &v->derived);
    const int moves = number < 2 ? 0 : (int)below(&s, 4);
    for (int k = 0; k < moves; k++) {
        move(p, v, &s);
        if (below(&s, 8) == 0) derive_use(&v->target, &v->desc, &v->use, &v->derived);
    }
}

struct subject vector_subject(const struct vector *v)
{
    return (struct subject){&v->target, &v->desc, &v->use, &v->pipeline, &v->derived};
}

uint32_t vector_violates(tmap_row row, const struct subject *s)
{
    for (const tmap_row *n = row_table[row].needs; *n != ROW_END; n++)
        if (row_native(*n, s)) return 0;
    return row_native(row, s);
}
