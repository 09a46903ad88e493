/* The picture for a terminal: shared memory line by line, each piece named by its row and place,
 * and the banks of the first eight rows. */
#include "io/picture/picture.h"

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

/* The rows of one read by bank: what is marked collides. */
static void banks_text(FILE *out, const struct picture *p, bool color)
{
    const uint32_t columns = p->columns < PICTURE_PIECES ? p->columns : PICTURE_PIECES;
    uint32_t most = 1;
    char label[24];
    if (p->by_bank < 2) return;
    fputs("Which banks its pieces lie in, for a read of 8 rows (a star: another row's as well):\n"
          "   bytes of a row: ",
          out);
    for (uint32_t piece = 0; piece < columns; piece++) fprintf(out, " +%-5u", piece * 16);
    fputc('\n', out);
    for (uint32_t row = 0; row < PICTURE_READ && row < p->by_bank; row++) {
        fprintf(out, "   row %-12u ", row);
        for (uint32_t piece = 0; piece < columns; piece++) {
            const uint32_t g = picture_bank_group(p, row, piece),
                           ways = picture_ways(p, row, piece);
            most = ways > most ? ways : most;
            if (color) fprintf(out, "\033[30;48;5;%um", shades[g]);
            snprintf(label, sizeof label, "%u-%u%s", 4 * g, 4 * g + 3, ways > 1 ? "*" : "");
            fprintf(out, " %-6s", label);
            if (color) fputs("\033[0m", out);
        }
        fputc('\n', out);
    }
    fprintf(out, "   eight rows of a column take %u cycle%s\n", most, most == 1 ? "" : "s");
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
    banks_text(out, p, color);
}
