/* What has to be settled before a request can be searched: values without meaning, empty tensors.
 */
#ifndef TMAP_SOLVE_DECIDE_H
#define TMAP_SOLVE_DECIDE_H

#include "solve/view.h"

struct decision {
    struct tmap_desc desc; /* with every field meaning something */
    uint32_t step_count;
    struct tmap_plan_step step[TMAP_PLAN_STEPS];
    bool decided; /* a value was chosen that only the caller can confirm */
    bool empty;   /* nothing to launch */
    bool hopeless;
    char reason[160];
};

void decide(const struct tmap_checker *checker, const struct tmap_desc *desc,
            const struct tmap_request *request, struct decision *out);

#endif
