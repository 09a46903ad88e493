// What a GPU did with a plan, as it is kept in tests/data/sim/plans.txt: a line of numbers each.
#ifndef TESTS_DEVICE_PLAN_RECORD_H
#define TESTS_DEVICE_PLAN_RECORD_H

#include <stdio.h>

#include "device/plan_case.h"

// Addresses are relative to the arena, or to the first window of a store.
struct plan_record {
    struct plan_case c; // of its plan: desc, copies, slot_bytes
    struct plan_seen {
        int32_t coord[TMAP_MAX_RANK];
        uint32_t box[TMAP_MAX_RANK], channels, pixels;
        uint64_t digest; // of every byte that the copy left: plan_digest()
    } seen[PLAN_COPIES];
};

uint64_t plan_digest(const uint8_t *image, uint64_t bytes);
// plan_record_copy() : fills seen[n] from the copy as it was run. plan_record_case() : the reverse;
// window as plan_copy()'s.
void plan_record_copy(struct plan_record *r, uint32_t n, const struct device_case *copy,
                      const uint8_t *image);
void plan_record_case(const struct plan_record *r, uint32_t n, uint64_t window,
                      struct device_case *copy);
// plan_record_move() : adds to the addresses.
void plan_record_move(struct plan_record *r, uint64_t by);

void plan_record_write(FILE *f, const struct plan_record *r);
// plan_record_read() : false at the end, and of a line that is none.
bool plan_record_read(FILE *f, struct plan_record *r);

#endif
