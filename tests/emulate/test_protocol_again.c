/* A warp that makes its barriers again for every tile, as a record sees it. */
#include "support/protocol_texts.h"

enum { THREADS = 32 };

/* data[0]: tiles, of 3, 1 and 2 blocks in turn. */
static const char again[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar[4];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    ".reg .b32 %n, %m, %s, %bar, %i, %j, %slot, %par, %full, %buf;\n"
    "ld.param.u64 %d0, [p]; ld.global.u32 %n, [%d0]; mov.u32 %r1, %tid.x; mov.u32 %s, s;\n"
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra out; mov.u32 %bar, bar; mov.u32 %i, 0;\n"
    "tile: setp.ge.u32 %p1, %i, %n; @%p1 bra out; mov.u32 %j, 0;\n"
    "add.u32 %m, %i, 2; rem.u32 %m, %m, 3;\n"
    "mbarrier.init.shared::cta.b64 [%bar], 1; mbarrier.init.shared::cta.b64 [%bar+8], 1;\n"
    "fence.mbarrier_init.release.cluster;\n"
    "block: and.b32 %slot, %j, 1; shr.u32 %par, %j, 1;\n"
    "shl.b32 %r1, %slot, 3; add.u32 %full, %bar, %r1; shl.b32 %r1, %slot, 8;\n"
    "add.u32 %buf, %s, %r1;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 256;\n"
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%buf], [%d0], 256, [%full];\n"
    "there: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%full], %par; @!%p2 bra there;\n"
    "ld.shared.u64 %d5, [%buf]; fence.proxy.async.shared::cta;\n"
    "add.u32 %j, %j, 1; setp.le.u32 %p2, %j, %m; @%p2 bra block;\n"
    "mbarrier.inval.shared::cta.b64 [%bar]; mbarrier.inval.shared::cta.b64 [%bar+8];\n"
    "add.u32 %i, %i, 1; bra tile;\n"
    "out: ret;\n}\n";

#define FENCE "fence.mbarrier_init.release.cluster;\n"
#define WAIT                                                                                       \
    "there: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%full], %par; @!%p2 bra there;\n"
#define READ "ld.shared.u64 %d5, [%buf]; fence.proxy.async.shared::cta;\n"
static const struct change changes[] = {
    {"as it is", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"no fence", FENCE, "", 0, PART, TMAP_OK, TMAP_HAZARD_UNINITIALIZED, ""},
    {"a read before the wait", WAIT READ, READ WAIT, 0, PART, TMAP_OK, TMAP_HAZARD_EARLY, ""},
};

/* The copy of the next block is issued before a block is waited for, and the last
 * after the blocks. */
#define COPY(to, barrier)                                                                          \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [" barrier "], 256;\n"                           \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [" to                           \
    "], [%d0], 256, [" barrier "];\n"
#define LAST                                                                                       \
    "and.b32 %slot, %j, 1; shr.u32 %par, %j, 1; shl.b32 %r1, %slot, 3; add.u32 %full, %bar, "      \
    "%r1;\n"                                                                                       \
    "last: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%full], %par; @!%p2 bra last;\n"         \
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1; ld.shared.u64 %d4, [%buf];\n"
static const struct edit ahead[] = {
    {COPY("%buf", "%full"), "xor.b32 %r2, %slot, 1; shl.b32 %r3, %r2, 3; add.u32 %r3, %bar, %r3;\n"
                            "shl.b32 %r4, %r2, 8; add.u32 %r4, %s, %r4;\n" COPY("%r4", "%r3")},
    {"block:", COPY("%s", "%bar") "block:"},
    {"mbarrier.inval", LAST "mbarrier.inval"},
};
static const struct change of_ahead[] = {
    {"a copy ahead", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a copy ahead, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a copy ahead, nobody reads the last", "ld.shared.u64 %d4, [%buf];", "", 0, PART, TMAP_OK,
     TMAP_HAZARD_OVERWRITE, ""},
    {"a copy ahead, a read before the wait", WAIT READ, READ WAIT, 0, PART, TMAP_OK,
     TMAP_HAZARD_EARLY, ""},
};

/* What a warp stores to tensor memory is no step. */
static const struct edit blackwell[] = {{"sm_90a", "sm_100a"}};
static const struct change of_tensor_memory[] = {
    {"a store to tensor memory", "setp.ne.u32 %p1, %r1, 0;",
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s+768], 32;\n"
     "ld.shared.u32 %r2, [%s+768]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {%r1};\n"
     "tcgen05.wait::st.sync.aligned; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32;\n"
     "setp.ne.u32 %p1, %r1, 0;",
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
};

int main(void)
{
    static struct text_list one = {again, THREADS, 1, NULL, 0, changes, COUNT(changes)};
    static struct text_list before = LIST_OF(again, THREADS, 1, ahead, of_ahead);
    static struct text_list stored = LIST_OF(again, THREADS, 1, blackwell, of_tensor_memory);
    const struct CMUnitTest tests[] = {TEXTS_OF(one), TEXTS_OF(before), TEXTS_OF(stored)};
    return run_text_lists("barriers made again", tests, COUNT(tests));
}
