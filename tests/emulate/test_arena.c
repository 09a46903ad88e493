/* Memory for modules comes in blocks of 256 KiB, so what fails is seldom the allocation of one
 * instruction. Here a variable of every size fills a block up to any place in what follows it, and
 * the next block is refused: every construct of the parser, and every form of every instruction
 * (tests/data/emulate/forms.txt). The load says TMAP_E_MEMORY, keeps nothing, and gives no module.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "emulate/emulate.h"

#include "support/failing_malloc.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define FORMS "tests/data/emulate/forms.txt"
enum { BLOCK = 1 << 18, STEP = 16, LINE = 600, TEXT = 16000, TOGETHER = 8 };

/* .version and .target, then the variable, then the rest. */
static size_t write_text(char *to, const char *target, const char *rest, uint32_t filler)
{
    return (size_t)snprintf(to, TEXT,
                            ".version 9.0\n.target %s\n.address_size 64\n"
                            ".global .align 1 .b8 filler[%u] = {0};\n%s",
                            target, filler, rest);
}

static long loads, refused;

static void load(const char *text, size_t bytes, const char *what, uint32_t filler, long at)
{
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_error error;
    const long before = live;
    fail_on = 0, count = 0, fail_at = at;
    const enum tmap_status s = tmap_emulate_load(text, bytes, &module, &error);
    fail_at = 0;
    loads++;
    if (s != (at ? TMAP_E_MEMORY : TMAP_OK) || (module != NULL) != (s == TMAP_OK))
        fail_msg("%s: filled with %u, allocation %ld: status %d, line %u: %s", what, filler, at, s,
                 error.line, error.text);
    if (s != TMAP_OK) refused++;
    tmap_emulate_free(module);
    if (live != before) fail_msg("%s: %ld blocks are kept", what, live - before);
}

/* What is used of the arenas by a text without much of a variable. */
static void used(const char *target, const char *rest, uint32_t *parsed, uint32_t *decoded)
{
    static char text[TEXT];
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_error error;
    const size_t bytes = write_text(text, target, rest, 1);
    if (tmap_emulate_load(text, bytes, &module, &error) != TMAP_OK)
        fail_msg("line %u: %s", error.line, error.text);
    *parsed = (uint32_t)module->ptx.arena.used;
    *decoded = (uint32_t)module->arena.used;
    tmap_emulate_free(module);
}

/* Each allocation after the first `from`, which are the module, the parser and the first blocks. */
static void sweep(const char *target, const char *rest, uint32_t most, long from)
{
    static char text[TEXT];
    for (uint32_t filler = BLOCK - most; filler < BLOCK; filler += STEP) {
        const size_t bytes = write_text(text, target, rest, filler);
        load(text, bytes, rest, filler, 0);
        const long total = count;
        for (long at = from + 1; at <= total; at++) load(text, bytes, rest, filler, at);
    }
}

/* One of all that allocates. */
static const char constructs[] =
    ".file 1 \"a.cu\"\n.file 9 \"b.cu\"\n.extern .shared .align 16 .b8 dynamic[];\n"
    ".global .u32 a; .const .u32 c[2] = {1, 2}; .global .u64 d = generic(a)+4;\n"
    ".func (.param .b32 o, .param .b32 o2) f(.param .b32 i, .param .b64 j);\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %p<2>; .reg .b16 %h, %g; .reg .b32 "
    "%r<5>; .reg .b64 %d<3>;\n.local .b8 l[16]; .shared .b32 s; .param .b32 x; .param .b32 x2; "
    ".param .b64 y;\n"
    "t: .branchtargets there, over;\nthere: .loc 1 5 3\nmov.b32 %r1, {%h, %g};\nadd\n.s32 %r1, "
    "%r1, 1;\nsetp.eq.u32 %p1|%p0, %r1, 0;\n{ over: @%p1 bra there; }\nover: brx.idx %r1, t;\n"
    "ld.shared.u32 %r2, [s]; mov.u32 %r3, dynamic;\ncall (x, x2), f, (x, y);\nret;\n}\n"
    ".func (.param .b32 o, .param .b32 o2) f(.param .b32 i, .param .b64 j) { ret; }\n";

static void every_construct(void **state)
{
    uint32_t parsed, decoded;
    (void)state;
    if (!OWN_MALLOC) return;
    used("sm_90a", constructs, &parsed, &decoded);
    sweep("sm_90a", constructs, parsed, 3);
    print_message("# %ld loads, %ld refused\n", loads, refused);
}

/* "$4" is a vector of four registers. */
static size_t expand(const char *text, char *to)
{
    size_t n = 0;
    for (; *text && *text != '\n'; text++) {
        if (*text != '$') {
            to[n++] = *text;
            continue;
        }
        for (int i = 1; i <= text[1] - '0'; i++)
            n += (size_t)sprintf(to + n, "%s%%r%d", i == 1 ? "{" : ", ", i);
        to[n++] = '}';
        text++;
    }
    return n;
}

static const char head[] =
    ".global .align 8 .b8 v[8];\n.func (.param .b32 fx) f(.param .b32 fy, .param .b32 fz) {\n"
    "ret;\n}\n.visible .entry k(.param .u64 p) {\n.reg .pred %p<9>; .reg .b16 %h<9>; "
    ".reg .b32 %r<40>; .reg .b64 %d<9>; .reg .b128 %q<3>;\n.param .b32 x; .param .b32 y; "
    ".param .b32 z;\n.param .b64 wide;\ntable: .branchtargets over;\nover:\n";

static void sweep_forms(const char *target, char *rest, size_t n)
{
    uint32_t parsed, decoded;
    strcpy(rest + n, "ret;\n}\n");
    used(target, rest, &parsed, &decoded);
    sweep(target, rest, decoded, 4);
}

/* Some together, as each load takes its time. */
static void every_form(void **state)
{
    static char rest[TEXT];
    char line[LINE], target[16] = "", its[16];
    size_t n = 0, forms = 0;
    (void)state;
    if (!OWN_MALLOC) return;
    loads = refused = 0;
    FILE *from = fopen(FORMS, "r");
    assert_non_null(from);
    while (fgets(line, sizeof line, from)) {
        const char *tab = strchr(line, '\t');
        if (line[0] == '#' || !tab) continue;
        snprintf(its, sizeof its, "%.*s", (int)(tab - line), line);
        if (n && (strcmp(its, target) != 0 || forms % TOGETHER == 0))
            sweep_forms(target, rest, n), n = 0;
        if (n == 0) n = strlen(strcpy(rest, head));
        strcpy(target, its);
        n += expand(tab + 1, rest + n);
        n += strlen(strcpy(rest + n, ";\n"));
        forms++;
    }
    sweep_forms(target, rest, n);
    fclose(from);
    print_message("# %zu forms, %ld loads, %ld refused\n", forms, loads, refused);
}

/* More instructions than a block has room for. */
static void many_instructions(void **state)
{
    enum { MANY = 2500 };
    static char text[8 * MANY + 200];
    size_t n = (size_t)sprintf(text, "%s", ".version 9.0\n.target sm_90a\n.entry k() {\n");
    (void)state;
    if (!OWN_MALLOC) return;
    for (int i = 0; i < MANY; i++) n += (size_t)sprintf(text + n, "ret;\n");
    n += (size_t)sprintf(text + n, "}\n");
    load(text, n, "many", 0, 0);
    const long total = count;
    for (long at = 1; at <= total; at++) load(text, n, "many", 0, at);
}

int main(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD,
            1 << 25); /* blocks that are given back are taken again: much faster */
    mallopt(M_TRIM_THRESHOLD, 1 << 25);
#endif
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_construct),
                                       cmocka_unit_test(every_form),
                                       cmocka_unit_test(many_instructions)};
    return cmocka_run_group_tests_name("modules without memory", tests, NULL, NULL);
}
