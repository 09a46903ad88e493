// One case of the suite on the device: its problem, its memory, and the plain reference that must
// leave the same bytes.
#ifndef TMAP_KERNELS_COPY_FIXTURE_H
#define TMAP_KERNELS_COPY_FIXTURE_H

#include "kernels/copy/suite.h"
#include "kernels/copy/reference.h"

// Everything one case needs on the device.
struct fixture {
    struct tmap_copy *suite;
    struct tmap_copy_problem problem;
    const char *reference;
    struct reference_params rows;
    struct reference_im2col_params image;
    uint64_t src_bytes, dst_bytes;
    tmap_cu_deviceptr src, dst, ref, index, found;
    struct tmap_copy_matrix *list;
    bool adds;
};

// fixture_open() : case i with about `bytes` of input; request: what the case fixes is added. Close
// it whatever it answers.
enum tmap_status fixture_open(struct fixture *b, struct tmap_copy *suite, size_t i, uint64_t bytes,
                              struct tmap_copy_config *request);
void fixture_close(struct fixture *b);
// fixture_fill(), fixture_reset() : the input's pattern of that seed; what the output is before a
// copy.
enum tmap_status fixture_fill(struct fixture *b, uint64_t at, uint64_t bytes, uint64_t seed);
enum tmap_status fixture_reset(struct fixture *b, uint64_t at);
enum tmap_status fixture_reference(struct fixture *b, uint64_t dst);
// fixture_compare() : how many 8-byte words of dst differ from ref.
enum tmap_status fixture_compare(struct fixture *b, uint64_t *wrong);
// fixture_verify() : runs the plan and the reference; the words that differ, padding included.
enum tmap_status fixture_verify(struct fixture *b, const struct tmap_copy_plan *plan,
                                uint64_t *wrong);
// fixture_has_conservative() : the case has a conservative shape to compare with.
bool fixture_has_conservative(size_t i);

#endif
