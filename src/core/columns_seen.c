/* Which rows can apply in a block, by the values of its enumerations alone: the words of the row
 * language on sets of values. What is not known here may be anything. */
#include "core/columns.h"
#include "rules/sets.def"

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

#define K(n) ((struct among){NUMBER, (n), 0})
#define CUDA K(w->target.cuda)
#define KIND K(w->kind)
#define FLAG(bit) K((w->flags >> (bit)) & 1)
#define ONE_OF(values) ((struct among){SET, 0, (values)})
#define DTYPE ONE_OF(seen->dtype)
#define INTERLEAVE ONE_OF(seen->interleave)
#define SWIZZLE ONE_OF(seen->swizzle)
#define OOB ONE_OF(seen->oob_fill)
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

void columns_narrow(const struct columns_view *w, const struct columns_seen *seen,
                    const uint8_t *class, uint8_t *out)
{
#define ROW(id, name, kinds, span, needs, when, ...) out[ROW_##id] = (when) ? class[ROW_##id] : 0;
#include "rules/desc.def"
#undef ROW
}
