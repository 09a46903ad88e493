/* suggest.h : "did you mean": the name nearest to one that does not exist. */
#ifndef TMAP_CLI_SUGGEST_H
#define TMAP_CLI_SUGGEST_H

#include <stddef.h>

struct cli_suggestion {
    const char *wanted; /* what was typed */
    const char *best;   /* the nearest name so far, or NULL */
    size_t distance;
};

/* cli_suggest() : one more name that exists. cli_meant() : "; did you mean 'check'?" for a message,
 *  or "" where no name is near: about a third of the letters may differ. The text lies in `out`. */
void cli_suggest(struct cli_suggestion *s, const char *name);
const char *cli_meant(const struct cli_suggestion *s, char *out, size_t size);

#endif
