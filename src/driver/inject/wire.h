/* wire.h : what libtmap-trace.so writes and `tmap trace` reads: fixed records over a named pipe.
 * Both ends come from one build; the magic number says so. */
#ifndef TMAP_DRIVER_INJECT_WIRE_H
#define TMAP_DRIVER_INJECT_WIRE_H

#include "tmap/tmap.h"

/* The environment that the parent hands down. */
#define TRACE_PIPE "TMAP_TRACE_PIPE" /* path of the pipe */
#define TRACE_MODE "TMAP_TRACE_MODE" /* auto, cupti, interpose */

#define TRACE_MAGIC UINT32_C(0x54524331)
#define TRACE_RECORD_BYTES 512 /* below PIPE_BUF, so writes of many processes do not mix */
#define TRACE_TEXT_BYTES 192

enum trace_what { TRACE_PROCESS = 1, TRACE_ENCODE = 2, TRACE_REPLACE_ADDRESS = 3 };
enum trace_how { TRACE_BY_NOTHING = 0, TRACE_BY_CUPTI = 1, TRACE_BY_INTERPOSING = 2 };

struct trace_record {
    uint32_t magic, what, how;
    int32_t result; /* CUresult; TRACE_PROCESS: CUPTI's, when it could not be used */
    uint32_t pid, tid;
    uint64_t time_ns;     /* CLOCK_MONOTONIC when the call returned */
    uint64_t map_address; /* of the caller's CUtensorMap */
    struct tmap_map map;  /* on success */
    union {
        struct tmap_desc desc;       /* TRACE_ENCODE */
        uint64_t address;            /* TRACE_REPLACE_ADDRESS */
        char text[TRACE_TEXT_BYTES]; /* TRACE_PROCESS: its command line */
    } of;
};
_Static_assert(sizeof(struct trace_record) <= TRACE_RECORD_BYTES, "a record fits its slot");

#endif
