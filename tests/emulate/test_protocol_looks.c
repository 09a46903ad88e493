/* A ring of three slots whose reader looks at the next slot under this one's read and waits for it
 * unless it was there, as a record of real runs sees it: both answers of every look are in it. */
#include "support/protocol_texts.h"

enum { THREADS = 64 };

#define TO_SLOT(i)                                                                                 \
    "rem.u32 %slot, " i ", 3; div.u32 %par, " i ", 3; and.b32 %par, %par, 1;\n"                    \
    "shl.b32 %r1, %slot, 3; add.u32 %full, %bar, %r1; add.u32 %empty, %full, 24;\n"                \
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1;\n"
#define LOOK(i)                                                                                    \
    "add.u32 %r2, %i, " i "; rem.u32 %r3, %r2, 3; div.u32 %r4, %r2, 3; and.b32 %r4, %r4, 1;\n"     \
    "shl.b32 %r3, %r3, 3; add.u32 %r3, %bar, %r3;\n"                                               \
    "mbarrier.test_wait.parity.shared::cta.b64 %p6, [%r3], %r4;\n"
#define OTHERWISE(n) "@%p6 bra have" n ";\n"
#define WAIT(n)                                                                                    \
    "wait" n ": mbarrier.try_wait.parity.shared::cta.b64 %p4, [%full], %par; @!%p4 bra wait" n     \
    ";\nhave" n ":\n"
#define READ "ld.shared.u64 %d5, [%buf]; bar.warp.sync -1;\n"
#define GIVE_BACK "setp.eq.u32 %p5, %lane, 0; @%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
#define BLOCK(n)                                                                                   \
    TO_SLOT("%i")                                                                                  \
    "add.u32 %buf, %buf, %lane;\n" OTHERWISE(n) WAIT(n) READ LOOK("1") GIVE_BACK                   \
        "add.u32 %i, %i, 1;\n"

/* data[0]: k blocks. */
static const char ring[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar[6];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    ".reg .b32 %n, %id, %s, %bar, %i, %slot, %par, %full, %empty, %buf, %lane;\n"
    "ld.param.u64 %d0, [p]; ld.global.u32 %n, [%d0]; mov.u32 %id, %tid.x; mov.u32 %s, s;\n"
    "mov.u32 %bar, bar; and.b32 %lane, %id, 31; shl.b32 %lane, %lane, 3; mov.u32 %i, 0;\n"
    "setp.ne.u32 %p1, %id, 0; @%p1 bra made; mov.u32 %r2, %bar; add.u32 %r3, %bar, 48;\n"
    "make: mbarrier.init.shared::cta.b64 [%r2], 1; add.u32 %r2, %r2, 8;\n"
    "setp.lt.u32 %p6, %r2, %r3; @%p6 bra make; fence.mbarrier_init.release.cluster;\n"
    "made: bar.sync 0;\n"
    "setp.ge.u32 %p2, %id, 32; @%p2 bra consume; @%p1 bra out;\n"
    "produce: setp.ge.u32 %p3, %i, %n; @%p3 bra out;\n" TO_SLOT(
        "%i") "xor.b32 %par, %par, 1;\n"
              "free: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%empty], %par; @!%p4 bra "
              "free;\n"
              "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 256;\n"
              "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%buf], [%d0], 256, "
              "[%full];\n"
              "add.u32 %i, %i, 1; bra produce;\n"
              "consume:\n" LOOK("0") "round:\n" BLOCK(
                  "1") "next: setp.lt.u32 %p3, %i, %n; @%p3 bra round;\n"
                       "out: ret;\n}\n";

/* A reader that waits for the first block alone reads the others early, and hangs if there is none:
 * the shorter trace. */
static const struct change changes[] = {
    {"as it is", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"as it is, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"given back before the look", LOOK("1") GIVE_BACK, GIVE_BACK LOOK("1"), 0, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"given back before it is read", READ LOOK("1") GIVE_BACK, GIVE_BACK READ LOOK("1"), 0, PART,
     TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
    {"a look at the slot in use", LOOK("1"), LOOK("0"), 0, PART, TMAP_OK, TMAP_HAZARD_DEADLOCK, ""},
    {"a look at the slot after the next", LOOK("1"), LOOK("2"), 0, PART, TMAP_OK,
     TMAP_HAZARD_DEADLOCK, ""},
    {"a look at the next slot's next phase", LOOK("1"), LOOK("4"), 0, PART, TMAP_E_ARGUMENT, 0,
     "a look is answered no in all runs"},
    {"no wait when the answer was no", OTHERWISE("1"),
     "setp.gt.u32 %p7, %i, 0; @%p7 bra have1;\n" OTHERWISE("1"), 0, PART, TMAP_OK,
     TMAP_HAZARD_DEADLOCK, ""},
    {"waits whatever the answer was", OTHERWISE("1"), "", 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"looks until it is there", WAIT("1"),
     "wait1: mbarrier.test_wait.parity.shared::cta.b64 %p4, [%full], %par; @!%p4 bra wait1;\n"
     "have1:\n",
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
};

/* Two blocks a round, and one if their number is odd. */
static const struct edit two_a_round[] = {
    {"next: setp", "setp.ge.u32 %p3, %i, %n; @%p3 bra out;\n" BLOCK("2") "next: setp"}};
static const struct change of_two[] = {
    {"two a round", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two a round, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two a round, the second is not waited for", OTHERWISE("2") WAIT("2"), "", 0, PART,
     TMAP_E_ARGUMENT, 0, "goes round in no loop"},
    {"two a round, the first is given back twice", GIVE_BACK, GIVE_BACK GIVE_BACK, 0, PART,
     TMAP_E_ARGUMENT, 0, "goes round in no loop"},
    {"two a round, an odd one at the end is not given back", GIVE_BACK,
     "add.u32 %r2, %i, 1; setp.lt.u32 %p7, %r2, %n; setp.eq.u32 %p5, %lane, 0;\n"
     "and.pred %p5, %p5, %p7; @%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n",
     0, PART, TMAP_E_ARGUMENT, 0, "arrives by itself, but in no first block"},
};

int main(void)
{
    static struct text_list one = {ring, THREADS, 1, NULL, 0, changes, COUNT(changes)},
                            two = LIST_OF(ring, THREADS, 1, two_a_round, of_two);
    const struct CMUnitTest tests[] = {TEXTS_OF(one), TEXTS_OF(two)};
    return run_text_lists("looks of texts", tests, COUNT(tests));
}
