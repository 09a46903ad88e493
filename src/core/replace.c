/* replace.c : editing a map: cuTensorMapReplaceAddress, tensormap.replace, and patch plans.
 *
 * What each instruction writes is what ptxas 12.5 to 13.0 assembles for it (its SASS, the same on
 * every target that has the instruction): a read of a word, a mask, a write. The side effects are
 * ptxas's: elemtype leaves the tf32 bit of a plain type as it was, swizzle_mode clears the 96-byte
 * flag, swizzle_atomicity clears bit 85 too. */
#include "core/bits.h"
#include "core/checker.h"

#include <stdio.h>
#include <string.h>

#define LIVE_WORDS 8u

/* The unit of global_stride, by toolkit. */
static const struct {
    uint32_t since, unit_bytes;
} stride_units[] = {
#define REPLACE_STRIDE(since, unit_bytes) {since, unit_bytes},
#include "rules/targets.def"
};

static uint32_t stride_unit(uint32_t cuda)
{
    uint32_t unit = stride_units[0].unit_bytes;
    for (size_t i = 0; i < sizeof stride_units / sizeof *stride_units; i++)
        if (stride_units[i].since <= cuda) unit = stride_units[i].unit_bytes;
    return unit;
}

struct patchable {
    const char *name, *json; /* PTX's and the table's */
    uint32_t ordinals;
};
static const struct patchable patchables[] = {
    [TMAP_REPLACE_GLOBAL_ADDRESS] = {"global_address", "address", 1},
    [TMAP_REPLACE_RANK] = {"rank", "rank", 1},
    [TMAP_REPLACE_BOX_DIM] = {"box_dim", "box", 5},
    [TMAP_REPLACE_GLOBAL_DIM] = {"global_dim", "dim", 5},
    [TMAP_REPLACE_GLOBAL_STRIDE] = {"global_stride", "stride", 4},
    [TMAP_REPLACE_ELEMENT_STRIDE] = {"element_stride", "elem_stride", 5},
    [TMAP_REPLACE_ELEMTYPE] = {"elemtype", "dtype", 1},
    [TMAP_REPLACE_INTERLEAVE_LAYOUT] = {"interleave_layout", "interleave", 1},
    [TMAP_REPLACE_SWIZZLE_MODE] = {"swizzle_mode", "swizzle", 1},
    [TMAP_REPLACE_SWIZZLE_ATOMICITY] = {"swizzle_atomicity", "swizzle_atomicity", 1},
    [TMAP_REPLACE_FILL_MODE] = {"fill_mode", "oob_fill", 1},
};
#define PATCHABLES (sizeof patchables / sizeof patchables[0])

const char *tmap_replace_field_name(enum tmap_replace_field field)
{
    return (unsigned)field < PATCHABLES ? patchables[field].name : NULL;
}

/* A field's entry for tiled maps (the only ones the instruction edits); part counts from 0. */
static const struct map_bits *bits_of(const char *json, uint32_t ordinal, unsigned part)
{
    for (size_t i = 0; i < map_bits_count; i++) {
        const struct map_bits *b = &map_bits[i];
        if (!(b->when & MAP_TILED) || strcmp(b->json, json) != 0) continue;
        if (b->index >= 0 && (uint32_t)b->index != ordinal) continue;
        if (part-- == 0) return b;
    }
    return NULL;
}

static void store(struct tmap_map *map, const struct map_bits *b, uint64_t raw)
{
    const uint64_t mask = map_bits_mask(b->width) << b->low;
    map->word[b->word] = (map->word[b->word] & ~mask) | (raw << b->low & mask);
}

static bool elemtype_codes(uint64_t elemtype, uint32_t *code, uint32_t *tf32)
{
    switch (elemtype) {
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, elem, map_code, is_tf)  \
    case elem:                                                                                     \
        *code = map_code;                                                                          \
        *tf32 = is_tf;                                                                             \
        return true;
#include "rules/enums.def"
    default:
        return false;
    }
}

static enum tmap_status set_elemtype(struct tmap_map *map, uint64_t elemtype)
{
    uint32_t code = 0, tf32 = 0;
    if (!elemtype_codes(elemtype, &code, &tf32)) return TMAP_E_ARGUMENT;
    store(map, bits_of("dtype", 0, 0), code);
    if (tf32) store(map, bits_of("dtype.tf32", 0, 0), 1);
    return TMAP_OK;
}

static enum tmap_status set_swizzle_mode(struct tmap_map *map, uint64_t mode)
{
    const uint64_t mode_96b = 4; /* sm_103a's: mode 0 and a flag */
    if (mode > mode_96b) return TMAP_E_ARGUMENT;
    store(map, bits_of("swizzle", 0, 0), mode == mode_96b ? 0 : mode);
    store(map, bits_of("swizzle_96b", 0, 0), mode == mode_96b);
    return TMAP_OK;
}

static enum tmap_status set_stride(struct tmap_map *map, uint32_t ordinal, uint64_t stride_bytes)
{
    const struct map_bits *low = bits_of("stride", ordinal, 0);
    const struct map_bits *high = bits_of("stride", ordinal, 1);
    if (stride_bytes >> high->shift > map_bits_mask(high->width)) return TMAP_E_ARGUMENT;
    if (stride_bytes & map_bits_mask(low->shift)) return TMAP_E_ARGUMENT;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): no shift there is 64 */
    store(map, low, stride_bytes >> low->shift);
    store(map, high, stride_bytes >> high->shift);
    return TMAP_OK;
}

static enum tmap_status set_plain(struct tmap_map *map, const struct map_bits *b, uint64_t value)
{
    const uint64_t raw = value - b->bias;
    if (raw > map_bits_mask(b->width)) return TMAP_E_ARGUMENT;
    store(map, b, raw);
    return TMAP_OK;
}

enum tmap_status tmap_patch_apply(struct tmap_map *map, const struct tmap_patch *patch,
                                  uint32_t cuda)
{
    if (!map || !patch || (unsigned)patch->field >= PATCHABLES) return TMAP_E_ARGUMENT;
    const struct patchable *p = &patchables[patch->field];
    if (patch->ordinal >= p->ordinals) return TMAP_E_ARGUMENT;
    const struct map_bits *b = bits_of(p->json, patch->ordinal, 0);
    enum tmap_status status;
    uint64_t bytes;
    switch (patch->field) {
    case TMAP_REPLACE_ELEMTYPE:
        return set_elemtype(map, patch->value);
    case TMAP_REPLACE_SWIZZLE_MODE:
        return set_swizzle_mode(map, patch->value);
    case TMAP_REPLACE_GLOBAL_STRIDE:
        if (__builtin_mul_overflow(patch->value, stride_unit(cuda), &bytes)) return TMAP_E_ARGUMENT;
        return set_stride(map, patch->ordinal, bytes);
    case TMAP_REPLACE_GLOBAL_ADDRESS: /* the instruction writes the whole word */
        map->word[b->word] = patch->value;
        return TMAP_OK;
    case TMAP_REPLACE_RANK: /* the operand is the rank less one */
        return set_plain(map, b, patch->value + b->bias);
    case TMAP_REPLACE_GLOBAL_DIM: /* a 32-bit operand: 2^32 is written as 0 */
        return set_plain(map, b, patch->value ? patch->value : map_bits_mask(b->width) + b->bias);
    case TMAP_REPLACE_SWIZZLE_ATOMICITY:
        status = set_plain(map, b, patch->value);
        if (status == TMAP_OK) store(map, bits_of("bit85", 0, 0), 0);
        return status;
    default:
        return set_plain(map, b, patch->value);
    }
}

/* The operand that gives `to` its value of this field; false when none does. */
static bool operand_for(const struct tmap_map *to, enum tmap_replace_field field, uint32_t ordinal,
                        uint32_t cuda, uint64_t *value)
{
    const struct map_bits *b = bits_of(patchables[field].json, ordinal, 0);
    *value = map_bits_value(to, b);
    if (field == TMAP_REPLACE_RANK) *value -= b->bias;
    if (field == TMAP_REPLACE_GLOBAL_DIM) *value &= map_bits_mask(b->width);
    if (field == TMAP_REPLACE_GLOBAL_STRIDE) {
        *value += map_bits_value(to, bits_of("stride", ordinal, 1));
        *value /= stride_unit(cuda);
    }
    if (field == TMAP_REPLACE_SWIZZLE_MODE && map_bits_stored(to, bits_of("swizzle_96b", 0, 0)))
        *value = 4;
    if (field != TMAP_REPLACE_ELEMTYPE) return true;
    const uint64_t tf32 = map_bits_stored(to, bits_of("dtype.tf32", 0, 0));
    for (uint64_t e = 0; e < 16; e++) {
        uint32_t code, is_tf32;
        if (!elemtype_codes(e, &code, &is_tf32) || code != *value || is_tf32 != tf32) continue;
        *value = e;
        return true;
    }
    return false;
}

static int live_differences(const struct tmap_map *a, const struct tmap_map *b)
{
    int bits = 0;
    for (unsigned w = 0; w < LIVE_WORDS; w++) bits += __builtin_popcountll(a->word[w] ^ b->word[w]);
    return bits;
}

/* True when the step brings this map nearer to `to`, its side effects counted. */
static bool step_needed(const struct tmap_map *map, const struct tmap_map *to,
                        const struct tmap_patch *step, uint32_t cuda)
{
    struct tmap_map next = *map;
    return tmap_patch_apply(&next, step, cuda) == TMAP_OK &&
           live_differences(&next, to) < live_differences(map, to);
}

static void say_stays(const struct tmap_map *now, const struct tmap_map *to, char *why, size_t cap)
{
    if (cap == 0) return;
    for (size_t i = 0; i < map_bits_count; i++) {
        const struct map_bits *b = &map_bits[i];
        const uint64_t have = map_bits_stored(now, b), want = map_bits_stored(to, b);
        if (!(b->when & MAP_TILED) || b->word >= LIVE_WORDS || have == want) continue;
        snprintf(why, cap, "%s stays 0x%llx, 0x%llx is wanted: no tensormap.replace writes it",
                 b->json, (unsigned long long)have, (unsigned long long)want);
        return;
    }
    snprintf(why, cap, "reserved bits differ: no tensormap.replace writes them");
}

static enum tmap_status refuse_kinds(const struct tmap_map *from, const struct tmap_map *to,
                                     char *why, size_t cap)
{
    if (map_layout_in(from) == MAP_TILED && map_layout_in(to) == MAP_TILED) return TMAP_OK;
    if (cap) snprintf(why, cap, "tensormap.replace edits tiled maps only (PTX ISA)");
    return TMAP_E_NO_PLAN;
}

enum tmap_status tmap_patch_plan(const struct tmap_map *from, const struct tmap_map *to,
                                 uint32_t cuda, struct tmap_patch *out, size_t cap, size_t *found,
                                 char *why, size_t cap_why)
{
    if (!from || !to || (!out && cap) || (!why && cap_why)) return TMAP_E_ARGUMENT;
    if (refuse_kinds(from, to, why, cap_why) != TMAP_OK) return TMAP_E_NO_PLAN;
    struct tmap_patch plan[TMAP_MAX_PATCHES];
    struct tmap_map now = *from;
    size_t count = 0;
    for (unsigned f = 0; f < PATCHABLES; f++)
        for (uint32_t ordinal = 0; ordinal < patchables[f].ordinals; ordinal++) {
            struct tmap_patch step = {(enum tmap_replace_field)f, ordinal, 0};
            if (!operand_for(to, step.field, ordinal, cuda, &step.value)) continue;
            if (!step_needed(&now, to, &step, cuda)) continue;
            tmap_patch_apply(&now, &step, cuda);
            plan[count++] = step;
        }
    if (live_differences(&now, to)) {
        say_stays(&now, to, why, cap_why);
        return TMAP_E_NO_PLAN;
    }
    for (size_t i = 0; i < count && i < cap; i++) out[i] = plan[i];
    if (found) *found = count;
    return TMAP_OK;
}
enum tmap_status tmap_replace_address(const struct tmap_checker *checker, struct tmap_map *map,
                                      uint64_t address)
{
    if (!checker || !map) return TMAP_E_ARGUMENT;
    const struct tmap_use use = {.op = TMAP_OP_REPLACE_ADDRESS, .value = address};
    struct tmap_checker driver = *checker;
    struct tmap_desc desc;
    enum tmap_verdict verdict = TMAP_UNKNOWN;
    size_t found = 0;
    enum tmap_status status = tmap_checker_prepare(&checker->target, TMAP_CONTRACT_DRIVER, &driver);
    if (status == TMAP_OK) status = tmap_decode(map, &desc, NULL, 0, NULL);
    if (status == TMAP_OK) status = tmap_check_use(&driver, &desc, &use, NULL, 0, &found, &verdict);
    if (status != TMAP_OK) return status;
    status = checker_permits(&driver, verdict);
    if (status != TMAP_OK) return status;
    store(map, bits_of("address", 0, 0), address);
    return TMAP_OK;
}
