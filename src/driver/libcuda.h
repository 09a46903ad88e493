/* libcuda.h : the driver's entry points, loaded at run time and never linked.
 *
 * The types are ours, so that this builds without cuda.h; tests/driver/test_abi.c asserts them
 * equal to cuda.h's where that is present. Every call returns CUresult as an int, 0 for success.
 */
#ifndef TMAP_DRIVER_LIBCUDA_H
#define TMAP_DRIVER_LIBCUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tmap/tmap.h"

typedef int tmap_cu_result;
typedef int tmap_cu_device;
typedef uint64_t tmap_cu_deviceptr;
typedef struct tmap_cu_context_st *tmap_cu_context;
typedef struct tmap_cu_module_st *tmap_cu_module;
typedef struct tmap_cu_function_st *tmap_cu_function;
typedef struct tmap_cu_stream_st *tmap_cu_stream;
typedef struct tmap_cu_event_st *tmap_cu_event;

/* CUresult values that we tell apart. */
enum {
    TMAP_CU_SUCCESS = 0,
    TMAP_CU_INVALID_VALUE = 1,
    TMAP_CU_OUT_OF_MEMORY = 2,
    TMAP_CU_NOT_INITIALIZED = 3,
    TMAP_CU_DEINITIALIZED = 4,
    TMAP_CU_STUB_LIBRARY = 34,
    TMAP_CU_NO_DEVICE = 100,
    TMAP_CU_INVALID_DEVICE = 101,
    TMAP_CU_INVALID_CONTEXT = 201,
    TMAP_CU_NOT_READY = 600,
    TMAP_CU_LAUNCH_FAILED = 719,
    TMAP_CU_MISALIGNED_ADDRESS = 716,
    TMAP_CU_ILLEGAL_INSTRUCTION = 715,
    TMAP_CU_SYSTEM_NOT_READY = 802,
    TMAP_CU_SYSTEM_DRIVER_MISMATCH = 803
};

/* CUdevice_attribute values in use. */
enum {
    TMAP_CU_ATTR_CLOCK_KHZ = 13,
    TMAP_CU_ATTR_MULTIPROCESSORS = 16,
    TMAP_CU_ATTR_MEMORY_CLOCK_KHZ = 36,
    TMAP_CU_ATTR_MEMORY_BUS_BITS = 37,
    TMAP_CU_ATTR_L2_BYTES = 38,
    TMAP_CU_ATTR_CC_MAJOR = 75,
    TMAP_CU_ATTR_CC_MINOR = 76,
    TMAP_CU_ATTR_SMEM_PER_SM = 81,
    TMAP_CU_ATTR_SMEM_OPTIN = 97,
    TMAP_CU_ATTR_SMEM_RESERVED = 111,
    TMAP_CU_ATTR_TENSOR_MAP = 127
};

/* CUfunction_attribute values in use. */
enum {
    TMAP_CU_FUNC_STATIC_SMEM = 1,
    TMAP_CU_FUNC_LOCAL_BYTES = 3,
    TMAP_CU_FUNC_REGISTERS = 4,
    TMAP_CU_FUNC_MAX_DYNAMIC_SMEM = 8,
    TMAP_CU_FUNC_NON_PORTABLE_CLUSTER = 14
};

/* Launch attributes: an id, then a 64-byte union of which we use the cluster and one int. */
enum { TMAP_CU_LAUNCH_CLUSTER = 4, TMAP_CU_LAUNCH_PDL = 6 };
union tmap_cu_launch_value {
    char pad[64];
    struct {
        unsigned x, y, z;
    } cluster;
    int flag;
};
struct tmap_cu_launch_attr {
    unsigned id;
    char pad[4];
    union tmap_cu_launch_value value;
};
struct tmap_cu_launch {
    unsigned grid_x, grid_y, grid_z;
    unsigned block_x, block_y, block_z;
    unsigned smem_bytes;
    tmap_cu_stream stream;
    struct tmap_cu_launch_attr *attrs;
    unsigned attr_count;
};

/* Flags of stream_create, event_create and mem_host_alloc. */
enum { TMAP_CU_STREAM_NON_BLOCKING = 1, TMAP_CU_EVENT_DEFAULT = 0, TMAP_CU_HOST_MAPPED = 2 };

/* ENTRY(need, member, symbol, arguments). need: BASE is in every driver since 11.8, TMA came with
 * 12.0 (without it the driver is too old for tensor maps), WIDE with 12.8 and may be NULL. */
#define TMAP_CU_ENTRIES(ENTRY)                                                                     \
    ENTRY(BASE, init, cuInit, (unsigned flags))                                                    \
    ENTRY(BASE, driver_get_version, cuDriverGetVersion, (int *version))                            \
    ENTRY(BASE, device_get, cuDeviceGet, (tmap_cu_device * device, int ordinal))                   \
    ENTRY(BASE, device_get_count, cuDeviceGetCount, (int *count))                                  \
    ENTRY(BASE, device_get_name, cuDeviceGetName, (char *name, int cap, tmap_cu_device device))    \
    ENTRY(BASE, device_get_attribute, cuDeviceGetAttribute,                                        \
          (int *value, int attribute, tmap_cu_device device))                                      \
    ENTRY(BASE, device_total_mem, cuDeviceTotalMem_v2, (size_t * bytes, tmap_cu_device device))    \
    ENTRY(BASE, primary_ctx_retain, cuDevicePrimaryCtxRetain,                                      \
          (tmap_cu_context * context, tmap_cu_device device))                                      \
    ENTRY(BASE, primary_ctx_release, cuDevicePrimaryCtxRelease_v2, (tmap_cu_device device))        \
    ENTRY(BASE, ctx_set_current, cuCtxSetCurrent, (tmap_cu_context context))                       \
    ENTRY(BASE, ctx_get_current, cuCtxGetCurrent, (tmap_cu_context * context))                     \
    ENTRY(BASE, ctx_synchronize, cuCtxSynchronize, (void))                                         \
    ENTRY(BASE, module_load_data, cuModuleLoadData, (tmap_cu_module * module, const void *image))  \
    ENTRY(                                                                                         \
        BASE, module_load_data_ex, cuModuleLoadDataEx,                                             \
        (tmap_cu_module * module, const void *image, unsigned options, int *keys, void **values))  \
    ENTRY(BASE, module_unload, cuModuleUnload, (tmap_cu_module module))                            \
    ENTRY(BASE, module_get_function, cuModuleGetFunction,                                          \
          (tmap_cu_function * function, tmap_cu_module module, const char *name))                  \
    ENTRY(BASE, module_get_global, cuModuleGetGlobal_v2,                                           \
          (tmap_cu_deviceptr * at, size_t * bytes, tmap_cu_module module, const char *name))       \
    ENTRY(BASE, func_set_attribute, cuFuncSetAttribute,                                            \
          (tmap_cu_function function, int attribute, int value))                                   \
    ENTRY(BASE, func_get_attribute, cuFuncGetAttribute,                                            \
          (int *value, int attribute, tmap_cu_function function))                                  \
    ENTRY(BASE, launch_kernel_ex, cuLaunchKernelEx,                                                \
          (const struct tmap_cu_launch *launch, tmap_cu_function function, void **params,          \
           void **extra))                                                                          \
    ENTRY(BASE, occupancy_max_active_clusters, cuOccupancyMaxActiveClusters,                       \
          (int *clusters, tmap_cu_function function, const struct tmap_cu_launch *launch))         \
    ENTRY(BASE, occupancy_max_active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor,          \
          (int *blocks, tmap_cu_function function, int block_size, size_t smem_bytes))             \
    ENTRY(BASE, mem_alloc, cuMemAlloc_v2, (tmap_cu_deviceptr * at, size_t bytes))                  \
    ENTRY(BASE, mem_free, cuMemFree_v2, (tmap_cu_deviceptr at))                                    \
    ENTRY(BASE, mem_get_info, cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))        \
    ENTRY(BASE, mem_host_alloc, cuMemHostAlloc, (void **at, size_t bytes, unsigned flags))         \
    ENTRY(BASE, mem_host_get_device_pointer, cuMemHostGetDevicePointer_v2,                         \
          (tmap_cu_deviceptr * at, void *host, unsigned flags))                                    \
    ENTRY(BASE, mem_free_host, cuMemFreeHost, (void *at))                                          \
    ENTRY(BASE, memcpy_htod, cuMemcpyHtoD_v2,                                                      \
          (tmap_cu_deviceptr to, const void *from, size_t bytes))                                  \
    ENTRY(BASE, memcpy_dtoh, cuMemcpyDtoH_v2, (void *to, tmap_cu_deviceptr from, size_t bytes))    \
    ENTRY(BASE, memcpy_htod_async, cuMemcpyHtoDAsync_v2,                                           \
          (tmap_cu_deviceptr to, const void *from, size_t bytes, tmap_cu_stream stream))           \
    ENTRY(BASE, memcpy_dtoh_async, cuMemcpyDtoHAsync_v2,                                           \
          (void *to, tmap_cu_deviceptr from, size_t bytes, tmap_cu_stream stream))                 \
    ENTRY(BASE, memcpy_dtod_async, cuMemcpyDtoDAsync_v2,                                           \
          (tmap_cu_deviceptr to, tmap_cu_deviceptr from, size_t bytes, tmap_cu_stream stream))     \
    ENTRY(BASE, memset_d8_async, cuMemsetD8Async,                                                  \
          (tmap_cu_deviceptr at, unsigned char value, size_t bytes, tmap_cu_stream stream))        \
    ENTRY(BASE, stream_create, cuStreamCreate, (tmap_cu_stream * stream, unsigned flags))          \
    ENTRY(BASE, stream_destroy, cuStreamDestroy_v2, (tmap_cu_stream stream))                       \
    ENTRY(BASE, stream_synchronize, cuStreamSynchronize, (tmap_cu_stream stream))                  \
    ENTRY(BASE, stream_query, cuStreamQuery, (tmap_cu_stream stream))                              \
    ENTRY(BASE, stream_get_capture_info, cuStreamGetCaptureInfo_v2,                                \
          (tmap_cu_stream stream, int *status, uint64_t *id, void **graph,                         \
           const void **dependencies, size_t *count))                                              \
    ENTRY(BASE, thread_exchange_capture_mode, cuThreadExchangeStreamCaptureMode, (int *mode))      \
    ENTRY(BASE, stream_wait_event, cuStreamWaitEvent,                                              \
          (tmap_cu_stream stream, tmap_cu_event event, unsigned flags))                            \
    ENTRY(BASE, event_create, cuEventCreate, (tmap_cu_event * event, unsigned flags))              \
    ENTRY(BASE, event_destroy, cuEventDestroy_v2, (tmap_cu_event event))                           \
    ENTRY(BASE, event_record, cuEventRecord, (tmap_cu_event event, tmap_cu_stream stream))         \
    ENTRY(BASE, event_synchronize, cuEventSynchronize, (tmap_cu_event event))                      \
    ENTRY(BASE, event_query, cuEventQuery, (tmap_cu_event event))                                  \
    ENTRY(BASE, event_elapsed_time, cuEventElapsedTime,                                            \
          (float *milliseconds, tmap_cu_event from, tmap_cu_event to))                             \
    ENTRY(BASE, get_error_name, cuGetErrorName, (tmap_cu_result code, const char **name))          \
    ENTRY(BASE, get_error_string, cuGetErrorString, (tmap_cu_result code, const char **text))      \
    ENTRY(TMA, tensor_map_encode_tiled, cuTensorMapEncodeTiled,                                    \
          (void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,                \
           const uint64_t *stride_bytes, const uint32_t *box, const uint32_t *elem_stride,         \
           int interleave, int swizzle, int l2_promotion, int oob_fill))                           \
    ENTRY(TMA, tensor_map_encode_im2col, cuTensorMapEncodeIm2col,                                  \
          (void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,                \
           const uint64_t *stride_bytes, const int *lower, const int *upper, uint32_t channels,    \
           uint32_t pixels, const uint32_t *elem_stride, int interleave, int swizzle,              \
           int l2_promotion, int oob_fill))                                                        \
    ENTRY(WIDE, tensor_map_encode_im2col_wide, cuTensorMapEncodeIm2colWide,                        \
          (void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,                \
           const uint64_t *stride_bytes, int lower_width, int upper_width, uint32_t channels,      \
           uint32_t pixels, const uint32_t *elem_stride, int interleave, int mode, int swizzle,    \
           int l2_promotion, int oob_fill))                                                        \
    ENTRY(TMA, tensor_map_replace_address, cuTensorMapReplaceAddress, (void *map, void *address))

/* The loaded table. Plain data: copy it freely while the library stays loaded; the entry points are
 * as thread-safe as the driver's. */
struct tmap_libcuda {
    void *library;
#define ENTRY(need, member, symbol, args) tmap_cu_result(*member) args;
    TMAP_CU_ENTRIES(ENTRY)
#undef ENTRY
};

/* tmap_libcuda_load() : loads the library at path (NULL: the one in the environment variable
 *  TMAP_LIBCUDA, else libcuda.so.1) and fills the table; calls nothing in it.
 *  why: what was missing, in words (cap bytes, may be NULL with cap 0); "" on success.
 *  Errors: TMAP_E_NO_DRIVER, out untouched. */
TMAP_API enum tmap_status tmap_libcuda_load(const char *path, struct tmap_libcuda *out, char *why,
                                            size_t cap);

/* tmap_libcuda_unload() : closes the library; the table must not be used afterwards. */
TMAP_API void tmap_libcuda_unload(struct tmap_libcuda *api);

/* tmap_libcuda_error() : "CUDA_ERROR_INVALID_VALUE"; "error 1" where the driver knows no name. */
TMAP_API const char *tmap_libcuda_error(const struct tmap_libcuda *api, tmap_cu_result code,
                                        char *buffer, size_t cap);

/* One launch: blocks in a row, each of so many threads and bytes of shared memory, in clusters of
 * so many (0 or 1: none). overlap: it may begin before its predecessor on the stream has ended. */
struct tmap_launch {
    tmap_cu_function function;
    uint32_t grid, threads, cluster, smem_bytes;
    bool overlap;
};

/* tmap_libcuda_launch() : params as cuLaunchKernel's; stream NULL: the default one. */
TMAP_API tmap_cu_result tmap_libcuda_launch(const struct tmap_libcuda *api,
                                            const struct tmap_launch *what, void **params,
                                            tmap_cu_stream stream);

/* A device made usable: its primary context is retained. It is made current on the opening thread
 * only where that had none; elsewhere tmap_gpu_enter() does so for as long as it is needed. */
struct tmap_gpu {
    struct tmap_libcuda api;
    int cuda_version; /* cuDriverGetVersion: 13000 is 13.0 */
    int count, ordinal;
    tmap_cu_device device;
    tmap_cu_context context;
    bool bound; /* opening made it current on a thread that had none */
    int cc_major, cc_minor;
    int sm_count;
    int smem_optin_bytes; /* per block, dynamic and static together */
    int l2_bytes;
    double clock_mhz, memory_bytes_per_us; /* at most, as the driver says; 0: it does not */
    char name[128];
};

/* tmap_gpu_open() : load, cuInit, the ordinal-th device, its primary context made current.
 *  why as in tmap_libcuda_load(). Errors: TMAP_E_NO_DRIVER (no library, a stub, too old),
 *  TMAP_E_NO_DEVICE (none visible, or below compute capability 9.0), TMAP_E_DRIVER (a call failed);
 *  then nothing stays open. */
TMAP_API enum tmap_status tmap_gpu_open(const char *path, int ordinal, struct tmap_gpu *out,
                                        char *why, size_t cap);
/* tmap_gpu_close() : the closing thread's context stays what it is, but for one that opening bound.
 */
TMAP_API void tmap_gpu_close(struct tmap_gpu *gpu);

/* tmap_gpu_enter() : the device's context current on this thread; what was before is in *before,
 * for tmap_gpu_leave(). Between the two the thread is the device's. Errors: TMAP_E_DRIVER. */
TMAP_API enum tmap_status tmap_gpu_enter(const struct tmap_gpu *gpu, tmap_cu_context *before);
TMAP_API void tmap_gpu_leave(const struct tmap_gpu *gpu, tmap_cu_context before);

#endif
