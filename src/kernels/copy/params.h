// What the host hands to a copy kernel: one struct, by value, read by C and by CUDA.
#ifndef TMAP_KERNELS_COPY_PARAMS_H
#define TMAP_KERNELS_COPY_PARAMS_H

#include <stdint.h>

#define COPY_RANK 5
#define COPY_MAX_STAGES 32u

#ifdef __CUDACC__
#define COPY_ALIGN alignas(128)
#else
#define COPY_ALIGN _Alignas(128)
#endif

// A tensor map, 128 bytes, 128-byte aligned.
struct copy_map {
    COPY_ALIGN uint64_t word[16];
};

// t / divisor for t below 2^31, as (t * multiplier) >> shift.
struct copy_divisor {
    uint32_t divisor, multiplier, shift;
};

struct copy_params {
    struct copy_map src, dst;
    // Tiles: how many along each dimension, and how far apart in elements.
    struct copy_divisor tiles[COPY_RANK];
    uint32_t step[COPY_RANK];
    uint32_t total;
    // The ring. tx_bytes is what one load signals; a mismatch with the map is refused.
    uint32_t stages, stage_bytes, tx_bytes;
    uint64_t load_policy, store_policy;
    // Bulk copies and pages: plain addresses.
    uint64_t src_address, dst_address, bytes;
    uint64_t page_bytes; // distance of source pages
    const int32_t *index;
    uint32_t tiles_per_page;
    // Im2col: taps along W, H, D; the bounding box and its lower corner; pixels of one load.
    uint32_t taps[3], tap_step[3];
    struct copy_divisor box_extent[3];
    int32_t lower[3];
    uint32_t pixel_step[3]; // element strides
    // Descriptors in a loop, or patched on the device: one entry each.
    const void *list; // struct copy_item[total]
    void *published;  // a slot for a descriptor per block, 128-byte aligned
    uint32_t cluster;
    uint32_t fault;   // a planted fault, in builds that have them
    uint32_t *ticket; // two counters, zero before and after a launch
    volatile uint32_t *mailbox;
    uint32_t limit_ms;
    uint32_t delay_ns; // control builds: how long a block of odd rank dawdles
};

// One tensor of a list: its own maps, or what to patch into the template of the params.
struct copy_item {
    struct copy_map src, dst;
    uint64_t src_address, dst_address; // patched: replaces the maps' addresses
    uint32_t rows;                     // and the extent of dimension 1
    uint32_t tiles;                    // along dimension 1
    uint64_t spare[13];
};

// Barrier ids that the watchdog names; and, of a refused plan, what did not fit.
enum copy_barrier { COPY_FULL = 1, COPY_EMPTY = 2 };
enum copy_refusal {
    COPY_BAD_TX = 1,
    COPY_BAD_RING = 2,
    COPY_BAD_ALIGNMENT = 3,
    COPY_BAD_COUNT = 4
};

// Faults that the control build can plant.
enum copy_fault {
    COPY_FAULT_NONE = 0,
    COPY_FAULT_TX_LESS = 1,    // expects 16 bytes less
    COPY_FAULT_TX_MORE = 2,    // expects 16 bytes more
    COPY_FAULT_PHASE = 3,      // does not flip the parity when the ring wraps
    COPY_FAULT_EARLY = 4,      // reuses a slot before its store has read it
    COPY_FAULT_NO_FENCE = 5,   // transposes without the proxy fence
    COPY_FAULT_SLOT = 6,       // stores from the neighbouring slot
    COPY_FAULT_LAST_TILE = 7,  // leaves out the last tile
    COPY_FAULT_NO_DRAIN = 8,   // does not wait for its stores at the end
    COPY_FAULT_NO_ACQUIRE = 9, // uses a patched descriptor without the acquire fence
    COPY_FAULT_SWIZZLE = 10,   // reads the tile with the wrong XOR
    COPY_FAULT_NO_WAIT = 11,   // stores without waiting for the load
    COPY_FAULT_ROW = 12,       // stores one row further down
    COPY_FAULT_TICKET = 13,    // leaves the counters as they are
    COPY_FAULT_NO_INIT = 14,   // no fence after mbarrier.init
    COPY_FAULT_MASK = 15,      // multicasts to all blocks but the last
    COPY_FAULT_NO_EMPTY = 16,  // multicasts before every block has emptied its slot
    COPY_FAULT_LEAVES = 17,    // leaves the cluster without waiting for the others
    COPY_FAULT_NO_RELEASE = 18 // writes a patched descriptor with plain stores
};

#endif
