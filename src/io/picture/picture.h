/* Pictures of a loaded box: where each 16-byte piece of each row lies in shared memory, and which
 * banks hold it. One model, drawn as text or SVG. */
#ifndef TMAP_IO_PICTURE_H
#define TMAP_IO_PICTURE_H

#include "tmap/tmap.h"

#include <stdio.h>

#define PICTURE_LINES 24 /* lines of 128 bytes that a picture shows */
#define PICTURE_PIECES 8 /* pieces of 16 bytes in a line: 4 banks each */
#define PICTURE_READ 8   /* rows that are read at a time, 16 bytes each */
#define PICTURE_WIDE 16  /* pieces of a row that the panel of banks shows */

/* What lies in one piece of shared memory: a piece of a row, or nothing. */
struct picture_piece {
    bool written;
    uint32_t row, piece; /* of the source: row of the box, 16-byte piece of that row */
};

struct picture {
    const char *name;
    struct tmap_desc desc;
    struct tmap_layout layout;
    uint32_t lines;   /* shown, of shared memory */
    uint32_t rows;    /* shown, of the box, in memory */
    uint32_t by_bank; /* rows shown by bank */
    uint32_t per_row; /* pieces in a row of the box */
    uint32_t columns; /* of them shown by bank */
    uint32_t ways[4]; /* by enum tmap_access */
    struct picture_piece memory[PICTURE_LINES][PICTURE_PIECES];
};

/* picture_make() : the first PICTURE_LINES lines. Errors as tmap_layout(). */
enum tmap_status picture_make(const struct tmap_checker *checker, const struct tmap_desc *desc,
                              const char *name, struct picture *out);

/* Bank group, 0 to 7 (banks 4g to 4g + 3), of a piece of a row of the box. */
uint32_t picture_bank_group(const struct picture *p, uint32_t row, uint32_t piece);

/* Rows of the PICTURE_READ that are read with this one whose piece lies in the same banks, it among
 * them: 1 is no conflict. */
uint32_t picture_ways(const struct picture *p, uint32_t row, uint32_t piece);

/* Where an offset from a base at which the pattern starts goes: tmap_swizzle_address() as a
 * formula, as snprintf. */
int picture_swizzle(const struct picture *p, char *out, size_t size);

void picture_text(FILE *out, const struct picture *p, bool color);
void picture_svg(FILE *out, const struct picture *p);

#endif
