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

/* suite_checker() : for the device's own architecture, which the kernels' instructions are of, and
 *  what shared memory a block may have there. */
enum tmap_status suite_checker(const struct tmap_gpu *gpu, struct tmap_checker *checker,
                               uint32_t *smem_bytes);

/* suite_kernel() : a kernel of a loaded module, which may be launched with so many bytes of dynamic
 *  shared memory. On an error, TMAP_E_DRIVER, *out stays. */
enum tmap_status suite_kernel(const struct tmap_libcuda *api, tmap_cu_module module,
                              const char *name, uint32_t smem_bytes, tmap_cu_function *out);

/* Words of the host's memory that kernels write to when they give up. */
struct suite_mailbox {
    volatile uint32_t *words; /* NULL: not opened */
    tmap_cu_deviceptr device; /* the same, as kernels see them */
};

#define SUITE_MAILBOX_BYTES 64u

/* suite_mailbox_open() : zeros; close() takes one that open() stopped in, too. */
enum tmap_status suite_mailbox_open(const struct tmap_libcuda *api, struct suite_mailbox *box);
void suite_mailbox_close(const struct tmap_libcuda *api, struct suite_mailbox *box);

/* suite_explain() : the words, as far as there is room. */
void suite_explain(char *why, size_t cap, const char *text);

#endif
