/* test_plan_text.c : plans as text, JSON, loops and patches: every word that a plan may need, of
 * plans as solve gives them and of what it does not give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/field.h"
#include "io/plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* A plain map of two dimensions, copied at once. */
static struct tmap_plan plain(void)
{
    struct tmap_plan p = {.desc = {.dtype = TMAP_BFLOAT16,
                                   .rank = 2,
                                   .dim = {4096, 64},
                                   .stride_bytes = {8192},
                                   .box = {64, 64},
                                   .elem_stride = {1, 1}},
                          .copies = 1,
                          .slot_bytes = 8192,
                          .tx_bytes = 8192};
    for (int i = 0; i < 2; i++)
        p.dim[i] = (struct tmap_plan_dim){.div = 1, .round = 1, .copies = 1, .step = 1};
    p.dim[0].coef[0] = p.dim[1].coef[1] = 1;
    return p;
}

static char *text_of(const struct tmap_plan *p, const struct tmap_desc *request)
{
    static char text[4096];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    io_plan_text(out, p, request);
    fclose(out);
    return text;
}

static void has(const char *text, const char *words)
{
    if (!strstr(text, words)) fail_msg("'%s' is not in: %s", words, text);
}

struct step_row {
    struct tmap_plan_step step;
    const char *says;
};

static const struct step_row steps[] = {
    {{TMAP_REWRITE_CHOOSE, -1, FIELD_INTERLEAVE, 7, 0},
     "interleave: a value without meaning -> NONE (yours to confirm)"},
    {{TMAP_REWRITE_IGNORED, -1, FIELD_INTERLEAVE, 1, 0},
     "interleave: 16B -> NONE (no effect on the copy)"},
    {{TMAP_REWRITE_IGNORED, -1, FIELD_INTERLEAVE, 0, 9}, "interleave: NONE -> ? (no effect"},
    {{TMAP_REWRITE_IGNORED, 0, FIELD_ESTRIDE, 9, 1}, "elem_stride[0]"},
    {{TMAP_REWRITE_SWIZZLE, -1, 0, 3, 0}, "swizzle 128B -> NONE: changes the shared-memory layout"},
    {{TMAP_REWRITE_SWIZZLE, -1, 0, 99, 98}, "swizzle ? -> ?: changes"},
    {{TMAP_REWRITE_WIDEN, 0, 0, TMAP_UINT8, TMAP_UINT16}, "copy pairs of UINT8 as UINT16"},
    {{TMAP_REWRITE_BYTES, 0, 0, TMAP_16U4_ALIGN8B, TMAP_UINT8},
     "copy pairs of 16U4_ALIGN8B as UINT8"},
    {{TMAP_REWRITE_BYTES, 0, 0, 99, 98}, "copy pairs of ? as ?"},
    {{TMAP_REWRITE_MERGE, 1, 0, 0, 0}, "1"},
};

static void every_step_has_a_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct tmap_plan p = plain();
        p.step[0] = steps[i].step;
        p.step_count = 1;
        has(text_of(&p, &p.desc), steps[i].says);
        json_t *o = io_plan_json(&p, &p.desc);
        json_t *first = json_array_get(json_object_get(o, "steps"), 0);
        has(json_string_value(json_object_get(first, "text")), steps[i].says);
        assert_int_equal(json_object_get(first, "index") != NULL, steps[i].step.index >= 0);
        json_decref(o);
    }
}

static void a_cost_is_said_in_full(void **state)
{
    struct tmap_plan p = plain();
    (void)state;
    p.cost = (struct tmap_cost){.copied_bytes = 1,
                                .extra_instructions = 1,
                                .extra_maps = 1,
                                .wasted_traffic_bytes = 2,
                                .wasted_shared_bytes = 3,
                                .layout_changes = 1};
    has(text_of(&p, &p.desc),
        ", copies 1 bytes once, 1 more instruction a tile, 1 more descriptor, "
        "2 bytes a tile wasted, 3 bytes of shared memory unused, changes the "
        "shared-memory layout\n");
    p.cost.extra_instructions = p.cost.extra_maps = 2;
    has(text_of(&p, &p.desc), ", 2 more instructions a tile, 2 more descriptors,");
    p.skip = true;
    assert_null(strstr(text_of(&p, &p.desc), "coordinates"));
    json_t *o = io_plan_json(&p, &p.desc);
    assert_null(json_object_get(o, "descriptor"));
    json_decref(o);
}

struct formula_row {
    struct tmap_plan_dim dim; /* of dimension 1 */
    const char *says;
};

static const struct formula_row formulas[] = {
    {{{0}, 0, 1, 0, 1, 0, 1, 1, 0}, "coordinates c0, 0;"},
    {{{0, 3}, 0, 1, 0, 1, 0, 1, 1, 0}, "coordinates c0, 3*c1;"},
    {{{2, 1}, 0, 4, 0, 1, 0, 1, 1, 0}, "coordinates c0, (2*c0 + c1) / 4;"},
    {{{2, 1}, 0, 1, 6, 1, 0, 1, 1, 0}, "coordinates c0, (2*c0 + c1) % 6;"},
    {{{2, 1}, 0, 1, 0, 1, 0, 1, 1, 0}, "coordinates c0, 2*c0 + c1;"},
    {{{0, 1}, 0, 4, 6, 8, 0, 1, 1, 0}, "coordinates c0, c1 / 4 % 6 rounded down to 8;"},
    {{{0, 1}, 0, 1, 0, 1, 0, 3, 64, 0}, "coordinates c0, c1 + 64*k, k = 0..2;"},
};

static void coordinates_are_formulas(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        struct tmap_plan p = plain();
        p.dim[1] = formulas[i].dim;
        has(text_of(&p, &p.desc), formulas[i].says);
    }
}

/* Copies whose last boxes are smaller, of two dimensions: their maps are an array. */
static void last_boxes_have_maps_of_their_own(void **state)
{
    struct tmap_plan p = plain();
    char loop[1024];
    (void)state;
    p.dim[0].copies = 3, p.dim[0].step = 64, p.dim[0].tail = 8;
    p.dim[1].copies = 2, p.dim[1].step = 64, p.dim[1].tail = 16;
    p.dim[0].shift = 4;
    p.copies = 6;
    p.cost.extra_maps = 3;
    p.allocation_bytes = 99;
    json_t *o = io_plan_json(&p, &p.desc), *last = json_object_get(o, "last_box");
    assert_int_equal(json_integer_value(json_array_get(last, 0)), 8);
    assert_int_equal(json_integer_value(json_array_get(last, 1)), 16);
    assert_int_equal(json_integer_value(json_object_get(o, "tile_starts_at")), 4);
    json_decref(o);
    has(text_of(&p, &p.desc), "; the last box of dimension 1 is 16 in 6 copies, 8192 bytes apart; "
                              "allocate 99 bytes\n");
    const size_t length = io_plan_loop(&p, &p.desc, false, 2, loop, sizeof loop);
    assert_int_equal(length, strlen(loop));
    has(loop, "map[(k0 == 2) + 2*(k1 == 1)]");
    has(loop, "smem + 8192*k0 + 24576*k1");
    p.dim[1].tail = 0, p.cost.extra_maps = 1;
    io_plan_loop(&p, &p.desc, false, 1, loop, sizeof loop);
    has(loop, "map[k0 == 2]");
    char cut[8] = "";
    assert_true(io_plan_loop(&p, &p.desc, true, 1, cut, sizeof cut) > sizeof cut);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_int_equal(io_plan_loop(&p, &p.desc, true, 1, NULL, 0),
                     io_plan_loop(&p, &p.desc, true, 1, loop, sizeof loop));
}

static void pixels_go_on_over_the_ends_of_rows(void **state)
{
    struct tmap_plan p = plain();
    (void)state;
    p.desc = (struct tmap_desc){.kind = TMAP_IM2COL,
                                .dtype = TMAP_BFLOAT16,
                                .rank = 3,
                                .dim = {64, 16, 4},
                                .stride_bytes = {128, 2048},
                                .elem_stride = {1, 1, 1},
                                .channels = 64,
                                .pixels = 32};
    p.dim[2] = p.dim[1];
    p.dim[1].copies = 2, p.dim[1].step = 32, p.dim[1].tail = 8;
    p.copies = 2;
    p.cost.extra_maps = 1;
    has(text_of(&p, &p.desc), "c1 + 32*k pixels of the walk, k = 0..1");
    json_t *o = io_plan_json(&p, &p.desc), *last = json_object_get(o, "last_box");
    assert_int_equal(json_array_size(last), 2);
    assert_int_equal(json_integer_value(json_array_get(last, 1)), 8);
    json_decref(o);
}

/* What the plan changes is replaced; what the record left out is added. */
static void a_patch_names_what_changes(void **state)
{
    static const char text[] = "{\"dtype\":\"bf16\",\"dim\":[4096,64],\"stride\":[8200],"
                               "\"box\":[64,64]}";
    const struct tmap_plan p = plain();
    struct io_stream stream;
    struct io_record record;
    char error[IO_ERROR_SIZE];
    (void)state;
    assert_true(io_stream_from(&stream, "in", text, sizeof text - 1, error));
    assert_true(io_record_next(&stream, 0, &record) && !record.error[0]);
    struct tmap_plan swizzled = p;
    swizzled.desc.swizzle = TMAP_SWIZZLE_128B;
    json_t *list = io_plan_patch(&swizzled, &record, "/0");
    char *said = json_dumps(list, JSON_COMPACT);
    assert_string_equal(said, "[{\"op\":\"replace\",\"path\":\"/0/stride\",\"value\":[8192]},"
                              "{\"op\":\"add\",\"path\":\"/0/swizzle\",\"value\":\"128B\"}]");
    free(said);
    json_decref(list);
    io_record_free(&record);
    io_stream_close(&stream);
}

/* A fold whose second coordinate follows from none, in rows longer than the tensor's. */
static void a_fold_is_said_in_full(void **state)
{
    static char text[2048];
    const struct io_tensor t = {.tensor = {.rank = 2}};
    const struct tmap_fold fold = {
        .desc = {.rank = 2}, .coef = {{1, 2}}, .maps = 1, .moved = true, .longer_rows = true};
    (void)state;
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    io_fold_text(out, &t, &fold);
    fclose(out);
    has(text, "coordinates: c0 = x0 + 2*x1, c1 = 0, of");
    has(text, "the tile is transposed");
    has(text, "the tile lies in rows of c0");
    json_t *o = io_fold_json(&t, &fold);
    assert_string_equal(json_string_value(json_array_get(json_object_get(o, "coordinates"), 1)),
                        "0");
    json_decref(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_has_a_sentence),
        cmocka_unit_test(a_cost_is_said_in_full),
        cmocka_unit_test(coordinates_are_formulas),
        cmocka_unit_test(last_boxes_have_maps_of_their_own),
        cmocka_unit_test(pixels_go_on_over_the_ends_of_rows),
        cmocka_unit_test(a_patch_names_what_changes),
        cmocka_unit_test(a_fold_is_said_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
