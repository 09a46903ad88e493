/* What a row is evaluated on: pointers to the public structs and to what the core derived from
 * them. A row reads only the parts of its subject; the others may be NULL (field.h checks). */
#ifndef TMAP_EXPR_SUBJECT_H
#define TMAP_EXPR_SUBJECT_H

#include "tmap/tmap.h"

/* Bit numbers of tmap_desc.flags, as rows name them. */
enum flag_bit {
    BIT_NULL_MAP = 0,
    BIT_NULL_DIM = 1,
    BIT_NULL_STRIDE = 2,
    BIT_NULL_BOX = 3,
    BIT_NULL_ESTRIDE = 4,
    BIT_NULL_LOWER = 5,
    BIT_NULL_UPPER = 6,
    BIT_HAS_MAP_ADDRESS = 8,
    BIT_HAS_ALLOCATION = 9
};
/* Bit numbers of tmap_use.flags. */
enum use_flag_bit {
    BIT_COORD = 0,
    BIT_SMEM = 1,
    BIT_EXPECT_TX = 2,
    BIT_MBARRIER = 3,
    BIT_OFFSET = 4,
    BIT_CTA_DST = 5
};

/* Quantities that need more than one field; all from the core, none a rule. */
struct derived {
    uint64_t tx_bytes, footprint_bytes, pattern_bytes; /* tmap_layout */
    uint64_t rows;                                     /* innermost rows of one box */
    uint64_t extent_bytes; /* address of the last byte of the tensor - address + 1; saturates */
    uint64_t last_byte;    /* the same less one: what saturates lies behind any number of bytes */
    uint32_t nested; /* 1: in order of stride, each steps over the whole block within: no overlap */
    uint32_t dense;  /* 1: nested, and no byte lies between two elements */
    uint32_t form_ptx; /* lowest PTX version that has the use's form on the target; 0: none */
    uint32_t patched_illegal; /* 1: the map after the replace would not be legal */
    uint32_t smem_capacity, tmem_capacity;
};

/* The sums that src/solve forms of a pipeline. */
struct pipeline_facts {
    uint64_t stages, stage_bytes, stage_align_bytes, stage_tx_bytes, shared_bytes;
    uint64_t tmem_columns, arrivals;
    uint64_t registers, threads; /* a thread's, at least; of a block */
    /* what multiplies, and its tensor memory; the codes are those of the instruction descriptor */
    uint64_t cta_group, mma_kind, mma_m, mma_n, mma_k, a_type, b_type, d_type;
    uint64_t scale_block, scale_type, tmem_needed, alloc_warps, alloc_group;
    uint64_t model, odd_block, odd_warps; /* of a configuration: enum tmap_model */
};

struct subject {
    const struct tmap_target *target;
    const struct tmap_desc *desc;
    const struct tmap_use *use;
    const struct pipeline_facts *pipeline;
    const struct derived *derived;
};

#endif
