/* Where a plan puts an element, and where its copies begin: plans with one thing changed, so that
 * no copy brings the element, and walks that end at once. */
#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

/* One copy of 16 x 16 x 16 bytes. */
static struct tmap_plan cube(void)
{
    struct tmap_plan p = {.desc = {.dtype = TMAP_UINT8, .rank = 3}, .part_of = 1};
    for (int i = 0; i < 3; i++) {
        p.desc.dim[i] = p.desc.box[i] = 16;
        p.desc.elem_stride[i] = 1;
        p.dim[i] = (struct tmap_plan_dim){.div = 1, .round = 1, .copies = 1, .step = 16};
        p.dim[i].coef[i] = 1;
    }
    p.desc.stride_bytes[0] = 16, p.desc.stride_bytes[1] = 256;
    return p;
}

static void no_copies(struct tmap_plan *p)
{
    p->dim[2].copies = 0;
}

static void no_divisor(struct tmap_plan *p)
{
    p->dim[2].div = 0;
}

static void no_rounding(struct tmap_plan *p)
{
    p->dim[2].round = 0;
}

/* A tile that begins with the last of 4 pieces goes on with the first, which lies before it. */
static void pieces(struct tmap_plan *p)
{
    p->dim[0].mod = 4;
}

static void short_box(struct tmap_plan *p)
{
    p->desc.box[0] = 8;
}

static void every_second(struct tmap_plan *p)
{
    p->desc.elem_stride[1] = 2;
}

static void images(struct tmap_plan *p)
{
    p->desc.kind = TMAP_IM2COL;
    p->desc.channels = p->desc.pixels = 16;
}

/* Which of a pair of elements it is, is a sum beyond 128 bits. */
static void far_parts(struct tmap_plan *p)
{
    p->part_of = 2;
    p->part_coef[1] = p->part_coef[2] = UINT64_MAX;
    p->dim[1].coef[1] = p->dim[2].coef[2] = 0;
}

/* -2^127 is the least sum of 128 bits. */
static void far_coordinates(struct tmap_plan *p)
{
    p->dim[0].coef[0] = UINT64_MAX;
    p->dim[0].coef[1] = p->dim[0].coef[2] = 1;
    p->dim[1].coef[1] = 0;
}

static void test_elements_that_no_copy_brings(void **state)
{
    static const struct {
        void (*change)(struct tmap_plan *);
        int64_t coord[TMAP_MAX_RANK];
        uint32_t tile[TMAP_MAX_RANK];
    } rows[] = {
        {no_copies, {0}, {0}},
        {no_divisor, {0}, {0}},
        {no_rounding, {0}, {0}},
        {pieces, {3}, {1}},
        {short_box, {0}, {8}},
        {every_second, {0}, {0, 1}},
        {images, {0}, {0, 0, 1}},
        {far_parts, {0, INT64_MAX, INT64_MAX}, {0}},
        {far_coordinates, {INT64_MIN, INT64_MIN, -1}, {0, 0, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t zero[TMAP_MAX_RANK] = {0};
        struct tmap_plan p = cube();
        uint32_t copy = 77;
        uint64_t at = 77;
        assert_true(tmap_plan_place(&p, &p.desc, zero, rows[i].tile, &copy, &at));
        assert_true(copy == 0 && at < 4096);
        at = 77;
        rows[i].change(&p);
        if (tmap_plan_place(&p, &p.desc, rows[i].coord, rows[i].tile, &copy, &at))
            fail_msg("row %zu: at %llu", i, (unsigned long long)at);
        assert_true(copy == 0 && at == 77);
    }
}

static void test_arguments_that_are_missing(void **state)
{
    const int64_t zero[TMAP_MAX_RANK] = {0};
    const uint32_t origin[TMAP_MAX_RANK] = {0};
    const struct tmap_plan p = cube();
    int64_t out[TMAP_MAX_RANK] = {7, 7, 7, 7, 7};
    uint32_t copy;
    uint64_t bits;
    (void)state;
    assert_true(tmap_plan_place_bits(&p, &p.desc, zero, origin, 0, &copy, &bits));
    assert_false(tmap_plan_place_bits(NULL, &p.desc, zero, origin, 0, &copy, &bits));
    assert_false(tmap_plan_place_bits(&p, NULL, zero, origin, 0, &copy, &bits));
    assert_false(tmap_plan_place_bits(&p, &p.desc, NULL, origin, 0, &copy, &bits));
    assert_false(tmap_plan_place_bits(&p, &p.desc, zero, NULL, 0, &copy, &bits));
    assert_false(tmap_plan_place_bits(&p, &p.desc, zero, origin, 0, NULL, &bits));
    assert_false(tmap_plan_place_bits(&p, &p.desc, zero, origin, 0, &copy, NULL));
    tmap_plan_coords(&p, NULL, 0, out);
    for (int i = 0; i < TMAP_MAX_RANK; i++) assert_int_equal(out[i], 0);
}

static void assert_coords(const struct tmap_plan *p, const int64_t *coord, uint32_t n,
                          const int64_t *wanted)
{
    int64_t out[TMAP_MAX_RANK];
    tmap_plan_coords(p, coord, n, out);
    for (int i = 0; i < TMAP_MAX_RANK; i++) assert_int_equal(out[i], wanted[i]);
}

/* Eight pixels further along W, which holds none between its corners: a row of it ends before the
 * first step, and with each. */
static void test_walks_that_end_at_once(void **state)
{
    const int64_t zero[TMAP_MAX_RANK] = {0}, coord[TMAP_MAX_RANK] = {INT64_MAX};
    const int64_t next[TMAP_MAX_RANK] = {0, 0, 9}, quarter[TMAP_MAX_RANK] = {INT64_MAX / 2};
    struct tmap_plan p = cube();
    (void)state;
    p.desc.rank = 4;
    p.desc.dim[3] = p.desc.elem_stride[3] = 1;
    p.dim[3] = (struct tmap_plan_dim){.div = 1, .round = 1, .copies = 1, .step = 1};
    p.dim[1].copies = 2, p.dim[1].step = 8;
    images(&p);
    p.desc.upper[0] = -16;
    assert_coords(&p, zero, 1, next);
    p.desc.rank = 2; /* no map of two dimensions walks, nor one of another kind */
    assert_coords(&p, zero, 1, zero);
    p.desc.rank = 4, p.desc.kind = TMAP_IM2COL_WIDE;
    assert_coords(&p, zero, 1, zero);
    p = cube(); /* 2^65 - 4, divided by 8 */
    p.dim[0].coef[0] = 4, p.dim[0].div = 8;
    assert_coords(&p, coord, 0, quarter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_that_no_copy_brings),
        cmocka_unit_test(test_arguments_that_are_missing),
        cmocka_unit_test(test_walks_that_end_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
