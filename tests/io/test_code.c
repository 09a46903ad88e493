/* test_code.c : which lines of a pasted text are source, and what is left of a text without them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/code.h"

#include <string.h>

/* A letter a line: c source, # a comment, w words, - nothing. */
static const struct {
    const char *kinds, *text;
} texts[] = {
    {"cccc", "struct Storage {\n  cute::array_aligned<T, cute::cosize_v<L>,\n"
             "      detail::alignment_for_swizzle(L{})> smem;\n};"},
    {"cc-c", "#include <cassert>\n#include <cute/error.hpp>\n\nusing namespace cute;"},
    {"ccc", "triton.set_allocator(\n    lambda size, align, stream: torch.empty(size)\n)"},
    {"cc", "  tl::fence_proxy_async();\n  tl::tma_load(B_desc, mba"},
    {"ccw", "x = f(a, b // 2)\ny = g(\nRuntimeError: Triton Error [CUDA]: invalid argument"},
    {"c#c", "f(a, // the map of a\n  // must be aligned\n  b);"},
    {"##cc", "\"\"\"It hangs\nhere.\"\"\"\ndef f():\n    pass_on(x)"},
    {"###c", "/* It hangs\n here.\n */\nint f(void)"},
    {"#c", "# RuntimeError is raised\nassert k == k2, f'size mismatch {k}'"},
    {"cc", "CUTLASS_DEVICE void\ncopy(int x)"},
    {"cc", "stride_one_count += 1\nout[tile_m, tile_n] = acc"},
    {"cc", "warnings.warn(\"TMA is not supported here\")\nlog.error(\"wrong: %s\", it)"},
    {"ccc", "typedef enum {\n  TMA_ERR_MISALIGNED_STRIDE,\n} tma_error;"},
    {"w", "CUDA_ERROR_INVALID_VALUE"},
    {"cww", "bad_call(x);\n   ^~~~\n  File \"a.py\", line 7, in main"},
    {"w", "error encode tensor map: 1"},
    {"w", "tensor<ptr<i8, smem, align<1024>> o ((64,1),(8,8)):((1,0),(64,512))>"},
    {"w", "C[0][64] = 0.0 expected 1024.0"},
    {"w", "[TMA] desc_a=0000000200610398 (mod64=24)"},
    {"w", "fix(mm): copy unaligned strides to contiguous on Hopper (#24)"},
    {"w", "{\"Err\":{\"Unknown\":{\"name\":\"simple_tma\"}}}"},
    {"w", "static assertion of the library fails"},
    {"w", "TMA descriptor creation returned error 1 (K = 1000)"},
    {"wcw", "```cpp\nCUtensorMap *map, void *address\n```"},
    {"www", "```\nCUtensorMap map of address\n```"},
    {"wc", "```cpp\nCUtensorMap map of it, which fails in a.b here and there"},
    {"ww", "```cpp\nit fails here now"},
    {"wc", "```cpp\n<it fails here now"},
    {"w", "alpha - beta"},
    {"w", "alpha -=beta"},
    {"c", "[TMA];"},
    {"c", "[TMA]it;"},
    {"c", "[TMA, it;"},
    {"c", "[TMA] = {"},
    {"c", "[TMA # it;"},
    {"###c", "'''It\n\"\"\" hangs\nhere.'''\nf(x);"},
};

static void test_lines(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct io_code code = {0};
        const char *at = texts[i].text;
        for (const char *want = texts[i].kinds; *want; want++) {
            const size_t n = strcspn(at, "\n");
            const enum io_line line = io_code_next(&code, at, n, io_speaker_of(at, n));
            if ("wc#-"[line] != *want)
                bad++, print_message("%.*s: %c, not %c\n", (int)n, at, "wc#-"[line], *want);
            at += n + (at[n] == '\n');
        }
        assert_int_equal(*at, 0);
    }
    assert_int_equal(bad, 0);
}

/* A statement goes on for 64 lines: what opens a bracket in a sentence hides no message. */
static void test_longest(void **state)
{
    struct io_code code = {0};
    int lines = 0;

    (void)state;
    for (const char *line = "f("; lines < 100; lines++, line = "some more words of it")
        if (io_code_next(&code, line, strlen(line), IO_PROSE) != IO_LINE_CODE) break;
    assert_int_equal(lines, 65);
}

/* Where the line's mark is, and whether a comment begins there. */
static void test_comments(void **state)
{
    static const struct {
        const char *line;
        bool comment;
    } rows[] = {
        {"  // x", true},
        {"f(x); // x", true},
        {"# x", true},
        {"x # x", true},
        {"x // one or two", true},
        {"x // two", false},
        {"x // one and two a.b(c).d(e).f", false},
        {"x /", false},
        {"x / y", false},
        {"x #y", false},
    };
    int bad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *line = rows[i].line, *at = strpbrk(line, "/#");
        const char *past = io_code_past(line, at, line + strlen(line));
        if (past != (rows[i].comment ? at : at + 1))
            bad++, print_message("%s: comment %d\n", line, past == at);
    }
    assert_int_equal(bad, 0);
}

static void test_source(void **state)
{
    static const char *const source[] = {"x = f(y)", "// it hangs\nx = f(y);\n", NULL};
    static const char *const other[] = {"", "# A title", "x = f(y)\nIt hangs.", NULL};

    (void)state;
    for (int i = 0; source[i]; i++)
        assert_true(io_statement_is_source(source[i], strlen(source[i])));
    for (int i = 0; other[i]; i++) assert_false(io_statement_is_source(other[i], strlen(other[i])));
}

static void expect_mask(const char *text, bool strings, const char *want)
{
    char out[128] = "";

    strcpy(out, text);
    io_statement_mask(text, strlen(text), strings, out);
    assert_string_equal(out, want);
}

/* What is left of source: what tells of a failure. */
static void test_mask(void **state)
{
    (void)state;
    expect_mask("f(smem_align); // NOT aligned", false, "               // NOT aligned");
    expect_mask("f(x); ///", false, "         ");
    expect_mask("f(x); // from fast to slow", false, "                          ");
    expect_mask("It hangs.\n// fast\nf(x);", false, "It hangs.\n// fast\n     ");
    expect_mask("bad_call(x);\n   ^\n", false, "bad_call(x);\n   ^\n");
    expect_mask("throw Error(\"bad stride\");", true, "            \"bad stride\"  ");
    expect_mask("open(\"bad stride\");", true, "                   ");

    static const char zero[] = "f(x); //\0it hangs";
    char out[sizeof zero];
    memcpy(out, zero, sizeof zero);
    io_statement_mask(zero, sizeof zero - 1, false, out);
    assert_memory_equal(out, "      //\0it hangs", sizeof zero); /* read as a message */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),    cmocka_unit_test(test_longest),
        cmocka_unit_test(test_comments), cmocka_unit_test(test_source),
        cmocka_unit_test(test_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
