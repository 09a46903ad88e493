/* driver.c : a stand-in for libcuda that accepts every encode call, so that what a validator says
 * is its own. ARCH in the environment is the compute capability times ten (90). Names that a
 * program asks cuGetProcAddress for and that are not here do nothing and succeed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define CONTEXT ((void *)0x1000)

static int nothing(void)
{
    return 0;
}
/* What TileLang's loader wants to find before it calls anything. */
#define NOTHING(name)                                                                              \
    API int name(void)                                                                             \
    {                                                                                              \
        return 0;                                                                                  \
    }
NOTHING(cuCtxGetLimit)
NOTHING(cuCtxResetPersistingL2Cache)
NOTHING(cuCtxSetLimit)
NOTHING(cuDeviceGetName)
NOTHING(cuFuncSetAttribute)
NOTHING(cuLaunchCooperativeKernel)
NOTHING(cuLaunchKernel)
NOTHING(cuLaunchKernelEx)
NOTHING(cuMemsetD32)
NOTHING(cuMemsetD32_v2)
NOTHING(cuModuleGetFunction)
NOTHING(cuModuleGetGlobal)
NOTHING(cuModuleGetGlobal_v2)
NOTHING(cuModuleLoadData)
NOTHING(cuModuleLoadDataEx)
NOTHING(cuModuleUnload)
NOTHING(cuStreamSetAttribute)

API int cuInit(unsigned flags)
{
    (void)flags;
    return 0;
}
API int cuDriverGetVersion(int *v)
{
    *v = 13000;
    return 0;
}
API int cuDeviceGet(int *d, int i)
{
    *d = i;
    return 0;
}
API int cuDeviceGetCount(int *n)
{
    *n = 1;
    return 0;
}
API int cuDeviceGetAttribute(int *v, int what, int d)
{
    const char *arch = getenv("ARCH");
    const int number = arch ? atoi(arch) : 90;
    (void)d;
    *v = what == 75 ? number / 10 : what == 76 ? number % 10 : what == 97 ? 232448 : 1;
    return 0;
}
API int cuDevicePrimaryCtxRetain(void **c, int d)
{
    (void)d;
    *c = CONTEXT;
    return 0;
}
API int cuCtxGetCurrent(void **c)
{
    *c = CONTEXT;
    return 0;
}
API int cuCtxGetDevice(int *d)
{
    *d = 0;
    return 0;
}
API int cuCtxPushCurrent_v2(void *c)
{
    (void)c;
    return 0;
}
API int cuCtxPopCurrent_v2(void **c)
{
    if (c) *c = CONTEXT;
    return 0;
}
API int cuCtxSetCurrent(void *c)
{
    (void)c;
    return 0;
}
/* Every address is the device's: memory type 2, device 0. */
API int cuPointerGetAttribute(void *v, int what, uint64_t at)
{
    (void)at;
    if (what == 3)
        *(uint64_t *)v = at;
    else
        *(int *)v = what == 2 ? 2 : 0;
    return 0;
}
API int cuPointerGetAttributes(unsigned n, int *what, void **v, uint64_t at)
{
    for (unsigned i = 0; i < n; i++) cuPointerGetAttribute(v[i], what[i], at);
    return 0;
}
API int cuTensorMapEncodeTiled(void *map, int t, uint32_t r, void *a, const uint64_t *d,
                               const uint64_t *s, const uint32_t *b, const uint32_t *e, int i,
                               int w, int l, int o)
{
    (void)t, (void)r, (void)a, (void)d, (void)s, (void)b, (void)e, (void)i, (void)w, (void)l;
    (void)o;
    memset(map, 0, 128);
    return 0;
}
API int cuTensorMapEncodeIm2col(void *map)
{
    (void)map;
    return 0;
}
API int cuGetErrorString(int e, const char **text)
{
    (void)e;
    *text = "stand-in";
    return 0;
}
API int cuGetErrorName(int e, const char **text)
{
    return cuGetErrorString(e, text);
}
API int cuGetProcAddress_v2(const char *name, void **at, int version, uint64_t flags, int *found)
{
    char later[128];
    (void)version, (void)flags;
    *at = dlsym(RTLD_DEFAULT, name);
    if (strlen(name) < 100) {
        void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        strcat(strcpy(later, name), "_v2");
        *at = self ? dlsym(self, later) : NULL;
        if (!*at && self) *at = dlsym(self, name);
    }
    if (!*at) *(int (**)(void))at = nothing;
    if (found) *found = 0;
    return 0;
}
API int cuGetProcAddress(const char *name, void **at, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, at, version, flags, 0);
}
