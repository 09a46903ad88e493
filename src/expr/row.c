/* The rows as a table, and their witnesses as structs. The conditions are compiled elsewhere. */
#include "expr/row.h"

/* clang-format off */
#define AT_90 {1300, 90, 580, TMAP_ARCH(90, 0)}
#define AT_90A {1300, 90, 580, TMAP_ARCH(90, 1)}
#define AT_90_12_4 {1204, 84, 550, TMAP_ARCH(90, 0)}
#define AT_90_13_5 {1305, 95, 580, TMAP_ARCH(90, 0)}
#define AT_90_12_9 {1209, 88, 575, TMAP_ARCH(90, 0)}
#define AT_100 {1300, 90, 580, TMAP_ARCH(100, 0)}
#define AT_100A {1300, 90, 580, TMAP_ARCH(100, 1)}
#define AT_100_12_6 {1206, 87, 570, TMAP_ARCH(100, 0)}
#define AT_100_13_4 {1304, 94, 615, TMAP_ARCH(100, 0)}
#define AT_100A_13_4 {1304, 94, 615, TMAP_ARCH(100, 1)}
#define AT_103A {1300, 90, 580, TMAP_ARCH(103, 1)}
#define AT_120A {1300, 90, 580, TMAP_ARCH(120, 1)}

#define NEEDS(...) {__VA_ARGS__, ROW_END}
#define WHEN(c) 0
#define MUST(c) 0
#define BLAME(slot) 0
#define FIX(kind, text) FIX_##kind, text
#define EVIDENCE(...) {__VA_ARGS__}
#define BY_API(sign, since, where) {SOURCE_API, SIGN_##sign, since, where}
#define BY_PTX(sign, since, where) {SOURCE_PTX, SIGN_##sign, since, where}
#define BY_GUIDE(sign, since, where) {SOURCE_GUIDE, SIGN_##sign, since, where}
#define BY_DRIVER(sign, since, where) {SOURCE_DRIVER, SIGN_##sign, since, where}
#define BY_HARDWARE(sign, since, where) {SOURCE_HARDWARE, SIGN_##sign, since, where}
/* The first entry is a place holder (slot 0), so that an empty list is an initializer too. */
#define SETUP(...) {{0, 0}, __VA_ARGS__}
#define S(slot, value) {slot, value}
#define WITNESS(base, target, slot, legal, illegal, setup)                                         \
    {BASE_##base, target, slot, legal, illegal, setup}
#define ROW(id, name, kinds, span, needs, when, must, effect, blame, fix, message, why, evidence,  \
            witness)                                                                               \
    [ROW_##id] = {#id,          #name,       message,         why,   fix,                          \
                  KINDS_##kinds, SPAN_##span, EFFECT_##effect, needs, evidence, witness},
/* clang-format on */

const struct row row_table[ROW_COUNT] = {
#include "rules/rows.def"
};

enum row_subject row_subject_of(tmap_row row)
{
    if (row < SUBJECT_DESC_END) return SUBJECT_DESC;
    if (row < SUBJECT_ERRATA_END) return SUBJECT_ERRATA;
    if (row < SUBJECT_MAP_END) return SUBJECT_MAP;
    return row < SUBJECT_USE_END ? SUBJECT_USE : SUBJECT_PIPELINE;
}

int row_instances(enum row_span span, uint32_t rank, int *first)
{
    const int r = rank > TMAP_MAX_RANK ? TMAP_MAX_RANK : (int)rank;
    *first = span == SPAN_OUTER ? 1 : 0;
    switch (span) {
    case SPAN_ONCE:
        return 1;
    case SPAN_DIMS:
        return r;
    case SPAN_STRIDES:
    case SPAN_OUTER:
        return r > 0 ? r - 1 : 0;
    default:
        return r > 2 ? r - 2 : 0;
    }
}

/* Legal descriptors that witnesses start from; setups and the witness's field change them. */
static const struct tmap_desc bases[] = {
    [BASE_TILED2] = {.kind = TMAP_TILED,
                     .dtype = TMAP_BFLOAT16,
                     .rank = 2,
                     .address = 0x7f0000000000,
                     .dim = {1024, 512},
                     .stride_bytes = {2048},
                     .box = {64, 64},
                     .elem_stride = {1, 1},
                     .swizzle = TMAP_SWIZZLE_128B},
    [BASE_TILED3] = {.kind = TMAP_TILED,
                     .dtype = TMAP_BFLOAT16,
                     .rank = 3,
                     .address = 0x7f0000000000,
                     .dim = {1024, 512, 16},
                     .stride_bytes = {2048, 1048576},
                     .box = {64, 8, 4},
                     .elem_stride = {1, 1, 1},
                     .swizzle = TMAP_SWIZZLE_128B},
    /* a 3 x 3 filter with padding 1 over NHWC */
    [BASE_IM2COL4] = {.kind = TMAP_IM2COL,
                      .dtype = TMAP_BFLOAT16,
                      .rank = 4,
                      .address = 0x7f0000000000,
                      .dim = {64, 56, 56, 8},
                      .stride_bytes = {128, 7168, 401408},
                      .elem_stride = {1, 1, 1, 1},
                      .swizzle = TMAP_SWIZZLE_128B,
                      .lower = {-1, -1},
                      .upper = {-1, -1},
                      .channels = 64,
                      .pixels = 128},
    [BASE_WIDE3] = {.kind = TMAP_IM2COL_WIDE,
                    .dtype = TMAP_BFLOAT16,
                    .rank = 3,
                    .address = 0x7f0000000000,
                    .dim = {64, 65536, 8},
                    .stride_bytes = {128, 8388608},
                    .elem_stride = {1, 1, 1},
                    .swizzle = TMAP_SWIZZLE_128B,
                    .lower = {-1},
                    .upper = {-1},
                    .channels = 64,
                    .pixels = 128},
    [BASE_WIDE4] = {.kind = TMAP_IM2COL_WIDE,
                    .dtype = TMAP_BFLOAT16,
                    .rank = 4,
                    .address = 0x7f0000000000,
                    .dim = {64, 256, 56, 8},
                    .stride_bytes = {128, 32768, 1835008},
                    .elem_stride = {1, 1, 1, 1},
                    .swizzle = TMAP_SWIZZLE_128B,
                    .lower = {-1},
                    .upper = {-1},
                    .channels = 64,
                    .pixels = 128},
};

void row_witness_make(tmap_row row, bool legal, struct tmap_desc *desc, struct tmap_use *use,
                      struct pipeline_facts *pipeline)
{
    const struct row_witness *w = &row_table[row].witness;
    *desc = bases[w->base == BASE_PIPELINE ? BASE_TILED2 : w->base];
    *use = (struct tmap_use){.op = TMAP_OP_LOAD};
    *pipeline = (struct pipeline_facts){.stages = 2,
                                        .stage_bytes = 16384,
                                        .stage_align_bytes = 1024,
                                        .stage_tx_bytes = 16384,
                                        .shared_bytes = 32768,
                                        .arrivals = 1,
                                        .cta_group = 1,
                                        .alloc_warps = 1,
                                        .alloc_group = 1};
    for (size_t i = 1; i < sizeof w->setup / sizeof w->setup[0] && w->setup[i].slot != 0; i++)
        if (!field_write(desc, use, w->setup[i].slot, w->setup[i].value))
            field_store(PART_pipeline, pipeline, w->setup[i].slot, w->setup[i].value);
    const int64_t value = legal ? w->legal : w->illegal;
    if (!field_write(desc, use, w->slot, value))
        field_store(PART_pipeline, pipeline, w->slot, value);
}
