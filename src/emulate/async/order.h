// Who has seen what: vector clocks over agents, and a shadow of every granule of memory.
//
// An agent is a warp, or something asynchronous: an mbarrier's transactions (its clock is the
// phase), a warp's bulk groups, a warp's tensor core groups. What an agent has seen of another is a
// number in its clock: `seen` through any synchronisation, `async` what proxy fences have made
// visible to the async proxy on the way. Synchronisation objects carry clocks from who releases to
// who acquires. An access that an earlier conflicting one does not precede is a race; one that does
// precede it, but not through a proxy fence where one is needed, is a missing fence.
// (FastTrack's idea; the proxies after the PTX ISA's memory consistency model.)
#ifndef TMAP_EMULATE_ORDER_H
#define TMAP_EMULATE_ORDER_H

#include "emulate/emulate.h"

// A view of the world: of a warp, of a synchronisation object, of an operation on its way. The
// agents of a CTA are one chunk, NULL while nothing of them was seen.
struct emu_chunk;
struct emu_clock {
    struct emu_chunk **chunk; // of each CTA; NULL: nothing at all
    bool grid;                // griddepcontrol.wait has been waited for
};

enum emu_proxy { PROXY_GENERIC, PROXY_ASYNC };

// Who touches memory, as which agent and with what knowledge.
struct emu_actor {
    uint32_t agent, now; // epoch that is written down
    enum emu_proxy proxy;
    const struct emu_clock *clock;
    struct emu_warp *warp; // for reports
    const struct emu_insn *in;
    uint32_t lane;
    bool fences;    // of tcgen05 are part of what orders it
    bool each_lane; // of pieces each is the next lane's
};

// An agent of a warp that is made, with its clock.
bool emu_order_warp(struct emu_warp *w);
void emu_order_warp_free(struct emu_warp *w);

enum emu_agent_kind {
    AGENT_WARP,
    AGENT_BULK_READ,
    AGENT_BULK_WRITE,
    AGENT_TENSOR,
    AGENT_CP_ASYNC,
    AGENT_CELLS, // loads and stores of tensor memory, where its fences are asked for
    AGENT_BARRIER
};
enum { AGENT_BARRIERS = 48 }; // barriers of a CTA; more share an agent

bool emu_order_open(struct emu_machine *m);
// What happened is not known in full, for want of memory: any finding may be wrong.
bool emu_order_lost(const struct emu_machine *m);
void emu_order_close(struct emu_machine *m);
uint32_t emu_agent(const struct emu_cta *cta, enum emu_agent_kind kind, uint32_t index);
uint32_t emu_object(struct emu_machine *m); // a new synchronisation object; 0: none (no search)

// A warp releases into an object, acquires from it; fences.
void emu_release(struct emu_warp *w, uint32_t object);
void emu_release_fenced(struct emu_warp *w, uint32_t object); // what is before its last fence
void emu_acquire(struct emu_warp *w, uint32_t object);
void emu_fence_async(struct emu_warp *w);
void emu_observe_grid(struct emu_warp *w); // griddepcontrol.wait
// The agent's epoch `now` is in the object, or known to the warp. A copy's completion tells of its
// own bytes, not of what its issuer knew.
void emu_release_epoch(struct emu_machine *m, uint32_t agent, uint32_t now, uint32_t object);
void emu_join(struct emu_machine *m, uint32_t object, uint32_t from);
// All of one object, and nothing else, is in the other; the one is empty.
void emu_hand_over(struct emu_machine *m, uint32_t from, uint32_t to);
void emu_observe(struct emu_warp *w, uint32_t agent, uint32_t now);
// A strong access to a location (its host address stands for it), with release or acquire of its
// own or through a fence before or after it; and that fence.
void emu_strong_read(struct emu_warp *w, const void *location, bool acquires);
void emu_strong_write(struct emu_warp *w, const void *location, bool releases);
void emu_fence(struct emu_warp *w);
// All that the warp knows, at this moment; to be freed. Empty without search.
struct emu_clock emu_snapshot(const struct emu_warp *w);
void emu_clock_join(const struct emu_machine *m, struct emu_clock *to,
                    const struct emu_clock *from);
void emu_clock_learn(const struct emu_machine *m, struct emu_clock *c, uint32_t agent,
                     uint32_t now);
uint32_t emu_clock_seen_of(const struct emu_warp *w, uint32_t agent);
void emu_clock_free(const struct emu_machine *m, struct emu_clock *clock);
uint32_t emu_now(const struct emu_warp *w);

// A warp's own access, by a lane.
struct emu_actor emu_actor_of(struct emu_warp *w, const struct emu_insn *in, uint32_t lane);
// The access of an actor to bytes of a CTA's shared memory or of a region.
void emu_touch(struct emu_machine *m, const struct emu_actor *actor, struct emu_cta *cta,
               struct emu_region *region, uint64_t offset, uint64_t bytes, unsigned access);
// The same of n pieces of 16 bytes, all inside the CTA's shared memory and aligned.
void emu_touch_pieces(struct emu_machine *m, const struct emu_actor *actor, struct emu_cta *cta,
                      const uint32_t *offset, uint32_t n, unsigned access);
bool emu_has_seen(const struct emu_warp *w, uint32_t agent, uint32_t now);
bool emu_has_fenced(const struct emu_warp *w, uint32_t agent, uint32_t now); // async proxy too
void emu_maps_released(struct emu_warp *w); // what it has written, to the tensormap proxy

// The last write of this grid to a granule of a region, by the generic proxy; false without one.
struct emu_write {
    uint32_t agent, now;
    bool released; // its warp has released to the tensormap proxy since
    const struct emu_insn *in;
};
bool emu_last_write(struct emu_machine *m, struct emu_region *region, uint64_t offset,
                    struct emu_write *out);
// Who wrote a byte of a region last, by any proxy; false when nobody did, or nobody looked.
struct emu_writer {
    uint32_t cta, warp, lane;
    const struct emu_insn *in;
};
bool emu_writer_of(const struct emu_machine *m, const struct emu_region *region, uint64_t offset,
                   struct emu_writer *out);
void emu_shadow_free(struct emu_machine *m, struct emu_shadow *shadow);

#endif
