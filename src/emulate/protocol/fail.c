/* fail.c : why a record does not fold; nothing is folded after it. */
#include "emulate/protocol/fold.h"

#include <stdarg.h>
#include <stdio.h>

bool fold_fail(struct fold *f, uint32_t line, const char *format, ...)
{
    va_list args;
    f->error->line = line;
    va_start(args, format);
    vsnprintf(f->error->text, sizeof f->error->text, format, args);
    va_end(args);
    return false;
}

bool fold_memory(struct fold *f)
{
    f->memory = true;
    return false;
}
