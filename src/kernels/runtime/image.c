/* An image by its name, wherever tmap_code_embedded_at() has them from. */
#include <string.h>

#include "kernels/runtime/images.h"

struct tmap_code_embedded kernel_image(const char *name)
{
    struct tmap_code_embedded image;
    for (size_t i = 0; tmap_code_embedded_at(i, &image); i++)
        if (strcmp(image.name, name) == 0) return image;
    return (struct tmap_code_embedded){name, NULL, 0};
}
