/* interpose.c : the calls without CUPTI. Preloaded, this library answers dlsym and cuGetProcAddress
 * with a wrapper for each encode call; a program that links libcuda itself finds the wrappers
 * first. While CUPTI reports the calls, the wrappers only pass them on. */
#define _GNU_SOURCE
#include "driver/inject/inject.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef int (*tiled_function)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                              const uint32_t *, const uint32_t *, int, int, int, int);
typedef int (*im2col_function)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                               const int *, const int *, uint32_t, uint32_t, const uint32_t *, int,
                               int, int, int);
typedef int (*wide_function)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, int,
                             int, uint32_t, uint32_t, const uint32_t *, int, int, int, int, int);
typedef int (*replace_function)(void *, void *);
typedef int (*proc_function)(const char *, void **, int, uint64_t);
typedef int (*proc_v2_function)(const char *, void **, int, uint64_t, int *);
typedef void *(*dlsym_function)(void *, const char *);

enum hook { TILED, IM2COL, WIDE, REPLACE, PROC, PROC_V2, HOOKS };
static const char *const hook_names[HOOKS] = {
    "cuTensorMapEncodeTiled",    "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide",
    "cuTensorMapReplaceAddress", "cuGetProcAddress",        "cuGetProcAddress_v2"};
static void *_Atomic real[HOOKS]; /* the driver's own, once seen */
static void *_Atomic real_dlsym;

enum { NOT_FOUND = 500 }; /* CUDA_ERROR_NOT_FOUND */

static dlsym_function the_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    void *found = atomic_load(&real_dlsym);
    for (size_t i = 0; i < 3 && !found; i++) found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    atomic_store(&real_dlsym, found);
    dlsym_function function;
    memcpy(&function, &found, sizeof function);
    return function;
}

/* The driver's own function: as handed out before, else the one behind us, else libcuda's. */
static void *real_of(enum hook hook)
{
    void *found = atomic_load(&real[hook]);
    const dlsym_function find = the_dlsym();
    if (!found && find) found = find(RTLD_NEXT, hook_names[hook]);
    if (!found && find) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        if (library) found = find(library, hook_names[hook]);
    }
    if (found) atomic_store(&real[hook], found);
    return found;
}

static bool reporting(void)
{
    return !cupti_is_on() && mode_wanted() != TRACE_BY_CUPTI;
}

EXPORTED int cuTensorMapEncodeTiled(void *map, int dtype, uint32_t rank, void *address,
                                    const uint64_t *dim, const uint64_t *stride,
                                    const uint32_t *box, const uint32_t *es, int interleave,
                                    int swizzle, int l2, int oob);
int cuTensorMapEncodeTiled(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                           const uint64_t *stride, const uint32_t *box, const uint32_t *es,
                           int interleave, int swizzle, int l2, int oob)
{
    void *found = real_of(TILED);
    tiled_function call;
    if (!found) return NOT_FOUND;
    memcpy(&call, &found, sizeof call);
    const int result =
        call(map, dtype, rank, address, dim, stride, box, es, interleave, swizzle, l2, oob);
    const struct tiled_params p = {map, dtype, rank,       address, dim, stride,
                                   box, es,    interleave, swizzle, l2,  oob};
    if (reporting()) capture_tiled(TRACE_BY_INTERPOSING, &p, result);
    return result;
}

EXPORTED int cuTensorMapEncodeIm2col(void *map, int dtype, uint32_t rank, void *address,
                                     const uint64_t *dim, const uint64_t *stride, const int *lower,
                                     const int *upper, uint32_t channels, uint32_t pixels,
                                     const uint32_t *es, int interleave, int swizzle, int l2,
                                     int oob);
int cuTensorMapEncodeIm2col(void *map, int dtype, uint32_t rank, void *address, const uint64_t *dim,
                            const uint64_t *stride, const int *lower, const int *upper,
                            uint32_t channels, uint32_t pixels, const uint32_t *es, int interleave,
                            int swizzle, int l2, int oob)
{
    void *found = real_of(IM2COL);
    im2col_function call;
    if (!found) return NOT_FOUND;
    memcpy(&call, &found, sizeof call);
    const int result = call(map, dtype, rank, address, dim, stride, lower, upper, channels, pixels,
                            es, interleave, swizzle, l2, oob);
    const struct im2col_params p = {map,    dtype,      rank,    address,  dim,
                                    stride, lower,      upper,   channels, pixels,
                                    es,     interleave, swizzle, l2,       oob};
    if (reporting()) capture_im2col(TRACE_BY_INTERPOSING, &p, result);
    return result;
}

EXPORTED int cuTensorMapEncodeIm2colWide(void *map, int dtype, uint32_t rank, void *address,
                                         const uint64_t *dim, const uint64_t *stride, int lower,
                                         int upper, uint32_t channels, uint32_t pixels,
                                         const uint32_t *es, int interleave, int mode, int swizzle,
                                         int l2, int oob);
int cuTensorMapEncodeIm2colWide(void *map, int dtype, uint32_t rank, void *address,
                                const uint64_t *dim, const uint64_t *stride, int lower, int upper,
                                uint32_t channels, uint32_t pixels, const uint32_t *es,
                                int interleave, int mode, int swizzle, int l2, int oob)
{
    void *found = real_of(WIDE);
    wide_function call;
    if (!found) return NOT_FOUND;
    memcpy(&call, &found, sizeof call);
    const int result = call(map, dtype, rank, address, dim, stride, lower, upper, channels, pixels,
                            es, interleave, mode, swizzle, l2, oob);
    const struct wide_params p = {map,      dtype,  rank, address,    dim,  stride,  lower, upper,
                                  channels, pixels, es,   interleave, mode, swizzle, l2,    oob};
    if (reporting()) capture_wide(TRACE_BY_INTERPOSING, &p, result);
    return result;
}

EXPORTED int cuTensorMapReplaceAddress(void *map, void *address);
int cuTensorMapReplaceAddress(void *map, void *address)
{
    void *found = real_of(REPLACE);
    replace_function call;
    if (!found) return NOT_FOUND;
    memcpy(&call, &found, sizeof call);
    const int result = call(map, address);
    if (reporting()) capture_replace(TRACE_BY_INTERPOSING, map, address, result);
    return result;
}

/* Puts our wrapper in the place of a driver function just handed out. */
static void *wrapper_for(const char *name, void *found);

EXPORTED int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    void *found = real_of(PROC);
    proc_function call;
    if (!found) return NOT_FOUND;
    memcpy(&call, &found, sizeof call);
    const int result = call(name, out, version, flags);
    if (result == 0 && name && out && *out) *out = wrapper_for(name, *out);
    return result;
}

EXPORTED int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags,
                                 int *status);
int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
    void *found = real_of(PROC_V2);
    proc_v2_function call;
    if (!found) return NOT_FOUND;
    memcpy(&call, &found, sizeof call);
    const int result = call(name, out, version, flags, status);
    if (result != 0 || !name || !out || !*out) return result;
    /* By this name the driver gives the form that belongs to the version. */
    if (strcmp(name, hook_names[PROC]) == 0 && version >= 12000) name = hook_names[PROC_V2];
    *out = wrapper_for(name, *out);
    return result;
}

static void *wrapper_at(enum hook hook)
{
    static int (*const wrappers[HOOKS])(void) = {(int (*)(void))cuTensorMapEncodeTiled,
                                                 (int (*)(void))cuTensorMapEncodeIm2col,
                                                 (int (*)(void))cuTensorMapEncodeIm2colWide,
                                                 (int (*)(void))cuTensorMapReplaceAddress,
                                                 (int (*)(void))cuGetProcAddress,
                                                 (int (*)(void))cuGetProcAddress_v2};
    void *at;
    memcpy(&at, &wrappers[hook], sizeof at);
    return at;
}

static void *wrapper_for(const char *name, void *found)
{
    for (int hook = 0; hook < HOOKS; hook++) {
        if (strcmp(name, hook_names[hook]) != 0) continue;
        void *ours = wrapper_at((enum hook)hook);
        if (found != ours) atomic_store(&real[hook], found);
        return ours;
    }
    return found;
}

/* For every other name the jump to the real one must be a tail call: RTLD_NEXT means "behind the
 * caller", and the real dlsym takes the caller from the return address. */
EXPORTED void *dlsym(void *restrict handle, const char *restrict name);
void *dlsym(void *restrict handle, const char *restrict name)
{
    const dlsym_function find = the_dlsym();
    if (!find) return NULL;
    if (name[0] != 'c' || name[1] != 'u' || handle == RTLD_NEXT) return find(handle, name);
    void *found = find(handle, name);
    return found ? wrapper_for(name, found) : NULL;
}
