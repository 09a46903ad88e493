/* result.c : what the library found of one subject, and the result that holds it. */
#include "io/report/judge.h"

#include <stdlib.h>
#include <string.h>

enum tmap_status io_violations(const struct tmap_checker *checker, const struct tmap_desc *desc,
                               const struct tmap_use *use, struct io_violations *out)
{
    enum tmap_status status;

    if (use)
        status = tmap_check_use(checker, desc, use, out->entry, IO_MAX_VIOLATIONS, &out->found,
                                &out->verdict);
    else
        status = tmap_check_with(checker, desc, out->entry, IO_MAX_VIOLATIONS, &out->found,
                                 &out->verdict);
    out->listed = out->found < IO_MAX_VIOLATIONS ? out->found : IO_MAX_VIOLATIONS;
    return status;
}

void io_result_free(struct io_result *result)
{
    for (size_t i = 0; i < result->arch_count; i++) free(result->arch[i].rules);
    free(result->arch);
    free(result->finding);
    free(result->rules);
    free(result->not_evaluated);
    memset(result, 0, sizeof *result);
}

bool io_allow_is_used(const struct io_result *result, size_t i)
{
    for (size_t k = 0; k < result->finding_count; k++)
        if (result->finding[k].row == result->record->allows[i].row) return true;
    return false;
}
