#include "io/report/kept.h"

bool io_put_kept(FILE *out, FILE *kept)
{
    const bool written = fflush(kept) == 0 && !ferror(kept); /* a seek forgets an error */
    long left = ftell(kept);
    int c = 0;

    if (left < 0 || fseek(kept, 0, SEEK_SET) != 0) return false;
    for (; left > 0 && (c = fgetc(kept)) != EOF; left--) fputc(c, out);
    return fseek(kept, 0, SEEK_SET) == 0 && written && left == 0;
}
