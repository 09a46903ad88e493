/* The picture for a terminal: shared memory line by line, each piece named by its row and place. */
#include "io/picture.h"

/* 256-colour backgrounds that black text reads well on; a row of the box keeps its colour. */
static const unsigned char shades[PICTURE_PIECES] = {217, 223, 229, 193, 158, 153, 183, 225};

static void piece_text(FILE *out, const struct picture_piece *piece, bool color)
{
    if (!piece->written) {
        fputs("   .   ", out);
        return;
    }
    if (color) fprintf(out, "\033[30;48;5;%um", shades[piece->row % PICTURE_PIECES]);
    fprintf(out, " %3u.%-2u", piece->row, piece->piece);
    fputs(color ? "\033[0m" : "", out);
}

static void heading(FILE *out)
{
    fputs("   shared    banks:", out);
    for (int g = 0; g < PICTURE_PIECES; g++) fprintf(out, "  %2d-%-2d", 4 * g, 4 * g + 3);
    fputc('\n', out);
}

void picture_text(FILE *out, const struct picture *p, bool color)
{
    fputs("Where each 16-byte piece lands (row.piece of the box; a dot is not written):\n", out);
    heading(out);
    for (uint32_t line = 0; line < p->lines; line++) {
        fprintf(out, "   +0x%04x         ", line * 128);
        for (int g = 0; g < PICTURE_PIECES; g++) piece_text(out, &p->memory[line][g], color);
        fputc('\n', out);
    }
    if (p->rows < p->layout.rows)
        fprintf(out, "   ... and so on: %llu rows in all\n", (unsigned long long)p->layout.rows);
}
