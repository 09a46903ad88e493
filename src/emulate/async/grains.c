#include "emulate/async/grains.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 0x400 };

static bool grow(struct grains *g)
{
    const uint32_t room = g->room ? 2 * g->room : FIRST_ROOM;
    struct grain *grain = realloc(g->grain, room * sizeof *grain);
    if (!grain) return false;
    g->grain = grain;
    uint32_t *users = realloc(g->users, room * sizeof *users);
    if (!users) return false;
    g->users = users;
    g->room = room;
    return true;
}

bool grains_open(struct grains *g)
{
    memset(g, 0, sizeof *g);
    if (!grow(g)) return false;
    memset(&g->grain[0], 0, sizeof g->grain[0]);
    g->users[0] = 0;
    g->count = 1;
    return true;
}

void grains_close(struct grains *g)
{
    free(g->grain);
    free(g->users);
}

static uint32_t fresh(struct grains *g)
{
    const uint32_t n = g->free;
    if (n) {
        g->free = g->users[n];
        return n;
    }
    if (g->count == g->room && !grow(g)) return 0;
    return g->count++;
}

// A free grain has no access at all.
static bool is(const struct grains *g, uint32_t n, const struct grain *like)
{
    return n && memcmp(&g->grain[n], like, sizeof *like) == 0;
}

uint32_t grains_like(struct grains *g, const struct grain *like, const struct trace *by,
                     uint32_t old)
{
    const uint32_t hash = (by->in * 31 + by->agent * 7 + by->now + by->lane) * 2654435761u;
    uint32_t *recent = &g->recent[(hash >> 16 ^ by->bytes) % RECENT];
    if (is(g, *recent, like)) return *recent;
    uint32_t n = old;
    if (old == 0 || g->users[old] != 1) {
        n = fresh(g);
        if (n == 0) return 0;
        g->users[n] = 0;
    }
    g->grain[n] = *like;
    return *recent = n;
}

void grains_move(struct grains *g, uint32_t from, uint32_t to, uint32_t n)
{
    if (from == to) return;
    if (to) g->users[to] += n;
    if (from == 0 || (g->users[from] -= n) > 0) return;
    memset(&g->grain[from], 0, sizeof g->grain[from]);
    g->users[from] = g->free;
    g->free = from;
}
