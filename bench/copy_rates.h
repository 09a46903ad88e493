// Parameters of the copy engine's rate measurement; read by C and by CUDA.
#ifndef TMAP_BENCH_COPY_RATES_H
#define TMAP_BENCH_COPY_RATES_H

#include "kernels/copy/params.h"

enum rate_mode { RATE_LOAD = 1, RATE_STORE = 2, RATE_BOTH = 3 };

// Boxes of a rank-3 map {row, rows, panels} again and again; a block's own row coordinate and
// panels, so that everything stays in L2.
struct rate_params {
    struct copy_map map;
    uint32_t mode, boxes, stages, slot_bytes, tx_bytes;
    uint32_t row_step;    // rows between blocks
    uint32_t panel_step;  // panels between a block's boxes
    uint32_t panel_count; // boxes before it starts over
    uint32_t panel_base;  // panels between blocks
    uint32_t limit_ms;
    uint64_t *cycles; // one a block
    volatile uint32_t *mailbox;
};

#endif
