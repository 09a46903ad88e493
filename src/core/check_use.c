/* The checks beside the encode call: uses, changes to a map, pipelines, advice. */
#include "core/check_use.h"
#include "core/derive.h"
#include "core/forms.h"
#include "core/native_rows.h"

#include <string.h>

#define ROW(id, name, kinds, span, needs, when, must, effect, ...)                                 \
    ROW_OF(wanted, id, kinds, span, when, must, effect)

INLINE void use_rows(const struct subject *s, const int kind, const int wanted, struct row_set *set)
{
    const struct tmap_target *tg = s->target;
    const struct tmap_desc *d = s->desc;
    const struct tmap_use *u = s->use;
    const struct derived *dv = s->derived;
    const uint32_t rank = d->rank;
    (void)dv;
#include "rules/map.def"
#include "rules/use.def"
}

INLINE void advice_rows(const struct subject *s, const int kind, const int wanted,
                        struct row_set *set)
{
    const struct tmap_target *tg = s->target;
    const struct tmap_desc *d = s->desc;
    const struct derived *dv = s->derived;
    const uint32_t rank = d->rank;
#include "rules/desc.def"
#include "rules/errata.def"
}

INLINE void pipeline_rows(const struct subject *s, struct row_set *set)
{
    const int kind = TMAP_TILED, wanted = EFFECT_VIOLATION;
    const struct pipeline_facts *pl = s->pipeline;
    const struct tmap_target *tg = s->target;
    const struct derived *dv = s->derived;
#include "rules/pipeline.def"
}
#undef ROW

/* The same rows for each kind; a kind that no call has evaluates none. */
#define BY_KIND(rows, s, wanted, set)                                                              \
    switch ((s)->desc->kind) {                                                                     \
    case TMAP_TILED:                                                                               \
        rows(s, TMAP_TILED, wanted, set);                                                          \
        break;                                                                                     \
    case TMAP_IM2COL:                                                                              \
        rows(s, TMAP_IM2COL, wanted, set);                                                         \
        break;                                                                                     \
    case TMAP_IM2COL_WIDE:                                                                         \
        rows(s, TMAP_IM2COL_WIDE, wanted, set);                                                    \
        break;                                                                                     \
    default:                                                                                       \
        break;                                                                                     \
    }

static void raw_use(const struct subject *s, struct row_set *set)
{
    BY_KIND(use_rows, s, EFFECT_VIOLATION, set)
}

static void raw_use_advice(const struct subject *s, struct row_set *set)
{
    BY_KIND(use_rows, s, EFFECT_ADVISORY, set)
}

static void raw_desc(const struct subject *s, struct row_set *set)
{
    BY_KIND(advice_rows, s, EFFECT_VIOLATION, set)
}

static void raw_advice(const struct subject *s, struct row_set *set)
{
    BY_KIND(advice_rows, s, EFFECT_ADVISORY, set)
}

/* Word k of the set of all rows with a lower number. */
static uint64_t rows_before(int row, int k)
{
    const int bits = row - 64 * k;
    return bits <= 0 ? 0 : bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Rows about a use need rows about its descriptor, so those are evaluated too, but not reported. */
static void keep_use_rows(const uint64_t *words, uint64_t *out)
{
    for (int k = 0; k < TMAP_ROW_WORDS; k++)
        out[k] = words[k] & rows_before(SUBJECT_USE_END, k) & ~rows_before(SUBJECT_MAP_FIRST, k);
}

static enum tmap_verdict judge_use(const struct tmap_desc *desc, const struct finding *f,
                                   const struct row_set *raw, const uint64_t *active)
{
    uint64_t any = 0;
    if (f->found > 0) return TMAP_ILLEGAL;
    for (int k = 0; k < TMAP_ROW_WORDS; k++) any |= raw->w[k];
    if (!any && (unsigned)desc->kind <= TMAP_IM2COL_WIDE) return TMAP_LEGAL; /* no row waits */
    for (tmap_row row = SUBJECT_MAP_FIRST; row < SUBJECT_USE_END; row++)
        if (row_set_has(active, row) && row_waits(row, desc->kind, raw)) return TMAP_UNKNOWN;
    return TMAP_LEGAL;
}

enum tmap_status tmap_check_use(const struct tmap_checker *c, const struct tmap_desc *desc,
                                const struct tmap_use *use, struct tmap_violation *violations,
                                size_t cap, size_t *found, enum tmap_verdict *verdict)
{
    if (c == NULL || desc == NULL || use == NULL || found == NULL ||
        (cap > 0 && violations == NULL))
        return TMAP_E_ARGUMENT;
    struct derived derived;
    derive_use(&c->target, desc, use, &derived);
    derived.patched_illegal = patched_is_illegal(c, desc, use);
    const struct subject s = {&c->target, desc, use, NULL, &derived};
    struct row_set raw = {{0}};
    struct finding f = {violations, cap, 0};
    enum tmap_verdict v = TMAP_UNKNOWN;
    uint64_t active[TMAP_ROW_WORDS] = {0};
    if (c->covered == TMAP_OK) {
        keep_use_rows(c->active, active);
        raw_desc(&s, &raw);
        raw_use(&s, &raw);
        finding_collect(&f, &raw, active, &s);
        v = judge_use(desc, &f, &raw, active);
    }
    *found = f.found;
    return checker_answer(c, v, verdict);
}

enum tmap_status tmap_advise_use(const struct tmap_checker *c, const struct tmap_desc *desc,
                                 const struct tmap_use *use, struct tmap_violation *out, size_t cap,
                                 size_t *found)
{
    if (c == NULL || desc == NULL || use == NULL || found == NULL || (cap > 0 && out == NULL))
        return TMAP_E_ARGUMENT;
    struct derived derived;
    derive_use(&c->target, desc, use, &derived);
    const struct subject s = {&c->target, desc, use, NULL, &derived};
    struct row_set raw = {{0}};
    struct finding f = {out, cap, 0};
    uint64_t wanted[TMAP_ROW_WORDS] = {0};
    keep_use_rows(c->advisory, wanted);
    raw_desc(&s, &raw);
    raw_use_advice(&s, &raw);
    finding_collect(&f, &raw, wanted, &s);
    *found = f.found;
    return TMAP_OK;
}

enum tmap_status tmap_advise(const struct tmap_checker *c, const struct tmap_desc *desc,
                             struct tmap_violation *out, size_t cap, size_t *found)
{
    if (c == NULL || desc == NULL || found == NULL || (cap > 0 && out == NULL))
        return TMAP_E_ARGUMENT;
    struct derived derived;
    memset(&derived, 0, sizeof derived);
    derive_extent(desc, &derived);
    derive_nesting(desc, &derived);
    const struct subject s = {&c->target, desc, NULL, NULL, &derived};
    struct row_set raw = {{0}};
    struct finding f = {out, cap, 0};
    raw_desc(&s, &raw);
    raw_advice(&s, &raw);
    finding_collect(&f, &raw, c->advisory, &s);
    *found = f.found;
    return TMAP_OK;
}

void derive_pipeline(const struct tmap_checker *c, struct derived *out)
{
    memset(out, 0, sizeof *out);
    tmap_capacity(c->target.arch, &out->smem_capacity, &out->tmem_capacity);
    tmap_form_available(TMAP_FORM_MOD_CTA_GROUP_2, &c->target, &out->form_ptx);
}

bool pipeline_is_legal(const struct tmap_checker *c, const struct derived *derived,
                       const struct pipeline_facts *facts)
{
    const struct subject s = {&c->target, NULL, NULL, facts, derived};
    struct row_set raw = {{0}};
    pipeline_rows(&s, &raw);
    for (int k = 0; k < TMAP_ROW_WORDS; k++)
        for (uint64_t bits = raw.w[k] & c->active[k]; bits; bits &= bits - 1)
            if (row_needs_hold((tmap_row)(64 * k + __builtin_ctzll(bits)), &raw)) return false;
    return true;
}

enum tmap_status check_pipeline(const struct tmap_checker *c, const struct pipeline_facts *facts,
                                struct tmap_violation *out, size_t cap, size_t *found)
{
    if (c == NULL || facts == NULL || found == NULL || (cap > 0 && out == NULL))
        return TMAP_E_ARGUMENT;
    struct derived derived;
    derive_pipeline(c, &derived);
    const struct subject s = {&c->target, NULL, NULL, facts, &derived};
    struct row_set raw = {{0}};
    struct finding f = {out, cap, 0};
    pipeline_rows(&s, &raw);
    finding_collect(&f, &raw, c->active, &s);
    *found = f.found;
    return TMAP_OK;
}
