/* Calls of symbolic.h that lack what they need: refused with words, their outputs as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tmap/solve.h"
#include "tmap/symbolic.h"

#include <stdlib.h>
#include <string.h>

static struct tmap_symbolic *s;
static struct tmap_checker checker, none;
static const struct tmap_desc desc = {.dtype = TMAP_BFLOAT16,
                                      .rank = 2,
                                      .dim = {64, 64},
                                      .stride_bytes = {128},
                                      .box = {64, 64},
                                      .elem_stride = {1, 1}};
static size_t found = 77, length = 77;
static enum tmap_proof proof = (enum tmap_proof)77;
static char text[8] = "as was";

static int open_all(void **state)
{
    const struct tmap_target target = tmap_default_target(), uncovered = {.cuda = 9000, .arch = 1};
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    tmap_checker_prepare(&uncovered, TMAP_CONTRACT_SAFE, &none);
    return tmap_symbolic_open(NULL, &s);
}

static int close_all(void **state)
{
    (void)state;
    tmap_symbolic_close(s);
    return 0;
}

static void expect_refused(const enum tmap_status *said, size_t n, enum tmap_status with)
{
    for (size_t i = 0; i < n; i++)
        if (said[i] != with) fail_msg("call %zu: %d", i, (int)said[i]);
    assert_true(found == 77 && length == 77 && proof == (enum tmap_proof)77);
    assert_string_equal(text, "as was");
}
#define REFUSED(with, ...)                                                                         \
    do {                                                                                           \
        const enum tmap_status calls_[] = {__VA_ARGS__};                                           \
        expect_refused(calls_, sizeof calls_ / sizeof calls_[0], with);                            \
    } while (0)

static void *no_memory(void *user, size_t size)
{
    (void)user, (void)size;
    return NULL;
}

static void contexts(void **state)
{
    const struct tmap_symbolic_options half = {.allocator = {.allocate = no_memory}};
    struct tmap_symbolic *out = NULL;
    (void)state;
    assert_int_equal(tmap_symbolic_open(NULL, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_symbolic_open(&half, &out), TMAP_E_ARGUMENT);
    assert_null(out);
    tmap_symbolic_close(NULL);
}

static void claims(void **state)
{
    struct tmap_violation core[1];
    const struct tmap_claim claim = {.desc = &desc}, no_desc = {0},
                            no_fields = {.desc = &desc, .field_count = 1};
    (void)state;
#define CERTIFY(s, c, claim, p, core, cap, f, t, room)                                             \
    tmap_certify(s, c, claim, p, core, cap, f, t, room, &length)
    REFUSED(TMAP_E_ARGUMENT, CERTIFY(NULL, &checker, &claim, &proof, core, 1, &found, text, 8),
            CERTIFY(s, NULL, &claim, &proof, core, 1, &found, text, 8),
            CERTIFY(s, &checker, NULL, &proof, core, 1, &found, text, 8),
            CERTIFY(s, &checker, &claim, NULL, core, 1, &found, text, 8),
            CERTIFY(s, &checker, &claim, &proof, NULL, 1, &found, text, 8),
            CERTIFY(s, &checker, &claim, &proof, core, 1, NULL, text, 8),
            CERTIFY(s, &checker, &claim, &proof, core, 1, &found, NULL, 8),
            CERTIFY(s, &checker, &no_desc, &proof, core, 1, &found, text, 8),
            CERTIFY(s, &checker, &no_fields, &proof, core, 1, &found, text, 8));
    assert_string_equal(tmap_symbolic_why(s), "a pointer is NULL");
    REFUSED(TMAP_E_TARGET, CERTIFY(s, &none, &claim, &proof, core, 1, &found, text, 8));
    assert_string_equal(tmap_symbolic_why(s), "no source covers this target");
}

static void differences(void **state)
{
    struct tmap_difference out[1];
    struct tmap_diff_proof said = {(enum tmap_proof)77, 77};
    (void)state;
    REFUSED(TMAP_E_ARGUMENT, tmap_diff(NULL, &checker, &checker, out, 1, &found, &said),
            tmap_diff(s, NULL, &checker, out, 1, &found, &said),
            tmap_diff(s, &checker, NULL, out, 1, &found, &said),
            tmap_diff(s, &checker, &checker, NULL, 1, &found, &said),
            tmap_diff(s, &checker, &checker, out, 1, NULL, &said),
            tmap_diff(s, &checker, &checker, out, 1, &found, NULL));
    REFUSED(TMAP_E_TARGET, tmap_diff(s, &none, &checker, out, 1, &found, &said));
    assert_string_equal(tmap_symbolic_why(s), "no source covers `from`");
    REFUSED(TMAP_E_TARGET, tmap_diff(s, &checker, &none, out, 1, &found, &said));
    assert_string_equal(tmap_symbolic_why(s), "no source covers `to`");
    assert_int_equal(said.nothing_else, (enum tmap_proof)77);
}

static void plans(void **state)
{
    static const struct tmap_plan skips = {.skip = true}, plan = {.desc = {.rank = 2}};
    static const struct tmap_tile_plan tile;
    const struct tmap_tile_request request = {.tensor = desc, .tile = {64, 64}};
    struct tmap_search_log log = {NULL, 0, 0};
    struct tmap_desc rank_6 = desc;
    struct tmap_minimal out;
    (void)state;
    memset(&out, 0x5a, sizeof out);
    const struct tmap_minimal before = out;
    rank_6.rank = 6;
#define TILE(s, c, r, p, log, out) tmap_certify_tile(s, c, r, p, NULL, 0, log, out)
    REFUSED(TMAP_E_ARGUMENT, tmap_certify_moves(NULL, &checker, &desc, NULL, &plan, &proof),
            tmap_certify_moves(s, NULL, &desc, NULL, &plan, &proof),
            tmap_certify_moves(s, &checker, NULL, NULL, &plan, &proof),
            tmap_certify_moves(s, &checker, &desc, NULL, NULL, &proof),
            tmap_certify_moves(s, &checker, &desc, NULL, &plan, NULL),
            tmap_certify_minimal(NULL, &checker, &desc, &plan, &log, &out),
            tmap_certify_minimal(s, NULL, &desc, &plan, &log, &out),
            tmap_certify_minimal(s, &checker, NULL, &plan, &log, &out),
            tmap_certify_minimal(s, &checker, &desc, NULL, &log, &out),
            tmap_certify_minimal(s, &checker, &desc, &plan, NULL, &out),
            tmap_certify_minimal(s, &checker, &desc, &plan, &log, NULL),
            tmap_certify_minimal(s, &checker, &desc, &skips, &log, &out),
            TILE(NULL, &checker, &request, &tile, &log, &out),
            TILE(s, NULL, &request, &tile, &log, &out), TILE(s, &checker, NULL, &tile, &log, &out),
            TILE(s, &checker, &request, NULL, &log, &out),
            TILE(s, &checker, &request, &tile, NULL, &out),
            TILE(s, &checker, &request, &tile, &log, NULL));
    assert_string_equal(tmap_symbolic_why(s), "a plan without copies");
    REFUSED(TMAP_E_TARGET, tmap_certify_minimal(s, &none, &desc, &plan, &log, &out),
            TILE(s, &none, &request, &tile, &log, &out));
#ifdef TMAP_WITH_ISL
    REFUSED(TMAP_E_ARGUMENT, tmap_certify_moves(s, &checker, &desc, NULL, &skips, &proof),
            tmap_certify_moves(s, &checker, &rank_6, NULL, &plan, &proof));
    assert_string_equal(tmap_symbolic_why(s), "no copies, or copies that are not modelled");
#endif
    assert_memory_equal(&out, &before, sizeof out);
}

/* An account that is missing, cut off, or cannot be read is no proof. */
static void accounts(void **state)
{
    static const struct tmap_plan plan = {.desc = {.rank = 2}};
    static struct tmap_search_event aim = {.kind = TMAP_SEARCH_OBJECTIVE},
                                    early = {.kind = TMAP_SEARCH_STATE, .u.state = {.rank = 2}};
    struct tmap_search_event flat[] = {aim, {.kind = TMAP_SEARCH_STATE, .u.state = {.rank = 0}}};
    struct tmap_search_event deep[] = {aim, {.kind = TMAP_SEARCH_IM2COL, .u.state = {.rank = 6}}};
    const struct tmap_search_log logs[] = {
        {NULL, 0, 0}, {&aim, 1, 2}, {&early, 1, 1}, {flat, 2, 2}, {deep, 2, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        struct tmap_minimal out;
        memset(&out, 0x5a, sizeof out);
        const struct tmap_minimal before = out;
        const enum tmap_status said =
            tmap_certify_minimal(s, &checker, &desc, &plan, &logs[i], &out);
        if (said == TMAP_E_NOT_BUILT) return;
        assert_int_equal(said, TMAP_E_ARGUMENT);
        assert_non_null(strstr(tmap_symbolic_why(s), "account"));
        assert_memory_equal(&out, &before, sizeof out);
    }
}

static void conditions(void **state)
{
    const struct tmap_symbolic_desc d = {.desc = desc};
    const char *const assume[] = {"K > 0"};
    struct tmap_condition *out = NULL;
    struct tmap_violation rows[1];
    (void)state;
    REFUSED(TMAP_E_ARGUMENT, tmap_condition_of(NULL, &checker, &d, 1, NULL, 0, &out),
            tmap_condition_of(s, NULL, &d, 1, NULL, 0, &out),
            tmap_condition_of(s, &checker, NULL, 1, NULL, 0, &out),
            tmap_condition_of(s, &checker, &d, 0, NULL, 0, &out),
            tmap_condition_of(s, &checker, &d, 1, NULL, 1, &out),
            tmap_condition_of(s, &checker, &d, 1, assume, 1, NULL),
            tmap_condition_rows(NULL, rows, 1, &found),
            tmap_condition_text(NULL, NULL, TMAP_FORM_TEXT, text, 8, &length),
            tmap_condition_text(s, NULL, TMAP_FORM_TEXT, text, 8, &length),
            tmap_condition_padding(NULL, NULL, TMAP_FORM_TEXT, text, 8, &length),
            tmap_condition_padding(s, NULL, TMAP_FORM_TEXT, text, 8, &length),
            tmap_guard_c(NULL, NULL, TMAP_GUARD_C, "f", text, 8, &length),
            tmap_guard_c(s, NULL, TMAP_GUARD_C, "f", text, 8, &length));
    REFUSED(TMAP_E_TARGET, tmap_condition_of(s, &none, &d, 1, NULL, 0, &out));
    assert_null(out);
    const enum tmap_status made = tmap_condition_of(s, &checker, &d, 1, NULL, 0, &out);
    if (made == TMAP_E_NOT_BUILT) return;
    assert_int_equal(made, TMAP_OK);
    REFUSED(TMAP_E_ARGUMENT, tmap_condition_rows(out, NULL, 1, &found),
            tmap_condition_rows(out, rows, 1, NULL),
            tmap_condition_text(s, out, TMAP_FORM_TEXT, NULL, 8, &length),
            tmap_condition_text(s, out, TMAP_FORM_TEXT, text, 8, NULL),
            tmap_condition_text(s, out, (enum tmap_formula_form)99, text, 8, &length),
            tmap_condition_padding(s, out, TMAP_FORM_TEXT, NULL, 8, &length),
            tmap_condition_padding(s, out, TMAP_FORM_TEXT, text, 8, NULL),
            tmap_guard_c(s, out, TMAP_GUARD_C, NULL, text, 8, &length),
            tmap_guard_c(s, out, TMAP_GUARD_C, "f", NULL, 8, &length),
            tmap_guard_c(s, out, TMAP_GUARD_C, "f", text, 8, NULL),
            tmap_guard_c(s, out, (enum tmap_guard_language)99, "f", text, 8, &length));
    assert_null(tmap_condition_param(out, 0));
    tmap_condition_free(out);
    tmap_condition_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contexts),    cmocka_unit_test(claims),
                                       cmocka_unit_test(differences), cmocka_unit_test(plans),
                                       cmocka_unit_test(accounts),    cmocka_unit_test(conditions)};
    return cmocka_run_group_tests_name("arguments of symbolic.h", tests, open_all, close_all);
}
