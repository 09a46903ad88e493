#include "solve/state_set.h"

#include <string.h>

static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ n;
    while (n >= 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        h = (h ^ v) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
        p += 8;
        n -= 8;
    }
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
    h = (h ^ h >> 29) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 32;
}

/* An eighth for the table, the rest for states and headers. */
bool state_set_init(struct state_set *s, void *memory, size_t bytes)
{
    size_t slots = 64;
    if (bytes < 65536 || (uintptr_t)memory % sizeof(uint64_t)) return false;
    while (slots * 2 * sizeof(uint32_t) <= bytes / 8) slots *= 2;
    memset(s, 0, sizeof *s);
    s->table = memory;
    s->slots = slots;
    memset(s->table, 0, slots * sizeof(uint32_t));
    s->arena = (uint8_t *)memory + slots * sizeof(uint32_t);
    s->arena_size = (bytes - slots * sizeof(uint32_t)) / sizeof(uint64_t) * sizeof(uint64_t);
    s->headers = (struct state_header *)(void *)(s->arena + s->arena_size);
    return true;
}

/* States lie end to end. */
static size_t length_of(const struct state_set *s, uint32_t i)
{
    const size_t end = i + 1 < s->count ? state_set_header(s, i + 1)->offset : s->arena_used;
    return end - state_set_header(s, i)->offset;
}

const uint8_t *state_set_bytes(const struct state_set *s, uint32_t i)
{
    return s->arena + state_set_header(s, i)->offset;
}

static bool has_room(const struct state_set *s, size_t length)
{
    const size_t headers = ((size_t)s->count + 1) * sizeof(struct state_header);
    return s->count < s->slots / 4 * 3 && s->arena_used + length + headers <= s->arena_size;
}

void state_set_add(struct state_set *s, const uint8_t *bytes, size_t length, uint32_t parent,
                   uint16_t move)
{
    size_t slot = hash_bytes(bytes, length) & (s->slots - 1);
    for (; s->table[slot]; slot = (slot + 1) & (s->slots - 1)) {
        const uint32_t i = s->table[slot] - 1;
        if (length_of(s, i) == length && memcmp(state_set_bytes(s, i), bytes, length) == 0) return;
    }
    if (!has_room(s, length)) {
        s->full = true;
        return;
    }
    memcpy(s->arena + s->arena_used, bytes, length);
    *state_set_header(s, s->count) = (struct state_header){s->arena_used, parent, move};
    s->arena_used += length;
    s->table[slot] = ++s->count;
}
