// The acts of one warp in one run, gone through one after another to say what they are as symbols.
#ifndef TMAP_EMULATE_READER_H
#define TMAP_EMULATE_READER_H

#include "emulate/protocol/fold.h"

enum { MOST_OPEN = 16 };

struct open_read {
    uint8_t buffer, slot;
    uint32_t group; // of wgmma
    bool fetches, products;
};

// While the acts of one warp are gone through.
struct reader {
    struct fold *f;
    struct said *said;
    struct open_read open[MOST_OPEN];
    uint32_t opens, groups;                                 // wgmma groups committed
    bool made[TMAP_PROTOCOL_BARRIERS][TMAP_PROTOCOL_DEPTH]; // barriers
    bool is_sum_open[TMAP_PROTOCOL_BUFFERS], is_rewritten[TMAP_PROTOCOL_BUFFERS];
    bool arrived_cluster, wrote, stored, rewrote;
    uint32_t in_group, group_stores; // stores of the open group; of the last one
    bool uneven;                     // groups have had different numbers
    uint8_t sum_slot[TMAP_PROTOCOL_BUFFERS];
};

// What finds no memory is not said; who says more looks at fold.memory first.
void say_symbol(struct reader *r, const struct act *a, struct symbol s);
struct symbol *last_said(const struct reader *r); // NULL: none

static inline uint8_t cta_bit(uint8_t cta)
{
    return (uint8_t)(1u << cta);
}

// Slots (slots.c). False with fold.error, or for memory.
bool touch_slots(struct reader *r, const struct act *a);
void end_plain_reads(struct reader *r, const struct act *a); // by the warp itself
void end_groups(struct reader *r, const struct act *a);      // of products
void end_fetches(struct reader *r, const struct act *a);

#endif
