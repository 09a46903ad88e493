/* Mistakes in every form of every instruction (tests/data/emulate/forms.txt): an operand of another
 * kind, one too few or too many, a qualifier left out or made up. Each is refused at its line with
 * a message that names it, or is PTX too and listed in forms-taken.txt (TMAP_KEEP=1 writes that).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tmap/emulate.h"

#define FORMS "tests/data/emulate/forms.txt"
#define TAKEN "tests/data/emulate/forms-taken.txt"
enum { MOST_OPERANDS = 16, TEXT = 1024, LINE = 14 };

static const char head[] = ".version 9.0\n.target %s\n.address_size 64\n"
                           ".global .align 8 .b8 v[8];\n.func (.param .b32 fx) f(.param .b32 fy, "
                           ".param .b32 fz) {\nret;\n}\n.visible .entry k(.param .u64 p) {\n"
                           ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<40>; .reg .b64 "
                           "%%d<9>; .reg .b128 %%q<3>;\n.param .b32 x; .param .b32 y; .param .b32 "
                           "z;\n.param .b64 wide;\ntable: .branchtargets over;\n"
                           "over:\n";

/* --- texts of instructions, taken apart */

struct form {
    char target[16], op[200], operand[MOST_OPERANDS][200];
    int operands;
};

static void expand(const char *text, char *to, size_t cap)
{
    size_t n = 0;
    for (; *text && n + 1 < cap; text++) {
        if (*text != '$') {
            to[n++] = *text;
            continue;
        }
        const int count = text[1] - '0';
        for (int i = 1; i <= count; i++)
            n += (size_t)snprintf(to + n, cap - n, "%s%%r%d", i == 1 ? "{" : ", ", i);
        to[n++] = '}';
        text++;
    }
    to[n] = 0;
}

/* Commas outside brackets part operands. */
static void take_apart(const char *line, struct form *f)
{
    char text[TEXT];
    int depth = 0;
    size_t n = 0;
    memset(f, 0, sizeof *f);
    const char *tab = strchr(line, '\t');
    assert_non_null(tab);
    snprintf(f->target, sizeof f->target, "%.*s", (int)(tab - line), line);
    expand(tab + 1, text, sizeof text);
    const char *p = text;
    while (*p && *p != ' ') f->op[n++] = *p++;
    for (n = 0; *p; p++) {
        if (n == 0 && *p == ' ') continue;
        depth += (strchr("[{(", *p) != NULL) - (strchr("]})", *p) != NULL);
        if (*p == ',' && depth == 0) {
            f->operands++, n = 0;
            continue;
        }
        f->operand[f->operands][n++] = *p;
    }
    if (n) f->operands++;
}

static void put_together(const struct form *f, char *text, size_t cap)
{
    size_t n = (size_t)snprintf(text, cap, "%s", f->op);
    for (int i = 0; i < f->operands; i++)
        n += (size_t)snprintf(text + n, cap - n, "%s%s", i ? ", " : " ", f->operand[i]);
}

/* --- one text */

static enum tmap_status load(const char *target, const char *text, struct tmap_emulate_error *error)
{
    struct tmap_emulate_module *module = NULL;
    char all[3000];
    size_t n = (size_t)snprintf(all, sizeof all, head, target);
    snprintf(all + n, sizeof all - n, "%s;\nret;\n}\n", text);
    const enum tmap_status s = tmap_emulate_load(all, strlen(all), &module, error);
    tmap_emulate_free(module);
    return s;
}

static FILE *taken; /* what is to be, or where it is written */
static bool keeps;
static size_t mistakes, wrong;

static void note_taken(const char *target, const char *text)
{
    char line[TEXT + 32] = "", mine[TEXT + 32];
    snprintf(mine, sizeof mine, "%s\t%s\n", target, text);
    if (keeps)
        fputs(mine, taken);
    else if (!fgets(line, sizeof line, taken) || strcmp(line, mine) != 0)
        if (wrong++ < 5) fprintf(stderr, "# taken: %s# listed: %s", mine, line);
}

/* The message quotes the opcode, or says what of it is wrong. */
static bool tells(const char *message, const struct form *f)
{
    static const char *const words[] = {"is not declared",
                                        "a register of",
                                        "a vector",
                                        "an address",
                                        "registers of 64 bits",
                                        "a number of 128 bits",
                                        "a call",
                                        "an argument of a call",
                                        "accumulators",
                                        "a scale of",
                                        "a flag of",
                                        "with another number",
                                        "bytes",
                                        "wgmma",
                                        "fence",
                                        "elect.sync",
                                        "shfl without",
                                        "vote without",
                                        "setmaxnreg of",
                                        "a matrix in",
                                        "has 32 bits",
                                        "expected",
                                        "goes to no label"};
    if (strstr(message, f->op) && message[0] == '\'') return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(message, words[i])) return true;
    return strstr(message, f->op) != NULL;
}

static void mistake(const struct form *f)
{
    struct tmap_emulate_error error;
    char text[TEXT];
    put_together(f, text, sizeof text);
    mistakes++;
    const enum tmap_status s = load(f->target, text, &error);
    if (s == TMAP_OK) {
        note_taken(f->target, text);
        return;
    }
    if (s != TMAP_E_ARGUMENT || error.line != LINE || !tells(error.text, f))
        if (wrong++ < 40)
            fprintf(stderr, "# %s: status %d, line %u, '%s'\n", text, s, error.line, error.text);
}

/* --- the mistakes */

static void replaced(const struct form *f, int i, const char *with)
{
    struct form g = *f;
    if (strcmp(g.operand[i], with) == 0) return;
    snprintf(g.operand[i], sizeof g.operand[i], "%s", with);
    mistake(&g);
}

static bool one_of(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)) != NULL; p++)
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0)) return true;
    return false;
}

/* Another operand of the same kind, so no mistake: the emulator asks a register's width alone,
 * takes any number and any name's value as a source, and the sink as any result. */
static bool as_good(const char *operand, const char *with, bool source)
{
    switch (operand[0] == '[' ? '[' : operand[strspn(operand, "!%")]) {
    case 'h':
    case 'r':
        return one_of(source ? "%h8 %r39 7 1.5 %tid.y x wide" : "%h8 %r39 _", with);
    case 'd':
        return one_of(source ? "%d8 7 1.5 x wide" : "%d8 _", with);
    case 'p':
        return one_of(source ? "%p8 !%p8 7 1.5" : "%p8 _", with);
    default:
        return one_of(operand[0] == '[' ? "[%r39] [%d8]" : "", with);
    }
}

static void other_kinds(const struct form *f, int i)
{
    static const char *const kinds[] = {
        "%h8",        "%r39",       "%d8",      "%q2",    "%p8", "!%p8", "[%r39]",
        "[%d8]",      "[%h8]",      "[nosuch]", "nosuch", "7",   "1.5",  "{%r37, %r38, %r39}",
        "{%p7, %p8}", "{%d7, %d8}", "%r38|%p8", "(x)",    "x",   "wide", "_",
        "%tid.y",     "%clock",     "%smid2"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!as_good(f->operand[i], kinds[k], i > 0)) replaced(f, i, kinds[k]);
}

/* Of an address or a vector: each part by itself. */
static void other_parts(const struct form *f, int i)
{
    static const char *const kinds[] = {"%h8", "%p8", "%d8", "%q2", "nosuch", "7", "{%r1}"};
    const char *o = f->operand[i];
    if (!strchr("[{(", o[0])) return;
    for (const char *p = o; *p; p++) {
        if (*p != '%') continue;
        const size_t length = strcspn(p, ",]}) +|");
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            char with[200];
            if (as_good(p, kinds[k], true) || (o[0] == '[' && one_of("%d8 %r39 7", kinds[k])))
                continue;
            snprintf(with, sizeof with, "%.*s%s%s", (int)(p - o), o, kinds[k], p + length);
            replaced(f, i, with);
        }
    }
}

static void other_operands(const struct form *f)
{
    for (int i = 0; i < f->operands; i++) {
        struct form g = *f;
        g.operands = i;
        mistake(&g);
        other_kinds(f, i);
        other_parts(f, i);
    }
    struct form g = *f;
    strcpy(g.operand[g.operands++], "%r39");
    mistake(&g);
}

static void other_qualifiers(const struct form *f)
{
    static const char *const made_up[] = {".nosuch", ".u8", ".f64", ".b32", ".v8"};
    for (const char *p = strchr(f->op, '.'); p; p = strchr(p + 1, '.')) {
        struct form g = *f;
        const char *end = p + 1 + strcspn(p + 1, ".");
        const size_t rest = strlen(end);
        memmove(g.op + (p - f->op), end, rest + 1);
        mistake(&g);
        snprintf(g.op, sizeof g.op, "%.*s.nosuch%s", (int)(p - f->op), f->op, end);
        mistake(&g);
    }
    for (size_t k = 0; k < sizeof made_up / sizeof *made_up; k++) {
        struct form g = *f;
        snprintf(g.op, sizeof g.op, "%.150s%s", f->op, made_up[k]);
        mistake(&g);
    }
}

static void every_mistake(void **state)
{
    char line[TEXT];
    size_t forms = 0;
    (void)state;
    keeps = getenv("TMAP_KEEP") != NULL;
    FILE *from = fopen(FORMS, "r");
    taken = fopen(TAKEN, keeps ? "w" : "r");
    assert_true(from && taken);
    while (fgets(line, sizeof line, from)) {
        struct form f;
        struct tmap_emulate_error error;
        char text[TEXT];
        if (line[0] == '#') continue;
        line[strcspn(line, "\n")] = 0;
        take_apart(line, &f);
        put_together(&f, text, sizeof text);
        if (load(f.target, text, &error) != TMAP_OK) {
            fprintf(stderr, "# %s is refused: %s (line %u)\n", text, error.text, error.line);
            wrong++;
        }
        forms++;
        other_operands(&f);
        other_qualifiers(&f);
    }
    if (!keeps && fgets(line, sizeof line, taken))
        wrong++, fprintf(stderr, "# not taken: %s", line);
    fclose(from);
    fclose(taken);
    print_message("# %zu forms, %zu mistakes\n", forms, mistakes);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_mistake)};
    return cmocka_run_group_tests_name("refusals of the emulator", tests, NULL, NULL);
}
