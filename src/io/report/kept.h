/* kept.h : what a writer keeps in a temporary file until its time comes. */
#ifndef TMAP_IO_KEPT_H
#define TMAP_IO_KEPT_H

#include <stdbool.h>
#include <stdio.h>

/* io_put_kept() : what was written to kept since it was last at its beginning goes to out, and kept
 *  is at its beginning again. False when that is not whole. */
bool io_put_kept(FILE *out, FILE *kept);

#endif
