/* Cases that run on a GPU and on the emulator alike: the same seed gives the same problem, and what
 * the kernel leaves is one block of bytes. On a GPU the problem is drawn in host memory, and its
 * buffers are mirrored to the device. */
#ifndef TMAP_TESTS_RECORDED_H
#define TMAP_TESTS_RECORDED_H

#include "support/emulated_suites.h"

enum { RECORDED_MIRRORS = 64, RECORDED_SHAPES = 20, RECORDED_CONFIG = 256 };

struct recorded {
    const struct tmap_libcuda *gpu; /* NULL: the emulator, and nothing is mirrored */
    struct tmap_gemm *host_gemm, *gemm;
    struct tmap_copy *host_copy, *copy;
    tmap_cu_module numerics;
    struct {
        uint64_t host, device;
        size_t bytes;
    } mirror[RECORDED_MIRRORS];
    size_t mirrors;
    /* of the last case */
    uint8_t *left; /* freed with the next case */
    size_t bytes;
    double worst;   /* of a product: |found - plain sum| / the sum of |products| */
    uint64_t wrong; /* of integers: elements that are no plain sum; of a copy: 1 */
    char config[RECORDED_CONFIG];
    char what[160];
};

/* Seeds below RECORDED_SHAPES / 2 multiply integers, the others normal numbers. False with why in
 * `what`. config: NULL draws one of those that the host offers; else the text that
 * gemm_print_config wrote. */
bool recorded_product(struct recorded *r, size_t instance, uint64_t seed, const char *config);
bool recorded_group(struct recorded *r, size_t instance, uint64_t seed);
bool recorded_copy(struct recorded *r, size_t i, uint64_t seed);
const char *recorded_copy_name(size_t i); /* of kind i; NULL at the end */

/* Instruction i of numerics.def; NULL at the end. */
const char *recorded_numerics_name(size_t i);
enum { NUMERICS_CLASSES = 8, NUMERICS_BLOCKS = 6, NUMERICS_D_BYTES = 2048 };
/* Its kernel over blocks of one class of data: `bytes` is NUMERICS_BLOCKS * NUMERICS_D_BYTES. */
bool recorded_numerics(struct recorded *r, size_t i, uint32_t data_class);

/* The device's address of the host's allocation, which is copied there; what a kernel left in it,
 * added to r->left; an end of all mirrors. */
uint64_t recorded_there(struct recorded *r, uint64_t host);
bool recorded_take(struct recorded *r, uint64_t host);
void recorded_forget(struct recorded *r);

uint64_t recorded_hash(const uint8_t *bytes, size_t n);
void recorded_end(struct recorded *r);

#endif
