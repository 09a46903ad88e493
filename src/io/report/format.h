/* format.h : the output formats and their names. */
#ifndef TMAP_IO_FORMAT_H
#define TMAP_IO_FORMAT_H

#include <stdbool.h>

enum io_format {
#define FORMAT(word, name) IO_##word,
#include "io/report/formats.def"
    IO_FORMATS
};
#define IO_BIT(format) (1u << (format))
#define IO_ALL_FORMATS (IO_BIT(IO_FORMATS) - 1u)

/* io_format_name() : "text"; NULL past the end. io_format_find() : false when there is none. */
const char *io_format_name(enum io_format format);
bool io_format_find(const char *name, enum io_format *out);

#endif
