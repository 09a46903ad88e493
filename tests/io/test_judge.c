/* test_judge.c : a record checked: findings, the place they point at, fixes, expectations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/report/report.h"

#include <string.h>

#define HEAD "{\"name\":\"A\",\"dtype\":\"BFLOAT16\",\"address\":\"0x7f0000000000\","
#define LEGAL HEAD "\"dim\":[4096,4096],\"stride\":[8192],\"box\":[64,128],\"swizzle\":\"128B\""
#define WRONG HEAD "\n\"dim\":[4096,4096],\n \"stride\":[8200],\"box\":[64,128]"
#define TWICE HEAD "\"dim\":[4096,4096],\"stride\":[8200],\"box\":[64,300]"

static struct io_stream stream;
static struct io_record record;

static struct io_result judge_on(const char *text, const struct tmap_target *target, unsigned flags)
{
    char error[IO_ERROR_SIZE];
    struct tmap_checker checker;
    struct io_result result;

    assert_true(io_stream_from(&stream, "t.json", text, strlen(text), error));
    assert_true(io_record_next(&stream, 0, &record));
    if (record.error[0]) fail_msg("%s: %s: %s", text, record.path, record.error);
    assert_int_equal(tmap_checker_prepare(target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    assert_int_equal(io_judge(&checker, &record, &stream, flags, &result), TMAP_OK);
    return result;
}

static struct io_result judge(const char *text, unsigned flags)
{
    const struct tmap_target target = tmap_default_target();
    return judge_on(text, &target, flags);
}

static void done(struct io_result *result)
{
    io_result_free(result);
    io_record_free(&record);
    io_stream_close(&stream);
}

static void legal_is_silent(void **state)
{
    struct io_result r = judge(LEGAL "}", IO_FIX);
    (void)state;
    assert_int_equal(r.verdict, TMAP_LEGAL);
    assert_int_equal(r.basis, TMAP_OBSERVED);
    assert_int_equal(r.finding_count + r.rule_count + r.not_evaluated_count, 0);
    assert_false(r.unmet || r.accepted);
    done(&r);
}

static void a_finding_points_at_the_value(void **state)
{
    struct io_result r = judge(WRONG "}", IO_FIX);
    const struct io_finding *f = r.finding;
    (void)state;
    assert_int_equal(r.verdict, TMAP_ILLEGAL);
    assert_int_equal(r.finding_count, 1);
    assert_string_equal(tmap_row_id(f->row), "TMA014");
    assert_string_equal(f->path, "$.stride[0]");
    assert_int_equal(f->line, 3);
    assert_int_equal(f->column, 12);
    assert_int_equal(f->length, 4);
    assert_memory_equal(stream.text + f->offset, "8200", 4);
    done(&r);
}

static void the_nearest_value_is_tried(void **state)
{
    struct io_result r = judge(WRONG "}", IO_FIX);
    (void)state;
    assert_true(r.finding->fix.known && r.finding->fix_checked);
    assert_true(r.finding->fix.magnitude == 8192 || r.finding->fix.magnitude == 8208);
    done(&r);
    r = judge(TWICE "}", IO_FIX);
    assert_int_equal(r.finding_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(r.finding[i].fix.known);
        assert_false(r.finding[i].fix_checked);
        assert_int_equal(r.finding[i].rest, 1);
    }
    done(&r);
}

static void padding_is_preferred_to_overlap(void **state)
{
    struct io_result r = judge(HEAD "\"dim\":[4097,64],\"stride\":[8194],\"box\":[64,8]}", IO_FIX);
    (void)state;
    assert_string_equal(tmap_row_id(r.finding->row), "TMA014");
    assert_true(r.finding->detail.below.magnitude == 8192); /* nearer, but rows would overlap */
    assert_true(r.finding->fix.magnitude == 8208 && r.finding->fix_checked);
    done(&r);
}

static void every_use_is_checked(void **state)
{
    struct io_result r = judge(LEGAL ",\"uses\":[{\"op\":\"load\",\"coord\":[0,0]},"
                                     "{\"op\":\"load\",\"coord\":[3,0]}]}",
                               IO_FIX);
    (void)state;
    assert_int_equal(r.verdict, TMAP_ILLEGAL);
    assert_int_equal(r.finding_count, 1);
    assert_int_equal(r.finding->use, 1);
    assert_string_equal(r.finding->path, "$.uses[1].coord[0]");
    assert_true(r.finding->fix_checked);
    done(&r);
}

static void brief_finds_the_same_rows(void **state)
{
    struct io_result r = judge(TWICE ",\"uses\":[{\"op\":\"load\",\"coord\":[3,0]}]}", IO_BRIEF);
    tmap_row brief[8];
    size_t n = r.rule_count;
    (void)state;
    assert_in_range(n, 3, 8);
    memcpy(brief, r.rules, n * sizeof *brief);
    done(&r);
    r = judge(TWICE ",\"uses\":[{\"op\":\"load\",\"coord\":[3,0]}]}", 0);
    assert_int_equal(r.rule_count, n);
    assert_memory_equal(r.rules, brief, n * sizeof *brief);
    for (size_t i = 1; i < n; i++) assert_true(brief[i - 1] < brief[i]);
    done(&r);
}

/* What a record expects of itself: the words of the unmet expectation, "" when it is met. */
static void expectations(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {LEGAL ",\"expect\":\"legal\"}", ""},
        {LEGAL ",\"expect\":\"illegal\"}", "expected illegal, and it is legal"},
        {LEGAL ",\"expect\":\"unknown\"}", "expected unknown, and it is legal"},
        {WRONG ",\"expect\":\"illegal\"}", ""},
        {WRONG ",\"expect\":\"legal\"}", "expected legal, and it is illegal"},
        {LEGAL ",\"expect_rules\":[]}", ""},
        {WRONG ",\"expect_rules\":[\"TMA014\"]}", ""},
        {WRONG ",\"expect_rules\":[\"TMA014\",\"TMA014\"]}", ""},
        {WRONG ",\"expect_rules\":[\"stride_multiple_16\"]}", ""},
        {WRONG ",\"expect_rules\":[]}", "expected rules none, violated are TMA014"},
        {WRONG ",\"expect_rules\":[\"TMA025\"]}", "expected rules TMA025, violated are TMA014"},
        {TWICE ",\"expect_rules\":[\"TMA014\"]}",
         "expected rules TMA014, violated are TMA014 TMA025"},
        {TWICE ",\"expect_rules\":[\"TMA025\",\"TMA014\"]}", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_result r = judge(rows[i].text, 0);
        assert_int_equal(r.unmet, rows[i].says[0] != 0);
        if (r.unmet) assert_string_equal(r.expectation, rows[i].says);
        done(&r);
    }
}

static void exceptions_with_a_reason(void **state)
{
    struct io_result r =
        judge(WRONG ",\"allow\":{\"TMA014\":\"padded later\",\"TMA021\":\"no\"}}", 0);
    (void)state;
    assert_int_equal(r.verdict, TMAP_ILLEGAL);
    assert_true(r.accepted);
    assert_string_equal(r.finding->allowed, "padded later");
    assert_true(io_allow_is_used(&r, 0));
    assert_false(io_allow_is_used(&r, 1));
    done(&r);
    r = judge(TWICE ",\"allow\":{\"TMA014\":\"padded later\"}}", 0);
    assert_false(r.accepted);
    done(&r);
}

static void an_uncovered_target_is_unknown(void **state)
{
    struct tmap_target target = tmap_default_target();
    struct io_result r;
    (void)state;
    target.cuda = 9900;
    r = judge_on(LEGAL "}", &target, 0);
    assert_int_equal(r.verdict, TMAP_UNKNOWN);
    assert_string_equal(r.unknown, "no source covers this target");
    done(&r);
}

static void every_architecture_answers(void **state)
{
    struct io_result r = judge("{\"dtype\":\"fp4\",\"address\":0,\"dim\":[4096,64],"
                               "\"stride\":[2048],\"box\":[128,64]}",
                               IO_ALL_ARCHES);
    size_t n = 0;
    (void)state;
    while (tmap_arch_at(n)) n++;
    assert_int_equal(r.arch_count, n);
    for (size_t i = 0; i < n; i++) {
        const bool hopper = r.arch[i].arch >> 2 == 90;
        const bool later = r.arch[i].arch >> 2 == 107; /* CUDA 13.0 does not have it yet */
        assert_int_equal(r.arch[i].covered, !later);
        assert_int_equal(r.arch[i].verdict, hopper  ? TMAP_ILLEGAL
                                            : later ? TMAP_UNKNOWN
                                                    : TMAP_LEGAL);
        assert_int_equal(r.arch[i].basis, hopper ? TMAP_OBSERVED : TMAP_INFERRED);
    }
    done(&r);
}

/* The record's own verdict is over all architectures, not the target's alone. */
static void every_architecture_decides(void **state)
{
    struct tmap_target target = tmap_default_target();
    struct io_result r;
    (void)state;
    target.arch = TMAP_ARCH(100, 1);
    const char *fp4 = "{\"dtype\":\"fp4\",\"address\":0,\"dim\":[4096,64],"
                      "\"stride\":[2048],\"box\":[128,64]}";
    r = judge_on(fp4, &target, IO_ALL_ARCHES); /* legal there, illegal on sm_90 */
    assert_int_equal(r.verdict, TMAP_ILLEGAL);
    assert_int_equal(r.basis, TMAP_INFERRED);
    assert_int_equal(r.rule_count, 1);
    assert_string_equal(tmap_row_id(r.rules[0]), "TMA013");
    done(&r);
    target.cuda = 9900;
    r = judge_on(fp4, &target, IO_ALL_ARCHES);
    assert_int_equal(r.verdict, TMAP_UNKNOWN);
    done(&r);
    r = judge(LEGAL "}", IO_ALL_ARCHES);
    assert_int_equal(r.verdict, TMAP_LEGAL);
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legal_is_silent),
        cmocka_unit_test(a_finding_points_at_the_value),
        cmocka_unit_test(the_nearest_value_is_tried),
        cmocka_unit_test(padding_is_preferred_to_overlap),
        cmocka_unit_test(every_use_is_checked),
        cmocka_unit_test(brief_finds_the_same_rows),
        cmocka_unit_test(expectations),
        cmocka_unit_test(exceptions_with_a_reason),
        cmocka_unit_test(an_uncovered_target_is_unknown),
        cmocka_unit_test(every_architecture_answers),
        cmocka_unit_test(every_architecture_decides),
    };
    return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
