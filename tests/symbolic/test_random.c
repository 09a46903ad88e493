// Random symbolic descriptors: the condition against the native check, and how often it is unknown.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/cases.h"

enum { TEXTS = 24, TEXT_SIZE = 40 };

struct made {
    struct tmap_symbolic_desc d;
    char text[TEXTS][TEXT_SIZE];
    size_t n_text;
    int params;
};

static uint64_t below(uint64_t *random, uint64_t n)
{
    return (next_random(random) >> 20) % n;
}

// An expression over at most m.params parameters P0, P1, …
static const char *expression(struct made *m, uint64_t *random)
{
    char *text = m->text[m->n_text++];
    int p = (int)below(random, (uint64_t)m->params), q = (int)below(random, (uint64_t)m->params);
    int c = 1 << below(random, 6), k = (int)below(random, 40) - 8;
    switch (below(random, 7)) {
    case 0:
    case 1:
        snprintf(text, TEXT_SIZE, "P%d", p);
        break;
    case 2:
        snprintf(text, TEXT_SIZE, "%d*P%d", c, p);
        break;
    case 3:
        snprintf(text, TEXT_SIZE, "%d*P%d + %d", c, p, k);
        break;
    case 4:
        snprintf(text, TEXT_SIZE, "P%d + P%d", p, q);
        break;
    case 5:
        snprintf(text, TEXT_SIZE, "%d*P%d*P%d", c, p, q);
        break;
    default:
        snprintf(text, TEXT_SIZE, "%d*(P%d - %d*P%d)", c, p, 1 + k % 3, q);
        break;
    }
    return text;
}

static void pick(struct made *m, uint64_t *random, const char **slot, unsigned chance)
{
    if (m->n_text < TEXTS && below(random, 100) < chance) *slot = expression(m, random);
}

static void make_tiled(struct made *m, uint64_t *random)
{
    struct tmap_desc *d = &m->d.desc;
    for (uint32_t i = 0; i < d->rank; i++) {
        d->box[i] = i ? 1u + (uint32_t)below(random, 16) : 16u << below(random, 3);
        pick(m, random, &m->d.box[i], 12);
    }
}

static void make_im2col(struct made *m, uint64_t *random)
{
    struct tmap_desc *d = &m->d.desc;
    d->channels = 16u << below(random, 3);
    d->pixels = 1u + (uint32_t)below(random, 200);
    pick(m, random, &m->d.channels, 15);
    pick(m, random, &m->d.pixels, 15);
    for (int i = 0; i < 3; i++) {
        d->lower[i] = -(int32_t)below(random, 4);
        d->upper[i] = -(int32_t)below(random, 4);
        pick(m, random, &m->d.lower[i], 15);
        pick(m, random, &m->d.upper[i], 15);
    }
}

static void make(struct made *m, uint64_t *random)
{
    static const int32_t swizzles[] = {0, 0, 1, 2, 3, 3};
    struct tmap_desc *d = &m->d.desc;
    memset(m, 0, sizeof *m);
    m->params = 1 + (int)below(random, 4);
    d->kind = (int32_t)(below(random, 4) == 0);
    d->rank = d->kind ? 3u + (uint32_t)below(random, 3) : 1u + (uint32_t)below(random, 5);
    d->dtype = (int32_t)below(random, 13);
    d->swizzle = swizzles[below(random, 6)];
    d->address = below(random, 1000) * 32;
    if (d->rank > 2 && below(random, 8) == 0) d->interleave = 1 + (int32_t)below(random, 2);
    for (uint32_t i = 0; i < d->rank; i++) {
        d->dim[i] = 1 + below(random, 5000);
        d->elem_stride[i] = below(random, 6) ? 1 : 1u + (uint32_t)below(random, 4);
        pick(m, random, &m->d.dim[i], 50);
        pick(m, random, &m->d.elem_stride[i], 4);
        if (i + 1 < d->rank) d->stride_bytes[i] = (1 + below(random, 5000)) * 32;
        if (i + 1 < d->rank) pick(m, random, &m->d.stride[i], 50);
    }
    pick(m, random, &m->d.address, 5);
    if (d->kind) {
        make_im2col(m, random);
    } else {
        make_tiled(m, random);
    }
}

struct tally {
    long conditions, unknown, undecided, points, legal;
};

static void judge(struct tmap_symbolic *s, const struct symbolic_case *c, uint64_t *random,
                  struct tally *t)
{
    static const char *const assume[] = {"P0 >= 1", "P0 % 8 == 0", "P0 <= 4096"};
    struct tmap_condition *condition;
    size_t from = below(random, 3), n = below(random, 4 - from);
    enum tmap_status status =
        tmap_condition_of(s, &c->checker, c->desc, 1, assume + from, n, &condition);
    t->conditions++;
    if (status == TMAP_E_BUDGET) {
        if (t->undecided++ < 5) print_message("undecided: %s\n", tmap_symbolic_why(s));
        return;
    }
    assert_int_equal(status, TMAP_OK);
    t->unknown += tmap_condition_verdict(condition) == TMAP_UNKNOWN;
    for (int i = 0; i < 60; i++) {
        int64_t values[CASE_PARAMS];
        random_point(random, tmap_condition_param_count(condition), values);
        if (tmap_condition_assumed(condition, values) != 1) continue;
        int truth = native_legal(condition, c, values);
        if (tmap_condition_holds(condition, values) != truth) fail_msg("the check says %d", truth);
        t->points++;
        t->legal += truth;
    }
    tmap_condition_free(condition);
}

static void random_conditions_hold_exactly(void **state)
{
    struct symbolic_case c = {.n = 1};
    struct tmap_target target = tmap_default_target();
    struct tmap_symbolic *s;
    struct tally t = {0};
    uint64_t random = 20221;
    long n = points_wanted(300);
    (void)state;
    if (n > 10000) n = 10000;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c.checker);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    for (long i = 0; i < n; i++) {
        static struct made m;
        make(&m, &random);
        c.desc[0] = m.d;
        judge(s, &c, &random, &t);
    }
    print_message("%ld conditions, %ld of them undecided and %ld with an unknown verdict; "
                  "%ld points, %ld of them legal, 0 differences\n",
                  t.conditions, t.undecided, t.unknown, t.points, t.legal);
    assert_true((t.undecided + t.unknown) * 50 <= t.conditions);
    assert_true(t.legal > 0);
    tmap_symbolic_close(s);
}

int main(void)
{
    if (lacks_isl("random conditions")) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_conditions_hold_exactly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
