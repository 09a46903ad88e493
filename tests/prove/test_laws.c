// The laws of the rewrites: each proved by isl for all sizes; each assumption needed, by a
// counterexample without it; and the rewrites of src/solve/view.c do to numbers what the laws say.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/layout.h"
#include "prove/law.h"
#include "solve/view.h"
#include "support/repair_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TMAP_WITH_ISL
#include <isl/map.h>

static void every_law_is_proved(void **state)
{
    struct tmap_symbolic *s;
    long claims = 0, pieces = 0;
    (void)state;
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; law_at(i); i++)
        for (int c = 0; c < LAW_LINES && law_at(i)->claim[c]; c++, claims++)
            if (!law_is_proved(s, law_at(i), c, -1, &pieces))
                fail_msg("%s: not proved: %s", law_at(i)->name, law_at(i)->claim[c]);
    tmap_symbolic_close(s);
    assert_true(claims > 40 && pieces > claims);
    print_message("# %ld claims proved for all values, %ld sets found empty\n", claims, pieces);
}

/* --- each assumption is needed --------------------------------------------------------------- */

/* Small values at which all assumptions but one hold and some claim does not. */
static bool spoil(const struct law *law, int dropped, uint64_t *seed)
{
    struct sym_work w;
    struct law_text t = {&w, law};
    const struct sym_form *given[LAW_LINES] = {0}, *claim[LAW_LINES] = {0};
    bool found = false;
    assert_true(sym_open(&w, NULL));
    for (int i = 0; i < LAW_LINES && law->given[i]; i++) given[i] = law_given(&t, i);
    for (int i = 0; i < LAW_LINES && law->claim[i]; i++) claim[i] = law_claim(&t, i);
    for (long n = 0; n < 200000 && !found; n++) {
        sym_int x[SYM_MAX_PARAMS];
        bool met = true;
        for (size_t i = 0; i < w.n_params; i++) x[i] = (int)(next_random(seed) % 8) - 2;
        for (int i = 0; i < LAW_LINES && given[i]; i++)
            met = met && (i == dropped || sym_holds(&w, given[i], x) == 1);
        for (int i = 0; met && i < LAW_LINES && claim[i]; i++)
            found = found || sym_holds(&w, claim[i], x) == 0;
    }
    assert_int_equal(w.status, TMAP_OK);
    sym_close(&w);
    return found;
}

static void every_assumption_is_needed(void **state)
{
    struct tmap_symbolic *s;
    uint64_t seed = 11;
    int n = 0;
    (void)state;
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; law_at(i); i++) {
        assert_false(spoil(law_at(i), -1, &seed));
        for (int k = 0; k < LAW_LINES && law_at(i)->given[k]; k++, n++) {
            bool all = true;
            if (!spoil(law_at(i), k, &seed))
                fail_msg("%s: nothing shows that it needs %s", law_at(i)->name,
                         law_at(i)->given[k]);
            for (int c = 0; c < LAW_LINES && law_at(i)->claim[c]; c++)
                all = all && law_is_proved(s, law_at(i), c, k, NULL);
            assert_false(all);
        }
    }
    tmap_symbolic_close(s);
    print_message("# %d assumptions: without any one a claim is false, and not proved\n", n);
}

/* --- the code does what the laws say --------------------------------------------------------- */

struct bound {
    const char *name;
    uint64_t value;
};

static uint64_t below(uint64_t *seed, uint64_t n)
{
    return next_random(seed) % n;
}

static uint64_t stride_of(const struct view *v, uint32_t i)
{
    return i ? v->desc.stride_bytes[i - 1] : layout_gmem_bits(v->desc.dtype) / 8;
}

/* The coordinate along a view's dimension, as the plan computes it from the request's. */
static uint64_t coord_of(const struct digit *d, const uint64_t *c)
{
    uint64_t sum = 0;
    for (int i = 0; i < TMAP_MAX_RANK; i++) sum += d->coef[i] * c[i];
    sum /= d->div;
    return d->mod ? sum % d->mod : sum;
}

/* A view whose dimensions are often contiguous, whole, of size 1 or divisible. */
static struct view random_view(uint64_t *seed, uint64_t *coord)
{
    struct view v;
    struct tmap_request request = {0};
    struct tmap_desc d = {.kind = TMAP_TILED, .rank = 2 + (uint32_t)below(seed, 4)};
    d.dtype = (int32_t)below(seed, 4);
    uint64_t at = layout_gmem_bits(d.dtype) / 8;
    for (uint32_t i = 0; i < d.rank; i++) {
        const uint64_t unit = 1 + below(seed, 6);
        d.dim[i] = below(seed, 4) ? unit * (1 + below(seed, 12)) : 1;
        d.box[i] = (uint32_t)(below(seed, 2) ? d.dim[i] : unit * (1 + below(seed, 6)));
        request.grain[i] = below(seed, 2) ? unit * (1 + below(seed, 3)) : 0;
        d.elem_stride[i] = i && below(seed, 6) == 0 ? 2 + (uint32_t)below(seed, 2) : 1;
        if (below(seed, 2)) request.grain[i] *= d.elem_stride[i];
        at *= d.dim[i];
        if (below(seed, 4) == 0) at += 16;
        if (i + 1 < d.rank) d.stride_bytes[i] = at;
    }
    view_of(&d, &request, &v);
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) coord[i] = v.grain[i] * below(seed, 20);
    return v;
}

enum { NAMES = 32 };

static size_t bind_dim(struct bound *b, size_t n, const char *const *names, const struct view *v,
                       uint32_t i, const uint64_t *coord)
{
    if (i >= v->desc.rank) return n;
    b[n++] = (struct bound){names[0], v->desc.dim[i]};
    b[n++] = (struct bound){names[1], stride_of(v, i)};
    b[n++] = (struct bound){names[2], v->tile[i]};
    b[n++] = (struct bound){names[3], v->grain[i]};
    b[n++] = (struct bound){names[4], coord_of(&v->digit[i], coord)};
    return n;
}

/* Whether what LET says of each bound name is its value. */
static int agrees(const struct law *law, const struct bound *b, size_t n)
{
    struct sym_work w;
    const struct law_text t = {&w, law};
    int checked = 0;
    assert_true(sym_open(&w, NULL));
    for (size_t k = 0; k < n; k++) {
        const struct sym_poly *p = law_defines(&t, b[k].name);
        sym_int x[SYM_MAX_PARAMS] = {0}, value;
        size_t known = 0;
        for (size_t v = 0; p && v < w.n_params; v++)
            for (size_t i = 0; i < n; i++)
                if (strcmp(w.var[v].name, b[i].name) == 0) x[v] = (sym_int)b[i].value, known++;
        if (!p) continue;
        assert_int_equal(known, w.n_params);
        assert_true(sym_eval(&w, p, x, &value));
        if (value != (sym_int)b[k].value)
            fail_msg("%s: the rewrite has %s = %llu, the law %lld", law->name, b[k].name,
                     (unsigned long long)b[k].value, (long long)value);
        checked++;
    }
    sym_close(&w);
    return checked;
}

/* The dimensions that the law does not speak of are there, in their order, as they were. */
static void others_stay(const struct view *a, uint32_t a1, uint32_t a2, const struct view *b,
                        uint32_t b1, uint32_t b2)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < a->desc.rank; i++) {
        if (i == a1 || i == a2) continue;
        while (j == b1 || j == b2) j++;
        assert_true(j < b->desc.rank);
        assert_int_equal(a->desc.dim[i], b->desc.dim[j]);
        assert_int_equal(a->tile[i], b->tile[j]);
        assert_int_equal(a->grain[i], b->grain[j]);
        assert_int_equal(a->desc.elem_stride[i], b->desc.elem_stride[j]);
        if (i && j) assert_int_equal(stride_of(a, i), stride_of(b, j));
        assert_memory_equal(&a->digit[i], &b->digit[j], sizeof a->digit[i]);
        j++;
    }
    while (j == b1 || j == b2) j++;
    assert_int_equal(j, b->desc.rank);
    assert_int_equal(a->desc.address, b->desc.address);
}

static const char *const small[2][5] = {{"d0", "s0", "t0", "g0", "c0"},
                                        {"d1", "s1", "t1", "g1", "c1"}};
static const char *const large[2][5] = {{"D0", "S0", "T0", "G0", "C0"},
                                        {"D1", "S1", "T1", "G1", "C1"}};

enum { DROP, MERGE, SPLIT, WIDEN, SWAP, UNSTRIDE, SLICES, REWRITES };

/* A rewrite of a view, where it applies: of dimension i, beside `other`, with number z. */
struct choice {
    int which;
    uint32_t i, other;
    uint64_t z;
};

static bool rewrite(const struct choice *c, struct view *v, struct view *out)
{
    switch (c->which) {
    case DROP:
        return view_drop(v, c->i, out);
    case MERGE:
        return view_merge(v, c->i, out);
    case SPLIT:
        return view_split(v, c->i, c->z, c->other, out);
    case WIDEN:
        return view_widen(v, out);
    case SWAP:
        return view_swap(v, c->other, out);
    case UNSTRIDE:
        return view_unstride(v, c->i, out);
    default:
        v->desc.interleave = TMAP_INTERLEAVE_16B;
        return view_slices(v, out);
    }
}

static size_t bind_one(struct bound *b, size_t n, const char *name, uint64_t value)
{
    b[n] = (struct bound){name, value};
    return n + 1;
}

/* The numbers that the law of the rewrite speaks of. */
static size_t bind_all(const struct choice *c, const struct view *v, const struct view *out,
                       const uint64_t *coord, struct bound *b)
{
    const uint32_t i = c->which == WIDEN || c->which == SWAP || c->which == SLICES ? 0 : c->i;
    const uint64_t es = v->desc.elem_stride[i];
    size_t n = 0;
    if (c->which == DROP) return bind_dim(b, n, small[1], v, i, coord); /* the law calls it 1 */
    n = bind_dim(b, n, small[0], v, i, coord);
    n = bind_dim(b, n, large[0], out, i, coord);
    if (c->which == MERGE) n = bind_dim(b, n, small[1], v, i + 1, coord);
    if (c->which == SPLIT) {
        n = bind_one(b, n, "z", c->z);
        n = bind_dim(b, n, large[1], out, c->other, coord);
    } else if (c->which == WIDEN) {
        n = bind_one(b, n, "e", layout_gmem_bits(v->desc.dtype));
        n = bind_one(b, n, "E", layout_gmem_bits(out->desc.dtype));
    } else if (c->which == SWAP) {
        n = bind_dim(b, n, small[1], v, c->other, coord);
        n = bind_dim(b, n, large[1], out, c->other, coord);
    } else if (c->which == UNSTRIDE) {
        n = bind_one(b, n, "es", es);
        n = bind_one(b, n, "r", (v->desc.dim[i] - 1) % es);
        n = bind_one(b, n, "q", (v->tile[i] - 1) % es);
    } else if (c->which == SLICES) {
        n = bind_one(b, n, "e", layout_gmem_bits(v->desc.dtype) / 8);
        n = bind_dim(b, n, large[1], out, 1, coord);
        b[1].value = layout_slice_bytes(v->desc.interleave); /* s0 */
    }
    return n;
}

/* The dimensions that the rewrite leaves alone. */
static void check_others(const struct choice *c, const struct view *v, const struct view *out)
{
    const uint32_t i = c->i, none = UINT32_MAX;
    switch (c->which) {
    case DROP:
        others_stay(v, i, none, out, none, none);
        break;
    case MERGE:
        others_stay(v, i, i + 1, out, i, none);
        break;
    case SPLIT:
        others_stay(v, i, none, out, i, c->other);
        break;
    case SWAP:
        others_stay(v, 0, c->other, out, 0, c->other);
        break;
    case UNSTRIDE:
        others_stay(v, i, none, out, i, none);
        break;
    case SLICES:
        others_stay(v, 0, none, out, 0, 1);
        break;
    default:
        others_stay(v, 0, none, out, 0, none);
        break;
    }
}

/* One rewrite against its law. Returns how many numbers were compared. */
static int try_rewrite(int which, const struct view *from, const uint64_t *coord, uint64_t *seed)
{
    static const char *const name[REWRITES] = {"drop",    "merge",    "split", "widen",
                                               "permute", "unstride", "slices"};
    struct view v = *from, out;
    struct bound b[NAMES];
    const uint32_t rank = v.desc.rank;
    struct choice c = {which, (uint32_t)below(seed, rank), 0, 2 + below(seed, 6)};
    c.other = c.i + 1 + (uint32_t)below(seed, rank - c.i);
    if (!rewrite(&c, &v, &out)) return 0;
    check_others(&c, &v, &out);
    return agrees(law_of(name[which]), b, bind_all(&c, &v, &out, coord, b));
}

static void the_code_does_what_the_laws_say(void **state)
{
    const char *wanted = getenv("TMAP_LAWS");
    const long n = wanted ? atol(wanted) : 3000;
    uint64_t seed = 5;
    long applied[REWRITES] = {0}, compared = 0;
    (void)state;
    for (long k = 0; k < n; k++) {
        uint64_t coord[TMAP_MAX_RANK];
        struct view v = random_view(&seed, coord), next;
        /* one rewrite deeper every other time: pieces of pieces, halves of merged ones */
        if (below(&seed, 2) && view_split(&v, 0, 2 + below(&seed, 3), 1, &next)) v = next;
        for (int which = 0; which < REWRITES; which++) {
            const int numbers = try_rewrite(which, &v, coord, &seed);
            applied[which] += numbers > 0;
            compared += numbers;
        }
    }
    for (int which = 0; which < REWRITES; which++) assert_true(applied[which] * 200 > n);
    print_message("# %ld drops, %ld merges, %ld splits, %ld widenings, %ld exchanges, %ld longer "
                  "strides, %ld slices: %ld numbers as the laws say\n",
                  applied[DROP], applied[MERGE], applied[SPLIT], applied[WIDEN], applied[SWAP],
                  applied[UNSTRIDE], applied[SLICES], compared);
}

/* What the laws say of elements that are side by side does not hold of slices. */
static void slices_stay_in_their_place(void **state)
{
    uint64_t seed = 6;
    long would = 0;
    (void)state;
    for (long k = 0; k < 3000; k++) {
        uint64_t coord[TMAP_MAX_RANK];
        struct view v = random_view(&seed, coord), out;
        for (uint32_t i = 0; i < v.desc.rank; i++) {
            v.desc.interleave = TMAP_INTERLEAVE_NONE;
            would += view_swap(&v, i, &out) + view_unstride(&v, i, &out);
            v.desc.interleave = TMAP_INTERLEAVE_16B;
            assert_false(view_swap(&v, i, &out) || view_unstride(&v, i, &out));
        }
    }
    assert_true(would > 300);
}

/* --- swizzles ----------------------------------------------------------------------------------
 */

enum { PERIOD = 1024, PIECE = 8 };

/* { [o] -> [o + shift] : o in its piece of any period }, pieces by what the code does to them. */
static char *swizzle_text(int32_t swizzle)
{
    char *text = calloc(1, PERIOD / PIECE * 100 + 100), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{");
    for (int o = 0, end; o < PERIOD; o = end) {
        const long long shift = (long long)tmap_swizzle_address(swizzle, (uint64_t)o) - o;
        for (end = o + PIECE; end < PERIOD; end += PIECE)
            if ((long long)tmap_swizzle_address(swizzle, (uint64_t)end) - end != shift) break;
        at += sprintf(at, "%s [o] -> [o + %lld] : %d <= o mod %d < %d", o ? ";" : "", shift, o,
                      PERIOD, end);
    }
    sprintf(at, " }");
    return text;
}

static void a_swizzle_only_changes_places(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int32_t w = 0; layout_swizzle_atom(w) || w == TMAP_SWIZZLE_NONE; w++) {
        isl_ctx *ctx = isl_ctx_alloc();
        char *text = swizzle_text(w);
        isl_map *map = isl_map_read_from_str(ctx, text);
        assert_int_equal(isl_map_is_bijective(map), isl_bool_true);
        isl_map_free(map);
        isl_ctx_free(ctx);
        free(text);
        for (int k = 0; k < 20000; k++) { /* the text is the function's */
            const uint64_t o = next_random(&seed) >> below(&seed, 40), start = o % PERIOD;
            const uint64_t piece = start / PIECE * PIECE;
            assert_int_equal(tmap_swizzle_address(w, o) - o,
                             tmap_swizzle_address(w, piece) - piece);
        }
    }
}

#else
static void every_law_is_proved(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_proved),
#ifdef TMAP_WITH_ISL
        cmocka_unit_test(every_assumption_is_needed),
        cmocka_unit_test(the_code_does_what_the_laws_say),
        cmocka_unit_test(slices_stay_in_their_place),
        cmocka_unit_test(a_swizzle_only_changes_places),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
