/* A ring of two slots between two warps in other shapes, as a record sees it: copies in pieces,
 * more slots and warps, CTAs that count other arrivals, records that do not go together. */
#include "support/protocol_ring.h"
#include "support/protocol_texts.h"
#include "support/ptx_run.h"

enum { RUNS = PROVED_RUNS, THREADS = 64 };

/* data[0]: k blocks. A slot is 256 bytes; its full barrier is bar[slot], its empty one bar[2 +
 * slot]. Warps after the first two do nothing. */
static const char ring[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar[16];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    ".reg .b32 %n, %id, %s, %bar, %i, %slot, %par, %full, %empty, %buf, %lane, %rank;\n"
    "ld.param.u64 %d0, [p]; ld.global.u32 %n, [%d0]; mov.u32 %id, %tid.x; mov.u32 %s, s;\n"
    "mov.u32 %bar, bar; and.b32 %lane, %id, 31; shl.b32 %lane, %lane, 3; mov.u32 %i, 0;\n"
    "mov.u32 %rank, %cluster_ctarank; setp.ne.u32 %p1, %id, 0; @%p1 bra made;\n"
    "mov.u32 %r1, %bar; add.u32 %r2, %bar, 128; mov.u32 %r4, 1;\n"
    "make: mbarrier.init.shared::cta.b64 [%r1], %r4; add.u32 %r1, %r1, 8;\n"
    "setp.lt.u32 %p2, %r1, %r2; @%p2 bra make;\n"
    "fence.mbarrier_init.release.cluster;\n"
    "made: bar.sync 0;\n"
    "setp.ge.u32 %p2, %id, 64; @%p2 bra others;\n"
    "setp.ge.u32 %p2, %id, 32; @%p2 bra consume; @%p1 bra out;\n"
    "produce: setp.ge.u32 %p3, %i, %n; @%p3 bra out;\n"
    "rem.u32 %slot, %i, 2; div.u32 %par, %i, 2; and.b32 %par, %par, 1; xor.b32 %par, %par, 1;\n"
    "shl.b32 %r1, %slot, 3; add.u32 %full, %bar, %r1; add.u32 %empty, %full, 16;\n"
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1;\n" FILL_SLOT "add.u32 %i, %i, 1; bra produce;\n"
    "consume: setp.ge.u32 %p3, %i, %n; @%p3 bra end;\n"
    "rem.u32 %slot, %i, 2; div.u32 %par, %i, 2; and.b32 %par, %par, 1;\n"
    "shl.b32 %r1, %slot, 3; add.u32 %full, %bar, %r1; add.u32 %empty, %full, 16;\n"
    "shl.b32 %r1, %slot, 8; add.u32 %buf, %s, %r1; add.u32 %buf, %buf, %lane;\n" DRAIN_SLOT
    "add.u32 %i, %i, 1; bra consume;\n"
    "end: setp.eq.u32 %p5, %lane, 0;\n"
    "others:\n"
    "out: ret;\n}\n";

#define AT(at) "@%p5 mbarrier.arrive.shared::cta.b64 _, [%bar+" #at "];\n"
#define TWO AT(112) AT(120)
#define EIGHT TWO TWO TWO TWO
static const struct change changes[] = {
    {"as it is", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"expected and copied in one line", ", [%full], 256;\ncp.async", ", [%full], 256; cp.async", 0,
     PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"the second half first", COPY(256), COPY_TO("+128", 128) COPY(128), 0, PART, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"two pieces that do not meet, the second first", EXPECT(256) COPY(256),
     EXPECT(192) COPY_TO("+192", 64) COPY(128), 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"eight arrivals at the end", "end: setp.eq.u32 %p5, %lane, 0;\n",
     "end: setp.eq.u32 %p5, %lane, 0;\n" EIGHT, 0, PART, TMAP_E_ARGUMENT, 0,
     "is not always as far along its ring"},
    {"48 arrivals at the end", "end: setp.eq.u32 %p5, %lane, 0;\n",
     "end: setp.eq.u32 %p5, %lane, 0;\n" EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT, 0, PART,
     TMAP_E_ARGUMENT, 0, "goes round in no loop"},
    {"no blocks in the first run", "ld.global.u32 %n, [%d0];",
     "ld.global.u32 %n, [%d0]; sub.u32 %n, %n, 6;", 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"who reads waits for both slots", WAIT_THERE,
     "xor.b32 %r3, %full, 8;\n" WAIT_THERE
     "both: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%full], %par; @!%p4 bra both;\n",
     0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
};

/* A third warp, which arrives at another barrier in every run. */
static const struct change of_third[] = {
    {"a third warp arrives twice", "others:", "others: setp.eq.u32 %p5, %lane, 0;\n" TWO, 0, PART,
     TMAP_E_ARGUMENT, 0, "is not always as far along its ring"},
    {"a third warp arrives ten times", "others:", "others: setp.eq.u32 %p5, %lane, 0;\n" EIGHT TWO,
     0, PART, TMAP_E_ARGUMENT, 0, "warp 2 of CTA 0 goes round 5 times"},
    {"a third warp arrives in the last run alone",
     "others:", "others: setp.eq.u32 %p5, %lane, 0;\n" TWO, 3, PART, TMAP_E_ARGUMENT, 0,
     "goes round in no loop"},
    {"a third warp arrives elsewhere in the last run", "others:",
     "others: setp.eq.u32 %p5, %lane, 0; setp.gt.u32 %p6, %n, 9; and.pred %p6, %p5, %p6;\n"
     "not.pred %p7, %p6; and.pred %p7, %p7, %p5;\n"
     "@%p6 mbarrier.arrive.shared::cta.b64 _, [%bar+112];\n"
     "@%p7 mbarrier.arrive.shared::cta.b64 _, [%bar+120];\n",
     0, PART, TMAP_E_ARGUMENT, 0, "goes round in no loop"},
};

/* Readers that take one block each in turn: two, whose runs are long; five, each with a slot. */
static const struct edit in_turn[] = {
    {"@%p2 bra consume;", "@%p2 bra begin;"},
    {"consume: setp", "begin: shr.u32 %i, %id, 5; sub.u32 %i, %i, 1;\nconsume: setp"},
    {"setp.ge.u32 %p2, %id, 64; @%p2 bra others;\n", ""},
    {"add.u32 %i, %i, 1; bra consume;", "add.u32 %i, %i, 2; bra consume;"},
};
static const struct change of_turns[] = {
    {"two in turn", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"more tiles than are counted", "ld.global.u32 %n, [%d0];",
     "ld.global.u32 %n, [%d0]; shl.b32 %n, %n, 3;", 0, PART, TMAP_E_ARGUMENT, 0,
     "warps take turns with 72 tiles, which are too many"},
};
static const struct edit of_five_slots[] = {
    {"rem.u32 %slot, %i, 2; div.u32 %par, %i, 2;", "rem.u32 %slot, %i, 5; div.u32 %par, %i, 5;"},
    {"rem.u32 %slot, %i, 2; div.u32 %par, %i, 2;", "rem.u32 %slot, %i, 5; div.u32 %par, %i, 5;"},
    {"add.u32 %empty, %full, 16;", "add.u32 %empty, %full, 40;"},
    {"add.u32 %empty, %full, 16;", "add.u32 %empty, %full, 40;"},
    {"@%p2 bra consume;", "@%p2 bra begin;"},
    {"consume: setp", "begin: shr.u32 %i, %id, 5; sub.u32 %i, %i, 1;\nconsume: setp"},
    {"setp.ge.u32 %p2, %id, 64; @%p2 bra others;\n", ""},
    {"add.u32 %i, %i, 1; bra consume;", "add.u32 %i, %i, 5; bra consume;"},
};
static const struct change of_five[] = {
    {"five in turn", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "goes round"},
};

/* The second CTA's empty barriers count two arrivals. */
#define MEET "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;"
static const struct edit other_counts[] = {
    {"add.u32 %r1, %r1, 8;\n", "add.u32 %r1, %r1, 8; sub.u32 %r4, %r1, %bar;\n"
                               "setp.ge.u32 %p3, %r4, 16; add.u32 %r4, %rank, 1;\n"
                               "selp.u32 %r4, %r4, 1, %p3;\n"},
    {"made: bar.sync 0;", "made: " MEET},
    {"out: ret;", "out: " MEET " ret;"},
    {"setp.eq.u32 %p5, %lane, 0;", "shl.b32 %r3, %rank, 3; setp.le.u32 %p5, %lane, %r3;"},
};
static const struct change of_counts[] = {
    {"CTAs that count other arrivals", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"CTAs that count other arrivals, given back before it is read",
     "ld.shared.u64 %d5, [%buf]; bar.warp.sync -1;\nshl.b32 %r3, %rank, 3; setp.le.u32 %p5, %lane, "
     "%r3; @%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n",
     "shl.b32 %r3, %rank, 3; setp.le.u32 %p5, %lane, %r3; @%p5 mbarrier.arrive.shared::cta.b64 _, "
     "[%empty];\nld.shared.u64 %d5, [%buf]; bar.warp.sync -1;\n",
     0, PART, TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
};

/* One run alone says it too; none, and runs of other CTAs, do not. */
static void records_together(void **state)
{
    static const struct text_list lists[RUNS] = {{.threads = THREADS, .ctas = 1},
                                                 {.threads = 96, .ctas = 1},
                                                 {.threads = THREADS, .ctas = 2}};
    struct tmap_emulate_record *records[RUNS], *some[2];
    struct tmap_emulate_error error;
    struct tmap_protocol p;
    (void)state;
    for (int r = 0; r < RUNS; r++) assert_true(record_text(&lists[r], ring, 6, &records[r]));
    for (int r = 1; r < RUNS; r++) {
        some[0] = records[0], some[1] = records[r];
        assert_int_equal(tmap_emulate_protocol(some, 2, TMAP_EMULATE_BARRIERS, 0, &p, &error),
                         TMAP_E_ARGUMENT);
        assert_string_equal(error.text, "the records are not whole, or not of one shape of launch");
    }
    some[1] = NULL;
    assert_int_equal(tmap_emulate_protocol(some, 2, TMAP_EMULATE_BARRIERS, 0, &p, &error),
                     TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_protocol(some, 1, TMAP_EMULATE_BARRIERS, 0, &p, &error), TMAP_OK);
    assert_int_equal(p.agent_count, 2);
    for (int r = 0; r < RUNS; r++) tmap_emulate_record_free(records[r]);
}

/* The second of two clusters: what the first does is not in it. */
static void other_cluster(void **state)
{
    uint32_t data[256] = {6};
    struct tmap_emulate_record *record;
    struct tmap_emulate_error error;
    struct tmap_protocol p;
    struct ptx_run r;
    const struct tmap_emulate_launch launch = {.grid = {2, 1, 1}, .block = {THREADS, 1, 1}};
    (void)state;
    for (uint32_t cluster = 1; cluster < 3; cluster++) { /* there is no third */
        assert_true(ptx_run_recorded(ring, data, sizeof data, &launch, cluster, &record, &r));
        assert_int_equal(tmap_emulate_protocol(&record, 1, TMAP_EMULATE_BARRIERS, 0, &p, &error),
                         cluster == 1 ? TMAP_OK : TMAP_E_ARGUMENT);
        if (cluster == 1) assert_int_equal(p.agent_count, 2);
        tmap_emulate_record_free(record);
    }
}

int main(void)
{
    static struct text_list one = {ring, THREADS, 1, NULL, 0, changes, COUNT(changes)},
                            third = {ring, 96, 1, NULL, 0, of_third, COUNT(of_third)},
                            turns = LIST_OF(ring, 96, 1, in_turn, of_turns),
                            five = LIST_OF(ring, 192, 1, of_five_slots, of_five),
                            counts = LIST_OF(ring, THREADS, 2, other_counts, of_counts);
    const struct CMUnitTest tests[] = {TEXTS_OF(one),
                                       TEXTS_OF(third),
                                       TEXTS_OF(turns),
                                       TEXTS_OF(five),
                                       TEXTS_OF(counts),
                                       cmocka_unit_test(records_together),
                                       cmocka_unit_test(other_cluster)};
    return run_text_lists("shapes of a ring", tests, COUNT(tests));
}
