/* Bank conflicts of reads from a loaded box: 32 banks of 4 bytes, one word of each a cycle. Lanes
 * that ask for the same word share it. */
#include "core/layout.h"

#define BANKS 32u
#define WORD_BYTES 4u
#define LANES 32u
#define MATRIX_ROWS 8u
#define PIECE_BYTES 16u

/* Words asked of each bank. */
struct wavefront {
    uint64_t word[LANES * 4];
    uint32_t words;
};

static void ask(struct wavefront *w, uint64_t address)
{
    const uint64_t word = address / WORD_BYTES;
    for (uint32_t i = 0; i < w->words; i++)
        if (w->word[i] == word) return;
    w->word[w->words++] = word;
}

/* The most words that one bank has to give. */
static uint32_t ways_of(const struct wavefront *w)
{
    uint32_t count[BANKS] = {0}, most = 0;
    for (uint32_t i = 0; i < w->words; i++) {
        const uint32_t n = ++count[w->word[i] % BANKS];
        if (n > most) most = n;
    }
    return most;
}

struct box {
    const struct tmap_desc *desc;
    struct tmap_layout layout;
};

static uint64_t address_of(const struct box *b, uint64_t row, uint32_t byte)
{
    return tmap_swizzle_address(b->desc->swizzle, row * b->layout.pitch_bytes + byte);
}

/* count pieces of `bytes`, one after the other along the rows, from the given piece on. */
static uint32_t along_rows(const struct box *b, uint64_t piece, uint32_t count, uint32_t bytes)
{
    struct wavefront w = {{0}, 0};
    const uint32_t per_row = b->layout.row_bytes / bytes;
    for (uint32_t k = 0; per_row > 0 && k < count; k++) {
        const uint64_t at = piece + k, row = at / per_row;
        if (row >= b->layout.rows) break;
        for (uint32_t i = 0; i < bytes; i += WORD_BYTES)
            ask(&w, address_of(b, row, (uint32_t)(at % per_row) * bytes + i));
    }
    return ways_of(&w);
}

/* One word of each of 32 consecutive rows. */
static uint32_t down_rows(const struct box *b, uint64_t row, uint32_t byte)
{
    struct wavefront w = {{0}, 0};
    for (uint32_t k = 0; k < LANES && row + k < b->layout.rows; k++)
        ask(&w, address_of(b, row + k, byte));
    return ways_of(&w);
}

/* 16 bytes of each of 8 rows: pieces share banks wholly or not at all, so that counting pieces by
 * their place in a line will do. */
static uint32_t matrix(const struct box *b, uint64_t row, uint32_t byte)
{
    uint32_t count[BANKS / 4] = {0}, most = 1;
    for (uint32_t k = 0; k < MATRIX_ROWS && row + k < b->layout.rows; k++) {
        const uint32_t n = ++count[address_of(b, row + k, byte) / PIECE_BYTES % (BANKS / 4)];
        if (n > most) most = n;
    }
    return most;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The pattern repeats within 1024 bytes, so the first 64 rows show the worst. */
static uint32_t worst(const struct box *b, enum tmap_access access)
{
    const uint64_t rows = b->layout.rows < 64 ? b->layout.rows : 64;
    uint32_t most = 1;
    if (access == TMAP_ACCESS_ROW || access == TMAP_ACCESS_VECTOR) {
        const uint32_t bytes = access == TMAP_ACCESS_ROW ? WORD_BYTES : PIECE_BYTES,
                       n = 128 / bytes;
        const uint64_t pieces = rows * (b->layout.row_bytes / bytes);
        for (uint64_t p = 0; p < pieces; p += n) most = larger(most, along_rows(b, p, n, bytes));
        return most;
    }
    if (access == TMAP_ACCESS_MATRIX) {
        for (uint64_t row = 0; row < rows; row += MATRIX_ROWS)
            for (uint32_t at = 0; at + PIECE_BYTES <= b->layout.row_bytes; at += PIECE_BYTES)
                most = larger(most, matrix(b, row, at));
        return most;
    }
    for (uint64_t row = 0; row < rows; row += LANES)
        for (uint32_t at = 0; at + WORD_BYTES <= b->layout.row_bytes; at += WORD_BYTES)
            most = larger(most, down_rows(b, row, at));
    return most;
}

enum tmap_status tmap_bank_conflicts(const struct tmap_checker *checker,
                                     const struct tmap_desc *desc, enum tmap_access access,
                                     uint32_t *ways)
{
    struct box b = {.desc = desc};
    if (ways == NULL || (unsigned)access > TMAP_ACCESS_VECTOR) return TMAP_E_ARGUMENT;
    const enum tmap_status status = tmap_layout(checker, desc, &b.layout);
    if (status == TMAP_OK) *ways = worst(&b, access);
    return status;
}
