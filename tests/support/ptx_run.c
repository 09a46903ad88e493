#include "support/ptx_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET = 20000000 };

static void dump(const char *text)
{
    static unsigned number;
    const char *folder = getenv("TMAP_PTX_DUMP");
    char path[512];
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%u.ptx", folder, number++);
    FILE *f = fopen(path, "w");
    if (f) fputs(text, f), fclose(f);
}

static void say(const struct ptx_run *r)
{
    if (r->load != TMAP_OK) fprintf(stderr, "# line %u: %s\n", r->error.line, r->error.text);
    if (r->run != TMAP_OK) fprintf(stderr, "# status %d\n", r->run);
    for (size_t i = 0; i < r->findings && i < PTX_RUN_FINDINGS; i++)
        fprintf(stderr, "# %s at line %u: %s\n", tmap_emulate_kind_name(r->finding[i].kind),
                r->finding[i].line, r->finding[i].text);
}

static bool good(const struct ptx_run *r)
{
    return r->load == TMAP_OK && r->run == TMAP_OK && r->result.finished && r->findings == 0;
}

bool ptx_run_as(const char *text, void *data, size_t bytes, const struct tmap_emulate_launch *like,
                const struct tmap_emulate_watch *watch, struct ptx_run *out)
{
    struct tmap_emulate_module *module = NULL;
    const struct tmap_emulate_buffer buffer = {0x10000000, bytes, data, "data"};
    const uint64_t params = like->buffers ? like->buffers->address : buffer.address;
    struct tmap_emulate_launch launch = *like;
    if (!launch.kernel) launch.kernel = "k";
    if (!launch.params) launch.params = &params, launch.param_bytes = sizeof params;
    if (!launch.buffers) launch.buffers = &buffer, launch.buffer_count = 1;
    if (launch.budget == 0) launch.budget = BUDGET;
    memset(out, 0, sizeof *out);
    dump(text);
    out->load = tmap_emulate_load(text, strlen(text), &module, &out->error);
    if (out->load == TMAP_OK)
        out->run = tmap_emulate_run_watched(module, &launch, watch, out->finding, PTX_RUN_FINDINGS,
                                            &out->findings, &out->result);
    tmap_emulate_free(module);
    return good(out);
}

bool ptx_run_recorded(const char *text, void *data, size_t bytes,
                      const struct tmap_emulate_launch *like, uint32_t cluster,
                      struct tmap_emulate_record **record, struct ptx_run *out)
{
    struct tmap_emulate_launch launch = *like;
    launch.schedule = TMAP_EMULATE_EARLIEST;
    launch.no_races = true;
    *out = (struct ptx_run){.load = tmap_emulate_record_open(cluster, record)};
    if (out->load != TMAP_OK) return false;
    const struct tmap_emulate_watch watch = {.size = sizeof watch, .record = *record};
    return ptx_run_as(text, data, bytes, &launch, &watch, out);
}

static void go(const char *text, void *data, size_t bytes, uint32_t threads, uint32_t ctas,
               uint32_t smem_bytes, enum tmap_emulate_schedule schedule, struct ptx_run *out)
{
    const struct tmap_emulate_launch launch = {.grid = {ctas, 1, 1},
                                               .block = {threads, 1, 1},
                                               .cluster = {ctas, 1, 1},
                                               .smem_bytes = smem_bytes,
                                               .schedule = schedule,
                                               .seed = 7,
                                               .tensor_fences = true};
    ptx_run_as(text, data, bytes, &launch, NULL, out);
}

bool ptx_run(const char *text, void *data, size_t bytes, uint32_t threads, uint32_t ctas,
             uint32_t smem_bytes, enum tmap_emulate_schedule schedule, struct ptx_run *out)
{
    go(text, data, bytes, threads, ctas, smem_bytes, schedule, out);
    say(out);
    return good(out);
}

bool ptx_run_on(const char *text, void *data, size_t bytes, uint32_t threads, uint32_t ctas,
                struct ptx_run *out)
{
    go(text, data, bytes, threads, ctas, 0, TMAP_EMULATE_LATEST, out);
    return good(out);
}

bool ptx_run_quietly(const char *text, struct ptx_run *out)
{
    uint64_t data[8] = {0};
    go(text, data, sizeof data, 1, 1, 0, TMAP_EMULATE_LATEST, out);
    return good(out);
}

bool ptx_run_tells(const struct ptx_run *r, enum tmap_emulate_kind kind, const char *says)
{
    for (size_t i = 0; i < r->findings && i < PTX_RUN_FINDINGS; i++)
        if (r->finding[i].kind == kind && strstr(r->finding[i].text, says)) return true;
    return false;
}
