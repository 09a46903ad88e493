/* doctor.c : what this machine has, and one proof that tensor copies work on it. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/compare.h"
#include "driver/doctor_ptx.h"
#include "driver/driver.h"
#include "driver/generate.h"

#define COMPARED 1000
#define SENTINEL UINT32_C(0xdeadbeef)
#define TENSOR_COLUMNS 100
#define TENSOR_ROWS 50
#define TENSOR_WORDS (TENSOR_COLUMNS * TENSOR_ROWS)
#define BOX_WORDS (DOCTOR_COLUMNS * DOCTOR_ROWS)

struct findings {
    struct tmap_finding *out;
    size_t cap, count;
};

__attribute__((format(printf, 6, 7))) static void add(struct findings *f, const char *what,
                                                      enum tmap_health health, bool needed,
                                                      const char *help, const char *text, ...)
{
    struct tmap_finding finding = {.what = what, .health = health, .needed = needed};
    va_list args;
    va_start(args, text);
    vsnprintf(finding.text, sizeof finding.text, text, args);
    va_end(args);
    snprintf(finding.help, sizeof finding.help, "%s", help);
    if (f->count < f->cap) f->out[f->count] = finding;
    f->count++;
}

/* --- the toolkit -------------------------------------------------------------------------------*/

/* "#define CUDA_VERSION 13000" in a toolkit's cuda.h; 0 when there is none. */
static int version_in(const char *directory)
{
    char path[512], line[256];
    int version = 0;
    snprintf(path, sizeof path, "%.480s/include/cuda.h", directory);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (version == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "#define CUDA_VERSION %d", &version) != 1) version = 0;
    fclose(file);
    return version;
}

static void look_for_toolkit(struct findings *f)
{
    const char *homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
                           "/usr/lib/cuda", "/usr"};
    char nvcc[512];
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) {
        const int version = homes[i] ? version_in(homes[i]) : 0;
        if (!version) continue;
        snprintf(nvcc, sizeof nvcc, "%.480s/bin/nvcc", homes[i]);
        add(f, "toolkit", TMAP_HEALTHY, false, "", "CUDA %d.%d in %s, %s", version / 1000,
            version % 1000 / 10, homes[i], access(nvcc, X_OK) == 0 ? "nvcc" : "no nvcc");
        return;
    }
    add(f, "toolkit", TMAP_ABSENT, false,
        "only the kernels are built with it: https://developer.nvidia.com/cuda-downloads",
        "no CUDA toolkit in CUDA_HOME or /usr/local/cuda");
}

static void look_for_cupti(struct findings *f)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                        "/usr/local/cuda/lib64/libcupti.so",
                                        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        add(f, "CUPTI", TMAP_HEALTHY, false, "", "%s: tmap trace can use it", names[i]);
        dlclose(library);
        return;
    }
    add(f, "CUPTI", TMAP_ABSENT, false, "it comes with the toolkit, and as nvidia-cuda-cupti",
        "no libcupti: tmap trace interposes dlsym and cuGetProcAddress instead");
}

/* --- the driver and the GPU --------------------------------------------------------------------*/

static void look_at_gpu(struct findings *f, const struct tmap_driver *d)
{
    const struct tmap_gpu *g = &d->gpu;
    uint32_t expected = 0;
    int per_sm = 0, reserved = 0;
    add(f, "driver", TMAP_HEALTHY, true, "", "%s, CUDA %d.%d%s",
        d->version[0] ? d->version : "of a version that it does not say", g->cuda_version / 1000,
        g->cuda_version % 1000 / 10,
        g->api.tensor_map_encode_im2col_wide ? ", with the im2col wide call" : "");
    add(f, "GPU", TMAP_HEALTHY, true, "", "%s, compute capability %d.%d, %d SMs, number %d of %d",
        g->name, g->cc_major, g->cc_minor, g->sm_count, g->ordinal, g->count);
    g->api.device_get_attribute(&per_sm, TMAP_CU_ATTR_SMEM_PER_SM, g->device);
    g->api.device_get_attribute(&reserved, TMAP_CU_ATTR_SMEM_RESERVED, g->device);
    tmap_capacity(d->target.arch, &expected, NULL);
    const bool same = expected == (uint32_t)g->smem_optin_bytes;
    add(f, "shared memory", same ? TMAP_HEALTHY : TMAP_BROKEN, false,
        same ? "" : "src/rules/targets.def has another figure for this architecture",
        "%d bytes a block may opt in to, %d an SM, %d reserved a block", g->smem_optin_bytes,
        per_sm, reserved);
}

static void compare_calls(struct findings *f, const struct tmap_driver *d)
{
    struct rng rng = rng_of(1, 0);
    int compared = 0, differ = 0, accepted = 0;
    for (int i = 0; i < COMPARED; i++) {
        struct tmap_desc desc;
        struct comparison c;
        const int kind = d->gpu.api.tensor_map_encode_im2col_wide ? i % 3 : i % 2;
        if (!generate_legal(&d->checker, &rng, kind, &desc)) continue;
        if (i % 4 == 0) desc.address += 8;
        differ += compare(&d->gpu.api, &d->checker, &desc, 0xa5, &c) != AGREE;
        accepted += c.driver.code == TMAP_CU_SUCCESS;
        compared++;
    }
    const bool fine = differ == 0 && accepted > 0;
    add(f, "encode", fine ? TMAP_HEALTHY : TMAP_BROKEN, true,
        fine ? "" : "tmap oracle run shows where this driver differs",
        "%d descriptors through the driver and through tmap, %d accepted, %d differ", compared,
        accepted, differ);
}

/* --- the copy ----------------------------------------------------------------------------------*/

struct copy {
    const struct tmap_libcuda *api;
    tmap_cu_module module;
    tmap_cu_deviceptr tensor, box;
    uint32_t words[TENSOR_WORDS];
    const char *call; /* the last one made */
};

/* A box that hangs over the tensor's last column and row: zeros there. */
static const int box_x = TENSOR_COLUMNS - DOCTOR_COLUMNS / 2, box_y = TENSOR_ROWS - DOCTOR_ROWS / 2;

static int stage(struct copy *c)
{
    int code;
    for (uint32_t i = 0; i < TENSOR_WORDS; i++) c->words[i] = i * 2654435761u;
    c->call = "cuModuleLoadData";
    if ((code = c->api->module_load_data(&c->module, doctor_ptx))) return code;
    c->call = "cuMemAlloc";
    if ((code = c->api->mem_alloc(&c->tensor, sizeof c->words))) return code;
    if ((code = c->api->mem_alloc(&c->box, BOX_WORDS * 4))) return code;
    c->call = "cuMemcpyHtoD";
    if ((code = c->api->memcpy_htod(c->tensor, c->words, sizeof c->words))) return code;
    c->call = "cuMemsetD8Async";
    return c->api->memset_d8_async(c->box, SENTINEL & 0xff, BOX_WORDS * 4, NULL);
}

static int launch(struct copy *c)
{
    _Alignas(128) struct tmap_map map;
    const uint64_t dim[2] = {TENSOR_COLUMNS, TENSOR_ROWS}, stride[1] = {TENSOR_COLUMNS * 4};
    const uint32_t box[2] = {DOCTOR_COLUMNS, DOCTOR_ROWS}, ones[2] = {1, 1};
    int x = box_x, y = box_y;
    void *params[] = {&map, &c->box, &x, &y};
    tmap_cu_function function;
    int code;
    c->call = "cuModuleGetFunction";
    if ((code = c->api->module_get_function(&function, c->module, "tmap_doctor"))) return code;
    c->call = "cuTensorMapEncodeTiled";
    if ((code = c->api->tensor_map_encode_tiled(&map, TMAP_UINT32, 2, (void *)(uintptr_t)c->tensor,
                                                dim, stride, box, ones, 0, 0, 0, 0)))
        return code;
    c->call = "cuLaunchKernelEx";
    const struct tmap_launch what = {.function = function, .grid = 1, .threads = DOCTOR_COLUMNS};
    if ((code = tmap_libcuda_launch(c->api, &what, params, NULL))) return code;
    c->call = "cuCtxSynchronize";
    return c->api->ctx_synchronize();
}

/* How many words are not what the tensor has there, zero outside it. */
static int count_wrong(struct copy *c, int *code)
{
    uint32_t got[BOX_WORDS];
    int wrong = 0;
    c->call = "cuMemcpyDtoH";
    *code = c->api->memcpy_dtoh(got, c->box, sizeof got);
    for (int i = 0; i < BOX_WORDS; i++) {
        const int x = box_x + i % DOCTOR_COLUMNS, y = box_y + i / DOCTOR_COLUMNS;
        const bool inside = x < TENSOR_COLUMNS && y < TENSOR_ROWS;
        wrong += got[i] != (inside ? c->words[y * TENSOR_COLUMNS + x] : 0);
    }
    return wrong;
}

static bool run_copy(struct findings *f, const struct tmap_driver *d)
{
    struct copy c = {.api = &d->gpu.api};
    char buffer[32];
    int wrong = 0, code = stage(&c);
    if (!code) code = launch(&c);
    if (!code) wrong = count_wrong(&c, &code);
    if (c.module) c.api->module_unload(c.module);
    if (c.tensor) c.api->mem_free(c.tensor);
    if (c.box) c.api->mem_free(c.box);
    const bool fine = code == TMAP_CU_SUCCESS && wrong == 0;
    if (code)
        add(f, "tensor copy", TMAP_BROKEN, true,
            "another process or an earlier fault may hold the GPU", "%s answered %s", c.call,
            tmap_libcuda_error(c.api, code, buffer, sizeof buffer));
    else
        add(f, "tensor copy", fine ? TMAP_HEALTHY : TMAP_BROKEN, true,
            fine ? "" : "the copy engine wrote something else: please report this",
            "a box of %d x %d words over the tensor's corner, %d words wrong", DOCTOR_COLUMNS,
            DOCTOR_ROWS, wrong);
    return fine;
}

static const char *how_to_get(enum tmap_status status)
{
    if (status == TMAP_E_NO_DRIVER)
        return "install NVIDIA's driver, branch 525 or later, or run where it is";
    if (status == TMAP_E_NO_DEVICE)
        return "a Hopper or Blackwell GPU, visible to this process (CUDA_VISIBLE_DEVICES, the "
               "container's --gpus)";
    return "nvidia-smi, and the system's log, say more";
}

enum tmap_status tmap_doctor(const char *path, int ordinal, struct tmap_finding *out, size_t cap,
                             size_t *found, bool *usable)
{
    struct findings f = {out, cap, 0};
    struct tmap_driver *driver;
    char why[TMAP_DRIVER_TEXT] = "";
    bool copied = false;
    if ((!out && cap) || !found || !usable) return TMAP_E_ARGUMENT;
    look_for_toolkit(&f);
    const enum tmap_status status = tmap_driver_open(path, ordinal, &driver, why);
    if (status == TMAP_OK) {
        look_at_gpu(&f, driver);
        compare_calls(&f, driver);
        copied = run_copy(&f, driver);
        tmap_driver_close(driver);
    } else {
        add(&f, status == TMAP_E_NO_DEVICE ? "GPU" : "driver",
            status == TMAP_E_DRIVER ? TMAP_BROKEN : TMAP_ABSENT, true, how_to_get(status), "%s",
            why);
    }
    look_for_cupti(&f);
    *found = f.count;
    *usable = copied;
    return TMAP_OK;
}
