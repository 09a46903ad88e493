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
}
