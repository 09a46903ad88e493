/* test_cut.c : texts as people paste them (tests/cli/pasted*.txt) and as programs write them, cut
 * off in front or behind as a selection with the mouse cuts them, or with a zero byte in them: the
 * readers end, every record has a descriptor or a reason, and what is located lies in its record.
 * The text ends where its memory ends, so a sanitizer sees a look behind it. TMAP_CUT: each so
 * many-th place of all (a prime, 61; 1: every one, some minutes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/map/maps.h"
#include "io/paste/dump.h"
#include "io/ptx/ptx.h"
#include "io/report/report.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1 << 16 };

struct cuts {
    size_t step, at; /* of all places, in turn */
    unsigned long texts, records, unreadable;
};

static void locate(const struct io_stream *stream, const struct io_record *r)
{
    static const char *const fields[] = {"dim", "stride", "box", "swizzle"};
    size_t offset, size;
    assert_true(r->offset <= stream->size);
    const size_t length = stream->size - r->offset;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (int index = -1; index < 2; index++)
            if (io_dump_locate(stream->text + r->offset, length, fields[i], index, &offset, &size))
                assert_true(offset <= length && size <= length - offset);
}

static void read_all(struct cuts *c, const char *text, size_t size)
{
    struct io_stream stream;
    struct io_record record;
    enum io_dump from;
    char error[IO_ERROR_SIZE], *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, text, size);
    assert_true(io_stream_from(&stream, "cut", exact, size, error));
    free(exact);
    if (!io_dump_guess(&stream, &from)) from = (enum io_dump)(c->texts % (IO_DUMP_WORDS + 1));
    for (size_t n = 0; io_dump_next(&stream, from, &record); n++) {
        assert_true(n <= size);
        c->records++;
        c->unreadable += record.error[0] != 0;
        locate(&stream, &record);
        io_record_free(&record);
    }
    io_stream_close(&stream);
    c->texts++;
}

/* The text up to a place, from there on, or with a zero byte there. */
static void cut_at(struct cuts *c, const char *text, size_t size, size_t place, int how)
{
    static char zeroed[FILE_BYTES];
    if (how == 0) read_all(c, text, place);
    if (how == 1) read_all(c, text + place, size - place);
    if (how < 2) return;
    memcpy(zeroed, text, size);
    zeroed[place] = 0;
    read_all(c, zeroed, size);
}

static void cut(struct cuts *c, const char *text, size_t size)
{
    for (; c->at < 3 * size; c->at += c->step)
        cut_at(c, text, size, c->at % size, (int)(c->at / size));
    c->at -= 3 * size;
}

/* The file's texts stand between lines that begin with "=== " (test_pasted.sh). */
static void cut_file(struct cuts *c, const char *path)
{
    static char all[FILE_BYTES];
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const size_t size = fread(all, 1, sizeof all - 1, in);
    fclose(in);
    all[size] = 0;
    for (char *p = strstr(all, "=== "); p;) {
        char *text = strchr(p, '\n'), *next = text ? strstr(text, "\n=== ") : NULL;
        if (!text) break;
        const char *end = next ? next : all + size;
        if (end > text + 1) cut(c, text + 1, (size_t)(end - text - 1));
        p = next ? next + 1 : NULL;
    }
}

static void cut_texts_are_read(void **state)
{
    const char *step = getenv("TMAP_CUT");
    struct cuts c = {.step = step ? strtoul(step, NULL, 10) : 149};
    glob_t files;
    (void)state;
    assert_int_equal(glob("tests/cli/pasted*.txt", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) cut_file(&c, files.gl_pathv[i]);
    globfree(&files);
    print_message("# %lu texts, %lu records, %lu of them unreadable\n", c.texts, c.records,
                  c.unreadable);
    assert_true(c.records >= c.texts && c.unreadable > c.records / 4);
}

/* --- what programs read and write: cut everywhere, and with a zero byte -------------------------
 */

static void read_maps(const char *text, size_t size)
{
    struct io_maps maps = {0};
    char error[IO_ERROR_SIZE];
    const bool read = io_maps_read(&maps, text, size, error, sizeof error);
    assert_true(read ? maps.count > 0 : maps.count == 0 && error[0]);
    io_maps_free(&maps);
}

static void read_json(const char *text, size_t size)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct io_stream stream;
    struct io_record record;
    char error[IO_ERROR_SIZE];
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    assert_true(io_stream_from(&stream, "cut", text, size, error));
    while (io_record_next(&stream, 0, &record)) {
        struct io_result result;
        assert_true(record.offset + record.length <= size);
        if (!record.error[0]) {
            assert_int_equal(io_judge(&checker, &record, &stream, IO_FIX, &result), TMAP_OK);
            for (size_t i = 0; i < result.finding_count; i++)
                assert_true(result.finding[i].offset + result.finding[i].length <= size);
            io_result_free(&result);
        }
        io_record_free(&record);
    }
    io_stream_close(&stream);
}

static void read_ptx(const char *text, size_t size)
{
    struct io_ptx_module module;
    struct io_ptx_instruction in[4];
    size_t found;
    assert_int_equal(io_ptx_read(text, size, &module, in, 4, &found), TMAP_OK);
    for (size_t i = 0; i < found && i < 4; i++) assert_true(in[i].length <= size);
}

#define HEX "0123456789abcdef"
#define HEX8 HEX HEX HEX HEX HEX HEX HEX HEX

static const struct {
    void (*reads)(const char *text, size_t size);
    const char *text;
} whole[] = {
    {read_maps, HEX8 HEX8 "  # a map\n"},
    {read_maps, "00000000: 0123 4567 89ab cdef 0123 4567 89AB CDEF  .#Eg....\n*\n00000080\n"},
    {read_maps, "0000000 0123 4567 89ab cdef 0123 4567 89ab cdef\n*\n0000200\n"},
    {read_maps,
     "00000000  01 23 45 67 89 ab cd ef  01 23 45 67 89 ab cd ef  |.#Eg.....#Eg....|\n*\n"
     "00000080\n"},
    {read_maps,
     "0x7ffe <m>:\t0x0123456789abcdef\t0x0123456789abcdef\r\n0x7ffe10 <m+16>: 0x1 0x2\n"},
    {read_maps, "$1 = {opaque = {0x1, 0x2 <repeats 14 times>, 3}}\n"},
    {read_maps, "unsigned char m[128] = {0x01, 2, '\\n', 'a', '\\0', '\\x7f', X, 0 /* c */};\n"},
    {read_maps, "{\"name\": null,\n \"words\": [\"0x1\", 2, \"3\", -1, 1e9]}\n"},
    {read_json,
     " [ {\"dtype\":\"bf16\",\"dim\":[4096,64],\"stride\":[8200],\"box\":[300,64],\n"
     "\"uses\":[{\"op\":\"load\",\"coord\":[0,1],\"smem\":8}],\"name\":\"\\u00e9\\\"\"},\n"
     "  7, {\"dtype\":9}]\n{\"dim\":[}{\n"},
    {read_ptx, ".version 8.6 // v\n.version 8\n.target sm_90a, debug\n.target sm_80\n/* c */\n"
               ".visible .entry k(){ .reg .b32 %r<4>;\n@!%p cp.async.bulk.tensor.2d.shared::cluster"
               ".global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];\nL: "
               "tensormap.replace.tile.rank.global.shared::cta.b1024.b32 [%rd1], 0x1F;\n"
               "prefetch.tensormap [\"a\\\"b\"]; }\n"},
};

static void any_text_ends_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        const size_t size = strlen(whole[i].text);
        for (size_t n = 0; n <= 2 * size; n++) {
            const size_t length = n <= size ? n : size;
            char *exact = malloc(length ? length : 1);
            assert_non_null(exact);
            memcpy(exact, whole[i].text, length);
            if (n > size) exact[n - size - 1] = 0;
            whole[i].reads(exact, length);
            free(exact);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut_texts_are_read),
                                       cmocka_unit_test(any_text_ends_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
