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
        memcpy(global, old, sizeof old);
        memcpy(shared, value, sizeof value);
        assert_int_equal(tmap_simulate(&checker, &d, &u, &memory, &o), TMAP_OK);
        assert_memory_equal(global, t[i].want, sizeof old);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(load_clips_by_element, prepare),
        cmocka_unit_test_setup(store_writes_whole_sixteens, prepare),
        cmocka_unit_test_setup(swizzle_follows_the_shared_address, prepare),
        cmocka_unit_test_setup(an_unmapped_base_faults_when_the_box_starts_outside, prepare),
        cmocka_unit_test_setup(reductions_wrap_and_compare, prepare),
        cmocka_unit_test_setup(illegal_and_impossible_are_refused, prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
