/* test_code.c : which lines of a pasted text are source, and what is left of a text without them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/seen.h"

#include <string.h>

static void expect_call(const char *text, const char *call, size_t line)
{
    struct io_seen seen;
    const bool found = io_seen_call(text, strlen(text), &seen);

    assert_true(found == !!call);
    if (!call) return;
    assert_string_equal(seen.call, call);
    assert_int_equal(seen.line, line);
}

/* The call that makes a descriptor, before one that uses it. */
static void test_calls(void **state)
{
    (void)state;
    expect_call("x = desc.load([i,\n  j])\nd = make_host_desc(q, n)", "make_host_desc(q, n)", 3);
    expect_call("y = 1\nx = desc.load([i,\n     j])", "desc.load([i, j])", 2);
    expect_call("cute.copy(\n    tma_atom,\n    src)", "cute.copy(tma_atom, src)", 1);
    expect_call("tl::tma_load(B_desc, mba", "tl::tma_load(B_desc, mba...", 1);
    expect_call("return make_desc(x);", "make_desc(x)", 1);
    expect_call("def make_desc(x):\n    g(x)", NULL, 0);
    expect_call("CUtensorMap make_desc(int x) {\n  g(x);", NULL, 0);
    expect_call("const char *tma_error(int x);", NULL, 0);
    expect_call("make_desc(x) fails on Hopper", NULL, 0);
    expect_call("tma::expect(bar);\ntma::load_async(a, b);", "tma::load_async(a, b)", 2);
    expect_call("prefetch_tma_desc(p.tma_load.get_tma_desc());",
                "prefetch_tma_desc(p.tma_load.get_tma_desc())", 1);
    expect_call("known_multiple_of(x, TMA_ALIGNMENT)", NULL, 0);
    expect_call("", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
