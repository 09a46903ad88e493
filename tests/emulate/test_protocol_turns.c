/* Warps that take turns with single blocks, and with tiles of several, as a record sees them. */
#include "support/protocol_ring.h"
#include "support/protocol_texts.h"

enum { TWO = 96, FOUR = 160, FIVE = 192 };

/* Two warps that read one block each in turn. */
static const struct edit two_consumers[] = {
    {"@%p2 bra consume;", "@%p2 bra begin;"},
    {"consume: setp", "begin: shr.u32 %i, %id, 5; sub.u32 %i, %i, 1;\nconsume: setp"},
    {"add.u32 %i, %i, 1; bra consume;", "add.u32 %i, %i, 2; bra consume;"},
};

#define TAKE_SECOND "sub.u32 %i, %i, 1;"
static const struct change of_turns[] = {
    {"the second warp begins", TAKE_SECOND, "sub.u32 %i, 2, %i;", 0, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"the second warp begins, the slot is given back before it is read", TAKE_SECOND "\nconsume:",
     "sub.u32 %i, 2, %i; mov.u32 %r7, 0;\nconsume:", 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns, the slot is given back before it is read", READ GIVE_BACK, GIVE_BACK READ, 0, PART,
     TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
};

/* Of three slots the first warp reads two. */
static const struct edit three_slots[] = {
    {"bar[4];", "bar[6];"},
    {"[%bar+24], 1;", "[%bar+24], 1; mbarrier.init.shared::cta.b64 [%bar+32], 1;\n"
                      "mbarrier.init.shared::cta.b64 [%bar+40], 1;"},
    {"and.b32 %slot, %i, 1; shr.u32 %par, %i, 1;", "rem.u32 %slot, %i, 3; div.u32 %par, %i, 3;"},
    {"and.b32 %slot, %i, 1; shr.u32 %par, %i, 1;", "rem.u32 %slot, %i, 3; div.u32 %par, %i, 3;"},
    {"add.u32 %empty, %full, 16;", "add.u32 %empty, %full, 24;"},
    {"add.u32 %empty, %full, 16;", "add.u32 %empty, %full, 24;"},
    {"and.b32 %par, %par, 1;\nshl",
     "and.b32 %par, %par, 1; shr.u32 %r3, %slot, 1; shr.u32 %r4, %id, 6;\n"
     "setp.ne.u32 %p6, %r3, %r4; add.u32 %i, %i, 1; @%p6 bra consume;\nshl"},
    {"add.u32 %i, %i, 1; bra consume;", "bra consume;"},
};
static const struct change of_three[] = {
    {"of three slots the first warp reads two", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0,
     "warps take turns with 6 tiles in no order"},
};

/* Five warps take turns; two of two blocks each. */
static const struct edit five_consumers[] = {
    {"@%p2 bra consume;", "@%p2 bra begin;"},
    {"consume: setp", "begin: shr.u32 %i, %id, 5; sub.u32 %i, %i, 1;\nconsume: setp"},
    {"add.u32 %i, %i, 1; bra consume;", "add.u32 %i, %i, 5; bra consume;"},
};
static const struct change of_five[] = {
    {"five turns", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "goes round"},
};
static const struct edit two_each[] = {
    {"@%p2 bra consume;", "@%p2 bra begin;"},
    {"consume: setp",
     "begin: shr.u32 %i, %id, 5; sub.u32 %i, %i, 1; shl.b32 %i, %i, 1;\nconsume: setp"},
    {"add.u32 %i, %i, 1; bra consume;",
     "add.u32 %i, %i, 1; and.b32 %r3, %i, 1; setp.eq.u32 %p6, %r3, 0;\n"
     "@%p6 add.u32 %i, %i, 2; bra consume;"},
};
static const struct change of_two_each[] = {
    {"turns of two blocks", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "goes round"},
};

#define ARRIVE "@%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
#define READ_BLOCK WAIT_THERE READ ARRIVE

/* data[0]: blocks, in tiles that end after the blocks of which 0xeba has the bit, and after the
 * last. Warp 0 copies a block into a slot of 256 bytes; the full barriers are bar[slot], the empty
 * ones bar[2 + slot]. Warps 1 and 2 read every other tile each: who has read one arrives at the
 * other's barrier of bar[6] and bar[7], and who begins one waits for its own. */
static const char in_tiles[] =
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
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1;\n" FILL_SLOT "add.u32 %i, %i, 1; bra produce;\n"
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
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1; add.u32 %buf, %buf, %lane;\n" READ_BLOCK
    "over: shr.u32 %r3, 0xeba, %i; and.b32 %r3, %r3, 1; setp.eq.u32 %p6, %r3, 1;\n"
    "add.u32 %i, %i, 1; setp.eq.u32 %p7, %i, %n; or.pred %p6, %p6, %p7;\n"
    "selp.u32 %new, 1, 0, %p6; @!%p6 bra next; add.u32 %t, %t, 1; @%p2 bra next;\n"
    "shl.b32 %r3, %of, 3; add.u32 %done, %bar, %r3; xor.b32 %r3, %r3, 8; add.u32 %r3, %r3, %bar;\n"
    "@%p5 mbarrier.arrive.shared::cta.b64 _, [%r3+48];\nbra next;\n"
    "last:\n"
    "out: ret;\n}\n";

static const struct change changes[] = {
    {"turns with tiles", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns with tiles, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"turns with tiles, given back before it is read", READ ARRIVE, ARRIVE READ, 0, PART, TMAP_OK,
     TMAP_HAZARD_OVERWRITE, ""},
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
    static struct text_list turns = LIST_OF(ring_text, TWO, 1, two_consumers, of_turns),
                            three = LIST_OF(ring_text, TWO, 1, three_slots, of_three),
                            five = LIST_OF(ring_text, FIVE, 1, five_consumers, of_five),
                            twos = LIST_OF(ring_text, TWO, 1, two_each, of_two_each),
                            two = {in_tiles, TWO, 1, NULL, 0, changes, COUNT(changes)},
                            pairs = LIST_OF(in_tiles, FOUR, 1, four, of_four);
    const struct CMUnitTest tests[] = {TEXTS_OF(turns), TEXTS_OF(three), TEXTS_OF(five),
                                       TEXTS_OF(twos),  TEXTS_OF(two),   TEXTS_OF(pairs)};
    return run_text_lists("turns", tests, COUNT(tests));
}
