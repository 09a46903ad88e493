#include "mutate/mutants.h"

#include <stdlib.h>
#include <string.h>

/* The values of a slot in the grid: all of a choice; of a quantity what it is compared with, and
 * one beside it on either side. */
static int grid_size(const struct vector_slot *slot)
{
    const int n = vector_choices(slot->number);
    return n ? n : 3 * slot->values;
}

static int64_t grid_value(const struct vector_slot *slot, int at)
{
    return vector_choices(slot->number) ? at : slot->value[at / 3] + at % 3 - 1;
}

typedef bool check(size_t number, tmap_row need, const struct subject *s);

static bool everywhere(const struct vector_plan *p, int slot, struct vector *v, check *holds,
                       size_t number, tmap_row need)
{
    if (slot == p->slots) {
        const struct subject s = vector_subject(v);
        return holds(number, need, &s);
    }
    for (int at = 0; at < grid_size(&p->slot[slot]); at++) {
        vector_write(v, p->slot[slot].number, grid_value(&p->slot[slot], at));
        if (!everywhere(p, slot + 1, v, holds, number, need)) return false;
    }
    return true;
}

static bool on_grid(const struct vector_plan *p, check *holds, size_t number, tmap_row need)
{
    double points = 1;
    struct vector v;
    vector_start(mutants[number].row, false, &v);
    for (int k = 0; k < p->slots; k++) points *= grid_size(&p->slot[k]);
    return points > 0 && points < 1e7 && everywhere(p, 0, &v, holds, number, need);
}

static bool same(size_t number, tmap_row need, const struct subject *s)
{
    (void)need;
    return mutant_violates(number, s) == vector_violates(mutants[number].row, s);
}

static bool when_holds(tmap_row row, const struct subject *s)
{
    struct tree_node nodes[512];
    struct tree t;
    struct tree_binding binding = {s, {0}};
    bool value = true;
    tree_init(&t, nodes, 512, tree_bind_subject, &binding);
    tree_is_bool(&t, row_when_tree(&t, row, 0), &value);
    return value;
}

static bool need_implied(size_t number, tmap_row need, const struct subject *s)
{
    if (!row_native(need, s) || !when_holds(mutants[number].row, s)) return true;
    for (const tmap_row *n = mutants[number].needs; *n != ROW_END; n++)
        if (row_native(*n, s)) return true;
    return false;
}

static bool lists(const tmap_row *needs, tmap_row need)
{
    for (; *needs != ROW_END; needs++)
        if (*needs == need) return true;
    return false;
}

/* The slots of the need that the mutant lacks, of the row's `when`, and of the other needs that
 * need it too. */
static bool proved_implied(size_t number)
{
    const struct row *row = &row_table[mutants[number].row];
    const tmap_row *need = row->needs;
    struct vector_plan plan;
    while (*need != ROW_END && lists(mutants[number].needs, *need)) need++;
    if (*need == ROW_END || row->span != SPAN_ONCE) return false;
    vector_plan_clear(&plan, mutants[number].row);
    vector_plan_add(&plan, *need, true, true);
    vector_plan_add(&plan, mutants[number].row, true, false);
    for (const tmap_row *n = mutants[number].needs; *n != ROW_END; n++)
        if (lists(row_table[*n].needs, *need)) vector_plan_add(&plan, *n, true, true);
    return on_grid(&plan, need_implied, number, *need);
}

static bool is_product(uint64_t n, const uint64_t *most, int factors)
{
    if (factors == 0) return n == 1;
    for (uint64_t f = 1; f <= most[0]; f++)
        if (n % f == 0 && is_product(n / f, most + 1, factors - 1)) return true;
    return false;
}

/* Reads "123 45 ..." up to what is no number. */
static int read_numbers(const char **text, uint64_t *out, int most)
{
    int n = 0;
    for (char *end; n < most; n++, *text = end) {
        out[n] = strtoull(*text, &end, 10);
        if (end == *text) break;
    }
    return n;
}

static bool proved_by_factors(const char *text)
{
    uint64_t number[8], most[8];
    const int numbers = read_numbers(&text, number, 8);
    if (numbers == 0 || strncmp(text, " of", 3) != 0) return false;
    text += 3;
    const int factors = read_numbers(&text, most, 8);
    for (int k = 0; k < numbers; k++)
        if (is_product(number[k], most, factors)) return false;
    return factors > 0;
}

bool survivor_proved(size_t number, const char *proof)
{
    const struct vector_plan plan = vector_plan_of(mutants[number].row);
    if (strncmp(proof, "grid:", 5) == 0) return on_grid(&plan, same, number, ROW_END);
    if (strncmp(proof, "implied:", 8) == 0) return proved_implied(number);
    if (strncmp(proof, "product ", 8) == 0) return proved_by_factors(proof + 8);
    return false;
}
