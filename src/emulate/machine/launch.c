// A launch: its memory, its clusters, its end.
#include "emulate/async/async.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_RESIDENTS = 132, MAX_CLUSTER = 16, MAX_CTA_THREADS = 0x400 };

static uint32_t product(const uint32_t v[3])
{
    return v[0] * v[1] * v[2];
}

static bool shape(const struct tmap_emulate_launch *l, struct emu_machine *m)
{
    const struct ptx_function *f = m->entry->f;
    const bool own = l->cluster[0] == 0;
    for (int i = 0; i < 3; i++) {
        m->grid[i] = l->grid[i] ? l->grid[i] : 1;
        m->block[i] = l->block[i] ? l->block[i] : 1;
        const uint32_t c = own ? f->cluster[i] : l->cluster[i];
        m->cluster_dim[i] = c ? c : 1;
        if (m->grid[i] > 0xffff || m->block[i] > MAX_CTA_THREADS ||
            m->cluster_dim[i] > MAX_CLUSTER || m->grid[i] % m->cluster_dim[i])
            return false;
    }
    m->threads = product(m->block);
    m->warps = (m->threads + LANES - 1) / LANES;
    if (m->threads > MAX_CTA_THREADS || product(m->cluster_dim) > MAX_CLUSTER) return false;
    if (f->max_threads && m->threads > f->max_threads) return false;
    if (f->required[0] && m->threads != product(f->required)) return false;
    const uint64_t ctas = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    if (ctas > 1u << 24) return false;
    m->cluster_count = (uint32_t)(ctas / product(m->cluster_dim));
    return true;
}

static bool add_region(struct emu_machine *m, uint64_t address, uint64_t bytes, void *data,
                       const char *name, bool read_only)
{
    for (uint32_t i = 0; i < m->regions; i++)
        if (address < m->region[i].address + m->region[i].bytes &&
            m->region[i].address < address + bytes)
            return false;
    m->region[m->regions++] = (struct emu_region){
        .address = address, .bytes = bytes, .data = data, .name = name, .read_only = read_only};
    return true;
}

static enum tmap_status regions(struct emu_machine *m)
{
    const struct tmap_emulate_launch *l = m->launch;
    m->region = calloc(l->buffer_count + 2, sizeof *m->region);
    uint8_t *globals = malloc((size_t)m->module->global_bytes + 1);
    uint8_t *params = malloc(l->param_bytes + 1);
    if (!m->region || !globals || !params) {
        free(globals);
        free(params);
        return TMAP_E_MEMORY;
    }
    memcpy(globals, m->module->global_image, m->module->global_bytes);
    if (l->param_bytes) memcpy(params, l->params, l->param_bytes);
    add_region(m, EMU_MODULE_WINDOW, m->module->global_bytes, globals, "module", false);
    add_region(m, EMU_PARAM_WINDOW, l->param_bytes, params, "parameters", true);
    for (size_t i = 0; i < l->buffer_count; i++) {
        const struct tmap_emulate_buffer *b = &l->buffers[i];
        const bool window =
            b->address < EMU_WINDOWS_END && b->address + b->bytes > EMU_SHARED_WINDOW;
        if (!b->data || b->address + b->bytes < b->address || window ||
            !add_region(m, b->address, b->bytes, b->data, b->name, false))
            return TMAP_E_ARGUMENT;
    }
    return TMAP_OK;
}

// --- clusters

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
    v[SPECIAL_SMID] = c->number % DEFAULT_RESIDENTS;
    v[SPECIAL_NSMID] = DEFAULT_RESIDENTS;
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
    for (uint32_t i = 0; i < NAMED_BARRIERS; i++) c->named[i].order = emu_object(m);
    for (uint32_t i = 0; i < m->warps; i++)
        if (!make_warp(c, i)) return false;
    return true;
}

// Clusters run in the order of their numbers; `slot` is the place that is free.
bool emu_make_cluster(struct emu_machine *m, uint32_t slot)
{
    const uint32_t number = m->next_cluster++, ctas = product(m->cluster_dim);
    struct emu_cluster *c = calloc(1, sizeof *c);
    m->cluster[slot] = c;
    if (c) c->cta = calloc(ctas, sizeof *c->cta);
    bool good = c && c->cta;
    if (good) {
        const uint32_t *d = m->cluster_dim;
        const uint32_t per[2] = {m->grid[0] / d[0], m->grid[1] / d[1]};
        const uint32_t at[3] = {number % per[0], number / per[0] % per[1],
                                number / per[0] / per[1]};
        c->ctas = c->live_ctas = ctas;
        c->order = emu_object(m);
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

void emu_free_cluster(struct emu_machine *m, struct emu_cluster *c)
{
    (void)m;
    for (uint32_t r = 0; c->cta && r < c->ctas; r++) {
        struct emu_cta *cta = &c->cta[r];
        for (uint32_t i = 0; cta->warp && i < cta->warps; i++) {
            free(cta->warp[i].regs);
            free(cta->warp[i].local);
            free(cta->warp[i].tensor);
            emu_order_warp_free(&cta->warp[i]);
        }
        free(cta->warp);
        free(cta->smem);
        free(cta->mbarrier);
        emu_shadow_free(cta->shadow);
        if (cta->tmem_free) cta->tmem_free(cta);
    }
    free(c->cta);
    free(c);
}

static void close_machine(struct emu_machine *m)
{
    for (uint32_t i = 0; i < m->ops; i++) {
        if (m->op[i]->drop) m->op[i]->drop(m->op[i]);
        emu_clock_free(m, &m->op[i]->clock);
        free(m->op[i]);
    }
    for (uint32_t i = 0; m->cluster && i < m->clusters; i++)
        if (m->cluster[i]) emu_free_cluster(m, m->cluster[i]);
    for (uint32_t i = 0; m->region && i < m->regions; i++) {
        emu_shadow_free(m->region[i].shadow);
        if (i < 2) free(m->region[i].data); // the module's variables and the parameters
    }
    emu_order_close(m);
    free(m->op);
    free(m->cluster);
    free(m->region);
    free(m->seen);
    free(m->maps);
    free(m->map_note);
}

static enum tmap_status open_machine(struct emu_machine *m)
{
    const struct tmap_emulate_launch *l = m->launch;
    struct tmap_target target = tmap_default_target();
    uint32_t smem = 0;
    target.arch = m->module->ptx.arch;
    if (!shape(l, m) || l->param_bytes != m->entry->f->param_bytes ||
        (l->param_bytes && !l->params) || (l->buffer_count && !l->buffers))
        return TMAP_E_ARGUMENT;
    enum tmap_status status = tmap_checker_prepare(&target, TMAP_CONTRACT_HARDWARE, &m->checker);
    if (status == TMAP_OK) status = tmap_capacity(target.arch, &smem, NULL);
    if (status != TMAP_OK) return status;
    m->dynamic_smem = l->smem_bytes;
    if (l->smem_bytes > smem || m->entry->static_smem + l->smem_bytes > smem) return TMAP_E_ROOM;
    const uint32_t per = product(m->cluster_dim);
    const uint32_t residents = l->residents ? l->residents : DEFAULT_RESIDENTS;
    m->clusters = residents / per ? residents / per : 1;
    if (m->clusters > m->cluster_count) m->clusters = m->cluster_count;
    m->cluster = calloc(m->clusters, sizeof *m->cluster);
    if (!m->cluster) return TMAP_E_MEMORY;
    status = regions(m);
    if (status == TMAP_OK && !l->no_races && !emu_order_open(m)) status = TMAP_E_MEMORY;
    return status;
}

static bool known_size(const struct tmap_emulate_watch *w)
{
    return !w || (w->size >= offsetof(struct tmap_emulate_watch, expected_count) +
                                 sizeof w->expected_count &&
                  w->size <= sizeof *w && (!w->expected_count || w->expected));
}

static enum tmap_status run_machine(struct emu_machine *m)
{
    const enum tmap_status status = open_machine(m);
    if (status != TMAP_OK) return status;
    emu_schedule(m);
    if (emu_order_lost(m)) m->status = TMAP_E_MEMORY;
    if (m->status == TMAP_OK && m->result.finished) emu_compare(m);
    return m->status;
}

enum tmap_status tmap_emulate_run_watched(const struct tmap_emulate_module *module,
                                          const struct tmap_emulate_launch *launch,
                                          const struct tmap_emulate_watch *watch,
                                          struct tmap_emulate_finding *findings, size_t cap,
                                          size_t *found, struct tmap_emulate_result *result)
{
    if (!module || !launch || !launch->kernel || !found || !result || (cap && !findings) ||
        !known_size(watch))
        return TMAP_E_ARGUMENT;
    const struct ptx_function *f = ptx_function_named(&module->ptx, launch->kernel);
    if (!f || !f->is_entry || !f->has_body) return TMAP_E_ARGUMENT;
    struct emu_machine m = {.module = module,
                            .launch = launch,
                            .entry = &module->entry[f - module->ptx.function],
                            .random = launch->seed * 0x9e3779b97f4a7c15ull + 0x1234567,
                            .budget = launch->budget ? launch->budget : 1000000000,
                            .finding = findings,
                            .finding_room = cap};
    if (watch) memcpy(&m.watch, watch, watch->size);
    const enum tmap_status status = run_machine(&m);
    if (status == TMAP_OK) {
        *found = m.findings;
        *result = m.result;
    }
    close_machine(&m);
    return status;
}

enum tmap_status tmap_emulate_run(const struct tmap_emulate_module *module,
                                  const struct tmap_emulate_launch *launch,
                                  struct tmap_emulate_finding *findings, size_t cap, size_t *found,
                                  struct tmap_emulate_result *result)
{
    return tmap_emulate_run_watched(module, launch, NULL, findings, cap, found, result);
}
