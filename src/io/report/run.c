/* run.c : the writers by format. */
#include "io/report/report.h"

const struct io_writer *io_writer_of(enum io_format format)
{
    static const struct io_writer *const writers[IO_FORMATS] = {&io_write_text,   &io_write_json,
                                                                &io_write_jsonl,  &io_write_sarif,
                                                                &io_write_github, &io_write_junit};
    return (unsigned)format < IO_FORMATS ? writers[format] : NULL;
}
