// The kernels that multiply a group, and those that make its members' parameters.
#include "groups.cuh"
#include "kernels/gemm/make_routed.cuh"

#define GEMM_GROUP_INSTANCE(kind, wgs, bn, promote)                                                \
    extern "C" __global__ __launch_bounds__((shape<GEMM_KIND_##kind, wgs, bn>::THREADS), 1) void   \
        gemm_group_##kind##_##wgs##x##bn##_##promote(const __grid_constant__ gemm_params p)        \
    {                                                                                              \
        gemm_group<shape<GEMM_KIND_##kind, wgs, bn, false, false, promote>>(p);                    \
    }
#include "groups.def"
GEMM_MAKE_ROUTED(make_routed)
