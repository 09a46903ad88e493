/* What the trees' parts say by themselves: arithmetic at its ends, the words of each node, and
 * fields, values and blame for numbers that are none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "expr/print.h"
#include "expr/row.h"

static struct tree_node nodes[64];
static struct tree t;

static int start(void **state)
{
    (void)state;
    tree_init(&t, nodes, 64, NULL, NULL);
    return 0;
}

static int128 nothing(enum tree_op kind, int number, void *user)
{
    (void)kind, (void)number, (void)user;
    return 0;
}

static int128 value(tnode n)
{
    return tree_eval(&t, n, nothing, NULL);
}

/* Products beyond 2^126 stay there, with their sign, folded or evaluated. */
static void products_saturate(void **state)
{
    const int128 huge = (int128)1 << 126;
    const struct {
        int128 a, b, product;
    } rows[] = {{huge, huge, huge},   {-huge, huge, -huge}, {huge, -huge, -huge},
                {-huge, -huge, huge}, {huge, 2, huge},      {-huge, 1, -huge}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const tnode a = tree_const(&t, rows[i].a), b = tree_const(&t, rows[i].b);
        assert_true(value(tree_mul(&t, a, b)) == rows[i].product);
        nodes[t.count] = (struct tree_node){.op = T_MUL, .a = a, .b = b};
        assert_true(value(t.count++) == rows[i].product);
        start(NULL);
    }
}

static void neutral_elements_fold(void **state)
{
    const tnode v = tree_var(&t, F_DIM), one = tree_const(&t, 1), zero = tree_const(&t, 0);
    bool holds;
    (void)state;
    assert_int_equal(tree_mul(&t, one, v), v);
    assert_int_equal(tree_mul(&t, v, one), v);
    assert_true(value(tree_mul(&t, zero, v)) == 0 && value(tree_mul(&t, v, zero)) == 0);
    assert_true(tree_is_bool(&t, tree_divides(&t, one, v), &holds) && holds);
    assert_true(tree_is_bool(&t, tree_divides(&t, zero, one), &holds) && !holds);
    assert_true(value(tree_bool(&t, false)) == 0 && value(tree_bool(&t, true)) == 1);
    nodes[t.count] = (struct tree_node){.op = 99};
    assert_true(value(t.count) == 0);
    assert_true(value(tree_table(&t, TABLE_COUNT, one)) == 0);
}

/* A child that found no room is one of the whole. */
static void no_room_is_passed_on(void **state)
{
    const tnode v = tree_var(&t, F_DIM), c = tree_le(&t, v, tree_const(&t, 4));
    (void)state;
    assert_int_equal(tree_ite(&t, c, v, TREE_BAD), TREE_BAD);
    assert_int_equal(tree_ite(&t, c, TREE_BAD, v), TREE_BAD);
    assert_int_equal(tree_add(&t, v, TREE_BAD), TREE_BAD);
    assert_int_equal(row_when_tree(&t, ROW_COUNT, 0), TREE_BAD);
    assert_int_equal(row_must_tree(&t, ROW_COUNT, 0), TREE_BAD);
}

static const char *said(tnode n, int index)
{
    static char text[200];
    assert_in_range(tree_print_from(&t, n, index, text, sizeof text), 1, sizeof text - 1);
    return text;
}

static void each_node_has_its_words(void **state)
{
    const tnode v = tree_var(&t, F_DIM + 1), two = tree_const(&t, 2);
    const tnode low = tree_le(&t, v, two);
    (void)state;
    nodes[t.count] = (struct tree_node){.op = T_PARAM, .k = 3};
    assert_string_equal(said(t.count++, -1), "p3");
    assert_string_equal(said(tree_eq(&t, low, two), -1), "dim[1] <= 2 = 2");
    assert_string_equal(said(tree_in(&t, tree_add(&t, v, two), 6), -1), "(dim[1] + 2) in {1, 2}");
    assert_string_equal(said(tree_le(&t, tree_add(&t, v, two), two), -1), "(dim[1] + 2) <= 2");
    assert_string_equal(said(tree_le(&t, tree_add(&t, v, v), two), -1), "(dim[1] + dim[1]) <= 2");
    assert_string_equal(said(tree_var(&t, F_FLAG + BIT_NULL_DIM), -1), "null(dim)");
    assert_string_equal(said(tree_const(&t, (INT64_C(1) << 31) + 1), -1), "2147483649");
    assert_string_equal(said(tree_const(&t, INT64_C(1) << 31), -1), "2^31");
    assert_string_equal(said(tree_table(&t, TABLE_SPAN, v), -1), "span bytes(dim[1])");
    assert_string_equal(said(tree_table(&t, TABLE_COUNT, v), -1), "?(dim[1])");
    nodes[t.count] = (struct tree_node){.op = T_TABLE, .a = v, .k = -1};
    assert_string_equal(said(t.count++, -1), "?(dim[1])");
    assert_string_equal(said(tree_bool(&t, false), -1), "never");
}

static void places_have_letters(void **state)
{
    (void)state;
    assert_string_equal(said(tree_var(&t, F_DIM), 1), "dim[0]");
    assert_string_equal(said(tree_var(&t, F_DIM + 1), 1), "dim[i]");
    assert_string_equal(said(tree_var(&t, F_DIM + 2), 1), "dim[i+1]");
    assert_string_equal(said(tree_var(&t, F_RANK), 0), "rank");
}

/* As snprintf: the length it wanted, and what fits of it. */
static void texts_end_where_room_does(void **state)
{
    const tnode n = tree_le(&t, tree_var(&t, F_RANK), tree_const(&t, 5));
    char text[10];
    (void)state;
    for (size_t size = 0; size <= sizeof text; size++) {
        memset(text, '#', sizeof text);
        assert_int_equal(tree_print(&t, n, text, size), strlen("rank <= 5"));
        if (size) assert_memory_equal(text, "rank <= 5", size - 1);
        if (size) assert_int_equal(text[size - 1], '\0');
        if (size < sizeof text) assert_int_equal(text[size], '#');
    }
}

static void values_beyond_64_bits_are_numbers(void **state)
{
    char text[64];
    struct print p = {text, sizeof text, 0};
    (void)state;
    print_value(&p, F_SWIZZLE, (int128)1 << 64);
    assert_string_equal(text, "18446744073709551616");
}

static void fields_that_are_none(void **state)
{
    const struct subject empty = {.target = NULL};
    struct tree_binding binding = {.subject = &empty};
    struct tmap_desc d = {.kind = TMAP_TILED};
    int128 out = 7;
    (void)state;
    assert_int_equal(field_of_slot(-1), FIELD_COUNT);
    assert_int_equal(field_of_slot(FIELD_SLOTS), FIELD_COUNT);
    assert_null(field_info_of(FIELD_COUNT));
    assert_int_equal(field_find(NULL), -1);
    assert_int_equal(field_find("no field"), -1);
    assert_int_equal(field_find("rank"), F_RANK);
    assert_false(field_read(&empty, -1, &out) || field_read(&empty, FIELD_SLOTS, &out));
    assert_false(field_read(&empty, F_RANK, &out));
    assert_true(out == 7);
    assert_false(field_write(&d, NULL, -1, 1) || field_write(&d, NULL, F_OP, 1));
    tree_init(&t, nodes, 64, tree_bind_subject, &binding);
    assert_int_equal(nodes[tree_field(&t, F_RANK)].op, T_VAR);
}

/* What a call reads goes with its kind, its rank and what is given. */
static void fields_that_calls_read(void **state)
{
    static const struct {
        int32_t kind;
        uint32_t rank, flags;
        int slot;
        bool read;
    } rows[] = {
        {-1, 3, 0, F_KIND, true},
        {-1, 3, 0, F_RANK, false},
        {TMAP_TILED, 3, 0, F_PIXELS, false},
        {TMAP_TILED, 3, 0, F_RANK, true},
        {TMAP_TILED, 3, 0, F_DIM + 2, true},
        {TMAP_TILED, 3, 0, F_DIM + 3, false},
        {TMAP_TILED, 3, 0, F_STRIDE + 1, true},
        {TMAP_TILED, 3, 0, F_STRIDE + 2, false},
        {TMAP_IM2COL, 4, 0, F_LOWER + 1, true},
        {TMAP_IM2COL, 4, 0, F_LOWER + 2, false},
        {TMAP_IM2COL_WIDE, 4, 0, F_LOWER, true},
        {TMAP_IM2COL_WIDE, 4, 0, F_LOWER + 1, false},
        {TMAP_TILED, 3, 0, F_MAP_ADDRESS, false},
        {TMAP_TILED, 3, TMAP_HAS_MAP_ADDRESS, F_MAP_ADDRESS, true},
        {TMAP_TILED, 3, 0, F_ALLOC_BASE, false},
        {TMAP_TILED, 3, TMAP_HAS_ALLOCATION, F_ALLOC_BASE, true},
        {TMAP_TILED, 3, 0, F_ALLOC_BYTES, false},
        {TMAP_TILED, 3, TMAP_HAS_ALLOCATION, F_ALLOC_BYTES, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct tmap_desc d = {
            .kind = rows[i].kind, .rank = rows[i].rank, .flags = rows[i].flags};
        if (field_is_read(&d, rows[i].slot) != rows[i].read) fail_msg("row %zu", i);
    }
}

/* Every row blames a slot, with and without a descriptor; what is no row blames none. */
static void every_row_blames_a_field(void **state)
{
    struct tmap_desc d = {.interleave = TMAP_INTERLEAVE_16B};
    const struct subject s = {.desc = &d};
    (void)state;
    for (tmap_row row = 0; row < ROW_COUNT; row++)
        for (d.rank = 0; d.rank <= TMAP_MAX_RANK + 1; d.rank++) {
            assert_in_range(row_blame(row, -1, NULL), 0, FIELD_SLOTS - 1);
            assert_in_range(row_blame(row, 0, &d), 0, FIELD_SLOTS - 1);
        }
    assert_int_equal(row_blame(ROW_COUNT, 0, &d), -1);
    assert_int_equal(row_native(ROW_COUNT, &s), 0);
}

static void names_and_values(void **state)
{
    int32_t found = 7;
    (void)state;
    assert_true(value_find(VALUES_DTYPE, "torch.bfloat16", &found) && found == TMAP_BFLOAT16);
    assert_true(value_find(VALUES_DTYPE, "BF16", &found) && found == TMAP_BFLOAT16);
    assert_true(value_find(VALUES_SWIZZLE, "cu_tensor_map_swizzle_64B", &found));
    assert_int_equal(found, TMAP_SWIZZLE_64B);
    assert_false(value_find(VALUES_SWIZZLE, "torch.64B", &found));
    assert_true(value_find(VALUES_SWIZZLE, "32", &found) && found == TMAP_SWIZZLE_32B);
    assert_true(value_find(VALUES_INTERLEAVE, "16", &found) && found == TMAP_INTERLEAVE_16B);
    assert_true(value_find(VALUES_L2, "256", &found) && found == TMAP_L2_256B);
    assert_false(value_find(VALUES_SWIZZLE, "3", &found));
    assert_false(value_find(VALUES_SWIZZLE, "", &found));
    assert_false(value_find(VALUES_SWIZZLE, "128000000000", &found));
    assert_false(value_find(VALUES_NUMBER, "none", &found));
    assert_null(value_spelling(VALUES_NUMBER, 0));
    assert_null(value_spelling(VALUES_MAJOR, 2));
    assert_string_equal(value_spelling(VALUES_MAJOR, 1), "mn");
    assert_non_null(value_spelling(VALUES_DTYPE, (size_t)value_count(VALUES_DTYPE)));
    assert_null(value_spelling(VALUES_DTYPE, 1000));
    assert_null(value_name(VALUES_NUMBER, 0));
    assert_null(value_name(VALUES_MAJOR, 2));
    assert_int_equal(value_count(VALUES_NUMBER), 0);
    assert_int_equal(value_count(VALUES_MAJOR), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(products_saturate, start),
        cmocka_unit_test_setup(neutral_elements_fold, start),
        cmocka_unit_test_setup(no_room_is_passed_on, start),
        cmocka_unit_test_setup(each_node_has_its_words, start),
        cmocka_unit_test_setup(places_have_letters, start),
        cmocka_unit_test_setup(texts_end_where_room_does, start),
        cmocka_unit_test(values_beyond_64_bits_are_numbers),
        cmocka_unit_test(fields_that_are_none),
        cmocka_unit_test(fields_that_calls_read),
        cmocka_unit_test(every_row_blames_a_field),
        cmocka_unit_test(names_and_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
