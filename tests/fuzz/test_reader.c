/* test_reader.c : mutated descriptor files through the reader, the check and every output format.
 *
 * The seeds are the reported failures of examples/descriptors. Whatever the bytes, each record gets
 * one answer, what is printed is JSON where it says so, and nothing is read or kept that should not
 * be (MODE=asan). TMAP_FUZZ=1000000 runs longer; the sequence depends on nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/dump.h"
#include "io/report/report.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "examples/descriptors/failures"
#define MAX_SEEDS 64
#define SEED_BYTES 4096
#define SLACK 1024

struct seed {
    char text[SEED_BYTES];
    size_t size;
};

static struct seed seeds[MAX_SEEDS];
static unsigned seed_count;
static uint64_t random_state = 0x9e3779b97f4a7c15;

static unsigned roll(unsigned below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return below ? (unsigned)((random_state >> 32) % below) : 0;
}

static int by_text(const void *a, const void *b)
{
    return memcmp(((const struct seed *)a)->text, ((const struct seed *)b)->text, SEED_BYTES);
}

static int load_seeds(void **state)
{
    DIR *folder = opendir(FOLDER);
    struct dirent *entry;
    char path[400];
    (void)state;
    while (folder && (entry = readdir(folder)) && seed_count < MAX_SEEDS) {
        if (!strstr(entry->d_name, ".json")) continue;
        snprintf(path, sizeof path, FOLDER "/%s", entry->d_name);
        FILE *in = fopen(path, "rb");
        if (!in) continue;
        seeds[seed_count].size = fread(seeds[seed_count].text, 1, SEED_BYTES, in);
        seed_count += seeds[seed_count].size > 0;
        fclose(in);
    }
    if (folder) closedir(folder);
    qsort(seeds, seed_count, sizeof *seeds, by_text); /* readdir's order is the disk's */
    return seed_count > 0 ? 0 : -1;
}

static const char *const tokens[] = {"null",
                                     "-1",
                                     "\"0xffffffffffffffff\"",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     "\"",
                                     "\\",
                                     "18446744073709551616",
                                     "\"dim\"",
                                     "\"kind\":\"im2col\",",
                                     "1e99",
                                     "\n",
                                     "\"uses\":[{\"op\":\"replace\"}],"};
#define TOKENS (sizeof tokens / sizeof tokens[0])

static void splice(char *text, size_t *size, size_t at, const char *token)
{
    const size_t length = strlen(token);
    if (*size + length > SEED_BYTES + SLACK) return;
    memmove(text + at + length, text + at, *size - at);
    memcpy(text + at, token, length);
    *size += length;
}

static size_t mutate(char *text)
{
    const struct seed *seed = &seeds[roll(seed_count)];
    size_t size = seed->size;

    memcpy(text, seed->text, size);
    for (unsigned n = 1 + roll(6); n > 0 && size > 32; n--) {
        const size_t at = roll((unsigned)size), cut = 1 + roll(20);
        if (roll(3) == 0) {
            text[at] = (char)roll(256);
        } else if (roll(2) && at + cut < size) {
            memmove(text + at, text + at + cut, size - at - cut);
            size -= cut;
        } else {
            splice(text, &size, at, tokens[roll(TOKENS)]);
        }
    }
    return size;
}

/* Everything printed so far, as a string of the caller's. */
static char *printed(FILE *out, size_t *size)
{
    char *text;
    *size = (size_t)ftell(out);
    text = malloc(*size + 1);
    assert_non_null(text);
    rewind(out);
    *size = fread(text, 1, *size, out);
    text[*size] = 0;
    return text;
}

static size_t answer(struct io_stream *stream, const struct io_writer *writer, struct io_run *run)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct io_record record;
    size_t records = 0;

    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    assert_true(writer->begin(run));
    for (; io_record_next(stream, 0, &record); records++) {
        struct io_result result;
        if (record.error[0]) {
            writer->unreadable(run, &record);
        } else {
            const unsigned flags = roll(2) ? IO_FIX | IO_ADVISE : IO_BRIEF;
            assert_int_equal(io_judge(&checker, &record, stream, flags, &result), TMAP_OK);
            writer->result(run, &result);
            io_result_free(&result);
        }
        io_record_free(&record);
    }
    writer->end(run);
    return records;
}

static void check_output(FILE *out, enum io_format format, size_t records)
{
    size_t size, lines = 0;
    char *text = printed(out, &size);

    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    if (format == IO_JSONL) assert_int_equal(lines, records);
    if (format == IO_JSON || format == IO_SARIF) {
        json_t *json = json_loadb(text, size, 0, NULL);
        if (!json) fail_msg("no JSON: %s", text);
        json_decref(json);
    }
    free(text);
}

static long rounds(void)
{
    const char *text = getenv("TMAP_FUZZ");
    return text ? atol(text) : 20000;
}

static void mutated_files(void **state)
{
    static char text[SEED_BYTES + 2 * SLACK];
    char error[IO_ERROR_SIZE];
    (void)state;
    for (long i = 0; i < rounds(); i++) {
        const enum io_format format = (enum io_format)(i % IO_FORMATS);
        const size_t size = mutate(text);
        struct io_run run = {.out = tmpfile(), .command = "check", .things = "descriptor"};
        struct io_stream stream;
        run.target = tmap_default_target();
        assert_non_null(run.out);
        assert_true(io_stream_from(&stream, "fuzz.json", text, size, error));
        const size_t records = answer(&stream, io_writer_of(format), &run);
        check_output(run.out, format, records);
        fclose(run.out);
        io_stream_close(&stream);
    }
}

static void mutated_files_as_logs(void **state)
{
    static char text[SEED_BYTES + 2 * SLACK];
    char error[IO_ERROR_SIZE];
    (void)state;
    for (long i = 0; i < rounds() / 4; i++) {
        struct io_stream stream;
        struct io_record record;
        const size_t size = mutate(text);
        memcpy(text, i % 2 ? "TMA Desc Addr: 1\ndim 2\n" : "elemType=9 rank=2 shape=[1, ", 22);
        assert_true(io_stream_from(&stream, "fuzz.log", text, size, error));
        while (io_dump_next(&stream, (enum io_dump)(i % 5), &record)) assert_null(record.json);
        io_stream_close(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_files),
        cmocka_unit_test(mutated_files_as_logs),
    };
    return cmocka_run_group_tests_name("reader", tests, load_seeds, NULL);
}
