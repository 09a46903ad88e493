/* Decode attention's inside: the loaded kernels, and how a plan is made (plan.c, maps.c). */
#ifndef TMAP_KERNELS_PAGED_SUITE_H
#define TMAP_KERNELS_PAGED_SUITE_H

#include "driver/libcuda.h"
#include "kernels/paged/params.h"
#include "kernels/runtime/opening.h"
#include "tmap/paged.h"

#define PAGED_MAX_SPLITS 128

struct tmap_paged {
    struct tmap_gpu gpu;
    struct tmap_checker checker;
    tmap_cu_module module;
    struct suite_mailbox mailbox; /* for a kernel that gives up */
    uint32_t smem_bytes;          /* a block may have */
    uint32_t limit_ms;            /* of a kernel's wait; UINT32_MAX: 49 days, for never */
};

/* The words into a refusal that blames no row; returns the status. refusal may be NULL. */
enum tmap_status paged_refuse(struct tmap_paged_refusal *refusal, enum tmap_status status,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The largest power of two, up to a slot's tokens, that divides a page. */
uint32_t paged_box_tokens(int32_t page_size);

/* K's map (which 0) or V's, checked with its use and encoded (maps.c). */
enum tmap_status paged_make_map(const struct tmap_paged *suite,
                                const struct tmap_paged_problem *problem, int which,
                                struct tmap_desc *desc, struct paged_map *map,
                                struct tmap_paged_refusal *refusal);

#endif
