/* test_stream.c : an input cut into records, and what stands in the place of a bad one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/json/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_stream(struct io_stream *s, const char *text, size_t length)
{
    char error[IO_ERROR_SIZE];
    return io_stream_from(s, "test.json", text, length, error);
}

/* One line per input. In `pieces`, "ok@L:C" is a whole record at that line and column, and
 * "bad@L" an unreadable one with its error on line L. */
static const struct {
    const char *what, *text, *pieces, *says;
} rows[] = {
    {"one object", "{}", "ok@1:1", ""},
    {"array", "[{},\n {}]", "ok@1:2 ok@2:2", ""},
    {"empty array", " [ ] ", "", ""},
    {"one a line", "{}\n{}\n\n{}\n", "ok@1:1 ok@2:1 ok@4:1", ""},
    {"several on one line", "{} {}{}", "ok@1:1 ok@1:4 ok@1:6", ""},
    {"array behind array", "[{}][{}]", "ok@1:2 ok@1:6", ""},
    {"objects over lines", "{\n \"a\": [{}]\n}\n{}", "ok@1:1 ok@4:1", ""},
    {"byte order mark", "\xef\xbb\xbf{}", "ok@1:4", ""},
    {"brackets in strings", "{\"a\":\"}]\\\"\"}\n{}", "ok@1:1 ok@2:1", ""},
    {"empty input", "", "bad@1", "the input is empty"},
    {"white space alone", " \n\t\n", "bad@3", "the input is empty"},
    {"truncated", "{\"a\": [1,", "bad@1", "the record is not closed"},
    {"truncated line among lines", "{}\n{\"a\":\n{}\n{}", "ok@1:1 bad@4 ok@3:1 ok@4:1",
     "the record is not closed"},
    {"truncated in a string", "{\"a\":\"x\n{}", "bad@1 ok@2:1", "a string is not closed"},
    {"backslash at the end", "{\"a\":\"x\\\n{}", "bad@1 ok@2:1", "a string is not closed"},
    {"wrong bracket", "{\"a\":[1}\n{}", "bad@1 ok@2:1", "another kind of bracket"},
    {"in an array", "[{\"a\":[},\n {}]", "bad@1 ok@2:2", "another kind of bracket"},
    {"array not closed", "[{},\n{}\n", "ok@1:2 ok@2:1 bad@3", "the array is not closed"},
    {"comma before the end", "[{},]", "ok@1:2 bad@1", "a comma before the closing ]"},
    {"no comma", "[{}\n{}]", "ok@1:2 bad@2", "a comma is missing"},
    {"numbers in an array", "[1, {}]", "bad@1 ok@1:5", "expected a JSON object"},
    {"a word", "hello\n{}", "bad@1 ok@2:1", "expected a JSON object"},
    {"a stray bracket", "]\n{}", "bad@1 ok@2:1", "expected a JSON object"},
    {"cut off behind a backslash", "{\"a\":\"x\\", "bad@1", "a string is not closed"},
    {"cut off in a string", "{\"a\":\"x", "bad@1", "a string is not closed"},
    {"a bracket that closes none", "{}\n}\n{}", "ok@1:1 bad@2 ok@3:1", "expected a JSON object"},
    {"two arrays deep", "[[{}]]", "bad@1 bad@1 bad@1", "expected a JSON object"},
    {"a string among objects", "\"a,b\"\n{}", "bad@1 ok@2:1", "expected a JSON object"},
    {"a string without an end", "\"ab\n{}", "bad@1 ok@2:1", "expected a JSON object"},
    {"two commas", "[{},,{}]", "ok@1:2 bad@1 ok@1:6", "expected"},
    {"no comma and not closed", "[{}\n{\"a\":[}\n]", "ok@1:2 bad@2", "another kind of bracket"},
    {"indented less", "[\n  {\"a\":[},\n {},\n  {}]", "bad@2 ok@4:3", "another kind of bracket"},
    {"indented less behind a blank line", "[\n  {\"a\":[},\n\n {},\n  {}]", "bad@2 ok@5:3",
     "another kind of bracket"},
    {"a word before it", "[\n  {\"a\":[},\nx {},\n  {}]", "bad@2 ok@4:3",
     "another kind of bracket"},
    {"commas between lines", "{},\n{}", "ok@1:1 bad@1 ok@2:1", "expected a JSON object"},
};

static void describe(struct io_stream *s, char *out, size_t size, char *says)
{
    struct io_piece p;
    size_t used = 0;

    *out = *says = 0;
    while (io_stream_next(s, &p)) {
        const char *space = used ? " " : "";
        if (p.error[0]) {
            used += (size_t)snprintf(out + used, size - used, "%sbad@%zu", space, p.error_line);
            strcpy(says, p.error);
        } else {
            used +=
                (size_t)snprintf(out + used, size - used, "%sok@%zu:%zu", space, p.line, p.column);
        }
    }
}

static void cuts_inputs_into_records(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_stream s;
        char seen[200], says[IO_ERROR_SIZE];
        assert_true(text_stream(&s, rows[i].text, strlen(rows[i].text)));
        describe(&s, seen, sizeof seen, says);
        if (strcmp(seen, rows[i].pieces) != 0 || !strstr(says, rows[i].says))
            fail_msg("%s: got '%s' (%s), not '%s'", rows[i].what, seen, says, rows[i].pieces);
        io_stream_close(&s);
    }
}

static void a_nul_byte_is_named(void **state)
{
    static const char text[] = "{\"a\": \0 1}\n{}";
    struct io_stream s;
    char seen[200], says[IO_ERROR_SIZE];
    (void)state;
    assert_true(text_stream(&s, text, sizeof text - 1));
    describe(&s, seen, sizeof seen, says);
    assert_string_equal(seen, "bad@1 ok@2:1");
    assert_string_equal(says, "a NUL byte");
    io_stream_close(&s);
}

static char *repeated(const char *unit, size_t n, size_t *length)
{
    size_t one = strlen(unit);
    char *text = malloc(n * one + 1);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++) memcpy(text + i * one, unit, one);
    text[ *length = n * one] = 0;
    return text;
}

static size_t count(struct io_stream *s, size_t *bad)
{
    struct io_piece p;
    size_t n = 0;
    for (*bad = 0; io_stream_next(s, &p); n++) *bad += p.error[0] != 0;
    return n;
}

static void a_hundred_thousand_records(void **state)
{
    size_t length, bad;
    char *text = repeated("{\"a\":1}\n", 100000, &length);
    struct io_stream s;
    (void)state;
    assert_true(text_stream(&s, text, length));
    assert_int_equal(count(&s, &bad), 100000);
    assert_int_equal(bad, 0);
    io_stream_close(&s);
    free(text);
}

static void a_hundred_thousand_truncated_records(void **state)
{
    size_t length, bad;
    char *text = repeated("{\"a\":[1\n", 100000, &length);
    struct io_stream s;
    (void)state;
    assert_true(text_stream(&s, text, length));
    assert_int_equal(count(&s, &bad), 100000);
    assert_int_equal(bad, 100000);
    io_stream_close(&s);
    free(text);
}

static void limits_on_size_and_depth(void **state)
{
    struct io_stream s;
    struct io_piece p;
    size_t length;
    char *text = repeated("[", 10 << 20, &length);
    (void)state;
    memcpy(text, "{\"a\":", 5);
    assert_true(text_stream(&s, text, length));
    assert_true(io_stream_next(&s, &p));
    assert_string_equal(p.error, "more than 32 brackets inside each other");
    io_stream_close(&s);
    memset(text, ' ', length);
    text[0] = '{', text[length - 1] = '}';
    assert_true(text_stream(&s, text, length));
    assert_true(io_stream_next(&s, &p));
    assert_string_equal(p.error, "longer than 1048576 bytes");
    assert_false(io_stream_next(&s, &p));
    io_stream_close(&s);
    free(text);
}

static void a_file_that_cannot_be_read(void **state)
{
    struct io_stream s;
    char error[IO_ERROR_SIZE];
    (void)state;
    assert_false(io_stream_open(&s, "/nonexistent/x.json", error));
    assert_string_equal(error, "No such file or directory");
    assert_false(io_stream_open(&s, "/", error));
    assert_string_equal(error, "Is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_inputs_into_records),
        cmocka_unit_test(a_nul_byte_is_named),
        cmocka_unit_test(a_hundred_thousand_records),
        cmocka_unit_test(a_hundred_thousand_truncated_records),
        cmocka_unit_test(limits_on_size_and_depth),
        cmocka_unit_test(a_file_that_cannot_be_read),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
