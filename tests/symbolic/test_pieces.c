/* Each piece of memory that a question takes of its arena is refused once (sym_take() is the
 * linker's
 * __wrap_sym_take() here): the question says TMAP_E_MEMORY, keeps nothing and leaves its outputs
 * alone, and the same question with memory gives the same answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/condition/condition.h"
#include "symbolic/ration.h"
#include "symbolic/refuse_piece.h"
#include "tmap/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 15, ASSUMED = 4 };

/* --- the piece that is refused ----------------------------------------------------------------
 */

static struct ration ration = {.left = -1}; /* none of its own */
static long pieces;                         /* refused in all */

/* --- questions --------------------------------------------------------------------------------
 */

struct question {
    const char *name;
    enum tmap_contract contract;
    struct tmap_symbolic_desc d;
    const char *assume[ASSUMED];
};

/* A matrix of M rows of K numbers of 16 bits, in boxes of 64 x 64. */
#define MATRIX .dtype = TMAP_BFLOAT16, .rank = 2, .elem_stride = {1, 1}

static const struct tmap_symbolic_use load = {
    .use = {.flags = TMAP_USE_COORD | TMAP_USE_SMEM | TMAP_USE_EXPECT_TX, .coord_count = 2},
    .coord = {"64*I", "64*J"},
    .smem = "S",
    .expect_tx = "2*B*64"};

static const struct tmap_symbolic_use barrier = {
    .use = {.flags = TMAP_USE_COORD | TMAP_USE_MBARRIER | TMAP_USE_SMEM, .coord_count = 2},
    .coord = {"I", "J"},
    .smem = "2*Q",
    .mbarrier = "8*Q"};
static const struct tmap_symbolic_use replace = {
    .use = {.op = TMAP_OP_REPLACE, .field = TMAP_REPLACE_GLOBAL_DIM, .ordinal = 1, .value = 64}};

static const struct question questions[] = {
    {"a matrix",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .box = {64, 64}, .swizzle = TMAP_SWIZZLE_128B},
      .dim = {"K", "M"},
      .stride = {"2*K"}},
     {"K >= 64", "1 <= M <= 1000000"}},
    {"a padded matrix",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K", "M"}, .stride = {"2*ceildiv(K, 24)*24"}},
     {"K >= 1 and (M == 7 or M == 9)"}},
    {"a product",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K*N", "M"}, .stride = {"2*K*N"}},
     {"K >= 1", "N >= 1", "K*N <= 4096", "N % 2 == 0"}},
    {"powers",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K*K", "M*M*M"}, .stride = {"2*K*K"}},
     {"K*K <= 4096", "K*K % 8 == 0", "M*M*M == 64"}},
    {"a lesser one",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .dim = {4096, 4096}, .stride_bytes = {8192}},
      .box = {"min(K, 64)", "max(M, N)"}},
     {"K > 0", "M > 0 and N > 0"}},
    {"a strided box",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .dim = {4096, 4096}, .stride_bytes = {8192}, .box = {64, 64}},
      .elem_stride = {NULL, "E"}},
     {"1 <= E <= 8"}},
    {"an image",
     TMAP_CONTRACT_SAFE,
     {.desc = {.kind = TMAP_IM2COL,
               .dtype = TMAP_BFLOAT16,
               .rank = 4,
               .dim = {64},
               .elem_stride = {1, 1, 1, 1},
               .channels = 64,
               .pixels = 64},
      .dim = {NULL, "W", "H", "8"},
      .stride = {"128", "128*W", "128*W*H"},
      .lower = {"-P", "-P"},
      .upper = {"P - R", "P - R"}},
     {"0 <= P <= 4", "1 <= R <= 9", "W >= 1 and H >= 1"}},
    {"an allocation",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .box = {64, 64}, .flags = TMAP_HAS_ALLOCATION},
      .address = "A",
      .dim = {"K", "M"},
      .stride = {"2*K"},
      .allocation_base = "A",
      .allocation_bytes = "2*K*M"},
     {"K >= 1", "M >= 1"}},
    {"an allocation of a known tensor",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .address = 4096, .dim = {64, 64}, .stride_bytes = {128}, .box = {64, 64},
               .flags = TMAP_HAS_ALLOCATION},
      .allocation_base = "A",
      .allocation_bytes = "B"},
     {"A >= 0", "B >= 1"}},
    {"a sum",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K", "M"}, .stride = {"8*K + 8*M"}},
     {"K >= 1", "M >= 1"}},
    {"a use",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .dim = {4096, 4096}, .stride_bytes = {8192}, .box = {64}},
      .box = {NULL, "B"},
      .uses = &load,
      .use_count = 1},
     {"B >= 1", "S % 128 == 0", "I >= 0"}},
    {"a box's rows",
     TMAP_CONTRACT_SAFE,
     {.desc = {.dtype = TMAP_UINT8,
               .rank = 3,
               .dim = {4096, 64, 64},
               .stride_bytes = {4096, 262144},
               .box = {64},
               .elem_stride = {1, 1, 1}},
      .box = {NULL, "B", "D"},
      .uses = &load,
      .use_count = 1},
     {"1 <= B <= 64 and 1 <= D <= 8", "I == 2"}},
    {"a barrier",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .dim = {4096, 4096}, .stride_bytes = {8192}, .box = {64, 64}},
      .uses = &barrier,
      .use_count = 1},
     {"Q >= 1"}},
    {"a replacement",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .dim = {4096, 4096}, .box = {64, 64}},
      .stride = {"16*S"},
      .uses = &replace,
      .use_count = 1},
     {"S >= 1"}},
    {"the driver's",
     TMAP_CONTRACT_DRIVER,
     {.desc = {MATRIX, .swizzle = TMAP_SWIZZLE_128B},
      .dim = {"K", "M"},
      .stride = {"2*K"},
      .box = {"B", "B"}},
     {"K >= 64", "1 <= B"}},
    {"hardware's",
     TMAP_CONTRACT_HARDWARE,
     {.desc = {MATRIX, .box = {64, 64}, .swizzle = TMAP_SWIZZLE_128B},
      .dim = {"K*N", "M"},
      .stride = {"2*K*N"}},
     {"K >= 64", "N >= 1"}},
    {"a product that cannot be",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K*N", "M"}, .stride = {"2*K*N"}},
     {"K*N % 8 == 4", "K >= 1 and N >= 1"}},
    {"a product that is legal",
     TMAP_CONTRACT_SAFE,
     {.desc = {.dtype = TMAP_BFLOAT16, .rank = 1, .box = {64}, .elem_stride = {1}},
      .dim = {"K*K - 2*K*N + N*N + 1"}},
     {"0 <= K <= 99 and 0 <= N <= 99"}},
    {"terms that share a factor",
     TMAP_CONTRACT_SAFE,
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K", "M"}, .stride = {"2*K"}},
     {"(3*K) % 8 == 0 and 2*K == 4*M", "(4*K + 4*M) % 24 == 8", "(6*K + 4) % 10 != 2"}},
};

struct asked {
    struct tmap_symbolic *s;
    struct tmap_checker checker;
    const struct question *q;
    struct tmap_condition *condition; /* NULL: it is asked for */
    int form;
};

static struct tmap_checker checker_of(enum tmap_contract contract)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker c;
    assert_int_equal(tmap_checker_prepare(&target, contract, &c), TMAP_OK);
    return c;
}

enum {
    TEXTS = TMAP_FORM_JSON + 1,
    GUARDS = TMAP_GUARD_PYTHON + 1,
    PADDINGS = 2,
    FORMS = TEXTS + GUARDS + PADDINGS
};

/* What is asked of a condition: its texts, its guards, its paddings. */
static enum tmap_status say(struct asked *a, char *text, size_t *length)
{
    const int form = a->form;
    if (form < TEXTS)
        return tmap_condition_text(a->s, a->condition, (enum tmap_formula_form)form, text, TEXT,
                                   length);
    if (form < TEXTS + GUARDS)
        return tmap_guard_c(a->s, a->condition, (enum tmap_guard_language)(form - TEXTS), "f", text,
                            TEXT, length);
    return tmap_condition_padding(a->s, a->condition,
                                  form == TEXTS + GUARDS ? TMAP_FORM_TEXT : TMAP_FORM_ISL, text,
                                  TEXT, length);
}

static enum tmap_status ask(struct asked *a, struct tmap_condition **out)
{
    size_t n = 0;
    while (n < ASSUMED && a->q->assume[n]) n++;
    return tmap_condition_of(a->s, &a->checker, &a->q->d, 1, a->q->assume, n, out);
}

static void refuse_each_of_the_condition(struct asked *a)
{
    bool refused = true;
    for (long n = 0; refused; n++) {
        struct tmap_condition *out = NULL;
        const long before = ration.live;
        left = n;
        const enum tmap_status said = ask(a, &out);
        refused = left < 0;
        left = -1;
        if (said != (refused ? TMAP_E_MEMORY : TMAP_OK))
            fail_msg("%s, piece %ld: %d, %s", a->q->name, n, (int)said, tmap_symbolic_why(a->s));
        assert_true((out == NULL) == refused);
        if (refused) assert_int_equal(ration.live, before);
        a->condition = out;
        pieces += refused;
    }
}

static void refuse_each_of_a_form(struct asked *a)
{
    static char first[TEXT], text[TEXT];
    size_t length = 0;
    left = -1;
    const enum tmap_status whole = say(a, first, &length);
    bool refused = true;
    for (long n = 0; refused; n++) {
        const long before = ration.live;
        size_t said = 77;
        left = n;
        const enum tmap_status st = say(a, text, &said);
        refused = left < 0;
        left = -1;
        if (st != (refused ? TMAP_E_MEMORY : whole))
            fail_msg("%s, form %d, piece %ld: %d, %s", a->q->name, a->form, n, (int)st,
                     tmap_symbolic_why(a->s));
        assert_int_equal(ration.live, before);
        assert_int_equal(said, st == TMAP_OK ? length : 77);
        if (st == TMAP_OK) assert_string_equal(text, first);
        pieces += refused;
    }
}

static void conditions_and_their_forms(void **state)
{
    const struct tmap_symbolic_options options = {
        .allocator = {ration_allocate, ration_release, &ration}};
    struct asked a = {.s = NULL};
    (void)state;
    left = -1;
    assert_int_equal(tmap_symbolic_open(&options, &a.s), TMAP_OK);
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        a.q = &questions[i];
        a.checker = checker_of(a.q->contract);
        refuse_each_of_the_condition(&a);
        for (a.form = 0; a.form < FORMS; a.form++) refuse_each_of_a_form(&a);
        tmap_condition_free(a.condition);
        a.condition = NULL;
    }
    tmap_symbolic_close(a.s);
    print_message("# %ld pieces refused\n", pieces);
    assert_true(ration.live == 0 && pieces > 1000);
}

/* isl has few operations, and a piece of memory is refused as well: memory is what is reported. */
static void memory_is_said_before_a_budget(void **state)
{
    const struct tmap_symbolic_options options = {
        .allocator = {ration_allocate, ration_release, &ration}};
    struct asked a = {.q = &questions[0], .checker = checker_of(TMAP_CONTRACT_SAFE)};
    long both = 0;
    (void)state;
    left = -1;
    assert_int_equal(tmap_symbolic_open(&options, &a.s), TMAP_OK);
    for (uint64_t most = 1; most < 10000; most *= 4) {
        struct tmap_condition *out = NULL;
        tmap_symbolic_budget(a.s, most, 0);
        const enum tmap_status whole = ask(&a, &out);
        assert_true(whole == TMAP_OK || whole == TMAP_E_BUDGET);
        tmap_condition_free(out);
        bool refused = true;
        for (long n = 0; refused; n++) {
            out = NULL;
            left = n;
            const enum tmap_status said = ask(&a, &out);
            refused = left < 0;
            left = -1;
            assert_int_equal(said, refused ? TMAP_E_MEMORY : whole);
            both += refused && whole == TMAP_E_BUDGET;
            tmap_condition_free(out);
        }
    }
    tmap_symbolic_close(a.s);
    assert_true(ration.live == 0 && both > 10);
}

/* --- proofs ------------------------------------------------------------------------------------
 */

enum { EVENTS = 1 << 10 };
static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
static struct tmap_search_event events[EVENTS];

/* Boxes of 300 elements, of which a copy takes 256 at most; and its plan with the account. */
struct proven {
    struct tmap_symbolic *s;
    struct tmap_checker checker;
    struct tmap_desc desc;
    struct tmap_plan plan;
    struct tmap_search_log log;
};

static enum tmap_status prove_claim(struct proven *p, size_t *answer)
{
    static const struct tmap_field_cost box[] = {{"box", 0, 1, 1}};
    const struct tmap_claim claim = {&p->desc, box, 1, 2, false};
    enum tmap_proof proof = TMAP_UNDECIDED;
    const enum tmap_status said =
        tmap_certify(p->s, &p->checker, &claim, &proof, NULL, 0, answer, NULL, 0, NULL);
    if (said == TMAP_OK) *answer = proof;
    return said;
}

static enum tmap_status prove_moves(struct proven *p, size_t *answer)
{
    enum tmap_proof proof = TMAP_UNDECIDED;
    const enum tmap_status said =
        tmap_certify_moves(p->s, &p->checker, &p->desc, NULL, &p->plan, &proof);
    if (said == TMAP_OK) *answer = proof;
    return said;
}

static enum tmap_status prove_minimal(struct proven *p, size_t *answer)
{
    struct tmap_minimal counts = {0};
    const enum tmap_status said =
        tmap_certify_minimal(p->s, &p->checker, &p->desc, &p->plan, &p->log, &counts);
    if (said == TMAP_OK) *answer = counts.views - counts.proved;
    return said;
}

static void count(void *user, const struct tmap_question *question)
{
    assert_non_null(question->text);
    ++*(long *)user;
}

static void proofs(void **state)
{
    static enum tmap_status (*const prove[])(struct proven *, size_t *) = {prove_claim, prove_moves,
                                                                           prove_minimal};
    const struct tmap_symbolic_options options = {
        .allocator = {ration_allocate, ration_release, &ration}};
    static struct proven p = {.desc = {.dtype = TMAP_UINT8,
                                       .rank = 1,
                                       .address = 4096,
                                       .dim = {4096},
                                       .box = {300},
                                       .elem_stride = {1}},
                              .log = {events, EVENTS, 0}};
    struct tmap_repair_report report;
    long recorded = 0;
    (void)state;
    p.checker = checker_of(TMAP_CONTRACT_SAFE);
    if (tmap_repair(&p.checker, &p.desc, NULL, workspace, sizeof workspace, &p.plan, 1, &report,
                    &p.log) != TMAP_OK)
        fail_msg("%s", report.reason);
    assert_int_equal(tmap_symbolic_open(&options, &p.s), TMAP_OK);
    tmap_symbolic_record(NULL, count, &recorded);
    tmap_symbolic_record(p.s, count, &recorded);
    for (size_t i = 0; i < sizeof prove / sizeof prove[0]; i++) {
        bool refused = true;
        for (long n = 0; refused; n++) {
            size_t answer = 77;
            left = n;
            const enum tmap_status said = prove[i](&p, &answer);
            refused = left < 0;
            left = -1;
            if (said == TMAP_E_NOT_BUILT) break;
            if (said != (refused ? TMAP_E_MEMORY : TMAP_OK))
                fail_msg("proof %zu, piece %ld: %d, %s", i, n, (int)said, tmap_symbolic_why(p.s));
            assert_int_equal(answer, refused ? 77 : TMAP_PROVED);
            if (refused) assert_non_null(strstr(tmap_symbolic_why(p.s), "memory"));
        }
    }
    assert_true(recorded > 0);
    tmap_symbolic_close(p.s);
    assert_int_equal(ration.live, 0);
}

int main(void)
{
    if (lacks_isl("each piece of memory")) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditions_and_their_forms),
                                       cmocka_unit_test(memory_is_said_before_a_budget),
                                       cmocka_unit_test(proofs)};
    return cmocka_run_group_tests_name("each piece of memory", tests, NULL, NULL);
}
