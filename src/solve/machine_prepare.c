/* What a protocol has to be before it is explored, and what is counted of it once. */
#include "solve/machine.h"

#include "core/arith.h"

#include <string.h>

static uint8_t object_limit(const struct tmap_protocol *p, uint8_t op)
{
    switch (op) {
    case TMAP_STEP_WAIT:
    case TMAP_STEP_WAIT_FREE:
    case TMAP_STEP_ARRIVE:
    case TMAP_STEP_EXPECT:
        return p->barrier_count;
    case TMAP_STEP_SYNC:
    case TMAP_STEP_PASS:
        return p->sync_count;
    case TMAP_STEP_ADVANCE:
    case TMAP_STEP_RESTART:
        return p->ring_count;
    case TMAP_STEP_INIT:
    case TMAP_STEP_FENCE_INIT:
    case TMAP_STEP_FENCE:
    case TMAP_STEP_MARK:
    case TMAP_STEP_WAIT_READ:
        return UINT8_MAX;
    default:
        return p->buffer_count;
    }
}

static bool step_valid(const struct tmap_protocol *p, const struct tmap_step *t)
{
    const bool signals =
        t->op == TMAP_STEP_LOAD || t->op == TMAP_STEP_COMMIT || t->op == TMAP_STEP_RELEASE;
    if (t->op > TMAP_STEP_RESTART || t->signal > p->ctas || t->bytes > INT16_MAX * 256)
        return false;
    if (t->ctas >> p->ctas || t->back > TMAP_PROTOCOL_DEPTH) return false;
    if (signals && t->y >= p->barrier_count) return false;
    if (t->op == TMAP_STEP_COMMIT && t->x == UINT8_MAX) return true;
    return t->x < object_limit(p, t->op);
}

static bool sizes_valid(const struct tmap_protocol *p)
{
    if (p->ctas < 1 || p->ctas > TMAP_PROTOCOL_CTAS || p->agent_count > TMAP_PROTOCOL_AGENTS ||
        p->ring_count > TMAP_PROTOCOL_RINGS || p->barrier_count > TMAP_PROTOCOL_BARRIERS ||
        p->buffer_count > TMAP_PROTOCOL_BUFFERS || p->sync_count > TMAP_PROTOCOL_SYNCS ||
        p->step_count > TMAP_PROTOCOL_STEPS)
        return false;
    for (unsigned r = 0; r < p->ring_count; r++)
        if (p->depth[r] < 1 || p->depth[r] > TMAP_PROTOCOL_DEPTH) return false;
    for (unsigned b = 0; b < p->barrier_count; b++)
        if (p->barrier[b].ring >= p->ring_count || p->barrier[b].count == 0) return false;
    for (unsigned b = 0; b < p->buffer_count; b++)
        if (p->buffer[b].ring >= p->ring_count) return false;
    return true;
}

static bool turn_valid(const struct tmap_protocol *p, const struct tmap_agent *g)
{
    if (g->every < 2) return g->turn == 0;
    for (unsigned a = 0; a < p->agent_count; a++)
        if (p->agent[a].every > 1 && p->agent[a].every != g->every) return false;
    return p->tiles && g->every <= TMAP_PROTOCOL_AGENTS && g->turn < g->every;
}

static bool agents_valid(const struct tmap_protocol *p)
{
    for (unsigned a = 0; a < p->agent_count; a++) {
        if (p->agent[a].cta >= p->ctas || !turn_valid(p, &p->agent[a])) return false;
        for (unsigned k = 0; k < TMAP_PARTS; k++)
            if (p->agent[a].first[k] + p->agent[a].count[k] > p->step_count) return false;
    }
    for (unsigned i = 0; i < p->step_count; i++)
        if (!step_valid(p, &p->step[i])) return false;
    return true;
}

/* How often one part of an agent's program does `op` to one place in a buffer's ring. */
static unsigned uses(const struct tmap_protocol *p, const struct tmap_agent *a, unsigned part,
                     unsigned buffer, unsigned cta, bool fills)
{
    unsigned most = 0, gone = 0, at[TMAP_PROTOCOL_STEPS + TMAP_PROTOCOL_DEPTH + 1] = {0};
    for (unsigned i = 0; i < a->count[part]; i++) {
        const struct tmap_step *t = &p->step[a->first[part] + i];
        gone += t->op == TMAP_STEP_ADVANCE && t->x == p->buffer[buffer].ring;
        const bool fill = t->op == TMAP_STEP_LOAD || t->op == TMAP_STEP_WRITE;
        const bool drain = t->op == TMAP_STEP_READ || t->op == TMAP_STEP_STORE;
        if (!(fills ? fill : drain) || t->x != buffer) continue;
        if (!((t->ctas ? t->ctas : 1u << a->cta) >> cta & 1)) continue;
        unsigned *here = &at[TMAP_PROTOCOL_DEPTH + gone - t->back];
        if (++*here > most) most = *here;
    }
    return most;
}

/* How many copies or writes fill a slot, and how many reads or stores empty it: each agent does so
 * in one part of its program, or in one of several. Of those who take turns, the most in a turn. */
static unsigned count_uses(const struct tmap_protocol *p, unsigned buffer, unsigned cta, bool fills)
{
    unsigned sum = 0, in_turn = 0, of_turn[TMAP_PROTOCOL_AGENTS] = {0};
    for (unsigned a = 0; a < p->agent_count; a++) {
        unsigned most = 0, *of = p->agent[a].every > 1 ? &of_turn[p->agent[a].turn] : &sum;
        for (unsigned k = 0; k < TMAP_PARTS; k++) {
            const unsigned n = uses(p, &p->agent[a], k, buffer, cta, fills);
            if (n > most) most = n;
        }
        *of += most;
    }
    for (unsigned i = 0; i < TMAP_PROTOCOL_AGENTS; i++)
        if (of_turn[i] > in_turn) in_turn = of_turn[i];
    return sum + in_turn;
}

static bool same_syncs(const struct tmap_protocol *p, unsigned a, unsigned b)
{
    for (unsigned i = 0; i < p->sync_count; i++)
        if ((p->members[i] >> a & 1) != (p->members[i] >> b & 1)) return false;
    return true;
}

/* The rings whose slots a step means by its agent's place in them. */
static void note_rings(const struct tmap_protocol *p, const struct tmap_step *t, bool *uses)
{
    const bool signals =
        t->op == TMAP_STEP_LOAD || t->op == TMAP_STEP_COMMIT || t->op == TMAP_STEP_RELEASE;
    switch (t->op) {
    case TMAP_STEP_ADVANCE:
    case TMAP_STEP_RESTART:
        uses[t->x] = true;
        break;
    case TMAP_STEP_WAIT:
    case TMAP_STEP_WAIT_FREE:
    case TMAP_STEP_ARRIVE:
    case TMAP_STEP_EXPECT:
        uses[p->barrier[t->x].ring] = true;
        break;
    default:
        if (signals) uses[p->barrier[t->y].ring] = true;
        if (t->x < p->buffer_count && object_limit(p, t->op) == p->buffer_count)
            uses[p->buffer[t->x].ring] = true;
    }
}

/* Agents with one program in one CTA are interchangeable when nothing names them. */
static void group_agents(struct machine *m)
{
    const struct tmap_protocol *p = m->p;
    uint16_t named = 0;
    for (unsigned a = 0; a < p->agent_count; a++) {
        m->alike[a] = (uint8_t)a;
        for (unsigned k = 0; k < TMAP_PARTS; k++)
            for (unsigned i = 0; i < p->agent[a].count[k]; i++)
                if (p->step[p->agent[a].first[k] + i].op == TMAP_STEP_WRITE)
                    named |= (uint16_t)(1u << a);
    }
    for (unsigned a = 0; a < p->agent_count; a++)
        for (unsigned k = 0; k < TMAP_PARTS; k++)
            for (unsigned i = 0; i < p->agent[a].count[k]; i++)
                note_rings(p, &p->step[p->agent[a].first[k] + i], m->uses_ring[a]);
    for (unsigned a = 1; a < p->agent_count; a++)
        if (!(named >> a & 1) && !(named >> (a - 1) & 1) && same_syncs(p, a, a - 1) &&
            p->agent[a].cta == p->agent[a - 1].cta && p->agent[a].every == p->agent[a - 1].every &&
            p->agent[a].turn == p->agent[a - 1].turn &&
            memcmp(p->agent[a].first, p->agent[a - 1].first, sizeof p->agent[a].first) == 0 &&
            memcmp(p->agent[a].count, p->agent[a - 1].count, sizeof p->agent[a].count) == 0)
            m->alike[a] = m->alike[a - 1];
}

/* How often a slot is filled and read: false where that is more than a state counts. */
static bool count_parts(struct machine *m)
{
    const struct tmap_protocol *p = m->p;
    for (unsigned b = 0; b < p->buffer_count; b++)
        for (unsigned c = 0; c < p->ctas; c++) {
            const unsigned parts = count_uses(p, b, c, true), readers = count_uses(p, b, c, false);
            if (parts > UINT8_MAX || readers > UINT8_MAX) return false;
            m->parts[b][c] = (uint8_t)parts;
            m->readers[b][c] = (uint8_t)readers;
            m->wide = m->wide || parts > MACHINE_MOST || readers > MACHINE_READING;
        }
    for (unsigned a = 0; a < p->agent_count; a++)
        for (unsigned k = 0; k < TMAP_PARTS; k++)
            m->wide = m->wide || p->agent[a].count[k] > MACHINE_STEPS;
    for (unsigned b = 0; b < p->barrier_count; b++)
        m->wide = m->wide || p->barrier[b].count > MACHINE_STEPS;
    return true;
}

/* Whether a CTA's barriers may be initialised more than once, or rings gone along from the start.
 */
static bool remakes(const struct tmap_protocol *p)
{
    unsigned times[TMAP_PROTOCOL_CTAS] = {0};
    for (unsigned a = 0; a < p->agent_count; a++)
        for (unsigned k = 0; k < TMAP_PARTS; k++)
            for (unsigned i = 0; i < p->agent[a].count[k]; i++) {
                const uint8_t op = p->step[p->agent[a].first[k] + i].op;
                if (op == TMAP_STEP_RESTART) return true;
                if (op != TMAP_STEP_INIT) continue;
                const bool once = k == TMAP_PART_START || k == TMAP_PART_END;
                if (!once || p->started || times[p->agent[a].cta]++) return true;
            }
    return false;
}

bool machine_prepare(struct machine *m, const struct tmap_protocol *p)
{
    memset(m, 0, sizeof *m);
    m->p = p;
    if (!sizes_valid(p) || !agents_valid(p)) return false;
    for (unsigned i = 0; i < p->step_count; i++)
        if (p->step[i].op == TMAP_STEP_LOAD || p->step[i].op == TMAP_STEP_EXPECT)
            m->unit = (int32_t)gcd((uint32_t)m->unit, p->step[i].bytes);
    if (m->unit == 0) m->unit = 1;
    for (unsigned i = 0; i < p->step_count; i++) {
        m->writes = m->writes || p->step[i].op == TMAP_STEP_WRITE;
        if (p->step[i].op == TMAP_STEP_PASS) m->passed |= (uint8_t)(1u << p->step[i].x);
    }
    for (unsigned i = 0; i < p->step_count; i++)
        if (p->step[i].bytes / (uint32_t)m->unit > INT16_MAX / 2) return false;
    if (!count_parts(m)) return false;
    for (unsigned a = 0; a < p->agent_count; a++)
        m->minds_ends[a] = p->agent[a].count[TMAP_PART_TILE] ||
                           p->agent[a].count[TMAP_PART_FLUSH] || p->agent[a].every > 1;
    m->remakes = remakes(p);
    machine_pace(m);
    machine_await(m);
    m->idle_blocks = true;
    for (unsigned a = 0; a < p->agent_count; a++)
        if (p->agent[a].count[TMAP_PART_BLOCK]) m->idle_blocks = false;
    group_agents(m);
    return true;
}
