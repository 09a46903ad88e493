// Decode attention with planted faults (paged_params.fault; tests/support/paged_faults.def): each
// must be caught. The tests load them; no plan ever does.
#define PAGED_FAULTS
#include "kernels/paged/kernel.cuh"

PAGED_KERNEL(paged_bf16_64, true, 64)
PAGED_KERNEL(paged_bf16_128, true, 128)
