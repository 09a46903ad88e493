/* Our own driver types and enum values against cuda.h's, where a toolkit is present. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "driver/libcuda.h"

#if defined(__has_include)
#if __has_include(<cuda.h>)
#define HAVE_CUDA_H
#endif
#endif

#ifdef HAVE_CUDA_H
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <cuda.h>
#pragma GCC diagnostic pop

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #theirs)
#define SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define MEMBER(ours, a, theirs, b) SAME(offsetof(ours, a), offsetof(theirs, b))

SAME(TMAP_CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME(TMAP_CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(TMAP_CU_NOT_INITIALIZED, CUDA_ERROR_NOT_INITIALIZED);
SAME(TMAP_CU_DEINITIALIZED, CUDA_ERROR_DEINITIALIZED);
SAME(TMAP_CU_STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY);
SAME(TMAP_CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(TMAP_CU_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE);
SAME(TMAP_CU_INVALID_CONTEXT, CUDA_ERROR_INVALID_CONTEXT);
SAME(TMAP_CU_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(TMAP_CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME(TMAP_CU_MISALIGNED_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME(TMAP_CU_ILLEGAL_INSTRUCTION, CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME(TMAP_CU_SYSTEM_NOT_READY, CUDA_ERROR_SYSTEM_NOT_READY);
SAME(TMAP_CU_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);

SAME(TMAP_CU_ATTR_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(TMAP_CU_ATTR_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(TMAP_CU_ATTR_CC_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(TMAP_CU_ATTR_CC_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(TMAP_CU_ATTR_SMEM_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(TMAP_CU_ATTR_SMEM_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(TMAP_CU_ATTR_SMEM_RESERVED, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
#if CUDA_VERSION >= 12000
SAME(TMAP_CU_ATTR_TENSOR_MAP, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED);
#endif
SAME(TMAP_CU_FUNC_STATIC_SMEM, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(TMAP_CU_FUNC_LOCAL_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(TMAP_CU_FUNC_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(TMAP_CU_FUNC_MAX_DYNAMIC_SMEM, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(TMAP_CU_FUNC_NON_PORTABLE_CLUSTER, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(TMAP_CU_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(TMAP_CU_LAUNCH_PDL, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME(TMAP_CU_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(TMAP_CU_HOST_MAPPED, CU_MEMHOSTALLOC_DEVICEMAP);

SIZE(tmap_cu_result, CUresult);
SIZE(tmap_cu_device, CUdevice);
SIZE(tmap_cu_deviceptr, CUdeviceptr);
SIZE(struct tmap_cu_launch, CUlaunchConfig);
SIZE(struct tmap_cu_launch_attr, CUlaunchAttribute);
SIZE(union tmap_cu_launch_value, CUlaunchAttributeValue);
MEMBER(struct tmap_cu_launch, grid_x, CUlaunchConfig, gridDimX);
MEMBER(struct tmap_cu_launch, block_x, CUlaunchConfig, blockDimX);
MEMBER(struct tmap_cu_launch, smem_bytes, CUlaunchConfig, sharedMemBytes);
MEMBER(struct tmap_cu_launch, stream, CUlaunchConfig, hStream);
MEMBER(struct tmap_cu_launch, attrs, CUlaunchConfig, attrs);
MEMBER(struct tmap_cu_launch, attr_count, CUlaunchConfig, numAttrs);
MEMBER(struct tmap_cu_launch_attr, value, CUlaunchAttribute, value);
MEMBER(union tmap_cu_launch_value, cluster.x, CUlaunchAttributeValue, clusterDim.x);
MEMBER(union tmap_cu_launch_value, cluster.z, CUlaunchAttributeValue, clusterDim.z);

#if CUDA_VERSION >= 12000
/* The encode calls take our arguments, in our order: the compiler checks, nothing is evaluated. */
static const uint64_t *const u64;
static const uint32_t *const u32;
static const int *const i32;
#define E(type, value) ((CUtensorMap##type)(value))
_Static_assert(sizeof(cuTensorMapEncodeTiled((CUtensorMap *)0, E(DataType, 0), 1u, (void *)0, u64,
                                             u64, u32, u32, E(Interleave, 0), E(Swizzle, 0),
                                             E(L2promotion, 0), E(FloatOOBfill, 0))) ==
                   sizeof(tmap_cu_result),
               "cuTensorMapEncodeTiled");
_Static_assert(sizeof(cuTensorMapEncodeIm2col((CUtensorMap *)0, E(DataType, 0), 1u, (void *)0, u64,
                                              u64, i32, i32, 1u, 1u, u32, E(Interleave, 0),
                                              E(Swizzle, 0), E(L2promotion, 0),
                                              E(FloatOOBfill, 0))) == sizeof(tmap_cu_result),
               "cuTensorMapEncodeIm2col");
_Static_assert(sizeof(cuTensorMapReplaceAddress((CUtensorMap *)0, (void *)0)) ==
                   sizeof(tmap_cu_result),
               "cuTensorMapReplaceAddress");
SIZE(struct tmap_map, CUtensorMap);
SAME(TMAP_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME(TMAP_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
SAME(TMAP_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
SAME(TMAP_INTERLEAVE_32B, CU_TENSOR_MAP_INTERLEAVE_32B);
SAME(TMAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B);
SAME(TMAP_L2_256B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME(TMAP_OOB_NAN, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
#endif
#if CUDA_VERSION >= 12080
_Static_assert(sizeof(cuTensorMapEncodeIm2colWide((CUtensorMap *)0, E(DataType, 0), 1u, (void *)0,
                                                  u64, u64, 1, 1, 1u, 1u, u32, E(Interleave, 0),
                                                  E(Im2ColWideMode, 0), E(Swizzle, 0),
                                                  E(L2promotion, 0), E(FloatOOBfill, 0))) ==
                   sizeof(tmap_cu_result),
               "cuTensorMapEncodeIm2colWide");
SAME(TMAP_16U6_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
SAME(TMAP_SWIZZLE_128B_ATOM_64B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
SAME(TMAP_WIDE_W128, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128);
#endif

static void compiled_against_cuda_h(void **state)
{
    (void)state;
    assert_true(CUDA_VERSION >= 11080);
    assert_true(u64 == NULL && u32 == NULL && i32 == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiled_against_cuda_h)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    puts("1..1\nok 1 - driver_abi # SKIP driver_abi: there is no cuda.h to compare with");
    return 0;
}
#endif
