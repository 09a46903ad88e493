/* What the lanes of a warp do together, by whole warps and by some lanes of them: shuffles, votes,
 * matches, reductions, an election, against plain loops over the lanes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/lane_ops.h"
#include "support/rounding.h"

enum { WARP = 32 };

/* A warp's sources and who takes part; the result of one lane. */
struct warp {
    uint64_t a[WARP], b[WARP], c[WARP];
    uint32_t mask;
};
typedef uint64_t of_lane(const struct warp *w, uint32_t lane, int variant);

static bool in(const struct warp *w, uint32_t lane)
{
    return w->mask >> lane & 1;
}

/* --- shuffles: lanes come in segments whose width is a power of two */

enum { UP, DOWN, BFLY, IDX };

/* The lane that is read, or -1 where that is not of the segment. variant: the kind, and from 4 on
 * the segments' log2 of width. */
static int source(const struct warp *w, uint32_t lane, int variant)
{
    const int width = 1 << variant / 4, first = (int)lane / width * width, n = (int)w->b[lane] & 31;
    const int kind = variant % 4, at = (int)lane;
    const int from = kind == UP     ? at - n
                     : kind == DOWN ? at + n
                     : kind == BFLY ? at ^ n
                                    : first + n % width;
    /* a butterfly may read a segment before its own */
    return (kind == BFLY || from >= first) && from < first + width ? from : -1;
}

static uint64_t shuffled(const struct warp *w, uint32_t lane, int variant)
{
    const int from = source(w, lane, variant);
    if (from < 0) return w->a[lane];
    return in(w, (uint32_t)from) ? w->a[from] : LANE_ANY;
}

static uint64_t shuffled_inside(const struct warp *w, uint32_t lane, int variant)
{
    return source(w, lane, variant) >= 0;
}

/* --- votes: variant 1 of negated predicates */

static uint32_t votes(const struct warp *w, int variant)
{
    uint32_t yes = 0;
    for (uint32_t l = 0; l < WARP; l++)
        if (in(w, l) && (w->a[l] & 1) != (uint64_t)variant) yes |= 1u << l;
    return yes;
}
static uint64_t all(const struct warp *w, uint32_t lane, int variant)
{
    (void)lane;
    return votes(w, variant) == w->mask;
}
static uint64_t any(const struct warp *w, uint32_t lane, int variant)
{
    (void)lane;
    return votes(w, variant) != 0;
}
static uint64_t uniform(const struct warp *w, uint32_t lane, int variant)
{
    return all(w, lane, variant) || !any(w, lane, variant);
}
static uint64_t ballot(const struct warp *w, uint32_t lane, int variant)
{
    (void)lane;
    return votes(w, variant);
}

/* --- matches; variant: bits */

static uint64_t matching(const struct warp *w, uint32_t lane, int variant)
{
    uint32_t same = 0;
    for (uint32_t l = 0; l < WARP; l++)
        if (in(w, l) && lane_width(variant == 64 ? 'd' : 'r', w->a[l] ^ w->a[lane]) == 0)
            same |= 1u << l;
    return same;
}
static uint64_t matching_all(const struct warp *w, uint32_t lane, int variant)
{
    return matching(w, lane, variant) == w->mask ? w->mask : 0;
}
static uint64_t do_all_match(const struct warp *w, uint32_t lane, int variant)
{
    return matching_all(w, lane, variant) != 0;
}

/* --- reductions */

enum { SUM, LEAST, MOST, LEAST_SIGNED, MOST_SIGNED, AND, OR, XOR };

static uint64_t combined(uint64_t a, uint64_t b, int how)
{
    switch (how) {
    case SUM:
        return a + b;
    case LEAST:
        return a < b ? a : b;
    case MOST:
        return a > b ? a : b;
    case LEAST_SIGNED:
        return (a ^ 0x80000000) < (b ^ 0x80000000) ? a : b;
    case MOST_SIGNED:
        return (a ^ 0x80000000) > (b ^ 0x80000000) ? a : b;
    case AND:
        return a & b;
    case OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static uint64_t reduced(const struct warp *w, uint32_t lane, int variant)
{
    uint64_t r = 0;
    bool first = true;
    (void)lane;
    for (uint32_t l = 0; l < WARP; l++)
        if (in(w, l))
            r = first ? w->a[l] & UINT32_MAX : combined(r, w->a[l] & UINT32_MAX, variant),
            first = false;
    return r;
}

enum { MAXIMUM = 1, ABSOLUTE = 2, NAN_WINS = 4 };

/* -0 is below +0; a NaN counts where all are, or where it wins. */
static uint64_t reduced_float(const struct warp *w, uint32_t lane, int variant)
{
    uint64_t best = format_f32.nan;
    bool none = true, nan = false;
    (void)lane;
    for (uint32_t l = 0; l < WARP; l++) {
        const uint64_t v = w->a[l] & (variant & ABSOLUTE ? 0x7fffffff : 0xffffffff);
        const long double x = float_value(&format_f32, v), y = float_value(&format_f32, best);
        const bool below = x < y || (x == y && signbit(x) && !signbit(y));
        if (!in(w, l)) continue;
        if (isnan(x))
            nan = true;
        else if (none || (variant & MAXIMUM ? !below : below))
            best = v, none = false;
    }
    return nan && variant & NAN_WINS ? format_f32.nan : best;
}

static uint64_t first_of_mask(const struct warp *w, uint32_t lane, int variant)
{
    uint32_t first = 0;
    while (!in(w, first)) first++;
    return variant ? lane == first : first;
}
static uint64_t mask_itself(const struct warp *w, uint32_t lane, int variant)
{
    (void)lane, (void)variant;
    return w->mask;
}

#define M(text) "{.reg .b32 m; activemask.b32 m; " text "} mov.b32 %r18, 0"
static const struct row {
    const char *text, *shape, *target;
    of_lane *expect;
    int variant;
} rows[] = {
    {M("shfl.sync.up.b32 $D, $A, $B, 0, m;"), "rrr", "sm_90a", shuffled, UP + 20},
    {M("shfl.sync.down.b32 $D, $A, $B, 31, m;"), "rrr", "sm_90a", shuffled, DOWN + 20},
    {M("shfl.sync.bfly.b32 $D, $A, $B, 31, m;"), "rrr", "sm_90a", shuffled, BFLY + 20},
    {M("shfl.sync.idx.b32 $D, $A, $B, 31, m;"), "rrr", "sm_90a", shuffled, IDX + 20},
    {M("shfl.sync.up.b32 $D|%p19, $A, $B, 0x1800, m;"), "rrr", "sm_90a", shuffled, UP + 12},
    {M("shfl.sync.down.b32 $D|%p19, $A, $B, 0x181f, m;"), "rrr", "sm_90a", shuffled, DOWN + 12},
    {M("shfl.sync.bfly.b32 $D|%p19, $A, $B, 0x181f, m;"), "rrr", "sm_90a", shuffled, BFLY + 12},
    {M("shfl.sync.idx.b32 $D|%p19, $A, $B, 0x181f, m;"), "rrr", "sm_90a", shuffled, IDX + 12},
    {M("shfl.sync.up.b32 %r19|$D, $A, $B, 0x1800, m;"), "prr", "sm_90a", shuffled_inside, UP + 12},
    {M("shfl.sync.down.b32 %r19|$D, $A, $B, 0x1c1f, m;"), "prr", "sm_90a", shuffled_inside,
     DOWN + 8},
    {M("shfl.sync.bfly.b32 %r19|$D, $A, $B, 0x1c1f, m;"), "prr", "sm_90a", shuffled_inside,
     BFLY + 8},
    {M("shfl.sync.idx.b32 %r19|$D, $A, $B, 0x1e1f, m;"), "prr", "sm_90a", shuffled_inside, IDX + 4},
    {M("vote.sync.all.pred $D, $A, m;"), "pp", "sm_90a", all, 0},
    {M("vote.sync.all.pred $D, !$A, m;"), "pp", "sm_90a", all, 1},
    {M("vote.sync.any.pred $D, $A, m;"), "pp", "sm_90a", any, 0},
    {M("vote.sync.any.pred $D, !$A, m;"), "pp", "sm_90a", any, 1},
    {M("vote.sync.uni.pred $D, $A, m;"), "pp", "sm_90a", uniform, 0},
    {M("vote.sync.ballot.b32 $D, $A, m;"), "rp", "sm_90a", ballot, 0},
    {M("vote.sync.ballot.b32 $D, !$A, m;"), "rp", "sm_90a", ballot, 1},
    {M("match.any.sync.b32 $D, $A, m;"), "rr", "sm_90a", matching, 32},
    {M("match.any.sync.b64 $D, $A, m;"), "rd", "sm_90a", matching, 64},
    {M("match.all.sync.b32 $D, $A, m;"), "rr", "sm_90a", matching_all, 32},
    {M("match.all.sync.b64 $D|%p19, $A, m;"), "rd", "sm_90a", matching_all, 64},
    {M("match.all.sync.b32 %r19|$D, $A, m;"), "pr", "sm_90a", do_all_match, 32},
    {M("redux.sync.add.u32 $D, $A, m;"), "rr", "sm_90a", reduced, SUM},
    {M("redux.sync.add.s32 $D, $A, m;"), "rr", "sm_90a", reduced, SUM},
    {M("redux.sync.min.u32 $D, $A, m;"), "rr", "sm_90a", reduced, LEAST},
    {M("redux.sync.max.u32 $D, $A, m;"), "rr", "sm_90a", reduced, MOST},
    {M("redux.sync.min.s32 $D, $A, m;"), "rr", "sm_90a", reduced, LEAST_SIGNED},
    {M("redux.sync.max.s32 $D, $A, m;"), "rr", "sm_90a", reduced, MOST_SIGNED},
    {M("redux.sync.and.b32 $D, $A, m;"), "rr", "sm_90a", reduced, AND},
    {M("redux.sync.or.b32 $D, $A, m;"), "rr", "sm_90a", reduced, OR},
    {M("redux.sync.xor.b32 $D, $A, m;"), "rr", "sm_90a", reduced, XOR},
    {M("redux.sync.min.f32 $D, $A, m;"), "rr", "sm_100a", reduced_float, 0},
    {M("redux.sync.max.f32 $D, $A, m;"), "rr", "sm_100a", reduced_float, MAXIMUM},
    {M("redux.sync.min.abs.f32 $D, $A, m;"), "rr", "sm_100a", reduced_float, ABSOLUTE},
    {M("redux.sync.max.abs.NaN.f32 $D, $A, m;"), "rr", "sm_100a", reduced_float,
     MAXIMUM | ABSOLUTE | NAN_WINS},
    {M("redux.sync.min.NaN.f32 $D, $A, m;"), "rr", "sm_100a", reduced_float, NAN_WINS},
    {M("elect.sync $D|%p19, m;"), "r", "sm_90a", first_of_mask, 0},
    {M("elect.sync _|$D, m;"), "p", "sm_90a", first_of_mask, 1},
    {"activemask.b32 $D", "r", "sm_90a", mask_itself, 0}};

/* Warps 0 to 7: all lanes alike, all but one, a few values, zeros of both signs, NaN alone, ... */
static void draw(struct lane_case cases[LANE_CASES], uint64_t seed)
{
    static const uint64_t few[] = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                   0x7fc00000, 0xff800000, 1,          0xffffffff};
    lane_draw(cases, few, 8, seed);
    for (uint32_t i = 0; i < LANE_CASES; i++) {
        const uint32_t warp = i / WARP, lane = i % WARP;
        uint64_t *a = &cases[i].in[0];
        if (warp == 0) *a = 0x8000000080000001;
        if (warp == 1) *a = lane == 8 ? 6 : 7;
        if (warp == 2) *a = few[*a % 4] | (*a & 1) << 40;
        if (warp == 3) *a = lane % 3 ? 0 : 0x80000000;
        if (warp == 4) *a = 0x7fc00000 + lane;
        if (warp == 5) *a = lane == 10 ? 0x7fc00000 : few[lane % 4];
        if (warp == 6) *a = lane < 16 ? 0x80000000 : 0;
    }
}

static uint32_t part_mask(void)
{
    uint32_t mask = 0;
    for (uint32_t l = 0; l < WARP; l++) mask |= (uint32_t)lane_takes_part(l) << l;
    return mask;
}

static size_t compare(const struct row *row, const struct lane_case *cases, bool part)
{
    struct warp w = {.mask = part ? part_mask() : UINT32_MAX};
    size_t wrong = 0;
    for (uint32_t l = 0; l < WARP; l++)
        w.a[l] = cases[l].in[0], w.b[l] = cases[l].in[1], w.c[l] = cases[l].in[2];
    for (uint32_t l = 0; l < WARP; l++) {
        const uint64_t got = part ? cases[l].part : cases[l].out;
        uint64_t want =
            in(&w, l) ? row->expect(&w, l, row->variant) : lane_untouched(row->shape[0]);
        if (want == LANE_ANY || got == (want = lane_width(row->shape[0], want))) continue;
        if (wrong++ == 0)
            fprintf(stderr, "# %s, lane %u%s: 0x%llx, not 0x%llx\n", row->text, l,
                    part ? " of some" : "", (unsigned long long)got, (unsigned long long)want);
    }
    return wrong;
}

static void together(void **state)
{
    struct lane_case cases[LANE_CASES];
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        draw(cases, i + 1);
        assert_true(lane_ops(rows[i].target, rows[i].text, rows[i].shape, cases));
        for (uint32_t at = 0; at < LANE_CASES; at += WARP)
            wrong += compare(&rows[i], cases + at, false) + compare(&rows[i], cases + at, true);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(together)};
    return cmocka_run_group_tests_name("lanes of the emulator", tests, NULL, NULL);
}
