/* The PTX reader's answer about every instruction that the assemblers were asked about, for every
 * target of every toolkit, against what they answered: what a user is told is what ptxas would do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "io/ptx/ptx.h"

#define MAX_FOUND 800

struct recorded {
    json_t *data;
    char *text;
    size_t found;
    struct io_ptx_instruction in[MAX_FOUND];
    char *name[MAX_FOUND]; /* "FORM:variant" of in[i] */
};

static char *read_all(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    *size = (size_t)ftell(in);
    rewind(in);
    char *text = calloc(*size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, in), *size);
    fclose(in);
    return text;
}

static int setup(void **state)
{
    struct recorded *r = calloc(1, sizeof *r);
    assert_non_null(r);
    size_t size;
    struct io_ptx_module module;
    r->text = read_all("tests/io/ptx/every_form.ptx", &size);
    assert_int_equal(io_ptx_read(r->text, size, &module, r->in, MAX_FOUND, &r->found), TMAP_OK);
    char *at = r->text;
    for (size_t i = 0; i < r->found; i++) {
        at = strstr(at, "; // ");
        assert_non_null(at);
        r->name[i] = at += 5;
        at += strcspn(at, "\n");
        *at++ = 0;
    }
    r->data = json_load_file("tests/versions/ptxas.json", 0, NULL);
    assert_non_null(r->data);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct recorded *r = *state;
    json_decref(r->data);
    free(r->text);
    free(r);
    return 0;
}

/* The least .version recorded for a probe in one row of a target; -1 when it was not asked. */
static json_int_t least_of(json_t *classes, json_t *row, const char *name)
{
    size_t k, j;
    json_t *names, *probe;
    json_array_foreach(classes, k, names) json_array_foreach(
        names, j,
        probe) if (strcmp(json_string_value(probe), name) ==
                   0) return json_integer_value(json_array_get(json_object_get(row, "least"), k));
    return -1;
}

/* What the reader does not claim to know: a form without a row, and an operand it does not read. */
static bool is_outside(const char *name)
{
    static const char *const outside[] = {"-REDUCE_SCATTER4", "-REPLACE_IM2COL", "-MAP_FENCE_SIZE"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        if (strncmp(name, outside[i], strlen(outside[i])) == 0) return true;
    return false;
}

/* One instruction on one target, with every .version from low to high. */
static void compare_one(const struct io_ptx_instruction *in, const char *name, json_int_t least,
                        const char *text, uint32_t low, uint32_t high)
{
    struct tmap_target target = {.arch = tmap_arch_spelled(text, strlen(text))};
    bool renamed = target.arch / 4 == 110; /* has what sm_101 has, which came first */
    for (target.ptx = low; target.ptx <= high; target.ptx++) {
        struct io_ptx_answer a = io_ptx_check(in, &target);
        bool took = least > 0 && target.ptx >= (uint32_t)least;
        if ((a.verdict == TMAP_LEGAL) != took || a.verdict == TMAP_UNKNOWN ||
            (took && !renamed && a.min_ptx != (uint32_t)least))
            fail_msg("%s on %s with PTX %u: reader %d from %u, assembler from %d", name, text,
                     target.ptx, a.verdict, a.min_ptx, (int)least);
    }
}

static size_t compare(const struct recorded *r, const char *text, json_t *row)
{
    json_t *classes = json_object_get(r->data, "classes"), *range = json_object_get(row, "ptx");
    uint32_t low = (uint32_t)json_integer_value(json_array_get(range, 0));
    uint32_t high = (uint32_t)json_integer_value(json_array_get(range, 1));
    for (size_t i = 0; i < r->found; i++) {
        json_int_t least = least_of(classes, row, r->name[i]);
        if (least < 0) fail_msg("%s was not asked", r->name[i]);
        if (is_outside(r->name[i])) continue;
        compare_one(&r->in[i], r->name[i], least, text, low, high);
    }
    return r->found;
}

static void the_reader_says_what_each_assembler_said(void **state)
{
    struct recorded *r = *state;
    const char *toolkit, *target;
    json_t *said, *row;
    size_t compared = 0;
    json_object_foreach(json_object_get(r->data, "toolkits"), toolkit, said)
        json_object_foreach(json_object_get(said, "targets"), target, row) compared +=
        compare(r, target, row);
    assert_true(compared > 70000);
}

static void what_has_no_row_is_unknown(void **state)
{
    struct recorded *r = *state;
    struct tmap_target target = {.ptx = 95, .arch = TMAP_ARCH(107, 1)};
    size_t unknown = 0;
    for (size_t i = 0; i < r->found; i++)
        unknown += io_ptx_check(&r->in[i], &target).verdict == TMAP_UNKNOWN;
    assert_int_equal(unknown, 2); /* a reduction with scatter4, tensormap.replace.im2col */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reader_says_what_each_assembler_said),
        cmocka_unit_test(what_has_no_row_is_unknown),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
