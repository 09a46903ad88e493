/* Inside the GEMM host side: the open suite, the table of kernels, and who does what. */
#ifndef TMAP_KERNELS_GEMM_SUITE_H
#define TMAP_KERNELS_GEMM_SUITE_H

#include "driver/libcuda.h"
#include "kernels/gemm/epilogue.h"
#include "kernels/runtime/images.h"
#include "kernels/runtime/opening.h"
#include "kernels/runtime/streams.h"
#include "tmap/kernels.h"

#include <stdio.h>

/* Of a kind: its common kernels; those of other majors, or of promoted sums (for tensor memory
 * those that ask for their next tile); those of widths between; those with an epilogue, with
 * scales of blocks, of convolutions, with a gate, of 192 and 256 rows along K, those that load an
 * operand before the predecessor's end, and those with a bias and an activation alone; and the last
 * of operands that are contiguous along M or N, those with an epilogue, a gate, or a bias and an
 * activation. */
enum gemm_image {
    GEMM_COMMON,
    GEMM_RARE,
    GEMM_WIDTHS,
    GEMM_FINISHED,
    GEMM_BLOCKS,
    GEMM_CONV,
    GEMM_IMAGE_GATED, /* the row's word is GEMM_GATED */
    GEMM_HIGH,
    GEMM_EARLY,
    GEMM_QUICK,
    GEMM_FINISHED_BY_ROWS,
    GEMM_GATED_BY_ROWS,
    GEMM_QUICK_BY_ROWS,
    GEMM_IMAGES
};

/* Device memory is read and written in sectors of so many. */
enum { GEMM_SECTOR_BYTES = 32 };
/* K-blocks of a stream's share, at the least: fewer would cost more to hand over than to sum. */
enum { GEMM_LEAST_SHARE = 4 };
/* With so many k-blocks a tile and no more, a product is mostly its stores. */
enum { GEMM_FEW_BLOCKS = 2 };

static inline int32_t gemm_ceil_div(int32_t a, int32_t b)
{
    return a / b + (a % b != 0);
}

/* Of a request's member, which may leave open what it is. */
static inline bool gemm_allows(int32_t requested, int32_t value)
{
    return requested == 0 || requested == value;
}

/* Which kernels a device runs: those of wgmma, of tensor memory, of mma.sync. */
enum gemm_family { GEMM_SM90, GEMM_SM100, GEMM_SM120, GEMM_FAMILIES };

/* One row of a family's instances.def. */
struct gemm_instance {
    const char *name;
    enum gemm_family family;
    int32_t kind, wgs, bn;
    int32_t
        ctas; /* blocks that share a tile, each with its rows: a pair of tensor memory's, or 1 */
    bool a_mn, b_mn, promote;
    bool pingpong; /* the tile is one warpgroup's, of two; wgs counts its slabs of 64 rows */
    enum gemm_image image;
    int32_t few; /* of a convolution's kernel for so many channels alone; 0: for any */
    bool patch;  /* a tile is a patch of pixels: sm90/patches.cuh */
};

#define GEMM_MAX_INSTANCES 960
#define GEMM_MAX_CLUSTER 8 /* the portable limit */
extern const struct gemm_instance gemm_instances[];
extern const size_t gemm_instance_count;

/* The kernels of groups.def and groups_routed.def, in images of their own. */
extern const struct gemm_instance gemm_group_instances[];
extern const size_t gemm_group_instance_count;

/* Of kinds.def: bits of a multiplicand; the kind whose both operands are of the type of this one's
 * first (0) or second (1); the kind of the product with the operands exchanged. */
int32_t gemm_element_bits(int32_t kind);
int32_t gemm_operand_kind(int32_t kind, int32_t operand);
int32_t gemm_exchanged_kind(int32_t kind);
bool gemm_is_fp8(int32_t kind);
/* Of an element of D; one of 8 bits is an epilogue's. */
int32_t gemm_out_bytes(int32_t out);
bool gemm_is_narrow(int32_t out);
/* Its operands have scale factors (params.h, GEMM_SCALE_BYTES), one for so many of K, or 0. */
bool gemm_is_scaled(int32_t kind);
int32_t gemm_scale_block(int32_t kind);
/* Their tiles of GEMM_SCALE_BYTES along K. */
int32_t gemm_scale_tiles(int32_t kind, int32_t k);

struct tmap_gemm {
    struct tmap_gpu gpu;
    enum gemm_family family;
    struct tmap_checker checker;
    uint32_t smem_optin_bytes;
    tmap_cu_module modules[GEMM_KINDS][GEMM_IMAGES], probe, group[GEMM_IMAGES];
    tmap_cu_module mixed[2]; /* mixed.c's, by activations: fp16's, bf16's */
    /* Images whose library is not there (IMAGE_LIBS): other kernels do without, if any can. */
    bool absent[GEMM_KINDS][GEMM_IMAGES];
    tmap_cu_function functions[GEMM_MAX_INSTANCES];
    struct suite_mailbox mailbox;     /* for a kernel that gives up */
    uint32_t limit_ms;                /* of a kernel's wait; UINT32_MAX: 49 days, for never */
    struct stream_memory *workspaces; /* flags, then a partial tile for every SM; by stream */
    int32_t
        resident[GEMM_MAX_CLUSTER + 1]; /* clusters of a size that run at once; 0 not asked yet */
};

/* An image of a kind's kernels, by enum gemm_image; of size 0 where there is none. */
struct tmap_code_embedded gemm_image_of(enum gemm_family family, int32_t kind, int32_t part);

/* Whether the family has kernels of the kind. */
bool gemm_has_kind(enum gemm_family family, int32_t kind);

/* The family for a device; false with the words why where there is none. */
bool gemm_family_of(int cc_major, int cc_minor, enum gemm_family *family, const char **why);

/* The function of an instance, its module loaded at first use. */
enum tmap_status gemm_function(struct tmap_gemm *suite, const struct gemm_instance *instance,
                               tmap_cu_function *out);

/* Whether the library that has an instance was not there when it was asked for. */
static inline bool gemm_is_absent(const struct tmap_gemm *suite,
                                  const struct gemm_instance *instance)
{
    return suite->absent[instance->kind][instance->image];
}

/* Loads an image by its name, unless *module is loaded already. Errors: TMAP_E_NOT_BUILT (it is not
 * there), TMAP_E_DRIVER. */
enum tmap_status gemm_module(struct tmap_gemm *suite, const char *name, tmap_cu_module *module);

/* How long a workspace's partial tiles are: the widest tile in fp32. */
enum { GEMM_PART_BYTES = 192 * 256 * 4, GEMM_WORKSPACE_ALIGN = 256 };

enum tmap_status gemm_launch(const struct tmap_gemm *suite, const struct tmap_launch *what,
                             void **params, void *stream);

/* Writes the words into a refusal that blames no row; returns the status. refusal may be NULL. */
enum tmap_status gemm_refuse(struct tmap_gemm_refusal *refusal, enum tmap_status status,
                             const char *text);
/* The same of kernels that gemm_function() or gemm_module() could not load. */
enum tmap_status gemm_refuse_unloaded(struct tmap_gemm_refusal *refusal, enum tmap_status status);

/* Whether every number is within bounds.def, before anything calculates with them; the refusal
 * names the member and its range. request may be of zeros. */
enum tmap_status gemm_validate(const struct tmap_gemm_problem *problem,
                               const struct tmap_gemm_config *request,
                               struct tmap_gemm_refusal *refusal);
enum tmap_status gemm_validate_request(const struct tmap_gemm_config *request,
                                       struct tmap_gemm_refusal *refusal);
struct tmap_mixed_problem;
enum tmap_status gemm_validate_mixed(const struct tmap_mixed_problem *problem,
                                     struct tmap_gemm_refusal *refusal);
enum tmap_status gemm_validate_member(int32_t kind, const struct tmap_gemm_member *member,
                                      struct tmap_gemm_refusal *refusal);

/* Where a product is made that reads them: the factors of a kind that is scaled have addresses. */
enum tmap_status gemm_validate_scales(int32_t kind, uint64_t a_scales, uint64_t b_scales,
                                      struct tmap_gemm_refusal *refusal);
enum tmap_status gemm_validate_case(const struct tmap_gemm_case *what,
                                    struct tmap_gemm_refusal *refusal);

/* A configuration as text: its members in the order of bounds.def, between commas. Printing is as
 * snprintf; reading gives how many there were, the rest is 0, and 0 when one is none or out of its
 * bounds. */
enum { GEMM_CONFIG_MEMBERS = sizeof(struct tmap_gemm_config) / sizeof(int32_t) };
int gemm_print_config(char *text, size_t cap, const struct tmap_gemm_config *config);
size_t gemm_read_config(const char *text, struct tmap_gemm_config *config);

/* The tuner's file (remember.c): a line is a key of less than GEMM_KEY_BYTES characters, a tab and
 * a configuration; of several with a key the last that is whole counts. gemm_recall() : false when
 * there is none; path may be NULL. gemm_recall_from() reads what is open. */
enum { GEMM_KEY_BYTES = 240 };
bool gemm_recall(const char *path, const char *key, struct tmap_gemm_config *config);
bool gemm_recall_from(FILE *file, const char *key, struct tmap_gemm_config *config);
void gemm_remember(const char *path, const char *key, const struct tmap_gemm_config *config);

/* Of `count` configurations, the model's best first, the `most` that a search is to look at come
 * first (looks.c). Each keeps its place among its like. */
void gemm_order_looks(struct tmap_gemm_config *configs, size_t count, size_t most);

/* Of a configuration's `overlap`: the launch overlaps its predecessor, but not its successor. */
enum { GEMM_LATE = 2 };
/* Whether a launch's clusters would take other places, were it to find the device empty: they may,
 * and the order is known in which such a device starts them. */
bool gemm_has_turns(const struct tmap_gemm *suite, const struct tmap_gemm_config *c);
/* Whether they do: the configuration says that it finds it empty, or that its successor does, which
 * may well be another launch of the same. */
bool gemm_takes_turns(const struct tmap_gemm *suite, const struct tmap_gemm_config *c);
/* Whether the clusters of a GPC would ask L2 for A at the same time, which is answered once, if
 * their order were along N: blocks share B alone, and all tiles are under way at once. */
bool gemm_can_merge_a(const struct tmap_gemm_config *c, double tiles);
/* The same of B, along M, by pairs that share A alone. So many of them are one GPC's; where groups
 * have as many rows, clusters are no more than have turns, if that takes no more rounds, so that
 * every round of a GPC begins with a group. */
enum { GEMM_PAIRS_OF_A_GPC = 8 };
bool gemm_can_merge_b(const struct tmap_gemm_config *c);
int32_t gemm_clusters_in_turn(const struct tmap_gemm *suite, const struct tmap_gemm_config *c,
                              int64_t tiles);
/* What L2 is asked for of B, of what the clusters want: less where they have their turns along M
 * and their blocks share A alone. */
double gemm_asked_of_b(const struct tmap_gemm *suite, const struct tmap_gemm_config *c);
/* Elements of both operands that L2 is asked for a multiply: a cluster asks once for what its
 * blocks share. */
double gemm_asked(const struct tmap_gemm *suite, const struct tmap_gemm_config *c);
/* Of a launch of so many clusters of so many blocks, one on each SM of a device of so many, that
 * finds the device empty; all zero where the order of starting is not known. */
struct gemm_turns gemm_turns_of(int32_t sms, int32_t blocks, int32_t clusters);

/* Fills suite->resident: every kernel takes a whole SM, so it depends on the size alone. */
enum tmap_status gemm_ask_residents(struct tmap_gemm *suite, int32_t kind);
/* What an H200 answers (2026-11-22 and 2026-11-27), for when there is no device to ask; and all
 * that the model reads of a device, as an H200's driver says it. */
extern const int32_t gemm_h200_resident[GEMM_MAX_CLUSTER + 1];
enum tmap_status gemm_as_h200(struct tmap_gemm *suite);

/* What a tile of a convolution is where it is a patch (sm90/patches.cuh): axes in the order W, H,
 * D, then images. A warpgroup's `slab` of 64 pixels, rows of `pitch` of them in shared memory, of
 * which W has the rest; the second is `beside` the first. tile: both; box: A's. */
struct gemm_patch {
    int32_t slab[4], tile[4], box[4], beside[4], count[4];
    int32_t pitch;
};

/* A convolution as the kernel sees it: where A's pixels lie in their tensor. Forward that is the
 * activations; of a data gradient it is the outputs, and channels are the filters. images 0: none.
 * Axes in the order W, H, D. */
struct gemm_conv_view {
    int32_t images, channels;
    int64_t taps;
    int32_t few;            /* the channels, where there is a kernel for so many; or 0 */
    int32_t size[3], in[3]; /* pixels of the tensor, and of its map, which takes every step-th */
    int32_t step[3], out[3], filter[3], stride[3], dilation[3];
    int32_t lower[3], upper[3]; /* the pixel box's corners */
    struct gemm_patch patch;
};

/* The problem as the kernel sees it: rows are the first operand's, columns the second's. */
struct gemm_view {
    int32_t kind, out, m, n, k, batch;
    struct tmap_gemm_matrix a, b, d;
    uint64_t a_scales, b_scales;
    bool transposed; /* D's contiguous dimension is the rows' */
    bool adds_c, promote;
    bool early;              /* nothing that may still run writes B (of the problem) */
    bool epilogue, second;   /* steps of epilogue.def; a second output among them */
    bool quick;              /* no more of them than quick.cuh has */
    int32_t gate;            /* enum gemm_gate: D has half of N's columns */
    bool blocks;             /* scaled */
    bool activates;          /* by more than a maximum */
    bool precise_activation; /* one whose D keeps more than the hardware's tanh has */
    struct gemm_conv_view conv;
    bool by_rows;               /* a step of the epilogue knows rows of D one by one */
    bool grouped;               /* one of a group, whose members share their boxes */
    int32_t element_bits, span; /* of a multiplicand; of K in a k-block */
    int32_t out_bytes;
    bool torn;             /* rows of D begin inside a sector of 32 bytes */
    bool apart, odd_first; /* D's even and odd rows are a batch each (apart.c); in which order */
};
struct gemm_view gemm_view_of(const struct tmap_gemm_problem *problem, bool swapped);
/* The same as the kernel sees it: a convolution's tiles may be patches (conv_shape.c). */
struct gemm_view gemm_view_for(const struct gemm_view *view, const struct gemm_instance *instance);
bool gemm_can_patch(const struct gemm_view *view, const struct gemm_instance *instance);
/* D by even and odd rows (apart.c): whether a view may be computed so, and the view then; how many
 * columns its tiles have to reach; whether a kernel can; D's descriptor for the odd rows' first
 * tile; what the kernel is told. */
bool gemm_wants_apart(const struct tmap_gemm *suite, const struct gemm_view *view,
                      const struct tmap_gemm_config *request);
struct gemm_view gemm_view_apart(const struct gemm_view *view);
int32_t gemm_tiled_columns(const struct gemm_view *view);
bool gemm_tiles_apart(const struct gemm_instance *instance);
void gemm_describe_first(const struct gemm_view *view, int32_t tile_n, struct tmap_desc *desc);
void gemm_fill_apart(const struct gemm_view *view, struct gemm_params *p);
/* Of D in a panel's row: 128 bytes, or 64 of 8-bit elements (sm90/narrow.cuh). */
int32_t gemm_panel_columns(const struct gemm_view *view);
/* Columns of D for so many of the product, the kernel's; and how long a stored row of D is. */
int32_t gemm_d_columns(const struct gemm_view *view, int32_t columns);
int32_t gemm_d_inner(const struct gemm_view *view);

/* Whether D's rows end inside 16 bytes, which the copy engine cannot store. */
bool gemm_is_ragged(const struct gemm_view *view);

/* The kernel that a group was planned with. */
const struct gemm_instance *gemm_group_instance(const struct tmap_gemm *suite,
                                                const struct gemm_view *view,
                                                const struct tmap_gemm_group *group);

/* A configuration made whole: its kernel and what it needs. */
struct gemm_choice {
    const struct gemm_instance *instance;
    struct tmap_gemm_config config;
    bool panels_in_ring; /* a block has one tile, or parts only: nothing loads when it stores */
    uint32_t smem_bytes;
    double cost_us;
};

/* The problem as the choice's kernel sees it. */
struct gemm_view gemm_view_in(const struct tmap_gemm_problem *problem,
                              const struct gemm_choice *choice);

/* Blocks of a cluster. After Hopper those that split a tile along K are in clusters of their own.
 */
int32_t gemm_members(const struct gemm_choice *choice);

/* More than any product has: 4009 were counted, the dearest of more would be left out. */
#define GEMM_MAX_CHOICES 4608

/* Every whole configuration for the problem within the request, cheapest first; returns how many,
 * writes at most cap. With a cap of 1 those that cannot be the first are not counted. Of the
 * first few the order is by what the model's costs are off by (residual.h). */
size_t gemm_enumerate(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                      const struct tmap_gemm_config *request, struct gemm_choice *out, size_t cap);

/* The numbers of the kernels that a request leaves to the problem; how many. waste: also those of
 * whose tiles most lies outside D. */
size_t gemm_list_wanted(const struct tmap_gemm *suite, const struct gemm_view *view,
                        const struct tmap_gemm_config *request, bool waste,
                        uint16_t numbers[GEMM_MAX_INSTANCES]);

/* Whether tiles may be split along K, or dealt out by k-blocks. */
bool gemm_deals_out(const struct gemm_instance *instance, const struct gemm_view *view);
/* Fills in what follows from the instance, the cluster and the stream; false when it cannot be. */
bool gemm_complete(const struct tmap_gemm *suite, const struct gemm_view *view,
                   const struct tmap_gemm_config *request, struct gemm_choice *choice);

/* Deals the tiles out in the way that the configuration asks for, its stream_k a way from 0 to 3
 * (deal.c); false: it cannot. After Hopper, each part of K has a cluster of its own. */
bool gemm_deal_tiles(const struct tmap_gemm *suite, const struct tmap_gemm_config *request,
                     struct gemm_choice *choice, int64_t tiles, int32_t k_blocks);
/* Of how many tiles a way deals the k-blocks out, where so many clusters fit; 0: of none. */
int64_t gemm_dealt_tiles(int32_t way, int32_t split, int64_t tiles, int32_t resident);

/* What gemm_deal_tiles() does but for tiles that are split and shared, or dynamic: how many
 * clusters run, of those that fit (resident), and how many tiles they share by k-blocks.
 * c->stream_k comes as a way. A share of few k-blocks would cost more to hand over than to sum. */
bool gemm_deal_to_clusters(struct tmap_gemm_config *c, int64_t tiles, int32_t k_blocks,
                           int32_t resident, int32_t members, int32_t sm_count);

/* Clusters that share each tile, where all do and none has anything else to do (each has some
 * k-blocks); or 1. The later families deal their tiles' parts out by themselves. */
int32_t gemm_sharers_of_each(const struct gemm_instance *instance, const struct tmap_gemm_config *c,
                             int64_t tiles);
/* Where they add its parts together (params.h, GEMM_TOGETHER), gemm_params.together; else 0. */
int32_t gemm_adds_together(const struct gemm_view *view, const struct gemm_instance *instance,
                           const struct tmap_gemm_config *c, int64_t tiles);
bool gemm_splits_apart(const struct gemm_choice *choice);

/* The three descriptors of a choice (maps.c). */
void gemm_describe(const struct gemm_view *view, const struct gemm_choice *choice,
                   struct tmap_desc desc[3]);
/* Makes of D's descriptor the one for a tile's last columns, where those are fewer than a panel's
 * 64 and D is of 16 bits; false where there is none. */
bool gemm_describe_end(const struct gemm_view *view, int32_t tile_n, struct tmap_desc *desc);
/* Every row about the map and about the kernels' use of it; a violated one is in the refusal. */
enum tmap_status gemm_check(const struct tmap_gemm *suite, const struct tmap_desc *desc, char name,
                            int32_t sharers, struct tmap_gemm_refusal *refusal);
/* The same for a piece of a tile that `ctas` blocks share. */
enum tmap_status gemm_check_piece(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                                  char name, int32_t sharers, int32_t ctas,
                                  struct tmap_gemm_refusal *refusal);
enum tmap_status gemm_check_use(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                                const struct tmap_use *use, char name,
                                struct tmap_gemm_refusal *refusal);
enum tmap_status gemm_encode(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                             struct gemm_map *map);

/* Every row about the pipeline that a choice for tensor memory is (tensor.c). */
/* The operands' types as an instruction descriptor has them. */
uint32_t gemm_tensor_types(int32_t kind);
enum tmap_status gemm_check_tensor(const struct tmap_gemm *suite, const struct gemm_view *view,
                                   const struct gemm_choice *choice, const struct tmap_desc desc[3],
                                   struct tmap_gemm_refusal *refusal);

uint64_t gemm_operand_tx_bytes(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                               bool mn_major, int32_t tile_rows, int32_t sharers);

/* Whether a product wants steps of epilogue.def, and what its kernel is told of them (epilogue.c).
 */
bool gemm_wants_epilogue(const struct tmap_gemm_problem *problem);
/* Whether they are no more than a bias and an activation, all of 16 bits (sm90/quick.cuh). */
bool gemm_is_quick(const struct tmap_gemm_problem *problem);
void gemm_fill_epilogue(const struct tmap_gemm_problem *problem, bool swapped,
                        struct gemm_epilogue *out);

/* The map of A's block scales, of which a kernel's tile of rows is a box (maps.c). */
void gemm_describe_scales(const struct tmap_gemm_problem *problem, int32_t tile_m,
                          struct tmap_desc *desc);

/* Convolutions (conv_shape.c): the view of a shape; its taps; K as the kernels count it, every
 * tap's channels in whole k-blocks, or all taps of few channels; A's and B's maps; what the kernel
 * is told. */
struct gemm_conv_view gemm_conv_view_of(const struct tmap_conv_shape *shape, bool data, int64_t ld);
int64_t gemm_conv_taps(const struct tmap_conv_shape *shape);
int64_t gemm_conv_depth(const struct gemm_conv_view *view, int32_t element_bits);
void gemm_describe_conv(const struct gemm_view *view, const struct gemm_choice *choice,
                        struct tmap_desc desc[3]);
/* Boxes of A or B that a k-block is: one, of few channels one of A a tap, of a patch one of B. */
uint64_t gemm_conv_boxes(const struct gemm_view *view, const struct gemm_instance *instance,
                         int32_t operand);
void gemm_fill_conv(const struct gemm_view *view, struct gemm_conv *out);
/* Whether a shape's numbers are within bounds.def, and its tensors' pixels, which are counted
 * (validate.c); whether A's map and its use keep the rows (maps.c). */
enum tmap_status gemm_validate_shape(const struct tmap_conv_shape *shape, int64_t *x, int64_t *y,
                                     struct tmap_gemm_refusal *refusal);
enum tmap_status gemm_check_pixels(const struct tmap_gemm *suite, const struct gemm_view *view,
                                   const struct tmap_desc *desc, int32_t sharers,
                                   struct tmap_gemm_refusal *refusal);
/* A's and B's stored rows and how long one is, in elements. */
void gemm_operand_extent(const struct tmap_gemm_problem *problem, int32_t operand, int64_t *rows,
                         int64_t *length);

/* A plan's parameters but for its maps and what is only a group's (plan.c). */
void gemm_fill_params(const struct tmap_gemm *suite, const struct gemm_view *view,
                      const struct gemm_choice *choice, const struct tmap_gemm_problem *problem,
                      struct gemm_params *p);

/* Three warpgroups that multiply and no producer; and no C to add, no stores by the warps
 * (instance.c). */
bool gemm_is_tall(const struct gemm_instance *instance);
bool gemm_is_bare(const struct gemm_instance *instance);
/* Whether it stores D column by column, too; if not, the exchanged operands' product is D by rows.
 */
bool gemm_writes_columns(const struct gemm_instance *instance);
/* Three or four warpgroups beside a producer: none of C, splits, stores by the warps. */
bool gemm_is_high(const struct gemm_instance *instance);
/* Whether the kernel's straight way to D (sm90/epilogue.cuh) knows D's elements. */
bool gemm_stores_straight(const struct gemm_view *view, const struct gemm_instance *instance);
/* Whether a configuration means that D goes to memory from registers: by one panel, where D's 64
 * columns are two. */
bool gemm_is_from_registers(const struct gemm_view *view, const struct tmap_gemm_config *config);
bool gemm_adds_c(const struct gemm_instance *instance);
/* Whether blocks of a cluster may share a tile along K. */
bool gemm_splits(const struct gemm_instance *instance);
/* The image of the kernels that end as this one does and whose operands are contiguous along K. */
enum gemm_image gemm_end_of(const struct gemm_instance *instance);
/* Its sums go through the steps of epilogue.def. */
bool gemm_is_finished(const struct gemm_instance *instance);
/* Whether its warps can store D by themselves: S::STORES_ITSELF. */
bool gemm_stores_itself(const struct gemm_instance *instance);
/* The sharers of a tile can add its parts together: TOGETHER of sm90/together.cuh. */
bool gemm_has_together(const struct gemm_instance *instance);
/* Whether its activations are good to fp32: S::PRECISE. */
bool gemm_is_precise(const struct gemm_instance *instance);
/* Its clusters ask for the tiles of those that have not been launched. */
bool gemm_is_dynamic(const struct gemm_instance *instance);
uint32_t gemm_smem_bytes(const struct gemm_instance *instance, int32_t stages, int32_t panels);
int32_t gemm_tile_m(const struct gemm_instance *instance);
uint32_t gemm_threads(const struct gemm_instance *instance);
uint32_t gemm_stage_bytes(const struct gemm_instance *instance);
/* Of a stage, those of scale factors. */
uint32_t gemm_scale_bytes(const struct gemm_instance *instance);
/* Of tensor memory: of two one is stored while the other is summed. */
int32_t gemm_accumulators(const struct gemm_instance *instance);
/* Rows of D that one panel of output has, and of A and of B that a block holds of a tile. */
int32_t gemm_panel_rows(const struct gemm_instance *instance);
int32_t gemm_a_rows(const struct gemm_instance *instance);
int32_t gemm_b_rows(const struct gemm_instance *instance);

/* What the model expects of all tiles of a product, one after the other, in microseconds; the same
 * on a chip with tensor memory. */
double gemm_work_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                    const struct gemm_choice *choice);
double gemm_tensor_work_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                           const struct gemm_choice *choice);

/* What the model expects of a configuration, in microseconds (model.c). */
double gemm_cost_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                    const struct gemm_choice *choice);
/* The same on a chip with tensor memory: predicted (model_tensor.c). */
double gemm_tensor_cost_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                           const struct gemm_choice *choice);
/* What multiplies alone take on Hopper at the full clock (settled.c). */
double gemm_multiply_us(const struct tmap_gemm *suite, const struct gemm_view *view);
/* Whether products like this one were timed on a device that had settled at its power limit, and
 * are mostly multiplies: single ones of 16 bits whose rows of D are whole 16 bytes. K decides;
 * whether they are long enough does not. */
bool gemm_may_settle(const struct gemm_view *view);
/* Of such a device. gemm_merged(): how far a configuration counts as settled whose clusters merge
 * what they ask of B, 0 to 1; any other is 0. gemm_merged_fit(): what that makes of the time of
 * pairs along N; gemm_settled_fit(): of any configuration's. */
double gemm_merged(const struct tmap_gemm *suite, const struct gemm_view *view,
                   const struct tmap_gemm_config *c);
double gemm_merged_fit(const struct tmap_gemm *suite, const struct gemm_view *view,
                       const struct tmap_gemm_config *c);
double gemm_settled_fit(const struct tmap_gemm *suite, const struct gemm_view *view,
                        const struct tmap_gemm_config *c);
/* No more than what the model expects of any configuration of a kernel, for as many clusters as
 * fit. What all its configurations have in common is worked out once, what those of one shape of
 * clusters have once for all ways to deal tiles out (deal.c); suite and view are the caller's for
 * as long. */
struct gemm_bound {
    const struct tmap_gemm *suite;
    const struct gemm_view *view;
    const struct gemm_instance *instance;
    bool own, conv;
    double multiply;                /* clocks of a k-block */
    double tile, stored, addend;    /* of a tile's end, of its stores, of adding C */
    double turn_end, aside;         /* of a pingpong's end; of an end under the next tile's loads */
    double latency;                 /* of a k-block's loads in as many stages as there may be */
    double k_blocks, unique;        /* of a tile; bytes of the operands */
    double row_bytes, column_bytes; /* of a row of A and a column of B, a k-block */
    double fit, us;                 /* of a clock */
    double merged;                  /* of pairs that merge what they ask of B */
    double start_us, ready_us;      /* of a launch that fills the device; that a promise saves */
    struct tmap_gemm_config shape;  /* its tile; from here on by gemm_bound_cluster() */
    double tiles;                   /* of the product */
    double load, loaded;            /* clocks of a k-block's loads; bytes, by all blocks */
    double first;                   /* clocks before a block's first k-block */
    int32_t members;                /* from here on by gemm_bound_split() */
    double clusters;                /* that fit */
    double end;                     /* clocks of a tile's end */
    double waits[2]; /* what a block's time is multiplied by: whole tiles, dealt out */
    double power_us, cache_us, memory_us; /* of all, where memory_us is not 0 */
};
struct gemm_bound gemm_bound_of(const struct tmap_gemm *suite, const struct gemm_view *view,
                                const struct gemm_instance *instance);
/* Goes on to clusters of rows x cols blocks; whether all of their configurations are modelled as
 * slower than so many us, by what is known before K is split; and goes on to a split of them. */
void gemm_bound_cluster(struct gemm_bound *bound, int32_t rows, int32_t cols);
bool gemm_cluster_is_slower(const struct gemm_bound *bound, double than_us);
void gemm_bound_split(struct gemm_bound *bound, int32_t split_k);
/* Whether every configuration of that shape and way is modelled as slower than so many us; where a
 * way deals nothing out there is none. */
bool gemm_is_slower(struct gemm_bound *bound, int32_t way, double than_us);
/* The same of every way that deals tiles out. */
bool gemm_dealing_is_slower(const struct gemm_bound *bound, double than_us);

#endif
