/* probe.c : single questions to a driver that random search does not ask, or does not answer in a
 * form that one can read: far ends, NULL pointers, dirty buffers, cuTensorMapReplaceAddress. */
#include <stdio.h>
#include <string.h>

#include "driver/call.h"
#include "driver/driver.h"
#include "driver/slot.h"

struct probing {
    struct tmap_driver *driver;
    void (*say)(void *user, const char *question, const char *asked, const char *answer);
    void *user;
    const char *question;
};

static const struct tmap_desc tiled = {.kind = TMAP_TILED,
                                       .rank = 5,
                                       .address = 1 << 20,
                                       .dim = {64, 4, 4, 4, 4},
                                       .stride_bytes = {64, 256, 1024, 4096},
                                       .box = {16, 1, 1, 1, 1},
                                       .elem_stride = {1, 1, 1, 1, 1}};
static const struct tmap_desc conv = {.kind = TMAP_IM2COL,
                                      .rank = 4,
                                      .address = 1 << 20,
                                      .dim = {64, 8, 8, 8},
                                      .stride_bytes = {64, 512, 4096},
                                      .elem_stride = {1, 1, 1, 1},
                                      .lower = {0, 0},
                                      .upper = {0, 0},
                                      .channels = 16,
                                      .pixels = 8};

static struct tmap_desc base_of(int kind)
{
    struct tmap_desc d = kind == TMAP_TILED ? tiled : conv;
    d.kind = kind;
    return d;
}

static void answer(struct probing *p, const char *asked, int code)
{
    char text[64], buffer[32];
    snprintf(text, sizeof text, "%d %s", code,
             tmap_libcuda_error(&p->driver->gpu.api, code, buffer, sizeof buffer));
    p->say(p->user, p->question, asked, text);
}

static void ask(struct probing *p, const char *asked, const struct tmap_desc *d)
{
    struct call_result r;
    call_encode(&p->driver->gpu.api, d, 0, &r);
    answer(p, asked, r.code);
}

/* Every kind with one slot set to each value. */
static void ask_values(struct probing *p, const char *question, const char *name, int index,
                       const int64_t *values, size_t n)
{
    char asked[96];
    const int first = field_find(name), slot = slot_of_field(first + (index < 0 ? 0 : index));
    p->question = question;
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < n; i++) {
            struct tmap_desc d = base_of(kind);
            if (!slot_used(&d, slot)) continue;
            slot_set(&d, slot, values[i]);
            snprintf(asked, sizeof asked, "kind %d, %s[%d] = 0x%llx", kind, name, index,
                     (unsigned long long)values[i]);
            ask(p, asked, &d);
        }
}
#define VALUES(p, question, name, index, ...)                                                      \
    ask_values(p, question, name, index, (const int64_t[]){__VA_ARGS__},                           \
               sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define POWER(n) (int64_t)(UINT64_C(1) << (n))

static void ask_far_ends(struct probing *p)
{
    static const char *const enums[] = {"dtype",        "interleave", "swizzle",
                                        "l2_promotion", "oob_fill",   "mode"};
    for (int i = 0; i < 4; i++)
        VALUES(p, "stride limit", "stride", i, POWER(40) - 16, POWER(40), POWER(40) + 16, POWER(41),
               POWER(63), -16, 0);
    VALUES(p, "address", "address", -1, 0, 16, POWER(47), POWER(48), POWER(56), POWER(57) - 16,
           POWER(57), POWER(58), POWER(63), -16, 8);
    VALUES(p, "dimension limit", "dim", 0, 0, 1, POWER(31), POWER(32), POWER(32) + 1, POWER(63),
           -1);
    for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++)
        VALUES(p, "enums out of range", enums[i], -1, -1, INT32_MIN, INT32_MAX, 256, 65536);
    VALUES(p, "dtype on this GPU", "dtype", -1, 12, 13, 14, 15, 16);
    VALUES(p, "swizzle on this GPU", "swizzle", -1, 3, 4, 5, 6, 7);
}

static void ask_w128(struct probing *p)
{
    static const uint32_t pixels[] = {0, 1, 127, 128, 129, 1024, 1025, UINT32_MAX};
    char asked[64];
    p->question = "wide pixels by mode";
    for (int mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < sizeof pixels / sizeof pixels[0]; i++) {
            struct tmap_desc d = base_of(TMAP_IM2COL_WIDE);
            d.mode = mode;
            d.pixels = pixels[i];
            snprintf(asked, sizeof asked, "mode %d, pixels %u", mode, pixels[i]);
            ask(p, asked, &d);
        }
}

static void ask_nulls(struct probing *p)
{
    static const char *const names[] = {"map", "dim", "stride", "box", "elem_stride"};
    char asked[64];
    p->question = "NULL pointers";
    for (int kind = 0; kind < 3; kind++)
        for (int bit = 0; bit < 5; bit++)
            for (uint32_t rank = kind ? 3 : 1; rank <= 3; rank++) {
                struct tmap_desc d = base_of(kind);
                d.rank = rank;
                d.flags = 1u << bit;
                if (kind && d.flags == TMAP_NULL_BOX) continue; /* those calls take no box */
                snprintf(asked, sizeof asked, "kind %d rank %u, %s NULL", kind, rank, names[bit]);
                ask(p, asked, &d);
            }
}

static void ask_dirt(struct probing *p)
{
    static const uint8_t dirt[] = {0x00, 0xff, 0xa5};
    char asked[64], text[96];
    p->question = "bits written into a dirty buffer";
    for (int kind = 0; kind < 3; kind++)
        for (int refused = 0; refused < 2; refused++) {
            struct tmap_desc d = base_of(kind);
            struct call_result r[3];
            uint64_t left = 0;
            if (refused) d.address += 8;
            for (int i = 0; i < 3; i++) call_encode(&p->driver->gpu.api, &d, dirt[i], &r[i]);
            for (int w = 0; w < 16; w++)
                left += (uint64_t)__builtin_popcountll((r[0].map.word[w] ^ r[1].map.word[w]) |
                                                       (r[0].map.word[w] ^ r[2].map.word[w]));
            snprintf(asked, sizeof asked, "kind %d, %s call", kind,
                     refused ? "refused" : "accepted");
            snprintf(text, sizeof text, "%llu of 1024 bits left as they were",
                     (unsigned long long)left);
            p->say(p->user, p->question, asked, text);
        }
}

static void ask_tail_words(struct probing *p)
{
    char asked[64], text[128];
    p->question = "words 8 and 9 by swizzle, interleave and type";
    for (int dtype = 0; dtype < 13; dtype += 4)
        for (int interleave = 0; interleave < 3; interleave++)
            for (int swizzle = 0; swizzle < 4; swizzle++) {
                struct tmap_desc d = tiled;
                struct call_result r;
                d.dtype = dtype;
                d.interleave = interleave;
                d.swizzle = swizzle;
                d.elem_stride[1] = 2;
                d.box[1] = 7;
                call_encode(&p->driver->gpu.api, &d, 0, &r);
                snprintf(asked, sizeof asked, "dtype %d interleave %d swizzle %d", dtype,
                         interleave, swizzle);
                snprintf(text, sizeof text, "%d, word 8 = %llu, word 9 = %llu", r.code,
                         (unsigned long long)r.map.word[8], (unsigned long long)r.map.word[9]);
                p->say(p->user, p->question, asked, text);
            }
}

static void ask_alignment(struct probing *p)
{
    _Alignas(128) uint8_t room[512];
    char asked[64];
    p->question = "alignment of the map's own address";
    for (unsigned offset = 0; offset <= 64; offset += 8) {
        const struct tmap_desc *d = &tiled;
        snprintf(asked, sizeof asked, "128-byte aligned + %u", offset);
        answer(p, asked,
               p->driver->gpu.api.tensor_map_encode_tiled(
                   room + offset, d->dtype, d->rank, (void *)(uintptr_t)d->address, d->dim,
                   d->stride_bytes, d->box, d->elem_stride, d->interleave, d->swizzle,
                   d->l2_promotion, d->oob_fill));
    }
}

/* --- cuTensorMapReplaceAddress -----------------------------------------------------------------*/

static void ask_replace(struct probing *p, const char *which, const struct tmap_map *map,
                        uint64_t address)
{
    _Alignas(128) struct tmap_map copy = *map;
    char asked[96], text[96];
    unsigned changed = 0;
    const int code =
        p->driver->gpu.api.tensor_map_replace_address(&copy, (void *)(uintptr_t)address);
    for (int w = 0; w < 16; w++) changed |= (unsigned)(copy.word[w] != map->word[w]) << w;
    snprintf(asked, sizeof asked, "%s, address 0x%llx", which, (unsigned long long)address);
    snprintf(text, sizeof text, "%d, words changed 0x%04x, word 0 = 0x%llx", code, changed,
             (unsigned long long)copy.word[0]);
    p->say(p->user, p->question, asked, text);
}

static void ask_replacements(struct probing *p)
{
    static const uint64_t addresses[] = {
        UINT64_C(1) << 20, 16,           32, 8, 1, 0, (UINT64_C(1) << 57) - 16, UINT64_C(1) << 57,
        UINT64_C(1) << 63, ~UINT64_C(15)};
    struct tmap_desc d32 = tiled,
                     kinds[] = {tiled, base_of(TMAP_IM2COL), base_of(TMAP_IM2COL_WIDE)};
    static const char *const names[] = {"tiled",          "im2col",    "im2col_wide",
                                        "interleave 32B", "all zeros", "all ones"};
    struct tmap_map maps[6];
    d32.interleave = TMAP_INTERLEAVE_32B;
    for (int i = 0; i < 3; i++) tmap_driver_encode(p->driver, &kinds[i], &maps[i]);
    tmap_driver_encode(p->driver, &d32, &maps[3]);
    memset(&maps[4], 0x00, sizeof maps[4]);
    memset(&maps[5], 0xff, sizeof maps[5]);
    p->question = "cuTensorMapReplaceAddress";
    for (int m = 0; m < 6; m++)
        for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
            ask_replace(p, names[m], &maps[m], addresses[i]);
}

/* Refused or not: the call sees a rank that no array of ours has. */
static void ask_ranks(struct probing *p)
{
    static const uint32_t ranks[] = {0, 1, 2, 6, 7, 8};
    char asked[64];
    p->question = "rank";
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
            struct tmap_desc d = base_of(kind);
            d.rank = ranks[i];
            snprintf(asked, sizeof asked, "kind %d, rank %u", kind, ranks[i]);
            ask(p, asked, &d);
        }
}

static void ask_without_context(struct probing *p)
{
    p->question = "no current context";
    p->driver->gpu.api.ctx_set_current(NULL);
    ask(p, "a legal tiled map", &tiled);
    p->driver->gpu.api.ctx_set_current(p->driver->gpu.context);
}

/* --- questions that can end the process --------------------------------------------------------*/

static void ask_null_corners(struct probing *p, bool lower, bool upper, bool refused_before)
{
    const struct tmap_desc *d = &conv;
    char asked[96];
    p->question = "NULL corners";
    snprintf(asked, sizeof asked, "im2col rank 4, lower %s, upper %s, rank argument %s",
             lower ? "NULL" : "given", upper ? "NULL" : "given", refused_before ? "6" : "4");
    p->say(p->user, p->question, asked, "asking");
    _Alignas(128) struct tmap_map map;
    const int corners[4] = {0};
    answer(p, asked,
           p->driver->gpu.api.tensor_map_encode_im2col(
               &map, d->dtype, refused_before ? 6 : d->rank, (void *)(uintptr_t)d->address, d->dim,
               d->stride_bytes, lower ? NULL : corners, upper ? NULL : corners, d->channels,
               d->pixels, d->elem_stride, d->interleave, d->swizzle, d->l2_promotion, d->oob_fill));
}

/* Does the call read entries before it looks at the rank? */
static void ask_rank(struct probing *p, uint32_t rank)
{
    const struct tmap_desc *d = &tiled;
    char asked[64];
    _Alignas(128) struct tmap_map map;
    p->question = "rank beyond the arrays";
    snprintf(asked, sizeof asked, "tiled, rank %u, arrays of 5", rank);
    p->say(p->user, p->question, asked, "asking");
    answer(p, asked,
           p->driver->gpu.api.tensor_map_encode_tiled(
               &map, d->dtype, rank, (void *)(uintptr_t)d->address, d->dim, d->stride_bytes, d->box,
               d->elem_stride, d->interleave, d->swizzle, d->l2_promotion, d->oob_fill));
}

static void ask_replace_of_null(struct probing *p)
{
    p->question = "cuTensorMapReplaceAddress of no map";
    p->say(p->user, p->question, "map NULL", "asking");
    answer(p, "map NULL",
           p->driver->gpu.api.tensor_map_replace_address(NULL, (void *)(uintptr_t)(1 << 20)));
}

static enum tmap_status ask_rashly(struct probing *p, unsigned which)
{
    switch (which) {
    case 1:
        ask_null_corners(p, true, false, false);
        return TMAP_OK;
    case 2:
        ask_null_corners(p, false, true, false);
        return TMAP_OK;
    case 3:
        ask_null_corners(p, true, true, true);
        return TMAP_OK;
    case 4:
        ask_replace_of_null(p);
        return TMAP_OK;
    case 5:
        ask_rank(p, UINT32_C(1) << 31);
        return TMAP_OK;
    case 6:
        ask_rank(p, UINT32_C(1) << 20);
        return TMAP_OK;
    default:
        return TMAP_E_NO_PLAN;
    }
}

enum tmap_status tmap_driver_probe(struct tmap_driver *driver, unsigned rash,
                                   void (*say)(void *user, const char *question, const char *asked,
                                               const char *answer),
                                   void *user)
{
    if (!driver || !say) return TMAP_E_ARGUMENT;
    struct probing p = {driver, say, user, ""};
    if (rash) return ask_rashly(&p, rash);
    ask_far_ends(&p);
    ask_w128(&p);
    ask_nulls(&p);
    ask_dirt(&p);
    ask_tail_words(&p);
    ask_alignment(&p);
    ask_ranks(&p);
    ask_without_context(&p);
    ask_replacements(&p);
    return TMAP_OK;
}
