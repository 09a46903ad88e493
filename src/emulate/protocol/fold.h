// From records to a protocol: objects (which barriers and buffers are rings), symbols (what each
// warp did to them), parts (which of it comes round again with every k block and every tile),
// steps (the automaton's, solve/machine.h).
#ifndef TMAP_EMULATE_FOLD_H
#define TMAP_EMULATE_FOLD_H

#include "emulate/protocol/record.h"
#include "tmap/protocol.h"

enum {
    MOST_BARRIERS = 64, // of a CTA
    MOST_RANGES = 128,  // of buffers
    MOST_OBJECTS = TMAP_PROTOCOL_BARRIERS + TMAP_PROTOCOL_BUFFERS,
    MOST_WARPS = 64, // that do anything, of the cluster
    MOST_RUNS = 8,
    MOST_PART = 24, // symbols of one part of a program
    MOST_TILES = 64
};

struct ring_object { // an array of barriers, or a buffer of as many slots
    uint32_t depth;
    uint32_t at[TMAP_PROTOCOL_DEPTH]; // offset of each slot's barrier; of a buffer its first byte
    uint32_t arrivals, ctas;          // ctas: in which the barriers are (bits)
};

struct range { // of a slot of a buffer
    uint8_t buffer, slot, cta;
    uint32_t from, to;
};

enum { SPACE_SHARED, SPACE_TENSOR };

struct fold {
    struct tmap_emulate_record *const *run;
    size_t runs;
    enum tmap_emulate_part part;
    unsigned number;             // of a ring or a staging area
    bool group;                  // a staging area's
    uint16_t storer;             // the warp of CTA 0 that stores it
    bool some_meet;              // barriers of some warps guard it, not those of the whole CTA
    bool none;                   // there are fewer
    bool rewrites;               // warps write where copies have landed
    bool memory;                 // there was not enough
    bool left_out[MOST_OBJECTS]; // of the other rings
    struct ring_object barrier[TMAP_PROTOCOL_BARRIERS], buffer[TMAP_PROTOCOL_BUFFERS];
    uint32_t barriers, buffers;
    uint32_t each[TMAP_PROTOCOL_BARRIERS]; // arrivals at a barrier that count as one
    uint8_t space[TMAP_PROTOCOL_BUFFERS];  // of a buffer
    struct range range[MOST_RANGES];
    uint32_t ranges;
    struct program *program; // of each warp that does anything
    uint32_t programs;
    struct tmap_emulate_error *error;
    struct tmap_protocol *out;
};

// An op beside enum tmap_step_op: a look at a phase of parity y, count 1 where it was over, ctas
// the first of the lanes that look. None is left once looks.c has settled what they stand for.
enum { SYMBOL_LOOK = 64 };

struct symbol {
    uint8_t op, x, y, ctas, signal; // op: enum tmap_step_op
    uint8_t parity;                 // of a wait
    bool again;                     // barriers were initialised before
    bool own;                       // of a read: by the warp itself alone, no product's
    uint8_t behind;                 // so many slots after the last that was used; 0: the index says
    uint32_t count, bytes;          // count: arrivals in each CTA
    uint32_t others;                // arrivals of warps that this one stands for (warpgroups.c)
    int32_t index;                  // generation * slots + slot; -1: of no ring
    uint32_t line;
};

// What one warp did in one run.
struct said {
    struct symbol *symbol;
    uint32_t count, room;
};

// How the index of a symbol goes with blocks and tiles; per position of a part.
struct going {
    int32_t by_block, by_tile;
    bool is_by_block, is_by_tile, seen;
};

enum fold_part { PART_START, PART_TILE, PART_FIRST, PART_BLOCK, PART_FLUSH, PART_END, FOLD_PARTS };

struct program {
    uint8_t cta;
    uint16_t warp, last_warp, weight; // of warps that act alike
    struct said said[MOST_RUNS];
    uint32_t length[FOLD_PARTS];
    struct symbol part[FOLD_PARTS][MOST_PART];
    struct going going[FOLD_PARTS][MOST_PART];
    bool skipped[MOST_PART]; // in PART_BLOCK: not in the first block of a tile
    bool remakes;            // its barriers, for every tile
    uint32_t looks_ahead;    // 0, or the line of a look whose wait comes later
    uint32_t word[MOST_RUNS][MOST_TILES], tiles[MOST_RUNS];
    uint8_t every, turn, at;    // every: of who takes turns at the barrier `at`, how many do; the
                                // word is that of all
    uint8_t rate[MOST_OBJECTS]; // 0: not used; RATE_BLOCK, RATE_TILE
};
enum { RATE_NONE, RATE_BLOCK, RATE_TILE };

// At a barrier of warps: bar.sync or bar.arrive.
static inline bool is_meeting(const struct symbol *s)
{
    return s->op == TMAP_STEP_SYNC || s->op == TMAP_STEP_PASS;
}

// False with f->error, each.
bool fold_objects(struct fold *f);
bool fold_symbols(struct fold *f);
void join_warpgroups(struct fold *f); // that multiply together (warpgroups.c)
void drop_meetings(struct fold *f);   // that order nothing (meetings.c)
bool fold_parts(struct fold *f);
bool fold_warp(struct fold *f, struct program *p); // its parts
void find_turns(struct fold *f);                   // who takes turns with the tiles (turns.c)
bool place_turns(struct fold *f);                  // once their parts are known
void note_places(struct fold *f);                  // how indices go with blocks and tiles
bool follow_word(struct fold *f);                  // word.c
bool fold_steps(struct fold *f);

bool has_tiles(const struct program *p); // ends of tiles, or beginnings

// Leaves of the programs what concerns that ring; false: there are fewer.
bool keep_ring(struct fold *f, unsigned number);
uint32_t objects_of(const struct symbol *s, uint8_t out[2]); // that it names, its index not -1
void drop_program(struct fold *f, uint32_t i);
uint32_t line_of(const struct program *p); // of what it does first, in the first run where it acts
bool read_warp(struct fold *f, struct program *p, size_t run); // its symbols of a run (symbols.c)
bool settle_looks(struct fold *f, struct program *p);          // looks.c
bool count_generations(struct said *said, struct fold *f);     // false: memory

bool fold_memory(struct fold *f); // false, too
bool fold_fail(struct fold *f, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool same_symbol(const struct symbol *a, const struct symbol *b); // but for where in the ring

// The array and the slot of the barrier that an act names; false: nobody uses it.
bool barrier_named(const struct fold *f, const struct act *a, uint8_t *array, uint8_t *slot);
// A barrier of all warps of the CTA.
static inline bool meets_whole(const struct fold *f, const struct act *a)
{
    return a->value == 0 || a->value == f->run[0]->warps * LANES;
}

static inline uint32_t object_of_buffer(uint32_t buffer)
{
    return TMAP_PROTOCOL_BARRIERS + buffer;
}

#endif
