// Derived quantities where their products pass 64 and 127 bits.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/derive.h"

// (2^30 - 1) strides of it are 2^64 - 16 bytes.
#define ROW_STRIDE (16 * ((UINT64_C(1) << 30) + 1))

// A plane of 2^64 - 2 strides of 2^64 - 4096 bytes does not fit below the next stride.
static void a_plane_beyond_any_stride(void **state)
{
    const struct tmap_desc d = {.rank = 3,
                                .dtype = TMAP_UINT8,
                                .dim = {16, UINT64_MAX, 2},
                                .stride_bytes = {UINT64_MAX - 4095, UINT64_MAX - 15}};
    struct derived out = {0};
    (void)state;
    derive_nesting(&d, &out);
    assert_int_equal(out.nested, 0);
    assert_int_equal(out.dense, 0);
}

static void a_dense_and_a_padded_tensor(void **state)
{
    struct tmap_desc d = {
        .rank = 3, .dtype = TMAP_UINT8, .dim = {16, 4, 2}, .stride_bytes = {16, 64}};
    struct derived out = {0};
    (void)state;
    derive_nesting(&d, &out);
    assert_true(out.nested && out.dense);
    d.stride_bytes[1] = 80;
    derive_nesting(&d, &out);
    assert_true(out.nested && !out.dense);
    d.stride_bytes[1] = 48;
    derive_nesting(&d, &out);
    assert_true(!out.nested && !out.dense);
}

// A last row of `row` bytes behind 2^64 - 16 others, or behind some 2^71; all memory is allocated.
static struct tmap_desc longest(uint64_t row, bool longer)
{
    return (struct tmap_desc){.dtype = TMAP_UINT8,
                              .rank = 3,
                              .address = 0x1000,
                              .dim = {row, longer ? 1u << 31 : 1 << 30, longer ? 2 : 1},
                              .stride_bytes = {longer ? (UINT64_C(1) << 40) - 16 : ROW_STRIDE, 16},
                              .box = {16, 1, 1},
                              .elem_stride = {1, 1, 1},
                              .flags = TMAP_HAS_ALLOCATION,
                              .allocation_base = 0x1000,
                              .allocation_bytes = UINT64_MAX};
}

static void no_allocation_holds_more_than_it_can_say(void **state)
{
    const struct tmap_target target = tmap_default_target();
    const struct tmap_desc descs[] = {longest(15, false), longest(16, false), longest(16, true)};
    enum tmap_verdict many[3];
    struct tmap_checker c;
    (void)state;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    assert_int_equal(tmap_check_many(&c, descs, 3, many), TMAP_OK);
    for (int i = 0; i < 3; i++) {
        const struct tmap_columns columns = {.common = descs[i]};
        const enum tmap_verdict right = i == 0 ? TMAP_LEGAL : TMAP_ILLEGAL;
        enum tmap_verdict verdict;
        struct tmap_violation v[4];
        size_t found;
        assert_int_equal(tmap_verdict_of(&c, &descs[i]), right);
        assert_int_equal(many[i], right);
        tmap_check_columns(&c, &columns, 1, &verdict, NULL);
        assert_int_equal(verdict, right);
        tmap_check_with(&c, &descs[i], v, 4, &found, NULL);
        assert_int_equal(found, i > 0);
        if (found) assert_string_equal(tmap_row_id(v[0].row), "TMA046");
    }
}

static void prefetches_have_forms(void **state)
{
    static const struct {
        int32_t kind, mode;
    } rows[] = {{TMAP_TILED, 0},
                {TMAP_IM2COL, 0},
                {TMAP_IM2COL_WIDE, TMAP_WIDE_W},
                {TMAP_IM2COL_WIDE, TMAP_WIDE_W128}};
    struct tmap_target target = tmap_default_target();
    (void)state;
    target.arch = TMAP_ARCH(100, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct tmap_desc d = {.kind = rows[i].kind, .mode = rows[i].mode, .rank = 4};
        const struct tmap_use u = {.op = TMAP_OP_PREFETCH};
        struct derived out;
        tmap_derive_use(&target, &d, &u, &out);
        assert_in_range(out.form_ptx, 80, 99);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_plane_beyond_any_stride),
                                       cmocka_unit_test(a_dense_and_a_padded_tensor),
                                       cmocka_unit_test(no_allocation_holds_more_than_it_can_say),
                                       cmocka_unit_test(prefetches_have_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
