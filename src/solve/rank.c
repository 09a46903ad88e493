/* Plans in the order of their costs, without those that say nothing new. */
#include "solve/rank.h"

#include <string.h>

/* Whether every step of a, values aside, is one of b's; of a b that only splits more than a, the
 * dimensions may have other numbers. */
static bool steps_match(const struct tmap_plan *a, const struct tmap_plan *b, bool renumbered)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < a->step_count; i++) {
        uint32_t k = 0;
        while (k < b->step_count && ((taken >> k & 1) || b->step[k].rewrite != a->step[i].rewrite ||
                                     (!renumbered && b->step[k].index != a->step[i].index)))
            k++;
        if (k == b->step_count) return false;
        taken |= 1u << k;
    }
    for (uint32_t k = 0; k < b->step_count && renumbered; k++)
        if (!(taken >> k & 1) && b->step[k].rewrite != TMAP_REWRITE_SPLIT) return false;
    return true;
}

static bool steps_within(const struct tmap_plan *a, const struct tmap_plan *b)
{
    return steps_match(a, b, false) || steps_match(a, b, true);
}

void rank_plan(struct tmap_plan *plans, size_t cap, size_t *found, const struct tmap_plan *p)
{
    size_t at = 0, kept = 0;
    for (size_t i = 0; i < *found; i++)
        if (steps_within(&plans[i], p) && tmap_cost_compare(&plans[i].cost, &p->cost) <= 0) return;
    for (size_t i = 0; i < *found; i++)
        if (!steps_within(p, &plans[i]) || tmap_cost_compare(&plans[i].cost, &p->cost) < 0)
            plans[kept++] = plans[i];
    *found = kept;
    if (*found == cap) --*found;
    while (at < *found && tmap_cost_compare(&plans[at].cost, &p->cost) <= 0) at++;
    memmove(&plans[at + 1], &plans[at], (*found - at) * sizeof *p);
    plans[at] = *p;
    ++*found;
}
