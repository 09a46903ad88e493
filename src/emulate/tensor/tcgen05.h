// Tensor memory of a CTA, for the instructions that work on it (tcgen05).
#ifndef TMAP_EMULATE_TCGEN05_H
#define TMAP_EMULATE_TCGEN05_H

#include "emulate/tensor/tensor.h"

enum { TMEM_LANES = 128, TMEM_COLUMNS = 512, WARP_LANES = 32, UNIT = 32 };

struct emu_tmem {
    uint32_t cell[TMEM_LANES][TMEM_COLUMNS];
    uint8_t taken[TMEM_COLUMNS / UNIT];
    // Of a pair: columns asked for; the address + 1 that both got; columns to be given back, and
    // that both have been.
    uint32_t request, granted, returning;
    bool returned;
    struct emu_region region;     // for its shadow
    struct tensor_thread *thread; // one for each warp
};

// `count` columns of 32 bits of a lane, all of them allocated; NULL with a fault. access: enum
// emu_access.
uint32_t *tensor_cells(const struct emu_actor *actor, struct emu_cta *cta, uint32_t lane,
                       uint32_t column, uint32_t count, unsigned access);

// .cta_group: 1 or 2 CTAs; false with an error without one.
bool tensor_group(struct decoder *d, uint32_t *ctas);
// The pair's other CTA; NULL with a fault where there is none.
struct emu_cta *tensor_peer(struct emu_warp *w, const struct emu_insn *in, uint32_t lane);

// Issues a lane's operation in its warp's open group, after those that the CTA issued before; takes
// over the data, which drop() frees.
enum emu_step tensor_issue(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                           bool (*run)(struct emu_machine *, struct emu_op *),
                           void (*drop)(struct emu_op *), void *data);

// Who touches what in an operation: shared memory as the async proxy does, tensor memory, which has
// no proxies.
struct tensor_hands {
    struct emu_actor smem, tensor;
};
struct tensor_hands tensor_hands(const struct emu_op *op, const struct emu_clock *tensor);

// A matrix descriptor's view; false with a fault for an illegal one.
struct tensor_view tensor_view(uint64_t descriptor, uint32_t bits, bool mn_major);
bool tensor_view_is_legal(const struct emu_op *op, uint64_t descriptor);
// [address] of tensor memory.
bool tensor_place(struct decoder *d, const struct ptx_operand *o, emu_at *at, int64_t *plus);

// Factors of `blocks` blocks of each row, from byte `id` of the words at `column` on.
struct tensor_scaling {
    uint32_t blocks, id, column;
    bool ue4m3;
};
bool tensor_scale_id_is_legal(uint32_t blocks, uint32_t id);
// out[row * blocks + block]; false with a fault.
bool tensor_scales(const struct emu_actor *actor, struct emu_cta *cta,
                   const struct tensor_scaling *s, uint32_t rows, double *out);

// What of tcgen05 a warp has fenced, waited for and not yet loaded (tensor_fence.c).
struct tensor_thread;
void tensor_threads_free(const struct emu_machine *m, struct tensor_thread *t, uint32_t warps);
// A warp's load or store of tensor memory; and what its products know of others' accesses, to be
// freed.
struct emu_actor tensor_actor(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                              bool store);
void tensor_issue_clock(struct emu_warp *w, struct emu_clock *out);
// The register gets its value at the wait, and until then holds ones; who reads it before is told.
bool tensor_load_late(struct emu_warp *w, const struct emu_insn *in, emu_at at,
                      const uint32_t value[LANES]);

#endif
