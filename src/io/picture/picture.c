/* The model behind the pictures: each piece of each row, put where the swizzle puts it. */
#include "io/picture/picture.h"
#include "core/layout.h"

#include <string.h>

#define PIECE_BYTES 16u
#define LINE_BYTES (PIECE_BYTES * PICTURE_PIECES)

static uint64_t address_of(const struct picture *p, uint32_t row, uint32_t piece)
{
    const uint64_t plain = (uint64_t)row * p->layout.pitch_bytes + (uint64_t)piece * PIECE_BYTES;
    return tmap_swizzle_address(p->desc.swizzle, plain);
}

uint32_t picture_bank_group(const struct picture *p, uint32_t row, uint32_t piece)
{
    return (uint32_t)(address_of(p, row, piece) % LINE_BYTES / PIECE_BYTES);
}

uint32_t picture_ways(const struct picture *p, uint32_t row, uint32_t piece)
{
    const uint32_t group = picture_bank_group(p, row, piece);
    uint32_t ways = 0;
    for (uint32_t k = row / PICTURE_READ * PICTURE_READ, end = k + PICTURE_READ;
         k < end && k < p->layout.rows; k++)
        ways += picture_bank_group(p, k, piece) == group;
    return ways;
}

int picture_swizzle(const struct picture *p, char *out, size_t size)
{
    const uint32_t span = layout_swizzle_span(p->desc.swizzle);
    const uint32_t atom = layout_swizzle_atom(p->desc.swizzle);
    const bool flips = p->desc.swizzle == TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B;
    if (span == 0) return snprintf(out, size, "offset");
    return snprintf(out, size, "offset ^ (offset / %u %% %u) * %u%s", LINE_BYTES, span / atom, atom,
                    flips ? " ^ (offset / 128 % 2) * 8" : "");
}

enum tmap_status picture_make(const struct tmap_checker *checker, const struct tmap_desc *desc,
                              const char *name, struct picture *out)
{
    struct picture p;
    memset(&p, 0, sizeof p);
    p.desc = *desc;
    p.name = name;
    const enum tmap_status status = tmap_layout(checker, desc, &p.layout);
    if (status != TMAP_OK) return status;
    for (int a = 0; a < 4; a++) tmap_bank_conflicts(checker, desc, (enum tmap_access)a, &p.ways[a]);
    const uint64_t lines = (p.layout.footprint_bytes + LINE_BYTES - 1) / LINE_BYTES;
    p.lines = lines < PICTURE_LINES ? (uint32_t)lines : PICTURE_LINES;
    p.per_row = p.layout.row_bytes / PIECE_BYTES;
    p.columns = p.per_row < PICTURE_WIDE ? p.per_row : PICTURE_WIDE;
    p.by_bank = p.layout.rows < PICTURE_LINES ? (uint32_t)p.layout.rows : PICTURE_LINES;
    for (uint32_t row = 0; row < p.layout.rows; row++) {
        if ((uint64_t)row * p.layout.pitch_bytes >= (uint64_t)p.lines * LINE_BYTES) break;
        p.rows = row + 1;
        for (uint32_t piece = 0; piece < p.per_row; piece++) {
            const uint64_t at = address_of(&p, row, piece);
            if (at / LINE_BYTES >= p.lines) continue;
            p.memory[at / LINE_BYTES][at % LINE_BYTES / PIECE_BYTES] =
                (struct picture_piece){true, row, piece};
        }
    }
    *out = p;
    return TMAP_OK;
}
