/* Every allocation of every library call that allocates fails, once and from then on: the call says
 * TMAP_E_MEMORY or gives the whole answer, keeps nothing, and leaves its outputs alone. The program
 * brings its own malloc, which counts what is not given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tmap/code.h"
#include "tmap/driver.h"
#include "tmap/emulate.h"
#include "tmap/symbolic.h"

#include "support/failing_malloc.h"

#include <string.h>

/* --- the calls: each TMAP_OK, TMAP_E_MEMORY, or what it says without any failure ----------------
 */

static const char *const kernels[] = {
    ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 16 .b8 s[1024];\n"
    ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s;\n"
    "add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r7, [%r4];\n"
    "cvt.u64.u32 %rd2, %r2; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r7; ret; }\n",
    /* a copy that a barrier counts, a store by the engine, a release and an acquire */
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar; .global .u32 flag;\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar;\n"
    "mov.u32 %r7, %ctaid.x; setp.ne.u32 %p3, %r7, 0; @%p3 bra other;\n"
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra ready;\n"
    "mbarrier.init.shared::cta.b64 [%r3], 1; fence.mbarrier_init.release.cluster;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256;\n"
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 256, [%r3];\n"
    "ready: bar.sync 0;\n"
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0; @!%p2 bra wait;\n"
    "shl.b32 %r4, %r1, 2; add.u32 %r5, %r2, %r4; ld.shared.u32 %r6, [%r5]; bar.sync 0;\n"
    "add.u32 %r6, %r6, 1; st.shared.u32 [%r5], %r6; fence.proxy.async.shared::cta; bar.sync 0;\n"
    "@%p1 bra out; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 256;\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "mov.u64 %rd2, flag; st.release.gpu.global.u32 [%rd2], 1; bra out;\n"
    "other: mov.u64 %rd2, flag;\n"
    "poll: ld.acquire.gpu.global.u32 %r8, [%rd2]; setp.eq.u32 %p2, %r8, 0; @%p2 bra poll;\n"
    "out: ret; }\n"};

static enum tmap_status emulate_one(const char *kernel)
{
    static uint32_t data[64];
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_finding finding[2];
    struct tmap_emulate_result result;
    const uint64_t at = 0x10000;
    const struct tmap_emulate_buffer buffer = {at, sizeof data, data, "data"};
    const struct tmap_emulate_launch launch = {.kernel = "k",
                                               .grid = {2, 1, 1},
                                               .block = {64, 1, 1},
                                               .params = &at,
                                               .param_bytes = 8,
                                               .buffers = &buffer,
                                               .buffer_count = 1};
    size_t found = 77;
    enum tmap_status s = tmap_emulate_load(kernel, strlen(kernel), &module, NULL);
    assert_true((s == TMAP_OK) == (module != NULL));
    if (s == TMAP_OK) s = tmap_emulate_run(module, &launch, finding, 2, &found, &result);
    assert_true(s == TMAP_OK ? found == 0 && result.finished : found == 77);
    tmap_emulate_free(module);
    return s;
}

static enum tmap_status emulate(void)
{
    return emulate_one(kernels[0]);
}

static enum tmap_status emulate_copies(void)
{
    return emulate_one(kernels[1]);
}

static enum tmap_status corpus(void)
{
    struct tmap_corpus *c = NULL;
    struct tmap_corpus_case one;
    const enum tmap_status s = tmap_corpus_open("tests/golden/h200-580.bin", &c);
    assert_true((s == TMAP_OK) == (c != NULL));
    if (c) assert_int_equal(tmap_corpus_next(c, &one), TMAP_OK);
    tmap_corpus_close(c);
    return s;
}

static enum tmap_status symbolic(void)
{
    struct tmap_symbolic *s = NULL;
    const enum tmap_status status = tmap_symbolic_open(NULL, &s);
    assert_true((status == TMAP_OK) == (s != NULL));
    tmap_symbolic_close(s);
    return status;
}

static enum tmap_status driver(void)
{
    struct tmap_driver *d = NULL;
    char why[TMAP_DRIVER_TEXT];
    const enum tmap_status s = tmap_driver_open("/none/libcuda.so", 0, &d, why);
    assert_null(d);
    return s == TMAP_E_NO_DRIVER ? TMAP_OK : s;
}

static enum tmap_status code(void)
{
    static const unsigned char elf[256] = "\177ELF\2\1\1";
    size_t found = 77;
    const enum tmap_status s = tmap_code_scan(elf, sizeof elf, NULL, 0, &found, NULL);
    return s == TMAP_E_ARGUMENT ? TMAP_OK : s;
}

static void sweep(enum tmap_status (*call)(void))
{
    long total, failures = 0;
    fail_at = 0;
    assert_int_equal(call(), TMAP_OK); /* what is kept for ever is kept now */
    count = 0;
    assert_int_equal(call(), TMAP_OK);
    total = count;
    for (long at = 1; at <= total; at++)
        for (fail_on = 0; fail_on < 2; fail_on++) {
            const long before = live;
            count = 0;
            fail_at = at;
            const enum tmap_status s = call();
            fail_at = 0;
            if (s != TMAP_OK && s != TMAP_E_MEMORY)
                fail_msg("allocation %ld of %ld: status %d", at, total, s);
            if (live != before)
                fail_msg("allocation %ld of %ld: %ld blocks kept", at, total, live - before);
            failures++;
        }
    print_message("# %ld failures of %ld allocations\n", failures, total);
}

#define TEST(call)                                                                                 \
    static void test_##call(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        if (!OWN_MALLOC) return;                                                                   \
        sweep(call);                                                                               \
    }
TEST(emulate)
TEST(emulate_copies)
TEST(corpus)
TEST(symbolic)
TEST(driver)
TEST(code)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emulate), cmocka_unit_test(test_emulate_copies),
        cmocka_unit_test(test_corpus),  cmocka_unit_test(test_symbolic),
        cmocka_unit_test(test_driver),  cmocka_unit_test(test_code)};
    return cmocka_run_group_tests_name("failing allocations of the library", tests, NULL, NULL);
}
