/* tensor.h : the tensors that pasted Python makes: shape, strides and element type out of
 * torch.empty((M, K), dtype=torch.float16) and the like, numpy's and JAX's too. */
#ifndef TMAP_IO_TENSOR_H
#define TMAP_IO_TENSOR_H

#include "io/paste/source_value.h"
#include "tmap/tmap.h"

/* Outermost first, strides in elements. */
struct io_tensor {
    int rank;
    int64_t dim[TMAP_MAX_RANK], stride[TMAP_MAX_RANK];
    unsigned unknown; /* dimensions without a value, a bit each; their strides are none either */
    unsigned stride_unknown;
    int32_t dtype;  /* enum tmap_dtype; -1: not said */
    int64_t bytes;  /* of a buffer without a shape; else 0 */
    int64_t offset; /* of a slice: elements from the allocation's beginning, if that is known */
};

/* io_tensor_of() : the tensor that the expression makes or names; false where it is none. */
bool io_tensor_of(struct io_source *s, const char *at, const char *end, struct io_tensor *out);

/* io_tensor_attribute() : io_source's attribute: "shape", "size", "stride", "strides",
 * and "itemsize", the bytes of an element. */
bool io_tensor_attribute(struct io_source *s, const char *name, const char *attribute, int index,
                         int64_t *out);

#endif
