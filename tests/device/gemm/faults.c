/* Faults planted in the GEMM's protocol, one a process (a trapped kernel costs the context): each
 * must show as a wrong value, as the watchdog's report with the barrier's name, or as a refusal,
 * and its control, the same delays without the fault, must be right.
 *
 *   faults [TEXT]     all, or those whose name has the text in it */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/gemm/planted.h"

extern const char image_tests_device_gemm_faults[];

enum { N = 1024, RUNS = 20, SPARE_BYTES = 4096, POISON = 0xff };

struct finding {
    int stage; /* how far the child came: 3 is to the end */
    int driver_error;
    uint64_t differ;
    struct tmap_gemm_report report;
};

struct rig {
    struct tmap_gemm *suite;
    const struct tmap_libcuda *api;
    struct tmap_gemm_plan plan;
    uint16_t *host;
    tmap_cu_function faulty;
};

/* Operands of integers -2 .. 1 in bf16, the same in every process. */
static bool fill(struct rig *r, struct tmap_gemm_problem *p)
{
    const size_t bytes = N * N * 2;
    r->host = malloc(bytes);
    if (!r->host || r->api->mem_alloc(&p->a.address, bytes) ||
        r->api->mem_alloc(&p->b.address, bytes) || r->api->mem_alloc(&p->d.address, bytes))
        return false;
    for (uint32_t i = 0; i < N * N; i++)
        r->host[i] = (uint16_t[]){0xc000, 0xbf80, 0, 0x3f80}[(i * 2654435761u) >> 30];
    return !r->api->memcpy_htod(p->a.address, r->host, bytes) &&
           !r->api->memcpy_htod(p->b.address, r->host, bytes);
}

static bool set_up(struct rig *r, enum shape shape)
{
    struct tmap_gemm_problem p;
    const struct tmap_gemm_config request = request_of(shape, 5, 8);
    tmap_cu_module module;
    char why[160];
    if (tmap_gemm_open(&(struct tmap_open){.watchdog_ms = 2000}, &r->suite, why, sizeof why) !=
        TMAP_OK)
        return false;
    r->suite->limit_ms = 300;
    r->api = &r->suite->gpu.api;
    memset(&p, 0, sizeof p);
    size_of(shape, N, N, &p);
    p.batch = 1;
    p.alpha = 1;
    p.a.ld = p.b.ld = p.k;
    p.d.ld = N;
    if (!fill(r, &p)) return false;
    if (r->api->module_load_data(&module, image_tests_device_gemm_faults) ||
        suite_kernel(r->api, module,
                     shape == PINGPONG ? "gemm_faulty_pingpong_1x128" : "gemm_faulty_2x128",
                     r->suite->smem_optin_bytes, &r->faulty) != TMAP_OK)
        return false;
    return tmap_gemm_make_plan(r->suite, &p, &request, &r->plan, NULL) == TMAP_OK;
}

static void plant(struct rig *r, uint32_t id, uint32_t delay)
{
    struct gemm_params p;
    struct tmap_desc desc = r->plan.desc[0];
    memcpy(&p, r->plan.params, sizeof p);
    p.fault = delay << 16 | (id < HOST_SWIZZLE ? id : 0);
    if (id == HOST_SWIZZLE) desc.swizzle = TMAP_SWIZZLE_64B, desc.box[0] = 32;
    if (id == HOST_BOX) desc.box[1]--;
    if (id == HOST_TILE) p.tile_n *= 2;
    if (id == HOST_TX) p.stage_bytes -= 128;
    gemm_encode(r->suite, &desc, &p.a);
    memcpy(r->plan.params, &p, sizeof p);
    r->plan.function = r->faulty;
    r->plan.smem_bytes += SPARE_BYTES;
}

/* What the parts of a stream held before is no number, so that a stale one shows. */
static void poison(struct rig *r, size_t bytes)
{
    const size_t parts = tmap_gemm_workspace_bytes(r->suite) - GEMM_FLAG_BYTES;
    r->api->memset_d8_async(r->plan.problem.d.address, POISON, bytes, NULL);
    tmap_cu_deviceptr workspace;
    if (stream_memory_get(r->suite->workspaces, r->api, NULL, &workspace) != TMAP_OK) return;
    r->api->memset_d8_async(workspace + GEMM_FLAG_BYTES, POISON, parts, NULL);
}

static void child(const struct fault *fault, bool control, struct finding *f)
{
    struct rig r = {0};
    const size_t bytes = N * N * 2;
    if (!set_up(&r, fault->shape)) return;
    f->stage = 1;
    uint16_t *good = malloc(bytes), *bad = malloc(bytes);
    const uint64_t d = r.plan.problem.d.address;
    poison(&r, bytes); // what lies outside D is the same then
    if (!good || !bad || tmap_gemm_run(&r.plan, NULL) || r.api->memcpy_dtoh(good, d, bytes)) return;
    f->stage = 2;
    plant(&r, control ? 0 : fault->id, fault->delay);
    for (int i = 0; i < RUNS && !f->driver_error && !f->differ; i++) {
        poison(&r, bytes);
        f->driver_error = tmap_gemm_run(&r.plan, NULL) || r.api->memcpy_dtoh(bad, d, bytes);
        for (size_t j = 0; !f->driver_error && j < N * N; j++) f->differ += good[j] != bad[j];
    }
    f->report = tmap_gemm_last_report(r.suite);
    f->stage = 3;
}

/* A child and where its finding comes from. The parent has no device: it forks, and a forked
 * context is no context. */
struct job {
    pid_t pid;
    int from;
};

static struct job begin(const struct fault *fault, bool control)
{
    struct finding f = {0};
    int ends[2];
    if (pipe(ends)) return (struct job){-1, -1};
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        child(fault, control, &f);
        ssize_t n = write(ends[1], &f, sizeof f);
        _exit(n == (ssize_t)sizeof f ? 0 : 1);
    }
    close(ends[1]);
    return (struct job){pid, ends[0]};
}

/* A child that says nothing for too long is ended. */
static struct finding end(struct job job)
{
    enum { PATIENCE_MS = 20000 };
    struct finding f = {0};
    if (job.from < 0) return f;
    struct pollfd wait = {.fd = job.from, .events = POLLIN};
    if (poll(&wait, 1, PATIENCE_MS) < 1) kill(job.pid, SIGKILL);
    if (read(job.from, &f, sizeof f) != (ssize_t)sizeof f) f.stage = -1;
    close(job.from);
    waitpid(job.pid, NULL, 0);
    return f;
}

static bool is_caught(const struct finding *f)
{
    return f->driver_error || f->differ > 0;
}

static bool say(const struct fault *fault, const struct finding *control, const struct finding *f,
                int number)
{
    const char *barrier = tmap_gemm_barrier_name(f->report.barrier);
    char how[160] = "not observed";
    if (f->report.what == 1)
        snprintf(how, sizeof how, "watchdog: barrier %s, slot %u, parity %u, block %u",
                 barrier ? barrier : "?", f->report.slot, f->report.parity, f->report.block);
    else if (f->report.what == 2)
        snprintf(how, sizeof how, "refused by the kernel: constant %u is %u, not %u",
                 f->report.barrier, f->report.slot, f->report.parity);
    else if (f->driver_error)
        snprintf(how, sizeof how, "the driver reports a failed launch");
    else if (f->differ)
        snprintf(how, sizeof how, "%llu wrong elements", (unsigned long long)f->differ);
    const bool control_right = control->stage == 3 && !is_caught(control);
    const bool shown = is_caught(f);
    const bool good = control_right && f->stage == 3 && (shown || fault->blind);
    printf("%s %d - %s: %s; its control is %s%s%s\n", good ? "ok" : "not ok", number, fault->name,
           how, control_right ? "right" : "WRONG", shown || !fault->blind ? "" : " # SKIP ",
           shown || !fault->blind ? "" : fault->blind);
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    enum { ALL = sizeof faults / sizeof faults[0], AT_ONCE = 8 };
    struct finding controls[ALL];
    struct fault wanted[ALL];
    int count = 0;
    bool failed = false;
    for (int i = 0; i < ALL; i++)
        if (argc < 2 || strstr(faults[i].name, argv[1])) wanted[count++] = faults[i];
    if (count == 0) return 3;
    const struct finding first = end(begin(&wanted[0], true));
    if (first.stage < 1) {
        printf("ok 1 # SKIP gemm faults: no usable GPU or no kernels in this build\n1..1\n");
        return 0;
    }
    for (int i = 0; i < count; i += AT_ONCE) {
        struct job jobs[AT_ONCE];
        const int n = count - i < AT_ONCE ? count - i : AT_ONCE;
        for (int j = 0; j < n; j++) jobs[j] = begin(&wanted[i + j], true);
        for (int j = 0; j < n; j++) controls[i + j] = end(jobs[j]);
    }
    for (int i = 0; i < count; i++) {
        const struct finding f = end(begin(&wanted[i], false));
        failed |= !say(&wanted[i], &controls[i], &f, i + 1);
    }
    printf("1..%d\n", count);
    return failed;
}
