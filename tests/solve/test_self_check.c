/* The self-check of plans: it accepts what the search finds, and refuses each plan that is spoiled
 * in one place. And plans of packed types, whose elements are smaller than a byte. */
#include "support/checkers.h"
#include "support/repair_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];

/* One place of a plan made wrong; false where this plan has no such place. */
static bool spoil(const struct tmap_desc *d, struct tmap_plan *p, int what)
{
    const uint32_t rank = p->desc.rank;
    struct tmap_plan_dim *first = &p->dim[0], *top = &p->dim[rank - 1];
    const bool free = p->cost.kind == TMAP_PLAN_FREE;
    switch (what) {
    case 0: /* another base */
        p->desc.address += 16;
        return free;
    case 1: /* a stride of 0, harmless where all tiles stay at index 0 */
        if (!free || rank < 2 || p->desc.dim[1] < 2 || p->desc.stride_bytes[0] == 0) return false;
        p->desc.stride_bytes[0] = 0;
        return true;
    case 2: /* one index more, where every one is taken */
        p->desc.dim[rank - 1]++;
        for (uint32_t i = 0; i < d->rank; i++)
            if (d->elem_stride[i] != 1) return false;
        return true;
    case 3: /* one copy less */
        if (top->copies < 2 || top->tail) return false;
        p->copies = p->copies / top->copies * (top->copies - 1);
        p->tx_bytes = p->tx_bytes / top->copies * (top->copies - 1);
        p->cost.extra_instructions = p->copies - 1;
        top->copies--;
        return true;
    case 4: /* bytes that nobody signals */
        p->tx_bytes += 16;
        return true;
    case 5: /* a coordinate counted twice */
        first->coef[0] *= 2;
        return first->coef[0] != 0 && d->box[0] > 1;
    case 6: /* a piece that begins elsewhere */
        first->div++;
        return first->coef[0] != 0 && d->box[0] > 1;
    case 7: /* a base that did not move so far */
        first->shift++;
        return true;
    case 8: /* the slot of a copy is too small for it */
        p->slot_bytes /= 2;
        return p->slot_bytes > 0;
    case 9: /* another type of the same size */
        p->desc.dtype = p->desc.dtype == TMAP_UINT32 ? TMAP_INT32 : TMAP_UINT32;
        return p->part_of < 2;
    default:
        p->desc.oob_fill = !p->desc.oob_fill;
        return true;
    }
}

static void test_spoiled_plans(void **state)
{
    enum { WAYS = 11 };
    const struct tmap_checker c = checker_on(NULL);
    uint64_t seed = 3;
    long spoiled[WAYS] = {0};
    (void)state;
    for (int i = 0; i < 1500; i++) {
        const struct tmap_desc d = random_desc(&seed, UINT64_C(64) << 20);
        struct tmap_plan p;
        struct tmap_repair_report r;
        if (tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL) != TMAP_OK ||
            p.skip)
            continue;
        assert_int_equal(r.dropped, 0);
        assert_null(tmap_plan_check(&d, NULL, &p));
        for (int what = 0; what < WAYS; what++) {
            struct tmap_plan q = p;
            if (!spoil(&d, &q, what)) continue;
            if (tmap_plan_check(&d, NULL, &q))
                spoiled[what]++;
            else if (what != 1 || plan_is_wrong(&c, &d, &q, &seed, 4, 200))
                fail_msg("plan %d, spoiled %d, passes", i, what);
        }
    }
    for (int what = 0; what < WAYS; what++) assert_true(spoiled[what] > 20);
}

/* A box that passes the tile is fine for a load, and writes beside it for a store. */
static void test_store_beside_the_tile(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_request store = {.op = TMAP_OP_STORE, .grain = {0, 3}};
    struct tmap_desc d = {.dtype = TMAP_BFLOAT16,
                          .rank = 2,
                          .address = 1 << 20,
                          .dim = {64, 99},
                          .stride_bytes = {128},
                          .box = {64, 3},
                          .elem_stride = {1, 1}};
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, &store, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_null(tmap_plan_check(&d, &store, &p));
    p.desc.box[1] = p.dim[1].step = 4;
    p.tx_bytes = p.slot_bytes = 512;
    assert_null(tmap_plan_check(&d, NULL, &p));
    assert_non_null(tmap_plan_check(&d, &store, &p));
    p.grain[1] = 0; /* always the first three, of 99 or of no more */
    assert_non_null(tmap_plan_check(&d, &store, &p));
    d.dim[1] = p.desc.dim[1] = 3;
    assert_null(tmap_plan_check(&d, &store, &p));
}

static struct tmap_desc packed(int32_t dtype, uint64_t dim0, uint32_t box0)
{
    struct tmap_desc d = {.dtype = dtype,
                          .rank = 2,
                          .address = 0x7f0000000000,
                          .dim = {dim0, 4096},
                          .box = {box0, 128},
                          .elem_stride = {1, 1},
                          .swizzle = TMAP_SWIZZLE_128B};
    d.stride_bytes[0] = dim0 * (dtype == TMAP_16U6_ALIGN16B ? 6 : 4) / 8;
    return d;
}

/* Tiles wider than a row of the box: every plan has the tensor's strides or those of its pieces. */
static void test_packed_types(void **state)
{
    static const int32_t types[] = {TMAP_16U4_ALIGN8B, TMAP_16U4_ALIGN16B, TMAP_16U6_ALIGN16B};
    const struct tmap_checker c = checker_on("sm_100a");
    uint64_t seed = 7;
    (void)state;
    for (size_t t = 0; t < 3; t++)
        for (uint64_t dim = 1024; dim <= 4224; dim += 64) {
            const struct tmap_desc d = packed(types[t], dim, 256);
            struct tmap_plan p[8];
            struct tmap_repair_report r;
            if (tmap_verdict_of(&c, &d) == TMAP_LEGAL) continue;
            assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, p, 8, &r, NULL),
                             TMAP_OK);
            assert_int_equal(r.dropped, 0);
            for (size_t i = 0; i < r.found; i++) {
                const char *wrong = plan_is_wrong(&c, &d, &p[i], &seed, 2, 512);
                if (wrong) fail_msg("type %d, %llu: %s", types[t], (unsigned long long)dim, wrong);
                for (uint32_t k = 0; k + 1 < p[i].desc.rank; k++)
                    assert_int_not_equal(p[i].desc.stride_bytes[k], 0);
            }
        }
}

/* K = 4160 is not a multiple of 128 elements: the copy has rows of 4224, the last ones zeros. */
static void test_packed_padding(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    const struct tmap_desc d = packed(TMAP_16U4_ALIGN16B, 4160, 128);
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_int_equal(p.cost.kind, TMAP_PLAN_PADDING);
    assert_int_equal(p.desc.dim[0], 4224);
    assert_int_equal(p.desc.stride_bytes[0], 2112);
    assert_int_equal(p.allocation_bytes, 2112 * 4096);
}

/* Four-bit types under solve: slabs of one span, each with its own stride. */
static void test_packed_tile(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    struct tmap_tile_request w = {.tile = {512, 128}, .consumer = TMAP_CONSUMER_TCGEN05};
    struct tmap_tile_plan p;
    size_t found;
    char reason[160];
    (void)state;
    w.tensor = packed(TMAP_16U4_ALIGN8B, 8192, 512);
    assert_int_equal(
        tmap_solve(&c, &w, workspace, sizeof workspace, &p, 1, &found, reason, sizeof reason),
        TMAP_OK);
    for (uint32_t k = 0; k + 1 < p.plan.desc.rank; k++)
        assert_int_not_equal(p.plan.desc.stride_bytes[k], 0);
    assert_int_equal(p.plan.desc.swizzle, TMAP_SWIZZLE_128B);
    assert_int_equal(p.plan.tx_bytes, 512 / 2 * 128);
}

/* A coordinate that is rounded down lands between the slices that a strided box takes. */
static void test_rounding_between_strides(void **state)
{
    const struct tmap_checker c = checker_on(NULL);
    const struct tmap_desc d = {.dtype = TMAP_BFLOAT16,
                                .rank = 3,
                                .address = 1 << 20,
                                .dim = {64, 64, 2048},
                                .stride_bytes = {1024, 65536},
                                .box = {8, 64, 1},
                                .elem_stride = {8, 1, 1},
                                .interleave = TMAP_INTERLEAVE_16B};
    struct tmap_plan p;
    struct tmap_repair_report r;
    const char *wrong;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    p.dim[0].round = 8;
    assert_null(tmap_plan_check(&d, NULL, &p));
    p.grain[0] = 1;
    assert_non_null(tmap_plan_check(&d, NULL, &p));
    p.grain[0] = 8, p.dim[0].round = 16; /* between them, and the box reaches on to the next */
    p.desc.box[0] = p.dim[0].step = 16, p.slot_bytes *= 2, p.tx_bytes *= 2;
    assert_null(tmap_plan_check(&d, NULL, &p));
    p.dim[0].shift = 1, p.desc.address -= 16, p.desc.dim[0]++;
    p.desc.box[0] = p.dim[0].step = 32, p.slot_bytes *= 2, p.tx_bytes *= 2;
    wrong = tmap_plan_check(&d, NULL, &p);
    assert_string_equal(wrong ? wrong : "taken", "its boxes step over elements");
}

/* A mode that an instruction does not have is chosen, and the plan checked with what was. */
static void test_a_chosen_mode(void **state)
{
    const struct tmap_checker c = checker_on("sm_100a");
    const struct tmap_desc d = {.kind = TMAP_IM2COL_WIDE,
                                .dtype = TMAP_BFLOAT16,
                                .rank = 3,
                                .address = 1 << 20,
                                .dim = {64, 256, 64},
                                .stride_bytes = {128, 32768},
                                .elem_stride = {1, 1, 1},
                                .mode = 7,
                                .swizzle = TMAP_SWIZZLE_128B,
                                .channels = 64,
                                .pixels = 64};
    struct tmap_plan p;
    struct tmap_repair_report r;
    (void)state;
    assert_int_equal(tmap_repair(&c, &d, NULL, workspace, sizeof workspace, &p, 1, &r, NULL),
                     TMAP_OK);
    assert_true(p.step_count > 0 && p.step[0].rewrite == TMAP_REWRITE_CHOOSE);
    assert_null(tmap_plan_check(&d, NULL, &p));
    p.desc.mode = !p.desc.mode;
    assert_non_null(tmap_plan_check(&d, NULL, &p));
}

/* Two dimensions of 2^32 as one number; a tile is one element. */
static struct tmap_plan as_one_number(struct tmap_desc *d)
{
    const uint64_t all = UINT64_C(1) << 32;
    struct tmap_plan p = {.part_of = 1, .copies = 1, .slot_bytes = 128, .tx_bytes = 1};
    *d = (struct tmap_desc){.dtype = TMAP_UINT8,
                            .rank = 2,
                            .dim = {all, all},
                            .stride_bytes = {all},
                            .box = {1, 1},
                            .elem_stride = {1, 1}};
    p.desc = *d;
    for (int i = 0; i < 2; i++)
        p.dim[i] =
            (struct tmap_plan_dim){.coef = {1, all}, .div = 1, .round = 1, .copies = 1, .step = 1};
    p.dim[0].mod = p.dim[1].div = all;
    return p;
}

static void assert_refused(const struct tmap_desc *d, const struct tmap_plan *p, const char *why)
{
    const char *wrong = tmap_plan_check(d, NULL, p);
    assert_string_equal(wrong ? wrong : "taken", why);
}

/* A tile that begins at multiples of 2^64 does not always begin at 0. */
static void test_coordinates_beyond_64_bits(void **state)
{
    struct tmap_desc d;
    struct tmap_plan p = as_one_number(&d);
    (void)state;
    p.grain[1] = 1;
    assert_null(tmap_plan_check(&d, NULL, &p));
    p.dim[1].mod = 1; /* the first of the upper ones, whichever is asked for */
    assert_refused(&d, &p, "its digits do not hold the index");
    p.grain[1] = 0;
    assert_null(tmap_plan_check(&d, NULL, &p));
    p.grain[1] = UINT64_C(1) << 32;
    assert_refused(&d, &p, "its digits do not hold the index");
}

/* Rows of a copy that end at 2^128 bits do not end at 0. */
static void test_rows_beyond_128_bits(void **state)
{
    struct tmap_desc d;
    struct tmap_plan p = as_one_number(&d);
    (void)state;
    p.step_count = 1, p.step[0].rewrite = TMAP_REWRITE_COPY;
    p.dim[0].mod = 0, p.dim[1].div = 1;
    p.dim[0].coef[1] = p.dim[1].coef[0] = 0, p.dim[1].coef[1] = 1;
    p.allocation_bytes = UINT64_MAX;
    d.dim[1] = p.desc.dim[1] = 2;
    assert_null(tmap_plan_check(&d, NULL, &p));
    d.dim[1] = p.desc.dim[1] = UINT64_C(1) << 62;
    p.desc.stride_bytes[0] = UINT64_C(1) << 63;
    assert_refused(&d, &p, "rows of its copy overlap");
}

/* A map that begins before the tensor does so along dimension 0 alone, by less than it holds. */
static void test_a_base_before_the_tensor(void **state)
{
    const uint64_t piece = 1190112520884487201; /* 31 of them are 2^65 - 1 */
    struct tmap_desc d;
    struct tmap_plan p = as_one_number(&d), q;
    (void)state;
    q = p, q.dim[1].shift = 1, q.dim[1].step = q.desc.box[1] = 2, q.tx_bytes = 2;
    q.desc.dim[1]++;
    assert_refused(&d, &q, "its base is another");
    d.dim[0] = d.dim[1] = d.stride_bytes[0] = UINT64_MAX;
    p.dim[0].coef[1] = p.dim[1].coef[1] = UINT64_MAX;
    p.dim[1].mod = p.dim[0].div = p.desc.dim[1] = piece, p.desc.stride_bytes[0] = 1;
    p.dim[1].div = 1, p.dim[0].mod = 0;
    p.desc.dim[0] = 1, d.address = p.dim[0].shift = 32; /* (2^64 - 1)^2 is 2^128 - 31 pieces */
    p.dim[0].step = p.desc.box[0] = p.tx_bytes = 40;
    assert_refused(&d, &p, "its bounds are others");
}

/* What no search makes of a request, one thing at a time. */
static void test_plans_that_no_search_makes(void **state)
{
    struct tmap_desc d, e;
    const struct tmap_plan p = as_one_number(&d);
    struct tmap_plan q;
    (void)state;
    assert_string_equal(tmap_plan_check(NULL, NULL, &p), "there is no plan");
    assert_string_equal(tmap_plan_check(&d, NULL, NULL), "there is no plan");
    for (uint32_t rank = 0; rank <= 6; rank += 6) {
        e = d, e.rank = rank;
        assert_refused(&e, &p, "its rank is none");
        q = p, q.desc.rank = rank;
        assert_refused(&d, &q, "its rank is none");
    }
    q = p, q.step_count = UINT32_MAX; /* as many as there are, are looked at */
    assert_null(tmap_plan_check(&d, NULL, &q));
    e = d, e.elem_stride[1] = 0, e.box[1] = 0;
    assert_null(tmap_plan_check(&e, NULL, &p));
    e = d, e.interleave = TMAP_INTERLEAVE_16B, e.dtype = 99;
    assert_refused(&e, &p, "its type is another");
    q = p, q.part_of = 2, q.desc.dtype = TMAP_UINT16, q.desc.oob_fill = 1;
    e = d, e.oob_fill = 1;
    assert_refused(&e, &q, "its fill is another");
    q = p, q.dim[0].copies = q.dim[1].copies = UINT32_MAX, q.desc.rank = 3, q.desc.dim[2] = 1;
    q.dim[2].copies = 2; /* 2^65 */
    assert_refused(&d, &q, "its number of copies is none");
    q = p, q.dim[0].mod = UINT64_C(1) << 63, q.dim[1].div = q.dim[0].mod, q.dim[1].mod = 4;
    q.desc.dim[0] = q.dim[0].mod, q.desc.dim[1] = 4, q.desc.rank = 3;
    q.dim[2] = q.dim[1], q.desc.box[2] = q.desc.dim[2] = q.desc.elem_stride[2] = 1;
    q.desc.stride_bytes[1] = 16;
    assert_refused(&d, &q, "its digits do not hold the index"); /* the third begins at 2^65 */
    q = p, q.desc.kind = TMAP_IM2COL, q.desc.rank = 4, q.desc.dim[2] = q.desc.dim[3] = 1;
    q.desc.elem_stride[2] = q.desc.elem_stride[3] = 1;
    q.desc.upper[1] = -1;
    assert_refused(&d, &q, "its walk goes on in another image");
    q.desc.dim[1] = 0;
    assert_refused(&d, &q, "its walk goes on in another image");
}

/* A dimension without elements of its own cannot move the base; and one that holds two of the
 * request has no strides between its elements. */
static void test_dimensions_that_hold_no_stride(void **state)
{
    struct tmap_desc d;
    struct tmap_plan p = as_one_number(&d);
    (void)state;
    d.dim[0] = 16, d.dim[1] = 8, d.stride_bytes[0] = 16, d.box[0] = 16, d.box[1] = 8;
    d.elem_stride[1] = 2;
    p.desc.dim[0] = 16, p.desc.dim[1] = 8, p.desc.stride_bytes[0] = 16, p.desc.elem_stride[1] = 2;
    p.desc.box[0] = p.dim[0].step = 16, p.desc.box[1] = p.dim[1].step = 8;
    p.dim[0].coef[1] = 0, p.dim[1].coef[0] = 0, p.dim[1].coef[1] = 1;
    p.dim[0].mod = 0, p.dim[1].div = 1, p.tx_bytes = 64;
    assert_null(tmap_plan_check(&d, NULL, &p));
    d.rank = 3, d.dim[2] = d.box[2] = 4, d.elem_stride[2] = 1;
    d.stride_bytes[0] = 64, d.stride_bytes[1] = 16, d.elem_stride[1] = 1;
    p.desc.dim[1] = p.desc.box[1] = p.dim[1].step = 32;
    p.dim[1].coef[1] = 4, p.dim[1].coef[2] = 1, p.tx_bytes = p.slot_bytes = 256;
    assert_refused(&d, &p, "its boxes step over elements");
    p.desc.elem_stride[1] = 1, p.tx_bytes = p.slot_bytes = 512;
    assert_null(tmap_plan_check(&d, NULL, &p));
    d.rank = 1, d.dim[0] = d.box[0] = 16, d.address = 16;
    p = as_one_number(&(struct tmap_desc){0});
    p.desc = d, p.desc.rank = 2, p.desc.dim[0] = 1, p.desc.dim[1] = 16, p.desc.stride_bytes[0] = 1;
    p.desc.box[0] = 1, p.desc.box[1] = p.dim[1].step = p.tx_bytes = 16;
    p.dim[0].coef[0] = p.dim[0].coef[1] = p.dim[1].coef[1] = p.dim[0].mod = 0, p.dim[1].div = 1;
    assert_null(tmap_plan_check(&d, NULL, &p));
    p.desc.address = 15, p.dim[0].shift = 1;
    assert_refused(&d, &p, "a dimension is never used");
}

/* Where nearly all is undefined, a plan has as many steps as it has room for, or there is none: it
 * is checked by what it says that was chosen. */
static void test_more_to_say_than_room(void **state)
{
    static const uint32_t boxes[2][TMAP_MAX_RANK] = {{16, 0, 16, 0, 0}, {16, 16, 16, 16, 0}};
    static const uint32_t strides[2][TMAP_MAX_RANK] = {{10}, {17, 9, 0, 17, 14}};
    static const uint64_t pitch[2][TMAP_MAX_RANK - 1] = {{64, 8192, 0, UINT64_C(1) << 24},
                                                         {64, 4096, 1 << 18, UINT64_C(1) << 24}};
    const struct tmap_checker c = checker_on("sm_100a");
    struct tmap_plan p[3];
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int32_t swizzle = 0; swizzle < 4; swizzle++) {
            struct tmap_desc d = {.dtype = TMAP_16U6_ALIGN16B,
                                  .rank = 5,
                                  .address = 1 << 20,
                                  .dim = {64, 64, 64, 64, 64},
                                  .interleave = TMAP_INTERLEAVE_32B,
                                  .swizzle = swizzle,
                                  .l2_promotion = 956,
                                  .oob_fill = -2};
            struct tmap_repair_report r;
            memcpy(d.box, boxes[i], sizeof d.box);
            memcpy(d.elem_stride, strides[i], sizeof d.elem_stride);
            memcpy(d.stride_bytes, pitch[i], sizeof d.stride_bytes);
            const enum tmap_status s =
                tmap_repair(&c, &d, NULL, workspace, sizeof workspace, p, 3, &r, NULL);
            if (i == 0 && (swizzle == 1 || swizzle == 2)) {
                assert_int_equal(s, TMAP_E_NO_PLAN);
                assert_string_equal(r.reason,
                                    "too many of its fields mean nothing for a plan to say");
                continue;
            }
            assert_int_equal(s, TMAP_OK);
            for (size_t k = 0; k < r.found; k++) {
                const char *wrong = tmap_plan_check(&d, NULL, &p[k]);
                if (wrong) fail_msg("%d, %d: %u steps: %s", i, swizzle, p[k].step_count, wrong);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spoiled_plans),
        cmocka_unit_test(test_store_beside_the_tile),
        cmocka_unit_test(test_packed_types),
        cmocka_unit_test(test_packed_padding),
        cmocka_unit_test(test_packed_tile),
        cmocka_unit_test(test_rounding_between_strides),
        cmocka_unit_test(test_coordinates_beyond_64_bits),
        cmocka_unit_test(test_rows_beyond_128_bits),
        cmocka_unit_test(test_a_base_before_the_tensor),
        cmocka_unit_test(test_more_to_say_than_room),
        cmocka_unit_test(test_plans_that_no_search_makes),
        cmocka_unit_test(test_dimensions_that_hold_no_stride),
        cmocka_unit_test(test_a_chosen_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
