/* Single tensor core instructions on numbers of every kind. */
#include <stdlib.h>
#include <string.h>

#include "support/recorded.h"
#include "support/splitmix.h"

enum numerics_format { BF16, F16, TF32, E4M3, E5M2, S8 };

static const struct {
    const char *name;
    enum numerics_format a, b;
    char d[4];
} instruction[] = {
#define WGMMA(name, shape, d, types, tail, a, b) {"numerics_" #name, a, b, #d},
#define MMA(name, shape, d, types, A, B, a, b) {"numerics_" #name, a, b, #d},
#include "device/emulate/numerics.def"
};
enum { INSTRUCTIONS = sizeof instruction / sizeof *instruction };
enum { A_BYTES = 2048, B_BYTES = 1024, C_BYTES = 2048, THREADS = 128 };

static const struct {
    uint32_t bytes, exponent, mantissa, low; /* low: bits of a word below the mantissa */
    uint32_t infinity, nan;
} formats[] = {[BF16] = {2, 8, 7, 0, 0x7f80, 0x7fc1},
               [F16] = {2, 5, 10, 0, 0x7c00, 0x7e01},
               [TF32] = {4, 8, 10, 13, 0x7f800000, 0x7fc00001},
               [E4M3] = {1, 4, 3, 0, 0x7e, 0x7f},
               [E5M2] = {1, 5, 2, 0, 0x7c, 0x7e},
               [S8] = {1, 0, 7, 0, 0x7f, 0x80}};

const char *recorded_numerics_name(size_t i)
{
    return i < INSTRUCTIONS ? instruction[i].name : NULL;
}

enum { NORMAL, WIDE, CANCEL, SUBNORMAL, SPECIAL, ANY, LOPSIDED, FEW };

/* A number with this exponent field. */
static uint32_t with_exponent(enum numerics_format f, uint32_t field, uint64_t *seed)
{
    const uint32_t m = formats[f].mantissa + formats[f].low;
    const uint32_t low = (uint32_t)splitmix(seed) & ((1u << m) - 1);
    return splitmix_below(seed, 2) << (m + formats[f].exponent) | field << m | low;
}

/* The field of 1, moved. */
static uint32_t around_one(enum numerics_format f, int by)
{
    const int bias = (1 << (formats[f].exponent - 1)) - 1, most = 2 * bias;
    const int field = bias + by;
    return (uint32_t)(field < 0 ? 0 : field > most ? most : field);
}

static uint32_t element(enum numerics_format f, uint32_t what, bool is_a, uint64_t *seed)
{
    const uint32_t top = (1u << formats[f].exponent) - 1;
    const uint32_t any = (uint32_t)splitmix(seed);
    if (f == S8) return any & 0xff;
    switch (what) {
    case WIDE:
        return with_exponent(f, splitmix_below(seed, top), seed);
    case SUBNORMAL:
        return with_exponent(
            f, is_a ? splitmix_below(seed, 2) : top - 1 - splitmix_below(seed, top), seed);
    case SPECIAL:
        if (splitmix_below(seed, 40) == 0)
            return splitmix_below(seed, 2) ? formats[f].infinity : formats[f].nan;
        if (splitmix_below(seed, 20) == 0) return 0x80u << 8 * (formats[f].bytes - 1); /* -0 */
        break;
    case ANY:
        return formats[f].bytes == 4 ? any : any & ((1u << 8 * formats[f].bytes) - 1);
    case LOPSIDED:
        return with_exponent(f, around_one(f, (int)splitmix_below(seed, 3) - 1), seed);
    case FEW:
        if (splitmix_below(seed, 4)) return 0;
        return with_exponent(f, around_one(f, (int)splitmix_below(seed, 16) - 8), seed);
    default:
        break;
    }
    return with_exponent(f, around_one(f, -(int)splitmix_below(seed, 5)), seed);
}

/* CANCEL: pairs along K whose products are each other's negatives, most of them. */
static void operand(enum numerics_format f, uint32_t what, bool is_a, uint32_t bytes,
                    uint64_t *seed, uint8_t *out)
{
    const uint32_t size = formats[f].bytes, sign = 0x80u << 8 * (size - 1);
    uint32_t last = 0;
    for (uint32_t i = 0; i < bytes / size; i++) {
        uint32_t v = element(f, what, is_a, seed);
        if (what == CANCEL && i % 2 && splitmix_below(seed, 8)) v = is_a ? last : last ^ sign;
        last = v;
        memcpy(out + (size_t)i * size, &v, size);
    }
}

static uint32_t float_of(uint32_t what, uint64_t *seed)
{
    const uint32_t sign = splitmix_below(seed, 2) << 31, low = (uint32_t)splitmix(seed) & 0x7fffff;
    uint32_t field = 127 + splitmix_below(seed, 8) - 4;
    switch (what) {
    case WIDE:
        field = splitmix_below(seed, 255);
        break;
    case CANCEL:
        field = 100 + splitmix_below(seed, 30);
        break;
    case SUBNORMAL:
        field = splitmix_below(seed, 3);
        break;
    case SPECIAL:
        if (splitmix_below(seed, 16) == 0) return sign | 0x7f800000;
        if (splitmix_below(seed, 16) == 0) return sign | 0x7f800000 | low;
        if (splitmix_below(seed, 16) == 0) return sign;
        break;
    case ANY:
        return (uint32_t)splitmix(seed);
    case LOPSIDED:
        field = 127 + splitmix_below(seed, 80) - 40;
        break;
    case FEW:
        if (splitmix_below(seed, 2)) return 0;
        field = 127 + splitmix_below(seed, 40) - 20;
        break;
    default:
        break;
    }
    return sign | field << 23 | low;
}

static uint32_t accumulator(const char *type, uint32_t what, uint64_t *seed)
{
    if (type[0] == 's') return (uint32_t)splitmix(seed);
    if (strcmp(type, "f32") == 0) return float_of(what, seed);
    const uint32_t low = element(F16, what, true, seed);
    return low | element(F16, what, true, seed) << 16;
}

static void blocks_of(size_t i, uint32_t what, uint8_t *a, uint8_t *b, uint8_t *c)
{
    uint64_t seed = 1000 * (uint64_t)what + 77 * (uint64_t)instruction[i].a +
                    7 * (uint64_t)instruction[i].b + (uint64_t)instruction[i].d[1];
    for (uint32_t n = 0; n < NUMERICS_BLOCKS; n++) {
        operand(instruction[i].a, what, true, A_BYTES, &seed, a + (size_t)n * A_BYTES);
        operand(instruction[i].b, what, false, B_BYTES, &seed, b + (size_t)n * B_BYTES);
        for (uint32_t k = 0; k < C_BYTES; k += 4) {
            const uint32_t v = accumulator(instruction[i].d, what, &seed);
            memcpy(c + (size_t)n * C_BYTES + k, &v, 4);
        }
    }
}

static bool launch(struct recorded *r, const char *name, uint64_t at[4])
{
    const struct tmap_libcuda *api = r->gpu ? r->gpu : &r->host_gemm->gpu.api;
    tmap_cu_function f;
    void *params[] = {&at[0], &at[1], &at[2], &at[3]};
    const struct tmap_cu_launch how = {.grid_x = NUMERICS_BLOCKS,
                                       .grid_y = 1,
                                       .grid_z = 1,
                                       .block_x = THREADS,
                                       .block_y = 1,
                                       .block_z = 1};
    return !api->module_get_function(&f, r->numerics, name) &&
           !api->launch_kernel_ex(&how, f, params, NULL);
}

bool recorded_numerics(struct recorded *r, size_t i, uint32_t data_class)
{
    static const size_t bytes[] = {A_BYTES, B_BYTES, C_BYTES, NUMERICS_D_BYTES};
    const struct tmap_libcuda *host = &r->host_gemm->gpu.api;
    uint64_t at[4], device[4];
    bool good = true;
    r->bytes = 0;
    for (int k = 0; k < 4; k++)
        if (host->mem_alloc(&at[k], bytes[k] * NUMERICS_BLOCKS)) return false;
    blocks_of(i, data_class, (uint8_t *)(uintptr_t)at[0], (uint8_t *)(uintptr_t)at[1],
              (uint8_t *)(uintptr_t)at[2]);
    for (int k = 0; k < 4; k++) device[k] = recorded_there(r, at[k]);
    good = launch(r, instruction[i].name, device) && recorded_take(r, at[3]);
    for (int k = 0; k < 4; k++) host->mem_free(at[k]);
    recorded_forget(r);
    return good;
}
