/* The test stand: operands on the device, timed slices, clocks and power beside them. */
#ifndef BENCH_GEMM_STAND_H
#define BENCH_GEMM_STAND_H

#include "kernels/gemm/sm90/probe.h"
#include "kernels/gemm/suite.h"
#include "vendor.h"

#define MAX_SETS 64

struct stand {
    struct tmap_gemm *suite;
    const struct tmap_libcuda *api;
    struct vendor *vendor;
    tmap_cu_stream stream;
    tmap_cu_event from, to;
    tmap_cu_deviceptr arena, workspace;
    uint64_t arena_bytes, workspace_bytes;
    tmap_cu_deviceptr cold; /* set to zero, it leaves nothing else in the L2 cache */
    uint64_t cold_bytes;
    tmap_cu_module limits;
    tmap_cu_function clocks; /* records every SM's cycle counter and the time */
    tmap_cu_deviceptr ticks; /* two such records */
    void *nvml, *nvml_device;
    int (*nvml_power)(void *device, unsigned *milliwatts);
    int (*nvml_temperature)(void *device, int which, unsigned *celsius);
    int (*nvml_energy)(void *device, unsigned long long *millijoules);
};

bool stand_open(struct stand *s);
void stand_close(struct stand *s);

/* One product with as many operand sets as keep every launch out of the L2 cache. */
struct job {
    struct tmap_gemm_problem set[MAX_SETS];
    int sets;
    double flops;
};
void job_make(struct stand *s, const struct tmap_gemm_problem *shape, int fill, struct job *job);

/* Something to time: run() launches it once on operand set i. */
struct runner {
    int (*run)(struct stand *s, struct runner *self, int set);
    struct job *job;
    struct tmap_gemm_plan plans[MAX_SETS]; /* ours */
    int algo;                              /* the vendor's */
    double guess_us;
};
bool ours(struct stand *s, struct runner *r, struct job *job,
          const struct tmap_gemm_config *request);
void theirs(struct runner *r, struct job *job, int algo);

struct slice {
    double us;  /* a launch */
    double mhz; /* mean over the slice, from the SMs' own cycle counters */
    double watts, joules, celsius;
    int launches;
    bool failed;
};
/* About `ms` of back-to-back launches, timed by events. guess_us: 0 when unknown. */
struct slice stand_time(struct stand *s, struct runner *r, double ms, double guess_us);

/* Microseconds a launch over about `ms` after the L2 cache has been emptied and while the host is
 * ahead; negative when the device objects. At most 64 launches: small operands are touched once. */
double stand_cold_us(struct stand *s, struct runner *r, double ms);

/* The host's monotonic clock, seconds. */
double stand_now_s(void);

double median(double *values, int n);

#endif
