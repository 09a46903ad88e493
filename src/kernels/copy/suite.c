// Opening the copy suite, launching its kernels, and reading what they said when they gave up.
#include "kernels/copy/suite.h"

#include "kernels/runtime/cubin.h"
#include "kernels/runtime/images.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKET_BYTES 64u

_Static_assert(sizeof(struct copy_params) <= 8 * TMAP_COPY_PARAM_WORDS, "a plan holds them");

static const char *const images[COPY_MODULES] = {[COPY_IN_COPY] = "copy/copy",
                                                 [COPY_IN_SPECIAL] = "copy/special",
                                                 [COPY_IN_TRANSPOSE] = "copy/transpose",
                                                 [COPY_IN_REFERENCE] = "copy/reference"};

enum tmap_status copy_refuse(struct tmap_copy *suite, enum tmap_status status, const char *format,
                             ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(suite->refusal, sizeof suite->refusal, format, args);
    va_end(args);
    return status;
}

const char *tmap_copy_refusal(const struct tmap_copy *suite)
{
    return suite ? suite->refusal : "";
}

static enum tmap_status load(struct tmap_copy *s)
{
    const struct tmap_libcuda *cu = &s->gpu.api;
    for (int i = 0; i < COPY_MODULES; i++)
        if (cu->module_load_data(&s->module[i], kernel_image(images[i]).data)) return TMAP_E_DRIVER;
    const enum tmap_status status = suite_mailbox_open(cu, &s->mailbox);
    if (status != TMAP_OK) return status;
    s->tickets = malloc(sizeof *s->tickets);
    return s->tickets && stream_memory_init(s->tickets, TICKET_BYTES, TICKET_BYTES) ? TMAP_OK
                                                                                    : TMAP_E_MEMORY;
}

// The kernels run where they were compiled for: sm_90a, or what COPY_ARCHES said.
static bool has_code_for(uint32_t arch)
{
    const struct tmap_code_embedded image = kernel_image(images[COPY_IN_COPY]);
    struct cubin_entry entry;
    size_t at = 0;
    bool bad;
    while (cubin_entry_next(image.data, image.size, &at, &entry, &bad))
        if (entry.is_code && entry.arch == arch) return true;
    return false;
}

static enum tmap_status no_code(uint32_t arch, char *why, size_t cap)
{
    if (cap) snprintf(why, cap, "no copy kernels for sm_%u in this build (COPY_ARCHES)", arch);
    return TMAP_E_NO_DEVICE;
}

_Static_assert(offsetof(struct tmap_copy, gpu) == 0, "suite_open()");

static enum tmap_status prepare(void *suite, uint32_t limit_ms, char *why, size_t cap)
{
    struct tmap_copy *s = suite;
    s->limit_ms = limit_ms;
    const uint32_t arch = (uint32_t)(10 * s->gpu.cc_major + s->gpu.cc_minor);
    if (!has_code_for(arch)) return no_code(arch, why, cap);
    const enum tmap_status st = suite_checker(&s->gpu, &s->checker, &s->smem_bytes);
    return st == TMAP_OK ? load(s) : st;
}

static void release(void *suite, bool current)
{
    struct tmap_copy *s = suite;
    if (current) {
        suite_mailbox_close(&s->gpu.api, &s->mailbox);
        if (s->tickets) stream_memory_free(s->tickets, &s->gpu.api);
        for (int i = 0; i < COPY_MODULES; i++)
            if (s->module[i]) s->gpu.api.module_unload(s->module[i]);
    }
    free(s->tickets);
}

static const struct suite_kind kind = {"copy/copy", sizeof(struct tmap_copy), prepare, release};

enum tmap_status tmap_copy_open(const struct tmap_open *how, struct tmap_copy **out, char *why,
                                size_t cap)
{
    void *made;
    if (!out) return TMAP_E_ARGUMENT;
    const enum tmap_status status = suite_open(&kind, how, &made, why, cap);
    if (status == TMAP_OK) *out = made;
    return status;
}

void tmap_copy_close(struct tmap_copy *s)
{
    suite_close(&kind, s);
}

static enum copy_module module_of(const char *kernel)
{
    static const struct {
        const char *begins;
        enum copy_module module;
    } where[] = {{"reference_", COPY_IN_REFERENCE},
                 {"copy_transpose", COPY_IN_TRANSPOSE},
                 {"copy_multicast", COPY_IN_SPECIAL},
                 {"copy_list", COPY_IN_SPECIAL},
                 {"copy_patched", COPY_IN_SPECIAL}};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++)
        if (strncmp(kernel, where[i].begins, strlen(where[i].begins)) == 0) return where[i].module;
    return COPY_IN_COPY;
}

tmap_cu_function copy_function(struct tmap_copy *s, const char *name)
{
    tmap_cu_function f = NULL;
    int fixed = 0;
    if (s->gpu.api.module_get_function(&f, s->module[module_of(name)], name) != 0) return NULL;
    s->gpu.api.func_get_attribute(&fixed, TMAP_CU_FUNC_STATIC_SMEM, f);
    s->gpu.api.func_set_attribute(f, TMAP_CU_FUNC_MAX_DYNAMIC_SMEM, (int)s->smem_bytes - fixed);
    return f;
}

enum tmap_status copy_launch(struct tmap_copy *s, tmap_cu_function f, uint32_t grid,
                             uint32_t threads, uint32_t cluster, uint32_t smem_bytes, void *params,
                             void *stream)
{
    void *args[] = {params};
    const struct tmap_launch what = {.function = f,
                                     .grid = grid,
                                     .threads = threads,
                                     .cluster = cluster,
                                     .smem_bytes = smem_bytes};
    return tmap_libcuda_launch(&s->gpu.api, &what, args, stream) ? TMAP_E_DRIVER : TMAP_OK;
}

// Launches of one stream follow one another, so that one pair of counters serves them all; a stream
// of a capture has its own, which its graph uses whenever it is launched.
static enum tmap_status run(const struct tmap_copy_plan *plan, void *stream)
{
    struct copy_params params __attribute__((aligned(128)));
    tmap_cu_deviceptr ticket;
    const enum tmap_status st =
        stream_memory_get(plan->suite->tickets, &plan->suite->gpu.api, stream, &ticket);
    if (st != TMAP_OK) return st;
    memcpy(&params, plan->params, sizeof params);
    params.ticket = (uint32_t *)(uintptr_t)ticket;
    return copy_launch(plan->suite, plan->function, plan->grid, plan->threads, plan->cluster,
                       plan->smem_bytes, &params, stream);
}

enum tmap_status tmap_copy_run(const struct tmap_copy_plan *plan, void *stream)
{
    tmap_cu_context before;
    if (plan == NULL || plan->suite == NULL) return TMAP_E_ARGUMENT;
    enum tmap_status st = tmap_gpu_enter(&plan->suite->gpu, &before);
    if (st != TMAP_OK) return st;
    st = run(plan, stream);
    tmap_gpu_leave(&plan->suite->gpu, before);
    return st;
}

struct tmap_copy_report tmap_copy_last_report(const struct tmap_copy *s)
{
    if (s == NULL || s->mailbox.words == NULL) return (struct tmap_copy_report){0};
    const volatile uint32_t *m = s->mailbox.words;
    return (struct tmap_copy_report){m[0], m[1], m[2], m[3], m[4], m[5]};
}
