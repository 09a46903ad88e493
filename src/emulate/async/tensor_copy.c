// cp.async.bulk.tensor in all its forms: operands, the descriptor, what is checked at the issue.
#include "emulate/async/copy.h"
#include "core/layout.h"
#include "emulate/ops/ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- descriptors, decoded once for the same bytes

enum { MAP_CACHE = 64 };
struct emu_map_cache {
    struct tmap_map map[MAP_CACHE];
    struct tmap_desc desc[MAP_CACHE];
    bool used[MAP_CACHE];
};

static bool legal_map(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                      uint64_t generic, const struct tmap_map *map, struct tmap_desc *out)
{
    struct tmap_violation v;
    size_t found = 0, notes = 0;
    enum tmap_verdict verdict = TMAP_UNKNOWN;
    tmap_decode(map, out, NULL, 0, &notes);
    tmap_check_with(&w->m->checker, out, &v, 1, &found, &verdict);
    if (verdict != TMAP_ILLEGAL && out->dtype >= 0) return true;
    emu_fault(TMAP_EMULATE_ILLEGAL, w, in, lane, generic,
              "the 128 bytes at 0x%llx are no legal tensor map%s%s", (unsigned long long)generic,
              found ? ": they violate " : "", found ? tmap_row_id(v.row) : "");
    return false;
}

bool emu_map(struct emu_warp *w, const struct emu_insn *in, uint32_t lane, uint64_t generic,
             struct tmap_desc *out)
{
    struct emu_machine *m = w->m;
    struct emu_cta *cta;
    struct emu_region *region;
    struct tmap_map map;
    const uint8_t *at = emu_find(m, w->cta->cluster, generic, sizeof map, &cta, &region);
    if (!at || cta || generic % 64) {
        emu_fault(TMAP_EMULATE_ACCESS, w, in, lane, generic, "no tensor map at 0x%llx",
                  (unsigned long long)generic);
        return false;
    }
    emu_map_visible(w, in, lane, region, generic);
    if (!m->maps) m->maps = calloc(1, sizeof *m->maps);
    if (!m->maps) return m->status = TMAP_E_MEMORY, m->stop = true, false;
    memcpy(&map, at, sizeof map);
    uint64_t hash = 0;
    for (int i = 0; i < 16; i++) hash = (hash ^ map.word[i]) * 0x9e3779b97f4a7c15ull;
    const uint32_t slot = (uint32_t)(hash >> 32) % MAP_CACHE;
    if (!m->maps->used[slot] || memcmp(&m->maps->map[slot], &map, sizeof map) != 0) {
        if (!legal_map(w, in, lane, generic, &map, out)) return false;
        m->maps->used[slot] = true;
        m->maps->map[slot] = map;
        m->maps->desc[slot] = *out;
    }
    *out = m->maps->desc[slot];
    return true;
}

// --- one instruction

enum tensor_mode { MODE_TILE, MODE_IM2COL, MODE_WIDE, MODE_WIDE_128, MODE_ROWS };

struct tensor_insn {
    struct emu_place shared, map, barrier;
    emu_at coord[TMAP_MAX_RANK], offset[TMAP_MAX_SPATIAL], mask;
    uint32_t dim, coords, offsets, op;
    enum tensor_mode mode;
    bool loads, multicast, prefetch, to_cta;
    uint32_t cta_group;
};

static bool use_is_legal(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                         const struct emu_copy *c)
{
    struct tmap_violation v;
    struct tmap_detail detail = {0};
    size_t found = 0;
    enum tmap_verdict verdict = TMAP_LEGAL;
    tmap_check_use(&w->m->checker, &c->desc, &c->use, &v, 1, &found, &verdict);
    if (verdict != TMAP_ILLEGAL) return true;
    tmap_detail_of(&w->m->checker.target, &c->desc, &c->use, &v, &detail);
    emu_fault(TMAP_EMULATE_ILLEGAL, w, in, lane, c->use.smem, "%s (%s)", detail.message,
              tmap_row_id(v.row));
    return false;
}

static void fill_use(struct emu_warp *w, const struct tensor_insn *t, uint32_t l,
                     struct emu_copy *c)
{
    struct tmap_use *u = &c->use;
    u->op = t->op;
    u->flags =
        TMAP_USE_COORD | (t->prefetch ? 0 : TMAP_USE_SMEM) | (t->to_cta ? TMAP_USE_CTA_DST : 0);
    u->coord_count = t->coords;
    for (uint32_t i = 0; i < t->coords; i++) u->coord[i] = (int32_t)emu_u32(w, t->coord[i])[l];
    for (uint32_t i = 0; i < t->offsets; i++) u->offset[i] = emu_u32(w, t->offset[i])[l] & 0xffff;
    if (t->offsets) u->flags |= TMAP_USE_OFFSET;
    const uint64_t shared = t->loads ? c->to : c->from;
    u->smem = (uint32_t)(shared - EMU_SHARED_WINDOW) & ((1u << EMU_RANK_SHIFT) - 1);
    if (t->multicast) u->multicast = (uint32_t)__builtin_popcount(c->mask);
}

static bool kind_fits(struct emu_warp *w, const struct emu_insn *in, uint32_t l,
                      const struct tensor_insn *t, struct emu_copy *c)
{
    const bool tiled = c->desc.kind == TMAP_TILED;
    if (t->mode == MODE_WIDE || t->mode == MODE_WIDE_128) {
        c->desc.kind = TMAP_IM2COL_WIDE;
        c->desc.mode = t->mode == MODE_WIDE_128 ? TMAP_WIDE_W128 : TMAP_WIDE_W;
    }
    if (tiled == (t->mode == MODE_TILE || t->mode == MODE_ROWS) &&
        (t->mode == MODE_ROWS || c->desc.rank == t->dim))
        return true;
    emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, 0, "%s of a map that is %s of rank %u", in->name,
              tiled ? "tiled" : "im2col", c->desc.rank);
    return false;
}

static bool inside(struct emu_warp *w, const struct emu_insn *in, uint32_t l, uint64_t generic,
                   uint64_t bytes)
{
    struct emu_cta *cta;
    struct emu_region *region;
    if (emu_find(w->m, w->cta->cluster, generic, bytes, &cta, &region)) return true;
    emu_fault(TMAP_EMULATE_ACCESS, w, in, l, generic,
              "a box of %llu bytes at shared 0x%llx leaves shared memory",
              (unsigned long long)bytes, (unsigned long long)(generic - EMU_SHARED_WINDOW));
    return false;
}

static uint64_t extent(const struct emu_copy *c, struct tmap_layout *l)
{
    layout_of(&c->desc, l);
    const uint32_t rows = c->use.op == TMAP_OP_GATHER4 || c->use.op == TMAP_OP_SCATTER4 ? 4 : 1;
    const uint64_t halo = layout_halo_rows(&c->desc, &c->use);
    return l->footprint_bytes * rows + halo * l->pitch_bytes;
}

static uint32_t rank_of(uint64_t generic)
{
    return (uint32_t)(generic - EMU_SHARED_WINDOW) >> EMU_RANK_SHIFT;
}

// A copy tells a barrier of the CTA that it writes to, and with .cta_group::2 that or its peer's.
static bool barrier_fits(struct emu_warp *w, const struct emu_insn *in, uint32_t l,
                         const struct emu_copy *c)
{
    const uint32_t to = rank_of(c->to), told = rank_of(c->barrier);
    if (to == told || (c->pair && (to ^ told) == 1)) return true;
    emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, c->barrier,
              "the copy writes the shared memory of CTA %u and tells a barrier of CTA %u", to,
              told);
    return false;
}

static enum emu_step one(struct emu_warp *w, const struct emu_insn *in, uint32_t l)
{
    const struct tensor_insn *t = in->more;
    struct emu_copy c;
    struct tmap_layout layout;
    memset(&c, 0, sizeof c);
    c.tensor = true;
    c.loads = t->loads;
    c.multicast = t->multicast;
    c.reduces = t->op >= TMAP_OP_REDUCE_ADD;
    if (t->multicast) c.mask = emu_u32(w, t->mask)[l] & 0xffff;
    if (t->multicast && c.mask >> w->cta->cluster->ctas)
        return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, c.mask,
                         "multicast to CTAs 0x%x of a cluster of %u", c.mask,
                         w->cta->cluster->ctas);
    if (!t->prefetch) *(t->loads ? &c.to : &c.from) = emu_place_at(w, &t->shared, l);
    if (t->loads) c.barrier = emu_place_at(w, &t->barrier, l);
    c.pair = t->cta_group == 2;
    if (t->loads && !barrier_fits(w, in, l, &c)) return EMU_STOP;
    if (!emu_map(w, in, l, emu_place_at(w, &t->map, l), &c.desc)) return EMU_STOP;
    if (!kind_fits(w, in, l, t, &c)) return EMU_STOP;
    fill_use(w, t, l, &c);
    if (!use_is_legal(w, in, l, &c)) return EMU_STOP;
    if (t->prefetch) {
        const struct tmap_emulate_watch *watch = &w->m->watch;
        if (watch->prefetch) watch->prefetch(watch->self, &c.desc, &c.use);
        return EMU_NEXT;
    }
    const uint64_t bytes = extent(&c, &layout);
    if (!inside(w, in, l, t->loads ? c.to : c.from, bytes)) return EMU_STOP;
    const bool rows = t->mode == MODE_ROWS;
    const uint64_t all = layout.rows * (rows ? 4 : 1) + layout_halo_rows(&c.desc, &c.use);
    c.bytes = (uint32_t)layout_counted_bytes(&c.desc, all * layout.row_bytes);
    return emu_start_copy(w, in, l, &c);
}

EXEC(tensor_copy)
{
    EACH_LANE(l, mask)
    {
        const enum emu_step step = one(w, in, l);
        if (step != EMU_NEXT) return step;
    }
    return EMU_NEXT;
}

// --- decoding

static bool coordinates(struct decoder *d, const struct ptx_operand *o, struct tensor_insn *t)
{
    if (!o || o->kind != PTX_OP_MEM || o->parts < 2)
        return dec_fail(d, "'%s' takes [map, {coordinates}]", d->inst->op);
    struct ptx_operand map = *o;
    map.parts = 1;
    const struct ptx_operand *v = &o->part[1];
    t->coords = t->mode == MODE_ROWS ? 5 : t->dim;
    if (o->parts != 2 || v->kind != PTX_OP_VECTOR || v->parts != t->coords)
        return dec_fail(d, "'%s' with %u coordinates", d->inst->op, v->parts);
    for (uint32_t i = 0; i < v->parts; i++)
        if (!dec_source_of(d, &v->part[i], PTX_S32, &t->coord[i])) return false;
    return dec_place(d, &map, PTX_GENERIC, &t->map);
}

static bool offsets(struct decoder *d, struct tensor_insn *t)
{
    const struct ptx_operand *v = dec_operand(d);
    if (!v || v->kind != PTX_OP_VECTOR || v->parts > TMAP_MAX_SPATIAL)
        return dec_fail(d, "'%s' takes {offsets}", d->inst->op);
    t->offsets = v->parts;
    for (uint32_t i = 0; i < v->parts; i++)
        if (!dec_source_of(d, &v->part[i], PTX_U16, &t->offset[i])) return false;
    return true;
}

static bool dimension(struct decoder *d, struct tensor_insn *t)
{
    const int dim = dec_one_of(d, "1d|2d|3d|4d|5d");
    if (dim < 0) return dec_fail(d, "'%s' without a dimension", d->inst->op);
    t->dim = (uint32_t)dim + 1;
    return true;
}

static struct tensor_insn *start(struct decoder *d)
{
    struct tensor_insn *t = dec_alloc(d, sizeof *t);
    d->out->exec = tensor_copy;
    d->out->more = t;
    return t && dimension(d, t) ? t : NULL;
}

static bool load_mode(struct decoder *d, struct tensor_insn *t)
{
    const int mode = dec_one_of(d, "tile|im2col|im2col::w|im2col::w::128|tile::gather4");
    t->mode = mode < 0 ? MODE_TILE : (enum tensor_mode)mode;
    t->op = t->mode == MODE_ROWS ? TMAP_OP_GATHER4 : TMAP_OP_LOAD;
    return true;
}

static bool load(struct decoder *d, struct tensor_insn *t)
{
    const bool hint = dec_has(d, "L2::cache_hint");
    emu_at policy;
    load_mode(d, t);
    t->loads = true;
    t->multicast = dec_has(d, "multicast::cluster");
    const int group = dec_one_of(d, "cta_group::1|cta_group::2");
    t->cta_group = (uint32_t)(group + 1);
    if (!dec_place(d, dec_operand(d), PTX_SHARED, &t->shared) ||
        !coordinates(d, dec_operand(d), t) ||
        !dec_place(d, dec_operand(d), PTX_SHARED, &t->barrier))
        return false;
    if (t->mode >= MODE_IM2COL && t->mode <= MODE_WIDE_128 && !offsets(d, t)) return false;
    if (t->multicast && !dec_source(d, PTX_U16, &t->mask)) return false;
    return !hint || dec_source(d, PTX_B64, &policy);
}

static bool store(struct decoder *d, struct tensor_insn *t)
{
    const bool hint = dec_has(d, "L2::cache_hint");
    emu_at policy;
    const int mode = dec_one_of(d, "tile|im2col_no_offs|tile::scatter4|im2col_no_offs::w");
    t->mode = mode == 1 ? MODE_IM2COL : mode == 2 ? MODE_ROWS : mode == 3 ? MODE_WIDE : MODE_TILE;
    if (t->mode == MODE_ROWS) t->op = TMAP_OP_SCATTER4;
    if (!coordinates(d, dec_operand(d), t) || !dec_place(d, dec_operand(d), PTX_SHARED, &t->shared))
        return false;
    return !hint || dec_source(d, PTX_B64, &policy);
}

bool decode_bulk_tensor(struct decoder *d)
{
    struct tensor_insn *t = start(d);
    if (!t) return false;
    const bool from_global = dec_has(d, "mbarrier::complete_tx::bytes");
    dec_has(d, "global");
    t->to_cta = dec_one_of(d, "shared::cluster|shared::cta") == 1 && from_global;
    if (from_global) return load(d, t);
    t->op = TMAP_OP_STORE;
    return dec_has(d, "bulk_group") ? store(d, t) : dec_fail(d, "'%s'", d->inst->op);
}

bool decode_bulk_tensor_reduce(struct decoder *d)
{
    struct tensor_insn *t = start(d);
    if (!t) return false;
    const int op = dec_one_of(d, "add|min|max|inc|dec|and|or|xor");
    dec_has(d, "global");
    dec_has(d, "shared::cta");
    if (op < 0 || !dec_has(d, "bulk_group")) return dec_fail(d, "'%s'", d->inst->op);
    t->op = TMAP_OP_REDUCE_ADD + (uint32_t)op;
    return store(d, t);
}

bool decode_bulk_tensor_prefetch(struct decoder *d)
{
    struct tensor_insn *t = start(d);
    emu_at policy;
    if (!t || !dec_has(d, "L2") || !dec_has(d, "global")) return false;
    const bool hint = dec_has(d, "L2::cache_hint");
    load_mode(d, t);
    t->op = TMAP_OP_PREFETCH;
    t->prefetch = true;
    if (!coordinates(d, dec_operand(d), t)) return false;
    if (t->mode >= MODE_IM2COL && t->mode <= MODE_WIDE_128 && !offsets(d, t)) return false;
    return !hint || dec_source(d, PTX_B64, &policy);
}
