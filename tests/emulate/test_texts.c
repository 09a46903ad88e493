/* Texts that are no PTX, or PTX that the emulator does not take: each is refused at its line, in
 * the words that say why; and what odd but legal texts mean. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ptx_run.h"

#define HEAD ".version 9.0\n.target sm_90a\n"
#define BODY                                                                                       \
    HEAD ".visible .entry k(.param .u64 p) {\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 "       \
         "%r<8>; .reg .b64 %d<8>;\n"
#define FUNCTION HEAD ".func f(.param .b32 x) { ret; }\n.extern .func e();\n.visible .entry k() {\n"
#define LONG "a_word_of_more_than_forty_characters_which_is_cut_in_messages"

static const struct text {
    const char *text;
    uint32_t line;
    const char *says;
    enum tmap_status status; /* 0: TMAP_E_ARGUMENT */
} texts[] = {
    /* the module */
    {"", 1, "no .version or no .target", 0},
    {".version 9.0\n", 2, "no .version or no .target", 0},
    {".target sm_90\n", 2, "no .version or no .target", 0},
    {".version 9\n", 1, "a version expected", 0},
    {".version 0.0\n", 1, "a version expected", 0},
    {".version 100.0\n", 1, "a version expected", 0},
    {".version 9.0\n.target sm_1\n", 2, "target 'sm_1' is not known", TMAP_E_TARGET},
    {".version 9.0\n.target 90\n", 2, "target '' is not known", TMAP_E_TARGET},
    {".version 9.0\n.target " LONG "\n", 2, "target '' is not known", TMAP_E_TARGET},
    {HEAD ".address_size 32\n", 3, "addresses of 64 bits only", 0},
    {HEAD "/* never\nclosed *", 4, NULL, 0},
    {HEAD "nonsense\n", 3, "'nonsense' is not known here", 0},
    /* ends in the middle of a word's beginning */
    {HEAD "/", 3, "'/' is not known here", 0},
    {HEAD "/x", 3, "'/' is not known here", 0},
    {HEAD ".", 3, "'.' is not known here", 0},
    {HEAD ".5", 3, "'.' is not known here", 0},
    {HEAD ":", 3, "':' is not known here", 0},
    {HEAD "a::b:", 3, "'a::b' is not known here", 0},
    {HEAD "a:", 3, "'a' is not known here", 0},
    {HEAD "\"open", 3, "'open' is not known here", 0},
    {HEAD "\"open\n", 3, "'open' is not known here", 0},
    {HEAD ".address_size 6", 3, "addresses of 64 bits only", 0},
    {HEAD ".address_size 0", 3, "addresses of 64 bits only", 0},
    {HEAD ".address_size 0x", 3, "addresses of 64 bits only", 0},
    {HEAD ".address_size 0f3F800000.", 3, "addresses of 64 bits only", 0},
    {HEAD ".address_size 64.", 3, "addresses of 64 bits only", 0},
    {HEAD ".address_size 0x4.", 3, "addresses of 64 bits only", 0},
    {HEAD ".address_size 1.5e4_x", 3, "addresses of 64 bits only", 0},
    {HEAD ".section .debug { {", 3, "the text ends inside a section", 0},
    {HEAD LONG "\n", 3, "'a_word_of_more_than_forty_characters_whi' is not known here", 0},
    {HEAD "{\n", 3, "'{' is not known here", 0},
    {HEAD ".file x\n", 3, "a number expected, found 'x'", 0},
    {HEAD ".file 70000 \"a\"\n", 3, "a number expected, found '70000'", 0},
    {HEAD ".section .debug {\n.b8 1\n", 5, "the text ends inside a section", 0},
    {HEAD ".section .debug", 3, NULL, 0},
    /* variables */
    {HEAD ".global a;\n", 3, "a declaration without a type", 0},
    {HEAD ".global .foo a;\n", 3, "'.foo' in a declaration", 0},
    {HEAD ".global .align 3 .u32 a;\n", 3, ".align takes a power of two", 0},
    {HEAD ".global .align 0 .u32 a;\n", 3, ".align takes a power of two", 0},
    {HEAD ".global .align x .u32 a;\n", 3, "a number expected, found 'x'", 0},
    {HEAD ".global .u32 5;\n", 3, "a variable's name expected", 0},
    {HEAD ".global .u32 a[x];\n", 3, "a number expected, found 'x'", 0},
    {HEAD ".global .u32 a[4;\n", 3, "']' expected, found ';'", 0},
    {HEAD ".global .u32 a[999999999];\n", 3, "a number expected, found '999999999'", 0},
    {HEAD ".global .u32 a[100000000];\n", 3, "a variable of more than 268435456 bytes", 0},
    {HEAD ".global .u32 a\n.global .u32 b;\n", 4, "';' expected, found '.global'", 0},
    {HEAD ".global .u32 a[2] = {1, 2, 3};\n", 3, "more values than the array has", 0},
    {HEAD ".global .u32 a[2] = {{1}, {2}}};\n", 3, "braces of an initial value do not match", 0},
    {HEAD ".global .u32 a = {1;\n", 3, "braces of an initial value do not match", 0},
    {HEAD ".global .u32 a = x;\n", 3, "an initial value that is no constant", 0},
    {HEAD ".global .u64 a = generic b;\n", 3, "'(' expected, found 'b'", 0},
    {HEAD ".global .u64 a = generic(5;\n", 3, "')' expected, found ';'", 0},
    {HEAD ".global .u64 a = generic(;\n", 3, "a number expected, found ';'", 0},
    {HEAD ".global .u32 b; .global .u32 a = b;\n", 3, "an initial value that is no constant", 0},
    {HEAD ".shared .u32 a = 1;\n", 3, "an initial value of a variable that is neither global", 0},
    {HEAD ".global .u32 a<2>;\n", 3, "a range of variables", 0},
    {HEAD ".global .u32 a, b;\n", 3, "';' expected, found ','", 0},
    {HEAD ".global .attribute(.managed) .u32 a;\n", 3, "'.attribute' in a declaration", 0},
    {HEAD ".global .u32 b; .global .u64 a = generic(b)+x;\n", 3, "a number expected, found 'x'", 0},
    {HEAD ".global .b8 a[268435456]; .global .b8 b[268435456]; .global .b8 c[268435456];\n"
          ".global .b8 d[268435456]; .global .b8 e[16];\n",
     0, "too many bytes of variables", 0},
    {BODY ".shared .b8 s[33554432];\nret;\n}\n", 0, "too many bytes of variables", 0},
    {BODY ".local .b8 s[33554432];\nret;\n}\n", 0, "too many bytes of variables", 0},
    /* heads of functions */
    {HEAD ".entry 5\n", 3, "a function's name expected", 0},
    {HEAD ".func (.param .b32 a .param .b32 b) f;\n", 3, "',' expected, found '.param'", 0},
    {HEAD ".entry k(.reg .u32 a) {}\n", 3, "'.param' expected, found '.reg'", 0},
    {HEAD ".entry k(.param .u32 5) {}\n", 3, "a variable's name expected", 0},
    {HEAD ".entry k(.param .u32 a\n", 4, "',' expected, found ''", 0},
    {HEAD ".entry k()\n.foo {}\n", 4, "'.foo' after a function's name", 0},
    {HEAD ".entry k()\n." LONG " {}\n", 4, "'.a_word_of_more_than_forty_characters_wh' after", 0},
    {HEAD ".entry k() .maxntid x {}\n", 3, "a number expected, found 'x'", 0},
    {HEAD ".entry k() .maxclusterrank x {}\n", 3, "a number expected, found 'x'", 0},
    {HEAD ".entry k() .reqntid 8,y {}\n", 3, "a number expected, found 'y'", 0},
    {HEAD ".entry k() .reqnctapercluster z {}\n", 3, "a number expected, found 'z'", 0},
    {HEAD ".entry k() .maxnreg x {}\n", 3, "a number expected, found 'x'", 0},
    {HEAD ".entry k() .pragma \"x\"\n", 4, "';' expected, found ''", 0},
    {HEAD ".entry k()\n", 4, "the text ends inside a function's head", 0},
    /* bodies: declarations */
    {BODY ".foo 1;\n}\n", 5, "directive '.foo' is not known here", 0},
    {BODY ".reg 5;\n}\n", 5, "a type expected after .reg", 0},
    {BODY ".reg .foo %a;\n}\n", 5, "registers of type '.foo'", 0},
    {BODY ".reg .b32 5;\n}\n", 5, "a register's name expected", 0},
    {BODY ".reg .b32 %a<x>;\n}\n", 5, "a number of registers expected", 0},
    {BODY ".reg .b32 %a<5;\n}\n", 5, "'>' expected, found ';'", 0},
    {BODY ".reg .b32 %a<600000>;\n}\n", 5, "more than 524288 registers", 0},
    {BODY ".reg .b32 %a<400000>; .reg .b32 %b<400000>;\n}\n", 5, "more than 524288 registers", 0},
    {BODY ".reg .b32 %a %b;\n}\n", 5, "';' expected, found '%b'", 0},
    {BODY ".local .b8 5;\n}\n", 5, "a variable's name expected", 0},
    {BODY ".local .b8 a b;\n}\n", 5, "';' expected, found 'b'", 0},
    {BODY ".pragma \"x\"\n", 6, "';' expected, found ''", 0},
    /* instructions and operands */
    {BODY "5;\n}\n", 5, "an instruction expected, found '5'", 0},
    {BODY "@5 ret;\n}\n", 5, "the guard is no predicate", 0},
    {BODY "@%r1 ret;\n}\n", 5, "the guard is no predicate", 0},
    {BODY "@!%r1 ret;\n}\n", 5, "the guard is no predicate", 0},
    {BODY "@[ ret;\n}\n", 5, "']' expected, found ';'", 0},
    {BODY "add.s32 %r1 %r2;\n}\n", 5, "';' expected, found '%r2'", 0},
    {BODY "mov.b32 %r1, -%r2;\n}\n", 5, "a number expected, found '%r2'", 0},
    {BODY "mov.b32 %r1, ;\n}\n", 5, "'mov.b32' has too few operands", 0},
    {BODY "ld.global.b32 %r1, [%d1+%r2];\n}\n", 5, "a number expected, found '%r2'", 0},
    {BODY "ld.global.b32 %r1, [%d1+1.5];\n}\n", 5, "an offset expected", 0},
    {BODY "ld.global.b32 %r1, [%d1;\n}\n", 5, "']' expected, found ';'", 0},
    {BODY "mov.b32 %r1, %r9;\n}\n", 5, "register %r9 is not declared", 0},
    {BODY "mov.b32 %r1, %x9;\n}\n", 5, "'%x9' is not declared", 0},
    {BODY "mov.b64 %d1, %x9;\n}\n", 5, "'%x9' has 32 bits", 0},
    {BODY "mov.b64 %d1, %tid;\n}\n", 5, "'%tid' has 32 bits", 0},
    {BODY "mov.b32 %r1, %r2|;\n}\n", 5, "a number expected, found ';'", 0},
    {BODY "mov.b32 %r1, {{{{{{{{{%r2}}}}}}}}};\n}\n", 5, "operands nested too deeply", 0},
    {BODY "mov.b128 %d1, 5;\n}\n", 5, "'mov.b128' writes 128 bits to a register of 64", 0},
    {BODY "ret\n}\n", 6, "a number expected, found '}'", 0},
    {BODY "nosuch.b32 %r1;\n}\n", 5, "unknown instruction 'nosuch.b32'", 0},
    {BODY "add\n.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z %r1, %r2, %r3;\n}\n", 5,
     "too many qualifiers", 0},
    {BODY "x: .callprototype _ ();\n}\n", 5, "'.callprototype' is not supported", 0},
    {BODY "x: .branchtargets 5;\n}\n", 5, "a label expected", 0},
    {BODY "x: .branchtargets a b;\n}\n", 5, "';' expected, found 'b'", 0},
    {BODY "bra nowhere;\n}\n", 5, "'bra' goes to no label", 0},
    {BODY ".loc", 5, "the text ends inside a function", 0},
    {BODY ".loc x\n", 6, "the text ends inside a function", 0},
    {BODY ".loc 1", 5, "the text ends inside a function", 0},
    {BODY ".local .b8 a, b;\n}\n", 5, "';' expected, found ','", 0},
    {BODY "@!%p1 bra x, y\n}\n", 6, "';' expected, found '}'", 0},
    {BODY "{ inner: ret; }\nbra inner;\n}\n", 6, "'bra' goes to no label", 0},
    {BODY "brx.idx %r1, t;\n}\n", 5, "'brx.idx' has no table of targets", 0},
    {BODY "t: .branchtargets nowhere;\nbrx.idx %r1, t;\n}\n", 6, "'nowhere' goes to no label", 0},
    {BODY "{ t: .branchtargets x; x: ret; }\nbrx.idx %r1, t;\n}\n", 6, "has no table of targets",
     0},
    {BODY "ret;\n", 6, "the text ends inside a function", 0},
    {BODY "setmaxnreg.inc.sync.aligned.u32 16;\n}\n", 5, "setmaxnreg of 16 registers", 0},
    {BODY "setmaxnreg.inc.sync.aligned.u32 264;\n}\n", 5, "setmaxnreg of 264 registers", 0},
    {BODY "setmaxnreg.dec.sync.aligned.u32 60;\n}\n", 5, "setmaxnreg of 60 registers", 0},
    /* calls */
    {FUNCTION "call nosuch;\n}\n", 6, "a call of what is no function of this module", 0},
    {FUNCTION "call k;\n}\n", 6, "a call of what is no function of this module", 0},
    {FUNCTION "call e;\n}\n", 6, "a call of 'e', which has no body here", 0},
    {FUNCTION "call f;\n}\n", 6, "a call with another number of arguments", 0},
    {FUNCTION ".param .b32 y;\ncall f, (y, y);\n}\n", 7, "a call with another number of arguments",
     0},
    {FUNCTION ".param .b32 y;\ncall f, y;\n}\n", 7, "a call with another number of arguments", 0},
    {FUNCTION ".param .b32 y;\ncall (y), f, (y);\n}\n", 7,
     "a call with another number of arguments", 0},
    {FUNCTION "call f, (5);\n}\n", 6, "an argument of a call that is no variable", 0},
    {FUNCTION ".param .b32 y;\ncall f, (y+4);\n}\n", 7, "an argument of a call that is no variable",
     0},
    /* instructions of other targets */
    {".version 9.0\n.target sm_90\n.entry k() {\nwgmma.fence.sync.aligned;\n}\n", 4,
     "sm_90 has no 'wgmma.fence.sync.aligned'", TMAP_E_TARGET},
    {BODY "tcgen05.wait::ld.sync.aligned;\n}\n", 5, "sm_90a has no 'tcgen05.wait::ld.sync.aligned'",
     TMAP_E_TARGET},
    {".version 9.0\n.target sm_100\n.entry k() {\ntcgen05.wait::ld.sync.aligned;\n}\n", 4,
     "sm_100 has no", TMAP_E_TARGET},
    {".version 9.0\n.target sm_120a\n.entry k() {\ntcgen05.wait::ld.sync.aligned;\n}\n", 4,
     "sm_120a has no", TMAP_E_TARGET},
    {BODY
     "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];\n}\n",
     5, "sm_90a has no 'clusterlaunchcontrol", TMAP_E_TARGET},
};

/* From memory that ends where the text does. */
static enum tmap_status load_exactly(const char *text, struct tmap_emulate_module **module,
                                     struct tmap_emulate_error *error)
{
    const size_t n = strlen(text);
    char *copy = malloc(n + 1);
    assert_non_null(copy);
    char *end = copy + 1; /* nothing of a text of no bytes is read */
    memcpy(end, text, n);
    const enum tmap_status s = tmap_emulate_load(end, n, module, error);
    free(copy);
    return s;
}

static void refused_texts(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct text *t = &texts[i];
        struct tmap_emulate_module *module = NULL;
        struct tmap_emulate_error error;
        const enum tmap_status want = t->status ? t->status : TMAP_E_ARGUMENT;
        const enum tmap_status s = load_exactly(t->text, &module, &error);
        tmap_emulate_free(module);
        if (!t->says) { /* its meaning is free; that it ends is not */
            continue;
        }
        if (s != want || error.line != t->line || !strstr(error.text, t->says))
            wrong++, fprintf(stderr, "# %s# status %d, line %u: '%s', not %u: '%s'\n", t->text, s,
                             error.line, error.text, t->line, t->says);
        module = NULL;
        assert_int_equal(tmap_emulate_load(t->text, strlen(t->text), &module, NULL), s);
        assert_null(module);
    }
    assert_int_equal(wrong, 0);
}

/* Taken as they are, to the last byte. */
static void texts_that_end(void **state)
{
    static const char *const fine[] = {
        HEAD "// a remark",
        HEAD ".address_size 64U",
        HEAD ".address_size 64",
        HEAD ".file 1",
        HEAD ".file 1 2",
        HEAD ".extern .visible .extern .common .weak .noreturn .global .u32 a;",
        HEAD ".entry k .maxnctapersm 2 .maxclusterrank 8 .noreturn .explicitcluster "
             ".blocksareclusters {}\n",
        BODY ".loc 1 y\nret;\n}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        struct tmap_emulate_module *module = NULL;
        struct tmap_emulate_error error;
        if (load_exactly(fine[i], &module, &error) != TMAP_OK)
            fail_msg("%s: line %u: %s", fine[i], error.line, error.text);
        tmap_emulate_free(module);
    }
}

/* Made long: more than the parser takes of one thing. */
static void refuse_many(const char *before, const char *one, size_t count, const char *after,
                        const char *says)
{
    const size_t n = strlen(before), m = strlen(one), k = strlen(after);
    char *text = malloc(n + count * m + k + 1), *at = text + n;
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_error error;
    assert_non_null(text);
    memcpy(text, before, n);
    for (size_t i = 0; i < count; i++, at += m) memcpy(at, one, m);
    memcpy(at, after, k + 1);
    assert_int_equal(tmap_emulate_load(text, strlen(text), &module, &error), TMAP_E_ARGUMENT);
    if (!strstr(error.text, says)) fail_msg("'%s', not '%s'", error.text, says);
    free(text);
}

static void too_much(void **state)
{
    (void)state;
    refuse_many(BODY "mov.b32 %r1, {", "%r2, ", 1100, "%r3};\n}\n",
                "too many operands in a vector");
    refuse_many(BODY "add.s32 %r1", ", %r2", 70, ";\n}\n", "too many operands");
    refuse_many(BODY, "{", 70, "", "scopes nested too deeply");
    refuse_many(HEAD ".entry k(", ".param .u32 a,", 5000, ".param .u32 b) {}",
                "too many parameters");
}

/* More names and numbers than there are chains for them. */
static void many_names(void **state)
{
    enum { MANY = 6000 };
    static char text[MANY * 64];
    static uint64_t data[8];
    size_t n = (size_t)sprintf(text, "%s.reg .b64 %%sum; mov.u64 %%sum, 0;\n", BODY);
    struct ptx_run run;
    (void)state;
    for (int i = 0; i < MANY; i++) n += (size_t)sprintf(text + n, ".reg .b64 %%n_%05d;\n", 7 * i);
    for (int i = 0; i < MANY; i++)
        n += (size_t)sprintf(text + n, "add.u64 %%sum, %%sum, %d;\n", 1000 * i);
    sprintf(text + n, "mov.u64 %%n_00700, %%sum; mov.u64 %%n_41993, 9; ld.param.u64 %%d1, [p];\n"
                      "st.global.u64 [%%d1], %%n_00700;\nret;\n}\n");
    assert_true(ptx_run(text, data, sizeof data, 1, 1, 0, TMAP_EMULATE_EARLIEST, &run));
    assert_int_equal(data[0], (uint64_t)1000 * MANY * (MANY - 1) / 2);
}

static void no_arguments(void **state)
{
    struct tmap_emulate_module *module = NULL;
    uint32_t offset, bytes, align;
    (void)state;
    assert_int_equal(tmap_emulate_load(NULL, 0, &module, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_emulate_load("", 0, NULL, NULL), TMAP_E_ARGUMENT);
    static const char text[] =
        HEAD ".func f() { ret; }\n.entry a(.param .u32 x, .param .align 16 .b8 y[20]) "
             "{ ret; }\n.entry b() { ret; }\n";
    assert_int_equal(tmap_emulate_load(text, strlen(text), &module, NULL), TMAP_OK);
    assert_string_equal(tmap_emulate_kernel(module, 0), "a");
    assert_string_equal(tmap_emulate_kernel(module, 1), "b");
    assert_null(tmap_emulate_kernel(module, 2));
    assert_null(tmap_emulate_kernel(NULL, 0));
    assert_true(tmap_emulate_param(module, "a", 1, &offset, &bytes, &align));
    assert_int_equal(offset, 16);
    assert_int_equal(bytes, 20);
    assert_int_equal(align, 16);
    assert_true(tmap_emulate_param(module, "a", 0, NULL, NULL, NULL));
    assert_false(tmap_emulate_param(module, "a", 2, &offset, &bytes, &align));
    assert_false(tmap_emulate_param(module, "f", 0, NULL, NULL, NULL));
    assert_false(tmap_emulate_param(module, "nosuch", 0, NULL, NULL, NULL));
    assert_false(tmap_emulate_param(module, NULL, 0, NULL, NULL, NULL));
    assert_false(tmap_emulate_param(NULL, "a", 0, NULL, NULL, NULL));
    tmap_emulate_free(module);
    tmap_emulate_free(NULL);
}

/* --- odd texts that mean something: each stores to data[0] */

static const struct meaning {
    const char *globals, *body;
    uint64_t value;
} meanings[] = {
    {"", "mov.u64 %d1, 0x1F;", 31},
    {"", "mov.u64 %d1, 0X1fU;", 31},
    {"", "mov.u64 %d1, 0b101;", 5},
    {"", "mov.u64 %d1, 017;", 15},
    {"", "mov.u64 %d1, -1;", UINT64_MAX},
    {"", "mov.u64 %d1, - -7;", 7},
    {"", "mov.u64 %d1, +7;", 7},
    {"", "mov.b64 %d1, 0d3FF0000000000000;", 0x3ff0000000000000},
    {"", "mov.f64 %d1, -1.5;", 0xbff8000000000000},
    {"", "mov.f64 %d1, 3;", 0x4008000000000000},
    {"", "mov.f32 %r1, 0f3F800000; cvt.u64.u32 %d1, %r1;", 0x3f800000},
    {"", "mov.f32 %r1, -0F3F800000; cvt.u64.u32 %d1, %r1;", 0xbf800000},
    {"", "mov.f32 %r1, 2.5; cvt.u64.u32 %d1, %r1;", 0x40200000},
    {"", "mov.f32 %r1, -2; cvt.u64.u32 %d1, %r1;", 0xc0000000},
    {".global .u32 a = 5;", "ld.global.u32 %r1, [a]; cvt.u64.u32 %d1, %r1;", 5},
    {".global .u32 a[2][2] = {{1, 2}, {3, 4}};", "ld.global.u32 %r1, [a+12]; cvt.u64.u32 %d1, %r1;",
     4},
    {".global .v2 .u32 a = {7, 8};", "ld.global.u32 %r1, [a+4]; cvt.u64.u32 %d1, %r1;", 8},
    {".global .v4 .u16 a = {7, 8, 9};", "ld.global.u64 %d1, [a];", 0x900080007},
    {".global .b8 a[3] = {1, 2, 255};", "ld.global.u8 %r1, [a+2]; cvt.u64.u32 %d1, %r1;", 255},
    {".global .f32 a = 0f3F800000;", "ld.global.u32 %r1, [a]; cvt.u64.u32 %d1, %r1;", 0x3f800000},
    {".global .f32 a = 1.5;", "ld.global.u32 %r1, [a]; cvt.u64.u32 %d1, %r1;", 0x3fc00000},
    {".global .f32 a[2] = {-2.5, 3.0};", "ld.global.u64 %d1, [a];", 0x40400000c0200000},
    {".global .f64 a = 1.5;", "ld.global.u64 %d1, [a];", 0x3ff8000000000000},
    {".global .f64 a = 0f40000000;", "ld.global.u64 %d1, [a];", 0x4000000000000000},
    {".global .b32 a = 1.5;", "ld.global.u32 %r1, [a]; cvt.u64.u32 %d1, %r1;", 0x3fc00000},
    {".const .u64 a = -2;", "ld.const.u64 %d1, [a];", (uint64_t)-2},
    {".global .u32 a[4] = {1, 2, 3, 4}; .global .u64 b = generic(a)+8;",
     "ld.global.u64 %d2, [b]; ld.u32 %r1, [%d2]; cvt.u64.u32 %d1, %r1;", 3},
    {".global .u32 a[4] = {1, 2, 3, 4}; .global .u64 b[2] = {0, a+4};",
     "ld.global.u64 %d2, [b+8]; ld.u32 %r1, [%d2]; cvt.u64.u32 %d1, %r1;", 2},
    {".file 1 \"a.cu\"\n.file 3 \"b.cu\", 12, 13\n",
     ".loc 1 5 3\nmov.u64 %d1, 1;\n.loc 3 7 1, function_name f, inlined_at 1 2 3\nadd.u64 %d1, "
     "%d1, 1;",
     2},
    {".section .debug_str { .b8 97,{1}, 0 }\n", "mov.u64 %d1, 4;", 4},
    {"/* a comment\nof two/three lines **/ // and one", "mov.u64 %d1, 6; // the rest", 6},
    {"/*/ no end of it nonsense */", "/**/ mov.u64 %d1, 6;", 6},
    {".global .u32 a[4] = {1, 2, 3, 4}; .global .u64 b = generic(a+12)-8;",
     "ld.global.u64 %d2, [b]; ld.u32 %r1, [%d2]; cvt.u64.u32 %d1, %r1;", 2},
    {".global .u32 a[4] = {1, 2, 3, 4};",
     "mov.u64 %d2, a; ld.global.u32 %r1, [%d2+12-4]; ld.global.u32 %r2, [a-0]; mad.lo.u32 %r1, "
     "%r1, 10, %r2; cvt.u64.u32 %d1, %r1;",
     31},
    {"", ".pragma \"nounroll\"; mov.u64 %d1, 8;", 8},
    {"", "{ .reg .b64 %d1; mov.u64 %d1, 5; } mov.u64 %d1, 9;", 9},
    {"", "mov.u64 %d1, 9; { .reg .b64 %d1; mov.u64 %d1, 5; }", 9},
    {"", "{ .reg .b64 %x<3>; mov.u64 %x2, 5; mov.u64 %d1, %x2; }", 5},
    {"", "mov.u64 %d1, 1; bra x; { x: mov.u64 %d1, 2; } x: add.u64 %d1, %d1, 4;", 5},
    {"", "mov.u64 %d1, 3; { bra x; mov.u64 %d1, 2; x: add.u64 %d1, %d1, 1; }", 4},
    {"",
     "mov.u32 %r1, 1; t: .branchtargets a, b; brx.idx.uni %r1, t; a: mov.u64 %d1, 1; bra c; "
     "b: mov.u64 %d1, 2; c:",
     2},
    {"",
     ".local .b8 a[16]; mov.u64 %d1, 77; st.local.u64 [a+8], %d1; mov.u64 %d1, 0; ld.local.u64 "
     "%d1, [a+8];",
     77},
    {".shared .align 8 .u64 s[2];",
     "mov.u64 %d1, 78; st.shared.u64 [s+8], %d1; ld.shared.u64 %d1, [s+8];", 78},
    {".func (.param .b32 o) f(.param .b32 i) { .reg .b32 %a; ld.param.b32 %a, [i]; add.u32 %a, %a, "
     "1; "
     "st.param.b32 [o], %a; ret; }",
     "{ .param .b32 x; .param .b32 y; st.param.b32 [x], 41; call.uni (y), f, (x); ld.param.b32 "
     "%r1, [y]; "
     "cvt.u64.u32 %d1, %r1; }",
     42},
    {".weak .func g();\n.visible .func g() { ret; }\n.func g() { trap; }",
     "call g; mov.u64 %d1, 2;", 2},
    {"",
     "mov.b64 %d1, 5; discard.global.L2 [%d0], 128; prefetch.global.L2 [%d0]; prefetchu.L1 [%d0]; "
     "brkpt; pmevent 3;",
     5},
    {"", "createpolicy.fractional.L2::evict_last.b64 %d1, 0f3F800000;", 0x1000000000000000},
    {"",
     "mov.u32 %r1, %ntid.x; mov.u32 %r2, %nctaid.y; mad.lo.u32 %r1, %r1, 10, %r2; cvt.u64.u32 %d1, "
     "%r1;",
     11},
    {"", "mov.u32 %r1, WARP_SZ; cvt.u64.u32 %d1, %r1;", 32},
    {"",
     "mov.u32 %r1, %lanemask_lt; mov.u32 %r2, %lanemask_le; shl.b32 %r2, %r2, 8; or.b32 %r1, %r1, "
     "%r2; "
     "cvt.u64.u32 %d1, %r1;",
     0x100},
    {"", "mov.u64 %d1, %gridid;", 0},
    {"", "isspacep.global %p1, %d0; selp.u64 %d1, 1, 0, %p1;", 1},
    {"", "isspacep.shared %p1, %d0; selp.u64 %d1, 1, 0, %p1;", 0},
    {".shared .u32 s;",
     "mov.u64 %d2, s; cvta.shared.u64 %d2, %d2; isspacep.shared::cta %p1, %d2; selp.u64 %d1, 1, 0, "
     "%p1;",
     1},
    {".shared .u32 s;",
     "mov.u64 %d2, s; cvta.shared.u64 %d2, %d2; isspacep.shared::cluster %p1, %d2; selp.u64 %d1, "
     "1, 0, %p1;",
     1},
    {"",
     ".local .u32 a; mov.u64 %d2, a; cvta.local.u64 %d2, %d2; isspacep.local %p1, %d2; selp.u64 "
     "%d1, 1, 0, %p1;",
     1},
    {"",
     "mov.b64 %d2, p; cvta.param.u64 %d2, %d2; isspacep.param %p1, %d2; selp.u64 %d1, 1, 0, %p1;",
     1},
    {"",
     "mov.b64 %d2, p; cvta.param.u64 %d2, %d2; isspacep.param::entry %p1, %d2; selp.u64 %d1, 1, 0, "
     "%p1;",
     1},
    {"",
     "mov.u64 %d1, 1; mov.u32 %r1, %clock; mov.u64 %d2, %clock64; mov.u32 %r2, %clock; sub.u32 "
     "%r2, %r2, %r1; "
     "setp.gt.u32 %p1, %r2, 0; selp.u64 %d1, %d1, 0, %p1;",
     1},
    {"",
     "mov.u64 %d1, %globaltimer; mov.u64 %d2, %globaltimer; setp.gt.u64 %p1, %d2, %d1; selp.u64 "
     "%d1, 1, 0, %p1;",
     1},
};

static void odd_texts(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        char text[2000];
        uint64_t data[8] = {0x5a5a};
        struct ptx_run run;
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_90a, debug\n.address_size 64\n%s\n"
                 ".visible .entry k(.param .u64 .ptr .global .align 8 p)\n.maxntid 1024, 1, 1\n"
                 ".minnctapersm 1\n.pragma \"x\";\n{\n.reg .pred %%p<4>; .reg .b32 %%r<8>;\n"
                 ".reg .b64 %%d<8>;;\nld.param.u64 %%d0, [p];\n%s\nst.global.u64 [%%d0], "
                 "%%d1;\nret;\n}\n",
                 meanings[i].globals, meanings[i].body);
        if (!ptx_run(text, data, sizeof data, 1, 1, 0, TMAP_EMULATE_EARLIEST, &run) ||
            data[0] != meanings[i].value)
            wrong++, fprintf(stderr, "# %s %s gives 0x%llx, not 0x%llx\n", meanings[i].globals,
                             meanings[i].body, (unsigned long long)data[0],
                             (unsigned long long)meanings[i].value);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_texts), cmocka_unit_test(texts_that_end),
        cmocka_unit_test(too_much),      cmocka_unit_test(many_names),
        cmocka_unit_test(no_arguments),  cmocka_unit_test(odd_texts)};
    return cmocka_run_group_tests_name("texts of the emulator", tests, NULL, NULL);
}
