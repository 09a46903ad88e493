/* listing.c : see listing.h. */
#include "io/paste/listing.h"
#include "io/paste/narrow.h"

#include "expr/values.h"

#include <string.h>

static const struct {
    int bytes;
    enum tmap_dtype dtype;
} types[] = {{1, TMAP_UINT8}, {2, TMAP_BFLOAT16}, {4, TMAP_FLOAT32}, {8, TMAP_FLOAT64}};
enum { TYPES = sizeof types / sizeof types[0] };

/* A type of as many bytes as a listing's elements have: all of a width obey the same rules, but for
 * a NaN fill. -1 where it says neither a type nor their size, which CUTLASS prints as the first
 * stride; but a 1 may count elements. */
int32_t io_listing_type(const struct numbers f[FIELDS])
{
    const struct numbers *raw = &f[STRIDE_RAW];
    const int64_t bytes = f[ELEM_BYTES].count > 0 ? f[ELEM_BYTES].number[0]
                          : raw->count > 1 && raw->count >= f[DIM].count && raw->number[0] > 1
                              ? raw->number[0]
                              : 0;
    if (f[DTYPE].count > 0) return io_narrow_i32(f[DTYPE].number[0]);
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].bytes == bytes) return (int32_t)types[i].dtype;
    return -1;
}

/* How many strides of dimensions behind the innermost a listing has. */
static int strides_of(const struct numbers f[FIELDS])
{
    const struct numbers *raw = &f[STRIDE_RAW];
    const bool own = raw->count > 0 && raw->number[0] <= 8; /* the element's is the first */

    return f[STRIDE_ELEMENTS].count > 0 ? f[STRIDE_ELEMENTS].count : raw->count - own;
}

/* The rank that a listing says, or that its longest list has: shorter ones are not whole. Of one
 * dimension it must be said: a line may speak of the innermost alone. */
static int rank_of(const struct numbers f[FIELDS])
{
    const int said = f[RANK].count == 1        ? io_narrow_i32(f[RANK].number[0])
                     : f[RANK_HINT].count == 1 ? io_narrow_i32(f[RANK_HINT].number[0])
                                               : 0;
    const int dims = f[DIM].count, boxes = f[BOX].count, strides = strides_of(f);
    const bool padded = dims == TMAP_MAX_RANK || boxes == TMAP_MAX_RANK;
    const bool fits = said == dims || (dims < 1 && said == boxes && said == f[ELEM_STRIDE].count);
    int rank = 2;

    if (said > 0 && said <= TMAP_MAX_RANK && (padded || f[RANK].count == 1 || fits)) return said;
    if (f[DIM].longer || f[BOX].longer) return TMAP_MAX_RANK + 1;
    rank = dims > rank ? dims : rank;
    rank = boxes > rank ? boxes : rank;
    return strides + 1 > rank && strides < TMAP_MAX_RANK ? strides + 1 : rank;
}

/* What makes lines a listing of a tensor map: enough of its fields, and one that is no other
 * thing's. */
bool io_listing_is_enough(const struct numbers f[FIELDS])
{
    const bool strides = f[STRIDE_RAW].count > 0; /* an "outer stride" is one, too */
    const int said = (f[DIM].count > 0) + strides + (f[BOX].count > 0) + (f[SWIZZLE].count > 0) +
                     (io_listing_type(f) >= 0);
    return f[BOX].count > 0 && said >= 4;
}

static void one(struct numbers *v, int64_t number)
{
    *v = (struct numbers){.number = {number}, .count = 1};
}

static void fill_up(struct numbers *v, int rank)
{
    for (v->count = v->count < 0 ? 0 : v->count; v->count < rank; v->count++)
        v->number[v->count] = 0;
}

static void turn(struct numbers *v)
{
    for (int i = 0, k = v->count - 1; i < k; i++, k--) {
        const int64_t other = v->number[i];
        v->number[i] = v->number[k];
        v->number[k] = other;
    }
}

/* Lists as Python has them, outermost first and with a stride of one element at their end, as the
 * call has them. */
static void turn_python(struct numbers f[FIELDS])
{
    struct numbers *v = &f[STRIDE_RAW];

    if (v->count < 2 || v->count != f[DIM].count || v->number[v->count - 1] != 1 ||
        v->number[0] <= 8)
        return;
    turn(&f[DIM]);
    turn(&f[BOX]);
    turn(v);
    f[STRIDE_ELEMENTS] = *v;
    f[STRIDE_ELEMENTS].count--;
    memmove(f[STRIDE_ELEMENTS].number, v->number + 1, sizeof v->number - sizeof v->number[0]);
    v->count = -1;
}

/* A number of bytes, "128B", as the enumeration's value; other numbers as they are. */
static void take_span(struct numbers *v, const int64_t spans[4])
{
    for (int i = 0; i < 4 && v->count > 0; i++)
        if (v->number[0] == spans[i]) v->number[0] = i;
}

/* Strides as the call takes them: some list the element's own first, as CUTLASS, and some count in
 * elements. False where that cannot be told. */
static bool take_listed_strides(struct numbers f[FIELDS], int rank)
{
    struct numbers *v = f[STRIDE_RAW].count > 0 ? &f[STRIDE_RAW] : &f[STRIDE_ELEMENTS];
    int64_t bytes = 0;

    for (size_t i = 0; i < TYPES; i++)
        if (f[STRIDE_ELEMENTS].count > 0 && (int32_t)types[i].dtype == io_listing_type(f))
            bytes = types[i].bytes;
    if (v == &f[STRIDE_RAW] && v->count >= rank && v->number[0] <= 8)
        return v->number[0] > 1 || f[DTYPE].count > 0 || f[ELEM_BYTES].count > 0;
    for (int i = 0; i < v->count && bytes; i++)
        v->number[i] = (int64_t)io_in_bytes(v->number[i], bytes);
    f[STRIDE] = *v;
    if (rank == 1 && v->count < 0) f[STRIDE].count = 0;
    return true;
}

static unsigned bits_from(int count, int rank)
{
    const int from = count < 0 ? 0 : count < rank ? count : rank;
    return ((1u << (rank > 0 ? rank : 0)) - 1) & ~((1u << from) - 1);
}

/* What a listing leaves out, and swizzles by their span. */
void io_listing_complete(struct io_record *record, struct numbers f[FIELDS],
                         struct io_unsaid *unsaid)
{
    static const int64_t swizzles[] = {16, 32, 64, 128}, interleaves[] = {-1, 16, 32, -1};
    static const int64_t promotions[] = {-1, 64, 128, 256};
    turn_python(f);
    const int32_t dtype = io_listing_type(f);
    const int rank = rank_of(f), n = rank < TMAP_MAX_RANK ? rank : TMAP_MAX_RANK;
    const bool strides = take_listed_strides(f, rank);
    const bool raw = f[STRIDE].count < 0;

    unsaid->dtype = dtype < 0;
    unsaid->swizzle = f[SWIZZLE].count < 1;
    unsaid->dim = bits_from(f[DIM].count, n);
    unsaid->box = bits_from(f[BOX].count, n);
    unsaid->stride = strides ? bits_from(f[raw ? STRIDE_RAW : STRIDE].count - raw, n - 1) : 31;
    one(&f[DTYPE], dtype < 0 ? 0 : dtype);
    one(&f[RANK], rank);
    if (unsaid->swizzle) one(&f[SWIZZLE], 0);
    take_span(&f[SWIZZLE], swizzles);
    take_span(&f[INTERLEAVE], interleaves);
    take_span(&f[L2], promotions);
    if (!value_name(VALUES_SWIZZLE, f[SWIZZLE].number[0])) /* a line cut into by another's */
        unsaid->swizzle = true, f[SWIZZLE].number[0] = 0;
    if (f[ADDRESS].count < 1) {
        one(&f[ADDRESS], 0);
        record->flags |= IO_NO_ADDRESS;
    }
    if (f[ELEM_STRIDE].count < 0)
        f[ELEM_STRIDE] = (struct numbers){{1, 1, 1, 1, 1}, TMAP_MAX_RANK, false};
    fill_up(&f[DIM], n);
    fill_up(&f[BOX], n);
    fill_up(&f[raw ? STRIDE_RAW : STRIDE], n - !raw);
}
