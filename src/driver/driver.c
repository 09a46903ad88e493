/* driver.c : opening a driver, and encode calls that explain their refusals. */
#include "driver/arguments.h"
#include "driver/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/call.h"
#include "driver/slot.h"

enum tmap_status tmap_driver_open(const char *path, int ordinal, struct tmap_driver **out,
                                  char why[TMAP_DRIVER_TEXT])
{
    char unread[TMAP_DRIVER_TEXT];
    if (!out) return TMAP_E_ARGUMENT;
    *out = NULL;
    struct tmap_driver *driver = calloc(1, sizeof *driver);
    if (!driver) return TMAP_E_MEMORY;
    enum tmap_status status =
        tmap_gpu_open(path, ordinal, &driver->gpu, why ? why : unread, TMAP_DRIVER_TEXT);
    if (status != TMAP_OK) {
        free(driver);
        return status;
    }
    driver_version_text(driver->version, sizeof driver->version);
    driver->target = driver_target(&driver->gpu, driver->version);
    tmap_checker_prepare(&driver->target, TMAP_CONTRACT_DRIVER, &driver->checker);
    *out = driver;
    return TMAP_OK;
}

void tmap_driver_close(struct tmap_driver *driver)
{
    if (!driver) return;
    tmap_gpu_close(&driver->gpu);
    free(driver);
}

void tmap_driver_describe(const struct tmap_driver *driver, struct tmap_driver_info *out)
{
    *out = (struct tmap_driver_info){
        .target = driver->target,
        .gpu = driver->gpu.name,
        .version = driver->version,
        .cuda_version = driver->gpu.cuda_version,
        .cc_major = driver->gpu.cc_major,
        .cc_minor = driver->gpu.cc_minor,
        .has_im2col_wide = driver->gpu.api.tensor_map_encode_im2col_wide != NULL,
    };
}

/* --- the report ------------------------------------------------------------------------------*/

struct text {
    char *out;
    size_t cap, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->out + t->used, t->cap - t->used, format, args);
    va_end(args);
    if (n > 0) t->used += (size_t)n;
    if (t->used >= t->cap) t->used = t->cap - 1;
}

static void say_rows(struct text *t, const struct tmap_driver *driver, const struct tmap_desc *desc,
                     const struct tmap_driver_report *report)
{
    for (size_t i = 0; i < report->found && i < TMAP_REPORT_VIOLATIONS; i++) {
        struct tmap_detail detail;
        const struct tmap_violation *v = &report->violations[i];
        if (tmap_detail_of(&driver->target, desc, NULL, v, &detail) != TMAP_OK) continue;
        say(t, "%s%s %s: %s", i ? "; " : ": ", tmap_row_id(v->row), tmap_row_name(v->row),
            detail.message);
    }
}

static void say_why(struct tmap_driver_report *report, const struct tmap_driver *driver,
                    const struct tmap_desc *desc)
{
    struct text t = {report->text, sizeof report->text, 0};
    if (report->result == CALL_NOT_ASKED) {
        say(&t, "not asked, since the driver would read past the arrays and end the process");
        say_rows(&t, driver, desc, report);
        return;
    }
    if (report->result == CALL_NO_FUNCTION) {
        say(&t, "this driver has no cuTensorMapEncodeIm2colWide: it came with CUDA 12.8");
        return;
    }
    if (report->result == TMAP_CU_NOT_INITIALIZED || report->result == TMAP_CU_INVALID_CONTEXT ||
        report->result == TMAP_CU_DEINITIALIZED)
        say(&t, "the driver answers %s: this thread has no current context", report->result_name);
    else if (report->verdict == TMAP_ILLEGAL)
        say(&t, "refused");
    else if (report->verdict == TMAP_LEGAL)
        say(&t,
            "the driver answers %s, but these arguments are legal: look elsewhere (an earlier "
            "asynchronous fault, the context)",
            report->result_name);
    else
        say(&t, "the driver answers %s; tmap does not know this target", report->result_name);
    if (report->verdict == TMAP_ILLEGAL) say_rows(&t, driver, desc, report);
}

static int finish(const struct tmap_driver *driver, const struct tmap_desc *desc, int result,
                  struct tmap_driver_report *report)
{
    static const char *const no_function = "no such function";
    if (!report) return result;
    memset(report, 0, sizeof *report);
    report->result = result;
    const char *name = NULL;
    if (result == CALL_NOT_ASKED) name = "not asked";
    if (result >= 0) driver->gpu.api.get_error_name(result, &name);
    report->result_name = name ? name : no_function;
    tmap_check_with(&driver->checker, desc, report->violations, TMAP_REPORT_VIOLATIONS,
                    &report->found, &report->verdict);
    if (result != TMAP_CU_SUCCESS) say_why(report, driver, desc);
    return result;
}

/* --- the calls -------------------------------------------------------------------------------*/

static size_t entries_of(uint32_t rank)
{
    return rank < TMAP_MAX_RANK ? rank : TMAP_MAX_RANK;
}

/* What every kind of call is given. */
#define ARGUMENTS_OF_ALL                                                                           \
    .dtype = dtype, .rank = rank, .flags = map ? 0 : TMAP_NULL_MAP,                                \
    .address = (uint64_t)(uintptr_t)address, .interleave = interleave, .swizzle = swizzle,         \
    .l2_promotion = l2_promotion, .oob_fill = oob_fill

int tmap_driver_encode_tiled(struct tmap_driver *driver, struct tmap_driver_report *report,
                             void *map, int dtype, uint32_t rank, void *address,
                             const uint64_t *dim, const uint64_t *stride_bytes, const uint32_t *box,
                             const uint32_t *elem_stride, int interleave, int swizzle,
                             int l2_promotion, int oob_fill)
{
    struct tmap_desc d = {.kind = TMAP_TILED, ARGUMENTS_OF_ALL};
    arguments_arrays(&d, entries_of(rank), dim, stride_bytes, box, elem_stride);
    if (!call_can_be_asked(&d)) return finish(driver, &d, CALL_NOT_ASKED, report);
    return finish(driver, &d,
                  driver->gpu.api.tensor_map_encode_tiled(
                      map, dtype, rank, address, dim, stride_bytes, box, elem_stride, interleave,
                      swizzle, l2_promotion, oob_fill),
                  report);
}

int tmap_driver_encode_im2col(struct tmap_driver *driver, struct tmap_driver_report *report,
                              void *map, int dtype, uint32_t rank, void *address,
                              const uint64_t *dim, const uint64_t *stride_bytes, const int *lower,
                              const int *upper, uint32_t channels, uint32_t pixels,
                              const uint32_t *elem_stride, int interleave, int swizzle,
                              int l2_promotion, int oob_fill)
{
    struct tmap_desc d = {
        .kind = TMAP_IM2COL, ARGUMENTS_OF_ALL, .channels = channels, .pixels = pixels};
    arguments_arrays(&d, entries_of(rank), dim, stride_bytes, NULL, elem_stride);
    arguments_corners(&d, entries_of(rank), lower, upper);
    if (!call_can_be_asked(&d)) return finish(driver, &d, CALL_NOT_ASKED, report);
    return finish(driver, &d,
                  driver->gpu.api.tensor_map_encode_im2col(
                      map, dtype, rank, address, dim, stride_bytes, lower, upper, channels, pixels,
                      elem_stride, interleave, swizzle, l2_promotion, oob_fill),
                  report);
}

int tmap_driver_encode_im2col_wide(struct tmap_driver *driver, struct tmap_driver_report *report,
                                   void *map, int dtype, uint32_t rank, void *address,
                                   const uint64_t *dim, const uint64_t *stride_bytes,
                                   int lower_width, int upper_width, uint32_t channels,
                                   uint32_t pixels, const uint32_t *elem_stride, int interleave,
                                   int mode, int swizzle, int l2_promotion, int oob_fill)
{
    struct tmap_desc d = {.kind = TMAP_IM2COL_WIDE,
                          ARGUMENTS_OF_ALL,
                          .lower = {lower_width},
                          .upper = {upper_width},
                          .channels = channels,
                          .pixels = pixels,
                          .mode = mode};
    arguments_arrays(&d, entries_of(rank), dim, stride_bytes, NULL, elem_stride);
    if (!call_can_be_asked(&d)) return finish(driver, &d, CALL_NOT_ASKED, report);
    if (!driver->gpu.api.tensor_map_encode_im2col_wide)
        return finish(driver, &d, CALL_NO_FUNCTION, report);
    return finish(driver, &d,
                  driver->gpu.api.tensor_map_encode_im2col_wide(
                      map, dtype, rank, address, dim, stride_bytes, lower_width, upper_width,
                      channels, pixels, elem_stride, interleave, mode, swizzle, l2_promotion,
                      oob_fill),
                  report);
}

int tmap_driver_encode(struct tmap_driver *driver, const struct tmap_desc *desc,
                       struct tmap_map *map)
{
    struct call_result result;
    call_encode(&driver->gpu.api, desc, 0, &result);
    if (result.code == TMAP_CU_SUCCESS) *map = result.map;
    return result.code;
}
