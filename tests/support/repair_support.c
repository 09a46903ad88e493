/* The plain loop that a plan is compared with, and the random requests. */
#include "support/repair_support.h"
#include "support/splitmix.h"
#include "support/tile_walk.h"

#include "core/layout.h"
#include "expr/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t next_random(uint64_t *s)
{
    return splitmix(s);
}

static uint64_t below(uint64_t *s, uint64_t n)
{
    return n ? next_random(s) % n : 0;
}

static uint64_t pick(uint64_t *s, const uint64_t *list, size_t n)
{
    return list[below(s, n)];
}

static uint64_t random_dim(uint64_t *s)
{
    static const uint64_t usual[] = {1, 1, 2, 8, 16, 64, 65, 100, 128, 256, 384, 512, 1024, 1733};
    return below(s, 4) ? pick(s, usual, 14) : 1 + below(s, 600);
}

static uint32_t random_box(uint64_t *s, uint64_t dim)
{
    static const uint64_t usual[] = {1, 3, 8, 16, 32, 64, 64, 128, 128, 256, 257, 300, 512};
    const uint64_t how = below(s, 8);
    const uint64_t box = how == 0 ? dim : how == 1 ? 1 + below(s, 300) : pick(s, usual, 13);
    return (uint32_t)(box > 4096 ? 4096 : box);
}

struct tmap_desc random_desc(uint64_t *s, uint64_t max_bytes)
{
    struct tmap_desc d = {.kind = TMAP_TILED, .oob_fill = below(s, 16) == 0};
    d.dtype = (int32_t)below(s, 13);
    d.rank = 1 + (uint32_t)below(s, 5);
    d.address = (UINT64_C(1) << 40) + below(s, 1 << 20) * 256;
    if (below(s, 6) == 0) d.address += below(s, 32);
    d.swizzle = (int32_t)below(s, 4);
    uint64_t at = layout_gmem_bits(d.dtype) / 8, bytes = at, cells = 1;
    for (uint32_t i = 0; i < d.rank; i++) {
        d.dim[i] = random_dim(s);
        if (bytes * d.dim[i] > max_bytes) d.dim[i] = 1;
        if (below(s, 200) == 0) d.dim[i] = 0;
        bytes *= d.dim[i] ? d.dim[i] : 1;
        d.box[i] = random_box(s, d.dim[i]);
        while (cells * d.box[i] > 1 << 16 && d.box[i] > 1) d.box[i] /= 2;
        cells *= d.box[i];
        d.elem_stride[i] = below(s, 12) ? 1 : (uint32_t)below(s, 10);
        if (i + 1 == d.rank) break;
        at *= d.dim[i];
        if (below(s, 3) == 0) at = (at + 15) / 16 * 16;
        d.stride_bytes[i] = below(s, 30) == 0 ? 0 : d.dim[i] == 1 && below(s, 2) ? 2 : at;
    }
    if (d.rank >= 3 && below(s, 12) == 0) d.interleave = 1 + (int32_t)below(s, 2);
    return d;
}

struct tmap_desc random_im2col_pieces(uint64_t *s)
{
    static const int32_t types[] = {TMAP_UINT8, TMAP_BFLOAT16, TMAP_FLOAT32};
    struct tmap_desc d = {.kind = TMAP_IM2COL, .address = UINT64_C(1) << 40};
    d.dtype = types[below(s, 3)];
    d.rank = 3 + (uint32_t)below(s, 3);
    d.channels = 8 * (1 + (uint32_t)below(s, 40));
    d.pixels = below(s, 2) ? 1 + (uint32_t)below(s, 200) : 1025 + (uint32_t)below(s, 1000);
    if (below(s, 4) == 0) d.channels += (uint32_t)below(s, 8);
    d.swizzle = (int32_t)below(s, 4);
    d.dim[0] = below(s, 2) ? d.channels : 16 * (1 + below(s, 40));
    uint64_t at = d.dim[0] * layout_gmem_bits(d.dtype) / 8;
    for (uint32_t i = 0; i < d.rank; i++) {
        if (i) d.dim[i] = 1 + below(s, i == 1 ? 60 : 12);
        d.elem_stride[i] = i && i + 1 < d.rank && below(s, 5) == 0 ? 2 : 1;
        if (i == 0) continue;
        at = (at + 15) / 16 * 16;
        d.stride_bytes[i - 1] = at;
        at *= d.dim[i];
    }
    for (uint32_t j = 0; j + 2 < d.rank; j++) {
        d.lower[j] = -(int32_t)below(s, 3);
        d.upper[j] = below(s, 2) ? d.lower[j] : (int32_t)below(s, 2);
    }
    return d;
}

/* --- the check --------------------------------------------------------------------------------*/

struct trial {
    const struct tmap_checker *c;
    const struct tmap_desc *request;
    const struct tmap_plan *p;
    int64_t coord[TMAP_MAX_RANK];
    uint8_t *smem; /* what the copies left, or NULL */
    char *error;
};

static char message[256];

static const char *wrong(const char *what, uint64_t a, uint64_t b)
{
    snprintf(message, sizeof message, "%s: %llu, %llu", what, (unsigned long long)a,
             (unsigned long long)b);
    return message;
}

static bool copied(const struct tmap_plan *p)
{
    for (uint32_t i = 0; i < p->step_count; i++)
        if (p->step[i].rewrite == TMAP_REWRITE_COPY) return true;
    return false;
}

/* Where an element is in its copy's box, of which bit `at` is its first: index 0, or that of the
 * slice, and what is left of the bits. */
static uint64_t index_in_row(const struct tmap_desc *d, uint64_t at, uint64_t *rest)
{
    const uint64_t size = layout_gmem_bits(d->dtype), group = 16;
    if (d->interleave) return *rest = at, 0;
    if (size == layout_smem_bits(d->dtype)) return *rest = at % size, at / size;
    *rest = at % 128 % size;
    return at / 128 * group + at % 128 / size;
}

/* The copy: the same for the place at `offset` bits of the box of copy n, by the copy's own
 * geometry. */
static bool copy_bit(const struct trial *t, uint32_t n, uint64_t offset, uint64_t *bit)
{
    struct tmap_desc own;
    const struct tmap_desc *d = &own;
    struct tmap_layout l;
    int64_t at[TMAP_MAX_RANK];
    uint64_t rest;
    tmap_plan_desc(t->p, n, &own);
    layout_of(d, &l);
    tmap_plan_coords(t->p, t->coord, n, at);
    uint64_t row = offset / 8 / l.pitch_bytes;
    const uint64_t first = index_in_row(d, offset - row * l.pitch_bytes * 8, &rest);
    for (uint32_t i = d->interleave ? 0 : 1; i < d->rank; i++) {
        at[i] += (int64_t)(row % l.extent[i]) * d->elem_stride[i];
        row /= l.extent[i];
    }
    at[0] += (int64_t)first;
    if (!tile_bit(d, at, bit)) return false;
    *bit += rest;
    return true;
}

static const char *check_coords(const struct trial *t)
{
    for (uint32_t n = 0; n < t->p->copies; n++) {
        int64_t at[TMAP_MAX_RANK];
        struct tmap_use use = {.op = TMAP_OP_LOAD,
                               .flags = TMAP_USE_COORD | TMAP_USE_SMEM,
                               .coord_count = t->p->desc.rank,
                               .smem =
                                   0}; /* a tile larger than shared memory is fetched in rounds */
        struct tmap_violation v[1];
        size_t found;
        tmap_plan_coords(t->p, t->coord, n, at);
        for (uint32_t i = 0; i < t->p->desc.rank; i++) {
            if (at[i] < INT32_MIN || at[i] > INT32_MAX) return wrong("coordinate", i, n);
            use.coord[i] = (int32_t)at[i];
        }
        if (tmap_check_use(t->c, &t->p->desc, &use, v, 1, &found, NULL) != TMAP_OK || found)
            return wrong(found ? tmap_row_id(v[0].row) : "use", n, (uint64_t)at[0]);
    }
    return NULL;
}

/* Of a copy with longer rows: whether an element out of bounds is in their padding, zeros. */
static bool is_padding(const struct trial *t)
{
    for (uint32_t i = 0; i < t->p->step_count; i++)
        if (t->p->step[i].rewrite == TMAP_REWRITE_PAD) return true;
    return false;
}

/* One element of the request, or of a slice of it: `part`. x: its place in the tensor. */
static const char *check_part(const struct trial *t, const uint32_t *tile, const int64_t *x,
                              uint32_t part)
{
    const uint32_t bits = layout_gmem_bits(t->request->dtype);
    uint64_t want = 0, got = 0, offset;
    uint32_t n;
    if (!tmap_plan_place_bits(t->p, t->request, t->coord, tile, part, &n, &offset))
        return wrong("an element has no place", tile[0], tile[1]);
    const bool in = tile_bit(t->request, x, &want);
    const bool there = copy_bit(t, n, offset - n * t->p->slot_bytes * 8, &got);
    want += part * bits;
    if (in != there && !(there && is_padding(t))) return wrong("bounds differ", in, there);
    if (!in) return NULL;
    if (!copied(t->p) && want != got) return wrong("another address", want, got);
    for (uint32_t b = 0; t->smem && b < bits; b += bits % 8 ? 1 : 8) {
        const uint64_t byte = tmap_swizzle_address(t->p->desc.swizzle, (offset + b) / 8);
        const bool same =
            bits % 8 ? (t->smem[byte] >> (offset + b) % 8 & 1u) == tile_memory_bit(want + b)
                     : t->smem[byte] == tile_byte((want + b) / 8);
        if (!same) return wrong("another bit", want + b, byte);
    }
    return NULL;
}

static const char *check_element(const struct trial *t, const uint32_t *tile)
{
    const uint32_t parts =
        (uint32_t)tile_unit_bits(t->request) / layout_gmem_bits(t->request->dtype);
    const char *e = NULL;
    int64_t x[TMAP_MAX_RANK];
    for (uint32_t i = 0; i < t->request->rank; i++) x[i] = t->coord[i] + tile[i];
    for (uint32_t part = 0; part < parts && !e; part++) e = check_part(t, tile, x, part);
    return e;
}

/* The next element of the tile in order, or a random one. */
static bool next_element(const struct tmap_desc *d, uint32_t *tile, bool random, uint64_t *s)
{
    for (uint32_t i = 0; i < d->rank; i++) {
        const uint32_t es = i || d->interleave ? d->elem_stride[i] : 1;
        if (d->interleave && i + 2 == d->rank) continue; /* one slice, always */
        if (random) {
            tile[i] = (uint32_t)below(s, (d->box[i] + es - 1) / es) * es;
            continue;
        }
        tile[i] += es;
        if (tile[i] < d->box[i]) return true;
        tile[i] = 0;
    }
    return random;
}

/* The plan's n-th copy, simulated. */
static enum tmap_status run_copy(struct trial *t, int32_t op, uint32_t n, struct tmap_memory *m,
                                 struct tmap_outcome *out)
{
    int64_t at[TMAP_MAX_RANK];
    struct tmap_desc own;
    struct tmap_use use = {.op = op,
                           .flags = TMAP_USE_COORD | TMAP_USE_SMEM,
                           .coord_count = t->p->desc.rank,
                           .smem = n * t->p->slot_bytes};
    tmap_plan_coords(t->p, t->coord, n, at);
    tmap_plan_desc(t->p, n, &own);
    for (uint32_t i = 0; i < t->p->desc.rank; i++) use.coord[i] = (int32_t)at[i];
    return tmap_simulate(t->c, &own, &use, m, out);
}

static const char *run_copies(struct trial *t)
{
    struct tmap_memory m = {.read = tile_read, .smem = t->smem};
    uint64_t tx = 0;
    m.smem_bytes = (t->p->copies + 8) * t->p->slot_bytes + 4096;
    for (uint32_t n = 0; n < t->p->copies; n++) {
        struct tmap_outcome out;
        const enum tmap_status s = run_copy(t, TMAP_OP_LOAD, n, &m, &out);
        if (s == TMAP_E_TARGET) { /* nobody knows: padded types under interleave */
            free(t->smem);
            t->smem = NULL;
            return NULL;
        }
        if (s != TMAP_OK) return wrong("the copy does not run", s, n);
        tx += out.tx_bytes;
    }
    return tx == t->p->tx_bytes ? NULL : wrong("tx", tx, t->p->tx_bytes);
}

static const char *check_tile(struct trial *t, int sample, uint64_t *s)
{
    uint32_t tile[TMAP_MAX_RANK] = {0};
    uint64_t cells = 1;
    const char *e = check_coords(t);
    for (uint32_t i = 0; i < t->request->rank; i++) cells *= t->request->box[i];
    if (!e && t->smem) e = run_copies(t);
    for (int k = 0; !e && k < sample; k++) {
        e = check_element(t, tile);
        if (!next_element(t->request, tile, cells > (uint64_t)sample, s)) break;
    }
    return e;
}

struct tmap_desc decided_request(const struct tmap_desc *request, const struct tmap_plan *p)
{
    struct tmap_desc w = *request;
    for (uint32_t i = 0; i < p->step_count; i++) {
        const struct tmap_plan_step *k = &p->step[i];
        if (k->rewrite != TMAP_REWRITE_CHOOSE) continue;
        if (k->field == FIELD_OOB) w.oob_fill = (int32_t)k->to;
        if (k->field == FIELD_INTERLEAVE) w.interleave = (int32_t)k->to;
        if (k->field == FIELD_SWIZZLE) w.swizzle = (int32_t)k->to;
        if (k->field == FIELD_MODE) w.mode = (int32_t)k->to;
        if (k->index < 0) continue;
        if (k->field == FIELD_ESTRIDE) w.elem_stride[k->index] = (uint32_t)k->to;
        if (k->field == FIELD_BOX) w.box[k->index] = (uint32_t)k->to;
    }
    return w;
}

/* A tile that no block's shared memory holds is fetched in rounds, and not run here. */
static bool fits(const struct tmap_checker *c, const struct tmap_plan *p)
{
    uint32_t capacity = 0;
    tmap_capacity(c->target.arch, &capacity, NULL);
    return p->copies * p->slot_bytes <= capacity;
}

const char *plan_is_wrong(const struct tmap_checker *c, const struct tmap_desc *request,
                          const struct tmap_plan *p, uint64_t *s, int tiles, int sample)
{
    const struct tmap_desc w = decided_request(request, p);
    struct trial t = {.c = c, .request = &w, .p = p};
    const char *e = NULL;
    if (tmap_verdict_of(c, &p->desc) != TMAP_LEGAL) return "the plan's descriptor is illegal";
    const bool exact = w.dtype < TMAP_FLOAT32_FTZ || w.dtype > TMAP_TFLOAT32_FTZ;
    if (exact && !copied(p) && fits(c, p) &&
        (p->copies * p->slot_bytes < 20000 || below(s, 8) == 0))
        t.smem = calloc(1, (p->copies + 8) * p->slot_bytes + 4096);
    for (int k = 0; !e && k < tiles; k++) {
        for (uint32_t i = 0; i < w.rank; i++)
            t.coord[i] =
                p->grain[i] ? (int64_t)(below(s, w.dim[i] / p->grain[i] + 1) * p->grain[i]) : 0;
        e = check_tile(&t, sample, s);
    }
    free(t.smem);
    return e;
}

/* --- stores ----------------------------------------------------------------------------------- */

/* A tensor in memory, its bytes zero, and which of them were written or should be. */
struct target {
    uint64_t first, size;
    uint8_t *bytes, *written, *wanted;
};

static bool read_target(void *user, uint64_t address, void *to, size_t bytes)
{
    const struct target *m = user;
    if (address < m->first || address - m->first > m->size - bytes) return false;
    memcpy(to, m->bytes + (address - m->first), bytes);
    return true;
}

static bool write_target(void *user, uint64_t address, const void *from, size_t bytes)
{
    const struct target *m = user;
    if (address < m->first || address - m->first > m->size - bytes) return false;
    memcpy(m->bytes + (address - m->first), from, bytes);
    memset(m->written + (address - m->first), 1, bytes);
    return true;
}

static const char *run_stores(struct trial *t, struct target *target, uint64_t smem_bytes)
{
    struct tmap_memory m = {.read = read_target, .write = write_target, .user = target};
    m.smem = t->smem;
    m.smem_bytes = smem_bytes;
    for (uint32_t n = 0; n < t->p->copies; n++) {
        struct tmap_outcome out;
        const enum tmap_status s = run_copy(t, TMAP_OP_STORE, n, &m, &out);
        if (s != TMAP_OK) return wrong("the store does not run", s, n);
        if (out.fault) return wrong("the store leaves the tensor", out.fault, n);
    }
    return NULL;
}

/* One element of the tile: its bits in the tensor are those at its place. */
static const char *check_stored(const struct trial *t, struct target *m, const uint32_t *tile)
{
    const uint32_t bits = layout_gmem_bits(t->request->dtype);
    int64_t x[TMAP_MAX_RANK];
    uint64_t want, offset;
    uint32_t n;
    for (uint32_t i = 0; i < t->request->rank; i++) x[i] = t->coord[i] + tile[i];
    if (!tile_bit(t->request, x, &want)) return NULL;
    want -= m->first * 8;
    for (uint32_t b = 0; b < tile_unit_bits(t->request); b++) {
        if (b % bits == 0 &&
            !tmap_plan_place_bits(t->p, t->request, t->coord, tile, b / bits, &n, &offset))
            return wrong("an element has no place", tile[0], tile[1]);
        const uint64_t at = offset + b % bits;
        const uint64_t place = tmap_swizzle_address(t->p->desc.swizzle, at / 8);
        const bool whole = (want + b) % 8 == 0 && at % 8 == 0 && bits % 8 == 0;
        if (whole ? m->bytes[(want + b) / 8] != t->smem[place]
                  : (m->bytes[(want + b) / 8] >> (want + b) % 8 & 1) !=
                        (t->smem[place] >> at % 8 & 1))
            return wrong("not stored", want, b);
        m->wanted[(want + b) / 8] = 1;
        if (whole) b += 7;
    }
    return NULL;
}

static const char *check_stores(struct trial *t, struct target *m, uint64_t *s)
{
    const uint64_t smem_bytes = (t->p->copies + 8) * t->p->slot_bytes + 4096;
    uint32_t tile[TMAP_MAX_RANK] = {0};
    t->smem = malloc(smem_bytes);
    for (uint64_t i = 0; i < smem_bytes; i++) t->smem[i] = (uint8_t)next_random(s);
    const char *e = run_stores(t, m, smem_bytes);
    do
        if (!e) e = check_stored(t, m, tile);
    while (!e && next_element(t->request, tile, false, s));
    if (!e && memcmp(m->written, m->wanted, m->size)) e = "a byte beside the tile was written";
    free(t->smem);
    return e;
}

const char *store_is_wrong(const struct tmap_checker *c, const struct tmap_desc *request,
                           const struct tmap_plan *p, uint64_t *s, long *ran)
{
    enum { MOST_BYTES = 1 << 20, UNIT_BYTES = 16 };
    struct trial t = {.c = c, .request = request, .p = p};
    struct target m = {.first = request->address,
                       .size = (request->dim[0] * tile_unit_bits(request) + 7) / 8};
    if (p->cost.kind != TMAP_PLAN_FREE || m.size % UNIT_BYTES || !fits(c, p) ||
        layout_gmem_bits(request->dtype) != layout_smem_bits(request->dtype))
        return NULL;
    for (uint32_t i = 1; i < request->rank; i++) {
        const uint64_t far = (request->dim[i] - 1) * request->stride_bytes[i - 1];
        const bool overlaps = request->dim[i] > 1 && request->stride_bytes[i - 1] < m.size;
        if (overlaps || far > MOST_BYTES || (m.size += far) > MOST_BYTES) return NULL;
        t.coord[i] =
            p->grain[i] ? (int64_t)(below(s, request->dim[i] / p->grain[i]) * p->grain[i]) : 0;
    }
    t.coord[0] = p->grain[0] ? (int64_t)(below(s, request->dim[0] / p->grain[0]) * p->grain[0]) : 0;
    m.bytes = calloc(3, m.size);
    m.written = m.bytes + m.size;
    m.wanted = m.written + m.size;
    const char *e = check_stores(&t, &m, s);
    free(m.bytes);
    (*ran)++;
    return e;
}
