/* test_page.c : the page of `tmap report` from within: rings, products, and what is none of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/report/draw.h"
#include "io/report/page_plans.h"
#include "io/report/write_html.h"

#include <string.h>

#define LOAD(rank, dim, stride, box)                                                               \
    "{\"dtype\":\"bf16\",\"rank\":" #rank ",\"dim\":" dim ",\"stride\":" stride ",\"box\":" box "}"
#define A LOAD(2, "[4096,64]", "[8192]", "[64,64]")
#define PRODUCT "{\"op\":\"gemm\",\"dtype\":\"bf16\",\"M\":512,\"N\":512,\"K\":512,"
#define CONFIG(m)                                                                                  \
    "{\"BLOCK_M\":" #m ",\"BLOCK_N\":128,\"BLOCK_K\":64,\"num_stages\":2,\"num_warps\":8}"

struct row {
    const char *text, *error, *says, *not ; /* error: NULL for what is read */
    enum tmap_verdict verdict;
};

static const struct row rows[] = {
    {"{\"name\":\"pair\",\"stages\":2,\"loads\":[" A "," A "]}", NULL, "and its use takes",
     "broken", TMAP_LEGAL},
    {"{\"stages\":2,\"loads\":[" A "]}", NULL, "fills a stage in", "its use takes", TMAP_LEGAL},
    {"{\"stages\":2,\"loads\":[" A "," LOAD(1, "[64]", "[]", "[64]") "]}", NULL, "hides",
     "its use takes", TMAP_LEGAL},
    {"{\"stages\":2,\"loads\":[" LOAD(1, "[64]", "[]", "[64]") "," A "]}", NULL, "hides",
     "its use takes", TMAP_LEGAL},
    {"{\"stages\":2,\"loads\":[" A "," LOAD(2, "[4096,64]", "[8192]", "[32,64]") "]}", NULL,
     "hides", "its use takes", TMAP_LEGAL},
    {"{\"stages\":2,\"loads\":[" A ",{\"dtype\":\"fp16\",\"dim\":[4096,64],\"stride\":[8192],"
     "\"box\":[64,64]}]}",
     NULL, "hides", "its use takes", TMAP_LEGAL},
    {"{\"stages\":900,\"loads\":[" A "]}", NULL, "TMA181", NULL, TMAP_ILLEGAL},
    {"{\"stages\":0,\"loads\":[" A "]}", NULL, "aria-label", "broken", TMAP_LEGAL},
    {"{\"stages\":0,\"loads\":[" LOAD(2, "[4096,4096]", "[8192]", "[256,256]") "," LOAD(
         2, "[4096,4096]", "[8192]", "[256,256]") "]}",
     NULL, "at most 0 stages", NULL, TMAP_ILLEGAL},
    {"{\"stages\":2,\"loads\":[" LOAD(2, "[4096,64]", "[8200]", "[64,64]") "]}",
     "a load has no layout", NULL, NULL, TMAP_UNKNOWN},
    {"{\"stages\":2,\"loads\":[]}", "", NULL, NULL, TMAP_UNKNOWN},
    {"{\"loads\":7}", "", NULL, NULL, TMAP_UNKNOWN},
    {PRODUCT "\"configs\":[" CONFIG(128) "," CONFIG(64) "]}", NULL,
     "of 2 configurations looked at 2 can exist; the model's first is", NULL, TMAP_LEGAL},
    {PRODUCT "\"configs\":[" CONFIG(4096) "]}", NULL, "of 1 configurations looked at 0 can exist.",
     "roofline", TMAP_ILLEGAL},
    {PRODUCT "\"configs\":7}", "", NULL, NULL, TMAP_UNKNOWN},
    {"{\"configs\":[]}", "", NULL, NULL, TMAP_UNKNOWN},
    {"{\"space\":{}}", "", NULL, NULL, TMAP_UNKNOWN},
};

static void expect_row(const struct tmap_checker *checker, const struct row *row)
{
    static char text[1 << 20];
    struct io_stream stream;
    struct io_record record;
    enum tmap_verdict verdict = TMAP_UNKNOWN;
    char error[IO_ERROR_SIZE];
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    assert_true(io_stream_from(&stream, "in", row->text, strlen(row->text), error));
    assert_true(io_json_next(&stream, &record));
    assert_true(io_is_plan(record.json));
    const bool read = io_plan_article(out, checker, &record, &verdict);
    fclose(out);
    if (read != !row->error) fail_msg("%s: %s", row->text, record.error);
    if (row->error && (!record.error[0] || !strstr(record.error, row->error)))
        fail_msg("%s: '%s'", row->text, record.error);
    if (verdict != row->verdict) fail_msg("%s: verdict %d", row->text, verdict);
    if (row->says && !strstr(text, row->says))
        fail_msg("%s: no '%s': %s", row->text, row->says, text);
    if (row->not &&strstr(text, row->not )) fail_msg("%s: '%s'", row->text, row->not );
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    io_record_free(&record);
    io_stream_close(&stream);
}

static void plans_have_articles(void **state)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    (void)state;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) expect_row(&checker, &rows[i]);
}

/* Where a GPU's rates are not known nothing is divided by them. */
static void plans_of_every_gpu(void **state)
{
    (void)state;
    for (size_t a = 0; tmap_arch_at(a); a++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct tmap_target target = tmap_default_target();
            struct tmap_checker checker;
            struct io_stream stream;
            struct io_record record;
            enum tmap_verdict verdict;
            char error[IO_ERROR_SIZE];
            static char text[1 << 20];
            target.arch = tmap_arch_at(a);
            if (tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK) continue;
            memset(text, 0, sizeof text);
            FILE *out = fmemopen(text, sizeof text, "w");
            assert_non_null(out);
            assert_true(io_stream_from(&stream, "in", rows[i].text, strlen(rows[i].text), error));
            assert_true(io_json_next(&stream, &record));
            io_plan_article(out, &checker, &record, &verdict);
            fclose(out);
            assert_null(strstr(text, "nan"));
            assert_null(strstr(text, "inf"));
            io_record_free(&record);
            io_stream_close(&stream);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_have_articles),
                                       cmocka_unit_test(plans_of_every_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
