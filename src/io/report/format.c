/* format.c : see format.h. */
#include "io/report/format.h"

#include <string.h>

static const char *const names[IO_FORMATS] = {
#define FORMAT(word, name) #name,
#include "io/report/formats.def"
};

const char *io_format_name(enum io_format format)
{
    return (unsigned)format < IO_FORMATS ? names[format] : 0;
}

bool io_format_find(const char *name, enum io_format *out)
{
    for (int i = 0; i < IO_FORMATS; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (enum io_format)i;
            return true;
        }
    return false;
}
