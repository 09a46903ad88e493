// Matrices in shared memory as wgmma and tcgen05 read them (PTX ISA, canonical layouts; the same
// strides as core/mma.c writes).
#include "emulate/protocol/record.h"
#include "emulate/tensor/tensor.h"
#include "emulate/ops/small.h"

#include <string.h>

enum { PIECE = EMU_PIECE, CORE_ROWS = 8, SWIZZLE_LINE = 128 };
enum { MOST_PIECES = TENSOR_COLS * 32 / PIECE }; // of an instruction's 256 bits of K

static const struct {
    const char *name;
    uint8_t bits, width;
} type_table[] = {
    [TENSOR_BF16] = {"bf16", 16, 16}, [TENSOR_F16] = {"f16", 16, 16},
    [TENSOR_TF32] = {"tf32", 32, 32}, [TENSOR_E4M3] = {"e4m3", 8, 8},
    [TENSOR_E5M2] = {"e5m2", 8, 8},   [TENSOR_E2M3] = {"e2m3", 8, 6},
    [TENSOR_E3M2] = {"e3m2", 8, 6},   [TENSOR_E2M1] = {"e2m1", 8, 4},
    [TENSOR_S8] = {"s8", 8, 8},       [TENSOR_U8] = {"u8", 8, 8},
    [TENSOR_S4] = {"s4", 4, 4},       [TENSOR_U4] = {"u4", 4, 4},
};

uint32_t tensor_bits(enum tensor_type type)
{
    return type_table[type].bits;
}
uint32_t tensor_width(enum tensor_type type)
{
    return type_table[type].width;
}

static bool is_whole(enum tensor_type t)
{
    return t == TENSOR_S8 || t == TENSOR_U8 || t == TENSOR_S4 || t == TENSOR_U4;
}

bool tensor_types_meet(enum tensor_type a, enum tensor_type b, enum ptx_type sum)
{
    if (is_whole(a) || is_whole(b)) return is_whole(a) && is_whole(b) && sum == PTX_S32;
    if (type_table[a].bits > 8 && a != b) return false;
    return sum == PTX_F32 || (sum == PTX_F16 && a != TENSOR_BF16 && a != TENSOR_TF32);
}

bool tensor_type_named(const char *name, size_t length, enum tensor_type *out)
{
    for (size_t i = 0; i < sizeof type_table / sizeof *type_table; i++)
        if (strlen(type_table[i].name) == length && memcmp(name, type_table[i].name, length) == 0) {
            *out = (enum tensor_type)i;
            return true;
        }
    return false;
}

double tensor_value(enum tensor_type type, uint64_t v)
{
    switch (type) {
    case TENSOR_BF16:
        return (double)emu_from_bfloat((uint32_t)v);
    case TENSOR_F16:
        return (double)emu_from_half((uint32_t)v);
    case TENSOR_TF32: // the tensor core reads the upper 19 bits
        return (double)emu_float((uint32_t)v & 0xffffe000);
    case TENSOR_E4M3:
        return (double)emu_from_small(SMALL_E4M3, (uint32_t)v);
    case TENSOR_E5M2:
        return (double)emu_from_small(SMALL_E5M2, (uint32_t)v);
    case TENSOR_E2M3:
        return (double)emu_from_small(SMALL_E2M3, (uint32_t)v & 0x3f);
    case TENSOR_E3M2:
        return (double)emu_from_small(SMALL_E3M2, (uint32_t)v & 0x3f);
    case TENSOR_E2M1:
        return (double)emu_from_small(SMALL_E2M1, (uint32_t)v & 0xf);
    case TENSOR_S8:
        return (double)(int8_t)v;
    case TENSOR_U8:
        return (double)(uint8_t)v;
    case TENSOR_S4:
        return (double)((int8_t)(v << 4) >> 4);
    default: // TENSOR_U4
        return (double)(v & 15);
    }
}

double tensor_contained(enum tensor_type type, uint64_t v)
{
    return tensor_value(type, type == TENSOR_E2M1 ? v >> 2 : v);
}

// Bits first to first + width - 1 of a piece.
static uint32_t field(const uint8_t *piece, uint32_t first, uint32_t width)
{
    const uint32_t at = first / 8, next = at + 1 < PIECE ? at + 1 : at;
    return (uint32_t)(piece[at] | piece[next] << 8) >> first % 8 & ((1u << width) - 1);
}

// 00xxxx00 of 4 bits, 00xxxxxx of 6 (PTX ISA, "optional decompression").
void tensor_unpack(uint32_t width, const uint8_t packed[PIECE], uint8_t out[PIECE])
{
    for (uint32_t i = 0; i < PIECE; i++)
        out[i] = (uint8_t)(field(packed, i * width, width) << (width == 4 ? 2 : 0));
}

static uint32_t span_of(int32_t swizzle)
{
    switch (swizzle) {
    case TMAP_SWIZZLE_NONE:
        return PIECE;
    case TMAP_SWIZZLE_32B:
        return 32;
    case TMAP_SWIZZLE_64B:
        return 64;
    default:
        return 128;
    }
}

// The address before the swizzle is the sum of where a line is and how far along it a piece is:
// lines of one span, eight of them a group.
static uint32_t line_at(const struct tensor_view *v, uint32_t line)
{
    const bool plain = v->swizzle == TMAP_SWIZZLE_NONE;
    // MN-major without a swizzle: the two offsets exchange their roles.
    const uint32_t group = plain && v->mn_major ? v->lead : v->stride;
    return v->start + line / CORE_ROWS * group + line % CORE_ROWS * span_of(v->swizzle);
}

static uint32_t along_at(const struct tensor_view *v, uint32_t element)
{
    const uint32_t span = span_of(v->swizzle), along = element * v->bits / 8;
    const bool plain = v->swizzle == TMAP_SWIZZLE_NONE;
    const uint32_t next = plain && v->mn_major ? v->stride : v->lead;
    // K-major with a swizzle: an instruction's K stays inside its span, wherever it starts there.
    return plain || v->mn_major ? along / span * next + along % span : along;
}

uint32_t tensor_address(const struct tensor_view *v, uint32_t row, uint32_t k)
{
    const uint32_t at = line_at(v, v->mn_major ? k : row) + along_at(v, v->mn_major ? row : k);
    return (uint32_t)tmap_swizzle_address(v->swizzle, at);
}

struct tensor_view tensor_wgmma_view(uint64_t d, uint32_t bits, bool mn_major)
{
    static const int32_t layout[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_128B, TMAP_SWIZZLE_64B,
                                     TMAP_SWIZZLE_32B};
    return (struct tensor_view){.start = (uint32_t)(d & 0x3fff) << 4,
                                .lead = (uint32_t)(d >> 16 & 0x3fff) << 4,
                                .stride = (uint32_t)(d >> 32 & 0x3fff) << 4,
                                .swizzle = layout[d >> 62],
                                .mn_major = mn_major,
                                .bits = bits};
}

bool tensor_outside(const struct emu_actor *a, const struct emu_cta *cta, uint32_t at)
{
    if (at >= EMU_SMEM_START && at + PIECE <= cta->smem_end) return false;
    emu_fault(TMAP_EMULATE_ACCESS, a->warp, a->in, a->lane, at,
              "a matrix descriptor reaches shared 0x%x, outside the CTA's shared memory", at);
    return true;
}

// Elements of a piece, to every `step`th place.
static void values(enum tensor_type type, const uint8_t *piece, uint32_t n, uint32_t step,
                   double *out)
{
    const uint32_t bytes = type_table[type].bits / 8;
    if (type == TENSOR_BF16) {
        for (uint32_t e = 0; e < n; e++) {
            const uint32_t bits = (uint32_t)piece[2 * e] << 16 | (uint32_t)piece[2 * e + 1] << 24;
            out[(size_t)e * step] = (double)emu_float(bits);
        }
        return;
    }
    const uint32_t width = type_table[type].width;
    for (uint32_t e = 0; e < n; e++) {
        uint64_t bits = 0;
        if (width < 8)
            bits = field(piece, e * width, width);
        else
            memcpy(&bits, piece + (size_t)e * bytes, bytes);
        out[(size_t)e * step] = tensor_value(type, bits);
    }
}

// What a swizzle changes in the addresses of each of its eight lines of 128 bytes.
static const uint32_t *swizzles(struct emu_machine *m, int32_t swizzle)
{
    struct emu_swizzle *s = &m->swizzle[m->swizzle[0].mode == swizzle ? 0 : 1];
    if (s->known && s->mode == swizzle) return s->change;
    s->known = true;
    s->mode = swizzle;
    for (uint32_t i = 0; i < EMU_SWIZZLE_LINES; i++)
        s->change[i] =
            swizzle == TMAP_SWIZZLE_NONE
                ? 0
                : (uint32_t)tmap_swizzle_address(swizzle, i * SWIZZLE_LINE) ^ i * SWIZZLE_LINE;
    return s->change;
}

// The places of a matrix's pieces up to the first that is outside; false: there is one.
static bool places(const struct emu_actor *actor, struct emu_cta *cta, const struct tensor_view *v,
                   uint32_t rows, uint32_t k, uint32_t *piece, uint32_t *count)
{
    const uint32_t per = PIECE * 8 / v->bits;
    const uint32_t lines = v->mn_major ? k : rows, length = v->mn_major ? rows : k;
    const uint32_t *change = swizzles(cta->m, v->swizzle);
    uint32_t along[TENSOR_COLS], n = 0;
    for (uint32_t i = 0; i < length; i += per) along[n++] = along_at(v, i);
    for (uint32_t line = 0; line < lines; line++) {
        const uint32_t start = line_at(v, line);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t at = start + along[i];
            const uint32_t to = at ^ change[at / SWIZZLE_LINE % EMU_SWIZZLE_LINES];
            if (tensor_outside(actor, cta, to)) return false;
            piece[(*count)++] = to;
        }
    }
    return true;
}

bool tensor_pieces(const struct emu_actor *actor, struct emu_cta *cta, const struct tensor_view *v,
                   uint32_t rows, uint32_t k, uint8_t *raw)
{
    uint32_t piece[MOST_PIECES], count = 0;
    const bool inside = places(actor, cta, v, rows, k, piece, &count);
    emu_touch_pieces(cta->m, actor, cta, piece, count, EMU_READ);
    for (uint32_t i = 0; cta->m->watch.record && i < count; i++)
        emu_note_touch(actor->warp, actor->in, ACT_TENSOR_READ, cta, piece[i], PIECE);
    if (!inside) return false;
    for (uint32_t i = 0; i < count; i++)
        memcpy(raw + (size_t)i * PIECE, cta->smem + piece[i], PIECE);
    return true;
}

// By pieces of 16 bytes, which no swizzle takes apart.
bool tensor_read(const struct emu_actor *actor, struct emu_cta *cta, const struct tensor_view *v,
                 enum tensor_type type, uint32_t rows, uint32_t k, bool transposed, double *out)
{
    const uint32_t per = PIECE * 8 / v->bits;
    const uint32_t lines = v->mn_major ? k : rows, length = v->mn_major ? rows : k;
    const uint32_t row_step = transposed ? 1 : k, col_step = transposed ? rows : 1;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t at = 0; at < length; at += per) {
            const uint32_t row = v->mn_major ? at : line, col = v->mn_major ? line : at;
            const uint32_t piece = tensor_address(v, row, col);
            if (tensor_outside(actor, cta, piece)) return false;
            emu_touch(cta->m, actor, cta, NULL, piece, PIECE, EMU_READ);
            if (cta->m->watch.record)
                emu_note_touch(actor->warp, actor->in, ACT_TENSOR_READ, cta, piece, PIECE);
            values(type, cta->smem + piece, length - at < per ? length - at : per,
                   v->mn_major ? row_step : col_step, out + row * row_step + col * col_step);
        }
    return true;
}
