// A launch: its memory, its clusters, its end.
#include "emulate/async/async.h"
#include "emulate/machine/footprint.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CLUSTER = 16, MAX_CTA_THREADS = 0x400 };

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

static void close_machine(struct emu_machine *m)
{
    for (uint32_t i = 0; i < m->ops; i++) {
        m->op[i]->drop(m->op[i]);
        emu_clock_free(m, &m->op[i]->clock);
        free(m->op[i]);
    }
    for (uint32_t i = 0; m->cluster && i < m->clusters; i++)
        if (m->cluster[i]) emu_free_cluster(m->cluster[i]);
    for (uint32_t i = 0; m->region && i < m->regions; i++) {
        emu_shadow_free(m, m->region[i].shadow);
        if (i < 2) free(m->region[i].data); // the module's variables and the parameters
    }
    emu_order_close(m);
    emu_trail_close(m);
    free(m->op);
    free(m->cluster);
    free(m->region);
    free(m->seen);
    free(m->maps);
    free(m->map_note);
    free(m->panels);
    free(m->scratch);
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
    tmap_checker_prepare(&target, TMAP_CONTRACT_HARDWARE, &m->checker); // the parser knows the arch
    tmap_capacity(target.arch, &smem, NULL);
    m->dynamic_smem = l->smem_bytes;
    if (l->smem_bytes > smem || m->entry->static_smem + l->smem_bytes > smem) return TMAP_E_ROOM;
    const uint32_t per = product(m->cluster_dim);
    const uint32_t residents = l->residents ? l->residents : EMU_SMS;
    m->clusters = residents / per ? residents / per : 1;
    if (m->clusters > m->cluster_count) m->clusters = m->cluster_count;
    m->cluster = calloc(m->clusters, sizeof *m->cluster);
    if (!m->cluster) return TMAP_E_MEMORY;
    enum tmap_status status = regions(m);
    if (status == TMAP_OK && !l->no_races && !emu_order_open(m)) status = TMAP_E_MEMORY;
    const bool chooses = l->schedule == TMAP_EMULATE_CHOSEN && m->watch.choose;
    if (status == TMAP_OK && chooses && !emu_trail_open(m)) status = TMAP_E_MEMORY;
    return status;
}

static bool known_size(const struct tmap_emulate_watch *w)
{
    return !w || (w->size >= offsetof(struct tmap_emulate_watch, expected_count) +
                                 sizeof w->expected_count &&
                  w->size <= sizeof *w && (!w->expected_count || w->expected) &&
                  (w->size < offsetof(struct tmap_emulate_watch, decided) + sizeof w->decided ||
                   ((!w->choices || w->choice) && (!w->option_room || w->options))));
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
