// Records of what a GPU did; see golden.h.
#include "device/golden.h"

#include <stdlib.h>
#include <string.h>

#include "core/simulate.h"
#include "device/probes.h"

#define ARENA_AT (1ull << 41)
#define WINDOW_AT (1ull << 42)
#define SMEM_BASE 1024u // where a block's shared memory starts

// --- numbers: zigzag, seven bits a byte --------------------------------------------------------
static void put(FILE *f, int64_t v)
{
    uint64_t u = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
    for (; u > 127; u >>= 7) fputc((int)(u & 127) | 128, f);
    fputc((int)u, f);
}

static int64_t get(FILE *f)
{
    uint64_t u = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const int c = fgetc(f);
        if (c == EOF) return 0;
        u |= (uint64_t)(c & 127) << shift;
        if (!(c & 128)) break;
    }
    return (int64_t)(u >> 1) ^ -(int64_t)(u & 1);
}

// Every number of a record, in order; N(x) moves one between the file and the struct.
// clang-format off
#define NUMBERS(g, d, u, N)                                                                        \
    N((d)->kind)                                                                                   \
    N((d)->dtype)                                                                                  \
    N((d)->rank)                                                                                   \
    N((d)->interleave) N((d)->swizzle) N((d)->oob_fill) N((d)->address) N((d)->channels)           \
        N((d)->pixels) N((u)->op) N((u)->smem) N((u)->flags) N((u)->coord_count) N((g)->c.seed)    \
            N((g)->c.window_bytes) N((g)->c.exec_op) N((g)->c.image_from) N((g)->c.image_bytes)    \
                N((g)->c.expect_tx) N((g)->c.cls) N((g)->c.flags) N((g)->arena_bytes)              \
                    N((g)->arena_seed) N((g)->instruction_rank) N((g)->map_shift)                  \
                        N((g)->bar_shift) N((g)->code) N((g)->done) N((g)->exact)                  \
                            N((g)->has_image)
#define ARRAYS(d, u, N)                                                                            \
    for (int i = 0; i < 5; i++) {                                                                  \
        N((d)->dim[i]) N((d)->box[i]) N((d)->elem_stride[i]) N((u)->coord[i])                      \
    }                                                                                              \
    for (int i = 0; i < 4; i++) {                                                                  \
        N((d)->stride_bytes[i])                                                                    \
    }                                                                                              \
    for (int i = 0; i < 3; i++) {                                                                  \
        N((d)->lower[i]) N((d)->upper[i]) N((u)->offset[i])                                        \
    }
// clang-format on

static uint32_t image_size(const struct golden *g)
{
    return g->c.window_bytes ? g->c.window_bytes : g->c.image_bytes;
}

static void put_image(FILE *f, const struct golden *g)
{
    const uint32_t n = image_size(g);
    uint8_t *hidden = malloc(n);
    if (!hidden) return;
    memcpy(hidden, g->image, n);
    probe_hide(&g->c, hidden, n);
    for (uint32_t at = 0; at < n;) {
        uint32_t zeros = 0, bytes = 0;
        while (at + zeros < n && hidden[at + zeros] == 0) zeros++;
        while (at + zeros + bytes < n && hidden[at + zeros + bytes] != 0) bytes++;
        put(f, zeros);
        put(f, bytes);
        fwrite(hidden + at + zeros, 1, bytes, f);
        at += zeros + bytes;
    }
    free(hidden);
}

static bool get_image(FILE *f, struct golden *g)
{
    const uint32_t n = image_size(g);
    g->image = calloc(n + 1, 1);
    for (uint32_t at = 0; g->image && at < n;) {
        const uint64_t zeros = (uint64_t)get(f), bytes = (uint64_t)get(f);
        if (zeros + bytes == 0 || zeros + bytes > n - at) return false;
        if (fread(g->image + at + zeros, 1, bytes, f) != bytes) return false;
        at += (uint32_t)(zeros + bytes);
    }
    if (g->image) probe_hide(&g->c, g->image, n);
    return g->image != NULL;
}

void golden_write(FILE *f, const struct golden *given)
{
    struct golden copy = *given, *g = &copy;
    struct tmap_desc *d = &g->c.desc;
    struct tmap_use *u = &g->c.use;
    const uint64_t base = g->c.window ? g->c.window : g->arena;
    d->address -= base;
    g->map[0] -= base;
#define N(x) put(f, (int64_t)(x));
    NUMBERS(g, d, u, N)
    ARRAYS(d, u, N)
#undef N
    for (int i = 0; i < 16; i++) put(f, (int64_t)g->map[i]);
    if (g->has_image) put_image(f, given);
}

bool golden_read(FILE *f, struct golden *g)
{
    struct tmap_desc *d = &g->c.desc;
    struct tmap_use *u = &g->c.use;
    memset(g, 0, sizeof *g);
    const int c = fgetc(f);
    if (c == EOF) return false;
    ungetc(c, f);
#define N(x) (x) = (__typeof__(x))get(f);
    NUMBERS(g, d, u, N)
    ARRAYS(d, u, N)
#undef N
    for (int i = 0; i < 16; i++) g->map[i] = (uint64_t)get(f);
    g->arena = ARENA_AT;
    g->c.window = g->c.window_bytes ? WINDOW_AT : 0;
    d->address += g->c.window ? WINDOW_AT : ARENA_AT;
    g->map[0] += g->c.window ? WINDOW_AT : ARENA_AT;
    return !g->has_image || get_image(f, g);
}

// --- memory as the copy saw it -----------------------------------------------------------------
struct view {
    const struct golden *g;
    uint8_t *window;
};

static bool within_bytes(uint64_t at, size_t bytes, uint64_t from, uint64_t length)
{
    return at >= from && bytes <= length && at - from <= length - bytes;
}

static bool view_read(void *user, uint64_t address, void *to, size_t bytes)
{
    const struct view *v = user;
    const struct golden *g = v->g;
    uint8_t *out = to;
    if (v->window && within_bytes(address, bytes, g->c.window, g->c.window_bytes)) {
        memcpy(to, v->window + (address - g->c.window), bytes);
        return true;
    }
    if (!within_bytes(address, bytes, g->arena, g->arena_bytes)) return false;
    for (size_t i = 0; i < bytes; i++) {
        const uint64_t at = address - g->arena + i;
        out[i] = (uint8_t)(executor_hash(g->arena_seed, at / 8) >> (8 * (at % 8)));
    }
    return true;
}

static bool view_write(void *user, uint64_t address, const void *from, size_t bytes)
{
    const struct view *v = user;
    const struct golden *g = v->g;
    if (!v->window || !within_bytes(address, bytes, g->c.window, g->c.window_bytes)) return false;
    memcpy(v->window + (address - g->c.window), from, bytes);
    return true;
}

static void hash_fill(const struct golden *g, uint8_t *to, uint32_t bytes, uint64_t seed)
{
    for (uint32_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t w = executor_word(g->c.flags, seed, i / 8);
        memcpy(to + i, &w, 8);
    }
}

static bool simulate(const struct golden *g, uint8_t *smem, uint8_t *window)
{
    struct tmap_outcome o;
    struct view view = {g, window};
    const struct tmap_memory m = {view_read, view_write, &view, smem, 0, EXECUTOR_HASHED_BYTES};
    hash_fill(g, smem, EXECUTOR_HASHED_BYTES, g->c.seed);
    if (window) hash_fill(g, window, g->c.window_bytes, g->c.seed + 1);
    sim_run(&g->c.desc, &g->c.use, &m, &o);
    return o.fault == TMAP_FAULT_NONE;
}

long long golden_differs(const struct golden *g)
{
    uint8_t *smem = aligned_alloc(1024, EXECUTOR_HASHED_BYTES);
    uint8_t *window = g->c.window_bytes ? malloc(g->c.window_bytes) : NULL;
    long long at = 0;
    if (smem && simulate(g, smem, window)) {
        const uint8_t *want = window ? window : smem + g->c.image_from;
        while (at < (long long)image_size(g) && want[at] == g->image[at]) at++;
        if (at == (long long)image_size(g)) at = -1;
    }
    free(smem);
    free(window);
    return at;
}

// --- what the rows say -------------------------------------------------------------------------
static bool rows_refuse(const struct golden *g, const struct tmap_desc *d)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_use u = g->c.use;
    enum tmap_verdict verdict;
    size_t found;
    tmap_checker_prepare(&target, TMAP_CONTRACT_HARDWARE, &checker);
    if (tmap_verdict_of(&checker, d) != TMAP_LEGAL) return true;
    u.smem += SMEM_BASE;
    u.flags = TMAP_USE_COORD | TMAP_USE_SMEM | TMAP_USE_OFFSET | TMAP_USE_MBARRIER;
    if (u.op == TMAP_OP_PREFETCH) u.flags = TMAP_USE_COORD;
    u.coord_count = g->instruction_rank;
    u.mbarrier = SMEM_BASE + EXECUTOR_HASHED_BYTES + g->bar_shift;
    if (tmap_check_use(&checker, d, &u, NULL, 0, &found, &verdict) != TMAP_OK) return true;
    return verdict != TMAP_LEGAL;
}

static bool address_faults(const struct golden *g)
{
    if (g->c.use.op == TMAP_OP_PREFETCH) return false;
    uint8_t *smem = aligned_alloc(1024, EXECUTOR_HASHED_BYTES);
    uint8_t *window = g->c.window_bytes ? malloc(g->c.window_bytes) : NULL;
    const bool fine = smem && simulate(g, smem, window);
    free(smem);
    free(window);
    return !fine;
}

bool golden_fault(const struct golden *g)
{
    const bool im2col =
        g->c.exec_op == EXECUTOR_LOAD_IM2COL || g->c.exec_op == EXECUTOR_STORE_IM2COL;
    struct tmap_map map;
    struct tmap_desc d;
    size_t notes;
    memcpy(map.word, g->map, sizeof map.word);
    if (tmap_decode(&map, &d, NULL, 0, &notes) != TMAP_OK) return true;
    d.flags |= TMAP_HAS_MAP_ADDRESS;
    d.map_address = ARENA_AT + g->map_shift; // where the executor put it, as far as it matters
    if ((d.kind != TMAP_TILED) != im2col) return true; // the instruction of the other kind
    if (g->c.expect_tx >> 20) return true;             // TMA147, of the barrier alone
    return rows_refuse(g, &d) || address_faults(g);
}
