/* images.h : the kernels' machine code, by name. */
#ifndef TMAP_KERNELS_IMAGES_H
#define TMAP_KERNELS_IMAGES_H

#include "tmap/code.h"

/* kernel_image() : "gemm/sm90/bf16". Of size 0 in a build without a CUDA compiler, and where no
 *  libtmap-cuda was found that has them. */
struct tmap_code_embedded kernel_image(const char *name);

#endif
