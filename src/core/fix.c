/* fix.c : see fix.h. */
#include "core/fix.h"
#include "expr/row.h"

/* More than any descriptor is advised against: each row at each of at most five places. */
#define MOST_ADVICE 160

static enum tmap_status count_of(const struct fix_record *r, const struct tmap_desc *desc,
                                 const struct tmap_use *use, size_t *total)
{
    enum tmap_verdict verdict;
    size_t found = 0;
    const enum tmap_status status =
        use ? tmap_check_use(r->checker, desc, use, NULL, 0, &found, &verdict)
            : tmap_check_with(r->checker, desc, NULL, 0, &found, &verdict);
    *total += found;
    return status;
}

static enum tmap_status count_all(const struct fix_record *r, const struct tmap_desc *desc,
                                  size_t *total)
{
    enum tmap_status status = count_of(r, desc, NULL, total);
    for (size_t i = 0; i < r->use_count && status == TMAP_OK; i++)
        status = count_of(r, desc, &r->uses[i], total);
    return status;
}

enum tmap_status fix_begin(struct fix_record *r, const struct tmap_checker *checker,
                           const struct tmap_desc *desc, const struct tmap_use *uses,
                           size_t use_count)
{
    r->checker = checker;
    r->desc = desc;
    r->uses = uses;
    r->use_count = use_count;
    r->violations = r->count = 0;
    return count_all(r, desc, &r->violations);
}

/* An operand: no other use reads it, and no advice is about it. */
static struct fix_trial try_use(const struct fix_record *r, int use, int slot, int128 value)
{
    struct tmap_use own = r->uses[use];
    struct fix_trial trial = {0};
    size_t before = 0, after = 0;

    if (!field_write(NULL, &own, slot, value)) return trial;
    if (count_of(r, r->desc, &r->uses[use], &before) != TMAP_OK ||
        count_of(r, r->desc, &own, &after) != TMAP_OK)
        return trial;
    trial.violations = r->violations - before + after;
    trial.possible = true;
    return trial;
}

static bool count_advice(const struct fix_record *r, const struct tmap_desc *desc,
                         struct fix_trial *trial)
{
    struct tmap_violation advice[MOST_ADVICE];
    if (tmap_advise(r->checker, desc, advice, MOST_ADVICE, &trial->advisories) != TMAP_OK)
        return false;
    for (size_t i = 0; i < trial->advisories && i < MOST_ADVICE; i++)
        trial->doubts += row_table[advice[i].row].fix_kind == FIX_DECISION;
    return true;
}

/* A field of the descriptor: everything is asked again. */
static struct fix_trial try_desc(const struct fix_record *r, int slot, int128 value)
{
    struct tmap_desc desc = *r->desc;
    struct fix_trial trial = {0};

    if (!field_write(&desc, NULL, slot, value)) return trial;
    trial.possible =
        count_all(r, &desc, &trial.violations) == TMAP_OK && count_advice(r, &desc, &trial);
    return trial;
}

static struct fix_trial try_value(struct fix_record *r, int use, int slot,
                                  struct tmap_number number)
{
    const int128 value = number.negative ? -(int128)number.magnitude : (int128)number.magnitude;
    const bool is_operand = use >= 0 && field_info_of(field_of_slot(slot))->part == PART_use;

    if (is_operand) return try_use(r, use, slot, value);
    for (size_t i = 0; i < r->count; i++)
        if (r->tried[i].slot == slot && r->tried[i].value == value) return r->tried[i].trial;
    if (use >= 0 && r->count == FIX_TRIALS) return (struct fix_trial){0};
    const struct fix_trial trial = try_desc(r, slot, value);
    if (r->count == FIX_TRIALS) return trial;
    r->tried[r->count].slot = slot;
    r->tried[r->count].value = value;
    r->tried[r->count++].trial = trial;
    return trial;
}

/* A stride below its row is legal and lets rows overlap: an advisory decides between equals. */
static bool is_better(const struct fix_trial *a, const struct fix_trial *b)
{
    if (!b->possible || a->violations != b->violations)
        return !b->possible || a->violations < b->violations;
    if (a->doubts != b->doubts) return a->doubts < b->doubts;
    return a->advisories < b->advisories;
}

static uint64_t distance(const struct tmap_number *a, const struct tmap_number *b)
{
    if (a->negative != b->negative) return a->magnitude + b->magnitude;
    return a->magnitude > b->magnitude ? a->magnitude - b->magnitude : b->magnitude - a->magnitude;
}

/* Whether to go up first: to the nearer value, but to 0 (nothing, or every row the same) last. */
static bool upwards(const struct tmap_detail *d)
{
    if (!d->below.known || !d->above.known) return d->above.known;
    if (d->below.magnitude == 0) return true;
    return distance(&d->above, &d->value) <= distance(&d->value, &d->below);
}

struct fix fix_nearest(struct fix_record *r, int use, const struct tmap_detail *detail)
{
    const bool up = upwards(detail);
    const struct tmap_number order[2] = {up ? detail->above : detail->below,
                                         up ? detail->below : detail->above};
    struct fix_trial best = {0};
    struct fix fix = {0};

    for (int i = 0; i < 2; i++) {
        if (!order[i].known) continue;
        const struct fix_trial trial = try_value(r, use, detail->slot, order[i]);
        if (!trial.possible || !is_better(&trial, &best)) continue;
        best = trial;
        fix.value = order[i];
        fix.rest = trial.violations;
    }
    return fix;
}
