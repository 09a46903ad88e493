/* Convolutions as plans on an emulated driver: what becomes of them, what is refused, by which row
 * and with which repair. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/emulated_suites.h"
#include "tmap/conv.h"

/* Its kernels are never launched, so that no PTX is needed. */
static struct tmap_gemm *opened(int major, int minor)
{
    struct tmap_gemm *suite = emulated_gemm_suite_for(major, minor);
    for (size_t i = 0; suite && i < gemm_instance_count; i++)
        suite->functions[i] = (tmap_cu_function)&suite->functions[i];
    return suite;
}

/* An image of 56 x 56, a 3 x 3 filter, "same" padding. */
static struct tmap_conv_problem usual(void)
{
    return (struct tmap_conv_problem){.kind = TMAP_GEMM_BF16,
                                      .shape = {.images = 8,
                                                .channels = 64,
                                                .filters = 64,
                                                .size = {56, 56, 1},
                                                .filter = {3, 3, 1},
                                                .stride = {1, 1, 1},
                                                .dilation = {1, 1, 1},
                                                .pad_low = {1, 1, 0},
                                                .pad_high = {1, 1, 0}},
                                      .x = 0x10000000,
                                      .y = 0x20000000,
                                      .filters = 0x30000000,
                                      .alpha = 1};
}

static const struct tmap_gemm_config by_im2col = {.patch = -1}, by_patches = {.patch = 1};

static void a_convolution_is_a_product(void **state)
{
    struct tmap_conv_problem c = usual();
    struct tmap_gemm_problem p;
    struct tmap_gemm_plan plan;
    (void)state;
    assert_int_equal(tmap_conv_product(&c, &p, NULL), TMAP_OK);
    assert_int_equal(p.m, 8 * 56 * 56);
    assert_int_equal(p.n, 64);
    assert_int_equal(p.k, 9 * 64);
    struct tmap_gemm *suite = opened(9, 0);
    assert_int_equal(tmap_conv_make_plan(suite, &c, &by_im2col, &plan, NULL), TMAP_OK);
    const struct tmap_desc *x = &plan.desc[0], *f = &plan.desc[1];
    assert_int_equal(x->kind, TMAP_IM2COL);
    assert_int_equal(x->rank, 5);
    assert_int_equal(x->lower[0], -1);
    assert_int_equal(x->upper[1], -1);
    assert_int_equal(x->channels, 64);
    assert_int_equal(f->dim[1], 9);
    assert_int_equal(f->stride_bytes[1], 9 * 64 * 2);
}

/* A 1 x 1 filter without stride and padding: every kernel of the products is there. */
static void some_are_products_of_matrices(void **state)
{
    struct tmap_conv_problem c = usual();
    struct tmap_gemm_problem p;
    (void)state;
    for (int i = 0; i < 2; i++) {
        c.shape.filter[i] = 1;
        c.shape.pad_low[i] = c.shape.pad_high[i] = 0;
    }
    assert_int_equal(tmap_conv_product(&c, &p, NULL), TMAP_OK);
    assert_int_equal(p.conv.images, 0);
    assert_int_equal(p.k, 64);
    c.operation = TMAP_CONV_DATA_GRADIENT;
    assert_int_equal(tmap_conv_product(&c, &p, NULL), TMAP_OK);
    assert_true(p.b.mn_major);
    assert_int_equal(p.a.address, c.y);
    c.shape.stride[0] = 2;
    c.operation = TMAP_CONV_FORWARD;
    assert_int_equal(tmap_conv_product(&c, &p, NULL), TMAP_OK);
    assert_int_equal(p.conv.images, 8);
}

/* An axis of one tap and no padding has its stride in the map's strides, where it may be any. */
static void strides_without_taps_between_are_the_tensors(void **state)
{
    struct tmap_conv_problem c = usual();
    struct tmap_gemm *suite = opened(9, 0);
    struct tmap_gemm_plan plan;
    (void)state;
    c.shape.filter[0] = 1;
    c.shape.pad_low[0] = c.shape.pad_high[0] = 0;
    c.shape.stride[0] = 11;
    c.shape.stride[1] = 2;
    assert_int_equal(tmap_conv_make_plan(suite, &c, NULL, &plan, NULL), TMAP_OK);
    const struct tmap_desc *x = &plan.desc[0];
    assert_int_equal(x->dim[1], 6);
    assert_int_equal(x->elem_stride[1], 1);
    assert_int_equal(x->stride_bytes[0], 11 * 64 * 2);
    assert_int_equal(x->dim[2], 56);
    assert_int_equal(x->elem_stride[2], 2);
    assert_int_equal(x->stride_bytes[1], 56 * 64 * 2);
}

/* Patches: a row of one is a pixel of more channels, unless other pixels lie between. */
static void patches_have_fewer_taps(void **state)
{
    struct tmap_conv_problem c = usual();
    struct tmap_gemm *suite = opened(9, 0);
    struct tmap_gemm_plan plan;
    (void)state;
    for (int i = 0; i < 2; i++) {
        c.shape.filter[i] = c.shape.stride[i] = 2;
        c.shape.pad_low[i] = c.shape.pad_high[i] = 0;
    }
    c.shape.channels = 96;
    assert_int_equal(tmap_conv_make_plan(suite, &c, NULL, &plan, NULL), TMAP_OK);
    const struct tmap_desc *x = &plan.desc[0], *f = &plan.desc[1];
    assert_int_equal(plan.problem.k, 2 * 192);
    assert_int_equal(x->dim[0], 192);
    assert_int_equal(x->dim[1], 28);
    assert_int_equal(x->stride_bytes[0], 2 * 96 * 2);
    assert_int_equal(x->stride_bytes[1], 56 * 96 * 2);
    assert_int_equal(f->dim[0], 192);
    assert_int_equal(f->dim[1], 2);
    c.x_ld = 104;
    assert_int_equal(tmap_conv_make_plan(suite, &c, NULL, &plan, NULL), TMAP_OK);
    assert_int_equal(plan.problem.k, 4 * 128);
}

/* However few pixels there are: every tile is 128 high. */
static void the_smallest_have_plans(void **state)
{
    struct tmap_gemm *suite = opened(9, 0);
    struct tmap_gemm_plan plan;
    (void)state;
    for (int32_t data = 0; data < 2; data++)
        for (int32_t pixels = 1; pixels < 200; pixels += pixels / 2 + 1) {
            struct tmap_conv_problem c = usual();
            struct tmap_gemm_refusal why = {0};
            c.operation = data;
            c.shape.images = c.shape.size[1] = 1;
            c.shape.size[0] = pixels;
            if (tmap_conv_make_plan(suite, &c, NULL, &plan, &why) != TMAP_OK)
                fail_msg("%d pixels: %s", pixels, why.text);
        }
}

static void outputs(void **state)
{
    struct tmap_conv_problem c = usual();
    (void)state;
    assert_int_equal(tmap_conv_output(&c.shape, 0), 56);
    c.shape.stride[0] = 2;
    assert_int_equal(tmap_conv_output(&c.shape, 0), 28);
    c.shape.dilation[0] = 40;
    assert_int_equal(tmap_conv_output(&c.shape, 0), 0);
    assert_int_equal(tmap_conv_output(&c.shape, 3), 0);
    assert_int_equal(tmap_conv_output(NULL, 0), 0);
}

struct refused {
    const char *what, *words;
    enum tmap_status status;
    void (*change)(struct tmap_conv_problem *);
};

static void three_channels(struct tmap_conv_problem *c)
{
    c->shape.channels = 3;
}
static void three_filters(struct tmap_conv_problem *c)
{
    c->shape.filters = 3;
}
static void far_dilation(struct tmap_conv_problem *c)
{
    c->shape.dilation[0] = 20;
}
static void wide_padding(struct tmap_conv_problem *c)
{
    c->shape.pad_low[1] = 17;
    c->shape.filter[0] = 2; /* or patches, which need no such row */
}
static void long_filter(struct tmap_conv_problem *c)
{
    c->shape.filter[0] = 34;
    c->shape.pad_high[0] = 15;
    c->shape.pad_low[0] = 15;
    c->shape.size[0] = 64;
}
static void stride_of_nine(struct tmap_conv_problem *c)
{
    c->shape.stride[0] = 9;
}
static void depthwise(struct tmap_conv_problem *c)
{
    c->groups = 64;
}
static void in_groups(struct tmap_conv_problem *c)
{
    c->groups = 4;
}
static void strided_gradient(struct tmap_conv_problem *c)
{
    c->operation = TMAP_CONV_DATA_GRADIENT;
    c->shape.stride[1] = 2;
}
static void of_fp16(struct tmap_conv_problem *c)
{
    c->kind = TMAP_GEMM_F16;
}
static void too_large_a_filter(struct tmap_conv_problem *c)
{
    c->shape.dilation[0] = 60;
}
static void no_image(struct tmap_conv_problem *c)
{
    c->shape.images = 0;
}
static void too_many_pixels(struct tmap_conv_problem *c)
{
    c->shape.size[0] = c->shape.size[1] = 1 << 20;
}
static void too_deep(struct tmap_conv_problem *c)
{
    c->shape.channels = 1 << 28;
}
static void of_8_bits(struct tmap_conv_problem *c)
{
    c->out = TMAP_GEMM_OUT_E4M3;
}
static void scaled(struct tmap_conv_problem *c)
{
    c->epilogue.d_scale = 4096;
}
static void gated(struct tmap_conv_problem *c)
{
    c->epilogue.gate = TMAP_GEMM_GATE_HALVES;
}
static void odd_address(struct tmap_conv_problem *c)
{
    c->x += 8;
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct refused cases[] = {
        {"channels of 6 bytes", "field stride; pad channels from 3 to 8", TMAP_E_ILLEGAL,
         three_channels},
        {"filters of 6 bytes", "of D, field stride; pad filters from 3 to 8", TMAP_E_ILLEGAL,
         three_filters},
        {"taps further than the corner", "TMA071 upper_corner_range: the map of A", TMAP_E_ILLEGAL,
         far_dilation},
        {"padding further than the corner", "TMA070 lower_corner_range: the map of A",
         TMAP_E_ILLEGAL, wide_padding},
        {"taps further than the offset", "of A, field", TMAP_E_ILLEGAL, long_filter},
        {"a stride of nine", "of A, field elem_stride", TMAP_E_ILLEGAL, stride_of_nine},
        {"depthwise", "depthwise convolutions", TMAP_E_NO_PLAN, depthwise},
        {"groups", "in groups", TMAP_E_NO_PLAN, in_groups},
        {"a gradient with a stride", "with a stride", TMAP_E_NO_PLAN, strided_gradient},
        {"fp16", "of bf16", TMAP_E_NO_PLAN, of_fp16},
        {"a filter that does not fit", "larger than its padded axis", TMAP_E_ARGUMENT,
         too_large_a_filter},
        {"no image", "images is 0, not 1 to", TMAP_E_ARGUMENT, no_image},
        {"too many pixels", "more pixels", TMAP_E_ARGUMENT, too_many_pixels},
        {"too many channels", "k is", TMAP_E_ARGUMENT, too_deep},
        {"D of 8 bits", "no out of 8 bits", TMAP_E_NO_PLAN, of_8_bits},
        {"a scale of D", "no d_scale", TMAP_E_NO_PLAN, scaled},
        {"a gate", "no gate", TMAP_E_NO_PLAN, gated},
        {"an address off 16 bytes", "of A, field address", TMAP_E_ILLEGAL, odd_address},
    };
    struct tmap_gemm *suite = opened(9, 0);
    struct tmap_gemm_plan plan;
    int failed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tmap_conv_problem c = usual();
        struct tmap_gemm_refusal why = {0};
        cases[i].change(&c);
        const enum tmap_status status = tmap_conv_make_plan(suite, &c, NULL, &plan, &why);
        if (status == cases[i].status && strstr(why.text, cases[i].words)) continue;
        print_error("%s: status %d: %s\n", cases[i].what, status, why.text);
        failed++;
    }
    assert_int_equal(failed, 0);
}

/* Numbers of a product that are not its convolution's would read outside its tensors. */
static void a_product_keeps_its_convolutions_numbers(void **state)
{
    const struct tmap_conv_problem c = usual();
    struct tmap_gemm *suite = opened(9, 0);
    struct tmap_gemm_problem p, q;
    struct tmap_gemm_plan plan;
    (void)state;
    assert_int_equal(tmap_conv_product(&c, &p, NULL), TMAP_OK);
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, NULL), TMAP_OK);
    int32_t *const members[] = {&q.m, &q.n, &q.k, &q.batch, &q.conv.size[0], &q.conv.images};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        q = p;
        ++*members[i];
        assert_int_equal(tmap_gemm_make_plan(suite, &q, NULL, &plan, NULL), TMAP_E_ARGUMENT);
    }
}

/* Tiles that are patches: which pixels a box has, and a box of D. */
static void tiles_are_patches(void **state)
{
    static const struct {
        int32_t images, size[3], a[4], d[4];
        uint32_t tiles;
    } of[] = {
        {1, {64, 64, 1}, {18, 8, 1, 1}, {8, 8, 1, 1}, 32}, /* side by side */
        {2, {56, 56, 1}, {10, 8, 1, 2}, {8, 8, 1, 1}, 49}, /* of two images */
        {1, {28, 28, 1}, {32, 4, 1, 1}, {32, 2, 1, 1}, 7}, /* whole rows of the image */
        {3, {8, 8, 8}, {10, 8, 2, 1}, {8, 8, 1, 1}, 12},   /* one behind the other */
        {1, {24, 16, 1}, {10, 16, 1, 1}, {8, 8, 1, 1}, 3}, /* one below the other */
    };
    struct tmap_gemm *suite = opened(9, 0);
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct tmap_conv_problem c = usual();
        struct tmap_gemm_plan plan;
        struct gemm_params p;
        c.shape.images = of[i].images;
        memcpy(c.shape.size, of[i].size, sizeof c.shape.size);
        if (of[i].size[2] > 1) c.shape.filter[2] = 3, c.shape.pad_low[2] = c.shape.pad_high[2] = 1;
        assert_int_equal(tmap_conv_make_plan(suite, &c, &by_patches, &plan, NULL), TMAP_OK);
        assert_int_equal(plan.config.patch, 1);
        assert_int_equal(plan.desc[0].kind, TMAP_TILED);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(plan.desc[0].box[1 + k], of[i].a[k]);
            assert_int_equal(plan.desc[2].box[1 + k], of[i].d[k]);
        }
        memcpy(&p, plan.params, sizeof p);
        const uint32_t beside = (uint32_t)p.cluster_m;
        assert_int_equal(p.tiles_m * p.cluster_m, (of[i].tiles + beside - 1) / beside * beside);
    }
}

static void patches_need_no_corners(void **state)
{
    struct tmap_gemm *suite = opened(9, 0);
    struct tmap_conv_problem c = usual();
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    (void)state;
    c.shape.pad_low[1] = 17;
    assert_int_equal(tmap_conv_make_plan(suite, &c, &by_im2col, &plan, &why), TMAP_E_ILLEGAL);
    assert_int_equal(tmap_conv_make_plan(suite, &c, NULL, &plan, &why), TMAP_OK);
    assert_int_equal(plan.config.patch, 1);
}

static void longer_filter(struct tmap_conv_problem *c)
{
    c->shape.filter[0] = 5;
}
static void stride_of_two(struct tmap_conv_problem *c)
{
    c->shape.stride[1] = 2;
}
static void apart(struct tmap_conv_problem *c)
{
    c->shape.dilation[0] = 2;
}
static void ragged(struct tmap_conv_problem *c)
{
    c->shape.filters = 65;
    c->y_ld = 72;
}
static void with_another(struct tmap_conv_problem *c)
{
    c->beta = 1;
    c->added = 0x40000000;
}

static void some_tiles_are_not(void **state)
{
    void (*const changes[])(struct tmap_conv_problem *) = {longer_filter, stride_of_two, apart,
                                                           ragged, with_another};
    struct tmap_gemm *suite = opened(9, 0);
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct tmap_conv_problem c = usual();
        struct tmap_gemm_plan plan;
        changes[i](&c);
        assert_int_equal(tmap_conv_make_plan(suite, &c, NULL, &plan, NULL), TMAP_OK);
        assert_int_equal(plan.config.patch, -1);
        assert_int_equal(tmap_conv_make_plan(suite, &c, &by_patches, &plan, NULL), TMAP_E_NO_PLAN);
    }
}

static void later_chips_have_none(void **state)
{
    static const int chips[][2] = {{10, 0}, {10, 3}, {11, 0}, {12, 0}, {12, 1}};
    const struct tmap_conv_problem c = usual();
    struct tmap_gemm_plan plan;
    (void)state;
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct tmap_gemm *suite = opened(chips[i][0], chips[i][1]);
        struct tmap_gemm_refusal why = {0};
        assert_int_equal(tmap_conv_make_plan(suite, &c, NULL, &plan, &why), TMAP_E_NO_PLAN);
        assert_non_null(strstr(why.text, "on compute capability 9.0"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_convolution_is_a_product),
        cmocka_unit_test(some_are_products_of_matrices),
        cmocka_unit_test(strides_without_taps_between_are_the_tensors),
        cmocka_unit_test(patches_have_fewer_taps),
        cmocka_unit_test(the_smallest_have_plans),
        cmocka_unit_test(outputs),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_product_keeps_its_convolutions_numbers),
        cmocka_unit_test(tiles_are_patches),
        cmocka_unit_test(patches_need_no_corners),
        cmocka_unit_test(some_tiles_are_not),
        cmocka_unit_test(later_chips_have_none),
    };
    return cmocka_run_group_tests_name("convolutions as plans", tests, NULL, NULL);
}
