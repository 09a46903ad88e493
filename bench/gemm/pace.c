#include "pace.h"

#include <string.h>

static double reference_us(struct pace *p, double ms)
{
    const double us = stand_cold_us(p->s, p->reference, ms);
    if (us > 0 && p->n < PACE_LOOKS) p->us[p->n++] = us;
    return us;
}

void pace_measure(struct pace *p, struct runner **runners, double *in_references, int count,
                  double ms)
{
    enum { BETWEEN = 2 };
    double before = reference_us(p, ms);
    for (int i = 0; i < count; i += BETWEEN) {
        const int to = i + BETWEEN < count ? i + BETWEEN : count;
        for (int j = i; j < to; j++) in_references[j] = stand_cold_us(p->s, runners[j], ms);
        const double after = reference_us(p, ms);
        const bool good = before > 0 && after > 0;
        for (int j = i; j < to; j++)
            in_references[j] =
                good && in_references[j] > 0 ? in_references[j] * 2 / (before + after) : 0;
        before = after;
    }
}

double pace_us(struct pace *p)
{
    static double sorted[PACE_LOOKS];
    memcpy(sorted, p->us, sizeof sorted);
    return p->n > 0 ? median(sorted, p->n) : 0;
}
