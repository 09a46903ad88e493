// The geometry of a copy, against figures measured on an H200 and worked by hand.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/layout.h"

struct row {
    struct tmap_desc d;
    uint64_t tx, footprint, rows;
    uint32_t row, pitch, pattern;
};

#define ONES .elem_stride = {1, 1, 1, 1, 1}

static const struct row table[] = {
    // A dense matrix tile; 128 bytes a row.
    {{.dtype = TMAP_BFLOAT16, .rank = 2, .box = {64, 128}, ONES, .swizzle = TMAP_SWIZZLE_128B},
     16384,
     16384,
     128,
     128,
     128,
     1024},
    // Rows narrower than the span lie at the pitch of the span.
    {{.dtype = TMAP_UINT8, .rank = 2, .box = {16, 3}, ONES, .swizzle = TMAP_SWIZZLE_32B},
     48,
     80,
     3,
     16,
     32,
     256},
    {{.dtype = TMAP_UINT8, .rank = 2, .box = {16, 3}, ONES, .swizzle = TMAP_SWIZZLE_64B},
     48,
     160,
     3,
     16,
     64,
     512},
    {{.dtype = TMAP_UINT8, .rank = 2, .box = {48, 2}, ONES, .swizzle = TMAP_SWIZZLE_128B},
     96,
     192,
     2,
     48,
     128,
     1024},
    // Element strides round up; dimension 0's is not used. 64 x 8 of one byte, every third row:
    // 192.
    {{.dtype = TMAP_UINT8, .rank = 2, .box = {64, 8}, .elem_stride = {3, 3}},
     192,
     192,
     3,
     64,
     64,
     128},
    {{.dtype = TMAP_UINT8, .rank = 2, .box = {128, 8}, .elem_stride = {1, 3}},
     384,
     384,
     3,
     128,
     128,
     128},
    // Interleave: the box of dimension rank - 2 moves one slice, the others count.
    {{.dtype = TMAP_UINT8,
      .rank = 3,
      .box = {16, 4, 2},
      ONES,
      .interleave = TMAP_INTERLEAVE_32B,
      .swizzle = TMAP_SWIZZLE_32B},
     1024,
     1024,
     32,
     32,
     32,
     256},
    {{.dtype = TMAP_UINT8,
      .rank = 4,
      .box = {16, 3, 9, 2},
      .elem_stride = {5, 2, 1, 1},
      .interleave = TMAP_INTERLEAVE_16B},
     16 * 4 * 2 * 2,
     16 * 4 * 2 * 2,
     16,
     16,
     16,
     128},
    // Im2col: channels by pixels.
    {{.kind = TMAP_IM2COL,
      .dtype = TMAP_FLOAT16,
      .rank = 4,
      .channels = 64,
      .pixels = 96,
      ONES,
      .swizzle = TMAP_SWIZZLE_128B},
     12288,
     12288,
     96,
     128,
     128,
     1024},
};

static void the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct tmap_layout l;
        layout_of(&table[i].d, &l);
        assert_int_equal(l.tx_bytes, table[i].tx);
        assert_int_equal(l.footprint_bytes, table[i].footprint);
        assert_int_equal(l.rows, table[i].rows);
        assert_int_equal(l.row_bytes, table[i].row);
        assert_int_equal(l.pitch_bytes, table[i].pitch);
        assert_int_equal(l.pattern_bytes, table[i].pattern);
        assert_int_equal(l.align_bytes, 128);
    }
}

// A swizzle permutes: within eight spans every byte has one place, and doing it twice undoes it.
static void swizzles_are_involutions(void **state)
{
    (void)state;
    for (int32_t s = TMAP_SWIZZLE_NONE; s <= TMAP_SWIZZLE_128B_ATOM_64B; s++)
        for (uint64_t a = 0; a < 4096; a++) {
            const uint64_t to = tmap_swizzle_address(s, a);
            assert_int_equal(tmap_swizzle_address(s, to), a);
            assert_int_equal(to / 128, a / 128);
        }
    assert_int_equal(tmap_swizzle_address(TMAP_SWIZZLE_128B, 0x380), 0x3f0);
    assert_int_equal(tmap_swizzle_address(TMAP_SWIZZLE_64B, 0x380), 0x3b0);
    assert_int_equal(tmap_swizzle_address(TMAP_SWIZZLE_32B, 0x380), 0x390);
}

// Illegal boxes are measured too, since a use of one is checked: in bounded time, without wrapping.
static void huge_boxes_saturate(void **state)
{
    (void)state;
    struct tmap_desc d = {.dtype = TMAP_UINT8, .rank = 5, ONES, .swizzle = TMAP_SWIZZLE_128B};
    struct tmap_layout l;
    d.box[0] = 16;
    for (int i = 1; i < 5; i++) d.box[i] = UINT32_MAX;
    layout_of(&d, &l);
    assert_int_equal(l.tx_bytes, UINT64_MAX);
    assert_int_equal(l.footprint_bytes, UINT64_MAX);
    d.dtype = TMAP_FLOAT64;
    d.rank = 1;
    d.box[0] = UINT32_MAX;
    layout_of(&d, &l);
    assert_int_equal(l.row_bytes, UINT32_MAX);
    assert_int_equal(l.footprint_bytes, UINT32_MAX);
    d.box[1] = 0;
    d.rank = 2;
    layout_of(&d, &l);
    assert_int_equal(l.tx_bytes, 0);
    d.box[1] = 2;
    d.elem_stride[1] = UINT32_MAX; // rounds up to one row
    layout_of(&d, &l);
    assert_int_equal(l.rows, 1);
}

/* Sixteen bytes move as one unless the swizzle's name says otherwise; an unknown one moves none. */
static void atoms_of_swizzles(void **state)
{
    static const uint32_t atom[] = {16, 16, 16, 32, 32, 64};
    (void)state;
    for (int32_t s = TMAP_SWIZZLE_32B; s <= TMAP_SWIZZLE_128B_ATOM_64B; s++)
        assert_int_equal(layout_swizzle_atom(s), atom[s - TMAP_SWIZZLE_32B]);
    assert_int_equal(layout_swizzle_atom(-1), 0);
    assert_int_equal(layout_swizzle_atom(TMAP_SWIZZLE_128B_ATOM_64B + 1), 0);
}

/* Of a rank that no map has the first five dimensions count, and nothing beyond them. */
static void ranks_beyond_five(void **state)
{
    (void)state;
    for (int32_t kind = TMAP_TILED; kind <= TMAP_IM2COL; kind++)
        for (int32_t interleave = 0; interleave <= TMAP_INTERLEAVE_16B; interleave++)
            for (uint32_t rank = 0; rank <= 7; rank++) {
                const struct tmap_desc d = {.kind = kind,
                                            .dtype = TMAP_UINT8,
                                            .rank = rank,
                                            .interleave = interleave,
                                            .box = {16, 1, 1, 1, 1},
                                            .elem_stride = {1, 1, 1, 1, 1},
                                            .channels = 16,
                                            .pixels = 1};
                struct tmap_layout l;
                layout_of(&d, &l);
                assert_in_range(l.rows, 1, 16);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table), cmocka_unit_test(swizzles_are_involutions),
        cmocka_unit_test(huge_boxes_saturate), cmocka_unit_test(atoms_of_swizzles),
        cmocka_unit_test(ranks_beyond_five)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
