// Random tensor copies; see cases.h. The drawing follows the rules of the encode calls and of the
// hardware as facts, so that nothing is thrown away; whatever it draws is checked by the caller.
#include "device/cases.h"

#include <string.h>

#include "core/layout.h"

#define GUARD_BYTES 512u
#define MAX_BOX 256u
#define MAX_PIXELS 1024u
#define SMEM_STEP 128u
#define MAX_REACH (1ull << 44)

struct rng {
    uint64_t seed, i;
};

static uint64_t next(struct rng *r)
{
    return executor_hash(r->seed, r->i++);
}
static uint64_t below(struct rng *r, uint64_t n)
{
    return n ? next(r) % n : 0;
}
static bool chance(struct rng *r, uint32_t percent)
{
    return below(r, 100) < percent;
}
static int64_t within(struct rng *r, int64_t lo, int64_t hi)
{
    return hi < lo ? lo : lo + (int64_t)below(r, (uint64_t)(hi - lo) + 1);
}

// Log-uniform in [1, max].
static uint64_t size_upto(struct rng *r, uint64_t max)
{
    uint32_t bits = 0;
    while (bits < 63 && (max >> bits) > 1) bits++;
    const uint32_t b = (uint32_t)below(r, bits + 1);
    const uint64_t lo = 1ull << b, hi = 2 * lo - 1 < max ? 2 * lo - 1 : max;
    return lo + below(r, hi - lo + 1);
}

const char *case_class_name(enum case_class cls)
{
    static const char *const names[] = {
#define X(id, name) name,
        CASE_CLASSES(X)
#undef X
    };
    return names[cls];
}

static bool is_store(enum case_class cls)
{
    return cls == CASE_STORE || cls == CASE_STORE_INTERLEAVE || cls == CASE_STORE_IM2COL ||
           cls == CASE_REDUCE || cls == CASE_REDUCE_INTERLEAVE;
}

static uint32_t size_of(const struct tmap_desc *d)
{
    return layout_gmem_bits(d->dtype) / 8;
}
static uint32_t grain(const struct tmap_desc *d)
{
    return d->interleave == TMAP_INTERLEAVE_32B ? 32 : 16;
}
// Bytes from one element of dimension 0 to the next.
static uint32_t step0(const struct tmap_desc *d)
{
    const uint32_t slice = layout_slice_bytes(d->interleave);
    return slice ? slice : size_of(d);
}

static void draw_types(struct rng *r, enum case_class cls, struct tmap_desc *d)
{
    const bool sliced = cls == CASE_INTERLEAVE || cls == CASE_IM2COL_INTERLEAVE ||
                        cls == CASE_STORE_INTERLEAVE || cls == CASE_REDUCE_INTERLEAVE;
    d->dtype = (int32_t)below(r, TMAP_TFLOAT32_FTZ + 1);
    if (cls == CASE_TILED_NAN) d->dtype = (int32_t)within(r, TMAP_FLOAT16, TMAP_TFLOAT32_FTZ);
    d->interleave = sliced ? (int32_t)within(r, 1, 2) : 0;
    d->swizzle = (int32_t)below(r, 4);
    d->l2_promotion = (int32_t)below(r, 4);
    const bool floats = d->dtype >= TMAP_FLOAT16 && d->dtype <= TMAP_TFLOAT32_FTZ;
    d->oob_fill = floats && (cls == CASE_TILED_NAN || chance(r, 25)) ? TMAP_OOB_NAN : TMAP_OOB_NONE;
    const bool im2col =
        cls == CASE_IM2COL || cls == CASE_IM2COL_INTERLEAVE || cls == CASE_STORE_IM2COL;
    d->kind = im2col ? TMAP_IM2COL : TMAP_TILED;
    d->rank = (uint32_t)within(r, im2col || sliced ? 3 : 1, TMAP_MAX_RANK);
    for (uint32_t i = 0; i < TMAP_MAX_RANK; i++)
        d->elem_stride[i] = chance(r, 25) ? (uint32_t)within(r, 1, 8) : 1;
}

// Inner elements: a multiple of 16 bytes within the span, at most 256.
static uint32_t draw_inner(struct rng *r, const struct tmap_desc *d, uint64_t bytes)
{
    const uint32_t size = size_of(d), span = layout_swizzle_span(d->swizzle);
    uint64_t most = (uint64_t)MAX_BOX * size;
    if (span && d->interleave == 0 && most > span) most = span;
    if (most > bytes) most = bytes < 16 ? 16 : bytes;
    return (uint32_t)(16 * size_upto(r, most / 16) / size);
}

static void draw_box(struct rng *r, struct tmap_desc *d, uint32_t cap)
{
    uint64_t bytes = size_upto(r, cap) + 15;
    const bool sliced = d->interleave != 0;
    if (bytes > cap) bytes = cap;
    if (sliced) bytes = bytes * size_of(d) / step0(d) + 16;
    d->box[0] = draw_inner(r, d, bytes);
    uint64_t rows = bytes / ((uint64_t)d->box[0] * size_of(d));
    for (uint32_t k = 1; k < d->rank; k++) {
        const uint32_t i = k, es = d->elem_stride[i];
        const bool last = k + 1 == d->rank;
        uint64_t ext = last && chance(r, 70) ? rows : size_upto(r, rows ? rows : 1);
        if (ext * es > MAX_BOX) ext = MAX_BOX / es;
        if (ext == 0) ext = 1;
        d->box[i] = (uint32_t)(ext * es - below(r, es));
        rows /= ext;
    }
    if (sliced && d->elem_stride[0] > 1 && chance(r, 50)) d->elem_stride[0] = 1;
}

// Until the rows at their pitch fit a block.
static void shrink(struct tmap_desc *d)
{
    struct tmap_layout l;
    for (layout_of(d, &l); l.footprint_bytes > EXECUTOR_HASHED_BYTES; layout_of(d, &l)) {
        uint32_t most = 1;
        for (uint32_t i = d->interleave ? 0 : 1; i < d->rank; i++)
            if (d->box[i] > d->box[most]) most = i;
        d->pixels = (d->pixels + 1) / 2;
        d->box[most] = (d->box[most] + 1) / 2;
        if (most == 0) d->box[0] = (d->box[0] + 15) / 16 * 16;
    }
}

static void draw_pixels(struct rng *r, struct tmap_desc *d, uint32_t cap)
{
    uint64_t bytes = size_upto(r, cap) + 15;
    d->channels = draw_inner(r, d, bytes > cap ? cap : bytes);
    uint64_t most = bytes / ((uint64_t)d->channels * size_of(d));
    if (most > MAX_PIXELS) most = MAX_PIXELS;
    d->pixels = (uint32_t)size_upto(r, most ? most : 1);
}

// Stores stay inside the tensor: lower corners are not negative, upper ones not positive (PTX ISA).
static void draw_store_corners(struct rng *r, struct tmap_desc *d)
{
    for (uint32_t j = 0; j + 2 < d->rank; j++) {
        const int64_t dim = (int64_t)d->dim[j + (d->interleave ? 0 : 1)];
        d->lower[j] = (int32_t)within(r, 0, dim > 3 ? 2 : dim - 1);
        d->upper[j] = -(int32_t)within(r, 0, dim - 1 - d->lower[j] > 2 ? 2 : dim - 1 - d->lower[j]);
    }
}

static void draw_corners(struct rng *r, struct tmap_desc *d)
{
    static const int32_t limit[] = {32768, 128, 16};
    const uint32_t off = d->interleave ? 0 : 1;
    for (uint32_t j = 0; j + 2 < d->rank; j++) {
        const int32_t most = limit[d->rank - 3];
        const int64_t dim = (int64_t)d->dim[j + off];
        for (int tries = 0;; tries++) {
            const int32_t reach = chance(r, 85) ? 4 : most;
            d->lower[j] = (int32_t)within(r, -reach, reach - 1);
            d->upper[j] = (int32_t)within(r, -reach, reach - 1);
            if (d->lower[j] < dim + d->upper[j]) break;
            if (tries > 20) d->lower[j] = d->upper[j] = 0;
            if (tries > 20) break;
        }
        if (dim + d->upper[j] <= d->lower[j]) d->lower[j] = d->upper[j] = 0;
    }
}

// Dims and strides of a tensor that fits `room` bytes whole; unless `apart`, rows may overlap.
static void draw_tensor(struct rng *r, struct tmap_desc *d, uint64_t room, bool apart)
{
    const uint32_t g = grain(d);
    uint64_t pitch = step0(d), span = 0;
    d->dim[0] = size_upto(r, room / pitch < 700 ? room / pitch : 700);
    if (chance(r, 50)) d->dim[0] = d->box[0] && d->box[0] * pitch < room ? d->box[0] : d->dim[0];
    span = d->dim[0] * pitch;
    for (uint32_t i = 1; i < d->rank; i++) {
        uint64_t stride = (span + g - 1) / g * g;
        if (chance(r, 40)) stride += g * below(r, 5);
        if (!apart && chance(r, 10)) stride = g * below(r, 64);
        const uint64_t fit = stride ? (room - span) / stride : room;
        d->stride_bytes[i - 1] = stride;
        d->dim[i] = size_upto(r, fit < 1 ? 1 : fit > 300 ? 300 : fit);
        if (chance(r, 30)) d->dim[i] = within(r, 1, fit < 6 ? (int64_t)fit + 1 : 6);
        while (d->dim[i] > 1 && (d->dim[i] - 1) * stride + span > room) d->dim[i]--;
        span += (d->dim[i] - 1) * stride;
    }
}

// Dims to 2^32 and strides to what the arena holds; only what the box reaches must be mapped.
static void draw_far(struct rng *r, struct tmap_desc *d, uint64_t room)
{
    const uint64_t most = 1ull << 31; // more faults, whatever the coordinates
    for (uint32_t i = 0; i < d->rank; i++) {
        d->dim[i] = chance(r, 15) ? most - below(r, 3) : size_upto(r, most);
        uint64_t far = room / 8 / d->box[i];
        if (far > MAX_REACH / d->dim[i]) far = MAX_REACH / d->dim[i]; // the base stays an address
        if (i) d->stride_bytes[i - 1] = size_upto(r, far / 16) * 16;
    }
}

static int32_t clamp32(int64_t v)
{
    return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : (int32_t)v;
}

static int32_t draw_coord(struct rng *r, int64_t dim, int64_t reach, bool far, bool inside)
{
    const uint64_t what = below(r, 100);
    int64_t v;
    if (inside)
        v = within(r, 0, dim - 1);
    else if (what < 40)
        v = within(r, 0, dim > reach ? dim - reach : 0);
    else if (what < 55)
        v = within(r, -reach, 0);
    else if (what < 75)
        v = within(r, dim - reach, dim);
    else if (what < 80)
        v = chance(r, 50) ? dim + (int64_t)below(r, 70000) : -(int64_t)below(r, 70000) - 1;
    else if (what < 85 && far)
        v = chance(r, 50) ? INT32_MAX - (int64_t)below(r, 300) : INT32_MIN + (int64_t)below(r, 300);
    else
        v = within(r, 0, dim - 1);
    return clamp32(v);
}

static void draw_coords(struct rng *r, enum case_class cls, const struct tmap_desc *d,
                        struct tmap_use *u)
{
    const bool inside = cls == CASE_REDUCE && chance(r, 50);
    const uint32_t unit = d->interleave ? 1 : 16 / size_of(d) ? 16 / size_of(d) : 1;
    for (uint32_t i = 0; i < d->rank; i++) {
        const int64_t reach = d->kind == TMAP_TILED ? d->box[i] : i == 0 ? d->channels : 2;
        u->coord[i] = draw_coord(r, (int64_t)d->dim[i], reach, cls == CASE_TILED_FAR, inside);
    }
    if (is_store(cls))
        for (uint32_t i = 0; i < d->rank; i++)
            if (u->coord[i] < 0) u->coord[i] = 0;
    if (d->interleave == 0) u->coord[0] = (int32_t)((uint32_t)u->coord[0] & ~(unit - 1));
    u->coord_count = d->rank;
    u->flags |= TMAP_USE_COORD;
}

// The first pixel lies in the bounding box (PTX ISA); offsets within their ranges.
static void draw_im2col_use(struct rng *r, const struct tmap_desc *d, struct tmap_use *u)
{
    static const uint32_t limit[] = {65536, 256, 32};
    const uint32_t off = d->interleave ? 0 : 1;
    for (uint32_t j = 0; j + 2 < d->rank; j++) {
        const int64_t lo = d->lower[j], hi = (int64_t)d->dim[j + off] + d->upper[j] - 1;
        u->coord[j + off] = clamp32(within(r, lo, hi));
        u->offset[j] = (uint32_t)below(r, chance(r, 80) ? 4 : limit[d->rank - 3]);
    }
    u->flags |= TMAP_USE_OFFSET;
}

struct reach {
    int64_t lo, hi; // byte offsets from the address, hi exclusive
};

static struct reach reach_of(const struct tmap_desc *d, const struct tmap_use *u)
{
    struct reach out = {0, 0};
    for (uint32_t i = 0; i < d->rank; i++) {
        const int64_t step = i ? (int64_t)d->stride_bytes[i - 1] : step0(d);
        int64_t lo = u->coord[i], hi = (int64_t)u->coord[i] + d->box[i];
        if (lo < 0) lo = 0;
        if (hi > (int64_t)d->dim[i]) hi = (int64_t)d->dim[i];
        if (lo >= hi) return (struct reach){0, 0};
        out.lo += lo * step;
        out.hi += (hi - 1) * step;
    }
    out.hi += step0(d);
    return out;
}

static bool origin_outside(const struct tmap_desc *d, const struct tmap_use *u)
{
    for (uint32_t i = 0; i < d->rank; i++)
        if (u->coord[i] < 0 || (uint64_t)u->coord[i] >= d->dim[i]) return true;
    return false;
}

static void place_load(struct rng *r, enum case_class cls, const struct case_room *room,
                       struct device_case *c)
{
    struct tmap_desc *d = &c->desc;
    struct reach to = {0, 0};
    if (cls == CASE_TILED_FAR) {
        to = reach_of(d, &c->use);
        if (origin_outside(d, &c->use)) to.lo = 0; // such a load touches the base address
        if ((uint64_t)(to.hi - to.lo) > room->arena_bytes / 2) {
            for (uint32_t i = 0; i < d->rank; i++) c->use.coord[i] = 0;
            to = reach_of(d, &c->use);
        }
    } else {
        for (uint32_t i = 0; i < d->rank; i++)
            to.hi += (int64_t)(d->dim[i] - 1) * (int64_t)(i ? d->stride_bytes[i - 1] : step0(d));
        to.hi += step0(d);
    }
    const uint64_t length = (uint64_t)(to.hi - to.lo) + 2 * 4096;
    const uint64_t slack = room->arena_bytes > length ? room->arena_bytes - length : 0;
    const uint64_t at = room->arena + 4096 + below(r, slack / grain(d)) * grain(d);
    d->address = (at - (uint64_t)to.lo) / grain(d) * grain(d);
}

static void place_shared(struct rng *r, struct device_case *c)
{
    struct tmap_layout l;
    layout_of(&c->desc, &l);
    const uint64_t most = EXECUTOR_HASHED_BYTES - l.footprint_bytes;
    uint64_t at = below(r, most / SMEM_STEP + 1) * SMEM_STEP;
    if (chance(r, 50)) at = at / l.pattern_bytes * l.pattern_bytes;
    c->use.smem = at;
    c->use.flags |= TMAP_USE_SMEM;
    c->expect_tx = (uint32_t)l.tx_bytes;
    const uint64_t from = at > GUARD_BYTES ? at - GUARD_BYTES : 0;
    uint64_t to = (at + l.footprint_bytes + 15) / 16 * 16 + GUARD_BYTES;
    if (to > EXECUTOR_HASHED_BYTES) to = EXECUTOR_HASHED_BYTES;
    c->image_from = (uint32_t)from;
    c->image_bytes = (uint32_t)(to - from);
}

static void place_store(struct rng *r, const struct case_room *room, struct device_case *c)
{
    const uint32_t slack = room->window_bytes / 8;
    c->window = room->window;
    c->window_bytes = room->window_bytes;
    c->desc.address = room->window + slack + below(r, slack / 32) * 32;
    if (grain(&c->desc) == 16) c->desc.address += 16 * below(r, 2);
    c->image_from = c->image_bytes = 0;
}

// The pairs that an H200 carries out; the others end in an illegal instruction. It adds every float
// type, f64 and tf32 too, and has no and, or, xor of s64, against the PTX ISA's table.
static bool reduces(uint32_t op, int32_t t)
{
    const bool word = t == TMAP_UINT32 || t == TMAP_INT32, u64 = t == TMAP_UINT64;
    switch (op) {
    case TMAP_OP_REDUCE_ADD:
        return word || u64 || t >= TMAP_FLOAT16;
    case TMAP_OP_REDUCE_MIN:
    case TMAP_OP_REDUCE_MAX:
        return word || u64 || t == TMAP_INT64 || t == TMAP_FLOAT16 || t == TMAP_BFLOAT16;
    case TMAP_OP_REDUCE_INC:
    case TMAP_OP_REDUCE_DEC:
        return t == TMAP_UINT32;
    default:
        return word || u64;
    }
}

static void draw_op(struct rng *r, enum case_class cls, struct device_case *c)
{
    const bool im2col = c->desc.kind == TMAP_IM2COL;
    c->use.op = cls == CASE_PREFETCH ? TMAP_OP_PREFETCH
                : is_store(cls)      ? TMAP_OP_STORE
                                     : TMAP_OP_LOAD;
    c->exec_op = cls == CASE_PREFETCH ? EXECUTOR_PREFETCH
                 : is_store(cls)      ? (im2col ? EXECUTOR_STORE_IM2COL : EXECUTOR_STORE)
                                      : (im2col ? EXECUTOR_LOAD_IM2COL : EXECUTOR_LOAD);
    if (cls == CASE_MULTICAST) c->exec_op = EXECUTOR_MULTICAST;
    if (cls != CASE_REDUCE && cls != CASE_REDUCE_INTERLEAVE) return;
    do {
        c->use.op = (uint32_t)within(r, TMAP_OP_REDUCE_ADD, TMAP_OP_REDUCE_XOR);
        c->desc.dtype = (int32_t)below(r, TMAP_TFLOAT32_FTZ + 1);
    } while (!reduces(c->use.op, c->desc.dtype));
    c->exec_op = EXECUTOR_REDUCE + c->use.op - TMAP_OP_REDUCE_ADD;
    c->flags = chance(r, 60) ? EXECUTOR_SPECIALS : 0;
    c->desc.oob_fill = TMAP_OOB_NONE;
}

void case_draw(enum case_class cls, uint64_t seed, uint64_t index, const struct case_room *room,
               struct device_case *c)
{
    struct rng r = {executor_hash(seed + cls, index), 0};
    memset(c, 0, sizeof *c);
    struct tmap_desc *d = &c->desc;
    const bool store = is_store(cls);
    c->cls = cls;
    c->seed = next(&r);
    draw_types(&r, cls, d);
    draw_op(&r, cls, c);
    if (d->kind == TMAP_TILED)
        draw_box(&r, d, room->box_cap);
    else
        draw_pixels(&r, d, room->box_cap);
    shrink(d);
    if (cls == CASE_TILED_FAR)
        draw_far(&r, d, room->arena_bytes);
    else
        draw_tensor(&r, d, store ? room->window_bytes / 2 : room->arena_bytes / 2, store);
    if (d->kind != TMAP_TILED && store) draw_store_corners(&r, d);
    if (d->kind != TMAP_TILED && !store) draw_corners(&r, d);
    draw_coords(&r, cls, d, &c->use);
    if (d->kind != TMAP_TILED) draw_im2col_use(&r, d, &c->use);
    if (store)
        place_store(&r, room, c);
    else
        place_load(&r, cls, room, c);
    const uint32_t from = c->image_from, bytes = c->image_bytes;
    place_shared(&r, c);
    if (store || cls == CASE_PREFETCH) c->image_from = from, c->image_bytes = store ? bytes : 0;
}

// Bits that no field has, and words that this GPU does not read.
static void scribble(struct rng *r, uint64_t map[16])
{
    map[1] |= (next(r) & 0x7ffu) << 21; // bit 85 among them
    map[3] |= (next(r) & 0xffffu) << 48;
    for (int w = 8; w < 16; w++) map[w] = next(r);
}

// A narrower box than the encode call allows: any number of slices.
static void narrow(struct rng *r, struct device_case *c, uint64_t map[16])
{
    struct tmap_layout l;
    c->desc.box[0] = (uint32_t)within(r, 1, c->desc.box[0]);
    map[6] = (map[6] & ~(0xffull << 56)) | (uint64_t)(c->desc.box[0] - 1) << 56;
    layout_of(&c->desc, &l);
    c->expect_tx = (uint32_t)l.tx_bytes;
}

void case_misuse(struct device_case *c, uint64_t map[16], uint64_t seed, uint64_t index)
{
    struct rng r = {executor_hash(~seed, index), 0};
    const bool load = c->use.op == TMAP_OP_LOAD;
    const uint32_t by = 16 * (uint32_t)within(&r, 1, 64);
    switch (below(&r, 4)) {
    case 0:
        if (load) c->expect_tx += by; // hangs, until the block gives up
        break;
    case 1:
        if (load && c->expect_tx > by) c->expect_tx -= by; // early, or never
        break;
    case 2:
        if (c->desc.kind == TMAP_IM2COL && load) c->use.offset[0] |= (uint32_t)below(&r, 256) << 8;
        if (c->desc.kind == TMAP_TILED && c->desc.interleave) narrow(&r, c, map);
        break;
    default:
        scribble(&r, map);
    }
}

void case_job(const struct device_case *c, const uint64_t map[16], struct executor_job *job)
{
    memcpy(job->map, map, sizeof job->map);
    memcpy(job->coord, c->use.coord, sizeof job->coord);
    memcpy(job->offset, c->use.offset, sizeof job->offset);
    job->op = c->exec_op;
    job->flags = c->flags;
    job->rank = c->desc.rank;
    job->smem = (uint32_t)c->use.smem;
    job->expect_tx = c->expect_tx;
    job->seed = c->seed;
    job->window = c->window;
    job->window_bytes = c->window_bytes;
    job->image_from = c->image_from;
    job->image_bytes = c->image_bytes;
}
