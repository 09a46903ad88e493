// Descriptors edited on the device: tensormap.replace, the copy that publishes them, the fence that
// a user needs. The tensormap proxy sees a written descriptor when its writer has released it and a
// thread that precedes the user has acquired it (PTX ISA, fence.proxy.tensormap).
#include "emulate/async/copy.h"
#include "emulate/ops/ops.h"

#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 128, CUDA_BYTES = 1205, CUDA_GRAINS = 1200, PTX_BYTES = 85 };

struct replace {
    struct emu_place at;
    emu_at value;
    enum tmap_replace_field field;
    int64_t ordinal;
    bool wide;
};

EXEC(replace)
{
    const struct replace *r = in->more;
    const uint32_t cuda = w->m->module->ptx.version >= PTX_BYTES ? CUDA_BYTES : CUDA_GRAINS;
    EACH_LANE(l, mask)
    {
        struct tmap_map map;
        const uint64_t at = emu_place_at(w, &r->at, l);
        if (at % MAP_BYTES)
            return emu_fault(TMAP_EMULATE_ACCESS, w, in, l, at, "a tensor map at 0x%llx",
                             (unsigned long long)at);
        uint8_t *bytes = NULL; // each 16 bytes are touched, the first address is kept
        for (uint32_t i = MAP_BYTES; i > 0; i -= 16) {
            bytes = emu_memory(w, in, l, PTX_GENERIC, at + i - 16, 16, EMU_READ | EMU_WRITE);
            if (!bytes) return EMU_STOP;
        }
        const struct tmap_patch patch = {r->field, (uint32_t)r->ordinal,
                                         r->wide ? emu_u64(w, r->value)[l]
                                                 : emu_u32(w, r->value)[l]};
        memcpy(&map, bytes, sizeof map);
        if (tmap_patch_apply(&map, &patch, cuda) != TMAP_OK)
            return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, at,
                             "tensormap.replace of %s with the value %llu",
                             tmap_replace_field_name(r->field), (unsigned long long)patch.value);
        memcpy(bytes, &map, sizeof map);
    }
    return EMU_NEXT;
}

bool decode_tensormap_replace(struct decoder *d)
{
    static const char *const fields[] = {
        "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
        "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
        "fill_mode"};
    struct replace *r = dec_alloc(d, sizeof *r);
    if (!r || !dec_has(d, "tile")) return false;
    int field = -1;
    for (int i = 0; i <= TMAP_REPLACE_FILL_MODE; i++)
        if (dec_has(d, fields[i])) field = i;
    const enum ptx_space space = dec_space(d);
    if (field < 0 || !dec_has(d, "b1024")) return dec_fail(d, "'%s'", d->inst->op);
    const enum ptx_type t = dec_type(d);
    r->field = (enum tmap_replace_field)field;
    r->wide = t == PTX_B64;
    d->out->exec = replace;
    d->out->more = r;
    if (t != PTX_B32 && t != PTX_B64) return false;
    if (!dec_place(d, dec_operand(d), space, &r->at)) return false;
    if (d->inst->operands == 3 && !dec_immediate(d, &r->ordinal)) return false;
    return dec_source(d, t, &r->value);
}

// --- publishing

struct publish {
    struct emu_place to, from;
};

EXEC(publish)
{
    const struct publish *p = in->more;
    enum emu_step step;
    if (!emu_together(w, in, 0, &step)) return step;
    const uint32_t l = (uint32_t)emu_lane(mask); // the whole warp copies one map
    const uint64_t to = emu_place_at(w, &p->to, l), from = emu_place_at(w, &p->from, l);
    for (uint32_t i = 0; i < MAP_BYTES; i += 16) {
        const uint8_t *a = emu_memory(w, in, l, PTX_GENERIC, from + i, 16, EMU_READ);
        uint8_t *b = a ? emu_memory(w, in, l, PTX_GENERIC, to + i, 16, EMU_WRITE) : NULL;
        if (!b) return EMU_STOP;
        memcpy(b, a, 16);
    }
    emu_fence(w);
    emu_maps_released(w);
    return EMU_NEXT;
}

bool decode_tensormap_publish(struct decoder *d)
{
    struct publish *p = dec_alloc(d, sizeof *p);
    int64_t bytes;
    if (!p) return false;
    dec_has(d, "global");
    dec_one_of(d, "shared::cta|shared");
    dec_has(d, "tensormap::generic");
    dec_has(d, "release");
    dec_one_of(d, "cta|cluster|gpu|sys");
    d->out->exec = publish;
    d->out->more = p;
    if (!dec_has(d, "sync") || !dec_has(d, "aligned") ||
        !dec_place(d, dec_operand(d), PTX_GENERIC, &p->to) ||
        !dec_place(d, dec_operand(d), PTX_SHARED, &p->from) || !dec_immediate(d, &bytes))
        return false;
    if (bytes != MAP_BYTES) return dec_fail(d, "%lld bytes of a tensor map", (long long)bytes);
    return true;
}

// --- fences

EXEC(release_maps)
{
    (void)in, (void)mask;
    emu_fence(w);
    emu_maps_released(w);
    return EMU_NEXT;
}

EXEC(acquire_map)
{
    const struct emu_place *p = in->more;
    emu_fence(w);
    EACH_LANE(l, mask) emu_map_acquired(w, emu_place_at(w, p, l));
    return EMU_NEXT;
}

bool dec_fence_tensormap(struct decoder *d)
{
    struct emu_place *p = dec_alloc(d, sizeof *p);
    int64_t bytes;
    if (!p) return false;
    if (dec_has(d, "release")) {
        d->out->exec = release_maps;
        return dec_one_of(d, "cta|cluster|gpu|sys") >= 0;
    }
    if (!dec_has(d, "acquire") || dec_one_of(d, "cta|cluster|gpu|sys") < 0) return false;
    d->out->exec = acquire_map;
    d->out->more = p;
    return dec_place(d, dec_operand(d), PTX_GENERIC, p) && dec_immediate(d, &bytes);
}

struct emu_map_note {
    uint64_t address;
    uint32_t agent, now;
};

void emu_map_acquired(struct emu_warp *w, uint64_t generic)
{
    struct emu_machine *m = w->m;
    if (!m->order) return;
    for (uint32_t i = 0; i < m->map_notes; i++)
        if (m->map_note[i].address == generic && m->map_note[i].agent == w->agent) {
            m->map_note[i].now = emu_now(w);
            return;
        }
    if ((m->map_notes & (m->map_notes - 1)) == 0) {
        const uint32_t room = m->map_notes ? 2 * m->map_notes : 1;
        struct emu_map_note *larger = realloc(m->map_note, room * sizeof *larger);
        if (!larger) {
            m->status = TMAP_E_MEMORY;
            m->stop = true;
            return;
        }
        m->map_note = larger;
    }
    m->map_note[m->map_notes++] = (struct emu_map_note){generic, w->agent, emu_now(w)};
}

// Some thread that precedes this one has acquired the map since it was written.
static bool acquired(const struct emu_warp *w, uint64_t generic)
{
    const struct emu_machine *m = w->m;
    for (uint32_t i = 0; i < m->map_notes; i++)
        if (m->map_note[i].address == generic &&
            emu_has_seen(w, m->map_note[i].agent, m->map_note[i].now))
            return true;
    return false;
}

void emu_map_visible(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                     struct emu_region *region, uint64_t generic)
{
    struct emu_write last;
    char place[160];
    if (!emu_last_write(w->m, region, generic - region->address, &last)) return;
    const bool released = last.released;
    if (released && acquired(w, generic)) return;
    if (emu_first_time(w->m, TMAP_EMULATE_PROXY, in, last.in))
        emu_find_report(w->m, TMAP_EMULATE_PROXY, w, in, lane, generic,
                        "the tensor map at 0x%llx, written by %s, is used without %s",
                        (unsigned long long)generic, emu_place(w->m, last.in, place, sizeof place),
                        released ? "fence.proxy.tensormap::generic.acquire"
                                 : "a release to the tensormap proxy");
}
