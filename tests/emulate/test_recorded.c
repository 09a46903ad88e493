/* The emulator against an H200: cases that tests/device/emulate/record.c ran there, run again here,
 * and the hash of the bytes that each kernel left compared with the record's. Integers and normal
 * numbers alike have to agree bit by bit.
 *
 * TMAP_RECORDED=all replays every line of the record; without it, some of each instance. Other
 * files: TMAP_RECORD=FILE; TMAP_EMULATE_SHARD=I/N replays one of N parts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/recorded.h"

struct line {
    char what[16], name[64], config[RECORDED_CONFIG];
    unsigned long seed;
    unsigned long long hash;
    size_t bytes;
};

static struct line *lines;
static size_t line_count;
static struct recorded recorded;
static struct emulated *emulator;

static bool read_record(const char *path)
{
    char text[600];
    FILE *f = fopen(path, "r");
    if (!f) return false;
    while (fgets(text, sizeof text, f)) {
        struct line l = {0};
        if (text[0] == '#') continue;
        if (sscanf(text, "%15s %63s %lu %llx %zu %255s", l.what, l.name, &l.seed, &l.hash, &l.bytes,
                   l.config) != 6)
            fail_msg("%s: %s", path, text);
        struct line *larger = realloc(lines, (line_count + 1) * sizeof *lines);
        assert_non_null(larger);
        lines = larger;
        lines[line_count++] = l;
    }
    fclose(f);
    return true;
}

/* Of integers, and of normal numbers, the first; of copies some. */
static bool chosen(const struct line *l)
{
    const char *all = getenv("TMAP_RECORDED");
    uint64_t seeds = 0, first = 0, step = 1;
    emulated_seeds(&seeds, &first, &step);
    if ((size_t)(l - lines) % step != first) return false;
    if (all && strcmp(all, "all") == 0) return true;
    if (strcmp(l->what, "numerics") == 0) return true;
    if (strcmp(l->what, "copy") == 0) return l->seed < 3;
    return l->seed == RECORDED_SHAPES / 2;
}

static size_t instance_named(const struct gemm_instance *of, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(of[i].name, name) == 0) return i;
    return SIZE_MAX;
}

static bool run_product(const struct line *l)
{
    const bool group = strcmp(l->what, "group") == 0;
    const size_t i = group
                         ? instance_named(gemm_group_instances, gemm_group_instance_count, l->name)
                         : instance_named(gemm_instances, gemm_instance_count, l->name);
    if (i == SIZE_MAX) fail_msg("%s is no instance any more: record anew", l->name);
    return group ? recorded_group(&recorded, i, l->seed)
                 : recorded_product(&recorded, i, l->seed, l->config);
}

static bool run_numerics(const struct line *l)
{
    for (size_t i = 0; recorded_numerics_name(i); i++)
        if (strcmp(recorded_numerics_name(i), l->name) == 0)
            return recorded_numerics(&recorded, i, (uint32_t)l->seed);
    return false;
}

static bool run_copy(const struct line *l)
{
    for (size_t i = 0; recorded_copy_name(i); i++)
        if (strcmp(recorded_copy_name(i), l->name) == 0)
            return recorded_copy(&recorded, i, l->seed);
    return false;
}

struct tally {
    size_t run, wrong;
};

static void replay(const struct line *l, bool (*run)(const struct line *l), struct tally *t)
{
    emulator->how.schedule = (enum tmap_emulate_schedule)(l->seed % 3);
    emulator->how.seed = l->seed;
    t->run++;
    const bool ran = run(l);
    const unsigned long long hash = ran ? recorded_hash(recorded.left, recorded.bytes) : 0;
    if (ran && emulator->findings == 0 && hash == l->hash && recorded.bytes == l->bytes) return;
    t->wrong++;
    emulated_print();
    emulated_zero(recorded.gemm->workspaces);
    print_error("# %s %s %lu: %s, %zu findings, %llu wrong, worst %.3g, %zu bytes (%zu), hash "
                "%016llx, the GPU's is "
                "%016llx\n",
                l->what, l->name, l->seed, ran ? "ran" : recorded.what, emulator->findings,
                (unsigned long long)recorded.wrong, recorded.worst, recorded.bytes, l->bytes, hash,
                l->hash);
}

static void replay_all(const char *source, const char *what, bool (*run)(const struct line *l))
{
    struct tally t = {0};
    memset(recorded.gemm->functions, 0, sizeof recorded.gemm->functions);
    for (size_t i = 0; i < line_count; i++)
        if (strcmp(lines[i].what, what) == 0 && chosen(&lines[i]) &&
            (strcmp(what, "copy") == 0 || emulated_function(lines[i].name)))
            replay(&lines[i], run, &t);
    emulated_unload();
    print_message("# %s: %zu cases, %zu differ\n", source, t.run, t.wrong);
    assert_true(t.run > 0 || getenv("TMAP_EMULATE_SHARD"));
    assert_int_equal(t.wrong, 0);
}

static void replay_source(const char *source, const char *what, bool (*run)(const struct line *l))
{
    assert_true(emulated_ptx(source));
    replay_all(source, what, run);
}

static const char *const sources[] = {
    "src/kernels/gemm/sm90/bf16",          "src/kernels/gemm/sm90/bf16_majors",
    "src/kernels/gemm/sm90/bf16_widths",   "src/kernels/gemm/sm90/f16_widths",
    "src/kernels/gemm/sm90/f16",           "src/kernels/gemm/sm90/f16_majors",
    "src/kernels/gemm/sm90/tf32",          "src/kernels/gemm/sm90/e4m3",
    "src/kernels/gemm/sm90/e4m3_promoted", "src/kernels/gemm/sm90/e5m2",
    "src/kernels/gemm/sm90/e5m2_promoted", "src/kernels/gemm/sm90/s8"};
enum { SOURCES = sizeof sources / sizeof *sources };

static void product(void **state)
{
    replay_source(*state, "product", run_product);
}

static void group(void **state)
{
    replay_source(*state, "group", run_product);
}

static void copies(void **state)
{
    (void)state;
    assert_true(emulated_ptx("src/kernels/copy/special"));
    assert_true(emulated_ptx("src/kernels/copy/transpose"));
    replay_source("src/kernels/copy/copy", "copy", run_copy);
}

static void numerics(void **state)
{
    replay_source(*state, "numerics", run_numerics);
}

int main(void)
{
    struct CMUnitTest tests[SOURCES + 3];
    const char *path = getenv("TMAP_RECORD");
    recorded.host_copy = recorded.copy = emulated_copy_suite();
    recorded.host_gemm = recorded.gemm = emulated_gemm_suite();
    emulator = emulated_state();
    if (!recorded.copy || !recorded.gemm || !emulated_ptx("src/kernels/gemm/sm90/bf16") ||
        !emulated_ptx("tests/device/emulate/numerics"))
        return emulated_skip("replay of an H200's record");
    emulated_unload();
    if (getenv("TMAP_RECORDED_MIRROR")) recorded.gpu = &recorded.gemm->gpu.api; /* as record.c */
    if (!read_record(path ? path : "tests/data/emulate/h200.txt")) return 1;
    tests[0] =
        (struct CMUnitTest){"numerics", numerics, NULL, NULL, "tests/device/emulate/numerics"};
    tests[1] = (struct CMUnitTest){"groups", group, NULL, NULL, "src/kernels/gemm/sm90/groups"};
    tests[2] = (struct CMUnitTest){"copies", copies, NULL, NULL, NULL};
    for (size_t i = 0; i < SOURCES; i++)
        tests[3 + i] =
            (struct CMUnitTest){sources[i], product, NULL, NULL, (void *)(uintptr_t)sources[i]};
    const int failed = cmocka_run_group_tests_name("an H200's record", tests, NULL, NULL);
    recorded_end(&recorded);
    emulated_close();
    free(lines);
    return failed;
}
