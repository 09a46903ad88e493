/* draw.h : the ring of a pipeline in time, and a product's roofline, as SVG in the colours of the
 * page. Both follow from the nominal rates of src/rules/targets.def: they show an order, and were
 * not measured. */
#ifndef TMAP_IO_DRAW_H
#define TMAP_IO_DRAW_H

#include "tmap/solve.h"

#include <stdio.h>

/* What the machine does in a microsecond at most, and on how many SMs; 0 where it is not known. */
struct io_rates {
    double flops, l2_bytes, dram_bytes, sms;
};

/* io_rates_of() : from a configuration's answer, of a product of so many operations. */
struct io_rates io_rates_of(const struct tmap_config_answer *answer, double flops);

/* A ring: bytes that land in a stage, and operations that use it. */
struct io_ring {
    uint32_t stages;
    double stage_bytes, stage_flops;
    struct io_rates rates;
};

/* io_ring_times() : microseconds to fill a stage and to use it, and the longest latency of a copy
 *  that the ring hides: stages - 1 times the slower of the two. */
void io_ring_times(const struct io_ring *ring, double *fill, double *use, double *hides);

/* io_draw_ring() : every slot's copies and uses in time, at that latency. */
void io_draw_ring(FILE *out, const struct io_ring *ring);

/* A product, or one of its configurations, on the roofline. */
struct io_roof_point {
    double intensity; /* operations for each byte of the memory that feeds it */
    double flops;     /* in a microsecond */
    char label[64];   /* escaped already */
    bool of_tiles;    /* a configuration; else the product itself */
};

void io_draw_roof(FILE *out, const struct io_rates *rates, const struct io_roof_point *points,
                  size_t count);

#endif
