/* The picture as SVG, in two panels: shared memory by source row, and the box by bank, eight rows a
 * group as they are read; those of a group that ask the same banks are framed. */
#include "io/picture/picture.h"
#include "io/report/outside.h"

#include <string.h>

#define CELL_W 46
#define CELL_H 20
#define LEFT 84
#define TOP 96
#define GAP 90
#define READ_GAP 8 /* between the rows of one read and the next */

static const char *const shades[PICTURE_PIECES] = {"#f4a8a0", "#f7c99a", "#f3e79b", "#c9e2a0",
                                                   "#9fdcc0", "#9cc9ea", "#b9b2ea", "#e6b1db"};

static void text(FILE *out, int x, int y, const char *style, const char *what)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, style, what);
}

static void cell(FILE *out, int x, int y, const char *fill, const char *what)
{
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>"
            "<text x=\"%d\" y=\"%d\" class=\"c\">%s</text>\n",
            x, y, CELL_W - 2, CELL_H - 2, fill, x + CELL_W / 2 - 1, y + 13, what);
}

static void bank_heads(FILE *out, int left)
{
    char label[24];
    for (int g = 0; g < PICTURE_PIECES; g++) {
        snprintf(label, sizeof label, "%d-%d", 4 * g, 4 * g + 3);
        text(out, left + g * CELL_W + CELL_W / 2, TOP - 8, "h", label);
    }
}

static void memory_panel(FILE *out, const struct picture *p, int left)
{
    char label[32];
    text(out, left, TOP - 46, "t", "Shared memory, 128 bytes a line");
    text(out, left, TOP - 28, "s", "row.piece of the box; one colour is one row; banks above");
    bank_heads(out, left);
    for (uint32_t line = 0; line < p->lines; line++) {
        const int y = TOP + (int)line * CELL_H;
        snprintf(label, sizeof label, "+0x%04x", line * 128);
        text(out, left - 8, y + 13, "r", label);
        for (int g = 0; g < PICTURE_PIECES; g++) {
            const struct picture_piece *m = &p->memory[line][g];
            snprintf(label, sizeof label, "%u.%u", m->row, m->piece);
            cell(out, left + g * CELL_W, y,
                 m->written ? shades[m->row % PICTURE_PIECES] : "#eeeeee", m->written ? label : "");
        }
    }
}

/* How many cycles a read of these rows takes, where it takes longest. */
static void cycles(FILE *out, const struct picture *p, uint32_t row, int x, int y)
{
    char label[32];
    uint32_t most = 1;
    for (uint32_t k = row; k < row + PICTURE_READ && k < p->by_bank; k++)
        for (uint32_t piece = 0; piece < p->columns; piece++) {
            const uint32_t ways = picture_ways(p, k, piece);
            most = ways > most ? ways : most;
        }
    snprintf(label, sizeof label, most == 1 ? "1 cycle" : "%u cycles", most);
    text(out, x, y, most == 1 ? "g" : "b", label);
}

static int bank_row_y(uint32_t row)
{
    return TOP + (int)row * CELL_H + (int)(row / PICTURE_READ) * READ_GAP;
}

static void bank_row(FILE *out, const struct picture *p, int left, uint32_t row)
{
    char label[32];
    const int y = bank_row_y(row);
    snprintf(label, sizeof label, "row %u", row);
    text(out, left - 8, y + 13, "r", label);
    for (uint32_t piece = 0; piece < p->columns; piece++) {
        const uint32_t g = picture_bank_group(p, row, piece);
        const int x = left + (int)piece * CELL_W;
        snprintf(label, sizeof label, "%u-%u", 4 * g, 4 * g + 3);
        cell(out, x, y, shades[g], label);
        if (picture_ways(p, row, piece) > 1)
            fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"k\"/>\n",
                    x + 1, y + 1, CELL_W - 4, CELL_H - 4);
    }
}

static void bank_panel(FILE *out, const struct picture *p, int left)
{
    char label[64];
    text(out, left, TOP - 46, "t", "The box, by bank");
    text(out, left, TOP - 28, "s",
         "eight rows are read at a time, 16 bytes each; pieces framed in red share banks");
    for (uint32_t piece = 0; piece < p->columns; piece++) {
        snprintf(label, sizeof label, "+%u B", piece * 16);
        text(out, left + (int)piece * CELL_W + CELL_W / 2, TOP - 8, "h", label);
    }
    for (uint32_t row = 0; row < p->by_bank; row++) {
        bank_row(out, p, left, row);
        if (row % PICTURE_READ == 0)
            cycles(out, p, row, left + (int)p->columns * CELL_W + 6, bank_row_y(row) + 13);
    }
}

/* What is left out. */
static void rest(FILE *out, const struct picture *p, int left, int second, int y)
{
    char label[96];
    if (p->rows < p->layout.rows) {
        snprintf(label, sizeof label, "and so on: %llu rows in all",
                 (unsigned long long)p->layout.rows);
        text(out, left, y, "s", label);
    }
    if (p->columns == p->per_row) return;
    snprintf(label, sizeof label, "the first %u of %u bytes of each row", p->columns * 16,
             p->layout.row_bytes);
    text(out, second, y, "s", label);
}

static void title(FILE *out, const struct picture *p)
{
    fprintf(out, "<text x=\"%d\" y=\"26\" class=\"t\">", LEFT - 64);
    const char *name = p->name ? p->name : "box";
    io_put_markup_text(out, name);
    fprintf(out,
            ": %llu rows of %u bytes, %u apart; reads in ways: row %u, column %u, 8x16-byte matrix "
            "%u</text>\n",
            (unsigned long long)p->layout.rows, p->layout.row_bytes, p->layout.pitch_bytes,
            p->ways[TMAP_ACCESS_ROW], p->ways[TMAP_ACCESS_COLUMN], p->ways[TMAP_ACCESS_MATRIX]);
}

void picture_svg(FILE *out, const struct picture *p)
{
    const int left_y = TOP + (int)p->lines * CELL_H;
    const int right_y = bank_row_y(p->by_bank - 1) + CELL_H; /* a box has a row */
    const int low = left_y > right_y ? left_y : right_y;
    const int second = LEFT + PICTURE_PIECES * CELL_W + GAP;
    const int columns = p->columns > 8 ? (int)p->columns : 8;
    const int wide = second + columns * CELL_W + 80, high = low + 32;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\">\n"
            "<style>text{font-family:sans-serif;fill:#222}.t{font-size:14px;font-weight:bold}"
            ".s{font-size:11px;fill:#555}.h{font-size:10px;text-anchor:middle;fill:#555}"
            ".r{font-size:10px;text-anchor:end;fill:#555}.c{font-size:10px;text-anchor:middle}"
            ".g{font-size:11px;fill:#2a7a3a}.b{font-size:11px;font-weight:bold;fill:#c00000}"
            ".k{fill:none;stroke:#c00000;stroke-width:2}"
            "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            wide, high, wide, high);
    title(out, p);
    memory_panel(out, p, LEFT);
    bank_panel(out, p, second);
    rest(out, p, LEFT, second, low + 16);
    fputs("</svg>\n", out);
}
