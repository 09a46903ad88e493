/* whole.h : a file that is there whole or as it was before: written beside its place, then renamed.
 */
#ifndef TMAP_DRIVER_WHOLE_H
#define TMAP_DRIVER_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

enum { WHOLE_PATH_BYTES = 4096 };

struct whole_file {
    FILE *file;
    bool renamed; /* false: a device or a pipe, written as it is */
    char path[WHOLE_PATH_BYTES], part[WHOLE_PATH_BYTES];
};

/* False: it cannot be made. */
bool whole_open(struct whole_file *w, const char *path);
/* Ends it: in its place when `good` and all was written, else gone, and what was there before still
 * is. True: in its place. */
bool whole_close(struct whole_file *w, bool good);

#endif
