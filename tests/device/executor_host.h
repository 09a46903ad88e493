// The executor's host side: an arena of position hashes, and batches of jobs in flight.
#ifndef TMAP_DEVICE_EXECUTOR_HOST_H
#define TMAP_DEVICE_EXECUTOR_HOST_H

#include "driver/libcuda.h"
#include "device/executor.h"

// One batch: what it needs on both sides. Jobs and results are per block; images lie one after
// another in one buffer. The host sides are pinned.
struct executor_slot {
    tmap_cu_stream stream;
    struct executor_job *jobs;
    struct executor_result *results;
    uint8_t *images;
    tmap_cu_deviceptr device_jobs, device_results, device_images;
    uint32_t count, cap;
    uint64_t image_bytes, image_cap;
};

struct executor {
    struct tmap_gpu gpu;
    tmap_cu_module module;
    tmap_cu_function run, fill, scan, replace;
    tmap_cu_deviceptr arena;
    uint64_t arena_bytes, arena_seed;
    uint32_t limit_us; // how long one copy may take before its block gives up
    tmap_cu_result failed;
};

// executor_open() : opens GPU 0, allocates the arena (a multiple of 16) and fills it.
//  Errors: TMAP_E_NOT_BUILT without nvcc at build time; those of tmap_gpu_open; TMAP_E_DRIVER.
enum tmap_status executor_open(struct executor *ex, uint64_t arena_bytes, uint64_t arena_seed,
                               char *why, size_t cap);
void executor_close(struct executor *ex);

enum tmap_status executor_slot_open(struct executor *ex, uint32_t jobs, uint64_t image_bytes,
                                    struct executor_slot *slot);
void executor_slot_close(struct executor *ex, struct executor_slot *slot);

// executor_place() : gives the next job of a slot room for its image; NULL when the slot is full.
//  The job is zeroed; fill it, then launch.
struct executor_job *executor_place(struct executor_slot *slot, uint32_t image_bytes);

// executor_launch() : copies the jobs over, runs them, starts copying the answers back. Where the
//  first job is a multicast all are, two alike for each: one for either block of its cluster.
// executor_finish() : waits for them. TMAP_E_DRIVER: a fault; ex->failed says which.
enum tmap_status executor_launch(struct executor *ex, struct executor_slot *slot);
enum tmap_status executor_finish(struct executor *ex, struct executor_slot *slot);

// executor_image() : the bytes that job i handed back.
const uint8_t *executor_image(const struct executor_slot *slot, uint32_t i);

// executor_refill(), executor_scan() : writes the arena's hashes anew; counts the words that differ
//  from them, and gives the byte offset of the first.
enum tmap_status executor_refill(struct executor *ex);
enum tmap_status executor_scan(struct executor *ex, uint64_t *words, uint64_t *first_offset);

// executor_edit_maps() : runs n tensormap.replace edits; maps gets 16 words for each.
enum tmap_status executor_edit_maps(struct executor *ex, const struct executor_edit *edits,
                                    uint32_t n, uint64_t *maps);

#endif
