/* Opening and closing a suite of kernels: the device, its context, and the suite's own part. */
#include "kernels/runtime/opening.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/runtime/images.h"

void suite_explain(char *why, size_t cap, const char *text)
{
    if (!why || cap == 0) return;
    const size_t n = strlen(text) < cap ? strlen(text) : cap - 1;
    memcpy(why, text, n);
    why[n] = 0;
}

enum tmap_status suite_open(const struct suite_kind *kind, const struct tmap_open *how, void **out,
                            char *why, size_t cap)
{
    static const struct tmap_open usual = {0};
    tmap_cu_context before;
    if (!how) how = &usual;
    if (kernel_image(kind->image).size == 0) {
        suite_explain(why, cap,
                      "no kernels: libtmap-cuda was made without a CUDA compiler, or not found");
        return TMAP_E_NOT_BUILT;
    }
    struct tmap_gpu *gpu = calloc(1, kind->bytes);
    if (!gpu) return TMAP_E_MEMORY;
    enum tmap_status status = tmap_gpu_open(NULL, how->ordinal, gpu, why, cap);
    if (status == TMAP_OK) status = tmap_gpu_enter(gpu, &before);
    if (status == TMAP_OK) {
        status = kind->prepare(gpu, how->watchdog_ms ? how->watchdog_ms : UINT32_MAX, why, cap);
        tmap_gpu_leave(gpu, before);
    }
    if (status == TMAP_OK)
        *out = gpu;
    else
        suite_close(kind, gpu);
    return status;
}

void suite_close(const struct suite_kind *kind, void *suite)
{
    tmap_cu_context before;
    struct tmap_gpu *gpu = suite;
    if (!suite) return;
    const bool current = gpu->context && tmap_gpu_enter(gpu, &before) == TMAP_OK;
    kind->release(suite, current);
    if (current) tmap_gpu_leave(gpu, before);
    if (gpu->api.library) tmap_gpu_close(gpu);
    free(suite);
}

enum tmap_status suite_checker(const struct tmap_gpu *gpu, struct tmap_checker *checker,
                               uint32_t *smem_bytes)
{
    struct tmap_target target = tmap_default_target();
    target.arch = TMAP_ARCH(10 * gpu->cc_major + gpu->cc_minor, 1);
    const enum tmap_status status = tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, checker);
    return status == TMAP_OK ? tmap_capacity(target.arch, smem_bytes, NULL) : status;
}

enum tmap_status suite_kernel(const struct tmap_libcuda *api, tmap_cu_module module,
                              const char *name, uint32_t smem_bytes, tmap_cu_function *out)
{
    tmap_cu_function found;
    if (api->module_get_function(&found, module, name) ||
        api->func_set_attribute(found, TMAP_CU_FUNC_MAX_DYNAMIC_SMEM, (int)smem_bytes))
        return TMAP_E_DRIVER;
    *out = found;
    return TMAP_OK;
}

enum tmap_status suite_mailbox_open(const struct tmap_libcuda *api, struct suite_mailbox *box)
{
    void *words = NULL;
    if (api->mem_host_alloc(&words, SUITE_MAILBOX_BYTES, TMAP_CU_HOST_MAPPED)) return TMAP_E_DRIVER;
    memset(words, 0, SUITE_MAILBOX_BYTES);
    box->words = words;
    return api->mem_host_get_device_pointer(&box->device, words, 0) ? TMAP_E_DRIVER : TMAP_OK;
}

void suite_mailbox_close(const struct tmap_libcuda *api, struct suite_mailbox *box)
{
    if (box->words) api->mem_free_host((void *)(uintptr_t)box->words);
}
