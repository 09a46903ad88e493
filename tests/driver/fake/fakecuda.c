/* A stand-in for libcuda, for machines without one: it answers cuInit and the device queries as the
 * environment's FAKE_CUDA says, and its encode calls judge and write as a driver 580 on an H200 was
 * seen doing. That part is a plain model of its own, written from the observations and not from
 * src/rules, so that a wrong row differs from it.
 *
 *   FAKE_CUDA=nodevice  cuInit answers 100        FAKE_CUDA=old_gpu  compute capability 8.0
 *   FAKE_CUDA=stub      cuInit answers 34         FAKE_CUDA=nocontext  no context can be had
 *   FAKE_CUDA=mismatch  cuInit answers 803        FAKE_CUDA=sticky  every encode call answers 719
 *   FAKE_CUDA=wrong     box 255 is refused        FAKE_CUDA=wrong_bytes  bit 85 is set
 * It is its own CUPTI too: a subscriber is told of every tiled call (FAKE_CUPTI=taken refuses it).
 * Built with -DOLD_DRIVER it lacks the tensor map calls, with -DNO_WIDE only the wide one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

static const int anchor = 0;

static int mode_is(const char *name)
{
    const char *mode = getenv("FAKE_CUDA");
    return mode && strcmp(mode, name) == 0;
}

/* As the driver does: the library that the environment names is loaded and told. */
static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    void *at = library ? dlsym(library, "InitializeInjection") : NULL;
    int (*initialize)(void);
    memcpy(&initialize, &at, sizeof initialize);
    if (at) initialize();
}

API int cuInit(unsigned flags)
{
    (void)flags;
    inject();
    if (mode_is("nodevice")) return 100;
    if (mode_is("stub")) return 34;
    if (mode_is("mismatch")) return 803;
    return 0;
}
API int cuDriverGetVersion(int *v)
{
    *v = 13000;
    return 0;
}
API int cuDeviceGet(int *d, int ordinal)
{
    *d = ordinal;
    return 0;
}
API int cuDeviceGetCount(int *n)
{
    *n = 1;
    return 0;
}
API int cuDeviceGetName(char *name, int cap, int d)
{
    (void)d;
    snprintf(name, (size_t)cap, "fake H200");
    return 0;
}
API int cuDeviceGetAttribute(int *value, int attribute, int d)
{
    (void)d;
    switch (attribute) {
    case 16:
        *value = 132;
        return 0;
    case 75:
        *value = mode_is("old_gpu") ? 8 : 9;
        return 0;
    case 76:
        *value = 0;
        return 0;
    case 97:
        *value = 232448;
        return 0;
    case 81:
        *value = 233472;
        return 0;
    default:
        *value = 0;
        return 0;
    }
}
API int cuDevicePrimaryCtxRetain(void **c, int d)
{
    (void)d;
    *c = (void *)0x1000;
    return mode_is("nocontext") ? 2 : 0;
}
API int cuDevicePrimaryCtxRelease_v2(int d)
{
    (void)d;
    return 0;
}
static _Thread_local void *current;
API int cuCtxSetCurrent(void *c)
{
    current = c;
    return 0;
}
API int cuCtxGetCurrent(void **c)
{
    *c = current;
    return 0;
}
API int cuGetErrorName(int code, const char **name)
{
    *name = code == 1     ? "CUDA_ERROR_INVALID_VALUE"
            : code == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == 100 ? "CUDA_ERROR_NO_DEVICE"
            : code == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
                          : NULL;
    return *name ? 0 : 1;
}

/* The rest of the table must exist; nothing here calls it. */
#define UNUSED(name)                                                                               \
    API int name(void)                                                                             \
    {                                                                                              \
        return 801;                                                                                \
    }
UNUSED(cuDeviceTotalMem_v2)
UNUSED(cuCtxSynchronize)
UNUSED(cuModuleLoadData)
UNUSED(cuModuleLoadDataEx)
UNUSED(cuModuleUnload)
UNUSED(cuModuleGetFunction)
UNUSED(cuModuleGetGlobal_v2)
UNUSED(cuFuncSetAttribute)
UNUSED(cuFuncGetAttribute)
UNUSED(cuLaunchKernelEx)
UNUSED(cuOccupancyMaxActiveClusters)
UNUSED(cuOccupancyMaxActiveBlocksPerMultiprocessor)
UNUSED(cuMemAlloc_v2)
UNUSED(cuMemFree_v2)
UNUSED(cuMemGetInfo_v2)
UNUSED(cuMemHostAlloc)
UNUSED(cuMemHostGetDevicePointer_v2)
UNUSED(cuMemFreeHost)
UNUSED(cuMemcpyHtoD_v2)
UNUSED(cuMemcpyDtoH_v2)
UNUSED(cuMemcpyHtoDAsync_v2)
UNUSED(cuMemcpyDtoHAsync_v2)
UNUSED(cuMemcpyDtoDAsync_v2)
UNUSED(cuMemsetD8Async)
UNUSED(cuStreamCreate)
UNUSED(cuStreamDestroy_v2)
UNUSED(cuStreamSynchronize)
UNUSED(cuStreamQuery)
UNUSED(cuStreamGetCaptureInfo_v2)
UNUSED(cuThreadExchangeStreamCaptureMode)
UNUSED(cuStreamWaitEvent)
UNUSED(cuEventCreate)
UNUSED(cuEventDestroy_v2)
UNUSED(cuEventRecord)
UNUSED(cuEventSynchronize)
UNUSED(cuEventQuery)
UNUSED(cuEventElapsedTime)
UNUSED(cuGetErrorString)

#ifndef OLD_DRIVER
struct args {
    int im2col, dtype, interleave, swizzle, l2, oob;
    uint32_t rank;
    uint64_t address;
    const uint64_t *dim, *stride;
    const uint32_t *box, *es;
    const int *lower, *upper;
    uint32_t channels, pixels;
};

static const int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static const int codes[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7, 8};
static const int spans[] = {1 << 30, 32, 64, 128};

static int enums_ok(const struct args *a)
{
    if (a->dtype < 0 || a->dtype > 12 || a->interleave < 0 || a->interleave > 2) return 0;
    if (a->swizzle < 0 || a->swizzle > 3 || a->l2 < 0 || a->l2 > 3 || a->oob < 0 || a->oob > 1)
        return 0;
    if (a->oob && (a->dtype < 6 || a->dtype > 12)) return 0;
    if (a->rank < 1 || a->rank > 5) return 0;
    return !((a->interleave || a->im2col) && a->rank < 3);
}

static int arrays_ok(const struct args *a)
{
    const uint64_t align = a->interleave == 2 ? 32 : 16;
    if (!a->dim || !a->stride || !a->es) return 0;
    if (a->address % align || a->address >= (uint64_t)1 << 57) return 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->dim[i] < 1 || a->dim[i] > (uint64_t)1 << 32) return 0;
        if (a->es[i] < 1 || a->es[i] > 8) return 0;
        if (i && (a->stride[i - 1] % align || a->stride[i - 1] >> 40)) return 0;
    }
    return 1;
}

static int inner_ok(const struct args *a, uint64_t bytes)
{
    if (bytes % 16) return 0;
    return a->interleave || bytes <= (uint64_t)spans[a->swizzle];
}

static int tiled_ok(const struct args *a, uint64_t *box_bytes)
{
    uint64_t n = (uint64_t)sizes[a->dtype];
    if (!a->box) return 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->box[i] < 1 || a->box[i] > 256) return 0;
        if (mode_is("wrong") && a->box[i] == 255) return 0;
        n *= a->box[i] / a->es[i];
    }
    *box_bytes = n;
    return n <= 233472 && inner_ok(a, (uint64_t)a->box[0] * (uint64_t)sizes[a->dtype]);
}

static int im2col_ok(const struct args *a, uint64_t *box_bytes)
{
    static const int64_t limits[] = {32768, 128, 16};
    const int64_t limit = limits[a->rank - 3];
    if (a->channels < 1 || a->channels > 256 || a->pixels < 1 || a->pixels > 1024) return 0;
    *box_bytes = (uint64_t)a->channels * a->pixels * (uint64_t)sizes[a->dtype];
    for (uint32_t i = 0; i + 2 < a->rank; i++) {
        const int64_t lo = a->lower[i], hi = a->upper[i];
        const uint32_t end = (uint32_t)a->dim[i + !a->interleave] + (uint32_t)hi;
        if (lo < -limit || lo >= limit || hi < -limit || hi >= limit) return 0;
        if (lo >= (int32_t)end) return 0;
    }
    return *box_bytes <= 233472 && inner_ok(a, (uint64_t)a->channels * (uint64_t)sizes[a->dtype]);
}

static void write_tail(uint64_t *w, const struct args *a)
{
    const unsigned k = a->rank - 2, part = k == 1 ? 16 : k == 2 ? 8 : 5;
    if (!a->im2col) {
        w[6] |= (uint64_t)(a->box[0] - 1) << 56;
        for (uint32_t i = 1; i < a->rank; i++) w[7] |= (uint64_t)(a->box[i] - 1) << (8 * (i - 1));
        return;
    }
    w[6] |= (uint64_t)(a->channels - 1) << 56;
    w[7] = (uint64_t)(a->pixels - 1) << 32;
    for (unsigned i = 0; i < k; i++) {
        const uint64_t mask = ((uint64_t)1 << part) - 1;
        w[7] |= ((uint64_t)a->lower[i] & mask) << (part * i);
        w[7] |= ((uint64_t)a->upper[i] & mask) << (16 + part * i);
    }
}

static void write_map(uint64_t *w, const struct args *a, uint64_t box_bytes)
{
    static const uint64_t aligns[] = {16, 256, 512, 1024};
    memset(w, 0, 128);
    w[0] = a->address;
    w[1] = (uint64_t)a->im2col | (uint64_t)(a->rank - 1) << 4 | (uint64_t)codes[a->dtype] << 7 |
           (uint64_t)a->interleave << 11 | (uint64_t)a->swizzle << 13 | (uint64_t)a->oob << 15 |
           (uint64_t)(a->dtype >= 11) << 16 | (uint64_t)a->l2 << 17;
    if (mode_is("wrong_bytes")) w[1] |= 1u << 21;
    for (uint32_t i = 0; i < a->rank; i++) {
        w[4 + i / 2] |= (uint64_t)(uint32_t)(a->dim[i] - 1) << (i % 2 * 32);
        w[6] |= (uint64_t)(a->es[i] - 1) << (32 + 3 * i);
        if (i == 0) continue;
        w[1 + i / 2] |= (uint64_t)(uint32_t)(a->stride[i - 1] >> 4) << (i % 2 * 32);
        w[3] |= (a->stride[i - 1] >> 36 & 15) << (32 + 4 * (i - 1));
    }
    write_tail(w, a);
    w[8] = box_bytes;
    w[9] = aligns[a->swizzle];
}

static int encode(void *map, const struct args *a)
{
    uint64_t box_bytes = 0;
    if (mode_is("sticky")) return 719;
    if (a->rank > 8 || (a->im2col && (!a->lower || !a->upper))) abort(); /* as 580 dies here */
    if (!map || !enums_ok(a) || !arrays_ok(a)) return 1;
    if (!(a->im2col ? im2col_ok(a, &box_bytes) : tiled_ok(a, &box_bytes))) return 1;
    write_map(map, a, box_bytes);
    return 0;
}

/* --- CUPTI ---*/

static void (*subscriber)(void *, int, uint32_t, const void *);
API int cuptiSubscribe(void **handle, void (*function)(void *, int, uint32_t, const void *),
                       void *user)
{
    const char *mode = getenv("FAKE_CUPTI");
    (void)user;
    if (mode && strcmp(mode, "taken") == 0) return 39;
    *handle = (void *)0x1;
    subscriber = function;
    return 0;
}
API int cuptiEnableCallback(uint32_t enable, void *handle, int domain, uint32_t id)
{
    (void)enable, (void)handle, (void)domain, (void)id;
    return 0;
}

struct tiled_params {
    void *map;
    int dtype;
    uint32_t rank;
    void *address;
    const uint64_t *dim, *stride;
    const uint32_t *box, *es;
    int interleave, swizzle, l2, oob;
};
struct callback_data {
    int site;
    const char *function;
    const void *params;
    void *result;
    const char *symbol;
};

static void notify(const struct tiled_params *p, int result)
{
    struct callback_data d = {0, "cuTensorMapEncodeTiled", p, NULL, NULL};
    if (!subscriber) return;
    subscriber(NULL, 1, 697, &d);
    d.site = 1;
    d.result = &result;
    subscriber(NULL, 1, 697, &d);
}

API int cuTensorMapEncodeTiled(void *map, int dtype, uint32_t rank, void *address,
                               const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                               const uint32_t *es, int interleave, int swizzle, int l2, int oob)
{
    const struct args a = {.dtype = dtype,
                           .rank = rank,
                           .address = (uintptr_t)address,
                           .dim = dim,
                           .stride = stride,
                           .box = box,
                           .es = es,
                           .interleave = interleave,
                           .swizzle = swizzle,
                           .l2 = l2,
                           .oob = oob};
    const struct tiled_params p = {map, dtype, rank,       address, dim, stride,
                                   box, es,    interleave, swizzle, l2,  oob};
    const int result = encode(map, &a);
    notify(&p, result);
    return result;
}

API int cuTensorMapEncodeIm2col(void *map, int dtype, uint32_t rank, void *address,
                                const uint64_t *dim, const uint64_t *stride, const int *lower,
                                const int *upper, uint32_t channels, uint32_t pixels,
                                const uint32_t *es, int interleave, int swizzle, int l2, int oob)
{
    const struct args a = {.im2col = 1,
                           .dtype = dtype,
                           .rank = rank,
                           .address = (uintptr_t)address,
                           .dim = dim,
                           .stride = stride,
                           .es = es,
                           .lower = lower,
                           .upper = upper,
                           .channels = channels,
                           .pixels = pixels,
                           .interleave = interleave,
                           .swizzle = swizzle,
                           .l2 = l2,
                           .oob = oob};
    return encode(map, &a);
}

#ifndef NO_WIDE
API int cuTensorMapEncodeIm2colWide(void *map, int dtype, uint32_t rank, void *address,
                                    const uint64_t *dim, const uint64_t *stride, int lower,
                                    int upper, uint32_t channels, uint32_t pixels,
                                    const uint32_t *es, int interleave, int mode, int swizzle,
                                    int l2, int oob)
{
    const int lowers[3] = {lower, 0, 0}, uppers[3] = {upper, 0, 0};
    const struct args a = {.im2col = 1,
                           .dtype = dtype,
                           .rank = rank,
                           .address = (uintptr_t)address,
                           .dim = dim,
                           .stride = stride,
                           .es = es,
                           .lower = lowers,
                           .upper = uppers,
                           .channels = channels,
                           .pixels = pixels,
                           .interleave = interleave,
                           .swizzle = swizzle,
                           .l2 = l2,
                           .oob = oob};
    return mode < 0 || mode > 1 ? 1 : encode(map, &a);
}
#endif

API int cuTensorMapReplaceAddress(void *map, void *address)
{
    const uint64_t at = (uintptr_t)address;
    if (!map) abort();
    if (!at || at % 16 || at >> 57) return 1;
    memcpy(map, &at, sizeof at);
    return 0;
}
#endif

API int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);
API int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
    (void)version, (void)flags;
    Dl_info self;
    if (!dladdr((void *)&anchor, &self)) return 500;
    void *library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (strcmp(name, "cuGetProcAddress") == 0) name = "cuGetProcAddress_v2";
    *out = library ? dlsym(library, name) : NULL;
    if (status) *status = *out == NULL;
    return *out ? 0 : 500;
}
