/* The images of one library, and after them those of the libraries beside it. IMAGES is what
 * src/kernels/build.mk found for the library that this file is compiled for: libtmap-cuda.a has
 * every image; libtmap-cuda.so has its own, and opens those of IMAGE_LIBS one after the other when
 * an image is asked for that it has not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tmap/code.h"

typedef bool embedded_at(size_t i, struct tmap_code_embedded *image);

#define LIBRARY(file)
#define IMAGE(symbol, name)                                                                        \
    extern const uint8_t symbol[];                                                                 \
    extern const uint64_t symbol##_bytes;
#include IMAGES
#undef IMAGE

static const struct {
    const char *name;
    const uint8_t *data;
    const uint64_t *bytes;
} images[] = {
#define IMAGE(symbol, name) {name, symbol, &symbol##_bytes},
#include IMAGES
#undef IMAGE
};
#undef LIBRARY
#define OWN (sizeof images / sizeof images[0])

/* Of this very version, which the file's name says. */
static const char *const beside[] = {
#define IMAGE(symbol, name)
#define LIBRARY(file) file "." TMAP_VERSION_STRING,
#include IMAGES
    NULL};

/* Whether the file is not where it is installed, beside this library. What dlopen() says is no
 * answer: without memory it may look into no folder, and then finds nothing. */
static bool is_absent(const char *file)
{
    char path[PATH_MAX];
    Dl_info own;
    if (!dladdr(images, &own) || !own.dli_fname) return true;
    const char *slash = strrchr(own.dli_fname, '/');
    const int folder = slash ? (int)(slash + 1 - own.dli_fname) : 0;
    const int n = snprintf(path, sizeof path, "%.*s%s", folder, own.dli_fname, file);
    return n < 0 || (size_t)n >= sizeof path || access(path, F_OK) != 0;
}

/* The i-th image of all that lie beside. A library that is not there has none. */
static bool beside_at(size_t i, struct tmap_code_embedded *image)
{
    struct tmap_code_embedded found;
    for (const char *const *file = beside; *file; file++) {
        embedded_at *at = NULL;
        void *library = dlopen(*file, RTLD_NOW | RTLD_LOCAL);
        if (library) *(void **)&at = dlsym(library, "tmap_code_embedded_at");
        if (!at && (library || !is_absent(*file))) return image->name = *file, false;
        for (size_t k = 0; at && at(k, &found); k++)
            if (i-- == 0) return *image = found, true;
    }
    return false;
}

bool tmap_code_embedded_at(size_t i, struct tmap_code_embedded *image)
{
    if (!image) return false;
    *image = (struct tmap_code_embedded){NULL, NULL, 0};
    if (i >= OWN) return beside_at(i - OWN, image);
    *image = (struct tmap_code_embedded){images[i].name, images[i].data, (size_t)*images[i].bytes};
    return true;
}
