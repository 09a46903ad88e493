/* The 128 bytes: known maps, both ways on random legal descriptors, any bytes decoded, patch plans.
 * The bytes themselves are the driver's: tests/golden replays what it wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "driver/generate.h"
#include "tmap/tmap.h"

#define ROUND_TRIPS 200000
#define RANDOM_MAPS 200000
#define PLANS 20000

/* How many times over the two large loops run: TMAP_TEST_SCALE=50 is ten million each. */
static uint64_t scale(void)
{
    const char *text = getenv("TMAP_TEST_SCALE");
    return text && atoi(text) > 1 ? (uint64_t)atoi(text) : 1;
}

static struct tmap_checker driver_checker(void)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_DRIVER, &checker), TMAP_OK);
    return checker;
}

/* A 4096 x 8192 bf16 matrix, 64 x 128 boxes, as cuTensorMapEncodeTiled wrote it on an H200. */
static const struct tmap_desc matrix = {.kind = TMAP_TILED,
                                        .dtype = TMAP_BFLOAT16,
                                        .rank = 2,
                                        .address = UINT64_C(0x7f0000000000),
                                        .dim = {4096, 8192},
                                        .stride_bytes = {8192},
                                        .box = {64, 128},
                                        .elem_stride = {1, 1},
                                        .swizzle = TMAP_SWIZZLE_128B};
static const struct tmap_map matrix_map = {{UINT64_C(0x7f0000000000), UINT64_C(0x0000020000006510),
                                            0, 0, UINT64_C(0x00001fff00000fff), 0,
                                            UINT64_C(0x3f00000000000000), 127, 64 * 128 * 2, 1024}};

static void writes_a_known_map(void **state)
{
    (void)state;
    const struct tmap_checker checker = driver_checker();
    struct tmap_map map;
    assert_int_equal(tmap_encode(&checker, &matrix, &map), TMAP_OK);
    assert_memory_equal(&map, &matrix_map, sizeof map);
}

static void refuses_what_the_driver_refuses(void **state)
{
    (void)state;
    const struct tmap_checker checker = driver_checker();
    struct tmap_desc d = matrix;
    struct tmap_map map = {{7}}, before = map;
    d.address += 8;
    assert_int_equal(tmap_encode(&checker, &d, &map), TMAP_E_ILLEGAL);
    assert_memory_equal(&map, &before, sizeof map);
    assert_int_equal(tmap_encode(NULL, &d, &map), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_encode(&checker, NULL, &map), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_encode(&checker, &d, NULL), TMAP_E_ARGUMENT);
}

/* Nobody has seen a driver write these, so their bytes are not known. */
static void does_not_guess_swizzle_atoms(void **state)
{
    (void)state;
    struct tmap_desc d = matrix;
    struct tmap_map map;
    d.swizzle = TMAP_SWIZZLE_128B_ATOM_32B;
    assert_false(tmap_encode_unchecked(&d, &map));
}

/* What the host code that CUTLASS's Python DSL 4.7 makes for sm_100 wrote of a matrix of 1024 x 512
 * at 0x7f0000000000, L2 promotion 128B (2026-11-22). It sets bits 65 and 85 of every map, which
 * driver 580 leaves 0 on sm_90, and writes 64 bytes. */
static const struct by_the_dsl {
    int32_t dtype, swizzle;
    uint64_t stride_bytes;
    uint32_t box[2];
    uint64_t word[8];
} by_the_dsl[] = {
    {TMAP_FLOAT16,
     TMAP_SWIZZLE_128B,
     1024,
     {64, 128},
     {0x7f0000000000, 0x4000246312, 0, 0, 0x3ff000001ff, 0, 0x3f00000000000000, 0x7f}},
    {TMAP_16U4_ALIGN8B,
     TMAP_SWIZZLE_NONE,
     256,
     {128, 64},
     {0x7f0000000000, 0x1000240592, 0, 0, 0x3ff000001ff, 0, 0x7f00000000000000, 0x3f}},
    {TMAP_16U4_ALIGN16B,
     TMAP_SWIZZLE_128B,
     256,
     {128, 64},
     {0x7f0000000000, 0x1000246612, 0, 0, 0x3ff000001ff, 0, 0x7f00000000000000, 0x3f}},
    {TMAP_16U6_ALIGN16B,
     TMAP_SWIZZLE_128B,
     384,
     {128, 64},
     {0x7f0000000000, 0x1800246692, 0, 0, 0x3ff000001ff, 0, 0x7f00000000000000, 0x3f}},
};

static void packed_types_as_the_dsl_writes_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof by_the_dsl / sizeof *by_the_dsl; i++) {
        const struct by_the_dsl *w = &by_the_dsl[i];
        const struct tmap_desc d = {.kind = TMAP_TILED,
                                    .dtype = w->dtype,
                                    .rank = 2,
                                    .address = 0x7f0000000000,
                                    .dim = {512, 1024},
                                    .stride_bytes = {w->stride_bytes},
                                    .box = {w->box[0], w->box[1]},
                                    .elem_stride = {1, 1},
                                    .swizzle = w->swizzle,
                                    .l2_promotion = TMAP_L2_128B};
        struct tmap_map map;
        assert_true(tmap_encode_unchecked(&d, &map));
        map.word[1] |= 1u << (65 - 64) | 1u << (85 - 64);
        assert_memory_equal(map.word, w->word, sizeof w->word);
        struct tmap_desc back;
        tmap_decode(&map, &back, NULL, 0, &(size_t){0});
        assert_int_equal(back.dtype, w->dtype);
    }
}

/* What decoding cannot know: wide maps read as im2col ones; unused entries are nowhere. */
static struct tmap_desc as_decoded(const struct tmap_desc *desc)
{
    struct tmap_desc d = *desc;
    for (int i = 0; i < SLOT_COUNT; i++)
        if (!slot_used(&d, i)) slot_set(&d, i, 0);
    d.flags = 0;
    if (d.kind != TMAP_IM2COL_WIDE) return d;
    d.kind = TMAP_IM2COL;
    d.mode = 0;
    return d;
}

static void there_and_back(const struct tmap_checker *checker, const struct tmap_desc *d)
{
    struct tmap_desc back;
    struct tmap_map map, again;
    assert_int_equal(tmap_encode(checker, d, &map), TMAP_OK);
    assert_int_equal(tmap_decode(&map, &back, NULL, 0, NULL), TMAP_OK);
    const struct tmap_desc want = as_decoded(d);
    assert_memory_equal(&back, &want, sizeof back);
    assert_int_equal(tmap_encode(checker, &back, &again), TMAP_OK);
    assert_memory_equal(&again, &map, sizeof map);
}

static void encode_and_decode_invert_each_other(void **state)
{
    (void)state;
    const struct tmap_checker checker = driver_checker();
    const struct tmap_target target = tmap_default_target();
    struct generator g;
    struct item *items = calloc(GENERATE_CHUNK, sizeof *items);
    uint64_t kinds[3] = {0}, done = 0;
    assert_non_null(items);
    assert_int_equal(generator_open(&g, &target, 3, 20000, NULL, 0), TMAP_OK);
    for (uint64_t chunk = 0; done < ROUND_TRIPS * scale(); chunk++) {
        generator_chunk(&g, chunk, items);
        for (int i = 0; i < GENERATE_CHUNK; i++) {
            if (tmap_verdict_of(&checker, &items[i].desc) != TMAP_LEGAL) continue;
            there_and_back(&checker, &items[i].desc);
            kinds[items[i].desc.kind]++;
            done++;
        }
    }
    for (int k = 0; k < 3; k++) assert_true(kinds[k] > done / 12);
    generator_close(&g);
    free(items);
}

static void wide_maps_are_said_to_be_ambiguous(void **state)
{
    (void)state;
    const struct tmap_checker checker = driver_checker();
    struct rng rng = rng_of(4, 1);
    for (int i = 0; i < 200; i++) {
        struct tmap_desc d, back;
        struct tmap_map map;
        struct tmap_note notes[16];
        size_t found = 0, ambiguous = 0;
        if (!generate_legal(&checker, &rng, TMAP_IM2COL_WIDE, &d)) continue;
        assert_int_equal(tmap_encode(&checker, &d, &map), TMAP_OK);
        assert_int_equal(tmap_decode(&map, &back, notes, 16, &found), TMAP_OK);
        for (size_t n = 0; n < found; n++) {
            assert_int_not_equal(notes[n].kind, TMAP_NOTE_IMPOSSIBLE);
            ambiguous += notes[n].kind == TMAP_NOTE_AMBIGUOUS;
        }
        assert_int_equal(ambiguous, 1);
    }
}

static void any_bytes_decode(void **state)
{
    (void)state;
    struct rng rng = rng_of(5, 1);
    for (uint64_t i = 0; i < RANDOM_MAPS * scale(); i++) {
        struct tmap_map map;
        struct tmap_desc d;
        struct tmap_note notes[4];
        size_t found = 0;
        for (int w = 0; w < 16; w++)
            map.word[w] = rng_next(&rng) & (i % 2 ? rng_next(&rng) : ~0ull);
        assert_int_equal(tmap_decode(&map, &d, notes, 4, &found), TMAP_OK);
        assert_true(found > 0); /* nobody made these: word 8 alone gives them away */
    }
}

static void one_flipped_bit_is_noticed(void **state)
{
    (void)state;
    for (int bit = 0; bit < 1024; bit++) {
        struct tmap_map map = matrix_map;
        struct tmap_map_field fields[8];
        size_t found = 0;
        map.word[bit / 64] ^= UINT64_C(1) << (bit % 64);
        assert_int_equal(tmap_map_diff(&matrix_map, &map, fields, 8, &found), TMAP_OK);
        assert_true(found > 0);
    }
    size_t found = 1;
    assert_int_equal(tmap_map_diff(&matrix_map, &matrix_map, NULL, 0, &found), TMAP_OK);
    assert_int_equal(found, 0);
}

static void impossible_values_are_named(void **state)
{
    (void)state;
    static const struct {
        unsigned word;
        uint64_t bits;
        const char *field;
    } cases[] = {
        {1, UINT64_C(5) << 4, "rank"},
        {1, UINT64_C(15) << 7, "dtype"},
        {1, UINT64_C(3) << 11, "interleave"},
        {1, UINT64_C(1) << 21, "bit85"},
        {1, UINT64_C(1) << 22, "swizzle_96b"},
        {1, UINT64_C(1) << 2, "reserved"},
        {5, 1, "dim"},
        {8, 1, "driver.box_bytes"},
        {9, 1, "driver.smem_align"},
        {12, 1, "reserved"},
        {3, UINT64_C(1) << 48, "reserved"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tmap_map map = matrix_map;
        struct tmap_desc d;
        struct tmap_note notes[16];
        size_t found = 0;
        bool named = false;
        map.word[cases[i].word] |= cases[i].bits;
        assert_int_equal(tmap_decode(&map, &d, notes, 16, &found), TMAP_OK);
        for (size_t n = 0; n < found; n++)
            named = named || (notes[n].kind == TMAP_NOTE_IMPOSSIBLE &&
                              strcmp(notes[n].field, cases[i].field) == 0);
        assert_true(named);
    }
}

/* The driver's own count rounds down where a load rounds up. */
static void says_where_the_driver_counts_otherwise(void **state)
{
    (void)state;
    const struct tmap_checker checker = driver_checker();
    struct tmap_desc d = matrix, back;
    struct tmap_map map;
    struct tmap_note note;
    size_t found = 0;
    d.elem_stride[1] = 3;
    assert_int_equal(tmap_encode(&checker, &d, &map), TMAP_OK);
    assert_int_equal(map.word[8], 64 * (128 / 3) * 2);
    assert_int_equal(tmap_decode(&map, &back, &note, 1, &found), TMAP_OK);
    assert_int_equal(found, 1);
    assert_int_equal(note.kind, TMAP_NOTE_DERIVED);
    assert_int_equal(note.expected, 64 * 43 * 2);
}

static void replaces_the_address_alone(void **state)
{
    (void)state;
    const struct tmap_checker checker = driver_checker();
    struct tmap_map map = matrix_map;
    assert_int_equal(tmap_replace_address(&checker, &map, matrix.address + 16), TMAP_OK);
    assert_int_equal(map.word[0], matrix.address + 16);
    assert_memory_equal(map.word + 1, matrix_map.word + 1, 120);
    assert_int_equal(tmap_replace_address(&checker, &map, matrix.address + 8), TMAP_E_ILLEGAL);
    assert_int_equal(map.word[0], matrix.address + 16);
    /* As the driver was seen to do with a map of all ones: 57 bits are written. */
    memset(&map, 0xff, sizeof map);
    assert_int_equal(tmap_replace_address(&checker, &map, 16), TMAP_OK);
    assert_int_equal(map.word[0], UINT64_C(0xfe00000000000010));
}

/* --- tensormap.replace -----------------------------------------------------------------------*/

static void a_plan_gives_the_wanted_bytes(void **state)
{
    (void)state;
    const struct tmap_checker checker = driver_checker();
    struct rng rng = rng_of(6, 1);
    unsigned planned = 0, refused = 0;
    for (int i = 0; i < PLANS; i++) {
        struct tmap_desc a, b;
        struct tmap_map from, to;
        struct tmap_patch plan[TMAP_MAX_PATCHES];
        size_t steps = 0;
        char why[192] = "";
        if (!generate_legal(&checker, &rng, TMAP_TILED, &a)) continue;
        if (!generate_legal(&checker, &rng, TMAP_TILED, &b)) continue;
        if (i % 2) b.l2_promotion = a.l2_promotion;
        tmap_encode_unchecked(&a, &from);
        tmap_encode_unchecked(&b, &to);
        const uint32_t cuda = i % 3 ? 1300 : 1204;
        const enum tmap_status s =
            tmap_patch_plan(&from, &to, cuda, plan, TMAP_MAX_PATCHES, &steps, why, sizeof why);
        if (s != TMAP_OK) {
            assert_int_equal(s, TMAP_E_NO_PLAN);
            assert_true(strstr(why, "l2_promotion") || strstr(why, "tf32"));
            refused++;
            continue;
        }
        for (size_t k = 0; k < steps; k++)
            assert_int_equal(tmap_patch_apply(&from, &plan[k], cuda), TMAP_OK);
        assert_memory_equal(&from, &to, 64);
        planned++;
    }
    assert_true(planned > PLANS / 4 && refused > PLANS / 8);
}

static void a_zeroed_map_can_be_patched_into_any_tiled_one(void **state)
{
    (void)state;
    struct tmap_map zero = {{0}};
    struct tmap_patch plan[TMAP_MAX_PATCHES];
    size_t steps = 0;
    assert_int_equal(
        tmap_patch_plan(&zero, &matrix_map, 1300, plan, TMAP_MAX_PATCHES, &steps, NULL, 0),
        TMAP_OK);
    for (size_t k = 0; k < steps; k++)
        assert_int_equal(tmap_patch_apply(&zero, &plan[k], 1300), TMAP_OK);
    assert_memory_equal(&zero, &matrix_map, 64);
    assert_int_equal(zero.word[8], 0);
}

static void a_plan_says_what_cannot_be_patched(void **state)
{
    (void)state;
    struct tmap_map to = matrix_map;
    char why[192];
    to.word[1] |= 1;
    assert_int_equal(tmap_patch_plan(&matrix_map, &to, 1300, NULL, 0, NULL, why, sizeof why),
                     TMAP_E_NO_PLAN);
    assert_non_null(strstr(why, "tiled"));
    to = matrix_map;
    to.word[1] ^= 1u << 17;
    assert_int_equal(tmap_patch_plan(&matrix_map, &to, 1300, NULL, 0, NULL, why, sizeof why),
                     TMAP_E_NO_PLAN);
    assert_non_null(strstr(why, "l2_promotion"));
}

static void the_stride_operand_changed_its_unit(void **state)
{
    (void)state;
    struct tmap_map old = matrix_map, new = matrix_map;
    const struct tmap_patch in_16 = {TMAP_REPLACE_GLOBAL_STRIDE, 0, 1024},
                            in_bytes = {TMAP_REPLACE_GLOBAL_STRIDE, 0, 16384};
    assert_int_equal(tmap_patch_apply(&old, &in_16, 1204), TMAP_OK);
    assert_int_equal(tmap_patch_apply(&new, &in_bytes, 1205), TMAP_OK);
    assert_memory_equal(&old, &new, sizeof old);
}

static void operands_without_an_encoding_are_refused(void **state)
{
    (void)state;
    static const struct tmap_patch bad[] = {
        {TMAP_REPLACE_BOX_DIM, 0, 0},
        {TMAP_REPLACE_BOX_DIM, 0, 257},
        {TMAP_REPLACE_BOX_DIM, 5, 1},
        {TMAP_REPLACE_ELEMENT_STRIDE, 0, 9},
        {TMAP_REPLACE_GLOBAL_STRIDE, 0, 8},
        {TMAP_REPLACE_GLOBAL_STRIDE, 4, 16},
        {TMAP_REPLACE_ELEMTYPE, 0, 16},
        {TMAP_REPLACE_SWIZZLE_MODE, 0, 5},
        {TMAP_REPLACE_FILL_MODE, 0, 2},
        {TMAP_REPLACE_RANK, 0, 8},
        {TMAP_REPLACE_GLOBAL_STRIDE, 0, UINT64_C(1) << 40},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct tmap_map map = matrix_map;
        assert_int_equal(tmap_patch_apply(&map, &bad[i], 1300), TMAP_E_ARGUMENT);
        assert_memory_equal(&map, &matrix_map, sizeof map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_a_known_map),
        cmocka_unit_test(refuses_what_the_driver_refuses),
        cmocka_unit_test(does_not_guess_swizzle_atoms),
        cmocka_unit_test(packed_types_as_the_dsl_writes_them),
        cmocka_unit_test(encode_and_decode_invert_each_other),
        cmocka_unit_test(wide_maps_are_said_to_be_ambiguous),
        cmocka_unit_test(any_bytes_decode),
        cmocka_unit_test(one_flipped_bit_is_noticed),
        cmocka_unit_test(impossible_values_are_named),
        cmocka_unit_test(says_where_the_driver_counts_otherwise),
        cmocka_unit_test(replaces_the_address_alone),
        cmocka_unit_test(a_plan_gives_the_wanted_bytes),
        cmocka_unit_test(a_zeroed_map_can_be_patched_into_any_tiled_one),
        cmocka_unit_test(a_plan_says_what_cannot_be_patched),
        cmocka_unit_test(the_stride_operand_changed_its_unit),
        cmocka_unit_test(operands_without_an_encoding_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
