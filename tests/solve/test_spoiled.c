/* The self-check against the plain loop: plans of drawn requests, each spoiled in one member. What
 * the self-check still takes, the loop must find right: a sound check may refuse a right plan, and
 * never takes a wrong one. */
#include "support/plan_draw.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* The members of a plan that say what is copied whence and where to. */
struct member {
    const char *name;
    size_t at, size, count, step;
};
#define ONE(m)                                                                                     \
    {                                                                                              \
#m, offsetof(struct tmap_plan, m), sizeof((struct tmap_plan *)0)->m, 1, 0                  \
    }
#define EACH(m)                                                                                    \
    {                                                                                              \
#m, offsetof(struct tmap_plan, m),                                                         \
            sizeof((struct tmap_plan *)0)                                                          \
                ->m[0], TMAP_MAX_RANK, sizeof((struct tmap_plan *)0)->m[0]                         \
    }
#define OF_DIM(m)                                                                                  \
    {                                                                                              \
#m, offsetof(struct tmap_plan, dim[0].m),                                                  \
            sizeof((struct tmap_plan *)0)->dim[0].m, TMAP_MAX_RANK, sizeof(struct tmap_plan_dim)   \
    }
#define COEF(v)                                                                                    \
    {                                                                                              \
        "coef[" #v "]", offsetof(struct tmap_plan, dim[0].coef[v]), sizeof(uint64_t),              \
            TMAP_MAX_RANK, sizeof(struct tmap_plan_dim)                                            \
    }
static const struct member members[] = {
    ONE(desc.kind),
    ONE(desc.dtype),
    ONE(desc.rank),
    ONE(desc.address),
    EACH(desc.dim),
    EACH(desc.stride_bytes),
    EACH(desc.box),
    EACH(desc.elem_stride),
    {"desc.lower", offsetof(struct tmap_plan, desc.lower), sizeof(int32_t), 3, sizeof(int32_t)},
    {"desc.upper", offsetof(struct tmap_plan, desc.upper), sizeof(int32_t), 3, sizeof(int32_t)},
    ONE(desc.channels),
    ONE(desc.pixels),
    ONE(desc.interleave),
    ONE(desc.mode),
    ONE(desc.oob_fill),
    COEF(0),
    COEF(1),
    COEF(2),
    COEF(3),
    COEF(4),
    OF_DIM(slice),
    OF_DIM(div),
    OF_DIM(mod),
    OF_DIM(round),
    OF_DIM(shift),
    OF_DIM(copies),
    OF_DIM(step),
    OF_DIM(tail),
    EACH(part_coef),
    ONE(part_slice),
    ONE(part_of),
    ONE(copies),
    ONE(cost.extra_instructions),
    ONE(slot_bytes),
    ONE(tx_bytes),
    ONE(allocation_bytes),
    EACH(grain),
};
enum { MEMBERS = sizeof members / sizeof members[0], VALUES = 8 };

static uint64_t get(const struct tmap_plan *p, const struct member *m, size_t i)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)p + m->at + i * m->step, m->size);
    return value;
}

static void put(struct tmap_plan *p, const struct member *m, size_t i, uint64_t value)
{
    memcpy((char *)p + m->at + i * m->step, &value, m->size);
}

static uint64_t other(uint64_t value, int how)
{
    const uint64_t to[VALUES] = {0,         1,         value + 1,  value - 1,
                                 value * 2, value / 2, value + 16, UINT64_MAX};
    return to[how];
}

struct trial {
    struct tmap_checker checker;
    struct drawn_repair drawn;
    struct tmap_plan plan;
    uint64_t *seed;
    long refused, right, illegal;
};

/* With another number of copies along one dimension, what follows from it. */
static void count_again(struct tmap_plan *p)
{
    uint64_t copies = 1;
    for (uint32_t i = 0; i < p->desc.rank && i < TMAP_MAX_RANK; i++) copies *= p->dim[i].copies;
    if (copies > 0 && copies <= 4096 && p->copies > 0) {
        p->tx_bytes = p->tx_bytes / p->copies * copies;
        p->copies = (uint32_t)copies;
        p->cost.extra_instructions = copies - 1;
    }
}

static const char *judge(struct trial *t, const struct tmap_plan *q)
{
    const struct tmap_desc decided = decided_request(&t->drawn.desc, q);
    const bool store = t->drawn.how.op == TMAP_OP_STORE;
    if (tmap_plan_check(&t->drawn.desc, &t->drawn.how, q)) {
        t->refused++;
        return NULL;
    }
    if (tmap_verdict_of(&t->checker, &q->desc) != TMAP_LEGAL || t->drawn.desc.kind != TMAP_TILED) {
        t->illegal++;
        return NULL;
    }
    long ran = 0;
    const char *wrong = store ? store_is_wrong(&t->checker, &decided, q, t->seed, &ran)
                              : plan_is_wrong(&t->checker, &t->drawn.desc, q, t->seed, 2, 64);
    /* Its coordinates are not legal: a row says so, or the simulator refuses the store. */
    const bool row = wrong && (strncmp(wrong, "TMA", 3) == 0 ||
                               strncmp(wrong, "the store does not run", 22) == 0);
    if (row)
        t->illegal++;
    else
        t->right++;
    return row ? NULL : wrong;
}

static void spoil_each_member(struct trial *t, long number)
{
    for (size_t m = 0; m < MEMBERS; m++)
        for (size_t i = 0; i < members[m].count && i <= t->plan.desc.rank; i++)
            for (int how = 0; how < 2 * VALUES; how++) {
                struct tmap_plan q = t->plan;
                put(&q, &members[m], i, other(get(&q, &members[m], i), how % VALUES));
                if (how >= VALUES) count_again(&q);
                if (memcmp(&q, &t->plan, sizeof q) == 0) continue;
                const char *wrong = judge(t, &q);
                if (wrong)
                    fail_msg("request %ld, %s, number %zu, %llu for %llu: taken, but %s", number,
                             members[m].name, i, (unsigned long long)get(&q, &members[m], i),
                             (unsigned long long)get(&t->plan, &members[m], i), wrong);
            }
}

static long number_of(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    return text ? atol(text) : otherwise;
}

static void test_what_is_taken_is_right(void **state)
{
    static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
    static struct trial t;
    const long n = number_of("TMAP_SPOILED", 400), from = number_of("TMAP_FROM", 0);
    (void)state;
    for (long i = from; i < from + n; i++) {
        uint64_t seed = (uint64_t)i * 0x9e3779b97f4a7c15 + 1;
        struct tmap_repair_report r;
        t.seed = &seed;
        t.drawn = draw_repair(&seed);
        t.checker = draw_checker(t.drawn.target);
        if (tmap_repair(&t.checker, &t.drawn.desc, &t.drawn.how, workspace, sizeof workspace,
                        &t.plan, 1, &r, NULL) == TMAP_OK &&
            !t.plan.skip)
            spoil_each_member(&t, i);
    }
    print_message("# %ld refused, %ld taken and right, %ld taken and not to be run\n", t.refused,
                  t.right, t.illegal);
    assert_true(t.refused > 100 * n && t.right > n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_taken_is_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
