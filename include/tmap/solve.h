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

/* --- pipelines: what a block's shared memory holds -------------------------------------------- */

/* A tcgen05.mma: its kind, the shape of one instruction and the codes of the instruction
 * descriptor for the types. k and block_k 0: the kind's own, and a row of 128 bytes. */
struct tmap_tcgen05 {
    uint32_t kind; /* enum tmap_mma_kind */
    uint32_t m, n, k;
    uint32_t a_type, b_type, d_type;
    uint32_t scale_block, scale_type; /* elements that share a factor; 0: no factors */
    uint32_t block_k;                 /* elements of K in one stage */
};

/* A ring of stages; each stage has one buffer per load. Zeros in the counts mean the default. */
struct tmap_pipeline {
    const struct tmap_desc *loads; /* legal descriptors; one buffer each per stage */
    size_t load_count;
    const struct tmap_desc *store; /* staging of a store, or NULL */
    uint32_t stages;               /* 0: as many as fit */
    uint32_t store_stages;         /* staging buffers; 0: 1 where there is a store */
    uint32_t consumers;            /* arrivals that free a slot; 0: 1 */
    uint32_t tmem_columns;         /* allocated; 0: what mma needs */
    uint32_t cta_group;            /* 2: the leader's barrier counts both CTAs' bytes; 0: 1 */
    uint32_t cluster[2];           /* CTAs along two directions; 0: 1 */
    uint64_t shared[2];            /* masks of loads that the CTAs along each fill, each its part */
    struct tmap_tcgen05 mma;       /* kind NONE: not by tensor memory */
    uint32_t accumulators;         /* in tensor memory, taken in turn; 0: 1 */
    uint32_t scale_stages;         /* of the scale factors in tensor memory; 0: 1 */
    uint32_t alloc_warps;          /* that allocate tensor memory in a CTA; 0: 1 */
    uint32_t alloc_group;          /* cta_group of the allocation; 0: that of the rest */
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

/* Sums beyond 2^63 - 1 are clamped to it. */
struct tmap_budget {
    enum tmap_verdict verdict;
    uint32_t stages;     /* of this answer */
    uint32_t max_stages; /* the most that fit; 0: not even one */
    uint64_t barriers;   /* mbarriers: a full and an empty one per stage */
    uint64_t stage_bytes, stage_align_bytes;
    uint64_t stage_tx_bytes; /* what one stage's copies signal: the right expect_tx */
    uint64_t shared_bytes, capacity_bytes;
    uint32_t tmem_columns; /* as allocated: rounded up to what can be */
    uint32_t tmem_needed;  /* by accumulators and scale factors */
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

/* What a pipeline's barriers do, as designs that protocol.h explores: the ring of operands, and
 * where there is tensor memory its accumulators. */
#define TMAP_PIPELINE_DESIGNS 2
struct tmap_pipeline_design {
    struct tmap_design_options options;
    uint32_t stages, consumers; /* of the pipeline. The options may have fewer, as many as the
                                 * automaton holds; a proof then covers only those */
    char reason[96];            /* why it cannot be explored; "": it can */
};

/* tmap_pipeline_designs() : fills *count designs for a pipeline of so many stages. Errors:
 *  TMAP_E_ARGUMENT; those of tmap_layout(). */
TMAP_API enum tmap_status
tmap_pipeline_designs(const struct tmap_checker *checker, const struct tmap_pipeline *pipeline,
                      uint32_t stages, struct tmap_pipeline_design out[TMAP_PIPELINE_DESIGNS],
                      size_t *count);

/* tmap_pipeline_nearest() : if the stages do not fit, the one smaller box with which they do: of
 * all loads and dimensions above the innermost, the one that keeps the most bytes in shared memory
 *  (stages 0: as for one). The other way is fewer stages: tmap_budget.max_stages. At most
 *  TMAP_PIPELINE_LOADS loads. Errors: TMAP_E_ARGUMENT; TMAP_E_NO_PLAN when no single box helps, or
 *  all fits already; those of tmap_pipeline_budget(). */
#define TMAP_PIPELINE_LOADS 16
struct tmap_pipeline_box {
    uint32_t load, dim, box;
    uint64_t shared_bytes; /* then */
};
TMAP_API enum tmap_status tmap_pipeline_nearest(const struct tmap_checker *checker,
                                                const struct tmap_pipeline *pipeline,
                                                struct tmap_pipeline_box *out);

/* --- configurations of a GEMM kernel ---------------------------------------------------------- */

struct tmap_problem {
    uint64_t m, n, k;
    int32_t dtype;         /* of A and B */
    int32_t out_dtype;     /* of C */
    uint32_t model;        /* enum tmap_model */
    uint32_t accumulators; /* TCGEN05: in tensor memory, taken in turn; 0: 1 */
};

struct tmap_config {
    uint32_t block_m, block_n, block_k, stages, warps;
    uint32_t ctas; /* num_ctas; TCGEN05: 2 is a pair, whose tile the blocks are; 0: 1 */
};

#define TMAP_CONFIG_ROWS 16
struct tmap_config_answer {
    enum tmap_verdict verdict;
    uint32_t row_count;
    tmap_row rows[TMAP_CONFIG_ROWS]; /* violated, each once, the first in table order */
    enum tmap_basis basis;           /* OBSERVED: the model was compared with runs on this target */
    uint64_t shared_bytes, max_stages;
    uint32_t registers;    /* a thread's, at least; 0: the model does not say */
    uint32_t tmem_columns; /* of tensor memory, as allocated; 0: none */
    /* ranking: a roofline with whole waves, from nominal rates; 0 where the target has none */
    double intensity; /* flops per byte read from L2 by the tiles */
    double waves;     /* of tiles, over all SMs */
    double wave_efficiency;
    double flop_us, dram_us, l2_us, time_us; /* time: the greatest of the three, over efficiency */
    uint64_t l2_bytes, dram_bytes, tiles;
};

/* tmap_prune() : judges n configurations of one problem. A configuration is illegal when it cannot
 *  exist under the model's reading: a copy of tmap_config_copies() or a sum violates a row; nothing
 *  else makes it illegal. Unknown if no source covers the target, or the model does not say what
 * its words mean. Errors: TMAP_E_ARGUMENT; TMAP_E_TARGET for an architecture without a capacity. */
TMAP_API enum tmap_status tmap_prune(const struct tmap_checker *checker,
                                     const struct tmap_problem *problem,
                                     const struct tmap_config *configs, size_t n,
                                     struct tmap_config_answer *answers);

/* One copy of a stage: the descriptor, and its use with the place in shared memory, counted from
 * where the ring begins. */
struct tmap_config_copy {
    struct tmap_desc desc;
    struct tmap_use use;
    uint32_t operand; /* 0 A, 1 B, 2 C (stored) */
};

/* tmap_config_copies() : the copies that fill stage `stage`, and where the model stages C those
 * that store it. Rows of K are cut into the widest swizzle span that divides them, rows of the tile
 * into boxes of at most 256. Writes at most cap; *count may exceed it. Errors: TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_config_copies(const struct tmap_problem *problem,
                                             const struct tmap_config *config, uint32_t stage,
                                             struct tmap_config_copy *out, size_t cap,
                                             size_t *count);

/* The ranges of a search space; each list is the caller's. tmap_space_size() : how many
 *  configurations it has. tmap_space_at() : the i-th; i must be below the size. Neither allocates.
 */
struct tmap_space {
    const uint32_t *block_m, *block_n, *block_k, *stages, *warps;
    size_t block_m_count, block_n_count, block_k_count, stages_count, warps_count;
};
TMAP_API uint64_t tmap_space_size(const struct tmap_space *space);
TMAP_API void tmap_space_at(const struct tmap_space *space, uint64_t i, struct tmap_config *out);

/* tmap_prune_space() : the verdicts of n configurations of a space from the first-th on, the same
 * as tmap_prune() gives one at a time, at some nanoseconds each: what depends on a few of the words
 *  only is judged once. verdicts: n bytes, each an enum tmap_verdict, or NULL; counts: how many of
 *  each verdict. workspace: tmap_space_workspace() bytes, aligned for uint64_t, for this call
 * alone. Errors: TMAP_E_ARGUMENT, also beyond the space; TMAP_E_ROOM; those of tmap_prune(). */
TMAP_API size_t tmap_space_workspace(const struct tmap_space *space);
TMAP_API enum tmap_status tmap_prune_space(const struct tmap_checker *checker,
                                           const struct tmap_problem *problem,
                                           const struct tmap_space *space, uint64_t first,
                                           uint64_t n, uint8_t *verdicts, uint64_t counts[3],
                                           void *workspace, size_t workspace_bytes);

/* tmap_model_name() : "ring", "triton", "tcgen05"; NULL past the end. tmap_model_about() : what it
 * assumes. */
TMAP_API const char *tmap_model_name(uint32_t model);
TMAP_API const char *tmap_model_about(uint32_t model);

/* --- repair and synthesis: plans that copy a requested tile ----------------------------------- */

enum tmap_plan_kind {
    TMAP_PLAN_FREE = 0,    /* no byte of the tensor moves, and the tile is the one requested */
    TMAP_PLAN_PADDING = 1, /* the tensor is copied once into an allocation with other strides */
    TMAP_PLAN_DECISION =
        2 /* the request is undefined: the plan chooses a value that the caller must confirm */
};

/* One step of a plan. `index` is a dimension where there is one, else -1. */
enum tmap_rewrite {
    TMAP_REWRITE_SKIP = 0,         /* the tensor is empty: launch nothing */
    TMAP_REWRITE_CHOOSE = 1,       /* field `field` was meaningless: `to` is a value that exists */
    TMAP_REWRITE_CANONICAL = 2,    /* stride of a dimension of size 1: any legal value will do */
    TMAP_REWRITE_IGNORED = 3,      /* a field without effect takes a legal value */
    TMAP_REWRITE_DROP = 4,         /* a dimension of size 1 is dropped */
    TMAP_REWRITE_MERGE = 5,        /* dimensions index and index + 1 are contiguous: one */
    TMAP_REWRITE_SPLIT = 6,        /* dimension index becomes two: `to` elements, and the rest */
    TMAP_REWRITE_WIDEN = 7,        /* two elements as one of twice the size */
    TMAP_REWRITE_BYTES = 8,        /* two packed 4-bit elements as one UINT8 */
    TMAP_REWRITE_SWIZZLE = 9,      /* another swizzle: the shared layout changes */
    TMAP_REWRITE_SPLIT_BOX = 10,   /* several copies along dimension index, `to` elements each */
    TMAP_REWRITE_GROW_BOX = 11,    /* the box is larger than the tile: `to` elements */
    TMAP_REWRITE_SHIFT_BASE = 12,  /* the map begins `to` elements before the tensor */
    TMAP_REWRITE_ROUND_COORD = 13, /* the first coordinate is rounded down to a multiple of `to` */
    TMAP_REWRITE_COPY = 14,        /* the tensor is copied with padded rows */
    TMAP_REWRITE_SWAP = 15,        /* dimension index, whose elements are side by side, innermost */
    TMAP_REWRITE_UNSTRIDE = 16,    /* every `from`-th element of dimension index: a longer stride */
    TMAP_REWRITE_SLICES = 17,      /* the slices of an interleaved tensor as dimension 0 */
    TMAP_REWRITE_LAST_BOX = 18,    /* the last copy along dimension index takes `to` elements */
    TMAP_REWRITE_IM2COL = 19,      /* a walk along dimension index instead of a box, by an im2col
                                    * map of `to` dimensions; its instruction's offsets are 0 */
    TMAP_REWRITE_SPLIT_PIXELS = 20, /* several copies, `to` pixels each */
    TMAP_REWRITE_PAD = 21,          /* rows of the copy have `to` elements, the last ones zeros */
    TMAP_REWRITE_COUNT
};

struct tmap_plan_step {
    uint8_t rewrite; /* enum tmap_rewrite */
    int8_t index;
    uint16_t field; /* CHOOSE and IGNORED: which; tmap_plan_step_text() names it */
    uint64_t from, to;
};

/* How one coordinate of the new descriptor follows from the request's coordinates c[]:
 *     value = ((sum of coef[i] * c[i]) / div) % mod        (mod 0: no remainder)
 *     coordinate of copy k = value rounded down to a multiple of round + k * step
 * An element of the tile that has new index x (by the same formula, of its own position, plus
 * shift) lies at x - coordinate in the box of the copy that holds it. */
struct tmap_plan_dim {
    uint64_t coef[TMAP_MAX_RANK];
    uint64_t slice; /* times an element's number in its slice is added to the sum, where the slices
                     * of an interleaved request are seen as elements (SLICES) */
    uint64_t div, mod;
    uint32_t round; /* 1: not at all */
    uint32_t shift; /* elements before the tensor (dimension 0 only) */
    uint32_t copies, step;
    uint32_t tail; /* elements of the last copy's box; 0: as many as the others' */
};
/* If desc is an im2col map, dim[1] counts pixels: copy k begins k * step pixels later in the walk,
 * which continues over the ends of W, H and D; and x - coordinate of dim[1] is the pixel's number.
 */

/* Compared in this order. */
struct tmap_cost {
    uint32_t kind; /* enum tmap_plan_kind */
    uint64_t copied_bytes;
    uint64_t extra_instructions; /* copies beyond the first, per tile */
    uint32_t extra_maps;         /* descriptors beyond the first: tmap_plan_desc() */
    uint32_t layout_changes;     /* one for another swizzle, and one where, before the swizzle, an
                                  * element lies elsewhere than the request's box would put it: in
                                  * rows of whole units (16 bytes; 128 elements of a padded type),
                                  * and slabs one span wide where rows exceed the swizzle's span.
                                  * 0: every element lies where it is requested */
    uint64_t wasted_traffic_bytes, wasted_shared_bytes; /* per tile */
    uint32_t steps;
};

#define TMAP_PLAN_STEPS 16
struct tmap_plan {
    struct tmap_cost cost;
    uint32_t step_count;
    struct tmap_plan_step step[TMAP_PLAN_STEPS];
    bool skip;             /* nothing to launch; the rest is unused */
    struct tmap_desc desc; /* legal; tmap_plan_desc() for copies with a smaller box */
    struct tmap_plan_dim dim[TMAP_MAX_RANK];
    /* elements of the request that became one: element x is number (sum of part_coef[i] * x[i])
     * modulo part_of of its group; part_of 1: none did */
    uint64_t part_coef[TMAP_MAX_RANK], part_slice, part_of;
    uint32_t copies;     /* product over dim[] */
    uint64_t slot_bytes; /* copy n (dim[0] fastest) lands at n * slot_bytes */
    uint64_t tx_bytes;   /* all copies of a tile together */
    uint64_t
        allocation_bytes; /* PADDING: what the padded tensor takes; desc.address stands for it */
    uint64_t grain[TMAP_MAX_RANK]; /* needed: request coordinate i is a multiple; 0: it is 0 */
};

/* What the tile is for, where the descriptor does not say. */
struct tmap_request {
    uint32_t op;                   /* TMAP_OP_LOAD or TMAP_OP_STORE */
    uint64_t grain[TMAP_MAX_RANK]; /* coordinates are multiples of these; 0: of the box */
    bool keep_swizzle;             /* the consumer needs this swizzle */
    bool no_copy;                  /* the tensor cannot be copied */
    bool no_im2col;                /* copies stay tiled */
    bool any_layout;               /* the tile may lie in shared memory in any way */
    uint32_t consumer, major;      /* enum tmap_consumer, tmap_major: who reads the tile, or wrote
                                    * it; every plan's boxes are such as it can read */
};

/* A search's account of itself, for checking that nothing was overlooked
 * (tests/support/log_check.c) and for proofs (tmap_certify_minimal()): what happened, in order. */
enum tmap_search_kind {
    TMAP_SEARCH_OBJECTIVE, /* first */
    TMAP_SEARCH_LIMITS,    /* what the rows allow a type: set `number`, before a state names it */
    TMAP_SEARCH_STATE,     /* view `number` was met */
    TMAP_SEARCH_IM2COL,    /* the one view of an im2col map */
    TMAP_SEARCH_VIEW,      /* view `number` is expanded: no plan of it costs less than `cost` */
    TMAP_SEARCH_PRUNED,    /* because of that bound neither it nor its successors are expanded */
    TMAP_SEARCH_LEAF,      /* because of that bound its successors are not expanded */
    TMAP_SEARCH_PLAN       /* it gives a plan of this cost, decisions aside */
};

/* What costs are measured against. */
struct tmap_search_objective {
    uint64_t useful_bytes, tensor_bytes; /* of a tile; of what a copy of the tensor moves */
    int32_t swizzle;                     /* requested */
    bool stores, keep_swizzle, no_copy;
    bool decided; /* a value was chosen that only the caller can confirm */
};

#define TMAP_SEARCH_SWIZZLES 7
struct tmap_search_limits {
    bool known;
    uint32_t max_box, inner_unit, coord_unit; /* elements */
    uint32_t max_inner[TMAP_SEARCH_SWIZZLES]; /* box[0] under each swizzle; 0: refused */
};

struct tmap_search_dim {
    uint64_t size, stride_bytes, tile, grain; /* stride of dimension 0: a whole element, bytes */
    uint32_t elem_stride;
    uint32_t whole; /* 1: as requested, no piece and no pair; 2: no piece, and pairs if there are
                     * any were made along it; 3: both */
};

struct tmap_search_state {
    uint32_t rank, rewrites, limits; /* limits: their number */
    uint32_t pairs;                  /* 1: two elements may be one; under interleave the bytes of a
                                      * slice, 2 where there is no rank left to say them */
    int32_t dtype, interleave;
    uint64_t address;
    uint32_t layout_changes;  /* by the structure alone, longer rows in slabs */
    bool is_piece, tile_rows; /* dimension 0 is a piece of a split; its rows are the tile's */
    uint32_t channels;        /* IM2COL */
    struct tmap_search_dim dim[TMAP_MAX_RANK];
};

struct tmap_search_event {
    uint32_t kind;   /* enum tmap_search_kind */
    uint32_t number; /* of the view or the limits */
    union {
        struct tmap_search_objective objective;
        struct tmap_search_limits limits;
        struct tmap_search_state state; /* STATE and IM2COL */
        struct tmap_cost cost;
    } u;
};

struct tmap_search_log {
    struct tmap_search_event *events; /* may be NULL with capacity 0 */
    size_t capacity, count;           /* a count above the capacity: it was cut off */
};

/* tmap_search_text() : an event as a line, as snprintf() does: its name and its numbers. */
TMAP_API size_t tmap_search_text(const struct tmap_search_event *event, char *out, size_t size);

struct tmap_repair_report {
    size_t found;    /* plans written */
    uint32_t states; /* structures looked at */
    bool closed;     /* every structure within the bounds was looked at: the first plan is minimal.
                      * Never set for a tile that no block's shared memory holds */
    uint32_t
        dropped; /* plans that the self-check refused, and that are not here: a defect of tmap */
    char reason[160]; /* why there is no plan, or "" */
};

/* Bytes of workspace for the most views that the search ever keeps; with less it looks at fewer. */
#define TMAP_REPAIR_WORKSPACE ((size_t)5 << 18)

/* tmap_repair() : plans for an illegal descriptor (or alternatives to a legal one), best first: at
 *  most cap, each with different kinds of steps. request may be NULL: a load on the box's own grid.
 *  log may be NULL. Every plan has passed tmap_check() and tmap_plan_check(). Errors:
 * TMAP_E_ARGUMENT; TMAP_E_NO_PLAN with report->reason; TMAP_E_ROOM for a workspace that is NULL,
 * holds no view or is not aligned for uint64_t; TMAP_E_BUDGET with report->reason when the search
 * was given up (too many views for the workspace, or a second's work) before any plan was found;
 * TMAP_E_TARGET; TMAP_E_INTERNAL when all that were found failed the self-check. */
TMAP_API enum tmap_status tmap_repair(const struct tmap_checker *checker,
                                      const struct tmap_desc *desc,
                                      const struct tmap_request *request, void *workspace,
                                      size_t workspace_bytes, struct tmap_plan *plans, size_t cap,
                                      struct tmap_repair_report *report,
                                      struct tmap_search_log *log);

/* tmap_plan_check() : NULL where the plan does what desc and request (may be NULL) ask, for every
 *  tile whose coordinates are multiples of plan->grain: each element copied once, from its own
 *  address, in bounds exactly where it is requested, and no other byte written by a store.
 * Otherwise a short text about what is wrong. It shares no code with the search, which calls it for
 * each plan. */
TMAP_API const char *tmap_plan_check(const struct tmap_desc *desc,
                                     const struct tmap_request *request,
                                     const struct tmap_plan *plan);

/* tmap_plan_coords() : the coordinates of copy n of a tile whose request coordinates are coord[];
 * zeros where the plan launches nothing, and clamped to 64 bits. */
TMAP_API void tmap_plan_coords(const struct tmap_plan *plan, const int64_t *coord, uint32_t n,
                               int64_t out[TMAP_MAX_RANK]);
/* tmap_plan_desc() : the descriptor of copy n: plan->desc, with the last box of each dimension that
 *  has a smaller one. */
TMAP_API void tmap_plan_desc(const struct tmap_plan *plan, uint32_t n, struct tmap_desc *out);
/* tmap_plan_place() : where element tile[] of that tile lands: the copy, and its unswizzled byte
 *  offset in shared memory from the tile's first byte (of an element under a byte, that of its
 *  first bit). False: the plan does not move it, or an argument is NULL or out of range. */
TMAP_API bool tmap_plan_place(const struct tmap_plan *plan, const struct tmap_desc *request,
                              const int64_t *coord, const uint32_t *tile, uint32_t *copy,
                              uint64_t *offset_bytes);
/* tmap_plan_place_in_slice() : the same for element `part` of a slice. An element of an interleaved
 *  request is a slice; if the plan sees slices as elements, its parts need not lie side by side.
 *  tmap_plan_place() is part 0. */
TMAP_API bool tmap_plan_place_in_slice(const struct tmap_plan *plan,
                                       const struct tmap_desc *request, const int64_t *coord,
                                       const uint32_t *tile, uint32_t part, uint32_t *copy,
                                       uint64_t *offset_bytes);
/* tmap_plan_place_bits() : the same in bits. Of a padded packed type it is the place that a load
 *  leaves the element in, 16 of them packed at the start of every 16 bytes; a store of 16U6 takes
 *  each from a byte of its own. */
TMAP_API bool tmap_plan_place_bits(const struct tmap_plan *plan, const struct tmap_desc *request,
                                   const int64_t *coord, const uint32_t *tile, uint32_t part,
                                   uint32_t *copy, uint64_t *offset_bits);
/* tmap_plan_kind_name() : "free". tmap_rewrite_name() : "merge". Static strings; NULL past the end.
 * tmap_plan_step_text() : a sentence; returns its length and writes at most size - 1 characters, as
 * snprintf. */
TMAP_API const char *tmap_plan_kind_name(uint32_t kind);
TMAP_API const char *tmap_rewrite_name(uint32_t rewrite);
TMAP_API size_t tmap_plan_step_text(const struct tmap_plan_step *step, char *out, size_t size);
/* tmap_cost_compare() : below 0 when a costs less, 0 when they cost the same, else above. */
TMAP_API int tmap_cost_compare(const struct tmap_cost *a, const struct tmap_cost *b);

/* --- tensors of any rank ---------------------------------------------------------------------- */

#define TMAP_TENSOR_RANK 16

/* A tensor as programs hold it, dimensions innermost first; and the tile that a copy brings. */
struct tmap_tensor {
    int32_t dtype;
    uint32_t rank;                          /* 1 to TMAP_TENSOR_RANK */
    uint64_t address;                       /* of element 0 */
    uint64_t dim[TMAP_TENSOR_RANK];         /* elements */
    uint64_t stride_bits[TMAP_TENSOR_RANK]; /* from one index to the next, of dimension 0 too */
    uint32_t box[TMAP_TENSOR_RANK];         /* elements, at least 1 */
};

/* The same as a request that a map can describe: tiled, with at most five dimensions; the others
 * are merged, dropped, or become one map for each of their indices. */
struct tmap_fold {
    struct tmap_desc desc; /* kind, type, rank, address, dims, strides, box; may be illegal */
    uint64_t coef[TMAP_MAX_RANK][TMAP_TENSOR_RANK]; /* coordinate k: the sum of coef[k][i] * c[i] */
    uint64_t map_coef[TMAP_TENSOR_RANK]; /* a map's address: desc's and the sum of these, bytes */
    uint64_t maps;                       /* how many there are; 1: the coefficients are 0 */
    bool moved;       /* another dimension was made the innermost: the tile is transposed */
    bool longer_rows; /* dimension 0 was merged with one that the tile takes several indices of */
    char reason[240]; /* why there is no fold, or "" */
};

/* tmap_fold_tensor() : the first dimension whose elements are side by side becomes the innermost; a
 *  dimension with a stride of 2^40 bytes and more becomes maps, if the tile takes one index of it;
 *  of ranks above 5 dimensions of size 1 go, then contiguous ones are merged where the tile takes
 *  all of the inner or one index of both (dimension 0 last), then the smallest that the tile takes
 * one index of become maps. A tensor without elements is its empty dimension. Tiles lie on their
 * own grid, and coordinates of dimensions with a tile of 1 are in bounds. Errors: TMAP_E_ARGUMENT;
 * TMAP_E_NO_PLAN with the reason. */
TMAP_API enum tmap_status tmap_fold_tensor(const struct tmap_tensor *tensor, struct tmap_fold *out);

/* --- synthesis: the best descriptors for a requested tile ------------------------------------- */

struct tmap_tile_request {
    struct tmap_desc tensor;      /* kind, type, rank, address, dims and strides; the rest unused */
    uint32_t tile[TMAP_MAX_RANK]; /* elements */
    uint32_t op;                  /* TMAP_OP_LOAD or TMAP_OP_STORE */
    uint32_t consumer, major;     /* enum tmap_consumer, tmap_major: who reads it, or wrote it */
    uint32_t multicast;           /* CTAs that get the tile; 0 and 1: one */
};

/* Compared in the order of the members after plan; each plan has another swizzle or structure. */
struct tmap_tile_plan {
    struct tmap_plan plan;
    uint32_t kind; /* enum tmap_plan_kind, the tensor being as it is */
    uint64_t instructions;
    uint32_t conflicts;       /* cycles beyond the first of the consumer's reads of 8 rows */
    uint64_t shared_bytes;    /* of a tile */
    uint64_t partial_sectors; /* 32-byte sectors of memory that are used in part, per row */
    uint64_t rows;            /* shared rows of a tile: fewer are longer */
};

/* tmap_solve() : plans for the request, best first, at most cap. Errors: TMAP_E_ARGUMENT,
 *  TMAP_E_NO_PLAN and TMAP_E_BUDGET (given up: undecided) with a reason of at most reason_size
 * bytes (160 hold every one; it may be NULL, with size 0), TMAP_E_INTERNAL, TMAP_E_TARGET and
 * TMAP_E_ROOM as tmap_repair(). workspace as tmap_repair()'s.
 */
TMAP_API enum tmap_status tmap_solve(const struct tmap_checker *checker,
                                     const struct tmap_tile_request *request, void *workspace,
                                     size_t workspace_bytes, struct tmap_tile_plan *plans,
                                     size_t cap, size_t *found, char *reason, size_t reason_size);

/* tmap_solve_account() : the account of what tmap_solve() searches for one swizzle, for proofs;
 * *closed as tmap_repair_report's. It is not an error here when there is no plan. */
TMAP_API enum tmap_status tmap_solve_account(const struct tmap_checker *checker,
                                             const struct tmap_tile_request *request,
                                             int32_t swizzle, void *workspace,
                                             size_t workspace_bytes, struct tmap_search_log *log,
                                             bool *closed);

/* tmap_consumer_name() : "wgmma_k_major"; NULL for what does not exist. tmap_consumer_at() : the
 *  i-th of them; false past the end. */
TMAP_API const char *tmap_consumer_name(uint32_t consumer, uint32_t major);
TMAP_API bool tmap_consumer_at(size_t i, uint32_t *consumer, uint32_t *major);

#ifdef __cplusplus
}
#endif
#endif
