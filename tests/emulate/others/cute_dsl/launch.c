/* What the host code of CUTLASS's Python DSL calls, in the place of its runtime library: it loads
 * nothing, and a launch goes to whoever asked for it. The DSL writes tensor maps itself. */
#include <stdint.h>

struct dimensions {
    uint32_t x, y, z;
};
/* cudaLaunchAttribute and cudaLaunchConfig_t of the CUDA runtime's driver_types.h. */
struct attribute {
    int id;
    uint32_t none;
    union {
        struct dimensions cluster;
        uint8_t bytes[64];
    } value;
};
struct config {
    struct dimensions grid, block;
    uint64_t smem_bytes;
    void *stream;
    struct attribute *attributes;
    uint32_t attribute_count;
};
enum { CLUSTER = 4, SMEM_OPTIN = 97, SMEM_MOST = 232448 };

typedef void launched(const char *kernel, const struct config *config,
                      const struct dimensions *cluster, void **params);

void on_launch(launched *f);
int _cudaLibraryLoadData(void **library);
int _cudaLibraryGetKernel(const char **kernel, void *library, const char *name);
int _cuKernelGetAttribute(int *value);
int _cudaDeviceGetAttribute(int *value, int what);
int _cudaGetDevice(int *device);
int _cudaFuncSetAttribute(void);
int _cudaKernelSetAttributeForDevice(void);
int _cudaLaunchKernelEx(const struct config *config, const char *kernel, void **params);

static launched *call;

void on_launch(launched *f)
{
    call = f;
}
int _cudaLibraryLoadData(void **library)
{
    *library = &call;
    return 0;
}
/* The name is on the caller's stack; the PTX has one kernel. */
int _cudaLibraryGetKernel(const char **kernel, void *library, const char *name)
{
    (void)library, (void)name;
    *kernel = "";
    return 0;
}
int _cuKernelGetAttribute(int *value)
{
    *value = 0;
    return 0;
}
int _cudaDeviceGetAttribute(int *value, int what)
{
    *value = what == SMEM_OPTIN ? SMEM_MOST : 1;
    return 0;
}
int _cudaGetDevice(int *device)
{
    *device = 0;
    return 0;
}
int _cudaFuncSetAttribute(void)
{
    return 0;
}
int _cudaKernelSetAttributeForDevice(void)
{
    return 0;
}
int _cudaLaunchKernelEx(const struct config *config, const char *kernel, void **params)
{
    struct dimensions cluster = {0, 0, 0};
    for (uint32_t i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == CLUSTER) cluster = config->attributes[i].value.cluster;
    call(kernel, config, &cluster, params);
    return 0;
}
