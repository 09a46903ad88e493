/* What a real driver answered, replayed: every recorded verdict and every recorded byte, and the
 * manifest that says where they come from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "io/report/report.h"
#include "tmap/driver.h"

#define CORPUS "tests/golden/h200-580.bin"
#define MOST_BYTES (3u << 20)

static json_t *manifest(void)
{
    json_error_t error;
    json_t *m = json_load_file(CORPUS ".json", 0, &error);
    if (!m) fail_msg("%s:%d: %s", CORPUS ".json", error.line, error.text);
    return m;
}

static uint64_t number(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("the manifest has no number %s", key);
    return (uint64_t)json_integer_value(value);
}

static const char *text(json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    if (!value || !*value) fail_msg("the manifest has no text %s", key);
    return value;
}

static struct tmap_target target_of(json_t *m)
{
    json_t *t = json_object_get(m, "target");
    return (struct tmap_target){.cuda = (uint32_t)number(t, "cuda"),
                                .ptx = (uint32_t)number(t, "ptx"),
                                .driver = (uint32_t)number(t, "driver"),
                                .arch = tmap_arch_find(text(t, "arch"))};
}

static struct tmap_corpus_result *replay(json_t *m)
{
    struct tmap_corpus *corpus;
    const struct tmap_target target = target_of(m);
    struct tmap_corpus_result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(tmap_corpus_open(CORPUS, &corpus), TMAP_OK);
    assert_int_equal(tmap_corpus_replay(corpus, &target, r), TMAP_OK);
    tmap_corpus_close(corpus);
    return r;
}

static void print_kept(const struct tmap_corpus_result *r)
{
    char desc[2048];
    for (size_t i = 0; i < r->kept_count; i++) {
        io_desc_text(&r->kept[i].desc, desc, sizeof desc);
        print_error("case %llu: operation %d answered %d, address 0x%llx: %s\n",
                    (unsigned long long)r->kept[i].number, (int)r->kept[i].op, r->kept[i].result,
                    (unsigned long long)r->kept[i].address, desc);
    }
}

static void the_file_is_the_one_recorded(void **state)
{
    (void)state;
    json_t *m = manifest();
    struct tmap_corpus *corpus;
    uint64_t bytes = 0;
    char hash[24];
    assert_int_equal(tmap_corpus_open(CORPUS, &corpus), TMAP_OK);
    snprintf(hash, sizeof hash, "0x%016llx", (unsigned long long)tmap_corpus_hash(corpus, &bytes));
    assert_string_equal(hash, text(m, "fnv1a64"));
    assert_int_equal(bytes, number(m, "bytes"));
    assert_true(bytes <= MOST_BYTES);
    tmap_corpus_close(corpus);
    json_decref(m);
}

static void the_manifest_says_where_it_comes_from(void **state)
{
    (void)state;
    json_t *m = manifest();
    assert_string_equal(text(m, "gpu"), "NVIDIA H200");
    assert_non_null(strstr(text(m, "driver"), "580."));
    text(m, "date");
    text(m, "generator");
    number(m, "seed");
    json_decref(m);
}

static void every_recorded_answer_is_predicted(void **state)
{
    (void)state;
    json_t *m = manifest();
    struct tmap_corpus_result *r = replay(m);
    print_kept(r);
    assert_int_equal(r->cases, number(m, "cases"));
    assert_int_equal(r->verdict_differences, 0);
    assert_int_equal(r->byte_differences, 0);
    for (int kind = 0; kind < 3; kind++) assert_true(r->by_kind[kind][0] > 1000);
    free(r);
    json_decref(m);
}

/* A row that the recorded driver enforces has its cases, or the reason why it has none; and every
 * row of the descriptor stands in the manifest. */
static void every_row_has_its_cases_or_a_reason(void **state)
{
    (void)state;
    json_t *m = manifest(), *row;
    struct tmap_corpus_result *r = replay(m);
    const uint64_t wanted = number(m, "cases_a_row");
    size_t at, enough = 0;
    json_array_foreach(json_object_get(m, "rows"), at, row)
    {
        const tmap_row id = tmap_row_find(text(row, "id"));
        if (id == TMAP_NO_ROW) fail_msg("no row is called %s any more", text(row, "id"));
        const uint64_t alone = number(row, "alone"), though = number(row, "accepted_though");
        if (alone + though == 0) {
            text(row, "reason");
            continue;
        }
        /* Counted when recorded; the rows of today say the same of the same cases. */
        if (r->alone[id] < alone || r->accepted_though[id] < though)
            fail_msg("%s: %llu alone and %llu accepted were recorded, today's rows see %llu, %llu",
                     text(row, "id"), (unsigned long long)alone, (unsigned long long)though,
                     (unsigned long long)r->alone[id], (unsigned long long)r->accepted_though[id]);
        enough += alone >= wanted || though >= wanted;
    }
    assert_true(enough >= 45);
    free(r);
    json_decref(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_the_one_recorded),
        cmocka_unit_test(the_manifest_says_where_it_comes_from),
        cmocka_unit_test(every_recorded_answer_is_predicted),
        cmocka_unit_test(every_row_has_its_cases_or_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
