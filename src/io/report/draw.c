/* draw.c : see draw.h. */
#include "io/report/draw.h"

#include <math.h>
#include <string.h>

struct io_rates io_rates_of(const struct tmap_config_answer *a, double flops)
{
    struct io_rates r = {0, 0, 0, 0};
    if (a->flop_us > 0) r.flops = flops / a->flop_us;
    if (a->l2_us > 0) r.l2_bytes = (double)a->l2_bytes / a->l2_us;
    if (a->dram_us > 0) r.dram_bytes = (double)a->dram_bytes / a->dram_us;
    if (a->waves > 0) r.sms = (double)a->tiles / a->waves;
    return r;
}

/* --- the ring ----------------------------------------------------------------------------------*/

enum {
    RING_WIDTH = 900,
    RING_LEFT = 70,
    RING_ROW = 22,
    RING_TOP = 30,
    ROUNDS = 3,
    MOST_SLOTS = 32
};

void io_ring_times(const struct io_ring *g, double *fill, double *use, double *hides)
{
    const double sms = g->rates.sms;
    *fill = g->rates.l2_bytes > 0 ? g->stage_bytes * sms / g->rates.l2_bytes : 1;
    *use = g->rates.flops > 0 && g->stage_flops > 0 ? g->stage_flops * sms / g->rates.flops : *fill;
    *hides = (g->stages - 1) * (*fill > *use ? *fill : *use);
}

static void bar(FILE *out, double scale, uint32_t row, double from, double to, const char *class,
                const char *what, uint32_t index)
{
    fprintf(out,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\"><title>%s of "
            "k-tile %u: %.3f to %.3f us</title></rect>\n",
            class, RING_LEFT + from * scale, RING_TOP + row * RING_ROW, (to - from) * scale,
            RING_ROW - 6, what, index, from, to);
}

static void ring_axis(FILE *out, double end, double scale, uint32_t rows)
{
    const uint32_t y = RING_TOP + rows * RING_ROW;
    for (int i = 0; i <= 6; i++)
        fprintf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%u\">%.2f us</text>\n",
                RING_LEFT + end * i / 6 * scale, y + 14, end * i / 6);
    for (uint32_t i = 0; i < rows; i++)
        fprintf(out, "<text class=\"axis row\" x=\"%d\" y=\"%u\">stage %u</text>\n", RING_LEFT - 8,
                RING_TOP + i * RING_ROW + 12, i);
}

/* Copies are issued in turn as soon as their slot is free, and land together with their latency;
 * uses follow one another. */
void io_draw_ring(FILE *out, const struct io_ring *g)
{
    const uint32_t slots = g->stages < MOST_SLOTS ? g->stages : MOST_SLOTS, count = slots * ROUNDS;
    double fill, use, hides, begin[MOST_SLOTS * ROUNDS], land[MOST_SLOTS * ROUNDS],
        done[MOST_SLOTS * ROUNDS];

    if (slots == 0) return;
    io_ring_times(g, &fill, &use, &hides);
    for (uint32_t i = 0; i < count; i++) {
        const double after = i ? begin[i - 1] + fill : 0, free = i < slots ? 0 : done[i - slots];
        begin[i] = after > free ? after : free;
        land[i] = begin[i] + (hides > fill ? hides : fill);
        const double idle = i ? done[i - 1] : 0;
        done[i] = (idle > land[i] ? idle : land[i]) + use;
    }
    const double scale = (RING_WIDTH - RING_LEFT - 60) / done[count - 1];
    fprintf(out, "<svg viewBox=\"0 0 %d %u\" role=\"img\" aria-label=\"the ring in time\">\n",
            RING_WIDTH, RING_TOP + slots * RING_ROW + 24);
    fprintf(out,
            "<text class=\"axis\" x=\"%d\" y=\"16\">light: a copy under way; full: the stage in "
            "use</text>\n",
            RING_LEFT);
    for (uint32_t i = 0; i < count; i++) {
        bar(out, scale, i % slots, begin[i], land[i], "copy", "copy", i);
        bar(out, scale, i % slots, done[i] - use, done[i], "use", "use", i);
    }
    ring_axis(out, done[count - 1], scale, slots);
    fputs("</svg>\n", out);
}

/* --- the roofline ------------------------------------------------------------------------------*/

enum { ROOF_WIDTH = 900, ROOF_HEIGHT = 420, ROOF_LEFT = 90, ROOF_TOP = 20, ROOF_BOTTOM = 60 };

struct roof {
    FILE *out;
    double x0, x1, y0, y1; /* decimal logarithms of what is shown */
};

static double roof_x(const struct roof *r, double intensity)
{
    return ROOF_LEFT + (log10(intensity) - r->x0) / (r->x1 - r->x0) * (ROOF_WIDTH - ROOF_LEFT - 30);
}

static double roof_y(const struct roof *r, double flops)
{
    return ROOF_HEIGHT - ROOF_BOTTOM -
           (log10(flops) - r->y0) / (r->y1 - r->y0) * (ROOF_HEIGHT - ROOF_BOTTOM - ROOF_TOP);
}

static void ticks(const struct roof *r)
{
    for (double e = ceil(r->x0); e <= r->x1; e++)
        fprintf(r->out, "<text class=\"axis tick\" x=\"%.1f\" y=\"%d\">%g</text>\n",
                roof_x(r, pow(10, e)), ROOF_HEIGHT - ROOF_BOTTOM + 16, pow(10, e));
    for (double e = ceil(r->y0); e <= r->y1; e++)
        fprintf(r->out, "<text class=\"axis row\" x=\"%d\" y=\"%.1f\">%g</text>\n", ROOF_LEFT - 8,
                roof_y(r, pow(10, e)) + 4, pow(10, e - 6));
    fprintf(r->out,
            "<text class=\"axis\" x=\"%d\" y=\"%d\">operations for each byte read</text>\n"
            "<text class=\"axis\" x=\"%d\" y=\"%d\">TFLOP/s</text>\n",
            ROOF_WIDTH / 2, ROOF_HEIGHT - 14, ROOF_LEFT, ROOF_TOP - 6);
}

/* A slope up to the ceiling, and the ceiling from there on. */
static void slope(const struct roof *r, double bytes, double flops, const char *class,
                  const char *name, bool left)
{
    const double low = pow(10, r->x0), corner = flops / bytes, high = pow(10, r->x1);
    if (bytes <= 0 || flops <= 0) return;
    fprintf(r->out, "<polyline class=\"%s\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", class,
            roof_x(r, low), roof_y(r, low * bytes), roof_x(r, corner), roof_y(r, flops),
            roof_x(r, high), roof_y(r, flops));
    fprintf(r->out, "<text class=\"axis%s\" x=\"%.1f\" y=\"%.1f\">%s, %.1f TB/s</text>\n",
            left ? " row" : "", roof_x(r, 8 * low) + (left ? -14 : 14),
            roof_y(r, 8 * low * bytes) + 4, name, bytes / 1e6);
}

void io_draw_roof(FILE *out, const struct io_rates *rates, const struct io_roof_point *points,
                  size_t count)
{
    struct roof r = {out, 0, 4, 0, log10(rates->flops > 0 ? rates->flops : 1e9) + 0.15};

    r.y0 = r.y1 - 3.2;
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"roofline\">\n", ROOF_WIDTH,
            ROOF_HEIGHT);
    ticks(&r);
    slope(&r, rates->dram_bytes, rates->flops, "dram", "memory", false);
    slope(&r, rates->l2_bytes, rates->flops, "l2", "L2", true);
    for (size_t i = 0; i < count; i++) {
        const struct io_roof_point *p = &points[i];
        if (!(p->intensity > 0) || !(p->flops > 0)) continue;
        fprintf(
            out,
            "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>%s: %.1f operations a "
            "byte, %.0f TFLOP/s</title></circle>\n",
            p->of_tiles ? "tiles" : "product", roof_x(&r, p->intensity), roof_y(&r, p->flops),
            p->of_tiles ? 4 : 7, p->label, p->intensity, p->flops / 1e6);
    }
    fputs("</svg>\n", out);
}
