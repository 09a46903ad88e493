/* run.c : the writers by format, and the totals every format ends with. */
#include "io/report/report.h"

const struct io_writer *io_writer_of(enum io_format format)
{
    static const struct io_writer *const writers[IO_FORMATS] = {&io_write_text,   &io_write_json,
                                                                &io_write_jsonl,  &io_write_sarif,
                                                                &io_write_github, &io_write_junit};
    return (unsigned)format < IO_FORMATS ? writers[format] : NULL;
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
