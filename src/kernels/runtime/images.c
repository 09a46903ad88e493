/* Every image of the library. images.def is what the Makefile found. */
#include "tmap/code.h"

#define IMAGE(symbol, name)                                                                        \
    extern const uint8_t symbol[];                                                                 \
    extern const uint64_t symbol##_bytes;
#include "kernels/images.def"
#undef IMAGE

bool tmap_code_embedded_at(size_t i, struct tmap_code_embedded *image)
{
#define IMAGE(symbol, name) {name, symbol, &symbol##_bytes},
    static const struct {
        const char *name;
        const uint8_t *data;
        const uint64_t *bytes;
    } images[] = {
#include "kernels/images.def"
    };
#undef IMAGE
    if (!image || i >= sizeof images / sizeof images[0]) return false;
    *image = (struct tmap_code_embedded){images[i].name, images[i].data, (size_t)*images[i].bytes};
    return true;
}
