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
/* Calls that end the process, seen on driver 580: it reads through a NULL corner array of im2col,
 * and it reads `rank` entries of the arrays before it refuses the rank. Only `tmap oracle probe
 * --rash` asks, in a process of its own. */
#define CALL_NOT_ASKED (-2)
#define CALL_MAX_RANK 8 /* entries that our arrays have */
bool call_can_be_asked(const struct tmap_desc *desc);

/* Entries beyond the rank are passed as desc has them, and garbage behind those. */
void call_encode(const struct tmap_libcuda *api, const struct tmap_desc *desc, uint8_t dirt,
                 struct call_result *out);
/* The refused buffer must still hold what it held. */
bool call_left_alone(const struct call_result *result, uint8_t dirt);

#endif
