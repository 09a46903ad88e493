/* counterexample.c : counterexamples among the corners that facts about single parameters give.
 *
 * For products isl's points are not points; the ends of each parameter's range, and the first
 * values beyond them, are where a bound or a congruence of a product breaks first.
 */
#include "symbolic/condition/condition.h"

/* Of several one that is illegal makes all illegal, else one that is unknown all unknown. */
static enum tmap_verdict worse(enum tmap_verdict a, enum tmap_verdict b)
{
    return a == TMAP_ILLEGAL || b == TMAP_LEGAL ? a : b == TMAP_ILLEGAL ? b : TMAP_UNKNOWN;
}

/* What the check says of a descriptor and its uses; values that do not fit are not legal. */
static enum tmap_verdict native_of(const struct tmap_condition *c, const struct sym_desc *d,
                                   const sym_int *values)
{
    struct tmap_desc desc;
    if (!sym_desc_at(&c->w, d, values, &desc)) return TMAP_ILLEGAL;
    enum tmap_verdict all = tmap_verdict_of(&c->checker, &desc);
    for (size_t k = 0; k < d->n_uses; k++) {
        struct tmap_use use;
        enum tmap_verdict one = TMAP_UNKNOWN;
        size_t found;
        if (!sym_use_at(&c->w, &d->uses[k], values, &use)) return TMAP_ILLEGAL;
        tmap_check_use(&c->checker, &desc, &use, NULL, 0, &found, &one);
        all = worse(all, one);
    }
    return all;
}

static enum tmap_verdict native_verdict(const struct tmap_condition *c, const sym_int *values)
{
    enum tmap_verdict all = TMAP_LEGAL;
    for (size_t i = 0; i < c->n_descs; i++) all = worse(all, native_of(c, &c->descs[i], values));
    return all;
}

static void keep_point(const struct tmap_condition *c, const sym_int *values, int64_t *out)
{
    for (size_t i = 0; i < c->w.n_params; i++) out[i] = (int64_t)values[i];
}

bool sym_confirms(struct tmap_condition *c, const sym_int *values)
{
    if (sym_holds(&c->w, c->assume, values) != 1) return false;
    for (size_t i = 0; i < c->w.n_params; i++) {
        if (values[i] != (int64_t)values[i]) return false;
    }
    enum tmap_verdict verdict = native_verdict(c, values);
    if (verdict == TMAP_ILLEGAL) {
        keep_point(c, values, c->counterexample);
        c->has_counterexample = true;
    } else if (verdict == TMAP_UNKNOWN && !c->has_undecided) {
        keep_point(c, values, c->undecided);
        c->has_undecided = true;
    }
    return verdict == TMAP_ILLEGAL;
}

enum { MAX_VALUES = 4 + 2 + 5, MAX_POINTS = 200000 }; /* as candidates_of() adds them */

struct candidates {
    size_t n;
    sym_int value[MAX_VALUES];
};

static void add(struct candidates *c, const struct sym_facts *facts, int v, sym_int x, bool up)
{
    const struct sym_range *r = &facts->range[v];
    sym_int m = facts->residue[v].m;
    if (m)
        x += up ? sym_floormod(facts->residue[v].r - x, m)
                : -sym_floormod(x - facts->residue[v].r, m);
    if ((r->has_lo && x < r->lo) || (r->has_hi && x > r->hi)) return;
    for (size_t i = 0; i < c->n; i++) {
        if (c->value[i] == x) return;
    }
    c->value[c->n++] = x;
}

/* Ends, small values, and one in the middle of the binary magnitudes. */
static struct candidates candidates_of(const struct sym_facts *facts, int v)
{
    struct candidates c = {0};
    const struct sym_range *r = &facts->range[v];
    sym_int step = facts->residue[v].m ? facts->residue[v].m : 1;
    sym_int lo = r->has_lo ? r->lo : 1, hi = r->has_hi ? r->hi : (sym_int)1 << 62;
    for (int k = 0; k < 4; k++) add(&c, facts, v, lo + k * step, true);
    for (int k = 0; k < 2; k++) add(&c, facts, v, hi - k * step, false);
    for (int bits = 8; bits < 48; bits += 8) {
        if (((sym_int)1 << bits) > lo && ((sym_int)1 << bits) < hi) {
            add(&c, facts, v, (sym_int)1 << bits, true);
        }
    }
    return c;
}

bool sym_find_counterexample(struct tmap_condition *c)
{
    struct candidates of[SYM_MAX_PARAMS];
    size_t n = c->w.n_params, digit[SYM_MAX_PARAMS] = {0};
    sym_int values[SYM_MAX_PARAMS];
    struct sym_facts *facts = sym_take(&c->w, sizeof *facts);
    if (!facts) return false;
    sym_learn(&c->w, facts, c->assume);
    for (size_t i = 0; i < n; i++) {
        of[i] = candidates_of(facts, (int)i);
        if (of[i].n == 0) return false;
    }
    for (int points = 0; points < MAX_POINTS; points++) {
        for (size_t i = 0; i < n; i++) values[i] = of[i].value[digit[i]];
        if (sym_holds(&c->w, c->assume, values) == 1 && sym_holds(&c->w, c->full, values) == 0 &&
            sym_confirms(c, values)) {
            return true;
        }
        size_t i = 0;
        while (i < n && ++digit[i] == of[i].n) digit[i++] = 0;
        if (i == n) return false;
    }
    return false;
}
