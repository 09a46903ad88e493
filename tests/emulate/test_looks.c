/* mbarrier.test_wait, whose answers take turns while somebody records: what the record shows of a
 * kernel is what it does after a no, and after a yes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/ptx_run.h"

enum { LOOKS = 4 };

/* Thread 0 looks LOOKS times at a phase that thread 32 ends some thousand instructions later, or at
 * once, and stores the answers. */
static const char looks[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 8 .b64 bar[1];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<6>; .reg .b32 %r<6>; .reg .b64 %d<2>; .reg .b32 %id;\n"
    "ld.param.u64 %d0, [p]; ld.global.u32 %r4, [%d0]; mov.u32 %id, %tid.x; mov.u32 %r0, bar;\n"
    "setp.ne.u32 %p1, %id, 0;\n"
    "@!%p1 mbarrier.init.shared::cta.b64 [%r0], 1;\n"
    "bar.sync 0;\n"
    "@!%p1 bra look; setp.ne.u32 %p2, %id, 32; @%p2 bra out; mov.u32 %r1, 0;\n"
    "spin: setp.ge.u32 %p3, %r1, %r4; @%p3 bra arrive; add.u32 %r1, %r1, 1; bra spin;\n"
    "arrive: mbarrier.arrive.shared::cta.b64 _, [%r0]; bra out;\n"
    "look: mov.u32 %r1, 0;\n"
    "again: mbarrier.test_wait.parity.shared::cta.b64 %p4, [%r0], 0;\n"
    "selp.u32 %r2, 1, 0, %p4; st.global.u32 [%d0], %r2; add.u64 %d0, %d0, 4;\n"
    "add.u32 %r1, %r1, 1; setp.lt.u32 %p5, %r1, 4; @%p5 bra again;\n"
    "out: ret;\n}\n";

/* The answers as a number: the first is its highest digit. */
static unsigned answers(uint32_t spins, bool recorded, uint64_t seed)
{
    uint32_t data[LOOKS] = {spins};
    struct tmap_emulate_record *record = NULL;
    struct ptx_run r;
    const struct tmap_emulate_launch launch = {.grid = {1, 1, 1},
                                               .block = {64, 1, 1},
                                               .schedule = TMAP_EMULATE_EARLIEST,
                                               .seed = seed,
                                               .no_races = true};
    assert_true(recorded ? ptx_run_recorded(looks, data, sizeof data, &launch, 0, &record, &r)
                         : ptx_run_as(looks, data, sizeof data, &launch, NULL, &r));
    tmap_emulate_record_free(record);
    return data[0] * 1000 + data[1] * 100 + data[2] * 10 + data[3];
}

static void in_turn(void **state)
{
    (void)state;
    assert_int_equal(answers(1000, false, 0), 0);
    assert_int_equal(answers(1000, true, 0), 101);
    assert_int_equal(answers(1000, true, 1), 1010);
    assert_int_equal(answers(0, true, 0), 101);
    assert_int_equal(answers(0, true, 7), 1010);
    /* Nobody can look so late: the answer is no. */
    assert_int_equal(answers(1000000, true, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_turn)};
    return cmocka_run_group_tests_name("looks", tests, NULL, NULL);
}
