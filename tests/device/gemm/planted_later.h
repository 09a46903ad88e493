/* planted_later.h : the faults that can be planted in the products of the chips after Hopper, the
 * plans that carry them, and one of them on whatever device a suite is open on: the chip
 * (faults_later.c) or the emulator (tests/emulate/test_later_faults.c). tests/emulate/
 * test_faults_blackwell.c has the emulator's own findings. */
#ifndef TMAP_TESTS_DEVICE_GEMM_PLANTED_LATER_H
#define TMAP_TESTS_DEVICE_GEMM_PLANTED_LATER_H

#include "kernels/gemm/suite.h"

enum later_shape {
    SINGLE,
    PAIR,
    SHARED,
    STREAM,
    DYNAMIC,
    SCALED,
    SCALED_PAIR,
    NVF4,
    MXF4,
    WARPS, /* from here by mma.sync */
    WARPS_SCALED,
    WARPS_MXF4,
    WARPS_NVF4,
    SHAPES
};

struct later_fault {
    uint32_t id;
    enum later_shape shape;
    const char *name;
    bool silent, shows; /* planted_later.def */
};
extern const struct later_fault later_faults[];
extern const size_t later_fault_count;

/* A shape's kernel with faults, which takes the plan's place. */
const char *later_faulty(enum later_shape shape);
/* What is asked of its plan, and a product of more tiles than accumulators for one cluster and of
 * more k-blocks than slots; without addresses. */
struct tmap_gemm_config later_request(enum later_shape shape);
struct tmap_gemm_problem later_problem(enum later_shape shape);

/* What came of one fault, or of its control: no fault, the same kernel. */
struct later_outcome {
    int stage;        /* how far it came: 3 is to the end */
    int driver_error; /* of a launch, or of what follows it */
    uint64_t differ;  /* elements that are not those of the kernel without faults */
    struct tmap_gemm_report report;
};
/* image: of the kernels with faults. runs: how often, at most. The suite is of no use after a
 * launch that fails, on a chip. */
struct later_outcome later_plant(struct tmap_gemm *suite, const void *image,
                                 const struct later_fault *fault, bool control, int runs);
/* Prints a line of TAP; whether the control is right, and the fault shows if it has to. */
bool later_say(const struct later_fault *fault, const struct later_outcome *control,
               const struct later_outcome *found, int number);
/* Whether the shape is of this family of kernels. */
bool later_is_of(const struct later_fault *fault, int32_t family);

#endif
