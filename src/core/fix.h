/* The nearest value that helps: a violation's neighbours (tmap_detail) put into the record, and the
 * rows asked again. */
#ifndef TMAP_CORE_FIX_H
#define TMAP_CORE_FIX_H

#include "expr/field.h"

/* A descriptor with its uses, and what all of them violate together. A use's operand is tried
 * against that use alone, the descriptor's fields against all; trials of one value are one, and
 * uses may ask for FIX_TRIALS of them, so that the work grows with the number of uses and not with
 * its square. */
#define FIX_TRIALS 64

/* What a record would violate with one value changed, and what would then be advised against:
 * doubts are about what the copy means (rows that overlap), not about its speed. */
struct fix_trial {
    bool possible;
    size_t violations, doubts, advisories;
};

struct fix_record {
    const struct tmap_checker *checker;
    const struct tmap_desc *desc;
    const struct tmap_use *uses;
    size_t use_count;
    size_t violations; /* of the descriptor and of every use */
    size_t count;      /* of tried[] */
    struct {
        int slot;
        int128 value;
        struct fix_trial trial;
    } tried[FIX_TRIALS];
};

struct fix {
    struct tmap_number value; /* known = false: nothing could be tried */
    size_t rest;              /* rows of the record still violated with it */
};

/* fix_begin() : counts what the record violates. What is pointed at must outlive it. */
enum tmap_status fix_begin(struct fix_record *record, const struct tmap_checker *checker,
                           const struct tmap_desc *desc, const struct tmap_use *uses,
                           size_t use_count);

/* fix_nearest() : of the nearest legal values below and above that a violation's detail names, the
 * one with which the record violates less; of two that leave the same the one advised against less,
 * then the nearer. use is the index of the violating use, -1 for the descriptor. No allocation. */
struct fix fix_nearest(struct fix_record *record, int use, const struct tmap_detail *detail);

#endif
