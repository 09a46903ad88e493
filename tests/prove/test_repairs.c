// Proofs of random repairs: isl shows that the copies move what was requested, for every tile; Z3
// shows for each view that the search's account names that no fields of it cost less.
// TMAP_REPAIRS=N: so many. TMAP_REPAIRS=K-N: those from number K on, below N; each has a seed of
// its own, so a long run can be done in pieces, in any order and on several processors.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/layout.h"
#include "support/log_check.h"
#include "support/repair_support.h"
#include "tmap/symbolic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 26, LOG_EVENTS = 1 << 15 };

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

struct trial {
    struct tmap_symbolic *s;
    struct tmap_checker checker, hopper, blackwell;
    struct tmap_request request;
    struct tmap_desc desc;
    struct tmap_plan plan;
    struct tmap_search_log log;
    uint64_t seed;
};

struct range {
    long from, below;
};

static struct range wanted(long usual)
{
    struct range r = {0, usual};
    const char *text = getenv("TMAP_REPAIRS");
    if (text && sscanf(text, "%ld-%ld", &r.from, &r.below) == 1) r = (struct range){0, r.from};
    return r;
}

/* A line for each hundred, so that a run that is stopped says how far it came. */
static void say_progress(long i, long from)
{
    if (i > from && i % 100 == 0) print_message("# up to number %ld\n", i);
}

static void set_up(struct trial *t)
{
    static struct tmap_search_event events[LOG_EVENTS];
    struct tmap_target target = tmap_default_target();
    memset(t, 0, sizeof *t);
    t->log.events = events;
    t->log.capacity = LOG_EVENTS;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &t->hopper), TMAP_OK);
    assert_int_equal(tmap_target_from(NULL, NULL, NULL, "sm_100a", &target), TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &t->blackwell), TMAP_OK);
    t->checker = t->hopper;
    assert_int_equal(tmap_symbolic_open(NULL, &t->s), TMAP_OK);
}

static uint64_t pick(uint64_t *s, uint64_t most)
{
    return next_random(s) % (most + 1);
}

/* Every fourth is for Blackwell, of a type that comes in groups. */
static void choose_target(struct trial *t, long i)
{
    t->checker = i % 4 == 3 ? t->blackwell : t->hopper;
}

static void choose_type(const struct trial *t, struct tmap_desc *d, uint64_t *seed)
{
    if (t->checker.target.arch == t->blackwell.target.arch)
        d->dtype = TMAP_16U4_ALIGN8B + (int32_t)pick(seed, 2);
}

/* A random illegal descriptor that has a plan with copies, said to be minimal, and that plan. */
static void another_repair(struct trial *t)
{
    struct tmap_repair_report r;
    do {
        t->desc = random_desc(&t->seed, MOST_BYTES);
        choose_type(t, &t->desc, &t->seed);
        t->log.count = 0;
    } while (tmap_verdict_of(&t->checker, &t->desc) == TMAP_LEGAL ||
             tmap_repair(&t->checker, &t->desc, &t->request, workspace, sizeof workspace, &t->plan,
                         1, &r, &t->log) != TMAP_OK ||
             t->plan.skip || !r.closed);
}

/* Number i of a series. */
static void next_repair(struct trial *t, uint64_t series, long i)
{
    uint64_t seed = series << 32 | (uint64_t)i;
    t->seed = next_random(&seed);
    another_repair(t);
}

/* A random im2col map over a channels-last tensor with a halo, illegal more often than not. */
static struct tmap_desc random_im2col(uint64_t *s)
{
    struct tmap_desc d = {.kind = TMAP_IM2COL, .dtype = (int32_t)pick(s, 12)};
    uint64_t at;
    d.rank = 3 + (uint32_t)pick(s, 2);
    d.address = (UINT64_C(1) << 40) + pick(s, 1 << 16) * 256 + (pick(s, 7) ? 0 : pick(s, 31));
    d.swizzle = (int32_t)pick(s, 3);
    d.channels = 1 + (uint32_t)pick(s, pick(s, 3) ? 79 : 599);
    d.pixels = 1 + (uint32_t)pick(s, pick(s, 15) ? 127 : 1199);
    d.dim[0] = pick(s, 2) ? d.channels : 1 + pick(s, 300);
    at = d.dim[0] * layout_gmem_bits(d.dtype) / 8;
    if (pick(s, 7) == 0) { /* pixels of slices, then */
        d.interleave = 1 + (int32_t)pick(s, 1);
        d.dim[0] = 1 + pick(s, 30);
        at = d.dim[0] * layout_slice_bytes(d.interleave);
    }
    for (uint32_t i = 0; i < d.rank; i++) {
        d.elem_stride[i] = 1 + (uint32_t)(i && pick(s, 5) == 0);
        if (i) d.dim[i] = pick(s, 9) ? 1 + pick(s, 30) : 1;
        if (pick(s, 2) == 0) at = (at + 15) / 16 * 16;
        if (i) at *= d.dim[i];
        if (i + 1 < d.rank) d.stride_bytes[i] = at;
    }
    for (uint32_t i = 0; i + 2 < d.rank; i++) {
        d.lower[i] = -(int32_t)pick(s, 1);
        d.upper[i] = -(int32_t)pick(s, 1);
    }
    return d;
}

static enum tmap_proof moves(struct trial *t, const struct tmap_plan *plan)
{
    enum tmap_proof proof;
    assert_int_equal(tmap_certify_moves(t->s, &t->checker, &t->desc, &t->request, plan, &proof),
                     TMAP_OK);
    return proof;
}

static bool lacks(struct trial *t, const char *what)
{
    const bool missing = strstr(tmap_symbolic_solvers(t->s), what) != NULL;
    if (missing) tmap_symbolic_close(t->s);
    return missing;
}

static void every_plan_moves_what_was_requested(void **state)
{
    struct trial t;
    const struct range r = wanted(120);
    const long n = r.below - r.from;
    long undecided = 0;
    (void)state;
    set_up(&t);
    if (lacks(&t, "no isl")) skip();
    for (long i = r.from; i < r.below; i++) {
        t.request.op = i % 3 ? TMAP_OP_LOAD : TMAP_OP_STORE;
        choose_target(&t, i);
        next_repair(&t, 21, i);
        const enum tmap_proof proof = moves(&t, &t.plan);
        if (proof == TMAP_REFUTED) fail_msg("repair %ld: isl refutes the plan", i);
        undecided += proof == TMAP_UNDECIDED;
    }
    tmap_symbolic_close(t.s);
    print_message("# %ld plans proved for every tile, %ld undecided\n", n - undecided, undecided);
    assert_true(undecided * 100 <= n);
}

/* The next im2col map that has a plan, from number i on. */
static void next_im2col(struct trial *t, long i)
{
    struct tmap_repair_report r;
    uint64_t seed = UINT64_C(25) << 32 | (uint64_t)i;
    t->request = (struct tmap_request){.op = i % 3 ? TMAP_OP_LOAD : TMAP_OP_STORE,
                                       .keep_swizzle = i % 4 == 2,
                                       .no_copy = i % 5 == 3};
    choose_target(t, i);
    do {
        t->desc = random_im2col(&seed);
        choose_type(t, &t->desc, &seed);
        t->log.count = 0;
    } while (tmap_repair(&t->checker, &t->desc, &t->request, workspace, sizeof workspace, &t->plan,
                         1, &r, &t->log) != TMAP_OK ||
             t->plan.skip);
}

/* The account of an im2col search names its one view. */
static void im2col_plans_are_right_and_least(void **state)
{
    struct trial t;
    const struct range r = wanted(60);
    long pieces = 0;
    (void)state;
    set_up(&t);
    const bool no_z3 = strstr(tmap_symbolic_solvers(t.s), "no Z3") != NULL;
    if (lacks(&t, "no isl")) skip();
    for (long i = r.from; i < r.below; i++) {
        struct tmap_minimal m = {0};
        next_im2col(&t, i);
        if (moves(&t, &t.plan) != TMAP_PROVED) fail_msg("im2col %ld: isl does not prove it", i);
        /* pixels in pieces are not asked about; nor what begins before the tensor, or a smaller
         * last piece: such a plan costs less than what is */
        const bool in_pieces = t.plan.dim[1].copies > 1;
        const bool modelled = !t.plan.dim[0].shift && !t.plan.dim[0].tail;
        pieces += in_pieces;
        for (int more = 0; more < 1 + modelled && !no_z3 && !in_pieces;
             more++, t.plan.cost.extra_instructions++) {
            assert_int_equal(tmap_certify_minimal(t.s, &t.checker, &t.desc, &t.plan, &t.log, &m),
                             TMAP_OK);
            if (m.views != 1 || (more ? m.refuted : m.proved) != 1)
                fail_msg("im2col %ld: %s", i, more ? "not beaten by itself" : "not proved least");
        }
    }
    tmap_symbolic_close(t.s);
    print_message("# %ld im2col plans, %ld of them with pixels in pieces\n", r.below - r.from,
                  pieces);
}

/* One number of a plan, made wrong. */
static void spoil(struct tmap_plan *p, int what)
{
    struct tmap_plan_dim *d = &p->dim[p->desc.rank - 1];
    switch (what) {
    case 0:
        p->desc.address += 16;
        break;
    case 1:
        p->desc.stride_bytes[0] += 16;
        break;
    case 2:
        p->desc.dim[p->desc.rank - 1] += 1;
        break;
    case 3:
        d->step -= 1;
        break;
    case 4:
        d->coef[0] += 1;
        break;
    case 5:
        d->div += 1;
        break;
    case 6:
        p->dim[0].shift += 1;
        break;
    default:
        p->dim[0].round *= 2;
        break;
    }
}

/* What is wrong is refuted; what isl proves all the same, the plain loop finds nothing wrong with.
 */
static void a_spoiled_plan_is_refuted(void **state)
{
    enum { WAYS = 8 };
    struct trial t;
    const struct range r = wanted(120);
    long refuted[WAYS] = {0}, all = 0, harmless = 0;
    (void)state;
    set_up(&t);
    if (lacks(&t, "no isl")) skip();
    for (long i = r.from; i < r.below; i += 3) {
        next_repair(&t, 22, i);
        for (int what = 0; what < WAYS; what++, all++) {
            struct tmap_plan p = t.plan;
            spoil(&p, what);
            const enum tmap_proof proof = moves(&t, &p);
            refuted[what] += proof == TMAP_REFUTED;
            if (proof != TMAP_PROVED || tmap_verdict_of(&t.checker, &p.desc) != TMAP_LEGAL)
                continue;
            const char *wrong = plan_is_wrong(&t.checker, &t.desc, &p, &t.seed, 4, 200);
            if (wrong) fail_msg("repair %ld, way %d: %s", i, what, wrong);
            harmless++;
        }
    }
    tmap_symbolic_close(t.s);
    /* too short a run need not have one of each way */
    for (int what = 0; what < WAYS; what++) assert_true(refuted[what] > 0 || r.below - r.from < 60);
    print_message("# of %ld spoiled plans %ld are harmless, by isl and by the plain loop\n", all,
                  harmless);
}

static void no_fields_cost_less(void **state)
{
    static char text[1 << 22];
    struct trial t;
    const struct range r = wanted(12);
    struct tmap_minimal sum = {0}, one;
    long beaten = 0, dearer = 0, seen = 0;
    (void)state;
    set_up(&t);
    if (lacks(&t, "no Z3")) skip();
    for (long i = r.from; i < r.below; i++) {
        say_progress(i, r.from);
        t.request = (struct tmap_request){.op = i % 4 == 1 ? TMAP_OP_STORE : TMAP_OP_LOAD,
                                          .keep_swizzle = i % 4 == 2,
                                          .no_copy = i % 4 == 3};
        next_repair(&t, 23, i);
        assert_true(log_text(&t.log, text, sizeof text));
        const char *wrong = log_is_wrong(text);
        if (wrong) fail_msg("repair %ld: %s", i, wrong);
        assert_int_equal(tmap_certify_minimal(t.s, &t.checker, &t.desc, &t.plan, &t.log, &one),
                         TMAP_OK);
        sum.views += one.views;
        sum.proved += one.proved;
        sum.refuted += one.refuted;
        sum.undecided += one.undecided;
        beaten += one.refuted > 0;
        if (one.refuted) print_error("repair %ld: %zu views refuted\n", i, one.refuted);
        if (one.undecided)
            print_message("# repair %ld of %u copies: %zu of %zu views undecided\n", i,
                          t.plan.copies, one.undecided, one.views);
        if (i % 8 || t.plan.desc.kind != TMAP_TILED) continue;
        /* the same plan, said to cost one instruction more, is beaten by itself */
        t.plan.cost.extra_instructions++;
        assert_int_equal(tmap_certify_minimal(t.s, &t.checker, &t.desc, &t.plan, &t.log, &one),
                         TMAP_OK);
        dearer += one.refuted > 0;
        seen++;
    }
    tmap_symbolic_close(t.s);
    print_message("# %ld repairs, %zu views: %zu proved, %zu refuted (of %ld repairs), "
                  "%zu undecided\n",
                  r.below - r.from, sum.views, sum.proved, sum.refuted, beaten, sum.undecided);
    assert_int_equal(dearer, seen);
    assert_int_equal(sum.views, sum.proved + sum.refuted + sum.undecided);
    assert_int_equal(beaten, 0);
}

/* The plan said to be worse in one way: beaten by what it is. */
static void worsen(struct tmap_tile_plan *p, int way)
{
    if (way == 1) p->plan.cost.extra_instructions++;
    if (way == 2) p->conflicts++;
    if (way == 3) p->shared_bytes++;
    if (way == 4) p->partial_sectors = 2;
}

/* What solve finds is least in its order, and a plan said to be worse is not. */
static void nothing_ranks_before_what_solve_finds(void **state)
{
    enum { WAYS = 5, IN_PIECES = 4 }; /* some views of the last read rows in pieces: undecided */
    static const struct tmap_tile_request requests[] = {
        {.tensor = {.dtype = TMAP_BFLOAT16, .rank = 2, .dim = {4096, 8192}, .stride_bytes = {8192}},
         .tile = {128, 256},
         .consumer = TMAP_CONSUMER_WGMMA},
        {.tensor = {.dtype = TMAP_FLOAT32,
                    .rank = 3,
                    .dim = {1000, 77, 3},
                    .stride_bytes = {4000, 308000}},
         .tile = {100, 7, 3}},
        {.tensor = {.dtype = TMAP_UINT8, .rank = 2, .dim = {1001, 77}, .stride_bytes = {1001}},
         .tile = {64, 64},
         .op = TMAP_OP_STORE},
        {.tensor = {.dtype = TMAP_BFLOAT16, .rank = 2, .dim = {4096, 8192}, .stride_bytes = {8192}},
         .tile = {64, 128},
         .consumer = TMAP_CONSUMER_LDMATRIX},
        {.tensor = {.dtype = TMAP_UINT8, .rank = 2, .dim = {48, 4096}, .stride_bytes = {48}},
         .tile = {48, 64},
         .consumer = TMAP_CONSUMER_LDMATRIX},
    };
    struct trial t;
    (void)state;
    set_up(&t);
    if (lacks(&t, "no Z3")) skip();
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct tmap_tile_plan best;
        struct tmap_minimal m;
        char reason[160];
        size_t found;
        assert_int_equal(tmap_solve(&t.checker, &requests[i], workspace, sizeof workspace, &best, 1,
                                    &found, reason, sizeof reason),
                         TMAP_OK);
        for (int way = 0; way < WAYS; way++) {
            struct tmap_tile_plan plan = best;
            worsen(&plan, way);
            assert_int_equal(tmap_certify_tile(t.s, &t.checker, &requests[i], &plan, workspace,
                                               sizeof workspace, &t.log, &m),
                             TMAP_OK);
            print_message("# request %zu, way %d: %zu views, %zu proved, %zu refuted\n", i, way,
                          m.views, m.proved, m.refuted);
            if (way == 0) assert_int_equal(m.refuted, 0);
            if (way == 0 && i != IN_PIECES) assert_int_equal(m.proved, m.views);
            const bool same = (way == 2 && requests[i].consumer == TMAP_CONSUMER_NONE) ||
                              (way == 4 && best.partial_sectors);
            if (way && !same) assert_true(m.refuted > 0);
        }
    }
    tmap_symbolic_close(t.s);
}

/* A random request: rows of whole units and others, dense or padded, read by nobody, ldmatrix or an
 * MMA. */
static struct tmap_tile_request random_tile(uint64_t *s)
{
    static const int32_t types[] = {TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32};
    struct tmap_tile_request w = {.consumer = (uint32_t)pick(s, TMAP_CONSUMER_WGMMA),
                                  .major = (uint32_t)pick(s, 1),
                                  .op = pick(s, 4) ? TMAP_OP_LOAD : TMAP_OP_STORE};
    w.tensor.dtype = types[pick(s, 2)];
    const uint32_t bytes = layout_gmem_bits(w.tensor.dtype) / 8;
    w.tensor.rank = 2;
    w.tensor.address = UINT64_C(1) << 40;
    w.tile[0] = (uint32_t)(pick(s, 2) ? 16 * (1 + pick(s, 31)) / bytes : 1 + pick(s, 199));
    w.tile[1] = (uint32_t)(pick(s, 2) ? 8 * (1 + pick(s, 47)) : 1 + pick(s, 299));
    if (w.consumer != TMAP_CONSUMER_WGMMA) w.major = TMAP_K_MAJOR;
    w.tensor.dim[0] =
        w.tile[0] * (pick(s, 2) ? 1 + pick(s, 15) : 1) + (pick(s, 3) ? 0 : pick(s, 9));
    w.tensor.dim[1] = w.tile[1] * (1 + pick(s, 15));
    w.tensor.stride_bytes[0] = (w.tensor.dim[0] * bytes + 15) / 16 * 16;
    if (pick(s, 3) == 0) w.tensor.stride_bytes[0] = w.tensor.dim[0] * bytes;
    return w;
}

static void nothing_ranks_before_random_tiles(void **state)
{
    struct trial t;
    const struct range r = wanted(30);
    struct tmap_minimal sum = {0};
    long requests = 0, beaten = 0;
    (void)state;
    set_up(&t);
    if (lacks(&t, "no Z3")) skip();
    for (long i = r.from; i < r.below; i += 10) {
        uint64_t seed = UINT64_C(26) << 32 | (uint64_t)i;
        struct tmap_tile_plan best;
        struct tmap_minimal m;
        char reason[160];
        size_t found;
        const struct tmap_tile_request w = random_tile(&seed);
        if (tmap_solve(&t.checker, &w, workspace, sizeof workspace, &best, 1, &found, reason,
                       sizeof reason) != TMAP_OK ||
            best.plan.skip ||
            tmap_certify_tile(t.s, &t.checker, &w, &best, workspace, sizeof workspace, &t.log,
                              &m) != TMAP_OK)
            continue;
        requests++;
        sum.views += m.views;
        sum.proved += m.proved;
        sum.undecided += m.undecided;
        if (m.refuted) print_error("tile %ld: %zu views refuted\n", i, m.refuted);
        beaten += m.refuted > 0;
    }
    tmap_symbolic_close(t.s);
    print_message("# %ld tiles, %zu views: %zu proved, %zu undecided; %ld tiles beaten\n", requests,
                  sum.views, sum.proved, sum.undecided, beaten);
    assert_int_equal(beaten, 0);
    assert_true(requests > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plan_moves_what_was_requested),
        cmocka_unit_test(im2col_plans_are_right_and_least),
        cmocka_unit_test(a_spoiled_plan_is_refuted),
        cmocka_unit_test(no_fields_cost_less),
        cmocka_unit_test(nothing_ranks_before_what_solve_finds),
        cmocka_unit_test(nothing_ranks_before_random_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
