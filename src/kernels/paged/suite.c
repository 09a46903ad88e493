/* Opening decode attention's suite and launching its kernels. */
#include "kernels/paged/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/runtime/images.h"

#define MAILBOX_BYTES 256u

static enum tmap_status load(struct tmap_paged *s)
{
    const struct tmap_libcuda *cu = &s->gpu.api;
    void *mailbox = NULL;
    if (cu->module_load_data(&s->module, kernel_image("paged/paged").data) ||
        cu->mem_host_alloc(&mailbox, MAILBOX_BYTES, TMAP_CU_HOST_MAPPED))
        return TMAP_E_DRIVER;
    memset(mailbox, 0, MAILBOX_BYTES);
    s->mailbox = mailbox;
    return cu->mem_host_get_device_pointer(&s->device_mailbox, mailbox, 0) ? TMAP_E_DRIVER
                                                                           : TMAP_OK;
}

static enum tmap_status prepare(struct tmap_paged *s, char *why, size_t cap)
{
    struct tmap_target target = tmap_default_target();
    const uint32_t arch = (uint32_t)(10 * s->gpu.cc_major + s->gpu.cc_minor);
    if (arch != 90) {
        if (cap) snprintf(why, cap, "no kernels of decode attention for sm_%u", arch);
        return TMAP_E_NO_DEVICE;
    }
    target.arch = TMAP_ARCH(arch, 1);
    enum tmap_status st = tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &s->checker);
    if (st == TMAP_OK) st = tmap_capacity(target.arch, &s->smem_bytes, NULL);
    return st == TMAP_OK ? load(s) : st;
}

enum tmap_status tmap_paged_open(const struct tmap_open *how, struct tmap_paged **out, char *why,
                                 size_t cap)
{
    static const struct tmap_open usual = {0};
    tmap_cu_context before;
    if (how == NULL) how = &usual;
    if (out == NULL) return TMAP_E_ARGUMENT;
    if (kernel_image("paged/paged").size == 0) return TMAP_E_NOT_BUILT;
    struct tmap_paged *s = calloc(1, sizeof *s);
    if (s == NULL) return TMAP_E_MEMORY;
    s->limit_ms = how->watchdog_ms ? how->watchdog_ms : UINT32_MAX;
    enum tmap_status st = tmap_gpu_open(NULL, how->ordinal, &s->gpu, why, cap);
    if (st == TMAP_OK) st = tmap_gpu_enter(&s->gpu, &before);
    if (st == TMAP_OK) {
        st = prepare(s, why, cap);
        tmap_gpu_leave(&s->gpu, before);
    }
    if (st == TMAP_OK)
        *out = s;
    else
        tmap_paged_close(s);
    return st;
}

void tmap_paged_close(struct tmap_paged *s)
{
    tmap_cu_context before;
    if (s == NULL) return;
    if (s->gpu.context && tmap_gpu_enter(&s->gpu, &before) == TMAP_OK) {
        if (s->mailbox) s->gpu.api.mem_free_host((void *)(uintptr_t)s->mailbox);
        if (s->module) s->gpu.api.module_unload(s->module);
        tmap_gpu_leave(&s->gpu, before);
    }
    if (s->gpu.api.library) tmap_gpu_close(&s->gpu);
    free(s);
}

enum tmap_status tmap_paged_run(const struct tmap_paged_plan *plan, void *stream)
{
    tmap_cu_context before;
    struct paged_params params __attribute__((aligned(128)));
    void *args[] = {&params};
    if (plan == NULL || plan->suite == NULL) return TMAP_E_ARGUMENT;
    const struct tmap_launch what = {.function = plan->function,
                                     .grid = plan->grid,
                                     .threads = plan->threads,
                                     .smem_bytes = plan->smem_bytes};
    enum tmap_status st = tmap_gpu_enter(&plan->suite->gpu, &before);
    if (st != TMAP_OK) return st;
    memcpy(&params, plan->params, sizeof params);
    if (tmap_libcuda_launch(&plan->suite->gpu.api, &what, args, stream)) st = TMAP_E_DRIVER;
    tmap_gpu_leave(&plan->suite->gpu, before);
    return st;
}

struct tmap_paged_report tmap_paged_last_report(const struct tmap_paged *s)
{
    if (s == NULL || s->mailbox == NULL) return (struct tmap_paged_report){0};
    const volatile uint32_t *m = s->mailbox;
    return (struct tmap_paged_report){m[0], m[1], m[2], m[3], m[4], m[5]};
}
