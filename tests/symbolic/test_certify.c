// Certificates: what is proved, what is refuted, the smallest reason, and a text that replays.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tmap/solve.h"
#include "tmap/symbolic.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tmap_desc gemm_a = {.dtype = TMAP_BFLOAT16,
                                        .rank = 2,
                                        .address = 0x7f0000000000,
                                        .dim = {4096, 8192},
                                        .stride_bytes = {8192},
                                        .box = {64, 128},
                                        .elem_stride = {1, 1},
                                        .swizzle = TMAP_SWIZZLE_128B};

struct asked {
    struct tmap_symbolic *s;
    struct tmap_checker checker;
    enum tmap_proof proof;
    struct tmap_violation core[16];
    size_t found, length;
    char text[1 << 17];
};

static void ask(struct asked *a, const struct tmap_desc *desc, const struct tmap_field_cost *fields,
                size_t n, uint64_t below, bool is_legal)
{
    struct tmap_claim claim = {desc, fields, n, below, is_legal};
    assert_int_equal(tmap_certify(a->s, &a->checker, &claim, &a->proof, a->core, 16, &a->found,
                                  a->text, sizeof a->text, &a->length),
                     TMAP_OK);
    assert_true(a->length < sizeof a->text);
}

static int set_up(void **state)
{
    static struct asked a;
    struct tmap_target target = tmap_default_target();
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &a.checker);
    *state = &a;
    return tmap_symbolic_open(NULL, &a.s) == TMAP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    tmap_symbolic_close(((struct asked *)*state)->s);
    return 0;
}

static bool has_z3(const struct asked *a)
{
    return strstr(tmap_symbolic_solvers(a->s), "no Z3") == NULL;
}

static void verdicts_are_proved_and_their_opposites_refuted(void **state)
{
    struct asked *a = *state;
    struct tmap_desc bad = gemm_a;
    if (!has_z3(a)) skip();
    ask(a, &gemm_a, NULL, 0, 0, true);
    assert_int_equal(a->proof, TMAP_PROVED);
    ask(a, &gemm_a, NULL, 0, 0, false);
    assert_int_equal(a->proof, TMAP_REFUTED);
    bad.stride_bytes[0] = 8200;
    ask(a, &bad, NULL, 0, 0, false);
    assert_int_equal(a->proof, TMAP_PROVED);
    assert_int_equal(a->found, 1);
    assert_string_equal(tmap_row_id(a->core[0].row), "TMA014");
    assert_int_equal(a->core[0].index, 0);
    ask(a, &bad, NULL, 0, 0, true);
    assert_int_equal(a->proof, TMAP_REFUTED);
}

// Of 2^64 - 1 bytes that all are allocated: what ends with them, and what ends one byte later.
static void an_extent_beyond_64_bits_is_no_smaller(void **state)
{
    struct asked *a = *state;
    struct tmap_desc d = gemm_a;
    if (!has_z3(a)) skip();
    d.dtype = TMAP_UINT8;
    d.swizzle = TMAP_SWIZZLE_NONE;
    d.box[0] = 16;
    d.dim[0] = 15;
    d.dim[1] = 1 << 30;
    d.stride_bytes[0] = 16 * ((UINT64_C(1) << 30) + 1); // times 2^30 - 1: 2^64 - 16
    d.flags = TMAP_HAS_ALLOCATION;
    d.allocation_base = d.address;
    d.allocation_bytes = UINT64_MAX;
    ask(a, &d, NULL, 0, 0, true);
    assert_int_equal(a->proof, TMAP_PROVED);
    d.dim[0] = 16;
    ask(a, &d, NULL, 0, 0, true);
    assert_int_equal(a->proof, TMAP_REFUTED);
    ask(a, &d, NULL, 0, 0, false);
    assert_int_equal(a->proof, TMAP_PROVED);
    assert_string_equal(tmap_row_id(a->core[0].row), "TMA046");
}

// Types and ranks that there are not, of a tensor with an allocation: illegal, and not legal.
static void odd_types_and_ranks_are_proved_illegal(void **state)
{
    struct asked *a = *state;
    if (!has_z3(a)) skip();
    for (int k = 0; k < 3; k++) {
        struct tmap_desc d = gemm_a;
        d.flags = TMAP_HAS_ALLOCATION;
        d.allocation_base = d.address;
        d.allocation_bytes = 1 << 30;
        if (k == 1) d.dtype = -1;
        if (k == 2) d.rank = 7;
        ask(a, &d, NULL, 0, 0, false);
        assert_int_equal(a->proof, k ? TMAP_PROVED : TMAP_REFUTED);
        assert_true(!k == !a->found);
        ask(a, &d, NULL, 0, 0, true);
        assert_int_equal(a->proof, k ? TMAP_REFUTED : TMAP_PROVED);
    }
}

// box[0] = 72 under swizzle 128B: 8 steps down to 64 is the nearest legal box.
static void a_least_cost_is_proved_and_one_more_refuted(void **state)
{
    static const struct tmap_field_cost box[] = {{"box", 0, 5, 1}};
    struct asked *a = *state;
    struct tmap_desc bad = gemm_a;
    if (!has_z3(a)) skip();
    bad.box[0] = 72;
    ask(a, &bad, box, 1, 13, false);
    assert_int_equal(a->proof, TMAP_PROVED);
    ask(a, &bad, box, 1, 14, false);
    assert_int_equal(a->proof, TMAP_REFUTED);
}

// No box at all: the row cannot be both 60 bytes wide and a multiple of 16.
static void no_legal_descriptor_has_a_smallest_reason(void **state)
{
    static const struct tmap_field_cost swizzle[] = {{"swizzle", -1, 1, 0}, {"box", 1, 1, 0}};
    struct asked *a = *state;
    struct tmap_desc bad = gemm_a;
    if (!has_z3(a)) skip();
    bad.box[0] = 30;
    bad.stride_bytes[0] = 8200;
    ask(a, &bad, swizzle, 2, 0, false);
    assert_int_equal(a->proof, TMAP_PROVED);
    assert_int_equal(a->found, 1); // either row alone is reason enough
    bad.stride_bytes[0] = 8192;
    ask(a, &bad, swizzle, 2, 0, false);
    assert_string_equal(tmap_row_id(a->core[0].row), "TMA026");
}

// The least distance at which one field's value becomes legal; 0: none within reach.
static uint64_t nearest(const struct asked *a, const struct tmap_desc *desc, int which)
{
    for (uint64_t d = 1; d <= 300; d++) {
        for (int up = 0; up < 2; up++) {
            struct tmap_desc near = *desc;
            uint64_t by = up ? d : 0 - d;
            if (which == 0) near.box[0] += (uint32_t)by;
            if (which == 1) near.stride_bytes[0] += by;
            if (which == 2) near.address += by;
            if (which == 3) near.box[1] += (uint32_t)by;
            if (tmap_verdict_of(&a->checker, &near) == TMAP_LEGAL) return d;
        }
    }
    return 0;
}

// The optimum of a native search is proved, and one unit more is refuted, for any illegal
// descriptor.
static void nearest_legal_values_are_proved_least(void **state)
{
    static const struct tmap_field_cost fields[] = {
        {"box", 0, 0, 1}, {"stride", 0, 0, 1}, {"address", -1, 0, 1}, {"box", 1, 0, 1}};
    static const int32_t dtypes[] = {TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32, TMAP_FLOAT64};
    const char *wanted = getenv("TMAP_POINTS");
    struct asked *a = *state;
    uint64_t random = 12345;
    int proved = 0, never = 0, n = wanted ? 2000 : 60;
    if (!has_z3(a)) skip();
    for (int i = 0; i < n; i++) {
        struct tmap_desc desc = gemm_a;
        random = random * 6364136223846793005u + 1442695040888963407u;
        int which = (int)(random >> 33) % 4;
        desc.dtype = dtypes[(random >> 36) % 4];
        desc.swizzle = (int32_t)((random >> 39) % 4);
        desc.box[0] = 16 + (uint32_t)((random >> 42) % 16);
        if (which == 0) desc.box[0] = (uint32_t)((random >> 46) % 300);
        if (which == 1) desc.stride_bytes[0] = 8192 + (random >> 46) % 64;
        if (which == 2) desc.address += (random >> 46) % 64;
        if (which == 3) desc.box[1] = 200 + (uint32_t)((random >> 46) % 200);
        if (tmap_verdict_of(&a->checker, &desc) == TMAP_LEGAL) continue;
        uint64_t least = nearest(a, &desc, which);
        ask(a, &desc, &fields[which], 1, least, false); // 0: at any cost
        assert_int_equal(a->proof, TMAP_PROVED);
        never += least == 0;
        proved++;
        if (least == 0) continue;
        ask(a, &desc, &fields[which], 1, least + 1, false);
        assert_int_equal(a->proof, TMAP_REFUTED);
    }
    print_message("%d optima proved, %d of them that there is none\n", proved, never);
    assert_true(proved > n / 4 && never > 0 && never < proved);
}

// A lower corner below -128 counts from where it is, a negative number.
static void a_cost_from_a_negative_value(void **state)
{
    static const struct tmap_field_cost lower = {"lower", 0, 0, 1};
    struct tmap_desc conv = {.kind = TMAP_IM2COL,
                             .dtype = TMAP_BFLOAT16,
                             .rank = 4,
                             .address = 0x7f0000000000,
                             .dim = {64, 32, 32, 8},
                             .stride_bytes = {128, 4096, 131072},
                             .elem_stride = {1, 1, 1, 1},
                             .lower = {-130, 0},
                             .channels = 64,
                             .pixels = 64,
                             .swizzle = TMAP_SWIZZLE_128B};
    struct asked *a = *state;
    if (!has_z3(a)) skip();
    ask(a, &conv, &lower, 1, 2, false);
    assert_int_equal(a->proof, TMAP_PROVED);
    ask(a, &conv, &lower, 1, 3, false);
    assert_int_equal(a->proof, TMAP_REFUTED);
}

// Alone and with a box, another factor of the box's product.
static void free_element_strides_are_factors(void **state)
{
    static const struct tmap_field_cost fields[] = {{"elem_stride", 1, 0, 1}, {"box", 0, 0, 1}};
    struct tmap_desc bad = gemm_a;
    struct asked *a = *state;
    if (!has_z3(a)) skip();
    bad.elem_stride[1] = 11; // 8 is the greatest
    for (size_t n = 1; n <= 2; n++) {
        ask(a, &bad, fields, n, 3, false);
        assert_int_equal(a->proof, TMAP_PROVED);
        ask(a, &bad, fields, n, 4, false);
        assert_int_equal(a->proof, TMAP_REFUTED);
    }
}

static void an_unknown_field_is_refused_with_words(void **state)
{
    static const struct tmap_field_cost bad[] = {
        {"rank", -1, 1, 1}, {"colour", -1, 1, 1}, {"box", 7, 1, 1}, {NULL, -1, 1, 1}};
    struct asked *a = *state;
    if (!has_z3(a)) skip();
    for (size_t i = 0; i < 4; i++) {
        struct tmap_claim claim = {&gemm_a, &bad[i], 1, 0, false};
        assert_int_equal(
            tmap_certify(a->s, &a->checker, &claim, &a->proof, NULL, 0, &a->found, NULL, 0, NULL),
            TMAP_E_ARGUMENT);
        assert_non_null(strstr(tmap_symbolic_why(a->s), bad[i].field ? bad[i].field : "\"\""));
    }
}

static void a_tiny_budget_answers_undecided(void **state)
{
    static const struct tmap_field_cost fields[] = {{"dim", 0, 1, 1}, {"stride", 0, 1, 1}};
    struct asked *a = *state;
    struct tmap_desc bad = gemm_a;
    if (!has_z3(a)) skip();
    bad.stride_bytes[0] = 8200;
    tmap_symbolic_budget(a->s, 0, 1);
    ask(a, &bad, fields, 2, 5, false);
    assert_int_equal(a->proof, TMAP_UNDECIDED);
    tmap_symbolic_budget(a->s, 0, 0);
    ask(a, &bad, fields, 2, 5, false);
    assert_int_equal(a->proof, TMAP_PROVED);
}

// As the header says: a name and a version of numbers each, or that there is none.
static void solvers_are_named_with_their_versions(void **state)
{
    struct asked *a = *state;
    const char *text = tmap_symbolic_solvers(a->s);
    int n = 0, more = 0;
    if (strncmp(text, "no isl", 6) != 0) sscanf(text, "isl %*u.%*u%n", &n);
    if (strncmp(text, "no isl", 6) == 0) n = 6;
    if (strncmp(text + n, ", no Z3", 7) == 0) more = 7;
    if (more == 0) sscanf(text + n, ", Z3 %*u.%*u.%*u%n", &more);
    if (!n || !more || text[n + more]) fail_msg("\"%s\"", text);
}

static void *cancel(void *context)
{
    tmap_symbolic_cancel(context);
    return NULL;
}

// Called between two questions to Z3: another thread cancels then.
static void cancel_elsewhere(void *user, const struct tmap_question *question)
{
    struct asked *a = user;
    pthread_t thread;
    (void)question;
    a->found++;
    assert_int_equal(pthread_create(&thread, NULL, cancel, a->s), 0);
    pthread_join(thread, NULL);
}

// A proof of minimality asks about many views, and is one question all the same.
static void a_cancel_ends_a_proof_of_minimality_as_a_whole(void **state)
{
    static _Alignas(max_align_t) char workspace[TMAP_REPAIR_WORKSPACE];
    struct asked *a = *state;
    static struct tmap_search_event events[256];
    struct tmap_search_log log = {.events = events, .capacity = 256};
    struct tmap_request request = {.op = TMAP_OP_LOAD};
    struct tmap_repair_report report;
    struct tmap_desc bad = gemm_a;
    struct tmap_minimal out;
    struct tmap_plan plan;
    if (!has_z3(a)) skip();
    bad.stride_bytes[0] = 8200;
    assert_int_equal(tmap_repair(&a->checker, &bad, &request, workspace, sizeof workspace, &plan, 1,
                                 &report, &log),
                     TMAP_OK);
    a->found = 0;
    tmap_symbolic_record(a->s, cancel_elsewhere, a);
    assert_int_equal(tmap_certify_minimal(a->s, &a->checker, &bad, &plan, &log, &out),
                     TMAP_E_BUDGET);
    tmap_symbolic_record(a->s, NULL, NULL);
    assert_string_equal(tmap_symbolic_why(a->s), "cancelled");
    assert_int_equal(a->found, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cancel_ends_a_proof_of_minimality_as_a_whole),
        cmocka_unit_test(solvers_are_named_with_their_versions),
        cmocka_unit_test(verdicts_are_proved_and_their_opposites_refuted),
        cmocka_unit_test(an_extent_beyond_64_bits_is_no_smaller),
        cmocka_unit_test(odd_types_and_ranks_are_proved_illegal),
        cmocka_unit_test(a_least_cost_is_proved_and_one_more_refuted),
        cmocka_unit_test(no_legal_descriptor_has_a_smallest_reason),
        cmocka_unit_test(nearest_legal_values_are_proved_least),
        cmocka_unit_test(a_cost_from_a_negative_value),
        cmocka_unit_test(free_element_strides_are_factors),
        cmocka_unit_test(an_unknown_field_is_refused_with_words),
        cmocka_unit_test(a_tiny_budget_answers_undecided),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
