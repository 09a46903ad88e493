/* run.c : the writers by format. */
#include "io/report/report.h"

const struct io_writer *io_writer_of(enum io_format format)
{
    static const struct io_writer *const writers[IO_FORMATS] = {
#define FORMAT(word, name) &io_write_##name,
#include "io/report/formats.def"
    };
    return (unsigned)format < IO_FORMATS ? writers[format] : NULL;
}
