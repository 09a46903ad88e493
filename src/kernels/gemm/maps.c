/* The three tensor maps of a plan: what each describes, and whether it may be used. */
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

#define KIND(word, NAME, ...)                                                                      \
    _Static_assert((int)TMAP_GEMM_##NAME == (int)GEMM_##NAME, "the interface's numbers");
#include "kernels/gemm/kinds.def"

static int32_t dtype_of_kind(int32_t kind)
{
    static const int32_t dtypes[GEMM_KINDS] = {
#define KIND(word, NAME, element_bits, a, b, dtype, ...) dtype,
#include "kernels/gemm/kinds.def"
    };
    return dtypes[kind];
}

static int32_t dtype_of_out(int32_t out)
{
    static const int32_t dtype[] = {[GEMM_OUT_BF16] = TMAP_BFLOAT16, [GEMM_OUT_F16] = TMAP_FLOAT16,
                                    [GEMM_OUT_F32] = TMAP_FLOAT32,   [GEMM_OUT_S32] = TMAP_INT32,
                                    [GEMM_OUT_E4M3] = TMAP_UINT8,    [GEMM_OUT_E5M2] = TMAP_UINT8};
    return dtype[out];
}

/* Rank 3: contiguous dimension, rows, batch. */
static struct tmap_desc matrix(const struct tmap_gemm_matrix *at, int32_t dtype, int32_t bits,
                               int32_t inner, int32_t rows, int32_t batch)
{
    struct tmap_desc desc = {.kind = TMAP_TILED, .dtype = dtype, .rank = 3, .address = at->address};
    desc.dim[0] = (uint64_t)inner;
    desc.dim[1] = (uint64_t)rows;
    desc.dim[2] = (uint64_t)batch;
    desc.stride_bytes[0] = (uint64_t)(at->ld * bits / 8);
    desc.stride_bytes[1] =
        batch > 1 ? (uint64_t)(at->batch_stride * bits / 8) : desc.stride_bytes[0];
    for (int i = 0; i < 3; i++) desc.box[i] = desc.elem_stride[i] = 1;
    desc.swizzle = TMAP_SWIZZLE_128B;
    desc.l2_promotion = TMAP_L2_128B;
    return desc;
}

/* An operand of `rows` rows of K, a tile of which `sharers` blocks load piece by piece. One that
 * has fewer rows than a tile is loaded in boxes of so many: rows that the copy engine fills with
 * zeros are slower than rows that it reads (docs/GEMM.md), and what lies in their place in shared
 * memory becomes elements outside D. */
static struct tmap_desc operand(const struct tmap_gemm_matrix *at, const struct gemm_view *view,
                                int32_t rows, int32_t tile_rows, int32_t sharers)
{
    const int32_t each = view->element_bits < 8 ? 8 / view->element_bits : 1; /* of the map */
    const uint32_t span = (uint32_t)(view->span / each);
    const int32_t dtype = dtype_of_kind(view->kind);
    struct tmap_desc desc =
        at->mn_major ? matrix(at, dtype, view->element_bits, rows, view->k, view->batch)
                     : matrix(at, dtype, view->element_bits, view->k / each, rows, view->batch);
    desc.box[0] = span;
    const int32_t piece = tile_rows / sharers;
    const bool short_of_a_tile = sharers == 1 && rows < piece && !view->grouped;
    desc.box[1] = at->mn_major ? span : (uint32_t)(short_of_a_tile ? rows : piece);
    return desc;
}

/* B of a gate: D's columns, then the half, whichever lies closer in memory. */
static void describe_halves(const struct gemm_view *view, const struct gemm_instance *instance,
                            int32_t sharers, struct tmap_desc *desc)
{
    const uint64_t row = desc->stride_bytes[0], batch = desc->stride_bytes[1];
    const uint64_t columns = (uint64_t)(view->n / 2);
    const bool pairs = view->gate == GEMM_GATE_PAIRS;
    const uint32_t piece = (uint32_t)(gemm_b_rows(instance) / sharers);
    const uint32_t half = (uint32_t)instance->bn / 2;
    desc->rank = 4;
    desc->dim[2] = 2, desc->dim[3] = (uint64_t)view->batch;
    desc->box[3] = desc->elem_stride[3] = 1;
    if (view->b.mn_major) { /* by rows of N, of which each is a row of both halves */
        desc->dim[0] = columns;
        desc->stride_bytes[1] = columns * (uint64_t)view->element_bits / 8;
        desc->stride_bytes[2] = batch;
        return;
    }
    desc->dim[1] = columns;
    desc->stride_bytes[0] = pairs ? 2 * row : row;
    desc->stride_bytes[1] = pairs ? row : columns * row;
    desc->stride_bytes[2] = batch;
    desc->box[1] = piece < half ? piece : half;
    desc->box[2] = piece / desc->box[1];
}

static uint32_t at_most(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

static struct tmap_desc result(const struct tmap_gemm_matrix *at, const struct gemm_view *view,
                               int32_t tile_n, int32_t panel_rows)
{
    const uint32_t span = (uint32_t)gemm_panel_columns(view);
    const int32_t inner = gemm_d_inner(view);
    const int32_t rows = view->transposed ? gemm_d_columns(view, view->n) : view->m;
    tile_n = gemm_d_columns(view, tile_n);
    struct tmap_desc desc =
        matrix(at, dtype_of_out(view->out), 8 * view->out_bytes, inner, rows, view->batch);
    desc.box[0] = view->transposed ? span : at_most(span, (uint32_t)tile_n);
    desc.box[1] =
        view->transposed ? at_most((uint32_t)panel_rows, (uint32_t)tile_n) : (uint32_t)panel_rows;
    desc.l2_promotion = TMAP_L2_NONE;
    if (view->out_bytes == 1) desc.swizzle = TMAP_SWIZZLE_64B;
    return desc;
}

void gemm_describe_scales(const struct tmap_gemm_problem *problem, int32_t tile_m,
                          struct tmap_desc *desc)
{
    const uint64_t k = (uint64_t)problem->k, m = (uint64_t)problem->m;
    *desc = (struct tmap_desc){.kind = TMAP_TILED,
                               .dtype = TMAP_FLOAT32,
                               .rank = 2,
                               .address = problem->block_scale.a,
                               .dim = {m, (k + GEMM_SCALE_BLOCK - 1) / GEMM_SCALE_BLOCK},
                               .stride_bytes = {(uint64_t)problem->block_scale.lda * 4},
                               .box = {(uint32_t)tile_m, 1},
                               .elem_stride = {1, 1}};
}

bool gemm_describe_end(const struct gemm_view *view, int32_t tile_n, struct tmap_desc *desc)
{
    tile_n = gemm_d_columns(view, tile_n);
    const int32_t panel = view->transposed ? GEMM_SLAB_ROWS : gemm_panel_columns(view);
    const int32_t left = tile_n % panel;
    if (tile_n <= GEMM_SLAB_ROWS || left == 0) return false;
    desc->box[view->transposed ? 1 : 0] = (uint32_t)left;
    return true;
}

void gemm_describe(const struct gemm_view *view, const struct gemm_choice *choice,
                   struct tmap_desc desc[3])
{
    const struct tmap_gemm_config *config = &choice->config;
    const struct gemm_instance *instance = choice->instance;
    desc[0] = operand(&view->a, view, view->m, gemm_a_rows(instance), config->cluster_n);
    desc[1] = operand(&view->b, view, view->n, gemm_b_rows(instance), config->cluster_m);
    desc[2] = result(&view->d, view, config->tile_n, gemm_panel_rows(instance));
    if (view->conv.images > 0) gemm_describe_conv(view, choice, desc);
    if (view->gate) describe_halves(view, instance, config->cluster_m, &desc[1]);
}

static enum tmap_status refuse(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                               const struct tmap_use *use, const struct tmap_violation *violation,
                               char name, struct tmap_gemm_refusal *refusal)
{
    struct tmap_detail detail;
    const char *field = "", *use_or_map = use ? "use of the map" : "map";
    if (!refusal) return TMAP_E_ILLEGAL;
    memset(refusal, 0, sizeof *refusal);
    refusal->operand = name;
    refusal->violation = *violation;
    if (tmap_detail_of(&suite->checker.target, desc, use, violation, &detail) == TMAP_OK)
        field = detail.field;
    snprintf(refusal->text, sizeof refusal->text, "%s %s: the %s of %c, field %s",
             tmap_row_id(violation->row), tmap_row_name(violation->row), use_or_map, name, field);
    return TMAP_E_ILLEGAL;
}

/* How the kernels use the map: every box at the start of a slot, its bytes announced. */
static struct tmap_use use_of(char name, uint32_t rank, int32_t sharers, int32_t ctas)
{
    struct tmap_use use = {.op = name == 'D' ? TMAP_OP_STORE : TMAP_OP_LOAD, .coord_count = rank};
    use.flags = TMAP_USE_COORD | TMAP_USE_SMEM;
    use.multicast = name == 'D' || sharers < 2 ? 0 : (uint32_t)sharers;
    if (ctas > 1 && name != 'D') use.cta_group = (uint32_t)ctas;
    if (use.multicast == 0 && ctas == 1 && name != 'D') use.flags |= TMAP_USE_CTA_DST;
    return use;
}

enum tmap_status gemm_check_use(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                                const struct tmap_use *use, char name,
                                struct tmap_gemm_refusal *refusal)
{
    struct tmap_violation violation;
    enum tmap_verdict verdict;
    size_t found = 0;
    enum tmap_status status =
        tmap_check_use(&suite->checker, desc, use, &violation, 1, &found, &verdict);
    if (status != TMAP_OK) return status;
    return found > 0 ? refuse(suite, desc, use, &violation, name, refusal) : TMAP_OK;
}

enum tmap_status gemm_check(const struct tmap_gemm *suite, const struct tmap_desc *desc, char name,
                            int32_t sharers, struct tmap_gemm_refusal *refusal)
{
    return gemm_check_piece(suite, desc, name, sharers, 1, refusal);
}

enum tmap_status gemm_check_piece(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                                  char name, int32_t sharers, int32_t ctas,
                                  struct tmap_gemm_refusal *refusal)
{
    struct tmap_violation violation;
    enum tmap_verdict verdict;
    size_t found = 0;
    enum tmap_status status =
        tmap_check_with(&suite->checker, desc, &violation, 1, &found, &verdict);
    if (status != TMAP_OK) return status;
    if (found > 0) return refuse(suite, desc, NULL, &violation, name, refusal);
    const struct tmap_use use = use_of(name, desc->rank, sharers, ctas);
    return gemm_check_use(suite, desc, &use, name, refusal);
}

/* Of all tiles the first pixel's and the last one's start, and the largest offset. */
enum tmap_status gemm_check_pixels(const struct tmap_gemm *suite, const struct gemm_view *view,
                                   const struct tmap_desc *desc, int32_t sharers,
                                   struct tmap_gemm_refusal *refusal)
{
    const struct gemm_conv_view *v = &view->conv;
    struct tmap_violation violation;
    enum tmap_verdict verdict;
    size_t found = 0;
    enum tmap_status status =
        tmap_check_with(&suite->checker, desc, &violation, 1, &found, &verdict);
    if (status == TMAP_OK && found > 0) return refuse(suite, desc, NULL, &violation, 'A', refusal);
    for (int last = 0; last < 2 && status == TMAP_OK; last++) {
        struct tmap_use use = {.op = TMAP_OP_LOAD,
                               .flags = TMAP_USE_COORD | TMAP_USE_SMEM | TMAP_USE_OFFSET |
                                        (sharers < 2 ? TMAP_USE_CTA_DST : 0),
                               .coord_count = desc->rank,
                               .multicast = sharers < 2 ? 0 : (uint32_t)sharers};
        for (int i = 0; i < TMAP_MAX_SPATIAL; i++) {
            use.coord[1 + i] = v->lower[i] + (last ? (v->out[i] - 1) * v->stride[i] : 0);
            use.offset[i] = (uint32_t)((v->filter[i] - 1) * v->dilation[i]);
        }
        status = gemm_check_use(suite, desc, &use, 'A', refusal);
    }
    return status;
}

enum tmap_status gemm_encode(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                             struct gemm_map *map)
{
    struct tmap_map encoded;
    enum tmap_status status = tmap_encode(&suite->checker, desc, &encoded);
    if (status == TMAP_OK) memcpy(map->word, encoded.word, sizeof map->word);
    return status;
}

/* Bytes that one stage's copies of an operand complete on a block's barrier: those of `sharers`
 * boxes, or of one for every span of rows. */
uint64_t gemm_operand_tx_bytes(const struct tmap_gemm *suite, const struct tmap_desc *desc,
                               bool mn_major, int32_t tile_rows, int32_t sharers)
{
    struct tmap_layout layout;
    if (tmap_layout(&suite->checker, desc, &layout) != TMAP_OK) return 0;
    return layout.tx_bytes *
           (uint64_t)(mn_major ? (uint32_t)tile_rows / desc->box[0] : (uint64_t)sharers);
}
