/* Any thread may ask anything at any time: sixteen at once, over the same descriptors, checkers and
 * rows, answer what one alone answers. Run under a thread sanitizer by `make tsan`. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/check_set.h"
#include "tmap/tmap.h"

#define THREADS 16
#define DESCS 512
#define VIOLATIONS 8

struct answer {
    enum tmap_verdict verdict;
    size_t found;
    struct tmap_violation violation[VIOLATIONS];
    struct tmap_detail detail[VIOLATIONS];
    enum tmap_status encoded;
    struct tmap_map map;
    struct tmap_layout layout;
};

struct shared {
    struct tmap_desc descs[CHECK_SET];
    struct tmap_checker checker;
    struct answer *alone;
};

static void ask(const struct shared *s, size_t i, struct answer *a)
{
    memset(a, 0, sizeof *a); /* padding too: answers are compared as bytes */
    tmap_check_with(&s->checker, &s->descs[i], a->violation, VIOLATIONS, &a->found, &a->verdict);
    for (size_t k = 0; k < a->found && k < VIOLATIONS; k++)
        tmap_detail_of(&s->checker.target, &s->descs[i], NULL, &a->violation[k], &a->detail[k]);
    a->encoded = tmap_encode(&s->checker, &s->descs[i], &a->map);
    tmap_layout(&s->checker, &s->descs[i], &a->layout);
}

struct worker {
    const struct shared *shared;
    size_t first;
    size_t different;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    struct answer *a = malloc(sizeof *a);
    for (size_t k = 0; a && k < DESCS; k++) {
        const size_t i = (w->first + k) % DESCS;
        ask(w->shared, i, a);
        if (memcmp(a, &w->shared->alone[i], sizeof *a) != 0) w->different++;
    }
    if (!a) w->different = DESCS;
    free(a);
    return NULL;
}

static void sixteen_threads_answer_as_one(void **state)
{
    (void)state;
    struct shared *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->alone = calloc(DESCS, sizeof *s->alone);
    assert_non_null(s->alone);
    check_set_make(s->descs);
    const struct tmap_target target = tmap_default_target();
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &s->checker), TMAP_OK);
    size_t illegal = 0;
    for (size_t i = 0; i < DESCS; i++) {
        ask(s, i, &s->alone[i]);
        illegal += s->alone[i].verdict == TMAP_ILLEGAL;
    }
    assert_true(illegal > DESCS / 4 && illegal < DESCS);

    pthread_t thread[THREADS];
    struct worker worker[THREADS];
    for (size_t t = 0; t < THREADS; t++) {
        worker[t] = (struct worker){s, t * DESCS / THREADS, 0};
        assert_int_equal(pthread_create(&thread[t], NULL, work, &worker[t]), 0);
    }
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_int_equal(worker[t].different, 0);
    }
    free(s->alone);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sixteen_threads_answer_as_one)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
