/* inject.h : the parts of libtmap-trace.so. It runs inside somebody else's process: it keeps to
 * itself, allocates nothing, and does nothing but copy arguments into a pipe. */
#ifndef TMAP_DRIVER_INJECT_INJECT_H
#define TMAP_DRIVER_INJECT_INJECT_H

#include "driver/inject/wire.h"

/* sink.c : the way out. */
void sink_send(struct trace_record *record);
void sink_hello(enum trace_how how, int cupti_result);

/* mode.c : whether CUPTI reports the calls of this process. */
bool cupti_is_on(void);
void cupti_now_on(bool is);
enum trace_how mode_wanted(void); /* TRACE_BY_NOTHING: either */

/* What every kind of call begins with. */
#define ENCODE_HEAD                                                                                \
    void *map;                                                                                     \
    int dtype;                                                                                     \
    uint32_t rank;                                                                                 \
    void *address;                                                                                 \
    const uint64_t *dim, *stride;

/* capture.c : arguments into a record; pointers may be anything the caller passed. */
struct encode_call {
    ENCODE_HEAD
    const uint32_t *box, *elem_stride;
    const int *lower, *upper;
    int lower_width, upper_width;
    uint32_t channels, pixels;
    int interleave, mode, swizzle, l2_promotion, oob_fill;
};
void capture_encode(enum trace_how how, int kind, const struct encode_call *call, int result);
void capture_replace(enum trace_how how, void *map, void *address, int result);

/* The driver's argument lists in its order, as CUPTI hands them over (generated_cuda_meta.h). */
struct tiled_params {
    ENCODE_HEAD
    const uint32_t *box, *elem_stride;
    int interleave, swizzle, l2_promotion, oob_fill;
};
struct im2col_params {
    ENCODE_HEAD
    const int *lower, *upper;
    uint32_t channels, pixels;
    const uint32_t *elem_stride;
    int interleave, swizzle, l2_promotion, oob_fill;
};
struct wide_params {
    ENCODE_HEAD
    int lower_width, upper_width;
    uint32_t channels, pixels;
    const uint32_t *elem_stride;
    int interleave, mode, swizzle, l2_promotion, oob_fill;
};
struct replace_params {
    void *map, *address;
};
void capture_tiled(enum trace_how how, const struct tiled_params *p, int result);
void capture_im2col(enum trace_how how, const struct im2col_params *p, int result);
void capture_wide(enum trace_how how, const struct wide_params *p, int result);

#endif
