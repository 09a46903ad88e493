// The copy suite's inside: loaded modules, and plans in the kernels' own terms.
#ifndef TMAP_KERNELS_COPY_SUITE_H
#define TMAP_KERNELS_COPY_SUITE_H

#include "driver/libcuda.h"
#include "kernels/copy/params.h"
#include "kernels/runtime/opening.h"
#include "kernels/runtime/streams.h"
#include "tmap/copy.h"

enum copy_module {
    COPY_IN_COPY,
    COPY_IN_SPECIAL,
    COPY_IN_TRANSPOSE,
    COPY_IN_REFERENCE,
    COPY_MODULES
};

struct tmap_copy {
    struct tmap_gpu gpu;
    struct tmap_checker checker;
    tmap_cu_module module[COPY_MODULES];
    struct suite_mailbox mailbox; // for a kernel that gives up
    struct stream_memory
        *tickets;        // counters that the blocks of a launch draw tiles from, by stream
    uint32_t smem_bytes; // a block may have
    uint32_t limit_ms;   // of a kernel's wait; UINT32_MAX: 49 days, for never
    char refusal[160];   // why the last plan was refused
};

// copy_refuse() : the words into the suite's refusal; returns the status.
enum tmap_status copy_refuse(struct tmap_copy *suite, enum tmap_status status, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

// copy_function() : by name, with the most dynamic shared memory allowed. NULL when it is not
// there.
tmap_cu_function copy_function(struct tmap_copy *suite, const char *name);

// copy_launch() : any kernel of the suite with parameters of its own.
enum tmap_status copy_launch(struct tmap_copy *suite, tmap_cu_function f, uint32_t grid,
                             uint32_t threads, uint32_t cluster, uint32_t smem_bytes, void *params,
                             void *stream);

#endif
