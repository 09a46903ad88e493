#include "emulate/protocol/fold.h"

#include <stdlib.h>
#include <string.h>

static bool whole(struct fold *f)
{
    for (size_t r = 0; r < f->runs; r++) emu_record_finish(f->run[r]);
    for (size_t r = 0; r < f->runs; r++)
        if (f->run[r]->lost) return fold_memory(f);
    for (size_t r = 0; r < f->runs; r++)
        if (!f->run[r]->count || f->run[r]->warps != f->run[0]->warps ||
            f->run[r]->ctas != f->run[0]->ctas)
            return fold_fail(f, 0, "the records are not whole, or not of one shape of launch");
    return true;
}

static void close_fold(struct fold *f)
{
    for (uint32_t i = 0; i < f->programs; i++)
        for (size_t r = 0; r < f->runs; r++) free(f->program[i].said[r].symbol);
    free(f->program);
    free(f);
}

static bool fold_all(struct fold *f)
{
    if (!fold_symbols(f)) return false;
    join_warpgroups(f);
    drop_meetings(f);
    find_turns(f);
    if (!fold_parts(f) || !place_turns(f)) return false;
    note_places(f);
    return fold_steps(f);
}

enum tmap_status tmap_emulate_protocol(struct tmap_emulate_record *const *records, size_t count,
                                       enum tmap_emulate_part part, unsigned number,
                                       struct tmap_protocol *out, struct tmap_emulate_error *error)
{
    enum { NAMES = MOST_WARPS + MOST_OBJECTS };
    struct tmap_emulate_error none;
    if (!records || count == 0 || count > MOST_RUNS || !out) return TMAP_E_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (!records[i]) return TMAP_E_ARGUMENT;
    struct fold *f = calloc(1, sizeof *f);
    if (!f) return TMAP_E_MEMORY;
    f->run = records;
    f->runs = count;
    f->part = part;
    f->number = number;
    f->group = part == TMAP_EMULATE_STAGING;
    f->error = error ? error : &none;
    f->out = out;
    memset(f->error, 0, sizeof *f->error);
    memset(out, 0, sizeof *out);
    out->name = "protocol";
    free(records[0]->name);
    records[0]->names = 0;
    records[0]->name = calloc(NAMES, sizeof *records[0]->name);
    f->program = calloc(MOST_WARPS, sizeof *f->program);
    enum tmap_status s = records[0]->name && f->program ? TMAP_OK : TMAP_E_MEMORY;
    if (s == TMAP_OK && (!whole(f) || !fold_objects(f))) s = TMAP_E_ARGUMENT;
    if (s == TMAP_OK && f->buffers == 0 && f->group) s = TMAP_E_NO_PLAN;
    const bool ring = part == TMAP_EMULATE_RING && number >= f->barriers;
    if (s == TMAP_OK && ring) s = TMAP_E_NO_PLAN;
    if (s == TMAP_OK && !fold_all(f)) s = f->none ? TMAP_E_NO_PLAN : TMAP_E_ARGUMENT;
    if (f->memory) s = TMAP_E_MEMORY;
    close_fold(f);
    return s;
}
