#include "stand.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern const char image_bench_gemm_ceiling[];

enum { MAX_SMS = 256, TICK_BYTES = MAX_SMS * 16 };

/* The suite's own device: NVML counts those that CUDA_VISIBLE_DEVICES hides too. */
static void nvml_id(struct stand *s, char id[32])
{
    enum { BUS = 33, DEVICE = 34, DOMAIN = 50 }; /* CU_DEVICE_ATTRIBUTE_PCI_... */
    int bus = 0, device = 0, domain = 0;
    s->api->device_get_attribute(&bus, BUS, s->suite->gpu.device);
    s->api->device_get_attribute(&device, DEVICE, s->suite->gpu.device);
    s->api->device_get_attribute(&domain, DOMAIN, s->suite->gpu.device);
    snprintf(id, 32, "%08X:%02X:%02X.0", (unsigned)domain, (unsigned)bus, (unsigned)device);
}

static void open_nvml(struct stand *s)
{
    int (*init)(void);
    int (*device)(const char *, void **);
    char id[32];
    s->nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!s->nvml) return;
    *(void **)&init = dlsym(s->nvml, "nvmlInit_v2");
    *(void **)&device = dlsym(s->nvml, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&s->nvml_power = dlsym(s->nvml, "nvmlDeviceGetPowerUsage");
    *(void **)&s->nvml_temperature = dlsym(s->nvml, "nvmlDeviceGetTemperature");
    *(void **)&s->nvml_energy = dlsym(s->nvml, "nvmlDeviceGetTotalEnergyConsumption");
    nvml_id(s, id);
    if (!init || !device || init() || device(id, &s->nvml_device)) s->nvml_device = NULL;
}

bool stand_open(struct stand *s)
{
    char text[160] = "";
    const char *why = "";
    memset(s, 0, sizeof *s);
    if (tmap_gemm_open(&(struct tmap_open){.watchdog_ms = 2000}, &s->suite, text, sizeof text) !=
        TMAP_OK) {
        fprintf(stderr, "gemm bench: %s\n", text);
        return false;
    }
    s->api = &s->suite->gpu.api;
    s->vendor = vendor_open(&why);
    if (!s->vendor) fprintf(stderr, "gemm bench: no vendor rows: %s\n", why);
    open_nvml(s);
    s->workspace_bytes = (uint64_t)256 << 20;
    s->arena_bytes = (uint64_t)12 << 30;
    s->cold_bytes = (uint64_t)800 << 20;
    return !s->api->stream_create(&s->stream, TMAP_CU_STREAM_NON_BLOCKING) &&
           !s->api->event_create(&s->from, 0) && !s->api->event_create(&s->to, 0) &&
           !s->api->mem_alloc(&s->workspace, s->workspace_bytes) &&
           !s->api->mem_alloc(&s->arena, s->arena_bytes) &&
           !s->api->mem_alloc(&s->cold, s->cold_bytes) &&
           !s->api->mem_alloc(&s->ticks, 2 * TICK_BYTES) &&
           !s->api->memset_d8_async(s->ticks, 0, 2 * TICK_BYTES, s->stream) &&
           gemm_module(s->suite, "gemm/sm90/probe", &s->suite->probe) == TMAP_OK &&
           !s->api->module_load_data(&s->limits, image_bench_gemm_ceiling) &&
           !s->api->module_get_function(&s->clocks, s->limits, "ceiling_clocks") &&
           !s->api->func_set_attribute(s->clocks, TMAP_CU_FUNC_MAX_DYNAMIC_SMEM,
                                       (int)s->suite->smem_optin_bytes);
}

void stand_close(struct stand *s)
{
    vendor_close(s->vendor);
    s->api->module_unload(s->limits);
    s->api->mem_free(s->ticks);
    s->api->mem_free(s->cold);
    s->api->mem_free(s->arena);
    s->api->mem_free(s->workspace);
    s->api->stream_destroy(s->stream);
    tmap_gemm_close(s->suite);
}

static void fill(struct stand *s, const struct tmap_gemm_matrix *x, int type, int outer, int k,
                 int how, uint64_t seed)
{
    tmap_cu_function function;
    int32_t fill_kind = how, parameter = 0;
    struct probe_matrix m = {.data = (void *)(uintptr_t)x->address,
                             .type = type,
                             .outer = outer,
                             .k = k,
                             .batch = 1,
                             .outer_inner = x->mn_major,
                             .ld = x->ld};
    void *params[] = {&m, &fill_kind, &parameter, &seed};
    struct tmap_cu_launch how_many = {.grid_x = 2112,
                                      .grid_y = 1,
                                      .grid_z = 1,
                                      .block_x = 256,
                                      .block_y = 1,
                                      .block_z = 1,
                                      .stream = s->stream};
    s->api->module_get_function(&function, s->suite->probe, "probe_fill");
    s->api->launch_kernel_ex(&how_many, function, params, NULL);
}

static int64_t round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

void job_make(struct stand *s, const struct tmap_gemm_problem *shape, int how, struct job *job)
{
    static const int type[] = {PROBE_BF16, PROBE_F16, PROBE_F32, PROBE_E4M3, PROBE_E5M2, PROBE_S8};
    static const int bytes[] = {2, 2, 4, 1, 1, 1};
    struct tmap_gemm_problem p = *shape;
    const int64_t in = bytes[p.kind], out = p.out >= TMAP_GEMM_OUT_F32 ? 4 : 2;
    p.a.ld = round_up(p.a.mn_major ? p.m : p.k, 16 / in);
    p.b.ld = round_up(p.b.mn_major ? p.n : p.k, 16 / in);
    p.d.ld = round_up(p.n, 16 / out);
    const int64_t a = round_up((p.a.mn_major ? p.k : p.m) * p.a.ld * in, 1024);
    const int64_t b = round_up((p.b.mn_major ? p.k : p.n) * p.b.ld * in, 1024);
    const int64_t d = round_up(p.m * p.d.ld * out, 1024);
    const int64_t beyond_l2 = (int64_t)200 << 20;
    int64_t sets = 1 + beyond_l2 / (a + b + d);
    if (sets > MAX_SETS) sets = MAX_SETS;
    memset(job, 0, sizeof *job);
    job->sets = (int)sets;
    job->flops = 2.0 * p.m * p.n * p.k;
    uint64_t at = s->arena;
    for (int i = 0; i < job->sets; i++, at += (uint64_t)(a + b + d)) {
        p.a.address = at;
        p.b.address = at + (uint64_t)a;
        p.d.address = at + (uint64_t)(a + b);
        fill(s, &p.a, type[p.kind], p.m, p.k, how, 100u + (uint64_t)i);
        fill(s, &p.b, type[p.kind], p.n, p.k, how, 900u + (uint64_t)i);
        job->set[i] = p;
    }
    s->api->stream_synchronize(s->stream);
}

static int run_ours(struct stand *s, struct runner *r, int set)
{
    return tmap_gemm_run(&r->plans[set], s->stream) != TMAP_OK;
}

static int run_theirs(struct stand *s, struct runner *r, int set)
{
    return vendor_run(s->vendor, &r->job->set[set], r->algo, s->stream);
}

/* The same plan for other operands of the same shape and strides: planned once, since planning
 * would take longer than a slice. */
static void aim(struct tmap_gemm_plan *plan, const struct tmap_gemm_problem *at)
{
    struct gemm_params p;
    const bool swapped = plan->config.swapped > 0;
    memcpy(&p, plan->params, sizeof p);
    p.a.word[0] = plan->desc[0].address = swapped ? at->b.address : at->a.address;
    p.b.word[0] = plan->desc[1].address = swapped ? at->a.address : at->b.address;
    p.d.word[0] = p.d_end.word[0] = plan->desc[2].address = at->d.address;
    p.d_address = (void *)(uintptr_t)at->d.address;
    memcpy(plan->params, &p, sizeof p);
    plan->problem = *at;
}

bool ours(struct stand *s, struct runner *r, struct job *job,
          const struct tmap_gemm_config *request)
{
    struct tmap_gemm_refusal why = {0};
    r->run = run_ours;
    r->job = job;
    const enum tmap_status status =
        tmap_gemm_make_plan(s->suite, &job->set[0], request, &r->plans[0], &why);
    if (status != TMAP_OK) fprintf(stderr, "gemm bench: no plan (%d): %s\n", status, why.text);
    for (int i = 1; i < job->sets && status == TMAP_OK; i++) {
        r->plans[i] = r->plans[0];
        aim(&r->plans[i], &job->set[i]);
    }
    return status == TMAP_OK;
}

void theirs(struct runner *r, struct job *job, int algo)
{
    r->run = run_theirs;
    r->job = job;
    r->algo = algo;
}

static void note_clocks(struct stand *s, int which)
{
    tmap_cu_deviceptr at = s->ticks + (uint64_t)which * TICK_BYTES;
    void *params[] = {&at};
    struct tmap_cu_launch how = {.grid_x = (unsigned)s->suite->gpu.sm_count,
                                 .grid_y = 1,
                                 .grid_z = 1,
                                 .block_x = 32,
                                 .block_y = 1,
                                 .block_z = 1,
                                 .smem_bytes = s->suite->smem_optin_bytes,
                                 .stream = s->stream};
    s->api->launch_kernel_ex(&how, s->clocks, params, NULL);
}

/* Cycles over time between the two notes, the mean of the SMs that are in both. */
static double mean_mhz(struct stand *s)
{
    static uint64_t note[2][MAX_SMS][2];
    double sum = 0;
    int n = 0;
    if (s->api->memcpy_dtoh(note, s->ticks, sizeof note)) return 0;
    for (int sm = 0; sm < MAX_SMS; sm++) {
        if (!note[0][sm][1] || note[1][sm][1] <= note[0][sm][1]) continue;
        sum += (double)(note[1][sm][0] - note[0][sm][0]) * 1e3 /
               (double)(note[1][sm][1] - note[0][sm][1]);
        n++;
    }
    return n ? sum / n : 0;
}

static double elapsed_us(struct stand *s, struct runner *r, int launches, struct slice *out)
{
    float ms = 0;
    unsigned milliwatts = 0, celsius = 0;
    unsigned long long before = 0, after = 0;
    const bool nvml = out && s->nvml_device;
    if (nvml && s->nvml_energy) s->nvml_energy(s->nvml_device, &before);
    if (out) note_clocks(s, 0);
    const double began_s = stand_now_s();
    s->api->event_record(s->from, s->stream);
    for (int i = 0; i < launches; i++)
        if (r->run(s, r, i % r->job->sets)) return -1;
    s->api->event_record(s->to, s->stream);
    if (out) note_clocks(s, 1);
    if (nvml) {
        /* Near the end of the slice: the sensors lag. Of many launches most are over by now. */
        const double all_ms = launches * r->guess_us / 1000.0;
        const double left_ms = all_ms - (stand_now_s() - began_s) * 1000 - 25;
        if (left_ms > 0) usleep((useconds_t)(left_ms * 1000));
        s->nvml_power(s->nvml_device, &milliwatts);
        s->nvml_temperature(s->nvml_device, 0, &celsius);
    }
    if (s->api->event_synchronize(s->to)) return -1;
    if (nvml && s->nvml_energy) s->nvml_energy(s->nvml_device, &after);
    s->api->event_elapsed_time(&ms, s->from, s->to);
    if (out) {
        s->api->stream_synchronize(s->stream);
        out->mhz = mean_mhz(s);
        out->watts = milliwatts / 1000.0;
        out->celsius = celsius;
        out->joules = (double)(after - before) / 1000.0;
    }
    return ms * 1000.0 / launches;
}

struct slice stand_time(struct stand *s, struct runner *r, double ms, double guess_us)
{
    struct slice out = {0};
    if (guess_us <= 0) guess_us = elapsed_us(s, r, 3, NULL);
    if (guess_us <= 0) {
        out.failed = true;
        return out;
    }
    out.launches = (int)(ms * 1000.0 / guess_us) + 1;
    r->guess_us = guess_us;
    out.us = elapsed_us(s, r, out.launches, ms >= 60 ? &out : NULL);
    out.failed = out.us < 0;
    return out;
}

/* A cold slice of at most this many launches, each on operands that no launch of it has touched. */
enum { COLD_MOST = 64, COLD_LEAST = 3 };
/* A launch so long counts for itself. */
static const double LONG_US = 1500;
/* The host needs less for a launch; while memory is set it runs ahead. */
static const double HOST_US = 5, SET_BYTES_PER_US = 2.5e6;

double stand_cold_us(struct stand *s, struct runner *r, double ms)
{
    float elapsed_ms = 0;
    bool good = true;
    int launches = r->guess_us > 0 ? (int)(ms * 1000 / r->guess_us) + 1 : 1;
    if (r->guess_us > 0 && r->guess_us < LONG_US && launches < COLD_LEAST) launches = COLD_LEAST;
    if (launches > COLD_MOST) launches = COLD_MOST;
    uint64_t bytes = (uint64_t)(launches * HOST_US * SET_BYTES_PER_US);
    if (bytes < s->cold_bytes / 4) bytes = s->cold_bytes / 4;
    if (bytes > s->cold_bytes) bytes = s->cold_bytes;
    s->api->memset_d8_async(s->cold, 0, bytes, s->stream);
    s->api->event_record(s->from, s->stream);
    for (int i = 0; i < launches && good; i++) good = r->run(s, r, i % r->job->sets) == 0;
    s->api->event_record(s->to, s->stream);
    if (s->api->event_synchronize(s->to) || !good) return -1;
    s->api->event_elapsed_time(&elapsed_ms, s->from, s->to);
    const double us = elapsed_ms * 1000.0 / launches;
    const bool first = r->guess_us <= 0;
    r->guess_us = us;
    return first ? stand_cold_us(s, r, ms) : us;
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

double stand_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
