/* libcuda.c : loading the driver and opening a device, with clear words for each way to fail. */
#include "driver/libcuda.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum need { BASE, TMA, WIDE };

__attribute__((format(printf, 3, 4))) static void explain(char *why, size_t cap, const char *text,
                                                          ...)
{
    if (cap == 0) return;
    va_list args;
    va_start(args, text);
    vsnprintf(why, cap, text, args);
    va_end(args);
}

/* ISO C has no conversion from dlsym's void * to a function's address; the bytes are the same. */
static bool symbol_into(void *member, void *library, const char *symbol)
{
    void *at = dlsym(library, symbol);
    memcpy(member, &at, sizeof at);
    return at != NULL;
}

static const char *first_missing(struct tmap_libcuda *api, enum need *need)
{
    const char *missing = NULL;
#define ENTRY(kind, member, symbol, args)                                                          \
    if (!symbol_into(&api->member, api->library, #symbol) && (kind) != WIDE && !missing) {         \
        missing = #symbol;                                                                         \
        *need = (kind);                                                                            \
    }
    TMAP_CU_ENTRIES(ENTRY)
#undef ENTRY
    return missing;
}

static const char *library_path(const char *path)
{
    if (path) return path;
    const char *chosen = getenv("TMAP_LIBCUDA");
    return chosen && *chosen ? chosen : "libcuda.so.1";
}

enum tmap_status tmap_libcuda_load(const char *path, struct tmap_libcuda *out, char *why,
                                   size_t cap)
{
    struct tmap_libcuda api = {0};
    path = library_path(path);
    explain(why, cap, "%s", "");
    api.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!api.library) {
        const char *text = dlerror();
        explain(why, cap, "the NVIDIA driver's library cannot be loaded: %s", text ? text : path);
        return TMAP_E_NO_DRIVER;
    }
    enum need need = BASE;
    const char *missing = first_missing(&api, &need);
    if (missing) {
        explain(why, cap,
                need == TMA ? "the driver is too old for tensor maps: %s has no %s (driver branch "
                              "525 or later, CUDA 12.0, has it)"
                            : "%s is not a CUDA driver of this decade: it has no %s",
                path, missing);
        dlclose(api.library);
        return TMAP_E_NO_DRIVER;
    }
    *out = api;
    return TMAP_OK;
}

void tmap_libcuda_unload(struct tmap_libcuda *api)
{
    if (api->library) dlclose(api->library);
    memset(api, 0, sizeof *api);
}

const char *tmap_libcuda_error(const struct tmap_libcuda *api, tmap_cu_result code, char *buffer,
                               size_t cap)
{
    const char *name = NULL;
    if (api->get_error_name && api->get_error_name(code, &name) == TMAP_CU_SUCCESS && name)
        return name;
    if (cap) snprintf(buffer, cap, "error %d", code);
    return cap ? buffer : "error";
}

tmap_cu_result tmap_libcuda_launch(const struct tmap_libcuda *api, const struct tmap_launch *what,
                                   void **params, tmap_cu_stream stream)
{
    struct tmap_cu_launch_attr attrs[2];
    unsigned count = 0;
    if (what->overlap)
        attrs[count++] = (struct tmap_cu_launch_attr){.id = TMAP_CU_LAUNCH_PDL, .value.flag = 1};
    if (what->cluster > 1)
        attrs[count++] = (struct tmap_cu_launch_attr){.id = TMAP_CU_LAUNCH_CLUSTER,
                                                      .value.cluster = {what->cluster, 1, 1}};
    const struct tmap_cu_launch how = {.grid_x = what->grid,
                                       .grid_y = 1,
                                       .grid_z = 1,
                                       .block_x = what->threads,
                                       .block_y = 1,
                                       .block_z = 1,
                                       .smem_bytes = what->smem_bytes,
                                       .stream = stream,
                                       .attrs = count ? attrs : NULL,
                                       .attr_count = count};
    return api->launch_kernel_ex(&how, what->function, params, NULL);
}

/* Says what failed and picks the status that the failure means. */
static enum tmap_status refused(const struct tmap_gpu *gpu, const char *call, tmap_cu_result code,
                                char *why, size_t cap)
{
    char buffer[32];
    const char *name = tmap_libcuda_error(&gpu->api, code, buffer, sizeof buffer);
    explain(why, cap, "%s failed: %s (%d)", call, name, code);
    if (code == TMAP_CU_STUB_LIBRARY) {
        explain(why, cap, "libcuda is the toolkit's link stub, not a driver");
        return TMAP_E_NO_DRIVER;
    }
    if (code == TMAP_CU_SYSTEM_DRIVER_MISMATCH) {
        explain(why, cap, "libcuda and the kernel module are of different versions (%s)", name);
        return TMAP_E_NO_DRIVER;
    }
    if (code == TMAP_CU_NO_DEVICE) {
        explain(why, cap, "the driver is loaded but sees no GPU (%s)", name);
        return TMAP_E_NO_DEVICE;
    }
    return TMAP_E_DRIVER;
}

static int attribute(const struct tmap_gpu *gpu, int which)
{
    int value = 0;
    if (gpu->api.device_get_attribute(&value, which, gpu->device) != TMAP_CU_SUCCESS) return 0;
    return value;
}

static enum tmap_status describe_device(struct tmap_gpu *gpu, char *why, size_t cap)
{
    tmap_cu_result code = gpu->api.device_get(&gpu->device, gpu->ordinal);
    if (code) return refused(gpu, "cuDeviceGet", code, why, cap);
    gpu->api.device_get_name(gpu->name, (int)sizeof gpu->name, gpu->device);
    gpu->cc_major = attribute(gpu, TMAP_CU_ATTR_CC_MAJOR);
    gpu->cc_minor = attribute(gpu, TMAP_CU_ATTR_CC_MINOR);
    gpu->sm_count = attribute(gpu, TMAP_CU_ATTR_MULTIPROCESSORS);
    gpu->smem_optin_bytes = attribute(gpu, TMAP_CU_ATTR_SMEM_OPTIN);
    gpu->l2_bytes = attribute(gpu, TMAP_CU_ATTR_L2_BYTES);
    gpu->clock_mhz = attribute(gpu, TMAP_CU_ATTR_CLOCK_KHZ) / 1000.0;
    /* Two transfers a clock. */
    gpu->memory_bytes_per_us = attribute(gpu, TMAP_CU_ATTR_MEMORY_CLOCK_KHZ) / 1000.0 * 2 *
                               attribute(gpu, TMAP_CU_ATTR_MEMORY_BUS_BITS) / 8;
    if (gpu->cc_major >= 9) return TMAP_OK;
    explain(why, cap, "%s has compute capability %d.%d: tensor maps need 9.0", gpu->name,
            gpu->cc_major, gpu->cc_minor);
    return TMAP_E_NO_DEVICE;
}

static enum tmap_status start(struct tmap_gpu *gpu, char *why, size_t cap)
{
    tmap_cu_result code = gpu->api.init(0);
    if (code) return refused(gpu, "cuInit", code, why, cap);
    gpu->api.driver_get_version(&gpu->cuda_version);
    code = gpu->api.device_get_count(&gpu->count);
    if (code) return refused(gpu, "cuDeviceGetCount", code, why, cap);
    if (gpu->ordinal < 0 || gpu->ordinal >= gpu->count) {
        explain(why, cap, "there is no GPU number %d: the driver sees %d", gpu->ordinal,
                gpu->count);
        return TMAP_E_NO_DEVICE;
    }
    enum tmap_status status = describe_device(gpu, why, cap);
    if (status != TMAP_OK) return status;
    code = gpu->api.primary_ctx_retain(&gpu->context, gpu->device);
    if (code) return refused(gpu, "cuDevicePrimaryCtxRetain", code, why, cap);
    tmap_cu_context before = NULL;
    if (gpu->api.ctx_get_current(&before) == TMAP_CU_SUCCESS && before) return TMAP_OK;
    code = gpu->api.ctx_set_current(gpu->context);
    gpu->bound = code == TMAP_CU_SUCCESS;
    if (gpu->bound) return TMAP_OK;
    gpu->api.primary_ctx_release(gpu->device);
    return refused(gpu, "cuCtxSetCurrent", code, why, cap);
}

enum tmap_status tmap_gpu_open(const char *path, int ordinal, struct tmap_gpu *out, char *why,
                               size_t cap)
{
    struct tmap_gpu gpu = {.ordinal = ordinal};
    enum tmap_status status = tmap_libcuda_load(path, &gpu.api, why, cap);
    if (status != TMAP_OK) return status;
    status = start(&gpu, why, cap);
    if (status != TMAP_OK)
        tmap_libcuda_unload(&gpu.api);
    else
        *out = gpu;
    return status;
}

void tmap_gpu_close(struct tmap_gpu *gpu)
{
    if (gpu->api.library && gpu->context) {
        tmap_cu_context current = NULL;
        gpu->api.ctx_get_current(&current);
        if (gpu->bound && current == gpu->context) gpu->api.ctx_set_current(NULL);
        gpu->api.primary_ctx_release(gpu->device);
    }
    tmap_libcuda_unload(&gpu->api);
    memset(gpu, 0, sizeof *gpu);
}

enum tmap_status tmap_gpu_enter(const struct tmap_gpu *gpu, tmap_cu_context *before)
{
    *before = NULL;
    if (!gpu->context) return TMAP_OK; /* a test's, without a driver */
    gpu->api.ctx_get_current(before);
    if (*before == gpu->context) return TMAP_OK;
    return gpu->api.ctx_set_current(gpu->context) ? TMAP_E_DRIVER : TMAP_OK;
}

void tmap_gpu_leave(const struct tmap_gpu *gpu, tmap_cu_context before)
{
    if (gpu->context && before != gpu->context) gpu->api.ctx_set_current(before);
}
