/* Replays what each toolkit's header and assembler said (headers.json, ptxas.json, recorded by
 * `make versions`) against enums.def, targets.def and forms.def: every row is backed, and nothing
 * recorded is without a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "core/forms.h"

struct toolkit {
    uint32_t cuda, ptx;
    const char *text;
};
static const struct toolkit toolkits[] = {
#define CUDA(id, text, ptx, driver) {id, ptx, text},
#include "rules/targets.def"
};

struct value {
    const char *type, *prefix, *name;
    json_int_t value;
    uint32_t since;
};
#define TM "CU_TENSOR_MAP_"
static const struct value values[] = {
#define DTYPE(id, json, value, since, ...)                                                         \
    {"CUtensorMapDataType", TM "DATA_TYPE_", json, value, since},
#define INTERLEAVE(id, json, value, since, bytes)                                                  \
    {"CUtensorMapInterleave", TM "INTERLEAVE_", json, value, since},
#define SWIZZLE(id, json, value, since, span, atom)                                                \
    {"CUtensorMapSwizzle", TM "SWIZZLE_", json, value, since},
#define L2_PROMOTION(id, json, value, since, bytes)                                                \
    {"CUtensorMapL2promotion", TM "L2_PROMOTION_", #id, value, since},
#define OOB_FILL(id, json, value, since)                                                           \
    {"CUtensorMapFloatOOBfill", TM "FLOAT_OOB_FILL_", #id, value, since},
#define WIDE_MODE(id, json, value, since)                                                          \
    {"CUtensorMapIm2ColWideMode", TM "IM2COL_WIDE_MODE_", json, value, since},
#define ALLOC_CLASS(id, value, since)                                                              \
    {"CUtensorMapAllocClass", TM "ALLOC_CLASS_", #id, value, since},
#include "rules/enums.def"
};

static const struct {
    const char *function;
    uint32_t since;
} functions[] = {
#define ENTRY_POINT(id, function, since) {function, since},
#include "rules/enums.def"
};

static const struct {
    uint32_t since;
    json_int_t bytes, alignment;
} structs[] = {
#define MAP_STRUCT(since, bytes, alignment) {since, bytes, alignment},
#include "rules/enums.def"
};

struct arch {
    tmap_arch arch;
    uint32_t present, shared_bytes, columns, first_ptx;
    const char *text;
};
static const struct arch archs[] = {
#define ARCH(sm, suffix, text, optin_bytes, tmem, first_ptx, alias_of)                             \
    {TMAP_ARCH(sm, suffix), alias_of, optin_bytes, tmem, first_ptx, text},
#include "rules/targets.def"
};

static const char *const calls[] = {
#define FORM_CALL(id, sm, suffix) #id " " #sm "." #suffix,
#include "rules/forms.def"
};

static const struct {
    uint32_t since;
    json_int_t unit_bytes;
} strides[] = {
#define REPLACE_STRIDE(since, unit_bytes) {since, unit_bytes},
#include "rules/targets.def"
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *data = json_load_file(path, 0, &error);
    if (!data) fail_msg("%s: line %d: %s", path, error.line, error.text);
    return data;
}

static json_int_t integer(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("%s is no integer", key);
    return json_integer_value(value);
}

static void the_toolkits_are_those_recorded(void **state)
{
    json_t *headers = json_object_get(((json_t **)*state)[0], "toolkits");
    json_t *ptxas = json_object_get(((json_t **)*state)[1], "toolkits");
    assert_int_equal(json_object_size(headers), COUNT(toolkits));
    assert_int_equal(json_object_size(ptxas), COUNT(toolkits));
    for (size_t i = 0; i < COUNT(toolkits); i++) {
        json_t *header = json_object_get(headers, toolkits[i].text);
        json_t *asm_ = json_object_get(ptxas, toolkits[i].text);
        assert_non_null(header);
        assert_non_null(asm_);
        json_t *target = json_object_get(json_object_get(asm_, "targets"), "sm_90a");
        json_t *range = json_object_get(target, "ptx");
        assert_int_equal(json_integer_value(json_array_get(range, 1)), toolkits[i].ptx);
        assert_int_equal(strlen(json_string_value(json_object_get(header, "sha256"))), 64);
        assert_int_equal(strlen(json_string_value(json_object_get(asm_, "sha256"))), 64);
    }
}

static size_t values_of(const struct toolkit *t, json_t *enums)
{
    size_t held = 0;
    for (size_t i = 0; i < COUNT(values); i++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s", values[i].prefix, values[i].name);
        json_t *found = json_object_get(json_object_get(enums, values[i].type), name);
        if (!!found != (t->cuda >= values[i].since))
            fail_msg("%s in cuda.h %s: %s", name, t->text, found ? "there" : "not there");
        if (!found) continue;
        assert_int_equal(json_integer_value(found), values[i].value);
        held++;
    }
    return held;
}

static void every_enumerator_has_its_row_and_its_first_toolkit(void **state)
{
    json_t *all = json_object_get(((json_t **)*state)[0], "toolkits");
    for (size_t i = 0; i < COUNT(toolkits); i++) {
        json_t *enums = json_object_get(json_object_get(all, toolkits[i].text), "enums");
        const char *type;
        json_t *body;
        size_t recorded = 0;
        json_object_foreach(enums, type, body) recorded += json_object_size(body);
        assert_int_equal(values_of(&toolkits[i], enums), recorded);
    }
}

static void every_function_has_its_row_and_its_first_toolkit(void **state)
{
    json_t *all = json_object_get(((json_t **)*state)[0], "toolkits");
    for (size_t i = 0; i < COUNT(toolkits); i++) {
        json_t *said = json_object_get(json_object_get(all, toolkits[i].text), "functions");
        size_t held = 0;
        for (size_t k = 0; k < COUNT(functions); k++) {
            bool there = json_object_get(said, functions[k].function) != NULL;
            assert_int_equal(there, toolkits[i].cuda >= functions[k].since);
            held += there;
        }
        assert_int_equal(held, json_object_size(said));
    }
}

static void the_structure_is_as_recorded(void **state)
{
    json_t *all = json_object_get(((json_t **)*state)[0], "toolkits");
    for (size_t i = 0; i < COUNT(toolkits); i++) {
        json_t *said = json_object_get(json_object_get(all, toolkits[i].text), "struct");
        size_t k = COUNT(structs) - 1;
        while (k > 0 && structs[k].since > toolkits[i].cuda) k--;
        assert_int_equal(integer(said, "bytes"), structs[k].bytes);
        assert_int_equal(integer(said, "alignment"), structs[k].alignment);
    }
}

static void the_unit_of_a_replaced_stride_is_as_recorded(void **state)
{
    json_t *all = json_object_get(((json_t **)*state)[1], "toolkits");
    for (size_t i = 0; i < COUNT(toolkits); i++) {
        json_int_t unit = 0;
        for (size_t k = 0; k < COUNT(strides); k++)
            if (toolkits[i].cuda >= strides[k].since) unit = strides[k].unit_bytes;
        assert_int_equal(integer(json_object_get(all, toolkits[i].text), "stride_unit"), unit);
    }
}

/* The newest toolkit's number for the a target of the same GPU: only that one gives the GPU's own
 * capacity (a plain or f target has the 48 KiB of old and no tensor memory of its own, and so have
 * all of 12.x). */
static json_int_t capacity(json_t *toolkits_, const struct arch *arch, const char *key)
{
    char name[16];
    snprintf(name, sizeof name, "sm_%ua", arch->present);
    json_t *newest = json_object_get(toolkits_, toolkits[COUNT(toolkits) - 1].text);
    return integer(json_object_get(json_object_get(newest, "targets"), name), key);
}

/* The least .version that any toolkit takes with this target. */
static uint32_t first_version(json_t *toolkits_, const struct arch *arch)
{
    uint32_t first = 0;
    const char *toolkit;
    json_t *said;
    json_object_foreach(toolkits_, toolkit, said)
    {
        json_t *row = json_object_get(json_object_get(said, "targets"), arch->text);
        json_t *range = json_object_get(row, "ptx");
        uint32_t low = (uint32_t)json_integer_value(json_array_get(range, 0));
        if (row && (!first || low < first)) first = low;
    }
    return first;
}

static bool has_row(const char *target)
{
    size_t i = 0;
    while (i < COUNT(archs) && strcmp(archs[i].text, target) != 0) i++;
    return i < COUNT(archs);
}

static void every_architecture_has_its_row_and_its_capacities(void **state)
{
    json_t *all = json_object_get(((json_t **)*state)[1], "toolkits");
    const char *toolkit, *target;
    json_t *said, *row;
    json_object_foreach(all, toolkit, said)
        json_object_foreach(json_object_get(said, "targets"), target, row) if (!has_row(target))
            fail_msg("%s of %s has no row", target, toolkit);
    for (size_t i = 0; i < COUNT(archs); i++) {
        const struct arch *a = &archs[i];
        assert_int_equal(first_version(all, a), a->first_ptx);
        assert_int_equal(capacity(all, a, "shared"), a->shared_bytes);
        assert_int_equal(capacity(all, a, "columns"), a->columns);
        assert_int_equal(tmap_arch_first_ptx(a->arch), a->first_ptx);
        assert_int_equal(tmap_arch_spelled(a->text, strlen(a->text)), a->arch);
    }
}

/* The number of the form that a probe "FORM:variant" belongs to; TMAP_FORM_COUNT when none. */
static enum tmap_form form_of(const char *probe)
{
    size_t n = strcspn(probe, ":");
    for (int i = 0; i < TMAP_FORM_COUNT; i++) {
        const char *name = tmap_form_name((enum tmap_form)i);
        if (strlen(name) == n && memcmp(name, probe, n) == 0) return (enum tmap_form)i;
    }
    return TMAP_FORM_COUNT;
}

/* What the table says of form on exactly this architecture (an alias's versions are not its own).
 */
static void form_agrees(enum tmap_form form, const struct arch *arch, uint32_t newest,
                        json_int_t least, const char *probe)
{
    struct tmap_target at = {.ptx = newest, .arch = arch->arch};
    uint32_t min_ptx;
    enum tmap_verdict verdict = tmap_form_available(form, &at, &min_ptx);
    bool renamed = arch->arch / 4 == 110; /* has what sm_101 has, which came first */
    if ((verdict == TMAP_LEGAL) != (least != 0) || (least && !renamed && min_ptx != least))
        fail_msg("%s on %s with PTX %u: recorded %d, table %u", probe, arch->text, newest,
                 (int)least, min_ptx);
}

static size_t forms_of_target(const struct arch *arch, json_t *row, json_t *classes, bool *seen)
{
    uint32_t newest = (uint32_t)json_integer_value(json_array_get(json_object_get(row, "ptx"), 1));
    size_t k, j, compared = 0;
    json_t *names, *probe;
    json_array_foreach(classes, k, names)
    {
        json_int_t least = json_integer_value(json_array_get(json_object_get(row, "least"), k));
        json_array_foreach(names, j, probe)
        {
            const char *text = json_string_value(probe);
            enum tmap_form form = form_of(text);
            if (text[0] == '-') continue;
            if (form == TMAP_FORM_COUNT) fail_msg("%s has no row", text);
            form_agrees(form, arch, newest, least, text);
            seen[form] = true;
            compared++;
        }
    }
    return compared;
}

static void every_form_is_where_the_assemblers_took_it(void **state)
{
    json_t *data = ((json_t **)*state)[1], *classes = json_object_get(data, "classes");
    bool seen[TMAP_FORM_COUNT] = {false};
    const char *toolkit;
    json_t *said;
    size_t compared = 0;
    json_object_foreach(json_object_get(data, "toolkits"), toolkit,
                        said) for (size_t i = 0; i < COUNT(archs); i++)
    {
        json_t *row = json_object_get(json_object_get(said, "targets"), archs[i].text);
        if (row) compared += forms_of_target(&archs[i], row, classes, seen);
    }
    for (int i = 0; i < TMAP_FORM_COUNT; i++)
        if (!seen[i]) fail_msg("%s was never asked about", tmap_form_name((enum tmap_form)i));
    assert_true(compared > 50000);
}

/* A form is a call where all its probes are. */
static bool all_call(json_t *row, json_t *classes, enum tmap_form form)
{
    size_t k, j, asked = 0, called = 0;
    json_t *names, *probe;
    json_array_foreach(classes, k, names) json_array_foreach(names, j, probe) asked +=
        form_of(json_string_value(probe)) == form;
    json_array_foreach(json_object_get(row, "calls"), j, probe) called +=
        form_of(json_string_value(probe)) == form;
    return called == asked;
}

static void every_call_is_recorded(void **state)
{
    json_t *data = ((json_t **)*state)[1], *classes = json_object_get(data, "classes");
    json_t *newest =
        json_object_get(json_object_get(data, "toolkits"), toolkits[COUNT(toolkits) - 1].text);
    size_t held = 0;
    for (size_t i = 0; i < COUNT(archs); i++) {
        json_t *row = json_object_get(json_object_get(newest, "targets"), archs[i].text);
        for (int f = 0; row && f < TMAP_FORM_COUNT; f++) {
            bool call = tmap_form_is_call((enum tmap_form)f, archs[i].arch);
            assert_int_equal(call, all_call(row, classes, (enum tmap_form)f));
            held += call;
        }
    }
    assert_int_equal(held, COUNT(calls));
}

static int setup(void **state)
{
    static json_t *data[2];
    data[0] = load("tests/versions/headers.json");
    data[1] = load("tests/versions/ptxas.json");
    *state = data;
    return 0;
}

static int teardown(void **state)
{
    json_decref(((json_t **)*state)[0]);
    json_decref(((json_t **)*state)[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_toolkits_are_those_recorded),
        cmocka_unit_test(every_enumerator_has_its_row_and_its_first_toolkit),
        cmocka_unit_test(every_function_has_its_row_and_its_first_toolkit),
        cmocka_unit_test(the_structure_is_as_recorded),
        cmocka_unit_test(the_unit_of_a_replaced_stride_is_as_recorded),
        cmocka_unit_test(every_architecture_has_its_row_and_its_capacities),
        cmocka_unit_test(every_form_is_where_the_assemblers_took_it),
        cmocka_unit_test(every_call_is_recorded),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
