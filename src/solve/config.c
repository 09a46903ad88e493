/* What a configuration stands for, by model. */
#include "solve/config.h"

#include "core/arith.h"
#include "core/check_use.h"
#include "core/layout.h"

#define BARRIER_BYTES 8u /* PTX ISA: an mbarrier object */
#define WARP 32u
/* Seen in 168 kernels that Triton 3.6 compiled for sm_90a: registers = the accumulator's + 26, up
 * to the 128 of one m64n256 instruction; beyond that it spills, and still runs. */
#define TRITON_OTHER_REGISTERS 26u
#define WGMMA_REGISTERS 128u
#define GROUP_ROWS 128u     /* of a tcgen05.mma in each CTA */
#define MMA_COLUMNS 256u    /* of one instruction: columns beyond are another's */
#define TRITON_MMA_ROWS 64u /* least of a tile that Triton multiplies by tcgen05.mma */

enum tmap_status config_judge_init(const struct tmap_checker *checker, const struct tmap_problem *p,
                                   struct config_judge *j)
{
    *j = (struct config_judge){.checker = checker, .p = p};
    j->bits = layout_smem_bits(p->dtype);
    j->out_bits = layout_smem_bits(p->out_dtype);
    if (j->bits == 0 || j->out_bits == 0) return TMAP_E_ARGUMENT;
    const enum tmap_status status = tmap_capacity(checker->target.arch, &j->capacity, NULL);
    if (status != TMAP_OK) return status;
    if (j->capacity == 0) return TMAP_E_TARGET;
    derive_pipeline(checker, &j->derived);
    const struct pipeline_facts pair = {.stages = 1, .arrivals = 1, .cta_group = 2};
    j->tensor_memory = pipeline_is_legal(checker, &j->derived, &pair);
    j->wgmma = checker->target.arch >> 2 == 90;
    return TMAP_OK;
}

static uint32_t group_of(const struct tmap_problem *p, const struct tmap_config *c)
{
    return p->model == TMAP_MODEL_TCGEN05 && c->ctas ? c->ctas : 1;
}

/* A pair's CTAs hold half the rows of A and half the columns of B each. */
static uint32_t share(const struct tmap_problem *p, const struct tmap_config *c, uint32_t block)
{
    return group_of(p, c) == 2 ? (uint32_t)ceil_div(block, 2) : block;
}

struct config_tile config_tile_of(const struct tmap_problem *p, const struct tmap_config *c,
                                  uint32_t operand, uint64_t smem)
{
    struct config_tile t = {.operand = operand, .smem = smem, .dtype = p->dtype};
    t.rows = operand == 1 ? p->n : p->m;
    t.columns = operand == 2 ? p->n : p->k;
    t.block_rows = operand == 2 ? c->block_m : share(p, c, operand ? c->block_n : c->block_m);
    t.block_columns = operand == 2 ? c->block_n : c->block_k;
    if (operand == 2) t.dtype = p->out_dtype;
    return t;
}

uint64_t config_tile_bytes(const struct config_tile *t)
{
    const uint64_t elements = sum_mul(t->block_rows, t->block_columns);
    return elements > SUM_MAX / 64 ? SUM_MAX : ceil_div(elements * layout_smem_bits(t->dtype), 8);
}

uint64_t config_stage_bytes(const struct config_judge *j, const struct tmap_config *c)
{
    const struct config_tile a = config_tile_of(j->p, c, 0, 0), b = config_tile_of(j->p, c, 1, 0);
    return sum_add(config_tile_bytes(&a), config_tile_bytes(&b));
}

/* Bytes of mbarriers a stage, and of the staging of C, which takes the place of the ring. */
static uint64_t barrier_bytes(const struct config_judge *j)
{
    return j->p->model == TMAP_MODEL_TRITON ? BARRIER_BYTES : 2 * BARRIER_BYTES;
}

static uint64_t staging_bytes(const struct config_judge *j, const struct tmap_config *c)
{
    const struct config_tile out = config_tile_of(j->p, c, 2, 0);
    return j->p->model == TMAP_MODEL_TRITON ? config_tile_bytes(&out) : 0;
}

uint64_t config_shared_bytes(const struct config_judge *j, const struct tmap_config *c)
{
    const uint64_t stage = sum_add(config_stage_bytes(j, c), barrier_bytes(j));
    const uint64_t ring = sum_mul(c->stages, stage), staging = staging_bytes(j, c);
    return ring > staging ? ring : staging;
}

uint64_t config_max_stages(const struct config_judge *j, const struct tmap_config *c)
{
    if (staging_bytes(j, c) > j->capacity) return 0;
    return j->capacity / sum_add(config_stage_bytes(j, c), barrier_bytes(j));
}

static bool in_tensor_memory(const struct config_judge *j, const struct tmap_config *c)
{
    if (j->p->model == TMAP_MODEL_TCGEN05) return true;
    return j->p->model == TMAP_MODEL_TRITON && j->tensor_memory && c->warps >= 4 &&
           c->block_m >= TRITON_MMA_ROWS;
}

uint32_t config_registers(const struct config_judge *j, const struct tmap_config *c)
{
    if (j->p->model != TMAP_MODEL_TRITON || c->warps == 0 || !j->wgmma) return 0;
    const uint64_t acc = (uint64_t)c->block_m * c->block_n / ((uint64_t)c->warps * WARP);
    const uint64_t held = acc < WGMMA_REGISTERS ? acc : WGMMA_REGISTERS;
    return (uint32_t)held + TRITON_OTHER_REGISTERS;
}

/* The instruction's kind and the codes of its types; of a type that it does not multiply a kind
 * that there is not. */
static void product_facts(const struct config_judge *j, struct pipeline_facts *f)
{
    const int32_t t = j->p->dtype;
    const bool half = t == TMAP_FLOAT16 || t == TMAP_BFLOAT16;
    const bool single =
        t == TMAP_FLOAT32 || t == TMAP_TFLOAT32 || t == TMAP_FLOAT32_FTZ || t == TMAP_TFLOAT32_FTZ;
    f->mma_kind = half ? TMAP_MMA_F16 : single ? TMAP_MMA_TF32 : TMAP_MMA_MXF4NVF4 + 1;
    if (t == TMAP_UINT8) f->mma_kind = TMAP_MMA_F8F6F4;
    f->a_type = f->b_type = t == TMAP_BFLOAT16 ? 1 : single ? 2 : 0;
    f->mma_k = half ? 16 : single ? 8 : 32;
    f->d_type = 1;
}

/* What one instruction takes of a block that several share: the last one takes the rest. */
static uint32_t last_part(uint32_t block, uint64_t most)
{
    if (block <= most) return block;
    return (uint32_t)(block % most == 0 ? most : block % most);
}

/* Rows of one instruction at most: 128 in each CTA of the group. */
static uint64_t instruction_rows(const struct config_judge *j, const struct tmap_config *c)
{
    return (uint64_t)GROUP_ROWS * group_of(j->p, c);
}

uint64_t config_tmem_columns(const struct config_judge *j, const struct tmap_config *c)
{
    if (!in_tensor_memory(j, c) || c->block_m == 0) return 0;
    const uint64_t down = ceil_div(c->block_m, instruction_rows(j, c));
    const bool halved = group_of(j->p, c) == 2 && c->block_m <= GROUP_ROWS;
    const uint64_t across = halved ? ceil_div(c->block_n, 2) : c->block_n;
    return sum_mul(j->p->accumulators ? j->p->accumulators : 1, sum_mul(down, across));
}

/* The next power of two from the least that tcgen05.alloc takes; what is more than there is stays,
 * for a row to refuse. */
static uint64_t columns_allocated(const struct config_judge *j, uint64_t needed)
{
    uint64_t n = needed ? 32 : 0;
    while (n < needed && n < j->derived.tmem_capacity) n *= 2;
    return n < needed ? needed : n;
}

static uint64_t odd_part(uint64_t n)
{
    return n ? n / (n & -n) : 0;
}

/* The greatest odd part of the three blocks; 0 where one is 0. */
static uint64_t odd_block(const struct tmap_config *c)
{
    const uint64_t m = odd_part(c->block_m), n = odd_part(c->block_n), k = odd_part(c->block_k);
    const uint64_t most = m > n ? m : n;
    return m && n && k ? (most > k ? most : k) : 0;
}

void config_facts(const struct config_judge *j, const struct tmap_config *c,
                  struct pipeline_facts *f)
{
    const uint64_t stage = config_stage_bytes(j, c), needed = config_tmem_columns(j, c);
    *f = (struct pipeline_facts){
        .stages = c->stages,
        /* Triton lays its buffers out itself; a ring's stages follow each other */
        .stage_bytes = j->p->model == TMAP_MODEL_TRITON ? 0 : stage,
        .stage_tx_bytes = sum_mul(stage, group_of(j->p, c)),
        .shared_bytes = config_shared_bytes(j, c),
        .arrivals = 1,
        .registers = config_registers(j, c),
        .threads = (uint64_t)c->warps * WARP,
        .cta_group = group_of(j->p, c),
        .alloc_warps = 1,
        .alloc_group = group_of(j->p, c),
        .tmem_needed = needed,
        .tmem_columns = columns_allocated(j, needed),
        .model = j->p->model,
        .odd_block = odd_block(c),
        .odd_warps = odd_part(c->warps)};
    if (!in_tensor_memory(j, c)) return;
    product_facts(j, f);
    f->mma_m = last_part(c->block_m, instruction_rows(j, c));
    f->mma_n = last_part(c->block_n, MMA_COLUMNS);
}

bool config_is_said(const struct config_judge *j, const struct tmap_config *c)
{
    return j->p->model != TMAP_MODEL_TRITON || c->ctas <= 1;
}

/* The widest swizzle span that the tile's rows are whole multiples of, in bytes; 0: none. */
static uint32_t span_of(uint64_t row_bits)
{
    for (uint32_t span = 128; span >= 16; span /= 2)
        if (row_bits % (8 * span) == 0) return span;
    return 0;
}

static int32_t swizzle_of(uint32_t span)
{
    return span == 128  ? TMAP_SWIZZLE_128B
           : span == 64 ? TMAP_SWIZZLE_64B
           : span == 32 ? TMAP_SWIZZLE_32B
                        : TMAP_SWIZZLE_NONE;
}

static struct tmap_config_copy first_copy(const struct tmap_problem *p, const struct config_tile *t)
{
    const uint64_t bits = layout_gmem_bits(t->dtype);
    struct tmap_config_copy c = {.operand = t->operand};
    c.desc = (struct tmap_desc){
        .kind = TMAP_TILED, .dtype = t->dtype, .rank = 2, .address = UINT64_C(1) << 20};
    c.desc.dim[0] = t->columns;
    c.desc.dim[1] = t->rows;
    c.desc.stride_bytes[0] = t->columns > SUM_MAX / 64 ? SUM_MAX : ceil_div(t->columns * bits, 8);
    c.desc.box[0] = t->block_columns;
    c.desc.elem_stride[0] = c.desc.elem_stride[1] = 1;
    c.use.op = t->operand == 2 ? TMAP_OP_STORE : TMAP_OP_LOAD;
    c.use.flags = TMAP_USE_SMEM;
    if (p->model == TMAP_MODEL_TCGEN05 && t->operand < 2) c.use.consumer = TMAP_CONSUMER_TCGEN05;
    return c;
}

/* How a tile is cut: into pieces along K, each into chunks of rows. */
struct cut {
    uint32_t span;
    uint64_t pieces, chunks;
};

static struct cut cut_of(const struct config_tile *t)
{
    const uint64_t row_bits = (uint64_t)t->block_columns * layout_smem_bits(t->dtype);
    const uint32_t span = row_bits ? span_of(row_bits) : 0;
    return (struct cut){span, span ? row_bits / (8 * span) : 1,
                        t->block_rows ? ceil_div(t->block_rows, CONFIG_BOX_ROWS) : 1};
}

size_t config_tile_copies(const struct config_tile *t, size_t *chunks)
{
    const struct cut cut = cut_of(t);
    if (chunks) *chunks = (size_t)cut.chunks;
    return (size_t)sum_mul(cut.pieces, cut.chunks);
}

struct config_boxes config_tile_boxes(const struct config_tile *t, uint32_t capacity)
{
    const struct cut cut = cut_of(t);
    const uint64_t column_bytes = (uint64_t)t->block_rows * cut.span;
    const uint64_t next = cut.pieces > 1 ? column_bytes : 0, end = sum_add(next, column_bytes);
    if (!column_bytes || (t->smem | next) % 128 || sum_add(t->smem, end) > capacity)
        return (struct config_boxes){0};
    return (struct config_boxes){cut.span / 16,
                                 8 * cut.span / layout_smem_bits(t->dtype),
                                 {cut.chunks > 1 ? CONFIG_BOX_ROWS : 0,
                                  (uint32_t)(t->block_rows - (cut.chunks - 1) * CONFIG_BOX_ROWS)}};
}

void config_tile_copy(const struct tmap_problem *p, const struct config_tile *t, size_t i,
                      struct tmap_config_copy *out)
{
    const struct cut cut = cut_of(t);
    const uint64_t row = i % cut.chunks * CONFIG_BOX_ROWS, left = t->block_rows - row;
    *out = first_copy(p, t);
    if (cut.span) out->desc.box[0] = 8 * cut.span / layout_smem_bits(t->dtype);
    out->desc.box[1] = (uint32_t)(left < CONFIG_BOX_ROWS ? left : CONFIG_BOX_ROWS);
    out->desc.swizzle = swizzle_of(cut.span);
    out->use.smem = sum_add(t->smem, sum_mul(i / cut.chunks, (uint64_t)t->block_rows * cut.span));
    out->use.smem = sum_add(out->use.smem, row * cut.span);
}

enum tmap_status tmap_config_copies(const struct tmap_problem *p, const struct tmap_config *c,
                                    uint32_t stage, struct tmap_config_copy *out, size_t cap,
                                    size_t *count)
{
    struct config_tile tile[3];
    size_t n = 0;
    if (!p || !c || !count || (cap && !out) || p->model >= TMAP_MODEL_COUNT ||
        !layout_smem_bits(p->dtype) || !layout_smem_bits(p->out_dtype))
        return TMAP_E_ARGUMENT;
    for (uint32_t i = 0; i < 3; i++) tile[i] = config_tile_of(p, c, i, 0);
    tile[1].smem = config_tile_bytes(&tile[0]);
    const uint64_t base = sum_mul(stage, sum_add(tile[1].smem, config_tile_bytes(&tile[1])));
    tile[0].smem = sum_add(tile[0].smem, base);
    tile[1].smem = sum_add(tile[1].smem, base);
    for (uint32_t i = 0; i < (p->model == TMAP_MODEL_TRITON ? 3u : 2u); i++) {
        const size_t copies = config_tile_copies(&tile[i], NULL);
        for (size_t k = 0; k < copies && n + k < cap; k++)
            config_tile_copy(p, &tile[i], k, &out[n + k]);
        n += copies;
    }
    *count = n;
    return TMAP_OK;
}
