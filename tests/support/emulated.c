/* The driver's calls on the emulator: memory is the host's, a launch is a run. */
#include "support/emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct allocation {
    uint8_t *at;
    size_t bytes;
};

struct handle {
    const struct tmap_emulate_module *module;
    const char *name;
};

enum { MAX_ALLOCATIONS = 256, MAX_HANDLES = 1024, ALIGN = 1024 };
static struct allocation allocation[MAX_ALLOCATIONS];
static size_t allocations;
static struct handle handle[MAX_HANDLES];
static size_t handles;
static struct emulated emulated;

static tmap_cu_result mem_alloc(tmap_cu_deviceptr *at, size_t bytes)
{
    void *p = NULL;
    if (allocations == MAX_ALLOCATIONS || posix_memalign(&p, ALIGN, bytes + ALIGN))
        return TMAP_CU_OUT_OF_MEMORY;
    memset(p, 0, bytes);
    allocation[allocations++] = (struct allocation){p, bytes};
    *at = (uint64_t)(uintptr_t)p;
    return 0;
}

size_t emulated_bytes(uint64_t address)
{
    for (size_t i = 0; i < allocations; i++)
        if ((uint64_t)(uintptr_t)allocation[i].at == address) return allocation[i].bytes;
    return 0;
}

static tmap_cu_result mem_free(tmap_cu_deviceptr at)
{
    for (size_t i = 0; i < allocations; i++)
        if ((uint64_t)(uintptr_t)allocation[i].at == at) {
            free(allocation[i].at);
            allocation[i] = allocation[--allocations];
            return 0;
        }
    return at == 0 ? 0 : TMAP_CU_INVALID_VALUE;
}

static tmap_cu_result host_alloc(void **at, size_t bytes, unsigned flags)
{
    tmap_cu_deviceptr device;
    (void)flags;
    if (mem_alloc(&device, bytes)) return TMAP_CU_OUT_OF_MEMORY;
    *at = (void *)(uintptr_t)device;
    return 0;
}

static tmap_cu_result device_pointer(tmap_cu_deviceptr *at, void *host, unsigned flags)
{
    (void)flags;
    *at = (uint64_t)(uintptr_t)host;
    return 0;
}

static tmap_cu_result free_host(void *at)
{
    return mem_free((uint64_t)(uintptr_t)at);
}

static tmap_cu_result htod(tmap_cu_deviceptr to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}
static tmap_cu_result dtoh(void *to, tmap_cu_deviceptr from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}
static tmap_cu_result htod_async(tmap_cu_deviceptr to, const void *from, size_t bytes,
                                 tmap_cu_stream stream)
{
    (void)stream;
    return htod(to, from, bytes);
}
static tmap_cu_result dtoh_async(void *to, tmap_cu_deviceptr from, size_t bytes,
                                 tmap_cu_stream stream)
{
    (void)stream;
    return dtoh(to, from, bytes);
}
static tmap_cu_result dtod_async(tmap_cu_deviceptr to, tmap_cu_deviceptr from, size_t bytes,
                                 tmap_cu_stream stream)
{
    (void)stream;
    return dtoh((void *)(uintptr_t)to, from, bytes);
}
static tmap_cu_result set_bytes(tmap_cu_deviceptr at, unsigned char value, size_t bytes,
                                tmap_cu_stream stream)
{
    (void)stream;
    memset((void *)(uintptr_t)at, value, bytes);
    return 0;
}
static tmap_cu_result nothing(void)
{
    return 0;
}
static tmap_cu_result nothing_stream(tmap_cu_stream stream)
{
    (void)stream;
    return 0;
}

static tmap_cu_result load_data(tmap_cu_module *module, const void *image)
{
    (void)image; /* kernels are found by their names, in the PTX files */
    *module = (tmap_cu_module)&emulated;
    return 0;
}
static tmap_cu_result unload(tmap_cu_module module)
{
    (void)module;
    return 0;
}

tmap_cu_function emulated_function(const char *name)
{
    for (size_t i = 0; i < handles; i++)
        if (strcmp(handle[i].name, name) == 0) return (tmap_cu_function)&handle[i];
    for (size_t m = 0; m < emulated.modules; m++) {
        const char *k;
        for (size_t i = 0; (k = tmap_emulate_kernel(emulated.module[m], i)); i++)
            if (strcmp(k, name) == 0 && handles < MAX_HANDLES) {
                handle[handles] = (struct handle){emulated.module[m], k};
                return (tmap_cu_function)&handle[handles++];
            }
    }
    return NULL;
}

static tmap_cu_result get_function(tmap_cu_function *f, tmap_cu_module module, const char *name)
{
    (void)module;
    *f = emulated_function(name);
    return *f ? 0 : TMAP_CU_INVALID_VALUE;
}
static tmap_cu_result set_attribute(tmap_cu_function f, int attribute, int value)
{
    (void)f, (void)attribute, (void)value;
    return 0;
}
static tmap_cu_result get_attribute(int *value, int attribute, tmap_cu_function f)
{
    (void)f, (void)attribute;
    *value = 0;
    return 0;
}
static tmap_cu_result clusters(int *count, tmap_cu_function f, const struct tmap_cu_launch *how)
{
    (void)f;
    *count = 132 / (how->attr_count ? (int)how->attrs[0].value.cluster.x : 1);
    return 0;
}

static size_t param_bytes(const struct handle *h)
{
    uint32_t offset = 0, bytes = 0, end = 0;
    for (size_t i = 0; tmap_emulate_param(h->module, h->name, i, &offset, &bytes, NULL); i++)
        end = offset + bytes;
    return end;
}

static tmap_cu_result launch(const struct tmap_cu_launch *how, tmap_cu_function f, void **params,
                             void **extra)
{
    const struct handle *h = (const struct handle *)f;
    struct tmap_emulate_buffer buffer[MAX_ALLOCATIONS];
    uint8_t block[8192];
    uint32_t offset, bytes;
    (void)extra;
    for (size_t i = 0; i < allocations; i++)
        buffer[i] = (struct tmap_emulate_buffer){.address = (uint64_t)(uintptr_t)allocation[i].at,
                                                 .bytes = allocation[i].bytes,
                                                 .data = allocation[i].at};
    for (size_t i = 0; tmap_emulate_param(h->module, h->name, i, &offset, &bytes, NULL); i++)
        memcpy(block + offset, params[i], bytes);
    struct tmap_emulate_launch l = emulated.how;
    l.kernel = h->name;
    l.grid[0] = how->grid_x, l.grid[1] = how->grid_y, l.grid[2] = how->grid_z;
    l.block[0] = how->block_x, l.block[1] = how->block_y, l.block[2] = how->block_z;
    l.smem_bytes = how->smem_bytes;
    l.params = block;
    l.param_bytes = param_bytes(h);
    l.buffers = buffer;
    l.buffer_count = allocations;
    for (unsigned i = 0; i < how->attr_count; i++) {
        const union tmap_cu_launch_value *v = &how->attrs[i].value;
        if (how->attrs[i].id == TMAP_CU_LAUNCH_CLUSTER)
            l.cluster[0] = v->cluster.x, l.cluster[1] = v->cluster.y, l.cluster[2] = v->cluster.z;
        if (how->attrs[i].id == TMAP_CU_LAUNCH_PDL) l.overlap = v->flag != 0;
    }
    const bool records = !emulated.recorded || strcmp(emulated.recorded, h->name) == 0;
    const struct tmap_emulate_watch watch = {.size = sizeof watch,
                                             .expected = &emulated.expected,
                                             .expected_count = emulated.expected.bytes != 0,
                                             .self = emulated.self,
                                             .prefetch = emulated.prefetch,
                                             .record = records ? emulated.record : NULL};
    emulated.status =
        tmap_emulate_run_watched(h->module, &l, &watch, emulated.finding, EMULATED_FINDINGS,
                                 &emulated.findings, &emulated.result);
    if (emulated.status != TMAP_OK) return TMAP_CU_INVALID_VALUE;
    return emulated.result.finished ? 0 : TMAP_CU_LAUNCH_FAILED;
}

/* Streams: everything here runs in the order of the calls, and nothing is captured. */
static tmap_cu_result capture_info(tmap_cu_stream stream, int *status, uint64_t *id, void **graph,
                                   const void **nodes, size_t *count)
{
    (void)stream, (void)graph, (void)nodes, (void)count;
    *status = 0;
    *id = 0;
    return 0;
}
static tmap_cu_result capture_mode(int *mode)
{
    (void)mode;
    return 0;
}
static tmap_cu_result stream_create(tmap_cu_stream *stream, unsigned flags)
{
    (void)flags;
    *stream = NULL;
    return 0;
}

struct emulated *emulated_open(struct tmap_libcuda *api)
{
    memset(api, 0, sizeof *api);
    memset(&emulated, 0, sizeof emulated);
    api->mem_alloc = mem_alloc;
    api->mem_free = mem_free;
    api->mem_host_alloc = host_alloc;
    api->mem_host_get_device_pointer = device_pointer;
    api->mem_free_host = free_host;
    api->memcpy_htod = htod;
    api->memcpy_dtoh = dtoh;
    api->memcpy_htod_async = htod_async;
    api->memcpy_dtoh_async = dtoh_async;
    api->memcpy_dtod_async = dtod_async;
    api->memset_d8_async = set_bytes;
    api->ctx_synchronize = nothing;
    api->stream_synchronize = api->stream_destroy = nothing_stream;
    api->stream_get_capture_info = capture_info;
    api->thread_exchange_capture_mode = capture_mode;
    api->stream_create = stream_create;
    api->module_load_data = load_data;
    api->module_unload = unload;
    api->module_get_function = get_function;
    api->func_set_attribute = set_attribute;
    api->func_get_attribute = get_attribute;
    api->occupancy_max_active_clusters = clusters;
    api->launch_kernel_ex = launch;
    return &emulated;
}

struct emulated *emulated_state(void)
{
    return &emulated;
}

bool emulated_load_text(const char *text, size_t bytes, const char *name)
{
    struct tmap_emulate_error error;
    if (emulated.modules == EMULATED_MODULES) {
        fprintf(stderr, "# %s: more than %d modules\n", name, EMULATED_MODULES);
        return false;
    }
    const enum tmap_status s =
        tmap_emulate_load(text, bytes, &emulated.module[emulated.modules], &error);
    if (s != TMAP_OK)
        fprintf(stderr, "# %s:%u: %s (status %d)\n", name, error.line, error.text, (int)s);
    else
        emulated.modules++;
    return s == TMAP_OK;
}

bool emulated_load(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "# %s cannot be read\n", path);
        return false;
    }
    fseek(f, 0, SEEK_END);
    const long bytes = ftell(f);
    rewind(f);
    char *text = malloc((size_t)bytes + 1);
    const size_t got = text ? fread(text, 1, (size_t)bytes, f) : 0;
    fclose(f);
    const bool good = text && emulated_load_text(text, got, path);
    free(text);
    return good;
}

void emulated_unload(void)
{
    for (size_t i = 0; i < emulated.modules; i++) tmap_emulate_free(emulated.module[i]);
    emulated.modules = 0;
    handles = 0;
}

void emulated_close(void)
{
    emulated_unload();
    while (allocations) free(allocation[--allocations].at);
}

void emulated_seeds(uint64_t *seeds, uint64_t *first, uint64_t *step)
{
    const char *all = getenv("TMAP_EMULATE_SEEDS"), *shard = getenv("TMAP_EMULATE_SHARD");
    char *end = NULL;
    if (all) *seeds = strtoull(all, NULL, 10);
    if (!shard) return;
    *first = strtoull(shard, &end, 10);
    if (*end == '/') *step = strtoull(end + 1, NULL, 10);
    if (*step == 0) *step = 1;
}

void emulated_print(void)
{
    for (size_t i = 0; i < emulated.findings && i < EMULATED_FINDINGS; i++) {
        const struct tmap_emulate_finding *f = &emulated.finding[i];
        fprintf(stderr, "# %s: CTA %u warp %u lane %u line %u: %s\n",
                tmap_emulate_kind_name(f->kind), f->cta, f->warp, f->lane, f->line, f->text);
    }
}

enum tmap_status emulated_recorded(enum tmap_status ran)
{
    emulated.record = NULL;
    if (ran != TMAP_OK) emulated_print();
    return ran;
}

void emulated_add(struct emulated_outcome *o, bool failed, bool wrong)
{
    const struct tmap_emulate_finding *f = emulated.finding;
    if (emulated.findings && !o->findings)
        snprintf(o->text, sizeof o->text, "%s: %s", tmap_emulate_kind_name(f->kind), f->text);
    o->findings += emulated.findings;
    o->failed |= failed;
    o->wrong |= wrong;
}

bool emulated_is_right(const struct emulated_outcome *o)
{
    return !o->findings && !o->failed && !o->wrong;
}

void emulated_zero(struct stream_memory *m)
{
    for (size_t i = 0; i < m->count; i++) memset((void *)(uintptr_t)m->of[i].at, 0, m->zeroed);
}
