/* tensor.c : tensors of any rank from JSON, in our order or as torch prints them. */
#include "io/plan/plan.h"
#include "core/layout.h"
#include "expr/values.h"
#include "io/json/read.h"

#include <inttypes.h>
#include <string.h>

#define LONG_STRIDE (UINT64_C(1) << 40) /* bytes: of a dimension that becomes maps */

/* Whether no descriptor holds it: torch's words, more dimensions than a map, or a stride beyond. */
bool io_is_tensor(const json_t *object)
{
    const json_t *stride = json_object_get(object, "stride"), *one;
    size_t i;
    if (json_object_get(object, "kind") || json_object_get(object, "elem_stride") ||
        json_object_get(object, "interleave"))
        return false;
    if (json_object_get(object, "sizes")) return true;
    json_array_foreach(stride, i,
                       one) if (json_is_integer(one) &&
                                (uint64_t)json_integer_value(one) >= LONG_STRIDE) return true;
    return json_array_size(json_object_get(object, "dim")) > TMAP_MAX_RANK;
}

/* How an array of the input counts: torch's outermost first, and strides of elements. */
struct reader {
    struct io_at at;
    json_t *object;
    struct io_tensor *out;
};

static bool read_sizes(const struct reader *r, const char *key)
{
    struct tmap_tensor *t = &r->out->tensor;
    const json_t *list = json_object_get(r->object, key);
    char path[96];
    io_path_of(r->at.path, key, -1, path, sizeof path);
    if (!json_is_array(list) || json_array_size(list) == 0 ||
        json_array_size(list) > TMAP_TENSOR_RANK)
        return io_fail(r->at.record, path, "expected an array of 1 to %d numbers",
                       TMAP_TENSOR_RANK);
    t->rank = (uint32_t)json_array_size(list);
    for (uint32_t i = 0; i < t->rank; i++)
        if (!io_get_u64(&r->at, key, (int)i, json_array_get(list, i),
                        &t->dim[r->out->outermost_first ? t->rank - 1 - i : i]))
            return false;
    return true;
}

/* Strides of a tensor without gaps. */
static bool dense(const struct reader *r, const char *path)
{
    struct tmap_tensor *t = &r->out->tensor;
    uint64_t bits = layout_gmem_bits(t->dtype);
    for (uint32_t i = 0; i < t->rank; i++) {
        t->stride_bits[i] = bits;
        if (__builtin_mul_overflow(bits, t->dim[i], &bits))
            return io_fail(r->at.record, path, "a tensor of more than 2^61 bytes");
    }
    return true;
}

/* `unit` bits each, of the dimensions from `first`. */
static bool read_strides(const struct reader *r, const char *key, uint64_t unit, uint32_t first)
{
    struct tmap_tensor *t = &r->out->tensor;
    const json_t *list = json_object_get(r->object, key);
    char path[96];
    io_path_of(r->at.path, key, -1, path, sizeof path);
    if (!list) return dense(r, path);
    if (!json_is_array(list) || json_array_size(list) != t->rank - first)
        return io_fail(r->at.record, path, "expected an array of %u numbers", t->rank - first);
    t->stride_bits[0] = layout_gmem_bits(t->dtype);
    for (uint32_t i = first; i < t->rank; i++) {
        const uint32_t at = r->out->outermost_first ? t->rank - 1 - i : i - first;
        uint64_t stride;
        if (!io_get_u64(&r->at, key, (int)at, json_array_get(list, at), &stride)) return false;
        if (__builtin_mul_overflow(stride, unit, &t->stride_bits[i]))
            return io_fail(r->at.record, path, "a stride of more than 2^61 bytes");
    }
    return true;
}

static bool read_box(const struct reader *r, const json_t *box, const char *path)
{
    struct tmap_tensor *t = &r->out->tensor;
    const struct io_at at = {r->at.record, "$", 0};
    if (json_array_size(box) != t->rank)
        return io_fail(r->at.record, path, "expected an array of %u numbers", t->rank);
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t *to = &t->box[r->out->outermost_first ? t->rank - 1 - i : i];
        if (!io_get_u32(&at, path + 2, (int)i, json_array_get(box, i), to)) return false;
        if (*to == 0) return io_fail(r->at.record, path, "a tile of no elements");
    }
    return true;
}

/* The address of element 0: torch's is that of the storage. */
static bool read_address(const struct reader *r)
{
    struct tmap_tensor *t = &r->out->tensor;
    json_t *address = json_object_get(r->object, "address");
    json_t *offset = json_object_get(r->object, "offset");
    uint64_t elements = 0, bits;
    char path[96];
    io_path_of(r->at.path, "offset", -1, path, sizeof path);
    if (address && !io_get_u64(&r->at, "address", -1, address, &t->address)) return false;
    if (offset && !io_get_u64(&r->at, "offset", -1, offset, &elements)) return false;
    if (__builtin_mul_overflow(elements, layout_gmem_bits(t->dtype), &bits) || bits % 8 ||
        __builtin_add_overflow(t->address, bits / 8, &t->address))
        return io_fail(r->at.record, path, "element 0 lies at no byte");
    return true;
}

bool io_tensor_from(struct io_record *record, json_t *object, const char *path, const json_t *box,
                    const char *box_path, struct io_tensor *out)
{
    static const char *const torch[] = {"dtype", "address", "sizes", "strides", "offset", NULL};
    struct reader r = {{record, path, 0}, object, out};
    json_t *dtype = json_object_get(object, "dtype");
    memset(out, 0, sizeof *out);
    out->outermost_first = json_object_get(object, "sizes") != NULL;
    if (out->outermost_first && !io_check_keys(&r.at, object, torch)) return false;
    if (!dtype) return io_fail(record, path, "dtype is missing");
    if (!io_get_enum(&r.at, "dtype", dtype, VALUES_DTYPE, &out->tensor.dtype)) return false;
    const uint64_t bits = layout_gmem_bits(out->tensor.dtype);
    if (bits == 0) return io_fail(record, path, "dtype has no size");
    if (!read_sizes(&r, out->outermost_first ? "sizes" : "dim")) return false;
    if (!(out->outermost_first ? read_strides(&r, "strides", bits, 0)
                               : read_strides(&r, "stride", 8, 1)))
        return false;
    return read_address(&r) && read_box(&r, box, box_path);
}

void io_fold_given(const struct tmap_desc *given, struct tmap_fold *fold)
{
    const uint32_t memory = TMAP_HAS_ALLOCATION | TMAP_HAS_MAP_ADDRESS | TMAP_NULL_MAP;
    struct tmap_desc *d = &fold->desc;
    d->swizzle = given->swizzle;
    d->oob_fill = given->oob_fill;
    d->l2_promotion = given->l2_promotion;
    d->flags |= given->flags & memory;
    d->map_address = given->map_address;
    d->allocation_base = given->allocation_base;
    d->allocation_bytes = given->allocation_bytes;
    if (!fold->reason[0] && fold->maps > 1 &&
        given->flags & (TMAP_HAS_ALLOCATION | TMAP_HAS_MAP_ADDRESS))
        snprintf(fold->reason, sizeof fold->reason,
                 "the tensor takes %" PRIu64 " maps: allocation and map_address are those of one",
                 fold->maps);
}

/* A sum of the request's coordinates, by the places that they have in the input. */
static void sum_text(const struct io_tensor *t, const uint64_t *coef, char *out, size_t size)
{
    size_t at = 0;
    if (size) out[0] = 0;
    for (uint32_t k = 0; k < t->tensor.rank; k++) {
        const uint32_t i = t->outermost_first ? t->tensor.rank - 1 - k : k;
        char times[24] = "";
        if (coef[i] == 0 || at >= size) continue;
        if (coef[i] != 1) snprintf(times, sizeof times, "%" PRIu64 "*", coef[i]);
        at += (size_t)snprintf(out + at, size - at, "%s%sx%u", at ? " + " : "", times, k);
    }
}

void io_fold_text(FILE *out, const struct io_tensor *t, const struct tmap_fold *fold)
{
    char sum[400];
    fputs("  coordinates:", out);
    for (uint32_t k = 0; k < fold->desc.rank; k++) {
        sum_text(t, fold->coef[k], sum, sizeof sum);
        fprintf(out, "%s c%u = %s", k ? "," : "", k, sum[0] ? sum : "0");
    }
    fputs(", of the request's x0, x1, ...\n", out);
    sum_text(t, fold->map_coef, sum, sizeof sum);
    if (fold->maps > 1)
        fprintf(out, "  %" PRIu64 " maps: that of a tile has the address of its plan + %s\n",
                fold->maps, sum);
    if (fold->moved)
        fputs("  another dimension is the innermost, since its elements are side by side: the tile "
              "is transposed\n",
              out);
    if (fold->longer_rows)
        fputs("  the tile lies in rows of c0, which are longer than those of x0\n", out);
}

json_t *io_fold_json(const struct io_tensor *t, const struct tmap_fold *fold)
{
    json_t *list = json_array();
    char sum[400];
    for (uint32_t k = 0; k < fold->desc.rank; k++) {
        sum_text(t, fold->coef[k], sum, sizeof sum);
        json_array_append_new(list, json_string(sum[0] ? sum : "0"));
    }
    sum_text(t, fold->map_coef, sum, sizeof sum);
    return json_pack("{s:o, s:I, s:s, s:b, s:b}", "coordinates", list, "maps",
                     (json_int_t)fold->maps, "address_offset", sum[0] ? sum : "0", "transposed",
                     fold->moved, "longer_rows", fold->longer_rows);
}
