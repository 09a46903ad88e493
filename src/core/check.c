/* The check of a descriptor: raw row bits, then what the contract makes of them.
 *
 * A legal descriptor costs one pass without a branch but on kind and rank. No allocation, no
 * floating point, no division. */
#include "core/derive.h"
#include "core/native_rows.h"
#include <string.h>

INLINE void desc_rows(const struct tmap_desc *d, const struct tmap_target *tg,
                      const struct derived *dv, const int kind, const uint32_t rank,
                      struct row_set *set)
{
    (void)dv;
#define ROW(id, name, kinds, span, needs, when, must, effect, ...)                                 \
    ROW_OF(EFFECT_VIOLATION, id, kinds, span, when, must, effect)
#include "rules/desc.def"
#undef ROW
}

/* The same rows, asked only whether any is violated, specialised on the rank too. A legal
 * descriptor is the common case: rows that are evaluated once leave at the first that fails, which
 * the processor predicts; rows of a dimension are summed up. */
#define ANY_ONCE(c, m)                                                                             \
    {                                                                                              \
        enum { i = 0 };                                                                            \
        if (__builtin_expect((c) & !(m), 0)) return true;                                          \
    }
#define ANY_DIMS(c, m) BAD_DIMS(c, m)
#define ANY_OUTER(c, m) BAD_OUTER(c, m)
#define ANY_STRIDES(c, m) BAD_STRIDES(c, m)
#define ANY_SPATIALS(c, m) BAD_SPATIALS(c, m)

INLINE bool any_desc_row(const struct tmap_desc *d, const struct tmap_target *tg,
                         const struct derived *dv, const int kind, const uint32_t rank)
{
    int bad = 0;
#define ROW(id, name, kinds, span, needs, when, must, effect, ...)                                 \
    if (EFFECT_##effect == EFFECT_VIOLATION && ((KINDS_##kinds >> kind) & 1)) {                    \
        ANY_##span(when, must)                                                                     \
    }
#include "rules/desc.def"
#undef ROW
    return bad != 0;
}

/* A kind that no call has: only the row that says so means anything. */
static struct row_set raw_of_no_kind(void)
{
    struct row_set raw = {{0}};
    raw.w[ROW_TMA001 / 64] |= UINT64_C(1) << (ROW_TMA001 % 64);
    return raw;
}

/* Specialised on the ranks that exist. */
static struct row_set raw_measured(const struct tmap_desc *d, const struct tmap_target *tg,
                                   const struct derived *dv)
{
    struct row_set raw = {{0}};
#define TILED(rank)                                                                                \
    case (rank):                                                                                   \
        desc_rows(d, tg, dv, TMAP_TILED, (rank), &raw);                                            \
        return raw;
    switch (d->kind) {
    case TMAP_TILED:
        switch (d->rank) {
            TILED(1) TILED(2) TILED(3) TILED(4) TILED(5)
        }
        desc_rows(d, tg, dv, TMAP_TILED, d->rank, &raw);
        return raw;
    case TMAP_IM2COL:
        desc_rows(d, tg, dv, TMAP_IM2COL, d->rank, &raw);
        return raw;
    case TMAP_IM2COL_WIDE:
        desc_rows(d, tg, dv, TMAP_IM2COL_WIDE, d->rank, &raw);
        return raw;
    default:
        return raw_of_no_kind();
    }
#undef TILED
}

/* The rows of desc.def that are violated when their needs are not looked at. */
static inline struct row_set raw_of(const struct tmap_desc *d, const struct tmap_target *tg)
{
    struct derived dv = {.extent_bytes = 0};
    if (d->flags & TMAP_HAS_ALLOCATION) derive_extent(d, &dv);
    return raw_measured(d, tg, &dv);
}

static inline bool meets(const struct row_set *raw, const uint64_t *words)
{
    uint64_t any = 0;
    for (int k = 0; k < TMAP_ROW_WORDS; k++) any |= raw->w[k] & words[k];
    return any != 0;
}

/* Illegal when an active row is violated; unknown when none is, but one could not be evaluated. */
static enum tmap_verdict judge(const struct tmap_checker *c, const struct row_set *raw)
{
    for (int k = 0; k < TMAP_ROW_WORDS; k++)
        for (uint64_t bits = raw->w[k] & c->active[k]; bits; bits &= bits - 1)
            if (row_needs_hold((tmap_row)(64 * k + __builtin_ctzll(bits)), raw))
                return TMAP_ILLEGAL;
    return TMAP_UNKNOWN;
}

/* No row at all is violated, active or not. Only kind, rank and the allocation select the code. */
static inline bool clean(const struct tmap_desc *d, const struct tmap_target *tg)
{
    const struct derived dv = {.extent_bytes = 0};
    if (d->flags & TMAP_HAS_ALLOCATION) return false;
#define CLEAN(kind, rank)                                                                          \
    case (rank):                                                                                   \
        return !any_desc_row(d, tg, &dv, (kind), (rank));
    if (d->kind == TMAP_TILED) switch (d->rank) {
            CLEAN(TMAP_TILED, 1)
            CLEAN(TMAP_TILED, 2)
            CLEAN(TMAP_TILED, 3)
            CLEAN(TMAP_TILED, 4)
            CLEAN(TMAP_TILED, 5)
        }
    else if (d->kind == TMAP_IM2COL)
        switch (d->rank) {
            CLEAN(TMAP_IM2COL, 3) CLEAN(TMAP_IM2COL, 4) CLEAN(TMAP_IM2COL, 5)
        }
    return false;
#undef CLEAN
}

#include "core/plain_rows.h"

static inline bool plain_and_clean(const struct tmap_desc *d, const struct tmap_target *tg)
{
#define CLEAN(rank)                                                                                \
    case (rank):                                                                                   \
        return is_plain(d, (rank)) && !any_plain_row(d, tg, (rank));
    if (d->kind == TMAP_TILED) switch (d->rank) {
            CLEAN(1) CLEAN(2) CLEAN(3) CLEAN(4) CLEAN(5)
        }
    return false;
#undef CLEAN
}

/* Not in place: it saves registers that a plain descriptor's verdict does without. */
static __attribute__((noinline)) enum tmap_verdict verdict_of_any(const struct tmap_checker *c,
                                                                  const struct tmap_desc *desc)
{
    if (c->covered == TMAP_OK && clean(desc, &c->target)) return TMAP_LEGAL;
    const struct row_set raw = raw_of(desc, &c->target);
    if (c->covered != TMAP_OK) return TMAP_UNKNOWN;
    return meets(&raw, c->gate) ? judge(c, &raw) : TMAP_LEGAL;
}

enum tmap_verdict tmap_verdict_of(const struct tmap_checker *c, const struct tmap_desc *desc)
{
    if (c->covered == TMAP_OK && plain_and_clean(desc, &c->target)) return TMAP_LEGAL;
    return verdict_of_any(c, desc);
}

/* By a copy of the checker: with the rows compiled in twice, gcc 12 makes calls of what it had put
 * in place, and a legal verdict costs an eighth more. */
enum tmap_verdict checker_encode_verdict(const struct tmap_checker *c, const struct tmap_desc *desc)
{
    struct tmap_checker driver = *c;
    memcpy(driver.active, c->encode_active, sizeof driver.active);
    memcpy(driver.gate, c->encode_gate, sizeof driver.gate);
    return tmap_verdict_of(&driver, desc);
}

enum tmap_status tmap_check_many(const struct tmap_checker *c, const struct tmap_desc *descs,
                                 size_t n, enum tmap_verdict *verdicts)
{
    if (c == NULL || (n > 0 && (descs == NULL || verdicts == NULL))) return TMAP_E_ARGUMENT;
    for (size_t i = 0; i < n; i++) verdicts[i] = tmap_verdict_of(c, &descs[i]);
    return TMAP_OK;
}

/* One entry per place; a row evaluated once needs no second look. */
static inline void emit(struct finding *f, tmap_row row, const struct subject *s)
{
    if (row_table[row].span == SPAN_ONCE) {
        if (f->found < f->cap) f->out[f->found] = (struct tmap_violation){row, -1};
        f->found++;
        return;
    }
    for (uint32_t places = row_native(row, s); places; places &= places - 1) {
        if (f->found < f->cap)
            f->out[f->found] = (struct tmap_violation){row, (int16_t)__builtin_ctz(places)};
        f->found++;
    }
}

void finding_collect(struct finding *f, const struct row_set *raw, const uint64_t *wanted,
                     const struct subject *s)
{
    for (int k = 0; k < TMAP_ROW_WORDS; k++)
        for (uint64_t bits = raw->w[k] & wanted[k]; bits; bits &= bits - 1) {
            const tmap_row row = (tmap_row)(64 * k + __builtin_ctzll(bits));
            if (row_needs_hold(row, raw)) emit(f, row, s);
        }
}

enum tmap_status tmap_check_with(const struct tmap_checker *c, const struct tmap_desc *desc,
                                 struct tmap_violation *violations, size_t cap, size_t *found,
                                 enum tmap_verdict *verdict)
{
    if (c == NULL || desc == NULL || found == NULL || (cap > 0 && violations == NULL))
        return TMAP_E_ARGUMENT;
    const struct row_set raw = raw_of(desc, &c->target);
    struct finding f = {violations, cap, 0};
    enum tmap_verdict v = TMAP_UNKNOWN;
    if (c->covered == TMAP_OK) {
        const struct subject s = {.target = &c->target, .desc = desc};
        v = TMAP_LEGAL;
        if (meets(&raw, c->gate)) {
            finding_collect(&f, &raw, c->active, &s);
            v = f.found > 0 ? TMAP_ILLEGAL : TMAP_UNKNOWN;
        }
    }
    *found = f.found;
    return checker_answer(c, v, verdict);
}

enum tmap_status tmap_check(const struct tmap_desc *desc, const struct tmap_target *target,
                            enum tmap_contract contract, struct tmap_violation *violations,
                            size_t cap, size_t *found)
{
    struct tmap_checker c;
    const enum tmap_status status = tmap_checker_prepare(target, contract, &c);
    if (status != TMAP_OK) return status;
    return tmap_check_with(&c, desc, violations, cap, found, NULL);
}

enum tmap_status tmap_not_evaluated(const struct tmap_checker *c, const struct tmap_desc *desc,
                                    struct tmap_violation *out, size_t cap, size_t *found)
{
    if (c == NULL || desc == NULL || found == NULL || (cap > 0 && out == NULL))
        return TMAP_E_ARGUMENT;
    const struct row_set raw = raw_of(desc, &c->target);
    size_t n = 0;
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++) {
        if (!row_set_has(c->active, row) || !row_waits(row, desc->kind, &raw)) continue;
        if (n < cap) out[n] = (struct tmap_violation){row, -1};
        n++;
    }
    *found = n;
    return TMAP_OK;
}
