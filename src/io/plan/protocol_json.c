/* protocol_json.c : a protocol as the JSON that protocol.c reads. Rings and meetings, which have no
 * names, are numbered. */
#include "io/plan/plan.h"
#include "io/plan/protocol_words.h"

#include <stdio.h>

static const struct protocol_word words[] = PROTOCOL_WORDS;

enum { NAME_BYTES = 16 };

static const char *numbered(char text[NAME_BYTES], const char *what, unsigned i)
{
    snprintf(text, NAME_BYTES, "%s%u", what, i);
    return text;
}

static json_t *list_of_bits(unsigned mask)
{
    json_t *list = json_array();
    for (unsigned i = 0; mask >> i; i++)
        if (mask >> i & 1) json_array_append_new(list, json_integer(i));
    return list;
}

static json_t *named(const struct tmap_protocol *p, enum names what, const struct tmap_step *s)
{
    char text[NAME_BYTES];
    switch (what) {
    case NAMES_NONE:
        return json_true();
    case NAMES_BARRIER:
        return json_string(p->barrier[s->x].name);
    case NAMES_BUFFER:
        return s->x == UINT8_MAX ? json_null() : json_string(p->buffer[s->x].name);
    case NAMES_RING:
        return json_string(numbered(text, "ring", s->x));
    case NAMES_SYNC:
        return json_string(numbered(text, "sync", s->x));
    default:
        return json_integer(s->bytes);
    }
}

static void put_count(json_t *o, const char *key, unsigned n)
{
    if (n) json_object_set_new(o, key, json_integer(n));
}

static json_t *step_json(const struct tmap_protocol *p, const struct tmap_step *s)
{
    const struct protocol_word *w = words;
    json_t *o = json_object();
    while (w->op != s->op) w++;
    json_object_set_new(o, w->key, named(p, (enum names)w->names, s));
    if (w->barrier) json_object_set_new(o, "barrier", json_string(p->barrier[s->y].name));
    if (w->bytes) json_object_set_new(o, "bytes", json_integer(s->bytes));
    if (s->ctas) json_object_set_new(o, "ctas", list_of_bits(s->ctas));
    if (s->signal) json_object_set_new(o, "signal", json_integer(s->signal - 1));
    put_count(o, "back", s->back);
    put_count(o, "when", s->when);
    return o;
}

static json_t *agent_json(const struct tmap_protocol *p, const struct tmap_agent *g)
{
    static const char *const parts[TMAP_PARTS] = PROTOCOL_PARTS;
    json_t *o = json_pack("{s:s}", "name", g->name);
    put_count(o, "cta", g->cta);
    put_count(o, "every", g->every);
    put_count(o, "turn", g->turn);
    for (int k = 0; k < TMAP_PARTS; k++) {
        if (g->count[k] == 0) continue;
        json_t *list = json_array();
        for (unsigned i = 0; i < g->count[k]; i++)
            json_array_append_new(list, step_json(p, &p->step[g->first[k] + i]));
        json_object_set_new(o, parts[k], list);
    }
    return o;
}

static json_t *syncs_json(const struct tmap_protocol *p)
{
    char name[NAME_BYTES];
    json_t *syncs = json_object();
    for (unsigned i = 0; i < p->sync_count; i++) {
        json_t *who = json_array();
        for (unsigned a = 0; a < p->agent_count; a++)
            if (p->members[i] >> a & 1) json_array_append_new(who, json_string(p->agent[a].name));
        json_object_set_new(syncs, numbered(name, "sync", i), who);
    }
    return syncs;
}

json_t *io_protocol_json(const struct tmap_protocol *p)
{
    char name[NAME_BYTES];
    json_t *o = json_pack("{s:i, s:b, s:b, s:b}", "ctas", (int)p->ctas, "tiles", (int)p->tiles,
                          "started", (int)p->started, "stays", (int)p->stays);
    json_t *rings = json_object(), *barriers = json_object(), *buffers = json_object();
    json_t *agents = json_array();
    for (unsigned i = 0; i < p->ring_count; i++)
        json_object_set_new(rings, numbered(name, "ring", i), json_integer(p->depth[i]));
    for (unsigned i = 0; i < p->barrier_count; i++)
        json_object_set_new(barriers, p->barrier[i].name,
                            json_pack("{s:s, s:i}", "ring",
                                      numbered(name, "ring", p->barrier[i].ring), "arrivals",
                                      (int)p->barrier[i].count));
    for (unsigned i = 0; i < p->buffer_count; i++)
        json_object_set_new(buffers, p->buffer[i].name,
                            json_string(numbered(name, "ring", p->buffer[i].ring)));
    for (unsigned a = 0; a < p->agent_count; a++)
        json_array_append_new(agents, agent_json(p, &p->agent[a]));
    json_object_set_new(o, "rings", rings);
    json_object_set_new(o, "barriers", barriers);
    json_object_set_new(o, "buffers", buffers);
    json_object_set_new(o, "syncs", syncs_json(p));
    json_object_set_new(o, "agents", agents);
    return o;
}
