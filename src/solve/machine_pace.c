/* Which barriers keep pace: none completes a second time before everybody who waits for the first
 * has passed. It is so for a pair of a ring's barriers, `full` and `empty`, when whoever arrives at
 * full waits for empty first, whoever arrives at empty waits for full first, and each phase needs
 * all of them: then a phase of one needs everybody's pass of the other. Only plain shapes are
 * recognised; what is not is explored without running ahead. And which buffers nobody reads before
 * the phase of their copies: of others each copy lands by itself. */
#include "solve/machine.h"

struct program {
    const struct tmap_protocol *p;
    const struct tmap_agent *a;
};

static const struct tmap_step *step_at(const struct program *g, unsigned part, unsigned i)
{
    return &g->p->step[g->a->first[part] + i];
}

static bool arrives(const struct tmap_step *t, unsigned barrier)
{
    if (t->op == TMAP_STEP_ARRIVE || t->op == TMAP_STEP_EXPECT) return t->x == barrier;
    return (t->op == TMAP_STEP_RELEASE || t->op == TMAP_STEP_COMMIT) && t->y == barrier;
}

static bool always(const struct tmap_step *t)
{
    return t->when == 0 && t->back == 0;
}

static unsigned arrivals(const struct program *g, unsigned part, unsigned barrier)
{
    unsigned n = 0;
    for (unsigned i = 0; i < g->a->count[part]; i++) n += arrives(step_at(g, part, i), barrier);
    return n;
}

/* Where the only wait of that kind on the barrier stands in the block, made always; -1: not so. */
static int waits_at(const struct program *g, uint8_t op, unsigned barrier)
{
    int at = -1;
    for (unsigned k = 0; k < TMAP_PARTS; k++)
        for (unsigned i = 0; i < g->a->count[k]; i++) {
            const struct tmap_step *t = step_at(g, k, i);
            const bool free = t->op == TMAP_STEP_WAIT_FREE;
            if ((!free && t->op != TMAP_STEP_WAIT) || t->x != barrier) continue;
            if (free && k == TMAP_PART_END && op == t->op) continue; /* draining */
            if (k != TMAP_PART_BLOCK || t->op != op || !always(t) || at >= 0) return -1;
            at = (int)i;
        }
    return at;
}

/* A block goes on by one slot, at its end; nothing else moves along the ring until the end. */
static bool advances_once(const struct program *g, unsigned ring)
{
    const unsigned n = g->a->count[TMAP_PART_BLOCK];
    for (unsigned k = 0; k < TMAP_PART_END; k++)
        for (unsigned i = 0; i < g->a->count[k]; i++) {
            const struct tmap_step *t = step_at(g, k, i);
            const bool last = k == TMAP_PART_BLOCK && i + 1 == n;
            if ((t->op == TMAP_STEP_ADVANCE && t->x == ring) != last) return false;
            if (last && !always(t)) return false;
        }
    return n > 0;
}

/* One arrival in every block, behind the wait. */
static bool arrives_once(const struct program *g, unsigned barrier, int behind)
{
    for (unsigned k = 0; k < TMAP_PARTS; k++)
        if (arrivals(g, k, barrier) != (k == TMAP_PART_BLOCK)) return false;
    for (int i = behind + 1; i < g->a->count[TMAP_PART_BLOCK]; i++)
        if (arrives(step_at(g, TMAP_PART_BLOCK, (unsigned)i), barrier))
            return always(step_at(g, TMAP_PART_BLOCK, (unsigned)i));
    return false;
}

/* Wait, read, release of the slot before, advance; and at the end of a tile release of the last. */
static bool arrives_a_block_late(const struct program *g, unsigned barrier, int behind)
{
    static const uint8_t shape[] = {TMAP_STEP_WAIT, TMAP_STEP_READ, TMAP_STEP_RELEASE,
                                    TMAP_STEP_ADVANCE};
    if (behind != 0 || g->a->count[TMAP_PART_BLOCK] != 4 || g->a->count[TMAP_PART_FLUSH] != 1 ||
        g->a->count[TMAP_PART_TILE] != 0 || g->a->count[TMAP_PART_END] != 0)
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (step_at(g, TMAP_PART_BLOCK, i)->op != shape[i]) return false;
    const struct tmap_step *read = step_at(g, TMAP_PART_BLOCK, 1);
    const struct tmap_step *late = step_at(g, TMAP_PART_BLOCK, 2);
    const struct tmap_step *last = step_at(g, TMAP_PART_FLUSH, 0);
    return g->p->tiles && always(read) && arrives(late, barrier) && arrives(last, barrier) &&
           last->op == TMAP_STEP_RELEASE && late->back == 1 && late->when == 2 && last->back == 1 &&
           last->when == 1 && late->ctas == last->ctas && late->x == last->x && late->x == read->x;
}

/* The CTAs where one arrives who does so once in each block. */
static unsigned reaches(const struct program *g, unsigned barrier)
{
    const struct tmap_step *t = step_at(g, TMAP_PART_BLOCK, 0);
    while (!arrives(t, barrier)) t++;
    return t->ctas ? t->ctas : 1u << g->a->cta;
}

/* Whether whoever arrives at `at` waits for `first` before, by op, and just as many arrive in each
 * CTA as a phase there counts; whoever waits for `first` arrives. */
static bool needs_all(const struct tmap_protocol *p, unsigned at, unsigned first, uint8_t op)
{
    unsigned sum[TMAP_PROTOCOL_CTAS] = {0};
    for (unsigned a = 0; a < p->agent_count; a++) {
        const struct program g = {p, &p->agent[a]};
        const int behind = waits_at(&g, op, first);
        bool any = false, waits = false;
        for (unsigned k = 0; k < TMAP_PARTS; k++) {
            any = any || arrivals(&g, k, at);
            for (unsigned i = 0; i < g.a->count[k]; i++) {
                const struct tmap_step *t = step_at(&g, k, i);
                waits = waits || ((t->op == TMAP_STEP_WAIT || t->op == TMAP_STEP_WAIT_FREE) &&
                                  t->x == first);
            }
        }
        if (!any && !waits) continue;
        if (p->agent[a].every > 1) return false;
        if (behind < 0 || !advances_once(&g, p->barrier[at].ring)) return false;
        if (!arrives_once(&g, at, behind) && !arrives_a_block_late(&g, at, behind)) return false;
        for (unsigned c = 0; c < p->ctas; c++) sum[c] += reaches(&g, at) >> c & 1;
    }
    for (unsigned c = 0; c < p->ctas; c++)
        if (sum[c] && sum[c] != p->barrier[at].count) return false;
    return true;
}

/* Barriers are initialised at the start alone. */
static bool stays_initialised(const struct tmap_protocol *p)
{
    for (unsigned a = 0; a < p->agent_count; a++)
        for (unsigned k = TMAP_PART_START + 1; k < TMAP_PARTS; k++)
            for (unsigned i = 0; i < p->agent[a].count[k]; i++)
                if (p->step[p->agent[a].first[k] + i].op <= TMAP_STEP_FENCE_INIT) return false;
    return true;
}

void machine_pace(struct machine *m)
{
    const struct tmap_protocol *p = m->p;
    if (!stays_initialised(p)) return;
    for (unsigned full = 0; full < p->barrier_count; full++)
        for (unsigned empty = 0; empty < p->barrier_count; empty++) {
            if (full == empty || p->barrier[full].ring != p->barrier[empty].ring) continue;
            if (!needs_all(p, full, empty, TMAP_STEP_WAIT_FREE) ||
                !needs_all(p, empty, full, TMAP_STEP_WAIT))
                continue;
            m->paced[full] = m->paced[empty] = true;
        }
}

/* Whether the phases that the wait is for are those of all copies that the read is of. */
static bool is_of_copies(const struct tmap_protocol *p, const struct tmap_agent *reader,
                         const struct tmap_step *wait, const struct tmap_step *read)
{
    const unsigned from = read->ctas ? read->ctas : 1u << reader->cta;
    for (unsigned a = 0; a < p->agent_count; a++)
        for (unsigned k = 0; k < TMAP_PARTS; k++)
            for (unsigned i = 0; i < p->agent[a].count[k]; i++) {
                const struct tmap_step *t = &p->step[p->agent[a].first[k] + i];
                if (t->op != TMAP_STEP_LOAD || t->x != read->x) continue;
                const unsigned to = (t->ctas ? t->ctas : 1u << p->agent[a].cta) & from;
                if (t->y != wait->x || p->barrier[t->y].ring != p->buffer[t->x].ring) return false;
                if (t->signal ? to && t->signal != reader->cta + 1 : to & ~(1u << reader->cta))
                    return false;
            }
    return true;
}

/* Whether a wait for its copies stands before the read, in the same part and of the same slot. */
static bool awaits_copies(const struct program *g, unsigned part, unsigned at)
{
    const struct tmap_step *read = step_at(g, part, at);
    for (unsigned i = at; i-- > 0;) {
        const struct tmap_step *t = step_at(g, part, i);
        if (t->op == TMAP_STEP_ADVANCE || t->op == TMAP_STEP_RESTART) return false;
        if (t->op == TMAP_STEP_WAIT && t->when == 0 && t->back == read->back &&
            is_of_copies(g->p, g->a, t, read))
            return true;
    }
    return false;
}

void machine_await(struct machine *m)
{
    for (unsigned b = 0; b < m->p->buffer_count; b++) m->awaited[b] = true;
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        const struct program g = {m->p, &m->p->agent[a]};
        for (unsigned k = 0; k < TMAP_PARTS; k++)
            for (unsigned i = 0; i < g.a->count[k]; i++) {
                const struct tmap_step *t = step_at(&g, k, i);
                if (t->op != TMAP_STEP_READ && t->op != TMAP_STEP_STORE) continue;
                m->awaited[t->x] = m->awaited[t->x] && awaits_copies(&g, k, i);
            }
    }
}
