/* Defects that others had, rebuilt from their public threads (each file says which): every one is
 * found over the extreme schedules and some random ones, by a report that says what the thread's
 * diagnosis says; its control gives none.
 *
 * In a file, lines that end in "//wrong" are the defect's, those that begin with "//right" the
 * control's. TMAP_EMULATE_SEEDS: random schedules of each (10). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ptx_run.h"

enum { BYTES = 16384, MOST_TEXT = 16384 };

static const struct defect {
    const char *name;
    uint32_t threads, ctas, cluster;
    bool overlap;
    enum tmap_emulate_kind kind;
    const char *says[2]; /* both in one report */
} defects[] = {
    {"flashkda-24",
     128,
     1,
     1,
     false,
     TMAP_EMULATE_PROXY,
     {"after a write by st.shared", "no fence.proxy.async lies between them"}},
    {"deepep-657",
     32,
     1,
     1,
     false,
     TMAP_EMULATE_RACE,
     {"write of shared", "after a read by cp.async.bulk.global"}},
    {"thunderkittens-194",
     128,
     2,
     1,
     false,
     TMAP_EMULATE_RACE,
     {"by ld.global", "after a write by cp.async.bulk.global"}},
    {"cccl-5297",
     128,
     1,
     1,
     true,
     TMAP_EMULATE_RACE,
     {"read of data", "before griddepcontrol.wait"}},
    {"mirage-705", 32, 1, 1, false, TMAP_EMULATE_HANG, {"mbarrier", "256 bytes are missing"}},
    {"tilelang-3087",
     96,
     1,
     1,
     false,
     TMAP_EMULATE_RACE,
     {"write of shared", "after a read by ld.shared"}},
    {"fuser-3561",
     160,
     1,
     1,
     false,
     TMAP_EMULATE_RACE,
     {"write of shared", "after a read by wgmma.mma_async"}},
    {"tilelang-2613",
     256,
     1,
     1,
     false,
     TMAP_EMULATE_RACE,
     {"by st.shared", "after a read by wgmma.mma_async"}},
    {"cuda-oxide-1066",
     96,
     1,
     1,
     false,
     TMAP_EMULATE_RACE,
     {"write of shared", "after a read by ld.shared"}},
    {"humming-56",
     64,
     2,
     2,
     false,
     TMAP_EMULATE_RACE,
     {"write of shared", "after a read by ld.shared"}},
    {"flash-attention-182",
     160,
     1,
     1,
     false,
     TMAP_EMULATE_RACE,
     {"tcgen05.st", "after a read by tcgen05.ld"}},
    {"cutlass-3652", 160, 1, 1, false, TMAP_EMULATE_RACE, {"tcgen05.dealloc", "tcgen05.ld"}},
    {"cutlass-2230", 128, 1, 1, false, TMAP_EMULATE_ACCESS, {"tensor memory", "not allocated"}},
};

/* The file's text, or its control. */
static char *text_of(const char *name, bool right)
{
    char path[200], line[400];
    snprintf(path, sizeof path, "tests/data/emulate/defects/%s.ptx", name);
    FILE *f = fopen(path, "r");
    char *text = malloc(MOST_TEXT);
    size_t at = 0;
    if (!f || !text) fail_msg("%s", path);
    while (fgets(line, sizeof line, f)) {
        char *mine = strstr(line, "//right ");
        if (right && strstr(line, "//wrong\n")) line[0] = '\n', line[1] = 0;
        if (right && mine) memset(mine, ' ', strlen("//right "));
        at += (size_t)snprintf(text + at, MOST_TEXT - at, "%s", line);
        assert_true(at < MOST_TEXT);
    }
    fclose(f);
    return text;
}

static bool run(const char *text, const struct defect *d, enum tmap_emulate_schedule schedule,
                uint64_t seed, struct ptx_run *r)
{
    uint8_t data[BYTES] = {0};
    const struct tmap_emulate_launch launch = {.grid = {d->ctas, 1, 1},
                                               .block = {d->threads, 1, 1},
                                               .cluster = {d->cluster, 1, 1},
                                               .schedule = schedule,
                                               .seed = seed,
                                               .budget = 200000,
                                               .overlap = d->overlap,
                                               .tensor_fences = true};
    const bool good = ptx_run_as(text, data, sizeof data, &launch, NULL, r);
    if (r->load != TMAP_OK) fail_msg("%s, line %u: %s", d->name, r->error.line, r->error.text);
    assert_int_equal(r->run, TMAP_OK);
    return good;
}

static bool says_so(const struct defect *d, const struct ptx_run *r)
{
    for (size_t i = 0; i < r->findings && i < PTX_RUN_FINDINGS; i++) {
        const struct tmap_emulate_finding *f = &r->finding[i];
        if (f->kind == d->kind && strstr(f->text, d->says[0]) && strstr(f->text, d->says[1]))
            return true;
    }
    return false;
}

/* How many of the schedules tell of it: both extremes, then seeds. */
static uint64_t found(const struct defect *d, bool right, uint64_t seeds, struct ptx_run *last)
{
    char *text = text_of(d->name, right);
    uint64_t hits = 0;
    for (uint64_t seed = 0; seed < seeds + 2; seed++) {
        struct ptx_run r;
        const bool good = run(
            text, d, seed < 2 ? (enum tmap_emulate_schedule)seed : TMAP_EMULATE_RANDOM, seed, &r);
        hits += right ? !good : says_so(d, &r);
        if (r.findings) *last = r;
    }
    free(text);
    return hits;
}

static void one(void **state)
{
    const struct defect *d = *state;
    const char *more = getenv("TMAP_EMULATE_SEEDS");
    const uint64_t seeds = more ? strtoull(more, NULL, 10) : 10;
    struct ptx_run last = {0};
    uint64_t hits = found(d, false, seeds, &last);
    print_message("# %u of %u schedules: %s: %s\n", (unsigned)hits, (unsigned)seeds + 2,
                  tmap_emulate_kind_name(last.finding[0].kind), last.finding[0].text);
    assert_true(hits > 0);
    hits = found(d, true, seeds, &last);
    if (hits) fail_msg("its control: %s", last.finding[0].text);
}

int main(void)
{
    enum { COUNT = sizeof defects / sizeof *defects };
    struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] =
            (struct CMUnitTest){defects[i].name, one, NULL, NULL, (void *)(uintptr_t)&defects[i]};
    return cmocka_run_group_tests_name("defects of others", tests, NULL, NULL);
}
