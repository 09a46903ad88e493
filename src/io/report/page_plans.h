/* page_plans.h : what `tmap report` shows of a pipeline's and of a product's record: the ring in
 * time, and the configurations on the roofline. */
#ifndef TMAP_IO_PAGE_PLANS_H
#define TMAP_IO_PAGE_PLANS_H

#include "io/json/record.h"

#include <stdio.h>

/* io_is_plan() : whether an object is input of `tmap pipeline` or `tmap prune`. */
bool io_is_plan(const json_t *object);

/* io_plan_article() : its article, and whether it can be. False with the record's error set. */
bool io_plan_article(FILE *out, const struct tmap_checker *checker, struct io_record *record,
                     enum tmap_verdict *verdict);

#endif
