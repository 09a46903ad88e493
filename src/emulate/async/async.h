// What happens beside the warps: pending operations, mbarriers, groups.
#ifndef TMAP_EMULATE_ASYNC_H
#define TMAP_EMULATE_ASYNC_H

#include "emulate/async/order.h"

// --- pending operations

enum emu_op_class { OP_LOAD, OP_BULK, OP_CP_ASYNC, OP_TENSOR };

// One asynchronous operation. run() does its next step and says whether it was the last. An engine
// that works in order gives its operations one queue (0: none): the oldest of a queue goes first.
struct emu_op {
    bool (*run)(struct emu_machine *m, struct emu_op *op);
    void (*drop)(struct emu_op *op); // frees data
    enum emu_op_class class;
    struct emu_warp *warp;
    const struct emu_insn *in;
    uint32_t lane, group;
    struct emu_cta *cta; // of the issuer
    uint64_t serial, queue, issued;
    bool after_lane;         // the earlier ones of its lane and class go first
    uint32_t stage, ordinal; // ordinal: of its warp's
    bool has_read;           // shared memory is free again
    struct emu_clock clock;
    uint32_t agent, now;
    void *data;
};

// Takes over *op (copied) and its data. With the earliest schedule it is done at once.
enum emu_step emu_issue(struct emu_warp *w, const struct emu_op *op);
void emu_run_op(struct emu_machine *m); // some step of some pending operation
// Whether an operation of the class, this warp and lane, with group at most `last`, is pending;
// reading: only while it still reads shared memory.
bool emu_pending(const struct emu_warp *w, enum emu_op_class class, uint32_t lane, int64_t last,
                 bool reading);
// How many operations could be the next: the oldest of each queue. Option n of them is run.
uint32_t emu_op_options(const struct emu_machine *m);
void emu_run_op_option(struct emu_machine *m, uint32_t n);
void emu_name_ops(const struct emu_machine *m, uint64_t *name); // of the options, in their order
// Runs those to their end: a warp waits for them, so now is late enough.
void emu_end_cluster(struct emu_machine *m, struct emu_cluster *cluster);
void emu_warp_left(struct emu_warp *w); // its last lane has
void emu_cta_left(struct emu_cta *cta);

// --- mbarriers

struct emu_mbarrier {
    uint32_t offset;    // in shared memory
    bool valid, fenced; // fenced: what was initialised is visible to all
    uint32_t phase, expected, pending;
    int64_t tx;            // bytes expected and not yet there
    uint32_t gather, done; // synchronisation objects
    uint32_t agent;
    const struct emu_insn *made;
    uint32_t made_by; // warp
    uint32_t made_at; // its epoch
};

// By generic address; NULL with a fault when there is none. init: makes one.
struct emu_mbarrier *emu_barrier(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                                 uint64_t generic, struct emu_cta **cta);
// The same where it has to be the own CTA's.
struct emu_mbarrier *emu_own_barrier(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                                     uint64_t generic);
// Whether so many arrivals are awaited; false with a fault.
bool emu_barrier_lacks(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                       const struct emu_mbarrier *b, uint32_t count);
void emu_barrier_arrive(struct emu_cta *cta, struct emu_mbarrier *b, uint32_t count);
void emu_barrier_complete(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                          struct emu_cta *cta, struct emu_mbarrier *b, uint32_t bytes);
void emu_barrier_text(const struct emu_warp *w, uint64_t offset, char *text, size_t cap);
void emu_barriers_fenced(struct emu_warp *w);
// The async proxy signals b: reports one whose making it cannot see.
void emu_barrier_used(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                      struct emu_mbarrier *b);

// --- barriers of a CTA, for warps that leave

void emu_named_left(struct emu_cta *cta);
void emu_cluster_left(struct emu_cluster *cluster);

// Whether all lanes that an instruction needs are here; else it waits for them: until they come,
// which merge() ends, or leave. members 0: all that are still in the warp.
static inline bool emu_together(struct emu_warp *w, const struct emu_insn *in, uint32_t members,
                                enum emu_step *step)
{
    (void)in;
    const uint32_t need = (members ? members : UINT32_MAX) & w->live;
    if ((emu_here(w)->mask & need) == need) return true;
    *step = emu_watch_for(w, WAIT_LANES, need & ~emu_here(w)->mask, 0, &w->live);
    return false;
}

#endif
