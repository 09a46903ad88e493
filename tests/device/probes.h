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

#define PROBE_ARENA_BYTES (8ull << 30)
#define MAX_PROBES 800

struct probe_edit {
    uint32_t word;
    uint64_t clear, set;
};

// One tensormap.replace, carried out on the GPU before the copy.
struct probe_replace {
    uint32_t field; // EXECUTOR_FIELD
    uint64_t value; // an address: relative to the arena, unless absolute
    bool absolute;
};

struct probe {
    char name[64];
    struct device_case c; // addresses relative to the arena until it runs
    struct probe_edit edit[2];
    uint32_t rank;      // of the instruction; 0: the map's
    uint32_t map_shift; // 0: in the job
    bool absolute;      // desc.address is meant as it is
    int64_t far;        // draw this case of class tiled_far; -1: not
    uint32_t bar_shift; // moves the barrier operand
    bool replaced;
    struct probe_replace replace;
};

struct probe_list {
    struct probe *p;
    uint32_t n;
};

// probe_add() : a plain load to start from. probe_as_op(), probe_as_im2col() : turned into another.
__attribute__((format(printf, 2, 3))) struct probe *probe_add(struct probe_list *l, const char *fmt,
                                                              ...);
void probe_as_op(struct probe *p, uint32_t exec_op);
void probe_as_im2col(struct probe *p);
// probes_replaced() : copies by maps that tensormap.replace has edited.
void probes_replaced(struct probe_list *l);

// probe_draw() : all of them.
struct probe_list probe_draw(void);

// probe_hide() : XORs the hashes out of an image (or back in), so that what did not change is 0.
void probe_hide(const struct device_case *c, uint8_t *image, uint32_t bytes);

// probe_encode() : the driver's own encode call; its CUresult.
int probe_encode(const struct tmap_libcuda *cu, const struct tmap_desc *d, uint64_t map[16]);

// probe_all() : runs every probe, `workers` processes at a time, and says what was predicted;
// DIR/faults.sim.
int probe_all(const char *dir, int workers);

// probe_edits() : maps edited by tensormap.replace; DIR/replace.rec.
void probe_edits(const char *dir);

#endif
