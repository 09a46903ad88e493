/* desc.c : a descriptor from its JSON object.
 *
 * The form: dimensions innermost first, in elements; strides in bytes; arrays hold min(rank, 5)
 * entries (strides one less, corners rank - 2 within 0 to 3). Where the rank is above 5, the
 * entries past the fifth may be there too and are not looked at: the rank is what is wrong. */
#include "expr/values.h"
#include "core/layout.h"
#include "io/json/read.h"
#include "io/report/suggest.h"

#include <string.h>

#define MAX_LISTED 64 /* entries of an array of a descriptor whose rank is absurd */

static const char *const tiled_keys[] = {
    "name",     "kind",        "dtype",       "rank",       "address", "dim",
    "stride",   "box",         "elem_stride", "interleave", "swizzle", "l2_promotion",
    "oob_fill", "map_address", "allocation",  "uses",       "expect",  "expect_rules",
    "allow",    "assume",      NULL};
static const char *const im2col_keys[] = {
    "name",       "kind",    "dtype",        "rank",     "address",     "dim",
    "stride",     "lower",   "upper",        "channels", "pixels",      "elem_stride",
    "interleave", "swizzle", "l2_promotion", "oob_fill", "map_address", "allocation",
    "uses",       "expect",  "expect_rules", "allow",    "assume",      NULL};
static const char *const wide_keys[] = {
    "name",         "kind",         "dtype",       "rank",       "address",
    "dim",          "stride",       "lower",       "upper",      "channels",
    "pixels",       "mode",         "elem_stride", "interleave", "swizzle",
    "l2_promotion", "oob_fill",     "map_address", "allocation", "uses",
    "expect",       "expect_rules", "allow",       "assume",     NULL};

static bool missing(const struct io_at *at, const char *key)
{
    return io_fail(at->record, at->path, "\"%s\" is missing", key);
}

/* --- scalars -----------------------------------------------------------------------------------*/

static bool no_such_value(const struct io_at *at, const char *path, const char *key,
                          enum values which, const char *text)
{
    struct io_suggestion s = {.wanted = text};
    char meant[64];

    for (size_t i = 0; value_spelling(which, i); i++) io_suggest(&s, value_spelling(which, i));
    return io_fail(at->record, path, "there is no %s \"%.32s\"%s", key, text,
                   io_meant(&s, meant, sizeof meant));
}

bool io_get_enum(const struct io_at *at, const char *key, json_t *value, enum values which,
                 int32_t *out)
{
    char path[96];
    struct io_at strict = *at;

    if (json_is_string(value) && value_find(which, json_string_value(value), out)) return true;
    if (json_is_integer(value)) return io_get_i32(at, key, -1, value, out);
    strict.flags &= ~(unsigned)IO_SYMBOLIC;
    if (json_is_string(value) && io_get_i32(&strict, key, -1, value, out)) return true;
    io_path_of(at->path, key, -1, path, sizeof path);
    if (!json_is_string(value))
        return io_fail(at->record, path, "expected a name or an integer, not %s",
                       io_type_name(value));
    return no_such_value(at, path, key, which, json_string_value(value));
}

static bool optional_enum(const struct io_at *at, json_t *object, const char *key,
                          enum values which, int32_t *out)
{
    json_t *value = json_object_get(object, key);
    return !value || io_get_enum(at, key, value, which, out);
}

static bool read_kind(const struct io_at *at, json_t *object, int32_t *out)
{
    json_t *value = json_object_get(object, "kind");
    char path[96];

    *out = TMAP_TILED;
    if (!value) return true;
    if (json_is_string(value) && value_find(VALUES_KIND, json_string_value(value), out))
        return true;
    if (json_is_integer(value)) return io_get_i32(at, "kind", -1, value, out);
    io_path_of(at->path, "kind", -1, path, sizeof path);
    return io_fail(at->record, path, "expected \"tiled\", \"im2col\" or \"im2col_wide\"");
}

static bool read_enums(const struct io_at *at, json_t *object, struct tmap_desc *d)
{
    json_t *dtype = json_object_get(object, "dtype"), *mode = json_object_get(object, "mode");

    if (!dtype) return missing(at, "dtype");
    if (d->kind == TMAP_IM2COL_WIDE && !mode) return missing(at, "mode");
    return io_get_enum(at, "dtype", dtype, VALUES_DTYPE, &d->dtype) &&
           optional_enum(at, object, "interleave", VALUES_INTERLEAVE, &d->interleave) &&
           optional_enum(at, object, "swizzle", VALUES_SWIZZLE, &d->swizzle) &&
           optional_enum(at, object, "l2_promotion", VALUES_L2, &d->l2_promotion) &&
           optional_enum(at, object, "oob_fill", VALUES_OOB, &d->oob_fill) &&
           optional_enum(at, object, "mode", VALUES_MODE, &d->mode);
}

/* --- arrays ------------------------------------------------------------------------------------*/

/* One array of the descriptor: where its numbers go, and what it may leave out. */
struct array {
    const char *key;
    uint32_t null_flag; /* what null means, as a bit of tmap_desc.flags; 0: null is an error */
    size_t least, most; /* entries it must and may have */
    size_t kept;        /* entries there is room for */
    uint64_t *u64;
    uint32_t *u32;
    int32_t *i32;
};

static bool read_entry(const struct io_at *at, const struct array *a, size_t i, json_t *value)
{
    if (a->u64) return io_get_u64(at, a->key, (int)i, value, &a->u64[i]);
    if (a->u32) return io_get_u32(at, a->key, (int)i, value, &a->u32[i]);
    return io_get_i32(at, a->key, (int)i, value, &a->i32[i]);
}

static bool wrong_length(const struct io_at *at, const struct array *a, size_t n)
{
    char path[96];
    io_path_of(at->path, a->key, -1, path, sizeof path);
    return io_fail(at->record, path, "%zu entr%s where the rank asks for %zu", n,
                   n == 1 ? "y" : "ies", a->least);
}

static bool read_array(const struct io_at *at, json_t *object, const struct array *a,
                       struct tmap_desc *d)
{
    json_t *value = json_object_get(object, a->key);
    char path[96];
    size_t n;

    if (json_is_null(value) && a->null_flag) {
        d->flags |= a->null_flag;
        return true;
    }
    if (!json_is_array(value)) {
        io_path_of(at->path, a->key, -1, path, sizeof path);
        return io_fail(at->record, path, "expected an array%s, not %s",
                       a->null_flag ? " or null" : "", io_type_name(value));
    }
    n = json_array_size(value);
    if (n < a->least || n > a->most) return wrong_length(at, a, n);
    for (size_t i = 0; i < n && i < a->kept; i++)
        if (!read_entry(at, a, i, json_array_get(value, i))) return false;
    return true;
}

/* --- the shape ---------------------------------------------------------------------------------*/

static bool read_rank(const struct io_at *at, json_t *object, struct tmap_desc *d)
{
    json_t *rank = json_object_get(object, "rank"), *dim = json_object_get(object, "dim");
    struct io_at strict = *at;

    if (!dim) return missing(at, "dim");
    strict.flags &= ~(unsigned)IO_SYMBOLIC;
    if (rank) return io_get_u32(&strict, "rank", -1, rank, &d->rank);
    if (json_is_null(dim)) return missing(at, "rank");
    d->rank = (uint32_t)json_array_size(dim); /* of no array it is 0; read_shape() says so */
    return true;
}

static size_t at_most(size_t n, size_t limit)
{
    return n < limit ? n : limit;
}

/* The strides of a tensor without gaps; false where the type's size or a product is not known. */
static bool dense_strides(const struct io_at *at, struct tmap_desc *d)
{
    const uint32_t slice = layout_slice_bytes(d->interleave);
    const uint64_t bits = slice ? 8 * slice : layout_gmem_bits(d->dtype);
    uint64_t bytes;

    if (at->flags & IO_SYMBOLIC)
        return io_fail(
            at->record, at->path,
            "\"stride\" is missing: of parameters it is an expression in bytes, \"2*K\"");
    if (bits == 0 || d->flags & TMAP_NULL_DIM || d->rank > TMAP_MAX_RANK)
        return missing(at, "stride");
    if (__builtin_mul_overflow(d->dim[0], bits, &bytes)) return missing(at, "stride");
    bytes = bytes / 8 + (bytes % 8 != 0);
    for (uint32_t i = 0; i + 1 < d->rank; i++) {
        d->stride_bytes[i] = bytes;
        if (__builtin_mul_overflow(bytes, d->dim[i + 1], &bytes) && i + 2 < d->rank)
            return missing(at, "stride");
    }
    at->record->flags |= IO_NO_STRIDE;
    return true;
}

static bool read_shape(const struct io_at *at, json_t *object, struct tmap_desc *d)
{
    size_t entries = at_most(d->rank, TMAP_MAX_RANK), listed = at_most(d->rank, MAX_LISTED);
    size_t strides = entries ? entries - 1 : 0;
    struct array dim = {"dim", TMAP_NULL_DIM, entries, listed, TMAP_MAX_RANK, d->dim, NULL, NULL};
    struct array stride = {"stride",          TMAP_NULL_STRIDE, strides, listed ? listed - 1 : 0,
                           TMAP_MAX_RANK - 1, d->stride_bytes,  NULL,    NULL};
    struct array es = {"elem_stride", TMAP_NULL_ELEM_STRIDE, entries, listed, TMAP_MAX_RANK,
                       NULL,          d->elem_stride,        NULL};

    for (int i = 0; i < TMAP_MAX_RANK; i++) d->elem_stride[i] = 1;
    if (!read_array(at, object, &dim, d)) return false;
    if (!(json_object_get(object, "stride") ? read_array(at, object, &stride, d)
                                            : strides == 0 || dense_strides(at, d)))
        return false;
    return !json_object_get(object, "elem_stride") || read_array(at, object, &es, d);
}

static bool read_box(const struct io_at *at, json_t *object, struct tmap_desc *d)
{
    struct array box = {"box",
                        TMAP_NULL_BOX,
                        at_most(d->rank, TMAP_MAX_RANK),
                        at_most(d->rank, MAX_LISTED),
                        TMAP_MAX_RANK,
                        NULL,
                        d->box,
                        NULL};
    if (!json_object_get(object, "box")) return missing(at, "box");
    return read_array(at, object, &box, d);
}

/* im2col: arrays of rank - 2 corners; wide: one number each, or an array of one. */
static bool read_corner(const struct io_at *at, json_t *object, const char *key, uint32_t null_flag,
                        int32_t *out, struct tmap_desc *d)
{
    json_t *value = json_object_get(object, key);
    bool wide = d->kind == TMAP_IM2COL_WIDE;
    size_t spatial = d->rank > 2 ? d->rank - 2 : 0;
    size_t least = wide ? 1 : at_most(spatial, TMAP_MAX_SPATIAL);
    size_t most = wide ? 1 : at_most(spatial, MAX_LISTED);
    struct array corner = {key, null_flag, least, most, TMAP_MAX_SPATIAL, NULL, NULL, out};

    if (!value && least == 0) return true;
    if (!value) return missing(at, key);
    if (wide && !json_is_array(value)) return io_get_i32(at, key, -1, value, out);
    return read_array(at, object, &corner, d);
}

static bool required_u32(const struct io_at *at, json_t *object, const char *key, uint32_t *out)
{
    json_t *value = json_object_get(object, key);
    return value ? io_get_u32(at, key, -1, value, out) : missing(at, key);
}

static bool read_im2col(const struct io_at *at, json_t *object, struct tmap_desc *d)
{
    bool wide = d->kind == TMAP_IM2COL_WIDE;
    return read_corner(at, object, "lower", wide ? 0 : TMAP_NULL_LOWER, d->lower, d) &&
           read_corner(at, object, "upper", wide ? 0 : TMAP_NULL_UPPER, d->upper, d) &&
           required_u32(at, object, "channels", &d->channels) &&
           required_u32(at, object, "pixels", &d->pixels);
}

/* --- memory ------------------------------------------------------------------------------------*/

static bool read_address(const struct io_at *at, json_t *object, struct tmap_desc *d)
{
    json_t *address = json_object_get(object, "address");
    json_t *map = json_object_get(object, "map_address");

    if (!address && at->flags & IO_NEEDS_ADDRESS)
        return io_fail(at->record, at->path, "\"address\" is missing, which the 128 bytes hold");
    if (!address) at->record->flags |= IO_NO_ADDRESS;
    if (address && !json_is_null(address) && !io_get_u64(at, "address", -1, address, &d->address))
        return false;
    if (json_is_null(map)) d->flags |= TMAP_NULL_MAP;
    if (!map || json_is_null(map)) return true;
    d->flags |= TMAP_HAS_MAP_ADDRESS;
    return io_get_u64(at, "map_address", -1, map, &d->map_address);
}

static bool read_allocation(const struct io_at *at, json_t *object, struct tmap_desc *d)
{
    static const char *const keys[] = {"base", "bytes", NULL};
    json_t *value = json_object_get(object, "allocation");
    char path[96];
    struct io_at inside = {at->record, path, at->flags};
    json_t *base = json_object_get(value, "base"), *bytes = json_object_get(value, "bytes");

    if (!value) return true;
    io_path_of(at->path, "allocation", -1, path, sizeof path);
    if (!json_is_object(value))
        return io_fail(at->record, path, "expected an object, not %s", io_type_name(value));
    if (!io_check_keys(&inside, value, keys)) return false;
    if (!base || !bytes) return missing(&inside, base ? "bytes" : "base");
    d->flags |= TMAP_HAS_ALLOCATION;
    return io_get_u64(&inside, "base", -1, base, &d->allocation_base) &&
           io_get_u64(&inside, "bytes", -1, bytes, &d->allocation_bytes);
}

bool io_desc_from(struct io_record *record, json_t *object, const char *path, unsigned flags,
                  struct tmap_desc *out)
{
    const struct io_at at = {record, path, flags};
    struct tmap_desc d;

    memset(&d, 0, sizeof d);
    if (!json_is_object(object))
        return io_fail(record, path, "expected an object, not %s", io_type_name(object));
    if (!read_kind(&at, object, &d.kind)) return false;
    if (!io_check_keys(&at, object,
                       d.kind == TMAP_IM2COL        ? im2col_keys
                       : d.kind == TMAP_IM2COL_WIDE ? wide_keys
                                                    : tiled_keys))
        return false;
    if (!read_enums(&at, object, &d) || !read_rank(&at, object, &d) ||
        !read_shape(&at, object, &d) || !read_address(&at, object, &d) ||
        !read_allocation(&at, object, &d))
        return false;
    if (d.kind == TMAP_IM2COL || d.kind == TMAP_IM2COL_WIDE ? !read_im2col(&at, object, &d)
                                                            : !read_box(&at, object, &d))
        return false;
    *out = d;
    return true;
}
