/* Synthesis: each swizzle that the consumer can read is repaired into a legal plan, and the plans
 * are ranked. The search over structure and fields is repair's; here is what consumers need. */
#include "core/layout.h"
#include "tmap/solve.h"

#include <stdio.h>
#include <string.h>

#define SWIZZLES 7
#define SECTOR_BYTES 32u /* of DRAM and L2 */
#define BANK_BYTES 128u  /* one row of banks */
#define MATRIX_ROWS 8u
#define PIECE_BYTES 16u

static bool is_mma(uint32_t consumer)
{
    return consumer >= TMAP_CONSUMER_WGMMA_K && consumer <= TMAP_CONSUMER_TCGEN05_MN;
}

static bool is_tcgen05(uint32_t consumer)
{
    return consumer == TMAP_CONSUMER_TCGEN05_K || consumer == TMAP_CONSUMER_TCGEN05_MN;
}

/* The swizzles that an MMA descriptor can name: PTX ISA, matrix descriptor, and for 32-byte atoms
 * tcgen05's M- or N-major 32-bit operands alone. */
static bool readable(uint32_t consumer, int32_t swizzle, uint32_t bits)
{
    switch (swizzle) {
    case TMAP_SWIZZLE_NONE:
        return !is_mma(consumer);
    case TMAP_SWIZZLE_32B:
    case TMAP_SWIZZLE_64B:
    case TMAP_SWIZZLE_128B:
        return true;
    case TMAP_SWIZZLE_128B_ATOM_32B:
        return consumer == TMAP_CONSUMER_TCGEN05_MN && bits == 32;
    default:
        return consumer == TMAP_CONSUMER_NONE;
    }
}

/* An MMA operand's rows are exactly one span wide. */
static bool fills_span(const struct tmap_plan *p)
{
    struct tmap_layout l;
    layout_of(&p->desc, &l);
    return l.row_bytes == layout_swizzle_span(p->desc.swizzle);
}

/* How often the busiest group of four banks is asked for when eight consecutive rows are read, 16
 * bytes each, the way ldmatrix and the MMA units do; less one. */
static uint32_t conflicts_of(const struct tmap_desc *d, uint32_t consumer)
{
    uint32_t asked[BANK_BYTES / PIECE_BYTES] = {0}, most = 0;
    struct tmap_layout l;
    if (consumer == TMAP_CONSUMER_NONE) return 0;
    layout_of(d, &l);
    for (uint32_t row = 0; row < MATRIX_ROWS && row < l.rows; row++) {
        const uint64_t at = tmap_swizzle_address(d->swizzle, (uint64_t)row * l.pitch_bytes);
        const uint32_t n = ++asked[at % BANK_BYTES / PIECE_BYTES];
        if (n > most) most = n;
    }
    return most ? most - 1 : 0;
}

static uint64_t partial_sectors(const struct tmap_desc *d)
{
    struct tmap_layout l;
    layout_of(d, &l);
    const uint32_t bytes = l.row_bytes * layout_gmem_bits(d->dtype) / layout_smem_bits(d->dtype);
    uint64_t odd = bytes % SECTOR_BYTES != 0;
    for (uint32_t i = 0; i + 1 < d->rank; i++) odd |= d->stride_bytes[i] % SECTOR_BYTES != 0;
    odd |= d->address % SECTOR_BYTES != 0;
    return odd * 2;
}

static int compare(const struct tmap_tile_plan *a, const struct tmap_tile_plan *b)
{
#define BY(field)                                                                                  \
    if (a->field != b->field) return a->field < b->field ? -1 : 1
    BY(kind);
    BY(plan.cost.copied_bytes);
    BY(instructions);
    BY(conflicts);
    BY(shared_bytes);
    BY(partial_sectors);
    BY(plan.cost.wasted_traffic_bytes);
    BY(rows);
    BY(plan.desc.rank);
    BY(plan.desc.swizzle);
#undef BY
    return 0;
}

static void keep(struct tmap_tile_plan *plans, size_t cap, size_t *found,
                 const struct tmap_tile_plan *p)
{
    size_t at = 0;
    while (at < *found && compare(&plans[at], p) <= 0) at++;
    if (at == cap) return;
    if (*found == cap) (*found)--;
    memmove(&plans[at + 1], &plans[at], (*found - at) * sizeof *p);
    plans[at] = *p;
    (*found)++;
}

static struct tmap_tile_plan measured(const struct tmap_plan *plan,
                                      const struct tmap_tile_wish *wish)
{
    struct tmap_tile_plan t = {
        .plan = *plan, .kind = plan->cost.kind, .instructions = plan->copies};
    struct tmap_layout l;
    layout_of(&plan->desc, &l);
    t.conflicts = conflicts_of(&plan->desc, wish->consumer);
    t.shared_bytes = (plan->copies - 1) * plan->slot_bytes + l.footprint_bytes;
    t.partial_sectors = partial_sectors(&plan->desc);
    t.rows = l.rows * plan->copies;
    return t;
}

/* The rows that a multicast breaks, were plan's copies to go to so many CTAs. */
static bool casts(const struct tmap_checker *c, const struct tmap_plan *p, uint32_t ctas)
{
    const struct tmap_use use = {.op = TMAP_OP_LOAD,
                                 .flags = TMAP_USE_COORD,
                                 .coord_count = p->desc.rank,
                                 .multicast = ctas};
    struct tmap_violation v[1];
    size_t found = 1;
    if (ctas < 2) return true;
    return tmap_check_use(c, &p->desc, &use, v, 1, &found, NULL) == TMAP_OK && found == 0;
}

static struct tmap_desc desc_of(const struct tmap_tile_wish *wish, int32_t swizzle)
{
    struct tmap_desc d = wish->tensor;
    d.kind = TMAP_TILED;
    d.interleave = TMAP_INTERLEAVE_NONE;
    d.swizzle = swizzle;
    d.l2_promotion = TMAP_L2_NONE;
    for (uint32_t i = 0; i < d.rank && i < TMAP_MAX_RANK; i++) {
        d.box[i] = wish->tile[i];
        d.elem_stride[i] = 1;
    }
    return d;
}

enum tmap_status tmap_solve(const struct tmap_checker *checker, const struct tmap_tile_wish *wish,
                            void *workspace, size_t bytes, struct tmap_tile_plan *plans, size_t cap,
                            size_t *found, char *reason)
{
    const struct tmap_wish how = {.op = wish ? wish->op : 0, .keep_swizzle = true};
    if (!checker || !wish || !plans || cap == 0 || !found || !reason ||
        wish->consumer >= TMAP_CONSUMER_COUNT)
        return TMAP_E_ARGUMENT;
    *found = 0;
    snprintf(reason, 160, "no swizzle that this consumer reads fits the tile");
    if (is_tcgen05(wish->consumer) && checker->target.arch >> 2 < 100) {
        snprintf(reason, 160, "tcgen05 is Blackwell's: the target has none");
        return TMAP_E_NO_PLAN;
    }
    for (int32_t w = 0; w < SWIZZLES; w++) {
        struct tmap_plan options[4];
        struct tmap_repair_report r;
        const struct tmap_desc d = desc_of(wish, w);
        if (!readable(wish->consumer, w, layout_smem_bits(d.dtype))) continue;
        const enum tmap_status s =
            tmap_repair(checker, &d, &how, workspace, bytes, options, 4, &r, NULL);
        if (s == TMAP_E_ROOM || s == TMAP_E_ARGUMENT || s == TMAP_E_TARGET) return s;
        if (s != TMAP_OK && r.reason[0]) snprintf(reason, 160, "%s", r.reason);
        for (size_t i = 0; i < r.found; i++) {
            if (options[i].skip || (is_mma(wish->consumer) && !fills_span(&options[i]))) continue;
            if (!casts(checker, &options[i], wish->multicast)) {
                snprintf(reason, 160, "the target does not multicast such a load");
                continue;
            }
            const struct tmap_tile_plan t = measured(&options[i], wish);
            keep(plans, cap, found, &t);
        }
    }
    return *found ? TMAP_OK : TMAP_E_NO_PLAN;
}

const char *tmap_consumer_name(uint32_t consumer)
{
    static const char *const names[] = {"none",           "ldmatrix",        "wgmma_k_major",
                                        "wgmma_mn_major", "tcgen05_k_major", "tcgen05_mn_major"};
    return consumer < TMAP_CONSUMER_COUNT ? names[consumer] : NULL;
}
