/* test_shown.c : what pasted Python shows without a call whose numbers could be checked: a slice
 * that no map can begin at, a barrier's layout where a copy's buffer must be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text in memory that ends with it, so that a sanitizer sees a look behind it. */
static size_t shown_in(const char *text, char told[IO_ERROR_SIZE])
{
    const size_t n = strlen(text);
    struct io_stream s = {.text = malloc(n + !n), .size = n};
    size_t line = 0;

    assert_non_null(s.text);
    memcpy(s.text, text, n);
    const bool shown = io_shown(&s, told, &line);
    free(s.text);
    assert_false(s.no_memory);
    return shown ? line : 0;
}

/* The line, 0 where nothing is shown, and what is said of it. */
struct row {
    const char *text;
    size_t line;
    const char *says;
};

static void expect(const char *head, const struct row *rows, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        char told[IO_ERROR_SIZE] = "", text[600];
        assert_true(snprintf(text, sizeof text, "%s%s", rows[i].text, head) < (int)sizeof text);
        const size_t line = shown_in(text, told);
        if (line != rows[i].line || (line && !strstr(told, rows[i].says)))
            bad++, print_message("%s: line %zu, not %zu: %s\n", rows[i].text, line, rows[i].line,
                                 told);
    }
    assert_int_equal(bad, 0);
}
#define EXPECT(head, rows) expect(head, rows, sizeof rows / sizeof rows[0])

#define F "def f(x):\n    return "
#define TWOS "\nf(torch.empty(64, dtype=torch.float16))\n"

static void slices(void **state)
{
    static const struct row rows[] = {
        {F "x[1:]" TWOS, 2, "x[1:] begins 2 bytes behind one"},
        {F "x[8:]" TWOS, 0, ""},
        {F "x[:]" TWOS, 0, ""},
        {F "x[1:]\nf(torch.empty(64))\n", 2, "4 bytes"},
        {F "x[1:]\nf(y)\n", 0, ""},
        {F "x[1:]\nf(torch.empty(64, dtype=t))\n", 0, ""},
        {F "y[1:]" TWOS, 0, ""},
        {F "[1, x[1:]]" TWOS, 2, "x[1:]"},
        {F "2[1:]" TWOS, 0, ""},
        {F "x[1:", 0, ""},
        {"x[1:]\n" F "x" TWOS, 0, ""},
        {"# x[1:]\n" F "x" TWOS, 0, ""},
    };
    static const char both[] = "\nuse_tensor_descriptor, assume_aligned_inputs = True, True";
    char told[IO_ERROR_SIZE];

    (void)state;
    EXPECT(both, rows);
    assert_int_equal(shown_in(F "x[1:]" TWOS "use_tensor_descriptor = True", told), 0);
    assert_int_equal(shown_in(F "x[1:]" TWOS "assume_aligned_inputs = True", told), 0);
    assert_int_equal(shown_in("", told), 0);
    assert_int_equal(shown_in("# x[1:]", told), 0);
}

#define BARRIER "b = ttgl.allocate_shared_memory(t, [1], MBarrierLayout())\n"
#define BUFFER "b = ttgl.allocate_shared_memory(t, [64], layout)\n"
#define LOAD "tma.async_copy_global_to_shared"
#define STORE "tma.async_copy_shared_to_global"

static void buffers(void **state)
{
    static const struct row rows[] = {
        {BARRIER LOAD "(desc, [0, 0], bar, b)\n", 2, "b, which the copy uses"},
        {BARRIER STORE "(desc, [0, 0], b)\n", 2, "b, which the copy uses"},
        {BARRIER BARRIER STORE "(desc, [0, 0], b)\n", 3, "b, which the copy uses"},
        {BUFFER STORE "(desc, [0, 0], b)\n", 0, ""},
        {BARRIER BUFFER STORE "(desc, [0, 0], b)\n", 0, ""},
        {"b = MBarrierLayout()\n" STORE "(desc, [0, 0], b)\n", 0, ""},
        {STORE "(desc, [0, 0], b)\n", 0, ""},
        {BARRIER LOAD "(desc, [0, 0], b)\n", 0, ""},
        {BARRIER STORE "(desc, [0, 0], 3)\n", 0, ""},
        {BARRIER STORE "\n", 0, ""},
        {BARRIER STORE "(desc, [0, 0]", 0, ""},
        {BARRIER STORE "(desc, [0, 0], b", 0, ""},
        {BARRIER STORE, 0, ""},
    };

    (void)state;
    EXPECT("", rows);
}

/* A name that was not looked at to its last setting is not told. */
static void many_settings(void **state)
{
    enum { SETTINGS = 100, COPIES = 40, TEXT = 1 << 14 };
    char *text = malloc(TEXT), *p = text, told[IO_ERROR_SIZE];

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < SETTINGS; i++) p += sprintf(p, BARRIER);
    p += sprintf(p, BUFFER);
    for (int i = 0; i < COPIES; i++) p += sprintf(p, STORE "(desc, [0, 0], b)\n");
    assert_true(p < text + TEXT);
    assert_int_equal(shown_in(text, told), 0);
    free(text);
}

/* A longer text is a log. */
static void long_text(void **state)
{
    enum { LONG = 1 << 17 };
    static const char shows[] = BARRIER STORE "(desc, [0, 0], b)\n";
    char *text = malloc(LONG), told[IO_ERROR_SIZE];

    (void)state;
    assert_non_null(text);
    memset(text, '\n', LONG - 1);
    memcpy(text, shows, sizeof shows - 1);
    text[LONG - 1] = 0;
    assert_int_equal(shown_in(text, told), 0);
    text[LONG / 4] = 0;
    assert_int_equal(shown_in(text, told), 2);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices),
        cmocka_unit_test(buffers),
        cmocka_unit_test(many_settings),
        cmocka_unit_test(long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
