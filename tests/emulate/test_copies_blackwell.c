/* Copies that Blackwell has and Hopper has not, as PTX on the emulator, beside loops over the law
 * that the PTX ISA gives: im2col::w and im2col::w::128 with their halo, rows gathered and
 * scattered, and packed types with what pads them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "tmap/tmap.h"

enum {
    DATA_AT = 0x10000000, /* ptx_run.c's buffer: the map, the tensor, what comes out */
    TENSOR_AT = 4096,
    OUT_AT = 65536,
    SMEM_AT = 1024,
    MOST = 16384,
    PAD = 0xee
};

static uint8_t data[OUT_AT + MOST], expected[MOST];

static const char text[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %%p; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .b16 %%h0, %%h1;\n"
    "ld.param.u64 %%rd1, [p]; cvta.to.global.u64 %%rd1, %%rd1; mov.u32 %%r1, smem;\n"
    "mbarrier.init.shared::cta.b64 [smem], 1; fence.mbarrier_init.release.cluster;\n"
    "add.u32 %%r1, %%r1, 1024; mov.u32 %%r3, 0; add.u64 %%rd2, %%rd1, 65536;\n"
    "in: ld.global.u32 %%r4, [%%rd2]; add.u32 %%r5, %%r1, %%r3; st.shared.u32 [%%r5], %%r4;\n"
    "add.u32 %%r3, %%r3, 4; add.u64 %%rd2, %%rd2, 4; setp.lt.u32 %%p, %%r3, %u; @%%p bra in;\n"
    "fence.proxy.async.shared::cta; mov.u16 %%h0, %u; mov.u16 %%h1, %u;\n"
    "%s\n"
    "mov.u32 %%r3, 0; add.u64 %%rd2, %%rd1, 65536;\n"
    "out: add.u32 %%r5, %%r1, %%r3; ld.shared.u32 %%r4, [%%r5]; st.global.u32 [%%rd2], %%r4;\n"
    "add.u32 %%r3, %%r3, 4; add.u64 %%rd2, %%rd2, 4; setp.lt.u32 %%p, %%r3, %u; @%%p bra out;\n"
    "ret;\n}\n";

/* A load: the barrier expects its bytes. */
#define LOAD(dim, mode, coords, offsets, tx)                                                       \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem], " #tx ";\n"                              \
    "cp.async.bulk.tensor." dim ".shared::cta.global." mode ".mbarrier::complete_tx::bytes "       \
    "[%r1], [%rd1, {" coords "}], [smem]" offsets ";\n"                                            \
    "again: mbarrier.try_wait.parity.shared::cta.b64 %p, [smem], 0; @!%p bra again;"
#define STORE(dim, mode, coords)                                                                   \
    "cp.async.bulk.tensor." dim ".global.shared::cta." mode ".bulk_group [%rd1, {" coords "}], "   \
    "[%r1];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"

/* The tensor's bytes differ; shared memory begins as PAD, or for a store as numbers of its own. */
static void begin(struct tmap_desc *d, bool stores)
{
    const struct tmap_target target = {1300, 90, 580, TMAP_ARCH(100, 1)};
    struct tmap_checker checker;
    struct tmap_map map;
    for (uint32_t i = TENSOR_AT; i < OUT_AT; i++) data[i] = (uint8_t)(i * 2654435761u >> 23);
    for (uint32_t i = 0; i < MOST; i++)
        data[OUT_AT + i] = stores ? (uint8_t)(i * 40503u >> 9) : PAD;
    memset(expected, PAD, sizeof expected);
    d->address = DATA_AT + TENSOR_AT;
    for (uint32_t i = 0; i < d->rank; i++) d->elem_stride[i] = 1;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_DOCUMENTED, &checker), TMAP_OK);
    assert_int_equal(tmap_encode(&checker, d, &map), TMAP_OK);
    memcpy(data, &map, sizeof map);
}

static void copy(const char *what, uint32_t bytes, uint32_t offset0, uint32_t offset1)
{
    static char ptx[4096];
    struct ptx_run r;
    snprintf(ptx, sizeof ptx, text, bytes, offset0, offset1, what, bytes);
    for (int time = TMAP_EMULATE_EARLIEST; time <= TMAP_EMULATE_LATEST; time++) {
        static uint8_t kept[sizeof data];
        memcpy(kept, data, sizeof data);
        assert_true(ptx_run(ptx, data, sizeof data, 1, 1, SMEM_AT + MOST,
                            (enum tmap_emulate_schedule)time, &r));
        if (time == TMAP_EMULATE_EARLIEST) memcpy(data, kept, sizeof data);
    }
}

/* im2col::w asks for a swizzle of 64 or 128 bytes (TMA089): pixels of 64 bytes, 64B. */
enum { C = 32, W = 9, H = 3, N = 4, PIXEL = C * 2 };

static struct tmap_desc pixels_of(int32_t mode, uint32_t pixels)
{
    return (struct tmap_desc){.kind = TMAP_IM2COL_WIDE,
                              .dtype = TMAP_BFLOAT16,
                              .rank = 4,
                              .dim = {C, W, H, N},
                              .stride_bytes = {PIXEL, PIXEL * W, PIXEL * W * H},
                              .swizzle = TMAP_SWIZZLE_64B,
                              .lower = {-1},
                              .upper = {1},
                              .channels = C,
                              .pixels = pixels,
                              .mode = mode};
}

/* Where byte i of a row of shared memory stands: bits 4 and 5 of its address by bits 7 and 8. */
static uint32_t swizzled(uint32_t i)
{
    return i ^ (i >> 7 & 3) << 4;
}

/* One pixel of `expected`, from the tensor or zero. */
static void put_pixel(uint32_t at, int32_t w, int32_t h, int32_t n)
{
    const bool inside = w >= 0 && w < W && n < N;
    for (uint32_t i = 0; i < PIXEL; i++)
        expected[swizzled(at * PIXEL + i)] =
            inside ? data[TENSOR_AT + ((n * H + h) * W + w) * PIXEL + i] : 0;
}

/* W from -1 to 9 and on in the next image; every `between` pixels the halo. */
static uint32_t walk(uint32_t pixels, uint32_t between, int32_t halo, int32_t offset, int32_t w,
                     int32_t h, int32_t n)
{
    uint32_t at = 0;
    for (uint32_t k = 1; k <= pixels; k++) {
        put_pixel(at++, w + offset, h, n);
        for (int32_t i = 1; i <= halo && k % between == 0; i++)
            put_pixel(at++, w + i + offset, h, n);
        if (++w == W + 1) w = -1, n++;
    }
    return at * PIXEL;
}

static void im2col_wide(void **state)
{
    (void)state;
    struct tmap_desc d = pixels_of(TMAP_WIDE_W, 8);
    begin(&d, false);
    uint32_t bytes = walk(8, 8, 2, 1, 3, 2, 1);
    assert_int_equal(bytes, 640);
    copy(LOAD("4d", "im2col::w", "0, 3, 2, 1", ", {%h0, %h1}", 640), bytes + 64, 2, 1);
    assert_memory_equal(data + OUT_AT, expected, bytes + 64);
    begin(&d, false); /* without a halo, past the last image */
    bytes = walk(8, 8, 0, 0, -1, 0, 3);
    copy(LOAD("4d", "im2col::w", "0, -1, 0, 3", ", {%h0, %h1}", 512), bytes + 64, 0, 0);
    assert_memory_equal(data + OUT_AT, expected, bytes + 64);
}

static void im2col_wide_128(void **state)
{
    (void)state;
    struct tmap_desc d = pixels_of(TMAP_WIDE_W128, 128);
    begin(&d, false);
    const uint32_t bytes = walk(128, 32, 1, 0, 0, 1, 0);
    assert_int_equal(bytes, 8448);
    copy(LOAD("4d", "im2col::w::128", "0, 0, 1, 0", ", {%h0, %h1}", 8448), bytes + 64, 1, 0);
    assert_memory_equal(data + OUT_AT, expected, bytes + 64);
}

enum { ROWS = 32, ROW_BYTES = 128 };

static struct tmap_desc rows_of_f32(void)
{
    return (struct tmap_desc){.kind = TMAP_TILED,
                              .dtype = TMAP_FLOAT32,
                              .rank = 2,
                              .dim = {ROW_BYTES / 4, ROWS},
                              .stride_bytes = {ROW_BYTES},
                              .box = {16, 1}};
}

static void rows_are_gathered(void **state)
{
    static const int32_t rows[] = {7, 31, 40, 0}; /* 40 is outside */
    (void)state;
    struct tmap_desc d = rows_of_f32();
    begin(&d, false);
    for (int i = 0; i < 4; i++)
        if (rows[i] < ROWS)
            memcpy(expected + i * 64, data + TENSOR_AT + rows[i] * ROW_BYTES + 32, 64);
        else
            memset(expected + i * 64, 0, 64);
    copy(LOAD("2d", "tile::gather4", "8, 7, 31, 40, 0", "", 256), 320, 0, 0);
    assert_memory_equal(data + OUT_AT, expected, 320);
}

static void rows_are_scattered(void **state)
{
    static const int32_t rows[] = {7, 31, 40, 0};
    static uint8_t tensor[ROWS * ROW_BYTES];
    (void)state;
    struct tmap_desc d = rows_of_f32();
    begin(&d, true);
    memcpy(tensor, data + TENSOR_AT, sizeof tensor);
    for (int i = 0; i < 4; i++)
        if (rows[i] < ROWS) memcpy(tensor + rows[i] * ROW_BYTES + 32, data + OUT_AT + i * 64, 64);
    copy(STORE("2d", "tile::scatter4", "8, 7, 31, 40, 0"), 256, 0, 0);
    assert_memory_equal(data + TENSOR_AT, tensor, sizeof tensor);
}

/* Sixteen elements are `packed` bytes in global memory and 16 in shared memory; what pads them
 * stays as it was, and the barrier counts the bytes of global memory. */
static void packed_type(int32_t dtype, uint32_t packed, const char *what)
{
    const uint32_t row = 128 / 16 * packed;
    struct tmap_desc d = {.kind = TMAP_TILED,
                          .dtype = dtype,
                          .rank = 2,
                          .dim = {256, 8},
                          .stride_bytes = {2 * row},
                          .box = {128, 4}};
    begin(&d, false);
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 8; x++)
            memcpy(expected + y * 128 + x * 16,
                   data + TENSOR_AT + (2 + y) * 2 * row + row + x * packed, packed);
    copy(what, 576, 0, 0);
    assert_memory_equal(data + OUT_AT, expected, 576);
}

static void packed_types(void **state)
{
    (void)state;
    packed_type(TMAP_16U4_ALIGN16B, 8, LOAD("2d", "tile", "128, 2", "", 256));
    packed_type(TMAP_16U6_ALIGN16B, 12, LOAD("2d", "tile", "128, 2", "", 384));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(im2col_wide), cmocka_unit_test(im2col_wide_128),
        cmocka_unit_test(rows_are_gathered), cmocka_unit_test(rows_are_scattered),
        cmocka_unit_test(packed_types)};
    return cmocka_run_group_tests_name("copies of Blackwell", tests, NULL, NULL);
}
