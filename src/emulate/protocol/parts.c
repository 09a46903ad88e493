// Which part of what a warp did comes round with every tile and every k block: the shortest program
// START (TILE BLOCK+ FLUSH)+ END that says all of it, the first block of a tile a part of the
// others. What is found in the first run has to say all others.
#include "emulate/protocol/fold.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_START = 8, MOST_TILE = 8, MOST_FLUSH = 10, MOST_END = MOST_PART - 4 };
enum { MOST_BEFORE = MOST_PART - 4 }; // a single loop

struct split { // lengths of the parts at the beginning of what was said
    uint32_t start, tile, first, block, flush;
};

struct walk {
    const struct said *said;
    uint32_t at;
};

static bool matches(const struct walk *w, const struct symbol *part, uint32_t length)
{
    if (w->at + length > w->said->count) return false;
    for (uint32_t i = 0; i < length; i++)
        if (!same_symbol(&w->said->symbol[w->at + i], &part[i])) return false;
    return true;
}

static bool take(struct walk *w, const struct symbol *part, uint32_t length)
{
    if (!matches(w, part, length)) return false;
    w->at += length;
    return true;
}

struct pattern {
    const struct symbol *part[FOLD_PARTS];
    uint32_t length[FOLD_PARTS];
};

// One tile; its blocks. Where it does not fit, the walk is back where it was.
static uint32_t take_tile(struct walk *w, const struct pattern *p)
{
    const uint32_t from = w->at;
    uint32_t blocks = 1;
    if (!take(w, p->part[PART_TILE], p->length[PART_TILE]) ||
        !take(w, p->part[PART_FIRST], p->length[PART_FIRST])) {
        w->at = from;
        return 0;
    }
    while (p->length[PART_BLOCK] && take(w, p->part[PART_BLOCK], p->length[PART_BLOCK])) blocks++;
    if (take(w, p->part[PART_FLUSH], p->length[PART_FLUSH])) return blocks;
    w->at = from;
    return 0;
}

static uint32_t take_tiles(struct walk *w, const struct pattern *p, uint32_t word[MOST_TILES])
{
    uint32_t tiles = 0, blocks;
    while (tiles < MOST_TILES && (blocks = take_tile(w, p)) > 0) word[tiles++] = blocks;
    return tiles;
}

// Whether a is b without some ends of reads and arrivals; and which: a slot is given back a block
// late.
static bool is_part_of(const struct symbol *a, uint32_t a_length, const struct symbol *b,
                       uint32_t b_length, bool skipped[MOST_PART])
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < b_length; k++) {
        skipped[k] = i == a_length || !same_symbol(&a[i], &b[k]);
        if (skipped[k] && b[k].op != TMAP_STEP_DONE && b[k].op != TMAP_STEP_ARRIVE) return false;
        i += !skipped[k];
    }
    return i == a_length;
}

static struct pattern pattern_at(const struct said *said, const struct split *s)
{
    const uint32_t length[FOLD_PARTS] = {s->start, s->tile, s->first, s->block, s->flush, 0};
    struct pattern p;
    const struct symbol *at = said->symbol;
    for (int k = 0; k < FOLD_PARTS; k++) {
        p.part[k] = at;
        p.length[k] = length[k];
        at += length[k];
    }
    return p;
}

// What follows the blocks of the first tile is only known once these are counted.
static bool find_flush(const struct said *said, struct pattern *p)
{
    struct walk w = {said, p->length[PART_START] + p->length[PART_TILE] + p->length[PART_FIRST]};
    while (p->length[PART_BLOCK] && take(&w, p->part[PART_BLOCK], p->length[PART_BLOCK])) continue;
    p->part[PART_FLUSH] = said->symbol + w.at;
    return w.at + p->length[PART_FLUSH] <= said->count;
}

static uint32_t score(const struct pattern *p)
{
    const uint32_t block = p->length[PART_BLOCK], first = p->length[PART_FIRST];
    return 4 * (p->length[PART_START] + p->length[PART_TILE] + (block ? block : first) +
                p->length[PART_FLUSH] + p->length[PART_END]) +
           p->length[PART_TILE] + p->length[PART_FLUSH] + (block ? block - first : 0);
}

struct best {
    struct pattern pattern;
    uint32_t score;
};

// Whether the pattern says what was said, to its end.
static bool says(const struct pattern *p, const struct said *said, uint32_t word[MOST_TILES],
                 uint32_t *tiles, struct walk *w)
{
    *w = (struct walk){said, 0};
    if (!take(w, p->part[PART_START], p->length[PART_START])) return false;
    *tiles = p->length[PART_FIRST] ? take_tiles(w, p, word) : 0;
    return take(w, p->part[PART_END], p->length[PART_END]) && w->at == said->count;
}

// Blocks that are as many, and several, in every tile of every run are no loop over K; and where no
// run has other tiles than the first, nothing says that there may be more.
struct counts {
    uint32_t least, most, fewest_tiles, most_tiles;
};

static void count_word(struct counts *c, const uint32_t *word, uint32_t tiles)
{
    for (uint32_t i = 0; i < tiles; i++) {
        if (word[i] < c->least) c->least = word[i];
        if (word[i] > c->most) c->most = word[i];
    }
    if (tiles < c->fewest_tiles) c->fewest_tiles = tiles;
    if (tiles > c->most_tiles) c->most_tiles = tiles;
}

static bool says_all(const struct fold *f, const struct program *program, const struct pattern *p)
{
    struct counts c = {UINT32_MAX, 0, UINT32_MAX, 0};
    uint32_t word[MOST_TILES], tiles;
    struct walk w;
    for (size_t r = 0; r < f->runs; r++) {
        if (!says(p, &program->said[r], word, &tiles, &w)) return false;
        count_word(&c, word, tiles);
    }
    const bool blocks = c.least < c.most, goes_on = blocks || c.fewest_tiles < c.most_tiles;
    return f->runs == 1 || (goes_on && (c.most == 1 || blocks));
}

static void try_split(const struct fold *f, const struct program *program, const struct split *s,
                      struct best *best)
{
    const struct said *said = &program->said[0];
    struct pattern p = pattern_at(said, s);
    uint32_t word[MOST_TILES];
    bool skipped[MOST_PART];
    if (s->start + s->tile + s->first + s->block > said->count || !find_flush(said, &p)) return;
    if (s->block &&
        !is_part_of(p.part[PART_FIRST], s->first, p.part[PART_BLOCK], s->block, skipped))
        return;
    struct walk w = {said, s->start};
    take_tiles(&w, &p, word); // one at least: the pattern is made of it
    if (said->count - w.at > MOST_END) return;
    p.part[PART_END] = said->symbol + w.at;
    p.length[PART_END] = said->count - w.at;
    if (score(&p) >= best->score || !says_all(f, program, &p)) return;
    best->pattern = p;
    best->score = score(&p);
}

static void search(const struct fold *f, const struct program *p, struct best *best)
{
    struct split s;
    for (s.start = 0; s.start <= MOST_START; s.start++)
        for (s.tile = 0; s.tile <= MOST_TILE; s.tile++)
            for (s.first = 1; s.first < MOST_PART; s.first++)
                for (s.flush = 0; s.flush <= MOST_FLUSH; s.flush++) {
                    s.block = 0;
                    if (4 * (s.start + s.tile + s.first + s.flush) >= best->score) break;
                    try_split(f, p, &s, best);
                    for (s.block = s.first; s.block < s.first + 4 && s.block < MOST_PART; s.block++)
                        try_split(f, p, &s, best);
                }
}

// The same in every run, and little: nothing comes round.
static bool is_whole_program(const struct fold *f, const struct program *p)
{
    const struct said *first = &p->said[0];
    for (size_t r = 0; r < f->runs; r++) {
        const struct walk w = {&p->said[r], 0};
        if (p->said[r].count != first->count || first->count > MOST_START ||
            !matches(&w, first->symbol, first->count))
            return false;
    }
    return f->runs > 1 || first->count <= 4;
}

static void keep(struct program *p, const struct pattern *from)
{
    for (int k = 0; k < FOLD_PARTS; k++) {
        p->length[k] = from->length[k];
        memcpy(p->part[k], from->part[k], from->length[k] * sizeof *from->part[k]);
    }
    if (p->length[PART_BLOCK])
        is_part_of(p->part[PART_FIRST], p->length[PART_FIRST], p->part[PART_BLOCK],
                   p->length[PART_BLOCK], p->skipped);
}

// Up to the first meeting, and from there on: who takes no part in the loops.
static void keep_short(struct program *p)
{
    const struct said *said = &p->said[0];
    uint32_t n = 0;
    while (n < said->count && said->symbol[n].op != TMAP_STEP_SYNC) n++;
    if (n < said->count) n++;
    p->length[PART_START] = n;
    p->length[PART_END] = said->count - n;
    memcpy(p->part[PART_START], said->symbol, n * sizeof *said->symbol);
    memcpy(p->part[PART_END], said->symbol + n, (said->count - n) * sizeof *said->symbol);
}

static struct pattern kept(const struct program *p)
{
    struct pattern q;
    for (int k = 0; k < FOLD_PARTS; k++) {
        q.part[k] = p->part[k];
        q.length[k] = p->length[k];
    }
    return q;
}

// The words of the runs, all of which the program says to their ends: so it was found.
static void note_words(const struct fold *f, struct program *p)
{
    const struct pattern q = kept(p);
    struct walk w;
    for (size_t r = 0; r < f->runs; r++) says(&q, &p->said[r], p->word[r], &p->tiles[r], &w);
}

// --- how indices go with blocks and tiles

static void note_going(struct going *g, const struct symbol *s, uint32_t blocks, uint32_t tiles)
{
    const int32_t block = s->index - (int32_t)blocks, tile = s->index - (int32_t)tiles;
    if (!g->seen) *g = (struct going){block, tile, true, true, true};
    if (g->by_block != block) g->is_by_block = false;
    if (g->by_tile != tile) g->is_by_tile = false;
}

struct place {
    const struct said *said;
    uint32_t at, blocks, tiles;
};

static void note_part(struct program *p, struct place *at, enum fold_part part)
{
    for (uint32_t i = 0; i < p->length[part]; i++)
        note_going(&p->going[part][i], &at->said->symbol[at->at++], at->blocks, at->tiles);
}

static void note_first(struct program *p, struct place *at)
{
    for (uint32_t i = 0; i < p->length[PART_BLOCK]; i++)
        if (!p->skipped[i])
            note_going(&p->going[PART_BLOCK][i], &at->said->symbol[at->at++], at->blocks,
                       at->tiles);
}

static void note_tile(struct program *p, struct place *at, uint32_t blocks)
{
    if (p->remakes) at->blocks = 0;
    note_part(p, at, PART_TILE);
    note_first(p, at);
    at->blocks++;
    for (uint32_t k = 1; k < blocks; k++, at->blocks++) note_part(p, at, PART_BLOCK);
    note_part(p, at, PART_FLUSH);
}

static void note_run(struct program *p, size_t run)
{
    struct place at = {&p->said[run], 0, 0, 0};
    note_part(p, &at, PART_START);
    for (; at.tiles < p->tiles[run]; at.tiles++) {
        if (p->every && at.tiles % p->every != p->turn)
            at.blocks += p->word[run][at.tiles]; // another's
        else
            note_tile(p, &at, p->word[run][at.tiles]);
    }
    note_part(p, &at, PART_END);
}

void note_places(struct fold *f)
{
    for (uint32_t i = 0; i < f->programs; i++)
        for (size_t r = 0; r < f->runs; r++) note_run(&f->program[i], r);
}

// Where no tile has two blocks, the first is all there is.
static void one_kind_of_block(struct program *p)
{
    if (p->length[PART_BLOCK] || !p->length[PART_FIRST]) return;
    p->length[PART_BLOCK] = p->length[PART_FIRST];
    memcpy(p->part[PART_BLOCK], p->part[PART_FIRST], sizeof p->part[PART_BLOCK]);
}

uint32_t line_of(const struct program *p)
{
    size_t run = 0;
    while (!p->said[run].count) run++;
    return p->said[run].symbol[0].line;
}

bool fold_warp(struct fold *f, struct program *p)
{
    struct best best = {.score = UINT32_MAX};
    memset(p->length, 0, sizeof p->length);
    const bool whole = is_whole_program(f, p);
    if (!whole) search(f, p, &best);
    if (whole)
        keep_short(p);
    else if (best.score == UINT32_MAX)
        return fold_fail(f, line_of(p), "warp %u of CTA %u goes round in no loop", p->warp, p->cta);
    else
        keep(p, &best.pattern);
    note_words(f, p);
    one_kind_of_block(p);
    return true;
}

// --- one loop and no more: where all warps go round as often as each other

static bool says_run(const struct said *said, const struct pattern *p)
{
    struct walk w = {said, 0};
    if (!take(&w, p->part[PART_START], p->length[PART_START])) return false;
    while (take(&w, p->part[PART_BLOCK], p->length[PART_BLOCK])) continue;
    return take(&w, p->part[PART_END], p->length[PART_END]) && w.at == said->count;
}

static const struct said *longest(const struct fold *f, const struct program *p)
{
    const struct said *said = &p->said[0];
    for (size_t r = 1; r < f->runs; r++)
        if (p->said[r].count > said->count) said = &p->said[r];
    return said;
}

static void try_loop(const struct fold *f, const struct program *p, const struct split *s,
                     struct best *best)
{
    const struct said *said = longest(f, p);
    struct pattern q = pattern_at(said, s);
    struct walk w = {said, s->start};
    while (take(&w, q.part[PART_BLOCK], s->block)) continue;
    q.part[PART_END] = said->symbol + w.at;
    q.length[PART_END] = said->count - w.at;
    q.part[PART_FIRST] = q.part[PART_BLOCK];
    q.length[PART_FIRST] = s->block;
    const uint32_t length = s->start + s->block + q.length[PART_END];
    if (length >= best->score || q.length[PART_END] > MOST_END) return;
    for (size_t r = 0; r < f->runs; r++)
        if (!says_run(&p->said[r], &q)) return;
    best->pattern = q;
    best->score = length;
}

// The shortest START BLOCK* END that says every run.
static bool keep_loop(const struct fold *f, struct program *p)
{
    const uint32_t count = longest(f, p)->count;
    struct best best = {.score = UINT32_MAX};
    for (struct split s = {0}; s.start <= MOST_BEFORE; s.start++)
        for (s.block = 1; s.block < MOST_PART && s.start + s.block <= count; s.block++)
            try_loop(f, p, &s, &best);
    if (best.score == UINT32_MAX) return false;
    keep(p, &best.pattern);
    note_words(f, p);
    return true;
}

static uint32_t rounds_of(const struct program *p, size_t run)
{
    return p->tiles[run] ? p->word[run][0] : 0;
}

// That many rounds in every run are no loop.
static bool varies(const struct fold *f, const struct program *p)
{
    for (size_t r = 1; r < f->runs; r++)
        if (rounds_of(p, r) != rounds_of(p, 0)) return true;
    return f->runs == 1;
}

static bool fold_loops(struct fold *f)
{
    const struct program *first = NULL;
    for (uint32_t i = 0; i < f->programs; i++) {
        struct program *p = &f->program[i];
        if (is_whole_program(f, p)) {
            keep_short(p);
            continue;
        }
        if (!keep_loop(f, p) || !varies(f, p)) return false;
        if (!first) first = p;
        for (size_t r = 0; r < f->runs; r++)
            if (rounds_of(p, r) != rounds_of(first, r)) return false;
    }
    return true;
}

// --- one loop, of which some warps go round a few times less than others: they do these blocks
// before it or after it, as who gives slots back two blocks late does. The others do as many before
// it then: what is said is of that many blocks and more.

// Slots of a buffer that a part fills, or reads.
static uint32_t uses_of(const struct program *p, enum fold_part part, uint8_t op, uint8_t buffer)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->length[part]; i++)
        n += p->part[part][i].op == op && p->part[part][i].x == buffer;
    return n;
}

// The blocks that a warp's slots tell of: in every buffer as many beyond its rounds.
static bool count_blocks(const struct fold *f, const struct program *p, uint32_t *beyond)
{
    static const uint8_t ops[] = {TMAP_STEP_LOAD, TMAP_STEP_READ};
    bool any = false;
    for (uint8_t b = 0; b < f->buffers; b++)
        for (size_t k = 0; k < sizeof ops; k++) {
            const uint32_t each = uses_of(p, PART_BLOCK, ops[k], b);
            const uint32_t more =
                uses_of(p, PART_START, ops[k], b) + uses_of(p, PART_END, ops[k], b);
            if (each == 0 && more == 0) continue;
            if (each == 0 || more % each || (any && more / each != *beyond)) return false;
            *beyond = more / each;
            any = true;
        }
    return any;
}

// Whether all go through as many blocks in every run; `most`: beyond the rounds of any.
static bool count_all_blocks(const struct fold *f, uint32_t *most)
{
    const struct program *first = NULL;
    uint32_t beyond = 0, of_first = 0;
    *most = 0;
    for (uint32_t i = 0; i < f->programs; i++) {
        const struct program *p = &f->program[i];
        if (!p->length[PART_BLOCK]) continue;
        if (!count_blocks(f, p, &beyond)) return false;
        if (!first) first = p, of_first = beyond;
        if (beyond > *most) *most = beyond;
        for (size_t r = 0; r < f->runs; r++)
            if (rounds_of(p, r) + beyond != rounds_of(first, r) + of_first) return false;
    }
    return first && varies(f, first);
}

static bool peel(struct program *p, uint32_t rounds)
{
    const uint32_t block = p->length[PART_BLOCK];
    uint32_t *start = &p->length[PART_START];
    if (*start + rounds * block > MOST_PART) return false;
    for (uint32_t k = 0; k < rounds; k++, *start += block)
        memcpy(&p->part[PART_START][*start], p->part[PART_BLOCK], block * sizeof **p->part);
    return true;
}

static bool fold_uneven_loops(struct fold *f)
{
    uint32_t beyond, most;
    for (uint32_t i = 0; i < f->programs; i++) {
        struct program *p = &f->program[i];
        p->length[PART_BLOCK] = 0;
        if (is_whole_program(f, p))
            keep_short(p);
        else if (p->every || !keep_loop(f, p))
            return false;
    }
    if (f->runs == 1 || !count_all_blocks(f, &most)) return false;
    for (uint32_t i = 0; i < f->programs; i++) {
        struct program *p = &f->program[i];
        if (!p->length[PART_BLOCK]) continue;
        if (!count_blocks(f, p, &beyond) || !peel(p, most - beyond)) return false;
        note_words(f, p);
    }
    return true;
}

bool fold_parts(struct fold *f)
{
    if (fold_loops(f) || fold_uneven_loops(f)) return true;
    for (uint32_t i = 0; i < f->programs; i++)
        if (!fold_warp(f, &f->program[i])) return false;
    return true;
}
