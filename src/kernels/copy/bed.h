// One case of the suite on the device: its problem, its memory, and the plain twin that must leave
// the same bytes.
#ifndef TMAP_KERNELS_COPY_BED_H
#define TMAP_KERNELS_COPY_BED_H

#include "kernels/copy/suite.h"
#include "kernels/copy/twins.h"

// Everything one case needs on the device.
struct bed {
    struct tmap_copy *suite;
    struct tmap_copy_problem problem;
    const char *twin;
    struct twin_params rows;
    struct twin_im2col_params image;
    uint64_t src_bytes, dst_bytes;
    tmap_cu_deviceptr src, dst, ref, index, found;
    struct tmap_copy_matrix *list;
    bool adds;
};

// bed_open() : case i with about `bytes` of input; request: what the case fixes is added. Close it
// whatever it answers.
enum tmap_status bed_open(struct bed *b, struct tmap_copy *suite, size_t i, uint64_t bytes,
                          struct tmap_copy_config *request);
void bed_close(struct bed *b);
// bed_fill(), bed_reset() : the input's pattern of that seed; what the output is before a copy.
enum tmap_status bed_fill(struct bed *b, uint64_t at, uint64_t bytes, uint64_t seed);
enum tmap_status bed_reset(struct bed *b, uint64_t at);
enum tmap_status bed_twin(struct bed *b, uint64_t dst);
// bed_compare() : how many 8-byte words of dst differ from ref.
enum tmap_status bed_compare(struct bed *b, uint64_t *wrong);
// bed_verify() : runs the plan and the twin; the words that differ, padding included.
enum tmap_status bed_verify(struct bed *b, const struct tmap_copy_plan *plan, uint64_t *wrong);
// bed_is_shy() : the case has a conservative shape to compare with.
bool bed_is_shy(size_t i);

#endif
