/* driver.h : what an open driver is. */
#ifndef TMAP_DRIVER_DRIVER_H
#define TMAP_DRIVER_DRIVER_H

#include "driver/libcuda.h"
#include "tmap/driver.h"

struct tmap_driver {
    struct tmap_gpu gpu;
    struct tmap_target target;
    struct tmap_checker checker; /* contract `driver` on that target */
    char version[64];
};

/* The driver's own version, "580.159.04", as /proc/driver/nvidia/version says it, else NVML; ""
 * where neither does. */
void driver_version_text(char *out, size_t cap);
/* The first number of such a text; 0 when there is none. */
uint32_t driver_branch_of(const char *version);
/* The target that an open GPU stands for. */
struct tmap_target driver_target(const struct tmap_gpu *gpu, const char *version);

#endif
