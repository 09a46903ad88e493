/* The words of the row language as C expressions: what check runs. Total for every input: a row
 * whose needs fail computes something, and nobody looks.
 *
 * In scope where rows are expanded: d (descriptor), u (use), tg (target), dv (derived), pl
 * (pipeline), and NATIVE_KIND and NATIVE_RANK, constants where the caller has specialised on them.
 * Fields of 32 bits are widened to int64_t, so that sums and products of a few of them cannot
 * overflow; 64-bit fields stay unsigned. src/symbolic proves each row of this form equal to its
 * ideal-integer tree. */

/* integers */
#define K(n) ((int64_t)(n))
#define CUDA ((int64_t)tg->cuda)
#define PTX ((int64_t)tg->ptx)
#define DRIVER ((int64_t)tg->driver)
#define SM ((int64_t)(tg->arch >> 2))
#define SUFFIX ((int64_t)(tg->arch & 3))
#define KIND ((int64_t)(NATIVE_KIND))
#define DTYPE ((int64_t)d->dtype)
#define RANK ((int64_t)(NATIVE_RANK))
#define ADDRESS (d->address)
#define DIM(i) (d->dim[i])
#define STRIDE(i) (d->stride_bytes[i])
#define BOX(i) ((int64_t)d->box[i])
#define ESTRIDE(i) ((int64_t)d->elem_stride[i])
#define INTERLEAVE ((int64_t)d->interleave)
#define SWIZZLE ((int64_t)d->swizzle)
#define L2 ((int64_t)d->l2_promotion)
#define OOB ((int64_t)d->oob_fill)
#define LOWER(i) ((i) > 0 && (NATIVE_KIND) == TMAP_IM2COL_WIDE ? (int64_t)0 : (int64_t)d->lower[i])
#define UPPER(i) ((i) > 0 && (NATIVE_KIND) == TMAP_IM2COL_WIDE ? (int64_t)0 : (int64_t)d->upper[i])
#define CHANNELS ((int64_t)d->channels)
#define PIXELS ((int64_t)d->pixels)
#define MODE ((int64_t)d->mode)
#define FLAG(bit) ((int64_t)((d->flags >> (bit)) & 1))
#define MAP_ADDRESS (d->map_address)
#define ALLOC_BASE (d->allocation_base)
#define ALLOC_BYTES (d->allocation_bytes)
#define OP ((int64_t)u->op)
#define USE_FLAG(bit) ((int64_t)((u->flags >> (bit)) & 1))
#define COORD(i) ((int64_t)u->coord[i])
#define COORDS ((int64_t)u->coord_count)
#define SMEM (u->smem)
#define MBARRIER (u->mbarrier)
#define EXPECT_TX (u->expect_tx)
#define MULTICAST ((int64_t)u->multicast)
#define CTA_GROUP ((int64_t)u->cta_group)
#define OFFSET(i) ((int64_t)u->offset[i])
#define CONSUMER ((int64_t)u->consumer)
#define MAJOR ((int64_t)u->major)
#define RFIELD ((int64_t)u->field)
#define ORDINAL ((int64_t)u->ordinal)
#define VALUE (u->value)
#define TX_BYTES (dv->tx_bytes)
#define FOOTPRINT (dv->footprint_bytes)
#define PATTERN (dv->pattern_bytes)
#define ROWS (dv->rows)
#define EXTENT (dv->extent_bytes)
#define DENSE ((int64_t)dv->dense)
#define NESTED ((int64_t)dv->nested)
#define FORM_PTX ((int64_t)dv->form_ptx)
#define PATCHED_BAD ((int64_t)dv->patched_illegal)
#define SMEM_CAPACITY ((uint64_t)dv->smem_capacity)
#define TMEM_CAPACITY ((uint64_t)dv->tmem_capacity)
#define STAGES (pl->stages)
#define STAGE_BYTES (pl->stage_bytes)
#define STAGE_ALIGN (pl->stage_align_bytes)
#define STAGE_TX (pl->stage_tx_bytes)
#define SHARED_BYTES (pl->shared_bytes)
#define TMEM_COLUMNS (pl->tmem_columns)
#define ARRIVALS (pl->arrivals)
#define REGISTERS (pl->registers)
#define THREADS (pl->threads)

#define SIZE_BITS ((int64_t)table_size_bits[(unsigned)d->dtype & (TABLE_ENTRIES - 1)])
#define GMEM_BITS ((int64_t)table_gmem_bits[(unsigned)d->dtype & (TABLE_ENTRIES - 1)])
#define SPAN ((int64_t)table_span[(unsigned)d->swizzle & (TABLE_ENTRIES - 1)])
#define BY_RANK(r3, r4, r5)                                                                        \
    ((int64_t)((NATIVE_RANK) == 3 ? (r3) : (NATIVE_RANK) == 4 ? (r4) : (r5)))
#define SPATIAL_DIM(i) (d->dim[(i) + (d->interleave == TMAP_INTERLEAVE_NONE)])
#define SPATIAL_COORD(i) ((int64_t)u->coord[(i) + (d->interleave == TMAP_INTERLEAVE_NONE)])

/* Wrapping, so that a row whose needs fail may be evaluated too (it is then not looked at). */
#define ADD(a, b) ((__typeof__((a) + (b)))((uint64_t)(a) + (uint64_t)(b)))
#define SUB(a, b) ((__typeof__((a) - (b)))((uint64_t)(a) - (uint64_t)(b)))
#define MUL(a, b) ((__typeof__((a) * (b)))((uint64_t)(a) * (uint64_t)(b)))
#define NUM(x) ((int64_t)(x)) /* a 64-bit field that the needs keep below 2^63 */
#define QUOT(a, b) native_quot((a), (b))
#define WRAP32(x) ((int64_t)(int32_t)(uint32_t)(uint64_t)(x))
#define IF(c, a, b) ((c) ? (a) : (b))
#define BIT(n) (UINT64_C(1) << (n))
#define IN_RANK(j, x) ((j) < RANK ? (x) : 1)
#define BOX_STEPS(j) QUOT(BOX(j), ESTRIDE(j))

/* conditions */
#define ALWAYS 1
#define LE(a, b) ((a) <= (b))
#define LT(a, b) ((a) < (b))
#define EQ(a, b) ((a) == (b))
#define NE(a, b) ((a) != (b))
#define BETWEEN(lo, x, hi) ((uint64_t)(x) - (uint64_t)(lo) <= (uint64_t)(hi) - (uint64_t)(lo))
#define DIVIDES(m, x) ((uint64_t)(x) % (uint64_t)(m) == 0)
#define IN(x, set) ((int)(((uint64_t)(x) < 64) & ((set) >> ((unsigned)(x)&63)) & 1))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define NOT(a) (!(a))
#define PROD_LE(cap, first, w)                                                                     \
    ((int64_t)((uint64_t)(first) * (uint64_t)IN_RANK(0, w(0)) * (uint64_t)IN_RANK(1, w(1)) *       \
               (uint64_t)IN_RANK(2, w(2)) * (uint64_t)IN_RANK(3, w(3)) *                           \
               (uint64_t)IN_RANK(4, w(4))) <= (cap))
