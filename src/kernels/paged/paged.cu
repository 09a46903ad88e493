// The kernels of decode attention, one for each type and length of a head.
#include "kernel.cuh"

#define PAGED_INSTANCE(name, kind, dim, scale) PAGED_KERNEL(name, (kind) == 0, dim)
#include "kernels/paged/instances.def"
