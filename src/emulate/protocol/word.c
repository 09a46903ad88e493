// The one word of tiles and blocks that all warps follow, each in its loops.
#include "emulate/protocol/fold.h"

#include <string.h>

bool has_tiles(const struct program *p)
{
    return p->length[PART_TILE] + p->length[PART_FLUSH] > 0;
}

static uint32_t blocks_of(const struct program *p, size_t run)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < p->tiles[run]; i++) sum += p->word[run][i];
    return sum;
}

static bool same_word(const struct fold *f, const struct program *a, const struct program *b)
{
    for (size_t r = 0; r < f->runs; r++)
        if (a->tiles[r] != b->tiles[r] ||
            memcmp(a->word[r], b->word[r], a->tiles[r] * sizeof a->word[r][0]) != 0)
            return false;
    return true;
}

enum level { LEVEL_NONE, LEVEL_BLOCKS, LEVEL_TILES };

// Which of the word's letters a loop without ends of tiles goes with.
static enum level level_of(const struct fold *f, const struct program *p,
                           const struct program *word)
{
    bool blocks = true, tiles = true;
    for (size_t r = 0; r < f->runs; r++) {
        blocks = blocks && blocks_of(p, r) == blocks_of(word, r);
        tiles = tiles && blocks_of(p, r) == word->tiles[r];
    }
    return blocks ? LEVEL_BLOCKS : tiles ? LEVEL_TILES : LEVEL_NONE;
}

// A loop that goes round once a tile does so at the tile's last block.
static void move_to_flush(struct program *p)
{
    p->length[PART_FLUSH] = p->length[PART_BLOCK];
    memcpy(p->part[PART_FLUSH], p->part[PART_BLOCK], sizeof p->part[PART_FLUSH]);
    memcpy(p->going[PART_FLUSH], p->going[PART_BLOCK], sizeof p->going[PART_FLUSH]);
    p->length[PART_BLOCK] = 0;
    for (uint32_t i = 0; i < p->length[PART_FLUSH]; i++) {
        struct going *g = &p->going[PART_FLUSH][i];
        g->by_tile = g->by_block;
        g->is_by_tile = g->is_by_block;
        g->is_by_block = false;
    }
    for (uint32_t i = 0; i < p->length[PART_END]; i++) {
        struct going *g = &p->going[PART_END][i];
        g->by_tile = g->by_block;
        g->is_by_tile = g->is_by_block;
    }
}

// Without ends of tiles anywhere the slowest loop is no loop of tiles: all go round together.
static const struct program *word_of(const struct fold *f)
{
    const struct program *word = NULL;
    for (uint32_t i = 0; i < f->programs; i++) {
        const struct program *p = &f->program[i];
        if (p->length[PART_BLOCK] && (!word || (has_tiles(p) && !has_tiles(word)))) word = p;
    }
    return word;
}

static bool of_one_block(const struct fold *f, const struct program *p)
{
    for (size_t r = 0; r < f->runs; r++)
        for (uint32_t i = 0; i < p->tiles[r]; i++)
            if (p->word[r][i] != 1) return false;
    return true;
}

// Who takes turns does so with tiles. Where these have no ends, each is the one block that it has
// in every run.
static bool take_turns_by_blocks(struct fold *f)
{
    bool turns = false;
    for (uint32_t i = 0; i < f->programs; i++) {
        const struct program *p = &f->program[i];
        turns = turns || p->every;
        if (p->every && !of_one_block(f, p))
            return fold_fail(f, p->part[PART_BLOCK][0].line,
                             "warps take turns with tiles of several blocks that have no ends");
    }
    for (uint32_t i = 0; turns && i < f->programs; i++)
        if (f->program[i].length[PART_BLOCK]) move_to_flush(&f->program[i]);
    f->out->tiles = turns;
    return true;
}

bool follow_word(struct fold *f)
{
    const struct program *word = word_of(f);
    if (!word) return fold_fail(f, 0, "no warp goes round in a loop");
    f->out->tiles = has_tiles(word);
    for (uint32_t i = 0; i < f->programs; i++) {
        struct program *p = &f->program[i];
        if (p == word || !p->length[PART_BLOCK]) continue;
        const enum level level = level_of(f, p, word);
        const uint32_t line = p->part[PART_BLOCK][0].line;
        if (has_tiles(p) ? !same_word(f, p, word) : level == LEVEL_NONE)
            return fold_fail(
                f, line, "warp %u of CTA %u goes round %u times, warp %u of CTA %u %u times",
                p->warp, p->cta, blocks_of(p, 0), word->warp, word->cta, blocks_of(word, 0));
        if (!has_tiles(p) && level == LEVEL_TILES) move_to_flush(p);
    }
    return f->out->tiles || take_turns_by_blocks(f);
}
