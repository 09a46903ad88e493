/* protocol.c : a kernel's own protocol from JSON: barriers, arrivals, who waits for what. */
#include "io/plan/plan.h"
#include "io/plan/protocol_words.h"

#include <ctype.h>
#include <string.h>

#define NAME_MOST 31

static const struct protocol_word words[] = PROTOCOL_WORDS;

struct reader {
    struct io_record *record;
    struct tmap_protocol *p;
    json_t *of[NAMES_COUNT]; /* the objects whose keys are the names */
    json_t *agents;
};

static bool name_is_plain(const char *name)
{
    size_t n = 0;
    for (; name && name[n] && n <= NAME_MOST; n++)
        if (!isalnum((unsigned char)name[n]) && !strchr("_-.@ ", name[n])) return false;
    return n > 0 && n <= NAME_MOST;
}

/* The number of the name among the keys of an object, in the order written; -1: none. */
static int number_of(json_t *object, const char *name)
{
    const char *key;
    json_t *value;
    int i = 0;
    json_object_foreach(object, key, value)
    {
        if (name && strcmp(key, name) == 0) return i;
        i++;
    }
    return -1;
}

static bool small_from(const struct io_at *at, json_t *object, const char *key, uint32_t otherwise,
                       uint32_t most, uint8_t *out)
{
    json_t *value = json_object_get(object, key);
    uint32_t n = otherwise;
    if (value && !io_get_u32(at, key, -1, value, &n)) return false;
    if (n > most) return io_fail(at->record, at->path, "%s: at most %u", key, most);
    *out = (uint8_t)n;
    return true;
}

static bool named(struct reader *r, const char *path, enum names what, json_t *value, uint8_t *out)
{
    const int i = number_of(r->of[what], json_string_value(value));
    if (i < 0) return io_fail(r->record, path, "names nothing that the protocol has");
    *out = (uint8_t)i;
    return true;
}

/* "ctas": the CTAs meant. */
static bool mask_from(struct reader *r, const char *path, json_t *list, uint8_t *out)
{
    const struct io_at at = {r->record, path, 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint32_t cta;
        if (!io_get_u32(&at, "ctas", (int)i, json_array_get(list, i), &cta)) return false;
        if (cta >= r->p->ctas) return io_fail(r->record, path, "there is no CTA %u", cta);
        *out |= (uint8_t)(1u << cta);
    }
    return !list || json_array_size(list) ? true : io_fail(r->record, path, "ctas: none");
}

static const struct protocol_word *word_of(json_t *step)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (json_object_get(step, words[i].key)) return &words[i];
    return NULL;
}

/* What follows the step's own key. */
static bool rest_of_step(struct reader *r, const struct io_at *at, json_t *o,
                         const struct protocol_word *w, struct tmap_step *s)
{
    json_t *barrier = json_object_get(o, "barrier"), *bytes = json_object_get(o, "bytes");
    uint8_t signal = 0;
    if (!barrier != !w->barrier)
        return io_fail(r->record, at->path, w->barrier ? "barrier is missing" : "has no barrier");
    if (!bytes != !w->bytes)
        return io_fail(r->record, at->path, w->bytes ? "bytes are missing" : "has no bytes");
    if (barrier && !named(r, at->path, NAMES_BARRIER, barrier, &s->y)) return false;
    if (bytes && !io_get_u32(at, "bytes", -1, bytes, &s->bytes)) return false;
    if (json_object_get(o, "signal")) {
        if (!small_from(at, o, "signal", 0, r->p->ctas - 1u, &signal)) return false;
        s->signal = (uint8_t)(signal + 1);
    }
    return mask_from(r, at->path, json_object_get(o, "ctas"), &s->ctas) &&
           small_from(at, o, "back", 0, TMAP_PROTOCOL_DEPTH, &s->back) &&
           small_from(at, o, "when", 0, TMAP_PROTOCOL_DEPTH, &s->when);
}

static bool step_from(struct reader *r, const char *path, json_t *o, struct tmap_step *s)
{
    static const char *const also[] = {"barrier", "bytes", "ctas", "back", "when", "signal"};
    const struct io_at at = {r->record, path, 0};
    const struct protocol_word *w = json_is_object(o) ? word_of(o) : NULL;
    const char *known[2 + sizeof also / sizeof *also] = {NULL};
    if (!w) return io_fail(r->record, path, "expected an object with one step");
    memcpy(known + 1, also, sizeof also);
    known[0] = w->key;
    if (!io_check_keys(&at, o, known)) return false;
    json_t *value = json_object_get(o, w->key);
    *s = (struct tmap_step){.op = w->op};
    if (w->names == NAMES_COUNT) {
        if (!io_get_u32(&at, w->key, -1, value, &s->bytes)) return false;
    } else if (w->op == TMAP_STEP_COMMIT && json_is_null(value)) {
        s->x = UINT8_MAX;
    } else if (w->names == NAMES_NONE) { /* a fence that is false is none */
        if (!json_is_true(value)) return io_fail(r->record, path, "%s: expected true", w->key);
    } else if (!named(r, path, (enum names)w->names, value, &s->x)) {
        return false;
    }
    return rest_of_step(r, &at, o, w, s);
}

static bool part_from(struct reader *r, size_t agent, enum tmap_part part, const char *name,
                      json_t *list, struct tmap_agent *out)
{
    char path[80];
    out->first[part] = r->p->step_count;
    snprintf(path, sizeof path, "$.protocol.agents[%zu].%s", agent, name);
    if (list && !json_is_array(list)) return io_fail(r->record, path, "expected an array of steps");
    for (size_t i = 0; i < json_array_size(list); i++) {
        snprintf(path, sizeof path, "$.protocol.agents[%zu].%s[%zu]", agent, name, i);
        if (r->p->step_count == TMAP_PROTOCOL_STEPS)
            return io_fail(r->record, path, "at most %d steps", TMAP_PROTOCOL_STEPS);
        if (!step_from(r, path, json_array_get(list, i), &r->p->step[r->p->step_count]))
            return false;
        r->p->step_count++;
        out->count[part]++;
    }
    return true;
}

/* Who takes turns does so with tiles, and all by one number. */
static bool turns_from(struct reader *r, const struct io_at *at, json_t *o, struct tmap_agent *out)
{
    if (!small_from(at, o, "every", 0, TMAP_PROTOCOL_AGENTS, &out->every) ||
        !small_from(at, o, "turn", 0, out->every > 1 ? out->every - 1u : 0, &out->turn))
        return false;
    if (out->every > 1 && !r->p->tiles)
        return io_fail(r->record, at->path, "every: the protocol has no tiles");
    for (unsigned a = 0; a < r->p->agent_count; a++) {
        const uint8_t other = r->p->agent[a].every;
        if (out->every > 1 && other > 1 && other != out->every)
            return io_fail(r->record, at->path, "every: another agent's is %u", other);
    }
    return true;
}

/* One entry of "agents": as many agents as its count, with one program. */
static bool agent_from(struct reader *r, size_t i)
{
    static const char *const parts[TMAP_PARTS] = PROTOCOL_PARTS;
    static const char *const known[] = {"name", "cta",   "every", "turn", "count", "start",
                                        "tile", "block", "flush", "end",  NULL};
    json_t *o = json_array_get(r->agents, i);
    struct tmap_agent agent = {.name = json_string_value(json_object_get(o, "name"))};
    uint8_t count;
    char path[48];
    snprintf(path, sizeof path, "$.protocol.agents[%zu]", i);
    const struct io_at at = {r->record, path, 0};
    if (!json_is_object(o)) return io_fail(r->record, path, "expected an object");
    if (!io_check_keys(&at, o, known)) return false;
    if (!name_is_plain(agent.name))
        return io_fail(r->record, path, "name: up to %d letters, digits and _-.@", NAME_MOST);
    if (!small_from(&at, o, "cta", 0, r->p->ctas - 1u, &agent.cta) ||
        !turns_from(r, &at, o, &agent) ||
        !small_from(&at, o, "count", 1, TMAP_PROTOCOL_AGENTS, &count))
        return false;
    for (int k = 0; k < TMAP_PARTS; k++)
        if (!part_from(r, i, (enum tmap_part)k, parts[k], json_object_get(o, parts[k]), &agent))
            return false;
    for (; count > 0; count--) {
        if (r->p->agent_count == TMAP_PROTOCOL_AGENTS)
            return io_fail(r->record, path, "at most %d agents in all", TMAP_PROTOCOL_AGENTS);
        r->p->agent[r->p->agent_count++] = agent;
    }
    return true;
}

/* The objects that steps name, each a key. */
static bool objects_from(struct reader *r, json_t *o, const char *key, enum names what, size_t most)
{
    const char *name;
    json_t *value;
    char path[48];
    snprintf(path, sizeof path, "$.protocol.%s", key);
    r->of[what] = json_object_get(o, key);
    if (r->of[what] && !json_is_object(r->of[what]))
        return io_fail(r->record, path, "expected an object of names");
    if (json_object_size(r->of[what]) > most) return io_fail(r->record, path, "at most %zu", most);
    json_object_foreach(r->of[what], name, value)
    {
        if (!name_is_plain(name))
            return io_fail(r->record, path, "names: up to %d letters, digits and _-.@", NAME_MOST);
    }
    return true;
}

static bool barrier_from(struct reader *r, const char *name, json_t *o, struct tmap_barrier *out)
{
    static const char *const known[] = {"ring", "arrivals", NULL};
    char path[64];
    const struct io_at at = {r->record, path, 0};
    io_path_of("$.protocol.barriers", name, -1, path, sizeof path);
    out->name = name;
    if (!json_is_object(o)) return io_fail(r->record, path, "expected an object");
    if (!io_check_keys(&at, o, known) ||
        !named(r, path, NAMES_RING, json_object_get(o, "ring"), &out->ring) ||
        !small_from(&at, o, "arrivals", 1, UINT8_MAX, &out->count))
        return false;
    return out->count > 0 ? true : io_fail(r->record, path, "no arrivals");
}

/* "rings": slots of each; "barriers": ring and arrivals; "buffers": the ring. */
static bool tables_from(struct reader *r)
{
    const struct io_at rings = {r->record, "$.protocol.rings", 0};
    struct tmap_protocol *p = r->p;
    const char *name;
    json_t *value;
    json_object_foreach(r->of[NAMES_RING], name, value)
    {
        if (!small_from(&rings, r->of[NAMES_RING], name, 0, TMAP_PROTOCOL_DEPTH,
                        &p->depth[p->ring_count++]))
            return false;
        if (p->depth[p->ring_count - 1] == 0)
            return io_fail(r->record, rings.path, "%s: no slots", name);
    }
    json_object_foreach(r->of[NAMES_BARRIER], name, value)
    {
        if (!barrier_from(r, name, value, &p->barrier[p->barrier_count++])) return false;
    }
    json_object_foreach(r->of[NAMES_BUFFER], name, value)
    {
        p->buffer[p->buffer_count].name = name;
        if (!named(r, "$.protocol.buffers", NAMES_RING, value, &p->buffer[p->buffer_count++].ring))
            return false;
    }
    return true;
}

/* "syncs": the agents that meet at each, by name. */
static bool syncs_from(struct reader *r)
{
    const char *name;
    json_t *list;
    json_object_foreach(r->of[NAMES_SYNC], name, list)
    {
        uint16_t *members = &r->p->members[r->p->sync_count++];
        if (!json_is_array(list))
            return io_fail(r->record, "$.protocol.syncs", "%s: expected an array of names", name);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const char *who = json_string_value(json_array_get(list, i));
            const uint16_t before = *members;
            for (unsigned a = 0; who && a < r->p->agent_count; a++)
                if (strcmp(r->p->agent[a].name, who) == 0) *members |= (uint16_t)(1u << a);
            if (*members == before)
                return io_fail(r->record, "$.protocol.syncs", "%s: names no agent, or one twice",
                               name);
        }
    }
    return true;
}

static bool flag_from(struct reader *r, json_t *o, const char *key, bool otherwise, bool *out)
{
    json_t *value = json_object_get(o, key);
    *out = value ? json_is_true(value) : otherwise;
    if (!value || json_is_boolean(value)) return true;
    return io_fail(r->record, "$.protocol", "%s: true or false", key);
}

bool io_protocol_from(struct io_record *record, json_t *o, struct tmap_protocol *out)
{
    static const char *const known[] = {"ctas",     "tiles",   "started", "stays",  "rings",
                                        "barriers", "buffers", "syncs",   "agents", NULL};
    const struct io_at at = {record, "$.protocol", 0};
    struct reader r = {.record = record, .p = out};
    memset(out, 0, sizeof *out);
    if (!json_is_object(o)) return io_fail(record, "$.protocol", "expected an object");
    if (!io_check_keys(&at, o, known) ||
        !small_from(&at, o, "ctas", 1, TMAP_PROTOCOL_CTAS, &out->ctas))
        return false;
    if (out->ctas == 0) return io_fail(record, "$.protocol", "ctas: at least 1");
    out->name = "protocol";
    if (!flag_from(&r, o, "tiles", false, &out->tiles) ||
        !flag_from(&r, o, "started", true, &out->started) ||
        !flag_from(&r, o, "stays", false, &out->stays))
        return false;
    r.agents = json_object_get(o, "agents");
    if (json_array_size(r.agents) == 0)
        return io_fail(record, "$.protocol.agents", "expected an array of agents");
    if (!objects_from(&r, o, "rings", NAMES_RING, TMAP_PROTOCOL_RINGS) ||
        !objects_from(&r, o, "barriers", NAMES_BARRIER, TMAP_PROTOCOL_BARRIERS) ||
        !objects_from(&r, o, "buffers", NAMES_BUFFER, TMAP_PROTOCOL_BUFFERS) ||
        !objects_from(&r, o, "syncs", NAMES_SYNC, TMAP_PROTOCOL_SYNCS) || !tables_from(&r))
        return false;
    for (size_t i = 0; i < json_array_size(r.agents); i++)
        if (!agent_from(&r, i)) return false;
    return syncs_from(&r);
}
