/* clusterlaunchcontrol on the emulator: clusters of two that take over the work of clusters that
 * were not launched, until there is none (tests/data/ptx/take_over_sm_100.ptx, by nvcc 13.0 of a
 * kernel that adds one to the cell of its work, asks, reads the answer and begins again). Every
 * cell is one whatever runs at one time; and what the text is broken in is found. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/edit.h"
#include "support/ptx_run.h"

enum { CELLS = 40, MOST_TEXT = 1 << 16 };

static char *text_of(const char *path)
{
    char *text = calloc(1, MOST_TEXT);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_true(text && fread(text, 1, MOST_TEXT - 1, f) > 0);
    fclose(f);
    return text;
}

struct outcome {
    struct ptx_run run;
    uint32_t wrong;
};

/* Runs the text with the first `from` in it replaced (NULL: as it is). */
static struct outcome run(const char *from, const char *to, uint32_t residents,
                          enum tmap_emulate_schedule schedule, uint64_t seed)
{
    struct outcome o = {.wrong = 0};
    uint32_t cells[CELLS] = {0};
    char *text = text_of("tests/data/ptx/take_over_sm_100.ptx");
    const struct tmap_emulate_launch launch = {.kernel = "take_over",
                                               .grid = {CELLS, 1, 1},
                                               .block = {64, 1, 1},
                                               .schedule = schedule,
                                               .seed = seed,
                                               .budget = 200000,
                                               .residents = residents};
    if (from) edit_text(text, MOST_TEXT, &(struct edit){from, to});
    ptx_run_as(text, cells, sizeof cells, &launch, NULL, &o.run);
    if (o.run.load != TMAP_OK) fail_msg("line %u: %s", o.run.error.line, o.run.error.text);
    assert_int_equal(o.run.run, TMAP_OK);
    for (int i = 0; i < CELLS; i++) o.wrong += cells[i] != 1;
    free(text);
    return o;
}

static void every_cell_is_one(void **state)
{
    (void)state;
    for (uint32_t residents = 2; residents <= 64; residents *= 2)
        for (uint64_t seed = 0; seed < 30; seed++) {
            const struct outcome o =
                run(NULL, NULL, residents, (enum tmap_emulate_schedule)(seed % 3), seed);
            if (o.run.findings || o.wrong)
                fail_msg("%u CTAs at a time, seed %u: %u cells wrong, %s", residents,
                         (unsigned)seed, o.wrong,
                         o.run.findings ? o.run.finding[0].text : "no finding");
        }
}

/* Breaks the text; silent: the cells alone tell. */
static const struct fault {
    const char *name, *from, *to;
    bool silent;
} faults[] = {
    {"the answer's bytes are not expected",
     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r12], 16",
     "mbarrier.arrive.shared::cta.b64 _, [%r12]", false},
    {"the first CTA of nothing is asked for", "@p clusterlaunchcontrol", "clusterlaunchcontrol",
     false},
    {"one block of the cluster gets the answer", ".multicast::cluster::all", "", false},
    {"the answer is read before it is there",
     "W: mbarrier.try_wait.parity.shared::cta.b64 p, [%r16], %r23; @!p bra W;", "", false},
    {"no fence after mbarrier.init", "fence.mbarrier_init.release.cluster;", "", false},
    {"a cancelled cluster's work is never done", "selp.u32 %r18, 1, 0, p;", "mov.u32 %r18, 0;",
     true},
    {"a cancelled cluster's work is done by its first block alone", "add.s32 \t%r22, %r22, %r9;",
     "", true},
};

static void faults_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        uint32_t found = 0, shown = 0;
        for (uint64_t seed = 0; seed < 6; seed++) {
            const struct outcome o =
                run(faults[i].from, faults[i].to, 4, (enum tmap_emulate_schedule)(seed % 3), seed);
            if (o.run.findings && !found)
                print_message("# %s: %.150s\n", faults[i].name, o.run.finding[0].text);
            found += o.run.findings != 0;
            shown += o.run.findings || o.wrong;
        }
        if (faults[i].silent ? !shown : !found) fail_msg("%s: not found", faults[i].name);
    }
}

/* What nobody uses does no harm: a report, and every cell is right. */
static void an_answer_in_vain_is_told(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        const struct outcome o = run("@p clusterlaunchcontrol", "clusterlaunchcontrol", 4,
                                     (enum tmap_emulate_schedule)(seed % 3), seed);
        assert_int_equal(o.run.findings, 1);
        assert_int_equal(o.run.finding[0].kind, TMAP_EMULATE_ILLEGAL);
        assert_int_equal(o.wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_cell_is_one),
                                       cmocka_unit_test(an_answer_in_vain_is_told),
                                       cmocka_unit_test(faults_are_found)};
    return cmocka_run_group_tests_name("work taken over", tests, NULL, NULL);
}
