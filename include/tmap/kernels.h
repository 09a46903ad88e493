/* kernels.h : the kernel suite: copies and matrix products that run on legal tensor maps only.
 *
 * The kernels are machine code for sm_90a inside the library; the driver is loaded at run time. A
 * build without a CUDA compiler has none and says so (TMAP_E_NOT_BUILT). No type of the CUDA
 * runtime appears: a stream is the driver's CUstream as a pointer, device memory an address.
 */
#ifndef TMAP_KERNELS_H
#define TMAP_KERNELS_H

#include "tmap/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- matrix products -------------------------------------------------------------------------- */

/* The kernels, loaded into one device's primary context. One thread at a time may open, plan or
 * close a suite. Ready plans run from any thread, on any streams at once. */
struct tmap_gemm;

/* tmap_gemm_open() : how may be NULL. why: a sentence about what was missing (cap bytes; may be
 * NULL with cap 0). The calling thread's context stays its own (launch.h). Errors:
 * TMAP_E_NOT_BUILT, TMAP_E_NO_DRIVER, TMAP_E_NO_DEVICE (none, or not compute capability 9.0, which
 * these kernels are for), TMAP_E_DRIVER, TMAP_E_MEMORY. */
TMAP_API enum tmap_status tmap_gemm_open(const struct tmap_open *how, struct tmap_gemm **out,
                                         char *why, size_t cap);
TMAP_API void tmap_gemm_close(struct tmap_gemm *suite);

/* The multiplicands' types. tf32 is fp32 in memory; the tensor core reads 19 of its bits. */
enum tmap_gemm_kind {
    TMAP_GEMM_BF16 = 0,
    TMAP_GEMM_F16 = 1,
    TMAP_GEMM_TF32 = 2,
    TMAP_GEMM_E4M3 = 3,
    TMAP_GEMM_E5M2 = 4,
    TMAP_GEMM_S8 = 5,
    TMAP_GEMM_E4M3_E5M2 = 6, /* A e4m3, B e5m2; this and the next not on compute capability 9.0 */
    TMAP_GEMM_E5M2_E4M3 = 7,
    TMAP_GEMM_MXF8 = 8,  /* e4m3 with a scale factor (ue8m0) for every 32 of K */
    TMAP_GEMM_MXF4 = 9,  /* e2m1, two to a byte, the first in its lower four bits; as MXF8 scaled */
    TMAP_GEMM_NVF4 = 10, /* e2m1 with a scale factor (ue4m3) for every 16 of K */
    TMAP_GEMM_MXF8_E4M3_E5M2 = 11, /* A e4m3, B e5m2, as MXF8 scaled */
    TMAP_GEMM_MXF8_E5M2_E4M3 = 12
};
enum tmap_gemm_out {
    TMAP_GEMM_OUT_BF16 = 0,
    TMAP_GEMM_OUT_F16 = 1,
    TMAP_GEMM_OUT_F32 = 2,
    TMAP_GEMM_OUT_S32 = 3, /* of s8 only; alpha and beta then count as integers */
    /* Only of products with an epilogue; larger values become the largest, 448 or 57344. */
    TMAP_GEMM_OUT_E4M3 = 4,
    TMAP_GEMM_OUT_E5M2 = 5
};

/* One matrix in device memory. ld: elements from one stored row to the next; batch_stride: elements
 * from one matrix of a batch to the next (ignored for a batch of one); both even, of elements of 4
 * bits. The stored rows are
 *   A  M rows of K   (mn_major: K rows of M)
 *   B  N rows of K   (mn_major: K rows of N)
 *   D, C  M rows of N (mn_major: N rows of M, that is column by column). */
struct tmap_gemm_matrix {
    uint64_t address;
    int64_t ld, batch_stride;
    bool mn_major;
};

enum tmap_gemm_activation {
    TMAP_GEMM_NONE = 0,
    TMAP_GEMM_RELU = 1,      /* max(x, 0); a NaN stays one */
    TMAP_GEMM_GELU_TANH = 2, /* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 */
    TMAP_GEMM_GELU_ERF = 3,  /* x (1 + erf(x / sqrt 2)) / 2 */
    TMAP_GEMM_SILU = 4       /* x / (1 + exp(-x)) */
};

/* How the two halves of N lie in B; a gate makes half as many columns of D from them. */
enum tmap_gemm_gate {
    TMAP_GEMM_GATE_NONE = 0,
    TMAP_GEMM_GATE_HALVES = 1, /* one after the other: columns j and N / 2 + j */
    TMAP_GEMM_GATE_PAIRS = 2   /* in turns: columns 2 j and 2 j + 1 */
};

/* What is done to the sums, in fp32, before they are stored; all zeros: nothing. For the element of
 * row i and column j
 *   x = alpha row_scale[i] col_scale[j] sum + beta C + row_bias[i] + col_bias[j]
 * is rounded and stored in `second`, and D = d_scale activation(x). Addresses are of device memory;
 * 0 leaves a step out. Vectors are the same for every matrix of a batch, and scales are floats.
 * Vectors begin at multiples of 8 bytes, single numbers at multiples of 4. A D of 8 bits (e4m3,
 * e5m2) has no C and no second output.
 * With a gate D is M by N / 2, and its column j is d_scale activation(x) y, where x and y come from
 * the first and the second of its two columns: SwiGLU with SiLU, GeGLU with GELU, HALVES where the
 * weights were joined one below the other. N is even, vectors of columns have N numbers in B's
 * order, and there is no C and no second output. There is no kernel for halves that alternate every
 * 2 or more columns.
 * On compute capability 9.0 A and B are bf16 or fp16, k-major or not (with a gate A is k-major, and
 * a B by rows of N has HALVES and N a multiple of 16), or e4m3, k-major; after it every float of 16
 * bits or fewer, k-major, with scale factors without a gate. */
struct tmap_gemm_epilogue {
    int32_t activation;             /* enum tmap_gemm_activation */
    int32_t bias_type;              /* enum tmap_gemm_out: bf16, fp16 or fp32 */
    uint64_t alpha, beta;           /* a float each, which multiplies the problem's own */
    uint64_t row_scale, col_scale;  /* M, N floats */
    uint64_t row_bias, col_bias;    /* M, N numbers of bias_type */
    struct tmap_gemm_matrix second; /* M by N of D's type, at multiples of 16 bytes, as its rows */
    uint64_t amax;    /* a float, raised to the largest |activation(x)|: the caller clears it */
    uint64_t d_scale; /* a float: with amax what a D of 8 bits is kept by, from step to step */
    int32_t gate;     /* enum tmap_gemm_gate */
};

/* Scales of blocks of e4m3 operands: element (i, k) of A counts a[k / 128][i] times, element (k, j)
 * of B b[j / 128][k / 128] times. Stored rows: of a, M floats for every 128 of K; of b, one float
 * for every 128 of K for every 128 of N. Each 128 of K is summed in the tensor core, scaled and
 * added in fp32. Addresses of 0: none. a's rows are loaded by the copy engine and keep its rules;
 * b begins at a multiple of 4. */
struct tmap_gemm_block_scale {
    uint64_t a, b;
    int64_t lda, ldb; /* floats from one row to the next */
};

/* What a convolution is over; axes in the order W, H, D, with size 1 for an axis that an image does
 * not have. The activations are images x [D x] H x W x channels, the filters are
 * filters x [D x] H x W x channels. */
struct tmap_conv_shape {
    int32_t images, channels, filters;
    int32_t size[3], filter[3];
    int32_t stride[3], dilation[3];
    int32_t pad_low[3], pad_high[3]; /* pixels of zeros before and after each axis */
};

/* D = alpha A B + beta C for every matrix of the batch, or what the epilogue makes of it. Sums are
 * in fp32 (s8: int32). C may be D; it is stored as D is. precise: fp8 sums leave the tensor core,
 * which keeps fewer bits than fp32, every 128 of K. */
struct tmap_gemm_problem {
    int32_t kind, out; /* enum tmap_gemm_kind, enum tmap_gemm_out */
    int32_t m, n, k, batch;
    struct tmap_gemm_matrix a, b, c, d;
    float alpha, beta;
    bool precise;
    uint64_t
        workspace; /* device memory, zeroed once, of tmap_gemm_workspace_bytes(), at a multiple of
                      256; plans that share one must run one after the other. 0: the suite's, one
                      for each stream that runs a plan which needs one (see tmap_gemm_run()). */
    struct tmap_gemm_epilogue epilogue;
    /* Scale factors of A and B, of kinds that have them: tiles of 512 bytes for every 128 rows and
     * four blocks of K (32 numbers each, of NVF4 16), K's after each other, at a multiple of 16.
     * Byte 16 (r mod 32) + 4 (r / 32) + j of a tile is the factor of its row r and its j-th block,
     * as cublasLt has them. Tiles are whole: factors beyond K must not be NaN. */
    uint64_t a_scales, b_scales;
    struct tmap_gemm_block_scale block_scale; /* of a batch of one, without an epilogue */
    /* Of a convolution, which tmap_conv_product() makes: A's rows are pixels. images 0: A is a
     * matrix. */
    struct tmap_conv_shape conv;
    /* A promise: nothing that may still run when the product is launched writes B (for example, B
     * is weights). Small products of 16-bit types then load B before their predecessor ends. */
    bool b_ready;
};

#define TMAP_GEMM_STREAM_K_ANY (1 << 30) /* as a request: dealt out by k-blocks, however many */

/* How it is computed. Zero in any member of a request leaves the choice to the cost model. */
struct tmap_gemm_config {
    int32_t tile_m, tile_n;       /* of one block, in the kernel's own orientation */
    int32_t stages;               /* of the ring */
    int32_t panels;               /* of output, 8 KiB each, a warpgroup; of D of 4 bytes 1 says
                                     that a pingpong stores it from registers */
    int32_t cluster_m, cluster_n; /* blocks that share operands by multicast */
    int32_t split_k;              /* blocks of a cluster that share one tile along K; after
                                     Hopper clusters do, on request */
    int32_t group;                /* cluster tiles of M walked before N advances */
    int32_t clusters;             /* resident; the persistent stride */
    int32_t swapped;              /* 1: computes D transposed, -1: never */
    int32_t stream_k;             /* tiles dealt out by k-blocks instead of whole; -1: none */
    int32_t direct;               /* 1: D is stored by the warps, -1: by the copy engine */
    int32_t overlap;              /* -1: the launch waits for its predecessor's end. 1: it does not.
                                     2, late: it does not, but its successor waits for its end. By
                                     -1 and 2 clusters of a GPC take neighbouring tiles; 2 only
                                     where they can: clusters of 2, 4 or 8 with whole tiles, 132
                                     SMs of Hopper. 0: the plan decides */
    int32_t flip_k;               /* 1: odd rounds go through K backwards, -1: never */
    int32_t load_policy, store_policy; /* enum tmap_cache_policy, of what the copy engine loads and
                                          stores; the plan's choice is normal */
    int32_t pingpong;   /* 1: two warpgroups, a tile each, store and multiply in turns; -1: never */
    int32_t store_warp; /* 1: a warp of its own stores D for each warpgroup, -1: the
                         warpgroups themselves (as a request 1 is met where it can be) */
    int32_t dynamic;    /* 1: clusters ask for the tiles of those that have not been launched
                         (clusterlaunchcontrol), on request only; -1: never */
    int32_t patch;      /* 1: a convolution's tiles are patches of pixels, which three taps read
                         from one box, 64 channels at once; 2: 32; -1: im2col boxes, one a tap */
    int32_t apart; /* 1: even and odd rows of D are tiled apart (as a request it is met where it
                    can be), so that stores begin with a sector of memory; -1: never */
};

#define TMAP_GEMM_PARAM_WORDS 240

/* A ready plan: caller-owned plain data, valid while the suite is open; run it any number of times.
 * Everything may be read, nothing written. */
struct tmap_gemm_plan {
    struct tmap_gemm_problem problem;
    struct tmap_gemm_config config;
    struct tmap_desc
        desc[3];    /* of A, B and D as the kernel sees them (A and B exchange if swapped) */
    double cost_us; /* what the model expects */
    uint32_t grid, threads, cluster, smem_bytes;
    bool needs_workspace; /* tiles are dealt out by k-blocks: blocks pass parts of them on */
    void *function;
    const struct tmap_gemm *suite;
    uint64_t params[TMAP_GEMM_PARAM_WORDS];
};

/* Why a plan was refused: the row that a descriptor or its use violates. */
struct tmap_gemm_refusal {
    char operand; /* 'A', 'B', 'D', 'S' (A's block scales), or 0 when no row is to blame */
    struct tmap_violation violation;
    char text[160];
};

/* tmap_gemm_workspace_bytes() : the most that a plan of this suite can need. */
TMAP_API size_t tmap_gemm_workspace_bytes(const struct tmap_gemm *suite);

/* tmap_gemm_make_plan() : chooses, encodes, checks. request: what the caller fixes (NULL: nothing).
 *  refusal may be NULL. Where the library that has a kernel is not there, it chooses among the
 *  others.
 *  Errors: TMAP_E_ARGUMENT (a combination that has no kernel, a dimension below 1), TMAP_E_ILLEGAL
 *  (a descriptor or its use violates a row: refusal names it), TMAP_E_NO_PLAN (the request fits no
 *  kernel, or not in shared memory), TMAP_E_NOT_BUILT (only kernels of libraries that are not
 *  there), TMAP_E_DRIVER. */
TMAP_API enum tmap_status tmap_gemm_make_plan(struct tmap_gemm *suite,
                                              const struct tmap_gemm_problem *problem,
                                              const struct tmap_gemm_config *request,
                                              struct tmap_gemm_plan *plan,
                                              struct tmap_gemm_refusal *refusal);

/* tmap_gemm_run() : one launch on the stream (NULL: the default one); does not wait. The launch may
 *  overlap the end of its predecessor, unless that is of a plan of `overlap` 2, the default of
 *  products that multiplies bound; it touches memory only when that has completed. A plan that
 *  needs a workspace and has none uses the stream's, which is allocated at the first such run, also
 *  while the stream is captured: each stream of each capture has its own, until the suite is
 *  closed. If one capture is instantiated twice and both graphs are launched at once, they would
 *  share one: give such a plan its own.
 *  Errors: TMAP_E_DRIVER, TMAP_E_MEMORY (no memory, or more than 256 streams and captures). */
TMAP_API enum tmap_status tmap_gemm_run(const struct tmap_gemm_plan *plan, void *stream);

/* tmap_gemm_configs() : every configuration of the family that fits the request, best first by the
 *  cost model. Writes at most cap and returns how many there are; 0 where there is none, nothing is
 *  known of the device, or there is no memory. */
TMAP_API size_t tmap_gemm_configs(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                                  const struct tmap_gemm_config *request,
                                  struct tmap_gemm_config *configs, size_t cap);

/* tmap_gemm_tune() : as tmap_gemm_make_plan(), but times `most` configurations, two of three the
 * first by the cost model, the others the first of other sorts, then some variants of the quickest,
 * and plans the fastest: each for some runs beside the model's own, then the quickest in many
 * slices beside it, and the winner once more. With a `most` of 48, whose fastest is within 0.3 % of
 * the whole family's, that takes 0.4 to 1 s for runs of up to 1 ms. The runs use copies of A and B,
 * more than the L2 cache holds (at most twice its size and one more), or, if one is larger than
 * that or memory is short, the problem's own; D may be overwritten. cache_path: a text file of
 * earlier choices, one line a problem whatever the request; it is read first and appended to a line
 * at a time, so that processes may share it; NULL: none. Waits for the device. Errors: as
 * tmap_gemm_make_plan(); TMAP_E_ARGUMENT also when C is D; TMAP_E_MEMORY. A cache file that cannot
 * be read or written is ignored. */
TMAP_API enum tmap_status tmap_gemm_tune(struct tmap_gemm *suite,
                                         const struct tmap_gemm_problem *problem,
                                         const struct tmap_gemm_config *request, size_t most,
                                         const char *cache_path, struct tmap_gemm_plan *plan,
                                         struct tmap_gemm_refusal *refusal);

/* tmap_gemm_tune_sustained() : the same for a GPU that products keep at its power limit, as
 * training does. There the clock follows what a kernel draws, and what takes the fewest clocks,
 * which tmap_gemm_tune() finds, need not be the fastest. Where multiplies bound a product of 20 us
 * and more, each finalist has slices of 0.3 s after 0.3 s to settle, and what moves the fewest
 * bytes is one: 3 to 10 s in all. Otherwise, and on other GPUs than Hopper, it is tmap_gemm_tune().
 * The cache file keeps both choices. */
TMAP_API enum tmap_status tmap_gemm_tune_sustained(struct tmap_gemm *suite,
                                                   const struct tmap_gemm_problem *problem,
                                                   const struct tmap_gemm_config *request,
                                                   size_t most, const char *cache_path,
                                                   struct tmap_gemm_plan *plan,
                                                   struct tmap_gemm_refusal *refusal);

/* --- groups: many products in one launch, each of its own size
 * ---------------------------------------------------------------------------------------------- */

/* One product of a group. ld in elements as in tmap_gemm_matrix; c and ldc count with a beta only,
 * scale factors with kinds that have them (tmap_gemm_problem). An m or n of 0 is a product without
 * elements, and nothing of it is touched. */
struct tmap_gemm_member {
    int32_t m, n, k;
    uint64_t a, b, c, d;
    int64_t lda, ldb, ldc, ldd;
    uint64_t a_scales, b_scales;
};

/* How the members of a routed group are cut out of one product. problem.batch is their number;
 * `ends`, in device memory, says where each ends: */
enum tmap_gemm_form {
    /* The rows of A, C and D lie one member after the other: rows of sorted tokens. Member i's
     * begin where the one before ends; it has B i batch_strides on. */
    TMAP_GEMM_FORM_ROWS = 0,
    /* Each member has room for M rows, batch_stride from the one before. `ends` is how many of
     * them, from the first on, count: a number for each, not a sum. */
    TMAP_GEMM_FORM_PADDED = 1,
    /* The members share K: gradients of weights, summed over tokens. Member i's part begins where
     * the one before ends, at any index of K; its C and D are i batch_strides on. A member without
     * K has a D of zeros, or of beta C. */
    TMAP_GEMM_FORM_K = 2
};
struct tmap_gemm_routing {
    int32_t form;  /* enum tmap_gemm_form */
    int32_t usual; /* rows, or K, of a member: what the kernel is chosen for. 0: an equal share, of
                      PADDED all */
    uint64_t ends; /* device memory, an int32 for each member, at a multiple of 4 */
};

/* A ready group: caller-owned plain data, valid while the suite is open and its memory is. */
struct tmap_gemm_group {
    struct tmap_gemm_problem like;
    struct tmap_gemm_routing
        routing; /* of tmap_gemm_make_routed(); ends 0: of the host's members */
    struct tmap_gemm_config config;
    size_t count;
    uint64_t memory;
    double cost_us; /* what the model expects of the multiplies */
    uint32_t grid, threads, cluster, smem_bytes;
    void *make, *multiply;
    const struct tmap_gemm *suite;
    uint64_t params[TMAP_GEMM_PARAM_WORDS];
};

/* tmap_gemm_group_bytes() : device memory that a group of so many members needs. */
TMAP_API size_t tmap_gemm_group_bytes(size_t count);

/* tmap_gemm_make_group() : like gives what all members share: kind, out, alpha, beta, precise and
 *  whether D is stored column by column; its A and B must be k-major, and groups have no epilogue.
 *  memory: device memory of tmap_gemm_group_bytes(count), at a multiple of 128; the members are
 *  copied there. Every member's maps, and the tensormap.replace that will make them on the device,
 *  are checked against the rows. Of the request only tile_m, tile_n, stages, panels, cluster_m,
 *  cluster_n, group, clusters and swapped count. Errors: as tmap_gemm_make_plan(); the refusal's
 * text names the member. */
TMAP_API enum tmap_status
tmap_gemm_make_group(struct tmap_gemm *suite, const struct tmap_gemm_problem *like,
                     const struct tmap_gemm_member *members, size_t count, uint64_t memory,
                     const struct tmap_gemm_config *request, struct tmap_gemm_group *group,
                     struct tmap_gemm_refusal *refusal);

/* tmap_gemm_make_routed() : a group whose members' sizes only the device knows, read at every run;
 * the host never reads them. problem: its M is that of all rows (ROWS) or of one member's room
 * (PADDED), its K that of all (K). Nothing beyond is read or written, whatever `ends` says: an end
 * is clamped to 0 and that, and a member that ends before it begins is empty. Rows of A and D that
 * belong to no member are left alone. With ROWS A is k-major and D row-major, since a member may
 * begin at any row; otherwise A and B of 16 bits may lie either way. Block scales (not with K):
 * with ROWS a is one matrix of all rows; with PADDED the members' matrices, K / 128 rows each, lie
 * one after the other; b's always do, N / 128 rows each (rounded up). No epilogue. memory, request,
 * errors: as tmap_gemm_make_group(), but nothing is copied there. On compute capability 9.0. */
TMAP_API enum tmap_status
tmap_gemm_make_routed(struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                      const struct tmap_gemm_routing *routing, uint64_t memory,
                      const struct tmap_gemm_config *request, struct tmap_gemm_group *group,
                      struct tmap_gemm_refusal *refusal);

/* tmap_gemm_group_run() : two launches on the stream: one makes the members' tensor maps in the
 *  group's memory, one multiplies. Does not wait. Runs of one group must not overlap.
 *  Errors: TMAP_E_DRIVER. */
TMAP_API enum tmap_status tmap_gemm_group_run(const struct tmap_gemm_group *group, void *stream);

/* tmap_gemm_group_rows() : the device address of a member's M, an int32 that kernels may lower
 *  between runs (to as little as 0, never above the planned M): that many rows of A and D count
 *  then. If the planned dimension keeps every row, so does a smaller one. 0 for a routed group. */
TMAP_API uint64_t tmap_gemm_group_rows(const struct tmap_gemm_group *group, size_t member);

/* What a kernel's watchdog or its own check reported before it trapped. */
struct tmap_gemm_report {
    uint32_t what; /* 0 nothing, 1 a wait ran out, 2 the plan does not fit the kernel */
    uint32_t barrier, slot, parity, block, thread;
};

/* tmap_gemm_last_report() : readable also after the context has failed. */
TMAP_API struct tmap_gemm_report tmap_gemm_last_report(const struct tmap_gemm *suite);

/* tmap_gemm_barrier_name() : "full", "empty", "drain", "part", "turn", "answer"; NULL for an
 * unknown id. */
TMAP_API const char *tmap_gemm_barrier_name(uint32_t barrier);

/* What an operand of a verified product holds, by its outer index i (of M or N) and by k. */
enum tmap_gemm_fill {
    TMAP_GEMM_FILL_NORMAL = 0,    /* standard normal numbers (s8: uniform) */
    TMAP_GEMM_FILL_INTEGERS = 1,  /* -4 .. 4: sums are exact */
    TMAP_GEMM_FILL_SIGNS = 2,     /* -1, 0, 1 */
    TMAP_GEMM_FILL_ZEROS = 3,     /* 0 */
    TMAP_GEMM_FILL_IDENTITY = 4,  /* 1 where i == k */
    TMAP_GEMM_FILL_PERMUTED = 5,  /* 1 where k == (5 i + 3) mod K */
    TMAP_GEMM_FILL_ONE_HOT = 6,   /* 1 where k == parameter */
    TMAP_GEMM_FILL_K_CONSTANT = 7 /* 1 + (k-block mod 4): tells which block is missing or doubled */
};

/* One check of one product against a plain fp64 (or integer) sum on the same device. */
struct tmap_gemm_case {
    struct tmap_gemm_problem problem; /* its addresses are ignored (an epilogue's that is not 0 asks
                                         for its step); an ld or a batch_stride of 0 becomes the
                                         smallest legal one */
    struct tmap_gemm_config request;
    int32_t fill_a, fill_b, parameter; /* enum tmap_gemm_fill */
    uint64_t seed;
    int32_t reruns; /* further launches that must give the same bytes */
    bool freivalds; /* D r = A (B r) in exact integers for 32 random bit vectors r */
    bool every;     /* every element of D; false: a sample of 32768 above 10^9 multiplies */
    bool in_place;  /* C is D, for a beta; without reruns */
};

struct tmap_gemm_outcome {
    uint64_t checked, wrong; /* elements of D (or sums of Freivalds) */
    uint64_t guard_wrong;    /* bytes outside D that changed */
    uint64_t rerun_wrong;    /* words that differed in a rerun */
    uint64_t first;          /* linear index of a wrong element */
    double expected, got;    /* there */
    double worst;            /* largest error / allowed error (random data) */
    struct tmap_gemm_config config;
    struct tmap_gemm_refusal refusal;
    uint64_t maps_wrong; /* of a group: words of its maps that are not what the host encodes */
};

/* tmap_gemm_verify() : outputs poisoned before, guard bands and row padding checked after. Random
 *  data must keep the bound of docs/GEMM.md; everything else must be bitwise right.
 *  Errors: as tmap_gemm_make_plan(); TMAP_E_DRIVER also for a kernel that trapped (ask
 *  tmap_gemm_last_report()). A wrong result is not an error: look at the outcome. */
TMAP_API enum tmap_status tmap_gemm_verify(struct tmap_gemm *suite,
                                           const struct tmap_gemm_case *what,
                                           struct tmap_gemm_outcome *outcome);

#define TMAP_GEMM_VERIFY_MEMBERS 32

/* tmap_gemm_verify_group() : the same for a group, one case a member (at most
 *  TMAP_GEMM_VERIFY_MEMBERS; the first says what all share). Reruns, Freivalds and the cases' own
 *  requests are ignored. Errors: as tmap_gemm_make_group(), tmap_gemm_verify(). */
TMAP_API enum tmap_status tmap_gemm_verify_group(struct tmap_gemm *suite,
                                                 const struct tmap_gemm_case *cases, size_t count,
                                                 const struct tmap_gemm_config *request,
                                                 struct tmap_gemm_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
