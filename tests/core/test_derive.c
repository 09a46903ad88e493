// Derived quantities where their products pass 64 and 127 bits.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/derive.h"

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
                                       cmocka_unit_test(prefetches_have_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
