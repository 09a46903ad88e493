/* opening.h : what opening and closing a suite of kernels has in common. */
#ifndef TMAP_KERNELS_OPENING_H
#define TMAP_KERNELS_OPENING_H

#include "driver/libcuda.h"
#include "tmap/launch.h"

/* A suite begins with its struct tmap_gpu. */
struct suite_kind {
    const char *image; /* of its kernels, one that every build with a CUDA compiler has */
    size_t bytes;
    /* Its own part, with the device's context current. `why` gets the words of a failure. */
    enum tmap_status (*prepare)(void *suite, uint32_t limit_ms, char *why, size_t cap);
    /* The same undone, wherever prepare() stopped; without the context memory of the host alone. */
    void (*release)(void *suite, bool current);
};

/* suite_open() : as the public functions that are named so; how may be NULL. On an error nothing
 *  stays open. */
enum tmap_status suite_open(const struct suite_kind *kind, const struct tmap_open *how, void **out,
                            char *why, size_t cap);
void suite_close(const struct suite_kind *kind, void *suite);

/* suite_explain() : the words, as far as there is room. */
void suite_explain(char *why, size_t cap, const char *text);

#endif
