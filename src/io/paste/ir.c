/* ir.c : see ir.h. The operations: TritonOps.td (shape and strides, outermost first, strides in
 * elements; the block in the result's type) and NVGPU.td (box, outermost first, of a memref). */
#define _GNU_SOURCE /* memmem */
#include "io/paste/ir.h"

#include "core/layout.h"
#include "expr/values.h"
#include "io/paste/call.h"
#include "io/paste/dump_fields.h"
#include "io/paste/hint.h"
#include "io/paste/narrow.h"
#include "io/paste/partial.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 64, DEEP = 8, WHY = 2 * IO_ERROR_SIZE };

static const char *const operations[] = {"tt.make_tensor_descriptor",
                                         "tt.experimental_make_tensor_descriptor",
                                         "nvgpu.tma.create.descriptor"};
enum { OPERATIONS = sizeof operations / sizeof operations[0], NVGPU = 2, MAP_TYPE = OPERATIONS };

/* The text, and what has no value in it. */
struct module {
    const char *text, *end;
    char missing[96];
};

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == ',')) at++;
    return at;
}

static const char *line_end(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop : end;
}

static bool is_name(char c)
{
    return io_dump_is_word(c) || c == '-' || c == '#' || c == '.';
}

/* "%c1024_i32", without its sign. */
static bool take_name(const char **at, const char *end, char name[NAME])
{
    const char *p = skip_space(*at, end);
    size_t n = 0;

    if (p == end || *p != '%') return false;
    for (p++; p < end && is_name(*p); p++)
        if (n + 1 < NAME) name[n++] = *p;
    name[n] = 0;
    *at = p;
    return n > 0;
}

/* Behind "%name =" of the name's definition; NULL where the text has none. */
static const char *definition(const struct module *m, const char *name)
{
    char wanted[NAME + 2];
    const size_t n = (size_t)snprintf(wanted, sizeof wanted, "%%%s", name);
    const char *p = m->text;

    for (; (p = memmem(p, (size_t)(m->end - p), wanted, n)); p += n) {
        const char *q = p + n;
        if (q < m->end && is_name(*q)) continue;
        while (q < m->end && *q == ' ') q++;
        if (q < m->end && *q == '=') return skip_space(q + 1, m->end);
    }
    return NULL;
}

/* MLIR names a constant after its value: "c1024_i32", "c-1_i64", "c16". */
static bool by_its_name(const char *name, int64_t *out)
{
    const char *p = name + 1, *end = name + strlen(name);
    return name[0] == 'c' && io_dump_number(&p, end, out) && (p == end || *p == '_');
}

static bool value_of(const struct module *m, const char *name, int depth, int64_t *out)
{
    static const char *const casts[] = {"arith.extsi", "arith.extui", "arith.index_cast",
                                        "arith.trunci", "arith.index_castui"};
    const char *p = definition(m, name), *end;
    char inner[NAME];

    if (!p) return by_its_name(name, out);
    end = line_end(p, m->end);
    const char *constant = io_dump_word(p, end, "arith.constant");
    if (constant == p) return p = skip_space(p + 14, end), io_dump_number(&p, end, out);
    for (size_t i = 0; i < sizeof casts / sizeof casts[0] && depth < DEEP; i++)
        if (io_dump_word(p, end, casts[i]) == p)
            return p += strlen(casts[i]),
                   take_name(&p, end, inner) && value_of(m, inner, depth + 1, out);
    return false;
}

static void miss(struct module *m, const char *sign, const char *name)
{
    const size_t used = strlen(m->missing);
    if (used + strlen(name) + 4 > sizeof m->missing ||
        io_dump_word(m->missing, m->missing + used, name))
        return;
    snprintf(m->missing + used, sizeof m->missing - used, "%s%s%s", used ? ", " : "", sign, name);
}

/* "[%a, 64]", outermost first, as a map's list; the length, -1 where there is none. */
static int take_list(struct module *m, const char **at, const char *end, int64_t out[TMAP_MAX_RANK],
                     unsigned *unknown)
{
    int64_t v[TMAP_MAX_RANK];
    unsigned bits = 0;
    char name[NAME];
    int count = 0;
    const char *p = memchr(*at, '[', (size_t)(end - *at));

    if (!p) return -1;
    for (p = skip_space(p + 1, end); p < end && *p != ']'; p = skip_space(p, end), count++) {
        if (count == TMAP_MAX_RANK) return -1;
        v[count] = 0;
        if (take_name(&p, end, name)) {
            if (!value_of(m, name, 0, &v[count])) bits |= 1u << count, miss(m, "%", name);
        } else if (!io_dump_number(&p, end, &v[count])) {
            return -1;
        }
    }
    *unknown = 0;
    for (int i = 0; i < count; i++) {
        out[i] = v[count - 1 - i];
        if (bits & 1u << (count - 1 - i)) *unknown |= 1u << i;
    }
    *at = p < end ? p + 1 : end;
    return p < end ? count : -1;
}

/* "128x64xf16" at `at`: sizes, outermost first, and the element's type. */
static int take_type(const char *at, const char *end, int64_t out[TMAP_MAX_RANK], int32_t *dtype)
{
    static const struct {
        const char *name;
        enum tmap_dtype dtype;
    } types[] = {{"i8", TMAP_UINT8},         {"i16", TMAP_UINT16},     {"f8E4M3FN", TMAP_UINT8},
                 {"f8E5M2", TMAP_UINT8},     {"f8E4M3", TMAP_UINT8},   {"ui8", TMAP_UINT8},
                 {"f8E4M3FNUZ", TMAP_UINT8}, {"f8E8M0FNU", TMAP_UINT8}};
    int64_t v[TMAP_MAX_RANK];
    char name[NAME];
    size_t n = 0;
    int count = 0;

    while (count < TMAP_MAX_RANK && io_dump_number(&at, end, &v[count])) {
        if (at == end || *at != 'x') return -1;
        at++, count++;
    }
    for (; at < end && io_dump_is_word(*at) && n + 1 < NAME; at++) name[n++] = *at;
    name[n] = 0;
    *dtype = -1;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(name, types[i].name) == 0) *dtype = (int32_t)types[i].dtype;
    if (*dtype < 0 && !value_find(VALUES_DTYPE, name, dtype)) return -1;
    for (int i = 0; i < count; i++) out[i] = v[count - 1 - i];
    return count;
}

/* The last "<AxBxT" of a line: the block of a tensor descriptor's type. */
static int take_block(const char *at, const char *end, int64_t out[TMAP_MAX_RANK], int32_t *dtype)
{
    int count = -1;
    for (const char *p = at; p < end && (p = memchr(p, '<', (size_t)(end - p))); p++) {
        int64_t v[TMAP_MAX_RANK];
        int32_t type;
        const int found = take_type(p + 1, end, v, &type);
        if (found <= 0) continue;
        memcpy(out, v, sizeof v);
        *dtype = type;
        count = found;
    }
    return count;
}

static void copy_sizes(struct tmap_desc *d, const int64_t *dim, const int64_t *box)
{
    for (uint32_t i = 0; i < d->rank; i++) {
        d->dim[i] = (uint64_t)dim[i];
        d->box[i] = io_narrow_u32(box[i]);
        d->elem_stride[i] = 1;
    }
}

/* tt.make_tensor_descriptor %p, [shape], [strides] : <f16>, <tensor<64x64xf16>> */
static bool take_triton(struct module *m, const char *at, const char *end, struct io_record *out,
                        struct io_unsaid *unsaid)
{
    struct tmap_desc *d = &out->desc;
    int64_t dim[TMAP_MAX_RANK], stride[TMAP_MAX_RANK], box[TMAP_MAX_RANK];
    unsigned unknown = 0;
    const int dims = take_list(m, &at, end, dim, &unsaid->dim);
    const int strides = dims < 0 ? -1 : take_list(m, &at, end, stride, &unknown);

    if (dims < 1 || strides != dims || take_block(at, end, box, &d->dtype) != dims) return false;
    const int bytes = (int)layout_gmem_bits(d->dtype) / 8;
    d->rank = (uint32_t)dims;
    copy_sizes(d, dim, box);
    for (int i = 0; i + 1 < dims; i++) d->stride_bytes[i] = io_in_bytes(stride[i + 1], bytes);
    unsaid->stride = unknown >> 1;
    io_triton_place(d, 0, bytes);
    return true;
}

/* Behind "memref<" from `at` on, also through an alias ("!lhs"); the last where `last`; NULL for a
 * memref of no shape, or none. */
static const char *memref_in(const struct module *m, const char *at, const char *end, bool last)
{
    const char *found = NULL, *p = at;
    char alias[NAME + 4];

    for (; p < end && (p = memmem(p, (size_t)(end - p), "memref<", 7)); p += 7) {
        found = p + 7;
        if (!last) break;
    }
    p = memchr(at, '!', (size_t)(end - at));
    if (found && (!p || last || found < p)) return *found == '*' ? NULL : found;
    if (!p) return NULL;
    size_t n = 1;
    while (p + n < end && n < NAME && io_dump_is_word(p[n])) n++;
    snprintf(alias, sizeof alias, "%.*s =", (int)n, p);
    p = memmem(m->text, (size_t)(m->end - m->text), alias, n + 2);
    if (!p || p >= at) return NULL;
    end = line_end(p, m->end);
    p = memmem(p, (size_t)(end - p), "memref<", 7);
    return p ? p + 7 : NULL;
}

/* The static memref that a name is, through memref.cast; NULL for none. */
static const char *memref_of(const struct module *m, const char *name, int depth)
{
    const char *p = definition(m, name), *end;
    char inner[NAME];

    if (!p || depth == DEEP) return NULL;
    end = line_end(p, m->end);
    const char *cast = io_dump_word(p, end, "memref.cast");
    if (cast != p) return memref_in(m, p, end, true);
    p += 11;
    if (!take_name(&p, end, inner)) return NULL;
    const char *found = memref_in(m, p, end, false);
    return found ? found : memref_of(m, inner, depth + 1);
}

/* "swizzle = swizzle_128b"; 0 where the text has no such key. False for a word that is no value of
 * the field's. */
static bool take_mode(struct module *m, const char *at, const char *end, const char *key,
                      enum values which, int32_t *out)
{
    const size_t length = strlen(key);
    const char *p = io_dump_word(at, end, key);
    char name[NAME];
    size_t n = 0;

    *out = 0;
    if (!p) return true;
    for (p += length; p < end && (*p == ' ' || *p == '=');) p++;
    for (; p < end && io_dump_is_word(*p) && n + 1 < NAME; p++) name[n++] = *p;
    name[n] = 0;
    const bool longer = strncmp(name, key, length) == 0 && name[length] == '_';
    if (value_find(which, longer ? name + length + 1 : name, out)) return true;
    miss(m, "", n ? name : key);
    return false;
}

static bool take_modes(struct module *m, const char *at, const char *end, struct tmap_desc *d)
{
    return take_mode(m, at, end, "swizzle", VALUES_SWIZZLE, &d->swizzle) &&
           take_mode(m, at, end, "interleave", VALUES_INTERLEAVE, &d->interleave) &&
           take_mode(m, at, end, "l2promo", VALUES_L2, &d->l2_promotion) &&
           take_mode(m, at, end, "oob", VALUES_OOB, &d->oob_fill);
}

/* nvgpu.tma.create.descriptor %m box[...] : memref<*xf16> -> <tensor = memref<64x64xf16, 3>, ...>
 */
static bool take_nvgpu(struct module *m, const char *at, const char *end, struct io_record *out,
                       struct io_unsaid *unsaid)
{
    struct tmap_desc *d = &out->desc;
    int64_t dim[TMAP_MAX_RANK] = {0}, box[TMAP_MAX_RANK];
    char name[NAME];
    const char *p = at, *memref;

    if (!take_name(&p, end, name)) return false;
    const int boxes = take_list(m, &p, end, box, &unsaid->box);
    if (boxes < 1) return false;
    d->rank = (uint32_t)boxes;
    memref = memref_of(m, name, 0);
    if (!memref || take_type(memref, line_end(memref, m->end), dim, &d->dtype) != boxes ||
        memmem(memref, (size_t)(line_end(memref, m->end) - memref), "strided", 7)) {
        unsaid->dim = unsaid->stride = 31;
        miss(m, "%", name);
        if (take_block(p, end, dim, &d->dtype) < 1) unsaid->dtype = true, d->dtype = 0;
    }
    copy_sizes(d, dim, box);
    uint64_t stride = layout_gmem_bits(d->dtype) / 8;
    for (int i = 0; i + 1 < boxes; i++) {
        if (__builtin_mul_overflow(stride, d->dim[i], &stride)) stride = UINT64_MAX;
        d->stride_bytes[i] = stride;
    }
    if (!io_dump_word(p, end, "swizzle")) { /* of an alias ("!map = ...") */
        const char *alias = memchr(p, '!', (size_t)(end - p));
        size_t n = alias ? 1 : 0;
        while (n && alias + n < end && io_dump_is_word(alias[n])) n++;
        p = n ? memmem(m->text, (size_t)(m->end - m->text), alias, n) : NULL;
        end = p ? line_end(p, m->end) : NULL;
        unsaid->swizzle = !p || !io_dump_word(p, end, "swizzle");
        if (!p) return true;
    }
    return take_modes(m, p, end, d);
}

/* <tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, ...>: the type of a map, of which loads
 * and stores say the box alone. */
static bool take_map_type(struct module *m, const char *at, const char *end, struct io_record *out,
                          struct io_unsaid *unsaid)
{
    struct tmap_desc *d = &out->desc;
    int64_t dim[TMAP_MAX_RANK] = {0}, box[TMAP_MAX_RANK];
    const char *memref = memmem(at, (size_t)(end - at), "memref<", 7);
    const int boxes = take_type(memref + 7, end, box, &d->dtype);

    if (boxes < 1) return false;
    d->rank = (uint32_t)boxes;
    copy_sizes(d, dim, box);
    unsaid->dim = unsaid->stride = 31;
    unsaid->swizzle = !io_dump_word(at, end, "swizzle");
    return take_modes(m, at, end, d);
}

static bool begins_name(const char *at, const char *end)
{
    const char *p = skip_space(at, end);
    return p < end && *p == '%';
}

/* Behind the ">" of a map's type, which begins in it. */
static const char *type_end(const char *at, const char *end)
{
    int depth = 1;

    for (end = line_end(at, end); at < end && depth > 0; at++) depth += (*at == '<') - (*at == '>');
    return at;
}

/* The next type of a map, "tensor = memref<...", that the text has not had before. */
static const char *next_map_type(const struct module *m, const char *at)
{
    for (; (at = io_dump_word(at, m->end, "tensor")); at += 6) {
        const char *p = at + 6, *end = type_end(at, m->end);
        while (p < end && (*p == ' ' || *p == '=')) p++;
        if (p + 7 > end || p == at + 6 || memcmp(p, "memref<", 7) != 0) continue;
        if (!memmem(m->text, (size_t)(at - m->text), at, (size_t)(end - at))) return at;
    }
    return NULL;
}

/* The next operation from `at` on, and which. */
static const char *next_of(const struct module *m, const char *at, int *which)
{
    const char *best = NULL;
    for (int i = 0; i < OPERATIONS; i++) {
        const size_t n = strlen(operations[i]);
        const char *p = at;
        while ((p = io_dump_word(p, m->end, operations[i])) && !begins_name(p + n, m->end)) p += n;
        if (p && (!best || p < best)) best = p, *which = i;
    }
    return best;
}

/* The same, or where the text makes no map the next type of one, behind "tensor". */
static const char *next_operation(const struct module *m, const char *at, int *which)
{
    int other;
    const char *p = next_of(m, at, which);

    if (p) return p + strlen(operations[*which]);
    if (next_of(m, m->text, &other) || !(p = next_map_type(m, at))) return NULL;
    return *which = MAP_TYPE, p + 6;
}

bool io_ir_any(const struct io_stream *s)
{
    const struct module m = {.text = s->text, .end = s->text + s->size};
    int which;
    return next_operation(&m, m.text, &which) != NULL;
}

bool io_ir_next(struct io_stream *s, struct io_record *out)
{
    struct module m = {.text = s->text, .end = s->text + s->size};
    struct io_unsaid unsaid = {.dtype = false};
    int which = 0;
    char why[WHY], names[96];
    const char *at = next_operation(&m, s->text + s->at, &which), *end;

    s->at = s->size;
    if (!at) return false;
    end = which == MAP_TYPE ? type_end(at, m.end) : line_end(at, m.end);
    *out = (struct io_record){.file = s->file, .record = ++s->record, .column = 1, .line = 1};
    for (const char *p = s->text; p < at; p++) out->line += *p == '\n';
    out->flags = IO_NO_ADDRESS;
    out->error_line = out->line;
    const bool read = which == MAP_TYPE ? take_map_type(&m, at, end, out, &unsaid)
                      : which == NVGPU  ? take_nvgpu(&m, at, end, out, &unsaid)
                                        : take_triton(&m, at, end, out, &unsaid);
    io_unsaid_names(&unsaid, out->desc.rank, names, sizeof names);
    snprintf(why, sizeof why,
             "Triton's source or IR, and not all of the descriptor is constant in it: %s%s%s: "
             "libtmap.triton.patch() or tmap trace -- PROGRAM sees what a launch gives it",
             read ? names : "dim, stride, box", m.missing[0] ? ": not known: " : "", m.missing);
    if (read)
        io_partial_settle(out, &unsaid, io_hint_rule(s, out->record, why));
    else
        io_fail(out, "", "%s", io_hint_rule(s, out->record, why));
    s->at = (size_t)(end - s->text);
    return true;
}
