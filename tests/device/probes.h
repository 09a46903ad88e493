// Single copies that may fault, each in a process of its own.
#ifndef TESTS_DEVICE_PROBES_H
#define TESTS_DEVICE_PROBES_H

#include "device/cases.h"
#include "driver/libcuda.h"

struct probe_record {
    struct device_case cse;
    struct executor_result result;
    uint64_t map[16];
    uint64_t arena, arena_seed;
    uint32_t image_bytes;
    int32_t code; // CUresult of the launch; 0 ran
    char name[64];
};

// probe_hide() : XORs the hashes out of an image (or back in), so that what did not change is 0.
void probe_hide(const struct device_case *c, uint8_t *image, uint32_t bytes);

// probe_encode() : the driver's own encode call; its CUresult.
int probe_encode(const struct tmap_libcuda *cu, const struct tmap_desc *d, uint64_t map[16]);

// probe_all() : runs every probe, `workers` processes at a time; DIR/probes.rec.
int probe_all(const char *dir, int workers, bool first_round);

// probe_edits() : maps edited by tensormap.replace; DIR/replace.rec.
void probe_edits(const char *dir);

#endif
