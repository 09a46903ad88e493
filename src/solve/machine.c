/* The automaton: the word's letters, and the moves possible in a state. */
#include "solve/machine.h"

#include "solve/clocks.h"

#include <stdio.h>
#include <string.h>

#define WINDOW_AHEAD 10 /* letters, beyond which choices of the word wait for others */

void machine_start(const struct machine *m, struct machine_state *s)
{
    memset(s, 0, sizeof *s);
    s->last_letter = TMAP_PART_START;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (m->p->agent[a].every > 1) s->agent[a].tile = (uint8_t)(m->p->agent[a].every - 1);
    for (unsigned c = 0; c < m->p->ctas; c++) s->init[c] = m->p->started ? 2 : 0;
    for (unsigned b = 0; b < m->p->barrier_count; b++)
        for (unsigned c = 0; c < m->p->ctas; c++)
            for (unsigned k = 0; k < m->p->depth[m->p->barrier[b].ring]; k++)
                s->barrier[b][c][k].pending = m->p->barrier[b].count;
}

bool machine_finished(const struct machine *m, const struct machine_state *s)
{
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (s->agent[a].part != TMAP_PARTS) return false;
    return true;
}

/* The letters that may follow: a block, the last block of a tile, or the end. Who does nothing at
 * the ends of tiles leaves it open which blocks are the last. Nobody asks behind the end: who is
 * not in it has it before him. */
static unsigned followers(const struct machine *m, unsigned agent, unsigned last)
{
    const unsigned block = 1u << TMAP_PART_BLOCK, end = 1u << TMAP_PART_END;
    const unsigned one =
        m->minds_ends[agent] || m->plain ? block | 1u << TMAP_PART_FLUSH : 1u << LETTER_LATER;
    if (!m->p->tiles) return block | end;
    return one | (last == TMAP_PART_BLOCK ? 0 : end);
}

/* Whether the agent has to know now whether its block is the last of the tile. */
static bool decides(const struct machine_agent *a)
{
    return a->part == TMAP_PART_BLOCK && a->letter == LETTER_LATER;
}

static bool has_blocks(const struct machine *m, unsigned agent)
{
    return m->p->agent[agent].count[TMAP_PART_BLOCK] || m->idle_blocks;
}

/* In a tile that is another's it only goes along its rings. */
static bool passes_over(const struct machine *m, const struct machine_state *s, unsigned agent,
                        const struct tmap_step *t)
{
    const struct tmap_agent *g = &m->p->agent[agent];
    const struct machine_agent *a = &s->agent[agent];
    return g->every > 1 && a->part != TMAP_PART_START && a->part < TMAP_PART_END &&
           a->tile != g->turn && t->op != TMAP_STEP_ADVANCE;
}

bool machine_skips(const struct machine *m, const struct machine_state *s, unsigned agent,
                   const struct tmap_step *t)
{
    return (t->when && s->agent[agent].open < t->when) || passes_over(m, s, agent, t);
}

/* Whether the agent's letter has another part after the present one. */
static bool in_letter(const struct machine_agent *a)
{
    return a->part == TMAP_PART_TILE ||
           (a->part == TMAP_PART_BLOCK && a->letter == TMAP_PART_FLUSH);
}

/* An agent with nothing to do in a block leaves the choice of blocks to those who have, where one
 * of them can make it first: it would change nothing that this agent sees. Else it chooses, of a
 * tile that they have not begun one block at most before the last: how many more there are they may
 * still say. One with nothing to do in the word at all only awaits its end. */
static bool may_choose(const struct machine *m, const struct machine_state *s, unsigned agent,
                       unsigned letter)
{
    if (letter == TMAP_PART_END || has_blocks(m, agent)) return true;
    if (!m->minds_ends[agent]) return false;
    if (letter == TMAP_PART_BLOCK && s->last_letter == TMAP_PART_BLOCK && s->window_count)
        return false;
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        const struct machine_agent *g = &s->agent[a]; /* not at its end: the word has none */
        if (has_blocks(m, a) && g->pc >= m->p->agent[a].count[g->part]) return false;
    }
    return true;
}

/* In a settled state: an agent has taken what letters there are. */
static size_t agent_moves(struct machine *m, const struct machine_state *s, unsigned agent,
                          struct machine_move *out)
{
    const struct machine_agent *a = &s->agent[agent];
    size_t n = 0;
    if (a->part == TMAP_PARTS) return 0;
    const bool ended = a->pc >= m->p->agent[agent].count[a->part];
    if (ended && decides(a)) {
        out[0] = (struct machine_move){EVENT_AGENT, (uint8_t)agent, 0, TMAP_PART_BLOCK};
        out[1] = (struct machine_move){EVENT_AGENT, (uint8_t)agent, 0, TMAP_PART_FLUSH};
        return 2;
    }
    if (!ended || a->part == TMAP_PART_END) {
        out[0] = (struct machine_move){EVENT_AGENT, (uint8_t)agent, 0, TMAP_PARTS};
        return 1;
    }
    if (s->window_count == MACHINE_WINDOW) {
        m->truncated = true;
        return 0;
    }
    const unsigned next = followers(m, agent, s->last_letter);
    for (unsigned letter = 0; letter < TMAP_PARTS; letter++)
        if ((next >> letter & 1) && may_choose(m, s, agent, letter))
            out[n++] = (struct machine_move){EVENT_AGENT, (uint8_t)agent, 0, (uint8_t)letter};
    return n;
}

/* A choice of the word by one agent hinders nobody and is hindered by nobody, whenever it is made:
 * where there is one, it is made before all else, unless somebody is far behind. Who may only end
 * the word does not choose here: that would leave out every longer one. */
size_t machine_choices(struct machine *m, const struct machine_state *s, struct machine_move *out)
{
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        const struct machine_agent *g = &s->agent[a];
        if (g->part >= TMAP_PART_END || g->pc < m->p->agent[a].count[g->part]) continue;
        if (!has_blocks(m, a)) continue;
        const size_t n = agent_moves(m, s, a, out);
        if (n) return n;
    }
    return 0;
}

size_t machine_moves(struct machine *m, const struct machine_state *s, struct machine_move *out)
{
    size_t n = m->plain || s->window_count >= WINDOW_AHEAD ? 0 : machine_choices(m, s, out);
    if (n) return n;
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        for (unsigned c = 0; c < m->p->ctas; c++) {
            if (!s->agent[a].loads[c]) continue;
            const struct flying *f = &s->agent[a].load[c][0];
            const struct tmap_step *t = &m->p->step[f->step];
            const struct machine_barrier *b =
                &s->barrier[t->y][t->signal ? t->signal - 1u : c][f->at];
            out[n++] = (struct machine_move){EVENT_LAND, (uint8_t)a, (uint8_t)c, 0};
            if (b->pending == 0 && b->tx > 0 && b->tx < f->left)
                out[n++] = (struct machine_move){EVENT_PART, (uint8_t)a, (uint8_t)c, 0};
        }
        if (s->agent[a].stores) out[n++] = (struct machine_move){EVENT_STORE, (uint8_t)a, 0, 0};
        if (s->agent[a].commits) out[n++] = (struct machine_move){EVENT_COMMIT, (uint8_t)a, 0, 0};
    }
    for (unsigned a = 0; a < m->p->agent_count; a++) n += agent_moves(m, s, a, out + n);
    return n;
}

void machine_leave(struct machine *m, struct machine_state *s, unsigned agent)
{
    struct machine_agent *a = &s->agent[agent];
    machine_names(m, agent, false, "");
    machine_trace(m, "        leaves\n");
    if (a->stores)
        machine_fail(m, TMAP_HAZARD_UNWAITED_STORE, "%s leaves while its store still reads",
                     m->p->agent[agent].name);
    clocks_leave(m, agent);
    memset(a->position, 0, sizeof a->position);
    a->part = TMAP_PARTS;
    a->pc = a->open = a->letter = a->tile = 0;
}

/* Whether somebody will still do something in letter i of the window. */
static bool letter_needed(const struct machine *m, const struct machine_state *s, unsigned i)
{
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        if (s->agent[a].letter == LETTER_LATER && s->agent[a].offset == i + 1) return true;
        if (s->agent[a].part == TMAP_PARTS || s->agent[a].offset > i) continue;
        if (s->window[i] != TMAP_PART_BLOCK || m->p->agent[a].count[TMAP_PART_BLOCK]) return true;
    }
    return false;
}

/* Drops the letters that everybody has taken, and the blocks left only to agents that do nothing in
 * a block: of a long tile they see the last block alone. */
void machine_drop(const struct machine *m, struct machine_state *s)
{
    unsigned kept = 0;
    uint8_t passed[MACHINE_WINDOW + 1] = {0}; /* letters kept among the first n */
    for (unsigned i = 0; i < s->window_count; i++) {
        if (letter_needed(m, s, i)) s->window[kept++] = s->window[i];
        passed[i + 1] = (uint8_t)kept;
    }
    memset(s->window + kept, 0, MACHINE_WINDOW - kept);
    s->window_count = (uint8_t)kept;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        s->agent[a].offset = s->agent[a].part == TMAP_PARTS ? 0 : passed[s->agent[a].offset];
}

static void begin_tile(const struct machine *m, struct machine_state *s, unsigned agent)
{
    const uint8_t every = m->p->agent[agent].every;
    if (every > 1) s->agent[agent].tile = (uint8_t)((s->agent[agent].tile + 1) % every);
}

/* Takes letters of the window until there is something to do. False when nothing changed. */
bool machine_take(const struct machine *m, struct machine_state *s, unsigned agent)
{
    struct machine_agent *a = &s->agent[agent];
    bool moved = false;
    while (a->part < TMAP_PART_END && a->pc >= m->p->agent[agent].count[a->part]) {
        if (in_letter(a)) {
            a->part++; /* tile, block, flush */
        } else {
            if (a->offset == s->window_count || decides(a)) break;
            const bool fresh = m->p->tiles && m->minds_ends[agent] && a->letter != TMAP_PART_BLOCK;
            a->letter = s->window[a->offset++];
            if (!m->minds_ends[agent] && a->letter != TMAP_PART_END) a->letter = TMAP_PART_BLOCK;
            a->part = a->letter == TMAP_PART_END ? TMAP_PART_END
                      : fresh                    ? TMAP_PART_TILE
                                                 : TMAP_PART_BLOCK;
            if (a->part == TMAP_PART_TILE) begin_tile(m, s, agent);
        }
        a->pc = 0;
        moved = true;
    }
    return moved;
}

static bool meets(const struct tmap_step *t)
{
    return t->op == TMAP_STEP_SYNC || t->op == TMAP_STEP_PASS;
}

/* Where nobody goes on before all are there, an arrival can as well come first: nobody arrives a
 * second time. */
static bool is_settled(const struct machine *m, const struct tmap_step *t)
{
    return !(m->passed >> t->x & 1);
}

/* What lets others go on. */
static bool tells(const struct tmap_step *t)
{
    return t->op == TMAP_STEP_ARRIVE || t->op == TMAP_STEP_EXPECT || t->op == TMAP_STEP_RELEASE;
}

/* What others may miss who go on before it: the end of a read, bytes, a fence. */
static bool is_missed(const struct tmap_step *t)
{
    return t->op == TMAP_STEP_DONE || t->op == TMAP_STEP_RELEASE || t->op == TMAP_STEP_WRITE ||
           t->op == TMAP_STEP_FENCE || t->op == TMAP_STEP_FENCE_INIT;
}

/* Runs the agent to its next visible point: before a wait, after a copy, read, write or store, and
 * between an arrival and what whoever waits for it may have to find done. */
static bool run_block(struct machine *m, struct machine_state *s, unsigned agent)
{
    struct machine_agent *a = &s->agent[agent];
    const uint8_t from = a->pc;
    bool moved = false, stopped = false, told = false;
    while (a->pc < m->p->agent[agent].count[a->part] && !m->fault) {
        const struct tmap_step *t = &m->p->step[m->p->agent[agent].first[a->part] + a->pc];
        if (stopped && t->op != TMAP_STEP_ADVANCE) break;
        if (!machine_skips(m, s, agent, t)) {
            if (told && is_missed(t)) break;
            if (meets(t) && (moved || is_settled(m, t) || machine_awaits(s, agent, t))) break;
            if (moved && t->op == TMAP_STEP_INIT && s->init[m->p->agent[agent].cta] == 2) break;
            const enum machine_outcome got = machine_step(m, s, agent, t, !moved);
            if (t->op == TMAP_STEP_SYNC && got == STEP_STOP) return true; /* it waits */
            if (got == STEP_BLOCKED) break;
            moved = true;
            told = told || tells(t);
            stopped = stopped || got == STEP_STOP || meets(t);
        }
        a->pc++;
    }
    return moved || a->pc != from;
}

/* What the block is that is letter i - 1 of the window, for all who are in it. */
static void settle_letter(const struct machine *m, struct machine_state *s, unsigned i,
                          uint8_t letter)
{
    s->window[i - 1] = letter;
    if (i == s->window_count) s->last_letter = letter;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        if (s->agent[a].letter == LETTER_LATER && s->agent[a].offset == i)
            s->agent[a].letter = letter;
}

/* The word goes on; where it ends, the block before was the last of its tile. */
static void add_letter(const struct machine *m, struct machine_state *s, uint8_t letter)
{
    const unsigned n = s->window_count;
    if (letter == TMAP_PART_END && n && s->window[n - 1] == LETTER_LATER)
        settle_letter(m, s, n, TMAP_PART_FLUSH);
    s->window[n] = s->last_letter = letter;
    s->window_count++;
}

void machine_choose(const struct machine *m, struct machine_state *s, struct machine_move move)
{
    if (decides(&s->agent[move.agent]))
        settle_letter(m, s, s->agent[move.agent].offset, move.letter);
    else
        add_letter(m, s, move.letter);
}

static bool apply_agent(struct machine *m, struct machine_state *s, struct machine_move move)
{
    bool taken = move.letter < TMAP_PARTS;
    if (taken) machine_choose(m, s, move);
    machine_take(m, s, move.agent);
    if (taken && !m->plain) return true; /* the choice alone is nobody else's concern */
    const bool ran = run_block(m, s, move.agent);
    struct machine_agent *a = &s->agent[move.agent];
    if (!m->fault && a->part == TMAP_PART_END && a->pc >= m->p->agent[move.agent].count[a->part]) {
        machine_leave(m, s, move.agent);
        taken = true;
    }
    return taken || ran;
}

/* Whether the oldest copy of an agent to a CTA may as well land now: others of its phase are still
 * under way, one of them to the same CTA, which may not leave before, and exactly what they bring
 * is expected; and who reads what is copied waits for the phase. So nobody can tell. */
static bool lands_unseen(const struct machine *m, const struct machine_state *s, unsigned agent,
                         unsigned cta)
{
    const struct flying *f = &s->agent[agent].load[cta][0];
    const struct tmap_step *t = &m->p->step[f->step];
    const unsigned home = t->signal ? t->signal - 1u : cta;
    const struct machine_barrier *b = &s->barrier[t->y][home][f->at];
    int32_t others = 0;
    bool beside = m->p->stays;
    if (!m->awaited[t->x]) return false;
    for (unsigned a = 0; a < m->p->agent_count; a++)
        for (unsigned c = 0; c < m->p->ctas; c++)
            for (unsigned i = 0; i < s->agent[a].loads[c]; i++) {
                const struct flying *g = &s->agent[a].load[c][i];
                const struct tmap_step *u = &m->p->step[g->step];
                if (g != f && u->y == t->y && g->at == f->at &&
                    (u->signal ? u->signal - 1u : c) == home) {
                    others += g->left;
                    beside = beside || c == cta;
                }
            }
    return others > 0 && beside && b->tx == f->left + others;
}

/* What a passed wait may be followed by at once. A copy that is issued lands whenever it likes, and
 * so does a commit: issuing early leaves every later interleaving possible. A read that begins as
 * soon as it may holds its slot longest, and a slot that is filled before a read begins is a fault
 * as much as one that is filled meanwhile; its end is a move of its own. Filling that begins early
 * meets every read that it could meet later. */
static bool follows_at_once(const struct machine *m, const struct tmap_step *t)
{
    return (t->op == TMAP_STEP_EXPECT && m->paced[t->x]) || t->op == TMAP_STEP_LOAD ||
           t->op == TMAP_STEP_READ || t->op == TMAP_STEP_COMMIT || t->op == TMAP_STEP_MARK ||
           t->op == TMAP_STEP_BEGIN || t->op == TMAP_STEP_ADVANCE;
}

/* A wait that passes, and what follows it. The wait alone is not made: what comes next may depend
 * on when. */
static bool run_ahead(struct machine *m, struct machine_state *s, unsigned agent)
{
    struct machine_agent *a = &s->agent[agent];
    const struct tmap_agent *g = &m->p->agent[agent];
    const struct tmap_step *t = &m->p->step[g->first[a->part] + a->pc];
    if ((t->op != TMAP_STEP_WAIT && t->op != TMAP_STEP_WAIT_FREE) ||
        machine_skips(m, s, agent, t) || !m->paced[t->x])
        return false;
    if (a->pc + 1 >= g->count[a->part] || !follows_at_once(m, &t[1])) return false;
    if (machine_step(m, s, agent, t, true) != STEP_GO) return m->fault != TMAP_HAZARD_NONE;
    bool gave = false; /* what comes after its own arrival has no claim on the slot */
    for (a->pc++, t++; a->pc < g->count[a->part] && follows_at_once(m, t); a->pc++, t++) {
        if (machine_skips(m, s, agent, t)) continue;
        if (gave && t->op != TMAP_STEP_ADVANCE) break;
        gave = gave || t->op == TMAP_STEP_COMMIT;
        if (machine_step(m, s, agent, t, true) == STEP_BLOCKED || m->fault) break;
    }
    return true;
}

/* Moves that change nothing for anybody else are made at once, in a fixed order: an arrival at a
 * named barrier, letters taken, copies that land unseen, and what a passed wait is followed by. Any
 * interleaving has an equal one in which they come first. */
static bool settle_unseen(struct machine *m, struct machine_state *s)
{
    for (unsigned a = 0; a < m->p->agent_count; a++) {
        struct machine_agent *g = &s->agent[a];
        for (unsigned c = 0; c < m->p->ctas; c++)
            if (g->loads[c] && lands_unseen(m, s, a, c)) {
                machine_land(m, s, a, c, true);
                return true;
            }
        if (machine_take(m, s, a)) return true;
        if (g->part == TMAP_PARTS || g->pc >= m->p->agent[a].count[g->part]) continue;
        if (!m->plain && run_ahead(m, s, a)) return true;
        const struct tmap_step *t = &m->p->step[m->p->agent[a].first[g->part] + g->pc];
        const bool over = passes_over(m, s, a, t);
        if (over || (t->op == TMAP_STEP_ADVANCE && !machine_skips(m, s, a, t))) {
            if (!over) machine_step(m, s, a, t, true);
            g->pc++;
            return true;
        }
        if (!meets(t) || machine_skips(m, s, a, t) || !is_settled(m, t) || machine_awaits(s, a, t))
            continue;
        if (machine_step(m, s, a, t, true) == STEP_GO) g->pc++;
        return true;
    }
    return false;
}

void machine_settle(struct machine *m, struct machine_state *s)
{
    while (!m->fault && settle_unseen(m, s)) {
    }
    machine_drop(m, s);
}

bool machine_apply(struct machine *m, struct machine_state *s, struct machine_move move)
{
    bool moved = true;
    if (move.event == EVENT_AGENT) {
        moved = apply_agent(m, s, move);
    } else {
        if (move.event == EVENT_STORE)
            machine_read_out(m, s, move.agent);
        else if (move.event == EVENT_COMMIT)
            machine_committed(m, s, move.agent);
        else
            moved = machine_land(m, s, move.agent, move.cta, move.event == EVENT_LAND);
    }
    if (moved) machine_settle(m, s);
    return moved;
}

/* Nobody can move: fine when all have left. */
void machine_judge_stuck(struct machine *m, const struct machine_state *s)
{
    char who[96] = "";
    size_t at = 0;
    if (machine_finished(m, s)) return;
    for (unsigned a = 0; a < m->p->agent_count && at < sizeof who; a++)
        if (s->agent[a].part != TMAP_PARTS)
            at += (size_t)snprintf(who + at, sizeof who - at, "%s%s", at ? ", " : "",
                                   m->p->agent[a].name);
    machine_fail(m, TMAP_HAZARD_DEADLOCK, "nobody can go on: %s wait", who);
}
