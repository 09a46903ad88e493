/* tensormap.replace on bytes and on descriptors: every type, every swizzle and its atom, and plans
 * for maps that no instruction can make. tests/core/test_encode.c plans random pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/check_use.h"
#include "core/derive.h"
#include "tmap/tmap.h"

static const struct tmap_desc matrix = {.dtype = TMAP_BFLOAT16,
                                        .rank = 2,
                                        .address = 0x10000,
                                        .dim = {64, 64},
                                        .stride_bytes = {128},
                                        .box = {16, 8},
                                        .elem_stride = {1, 1}};
static struct tmap_checker checker;
static struct tmap_map map;

static int begin(void **state)
{
    struct tmap_target target = tmap_default_target();
    (void)state;
    target.arch = TMAP_ARCH(100, 1);
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    return tmap_encode(&checker, &matrix, &map) != TMAP_OK;
}

/* The sixteen immediates of .elemtype are the sixteen types; there is no seventeenth. */
static void every_element_type(void **state)
{
    unsigned seen = 0;
    (void)state;
    for (uint64_t e = 0; e < 17; e++) {
        const struct tmap_patch patch = {TMAP_REPLACE_ELEMTYPE, 0, e};
        const struct tmap_use use = {
            .op = TMAP_OP_REPLACE, .field = TMAP_REPLACE_ELEMTYPE, .value = e};
        struct tmap_map m = map;
        struct tmap_desc d;
        struct derived dv;
        const enum tmap_status status = tmap_patch_apply(&m, &patch, 1300);
        assert_int_equal(status, e < 16 ? TMAP_OK : TMAP_E_ARGUMENT);
        derive_use(&checker.target, &matrix, &use, &dv);
        patched_is_illegal(&checker, &matrix, &use);
        if (status != TMAP_OK) continue;
        assert_int_equal(tmap_decode(&m, &d, NULL, 0, NULL), TMAP_OK);
        assert_in_range(d.dtype, 0, 15);
        seen |= 1u << d.dtype;
    }
    assert_int_equal(seen, 0xffff);
}

/* Span and atom are fields of their own: an atom stays under its span, and goes with no other. */
static void spans_and_atoms(void **state)
{
    static const struct {
        int32_t swizzle;
        uint32_t field;
        uint64_t value;
        bool illegal;
    } rows[] = {
        {TMAP_SWIZZLE_128B, TMAP_REPLACE_SWIZZLE_MODE, 2, false},
        {TMAP_SWIZZLE_128B, TMAP_REPLACE_SWIZZLE_MODE, 3, false},
        {TMAP_SWIZZLE_128B_ATOM_32B, TMAP_REPLACE_SWIZZLE_MODE, 3, false},
        {TMAP_SWIZZLE_NONE, TMAP_REPLACE_SWIZZLE_MODE, 9, true},
        {TMAP_SWIZZLE_64B, TMAP_REPLACE_SWIZZLE_ATOMICITY, 0, false},
        {TMAP_SWIZZLE_64B, TMAP_REPLACE_SWIZZLE_ATOMICITY, 1, true},
        {TMAP_SWIZZLE_128B, TMAP_REPLACE_SWIZZLE_ATOMICITY, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct tmap_use use = {
            .op = TMAP_OP_REPLACE, .field = rows[i].field, .value = rows[i].value};
        struct tmap_desc d = matrix;
        d.swizzle = rows[i].swizzle;
        if (patched_is_illegal(&checker, &d, &use) != rows[i].illegal) fail_msg("row %zu", i);
    }
}

/* sm_103a's swizzle of 96 bytes is a flag beside mode 0; an atomicity beyond the last is refused.
 */
static void the_swizzle_of_96_bytes(void **state)
{
    const struct tmap_patch wide = {TMAP_REPLACE_SWIZZLE_MODE, 0, 4};
    const struct tmap_patch beyond = {TMAP_REPLACE_SWIZZLE_MODE, 0, 5};
    const struct tmap_patch atom = {TMAP_REPLACE_SWIZZLE_ATOMICITY, 0, 4};
    struct tmap_map to = map;
    struct tmap_patch plan[TMAP_MAX_PATCHES];
    size_t steps = 0;
    (void)state;
    assert_int_equal(tmap_patch_apply(&to, &beyond, 1300), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_patch_apply(&to, &atom, 1300), TMAP_E_ARGUMENT);
    assert_memory_equal(&to, &map, sizeof map);
    assert_int_equal(tmap_patch_apply(&to, &wide, 1300), TMAP_OK);
    assert_memory_not_equal(&to, &map, sizeof map);
    assert_int_equal(tmap_patch_plan(&map, &to, 1300, plan, 1, &steps, NULL, 0), TMAP_OK);
    assert_int_equal(steps, 1);
    assert_int_equal(plan[0].field, TMAP_REPLACE_SWIZZLE_MODE);
    assert_int_equal(plan[0].value, 4);
}

static const char *reason(const struct tmap_map *from, const struct tmap_map *to)
{
    static char why[160];
    why[0] = '\0';
    assert_int_equal(tmap_patch_plan(from, to, 1300, NULL, 0, NULL, NULL, 0), TMAP_E_NO_PLAN);
    assert_int_equal(tmap_patch_plan(from, to, 1300, NULL, 0, NULL, why, sizeof why),
                     TMAP_E_NO_PLAN);
    return why;
}

static void maps_that_no_instruction_makes(void **state)
{
    struct tmap_map to = map, im2col = map;
    (void)state;
    to.word[1] |= UINT64_C(15) << 7; /* a code that no type has */
    assert_non_null(strstr(reason(&map, &to), "dtype stays"));
    to = map;
    to.word[1] ^= 2; /* a bit that no field has */
    assert_string_equal(reason(&map, &to),
                        "reserved bits differ: no tensormap.replace writes them");
    im2col.word[1] |= 1;
    assert_non_null(strstr(reason(&im2col, &map), "tiled maps only"));
    assert_non_null(strstr(reason(&map, &im2col), "tiled maps only"));
    to = map; /* where only im2col maps have a field, and in the words that stay */
    to.word[7] ^= UINT64_C(1) << 40;
    to.word[8] ^= 1;
    assert_string_equal(reason(&map, &to),
                        "reserved bits differ: no tensormap.replace writes them");
}

/* Swizzles that no driver was seen encoding are legal there, and have no known bytes. */
static void bytes_that_are_not_known(void **state)
{
    struct tmap_desc d = matrix;
    struct tmap_map m;
    (void)state;
    d.swizzle = TMAP_SWIZZLE_128B_ATOM_32B;
    assert_int_equal(tmap_verdict_of(&checker, &d), TMAP_LEGAL);
    assert_int_equal(tmap_encode(&checker, &d, &m), TMAP_E_TARGET);
    d = matrix; /* an illegal one's bytes, as the driver would reckon: 600 / 9, 600 / 2 */
    d.box[0] = 600, d.box[1] = 600, d.elem_stride[0] = 9, d.elem_stride[1] = 2;
    assert_true(tmap_encode_unchecked(&d, &m));
    assert_int_equal(m.word[8], 66 * 300 * 2);
    d.box[1] = 600, d.elem_stride[1] = 0;
    assert_true(tmap_encode_unchecked(&d, &m));
}

/* Every field of a map in the order of its bytes, and of two maps those that differ. */
static void fields_of_a_map(void **state)
{
    struct tmap_map_field all[64], differing[4];
    struct tmap_map other = map;
    size_t n = 0, left = 0;
    (void)state;
    assert_int_equal(tmap_map_fields(&map, all, 64, &n), TMAP_OK);
    assert_in_range(n, 30, 50);
    assert_string_equal(all[0].field, "address");
    assert_int_equal(all[0].a, matrix.address);
    assert_int_equal(tmap_map_fields(&map, NULL, 0, &left), TMAP_OK);
    assert_int_equal(left, n);
    assert_int_equal(tmap_map_fields(&map, all, 3, NULL), TMAP_OK);
    other.word[0] += 64;
    assert_int_equal(tmap_map_diff(&map, &other, differing, 4, &left), TMAP_OK);
    assert_int_equal(left, 1);
    assert_int_equal(differing[0].b - differing[0].a, 64);
    assert_int_equal(tmap_map_diff(&map, &other, differing, 4, NULL), TMAP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_type),
        cmocka_unit_test(spans_and_atoms),
        cmocka_unit_test(the_swizzle_of_96_bytes),
        cmocka_unit_test(maps_that_no_instruction_makes),
        cmocka_unit_test(bytes_that_are_not_known),
        cmocka_unit_test(fields_of_a_map),
    };
    return cmocka_run_group_tests_name("patches", tests, begin, NULL);
}
