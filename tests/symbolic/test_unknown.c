// One meaning of unknown: condition, guard and certify say legal exactly where the check does, for
// every contract and target, and never where the check says unknown.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/random_desc.h"

struct tally {
    long conditions, undecided, points, legal, unknown;
};

static const char *describe(const struct tmap_checker *c, const struct tmap_desc *d)
{
    static char text[256];
    snprintf(text, sizeof text, "contract %d, cuda %u, driver %u, %s: kind %d dtype %d rank %u",
             (int)c->contract, c->target.cuda, c->target.driver, tmap_arch_name(c->target.arch),
             d->kind, d->dtype, d->rank);
    return text;
}

static enum tmap_verdict native(const struct tmap_condition *condition,
                                const struct tmap_checker *checker, const int64_t *values,
                                size_t uses)
{
    struct tmap_desc desc;
    struct tmap_use use;
    if (!tmap_condition_at(condition, 0, values, &desc)) return TMAP_ILLEGAL;
    enum tmap_verdict all = tmap_verdict_of(checker, &desc);
    for (size_t k = 0; k < uses; k++) {
        enum tmap_verdict one = TMAP_UNKNOWN;
        size_t found;
        if (!tmap_condition_use_at(condition, 0, k, values, &use)) return TMAP_ILLEGAL;
        tmap_check_use(checker, &desc, &use, NULL, 0, &found, &one);
        if (one == TMAP_ILLEGAL || (one == TMAP_UNKNOWN && all == TMAP_LEGAL)) all = one;
    }
    return all;
}

// What the condition says of all values at once, against points.
static void judge_whole(const struct tmap_condition *condition, const struct tmap_checker *checker,
                        const struct tmap_symbolic_desc *d)
{
    int64_t values[CASE_PARAMS];
    if (tmap_condition_counterexample(condition, values) &&
        native(condition, checker, values, d->use_count) != TMAP_ILLEGAL) {
        fail_msg("a counterexample that the check does not call illegal: %s",
                 describe(checker, &d->desc));
    }
    if (tmap_condition_undecided(condition, values) &&
        native(condition, checker, values, d->use_count) != TMAP_UNKNOWN) {
        fail_msg("an undecided point that the check decides: %s", describe(checker, &d->desc));
    }
}

static void judge_points(const struct tmap_condition *condition, const struct tmap_checker *checker,
                         const struct tmap_symbolic_desc *d, uint64_t *random, struct tally *t)
{
    const enum tmap_verdict whole = tmap_condition_verdict(condition);
    for (int i = 0; i < 60; i++) {
        int64_t values[CASE_PARAMS];
        random_point(random, tmap_condition_param_count(condition), values);
        enum tmap_verdict truth = native(condition, checker, values, d->use_count);
        if (tmap_condition_holds(condition, values) != (truth == TMAP_LEGAL)) {
            fail_msg("the check says %d: %s", (int)truth, describe(checker, &d->desc));
        }
        if (whole == TMAP_LEGAL && truth != TMAP_LEGAL) {
            fail_msg("legal for all, but not here: %s", describe(checker, &d->desc));
        }
        t->points++;
        t->legal += truth == TMAP_LEGAL;
        t->unknown += truth == TMAP_UNKNOWN;
    }
}

static void judge(struct tmap_symbolic *s, const struct random_symbolic *m, uint64_t *random,
                  struct tally *t)
{
    struct tmap_checker checker;
    struct tmap_target target;
    struct tmap_condition *condition;
    random_target(random, &target);
    tmap_checker_prepare(&target, (enum tmap_contract)below(random, 4), &checker);
    enum tmap_status status = tmap_condition_of(s, &checker, &m->d, 1, NULL, 0, &condition);
    t->conditions++;
    if (checker.covered != TMAP_OK) assert_int_equal(status, checker.covered);
    if (status == TMAP_E_BUDGET || status == TMAP_E_TARGET) {
        t->undecided++;
        return;
    }
    assert_int_equal(status, TMAP_OK);
    judge_whole(condition, &checker, &m->d);
    judge_points(condition, &checker, &m->d, random, t);
    tmap_condition_free(condition);
}

/* Many conditions of random descriptors, spoilt or with uses, against the checks of points. */
static struct tally judge_many(uint64_t random, long n, bool uses)
{
    struct tmap_symbolic *s;
    struct tally t = {0};
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (long i = 0; i < n; i++) {
        static struct random_symbolic m;
        random_desc(&m, &random);
        if (uses) random_uses(&m, &random);
        if (!uses || i % 4 == 0) random_spoil(&m, &random);
        judge(s, &m, &random, &t);
    }
    print_message("%ld conditions, %ld of them undecided; %ld points, %ld legal, %ld unknown\n",
                  t.conditions, t.undecided, t.points, t.legal, t.unknown);
    assert_true(t.legal > n / 10 && t.unknown > n / 10);
    tmap_symbolic_close(s);
    return t;
}

static long conditions_wanted(void)
{
    const long n = points_wanted(3000);
    return n > 100000 ? 100000 : n;
}

static void conditions_share_the_checks_unknown(void **state)
{
    const long n = conditions_wanted();
    (void)state;
    assert_true(judge_many(7, n, false).undecided < n / 2);
}

static void uses_count_as_the_check_counts_them(void **state)
{
    const long n = conditions_wanted();
    (void)state;
    assert_true(judge_many(19, n, true).undecided < n / 3);
}

/* Fields that are seldom symbolic where a use or an allocation is derived from them, and types and
 * ranks that there are not. */
static const struct tmap_symbolic_use tile = {
    .use = {.flags = TMAP_USE_COORD | TMAP_USE_SMEM | TMAP_USE_EXPECT_TX, .coord_count = 2},
    .smem = "128*S",
    .expect_tx = "T"};
static const struct tmap_symbolic_use walk = {
    .use = {.flags = TMAP_USE_COORD | TMAP_USE_EXPECT_TX | TMAP_USE_OFFSET, .coord_count = 4},
    .expect_tx = "T"};
#define PLAIN .rank = 2, .dim = {4096, 64}, .stride_bytes = {8192}, .elem_stride = {1, 1}
#define WALK                                                                                       \
    .kind = TMAP_IM2COL, .dtype = TMAP_BFLOAT16, .rank = 4, .dim = {64, 16, 16, 4},                \
    .stride_bytes = {128, 2048, 32768}, .elem_stride = {1, 1, 1, 1}
static const struct tmap_symbolic_desc seldom[] = {
    {.desc = {PLAIN, .dtype = 99, .box = {64, 64}, .flags = TMAP_HAS_ALLOCATION},
     .allocation_bytes = "K"},
    {.desc = {PLAIN, .dtype = -1, .box = {64, 64}, .flags = TMAP_HAS_ALLOCATION},
     .allocation_bytes = "K"},
    {.desc = {PLAIN, .dtype = TMAP_UINT8, .box = {64, 64}, .flags = TMAP_HAS_ALLOCATION},
     .allocation_bytes = "K"},
    {.desc = {.rank = 6, .dim = {64, 1, 1, 1, 1}, .flags = TMAP_HAS_ALLOCATION},
     .allocation_bytes = "K"},
    {.desc = {PLAIN, .dtype = 99, .box = {64}}, .box = {NULL, "B"}, .uses = &tile, .use_count = 1},
    {.desc = {PLAIN, .dtype = -1, .box = {64}}, .box = {NULL, "B"}, .uses = &tile, .use_count = 1},
    {.desc = {PLAIN, .dtype = TMAP_UINT8, .box = {64, 64}},
     .elem_stride = {NULL, "E"},
     .uses = &tile,
     .use_count = 1},
    {.desc = {WALK, .pixels = 64}, .channels = "C", .uses = &walk, .use_count = 1},
    {.desc = {WALK, .channels = 64}, .pixels = "P", .uses = &walk, .use_count = 1},
};
#undef PLAIN
#undef WALK

static void what_is_derived_of_few_fields(void **state)
{
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_symbolic *s;
    struct tally t = {0};
    uint64_t random = 23;
    (void)state;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (size_t i = 0; i < sizeof seldom / sizeof *seldom; i++) {
        struct tmap_condition *c;
        const enum tmap_status said = tmap_condition_of(s, &checker, &seldom[i], 1, NULL, 0, &c);
        if (said == TMAP_E_BUDGET) { /* what a row reads is derived from no symbolic field */
            assert_non_null(strstr(tmap_symbolic_why(s), "a row reads "));
            t.undecided++;
            continue;
        }
        if (said != TMAP_OK) fail_msg("%zu: %d, %s", i, (int)said, tmap_symbolic_why(s));
        judge_whole(c, &checker, &seldom[i]);
        judge_points(c, &checker, &seldom[i], &random, &t);
        tmap_condition_free(c);
    }
    print_message("%ld points, %ld legal, %ld undecided\n", t.points, t.legal, t.undecided);
    assert_true(t.points > 100 && t.undecided > 0);
    tmap_symbolic_close(s);
}

static enum tmap_proof prove(struct tmap_symbolic *s, const struct tmap_checker *checker,
                             const struct tmap_desc *desc, bool is_legal)
{
    struct tmap_claim claim = {desc, NULL, 0, 0, is_legal};
    enum tmap_proof proof = TMAP_UNDECIDED;
    size_t found;
    enum tmap_status status =
        tmap_certify(s, checker, &claim, &proof, NULL, 0, &found, NULL, 0, NULL);
    assert_int_equal(status, checker->covered);
    return proof;
}

static void proofs_share_the_checks_unknown(void **state)
{
    struct tmap_symbolic *s;
    long seen[3] = {0}, n = points_wanted(150);
    uint64_t random = 11;
    (void)state;
    if (n > 5000) n = 5000;
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    if (strstr(tmap_symbolic_solvers(s), "no Z3")) n = 0;
    for (long i = 0; i < n; i++) {
        static struct random_symbolic m;
        struct tmap_checker checker;
        struct tmap_target target;
        random_desc(&m, &random);
        random_spoil(&m, &random);
        random_target(&random, &target);
        tmap_checker_prepare(&target, (enum tmap_contract)below(&random, 4), &checker);
        enum tmap_verdict verdict = tmap_verdict_of(&checker, &m.d.desc);
        enum tmap_proof legal = prove(s, &checker, &m.d.desc, true);
        enum tmap_proof illegal = prove(s, &checker, &m.d.desc, false);
        if (legal != (verdict == TMAP_LEGAL     ? TMAP_PROVED
                      : verdict == TMAP_ILLEGAL ? TMAP_REFUTED
                                                : TMAP_UNDECIDED)) {
            fail_msg("legal: %d, check %d: %s", (int)legal, (int)verdict,
                     describe(&checker, &m.d.desc));
        }
        if (illegal != (verdict == TMAP_ILLEGAL ? TMAP_PROVED
                        : verdict == TMAP_LEGAL ? TMAP_REFUTED
                                                : TMAP_UNDECIDED)) {
            fail_msg("illegal: %d, check %d: %s", (int)illegal, (int)verdict,
                     describe(&checker, &m.d.desc));
        }
        seen[verdict]++;
    }
    print_message("%ld legal, %ld illegal, %ld unknown\n", seen[TMAP_LEGAL], seen[TMAP_ILLEGAL],
                  seen[TMAP_UNKNOWN]);
    tmap_symbolic_close(s);
}

int main(void)
{
    if (lacks_isl("what conditions call unknown")) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_share_the_checks_unknown),
        cmocka_unit_test(uses_count_as_the_check_counts_them),
        cmocka_unit_test(proofs_share_the_checks_unknown),
        cmocka_unit_test(what_is_derived_of_few_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
