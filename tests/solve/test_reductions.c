/* The reductions of the protocol's state space against the exploration without them: protocols
 * spoiled at random have a fault under both, or under neither. TMAP_SPOILED=N. */
#include "solve/machine.h"
#include "support/splitmix.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define WORKSPACE ((size_t)24 << 20)

static const struct small {
    enum tmap_design design;
    uint32_t stages, consumers;
} small[] = {
    {TMAP_DESIGN_RING, 1, 1},      {TMAP_DESIGN_RING, 2, 2},
    {TMAP_DESIGN_COPY, 2, 0},      {TMAP_DESIGN_GEMM_SM90, 1, 1},
    {TMAP_DESIGN_GEMM_SM90, 2, 1}, {TMAP_DESIGN_GEMM_SM100, 2, 0},
    {TMAP_DESIGN_EPILOGUE, 1, 0},  {TMAP_DESIGN_GEMM_SM100_TMEM, 2, 0},
};

static uint64_t below(uint64_t *s, uint64_t n)
{
    return n ? splitmix(s) % n : 0;
}

/* The parts of programs that hold step i stay as long as they are: a step that is left out becomes
 * one that is skipped. */
static void spoil(struct tmap_protocol *p, uint64_t *seed)
{
    const uint64_t i = below(seed, p->step_count), k = below(seed, p->step_count);
    struct tmap_step *t = &p->step[i];
    const struct tmap_step was = *t;
    switch (below(seed, 8)) {
    case 0:
        t->when = UINT8_MAX;
        break;
    case 1:
        *t = p->step[k];
        break;
    case 2:
        *t = p->step[k];
        p->step[k] = was;
        break;
    case 3:
        t->bytes = below(seed, 2) ? t->bytes / 2 : t->bytes * 2;
        break;
    case 4:
        t->back ^= 1;
        break;
    case 5:
        t->ctas = (uint8_t)below(seed, UINT64_C(1) << p->ctas);
        break;
    case 6:
        t->when = (uint8_t)below(seed, 3);
        break;
    default:
        p->barrier[below(seed, p->barrier_count)].count = (uint8_t)(1 + below(seed, 3));
        break;
    }
}

static struct tmap_protocol_result ordered(const struct tmap_protocol *p, void *memory)
{
    struct tmap_protocol_result r;
    char trace[4096];
    assert_int_equal(explore_ordered(p, memory, WORKSPACE, &r, trace, sizeof trace), TMAP_OK);
    return r;
}

static void test_both_find_a_fault_or_neither(void **state)
{
    const char *wanted = getenv("TMAP_SPOILED");
    const long n = wanted ? atol(wanted) : 600;
    void *memory = malloc(WORKSPACE);
    static char trace[1 << 14];
    uint64_t seed = 8;
    long faults = 0, sound = 0, unknown = 0, refused = 0, one_run[2] = {0, 0};
    (void)state;
    assert_non_null(memory);
    for (long i = 0; i < n; i++) {
        const struct small *d = &small[below(&seed, sizeof small / sizeof *small)];
        const struct tmap_design_options o = {
            .design = d->design, .stages = d->stages, .consumers = d->consumers};
        struct tmap_protocol p;
        struct tmap_protocol_result with, without;
        assert_int_equal(tmap_protocol_design(&o, &p), TMAP_OK);
        p.started = below(&seed, 2);
        for (uint64_t k = 1 + below(&seed, 2); k > 0; k--) spoil(&p, &seed);
        if (explore_protocol(&p, false, memory, WORKSPACE, &with, NULL, 0) != TMAP_OK) {
            refused++; /* it refers outside itself */
            continue;
        }
        assert_int_equal(
            explore_protocol(&p, true, memory, WORKSPACE, &without, trace, sizeof trace), TMAP_OK);
        if (with.verdict == TMAP_UNKNOWN || without.verdict == TMAP_UNKNOWN) {
            unknown++;
            continue;
        }
        if (with.verdict != without.verdict)
            fail_msg("%s %ld: with %s (%s), without %s (%s)", p.name, i,
                     tmap_hazard_name(with.fault), with.detail, tmap_hazard_name(without.fault),
                     without.detail);
        const struct tmap_protocol_result first = ordered(&p, memory);
        if (first.verdict != TMAP_UNKNOWN && first.verdict != with.verdict)
            fail_msg("%s %ld: by one run %s (%s), by all %s (%s)\n%s", p.name, i,
                     tmap_hazard_name(first.fault), first.detail, tmap_hazard_name(with.fault),
                     with.detail, trace);
        one_run[with.verdict == TMAP_LEGAL] += first.verdict != TMAP_UNKNOWN;
        faults += with.verdict == TMAP_ILLEGAL;
        sound += with.verdict == TMAP_LEGAL;
    }
    print_message(
        "# %ld spoiled protocols: %ld with a fault, %ld without, under both; %ld undecided, "
        "%ld refused\n",
        n, faults, sound, unknown, refused);
    print_message("# by one run of each word: %ld of those with a fault, %ld of those without\n",
                  one_run[0], one_run[1]);
    assert_true(faults * 5 > n && sound * 20 > n);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_find_a_fault_or_neither)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
