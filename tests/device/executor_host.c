// The executor's host side; see executor_host.h.
#include "device/executor_host.h"

#include <string.h>

extern const uint8_t image_tests_device_executor[];
extern const uint64_t image_tests_device_executor_bytes;

#define FILL_BLOCKS 4096u
#define FILL_THREADS 256u

static enum tmap_status check(struct executor *ex, tmap_cu_result rc)
{
    if (rc == TMAP_CU_SUCCESS) return TMAP_OK;
    ex->failed = rc;
    return TMAP_E_DRIVER;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum tmap_status try_status = check(ex, (call));                                           \
        if (try_status != TMAP_OK) return try_status;                                              \
    } while (0)

static enum tmap_status launch_in(struct executor *ex, tmap_cu_function f, uint32_t blocks,
                                  uint32_t cluster, uint32_t threads, uint32_t smem,
                                  tmap_cu_stream s, void **params)
{
    const struct tmap_launch what = {
        .function = f, .grid = blocks, .threads = threads, .cluster = cluster, .smem_bytes = smem};
    return check(ex, tmap_libcuda_launch(&ex->gpu.api, &what, params, s));
}

static enum tmap_status launch(struct executor *ex, tmap_cu_function f, uint32_t blocks,
                               uint32_t threads, uint32_t smem, tmap_cu_stream s, void **params)
{
    return launch_in(ex, f, blocks, 1, threads, smem, s, params);
}

enum tmap_status executor_refill(struct executor *ex)
{
    uint64_t pairs = ex->arena_bytes / 16;
    void *params[] = {&ex->arena, &pairs, &ex->arena_seed};
    enum tmap_status s = launch(ex, ex->fill, FILL_BLOCKS, FILL_THREADS, 0, NULL, params);
    return s != TMAP_OK ? s : check(ex, ex->gpu.api.ctx_synchronize());
}

enum tmap_status executor_scan(struct executor *ex, uint64_t *words, uint64_t *first_offset)
{
    uint64_t found[2] = {0, UINT64_MAX}, pairs = ex->arena_bytes / 16;
    tmap_cu_deviceptr at;
    TRY(ex->gpu.api.mem_alloc(&at, sizeof found));
    TRY(ex->gpu.api.memcpy_htod(at, found, sizeof found));
    void *params[] = {&ex->arena, &pairs, &ex->arena_seed, &at};
    enum tmap_status s = launch(ex, ex->scan, FILL_BLOCKS, FILL_THREADS, 0, NULL, params);
    if (s != TMAP_OK) return s;
    TRY(ex->gpu.api.memcpy_dtoh(found, at, sizeof found));
    TRY(ex->gpu.api.mem_free(at));
    *words = found[0];
    *first_offset = found[0] ? found[1] * 8 : 0;
    return TMAP_OK;
}

static enum tmap_status load(struct executor *ex)
{
    const struct tmap_libcuda *cu = &ex->gpu.api;
    TRY(cu->module_load_data(&ex->module, image_tests_device_executor));
    TRY(cu->module_get_function(&ex->run, ex->module, "executor_run"));
    TRY(cu->module_get_function(&ex->fill, ex->module, "executor_fill"));
    TRY(cu->module_get_function(&ex->scan, ex->module, "executor_scan"));
    TRY(cu->module_get_function(&ex->replace, ex->module, "executor_replace"));
    TRY(cu->func_set_attribute(ex->run, TMAP_CU_FUNC_MAX_DYNAMIC_SMEM, EXECUTOR_SMEM_BYTES));
    TRY(cu->mem_alloc(&ex->arena, ex->arena_bytes));
    return executor_refill(ex);
}

enum tmap_status executor_open(struct executor *ex, uint64_t arena_bytes, uint64_t arena_seed,
                               char *why, size_t cap)
{
    memset(ex, 0, sizeof *ex);
    if (image_tests_device_executor_bytes == 0) return TMAP_E_NOT_BUILT;
    enum tmap_status s = tmap_gpu_open(NULL, 0, &ex->gpu, why, cap);
    if (s != TMAP_OK) return s;
    ex->arena_bytes = arena_bytes / 16 * 16;
    ex->arena_seed = arena_seed;
    ex->limit_us = 2000;
    s = load(ex);
    if (s != TMAP_OK) executor_close(ex);
    return s;
}

void executor_close(struct executor *ex)
{
    if (ex->arena) ex->gpu.api.mem_free(ex->arena);
    if (ex->module) ex->gpu.api.module_unload(ex->module);
    tmap_gpu_close(&ex->gpu);
    ex->arena = 0;
    ex->module = NULL;
}

enum tmap_status executor_slot_open(struct executor *ex, uint32_t jobs, uint64_t image_bytes,
                                    struct executor_slot *slot)
{
    const struct tmap_libcuda *cu = &ex->gpu.api;
    const size_t job_bytes = jobs * sizeof *slot->jobs, res_bytes = jobs * sizeof *slot->results;
    memset(slot, 0, sizeof *slot);
    slot->cap = jobs;
    slot->image_cap = image_bytes;
    TRY(cu->stream_create(&slot->stream, TMAP_CU_STREAM_NON_BLOCKING));
    TRY(cu->mem_host_alloc((void **)&slot->jobs, job_bytes, 0));
    TRY(cu->mem_host_alloc((void **)&slot->results, res_bytes, 0));
    TRY(cu->mem_host_alloc((void **)&slot->images, image_bytes, 0));
    TRY(cu->mem_alloc(&slot->device_jobs, job_bytes));
    TRY(cu->mem_alloc(&slot->device_results, res_bytes));
    TRY(cu->mem_alloc(&slot->device_images, image_bytes));
    return TMAP_OK;
}

void executor_slot_close(struct executor *ex, struct executor_slot *slot)
{
    const struct tmap_libcuda *cu = &ex->gpu.api;
    if (slot->device_images) cu->mem_free(slot->device_images);
    if (slot->device_results) cu->mem_free(slot->device_results);
    if (slot->device_jobs) cu->mem_free(slot->device_jobs);
    if (slot->images) cu->mem_free_host(slot->images);
    if (slot->results) cu->mem_free_host(slot->results);
    if (slot->jobs) cu->mem_free_host(slot->jobs);
    if (slot->stream) cu->stream_destroy(slot->stream);
    memset(slot, 0, sizeof *slot);
}

struct executor_job *executor_place(struct executor_slot *slot, uint32_t image_bytes)
{
    if (slot->count == slot->cap || slot->image_bytes + image_bytes > slot->image_cap) return NULL;
    struct executor_job *job = &slot->jobs[slot->count];
    memset(job, 0, sizeof *job);
    job->image = slot->device_images + slot->image_bytes;
    memset(&slot->results[slot->count], 0, sizeof *slot->results);
    slot->results[slot->count].first_stray = UINT32_MAX;
    slot->image_bytes += image_bytes;
    slot->count++;
    return job;
}

const uint8_t *executor_image(const struct executor_slot *slot, uint32_t i)
{
    return slot->images + (slot->jobs[i].image - slot->device_images);
}

enum tmap_status executor_launch(struct executor *ex, struct executor_slot *slot)
{
    const struct tmap_libcuda *cu = &ex->gpu.api;
    const size_t jobs = slot->count * sizeof *slot->jobs, res = slot->count * sizeof *slot->results;
    if (slot->count == 0) return TMAP_OK;
    TRY(cu->memcpy_htod_async(slot->device_jobs, slot->jobs, jobs, slot->stream));
    TRY(cu->memcpy_htod_async(slot->device_results, slot->results, res, slot->stream));
    void *params[] = {&slot->device_jobs, &slot->device_results, &ex->limit_us};
    const bool pairs = slot->jobs[0].op == EXECUTOR_MULTICAST;
    enum tmap_status s = launch_in(ex, ex->run, slot->count, pairs ? 2 : 1, EXECUTOR_THREADS,
                                   EXECUTOR_SMEM_BYTES, slot->stream, params);
    if (s != TMAP_OK) return s;
    TRY(cu->memcpy_dtoh_async(slot->results, slot->device_results, res, slot->stream));
    if (slot->image_bytes)
        TRY(cu->memcpy_dtoh_async(slot->images, slot->device_images, slot->image_bytes,
                                  slot->stream));
    return TMAP_OK;
}

enum tmap_status executor_finish(struct executor *ex, struct executor_slot *slot)
{
    return check(ex, ex->gpu.api.stream_synchronize(slot->stream));
}

enum tmap_status executor_edit_maps(struct executor *ex, const struct executor_edit *edits,
                                    uint32_t n, uint64_t *maps)
{
    const struct tmap_libcuda *cu = &ex->gpu.api;
    tmap_cu_deviceptr in, out;
    TRY(cu->mem_alloc(&in, n * sizeof *edits));
    TRY(cu->mem_alloc(&out, (size_t)n * 128));
    TRY(cu->memcpy_htod(in, edits, n * sizeof *edits));
    void *params[] = {&in, &out};
    enum tmap_status s = launch(ex, ex->replace, n, 32, 0, NULL, params);
    if (s == TMAP_OK) s = check(ex, cu->memcpy_dtoh(maps, out, (size_t)n * 128));
    if (s != TMAP_OK) return s;
    TRY(cu->mem_free(in));
    TRY(cu->mem_free(out));
    return TMAP_OK;
}
