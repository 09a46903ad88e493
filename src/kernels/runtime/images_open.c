/* The images of a program that has none of its own: the command, and most tests. They are in the
 * libtmap-cuda beside it, opened when one is asked for. images.c is the library's own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tmap/code.h"

#define LIBRARY "libtmap-cuda.so.0"

typedef bool embedded_at(size_t i, struct tmap_code_embedded *image);

/* The images of a library of this very version; the kernels and what launches them belong together.
 */
static embedded_at *open_library(const char *path)
{
    const char *(*version)(void);
    embedded_at *at;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    *(void **)&version = dlsym(library, "tmap_version");
    *(void **)&at = dlsym(library, "tmap_code_embedded_at");
    return version && at && strcmp(version(), tmap_version()) == 0 ? at : NULL;
}

/* Beside the program (a build), in ../lib or ../lib64 (an installation), else where the loader
 * looks. */
bool tmap_code_embedded_at(size_t i, struct tmap_code_embedded *image)
{
    static const char *const folders[] = {"/", "/../lib/", "/../lib64/"};
    char self[PATH_MAX], path[PATH_MAX + sizeof "/../lib64/" LIBRARY];
    embedded_at *at = NULL;
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (size_t k = 0; slash && !at && k < sizeof folders / sizeof folders[0]; k++) {
        snprintf(path, sizeof path, "%s%s" LIBRARY, self, folders[k]);
        at = open_library(path);
    }
    if (!at) at = open_library(LIBRARY);
    if (at) return at(i, image);
    *image = (struct tmap_code_embedded){i ? LIBRARY : NULL, NULL, 0}; /* it was there at first */
    return false;
}
