/* test_cut.c : texts as people paste them (tests/cli/pasted*.txt), cut off in front or behind as a
 * selection with the mouse cuts them, or with a zero byte in them: the readers end, every record
 * has a descriptor or a reason, and what is located lies in its record. The text ends where its
 * memory ends, so a sanitizer sees a look behind it. TMAP_CUT: each so many-th place of all (a
 * prime, 61; 1: every one, some minutes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/dump.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut_texts_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
