/* Values without meaning. The rows say which fields those are; here each field has its answer: a
 * value that changes nothing, a value to confirm, or none. */
#include "solve/decide.h"
#include "solve/self_check.h"
#include "solve/view.h"

#include "expr/row.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64 }; /* violations that are looked at; no tensor was seen with 30 */

static void note(struct decision *x, enum tmap_rewrite rewrite, enum field field, int index,
                 uint64_t from, uint64_t to)
{
    struct tmap_plan_step *last = &x->step[x->step_count - (x->step_count > 0)];
    if (last->rewrite == rewrite && last->field == field && last->index == index)
        last->to = to; /* a second row moved it further */
    else if (x->step_count < TMAP_PLAN_STEPS)
        x->step[x->step_count++] =
            (struct tmap_plan_step){(uint8_t)rewrite, (int8_t)index, (uint16_t)field, from, to};
    if (rewrite == TMAP_REWRITE_CHOOSE) x->decided = true;
}

static void give_up(struct decision *x, tmap_row row)
{
    x->hopeless = true;
    snprintf(x->reason, sizeof x->reason, "%s: %s", row_table[row].id, row_table[row].fix);
}

static bool violates(const struct tmap_checker *c, const struct tmap_desc *d, tmap_row row,
                     int index)
{
    struct tmap_violation v[MOST];
    size_t n = 0;
    tmap_check_with(c, d, v, MOST, &n, NULL);
    n = n < MOST ? n : MOST;
    for (size_t i = 0; i < n; i++)
        if (v[i].row == row && v[i].index == index) return true;
    return false;
}

/* The first of a few candidates for a slot that satisfies the row, or false with desc as it was. */
static bool mend(const struct tmap_checker *c, struct decision *x, struct tmap_violation v,
                 int slot, const uint64_t *candidates, size_t n, enum tmap_rewrite rewrite)
{
    const struct subject s = {.target = &c->target, .desc = &x->desc};
    const enum field f = field_of_slot(slot);
    const struct tmap_desc was = x->desc;
    int128 from = 0;
    field_read(&s, slot, &from);
    for (size_t i = 0; i < n; i++) {
        field_write(&x->desc, NULL, slot, (int128)candidates[i]);
        if (violates(c, &x->desc, v.row, v.index)) continue;
        const int index = field_info_of(f)->count > 1 ? slot - field_info_of(f)->first_slot : -1;
        note(x, rewrite, f, index, (uint64_t)from, candidates[i]);
        return true;
    }
    x->desc = was;
    return false;
}

static bool mend_enum(const struct tmap_checker *c, struct decision *x, struct tmap_violation v,
                      int slot, enum tmap_rewrite rewrite)
{
    static const uint64_t values[] = {0, 1, 2, 3};
    return mend(c, x, v, slot, values, 4, rewrite);
}

/* NULL pointers: to what the call ignores, any pointer will do; element strides default to ones. */
static bool mend_flag(const struct tmap_checker *c, struct decision *x, struct tmap_violation v,
                      int slot)
{
    static const uint64_t zero = 0;
    const uint32_t bit = 1u << (slot - F_FLAG);
    const bool harmless = bit == TMAP_NULL_MAP || bit == TMAP_NULL_ELEM_STRIDE ||
                          (bit == TMAP_NULL_STRIDE && x->desc.rank == 1);
    if (!harmless) return false;
    return mend(c, x, v, slot, &zero, 1, TMAP_REWRITE_IGNORED);
}

static bool mend_map_address(const struct tmap_checker *c, struct decision *x,
                             struct tmap_violation v)
{
    uint64_t candidates[4];
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t unit = UINT64_C(32) << i;
        candidates[i] = (x->desc.map_address + unit - 1) & ~(unit - 1);
    }
    return mend(c, x, v, F_MAP_ADDRESS, candidates, 4, TMAP_REWRITE_IGNORED);
}

/* The nearest values that the row accepts, as the rows themselves name them. */
static bool mend_nearest(const struct tmap_checker *c, struct decision *x, struct tmap_violation v,
                         int slot)
{
    struct tmap_detail detail;
    uint64_t candidates[2];
    size_t n = 0;
    if (tmap_detail_of(&c->target, &x->desc, NULL, &v, &detail) != TMAP_OK) return false;
    if (detail.above.known) candidates[n++] = detail.above.magnitude; /* none is negative */
    if (detail.below.known) candidates[n++] = detail.below.magnitude;
    return mend(c, x, v, slot, candidates, n, TMAP_REWRITE_CHOOSE);
}

static bool is_zero(const struct tmap_desc *d, int slot)
{
    const struct subject s = {.desc = d};
    int128 value = 1;
    field_read(&s, slot, &value);
    return value == 0;
}

/* An element stride that no map can say has its meaning all the same: every so many elements, as a
 * dimension of longer stride, where every tile starts at such an element. Asked of dimension 0 only
 * with an interleave: without one its stride means nothing. */
static bool unstrides(const struct tmap_desc *d, const struct tmap_request *request, int i)
{
    return d->kind == TMAP_TILED && d->interleave == TMAP_INTERLEAVE_NONE &&
           d->elem_stride[i] > 1 && view_grain(d, request, (uint32_t)i) % d->elem_stride[i] == 0;
}

/* Whether the violation is dealt with; fields that the search itself mends are left to it. */
static bool settle(const struct tmap_checker *c, struct decision *x,
                   const struct tmap_request *request, struct tmap_violation v)
{
    const int slot = row_blame(v.row, v.index, &x->desc);
    switch (field_of_slot(slot)) {
    case FIELD_STRIDE: /* past what a map can say: of a size-1 dimension it means nothing */
        return v.row != ROW_TMA017 || x->desc.dim[v.index + 1] == 1;
    case FIELD_ADDRESS:
    case FIELD_SWIZZLE:
    case FIELD_DTYPE:
        return true;
    case FIELD_CHANNELS:
    case FIELD_PIXELS:
        return !is_zero(&x->desc, slot);
    case FIELD_BOX:
        return !is_zero(&x->desc, slot) || mend_nearest(c, x, v, slot);
    case FIELD_DIM:
        x->empty = is_zero(&x->desc, slot);
        return true;
    case FIELD_ESTRIDE:
        return (slot == F_ESTRIDE && x->desc.interleave == TMAP_INTERLEAVE_NONE) ||
               unstrides(&x->desc, request, v.index) || mend_nearest(c, x, v, slot);
    case FIELD_L2:
        return mend_enum(c, x, v, slot, TMAP_REWRITE_IGNORED);
    case FIELD_OOB:
    case FIELD_MODE:
    case FIELD_INTERLEAVE:
        return mend_enum(c, x, v, slot, TMAP_REWRITE_CHOOSE);
    case FIELD_FLAG:
        return mend_flag(c, x, v, slot);
    case FIELD_MAP_ADDRESS:
        return mend_map_address(c, x, v);
    default:
        return false;
    }
}

/* A kind, a rank that has the slices, a type, an interleave and a swizzle that exist: the search
 * reckons with them, so that they must hold under every contract, also one that does not ask for
 * them (hardware). */
static bool is_tensor(const struct tmap_checker *c, struct decision *x)
{
    static const tmap_row rows[] = {ROW_TMA001, ROW_TMA002, ROW_TMA003, ROW_TMA004,
                                    ROW_TMA005, ROW_TMA006, ROW_TMA007};
    struct tmap_checker safe;
    if (tmap_checker_prepare(&c->target, TMAP_CONTRACT_SAFE, &safe) != TMAP_OK) return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!violates(&safe, &x->desc, rows[i], -1)) continue;
        give_up(x, rows[i]);
        return false;
    }
    return true;
}

/* An element stride of 0 that the contract does not ask about: no map can say it. */
static void choose_strides(struct decision *x)
{
    for (uint32_t i = 0; i < x->desc.rank; i++) {
        if (x->desc.elem_stride[i]) continue;
        x->desc.elem_stride[i] = 1;
        note(x, TMAP_REWRITE_CHOOSE, FIELD_ESTRIDE, (int)i, 0, 1);
    }
}

/* Sizes of 0 that the contract does not ask about: without elements there is nothing to copy, and
 * the search divides by what a tile takes. */
static void refuse_nothing(struct decision *x)
{
    const struct tmap_desc *d = &x->desc;
    for (uint32_t i = 0; i < d->rank; i++) x->empty = x->empty || d->dim[i] == 0;
    for (uint32_t i = 0; i < d->rank && d->kind == TMAP_TILED && !x->empty; i++)
        if (d->box[i] == 0) give_up(x, ROW_TMA025);
    if (d->kind == TMAP_TILED || x->empty) return;
    if (d->channels == 0) give_up(x, ROW_TMA079);
    if (d->pixels == 0) give_up(x, ROW_TMA085);
}

static void settle_all(const struct tmap_checker *c, const struct tmap_request *request,
                       struct decision *x)
{
    struct tmap_violation v[MOST];
    uint32_t before;
    do { /* until a round decides nothing */
        size_t n = 0;
        before = x->step_count;
        tmap_check_with(c, &x->desc, v, MOST, &n, NULL);
        n = n < MOST ? n : MOST;
        for (size_t i = 0; i < n; i++) {
            if (!violates(c, &x->desc, v[i].row, v[i].index)) continue;
            if (settle(c, x, request, v[i]) && !x->empty) continue;
            if (!x->empty) give_up(x, v[i].row);
            return;
        }
    } while (x->step_count != before);
}

void decide(const struct tmap_checker *c, const struct tmap_desc *desc,
            const struct tmap_request *request, struct decision *x)
{
    memset(x, 0, sizeof *x);
    x->desc = *desc;
    self_check_forget_null(&x->desc);
    if (!is_tensor(c, x)) return;
    settle_all(c, request, x);
    if (x->hopeless) return;
    choose_strides(x);
    refuse_nothing(x);
}
