/* wgmma after wgmma: what one leaves does not depend on those before it, which the emulator has
 * decoded and keeps. Each is run by itself, and then all in one kernel. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/splitmix.h"

enum { THREADS = 128, SMEM = 8192, SUMS = 8, MOST = 16, TEXT = 16384 };

static struct memory {
    uint16_t b[SMEM / 2];
    uint32_t d[MOST][THREADS][SUMS];
} memory, all;

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 s[8192];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p; .reg .b32 %r<4>; .reg .b32 %a<4>; .reg .b32 %c<8>; .reg .b16 %h;\n"
    ".reg .b64 %rd<4>; .reg .b64 %mb, %out; .reg .b32 %id;\n"
    "ld.param.u64 %rd0, [p]; mov.u32 %id, %tid.x; mov.u32 %r0, s; mul.lo.u32 %r1, %id, 16;\n"
    "copy: cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %rd0; add.u32 %r2, %r1, %r0;\n"
    "ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%rd1]; st.shared.v4.u32 [%r2], {%a0, %a1, %a2, %a3};\n"
    "add.u32 %r1, %r1, 2048; setp.lt.u32 %p, %r1, 8192; @%p bra copy;\n"
    "fence.proxy.async.shared::cta; bar.sync 0; mul.wide.u32 %rd1, %id, 32;\n"
    "add.u64 %out, %rd0, %rd1; add.u64 %out, %out, 8192; shr.u32 %r0, %r0, 4;\n"
    "cvt.rn.f16.u32 %h, %id; mov.b32 %a0, {%h, %h}; add.u32 %a1, %a0, 65537;\n"
    "add.u32 %a2, %a0, 65538; add.u32 %a3, %a0, 65536;\n"
    "mov.u32 %c4, 0; mov.u32 %c5, 0; mov.u32 %c6, 0; mov.u32 %c7, 0;\n";

struct one {
    const char *shape; /* and types */
    uint32_t registers;
    const char *flags;
    uint64_t descriptor; /* of B, from its beginning on */
};

/* Both offsets alike, so that the same bytes are B in either order. */
#define SAME (8ull << 16 | 8ull << 32)
#define SPANS(layout, groups) (1ull << 16 | (uint64_t)(groups / 16) << 32 | layout##ull << 62)

static const struct one matrices[] = {
    {"m64n16k16.f32.f16.f16", 8, "1, 1, 0", SAME},
    {"m64n16k16.f32.bf16.bf16", 8, "1, 1, 0", SAME},
    {"m64n8k16.f32.bf16.bf16", 4, "1, 1, 0", SAME},
    {"m64n8k16.f32.bf16.bf16", 4, "1, 1, 1", SAME},
    {"m64n16k16.f32.bf16.bf16", 8, "1, 1, 1", SAME},
    {"m64n16k16.f32.f16.f16", 8, "1, 1, 1", SAME},
    {"m64n8k8.f32.tf32.tf32", 4, "1, 1", SAME},
    {"m64n16k32.s32.s8.s8", 8, "", SAME},
    {"m64n16k32.s32.u8.s8", 8, "", SAME},
};

static const struct one swizzles[] = {
    {"m64n8k16.f32.f16.f16", 4, "1, 1, 0", SPANS(1, 1024)}, /* 128 bytes */
    {"m64n8k16.f32.f16.f16", 4, "1, 1, 0", SPANS(2, 512)},
    {"m64n8k16.f32.f16.f16", 4, "1, 1, 0", SPANS(3, 256)},
    {"m64n8k16.f32.f16.f16", 4, "1, 1, 0", SPANS(1, 1024)},
    {"m64n8k16.f32.f16.f16", 4, "1, 1, 0", SPANS(0, 128)},
    {"m64n8k16.f32.f16.f16", 4, "1, 1, 0", SPANS(2, 512)},
};

static size_t put(char *text, size_t n, const struct one *w, size_t at)
{
    static const char *const registers[] = {"%c0, %c1, %c2, %c3",
                                            "%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7"};
    return n + (size_t)snprintf(
                   text + n, TEXT - n,
                   "cvt.u64.u32 %%mb, %%r0; or.b64 %%mb, %%mb, %llu; wgmma.fence.sync.aligned;\n"
                   "wgmma.mma_async.sync.aligned.%s {%s}, {%%a0, %%a1, %%a2, %%a3}, %%mb, 0%s%s;\n"
                   "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
                   "st.global.v4.u32 [%%out+%zu], {%%c0, %%c1, %%c2, %%c3};\n"
                   "st.global.v4.u32 [%%out+%zu], {%%c4, %%c5, %%c6, %%c7};\n"
                   "mov.u32 %%c4, 0; mov.u32 %%c5, 0; mov.u32 %%c6, 0; mov.u32 %%c7, 0;\n",
                   (unsigned long long)w->descriptor, w->shape, registers[w->registers / 8],
                   *w->flags ? ", " : "", w->flags, at * sizeof *memory.d,
                   at * sizeof *memory.d + 16);
}

static void run(const char *text, struct memory *m)
{
    struct ptx_run r;
    if (!ptx_run_on(text, m, sizeof *m, THREADS, 1, &r))
        fail_msg("%s%s", r.error.text, r.findings ? r.finding[0].text : "");
}

static void alone_and_together(const struct one *list, size_t count)
{
    static char text[TEXT], together[TEXT];
    uint64_t seed = 7;
    size_t n = (size_t)snprintf(together, sizeof together, "%s", head);
    memset(&memory, 0, sizeof memory);
    for (size_t i = 0; i < SMEM / 2; i++) memory.b[i] = (uint16_t)(splitmix(&seed) & 0xb7ff);
    all = memory;
    for (size_t i = 0; i < count; i++) {
        const size_t own = put(text, (size_t)snprintf(text, sizeof text, "%s", head), &list[i], i);
        snprintf(text + own, sizeof text - own, "ret;\n}\n");
        run(text, &memory);
        n = put(together, n, &list[i], i);
    }
    snprintf(together + n, sizeof together - n, "ret;\n}\n");
    run(together, &all);
    for (size_t i = 0; i < count; i++) {
        if (memcmp(memory.d[i], all.d[i], sizeof *memory.d) != 0)
            fail_msg("number %zu, %s, is another after those before it", i, list[i].shape);
        for (size_t j = 0; j < i; j++) /* the case means something */
            if (memcmp(&list[i], &list[j], sizeof *list) != 0)
                assert_memory_not_equal(memory.d[i], memory.d[j], sizeof *memory.d);
    }
}

static void of_other_types(void **state)
{
    (void)state;
    alone_and_together(matrices, sizeof matrices / sizeof *matrices);
}

static void of_other_swizzles(void **state)
{
    (void)state;
    alone_and_together(swizzles, sizeof swizzles / sizeof *swizzles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_other_types),
                                       cmocka_unit_test(of_other_swizzles)};
    return cmocka_run_group_tests_name("wgmma after wgmma", tests, NULL, NULL);
}
