// The kernels that multiply a group one or both of whose operands are not contiguous along K.
#include "groups.cuh"

#define GEMM_GROUP_MAJORS(kind, wgs, bn, a_mn, b_mn)                                               \
    extern "C" __global__ __launch_bounds__((shape<GEMM_KIND_##kind, wgs, bn>::THREADS), 1) void   \
        gemm_group_##kind##_##wgs##x##bn##_##a_mn##b_mn(const __grid_constant__ gemm_params p)     \
    {                                                                                              \
        gemm_group<shape<GEMM_KIND_##kind, wgs, bn, a_mn, b_mn, false>>(p);                        \
    }
#include "groups_routed.def"
