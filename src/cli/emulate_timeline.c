#include "cli/emulate_timeline.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 150,
    WIDTH = 1200,
    ROW = 18,
    BAR = 14,
    TOP = 56,
    TICKS = 10,
    MOST_ROWS = 96, /* of copies and of tensor core instructions together */
    MOST_EVENTS = 0x100000
};

void timeline_add(struct timeline *t, const struct tmap_emulate_event *e)
{
    if (e->cta != t->cta || t->lost) return;
    if (t->events == t->room) {
        const size_t room = t->room ? 2 * t->room : 0x400;
        struct tmap_emulate_event *larger =
            room > MOST_EVENTS ? NULL : realloc(t->event, room * sizeof *larger);
        t->lost = !larger;
        if (!larger) return;
        t->event = larger;
        t->room = room;
    }
    t->event[t->events++] = *e;
}

void timeline_free(struct timeline *t)
{
    free(t->event);
    *t = (struct timeline){.cta = t->cta};
}

/* Rows from top to bottom: warps, copies, tensor core instructions, mbarriers. */
struct drawing {
    FILE *out;
    const struct timeline *t;
    uint64_t end;
    uint32_t row;
};

static double x_of(const struct drawing *d, uint64_t at)
{
    return LEFT + (double)WIDTH * (double)at / (double)(d->end ? d->end : 1);
}

static void escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '&' || *text == '>' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

static void label(const struct drawing *d, const char *text, uint64_t number)
{
    fprintf(d->out, "<text class=\"l\" x=\"%d\" y=\"%u\">%s", LEFT - 8, TOP + d->row * ROW + 11,
            text);
    fprintf(d->out, number == UINT64_MAX ? "</text>\n" : " %llu</text>\n",
            (unsigned long long)number);
}

/* A box with what it is under the pointer. At least a pixel, so that it is seen. */
static void box(const struct drawing *d, const struct tmap_emulate_event *e, const char *class,
                uint32_t row)
{
    const double x = x_of(d, e->begin), w = x_of(d, e->end) - x;
    fprintf(d->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\"><title>",
            class, x, TOP + row * ROW, w < 1 ? 1 : w, BAR);
    if (e->what) escaped(d->out, e->what);
    fprintf(d->out, ", line %u, %llu to %llu%s</title></rect>\n", e->line,
            (unsigned long long)e->begin, (unsigned long long)e->end,
            e->waits ? ", then it waits" : "");
}

/* What a warp waits for stands between the turn that ended so and its next one. */
static void warp(struct drawing *d, uint32_t index)
{
    const struct tmap_emulate_event *last = NULL;
    label(d, "warp", index);
    for (size_t i = 0; i < d->t->events; i++) {
        const struct tmap_emulate_event *e = &d->t->event[i];
        if (e->kind != TMAP_EMULATE_TURN || e->warp != index) continue;
        if (last && last->waits) {
            struct tmap_emulate_event wait = *last;
            wait.begin = last->end;
            wait.end = e->begin;
            box(d, &wait, "wait", d->row);
        }
        box(d, e, "turn", d->row);
        last = e;
    }
    d->row++;
}

static void warps(struct drawing *d)
{
    uint32_t count = 0;
    for (size_t i = 0; i < d->t->events; i++)
        if (d->t->event[i].kind == TMAP_EMULATE_TURN && d->t->event[i].warp >= count)
            count = d->t->event[i].warp + 1;
    for (uint32_t i = 0; i < count; i++) warp(d, i);
}

static int by_begin(const void *a, const void *b)
{
    const struct tmap_emulate_event *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->end > y->end) - (x->end < y->end);
}

/* Those that overlap take rows below each other; the last row takes what is left. */
static void pending(struct drawing *d, enum tmap_emulate_event_kind kind, const char *class,
                    const char *name, uint32_t most)
{
    uint64_t until[MOST_ROWS] = {0};
    uint32_t rows = 0;
    struct tmap_emulate_event *sorted = malloc((d->t->events + 1) * sizeof *sorted);
    size_t n = 0;
    if (!sorted) return;
    for (size_t i = 0; i < d->t->events; i++)
        if (d->t->event[i].kind == kind) sorted[n++] = d->t->event[i];
    qsort(sorted, n, sizeof *sorted, by_begin);
    for (size_t i = 0; i < n; i++) {
        uint32_t r = 0;
        while (r < rows && r + 1 < most && until[r] > sorted[i].begin) r++;
        if (r == rows) rows++;
        if (sorted[i].end > until[r]) until[r] = sorted[i].end;
        box(d, &sorted[i], class, d->row + r);
    }
    if (rows) label(d, name, UINT64_MAX);
    d->row += rows;
    free(sorted);
}

static bool seen_before(const struct timeline *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (t->event[i].kind == TMAP_EMULATE_PHASE && t->event[i].address == t->event[n].address)
            return true;
    return false;
}

static void barriers(struct drawing *d)
{
    for (size_t i = 0; i < d->t->events; i++) {
        const struct tmap_emulate_event *e = &d->t->event[i];
        if (e->kind != TMAP_EMULATE_PHASE || seen_before(d->t, i)) continue;
        label(d, "mbarrier", e->address);
        uint32_t phase = 0;
        for (size_t k = i; k < d->t->events; k++) {
            const struct tmap_emulate_event *p = &d->t->event[k];
            if (p->kind != TMAP_EMULATE_PHASE || p->address != e->address) continue;
            fprintf(d->out,
                    "<rect class=\"phase\" x=\"%.1f\" y=\"%u\" width=\"2\" height=\"%d\"><title>"
                    "phase %u ends at %llu</title></rect>\n",
                    x_of(d, p->end), TOP + d->row * ROW, BAR, phase++, (unsigned long long)p->end);
        }
        d->row++;
    }
}

static void axis(const struct drawing *d, uint32_t rows)
{
    for (int i = 0; i <= TICKS; i++) {
        const double x = LEFT + (double)WIDTH * i / TICKS;
        fprintf(d->out,
                "<line class=\"a\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%u\"/><text class=\"t\" "
                "x=\"%.1f\" y=\"%d\">%llu</text>\n",
                x, TOP - 6, x, TOP + rows * ROW, x, TOP - 10,
                (unsigned long long)(d->end * (uint64_t)i / TICKS));
    }
}

static const char style[] =
    "<style>text{font:11px sans-serif;fill:#333}.l{text-anchor:end}.t{text-anchor:middle;"
    "fill:#777}.h{font-size:13px}.a{stroke:#ddd}.turn{fill:#3b6ea5}.wait{fill:#dfe6ee}"
    ".copy{fill:#5a9e5a}.multiply{fill:#c9772b}.phase{fill:#8b3a8b}</style>\n";

/* The height is known when all is drawn: rows first, into memory. */
bool timeline_svg(FILE *out, const struct timeline *t, const char *title)
{
    char *body = NULL;
    size_t bytes = 0;
    struct drawing d = {.out = open_memstream(&body, &bytes), .t = t};
    if (!d.out) return false;
    for (size_t i = 0; i < t->events; i++)
        if (t->event[i].end > d.end) d.end = t->event[i].end;
    warps(&d);
    pending(&d, TMAP_EMULATE_COPY, "copy", "copies", 24);
    pending(&d, TMAP_EMULATE_MULTIPLY, "multiply", "tensor cores", 24);
    barriers(&d);
    fclose(d.out);
    d.out = out;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\">\n%s",
            LEFT + WIDTH + 40, TOP + d.row * ROW + 16, style);
    fputs(
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text class=\"h\" x=\"8\" y=\"18\">",
        out);
    escaped(out, title);
    fprintf(out, ", CTA %u; time in warp instructions of the whole run%s</text>\n", t->cta,
            t->lost ? "; the first of its events" : "");
    axis(&d, d.row);
    if (body) fwrite(body, 1, bytes, out);
    fputs("</svg>\n", out);
    free(body);
    return body != NULL;
}
