/* The faults of planted_later.def, one at a time. */
#include "device/gemm/planted_later.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct later_fault later_faults[] = {
#define PLANTED(id, shape, name, silent, shows) {id, shape, name, silent, shows},
#include "device/gemm/planted_later.def"
};
const size_t later_fault_count = sizeof later_faults / sizeof *later_faults;

static const struct {
    const char *faulty;
    struct tmap_gemm_config request;
    int32_t kind;
} of_shape[SHAPES] = {
    [SINGLE] = {"tensor_faulty_1x128", {.tile_m = 128, .tile_n = 128, .clusters = 1}},
    [PAIR] = {"tensor_faulty_2x128", {.tile_m = 256, .tile_n = 128, .clusters = 1}},
    [SHARED] = {"tensor_faulty_2x128", {.tile_m = 256, .tile_n = 128, .clusters = 1}},
    [STREAM] = {"tensor_faulty_1x128", {.tile_m = 128, .tile_n = 128, .clusters = 4}},
    [DYNAMIC] = {"tensor_dynamic_faulty_2x256", {.tile_m = 256, .tile_n = 256, .dynamic = 1}},
    [SCALED] = {"tensor_scaled_faulty_1x128",
                {.tile_m = 128, .tile_n = 128, .clusters = 1},
                TMAP_GEMM_MXF8},
    [SCALED_PAIR] = {"tensor_scaled_faulty_2x256",
                     {.tile_m = 256, .tile_n = 256, .clusters = 1},
                     TMAP_GEMM_MXF8},
    [NVF4] = {"tensor_nvf4_faulty_1x128",
              {.tile_m = 128, .tile_n = 128, .clusters = 1},
              TMAP_GEMM_NVF4},
    [MXF4] = {"tensor_mxf4_faulty_1x128",
              {.tile_m = 128, .tile_n = 128, .clusters = 1},
              TMAP_GEMM_MXF4},
    [WARPS] = {"warps_faulty_2x64", {.tile_m = 128, .tile_n = 64, .clusters = 1}},
    [WARPS_SCALED] = {"warps_scaled_faulty_2x128",
                      {.tile_m = 128, .tile_n = 128, .clusters = 1},
                      TMAP_GEMM_MXF8},
    [WARPS_MXF4] = {"warps_mxf4_faulty_2x64",
                    {.tile_m = 128, .tile_n = 64, .clusters = 1},
                    TMAP_GEMM_MXF4},
    [WARPS_NVF4] = {"warps_nvf4_faulty_2x64",
                    {.tile_m = 128, .tile_n = 64, .clusters = 1},
                    TMAP_GEMM_NVF4},
};

const char *later_faulty(enum later_shape shape)
{
    return of_shape[shape].faulty;
}

bool later_is_of(const struct later_fault *fault, int32_t family)
{
    return fault->shape < WARPS ? family == GEMM_SM100 : family == GEMM_SM120;
}

struct tmap_gemm_config later_request(enum later_shape shape)
{
    struct tmap_gemm_config c = of_shape[shape].request;
    c.stages = shape >= WARPS_SCALED ? 2 : 3; /* of the latter three are more than 99 KiB */
    c.cluster_m = shape == SHARED ? 2 : 1;
    c.cluster_n = c.panels = 1;
    c.swapped = -1;
    c.stream_k = shape == STREAM ? TMAP_GEMM_STREAM_K_ANY : -1;
    if (gemm_is_scaled(of_shape[shape].kind)) c.panels = 2; /* of fp32 */
    return c;
}

struct tmap_gemm_problem later_problem(enum later_shape shape)
{
    struct tmap_gemm_problem p = {
        .kind = of_shape[shape].kind, .m = 250, .n = 376, .k = 270, .batch = 1, .alpha = 1};
    if (shape == SHARED) p.m = 500;
    if (shape == DYNAMIC) p.n = 1000;
    if (gemm_is_scaled(p.kind)) p.out = TMAP_GEMM_OUT_F32, p.k = 500;
    /* A last k-block with fewer tiles of factors than the others. */
    if (gemm_element_bits(p.kind) < 8) p.k = 880;
    return p;
}

/* --- one of them on a device */

enum { POISON = 0xff };

/* Bytes drawn from few codes, the same in every process: -2, -1, 0 and 1 of bf16, e4m3 or, in
 * pairs, e2m1; scale factors of 1/2, 1 and 2, of ue4m3 3/2 too. */
static bool fill(const struct tmap_libcuda *api, uint64_t *address, size_t bytes,
                 const uint16_t codes[4], size_t code_bytes)
{
    uint8_t *host = malloc(bytes);
    if (!host || api->mem_alloc(address, bytes)) return false;
    for (size_t i = 0; i < bytes / code_bytes; i++)
        memcpy(host + i * code_bytes, &codes[(uint32_t)(i * 2654435761u) >> 30], code_bytes);
    const bool good = !api->memcpy_htod(*address, host, bytes);
    free(host);
    return good;
}

/* Rows of K, at multiples of 16 bytes; of scales, whole tiles. */
static bool fill_operand(const struct tmap_libcuda *api, const struct tmap_gemm_problem *p,
                         int32_t rows, struct tmap_gemm_matrix *m, uint64_t *scales)
{
    static const uint16_t bf16[4] = {0xc000, 0xbf80, 0, 0x3f80}, e4m3[4] = {0xc0, 0xb8, 0, 0x38};
    static const uint16_t e2m1[4] = {0xca, 0xa0, 0x02, 0x2c};
    static const uint16_t ue8m0[4] = {126, 127, 128, 127}, ue4m3[4] = {0x30, 0x38, 0x40, 0x3c};
    const bool scaled = gemm_is_scaled(p->kind);
    const size_t bits = (size_t)gemm_element_bits(p->kind), tiles = ((size_t)rows + 127) / 128;
    m->ld = (p->k + 31) / 32 * 32;
    return fill(api, &m->address, (size_t)rows * (size_t)m->ld * bits / 8,
                bits == 4 ? e2m1
                : scaled  ? e4m3
                          : bf16,
                scaled ? 1 : 2) &&
           (!scaled ||
            fill(api, scales, tiles * (size_t)gemm_scale_tiles(p->kind, p->k) * GEMM_SCALE_BYTES,
                 gemm_scale_block(p->kind) == 16 ? ue4m3 : ue8m0, 1));
}

struct rig {
    struct tmap_gemm_problem problem;
    struct tmap_gemm_plan plan;
    tmap_cu_function faulty;
    size_t bytes; /* of D */
};

static bool set_up(struct tmap_gemm *suite, const void *image, enum later_shape shape,
                   struct rig *r)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    const struct tmap_gemm_config request = later_request(shape);
    struct tmap_gemm_problem *p = &r->problem;
    tmap_cu_module module;
    *p = later_problem(shape);
    p->d.ld = (p->n + 7) / 8 * 8;
    r->bytes = (size_t)p->m * (size_t)p->d.ld * (p->out == TMAP_GEMM_OUT_F32 ? 4 : 2);
    return fill_operand(api, p, p->m, &p->a, &p->a_scales) &&
           fill_operand(api, p, p->n, &p->b, &p->b_scales) &&
           !api->mem_alloc(&p->d.address, r->bytes) &&
           tmap_gemm_make_plan(suite, p, &request, &r->plan, NULL) == TMAP_OK &&
           !api->module_load_data(&module, image) &&
           suite_kernel(api, module, of_shape[shape].faulty, suite->smem_optin_bytes, &r->faulty) ==
               TMAP_OK;
}

static void tear_down(const struct tmap_libcuda *api, const struct rig *r)
{
    const struct tmap_gemm_problem *p = &r->problem;
    const uint64_t all[] = {p->a.address, p->b.address, p->d.address, p->a_scales, p->b_scales};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) api->mem_free(all[i]);
}

static bool run(const struct tmap_libcuda *api, const struct rig *r, uint8_t *d)
{
    const uint64_t at = r->problem.d.address;
    return !api->memset_d8_async(at, POISON, r->bytes, NULL) &&
           tmap_gemm_run(&r->plan, NULL) == TMAP_OK && !api->memcpy_dtoh(d, at, r->bytes);
}

struct later_outcome later_plant(struct tmap_gemm *suite, const void *image,
                                 const struct later_fault *fault, bool control, int runs)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    struct later_outcome o = {0};
    struct gemm_params params;
    struct rig r = {0};
    const bool ready = set_up(suite, image, fault->shape, &r);
    o.stage = ready;
    uint8_t *good = malloc(r.bytes), *bad = malloc(r.bytes);
    if (ready && good && bad && run(api, &r, good)) {
        o.stage = 2;
        memcpy(&params, r.plan.params, sizeof params);
        params.fault = control ? 0 : fault->id;
        memcpy(r.plan.params, &params, sizeof params);
        r.plan.function = r.faulty;
        for (int i = 0; i < runs && !o.driver_error && !o.differ; i++) {
            o.driver_error = !run(api, &r, bad);
            for (size_t j = 0; !o.driver_error && j < r.bytes; j++) o.differ += good[j] != bad[j];
        }
        o.report = tmap_gemm_last_report(suite);
        o.stage = 3;
    }
    free(good);
    free(bad);
    tear_down(api, &r);
    return o;
}

bool later_say(const struct later_fault *fault, const struct later_outcome *control,
               const struct later_outcome *f, int number)
{
    const char *barrier = tmap_gemm_barrier_name(f->report.barrier);
    const bool caught = f->driver_error || f->differ > 0;
    const bool right = control->stage == 3 && !control->driver_error && !control->differ;
    const bool good = right && f->stage == 3 && (caught || !fault->shows);
    char how[160] = "not observed";
    if (f->stage < 3) snprintf(how, sizeof how, "did not run");
    if (f->report.what == 1)
        snprintf(how, sizeof how, "watchdog: barrier %s, slot %u, parity %u, block %u",
                 barrier ? barrier : "?", f->report.slot, f->report.parity, f->report.block);
    else if (f->report.what == 2)
        snprintf(how, sizeof how, "refused by the kernel: constant %u is %u, not %u",
                 f->report.barrier, f->report.slot, f->report.parity);
    else if (f->driver_error)
        snprintf(how, sizeof how, "the driver reports a failed launch");
    else if (f->differ)
        snprintf(how, sizeof how, "%llu wrong bytes", (unsigned long long)f->differ);
    printf("%s %d - %s: %s%s; its control is %s\n", good ? "ok" : "not ok", number, fault->name,
           how, fault->shows ? "" : " (a matter of time on a chip)", right ? "right" : "WRONG");
    fflush(stdout);
    return good;
}
