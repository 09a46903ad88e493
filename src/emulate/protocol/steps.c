// The programs of the warps as the automaton's: rings that everybody goes along at one pace, steps.
// Warps of a CTA that act alike become one agent.
#include "core/arith.h"
#include "emulate/protocol/fold.h"

#include <stdio.h>
#include <string.h>

// --- one tile: where warps write into a ring's slots, nothing is loaded after it

static bool append(struct program *p, enum fold_part to, enum fold_part from)
{
    const uint32_t n = p->length[to], more = p->length[from];
    if (n + more > MOST_PART) return false;
    memcpy(&p->part[to][n], p->part[from], more * sizeof p->part[to][0]);
    memcpy(&p->going[to][n], p->going[from], more * sizeof p->going[to][0]);
    p->length[to] = n + more;
    p->length[from] = 0;
    return true;
}

// Its beginning is the program's, and its end the program's too.
static bool be_one_tile(struct fold *f)
{
    for (uint32_t i = 0; i < f->programs; i++) {
        struct program *p = &f->program[i];
        const uint32_t line = line_of(p);
        for (size_t r = 0; r < f->runs; r++)
            if (has_tiles(p) && p->tiles[r] > 1)
                return fold_fail(f, line, "writes where copies land, and goes on to another tile");
        append(p, PART_START, PART_TILE); // has room: who has tiles begins with few (parts.c)
        if (!append(p, PART_FLUSH, PART_END))
            return fold_fail(f, line, "does too much after its blocks");
        append(p, PART_END, PART_FLUSH);
    }
    f->out->tiles = false;
    return true;
}

// --- paces and rings

static bool set_rate(struct fold *f, struct program *p, const struct symbol *s,
                     const struct going *g)
{
    uint8_t object[2];
    const uint32_t n = s->index < 0 ? 0 : objects_of(s, object);
    for (uint32_t k = 0; k < n; k++) {
        uint8_t *rate = &p->rate[object[k]];
        const uint8_t now = g->is_by_block ? RATE_BLOCK : g->is_by_tile ? RATE_TILE : RATE_NONE;
        if (now == RATE_NONE || (*rate && *rate != now))
            return fold_fail(f, s->line, "goes round its ring at no steady pace");
        *rate = now;
    }
    return true;
}

static bool set_rates(struct fold *f, struct program *p)
{
    for (int part = PART_TILE; part <= PART_FLUSH; part++)
        for (uint32_t i = 0; part != PART_FIRST && i < p->length[part]; i++)
            if (!set_rate(f, p, &p->part[part][i], &p->going[part][i])) return false;
    return true;
}

static uint32_t depth_of(const struct fold *f, uint32_t object)
{
    return object < TMAP_PROTOCOL_BARRIERS ? f->barrier[object].depth
                                           : f->buffer[object - TMAP_PROTOCOL_BARRIERS].depth;
}

static bool exists(const struct fold *f, uint32_t object)
{
    return object < TMAP_PROTOCOL_BARRIERS ? object < f->barriers
                                           : object - TMAP_PROTOCOL_BARRIERS < f->buffers;
}

// Two objects are along one ring where some warp uses both, and all who do at one pace.
static bool along(const struct fold *f, uint32_t a, uint32_t b)
{
    bool both = false;
    if (depth_of(f, a) != depth_of(f, b)) return false;
    for (uint32_t i = 0; i < f->programs; i++) {
        const struct program *p = &f->program[i];
        if (!p->rate[a] || !p->rate[b]) continue;
        if (p->rate[a] != p->rate[b]) return false;
        both = true;
    }
    return both;
}

static bool make_rings(struct fold *f, uint8_t ring[MOST_OBJECTS])
{
    memset(ring, UINT8_MAX, MOST_OBJECTS);
    for (uint32_t a = 0; a < MOST_OBJECTS; a++) {
        if (f->left_out[a]) ring[a] = 0;
        if (!exists(f, a) || f->left_out[a]) continue;
        for (uint32_t pass = 0; pass < MOST_OBJECTS; pass++)
            for (uint32_t b = 0; b < a && ring[a] == UINT8_MAX; b++)
                if (exists(f, b) && !f->left_out[b] && along(f, a, b)) ring[a] = ring[b];
        if (ring[a] != UINT8_MAX) continue;
        if (f->out->ring_count == TMAP_PROTOCOL_RINGS)
            return fold_fail(f, 0, "more than %d rings", TMAP_PROTOCOL_RINGS);
        f->out->depth[f->out->ring_count] = (uint8_t)depth_of(f, a);
        ring[a] = f->out->ring_count++;
    }
    return true;
}

// --- steps

struct writer {
    struct fold *f;
    const uint8_t *ring;
    struct tmap_agent *agent;
    uint32_t open;                          // reads, in the middle of the block
    uint32_t advanced[TMAP_PROTOCOL_RINGS]; // in the beginning and at the end
    uint32_t ahead[TMAP_PROTOCOL_RINGS];    // of the first block or tile, where its place is
    bool refused;                           // what was put since says nothing
};

// The first reason stays.
static void refuse(struct writer *w, uint32_t line, const char *why)
{
    if (!w->refused) fold_fail(w->f, line, "%s", why);
    w->refused = true;
}

static void put(struct writer *w, enum tmap_part part, struct tmap_step step)
{
    struct tmap_protocol *p = w->f->out;
    if (p->step_count == TMAP_PROTOCOL_STEPS) {
        refuse(w, 0, "too many steps");
        return;
    }
    if (w->agent->count[part] == 0) w->agent->first[part] = p->step_count;
    w->agent->count[part]++;
    p->step[p->step_count++] = step;
}

// How far behind the warp's place in the ring the slot is; in the beginning and at the end the
// place goes on where it is before, in between it has gone as far as any slot (find_ahead).
static void put_back(struct writer *w, const struct program *p, enum tmap_part part,
                     const struct symbol *s, const struct going *g, struct tmap_step *step)
{
    uint8_t object[2];
    if (s->index < 0) return;
    objects_of(s, object);
    const uint8_t rate = p->rate[object[0]] ? p->rate[object[0]] : RATE_BLOCK;
    const uint8_t ring = w->ring[object[0]];
    int32_t ahead = rate == RATE_BLOCK ? g->by_block : g->by_tile;
    if (!(rate == RATE_BLOCK ? g->is_by_block : g->is_by_tile))
        refuse(w, s->line, "is not always as far along its ring");
    ahead -= (int32_t)w->advanced[ring];
    for (; ahead > 0; ahead--, w->advanced[ring]++)
        put(w, part, (struct tmap_step){.op = TMAP_STEP_ADVANCE, .x = ring});
    if (-ahead > TMAP_PROTOCOL_DEPTH) refuse(w, s->line, "is far behind its ring");
    step->back = (uint8_t)-ahead;
}

// The end of a read and the arrival that tells of it are one step.
static bool fuse(struct writer *w, enum tmap_part part, const struct tmap_step *arrive)
{
    struct tmap_protocol *p = w->f->out;
    if (w->agent->count[part] == 0) return false;
    struct tmap_step *done = &p->step[p->step_count - 1];
    if (done->op != TMAP_STEP_DONE || done->back != arrive->back ||
        p->buffer[done->x].ring != p->barrier[arrive->x].ring)
        return false;
    done->op = TMAP_STEP_RELEASE;
    done->y = arrive->x;
    done->ctas = arrive->ctas;
    return true;
}

// Not of a read that an earlier part has begun, which is open only if that part was gone through.
static bool ends_own_read(const struct program *p, enum fold_part from, uint32_t i)
{
    const struct symbol *s = &p->part[from][i];
    for (uint32_t k = 0; k < i; k++) {
        const struct symbol *o = &p->part[from][k];
        if (o->op == TMAP_STEP_READ && o->x == s->x && o->index == s->index) return true;
    }
    return false;
}

static void put_symbol(struct writer *w, const struct program *p, enum tmap_part part,
                       enum fold_part from, uint32_t i)
{
    const struct symbol *s = &p->part[from][i];
    const struct going *g = &p->going[from][i];
    const bool skipped = from == PART_BLOCK && p->skipped[i];
    struct tmap_step step = {
        .op = s->op, .x = s->x, .y = s->y, .ctas = s->ctas, .signal = s->signal, .bytes = s->bytes};
    put_back(w, p, part, s, g, &step);
    if (s->op == TMAP_STEP_READ) w->open++;
    if (s->op == TMAP_STEP_DONE) {
        const bool last = part == (w->f->rewrites ? TMAP_PART_END : TMAP_PART_FLUSH);
        if (skipped || (last && step.back && !ends_own_read(p, from, i)))
            step.when = (uint8_t)w->open;
        if (w->open) w->open--;
    }
    if (s->op != TMAP_STEP_ARRIVE && s->op != TMAP_STEP_EXPECT) {
        put(w, part, step);
        return;
    }
    const uint32_t each = w->f->each[s->x];
    uint32_t times = s->count * p->weight / each;
    // Every one of the arrivals that count as one expects as many. A warp's at once keep to the
    // range of a tx-count, and those of 64 warps to 32 bits.
    step.bytes *= each;
    if (s->op == TMAP_STEP_ARRIVE && fuse(w, part, &step)) times--;
    if (skipped && times) refuse(w, s->line, "arrives by itself, but in no first block of a tile");
    for (; times > 0 && !w->refused; times--) put(w, part, step);
}

static void put_advances(struct writer *w, const struct program *p, enum tmap_part part,
                         uint8_t rate)
{
    for (uint8_t r = 0; r < w->f->out->ring_count; r++) {
        bool goes = false;
        for (uint32_t o = 0; o < MOST_OBJECTS; o++)
            goes = goes || (w->ring[o] == r && p->rate[o] == rate);
        if (goes) put(w, part, (struct tmap_step){.op = TMAP_STEP_ADVANCE, .x = r});
    }
}

// Of new barriers every ring begins at its first slot.
static void put_restarts(struct writer *w, enum tmap_part part)
{
    for (uint8_t r = 0; r < w->f->out->ring_count; r++) {
        w->advanced[r] = 0;
        put(w, part, (struct tmap_step){.op = TMAP_STEP_RESTART, .x = r});
    }
}

static void put_part(struct writer *w, const struct program *p, enum fold_part from,
                     enum tmap_part part)
{
    for (uint32_t i = 0; i < p->length[from]; i++) {
        const struct symbol *s = &p->part[from][i];
        put_symbol(w, p, part, from, i);
        if (p->remakes && s->op == TMAP_STEP_INIT) put_restarts(w, part);
    }
}

// Where a warp fills slots before it comes to its loops, it is ahead of them ever after.
static void find_ahead(struct writer *w, const struct program *p)
{
    uint8_t object[2];
    for (int k = p->remakes ? PART_BLOCK : PART_TILE; k <= PART_FLUSH; k++)
        for (uint32_t i = 0; k != PART_FIRST && i < p->length[k]; i++) {
            const struct symbol *s = &p->part[k][i];
            if (s->index < 0) continue;
            objects_of(s, object);
            const struct going *g = &p->going[k][i];
            const int32_t base = p->rate[object[0]] == RATE_TILE ? g->by_tile : g->by_block;
            uint32_t *ahead = &w->ahead[w->ring[object[0]]];
            if (base > (int32_t)*ahead) *ahead = (uint32_t)base;
        }
}

static void put_ahead(struct writer *w, enum tmap_part part)
{
    for (uint8_t r = 0; r < w->f->out->ring_count; r++)
        for (; w->advanced[r] < w->ahead[r]; w->advanced[r]++)
            put(w, part, (struct tmap_step){.op = TMAP_STEP_ADVANCE, .x = r});
}

// In the middle of the block as many reads are open as the blocks before it have left.
static uint32_t open_before(const struct program *p)
{
    uint32_t reads = 0, ends = 0;
    for (uint32_t i = 0; i < p->length[PART_BLOCK]; i++) {
        if (p->skipped[i]) continue;
        reads += p->part[PART_BLOCK][i].op == TMAP_STEP_READ;
        ends += p->part[PART_BLOCK][i].op == TMAP_STEP_DONE;
    }
    return reads > ends ? reads - ends : 0;
}

static bool put_program(struct fold *f, const uint8_t *ring, const struct program *p)
{
    if (f->out->agent_count == TMAP_PROTOCOL_AGENTS)
        return fold_fail(f, 0, "more than %d agents", TMAP_PROTOCOL_AGENTS);
    struct writer w = {f, ring, &f->out->agent[f->out->agent_count++], 0, {0}, {0}, false};
    char *name = f->run[0]->name[f->run[0]->names++];
    if (p->weight > 1)
        snprintf(name, sizeof *f->run[0]->name, "warps %u-%u@%u", p->warp, p->last_warp, p->cta);
    else
        snprintf(name, sizeof *f->run[0]->name, "warp %u@%u", p->warp, p->cta);
    w.agent->name = name;
    w.agent->cta = p->cta;
    w.agent->every = p->every;
    w.agent->turn = p->turn;
    find_ahead(&w, p);
    put_part(&w, p, PART_START, TMAP_PART_START);
    if (!p->remakes) put_ahead(&w, TMAP_PART_START);
    put_part(&w, p, PART_TILE, TMAP_PART_TILE);
    if (p->remakes) put_ahead(&w, TMAP_PART_TILE);
    w.open = open_before(p);
    put_part(&w, p, PART_BLOCK, TMAP_PART_BLOCK);
    put_advances(&w, p, TMAP_PART_BLOCK, RATE_BLOCK);
    w.open = 1;
    put_part(&w, p, PART_FLUSH, TMAP_PART_FLUSH);
    put_advances(&w, p, TMAP_PART_FLUSH, RATE_TILE);
    put_part(&w, p, PART_END, TMAP_PART_END);
    return !w.refused;
}

// --- warps that act alike

// What an operation that a warp issues brings is its own: two who copy to a slot bring it twice.
static bool issues(const struct program *p)
{
    for (int k = 0; k < FOLD_PARTS; k++)
        for (uint32_t i = 0; i < p->length[k]; i++)
            if (p->part[k][i].op == TMAP_STEP_LOAD || p->part[k][i].op == TMAP_STEP_COMMIT)
                return true;
    return false;
}

static bool acts_alike(const struct program *a, const struct program *b)
{
    if (a->cta != b->cta || a->every != b->every || a->turn != b->turn || issues(a)) return false;
    if (memcmp(a->skipped, b->skipped, sizeof a->skipped) != 0) return false;
    for (int k = 0; k < FOLD_PARTS; k++) {
        if (a->length[k] != b->length[k]) return false;
        for (uint32_t i = 0; i < a->length[k]; i++)
            if (!same_symbol(&a->part[k][i], &b->part[k][i]) ||
                a->going[k][i].by_block != b->going[k][i].by_block)
                return false;
    }
    return true;
}

static void merge_alike(struct fold *f)
{
    for (uint32_t i = 0; i < f->programs; i++) {
        struct program *p = &f->program[i];
        for (uint32_t k = i + 1; k < f->programs;) {
            if (!acts_alike(p, &f->program[k])) {
                k++;
                continue;
            }
            p->weight = (uint16_t)(p->weight + f->program[k].weight);
            if (f->program[k].warp > p->last_warp) p->last_warp = f->program[k].warp;
            if (f->program[k].warp < p->warp) p->warp = f->program[k].warp;
            drop_program(f, k);
        }
    }
}

// How many arrivals at a barrier a symbol stands for.
static uint32_t arrivals_of(const struct program *p, const struct symbol *s, uint32_t barrier)
{
    if (s->op == TMAP_STEP_COMMIT) return s->y == barrier;
    const bool here = (s->op == TMAP_STEP_ARRIVE || s->op == TMAP_STEP_EXPECT) && s->x == barrier;
    return here ? s->count * p->weight : 0;
}

// What all arrivals at a barrier are a multiple of counts as one.
static void weigh_arrivals(struct fold *f)
{
    for (uint32_t b = 0; b < f->barriers; b++) {
        uint32_t each = 0;
        for (uint32_t i = 0; i < f->programs; i++) {
            const struct program *p = &f->program[i];
            for (int k = 0; k < FOLD_PARTS; k++)
                for (uint32_t n = 0; n < p->length[k]; n++)
                    each = (uint32_t)gcd(each, arrivals_of(p, &p->part[k][n], b));
        }
        each = (uint32_t)gcd(each, f->barrier[b].arrivals);
        f->each[b] = each;
        f->barrier[b].arrivals /= each;
    }
}

// --- meetings: of a CTA's warps, of the cluster's

static uint8_t sync_of(struct fold *f, uint16_t scope[TMAP_PROTOCOL_SYNCS], uint16_t wanted)
{
    for (uint8_t i = 0; i < f->out->sync_count; i++)
        if (scope[i] == wanted) return i;
    if (f->out->sync_count == TMAP_PROTOCOL_SYNCS) return UINT8_MAX;
    scope[f->out->sync_count] = wanted;
    return f->out->sync_count++;
}

// A meeting's scope: its barrier's number, and the CTA; of the cluster neither.
static uint16_t scope_of(const struct tmap_agent *g, const struct tmap_step *s)
{
    return s->x == UINT8_MAX ? UINT16_MAX : (uint16_t)(g->cta << 8 | s->x);
}

static bool name_syncs(struct fold *f)
{
    uint16_t scope[TMAP_PROTOCOL_SYNCS];
    for (uint32_t a = 0; a < f->out->agent_count; a++) {
        const struct tmap_agent *g = &f->out->agent[a];
        for (int k = 0; k < TMAP_PARTS; k++)
            for (unsigned i = 0; i < g->count[k]; i++) {
                struct tmap_step *s = &f->out->step[g->first[k] + i];
                if (s->op != TMAP_STEP_SYNC && s->op != TMAP_STEP_PASS) continue;
                s->x = sync_of(f, scope, scope_of(g, s));
                if (s->x == UINT8_MAX) return fold_fail(f, 0, "too many meetings");
                f->out->members[s->x] |= (uint16_t)(1u << a);
            }
    }
    return true;
}

// Whether CTAs of the cluster count other arrivals at the same place.
static bool is_of_some(const struct fold *f, uint32_t barrier)
{
    for (uint32_t i = 0; i < f->barriers; i++)
        if (i != barrier && f->barrier[i].at[0] == f->barrier[barrier].at[0]) return true;
    return false;
}

static void name_objects(struct fold *f, const uint8_t *ring)
{
    struct tmap_emulate_record *r = f->run[0];
    for (uint32_t i = 0; i < f->barriers; i++) {
        char *name = r->name[r->names++];
        const int n = snprintf(name, sizeof *r->name, "mbarrier_%x", f->barrier[i].at[0]);
        if (is_of_some(f, i))
            snprintf(name + n, sizeof *r->name - (size_t)n, "_ctas_%x", f->barrier[i].ctas);
        f->out->barrier[i] = (struct tmap_barrier){name, ring[i], (uint8_t)f->barrier[i].arrivals};
    }
    f->out->barrier_count = (uint8_t)f->barriers;
    for (uint32_t i = 0; i < f->buffers; i++) {
        char *name = r->name[r->names++];
        const char *what = f->space[i] == SPACE_TENSOR ? "columns" : f->group ? "staging" : "tile";
        snprintf(name, sizeof *r->name, "%s_%x", what, f->buffer[i].at[0]);
        f->out->buffer[i] = (struct tmap_buffer){name, ring[object_of_buffer(i)]};
    }
    f->out->buffer_count = (uint8_t)f->buffers;
}

static uint8_t ctas_of(const struct fold *f)
{
    uint8_t most = 1;
    for (uint32_t i = 0; i < f->programs; i++)
        if (f->program[i].cta >= most) most = (uint8_t)(f->program[i].cta + 1);
    return most;
}

bool fold_steps(struct fold *f)
{
    uint8_t ring[MOST_OBJECTS];
    f->out->started = f->group;
    f->out->stays = f->part == TMAP_EMULATE_RING;
    f->out->ctas = ctas_of(f);
    if (!follow_word(f) || (f->rewrites && !be_one_tile(f))) return false;
    if (!f->rewrites) merge_alike(f); // where one writes, its like may still read
    if (f->part == TMAP_EMULATE_RING && !keep_ring(f, f->number))
        return f->none = true, fold_fail(f, 0, "there is no ring %u", f->number);
    for (uint32_t i = 0; i < f->programs; i++)
        if (!set_rates(f, &f->program[i])) return false;
    weigh_arrivals(f);
    if (!make_rings(f, ring)) return false;
    name_objects(f, ring);
    for (uint32_t i = 0; i < f->programs; i++)
        if (!put_program(f, ring, &f->program[i])) return false;
    return name_syncs(f);
}
