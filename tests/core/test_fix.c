/* The nearest value that helps (core/fix.h): what is left with it is counted again here, slot by
 * slot and use by use, for the illegal witness of every row about a descriptor or a use. */
#include "core/fix.h"
#include "expr/row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define USES 3

static size_t violations(const struct tmap_checker *c, const struct tmap_desc *desc,
                         const struct tmap_use *uses, size_t n)
{
    enum tmap_verdict verdict;
    size_t found = 0, total = 0;
    assert_int_equal(tmap_check_with(c, desc, NULL, 0, &total, &verdict), TMAP_OK);
    for (size_t i = 0; i < n; i++, total += found)
        assert_int_equal(tmap_check_use(c, desc, &uses[i], NULL, 0, &found, &verdict), TMAP_OK);
    return total;
}

/* The record with the value in it; false where the field cannot hold it. */
static bool put(struct tmap_desc *desc, struct tmap_use *use, int slot, struct tmap_number number)
{
    const int128 value = number.negative ? -(int128)number.magnitude : (int128)number.magnitude;
    return field_write(desc, use, slot, value);
}

static struct tmap_number number_of(int64_t value)
{
    const uint64_t magnitude = (uint64_t)value;
    return (struct tmap_number){true, value < 0, value < 0 ? 0 - magnitude : magnitude};
}

static size_t left_with(const struct fix_record *r, int use, int slot, struct tmap_number number)
{
    struct tmap_desc desc = *r->desc;
    struct tmap_use uses[USES];
    for (size_t i = 0; i < r->use_count; i++) uses[i] = r->uses[i];
    assert_true(put(&desc, use < 0 ? NULL : &uses[use], slot, number));
    return violations(r->checker, &desc, uses, r->use_count);
}

/* Returns whether a value was found for the violation. */
static bool tried(struct fix_record *r, int use, const struct tmap_violation *v)
{
    struct tmap_detail d;
    const struct tmap_use *u = use < 0 ? NULL : &r->uses[use];
    assert_int_equal(tmap_detail_of(&r->checker->target, r->desc, u, v, &d), TMAP_OK);
    const struct fix fix = fix_nearest(r, use, &d);
    if (!fix.value.known) return false;
    assert_int_equal(fix.rest, left_with(r, use, d.slot, fix.value));
    if (d.below.known) assert_true(fix.rest <= left_with(r, use, d.slot, d.below));
    if (d.above.known) assert_true(fix.rest <= left_with(r, use, d.slot, d.above));
    return true;
}

static size_t try_all(struct fix_record *r)
{
    struct tmap_violation v[64];
    size_t known = 0, found = 0;
    for (int use = -1; use < (int)r->use_count; use++) {
        if (use < 0)
            tmap_check_with(r->checker, r->desc, v, 64, &found, NULL);
        else
            tmap_check_use(r->checker, r->desc, &r->uses[use], v, 64, &found, NULL);
        for (size_t i = 0; i < found && i < 64; i++) known += tried(r, use, &v[i]);
    }
    return known;
}

static void what_is_left_is_counted_again(void **state)
{
    size_t known = 0;
    (void)state;
    for (tmap_row row = 0; row < SUBJECT_USE_END; row++) {
        struct tmap_checker c;
        struct tmap_desc desc;
        struct tmap_use uses[USES] = {{0}};
        struct fix_record r;
        struct pipeline_facts none;
        row_witness_make(row, true, &desc, &uses[1], &none);
        row_witness_make(row, false, &desc, &uses[0], &none);
        uses[2] = uses[0];
        tmap_checker_prepare(&row_table[row].witness.target, TMAP_CONTRACT_SAFE, &c);
        for (size_t n = 0; n <= USES; n += USES) {
            assert_int_equal(fix_begin(&r, &c, &desc, uses, n), TMAP_OK);
            assert_int_equal(r.violations, violations(&c, &desc, uses, n));
            known += try_all(&r);
        }
    }
    assert_true(known > 100);
}

/* Uses that blame one field of the descriptor share its trials. */
static void one_value_is_tried_once(void **state)
{
    struct tmap_checker c;
    struct tmap_desc desc = {.kind = TMAP_TILED, .dtype = TMAP_BFLOAT16, .rank = 2};
    struct fix_record r;
    struct tmap_detail d = {.slot = F_STRIDE, .value = {true, false, 8200}};
    const struct tmap_target target = tmap_default_target();
    (void)state;
    desc.address = 4096;
    desc.dim[0] = desc.dim[1] = 64;
    desc.box[0] = desc.box[1] = 64;
    desc.elem_stride[0] = desc.elem_stride[1] = 1;
    desc.stride_bytes[0] = 8200;
    d.below = (struct tmap_number){true, false, 8192};
    d.above = (struct tmap_number){true, false, 8208};
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c);
    assert_int_equal(fix_begin(&r, &c, &desc, NULL, 0), TMAP_OK);
    for (int i = 0; i < 1000; i++) {
        const struct fix fix = fix_nearest(&r, i, &d);
        assert_true(fix.value.known && fix.rest == 0);
    }
    assert_int_equal(r.count, 2);
    for (uint64_t i = 0; i < 2 * FIX_TRIALS; i++) { /* others are no more than FIX_TRIALS */
        d.below.magnitude = 16 * i;
        d.above.known = false;
        fix_nearest(&r, 0, &d);
    }
    assert_int_equal(r.count, FIX_TRIALS);
    assert_false(fix_nearest(&r, 0, &d).value.known);
    assert_true(fix_nearest(&r, -1, &d).value.known);
}

/* Of two values that leave as little, the nearer one, whatever their signs; but not 0. */
static void the_nearer_of_two(void **state)
{
    static const struct {
        int64_t value, below, above, first;
    } rows[] = {{100, 96, 112, 96},      {110, 96, 112, 112}, {-100, -112, -96, -96},
                {-110, -112, -96, -112}, {-6, -16, 16, -16},  {6, -16, 16, 16},
                {4, 0, 16, 16},          {104, 96, 112, 112}};
    struct tmap_checker c;
    struct tmap_desc desc = {.dtype = TMAP_UINT8, .rank = 1, .dim = {64}, .box = {16}};
    const struct tmap_use use = {
        .op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord = {1}, .coord_count = 1};
    struct fix_record r;
    const struct tmap_target target = tmap_default_target();
    (void)state;
    desc.elem_stride[0] = 1;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(fix_begin(&r, &c, &desc, &use, 1), TMAP_OK);
        const struct tmap_detail d = {.slot = F_COORD,
                                      .value = number_of(rows[i].value),
                                      .below = number_of(rows[i].below),
                                      .above = number_of(rows[i].above)};
        const struct fix fix = fix_nearest(&r, 0, &d);
        const struct tmap_number first = number_of(rows[i].first);
        if (!fix.value.known || fix.value.negative != first.negative ||
            fix.value.magnitude != first.magnitude)
            fail_msg("row %zu: %s%llu", i, fix.value.negative ? "-" : "",
                     (unsigned long long)fix.value.magnitude);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_left_is_counted_again),
                                       cmocka_unit_test(one_value_is_tried_once),
                                       cmocka_unit_test(the_nearer_of_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
