/* Without a library, a function of it, or memory that it asks for, a question is an error with
 * words and keeps nothing; and the next one that has all of them is answered. The linker's --wrap
 * gives what is not there (tests/symbolic/build.mk). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolic/ration.h"
#include "tmap/solve.h"
#include "tmap/symbolic.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(TMAP_WITH_ISL) && defined(TMAP_WITH_Z3)
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

/* --- what is not there -------------------------------------------------------------------------
 */

static const char *lacks; /* a function that gives NULL, or the library's own that is not there */
static bool is_there;     /* it is there, and gives NULL */
static size_t too_much;   /* more bytes than this are not to be had; 0: all are */
static struct ration ration = {.left = -1};

static void *nothing(void)
{
    return NULL;
}

static bool lacking(const char *name)
{
    return lacks && !strcmp(lacks, name);
}

void *__real_dlopen(const char *file, int mode);
void *__real_dlsym(void *library, const char *name);
void *__real_malloc(size_t bytes);
struct isl_ctx *__real_isl_ctx_alloc(void);
void __real_isl_ctx_resume(struct isl_ctx *ctx);
int __real_isl_ctx_last_error(struct isl_ctx *ctx);
char *__real_isl_map_to_str(struct isl_map *map);
char *__real_isl_set_to_str(struct isl_set *set);
char *__real_isl_pw_multi_aff_to_str(struct isl_pw_multi_aff *function);
int __real_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *how);
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *library, const char *name);
void *__wrap_malloc(size_t bytes);
struct isl_ctx *__wrap_isl_ctx_alloc(void);
void __wrap_isl_ctx_resume(struct isl_ctx *ctx);
int __wrap_isl_ctx_last_error(struct isl_ctx *ctx);
char *__wrap_isl_map_to_str(struct isl_map *map);
char *__wrap_isl_set_to_str(struct isl_set *set);
char *__wrap_isl_pw_multi_aff_to_str(struct isl_pw_multi_aff *function);
int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *how);

void *__wrap_dlopen(const char *file, int mode)
{
    return lacking("dlopen") ? NULL : __real_dlopen(file, mode);
}

void *__wrap_dlsym(void *library, const char *name)
{
    void *(*const none)(void) = nothing;
    void *at = NULL;
    if (!lacking(name)) return __real_dlsym(library, name);
    if (is_there) memcpy(&at, &none, sizeof at);
    return at;
}

void *__wrap_malloc(size_t bytes)
{
    return too_much && bytes > too_much ? NULL : __real_malloc(bytes);
}

struct isl_ctx *__wrap_isl_ctx_alloc(void)
{
    return lacking("isl_ctx_alloc") ? NULL : __real_isl_ctx_alloc();
}

static struct tmap_symbolic *impatient; /* cancelled as its question to isl begins; NULL: none is */

void __wrap_isl_ctx_resume(struct isl_ctx *ctx)
{
    if (impatient) tmap_symbolic_cancel(impatient);
    impatient = NULL;
    __real_isl_ctx_resume(ctx);
}

int __wrap_isl_ctx_last_error(struct isl_ctx *ctx)
{
    return lacking("isl's memory") ? isl_error_alloc : __real_isl_ctx_last_error(ctx);
}

char *__wrap_isl_map_to_str(struct isl_map *map)
{
    return lacking("isl_map_to_str") ? NULL : __real_isl_map_to_str(map);
}

char *__wrap_isl_set_to_str(struct isl_set *set)
{
    return lacking("isl_set_to_str") ? NULL : __real_isl_set_to_str(set);
}

char *__wrap_isl_pw_multi_aff_to_str(struct isl_pw_multi_aff *function)
{
    return lacking("isl_pw_multi_aff_to_str") ? NULL : __real_isl_pw_multi_aff_to_str(function);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *how)
{
    return lacking("pthread_mutex_init") ? 11 : __real_pthread_mutex_init(lock, how);
}

/* --- questions ---------------------------------------------------------------------------------
 */

static const struct tmap_symbolic_options options = {
    .allocator = {ration_allocate, ration_release, &ration}};
static struct tmap_checker checker;

/* Rows of 60 elements under a swizzle: illegal for one reason. */
static const struct tmap_desc odd = {
    .dtype = TMAP_BFLOAT16, .rank = 1, .dim = {64}, .box = {60}, .elem_stride = {1}};

static int open_all(void **state)
{
    const struct tmap_target target = tmap_default_target();
    (void)state;
    return tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) == TMAP_OK ? 0 : -1;
}

static enum tmap_status prove(struct tmap_symbolic *s, size_t *found)
{
    const struct tmap_claim claim = {&odd, NULL, 0, 0, false};
    enum tmap_proof proof = TMAP_UNDECIDED;
    struct tmap_violation core[4];
    const enum tmap_status said =
        tmap_certify(s, &checker, &claim, &proof, core, 4, found, NULL, 0, NULL);
    if (said == TMAP_OK) assert_int_equal(proof, TMAP_PROVED);
    return said;
}

static enum tmap_status state_condition(struct tmap_symbolic *s)
{
    const struct tmap_symbolic_desc d = {.desc = odd, .box = {"B"}};
    struct tmap_condition *out = NULL;
    const enum tmap_status said = tmap_condition_of(s, &checker, &d, 1, NULL, 0, &out);
    assert_int_equal(out != NULL, said == TMAP_OK);
    tmap_condition_free(out);
    return said;
}

static enum tmap_status differ(struct tmap_symbolic *s, size_t *found)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker driver;
    struct tmap_diff_proof proof;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_DRIVER, &driver), TMAP_OK);
    return tmap_diff(s, &checker, &driver, NULL, 0, found, &proof);
}

/* --- tests -------------------------------------------------------------------------------------
 */

static void proofs_need_all_of_z3(void **state)
{
    static const struct {
        const char *lacks;
        bool is_there;
        enum tmap_status status;
        const char *why;
    } table[] = {
        {"dlopen", false, TMAP_E_NOT_BUILT, "libz3 is not installed"},
        {"Z3_mk_config", false, TMAP_E_NOT_BUILT, "libz3 lacks a function"},
        {"Z3_is_eq_ast", false, TMAP_E_NOT_BUILT, "libz3 lacks a function"},
        {"Z3_mk_config", true, TMAP_E_MEMORY, "Z3's context could not be made"},
        {"Z3_mk_context", true, TMAP_E_MEMORY, "Z3's context could not be made"},
        {"Z3_mk_solver_for_logic", true, TMAP_E_MEMORY, "Z3's solver could not be made"},
        {"Z3_mk_params", true, TMAP_E_MEMORY, "Z3's solver could not be made"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct tmap_symbolic *s;
        size_t found = 77;
        assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_OK);
        lacks = table[i].lacks;
        is_there = table[i].is_there;
        const enum tmap_status said = prove(s, &found);
        lacks = NULL;
        if (said != table[i].status || !strstr(tmap_symbolic_why(s), table[i].why))
            fail_msg("%s: %d, %s", table[i].lacks, (int)said, tmap_symbolic_why(s));
        assert_int_equal(found, 77);
        tmap_symbolic_close(s);
        assert_int_equal(ration.live, 0);
    }
}

/* Where Z3 does not say what it used, nothing is left out but what is asked about alone. */
static void a_reason_is_never_empty(void **state)
{
    struct tmap_symbolic *s;
    size_t found = 77;
    (void)state;
    assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_OK);
    lacks = "Z3_solver_get_unsat_core";
    is_there = true;
    assert_int_equal(prove(s, &found), TMAP_OK);
    lacks = NULL;
    assert_int_equal(found, 1);
    tmap_symbolic_close(s);
    assert_int_equal(ration.live, 0);
}

static void solvers_need_memory_to_start(void **state)
{
    struct tmap_symbolic *s;
    size_t found = 77;
    (void)state;
    assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_OK);
    too_much = 1 << 19;
    const enum tmap_status proof = prove(s, &found), condition = state_condition(s);
    char solvers[96] = "";
    strncat(solvers, tmap_symbolic_solvers(s), sizeof solvers - 1);
    too_much = 0;
    assert_true(proof == TMAP_E_MEMORY && condition == TMAP_E_MEMORY && found == 77);
    assert_non_null(strstr(solvers, ", no Z3"));
    lacks = "isl_ctx_alloc";
    assert_int_equal(state_condition(s), TMAP_E_MEMORY);
    assert_string_equal(tmap_symbolic_why(s), "no memory for isl's context");
    lacks = NULL;
    assert_int_equal(prove(s, &found), TMAP_OK);
    assert_int_equal(state_condition(s), TMAP_OK);
    tmap_symbolic_close(s);
    assert_int_equal(ration.live, 0);
}

/* Other proofs end with the first question that fails, or before it. */
static void other_proofs_need_z3_too(void **state)
{
    static const struct tmap_plan plan = {.desc = {.rank = 1}};
    static struct tmap_search_event event;
    const struct tmap_search_log log = {&event, 1, 1};
    struct tmap_symbolic *s;
    struct tmap_minimal out = {77, 77, 77, 77};
    size_t found = 77;
    (void)state;
    assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_OK);
    lacks = "dlopen";
    assert_int_equal(tmap_certify_minimal(s, &checker, &odd, &plan, &log, &out), TMAP_E_NOT_BUILT);
    lacks = "Z3_mk_simple_solver";
    is_there = true;
    const enum tmap_status said = differ(s, &found);
    lacks = NULL;
    assert_int_equal(said, TMAP_E_MEMORY);
    assert_true(found == 77 && out.views == 77);
    tmap_symbolic_close(s);
    assert_int_equal(ration.live, 0);
}

/* A question that isl has no memory for, or cannot print the answer of; and a context that has no
 * isl for the condition of another. */
static void paddings_need_isls_memory(void **state)
{
    const struct tmap_symbolic_desc d = {
        .desc = {.dtype = TMAP_BFLOAT16, .rank = 1, .dim = {64}, .elem_stride = {1}}, .box = {"B"}};
    struct tmap_symbolic *s, *other;
    struct tmap_condition *c;
    char text[256];
    size_t length = 77;
    (void)state;
    assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_OK);
    assert_int_equal(tmap_symbolic_open(&options, &other), TMAP_OK);
    lacks = "isl's memory";
    assert_int_equal(state_condition(s), TMAP_E_MEMORY);
    assert_string_equal(tmap_symbolic_why(s), "isl is out of memory");
    lacks = NULL;
    assert_int_equal(tmap_condition_of(s, &checker, &d, 1, NULL, 0, &c), TMAP_OK);
    lacks = "isl_ctx_alloc";
    assert_int_equal(tmap_condition_padding(other, c, TMAP_FORM_ISL, text, sizeof text, &length),
                     TMAP_E_MEMORY);
    lacks = "isl_pw_multi_aff_to_str";
    assert_int_equal(tmap_condition_padding(s, c, TMAP_FORM_ISL, text, sizeof text, &length),
                     TMAP_E_MEMORY);
    assert_string_equal(tmap_symbolic_why(s), "isl is out of memory");
    lacks = NULL;
    assert_int_equal(length, 77);
    assert_int_equal(tmap_condition_padding(other, c, TMAP_FORM_ISL, text, sizeof text, &length),
                     TMAP_OK);
    assert_non_null(strstr(text, "mod"));
    tmap_condition_free(c);
    tmap_symbolic_close(other);
    tmap_symbolic_close(s);
    assert_int_equal(ration.live, 0);
}

/* A cancel between a question's begin and isl's is of that question. */
static void a_cancel_as_isl_begins_ends_the_question(void **state)
{
    struct tmap_symbolic *s;
    (void)state;
    assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_OK);
    impatient = s;
    assert_int_equal(state_condition(s), TMAP_E_BUDGET);
    assert_string_equal(tmap_symbolic_why(s), "cancelled");
    assert_int_equal(state_condition(s), TMAP_OK);
    tmap_symbolic_close(s);
    assert_int_equal(ration.live, 0);
}

static void count(void *user, const struct tmap_question *question)
{
    assert_string_equal(question->solver, "isl");
    ++*(long *)user;
}

/* Of questions that isl cannot print none is recorded, and the proof stands. */
static void moves_are_proved_without_a_record(void **state)
{
    static const char *const names[] = {"isl_ctx_alloc", "isl_map_to_str", "isl_set_to_str", NULL};
    static const struct tmap_plan plan = {
        .desc = {.dtype = TMAP_BFLOAT16, .rank = 1, .dim = {64}, .box = {64}, .elem_stride = {1}},
        .dim = {{.coef = {1}, .div = 1, .round = 1, .copies = 1, .step = 64}},
        .part_of = 1,
        .copies = 1,
        .grain = {64}};
    struct tmap_symbolic *s;
    long recorded[4] = {0};
    (void)state;
    assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_OK);
    for (int k = 0; k < 4; k++) {
        enum tmap_proof proof = (enum tmap_proof)77;
        tmap_symbolic_record(s, count, &recorded[k]);
        lacks = names[k];
        const enum tmap_status said =
            tmap_certify_moves(s, &checker, &plan.desc, NULL, &plan, &proof);
        lacks = NULL;
        assert_int_equal(said, k == 0 ? TMAP_E_MEMORY : TMAP_OK);
        assert_int_equal(proof, k == 0 ? (enum tmap_proof)77 : TMAP_PROVED);
    }
    assert_true(recorded[0] == 0 && recorded[1] == 0);
    assert_true(recorded[2] == 1 && recorded[3] > 1); /* that the map is injective has no set */
    tmap_symbolic_close(s);
    assert_int_equal(ration.live, 0);
}

static void no_context_without_a_lock(void **state)
{
    struct tmap_symbolic *s = NULL;
    (void)state;
    lacks = "pthread_mutex_init";
    assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_E_MEMORY);
    lacks = NULL;
    assert_null(s);
    assert_int_equal(ration.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(proofs_need_all_of_z3),
                                       cmocka_unit_test(a_reason_is_never_empty),
                                       cmocka_unit_test(solvers_need_memory_to_start),
                                       cmocka_unit_test(other_proofs_need_z3_too),
                                       cmocka_unit_test(paddings_need_isls_memory),
                                       cmocka_unit_test(a_cancel_as_isl_begins_ends_the_question),
                                       cmocka_unit_test(moves_are_proved_without_a_record),
                                       cmocka_unit_test(no_context_without_a_lock)};
    return cmocka_run_group_tests_name("without solvers", tests, open_all, NULL);
}

#else
int main(void)
{
    printf("1..1\nok 1 # SKIP without solvers: isl and Z3\n");
    return 0;
}
#endif
