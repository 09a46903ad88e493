/* decode.c : from 128 bytes to fields, and what the bytes leave open. Defined for any bytes. */
#include "core/bits.h"

#include <string.h>

#include "core/layout.h"

void map_read(const struct tmap_map *map, struct map_fields *f)
{
    const enum map_layout layout = map_layout_in(map);
    size_t i = 0;
    memset(f, 0, sizeof *f);
    /* A field in two parts is the sum of them: each part brings its own shift. */
#define BITS(member, json, index, when, word, low, width, shift, bias, sign)                       \
    if (MAP_HAS(layout, when)) f->member += map_bits_value(map, &map_bits[i]);                     \
    i++;
#include "rules/bits.def"
}

enum map_layout map_layout_in(const struct tmap_map *map)
{
    uint64_t im2col = 0, rank = 0;
    size_t i = 0;
#define BITS(member, json, index, when, word, low, width, shift, bias, sign)                       \
    if (offsetof(struct map_fields, member) == offsetof(struct map_fields, im2col))                \
        im2col = map_bits_value(map, &map_bits[i]);                                                \
    if (offsetof(struct map_fields, member) == offsetof(struct map_fields, rank))                  \
        rank = map_bits_value(map, &map_bits[i]);                                                  \
    i++;
#include "rules/bits.def"
    return map_layout_of(im2col != 0, (uint32_t)rank);
}

static int32_t dtype_of(const struct map_fields *f)
{
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, is_tf)  \
    if (f->type_code == (code) && f->tf32 == (is_tf)) return value;
#include "rules/enums.def"
    return -1;
}

/* Mode 3 with an atomicity is a swizzle of its own (tensormap.replace, PTX ISA). */
static int32_t swizzle_of(const struct map_fields *f)
{
    return (int32_t)(f->swizzle == TMAP_SWIZZLE_128B ? f->swizzle + f->atomicity : f->swizzle);
}

static void to_desc(const struct map_fields *f, struct tmap_desc *d)
{
    const uint32_t rank = f->rank < TMAP_MAX_RANK ? f->rank : TMAP_MAX_RANK;
    memset(d, 0, sizeof *d);
    d->kind = f->im2col ? TMAP_IM2COL : TMAP_TILED;
    d->dtype = dtype_of(f);
    d->rank = f->rank;
    d->address = f->address;
    d->interleave = (int32_t)f->interleave;
    d->swizzle = swizzle_of(f);
    d->l2_promotion = (int32_t)f->l2_promotion;
    d->oob_fill = (int32_t)f->oob_fill;
    for (uint32_t i = 0; i < rank; i++) {
        d->dim[i] = f->dim[i];
        d->elem_stride[i] = f->elem_stride[i];
        if (!f->im2col) d->box[i] = f->box[i];
        if (i > 0) d->stride_bytes[i - 1] = f->stride_bytes[i - 1];
    }
    if (!f->im2col) return;
    d->channels = f->channels;
    d->pixels = (uint32_t)f->pixels;
    for (uint32_t i = 0; i + 2 < rank; i++) {
        d->lower[i] = f->lower[i];
        d->upper[i] = f->upper[i];
    }
}

struct notes {
    struct tmap_note *out;
    size_t cap, count;
};

static void note(struct notes *n, struct tmap_note entry)
{
    if (n->count < n->cap) n->out[n->count] = entry;
    n->count++;
}

static void note_field(struct notes *n, enum tmap_note_kind kind, const char *field,
                       const struct tmap_map *map, uint64_t expected, const char *text)
{
    size_t i = 0;
    while (i < map_bits_count && strcmp(map_bits[i].json, field) != 0) i++;
    if (i == map_bits_count) return;
    const struct map_bits *b = &map_bits[i];
    note(n, (struct tmap_note){kind, field, b->index, b->word, b->low, b->width,
                               map_bits_stored(map, b), expected, text});
}

static uint64_t known_bits(enum map_layout layout, unsigned word)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < map_bits_count; i++)
        if (map_bits[i].word == word && (map_bits[i].when & layout))
            mask |= map_bits_mask(map_bits[i].width) << map_bits[i].low;
    return mask;
}

/* Values that no enumerator has; nothing to expect in their place. */
static void note_values(struct notes *n, const struct tmap_map *map, const struct map_fields *f,
                        const struct tmap_desc *d)
{
    const enum tmap_note_kind bad = TMAP_NOTE_IMPOSSIBLE;
    if (d->dtype < 0) note_field(n, bad, "dtype", map, 0, "no data type has this code");
    if (f->rank > TMAP_MAX_RANK) note_field(n, bad, "rank", map, 0, "there is no such rank");
    if (f->im2col && f->rank < 3)
        note_field(n, bad, "rank", map, 0, "no encode call makes an im2col map of this rank");
    if (f->interleave > TMAP_INTERLEAVE_32B)
        note_field(n, bad, "interleave", map, 0, "there is no such interleave");
    if (f->atomicity && f->swizzle != TMAP_SWIZZLE_128B)
        note_field(n, bad, "swizzle_atomicity", map, 0, "an atomicity goes with swizzle 128B only");
    if (f->swizzle_96b)
        note_field(n, bad, "swizzle_96b", map, 0,
                   "the 96-byte swizzle has no enumerator; tensormap.replace on sm_103a sets it");
    if (f->bit85)
        note_field(n, bad, "bit85", map, 0,
                   "some drivers set this bit for small tensors on Blackwell: an erratum");
}

/* What the same fields would be stored as: beyond the rank nothing, and the driver's own figures.
 */
static bool expected_map(const struct tmap_map *map, const struct tmap_desc *d,
                         struct tmap_map *out)
{
    struct map_fields fields, seen;
    map_read(map, &seen);
    struct tmap_desc canonical = *d;
    const bool known = map_fields_of_desc(&canonical, &fields);
    if (!known) {
        canonical.dtype = TMAP_UINT8;
        canonical.swizzle = TMAP_SWIZZLE_NONE;
        map_fields_of_desc(&canonical, &fields);
        fields.box_bytes = seen.box_bytes;
        fields.align_bytes = seen.align_bytes;
    }
    fields.type_code = seen.type_code;
    fields.tf32 = seen.tf32;
    fields.swizzle = seen.swizzle;
    fields.atomicity = seen.atomicity;
    fields.bit85 = seen.bit85;
    fields.swizzle_96b = seen.swizzle_96b;
    map_write(&fields, out);
    return known;
}

static void note_differences(struct notes *n, const struct tmap_map *map,
                             const struct tmap_map *expected)
{
    const enum map_layout layout = map_layout_in(map);
    for (size_t i = 0; i < map_bits_count; i++) {
        const struct map_bits *b = &map_bits[i];
        const uint64_t found = map_bits_stored(map, b), want = map_bits_stored(expected, b);
        if (!(b->when & layout) || found == want) continue;
        note(n, (struct tmap_note){TMAP_NOTE_IMPOSSIBLE, b->json, b->index, b->word, b->low,
                                   b->width, found, want,
                                   b->word < 8 ? "beyond the rank this is stored as 0"
                                               : "the driver derives another figure"});
    }
    for (unsigned w = 0; w < 16; w++) {
        const uint64_t extra = map->word[w] & ~known_bits(layout, w);
        if (extra)
            note(n, (struct tmap_note){TMAP_NOTE_IMPOSSIBLE, "reserved", -1, w, 0, 64, extra, 0,
                                       "no field was seen using these bits"});
    }
}

/* The driver's count of the box against what a load signals. */
static void note_box_bytes(struct notes *n, const struct tmap_map *map, const struct tmap_desc *d)
{
    struct tmap_layout geometry;
    if (d->rank < 1 || d->rank > TMAP_MAX_RANK || d->interleave > TMAP_INTERLEAVE_32B) return;
    if (d->interleave != TMAP_INTERLEAVE_NONE && d->rank < 3) return;
    layout_of(d, &geometry);
    if (geometry.tx_bytes != map->word[8])
        note_field(n, TMAP_NOTE_DERIVED, "driver.box_bytes", map, geometry.tx_bytes,
                   "the driver rounds box / elem_stride down; a load signals the expected figure");
}

static void note_ambiguities(struct notes *n, const struct tmap_map *map, const struct tmap_desc *d,
                             bool measurable)
{
    bool width_only = d->kind == TMAP_IM2COL;
    for (int i = 1; i < TMAP_MAX_SPATIAL; i++)
        width_only = width_only && d->lower[i] == 0 && d->upper[i] == 0;
    if (width_only)
        note_field(n, TMAP_NOTE_AMBIGUOUS, "kind", map, 1,
                   "im2col_wide, in mode W or W128, writes the same bytes");
    if (d->kind == TMAP_TILED && measurable) note_box_bytes(n, map, d);
}

enum tmap_status tmap_decode(const struct tmap_map *map, struct tmap_desc *out,
                             struct tmap_note *notes, size_t cap, size_t *found)
{
    if (!map || !out || (!notes && cap)) return TMAP_E_ARGUMENT;
    struct notes n = {notes, cap, 0};
    struct map_fields fields;
    struct tmap_map expected;
    map_read(map, &fields);
    to_desc(&fields, out);
    note_values(&n, map, &fields, out);
    const bool measurable = expected_map(map, out, &expected);
    note_differences(&n, map, &expected);
    note_ambiguities(&n, map, out, measurable);
    if (found) *found = n.count;
    return TMAP_OK;
}

static struct tmap_map_field field_at(const struct map_bits *b)
{
    return (struct tmap_map_field){.field = b->json,
                                   .index = b->index,
                                   .word = b->word,
                                   .low = b->low,
                                   .width = b->width,
                                   .is_signed = b->sign};
}

/* The high nibbles of the strides belong to an entry further up in the table. */
static bool is_continuation(size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (map_bits[j].index == map_bits[i].index && map_bits[j].when == map_bits[i].when &&
            strcmp(map_bits[j].json, map_bits[i].json) == 0)
            return true;
    return false;
}

/* The value of a field, with its further parts. */
static uint64_t whole_value(const struct tmap_map *map, size_t i)
{
    uint64_t value = 0;
    for (size_t j = i; j < map_bits_count; j++)
        if (map_bits[j].index == map_bits[i].index && map_bits[j].when == map_bits[i].when &&
            strcmp(map_bits[j].json, map_bits[i].json) == 0)
            value += map_bits_value(map, &map_bits[j]);
    return value;
}

static size_t collect(const struct tmap_map *a, const struct tmap_map *b, bool differing,
                      struct tmap_map_field *out, size_t cap)
{
    const enum map_layout in_a = map_layout_in(a), in_b = map_layout_in(b);
    size_t count = 0;
    for (size_t i = 0; i < map_bits_count; i++) {
        struct tmap_map_field f = field_at(&map_bits[i]);
        f.in_a = (map_bits[i].when & in_a) != 0;
        f.in_b = (map_bits[i].when & in_b) != 0;
        if ((!f.in_a && !f.in_b) || is_continuation(i)) continue;
        f.a = f.in_a ? whole_value(a, i) : 0;
        f.b = f.in_b ? whole_value(b, i) : 0;
        if (differing && f.in_a == f.in_b && f.a == f.b) continue;
        if (count < cap) out[count] = f;
        count++;
    }
    for (unsigned w = 0; w < 16; w++) {
        struct tmap_map_field f = {.field = "reserved", .index = -1, .word = w, .width = 64};
        f.a = a->word[w] & ~known_bits(in_a, w);
        f.b = b->word[w] & ~known_bits(in_b, w);
        f.in_a = f.a != 0;
        f.in_b = f.b != 0;
        if (differing ? f.a == f.b : !f.in_a) continue;
        if (count < cap) out[count] = f;
        count++;
    }
    return count;
}

enum tmap_status tmap_map_fields(const struct tmap_map *map, struct tmap_map_field *out, size_t cap,
                                 size_t *found)
{
    if (!map || (!out && cap)) return TMAP_E_ARGUMENT;
    const size_t count = collect(map, map, false, out, cap);
    if (found) *found = count;
    return TMAP_OK;
}

enum tmap_status tmap_map_diff(const struct tmap_map *a, const struct tmap_map *b,
                               struct tmap_map_field *out, size_t cap, size_t *found)
{
    if (!a || !b || (!out && cap)) return TMAP_E_ARGUMENT;
    const size_t count = collect(a, b, true, out, cap);
    if (found) *found = count;
    return TMAP_OK;
}
