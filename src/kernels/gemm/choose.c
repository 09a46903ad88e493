/* Which configurations a problem can have. */
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

/* GROUP_ROWS of D are walked before a step along N. */
enum { GROUP_ROWS = 2048, MAX_STAGES = 16 };
/* Stages that are worth an output panel. */
enum { FEW_STAGES = 5, LEAST_STAGES = 3, PANELS_BELOW_K = 16384 };
/* Of K, below which a pingpong's tiles are short: those of 144 columns and more, the same where a
 * panel more is still worth a stage, and smaller ones. */
enum { WIDE_HURRY_BYTES = 5 * 128, WIDE_UNHURRIED_BYTES = 10 * 128, HURRY_BYTES = 16 * 128 };

/* The image of the kernels that store what the view wants. */
static bool is_of_image(const struct gemm_instance *instance, const struct gemm_view *view)
{
    if (view->conv.images > 0 || instance->image == GEMM_CONV)
        return view->conv.images > 0 && instance->image == GEMM_CONV;
    if (view->blocks || instance->image == GEMM_BLOCKS)
        return view->blocks && instance->image == GEMM_BLOCKS && !view->epilogue;
    /* A bias and an activation alone have kernels of their own on Hopper only. */
    const enum gemm_image end = gemm_end_of(instance);
    if (instance->family == GEMM_SM90 && (view->quick || end == GEMM_QUICK))
        return view->quick && end == GEMM_QUICK;
    if (view->epilogue) return end == (view->gate ? GEMM_IMAGE_GATED : GEMM_FINISHED);
    if (instance->image == GEMM_EARLY) return view->early;
    return !gemm_is_finished(instance);
}

/* A second output, where there are registers for C, or both are stored the straight way
 * (sm90/compose.cuh). */
static bool stores_second(const struct gemm_instance *instance, const struct gemm_view *view)
{
    return gemm_adds_c(instance) || (gemm_end_of(instance) == GEMM_FINISHED &&
                                     view->out_bytes == 2 && !gemm_is_ragged(view));
}

static bool instance_fits(const struct tmap_gemm *suite, const struct gemm_instance *instance,
                          const struct gemm_view *view)
{
    if (instance->kind != view->kind || instance->a_mn != view->a.mn_major) return false;
    if (instance->b_mn != view->b.mn_major || instance->promote != view->promote) return false;
    if (instance->family != suite->family || !is_of_image(instance, view)) return false;
    if (instance->patch ? !gemm_can_patch(view, instance) : instance->few != view->conv.few)
        return false;
    if (view->precise_activation && !gemm_is_precise(instance)) return false;
    if (view->transposed && !gemm_writes_columns(instance)) return false;
    if (view->adds_c && !gemm_adds_c(instance)) return false;
    if (view->second && !stores_second(instance, view)) return false;
    if (instance->image == GEMM_CONV && instance->pingpong && view->second) return false;
    if (view->apart && !gemm_tiles_apart(instance)) return false;
    return view->gate != GEMM_GATE_PAIRS || !instance->b_mn; /* no map has such a B */
}

/* D goes out by the copy engine unless the request says otherwise: measured level with the warps'
 * own stores at 4096 cubed and 3 % faster at 8192 (docs/GEMM.md). */
enum { DIRECT = -1 };

/* Of 64 columns of D, that a tile has. */
static int32_t groups_of(const struct gemm_instance *instance, const struct gemm_view *view)
{
    const int32_t columns = gemm_d_columns(view, instance->bn);
    return columns / GEMM_SLAB_ROWS + (columns % GEMM_SLAB_ROWS != 0);
}

/* Panels that 64 columns of D are: of 4 bytes two. */
static int32_t panels_a_group(const struct gemm_view *view)
{
    return view->out_bytes == 4 ? 2 : 1;
}

/* A pingpong's, which has another tile's time to store in, and whose stores hold up loads: one
 * group at a time, but of tiles that have few k-blocks, more. Of the widest a slab of 64 rows at
 * once as far as there is room for four stages: three panels below 640 bytes of K, and up to 1280,
 * where one and five stages took 1.04 to 1.28 times as long (docs/EXPERIMENTS.md), four. */
static int32_t turning_panels(const struct gemm_instance *instance, const struct gemm_view *view)
{
    const int64_t bytes = (int64_t)view->k * view->element_bits / 8;
    const int32_t wide = panels_a_group(view);
    if (!gemm_is_bare(instance)) return bytes < HURRY_BYTES ? 2 * wide : wide;
    if (bytes < WIDE_HURRY_BYTES) return wide == 1 ? 3 : 2 * wide;
    return wide == 1 && bytes < WIDE_UNHURRIED_BYTES ? 4 : wide;
}

/* Two panels take turns: a fourth stage is worth more than more of them. */
static int32_t panels_for(const struct gemm_instance *instance, const struct gemm_view *view)
{
    const int32_t wide = panels_a_group(view);
    if (instance->pingpong) return turning_panels(instance, view);
    if (gemm_is_high(instance)) return wide; /* of each of its warpgroups */
    const int32_t panels = groups_of(instance, view) * wide;
    return panels < 2 ? panels : 2;
}

/* As many stages as shared memory holds, or what was requested. */
static int32_t stages_for(const struct tmap_gemm *suite, const struct gemm_instance *instance,
                          int32_t requested, int32_t panels)
{
    const uint32_t without = gemm_smem_bytes(instance, 0, panels), all = suite->smem_optin_bytes;
    const uint32_t each = gemm_smem_bytes(instance, 1, panels) - without;
    const int32_t most = all > without ? (int32_t)((all - without) / each) : 0;
    const int32_t stages = requested ? requested : most < MAX_STAGES ? most : MAX_STAGES;
    /* A slot is given back one round late, so one slot alone would wait for itself. */
    if (stages < 2 || gemm_smem_bytes(instance, stages, panels) > suite->smem_optin_bytes) return 0;
    return stages;
}

/* Whether nothing loads any more when a block stores: it has one tile, or only parts of one. */
static bool stores_last(const struct gemm_instance *instance, const struct gemm_view *view,
                        const struct tmap_gemm_config *c, int64_t tiles)
{
    if (instance->family != GEMM_SM90 || gemm_is_tall(instance) || instance->pingpong ||
        view->grouped)
        return false;
    return c->split_k > 1 || (c->stream_k <= 0 && tiles <= c->clusters);
}

/* One that is written; of 32 bits the two of a group. From tensor memory both outputs' columns are
 * written at once (sm100/compose.cuh). */
static int32_t least_panels(const struct gemm_instance *instance, const struct gemm_view *view)
{
    const bool both = instance->family == GEMM_SM100 && view->second;
    return both ? 2 : panels_a_group(view);
}

/* All of a tile's, as far as the ring has room. */
static int32_t most_panels(const struct gemm_instance *instance, const struct gemm_view *view)
{
    return groups_of(instance, view) * panels_a_group(view);
}

/* Whether a promoted tile has a panel for each 64 columns: its warpgroups end together and would
 * wait for the stores of one panel after the other, which costs more than a stage while K is short
 * (docs/EXPERIMENTS.md). High tiles lose by it; groups and D of 8 bits were not timed. */
static bool has_all_panels(const struct gemm_instance *instance, const struct gemm_view *view)
{
    if (view->grouped) return false;
    if (instance->image == GEMM_BLOCKS) return true;
    return view->k < PANELS_BELOW_K && view->out_bytes == 2 && !gemm_is_high(instance);
}

/* A promoted tile's panels where nothing else is asked for: all, as long as three stages are left;
 * else one is enough where a second one would cost one of few stages. */
static void share_promoted(const struct tmap_gemm *suite, const struct gemm_view *view,
                           const struct gemm_instance *instance, struct tmap_gemm_config *c)
{
    const bool all = has_all_panels(instance, view);
    const int32_t panels = all ? most_panels(instance, view) : 1;
    const int32_t stages = stages_for(suite, instance, 0, panels);
    if (all ? stages < LEAST_STAGES : stages <= c->stages || stages > FEW_STAGES) return;
    c->panels = panels;
    c->stages = stages;
}

/* Whether a pingpong may store D from registers (GEMM_FROM_REGISTERS); its configuration then has
 * one panel, where 64 columns of D would take two. Of a group's members some may be ragged. */
static bool can_do_without_panels(const struct gemm_view *view, const struct gemm_choice *choice)
{
    const struct gemm_instance *instance = choice->instance;
    return view->out_bytes == 4 && instance->pingpong && choice->config.direct < 0 &&
           gemm_stores_straight(view, instance) && !view->adds_c && !view->apart &&
           !gemm_is_ragged(view) && !view->grouped;
}

/* It takes longer than panels do, but leaves shared memory to the multiplies: where those are many,
 * it is 4 to 10 % faster, below that up to a quarter slower (docs/EXPERIMENTS.md). */
static bool does_without_panels(const struct gemm_view *view, const struct gemm_choice *choice)
{
    return (int64_t)view->k * view->element_bits / 8 >= HURRY_BYTES &&
           can_do_without_panels(view, choice);
}

/* The ring and the output's panels. */
static void share_smem(const struct tmap_gemm *suite, const struct gemm_view *view,
                       const struct tmap_gemm_config *request, struct gemm_choice *choice)
{
    const struct gemm_instance *instance = choice->instance;
    struct tmap_gemm_config *c = &choice->config;
    c->panels = request->panels                     ? request->panels
                : choice->panels_in_ring            ? most_panels(instance, view)
                : does_without_panels(view, choice) ? 1
                                                    : panels_for(instance, view);
    c->stages =
        stages_for(suite, instance, request->stages, choice->panels_in_ring ? 0 : c->panels);
    /* As few panels as there can be where they leave no room for the stages: factors by 128 columns
     * beside two panels, or a pingpong's four beside five stages that were asked for. */
    if (c->stages == 0 && !request->panels && !choice->panels_in_ring) {
        c->panels = least_panels(instance, view);
        c->stages = stages_for(suite, instance, request->stages, c->panels);
    }
    if (choice->panels_in_ring) {
        const uint32_t ring = (uint32_t)c->stages * gemm_stage_bytes(instance);
        const int32_t fit = (int32_t)(ring / GEMM_PANEL_BYTES) / instance->wgs;
        if (c->panels > fit) c->panels = fit;
    }
    if (instance->patch && !request->panels && !request->stages && c->panels > 1 &&
        view->out_bytes != 4 && !choice->panels_in_ring &&
        stages_for(suite, instance, 0, 1) > c->stages)
        c->stages = stages_for(suite, instance, 0, c->panels = 1);
    if (instance->promote && !request->panels && !request->stages && view->out_bytes != 4 &&
        !choice->panels_in_ring)
        share_promoted(suite, view, instance, c);
}

/* A warp beside the producer stores for each warpgroup (store_warp.cuh) what the copy engine can
 * store whole, but no shares of a tile. */
static bool has_store_warp(const struct gemm_instance *instance, const struct gemm_view *view,
                           const struct tmap_gemm_config *c, int64_t tiles)
{
    return instance->family == GEMM_SM90 && !gemm_is_tall(instance) && !gemm_is_high(instance) &&
           !instance->pingpong && c->split_k == 1 && c->direct < 0 && !gemm_is_ragged(view) &&
           gemm_adds_together(view, instance, c, tiles) == 0;
}

/* Of a width between the multiples of a panel's the warps store what the map of the last columns
 * cannot: its boxes are for whole rows, or for D of 8 bits, which has its own way with what is not
 * whole (sm90/narrow.cuh). The narrowest tiles have no such map. */
static bool stores_itself(const struct gemm_instance *instance, const struct gemm_view *view)
{
    const int32_t panel = gemm_panel_columns(view);
    const int32_t columns = gemm_d_columns(view, instance->bn);
    const bool partial = columns > panel && columns % GEMM_SLAB_ROWS != 0;
    if (!partial || view->out_bytes == 1) return false;
    return instance->family != GEMM_SM90 || columns < GEMM_SLAB_ROWS || gemm_is_ragged(view);
}

/* A k-major piece is so many whole rows of 128 bytes: it need not begin where the swizzle's pattern
 * does, since that follows the address in shared memory (TMA142, TMA143). Of an mn-major one each
 * sharer loads whole boxes, one at least.
 */
static bool can_share(int32_t rows, bool mn_major, int32_t sharers, int32_t span)
{
    if (mn_major) return rows % span == 0 && sharers <= rows / span;
    return rows % sharers == 0;
}

/* What the kernels of the later families do not have: a storing warp, K walked backwards; for
 * tensor memory stores by the warps, for mma.sync clusters. */
static bool asks_too_much(const struct gemm_instance *instance,
                          const struct tmap_gemm_config *request, const struct tmap_gemm_config *c)
{
    if (instance->family == GEMM_SM90) return false;
    if (request->store_warp > 0 || request->flip_k > 0) return true;
    return instance->family == GEMM_SM100 ? request->direct > 0 : c->cluster_m * c->cluster_n > 1;
}

/* A tile of which three quarters lie outside D, where the family has a smaller one. */
static bool is_waste(const struct gemm_instance *instance, const struct gemm_view *view)
{
    const bool k_major = !instance->a_mn && !instance->b_mn;
    const bool tensor = instance->family == GEMM_SM100;
    const enum gemm_image end = gemm_end_of(instance);
    const bool few = end >= GEMM_FINISHED && end < GEMM_HIGH,
               scaled = gemm_is_scaled(instance->kind);
    const int32_t narrowest = tensor || scaled                                   ? 128
                              : k_major && instance->family == GEMM_SM90 && !few ? 16
                                                                                 : 64;
    const bool low =
        !tensor && !scaled && instance->image != GEMM_CONV && instance->image != GEMM_BLOCKS;
    const int32_t lowest = low ? 64 : 128;
    const int32_t tile_m = gemm_tile_m(instance);
    return (instance->bn > narrowest && (int64_t)view->n * 4 <= instance->bn) ||
           (tile_m > lowest && (int64_t)view->m * 4 <= tile_m);
}

/* As tmap_gemm_config has it. */
static int32_t patch_of(const struct gemm_instance *instance)
{
    return !instance->patch ? -1 : instance->few ? 2 : 1;
}

/* The dynamic ones have been timed on nothing: on request. */
static bool is_asked_for(const struct gemm_instance *instance,
                         const struct tmap_gemm_config *request)
{
    return gemm_is_dynamic(instance) == (request->dynamic > 0);
}

static bool is_wanted(const struct tmap_gemm *suite, const struct gemm_instance *instance,
                      const struct gemm_view *view, const struct tmap_gemm_config *request,
                      bool waste)
{
    return instance_fits(suite, instance, view) && is_asked_for(instance, request) &&
           !gemm_is_absent(suite, instance) &&
           gemm_allows(request->pingpong, instance->pingpong ? 1 : -1) &&
           gemm_allows(request->patch, patch_of(instance)) &&
           (request->tile_m || request->tile_n || waste || !is_waste(instance, view));
}

size_t gemm_list_wanted(const struct tmap_gemm *suite, const struct gemm_view *view,
                        const struct tmap_gemm_config *request, bool waste,
                        uint16_t numbers[GEMM_MAX_INSTANCES])
{
    size_t count = 0;
    for (size_t i = 0; i < gemm_instance_count; i++)
        if (is_wanted(suite, &gemm_instances[i], view, request, waste))
            numbers[count++] = (uint16_t)i;
    return count;
}

bool gemm_deals_out(const struct gemm_instance *instance, const struct gemm_view *view)
{
    return !instance->pingpong && !view->apart; /* a way to deal by itself, as yet */
}

/* Whether the kernel has what is asked of it. */
static bool can_do(const struct gemm_instance *instance, const struct gemm_view *view,
                   const struct tmap_gemm_config *request, const struct tmap_gemm_config *c)
{
    if (!gemm_deals_out(instance, view) && (c->split_k > 1 || c->stream_k > 0)) return false;
    if (instance->image == GEMM_CONV && request->flip_k > 0) return false; /* taps come in order */
    /* Its taps' boxes are not shared, nor is a patch's. */
    if ((instance->few > 0 || instance->patch) && c->cluster_n > 1) return false;
    if (!gemm_stores_itself(instance) && (request->direct > 0 || stores_itself(instance, view)))
        return false;
    if (stores_itself(instance, view) && request->direct < 0) return false;
    if (!gemm_allows(request->tile_m, c->tile_m) || !gemm_allows(request->tile_n, c->tile_n))
        return false;
    return c->split_k == 1 || gemm_splits(instance);
}

/* Tiles beside each other along N write the two halves of a sector where rows of D do not begin
 * with one; it goes to memory once where they do so at about the same time. Blocks of a cluster do;
 * single ones walk along N first. So do all where a tile has so few k-blocks that D is most of what
 * there is: rows of it are then written whole at about the same time (docs/EXPERIMENTS.md). And so
 * do those of a single round that then share A, which no multicast brings them: memory has nothing
 * to say in that, and 2000 x 1000 x 10000 takes 67 us, 72 in groups of eight rows. The pairs of a
 * GPC that have turns share B: groups of so many rows, of fewer than two such all of them. */
static int32_t group_for(const struct tmap_gemm *suite, const struct gemm_instance *instance,
                         const struct gemm_view *view, const struct tmap_gemm_config *c,
                         int32_t rows, int64_t tiles)
{
    const bool single = c->cluster_m * c->cluster_n * c->split_k == 1;
    const bool product = instance->family == GEMM_SM90 && view->conv.images == 0;
    const bool few = product && view->k <= GEMM_FEW_BLOCKS * view->span;
    if (!view->transposed && (few || (view->torn && single))) return 1;
    const bool alone = product && !view->grouped;
    if (alone && gemm_can_merge_a(c, (double)tiles)) return 1;
    if (alone && gemm_can_merge_b(c) && gemm_takes_turns(suite, c))
        return rows < 2 * GEMM_PAIRS_OF_A_GPC ? rows : GEMM_PAIRS_OF_A_GPC;
    return gemm_ceil_div(GROUP_ROWS, c->tile_m * c->cluster_m);
}

/* A launch that finds the device empty has neighbouring tiles on each GPC (turns.h), which saves up
 * to 5 % of the time at the power limit. To wait for the predecessor's end takes 2 to 3 us, which
 * is nothing in milliseconds, whatever the predecessor; to keep the successor waiting half a
 * microsecond, but then the predecessor has to do the same. Where K is short D is most of what
 * there is. Groups always overlap; convolutions were not timed, and late launches of 8-bit operands
 * gained in one of two products. */
static int32_t overlap_for(const struct tmap_gemm *suite, const struct gemm_view *view,
                           const struct tmap_gemm_config *request, const struct tmap_gemm_config *c,
                           int32_t rows)
{
    enum { WAIT_US = 2500, LATE_US = 15 }; /* a run takes 1.5 to 1.8 times as long */
    const double us = gemm_multiply_us(suite, view);
    if (us < LATE_US || view->element_bits > 16 || view->grouped || view->conv.images > 0) return 0;
    const int32_t group = request->group && request->group < rows ? request->group : rows;
    const bool merges = gemm_can_merge_b(c) && group >= GEMM_PAIRS_OF_A_GPC;
    if (us < WAIT_US && !(merges && gemm_may_settle(view))) return 0;
    if (!gemm_has_turns(suite, c)) return 0;
    return us < WAIT_US ? GEMM_LATE : -1;
}

bool gemm_complete(const struct tmap_gemm *suite, const struct gemm_view *view,
                   const struct tmap_gemm_config *request, struct gemm_choice *choice)
{
    struct tmap_gemm_config *c = &choice->config;
    const struct gemm_instance *instance = choice->instance;
    const bool apart = gemm_splits_apart(choice);
    if (apart && request->split_k != c->split_k) return false;
    if (gemm_members(choice) > GEMM_MAX_CLUSTER) return false;
    if (asks_too_much(instance, request, c)) return false;
    c->tile_m = gemm_tile_m(instance);
    c->tile_n = instance->bn;
    c->pingpong = instance->pingpong ? 1 : -1;
    c->patch = patch_of(instance);
    c->apart = view->apart ? 1 : -1;
    if (!can_do(instance, view, request, c)) return false;
    const int32_t span = view->span;
    if (!can_share(gemm_a_rows(instance), instance->a_mn, c->cluster_n, span)) return false;
    if (!can_share(gemm_b_rows(instance), instance->b_mn, c->cluster_m, span)) return false;
    const int32_t k_blocks = gemm_ceil_div(view->k, span);
    if (c->split_k > k_blocks) return false;
    /* Beyond the last tap a filter is zeros, but a pixel may be anything. */
    if (view->conv.images > 0 && k_blocks % c->split_k != 0) return false;
    const int32_t rows = gemm_ceil_div(gemm_ceil_div(view->m, c->tile_m), c->cluster_m);
    const int32_t cols =
        gemm_ceil_div(gemm_ceil_div(gemm_tiled_columns(view), c->tile_n), c->cluster_n);
    const int64_t tiles = (int64_t)rows * cols * view->batch;
    if (!gemm_deal_tiles(suite, request, choice, tiles, k_blocks)) return false;
    c->overlap = request->overlap ? request->overlap : overlap_for(suite, view, request, c, rows);
    if (c->overlap == GEMM_LATE && (view->grouped || !gemm_takes_turns(suite, c))) return false;
    c->group = request->group ? request->group : group_for(suite, instance, view, c, rows, tiles);
    if (c->group > rows) c->group = rows;
    if (!request->clusters) c->clusters = gemm_clusters_in_turn(suite, c, tiles);
    /* With one tile a block there is no other to multiply while it is stored. */
    if (instance->pingpong && request->pingpong <= 0 && tiles <= c->clusters) return false;
    c->direct = stores_itself(instance, view) ? 1 : request->direct ? request->direct : DIRECT;
    choice->panels_in_ring = stores_last(instance, view, c, tiles);
    share_smem(suite, view, request, choice);
    if (c->stages == 0) return false;
    if (c->panels < least_panels(instance, view) && !can_do_without_panels(view, choice))
        return false;
    /* A part's sums travel through the ring. */
    if (c->split_k > 1 && !apart &&
        (uint32_t)c->stages * gemm_stage_bytes(instance) < (uint32_t)(c->tile_m * c->tile_n) * 4)
        return false;
    c->store_warp = request->store_warp >= 0 && has_store_warp(instance, view, c, tiles) ? 1 : -1;
    c->dynamic = gemm_is_dynamic(instance) ? 1 : -1;
    c->flip_k = request->flip_k;
    c->load_policy = request->load_policy;
    c->store_policy = request->store_policy;
    choice->smem_bytes =
        gemm_smem_bytes(instance, c->stages, choice->panels_in_ring ? 0 : c->panels);
    choice->cost_us = instance->family == GEMM_SM90 ? gemm_cost_us(suite, view, choice)
                                                    : gemm_tensor_cost_us(suite, view, choice);
    return true;
}
