// Who took part: a program for each warp that did anything, in every run.
#include "emulate/protocol/fold.h"

#include <stdlib.h>
#include <string.h>

void drop_program(struct fold *f, uint32_t i)
{
    for (size_t r = 0; r < f->runs; r++) free(f->program[i].said[r].symbol);
    f->program[i] = f->program[--f->programs];
}

static struct program *program_of(struct fold *f, const struct act *a)
{
    for (uint32_t i = 0; i < f->programs; i++)
        if (f->program[i].cta == a->by_cta && f->program[i].warp == a->by_warp)
            return &f->program[i];
    if (f->programs == MOST_WARPS) return NULL;
    struct program *p = &f->program[f->programs++];
    memset(p, 0, sizeof *p);
    p->cta = (uint8_t)a->by_cta;
    p->warp = p->last_warp = a->by_warp;
    p->weight = 1;
    return p;
}

// Who only meets the others has no part in the protocol; of a staging area, who neither writes nor
// stores it.
static bool takes_part(const struct fold *f, const struct program *p)
{
    for (size_t r = 0; r < f->runs; r++)
        for (uint32_t i = 0; i < p->said[r].count; i++) {
            const struct symbol *s = &p->said[r].symbol[i];
            if (f->group ? s->op == TMAP_STEP_WRITE || s->op == TMAP_STEP_STORE : !is_meeting(s))
                return true;
        }
    return false;
}

static uint32_t line_of_remaking(const struct fold *f, const struct program *p)
{
    for (size_t r = 0; r < f->runs; r++)
        for (uint32_t i = 0; i < p->said[r].count; i++)
            if (p->said[r].symbol[i].again) return p->said[r].symbol[i].line;
    return 0;
}

// What other warps wait for then, nothing in the records says.
static bool remakers_are_alone(struct fold *f)
{
    for (uint32_t i = 0; i < f->programs; i++) {
        const uint32_t line = line_of_remaking(f, &f->program[i]);
        f->program[i].remakes = line != 0;
        if (line && f->programs > 1)
            return fold_fail(f, line, "makes barriers again that other warps use");
    }
    return true;
}

static bool read_program(struct fold *f, struct program *p)
{
    for (size_t r = 0; r < f->runs; r++)
        if (!read_warp(f, p, r)) return false;
    if (!settle_looks(f, p)) return false;
    for (size_t r = 0; r < f->runs; r++)
        if (!count_generations(&p->said[r], f)) return false;
    return true;
}

bool fold_symbols(struct fold *f)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            if (f->group && a->by_cta != 0) continue;
            if (a->by_cta >= TMAP_PROTOCOL_CTAS)
                return fold_fail(f, 0, "more than %d CTAs", TMAP_PROTOCOL_CTAS);
            if (!program_of(f, a)) return fold_fail(f, 0, "more than %d warps", MOST_WARPS);
        }
    for (uint32_t i = 0; i < f->programs; i++)
        if (!read_program(f, &f->program[i])) return false;
    for (uint32_t i = 0; i < f->programs;) {
        if (takes_part(f, &f->program[i])) {
            i++;
            continue;
        }
        drop_program(f, i);
    }
    return f->programs > 0 ? remakers_are_alone(f) : fold_fail(f, 0, "there are no barriers");
}
