/* The picture as SVG, in two panels: shared memory by source row, and the box by bank. A column of
 * the second panel in one colour is a conflict: those rows ask the same banks. */
#include "io/picture.h"

#define CELL_W 46
#define CELL_H 20
#define LEFT 84
#define TOP 96
#define GAP 90

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

static void bank_panel(FILE *out, const struct picture *p, int left)
{
    char label[32];
    const uint32_t rows = p->rows < PICTURE_LINES ? p->rows : PICTURE_LINES;
    text(out, left, TOP - 46, "t", "The box, by bank");
    text(out, left, TOP - 28, "s",
         "one colour is one group of 4 banks; equal colours in a column collide");
    for (uint32_t piece = 0; piece < p->per_row && piece < 16; piece++) {
        snprintf(label, sizeof label, "+%u B", piece * 16);
        text(out, left + (int)piece * CELL_W + CELL_W / 2, TOP - 8, "h", label);
    }
    for (uint32_t row = 0; row < rows; row++) {
        const int y = TOP + (int)row * CELL_H;
        snprintf(label, sizeof label, "row %u", row);
        text(out, left - 8, y + 13, "r", label);
        for (uint32_t piece = 0; piece < p->per_row && piece < 16; piece++) {
            const uint32_t g = picture_bank_group(p, row, piece);
            snprintf(label, sizeof label, "%u-%u", 4 * g, 4 * g + 3);
            cell(out, left + (int)piece * CELL_W, y, shades[g], label);
        }
    }
}

/* "<", "&" and quotes in a user's name must not end the markup. */
static void escaped(FILE *out, const char *name)
{
    for (; *name; name++) switch (*name) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*name, out);
        }
}

static void title(FILE *out, const struct picture *p)
{
    fprintf(out, "<text x=\"%d\" y=\"26\" class=\"t\">", LEFT - 64);
    escaped(out, p->name ? p->name : "box");
    fprintf(out,
            ": %llu rows of %u bytes, %u apart; reads in ways: row %u, column %u, 8x16-byte matrix "
            "%u</text>\n",
            (unsigned long long)p->layout.rows, p->layout.row_bytes, p->layout.pitch_bytes,
            p->ways[TMAP_ACCESS_ROW], p->ways[TMAP_ACCESS_COLUMN], p->ways[TMAP_ACCESS_MATRIX]);
}

void picture_svg(FILE *out, const struct picture *p)
{
    const uint32_t rows = p->rows < PICTURE_LINES ? p->rows : PICTURE_LINES;
    const int high = (int)(p->lines > rows ? p->lines : rows);
    const int columns = p->per_row < 16 ? (int)p->per_row : 16;
    const int second = LEFT + PICTURE_PIECES * CELL_W + GAP;
    const int wide = second + (columns > 8 ? columns : 8) * CELL_W + 24;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\">\n"
            "<style>text{font-family:sans-serif;fill:#222}.t{font-size:14px;font-weight:bold}"
            ".s{font-size:11px;fill:#555}.h{font-size:10px;text-anchor:middle;fill:#555}"
            ".r{font-size:10px;text-anchor:end;fill:#555}.c{font-size:10px;text-anchor:middle}"
            "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            wide, TOP + high * CELL_H + 24, wide, TOP + high * CELL_H + 24);
    title(out, p);
    memory_panel(out, p, LEFT);
    bank_panel(out, p, second);
    fputs("</svg>\n", out);
}
