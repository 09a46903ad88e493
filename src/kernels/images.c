/* Every image of the library. images.def is what the Makefile found. */
#include "tmap/code.h"

#define IMAGE(suite, name)                                                                         \
    extern const uint8_t image_##suite##_##name[];                                                 \
    extern const uint64_t image_##suite##_##name##_bytes;
#include "kernels/images.def"
#undef IMAGE

bool tmap_code_embedded_at(size_t i, struct tmap_code_embedded *image)
{
#define IMAGE(suite, name)                                                                         \
    {#suite "/" #name, image_##suite##_##name, &image_##suite##_##name##_bytes},
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
