/* call.c : see call.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/call.h"

#include "core/layout.h"
#include "io/paste/dump_fields.h"
#include "io/paste/hint.h"
#include "io/paste/narrow.h"
#include "io/paste/partial.h"
#include "io/paste/source_args.h"
#include "io/paste/tensor.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS = 15, LONGEST = 1 << 16, LOOKS = 256, WHY = 2 * IO_ERROR_SIZE };
enum { OUTER = 1, PYTHON = 2, TRITON = 4, EXACT = 8 };
enum role {
    ROLE_OTHER,
    ROLE_TENSOR,
    ROLE_DIM,
    ROLE_STRIDE, /* in bytes, none of the innermost dimension */
    ROLE_STRIDE_ELEMENTS,
    ROLE_BOX,
    ROLE_ELEM_STRIDE,
    ROLE_BYTES, /* of an element */
    ROLE_DTYPE,
    ROLE_INTERLEAVE,
    ROLE_SWIZZLE,
    ROLE_L2,
    ROLE_OOB,
    ROLE_DIM_0, /* single sizes, 0 the innermost */
    ROLE_DIM_1,
    ROLE_BOX_0,
    ROLE_BOX_1,
    ROLE_LOWER, /* of an im2col call */
    ROLE_UPPER,
    ROLE_CHANNELS,
    ROLE_PIXELS,
    ROLES
};

static const struct signature {
    const char *name;
    unsigned flags;
    struct {
        const char *name;
        enum role role;
    } param[PARAMS];
} signatures[] = {
#define P(name, role)                                                                              \
    {                                                                                              \
        name, ROLE_##role                                                                          \
    }
#define CALL(name, flags, ...) {name, flags, {__VA_ARGS__}},
#include "io/paste/calls.def"
#undef CALL
#undef P
};
enum { SIGNATURES = sizeof signatures / sizeof signatures[0] };

/* A call in a text: the argument of each role, -1 for none. */
struct call {
    const struct signature *is;
    struct io_source_args args;
    const char *begin, *behind;
    int of[ROLES];
};

/* --- finding calls -----------------------------------------------------------------------------*/

/* Comments as blanks: # in Python, where a diff's and a quotation's marks go too; C's otherwise. */
static char *without_comments(struct io_stream *s, bool python)
{
    char *text = malloc(s->size + 1);

    if (!text) return s->no_memory = true, NULL;
    memcpy(text, s->text, s->size);
    text[s->size] = 0;
    for (size_t i = 0; i < s->size; i++) {
        if ((i == 0 || text[i - 1] == '\n') && strchr("+>", text[i]) && text[i])
            while (i < s->size && strchr("+> ", text[i]) && text[i]) text[i++] = ' ';
        if (i == s->size) break;
        const bool block = !python && text[i] == '/' && i + 1 < s->size && text[i + 1] == '*';
        const bool line =
            python ? text[i] == '#' : text[i] == '/' && i + 1 < s->size && text[i + 1] == '/';
        if (!block && !line) continue;
        const char *end = block ? memmem(text + i + 2, s->size - i - 2, "*/", 2)
                                : memchr(text + i, '\n', s->size - i);
        const size_t stop = end ? (size_t)(end - text) + (block ? 2 : 0) : s->size;
        for (; i < stop; i++)
            if (text[i] != '\n') text[i] = ' ';
        i--;
    }
    return text;
}

/* "def name(" defines it, and "class". */
static bool is_definition(const char *text, const char *at)
{
    while (at > text && at[-1] == ' ') at--;
    return (at - text >= 3 && memcmp(at - 3, "def", 3) == 0) ||
           (at - text >= 5 && memcmp(at - 5, "class", 5) == 0);
}

static void sort_args(struct call *c)
{
    for (int i = 0; i < ROLES; i++) c->of[i] = -1;
    for (int i = 0; i < PARAMS && c->is->param[i].name; i++)
        c->of[c->is->param[i].role] = io_source_arg(&c->args, c->is->param[i].name, i);
}

static bool fits(const struct call *c)
{
    int params = 0;
    while (params < PARAMS && c->is->param[params].name) params++;
    return c->is->flags & EXACT ? c->args.count == params : c->args.count > 0;
}

/* The first call from offset `at` on of those in that language. */
static bool next_call(const struct io_source *s, const char *raw, size_t at, struct call *out)
{
    bool found = false;

    for (int i = 0; i < SIGNATURES; i++) {
        const struct signature *is = &signatures[i];
        if (!(is->flags & PYTHON) != !s->python) continue;
        for (const char *p = s->text + at; (p = io_dump_word(p, s->end, is->name)); p++) {
            struct call call = {.is = is, .begin = p};
            const char *open = p + strlen(is->name);
            if (found && p >= out->begin) break;
            if (open == s->end || *open != '(' || is_definition(s->text, p)) continue;
            if (!io_source_args(s, open + 1, s->end, raw, &call.args, &call.behind)) continue;
            if (!fits(&call)) continue;
            sort_args(&call);
            *out = call;
            found = true;
            break;
        }
    }
    return found;
}

/* --- from arguments to a descriptor ------------------------------------------------------------*/

struct taker {
    struct io_source *source;
    const struct call *call;
    struct io_record *record;
    struct io_unsaid unsaid;
    struct io_tensor tensor;
    bool has_tensor;
    int bytes; /* of an element; 0: not said */
};

static bool get(struct taker *t, enum role role, enum values which, int64_t *out)
{
    const int i = t->call->of[role];
    return i >= 0 &&
           io_source_value(t->source, t->call->args.at[i], t->call->args.end[i], which, out);
}

/* Not there, or Python's None: the parameter's default. */
static bool is_left_out(const struct taker *t, enum role role)
{
    const int i = t->call->of[role];
    if (i < 0) return true;
    const char *at = t->call->args.at[i], *end = t->call->args.end[i];
    while (end > at && isspace((unsigned char)end[-1])) end--;
    return end - at == 4 && memcmp(at, "None", 4) == 0;
}

/* An enumeration's value; the parameter's default, 0, where it is left out. */
static int32_t value_of(struct taker *t, enum role role, enum values which, bool *known)
{
    int64_t value = 0;

    *known = is_left_out(t, role) || get(t, role, which, &value);
    return io_narrow_i32(value);
}

/* A tensor's list, outermost first, as a map's. */
static int turned(const int64_t *from, unsigned unknown, int rank, int64_t *out, unsigned *bits)
{
    *bits = 0;
    for (int i = 0; i < rank; i++) {
        out[rank - 1 - i] = from[i];
        if (unknown & 1u << i) *bits |= 1u << (rank - 1 - i);
    }
    return rank;
}

/* "x.shape", "x.stride()": a tensor's own list; its length, or -1. */
static int list_of_tensor(struct taker *t, int arg, int64_t out[TMAP_MAX_RANK], unsigned *unknown)
{
    static const char *const tails[] = {".shape", ".size()", ".stride()", ".strides"};
    const char *at = t->call->args.at[arg], *end = t->call->args.end[arg];
    struct io_tensor of;

    while (end > at && isspace((unsigned char)end[-1])) end--;
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        const size_t n = strlen(tails[i]);
        if ((size_t)(end - at) <= n || memcmp(end - n, tails[i], n) != 0) continue;
        if (!io_tensor_of(t->source, at, end - n, &of) || of.rank == 0) return -1;
        return i < 2 ? turned(of.dim, of.unknown, of.rank, out, unknown)
                     : turned(of.stride, of.stride_unknown, of.rank, out, unknown);
    }
    return -1;
}

/* A list as the call has it, turned to innermost first; its length, or -1. */
static int list_of(struct taker *t, enum role role, int64_t out[TMAP_MAX_RANK], unsigned *unknown)
{
    const int arg = t->call->of[role];
    int64_t v[TMAP_MAX_RANK] = {0};
    unsigned bits = 0;
    int count = 0;

    if (arg < 0) return -1;
    if (t->source->python && (count = list_of_tensor(t, arg, out, unknown)) >= 0) return count;
    count = 0;
    if (!io_source_list(t->source, t->call->args.at[arg], t->call->args.end[arg], v, TMAP_MAX_RANK,
                        &count, &bits))
        return -1;
    *unknown = 0;
    for (int i = 0; i < count && i < TMAP_MAX_RANK; i++) {
        const bool turn = t->call->is->flags & OUTER && count <= TMAP_MAX_RANK;
        const int from = turn ? count - 1 - i : i;
        out[i] = v[from];
        if (bits & 1u << from) *unknown |= 1u << i;
    }
    return count;
}

static void take_tensor(struct taker *t)
{
    const struct call *c = t->call;
    const int arg = c->of[ROLE_TENSOR];
    const char *at = arg >= 0 ? c->args.at[arg] : c->begin, *end = arg >= 0 ? c->args.end[arg] : at;

    if (arg < 0 && at > t->source->text && at[-1] == '.') /* the call is the tensor's own */
        for (end = --at; at > t->source->text && io_dump_is_word(at[-1]);) at--;
    t->has_tensor = at < end && io_tensor_of(t->source, at, end, &t->tensor);
}

static void take_type(struct taker *t, struct tmap_desc *d)
{
    int64_t value;
    bool known = false;

    d->dtype = -1;
    if (!is_left_out(t, ROLE_DTYPE)) {
        value = value_of(t, ROLE_DTYPE, VALUES_DTYPE, &known);
        if (known) d->dtype = (int32_t)value;
    } else if (t->has_tensor && t->tensor.dtype >= 0)
        d->dtype = t->tensor.dtype;
    else if (get(t, ROLE_BYTES, VALUES_NUMBER, &value))
        d->dtype = value == 1   ? TMAP_UINT8
                   : value == 2 ? TMAP_BFLOAT16
                   : value == 4 ? TMAP_FLOAT32
                   : value == 8 ? TMAP_FLOAT64
                                : -1;
    t->unsaid.dtype = d->dtype < 0;
    t->bytes = d->dtype < 0 ? 0 : (int)layout_gmem_bits(d->dtype) / 8;
    if (d->dtype < 0) d->dtype = 0;
}

/* Sizes by single parameters. */
static int single(struct taker *t, enum role first, int64_t *out, unsigned *unknown)
{
    int count = 0;
    for (*unknown = 0; count < 2 && t->call->of[first + count] >= 0; count++)
        if (!get(t, first + (enum role)count, VALUES_NUMBER, &out[count])) {
            out[count] = 0;
            *unknown |= 1u << count;
        }
    return count;
}

static int sizes(struct taker *t, enum role list, enum role first, int64_t *out, unsigned *unknown)
{
    return t->call->of[first] >= 0 ? single(t, first, out, unknown)
                                   : list_of(t, list, out, unknown);
}

static int take_dims(struct taker *t, struct tmap_desc *d)
{
    int64_t v[TMAP_MAX_RANK] = {0};
    int count = sizes(t, ROLE_DIM, ROLE_DIM_0, v, &t->unsaid.dim);

    if (count < 0 && t->call->of[ROLE_DIM] < 0 && t->has_tensor && t->tensor.rank > 0)
        count = turned(t->tensor.dim, t->tensor.unknown, t->tensor.rank, v, &t->unsaid.dim);
    if (count < 0 && t->has_tensor && t->tensor.bytes && t->bytes) {
        v[0] = t->tensor.bytes / t->bytes; /* a buffer */
        count = 1;
    }
    for (int i = 0; i < TMAP_MAX_RANK; i++) d->dim[i] = (uint64_t)v[i];
    return count;
}

static int take_box(struct taker *t, struct tmap_desc *d)
{
    int64_t v[TMAP_MAX_RANK] = {0};
    const int count = sizes(t, ROLE_BOX, ROLE_BOX_0, v, &t->unsaid.box);
    for (int i = 0; i < TMAP_MAX_RANK; i++) d->box[i] = io_narrow_u32(v[i]);
    return count;
}

/* In elements, the innermost first, which must be 1. */
static void take_elements(struct taker *t, struct tmap_desc *d, const int64_t *v, int count,
                          unsigned unknown)
{
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;

    if (count > 0 && !(unknown & 1) && v[0] != 1 && !t->record->error[0])
        io_fail(t->record, "",
                "no rule can say it: a tensor map has no stride for its innermost dimension, which "
                "here is %lld elements: make that one contiguous",
                (long long)v[0]);
    t->unsaid.stride = 0;
    for (int i = 0; i + 1 < n; i++) {
        if (i + 1 >= count || unknown & 2u << i || !t->bytes)
            t->unsaid.stride |= 1u << i;
        else
            d->stride_bytes[i] = io_in_bytes(v[i + 1], t->bytes);
    }
}

static void take_strides(struct taker *t, struct tmap_desc *d)
{
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;
    int64_t v[TMAP_MAX_RANK] = {0};
    unsigned unknown = 0;
    int count = list_of(t, ROLE_STRIDE, v, &unknown);

    if (count >= 0) {
        for (int i = 0; i + 1 < n; i++) d->stride_bytes[i] = (uint64_t)v[i];
        t->unsaid.stride = unknown | (count < n - 1 ? ~0u << count : 0);
        return;
    }
    count = list_of(t, ROLE_STRIDE_ELEMENTS, v, &unknown);
    if (count < 0 && t->call->of[ROLE_STRIDE_ELEMENTS] < 0 && t->has_tensor && t->tensor.rank > 0)
        count = turned(t->tensor.stride, t->tensor.stride_unknown, t->tensor.rank, v, &unknown);
    if (count < 0 && t->call->of[ROLE_DIM_1] >= 0) { /* the helper takes it to be dense */
        v[0] = 1;
        v[1] = (int64_t)d->dim[0];
        unknown = (t->unsaid.dim & 1) << 1;
        count = 2;
    }
    take_elements(t, d, v, count, unknown);
}

/* False where a mode is said and has no value. */
static bool take_modes(struct taker *t, struct tmap_desc *d)
{
    int64_t v[TMAP_MAX_RANK] = {1, 1, 1, 1, 1};
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;
    unsigned unknown = 0;
    bool known, interleave, l2, oob;

    if (!is_left_out(t, ROLE_ELEM_STRIDE) && list_of(t, ROLE_ELEM_STRIDE, v, &unknown) < n)
        unknown = 31;
    t->unsaid.elem_stride = unknown;
    for (int i = 0; i < n; i++) d->elem_stride[i] = io_narrow_u32(v[i]);
    d->interleave = value_of(t, ROLE_INTERLEAVE, VALUES_INTERLEAVE, &interleave);
    d->swizzle = value_of(t, ROLE_SWIZZLE, VALUES_SWIZZLE, &known);
    t->unsaid.swizzle = !known;
    d->l2_promotion = value_of(t, ROLE_L2, VALUES_L2, &l2);
    d->oob_fill = value_of(t, ROLE_OOB, VALUES_OOB, &oob);
    return interleave && l2 && oob;
}

void io_triton_place(struct tmap_desc *d, unsigned unsaid, int bytes)
{
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;
    const uint64_t row = (uint64_t)d->box[0] * (uint64_t)bytes;

    for (int i = 0; i < n; i++)
        if (d->box[i] > 256) d->box[i] = 256;
    if (!bytes || unsaid & 1) return;
    d->swizzle = row >= 128  ? TMAP_SWIZZLE_128B
                 : row >= 64 ? TMAP_SWIZZLE_64B
                 : row >= 32 ? TMAP_SWIZZLE_32B
                             : TMAP_SWIZZLE_NONE;
    if (row > 128) d->box[0] = 128 / (uint32_t)bytes;
}

/* A corner of as many dimensions, all of them known. */
static bool take_corner(struct taker *t, enum role role, int spatial, int32_t out[TMAP_MAX_SPATIAL])
{
    int64_t v[TMAP_MAX_RANK] = {0};
    unsigned unknown;

    if (list_of(t, role, v, &unknown) < spatial) return false;
    for (int i = 0; i < spatial; i++) out[i] = io_narrow_i32(v[i]);
    return !unknown;
}

/* The corners of an im2col call, W first as cuda.h has them, and how much it copies. */
static bool take_window(struct taker *t, struct tmap_desc *d)
{
    const int spatial = d->rank > 5 ? 3 : d->rank > 2 ? (int)d->rank - 2 : 0;
    int64_t channels, pixels;

    d->kind = TMAP_IM2COL;
    if (!take_corner(t, ROLE_LOWER, spatial, d->lower) ||
        !take_corner(t, ROLE_UPPER, spatial, d->upper) ||
        !get(t, ROLE_CHANNELS, VALUES_NUMBER, &channels) ||
        !get(t, ROLE_PIXELS, VALUES_NUMBER, &pixels))
        return false;
    d->channels = io_narrow_u32(channels);
    d->pixels = io_narrow_u32(pixels);
    return true;
}

static bool take(struct taker *t)
{
    struct tmap_desc *d = &t->record->desc;
    const bool im2col = t->call->of[ROLE_CHANNELS] >= 0;

    take_tensor(t);
    take_type(t, d);
    const int dims = take_dims(t, d), box = im2col ? dims : take_box(t, d);
    const int rank = dims > 0 ? dims : box;
    if (rank <= 0) return false;
    d->rank = (uint32_t)rank;
    if (im2col && !take_window(t, d)) return false;
    if (dims != rank) t->unsaid.dim = 31;
    if (box != rank) t->unsaid.box = 31;
    if (dims > 0 && box > 0 && dims != box)
        io_fail(t->record, "", "the call's lists have %d dimensions and %d box sizes", dims, box);
    take_strides(t, d);
    if (t->has_tensor && t->bytes) /* an allocation is aligned, a slice need not be */
        d->address = (uint64_t)t->tensor.offset * (uint64_t)t->bytes;
    const bool modes = take_modes(t, d);
    if (t->call->is->flags & TRITON) io_triton_place(d, t->unsaid.box, t->bytes);
    return modes;
}

/* What to tell where the call's numbers do not decide. */
static void say_why(const struct taker *t, char why[WHY])
{
    char names[96];

    io_unsaid_names(&t->unsaid, t->record->desc.rank, names, sizeof names);
    if (!t->record->desc.rank)
        snprintf(names, sizeof names, "dtype, dim, stride, box");
    else if (!names[0] && t->call->of[ROLE_CHANNELS] >= 0)
        snprintf(names, sizeof names, "the corners, channels or pixels");
    snprintf(why, WHY, "source code, and not all of the descriptor is constant in it: %s%s%s: %s%s",
             names, t->source->missing[0] ? ": not known: " : "", t->source->missing,
             t->call->is->flags & TRITON ? "libtmap.triton.patch() or " : "",
             "tmap trace -- PROGRAM sees what a launch gives it");
}

/* The text of one language with a call from `at` on; NULL for none. */
static char *text_with_call(struct io_stream *s, size_t at, struct io_source *source,
                            struct call *call)
{
    char *best = NULL;

    for (int python = 0; python < 2 && s->size <= LONGEST; python++) {
        char *text = without_comments(s, python);
        struct io_source src = {.text = text,
                                .end = text ? text + s->size : NULL,
                                .python = python,
                                .looks = LOOKS,
                                .attribute = io_tensor_attribute};
        struct call found;
        if (text && next_call(&src, s->text, at, &found) &&
            (!best || found.begin - text < call->begin - best)) {
            free(best);
            best = text;
            *call = found;
            *source = src;
            source->use = found.begin;
        } else {
            free(text);
        }
    }
    return best;
}

bool io_call_any(struct io_stream *s)
{
    struct io_source source;
    struct call call;
    char *text = text_with_call(s, 0, &source, &call);

    free(text);
    return text != NULL;
}

bool io_call_next(struct io_stream *s, struct io_record *out)
{
    struct io_source source;
    struct call call;
    char why[WHY], *text = text_with_call(s, s->at, &source, &call);
    struct taker t = {.source = &source, .call = &call, .record = out};

    if (!text) return s->at = s->size, false;
    *out = (struct io_record){.file = s->file, .record = ++s->record, .column = 1, .line = 1};
    for (const char *p = text; p < call.begin; p++) out->line += *p == '\n';
    out->flags = IO_NO_ADDRESS;
    out->error_line = out->line;
    const bool whole = take(&t);
    say_why(&t, why);
    if (!whole)
        io_fail(out, "", "%s", io_hint_rule(s, out->record, why));
    else if (!out->error[0])
        io_partial_settle(out, &t.unsaid, io_hint_rule(s, out->record, why));
    s->at = (size_t)(call.behind - text);
    free(text);
    return true;
}
