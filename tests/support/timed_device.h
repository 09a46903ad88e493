/* A device that is pretended, for what times kernels: its launches take a virtual time that depends
 * on the kernel, on its parameters and on how long the device has been busy. */
#ifndef TESTS_SUPPORT_TIMED_DEVICE_H
#define TESTS_SUPPORT_TIMED_DEVICE_H

#include <math.h>

#include "gemm_suite.h"
#include "kernels/gemm/trial.h"

enum {
    WARM_US = 60000,
    EVENTS = 2,
    SWEEP_BYTES = 120 << 20,
    SWEEP_AT = 1 << 30,
    COPIES_AT = 1 << 20,
    WORKSPACE_BYTES = 64 << 20
};

static struct device {
    double now_us, event_us[EVENTS];
    struct tmap_cu_launch how; /* the last launch, and its attributes */
    struct tmap_cu_launch_attr attrs[2];
    int events;            /* created and not destroyed */
    int launches, fail_at; /* the launch that fails; 0: none */
    const void *quick_when_warm;
    double quickest_us; /* of a cool device */
    bool quickest_is_pingpong;
    const void *own; /* this kernel takes 100 us, and every other one `others` times that */
    double others;
    int32_t quick_group;       /* tiles in groups of so many rows take a tenth less */
    int32_t quick_panels;      /* with so many panels of output a tenth less */
    int32_t quick_late;        /* 1: late launches take a tenth less, -1: those that are not do */
    double lucky_until;        /* until then others take a tenth less */
    const void *best;          /* takes 95 us, the model's own 98, every other 100 */
    double slower;             /* everything takes so many times as long; 0: once */
    double drift_us;           /* the clock falls and rises by a fifth within this time */
    double hungry;             /* the model's own kernel takes so many times as long after 40 ms */
    bool trades;               /* a kernel that moves less takes longer, but after 40 ms alone */
    const void *before;        /* the kernel before, */
    double since_us;           /* and since when it alone has run */
    int blocks;                /* of memory, taken and not given back */
    int swept;                 /* launches that read as much as evicts all that the cache holds */
    uint64_t operands, copied; /* of the last launch; copies made of some */
    int repeated;              /* launches on the operands of the one before */
} device;

static bool is_pingpong(const void *function)
{
    return gemm_instances[(uintptr_t)function - 1].pingpong;
}

/* From 90 us for what moves the most to 110 for 192 x 256; settled, that takes 100 and all else
 * 120.
 */
static double traded_us(const void *function, bool settled)
{
    const struct gemm_instance *g = &gemm_instances[(uintptr_t)function - 1];
    const double least = 1.0 / 192 + 2.0 / 256, most = 1.0 / 64 + 2.0 / 128;
    const double moved = 1.0 / gemm_tile_m(g) + 2.0 / g->bn;
    if (settled) return moved <= least ? 100 : 120;
    const double share = (moved - least) / (most - least);
    return 110 - 20 * (share < 1 ? share : 1);
}

/* Cool, a pingpong is the quicker; warm, the others are. */
static tmap_cu_result launch(const struct tmap_cu_launch *how, tmap_cu_function function,
                             void **params, void **extra)
{
    (void)extra;
    const struct gemm_params *p = params[0];
    if (p->a.word[0] == SWEEP_AT || p->b.word[0] == SWEEP_AT) {
        device.swept++;
        device.now_us += 40;
        return 0;
    }
    device.repeated += p->a.word[0] == device.operands;
    device.operands = p->a.word[0];
    device.how = *how;
    for (unsigned i = 0; i < how->attr_count; i++) device.attrs[i] = how->attrs[i];
    if (++device.launches == device.fail_at) return 1;
    const bool warm = device.now_us > WARM_US, pingpong = is_pingpong(function);
    double us = 100 + (double)((uintptr_t)function % 7);
    us *= pingpong == warm ? 1.2 : 1;
    if ((const void *)function == device.quick_when_warm) us = warm ? 50 : 200;
    if (device.own) us = function == device.own ? 100 : 100 * device.others;
    if (device.best) us = function == device.best ? 95 : function == device.own ? 98 : 100;
    if (device.slower > 0) us *= device.slower;
    if (device.drift_us > 0) {
        const double at = fmod(device.now_us / device.drift_us, 1);
        us *= 0.9 + 0.4 * (at < 0.5 ? at : 1 - at);
    }
    if (function != device.before) device.since_us = device.now_us;
    device.before = function;
    if (device.hungry > 0 && function == device.own && device.now_us > device.since_us + 40e3)
        us *= device.hungry;
    if (device.trades) us = traded_us(function, device.now_us > device.since_us + 40e3);
    if (device.lucky_until > device.now_us && function != device.own) us *= 0.9;
    if (device.quick_group && p->group == device.quick_group) us *= 0.9;
    if (device.quick_late && p->turns.late == (device.quick_late > 0)) us *= 0.9;
    if (device.quick_panels && p->panels == device.quick_panels) us *= 0.9;
    if (!warm && (device.quickest_us == 0 || us < device.quickest_us)) {
        device.quickest_us = us;
        device.quickest_is_pingpong = pingpong;
    }
    device.now_us += us;
    return 0;
}
static tmap_cu_result create(tmap_cu_event *event, unsigned flags)
{
    (void)flags;
    *event = (tmap_cu_event)&device.event_us[device.events++];
    return 0;
}
static tmap_cu_result destroy(tmap_cu_event event)
{
    (void)event;
    device.events--;
    return 0;
}
static tmap_cu_result record(tmap_cu_event event, tmap_cu_stream stream)
{
    (void)stream;
    *(double *)event = device.now_us;
    return 0;
}
static tmap_cu_result synchronize(tmap_cu_event event)
{
    (void)event;
    return 0;
}
static tmap_cu_result elapsed(float *ms, tmap_cu_event from, tmap_cu_event to)
{
    *ms = (float)((*(double *)to - *(double *)from) / 1000);
    return 0;
}

static tmap_cu_result copy(tmap_cu_deviceptr to, tmap_cu_deviceptr from, size_t bytes,
                           tmap_cu_stream stream)
{
    (void)to, (void)from, (void)bytes, (void)stream;
    device.copied++;
    return 0;
}

static tmap_cu_result take_memory(tmap_cu_deviceptr *at, size_t bytes)
{
    const size_t sweep = SWEEP_BYTES / 32768 * 32768, rows = sweep / 8192;
    *at = bytes == sweep + rows * 4 ? SWEEP_AT : bytes > WORKSPACE_BYTES ? COPIES_AT : bytes;
    device.blocks += bytes > WORKSPACE_BYTES;
    return 0;
}
static tmap_cu_result give_memory(tmap_cu_deviceptr at)
{
    device.blocks -= at == SWEEP_AT || at == COPIES_AT;
    return 0;
}

static struct tmap_gemm *cool_device(void)
{
    struct tmap_gemm *suite = pretend();
    device = (struct device){0};
    for (size_t i = 0; i < gemm_instance_count; i++)
        suite->functions[i] = (tmap_cu_function)(uintptr_t)(i + 1);
    for (int i = 0; i < GEMM_KINDS; i++)
        suite->modules[i][0] = suite->modules[i][1] = (tmap_cu_module)(uintptr_t)1;
    suite->gpu.api.launch_kernel_ex = launch;
    suite->gpu.api.event_create = create;
    suite->gpu.api.event_destroy = destroy;
    suite->gpu.api.event_record = record;
    suite->gpu.api.event_synchronize = synchronize;
    suite->gpu.api.event_elapsed_time = elapsed;
    suite->gpu.api.memcpy_dtod_async = copy;
    suite->gpu.api.mem_alloc = take_memory;
    suite->gpu.api.mem_free = give_memory;
    suite->gpu.l2_bytes = SWEEP_BYTES / 2;
    return suite;
}

#endif
