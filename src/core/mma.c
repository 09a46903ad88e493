/* Matrix descriptors that read a loaded box where it lies.
 *
 * Canonical layouts and field encodings: PTX ISA, "Matrix Descriptor Format" of wgmma and tcgen05
 * and "Strides" there. K-major: a row of the box is one span of K, 8 rows are a core-matrix group,
 * groups lie SBO apart. MN-major: a row is one span of M or N, 8 rows are 8 values of K; K groups
 * lie SBO apart and spans of M or N (further boxes) LBO apart. Without a swizzle a row is 16 bytes,
 * and the two offsets exchange their roles. */
#include "core/layout.h"

#define CORE_ROWS 8u
#define CORE_ROW_BYTES 16u
#define K_BYTES 32u /* of a K-major row that one instruction takes, whatever the type */
#define FIELD_BITS 14
#define NO_CODE UINT8_MAX

/* NO_CODE: there is none for this swizzle, whatever rows the contract has. */
static uint32_t layout_code(enum tmap_consumer consumer, int32_t swizzle)
{
    static const uint8_t codes[][5] = {{0, 3, 2, 1, NO_CODE}, {0, 6, 4, 2, 1}};
    if (swizzle < 0 || swizzle >= 5) return NO_CODE;
    return codes[consumer == TMAP_CONSUMER_TCGEN05][swizzle];
}

/* Byte offsets are stored in units of 16, in 14 bits. */
static uint64_t field(uint32_t bytes)
{
    return (bytes >> 4) & ((UINT64_C(1) << FIELD_BITS) - 1);
}

static uint64_t descriptor(enum tmap_consumer consumer, const struct tmap_mma *m)
{
    const uint64_t word = field(m->lbo_bytes) << 16 | field(m->sbo_bytes) << 32;
    if (consumer == TMAP_CONSUMER_WGMMA) return word | (uint64_t)m->layout_code << 62;
    return word | UINT64_C(1) << 46 | (uint64_t)m->layout_code << 61; /* bits 48:46 are 0b001 */
}

static void k_major(const struct tmap_layout *l, bool swizzled, struct tmap_mma *m)
{
    m->sbo_bytes = CORE_ROWS * l->pitch_bytes;
    m->lbo_bytes = swizzled ? CORE_ROW_BYTES : (uint32_t)l->rows * CORE_ROW_BYTES;
    m->k_step_bytes = swizzled ? K_BYTES : 2 * m->lbo_bytes; /* two core matrices along K */
    m->k_steps = l->row_bytes / K_BYTES;
}

static void mn_major(const struct tmap_layout *l, bool swizzled, struct tmap_mma *m)
{
    const uint32_t group = CORE_ROWS * l->pitch_bytes, next = (uint32_t)l->rows * l->pitch_bytes;
    m->sbo_bytes = swizzled ? group : next;
    m->lbo_bytes = swizzled ? next : group;
    m->k_step_bytes = m->k_elements * l->pitch_bytes; /* a row per value of K */
    m->k_steps = (uint32_t)l->rows / m->k_elements;
}

/* The first violated row that is about the consumer. */
static enum tmap_status readable(const struct tmap_checker *checker, const struct tmap_desc *desc,
                                 const struct tmap_use *use, struct tmap_violation *why)
{
    struct tmap_violation first;
    size_t found = 0;
    const enum tmap_status status = tmap_check_use(checker, desc, use, &first, 1, &found, NULL);
    if (status != TMAP_OK || found == 0) return status;
    if (why) *why = first;
    return TMAP_E_ILLEGAL;
}

enum tmap_status tmap_mma_of(const struct tmap_checker *checker, const struct tmap_desc *desc,
                             enum tmap_consumer consumer, enum tmap_major major,
                             struct tmap_mma *out, struct tmap_violation *why)
{
    struct tmap_layout layout;
    struct tmap_mma m = {0};
    if (checker == NULL || desc == NULL || out == NULL || consumer < TMAP_CONSUMER_WGMMA ||
        consumer > TMAP_CONSUMER_TCGEN05)
        return TMAP_E_ARGUMENT;
    const struct tmap_use use = {
        .op = TMAP_OP_LOAD, .consumer = (uint32_t)consumer, .major = (uint32_t)major};
    enum tmap_status status = tmap_layout(checker, desc, &layout);
    if (status == TMAP_OK) status = readable(checker, desc, &use, why);
    if (status != TMAP_OK) return status;
    const bool swizzled = desc->swizzle != TMAP_SWIZZLE_NONE;
    m.layout_code = layout_code(consumer, desc->swizzle);
    if (m.layout_code == NO_CODE) return TMAP_E_TARGET;
    m.k_elements = K_BYTES * 8 / layout_smem_bits(desc->dtype);
    if (major == TMAP_K_MAJOR)
        k_major(&layout, swizzled, &m);
    else
        mn_major(&layout, swizzled, &m);
    m.base_align_bytes = layout.pattern_bytes;
    m.word = descriptor(consumer, &m);
    *out = m;
    return TMAP_OK;
}
