// What a turn touches of what is common to warps and operations, for schedules that leave out
// orders of turns that do not meet (Godefroid's sleep sets). Too much is never wrong, too little
// is.
#ifndef TMAP_EMULATE_FOOTPRINT_H
#define TMAP_EMULATE_FOOTPRINT_H

#include "emulate/emulate.h"

enum emu_common {
    COMMON_SHARED,  // shared memory of CTA a at b
    COMMON_REGION,  // region a at b
    COMMON_NAMED,   // named barrier b of CTA a
    COMMON_CLUSTER, // cluster a's barrier
    COMMON_OPS,     // operations of warp b of CTA a, and registers that they write
    COMMON_QUEUE,   // a's order
    // Who leaves and who arrives at a barrier of CTA a (b: of its cluster). Those who leave only
    // look, as they may change places; and who arrives writes.
    COMMON_LEAVING,
    COMMON_FENCED, // mbarriers of CTA a that are fenced
    COMMON_DONE    // whether CTA a has left
};

struct emu_trail {
    struct tmap_emulate_touched touched;
    bool reads_only; // what counts as an atomic access only looks
    bool moved;      // an instruction did more than wait
    uint8_t *known;  // of each instruction: 0 not looked at, 1 all it touches is told, 2 not
    uint64_t *name;  // of the options
    uint32_t names;
    bool began;
};

bool emu_trail_open(struct emu_machine *m);
void emu_trail_close(struct emu_machine *m);
void emu_trail_begin(struct emu_machine *m); // of a turn
void emu_trail_step(struct emu_machine *m, uint32_t pc, enum emu_step step);
void emu_trail_mark(struct emu_machine *m, enum emu_common what, uint32_t a, uint64_t b,
                    bool writes);
void emu_trail_everything(struct emu_machine *m);
uint64_t emu_warp_name(const struct emu_warp *w);

static inline void emu_mark(struct emu_machine *m, enum emu_common what, uint32_t a, uint64_t b,
                            bool writes)
{
    if (m->trail) emu_trail_mark(m, what, a, b, writes);
}

#endif
