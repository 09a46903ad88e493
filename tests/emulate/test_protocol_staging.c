/* A staging area that two warps write and one of them stores, as a record sees it: proved as it is
 * written, refuted or not read where a statement of it is another. */
#include "support/protocol_texts.h"

enum { THREADS = 64 };

/* data[0]: how many times. Each thread writes 8 bytes of 512. */
static const char area[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[8192]; .shared .align 8 .b64 bar[4];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    ".reg .b32 %n, %id, %s, %bar, %i, %slot, %buf, %rank;\n"
    "ld.param.u64 %d0, [p]; ld.global.u32 %n, [%d0]; mov.u32 %id, %tid.x; mov.u32 %s, s;\n"
    "mov.u32 %i, 0; setp.ne.u32 %p1, %id, 0; setp.ge.u32 %p2, %id, 32; mov.u32 %bar, bar;\n"
    "mov.u32 %rank, %cluster_ctarank; bar.sync 0;\n"
    "loop: setp.ge.u32 %p3, %i, %n; @%p3 bra out;\n"
    "and.b32 %slot, %i, 0; shl.b32 %slot, %slot, 9; add.u32 %slot, %slot, %s;\n"
    "shl.b32 %buf, %id, 3; add.u32 %buf, %buf, %slot;\n"
    "st.shared.u64 [%buf], %d0;\n"
    "fence.proxy.async.shared::cta;\n"
    "bar.sync 0;\n"
    "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%slot], 512;\n"
    "@!%p1 cp.async.bulk.commit_group;\n"
    "@!%p1 cp.async.bulk.wait_group.read 0;\n"
    "barrier.sync 0;\n"
    "add.u32 %i, %i, 1; bra loop;\n"
    "out: ret;\n}\n";

#define AREA TMAP_EMULATE_STAGING, 0
#define WRITE "st.shared.u64 [%buf], %d0;\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
#define MEET "bar.sync 0;\n@"
#define STORE_OF(bytes)                                                                            \
    "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%slot], " #bytes ";\n"
#define STORE STORE_OF(512)
#define GROUP "@!%p1 cp.async.bulk.commit_group;\n"
#define WAIT_READ(groups) "@!%p1 cp.async.bulk.wait_group.read " #groups ";\n"
#define MEET_AGAIN "barrier.sync 0;\n"
#define HALF(at) "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%slot+" #at "], 64;\n"

static const struct change changes[] = {
    {"as it is", NULL, NULL, 0, AREA, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"no second area", NULL, NULL, 0, TMAP_EMULATE_STAGING, 1, TMAP_E_NO_PLAN, 0, ""},
    {"no barriers", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "there are no barriers"},
    {"no ring", NULL, NULL, 0, FIRST, TMAP_E_NO_PLAN, 0, ""},
    {"no fence", FENCE, "", 0, AREA, TMAP_OK, TMAP_HAZARD_UNFENCED, ""},
    {"a fence before the bytes", WRITE FENCE, FENCE WRITE, 0, AREA, TMAP_OK, TMAP_HAZARD_UNFENCED,
     ""},
    {"no wait for the store", WAIT_READ(0), "", 0, AREA, TMAP_OK, TMAP_HAZARD_UNWAITED_STORE, ""},
    {"no meeting after the store", MEET_AGAIN, "", 0, AREA, TMAP_OK, TMAP_HAZARD_OVERWRITE, ""},
    {"no meeting before the store", MEET, "@", 0, AREA, TMAP_OK, TMAP_HAZARD_EARLY, ""},
    {"a meeting that orders nothing", MEET_AGAIN, MEET_AGAIN MEET_AGAIN, 0, AREA, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"meetings at two barriers", MEET_AGAIN, "bar.sync 1;\n", 0, AREA, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"who does not store arrives and goes on", MEET,
     "@%p2 bar.arrive 1, 64; @!%p2 bar.sync 1, 64;\n@", 0, AREA, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"the same at the barrier of the next meeting", MEET,
     "@%p2 bar.arrive 0, 64; @!%p2 bar.sync 0, 64;\n@", 0, AREA, TMAP_OK, TMAP_HAZARD_ALIAS, ""},
    {"two writes of a slot", WRITE, WRITE WRITE, 0, AREA, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two stores of a slot in one group", STORE, STORE STORE, 0, AREA, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
    {"two stores of a slot, no wait", STORE GROUP WAIT_READ(0), STORE STORE GROUP, 0, AREA, TMAP_OK,
     TMAP_HAZARD_UNWAITED_STORE, ""},
    {"two stores of a slot in two groups", STORE, STORE GROUP STORE, 0, AREA, TMAP_E_ARGUMENT, 0,
     "goes round its ring at no steady pace"},
    {"what is stored is read", STORE, "ld.shared.u64 %d1, [%buf];\n" STORE, 0, AREA, TMAP_OK,
     TMAP_HAZARD_NONE, ""},
    {"eight places stored together", STORE,
     HALF(0) HALF(64) HALF(128) HALF(192) HALF(256) HALF(320) HALF(384) HALF(448), 0, AREA,
     TMAP_E_ARGUMENT, 0, "more than 6 buffers"},
    {"two places stored together", STORE, HALF(0) HALF(64), 0, AREA, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two places stored together, no fence", FENCE "bar.sync 0;\n" STORE,
     "bar.sync 0;\n" HALF(0) HALF(64), 0, AREA, TMAP_OK, TMAP_HAZARD_UNFENCED, ""},
    {"a place stored by each warp", STORE,
     HALF(0) "setp.eq.u32 %p4, %id, 32;\n"
             "@%p4 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%slot+64], 64;\n"
             "@%p4 cp.async.bulk.commit_group; @%p4 cp.async.bulk.wait_group.read 0;\n",
     0, TMAP_EMULATE_STAGING, 1, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"a place that copies fill is stored", "bar.sync 0;\nloop:",
     "@!%p1 mbarrier.init.shared::cta.b64 [%bar], 1;\n"
     "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 512;\n"
     "@!%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%d0], 512, [%bar];"
     "\nbar.sync 0;\nfilled: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%bar], 0;\n"
     "@!%p4 bra filled;\nloop:",
     0, AREA, TMAP_E_NO_PLAN, 0, ""},
};

/* Places in turn. */
static const struct edit turns[] = {{"and.b32 %slot, %i, 0;", "and.b32 %slot, %i, 1;"},
                                    {WAIT_READ(0), WAIT_READ(1)},
                                    {"out: ret;", "out: " WAIT_READ(0) "ret;"}};
static const struct change of_turns[] = {
    {"two places in turn", NULL, NULL, 0, AREA, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"two places, two may be read", WAIT_READ(1), WAIT_READ(2), 0, AREA, TMAP_OK,
     TMAP_HAZARD_UNWAITED_STORE, ""},
    {"two places, the last stores are not waited for", "out: " WAIT_READ(0), "out: ", 0, AREA,
     TMAP_OK, TMAP_HAZARD_UNWAITED_STORE, ""},
    {"nine places", "and.b32 %slot, %i, 1;", "rem.u32 %slot, %i, 9;", 0, AREA, TMAP_E_ARGUMENT, 0,
     "a buffer of more than 8 slots"},
    {"places that overlap", "shl.b32 %slot, %slot, 9;", "shl.b32 %slot, %slot, 8;", 0, AREA,
     TMAP_E_ARGUMENT, 0, "slots of a buffer overlap"},
    {"groups of one store and of two", STORE,
     STORE "setp.ne.u32 %p5, %slot, %s; or.pred %p5, %p5, %p1;\n"
           "@!%p5 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%slot+1024], 512;\n",
     0, AREA, TMAP_E_ARGUMENT, 0, "groups of several sizes"},
};

/* One of three warps has no part in it: the others meet at a barrier of their own. */
static const struct edit three_warps[] = {
    {"bar.sync 0;\nloop:", "bar.sync 0; setp.ge.u32 %p5, %id, 64; @%p5 bra out;\nloop:"},
    {"bar.sync 0;\n@", "bar.sync 2, 64;\n@"},
    {"barrier.sync 0;", "barrier.sync 2, 64;"},
};
static const struct change of_three[] = {
    {"some warps meet", NULL, NULL, 0, AREA, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"some warps meet, no wait", WAIT_READ(0), "", 0, AREA, TMAP_OK, TMAP_HAZARD_UNWAITED_STORE,
     ""},
};

static const struct change of_pair[] = {
    {"an area in each CTA", NULL, NULL, 0, AREA, TMAP_OK, TMAP_HAZARD_NONE, ""},
    {"an area in the second CTA alone", "bar.sync 0;\nloop:",
     "bar.sync 0; setp.eq.u32 %p5, %rank, 0; @%p5 bra out;\nloop:", 0, AREA, TMAP_E_NO_PLAN, 0, ""},
};

int main(void)
{
    static struct text_list one = {area, THREADS, 1, NULL, 0, changes, COUNT(changes)},
                            places = LIST_OF(area, THREADS, 1, turns, of_turns),
                            three = LIST_OF(area, 96, 1, three_warps, of_three),
                            pair = {area, THREADS, 2, NULL, 0, of_pair, COUNT(of_pair)};
    const struct CMUnitTest tests[] = {TEXTS_OF(one), TEXTS_OF(places), TEXTS_OF(three),
                                       TEXTS_OF(pair)};
    return run_text_lists("staging areas of texts", tests, COUNT(tests));
}
