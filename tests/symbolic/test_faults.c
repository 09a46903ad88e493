// Every budget from 1 on, every failing allocation, cancellation, and threads: an error or the same
// answer, nothing lost, nothing printed.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/cases.h"
#include "symbolic/ration.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 1 << 15 };

static const char *const files[] = {
    "examples/symbolic/conv_padding.json", "examples/symbolic/kv_cache_fp8_scaled.json",
    "examples/symbolic/tile_strided.json", "examples/symbolic/attention_rank5.json"};

// Everything a user can ask of a case; the texts one after another.
static enum tmap_status everything(struct tmap_symbolic *s, const struct symbolic_case *c,
                                   char *text)
{
    struct tmap_condition *condition;
    size_t length, used = 0;
    enum tmap_status status =
        tmap_condition_of(s, &c->checker, c->desc, c->n, c->assume, c->n_assume, &condition);
    text[0] = 0;
    if (status != TMAP_OK) return status;
    for (int form = TMAP_FORM_TEXT; form <= TMAP_FORM_PYTHON && status == TMAP_OK; form++) {
        status = tmap_condition_text(s, condition, (enum tmap_formula_form)form, text + used,
                                     TEXT - used, &length);
        if (status == TMAP_OK) used += length;
    }
    if (status == TMAP_OK) {
        status =
            tmap_guard_c(s, condition, TMAP_GUARD_CUDA, "f", text + used, TEXT - used, &length);
    }
    if (status == TMAP_OK) used += length;
    if (status == TMAP_OK) {
        status =
            tmap_condition_padding(s, condition, TMAP_FORM_TEXT, text + used, TEXT - used, &length);
        // Products that padding would have to meet are an answer of their own.
        if (status == TMAP_E_BUDGET && strstr(tmap_symbolic_why(s), "padding")) status = TMAP_OK;
    }
    tmap_condition_free(condition);
    return status;
}

static void every_budget_ends_in_an_answer_or_in_words(void **state)
{
    static char whole[TEXT], text[TEXT];
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct symbolic_case c;
        struct tmap_symbolic *s;
        long tripped = 0;
        snprintf(c.path, sizeof c.path, "%s", files[f]);
        assert_true(case_open(&c));
        assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
        assert_int_equal(everything(s, &c, whole), TMAP_OK);
        for (uint64_t budget = 1; budget < 100000; budget += 1 + budget / 16) {
            tmap_symbolic_budget(s, budget, 0);
            enum tmap_status status = everything(s, &c, text);
            if (status == TMAP_OK) {
                assert_string_equal(text, whole);
            } else {
                assert_int_equal(status, TMAP_E_BUDGET);
                assert_non_null(strstr(tmap_symbolic_why(s), "budget"));
                tripped++;
            }
        }
        assert_true(tripped > 5);
        tmap_symbolic_budget(s, 0, 0);
        assert_int_equal(everything(s, &c, text), TMAP_OK);
        assert_string_equal(text, whole);
        tmap_symbolic_close(s);
        case_close(&c);
    }
}

static void every_failing_allocation_is_an_error_and_loses_nothing(void **state)
{
    static char text[TEXT];
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct symbolic_case c;
        bool done = false;
        snprintf(c.path, sizeof c.path, "%s", files[f]);
        assert_true(case_open(&c));
        for (long n = 0; !done && n < 1000; n++) {
            struct ration r = {.left = n, .ends = true};
            struct tmap_symbolic_options options = {
                .allocator = {ration_allocate, ration_release, &r}};
            struct tmap_symbolic *s;
            enum tmap_status status = tmap_symbolic_open(&options, &s);
            if (status == TMAP_OK) {
                status = everything(s, &c, text);
                tmap_symbolic_close(s);
            }
            done = status == TMAP_OK;
            if (!done) assert_int_equal(status, TMAP_E_MEMORY);
            assert_int_equal(r.live, 0);
        }
        assert_true(done);
        case_close(&c);
    }
}

static void count(void *user, const struct tmap_question *q)
{
    ++*(long *)user;
    assert_non_null(q->text);
}

// Recorded, too: a copy of the text is needed for that.
static void certificates_survive_failing_allocations(void **state)
{
    long recorded = 0;
    static const struct tmap_field_cost box[] = {{"box", 0, 1, 1}};
    struct tmap_desc desc = {
        .dtype = TMAP_BFLOAT16, .rank = 1, .dim = {64}, .box = {60}, .elem_stride = {1}};
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_claim claim = {&desc, box, 1, 2, false};
    bool done = false;
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    for (long n = 0; !done && n < 200; n++) {
        struct ration r = {.left = n, .ends = true};
        struct tmap_symbolic_options options = {.allocator = {ration_allocate, ration_release, &r}};
        struct tmap_symbolic *s;
        enum tmap_proof proof;
        size_t found;
        enum tmap_status status = tmap_symbolic_open(&options, &s);
        if (status == TMAP_OK) {
            tmap_symbolic_record(s, count, &recorded);
            status = tmap_certify(s, &checker, &claim, &proof, NULL, 0, &found, NULL, 0, NULL);
            tmap_symbolic_close(s);
        }
        done = status == TMAP_OK || status == TMAP_E_NOT_BUILT;
        if (!done) assert_int_equal(status, TMAP_E_MEMORY);
        assert_int_equal(recorded, status == TMAP_OK);
        assert_int_equal(r.live, 0);
    }
    assert_true(done);
}

static void differences_survive_failing_allocations(void **state)
{
    struct tmap_target target = tmap_default_target();
    struct tmap_checker safe, driver;
    bool done = false, without_z3 = false;
    long refused = 0;
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &safe);
    tmap_checker_prepare(&target, TMAP_CONTRACT_DRIVER, &driver);
    for (long n = 0; !done && n < 200; n++) {
        struct ration r = {.left = n, .ends = true};
        struct tmap_symbolic_options options = {.allocator = {ration_allocate, ration_release, &r}};
        struct tmap_symbolic *s;
        struct tmap_diff_proof proof = {TMAP_UNDECIDED, 77};
        size_t found = 77;
        enum tmap_status status = tmap_symbolic_open(&options, &s);
        if (status == TMAP_OK) {
            status = tmap_diff(s, &safe, &driver, NULL, 0, &found, &proof);
            if (status == TMAP_E_MEMORY) assert_non_null(strstr(tmap_symbolic_why(s), "memory"));
            tmap_symbolic_close(s);
        }
        without_z3 = status == TMAP_E_NOT_BUILT;
        done = status == TMAP_OK || without_z3;
        refused += !done;
        if (!done) assert_true(status == TMAP_E_MEMORY && found == 77 && proof.rows_compared == 77);
        assert_int_equal(r.live, 0);
    }
    assert_true(done && (refused > 5 || without_z3));
}

// Z3's own unit: from nothing to enough, each budget gives the proof or no proof, never another
// one.
static void every_z3_budget_proves_or_is_undecided(void **state)
{
    static const struct tmap_field_cost fields[] = {{"box", 0, 1, 1}, {"stride", 0, 1, 1}};
    struct tmap_desc desc = {.dtype = TMAP_BFLOAT16,
                             .rank = 2,
                             .dim = {64, 64},
                             .stride_bytes = {136},
                             .box = {60, 8},
                             .elem_stride = {1, 1}};
    struct tmap_target target = tmap_default_target();
    struct tmap_claim claim = {&desc, fields, 2, 9, false};
    struct tmap_checker checker;
    struct tmap_symbolic *s;
    int undecided = 0, proved = 0;
    (void)state;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (uint64_t limit = 1; limit < 3000000; limit += 1 + limit / 3) {
        enum tmap_proof proof;
        size_t found;
        tmap_symbolic_budget(s, 0, limit);
        enum tmap_status status =
            tmap_certify(s, &checker, &claim, &proof, NULL, 0, &found, NULL, 0, NULL);
        if (status == TMAP_E_NOT_BUILT) break;
        assert_int_equal(status, TMAP_OK);
        assert_int_not_equal(proof, TMAP_REFUTED);
        undecided += proof == TMAP_UNDECIDED;
        proved += proof == TMAP_PROVED;
    }
    tmap_symbolic_close(s);
    if (proved + undecided) assert_true(proved > 0 && undecided > 0);
}

static void a_cancel_without_a_question_ends_none(void **state)
{
    static char text[TEXT];
    struct symbolic_case c;
    struct tmap_symbolic *s;
    (void)state;
    snprintf(c.path, sizeof c.path, "%s", files[0]);
    assert_true(case_open(&c));
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    tmap_symbolic_cancel(s);
    assert_int_equal(everything(s, &c, text), TMAP_OK);
    tmap_symbolic_cancel(s);
    assert_int_equal(everything(s, &c, text), TMAP_OK);
    tmap_symbolic_close(s);
    case_close(&c);
}

struct canceller {
    struct tmap_symbolic *s;
    atomic_bool done;
};

static void *cancel_all_the_time(void *user)
{
    struct canceller *c = user;
    while (!atomic_load(&c->done)) tmap_symbolic_cancel(c->s);
    return NULL;
}

// From the first question on, which starts the solvers: each is cancelled with words, or answered.
static void cancelled_questions_say_so_and_later_ones_work(void **state)
{
    static char text[TEXT];
    struct tmap_desc desc = {
        .dtype = TMAP_BFLOAT16, .rank = 1, .dim = {64}, .box = {60}, .elem_stride = {1}};
    struct tmap_target target = tmap_default_target();
    struct tmap_claim claim = {&desc, NULL, 0, 0, false};
    struct tmap_checker checker;
    struct symbolic_case c;
    int cancelled = 0;
    (void)state;
    snprintf(c.path, sizeof c.path, "%s", files[0]);
    assert_true(case_open(&c));
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    for (int round = 0; round < 5; round++) {
        struct canceller canceller = {.done = false};
        pthread_t thread;
        enum tmap_proof proof;
        size_t found;
        assert_int_equal(tmap_symbolic_open(NULL, &canceller.s), TMAP_OK);
        assert_int_equal(pthread_create(&thread, NULL, cancel_all_the_time, &canceller), 0);
        for (int i = 0; i < 20; i++) {
            enum tmap_status status = i % 2 ? tmap_certify(canceller.s, &checker, &claim, &proof,
                                                           NULL, 0, &found, NULL, 0, NULL)
                                            : everything(canceller.s, &c, text);
            if (status == TMAP_OK || status == TMAP_E_NOT_BUILT) continue;
            assert_int_equal(status, TMAP_E_BUDGET);
            assert_non_null(strstr(tmap_symbolic_why(canceller.s), "cancel"));
            cancelled++;
        }
        atomic_store(&canceller.done, true);
        pthread_join(thread, NULL);
        assert_int_equal(everything(canceller.s, &c, text), TMAP_OK);
        tmap_symbolic_close(canceller.s);
    }
    assert_true(cancelled > 0);
    case_close(&c);
}

// --- one condition, many threads --------------------------------------------------------------

enum { SHARERS = 8, FORMS = 7 };

struct shared {
    const struct tmap_condition *condition;
    char expected[FORMS][TEXT];
    atomic_int wrong;
};

static void form_text(struct tmap_symbolic *s, const struct tmap_condition *c, int form, char *at)
{
    size_t length = 0;
    at[0] = 0;
    if (form < 3) {
        tmap_guard_c(s, c, (enum tmap_guard_language)form, "f", at, TEXT, &length);
    } else if (form == 3) {
        tmap_condition_padding(s, c, TMAP_FORM_TEXT, at, TEXT, &length);
    } else {
        tmap_condition_text(s, c,
                            form == 4   ? TMAP_FORM_TEXT
                            : form == 5 ? TMAP_FORM_ISL
                                        : TMAP_FORM_JSON,
                            at, TEXT, &length);
    }
}

static void *share(void *user)
{
    struct shared *all = user;
    struct tmap_symbolic *s;
    char *text = malloc(TEXT);
    if (tmap_symbolic_open(NULL, &s) != TMAP_OK || !text) return NULL;
    for (int i = 0; i < 5 * FORMS; i++) {
        form_text(s, all->condition, i % FORMS, text);
        if (strcmp(text, all->expected[i % FORMS]) != 0) atomic_fetch_add(&all->wrong, 1);
    }
    tmap_symbolic_close(s);
    free(text);
    return NULL;
}

static void one_condition_serves_many_threads(void **state)
{
    static struct shared all;
    pthread_t thread[SHARERS];
    struct symbolic_case c;
    struct tmap_symbolic *s;
    struct tmap_condition *condition;
    (void)state;
    snprintf(c.path, sizeof c.path, "%s", files[3]);
    assert_true(case_open(&c));
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    assert_int_equal(
        tmap_condition_of(s, &c.checker, c.desc, c.n, c.assume, c.n_assume, &condition), TMAP_OK);
    all.condition = condition;
    for (int i = 0; i < FORMS; i++) form_text(s, condition, i, all.expected[i]);
    for (int i = 0; i < SHARERS; i++) pthread_create(&thread[i], NULL, share, &all);
    for (int i = 0; i < SHARERS; i++) pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&all.wrong), 0);
    tmap_condition_free(condition);
    tmap_symbolic_close(s);
    case_close(&c);
}

static void *worker(void *out)
{
    static struct symbolic_case cases[2][CASE_MAX];
    char *text = ((char **)out)[0];
    struct symbolic_case *mine = cases[((char **)out)[1] != NULL];
    struct tmap_symbolic *s;
    size_t n = case_list(mine), used = 0;
    if (tmap_symbolic_open(NULL, &s) != TMAP_OK) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!case_open(&mine[i])) return NULL;
        everything(s, &mine[i], text + used);
        used += strlen(text + used);
        case_close(&mine[i]);
    }
    tmap_symbolic_close(s);
    return text;
}

static void two_threads_give_the_bytes_of_one(void **state)
{
    static char text[3][TEXT * CASE_MAX];
    char *argument[3][2] = {{text[0], NULL}, {text[1], text[1]}, {text[2], NULL}};
    pthread_t thread[2];
    (void)state;
    assert_non_null(worker(argument[2]));
    assert_int_equal(pthread_create(&thread[0], NULL, worker, argument[0]), 0);
    assert_int_equal(pthread_create(&thread[1], NULL, worker, argument[1]), 0);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert_true(strlen(text[2]) > 10000);
    assert_string_equal(text[0], text[2]);
    assert_string_equal(text[1], text[2]);
}

// A child with less memory than the solvers need to start: an error, and the process goes on.
static void solvers_do_not_start_without_memory(void **state)
{
    (void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const struct tmap_desc desc = {.dtype = TMAP_BFLOAT16, .rank = 1};
        struct tmap_target target = tmap_default_target();
        struct tmap_claim claim = {&desc, NULL, 0, 0, false};
        struct rlimit limit = {16 << 20, 16 << 20};
        struct tmap_checker checker;
        struct tmap_symbolic *s;
        enum tmap_proof proof;
        size_t found;
        tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
        if (tmap_symbolic_open(NULL, &s) != TMAP_OK) _exit(2);
        setrlimit(RLIMIT_AS, &limit);
        enum tmap_status status =
            tmap_certify(s, &checker, &claim, &proof, NULL, 0, &found, NULL, 0, NULL);
        _exit(status == TMAP_E_MEMORY || status == TMAP_E_NOT_BUILT ? 0 : 1);
    }
    int code = -1;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
#endif
}

static void null_is_an_error_and_freeing_it_is_not(void **state)
{
    size_t length = 5;
    (void)state;
    tmap_symbolic_close(NULL);
    tmap_condition_free(NULL);
    tmap_symbolic_cancel(NULL);
    assert_int_equal(tmap_symbolic_open(NULL, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_condition_of(NULL, NULL, NULL, 0, NULL, 0, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_condition_text(NULL, NULL, TMAP_FORM_TEXT, NULL, 0, &length),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_guard_c(NULL, NULL, TMAP_GUARD_C, "f", NULL, 0, &length),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_certify(NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_diff(NULL, NULL, NULL, NULL, 0, NULL, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(length, 5);
    int64_t values[1] = {7};
    struct tmap_desc desc;
    assert_int_equal(tmap_condition_verdict(NULL), TMAP_UNKNOWN);
    assert_false(tmap_condition_is_never(NULL) || tmap_condition_is_vacuous(NULL));
    assert_string_equal(tmap_condition_reason(NULL), "");
    assert_int_equal(tmap_condition_param_count(NULL), 0);
    assert_null(tmap_condition_param(NULL, 0));
    assert_int_equal(tmap_condition_holds(NULL, values), -1);
    assert_int_equal(tmap_condition_assumed(NULL, values), -1);
    assert_false(tmap_condition_at(NULL, 0, values, &desc));
    assert_false(tmap_condition_counterexample(NULL, values));
    assert_false(tmap_condition_undecided(NULL, values));
    assert_int_equal(tmap_condition_rows(NULL, NULL, 0, &length), TMAP_E_ARGUMENT);
    tmap_symbolic_budget(NULL, 1, 1);
    assert_string_equal(tmap_symbolic_why(NULL), "");
    assert_string_equal(tmap_symbolic_solvers(NULL), "");
    assert_int_equal(values[0], 7);
}

int main(void)
{
    if (lacks_isl("budgets and failures of isl")) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_budget_ends_in_an_answer_or_in_words),
        cmocka_unit_test(every_failing_allocation_is_an_error_and_loses_nothing),
        cmocka_unit_test(certificates_survive_failing_allocations),
        cmocka_unit_test(differences_survive_failing_allocations),
        cmocka_unit_test(every_z3_budget_proves_or_is_undecided),
        cmocka_unit_test(a_cancel_without_a_question_ends_none),
        cmocka_unit_test(cancelled_questions_say_so_and_later_ones_work),
        cmocka_unit_test(one_condition_serves_many_threads),
        cmocka_unit_test(two_threads_give_the_bytes_of_one),
        cmocka_unit_test(solvers_do_not_start_without_memory),
        cmocka_unit_test(null_is_an_error_and_freeing_it_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
