/* A ring of two slots between two warps, as a record sees it: proved as it is written, refuted or
 * not read where a statement of it is another; and records that are none. */
#include "support/protocol_ring.h"
#include "support/protocol_texts.h"

#include <string.h>

enum { RUNS = PROVED_RUNS, THREADS = 64 };

static const struct change changes[] = {
    {"as it is", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"as it is, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"no ring 7", NULL, NULL, 0, TMAP_EMULATE_RING, 7, TMAP_E_NO_PLAN, 0, ""},
    {"no staging", NULL, NULL, 0, TMAP_EMULATE_STAGING, 0, TMAP_E_NO_PLAN, 0, ""},
    {"no fence", "fence.mbarrier_init.release.cluster;", "", 0, PART, TMAP_OK,
     TMAP_HAZARD_UNINITIALIZED, ""},
    {"no meeting", "made: bar.sync 0;", "made:", 0, PART, TMAP_E_ARGUMENT, 0,
     "the records are not whole, or not of one shape of launch"},
    {"some warps meet", "made: bar.sync 0;",
     "made: bar.sync 0; setp.ge.u32 %p2, %id, 32; @%p2 bra one; bar.sync 2, 64; bra two;\n"
     "one: bar.sync 2, 64; two:",
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"one warp does not wait for the other", "made: bar.sync 0;",
     "made: bar.sync 0; setp.ge.u32 %p2, %id, 32; @%p2 bra one; bar.sync 2, 64; bra two;\n"
     "one: bar.arrive 2, 64; two:",
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"who initialises does not wait for the other", "made: bar.sync 0;",
     "made: setp.ge.u32 %p2, %id, 32; @%p2 bra one; bar.arrive 2, 64; bra two;\n"
     "one: bar.sync 2, 64; two:",
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a slot is written when all is read", "consume: setp.ge.u32 %p3, %i, %n;",
     "consume: setp.ge.u32 %p3, %i, %n; @%p3 st.shared.u64 [%s], %d5;", 0, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"a slot is written when all is loaded", "produce: setp.ge.u32 %p3, %i, %n;",
     "produce: setp.ge.u32 %p3, %i, %n; @%p3 st.shared.u64 [%s], %d0;", 0, PART, TMAP_OK,
     TMAP_HAZARD_OVERWRITE, ""},
    {"a slot is written between blocks", "consume: setp.ge.u32 %p3, %i, %n;",
     "consume: setp.ge.u32 %p3, %i, %n; st.shared.u64 [%s], %d0;", 0, PART, TMAP_E_ARGUMENT, 0,
     "has written where copies land, and goes on in the ring"},
    {"a group of another size", "made: bar.sync 0;",
     "made: bar.sync 0; setp.ge.u32 %p2, %id, 32; @%p2 bra one; bar.sync 3, 32; bra two;\n"
     "one: bar.sync 2, 32; two:",
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"the slot is given back before it is read", READ GIVE_BACK, GIVE_BACK READ, 0, PART, TMAP_OK,
     TMAP_HAZARD_OVERWRITE, ""},
    {"bytes are expected apart", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 256;",
     "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%full], 256; mbarrier.arrive.shared::cta.b64 "
     "_, [%full];",
     0, PART, TMAP_E_ARGUMENT, 0, "expects bytes without arriving"},
    {"arrivals of two counts", "[%bar+24], 1;", "[%bar+24], 2;", 3, PART, TMAP_E_ARGUMENT, 0,
     "has 2 arrivals, and 1 elsewhere"},
    {"given back before it is read in later runs", READ GIVE_BACK, GIVE_BACK READ, 2, PART,
     TMAP_E_ARGUMENT, 0, "goes round in no loop"},
    {"less bytes in later runs",
     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 256;\n"
     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%buf], [%d0], 256, [%full];",
     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 128;\n"
     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%buf], [%d0], 128, [%full];",
     3, PART, TMAP_E_ARGUMENT, 0, "goes round in no loop"},
    {"the copy comes before its bytes are expected", EXPECT(256) COPY(256), COPY(256) EXPECT(256),
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"bytes are expected once the phase before is over, the slot is waited for later",
     WAIT_EMPTY EXPECT(256), WAIT_FULL EXPECT(256) WAIT_EMPTY, 0, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"no wait in the first round", WAIT_EMPTY,
     "setp.lt.u32 %p7, %i, 2; @%p7 bra first;\n" WAIT_EMPTY "first:", 0, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"no wait in the first three blocks", WAIT_EMPTY,
     "setp.lt.u32 %p7, %i, 3; @%p7 bra first;\n" WAIT_EMPTY "first:", 0, PART, TMAP_E_ARGUMENT, 0,
     "goes round in no loop"},
    {"who reads writes, too", READ, "st.shared.u64 [%buf], %d5; bar.warp.sync -1;\n", 0, PART,
     TMAP_E_ARGUMENT, 0, "has written where copies land, and goes on in the ring"},
    {"more between the cluster's arrival and its wait", "made: bar.sync 0;",
     "made: barrier.cluster.arrive; bar.sync 0; barrier.cluster.wait;", 0, PART, TMAP_E_ARGUMENT, 0,
     "does more between arriving at the cluster and waiting"},
    {"the cluster meets", "made: bar.sync 0;",
     "made: barrier.cluster.arrive.release; barrier.cluster.wait.acquire;", 0, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"bytes are expected of a phase that is under way", WAIT_EMPTY EXPECT(256),
     EXPECT(256) WAIT_EMPTY, 0, PART, TMAP_OK, TMAP_HAZARD_DEADLOCK, ""},
    {"given back when earlier cp.async are done", GIVE_BACK,
     "setp.eq.u32 %p5, %lane, 0; @%p5 cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%empty];\n",
     0, PART, TMAP_E_ARGUMENT, 0, "signals the barrier of bytes that no bulk copy brings"},
    {"filled by st.async", EXPECT(256) COPY(256),
     EXPECT(8) "st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%buf], %d0, [%full];\n",
     0, PART, TMAP_E_ARGUMENT, 0, "signals the barrier of bytes that no bulk copy brings"},
    {"no ring 1", NULL, NULL, 0, TMAP_EMULATE_RING, 1, TMAP_E_NO_PLAN, 0, "there is no ring 1"},
    {"the read comes before the wait", WAIT_THERE READ, READ WAIT_THERE, 0, PART, TMAP_OK,
     TMAP_HAZARD_EARLY, ""},
    {"two reads with a fence between them", READ,
     "ld.shared.u64 %d5, [%buf]; fence.proxy.async.shared::cta;\n" READ, 0, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"a read of the other slot, too", READ,
     "ld.shared.u64 %d5, [%buf]; fence.proxy.async.shared::cta; xor.b32 %buf, %buf, 256;\n" READ, 0,
     PART, TMAP_E_ARGUMENT, 0, "goes round its ring at no steady pace"},
    {"five meetings", "made: bar.sync 0;",
     "made: bar.sync 0; bar.sync 1; bar.sync 2; bar.sync 3; bar.sync 4;", 0, PART, TMAP_E_ARGUMENT,
     0, "too many meetings"},
    {"barriers are made twice", "fence.mbarrier_init.release.cluster;",
     "mbarrier.inval.shared::cta.b64 [%bar]; mbarrier.init.shared::cta.b64 [%bar], 1;\n"
     "fence.mbarrier_init.release.cluster;",
     0, PART, TMAP_E_ARGUMENT, 0, "makes barriers again that other warps use"},
    {"one arrival drops out", GIVE_BACK,
     "setp.eq.u32 %p5, %lane, 0; add.u32 %r3, %i, 2; setp.lt.u32 %p6, %r3, %n;\n"
     "and.pred %p7, %p5, %p6; @%p7 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
     "not.pred %p6, %p6; and.pred %p7, %p5, %p6;\n"
     "@%p7 mbarrier.arrive_drop.shared::cta.b64 _, [%empty];\n",
     0, PART, TMAP_E_ARGUMENT, 0, "drops out of the barrier's later phases"},
};

/* Two warps that do alike, each with a half of every slot; the third warp, which reads, has made
 * the barriers. */
static const struct edit two_producers[] = {
    {"setp.ne.u32 %p1, %id, 0;", "setp.ne.u32 %p1, %id, 64;"},
    {"setp.ge.u32 %p2, %id, 32;", "setp.ge.u32 %p2, %id, 64;"},
    {"[%bar], 1;", "[%bar], 2;"},
    {"[%bar+8], 1;", "[%bar+8], 2;"},
    {"@%p1 bra out;", "and.b32 %r3, %id, 31; setp.ne.u32 %p1, %r3, 0; @%p1 bra out;\n"
                      "shr.u32 %r3, %id, 5; shl.b32 %r3, %r3, 7;"},
    {"add.u32 %buf, %s, %r1;", "add.u32 %buf, %s, %r1; add.u32 %buf, %buf, %r3;"},
    {"[%full], 256;", "[%full], 128;"},
    {"[%d0], 256,", "[%d0], 128,"},
};

static const struct change of_two[] = {
    {"as it is", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"copies first", EXPECT(128) COPY(128), COPY(128) EXPECT(128), 0, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"bytes are expected before the slot is empty", WAIT_EMPTY EXPECT(128),
     WAIT_FULL EXPECT(128) WAIT_EMPTY, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"the slot is given back before it is read", READ GIVE_BACK, GIVE_BACK READ, 0, PART, TMAP_OK,
     TMAP_HAZARD_OVERWRITE, ""},
    {"no fence", "fence.mbarrier_init.release.cluster;", "", 0, PART, TMAP_OK,
     TMAP_HAZARD_UNINITIALIZED, ""},
};

/* Barriers beside the ring. */
static const struct edit more_barriers[] = {{"bar[4];", "bar[16];"}};
#define ARRIVE_AT(at) "@%p5 mbarrier.arrive.shared::cta.b64 _, [%bar+" #at "];\n"
#define TWO_ARRIVALS ARRIVE_AT(32) ARRIVE_AT(40)
#define TEN_ARRIVALS TWO_ARRIVALS TWO_ARRIVALS TWO_ARRIVALS TWO_ARRIVALS TWO_ARRIVALS
static const struct change of_beside[] = {
    {"both warps arrive at another barrier first", MADE,
     "made: @!%p1 mbarrier.init.shared::cta.b64 [%bar+32], 2;\n"
     "@!%p1 fence.mbarrier_init.release.cluster; bar.sync 0; setp.eq.u32 %p5, %lane, 0;\n"
     "@%p5 mbarrier.arrive.shared::cta.b64 _, [%bar+32];\n"
     "both: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%bar+32], 0; @!%p4 bra both;\n",
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"ten arrivals before the blocks, and one in each",
     "consume: setp.ge.u32 %p3, %i, %n; @%p3 bra out;",
     "consume: setp.ge.u32 %p3, %i, %n; @%p3 bra out; setp.eq.u32 %p6, %lane, 0;\n"
     "setp.eq.u32 %p7, %i, 0; and.pred %p5, %p6, %p7;\n"
     "@%p5 mbarrier.init.shared::cta.b64 [%bar+32], 1;\n"
     "@%p5 mbarrier.init.shared::cta.b64 [%bar+40], 1;\n" TEN_ARRIVALS
     "and.b32 %r3, %i, 1; shl.b32 %r3, %r3, 3; add.u32 %r3, %r3, %bar;\n"
     "@%p6 mbarrier.arrive.shared::cta.b64 _, [%r3+32];\n",
     0, PART, TMAP_E_ARGUMENT, 0, "is far behind its ring"},
    {"a slot is copied within shared memory", MADE,
     "made: @!%p1 mbarrier.init.shared::cta.b64 [%bar+32], 1;\n"
     "@!%p1 fence.mbarrier_init.release.cluster;\n"
     "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar+32], 16;\n"
     "@!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%s+512], [%s], "
     "16, [%bar+32];\nbar.sync 0;\n",
     0, FIRST, TMAP_E_ARGUMENT, 0, "a copy within shared memory reads a slot"},
    {"two slots of other arrivals", "[%bar+8], 1;", "[%bar+8], 2;", 0, PART, TMAP_E_ARGUMENT, 0,
     "the barriers of a ring count 1 arrivals and 2"},
};

/* Tiles of 2, 3, 4 and 5 blocks, the last of which ends where the blocks do. Who reads arrives at
 * bar[4] at the end of each, who copies waits for that. */
#define END                                                                                        \
    "shr.u32 %end, 0x2112, %i; and.b32 %end, %end, 1; setp.eq.u32 %p6, %end, 1;\n"                 \
    "add.u32 %i, %i, 1; setp.eq.u32 %p7, %i, %n; or.pred %p6, %p6, %p7;\n"
#define NOT_IN_FIRST                                                                               \
    "not.pred %p2, %p6; and.pred %p2, %p2, %p5;\n"                                                 \
    "@%p2 mbarrier.arrive.shared::cta.b64 _, [%done+8];\n"
#define AT_LAST                                                                                    \
    "shr.u32 %r3, 0x2112, %i; and.b32 %r3, %r3, 1; add.u32 %r4, %i, 1;\n"                          \
    "setp.eq.u32 %p2, %r3, 1; setp.eq.u32 %p7, %r4, %n; or.pred %p2, %p2, %p7;\n"                  \
    "and.pred %p2, %p2, %p5; @%p2 mbarrier.arrive.shared::cta.b64 _, [%done+8];\n"
#define ONCE_MORE                                                                                  \
    "consume: setp.ge.u32 %p3, %i, %n; @!%p3 bra on; setp.eq.u32 %p5, %lane, 0;\n"                 \
    "@%p5 mbarrier.arrive.shared::cta.b64 _, [%bar+16]; bra out; on:"
static const struct edit tiles[] = {
    {"%buf, %lane;", "%buf, %lane, %end, %t, %done;"},
    {"bar[4];", "bar[6];"},
    {"[%bar+24], 1;", "[%bar+24], 1; mbarrier.init.shared::cta.b64 [%bar+32], 1;\n"
                      "mbarrier.init.shared::cta.b64 [%bar+40], 1;\n"},
    {"mov.u32 %i, 0;", "mov.u32 %i, 0; mov.u32 %t, 0; add.u32 %done, %bar, 32;\n"
                       "setp.eq.u32 %p6, %t, 0;"},
    {"add.u32 %i, %i, 1; bra produce;",
     END "@!%p6 bra produce;\n"
         "done: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%done], %t; @!%p4 bra done;\n"
         "xor.b32 %t, %t, 1; bra produce;"},
    {"add.u32 %i, %i, 1; bra consume;", END
     "@!%p6 bra consume;\n"
     "setp.eq.u32 %p5, %lane, 0; @%p5 mbarrier.arrive.shared::cta.b64 _, [%done]; bra consume;"},
};
/* Of two ways to read a tile of blocks and an arrival after the last, the one that is taken has no
 * steady pace; the other would have a warp of Hopper's products write into its ring between tiles.
 */
static const struct change of_tiles[] = {
    {"tiles", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "goes round its ring at no steady pace"},
    {"tiles, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"tiles, ring 1", NULL, NULL, 0, TMAP_EMULATE_RING, 1, TMAP_E_ARGUMENT, 0,
     "goes round its ring at no steady pace"},
    {"tiles, given back before it is read", READ GIVE_BACK, GIVE_BACK READ, 0, PART,
     TMAP_E_ARGUMENT, 0, "goes round its ring at no steady pace"},
    {"a slot is written after the last tile", "consume: setp.ge.u32 %p3, %i, %n;",
     "consume: setp.ge.u32 %p3, %i, %n; @%p3 st.shared.u64 [%s], %d5;", 0, PART, TMAP_E_ARGUMENT, 0,
     "writes where copies land, and goes on to another tile"},
    {"an arrival in all blocks of a tile but its first", GIVE_BACK, GIVE_BACK NOT_IN_FIRST, 0, PART,
     TMAP_E_ARGUMENT, 0, "goes round its ring at no steady pace"},
    {"an arrival a block late", GIVE_BACK, GIVE_BACK NOT_IN_FIRST AT_LAST, 0, PART, TMAP_E_ARGUMENT,
     0, "arrives by itself, but in no first block of a tile"},
    {"a slot is given back once more at the end", "consume: setp.ge.u32 %p3, %i, %n; @%p3 bra out;",
     ONCE_MORE, 0, PART, TMAP_E_ARGUMENT, 0, "goes round its ring at no steady pace"},
};

/* A ring in each CTA of a cluster, whose CTAs wait for each other before and after. */
static const struct edit in_cluster[] = {
    {"made: bar.sync 0;", "made: barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"
                          "mov.u32 %r6, %cluster_ctarank; xor.b32 %r6, %r6, 1;"},
    {"out: ret;", "out: barrier.cluster.arrive.release; barrier.cluster.wait.acquire; ret;"},
};
#define REMOTE(of) "mapa.shared::cluster.u32 %r4, " of ", %r6; "
static const struct change of_cluster[] = {
    {"two rings", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two rings, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"the other CTA's slot is read", READ,
     REMOTE("%buf") "ld.shared::cluster.u64 %d5, [%r4]; bar.warp.sync -1;\n", 0, PART, TMAP_OK,
     TMAP_HAZARD_EARLY, ""},
    {"the other CTA's slot is written", "consume: setp.ge.u32 %p3, %i, %n;",
     "consume: setp.ge.u32 %p3, %i, %n;" REMOTE("%s") "@%p3 st.shared::cluster.u64 [%r4], %d5;", 0,
     PART, TMAP_E_ARGUMENT, 0, "writes into another CTA's slot"},
};
static const struct edit given_to_both[] = {
    {"[%bar+16], 1;", "[%bar+16], 2;"},
    {"[%bar+24], 1;", "[%bar+24], 2;"},
    {"made: bar.sync 0;", "made: barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"
                          "mov.u32 %r6, %cluster_ctarank; xor.b32 %r6, %r6, 1;"},
    {"out: ret;", "out: barrier.cluster.arrive.release; barrier.cluster.wait.acquire; ret;"},
    {GIVE_BACK,
     REMOTE("%empty") "setp.eq.u32 %p5, %lane, 0;\n"
                      "@%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
                      "@%p5 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];\n"},
};
static const struct change of_both[] = {
    {"slots are given to both CTAs", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"slots are given to both CTAs, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
};
static const struct change of_eight_ctas[] = {
    {"eight CTAs", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "more than 4 CTAs"},
};
/* Who reads arrives, too, and waits for the phase that its arrival told it of. */
#define TOKEN "mbarrier.arrive.shared::cta.b64 %d6, [%full];\n"
#define WAIT_TOKEN "there: mbarrier.try_wait.shared::cta.b64 %p4, [%full], %d6; @!%p4 bra there;\n"
static const struct edit tokens[] = {{"[%bar], 1;", "[%bar], 33;"},
                                     {"[%bar+8], 1;", "[%bar+8], 33;"},
                                     {WAIT_THERE, TOKEN WAIT_TOKEN}};
static const struct change of_tokens[] = {
    {"waits by tokens", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"waits by tokens, ring 0", NULL, NULL, 0, FIRST, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a wait after the read", WAIT_TOKEN READ, READ WAIT_TOKEN, 0, PART, TMAP_OK, TMAP_HAZARD_EARLY,
     ""},
};

/* Every lane arrives; one block, so that nobody goes round; arguments. */
static void other_records(void **state)
{
    static const struct text_list one = {.threads = THREADS, .ctas = 1};
    struct tmap_emulate_record *records[9] = {NULL};
    struct tmap_emulate_error error;
    struct tmap_protocol protocol;
    (void)state;
    for (int r = 0; r < RUNS; r++) assert_true(record_text(&one, ring_text, 1, &records[r]));
    assert_int_equal(
        tmap_emulate_protocol(records, RUNS, TMAP_EMULATE_BARRIERS, 0, &protocol, &error),
        TMAP_E_ARGUMENT);
    assert_non_null(strstr(error.text, "loop"));
    assert_int_equal(
        tmap_emulate_protocol(records, RUNS, TMAP_EMULATE_BARRIERS, 0, &protocol, NULL),
        TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_protocol(records, 0, TMAP_EMULATE_BARRIERS, 0, &protocol, &error),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_protocol(records, 9, TMAP_EMULATE_BARRIERS, 0, &protocol, &error),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_protocol(NULL, 1, TMAP_EMULATE_BARRIERS, 0, &protocol, &error),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_protocol(records, RUNS, TMAP_EMULATE_BARRIERS, 0, NULL, &error),
                     TMAP_E_ARGUMENT);
    for (int r = 0; r < RUNS; r++) tmap_emulate_record_free(records[r]);
    /* a record of no run */
    assert_int_equal(tmap_emulate_record_open(0, &records[0]), TMAP_OK);
    assert_int_equal(tmap_emulate_protocol(records, 1, TMAP_EMULATE_BARRIERS, 0, &protocol, &error),
                     TMAP_E_ARGUMENT);
    tmap_emulate_record_free(records[0]);
    assert_int_equal(tmap_emulate_record_open(0, NULL), TMAP_E_ARGUMENT);
    tmap_emulate_record_free(NULL);
}

int main(void)
{
#define LIST(threads, edits, changes) LIST_OF(ring_text, threads, 1, edits, changes)
    static struct text_list one = {ring_text, THREADS, 1, NULL, 0, changes, COUNT(changes)},
                            producers = LIST(96, two_producers, of_two),
                            beside = LIST(THREADS, more_barriers, of_beside),
                            by_token = LIST(THREADS, tokens, of_tokens),
                            tiled = LIST(THREADS, tiles, of_tiles),
                            pair = LIST_OF(ring_text, THREADS, 2, in_cluster, of_cluster),
                            both = LIST_OF(ring_text, THREADS, 2, given_to_both, of_both),
                            eight = LIST_OF(ring_text, THREADS, 8, in_cluster, of_eight_ctas);

    const struct CMUnitTest tests[] = {
        TEXTS_OF(one),    TEXTS_OF(producers), TEXTS_OF(by_token),
        TEXTS_OF(beside), TEXTS_OF(tiled),     TEXTS_OF(pair),
        TEXTS_OF(both),   TEXTS_OF(eight),     cmocka_unit_test(other_records)};
    return run_text_lists("protocols of texts", tests, COUNT(tests));
}
