// Products by CUTLASS's collective builders, for the emulator: nvcc leaves the PTX, and this
// program prints a launch of it, parameters as CUTLASS makes them. The arrays' addresses are the
// arguments.
#include <cstdio>
#include <cstdlib>
#include <cstdint>

#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/dispatch_policy.hpp"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/device_kernel.h"
#include "cutlass/util/packed_stride.hpp"

#ifndef A_TYPE
#define A_TYPE cutlass::bfloat16_t
#endif
#ifndef B_TYPE
#define B_TYPE A_TYPE
#endif
#ifndef D_TYPE
#define D_TYPE float
#endif
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef TILE_K
#define TILE_K 64
#endif
#ifndef CLUSTER_M
#define CLUSTER_M 1
#endif
#ifndef CLUSTER_N
#define CLUSTER_N 1
#endif
#ifndef MAIN
#define MAIN cutlass::gemm::collective::KernelScheduleAuto
#endif
#ifndef EPILOGUE
#define EPILOGUE cutlass::epilogue::collective::EpilogueScheduleAuto
#endif
#ifndef SCHEDULER
#define SCHEDULER void
#endif
#ifndef ARCH
#define ARCH Sm90
#endif
#ifndef CLASS
#define CLASS OpClassTensorOp
#endif

using Arch = cutlass::arch::ARCH;
using Class = cutlass::arch::CLASS;
using Tile = cute::Shape<cute::Int<TILE_M>, cute::Int<TILE_N>, cute::Int<TILE_K>>;
using Cluster = cute::Shape<cute::Int<CLUSTER_M>, cute::Int<CLUSTER_N>, cute::_1>;
using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;
static constexpr int a_align = 128 / cutlass::sizeof_bits<A_TYPE>::value;
static constexpr int b_align = 128 / cutlass::sizeof_bits<B_TYPE>::value;
static constexpr int d_align = 128 / cutlass::sizeof_bits<D_TYPE>::value;

using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
    Arch, Class, Tile, Cluster, cutlass::epilogue::collective::EpilogueTileAuto, float, float,
    D_TYPE, Row, d_align, D_TYPE, Row, d_align, EPILOGUE>::CollectiveOp;
using Main = typename cutlass::gemm::collective::CollectiveBuilder<
    Arch, Class, A_TYPE, Row, a_align, B_TYPE, Column, b_align, float, Tile, Cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<int(
        sizeof(typename Epilogue::SharedStorage))>,
    MAIN>::CollectiveOp;
using Gemm = cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Main, Epilogue,
                                                  SCHEDULER>;

template __global__ void cutlass::device_kernel<Gemm>(CUTLASS_GRID_CONSTANT
                                                      typename Gemm::Params const);

template <class T> static T at(const char *text)
{
    return reinterpret_cast<T>(strtoull(text, nullptr, 0));
}

// product A B C D WORKSPACE M N K SMS
int main(int argc, char **argv)
{
    if (argc != 10) return 3;
    const int m = atoi(argv[6]), n = atoi(argv[7]), k = atoi(argv[8]);
    cutlass::KernelHardwareInfo info;
    info.device_id = 0;
    info.sm_count = atoi(argv[9]);
    info.cluster_shape = dim3(cute::size<0>(Cluster{}), cute::size<1>(Cluster{}), 1);
    info.cluster_shape_fallback = info.cluster_shape;
    const auto da = cutlass::make_cute_packed_stride(typename Gemm::StrideA{}, {m, k, 1});
    const auto db = cutlass::make_cute_packed_stride(typename Gemm::StrideB{}, {n, k, 1});
    const auto dd = cutlass::make_cute_packed_stride(typename Gemm::StrideD{}, {m, n, 1});
    typename Gemm::Arguments args{cutlass::gemm::GemmUniversalMode::kGemm, {m, n, k, 1}};
    args.mainloop.ptr_A = at<decltype(args.mainloop.ptr_A)>(argv[1]);
    args.mainloop.ptr_B = at<decltype(args.mainloop.ptr_B)>(argv[2]);
    args.mainloop.dA = da;
    args.mainloop.dB = db;
    args.epilogue.ptr_C = at<decltype(args.epilogue.ptr_C)>(argv[3]);
    args.epilogue.ptr_D = at<decltype(args.epilogue.ptr_D)>(argv[4]);
    args.epilogue.dC = dd;
    args.epilogue.dD = dd;
    args.epilogue.thread.alpha = 1;
    args.epilogue.thread.beta = 2;
    args.hw_info = info;
    if (!Gemm::can_implement(args)) return 1;
    const auto params = Gemm::to_underlying_arguments(args, at<void *>(argv[5]));
    const dim3 grid = Gemm::get_grid_shape(params), block = Gemm::get_block_shape();
    printf("{\"grid\":[%u,%u,%u],\"block\":%u,\"cluster\":[%d,%d,1],\"smem\":%d,\"workspace\":%zu,"
           "\"params\":\"",
           grid.x, grid.y, grid.z, block.x, int(cute::size<0>(Cluster{})),
           int(cute::size<1>(Cluster{})), int(Gemm::SharedStorageSize),
           Gemm::get_workspace_size(args));
    for (size_t i = 0; i < sizeof params; i++)
        printf("%02x", reinterpret_cast<const uint8_t *>(&params)[i]);
    printf("\"}\n");
    return 0;
}
