/* launch.h : what the suites of kernels share: how one is opened, and words of their requests.
 *
 * A suite uses its device's primary context, as the CUDA runtime does. Every call makes it current
 * for as long as the call lasts and puts back what the calling thread had, so that a program with
 * several devices need not switch by hand. A thread that had none when it opened a suite keeps the
 * primary context until that suite is closed, so that it can allocate at once.
 */
#ifndef TMAP_LAUNCH_H
#define TMAP_LAUNCH_H

#include "tmap/tmap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a suite is opened. NULL where one is asked for: device 0, no watchdog. */
struct tmap_open {
    int32_t ordinal; /* as the driver counts devices */
    uint32_t
        watchdog_ms; /* a wait of a kernel that takes longer ends the process's context with a
                        report (tmap_gemm_last_report()); 0: never. For tests of the kernels: time
                        slices, preemption and a debugger stop a sound kernel for longer. */
};

/* How long the lines that a copy reads or writes stay in L2. */
enum tmap_cache_policy {
    TMAP_CACHE_CHOSEN = 0, /* as a request: the plan's choice */
    TMAP_CACHE_NORMAL = 1,
    TMAP_CACHE_EVICT_FIRST = 2,
    TMAP_CACHE_EVICT_LAST = 3
};

#ifdef __cplusplus
}
#endif
#endif
