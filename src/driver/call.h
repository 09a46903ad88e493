/* call.h : one encode call from a descriptor. */
#ifndef TMAP_DRIVER_CALL_H
#define TMAP_DRIVER_CALL_H

#include "driver/libcuda.h"

/* What the driver did with a buffer that held `dirt` in every byte before the call. */
struct call_result {
    tmap_cu_result code;
    struct tmap_map map; /* the buffer afterwards */
};

#define CALL_NO_FUNCTION (-1) /* the driver lacks cuTensorMapEncodeIm2colWide */
/* Im2col with a NULL corner array: driver 580 reads through it, and the process is gone. Only
 * `tmap oracle probe` asks, in a process of its own. */
#define CALL_NOT_ASKED (-2)
bool call_can_be_asked(const struct tmap_desc *desc);

/* Entries beyond the rank are passed as desc has them, and garbage behind those. */
void call_encode(const struct tmap_libcuda *api, const struct tmap_desc *desc, uint8_t dirt,
                 struct call_result *out);
/* The refused buffer must still hold what it held. */
bool call_left_alone(const struct call_result *result, uint8_t dirt);

#endif
