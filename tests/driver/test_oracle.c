/* The oracle against the stand-in: agreement where there is, disagreements found, shrunk and the
 * same for every number of threads; a corpus written, read, replayed, and broken byte by byte. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "driver/generate.h"
#include "tmap/driver.h"

#define COUNT 200000

static struct tmap_driver *open_fake(void)
{
    const char *build = getenv("B");
    char path[4096], why[TMAP_DRIVER_TEXT] = "";
    struct tmap_driver *driver;
    snprintf(path, sizeof path, "%s/tests/driver/libfakecuda.so", build ? build : "build");
    if (tmap_driver_open(path, 0, &driver, why) != TMAP_OK) fail_msg("%s", why);
    return driver;
}

static struct tmap_oracle_result *run(const char *mode, uint64_t seed, unsigned threads)
{
    struct tmap_driver *driver = open_fake();
    const struct tmap_oracle_options options = {.count = COUNT, .seed = seed, .threads = threads};
    struct tmap_oracle_result *result = calloc(1, sizeof *result);
    setenv("FAKE_CUDA", mode, 1);
    assert_int_equal(tmap_oracle_run(driver, &options, result), TMAP_OK);
    unsetenv("FAKE_CUDA");
    tmap_driver_close(driver);
    return result;
}

static void the_observed_model_agrees(void **state)
{
    (void)state;
    struct tmap_oracle_result *r = run("", 1, 2);
    assert_int_equal(r->verdict_disagreements, 0);
    assert_int_equal(r->byte_disagreements, 0);
    assert_int_equal(r->refused_but_written, 0);
    assert_int_equal(r->count + r->not_asked, (COUNT + 2047) / 2048 * 2048);
    assert_true(r->distinct_at_least > r->count * 95 / 100);
    assert_true(r->bound_count > r->count / 5);
    for (int k = 0; k < 3; k++) assert_true(r->by_kind[k][0] > 1000 && r->by_kind[k][1] > 1000);
    free(r);
}

/* Every row of the descriptor that the contract `driver` enforces is tried on both sides. */
static void every_enforced_row_is_tried_on_both_sides(void **state)
{
    (void)state;
    struct tmap_oracle_result *r = run("", 2, 2);
    const struct tmap_target target = tmap_default_target();
    struct generator g;
    assert_int_equal(generator_open(&g, &target, 2, 200000, NULL, 0), TMAP_OK);
    size_t known = 0;
    for (size_t row = 0; row < tmap_row_count(); row++) {
        if (g.rows[row].pair_count == 0) continue;
        known++;
        if (r->row_side[row][0] == 0 || r->row_side[row][1] == 0)
            fail_msg("%s %s: inside %llu, outside %llu", tmap_row_id((tmap_row)row),
                     tmap_row_name((tmap_row)row), (unsigned long long)r->row_side[row][0],
                     (unsigned long long)r->row_side[row][1]);
    }
    assert_true(known > 40);
    generator_close(&g);
    free(r);
}

static void a_wrong_verdict_is_found_and_shrunk(void **state)
{
    (void)state;
    struct tmap_oracle_result *r = run("wrong", 3, 1);
    assert_true(r->verdict_disagreements > 0);
    assert_true(r->kept_count > 0);
    const struct tmap_desc *d = &r->kept[0].shrunk;
    assert_int_equal(d->kind, TMAP_TILED);
    assert_int_equal(d->address, 0);
    assert_int_equal(d->dim[0], 1);
    bool has_255 = false;
    for (uint32_t i = 0; i < d->rank && i < TMAP_MAX_RANK; i++) has_255 |= d->box[i] == 255;
    assert_true(has_255);
    assert_int_equal(r->kept[0].verdict, TMAP_LEGAL);
    assert_int_equal(r->kept[0].result, 1);
    free(r);
}

static void a_wrong_bit_is_found(void **state)
{
    (void)state;
    struct tmap_oracle_result *r = run("wrong_bytes", 4, 1);
    assert_int_equal(r->verdict_disagreements, 0);
    assert_true(r->byte_disagreements > 0);
    assert_true(r->kept[0].bytes);
    assert_int_equal(r->kept[0].driver_map.word[1] ^ r->kept[0].tmap_map.word[1], 1u << 21);
    free(r);
}

static void threads_do_not_change_the_sequence(void **state)
{
    (void)state;
    struct tmap_oracle_result *one = run("", 5, 1), *three = run("", 5, 3), *other = run("", 6, 1);
    assert_memory_equal(one->by_kind, three->by_kind, sizeof one->by_kind);
    assert_memory_equal(one->row_side, three->row_side, sizeof one->row_side);
    assert_memory_not_equal(one->by_kind, other->by_kind, sizeof one->by_kind);
    free(one);
    free(three);
    free(other);
}

static void processes_do_not_either(void **state)
{
    (void)state;
    const char *build = getenv("B");
    char path[4096], why[TMAP_DRIVER_TEXT];
    const struct tmap_oracle_options options = {.count = COUNT, .seed = 5, .threads = 3};
    struct tmap_oracle_result *one = run("", 5, 1), *three = calloc(1, sizeof *three);
    assert_non_null(three);
    snprintf(path, sizeof path, "%s/tests/driver/libfakecuda.so", build ? build : "build");
    assert_int_equal(tmap_oracle_run_processes(path, 0, &options, three, why), TMAP_OK);
    assert_memory_equal(one->by_kind, three->by_kind, sizeof one->by_kind);
    assert_memory_equal(one->row_side, three->row_side, sizeof one->row_side);
    assert_int_equal(one->distinct_at_least, three->distinct_at_least);
    setenv("FAKE_CUDA", "wrong_bytes", 1);
    assert_int_equal(tmap_oracle_run_processes(path, 0, &options, three, why), TMAP_OK);
    assert_true(three->byte_disagreements > 0 && three->kept_count > 0);
    setenv("FAKE_CUDA", "nodevice", 1);
    assert_int_equal(tmap_oracle_run_processes(path, 0, &options, three, why), TMAP_E_NO_DEVICE);
    assert_non_null(strstr(why, "sees no GPU"));
    unsetenv("FAKE_CUDA");
    free(one);
    free(three);
}

/* --- the corpus ------------------------------------------------------------------------------*/

static void temporary(char *path, size_t size)
{
    snprintf(path, size, "%s/tmap-corpus-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

static void record(const char *path)
{
    struct tmap_driver *driver = open_fake();
    const struct tmap_record_options options = {
        .path = path, .seed = 1, .cases_a_row = 5, .legal_maps = 50, .date = "2026-01-01"};
    assert_int_equal(tmap_corpus_record(driver, &options), TMAP_OK);
    tmap_driver_close(driver);
}

static void remove_both(const char *path)
{
    char manifest[4200];
    snprintf(manifest, sizeof manifest, "%s.json", path);
    remove(manifest);
    remove(path);
}

static long size_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

/* What cannot be written to its end is not begun: the record of before stays. */
static void a_record_is_whole_or_the_one_of_before(void **state)
{
    (void)state;
    char path[4000], part[4096];
    struct rlimit before, little;
    temporary(path, sizeof path);
    snprintf(part, sizeof part, "%s.part", path);
    record(path);
    const long whole = size_of(path);
    assert_true(whole > 1000);
    struct tmap_driver *driver = open_fake();
    const struct tmap_record_options options = {
        .path = path, .seed = 2, .cases_a_row = 7, .legal_maps = 80, .date = "2026-01-02"};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (long room = 0; room < whole; room += whole / 3) {
        little = (struct rlimit){(rlim_t)room, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        const enum tmap_status s = tmap_corpus_record(driver, &options);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_not_equal(s, TMAP_OK);
        assert_int_equal(size_of(path), whole);
        assert_int_equal(size_of(part), -1);
    }
    tmap_driver_close(driver);
    remove_both(path);
}

static void what_is_recorded_replays(void **state)
{
    (void)state;
    char path[4096];
    struct tmap_corpus *corpus;
    struct tmap_corpus_result r;
    const struct tmap_target target = tmap_default_target();
    temporary(path, sizeof path);
    record(path);
    assert_int_equal(tmap_corpus_open(path, &corpus), TMAP_OK);
    assert_int_equal(tmap_corpus_replay(corpus, &target, &r), TMAP_OK);
    assert_int_equal(r.verdict_differences, 0);
    assert_int_equal(r.byte_differences, 0);
    assert_true(r.cases > 1000 && r.accepted > 150);
    assert_int_equal(tmap_corpus_replay(corpus, &target, &r), TMAP_OK); /* again, from the start */
    tmap_corpus_close(corpus);
    remove_both(path);
}

static bool replays(const char *path)
{
    struct tmap_corpus *corpus;
    struct tmap_corpus_result r;
    const struct tmap_target target = tmap_default_target();
    if (tmap_corpus_open(path, &corpus) != TMAP_OK) return false;
    const bool fine = tmap_corpus_replay(corpus, &target, &r) == TMAP_OK &&
                      r.verdict_differences == 0 && r.byte_differences == 0;
    tmap_corpus_close(corpus);
    return fine;
}

static void write_bytes(const char *path, const unsigned char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Cut off anywhere it does not read; a flipped byte is survived and, but for what no rule reads,
 * seen (the manifest's hash sees every one). */
static void broken_files_are_survived(void **state)
{
    (void)state;
    char path[4096];
    static unsigned char data[1 << 20];
    temporary(path, sizeof path);
    record(path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof data);
    for (size_t cut = 0; cut < size; cut += size / 40) {
        write_bytes(path, data, cut);
        assert_false(replays(path));
    }
    unsigned seen = 0;
    for (size_t at = 0, n = 0; n < 100; n++, at = n * (size / 101)) {
        data[at] ^= 0x15;
        write_bytes(path, data, size);
        seen += !replays(path);
        data[at] ^= 0x15;
    }
    assert_true(seen > 60);
    remove_both(path);
    assert_false(replays("/nonexistent"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_observed_model_agrees),
        cmocka_unit_test(every_enforced_row_is_tried_on_both_sides),
        cmocka_unit_test(a_wrong_verdict_is_found_and_shrunk),
        cmocka_unit_test(a_wrong_bit_is_found),
        cmocka_unit_test(threads_do_not_change_the_sequence),
        cmocka_unit_test(processes_do_not_either),
        cmocka_unit_test(a_record_is_whole_or_the_one_of_before),
        cmocka_unit_test(what_is_recorded_replays),
        cmocka_unit_test(broken_files_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
