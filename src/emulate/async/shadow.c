// The shadow of memory: for every 16 bytes, who wrote and read them last, and as what.
#include "emulate/async/grains.h"
#include "emulate/async/order_inside.h"
#include "emulate/machine/footprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct emu_shadow {
    uint64_t grains;
    uint32_t grain[];
};

void emu_shadow_free(struct emu_machine *m, struct emu_shadow *shadow)
{
    for (uint64_t i = 0; shadow && i < shadow->grains; i++)
        if (shadow->grain[i]) grains_move(&m->order->grains, shadow->grain[i], 0, 1);
    free(shadow);
}

static struct emu_shadow *make(uint64_t bytes)
{
    const uint64_t grains = (bytes + 2 * GRAIN - 1) / GRAIN;
    struct emu_shadow *s = calloc(1, sizeof *s + grains * sizeof s->grain[0]);
    if (s) s->grains = grains;
    return s;
}

struct touch {
    struct emu_machine *m;
    const struct emu_actor *actor;
    const struct emu_cta *cta;
    const struct emu_region *region;
    unsigned access;
    struct trace fresh; // what is written down
    struct trace fine;  // the last write that was in order; now 0: none
    uint64_t address;   // of the grain, for reports
    uint32_t old, next; // grains that were `old` have become `next`
    uint32_t moved;     // so many of them are not yet counted
};

static const char *verb(unsigned access)
{
    return access & EMU_ATOMIC ? "atomic access" : access & EMU_WRITE ? "write" : "read";
}

static const char *past(const struct trace *e, bool wrote)
{
    return e->flags & SHADOW_ATOMIC ? "atomic access" : wrote ? "write" : "read";
}

static void report(const struct touch *t, const struct trace *e, bool wrote,
                   enum tmap_emulate_kind kind)
{
    const struct emu_actor *a = t->actor;
    const struct emu_insn *other = &t->m->module->code[e->in];
    const struct emu_order *o = t->m->order;
    const uint32_t k = agent_index(o, e->agent);
    char mine[160], theirs[160];
    if (!emu_first_time(t->m, kind, a->in, other)) return;
    const char *why = kind == TMAP_EMULATE_PROXY ? "no fence.proxy.async lies between them"
                      : e->flags & SHADOW_ASYNC || a->proxy == PROXY_ASYNC
                          ? "nothing waits for the end of the first"
                      : a->fences ? "nothing orders them, tcgen05's fences and waits included"
                                  : "nothing orders them";
    char who[40];
    if (k < PER_WARP * t->m->warps)
        snprintf(who, sizeof who, "CTA %u, warp %u", agent_cta(o, e->agent), k / PER_WARP);
    else
        snprintf(who, sizeof who, "CTA %u", agent_cta(o, e->agent));
    emu_find_report(t->m, kind, a->warp, a->in, a->lane, t->address,
                    "%s of %s 0x%llx by %s, after a %s by %s (%s): %s", verb(t->access),
                    t->cta            ? "shared"
                    : t->region->name ? t->region->name
                                      : "global",
                    (unsigned long long)t->address, emu_place(t->m, a->in, mine, sizeof mine),
                    past(e, wrote), emu_place(t->m, other, theirs, sizeof theirs), who, why);
}

static void check_other(struct touch *t, const struct trace *e, bool wrote)
{
    const struct emu_actor *a = t->actor;
    const bool strong = (e->flags & SHADOW_STRONG) && (t->access & EMU_STRONG);
    if (emu_clock_seen(t->m, a->clock, e->agent) < e->now) {
        if (!strong) report(t, e, wrote, TMAP_EMULATE_RACE);
        return;
    }
    if (wrote && a->proxy == PROXY_ASYNC && !(e->flags & (SHADOW_ASYNC | SHADOW_ATOMIC)) &&
        emu_clock_async(t->m, a->clock, e->agent) < e->now)
        report(t, e, wrote, TMAP_EMULATE_PROXY);
    else if (wrote)
        t->fine = *e;
}

static inline void check(struct touch *t, const struct trace *e, uint16_t bytes, bool wrote)
{
    if (e->now == 0 || !(e->bytes & bytes) || e->agent == t->actor->agent)
        return; // in its own order
    if (wrote && e->agent == t->fine.agent && e->now == t->fine.now && e->flags == t->fine.flags)
        return;
    check_other(t, e, wrote);
}

static void note(struct trace *list, int n, const struct trace *fresh)
{
    int at = -1;
    for (int i = 0; i < n; i++) {
        if (list[i].now && list[i].agent == fresh->agent &&
            (list[i].bytes | fresh->bytes) == fresh->bytes)
            at = i;
        if (at < 0 && list[i].now == 0) at = i;
    }
    if (at < 0) { // the oldest gives way
        memmove(list, list + 1, (size_t)(n - 1) * sizeof *list);
        at = n - 1;
    }
    list[at] = *fresh;
}

static void cover(struct trace *list, int n, uint16_t bytes)
{
    for (int i = 0; i < n; i++) {
        list[i].bytes &= (uint16_t)~bytes;
        if (list[i].bytes == 0) memset(&list[i], 0, sizeof list[i]);
    }
}

static struct trace trace_of(const struct emu_machine *m, const struct emu_actor *a,
                             unsigned access)
{
    return (struct trace){.agent = a->agent,
                          .now = a->now,
                          .in = (uint32_t)(a->in - m->module->code),
                          .flags = (uint8_t)((access & EMU_STRONG ? SHADOW_STRONG : 0) |
                                             (access & EMU_ATOMIC ? SHADOW_ATOMIC : 0) |
                                             (a->proxy == PROXY_ASYNC ? SHADOW_ASYNC : 0)),
                          .lane = (uint8_t)a->lane};
}

static void touch_grain(struct touch *t, struct grain *g, uint16_t bytes)
{
    const bool writes = (t->access & (EMU_WRITE | EMU_ATOMIC)) != 0;
    for (int i = 0; i < WRITES; i++) check(t, &g->write[i], bytes, true);
    if (writes)
        for (int i = 0; i < READS; i++) check(t, &g->read[i], bytes, false);
    if (writes) {
        cover(g->write, WRITES, bytes);
        cover(g->read, READS, bytes);
        note(g->write, WRITES, &t->fresh);
    } else {
        note(g->read, READS, &t->fresh);
    }
}

static void settle(struct touch *t)
{
    grains_move(&t->m->order->grains, t->old, t->next, t->moved);
    t->moved = 0;
}

// A grain unlike the one before it.
static void touch_another(struct touch *t, uint32_t *at, uint16_t bytes)
{
    struct grains *all = &t->m->order->grains;
    settle(t);
    struct grain g = all->grain[*at];
    t->fresh.bytes = bytes;
    touch_grain(t, &g, bytes);
    t->old = t->next = *at;
    if (memcmp(&g, &all->grain[*at], sizeof g) == 0) return;
    t->next = grains_like(all, &g, &t->fresh, *at);
    if (t->next == 0) t->m->order->lost = true;
    *at = t->next;
    t->moved = 1;
}

static inline void touch_one(struct touch *t, uint32_t *at, uint16_t bytes)
{
    if (*at != t->old || bytes != t->fresh.bytes) {
        touch_another(t, at, bytes);
        return;
    }
    *at = t->next;
    t->moved++;
}

// Memory of an earlier grid that may still run, before griddepcontrol.wait.
static void early(struct emu_machine *m, const struct emu_actor *a, const struct emu_region *region,
                  uint64_t offset, unsigned access)
{
    char place[160];
    const uint64_t into_ready = region->address + offset - m->launch->ready;
    if (access == EMU_READ && into_ready < m->launch->ready_bytes) return;
    if (!m->launch->overlap || a->clock->grid || region < m->region + 1 ||
        region >= m->region + m->regions)
        return;
    if (!emu_first_time(m, TMAP_EMULATE_RACE, a->in, NULL)) return;
    emu_find_report(m, TMAP_EMULATE_RACE, a->warp, a->in, a->lane, region->address + offset,
                    "%s of %s 0x%llx by %s before griddepcontrol.wait: the grid before this one "
                    "may still use it",
                    verb(access), region->name ? region->name : "global",
                    (unsigned long long)(region->address + offset),
                    emu_place(m, a->in, place, sizeof place));
}

// By words.
static void mark(struct emu_machine *m, const struct emu_cta *cta, const struct emu_region *region,
                 uint64_t offset, uint64_t bytes, unsigned access)
{
    const bool writes = access & EMU_WRITE || (access & EMU_ATOMIC && !m->trail->reads_only);
    const uint64_t start = cta ? 0 : region->address;
    const uint32_t a = cta ? cta->number : 0;
    for (uint64_t at = offset / 4; at <= (offset + bytes - 1) / 4; at++)
        emu_mark(m, cta ? COMMON_SHARED : COMMON_REGION, a, start / 4 + at, writes);
}

void emu_touch(struct emu_machine *m, const struct emu_actor *actor, struct emu_cta *cta,
               struct emu_region *region, uint64_t offset, uint64_t bytes, unsigned access)
{
    if (!m->order) return;
    if (m->trail) mark(m, cta, region, offset, bytes, access);
    struct emu_shadow **slot = cta ? &cta->shadow : &region->shadow;
    if (region) early(m, actor, region, offset, access);
    if (!*slot) *slot = make(cta ? cta->smem_end : region->bytes);
    if (!*slot) {
        m->order->lost = true;
        return;
    }
    struct touch t = {.m = m,
                      .actor = actor,
                      .cta = cta,
                      .region = region,
                      .access = access,
                      .fresh = trace_of(m, actor, access)};
    const uint64_t end = offset + bytes, start = cta ? 0 : region->address;
    for (uint64_t at = offset; at < end;) {
        const uint64_t g = at / GRAIN, next = (g + 1) * GRAIN < end ? (g + 1) * GRAIN : end;
        const uint32_t first = (uint32_t)(at % GRAIN), n = (uint32_t)(next - at);
        const uint16_t mask = (uint16_t)(((1u << n) - 1) << first);
        t.address = start + at;
        if (g < (*slot)->grains) touch_one(&t, &(*slot)->grain[g], mask);
        at = next;
    }
    settle(&t);
}

void emu_touch_pieces(struct emu_machine *m, const struct emu_actor *actor, struct emu_cta *cta,
                      const uint32_t *offset, uint32_t n, unsigned access)
{
    if (!m->order) return;
    if (!cta->shadow) cta->shadow = make(cta->smem_end);
    if (!cta->shadow) {
        m->order->lost = true;
        return;
    }
    struct emu_actor now = *actor;
    struct touch t = {
        .m = m, .actor = &now, .cta = cta, .access = access, .fresh = trace_of(m, actor, access)};
    for (uint32_t i = 0; i < n; i++) {
        t.address = offset[i];
        now.lane = actor->lane + (actor->each_lane ? i : 0);
        touch_one(&t, &cta->shadow->grain[offset[i] / GRAIN], UINT16_MAX);
    }
    settle(&t);
}

bool emu_last_write(struct emu_machine *m, struct emu_region *region, uint64_t offset,
                    struct emu_write *out)
{
    if (!region->read_only) emu_trail_everything(m);
    if (!m->order || region->read_only || !region->shadow) return false;
    bool any = false;
    const uint64_t first = offset / GRAIN;
    for (uint64_t g = first; g < first + 8; g++)
        for (int i = 0; i < WRITES; i++) {
            const struct trace *e = &m->order->grains.grain[region->shadow->grain[g]].write[i];
            if (e->now == 0) continue;
            const bool released = emu_clock_seen(m, &m->order->published, e->agent) >= e->now;
            if (any && out->released <= released) continue; // the worst of all
            *out = (struct emu_write){e->agent, e->now, released, &m->module->code[e->in]};
            any = true;
        }
    return any;
}

bool emu_writer_of(const struct emu_machine *m, const struct emu_region *region, uint64_t offset,
                   struct emu_writer *out)
{
    const uint64_t g = offset / GRAIN;
    if (!m->order || !region->shadow) return false;
    for (int i = 0; i < WRITES; i++) {
        const struct trace *e = &m->order->grains.grain[region->shadow->grain[g]].write[i];
        const uint32_t k =
            agent_index(m->order, e->agent); // a warp's: mbarriers tell shared memory
        if (e->now == 0 || !(e->bytes >> offset % GRAIN & 1)) continue;
        *out = (struct emu_writer){agent_cta(m->order, e->agent), k / PER_WARP, e->lane,
                                   &m->module->code[e->in]};
        return true;
    }
    return false;
}
