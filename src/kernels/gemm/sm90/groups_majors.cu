// The kernels that multiply a group one or both of whose operands are not contiguous along K.
#include "groups_in_turns.cuh"

#define GEMM_GROUP_MAJORS(kind, wgs, bn, a_mn, b_mn)                                               \
    extern "C" __global__ __launch_bounds__((shape<GEMM_KIND_##kind, wgs, bn>::THREADS), 1) void   \
        gemm_group_##kind##_##wgs##x##bn##_##a_mn##b_mn(const __grid_constant__ gemm_params p)     \
    {                                                                                              \
        gemm_group<shape<GEMM_KIND_##kind, wgs, bn, a_mn, b_mn, false>>(p);                        \
    }
#define GEMM_GROUP_PINGPONG(kind, slabs, bn)                                                       \
    extern "C" __global__ __launch_bounds__(                                                       \
        (pingpong_shape<GEMM_KIND_##kind, slabs, bn>::THREADS),                                    \
        1) void gemm_group_##kind##_pingpong_##slabs##x##bn(const __grid_constant__ gemm_params p) \
    {                                                                                              \
        gemm_group<pingpong_shape<GEMM_KIND_##kind, slabs, bn, true, true>>(p);                    \
    }
#include "groups_routed.def"
