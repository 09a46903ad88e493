/* Warps that take turns with tiles of several blocks, as a record sees them. */
#include "support/protocol_texts.h"

enum { TWO = 96, FOUR = 160 };

/* data[0]: blocks, in tiles that end after the blocks of which 0xeba has the bit, and after the
 * last. Warp 0 copies a block into a slot of 256 bytes; the full barriers are bar[slot], the empty
 * ones bar[2 + slot]. Warps 1 and 2 read every other tile each: who has read one arrives at the
 * other's barrier of bar[6] and bar[7], and who begins one waits for its own. */
static const char ring[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar[10];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    ".reg .b32 %n, %id, %warp, %s, %bar, %i, %slot, %par, %full, %empty, %buf, %lane;\n"
    ".reg .b32 %t, %of, %tpar, %done, %new;\n"
    "ld.param.u64 %d0, [p]; ld.global.u32 %n, [%d0]; mov.u32 %id, %tid.x; mov.u32 %s, s;\n"
    "mov.u32 %bar, bar; and.b32 %lane, %id, 31; shl.b32 %lane, %lane, 3; mov.u32 %i, 0;\n"
    "mov.u32 %t, 0; shr.u32 %warp, %id, 5; setp.ne.u32 %p1, %id, 0; @%p1 bra made;\n"
    "mov.u32 %r1, 0;\n"
    "make: shl.b32 %r2, %r1, 3; add.u32 %r2, %r2, %bar;\n"
    "mbarrier.init.shared::cta.b64 [%r2], 1; add.u32 %r1, %r1, 1;\n"
    "setp.lt.u32 %p2, %r1, 10; @%p2 bra make;\n"
    "fence.mbarrier_init.release.cluster;\n"
    "made: bar.sync 0; setp.eq.u32 %p5, %lane, 0;\n"
    "setp.gt.u32 %p2, %warp, 2; @%p2 bra last; setp.gt.u32 %p2, %warp, 0; @%p2 bra consume;\n"
    "@%p1 bra out;\n"
    "produce: setp.ge.u32 %p3, %i, %n; @%p3 bra out;\n"
    "and.b32 %slot, %i, 1; shr.u32 %par, %i, 1; and.b32 %par, %par, 1; xor.b32 %par, %par, 1;\n"
    "shl.b32 %r1, %slot, 3; add.u32 %full, %bar, %r1; add.u32 %empty, %full, 16;\n"
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1;\n"
    "free: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%empty], %par; @!%p4 bra free;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 256;\n"
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%buf], [%d0], 256, [%full];\n"
    "add.u32 %i, %i, 1; bra produce;\n"
    "consume: sub.u32 %warp, %warp, 1; mov.u32 %new, 1;\n"
    "next: setp.ge.u32 %p3, %i, %n; @%p3 bra out; and.b32 %of, %t, 1;\n"
    "setp.ne.u32 %p2, %of, %warp; @%p2 bra over; setp.eq.u32 %p6, %new, 0; @%p6 bra block;\n"
    "shl.b32 %r3, %of, 3; add.u32 %done, %bar, %r3; shr.u32 %tpar, %t, 1; and.b32 %tpar, %tpar, "
    "1;\n"
    "xor.b32 %tpar, %tpar, %warp; xor.b32 %tpar, %tpar, 1;\n"
    "turn: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%done+48], %tpar; @!%p4 bra turn;\n"
    "block:\n"
    "and.b32 %slot, %i, 1; shr.u32 %par, %i, 1; and.b32 %par, %par, 1;\n"
    "shl.b32 %r1, %slot, 3; add.u32 %full, %bar, %r1; add.u32 %empty, %full, 16;\n"
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1; add.u32 %buf, %buf, %lane;\n"
    "there: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%full], %par; @!%p4 bra there;\n"
    "ld.shared.u64 %d5, [%buf]; bar.warp.sync -1;\n"
    "@%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
    "over: shr.u32 %r3, 0xeba, %i; and.b32 %r3, %r3, 1; setp.eq.u32 %p6, %r3, 1;\n"
    "add.u32 %i, %i, 1; setp.eq.u32 %p7, %i, %n; or.pred %p6, %p6, %p7;\n"
    "selp.u32 %new, 1, 0, %p6; @!%p6 bra next; add.u32 %t, %t, 1; @%p2 bra next;\n"
    "shl.b32 %r3, %of, 3; add.u32 %done, %bar, %r3; xor.b32 %r3, %r3, 8; add.u32 %r3, %r3, %bar;\n"
    "@%p5 mbarrier.arrive.shared::cta.b64 _, [%r3+48];\nbra next;\n"
    "last:\n"
    "out: ret;\n}\n";

#define READ "ld.shared.u64 %d5, [%buf]; bar.warp.sync -1;\n"
#define GIVE_BACK "@%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
static const struct change changes[] = {
    {"turns with tiles", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns with tiles, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns with tiles, given back before it is read", READ GIVE_BACK, GIVE_BACK READ, 0, PART,
     TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
};

/* Warps 3 and 4 take turns, too, with barriers bar[4] and bar[5] that the other two arrive at after
 * every tile, and arrive at bar[8] and bar[9], which those wait for. */
#define FREE_TILE                                                                                  \
    "sub.u32 %tpar, %t, 1; shr.u32 %tpar, %tpar, 1; and.b32 %tpar, %tpar, 1;\n"                    \
    "xor.b32 %tpar, %tpar, 1;\n"                                                                   \
    "taken: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%done+64], %tpar; @!%p4 bra taken;\n"
static const struct edit four[] = {
    {"\nbra next;", FREE_TILE "@%p5 mbarrier.arrive.shared::cta.b64 _, [%done+32]; bra next;"},
    {"last:\n",
     "last: sub.u32 %warp, %warp, 3;\n"
     "after: setp.ge.u32 %p3, %i, %n; @%p3 bra out; and.b32 %of, %t, 1;\n"
     "setp.ne.u32 %p2, %of, %warp; shr.u32 %r3, 0xeba, %i; and.b32 %r3, %r3, 1;\n"
     "setp.eq.u32 %p6, %r3, 1; add.u32 %i, %i, 1; setp.eq.u32 %p7, %i, %n;\n"
     "or.pred %p6, %p6, %p7; @!%p6 bra after;\n"
     "shr.u32 %tpar, %t, 1; and.b32 %tpar, %tpar, 1; add.u32 %t, %t, 1; @%p2 bra after;\n"
     "shl.b32 %r3, %of, 3; add.u32 %done, %bar, %r3;\n"
     "tile: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%done+32], %tpar; @!%p4 bra tile;\n"
     "@%p5 mbarrier.arrive.shared::cta.b64 _, [%done+64]; bra after;\n"},
};
static const struct change of_four[] = {
    {"two pairs take turns", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two pairs take turns, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
};

int main(void)
{
    static struct text_list two = {ring, TWO, 1, NULL, 0, changes, COUNT(changes)},
                            pairs = LIST_OF(ring, FOUR, 1, four, of_four);
    const struct CMUnitTest tests[] = {TEXTS_OF(two), TEXTS_OF(pairs)};
    return run_text_lists("turns with tiles", tests, COUNT(tests));
}
