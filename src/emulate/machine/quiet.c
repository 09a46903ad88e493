// Whether a machine in which nothing has happened for long hangs: warps that wait or poll do, and
// one that computes does where its state comes back with nothing written in between.
#include "emulate/machine/quiet.h"

#include <string.h>

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    for (; bytes > 0; bytes--) hash = (hash ^ *at++) * 0x100000001b3u;
    return hash;
}

// What it does next follows from this and from memory.
static uint64_t state_of(const struct emu_warp *w)
{
    uint64_t hash = mix(w->live, w->regs, w->m->entry->reg_bytes);
    hash = mix(hash, &w->carry, sizeof w->carry);
    for (uint32_t i = 0; i < w->splits; i++) {
        const struct emu_split *s = &w->split[i];
        const uint32_t at[] = {s->pc, s->mask, s->stage, s->calls};
        hash = mix(hash, at, sizeof at);
        hash = mix(hash, s->back, s->calls * sizeof s->back[0]);
    }
    return hash;
}

// Marks are set at growing distances, so that a loop of any length begins after one of them.
static bool computes(const struct emu_machine *m, struct emu_warp *w)
{
    struct emu_mark_of_warp *k = &w->mark;
    const uint64_t since = m->executed - m->quiet;
    const bool valid = k->at > since && k->writes == m->writes;
    const uint32_t pc = w->split[w->at].pc;
    const bool polls = w->polled > since + m->quiet / 2;
    if (polls || (valid && k->endless)) return false;
    if (valid && k->pc == pc && k->ran != w->ran && k->state == state_of(w)) {
        k->endless = true;
        return false;
    }
    if (valid && m->executed - k->at < k->at - since) return true;
    *k = (struct emu_mark_of_warp){m->executed, m->writes, w->ran, state_of(w), pc, false};
    return true;
}

bool emu_hangs(struct emu_machine *m)
{
    for (uint32_t i = 0; i < m->clusters; i++)
        for (uint32_t k = 0; m->cluster[i] && k < m->cluster[i]->ctas; k++)
            for (uint32_t j = 0; j < m->warps; j++) {
                struct emu_warp *w = &m->cluster[i]->cta[k].warp[j];
                if (w->live && emu_warp_ready(w) && computes(m, w)) return false;
            }
    return true;
}
