/* compare.h : one descriptor through the driver and through tmap. */
#ifndef TMAP_DRIVER_COMPARE_H
#define TMAP_DRIVER_COMPARE_H

#include "driver/call.h"

enum agreement { AGREE, DIFFERENT_VERDICT, DIFFERENT_BYTES };

struct comparison {
    struct call_result driver;
    enum tmap_verdict verdict; /* tmap's, contract `driver` */
    struct tmap_map map;       /* tmap's bytes, when both accept */
};

enum agreement compare(const struct tmap_libcuda *api, const struct tmap_checker *checker,
                       const struct tmap_desc *desc, uint8_t dirt, struct comparison *out);

/* A smaller descriptor on which they differ the same way. */
struct tmap_desc shrink(const struct tmap_libcuda *api, const struct tmap_checker *checker,
                        const struct tmap_desc *desc, enum agreement how);

#endif
