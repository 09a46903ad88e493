/* Which rows can apply in a block, by the values of its enumerations alone: the words of the row
 * language on sets of values. What is not known here may be anything. */
#include "core/columns.h"
#include "expr/words_width.h"
#include "rules/sets.def"

#include <string.h>

/* What a word may be: the values below 32 as a set, which if full says nothing, and between which
 * numbers it lies. A set of one number that it cannot hold is full. */
struct among {
    uint32_t set;
    int64_t from, to;
};

static inline bool may_be(struct among a, struct among b)
{
    return (a.set & b.set) != 0;
}

static inline bool may_differ(struct among a, struct among b)
{
    return ((a.set & ~b.set) != 0) | (b.set == UINT32_MAX);
}

static inline bool may_be_in(struct among a, uint64_t set)
{
    return ((a.set & set) != 0) | (a.set == UINT32_MAX);
}

static inline bool may_be_below(struct among a, struct among b, int64_t by)
{
    return a.from + by <= b.to;
}

static inline uint32_t set_below(uint32_t end)
{
    return end >= 32 ? UINT32_MAX : (UINT32_C(1) << end) - 1;
}

#define EXACTLY(n) (UINT32_C(1) << (n))
#define IS_SMALL(n) ((n) >= 0 && (n) < 32)
#define K(n) ((struct among){IS_SMALL(n) ? EXACTLY(IS_SMALL(n) ? (n) : 0) : UINT32_MAX, (n), (n)})
#define ONE_OF(set) ((struct among){(set), INT64_MIN, INT64_MAX})
#define CUDA ((struct among){UINT32_MAX, w->target.cuda, w->target.cuda})
#define KIND ONE_OF(EXACTLY(w->kind))
#define FLAG(bit) ONE_OF(EXACTLY((w->flags >> (bit)) & 1))
#define DTYPE ONE_OF(set_below(w->known.dtype))
#define INTERLEAVE ONE_OF(set_below(w->known.interleave))
#define SWIZZLE ONE_OF(set_below(w->known.swizzle))
#define OOB ONE_OF(set_below(w->known.oob_fill))
#define DIM(i) ONE_OF(UINT32_MAX)
#define MODE ONE_OF(UINT32_MAX)
#define BIT(n) (UINT64_C(1) << (n))
#define ALWAYS true
#define EQ(a, b) may_be((a), (b)) /* b is a constant in every row */
#define NE(a, b) may_differ((a), (b))
#define IN(x, set) may_be_in((x), (set))
#define LE(a, b) may_be_below((a), (b), 0)
#define LT(a, b) may_be_below((a), (b), 1)
#define AND(a, b) ((a) && (b))
#define OR(a, b) ((a) || (b))
#define NOT(a) true
#define WHEN(c) (c)

static void can_apply(const struct columns_view *w, bool *out)
{
#define ROW(id, name, kinds, span, needs, when, ...) out[ROW_##id] = (when);
#include "rules/desc.def"
#undef ROW
}
#undef ALWAYS

/* By row: is it of 64-bit lanes, and is it looked at together with others? */
#define ROW(id, ...) [ROW_##id] = WIDE_##id != 0,
static const bool wide[SUBJECT_DESC_END] = {
#include "rules/desc.def"
};
#undef ROW
#define ROW(id, ...) [ROW_##id] = !RARE_##id,
static const bool usual[SUBJECT_DESC_END] = {
#include "rules/desc.def"
};
#undef ROW

static uint32_t beyond(int32_t value, uint32_t end)
{
    return value < (int32_t)end ? end : value < 31 ? (uint32_t)value + 1 : INT32_MAX;
}

void columns_learn(struct columns_view *w, int32_t dtype, int32_t interleave, int32_t swizzle,
                   int32_t oob)
{
    w->known.dtype = beyond(dtype, w->known.dtype);
    w->known.interleave = beyond(interleave, w->known.interleave);
    w->known.swizzle = beyond(swizzle, w->known.swizzle);
    w->known.oob_fill = beyond(oob, w->known.oob_fill);
}

void columns_narrow(struct columns_view *w)
{
    bool applies[SUBJECT_DESC_END];
    memset(w->alone, 0, sizeof w->alone);
    can_apply(w, applies);
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++) {
        const bool alone = !w->every || (applies[row] && !usual[row]);
        if (w->class[row] && alone) w->alone[wide[row]].w[row / 64] |= UINT64_C(1) << (row % 64);
    }
}
