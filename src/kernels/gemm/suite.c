/* Opening and closing the GEMM suite; loading a kind's kernels at their first use. */
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/suite.h"
#include "kernels/runtime/images.h"

#define ROW(name, kind, wgs, bn, a_mn, b_mn, promote, pingpong, image)                             \
    {name, GEMM_SM90, GEMM_KIND_##kind, wgs, bn, 1, a_mn, b_mn, promote, pingpong, image, 0, false},
/* end: of the name. */
#define TILE_ROW(kind, wgs, bn, end, a_mn, b_mn, promote, image)                                   \
    ROW("gemm_" #kind "_" #wgs "x" #bn end, kind, wgs, bn, a_mn, b_mn, promote, false, image)
#define TURN_ROW(kind, slabs, bn, end, a_mn, b_mn, image)                                          \
    ROW("gemm_" #kind "_pingpong_" #slabs "x" #bn end, kind, slabs, bn, a_mn, b_mn, false, true,   \
        image)
#define GEMM_INSTANCE(kind, wgs, bn, a_mn, b_mn, promote)                                          \
    TILE_ROW(kind, wgs, bn, "_" #a_mn #b_mn #promote, a_mn, b_mn, promote,                         \
             (a_mn) || (b_mn) || (promote) ? GEMM_RARE : GEMM_COMMON)
#define GEMM_WIDTH(kind, wgs, bn) TILE_ROW(kind, wgs, bn, "_000", false, false, false, GEMM_WIDTHS)
#define GEMM_PINGPONG(kind, slabs, bn) TURN_ROW(kind, slabs, bn, "", false, false, GEMM_COMMON)
#define GEMM_PINGPONG_WIDTH(kind, slabs, bn)                                                       \
    TURN_ROW(kind, slabs, bn, "", false, false, GEMM_WIDTHS)
#define GEMM_PINGPONG_MAJORS(kind, slabs, bn, a_mn, b_mn)                                          \
    TURN_ROW(kind, slabs, bn, "_" #a_mn #b_mn, a_mn, b_mn, GEMM_RARE)
#define GEMM_EPILOGUE(kind, wgs, bn)                                                               \
    TILE_ROW(kind, wgs, bn, "_epilogue", false, false, false, GEMM_FINISHED)
#define GEMM_EPILOGUE_PINGPONG(kind, slabs, bn)                                                    \
    TURN_ROW(kind, slabs, bn, "_epilogue", false, false, GEMM_FINISHED)
#define GEMM_GATED(kind, wgs, bn)                                                                  \
    TILE_ROW(kind, wgs, bn, "_gated", false, false, false, GEMM_IMAGE_GATED)
#define GEMM_GATED_PINGPONG(kind, slabs, bn)                                                       \
    TURN_ROW(kind, slabs, bn, "_gated", false, false, GEMM_IMAGE_GATED)
#define GEMM_SCALED(kind, wgs, bn)                                                                 \
    TILE_ROW(kind, wgs, bn, "_blocks", false, false, true, GEMM_BLOCKS)
#define GEMM_HIGH_TILE(kind, wgs, bn, promote)                                                     \
    TILE_ROW(kind, wgs, bn, "_00" #promote, false, false, promote, GEMM_HIGH)
#define GEMM_EARLY_TILE(kind, wgs, bn)                                                             \
    TILE_ROW(kind, wgs, bn, "_early", false, false, false, GEMM_EARLY)
#define GEMM_QUICK_TILE(kind, wgs, bn)                                                             \
    TILE_ROW(kind, wgs, bn, "_quick", false, false, false, GEMM_QUICK)
#define GEMM_QUICK_PINGPONG(kind, slabs, bn)                                                       \
    TURN_ROW(kind, slabs, bn, "_quick", false, false, GEMM_QUICK)
#define GEMM_EPILOGUE_MAJORS(kind, wgs, bn, a_mn, b_mn)                                            \
    TILE_ROW(kind, wgs, bn, "_epilogue_" #a_mn #b_mn, a_mn, b_mn, false, GEMM_FINISHED_BY_ROWS)
#define GEMM_EPILOGUE_PINGPONG_MAJORS(kind, slabs, bn, a_mn, b_mn)                                 \
    TURN_ROW(kind, slabs, bn, "_epilogue_" #a_mn #b_mn, a_mn, b_mn, GEMM_FINISHED_BY_ROWS)
#define GEMM_QUICK_MAJORS(kind, wgs, bn, a_mn, b_mn)                                               \
    TILE_ROW(kind, wgs, bn, "_quick_" #a_mn #b_mn, a_mn, b_mn, false, GEMM_QUICK_BY_ROWS)
#define GEMM_QUICK_PINGPONG_MAJORS(kind, slabs, bn, a_mn, b_mn)                                    \
    TURN_ROW(kind, slabs, bn, "_quick_" #a_mn #b_mn, a_mn, b_mn, GEMM_QUICK_BY_ROWS)
#define GEMM_GATED_MAJORS(kind, wgs, bn)                                                           \
    TILE_ROW(kind, wgs, bn, "_gated_01", false, true, false, GEMM_GATED_BY_ROWS)
#define GEMM_GATED_PINGPONG_MAJORS(kind, slabs, bn)                                                \
    TURN_ROW(kind, slabs, bn, "_gated_01", false, true, GEMM_GATED_BY_ROWS)
#define CONV_ROW(name, kind, wgs, bn, data, pingpong)                                              \
    ROW(name, kind, wgs, bn, false, data, false, pingpong, GEMM_CONV)
#define GEMM_CONV(kind, wgs, bn, data)                                                             \
    CONV_ROW("conv_" #kind "_" #wgs "x" #bn "_" #data, kind, wgs, bn, data, false)
#define GEMM_CONV_PINGPONG(kind, slabs, bn, data)                                                  \
    CONV_ROW("conv_" #kind "_pingpong_" #slabs "x" #bn "_" #data, kind, slabs, bn, data, true)
#define PATCH_ROW(NAME, K, W, N, DATA, PINGPONG, CHANNELS)                                         \
    {.name = NAME,                                                                                 \
     .family = GEMM_SM90,                                                                          \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1,                                                                                    \
     .b_mn = DATA,                                                                                 \
     .pingpong = PINGPONG,                                                                         \
     .image = GEMM_CONV,                                                                           \
     .few = CHANNELS,                                                                              \
     .patch = true},
#define GEMM_CONV_PATCH(kind, wgs, bn, data)                                                       \
    PATCH_ROW("conv_" #kind "_" #wgs "x" #bn "_" #data "_patch", kind, wgs, bn, data, false, 0)
#define GEMM_CONV_PATCH_PINGPONG(kind, slabs, bn, data)                                            \
    PATCH_ROW("conv_" #kind "_pingpong_" #slabs "x" #bn "_" #data "_patch", kind, slabs, bn, data, \
              true, 0)
#define GEMM_CONV_PATCH_FEW(kind, wgs, bn, channels)                                               \
    PATCH_ROW("conv_" #kind "_" #wgs "x" #bn "_of_" #channels "_patch", kind, wgs, bn, false,      \
              false, channels)
#define GEMM_CONV_PATCH_FEW_PINGPONG(kind, slabs, bn, channels)                                    \
    PATCH_ROW("conv_" #kind "_pingpong_" #slabs "x" #bn "_of_" #channels "_patch", kind, slabs,    \
              bn, false, true, channels)
#define GEMM_CONV_FEW(K, W, N, channels)                                                           \
    {.name = "conv_" #K "_" #W "x" #N "_of_" #channels,                                            \
     .family = GEMM_SM90,                                                                          \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1,                                                                                    \
     .image = GEMM_CONV,                                                                           \
     .few = channels},
const struct gemm_instance gemm_instances[] = {
#include "kernels/gemm/sm90/instances.def"
#define GEMM_TENSOR(K, code, C, N, A, B)                                                           \
    {.name = "tensor_" #code "_" #C "x" #N "_" #A #B,                                              \
     .family = GEMM_SM100,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .bn = N,                                                                                      \
     .ctas = C,                                                                                    \
     .a_mn = A,                                                                                    \
     .b_mn = B},
#define GEMM_TENSOR_EPILOGUE(K, code, C, N)                                                        \
    {.name = "tensor_" #code "_" #C "x" #N "_epilogue",                                            \
     .family = GEMM_SM100,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .bn = N,                                                                                      \
     .ctas = C,                                                                                    \
     .image = GEMM_FINISHED},
#define GEMM_TENSOR_GATED(K, code, C, N)                                                           \
    {.name = "tensor_" #code "_" #C "x" #N "_gated",                                               \
     .family = GEMM_SM100,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .bn = N,                                                                                      \
     .ctas = C,                                                                                    \
     .image = GEMM_IMAGE_GATED},
#include "kernels/gemm/sm100/instances.def"
#define GEMM_TENSOR_DYNAMIC(K, code, C, N)                                                         \
    {.name = "tensor_dynamic_" #code "_" #C "x" #N,                                                \
     .family = GEMM_SM100,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .bn = N,                                                                                      \
     .ctas = C,                                                                                    \
     .image = GEMM_RARE},
#include "kernels/gemm/sm100/dynamic.def"
#define GEMM_WARPS(K, W, N)                                                                        \
    {.name = "warps_" #K "_" #W "x" #N,                                                            \
     .family = GEMM_SM120,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1},
#define GEMM_WARPS_EPILOGUE(K, W, N)                                                               \
    {.name = "warps_" #K "_" #W "x" #N "_epilogue",                                                \
     .family = GEMM_SM120,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1,                                                                                    \
     .image = GEMM_FINISHED},
#define GEMM_WARPS_GATED(K, W, N)                                                                  \
    {.name = "warps_" #K "_" #W "x" #N "_gated",                                                   \
     .family = GEMM_SM120,                                                                         \
     .kind = GEMM_KIND_##K,                                                                        \
     .wgs = W,                                                                                     \
     .bn = N,                                                                                      \
     .ctas = 1,                                                                                    \
     .image = GEMM_IMAGE_GATED},
#include "kernels/gemm/sm120/instances.def"
};
const size_t gemm_instance_count = sizeof gemm_instances / sizeof gemm_instances[0];
_Static_assert(sizeof gemm_instances / sizeof gemm_instances[0] <= GEMM_MAX_INSTANCES,
               "every instance needs its slot");

/* Of a kind after Hopper: one image has its kernels with an epilogue, gates among them. */
#define LATER(plain, rare, finished)                                                               \
    {                                                                                              \
        [GEMM_COMMON] = plain, [GEMM_RARE] = rare, [GEMM_FINISHED] = finished,                     \
        [GEMM_IMAGE_GATED] = finished                                                              \
    }

/* The images of each kind, by enum gemm_image. */
static const char *const images[GEMM_FAMILIES][GEMM_KINDS][GEMM_IMAGES] = {
    {
        [GEMM_BF16] = {"gemm/sm90/bf16", "gemm/sm90/bf16_majors", "gemm/sm90/bf16_widths",
                       "gemm/sm90/bf16_epilogue", NULL, "gemm/sm90/bf16_conv",
                       "gemm/sm90/bf16_gated", "gemm/sm90/bf16_high", "gemm/sm90/bf16_early",
                       "gemm/sm90/bf16_quick", "gemm/sm90/bf16_epilogue_majors",
                       "gemm/sm90/bf16_gated_majors", "gemm/sm90/bf16_quick_majors"},
        [GEMM_F16] = {"gemm/sm90/f16", "gemm/sm90/f16_majors", "gemm/sm90/f16_widths",
                      "gemm/sm90/f16_epilogue", NULL, NULL, "gemm/sm90/f16_gated",
                      "gemm/sm90/f16_high", "gemm/sm90/f16_early", "gemm/sm90/f16_quick",
                      "gemm/sm90/f16_epilogue_majors", "gemm/sm90/f16_gated_majors",
                      "gemm/sm90/f16_quick_majors"},
        [GEMM_TF32] = {"gemm/sm90/tf32", NULL, NULL},
        [GEMM_E4M3] = {"gemm/sm90/e4m3", "gemm/sm90/e4m3_promoted", "gemm/sm90/e4m3_widths",
                       "gemm/sm90/e4m3_epilogue", "gemm/sm90/e4m3_blocks", NULL,
                       "gemm/sm90/e4m3_gated", "gemm/sm90/e4m3_high"},
        [GEMM_E5M2] = {"gemm/sm90/e5m2", "gemm/sm90/e5m2_promoted", "gemm/sm90/e5m2_widths", NULL,
                       NULL, NULL, NULL, "gemm/sm90/e5m2_high"},
        [GEMM_S8] = {"gemm/sm90/s8", NULL, "gemm/sm90/s8_widths"},
    },
    {
        [GEMM_BF16] = LATER("gemm/sm100/f16", "gemm/sm100/dynamic", "gemm/sm100/f16_epilogue"),
        [GEMM_F16] = LATER("gemm/sm100/f16", "gemm/sm100/dynamic", "gemm/sm100/f16_epilogue"),
        [GEMM_TF32] = {"gemm/sm100/tf32", NULL, NULL},
        [GEMM_E4M3] = LATER("gemm/sm100/f8f6f4", NULL, "gemm/sm100/f8f6f4_epilogue"),
        [GEMM_E5M2] = LATER("gemm/sm100/f8f6f4", NULL, "gemm/sm100/f8f6f4_epilogue"),
        [GEMM_S8] = {"gemm/sm100/i8", NULL, NULL},
        [GEMM_E4M3_E5M2] = LATER("gemm/sm100/f8f6f4", NULL, "gemm/sm100/f8f6f4_epilogue"),
        [GEMM_E5M2_E4M3] = LATER("gemm/sm100/f8f6f4", NULL, "gemm/sm100/f8f6f4_epilogue"),
        [GEMM_MXF8] = LATER("gemm/sm100/mxf8f6f4", NULL, "gemm/sm100/mx_epilogue"),
        [GEMM_MXF8_E4M3_E5M2] = LATER("gemm/sm100/mxf8f6f4", NULL, "gemm/sm100/mx_epilogue"),
        [GEMM_MXF8_E5M2_E4M3] = LATER("gemm/sm100/mxf8f6f4", NULL, "gemm/sm100/mx_epilogue"),
        [GEMM_MXF4] = LATER("gemm/sm100/mxf4", NULL, "gemm/sm100/mx_epilogue"),
        [GEMM_NVF4] = LATER("gemm/sm100/mxf4", NULL, "gemm/sm100/mx_epilogue"),
    },
    {
        [GEMM_BF16] = LATER("gemm/sm120/bf16", NULL, "gemm/sm120/bf16_epilogue"),
        [GEMM_F16] = LATER("gemm/sm120/f16", NULL, "gemm/sm120/f16_epilogue"),
        [GEMM_TF32] = {"gemm/sm120/tf32", NULL, NULL},
        [GEMM_E4M3] = LATER("gemm/sm120/e4m3", NULL, "gemm/sm120/e4m3_epilogue"),
        [GEMM_E5M2] = LATER("gemm/sm120/e5m2", NULL, "gemm/sm120/e5m2_epilogue"),
        [GEMM_S8] = {"gemm/sm120/s8", NULL, NULL},
        [GEMM_E4M3_E5M2] = LATER("gemm/sm120/e4m3e5m2", NULL, "gemm/sm120/e4m3e5m2_epilogue"),
        [GEMM_E5M2_E4M3] = {"gemm/sm120/e4m3e5m2", NULL, NULL},
        [GEMM_MXF8] = LATER("gemm/sm120/mxf8", NULL, "gemm/sm120/mx_epilogue"),
        [GEMM_MXF8_E4M3_E5M2] = LATER("gemm/sm120/mxf8", NULL, "gemm/sm120/mx_epilogue"),
        [GEMM_MXF8_E5M2_E4M3] = LATER("gemm/sm120/mxf8", NULL, "gemm/sm120/mx_epilogue"),
        [GEMM_MXF4] = LATER("gemm/sm120/mxf4", NULL, "gemm/sm120/mx_epilogue"),
        [GEMM_NVF4] = LATER("gemm/sm120/nvf4", NULL, "gemm/sm120/mx_epilogue"),
    }};

bool gemm_has_kind(enum gemm_family family, int32_t kind)
{
    return images[family][kind][GEMM_COMMON] != NULL;
}

struct tmap_code_embedded gemm_image_of(enum gemm_family family, int32_t kind, int32_t part)
{
    static const struct tmap_code_embedded none;
    const char *name = images[family][kind][part];
    return name ? kernel_image(name) : none;
}

bool gemm_family_of(int cc_major, int cc_minor, enum gemm_family *family, const char **why)
{
    static const struct {
        int major, minor;
        enum gemm_family family;
    } chips[] = {{9, 0, GEMM_SM90},   {10, 0, GEMM_SM100}, {10, 3, GEMM_SM100},
                 {11, 0, GEMM_SM100}, {12, 0, GEMM_SM120}, {12, 1, GEMM_SM120}};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (chips[i].major == cc_major && chips[i].minor == cc_minor)
            return *family = chips[i].family, true;
    *why = "the GEMM kernels are for compute capability 9.0, 10.0, 10.3, 11.0, 12.0 and 12.1 only";
    return false;
}

enum tmap_status gemm_module(struct tmap_gemm *suite, const char *name, tmap_cu_module *module)
{
    if (*module) return TMAP_OK;
    const struct tmap_code_embedded image = kernel_image(name);
    if (image.size == 0) return TMAP_E_NOT_BUILT;
    return suite->gpu.api.module_load_data(module, image.data) ? TMAP_E_DRIVER : TMAP_OK;
}

size_t tmap_gemm_workspace_bytes(const struct tmap_gemm *suite)
{
    if (!suite) return 0;
    return GEMM_FLAG_BYTES + (size_t)suite->gpu.sm_count * GEMM_PART_BYTES;
}

static enum tmap_status ready_workspaces(struct tmap_gemm *suite)
{
    suite->workspaces = malloc(sizeof *suite->workspaces);
    if (!suite->workspaces) return TMAP_E_MEMORY;
    return stream_memory_init(suite->workspaces, tmap_gemm_workspace_bytes(suite), GEMM_FLAG_BYTES)
               ? TMAP_OK
               : TMAP_E_MEMORY;
}

_Static_assert(offsetof(struct tmap_gemm, gpu) == 0, "suite_open()");

static enum tmap_status prepare(void *opened, uint32_t limit_ms, char *why, size_t cap)
{
    struct tmap_gemm *suite = opened;
    const char *reason = "";
    suite->limit_ms = limit_ms;
    if (!gemm_family_of(suite->gpu.cc_major, suite->gpu.cc_minor, &suite->family, &reason)) {
        suite_explain(why, cap, reason);
        return TMAP_E_NO_DEVICE;
    }
    if (gemm_image_of(suite->family, GEMM_BF16, GEMM_COMMON).size == 0) {
        suite_explain(why, cap,
                      "no kernels for this device: the library of its family is not beside "
                      "libtmap-cuda");
        return TMAP_E_NOT_BUILT;
    }
    enum tmap_status status = suite_checker(&suite->gpu, &suite->checker, &suite->smem_optin_bytes);
    if (status == TMAP_OK) status = suite_mailbox_open(&suite->gpu.api, &suite->mailbox);
    if (status == TMAP_OK) status = ready_workspaces(suite);
    return status;
}

static void unload(struct tmap_gemm *suite)
{
    const struct tmap_libcuda *api = &suite->gpu.api;
    for (int i = 0; i < GEMM_KINDS * GEMM_IMAGES; i++) {
        tmap_cu_module module = suite->modules[i / GEMM_IMAGES][i % GEMM_IMAGES];
        if (module) api->module_unload(module);
    }
    if (suite->probe) api->module_unload(suite->probe);
    for (int i = 0; i < GEMM_IMAGES; i++)
        if (suite->group[i]) api->module_unload(suite->group[i]);
    for (int i = 0; i < 2; i++)
        if (suite->mixed[i]) api->module_unload(suite->mixed[i]);
}

static void release(void *opened, bool current)
{
    struct tmap_gemm *suite = opened;
    const struct tmap_libcuda *api = &suite->gpu.api;
    if (current) {
        unload(suite);
        if (suite->workspaces) stream_memory_free(suite->workspaces, api);
        suite_mailbox_close(api, &suite->mailbox);
    }
    free(suite->workspaces);
}

static const struct suite_kind suite_kind = {"gemm/sm90/bf16", sizeof(struct tmap_gemm), prepare,
                                             release};

enum tmap_status tmap_gemm_open(const struct tmap_open *how, struct tmap_gemm **out, char *why,
                                size_t cap)
{
    void *made;
    if (!out) return TMAP_E_ARGUMENT;
    const enum tmap_status status = suite_open(&suite_kind, how, &made, why, cap);
    if (status == TMAP_OK) *out = made;
    return status;
}

void tmap_gemm_close(struct tmap_gemm *suite)
{
    suite_close(&suite_kind, suite);
}

enum tmap_status gemm_function(struct tmap_gemm *suite, const struct gemm_instance *instance,
                               tmap_cu_function *out)
{
    tmap_cu_function *slot = &suite->functions[instance - gemm_instances];
    tmap_cu_module *module = &suite->modules[instance->kind][instance->image];
    if (!*slot) {
        enum tmap_status status =
            gemm_module(suite, images[instance->family][instance->kind][instance->image], module);
        if (status == TMAP_OK)
            status = suite_kernel(&suite->gpu.api, *module, instance->name, suite->smem_optin_bytes,
                                  slot);
        suite->absent[instance->kind][instance->image] = status == TMAP_E_NOT_BUILT;
        if (status != TMAP_OK) return status;
    }
    *out = *slot;
    return TMAP_OK;
}

enum tmap_status gemm_ask_residents(struct tmap_gemm *suite, int32_t kind)
{
    const struct gemm_instance *instance = gemm_instances, *end = instance + gemm_instance_count;
    tmap_cu_function function;
    if (suite->resident[1]) return TMAP_OK;
    while (instance < end &&
           (instance->family != suite->family || instance->image != 0 ||
            (instance->kind != kind && instance->kind != gemm_exchanged_kind(kind))))
        instance++;
    if (instance == end) return TMAP_OK; /* none of the kind: no plan, whatever is resident */
    enum tmap_status status = gemm_function(suite, instance, &function);
    if (status != TMAP_OK) return status;
    for (uint32_t size = 1; size <= GEMM_MAX_CLUSTER; size++) {
        struct tmap_cu_launch_attr cluster = {.id = TMAP_CU_LAUNCH_CLUSTER};
        cluster.value.cluster.x = size;
        cluster.value.cluster.y = cluster.value.cluster.z = 1;
        struct tmap_cu_launch launch = {.grid_x = size,
                                        .grid_y = 1,
                                        .grid_z = 1,
                                        .block_x = gemm_threads(instance),
                                        .block_y = 1,
                                        .block_z = 1,
                                        .smem_bytes = suite->smem_optin_bytes,
                                        .attrs = &cluster,
                                        .attr_count = 1};
        int count = 0;
        if (suite->gpu.api.occupancy_max_active_clusters(&count, function, &launch))
            return TMAP_E_DRIVER;
        suite->resident[size] = count;
    }
    return TMAP_OK;
}

struct tmap_gemm_report tmap_gemm_last_report(const struct tmap_gemm *suite)
{
    if (!suite || !suite->mailbox.words) return (struct tmap_gemm_report){0};
    const volatile uint32_t *box = suite->mailbox.words;
    struct tmap_gemm_report report = {box[0], box[1], box[2], box[3], box[4], box[5]};
    return report;
}

const char *tmap_gemm_barrier_name(uint32_t barrier)
{
    switch (barrier) {
    case GEMM_FULL:
        return "full";
    case GEMM_EMPTY:
        return "empty";
    case GEMM_DRAIN:
        return "drain";
    case GEMM_PART:
        return "part";
    case GEMM_TURN:
        return "turn";
    case GEMM_ANSWER:
        return "answer";
    default:
        return NULL;
    }
}
