// From a problem to a plan: element type, box, ring, descriptors. What a descriptor may be is not
// known here: every one is put to the rows, and encoded by tmap_encode.
#include <stdlib.h>
#include <string.h>

#include "kernels/copy/suite.h"

#define SLOT_ALIGN 1024u // every slot starts a swizzle pattern
#define SLIM_SLOT 16384u
#define WIDE_SLOT 32768u
#define RING_STAGES 4u // more in flight only scatters the rows of memory that are open
#define BAR_BYTES 16u  // a full and an empty barrier a stage
#define TILE_THREADS 32u
#define TRANSPOSE_THREADS 256u
#define PANEL_ROW_BYTES 128u
#define GRAIN_BYTES 16u
#define BOX_LIMIT 256u // a wish for a box; the rows decide whether it is legal
#define POLICY_NORMAL 0x1000000000000000u
#define POLICY_EVICT_FIRST 0x12f0000000000000u
#define POLICY_EVICT_LAST 0x14f0000000000000u

// Bits of an element in global memory, and the span of a swizzle, from the tables.
static uint32_t bits_of(int32_t dtype)
{
    switch (dtype) {
// clang-format off
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, tf32) \
    case value: return gmem_bits;
#include "rules/enums.def"
    // clang-format on
    default:
        return 0;
    }
}

static uint32_t span_of(int32_t swizzle)
{
    switch (swizzle) {
// clang-format off
#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) \
    case value: return span_bytes;
#include "rules/enums.def"
    // clang-format on
    default:
        return 0;
    }
}

struct draft {
    struct tmap_copy_plan *plan;
    struct copy_params k;
    struct tmap_violation violation;
    uint32_t extra_smem; // besides the ring
    uint32_t loads;      // that fill one slot
};

static uint32_t ceil_to(uint32_t v, uint32_t unit)
{
    return (v + unit - 1) / unit * unit;
}
static uint64_t blocks(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit;
}

static uint64_t policy_bits(uint32_t policy, uint64_t otherwise)
{
    switch (policy) {
    case 1:
        return POLICY_NORMAL;
    case 2:
        return POLICY_EVICT_FIRST;
    case 3:
        return POLICY_EVICT_LAST;
    default:
        return otherwise;
    }
}

// For t below 2^31: with shift = 31 + ceil(log2 d), the multiplier fits 32 bits and the quotient is
// exact (Granlund and Montgomery 1994, theorem 4.2).
static struct copy_divisor divisor(uint64_t d)
{
    uint32_t log = 0;
    while ((1ull << log) < d) log++;
    const uint32_t shift = 31 + log;
    return (struct copy_divisor){(uint32_t)d, (uint32_t)(((1ull << shift) + d - 1) / d), shift};
}

// The widest plain integer type that the innermost extent and both addresses allow.
static void widen(struct tmap_copy_problem *p, bool keep)
{
    static const int32_t types[] = {TMAP_UINT64, TMAP_UINT32, TMAP_UINT16, TMAP_UINT8};
    const uint32_t size = bits_of(p->dtype) / 8;
    const uint64_t bytes = p->dim[0] * size;
    if (keep || size == 0) return;
    for (int i = 0; i < 4; i++) {
        const uint32_t wide = bits_of(types[i]) / 8;
        if (wide < size || bytes % wide != 0) continue;
        p->dtype = types[i];
        p->dim[0] = bytes / wide;
        return;
    }
}

static void dense(const struct tmap_copy_problem *p, uint32_t rank, uint64_t stride[])
{
    uint64_t bytes = p->dim[0] * (bits_of(p->dtype) / 8);
    for (uint32_t i = 0; i + 1 < rank; i++) {
        stride[i] = bytes;
        bytes *= p->dim[i + 1];
    }
}

static uint32_t inner_box(const struct tmap_desc *d, uint64_t dim)
{
    const uint32_t size = bits_of(d->dtype) / 8, span = span_of(d->swizzle);
    uint64_t most = span ? span / size : BOX_LIMIT;
    const uint64_t whole = blocks(dim * size, GRAIN_BYTES) * GRAIN_BYTES / size;
    if (most > whole) most = whole;
    return (uint32_t)most;
}

// Fills dimension after dimension until the slot is full.
static void choose_box(struct tmap_desc *d, const struct tmap_copy_config *c)
{
    const uint32_t size = bits_of(d->dtype) / 8;
    d->box[0] = c->box[0] ? c->box[0] : inner_box(d, d->dim[0]);
    uint64_t room = c->slot_bytes / ((uint64_t)d->box[0] * size);
    for (uint32_t i = 1; i < d->rank; i++) {
        uint64_t n = room < d->dim[i] ? room : d->dim[i];
        if (n > BOX_LIMIT) n = BOX_LIMIT;
        if (n == 0) n = 1;
        d->box[i] = c->box[i] ? c->box[i] : (uint32_t)n;
        room /= d->box[i];
    }
}

static struct tmap_desc tensor(const struct tmap_copy_problem *p, uint32_t rank, uint64_t address,
                               const uint64_t stride[])
{
    struct tmap_desc d;
    memset(&d, 0, sizeof d);
    d.dtype = p->dtype;
    d.rank = rank;
    d.address = address;
    for (uint32_t i = 0; i < rank; i++) {
        d.dim[i] = p->dim[i];
        if (i) d.stride_bytes[i - 1] = stride[i - 1];
    }
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++) d.elem_stride[i] = 1;
    d.l2_promotion = TMAP_L2_256B;
    return d;
}

// Legal by every row, then the 128 bytes.
static enum tmap_status encode(struct draft *f, int which, struct copy_map *map)
{
    const struct tmap_checker *c = &f->plan->suite->checker;
    enum tmap_verdict verdict;
    struct tmap_map out;
    size_t found = 0;
    struct tmap_violation v = {TMAP_NO_ROW, -1};
    const struct tmap_desc *d = &f->plan->desc[which];
    enum tmap_status s = tmap_check_with(c, d, &v, 1, &found, &verdict);
    if (s != TMAP_OK) return s;
    if (verdict != TMAP_LEGAL) {
        f->violation = v;
        return TMAP_E_ILLEGAL;
    }
    s = tmap_encode(c, d, &out);
    if (s == TMAP_OK) memcpy(map->word, out.word, sizeof out.word);
    return s;
}

static enum tmap_status encode_both(struct draft *f)
{
    const enum tmap_status s = encode(f, 0, &f->k.src);
    return s == TMAP_OK ? encode(f, 1, &f->k.dst) : s;
}

static void cover(struct draft *f, const struct tmap_desc *d)
{
    uint64_t total = 1;
    for (uint32_t i = 0; i < d->rank; i++) {
        const uint64_t n = blocks(d->dim[i], d->box[i]);
        f->k.tiles[i] = divisor(n);
        f->k.step[i] = d->box[i];
        total *= n;
    }
    f->plan->tiles = total < INT32_MAX ? (uint32_t)total : 0;
}

static void use_layout(struct draft *f, const struct tmap_desc *d)
{
    struct tmap_layout l;
    if (tmap_layout(&f->plan->suite->checker, d, &l) != TMAP_OK) return; // encode says why
    f->plan->tx_bytes = (uint32_t)l.tx_bytes * f->loads;
    f->k.stage_bytes = ceil_to((uint32_t)l.footprint_bytes * f->loads, SLOT_ALIGN);
}

static const char *const tile_kernel[] = {"copy_tile_1", "copy_tile_2", "copy_tile_3",
                                          "copy_tile_4", "copy_tile_5"};
static const char *const add_kernel[] = {"copy_add_1", "copy_add_2", "copy_add_3", "copy_add_4",
                                         "copy_add_5"};

// A row of rank 1 is one box wide at most: where it divides, the same bytes as a matrix fill a
// slot.
static void fold(struct tmap_copy_problem *p, const struct tmap_copy_config *c)
{
    if (p->rank != 1 || c->keep_type || p->dim[0] % BOX_LIMIT) return;
    p->rank = 2;
    p->dim[1] = p->dim[0] / BOX_LIMIT;
    p->dim[0] = BOX_LIMIT;
    p->src_stride[0] = p->dst_stride[0] = 0;
}

static enum tmap_status plan_tile(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    const bool add = p->kind == TMAP_COPY_ADD;
    if (p->rank < 1 || p->rank > TMAP_MAX_RANK) return TMAP_E_ARGUMENT;
    widen(p, add || plan->config.keep_type);
    fold(p, &plan->config);
    if (p->rank > 1 && p->src_stride[0] == 0) dense(p, p->rank, p->src_stride);
    if (p->rank > 1 && p->dst_stride[0] == 0) dense(p, p->rank, p->dst_stride);
    plan->desc[0] = tensor(p, p->rank, p->src, p->src_stride);
    plan->desc[0].swizzle = plan->config.swizzle;
    choose_box(&plan->desc[0], &plan->config);
    plan->desc[1] = tensor(p, p->rank, p->dst, p->dst_stride);
    plan->desc[1].swizzle = plan->config.swizzle;
    memcpy(plan->desc[1].box, plan->desc[0].box, sizeof plan->desc[0].box);
    cover(f, &plan->desc[0]);
    use_layout(f, &plan->desc[0]);
    plan->kernel = (add ? add_kernel : tile_kernel)[p->rank - 1];
    plan->moved_bytes = bits_of(p->dtype) / 8 * (add ? 3 : 2);
    for (uint32_t i = 0; i < p->rank; i++) plan->moved_bytes *= p->dim[i];
    return encode_both(f);
}

static enum tmap_status plan_bulk(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    const struct tmap_copy_problem *p = &plan->problem;
    const uint64_t bytes = p->dim[0] * (bits_of(p->dtype) / 8);
    if (bytes % GRAIN_BYTES || p->src % GRAIN_BYTES || p->dst % GRAIN_BYTES) return TMAP_E_ARGUMENT;
    f->k.stage_bytes = ceil_to(plan->config.slot_bytes, SLOT_ALIGN);
    f->k.src_address = p->src, f->k.dst_address = p->dst, f->k.bytes = bytes;
    plan->tx_bytes = f->k.stage_bytes;
    plan->tiles = (uint32_t)blocks(bytes, f->k.stage_bytes);
    plan->kernel = "copy_bulk";
    plan->moved_bytes = 2 * bytes;
    return TMAP_OK;
}

// Rank-3 views {elements of 128 bytes, rows, panels}: a box is `side` panels of `side` heights.
static void panels(struct tmap_desc *d, uint64_t cols, uint64_t rows, uint64_t pitch, uint32_t side)
{
    const uint32_t per = PANEL_ROW_BYTES / (bits_of(d->dtype) / 8);
    d->rank = 3;
    d->dim[0] = per, d->dim[1] = rows, d->dim[2] = blocks(cols, per);
    d->stride_bytes[0] = pitch, d->stride_bytes[1] = PANEL_ROW_BYTES;
    d->box[0] = per, d->box[1] = per * side, d->box[2] = side;
    d->swizzle = TMAP_SWIZZLE_128B;
}

static enum tmap_status plan_transpose(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    const uint32_t size = bits_of(p->dtype) / 8, side = 2;
    if (size == 0 || size == 8 || p->rank != 2) return TMAP_E_ARGUMENT;
    const uint32_t per = PANEL_ROW_BYTES / size;
    if (p->src_stride[0] == 0) p->src_stride[0] = p->dim[0] * size;
    if (p->dst_stride[0] == 0) p->dst_stride[0] = p->dim[1] * size;
    if (p->dim[0] % per || p->dim[1] % per) return TMAP_E_NO_PLAN; // whole panels
    static const int32_t plain[] = {0, TMAP_UINT8, TMAP_UINT16, 0, TMAP_UINT32};
    p->dtype = plain[size];
    plan->desc[0] = tensor(p, 1, p->src, NULL);
    plan->desc[1] = tensor(p, 1, p->dst, NULL);
    panels(&plan->desc[0], p->dim[0], p->dim[1], p->src_stride[0], side);
    panels(&plan->desc[1], p->dim[1], p->dim[0], p->dst_stride[0], side);
    f->k.tiles[0] = divisor(blocks(p->dim[0], per * side));
    f->k.step[1] = per * side;
    use_layout(f, &plan->desc[0]);
    f->extra_smem = 2 * f->k.stage_bytes;
    plan->tiles = (uint32_t)(blocks(p->dim[0], per * side) * blocks(p->dim[1], per * side));
    plan->kernel = size == 4   ? "copy_transpose_4"
                   : size == 2 ? "copy_transpose_2"
                               : "copy_transpose_1";
    plan->threads = TRANSPOSE_THREADS;
    plan->moved_bytes = 2 * p->dim[0] * p->dim[1] * size;
    return encode_both(f);
}

static uint32_t or_one(uint32_t v)
{
    return v ? v : 1;
}

// The walk of the bounding box, and the matrix that its patches make.
static uint64_t im2col_pixels(struct draft *f, uint64_t *taps)
{
    const struct tmap_copy_problem *p = &f->plan->problem;
    uint64_t pixels = p->dim[p->rank - 1];
    *taps = 1;
    for (uint32_t j = 0; j + 2 < p->rank; j++) {
        const uint32_t step = or_one(p->pixel_step[j]);
        const int64_t extent = (int64_t)p->dim[j + 1] + p->upper[j] - p->lower[j];
        const uint64_t n = extent > 0 ? blocks((uint64_t)extent, step) : 0;
        f->k.box_extent[j] = divisor(n ? n : 1);
        f->k.pixel_step[j] = step;
        f->k.lower[j] = p->lower[j];
        f->k.taps[j] = or_one(p->taps[j]);
        f->k.tap_step[j] = or_one(p->tap_step[j]);
        pixels *= n;
        *taps *= f->k.taps[j];
    }
    return pixels;
}

static enum tmap_status plan_im2col(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    static const char *const kernel[] = {"copy_im2col_3", "copy_im2col_4", "copy_im2col_5"};
    if (p->rank < 3 || p->rank > TMAP_MAX_RANK) return TMAP_E_ARGUMENT;
    const uint32_t size = bits_of(p->dtype) / 8;
    uint64_t taps, pixels = im2col_pixels(f, &taps), image = size;
    if (size == 0) return TMAP_E_ARGUMENT;
    if (p->src_stride[0] == 0) dense(p, p->rank, p->src_stride);
    struct tmap_desc *s = &plan->desc[0], *d = &plan->desc[1];
    *s = tensor(p, p->rank, p->src, p->src_stride);
    s->kind = TMAP_IM2COL;
    s->channels = plan->config.box[0] ? plan->config.box[0] : inner_box(s, p->dim[0]);
    s->pixels =
        plan->config.box[1] ? plan->config.box[1] : plan->config.slot_bytes / (s->channels * size);
    if (s->pixels > BOX_LIMIT) s->pixels = BOX_LIMIT; // the store's box
    if (s->pixels == 0) return TMAP_E_NO_PLAN;
    for (uint32_t j = 0; j + 2 < p->rank; j++) {
        s->lower[j] = p->lower[j], s->upper[j] = p->upper[j];
        s->elem_stride[j + 1] = f->k.pixel_step[j];
    }
    const uint64_t out_stride[] = {p->dim[0] * size, p->dim[0] * size * taps};
    *d = tensor(p, 1, p->dst, NULL);
    d->rank = 3, d->dim[1] = taps, d->dim[2] = pixels;
    memcpy(d->stride_bytes, out_stride, sizeof out_stride);
    d->box[0] = s->channels, d->box[1] = 1, d->box[2] = s->pixels;
    cover(f, d);
    use_layout(f, s);
    plan->kernel = kernel[p->rank - 3];
    for (uint32_t i = 0; i < p->rank; i++) image *= p->dim[i];
    plan->moved_bytes = image + pixels * taps * p->dim[0] * size;
    return encode_both(f);
}

static enum tmap_status plan_pages(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    const bool as_dim = p->kind == TMAP_COPY_PAGES;
    const uint64_t page = p->dim[0] * (bits_of(p->dtype) / 8);
    const uint32_t row = 2048; // 256 elements of 8 bytes: the widest row a box has
    if (page % row || p->dim[1] == 0 || p->index == 0) return TMAP_E_ARGUMENT;
    const uint64_t pitch = p->src_stride[0] ? p->src_stride[0] : page;
    uint32_t rows = plan->config.box[1] ? plan->config.box[1] : plan->config.slot_bytes / row;
    while (rows > 1 && (page / row) % rows) rows--;
    if (rows == 0) rows = 1;
    struct tmap_copy_problem view = *p;
    const uint64_t stride[] = {row, pitch};
    view.dtype = TMAP_UINT64, view.dim[0] = row / 8, view.dim[1] = page / row,
    view.dim[2] = p->dim[1];
    plan->desc[0] = tensor(&view, 3, p->src, stride);
    plan->desc[0].box[0] = row / 8, plan->desc[0].box[1] = rows, plan->desc[0].box[2] = 1;
    f->k.tiles[0] = divisor(page / row / rows);
    f->k.step[1] = rows;
    f->k.index = (const int32_t *)(uintptr_t)p->index;
    f->k.src_address = p->src, f->k.dst_address = p->dst, f->k.page_bytes = pitch;
    use_layout(f, &plan->desc[0]);
    plan->tiles = (uint32_t)(p->page_count * (page / row / rows));
    plan->kernel = as_dim ? "copy_gather_dim" : "copy_gather_index";
    plan->moved_bytes = 2 * p->page_count * page;
    return encode(f, 0, &f->k.src);
}

static enum tmap_status plan_broadcast(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    const uint32_t n = p->copies;
    if (p->rank != 3 || (n != 2 && n != 4)) return TMAP_E_ARGUMENT;
    widen(p, plan->config.keep_type != 0);
    if (p->src_stride[0] == 0) dense(p, 3, p->src_stride);
    if (p->dst_stride[0] == 0) dense(p, 3, p->dst_stride);
    struct tmap_desc *s = &plan->desc[0], *d = &plan->desc[1];
    *s = tensor(p, 3, p->src, p->src_stride);
    choose_box(s, &plan->config);
    s->box[2] = 1;
    s->box[1] = s->box[1] / n * n;
    if (s->box[1] == 0) return TMAP_E_NO_PLAN;
    *d = tensor(p, 3, p->dst, p->dst_stride);
    d->rank = 4, d->dim[3] = n, d->stride_bytes[2] = p->copy_stride;
    memcpy(d->box, s->box, sizeof s->box);
    d->box[3] = 1;
    cover(f, s);
    s->box[1] /= n; // each block loads its share, for all
    f->loads = n;
    use_layout(f, s);
    plan->cluster = n;
    f->k.cluster = n;
    plan->kernel = "copy_multicast";
    plan->moved_bytes = (1 + n) * p->dim[0] * p->dim[1] * p->dim[2] * (bits_of(p->dtype) / 8);
    return encode_both(f);
}

// A list: item k's maps differ from the template's in their addresses and rows only.
static enum tmap_status fill_list(struct draft *f, struct copy_item *items)
{
    struct tmap_copy_plan *plan = f->plan;
    const struct tmap_copy_problem *p = &plan->problem;
    for (uint32_t i = 0; i < p->list_count; i++) {
        const struct tmap_copy_matrix *m = &p->list[i];
        for (int side = 0; side < 2; side++) {
            plan->desc[side].address = side ? m->dst : m->src;
            plan->desc[side].dim[1] = m->rows;
        }
        const enum tmap_status s = encode_both(f);
        if (s != TMAP_OK) return s;
        items[i].src = f->k.src, items[i].dst = f->k.dst;
        items[i].src_address = m->src, items[i].dst_address = m->dst;
        items[i].rows = (uint32_t)m->rows;
        items[i].tiles = (uint32_t)blocks(m->rows, plan->desc[0].box[1]);
        plan->moved_bytes += 2 * m->rows * p->dim[0] * (bits_of(p->dtype) / 8);
    }
    return TMAP_OK;
}

static enum tmap_status send_list(struct draft *f, const struct copy_item *items, size_t bytes)
{
    const struct tmap_libcuda *cu = &f->plan->suite->gpu.api;
    const size_t slots = (size_t)f->plan->suite->gpu.sm_count * 2 * 2 * sizeof(struct copy_map);
    if (cu->mem_alloc(&f->plan->buffer, bytes + slots)) return TMAP_E_DRIVER;
    if (cu->memcpy_htod(f->plan->buffer, items, bytes)) return TMAP_E_DRIVER;
    f->k.list = (const void *)(uintptr_t)f->plan->buffer;
    f->k.published = (void *)(uintptr_t)(f->plan->buffer + bytes);
    return TMAP_OK;
}

static enum tmap_status plan_list(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    if (p->list == NULL || p->list_count == 0) return TMAP_E_ARGUMENT;
    p->rank = 2, p->dim[1] = BOX_LIMIT;
    p->src = p->list[0].src, p->dst = p->list[0].dst;
    widen(p, plan->config.keep_type != 0);
    if (p->src_stride[0] == 0) dense(p, 2, p->src_stride);
    if (p->dst_stride[0] == 0) dense(p, 2, p->dst_stride);
    if (p->dim[0] > BOX_LIMIT) return TMAP_E_NO_PLAN; // one box wide
    plan->desc[0] = tensor(p, 2, p->src, p->src_stride);
    choose_box(&plan->desc[0], &plan->config);
    plan->desc[1] = tensor(p, 2, p->dst, p->dst_stride);
    memcpy(plan->desc[1].box, plan->desc[0].box, sizeof plan->desc[0].box);
    f->k.step[1] = plan->desc[0].box[1];
    use_layout(f, &plan->desc[0]);
    plan->tiles = p->list_count;
    plan->kernel = p->kind == TMAP_COPY_LIST ? "copy_list" : "copy_patched";
    struct copy_item *items = aligned_alloc(128, p->list_count * sizeof *items);
    if (items == NULL) return TMAP_E_MEMORY;
    memset(items, 0, p->list_count * sizeof *items);
    enum tmap_status s = fill_list(f, items);
    if (s == TMAP_OK) s = send_list(f, items, p->list_count * sizeof *items);
    free(items);
    return s;
}

static enum tmap_status plan_kind(struct draft *f)
{
    switch (f->plan->problem.kind) {
    case TMAP_COPY_BULK:
        return plan_bulk(f);
    case TMAP_COPY_TILE:
    case TMAP_COPY_ADD:
        return plan_tile(f);
    case TMAP_COPY_TRANSPOSE:
        return plan_transpose(f);
    case TMAP_COPY_IM2COL:
        return plan_im2col(f);
    case TMAP_COPY_PAGES:
    case TMAP_COPY_PAGES_AT:
        return plan_pages(f);
    case TMAP_COPY_BROADCAST:
        return plan_broadcast(f);
    case TMAP_COPY_LIST:
    case TMAP_COPY_PATCHED:
        return plan_list(f);
    default:
        return TMAP_E_ARGUMENT;
    }
}

// Enough stages, as far as they fit, unless the wish says.
static enum tmap_status choose_ring(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    const struct tmap_copy *suite = plan->suite;
    const uint32_t per_block =
        suite->smem_bytes / plan->config.blocks_per_sm / SLOT_ALIGN * SLOT_ALIGN -
        SLOT_ALIGN; // what the system keeps of each
    if (plan->tiles == 0 || per_block <= f->extra_smem) return TMAP_E_NO_PLAN;
    uint32_t fit = (per_block - f->extra_smem) / (f->k.stage_bytes + BAR_BYTES);
    if (fit > COPY_MAX_STAGES) fit = COPY_MAX_STAGES;
    if (plan->config.stages == 0) plan->config.stages = fit < RING_STAGES ? fit : RING_STAGES;
    if (fit == 0 || plan->config.stages > fit) return TMAP_E_NO_PLAN;
    f->k.stages = plan->config.stages;
    plan->smem_bytes = f->k.stages * (f->k.stage_bytes + BAR_BYTES) + f->extra_smem;
    return TMAP_OK;
}

static void finish(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    const struct tmap_copy_config *c = &plan->config;
    const uint32_t places = (uint32_t)plan->suite->gpu.sm_count * c->blocks_per_sm / plan->cluster;
    const uint32_t groups = plan->tiles < places ? plan->tiles : places;
    plan->grid = groups * plan->cluster;
    f->k.total = plan->tiles;
    f->k.tx_bytes = plan->tx_bytes;
    f->k.load_policy = policy_bits(c->load_policy, POLICY_EVICT_LAST);
    f->k.store_policy = policy_bits(c->store_policy, POLICY_EVICT_FIRST);
    f->k.mailbox = (volatile uint32_t *)(uintptr_t)plan->suite->device_mailbox;
    f->k.limit_ms = plan->suite->limit_ms;
    f->k.fault = c->fault;
    memcpy(plan->params, &f->k, sizeof f->k);
}

// Slot, stages and blocks per SM that were fastest on an H200 (docs/COPY.md).
static void defaults(struct tmap_copy_plan *plan)
{
    struct tmap_copy_config *c = &plan->config;
    const int32_t kind = plan->problem.kind;
    const bool paged = kind == TMAP_COPY_PAGES || kind == TMAP_COPY_PAGES_AT;
    const bool slim = kind == TMAP_COPY_BULK || (kind == TMAP_COPY_TILE && c->swizzle != 0);
    if (c->slot_bytes == 0) c->slot_bytes = slim ? SLIM_SLOT : WIDE_SLOT;
    if (c->blocks_per_sm == 0) c->blocks_per_sm = paged ? 2 : 1;
    if (c->stages == 0 && paged) c->stages = 2;
    plan->threads = TILE_THREADS;
    plan->cluster = 1;
}

enum tmap_status tmap_copy_plan(struct tmap_copy *suite, const struct tmap_copy_problem *problem,
                                const struct tmap_copy_config *wish, struct tmap_copy_plan *out,
                                struct tmap_violation *violation)
{
    if (suite == NULL || problem == NULL || out == NULL) return TMAP_E_ARGUMENT;
    if (problem->dim[0] == 0 || bits_of(problem->dtype) < 8) return TMAP_E_ARGUMENT;
    struct tmap_copy_plan plan;
    struct draft f;
    memset(&plan, 0, sizeof plan);
    memset(&f, 0, sizeof f);
    plan.suite = suite, plan.problem = *problem;
    if (wish) plan.config = *wish;
    f.plan = &plan, f.loads = 1;
    f.violation = (struct tmap_violation){TMAP_NO_ROW, -1};
    defaults(&plan);
    enum tmap_status s = plan_kind(&f);
    if (s == TMAP_OK) s = choose_ring(&f);
    if (violation) *violation = f.violation;
    if (s == TMAP_OK && (plan.function = copy_function(suite, plan.kernel)) == NULL)
        s = TMAP_E_DRIVER;
    if (s != TMAP_OK) {
        tmap_copy_release(&plan);
        return s;
    }
    finish(&f);
    *out = plan;
    return TMAP_OK;
}

void tmap_copy_release(struct tmap_copy_plan *plan)
{
    if (plan && plan->buffer) plan->suite->gpu.api.mem_free(plan->buffer);
    if (plan) plan->buffer = 0;
}
