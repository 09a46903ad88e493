/* A tensor of more dimensions than a map has, as one that a map can say: what the dimensions are is
 * arithmetic of their sizes and strides, and the tile decides which of them may be one. */
#include "core/layout.h"
#include "tmap/solve.h"

#include <stdio.h>
#include <string.h>

#define STRIDE_END                                                                                 \
    (UINT64_C(1) << 40) /* no map says a longer one; the rows refuse those near it                 \
                         */

/* A dimension on its way: which of the tensor's indices it is the sum of. */
struct dimension {
    uint64_t size, stride_bits, box, coef[TMAP_TENSOR_RANK];
};

struct work {
    uint32_t rank;
    struct dimension d[TMAP_TENSOR_RANK];
    struct tmap_fold *out;
};

static void take_away(struct work *w, uint32_t i)
{
    memmove(&w->d[i], &w->d[i + 1], (w->rank - i - 1) * sizeof w->d[0]);
    w->rank--;
}

static enum tmap_status none(struct tmap_fold *out, const char *reason)
{
    snprintf(out->reason, sizeof out->reason, "%s", reason);
    return TMAP_E_NO_PLAN;
}

/* Of a tensor without elements the dimension that is empty is all there is to say: repair answers
 * it with a launch of nothing. No other size of 0 is merged, or becomes so many maps. */
static bool keep_empty(struct work *w)
{
    for (uint32_t i = 0; i < w->rank; i++)
        if (w->d[i].size == 0) {
            w->d[0] = w->d[i];
            w->rank = 1;
            return true;
        }
    return false;
}

/* The dimension whose elements are side by side comes first: a map has no stride for it. */
static bool put_unit_first(struct work *w, uint64_t bits)
{
    uint32_t unit = w->rank;
    for (uint32_t i = w->rank; i-- > 0;)
        if (w->d[i].stride_bits == bits && w->d[i].size > 1) unit = i;
    if (w->d[0].size == 1 && unit == w->rank) unit = 0;
    if (unit == w->rank) return false;
    const struct dimension first = w->d[unit];
    memmove(&w->d[1], &w->d[0], unit * sizeof first);
    w->d[0] = first;
    w->out->moved = unit != 0;
    return true;
}

/* Index c_i + size_i * c_j names the same bytes, and is in bounds with the two: where the tile
 * takes all of dimension i, or one index of each. */
static bool can_merge(const struct work *w, uint32_t i, uint32_t j)
{
    const struct dimension *a = &w->d[i], *b = &w->d[j];
    uint64_t run;
    if (__builtin_mul_overflow(a->size, a->stride_bits, &run) || run != b->stride_bits)
        return false;
    if (a->box == a->size) return j == i + 1 || b->box == 1;
    return i > 0 && a->box == 1 && b->box == 1;
}

/* A coefficient is at most the size of its dimension: with the new size it fits, too. */
static bool merge(struct work *w, uint32_t i, uint32_t j)
{
    struct dimension d = w->d[i];
    if (!can_merge(w, i, j) || __builtin_mul_overflow(d.size, w->d[j].size, &d.size) ||
        __builtin_mul_overflow(w->d[i].box == w->d[i].size ? w->d[i].size : 1, w->d[j].box, &d.box))
        return false;
    for (int k = 0; k < TMAP_TENSOR_RANK; k++) d.coef[k] += w->d[i].size * w->d[j].coef[k];
    w->d[i] = d;
    take_away(w, j);
    return true;
}

/* Rows that follow each other stay the same rows; dimension 0 with others makes longer ones. */
static bool merge_rows(struct work *w)
{
    for (uint32_t i = 1; i < w->rank; i++)
        for (uint32_t j = 1; j < w->rank; j++)
            if (i != j && merge(w, i, j)) return true;
    return false;
}

static bool merge_first(struct work *w)
{
    for (uint32_t j = 1; j < w->rank; j++) {
        const bool longer = w->d[j].box > 1;
        if (!merge(w, 0, j)) continue;
        w->out->longer_rows |= longer;
        return true;
    }
    return false;
}

static bool drop_any(struct work *w)
{
    for (uint32_t i = w->rank; i-- > 1;)
        if (w->d[i].size == 1 && w->d[i].box == 1) {
            take_away(w, i);
            return true;
        }
    return false;
}

/* A dimension of which a tile takes one index: as many maps, each with a base of its own. */
static bool take_maps(struct work *w, uint32_t i)
{
    struct tmap_fold *out = w->out;
    uint64_t maps;
    if (w->d[i].box != 1 || w->d[i].stride_bits % 8 ||
        __builtin_mul_overflow(out->maps, w->d[i].size, &maps))
        return false;
    for (int k = 0; k < TMAP_TENSOR_RANK; k++)
        out->map_coef[k] += w->d[i].coef[k] * (w->d[i].stride_bits / 8);
    out->maps = maps;
    take_away(w, i);
    return true;
}

static bool is_too_long(const struct dimension *d)
{
    return d->size > 1 && d->stride_bits / 8 >= STRIDE_END;
}

/* The fewest maps: of the smallest dimension. */
static bool take_fewest_maps(struct work *w)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->rank; i++)
        if (w->d[i].box == 1 && (best == 0 || w->d[i].size < w->d[best].size)) best = i;
    return best && take_maps(w, best);
}

static enum tmap_status fold(struct work *w)
{
    for (uint32_t i = w->rank; i-- > 1;)
        if (is_too_long(&w->d[i]) && !take_maps(w, i))
            return none(w->out, "a stride has 40 bits, and the tile takes more than one index of "
                                "that dimension: copy each index by itself");
    while (w->rank > TMAP_MAX_RANK)
        if (!drop_any(w) && !merge_rows(w) && !merge_first(w) && !take_fewest_maps(w))
            return none(w->out, "more than five dimensions remain of which the tile takes more "
                                "than one index, and no two of them are contiguous: copy the "
                                "tensor with two of them side by side, or take one index of one");
    return TMAP_OK;
}

static void write_desc(const struct work *w, const struct tmap_tensor *t)
{
    struct tmap_desc *d = &w->out->desc;
    d->kind = TMAP_TILED;
    d->dtype = t->dtype;
    d->rank = w->rank;
    d->address = t->address;
    for (uint32_t i = 0; i < w->rank; i++) {
        d->dim[i] = w->d[i].size;
        d->box[i] = w->d[i].box < UINT32_MAX ? (uint32_t)w->d[i].box : UINT32_MAX;
        d->elem_stride[i] = 1;
        if (i) d->stride_bytes[i - 1] = w->d[i].stride_bits / 8;
        memcpy(w->out->coef[i], w->d[i].coef, sizeof w->d[i].coef);
    }
}

static enum tmap_status read_tensor(struct work *w, const struct tmap_tensor *t)
{
    const uint64_t bits = layout_gmem_bits(t->dtype);
    w->rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++) {
        struct dimension *d = &w->d[i];
        *d = (struct dimension){
            .size = t->dim[i], .box = t->box[i], .stride_bits = t->stride_bits[i]};
        d->coef[i] = 1;
        if (d->size > 1 && d->stride_bits % 8 && d->stride_bits != bits)
            return none(w->out, "a stride is not a whole number of bytes");
    }
    return TMAP_OK;
}

static enum tmap_status fold_tensor(struct work *w, const struct tmap_tensor *t)
{
    const enum tmap_status s = read_tensor(w, t);
    if (s != TMAP_OK || keep_empty(w)) return s;
    if (!put_unit_first(w, layout_gmem_bits(t->dtype)))
        return none(w->out, "no dimension's elements are side by side: a map takes neighbours of "
                            "the innermost dimension; copy the tensor (contiguous), or request "
                            "the dimension between them too");
    return fold(w);
}

enum tmap_status tmap_fold_tensor(const struct tmap_tensor *t, struct tmap_fold *out)
{
    struct work w = {.out = out};
    if (!t || !out || t->rank == 0 || t->rank > TMAP_TENSOR_RANK || !layout_gmem_bits(t->dtype))
        return TMAP_E_ARGUMENT;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->box[i] == 0) return TMAP_E_ARGUMENT;
    memset(out, 0, sizeof *out);
    out->maps = 1;
    const enum tmap_status s = fold_tensor(&w, t);
    if (s == TMAP_OK) write_desc(&w, t);
    return s;
}
