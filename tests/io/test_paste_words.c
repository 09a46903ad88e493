/* test_paste_words.c : words in anybody's text. What a text's pairs of characters rule out must not
 * be there: with all pairs noted, every answer is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const groups[] = {
    "ab", "a", "ba|cc&b a", "b\na", "a b&c$", "cab$|bab", "c&aa|bb&abc", "8a|8", "a$&b$&c$",
};

/* As hint.c joins a sentence's lines. */
static void join_some_lines(struct io_text *text, uint32_t seed)
{
    for (size_t i = 0; i < text->size; i++)
        if (text->lower[i] == '\n' && (seed >> i % 32 & 1)) text->lower[i] = ' ';
}

static void pairs_rule_out_what_is_not_there(void **state)
{
    (void)state;
    static struct io_text text, all;
    uint32_t seed = 20261127;
    int found = 0, missed = 0;

    for (int round = 0; round < 20000; round++) {
        static const char letters[] = "abcABC8 \n.";
        char drawn[24];
        for (size_t i = 0; i < sizeof drawn; i++) {
            seed = seed * 1664525 + 1013904223;
            drawn[i] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        const size_t size = 1 + seed % sizeof drawn;
        assert_true(io_text_of(drawn, size, &text));
        join_some_lines(&text, seed);
        all = text;
        memset(all.pairs, 0xff, sizeof all.pairs);
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
            size_t at = 0, where = 0;
            const bool has = io_words_in(&text, 0, size, groups[i], true, &at);
            if (has != io_words_in(&all, 0, size, groups[i], true, &where) || at != where)
                fail_msg("round %d, '%s' in '%.*s'", round, groups[i], (int)size, drawn);
            found += has, missed += !has;
        }
        io_text_free(&text);
    }
    assert_true(found > 10000 && missed > 10000);
}

/* Hundreds of groups are looked for; none may read a line of megabytes when it cannot be there. */
static void a_long_line_is_read_once(void **state)
{
    (void)state;
    enum { SIZE = 1 << 24, TIMES = 2000 };
    static struct io_text text;
    char *line = malloc(SIZE);
    size_t where;

    assert_non_null(line);
    memset(line, 'x', SIZE);
    assert_true(io_text_of(line, SIZE, &text));
    for (int i = 0; i < TIMES; i++)
        assert_false(io_words_in(&text, 0, SIZE, "tensor map|xy&misaligned", true, &where));
    assert_true(io_words_in(&text, 0, SIZE, "xy|xx", true, &where));
    io_text_free(&text);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_rule_out_what_is_not_there),
        cmocka_unit_test(a_long_line_is_read_once),
    };
    return cmocka_run_group_tests_name("paste_words", tests, NULL, NULL);
}
