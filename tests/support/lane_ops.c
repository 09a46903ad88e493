#include "support/lane_ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/splitmix.h"

static const char source_letter[] = "ABCE";

uint64_t lane_width(char letter, uint64_t value)
{
    return letter == 'p'   ? value & 1
           : letter == 'h' ? value & 0xffff
           : letter == 'r' ? value & UINT32_MAX
                           : value;
}

uint64_t lane_untouched(char letter)
{
    return letter == 'p' ? 0 : lane_width(letter, 0x5a5a5a5a5a5a5a5au);
}

bool lane_takes_part(uint32_t thread)
{
    return (thread & 5) == 0;
}

/* --- the text: source i lies in %d<2+i>, and in %h, %r or %p of that number; D in those of 8 and,
 * where some lanes take part, of 9 */

struct text {
    char at[6000];
    size_t used;
};

static void put(struct text *t, const char *what)
{
    const size_t n = strlen(what);
    if (t->used + n + 1 > sizeof t->at) return;
    memcpy(t->at + t->used, what, n + 1);
    t->used += n;
}

static void put_register(struct text *t, char letter, int number)
{
    char name[16];
    snprintf(name, sizeof name, "%%%c%d", letter, number);
    put(t, name);
}

static void put_operation(struct text *t, const char *text, const char *shape, int dest)
{
    char c[2] = "";
    if (!strchr(text, '$')) {
        put(t, text), put(t, " ");
        put_register(t, shape[0], dest);
        for (int i = 1; shape[i]; i++) put(t, ", "), put_register(t, shape[i], 1 + i);
    } else {
        for (const char *p = text; *p; p++) {
            const char *which = *p == '$' ? strchr(source_letter, p[1]) : NULL;
            if (*p == '$' && p[1] == 'D')
                put_register(t, shape[0], dest), p++;
            else if (which)
                put_register(t, shape[1 + (which - source_letter)],
                             2 + (int)(which - source_letter)),
                    p++;
            else
                c[0] = *p, put(t, c);
        }
    }
    put(t, ";\n");
}

static void put_source(struct text *t, char letter, int number)
{
    char line[160];
    snprintf(line, sizeof line, "ld.global.u64 %%d%d, [%%d0+%d];\n", number, 8 * (number - 2));
    put(t, line);
    if (letter == 'h') snprintf(line, sizeof line, "cvt.u16.u64 %%h%d, %%d%d;\n", number, number);
    if (letter == 'r') snprintf(line, sizeof line, "cvt.u32.u64 %%r%d, %%d%d;\n", number, number);
    if (letter == 'p')
        snprintf(line, sizeof line,
                 "cvt.u32.u64 %%r%d, %%d%d; and.b32 %%r%d, %%r%d, 1;\n"
                 "setp.ne.u32 %%p%d, %%r%d, 0;\n",
                 number, number, number, number, number, number);
    if (letter != 'd') put(t, line);
}

static void put_result(struct text *t, char letter, int number)
{
    char line[160];
    const int at = 32 + 8 * (number - 8);
    if (letter == 'h') snprintf(line, sizeof line, "cvt.u64.u16 %%d%d, %%h%d;\n", number, number);
    if (letter == 'r') snprintf(line, sizeof line, "cvt.u64.u32 %%d%d, %%r%d;\n", number, number);
    if (letter == 'p')
        snprintf(line, sizeof line, "selp.u64 %%d%d, 1, 0, %%p%d;\n", number, number);
    if (letter != 'd') put(t, line);
    snprintf(line, sizeof line, "st.global.u64 [%%d0+%d], %%d%d;\n", at, number);
    put(t, line);
}

static void put_untouched(struct text *t, char letter)
{
    put(t, letter == 'p'   ? "setp.ne.u32 %p9, %r0, %r0;\n"
           : letter == 'h' ? "mov.b16 %h9, 0x5a5a;\n"
           : letter == 'r' ? "mov.b32 %r9, 0x5a5a5a5a;\n"
                           : "mov.b64 %d9, 0x5a5a5a5a5a5a5a5a;\n");
}

static void put_program(struct text *t, const char *target, const char *text, const char *shape)
{
    put(t, ".version 9.0\n.target ");
    put(t, target);
    put(t, "\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
           ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<20>; .reg .b64 %d<20>;\n"
           "ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 64;\n"
           "add.s64 %d0, %d0, %d1; and.b32 %r1, %r0, 5; setp.ne.u32 %p1, %r1, 0;\n");
    for (int i = 1; shape[i]; i++) put_source(t, shape[i], 1 + i);
    put_operation(t, text, shape, 8);
    put_untouched(t, shape[0]);
    put(t, "@%p1 bra over;\n");
    put_operation(t, text, shape, 9);
    put(t, "over:\n");
    put_result(t, shape[0], 8);
    put_result(t, shape[0], 9);
    put(t, "ret;\n}\n");
}

/* For tests/device/emulate/lanes: name, text, and what each lane had and got. */
static void keep(const char *name, const struct text *t, const struct lane_case *cases)
{
    const char *path = getenv("TMAP_LANES_KEEP");
    FILE *f = path ? fopen(path, "ab") : NULL;
    const uint32_t length = (uint32_t)t->used;
    char padded[128] = "";
    if (!f) return;
    snprintf(padded, sizeof padded, "%s", name);
    fwrite(padded, 1, sizeof padded, f);
    fwrite(&length, sizeof length, 1, f);
    fwrite(t->at, 1, length, f);
    for (uint32_t i = 0; i < LANE_CASES; i++) fwrite(&cases[i], 8, LANE_SOURCES + 2, f);
    fclose(f);
}

bool lane_ops(const char *target, const char *text, const char *shape,
              struct lane_case cases[LANE_CASES])
{
    struct text t = {.used = 0};
    struct ptx_run run;
    put_program(&t, target, text, shape);
    if (ptx_run(t.at, cases, LANE_CASES * sizeof *cases, LANE_CASES, 1, 0, TMAP_EMULATE_LATEST,
                &run)) {
        if (strcmp(target, "sm_90a") == 0) keep(text, &t, cases);
        return true;
    }
    fprintf(stderr, "# %s does not run\n", text);
    return false;
}

/* --- comparing */

static bool told(const char *text, const struct lane_case *c, uint64_t got, uint64_t want)
{
    fprintf(stderr,
            "# %s of 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ": 0x%" PRIx64
            ", not 0x%" PRIx64 "\n",
            text, c->in[0], c->in[1], c->in[2], c->in[3], got, want);
    return false;
}

bool lane_check(const char *target, const char *text, const char *shape,
                struct lane_case cases[LANE_CASES], lane_expect *expect, const void *with)
{
    int wrong = 0;
    if (!lane_ops(target, text, shape, cases)) return false;
    const size_t sources = strlen(shape) - 1;
    for (uint32_t i = 0; i < LANE_CASES && wrong < 4; i++) {
        uint64_t in[LANE_SOURCES] = {0};
        for (size_t s = 0; s < sources; s++) in[s] = lane_width(shape[1 + s], cases[i].in[s]);
        const uint64_t value = expect(in, with);
        if (value == LANE_ANY) continue;
        const uint64_t want = lane_width(shape[0], value);
        const uint64_t part = lane_takes_part(i) ? want : lane_untouched(shape[0]);
        if (cases[i].out != want) wrong += !told(text, &cases[i], cases[i].out, want);
        if (cases[i].part != part) wrong += !told(text, &cases[i], cases[i].part, part);
    }
    return wrong == 0;
}

void lane_draw(struct lane_case cases[LANE_CASES], const uint64_t *edges, size_t count,
               uint64_t seed)
{
    memset(cases, 0, LANE_CASES * sizeof *cases);
    for (uint32_t i = 0; i < LANE_CASES; i++)
        for (uint32_t s = 0; s < LANE_SOURCES; s++) {
            const uint64_t r = splitmix(&seed);
            cases[i].in[s] = r & 1 ? splitmix(&seed) : edges[(r >> 8) % count];
        }
}
