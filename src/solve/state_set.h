/* States seen, as byte strings of differing length, in memory of the caller. */
#ifndef TMAP_SOLVE_STATE_SET_H
#define TMAP_SOLVE_STATE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct state_header {
    uint64_t offset;
    uint32_t parent;
    uint16_t move;
};

/* The strings lie in one arena, which grows from the low end of the memory; their headers grow from
 * the high end, below them the hash table. */
struct state_set {
    uint8_t *arena;
    size_t arena_used, arena_size;
    struct state_header *headers; /* headers[-1 - i] is state i's */
    uint32_t *table;
    size_t slots;
    uint32_t count;
    bool full; /* a state found no room */
};

/* False for less than 64 KiB, or memory that is not aligned for uint64_t. */
bool state_set_init(struct state_set *s, void *memory, size_t bytes);
/* Adds the state unless it is known. */
void state_set_add(struct state_set *s, const uint8_t *bytes, size_t length, uint32_t parent,
                   uint16_t move);
const uint8_t *state_set_bytes(const struct state_set *s, uint32_t i);

static inline struct state_header *state_set_header(const struct state_set *s, uint32_t i)
{
    return s->headers - 1 - i;
}

#endif
