/* The tree and the native form of every row agree wherever the row's needs hold: on the witnesses,
 * and on random subjects drawn around the bounds. The prover (tests/prove) covers all inputs; this
 * is the part that runs in seconds without a solver. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "support/splitmix.h"
#include "support/vectors.h"
#include "core/derive.h"
#include "core/layout.h"
#include "expr/print.h"
#include "expr/row.h"

#define NODES 512

static uint64_t draw(uint64_t *state)
{
    return splitmix(state);
}

static const int64_t edges[] = {-1,
                                0,
                                1,
                                2,
                                7,
                                8,
                                9,
                                15,
                                16,
                                17,
                                31,
                                32,
                                64,
                                96,
                                127,
                                128,
                                129,
                                255,
                                256,
                                257,
                                1024,
                                1025,
                                32767,
                                32768,
                                65536,
                                (INT64_C(1) << 20) - 1,
                                INT64_C(1) << 31,
                                INT64_C(1) << 32,
                                (INT64_C(1) << 32) + 1,
                                (INT64_C(1) << 40) - 16,
                                INT64_C(1) << 40,
                                INT64_C(1) << 57,
                                INT64_MIN};

/* A subject in which about half of the fields are near a bound and the rest come from a witness. */
static void spoil(struct tmap_desc *d, struct tmap_use *u, uint64_t *s)
{
    const int changes = (int)(draw(s) % 6);
    for (int k = 0; k < changes; k++) {
        const int slot = F_KIND + 1 + (int)(draw(s) % (F_VALUE - F_KIND));
        field_write(d, u, slot, edges[draw(s) % (sizeof edges / sizeof edges[0])]);
    }
}

static bool tree_violates(tmap_row row, int index, struct subject *s, bool *ok)
{
    static struct tree_node nodes[NODES];
    struct tree t;
    struct tree_binding binding = {s, {0}};
    tree_init(&t, nodes, NODES, tree_bind_subject, &binding);
    const tnode n = row_tree(&t, row, index);
    bool value = false;
    *ok = tree_is_bool(&t, n, &value);
    return !value;
}

static bool needs_hold(tmap_row row, const struct subject *s)
{
    for (const tmap_row *n = row_table[row].needs; *n != ROW_END; n++)
        if (row_native(*n, s)) return false;
    return true;
}

static void compare(tmap_row row, struct subject *s, uint64_t *compared)
{
    int first;
    const bool spans = row_table[row].span != SPAN_ONCE;
    if (spans && (s->desc->rank < 1 || s->desc->rank > TMAP_MAX_RANK)) return;
    if (!needs_hold(row, s)) return;
    const int n = row_instances(row_table[row].span, s->desc->rank, &first);
    const uint32_t native = row_native(row, s);
    for (int k = 0; k < n; k++) {
        bool ok;
        const bool tree = tree_violates(row, first + k, s, &ok);
        if (!ok) fail_msg("%s does not fold to a constant", row_table[row].id);
        if (tree != ((native >> (first + k)) & 1))
            fail_msg("%s[%d]: tree says %d, native %d", row_table[row].id, first + k, tree, !tree);
        ++*compared;
    }
}

static void agree_on_random_subjects(void **state)
{
    (void)state;
    uint64_t s = 7, compared = 0;
    for (int round = 0; round < 40; round++)
        for (tmap_row base = 0; base < ROW_COUNT; base++) {
            struct tmap_desc d;
            struct tmap_use u;
            struct pipeline_facts p;
            struct derived dv;
            row_witness_make(base, draw(&s) & 1, &d, &u, &p);
            spoil(&d, &u, &s);
            const struct tmap_target target = row_table[base].witness.target;
            derive_use(&target, &d, &u, &dv);
            struct subject subject = {&target, &d, &u, &p, &dv};
            for (tmap_row row = 0; row < ROW_COUNT; row++) compare(row, &subject, &compared);
        }
    assert_true(compared > 300000);
}

/* The legal witness of a row as of a kind and a rank, each field that the row speaks of far below,
 * within and far beyond its bounds. */
static void compare_at(const struct vector_plan *plan, int32_t kind, uint32_t rank,
                       uint64_t *compared)
{
    const int64_t values[] = {row_table[plan->row].witness.illegal, 1, INT32_MIN, INT32_MAX};
    for (int k = 0; k < 4 * plan->own; k++) {
        struct vector v;
        vector_start(plan->row, true, &v);
        vector_fill(&v.desc);
        v.desc.kind = kind;
        v.desc.rank = rank;
        vector_write(&v, plan->slot[k / 4].number, values[k % 4]);
        struct subject s = vector_subject(&v);
        compare(plan->row, &s, compared);
    }
}

static void agree_at_every_place(void **state)
{
    (void)state;
    uint64_t compared = 0;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        if (row_table[row].span == SPAN_ONCE) continue;
        const struct vector_plan plan = vector_plan_of(row);
        for (int32_t kind = TMAP_TILED; kind <= TMAP_IM2COL_WIDE; kind++)
            for (uint32_t rank = 1; rank <= TMAP_MAX_RANK; rank++)
                compare_at(&plan, kind, rank, &compared);
    }
    print_message("# %lu places\n", (unsigned long)compared);
    assert_true(compared > 10000);
}

/* With one field free the rest folds: the printed condition is the rule in the user's own numbers.
 */
static void prints_what_is_left(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        int index, slot;
        const char *text;
    } cases[] = {
        {"TMA014", 0, F_STRIDE, "stride[0] % 16 = 0"},
        {"TMA017", 0, F_STRIDE, "stride[0] < 2^40"},
        {"TMA022", 1, F_DIM + 1, "1 <= dim[1] <= 2^32"},
        {"TMA026", -1, F_BOX, "box[0] * 16 % 128 = 0"},
        {"TMA029", -1, F_BOX, "box[0] * 16 <= 1024"},
        {"TMA007", -1, F_SWIZZLE, "0 <= swizzle <= 6"},
        {"TMA035", -1, F_SWIZZLE, "swizzle in {NONE, 128B, 128B_ATOM_32B, 128B_ATOM_64B}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tmap_desc d;
        struct tmap_use u;
        struct pipeline_facts p;
        struct derived dv;
        static struct tree_node nodes[NODES];
        struct tree t;
        char text[192];
        const tmap_row row = tmap_row_find(cases[i].id);
        row_witness_make(ROW_TMA014, true, &d, &u, &p);
        const struct tmap_target target = tmap_default_target();
        memset(&dv, 0, sizeof dv);
        const struct subject s = {&target, &d, &u, &p, &dv};
        struct tree_binding binding = {&s, {0}};
        tree_binding_free(&binding, cases[i].slot);
        tree_init(&t, nodes, NODES, tree_bind_subject, &binding);
        tree_print(&t, row_must_tree(&t, row, cases[i].index), text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

/* With every field free it is the rule as a formula. */
static void prints_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *id, *when, *must;
    } cases[] = {
        {"TMA014", "always", "stride[i] % 16 = 0"},
        {"TMA054", "dim[i+1] >= 2", "stride[i] % 32 = 0"},
        {"TMA022", "always", "1 <= dim[i] <= 2^32"},
        {"TMA023", "dtype in {16U4_ALIGN16B, 16U6_ALIGN16B}", "dim[0] % 128 = 0"},
        {"TMA029", "interleave = NONE and swizzle != NONE",
         "box[0] * bits(dtype) <= span bytes(swizzle) * 8"},
        {"TMA045", "given(map_address) and cuda >= 13.0", "map_address % 128 = 0"},
        {"TMA091", "always", "not null(lower) and not null(upper)"},
        {"TMA072", "always", "-32768 <= lower[0] <= 32767"},
        {"TMA082", "dtype in {16U4_ALIGN16B, 16U6_ALIGN16B}", "channels = 128"},
        {"TMA119", "op = replace and field = elemtype", "value <= 12 or arch >= sm_100"},
        {"TMA151", NULL, "form <= ptx"},
    };
    char text[1024];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tmap_row row = tmap_row_find(cases[i].id);
        row_print(row, ROW_WHEN, text, sizeof text);
        if (cases[i].when) assert_string_equal(text, cases[i].when);
        row_print(row, ROW_MUST, text, sizeof text);
        assert_string_equal(text, cases[i].must);
    }
    for (tmap_row row = 0; row < ROW_COUNT; row++)
        for (int part = ROW_WHEN; part <= ROW_MUST; part++) {
            assert_in_range(row_print(row, part, text, sizeof text), 1, sizeof text - 1);
            assert_null(strchr(text, '?'));
        }
}

/* nearest: value, direction, expected; on conditions of one variable built by hand */
static void nearest_values(void **state)
{
    (void)state;
    static struct tree_node nodes[64];
    struct tree t;
    int128 x;
    tree_init(&t, nodes, 64, NULL, NULL);
    const tnode v = tree_var(&t, F_DIM), sixteen = tree_const(&t, 16);
    const tnode multiple = tree_divides(&t, sixteen, tree_mul(&t, v, tree_const(&t, 2)));
    const tnode low = tree_le(&t, v, tree_const(&t, 20)), high = tree_le(&t, tree_const(&t, 3), v);
    const tnode all = tree_and(&t, multiple, tree_and(&t, low, high));
    assert_true(tree_nearest(&t, all, F_DIM, 13, 1, 0, 1000, &x) && x == 16);
    assert_true(tree_nearest(&t, all, F_DIM, 13, -1, 0, 1000, &x) && x == 8);
    assert_false(tree_nearest(&t, all, F_DIM, 17, 1, 0, 1000, &x));
    assert_false(tree_nearest(&t, all, F_DIM, 7, -1, 0, 1000, &x));
    const tnode product = tree_le(&t, tree_mul(&t, tree_quot(&t, v, tree_const(&t, 3)), sixteen),
                                  tree_const(&t, 160));
    assert_true(tree_nearest(&t, product, F_DIM, 500, -1, 0, 1000, &x) && x == 32);
    assert_true(tree_nearest(&t, tree_not(&t, product), F_DIM, 0, 1, 0, 1000, &x) && x == 33);
    assert_true(tree_nearest(&t, tree_in(&t, v, 0x50), F_DIM, 5, 1, 0, 1000, &x) && x == 6);
    assert_true(tree_nearest(&t, tree_in(&t, v, 0x50), F_DIM, 5, -1, 0, 1000, &x) && x == 4);
}

/* Running out of nodes is said, and nothing else happens. */
static void a_full_tree_is_bad(void **state)
{
    (void)state;
    struct tree_node nodes[2];
    struct tree t;
    tree_init(&t, nodes, 2, NULL, NULL);
    const tnode a = tree_var(&t, F_DIM), b = tree_var(&t, F_BOX);
    assert_int_equal(tree_add(&t, a, b), TREE_BAD);
    assert_int_equal(tree_not(&t, tree_le(&t, TREE_BAD, a)), TREE_BAD);
    char text[8];
    tree_print(&t, TREE_BAD, text, sizeof text);
    assert_string_equal(text, "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agree_on_random_subjects), cmocka_unit_test(agree_at_every_place),
        cmocka_unit_test(prints_what_is_left),      cmocka_unit_test(prints_formulas),
        cmocka_unit_test(nearest_values),           cmocka_unit_test(a_full_tree_is_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
