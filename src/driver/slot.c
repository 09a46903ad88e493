#include "driver/slot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { T = 1 << TMAP_TILED, I = 1 << TMAP_IM2COL, W = 1 << TMAP_IM2COL_WIDE, ANY = T | I | W };

/* How many enumerators each enumeration has. */
enum {
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, tf32)   \
    DTYPES_##id,
#include "rules/enums.def"
    DTYPES
};
enum {
#define INTERLEAVE(id, json, value, since, slice_bytes) INTERLEAVES_##id,
#include "rules/enums.def"
    INTERLEAVES
};
enum {
#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) SWIZZLES_##id,
#include "rules/enums.def"
    SWIZZLES
};
enum {
#define L2_PROMOTION(id, json, value, since, bytes) L2S_##id,
#include "rules/enums.def"
    L2S
};
enum {
#define OOB_FILL(id, json, value, since) OOBS_##id,
#include "rules/enums.def"
    OOBS
};
enum {
#define WIDE_MODE(id, json, value, since) MODES_##id,
#include "rules/enums.def"
    MODES
};

#define SCALAR(name, class, kinds, is_signed, count, member)                                       \
    {                                                                                              \
        name, -1, class, kinds, sizeof(((struct tmap_desc *)0)->member), is_signed, count,         \
            offsetof(struct tmap_desc, member)                                                     \
    }
#define ENTRY(name, i, class, kinds, is_signed, member)                                            \
    {                                                                                              \
        name, i, class, kinds, sizeof(((struct tmap_desc *)0)->member[i]), is_signed, 0,           \
            offsetof(struct tmap_desc, member[i])                                                  \
    }

const struct slot slots[SLOT_COUNT] = {
    SCALAR("kind", SLOT_KIND, ANY, true, 3, kind),
    SCALAR("dtype", SLOT_ENUM, ANY, true, DTYPES, dtype),
    SCALAR("rank", SLOT_RANK, ANY, false, 0, rank),
    SCALAR("flag", SLOT_FLAGS, ANY, false, 0, flags),
    SCALAR("address", SLOT_NUMBER, ANY, false, 0, address),
    ENTRY("dim", 0, SLOT_NUMBER, ANY, false, dim),
    ENTRY("dim", 1, SLOT_NUMBER, ANY, false, dim),
    ENTRY("dim", 2, SLOT_NUMBER, ANY, false, dim),
    ENTRY("dim", 3, SLOT_NUMBER, ANY, false, dim),
    ENTRY("dim", 4, SLOT_NUMBER, ANY, false, dim),
    ENTRY("stride", 0, SLOT_NUMBER, ANY, false, stride_bytes),
    ENTRY("stride", 1, SLOT_NUMBER, ANY, false, stride_bytes),
    ENTRY("stride", 2, SLOT_NUMBER, ANY, false, stride_bytes),
    ENTRY("stride", 3, SLOT_NUMBER, ANY, false, stride_bytes),
    ENTRY("box", 0, SLOT_NUMBER, T, false, box),
    ENTRY("box", 1, SLOT_NUMBER, T, false, box),
    ENTRY("box", 2, SLOT_NUMBER, T, false, box),
    ENTRY("box", 3, SLOT_NUMBER, T, false, box),
    ENTRY("box", 4, SLOT_NUMBER, T, false, box),
    ENTRY("elem_stride", 0, SLOT_NUMBER, ANY, false, elem_stride),
    ENTRY("elem_stride", 1, SLOT_NUMBER, ANY, false, elem_stride),
    ENTRY("elem_stride", 2, SLOT_NUMBER, ANY, false, elem_stride),
    ENTRY("elem_stride", 3, SLOT_NUMBER, ANY, false, elem_stride),
    ENTRY("elem_stride", 4, SLOT_NUMBER, ANY, false, elem_stride),
    SCALAR("interleave", SLOT_ENUM, ANY, true, INTERLEAVES, interleave),
    SCALAR("swizzle", SLOT_ENUM, ANY, true, SWIZZLES, swizzle),
    SCALAR("l2_promotion", SLOT_ENUM, ANY, true, L2S, l2_promotion),
    SCALAR("oob_fill", SLOT_ENUM, ANY, true, OOBS, oob_fill),
    ENTRY("lower", 0, SLOT_CORNER, I | W, true, lower),
    ENTRY("lower", 1, SLOT_CORNER, I, true, lower),
    ENTRY("lower", 2, SLOT_CORNER, I, true, lower),
    ENTRY("upper", 0, SLOT_CORNER, I | W, true, upper),
    ENTRY("upper", 1, SLOT_CORNER, I, true, upper),
    ENTRY("upper", 2, SLOT_CORNER, I, true, upper),
    SCALAR("channels", SLOT_NUMBER, I | W, false, 0, channels),
    SCALAR("pixels", SLOT_NUMBER, I | W, false, 0, pixels),
    SCALAR("mode", SLOT_ENUM, W, true, MODES, mode),
};

int slot_find(const char *name, int index)
{
    for (int i = 0; i < SLOT_COUNT; i++)
        if (slots[i].index == index && strcmp(slots[i].name, name) == 0) return i;
    return -1;
}

int64_t slot_get(const struct tmap_desc *desc, int slot)
{
    const char *at = (const char *)desc + slots[slot].offset;
    if (slots[slot].bytes == 8) {
        int64_t value;
        memcpy(&value, at, 8);
        return value;
    }
    uint32_t value;
    memcpy(&value, at, 4);
    return slots[slot].is_signed ? (int32_t)value : (int64_t)value;
}

void slot_set(struct tmap_desc *desc, int slot, int64_t value)
{
    char *at = (char *)desc + slots[slot].offset;
    const uint32_t low = (uint32_t)value;
    if (slots[slot].bytes == 8)
        memcpy(at, &value, 8);
    else
        memcpy(at, &low, 4);
}

bool slot_used(const struct tmap_desc *desc, int slot)
{
    const struct slot *s = &slots[slot];
    const unsigned kind = (unsigned)desc->kind;
    if (kind > TMAP_IM2COL_WIDE || !(s->kinds >> kind & 1)) return slot == 0;
    if (s->index < 0) return true;
    const bool corner = s->class == SLOT_CORNER;
    if (corner && kind == TMAP_IM2COL_WIDE) return s->index == 0;
    const bool stride = strcmp(s->name, "stride") == 0;
    return (uint32_t)s->index + (corner ? 2 : stride ? 1 : 0) < desc->rank;
}

uint64_t desc_hash(const struct tmap_desc *desc)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < SLOT_COUNT; i++) {
        if (!slot_used(desc, i)) continue;
        h ^= (uint64_t)slot_get(desc, i) + (uint64_t)i * UINT64_C(0xd6e8feb86659fd93);
        h *= UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 29;
}

static const char *enum_name(int slot, int64_t v)
{
    const char *of = slots[slot].name;
#define NAMED(key, json, value)                                                                    \
    if (v == (value) && strcmp(of, key) == 0) return json;
    NAMED("kind", "tiled", TMAP_TILED)
    NAMED("kind", "im2col", TMAP_IM2COL)
    NAMED("kind", "im2col_wide", TMAP_IM2COL_WIDE)
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elemtype, code, tf32)   \
    NAMED("dtype", json, value)
#define INTERLEAVE(id, json, value, since, slice_bytes) NAMED("interleave", json, value)
#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) NAMED("swizzle", json, value)
#define L2_PROMOTION(id, json, value, since, bytes) NAMED("l2_promotion", json, value)
#define OOB_FILL(id, json, value, since) NAMED("oob_fill", json, value)
#define WIDE_MODE(id, json, value, since) NAMED("mode", json, value)
#include "rules/enums.def"
    return NULL;
}

struct writer {
    char *out;
    size_t cap, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *text, ...)
{
    va_list args;
    va_start(args, text);
    const size_t room = w->used < w->cap ? w->cap - w->used : 0;
    const int n = vsnprintf(room ? w->out + w->used : NULL, room, text, args);
    va_end(args);
    if (n > 0) w->used += (size_t)n;
}

static void put_value(struct writer *w, const struct tmap_desc *d, int slot)
{
    const int64_t v = slot_get(d, slot);
    const char *name = enum_name(slot, v);
    if (name)
        put(w, "\"%s\"", name);
    else if (strcmp(slots[slot].name, "address") == 0)
        put(w, "\"0x%llx\"", (unsigned long long)v);
    else if (slots[slot].bytes == 8)
        put(w, "%llu", (unsigned long long)v);
    else
        put(w, "%lld", (long long)v);
}

static bool is_null(const struct tmap_desc *d, const char *name)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } bits[] = {{"dim", TMAP_NULL_DIM},     {"stride", TMAP_NULL_STRIDE},
                {"box", TMAP_NULL_BOX},     {"elem_stride", TMAP_NULL_ELEM_STRIDE},
                {"lower", TMAP_NULL_LOWER}, {"upper", TMAP_NULL_UPPER}};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        if (strcmp(name, bits[i].name) == 0) return (d->flags & bits[i].bit) != 0;
    return false;
}

/* An array's slots stand together; this writes all of them and returns the last one. */
static int put_array(struct writer *w, const struct tmap_desc *d, int slot)
{
    const char *name = slots[slot].name;
    const bool null = is_null(d, name);
    int last = slot;
    put(w, ", \"%s\":%s", name, null ? "null" : "[");
    for (int i = slot; i < SLOT_COUNT && strcmp(slots[i].name, name) == 0; i++, last = i - 1) {
        if (null || !slot_used(d, i)) continue;
        if (i > slot) put(w, ", ");
        put_value(w, d, i);
    }
    if (!null) put(w, "]");
    return last;
}

size_t desc_json(const struct tmap_desc *d, char *out, size_t cap)
{
    struct writer w = {out, cap, 0};
    const unsigned kind = (unsigned)d->kind;
    put(&w, "{\"kind\":");
    put_value(&w, d, 0);
    for (int i = 1; i < SLOT_COUNT; i++) {
        if (kind <= TMAP_IM2COL_WIDE && !(slots[i].kinds >> kind & 1)) continue;
        if (slots[i].class == SLOT_FLAGS) continue;
        if (slots[i].index == 0) {
            i = put_array(&w, d, i);
            continue;
        }
        put(&w, ", \"%s\":", slots[i].name);
        put_value(&w, d, i);
    }
    if (d->flags & TMAP_NULL_MAP) put(&w, ", \"map_address\":null");
    put(&w, "}");
    return w.used;
}
