// What is known of 16 bytes of memory: who wrote and read them last. Most grains of a tile are
// alike, so what is known is kept once and counted; memory has a number for each grain.
#ifndef TMAP_EMULATE_GRAINS_H
#define TMAP_EMULATE_GRAINS_H

#include <stdbool.h>
#include <stdint.h>

enum { GRAIN = 16, WRITES = 2, READS = 3 };
enum { SHADOW_STRONG = 1, SHADOW_ASYNC = 2, SHADOW_ATOMIC = 4 };

// An access: by which agent at which epoch (0: none), to which bytes of the grain.
struct trace {
    uint32_t agent, now, in; // in: an index of the module's code
    uint16_t bytes;
    uint8_t flags, lane;
};

struct grain {
    struct trace write[WRITES], read[READS];
};

enum { RECENT = 256 };

struct grains {
    struct grain *grain;
    uint32_t *users; // of each grain; of one that is free, the next free one
    uint32_t count, room, free;
    uint32_t recent[RECENT]; // grains made lately, by what was written down last
};

// Grain 0 is one that nobody has touched; it is not counted.
bool grains_open(struct grains *g);
void grains_close(struct grains *g);
// The number of a grain that is like this one; `by` is what was written down last in it, and it
// came of `old`, which gets this content when it has but one user. 0: no memory.
uint32_t grains_like(struct grains *g, const struct grain *like, const struct trace *by,
                     uint32_t old);
// n users of one grain go over to another.
void grains_move(struct grains *g, uint32_t from, uint32_t to, uint32_t n);

#endif
