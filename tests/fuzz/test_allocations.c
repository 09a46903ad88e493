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
#include "tmap/protocol.h"
#include "tmap/symbolic.h"

#include "support/failing_malloc.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

/* The first access to shared memory reads rows of a matrix. */
static const char rows[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 16 .b8 s[1024];\n"
    ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>;\nmov.u32 %r1, %tid.x;\n"
    "and.b32 %r1, %r1, 7; shl.b32 %r1, %r1, 4; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;\n"
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1]; ret; }\n";

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

static enum tmap_status emulate_rows(void)
{
    return emulate_one(rows);
}

static enum tmap_status emulate_copies(void)
{
    return emulate_one(kernels[1]);
}

/* --- larger programs: what a whole CTA of 128 threads does with 128 KiB, and its record ------- */

static enum tmap_status run_cluster(const char *text, size_t bytes, uint32_t ctas,
                                    struct tmap_emulate_record *record)
{
    static uint32_t data[1 << 16];
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_finding finding[2];
    struct tmap_emulate_result result;
    const uint64_t at = 0x10000;
    const struct tmap_emulate_buffer buffer = {at, sizeof data, data, "data"};
    const struct tmap_emulate_launch launch = {.kernel = "k",
                                               .grid = {ctas, 1, 1},
                                               .block = {128, 1, 1},
                                               .cluster = {ctas, 1, 1},
                                               .smem_bytes = 128 << 10,
                                               .params = &at,
                                               .param_bytes = 8,
                                               .buffers = &buffer,
                                               .buffer_count = 1,
                                               .schedule = record ? TMAP_EMULATE_EARLIEST
                                                                  : TMAP_EMULATE_LATEST,
                                               .tensor_fences = true,
                                               .budget = 1000000};
    const struct tmap_emulate_watch watch = {.size = sizeof watch, .record = record};
    size_t found = 77;
    data[0] = 5;
    enum tmap_status s = tmap_emulate_load(text, bytes, &module, NULL);
    assert_true((s == TMAP_OK) == (module != NULL));
    if (s == TMAP_OK)
        s = tmap_emulate_run_watched(module, &launch, &watch, finding, 2, &found, &result);
    assert_true(s == TMAP_OK ? found == 0 && result.finished : found == 77);
    tmap_emulate_free(module);
    return s;
}

static enum tmap_status run_large(const char *text, size_t bytes,
                                  struct tmap_emulate_record *record)
{
    return run_cluster(text, bytes, 1, record);
}

/* Read without the memory that fails. */
static enum tmap_status run_file(const char *path)
{
    static char text[1 << 16];
    const int f = open(path, O_RDONLY);
    const ssize_t bytes = f < 0 ? -1 : read(f, text, sizeof text);
    if (f >= 0) close(f);
    assert_true(bytes > 0);
    return run_large(text, (size_t)bytes, NULL);
}

static enum tmap_status emulate_block_scales(void)
{
    return run_file("tests/data/ptx/block_scales_sm_100.ptx");
}

static enum tmap_status emulate_tensor_memory(void)
{
    return run_file("tests/data/ptx/tensor_copy_sm_100.ptx");
}

/* cp.async and its barriers, stores to the own cluster, atomics, calls, bar.red. */
static const char many[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.global .u32 count;\n"
    ".global .u64 where = generic(count); .const .u32 c[4] = {1, 2, 3, 4};\n"
    ".shared .align 128 .b8 s[8192]; .shared .align 8 .b64 bar[2];\n"
    ".func (.param .b32 o) f(.param .b32 i) { .reg .b32 %a; ld.param.b32 %a, [i];\n"
    "add.u32 %a, %a, 1; st.param.b32 [o], %a; ret; }\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>; .local .b8 l[16];\n"
    ".param .b32 x; .param .b32 y;\n"
    "ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar;\n"
    "setp.ne.u32 %p1, %r0, 0; @%p1 bra made; mbarrier.init.shared::cta.b64 [%r2], 128;\n"
    "mbarrier.init.shared::cta.b64 [%r2+8], 1; fence.mbarrier_init.release.cluster;\n"
    "made: fence.proxy.async; bar.sync 0; mul.wide.u32 %d1, %r0, 16; add.s64 %d2, %d0, %d1;\n"
    "cvt.u32.u64 %r3, %d1; add.u32 %r3, %r1, %r3; cp.async.cg.shared.global [%r3], [%d2], 16;\n"
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r2];\n"
    "one: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra one;\n"
    "cp.async.ca.shared.global [%r3], [%d2], 8; cp.async.commit_group; cp.async.wait_group 0;\n"
    "@%p1 bra two; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+8], 12;\n"
    "add.u32 %r4, %r2, 8; add.u32 %r5, %r1, 4096;\n"
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r5], %r0, [%r4];\n"
    "add.u32 %r5, %r1, 4104;\n"
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r5], %d0, "
    "[%r4];\n"
    "two: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2+8], 0; @!%p2 bra two;\n"
    "st.param.b32 [x], %r0; call.uni (y), f, (x); ld.param.b32 %r6, [y]; st.local.u32 [l], %r6;\n"
    "bar.red.popc.u32 %r7, 1, %p1; mov.u64 %d3, count; atom.global.add.u32 %r8, [%d3], 1;\n"
    "and.b32 %r9, %r0, 1; t: .branchtargets even, odd; brx.idx %r9, t;\n"
    "even: bra out;\nodd: ld.const.u32 %r10, [c+4];\nout: bar.sync 0; @%p1 bra end;\n"
    "fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r1], 512;\n"
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d0+1024], [%r1], 512;\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "tensormap.replace.tile.rank.global.b1024.b32 [%d0+4096], 1;\n"
    "fence.proxy.tensormap::generic.release.gpu;\n"
    "fence.proxy.tensormap::generic.acquire.gpu [%d0+4096], 128;\nend: ret;\n}\n";

static enum tmap_status emulate_many(void)
{
    return run_large(many, sizeof many - 1, NULL);
}

/* A product of numbers that are far apart. */
static const char far[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 s[1024];\n"
    ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<8>; .reg .b64 %d;\n"
    "mov.u32 %r0, s; shr.u32 %r0, %r0, 4; cvt.u64.u32 %d, %r0; mov.u32 %r1, 0x7f000080;\n"
    "mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r2, %r3, %r4, %r5}, "
    "{%r1, %r1, %r1, %r1}, %d, 1, 1, 1, 0;\n"
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ret;\n}\n";

static enum tmap_status emulate_far(void)
{
    return run_large(far, sizeof far - 1, NULL);
}

/* Tensor memory of a pair of CTAs, and more registers of it than are kept at first. */
static const char pair[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.shared .align 4 .b32 at;\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %p; .reg .b32 %r<4>; .reg .b32 %v<64>;\n"
    "mov.u32 %r0, %tid.x; setp.ge.u32 %p, %r0, 32; @%p bra out;\n"
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [at], 64;\n"
    "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned; ld.shared.u32 %r1, [at];\n"
    "tcgen05.ld.sync.aligned.32x32b.x64.b32 {"
    "%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15, "
    "%v16, %v17, %v18, %v19, %v20, %v21, %v22, %v23, %v24, %v25, %v26, %v27, %v28, %v29, %v30, "
    "%v31, "
    "%v32, %v33, %v34, %v35, %v36, %v37, %v38, %v39, %v40, %v41, %v42, %v43, %v44, %v45, %v46, "
    "%v47, "
    "%v48, %v49, %v50, %v51, %v52, %v53, %v54, %v55, %v56, %v57, %v58, %v59, %v60, %v61, %v62, "
    "%v63}, [%r1];\n"
    "tcgen05.wait::ld.sync.aligned; tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 64;\n"
    "out: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;\n}\n";

static enum tmap_status emulate_pair(void)
{
    return run_cluster(pair, sizeof pair - 1, 2, NULL);
}

/* Warp 0 loads data[0] blocks into a ring of two slots, warp 1 reads them; warp 2 looks at the
 * first slot before it does anything else. */
static const char ring[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar[4];\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>;\n"
    "ld.param.u64 %d0, [p]; ld.global.u32 %r9, [%d0]; mov.u32 %r0, %tid.x; mov.u32 %r1, s;\n"
    "mov.u32 %r2, bar; mov.u32 %r3, 0; setp.ge.u32 %p2, %r0, 64;\n"
    "@%p2 ld.shared.u32 %r10, [%r1]; setp.ne.u32 %p1, %r0, 0; @%p1 bra made;\n"
    "mbarrier.init.shared::cta.b64 [%r2], 1; mbarrier.init.shared::cta.b64 [%r2+8], 1;\n"
    "mbarrier.init.shared::cta.b64 [%r2+16], 1; mbarrier.init.shared::cta.b64 [%r2+24], 1;\n"
    "fence.mbarrier_init.release.cluster;\nmade: bar.sync 0;\n"
    "setp.ge.u32 %p2, %r0, 64; @%p2 bra out; setp.ge.u32 %p2, %r0, 32;\n"
    "and.b32 %r4, %r0, 31; setp.ne.u32 %p5, %r4, 0; @!%p2 bra first; bra next;\n"
    "first: @%p5 bra out;\nnext: setp.ge.u32 %p3, %r3, %r9; @%p3 bra out;\n"
    "and.b32 %r4, %r3, 1; shr.u32 %r5, %r3, 1; and.b32 %r5, %r5, 1; shl.b32 %r6, %r4, 3;\n"
    "add.u32 %r6, %r2, %r6; add.u32 %r7, %r6, 16; shl.b32 %r8, %r4, 8; add.u32 %r8, %r1, %r8;\n"
    "@%p2 bra consume; xor.b32 %r5, %r5, 1;\n"
    "free: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r7], %r5; @!%p4 bra free;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 256;\n"
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r8], [%d0], 256, [%r6];\n"
    "add.u32 %r3, %r3, 1; bra next;\n"
    "consume: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r6], %r5; @!%p4 bra consume;\n"
    "ld.shared.u32 %r10, [%r8]; bar.warp.sync -1; @%p5 bra over;\n"
    "mbarrier.arrive.shared::cta.b64 _, [%r7];\nover: add.u32 %r3, %r3, 1; bra next;\n"
    "out: ret;\n}\n";

/* An answer of clusterlaunchcontrol, rows of a matrix as the first access to shared memory, and a
 * copy by a tensor map, with every turn chosen. */
static const char chosen[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 16 .b8 t[16]; .shared .align 8 .b64 bar;\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar;\n"
    "mov.u32 %r3, t; setp.ge.u32 %p1, %r0, 32; @%p1 bra out; and.b32 %r4, %r0, 7;\n"
    "shl.b32 %r4, %r4, 4; add.u32 %r4, %r4, %r1;\n"
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4]; setp.ne.u32 %p1, %r0, 0; @%p1 bra "
    "out;\n"
    "mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 144;\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r3], "
    "[%r2];\n"
    "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%d0, "
    "{%r0, %r0}], [%r2];\n"
    "wait: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra wait; out: ret;\n}\n";

static uint32_t newest(void *self, const uint64_t *name, uint32_t n,
                       const struct tmap_emulate_touched *last)
{
    (void)self, (void)name, (void)last;
    return n - 1;
}

static enum tmap_status emulate_chosen(void)
{
    static _Alignas(128) uint32_t data[256];
    struct tmap_checker checker;
    const struct tmap_target target = tmap_default_target();
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_result result;
    struct tmap_map map;
    const uint64_t at = 0x10000;
    const struct tmap_desc d = {.kind = TMAP_TILED,
                                .dtype = TMAP_UINT32,
                                .rank = 2,
                                .address = at + 256,
                                .dim = {8, 8},
                                .stride_bytes = {32},
                                .box = {8, 4},
                                .elem_stride = {1, 1}};
    const struct tmap_emulate_buffer buffer = {at, sizeof data, data, "data"};
    const struct tmap_emulate_launch launch = {.kernel = "k",
                                               .block = {64, 1, 1},
                                               .params = &at,
                                               .param_bytes = 8,
                                               .buffers = &buffer,
                                               .buffer_count = 1,
                                               .schedule = TMAP_EMULATE_CHOSEN};
    const struct tmap_emulate_watch watch = {.size = sizeof watch, .choose = newest};
    size_t found = 77;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_DOCUMENTED, &checker), TMAP_OK);
    assert_int_equal(tmap_encode(&checker, &d, &map), TMAP_OK);
    memcpy(data, &map, sizeof map);
    enum tmap_status s = tmap_emulate_load(chosen, sizeof chosen - 1, &module, NULL);
    if (s == TMAP_OK)
        s = tmap_emulate_run_watched(module, &launch, &watch, NULL, 0, &found, &result);
    assert_true(s == TMAP_OK ? found == 0 && result.finished : found == 77);
    tmap_emulate_free(module);
    return s;
}

static enum tmap_status emulate_protocol(void)
{
    static struct tmap_protocol protocol;
    struct tmap_emulate_record *record = NULL;
    enum tmap_status s = tmap_emulate_record_open(0, &record);
    assert_true((s == TMAP_OK) == (record != NULL));
    if (s == TMAP_OK) s = run_large(ring, sizeof ring - 1, record);
    if (s == TMAP_OK)
        s = tmap_emulate_protocol(&record, 1, TMAP_EMULATE_BARRIERS, 0, &protocol, NULL);
    tmap_emulate_record_free(record);
    return s;
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
TEST(emulate_rows)
TEST(emulate_block_scales)
TEST(emulate_tensor_memory)
TEST(emulate_many)
TEST(emulate_far)
TEST(emulate_pair)
TEST(emulate_chosen)
TEST(emulate_protocol)
TEST(corpus)
TEST(symbolic)
TEST(driver)
TEST(code)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_emulate),
                                       cmocka_unit_test(test_emulate_copies),
                                       cmocka_unit_test(test_emulate_rows),
                                       cmocka_unit_test(test_emulate_block_scales),
                                       cmocka_unit_test(test_emulate_tensor_memory),
                                       cmocka_unit_test(test_emulate_many),
                                       cmocka_unit_test(test_emulate_far),
                                       cmocka_unit_test(test_emulate_pair),
                                       cmocka_unit_test(test_emulate_chosen),
                                       cmocka_unit_test(test_emulate_protocol),
                                       cmocka_unit_test(test_corpus),
                                       cmocka_unit_test(test_symbolic),
                                       cmocka_unit_test(test_driver),
                                       cmocka_unit_test(test_code)};
    return cmocka_run_group_tests_name("failing allocations of the library", tests, NULL, NULL);
}
