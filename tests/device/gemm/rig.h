/* rig.h : what the device programs about streams, graphs, devices and neighbours share: an open
 * suite, operands of small integers, plans over them, and the driver's graphs. */
#ifndef TMAP_TESTS_DEVICE_GEMM_RIG_H
#define TMAP_TESTS_DEVICE_GEMM_RIG_H

#include "kernels/gemm/suite.h"

/* The driver's graphs, which the library itself never uses. */
struct rig_graphs {
    int (*begin)(void *stream, int mode);
    int (*end)(void *stream, void **graph);
    int (*instantiate)(void **exec, void *graph, unsigned long long flags);
    int (*launch)(void *exec, void *stream);
    int (*destroy_exec)(void *exec);
    int (*destroy)(void *graph);
};

struct rig {
    struct tmap_gemm *gemm;
    const struct tmap_libcuda *api;
    struct rig_graphs graph;
    int number, failed;
};

/* One "ok" or "not ok" line. */
void rig_tap(struct rig *r, bool good, const char *name);
/* Whether launches can be late: pairs have turns. Else an "ok" line says SKIP and why, with a name.
 */
bool rig_has_turns(struct rig *r, const char *name);
/* Opens device `ordinal`; false with a "SKIP" line printed where there is none. */
bool rig_open(struct rig *r, int ordinal, uint32_t watchdog_ms, const char *name);
void rig_close(struct rig *r);
/* Device memory with bf16 integers -2 .. 1; 0 when there is none. */
tmap_cu_deviceptr rig_operand(struct rig *r, size_t elements, uint32_t seed);
tmap_cu_deviceptr rig_memory(struct rig *r, size_t bytes);
/* A bf16 product of k-major operands, D by rows. */
struct tmap_gemm_problem rig_problem(int32_t out, int32_t m, int32_t n, int32_t k, uint64_t a,
                                     uint64_t b, uint64_t d);
/* The bytes at a device address, as malloc() gave them; NULL on any error. */
void *rig_read(struct rig *r, tmap_cu_deviceptr at, size_t bytes);
bool rig_same(struct rig *r, tmap_cu_deviceptr at, const void *want, size_t bytes);
void rig_poison(struct rig *r, tmap_cu_deviceptr at, size_t bytes);
double rig_seconds(void);

#endif
