/* Sums in single precision (src/emulate/tensor/panel.c) are those in double precision
 * (numerics.c) bit by bit, over numbers of many magnitudes; what is too far from 1 is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/tensor/panel.h"

enum { MOST_COLS = 256, CASES = 400 };

static uint32_t cols; /* of B */

static uint64_t state = 7;
static uint32_t random_below(uint32_t n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % n;
}

/* Exponents of a float within +-spread of 1, now and then 0. */
static float random_float(uint32_t spread)
{
    const uint32_t bits = random_below(1u << 31) << 1,
                   e = 127 + random_below(2 * spread + 1) - spread;
    return random_below(9) ? emu_float((bits & 0x807fffff) | e << 23) : 0;
}

/* Finite. */
static uint32_t random_half(void)
{
    return random_below(0x7c00) | random_below(2) << 15;
}

static uint32_t random_bits(enum tensor_type type, uint32_t spread)
{
    switch (type) {
    case TENSOR_BF16:
        return emu_bits(random_float(spread)) >> 16;
    case TENSOR_TF32:
        return emu_bits(random_float(spread));
    case TENSOR_F16:
        return random_half();
    case TENSOR_E4M3:
        return random_below(0x7f) | random_below(2) << 7;
    case TENSOR_E5M2:
        return random_below(0x7c) | random_below(2) << 7;
    default:
        return random_below(0x100);
    }
}

static void fill(struct panel *p, enum tensor_type type, uint32_t n, uint32_t k, bool b,
                 uint32_t spread)
{
    const uint32_t bytes = tensor_bits(type) / 8;
    *p = (struct panel){.type = type, .mn_major = random_below(2)};
    p->lines = p->mn_major ? k : n;
    p->length = p->mn_major ? n : k;
    for (uint32_t i = 0; i < n * k; i++) {
        const uint32_t bits = random_bits(type, spread);
        memcpy(p->raw + (size_t)i * bytes, &bits, bytes);
    }
    panel_decode(p, n, k, b);
}

static struct panel a, b;
static union panel_cell d[PANEL_ROWS * MOST_COLS];
static double wide_a[PANEL_ROWS * PANEL_K_BYTES], wide_b[PANEL_K_BYTES * MOST_COLS],
    wide_d[PANEL_ROWS * MOST_COLS];

static void widen(uint32_t k, bool integer)
{
    for (uint32_t i = 0; i < PANEL_ROWS * k; i++) wide_a[i] = (double)a.value[i];
    for (uint32_t i = 0; i < panel_pitch(cols) * k; i++) wide_b[i] = (double)b.value[i];
    for (uint32_t i = 0; i < PANEL_ROWS * panel_pitch(cols); i++)
        wide_d[i] = integer ? (double)d[i].s : (double)d[i].f;
}

/* True: the panels took it, and every sum is the other's. */
static bool one(enum tensor_type type, enum tensor_type b_type, bool half, uint32_t spread)
{
    const uint32_t k = PANEL_K_BYTES * 8 / tensor_bits(type);
    const bool integer = type == TENSOR_S8 || type == TENSOR_U8;
    fill(&a, type, PANEL_ROWS, k, false, spread);
    cols = 8 + 8 * random_below(MOST_COLS / 8);
    const uint32_t pitch = panel_pitch(cols), all = PANEL_ROWS * pitch;
    fill(&b, b_type, cols, k, true, spread);
    for (uint32_t i = 0; i < all; i++)
        if (i % pitch >= cols)
            d[i].s = 0;
        else if (integer)
            d[i].s = (int32_t)(random_below(1u << 31) << 1);
        else
            d[i].f = half ? emu_from_half(random_half()) : random_float(2 * spread);
    const bool saturates = integer && random_below(2);
    widen(k, integer);
    const struct panel_product q = {cols, k, half, saturates, &a, &b, d};
    if (!panel_multiply(&q)) return false;
    const struct tensor_product p = {.rows = PANEL_ROWS,
                                     .cols = pitch,
                                     .k = k,
                                     .adds = true,
                                     .integer = integer,
                                     .half_result = half,
                                     .saturates = saturates,
                                     .type = type,
                                     .b_type = b_type,
                                     .arch = TMAP_ARCH(90, 1),
                                     .a = wide_a,
                                     .b = wide_b,
                                     .d = wide_d};
    tensor_multiply(&p);
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t is = emu_bits(d[i].f);
        assert_int_equal(is, integer ? (uint32_t)(int32_t)wide_d[i] : emu_bits((float)wide_d[i]));
    }
    return true;
}

static uint32_t taken(enum tensor_type type, enum tensor_type b_type, bool half, uint32_t spread)
{
    uint32_t n = 0;
    for (int i = 0; i < CASES; i++) n += one(type, b_type, half, spread);
    return n;
}

static void near_numbers_are_summed_alike(void **s)
{
    (void)s;
    for (uint32_t spread = 0; spread <= 50; spread += 5) {
        assert_int_equal(taken(TENSOR_BF16, TENSOR_BF16, false, spread), CASES);
        assert_int_equal(taken(TENSOR_TF32, TENSOR_TF32, false, spread), CASES);
    }
}

static void every_finite_half_and_byte_is_near(void **s)
{
    (void)s;
    for (int half = 0; half < 2; half++) {
        assert_int_equal(taken(TENSOR_F16, TENSOR_F16, half, 12), CASES);
        assert_int_equal(taken(TENSOR_E4M3, TENSOR_E5M2, half, 12), CASES);
        assert_int_equal(taken(TENSOR_E5M2, TENSOR_E4M3, half, 12), CASES);
    }
}

static void integers_are_summed_alike(void **s)
{
    (void)s;
    assert_int_equal(taken(TENSOR_S8, TENSOR_U8, false, 0), CASES);
    assert_int_equal(taken(TENSOR_U8, TENSOR_S8, false, 0), CASES);
}

static void far_numbers_are_refused(void **s)
{
    (void)s;
    assert_int_equal(taken(TENSOR_BF16, TENSOR_BF16, false, 70), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_numbers_are_summed_alike),
                                       cmocka_unit_test(every_finite_half_and_byte_is_near),
                                       cmocka_unit_test(integers_are_summed_alike),
                                       cmocka_unit_test(far_numbers_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
