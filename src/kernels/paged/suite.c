/* Opening decode attention's suite and launching its kernels. */
#include "kernels/paged/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/runtime/images.h"

static enum tmap_status load(struct tmap_paged *s)
{
    const struct tmap_libcuda *cu = &s->gpu.api;
    if (cu->module_load_data(&s->module, kernel_image("paged/paged").data)) return TMAP_E_DRIVER;
    return suite_mailbox_open(cu, &s->mailbox);
}

_Static_assert(offsetof(struct tmap_paged, gpu) == 0, "suite_open()");

static enum tmap_status prepare(void *suite, uint32_t limit_ms, char *why, size_t cap)
{
    struct tmap_paged *s = suite;
    const uint32_t arch = (uint32_t)(10 * s->gpu.cc_major + s->gpu.cc_minor);
    if (arch != 90) {
        if (cap) snprintf(why, cap, "no kernels of decode attention for sm_%u", arch);
        return TMAP_E_NO_DEVICE;
    }
    s->limit_ms = limit_ms;
    const enum tmap_status st = suite_checker(&s->gpu, &s->checker, &s->smem_bytes);
    return st == TMAP_OK ? load(s) : st;
}

static void release(void *suite, bool current)
{
    struct tmap_paged *s = suite;
    if (!current) return;
    suite_mailbox_close(&s->gpu.api, &s->mailbox);
    if (s->module) s->gpu.api.module_unload(s->module);
}

static const struct suite_kind kind = {"paged/paged", sizeof(struct tmap_paged), prepare, release};

enum tmap_status tmap_paged_open(const struct tmap_open *how, struct tmap_paged **out, char *why,
                                 size_t cap)
{
    void *made;
    if (!out) return TMAP_E_ARGUMENT;
    const enum tmap_status status = suite_open(&kind, how, &made, why, cap);
    if (status == TMAP_OK) *out = made;
    return status;
}

void tmap_paged_close(struct tmap_paged *s)
{
    suite_close(&kind, s);
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
    if (s == NULL || s->mailbox.words == NULL) return (struct tmap_paged_report){0};
    const volatile uint32_t *m = s->mailbox.words;
    return (struct tmap_paged_report){m[0], m[1], m[2], m[3], m[4], m[5]};
}
