/* solve.h : what follows from the rules: budgets, protocols, configurations, repair, synthesis.
 *
 * Conventions are those of tmap.h: caller-owned arrays, no hidden allocation (a search that needs
 * memory takes a workspace), one tmap_status a function, every function safe from any thread.
 */
#ifndef TMAP_SOLVE_H
#define TMAP_SOLVE_H

#include "tmap/protocol.h"
#include "tmap/tmap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- pipelines: what a block's shared memory holds ----------------------------------------------
 */

/* A ring of stages; each stage has one buffer per load. Zeros in the counts mean the default. */
struct tmap_pipeline {
    const struct tmap_desc *loads; /* legal descriptors; one buffer each per stage */
    size_t load_count;
    const struct tmap_desc *store; /* staging of a store, or NULL */
    uint32_t stages;               /* 0: as many as fit */
    uint32_t store_stages;         /* staging buffers; 0: 1 where there is a store */
    uint32_t consumers;            /* arrivals that free a slot; 0: 1 */
    uint32_t tmem_columns;         /* of tensor memory; 0: none */
    uint32_t cta_group;            /* 2: the leader's barrier counts both CTAs' bytes; else 1 */
    uint64_t reserve_bytes;        /* what else the kernel needs */
    uint64_t expect_tx;            /* what the kernel expects per stage; 0: what is right */
};

enum tmap_region_kind {
    TMAP_REGION_LOAD,
    TMAP_REGION_STORE,
    TMAP_REGION_BARRIERS,
    TMAP_REGION_REST
};
struct tmap_region {
    uint32_t kind;         /* enum tmap_region_kind */
    uint32_t index, stage; /* of the load; of the ring */
    uint64_t offset_bytes, bytes, align_bytes;
};

struct tmap_budget {
    enum tmap_verdict verdict;
    uint32_t stages;     /* of this answer */
    uint32_t max_stages; /* the most that fit; 0: not even one */
    uint32_t barriers;   /* mbarriers: a full and an empty one per stage */
    uint64_t stage_bytes, stage_align_bytes;
    uint64_t stage_tx_bytes; /* what one stage's copies signal: the right expect_tx */
    uint64_t shared_bytes, capacity_bytes;
    uint32_t tmem_columns; /* as allocated: rounded up to what can be */
    size_t region_count;   /* may exceed the capacity of the caller's array */
};

/* tmap_pipeline_budget() : the map of shared memory for a block whose dynamic shared memory begins
 *  at an address aligned to stage_align_bytes; what does not fit is a violated row of pipeline.def.
 *  Writes at most region_cap regions and at most cap violations. Errors: TMAP_E_ARGUMENT;
 *  TMAP_E_ILLEGAL when a descriptor is refused by checker; TMAP_E_TARGET without a capacity. */
TMAP_API enum tmap_status
tmap_pipeline_budget(const struct tmap_checker *checker, const struct tmap_pipeline *pipeline,
                     struct tmap_budget *budget, struct tmap_region *regions, size_t region_cap,
                     struct tmap_violation *violations, size_t cap, size_t *found);

/* --- configurations of a GEMM kernel ------------------------------------------------------------
 */

/* What the words of a configuration mean.
 * RING: one buffer of A and one of B per stage, two mbarriers a stage, nothing else is assumed.
 * TRITON: Triton 3.6 with host tensor descriptors, calibrated on an H200 against 202 random
 * configurations: shared = max(stages * (A + B + 8), staging of C); a thread of a warpgroup holds
 * its accumulator, at most one 64 x 256 instruction's at a time, and 26 registers more. */
enum tmap_model { TMAP_MODEL_RING = 0, TMAP_MODEL_TRITON = 1, TMAP_MODEL_COUNT };

struct tmap_problem {
    uint64_t m, n, k;
    int32_t dtype;     /* of A and B */
    int32_t out_dtype; /* of C */
    uint32_t model;    /* enum tmap_model */
};

struct tmap_config {
    uint32_t block_m, block_n, block_k, stages, warps;
};

#define TMAP_CONFIG_ROWS 6
struct tmap_config_answer {
    enum tmap_verdict verdict;
    uint32_t row_count;
    tmap_row rows[TMAP_CONFIG_ROWS]; /* violated rows of pipeline.def and desc.def */
    uint64_t shared_bytes, max_stages;
    uint32_t registers; /* at least so many a thread; 0: the model does not say */
    /* ranking: a roofline with whole waves, from nominal rates; 0 where the target has none */
    double intensity; /* flops per byte read from L2 by the tiles */
    double waves;     /* of tiles, over all SMs */
    double wave_efficiency;
    double flop_us, dram_us, l2_us, time_us; /* time: the greatest of the three, over efficiency */
    uint64_t l2_bytes, dram_bytes, tiles;
};

/* tmap_prune() : judges n configurations of one problem. A configuration is illegal when it cannot
 *  exist under the model's reading; nothing else is ever called illegal. Errors: TMAP_E_ARGUMENT;
 *  TMAP_E_TARGET for an architecture without a capacity. */
TMAP_API enum tmap_status tmap_prune(const struct tmap_checker *checker,
                                     const struct tmap_problem *problem,
                                     const struct tmap_config *configs, size_t n,
                                     struct tmap_config_answer *answers);

/* The ranges of a search space; each list is the caller's. tmap_space_size() : how many
 *  configurations it has. tmap_space_at() : the i-th, i < size: enumeration needs no memory. */
struct tmap_space {
    const uint32_t *block_m, *block_n, *block_k, *stages, *warps;
    size_t block_m_count, block_n_count, block_k_count, stages_count, warps_count;
};
TMAP_API uint64_t tmap_space_size(const struct tmap_space *space);
TMAP_API void tmap_space_at(const struct tmap_space *space, uint64_t i, struct tmap_config *out);

/* tmap_model_name() : "ring", "triton"; NULL past the end. tmap_model_about() : what it assumes. */
TMAP_API const char *tmap_model_name(uint32_t model);
TMAP_API const char *tmap_model_about(uint32_t model);

#ifdef __cplusplus
}
#endif
#endif
