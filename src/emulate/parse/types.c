// PTX's types: names and sizes.
#include "emulate/parse/ptx.h"

#include <string.h>

enum { SIGNED = 1, FLOAT = 2 };

static const struct {
    const char *name;
    uint8_t bits, kind;
} type_table[PTX_TYPES] = {
    [PTX_NONE] = {"", 0, 0},
    [PTX_PRED] = {"pred", 1, 0},
    [PTX_B8] = {"b8", 8, 0},
    [PTX_B16] = {"b16", 16, 0},
    [PTX_B32] = {"b32", 32, 0},
    [PTX_B64] = {"b64", 64, 0},
    [PTX_B128] = {"b128", 128, 0},
    [PTX_U8] = {"u8", 8, 0},
    [PTX_U16] = {"u16", 16, 0},
    [PTX_U32] = {"u32", 32, 0},
    [PTX_U64] = {"u64", 64, 0},
    [PTX_S8] = {"s8", 8, SIGNED},
    [PTX_S16] = {"s16", 16, SIGNED},
    [PTX_S32] = {"s32", 32, SIGNED},
    [PTX_S64] = {"s64", 64, SIGNED},
    [PTX_F16] = {"f16", 16, FLOAT},
    [PTX_BF16] = {"bf16", 16, FLOAT},
    [PTX_F16X2] = {"f16x2", 32, FLOAT},
    [PTX_BF16X2] = {"bf16x2", 32, FLOAT},
    [PTX_F32] = {"f32", 32, FLOAT},
    [PTX_F64] = {"f64", 64, FLOAT},
    [PTX_TF32] = {"tf32", 32, FLOAT},
    [PTX_E4M3] = {"e4m3", 8, FLOAT},
    [PTX_E5M2] = {"e5m2", 8, FLOAT},
    [PTX_E4M3X2] = {"e4m3x2", 16, FLOAT},
    [PTX_E5M2X2] = {"e5m2x2", 16, FLOAT},
    [PTX_E2M1X2] = {"e2m1x2", 8, FLOAT},
    [PTX_E2M3X2] = {"e2m3x2", 16, FLOAT},
    [PTX_E3M2X2] = {"e3m2x2", 16, FLOAT},
    [PTX_UE8M0X2] = {"ue8m0x2", 16, FLOAT},
    [PTX_U16X2] = {"u16x2", 32, 0},
    [PTX_S16X2] = {"s16x2", 32, SIGNED},
};

enum ptx_type ptx_type_named(const char *name, size_t length)
{
    for (int i = PTX_PRED; i < PTX_TYPES; i++)
        if (strlen(type_table[i].name) == length && memcmp(type_table[i].name, name, length) == 0)
            return (enum ptx_type)i;
    return PTX_NONE;
}

uint32_t ptx_type_bits(enum ptx_type type)
{
    return type_table[type].bits;
}

bool ptx_type_signed(enum ptx_type type)
{
    return (type_table[type].kind & SIGNED) != 0;
}

bool ptx_type_float(enum ptx_type type)
{
    return (type_table[type].kind & FLOAT) != 0;
}
