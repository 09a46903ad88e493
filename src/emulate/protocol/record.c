#include "emulate/protocol/record.h"

#include <stdlib.h>
#include <string.h>

enum tmap_status tmap_emulate_record_open(uint32_t cluster, struct tmap_emulate_record **out)
{
    if (!out) return TMAP_E_ARGUMENT;
    struct tmap_emulate_record *r = calloc(1, sizeof *r);
    if (!r) return TMAP_E_MEMORY;
    r->cluster = cluster;
    *out = r;
    return TMAP_OK;
}

void tmap_emulate_record_free(struct tmap_emulate_record *r)
{
    if (!r) return;
    free(r->act);
    free(r->warp);
    free(r->name);
    free(r);
}

static void append(struct tmap_emulate_record *r, const struct act *act)
{
    if (r->count == r->room) {
        const size_t room = r->room ? 2 * r->room : 1024;
        struct act *larger = realloc(r->act, room * sizeof *larger);
        if (!larger) {
            r->lost = true;
            return;
        }
        r->act = larger;
        r->room = room;
    }
    r->act[r->count++] = *act;
}

static struct warp_touches *touches_of(struct tmap_emulate_record *r, const struct emu_warp *w)
{
    if (!r->warp) {
        r->ctas = w->cta->cluster->ctas;
        r->warps = w->cta->warps;
        r->warp = calloc((size_t)r->ctas * r->warps, sizeof *r->warp);
    }
    if (!r->warp) r->lost = true;
    return r->warp ? &r->warp[w->cta->rank * r->warps + w->index] : NULL;
}

static void flush(struct tmap_emulate_record *r, uint32_t cta, uint32_t warp,
                  struct warp_touches *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct touched *o = &t->of[i];
        append(r, &(struct act){.op = o->op,
                                .cta = o->cta,
                                .by_cta = (uint16_t)cta,
                                .by_warp = (uint16_t)warp,
                                .line = o->line,
                                .at = o->from,
                                .bytes = o->to - o->from});
    }
    t->count = 0;
}

void emu_record_finish(struct tmap_emulate_record *r)
{
    for (uint32_t i = 0; r->warp && i < r->ctas * r->warps; i++)
        flush(r, i / r->warps, i % r->warps, &r->warp[i]);
}

// NULL, or the record of the warp's run, where its cluster is the one that is recorded.
static struct tmap_emulate_record *record_of(const struct emu_warp *w)
{
    struct tmap_emulate_record *r = w->m->watch.record;
    return w->cta->number / w->cta->cluster->ctas == r->cluster ? r : NULL;
}

// The same question once more, with nothing in between.
static bool asks_again(struct warp_touches *t, const struct act *a)
{
    const struct act *o = &t->looked;
    const bool again = a->op == ACT_LOOK && o->op == ACT_LOOK && t->count == 0 &&
                       o->line == a->line && o->barrier == a->barrier &&
                       o->barrier_cta == a->barrier_cta && o->value == a->value && o->at == a->at &&
                       o->bytes == a->bytes;
    t->looked = *a;
    return again;
}

void emu_note(const struct emu_warp *w, const struct emu_insn *in, const struct act *act)
{
    struct tmap_emulate_record *r = record_of(w);
    struct warp_touches *t = r ? touches_of(r, w) : NULL;
    if (!t) return;
    struct act a = *act;
    a.by_cta = (uint16_t)w->cta->rank;
    a.by_warp = (uint16_t)w->index;
    a.line = in->line;
    if (asks_again(t, &a)) return;
    flush(r, w->cta->rank, w->index, t);
    append(r, &a);
}

// Ranges that meet become one; the few that a warp touches at a time stay apart.
void emu_note_touch(const struct emu_warp *w, const struct emu_insn *in, enum act_op op,
                    const struct emu_cta *cta, uint64_t from, uint64_t bytes)
{
    struct tmap_emulate_record *r = record_of(w);
    struct warp_touches *t = r ? touches_of(r, w) : NULL;
    struct touched n = {(uint8_t)op, (uint8_t)cta->rank, (uint32_t)from, (uint32_t)(from + bytes),
                        in->line};
    if (!t) return;
    for (uint32_t i = 0; i < t->count;) {
        const struct touched *o = &t->of[i];
        if (o->op != n.op || o->cta != n.cta || o->to < n.from || o->from > n.to) {
            i++;
            continue;
        }
        if (o->from <= n.from && o->to >= n.to) return;
        if (o->from < n.from) n.from = o->from;
        if (o->to > n.to) n.to = o->to;
        t->of[i] = t->of[--t->count];
        i = 0;
    }
    if (t->count == MOST_TOUCHED) flush(r, w->cta->rank, w->index, t);
    t->of[t->count++] = n;
}

// NULL: there are too many.
static struct looking *looking_of(struct warp_touches *t, const struct emu_insn *in)
{
    uint32_t i = 0;
    while (i < t->looks && t->look[i].in != in) i++;
    if (i == MOST_LOOKING) return NULL;
    if (i == t->looks) t->look[t->looks++] = (struct looking){.in = in};
    return &t->look[i];
}

enum emu_answer emu_record_answer(const struct emu_warp *w, const struct emu_insn *in, bool over)
{
    enum { TRIES = 2048 }; // eight a turn, after which all others have theirs
    struct tmap_emulate_record *r = w->m->watch.record ? record_of(w) : NULL;
    struct warp_touches *t = r ? touches_of(r, w) : NULL;
    struct looking *k = t ? looking_of(t, in) : NULL;
    if (!k) return over ? ANSWER_YES : ANSWER_NO;
    const bool yes = (k->times + w->m->launch->seed) % 2 == 1;
    if (yes && !over && k->tries++ < TRIES) return ANSWER_LATER;
    k->times++;
    k->tries = 0;
    return yes && over ? ANSWER_YES : ANSWER_NO;
}
