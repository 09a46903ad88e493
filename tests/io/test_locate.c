/* test_locate.c : JSON paths: where they lead in a record's text, and which one a place has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/json/record.h"

#include <stdlib.h>
#include <string.h>

static void paths_are_found_in_the_text(void **state)
{
    static const char text[] = "{ \"a\": \"x,]\", \"b\" : [1, {\"c\":[ 22 ,333]}] , \"d\":-4}";
    static const struct {
        const char *path, *value;
    } rows[] = {{"$.a", "\"x,]\""}, {"$.b[0]", "1"}, {"$.b[1].c[1]", "333"}, {"$.d", "-4"},
                {"$.b[2]", NULL},   {"$.e", NULL},   {"$.a[0]", NULL},       {"$.b[1].c[0]", "22"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t at, size;
        bool found = io_locate(text, sizeof text - 1, rows[i].path, &at, &size);
        assert_int_equal(found, rows[i].value != NULL);
        if (!found) continue;
        assert_int_equal(size, strlen(rows[i].value));
        assert_memory_equal(text + at, rows[i].value, size);
    }
}

/* Where a path leads is what is called by that path; and in a text that is cut off nothing behind
 * its end is found. */
static void places_have_the_paths_that_lead_there(void **state)
{
    static const char text[] =
        "{ \"a\": \"x,]\\\"\", \"b\" : [1, {\"c\":[ 22 ,333]}, []] , \"d\":-4}";
    static const char *const paths[] = {"$.a",         "$.b[0]", "$.b[1].c", "$.b[1].c[0]",
                                        "$.b[1].c[1]", "$.b[2]", "$.d"};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        size_t at, size, cut_at, cut_size;
        char path[96];
        assert_true(io_locate(text, sizeof text - 1, paths[i], &at, &size));
        io_path_at(text, sizeof text - 1, at, path, sizeof path);
        if (strncmp(path, paths[i], strlen(paths[i])) != 0) fail_msg("%s is %s", paths[i], path);
        for (size_t n = 0; n < sizeof text - 1; n++) {
            char *cut = malloc(n + !n); /* exact: a sanitizer sees a read behind it */
            assert_non_null(cut);
            memcpy(cut, text, n);
            if (io_locate(cut, n, paths[i], &cut_at, &cut_size) &&
                (cut_at != at || cut_size > size || cut_at + cut_size > n))
                fail_msg("%s in %zu characters: %zu + %zu", paths[i], n, cut_at, cut_size);
            io_path_at(cut, n, at, path, sizeof path);
            free(cut);
        }
    }
    for (size_t n = 1; n < sizeof text - 1; n++) {
        char path[96];
        io_path_at(text, sizeof text - 1, n, path, sizeof path);
        assert_true(!path[0] || path[0] == '$');
    }
}

static void what_is_no_place(void **state)
{
    static const struct {
        const char *text, *path;
        size_t length;
    } rows[] = {{"[]", "$[0]", 2}, {"[1,]", "$[1]", 4},       {"[1,", "$[1]", 3},
                {"[", "$[0]", 1},  {"{\0\"a\":1}", "$.a", 8}, {"{\"a\":1}", "$a", 7}};
    size_t at, size;
    char deep[100], path[400];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (io_locate(rows[i].text, rows[i].length, rows[i].path, &at, &size))
            fail_msg("%s in %s", rows[i].path, rows[i].text);
    assert_true(io_locate("{\"a\":1\0}", 8, "$.a", &at, &size) && size == 2);
    memset(deep, '[', sizeof deep);
    io_path_at(deep, sizeof deep, sizeof deep - 1, path, sizeof path);
    assert_int_equal(strlen(path), 1 + 3 * IO_MAX_DEPTH);
}

static void elements_one_by_one(void **state)
{
    static const struct {
        const char *text;
        size_t from, steps, last;
    } rows[] = {{"[1, {\"a\":[2,3]}, \"x,\"]", 1, 2, 17},
                {"[1]", 1, 0, 1},
                {"[1,]", 1, 0, 3},
                {"[1,", 1, 0, 3},
                {"[1", 1, 0, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t at = rows[i].from, steps = 0;
        while (io_next_element(rows[i].text, strlen(rows[i].text), &at)) steps++;
        if (steps != rows[i].steps || at != rows[i].last)
            fail_msg("%s: %zu steps to %zu", rows[i].text, steps, at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_found_in_the_text),
        cmocka_unit_test(places_have_the_paths_that_lead_there),
        cmocka_unit_test(what_is_no_place),
        cmocka_unit_test(elements_one_by_one),
    };
    return cmocka_run_group_tests_name("locate", tests, NULL, NULL);
}
