/* test_words.c : the words of reports one by one: characters from outside, names of what there is
 * none of, values, places, pictures and drawings where there is little to draw. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/field.h"
#include "io/picture/picture.h"
#include "io/ptx/ptx.h"
#include "io/report/draw.h"
#include "io/report/judge.h"
#include "io/report/outside.h"
#include "io/report/rule.h"
#include "io/report/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct character {
    const char *bytes;
    size_t taken;
    uint32_t code;
    bool harmless;
};

/* What is no UTF-8 is one byte of its own: a form longer than need be, half a pair, beyond the
 * last. */
static const struct character characters[] = {
    {"a", 1, 'a', true},
    {"\x1b", 1, 0x1b, false},
    {"\xc3\xa9", 2, 0xe9, true},
    {"\xc3", 1, 0xc3, false},
    {"\xc3(", 1, 0xc3, false},
    {"\x80", 1, 0x80, false},
    {"\xc0\x80", 1, 0xc0, false},
    {"\xe0\x80\x80", 1, 0xe0, false},
    {"\xe2\x80\xae", 3, 0x202e, false},
    {"\xed\xa0\x80", 1, 0xed, false},
    {"\xef\xbf\xb9", 3, 0xfff9, false},
    {"\xef\xbf\xbf", 3, 0xffff, true},
    {"\xf0\x80\x80\x80", 1, 0xf0, false},
    {"\xf0\x9f\x98\x80", 4, 0x1f600, true},
    {"\xf4\x90\x80\x80", 1, 0xf4, false},
    {"\xf5\x80\x80\x80", 1, 0xf5, false},
};

static void characters_from_outside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        const struct character *c = &characters[i];
        uint32_t code;
        bool harmless;
        const size_t n = io_next_char(c->bytes, strlen(c->bytes), &code, &harmless);
        if (n != c->taken || code != c->code || harmless != c->harmless)
            fail_msg("character %zu: %zu bytes, U+%04x, harmless %d", i, n, (unsigned)code,
                     harmless);
    }
}

static void columns_keep_their_number(void **state)
{
    char text[32] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    (void)state;
    io_put_columns(out,
                   "a\tb\x1b"
                   "c",
                   5);
    fclose(out);
    assert_string_equal(text, "a b?c");
}

static void names_of_what_there_is_none_of(void **state)
{
    const struct tmap_target target = {.cuda = 1300, .ptx = 90, .driver = 580, .arch = 7};
    char text[200];
    (void)state;
    assert_string_equal(io_contract_name((enum tmap_contract)99), "?");
    assert_string_equal(io_target_text(&target, text, sizeof text),
                        "CUDA 13.0, PTX 9.0, driver 580, unknown architecture");
    assert_null(io_writer_of((enum io_format)99));
    assert_null(io_format_name((enum io_format)99));
    assert_null(io_flag_name(15));
    assert_string_equal(io_flag_name(BIT_HAS_MAP_ADDRESS), "map_address");
    assert_string_equal(io_flag_name(BIT_HAS_ALLOCATION), "allocation");
    assert_string_equal(io_flag_name(BIT_NULL_DIM), "dim");
    for (tmap_row row = SUBJECT_PIPELINE_FIRST; row < SUBJECT_PIPELINE_END; row++)
        assert_null(io_example_json(row, true));
}

static void values_as_people_say_them(void **state)
{
    static const struct {
        int slot;
        struct tmap_number number;
        const char *says, *input;
    } rows[] = {
        {F_SWIZZLE, {true, false, 3}, "128B", "\"128B\""},
        {F_SWIZZLE, {true, false, 99}, "99", "\"99\""},
        {F_SWIZZLE, {true, true, 3}, "-3", "\"-3\""},
        {F_ADDRESS, {true, false, 0x10000}, "0x10000", "\"0x10000\""},
        {F_ADDRESS, {true, false, 16}, "16", "16"},
        {F_DIM, {true, false, UINT64_MAX}, "18446744073709551615", "\"18446744073709551615\""},
        {-1, {true, false, 7}, "7", "7"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[40];
        assert_string_equal(io_value_text(rows[i].slot, rows[i].number, text), rows[i].says);
        assert_string_equal(io_input_text(rows[i].slot, rows[i].number, text), rows[i].input);
    }
}

static void a_descriptor_that_does_not_fit_is_no_text(void **state)
{
    const struct tmap_desc d = {.rank = 1};
    char text[300], small[20];
    (void)state;
    io_desc_text(&d, text, sizeof text);
    assert_true(strlen(text) > sizeof small);
    memset(small, 'x', sizeof small);
    io_desc_text(&d, small, sizeof small);
    assert_string_equal(small, "");
    io_desc_text(&d, NULL, 0);
}

/* Each finding of a record stands at the value that it blames, or at what is there of it. */
static void expect_place(const char *text, const char *path, const char *value)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct io_stream stream;
    struct io_record record;
    struct io_result result;
    char error[IO_ERROR_SIZE];
    bool found = false;
    struct tmap_target later = target;
    later.arch = TMAP_ARCH(100, 1);
    assert_int_equal(tmap_checker_prepare(&later, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    assert_true(io_stream_from(&stream, "in", text, strlen(text), error));
    assert_true(io_record_next(&stream, 0, &record));
    if (record.error[0]) fail_msg("%s: %s", text, record.error);
    assert_int_equal(io_judge(&checker, &record, &stream, 0, &result), TMAP_OK);
    for (size_t i = 0; i < result.finding_count; i++) {
        const struct io_finding *f = &result.finding[i];
        found = found || (strcmp(f->path, path) == 0 && f->length == strlen(value) &&
                          memcmp(stream.text + f->offset, value, f->length) == 0);
    }
    for (size_t i = 0; i < result.finding_count && !found; i++)
        print_message("%s: '%.*s'\n", result.finding[i].path, (int)result.finding[i].length,
                      stream.text + result.finding[i].offset);
    assert_true(found);
    io_result_free(&result);
    io_record_free(&record);
    io_stream_close(&stream);
}

static void findings_stand_at_what_they_blame(void **state)
{
    (void)state;
    expect_place("{\"kind\":\"im2col_wide\",\"dtype\":\"bf16\",\"address\":\"0x7f0000000000\","
                 "\"dim\":[64,16,4],\"stride\":[128,2048],\"lower\":99999,\"upper\":0,"
                 "\"channels\":64,\"pixels\":32,\"mode\":\"W\"}",
                 "$.lower", "99999");
    expect_place(
        "{\"dtype\":\"bf16\",\"address\":\"0x7f0000000000\",\"dim\":[64,8],\"stride\":[128],"
        "\"box\":null}",
        "$.box", "null");
    expect_place(
        "{\"dtype\":\"bf16\",\"address\":\"0x7f0000000000\",\"dim\":[64,8],\"stride\":[128],"
        "\"box\":[64,8],\"uses\":[{\"op\":\"load\",\"coord\":[0,0]},{\"op\":\"load\","
        "\"coord\":[0,0],\"smem\":8}]}",
        "$.uses[1].smem", "8");
}

/* Of every instruction on every target a result has a finding, a reason for unknown, or nothing. */
static void judge_all(const struct tmap_checker *checker, const struct io_stream *stream,
                      const struct io_ptx_instruction *list, size_t count, unsigned flags,
                      size_t seen[4])
{
    for (size_t i = 0; i < count; i++) {
        const struct io_ptx_answer answer = io_ptx_check(&list[i], &checker->target);
        const bool told = answer.verdict == TMAP_ILLEGAL || (answer.is_call && flags);
        struct io_record record;
        struct io_result result;
        assert_int_equal(io_judge_ptx(checker, stream, &list[i], flags, &record, &result), TMAP_OK);
        assert_int_equal(result.verdict, answer.verdict);
        assert_int_equal(result.finding_count, told);
        assert_int_equal(result.unknown[0] != 0, answer.verdict == TMAP_UNKNOWN);
        if (told) assert_true(result.finding[0].detail.message[0] != 0);
        if (told && answer.min_ptx) assert_non_null(strstr(result.finding[0].detail.needs, "PTX"));
        seen[answer.verdict]++;
        seen[3] += answer.is_call;
        io_result_free(&result);
    }
}

static void every_instruction_on_every_target(void **state)
{
    enum { MOST = 800 };
    static const uint32_t versions[] = {78, 80, 86, 90, 12};
    struct io_ptx_instruction *list = calloc(MOST, sizeof *list);
    struct io_ptx_module module;
    struct io_stream stream;
    char error[IO_ERROR_SIZE];
    size_t found, seen[4] = {0};
    (void)state;
    assert_non_null(list);
    assert_true(io_stream_open(&stream, "tests/io/ptx/every_form.ptx", error));
    assert_int_equal(io_ptx_read(stream.text, stream.size, &module, list, MOST, &found), TMAP_OK);
    assert_true(found > 100 && found <= MOST);
    for (size_t a = 0; a == 0 || tmap_arch_at(a - 1); a++)
        for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
            struct tmap_target target = tmap_default_target();
            struct tmap_checker checker;
            target.arch = tmap_arch_at(a) ? tmap_arch_at(a) : TMAP_ARCH(7, 0);
            target.ptx = versions[v];
            assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
            for (unsigned flags = 0; flags <= IO_ADVISE; flags += IO_ADVISE)
                judge_all(&checker, &stream, list, found, flags, seen);
        }
    print_message("# %zu legal, %zu illegal, %zu unknown, %zu calls\n", seen[0], seen[1], seen[2],
                  seen[3]);
    for (int i = 0; i < 4; i++) assert_true(seen[i] > 0);
    io_stream_close(&stream);
    free(list);
}

static void a_picture_shows_what_is_not_written(void **state)
{
    const struct tmap_target target = tmap_default_target();
    const struct tmap_desc d = {.dtype = TMAP_BFLOAT16,
                                .rank = 2,
                                .address = 0x7f0000000000,
                                .dim = {64, 64},
                                .stride_bytes = {128},
                                .box = {16, 4},
                                .elem_stride = {1, 1},
                                .swizzle = TMAP_SWIZZLE_128B};
    struct tmap_checker checker;
    struct picture p;
    static char text[1 << 16];
    (void)state;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    assert_int_equal(picture_make(&checker, &d, NULL, &p), TMAP_OK);
    struct tmap_desc one = d;
    one.box[1] = 1; /* a row has no other to collide with */
    assert_int_equal(picture_make(&checker, &one, NULL, &p), TMAP_OK);
    memset(text, 0, sizeof text);
    FILE *alone = fmemopen(text, sizeof text, "w");
    picture_text(alone, &p, false);
    fclose(alone);
    assert_null(strstr(text, "Which banks"));
    assert_int_equal(picture_make(&checker, &d, NULL, &p), TMAP_OK);
    for (int colour = 0; colour < 2; colour++) {
        memset(text, 0, sizeof text);
        FILE *out = fmemopen(text, sizeof text, "w");
        picture_text(out, &p, colour);
        picture_svg(out, &p);
        fclose(out);
        assert_non_null(strstr(text, "   .   "));
        assert_int_equal(strstr(text, "\033[30;48;5;") != NULL, colour);
        assert_non_null(strstr(text, "box"));
    }
}

static void a_formula_of_each_swizzle(void **state)
{
    static const struct {
        int32_t swizzle;
        const char *says;
    } rows[] = {{TMAP_SWIZZLE_NONE, "offset"},
                {TMAP_SWIZZLE_128B, "offset ^ (offset / 128 % 8) * 16"},
                {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, " ^ (offset / 128 % 2) * 8"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct picture p = {.desc = {.swizzle = rows[i].swizzle}};
        char text[100];
        picture_swizzle(&p, text, sizeof text);
        if (!strstr(text, rows[i].says)) fail_msg("%s, not %s", text, rows[i].says);
    }
}

/* Where rates are not known a ring is drawn without them, and nothing is divided by them. */
static void drawings_of_little(void **state)
{
    const struct tmap_config_answer none = {.verdict = TMAP_LEGAL};
    const struct io_ring rings[] = {
        {.stages = 0},
        {.stages = 2, .stage_bytes = 16},
        {.stages = 40, .stage_bytes = 16, .stage_flops = 1, .rates = {.flops = 1, .sms = 1}},
        {.stages = 2, .stage_bytes = 16, .stage_flops = 100, .rates = {1, 1, 1, 1}},
        {.stages = 1, .stage_bytes = 16, .stage_flops = 1, .rates = {1, 1, 1, 1}}};
    const struct io_roof_point points[] = {{.intensity = 0, .flops = 1, .label = "a"},
                                           {.intensity = 1, .flops = 0, .label = "b"},
                                           {.intensity = 1, .flops = 1, .label = "c"}};
    const struct io_rates rates[] = {
        {0, 0, 0, 0}, {1e9, 0, 1e6, 1}, {0, 1e6, 1e6, 1}, {1e9, 1e6, 1e6, 1}};
    static char text[1 << 18];
    (void)state;
    assert_true(io_rates_of(&none, 1).flops == 0);
    FILE *out = fmemopen(text, sizeof text, "w");
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) io_draw_ring(out, &rings[i]);
    for (size_t i = 0; i < 4; i++) io_draw_roof(out, &rates[i], points, 3);
    fclose(out);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_null(strstr(text, "<title>a:"));
    assert_null(strstr(text, "<title>b:"));
    assert_non_null(strstr(text, "<title>c:"));
}

/* As many names as there are, and no byte beyond the room for them. */
static void lists_of_names(void **state)
{
    static const char *const names[] = {"bf16", "f16", "f32"};
    static const char *const lists[] = {"bf16", "bf16 or f16", "bf16, f16 or f32"};
    (void)state;
    for (size_t n = 1; n <= 3; n++)
        for (size_t size = 0; size < 24; size++) {
            char out[25], want[25];
            size_t used = 0;
            memset(out, '#', sizeof out);
            memset(want, '#', sizeof want);
            for (size_t i = 0; i < n; i++) used = io_list(out, size, used, i, n, names[i]);
            assert_int_equal(used, strlen(lists[n - 1]));
            snprintf(want, size, "%s", lists[n - 1]);
            assert_int_equal(out[size], '#');
            if (size) assert_string_equal(out, want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_from_outside),
        cmocka_unit_test(columns_keep_their_number),
        cmocka_unit_test(names_of_what_there_is_none_of),
        cmocka_unit_test(values_as_people_say_them),
        cmocka_unit_test(a_descriptor_that_does_not_fit_is_no_text),
        cmocka_unit_test(findings_stand_at_what_they_blame),
        cmocka_unit_test(every_instruction_on_every_target),
        cmocka_unit_test(a_picture_shows_what_is_not_written),
        cmocka_unit_test(a_formula_of_each_swizzle),
        cmocka_unit_test(drawings_of_little),
        cmocka_unit_test(lists_of_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
