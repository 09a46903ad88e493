// What the warps of one cluster did to barriers and to what barriers guard, in the order in which
// each did it: the material that a protocol is folded from (fold.c).
#ifndef TMAP_EMULATE_RECORD_H
#define TMAP_EMULATE_RECORD_H

#include "emulate/async/async.h"

enum act_op {
    ACT_INIT,         // value: arrivals of a phase
    ACT_FENCE_INIT,   // fence.mbarrier_init
    ACT_FENCE,        // fence.proxy.async
    ACT_MEET,         // bar.sync `at` of `value` threads (0: all); `cta` 1: bar.arrive
    ACT_MEET_CLUSTER, // value 0: arrive, 1: wait
    ACT_WAIT,         // passed, on parity `value`
    ACT_LOOK, // mbarrier.test_wait on parity `value` by lanes from `at` on; `bytes` 1: it was over
    ACT_ARRIVE,      // value: arrivals
    ACT_DROP,        // the same, and of later phases no more
    ACT_EXPECT,      // the same of one arrival, and of `bytes`
    ACT_SIGNAL,      // by cp.async or st.async, once their bytes are there: protocols have none
    ACT_LOAD,        // a copy to `at` of CTA `cta`, whose `value` bytes are told to the barrier
    ACT_STORE,       // a copy out of `at`
    ACT_FORWARD,     // a copy out of `at` to shared memory
    ACT_STORES_END,  // cp.async.bulk.commit_group
    ACT_WAIT_READ,   // all stores but the last `value` groups have been read
    ACT_READ,        // by the warp itself
    ACT_WRITE,       // by the warp itself
    ACT_TENSOR_READ, // of shared memory, by a product that is under way
    ACT_SUM,         // of columns of tensor memory, by a product that is under way
    ACT_FETCH,       // of columns of tensor memory, by a load that is under way
    ACT_FETCHED,     // tcgen05.wait::ld
    ACT_COMMIT,      // tcgen05.commit to the barrier
    ACT_GROUP,       // wgmma.commit_group
    ACT_GROUPS_DONE  // wgmma.wait_group: all but the last `value`
};

// CTAs are ranks in the cluster; of tensor memory `at` and `bytes` count columns.
struct act {
    uint8_t op, cta, barrier_cta;
    uint16_t by_cta, by_warp;
    uint32_t line, at, bytes, barrier, value;
};

struct touched { // by one warp since it last did anything else
    uint8_t op, cta;
    uint32_t from, to, line;
};
enum { MOST_TOUCHED = 96 };

struct looking { // an instruction that looks at a phase: how often the warp has, and in vain
    const struct emu_insn *in;
    uint32_t times, tries;
};
enum { MOST_LOOKING = 32 };

struct warp_touches {
    struct touched of[MOST_TOUCHED];
    uint32_t count;
    struct looking look[MOST_LOOKING];
    uint32_t looks;
    struct act looked; // what the warp did last, where that was a look
};

struct tmap_emulate_record {
    uint32_t cluster; // the one that is recorded
    struct act *act;
    size_t count, room;
    struct warp_touches *warp; // of all CTAs of the cluster
    uint32_t ctas, warps;      // of the cluster; of a CTA
    bool lost;                 // for want of memory
    char (*name)[32];          // of what a protocol folded from it has
    uint32_t names;
};

// Where somebody records, each.
void emu_note(const struct emu_warp *w, const struct emu_insn *in, const struct act *act);
// Memory that the warp, or something that it issued, touches: from its start to its end.
void emu_note_touch(const struct emu_warp *w, const struct emu_insn *in, enum act_op op,
                    const struct emu_cta *cta, uint64_t from, uint64_t bytes);

// How a look at a phase (mbarrier.test_wait) is answered, which is over or not. Where somebody
// records, no and yes take turns, so that the record shows what a kernel does after either: no as
// if the phase ended just after, yes once others have gone. The launch's seed says which is first.
enum emu_answer { ANSWER_NO, ANSWER_YES, ANSWER_LATER };
enum emu_answer emu_record_answer(const struct emu_warp *w, const struct emu_insn *in, bool over);

// What warps touched last of all: the run is over.
void emu_record_finish(struct tmap_emulate_record *r);

// An act, where anybody does.
#define NOTE(w, in, ...)                                                                           \
    do {                                                                                           \
        if ((w)->m->watch.record) emu_note((w), (in), &(struct act){__VA_ARGS__});                 \
    } while (0)

#endif
