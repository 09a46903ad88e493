// Copies of the copy engine on their way.
#ifndef TMAP_EMULATE_COPY_H
#define TMAP_EMULATE_COPY_H

#include "emulate/async/async.h"

// One tensor copy (desc) or bulk copy (from, to, bytes).
struct emu_copy {
    bool tensor, loads, multicast, reduces;
    bool pair; // the barrier may be the peer's of the CTA that is written to
    struct tmap_desc desc;
    struct tmap_use use;
    uint64_t from, to, barrier; // generic addresses
    uint32_t bytes, mask;       // of CTAs
    int32_t op, dtype;          // of a bulk reduction: enum tmap_use_op, tmap_dtype
    uint8_t *snapshot;          // of shared memory that a store has read
    uint64_t snapshot_at, snapshot_bytes;
    uint32_t tx; // bytes still to be told to each barrier
};

enum emu_step emu_start_copy(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                             const struct emu_copy *copy);

// The descriptor at a generic address, decoded and checked; false with a fault.
bool emu_map(struct emu_warp *w, const struct emu_insn *in, uint32_t lane, uint64_t generic,
             struct tmap_desc *out);
void emu_map_visible(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                     struct emu_region *region, uint64_t generic);
void emu_map_acquired(struct emu_warp *w, uint64_t generic);

#endif
