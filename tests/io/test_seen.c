/* test_seen.c : the calls of pasted source that are about a descriptor, or about a copy without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/bulk.h"
#include "io/paste/seen.h"

#include <stdio.h>
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
    expect_call("std::vector<int> make_desc(x);", NULL, 0);
    expect_call("*make_desc(x);", NULL, 0);
    expect_call("auto f(int) -> make_desc(x);", "make_desc(x)", 1);
    expect_call("p->make_desc(x);", "p->make_desc(x)", 1);
    expect_call("tma<bar>(x);", NULL, 0);
    expect_call(">(tma, desc);", NULL, 0);
    expect_call("y = -(tma_x);", NULL, 0);
    expect_call("y = get_desc();", NULL, 0);
    expect_call("y = get_desc(x", "get_desc(x...", 1);
    expect_call("y = get_desc(x, ", "get_desc(x,...", 1);
    expect_call("prefetch(x);", NULL, 0);
    expect_call("", NULL, 0);
}

/* bytes 0: none that is odd. */
static void expect_bulk(const char *text, uint64_t bytes, size_t line)
{
    struct io_bulk bulk;
    const bool found = io_bulk_odd(text, strlen(text), &bulk);

    assert_true(found == (bytes != 0));
    if (!found) return;
    assert_int_equal(bulk.bytes, bytes);
    assert_int_equal(bulk.line, line);
}

/* A count of bytes, and neither a block's rank, a mask, an address nor a coordinate. */
static void test_bulk_copies(void **state)
{
    (void)state;
    expect_bulk("x();\ntl::tma_store_cluster(..., static_cast<uint32_t>(508), ...);", 508, 2);
    expect_bulk("tl::tma_store_cluster(dst, src, 1, 508u, bar);", 508, 1);
    expect_bulk("tl::tma_store_cluster(dst, src, 1, 512, bar);", 0, 0);
    expect_bulk("tl::tma_store_cluster(f(a, 508), src, 1, n, bar);", 0, 0);
    expect_bulk("ptx::cp_async_bulk(space_cluster, space_global,\n  dst, src, (size_t)8, bar);", 8,
                1);
    expect_bulk("ptx::cp_async_bulk(dst, src, round(uint32_t(508)), bar);", 0, 0);
    expect_bulk("ptx::cp_async_bulk(dst, src, n + 508, bar, 0x508);", 0, 0);
    expect_bulk("// cp_async_bulk(dst, src, 508)", 0, 0);
    expect_bulk("cp_async_bulk_tensor_1d(dst, map, 508, bar);", 0, 0);
    expect_bulk("SM90_BULK_COPY_G2S::copy(gmem, bar, smem, 100);", 100, 1);
    expect_bulk("\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 508;\"", 508, 1);
    expect_bulk("cp.async.bulk.global.shared::cta.bulk_group [a], [b], 4;", 4, 1);
    expect_bulk("cp.async.bulk.shared::cluster.global.multicast::cluster [a], [b], 64, [c], 3;", 0,
                0);
    expect_bulk("cp.async.bulk.wait_group.read 1;", 0, 0);
    expect_bulk("cp.async.bulk.tensor.1d.global.shared::cta [m, {508}], [a];", 0, 0);
    expect_bulk("the cp.async.bulk.", 0, 0);
    expect_bulk("cp_async_bulk( )", 0, 0);
    expect_bulk("cp_async_bulk(dst, src, 508 , bar);", 508, 1);
    expect_bulk("cp_async_bulk(dst, 12345678901)", 0, 0);
    expect_bulk("", 0, 0);
}

/* Of a call, what stands within 512 characters behind its bracket. */
static void test_long_call(void **state)
{
    char text[1024];

    (void)state;
    snprintf(text, sizeof text, "cp_async_bulk(dst, %400s508)%200s;", "", "");
    expect_bulk(text, 508, 1);
    snprintf(text, sizeof text, "cp_async_bulk(dst, %600s508)", "");
    expect_bulk(text, 0, 0);
    snprintf(text, sizeof text, "cp_async_bulk(dst, %*s5120)", 512 - (int)strlen("dst, 51"), "");
    expect_bulk(text, 0, 0);
    snprintf(text, sizeof text, "cp_async_bulk(%0600d)", 0);
    expect_bulk(text, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_bulk_copies),
        cmocka_unit_test(test_long_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
