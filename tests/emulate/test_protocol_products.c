/* Rings whose slots products read: wgmma on Hopper, tcgen05 on Blackwell with its sums in tensor
 * memory, as a record sees them. */
#include "support/protocol_texts.h"

enum { GROUP = 160, TENSOR = 96 };

#define MAKE(count)                                                                                \
    "setp.ne.u32 %p1, %id, 0; @%p1 bra made; mov.u32 %r1, 0;\n"                                    \
    "make: shl.b32 %r2, %r1, 3; add.u32 %r2, %r2, %bar;\n"                                         \
    "mbarrier.init.shared::cta.b64 [%r2], 1; add.u32 %r1, %r1, 1;\n"                               \
    "setp.lt.u32 %p2, %r1, " #count "; @%p2 bra make;\n"                                           \
    "fence.mbarrier_init.release.cluster;\n"                                                       \
    "made: "
/* One thread copies data[0] blocks of 256 bytes into two slots; full barriers are bar[slot], empty
 * ones bar[2 + slot]. */
#define PRODUCE                                                                                    \
    "produce: setp.ge.u32 %p3, %i, %n; @%p3 bra out;\n"                                            \
    "and.b32 %slot, %i, 1; shr.u32 %par, %i, 1; and.b32 %par, %par, 1; xor.b32 %par, %par, 1;\n"   \
    "shl.b32 %r1, %slot, 3; add.u32 %full, %bar, %r1; add.u32 %empty, %full, 16;\n"                \
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1;\n"                                              \
    "free: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%empty], %par; @!%p4 bra free;\n"        \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 256;\n"                                 \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%buf], [%d0], 256, [%full];\n" \
    "add.u32 %i, %i, 1; bra produce;\n"
#define CONSUME                                                                                    \
    "consume: setp.ge.u32 %p3, %i, %n; @%p3 bra end;\n"                                            \
    "and.b32 %slot, %i, 1; shr.u32 %par, %i, 1; and.b32 %par, %par, 1;\n"                          \
    "shl.b32 %r1, %slot, 3; add.u32 %full, %bar, %r1; add.u32 %empty, %full, 16;\n"                \
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1;\n"                                              \
    "there: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%full], %par; @!%p4 bra there;\n"       \
    "shr.u32 %r1, %buf, 4; cvt.u64.u32 %db, %r1;\n"
#define REGISTERS                                                                                  \
    ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b64 %db;\n"                         \
    ".reg .b32 %n, %id, %s, %bar, %i, %slot, %par, %full, %empty, %buf;\n"                         \
    "ld.param.u64 %d0, [p]; ld.global.u32 %n, [%d0]; mov.u32 %id, %tid.x; mov.u32 %s, s;\n"        \
    "mov.u32 %bar, bar; mov.u32 %i, 0;\n"

/* A warpgroup multiplies what is in its registers with the slots. */
static const char wgmma[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar[4];\n"
    ".visible .entry k(.param .u64 p) {\n" REGISTERS
    ".reg .b32 %a<4>; .reg .b32 %c<4>; mov.u32 %a0, 0; mov.u32 %a1, 0; mov.u32 %a2, 0;\n"
    "mov.u32 %a3, 0; mov.u32 %c0, 0; mov.u32 %c1, 0; mov.u32 %c2, 0; mov.u32 %c3, 0;\n" MAKE(
        4) "bar.sync 0;\n"
           "setp.lt.u32 %p2, %id, 128; @%p2 bra consume; setp.ne.u32 %p1, %id, 128;\n"
           "@%p1 bra out;\n" PRODUCE CONSUME "or.b64 %db, %db, 0x800080000;\n"
           "wgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3},\n"
           " {%a0, %a1, %a2, %a3}, %db, 1, 1, 1, 0;\n"
           "wgmma.commit_group.sync.aligned;\n"
           "wgmma.wait_group.sync.aligned 0;\n"
           "setp.eq.u32 %p5, %id, 0; @%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
           "add.u32 %i, %i, 1; bra consume;\n"
           "end:\nout: ret;\n}\n";

#define WAIT_GROUP "wgmma.wait_group.sync.aligned 0;\n"
#define GIVE_BACK "setp.eq.u32 %p5, %id, 0; @%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
static const struct change of_wgmma[] = {
    {"wgmma", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"wgmma, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"wgmma, given back before it is read", WAIT_GROUP GIVE_BACK, GIVE_BACK WAIT_GROUP, 0, PART,
     TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
};

/* The warps look at the slot themselves, too, before they multiply it. */
static const struct edit looking[] = {
    {"wgmma.fence.sync", "ld.shared.u32 %r3, [%buf];\nwgmma.fence.sync"}};
static const struct change of_looking[] = {
    {"wgmma of a slot that was read", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"wgmma of a slot that was read, given back before it is multiplied", WAIT_GROUP GIVE_BACK,
     GIVE_BACK WAIT_GROUP, 0, PART, TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
};

/* One thread multiplies the slots with what lies behind them, one warp reads the sums of all. */
static const char tensor[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar[6]; .shared .b32 base;\n"
    ".visible .entry k(.param .u64 p) {\n" REGISTERS
    ".reg .b32 %tm, %idesc, %a; .reg .b64 %da; mov.u32 %idesc, 0x4020010;\n"
    "setp.ge.u32 %p2, %id, 32; @%p2 bra alloced; mov.u32 %a, base;\n"
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%a], 32;\n"
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
    "alloced:\n" MAKE(
        6) "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
           "ld.shared.u32 %tm, [base];\n"
           "setp.ge.u32 %p2, %id, 64; @%p2 bra fetch;\n"
           "setp.eq.u32 %p2, %id, 32; @%p2 bra multiply;\n"
           "@%p1 bra out;\n" PRODUCE
           "multiply: add.u32 %a, %s, 1024; shr.u32 %a, %a, 4; cvt.u64.u32 %da, %a;\n"
           "or.b64 %da, %da, 0x400800080000; setp.ne.u32 %p6, %id, %id;\n" CONSUME
           "or.b64 %db, %db, 0x400800080000;\n"
           "tcgen05.mma.cta_group::1.kind::f16 [%tm], %da, %db, %idesc, %p6;\n"
           "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%empty];\n"
           "setp.eq.u32 %p6, %id, %id; add.u32 %i, %i, 1; bra consume;\n"
           "end: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar+32];\n"
           "bra out;\n"
           "fetch: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%bar+32], 0; @!%p4 bra fetch;\n"
           "tcgen05.fence::after_thread_sync; add.u32 %tm, %tm, 0x400000;\n"
           "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7},\n"
           " [%tm];\n"
           "tcgen05.wait::ld.sync.aligned;\n"
           "out: ret;\n}\n";
#define FETCH                                                                                      \
    "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7},\n"            \
    " [%tm];\n"                                                                                    \
    "tcgen05.wait::ld.sync.aligned;\n"
#define MULTIPLY "tcgen05.mma.cta_group::1.kind::f16 [%tm], %da, %db, %idesc, %p6;\n"
#define COMMIT "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%empty];\n"
static const struct change of_tensor[] = {
    {"tcgen05", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "is not always as far along its ring"},
    {"tcgen05, nobody reads the sums", FETCH, "", 0, PART, TMAP_E_ARGUMENT, 0,
     "is not always as far along its ring"},
    {"tcgen05, nobody reads the sums, ring 0", FETCH, "", 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"tcgen05, committed before it is multiplied", MULTIPLY COMMIT, COMMIT MULTIPLY, 0, FIRST,
     TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
    {"tcgen05, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
};

int main(void)
{
    static struct text_list group = {wgmma, GROUP, 1, NULL, 0, of_wgmma, COUNT(of_wgmma)},
                            looked = LIST_OF(wgmma, GROUP, 1, looking, of_looking),
                            sums = {tensor, TENSOR, 1, NULL, 0, of_tensor, COUNT(of_tensor)};
    const struct CMUnitTest tests[] = {TEXTS_OF(group), TEXTS_OF(looked), TEXTS_OF(sums)};
    return run_text_lists("rings that products read", tests, COUNT(tests));
}
