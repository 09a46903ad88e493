/* whole.c : see whole.h. */
#include "driver/whole.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool whole_open(struct whole_file *w, const char *path)
{
    struct stat now;
    w->file = NULL;
    w->renamed = stat(path, &now) != 0 || S_ISREG(now.st_mode);
    if ((size_t)snprintf(w->path, sizeof w->path, "%s", path) >= sizeof w->path ||
        (size_t)snprintf(w->part, sizeof w->part, "%s%s", path, w->renamed ? ".part" : "") >=
            sizeof w->part)
        return false;
    w->file = fopen(w->part, "wb");
    return w->file != NULL;
}

bool whole_close(struct whole_file *w, bool good)
{
    good = good && fflush(w->file) == 0 && !ferror(w->file);
    if (good && w->renamed) good = fsync(fileno(w->file)) == 0;
    if (fclose(w->file) != 0) good = false;
    w->file = NULL;
    if (!w->renamed) return good;
    if (good) good = rename(w->part, w->path) == 0;
    if (!good) unlink(w->part);
    return good;
}
