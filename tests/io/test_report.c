/* test_report.c : results as every format writes them, where a record has what few have: escaped
 * keys, no text, a GPU of its own, an answer that differs by GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/dump.h"
#include "io/ptx/ptx.h"
#include "io/report/judge.h"
#include "io/report/report.h"
#include "io/report/write_html.h"

#include <stdio.h>
#include <string.h>

enum { OUT_BYTES = 1 << 20 };
static char printed[OUT_BYTES];

/* One way to say one input. */
struct row {
    const char *text;
    enum io_format format;
    unsigned flags;
    tmap_arch arch;           /* 0: the default one */
    bool unread;              /* the result is of a text that is not there any more */
    const char *says, *never; /* never: NULL for nothing */
};

static struct tmap_checker checker_for(tmap_arch arch)
{
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    if (arch) target.arch = arch;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    return checker;
}

static void add_results(struct io_run *run, const struct io_writer *writer, const struct row *row,
                        const struct tmap_checker *checker)
{
    struct io_stream stream;
    struct io_record record;
    enum io_dump from;
    char error[IO_ERROR_SIZE];
    assert_true(io_stream_from(&stream, "caf\xc3\xa9.json", row->text, strlen(row->text), error));
    const bool dump = io_dump_guess(&stream, &from);
    while (dump ? io_dump_next(&stream, from, &record) : io_record_next(&stream, 0, &record)) {
        struct io_result result;
        if (record.error[0]) fail_msg("%s: %s", row->text, record.error);
        assert_int_equal(
            io_judge(checker, &record, row->unread ? NULL : &stream, row->flags, &result), TMAP_OK);
        io_count(run, &result);
        writer->result(run, &result);
        io_result_free(&result);
        io_record_free(&record);
    }
    io_stream_close(&stream);
}

static void print(const struct row *row)
{
    const struct io_writer *writer = io_writer_of(row->format);
    const struct tmap_checker checker = checker_for(row->arch);
    memset(printed, 0, sizeof printed);
    struct io_run run = {.out = fmemopen(printed, sizeof printed, "w"),
                         .command = "check",
                         .things = "descriptor",
                         .target = checker.target,
                         .all_arches = row->flags & IO_ALL_ARCHES};
    assert_non_null(run.out);
    assert_true(writer->begin(&run));
    add_results(&run, writer, row, &checker);
    writer->end(&run);
    fclose(run.out);
}

#define HEAD "{\"dtype\":\"bf16\",\"address\":\"0x7f0000000000\",\"dim\":[4096,64],"
#define BAD HEAD "\"stride\":[8200],\"box\":[64,64]"
#define GOOD HEAD "\"stride\":[8192],\"box\":[64,64]"
#define PACKED                                                                                     \
    "{\"dtype\":\"16U6_ALIGN16B\",\"address\":\"0x7f0000000000\",\"dim\":[128,64],\"stride\":[96]" \
    ","
#define CUTLASS                                                                                    \
    "TMA Desc Addr: 0x80\nformat 9\ndim 2\ngmem_address 0\nswizzle 3\nglobalDim (4096,64)\n"       \
    "globalStrides (2,8200)\nboxDim (64,64)\nelementStrides (1,1)\ninterleave 0\nl2Promotion 2\n"  \
    "oobFill 0\n"
#define SLOW                                                                                       \
    "{\"dtype\":\"bf16\",\"address\":\"0x7f0000000010\",\"dim\":[4092,4096],\"stride\":[8192],"    \
    "\"box\":[64,16],\"swizzle\":\"128B\",\"elem_stride\":[2,1],"
#define B200 TMAP_ARCH(100, 1)

static const struct row rows[] = {
    /* the same key, escaped: the text does not show it */
    {"{\"dtype\":\"bf16\",\"address\":0,\"\\u0064im\":[4096,64],\"stride\":[8192],\"box\":[64,300]"
     "}",
     IO_TEXT, IO_FIX, 0, false, "TMA025", NULL},
    {"{\"dtype\":\"bf16\",\"address\":0,\"dim\":[4096,64],\"\\u0073tride\":[8200],\"box\":[64,64]}",
     IO_TEXT, IO_FIX, 0, false, "TMA014", "^^^^"},
    {GOOD ",\"\\u0075ses\":[{\"op\":\"load\",\"coord\":[0,0],\"smem\":8}]}", IO_TEXT, 0, 0, false,
     "use 0", "^"},
    /* without its text */
    {BAD "}", IO_TEXT, IO_FIX, 0, true, "error[TMA014]", "^^^^"},
    {BAD "}", IO_TEXT, IO_FIX, 0, false, "^^^^", NULL},
    {BAD "}", IO_SARIF, IO_FIX, 0, true, "\"ruleId\":\"TMA014\"", "\"fixes\""},
    {BAD "}", IO_SARIF, IO_FIX, 0, false, "\"fixes\"", NULL},
    {CUTLASS, IO_SARIF, IO_FIX, 0, false, "\"ruleId\":\"TMA014\"", "\"fixes\""},
    {BAD "}", IO_SARIF, 0, 0, false, "caf%C3%A9.json", NULL},
    /* two expectations that are not met */
    {GOOD ",\"expect\":\"illegal\"}\n" GOOD ",\"expect\":\"illegal\"}", IO_SARIF, 0, 0, false,
     "\"id\":\"expectation\"", NULL},
    {BAD ",\"expect_rules\":[\"TMA014\",\"TMA014\",\"TMA014\"]}", IO_TEXT, 0, 0, false,
     "as expected", "expected rules"},
    /* what differs by GPU */
    {PACKED "\"box\":[128,64]}", IO_JUNIT, IO_ALL_ARCHES, B200, false, "<failure", NULL},
    {PACKED "\"box\":[128,64]}", IO_TEXT, IO_ALL_ARCHES, B200, false, "TMA013", NULL},
    {PACKED "\"box\":[64,64]}", IO_TEXT, IO_ALL_ARCHES, 0, false, "TMA013", NULL},
    {BAD "}", IO_TEXT, IO_ALL_ARCHES, 0, false, "TMA014", NULL},
    /* what is slow in several ways, and twice; a use before one that is illegal */
    {SLOW "\"uses\":[{\"op\":\"store\",\"coord\":[0,0],\"smem\":\"0x480\"},{\"op\":\"store\","
          "\"coord\":[0,0],\"smem\":\"0x480\"}]}",
     IO_JSONL, IO_ADVISE, 0, false, "\"advised\":[\"TMA047\",\"TMA050\",\"TMA143\",\"TMA157\"]",
     NULL},
    {SLOW "\"uses\":[\n{\"op\":\"store\",\"coord\":[0,0],\"smem\":\"0x480\"},\n{\"op\":\"store\","
          "\"coord\":[0,0],\"smem\":8}]}",
     IO_TEXT, IO_ADVISE, 0, false, ".json:2:", NULL},
};

static void results_as_they_are_printed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        print(&rows[i]);
        if (!strstr(printed, rows[i].says)) fail_msg("%zu: no '%s': %s", i, rows[i].says, printed);
        if (rows[i].never && strstr(printed, rows[i].never))
            fail_msg("%zu: '%s': %s", i, rows[i].never, printed);
    }
}

static void one_pair_is_one(void **state)
{
    const struct tmap_checker checker = checker_for(0);
    static const char *const says[] = {"1 illegal pair of", "2 illegal pairs of"};
    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        memset(printed, 0, sizeof printed);
        struct io_run run = {.out = fmemopen(printed, sizeof printed, "w"),
                             .things = "descriptor",
                             .target = checker.target,
                             .all_arches = true,
                             .illegal_pairs = n};
        io_writer_of(IO_TEXT)->end(&run);
        fclose(run.out);
        if (!strstr(printed, says[n - 1])) fail_msg("%s", printed);
    }
}

/* What was expected of the target is not asked of every architecture. */
static void expectations_are_of_the_target(void **state)
{
    static const char text[] = BAD ",\"expect\":\"illegal\"}";
    const struct tmap_checker checker = checker_for(0);
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct io_stream stream;
        struct io_record record;
        struct io_result result;
        char error[IO_ERROR_SIZE];
        assert_true(io_stream_from(&stream, "in", text, sizeof text - 1, error));
        assert_true(io_record_next(&stream, 0, &record));
        assert_int_equal(io_judge(&checker, &record, &stream, all ? IO_ALL_ARCHES : 0, &result),
                         TMAP_OK);
        assert_int_equal(io_is_as_expected(&result), !all);
        io_result_free(&result);
        io_record_free(&record);
        io_stream_close(&stream);
    }
}

/* An instruction on the text's first line has its column. */
static void a_place_on_the_first_line(void **state)
{
    static const char text[] = "  prefetch.tensormap [%rd1]; cp.async.bulk.commit_group;";
    const struct tmap_checker checker = checker_for(0);
    struct io_ptx_instruction in[2];
    struct io_ptx_module module;
    struct io_stream stream;
    char error[IO_ERROR_SIZE];
    size_t found;
    (void)state;
    assert_true(io_stream_from(&stream, "in", text, sizeof text - 1, error));
    assert_int_equal(io_ptx_read(stream.text, stream.size, &module, in, 2, &found), TMAP_OK);
    assert_int_equal(found, 2);
    for (size_t i = 0; i < 2; i++) {
        struct io_record record;
        struct io_result result;
        assert_int_equal(io_judge_ptx(&checker, &stream, &in[i], 0, &record, &result), TMAP_OK);
        assert_int_equal(record.column, i ? 30 : 3);
        io_result_free(&result);
    }
    io_stream_close(&stream);
}

/* --- the page -----------------------------------------------------------------------------------
 */

static void add_to_page(struct io_page *page, const char *text, tmap_arch arch)
{
    const struct tmap_checker checker = checker_for(arch);
    struct io_stream stream;
    struct io_record record;
    struct io_result result;
    char error[IO_ERROR_SIZE];
    assert_true(io_stream_from(&stream, "in", text, strlen(text), error));
    assert_true(io_record_next(&stream, 0, &record));
    if (record.error[0]) fail_msg("%s: %s", text, record.error);
    assert_int_equal(io_judge(&checker, &record, NULL, 0, &result), TMAP_OK);
    assert_true(io_page_add(page, &checker, &result, NULL));
    io_result_free(&result);
    io_record_free(&record);
    io_stream_close(&stream);
}

static void a_page_of_many_layouts(void **state)
{
    struct io_page *page = io_page_open();
    const struct tmap_checker checker = checker_for(0);
    char text[200];
    (void)state;
    assert_non_null(page);
    for (int rows_of_box = 1; rows_of_box <= 30; rows_of_box++) {
        snprintf(text, sizeof text, HEAD "\"stride\":[8192],\"box\":[64,%d]}", rows_of_box);
        add_to_page(page, text, 0);
    }
    add_to_page(page, GOOD ",\"expect\":\"illegal\"}", 0);
    add_to_page(page, BAD "}", 0);
    add_to_page(page, GOOD "}", TMAP_ARCH(75, 0));
    memset(printed, 0, sizeof printed);
    const struct io_run run = {.out = fmemopen(printed, sizeof printed, "w"),
                               .command = "report",
                               .target = checker.target};
    assert_true(io_page_close(page, &run));
    fclose(run.out);
    assert_non_null(strstr(printed, "31 layouts, of which the first are drawn"));
    assert_non_null(strstr(printed, "expected illegal, and it is legal"));
    assert_non_null(strstr(printed, "<b>TMA014</b>"));
    assert_non_null(strstr(printed, "no source covers this target"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_as_they_are_printed),
        cmocka_unit_test(one_pair_is_one),
        cmocka_unit_test(expectations_are_of_the_target),
        cmocka_unit_test(a_place_on_the_first_line),
        cmocka_unit_test(a_page_of_many_layouts),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
