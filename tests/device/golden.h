// What a GPU did with one copy, as it is kept in tests/golden/sim: written by the device program,
// replayed by test_golden_sim without a GPU.
#ifndef TESTS_DEVICE_GOLDEN_H
#define TESTS_DEVICE_GOLDEN_H

#include <stdio.h>

#include "device/cases.h"

// Addresses are relative to `arena`, or to the window for copies that write.
struct golden {
    struct device_case c;
    uint64_t map[16]; // as executed; word 0 relative too
    uint64_t arena, arena_bytes, arena_seed;
    uint32_t instruction_rank, map_shift, bar_shift;
    int32_t code;         // CUresult; 0 ran
    uint32_t done, exact; // of the barrier
    uint32_t has_image;
    uint8_t *image; // image_bytes or window_bytes of it
};

// golden_write(), golden_read() : one record; read allocates the image, false at the end. The image
// is stored as its difference from the hashes, zero runs counted.
void golden_write(FILE *f, const struct golden *g);
bool golden_read(FILE *f, struct golden *g);

// golden_fault() : whether the rows say that this copy ends in a fault.
bool golden_fault(const struct golden *g);

// golden_differs() : simulates the copy; the offset of the first byte that differs from the image,
// -1 when none does.
long long golden_differs(const struct golden *g);

#endif
