#include "plot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, ROW = 16, LEFT = 260, WIDTH = 520, TOP = 40 };

struct point {
    char label[96];
    double ratio, tflops;
};

/* The n-th tab-separated field, from 0; "" when there is none. */
static const char *field(char *line, int n, char *out, size_t cap)
{
    for (; n > 0 && line; n--) {
        line = strchr(line, '\t');
        if (line) line++;
    }
    size_t length = line ? strcspn(line, "\t\n") : 0;
    if (length >= cap) length = cap - 1;
    if (line) memcpy(out, line, length);
    out[length] = 0;
    return out;
}

/* A line of `gemm compare`; the fill is named where it is not the usual one. */
static void read_comparison(char *line, struct point *p)
{
    char name[64], m[16], n[16], k[16], kind[16], fill[16], value[32];
    p->ratio = atof(field(line, 16, value, sizeof value));
    p->tflops = atof(field(line, 7, value, sizeof value));
    field(line, 0, name, sizeof name);
    field(line, 1, kind, sizeof kind);
    field(line, 2, fill, sizeof fill);
    field(line, 3, m, sizeof m);
    field(line, 4, n, sizeof n);
    field(line, 5, k, sizeof k);
    const bool usual = !strcmp(fill, "normal");
    snprintf(p->label, sizeof p->label, "%.20s %.6s%s%.9s %.7s x %.7s x %.7s", name, kind,
             usual ? "" : " ", usual ? "" : fill, m, n, k);
}

/* A line of `gemm exhaust`: the best of the family. of: set and kind, from the head of its run. */
static void read_exhausted(char *line, const char *of, struct point *p)
{
    int m, n, k;
    double us;
    p->ratio = 0;
    if (sscanf(line, "exhaust %d %d %d %*d %*f %lf %*f %*f %lf", &m, &n, &k, &us, &p->ratio) != 5)
        return;
    p->tflops = 2.0 * m * n * k / us * 1e-6;
    snprintf(p->label, sizeof p->label, "%s %d x %d x %d", of, m, n, k);
}

static int read_points(FILE *from, struct point *points)
{
    char line[1024], set[16] = "", kind[16] = "", of[40] = "exhaust";
    int count = 0;
    while (count < MOST && fgets(line, sizeof line, from)) {
        if (sscanf(line, "# `gemm exhaust %15s %15s", set, kind) == 2)
            snprintf(of, sizeof of, "%s %s", set, kind);
        if (strncmp(line, "exhaust\t", 8))
            read_comparison(line, &points[count]);
        else
            read_exhausted(line, of, &points[count]);
        count += points[count].ratio > 0;
    }
    return count;
}

/* 0.5 to 1.5 across the width. */
static double across(double ratio)
{
    const double bounded = ratio < 0.5 ? 0.5 : ratio > 1.5 ? 1.5 : ratio;
    return LEFT + WIDTH * (bounded - 0.5);
}

static void axis(FILE *to, int rows)
{
    for (int tenth = 5; tenth <= 15; tenth++) {
        const double x = across(tenth / 10.0);
        fprintf(to, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='%s'/>\n", x, TOP, x,
                TOP + rows * ROW, tenth == 10 ? "black" : "#ddd");
        fprintf(to, "<text x='%.1f' y='%d' text-anchor='middle'>%.1f</text>\n", x, TOP - 6,
                tenth / 10.0);
    }
}

int plot_ratios(FILE *from, FILE *to)
{
    static struct point points[MOST];
    const int count = read_points(from, points);
    fprintf(to,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
            "font-family='sans-serif' font-size='11'>\n"
            "<text x='8' y='16'>time of cublasLt's best / time of tmap (right of 1: faster)"
            "</text>\n",
            LEFT + WIDTH + 90, TOP + count * ROW + 10);
    axis(to, count);
    for (int i = 0; i < count; i++) {
        const double one = across(1), x = across(points[i].ratio);
        const int y = TOP + i * ROW;
        fprintf(to, "<text x='8' y='%d'>%s</text>\n", y + 12, points[i].label);
        fprintf(to, "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'/>\n",
                x < one ? x : one, y + 3, x < one ? one - x : x - one, ROW - 5,
                x < one ? "#c66" : "#4a8");
        fprintf(to, "<text x='%d' y='%d'>%.3f  %.0f</text>\n", LEFT + WIDTH + 6, y + 12,
                points[i].ratio, points[i].tflops);
    }
    fprintf(to, "</svg>\n");
    return count;
}
