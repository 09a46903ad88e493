/* result.c : what the library found of one subject, the result that holds it, and the totals of
 * results. */
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

void io_put_tail(FILE *out, const struct io_finding *f, void (*put)(FILE *out, const char *text))
{
    char near[40];

    if (f->fix.known) {
        fputs(f->fix_checked ? "; legal with " : "; nearest ", out);
        put(out, io_value_text(f->detail.slot, f->fix, near));
    }
    if (f->allowed) {
        fputs("; allowed: ", out);
        put(out, f->allowed);
    }
}

void io_count(struct io_run *run, const struct io_result *result)
{
    run->records++;
    run->legal += result->verdict == TMAP_LEGAL;
    run->illegal += result->verdict == TMAP_ILLEGAL;
    run->unknown += result->verdict == TMAP_UNKNOWN;
    run->accepted += result->accepted;
    run->unmet += result->unmet;
    for (size_t i = 0; i < result->arch_count; i++)
        run->illegal_pairs += result->arch[i].verdict == TMAP_ILLEGAL;
}

bool io_is_as_expected(const struct io_result *result)
{
    return result->record->flags & (IO_HAS_EXPECT | IO_HAS_EXPECT_RULES) && !result->unmet &&
           !result->arch;
}
