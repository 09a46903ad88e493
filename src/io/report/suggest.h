/* suggest.h : "did you mean": the name nearest to one that does not exist. */
#ifndef TMAP_IO_SUGGEST_H
#define TMAP_IO_SUGGEST_H

#include <stddef.h>

struct io_suggestion {
    const char *wanted; /* what was typed */
    const char *best;   /* the nearest name so far, or NULL */
    size_t distance;
};

/* io_suggest() : one more name that exists. io_meant() : of at least one, "; did you mean 'check'?"
 * for a message, or "" where no name is near: about a third of the letters may differ. The text
 * lies in `out`. */
void io_suggest(struct io_suggestion *s, const char *name);
const char *io_meant(const struct io_suggestion *s, char *out, size_t size);

#endif
