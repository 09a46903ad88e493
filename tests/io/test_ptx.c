/* The PTX reader: what it finds, what form it calls it, and whether targets have it. The files in
 * tests/io/ptx are its inputs; every_form.ptx is generated from the instructions that the
 * assemblers were asked about, so that reader and assemblers speak of the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "io/ptx/ptx.h"

#define MAX_FOUND 800

struct file {
    char *text;
    size_t size, found;
    struct io_ptx_module module;
    struct io_ptx_instruction in[MAX_FOUND];
};

static struct file *read_text(const char *text, size_t size)
{
    struct file *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->text = malloc(size + 1);
    assert_non_null(f->text);
    memcpy(f->text, text, size);
    f->text[size] = 0;
    f->size = size;
    assert_int_equal(io_ptx_read(f->text, size, &f->module, f->in, MAX_FOUND, &f->found), TMAP_OK);
    assert_true(f->found <= MAX_FOUND);
    return f;
}

static struct file *read_file(const char *name)
{
    char path[256], *text = NULL;
    snprintf(path, sizeof path, "tests/io/ptx/%s", name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(in);
    rewind(in);
    text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, in), size);
    fclose(in);
    struct file *f = read_text(text, size);
    free(text);
    return f;
}

static void drop(struct file *f)
{
    free(f->text);
    free(f);
}

static struct tmap_target target(uint32_t ptx, uint32_t sm, uint32_t suffix)
{
    return (struct tmap_target){.ptx = ptx, .arch = TMAP_ARCH(sm, suffix)};
}

static bool has_form(const struct io_ptx_instruction *in, const char *name, size_t length)
{
    for (uint32_t i = 0; i < in->forms; i++) {
        const char *form = tmap_form_name(in->form[i]);
        if (strlen(form) == length && memcmp(form, name, length) == 0) return true;
    }
    return false;
}

/* The name of the form that the remark after an instruction gives it; *length 0 where it says that
 * it is none. Moves *at behind it. */
static const char *remark(const char **at, size_t *length)
{
    *at = strstr(*at, "; // ");
    assert_non_null(*at);
    *at += 5;
    *length = **at == '-' ? 0 : strcspn(*at, ":");
    return *at;
}

static void finds_each_form_that_the_assemblers_were_asked_about(void **state)
{
    (void)state;
    struct file *f = read_file("every_form.ptx");
    bool seen[TMAP_FORM_COUNT] = {false};
    const char *at = strstr(f->text, "ld.param.u8 n4");
    assert_true(f->found > 400);
    for (size_t i = 0; i < f->found; i++) {
        size_t n;
        const char *name = remark(&at, &n);
        if (n && !has_form(&f->in[i], name, n))
            fail_msg("line %u: %.*s is not called %.*s", f->in[i].line, (int)f->in[i].length,
                     f->in[i].text, (int)n, name);
        for (uint32_t k = 0; n && k < f->in[i].forms; k++) seen[f->in[i].form[k]] = true;
    }
    assert_null(strstr(at, "; // "));
    for (int k = 0; k < TMAP_FORM_COUNT; k++)
        if (!seen[k]) fail_msg("%s has no instruction", tmap_form_name((enum tmap_form)k));
    drop(f);
}

static bool is_never(const struct io_ptx_instruction *in)
{
    return has_form(in, "MOD_MULTICAST_CTA", 17) || has_form(in, "MOD_CTA_GROUP_STORE", 19);
}

/* sm_107a with the newest PTX has all that the table has; sm_90 of PTX 7.8 has nothing but waits.
 */
static void answers_for_the_first_and_the_last_target(void **state)
{
    (void)state;
    struct file *f = read_file("every_form.ptx");
    struct tmap_target last = target(95, 107, 1), first = target(78, 90, 0);
    const char *at = strstr(f->text, "ld.param.u8 n4");
    for (size_t i = 0; i < f->found; i++) {
        size_t n;
        remark(&at, &n);
        if (!n) continue;
        bool wait = has_form(&f->in[i], "MBARRIER_TRY_WAIT", 17);
        assert_int_equal(io_ptx_check(&f->in[i], &last).verdict,
                         is_never(&f->in[i]) ? TMAP_ILLEGAL : TMAP_LEGAL);
        assert_int_equal(io_ptx_check(&f->in[i], &first).verdict, wait ? TMAP_LEGAL : TMAP_ILLEGAL);
    }
    drop(f);
}

struct expected {
    uint32_t line;
    const char *form; /* the form that decides, or NULL */
    enum io_ptx_reason reason;
    uint32_t min_ptx;
};

static void expect_file(const char *name, struct tmap_target t, const struct expected *e, size_t n)
{
    struct file *f = read_file(name);
    assert_int_equal(f->found, n);
    for (size_t i = 0; i < n; i++) {
        struct io_ptx_answer a = io_ptx_check(&f->in[i], &t);
        assert_int_equal(f->in[i].line, e[i].line);
        assert_int_equal(a.reason, e[i].reason);
        assert_int_equal(a.min_ptx, e[i].min_ptx);
        if (e[i].form)
            assert_string_equal(tmap_form_name(a.form), e[i].form);
        else
            assert_int_equal(a.form, TMAP_FORM_COUNT);
    }
    drop(f);
}
#define EXPECT(name, t, e) expect_file(name, t, e, sizeof(e) / sizeof((e)[0]))

static void skips_what_is_no_instruction(void **state)
{
    (void)state;
    static const struct expected e[] = {{19, "TILE_LOAD_CLUSTER", IO_PTX_AVAILABLE, 80},
                                        {22, "TILE_STORE", IO_PTX_AVAILABLE, 80},
                                        {23, "TILE_STORE", IO_PTX_AVAILABLE, 80},
                                        {24, "BULK_GROUP", IO_PTX_AVAILABLE, 80},
                                        {29, "TILE_LOAD_CTA", IO_PTX_AVAILABLE, 86},
                                        {34, "MAP_PREFETCH", IO_PTX_AVAILABLE, 80}};
    struct file *f = read_file("syntax.ptx");
    assert_int_equal(f->module.version, 86);
    assert_int_equal(f->module.arch, TMAP_ARCH(90, 1));
    assert_string_equal(f->module.target, "sm_90a");
    assert_int_equal(f->module.version_line, 4);
    assert_int_equal(f->module.target_line, 5);
    drop(f);
    EXPECT("syntax.ptx", target(86, 90, 1), e);
}

static void names_what_a_hopper_has_not(void **state)
{
    (void)state;
    static const struct expected on_90a[] = {
        {9, "TILE_LOAD_CTA", IO_PTX_NEEDS_VERSION, 86},
        {10, "GATHER4_LOAD_CLUSTER", IO_PTX_NOT_ON_TARGET, 0},
        {11, "MOD_CTA_GROUP_2", IO_PTX_NOT_ON_TARGET, 0},
        {12, "IM2COL_LOAD_CLUSTER", IO_PTX_NO_SUCH_DIM, 0},
        {13, "MOD_MULTICAST_CTA", IO_PTX_NOT_ON_TARGET, 0},
        {14, NULL, IO_PTX_NO_FORM, 0},
        {15, "REPLACE_ADDRESS", IO_PTX_NEEDS_VERSION, 83},
        {16, "REPLACE_ELEMTYPE_PACKED", IO_PTX_NOT_ON_TARGET, 0},
        {17, "REPLACE_BOX_DIM", IO_PTX_NO_SUCH_VALUE, 0},
        {18, NULL, IO_PTX_NO_FORM, 0}};
    static const struct expected on_100a[] = {{9, "TILE_LOAD_CTA", IO_PTX_AVAILABLE, 86},
                                              {10, "GATHER4_LOAD_CLUSTER", IO_PTX_AVAILABLE, 86},
                                              {11, "TILE_LOAD_CLUSTER", IO_PTX_AVAILABLE, 86},
                                              {12, "IM2COL_LOAD_CLUSTER", IO_PTX_NO_SUCH_DIM, 0},
                                              {13, "MOD_MULTICAST_CTA", IO_PTX_NOT_ON_TARGET, 0},
                                              {14, NULL, IO_PTX_NO_FORM, 0},
                                              {15, "REPLACE_ADDRESS", IO_PTX_AVAILABLE, 86},
                                              {16, "REPLACE_ELEMTYPE_PACKED", IO_PTX_AVAILABLE, 87},
                                              {17, "REPLACE_BOX_DIM", IO_PTX_NO_SUCH_VALUE, 0},
                                              {18, NULL, IO_PTX_NO_FORM, 0}};
    EXPECT("newer.ptx", target(80, 90, 1), on_90a);
    EXPECT("newer.ptx", target(90, 100, 1), on_100a);
}

static struct io_ptx_answer ask(const char *instruction, struct tmap_target t)
{
    struct file *f = read_text(instruction, strlen(instruction));
    assert_int_equal(f->found, 1);
    struct io_ptx_answer a = io_ptx_check(&f->in[0], &t);
    drop(f);
    return a;
}

static void knows_which_loads_become_calls(void **state)
{
    (void)state;
    const char *cluster = "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                          ".mbarrier::complete_tx::bytes [s], [m, {x, y}], [b];";
    const char *cta = "cp.async.bulk.tensor.2d.shared::cta.global.tile"
                      ".mbarrier::complete_tx::bytes [s], [m, {x, y}], [b];";
    assert_true(ask(cluster, target(90, 120, 1)).is_call);
    assert_int_equal(ask(cluster, target(90, 120, 1)).verdict, TMAP_LEGAL);
    assert_false(ask(cta, target(90, 120, 1)).is_call);
    assert_false(ask(cluster, target(90, 100, 1)).is_call);
    assert_false(ask(cluster, target(90, 90, 1)).is_call);
}

/* Thor was sm_101 until PTX 8.8 and is sm_110 from 9.0 on: one GPU, so what either name has. */
static void knows_an_architecture_by_both_names(void **state)
{
    (void)state;
    const char *scatter = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
                          " [m, {c, r0, r1, r2, r3}], [s];";
    assert_int_equal(ask(scatter, target(86, 101, 1)).verdict, TMAP_LEGAL);
    assert_int_equal(ask(scatter, target(86, 110, 1)).verdict, TMAP_LEGAL);
    assert_int_equal(ask(scatter, target(85, 110, 1)).reason, IO_PTX_NEEDS_VERSION);
    assert_int_equal(ask(scatter, target(90, 110, 0)).reason, IO_PTX_NOT_ON_TARGET);
}

static void does_not_guess_about_targets_nobody_read(void **state)
{
    (void)state;
    const char *store = "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [m, {x}], [s];";
    assert_int_equal(ask(store, target(90, 130, 1)).verdict, TMAP_UNKNOWN);
    assert_int_equal(ask(store, target(96, 90, 1)).verdict, TMAP_UNKNOWN);
    assert_int_equal(ask(store, target(95, 90, 1)).verdict, TMAP_LEGAL);
    assert_int_equal(ask(store, target(79, 90, 1)).verdict, TMAP_ILLEGAL);
}

static void checks_the_directives(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum tmap_verdict verdict;
        uint32_t min_ptx;
    } rows[] = {{".version 8.0\n.target sm_90a\n", TMAP_LEGAL, 80},
                {".version 7.8\n.target sm_90a\n", TMAP_ILLEGAL, 80},
                {".version 8.7\n.target sm_100f, debug\n", TMAP_ILLEGAL, 88},
                {".version 8.8\n.target sm_110a\n", TMAP_ILLEGAL, 90},
                {".version 8.8\n.target sm_101a\n", TMAP_LEGAL, 86},
                {".version 9.9\n.target sm_90a\n", TMAP_UNKNOWN, 80},
                {".version 9.0\n.target sm_80\n", TMAP_UNKNOWN, 0},
                {".target sm_90a\n", TMAP_UNKNOWN, 80},
                {".version 9.0\n", TMAP_UNKNOWN, 0},
                {".version nine\n.target sm_90a\n", TMAP_UNKNOWN, 80},
                {"", TMAP_UNKNOWN, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct file *f = read_text(rows[i].text, strlen(rows[i].text));
        uint32_t min_ptx = 1;
        assert_int_equal(f->found, 0);
        assert_int_equal(io_ptx_check_module(&f->module, &min_ptx), rows[i].verdict);
        assert_int_equal(min_ptx, rows[i].min_ptx);
        drop(f);
    }
}

static void survives_every_truncation_and_damage(void **state)
{
    (void)state;
    struct file *f = read_file("newer.ptx");
    size_t before = 0;
    uint32_t x = 12345;
    for (size_t n = 0; n <= f->size; n++) {
        char *cut = malloc(n ? n : 1); /* exact size, so that a sanitizer sees an overrun */
        assert_non_null(cut);
        memcpy(cut, f->text, n);
        struct io_ptx_module m;
        size_t found;
        assert_int_equal(io_ptx_read(cut, n, &m, NULL, 0, &found), TMAP_OK);
        assert_true(found + 1 >= before);
        before = found;
        for (int k = 0; k < 4 && n; k++) {
            x = x * 1664525u + 1013904223u;
            cut[x % n] = (char)(x >> 24);
        }
        struct io_ptx_instruction in[4];
        assert_int_equal(io_ptx_read(cut, n, &m, in, 4, &found), TMAP_OK);
        for (size_t i = 0; i < found && i < 4; i++)
            assert_true(in[i].text >= cut && in[i].text + in[i].length <= cut + n);
        free(cut);
    }
    drop(f);
}

static void refuses_misuse(void **state)
{
    (void)state;
    struct io_ptx_module m;
    size_t found = 7;
    assert_int_equal(io_ptx_read(NULL, 1, &m, NULL, 0, &found), TMAP_E_ARGUMENT);
    assert_int_equal(io_ptx_read("x", 1, NULL, NULL, 0, &found), TMAP_E_ARGUMENT);
    assert_int_equal(io_ptx_read("x", 1, &m, NULL, 1, &found), TMAP_E_ARGUMENT);
    assert_int_equal(io_ptx_read("x", 1, &m, NULL, 0, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(found, 7);
    assert_int_equal(io_ptx_read(NULL, 0, &m, NULL, 0, &found), TMAP_OK);
    assert_int_equal(found, 0);
}

static void immediates(void **state)
{
    static const struct {
        const char *value;
        bool has;
        int64_t is;
    } rows[] = {{"012", true, 12},
                {"0", true, 0},
                {"31", true, 31},
                {"0x1f", true, 31},
                {"0X1F", true, 31},
                {"0x1g", false, 0},
                {"0x1.5", false, 0},
                {"1a", false, 0},
                {"%r1", false, 0},
                {"0x", false, 0},
                {"1234567890123456", false, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        const int n = snprintf(text, sizeof text,
                               "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%%rd1], %s;",
                               rows[i].value);
        struct file *f = read_text(text, (size_t)n);
        assert_int_equal(f->found, 1);
        if (f->in->has_value != rows[i].has || (rows[i].has && f->in->value != rows[i].is))
            fail_msg("%s", rows[i].value);
        const struct tmap_target target = tmap_default_target();
        const struct io_ptx_answer answer = io_ptx_check(f->in, &target);
        const bool fits = !rows[i].has || rows[i].is < 4;
        assert_int_equal(answer.reason, fits ? IO_PTX_AVAILABLE : IO_PTX_NO_SUCH_VALUE);
        drop(f);
    }
}

/* A version or target that is none, and more qualifiers than an instruction has. */
static void odd_statements(void **state)
{
    static const struct {
        const char *text;
        uint32_t version;
        size_t found;
    } rows[] = {{".version (8.6)\n.target ;\nfence.acquire;", 0, 0},
                {".version\n8.6\n", 0, 0},
                {".version 8.6\n", 86, 0},
                {"cp.async.bulk..tensor.2d [a];", 0, 1},
                {"cp.async.bulk.tensor.2d.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.aa.bb"
                 ".cc.dd.ee.ff.gg.hh.ii [a];",
                 0, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct file *f = read_text(rows[i].text, strlen(rows[i].text));
        assert_int_equal(f->module.version, rows[i].version);
        assert_int_equal(f->found, rows[i].found);
        if (f->found) assert_int_equal(f->in->forms, 0);
        drop(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(immediates),
        cmocka_unit_test(odd_statements),
        cmocka_unit_test(finds_each_form_that_the_assemblers_were_asked_about),
        cmocka_unit_test(answers_for_the_first_and_the_last_target),
        cmocka_unit_test(skips_what_is_no_instruction),
        cmocka_unit_test(names_what_a_hopper_has_not),
        cmocka_unit_test(knows_which_loads_become_calls),
        cmocka_unit_test(knows_an_architecture_by_both_names),
        cmocka_unit_test(does_not_guess_about_targets_nobody_read),
        cmocka_unit_test(checks_the_directives),
        cmocka_unit_test(survives_every_truncation_and_damage),
        cmocka_unit_test(refuses_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
