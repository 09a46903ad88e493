/* suggest.h : of a name that does not exist: which there are, and "did you mean" the nearest. */
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

/* io_list() : adds name i of n to "bf16, f16 or f32" in `out`, of which `used` bytes are used;
 *  returns how many are then, as snprintf() counts them. */
size_t io_list(char *out, size_t size, size_t used, size_t i, size_t n, const char *name);

#endif
