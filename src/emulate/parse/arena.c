// Memory that lives and dies as one.
#include "emulate/parse/ptx.h"

#include <stdlib.h>
#include <string.h>

struct emu_arena_block {
    struct emu_arena_block *next;
    size_t bytes;
};

enum { ALIGN = 16, BLOCK = 1 << 18, HEAD = (sizeof(struct emu_arena_block) + ALIGN - 1) & ~15 };

void *emu_alloc(struct emu_arena *arena, size_t bytes)
{
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!arena->block || arena->size - arena->used < bytes) {
        const size_t room = bytes > BLOCK ? bytes : BLOCK;
        struct emu_arena_block *block = calloc(1, HEAD + room);
        if (!block) return NULL;
        block->next = arena->block;
        block->bytes = room;
        arena->block = block;
        arena->used = 0;
        arena->size = room;
        arena->total += room;
    }
    uint8_t *at = (uint8_t *)arena->block + HEAD + arena->used;
    arena->used += bytes;
    return at;
}

void emu_arena_free(struct emu_arena *arena)
{
    while (arena->block) {
        struct emu_arena_block *next = arena->block->next;
        free(arena->block);
        arena->block = next;
    }
    memset(arena, 0, sizeof *arena);
}

// Capacities are the powers of two from 8 on, so the count alone says when to grow.
bool emu_grow(struct emu_arena *arena, void *array, size_t count, size_t size)
{
    void **slot = array;
    if (count != 0 && (count < 8 || (count & (count - 1)) != 0)) return true;
    void *larger = emu_alloc(arena, (count ? 2 * count : 8) * size);
    if (!larger) return false;
    if (count) memcpy(larger, *slot, count * size);
    *slot = larger;
    return true;
}
