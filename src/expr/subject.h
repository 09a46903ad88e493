/* What a row is evaluated on: pointers to the public structs and to what the core derived from them. A
 * row reads only the parts of its subject; the others may be NULL (field.h checks). */
#ifndef TMAP_EXPR_SUBJECT_H
#define TMAP_EXPR_SUBJECT_H

#include "tmap/tmap.h"

/* Quantities that need more than one field; all from the core, none a rule. */
struct derived {
    uint64_t tx_bytes, footprint_bytes, pattern_bytes; /* tmap_layout */
    uint64_t extent_bytes; /* address of the last byte of the tensor - address + 1; saturates */
    uint32_t dense;        /* 1: every byte between the first and the last belongs to one element */
    uint32_t form_ptx;     /* lowest PTX version that has the use's form on the target; 0: none */
    uint32_t patched_illegal; /* 1: the map after the replace would not be legal */
    uint32_t smem_capacity, tmem_capacity;
};

/* The sums that src/solve forms of a pipeline. */
struct pipeline_facts {
    uint64_t stages, stage_bytes, stage_align_bytes, stage_tx_bytes, shared_bytes;
    uint64_t tmem_columns, arrivals;
};

struct subject {
    const struct tmap_target *target;
    const struct tmap_desc *desc;
    const struct tmap_use *use;
    const struct pipeline_facts *pipeline;
    const struct derived *derived;
};

#endif
