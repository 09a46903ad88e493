/* PTX of the suite with a fault planted in its text: where kernels are shipped without a control
 * that has some. */
#ifndef TMAP_TESTS_SPOILED_PTX_H
#define TMAP_TESTS_SPOILED_PTX_H

#include <stdbool.h>

/* Of a kernel's places that read so, `count` from the first-th on: the statement that begins with
 * the text's last line becomes another, which is no longer. */
struct spoiled {
    const char *text, *instead;
    unsigned first, count;
};

/* Adds the file's kernels, as emulated_ptx(); text NULL: as they are. False where there is no such
 * file, kernel or place. */
bool emulated_spoiled_ptx(const char *source, const char *kernel, const struct spoiled *s);

#endif
