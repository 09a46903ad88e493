// Tensor memory of a CTA, for the instructions that work on it (tcgen05).
#ifndef TMAP_EMULATE_TCGEN05_H
#define TMAP_EMULATE_TCGEN05_H

#include "emulate/tensor/tensor.h"

enum { TMEM_LANES = 128, TMEM_COLUMNS = 512, WARP_LANES = 32 };

// `count` columns of 32 bits of a lane, all of them allocated; NULL with a fault. access: enum
// emu_access.
uint32_t *tensor_cells(const struct emu_actor *actor, struct emu_cta *cta, uint32_t lane,
                       uint32_t column, uint32_t count, unsigned access);

// .cta_group: 1 or 2 CTAs; false with an error without one.
bool tensor_group(struct decoder *d, uint32_t *ctas);
// The pair's other CTA; NULL with a fault where there is none.
struct emu_cta *tensor_peer(struct emu_warp *w, const struct emu_insn *in, uint32_t lane);

#endif
