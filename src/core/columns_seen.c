/* Which rows can apply in a block, by the values of its enumerations alone: the words of the row
 * language on sets of values. What is not known here may be anything. */
#include "core/columns.h"
#include "expr/words_width.h"
#include "rules/sets.def"

#include <string.h>

/* A number that all share, or one of a set of those below 32; of neither nothing is known. */
struct among {
    enum { ANYTHING, NUMBER, SET } what;
    int64_t number;
    uint32_t set;
};

static inline bool may_be(struct among a, int64_t n)
{
    return a.what == NUMBER ? a.number == n
           : a.what == SET  ? a.set == UINT32_MAX || (n >= 0 && n < 32 && (a.set >> n & 1))
                            : true;
}

static inline bool may_differ(struct among a, int64_t n)
{
    return a.what == NUMBER ? a.number != n
           : a.what == SET  ? n < 0 || n >= 32 || (a.set & ~(UINT32_C(1) << n))
                            : true;
}

static inline bool may_be_in(struct among a, uint64_t set)
{
    return a.what != SET || a.set == UINT32_MAX || (a.set & set);
}

static inline bool may_be_below(struct among a, struct among b, int64_t by)
{
    return a.what != NUMBER || b.what != NUMBER || a.number + by <= b.number;
}

static inline uint32_t set_below(uint32_t end)
{
    return end >= 32 ? UINT32_MAX : (UINT32_C(1) << end) - 1;
}

#define K(n) ((struct among){NUMBER, (n), 0})
#define CUDA K(w->target.cuda)
#define KIND K(w->kind)
#define FLAG(bit) K((w->flags >> (bit)) & 1)
#define ONE_OF(values) ((struct among){SET, 0, set_below(values)})
#define DTYPE ONE_OF(w->known.dtype)
#define INTERLEAVE ONE_OF(w->known.interleave)
#define SWIZZLE ONE_OF(w->known.swizzle)
#define OOB ONE_OF(w->known.oob_fill)
#define NOT_KNOWN ((struct among){ANYTHING, 0, 0})
#define DIM(i) NOT_KNOWN
#define MODE NOT_KNOWN
#define BIT(n) (UINT64_C(1) << (n))
#define ALWAYS true
#define EQ(a, b) may_be((a), (b).number) /* b is a constant in every row */
#define NE(a, b) may_differ((a), (b).number)
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
