// The simulator on copies small enough to follow by hand; tests/golden/sim replays what an H200
// did.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tmap/tmap.h"

#define BASE 0x10000u
static uint8_t global[4096], shared[4096] __attribute__((aligned(1024)));

static bool mapped(uint64_t address, size_t bytes)
{
    return address >= BASE && address - BASE + bytes <= sizeof global;
}
static bool read_global(void *user, uint64_t address, void *to, size_t bytes)
{
    (void)user;
    if (!mapped(address, bytes)) return false;
    memcpy(to, global + (address - BASE), bytes);
    return true;
}
static bool write_global(void *user, uint64_t address, const void *from, size_t bytes)
{
    (void)user;
    if (!mapped(address, bytes)) return false;
    memcpy(global + (address - BASE), from, bytes);
    return true;
}
static const struct tmap_memory memory = {read_global, write_global, NULL, shared,
                                          0,           sizeof shared};

static struct tmap_checker checker;
static int prepare(void **state)
{
    (void)state;
    const struct tmap_target target = tmap_default_target();
    for (size_t i = 0; i < sizeof global; i++) global[i] = (uint8_t)(i * 7 + i / 256);
    memset(shared, 0xee, sizeof shared);
    return tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
}

// 64 columns of bytes, 8 rows 64 bytes apart; a box of 32 x 4.
static struct tmap_desc matrix(void)
{
    return (struct tmap_desc){.dtype = TMAP_UINT8,
                              .rank = 2,
                              .address = BASE,
                              .dim = {64, 8},
                              .stride_bytes = {64},
                              .box = {32, 4},
                              .elem_stride = {1, 1}};
}

static void load_clips_by_element(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_outcome o;
    d.dim[0] = 61; // three bytes short of the box that starts at 32
    const struct tmap_use u = {
        .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {32, 6}, .coord_count = 2};
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    assert_int_equal(o.tx_bytes, 128);
    assert_int_equal(o.fault, TMAP_FAULT_NONE);
    assert_int_equal(o.basis, TMAP_OBSERVED);
    assert_memory_equal(shared, global + 6 * 64 + 32, 29);
    assert_memory_equal(shared + 29, "\0\0\0", 3);
    for (int i = 64; i < 128; i++) assert_int_equal(shared[i], 0); // rows 8 and 9
    assert_int_equal(shared[128], 0xee);
}

static void store_writes_whole_sixteens(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_outcome o;
    uint8_t before[64];
    d.dim[0] = 40, d.dim[1] = 1;
    memcpy(before, global, 64);
    for (int i = 0; i < 128; i++) shared[i] = (uint8_t)(200 + i);
    const struct tmap_use u = {
        .op = TMAP_OP_STORE, .flags = TMAP_USE_COORD, .coord = {32, 0}, .coord_count = 2};
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    assert_memory_equal(global, before, 32);
    assert_memory_equal(global + 32, shared, 16); // eight are inside, sixteen are written
    assert_memory_equal(global + 48, before + 48, 16);
}

static void swizzle_follows_the_shared_address(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_outcome o;
    d.box[0] = 32, d.swizzle = TMAP_SWIZZLE_32B;
    const struct tmap_use u = {.op = TMAP_OP_LOAD, .flags = TMAP_USE_SMEM, .smem = 128};
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    assert_memory_equal(shared + 128 + 16, global, 16); // line 1: the halves change places
    assert_memory_equal(shared + 128, global + 16, 16);
}

static void an_unmapped_base_faults_when_the_box_starts_outside(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_outcome o;
    d.address = BASE - 64; // row 0 is not mapped
    struct tmap_use u = {
        .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {0, 1}, .coord_count = 2};
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    assert_int_equal(o.fault, TMAP_FAULT_NONE);
    u.coord[1] = 8;
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    assert_int_equal(o.fault, TMAP_FAULT_ILLEGAL_ADDRESS);
}

/* As a GPU has them, on any host. */
static void put_words(uint8_t *at, const uint32_t *word, int count)
{
    for (int i = 0; i < 4 * count; i++) at[i] = (uint8_t)(word[i / 4] >> i % 4 * 8);
}

static void reductions_wrap_and_compare(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_outcome o;
    d.dtype = TMAP_UINT32, d.dim[0] = 16, d.box[0] = 4, d.box[1] = 1;
    const uint32_t old[4] = {5, 0xffffffff, 7, 0}, value[4] = {9, 2, 7, 3};
    const struct {
        uint32_t op, want[4];
    } t[] = {
        {TMAP_OP_REDUCE_ADD, {14, 1, 14, 3}},        {TMAP_OP_REDUCE_MIN, {5, 2, 7, 0}},
        {TMAP_OP_REDUCE_MAX, {9, 0xffffffff, 7, 3}}, {TMAP_OP_REDUCE_INC, {6, 0, 0, 1}},
        {TMAP_OP_REDUCE_DEC, {4, 2, 6, 3}},          {TMAP_OP_REDUCE_XOR, {12, 0xfffffffd, 0, 3}}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const struct tmap_use u = {.op = t[i].op};
        uint8_t want[sizeof old];
        put_words(global, old, 4);
        put_words(shared, value, 4);
        put_words(want, t[i].want, 4);
        assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
        assert_memory_equal(global, want, sizeof want);
    }
}

static void illegal_and_impossible_are_refused(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_outcome o;
    struct tmap_use u = {
        .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {8, 0}, .coord_count = 2};
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_E_ILLEGAL);
    u.coord[0] = 0;
    d.box[0] = 24;
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_E_ILLEGAL);
    d.box[0] = 32;
    u.flags |= TMAP_USE_SMEM, u.smem = sizeof shared - 64;
    u.smem &= ~127u;
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    u.smem += 128;
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_E_ROOM);
    u.op = TMAP_OP_REPLACE;
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_E_ARGUMENT);
}

// Dimension 0 counts slices, and one slice of dimension rank - 2 moves (docs/SIMULATOR.md).
static void interleaved_slices_move_one_by_one(void **state)
{
    (void)state;
    struct tmap_outcome o;
    const struct tmap_use u = {
        .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {5, 2, 1}, .coord_count = 3};
    struct tmap_desc d = {.dtype = TMAP_UINT64,
                          .rank = 3,
                          .address = BASE,
                          .dim = {8, 4, 3},
                          .elem_stride = {1, 1, 1}};
    for (int32_t interleave = TMAP_INTERLEAVE_16B; interleave <= TMAP_INTERLEAVE_32B;
         interleave++) {
        const uint32_t slice = interleave == TMAP_INTERLEAVE_16B ? 16 : 32;
        d.interleave = interleave;
        d.swizzle = interleave == TMAP_INTERLEAVE_16B ? TMAP_SWIZZLE_NONE : TMAP_SWIZZLE_32B;
        d.stride_bytes[0] = 8 * slice, d.stride_bytes[1] = 32 * slice;
        memcpy(d.box, (uint32_t[3]){4, 1, 2}, sizeof(uint32_t[3]));
        assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
        assert_int_equal(o.tx_bytes, 8 * slice);
        for (uint32_t i = 0; i < 8 * slice; i++) {
            const uint32_t x = 5 + i / slice % 4, n = 1 + i / slice / 4;
            const uint32_t at = d.swizzle ? i ^ (i >> 7 & 1) << 4 : i;
            const uint8_t want =
                x < 8 ? global[n * 32 * slice + 2 * 8 * slice + x * slice + i % slice] : 0;
            if (shared[at] != want) fail_msg("slices of %u: byte %u", slice, i);
        }
    }
}

// The hardware takes the packed types with padding interleaved; nobody has seen what it does then.
static void interleaved_padding_is_not_modelled(void **state)
{
    (void)state;
    struct tmap_target target = tmap_default_target();
    struct tmap_checker hardware;
    struct tmap_outcome o;
    const struct tmap_use u = {.op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord_count = 3};
    struct tmap_desc d = {.dtype = TMAP_16U4_ALIGN16B,
                          .rank = 3,
                          .dim = {128, 8, 8},
                          .stride_bytes = {256, 2048},
                          .box = {128, 1, 1},
                          .elem_stride = {1, 1, 1},
                          .interleave = TMAP_INTERLEAVE_32B,
                          .swizzle = TMAP_SWIZZLE_32B};
    target.arch = TMAP_ARCH(100, 1);
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_HARDWARE, &hardware), TMAP_OK);
    assert_int_equal(tmap_simulate(&hardware, &d, &u, &memory, &o), TMAP_E_TARGET);
    for (size_t i = 0; i < sizeof shared; i++) assert_int_equal(shared[i], 0xee);
}

static void boxes_begin_before_the_tensor(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_outcome o;
    const struct tmap_use u = {
        .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {-16, 1}, .coord_count = 2};
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    assert_memory_equal(shared, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    assert_memory_equal(shared + 16, global + 64, 16);
    assert_int_equal(o.global_bytes, 4 * 16);
}

// To the upper 19 bits: halves to even, and every NaN is one; FTZ keeps subnormals all the same.
static void loads_round_to_tf32(void **state)
{
    (void)state;
    static const uint32_t in[8] = {0x3f801000, 0x3f803000, 0xbf800fff, 0x3f801001,
                                   0x7f800001, 0x7f800000, 0x00001001, 0};
    static const uint32_t rounded[8] = {0x3f800000, 0x3f804000, 0xbf800000, 0x3f802000,
                                        0x7fffe000, 0x7f800000, 0x00002000, 0};
    const int32_t types[] = {TMAP_TFLOAT32, TMAP_TFLOAT32_FTZ};
    for (int i = 0; i < 2; i++) {
        struct tmap_desc d = matrix();
        struct tmap_outcome o;
        const struct tmap_use u = {.op = TMAP_OP_LOAD};
        d.dtype = types[i], d.dim[0] = 16, d.box[0] = 8, d.box[1] = 1;
        uint8_t want[sizeof rounded];
        put_words(global, in, 8);
        put_words(want, rounded, 8);
        assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
        assert_memory_equal(shared, want, sizeof want);
    }
}

static void unmapped_rows_fault(void **state)
{
    (void)state;
    const uint32_t ops[] = {TMAP_OP_LOAD, TMAP_OP_STORE, TMAP_OP_REDUCE_ADD};
    for (int i = 0; i < 3; i++) {
        struct tmap_desc d = matrix();
        struct tmap_outcome o;
        const struct tmap_use u = {.op = ops[i]};
        d.address = BASE + sizeof global - 64, d.dtype = TMAP_UINT32, d.dim[0] = 16, d.box[0] = 8;
        assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
        assert_int_equal(o.fault, TMAP_FAULT_ILLEGAL_ADDRESS); // at its second row
        assert_int_equal(o.global_bytes, i == 1 ? 64 : 32);
    }
}

static void prefetches_touch_nothing(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_outcome o;
    const struct tmap_use u = {.op = TMAP_OP_PREFETCH};
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    assert_int_equal(o.tx_bytes + o.global_bytes, 0);
    assert_int_equal(shared[0], 0xee);
}

// The last bytes of the address space are no shared memory.
static void shared_memory_does_not_wrap(void **state)
{
    (void)state;
    const int32_t swizzles[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B};
    for (int i = 0; i < 2; i++)
        for (uint64_t below = 128; below <= 256; below += 128) {
            struct tmap_desc d = matrix();
            struct tmap_outcome o;
            const struct tmap_use u = {
                .op = TMAP_OP_LOAD, .flags = TMAP_USE_SMEM, .smem = 0 - below};
            d.swizzle = swizzles[i];
            assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_E_ILLEGAL);
        }
}

// 3 x 3 x 3 pixels of 16 bytes in 2 images; a filter of 2 x 2 x 2, of which this is the offset.
static void offsets_of_three_axes(void **state)
{
    (void)state;
    const struct tmap_desc d = {.kind = TMAP_IM2COL,
                                .dtype = TMAP_UINT8,
                                .rank = 5,
                                .address = BASE,
                                .dim = {16, 3, 3, 3, 2},
                                .stride_bytes = {16, 48, 144, 432},
                                .upper = {-1, -1, -1},
                                .channels = 16,
                                .pixels = 16,
                                .elem_stride = {1, 1, 1, 1, 1}};
    struct tmap_outcome o;
    const struct tmap_use u = {.op = TMAP_OP_LOAD,
                               .flags = TMAP_USE_COORD | TMAP_USE_OFFSET,
                               .coord_count = 5,
                               .offset = {1, 0, 1}};
    assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
    for (int r = 0; r < 16; r++) {
        const int x = r % 2 + 1, y = r / 2 % 2, z = r / 4 % 2 + 1, n = r / 8;
        assert_memory_equal(shared + r * 16, global + n * 432 + z * 144 + y * 48 + x * 16, 16);
    }
}

// --- what Hopper does not have: after the PTX ISA, and said so -----------------------------------
static struct tmap_checker blackwell;
static int prepare_blackwell(void **state)
{
    struct tmap_target target = tmap_default_target();
    target.arch = TMAP_ARCH(100, 1);
    prepare(state);
    return tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &blackwell);
}

static void run_inferred(const struct tmap_desc *d, const struct tmap_use *u, uint64_t tx_bytes)
{
    struct tmap_outcome o;
    const enum tmap_status s = tmap_simulate(&blackwell, d, u, &memory, &o);
    assert_int_equal(s, TMAP_OK);
    assert_int_equal(o.basis, TMAP_INFERRED);
    assert_int_equal(o.fault, TMAP_FAULT_NONE);
    assert_int_equal(o.tx_bytes, tx_bytes);
}

// 256 columns of 4 or 6 bits, rows 256 bytes apart; a box of 128 x 2 from row 1, column 128.
static struct tmap_desc packed(int32_t dtype, int32_t swizzle)
{
    return (struct tmap_desc){.dtype = dtype,
                              .rank = 2,
                              .address = BASE,
                              .dim = {256, 4},
                              .stride_bytes = {256},
                              .box = {128, 2},
                              .elem_stride = {1, 1},
                              .swizzle = swizzle};
}

// Four rows by their numbers, one of them beyond the end; scattered back to others.
static void rows_are_gathered_and_scattered(void **state)
{
    (void)state;
    struct tmap_desc d = matrix();
    struct tmap_use u = {.op = TMAP_OP_GATHER4,
                         .flags = TMAP_USE_COORD,
                         .coord = {32, 5, 0, 9, 5},
                         .coord_count = 5};
    static const uint8_t zeros[32];
    d.box[1] = 1;
    run_inferred(&d, &u, 4 * 32);
    assert_memory_equal(shared, global + 5 * 64 + 32, 32);
    assert_memory_equal(shared + 32, global + 32, 32);
    assert_memory_equal(shared + 64, zeros, 32);
    assert_memory_equal(shared + 96, global + 5 * 64 + 32, 32);
    u.op = TMAP_OP_SCATTER4;
    u.coord[1] = 1, u.coord[2] = 2, u.coord[3] = 3, u.coord[4] = 4;
    run_inferred(&d, &u, 0);
    for (int r = 0; r < 4; r++)
        assert_memory_equal(global + (r + 1) * 64 + 32, shared + r * 32, 32);
}

static void packed_fours_stay_packed(void **state)
{
    (void)state;
    const struct tmap_desc d = packed(TMAP_16U4_ALIGN8B, TMAP_SWIZZLE_NONE);
    const struct tmap_use u = {
        .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {128, 1}, .coord_count = 2};
    run_inferred(&d, &u, 128);
    assert_memory_equal(shared, global + 256 + 64, 64);
    assert_memory_equal(shared + 64, global + 512 + 64, 64);
    assert_int_equal(shared[128], 0xee);
}

// Sixteen elements fill sixteen bytes: the first 8 or 12 with data, the rest with nothing, which
// does not count on the barrier.
static void padded_types_spread(void **state)
{
    (void)state;
    const struct {
        int32_t dtype;
        uint32_t data;
    } t[] = {{TMAP_16U4_ALIGN16B, 8}, {TMAP_16U6_ALIGN16B, 12}};
    for (int i = 0; i < 2; i++) {
        const struct tmap_desc d = packed(t[i].dtype, TMAP_SWIZZLE_NONE);
        const struct tmap_use u = {
            .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {128, 3}, .coord_count = 2};
        const uint8_t *row = global + 3 * 256 + 8 * t[i].data;
        memset(shared, 0xee, sizeof shared);
        run_inferred(&d, &u, 16 * t[i].data);
        for (uint32_t at = 0; at < 256; at++) {
            const uint32_t in = at % 16, from = at / 16 * t[i].data + in;
            const uint8_t data = at < 128 ? row[from] : 0; // row 4 is beyond the end
            assert_int_equal(shared[at], in < t[i].data ? data : 0xee);
        }
    }
}

static void sixes_are_packed_again(void **state)
{
    (void)state;
    struct tmap_desc d = packed(TMAP_16U6_ALIGN16B, TMAP_SWIZZLE_NONE);
    const struct tmap_use u = {
        .op = TMAP_OP_STORE, .flags = TMAP_USE_COORD, .coord = {0, 2}, .coord_count = 2};
    uint8_t before[16];
    d.box[1] = 1;
    for (uint32_t i = 0; i < 128; i++)
        shared[i] = (uint8_t)(0xc0 | ((i * 5 + 1) & 63)); // 2 bits over
    memcpy(before, global + 512 + 96, sizeof before);
    run_inferred(&d, &u, 0);
    for (uint32_t i = 0; i < 128; i++) {
        const uint8_t *at = global + 512 + i * 6 / 8;
        assert_int_equal((at[0] | at[1] << 8) >> i * 6 % 8 & 63, (i * 5 + 1) & 63);
    }
    assert_memory_equal(global + 512 + 96, before, sizeof before);
}

// Line 1 of the larger atoms: two by two they change places, and halves of sixteen with the flip.
static void larger_atoms_move_whole(void **state)
{
    (void)state;
    struct tmap_desc d = packed(TMAP_UINT8, TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
    const struct tmap_use u = {.op = TMAP_OP_LOAD};
    run_inferred(&d, &u, 256);
    assert_memory_equal(shared, global, 128);
    for (uint32_t at = 0; at < 128; at += 8)
        assert_memory_equal(shared + 128 + (at ^ 32 ^ 8), global + 256 + at, 8);
    d.swizzle = TMAP_SWIZZLE_128B_ATOM_64B;
    run_inferred(&d, &u, 256);
    for (uint32_t at = 0; at < 128; at += 16)
        assert_memory_equal(shared + 128 + (at ^ 64), global + 256 + at, 16);
}

// Rows of 32 bytes; pixel w of image n at (n * 16 + w) * 32 of the arena.
#define PIXEL_BYTES 32u
static struct tmap_desc wide(int32_t mode, uint32_t pixels)
{
    return (struct tmap_desc){.kind = TMAP_IM2COL_WIDE,
                              .dtype = TMAP_UINT8,
                              .rank = 3,
                              .address = BASE,
                              .dim = {PIXEL_BYTES, 12, 8},
                              .stride_bytes = {PIXEL_BYTES, 16 * PIXEL_BYTES},
                              .lower = {-1},
                              .upper = {-2},
                              .channels = PIXEL_BYTES,
                              .pixels = pixels,
                              .elem_stride = {1, 1, 1},
                              .mode = mode,
                              .swizzle = TMAP_SWIZZLE_128B};
}

// Row r of shared memory (128 bytes apart: the pitch of the span) holds that pixel, or zeros.
static void expect_pixel(uint32_t r, int w, int n)
{
    static const uint8_t zeros[PIXEL_BYTES];
    const bool inside = w >= 0 && w < 12 && n < 8;
    const uint8_t *pixel = inside ? global + (n * 16 + w) * PIXEL_BYTES : zeros;
    for (uint32_t at = 0; at < PIXEL_BYTES; at += 16)
        assert_memory_equal(shared + r * 128 + (at ^ (r % 8) * 16), pixel + at, 16);
}

// From pixel 7 on, the box ends before pixel 10: two of the first image, then the next one from -1.
static void a_halo_follows_the_last_pixel(void **state)
{
    (void)state;
    const struct tmap_desc d = wide(TMAP_WIDE_W, 6);
    const struct tmap_use u = {.op = TMAP_OP_LOAD,
                               .flags = TMAP_USE_COORD | TMAP_USE_OFFSET,
                               .coord = {0, 8, 2},
                               .coord_count = 3,
                               .offset = {2, 1}};
    run_inferred(&d, &u, 8 * PIXEL_BYTES);
    const int w[] = {9, 10, 0, 1, 2, 3, 4, 5}, n[] = {2, 2, 3, 3, 3, 3, 3, 3};
    for (uint32_t r = 0; r < 8; r++) expect_pixel(r, w[r], n[r]);
    // The barrier counts the halo too (TMA146).
    struct tmap_use waits = u;
    enum tmap_verdict verdict;
    size_t found;
    waits.flags |= TMAP_USE_EXPECT_TX, waits.expect_tx = 8 * PIXEL_BYTES;
    tmap_check_use(&blackwell, &d, &waits, NULL, 0, &found, &verdict);
    assert_int_equal(verdict, TMAP_LEGAL);
    waits.expect_tx = 6 * PIXEL_BYTES;
    tmap_check_use(&blackwell, &d, &waits, NULL, 0, &found, &verdict);
    assert_int_equal(verdict, TMAP_ILLEGAL);
}

// Without a halo the walk is that of the pixels alone; so is a store, which im2col_wide has none
// of.
static void a_wide_walk_without_a_halo(void **state)
{
    (void)state;
    struct tmap_desc d = wide(TMAP_WIDE_W, 6);
    struct tmap_use u = {
        .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {0, 8, 2}, .coord_count = 3};
    run_inferred(&d, &u, 6 * PIXEL_BYTES);
    const int w[] = {8, 9, -1, 0, 1, 2}, n[] = {2, 2, 3, 3, 3, 3};
    for (uint32_t r = 0; r < 6; r++) expect_pixel(r, w[r], n[r]);
    d.kind = TMAP_IM2COL, d.lower[0] = d.upper[0] = 0, d.swizzle = TMAP_SWIZZLE_NONE;
    u.op = TMAP_OP_STORE;
    for (uint32_t i = 0; i < 6 * PIXEL_BYTES; i++) shared[i] = (uint8_t)(3 * i + 1);
    run_inferred(&d, &u, 0);
    for (uint32_t r = 0; r < 6; r++) {
        const uint32_t x = (8 + r) % 12, image = 2 + (8 + r) / 12;
        assert_memory_equal(global + (image * 16 + x) * PIXEL_BYTES, shared + r * PIXEL_BYTES,
                            PIXEL_BYTES);
    }
}

// 128 pixels and a halo of one after every 32; the walk goes on where it was.
static void wide_128_has_a_halo_after_every_32(void **state)
{
    (void)state;
    static uint8_t room[20000] __attribute__((aligned(1024)));
    struct tmap_memory more = memory;
    struct tmap_desc d = wide(TMAP_WIDE_W128, 128);
    struct tmap_outcome o;
    const struct tmap_use u = {.op = TMAP_OP_LOAD,
                               .flags = TMAP_USE_COORD | TMAP_USE_OFFSET,
                               .coord = {0, -1, 0},
                               .coord_count = 3,
                               .offset = {1, 0}};
    more.smem = room, more.smem_bytes = sizeof room;
    assert_int_equal(tmap_simulate(&blackwell, &d, &u, &more, &o), TMAP_OK);
    assert_int_equal(o.tx_bytes, 132 * PIXEL_BYTES);
    assert_int_equal(o.basis, TMAP_INFERRED);
    for (uint32_t r = 0, k = 0; r < 132; r++) {
        const bool halo = r % 33 == 32;
        const int at = (int)(halo ? k - 1 : k), w = at % 11 - 1 + halo, n = at / 11;
        const uint8_t *pixel = global + (n * 16 + w) * PIXEL_BYTES;
        for (uint32_t i = 0; i < PIXEL_BYTES; i++)
            assert_int_equal(room[r * 128 + (i ^ (r % 8) * 16)],
                             w >= 0 && w < 12 && n < 8 ? pixel[i] : 0);
        k += !halo;
    }
    more.smem_bytes = 131 * 128;
    assert_int_equal(tmap_simulate(&blackwell, &d, &u, &more, &o), TMAP_E_ROOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(load_clips_by_element, prepare),
        cmocka_unit_test_setup(store_writes_whole_sixteens, prepare),
        cmocka_unit_test_setup(swizzle_follows_the_shared_address, prepare),
        cmocka_unit_test_setup(an_unmapped_base_faults_when_the_box_starts_outside, prepare),
        cmocka_unit_test_setup(reductions_wrap_and_compare, prepare),
        cmocka_unit_test_setup(illegal_and_impossible_are_refused, prepare),
        cmocka_unit_test_setup(boxes_begin_before_the_tensor, prepare),
        cmocka_unit_test_setup(loads_round_to_tf32, prepare),
        cmocka_unit_test_setup(unmapped_rows_fault, prepare),
        cmocka_unit_test_setup(prefetches_touch_nothing, prepare),
        cmocka_unit_test_setup(shared_memory_does_not_wrap, prepare),
        cmocka_unit_test_setup(offsets_of_three_axes, prepare),
        cmocka_unit_test_setup(rows_are_gathered_and_scattered, prepare_blackwell),
        cmocka_unit_test_setup(packed_fours_stay_packed, prepare_blackwell),
        cmocka_unit_test_setup(padded_types_spread, prepare_blackwell),
        cmocka_unit_test_setup(interleaved_slices_move_one_by_one, prepare),
        cmocka_unit_test_setup(interleaved_padding_is_not_modelled, prepare),
        cmocka_unit_test_setup(sixes_are_packed_again, prepare_blackwell),
        cmocka_unit_test_setup(larger_atoms_move_whole, prepare_blackwell),
        cmocka_unit_test_setup(a_halo_follows_the_last_pixel, prepare_blackwell),
        cmocka_unit_test_setup(a_wide_walk_without_a_halo, prepare_blackwell),
        cmocka_unit_test_setup(wide_128_has_a_halo_after_every_32, prepare_blackwell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
