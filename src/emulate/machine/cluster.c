// A cluster as it begins, with its CTAs, their warps and the registers that nobody writes; and its
// end.
#include "emulate/async/async.h"

#include <stdlib.h>
#include <string.h>

static void specials(struct emu_warp *w)
{
    const struct emu_cta *c = w->cta;
    const struct emu_machine *m = w->m;
    uint32_t v[SPECIALS] = {0};
    for (int i = 0; i < 3; i++) {
        v[SPECIAL_NTID_X + i] = m->block[i];
        v[SPECIAL_CTAID_X + i] = c->id[i];
        v[SPECIAL_NCTAID_X + i] = m->grid[i];
        v[SPECIAL_CLUSTERID_X + i] = c->id[i] / m->cluster_dim[i];
        v[SPECIAL_NCLUSTERID_X + i] = m->grid[i] / m->cluster_dim[i];
        v[SPECIAL_CLUSTER_CTAID_X + i] = c->id[i] % m->cluster_dim[i];
        v[SPECIAL_CLUSTER_NCTAID_X + i] = m->cluster_dim[i];
    }
    v[SPECIAL_CLUSTER_CTARANK] = c->rank;
    v[SPECIAL_CLUSTER_NCTARANK] = c->cluster->ctas;
    v[SPECIAL_IS_EXPLICIT_CLUSTER] = c->cluster->ctas > 1 ? UINT32_MAX : 0;
    v[SPECIAL_WARPID] = w->index;
    v[SPECIAL_NWARPID] = m->warps;
    v[SPECIAL_SMID] = c->number % EMU_SMS;
    v[SPECIAL_NSMID] = EMU_SMS;
    v[SPECIAL_DYNAMIC_SMEM] = m->dynamic_smem;
    v[SPECIAL_TOTAL_SMEM] = v[SPECIAL_AGGR_SMEM] = c->smem_end;
    v[SPECIAL_WARP_SZ] = LANES;
    for (uint32_t s = 0; s < SPECIALS; s++)
        for (uint32_t l = 0; l < LANES; l++) emu_u32(w, (emu_at)(s * SLOT_BYTES))[l] = v[s];
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t t = w->index * LANES + l, bit = 1u << l;
        const uint32_t own[] = {t % m->block[0], t / m->block[0] % m->block[1],
                                t / m->block[0] / m->block[1]};
        for (uint32_t i = 0; i < 3; i++)
            emu_u32(w, (emu_at)((SPECIAL_TID_X + i) * SLOT_BYTES))[l] = own[i];
        emu_u32(w, SPECIAL_LANEID * SLOT_BYTES)[l] = l;
        emu_u32(w, SPECIAL_LANEMASK_EQ * SLOT_BYTES)[l] = bit;
        emu_u32(w, SPECIAL_LANEMASK_LT * SLOT_BYTES)[l] = bit - 1;
        emu_u32(w, SPECIAL_LANEMASK_LE * SLOT_BYTES)[l] = bit | (bit - 1);
        emu_u32(w, SPECIAL_LANEMASK_GT * SLOT_BYTES)[l] = ~(bit | (bit - 1));
        emu_u32(w, SPECIAL_LANEMASK_GE * SLOT_BYTES)[l] = ~(bit - 1);
    }
}

static void shared_names(struct emu_warp *w)
{
    const struct tmap_emulate_module *mod = w->m->module;
    for (uint32_t i = 0; i < mod->shared_names; i++) {
        const struct emu_shared_name *n = &mod->shared_name[i];
        const struct emu_entry *e = &mod->entry[n->function];
        if (e->f->is_entry && e != w->m->entry) continue;
        const uint64_t offset = n->var->is_extern ? w->m->entry->dynamic_offset : n->var->offset;
        const uint64_t value = (uint64_t)w->cta->rank << EMU_RANK_SHIFT | (offset + n->plus);
        for (uint32_t l = 0; l < LANES; l++)
            if (n->bytes == 4)
                emu_u32(w, n->at)[l] = (uint32_t)value;
            else
                emu_u64(w, n->at)[l] = value;
    }
}

static bool make_warp(struct emu_cta *c, uint32_t index)
{
    struct emu_machine *m = c->m;
    struct emu_warp *w = &c->warp[index];
    const uint32_t left = m->threads - index * LANES;
    w->m = m;
    w->cta = c;
    w->index = index;
    w->live = left >= LANES ? UINT32_MAX : (1u << left) - 1;
    w->consts = m->module->consts;
    w->regs = calloc(1, m->entry->reg_bytes + SLOT_BYTES);
    if (m->entry->local_bytes) w->local = calloc(LANES, m->entry->local_bytes);
    if (!w->regs || (m->entry->local_bytes && !w->local)) return false;
    w->agent = emu_agent(c, AGENT_WARP, index);
    if (!emu_order_warp(w)) return false;
    w->splits = 1;
    w->split[0] = (struct emu_split){.pc = m->entry->pc, .mask = w->live, .blocked_at = UINT64_MAX};
    specials(w);
    shared_names(w);
    return true;
}

// Shared memory starts as anything; this pattern is a NaN in most types.
static bool make_cta(struct emu_cluster *cl, uint32_t rank)
{
    struct emu_cta *c = &cl->cta[rank];
    struct emu_machine *m = c->m;
    c->cluster = cl;
    c->rank = rank;
    c->smem_end = m->entry->dynamic_offset + m->dynamic_smem;
    c->smem = malloc(c->smem_end);
    c->warps = c->live_warps = m->warps;
    c->warp = calloc(m->warps, sizeof *c->warp);
    if (!c->smem || !c->warp) return false;
    memset(c->smem, 0xff, c->smem_end);
    for (uint32_t i = 0; i < NAMED_BARRIERS; i++) {
        c->named[i].gather = emu_object(m);
        c->named[i].done = emu_object(m);
    }
    for (uint32_t i = 0; i < m->warps; i++)
        if (!make_warp(c, i)) return false;
    return true;
}

// Clusters run in the order of their numbers; `slot` is the place that is free.
bool emu_make_cluster(struct emu_machine *m, uint32_t slot)
{
    const uint32_t *d = m->cluster_dim;
    const uint32_t number = m->next_cluster++, ctas = d[0] * d[1] * d[2];
    struct emu_cluster *c = calloc(1, sizeof *c);
    m->cluster[slot] = c;
    if (c) c->cta = calloc(ctas, sizeof *c->cta);
    bool good = c && c->cta;
    if (good) {
        const uint32_t per[2] = {m->grid[0] / d[0], m->grid[1] / d[1]};
        const uint32_t at[3] = {number % per[0], number / per[0] % per[1],
                                number / per[0] / per[1]};
        c->ctas = c->live_ctas = ctas;
        c->gather = emu_object(m);
        c->done = emu_object(m);
        for (uint32_t r = 0; good && r < ctas; r++) {
            const uint32_t in[3] = {r % d[0], r / d[0] % d[1], r / d[0] / d[1]};
            struct emu_cta *cta = &c->cta[r];
            cta->m = m;
            for (int i = 0; i < 3; i++) cta->id[i] = at[i] * d[i] + in[i];
            cta->number = cta->id[0] + m->grid[0] * (cta->id[1] + m->grid[1] * cta->id[2]);
            good = make_cta(c, r);
        }
    }
    if (good) return true;
    m->status = TMAP_E_MEMORY;
    m->stop = true;
    return false;
}

void emu_free_cluster(struct emu_cluster *c)
{
    for (uint32_t r = 0; c->cta && r < c->ctas; r++) {
        struct emu_cta *cta = &c->cta[r];
        for (uint32_t i = 0; cta->warp && i < cta->warps; i++) {
            free(cta->warp[i].regs);
            free(cta->warp[i].local);
            emu_order_warp_free(&cta->warp[i]);
        }
        free(cta->warp);
        free(cta->smem);
        for (uint32_t i = 0; i < cta->mbarriers; i++) free(cta->mbarrier[i]);
        free(cta->mbarrier);
        emu_shadow_free(cta->m, cta->shadow);
        if (cta->tmem_free) cta->tmem_free(cta);
    }
    free(c->cta);
    free(c);
}
