/* Checks whose subject is more than a descriptor. */
#ifndef TMAP_CORE_CHECK_USE_H
#define TMAP_CORE_CHECK_USE_H

#include "expr/subject.h"

/* check_pipeline() : the rows of pipeline.def for sums that src/solve formed. Output rules as
 * tmap_check_with(). */
enum tmap_status check_pipeline(const struct tmap_checker *checker,
                                const struct pipeline_facts *facts, struct tmap_violation *out,
                                size_t cap, size_t *found);

/* 1 when use is a tensormap.replace that turns desc into one checker refuses; 0 otherwise. */
uint32_t patched_is_illegal(const struct tmap_checker *checker, const struct tmap_desc *desc,
                            const struct tmap_use *use);

/* pipeline_is_legal() : the bare answer for many facts on one target, whose share of what is
 * derived derive_pipeline() fills once. */
void derive_pipeline(const struct tmap_checker *checker, struct derived *out);
bool pipeline_is_legal(const struct tmap_checker *checker, const struct derived *derived,
                       const struct pipeline_facts *facts);

#endif
