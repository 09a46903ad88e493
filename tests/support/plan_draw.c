/* Drawn requests, and the plain reading of a plan's claims; see plan_draw.h. */
#include "support/plan_draw.h"
#include "support/checkers.h"
#include "support/splitmix.h"

#include "core/layout.h"

#include <stdio.h>
#include <string.h>

static uint64_t below(uint64_t *s, uint64_t n)
{
    return n ? splitmix(s) % n : 0;
}

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b * b;
}

struct tmap_checker draw_checker(unsigned i)
{
    static const char *const arch[DRAW_TARGETS] = {"sm_90a", "sm_100a", "sm_120a", "sm_103a",
                                                   "sm_110f"};
    return checker_on(arch[i]);
}

/* Packed types exist from Blackwell on; on Hopper they are drawn now and then all the same. */
static int32_t draw_type(uint64_t *s, unsigned target)
{
    const bool packed = below(s, target ? 3 : 40) == 0;
    return (int32_t)(packed ? 13 + below(s, 3) : below(s, 13));
}

static uint64_t draw_dim(uint64_t *s, uint32_t i, bool packed)
{
    static const uint64_t usual[] = {1,  1,  2,   3,   8,   16,  48,  64,
                                     65, 96, 100, 128, 256, 257, 384, 512};
    if (i == 0 && packed && below(s, 8)) return 64 * (1 + below(s, 9));
    return below(s, 3) ? usual[below(s, 16)] : 1 + below(s, 300);
}

static uint32_t draw_box(uint64_t *s, uint64_t dim, uint64_t room)
{
    static const uint32_t usual[] = {1, 2, 3, 8, 16, 32, 64, 64, 96, 128, 128, 192, 256, 257, 300};
    const uint64_t how = below(s, 6);
    uint64_t box = how == 0 ? dim : how == 1 ? 1 + below(s, 300) : usual[below(s, 15)];
    while (box > room && box > 1) box /= 2;
    return (uint32_t)box;
}

/* Dimensions, strides and a tile of few elements; strides mostly those of a dense tensor, now and
 * then with a gap, an overlap, or none. */
static void draw_tensor(uint64_t *s, struct tmap_desc *d, uint64_t cells)
{
    const uint64_t most_bytes = UINT64_C(1) << 22;
    const bool packed = d->dtype >= TMAP_16U4_ALIGN8B;
    uint64_t bits =
        d->interleave ? layout_slice_bytes(d->interleave) * 8 : layout_gmem_bits(d->dtype);
    uint64_t at = bits, used = 1;
    for (uint32_t i = 0; i < d->rank; i++) {
        d->dim[i] = draw_dim(s, i, packed);
        if (bits / 8 * d->dim[i] > most_bytes) d->dim[i] = 1;
        bits *= d->dim[i];
        d->box[i] = draw_box(s, d->dim[i], cells / used);
        used *= d->box[i];
        d->elem_stride[i] = below(s, 14) ? 1 : 1 + (uint32_t)below(s, 9);
        if (i + 1 == d->rank) break;
        at = up(at * d->dim[i], 8);
        if (below(s, 3) == 0) at = up(at, 128 * (1 + below(s, 2)));
        if (below(s, 24) == 0) at += 8 * (1 + below(s, 40));
        d->stride_bytes[i] = below(s, 40) == 0 ? 0 : at / 8;
        if (d->dim[i] == 1 && below(s, 2)) d->stride_bytes[i] = below(s, 5000);
    }
}

static void draw_im2col(uint64_t *s, struct tmap_desc *d)
{
    d->channels = 1 + (uint32_t)below(s, 300);
    if (below(s, 4)) d->channels = (d->channels + 15) / 16 * 16;
    d->pixels = 1 + (uint32_t)below(s, below(s, 8) ? 12 : 1100);
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) d->box[i] = 0;
    for (uint32_t j = 0; j + 2 < d->rank; j++) {
        d->lower[j] = -(int32_t)below(s, 3);
        d->upper[j] = below(s, 2) ? d->lower[j] : -(int32_t)below(s, 2);
    }
    if (d->kind == TMAP_IM2COL_WIDE) memset(d->lower + 1, 0, 2 * sizeof d->lower[0]);
    if (d->kind == TMAP_IM2COL_WIDE) memset(d->upper + 1, 0, 2 * sizeof d->upper[0]);
}

static void draw_consumer(uint64_t *s, uint32_t *consumer, uint32_t *major)
{
    size_t consumers = 0;
    while (tmap_consumer_at(consumers, consumer, major)) consumers++;
    tmap_consumer_at(below(s, consumers), consumer, major);
}

struct drawn_repair draw_repair(uint64_t *s)
{
    struct drawn_repair r = {.target = (unsigned)below(s, DRAW_TARGETS)};
    struct tmap_desc *d = &r.desc;
    d->kind = below(s, 10) ? TMAP_TILED : below(s, 4) ? TMAP_IM2COL : TMAP_IM2COL_WIDE;
    d->dtype = draw_type(s, r.target);
    d->rank = d->kind == TMAP_TILED ? 1 + (uint32_t)below(s, 5) : 3 + (uint32_t)below(s, 3);
    d->address = (UINT64_C(1) << 40) + below(s, 1 << 20) * 256 + (below(s, 6) ? 0 : below(s, 64));
    d->swizzle = (int32_t)below(s, below(s, 4) ? 4 : 7);
    d->oob_fill = below(s, 20) == 0;
    if (d->rank >= 3 && below(s, 14) == 0) d->interleave = 1 + (int32_t)below(s, 2);
    draw_tensor(s, d, below(s, 100) ? 4096 : 1 << 16);
    if (d->kind != TMAP_TILED) draw_im2col(s, d);
    r.how.op = below(s, 4) ? TMAP_OP_LOAD : TMAP_OP_STORE;
    r.how.keep_swizzle = below(s, 5) == 0;
    r.how.no_copy = below(s, 6) == 0;
    r.how.no_im2col = below(s, 3) == 0;
    for (uint32_t i = 0; i < d->rank && below(s, 4) == 0; i++) r.how.grain[i] = below(s, 40);
    if (below(s, 4) == 0) draw_consumer(s, &r.how.consumer, &r.how.major);
    return r;
}

struct drawn_tile draw_tile(uint64_t *s)
{
    struct drawn_tile r = {.target = (unsigned)below(s, DRAW_TARGETS)};
    struct tmap_tile_request *w = &r.request;
    w->tensor.dtype = draw_type(s, r.target);
    w->tensor.rank = 1 + (uint32_t)below(s, 4);
    w->tensor.address = (UINT64_C(1) << 40) + (below(s, 8) ? 0 : below(s, 64));
    draw_tensor(s, &w->tensor, below(s, 100) ? 4096 : 1 << 16);
    memcpy(w->tile, w->tensor.box, sizeof w->tile);
    for (int i = 0; i < TMAP_MAX_RANK; i++) w->tensor.elem_stride[i] = w->tensor.box[i] = 0;
    w->op = below(s, 5) ? TMAP_OP_LOAD : TMAP_OP_STORE;
    w->multicast = below(s, 6) ? 0 : 2;
    draw_consumer(s, &w->consumer, &w->major);
    return r;
}

/* --- what a plan claims ------------------------------------------------------------------------
 */

/* The tile as requested: how many positions along each dimension, and how far apart. */
struct box {
    uint64_t count[TMAP_MAX_RANK], step[TMAP_MAX_RANK], rows;
};

static struct box box_of(const struct tmap_desc *d)
{
    struct box b = {.rows = 1};
    struct tmap_layout l;
    layout_of(d, &l);
    for (uint32_t i = 0; i < d->rank; i++) {
        b.count[i] = l.extent[i];
        b.step[i] = d->kind == TMAP_TILED && (i || d->interleave) ? d->elem_stride[i] : 1;
        if (i) b.rows *= b.count[i];
    }
    return b;
}

/* The bit at which the request's box has it, the swizzle aside: the words of struct tmap_cost. */
static uint64_t requested_bit(const struct tmap_desc *d, const struct box *b, const uint64_t *at,
                              uint32_t part)
{
    const uint64_t bits = layout_smem_bits(d->dtype), own = layout_gmem_bits(d->dtype);
    const uint64_t unit = bits != own ? 1024 : 128, span = layout_swizzle_span(d->swizzle) * 8u;
    const uint64_t width = up(b->count[0] * bits, unit);
    uint64_t row = 0, x = at[0] * bits;
    for (uint32_t i = d->rank; i-- > (d->interleave ? 0u : 1u);) row = row * b->count[i] + at[i];
    if (d->interleave) return row * layout_slice_bytes(d->interleave) * 8 + part * own;
    const uint64_t in_group = bits != own ? at[0] % 16 * own : 0;
    if (bits != own) x = at[0] / 16 * 128;
    if (!span || width <= span) return row * (span ? span : width) + x + in_group;
    return (x / span * b->rows + row) * span + x % span + in_group;
}

static bool next(const struct box *b, uint32_t rank, uint64_t *at)
{
    for (uint32_t i = 0; i < rank; i++) {
        if (++at[i] < b->count[i]) return true;
        at[i] = 0;
    }
    return false;
}

const char *layout_claim_is_wrong(const struct tmap_desc *d, const struct tmap_plan *p)
{
    const struct box b = box_of(d);
    const bool same = p->desc.swizzle == d->swizzle;
    const int64_t origin[TMAP_MAX_RANK] = {0};
    const uint32_t parts =
        d->interleave ? layout_slice_bytes(d->interleave) * 8u / layout_gmem_bits(d->dtype) : 1;
    uint64_t at[TMAP_MAX_RANK] = {0}, bit;
    bool kept = true;
    do
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t tile[TMAP_MAX_RANK] = {0}, copy;
            for (uint32_t i = 0; i < d->rank; i++) tile[i] = (uint32_t)(at[i] * b.step[i]);
            if (!tmap_plan_place_bits(p, d, origin, tile, part, &copy, &bit)) return "no place";
            kept = kept && bit == requested_bit(d, &b, at, part);
        }
    while (next(&b, d->rank, at));
    const uint32_t changes = p->cost.layout_changes;
    if (changes < !same) return "another swizzle is not called a change";
    if (changes == !same && !kept) return "an element lies elsewhere, and that is not said";
    const bool starts = p->dim[0].shift || p->dim[0].round > 1;
    if (changes > !same && kept && !starts) return "a change is claimed where there is none";
    return NULL;
}

bool has_new_zero_stride(const struct tmap_desc *d, const struct tmap_plan *p)
{
    bool had = false;
    for (uint32_t i = 0; i + 1 < d->rank; i++) had = had || d->stride_bytes[i] == 0;
    for (uint32_t i = 0; i + 1 < p->desc.rank; i++)
        if (!had && p->desc.dim[i + 1] > 1 && p->desc.stride_bytes[i] == 0) return true;
    return false;
}
