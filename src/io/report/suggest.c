/* suggest.c : see suggest.h. */
#include "io/report/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME 40

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static int differ(char a, char b)
{
    return tolower((unsigned char)a) != tolower((unsigned char)b);
}

/* Of names of at most MAX_NAME: letters to insert, delete, change, or swap with the next (optimal
 * string alignment). */
static size_t distance(const char *a, const char *b)
{
    size_t d[MAX_NAME + 1][MAX_NAME + 1];
    const size_t m = strlen(a), n = strlen(b);

    for (size_t i = 0; i <= m; i++) {
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const int swapped =
                i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]);
            d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1,
                            d[i - 1][j - 1] + (size_t)differ(a[i - 1], b[j - 1]));
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j]) d[i][j] = d[i - 2][j - 2] + 1;
        }
    }
    return d[m][n];
}

/* '_' and '-' count as nothing, so that elemStride is elem_stride. */
static void squeezed(const char *from, char out[MAX_NAME + 1])
{
    size_t n = 0;
    for (; *from && n < MAX_NAME; from++)
        if (*from != '_' && *from != '-') out[n++] = *from;
    out[n] = 0;
}

void io_suggest(struct io_suggestion *s, const char *name)
{
    char wanted[MAX_NAME + 1], known[MAX_NAME + 1];

    squeezed(s->wanted, wanted);
    squeezed(name, known);
    const size_t d = distance(wanted, known);
    if (s->best && d >= s->distance) return;
    s->best = name;
    s->distance = d;
}

const char *io_meant(const struct io_suggestion *s, char *out, size_t size)
{
    const size_t best = strlen(s->best), wanted = strlen(s->wanted);
    const size_t longer = best > wanted ? best : wanted;
    out[0] = 0;
    if (3 * s->distance <= longer + 2 && s->distance < longer)
        snprintf(out, size, "; did you mean '%s'?", s->best);
    return out;
}

size_t io_list(char *out, size_t size, size_t used, size_t i, size_t n, const char *name)
{
    const char *before = i == 0 ? "" : i + 1 == n ? " or " : ", ";
    const size_t at = used < size ? used : size;
    return used + (size_t)snprintf(out + at, size - at, "%s%s", before, name);
}
