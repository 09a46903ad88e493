#include "rungs.h"

#include <stdio.h>
#include <string.h>

extern const char image_bench_gemm_ladder[], image_bench_gemm_ceiling[];

static const struct rung {
    const char *kernel, *name;
    int bn, span_bytes, stages;
    bool alone; /* takes all of an SM's shared memory, so that no other block hides its waits */
} rungs[RUNGS] = {
    {"ladder_64x64x32_1", "64x64x32, one stage, 4 warps, one block an SM", 64, 64, 1, true},
    {"ladder_64x64x32_1", "64x64x32, one stage, 4 warps", 64, 64, 1, false},
    {"ladder_64x256x64_1", "64x256x64, one stage", 256, 128, 1, false},
    {"ladder_64x256x64_4", "64x256x64, four stages", 256, 128, 4, false}};

const char *rung_name(int rung)
{
    return rungs[rung].name;
}

static bool operand_map(struct stand *s, const struct tmap_gemm_matrix *x, int rows, int k,
                        int box_rows, int span_bytes, struct gemm_map *map)
{
    const uint64_t dim[3] = {(uint64_t)k, (uint64_t)rows, 1};
    const uint64_t stride[2] = {(uint64_t)x->ld * 2, (uint64_t)x->ld * 2};
    const uint32_t box[3] = {(uint32_t)span_bytes / 2, (uint32_t)box_rows, 1}, ones[3] = {1, 1, 1};
    struct tmap_desc desc = {.kind = TMAP_TILED,
                             .dtype = TMAP_BFLOAT16,
                             .rank = 3,
                             .address = x->address,
                             .swizzle = span_bytes == 64 ? TMAP_SWIZZLE_64B : TMAP_SWIZZLE_128B,
                             .l2_promotion = TMAP_L2_256B};
    struct tmap_gemm_refusal why;
    memcpy(desc.dim, dim, sizeof dim);
    memcpy(desc.stride_bytes, stride, sizeof stride);
    memcpy(desc.box, box, sizeof box);
    memcpy(desc.elem_stride, ones, sizeof ones);
    if (gemm_check(s->suite, &desc, 'A', 1, &why) != TMAP_OK) {
        fprintf(stderr, "gemm bench: %s\n", why.text);
        return false;
    }
    return gemm_encode(s->suite, &desc, map) == TMAP_OK;
}

static int launch(struct stand *s, tmap_cu_function function, struct gemm_params *p, unsigned x,
                  unsigned y, unsigned threads, unsigned smem_bytes, unsigned cluster)
{
    uint64_t room[TMAP_GEMM_PARAM_WORDS] = {0};
    memcpy(room, p, sizeof *p);
    void *params[] = {room};
    struct tmap_cu_launch_attr attr = {.id = TMAP_CU_LAUNCH_CLUSTER};
    attr.value.cluster.x = cluster;
    attr.value.cluster.y = attr.value.cluster.z = 1;
    struct tmap_cu_launch how = {.grid_x = x,
                                 .grid_y = y,
                                 .grid_z = 1,
                                 .block_x = threads,
                                 .block_y = 1,
                                 .block_z = 1,
                                 .smem_bytes = smem_bytes,
                                 .stream = s->stream,
                                 .attrs = &attr,
                                 .attr_count = cluster > 1};
    return s->api->launch_kernel_ex(&how, function, params, NULL);
}

static tmap_cu_function load(struct stand *s, const char *image, const char *name,
                             tmap_cu_module *module)
{
    tmap_cu_function function = NULL;
    int static_bytes = 0;
    if (s->api->module_load_data(module, image) ||
        s->api->module_get_function(&function, *module, name) ||
        s->api->func_get_attribute(&static_bytes, TMAP_CU_FUNC_STATIC_SMEM, function) ||
        s->api->func_set_attribute(function, TMAP_CU_FUNC_MAX_DYNAMIC_SMEM,
                                   (int)s->suite->smem_optin_bytes - static_bytes))
        return NULL;
    return function;
}

/* Microseconds a launch over `ms` of them. */
#define TIMED(us, ms, LAUNCH)                                                                      \
    do {                                                                                           \
        float took = 0;                                                                            \
        int runs = 2;                                                                              \
        us = 0;                                                                                    \
        for (int pass = 0; pass < 2; pass++) {                                                     \
            s->api->event_record(s->from, s->stream);                                              \
            for (int i = 0; i < runs && us >= 0; i++)                                              \
                if (LAUNCH) us = -1;                                                               \
            s->api->event_record(s->to, s->stream);                                                \
            if (us < 0 || s->api->event_synchronize(s->to)) {                                      \
                us = -1;                                                                           \
                break;                                                                             \
            }                                                                                      \
            s->api->event_elapsed_time(&took, s->from, s->to);                                     \
            us = took * 1000.0 / runs;                                                             \
            runs = (int)((ms)*1000.0 / us) + 1;                                                    \
        }                                                                                          \
    } while (0)

/* The rung's D of operand set 0 against the family's, word by word. */
static bool same(struct stand *s, const struct tmap_gemm_problem *q)
{
    static float mine[4096], other[4096];
    struct tmap_gemm_plan plan;
    const size_t bytes = sizeof mine;
    const uint64_t at = q->d.address + (uint64_t)(q->m / 2) * (uint64_t)q->d.ld * 4;
    s->api->stream_synchronize(s->stream);
    s->api->memcpy_dtoh(mine, at, bytes);
    if (tmap_gemm_make_plan(s->suite, q, NULL, &plan, NULL) != TMAP_OK) return false;
    tmap_gemm_run(&plan, s->stream);
    s->api->stream_synchronize(s->stream);
    s->api->memcpy_dtoh(other, at, bytes);
    for (int i = 0; i < 4096 && i < q->n; i++) {
        const float gap = mine[i] - other[i];
        if (!(gap < 0.02f && gap > -0.02f)) return false;
    }
    return true;
}

double rung_time(struct stand *s, struct job *job, int rung, double ms, bool *right, int *blocks)
{
    const struct rung *r = &rungs[rung];
    const struct tmap_gemm_problem *q = &job->set[0];
    tmap_cu_module module;
    tmap_cu_function function = load(s, image_bench_gemm_ladder, r->kernel, &module);
    struct gemm_params p;
    double us = -1;
    memset(&p, 0, sizeof p);
    if (!function || !operand_map(s, &q->a, q->m, q->k, 64, r->span_bytes, &p.a) ||
        !operand_map(s, &q->b, q->n, q->k, r->bn, r->span_bytes, &p.b))
        return -1;
    p.m = q->m;
    p.n = q->n;
    p.k_blocks = (q->k * 2 + r->span_bytes - 1) / r->span_bytes;
    p.d_address = (void *)(uintptr_t)q->d.address;
    p.d_row_bytes = q->d.ld * 4;
    p.mailbox = (volatile uint32_t *)(uintptr_t)s->suite->mailbox.device;
    p.limit_ms = s->suite->limit_ms;
    const unsigned x = (unsigned)((q->n + r->bn - 1) / r->bn), y = (unsigned)((q->m + 63) / 64);
    const unsigned smem = r->alone ? s->suite->smem_optin_bytes - 1024
                                   : (unsigned)(r->stages * (64 + r->bn) * r->span_bytes);
    *blocks = 0;
    s->api->occupancy_max_active_blocks(blocks, function, 128, smem);
    TIMED(us, ms, launch(s, function, &p, x, y, 128, smem, 1));
    *right = us > 0 && same(s, q);
    s->api->module_unload(module);
    return us;
}

/* A plan's parameters for the widest tile. */
static bool wide_params(struct stand *s, struct job *job, int cluster_m, struct gemm_params *p,
                        struct tmap_gemm_plan *plan)
{
    const struct tmap_gemm_config request = {.tile_m = 128,
                                             .tile_n = 256,
                                             .stages = 3,
                                             .cluster_m = cluster_m,
                                             .cluster_n = 1,
                                             .split_k = 1,
                                             .swapped = -1};
    if (tmap_gemm_make_plan(s->suite, &job->set[0], &request, plan, NULL) != TMAP_OK) return false;
    memcpy(p, plan->params, sizeof *p);
    return true;
}

double ceiling_multiply(struct stand *s, struct job *job, double ms)
{
    struct gemm_params p;
    struct tmap_gemm_plan plan;
    tmap_cu_module module;
    double us = -1;
    tmap_cu_function function = load(s, image_bench_gemm_ceiling, "ceiling_multiply", &module);
    if (!function || !wide_params(s, job, 1, &p, &plan)) return -1;
    p.k_blocks = 4096;
    const unsigned blocks = (unsigned)s->suite->gpu.sm_count;
    TIMED(us, ms, launch(s, function, &p, blocks, 1, 384, plan.smem_bytes, 1));
    s->api->module_unload(module);
    return us > 0 ? 2.0 * 128 * 256 * 64 * p.k_blocks * blocks / us / 1e6 : -1;
}

double ceiling_stream(struct stand *s, struct job *job, int cluster_m, double ms)
{
    struct gemm_params p;
    struct tmap_gemm_plan plan;
    tmap_cu_module module;
    double us = -1;
    tmap_cu_function function = load(s, image_bench_gemm_ceiling, "ceiling_stream", &module);
    if (!function || !wide_params(s, job, cluster_m, &p, &plan)) return -1;
    TIMED(us, ms, launch(s, function, &p, plan.grid, 1, 384, plan.smem_bytes, plan.cluster));
    s->api->module_unload(module);
    const double bytes = (double)p.total * cluster_m * p.k_blocks * p.tx_bytes;
    return us > 0 ? bytes / us / 1e6 : -1;
}
