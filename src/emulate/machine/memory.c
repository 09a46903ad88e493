// Addresses: windows of the generic space, shared memory of a cluster, regions of global memory.
#include "emulate/machine/footprint.h"
#include "emulate/protocol/record.h"

#include <string.h>

uint64_t emu_generic(enum ptx_space space, uint64_t address)
{
    return space == PTX_SHARED ? EMU_SHARED_WINDOW + (uint32_t)address : address;
}

static struct emu_region *region_of(struct emu_machine *m, uint64_t address, uint64_t bytes)
{
    struct emu_region *r = &m->region[m->last_region];
    if (address - r->address < r->bytes && bytes <= r->bytes - (address - r->address)) return r;
    for (uint32_t i = 0; i < m->regions; i++) {
        r = &m->region[i];
        if (address - r->address < r->bytes && bytes <= r->bytes - (address - r->address)) {
            m->last_region = i;
            return r;
        }
    }
    return NULL;
}

uint8_t *emu_find(struct emu_machine *m, struct emu_cluster *cluster, uint64_t generic,
                  uint64_t bytes, struct emu_cta **cta, struct emu_region **region)
{
    *cta = NULL;
    *region = NULL;
    if (generic - EMU_SHARED_WINDOW <= UINT32_MAX) {
        const uint32_t a = (uint32_t)(generic - EMU_SHARED_WINDOW);
        const uint32_t rank = a >> EMU_RANK_SHIFT, offset = a & ((1u << EMU_RANK_SHIFT) - 1);
        if (rank >= cluster->ctas) return NULL;
        struct emu_cta *c = &cluster->cta[rank];
        if (offset < EMU_SMEM_START || offset + bytes > c->smem_end) return NULL;
        *cta = c;
        return c->smem + offset;
    }
    *region = region_of(m, generic, bytes);
    return *region ? (*region)->data + (generic - (*region)->address) : NULL;
}

static uint8_t *local(struct emu_warp *w, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const uint64_t size = w->m->entry->local_bytes, at = address - EMU_LOCAL_WINDOW;
    if (at > size || bytes > size - at) return NULL;
    return w->local + lane * size + at;
}

static const char *const space_names[] = {"generic", "global", "const", "shared", "param", "local"};

static uint8_t *refuse(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                       enum ptx_space space, uint64_t address, uint32_t bytes, const char *why)
{
    emu_fault(TMAP_EMULATE_ACCESS, w, in, lane, address, "%u bytes at %s address 0x%llx %s", bytes,
              space_names[space], (unsigned long long)address, why);
    return NULL;
}

static void order(struct emu_warp *w, const struct emu_insn *in, uint32_t lane, struct emu_cta *cta,
                  struct emu_region *region, const uint8_t *at, uint32_t bytes, unsigned access)
{
    const struct emu_actor actor = emu_actor_of(w, in, lane);
    if (region && region->read_only) return;
    const uint64_t offset = (uint64_t)(at - (cta ? cta->smem : region->data));
    emu_touch(w->m, &actor, cta, region, offset, bytes, access);
}

uint8_t *emu_memory(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                    enum ptx_space space, uint64_t address, uint32_t bytes, unsigned access)
{
    struct emu_cta *cta;
    struct emu_region *region;
    const uint64_t generic = emu_generic(space, address);
    if (access & EMU_WRITE) w->m->writes++;
    if (address % bytes) return refuse(w, in, lane, space, address, bytes, "are misaligned");
    if (generic - EMU_LOCAL_WINDOW < EMU_WINDOWS_END - EMU_LOCAL_WINDOW) {
        uint8_t *at = local(w, lane, generic, bytes);
        return at ? at : refuse(w, in, lane, space, address, bytes, "are outside local memory");
    }
    uint8_t *at = emu_find(w->m, w->cta->cluster, generic, bytes, &cta, &region);
    if (!at) return refuse(w, in, lane, space, address, bytes, "are in no buffer");
    if (space == PTX_GLOBAL && cta)
        return refuse(w, in, lane, space, address, bytes, "are shared memory");
    if (cta && cta->done)
        return refuse(w, in, lane, space, address, bytes, "are of a CTA that has left");
    if (region && region->read_only && (access & (EMU_WRITE | EMU_ATOMIC)))
        return refuse(w, in, lane, space, address, bytes, "must not be written");
    if (cta && cta != w->cta) emu_mark(w->m, COMMON_DONE, cta->number, 0, false);
    if (w->m->order) order(w, in, lane, cta, region, at, bytes, access);
    if (w->m->watch.record && cta && !(access & EMU_ATOMIC))
        emu_note_touch(w, in, access & EMU_WRITE ? ACT_WRITE : ACT_READ, cta,
                       (uint64_t)(at - cta->smem), bytes);
    return at;
}

// Where a lane's piece is in the warp's own shared memory; 0: elsewhere.
static uint32_t own_piece(const struct emu_warp *w, uint64_t generic)
{
    const uint32_t a = (uint32_t)generic, offset = a & ((1u << EMU_RANK_SHIFT) - 1);
    const bool own =
        generic - EMU_SHARED_WINDOW <= UINT32_MAX && a >> EMU_RANK_SHIFT == w->cta->rank;
    return own && offset % EMU_PIECE == 0 && offset >= EMU_SMEM_START &&
                   offset + EMU_PIECE <= w->cta->smem_end
               ? offset
               : 0;
}

bool emu_memory_pieces(struct emu_warp *w, const struct emu_insn *in, uint32_t lane, uint32_t n,
                       const struct emu_place *place, unsigned access, uint8_t **at)
{
    uint32_t offset[LANES];
    bool own = !w->m->trail && !w->m->watch.record;
    for (uint32_t i = 0; own && i < n; i++) {
        offset[i] = own_piece(w, emu_place_at(w, place, lane + i));
        own = offset[i] != 0;
        at[i] = w->cta->smem + offset[i];
    }
    for (uint32_t i = 0; !own && i < n; i++) {
        at[i] = emu_memory(w, in, lane + i, PTX_GENERIC, emu_place_at(w, place, lane + i),
                           EMU_PIECE, access);
        if (!at[i]) return false;
    }
    if (own && access & EMU_WRITE) w->m->writes++;
    if (!own || !w->m->order) return true;
    struct emu_actor actor = emu_actor_of(w, in, lane);
    actor.each_lane = true;
    emu_touch_pieces(w->m, &actor, w->cta, offset, n, access);
    return true;
}

void emu_something(struct emu_cluster *cluster)
{
    cluster->events++;
    cluster->cta->m->quiet = 0;
}
