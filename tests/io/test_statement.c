/* test_statement.c : who says each line of a pasted text, and in which order they are heard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/statement.h"
#include "io/paste/words.h"

#include <string.h>

static const struct {
    const char *line;
    enum io_speaker by;
} lines[] = {
    {"", IO_SILENT},
    {"  File \"a.py\", line 7, in main", IO_SILENT},
    {"For debugging consider passing CUDA_LAUNCH_BLOCKING=1", IO_SILENT},
    {"        ^^^^^^", IO_SILENT},
    {"ValueError: strides must be 16-byte aligned", IO_EXCEPTION},
    {"[rank0]: torch.AcceleratorError: CUDA error: misaligned address", IO_EXCEPTION},
    {"(EngineCore_DP0 pid=7) ERROR 10-27 20:12:32 [core.py:708] AssertionError", IO_EXCEPTION},
    {"E       RuntimeError: Failed", IO_EXCEPTION},
    {"FAILED test_a.py::test - triton.runtime.errors.PTXASError: internal", IO_EXCEPTION},
    {"InterpreterError: AssertionError('stride')", IO_EXCEPTION},
    {"  what():  CUDA free failed", IO_EXCEPTION},
    {"        ValueError: if the strides are not aligned", IO_PRINTED},
    {"    raise ValueError(f\"Tiling {tiles} does not apply\")", IO_CHECK},
    {"+        if contig_dim_size * elem_size < 16:", IO_CHECK},
    {"If it hangs, say so", IO_PRINTED},
    {"    except ValueError: pass", IO_CODE},
    {"while x:", IO_CODE},
    {"while it runs", IO_PROSE},
    {"for it runs", IO_PROSE},
    {"NVF_ERROR a:", IO_CHECK},
    {"if it hangs say so", IO_PRINTED},
    {"ERROR    ", IO_PRINTED},
    {"ERROR [core] KeyError: 7", IO_EXCEPTION},
    {"ERROR 7", IO_PROSE},
    {"E    x", IO_PROSE},
    {"KeyError(", IO_PRINTED},
    {"gave KeyError(\"x\")", IO_EXCEPTION},
    {"gave KeyError(x)", IO_PRINTED},
    {"thread 'main' panicked at src/main.rs:7:5:", IO_EXCEPTION},
    {"RuntimeError: warning: late", IO_EXCEPTION},
    {"the assertion x == y has failed", IO_ASSERTION},
    {"the assertion x == y holds", IO_PROSE},
    {"a static assertion on x failed", IO_PRINTED},
    {"python: Allocation.cpp:43: Assertion `rank == 2' failed.", IO_ASSERTION},
    {"ptxas /tmp/a.ptx, line 4; error   : Feature '.tile' not supported", IO_COMPILER},
    {"a.cu(7): error: expected a \",\"", IO_COMPILER},
    {"LLVM ERROR: Cannot select", IO_COMPILER},
    {"========= Invalid __shared__ read of size 16 bytes", IO_TOOL},
    {"UserWarning: not available", IO_REMARK},
    {"ptxas info    : Used 168 registers", IO_REMARK},
    {"auto map = make_tma_copy(a, b);", IO_CODE},
    {"x = torch.empty(7)", IO_CODE},
    {"Failed to create tensor map", IO_PRINTED},
    {"I use four stages", IO_PROSE},
};

static void test_speakers(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const enum io_speaker by = io_speaker_of(lines[i].line, strlen(lines[i].line));
        if (by != lines[i].by)
            bad++, print_message("%s: %d, not %d\n", lines[i].line, by, lines[i].by);
    }
    assert_int_equal(bad, 0);
}

static void expect_order(const char *text, const char *const *wanted)
{
    struct io_statements said;

    assert_true(io_statements_of(text, strlen(text), &said));
    for (size_t i = 0; i < said.count; i++) {
        const struct io_statement *s = &said.list[i];
        if (!*wanted || strlen(*wanted) != s->length ||
            memcmp(text + s->at, *wanted, s->length) != 0)
            fail_msg("'%.*s', not '%s'", (int)s->length, text + s->at, *wanted ? *wanted : "");
        wanted++;
    }
    assert_null(*wanted);
    io_statements_free(&said);
}

/* The last exception first, with the lines that its message goes on for. */
static void test_order(void **state)
{
    (void)state;
    expect_order("It stops.\nKeyError: '90'\n\nDuring handling of it:\n  File \"a\", line 1\n"
                 "CompilationError: at 1:2:\n  x = 7\n    ^\n\nerror: no\n========= Invalid read",
                 (const char *const[]){"CompilationError: at 1:2:\n  x = 7\n    ^",
                                       "KeyError: '90'", "error: no", "========= Invalid read",
                                       "It stops.", NULL});
    expect_order("  File \"a\", line 1\n  assert n % 64 == 0\n  ^^^^\nAssertionError",
                 (const char *const[]){"  assert n % 64 == 0\n  ^^^^\nAssertionError",
                                       "  assert n % 64 == 0", NULL});
    expect_order("It stops.\nAssertionError",
                 (const char *const[]){"AssertionError", "It stops.", NULL});
    expect_order("ValueError: a\n |\nb", (const char *const[]){"ValueError: a\n |\nb", "b", NULL});
    expect_order("x = 7\nit gave KeyError('a')",
                 (const char *const[]){"it gave KeyError('a')", NULL});
    expect_order("", (const char *const[]){NULL});
    expect_order("\n", (const char *const[]){NULL});
    expect_order("KeyError: 7\n", (const char *const[]){"KeyError: 7", NULL});
}

/* "int32$": no part of a longer name, which a prefix may stand before. */
static void test_whole_words(void **state)
{
    static const struct {
        const char *text;
        bool found;
    } rows[] = {
        {"no int32", true},    {"int32 is not", true}, {"int32", true},
        {"TYPE_INT32.", true}, {"int", false},         {"no uint32", false},
        {"no int32x4", false}, {"no int32_t", false},  {"int32_t or int32", true},
    };
    int bad = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_text text;
        size_t where;
        assert_true(io_text_of(rows[i].text, strlen(rows[i].text), &text));
        if (io_words_in(&text, 0, text.size, "int32$", false, &where) != rows[i].found)
            bad++, print_message("%s\n", rows[i].text);
        io_text_free(&text);
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speakers),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_whole_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
